/* Values of hubs from a few numbers. See hub.h. */
#include "hub.h"

#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Factors of complex values: some leave products real, some make equal parts, some have all their digits. */
static const double turns[8][2] = {{1.0, 0.0}, {0.0, 1.0},  {1.0, 1.0},        {1.0, -1.0},
                                   {0.6, 0.8}, {-0.8, 0.6}, {0.5403, 0.84147}, {1.0, 0x1p-30}};

static int32_t longest_line(const hub_matrix *h)
{
    int32_t most = 1;
    for (int32_t g = 0; g < h->hubs; g++) {
        if (h->rows[g] > most) most = h->rows[g];
        if (h->columns[g] > most) most = h->columns[g];
    }
    return most;
}

/* ----------------------------------------------------------------- drawing */

hub_genes hub_benign(const hub_matrix *h, uint64_t *seed)
{
    double m = longest_line(h), size[] = {1.0, 1.0 / sqrt(m), 1.0 / m};
    int kind = check_below(seed, 3);
    hub_genes g = {.diagonal = 1.0, .inner = 0.2, .root = 2.0 + h->hubs, .between = 0.1, .plain = size[kind]};
    g.first = g.second = size[kind];
    g.part = 0.5;
    g.order = HUB_ALTERNATE;
    g.noise = kind == 0 ? 0.0 : 0.1;
    g.turn = draw_one_in(seed, 2) ? 0 : (int)(check_random(seed) >> 46);
    g.random = check_random(seed);
    return g;
}

static double power(uint64_t *seed, double least, double most)
{
    return exp2(draw_between(seed, least, most));
}

/* Lower bits that make sums of m equal terms, up and down again, round to one side (the terms are powers of two). */
static void choose_bits(hub_genes *g, double m, double lu, int bits)
{
    int exponent, of_lu = (int)floor(log2(lu));
    lu = ldexp(1.0, of_lu);
    (void)frexp(m / 16.0 * lu, &exponent);
    g->diagonal = 1.0 / lu;
    g->plain = g->first = g->second = 1.0;
    g->low = floor(0.49 * ldexp(1.0, exponent - bits) / lu * ldexp(1.0, bits - 1)) * ldexp(1.0, 1 - bits);
    g->part = 0.5;
    g->digits = 0;
    g->noise = 0.0;
    g->order = HUB_PARTS;
}

hub_genes hub_hostile(const hub_matrix *h, uint64_t *seed, double limit, int bits)
{
    double m = longest_line(h), lu = limit / (m * m) * power(seed, -3.0, 1.0);
    hub_genes g = hub_benign(h, seed);
    g.plain = power(seed, -4.0, 1.0);
    g.first = power(seed, -3.0, 1.5);
    g.second = draw_one_in(seed, 4) ? power(seed, -3.0, 1.5) : 0.0;
    g.diagonal = g.first * g.plain / lu;
    g.inner = g.diagonal * power(seed, -8.0, -1.0);
    g.root = power(seed, -2.0, 2.0);
    g.between = g.root * power(seed, -8.0, -1.0);
    g.part = draw_one_in(seed, 2) ? 0.5 : draw_between(seed, 0.1, 0.9);
    g.noise = draw_one_in(seed, 2) ? 0.0 : power(seed, -52.0, -1.0);
    g.digits = draw_one_in(seed, 2) ? 0 : 1 + check_below(seed, 6);
    g.columns = check_below(seed, 2);
    g.order = draw_one_in(seed, 2) ? HUB_PARTS : (hub_order)check_below(seed, HUB_ORDERS);
    if (draw_one_in(seed, 4)) choose_bits(&g, m, lu, bits);
    return g;
}

/* A factor near 1, or not so near. */
static double factor(uint64_t *seed)
{
    static const double spreads[] = {1.0, 0.25, 0.02, 1e-4, 1e-8};
    return exp2(spreads[check_below(seed, 5)] * draw_normal(seed));
}

