/* Small systems in programs that use KLU: the drop-in beside the real KLU in one process, call by call.
 *
 *     build/benchmarks/small OURS/libklu.so.1 KLU/libklu.so.1 [--turns N]
 *
 * Systems of 3 to 200 unknowns: dense ones, chains, arrows, grids, and random ones of three to five entries a column.
 * Both factor the same values; then klu_refactor of changed values and klu_solve take turns, by one and the other
 * library. Medians of turns in nanoseconds, and KLU's over ours; last the geometric means and the least. Exit status 1
 * where a library does not load, a call fails, or solutions differ by more than 1e-8 of the largest unknown. */
#define _GNU_SOURCE
#define WK_ABI 1
#define WK_TYPES_ALONE
#include "../adapters/klu/klu_abi.h"
#include "base/clock.h"
#include "turns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OURS, THEIRS, LIBRARIES, SETS = 4, MOST = 200, MOST_TURNS = 1001, WARM_UP = 400 };
static const double TURN_NS = 2e5, DIFFERENCE = 1e-8;

typedef struct library {
    int (*defaults)(wk_common *);
    wk_symbolic *(*analyze)(wk_int, wk_int *, wk_int *, wk_common *);
    wk_numeric *(*factor)(wk_int *, wk_int *, double *, wk_symbolic *, wk_common *);
    int (*refactor)(wk_int *, wk_int *, double *, wk_symbolic *, wk_numeric *, wk_common *);
    int (*solve)(wk_symbolic *, wk_numeric *, wk_int, wk_int, double *, wk_common *);
    int (*free_symbolic)(wk_symbolic **, wk_common *);
    int (*free_numeric)(wk_numeric **, wk_common *);
} library;

typedef struct matrix {
    const char *kind;
    wk_int n, p[MOST + 1], i[MOST * MOST];
    double x[SETS][MOST * MOST], b[MOST];
} matrix;

typedef struct contestant {
    const library *of;
    wk_common common;
    wk_symbolic *symbolic;
    wk_numeric *numeric;
    double x[MOST];
} contestant;

typedef struct totals {
    double log_refactor, log_solve, least;
    int count;
} totals;

static int turns = 201;

static int load(const char *path, library *l)
{
    void *handle = open_library("small", path);
    int all = handle != NULL;
#define LOAD(name) all = all && find_function("small", handle, "klu_" #name, &l->name)
    LOAD(defaults);
    LOAD(analyze);
    LOAD(factor);
    LOAD(refactor);
    LOAD(solve);
    LOAD(free_symbolic);
    LOAD(free_numeric);
#undef LOAD
    return all;
}

/* ---------------------------------------------------------------- matrices */

typedef int is_entry(wk_int i, wk_int j, wk_int n);

static int in_dense(wk_int i, wk_int j, wk_int n)
{
    return i < n && j < n;
}

static int in_chain(wk_int i, wk_int j, wk_int n)
{
    return n > 0 && abs(i - j) <= 1;
}

static int in_arrow(wk_int i, wk_int j, wk_int n)
{
    return n > 0 && (i == j || i == 0 || j == 0);
}

static int in_grid(wk_int i, wk_int j, wk_int n)
{
    const wk_int side = (wk_int)lrint(floor(sqrt((double)n)));
    return i == j || abs(i - j) == side || (abs(i - j) == 1 && i / side == j / side);
}

static int in_random(wk_int i, wk_int j, wk_int n)
{
    return i == j || drand48() * (double)n < 3.0;
}

static const struct {
    const char *name;
    is_entry *has;
    wk_int most;
} kinds[] = {{"dense", in_dense, 20},
             {"chain", in_chain, MOST},
             {"arrow", in_arrow, MOST},
             {"grid", in_grid, MOST},
             {"random", in_random, MOST}};

/* Sums of columns of magnitudes are below the diagonal's, as in most steps of time. */
static void make(matrix *a, int kind, wk_int n)
{
    srand48(7 * n + kind);
    a->kind = kinds[kind].name;
    a->n = n;
    a->p[0] = 0;
    for (wk_int j = 0; j < n; j++) {
        wk_int end = a->p[j];
        for (wk_int i = 0; i < n; i++)
            if (kinds[kind].has(i, j, n)) a->i[end++] = i;
        a->p[j + 1] = end;
        a->b[j] = 2.0 * drand48() - 1.0;
    }
    for (int set = 0; set < SETS; set++)
        for (wk_int j = 0; j < n; j++)
            for (wk_int q = a->p[j]; q < a->p[j + 1]; q++)
                a->x[set][q] = a->i[q] == j ? 2.0 * (a->p[j + 1] - a->p[j]) + drand48() : 2.0 * drand48() - 1.0;
}

/* ------------------------------------------------------------------ turns */

static int open_side(contestant *s, matrix *a)
{
    return s->of->defaults(&s->common) && (s->symbolic = s->of->analyze(a->n, a->p, a->i, &s->common)) != NULL &&
           (s->numeric = s->of->factor(a->p, a->i, a->x[0], s->symbolic, &s->common)) != NULL;
}

