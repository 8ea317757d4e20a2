/* Building the TILE region: rows of panels, sources, targets, slots. See lu.h for the form.
 *
 * Rows come from the patterns of L and U, tile by tile, and are sorted all at once. Where the rows of L of a tile are
 * the pivots of the next one and its rows, as in a supernode wider than a tile, both update a target through one list.
 * O(entries of the region) time; 4 bytes a row of a panel, 4 for each row and target of a supernode. */
#include "lu/panels.h"

#include "base/sort.h"

#include <string.h>

typedef struct builder {
    wlu_context *ctx;
    const wlu_pivots *p;
    wlu_program *program;
    wlu_tiles *t;
    int32_t *local;   /* n: place of a position in the region, -1 elsewhere */
    int32_t *tile;    /* m: tile of each */
    int32_t *at;      /* m: its row in the panel at hand, ... */
    int32_t *stamp;   /* m: ... if this is the tile at hand */
    uint8_t *follows; /* count: the tile's rows are the next tile's pivots and rows */
    uint8_t *spills;  /* count: its panel has one row more */
} builder;

/* -------------------------------------------------------------------- rows */

/* Notes row i of tile t's panel, once. */
static void note_row(builder *b, int32_t t, int32_t i, wlu_sort_entry *entries, int64_t *count)
{
    if (b->stamp[i] == t) return;
    b->stamp[i] = t;
    if (entries != NULL) entries[*count] = (wlu_sort_entry){(uint64_t)t << 32 | (uint32_t)i, 0};
    ++*count;
}

/* The rows above and below of every tile: counted, or written with the tile as the key's upper half. A source's pivots
 * behind the first that updates the tile are rows too. */
static int64_t collect_rows(builder *b, wlu_sort_entry *entries)
{
    const wlu_pivots *p = b->p;
    wlu_tiles *t = b->t;
    int64_t count = 0;
    for (int32_t k = 0; k < t->m; k++) b->stamp[k] = -1;
    for (int32_t k = 0; k < t->count; k++)
        for (int32_t at = t->first[k]; at < t->first[k + 1]; at++) {
            int32_t j = t->position[at];
            for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
                int32_t i = b->local[p->ui[q]];
                if (i < 0 || b->tile[i] == k) continue;
                for (int32_t end = t->first[b->tile[i] + 1]; i < end && b->stamp[i] != k; i++)
                    note_row(b, k, i, entries, &count);
            }
            for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++)
                if (b->local[p->li[q]] >= t->first[k + 1]) note_row(b, k, b->local[p->li[q]], entries, &count);
        }
    return count;
}