static void mutate_one(hub_genes *g, uint64_t *seed)
{
    double *sizes[] = {&g->diagonal, &g->plain, &g->first, &g->root, &g->inner, &g->between, &g->low};
    switch (check_below(seed, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: *sizes[check_below(seed, 7)] *= factor(seed); break;
    case 5: g->diagonal *= factor(seed); break;
    case 6: g->second = g->second > 0.0 ? (draw_one_in(seed, 2) ? 0.0 : g->second * factor(seed)) : g->first; break;
    case 7: g->part = draw_one_in(seed, 3) ? 0.5 : fmin(fmax(g->part + 0.1 * draw_normal(seed), 0.0), 1.0); break;
    case 8: g->noise = draw_one_in(seed, 2) ? 0.0 : power(seed, -53.0, -1.0); break;
    case 9: g->digits = draw_one_in(seed, 2) ? 0 : 1 + check_below(seed, 6); break;
    case 10: g->columns = !g->columns; break;
    case 11: g->order = (hub_order)check_below(seed, HUB_ORDERS); break;
    case 12: g->turn = (int)(check_random(seed) >> 46); break;
    case 13: g->random = check_random(seed); break;
    case 14: g->low = g->low > 0.0 ? -g->low : power(seed, -50.0, -20.0); break;
    default: g->root *= draw_one_in(seed, 2) ? -1.0 : factor(seed); break;
    }
}

hub_genes hub_mutate(const hub_genes *genes, uint64_t *seed)
{
    hub_genes g = *genes;
    for (int k = check_below(seed, 3); k >= 0; k--) mutate_one(&g, seed);
    return g;
}

void hub_jitter(hub_genes *g, uint64_t *seed)
{
    double *sizes[] = {&g->diagonal, &g->plain, &g->first, &g->root, &g->inner, &g->between};
    double spread = power(seed, -20.0, -3.0);
    for (int k = 0; k < 6; k++) *sizes[k] *= 1.0 + spread * draw_normal(seed);
    if (draw_one_in(seed, 2)) g->random = check_random(seed);
}

/* -------------------------------------------------------------- expression */

static int is_positive(const hub_genes *g, int32_t place, int32_t length, int32_t cut)
{
    switch (g->order) {
    case HUB_PARTS: return place < cut;
    case HUB_FOUR: return place % (length / 2 + 1) < cut / 2;
    case HUB_DOUBLING: return (ilogb(1.0 + place) & 1) == 0;
    case HUB_ALTERNATE: return place % 2 == 0;
    case HUB_LANES: return place % 8 < 4;
    case HUB_SCATTERED: return (int)(draw_seed(g->random, place) >> 63);
    case HUB_POSITIVE:
    case HUB_ORDERS: break;
    }
    return 1;
}

/* Of a line that has parts, entry `place` of so many. */
static double of_parts(const hub_genes *g, int32_t place, int32_t length)
{
    int32_t cut = (int32_t)floor(g->part * length);
    double second = g->second > 0.0 || cut == 0 || cut == length ? g->second : g->first * cut / (length - cut);
    if (is_positive(g, place, length, cut)) return g->first * (1.0 + g->low);
    return -(second > 0.0 ? second : g->first) * (1.0 - g->low);
}

static double plain_value(const hub_matrix *h, const hub_genes *g, int32_t q)
{
    int32_t of = h->hub[q];
    switch ((hub_role)h->role[q]) {
    case HUB_DIAGONAL: return g->diagonal;
    case HUB_INNER: return g->inner;
    case HUB_ROOT: return g->root * (1.0 + of / 8.0);
    case HUB_BETWEEN: return g->between;
    case HUB_ROW: return g->columns ? g->plain : of_parts(g, h->place[q], h->rows[of]);
    case HUB_COLUMN: return g->columns ? of_parts(g, h->place[q], h->columns[of]) : g->plain;
    }
    return 0.0;
}

static double rounded_to(double value, int digits)
{
    double unit = pow(10.0, digits), r = rint(value * unit) / unit;
    return digits == 0 || r == 0.0 ? value : r;
}

void hub_express(hub_matrix *h, const hub_genes *g)
{
    uint64_t seed = g->random | 1;
    const int32_t d = test_matrix_doubles(&h->m);
    for (int32_t q = 0; q < h->m.nnz; q++) {
        double value = plain_value(h, g, q);
        if (g->noise > 0.0) value *= 1.0 + g->noise * (2.0 * check_uniform(&seed) - 1.0);
        value = rounded_to(value, g->digits);
        const double *turn = turns[g->turn >> 3 * h->role[q] & 7];
        for (int32_t k = 0; k < d; k++) h->m.x[d * (int64_t)q + k] = d == 1 ? value : value * turn[k];
    }
}

void hub_print(const hub_matrix *h, const hub_genes *g)
{
    static const char *const shapes[] = {"arrow", "bordered", "stars", "supply"};
    printf("%s, n %d, nnz %d, hubs %d, longest line %d; diagonal %.17g, inner %.17g, root %.17g, between %.17g, "
           "plain %.17g, first %.17g, second %.17g, part %.17g, low %.17g, noise %.3g, digits %d, columns %d, order "
           "%d, turn %d",
           shapes[h->shape], h->m.n, h->m.nnz, h->hubs, longest_line(h), g->diagonal, g->inner, g->root, g->between,
           g->plain, g->first, g->second, g->part, g->low, g->noise, g->digits, g->columns, (int)g->order, g->turn);
}
