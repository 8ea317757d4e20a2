/* The path of a solve: levels counted by hand, and against the compiled solves; orders that are lowered. */
#include "build.h"
#include "check.h"

#include "cost/solve_path.h"
#include "pivot/attempts.h"
#include "support/options.h"

#include <string.h>

enum { NMAX = 60, TRIES = 200 };

static uint64_t seed;

static wlu_solve_path_time find(const wlu_cost *cost, const wlu_solve_path *chain)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlu_solve_path_time time = {0};
    CHECK(wlu_solve_path_find(&ctx, cost, chain, &time) == WARPLU_SUCCESS);
    CHECK(time.ns == time.levels * cost->path.ns_per_solve_level + time.wide * cost->path.ns_per_wide_level);
    return time;
}

/* Three blocks: a tree of two leaves and a root, one pivot, and a pair; entries of F from the pair to the single
 * one, and from that to a leaf.
 *
 *     block  0        1   2
 *     pivot  0 1 2    3   4 5
 *
 * pair:   y4 = b, y5 at 1, x5 at 2, x4 at 3
 * single: waits for x4; y3 at 4, x3 at 5
 * leaf 0: waits for x3; y0 at 6, y2 at 7, x2 at 8, x0 and x1 at 9 */
static void levels_are_counted_by_hand(void)
{
    static const int32_t block[] = {0, 3, 4, 6}, parent[] = {2, 2, -1, -1, 5, -1}, f_row[] = {0, 3};
    static const int64_t fp[] = {0, 0, 0, 0, 1, 2, 2};
    int32_t tile[] = {-1, -1, -1, -1, -1, -1};
    wlu_cost cost = wlu_cost_cuda;
    wlu_solve_path chain = {6, 3, block, parent, tile, fp, f_row};
    CHECK(find(&cost, &chain).levels == 9 && find(&cost, &chain).wide == 0);
    static const int64_t none[7] = {0};
    chain.fp = none;
    CHECK(find(&cost, &chain).levels == 3); /* y of a root, and up and down a tree of two */
    static const int32_t single[] = {0, 1, 2, 3, 4, 5, 6}, roots[] = {-1, -1, -1, -1, -1, -1};
    wlu_solve_path diagonal = {6, 6, single, roots, tile, none, f_row};
    CHECK(find(&cost, &diagonal).levels == 1);
    chain.fp = fp;
    tile[0] =
        0; /* the first block's leaf and its root: two tiles, which take the place of y2, x2 and x0; x1 waits for x2 */
    tile[2] = 1;
    CHECK(find(&cost, &chain).levels == 9); /* too few to be solved for by tiles */
    cost.solve_pivots = 2;
    CHECK(find(&cost, &chain).levels == 5 + 2 * cost.path.solve_tile_levels + 1);
    tile[2] = 0;
    CHECK(find(&cost, &chain).levels == 5 + cost.path.solve_tile_levels + 1);
}

/* Pivots of nothing but a diagonal: one level, wide from 64 records on. */
static void wide_levels_are_counted(void)
{
    enum { N = 64 };
    int32_t block[N + 1], parent[N], tile[N];
    int64_t fp[N + 1] = {0};
    for (int32_t k = 0; k < N; k++) {
        block[k] = k;
        parent[k] = tile[k] = -1;
    }
    block[N] = N;
    wlu_solve_path chain = {N, N, block, parent, tile, fp, NULL};
    CHECK(find(&wlu_cost_cuda, &chain).levels == 1 && find(&wlu_cost_cuda, &chain).wide == 1);
    chain.n = chain.nblocks = N - 1;
    CHECK(find(&wlu_cost_cuda, &chain).wide == 0);
}

/* Where A is a symmetric block of pivots on the diagonal, a candidate's levels are those of its compiled solve, without
 * tiles. */
