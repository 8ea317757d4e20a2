/* Statuses of bad arguments, of singular matrices, of other patterns and what is none, of numbers that are not
 * finite; whose an object is; what memory is counted. */
#include "subject.h"

static uint64_t seed = 4711;

static wk_common defaults(void)
{
    wk_common c;
    WK_SHARED(defaults)(&c);
    return c;
}

/* 3 by 3: two blocks, {0, 1} and {2}. */
static void small(subject *a)
{
    static const wk_int Ap[] = {0, 2, 4, 6}, Ai[] = {0, 1, 1, 0, 2, 0};
    static const double x[] = {4.0, 1.0, 3.0, 1.0, 2.0, 1.0};
    a->n = 3;
    memcpy(a->Ap, Ap, sizeof Ap);
    memcpy(a->Ai, Ai, sizeof Ai);
    for (int p = 0; p < 6; p++) {
        a->Ax[DOUBLES * p] = x[p];
        if (DOUBLES == 2) a->Ax[2 * p + 1] = 0.0;
    }
}

static void set(subject *a, wk_int p, double x)
{
    a->Ax[DOUBLES * p] = x;
}

static void patterns_that_are_none(void)
{
    subject a;
    wk_common c = defaults();
    small(&a);
    CHECK(WK_SHARED(analyze)(3, a.Ap, a.Ai, NULL) == NULL && WK_SHARED(defaults)(NULL) == 0);
    CHECK(WK_SHARED(analyze)(0, a.Ap, a.Ai, &c) == NULL && c.status == WK_INVALID);
    CHECK(WK_SHARED(analyze)(3, NULL, a.Ai, &c) == NULL && c.status == WK_INVALID);
    CHECK(WK_SHARED(analyze)(3, a.Ap, NULL, &c) == NULL && c.status == WK_INVALID);
    a.Ai[1] = 0; /* twice */
    CHECK(WK_SHARED(analyze)(3, a.Ap, a.Ai, &c) == NULL && c.status == WK_INVALID);
    a.Ai[1] = 3;
    CHECK(WK_SHARED(analyze)(3, a.Ap, a.Ai, &c) == NULL && c.status == WK_INVALID);
    a.Ai[1] = 1;
    a.Ap[1] = 5;
    CHECK(WK_SHARED(analyze)(3, a.Ap, a.Ai, &c) == NULL && c.status == WK_INVALID);
    a.Ap[1] = 2;
    c.ordering = 4;
    CHECK(WK_SHARED(analyze)(3, a.Ap, a.Ai, &c) == NULL && c.status == WK_INVALID);
    c.ordering = WK_ORDER_USER; /* and no function */
    CHECK(WK_SHARED(analyze)(3, a.Ap, a.Ai, &c) == NULL && c.status == WK_INVALID);
    wk_int twice[] = {0, 0, 1};
    CHECK(WK_SHARED(analyze_given)(3, a.Ap, a.Ai, NULL, twice, &c) == NULL && c.status == WK_INVALID);
#ifdef WK_LONG
    wk_int huge[] = {0, (wk_int)1 << 33};
    CHECK(WK_SHARED(analyze)(1, huge, a.Ai, &c) == NULL && c.status == WK_TOO_LARGE);
#endif
    CHECK(c.memusage == 0);
}

static int is_not_a_number(const double *x, wk_int n)
{
    for (int64_t i = 0; i < DOUBLES * n; i++)
        if (!isnan(x[i])) return 0;
    return 1;
}

/* What a Numeric of a singular matrix answers. */
static void check_singular_numeric(subject *a, wk_symbolic *s, wk_numeric *f, wk_common *c)
{
    double b[MOST * DOUBLES];
    for (int i = 0; i < MOST * DOUBLES; i++) b[i] = 1.0;
    CHECK(WK_NAME(solve)(s, f, a->n, 1, b, c) && c->status == WK_SINGULAR && is_not_a_number(b, a->n));
    CHECK(WK_NAME(rcond)(s, f, c) && c->status == WK_SINGULAR && c->rcond == 0.0);
    CHECK(WK_NAME(rgrowth)(a->Ap, a->Ai, a->Ax, s, f, c) && c->status == WK_SINGULAR && c->rgrowth == 0.0);
    CHECK(WK_NAME(condest)(a->Ap, a->Ax, s, f, c) && c->status == WK_SINGULAR && isinf(c->condest));
}

static void check_answer_within(double most, subject *a, wk_symbolic *s, wk_numeric *f, wk_common *c)
{
    double b[MOST * DOUBLES], x[MOST * DOUBLES];
    for (int i = 0; i < MOST * DOUBLES; i++) b[i] = x[i] = uniform(&seed);
    CHECK(WK_NAME(solve)(s, f, a->n, 1, x, c) && c->status == WK_OK && residual(a, 0, x, b) < most);
}

