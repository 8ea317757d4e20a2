/* Random calls beside the real KLU: the same calls in the same order to both, and every difference has a name. What the
 * README explains is counted; anything else fails.
 *
 *   test_beside KLU [--calls N] [--seed S]     KLU: the path of libklu.so.1, of KLU 1.3; 77 where it does not load
 *
 * KLU is loaded into a name space of its own, so that neither finds the other's functions. Its structures are those of
 * KLU 1, whichever interface ours are of: klu_common, and what functions answer, are the caller's here. */
#define _GNU_SOURCE
#include "subject.h"

#include <dlfcn.h>

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

#ifdef WK_LONG
typedef int64_t theirs_flag;
#else
typedef int theirs_flag;
#endif

/* KLU 1's klu_common. */
typedef struct theirs_common {
    double tol, memgrow, initmem_amd, initmem, maxwork;
    theirs_flag btf, ordering, scale;
    void *user_order, *user_data;
    theirs_flag halt_if_singular, status, nrealloc;
    wk_int structural_rank, numerical_rank, singular_col, noffdiag;
    double flops, rcond, condest, rgrowth, work;
    size_t memusage, mempeak;
} theirs_common;

static struct {
    theirs_flag (*defaults)(theirs_common *);
    wk_symbolic *(*analyze)(wk_int, wk_int *, wk_int *, theirs_common *);
    wk_symbolic *(*analyze_given)(wk_int, wk_int *, wk_int *, wk_int *, wk_int *, theirs_common *);
    wk_numeric *(*factor)(wk_int *, wk_int *, double *, wk_symbolic *, theirs_common *);
    theirs_flag (*refactor)(wk_int *, wk_int *, double *, wk_symbolic *, wk_numeric *, theirs_common *);
    theirs_flag (*solve)(wk_symbolic *, wk_numeric *, wk_int, wk_int, double *, theirs_common *);
#ifdef WK_COMPLEX
    theirs_flag (*tsolve)(wk_symbolic *, wk_numeric *, wk_int, wk_int, double *, theirs_flag, theirs_common *);
#else
    theirs_flag (*tsolve)(wk_symbolic *, wk_numeric *, wk_int, wk_int, double *, theirs_common *);
#endif
    theirs_flag (*sort)(wk_symbolic *, wk_numeric *, theirs_common *);
    theirs_flag (*flops)(wk_symbolic *, wk_numeric *, theirs_common *);
    theirs_flag (*rcond)(wk_symbolic *, wk_numeric *, theirs_common *);
    theirs_flag (*rgrowth)(wk_int *, wk_int *, double *, wk_symbolic *, wk_numeric *, theirs_common *);
    theirs_flag (*condest)(wk_int *, double *, wk_symbolic *, wk_numeric *, theirs_common *);
    theirs_flag (*free_symbolic)(wk_symbolic **, theirs_common *);
    theirs_flag (*free_numeric)(wk_numeric **, theirs_common *);
} klu;

static int load(const char *path)
{
    void *library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return 0;
#define LOAD(member, name) *(void **)&klu.member = dlsym(library, TEXT(name))
    LOAD(defaults, WK_SHARED(defaults));
    LOAD(analyze, WK_SHARED(analyze));
    LOAD(analyze_given, WK_SHARED(analyze_given));
    LOAD(factor, WK_NAME(factor));
    LOAD(refactor, WK_NAME(refactor));
    LOAD(solve, WK_NAME(solve));
    LOAD(tsolve, WK_NAME(tsolve));
    LOAD(sort, WK_NAME(sort));
    LOAD(flops, WK_NAME(flops));
    LOAD(rcond, WK_NAME(rcond));
    LOAD(rgrowth, WK_NAME(rgrowth));
    LOAD(condest, WK_NAME(condest));
    LOAD(free_symbolic, WK_SHARED(free_symbolic));
    LOAD(free_numeric, WK_NAME(free_numeric));
    return klu.defaults != NULL && klu.condest != NULL && klu.free_numeric != NULL;
}

/* ------------------------------------------------------------- differences */