static void predicted_levels_are_those_of_the_program(void)
{
    seed = 4711;
    printf("# seed %llu\n", (unsigned long long)seed);
    wlu_cost cost = wlu_cost_cuda;
    cost.solve_pivots = INT32_MAX;
    int chains = 0;
    for (int t = 0; t < TRIES; t++) {
        enum { ENTRIES = NMAX * NMAX };
        int32_t n = 1 + check_below(&seed, NMAX), size = 1 + check_below(&seed, 6), ptr[NMAX + 1], idx[ENTRIES], q = 0;
        uint8_t has[NMAX][NMAX] = {{0}};
        for (int32_t j = 0; j < n; j++) {
            has[j][j] = 1;
            if (j > 0 && j / size == (j - 1) / size) has[j][j - 1] = has[j - 1][j] = 1;
            int32_t i = check_below(&seed, j + 1);
            has[j][i] = 1; /* entry (i, j): F, or inside a block */
            if (i / size == j / size) has[i][j] = 1;
        }
        for (int32_t j = 0; j < n; j++) {
            ptr[j] = q;
            for (int32_t i = 0; i < n; i++)
                if (has[j][i]) idx[q++] = i;
        }
        ptr[n] = q;
        double values[ENTRIES];
        for (int32_t j = 0; j < n; j++)
            for (int32_t e = ptr[j]; e < ptr[j + 1]; e++) values[e] = idx[e] == j ? 100.0 : 1.0;
        warplu_options o;
        check_init_options(&o);
        o.ordering = WARPLU_ORDERING_AMD;
        test_build b = {.options = o};
        wlu_pattern *a = NULL;
        wlu_context_init(&b.ctx, &o);
        CHECK(wlu_pattern_create(&b.ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &a) == WARPLU_SUCCESS);
        CHECK(wlu_analysis_create(&b.ctx, &b.options, &cost, &a, values, WLU_DEPTH_RACED, &b.analysis) ==
              WARPLU_SUCCESS);
        CHECK(wlu_pivots_create(&b.ctx, &b.options, &cost, b.analysis, values, NULL, &b.pivots, &b.factors) ==
              WARPLU_SUCCESS);
        CHECK(test_build_program(&b, &cost) == WARPLU_SUCCESS);
        const wlu_candidate *c = &b.analysis->candidate[0];
        CHECK_SAY(c->solve_ns == b.program->solve.stream.nlevels * cost.path.ns_per_solve_level,
                  "n %d, blocks of %d: %g ns, %d levels", n, size, c->solve_ns, (int)b.program->solve.stream.nlevels);
        chains += b.analysis->nblocks > 1 && b.program->solve.stream.nlevels > 10;
        test_build_free(&b);
    }
    CHECK_SAY(chains > TRIES / 4, "%d chains", chains);
}

/* A chain that is eliminated from one end to the other. From both ends at once its height is half of that and one: no
 * more fill, and half of the time. */
static void chains_are_lowered(void)
{
    enum { N = 64 };
    int32_t ptr[N + 1], idx[3 * N], order[N], q = 0;
    for (int32_t j = 0; j < N; j++) {
        ptr[j] = q;
        order[j] = j;
        for (int32_t i = j > 0 ? j - 1 : 0; i <= j + 1 && i < N; i++) idx[q++] = i;
    }
    ptr[N] = q;
    warplu_options o;
    wlu_context ctx;
    wlu_pattern *a = NULL;
    check_init_options(&o);
    wlu_context_init(&ctx, &o);
    CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, N, ptr, idx, &a) == WARPLU_SUCCESS);
    wlu_transversal form[WLU_FORMS_MAX];
    int forms;
    CHECK(wlu_transversals_find(&ctx, &o, a, NULL, WLU_DEPTH_RACED, form, &forms) == WARPLU_SUCCESS);
    for (int lowers = 0; lowers <= 1; lowers++) {
        wlu_candidate c = {.ordering = WARPLU_ORDERING_NATURAL};
        CHECK(wlu_candidate_predict(&ctx, &wlu_cost_cuda, a, &form[0], lowers, order, NULL, &c) == WARPLU_SUCCESS);
        CHECK_SAY(c.height == (lowers ? N / 2 + 1 : N) && c.lu_nnz == 3 * N - 2, "lowers %d: height %d, %g entries",
                  lowers, (int)c.height, c.lu_nnz);
        wlu_free(&ctx, c.row);
        wlu_free(&ctx, c.col);
    }
    wlu_transversals_free(&ctx, form);
    wlu_pattern_destroy(&ctx, &a);
}

int main(void)
{
    RUN(levels_are_counted_by_hand);
    RUN(wide_levels_are_counted);
    RUN(predicted_levels_are_those_of_the_program);
    RUN(chains_are_lowered);
    return check_done();
}
