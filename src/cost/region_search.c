/* Choosing a TILE region by simulated time. See region_search.h. */
#include "cost/region_search.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* A tile that is done. */
typedef struct event {
    double ns;
    int32_t tile;
} event;

/* Tiles stand in the order in which DOT records are done with them, children before their parents. A region is all from
 * one place on: what it takes in all is summed up beforehand, and a try costs what the tiles in it and just below it
 * do. */
typedef struct search {
    const wlu_cost *cost;
    const wlu_tile_tree *tree;
    double max_bytes;
    int32_t *order;           /* the tiles */
    int32_t *child, *sibling; /* of each tile; -1 */
    wlu_price *work;          /* n + 1, by where a region begins: work of all, tiles or not, */
    int32_t *levels;          /* and the longest path of pivots below it */
    uint8_t *chosen;
    double *above;  /* of each tile: time from its end to the end of the longest path above it. A chosen tile's
                     * path has chosen tiles alone */
    int32_t *tiles; /* tiles on the longest path of the tree to one that are chosen */
    int32_t *left;  /* sources that a tile has not taken yet, */
    double *taken;  /* and when it has taken the last of the others, or what is below it is done */
    event *heap;    /* tiles that have taken all, the earliest first */
    int32_t heap_size;
    int32_t begin; /* the first chosen tile's place: that of the last try */
    double score;  /* of the best; infinite: there is none, */
    int32_t best;  /* where it begins, */
    double after;  /* and after which time of DOT records */
} search;

/* A choice of tiles, children before their parents. */
typedef struct region {
    const int32_t *tile;
    int32_t count;
    double dot_path_ns; /* when the last of the other tiles is done */
} region;

/* What tiles take by themselves, and as a source. */
static inline double own_ns(const search *s, int32_t t)
{
    return s->cost->path.ns_per_tile + s->cost->path.ns_per_tile_pivot * s->tree->width[t];
}

static inline double source_ns(const search *s, int32_t t)
{
    return s->cost->path.ns_per_tile_source + s->cost->path.ns_per_tile_row * s->tree->below[t];
}

/* -------------------------------------------------------------- simulation */

static void push(search *s, event e)
{
    int32_t at = s->heap_size++;
    for (; at > 0 && s->heap[(at - 1) / 2].ns > e.ns; at = (at - 1) / 2) s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = e;
}

static event pop(search *s)
{
    event first = s->heap[0], last = s->heap[--s->heap_size];
    int32_t at = 0, n = s->heap_size;
    for (int32_t down = 1; down < n; down = 2 * at + 1) {
        down += down + 1 < n && s->heap[down + 1].ns < s->heap[down].ns;
        if (s->heap[down].ns >= last.ns) break;
        s->heap[at] = s->heap[down];
        at = down;
    }
    s->heap[at] = last;
    return first;
}

/* A tile without sources left is done when it has taken its time; returns when all it leads to are done at the
 * earliest. */
static double push_if_taken(search *s, int32_t t)
{
    if (s->left[t] > 0) return 0.0;
    double done = s->taken[t] + own_ns(s, t);
    push(s, (event){done, t});
    return done + s->above[t];
}

/* Tiles wait for DOT records into their panels before they take sources. Returns the most chosen tiles on a path. */
static int32_t begin_tiles(search *s, const region *r)
{
    int32_t most = 0;
    for (int32_t k = 0; k < r->count; k++) {
        int32_t t = r->tile[k], tiles = 0;
        double taken = 0.0;
        for (int32_t c = s->child[t]; c >= 0; c = s->sibling[c]) {
            if (!s->chosen[c])
                taken = later(taken, s->tree->dot_done[c]);
            else if (s->tiles[c] > tiles)
                tiles = s->tiles[c];
        }
        s->taken[t] = taken;
        s->left[t] = 0;
        s->tiles[t] = tiles + 1;
        if (tiles >= most) most = tiles + 1;
    }
    return most;
}

/* The path of tiles that have begun; one that is too long may end anywhere beyond. */
static double simulate(search *s, const region *r, double too_long)
{
    const wlu_tile_tree *tree = s->tree;
    double path_ns = r->dot_path_ns;
    s->heap_size = 0;
    for (int32_t k = 0; k < r->count; k++)
        for (int64_t q = tree->target_ptr[r->tile[k]]; q < tree->target_ptr[r->tile[k] + 1]; q++)
            s->left[tree->target[q]]++;
    for (int32_t k = 0; k < r->count; k++) path_ns = later(path_ns, push_if_taken(s, r->tile[k]));
    while (s->heap_size > 0 && path_ns < too_long) {
        event e = pop(s);
        double ns = source_ns(s, e.tile);
        for (int64_t q = tree->target_ptr[e.tile]; q < tree->target_ptr[e.tile + 1]; q++) {
            int32_t to = tree->target[q];
            s->taken[to] = later(s->taken[to], e.ns) + ns;
            s->left[to]--;
            path_ns = later(path_ns, push_if_taken(s, to));
        }
    }
    return path_ns;
}

