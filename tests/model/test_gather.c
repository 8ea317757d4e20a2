/* Sums of contributions against plain loops that state their order (src/model/system/gather.h), bit by bit. */
#include "model/system/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/exec/isa.h"
#include "support/check.h"

enum { TARGETS = 40, MOST = 20000, LENGTHS = 2400 };

static uint64_t seed = 20261129;
static wlu_context ctx;
static const wlm_finish none;

static void sum(const wlm_gather *g, const double *value, int32_t begin, int32_t end, double *out)
{
    wlm_gather_sum(g, wlm_kernels_of(WLM_ISA_BEST), value, &none, begin, end, out);
}

/* Contributions to targets at random, to some very many, half of them to be subtracted; each stands at a place of its
 * own. */
typedef struct contributions {
    int32_t count, target[MOST], at[MOST];
    double value[MOST];
} contributions;

static void draw(contributions *c, int32_t count)
{
    c->count = count;
    for (int32_t k = 0; k < count; k++) {
        c->target[k] = check_below(&seed, 2) == 0 ? check_below(&seed, 3) : check_below(&seed, TARGETS);
        c->at[k] = (int32_t)((7919LL * k + 11) % MOST);
        if (check_below(&seed, 2) == 0) c->at[k] = ~c->at[k];
    }
    for (int32_t k = 0; k < MOST; k++) c->value[k] = ldexp(check_uniform(&seed) - 0.5, check_below(&seed, 60));
}

/* Those of a target in the order given. */
static int32_t collect(const contributions *c, int32_t target, double *x)
{
    int32_t count = 0;
    for (int32_t k = 0; k < c->count; k++)
        if (c->target[k] == target) x[count++] = c->at[k] < 0 ? -c->value[~c->at[k]] : c->value[c->at[k]];
    return count;
}

static double by_rule(const double *x, int32_t count)
{
    double sum = 0.0;
    for (int32_t begin = 0; begin < count; begin += 128) {
        double block = x[begin];
        for (int32_t k = begin + 1; k < count && k < begin + 128; k++) block += x[k];
        sum = begin > 0 ? sum + block : block;
    }
    return sum;
}

static void test_order(void)
{
    static const int32_t counts[] = {0, 1, 100, 128, 129, 300, 1000, 5003, MOST};
    contributions *c = calloc(1, sizeof *c);
    double *x = calloc(MOST, sizeof *x), out[TARGETS], expected[TARGETS];
    int longest = 0;
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        wlm_gather g = {0};
        draw(c, counts[k]);
        CHECK(wlm_gather_make(&ctx, TARGETS, c->count, c->target, c->at, &g) == WARPLU_SUCCESS);
        sum(&g, c->value, 0, TARGETS, out);
        for (int32_t i = 0; i < TARGETS; i++) {
            int32_t count = collect(c, i, x);
            longest += count > 4 * 128;
            expected[i] = by_rule(x, count);
        }
        CHECK_SAY(memcmp(out, expected, sizeof out) == 0, "%d contributions", counts[k]);
        wlm_gather_free(&ctx, &g);
    }
    CHECK(longest > 5);
    free(x);
    free(c);
}

/* One target with counts up to some blocks: with and without a rest, fewer blocks and more than are summed side by
 * side. */
static void test_lengths(void)
{
    contributions *c = calloc(1, sizeof *c);
    for (int32_t count = 1; count < LENGTHS; count += 1 + count / 64) {
        wlm_gather g = {0};
        double out = -1.0, x[LENGTHS];
        draw(c, count);
        memset(c->target, 0, sizeof c->target);
        CHECK(wlm_gather_make(&ctx, 1, count, c->target, c->at, &g) == WARPLU_SUCCESS);
        sum(&g, c->value, 0, 1, &out);
        const double expected = by_rule(x, collect(c, 0, x));
        CHECK_SAY(memcmp(&out, &expected, sizeof out) == 0, "%d contributions", count);
        wlm_gather_free(&ctx, &g);
    }
    free(c);
}

