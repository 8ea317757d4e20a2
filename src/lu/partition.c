/* Subtrees to parts, and the tiles of the top. See partition.h. */
#include "lu/partition.h"

#include <math.h>
#include <string.h>

/* The top runs at this share of the speed that all parts together would have. */
static const double TOP_EFFICIENCY = 0.7;

/* Subtrees lighter than this share of a part's work are not told apart: they fill what the others leave. */
static const double LIGHT = 1.0 / 64.0;

/* Splits that are tried, and those of them after which a cut is looked at: all of the first, then each that is a
 * sixteenth more. */
enum { SPLITS_MOST = 1024, SPLITS_A_PART = 64, EACH_LOOKED_AT = 64, GROWTH = 16 };

typedef struct forest {
    int32_t count, parts;
    const int32_t *parent;
    double *subtree;       /* count: of the unit and all below it */
    int32_t *child, *next; /* lists of children, -1 at the end; child[count]: of roots */
    int32_t *heavy;        /* roots of heavy subtrees, heaviest first */
    int32_t heavies;
    double light; /* work of all light subtrees */
    double *load; /* parts */
} forest;

/* Makes the subtree of u one of those to be given away. */
static void put_subtree(forest *f, int32_t u, double least)
{
    if (f->subtree[u] < least) {
        f->light += f->subtree[u];
        return;
    }
    int32_t at = f->heavies++;
    for (; at > 0 && f->subtree[f->heavy[at - 1]] < f->subtree[u]; at--) f->heavy[at] = f->heavy[at - 1];
    f->heavy[at] = u;
}

static int32_t lightest_part(const forest *f)
{
    int32_t best = 0;
    for (int32_t p = 1; p < f->parts; p++)
        if (f->load[p] < f->load[best]) best = p;
    return best;
}

/* Heavy subtrees to the part with least work so far; returns the most that any part has, light subtrees filling up. */
static double give_away(forest *f, int32_t *part)
{
    double most = 0.0, sum = f->light;
    memset(f->load, 0, (size_t)f->parts * sizeof *f->load);
    for (int32_t k = 0; k < f->heavies; k++) {
        int32_t p = lightest_part(f);
        f->load[p] += f->subtree[f->heavy[k]];
        sum += f->subtree[f->heavy[k]];
        most = fmax(most, f->load[p]);
        if (part != NULL) part[f->heavy[k]] = p;
    }
    return fmax(most, sum / f->parts);
}

/* Splits the heaviest subtree; returns what its root costs, below 0 where nothing is left to be split. */
static double split(forest *f, double least)
{
    if (f->heavies == 0) return -1.0;
    int32_t u = f->heavy[0];
    double own = f->subtree[u];
    f->heavies--;
    memmove(f->heavy, f->heavy + 1, (size_t)f->heavies * sizeof *f->heavy);
    for (int32_t c = f->child[u]; c >= 0; c = f->next[c]) {
        own -= f->subtree[c];
        put_subtree(f, c, least);
    }
    return own > 0.0 ? own : 0.0;
}

static void begin(forest *f, double least)
{
    f->heavies = 0;
    f->light = 0.0;
    for (int32_t u = f->child[f->count]; u >= 0; u = f->next[u]) put_subtree(f, u, least);
}

/* The number of splits after which all would be done first. */
static int32_t best_cut(forest *f, double least)
{
    int32_t best = 0;
    double top = 0.0, shortest = INFINITY;
    begin(f, least);
    for (int32_t splits = 0, next = 0; splits <= SPLITS_MOST + SPLITS_A_PART * f->parts; splits++) {
        if (splits == next) {
            double time = give_away(f, NULL) + top / (TOP_EFFICIENCY * f->parts);
            next = splits < EACH_LOOKED_AT ? splits + 1 : splits + splits / GROWTH;
            if (time < shortest) {
                shortest = time;
                best = splits;
            }
        }
        double own = split(f, least);
        if (own < 0.0) break;
        top += own;
    }
    return best;
}

