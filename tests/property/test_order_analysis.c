/* The analysis as a whole: candidates, given orders, cancellation, failing allocations. */
#include "check.h"

#include "order/analysis.h"
#include "order/order.h"

#include <string.h>

enum { NMAX = 60, TRIES = 100 };

static uint64_t seed;

/* An allocator that counts what lives and fails once. */
typedef struct allocator {
    int64_t calls, fail_at, alive;
} allocator;

static void *counting_allocate(size_t bytes, void *user)
{
    allocator *al = user;
    if (++al->calls == al->fail_at) return NULL;
    void *p = malloc(bytes);
    al->alive += p != NULL;
    return p;
}

static void counting_release(void *pointer, void *user)
{
    allocator *al = user;
    al->alive--;
    free(pointer);
}

/* What these tests use of the defaults. */
static void set_options(warplu_options *o, allocator *al)
{
    memset(o, 0, sizeof *o);
    o->size = sizeof *o;
    o->btf = 1;
    o->expected_refactors = 1000.0;
    o->allocate = counting_allocate;
    o->release = counting_release;
    o->allocator_user = al;
}

/* Dense 3 by 3 blocks and some entries beside them, rows moved by shift so that the diagonal is not
 * zero-free. */
static wlu_pattern *make_pattern(wlu_context *ctx, int32_t n, double density, int32_t shift)
{
    static int32_t idx[400 * 16];
    static int32_t ptr[401];
    int32_t q = 0;
    for (int32_t j = 0; j < n; j++) {
        ptr[j] = q;
        for (int32_t i = 0; i < n; i++) {
            int near = i / 3 == j / 3;
            if ((near || check_uniform(&seed) < density) && q < 400 * 16) idx[q++] = (i + shift) % n;
        }
    }
    ptr[n] = q;
    wlu_pattern *a = NULL;
    wlu_pattern_create(ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &a);
    return a;
}

static void check_analysis(const wlu_analysis *an)
{
    for (int32_t c = 0; c < an->ncandidates; c++) {
        const wlu_candidate *k = &an->candidate[c];
        char row[400] = {0}, col[400] = {0};
        if (c > 0 && an->candidate[c - 1].joined == k->joined)
            CHECK(wlu_candidate_ns(&an->candidate[c - 1]) <= wlu_candidate_ns(k));
        CHECK(!k->joined || an->nblocks > 1);
        CHECK(k->predicted_ns > 0.0 && k->lu_nnz >= an->n && k->height >= 1 && k->order_ns >= 0);
        int32_t position[400];
        for (int32_t p = 0; p < an->n; p++) {
            CHECK(!row[k->row[p]]++ && !col[k->col[p]]++);
            position[k->row[p]] = p;
        }
        const int32_t *block = wlu_analysis_blocks(an, k);
        for (int32_t b = 0; b < wlu_analysis_nblocks(an, k); b++)
            for (int32_t p = block[b]; p < block[b + 1]; p++) {
                CHECK(an->rows_are_final || wlu_pattern_find(an->a, k->row[p], k->col[p]) >= 0);
                for (int32_t q = an->a->p[k->col[p]]; q < an->a->p[k->col[p] + 1]; q++)
                    CHECK(position[an->a->i[q]] < block[b + 1]);
            }
    }
}

static void every_ordering_gives_candidates(void)
{
    seed = 8128;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < TRIES; t++) {
        allocator al = {0};
        warplu_options o;
        wlu_context ctx;
        set_options(&o, &al);
        o.btf = t % 2;
        o.ordering = (warplu_ordering)(t % 5);
        wlu_context_init(&ctx, &o);
        int32_t n = 1 + check_below(&seed, NMAX);
        wlu_pattern *a = make_pattern(&ctx, n, check_uniform(&seed) / n, check_below(&seed, n));
        wlu_analysis *an = NULL;
        warplu_status status =
            wlu_analysis_create(&ctx, &o, t % 4 < 2 ? &wlu_cost_cpu : &wlu_cost_cuda, &a, NULL, WLU_DEPTH_RACED, &an);
        CHECK(a == NULL);
        if (!wlu_ordering_compiled(o.ordering)) {
            CHECK(status == WARPLU_NOT_COMPILED && an == NULL);
        } else {
            CHECK_SAY(status == WARPLU_SUCCESS, "%s", ctx.last_message);
            CHECK(o.btf || an->nblocks == 1);
            CHECK(o.ordering == WARPLU_ORDERING_AUTO ? an->ncandidates >= 1 : an->ncandidates == 1);
            CHECK(o.ordering == WARPLU_ORDERING_AUTO || an->candidate[0].ordering == o.ordering);
            check_analysis(an);
        }
        wlu_analysis_destroy(&ctx, &an);
        CHECK(an == NULL && al.alive == 0);
    }
}

