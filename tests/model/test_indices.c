/* How instances read their nodes' numbers and write sums: splices of runs against plain loops, and sums that a program
 * writes itself against those that are gathered (src/model/system/indices.h, bank.h). */
#include "model/exec/isa.h"
#include "model/system/system.h"

#include <stdlib.h>
#include <string.h>

#include "networks.h"
#include "support/check.h"

enum { MOST = 700 };

static uint64_t seed = 20261130;

/* Nodes in runs of 1 to `longest`, anywhere. */
static void draw(int32_t *node, int32_t count, int32_t nodes, int32_t longest)
{
    for (int32_t i = 0; i < count;) {
        int32_t length = 1 + check_below(&seed, longest < nodes ? longest : nodes);
        int32_t at = check_below(&seed, nodes - length + 1);
        for (; length > 0 && i < count; length--) node[i++] = at++;
    }
}

/* Reads all chunks by an instruction set; the array has no number more than there are nodes. */
static void check_reading(wlu_context *ctx, const int32_t *node, int32_t count, int32_t nodes, int *has_splices)
{
    double *from = malloc((size_t)nodes * sizeof *from), to[WLM_LANES];
    wlm_indices indices;
    for (int32_t k = 0; k < nodes; k++) from[k] = check_uniform(&seed);
    CHECK(wlm_indices_make(ctx, node, count, nodes, &indices) == WARPLU_SUCCESS);
    *has_splices += indices.splice != NULL;
    for (int isa = WLM_ISA_BEST; isa <= WLM_ISA_NEON; isa++) {
        const wlm_kernels *kernels = wlm_kernels_of((wlm_isa)isa);
        for (int32_t begin = 0; kernels != NULL && begin < count; begin += WLM_LANES) {
            int32_t lanes = count - begin < WLM_LANES ? count - begin : WLM_LANES;
            wlm_indices_read(&indices, kernels, from, begin, lanes, to);
            for (int32_t i = 0; i < lanes; i++)
                CHECK_SAY(to[i] == from[node[begin + i]], "isa %d, instance %d of %d", isa, begin + i, count);
        }
    }
    wlm_indices_free(ctx, &indices);
    free(from);
}

static void test_reading(void)
{
    static const int32_t longest[] = {1, 3, 7, 8, 20, 300};
    wlu_context ctx;
    int32_t *node = malloc(MOST * sizeof *node);
    int has_splices = 0;
    wlu_context_init(&ctx, NULL);
    for (int trial = 0; trial < 600; trial++) {
        const int32_t count = 1 + check_below(&seed, MOST), nodes = 1 + check_below(&seed, trial % 2 ? 20 : 900);
        draw(node, count, nodes, longest[trial % 6]);
        check_reading(&ctx, node, count, nodes, &has_splices);
    }
    CHECK_SAY(has_splices > 100 && has_splices < 500, "%d", has_splices);
    free(node);
}

enum { NODES = 150, SUMS = 5 };

/* Sums of a node: by one instance each, in order and not; the same subtracted; by two instances; by one of two outputs;
 * of every other node alone. */
static void make_sums(hand *h, int32_t *node)
{
    static const char *const name[SUMS] = {"one", "minus", "two", "both", "some"};
    int32_t a = hand_set(h, "a", NODES), f = hand_set(h, "f", NODES);
    hand_quantity(h, a, WLM_STORE, "x", 1.0);
    for (int k = 0; k < SUMS; k++) hand_quantity(h, f, WLM_SUM, name[k], 0.0);
    wlm_kind *all = hand_kind(h, "all", 2), *half = hand_kind(h, "half", 2);
    wlm_node x = hand_port(h, all, 0, "x"), square = hand_op(all, WLM_MUL, x, x);
    hand_add(h, all, 0, "x", hand_port(h, all, 1, "one"), WLM_NONE);
    hand_add(h, all, 1, "one", square, WLM_NONE);
    hand_add(h, all, 1, "minus", wlm_unary(all->graph, WLM_NEG, hand_op(all, WLM_ADD, x, square)), WLM_NONE);
    hand_add(h, all, 1, "two", hand_op(all, WLM_ADD, x, hand_number(all, 1.0)), WLM_NONE);
    hand_add(h, all, 1, "both", square, WLM_NONE);
    x = hand_port(h, half, 0, "x");
    hand_add(h, half, 1, "two", hand_op(half, WLM_ADD, x, hand_number(half, 2.0)), WLM_NONE);
    hand_add(h, half, 1, "some", hand_op(half, WLM_ADD, x, hand_number(half, 3.0)), WLM_NONE);
    for (int u = 0; u < 2; u++) {
        wlm_use *use = hand_use(h, u == 0 ? all : half, u == 0 ? NODES : NODES / 2);
        hand_bind(h, use, 0, a, 0, 1);
        hand_bind(h, use, 1, f, 0, 1);
        for (int32_t i = 0; i < use->count; i++) use->node[1][i] = node[i];
        hand_finish_use(h, use);
    }
}

static void check_sums(const int32_t *node, int in_order)
{
    hand h;
    wlu_context ctx;
    wlm_system *s = NULL;
    wlm_system_options o;
    double y[NODES], f[NODES];
    wlu_context_init(&ctx, NULL);
    hand_begin(&h);
    int32_t to[NODES];
    memcpy(to, node, sizeof to);
    make_sums(&h, to);
    wlm_system_options_init(&o);
    o.threads = 3;
    CHECK(wlm_system_create(&ctx, &h.model, &o, &s) == WARPLU_SUCCESS);
    const wlm_bank *all = &s->level[0].bank[0], *half = &s->level[0].bank[1];
    CHECK(all->outputs == 3 && all->output[0].is_sum == 0 && all->output[1].is_sum == 0 && all->output[2].is_sum == 0);
    CHECK(half->outputs == 2 && !half->output[0].is_sum && half->output[1].is_sum);
    CHECK(half->output[1].in_order == in_order);
    for (int32_t i = 0; i < NODES; i++) y[i] = check_uniform(&seed);
    for (int32_t i = 0; i < s->layout->sums; i++) s->sums[i] = -9.0;
    wlm_system_evaluate(s, 0.0, y, f, NULL);
    for (int32_t i = 0; i < NODES; i++) {
        const double x = y[i], *sum = s->sums + node[i];
        const int has = i < NODES / 2;
        const double two = has ? (x + 1.0) + (x + 2.0) : x + 1.0;
        CHECK(sum[0] == x * x && sum[NODES] == -(x + x * x) && sum[2 * NODES] == two && sum[3 * NODES] == x * x);
        CHECK(sum[4 * NODES] == (has ? x + 3.0 : 0.0) && f[i] == x * x);
    }
    wlm_system_destroy(&s);
    hand_end(&h);
}

static void test_whole_sums(void)
{
    int32_t node[NODES];
    for (int32_t i = 0; i < NODES; i++) node[i] = i;
    check_sums(node, 1);
    for (int32_t i = 0; i < NODES; i++) node[i] = 7 * i % NODES;
    check_sums(node, 0);
}

int main(void)
{
    RUN(test_reading);
    RUN(test_whole_sums);
    return check_done();
}