/* What README.md explains, in its words there. */
typedef enum difference {
    SAME,
    MENDED,      /* KLU_OK of KLU with an equation that is wrong, and ours right, or KLU_SINGULAR */
    OVERLOOKED,  /* KLU_OK of KLU for a matrix with a column of zeros: by klu_refactor in a block of one, and where
                    halt_if_singular is 0 */
    UNPROVEN,    /* KLU_SINGULAR of ours with a right x: the first solves of a kind, for which no values were kept */
    FACTORED,    /* singular to rounding: one of the two has a pivot that is exactly zero */
    SINGULAR_AT, /* singular_col or numerical_rank: pivots in another order stop elsewhere */
    REPLAYED,    /* klu_refactor of values whose kept pivots are zero: new pivots answer */
    ESTIMATED,   /* condest: another estimate; rgrowth: a lower bound; rcond: of other pivots */
    LEFT,        /* structural_rank of given orders: -1; KLU leaves what was there */
    GIVEN,       /* blocks of given orders: KLU's are of its rows, too */
    UNEXPLAINED,
    DIFFERENCES
} difference;

static const char *const names[DIFFERENCES] = {"same",     "mended",      "overlooked", "unproven",
                                               "factored", "singular at", "replayed",   "estimated",
                                               "left",     "given",       "unexplained"};
static int64_t counted[DIFFERENCES], calls;
static int shown;
static uint64_t seed = 20261128;

static int below(int n)
{
    return (int)((uniform(&seed) + 0.5) * n);
}

/* Both sides of a life. */
typedef struct life {
    subject a;
    int singular, tiny; /* by what was done to the values: a column of zeros; numbers that nearly cancel */
    wk_common c;
    theirs_common d;
    wk_symbolic *s, *t;
    wk_numeric *f, *g;
    const char *call;
    uint64_t seed;
} life;

static void note(life *l, difference kind, const char *what, double ours, double theirs)
{
    counted[kind]++;
    if (kind != UNEXPLAINED || shown++ >= 20) return;
    printf("# life %llu, n %d, %s: %s is %g, KLU's %g; status %d and %d, %s\n", (unsigned long long)l->seed,
           (int)l->a.n, l->call, what, ours, theirs, (int)l->c.status, (int)l->d.status,
           l->singular ? "singular"
           : l->tiny   ? "near it"
                       : "regular");
}

static void compare(life *l, difference kind, const char *what, double ours, double theirs)
{
    int same = ours == theirs || (isnan(ours) && isnan(theirs));
    note(l, same ? SAME : kind, what, ours, theirs);
}

/* Answers and statuses; what a difference is called where values are singular to rounding. */
static difference difference_of(const life *l)
{
    if (l->tiny) return FACTORED;
    return l->singular && l->c.status == WK_SINGULAR && l->d.status == WK_OK ? OVERLOOKED : UNEXPLAINED;
}

static void compare_status(life *l, int ours, int theirs)
{
    difference kind = difference_of(l);
    calls++;
    compare(l, kind, "the answer", ours != 0, theirs != 0);
    compare(l, kind, "status", (double)l->c.status, (double)l->d.status);
}

/* -------------------------------------------------------------------- calls */

static void drop_numeric(life *l)
{
    l->call = "free_numeric";
    calls++;
    compare(l, UNEXPLAINED, "the answer", (double)WK_NAME(free_numeric)(&l->f, &l->c),
            (double)klu.free_numeric(&l->g, &l->d));
    CHECK(l->f == NULL && l->g == NULL);
}

static void drop(life *l)
{
    drop_numeric(l);
    l->call = "free_symbolic";
    calls++;
    compare(l, UNEXPLAINED, "the answer", (double)WK_SHARED(free_symbolic)(&l->s, &l->c),
            (double)klu.free_symbolic(&l->t, &l->d));
}

static void compare_symbolic(life *l, int given)
{
    const difference rank = given ? LEFT : UNEXPLAINED, blocks = given ? GIVEN : UNEXPLAINED;
    compare(l, rank, "structural_rank", (double)l->c.structural_rank, (double)l->d.structural_rank);
    if (l->s == NULL || l->t == NULL) return;
    compare(l, UNEXPLAINED, "n", (double)l->s->n, (double)l->t->n);
    compare(l, UNEXPLAINED, "nz", (double)l->s->nz, (double)l->t->nz);
    compare(l, blocks, "nblocks", (double)l->s->nblocks, (double)l->t->nblocks);
    compare(l, blocks, "maxblock", (double)l->s->maxblock, (double)l->t->maxblock);
    compare(l, blocks, "nzoff", (double)l->s->nzoff, (double)l->t->nzoff);
    compare(l, UNEXPLAINED, "do_btf", (double)l->s->do_btf, (double)l->t->do_btf);
    compare(l, UNEXPLAINED, "ordering", (double)l->s->ordering, (double)l->t->ordering);
    compare(l, rank, "its structural_rank", (double)l->s->structural_rank, (double)l->t->structural_rank);
}