/* Members' ranges follow each other, hold all targets, and weigh what they should: a target as its contributions and
 * one. */
static void test_ranges(void)
{
    contributions *c = calloc(1, sizeof *c);
    wlm_gather g = {0};
    draw(c, 500);
    CHECK(wlm_gather_make(&ctx, TARGETS, c->count, c->target, c->at, &g) == WARPLU_SUCCESS);
    for (int members = 1; members <= 7; members++) {
        int32_t begin, end, before = 0;
        for (int k = 0; k < members; k++, before = end) {
            const int64_t share = (int64_t)(c->count + TARGETS) / members * k;
            wlm_gather_range(&g, k, members, &begin, &end);
            CHECK(begin == before && end >= begin);
            CHECK(g.ptr[begin] + begin >= share && (begin == 0 || g.ptr[begin - 1] + begin - 1 < share));
        }
        CHECK(end == TARGETS);
    }
    wlm_gather_free(&ctx, &g);
    free(c);
}

/* Four neighbours with places one further, whatever the signs, are a run that is alike. A gap, another order, other
 * signs or another count end it; what stands between is one run of lists. */
static void test_runs(void)
{
    enum { SUMS = 8 };
    static const struct {
        int32_t count, target[10], at[10], runs, alike; /* alike: of the first run */
    } cases[] = {{8, {0, 1, 2, 3, 4, 5, 6, 7}, {3, 4, 5, 6, 7, 8, 9, 10}, 1, 1},
                 {8, {0, 1, 2, 3, 4, 5, 6, 7}, {3, 4, 5, 6, 8, 9, 10, 11}, 2, 1},
                 {8, {0, 1, 2, 3, 4, 5, 6, 7}, {3, 4, 5, 6, 8, 10, 12, 14}, 2, 1},
                 {8, {0, 1, 2, 3, 4, 5, 6, 7}, {4, 3, 6, 5, 8, 9, 10, 11}, 2, 0},
                 {8, {0, 1, 2, 3, 4, 5, 6, 7}, {3, 4, 5, 9, 10, 11, 12, 1}, 3, 0},
                 {8, {0, 1, 2, 3, 4, 5, 6, 7}, {~3, ~4, ~5, ~6, ~7, ~8, ~9, ~10}, 1, 1},
                 {8, {0, 1, 2, 3, 4, 5, 6, 7}, {3, ~4, 5, ~6, 7, ~8, 9, ~10}, 1, 0},
                 {8, {0, 1, 2, 3, 4, 5, 6, 7}, {~10, ~9, ~8, ~7, ~6, ~5, ~4, ~3}, 1, 0},
                 {10, {0, 0, 1, 1, 2, 2, 3, 3, 5, 6}, {~2, 5, ~3, 6, ~4, 7, ~5, 8, 9, 10}, 2, 1},
                 {10, {0, 0, 1, 1, 3, 3, 4, 5, 6, 7}, {~2, 5, ~3, 6, ~5, 8, 9, 10, 11, 12}, 2, 0}};
    double value[16];
    for (int k = 0; k < 16; k++) value[k] = 10.0 + k;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        wlm_gather g = {0};
        double out[SUMS], expected[SUMS] = {0.0};
        for (int i = 0; i < cases[k].count; i++) {
            const int32_t at = cases[k].at[i];
            expected[cases[k].target[i]] += at < 0 ? -value[~at] : value[at];
        }
        CHECK(wlm_gather_make(&ctx, SUMS, cases[k].count, cases[k].target, cases[k].at, &g) == WARPLU_SUCCESS);
        CHECK_SAY(g.runs == cases[k].runs, "%d: %d runs", (int)k, g.runs);
        CHECK_SAY(g.run[0].alike == cases[k].alike, "%d", (int)k);
        for (int32_t begin = 0; begin < SUMS; begin += 2) sum(&g, value, begin, begin + 2, out);
        CHECK(memcmp(out, expected, sizeof out) == 0);
        wlm_gather_free(&ctx, &g);
    }
}

