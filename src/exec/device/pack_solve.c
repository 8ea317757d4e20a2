/* Packing of a solve: bundles of its streams with the right-hand side's loads and the solution's stores; tiles, each pivot with
 * what it takes from others, in the order in which the reference subtracts it. O(program) time. */
#include "exec/device/pack.h"

#include <stddef.h>

#include "base/power.h"
#include "base/sort.h"
#include "exec/device/pack_stream.h"

enum { SLOTS_A_BUNDLE = 256 };

typedef struct packing {
    wlu_context *ctx;
    const wlu_program *p;
    const wlu_triangular *t;
    wlu_packer before, after;
    wlu_stream_image first, last;
    int32_t *load_source;
    uint16_t *load_power, *power;
    int32_t *tile_of; /* by tiled pivot */
    wlu_solve_tile *tile;
    wlu_solve_pull *pull;
    int32_t *forward, *back, *tile_y, *tile_x;
    int64_t pulls;
    int32_t tiled;   /* pivots of the region, if this solve has one */
    int32_t staging; /* slots apart */
} packing;

/* ---------------------------------------------------------------- streams */

static int is_computed(const packing *k, int32_t slot)
{
    return k->before.at[slot] >= 0 || k->after.at[slot] >= 0;
}

/* A record of the second stream that goes on where one of the first stopped: the first leaves its result in a slot apart, for
 * a slot is written once. */
static int32_t stage(packing *k, int32_t slot)
{
    int32_t apart = (int32_t)(k->p->nslots + 2 * (int64_t)k->tiled + k->staging++);
    k->before.record[k->before.at[slot]].record.target = apart;
    return apart;
}

/* Starts from the right-hand side where no record computes the start slot. */
static void settle_records(packing *k, wlu_packer *packer)
{
    const wlu_loads *load = &k->t->load;
    for (int64_t r = 0; r < packer->count; r++) {
        wlu_device_record *x = &packer->record[r].record;
        int64_t at = x->start - load->first;
        int in_place = (x->flags & WLU_RECORD_FROM_SLOT) == 0, goes_on = in_place && packer == &k->after && k->before.at[x->start] >= 0;
        if (goes_on) x->start = stage(k, x->start);
        if (goes_on || at < 0 || at >= load->count || (!in_place && is_computed(k, x->start))) {
            x->flags |= WLU_RECORD_FROM_SLOT;
            continue;
        }
        x->flags &= (uint8_t)~WLU_RECORD_FROM_SLOT;
        x->start = load->source[at];
        x->power = wlu_upper_of_power(load->scale[at]);
    }
}

/* Unknowns of y that are only loaded; with bundle NULL counted. */
static int64_t cut_loads(const packing *k, wlu_bundle *bundle)
{
    const wlu_loads *load = &k->t->load;
    int64_t bundles = 0;
    for (int64_t s = 0; s < load->count;) {
        int64_t begin = s;
        while (s < load->count && s - begin < SLOTS_A_BUNDLE && !is_computed(k, (int32_t)(load->first + s))) s++;
        if (s == begin) {
            s++;
            continue;
        }
        if (bundle != NULL)
            bundle[bundles] = (wlu_bundle){.operand = (int32_t)begin,
                                           .first = (int32_t)(load->first + begin),
                                           .steps = (int32_t)(s - begin),
                                           .shape = WLU_BUNDLE_LOADS};
        bundles++;
    }
    return bundles;
}

static void cut_stores(const packing *k, wlu_bundle *bundle, int64_t bundles)
{
    for (int64_t b = 0; b < bundles; b++) {
        int64_t first = b * SLOTS_A_BUNDLE, rest = k->p->n - first;
        bundle[b] = (wlu_bundle){.first = (int32_t)first,
                                 .steps = (int32_t)(rest < SLOTS_A_BUNDLE ? rest : SLOTS_A_BUNDLE),
                                 .shape = WLU_BUNDLE_STORES};
    }
}

