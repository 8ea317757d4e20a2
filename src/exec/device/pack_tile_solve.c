/* Packing of a solve's tiles. A pivot takes rows of its tile path's tiles in its block's shared memory, rows of all
 * others as pulls, which come first in the order in which the reference subtracts both: forward, tiles of other tile
 * paths have lower numbers than those of its own; back, higher ones. O(rows of the region's panels) time. */
#include "exec/device/pack_tile_solve.h"

#include "exec/device/packed.h"
#include "exec/device/tile_paths.h"

#include <string.h>

enum { WARPS = WLU_TILE_THREADS / WLU_WARP };

typedef struct packing {
    wlu_context *ctx;
    const wlu_program *p;
    const wlu_tiles *tiles;
    const wlu_triangular *t;
    wlu_tile_solve *out;
    wlu_tile_paths paths;
    int32_t *begin, *end; /* by tile: first pivot of its tile path, and the one behind the last */
    int32_t *turn;        /* by tile: the first of the regions it is solved with; `regions`: it is in none of them */
    int32_t *place;       /* by tile: its place among those in regions */
} packing;

/* ------------------------------------------------------------------ pulls */

/* Rows of a tile that belong to another tile path's pivots, the last ones of L (forward), the first ones of U: counted
 * in next, one further, or put to where that says. */
static void walk_tile(const packing *k, int32_t s, int forward, int put, int32_t *next)
{
    const wlu_tiles *t = k->tiles;
    const int32_t *row = t->row + t->row_ptr[s] + (forward ? t->above[s] : 0);
    int32_t rows = forward ? t->below[s] : t->above[s];
    int64_t panel = forward ? wlu_tile_lower(t, s) : t->panel[s];
    for (int32_t q = 0; q < rows; q++) {
        int32_t r = forward ? rows - 1 - q : q;
        if (forward ? row[r] < k->end[s] : row[r] >= k->begin[s]) break;
        if (put)
            k->out->pull[next[row[r]]++] =
                (wlu_solve_pull){(int32_t)(panel + WLU_TILE_WIDTH * (int64_t)r), t->first[s], wlu_tile_width(t, s)};
        else
            next[row[r] + 1]++;
    }
}

/* Forward: tiles ascend; back: they descend. */
static void walk_tiles(const packing *k, int forward, int put, int32_t *next)
{
    int32_t count = k->tiles->count;
    for (int32_t q = 0; q < count; q++) {
        int32_t s = forward ? q : count - 1 - q;
        if (k->turn[s] < k->t->regions) walk_tile(k, s, forward, put, next);
    }
}

static warplu_status pack_pulls(packing *k)
{
    wlu_tile_solve *out = k->out;
    int64_t m = out->tiled;
    int32_t *next = WLU_ALLOC(k->ctx, m + 1, int32_t);
    out->forward = WLU_CALLOC(k->ctx, m + 1, int32_t);
    out->back = WLU_CALLOC(k->ctx, m + 1, int32_t);
    if (next == NULL || out->forward == NULL || out->back == NULL) {
        wlu_free(k->ctx, next);
        return wlu_fail_memory(k->ctx, "rows of the solve's tiles");
    }
    walk_tiles(k, 1, 0, out->forward);
    walk_tiles(k, 0, 0, out->back);
    for (int64_t at = 0; at < m; at++) out->forward[at + 1] += out->forward[at];
    out->back[0] = out->forward[m];
    for (int64_t at = 0; at < m; at++) out->back[at + 1] += out->back[at];
    out->pulls = out->back[m];
    out->pull = WLU_ALLOC(k->ctx, out->pulls, wlu_solve_pull);
    warplu_status status = out->pull != NULL ? WARPLU_SUCCESS : wlu_fail_memory(k->ctx, "rows of the solve's tiles");
    for (int forward = 0; forward < 2 && status == WARPLU_SUCCESS; forward++) {
        for (int64_t at = 0; at <= m; at++) next[at] = forward ? out->forward[at] : out->back[at];
        walk_tiles(k, forward, 1, next);
    }
    wlu_free(k->ctx, next);
    return status;
}

/* ------------------------------------------------------------------ tiles */

