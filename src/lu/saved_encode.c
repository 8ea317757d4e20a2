/* From a program to its section. See saved.h. */
#include "lu/saved.h"

#include <string.h>

static void put(uint8_t **at, const void *from, int64_t count, size_t size)
{
    memcpy(*at, from, (size_t)count * size);
    *at += (size_t)count * size;
}

/* The part of each pivot: that of its tile, or of the record of its reciprocal. pivot: by slot of a reciprocal, less
 * the first one. */
static void put_parts(const wlu_program *p, const int32_t *pivot, int64_t first, uint8_t *part, uint8_t *owner)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    for (int32_t g = 0; g <= p->parts; g++)
        for (int64_t v = p->part[g]; v < p->part[g + 1]; v++)
            for (int64_t r = p->dot.vector[v].first, end = r + p->dot.vector[v].count; r < end; r++)
                if (p->dot.opcode[r] == WLU_RCP) part[pivot[p->dot.target[r] - first]] = (uint8_t)g;
    for (int32_t k = 0; k < t->count; k++) {
        owner[k] = (uint8_t)t->owner[k];
        for (int32_t at = t->first[k]; at < t->first[k + 1]; at++)
            part[t->position[at]] = (uint8_t)(t->turn[k] > 0 ? p->parts : t->owner[k]);
    }
}

static warplu_status put_threads(wlu_context *ctx, const wlu_program *p, const wlu_pivots *pivots, uint8_t *at)
{
    int64_t first = wlu_lu_of(p)->areas.reciprocal;
    const int32_t *reciprocal = p->slot + wlu_layout_of(pivots, 0).reciprocal;
    int32_t *pivot = WLU_ALLOC(ctx, p->n, int32_t);
    if (pivot == NULL) return wlu_fail_memory(ctx, "parts of a program to save");
    for (int32_t k = 0; k < p->n; k++) pivot[reciprocal[k] - first] = k;
    put_parts(p, pivot, first, at, at + p->n);
    wlu_free(ctx, pivot);
    return WARPLU_SUCCESS;
}

warplu_status wlu_lu_save(wlu_context *ctx, const wlu_program *p, const wlu_pivots *pivots, int32_t threads,
                          uint8_t **bytes, int64_t *count)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    const wlu_saved_lu h = {.version = WLU_SAVED_LU_VERSION,
                            .threads = threads,
                            .target = wlu_cost_fingerprint(p->cost),
                            .predicted_ns = p->predicted_ns,
                            .parts = p->parts,
                            .tiled = t->m,
                            .tiles = t->count,
                            .transposed = p->has_transposed};
    *count = wlu_saved_lu_bytes(&h, p->n);
    *bytes = WLU_ALLOC(ctx, *count, uint8_t);
    if (*bytes == NULL) return wlu_fail_memory(ctx, "program to save");
    uint8_t *at = *bytes;
    put(&at, &h, 1, sizeof h);
    put(&at, t->position, t->m, sizeof *t->position);
    put(&at, t->first, (int64_t)t->count + 1, sizeof *t->first);
    warplu_status status = h.parts > 1 ? put_threads(ctx, p, pivots, at) : WARPLU_SUCCESS;
    if (status < 0) {
        wlu_free(ctx, *bytes);
        *bytes = NULL;
    }
    return status;
}