static void shuffle(wk_int n, wk_int *order)
{
    for (wk_int k = 0; k < n; k++) order[k] = k;
    for (wk_int k = n - 1; k > 0; k--) {
        wk_int other = below((int)k + 1), kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
}

static void analyze(life *l)
{
    wk_int p[MOST], q[MOST];
    const int given = below(4) == 0;
    drop(l);
    l->c.btf = (wk_flag)(l->d.btf = below(2));
    l->c.ordering = (wk_flag)(l->d.ordering = below(2));
    shuffle(l->a.n, p);
    shuffle(l->a.n, q);
    if (!given) {
        l->call = "analyze";
        l->s = WK_SHARED(analyze)(l->a.n, l->a.Ap, l->a.Ai, &l->c);
        l->t = klu.analyze(l->a.n, l->a.Ap, l->a.Ai, &l->d);
    } else {
        l->call = "analyze_given";
        wk_int *rows = below(2) ? p : NULL, *columns = below(2) ? q : NULL;
        l->s = WK_SHARED(analyze_given)(l->a.n, l->a.Ap, l->a.Ai, rows, columns, &l->c);
        l->t = klu.analyze_given(l->a.n, l->a.Ap, l->a.Ai, rows, columns, &l->d);
    }
    compare_status(l, l->s != NULL, l->t != NULL);
    compare_symbolic(l, given);
}

/* New values: regular ones, a column of zeros, or two columns that cancel but for rounding. */
static void draw_values(life *l)
{
    subject *a = &l->a;
    fill(a, &seed, 8.0);
    l->singular = below(8) == 0;
    l->tiny = 0;
    wk_int j = below((int)a->n);
    for (wk_int p = a->Ap[j]; p < a->Ap[j + 1] && l->singular; p++)
        for (int k = 0; k < DOUBLES; k++) a->Ax[DOUBLES * p + k] = 0.0;
    if (l->singular || below(8) > 0) return;
    l->tiny = 1; /* whole numbers: ranks are lost by chance, in exact arithmetic or nearly */
    for (wk_int p = 0; p < a->Ap[a->n]; p++)
        for (int k = 0; k < DOUBLES; k++) a->Ax[DOUBLES * p + k] = below(3) - 1;
}

static void compare_ranks(life *l)
{
    compare(l, SINGULAR_AT, "singular_col", (double)l->c.singular_col, (double)l->d.singular_col);
    compare(l, SINGULAR_AT, "numerical_rank", (double)l->c.numerical_rank, (double)l->d.numerical_rank);
    if (l->c.status != WK_OK || l->d.status != WK_OK) return;
    compare(l, UNEXPLAINED, "singular_col of a regular one", (double)l->c.singular_col, (double)l->d.singular_col);
}

static void factor(life *l)
{
    static const double tolerances[] = {0.001, 0.001, 0.1, 1.0};
    drop_numeric(l);
    if (l->s == NULL || l->t == NULL) return;
    l->c.tol = l->d.tol = tolerances[below(4)];
    l->c.scale = (wk_flag)(l->d.scale = below(4) - 1);
    l->c.halt_if_singular = (wk_flag)(l->d.halt_if_singular = below(2));
    draw_values(l);
    l->call = "factor";
    l->f = WK_NAME(factor)(l->a.Ap, l->a.Ai, l->a.Ax, l->s, &l->c);
    l->g = klu.factor(l->a.Ap, l->a.Ai, l->a.Ax, l->t, &l->d);
    compare_status(l, l->f != NULL, l->g != NULL);
    compare_ranks(l);
    if ((l->f == NULL) != (l->g == NULL)) drop_numeric(l);
}

static void refactor(life *l)
{
    if (l->f == NULL || l->g == NULL) return;
    draw_values(l);
    l->call = "refactor";
    int ours = (int)WK_NAME(refactor)(l->a.Ap, l->a.Ai, l->a.Ax, l->s, l->f, &l->c);
    int theirs = (int)klu.refactor(l->a.Ap, l->a.Ai, l->a.Ax, l->t, l->g, &l->d);
    int mended = l->c.status == WK_OK && l->d.status == WK_SINGULAR && !l->singular;
    const difference kind = mended ? REPLAYED : difference_of(l);
    calls++;
    compare(l, kind, "the answer", ours != 0, theirs != 0);
    compare(l, kind, "status", (double)l->c.status, (double)l->d.status);
    if (!ours || !theirs || l->c.status != l->d.status) drop_numeric(l);
}

/* kind: 0 A, 1 A', 2 A^H. */
static void solve(life *l, int kind)
{
    static double b[5 * (MOST + 3) * DOUBLES], x[5 * (MOST + 3) * DOUBLES], y[5 * (MOST + 3) * DOUBLES];
    if (l->f == NULL || l->g == NULL) return;
    wk_int sides = 1 + below(5), ldim = l->a.n + below(3);
    int ours, theirs;
    for (int k = 0; k < 5 * (MOST + 3) * DOUBLES; k++) b[k] = x[k] = y[k] = uniform(&seed);
    l->call = kind == 0 ? "solve" : "tsolve";
    if (kind == 0) {
        ours = (int)WK_NAME(solve)(l->s, l->f, ldim, sides, x, &l->c);
        theirs = (int)klu.solve(l->t, l->g, ldim, sides, y, &l->d);
    } else {
#ifdef WK_COMPLEX
        ours = (int)WK_NAME(tsolve)(l->s, l->f, ldim, sides, x, kind == 2, &l->c);
        theirs = (int)klu.tsolve(l->t, l->g, ldim, sides, y, kind == 2, &l->d);
#else
        ours = (int)WK_NAME(tsolve)(l->s, l->f, ldim, sides, x, &l->c);
        theirs = (int)klu.tsolve(l->t, l->g, ldim, sides, y, &l->d);
#endif
    }
    double worst[2] = {0.0, 0.0};
    for (wk_int k = 0; k < sides; k++)
        for (int who = 0; who < 2; who++) {
            double r = residual(&l->a, kind, (who ? y : x) + DOUBLES * k * ldim, b + DOUBLES * k * ldim);
            if (!(r <= worst[who])) worst[who] = r;
        }
    calls++;
    compare(l, UNEXPLAINED, "the answer", ours, theirs);
    int wrong = !(worst[1] <= 1e-10), unproven = l->c.status == WK_SINGULAR && worst[0] <= 1e-10;
    compare(l,
            wrong      ? MENDED
            : unproven ? UNPROVEN
                       : difference_of(l),
            "status", (double)l->c.status, (double)l->d.status);
    if (l->c.status == WK_OK) note(l, worst[0] <= 1e-10 ? SAME : UNEXPLAINED, "the error", worst[0], worst[1]);
    if (wrong && l->d.status == WK_OK) note(l, MENDED, "the error", worst[0], worst[1]);
    for (wk_int k = 0; k < sides; k++)
        for (wk_int i = DOUBLES * l->a.n; i < DOUBLES * ldim; i++)
            compare(l, UNEXPLAINED, "what is behind a column", x[DOUBLES * k * ldim + i], b[DOUBLES * k * ldim + i]);
}

/* Of one order of magnitude, or both nothing. */
static void compare_estimates(life *l, const char *what, double ours, double theirs)
{
    int alike = ours == theirs || (isnan(ours) && isnan(theirs));
    int both = ours > 0.0 && theirs > 0.0 && ours < INFINITY && theirs < INFINITY;
    note(l, alike ? SAME : both ? ESTIMATED : difference_of(l), what, ours, theirs);
}

static void estimate(life *l, int which)
{
    if (l->f == NULL || l->g == NULL) return;
    static const char *const of[] = {"rcond", "rgrowth", "condest", "flops", "sort"};
    int ours = 0, theirs = 0;
    l->call = of[which];
    switch (which) {
    case 0:
        ours = (int)WK_NAME(rcond)(l->s, l->f, &l->c);
        theirs = (int)klu.rcond(l->t, l->g, &l->d);
        break;
    case 1:
        ours = (int)WK_NAME(rgrowth)(l->a.Ap, l->a.Ai, l->a.Ax, l->s, l->f, &l->c);
        theirs = (int)klu.rgrowth(l->a.Ap, l->a.Ai, l->a.Ax, l->t, l->g, &l->d);
        break;
    case 2:
        ours = (int)WK_NAME(condest)(l->a.Ap, l->a.Ax, l->s, l->f, &l->c);
        theirs = (int)klu.condest(l->a.Ap, l->a.Ax, l->t, l->g, &l->d);
        break;
    case 3:
        ours = (int)WK_NAME(flops)(l->s, l->f, &l->c);
        theirs = (int)klu.flops(l->t, l->g, &l->d);
        break;
    default: ours = (int)WK_NAME(sort)(l->s, l->f, &l->c); theirs = (int)klu.sort(l->t, l->g, &l->d);
    }
    compare_status(l, ours, theirs);
    if (which == 0) compare_estimates(l, "rcond", l->c.rcond, l->d.rcond);
    if (which == 1) compare_estimates(l, "rgrowth", l->c.rgrowth, l->d.rgrowth);
    if (which == 2) compare_estimates(l, "condest", l->c.condest, l->d.condest);
}

/* Arguments that are none, to both. */
static void misuse(life *l)
{
    double x[MOST * DOUBLES] = {0};
    l->call = "solve of bad arguments";
    wk_int n = l->a.n, ldim = below(2) ? n - 1 : n, sides = ldim == n ? -1 : 1;
    if (l->f != NULL && l->g != NULL)
        compare_status(l, (int)WK_NAME(solve)(l->s, l->f, ldim, sides, x, &l->c),
                       (int)klu.solve(l->t, l->g, ldim, sides, x, &l->d));
    l->call = "calls without objects";
    compare_status(l, (int)WK_NAME(solve)(NULL, NULL, n, 1, x, &l->c), (int)klu.solve(NULL, NULL, n, 1, x, &l->d));
    compare_status(l, WK_NAME(factor)(l->a.Ap, l->a.Ai, l->a.Ax, NULL, &l->c) != NULL,
                   klu.factor(l->a.Ap, l->a.Ai, l->a.Ax, NULL, &l->d) != NULL);
    compare_status(l, (int)WK_NAME(refactor)(l->a.Ap, l->a.Ai, l->a.Ax, l->s, NULL, &l->c),
                   (int)klu.refactor(l->a.Ap, l->a.Ai, l->a.Ax, l->t, NULL, &l->d));
}

/* One in four is so large, and so long, that a program takes over. */
static void live(uint64_t first)
{
    static life l;
    seed = first;
    l = (life){.seed = first};
    const int large = below(4) == 0, n = 1 + (large ? MOST / 2 + below(MOST / 2) : below(20));
    make(&l.a, &seed, n, below(5), below(2));
    WK_SHARED(defaults)(&l.c);
    klu.defaults(&l.d);
    analyze(&l);
    factor(&l);
    for (int k = 0; k < (large ? 150 : 30); k++) {
        int which = below(20);
        if (which == 0) analyze(&l);
        if (which <= 2) factor(&l);
        if (which > 2 && which <= 6) refactor(&l);
        if (which > 6 && which <= 11) solve(&l, 0);
        if (which > 11 && which <= 14) solve(&l, DOUBLES == 2 ? 1 + below(2) : 1);
        if (which > 14 && which <= 18) estimate(&l, below(5));
        if (which == 19) misuse(&l);
    }
    drop(&l);
    CHECK_SAY(l.c.memusage == 0, "ours %zu", l.c.memusage);
}

static int64_t wanted = 20000;

static void every_difference_is_explained(void)
{
    const uint64_t first = seed;
    for (uint64_t k = 0; calls < wanted; k++) live(first + k);
    for (int k = 0; k < DIFFERENCES; k++) printf("# %s: %lld\n", names[k], (long long)counted[k]);
    printf("# %lld calls\n", (long long)calls);
    CHECK(counted[UNEXPLAINED] == 0 && counted[SAME] > calls);
}

int main(int argc, char **argv)
{
    if (argc < 2 || !load(argv[1])) {
        printf("1..0 # SKIP no KLU 1.3\n");
        return 77;
    }
    for (int k = 2; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--calls") == 0) wanted = atoll(argv[k + 1]);
        if (strcmp(argv[k], "--seed") == 0) seed = strtoull(argv[k + 1], NULL, 10);
    }
    RUN(every_difference_is_explained);
    return check_done();
}
