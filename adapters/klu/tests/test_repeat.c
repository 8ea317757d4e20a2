/* Equal values have equal bits, whatever was computed before. Tiny systems, and with WARPLU_KLU_REPEAT=all others:
 * solves depend on values of the last klu_factor and of the last klu_refactor alone, in any order of calls, with other
 * Symbolics and Numerics of the pattern alive or freed. Larger ones, with analysis or all: the same calls since
 * klu_analyze have the same bits. */
#define _POSIX_C_SOURCE 200809L
#include "subject.h"

#include <stdlib.h>

enum { VALUES = 6, LIVES = 40, STEPS = 14, SIDE = 24, LARGE = SIDE * SIDE, REFACTORS = 60 };

static uint64_t seed = 4711;

static int pick(int count)
{
    return (int)((uniform(&seed) + 0.5) * count) % count;
}

/* What solves came to, by the values that were factored and refactored; b is the same for all. */
typedef struct record {
    int known[VALUES][VALUES];
    double x[VALUES][VALUES][2][MOST * DOUBLES];
} record;

static void compare(record *r, int factored, int refactored, wk_symbolic *s, wk_numeric *f, wk_common *c)
{
    for (int transposed = 0; transposed < 2; transposed++) {
        double x[MOST * DOUBLES], *known = r->x[factored][refactored][transposed];
        for (int i = 0; i < MOST * DOUBLES; i++) x[i] = 1.0 + 0.01 * i;
        CHECK(transposed ? solve_transposed(s, f, (wk_int)s->n, 1, x, 0, c)
                         : WK_NAME(solve)(s, f, (wk_int)s->n, 1, x, c));
        if (r->known[factored][refactored])
            CHECK_SAY(memcmp(x, known, (size_t)s->n * DOUBLES * sizeof *x) == 0, "n %d, factored %d, refactored %d",
                      (int)s->n, factored, refactored);
        else
            memcpy(known, x, sizeof x);
    }
    r->known[factored][refactored] = 1;
}

/* A Symbolic and a Numeric that live for some steps. */
static void live(subject *a, double values[VALUES][MOST * MOST * DOUBLES], record *r)
{
    wk_common c;
    WK_SHARED(defaults)(&c);
    wk_symbolic *s = WK_SHARED(analyze)(a->n, a->Ap, a->Ai, &c);
    int factored = pick(VALUES);
    wk_numeric *f = WK_NAME(factor)(a->Ap, a->Ai, values[factored], s, &c);
    CHECK(f != NULL);
    if (f == NULL) return;
    compare(r, factored, factored, s, f, &c);
    for (int step = 0; step < STEPS; step++) {
        int next = pick(VALUES);
        if (pick(4) == 0) {
            if (pick(2) == 0) WK_NAME(free_numeric)(&f, &c);
            wk_numeric *before = f;
            factored = next;
            f = WK_NAME(factor)(a->Ap, a->Ai, values[factored], s, &c);
            WK_NAME(free_numeric)(&before, &c);
        } else {
            WK_NAME(refactor)(a->Ap, a->Ai, values[next], s, f, &c);
        }
        CHECK(f != NULL);
        if (c.status == 0) compare(r, factored, next, s, f, &c);
    }
    WK_NAME(free_numeric)(&f, &c);
    WK_SHARED(free_symbolic)(&s, &c);
}

/* Diagonals of all sizes: pivots of one set of values do not fit others. */
static void test_small(wk_int n)
{
    static double values[VALUES][MOST * MOST * DOUBLES];
    static record r;
    subject a;
    memset(&r, 0, sizeof r);
    make(&a, &seed, n, 3, n % 2);
    for (int k = 0; k < VALUES; k++) {
        fill(&a, &seed, k % 3 == 0 ? 8.0 : k % 3 == 1 ? 1e-4 : 1e-9);
        memcpy(values[k], a.Ax, sizeof a.Ax);
    }
    for (int k = 0; k < LIVES; k++) live(&a, values, &r);
}

/* ---------------------------------------------------------------- larger */

typedef struct mesh {
    wk_int Ap[LARGE + 1], Ai[5 * LARGE];
    double Ax[5 * LARGE * DOUBLES];
} mesh;

