/* Packing for the strategy `levels`: the compiler's streams as they are, and a list of launches. O(program) time. */
#include "exec/device/pack.h"

#include <stddef.h>

#include "exec/device/pack_guards.h"

/* A vector's records of more terms than one thread sums: the first ones, longer chains coming first. */
static int64_t count_longs(const wlu_stream *s, const wlu_vector *v)
{
    int64_t longs = 0;
    while (longs < v->count && wlu_stream_terms(s, v->first + longs) > WLU_DOT_IN_ORDER_MAX) longs++;
    return longs;
}

static warplu_status list_launches(wlu_context *ctx, const wlu_stream *s, wlu_device_image *out)
{
    if (s->nrecords > INT32_MAX)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "%lld records exceed the device's index width", (long long)s->nrecords);
    out->vectors = s->nvectors;
    out->vector = WLU_ALLOC(ctx, s->nvectors, wlu_level_vector);
    if (out->vector == NULL) return wlu_fail_memory(ctx, "launches of the levels");
    for (int64_t k = 0; k < s->nvectors; k++) {
        const wlu_vector *v = &s->vector[k];
        out->vector[k] =
            (wlu_level_vector){(int32_t)v->first, (int32_t)v->count, (int32_t)count_longs(s, v), v->opcode};
    }
    return WARPLU_SUCCESS;
}

#define STREAM_PIECES(type, name, s) \
    WLU_PIECE(type, name.begin, (s)->begin, (s)->nrecords + 1), \
        WLU_PIECE(type, name.target, (s)->target, (s)->nrecords), \
        WLU_PIECE(type, name.start, (s)->start, (s)->nrecords), \
        WLU_PIECE(type, name.divisor, (s)->divisor, (s)->nrecords), \
        WLU_PIECE(type, name.opcode, (s)->opcode, (s)->nrecords), \
        WLU_PIECE(type, name.operand, (s)->operand, 2 * (s)->nterms)

static warplu_status fill(wlu_context *ctx, const wlu_program *p, wlu_device_image *out)
{
    wlu_piece list[] = {
        STREAM_PIECES(wlu_level_program, dot, &p->dot),
        WLU_PIECE(wlu_level_program, load.source, p->load.source, p->load.count),
        WLU_PIECE_ROOM(wlu_level_program, load.power, uint16_t, p->load.count),
        WLU_GUARD_PIECES(wlu_level_program, p),
    };
    warplu_status status = wlu_block_fill(ctx, list, (int)(sizeof list / sizeof *list), &out->block);
    if (status < 0) return status;
    wlu_write_powers(p->load.scale, p->load.count,
                     wlu_block_room(&out->block, offsetof(wlu_level_program, load.power)));
    out->level_program = (wlu_level_program){.load = {.first = p->load.first, .count = p->load.count},
                                             .guards = wlu_guards_of(p),
                                             .gather.entries = wlu_gather_of(p).entries,
                                             .gather.doubles = p->doubles,
                                             .l = wlu_areas_of(p).l,
                                             .f = wlu_areas_of(p).f,
                                             .reciprocal = wlu_areas_of(p).reciprocal};
    return status;
}

static warplu_status fill_solve(wlu_context *ctx, const wlu_program *p, const wlu_triangular *t, wlu_device_image *out)
{
    wlu_piece list[] = {
        STREAM_PIECES(wlu_level_solve, stream, &t->stream),
        WLU_PIECE(wlu_level_solve, load.source, t->load.source, t->load.count),
        WLU_PIECE_ROOM(wlu_level_solve, load.power, uint16_t, t->load.count),
        WLU_PIECE(wlu_level_solve, index, t->index, p->n),
        WLU_PIECE_ROOM(wlu_level_solve, power, uint16_t, p->n),
    };
    warplu_status status = wlu_block_fill(ctx, list, (int)(sizeof list / sizeof *list), &out->block);
    if (status < 0) return status;
    wlu_write_powers(t->load.scale, t->load.count, wlu_block_room(&out->block, offsetof(wlu_level_solve, load.power)));
    wlu_write_powers(t->scale, p->n, wlu_block_room(&out->block, offsetof(wlu_level_solve, power)));
    out->level_solve =
        (wlu_level_solve){.load = {.first = t->load.first, .count = t->load.count}, .x = p->x, .n = p->n};
    return status;
}

warplu_status wlu_level_pack(wlu_context *ctx, const wlu_program *p, wlu_stream_kind kind, wlu_device_image *out)
{
    const wlu_triangular *t = wlu_program_solve(p, kind);
    int factors = kind == WLU_STREAM_FACTOR;
    *out = (wlu_device_image){0};
    if (factors && wlu_lu_of(p)->tiles.count > 0)
        return wlu_fail(ctx, WARPLU_PROGRAM_TOO_LARGE,
                        "the strategy takes records alone, and these do not fit into max_program_bytes");
    warplu_status status = factors ? fill(ctx, p, out) : fill_solve(ctx, p, t, out);
    if (status == WARPLU_SUCCESS) status = list_launches(ctx, factors ? &p->dot : &t->stream, out);
    if (status < 0) wlu_device_image_free(ctx, out);
    return status;
}
