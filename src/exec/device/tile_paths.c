/* Tile paths, from the leaves up. See tile_paths.h. O(rows of the region's panels) time, 32 bytes a tile and 4 a pivot
 * and a row of L. */
#include "exec/device/tile_paths.h"

#include <string.h>

#include "base/sort.h"
#include "cost/tree.h"

/* In steps of one tile of a tile path: what it takes until a tile path's results have reached another one, through
 * pulls and that one's first copies; and tiles of a subtree that is a tile path whole. Not tuned: 8 and 32 were not
 * tried. */
enum { HANDOFF = 16, SMALL = 16, NO_TILE = -1 };

typedef struct cutter {
    wlu_context *ctx;
    const wlu_tiles *t;
    int slot_bytes;
    const int32_t *turn;
    int32_t *tile_of; /* of the pivots */
    int32_t *parent, *ancestor;
    int32_t *size;   /* tiles of the subtree */
    int32_t *from;   /* where the tile path that ends with the tile would begin, */
    int32_t *starts; /* when, */
    int32_t *done;   /* and when the tile would be done */
} cutter;

static int fits(const cutter *c, int32_t first, int32_t last)
{
    return last - first < WLU_TILE_PATH_TILES &&
           c->t->first[last + 1] - c->t->first[first] <= WLU_TILE_PATH_PIVOTS(c->slot_bytes);
}

/* ------------------------------------------------------------------- tree */

/* Rows of L by target: the tiles whose L reaches each tile are those whose U would in a symmetric pattern. */
static warplu_status list_sources(const cutter *c, int32_t **ptr, int32_t **list)
{
    const wlu_tiles *t = c->t;
    int64_t entries = 0;
    *ptr = WLU_CALLOC(c->ctx, (int64_t)t->count + 2, int32_t);
    for (int32_t k = 0; k < t->count; k++) entries += t->below[k];
    *list = WLU_ALLOC(c->ctx, entries, int32_t);
    if (*ptr == NULL || *list == NULL) return wlu_fail_memory(c->ctx, "tree of the tiles");
    for (int write = 0; write < 2; write++) {
        for (int32_t k = 0; k < t->count; k++) {
            const int32_t *row = t->row + t->row_ptr[k] + t->above[k];
            for (int32_t r = 0; r < t->below[k]; r++) {
                int32_t to = c->tile_of[row[r]];
                if (r > 0 && c->tile_of[row[r - 1]] == to) continue;
                if (write)
                    (*list)[(*ptr)[to + 1]++] = k;
                else
                    (*ptr)[to + 2]++;
            }
        }
        for (int32_t k = 0; k <= t->count && !write; k++) (*ptr)[k + 1] += (*ptr)[k];
    }
    return WARPLU_SUCCESS;
}

/* Whichever of L and U connects them. */
static warplu_status find_parents(const cutter *c)
{
    const wlu_tiles *t = c->t;
    int32_t *ptr = NULL, *list = NULL;
    warplu_status status = list_sources(c, &ptr, &list);
    for (int32_t k = 0; k < t->count && status == WARPLU_SUCCESS; k++) {
        const int32_t *row = t->row + t->row_ptr[k];
        c->parent[k] = c->ancestor[k] = NO_TILE;
        for (int32_t q = ptr[k]; q < ptr[k + 1]; q++) wlu_tree_climb(c->parent, c->ancestor, list[q], k);
        for (int32_t r = 0; r < t->above[k]; r++) wlu_tree_climb(c->parent, c->ancestor, c->tile_of[row[r]], k);
    }
    wlu_free(c->ctx, ptr);
    wlu_free(c->ctx, list);
    return status;
}

/* ------------------------------------------------------------------- cuts */

/* Tile k ends its whole subtree, goes on with the tile path of the tile before it, or begins one of its own. others:
 * when its other children's results are here. */
static void place(const cutter *c, int32_t k, int32_t others)
{
    int32_t whole = k - c->size[k] + 1;
    int follows = k > 0 && c->parent[k - 1] == k;
    c->from[k] = k;
    c->starts[k] = others;
    if (follows && c->done[k - 1] + HANDOFF > others) c->starts[k] = c->done[k - 1] + HANDOFF;
    c->done[k] = c->starts[k] + 1;
    if (c->size[k] <= SMALL && fits(c, whole, k)) {
        c->from[k] = whole;
        c->starts[k] = 0;
        c->done[k] = c->size[k];
    } else if (follows && fits(c, c->from[k - 1], k)) {
        int32_t starts = c->starts[k - 1] > others ? c->starts[k - 1] : others, done = starts + k - c->from[k - 1] + 1;
        if (done > c->done[k]) return;
        c->from[k] = c->from[k - 1];
        c->starts[k] = starts;
        c->done[k] = done;
    }
}

