/* What the factors say of A, against dense computations in extended precision: condition numbers, forward
 * error bounds, growth, determinant, weak pivots, and the factors themselves, after factor and after
 * refactor, for every shape. */
#include <warplu/inspect.h>

#include "check.h"

#include "solver/solver.h"
#include "exec/numeric.h"
#include "numerics/norm.h"
#include "support/build.h"
#include "support/dense.h"
#include "support/options.h"

#include <fenv.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(a, i, j) (a)[(size_t)(j) * (size_t)n + (size_t)(i)]

/* ------------------------------------------------------------- extraction */

typedef struct parts {
    warplu_factors_view v;
    long double *l, *u, *f; /* dense, at pivot positions */
} parts;

static long double *to_dense(int32_t n, const int64_t *p, const int32_t *i, const double *x)
{
    long double *d = calloc((size_t)n * (size_t)n + 1, sizeof *d);
    CHECK(p[0] == 0);
    for (int32_t j = 0; j < n; j++)
        for (int64_t q = p[j]; q < p[j + 1]; q++) {
            CHECK(i[q] >= 0 && i[q] < n && (q == p[j] || i[q - 1] < i[q]));
            AT(d, i[q], j) = x[q];
        }
    return d;
}

/* Everything a solver's factors hold, in arrays of exact size. */
static void take_parts(warplu_solver *s, parts *t)
{
    warplu_factors_view *v = &t->v;
    memset(t, 0, sizeof *t);
    v->size = sizeof *v;
    CHECK(warplu_extract_factors(s, v) == WARPLU_SUCCESS);
    size_t n = (size_t)v->n, l = (size_t)v->l_nnz, u = (size_t)v->u_nnz, f = (size_t)v->f_nnz;
    v->Lp = malloc((n + 1) * sizeof *v->Lp);
    v->Up = malloc((n + 1) * sizeof *v->Up);
    v->Fp = malloc((n + 1) * sizeof *v->Fp);
    v->Li = malloc(l * sizeof *v->Li);
    v->Ui = malloc(u * sizeof *v->Ui);
    v->Fi = malloc(f * sizeof *v->Fi);
    v->Lx = malloc(l * sizeof *v->Lx);
    v->Ux = malloc(u * sizeof *v->Ux);
    v->Fx = malloc(f * sizeof *v->Fx);
    v->P = malloc(n * sizeof *v->P);
    v->Q = malloc(n * sizeof *v->Q);
    v->R = malloc(n * sizeof *v->R);
    v->C = malloc(n * sizeof *v->C);
    v->block = malloc(((size_t)v->blocks + 1) * sizeof *v->block);
    CHECK(warplu_extract_factors(s, v) == WARPLU_SUCCESS);
    CHECK(v->Lp[n] == v->l_nnz && v->Up[n] == v->u_nnz && v->Fp[n] == v->f_nnz);
    t->l = to_dense(v->n, v->Lp, v->Li, v->Lx);
    t->u = to_dense(v->n, v->Up, v->Ui, v->Ux);
    t->f = to_dense(v->n, v->Fp, v->Fi, v->Fx);
}

static void free_parts(parts *t)
{
    void *owned[] = {t->v.Lp, t->v.Up, t->v.Fp, t->v.Li, t->v.Ui,    t->v.Fi, t->v.Lx, t->v.Ux, t->v.Fx,
                     t->v.P,  t->v.Q,  t->v.R,  t->v.C,  t->v.block, t->l,    t->u,    t->f};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) free(owned[k]);
}

static int32_t *blocks_of(const warplu_factors_view *v)
{
    int32_t *of = malloc((size_t)v->n * sizeof *of);
    CHECK(v->block[0] == 0 && v->block[v->blocks] == v->n);
    for (int32_t b = 0; b < v->blocks; b++) {
        CHECK(v->block[b] < v->block[b + 1]);
        for (int32_t k = v->block[b]; k < v->block[b + 1]; k++) of[k] = b;
    }
    return of;
}

static int is_permutation(int32_t n, const int32_t *p)
{
    char *seen = calloc((size_t)n, 1);
    int good = 1;
    for (int32_t k = 0; k < n; k++) {
        if (p[k] < 0 || p[k] >= n || seen[p[k]]) good = 0;
        if (good) seen[p[k]] = 1;
    }
    free(seen);
    return good;
}

/* Shapes: unit lower L, upper U, both block diagonal; F above the blocks. */
static void check_shapes(const parts *t, const int32_t *of)
{
    int32_t n = t->v.n;
    for (int32_t j = 0; j < n; j++) {
        CHECK(AT(t->l, j, j) == 1.0L && t->v.Li[t->v.Lp[j]] == j && t->v.Ui[t->v.Up[j + 1] - 1] == j);
        for (int32_t i = 0; i < n; i++) {
            CHECK(AT(t->l, i, j) == 0.0L || (i >= j && of[i] == of[j]));
            CHECK(AT(t->u, i, j) == 0.0L || (i <= j && of[i] == of[j]));
            CHECK(AT(t->f, i, j) == 0.0L || of[i] < of[j]);
        }
    }
}

/* R A C permuted is L U + F, up to rounding. */
static void check_parts(const parts *t, const double *dense, const char *what)
{
    const warplu_factors_view *v = &t->v;
    int32_t n = v->n, *of = blocks_of(v);
    double worst = 0.0;
    CHECK(is_permutation(n, v->P) && is_permutation(n, v->Q));
    check_shapes(t, of);
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < n; i++) {
            int32_t row = v->P[i], col = v->Q[j];
            long double a = (long double)AT(dense, row, col) * v->R[row] * v->C[col], sum = AT(t->f, i, j), size;
            size = fabsl(a) + fabsl(sum);
            for (int32_t k = 0; k <= i && k <= j; k++) {
                sum += AT(t->l, i, k) * AT(t->u, k, j);
                size += fabsl(AT(t->l, i, k) * AT(t->u, k, j));
            }
            if (sum != a) worst = fmax(worst, (double)(fabsl(sum - a) / size));
        }
    CHECK_SAY(worst <= (n + 4) * DBL_EPSILON, "%s, n = %d: L U + F off by %g", what, n, worst);
    free(of);
}

/* ----------------------------------------------------------------- oracle */

/* Backward error of the oracle's own inverse, in n times its own rounding. */
#define ORACLE 1e3

/* |A^-1| exactly, and by how much solves with a backward error may miss it, to first order. */
typedef struct oracle {
    int32_t n;
    const double *a;
    long double *inverse;
    long double *missed; /* |A^-1| E |A^-1|, E = |L| |U| + |F| in the place of A */
    long double trace;   /* of |A^-1| E: the same for the determinant */
    double backward;     /* backward error of solves with the factors at hand, in E */
    long double mantissa;
    int64_t exponent;
} oracle;

/* c = |a| |b|. */
static long double *product(int32_t n, const long double *a, const long double *b)
{
    long double *c = calloc((size_t)n * (size_t)n, sizeof *c);
    for (int32_t j = 0; j < n; j++)
        for (int32_t k = 0; k < n; k++) {
            if (AT(b, k, j) == 0.0L) continue;
            for (int32_t i = 0; i < n; i++) AT(c, i, j) += fabsl(AT(a, i, k) * AT(b, k, j));
        }
    return c;
}

