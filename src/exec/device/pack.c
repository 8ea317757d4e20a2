/* Packing of a factorization: bundles of its DOT stream, loads, guards; tiles with their loads and sources. image.h has the
 * form. O(program) time; the image is built in pieces, then copied into one block. */
#include "exec/device/pack.h"

#include "base/power.h"
#include "base/sort.h"
#include "exec/device/pack_guards.h"
#include "exec/device/pack_stream.h"

#include <stddef.h>

enum { LOADS_A_BUNDLE = 256 };

typedef struct packing {
    wlu_context *ctx;
    const wlu_program *p;
    wlu_packer packer;
    wlu_stream_image stream;
    int32_t *staged;        /* by panel slot: its staging slot, or -1 */
    int32_t staging;        /* how many */
    uint16_t *load_power;
    wlu_device_tile *tile;
    wlu_tile_load *load;
    wlu_device_source *source;
    int32_t *order;         /* tiles by when they can start */
    int64_t loads;
    int32_t panel_rows;
    int32_t *tile_column;
    uint16_t *all_scale;
} packing;

/* ---------------------------------------------------------------- records */

static uint8_t area_of(const wlu_program *p, int32_t slot)
{
    return slot < p->l ? WLU_DEVICE_U : slot < p->f ? WLU_DEVICE_L : slot < p->reciprocal ? WLU_DEVICE_F : WLU_DEVICE_NONE;
}

