/* Choosing a TILE region by simulated time. See flow.h. */
#include "prep/flow.h"

#include <math.h>
#include <string.h>

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

wlu_flow_time wlu_flow_simulate(const wlu_cost *cost, const wlu_flow *f, const uint8_t *chosen, double *work)
{
    const wlu_path_cost *c = &cost->path;
    double *taken = work;
    wlu_flow_time out = {0};
    for (int32_t t = 0; t < f->n; t++) taken[t] = 0.0;
    for (int32_t t = 0; t < f->n; t++) {
        int32_t up = f->parent[t];
        double done = f->dot_done[t];
        wlu_price_add(&out.work, chosen[t] ? f->as_tile[t] : f->as_dot[t]);
        if (chosen[t]) {
            double source_ns = c->ns_per_tile_source + c->ns_per_tile_row * f->below[t];
            done = taken[t] + c->ns_per_tile + c->ns_per_tile_pivot * f->width[t];
            for (int64_t q = f->target_ptr[t]; q < f->target_ptr[t + 1]; q++) {
                double *at = &taken[f->target[q]];
                *at = later(*at, done) + source_ns;
            }
        } else if (up >= 0 && chosen[up]) {
            taken[up] = later(taken[up], done);
        }
        out.path_ns = later(out.path_ns, done);
    }
    return out;
}

/* A search holds the tiles that may still be chosen, and those just below them: one that DOT records are done with before a
 * region begins is in none that begins later, and what it takes is summed up once. */
typedef struct search {
    const wlu_cost *cost;
    const wlu_flow *flow;
    wlu_price fixed;
    double max_bytes;
    int32_t *tile;   /* those it holds, ascending */
    int32_t count;
    wlu_price rest;  /* work of the others, */
    double rest_path_ns; /* and when the last of them is done */
    uint8_t *chosen; /* of those it holds */
    double *through; /* longest DOT path from a leaf through the tile to the root */
    double *work;
    double score;    /* of the best; infinite: there is none */
    double path_ns, begin, least; /* its longest path, its thresholds */
} search;

/* All tiles are held again. */
static void widen(search *s)
{
    s->count = s->flow->n;
    s->rest = s->fixed;
    s->rest_path_ns = 0.0;
    for (int32_t t = 0; t < s->count; t++) s->tile[t] = t;
}

/* Regions begin no earlier from now on. */
static void narrow(search *s, double begin)
{
    const wlu_flow *f = s->flow;
    int32_t count = 0;
    for (int32_t k = 0; k < s->count; k++) {
        int32_t t = s->tile[k], up = f->parent[t];
        if (f->dot_done[t] > begin || (up >= 0 && f->dot_done[up] > begin)) {
            s->tile[count++] = t;
            continue;
        }
        s->rest.ns += f->as_dot[t].ns;
        s->rest.bytes += f->as_dot[t].bytes;
        s->rest_path_ns = later(s->rest_path_ns, f->dot_done[t]);
    }
    s->count = count;
}

static void choose(const search *s, double begin, double least)
{
    const int32_t *parent = s->flow->parent;
    for (int32_t k = 0; k < s->count; k++) {
        int32_t t = s->tile[k];
        s->chosen[t] = s->flow->dot_done[t] > begin && s->through[t] >= least;
    }
    for (int32_t k = 0; k < s->count; k++)
        if (s->chosen[s->tile[k]] && parent[s->tile[k]] >= 0) s->chosen[parent[s->tile[k]]] = 1;
}

