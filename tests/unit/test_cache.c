/* The cache of solvers by pattern, and indices of 64 bits: what is found again and what is not, what is given back,
 * bytes, allocations that fail. Threads have tests/threads/test_cache_threads.c. */
#include <warplu/cache.h>
#include <warplu/inspect.h>

#include "check.h"

#include "solver/pattern_cache.h"
#include "support/matrices.h"

#include <math.h>
#include <string.h>

enum { N = 40 };

static test_matrix grid, other;

static warplu_cache *make_cache(int64_t max_bytes)
{
    warplu_cache *cache = NULL;
    warplu_cache_options options;
    warplu_cache_init_options(&options);
    if (max_bytes >= 0) options.max_bytes = max_bytes;
    CHECK(warplu_cache_create(&cache, &options) == WARPLU_SUCCESS && cache != NULL);
    return cache;
}

static warplu_solver *open_for(warplu_cache *cache, const test_matrix *m, const warplu_options *options)
{
    warplu_solver *s = NULL;
    CHECK(warplu_open_solver(&s, cache, options, m->n, m->ptr, m->idx, m->x) == WARPLU_SUCCESS && s != NULL);
    return s;
}

/* Refactors and solves, and whether the answer is right. */
static int serves(warplu_solver *s, const test_matrix *m)
{
    double b[N], x[N], omega = 1.0;
    for (int32_t i = 0; i < m->n; i++) b[i] = 1.0 + i;
    if (warplu_refactor(s, m->x) < 0 || warplu_solve(s, 1, b, m->n, x, m->n) != WARPLU_SUCCESS) return 0;
    if (warplu_compute_backward_error(s, 0, m->x, 1, b, m->n, x, m->n, &omega) < 0) return 0;
    return omega < 1e-12;
}

static warplu_cache_statistics told(warplu_cache *cache)
{
    warplu_cache_statistics t = {.size = sizeof t};
    CHECK(warplu_cache_get_statistics(cache, &t) == WARPLU_SUCCESS && t.size == sizeof t);
    return t;
}

static void a_closed_solver_comes_back_with_its_pivots(void)
{
    warplu_cache *cache = make_cache(-1);
    warplu_solver *s = open_for(cache, &grid, NULL), *first = s;
    CHECK(serves(s, &grid));
    warplu_close_solver(&s);
    CHECK(s == NULL && told(cache).idle == 1 && told(cache).in_use == 0 && told(cache).bytes > 0);
    s = open_for(cache, &grid, NULL);
    CHECK(s == first && wlu_solver_pivots(s) != NULL);
    double b[N] = {1.0}, x[N];
    CHECK(warplu_solve(s, 1, b, N, x, N) == WARPLU_WRONG_PHASE); /* the factors are gone */
    CHECK(strcmp(warplu_get_message(s), "") != 0);
    int64_t factors = s->counted.factors;
    CHECK(serves(s, &grid) && s->counted.factors == factors); /* no search */
    warplu_close_solver(&s);
    warplu_cache_statistics t = told(cache);
    CHECK(t.patterns == 1 && t.analyzed == 1 && t.reused == 1 && t.cloned == 0 && t.evicted == 0);
    warplu_cache_destroy(&cache);
    CHECK(cache == NULL);
}

static void one_beside_another_shares_its_analysis_and_plan(void)
{
    warplu_cache *cache = make_cache(-1);
    warplu_solver *a = open_for(cache, &grid, NULL), *before = open_for(cache, &grid, NULL);
    CHECK(before != a && before->analysis == a->analysis && before->current.plan == NULL);
    CHECK(serves(a, &grid));
    warplu_solver *b = open_for(cache, &grid, NULL);
    CHECK(b != a && b->analysis == a->analysis && b->current.plan == a->current.plan && b->current.plan != NULL);
    CHECK(serves(b, &grid) && serves(before, &grid) && told(cache).cloned == 2 && told(cache).in_use == 3);
    warplu_close_solver(&a);
    warplu_close_solver(&b);
    warplu_close_solver(&before);
    warplu_solver *c = open_for(cache, &grid, NULL), *last = c;
    CHECK(told(cache).idle == 2 && told(cache).in_use == 1);
    warplu_close_solver(&c);
    c = open_for(cache, &grid, NULL);
    CHECK(c == last); /* closed last, opened first */
    warplu_destroy(&c);
    CHECK(told(cache).idle == 2 && told(cache).in_use == 0);
    warplu_cache_destroy(&cache);
}

