/* Packing of a factorization: bundles of its DOT stream, loads, guards; tiles with their loads and sources. image.h has
 * the form. O(program) time; what is made here is written where it stays, in the image's one block. */
#include "exec/device/pack.h"

#include "base/power.h"
#include "base/sort.h"
#include "exec/device/pack_guards.h"
#include "exec/device/pack_solve.h"
#include "exec/device/pack_stream.h"

#include <stddef.h>

typedef struct packing {
    wlu_context *ctx;
    const wlu_program *p;
    const wlu_tiles *tiles;
    wlu_device_packer packer;
    int32_t staging;     /* how many staging slots */
    wlu_tile_load *load; /* room, */
    wlu_device_source *source;
    int64_t loads, put; /* how many, and how many are there */
    int32_t *order;     /* tiles by when they can start */
    int32_t panel_rows;
} packing;

/* ---------------------------------------------------------------- records */

/* Records that start from their targets start from the matrix, for these have no slot yet; results for panels go to
 * staging. */
static void settle_record(packing *k, wlu_device_instruction *r)
{
    const wlu_program *p = k->p;
    int32_t slot = r->target;
    r->area = (uint8_t)wlu_area_of(p, slot);
    if (slot >= p->sums || (r->flags & WLU_RECORD_FROM_SLOT)) return;
    r->start = -1;
    if (slot < p->load.count) {
        r->start = p->load.source[slot];
        r->power = wlu_upper_of_power(p->load.scale[slot]);
    }
    if (slot >= p->region_slots) r->target = (int32_t)p->nslots + k->staging++;
}

/* Entries of panels that are listed and have records are loaded by these. */
static void settle_loads(packing *k)
{
    const wlu_load_list *list = &k->p->list;
    k->loads = k->staging;
    for (int64_t at = 0; at < list->count; at++) {
        int32_t staged = wlu_packer_at(&k->packer, list->target[at]);
        if (staged < 0) {
            k->loads++;
            continue;
        }
        k->packer.record[staged].record.start = list->source[at];
        k->packer.record[staged].record.power = wlu_upper_of_power(list->scale[at]);
    }
}

static warplu_status pack_records(packing *k)
{
    const wlu_program *p = k->p;
    warplu_status status = wlu_packer_create(k->ctx, p, &p->dot, &p->load, 0, &k->packer);
    if (status < 0) return status;
    wlu_packer_add(&k->packer, &p->dot, 0, p->dot.nrecords);
    for (int64_t r = 0; r < k->packer.count; r++) settle_record(k, &k->packer.record[r].record);
    settle_loads(k);
    return wlu_packer_bundle(&k->packer, WLU_BUNDLE_GUARDS, wlu_lu_of(p)->guard.n);
}

/* ------------------------------------------------------------------ tiles */

/* Whether any of a panel row's slots has a record. */
static int is_staged(const int32_t *record)
{
    int32_t none = -1;
    for (int c = 0; c < WLU_TILE_WIDTH; c++) none &= record[c];
    return none >= 0;
}

/* What a tile takes in before its sources: its listed loads, but for entries that come by way of staging. Most rows
 * have nothing. */
static void put_tile_loads(packing *k, int32_t t)
{
    const wlu_load_list *list = &k->p->list;
    int64_t panel = k->tiles->panel[t], at = k->tiles->load[t], end = k->tiles->load[t + 1];
    for (int64_t row = panel; row < k->tiles->panel[t + 1]; row += WLU_TILE_WIDTH) {
        const int32_t *record = k->packer.at + row;
        if ((at == end || list->target[at] >= row + WLU_TILE_WIDTH) && !is_staged(record)) continue;
        for (int32_t c = 0, place = (int32_t)(row - panel); c < WLU_TILE_WIDTH; c++, place++) {
            int listed = at < end && list->target[at] == row + c;
            if (record[c] >= 0)
                k->load[k->put++] = (wlu_tile_load){place, k->packer.record[record[c]].record.target, WLU_FROM_STAGE};
            else if (listed)
                k->load[k->put++] = (wlu_tile_load){place, list->source[at], wlu_upper_of_power(list->scale[at])};
            at += listed;
        }
    }
}

