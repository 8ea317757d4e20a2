/* Attacks that are drawn. See kinds.h. */
#include "emulator/emulate.h"

#include <warplu/cache.h>
#include "kinds.h"

#include "draw.h"
#include "families.h"
#include "pieces.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_N = 300 };

/* ------------------------------------------------------------------ pieces */

static void add_solve(genome *g, uint64_t *seed, int transposed)
{
    static const rhs_form forms[] = {RHS_FORM_ONES,    RHS_FORM_SIGNS, RHS_FORM_UNIFORM,
                                     RHS_FORM_PRODUCT, RHS_FORM_AIMED, RHS_FORM_AIMED};
    piece_add_solve(g, seed, transposed, 1, forms[check_below(seed, 6)]);
}

/* Replays and solves of A, A' or both after each. */
static void add_replays(genome *g, uint64_t *seed, int replays, double spread)
{
    for (int k = 0; k < replays; k++) {
        int which = check_below(seed, 3);
        piece_add_refactor(g, seed, spread);
        if (which != 1) add_solve(g, seed, 0);
        if (which != 0) add_solve(g, seed, 1);
    }
}

static void draw_matrix(uint64_t *seed, genome *g)
{
    test_matrix m;
    int32_t dice = check_below(seed, 10);
    family_kind family = dice < 8 ? FAMILY_triangle : dice == 8 ? FAMILY_sparse : FAMILY_arrow;
    family_draw(family, check_below(seed, 20) ? 90 : MOST_N, seed, &m);
    genome_create(g, family_name(family), &m);
    for (int k = check_below(seed, 4); k > 1; k--) piece_draw_option(g, seed);
}

static double draw_spread(uint64_t *seed)
{
    return check_below(seed, 2) ? 0.3 : 0.05;
}

/* Other first values, in the first step too. */
static void take_first(genome *g)
{
    memcpy(g->step[0].numbers, g->m.x, (size_t)g->m.nnz * sizeof *g->m.x);
}

/* ------------------------------------------------------------------- kinds */

static void draw_guards(uint64_t *seed, genome *g)
{
    draw_matrix(seed, g);
    if (draw_one_in(seed, 3)) g->options.repeatable = WARPLU_REPEATABLE_STRICTLY;
    add_replays(g, seed, 6, draw_spread(seed));
}

/* Compiled replays, or replays by columns: after a refactor that is far off pivots are new, three easy solves end their
 * trial, and eight replays are not compiled. */
static void draw_single(uint64_t *seed, genome *g)
{
    draw_matrix(seed, g);
    g->options.executor = check_below(seed, 8) ? WARPLU_EXECUTOR_REFERENCE : TEST_EXECUTOR_EMULATE;
    g->options.precision = check_below(seed, 2) ? WARPLU_PRECISION_SINGLE : WARPLU_PRECISION_MIXED;
    if (draw_one_in(seed, 4)) g->options.expected_refactors = 1;
    if (draw_one_in(seed, 2)) {
        piece_add_refactor(g, seed, 0.3);
        for (int k = 0; k < 3; k++) g->step[g->steps - 1].numbers[check_below(seed, g->m.nnz)] *= 0x1p-30;
    }
    int transposed = check_below(seed, 2);
    for (int k = 0; k < 3; k++) piece_add_solve(g, seed, transposed, 1, RHS_FORM_ZERO);
    add_replays(g, seed, 6, draw_spread(seed));
}

/* Options under which first pivots grow, and first values that let them. */
static void weaken_pivots(genome *g, uint64_t *seed)
{
    g->options.ordering = WARPLU_ORDERING_NATURAL;
    g->options.matching = WARPLU_MATCHING_NEVER;
    g->options.btf = 0;
    if (draw_one_in(seed, 2)) return;
    for (int32_t j = 0; j < g->m.n; j++)
        for (int32_t q = g->m.ptr[j]; q < g->m.ptr[j + 1]; q++)
            if (g->m.idx[q] == j) g->m.x[q] *= 0x1p-3;
    take_first(g);
}

/* Solves straight after new pivots are checked whatever was proven: the hard ones come after replays, some of the same
 * values.
 */