static int open_oracle(oracle *t, int32_t n, const double *a, const parts *p)
{
    memset(t, 0, sizeof *t);
    t->n = n;
    t->a = a;
    t->backward = n * (8.0 * DBL_EPSILON + ORACLE * (double)LDBL_EPSILON);
    t->inverse = test_dense_inverse(n, a, &t->mantissa, &t->exponent);
    CHECK(t->inverse != NULL);
    if (t->inverse == NULL) return 0;
    long double *lu = product(n, p->l, p->u), *e = calloc((size_t)n * (size_t)n, sizeof *e);
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < n; i++)
            AT(e, p->v.P[i], p->v.Q[j]) =
                (AT(lu, i, j) + fabsl(AT(p->f, i, j))) / p->v.R[p->v.P[i]] / p->v.C[p->v.Q[j]];
    long double *relative = product(n, t->inverse, e);
    t->missed = product(n, relative, t->inverse);
    for (int32_t k = 0; k < n; k++) t->trace += AT(relative, k, k);
    free(lu);
    free(e);
    free(relative);
    return 1;
}

static void close_oracle(oracle *t)
{
    free(t->inverse);
    free(t->missed);
}

static long double norm1(int32_t n, const long double *a)
{
    long double norm = 0.0L;
    for (int32_t j = 0; j < n; j++) {
        long double sum = 0.0L;
        for (int32_t i = 0; i < n; i++) sum += fabsl(AT(a, i, j));
        norm = fmaxl(norm, sum);
    }
    return norm;
}

/* || |op(A)| w ||_inf. */
static long double weighted(int32_t n, const long double *a, int transposed, const long double *w)
{
    long double worst = 0.0L;
    for (int32_t i = 0; i < n; i++) {
        long double sum = 0.0L;
        for (int32_t j = 0; j < n; j++) sum += fabsl(transposed ? AT(a, j, i) : AT(a, i, j)) * w[j];
        worst = fmaxl(worst, sum);
    }
    return worst;
}