/* Parts of heavy roots are known; what is above them is the top, what is below is theirs, light subtrees fill parts up
 * in their order. */
static void spread(forest *f, double total, int32_t *part)
{
    double fair = total / f->parts;
    int32_t p = 0;
    for (int32_t u = f->count - 1; u >= 0; u--) {
        int32_t up = f->parent[u];
        if (part[u] >= 0) continue; /* a heavy root, or the top */
        if (up >= 0 && part[up] < f->parts) {
            part[u] = part[up];
            continue;
        }
        while (p + 1 < f->parts && f->load[p] >= fair) p++;
        part[u] = p;
        f->load[p] += f->subtree[u];
    }
}

static void cut(forest *f, double least, int32_t *part)
{
    double total = 0.0;
    int32_t splits = best_cut(f, least);
    for (int32_t u = 0; u < f->count; u++) part[u] = -1;
    begin(f, least);
    for (int32_t k = 0; k < splits; k++) {
        part[f->heavy[0]] = f->parts;
        split(f, least);
    }
    give_away(f, part);
    for (int32_t k = 0; k < f->heavies; k++) total += f->subtree[f->heavy[k]];
    spread(f, total + f->light, part);
}

warplu_status wlu_partition_forest(wlu_context *ctx, int32_t count, const int32_t *parent, const double *ns,
                                   int32_t parts, int32_t *part, double *load)
{
    double total = 0.0;
    forest f = {.count = count, .parts = parts, .parent = parent, .load = load};
    int32_t *lists = WLU_ALLOC(ctx, 3 * (int64_t)count + 1, int32_t);
    f.subtree = WLU_ALLOC(ctx, count, double);
    warplu_status status = WARPLU_SUCCESS;
    if (lists == NULL || f.subtree == NULL) {
        status = wlu_fail_memory(ctx, "parts of the program");
    } else {
        f.next = lists;
        f.heavy = lists + count;
        f.child = lists + 2 * (int64_t)count;
        for (int32_t u = 0; u < count; u++) f.subtree[u] = 0.0;
        for (int32_t u = 0; u <= count; u++) f.child[u] = -1;
        for (int32_t u = 0; u < count; u++) {
            int32_t up = parent[u] >= 0 ? parent[u] : count;
            f.subtree[u] += ns[u];
            total += ns[u];
            if (up < count) f.subtree[up] += f.subtree[u];
            f.next[u] = f.child[up];
            f.child[up] = u;
        }
        cut(&f, LIGHT * total / parts, part);
    }
    wlu_free(ctx, lists);
    wlu_free(ctx, f.subtree);
    return status;
}

/* ------------------------------------------------------------- tiles of the top */

/* A step that another part waits for reaches it so much later; a row that another part has written comes from its
 * cache. */
static const double HANDOFF_NS = 300.0, FETCH_NS = 6.0;

typedef struct timing {
    const double *arrivals;
    int32_t *owner; /* tiles */
    double *end;    /* tiles of the top: when it is done */
    double *free;   /* parts: when it has done what it has */
    uint8_t *known; /* tiles times parts: whose cache holds the tile */
} timing;

/* When part p would be done with the tile if it came next: its updates follow the tiles that they wait for. */
static double end_of(const wlu_program *program, const timing *k, int32_t tile, int32_t p)
{
    const wlu_tiles *t = &wlu_lu_of(program)->tiles;
    const wlu_cost *cost = program->cost;
    double now = k->free[p] + k->arrivals[tile];
    for (int64_t g = t->source_ptr[tile]; g < t->source_ptr[tile + 1]; g++) {
        int32_t s = t->source[g].tile;
        double ready = k->end[s] + (k->owner[s] != p && k->end[s] > 0.0 ? HANDOFF_NS : 0.0);
        if (!k->known[(int64_t)s * program->parts + p]) now += FETCH_NS * (wlu_tile_width(t, s) + t->below[s]);
        now = fmax(now, ready) + cost->ns_per_tile_source +
              t->below[s] * (cost->ns_per_tile_row + t->source[g].pivots * cost->ns_per_tile_step);
    }
    int64_t rows = t->above[tile] + wlu_tile_width(t, tile) + t->below[tile];
    return now + cost->ns_per_tile + (double)rows * cost->ns_per_panel_row;
}

