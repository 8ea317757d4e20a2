/* A program that uses KLU as programs do, and prints what it finds: linked to the real libklu, and run with that
 * and with the drop-in (test_compare.py). Numbers behind # are rounded when they are compared. */
#include "subject.h"

#include <inttypes.h>

static uint64_t seed = 31337;

static void print_vector(const char *name, const double *x, wk_int n)
{
    printf("%s", name);
    for (int64_t i = 0; i < (int64_t)n * DOUBLES; i++) printf(" #%.17g", x[i]);
    printf("\n");
}

static void print_status(const char *call, int64_t result, const wk_common *c)
{
    printf("%s %" PRId64 " status %d rank %" PRId64 " column %" PRId64 "\n", call, result, (int)c->status,
           (int64_t)c->numerical_rank, (int64_t)c->singular_col);
}

static void solve(subject *a, wk_symbolic *s, wk_numeric *f, wk_common *c)
{
    double x[MOST * DOUBLES];
    for (int kind = 0; kind <= DOUBLES; kind++) {
        for (int i = 0; i < MOST * DOUBLES; i++) x[i] = uniform(&seed);
        wk_flag done =
            kind == 0 ? WK_NAME(solve)(s, f, a->n, 1, x, c) : solve_transposed(s, f, a->n, 1, x, kind == 2, c);
        print_status("solve", done, c);
        print_vector("x", x, a->n);
    }
}

static void live(wk_int n, int blocks, int scale)
{
    subject a;
    wk_common c;
    WK_SHARED(defaults)(&c);
    c.scale = scale;
    make(&a, &seed, n, 3, blocks);
    wk_symbolic *s = WK_SHARED(analyze)(a.n, a.Ap, a.Ai, &c);
    printf("analyze %d status %d blocks %" PRId64 " largest %" PRId64 " off %" PRId64 " rank %" PRId64 "\n", s != NULL,
           (int)c.status, (int64_t)s->nblocks, (int64_t)s->maxblock, (int64_t)s->nzoff, (int64_t)s->structural_rank);
    wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
    print_status("factor", f != NULL, &c);
    for (int step = 0; step < 3; step++) {
        solve(&a, s, f, &c);
        for (int64_t k = 0; k < (int64_t)a.Ap[n] * DOUBLES; k++) a.Ax[k] *= 1.0 + 0.1 * uniform(&seed);
        print_status("refactor", WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c), &c);
        WK_NAME(condest)(a.Ap, a.Ax, s, f, &c);
        printf("condest %d\n", c.condest > 1.0);
    }
    memset(a.Ax, 0, sizeof a.Ax); /* singular at its first pivot, which may be anywhere */
    printf("singular %d", (int)WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c));
    printf(" status %d\n", (int)c.status);
    WK_NAME(rcond)(s, NULL, &c);
    printf("rcond of none #%g status %d\n", c.rcond, (int)c.status);
    WK_NAME(free_numeric)(&f, &c);
    printf("factor %d", WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c) != NULL);
    printf(" status %d\n", (int)c.status);
    WK_SHARED(free_symbolic)(&s, &c);
    printf("memory %zu\n", c.memusage);
}

/* klu_factor, and klu_refactor where that is right in KLU, of matrices with other patterns than the analyzed one: with
 * fewer entries and with more, in columns that do not ascend. Without blocks, for KLU reads and writes out of bounds
 * where entries lie outside of them. */
static void change_pattern(wk_int n)
{
    subject a[3];
    wk_common c;
    WK_SHARED(defaults)(&c);
    c.btf = 0;
    for (int some = 0; some < 3; some++) {
        a[some].n = n;
        wk_int at = 0;
        for (wk_int j = 0; j < n; j++) {
            a[some].Ap[j] = at;
            for (wk_int i = n - 1; i >= 0; i--)
                if (i == j || (some < 2 && (i * 7 + j * 5) % 3 <= some)) a[some].Ai[at++] = i;
        }
        a[some].Ap[n] = at;
        fill(&a[some], &seed, 8.0);
    }
    wk_symbolic *s = WK_SHARED(analyze)(n, a[0].Ap, a[0].Ai, &c);
    for (int first = 0; first < 3; first++) {
        wk_numeric *f = WK_NAME(factor)(a[first].Ap, a[first].Ai, a[first].Ax, s, &c);
        print_status("factor of another pattern", f != NULL, &c);
        solve(&a[first], s, f, &c);
        print_status("refactor", WK_NAME(refactor)(a[2].Ap, a[2].Ai, a[2].Ax, s, f, &c), &c);
        solve(&a[2], s, f, &c);
        WK_NAME(free_numeric)(&f, &c);
    }
    WK_SHARED(free_symbolic)(&s, &c);
}

int main(void)
{
    for (int k = 0; k < 8; k++) live(2 + 5 * k, k % 2, k % 4 - 1);
    for (int k = 0; k < 4; k++) change_pattern(3 + 8 * k);
    return 0;
}