/* Path and work of the choice; a path longer than so much may end anywhere beyond. */
static wlu_flow_time simulate(const search *s, double longest)
{
    const wlu_flow *f = s->flow;
    const wlu_path_cost *c = &s->cost->path;
    double *taken = s->work;
    wlu_flow_time out = {s->rest_path_ns, s->rest};
    for (int32_t k = 0; k < s->count; k++) taken[s->tile[k]] = 0.0;
    for (int32_t k = 0; k < s->count && out.path_ns <= longest; k++) {
        int32_t t = s->tile[k], up = f->parent[t];
        double done = f->dot_done[t];
        const wlu_price *price = s->chosen[t] ? &f->as_tile[t] : &f->as_dot[t];
        out.work.ns += price->ns;
        out.work.bytes += price->bytes;
        if (s->chosen[t]) {
            double source_ns = c->ns_per_tile_source + c->ns_per_tile_row * f->below[t];
            done = taken[t] + c->ns_per_tile + c->ns_per_tile_pivot * f->width[t];
            for (int64_t q = f->target_ptr[t]; q < f->target_ptr[t + 1]; q++) {
                double *at = &taken[f->target[q]];
                *at = later(*at, done) + source_ns;
            }
        } else if (up >= 0 && s->chosen[up]) {
            taken[up] = later(taken[up], done);
        }
        out.path_ns = later(out.path_ns, done);
    }
    return out;
}

/* Tries the region of tiles that DOT records alone reach after `begin`, where paths through them take at least `least`. */
static void try_region(search *s, double begin, double least)
{
    narrow(s, begin);
    choose(s, begin, least);
    wlu_flow_time time = simulate(s, s->score);
    if (time.path_ns > s->score || time.work.bytes > s->max_bytes) return;
    /* the shorter of the two is worth something too: neither is known well */
    static const double shorter_share = 0.1;
    double score = fmax(time.path_ns, time.work.ns) + shorter_share * fmin(time.path_ns, time.work.ns);
    if (score >= s->score) return;
    s->score = score;
    s->path_ns = time.path_ns;
    s->begin = begin;
    s->least = least;
}

static void find_best(search *s)
{
    const wlu_flow *f = s->flow;
    double longest = 0.0, step = 2.0 * s->cost->path.ns_per_handoff;
    for (int32_t t = 0; t < f->n; t++) longest = later(longest, f->dot_done[t]);
    for (int32_t t = f->n - 1; t >= 0; t--) {
        int32_t up = f->parent[t];
        s->through[t] = up < 0 ? 0.0 : s->through[up] + f->dot_own[up];
    }
    for (int32_t t = 0; t < f->n; t++) s->through[t] += f->dot_done[t];
    widen(s);
    try_region(s, 2.0 * longest, 0.0); /* all DOT */
    widen(s);
    try_region(s, 0.0, 0.0);
    for (double begin = 1.5 * step; begin < longest; begin *= 1.6) try_region(s, begin, 0.0);
    double begin = s->begin, path = s->path_ns;
    if (s->score == HUGE_VAL || begin > longest) return;
    static const double shares[] = {0.4, 0.7, 0.9, 1.1};
    for (int lower = 0; lower < 3; lower++, begin /= 2.0) {
        widen(s);
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) try_region(s, begin, shares[k] * path);
    }
}

/* The best region, as wlu_flow_simulate has it. */
static wlu_flow_time report(search *s)
{
    memset(s->chosen, 0, (size_t)s->flow->n);
    widen(s);
    narrow(s, s->begin);
    choose(s, s->begin, s->least);
    wlu_flow_time time = wlu_flow_simulate(s->cost, s->flow, s->chosen, s->work);
    wlu_price_add(&time.work, s->fixed);
    return time;
}

warplu_status wlu_flow_choose(wlu_context *ctx, const wlu_cost *cost, const wlu_flow *flow, wlu_price fixed, double max_bytes,
                              uint8_t *chosen, wlu_flow_time *out, int *fits)
{
    int64_t n = flow->n;
    search s = {.cost = cost, .flow = flow, .fixed = fixed, .max_bytes = max_bytes, .chosen = chosen, .score = HUGE_VAL};
    double *pool = WLU_ALLOC(ctx, 2 * n, double);
    s.tile = WLU_ALLOC(ctx, n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (pool == NULL || s.tile == NULL) {
        status = wlu_fail_memory(ctx, "choice of tiles");
    } else {
        s.through = pool;
        s.work = pool + n;
        find_best(&s);
        *fits = s.score < HUGE_VAL;
        if (*fits) *out = report(&s);
    }
    wlu_free(ctx, pool);
    wlu_free(ctx, s.tile);
    return status;
}