static warplu_status pack_maps(packing *k)
{
    const wlu_loads *load = &k->t->load;
    k->load_source = WLU_ALLOC(k->ctx, load->count, int32_t);
    k->load_power = WLU_ALLOC(k->ctx, load->count, uint16_t);
    k->power = WLU_ALLOC(k->ctx, k->p->n, uint16_t);
    if (!k->load_source || !k->load_power || !k->power) return wlu_fail_memory(k->ctx, "maps of the solve for the device");
    for (int64_t s = 0; s < load->count; s++) {
        k->load_source[s] = load->source[s];
        k->load_power[s] = wlu_upper_of_power(load->scale[s]);
        k->power[s] = wlu_upper_of_power(k->t->scale != NULL ? k->t->scale[s] : 1.0);
    }
    return WARPLU_SUCCESS;
}

static warplu_status pack_streams(packing *k)
{
    const wlu_program *p = k->p;
    warplu_status status = wlu_packer_create(k->ctx, p->nslots, k->t->stream.nrecords, &k->before);
    if (status == WARPLU_SUCCESS) status = wlu_packer_create(k->ctx, p->nslots, k->t->after.nrecords, &k->after);
    if (status == WARPLU_SUCCESS) status = wlu_packer_add(&k->before, &k->t->stream);
    if (status == WARPLU_SUCCESS) status = wlu_packer_add(&k->after, &k->t->after);
    if (status < 0) return status;
    settle_records(k, &k->before);
    settle_records(k, &k->after);
    int64_t loads = cut_loads(k, NULL), stores = ((int64_t)p->n + SLOTS_A_BUNDLE - 1) / SLOTS_A_BUNDLE;
    status = wlu_packer_bundle(&k->before, loads, 0, (int32_t)p->zero, &k->first);
    if (status == WARPLU_SUCCESS) status = wlu_packer_bundle(&k->after, 0, stores, (int32_t)p->zero, &k->last);
    if (status < 0) return status;
    cut_loads(k, k->first.bundle);
    cut_stores(k, k->last.bundle + k->last.bundles - stores, stores);
    return pack_maps(k);
}

/* ------------------------------------------------------------------ tiles */

/* Calls for each row of the tile's L or U: the pivot it belongs to, the slots it has. */
typedef void put_pull(packing *k, int32_t at, wlu_solve_pull pull, int32_t *next);

static void count_pull(packing *k, int32_t at, wlu_solve_pull pull, int32_t *next)
{
    (void)k;
    (void)pull;
    next[at + 1]++;
}

static void write_pull(packing *k, int32_t at, wlu_solve_pull pull, int32_t *next)
{
    k->pull[next[at]++] = pull;
}

static void walk_tile(packing *k, int32_t s, int forward, put_pull *put, int32_t *next)
{
    const wlu_tiles *tiles = &k->p->tiles;
    const int32_t *row = tiles->row + tiles->row_ptr[s] + (forward ? tiles->above[s] : 0);
    int64_t slot = forward ? wlu_tile_lower(tiles, s) : tiles->panel[s];
    for (int32_t r = 0; r < (forward ? tiles->below[s] : tiles->above[s]); r++)
        put(k, row[r], (wlu_solve_pull){(int32_t)(slot + WLU_TILE_WIDTH * (int64_t)r), tiles->first[s], wlu_tile_width(tiles, s)},
            next);
}

/* Forward: tiles ascend; back: they descend. */
static void walk_tiles(packing *k, int forward, put_pull *put, int32_t *next)
{
    if (forward)
        for (int32_t s = k->t->tile_begin; s < k->t->tile_end; s++) walk_tile(k, s, 1, put, next);
    else
        for (int32_t s = k->t->tile_end - 1; s >= k->t->tile_begin; s--) walk_tile(k, s, 0, put, next);
}