/* How many rows of the tile's U belong to pivots before its tile path, and how many of its L do not lie behind it. */
static void split_rows(const packing *k, int32_t s, int32_t *before, int32_t *within)
{
    const int32_t *row = k->tiles->row + k->tiles->row_ptr[s], *lower = row + k->tiles->above[s];
    for (*before = 0; *before < k->tiles->above[s] && row[*before] < k->begin[s]; ++*before) continue;
    for (*within = 0; *within < k->tiles->below[s] && lower[*within] < k->end[s]; ++*within) continue;
}

static void put_targets(wlu_tile_solve *out, const int32_t *row, int32_t count)
{
    memcpy(out->target + out->targets, row, (size_t)count * sizeof *row);
    out->targets += count;
}

static void put_tile(packing *k, int32_t s)
{
    const wlu_tiles *t = k->tiles;
    const int32_t *row = t->row + t->row_ptr[s];
    wlu_tile_solve *out = k->out;
    int32_t before, within;
    split_rows(k, s, &before, &within);
    out->tile[k->place[s]] = (wlu_solve_tile){
        .diagonal = (int32_t)wlu_tile_diagonal(t, s),
        .reciprocal = (int32_t)wlu_lu_of(k->p)->tile_reciprocal + t->first[s],
        .first = t->first[s],
        .width = wlu_tile_width(t, s),
        .lower = (int32_t)wlu_tile_lower(t, s),
        .lowers = within,
        .lower_target = (int32_t)out->targets,
        .upper = (int32_t)(t->panel[s] + (int64_t)WLU_TILE_WIDTH * before),
        .uppers = t->above[s] - before,
        .upper_target = (int32_t)out->targets + within,
    };
    put_targets(out, row + t->above[s], within);
    put_targets(out, row + before, t->above[s] - before);
}

/* ------------------------------------------------------------------ starts */

/* Pulls leave their results in slots apart; without any, a tile path begins with what others have left. */
static void put_starts(packing *k)
{
    const wlu_program *p = k->p;
    wlu_tile_solve *out = k->out;
    int32_t m = out->tiled, y = (int32_t)p->y, z = (int32_t)(p->nslots - p->y), apart = z + 2 * m;
    for (int32_t at = 0; at < m; at++) {
        out->tile_y[at] = k->t->tile_y[at] - y;
        out->tile_x[at] = k->t->tile_x[at] - y;
        out->start[at] = out->forward[at + 1] > out->forward[at] ? apart + out->partial++ : out->tile_y[at];
        out->start[m + at] = out->back[at + 1] > out->back[at] ? apart + out->partial++ : z + at;
    }
}

/* ------------------------------------------------------------------- tasks */

static void put_task(wlu_tile_solve *out, wlu_solve_work kind, int32_t first, int32_t count)
{
    out->task[out->tasks++] = (wlu_solve_task){kind, first, count, 0};
}

/* Pulls of tile path r, so many pivots together as a block has warps, and the tile path. */
static void put_tile_path(packing *k, int32_t r, int forward)
{
    const int32_t *pulls = forward ? k->out->forward : k->out->back, *first = k->tiles->first;
    int32_t begin = k->paths.first[r], end = k->paths.first[r + 1];
    for (int32_t at = first[begin]; at < first[end]; at += WARPS) {
        int32_t last = at + WARPS < first[end] ? at + WARPS : first[end];
        if (pulls[last] > pulls[at])
            put_task(k->out, forward ? WLU_TASK_PULLS_FORWARD : WLU_TASK_PULLS_BACK, at, last - at);
    }
    put_task(k->out, forward ? WLU_TASK_TILE_PATH_FORWARD : WLU_TASK_TILE_PATH_BACK, k->place[begin], end - begin);
}

static int32_t turn_of(const packing *k, int32_t path)
{
    return k->turn[k->paths.first[path]];
}

/* Turn by turn; regions of the same turn end with it. */
static void put_tile_paths(packing *k)
{
    const int32_t *order = k->paths.order;
    int32_t q = 0, regions = k->t->regions;
    while (q < k->paths.count && turn_of(k, order[q]) < regions) {
        int32_t first = q, turn = turn_of(k, order[q]);
        for (; q < k->paths.count && turn_of(k, order[q]) == turn; q++) put_tile_path(k, order[q], 1);
        for (int32_t back = q - 1; back >= first; back--) put_tile_path(k, order[back], 0);
        for (int32_t r = turn; r < regions && k->turn[k->t->region[r].begin] == turn; r++)
            k->out->end[r] = k->out->tasks;
    }
}