static warplu_status find_rows(builder *b)
{
    wlu_tiles *t = b->t;
    int64_t count = collect_rows(b, NULL);
    wlu_sort_entry *entries = WLU_ALLOC(b->ctx, 2 * count, wlu_sort_entry);
    int64_t *digits = WLU_ALLOC(b->ctx, WLU_SORT_DIGITS, int64_t);
    t->row = WLU_ALLOC(b->ctx, count, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (entries == NULL || digits == NULL || t->row == NULL) {
        status = wlu_fail_memory(b->ctx, "rows of the tiles");
    } else {
        collect_rows(b, entries);
        const wlu_sort_entry *sorted = wlu_sort(entries, entries + count, count, digits);
        int64_t q = 0;
        for (int32_t k = 0; k < t->count; k++) {
            t->row_ptr[k] = q;
            for (; q < count && (int32_t)(sorted[q].key >> 32) == k; q++) {
                t->row[q] = (int32_t)(uint32_t)sorted[q].key;
                t->above[k] += t->row[q] < t->first[k];
            }
            t->below[k] = (int32_t)(q - t->row_ptr[k]) - t->above[k];
        }
        t->row_ptr[t->count] = q;
    }
    wlu_free(b->ctx, entries);
    wlu_free(b->ctx, digits);
    return status;
}

/* ----------------------------------------------------------------- sources */

static void find_followers(builder *b)
{
    const wlu_tiles *t = b->t;
    for (int32_t k = 0; k + 1 < t->count; k++) {
        const int32_t *rows = t->row + t->row_ptr[k] + t->above[k];
        const int32_t *next = t->row + t->row_ptr[k + 1] + t->above[k + 1];
        int32_t width = wlu_tile_width(t, k + 1);
        b->follows[k] = t->below[k] == width + t->below[k + 1] && rows[0] == t->first[k + 1] &&
                        rows[width - 1] == t->first[k + 2] - 1 &&
                        memcmp(rows + width, next, (size_t)t->below[k + 1] * sizeof *rows) == 0;
    }
}

/* Notes where the panel of tile k has its rows. */
static void map_panel(builder *b, int32_t k)
{
    const wlu_tiles *t = b->t;
    for (int32_t q = 0; q < t->above[k] + t->below[k]; q++) {
        int32_t i = t->row[t->row_ptr[k] + q];
        b->stamp[i] = k;
        b->at[i] = q < t->above[k] ? q : q + wlu_tile_width(t, k);
    }
    for (int32_t i = t->first[k]; i < t->first[k + 1]; i++) {
        b->stamp[i] = k;
        b->at[i] = t->above[k] + i - t->first[k];
    }
}

/* Where the rows of source s stand in the panel of tile k, to the end of the list of targets. */
static void put_targets(builder *b, int32_t k, int32_t s)
{
    wlu_tiles *t = b->t;
    const int32_t *rows = t->row + t->row_ptr[s] + t->above[s];
    int32_t spill = t->above[k] + wlu_tile_width(t, k) + t->below[k];
    for (int32_t r = 0; r < t->below[s]; r++) {
        int here = b->stamp[rows[r]] == k;
        b->spills[k] |= !here;
        if (t->target != NULL) t->target[t->ntargets + r] = here ? b->at[rows[r]] : spill;
    }
    t->ntargets += t->below[s];
}

/* Sources of every tile: counted while target is NULL, then written. */
static int64_t walk_sources(builder *b)
{
    wlu_tiles *t = b->t;
    int64_t count = 0;
    t->ntargets = 0;
    for (int32_t k = 0; k < t->count; k++) b->spills[k] = 0;
    for (int32_t k = 0; k < t->m; k++) b->stamp[k] = -1;
    for (int32_t k = 0; k < t->count; k++) {
        t->source_ptr[k] = count;
        map_panel(b, k);
        int64_t to = 0;
        for (int32_t q = 0, before = -1; q < t->above[k];) {
            int32_t s = b->tile[t->row[t->row_ptr[k] + q]], begin = q;
            while (q < t->above[k] && b->tile[t->row[t->row_ptr[k] + q]] == s) q++;
            if (before >= 0 && before == s - 1 && b->follows[before]) {
                to += wlu_tile_width(t, s);
            } else {
                to = t->ntargets;
                put_targets(b, k, s);
            }
            if (t->source != NULL) t->source[count] = (wlu_tile_source){s, begin, q - begin, to};
            before = s;
            count++;
        }
    }
    t->source_ptr[t->count] = count;
    return count;
}

static warplu_status find_sources(builder *b)
{
    wlu_tiles *t = b->t;
    find_followers(b);
    int64_t count = walk_sources(b);
    t->source = WLU_ALLOC(b->ctx, count, wlu_tile_source);
    t->target = WLU_ALLOC(b->ctx, t->ntargets, int32_t);
    if (t->source == NULL || t->target == NULL) return wlu_fail_memory(b->ctx, "sources of the tiles");
    walk_sources(b);
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------- slots */

static void place_panel(builder *b, int32_t k, int64_t panel)
{
    const wlu_pivots *p = b->p;
    const wlu_tiles *t = b->t;
    wlu_layout o = wlu_layout_of(p, 0);
    int32_t *slot = b->program->slot;
    for (int32_t at = t->first[k]; at < t->first[k + 1]; at++) {
        int32_t j = t->position[at];
        int64_t column = panel + at - t->first[k];
        slot[o.pivot + j] = (int32_t)(column + (int64_t)WLU_TILE_WIDTH * b->at[at]);
        for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++)
            slot[o.l + q] = (int32_t)(column + (int64_t)WLU_TILE_WIDTH * b->at[b->local[p->li[q]]]);
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
            int32_t i = b->local[p->ui[q]];
            if (i >= 0) slot[o.u + q] = (int32_t)(column + (int64_t)WLU_TILE_WIDTH * b->at[i]);
        }
    }
}

static warplu_status place_panels(builder *b, int64_t *next)
{
    wlu_tiles *t = b->t;
    int32_t *reciprocal = b->program->slot + wlu_layout_of(b->p, 0).reciprocal;
    wlu_lu_edit(b->program)->tile_reciprocal = *next;
    for (int32_t at = 0; at < t->m; at++) reciprocal[t->position[at]] = (int32_t)(*next)++;
    *next = (*next + WLU_TILE_WIDTH - 1) / WLU_TILE_WIDTH * WLU_TILE_WIDTH;
    b->program->region_slots = *next;
    for (int32_t k = 0; k < t->count; k++) {
        t->panel[k] = *next;
        *next += (int64_t)WLU_TILE_WIDTH * (t->above[k] + wlu_tile_width(t, k) + t->below[k] + b->spills[k]);
        warplu_status status = wlu_slots_check(b->ctx, *next);
        if (status < 0) return status;
        map_panel(b, k);
        place_panel(b, k, t->panel[k]);
    }
    t->panel[t->count] = *next;
    return WARPLU_SUCCESS;
}

