/* Every function that computes, on random matrices, against residuals and dense numbers: answers, the factors that are
 * extracted, the arrays that callers read. */
#include "subject.h"

static uint64_t seed = 20261126;

/* Condition numbers up to here leave digits to compare. */
#define WELL 1e13

static wk_int backwards(wk_int n, wk_int *Ap, wk_int *Ai, wk_int *P, wk_common *c)
{
    (void)Ap;
    (void)Ai;
    for (wk_int k = 0; k < n; k++) P[k] = n - 1 - k;
    *(int *)c->user_data += 1;
    return *(int *)c->user_data % 2 == 0 ? n : WK_EMPTY; /* entries of L, known or not */
}

static wk_symbolic *analyze(subject *a, wk_common *c, int way)
{
    wk_int Q[MOST];
    for (wk_int k = 0; k < a->n; k++) Q[k] = a->n - 1 - k;
    if (way == 4) return WK_SHARED(analyze_given)(a->n, a->Ap, a->Ai, Q, Q, c);
    if (way == 5) return WK_SHARED(analyze_given)(a->n, a->Ap, a->Ai, NULL, NULL, c);
    c->ordering = way;
    return WK_SHARED(analyze)(a->n, a->Ap, a->Ai, c);
}

static void check_solves(subject *a, wk_symbolic *s, wk_numeric *f, wk_common *c)
{
    static double b[(MOST + 3) * 6 * DOUBLES], x[(MOST + 3) * 6 * DOUBLES];
    const wk_int counts[] = {0, 1, 3, 6}, ldim = a->n + 3;
    for (int kind = 0; kind < DOUBLES + 1; kind++)
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < (MOST + 3) * 6 * DOUBLES; i++) x[i] = b[i] = uniform(&seed);
            wk_flag done = kind == 0 ? WK_NAME(solve)(s, f, ldim, counts[k], x, c)
                                     : solve_transposed(s, f, ldim, counts[k], x, kind == 2, c);
            CHECK(done && c->status == WK_OK);
            for (wk_int r = 0; r < counts[k]; r++) {
                const int64_t at = (int64_t)r * ldim * DOUBLES, end = at + (int64_t)a->n * DOUBLES;
                CHECK_SAY(residual(a, kind, x + at, b + at) < 1e-9, "residual %g", residual(a, kind, x + at, b + at));
                CHECK(memcmp(x + end, b + end, 3 * DOUBLES * sizeof *x) == 0); /* between columns */
            }
        }
}

/* Rs \ A(P,Q) = L U + F. */
static void check_factors(const subject *a, wk_symbolic *s, wk_numeric *f, wk_common *c)
{
    static wk_int Lp[MOST + 1], Li[MOST * MOST], Up[MOST + 1], Ui[MOST * MOST], Fp[MOST + 1], Fi[MOST * MOST];
    static double Lx[MOST * MOST], Lz[MOST * MOST], Ux[MOST * MOST], Uz[MOST * MOST], Fx[MOST * MOST], Fz[MOST * MOST];
    static double _Complex l[MOST][MOST], m[MOST][MOST];
    wk_int P[MOST], Q[MOST], R[MOST + 1], n = a->n, at[MOST];
    double Rs[MOST], largest = 0.0;
    memset(l, 0, sizeof l);
    memset(m, 0, sizeof m);
#ifdef WK_COMPLEX
    CHECK(WK_NAME(extract)(f, s, Lp, Li, Lx, Lz, Up, Ui, Ux, Uz, Fp, Fi, Fx, Fz, P, Q, Rs, R, c));
#else
    CHECK(WK_NAME(extract)(f, s, Lp, Li, Lx, Up, Ui, Ux, Fp, Fi, Fx, P, Q, Rs, R, c));
    (void)Lz, (void)Uz, (void)Fz;
#endif
    CHECK(Lp[n] == f->lnz && Up[n] == f->unz && Fp[n] == f->nzoff && R[0] == 0 && R[f->nblocks] == n);
    CHECK(f->max_lnz_block >= (f->lnz + f->nblocks - 1) / f->nblocks && f->max_unz_block <= f->unz);
    for (wk_int j = 0; j < n; j++)
        for (wk_int p = Lp[j]; p < Lp[j + 1]; p++) l[Li[p]][j] = CMPLX(Lx[p], DOUBLES == 2 ? Lz[p] : 0.0);
    for (wk_int j = 0; j < n; j++) {
        CHECK(Li[Lp[j]] == j && Lx[Lp[j]] == 1.0 && Ui[Up[j + 1] - 1] == j);
        for (wk_int p = Fp[j]; p < Fp[j + 1]; p++) m[Fi[p]][j] += CMPLX(Fx[p], DOUBLES == 2 ? Fz[p] : 0.0);
        for (wk_int p = Up[j]; p < Up[j + 1]; p++)
            for (wk_int i = 0; i < n; i++) {
                const double _Complex term = l[i][Ui[p]] * CMPLX(Ux[p], DOUBLES == 2 ? Uz[p] : 0.0);
                m[i][j] += term;
                largest = fmax(largest, cabs(term));
            }
    }
    for (wk_int k = 0; k < n; k++) {
        at[P[k]] = k;
        CHECK(c->scale > 0 || Rs[k] == 1.0);
    }
    for (wk_int k = 0; k < n; k++)
        for (wk_int p = a->Ap[Q[k]]; p < a->Ap[Q[k] + 1]; p++)
            m[at[a->Ai[p]]][k] -= number(a->Ax, p) / Rs[at[a->Ai[p]]];
    for (wk_int i = 0; i < n; i++)
        for (wk_int j = 0; j < n; j++)
            CHECK_SAY(cabs(m[i][j]) <= 1e-14 * largest, "(%d,%d): %g", (int)i, (int)j, cabs(m[i][j]));
}