static wlu_analysis *analyze(wlu_context *ctx, warplu_options *o, int32_t n, warplu_status expected)
{
    seed = 6;
    wlu_pattern *a = make_pattern(ctx, n, 1.0 / n, 1);
    wlu_analysis *an = NULL;
    warplu_status status = wlu_analysis_create(ctx, o, &wlu_cost_cpu, &a, NULL, WLU_DEPTH_RACED, &an);
    CHECK_SAY(status == expected, "%d: %s", (int)status, ctx->last_message);
    CHECK(a == NULL && (an == NULL) == (expected < 0));
    return an;
}

static void given_orders_are_taken_or_refused(void)
{
    enum { N = 9 };
    allocator al = {0};
    warplu_options o;
    wlu_context ctx;
    int32_t row[N], col[N];
    set_options(&o, &al);
    wlu_context_init(&ctx, &o);
    for (int32_t k = 0; k < N; k++) {
        row[k] = N - 1 - k;
        col[k] = (k * 2) % N;
    }
    o.ordering = WARPLU_ORDERING_GIVEN;
    analyze(&ctx, &o, N, WARPLU_INVALID_ARGUMENT); /* no orders */
    o.row_order = row;
    analyze(&ctx, &o, N, WARPLU_INVALID_ARGUMENT); /* rows alone */
    o.col_order = col;
    wlu_analysis *an = analyze(&ctx, &o, N, WARPLU_SUCCESS);
    CHECK(an->rows_are_final == 1 && an->nblocks == 1 && an->ncandidates == 1);
    CHECK(memcmp(an->candidate[0].row, row, sizeof row) == 0);
    CHECK(memcmp(an->candidate[0].col, col, sizeof col) == 0);
    CHECK(an->candidate[0].ordering == WARPLU_ORDERING_GIVEN);
    check_analysis(an);
    wlu_analysis_destroy(&ctx, &an);
    o.row_order = NULL;
    an = analyze(&ctx, &o, N, WARPLU_SUCCESS);
    CHECK(an->rows_are_final == 0 && an->nblocks == 1);
    CHECK(memcmp(an->candidate[0].col, col, sizeof col) == 0);
    check_analysis(an);
    wlu_analysis_destroy(&ctx, &an);
    col[3] = col[4];
    analyze(&ctx, &o, N, WARPLU_INVALID_ARGUMENT);
    CHECK_SAY(strstr(ctx.last_message, "col_order is no permutation") != NULL, "%s", ctx.last_message);
    col[3] = N;
    analyze(&ctx, &o, N, WARPLU_INVALID_ARGUMENT);
    CHECK_SAY(strstr(ctx.last_message, "col_order[3] is 9") != NULL, "%s", ctx.last_message);
    col[3] = 6;
    row[0] = -1;
    o.row_order = row;
    analyze(&ctx, &o, N, WARPLU_INVALID_ARGUMENT);
    CHECK_SAY(strstr(ctx.last_message, "row_order[0] is -1") != NULL, "%s", ctx.last_message);
    o.ordering = (warplu_ordering)17;
    analyze(&ctx, &o, N, WARPLU_INVALID_ARGUMENT);
    CHECK(al.alive == 0);
}

/* Dense blocks of 1 to 4 unknowns and all that is above them, rows and columns in disorder. Orders that are given as
 * the blocks stand keep them, others have fewer; without btf there is one. */
