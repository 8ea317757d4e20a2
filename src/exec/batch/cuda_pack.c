/* Packing for batches on a device. See cuda_pack.h. */
#include "exec/batch/cuda_pack.h"

#include "exec/device/pack_guards.h"

#include <string.h>

#define LIST_PIECES(type, l) \
    WLU_PIECE(type, stream.bundle, (l)->bundle, (l)->bundles + WLU_GROUP_AHEAD), \
        WLU_PIECE(type, stream.first, (l)->first, (int64_t)(l)->warps + 1), \
        WLU_PIECE(type, stream.last, (l)->last, (int64_t)(l)->warps)

/* The computed u, with the places of their columns. Returns their number. */
static int32_t list_computed(const wlu_flat *flat, int32_t *slot, int32_t *column)
{
    int32_t count = 0;
    for (int64_t k = 0; k < flat->count; k++)
        if (flat->u_column[k] >= 0) {
            slot[count] = (int32_t)k;
            column[count++] = flat->u_column[k];
        }
    return count;
}

static warplu_status assemble_factor(wlu_context *ctx, const wlu_flat *flat, const wlu_group_lists *l, const int32_t *u,
                                     const int32_t *u_column, wlu_group_factor *to, wlu_block *block)
{
    const wlu_program *p = flat->program;
    const wlu_piece list[] = {
        LIST_PIECES(wlu_group_factor, l),
        WLU_PIECE(wlu_group_factor, guards.a_source, wlu_lu_of(p)->guard.a_source, wlu_lu_of(p)->guard.entries),
        WLU_PIECE(wlu_group_factor, guards.a_scale, wlu_lu_of(p)->guard.a_scale, wlu_lu_of(p)->guard.n),
        WLU_PIECE(wlu_group_factor, u, u, (int64_t)to->us),
        WLU_PIECE(wlu_group_factor, u_column, u_column, (int64_t)to->us),
    };
    return wlu_block_fill(ctx, list, (int)(sizeof list / sizeof *list), block);
}

/* By entry, what the guards scale it by as the largest of a column and of a row. */
static void list_guards(const wlu_program *p, int64_t entries, uint16_t *column, uint16_t *row)
{
    const wlu_guards *g = &wlu_lu_of(p)->guard;
    memset(column, 0, (size_t)entries * sizeof *column);
    memset(row, 0, (size_t)entries * sizeof *row);
    for (int32_t k = 0; k < g->n; k++) {
        column[g->a_source[k]] = g->a_scale[k];
        row[g->a_source[k < g->shared ? k : g->n + k - g->shared]] = g->row_scale[k];
    }
}

static warplu_status pack_lists(wlu_context *ctx, const wlu_flat *flat, const wlu_group_stage *stage, int32_t warps,
                                int32_t *u, int32_t *u_column, wlu_group_factor *to, wlu_block *block)
{
    wlu_group_lists lists = {0};
    warplu_status status = wlu_group_lists_create(ctx, stage, warps, &lists);
    if (status == WARPLU_SUCCESS) {
        *to = (wlu_group_factor){.stream.warps = warps,
                                 .guards = wlu_guards_of(flat->program),
                                 .criteria = wlu_lu_of(flat->program)->guard.criteria,
                                 .us = list_computed(flat, u, u_column),
                                 .zero = flat->zero,
                                 .minus_one = flat->minus_one};
        status = assemble_factor(ctx, flat, &lists, u, u_column, to, block);
    }
    wlu_group_lists_free(ctx, &lists);
    return status;
}

warplu_status wlu_group_pack_factor(wlu_context *ctx, const wlu_flat *flat, int32_t warps, wlu_group_factor *to,
                                    wlu_block *block)
{
    int64_t entries = flat->load.count;
    int32_t *u = WLU_ALLOC(ctx, flat->count, int32_t), *u_column = WLU_ALLOC(ctx, flat->count, int32_t);
    uint16_t *column = WLU_ALLOC(ctx, entries, uint16_t), *row = WLU_ALLOC(ctx, entries, uint16_t);
    const wlu_group_stage stage = {.stream = &flat->factor,
                                   .load = &flat->load,
                                   .slots = flat->count,
                                   .zero = flat->zero,
                                   .minus_one = flat->minus_one,
                                   .spare = (int32_t)flat->count,
                                   .area = flat->area,
                                   .column_power = column,
                                   .row_power = row};
    warplu_status status = WARPLU_OUT_OF_MEMORY;
    *block = (wlu_block){0};
    if (u != NULL && u_column != NULL && column != NULL && row != NULL) {
        list_guards(flat->program, entries, column, row);
        status = pack_lists(ctx, flat, &stage, warps, u, u_column, to, block);
    } else {
        status = wlu_fail_memory(ctx, "batch for a device");
    }
    void *owned[] = {u, u_column, column, row};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    return status;
}

static warplu_status assemble_solve(wlu_context *ctx, const wlu_group_lists *l, const int32_t *store,
                                    const uint16_t *power, int64_t n, wlu_block *block)
{
    const wlu_piece list[] = {
        LIST_PIECES(wlu_group_solve, l),
        WLU_PIECE(wlu_group_solve, store, store, n),
        WLU_PIECE(wlu_group_solve, power, power, n),
    };
    return wlu_block_fill(ctx, list, (int)(sizeof list / sizeof *list), block);
}

warplu_status wlu_group_pack_solve(wlu_context *ctx, const wlu_flat *flat, const wlu_flat_solve *solve, int32_t warps,
                                   wlu_group_solve *to, wlu_block *block)
{
    const wlu_group_stage stage = {.stream = &solve->stream,
                                   .load = &solve->load,
                                   .first = flat->count,
                                   .slots = solve->own,
                                   .zero = flat->zero,
                                   .minus_one = flat->minus_one,
                                   .spare = (int32_t)solve->own + 2};
    int32_t n = flat->program->n, *store = WLU_ALLOC(ctx, n, int32_t);
    uint16_t *power = WLU_ALLOC(ctx, n, uint16_t);
    wlu_group_lists lists = {0};
    *block = (wlu_block){0};
    warplu_status status = store == NULL || power == NULL ? wlu_fail_memory(ctx, "batch for a device")
                                                          : wlu_group_lists_create(ctx, &stage, warps, &lists);
    if (status == WARPLU_SUCCESS) {
        for (int32_t k = 0; k < n; k++) store[k] = wlu_group_own_slot(&stage, solve->store[k]);
        wlu_write_powers(solve->store_scale, n, power);
        *to = (wlu_group_solve){
            .stream.warps = warps, .n = n, .zero = (int32_t)solve->own, .minus_one = (int32_t)solve->own + 1};
        status = assemble_solve(ctx, &lists, store, power, n, block);
    }
    wlu_group_lists_free(ctx, &lists);
    wlu_free(ctx, store);
    wlu_free(ctx, power);
    return status;
}

warplu_status wlu_group_pack_gather(wlu_context *ctx, const wlu_program *program, wlu_device_gather *to,
                                    wlu_block *block)
{
    *to = wlu_gather_of(program);
    const wlu_piece list[] = {WLU_PIECE(wlu_device_gather, first, to->first, wlu_gather_firsts(program)),
                              WLU_PIECE(wlu_device_gather, map, to->map, wlu_gather_maps(program))};
    return wlu_block_fill(ctx, list, 2, block);
}