static double norm(const subject *a)
{
    double largest = 0.0;
    for (wk_int j = 0; j < a->n; j++) {
        double sum = 0.0;
        for (wk_int p = a->Ap[j]; p < a->Ap[j + 1]; p++) sum += cabs(number(a->Ax, p));
        largest = fmax(largest, sum);
    }
    return largest;
}

/* The condition number in the 1-norm. */
static double condition(const subject *a, double _Complex inverse[MOST][MOST])
{
    double largest = 0.0;
    for (wk_int j = 0; j < a->n; j++) {
        double sum = 0.0;
        for (wk_int i = 0; i < a->n; i++) sum += cabs(inverse[i][j]);
        largest = fmax(largest, sum);
    }
    return largest * norm(a);
}

/* What callers compute from the arrays of both structures. */
static void check_arrays(const subject *a, const wk_symbolic *s, const wk_numeric *f, const wk_common *c,
                         double _Complex inverse[MOST][MOST])
{
    const double _Complex truth = take_apart(a, inverse);
    double _Complex product = 1.0;
    CHECK((f->Rs != NULL) == (c->scale > 0) && s->n == a->n && f->n == a->n && s->nz == a->Ap[a->n]);
    for (wk_int k = 0; k < a->n; k++) {
        CHECK(f->Pinv[f->Pnum[k]] == k);
        product *= number(f->Udiag, k) * (f->Rs != NULL ? f->Rs[k] : 1.0);
    }
    product *= sign_of(a->n, f->Pnum) * sign_of(a->n, s->Q);
    if (condition(a, inverse) < WELL)
        CHECK_SAY(cabs(product - truth) <= 1e-4 * cabs(truth), "determinant %g, not %g", creal(product), creal(truth));
    CHECK(s->R[0] == 0 && s->R[s->nblocks] == a->n && f->nblocks == s->nblocks);
    for (wk_int b = 0; b < s->nblocks; b++) CHECK(s->R[b] < s->R[b + 1] && s->R[b + 1] - s->R[b] <= s->maxblock);
}

static void check_numbers(subject *a, wk_symbolic *s, wk_numeric *f, wk_common *c, double _Complex inverse[MOST][MOST])
{
    const double truth = condition(a, inverse);
    CHECK(WK_NAME(condest)(a->Ap, a->Ax, s, f, c) && c->status == WK_OK);
    if (truth < WELL)
        CHECK_SAY(c->condest <= truth * 1.001 && c->condest >= truth * 0.1, "condest %g, not %g", c->condest, truth);
    CHECK(WK_NAME(rcond)(s, f, c) && c->status == WK_OK && c->rcond > 0.0 && c->rcond <= 1.0);
    CHECK(WK_NAME(rgrowth)(a->Ap, a->Ai, a->Ax, s, f, c) && c->rgrowth > 0.0 && c->rgrowth <= 1.0);
    CHECK(WK_NAME(flops)(s, f, c) && c->flops >= 0.0);
    CHECK(WK_NAME(sort)(s, f, c) && c->status == WK_OK);
}

/* The blocks are those that an order of the drop-in's own has. Columns stand backwards within each, for that is what
 * the caller has asked for; its function was asked once for each block of more than three. */
static void check_order(subject *a, const wk_symbolic *s, int way, int asked, wk_common *c)
{
    int worth = 0;
    wk_symbolic *own = analyze(a, c, WK_ORDER_AMD);
    CHECK_SAY(own != NULL && own->nblocks == s->nblocks, "%d blocks, not %d", (int)s->nblocks,
              own != NULL ? (int)own->nblocks : 0);
    CHECK(WK_SHARED(free_symbolic)(&own, c));
    for (wk_int b = 0; b < s->nblocks; b++) {
        const int small = s->R[b + 1] - s->R[b] <= 3;
        worth += !small;
        for (wk_int k = s->R[b]; k + 1 < s->R[b + 1] && (way == 4 || !small); k++) CHECK(s->Q[k] > s->Q[k + 1]);
    }
    CHECK_SAY(asked == (way == WK_ORDER_USER ? worth : 0), "asked %d times, %d blocks", asked, (int)s->nblocks);
}