static double largest(int32_t n, const double *x)
{
    double most = 0.0;
    for (int32_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static double worst_ratio = 1.0; /* of estimate to truth, where that is known to 1% */
static int asked, sharp;         /* estimates, and those */

/* found lies between a tenth of the truth and most times it, a relative tolerance aside. */
static void check_estimate(const char *what, const char *where, double found, long double truth, double tolerance,
                           double most)
{
    double ratio = (double)(found / truth);
    CHECK_SAY(ratio >= 0.1 * (1.0 - tolerance) && ratio <= most * (1.0 + tolerance) * (1.0 + 1e-13),
              "%s, %s: %.17g, should be %.17Lg (slack %g)", where, what, found, truth, tolerance);
    asked++;
    if (tolerance > 1e-2) return;
    sharp++;
    worst_ratio = fmin(worst_ratio, ratio);
}

static void check_condition(const oracle *t, const char *name, double found)
{
    int32_t n = t->n;
    long double norm = 0.0L;
    for (int32_t j = 0; j < n; j++) {
        long double sum = 0.0L;
        for (int32_t i = 0; i < n; i++) sum += fabsl((long double)AT(t->a, i, j));
        norm = fmaxl(norm, sum);
    }
    long double of_inverse = norm1(n, t->inverse);
    check_estimate("condition", name, found, norm * of_inverse,
                   t->backward * (double)(norm1(n, t->missed) / of_inverse), 1.0);
}

static void check_skeel(const oracle *t, const char *name, const double *x, double found)
{
    int32_t n = t->n;
    long double *w = calloc((size_t)n, sizeof *w);
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < n; i++) w[i] += fabsl((long double)AT(t->a, i, j) * (x != NULL ? x[j] : 1.0));
    long double truth = weighted(n, t->inverse, 0, w);
    check_estimate(x != NULL ? "cond(A, x)" : "cond(A)", name, found, truth / (x != NULL ? largest(n, x) : 1.0L),
                   t->backward * (double)(weighted(n, t->missed, 0, w) / truth), 1.0);
    free(w);
}

/* The bound as the header has it with r exact, and the error itself. A computed residual may be off by what
 * the bound adds for that: by twice as much in all. */
static void check_forward(const oracle *t, const char *name, int transposed, const double *b, const double *x,
                          double found)
{
    int32_t n = t->n;
    long double *w = calloc((size_t)n, sizeof *w), error = 0.0L;
    for (int32_t i = 0; i < n; i++) {
        long double r = b[i], size = fabsl((long double)b[i]), exact = 0.0L;
        int32_t count = 0;
        for (int32_t j = 0; j < n; j++) {
            double e = transposed ? AT(t->a, j, i) : AT(t->a, i, j);
            exact += (transposed ? AT(t->inverse, j, i) : AT(t->inverse, i, j)) * b[j];
            r -= (long double)e * x[j];
            size += fabsl((long double)e * x[j]);
            count += e != 0.0;
        }
        w[i] = fabsl(r) + (count + 1.0L) * DBL_EPSILON / 2.0L * size;
        error = fmaxl(error, fabsl(exact - x[i]));
    }
    long double truth = weighted(n, t->inverse, transposed, w) / largest(n, x);
    double tolerance = t->backward * (double)(weighted(n, t->missed, transposed, w) / largest(n, x) / truth);
    check_estimate("forward error", name, found, truth, tolerance, 3.0);
    for (int32_t i = 0; i < n; i++) w[i] = fabsl((long double)b[i]);
    error = error / largest(n, x) - ORACLE * n * LDBL_EPSILON * weighted(n, t->missed, transposed, w) / largest(n, x);
    CHECK_SAY(tolerance > 1e-2 || (double)error <= 3.0 * found, "%s: error %Lg, bound %g", name, error, found);
    free(w);
}

/* ---------------------------------------------------------- random matrices */

typedef struct subject {
    const char *name;
    warplu_solver *solver;
    const double *values; /* as the solver takes them */
    const double *dense;
    int32_t n;
} subject;

static void check_errors(const subject *t, const oracle *truth, uint64_t *seed)
{
    int32_t n = t->n;
    double found = -1.0, *x = malloc((size_t)n * sizeof *x), *b = malloc((size_t)n * sizeof *b);
    for (int transposed = 0; transposed <= 1; transposed++) {
        for (int32_t i = 0; i < n; i++) b[i] = check_uniform(seed) - 0.5;
        warplu_status status =
            transposed ? warplu_solve_transposed(t->solver, 1, b, n, x, n) : warplu_solve(t->solver, 1, b, n, x, n);
        CHECK(status == WARPLU_SUCCESS || status == WARPLU_UNCHECKED);
        for (int spoilt = 0; spoilt <= 1; spoilt++) { /* as it comes from a solve, and with errors of its own */
            for (int32_t i = 0; i < n && spoilt; i++) x[i] *= 1.0 + 1e-6 * (check_uniform(seed) - 0.5);
            CHECK(warplu_bound_forward_error(t->solver, transposed, t->values, 1, b, n, x, n, &found) ==
                  WARPLU_SUCCESS);
            check_forward(truth, t->name, transposed, b, x, found);
        }
    }
    free(x);
    free(b);
}

static void check_conditions(const subject *t, const parts *p, uint64_t *seed)
{
    oracle truth;
    int32_t n = t->n;
    double found = -1.0, mantissa = -1.0, *x = malloc((size_t)n * sizeof *x);
    int64_t exponent = -1;
    if (open_oracle(&truth, n, t->dense, p)) {
        CHECK(warplu_estimate_condition(t->solver, t->values, &found) == WARPLU_SUCCESS);
        check_condition(&truth, t->name, found);
        CHECK(warplu_estimate_skeel_condition(t->solver, t->values, NULL, &found) == WARPLU_SUCCESS);
        check_skeel(&truth, t->name, NULL, found);
        for (int32_t i = 0; i < n; i++) x[i] = (check_uniform(seed) - 0.5) * pow(10.0, 4.0 * check_uniform(seed));
        CHECK(warplu_estimate_skeel_condition(t->solver, t->values, x, &found) == WARPLU_SUCCESS);
        check_skeel(&truth, t->name, x, found);
        check_errors(t, &truth, seed);
        CHECK(warplu_compute_determinant(t->solver, &mantissa, &exponent) == WARPLU_SUCCESS);
        CHECK(fabs(mantissa) >= 0.5 && fabs(mantissa) < 1.0);
        double ratio = (double)(ldexpl(mantissa, (int)(exponent - truth.exponent)) / truth.mantissa);
        CHECK_SAY(fabs(ratio - 1.0) <= 8.0 * truth.backward * (double)truth.trace,
                  "%s: determinant %g 2^%lld, should be %Lg 2^%lld", t->name, mantissa, (long long)exponent,
                  truth.mantissa, (long long)truth.exponent);
    }
    close_oracle(&truth);
    free(x);
}

static int weaker(const void *a, const void *b)
{
    const warplu_pivot *x = a, *y = b;
    if (x->ratio != y->ratio) return x->ratio < y->ratio ? -1 : 1;
    return x->position < y->position ? -1 : 1;
}

/* Every pivot by brute force from the extracted factors; then growth, and lists of some lengths. */
static void check_pivots(const subject *t, const parts *p)
{
    int32_t n = t->n, count = -1, *of = blocks_of(&p->v);
    warplu_pivot *all = malloc((size_t)n * sizeof *all), *list = calloc((size_t)n + 1, sizeof *list);
    double growth = 1.0, found = -1.0;
    for (int32_t k = 0; k < n; k++) {
        double amax = 0.0, umax = 0.0;
        int32_t col = p->v.Q[k];
        for (int32_t i = p->v.block[of[k]]; i < n; i++)
            amax = fmax(amax, fabs(AT(t->dense, p->v.P[i], col) * p->v.R[p->v.P[i]] * p->v.C[col]));
        for (int32_t i = 0; i <= k; i++) umax = fmax(umax, (double)fabsl(AT(p->u, i, k)));
        growth = fmin(growth, amax / umax);
        double u = (double)AT(p->u, k, k);
        all[k] = (warplu_pivot){p->v.P[k], col, k, of[k], u, u == 0.0 ? 0.0 : fabs(u) / amax, 0.0};
    }
    CHECK(warplu_compute_pivot_growth(t->solver, t->values, &found) == WARPLU_SUCCESS);
    CHECK_SAY(found == growth, "%s: growth %.17g, should be %.17g", t->name, found, growth);
    qsort(all, (size_t)n, sizeof *all, weaker);
    for (int32_t capacity = 0; capacity <= n; capacity += n / 3 + 1)
        for (int part = 0; part <= 2; part++) {
            double threshold = part == 0 ? INFINITY : part == 1 ? all[n / 2].ratio : all[0].ratio / 2.0;
            int32_t expected = 0;
            while (expected < n && all[expected].ratio <= threshold) expected++;
            memset(list, -1, ((size_t)n + 1) * sizeof *list);
            CHECK(warplu_list_pivots(t->solver, t->values, threshold, capacity, list, &count) == WARPLU_SUCCESS);
            CHECK_SAY(count == expected, "%s: %d weak pivots, should be %d", t->name, count, expected);
            int32_t written = count < capacity ? count : capacity;
            CHECK(memcmp(list, all, (size_t)written * sizeof *list) == 0);
            CHECK(list[written].row == -1);
        }
    free(all);
    free(list);
    free(of);
}

/* The diagonal of U bit by bit, and its extremes, together and each alone. */
static void check_diagonal(const subject *t, const parts *p)
{
    int32_t n = t->n;
    double *diagonal = malloc((size_t)n * sizeof *diagonal), smallest = -1.0, largest = -1.0, found[2], low = INFINITY,
           high = 0.0;
    CHECK(warplu_extract_diagonal(t->solver, diagonal, &smallest, &largest) == WARPLU_SUCCESS);
    for (int32_t k = 0; k < n; k++) {
        double u = p->v.Ux[p->v.Up[k + 1] - 1];
        CHECK_SAY(memcmp(&u, diagonal + k, sizeof u) == 0, "%s: pivot %d is %g, not %g", t->name, k, diagonal[k], u);
        low = fmin(low, fabs(u));
        high = fmax(high, fabs(u));
    }
    CHECK_SAY(smallest == low && largest == high, "%s: pivots from %g to %g, not from %g to %g", t->name, smallest,
              largest, low, high);
    CHECK(warplu_extract_diagonal(t->solver, NULL, found, NULL) == WARPLU_SUCCESS && found[0] == low);
    CHECK(warplu_extract_diagonal(t->solver, NULL, NULL, found + 1) == WARPLU_SUCCESS && found[1] == high);
    warplu_statistics told = {.size = sizeof told};
    CHECK(warplu_get_statistics(t->solver, &told) == WARPLU_SUCCESS);
    CHECK_SAY(told.largest_pivot == high, "%s: largest pivot %g, not %g", t->name, told.largest_pivot, high);
    CHECK_SAY(fabs(told.smallest_pivot - low) <= 1e-15 * low, "%s: smallest pivot %g, not %g", t->name,
              told.smallest_pivot, low);
    free(diagonal);
}

/* Each row and column once, A zero-free on the diagonal and below the diagonal blocks zero. */
static void check_order(const subject *t)
{
    int32_t n = t->n, blocks = 0, *P = malloc((3 * (size_t)n + 1) * sizeof *P), *Q = P + n, *block = Q + n;
    char *seen = calloc(2 * (size_t)n, 1);
    CHECK(warplu_extract_order(t->solver, P, Q, block, &blocks) == WARPLU_SUCCESS);
    CHECK(blocks >= 1 && block[0] == 0 && block[blocks] == n);
    for (int32_t k = 0; k < n; k++) seen[P[k]] = seen[n + Q[k]] = 1;
    for (int32_t k = 0; k < 2 * n; k++) CHECK(seen[k]);
    for (int32_t b = 0; b < blocks; b++)
        for (int32_t k = block[b]; k < block[b + 1]; k++)
            for (int32_t i = block[b + 1]; i < n; i++)
                CHECK_SAY(t->dense[(size_t)Q[k] * (size_t)n + (size_t)P[i]] == 0.0, "%s: (%d, %d)", t->name, i, k);
    CHECK(warplu_extract_order(t->solver, NULL, Q, NULL, NULL) == WARPLU_SUCCESS);
    free(P);
    free(seen);
}

static void check_subject(const subject *t, uint64_t *seed)
{
    parts p;
    take_parts(t->solver, &p);
    check_parts(&p, t->dense, t->name);
    check_pivots(t, &p);
    check_diagonal(t, &p);
    check_conditions(t, &p, seed);
    free_parts(&p);
    check_order(t);
}

static int held_by_program, held_by_factors;

/* Rows and columns times powers of two from 2^-reach to 2^reach. */
static void scale_badly(test_matrix *m, uint64_t *seed, int reach)
{
    int *row = malloc((size_t)m->n * sizeof *row);
    for (int32_t i = 0; i < m->n; i++) row[i] = check_below(seed, 2 * reach + 1) - reach;
    for (int32_t j = 0; j < m->n; j++) {
        int col = check_below(seed, 2 * reach + 1) - reach;
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) m->x[q] = ldexp(m->x[q], row[m->idx[q]] + col);
    }
    free(row);
}

