/* The graph that AMD is given: orders as amd_order's; counts of the factors, bounds or exact; random patterns. */
#include "check.h"

#include "cost/predict.h"
#include "order/order.h"

#include <string.h>
#include <suitesparse/amd.h>

enum { NMAX = 160, TRIES = 600 };

/* A random pattern with this share of entries above the diagonal, and below it of those that have a counterpart and of
 * those that have none; full: rows, or columns, that are full. */
static wlu_pattern *random_pattern(wlu_context *ctx, uint64_t *seed, int32_t n, double density, double paired,
                                   double alone, int full)
{
    static char there[NMAX][NMAX];
    static int32_t idx[NMAX * NMAX];
    int32_t ptr[NMAX + 1] = {0};
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i <= j; i++) {
            there[i][j] = i == j || check_uniform(seed) < density;
            if (i < j) there[j][i] = check_uniform(seed) < (there[i][j] ? paired : alone);
        }
    for (int k = 0; k < full; k++) {
        int32_t line = check_below(seed, n), column = check_below(seed, 2);
        for (int32_t i = 0; i < n; i++) there[column ? i : line][column ? line : i] = 1;
    }
    for (int32_t j = 0, q = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++)
            if (there[i][j]) idx[q++] = i;
        ptr[j + 1] = q;
    }
    wlu_pattern *a = NULL;
    CHECK(wlu_pattern_create(ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &a) == WARPLU_SUCCESS);
    return a;
}

static void orders_are_those_of_amd_order(void)
{
    uint64_t seed = 57721;
    wlu_context ctx;
    int64_t dense = 0, symmetric = 0;
    wlu_context_init(&ctx, NULL);
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < TRIES; t++) {
        int32_t n = t % 4 ? 3 + check_below(&seed, 60) : NMAX, order[NMAX], want[NMAX];
        double paired = t % 3 ? 1.0 : 0.7, alone = t % 3 == 1 ? 0.0 : 0.5 / n, info[AMD_INFO];
        wlu_pattern *a = random_pattern(&ctx, &seed, n, check_uniform(&seed) * 4.0 / n, paired, alone, t % 8 / 3);
        wlu_diagonal_block block = {.n = n, .p = a->p, .i = a->i};
        wlu_amd_counts counts;
        wlu_counts exact;
        CHECK(wlu_order_amd_counted(&ctx, &block, order, &counts) == WARPLU_SUCCESS);
        CHECK(amd_order(n, a->p, a->i, want, NULL, info) == AMD_OK);
        CHECK_SAY(memcmp(order, want, (size_t)n * sizeof *order) == 0, "n %d, try %d", n, t);
        CHECK(wlu_predict_counts(&ctx, &wlu_cost_cpu, n, &block, order, NULL, &exact) == WARPLU_SUCCESS);
        if (info[AMD_NDENSE] > 0.0)
            CHECK(counts.terms == exact.terms && n + 2.0 * counts.l_nnz == exact.lu_nnz);
        else
            CHECK(counts.terms == info[AMD_NMULTSUBS_LU] && counts.l_nnz == info[AMD_LNZ] &&
                  counts.terms >= exact.terms);
        dense += info[AMD_NDENSE] > 0.0;
        symmetric += info[AMD_SYMMETRY] == 1.0;
        wlu_pattern_destroy(&ctx, &a);
    }
    printf("# %d patterns, %lld symmetric, %lld with dense rows\n", TRIES, (long long)symmetric, (long long)dense);
    CHECK(symmetric > TRIES / 10 && dense > TRIES / 20);
}

int main(void)
{
    RUN(orders_are_those_of_amd_order);
    return check_done();
}
