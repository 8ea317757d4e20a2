/* Lists of columns, over random patterns of real and complex values: refactorizations and solves by lists have the bits
 * of those by columns, health included, of values that are as they should be and of such as are not. */
#include "check.h"

#include "pivot/column_lists.h"
#include "pivot/search.h"
#include "support/build.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

enum { NMAX = 50, TRIES = 300 };

static uint64_t seed = 20261129;

static int same(const double *a, const double *b, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (memcmp(&a[k], &b[k], sizeof *a) != 0 && !(isnan(a[k]) && isnan(b[k]))) return 0;
    return 1;
}

static int same_health(const wlu_factors *a, const wlu_factors *b)
{
    const double x[] = {a->health.largest_l, a->health.largest_u, a->health.growth, a->health.smallest_pivot,
                        a->health.drift};
    const double y[] = {b->health.largest_l, b->health.largest_u, b->health.growth, b->health.smallest_pivot,
                        b->health.drift};
    return same(x, y, sizeof x / sizeof *x) && a->health.finite == b->health.finite;
}

static void compare(const test_build *b, wlu_factors *columns, wlu_factors *lists)
{
    const wlu_pivots *p = b->pivots;
    const int64_t d = p->doubles;
    double rhs[2 * NMAX], x[2 * NMAX], y[2 * NMAX];
    wlu_factors_refactor(columns, b->analysis->a, p, b->entries);
    wlu_factors_refactor(lists, b->analysis->a, p, b->entries);
    CHECK(same(columns->pivot, lists->pivot, d * p->n) && same(columns->lx, lists->lx, d * p->lp[p->n]));
    CHECK(same(columns->ux, lists->ux, d * p->up[p->n]) && same(columns->fx, lists->fx, d * p->fp[p->n]));
    CHECK(same_health(columns, lists));
    for (int transposed = 0; transposed <= 1; transposed++) {
        for (int64_t i = 0; i < d * p->n; i++) rhs[i] = y[i] = check_uniform(&seed) - 0.5;
        wlu_factors_solve(columns, p, transposed, rhs, x);
        wlu_factors_solve(lists, p, transposed, y, y); /* in place */
        CHECK(same(x, y, d * p->n));
    }
}

/* Values that are zero, huge, or no numbers. */
static void spoil(test_build *b)
{
    static const double bad[] = {0.0, NAN, INFINITY, 1e300, 1e-320};
    const int64_t at = check_below(&seed, b->analysis->a->nnz * b->pivots->doubles);
    b->entries[at] = bad[check_below(&seed, 5)];
}

static void scale_columns(test_build *b)
{
    int16_t row[NMAX], col[NMAX];
    wlu_pivots *p = NULL;
    wlu_factors *f = NULL;
    for (int32_t k = 0; k < b->pivots->n; k++) {
        row[k] = (int16_t)(check_below(&seed, 41) - 20);
        col[k] = (int16_t)(check_below(&seed, 41) - 20);
    }
    if (wlu_pivot_search(&b->ctx, &b->options, b->analysis, &b->analysis->candidate[0], row, col, b->entries, HUGE_VAL,
                         &p, &f) < 0)
        return;
    wlu_pivots_destroy(&b->ctx, &b->pivots);
    wlu_factors_destroy(&b->ctx, &b->factors);
    b->pivots = p;
    b->factors = f;
}

static void one_matrix(test_matrix *m)
{
    warplu_options o;
    test_build b;
    wlu_factors *columns = NULL, *lists = NULL;
    check_init_options(&o);
    o.scalar = m->doubles == 2 ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    o.scaling = (warplu_scaling)check_below(&seed, 3);
    o.btf = check_below(&seed, 4) > 0;
    if (test_build_pivots(&b, &o, m) < 0) return;
    if (test_matrix_doubles(m) == 1 && check_below(&seed, 3) == 0) scale_columns(&b);
    CHECK(wlu_factors_create(&b.ctx, b.pivots, &columns) == WARPLU_SUCCESS);
    CHECK(wlu_factors_create(&b.ctx, b.pivots, &lists) == WARPLU_SUCCESS);
    CHECK(wlu_column_lists_fit(b.analysis->a, b.pivots));
    CHECK(wlu_factors_add_lists(&b.ctx, b.analysis->a, b.pivots, lists) == WARPLU_SUCCESS);
    compare(&b, columns, lists);
    test_matrix_vary(m, &seed, 0.5);
    wlu_pattern_gather(b.analysis->a, m->x, b.entries);
    compare(&b, columns, lists);
    spoil(&b);
    compare(&b, columns, lists);
    wlu_factors_destroy(&b.ctx, &columns);
    wlu_factors_destroy(&b.ctx, &lists);
    test_build_free(&b);
}

static void lists_have_the_bits_of_columns(void)
{
    for (int t = 0; t < TRIES; t++) {
        if (!check_due()) continue;
        test_recipe r = test_recipe_random(&seed, NMAX);
        test_matrix m;
        int before = check_failures;
        r.weak_diagonal = 0;
        test_matrix_random(&m, &seed, &r);
        if (t % 3 == 0) test_matrix_make_complex(&m, &seed);
        one_matrix(&m);
        test_matrix_free(&m);
        if (check_failures > before) printf("#   in try %d: %s, n = %d\n", t, test_shape_name(r.shape), r.n);
    }
}

/* Without memory factors stay as they were. */
static void lack_of_memory_changes_nothing(void)
{
    test_recipe r = test_recipe_random(&seed, NMAX);
    test_matrix m;
    test_build b;
    test_allocator allocator = {0};
    warplu_options o;
    check_init_options(&o);
    test_use_allocator(&o, &allocator);
    r.weak_diagonal = 0;
    test_matrix_random(&m, &seed, &r);
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
    int64_t alive = allocator.alive, fail = 1;
    warplu_status status;
    do {
        allocator.calls = 0;
        allocator.fail_at = fail++;
        status = wlu_factors_add_lists(&b.ctx, b.analysis->a, b.pivots, b.factors);
        CHECK(status == WARPLU_SUCCESS || (allocator.alive == alive && b.factors->lists == NULL));
    } while (status == WARPLU_OUT_OF_MEMORY);
    CHECK(status == WARPLU_SUCCESS && fail > 4);
    allocator.fail_at = 0;
    test_build_free(&b);
    test_matrix_free(&m);
    CHECK(allocator.alive == 0);
}

int main(void)
{
    printf("# seed %llu\n", (unsigned long long)seed);
    RUN(lists_have_the_bits_of_columns);
    RUN(lack_of_memory_changes_nothing);
    return check_done();
}
