/* Attacks that are drawn. See kinds.h. */
#include "kinds.h"

#include "draw.h"
#include "families.h"
#include "product.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_N = 300 };

/* ------------------------------------------------------------------ pieces */

/* Each first value times a factor of its own near 1. */
static void vary(const genome *g, uint64_t *seed, double spread, double *values)
{
    for (int32_t q = 0; q < g->m.nnz; q++) values[q] = g->m.x[q] * (1.0 + spread * draw_normal(seed));
}

/* The values at hand after the steps so far. */
static const double *values_of(const genome *g)
{
    return g->step[genome_values_before(g, g->steps - 1)].numbers;
}

/* b := A x, or A' x, of the values at hand. */
static void multiply(const genome *g, int transposed, const double *x, double *b)
{
    product(&g->m, values_of(g), transposed != (g->options.storage == WARPLU_CSR), x, b);
}

/* A right-hand side of no particular kind: uniform, ones, the product with signs, aimed. */
static void add_solve(genome *g, uint64_t *seed, int transposed)
{
    double *b = genome_add(g, transposed ? STEP_SOLVE_TRANSPOSED : STEP_SOLVE, 1);
    int32_t n = g->m.n, dice = check_below(seed, 4);
    if (b == NULL) return;
    for (int32_t i = 0; i < n; i++) b[i] = dice == 0 ? 1.0 : dice == 1 ? check_uniform(seed) - 0.5 : draw_sign(seed);
    if (dice == 2) {
        double *x = malloc((size_t)n * sizeof *x);
        memcpy(x, b, (size_t)n * sizeof *x);
        multiply(g, transposed, x, b);
        free(x);
    }
    if (dice == 3) g->step[g->steps - 1].aimed = 1;
}

/* Replays and solves of A, A' or both after each. */
static void add_replays(genome *g, uint64_t *seed, int replays, double spread)
{
    for (int k = 0; k < replays; k++) {
        int which = check_below(seed, 3);
        vary(g, seed, spread, genome_add(g, STEP_REFACTOR, 0));
        if (which != 1) add_solve(g, seed, 0);
        if (which != 0) add_solve(g, seed, 1);
    }
}

static void draw_options(genome *g, uint64_t *seed)
{
    warplu_options *o = &g->options;
    if (check_below(seed, 2)) return;
    o->ordering = (warplu_ordering)check_below(seed, WARPLU_ORDER_METIS);
    o->scaling = (warplu_scaling)check_below(seed, 3);
    o->matching = (warplu_matching)check_below(seed, 3);
    o->btf = check_below(seed, 2);
    o->storage = (warplu_storage)check_below(seed, 2);
    g->blind = check_below(seed, 2);
}

static void draw_matrix(uint64_t *seed, genome *g)
{
    test_matrix m;
    int32_t dice = check_below(seed, 10);
    family_kind family = dice < 8 ? FAMILY_triangle : dice == 8 ? FAMILY_sparse : FAMILY_arrow;
    family_draw(family, check_below(seed, 20) ? 90 : MOST_N, seed, &m);
    genome_create(g, family_name(family), &m);
    draw_options(g, seed);
}

static double draw_spread(uint64_t *seed)
{
    return check_below(seed, 2) ? 0.3 : 0.05;
}

/* ------------------------------------------------------------------- kinds */

static void draw_guards(uint64_t *seed, genome *g)
{
    draw_matrix(seed, g);
    add_replays(g, seed, 6, draw_spread(seed));
}

/* FP32 and mixed: compiled replays, or replays by columns: after a refactor that is far off pivots are new, three easy solves
 * end their probation, and eight replays are not compiled. */
static void draw_single(uint64_t *seed, genome *g)
{
    draw_matrix(seed, g);
    g->options.executor = check_below(seed, 8) ? WARPLU_EXECUTOR_REFERENCE : WARPLU_EXECUTOR_EMULATE;
    g->options.precision = check_below(seed, 2) ? WARPLU_SINGLE : WARPLU_MIXED;
    if (check_below(seed, 4) == 0) g->options.expected_refactors = 1;
    if (check_below(seed, 2)) {
        double *values = genome_add(g, STEP_REFACTOR, 0);
        vary(g, seed, 0.3, values);
        for (int k = 0; k < 3; k++) values[check_below(seed, g->m.nnz)] *= 0x1p-30;
    }
    int transposed = check_below(seed, 2);
    for (int k = 0; k < 3; k++) genome_add(g, transposed ? STEP_SOLVE_TRANSPOSED : STEP_SOLVE, 1);
    add_replays(g, seed, 6, draw_spread(seed));
}

/* Options under which first pivots grow, and first values that let them. */
static void weaken_pivots(genome *g, uint64_t *seed)
{
    g->options.ordering = WARPLU_ORDER_NATURAL;
    g->options.matching = WARPLU_MATCHING_NEVER;
    g->options.btf = 0;
    if (draw_one_in(seed, 2))
        for (int32_t j = 0; j < g->m.n; j++)
            for (int32_t q = g->m.ptr[j]; q < g->m.ptr[j + 1]; q++)
                if (g->m.idx[q] == j) g->m.x[q] *= 0x1p-3;
    memcpy(g->step[0].numbers, g->m.x, (size_t)g->m.nnz * sizeof *g->m.x);
}