static void close_side(contestant *s)
{
    s->of->free_numeric(&s->numeric, &s->common);
    s->of->free_symbolic(&s->symbolic, &s->common);
}

/* Nanoseconds of a call each. 0: one has failed. */
static int take_turn(contestant *s, matrix *a, int steps, double *refactor, double *solve)
{
    int well = 1;
    int64_t begin = wlu_now_ns();
    for (int k = 0; k < steps && well; k++)
        well = s->of->refactor(a->p, a->i, a->x[k % SETS], s->symbolic, s->numeric, &s->common);
    int64_t middle = wlu_now_ns();
    for (int k = 0; k < steps && well; k++) {
        memcpy(s->x, a->b, (size_t)a->n * sizeof *s->x);
        well = s->of->solve(s->symbolic, s->numeric, a->n, 1, s->x, &s->common);
    }
    *solve = (double)(wlu_now_ns() - middle) / steps;
    *refactor = (double)(middle - begin) / steps;
    return well && s->common.status == 0;
}

static int agree(const contestant *s, wk_int n)
{
    double largest = 0.0, difference = 0.0;
    for (wk_int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(s[THEIRS].x[i]));
        difference = fmax(difference, fabs(s[OURS].x[i] - s[THEIRS].x[i]));
    }
    return difference <= DIFFERENCE * largest;
}

static void add_up(totals *t, double refactor, double solve)
{
    t->log_refactor += log(refactor);
    t->log_solve += log(solve);
    t->least = t->count == 0 ? fmin(refactor, solve) : fmin(t->least, fmin(refactor, solve));
    t->count++;
}

static int run(const library libraries[LIBRARIES], matrix *a, totals *t)
{
    static double refactors[LIBRARIES][MOST_TURNS], solves[LIBRARIES][MOST_TURNS];
    contestant s[LIBRARIES] = {{.of = &libraries[OURS]}, {.of = &libraries[THEIRS]}};
    double refactor[LIBRARIES], solve[LIBRARIES];
    int well = 1, steps = 1;
    for (int k = 0; k < LIBRARIES && well; k++)
        well = open_side(&s[k], a) && take_turn(&s[k], a, WARM_UP, &refactor[k], &solve[k]);
    if (well) steps = SETS * (int)fmax(TURN_NS / (refactor[THEIRS] + solve[THEIRS]) / SETS, 1.0);
    for (int turn = 0; turn < turns && well; turn++)
        for (int k = 0; k < LIBRARIES && well; k++) {
            const int which = (k + turn) % LIBRARIES;
            well = take_turn(&s[which], a, steps, &refactors[which][turn], &solves[which][turn]);
        }
    well = well && agree(s, a->n);
    for (int k = 0; k < LIBRARIES && well; k++) {
        refactor[k] = median(refactors[k], turns);
        solve[k] = median(solves[k], turns);
        close_side(&s[k]);
    }
    if (!well) return 0;
    printf("%-7s %4d %5d | %8.0f %8.0f %6.2f | %8.0f %8.0f %6.2f\n", a->kind, a->n, a->p[a->n], refactor[THEIRS],
           refactor[OURS], refactor[THEIRS] / refactor[OURS], solve[THEIRS], solve[OURS], solve[THEIRS] / solve[OURS]);
    add_up(t, refactor[THEIRS] / refactor[OURS], solve[THEIRS] / solve[OURS]);
    return 1;
}

static int run_all(const library libraries[LIBRARIES])
{
    static const wk_int sizes[] = {3, 4, 6, 10, 20, 40, 60, 80, 100, 120, 150, 200};
    static matrix a;
    totals t = {0};
    printf("%-7s %4s %5s | %8s %8s %6s | %8s %8s %6s\n", "", "n", "nnz", "KLU, ns", "refactor", "ratio", "KLU, ns",
           "solve", "ratio");
    for (int kind = 0; kind < (int)(sizeof kinds / sizeof *kinds); kind++)
        for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes) && sizes[k] <= kinds[kind].most; k++) {
            make(&a, kind, sizes[k]);
            if (run(libraries, &a, &t)) continue;
            fprintf(stderr, "small: %s, n %d: a call failed, or answers differ\n", a.kind, (int)a.n);
            return 1;
        }
    printf("geometric means: refactor %.3f, solve %.3f; the least %.3f\n", exp(t.log_refactor / t.count),
           exp(t.log_solve / t.count), t.least);
    return 0;
}

int main(int argc, char **argv)
{
    static library libraries[LIBRARIES];
    if (argc == 5 && strcmp(argv[3], "--turns") == 0) turns = atoi(argv[4]);
    if ((argc != 3 && argc != 5) || turns < 1 || turns > MOST_TURNS) {
        fprintf(stderr, "usage: small OURS/libklu.so.1 KLU/libklu.so.1 [--turns N], N to %d\n", MOST_TURNS);
        return 2;
    }
    if (!load(argv[1], &libraries[OURS]) || !load(argv[2], &libraries[THEIRS])) return 1;
    return run_all(libraries);
}
