/* KLU_OK has no wrong answer: every equation of every column is accurate as a whole, |b - A x|_i at most
 * 1e-10 (max|a_i.| max|x| + |b_i|), whatever the matrix. These have columns whose entries are all in place, behind a
 * triangle that makes factors grow: KLU's x is wrong by up to 0.9 in a third of them. After klu_factor, and after
 * refactors too; solves and transposed solves. */
#include "subject.h"

enum { MATRICES = 400, REFACTORS = 2 };

static uint64_t seed;

static double normal(void)
{
    double sum = 0.0;
    for (int k = 0; k < 12; k++) sum += 2.0 * uniform(&seed);
    return sum / 2.0;
}

/* A lower triangle of random entries with its first subdiagonal, and full columns at the end. */
static void make_growing(subject *a, wk_int n, wk_int full)
{
    wk_int nnz = 0;
    a->n = n;
    for (wk_int j = 0; j < n; j++) {
        a->Ap[j] = nnz;
        for (wk_int i = 0; i < n; i++) {
            if (j < n - full && i != j && (i < j || (i > j + 1 && uniform(&seed) < 0.0))) continue;
            for (int d = 0; d < DOUBLES; d++) a->Ax[DOUBLES * nnz + d] = normal();
            a->Ai[nnz++] = i;
        }
    }
    a->Ap[n] = nnz;
}

/* The worst equation of A x = b, or of A' x = b. */
static double worst_equation(const subject *a, int transposed, const double *x, const double *b)
{
    double _Complex r[MOST];
    double size[MOST] = {0}, largest = 0.0, worst = 0.0;
    for (wk_int i = 0; i < a->n; i++) {
        r[i] = number(b, i);
        largest = fmax(largest, cabs(number(x, i)));
    }
    for (wk_int j = 0; j < a->n; j++)
        for (wk_int p = a->Ap[j]; p < a->Ap[j + 1]; p++) {
            const wk_int row = transposed ? j : a->Ai[p], col = transposed ? a->Ai[p] : j;
            r[row] -= number(a->Ax, p) * number(x, col);
            size[row] = fmax(size[row], cabs(number(a->Ax, p)));
        }
    for (wk_int i = 0; i < a->n; i++) {
        const double error = cabs(r[i]) / (size[i] * largest + cabs(number(b, i)));
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

/* Both kinds of solves, of two columns; the count of those that say KLU_OK. */
static int check_solves(const subject *a, wk_symbolic *s, wk_numeric *f, wk_common *c)
{
    double b[2 * MOST * DOUBLES], x[2 * MOST * DOUBLES];
    int ok = 0;
    for (int transposed = 0; transposed < 2; transposed++) {
        for (int i = 0; i < 2 * MOST * DOUBLES; i++) b[i] = x[i] = uniform(&seed);
        CHECK(transposed ? solve_transposed(s, f, MOST, 2, x, 0, c) : WK_NAME(solve)(s, f, MOST, 2, x, c));
        if (c->status != WK_OK) continue;
        ok++;
        for (int k = 0; k < 2; k++) {
            const int64_t at = (int64_t)k * MOST * DOUBLES;
            const double worst = worst_equation(a, transposed, x + at, b + at);
            CHECK_SAY(worst <= 1.01e-10, "KLU_OK with an equation wrong by %g", worst);
        }
    }
    return ok;
}

static void ok_has_no_wrong_answer(void)
{
    int ok = 0;
    for (int k = 0; k < MATRICES; k++) {
        static subject a;
        wk_common c;
        WK_SHARED(defaults)(&c);
        seed = 88172645463325252u + (uint64_t)k;
        for (int i = 0; i < 5; i++) uniform(&seed);
        make_growing(&a, 20 + k % 21, 1 + k % 3);
        wk_symbolic *s = WK_SHARED(analyze)(a.n, a.Ap, a.Ai, &c);
        wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
        CHECK(f != NULL);
        for (int step = 0; step <= REFACTORS && f != NULL; step++) {
            ok += check_solves(&a, s, f, &c);
            for (int64_t p = 0; p < (int64_t)DOUBLES * a.Ap[a.n]; p++) a.Ax[p] *= 1.0 + 0.1 * normal();
            CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c));
        }
        CHECK(WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c));
    }
    printf("# %d of %d solves say KLU_OK\n", ok, 2 * (REFACTORS + 1) * MATRICES);
    CHECK(ok > 2 * (REFACTORS + 1) * MATRICES * 9 / 10); /* and few are refused */
}

int main(void)
{
    RUN(ok_has_no_wrong_answer);
    return check_done();
}
