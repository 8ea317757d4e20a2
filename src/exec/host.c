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

static int64_t room_of(const wlu_program *p, int64_t numbers)
{
    return wlu_host_aligned_count(p->doubles * numbers);
}

/* Gathered values, where the pattern has duplicates. */
static int64_t gathered_of(const wlu_program *p)
{
    return p->gather != NULL ? room_of(p, p->gather->nnz) : 0;
}

int64_t wlu_host_doubles(const wlu_program *p, int64_t apart)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    return room_of(p, p->nslots) + room_of(p, t->m) + WLU_TILE_WIDTH * (int64_t)t->count + apart + gathered_of(p);
}

wlu_host_slots wlu_host_place(const wlu_program *p, int64_t apart, double *at)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    wlu_host_slots s = {.v = at};
    s.x = s.v + room_of(p, p->nslots);
    s.umax = s.x + room_of(p, t->m);
    s.apart = s.umax + WLU_TILE_WIDTH * (int64_t)t->count;
    s.source = p->gather != NULL ? s.apart + apart : NULL;
    const int64_t doubles = p->doubles, behind = doubles * p->sums;
    memset(s.v, 0, (size_t)(doubles * p->region_slots) * sizeof *s.v);
    memset(s.v + behind, 0, (size_t)(wlu_host_doubles(p, apart) - behind) * sizeof *s.v);
    if (p->minus_one >= 0) s.v[doubles * p->minus_one] = -1.0;
    return s;
}