static void other_patterns_and_options_are_not_mistaken(void)
{
    warplu_cache *cache = make_cache(-1);
    warplu_options csr, given;
    warplu_init_options(&csr);
    csr.storage = WARPLU_STORAGE_CSR;
    int32_t order[2][N];
    for (int32_t k = 0; k < N; k++) order[0][k] = k, order[1][k] = N - 1 - k;
    warplu_init_options(&given);
    given.ordering = WARPLU_ORDERING_GIVEN;
    warplu_solver *s[6];
    s[0] = open_for(cache, &grid, NULL);
    s[1] = open_for(cache, &other, NULL);
    s[2] = open_for(cache, &grid, &csr);
    given.row_order = NULL, given.col_order = order[0];
    s[3] = open_for(cache, &grid, &given);
    given.col_order = order[1];
    s[4] = open_for(cache, &grid, &given);
    given.row_order = order[1];
    s[5] = open_for(cache, &grid, &given);
    warplu_cache_statistics t = told(cache);
    CHECK_SAY(t.patterns == 6 && t.analyzed == 6, "%d patterns", (int)t.patterns);
    for (int k = 0; k < 6; k++) CHECK_SAY(serves(s[k], k == 1 ? &other : &grid), "solver %d", k);
    for (int k = 0; k < 6; k++) warplu_close_solver(&s[k]);
    memcpy(order[0], order[1], sizeof order[0]); /* the same order elsewhere, at a place that had another */
    given.row_order = NULL, given.col_order = order[0];
    s[0] = open_for(cache, &grid, &given);
    CHECK(told(cache).reused == 1 && told(cache).patterns == 6);
    warplu_close_solver(&s[0]);
    /* One index, and one pointer, that differ. */
    int32_t idx = grid.idx[1];
    CHECK(idx != 0);
    grid.idx[1] = 0;
    s[0] = open_for(cache, &grid, NULL);
    grid.idx[1] = idx;
    CHECK(told(cache).patterns == 7);
    warplu_destroy(&s[0]);
    CHECK(told(cache).patterns == 6);
    warplu_cache_destroy(&cache);
}

static void idle_ones_make_room_for_later_ones(void)
{
    warplu_cache *cache = make_cache(0);
    warplu_solver *s = open_for(cache, &grid, NULL);
    warplu_close_solver(&s);
    CHECK(told(cache).idle == 0 && told(cache).patterns == 0 && told(cache).evicted == 1 && told(cache).bytes == 0);
    warplu_cache_destroy(&cache);
    cache = make_cache(-1);
    s = open_for(cache, &grid, NULL);
    CHECK(serves(s, &grid));
    warplu_close_solver(&s);
    int64_t one = told(cache).bytes;
    warplu_cache_destroy(&cache);
    cache = make_cache(one);
    warplu_solver *t[2] = {open_for(cache, &grid, NULL), open_for(cache, &other, NULL)};
    CHECK(serves(t[0], &grid) && serves(t[1], &other));
    warplu_close_solver(&t[1]);
    warplu_close_solver(&t[0]);
    CHECK(told(cache).evicted >= 1 && told(cache).idle <= 1 && told(cache).bytes <= one);
    s = open_for(cache, &grid, NULL);
    CHECK(told(cache).reused == 1); /* the one closed last has stayed */
    warplu_close_solver(&s);
    warplu_cache_destroy(&cache);
}

static void what_has_left_its_pattern_does_not_come_back(void)
{
    warplu_cache *cache = make_cache(-1);
    warplu_solver *s = open_for(cache, &grid, NULL);
    CHECK(warplu_analyze(s, other.n, other.ptr, other.idx, NULL) == WARPLU_SUCCESS);
    warplu_solver *beside = open_for(cache, &grid, NULL);
    CHECK(serves(beside, &grid) && serves(s, &other));
    warplu_close_solver(&s);
    CHECK(told(cache).idle == 0 && told(cache).in_use == 1);
    warplu_cache_destroy(&cache); /* before its last solver */
    CHECK(serves(beside, &grid));
    warplu_close_solver(&beside);
    CHECK(warplu_create(&s, NULL) == WARPLU_SUCCESS);
    warplu_close_solver(&s); /* of no cache */
    CHECK(s == NULL);
    warplu_close_solver(&s);
    warplu_close_solver(NULL);
}

