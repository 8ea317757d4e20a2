/* The second bound of growth (numerics/health.h), as blocks compute it (cuda/growth.cuh), from the packed image.
 * O(computed u). */
#include "emulator/machine.h"

#include <math.h>

enum { W = 8 };

/* Magnitude of a computed u, relative to its column's entry. */
static double relative_to(const wlu_device_guards *g, const double *source, int doubles, int32_t place, double u)
{
    return fabs(u) *
           wlu_double_of_bits(wlu_lane_inverse(wlu_size_at(source, g->a_source[place], doubles), g->a_scale[place]));
}

double wlu_emulated_relative(const wlu_device_program *p, const wlu_device_state *s, const void *v,
                             const wlu_lanes *lanes)
{
    const wlu_device_guards *g = &p->guards;
    double worst = 1.0;
    for (int32_t k = 0; k < g->count; k++)
        worst = wlu_larger_bits(worst, relative_to(g, s->source, lanes->doubles, g->u_column[k],
                                                   wlu_double_of_bits(wlu_lane_size_of(
                                                       wlu_lane_number_of(wlu_emulated_slot(v, lanes, g->u + k))))));
    for (int32_t q = 0; q < p->tiles; q++)
        for (int32_t c = 0; c < p->tile[q].width; c++)
            worst =
                wlu_larger_bits(worst, relative_to(g, s->source, lanes->doubles, g->tile_column[p->tile[q].first + c],
                                                   s->umax[W * (int64_t)p->tile[q].tile + c]));
    return worst;
}