static void given_orders_have_the_blocks_that_they_show(void)
{
    enum { N = 10, BLOCKS = 4 };
    static const int32_t block_of[N] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3}, first[BLOCKS + 1] = {0, 1, 3, 6, 10};
    static const int32_t row_at[N] = {3, 0, 7, 1, 9, 2, 8, 4, 6, 5}, col_at[N] = {6, 1, 8, 0, 4, 9, 2, 7, 3, 5};
    int32_t ptr[N + 1], idx[N * N], place[N], joined[N], q = 0;
    for (int32_t k = 0; k < N; k++) place[col_at[k]] = k;
    for (int32_t j = 0; j < N; j++) {
        ptr[j] = q;
        for (int32_t k = 0; k < N; k++)
            if (block_of[k] <= block_of[place[j]]) idx[q++] = row_at[k];
    }
    ptr[N] = q;
    memcpy(joined, col_at, sizeof joined);
    joined[0] = col_at[1]; /* the first two blocks are one, the others are as they were */
    joined[1] = col_at[0];
    for (int kind = 0; kind < 8; kind++) {
        const int with_rows = kind & 1, in_one = kind & 2, btf = (kind & 4) == 0;
        const int32_t *col = in_one ? joined : col_at;
        allocator al = {0};
        warplu_options o;
        wlu_context ctx;
        wlu_pattern *a = NULL;
        wlu_analysis *an = NULL;
        set_options(&o, &al);
        o.ordering = WARPLU_ORDERING_GIVEN;
        o.btf = btf;
        o.col_order = col;
        o.row_order = with_rows ? row_at : NULL;
        wlu_context_init(&ctx, &o);
        CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, N, ptr, idx, &a) == WARPLU_SUCCESS);
        CHECK(wlu_analysis_create(&ctx, &o, &wlu_cost_cpu, &a, NULL, WLU_DEPTH_RACED, &an) == WARPLU_SUCCESS);
        CHECK_SAY(an->nblocks == (!btf     ? 1
                                  : in_one ? BLOCKS - 1
                                           : BLOCKS),
                  "kind %d: %d blocks", kind, (int)an->nblocks);
        for (int32_t b = 1; btf && b < an->nblocks; b++) CHECK(an->block[b] == first[in_one ? b + 1 : b]);
        CHECK(an->largest_block == (btf ? 4 : N));
        CHECK(memcmp(an->candidate[0].col, col, sizeof col_at) == 0);
        check_analysis(an);
        wlu_analysis_destroy(&ctx, &an);
        CHECK(al.alive == 0);
    }
}

/* Columns without an entry are no blocks of one, wherever they stand. */
static void empty_columns_are_no_blocks(void)
{
    enum { N = 4 };
    static const int32_t order[N] = {0, 1, 2, 3};
    for (int mask = 0; mask < 1 << N; mask++) { /* columns of it have their diagonal entry */
        allocator al = {0};
        warplu_options o;
        wlu_context ctx;
        wlu_pattern *a = NULL;
        wlu_analysis *an = NULL;
        int32_t ptr[N + 1], idx[N], q = 0;
        for (int32_t j = 0; j < N; j++) {
            ptr[j] = q;
            if ((mask >> j & 1) != 0) idx[q++] = j;
        }
        ptr[N] = q;
        set_options(&o, &al);
        o.ordering = WARPLU_ORDERING_GIVEN;
        o.row_order = o.col_order = order;
        wlu_context_init(&ctx, &o);
        CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, N, ptr, idx, &a) == WARPLU_SUCCESS);
        CHECK(wlu_analysis_create(&ctx, &o, &wlu_cost_cpu, &a, NULL, WLU_DEPTH_RACED, &an) == WARPLU_SUCCESS);
        CHECK(an->nblocks >= 1 && (mask != (1 << N) - 1 || an->nblocks == N));
        for (int32_t b = 0; b < an->nblocks; b++)
            CHECK(an->block[b + 1] - an->block[b] > 1 || (mask >> an->block[b] & 1) != 0);
        wlu_analysis_destroy(&ctx, &an);
        CHECK(al.alive == 0);
    }
}