static void make_mesh(mesh *m)
{
    wk_int at = 0;
    for (wk_int j = 0; j < LARGE; j++) {
        const wk_int beside[5] = {j - SIDE, j % SIDE > 0 ? j - 1 : -1, j, j % SIDE < SIDE - 1 ? j + 1 : -1, j + SIDE};
        m->Ap[j] = at;
        for (int k = 0; k < 5; k++)
            if (beside[k] >= 0 && beside[k] < LARGE) m->Ai[at++] = beside[k];
    }
    m->Ap[LARGE] = at;
}

/* Value number k of the mesh. */
static void fill_mesh(mesh *m, int k)
{
    uint64_t own = 17 + (uint64_t)k;
    for (wk_int j = 0; j < LARGE; j++)
        for (wk_int p = m->Ap[j]; p < m->Ap[j + 1]; p++)
            for (int d = 0; d < DOUBLES; d++)
                m->Ax[DOUBLES * p + d] = m->Ai[p] == j ? 4.5 + uniform(&own) : -1.0 + 0.3 * uniform(&own);
}

static uint64_t digest(uint64_t sum, const double *x)
{
    for (int i = 0; i < LARGE * DOUBLES; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        sum = (sum ^ bits) * UINT64_C(1099511628211);
    }
    return sum;
}

/* Factors, refactors so often that programs come, and factors again; what all solves came to. */
static uint64_t run(mesh *m, int refactors)
{
    static double x[LARGE * DOUBLES];
    wk_common c;
    uint64_t sum = 1;
    WK_SHARED(defaults)(&c);
    wk_symbolic *s = WK_SHARED(analyze)(LARGE, m->Ap, m->Ai, &c);
    wk_numeric *f = NULL;
    for (int k = 0; k <= refactors; k++) {
        fill_mesh(m, k);
        if (k % 20 == 0) {
            WK_NAME(free_numeric)(&f, &c);
            f = WK_NAME(factor)(m->Ap, m->Ai, m->Ax, s, &c);
        } else {
            CHECK(WK_NAME(refactor)(m->Ap, m->Ai, m->Ax, s, f, &c));
        }
        for (int i = 0; i < LARGE * DOUBLES; i++) x[i] = 1.0 + 0.001 * i;
        CHECK(f != NULL && WK_NAME(solve)(s, f, LARGE, 1, x, &c) && c.status == 0);
        sum = digest(sum, x);
    }
    WK_NAME(free_numeric)(&f, &c);
    WK_SHARED(free_symbolic)(&s, &c);
    return sum;
}

static void large(void)
{
    static mesh m;
    make_mesh(&m);
    uint64_t first = run(&m, REFACTORS), some = run(&m, 7);
    CHECK(run(&m, REFACTORS) == first);
    CHECK(run(&m, 7) == some);
    wk_common c;
    WK_SHARED(defaults)(&c);
    wk_symbolic *s = WK_SHARED(analyze)(LARGE, m.Ap, m.Ai, &c); /* beside others that are alive */
    wk_numeric *f = WK_NAME(factor)(m.Ap, m.Ai, m.Ax, s, &c);
    for (int k = 0; k < REFACTORS; k++) WK_NAME(refactor)(m.Ap, m.Ai, m.Ax, s, f, &c);
    CHECK(run(&m, REFACTORS) == first);
    WK_NAME(free_numeric)(&f, &c);
    WK_SHARED(free_symbolic)(&s, &c);
    CHECK(run(&m, 7) == some);
}

static void tiny(void)
{
    for (int k = 0; k < 4; k++) test_small(2);
}

static void small(void)
{
    const wk_int sizes[] = {3, 8, 17, 30, 40};
    for (int k = 0; k < 5; k++) test_small(sizes[k]);
}

/* With an argument, what that word of WARPLU_KLU_REPEAT promises. */
int main(int count, char **words)
{
    if (count > 1) setenv("WARPLU_KLU_REPEAT", words[1], 1);
    RUN(tiny);
    if (count > 1 && strcmp(words[1], "all") == 0) RUN(small);
    if (count > 1) RUN(large);
    return check_done();
}
