/* Sums of contributions against plain loops that state their order (src/model/system/gather.h), bit by bit. */
#include "model/system/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

enum { TARGETS = 40, MOST = 20000, LENGTHS = 2400 };

static uint64_t seed = 20261129;
static wlu_context ctx;

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
        wlm_gather g;
        draw(c, counts[k]);
        CHECK(wlm_gather_make(&ctx, TARGETS, c->count, c->target, c->at, &g) == WARPLU_SUCCESS);
        CHECK(!g.straight);
        wlm_gather_sum(&g, c->value, 0, TARGETS, out);
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

/* One target with all counts up to some blocks: with and without a rest, fewer blocks and more than are summed side by
 * side. */
static void test_lengths(void)
{
    contributions *c = calloc(1, sizeof *c);
    for (int32_t count = 1; count < LENGTHS; count++) {
        wlm_gather g;
        double out = -1.0, x[LENGTHS];
        draw(c, count);
        memset(c->target, 0, sizeof c->target);
        CHECK(wlm_gather_make(&ctx, 1, count, c->target, c->at, &g) == WARPLU_SUCCESS);
        wlm_gather_sum(&g, c->value, 0, 1, &out);
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
    wlm_gather g;
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

/* One contribution to each target, one behind the other: straight. A gap, another order, signs or an empty target are
 * not. */
static void test_straight(void)
{
    static const int32_t target[4] = {0, 1, 2, 3};
    static const struct {
        int32_t targets, at[4];
        int straight;
    } cases[] = {{4, {3, 4, 5, 6}, 1}, {4, {3, 4, 5, 7}, 0},  {4, {4, 3, 5, 6}, 0},
                 {5, {3, 4, 5, 6}, 0}, {4, {3, ~4, 5, 6}, 0}, {4, {~3, ~2, ~1, ~0}, 0}};
    const double value[8] = {10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        wlm_gather g;
        double out[5];
        CHECK(wlm_gather_make(&ctx, cases[k].targets, 4, target, cases[k].at, &g) == WARPLU_SUCCESS);
        CHECK(g.straight == cases[k].straight);
        for (int32_t begin = 0; begin < 4; begin += 2) wlm_gather_sum(&g, value, begin, begin + 2, out);
        for (int32_t i = 0; i < 4; i++)
            CHECK(out[i] == (cases[k].at[i] < 0 ? -value[~cases[k].at[i]] : value[cases[k].at[i]]));
        wlm_gather_free(&ctx, &g);
    }
}

int main(void)
{
    wlu_context_init(&ctx, NULL);
    RUN(test_order);
    RUN(test_lengths);
    RUN(test_ranges);
    RUN(test_straight);
    return check_done();
}
