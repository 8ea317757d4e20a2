/* The core of a block: the graph that is left when low pivots are eliminated, by brute force; its dissection. Orders of
 * smallest height, by brute force too. */
#include "check.h"

#include "order/dissect_top.h"
#include "order/reduce_height.h"
#include "cost/predict.h"

#include <string.h>

enum { NMAX = 60, TRIES = 300 };

static uint64_t seed;
static wlu_context ctx;

/* A random pattern with a diagonal, sparse enough for low pivots, dense enough for a core. */
static wlu_pattern *make_pattern(int32_t n, double entries)
{
    static int32_t idx[NMAX * NMAX];
    int32_t ptr[NMAX + 1], q = 0;
    for (int32_t j = 0; j < n; j++) {
        ptr[j] = q;
        for (int32_t i = 0; i < n; i++)
            if (i == j || check_uniform(&seed) < entries / n) idx[q++] = i;
    }
    ptr[n] = q;
    wlu_pattern *a = NULL;
    CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &a) == WARPLU_SUCCESS);
    return a;
}

static void check_permutation(int32_t n, const int32_t *order)
{
    char seen[NMAX] = {0};
    for (int32_t k = 0; k < n; k++) CHECK(order[k] >= 0 && order[k] < n && !seen[order[k]]++);
}

/* The graph of the core is what elimination of the low pivots leaves. */
static void check_graph(const wlu_diagonal_block *b, const wlu_top *core)
{
    static char fill[NMAX][NMAX], found[NMAX][NMAX];
    int32_t n = b->n, pos[NMAX], low = core->nlow;
    memset(fill, 0, sizeof fill);
    memset(found, 0, sizeof found);
    for (int32_t k = 0; k < n; k++) pos[core->order[k]] = k;
    for (int32_t j = 0; j < n; j++)
        for (int32_t q = b->p[j]; q < b->p[j + 1]; q++) fill[pos[b->i[q]]][pos[j]] = fill[pos[j]][pos[b->i[q]]] = 1;
    for (int32_t k = 0; k < low; k++)
        for (int32_t r = k + 1; r < n; r++)
            for (int32_t c = k + 1; c < n; c++)
                if (fill[r][k] && fill[k][c]) fill[r][c] = 1;
    CHECK(core->block.n == n - low);
    for (int32_t j = 0; j < n - low; j++)
        for (int32_t q = core->p[j]; q < core->p[j + 1]; q++) {
            int32_t i = core->i[q];
            CHECK(i >= 0 && i < j && (q == core->p[j] || core->i[q - 1] < i));
            found[i][j] = 1;
        }
    for (int32_t j = low; j < n; j++)
        for (int32_t i = low; i < j; i++)
            CHECK_SAY(fill[i][j] == found[i - low][j - low], "n %d, low %d: %d, %d is %d", n, low, i, j,
                      found[i - low][j - low]);
}

/* The elimination tree by place. */
static void find_parents(const wlu_diagonal_block *block, const int32_t *order, int32_t *parent)
{
    int32_t tile[NMAX];
    const wlu_positions places = {parent, tile};
    wlu_counts counts;
    CHECK(wlu_predict_counts(&ctx, &wlu_cost_cpu, block->n, block, order, &places, &counts) == WARPLU_SUCCESS);
}

static void cores_are_what_elimination_leaves(void)
{
    seed = 112358;
    printf("# seed %llu\n", (unsigned long long)seed);
    wlu_context_init(&ctx, NULL);
    int both = 0;
    for (int t = 0; t < TRIES; t++) {
        int32_t n = 1 + check_below(&seed, NMAX), order[NMAX], parent[NMAX];
        wlu_pattern *a = make_pattern(n, 4.0 * check_uniform(&seed));
        wlu_diagonal_block block = {.n = n, .p = a->p, .i = a->i};
        wlu_top core;
        CHECK(wlu_order_amd(&ctx, &block, order) == WARPLU_SUCCESS);
        find_parents(&block, order, parent);
        CHECK(wlu_top_find(&ctx, &block, order, parent, WLU_TOP_HEIGHT, &core) == WARPLU_SUCCESS);
        check_permutation(n, core.order);
        check_graph(&block, &core);
        both += core.nlow > 0 && core.nlow < n;
        if (wlu_ordering_compiled(WARPLU_ORDERING_METIS)) {
            int32_t drawn[2][NMAX];
            for (int k = 0; k < 2; k++) {
                CHECK(wlu_top_dissect(&ctx, &core, 7, drawn[k]) == WARPLU_SUCCESS);
                check_permutation(n, drawn[k]);
                CHECK(memcmp(drawn[k], core.order, (size_t)core.nlow * sizeof *order) == 0);
            }
            CHECK(memcmp(drawn[0], drawn[1], (size_t)n * sizeof *order) == 0);
        }
        wlu_top_free(&ctx, &core);
        wlu_pattern_destroy(&ctx, &a);
    }
    CHECK_SAY(both > TRIES / 4, "%d of %d have both", both, TRIES);
}