static void check_answer(subject *a, wk_symbolic *s, wk_numeric *f, wk_common *c)
{
    check_answer_within(1e-12, a, s, f, c);
}

static void singular_by_values(void)
{
    subject a;
    wk_common c = defaults();
    small(&a);
    wk_symbolic *s = WK_SHARED(analyze)(3, a.Ap, a.Ai, &c);
    CHECK(s != NULL && s->nblocks == 2 && s->maxblock == 2 && s->nzoff == 1 && s->structural_rank == 3);
    set(&a, 4, 0.0);
    CHECK(WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c) == NULL && c.status == WK_SINGULAR);
    CHECK(c.singular_col == 2 && c.numerical_rank >= 0 && c.numerical_rank < 3);
    c.halt_if_singular = 0;
    wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
    CHECK(f != NULL && c.status == WK_SINGULAR && c.singular_col == 2);
    check_singular_numeric(&a, s, f, &c);
    small(&a);
    CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && c.status == WK_OK && c.singular_col == WK_EMPTY);
    check_answer(&a, s, f, &c);
    set(&a, 4, 0.0);
    CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && c.status == WK_SINGULAR && c.singular_col == 2);
    check_singular_numeric(&a, s, f, &c);
    c.halt_if_singular = 1;
    CHECK(!WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && c.status == WK_SINGULAR);
    small(&a);
    CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && c.status == WK_OK);
    check_answer(&a, s, f, &c);
    CHECK(WK_NAME(rcond)(s, NULL, &c) && c.status == WK_SINGULAR && c.rcond == 0.0);
    CHECK(WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c) && c.memusage == 0);
}

/* Column 1 has no row that column 0 does not have. The rank is told as KLU tells it, by klu_analyze with btf alone. */
static void singular_by_pattern(void)
{
    subject a;
    wk_int Ap[] = {0, 1, 2, 4}, Ai[] = {0, 0, 1, 2}, Q[] = {2, 0, 1};
    for (int way = 0; way < 6; way++) {
        wk_common c = defaults();
        c.btf = way % 2;
        small(&a);
        subject regular = a;
        memcpy(a.Ap, Ap, sizeof Ap);
        memcpy(a.Ai, Ai, sizeof Ai);
        wk_symbolic *s = way < 2 ? WK_SHARED(analyze)(3, a.Ap, a.Ai, &c)
                                 : WK_SHARED(analyze_given)(3, a.Ap, a.Ai, NULL, way < 4 ? NULL : Q, &c);
        CHECK(s != NULL && c.status == WK_OK && c.structural_rank == (way == 1 ? 2 : WK_EMPTY));
        CHECK(WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c) == NULL && c.status == WK_SINGULAR);
        CHECK(c.numerical_rank == 2 && (c.singular_col == 0 || c.singular_col == 1));
        c.halt_if_singular = 0;
        wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
        CHECK(f != NULL && c.status == WK_SINGULAR && (c.singular_col == 0 || c.singular_col == 1));
        check_singular_numeric(&a, s, f, &c);
        CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && c.status == WK_SINGULAR);
        CHECK(c.numerical_rank == 2 && (c.singular_col == 0 || c.singular_col == 1));
        CHECK(WK_NAME(refactor)(regular.Ap, regular.Ai, regular.Ax, s, f, &c) && c.status == WK_OK);
        check_answer(&regular, s, f, &c);
        CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && c.status == WK_SINGULAR && c.numerical_rank == 2);
        CHECK(WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c) && c.memusage == 0);
        s = WK_SHARED(analyze_given)(3, regular.Ap, regular.Ai, NULL, NULL, &c);
        CHECK(c.structural_rank == WK_EMPTY && WK_SHARED(free_symbolic)(&s, &c));
    }
}

/* The same entries, each column from its last one on. */
static void turn_columns(subject *to, const subject *a)
{
    *to = *a;
    for (wk_int j = 0; j < a->n; j++)
        for (wk_int p = a->Ap[j], q = a->Ap[j + 1] - 1; p < a->Ap[j + 1]; p++, q--) {
            to->Ai[p] = a->Ai[q];
            memcpy(&to->Ax[DOUBLES * p], &a->Ax[DOUBLES * q], DOUBLES * sizeof *a->Ax);
        }
}