static void check_one_random(uint64_t *seed, const test_recipe *r, const warplu_options *o, int reach, const char *name)
{
    test_matrix m, csr;
    test_matrix_random(&m, seed, r);
    scale_badly(&m, seed, reach);
    test_matrix_to_csr(&m, &csr, NULL);
    int by_rows = o->storage == WARPLU_STORAGE_CSR;
    test_matrix *given = by_rows ? &csr : &m;
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, m.n, given->ptr, given->idx, given->nnz % 2 ? given->x : NULL) == WARPLU_SUCCESS);
    for (int round = 0; round < 3; round++) {
        warplu_status status = round == 0 ? warplu_factor(s, given->x) : warplu_refactor(s, given->x);
        CHECK(status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED);
        if (status < 0) break;
        held_by_program += s->current.state != NULL;
        held_by_factors += s->current.state == NULL;
        double *dense = test_matrix_dense(given);
        for (int32_t j = 0; j < m.n && by_rows; j++)
            for (int32_t i = 0; i < j; i++) {
                double above = dense[(size_t)j * (size_t)m.n + (size_t)i];
                dense[(size_t)j * (size_t)m.n + (size_t)i] = dense[(size_t)i * (size_t)m.n + (size_t)j];
                dense[(size_t)i * (size_t)m.n + (size_t)j] = above;
            }
        subject t = {.name = name, .solver = s, .values = given->x, .dense = dense, .n = m.n};
        check_subject(&t, seed);
        free(dense);
        test_matrix_vary(given, seed, 0.05);
    }
    warplu_destroy(&s);
    test_matrix_free(&m);
    test_matrix_free(&csr);
}

/* The same after a replay and in a clone, another where pivots are chosen again. */
static void numbers_tell_pivots_apart(void)
{
    static const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
    static const double even[] = {2.0, 1.0, 1.0, 2.0}, turned[] = {0.0, 1.0, 1.0, 0.0};
    int64_t first = 0, replayed = 0, cloned = 0, other = 0;
    warplu_solver *s = NULL, *clone = NULL;
    CHECK(warplu_create(&s, NULL) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr, idx, even) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, even) == WARPLU_SUCCESS && warplu_get_pivots_number(s, &first) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s, even) == WARPLU_SUCCESS && warplu_get_pivots_number(s, &replayed) == WARPLU_SUCCESS);
    CHECK(warplu_clone(&clone, s) == WARPLU_SUCCESS && warplu_refactor(clone, even) == WARPLU_SUCCESS);
    CHECK(warplu_get_pivots_number(clone, &cloned) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s, turned) == WARPLU_REPIVOTED && warplu_get_pivots_number(s, &other) == WARPLU_SUCCESS);
    CHECK(first > 0 && replayed == first && cloned == first && other != first);
    warplu_destroy(&s);
    warplu_destroy(&clone);
}

static void random_matrices(void)
{
    uint64_t seed = 271828;
    printf("# seed %llu\n", (unsigned long long)seed);
    worst_ratio = 1.0;
    asked = sharp = held_by_program = held_by_factors = 0;
    for (int k = 0; k < 300; k++) {
        test_recipe r = test_recipe_random(&seed, 30);
        char name[80];
        int before = check_failures;
        warplu_options o;
        check_init_options(&o);
        o.storage = check_below(&seed, 2) ? WARPLU_STORAGE_CSR : WARPLU_STORAGE_CSC;
        o.scaling = (warplu_scaling)check_below(&seed, 3);
        o.btf = check_below(&seed, 4) != 0;
        if (check_below(&seed, 2)) o.expected_refactors = 1; /* not compiled at once */
        o.executor = check_below(&seed, 2) ? WARPLU_EXECUTOR_REFERENCE : WARPLU_EXECUTOR_CPU;
        int reach = o.scaling != WARPLU_SCALING_NONE && check_below(&seed, 3) == 0 ? 100 : 0;
        snprintf(name, sizeof name, "try %d: %s, n = %d, reach %d", k, test_shape_name(r.shape), r.n, reach);
        if (!check_due()) continue;
        check_one_random(&seed, &r, &o, reach, name);
        if (check_failures > before) printf("#   in %s\n", name);
    }
    const int least = 200 / check_every();
    printf("# %d estimates, %d of them sharp and at least %.3f of the truth\n", asked, sharp, worst_ratio);
    printf("# %d times a program held the factors, %d times pivoting's own arrays\n", held_by_program, held_by_factors);
    CHECK(sharp > 0.8 * asked && held_by_program > least && held_by_factors > least);
}

/* First values of the same pattern, at an end of the range: all of them, every third row, or every third column. */
static double *extreme_values(const test_matrix *m, int which, int power)
{
    double *x = malloc((size_t)m->nnz * sizeof *x);
    for (int32_t j = 0; j < m->n; j++)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            int moves = which == 0 || (which == 1 ? m->idx[q] : j) % 3 == 0;
            x[q] = moves ? ldexp(m->x[q], power) : m->x[q];
        }
    return x;
}

/* Condition numbers of ordinary values, and bounds of the error of a solution with a small one, in scales of the first.
 * What right-hand sides become in these is at the end of the range. */
static void check_frozen_scales(const test_matrix *m, const warplu_options *o, int which, int power, uint64_t *seed)
{
    int32_t n = m->n;
    double found = -1.0, *first = extreme_values(m, which, power), *dense = test_matrix_dense(m);
    double *x = malloc(2 * (size_t)n * sizeof *x), *b = x + n;
    char name[80];
    warplu_solver *s = NULL;
    parts p;
    oracle truth;
    snprintf(name, sizeof name, "n = %d, 2^%d of kind %d", n, power, which);
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS && warplu_analyze(s, n, m->ptr, m->idx, first) == WARPLU_SUCCESS);
    warplu_status status = warplu_factor(s, first);
    CHECK(status == WARPLU_SUCCESS || status == WARPLU_NOT_FINITE); /* reciprocals of denormal pivots overflow */
    status = warplu_refactor(s, m->x);
    CHECK_SAY(status >= 0, "%s: %s", name, warplu_status_name(status));
    take_parts(s, &p);
    if (open_oracle(&truth, n, dense, &p)) {
        CHECK(warplu_estimate_condition(s, m->x, &found) == WARPLU_SUCCESS);
        check_condition(&truth, name, found);
        CHECK(warplu_estimate_skeel_condition(s, m->x, NULL, &found) == WARPLU_SUCCESS);
        check_skeel(&truth, name, NULL, found);
        for (int32_t i = 0; i < n; i++) x[i] = check_uniform(seed) + 0.5;
        CHECK(warplu_estimate_skeel_condition(s, m->x, x, &found) == WARPLU_SUCCESS);
        check_skeel(&truth, name, x, found);
        for (int transposed = 0; transposed <= 1; transposed++) {
            for (int32_t i = 0; i < n; i++) b[i] = 0.0;
            for (int32_t j = 0; j < n; j++)
                for (int32_t i = 0; i < n; i++) b[transposed ? j : i] += AT(dense, i, j) * x[transposed ? i : j];
            for (int32_t i = 0; i < n; i++) b[i] *= 1.0 + 1e-3 * check_uniform(seed);
            CHECK(warplu_bound_forward_error(s, transposed, m->x, 1, b, n, x, n, &found) == WARPLU_SUCCESS);
            check_forward(&truth, name, transposed, b, x, found);
        }
        close_oracle(&truth);
    }
    free_parts(&p);
    warplu_destroy(&s);
    free(dense);
    free(first);
    free(x);
}