static warplu_status pack_pulls(packing *k)
{
    int64_t m = k->tiled;
    int32_t *next = WLU_ALLOC(k->ctx, m + 1, int32_t);
    k->forward = WLU_CALLOC(k->ctx, m + 1, int32_t);
    k->back = WLU_CALLOC(k->ctx, m + 1, int32_t);
    if (next == NULL || k->forward == NULL || k->back == NULL) {
        wlu_free(k->ctx, next);
        return wlu_fail_memory(k->ctx, "rows of the solve's tiles");
    }
    walk_tiles(k, 1, count_pull, k->forward);
    walk_tiles(k, 0, count_pull, k->back);
    for (int64_t at = 0; at < m; at++) k->forward[at + 1] += k->forward[at];
    k->back[0] = k->forward[m];
    for (int64_t at = 0; at < m; at++) k->back[at + 1] += k->back[at];
    k->pulls = k->back[m];
    k->pull = WLU_ALLOC(k->ctx, k->pulls, wlu_solve_pull);
    warplu_status status = k->pull != NULL ? WARPLU_SUCCESS : wlu_fail_memory(k->ctx, "rows of the solve's tiles");
    for (int forward = 0; forward < 2 && status == WARPLU_SUCCESS; forward++) {
        for (int64_t at = 0; at <= m; at++) next[at] = forward ? k->forward[at] : k->back[at];
        walk_tiles(k, forward, write_pull, next);
    }
    wlu_free(k->ctx, next);
    return status;
}

/* One more than the height of every tile it has rows in common with that comes before: what neither L nor U connects. */
static void find_heights(const packing *k, int32_t *height)
{
    const wlu_tiles *tiles = &k->p->tiles;
    for (int32_t t = k->t->tile_begin; t < k->t->tile_end; t++) {
        const int32_t *row = tiles->row + tiles->row_ptr[t];
        for (int32_t r = 0; r < tiles->above[t]; r++)
            if (height[k->tile_of[row[r]]] >= height[t]) height[t] = height[k->tile_of[row[r]]] + 1;
        for (int32_t r = tiles->above[t]; r < tiles->above[t] + tiles->below[t]; r++)
            if (height[k->tile_of[row[r]]] <= height[t]) height[k->tile_of[row[r]]] = height[t] + 1;
    }
}

static void put_tiles(packing *k, const wlu_sort_entry *sorted, int32_t count)
{
    const wlu_tiles *tiles = &k->p->tiles;
    for (int32_t q = 0; q < count; q++) {
        int32_t t = (int32_t)sorted[q].record;
        k->tile[q] = (wlu_solve_tile){.diagonal = (int32_t)wlu_tile_diagonal(tiles, t),
                                      .reciprocal = (int32_t)k->p->tile_reciprocal + tiles->first[t],
                                      .first = tiles->first[t],
                                      .width = wlu_tile_width(tiles, t)};
    }
}