/* Without entries beside the diagonal. */
static void drop_entries(subject *to, const subject *a)
{
    *to = *a;
    wk_int at = 0;
    for (wk_int j = 0; j < a->n; j++) {
        to->Ap[j] = at;
        for (wk_int p = a->Ap[j]; p < a->Ap[j + 1]; p++) {
            if (a->Ai[p] != j && p % 2 == 0) continue;
            to->Ai[at] = a->Ai[p];
            memcpy(&to->Ax[DOUBLES * at++], &a->Ax[DOUBLES * p], DOUBLES * sizeof *a->Ax);
        }
    }
    to->Ap[a->n] = at;
}

/* Factors of patterns that the Symbolic does not have: with the same entries in another order, with fewer, with more,
 * and with entries outside its blocks, in the order that the caller gave and in others. Then its own again. */
static void other_patterns(void)
{
    for (int way = 0; way < 4; way++) {
        subject a, other[4];
        wk_int Q[MOST];
        wk_common c = defaults();
        c.btf = way % 2;
        make(&a, &seed, 15, 3, 1);
        turn_columns(&other[0], &a);
        drop_entries(&other[1], &a);
        make(&other[2], &seed, 15, 9, 1);
        make(&other[3], &seed, 15, 6, 0);
        for (wk_int k = 0; k < 15; k++) Q[k] = 14 - k;
        wk_symbolic *s =
            way < 2 ? WK_SHARED(analyze)(a.n, a.Ap, a.Ai, &c) : WK_SHARED(analyze_given)(a.n, a.Ap, a.Ai, NULL, Q, &c);
        wk_numeric *same = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
        for (int k = 0; k < 4; k++) {
            wk_numeric *f = WK_NAME(factor)(other[k].Ap, other[k].Ai, other[k].Ax, s, &c);
            CHECK_SAY(f != NULL && c.status == WK_OK, "way %d, pattern %d: status %d", way, k, (int)c.status);
            if (f == NULL) continue;
            check_answer(&other[k], s, f, &c);
            fill(&other[k], &seed, 8.0);
            CHECK(WK_NAME(refactor)(other[k].Ap, other[k].Ai, other[k].Ax, s, f, &c) && c.status == WK_OK);
            check_answer(&other[k], s, f, &c);
            CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && c.status == WK_OK);
            check_answer(&a, s, f, &c);
            CHECK(WK_NAME(free_numeric)(&f, &c));
            CHECK(WK_NAME(refactor)(other[k].Ap, other[k].Ai, other[k].Ax, s, same, &c) && c.status == WK_OK);
            check_answer(&other[k], s, same, &c);
        }
        CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, same, &c) && c.status == WK_OK);
        check_answer(&a, s, same, &c);
        CHECK(WK_SHARED(free_symbolic)(&s, &c) && WK_NAME(free_numeric)(&same, &c) && c.memusage == 0);
    }
}

/* What is no pattern at all is refused, and the factors stay; so is another's Symbolic. */
static void other_patterns_that_are_none(void)
{
    subject a, b;
    wk_common c = defaults();
    make(&a, &seed, 12, 3, 0);
    b = a;
    wk_symbolic *s = WK_SHARED(analyze)(a.n, a.Ap, a.Ai, &c), *t = WK_SHARED(analyze)(a.n, a.Ap, a.Ai, &c);
    wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
    for (int k = 0; k < 3; k++) {
        b.Ap[1] = 2;
        b.Ai[0] = k == 0 ? 12 : k == 1 ? -1 : b.Ai[1];
        CHECK(WK_NAME(factor)(b.Ap, b.Ai, b.Ax, s, &c) == NULL && c.status == WK_INVALID);
        CHECK(!WK_NAME(refactor)(b.Ap, b.Ai, b.Ax, s, f, &c) && c.status == WK_INVALID);
        check_answer(&a, s, f, &c);
    }
    CHECK(!WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, t, f, &c) && c.status == WK_INVALID);
    /* a column without entries: singular by its pattern */
    b = a;
    memmove(b.Ai, b.Ai + a.Ap[1], sizeof b.Ai - (size_t)a.Ap[1] * sizeof *b.Ai);
    for (wk_int j = 1; j <= 12; j++) b.Ap[j] = a.Ap[j] - a.Ap[1];
    CHECK(WK_NAME(factor)(b.Ap, b.Ai, b.Ax, s, &c) == NULL && c.status == WK_SINGULAR);
    CHECK(!WK_NAME(refactor)(b.Ap, b.Ai, b.Ax, s, f, &c) && c.status == WK_SINGULAR);
    CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && c.status == WK_OK);
    check_answer(&a, s, f, &c);
    CHECK(WK_SHARED(free_symbolic)(&s, &c) && WK_SHARED(free_symbolic)(&t, &c));
    CHECK(WK_NAME(free_numeric)(&f, &c) && c.memusage == 0);
}