/* A 20 by 20 grid: METIS is raced where there is time for it. */
static wlu_pattern *grid_pattern(wlu_context *ctx)
{
    enum { SIDE = 20, N = SIDE * SIDE };
    int32_t ptr[N + 1], idx[5 * N], q = 0;
    for (int32_t j = 0; j < N; j++) {
        ptr[j] = q;
        idx[q++] = j;
        if (j % SIDE > 0) idx[q++] = j - 1;
        if (j % SIDE < SIDE - 1) idx[q++] = j + 1;
        if (j >= SIDE) idx[q++] = j - SIDE;
        if (j < N - SIDE) idx[q++] = j + SIDE;
    }
    ptr[N] = q;
    wlu_pattern *a = NULL;
    wlu_pattern_create(ctx, WARPLU_STORAGE_CSC, N, ptr, idx, &a);
    return a;
}

static void the_budget_decides_who_races(void)
{
    if (!wlu_ordering_compiled(WARPLU_ORDERING_METIS)) SKIP("no METIS in this build");
    for (int rich = 0; rich < 2; rich++) {
        allocator al = {0};
        warplu_options o;
        wlu_context ctx;
        set_options(&o, &al);
        o.expected_refactors = rich ? 1e9 : 1.0;
        wlu_context_init(&ctx, &o);
        wlu_pattern *a = grid_pattern(&ctx);
        wlu_analysis *an = NULL;
        CHECK(wlu_analysis_create(&ctx, &o, &wlu_cost_cpu, &a, NULL, WLU_DEPTH_RACED, &an) == WARPLU_SUCCESS);
        CHECK(an->ncandidates == (rich ? 3 : 1));
        check_analysis(an);
        wlu_analysis_destroy(&ctx, &an);
        CHECK(al.alive == 0);
    }
}

static int cancel_at_second(void *user)
{
    int *polls = user;
    return ++*polls >= 2;
}

static void a_race_can_be_cancelled(void)
{
    allocator al = {0};
    warplu_options o;
    wlu_context ctx;
    int polls = 0;
    set_options(&o, &al);
    o.cancel = cancel_at_second;
    o.expected_refactors = 1e9; /* so that there is a second candidate */
    o.cancel_user = &polls;
    wlu_context_init(&ctx, &o);
    analyze(&ctx, &o, 30, WARPLU_CANCELLED);
    CHECK(polls == 2 && al.alive == 0);
}

/* A chain of n blocks of size 1, each an entry of F beside it. */
static wlu_pattern *chain_pattern(wlu_context *ctx, int32_t n)
{
    int32_t *ptr = malloc(((size_t)n + 1) * sizeof *ptr), *idx = malloc(2 * (size_t)n * sizeof *idx), q = 0;
    for (int32_t j = 0; j < n; j++) {
        ptr[j] = q;
        if (j > 0) idx[q++] = j - 1;
        idx[q++] = j;
    }
    ptr[n] = q;
    wlu_pattern *a = NULL;
    wlu_pattern_create(ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &a);
    free(ptr);
    free(idx);
    return a;
}

typedef enum sweep_pattern { SWEEP_BLOCKS, SWEEP_GRID, SWEEP_CHAIN } sweep_pattern;

/* Fails the k-th allocation for every k until none fails: nothing leaks, the pattern is always taken. */
static int64_t sweep(warplu_options *o, const wlu_cost *cost, allocator *al, sweep_pattern pattern)
{
    for (int64_t k = 1;; k++) {
        wlu_context ctx;
        memset(al, 0, sizeof *al);
        wlu_context_init(&ctx, o);
        seed = 12;
        wlu_pattern *a = pattern == SWEEP_GRID    ? grid_pattern(&ctx)
                         : pattern == SWEEP_CHAIN ? chain_pattern(&ctx, 200)
                                                  : make_pattern(&ctx, 30, 0.02, o->row_order == NULL);
        wlu_analysis *an = NULL;
        al->calls = 0;
        al->fail_at = k;
        warplu_status status = wlu_analysis_create(&ctx, o, cost, &a, NULL, WLU_DEPTH_RACED, &an);
        int64_t calls = al->calls;
        CHECK(a == NULL);
        CHECK(status == (calls >= k ? WARPLU_OUT_OF_MEMORY : WARPLU_SUCCESS));
        CHECK((an == NULL) == (status < 0));
        wlu_analysis_destroy(&ctx, &an);
        CHECK(al->alive == 0);
        if (status >= 0 || k > 100000) return calls;
    }
}