static warplu_status order_tiles(packing *k)
{
    const wlu_tiles *tiles = &k->p->tiles;
    int32_t count = k->t->tile_end - k->t->tile_begin;
    wlu_sort_entry *entries = WLU_ALLOC(k->ctx, 2 * (int64_t)count, wlu_sort_entry);
    int64_t *digits = WLU_ALLOC(k->ctx, WLU_SORT_DIGITS, int64_t);
    int32_t *height = WLU_CALLOC(k->ctx, tiles->count, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    k->tile_of = WLU_ALLOC(k->ctx, tiles->m, int32_t);
    k->tile = WLU_ALLOC(k->ctx, count, wlu_solve_tile);
    if (!entries || !digits || !height || !k->tile_of || !k->tile) {
        status = wlu_fail_memory(k->ctx, "tiles of the solve for the device");
    } else {
        for (int32_t t = 0; t < tiles->count; t++)
            for (int32_t at = tiles->first[t]; at < tiles->first[t + 1]; at++) k->tile_of[at] = t;
        find_heights(k, height);
        for (int32_t q = 0; q < count; q++)
            entries[q] = (wlu_sort_entry){(uint64_t)height[k->t->tile_begin + q], k->t->tile_begin + q};
        put_tiles(k, wlu_sort(entries, entries + count, count, digits), count);
    }
    wlu_free(k->ctx, entries);
    wlu_free(k->ctx, digits);
    wlu_free(k->ctx, height);
    return status;
}

static warplu_status pack_tiles(packing *k)
{
    int64_t m = k->tiled;
    warplu_status status = order_tiles(k);
    if (status == WARPLU_SUCCESS) status = pack_pulls(k);
    k->tile_y = WLU_ALLOC(k->ctx, m, int32_t);
    k->tile_x = WLU_ALLOC(k->ctx, m, int32_t);
    if (status == WARPLU_SUCCESS && (k->tile_y == NULL || k->tile_x == NULL))
        status = wlu_fail_memory(k->ctx, "tiles of the solve for the device");
    if (status < 0) return status;
    for (int64_t at = 0; at < m; at++) {
        k->tile_y[at] = k->t->tile_y[at] - (int32_t)k->p->y;
        k->tile_x[at] = k->t->tile_x[at] - (int32_t)k->p->y;
    }
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------ image */

static warplu_status assemble(packing *k, wlu_solve_image *out)
{
    const wlu_program *p = k->p;
    int64_t n = p->n, tiles = k->t->tile_end - k->t->tile_begin, m = k->tiled, ends = tiles > 0 ? m + 1 : 0;
#define PIECE(name, array, count) {offsetof(wlu_device_solve, name), array, (count) * (int64_t)sizeof *(array)}
    wlu_piece list[] = {
        PIECE(before.bundle, k->first.bundle, k->first.bundles),
        PIECE(before.record, k->first.record, k->first.records),
        PIECE(before.operand, k->first.operand, 2 * WLU_WARP * k->first.rows),
        PIECE(before.load_source, k->load_source, n),
        PIECE(before.load_power, k->load_power, n),
        PIECE(after.bundle, k->last.bundle, k->last.bundles),
        PIECE(after.record, k->last.record, k->last.records),
        PIECE(after.operand, k->last.operand, 2 * WLU_WARP * k->last.rows),
        PIECE(index, k->t->index, n),
        PIECE(power, k->power, n),
        PIECE(tile, k->tile, tiles),
        PIECE(pull, k->pull, k->pulls),
        PIECE(forward, k->forward, ends),
        PIECE(back, k->back, ends),
        PIECE(tile_y, k->tile_y, m),
        PIECE(tile_x, k->tile_x, m),
    };
#undef PIECE
    warplu_status status = wlu_block_fill(k->ctx, list, (int)(sizeof list / sizeof *list), &out->block);
    if (status < 0) return status;
    out->solve = (wlu_device_solve){.before.bundles = (int32_t)k->first.bundles,
                                    .after.bundles = (int32_t)k->last.bundles,
                                    .n = p->n,
                                    .tiles = (int32_t)tiles,
                                    .tiled = (int32_t)m,
                                    .split = (int32_t)p->y,
                                    .slots = (int32_t)(p->nslots - p->y + 2 * m + k->staging),
                                    .x = (int32_t)(p->x - p->y),
                                    .z = (int32_t)(p->nslots - p->y),
                                    .zero = (int32_t)(p->zero - p->y)};
    wlu_block_place(&out->block, out->block.memory, &out->solve);
    return WARPLU_SUCCESS;
}

static void free_packing(packing *k)
{
    void *owned[] = {k->load_source, k->load_power, k->power, k->tile_of, k->tile,  k->pull,
                     k->forward,     k->back,       k->tile_y, k->tile_x};
    wlu_packer_free(&k->before);
    wlu_packer_free(&k->after);
    wlu_stream_image_free(k->ctx, &k->first);
    wlu_stream_image_free(k->ctx, &k->last);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) wlu_free(k->ctx, owned[i]);
}

warplu_status wlu_device_pack_solve(wlu_context *ctx, const wlu_program *program, wlu_stream_kind kind, wlu_solve_image *out)
{
    packing k = {.ctx = ctx,
                 .p = program,
                 .t = kind == WLU_STREAM_SOLVE ? &program->solve : &program->transposed,
                 .before = {.ctx = ctx},
                 .after = {.ctx = ctx}};
    *out = (wlu_solve_image){0};
    if (k.t->tile_end > k.t->tile_begin) k.tiled = program->tiles.m;
    warplu_status status = pack_streams(&k);
    if (status == WARPLU_SUCCESS && k.tiled > 0) status = pack_tiles(&k);
    if (status == WARPLU_SUCCESS) status = assemble(&k, out);
    free_packing(&k);
    if (status < 0) wlu_solve_image_free(ctx, out);
    return status;
}

void wlu_solve_image_free(wlu_context *ctx, wlu_solve_image *image)
{
    wlu_block_free(ctx, &image->block);
    *image = (wlu_solve_image){0};
}

wlu_device_solve wlu_device_place_solve(const wlu_solve_image *image, const void *base)
{
    wlu_device_solve placed = image->solve;
    wlu_block_place(&image->block, base, &placed);
    return placed;
}