static void conditions_by_scales_of_extreme_values(void)
{
    static const int powers[] = {-1030, -1022, -900, 900, 1000};
    uint64_t seed = 161803;
    for (int k = 0; k < 120; k++) {
        test_recipe r = test_recipe_random(&seed, 20);
        test_matrix m;
        warplu_options o;
        check_init_options(&o);
        o.scaling = k % 4 == 0 ? WARPLU_SCALING_SUM : WARPLU_SCALING_MAX;
        if (k % 2) o.expected_refactors = 1; /* by columns */
        r.weak_diagonal = 0;
        test_matrix_random(&m, &seed, &r);
        check_frozen_scales(&m, &o, k % 3, powers[k % 5], &seed);
        test_matrix_free(&m);
    }
}

/* A program that has to be small keeps its pivots in a TILE region. */
static void columns_of_a_small_program(void)
{
    uint64_t seed = 8;
    const test_recipe dense = {.shape = TEST_DENSE, .n = 40}, blocks = {.shape = TEST_BLOCKS, .n = 60};
    warplu_options o;
    check_init_options(&o);
    o.max_program_bytes = 60000;
    check_one_random(&seed, &dense, &o, 0, "columns");
    check_one_random(&seed, &blocks, &o, 20, "columns and blocks");
    warplu_statistics t = {.size = sizeof t};
    test_matrix m;
    test_matrix_random(&m, &seed, &dense);
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, m.n, m.ptr, m.idx, m.x) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && warplu_refactor(s, m.x) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS);
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS);
    CHECK_SAY(t.tile_pivots > 0, "no tiled pivots");
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* Views of a program's slots, DOT, mixed and TILE, against the same slots read one by one and against the
 * factors that pivoting left. */
static void views_of_every_region(void)
{
    uint64_t seed = 161803;
    int tiled = 0;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 120; k++) {
        test_recipe r = test_recipe_random(&seed, 30);
        test_matrix m;
        test_build b;
        warplu_options o;
        check_init_options(&o);
        test_matrix_random(&m, &seed, &r);
        CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
        wlu_numeric left = wlu_numeric_of_factors(b.pivots, b.factors);
        for (int region = 0; region < TEST_REGIONS; region++) {
            wlu_cost cost = test_region_cost((test_region)region);
            const wlu_target target = {.executor = &wlu_executor_cpu};
            wlu_image *image = NULL;
            wlu_state *state = NULL;
            wlu_factors *copy = NULL;
            wlu_slots slots;
            CHECK(test_build_program(&b, &cost) == WARPLU_SUCCESS);
            CHECK(wlu_image_load(&b.ctx, &target, b.program, &image) == WARPLU_SUCCESS);
            CHECK(wlu_state_create(&b.ctx, image, 1, NULL, &state) == WARPLU_SUCCESS);
            tiled += wlu_lu_of(b.program)->tiles.m > 0;
            CHECK(wlu_state_refactor(&b.ctx, state, m.x) == WARPLU_SUCCESS);
            CHECK(wlu_state_fetch(&b.ctx, state, 0, &slots) == WARPLU_SUCCESS);
            wlu_numeric v = wlu_numeric_of_slots(b.pivots, b.program, &slots);
            CHECK(wlu_numeric_copy(&b.ctx, &v, &copy) == WARPLU_SUCCESS);
            double *lu = test_factors(&b, slots.v, b.program->slot);
            const wlu_pivots *p = b.pivots;
            int32_t n = p->n;
            double worst = 0.0;
            for (int32_t j = 0; j < n; j++) {
                CHECK(AT(lu, j, j) == *wlu_numbers_real(v.pivot, j) && AT(lu, j, j) == copy->pivot[j]);
                worst = fmax(worst, fabs(AT(lu, j, j) / *wlu_numbers_real(left.pivot, j) - 1.0));
                for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++)
                    CHECK(AT(lu, p->li[q], j) == *wlu_numbers_real(v.l, q) && copy->lx[q] == *wlu_numbers_real(v.l, q));
                for (int64_t q = p->up[j]; q < p->up[j + 1]; q++)
                    CHECK(AT(lu, p->ui[q], j) == *wlu_numbers_real(v.u, q) && copy->ux[q] == *wlu_numbers_real(v.u, q));
                for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++)
                    CHECK(copy->fx[q] == *wlu_numbers_real(v.f, q) &&
                          *wlu_numbers_real(left.f, q) == *wlu_numbers_real(v.f, q));
            }
            CHECK_SAY(worst <= 1e-8, "%s, region %d: pivots differ by %g", test_shape_name(r.shape), region, worst);
            free(lu);
            wlu_factors_destroy(&b.ctx, &copy);
            wlu_state_destroy(&b.ctx, &state);
            wlu_image_destroy(&b.ctx, &image);
        }
        test_build_free(&b);
        test_matrix_free(&m);
    }
    CHECK_SAY(tiled > 100, "%d programs with tiled pivots", tiled);
}

/* ---------------------------------------------------------------- by hand */

static warplu_solver *make_dense(int32_t n, const double *a, test_matrix *m)
{
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    test_matrix_from_dense(m, n, a);
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, n, m->ptr, m->idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, m->x) >= 0);
    return s;
}

