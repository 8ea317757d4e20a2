/* What lanes make of a flat program: loads, guards and solves beside the streams. See lanes.h. */
#include "exec/batch/lanes.h"

#include <string.h>

static int64_t chunks_of(int64_t numbers)
{
    return (numbers + WLU_LANES_CHUNK - 1) / WLU_LANES_CHUNK;
}

/* Turns counts, one place further on, into beginnings. */
static void sum_up(int64_t *begin, int64_t count)
{
    begin[0] = 0;
    for (int64_t k = 0; k < count; k++) begin[k + 1] += begin[k];
}

/* ------------------------------------------------------------------- loads */

/* area: by slot, of those that stay as they are loaded; or NULL. first: the slot of the first line. */
static warplu_status pack_loads(wlu_context *ctx, const wlu_flat *flat, const wlu_flat_loads *from, const uint8_t *area,
                                int64_t first, wlu_lanes_loads *out)
{
    const int64_t line = wlu_lanes_line(flat);
    int64_t kinds = WLU_SLOT_AREAS * chunks_of(from->count);
    int64_t *next = WLU_CALLOC(ctx, kinds + 1, int64_t);
    out->count = from->count;
    out->begin = WLU_CALLOC(ctx, kinds + 1, int64_t);
    out->load = WLU_ALLOC(ctx, from->count, wlu_lanes_load);
    if (next == NULL || out->begin == NULL || out->load == NULL) {
        wlu_free(ctx, next);
        return wlu_fail_memory(ctx, "loads of a batch");
    }
    for (int way = 0; way < 2; way++) {
        for (int64_t k = 0; k < from->count; k++) {
            int32_t slot = from->slot[k];
            if (slot < 0) continue;
            int64_t kind = k / WLU_LANES_CHUNK * WLU_SLOT_AREAS + (area != NULL ? area[slot] : WLU_AREA_NONE);
            if (way == 0)
                out->begin[kind + 1]++;
            else
                out->load[next[kind]++] = (wlu_lanes_load){(uint32_t)(line * (k % WLU_LANES_CHUNK)),
                                                           (uint32_t)(line * (slot - first)), from->scale[k]};
        }
        if (way == 0) sum_up(out->begin, kinds);
        memcpy(next, out->begin, (size_t)kinds * sizeof *next);
    }
    wlu_free(ctx, next);
    return WARPLU_SUCCESS;
}

static void loads_free(wlu_context *ctx, wlu_lanes_loads *l)
{
    wlu_free(ctx, l->begin);
    wlu_free(ctx, l->load);
}

static int64_t loads_bytes(const wlu_lanes_loads *l)
{
    return (WLU_SLOT_AREAS * chunks_of(l->count) + 1) * (int64_t)sizeof *l->begin + l->count * (int64_t)sizeof *l->load;
}

/* Entries of A: of what no record writes, its area. */
static warplu_status pack_entries(wlu_context *ctx, const wlu_flat *flat, wlu_lanes_image *out)
{
    uint8_t *area = WLU_ALLOC(ctx, flat->count, uint8_t);
    if (area == NULL) return wlu_fail_memory(ctx, "loads of a batch");
    memcpy(area, flat->area, (size_t)flat->count);
    for (int64_t r = 0; r < flat->factor.nrecords; r++) area[flat->factor.target[r]] = WLU_AREA_NONE;
    warplu_status status = pack_loads(ctx, flat, &flat->load, area, 0, &out->loads);
    wlu_free(ctx, area);
    return status;
}

/* ------------------------------------------------------------------ guards */

/* Place k of the guards' entries: which kind it is. */
static wlu_lanes_guard_kind kind_of(const wlu_guards *g, int32_t k)
{
    return k < g->shared ? WLU_LANES_BOTH : k < g->n ? WLU_LANES_COLUMN : WLU_LANES_ROW;
}

static wlu_lanes_guard guard_of(const wlu_guards *g, int32_t k, int64_t line)
{
    wlu_lanes_guard_kind kind = kind_of(g, k);
    int32_t row = kind == WLU_LANES_BOTH ? k : g->shared + (k - g->n);
    return (wlu_lanes_guard){.from = (uint32_t)(line * (g->a_source[k] % WLU_LANES_CHUNK)),
                             .place = kind == WLU_LANES_ROW ? 0 : (uint32_t)(WLU_LANES * (int64_t)k),
                             .column = kind == WLU_LANES_ROW ? 0.0 : wlu_power_of_upper(g->a_scale[k]),
                             .row = kind == WLU_LANES_COLUMN ? 0.0 : wlu_power_of_upper(g->row_scale[row])};
}

