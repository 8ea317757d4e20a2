/* Choosing a TILE region by simulated time. See region_search.h. */
#include "cost/region_search.h"

#include <math.h>
#include <string.h>

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* A tile that is done. */
typedef struct event {
    double ns;
    int32_t tile;
} event;

/* A search holds the tiles that may still be chosen, and those just below them: one that DOT records are done with
 * before a region begins is in none that begins later, and what it takes is summed up once. */
typedef struct search {
    const wlu_cost *cost;
    const wlu_tile_tree *tree;
    wlu_price fixed;
    double max_bytes;
    int32_t *tile; /* those it holds, ascending */
    int32_t count;
    wlu_price rest;      /* work of the others, */
    double rest_path_ns; /* when the last of them is done, */
    int32_t rest_levels; /* and how many pivots follow each other in them */
    uint8_t *chosen;     /* of those it holds */
    double
        *above; /* what a tile's longest path of tiles takes from when it is done: all on it are chosen where it is */
    int32_t *levels;  /* pivots on the longest path of the tree from a leaf through the tile */
    int32_t *tiles;   /* tiles on it that are chosen */
    int32_t *sources; /* of a tile, among those that the search holds, */
    int32_t *left;    /* those that it has not taken yet, */
    double *taken;    /* and when it has taken the last of the others */
    event *heap;      /* tiles that have taken all, the earliest first */
    int32_t heap_size;
    double score; /* of the best; infinite: there is none, */
    double begin; /* and where it begins */
} search;

/* What tiles take by themselves, and as a source. */
static inline double own_ns(const search *s, int32_t t)
{
    return s->cost->path.ns_per_tile + s->cost->path.ns_per_tile_pivot * s->tree->width[t];
}

static inline double source_ns(const search *s, int32_t t)
{
    return s->cost->path.ns_per_tile_source + s->cost->path.ns_per_tile_row * s->tree->below[t];
}

/* The tile is no source, or it is one. */
static inline void count_source(const search *s, int32_t t, int32_t *sources, int32_t by)
{
    for (int64_t q = s->tree->target_ptr[t]; q < s->tree->target_ptr[t + 1]; q++) sources[s->tree->target[q]] += by;
}

/* All tiles are held again. */
static void widen(search *s)
{
    s->count = s->tree->n;
    s->rest = s->fixed;
    s->rest_path_ns = 0.0;
    s->rest_levels = 0;
    for (int32_t t = 0; t < s->count; t++) {
        s->tile[t] = t;
        s->sources[t] = 0;
    }
    for (int32_t t = 0; t < s->count; t++) count_source(s, t, s->sources, 1);
}

/* Regions begin no earlier from now on. */
static void narrow(search *s, double begin)
{
    const wlu_tile_tree *tree = s->tree;
    int32_t count = 0;
    for (int32_t k = 0; k < s->count; k++) {
        int32_t t = s->tile[k], up = tree->parent[t];
        if (tree->dot_done[t] > begin || (up >= 0 && tree->dot_done[up] > begin)) {
            s->tile[count++] = t;
            continue;
        }
        count_source(s, t, s->sources, -1);
        wlu_price_add(&s->rest, tree->as_dot[t]);
        s->rest_path_ns = later(s->rest_path_ns, tree->dot_done[t]);
        if (s->levels[t] > s->rest_levels) s->rest_levels = s->levels[t];
    }
    s->count = count;
}

static void choose(const search *s, double begin)
{
    const int32_t *parent = s->tree->parent;
    for (int32_t k = 0; k < s->count; k++) s->chosen[s->tile[k]] = s->tree->dot_done[s->tile[k]] > begin;
    for (int32_t k = 0; k < s->count; k++)
        if (s->chosen[s->tile[k]] && parent[s->tile[k]] >= 0) s->chosen[parent[s->tile[k]]] = 1;
}

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

/* Tiles without sources, and work of all. DOT records into panels are waited for before sources are taken. */
static wlu_path_time begin_simulation(search *s)
{
    const wlu_tile_tree *tree = s->tree;
    wlu_path_time out = {s->rest_path_ns, s->rest};
    s->heap_size = 0;
    for (int32_t k = 0; k < s->count; k++) {
        s->taken[s->tile[k]] = 0.0;
        s->left[s->tile[k]] = s->sources[s->tile[k]];
    }
    for (int32_t k = 0; k < s->count; k++) {
        int32_t t = s->tile[k], up = tree->parent[t];
        wlu_price_add(&out.work, s->chosen[t] ? tree->as_tile[t] : tree->as_dot[t]);
        if (s->chosen[t]) {
            out.path_ns = later(out.path_ns, push_if_taken(s, t));
            continue;
        }
        count_source(s, t, s->left, -1);
        out.path_ns = later(out.path_ns, tree->dot_done[t]);
        if (up >= 0 && s->chosen[up]) s->taken[up] = later(s->taken[up], tree->dot_done[t]);
    }
    return out;
}

/* Path and work of the choice; a path that makes a time of too_long may end anywhere beyond. */
static wlu_path_time simulate(search *s, double too_long)
{
    const wlu_tile_tree *tree = s->tree;
    wlu_path_time out = begin_simulation(s);
    while (s->heap_size > 0 && wlu_cost_time(s->cost, out.path_ns, out.work.ns) < too_long) {
        event e = pop(s);
        double ns = source_ns(s, e.tile);
        for (int64_t q = tree->target_ptr[e.tile]; q < tree->target_ptr[e.tile + 1]; q++) {
            int32_t to = tree->target[q];
            s->taken[to] = later(s->taken[to], e.ns) + ns;
            s->left[to]--;
            out.path_ns = later(out.path_ns, push_if_taken(s, to));
        }
    }
    return out;
}