static void known_numbers(void)
{
    /* [1 2; 3 4]: inverse [-2 1; 1.5 -.5]; 6 * 3.5; |A^-1||A| = [5 8; 3 5]; det -2 */
    const double a[] = {1, 3, 2, 4}, x[] = {1, 0}, zero[] = {0, 0}, b[] = {1, 3};
    double found, mantissa;
    int64_t exponent;
    test_matrix m;
    warplu_solver *s = make_dense(2, a, &m);
    CHECK(warplu_estimate_condition(s, m.x, &found) == WARPLU_SUCCESS);
    CHECK_SAY(fabs(found - 21.0) < 1e-13, "%.17g", found);
    CHECK(warplu_estimate_skeel_condition(s, m.x, NULL, &found) == WARPLU_SUCCESS);
    CHECK_SAY(fabs(found - 13.0) < 1e-13, "%.17g", found);
    CHECK(warplu_estimate_skeel_condition(s, m.x, x, &found) == WARPLU_SUCCESS);
    CHECK_SAY(fabs(found - 5.0) < 1e-13, "%.17g", found);
    CHECK(warplu_estimate_skeel_condition(s, m.x, zero, &found) == WARPLU_SUCCESS && found == 0.0);
    CHECK(warplu_compute_determinant(s, &mantissa, &exponent) == WARPLU_SUCCESS);
    CHECK_SAY(fabs(ldexp(mantissa, (int)exponent) + 2.0) < 1e-15, "%g 2^%lld", mantissa, (long long)exponent);
    /* x is right, r = 0: 3 u (|A||x| + |b|) = u (6, 18), times |A^-1| */
    CHECK(warplu_bound_forward_error(s, 0, m.x, 1, b, 2, x, 2, &found) == WARPLU_SUCCESS);
    CHECK_SAY(fabs(found / (30.0 * DBL_EPSILON / 2.0) - 1.0) < 1e-12, "%g", found);
    CHECK(warplu_bound_forward_error(s, 0, m.x, 1, zero, 2, zero, 2, &found) == WARPLU_SUCCESS && found == 0.0);
    CHECK(warplu_bound_forward_error(s, 0, m.x, 1, b, 2, zero, 2, &found) == WARPLU_SUCCESS && isinf(found));
    CHECK(warplu_bound_forward_error(s, 0, m.x, 0, NULL, 2, NULL, 2, &found) == WARPLU_SUCCESS && found == 0.0);
    const double two[] = {1, 3, NAN, 3}, xs[] = {1, 0, 1, 0}, poor[] = {NAN, 0};
    CHECK(warplu_bound_forward_error(s, 0, m.x, 2, two, 2, xs, 2, &found) == WARPLU_SUCCESS && isnan(found));
    CHECK(warplu_bound_forward_error(s, 0, m.x, 1, b, 2, poor, 2, &found) == WARPLU_SUCCESS && isnan(found));
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* Of order n: cond_1 of the identity, of a tiny and a huge multiple of it, of diag(1, 10^-k). */
static void conditions_without_overflow(void)
{
    const double scales[] = {1.0, 1e-300, 1e300, 0x1p-1000, 0x1p1000};
    double found, mantissa;
    int64_t exponent;
    test_matrix m;
    for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
        double a[16] = {0};
        for (int i = 0; i < 4; i++) a[5 * i] = scales[k];
        warplu_solver *s = make_dense(4, a, &m);
        CHECK(warplu_estimate_condition(s, m.x, &found) == WARPLU_SUCCESS && fabs(found - 1.0) < 1e-15);
        CHECK(warplu_estimate_skeel_condition(s, m.x, NULL, &found) == WARPLU_SUCCESS && fabs(found - 1.0) < 1e-15);
        CHECK(warplu_compute_determinant(s, &mantissa, &exponent) == WARPLU_SUCCESS);
        int e;
        double f = frexp(frexp(scales[k], &e) * frexp(scales[k], &e), &e);
        CHECK(fabs(frexp(f * f, &e) - mantissa) < 1e-15);
        warplu_destroy(&s);
        test_matrix_free(&m);
    }
    for (int k = 10; k <= 600; k += 10) {
        const double a[] = {k > 300 ? 1e300 : 1.0, 0, 0, pow(10.0, k > 300 ? 300 - k : -k)};
        warplu_solver *s = make_dense(2, a, &m);
        CHECK(warplu_estimate_condition(s, m.x, &found) == WARPLU_SUCCESS);
        CHECK_SAY(k > 308 ? isinf(found) : fabs(found / pow(10.0, k) - 1.0) < 1e-12, "1e%d: %g", k, found);
        CHECK(warplu_estimate_skeel_condition(s, m.x, NULL, &found) == WARPLU_SUCCESS && fabs(found - 1.0) < 1e-15);
        warplu_destroy(&s);
        test_matrix_free(&m);
    }
}

/* n = 10^6: the determinant of a permuted diagonal, far outside any exponent, sign included. */
static void determinants_do_not_overflow(void)
{
    enum { MOST = 1000000 };
    const int32_t n = check_every() > 1 ? MOST / 10 : MOST;
    int32_t *ptr = malloc((MOST + 1) * sizeof *ptr), *idx = malloc(MOST * sizeof *idx);
    double *x = malloc(MOST * sizeof *x), mantissa;
    int64_t exponent;
    for (int big = 0; big <= 1; big++)
        for (int32_t shift = 1; shift <= 2; shift++) {
            for (int32_t j = 0; j <= n; j++) ptr[j] = j;
            for (int32_t j = 0; j < n; j++) {
                idx[j] = (j + shift) % n;
                x[j] = big ? 0x1.8p900 : -0x1p-1060;
            }
            warplu_solver *s = NULL;
            CHECK(check_create(&s) == WARPLU_SUCCESS && warplu_analyze(s, n, ptr, idx, x) == WARPLU_SUCCESS);
            CHECK(warplu_factor(s, x) >= 0);
            CHECK(warplu_compute_determinant(s, &mantissa, &exponent) == WARPLU_SUCCESS);
            /* a shift by one is a cycle of even length: odd; by two, two of them: even */
            double power = n * (big ? 900.0 + log2(1.5) : -1060.0);
            CHECK_SAY((mantissa < 0) == (shift == 1) && fabs((double)exponent + log2(fabs(mantissa)) - power) < 1e-3,
                      "%g 2^%lld, should be 2^%.3f", mantissa, (long long)exponent, power);
            warplu_destroy(&s);
        }
    free(ptr);
    free(idx);
    free(x);
}

/* Wilkinson's matrix, where elimination without exchanges doubles the last column n - 1 times. */
static void growth_of_wilkinson(void)
{
    enum { N = 12 };
    double a[N * N], found;
    test_matrix m;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) a[j * N + i] = j == N - 1 || i == j ? 1.0 : i > j ? -1.0 : 0.0;
    warplu_solver *s = make_dense(N, a, &m);
    CHECK(warplu_compute_pivot_growth(s, m.x, &found) == WARPLU_SUCCESS);
    CHECK_SAY(found == ldexp(1.0, -(N - 1)), "%g", found);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* Row 3 is row 1 plus 1e-12 of column 2: the weak pivot is in column 2, the last that is eliminated. */
static void weak_pivots_have_a_place(void)
{
    const double a[] = {4, 1, 0, 4, 1, 5, 1, 1, 0, 1, 3, 1e-12, 2, 0, 1, 2};
    double found;
    int32_t count;
    warplu_pivot list[4];
    test_matrix m;
    warplu_solver *s = make_dense(4, a, &m);
    CHECK(warplu_list_pivots(s, m.x, 1e-8, 4, list, &count) == WARPLU_SUCCESS);
    CHECK_SAY(count == 1 && list[0].col == 3 && list[0].position == 3 && list[0].ratio < 1e-11, "%d, column %d", count,
              list[0].col);
    CHECK(warplu_estimate_condition(s, m.x, &found) == WARPLU_SUCCESS && found > 1e11 && found < 1e14);
    CHECK(warplu_list_pivots(s, m.x, 0.0, 0, NULL, &count) == WARPLU_SUCCESS && count == 0);
    CHECK(warplu_list_pivots(s, m.x, INFINITY, 0, NULL, &count) == WARPLU_SUCCESS && count == 4);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* Without any check, factors may hold a zero pivot, or numbers that are none. */
static void factors_that_failed_unnoticed(void)
{
    const double good[] = {1, 1, 1, 2}, last[] = {1, 1, 1, 1}, first[] = {0, 1, 1, 2};
    const double nothing[] = {1, 1, 0, 0};
    const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
    double found, mantissa, smallest, largest, diagonal[2];
    int64_t exponent;
    int32_t count;
    warplu_pivot list[2];
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.check = WARPLU_CHECK_OFF;
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.btf = 0;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr, idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && warplu_refactor(s, last) == WARPLU_SUCCESS);
    CHECK(warplu_compute_determinant(s, &mantissa, &exponent) == WARPLU_SUCCESS && mantissa == 0.0 && exponent == 0);
    CHECK(warplu_estimate_condition(s, last, &found) == WARPLU_SUCCESS && isinf(found));
    CHECK(warplu_estimate_skeel_condition(s, last, NULL, &found) == WARPLU_SUCCESS && isinf(found));
    CHECK(warplu_list_pivots(s, last, 0.0, 2, list, &count) == WARPLU_SUCCESS && count == 1);
    CHECK(list[0].position == 1 && list[0].value == 0.0 && list[0].ratio == 0.0);
    CHECK(warplu_compute_pivot_growth(s, last, &found) == WARPLU_SUCCESS && found == 1.0);
    CHECK(warplu_extract_diagonal(s, diagonal, &smallest, &largest) == WARPLU_SUCCESS);
    CHECK(smallest == 0.0 && largest == fabs(diagonal[0]) && diagonal[0] != 0.0 && diagonal[1] == 0.0);
    CHECK(warplu_refactor(s, first) == WARPLU_SUCCESS);
    CHECK(warplu_compute_determinant(s, &mantissa, &exponent) == WARPLU_NOT_FINITE);
    CHECK(warplu_extract_diagonal(s, diagonal, &smallest, &largest) == WARPLU_SUCCESS && !isfinite(diagonal[1]));
    CHECK(isnan(diagonal[1]) ? isnan(smallest) && isnan(largest) : largest == INFINITY);
    warplu_statistics told = {.size = sizeof told};
    CHECK(warplu_get_statistics(s, &told) == WARPLU_SUCCESS);
    CHECK(isnan(largest) ? isnan(told.largest_pivot) : told.largest_pivot == largest);
    CHECK(warplu_estimate_condition(s, first, &found) == WARPLU_SUCCESS && isinf(found));
    CHECK(warplu_compute_pivot_growth(s, first, &found) == WARPLU_SUCCESS && found == 0.0);
    CHECK(warplu_list_pivots(s, first, 0.0, 2, list, &count) == WARPLU_SUCCESS && count >= 1);
    CHECK(warplu_refactor(s, nothing) == WARPLU_SUCCESS);
    CHECK(warplu_list_pivots(s, nothing, 0.0, 2, list, &count) == WARPLU_SUCCESS && count == 1);
    CHECK(list[0].col == 1 && list[0].ratio == 0.0);
    warplu_destroy(&s);
}