static void arguments_are_looked_at(void)
{
    warplu_cache *cache = (warplu_cache *)&grid;
    warplu_cache_options options = {.size = 3};
    CHECK(warplu_cache_create(&cache, &options) == WARPLU_INVALID_ARGUMENT && cache == NULL);
    warplu_cache_init_options(&options);
    options.max_bytes = -1;
    CHECK(warplu_cache_create(&cache, &options) == WARPLU_INVALID_ARGUMENT && cache == NULL);
    CHECK(warplu_cache_create(NULL, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_cache_create(&cache, NULL) == WARPLU_SUCCESS);
    warplu_solver *s = (warplu_solver *)&grid;
    CHECK(warplu_open_solver(&s, NULL, NULL, 1, grid.ptr, grid.idx, NULL) == WARPLU_INVALID_ARGUMENT && s == NULL);
    CHECK(warplu_open_solver(NULL, cache, NULL, 1, grid.ptr, grid.idx, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_open_solver(&s, cache, NULL, 0, grid.ptr, grid.idx, NULL) == WARPLU_EMPTY && s == NULL);
    CHECK(warplu_open_solver(&s, cache, NULL, -1, grid.ptr, grid.idx, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_open_solver(&s, cache, NULL, N, NULL, grid.idx, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_open_solver(&s, cache, NULL, N, grid.ptr, NULL, NULL) == WARPLU_INVALID_ARGUMENT);
    warplu_options wrong;
    warplu_init_options(&wrong);
    wrong.pivot_tolerance = 2.0;
    CHECK(warplu_open_solver(&s, cache, &wrong, N, grid.ptr, grid.idx, NULL) == WARPLU_INVALID_ARGUMENT);
    wrong.ordering = WARPLU_ORDERING_GIVEN; /* without an order */
    CHECK(warplu_open_solver(&s, cache, &wrong, N, grid.ptr, grid.idx, NULL) == WARPLU_INVALID_ARGUMENT);
    double nan = grid.x[3];
    grid.x[3] = NAN;
    CHECK(warplu_open_solver(&s, cache, NULL, N, grid.ptr, grid.idx, grid.x) == WARPLU_NOT_FINITE && s == NULL);
    grid.x[3] = nan;
    warplu_cache_statistics t = {.size = 0};
    CHECK(warplu_cache_get_statistics(cache, &t) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_cache_get_statistics(NULL, &t) == WARPLU_INVALID_ARGUMENT);
    t = told(cache);
    CHECK(t.patterns == 0 && t.idle == 0 && t.in_use == 0 && t.analyzed == 0);
    t.size = 16; /* an older caller's */
    t.idle = 99;
    CHECK(warplu_cache_get_statistics(cache, &t) == WARPLU_SUCCESS && t.size == 16 && t.idle == 99);
    warplu_cache_destroy(&cache);
    warplu_cache_destroy(&cache);
    warplu_cache_destroy(NULL);
}

/* ------------------------------------------------------------------ 64 bits */

static int64_t wide_ptr[N + 1], *wide_idx;

static void widen(void)
{
    wide_idx = malloc((size_t)grid.nnz * sizeof *wide_idx);
    for (int32_t j = 0; j <= N; j++) wide_ptr[j] = grid.ptr[j];
    for (int32_t q = 0; q < grid.nnz; q++) wide_idx[q] = grid.idx[q];
}

static void both_widths_are_one_pattern(void)
{
    warplu_cache *cache = make_cache(-1);
    warplu_solver *s = NULL;
    widen();
    CHECK(warplu_open_solver64(&s, cache, NULL, N, wide_ptr, wide_idx, NULL) == WARPLU_SUCCESS && serves(s, &grid));
    warplu_close_solver(&s);
    s = open_for(cache, &grid, NULL);
    CHECK(told(cache).reused == 1);
    warplu_close_solver(&s);
    CHECK(warplu_open_solver64(&s, cache, NULL, N, wide_ptr, wide_idx, NULL) == WARPLU_SUCCESS);
    CHECK(told(cache).reused == 2 && told(cache).patterns == 1);
    warplu_close_solver(&s);
    wide_idx[1] += (int64_t)1 << 32; /* the same in its low half */
    CHECK(warplu_open_solver64(&s, cache, NULL, N, wide_ptr, wide_idx, NULL) == WARPLU_INVALID_ARGUMENT && s == NULL);
    warplu_cache_destroy(&cache);
    free(wide_idx);
}

static void wide_indices_are_checked(void)
{
    warplu_solver *s = NULL;
    widen();
    CHECK(warplu_create(&s, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_analyze64(NULL, N, wide_ptr, wide_idx, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_analyze64(s, (int64_t)1 << 31, wide_ptr, wide_idx, NULL) == WARPLU_OVERFLOW);
    CHECK(warplu_analyze64(s, 0, wide_ptr, wide_idx, NULL) == WARPLU_EMPTY);
    CHECK(warplu_analyze64(s, -1, wide_ptr, wide_idx, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_analyze64(s, N, NULL, wide_idx, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_analyze64(s, N, wide_ptr, NULL, NULL) == WARPLU_INVALID_ARGUMENT);
    wide_ptr[N] += (int64_t)1 << 31;
    CHECK(warplu_analyze64(s, N, wide_ptr, wide_idx, NULL) == WARPLU_OVERFLOW);
    CHECK(strstr(warplu_get_message(s), "entries") != NULL);
    wide_ptr[N] = -1;
    CHECK(warplu_analyze64(s, N, wide_ptr, wide_idx, NULL) == WARPLU_INVALID_ARGUMENT);
    wide_ptr[N] = grid.nnz;
    wide_ptr[0] = 1;
    CHECK(warplu_analyze64(s, N, wide_ptr, wide_idx, NULL) == WARPLU_INVALID_ARGUMENT);
    wide_ptr[0] = 0;
    wide_idx[2] = (int64_t)1 << 32;
    CHECK(warplu_analyze64(s, N, wide_ptr, wide_idx, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(strstr(warplu_get_message(s), "idx[2] is 4294967296") != NULL);
    wide_idx[2] = grid.idx[2];
    CHECK(warplu_analyze64(s, N, wide_ptr, wide_idx, grid.x) == WARPLU_SUCCESS && serves(s, &grid));
    warplu_destroy(&s);
    free(wide_idx);
}

/* --------------------------------------------------------------- allocation */

static int64_t allocations, failing;

static void *take(size_t bytes, void *user)
{
    (void)user;
    return allocations++ >= failing ? NULL : malloc(bytes);
}

static void give(void *pointer, void *user)
{
    (void)user;
    free(pointer);
}

/* The solver's k-th allocation and all later ones, opened first, beside another, and again. */
static void without_memory_nothing_is_lost(void)
{
    warplu_options options;
    warplu_init_options(&options);
    options.allocate = take;
    options.release = give;
    int reached = 0;
    for (failing = 0; reached < 3 && failing < 2000; failing++) {
        warplu_cache *cache = make_cache(-1);
        warplu_solver *s = NULL, *beside = NULL;
        allocations = 0;
        warplu_status status = warplu_open_solver(&s, cache, &options, N, grid.ptr, grid.idx, grid.x);
        reached = status == WARPLU_SUCCESS;
        if (reached) {
            status = warplu_open_solver64(&beside, cache, &options, N, wide_ptr, wide_idx, NULL);
            reached += status == WARPLU_SUCCESS;
        }
        if (reached == 2) reached += serves(s, &grid) && serves(beside, &grid);
        CHECK(status == WARPLU_SUCCESS || status == WARPLU_OUT_OF_MEMORY);
        CHECK((s != NULL) == (reached >= 1) && (beside != NULL) == (reached >= 2));
        warplu_cache_statistics t = told(cache);
        CHECK(t.in_use == (s != NULL) + (beside != NULL) && t.patterns == (s != NULL) && t.idle == 0);
        warplu_close_solver(&beside);
        warplu_close_solver(&s);
        warplu_cache_destroy(&cache);
    }
    CHECK_SAY(reached == 3, "%d after %d", reached, (int)failing);
}

static void memory_runs_out(void)
{
    widen();
    without_memory_nothing_is_lost();
    free(wide_idx);
}

/* ------------------------------------------------------------------ re-entry */

static warplu_solver *calling;
static warplu_status answered;

static int call_again(void *user)
{
    (void)user;
    warplu_statistics t = {.size = sizeof t};
    answered = warplu_refactor(calling, grid.x);
    CHECK(warplu_get_statistics(calling, &t) == WARPLU_SUCCESS && t.n == 0);
    return 0;
}

static void a_call_from_within_a_call_is_refused(void)
{
    warplu_options options;
    warplu_init_options(&options);
    options.cancel = call_again;
    CHECK(warplu_create(&calling, &options) == WARPLU_SUCCESS);
    answered = WARPLU_SUCCESS;
    CHECK(warplu_analyze(calling, N, grid.ptr, grid.idx, NULL) == WARPLU_SUCCESS && answered == WARPLU_WRONG_PHASE);
    warplu_destroy(&calling);
}

int main(void)
{
    uint64_t seed = 17;
    test_recipe recipe = {.shape = TEST_GRID, .n = N};
    test_matrix_random(&grid, &seed, &recipe);
    recipe.shape = TEST_SPARSE;
    test_matrix_random(&other, &seed, &recipe);
    RUN(a_closed_solver_comes_back_with_its_pivots);
    RUN(one_beside_another_shares_its_analysis_and_plan);
    RUN(other_patterns_and_options_are_not_mistaken);
    RUN(idle_ones_make_room_for_later_ones);
    RUN(what_has_left_its_pattern_does_not_come_back);
    RUN(arguments_are_looked_at);
    RUN(both_widths_are_one_pattern);
    RUN(wide_indices_are_checked);
    RUN(memory_runs_out);
    RUN(a_call_from_within_a_call_is_refused);
    test_matrix_free(&grid);
    test_matrix_free(&other);
    return check_done();
}
