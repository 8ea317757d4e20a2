/* Growth of the pivots' columns: reciprocal pivot growth, and the bounds from below that are cheaper. Each is asked for
 * where the one before is below what the guards want; docs/numerics.md. The first two read the n entries that were
 * largest when pivots were chosen, the last one all of A: O(n), O(n + computed u), O(nnz + computed u). */
#include "exec/exec.h"

#include <math.h>

enum { W = WLU_TILE_WIDTH };

double wlu_growth_of(double worst)
{
    return worst >= 1.0 ? 1.0 / worst : worst < 1.0 ? 1.0 : 0.0;
}

/* Of the entry of a column that was largest when pivots were chosen. */
static double inverse_now(const wlu_guards *g, int32_t place, const double *source)
{
    return wlu_positive_inverse_power(fabs(wlu_power_of_upper(g->a_scale[place]) * source[g->a_source[place]]));
}

/* The largest |u| relative to the smallest of the columns' entries. */
double wlu_first_growth(const wlu_program *p, double largest_u, const double *source)
{
    const wlu_guards *g = &p->guard;
    double largest = 0.0;
    for (int32_t j = 0; j < p->n; j++) largest = wlu_larger_bits(largest, inverse_now(g, j, source));
    return wlu_growth_of(largest_u * largest);
}

/* The largest computed |u| relative to its column's entry. */
static double second_bound(const wlu_program *p, wlu_state *state, const double *source)
{
    const wlu_guards *g = &p->guard;
    double worst = 1.0;
    for (int32_t j = 0; j < p->n; j++) state->inverse[j] = inverse_now(g, j, source);
    for (int32_t k = 0; k < p->tiles.count; k++)
        for (int32_t at = p->tiles.first[k]; at < p->tiles.first[k + 1]; at++)
            worst = wlu_larger_bits(worst, state->umax[W * (int64_t)k + at - p->tiles.first[k]] *
                                               state->inverse[g->column[p->tiles.position[at]]]);
    for (int64_t k = 0; k < g->count; k++)
        worst = wlu_larger_bits(worst, fabs(state->v[p->u + k]) * state->inverse[g->u_column[k]]);
    return wlu_growth_of(worst);
}

static void raise_to(double *largest, double x)
{
    if (fabs(x) > *largest) *largest = fabs(x);
}

double wlu_exact_growth(const wlu_program *p, wlu_state *state, const double *source)
{
    const wlu_guards *g = &p->guard;
    double growth = 1.0, *umax = state->inverse;
    for (int32_t j = 0; j < p->n; j++) umax[j] = 0.0;
    for (int32_t k = 0; k < p->tiles.count; k++)
        for (int32_t at = p->tiles.first[k]; at < p->tiles.first[k + 1]; at++)
            umax[g->column[p->tiles.position[at]]] = state->umax[W * (int64_t)k + at - p->tiles.first[k]];
    for (int64_t k = 0; k < g->count; k++) raise_to(&umax[g->u_column[k]], state->v[p->u + k]);
    for (int32_t j = 0; j < p->n; j++) {
        double amax = 0.0, largest = umax[g->column[j]];
        for (int64_t q = g->all_ptr[j]; q < g->all_ptr[j + 1]; q++)
            raise_to(&amax, g->all_scale[q] * source[g->all_source[q]]);
        if (largest > amax && !(amax / largest >= growth)) growth = amax / largest;
    }
    return growth;
}

double wlu_closer_growth(const wlu_program *p, wlu_state *state, const double *source)
{
    double growth = second_bound(p, state, source);
    return growth >= p->guard.bound ? growth : wlu_exact_growth(p, state, source);
}