/* What the region does, and what of it counts. */
static void count_work(builder *b)
{
    wlu_tiles *t = b->t;
    const wlu_pivots *p = b->p;
    for (int32_t at = 0; at < t->m; at++) {
        int32_t j = t->position[at];
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++)
            if (b->local[p->ui[q]] >= 0) t->terms += p->lp[p->ui[q] + 1] - p->lp[p->ui[q]];
    }
    for (int32_t k = 0; k < t->count; k++) {
        int64_t width = wlu_tile_width(t, k), end = t->source_ptr[k + 1];
        t->steps += width * (width - 1) / 2 + width * t->below[k];
        for (int64_t g = t->source_ptr[k]; g < end; g++) {
            int64_t pivots = t->source[g].pivots;
            t->steps += pivots * (pivots - 1) / 2 + pivots * t->below[t->source[g].tile];
        }
    }
}

/* ------------------------------------------------------------------- whole */

static warplu_status allocate(builder *b)
{
    wlu_tiles *t = b->t;
    int64_t count = t->count, m = t->m;
    t->above = WLU_CALLOC(b->ctx, count, int32_t);
    t->below = WLU_CALLOC(b->ctx, count, int32_t);
    t->row_ptr = WLU_ALLOC(b->ctx, count + 1, int64_t);
    t->panel = WLU_ALLOC(b->ctx, count + 1, int64_t);
    t->load = WLU_CALLOC(b->ctx, count + 1, int64_t);
    t->vector = WLU_CALLOC(b->ctx, count + 1, int64_t);
    t->source_ptr = WLU_ALLOC(b->ctx, count + 1, int64_t);
    b->local = WLU_ALLOC(b->ctx, b->p->n, int32_t);
    b->tile = WLU_ALLOC(b->ctx, m, int32_t);
    b->at = WLU_ALLOC(b->ctx, m, int32_t);
    b->stamp = WLU_ALLOC(b->ctx, m, int32_t);
    b->follows = WLU_CALLOC(b->ctx, count, uint8_t);
    b->spills = WLU_CALLOC(b->ctx, count, uint8_t);
    if (!t->above || !t->below || !t->row_ptr || !t->panel || !t->load || !t->vector || !t->source_ptr || !b->local ||
        !b->tile || !b->at || !b->stamp || !b->follows || !b->spills)
        return wlu_fail_memory(b->ctx, "TILE region");
    return WARPLU_SUCCESS;
}

static void number(builder *b)
{
    const wlu_tiles *t = b->t;
    for (int32_t k = 0; k < b->p->n; k++) b->local[k] = -1;
    for (int32_t at = 0; at < t->m; at++) b->local[t->position[at]] = at;
    wlu_tiles_map(t, b->tile);
}

warplu_status wlu_panels_build(wlu_context *ctx, const wlu_pivots *p, wlu_program *program, int64_t *next)
{
    builder b = {.ctx = ctx, .p = p, .program = program, .t = &wlu_lu_edit(program)->tiles};
    warplu_status status = allocate(&b);
    if (status == WARPLU_SUCCESS) {
        number(&b);
        status = find_rows(&b);
    }
    if (status == WARPLU_SUCCESS) status = find_sources(&b);
    if (status == WARPLU_SUCCESS) status = place_panels(&b, next);
    if (status == WARPLU_SUCCESS) count_work(&b);
    wlu_free(ctx, b.local);
    wlu_free(ctx, b.tile);
    wlu_free(ctx, b.at);
    wlu_free(ctx, b.stamp);
    wlu_free(ctx, b.follows);
    wlu_free(ctx, b.spills);
    return status;
}

void wlu_panels_free(wlu_context *ctx, wlu_tiles *t)
{
    void *owned[] = {t->position, t->first,  t->above, t->below,  t->row_ptr, t->row,  t->panel, t->source_ptr,
                     t->source,   t->target, t->load,  t->vector, t->owner,   t->turn, t->list,  t->list_ptr};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    memset(t, 0, sizeof *t);
}

int64_t wlu_panels_bytes(const wlu_tiles *t)
{
    if (t->m == 0) return 0;
    return 4 * (int64_t)t->m + 52 * (int64_t)t->count + 4 * t->row_ptr[t->count] +
           (int64_t)sizeof *t->source * t->source_ptr[t->count] + 4 * t->ntargets;
}