/* Room for targets and tasks: those of all tiles, none of them left out. */
static warplu_status pack_rest(packing *k)
{
    const wlu_tiles *t = k->tiles;
    wlu_tile_solve *out = k->out;
    int64_t m = out->tiled;
    out->tile = WLU_ALLOC(k->ctx, out->tiles, wlu_solve_tile);
    out->target = WLU_ALLOC(k->ctx, t->row_ptr[t->count], int32_t);
    out->tile_y = WLU_ALLOC(k->ctx, m, int32_t);
    out->tile_x = WLU_ALLOC(k->ctx, m, int32_t);
    out->start = WLU_ALLOC(k->ctx, 2 * m, int32_t);
    out->end = WLU_ALLOC(k->ctx, k->t->regions, int64_t);
    out->task = WLU_ALLOC(k->ctx, 2 * (m / WARPS + 2 * (int64_t)k->paths.count), wlu_solve_task);
    if (!out->tile || !out->target || !out->tile_y || !out->tile_x || !out->start || !out->end || !out->task)
        return wlu_fail_memory(k->ctx, "tiles of the solve for the device");
    for (int32_t s = 0; s < t->count; s++)
        if (k->turn[s] < k->t->regions) put_tile(k, s);
    put_starts(k);
    put_tile_paths(k);
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------- whole */

/* Regions without records between them need nothing of each other: they take the turn of the first of them. */
static void find_turns(packing *k)
{
    const wlu_triangular *t = k->t;
    int32_t count = k->tiles->count, turn = 0;
    for (int32_t s = 0; s < count; s++) k->turn[s] = t->regions;
    for (int32_t r = 0; r < t->regions; r++) {
        if (t->segment[r + 1] > t->segment[r]) turn = r;
        for (int32_t s = t->region[r].begin; s < t->region[r].end; s++) k->turn[s] = turn;
    }
    for (int32_t s = 0; s < count; s++) {
        k->place[s] = (int32_t)k->out->tiles;
        k->out->tiles += k->turn[s] < t->regions;
    }
}

static warplu_status find_tile_paths(packing *k)
{
    k->begin = WLU_ALLOC(k->ctx, k->tiles->count, int32_t);
    k->end = WLU_ALLOC(k->ctx, k->tiles->count, int32_t);
    k->turn = WLU_ALLOC(k->ctx, k->tiles->count, int32_t);
    k->place = WLU_ALLOC(k->ctx, k->tiles->count, int32_t);
    if (!k->begin || !k->end || !k->turn || !k->place) return wlu_fail_memory(k->ctx, "tile paths");
    find_turns(k);
    warplu_status status = wlu_tile_paths_find(k->ctx, k->tiles, wlu_slot_bytes(k->p), k->turn, &k->paths);
    if (status < 0) return status;
    for (int32_t r = 0; r < k->paths.count; r++)
        for (int32_t s = k->paths.first[r]; s < k->paths.first[r + 1]; s++) {
            k->begin[s] = k->tiles->first[k->paths.first[r]];
            k->end[s] = k->tiles->first[k->paths.first[r + 1]];
        }
    return WARPLU_SUCCESS;
}

warplu_status wlu_tile_solve_pack(wlu_context *ctx, const wlu_program *program, const wlu_triangular *solve,
                                  wlu_tile_solve *out)
{
    packing k = {.ctx = ctx, .p = program, .tiles = &wlu_lu_of(program)->tiles, .t = solve, .out = out};
    *out = (wlu_tile_solve){0};
    if (solve->regions == 0) return WARPLU_SUCCESS;
    out->tiled = k.tiles->m;
    warplu_status status = find_tile_paths(&k);
    if (status == WARPLU_SUCCESS) status = pack_pulls(&k);
    if (status == WARPLU_SUCCESS) status = pack_rest(&k);
    wlu_tile_paths_free(ctx, &k.paths);
    wlu_free(ctx, k.begin);
    wlu_free(ctx, k.end);
    wlu_free(ctx, k.turn);
    wlu_free(ctx, k.place);
    return status;
}

void wlu_tile_solve_free(wlu_context *ctx, wlu_tile_solve *s)
{
    void *owned[] = {s->task, s->end, s->tile, s->pull, s->target, s->forward, s->back, s->tile_y, s->tile_x, s->start};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) wlu_free(ctx, owned[i]);
    *s = (wlu_tile_solve){0};
}