/* L overflows, U does not. */
static void overflow_of_l_alone(void)
{
    const double good[] = {1, 1, 1}, steep[] = {1e-200, 1e200, 1};
    const int32_t ptr[] = {0, 2, 3}, idx[] = {0, 1, 1};
    double found = -1.0;
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.check = WARPLU_CHECK_OFF;
    o.scaling = WARPLU_SCALING_NONE;
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.btf = 0;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr, idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && warplu_refactor(s, steep) == WARPLU_SUCCESS);
    CHECK(warplu_compute_pivot_growth(s, steep, &found) == WARPLU_SUCCESS && found == 0.0);
    CHECK(warplu_estimate_condition(s, steep, &found) == WARPLU_SUCCESS && isinf(found));
    warplu_destroy(&s);
}

enum { BLIND = 9 };

typedef struct product_counter {
    double w[BLIND], theta;
    int products, spoilt; /* the product that gives a NaN */
} product_counter;

/* x += theta w w' x: symmetric. */
static void apply_blind(void *user, int transposed, double *x)
{
    product_counter *c = user;
    double sum = 0.0;
    (void)transposed;
    for (int i = 0; i < BLIND; i++) sum += c->w[i] * x[i];
    for (int i = 0; i < BLIND; i++) x[i] += c->theta * c->w[i] * sum;
    if (++c->products == c->spoilt) x[BLIND / 2] = NAN;
}

/* I + theta w w' with w orthogonal to (1, ..., 1) and to the first unit vector looks like I to Hager's steps; the
 * vector of alternating signs sees it. */
static void blind_spots_of_the_estimator(void)
{
    product_counter c = {.w = {[1] = 1.0, [2] = -1.0}, .theta = 1e6};
    double work[2 * BLIND], found = wlu_estimate_norm(BLIND, 1, apply_blind, &c, work), truth = 1.0 + 2e6;
    CHECK_SAY(found >= 0.1 * truth && found <= truth, "%g of %g", found, truth);
    CHECK_SAY(c.products <= 12, "%d products", c.products);
    for (int k = 1, all = c.products; k <= all; k++) {
        c.products = 0;
        c.spoilt = k;
        found = wlu_estimate_norm(BLIND, 1, apply_blind, &c, work);
        CHECK_SAY(isinf(found) && found > 0.0, "product %d not finite: %g", k, found);
    }
}

/* ------------------------------------------------------------ the contract */

enum {
    CONDITION,
    SKEEL,
    SKEEL_X,
    FORWARD,
    FORWARD_TRANSPOSED,
    GROWTH,
    DETERMINANT,
    LIST,
    DIAGONAL,
    EXTRACT,
    QUESTIONS
};

static const char *const question_names[QUESTIONS] = {
    "condition", "cond(A)",     "cond(A, x)", "forward error", "transposed forward error",
    "growth",    "determinant", "list",       "diagonal",      "extract"};

enum { MOST = 64 };

typedef struct answer {
    double number[4];
    warplu_pivot list[MOST];
    double l[MOST * MOST], u[MOST * MOST];
} answer;

static warplu_status ask(warplu_solver *s, int question, const test_matrix *m, const double *b, answer *out)
{
    int32_t n = m->n, count = -7;
    int64_t exponent = -7;
    warplu_status status;
    warplu_factors_view v = {.size = sizeof v, .Lx = out->l, .Ux = out->u};
    switch (question) {
    case CONDITION: return warplu_estimate_condition(s, m->x, out->number);
    case SKEEL: return warplu_estimate_skeel_condition(s, m->x, NULL, out->number);
    case SKEEL_X: return warplu_estimate_skeel_condition(s, m->x, b, out->number);
    case FORWARD: return warplu_bound_forward_error(s, 0, m->x, 1, b, n, b, n, out->number);
    case FORWARD_TRANSPOSED: return warplu_bound_forward_error(s, 1, m->x, 1, b, n, b, n, out->number);
    case GROWTH: return warplu_compute_pivot_growth(s, m->x, out->number);
    case DETERMINANT:
        status = warplu_compute_determinant(s, out->number, &exponent);
        if (status >= 0) out->number[1] = (double)exponent;
        CHECK(status >= 0 || exponent == -7);
        return status;
    case LIST:
        status = warplu_list_pivots(s, m->x, 0.9, MOST, out->list, &count);
        if (status >= 0) out->number[0] = count;
        CHECK(status >= 0 || count == -7);
        return status;
    case DIAGONAL: return warplu_extract_diagonal(s, out->u, out->number, out->number + 1);
    default: return warplu_extract_factors(s, &v);
    }
}

typedef struct session {
    test_matrix m;
    test_allocator memory;
    warplu_options options;
    warplu_solver *solver;
    double b[MOST], x[MOST];
} session;

static void open_session(session *s, test_shape shape, int64_t max_program_bytes, int replays)
{
    uint64_t seed = 99;
    const test_recipe r = {.shape = shape, .n = 40, .duplicates = shape == TEST_BLOCKS};
    memset(s, 0, sizeof *s);
    test_matrix_random(&s->m, &seed, &r);
    for (int32_t i = 0; i < s->m.n; i++) s->b[i] = check_uniform(&seed) - 0.5;
    check_init_options(&s->options);
    if (max_program_bytes > 0) s->options.max_program_bytes = max_program_bytes;
    if (replays == 0) s->options.expected_refactors = 1; /* the factors that pivoting left answer */
    test_use_allocator(&s->options, &s->memory);
    CHECK(warplu_create(&s->solver, &s->options) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s->solver, s->m.n, s->m.ptr, s->m.idx, s->m.x) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s->solver, s->m.x) == WARPLU_SUCCESS);
    for (int k = 0; k < replays; k++) CHECK(warplu_refactor(s->solver, s->m.x) == WARPLU_SUCCESS);
    CHECK((s->solver->current.state != NULL) == (replays > 0));
}

static void close_session(session *s)
{
    warplu_destroy(&s->solver);
    CHECK_SAY(s->memory.alive == 0, "%lld blocks leak", (long long)s->memory.alive);
    test_matrix_free(&s->m);
}