/* Runs of `terms` terms and length `length`, with a target of its own between them. */
static void draw_lines(contributions *c, int32_t terms, int32_t length)
{
    const int signs = check_below(&seed, 1 << (WLM_SUM_TERMS + 2));
    c->count = 0;
    for (int32_t i = 0; i < TARGETS; i++)
        for (int32_t k = 0; k < terms; k++, c->count++) {
            const int32_t at = 100 * k + i + (i % (length + 1) == length ? 50 : 0);
            c->target[c->count] = i;
            c->at[c->count] = signs >> k & 1 ? ~at : at;
        }
    for (int32_t k = 0; k < MOST; k++) c->value[k] = ldexp(check_uniform(&seed) - 0.5, check_below(&seed, 60));
}

/* Runs of all lengths and numbers of terms have the bits of lists, in ranges, by each instruction set, and so has what
 * is made of their sums: rates and steps. */
static void test_lines(void)
{
    contributions *c = calloc(1, sizeof *c);
    double x[TARGETS], mass[TARGETS], y[TARGETS], out[TARGETS];
    for (int i = 0; i < TARGETS; i++) mass[i] = 0.5 + check_uniform(&seed), y[i] = check_uniform(&seed);
    for (int trial = 0; trial < 20 * (WLM_SUM_TERMS + 2) * 3; trial++) {
        wlm_gather g = {0};
        const wlm_finish finish = {trial % 3 > 0 ? mass : NULL, trial % 3 > 1 ? y : NULL, 0.37};
        draw_lines(c, trial / 3 % (WLM_SUM_TERMS + 2), 1 + trial / 3 / (WLM_SUM_TERMS + 2));
        CHECK(wlm_gather_make(&ctx, TARGETS, c->count, c->target, c->at, &g) == WARPLU_SUCCESS);
        for (int isa = WLM_ISA_BEST; isa <= WLM_ISA_NEON; isa++) {
            const wlm_kernels *kernels = wlm_kernels_of((wlm_isa)isa);
            const int32_t middle = check_below(&seed, TARGETS);
            if (kernels == NULL) continue;
            wlm_gather_sum(&g, kernels, c->value, &finish, 0, middle, out);
            wlm_gather_sum(&g, kernels, c->value, &finish, middle, TARGETS, out);
            for (int32_t i = 0; i < TARGETS; i++) {
                double expected = by_rule(x, collect(c, i, x));
                if (trial % 3 > 0) expected = expected / mass[i];
                if (trial % 3 > 1) expected = y[i] + 0.37 * expected;
                CHECK_SAY(out[i] == expected, "trial %d, isa %d, target %d", trial, isa, i);
            }
        }
        wlm_gather_free(&ctx, &g);
    }
    free(c);
}

/* Targets that others write are left alone. */
static void test_others(void)
{
    contributions *c = calloc(1, sizeof *c);
    wlm_gather g = {0};
    double out[TARGETS], x[TARGETS];
    unsigned char others[TARGETS] = {0};
    draw_lines(c, 2, 9);
    others[0] = others[13] = others[15] = others[23] = others[24] = others[TARGETS - 1] = 1; /* 14 is between two */
    CHECK(wlm_gather_make(&ctx, TARGETS, c->count, c->target, c->at, &g) == WARPLU_SUCCESS);
    CHECK(wlm_gather_leave(&ctx, &g, others) == WARPLU_SUCCESS);
    for (int32_t i = 0; i < TARGETS; i++) out[i] = -7.0;
    sum(&g, c->value, 0, 20, out);
    sum(&g, c->value, 20, TARGETS, out);
    for (int32_t i = 0; i < TARGETS; i++) CHECK(out[i] == (others[i] ? -7.0 : by_rule(x, collect(c, i, x))));
    wlm_gather_free(&ctx, &g);
    free(c);
}

int main(void)
{
    wlu_context_init(&ctx, NULL);
    RUN(test_order);
    RUN(test_lengths);
    RUN(test_ranges);
    RUN(test_runs);
    RUN(test_lines);
    RUN(test_others);
    return check_done();
}