/* Returns the chunks of rows that it comes in, one if it has none. */
static int32_t put_source(packing *k, int64_t g)
{
    int32_t s = k->tiles->source[g].tile, width = wlu_tile_width(k->tiles, s);
    k->source[g] = (wlu_device_source){.diagonal = (int32_t)wlu_tile_diagonal(k->tiles, s),
                                       .lower = (int32_t)wlu_tile_lower(k->tiles, s),
                                       .rows = k->tiles->below[s],
                                       .target = (int32_t)k->tiles->source[g].to,
                                       .at = k->tiles->source[g].at,
                                       .skip = (int16_t)(width - k->tiles->source[g].pivots),
                                       .width = (int16_t)width};
    return k->tiles->below[s] > 0 ? (k->tiles->below[s] - 1) / WLU_TILE_CHUNK(wlu_slot_bytes(k->p)) + 1 : 1;
}

static void put_tile(packing *k, int32_t t, wlu_device_tile *to)
{
    int64_t first_load = k->put;
    int32_t rows = k->tiles->above[t] + wlu_tile_width(k->tiles, t) + k->tiles->below[t], chunks = 0;
    put_tile_loads(k, t);
    for (int64_t g = k->tiles->source_ptr[t]; g < k->tiles->source_ptr[t + 1]; g++) chunks += put_source(k, g);
    *to = (wlu_device_tile){.panel = (int32_t)k->tiles->panel[t],
                            .above = k->tiles->above[t],
                            .width = wlu_tile_width(k->tiles, t),
                            .below = k->tiles->below[t],
                            .load = (int32_t)first_load,
                            .loads = (int32_t)(k->put - first_load),
                            .source = (int32_t)k->tiles->source_ptr[t],
                            .sources = (int32_t)(k->tiles->source_ptr[t + 1] - k->tiles->source_ptr[t]),
                            .reciprocal = (int32_t)wlu_lu_of(k->p)->tile_reciprocal + k->tiles->first[t],
                            .tile = t,
                            .first = k->tiles->first[t],
                            .chunks = chunks};
    if (rows > k->panel_rows) k->panel_rows = rows;
}

static int32_t height_of(const void *height, int32_t tile)
{
    return ((const int32_t *)height)[tile];
}