static void check_one(int way, int blocks)
{
    static double _Complex inverse[MOST][MOST];
    subject a;
    wk_common c;
    int asked = 0;
    const wk_int n = 1 + (wk_int)((uniform(&seed) + 0.5) * (MOST - 1));
    CHECK(WK_SHARED(defaults)(&c) && c.tol == 0.001 && c.scale == 2 && c.halt_if_singular == 1 && c.btf == 1);
    c.user_order = backwards;
    c.user_data = &asked;
    c.scale = (int)((uniform(&seed) + 0.5) * 4.0) - 1;
    c.btf = uniform(&seed) > -0.25;
    make(&a, &seed, n, 1 + (int)((uniform(&seed) + 0.5) * 5.0), blocks);
    wk_symbolic *s = analyze(&a, &c, way);
    if (s == NULL) {
        CHECK_SAY(0, "way %d: status %d", way, (int)c.status);
        return;
    }
    CHECK(c.status == WK_OK && (s->nblocks == 1 || c.btf));
    if (way == WK_ORDER_USER || way == 4) check_order(&a, s, way, asked, &c);
    wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
    for (int step = 0; step < 4 && f != NULL; step++) {
        CHECK(c.status == WK_OK && c.numerical_rank == (step == 0 ? n : WK_EMPTY));
        CHECK(c.singular_col == c.numerical_rank);
        check_solves(&a, s, f, &c);
        check_factors(&a, s, f, &c);
        check_arrays(&a, s, f, &c, inverse);
        check_numbers(&a, s, f, &c, inverse);
        fill(&a, &seed, step == 1 ? 1e-6 : 8.0); /* weak pivots, if they are on the diagonal */
        CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c));
    }
    CHECK(f != NULL && WK_NAME(free_numeric)(&f, &c) && f == NULL);
    CHECK(WK_SHARED(free_symbolic)(&s, &c) && s == NULL && c.memusage == 0 && c.mempeak > 0);
}

static void random_matrices(void)
{
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 60; k++) {
        int before = check_failures;
        check_one(k % 6, k % 4 == 0);
        if (check_failures > before) printf("#   in try %d\n", k);
    }
}

/* Several Numerics of one Symbolic, whose pivots differ; each one's arrays fit the Symbolic's Q. */
static void numerics_share_a_symbolic(void)
{
    static double _Complex inverse[MOST][MOST];
    enum { COUNT = 5 };
    static subject a[COUNT];
    wk_numeric *f[COUNT];
    wk_common c;
    WK_SHARED(defaults)(&c);
    make(&a[0], &seed, 30, 4, 0);
    wk_symbolic *s = WK_SHARED(analyze)(a[0].n, a[0].Ap, a[0].Ai, &c);
    for (int k = 0; k < COUNT; k++) {
        a[k] = a[0];
        fill(&a[k], &seed, k == 0 ? 8.0 : 1e-9);
        f[k] = WK_NAME(factor)(a[k].Ap, a[k].Ai, a[k].Ax, s, &c);
        CHECK(f[k] != NULL);
    }
    for (int k = 1; k < COUNT; k++) {
        check_arrays(&a[k], s, f[k], &c, inverse);
        check_solves(&a[k], s, f[k], &c);
    }
    CHECK(WK_SHARED(free_symbolic)(&s, &c)); /* before its Numerics */
    for (int k = 0; k < COUNT; k++) CHECK(WK_NAME(free_numeric)(&f[k], &c));
    CHECK(c.memusage == 0);
}

/* Rows and columns times powers of two, and a diagonal that no order can use. */
static void scale_badly(subject *a)
{
    int row[MOST];
    for (wk_int i = 0; i < a->n; i++) row[i] = (int)(uniform(&seed) * 16.0);
    fill(a, &seed, 1e-5);
    for (wk_int j = 0; j < a->n; j++) {
        const int col = (int)(uniform(&seed) * 16.0);
        for (wk_int p = a->Ap[j]; p < a->Ap[j + 1]; p++)
            for (int d = 0; d < DOUBLES; d++)
                a->Ax[DOUBLES * p + d] = ldexp(a->Ax[DOUBLES * p + d], row[a->Ai[p]] + col);
    }
}