/* Where a listed load of a panel slot is, or -1. */
static int64_t find_load(const wlu_load_list *list, int32_t slot)
{
    int64_t low = 0, high = list->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (list->target[middle] < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->target[low] == slot ? low : -1;
}

/* Starts from the matrix, not from a slot, but for partial sums; results for panels go to staging. */
static void settle_record(packing *k, wlu_device_record *r)
{
    const wlu_program *p = k->p;
    int32_t slot = r->target;
    int64_t at;
    r->area = area_of(p, slot);
    if (slot >= p->sums) return;
    if (slot < p->reciprocal) {
        r->start = p->load.source[slot];
        r->power = wlu_upper_of_power(p->load.scale[slot]);
        return;
    }
    at = find_load(&p->list, slot);
    r->start = at < 0 ? -1 : p->list.source[at];
    r->power = at < 0 ? 0 : wlu_upper_of_power(p->list.scale[at]);
    r->target = k->staged[slot - p->panels] = (int32_t)p->nslots + k->staging++;
}

static warplu_status pack_records(packing *k)
{
    const wlu_program *p = k->p;
    int64_t panel_slots = p->sums - p->panels;
    warplu_status status = wlu_packer_create(k->ctx, p, &p->dot, &k->packer);
    k->staged = WLU_ALLOC(k->ctx, panel_slots, int32_t);
    if (status == WARPLU_SUCCESS && k->staged == NULL) status = wlu_fail_memory(k->ctx, "staging slots");
    if (status < 0) return status;
    for (int64_t s = 0; s < panel_slots; s++) k->staged[s] = -1;
    wlu_packer_add(&k->packer, &p->dot, 0, p->dot.nrecords);
    for (int64_t r = 0; r < k->packer.count; r++) settle_record(k, &k->packer.record[r].record);
    return status;
}

/* Slots that are only loaded, in bundles of neighbours; with bundle NULL counted. */
static int64_t cut_loads(packing *k, wlu_bundle *bundle)
{
    const wlu_program *p = k->p;
    int64_t bundles = 0;
    for (int64_t s = 0; s < p->reciprocal;) {
        int64_t begin = s;
        if (k->packer.at[s] >= 0) {
            s++;
            continue;
        }
        while (s < p->reciprocal && s - begin < LOADS_A_BUNDLE && k->packer.at[s] < 0 &&
               area_of(p, (int32_t)s) == area_of(p, (int32_t)begin))
            s++;
        if (bundle != NULL)
            bundle[bundles] = (wlu_bundle){.operand = (int32_t)begin, .first = (int32_t)begin, .steps = (int32_t)(s - begin),
                                           .shape = WLU_BUNDLE_LOADS, .records = area_of(p, (int32_t)begin)};
        bundles++;
    }
    return bundles;
}

static void cut_guards(const packing *k, wlu_bundle *bundle, int64_t bundles)
{
    for (int64_t b = 0; b < bundles; b++) {
        int64_t first = b * LOADS_A_BUNDLE, rest = k->p->n - first;
        bundle[b] = (wlu_bundle){.first = (int32_t)first, .steps = (int32_t)(rest < LOADS_A_BUNDLE ? rest : LOADS_A_BUNDLE),
                                 .shape = WLU_BUNDLE_GUARDS};
    }
}

static warplu_status pack_bundles(packing *k)
{
    const wlu_program *p = k->p;
    int64_t loads = cut_loads(k, NULL), guards = ((int64_t)p->n + LOADS_A_BUNDLE - 1) / LOADS_A_BUNDLE;
    warplu_status status = wlu_packer_bundle(&k->packer, loads, guards, &k->stream);
    if (status < 0) return status;
    cut_loads(k, k->stream.bundle);
    cut_guards(k, k->stream.bundle + k->stream.bundles - guards, guards);
    k->load_power = wlu_powers(k->ctx, p->load.scale, p->reciprocal);
    return k->load_power != NULL ? WARPLU_SUCCESS : wlu_fail_memory(k->ctx, "load map for the device");
}

/* ------------------------------------------------------------------ tiles */

/* What a tile takes in before its sources: its listed loads, but for entries that come by way of staging. */
static void put_tile_loads(packing *k, int32_t t)
{
    const wlu_program *p = k->p;
    const wlu_tiles *tiles = &p->tiles;
    int64_t panel = tiles->panel[t], at = tiles->load[t];
    for (int64_t slot = panel; slot < tiles->panel[t + 1]; slot++) {
        int listed = at < tiles->load[t + 1] && p->list.target[at] == slot;
        int32_t stage = k->staged[slot - p->panels];
        wlu_tile_load *to = &k->load[k->loads];
        if (stage >= 0)
            *to = (wlu_tile_load){(int32_t)(slot - panel), stage, WLU_FROM_STAGE};
        else if (listed)
            *to = (wlu_tile_load){(int32_t)(slot - panel), p->list.source[at], wlu_upper_of_power(p->list.scale[at])};
        k->loads += stage >= 0 || listed;
        at += listed;
    }
}

static void put_source(packing *k, int64_t g)
{
    const wlu_tiles *tiles = &k->p->tiles;
    int32_t s = tiles->source[g].tile, width = wlu_tile_width(tiles, s);
    k->source[g] = (wlu_device_source){.diagonal = (int32_t)wlu_tile_diagonal(tiles, s),
                                       .lower = (int32_t)wlu_tile_lower(tiles, s),
                                       .rows = tiles->below[s],
                                       .target = (int32_t)tiles->source[g].to,
                                       .at = tiles->source[g].at,
                                       .skip = (int16_t)(width - tiles->source[g].pivots),
                                       .width = (int16_t)width};
}

static void put_tile(packing *k, int32_t t, wlu_device_tile *to)
{
    const wlu_tiles *tiles = &k->p->tiles;
    int64_t first_load = k->loads;
    int32_t rows = tiles->above[t] + wlu_tile_width(tiles, t) + tiles->below[t];
    put_tile_loads(k, t);
    for (int64_t g = tiles->source_ptr[t]; g < tiles->source_ptr[t + 1]; g++) put_source(k, g);
    *to = (wlu_device_tile){.panel = (int32_t)tiles->panel[t],
                            .above = tiles->above[t],
                            .width = wlu_tile_width(tiles, t),
                            .below = tiles->below[t],
                            .load = (int32_t)first_load,
                            .loads = (int32_t)(k->loads - first_load),
                            .source = (int32_t)tiles->source_ptr[t],
                            .sources = (int32_t)(tiles->source_ptr[t + 1] - tiles->source_ptr[t]),
                            .reciprocal = (int32_t)k->p->tile_reciprocal + tiles->first[t],
                            .tile = t,
                            .first = tiles->first[t]};
    if (rows > k->panel_rows) k->panel_rows = rows;
}

/* The height of a tile: one more than the highest of its sources. Tiles of one height do not need each other. */
static warplu_status order_tiles(packing *k)
{
    const wlu_tiles *tiles = &k->p->tiles;
    int64_t count = tiles->count;
    wlu_sort_entry *entries = WLU_ALLOC(k->ctx, 2 * count, wlu_sort_entry);
    int64_t *digits = WLU_ALLOC(k->ctx, WLU_SORT_DIGITS, int64_t);
    int32_t *height = WLU_CALLOC(k->ctx, count, int32_t);
    k->order = WLU_ALLOC(k->ctx, count, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (entries == NULL || digits == NULL || height == NULL || k->order == NULL) {
        status = wlu_fail_memory(k->ctx, "order of the tiles");
    } else {
        for (int32_t t = 0; t < count; t++) {
            for (int64_t g = tiles->source_ptr[t]; g < tiles->source_ptr[t + 1]; g++)
                if (height[tiles->source[g].tile] >= height[t]) height[t] = height[tiles->source[g].tile] + 1;
            entries[t] = (wlu_sort_entry){(uint64_t)height[t], t};
        }
        const wlu_sort_entry *sorted = wlu_sort(entries, entries + count, count, digits);
        for (int64_t q = 0; q < count; q++) k->order[q] = (int32_t)sorted[q].record;
    }
    wlu_free(k->ctx, entries);
    wlu_free(k->ctx, digits);
    wlu_free(k->ctx, height);
    return status;
}

static warplu_status pack_tiles(packing *k)
{
    const wlu_tiles *tiles = &k->p->tiles;
    if (tiles->count == 0) return WARPLU_SUCCESS;
    warplu_status status = order_tiles(k);
    k->tile = WLU_ALLOC(k->ctx, tiles->count, wlu_device_tile);
    k->load = WLU_ALLOC(k->ctx, k->p->list.count + k->staging, wlu_tile_load);
    k->source = WLU_ALLOC(k->ctx, tiles->source_ptr[tiles->count], wlu_device_source);
    if (status == WARPLU_SUCCESS && (!k->tile || !k->load || !k->source))
        status = wlu_fail_memory(k->ctx, "tiles for the device");
    if (status < 0) return status;
    if (tiles->ntargets > INT32_MAX || tiles->source_ptr[tiles->count] > INT32_MAX)
        return wlu_fail(k->ctx, WARPLU_OVERFLOW, "%lld rows of sources exceed the device's index width",
                        (long long)tiles->ntargets);
    for (int32_t q = 0; q < tiles->count; q++) put_tile(k, k->order[q], &k->tile[q]);
    return WARPLU_SUCCESS;
}

/* ----------------------------------------------------------------- guards */

static warplu_status pack_guards(packing *k)
{
    const wlu_program *p = k->p;
    const wlu_guards *g = &p->guard;
    k->tile_column = WLU_ALLOC(k->ctx, p->tiles.m, int32_t);
    k->all_scale = wlu_powers(k->ctx, g->all_scale, g->all_ptr[p->n]);
    if (k->tile_column == NULL || k->all_scale == NULL) return wlu_fail_memory(k->ctx, "guards for the device");
    for (int64_t at = 0; at < p->tiles.m; at++) k->tile_column[at] = g->column[p->tiles.position[at]];
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------ image */

static warplu_status assemble(packing *k, wlu_device_image *out)
{
    const wlu_program *p = k->p;
    const wlu_tiles *t = &p->tiles;
    int64_t sources = t->count > 0 ? t->source_ptr[t->count] : 0;
#define PIECE(name, array, count) {offsetof(wlu_device_program, name), array, (count) * (int64_t)sizeof *(array)}
    wlu_piece list[] = {
        PIECE(dot.bundle, k->stream.bundle, k->stream.bundles),
        PIECE(dot.record, k->stream.record, k->stream.records),
        PIECE(dot.operand, k->stream.operand, 2 * WLU_WARP * k->stream.rows),
        PIECE(dot.load_source, p->load.source, p->reciprocal),
        PIECE(dot.load_power, k->load_power, p->reciprocal),
        PIECE(tile, k->tile, t->count),
        PIECE(load, k->load, k->loads),
        PIECE(source, k->source, sources),
        PIECE(target, t->target, t->count > 0 ? t->ntargets : 0),
        PIECE(guards.tile_column, k->tile_column, t->m),
        WLU_GUARD_PIECES(wlu_device_program, p, k->all_scale),
    };
#undef PIECE
    warplu_status status = wlu_block_fill(k->ctx, list, (int)(sizeof list / sizeof *list), &out->block);
    if (status < 0) return status;
    out->program = (wlu_device_program){.dot.bundles = (int32_t)k->stream.bundles,
                                        .tiles = t->count,
                                        .slots = (int32_t)p->nslots + k->staging,
                                        .zero = (int32_t)p->zero,
                                        .minus_one = (int32_t)p->minus_one,
                                        .panel_rows = k->panel_rows,
                                        .guards = wlu_guards_of(p),
                                        .gather.entries = wlu_gather_of(p).entries};
    wlu_block_place(&out->block, out->block.memory, &out->program);
    out->terms = p->dot.nterms;
    out->padded_terms = WLU_WARP * k->stream.rows;
    out->records = k->stream.records;
    out->lanes = WLU_WARP * k->stream.bundles;
    return WARPLU_SUCCESS;
}

static void free_packing(packing *k)
{
    void *owned[] = {k->staged, k->load_power, k->tile,        k->load,
                     k->source, k->order,      k->tile_column, k->all_scale};
    wlu_packer_free(&k->packer);
    wlu_stream_image_free(k->ctx, &k->stream);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) wlu_free(k->ctx, owned[i]);
}

warplu_status wlu_device_pack(wlu_context *ctx, const wlu_program *program, wlu_device_image *out)
{
    packing k = {.ctx = ctx, .p = program, .packer = {.ctx = ctx}};
    *out = (wlu_device_image){0};
    warplu_status status = pack_records(&k);
    if (status == WARPLU_SUCCESS) status = pack_bundles(&k);
    if (status == WARPLU_SUCCESS) status = pack_tiles(&k);
    if (status == WARPLU_SUCCESS) status = pack_guards(&k);
    if (status == WARPLU_SUCCESS && program->nslots + k.staging > INT32_MAX)
        status = wlu_fail(ctx, WARPLU_OVERFLOW, "%lld slots exceed the 32-bit slot width", (long long)program->nslots + k.staging);
    if (status == WARPLU_SUCCESS) status = assemble(&k, out);
    free_packing(&k);
    if (status < 0) wlu_device_image_free(ctx, out);
    return status;
}

void wlu_device_image_free(wlu_context *ctx, wlu_device_image *image)
{
    wlu_block_free(ctx, &image->block);
    *image = (wlu_device_image){0};
}

wlu_device_program wlu_device_place(const wlu_device_image *image, const void *base)
{
    wlu_device_program placed = image->program;
    wlu_block_place(&image->block, base, &placed);
    return placed;
}