/* Fills the graph of the permuted block, by position; returns the entries of L, diagonal included. */
static int64_t fill_graph(const wlu_diagonal_block *b, const int32_t *order, char (*fill)[NMAX])
{
    int32_t n = b->n, pos[NMAX];
    int64_t count = n;
    for (int32_t k = 0; k < n; k++) {
        pos[order[k]] = k;
        memset(fill[k], 0, NMAX);
    }
    for (int32_t j = 0; j < n; j++)
        for (int32_t q = b->p[j]; q < b->p[j + 1]; q++) fill[pos[b->i[q]]][pos[j]] = fill[pos[j]][pos[b->i[q]]] = 1;
    for (int32_t k = 0; k < n; k++)
        for (int32_t r = k + 1; r < n; r++) {
            count += fill[r][k];
            for (int32_t c = k + 1; c < n; c++)
                if (fill[r][k] && fill[k][c]) fill[r][c] = 1;
        }
    return count;
}

/* Steps that Jess and Kees take on a filled graph: all simplicial vertices of which no two are neighbours. */
static int32_t count_steps(int32_t n, char (*fill)[NMAX])
{
    char gone[NMAX] = {0};
    int32_t steps = 0;
    for (int32_t left = n; left > 0; steps++) {
        char now[NMAX] = {0};
        for (int32_t v = 0; v < n; v++) {
            int can = !gone[v];
            for (int32_t x = 0; x < n && can; x++) {
                if (gone[x] || x == v || !fill[v][x]) continue;
                can = !now[x];
                for (int32_t y = 0; y < x && can; y++) can = gone[y] || y == v || !fill[v][y] || fill[x][y];
            }
            now[v] = (char)can;
        }
        for (int32_t v = 0; v < n; v++) {
            left -= now[v];
            gone[v] |= now[v];
        }
    }
    return steps;
}

static void lower_orders_have_no_more_fill_and_the_smallest_height(void)
{
    static char fill[NMAX][NMAX];
    seed = 132134;
    printf("# seed %llu\n", (unsigned long long)seed);
    wlu_context_init(&ctx, NULL);
    int lowered = 0;
    for (int t = 0; t < 3 * TRIES; t++) {
        int32_t n = 1 + check_below(&seed, NMAX), order[NMAX], parent[NMAX], lower[NMAX], again[NMAX], height, same;
        wlu_pattern *a = make_pattern(n, 3.0 * check_uniform(&seed));
        wlu_diagonal_block block = {.n = n, .p = a->p, .i = a->i};
        wlu_counts before, after;
        CHECK((t % 2 ? wlu_order_amd : wlu_order_natural)(&ctx, &block, order) == WARPLU_SUCCESS);
        int64_t entries = fill_graph(&block, order, fill);
        find_parents(&block, order, parent);
        CHECK(wlu_order_reduce_height(&ctx, &block, order, parent, entries, n, lower, &height) == WARPLU_SUCCESS);
        check_permutation(n, lower);
        CHECK(wlu_predict_counts(&ctx, &wlu_cost_cpu, n, &block, order, NULL, &before) == WARPLU_SUCCESS);
        CHECK(wlu_predict_counts(&ctx, &wlu_cost_cpu, n, &block, lower, NULL, &after) == WARPLU_SUCCESS);
        CHECK_SAY(after.terms <= before.terms && after.lu_nnz <= before.lu_nnz, "n %d: %g entries, were %g", n,
                  after.lu_nnz, before.lu_nnz);
        CHECK_SAY(after.height <= count_steps(n, fill), "n %d: height %d, smallest %d", n, after.height,
                  count_steps(n, fill));
        CHECK(after.lu_nnz < before.lu_nnz || after.height == count_steps(n, fill));
        CHECK(height == after.height || (height > after.height && after.lu_nnz < before.lu_nnz));
        lowered += after.height < before.height;
        CHECK(wlu_order_reduce_height(&ctx, &block, order, parent, entries, height, again, &same) == WARPLU_SUCCESS);
        CHECK(same == height && memcmp(again, lower, (size_t)n * sizeof *lower) == 0);
        CHECK(wlu_order_reduce_height(&ctx, &block, order, parent, entries, height - 1, again, &same) ==
              WARPLU_SUCCESS);
        CHECK(same == 0);
        wlu_pattern_destroy(&ctx, &a);
    }
    CHECK_SAY(lowered > TRIES / 2, "%d lowered", lowered);
}

int main(void)
{
    RUN(cores_are_what_elimination_leaves);
    RUN(lower_orders_have_no_more_fill_and_the_smallest_height);
    return check_done();
}
