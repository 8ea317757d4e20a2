/* Growth where its first bound decides nothing, as blocks compute it (cuda/growth.cuh), from the packed
 * image; src/exec/growth.c has the definitions. O(nnz + computed u). */
#include "exec/emulate/machine.h"

#include <math.h>

enum { W = 8 };

static double growth_of(double worst)
{
    return worst >= 1.0 ? 1.0 / worst : worst < 1.0 ? 1.0 : 0.0;
}

/* Magnitude of a computed u, relative to its column's entry. */
static double relative_to(const wlu_device_guards *g, const double *source, int32_t place, double u)
{
    return fabs(u) * wlu_double_of_bits(wlu_lane_inverse(source[g->a_source[place]], g->a_scale[place]));
}

static double second_bound(const wlu_device_program *p, const wlu_device_state *s, const void *v, int single)
{
    const wlu_device_guards *g = &p->guards;
    double worst = 1.0;
    for (int32_t k = 0; k < g->count; k++)
        worst = wlu_larger_bits(worst, relative_to(g, s->source, g->u_column[k],
                                                   wlu_double_of_bits(wlu_emulated_slot(v, single, g->u + k))));
    for (int32_t q = 0; q < p->tiles; q++)
        for (int32_t c = 0; c < p->tile[q].width; c++)
            worst = wlu_larger_bits(worst, relative_to(g, s->source, g->tile_column[p->tile[q].first + c],
                                                       s->umax[W * (int64_t)p->tile[q].tile + c]));
    return growth_of(worst);
}

static void raise_to(double *largest, double x)
{
    if (fabs(x) > *largest) *largest = fabs(x);
}

static double exact_growth(const wlu_device_program *p, const wlu_device_state *s, const void *v, int single)
{
    const wlu_device_guards *g = &p->guards;
    double growth = 1.0, *computed = s->by_column;
    for (int32_t j = 0; j < g->n; j++) computed[j] = 0.0;
    for (int32_t q = 0; q < p->tiles; q++)
        for (int32_t c = 0; c < p->tile[q].width; c++)
            computed[g->tile_column[p->tile[q].first + c]] = s->umax[W * (int64_t)p->tile[q].tile + c];
    for (int32_t k = 0; k < g->count; k++)
        raise_to(&computed[g->u_column[k]], wlu_double_of_bits(wlu_emulated_slot(v, single, g->u + k)));
    for (int32_t j = 0; j < g->n; j++) {
        double entry = 0.0, u = computed[g->column[j]];
        for (int64_t q = g->all_ptr[j]; q < g->all_ptr[j + 1]; q++)
            raise_to(&entry, wlu_lane_entry(s->source[g->all_source[q]], g->all_scale[q]));
        if (u > entry && !(entry / u >= growth)) growth = entry / u;
    }
    return growth;
}

double wlu_emulated_growth(const wlu_device_program *p, const wlu_device_state *s, const void *v, int single)
{
    double growth = second_bound(p, s, v, single);
    return growth >= s->bound ? growth : exact_growth(p, s, v, single);
}
