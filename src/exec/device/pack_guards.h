/* What every strategy's program has for scales, for the guards and for sums of duplicates, from a compiled one. */
#ifndef WLU_EXEC_DEVICE_PACK_GUARDS_H
#define WLU_EXEC_DEVICE_PACK_GUARDS_H

#include "base/power.h"
#include "base/block.h"
#include "exec/device/image.h"
#include "lu/lu.h"

/* Pieces of a struct `type` that has members guards and gather */
#define WLU_GUARD_PIECES(type, p) \
    WLU_PIECE(type, guards.a_source, wlu_lu_of(p)->guard.a_source, wlu_lu_of(p)->guard.entries), \
        WLU_PIECE(type, guards.a_scale, wlu_lu_of(p)->guard.a_scale, wlu_lu_of(p)->guard.n), \
        WLU_PIECE(type, guards.row_scale, wlu_lu_of(p)->guard.row_scale, wlu_lu_of(p)->guard.n), \
        WLU_PIECE(type, guards.u_column, wlu_lu_of(p)->guard.u_column, wlu_lu_of(p)->guard.count), \
        WLU_PIECE(type, gather.first, wlu_gather_of(p).first, wlu_gather_firsts(p)), \
        WLU_PIECE(type, gather.map, wlu_gather_of(p).map, wlu_gather_maps(p))

/* Scales as upper halves, 1 where there are none. */
static inline void wlu_write_powers(const double *scale, int64_t count, uint16_t *power)
{
    for (int64_t k = 0; k < count; k++) power[k] = wlu_upper_of_power(scale != NULL ? scale[k] : 1.0);
}

static inline wlu_device_gather wlu_gather_of(const wlu_program *p)
{
    if (p->gather == NULL) return (wlu_device_gather){0};
    return (wlu_device_gather){p->gather->map_ptr, p->gather->map, (int32_t)p->gather->nnz, p->doubles};
}

static inline int64_t wlu_gather_firsts(const wlu_program *p)
{
    return p->gather != NULL ? (int64_t)p->gather->nnz + 1 : 0;
}

static inline int64_t wlu_gather_maps(const wlu_program *p)
{
    return p->gather != NULL ? p->gather->map_ptr[p->gather->nnz] : 0;
}

/* Without its arrays. */
static inline wlu_device_guards wlu_guards_of(const wlu_program *p)
{
    return (wlu_device_guards){.n = wlu_lu_of(p)->guard.n,
                               .shared = wlu_lu_of(p)->guard.shared,
                               .entries = wlu_lu_of(p)->guard.entries,
                               .u = (int32_t)wlu_areas_of(p).u,
                               .count = (int32_t)wlu_lu_of(p)->guard.count};
}

#endif