/* By height. */
static warplu_status order_tiles(packing *k)
{
    int32_t count = k->tiles->count, *height = WLU_CALLOC(k->ctx, 2 * (int64_t)count, int32_t);
    k->order = WLU_ALLOC(k->ctx, count, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (height == NULL || k->order == NULL) {
        status = wlu_fail_memory(k->ctx, "order of the tiles");
    } else {
        int32_t heights = wlu_tiles_heights(k->tiles, height);
        wlu_sort_by(height, height_of, heights, count, NULL, k->order, height + count);
    }
    wlu_free(k->ctx, height);
    return status;
}

static warplu_status check_tiles(const packing *k)
{
    if (k->tiles->count == 0 || (k->tiles->ntargets <= INT32_MAX && k->tiles->source_ptr[k->tiles->count] <= INT32_MAX))
        return WARPLU_SUCCESS;
    return wlu_fail(k->ctx, WARPLU_OVERFLOW, "%lld rows of sources exceed the device's index width",
                    (long long)k->tiles->ntargets);
}

/* ------------------------------------------------------------------ image */

/* The block, with what the program has as it is. */
static warplu_status assemble(packing *k, wlu_device_image *out)
{
    const wlu_stream_image *stream = &k->packer.image;
    const wlu_program *p = k->p;
    const wlu_tiles *t = k->tiles;
    int64_t sources = t->count > 0 ? t->source_ptr[t->count] : 0;
#define PIECE(name, array, count) WLU_PIECE(wlu_device_program, name, array, count)
#define ROOM(name, element, count) WLU_PIECE_ROOM(wlu_device_program, name, element, count)
    const wlu_piece list[] = {
        WLU_PACKER_PIECES(wlu_device_program, dot, &k->packer),
        ROOM(tile, wlu_device_tile, t->count),
        ROOM(load, wlu_tile_load, t->count > 0 ? k->loads : 0),
        ROOM(source, wlu_device_source, sources),
        PIECE(target, t->target, t->count > 0 ? t->ntargets : 0),
        ROOM(guards.tile_column, int32_t, t->m),
        WLU_GUARD_PIECES(wlu_device_program, p),
    };
#undef PIECE
#undef ROOM
    warplu_status status = wlu_block_fill(k->ctx, list, (int)(sizeof list / sizeof *list), &out->block);
    if (status < 0) return status;
    out->program = (wlu_device_program){.dot.bundles = (int32_t)stream->bundles,
                                        .tiles = t->count,
                                        .slots = (int32_t)p->nslots + k->staging,
                                        .zero = (int32_t)p->zero,
                                        .minus_one = (int32_t)p->minus_one,
                                        .guards = wlu_guards_of(p),
                                        .gather.entries = wlu_gather_of(p).entries,
                                        .gather.doubles = p->doubles};
    wlu_block_place(&out->block, out->block.memory, &out->program);
    out->terms = p->dot.nterms;
    out->padded_terms = WLU_WARP * stream->rows;
    out->records = stream->records;
    out->lanes = WLU_WARP * stream->bundles;
    return WARPLU_SUCCESS;
}

/* What is made here, into the block. */
static void write_pieces(packing *k, wlu_device_image *out)
{
    const wlu_lu *lu = wlu_lu_of(k->p);
#define ROOM(name) wlu_block_room(&out->block, offsetof(wlu_device_program, name))
    wlu_device_tile *tile = ROOM(tile);
    int32_t *tile_column = ROOM(guards.tile_column);
    k->load = ROOM(load);
    k->source = ROOM(source);
#undef ROOM
    wlu_packer_write(&k->packer, &out->block, offsetof(wlu_device_program, dot));
    for (int32_t q = 0; q < lu->tiles.count; q++) put_tile(k, k->order[q], &tile[q]);
    for (int64_t at = 0; at < lu->tiles.m; at++) tile_column[at] = lu->guard.column[lu->tiles.position[at]];
    out->program.panel_rows = k->panel_rows;
}

static warplu_status pack_factorization(wlu_context *ctx, const wlu_program *program, wlu_device_image *out)
{
    packing k = {.ctx = ctx, .p = program, .tiles = &wlu_lu_of(program)->tiles, .packer = {.ctx = ctx}};
    warplu_status status = pack_records(&k);
    if (status == WARPLU_SUCCESS) status = check_tiles(&k);
    if (status == WARPLU_SUCCESS) status = order_tiles(&k);
    if (status == WARPLU_SUCCESS) status = wlu_slots_check(ctx, program->nslots + k.staging);
    if (status == WARPLU_SUCCESS) status = assemble(&k, out);
    if (status == WARPLU_SUCCESS) write_pieces(&k, out);
    wlu_packer_free(&k.packer);
    wlu_free(ctx, k.order);
    return status;
}

warplu_status wlu_device_pack(wlu_context *ctx, const wlu_program *program, wlu_stream_kind kind, wlu_device_image *out)
{
    *out = (wlu_device_image){0};
    warplu_status status = kind == WLU_STREAM_FACTOR ? pack_factorization(ctx, program, out)
                                                     : wlu_device_pack_solve(ctx, program, kind, out);
    if (status < 0) wlu_device_image_free(ctx, out);
    return status;
}

void wlu_device_image_free(wlu_context *ctx, wlu_device_image *image)
{
    wlu_block_free(ctx, &image->block);
    wlu_free(ctx, image->vector);
    *image = (wlu_device_image){0};
}
