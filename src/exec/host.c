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

/* From a real part to its imaginary part: not a multiple of a page, whose lines would displace each other. */
static int64_t apart_of(int64_t count)
{
    return wlu_host_aligned_count(count) + WLU_HOST_ALIGN;
}

/* Doubles of so many numbers, by parts where they are complex. */
static int64_t room_of(const wlu_program *p, int64_t count)
{
    return p->doubles == 1 ? wlu_host_aligned_count(count) : p->doubles * apart_of(count);
}

/* Gathered values, where the pattern has duplicates. */
static int64_t gathered_of(const wlu_program *p)
{
    return p->gather != NULL ? wlu_host_aligned_count(p->doubles * (int64_t)p->gather->nnz) : 0;
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
    if (p->doubles == 2) {
        s.v_apart = apart_of(p->nslots);
        s.x_apart = apart_of(t->m);
    }
    s.x = s.v + room_of(p, p->nslots);
    s.umax = s.x + room_of(p, t->m);
    s.apart = s.umax + WLU_TILE_WIDTH * (int64_t)t->count;
    s.source = p->gather != NULL ? s.apart + apart : NULL;
    memset(s.v, 0, (size_t)p->region_slots * sizeof *s.v);
    memset(s.v + p->sums, 0, (size_t)(wlu_host_doubles(p, apart) - p->sums) * sizeof *s.v);
    if (p->minus_one >= 0) s.v[p->minus_one] = -1.0;
    return s;
}