/* Part p takes the tile, and its sources into its cache. */
static void take(const wlu_program *program, timing *k, int32_t tile, int32_t p)
{
    const wlu_tiles *t = &wlu_lu_of(program)->tiles;
    k->owner[tile] = p;
    k->known[(int64_t)tile * program->parts + p] = 1;
    for (int64_t g = t->source_ptr[tile]; g < t->source_ptr[tile + 1]; g++)
        k->known[(int64_t)t->source[g].tile * program->parts + p] = 1;
}

/* Gives the top's tiles to parts. */
static void simulate(const wlu_program *program, const wlu_cut *cut, timing *k)
{
    const wlu_tiles *t = &wlu_lu_of(program)->tiles;
    int32_t parts = program->parts;
    double begin = 0.0;
    for (int32_t p = 0; p < parts; p++) begin = fmax(begin, cut->load[p]);
    for (int32_t p = 0; p < parts; p++) k->free[p] = begin;
    memset(k->known, 0, (size_t)t->count * (size_t)parts);
    for (int32_t tile = 0; tile < t->count; tile++) {
        k->end[tile] = 0.0;
        if (cut->tile_part[tile] < parts) {
            take(program, k, tile, cut->tile_part[tile]);
            continue;
        }
        int32_t best = 0;
        double first = INFINITY;
        for (int32_t p = 0; p < parts; p++) {
            double end = end_of(program, k, tile, p);
            if (end < first) {
                first = end;
                best = p;
            }
        }
        take(program, k, tile, best);
        k->end[tile] = k->free[best] = first;
    }
}

/* Each part's tiles, those of its subtrees first; turns count those of the top, from 1. */
static void make_lists(wlu_program *program, const int32_t *tile_part)
{
    wlu_tiles *t = &wlu_lu_edit(program)->tiles;
    int32_t at = 0;
    for (int32_t p = 0; p < program->parts; p++)
        for (int top = 0; top <= 1; top++) {
            t->list_ptr[2 * p + top] = at;
            for (int32_t tile = 0, turn = 0; tile < t->count; tile++) {
                if (t->owner[tile] != p || (tile_part[tile] == program->parts) != top) continue;
                t->turn[tile] = top ? ++turn : 0;
                t->list[at++] = tile;
            }
        }
    t->list_ptr[2 * program->parts] = at;
}

warplu_status wlu_partition_tiles(wlu_context *ctx, const wlu_cut *cut, wlu_program *program)
{
    wlu_tiles *t = &wlu_lu_edit(program)->tiles;
    int64_t count = t->count;
    double *times = WLU_ALLOC(ctx, count + program->parts, double);
    uint8_t *known = WLU_ALLOC(ctx, count * program->parts, uint8_t);
    t->owner = WLU_ALLOC(ctx, count, int32_t);
    t->turn = WLU_ALLOC(ctx, count, int32_t);
    t->list = WLU_ALLOC(ctx, count, int32_t);
    t->list_ptr = WLU_ALLOC(ctx, 2 * (int64_t)program->parts + 1, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (!times || !known || !t->owner || !t->turn || !t->list || !t->list_ptr) {
        status = wlu_fail_memory(ctx, "parts of the tiles");
    } else {
        timing k = {cut->arrivals, t->owner, times, times + count, known};
        if (cut->owner != NULL)
            memcpy(t->owner, cut->owner, (size_t)count * sizeof *t->owner);
        else
            simulate(program, cut, &k);
        make_lists(program, cut->tile_part);
    }
    wlu_free(ctx, times);
    wlu_free(ctx, known);
    return status;
}