static void every_allocation_may_fail(void)
{
    int32_t row[30], col[30];
    for (int32_t k = 0; k < 30; k++) row[k] = col[k] = 29 - k;
    for (int o = WARPLU_ORDERING_AUTO; o <= WARPLU_ORDERING_GIVEN + 1; o++) {
        allocator al;
        warplu_options options;
        set_options(&options, &al);
        options.ordering = (warplu_ordering)(o > WARPLU_ORDERING_GIVEN ? WARPLU_ORDERING_GIVEN : o);
        options.expected_refactors = 1e9; /* METIS races too */
        if (o >= WARPLU_ORDERING_GIVEN) options.col_order = col;
        if (o > WARPLU_ORDERING_GIVEN) options.row_order = row;
        if (!wlu_ordering_compiled(options.ordering)) continue;
        printf("# %s: %d allocations\n", wlu_ordering_name(options.ordering),
               (int)sweep(&options, &wlu_cost_cpu, &al, SWEEP_BLOCKS));
        if (o != WARPLU_ORDERING_AUTO) continue;
        sweep(&options, &wlu_cost_cpu, &al, SWEEP_GRID);
        sweep(&options, &wlu_cost_cuda, &al, SWEEP_GRID);
        sweep(&options, &wlu_cost_cuda, &al, SWEEP_CHAIN);
    }
}

/* Where paths count, draws are raced within a budget: one candidate at most is left of them, the same every time, and
 * no worse with more of them. */
static void draws_are_raced(void)
{
    if (!wlu_ordering_compiled(WARPLU_ORDERING_METIS)) SKIP("no METIS in this build");
    static const double refactors[] = {1.0, 1e3, 1e3, 1e9};
    double ns[4];
    int draws[4] = {0};
    for (int t = 0; t < 4; t++) {
        allocator al = {0};
        warplu_options o;
        wlu_context ctx;
        set_options(&o, &al);
        o.expected_refactors = refactors[t];
        wlu_context_init(&ctx, &o);
        wlu_pattern *a = grid_pattern(&ctx);
        wlu_analysis *an = NULL;
        CHECK(wlu_analysis_create(&ctx, &o, &wlu_cost_cuda, &a, NULL, WLU_DEPTH_RACED, &an) == WARPLU_SUCCESS);
        check_analysis(an);
        for (int32_t c = 0; c < an->ncandidates; c++) draws[t] += an->candidate[c].ordering == WARPLU_ORDERING_METIS;
        ns[t] = wlu_candidate_ns(&an->candidate[0]);
        wlu_analysis_destroy(&ctx, &an);
        CHECK(al.alive == 0);
    }
    CHECK(draws[0] == 0 && draws[1] == 1 && draws[3] == 1);
    CHECK(ns[1] <= ns[0] && ns[2] == ns[1] && ns[3] <= ns[1]);
}

static wlu_analysis *analyze_chain(wlu_context *ctx, const warplu_options *o, const wlu_cost *cost, int32_t n)
{
    wlu_pattern *a = chain_pattern(ctx, n);
    wlu_analysis *an = NULL;
    CHECK(wlu_analysis_create(ctx, o, cost, &a, NULL, WLU_DEPTH_RACED, &an) == WARPLU_SUCCESS);
    check_analysis(an);
    return an;
}

/* Solving for n blocks that each wait for the one behind takes 2 n - 1 levels; as one block a dissected chain takes
 * some log n. A core has nothing to gain by it, few refactors have no time for it, and whoever names an order gets the
 * blocks. */