/* The right-hand side of an x of which all but some unknowns are 0. */
static void add_restful_solve(genome *g, uint64_t *seed, int transposed)
{
    int32_t n = g->m.n, moving = 1 + check_below(seed, 3);
    double *b = genome_add(g, transposed ? STEP_SOLVE_TRANSPOSED : STEP_SOLVE, 1), *x = calloc((size_t)n, sizeof *x);
    if (b != NULL && draw_one_in(seed, 3) == 0) {
        for (int32_t k = 0; k < moving; k++) x[check_below(seed, n)] = 1.0 + check_uniform(seed);
        multiply(g, transposed, x, b);
    }
    free(x);
}

static void draw_probation(uint64_t *seed, genome *g)
{
    int transposed = check_below(seed, 2);
    draw_matrix(seed, g);
    if (draw_one_in(seed, 4) == 0) weaken_pivots(g, seed);
    for (int k = 0; k < 3; k++) add_restful_solve(g, seed, transposed);
    for (int k = 0; k < 4; k++) add_solve(g, seed, transposed);
    add_replays(g, seed, 3, draw_spread(seed));
}

/* Exponents of the rows: near the end of double's range, or deep denormals. */
static void draw_exponents(const genome *g, uint64_t *seed, int *exponent, int *of_x)
{
    int all = check_below(seed, 3), deep = check_below(seed, 2);
    *of_x = deep ? 500 + check_below(seed, 500) : all == 0 ? -check_below(seed, 8) : -check_below(seed, 500);
    for (int32_t i = 0; i < g->m.n; i++) {
        exponent[i] = deep ? -1030 - check_below(seed, 30) : 1020 + check_below(seed, 2);
        if (all != 0 && check_below(seed, 3) == 0) exponent[i] = deep ? -1000 : check_below(seed, 1000);
    }
}

static double scaled(double v, int exponent)
{
    double s = ldexp(v, exponent);
    return fabs(s) <= DBL_MAX ? s : copysign(DBL_MAX, s);
}

/* All values at step `at` times powers of two by rows. */
static void scale_rows(genome *g, const int *exponent, double *values)
{
    for (int32_t q = 0; q < g->m.nnz; q++) values[q] = scaled(values[q], exponent[g->m.idx[q]]);
}

/* An x of that size, and a b near its product, in all equations or in one. */
static void draw_pair(const genome *g, uint64_t *seed, int transposed, int of_x, double *b, double *x)
{
    double off = check_below(seed, 2) ? 0x1p-30 : 0.5;
    int32_t one = check_below(seed, 2) * check_below(seed, g->m.n); /* from there on, or there alone */
    for (int32_t i = 0; i < g->m.n; i++) x[i] = scaled(draw_sign(seed), of_x - (draw_one_in(seed, 3) ? check_below(seed, 60) : 0));
    multiply(g, transposed, x, b);
    for (int32_t i = one; i < (one > 0 ? one + 1 : g->m.n); i++) b[i] *= 1.0 + off * (check_uniform(seed) - 0.5);
}

static void draw_overflow(uint64_t *seed, genome *g)
{
    int exponent[MOST_N], of_x;
    double x[MOST_N];
    draw_matrix(seed, g);
    g->options.check = WARPLU_CHECK_ALWAYS;
    draw_exponents(g, seed, exponent, &of_x);
    double spread = draw_spread(seed);
    scale_rows(g, exponent, g->m.x);
    scale_rows(g, exponent, g->step[0].numbers);
    for (int k = 0; k < 4; k++) {
        int transposed = check_below(seed, 2);
        if (k > 0) {
            double *values = genome_add(g, STEP_REFACTOR, 0);
            for (int32_t q = 0; q < g->m.nnz; q++) values[q] = scaled(g->m.x[q] * (1.0 + spread * draw_normal(seed)), 0);
        }
        double *pair = genome_add(g, transposed ? STEP_MEASURE_TRANSPOSED : STEP_MEASURE, 1);
        draw_pair(g, seed, transposed, of_x, pair, pair + g->m.n);
        double *b = genome_add(g, transposed ? STEP_SOLVE_TRANSPOSED : STEP_SOLVE, 1);
        draw_pair(g, seed, transposed, of_x, b, x);
    }
}

const kind kinds[KINDS] = {
    {"guards", "replays of triangles, values times 1 + 0.3 N(0,1) or 1 + 0.05 N(0,1)", draw_guards},
    {"single", "the same in FP32 and mixed precision, compiled and by columns", draw_single},
    {"probation", "easy solves that end the checking of new pivots, hard ones after them", draw_probation},
    {"overflow", "rows near the largest number or of deep denormals, every solve checked; backward errors", draw_overflow},
};