/* Orders and scales that come with later replays, of a matching too, beside another Numeric of the Symbolic. */
static void orders_change(void)
{
    static double _Complex inverse[MOST][MOST];
    for (int k = 0; k < 16; k++) {
        subject a;
        wk_common c;
        WK_SHARED(defaults)(&c);
        c.scale = k % 2 == 0 ? 0 : 2;
        make(&a, &seed, MOST, 1 + k / 2 % 2, 0);
        wk_symbolic *s = WK_SHARED(analyze)(a.n, a.Ap, a.Ai, &c);
        wk_numeric *first = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
        scale_badly(&a);
        wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
        for (int step = 0; step < 1000; step++) CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c));
        check_factors(&a, s, f, &c);
        check_arrays(&a, s, f, &c, inverse);
        CHECK(WK_NAME(free_numeric)(&first, &c) && WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c));
    }
}

/* klu_rcond is that of the pivots as they are shown, where a refactorization has done without scales of rows too. */
static void rcond_without_scales(void)
{
    for (int k = 0; k < 8; k++) {
        subject a;
        wk_common c;
        double least = INFINITY, most = 0.0;
        WK_SHARED(defaults)(&c);
        c.scale = 1 + k % 2;
        make(&a, &seed, MOST, 1 + k / 2, 0);
        scale_badly(&a);
        wk_symbolic *s = WK_SHARED(analyze)(a.n, a.Ap, a.Ai, &c);
        wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
        c.scale = k / 2 % 2 - 1;
        CHECK(f != NULL && WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && f->Rs == NULL);
        for (wk_int i = 0; f != NULL && i < a.n; i++) {
            least = fmin(least, cabs(number(f->Udiag, i)));
            most = fmax(most, cabs(number(f->Udiag, i)));
        }
        CHECK(WK_NAME(rcond)(s, f, &c) && c.status == WK_OK);
        CHECK_SAY(fabs(c.rcond * most / least - 1.0) < 1e-12, "rcond %g, not %g", c.rcond, least / most);
        CHECK(WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c));
    }
}

/* Refactorizations show scales where these are asked for, whatever the one before was asked for: at once, too, as small
 * systems are. */
static void scales_come_and_go(void)
{
    static const int wanted[] = {0, 2, 0, 0, 2, 2, 2, 0, 1, 1, 0, -1, 2, 0};
    static double _Complex inverse[MOST][MOST];
    for (int k = 0; k < 8; k++) {
        subject a;
        wk_common c;
        WK_SHARED(defaults)(&c);
        make(&a, &seed, 3 + k, 2, 0);
        wk_symbolic *s = WK_SHARED(analyze)(a.n, a.Ap, a.Ai, &c);
        wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
        for (size_t w = 0; f != NULL && w < sizeof wanted / sizeof *wanted; w++) {
            c.scale = wanted[w];
            for (wk_int p = 0; p < DOUBLES * a.Ap[a.n]; p++) a.Ax[p] *= 1.25;
            CHECK(WK_NAME(refactor)(a.Ap, a.Ai, a.Ax, s, f, &c) && c.status == WK_OK);
            check_arrays(&a, s, f, &c, inverse);
        }
        CHECK(f != NULL && WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c));
    }
}

/* Scales of rows as klu_scale finds them. */
static void scales(void)
{
    subject a;
    wk_common c;
    double Rs[MOST];
    wk_int W[MOST];
    WK_SHARED(defaults)(&c);
    make(&a, &seed, 20, 4, 0);
    for (int way = -1; way <= 2; way++) {
        double sum[MOST] = {0}, largest[MOST] = {0};
        for (wk_int p = 0; p < a.Ap[a.n]; p++) {
            sum[a.Ai[p]] += cabs(number(a.Ax, p));
            largest[a.Ai[p]] = fmax(largest[a.Ai[p]], cabs(number(a.Ax, p)));
        }
        CHECK(WK_NAME(scale)(way, a.n, a.Ap, a.Ai, a.Ax, Rs, W, &c) && c.status == WK_OK);
        for (wk_int i = 0; i < a.n && way > 0; i++)
            CHECK(fabs(Rs[i] - (way == 1 ? sum[i] : largest[i])) <= 1e-15 * Rs[i]);
    }
    a.Ai[1] = a.Ai[0];
    CHECK(a.Ap[1] < 2 || (!WK_NAME(scale)(2, a.n, a.Ap, a.Ai, a.Ax, Rs, W, &c) && c.status == WK_INVALID));
    CHECK(WK_NAME(scale)(2, a.n, a.Ap, a.Ai, a.Ax, Rs, NULL, &c) &&
          WK_NAME(scale)(-1, 0, NULL, NULL, NULL, NULL, NULL, &c));
    CHECK(!WK_NAME(scale)(1, a.n, a.Ap, a.Ai, a.Ax, NULL, NULL, &c) && c.status == WK_INVALID);
}

int main(void)
{
    RUN(random_matrices);
    RUN(numerics_share_a_symbolic);
    RUN(orders_change);
    RUN(rcond_without_scales);
    RUN(scales_come_and_go);
    RUN(scales);
    return check_done();
}