/* ------------------------------------------------------------------- tries */

/* The region of tiles that stand from here on. */
static region choose(search *s, int32_t begin)
{
    for (; s->begin > begin; s->begin--) s->chosen[s->order[s->begin - 1]] = 1;
    for (; s->begin < begin; s->begin++) s->chosen[s->order[s->begin]] = 0;
    return (region){s->order + begin, s->tree->n - begin, begin > 0 ? s->tree->dot_done[s->order[begin - 1]] : 0.0};
}

/* What a solve adds (cost/solve_path.h), of the longest paths of the tree: DOT pivots take a level up and one down,
 * tiles some. */
static double solve_ns(const search *s, int32_t begin, int32_t tiles)
{
    return s->cost->path.ns_per_solve_level *
           (2.0 * s->levels[begin] + (double)tiles * s->cost->path.solve_tile_levels);
}

/* Times as keys: to 21 bits, in the order of the numbers, which are not negative. */
static uint64_t key_of(double ns)
{
    enum { LOW_BITS = 31 };
    uint64_t bits;
    memcpy(&bits, &ns, sizeof bits);
    return bits >> LOW_BITS;
}

/* The place of the first tile that DOT records alone reach after this time. */
static int32_t place_after(const search *s, double ns)
{
    int32_t low = 0, high = s->tree->n;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (key_of(s->tree->dot_done[s->order[middle]]) <= key_of(ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Tries the region of tiles that DOT records alone reach after this time. */
static void try_region(search *s, double after)
{
    int32_t begin = place_after(s, after);
    wlu_price work = s->work[begin];
    if (s->score < HUGE_VAL && (begin == s->begin || begin == s->best)) return; /* it has been tried */
    region r = choose(s, begin);
    if (work.bytes > s->max_bytes || wlu_cost_time(s->cost, r.dot_path_ns, work.ns) + solve_ns(s, begin, 0) >= s->score)
        return;
    double solve = solve_ns(s, begin, begin_tiles(s, &r)), too_long = wlu_cost_path(s->cost, s->score - solve, work.ns);
    double path_ns = simulate(s, &r, too_long), score = wlu_cost_time(s->cost, path_ns, work.ns) + solve;
    if (path_ns >= too_long || score >= s->score) return;
    s->score = score;
    s->best = begin;
    s->after = after;
}

/* A likely region first: most others are rejected early then. */
static void find_best(search *s)
{
    static const double likely = 6.0, apart = 1.6, closer[] = {1.26, 1.12};
    double longest = s->tree->dot_done[s->order[s->tree->n - 1]], step = 2.0 * s->cost->path.ns_per_handoff;
    try_region(s, 2.0 * longest); /* all DOT */
    try_region(s, likely * step);
    try_region(s, 0.0);
    for (double after = 1.5 * step; after < longest; after *= apart) try_region(s, after);
    if (s->score == HUGE_VAL || s->after > longest) return;
    for (size_t k = 0; k < sizeof closer / sizeof *closer; k++) {
        double after = s->after;
        try_region(s, after / closer[k]);
        try_region(s, after * closer[k]);
    }
}

/* The best region found. */
static wlu_path_time report(search *s)
{
    region r = choose(s, s->best);
    begin_tiles(s, &r);
    return (wlu_path_time){simulate(s, &r, HUGE_VAL), s->work[s->best]};
}

/* ------------------------------------------------------------------ search */

static warplu_status allocate(wlu_context *ctx, search *s)
{
    int64_t n = s->tree->n;
    s->above = WLU_ALLOC(ctx, 2 * n, double);
    s->order = WLU_ALLOC(ctx, 6 * n + 1, int32_t);
    s->work = WLU_ALLOC(ctx, n + 1, wlu_price);
    s->heap = WLU_ALLOC(ctx, n, event);
    if (s->above == NULL || s->order == NULL || s->work == NULL || s->heap == NULL)
        return wlu_fail_memory(ctx, "choice of tiles");
    s->taken = s->above + n;
    s->child = s->order + n;
    s->sibling = s->child + n;
    s->left = s->sibling + n;
    s->tiles = s->left + n;
    s->levels = s->tiles + n;
    return WARPLU_SUCCESS;
}

/* What does not depend on the choice. */
static void list_paths(search *s)
{
    const wlu_tile_tree *tree = s->tree;
    for (int32_t t = 0; t < tree->n; t++) s->child[t] = -1;
    for (int32_t t = tree->n - 1; t >= 0; t--) {
        int32_t up = tree->parent[t];
        s->above[t] = 0.0;
        for (int64_t q = tree->target_ptr[t]; q < tree->target_ptr[t + 1]; q++) {
            int32_t to = tree->target[q];
            s->above[t] = later(s->above[t], source_ns(s, t) + own_ns(s, to) + s->above[to]);
        }
        if (up < 0) continue;
        s->sibling[t] = s->child[up];
        s->child[up] = t;
    }
}

/* The tiles in their order. */
static warplu_status sort_tiles(wlu_context *ctx, search *s)
{
    int32_t n = s->tree->n;
    wlu_sort_entry *entries = WLU_ALLOC(ctx, 2 * (int64_t)n, wlu_sort_entry);
    int64_t *digits = WLU_ALLOC(ctx, WLU_SORT_DIGITS, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    if (entries == NULL || digits == NULL) {
        status = wlu_fail_memory(ctx, "choice of tiles");
    } else {
        for (int32_t t = 0; t < n; t++) entries[t] = (wlu_sort_entry){key_of(s->tree->dot_done[t]), t};
        const wlu_sort_entry *sorted = wlu_sort(entries, entries + n, n, digits);
        for (int32_t k = 0; k < n; k++) s->order[k] = (int32_t)sorted[k].record;
    }
    wlu_free(ctx, entries);
    wlu_free(ctx, digits);
    return status;
}

/* Work and levels by where a region begins. */
static void sum_up(search *s, wlu_price fixed)
{
    const wlu_tile_tree *tree = s->tree;
    int32_t n = tree->n, most = 0, *pivots = s->left;
    wlu_price dots = fixed, tiles = {0};
    memset(pivots, 0, (size_t)n * sizeof *pivots);
    for (int32_t k = n; k > 0; k--) {
        s->work[k] = tiles;
        wlu_price_add(&tiles, tree->as_tile[s->order[k - 1]]);
    }
    s->work[0] = tiles;
    for (int32_t k = 0; k <= n; k++) {
        wlu_price_add(&s->work[k], dots);
        s->levels[k] = most;
        if (k == n) break;
        int32_t t = s->order[k], up = tree->parent[t];
        wlu_price_add(&dots, tree->as_dot[t]);
        pivots[t] += tree->width[t];
        if (pivots[t] > most) most = pivots[t];
        if (up >= 0 && pivots[up] < pivots[t]) pivots[up] = pivots[t];
    }
}

static void end_search(wlu_context *ctx, search *s)
{
    wlu_free(ctx, s->above);
    wlu_free(ctx, s->order);
    wlu_free(ctx, s->work);
    wlu_free(ctx, s->heap);
}

warplu_status wlu_region_search(wlu_context *ctx, const wlu_cost *cost, const wlu_tile_tree *tree, wlu_price fixed,
                                double max_bytes, uint8_t *chosen, wlu_path_time *out, int *fits)
{
    search s = {
        .cost = cost, .tree = tree, .chosen = chosen, .begin = tree->n, .max_bytes = max_bytes, .score = HUGE_VAL};
    warplu_status status = allocate(ctx, &s);
    if (status == WARPLU_SUCCESS) status = sort_tiles(ctx, &s);
    if (status == WARPLU_SUCCESS) {
        memset(chosen, 0, (size_t)tree->n);
        list_paths(&s);
        sum_up(&s, fixed);
        find_best(&s);
        *fits = s.score < HUGE_VAL;
        if (*fits) *out = report(&s);
    }
    end_search(ctx, &s);
    return status;
}

warplu_status wlu_region_simulate(wlu_context *ctx, const wlu_cost *cost, const wlu_tile_tree *tree, uint8_t *chosen,
                                  wlu_path_time *out)
{
    search s = {.cost = cost, .tree = tree, .chosen = chosen};
    region r = {.tile = NULL};
    warplu_status status = allocate(ctx, &s);
    *out = (wlu_path_time){0};
    if (status == WARPLU_SUCCESS) {
        list_paths(&s);
        r.tile = s.order;
        for (int32_t t = 0; t < tree->n; t++) {
            wlu_price_add(&out->work, chosen[t] ? tree->as_tile[t] : tree->as_dot[t]);
            if (chosen[t])
                s.order[r.count++] = t;
            else
                r.dot_path_ns = later(r.dot_path_ns, tree->dot_done[t]);
        }
        begin_tiles(&s, &r);
        out->path_ns = simulate(&s, &r, HUGE_VAL);
    }
    end_search(ctx, &s);
    return status;
}