static void a_chain_of_blocks_is_joined_where_paths_count(void)
{
    enum { N = 400 };
    if (!wlu_ordering_compiled(WARPLU_ORDERING_METIS)) SKIP("no METIS in this build");
    allocator al = {0};
    warplu_options o;
    wlu_context ctx;
    set_options(&o, &al);
    wlu_context_init(&ctx, &o);
    wlu_analysis *an = analyze_chain(&ctx, &o, &wlu_cost_cuda, N);
    const wlu_candidate *c = &an->candidate[0];
    CHECK(an->nblocks == N && c->joined && wlu_analysis_nblocks(an, c) == 1 && wlu_analysis_blocks(an, c)[1] == N);
    CHECK(c->solve_ns < 100.0 * wlu_cost_cuda.path.ns_per_solve_level);
    const wlu_candidate *apart = c;
    while (apart->joined) apart++;
    CHECK(apart < an->candidate + an->ncandidates);
    CHECK(apart->solve_ns == (2.0 * N - 1.0) * wlu_cost_cuda.path.ns_per_solve_level);
    CHECK(wlu_candidate_ns(c) < wlu_candidate_ns(apart));
    wlu_analysis_destroy(&ctx, &an);
    an = analyze_chain(&ctx, &o, &wlu_cost_cpu, N);
    CHECK(an->ncandidates == 1 && !an->candidate[0].joined && an->candidate[0].solve_ns == 0.0);
    wlu_analysis_destroy(&ctx, &an);
    for (int t = 0; t < 2; t++) {
        o.ordering = t == 0 ? WARPLU_ORDERING_AMD : WARPLU_ORDERING_AUTO;
        o.expected_refactors = t == 0 ? 1000.0 : 1.0;
        an = analyze_chain(&ctx, &o, &wlu_cost_cuda, N);
        CHECK(an->ncandidates == 1 && !an->candidate[0].joined && an->candidate[0].solve_ns > 0.0);
        wlu_analysis_destroy(&ctx, &an);
    }
    CHECK(al.alive == 0);
}

static void a_large_triangle_is_linear(void)
{
    /* 200 000 blocks of size 1: anything quadratic would take minutes. */
    enum { N = 200000 };
    allocator al = {0};
    warplu_options o;
    wlu_context ctx;
    set_options(&o, &al);
    wlu_context_init(&ctx, &o);
    int32_t *ptr = malloc((N + 1) * sizeof *ptr), *idx = malloc(2 * N * sizeof *idx), q = 0;
    for (int32_t j = 0; j < N; j++) {
        ptr[j] = q;
        if (j > 0) idx[q++] = j / 2;
        idx[q++] = j;
    }
    ptr[N] = q;
    wlu_pattern *a = NULL;
    wlu_analysis *an = NULL;
    CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, N, ptr, idx, &a) == WARPLU_SUCCESS);
    CHECK(wlu_analysis_create(&ctx, &o, &wlu_cost_cpu, &a, NULL, WLU_DEPTH_RACED, &an) == WARPLU_SUCCESS);
    CHECK(an->nblocks == N && an->largest_block == 1 && an->ncandidates == 1);
    CHECK(an->candidate[0].terms == 0.0 && an->candidate[0].height == 1);
    CHECK(an->candidate[0].lu_nnz == 2.0 * N - 1);
    CHECK_SAY(an->analyze_ns < INT64_C(5000000000), "%g s", (double)an->analyze_ns * 1e-9);
    CHECK_SAY(al.calls < 100, "%d allocations", (int)al.calls);
    wlu_analysis_destroy(&ctx, &an);
    CHECK(al.alive == 0);
    free(ptr);
    free(idx);
}

int main(void)
{
    RUN(every_ordering_gives_candidates);
    RUN(given_orders_are_taken_or_refused);
    RUN(given_orders_have_the_blocks_that_they_show);
    RUN(empty_columns_are_no_blocks);
    RUN(the_budget_decides_who_races);
    RUN(a_race_can_be_cancelled);
    RUN(every_allocation_may_fail);
    RUN(draws_are_raced);
    RUN(a_chain_of_blocks_is_joined_where_paths_count);
    RUN(a_large_triangle_is_linear);
    return check_done();
}