/* When all but the last child of each tile are done reaches it through `others`. */
static void cut(const cutter *c, int32_t *others)
{
    for (int32_t k = 0; k < c->t->count; k++) {
        c->size[k] = 1;
        others[k] = 0;
    }
    for (int32_t k = 0; k < c->t->count; k++) {
        int32_t up = c->parent[k];
        place(c, k, others[k]);
        if (up == NO_TILE) continue;
        c->size[up] += c->size[k];
        if (up != k + 1 && c->done[k] + HANDOFF > others[up]) others[up] = c->done[k] + HANDOFF;
    }
}

/* Tile paths as they end, from the last on; those that others swallowed are skipped. With first NULL counted. */
static int32_t collect(const cutter *c, int32_t *first)
{
    int32_t count = 0;
    for (int32_t k = c->t->count - 1; k >= 0; k = c->from[k] - 1) {
        if (first != NULL) first[count] = c->from[k];
        count++;
    }
    return count;
}

/* A tile path's depth is one more than that of every tile path below it in the tree. */
static warplu_status order_tile_paths(const cutter *c, wlu_tile_paths *out)
{
    wlu_sort_entry *entries = WLU_ALLOC(c->ctx, 2 * (int64_t)out->count, wlu_sort_entry);
    int64_t *digits = WLU_ALLOC(c->ctx, WLU_SORT_DIGITS, int64_t);
    int32_t *depth = WLU_CALLOC(c->ctx, out->count, int32_t), *path = c->ancestor;
    warplu_status status = WARPLU_SUCCESS;
    if (entries == NULL || digits == NULL || depth == NULL) {
        status = wlu_fail_memory(c->ctx, "order of the tile paths");
    } else {
        for (int32_t r = 0; r < out->count; r++)
            for (int32_t k = out->first[r]; k < out->first[r + 1]; k++) path[k] = r;
        for (int32_t k = 0; k < c->t->count; k++) {
            int32_t up = c->parent[k] != NO_TILE ? path[c->parent[k]] : path[k];
            if (up != path[k] && depth[up] <= depth[path[k]]) depth[up] = depth[path[k]] + 1;
        }
        for (int32_t r = 0; r < out->count; r++)
            entries[r] = (wlu_sort_entry){(uint64_t)c->turn[out->first[r]] << 32 | (uint32_t)depth[r], r};
        const wlu_sort_entry *sorted = wlu_sort(entries, entries + out->count, out->count, digits);
        for (int32_t r = 0; r < out->count; r++) out->order[r] = (int32_t)sorted[r].record;
    }
    wlu_free(c->ctx, entries);
    wlu_free(c->ctx, digits);
    wlu_free(c->ctx, depth);
    return status;
}

static warplu_status report(const cutter *c, wlu_tile_paths *out)
{
    out->count = collect(c, NULL);
    out->first = WLU_ALLOC(c->ctx, (int64_t)out->count + 1, int32_t);
    out->order = WLU_ALLOC(c->ctx, out->count, int32_t);
    if (out->first == NULL || out->order == NULL) return wlu_fail_memory(c->ctx, "tile paths");
    collect(c, out->first);
    for (int32_t a = 0, b = out->count - 1; a < b; a++, b--) {
        int32_t x = out->first[a];
        out->first[a] = out->first[b];
        out->first[b] = x;
    }
    out->first[out->count] = c->t->count;
    return order_tile_paths(c, out);
}

warplu_status wlu_tile_paths_find(wlu_context *ctx, const wlu_tiles *tiles, int slot_bytes, const int32_t *turn,
                                  wlu_tile_paths *out)
{
    int64_t count = tiles->count;
    cutter c = {.ctx = ctx, .t = tiles, .slot_bytes = slot_bytes, .turn = turn};
    int32_t *room = WLU_ALLOC(ctx, 7 * count + tiles->m, int32_t);
    *out = (wlu_tile_paths){0};
    if (room == NULL) return wlu_fail_memory(ctx, "tile paths");
    c.parent = room;
    c.ancestor = room + count;
    c.size = room + 2 * count;
    c.from = room + 3 * count;
    c.starts = room + 4 * count;
    c.done = room + 5 * count;
    c.tile_of = room + 7 * count;
    wlu_tiles_map(tiles, c.tile_of);
    warplu_status status = find_parents(&c);
    if (status == WARPLU_SUCCESS) {
        cut(&c, room + 6 * count);
        status = report(&c, out);
    }
    wlu_free(ctx, room);
    return status;
}

void wlu_tile_paths_free(wlu_context *ctx, wlu_tile_paths *paths)
{
    wlu_free(ctx, paths->first);
    wlu_free(ctx, paths->order);
    *paths = (wlu_tile_paths){0};
}