/* What a solve adds (cost/solve_path.h), of the longest paths of the tree: DOT pivots take a level up and one down,
 * tiles some. */
static double solve_ns(const search *s)
{
    const int32_t *parent = s->tree->parent;
    int32_t dots = s->rest_levels, tiles = 0;
    for (int32_t k = 0; k < s->count; k++) s->tiles[s->tile[k]] = 0;
    for (int32_t k = 0; k < s->count; k++) {
        int32_t t = s->tile[k], up = parent[t];
        if (!s->chosen[t] && s->levels[t] > dots) dots = s->levels[t];
        s->tiles[t] += s->chosen[t];
        if (s->tiles[t] > tiles) tiles = s->tiles[t];
        if (up >= 0 && s->tiles[up] < s->tiles[t]) s->tiles[up] = s->tiles[t];
    }
    return s->cost->path.ns_per_solve_level * (2.0 * dots + (double)tiles * s->cost->path.solve_tile_levels);
}

/* Tries the region of tiles that DOT records alone reach after `begin`, which is no earlier than that of the try
 * before. */
static void try_region(search *s, double begin)
{
    narrow(s, begin);
    choose(s, begin);
    double solve = solve_ns(s);
    wlu_path_time time = simulate(s, s->score - solve);
    double score = wlu_cost_time(s->cost, time.path_ns, time.work.ns) + solve;
    if (score >= s->score || time.work.bytes > s->max_bytes) return;
    s->score = score;
    s->begin = begin;
}

static void try_afresh(search *s, double begin)
{
    widen(s);
    try_region(s, begin);
}

/* A likely region first: most others are rejected early then. */
static void find_best(search *s)
{
    static const double likely = 6.0, apart = 1.6, closer[] = {1.26, 1.12};
    double longest = 0.0, step = 2.0 * s->cost->path.ns_per_handoff;
    for (int32_t t = 0; t < s->tree->n; t++) longest = later(longest, s->tree->dot_done[t]);
    try_afresh(s, 2.0 * longest); /* all DOT */
    try_afresh(s, likely * step);
    try_afresh(s, 0.0);
    for (double begin = 1.5 * step; begin < longest; begin *= apart) try_region(s, begin);
    if (s->score == HUGE_VAL || s->begin > longest) return;
    for (size_t k = 0; k < sizeof closer / sizeof *closer; k++) {
        double begin = s->begin;
        try_afresh(s, begin / closer[k]);
        try_afresh(s, begin * closer[k]);
    }
}

/* The best region found. */
static wlu_path_time report(search *s)
{
    memset(s->chosen, 0, (size_t)s->tree->n);
    widen(s);
    narrow(s, s->begin);
    choose(s, s->begin);
    return simulate(s, HUGE_VAL);
}

static warplu_status begin_search(wlu_context *ctx, const wlu_cost *cost, const wlu_tile_tree *tree, wlu_price fixed,
                                  uint8_t *chosen, search *s)
{
    int32_t n = tree->n;
    *s = (search){.cost = cost, .tree = tree, .fixed = fixed, .chosen = chosen, .score = HUGE_VAL};
    s->above = WLU_ALLOC(ctx, 2 * (int64_t)n, double);
    s->tile = WLU_ALLOC(ctx, 5 * (int64_t)n, int32_t);
    s->heap = WLU_ALLOC(ctx, n, event);
    if (s->above == NULL || s->tile == NULL || s->heap == NULL) return wlu_fail_memory(ctx, "choice of tiles");
    s->taken = s->above + n;
    s->sources = s->tile + n;
    s->left = s->sources + n;
    s->levels = s->left + n;
    s->tiles = s->levels + n;
    memset(s->levels, 0, (size_t)n * sizeof *s->levels);
    for (int32_t t = 0; t < n; t++) {
        int32_t up = tree->parent[t];
        s->levels[t] += tree->width[t];
        if (up >= 0 && s->levels[up] < s->levels[t]) s->levels[up] = s->levels[t];
    }
    for (int32_t t = n - 1; t >= 0; t--) {
        s->above[t] = 0.0;
        for (int64_t q = tree->target_ptr[t]; q < tree->target_ptr[t + 1]; q++) {
            int32_t to = tree->target[q];
            s->above[t] = later(s->above[t], source_ns(s, t) + own_ns(s, to) + s->above[to]);
        }
    }
    widen(s);
    return WARPLU_SUCCESS;
}

static void end_search(wlu_context *ctx, search *s)
{
    wlu_free(ctx, s->above);
    wlu_free(ctx, s->tile);
    wlu_free(ctx, s->heap);
}

warplu_status wlu_region_search(wlu_context *ctx, const wlu_cost *cost, const wlu_tile_tree *tree, wlu_price fixed,
                                double max_bytes, uint8_t *chosen, wlu_path_time *out, int *fits)
{
    search s;
    warplu_status status = begin_search(ctx, cost, tree, fixed, chosen, &s);
    if (status == WARPLU_SUCCESS) {
        s.max_bytes = max_bytes;
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
    search s;
    warplu_status status = begin_search(ctx, cost, tree, (wlu_price){0}, chosen, &s);
    if (status == WARPLU_SUCCESS) *out = simulate(&s, HUGE_VAL);
    end_search(ctx, &s);
    return status;
}