static void numbers_that_are_not_finite(void)
{
    subject a;
    double x[2 * 3 * DOUBLES];
    wk_common c = defaults();
    small(&a);
    wk_symbolic *s = WK_SHARED(analyze)(3, a.Ap, a.Ai, &c);
    wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
    for (int i = 0; i < 6 * DOUBLES; i++) x[i] = 1.0;
    x[0] = (double)NAN;
    CHECK(WK_NAME(solve)(s, f, 3, 2, x, &c) && c.status == WK_OK);
    CHECK(is_not_a_number(x, 3) && isfinite(x[3 * DOUBLES]));
    x[0] = (double)INFINITY;
    CHECK(WK_NAME(solve)(s, f, 3, 1, x, &c) && c.status == WK_OK && is_not_a_number(x, 3));
    set(&a, 0, (double)NAN);
    CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && c.status == WK_SINGULAR);
    check_singular_numeric(&a, s, f, &c);
    CHECK(isnan(((double *)f->Udiag)[0]));
    CHECK(WK_NAME(free_numeric)(&f, &c));
    f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
    CHECK(f != NULL && c.status == WK_SINGULAR);
    small(&a);
    CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && c.status == WK_OK);
    check_answer(&a, s, f, &c);
    CHECK(WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c));
}

/* Unknowns that overflow are infinite, and all else is right: the others of the column, and other columns, however many
 * are solved at once. A = diag(1, 1e-200, 4e-313), so that in the last case too the answer has no reciprocal. */
static void solutions_that_overflow(void)
{
    static const wk_int Ap[] = {0, 1, 2, 3}, Ai[] = {0, 1, 2};
    static const double b[][3] = {{3.0, 1e200, 0.0}, {3.0, 1e-100, 0.0}, {1e308, -1e120, 0.0}, {-1.0, 0.0, 8e-313}};
    static const double truth[][3] = {
        {3.0, INFINITY, 0.0}, {3.0, 1e100, 0.0}, {1e308, -INFINITY, 0.0}, {-1.0, 0.0, 2.0}};
    for (int refactored = 0; refactored < 2; refactored++)
        for (int count = 1; count <= 12; count++) {
            double x[3 * 12 * DOUBLES] = {0};
            subject a = {.n = 3};
            wk_common c = defaults();
            memcpy(a.Ap, Ap, sizeof Ap);
            memcpy(a.Ai, Ai, sizeof Ai);
            for (int p = 0; p < 3; p++) set(&a, p, refactored ? 0.02 : p == 0 ? 1.0 : p == 1 ? 1e-200 : 4e-313);
            wk_symbolic *s = WK_SHARED(analyze)(3, a.Ap, a.Ai, &c);
            wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
            for (int p = 0; p < 3; p++) set(&a, p, p == 0 ? 1.0 : p == 1 ? 1e-200 : 4e-313);
            CHECK(f != NULL && (!refactored || WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c)));
            for (int i = 0; i < 3 * count; i++) x[DOUBLES * i] = b[i / 3 % 4][i % 3];
            CHECK(WK_NAME(solve)(s, f, 3, count, x, &c) && c.status == WK_OK);
            for (int i = 0; i < 3 * count; i++) {
                const double is = x[DOUBLES * i], should = truth[i / 3 % 4][i % 3];
                CHECK_SAY(is == should || fabs(is - should) <= 1e-9 * fabs(should), "%d of %d: %g, not %g", i,
                          3 * count, is, should);
            }
            CHECK(WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c) && c.memusage == 0);
        }
}

/* KLU replays a pivot that has become tiny, and answers KLU_OK with residuals of 0.1. */
static void weak_pivots_are_replaced(void)
{
    subject a;
    wk_common c = defaults();
    small(&a);
    wk_symbolic *s = WK_SHARED(analyze)(3, a.Ap, a.Ai, &c);
    wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
    for (int k = 0; k < 20; k++) {
        set(&a, k % 2 == 0 ? 0 : 2, ldexp(1.0, -3 * k));
        CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && c.status == WK_OK);
        check_answer_within(1e-10, &a, s, f, &c); /* pivots serve to growth of 1e6 */
    }
    CHECK(WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c));
}

