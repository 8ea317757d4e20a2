/* Slots in host memory. See host.h. */
#include "exec/host.h"

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