/* Asking leaves statistics and solutions as they are, to the bit. */
static void asking_changes_nothing(void)
{
    for (int replays = 0; replays <= 3; replays++) {
        session s;
        static answer out;
        double before[MOST], x[MOST];
        warplu_statistics t = {.size = sizeof t}, u = t;
        open_session(&s, TEST_BLOCKS, 0, replays);
        CHECK(warplu_solve(s.solver, 1, s.b, s.m.n, before, s.m.n) == WARPLU_SUCCESS);
        memset(&t, 0, sizeof t);
        memset(&u, 0, sizeof u);
        t.size = u.size = sizeof t;
        CHECK(warplu_get_statistics(s.solver, &t) == WARPLU_SUCCESS);
        for (int question = 0; question < QUESTIONS; question++)
            CHECK(ask(s.solver, question, &s.m, s.b, &out) == WARPLU_SUCCESS);
        CHECK(warplu_get_statistics(s.solver, &u) == WARPLU_SUCCESS && memcmp(&t, &u, sizeof t) == 0);
        CHECK(warplu_solve(s.solver, 1, s.b, s.m.n, x, s.m.n) == WARPLU_SUCCESS);
        CHECK(memcmp(x, before, (size_t)s.m.n * sizeof *x) == 0);
        close_session(&s);
    }
}

/* The same bits whatever the caller's rounding mode, which stays. */
static void the_environment_does_not_matter(void)
{
    for (int replays = 0; replays <= 3; replays += 3) {
        session s;
        static answer plain, under;
        open_session(&s, TEST_BLOCKS, 0, replays);
        for (int question = 0; question < QUESTIONS; question++) {
            memset(&plain, 0, sizeof plain);
            memset(&under, 0, sizeof under);
            CHECK(ask(s.solver, question, &s.m, s.b, &plain) == WARPLU_SUCCESS);
            fesetround(FE_UPWARD);
            feclearexcept(FE_ALL_EXCEPT);
            warplu_status status = ask(s.solver, question, &s.m, s.b, &under);
            int rounding = fegetround(), flags = fetestexcept(FE_ALL_EXCEPT);
            fesetround(FE_TONEAREST);
            CHECK(status == WARPLU_SUCCESS && rounding == FE_UPWARD && flags == 0);
            CHECK_SAY(memcmp(&plain, &under, sizeof plain) == 0, "%s: %.17g and %.17g", question_names[question],
                      plain.number[0], under.number[0]);
        }
        close_session(&s);
    }
}

static void phases_and_arguments(void)
{
    static answer out;
    const double a[] = {4, 1, 1, 3}, b[] = {1, 2}, bad[] = {4, 1, NAN, 3}, huge[] = {1, INFINITY};
    double found = -7.0;
    int32_t count = -7;
    int64_t exponent = -7;
    warplu_pivot list[2];
    warplu_factors_view v = {.size = sizeof v};
    warplu_solver *s = NULL;
    test_matrix m;
    test_matrix_from_dense(&m, 2, a);
    CHECK(check_create(&s) == WARPLU_SUCCESS);
    for (int phase = 0; phase <= 2; phase++) {
        for (int question = 0; question < QUESTIONS; question++) {
            CHECK_SAY(ask(s, question, &m, b, &out) == WARPLU_WRONG_PHASE, "%s", question_names[question]);
            CHECK(warplu_get_message(s)[0] != '\0');
            CHECK(ask(NULL, question, &m, b, &out) == WARPLU_INVALID_ARGUMENT);
        }
        if (phase == 0) CHECK(warplu_analyze(s, 2, m.ptr, m.idx, NULL) == WARPLU_SUCCESS);
        if (phase == 1) { /* factors that are gone are no factors */
            CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS);
            CHECK(warplu_refactor(s, bad) == WARPLU_NOT_FINITE);
        }
    }
    CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS);
    CHECK(warplu_estimate_condition(s, NULL, &found) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_estimate_condition(s, m.x, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_estimate_skeel_condition(s, NULL, NULL, &found) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_estimate_skeel_condition(s, m.x, NULL, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_estimate_skeel_condition(s, m.x, huge, &found) == WARPLU_NOT_FINITE);
    CHECK(warplu_bound_forward_error(s, 0, NULL, 1, b, 2, b, 2, &found) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_bound_forward_error(s, 0, m.x, 1, b, 2, b, 2, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_bound_forward_error(s, 0, m.x, -1, b, 2, b, 2, &found) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_bound_forward_error(s, 0, m.x, 1, b, 1, b, 2, &found) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_bound_forward_error(s, 0, m.x, 1, b, 2, b, 1, &found) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_bound_forward_error(s, 0, m.x, 1, NULL, 2, b, 2, &found) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_bound_forward_error(s, 0, m.x, 1, b, 2, NULL, 2, &found) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_compute_pivot_growth(s, NULL, &found) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_compute_pivot_growth(s, m.x, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_compute_determinant(s, NULL, &exponent) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_compute_determinant(s, &found, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_list_pivots(s, NULL, 0.0, 0, NULL, &count) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_list_pivots(s, m.x, 0.0, 1, NULL, &count) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_list_pivots(s, m.x, 0.0, -1, list, &count) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_list_pivots(s, m.x, -1.0, 1, list, &count) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_list_pivots(s, m.x, NAN, 1, list, &count) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_list_pivots(s, m.x, 0.0, 1, list, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_extract_diagonal(s, NULL, NULL, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_extract_diagonal(NULL, &found, NULL, NULL) == WARPLU_INVALID_ARGUMENT && found == -7.0);
    CHECK(warplu_extract_order(s, NULL, NULL, NULL, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_get_pivots_number(s, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_extract_factors(s, NULL) == WARPLU_INVALID_ARGUMENT);
    v.size = sizeof v.size - 1;
    CHECK(warplu_extract_factors(s, &v) == WARPLU_INVALID_ARGUMENT);
    m.x[2] = NAN; /* the values, that is */
    for (int question = 0; question < QUESTIONS; question++) {
        int reads = question != DETERMINANT && question != DIAGONAL && question != EXTRACT;
        CHECK(ask(s, question, &m, b, &out) == (reads ? WARPLU_NOT_FINITE : WARPLU_SUCCESS));
        if (reads) CHECK(strstr(warplu_get_message(s), "(0, 1)") != NULL);
    }
    CHECK(found == -7.0 && count == -7 && exponent == -7);
    /* a caller built with an older header knows fewer arrays */
    warplu_factors_view older = {.size = offsetof(warplu_factors_view, Lp), .Lp = (int64_t *)&older};
    CHECK(warplu_extract_factors(s, &older) == WARPLU_SUCCESS && older.n == 2 && older.l_nnz == 3 && older.u_nnz == 3);
    CHECK(older.f_nnz == 0 && older.blocks == 1 && older.size == offsetof(warplu_factors_view, Lp));
    warplu_destroy(&s);
    test_matrix_free(&m);
}

int main(void)
{
    RUN(known_numbers);
    RUN(conditions_without_overflow);
    RUN(determinants_do_not_overflow);
    RUN(growth_of_wilkinson);
    RUN(weak_pivots_have_a_place);
    RUN(factors_that_failed_unnoticed);
    RUN(overflow_of_l_alone);
    RUN(blind_spots_of_the_estimator);
    RUN(phases_and_arguments);
    RUN(asking_changes_nothing);
    RUN(the_environment_does_not_matter);
    RUN(views_of_every_region);
    RUN(columns_of_a_small_program);
    RUN(numbers_tell_pivots_apart);
    RUN(conditions_by_scales_of_extreme_values);
    RUN(random_matrices);
    return check_done();
}