static void arguments(void)
{
    subject a;
    double x[3 * DOUBLES] = {1.0};
    wk_common c = defaults();
    small(&a);
    wk_symbolic *s = WK_SHARED(analyze)(3, a.Ap, a.Ai, &c), *none = NULL;
    wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c), *no_numeric = NULL;
    CHECK(WK_NAME(factor)(a.Ap, a.Ai, a.Ax, NULL, &c) == NULL && c.status == WK_INVALID);
    CHECK(WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, NULL) == NULL);
    CHECK(WK_NAME(factor)(a.Ap, a.Ai, NULL, s, &c) == NULL && c.status == WK_INVALID);
    CHECK(!WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, NULL, &c) && c.status == WK_INVALID);
    CHECK(!WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, NULL, f, &c) && c.status == WK_INVALID);
    CHECK(!WK_NAME(solve)(s, f, 2, 1, x, &c) && c.status == WK_INVALID);
    CHECK(!WK_NAME(solve)(s, f, 3, -1, x, &c) && c.status == WK_INVALID);
    CHECK(!WK_NAME(solve)(s, f, 3, 1, NULL, &c) && c.status == WK_INVALID);
    CHECK(!WK_NAME(solve)(s, NULL, 3, 1, x, &c) && c.status == WK_INVALID);
    CHECK(!WK_NAME(solve)(NULL, f, 3, 1, x, &c) && c.status == WK_INVALID);
    CHECK(!WK_NAME(condest)(NULL, a.Ax, s, f, &c) && c.status == WK_INVALID);
    CHECK(!WK_NAME(rgrowth)(a.Ap, NULL, a.Ax, s, f, &c) && c.status == WK_INVALID);
    CHECK(!WK_NAME(flops)(s, NULL, &c) && c.status == WK_INVALID && !WK_NAME(sort)(NULL, f, &c));
    CHECK(WK_NAME(free_numeric)(&no_numeric, &c) && WK_NAME(free_numeric)(NULL, &c));
    CHECK(WK_SHARED(free_symbolic)(&none, &c) && WK_SHARED(free_symbolic)(NULL, &c));
    CHECK(WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c) && c.memusage == 0);
}

/* Objects that are others', of the other numbers, or freed before. */
static void whose_an_object_is(void)
{
    subject a;
    double x[3 * DOUBLES] = {1.0};
    wk_common c = defaults();
    small(&a);
    wk_symbolic *s = WK_SHARED(analyze)(3, a.Ap, a.Ai, &c), foreign = *s, *other = &foreign;
    wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c), *freed = f, copy = *f, *not_ours = &copy;
    CHECK(!WK_SHARED(free_symbolic)(&other, &c) && c.status == WK_INVALID && other != NULL);
    CHECK(!WK_NAME(free_numeric)(&not_ours, &c) && c.status == WK_INVALID);
    CHECK(WK_NAME(factor)(a.Ap, a.Ai, a.Ax, other, &c) == NULL && c.status == WK_INVALID);
    CHECK(!WK_NAME(solve)(s, not_ours, 3, 1, x, &c) && c.status == WK_INVALID);
    /* Programs free complex factors by the function for real ones. */
    CHECK(WK_SHARED(free_numeric)(&f, &c) && f == NULL);
    CHECK(!WK_NAME(free_numeric)(&freed, &c) && c.status == WK_INVALID); /* twice */
    CHECK(WK_SHARED(free_symbolic)(&s, &c) && c.memusage == 0);
}

static void memory(void)
{
    wk_common c = defaults();
    double *p = WK_SHARED(malloc)(10, sizeof *p, &c);
    CHECK(p != NULL && c.memusage == 80 && c.mempeak == 80);
    p = WK_SHARED(realloc)(20, 10, sizeof *p, p, &c);
    CHECK(p != NULL && c.memusage == 160 && c.status == WK_OK);
    CHECK(WK_SHARED(realloc)((size_t)WK_INT_MAX, 20, sizeof *p, p, &c) == p && c.status == WK_TOO_LARGE);
    CHECK(WK_SHARED(free)(p, 20, sizeof *p, &c) == NULL && c.memusage == 0 && c.mempeak == 160);
    CHECK(WK_SHARED(malloc)(1, 0, &c) == NULL && c.status == WK_INVALID);
    CHECK(WK_SHARED(malloc)((size_t)WK_INT_MAX, 8, &c) == NULL && c.status == WK_TOO_LARGE);
    CHECK(WK_SHARED(free)(NULL, 1, 1, &c) == NULL && WK_SHARED(malloc)(1, 1, NULL) == NULL);
}

int main(void)
{
    RUN(patterns_that_are_none);
    RUN(singular_by_values);
    RUN(singular_by_pattern);
    RUN(other_patterns);
    RUN(other_patterns_that_are_none);
    RUN(numbers_that_are_not_finite);
    RUN(solutions_that_overflow);
    RUN(weak_pivots_are_replaced);
    RUN(arguments);
    RUN(whose_an_object_is);
    RUN(memory);
    return check_done();
}