static warplu_status pack_guards(wlu_context *ctx, const wlu_flat *flat, wlu_lanes_guards *out)
{
    const wlu_guards *g = &wlu_lu_of(flat->program)->guard;
    const int64_t kinds = WLU_LANES_KINDS * chunks_of(flat->load.count), line = wlu_lanes_line(flat);
    int64_t *next = WLU_CALLOC(ctx, kinds + 1, int64_t);
    out->begin = WLU_CALLOC(ctx, kinds + 1, int64_t);
    out->guard = WLU_ALLOC(ctx, g->entries, wlu_lanes_guard);
    for (int64_t k = 0; k < flat->count; k++) out->count += flat->u_column[k] >= 0;
    out->computed = WLU_ALLOC(ctx, 2 * out->count, uint32_t);
    if (next == NULL || out->begin == NULL || out->guard == NULL || out->computed == NULL) {
        wlu_free(ctx, next);
        return wlu_fail_memory(ctx, "guards of a batch");
    }
    for (int32_t k = 0; k < g->entries; k++)
        out->begin[g->a_source[k] / WLU_LANES_CHUNK * WLU_LANES_KINDS + (int)kind_of(g, k) + 1]++;
    sum_up(out->begin, kinds);
    memcpy(next, out->begin, (size_t)kinds * sizeof *next);
    for (int32_t k = 0; k < g->entries; k++)
        out->guard[next[g->a_source[k] / WLU_LANES_CHUNK * WLU_LANES_KINDS + (int)kind_of(g, k)]++] =
            guard_of(g, k, line);
    uint32_t *pair = out->computed;
    for (int64_t k = 0; k < flat->count; k++) {
        if (flat->u_column[k] < 0) continue;
        *pair++ = (uint32_t)(line * k);
        *pair++ = (uint32_t)(WLU_LANES * (int64_t)flat->u_column[k]);
    }
    wlu_free(ctx, next);
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------ solves */

void wlu_lanes_solve_free(wlu_context *ctx, wlu_lanes_solve *s)
{
    loads_free(ctx, &s->loads);
    wlu_free(ctx, s->stream.word);
    wlu_free(ctx, s->store);
    wlu_block_free(ctx, &s->rows.block);
    *s = (wlu_lanes_solve){0};
}

warplu_status wlu_lanes_solve_pack(wlu_context *ctx, const wlu_flat *flat, wlu_stream_kind kind, wlu_lanes_image *out)
{
    const wlu_flat_solve *from = &flat->solve[kind == WLU_STREAM_SOLVE_TRANSPOSED];
    wlu_lanes_solve *s = &out->solve[kind == WLU_STREAM_SOLVE_TRANSPOSED];
    const int64_t line = wlu_lanes_line(flat);
    int32_t n = flat->program->n;
    if (flat->count + from->own + 2 > INT32_MAX / line)
        return wlu_fail(ctx, WARPLU_NOT_COMPILED, "a program of %lld slots has too many for lanes",
                        (long long)(flat->count + from->own));
    s->own = from->own + 2;
    s->scale = from->store_scale;
    s->store = WLU_ALLOC(ctx, n, uint32_t);
    warplu_status status = s->store == NULL ? wlu_fail_memory(ctx, "unknowns of a batch") : WARPLU_SUCCESS;
    for (int32_t k = 0; k < n && status == WARPLU_SUCCESS; k++)
        s->store[k] = (uint32_t)(line * (from->store[k] - flat->count));
    if (status == WARPLU_SUCCESS) status = pack_loads(ctx, flat, &from->load, NULL, flat->count, &s->loads);
    if (status == WARPLU_SUCCESS) status = wlu_lanes_pack_stream(ctx, flat, from, &s->stream);
    if (status == WARPLU_SUCCESS) status = wlu_rows_image_pack(ctx, flat->program, kind, &s->rows);
    if (status < 0) wlu_lanes_solve_free(ctx, s);
    return status;
}

/* ------------------------------------------------------------------ images */

warplu_status wlu_lanes_image_pack(wlu_context *ctx, const wlu_flat *flat, wlu_lanes_image *out)
{
    *out = (wlu_lanes_image){0};
    warplu_status status = wlu_lanes_solve_pack(ctx, flat, WLU_STREAM_SOLVE, out);
    if (status == WARPLU_SUCCESS) status = pack_entries(ctx, flat, out);
    if (status == WARPLU_SUCCESS) status = pack_guards(ctx, flat, &out->guards);
    if (status == WARPLU_SUCCESS) status = wlu_lanes_pack_stream(ctx, flat, NULL, &out->factor);
    if (status < 0) wlu_lanes_image_free(ctx, out);
    return status;
}

void wlu_lanes_image_free(wlu_context *ctx, wlu_lanes_image *im)
{
    loads_free(ctx, &im->loads);
    wlu_free(ctx, im->guards.begin);
    wlu_free(ctx, im->guards.guard);
    wlu_free(ctx, im->guards.computed);
    wlu_free(ctx, im->factor.word);
    for (int k = 0; k < 2; k++) wlu_lanes_solve_free(ctx, &im->solve[k]);
    *im = (wlu_lanes_image){0};
}

int64_t wlu_lanes_image_bytes(const wlu_lanes_image *im)
{
    int64_t bytes = loads_bytes(&im->loads) + im->factor.nwords * (int64_t)sizeof *im->factor.word +
                    2 * im->guards.count * (int64_t)sizeof *im->guards.computed;
    for (int k = 0; k < 2; k++) {
        const wlu_lanes_solve *s = &im->solve[k];
        if (s->store == NULL) continue;
        bytes += loads_bytes(&s->loads) + s->stream.nwords * (int64_t)sizeof *s->stream.word +
                 s->loads.count * (int64_t)sizeof *s->store + s->rows.block.bytes;
    }
    return bytes;
}
