/* Slots in host memory. See host.h. */
#include "exec/host.h"

#include "base/power.h"

#include <math.h>
#include <string.h>

int64_t wlu_host_aligned_count(int64_t doubles)
{
    return (doubles + WLU_HOST_ALIGN - 1) / WLU_HOST_ALIGN * WLU_HOST_ALIGN;
}

double *wlu_host_aligned(double *block)
{
    const uintptr_t bytes = WLU_HOST_ALIGN * sizeof(double);
    return (double *)(((uintptr_t)block + bytes - 1) / bytes * bytes);
}

int64_t wlu_host_doubles(const wlu_program *p, int64_t apart)
{
    int64_t gathered = p->gather != NULL ? p->gather->nnz : 0;
    return wlu_host_aligned_count(p->nslots) + wlu_host_aligned_count(wlu_lu_of(p)->tiles.m) +
           WLU_TILE_WIDTH * (int64_t)wlu_lu_of(p)->tiles.count + apart + wlu_host_aligned_count(gathered);
}

wlu_host_slots wlu_host_place(const wlu_program *p, int64_t apart, double *at)
{
    wlu_host_slots s = {.v = at};
    s.x = s.v + wlu_host_aligned_count(p->nslots);
    s.umax = s.x + wlu_host_aligned_count(wlu_lu_of(p)->tiles.m);
    s.apart = s.umax + WLU_TILE_WIDTH * (int64_t)wlu_lu_of(p)->tiles.count;
    s.source = p->gather != NULL ? s.apart + apart : NULL;
    memset(s.v, 0, (size_t)p->region_slots * sizeof *s.v);
    memset(s.v + p->sums, 0, (size_t)(wlu_host_doubles(p, apart) - p->sums) * sizeof *s.v);
    if (p->minus_one >= 0) s.v[p->minus_one] = -1.0;
    return s;
}

void wlu_load_tile(const wlu_program *p, int32_t tile, const double *source, double *v)
{
    int64_t panel = wlu_lu_of(p)->tiles.panel[tile];
    memset(v + panel, 0, (size_t)(wlu_lu_of(p)->tiles.panel[tile + 1] - panel) * sizeof *v);
    for (int64_t k = wlu_lu_of(p)->tiles.load[tile]; k < wlu_lu_of(p)->tiles.load[tile + 1]; k++)
        v[p->list.target[k]] = p->list.scale[k] * source[p->list.source[k]];
}

double wlu_store_solution(const wlu_program *p, const wlu_triangular *t, const double *v, double *x)
{
    const double *solution = v + p->x;
    double largest = 0.0;
    for (int32_t k = 0; k < p->n; k++) {
        double xk = t->scale != NULL ? t->scale[k] * solution[k] : solution[k];
        largest = wlu_larger_bits(largest, fabs(xk));
        x[t->index[k]] = xk;
    }
    return largest;
}