static void draw_trial(uint64_t *seed, genome *g)
{
    int transposed = check_below(seed, 2);
    draw_matrix(seed, g);
    if (draw_one_in(seed, 4)) weaken_pivots(g, seed);
    for (int k = 0; k < 3; k++)
        piece_add_solve(g, seed, transposed, 1, draw_one_in(seed, 3) ? RHS_FORM_ZERO : RHS_FORM_RESTING);
    for (int k = 0; k < 5; k++) {
        piece_add_refactor(g, seed, draw_one_in(seed, 3) ? 0.0 : draw_spread(seed));
        add_solve(g, seed, transposed);
    }
}

/* Factors that change little after solves have been checked: those that leave limits of theirs are checked again. */
static void draw_limits(uint64_t *seed, genome *g)
{
    draw_matrix(seed, g);
    if (draw_one_in(seed, 4)) weaken_pivots(g, seed);
    double spread = pow(10.0, -1.0 - 5.0 * check_uniform(seed));
    for (int k = 0; k < 7; k++) {
        piece_add_refactor(g, seed, k < 2 ? 0.0 : spread);
        add_solve(g, seed, 0);
    }
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

/* v 2^exponent, within double's range. */
static double scaled(double v, int exponent)
{
    double s = ldexp(v, exponent);
    return fabs(s) <= DBL_MAX ? s : copysign(DBL_MAX, s);
}

/* An x of that size, and a b near its product, in all equations or in one, for the step just added. */
static void draw_pair(const genome *g, uint64_t *seed, int of_x, double *b, double *x)
{
    double off = check_below(seed, 2) ? 0x1p-30 : 0.5;
    int32_t one = check_below(seed, 2) * check_below(seed, g->m.n); /* from there on, or there alone */
    for (int32_t i = 0; i < g->m.n; i++)
        x[i] = scaled(draw_sign(seed), of_x - (draw_one_in(seed, 3) ? check_below(seed, 60) : 0));
    piece_multiply(g, g->steps - 1, x, b);
    for (int32_t i = one; i < (one > 0 ? one + 1 : g->m.n); i++) b[i] *= 1.0 + off * (check_uniform(seed) - 0.5);
}

static void add_finite_refactor(genome *g, uint64_t *seed, double spread)
{
    piece_add_refactor(g, seed, spread);
    double *values = g->step[g->steps - 1].numbers;
    for (int32_t q = 0; q < g->m.nnz; q++) values[q] = scaled(values[q], 0);
}

static void draw_overflow(uint64_t *seed, genome *g)
{
    int exponent[MOST_N], of_x;
    double x[MOST_N];
    draw_matrix(seed, g);
    g->options.check = WARPLU_CHECK_ALWAYS;
    draw_exponents(g, seed, exponent, &of_x);
    double spread = draw_spread(seed);
    for (int32_t q = 0; q < g->m.nnz; q++) g->m.x[q] = scaled(g->m.x[q], exponent[g->m.idx[q]]);
    take_first(g);
    for (int k = 0; k < 4; k++) {
        int transposed = check_below(seed, 2);
        if (k > 0) add_finite_refactor(g, seed, spread);
        double *pair = genome_add(g, transposed ? STEP_MEASURE_TRANSPOSED : STEP_MEASURE, 1);
        draw_pair(g, seed, of_x, pair, pair + g->m.n);
        double *b = genome_add(g, transposed ? STEP_SOLVE_TRANSPOSED : STEP_SOLVE, 1);
        draw_pair(g, seed, of_x, b, x);
    }
}

void kind_grow(genome *g, uint64_t *seed)
{
    int last = g->steps;
    g->stages = draw_stages(seed, check_below(seed, 3));
    if (last == MOST_STEPS || check_below(seed, 2)) return;
    genome_add(g, check_below(seed, 2) ? STEP_CLONE : STEP_RESTORE, 0);
    genome_move(g, last, 1 + check_below(seed, last));
}

const kind kinds[KINDS] = {
    {"guards", "replays of triangles, values times 1 + 0.3 N(0,1) or 1 + 0.05 N(0,1)", draw_guards},
    {"single", "the same in FP32 and mixed precision, compiled and by columns", draw_single},
    {"trial", "easy solves that end the checking of new pivots, hard ones after them", draw_trial},
    {"overflow", "rows near the largest number or of deep denormals, every solve checked; backward errors",
     draw_overflow},
    {"limits", "replays of triangles whose values vary by 1e-1 to 1e-6 of themselves", draw_limits},
};
