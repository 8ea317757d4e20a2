/* Choosing a TILE region by simulated time. See flow.h. */
#include "prep/flow.h"

#include <math.h>
#include <string.h>

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
                *at = fmax(*at, done) + source_ns;
            }
        } else if (up >= 0 && chosen[up]) {
            taken[up] = fmax(taken[up], done);
        }
        out.path_ns = fmax(out.path_ns, done);
    }
    return out;
}

typedef struct search {
    const wlu_cost *cost;
    const wlu_flow *flow;
    wlu_price fixed;
    double max_bytes;
    uint8_t *chosen, *best;
    double *through; /* longest DOT path from a leaf through the tile to the root */
    double *work;
    double score;    /* of the best; infinite: there is none */
    wlu_flow_time time;
    double begin, least; /* its thresholds */
} search;

/* Tries the region of tiles that DOT records alone reach after `begin`, where paths through them take at least `least`. */
static void try_region(search *s, double begin, double least)
{
    const wlu_flow *f = s->flow;
    for (int32_t t = 0; t < f->n; t++) s->chosen[t] = f->dot_done[t] > begin && s->through[t] >= least;
    for (int32_t t = 0; t < f->n; t++)
        if (s->chosen[t] && f->parent[t] >= 0) s->chosen[f->parent[t]] = 1;
    wlu_flow_time time = wlu_flow_simulate(s->cost, f, s->chosen, s->work);
    wlu_price_add(&time.work, s->fixed);
    if (time.work.bytes > s->max_bytes) return;
    /* the shorter of the two is worth something too: neither is known well */
    static const double shorter_share = 0.1;
    double score = fmax(time.path_ns, time.work.ns) + shorter_share * fmin(time.path_ns, time.work.ns);
    if (score >= s->score) return;
    memcpy(s->best, s->chosen, (size_t)f->n);
    s->score = score;
    s->time = time;
    s->begin = begin;
    s->least = least;
}

static void find_best(search *s)
{
    const wlu_flow *f = s->flow;
    double longest = 0.0, step = 2.0 * s->cost->path.ns_per_handoff;
    for (int32_t t = 0; t < f->n; t++) longest = fmax(longest, f->dot_done[t]);
    for (int32_t t = f->n - 1; t >= 0; t--) {
        int32_t up = f->parent[t];
        s->through[t] = up < 0 ? 0.0 : s->through[up] + f->dot_own[up];
    }
    for (int32_t t = 0; t < f->n; t++) s->through[t] += f->dot_done[t];
    try_region(s, 2.0 * longest, 0.0); /* all DOT */
    try_region(s, 0.0, 0.0);
    for (double begin = 1.5 * step; begin < longest; begin *= 1.6) try_region(s, begin, 0.0);
    double begin = s->begin, path = s->time.path_ns;
    if (s->score == HUGE_VAL || begin > longest) return;
    static const double shares[] = {0.4, 0.7, 0.9, 1.1};
    for (int lower = 0; lower < 3; lower++, begin /= 2.0)
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) try_region(s, begin, shares[k] * path);
}

warplu_status wlu_flow_choose(wlu_context *ctx, const wlu_cost *cost, const wlu_flow *flow, wlu_price fixed, double max_bytes,
                              uint8_t *chosen, wlu_flow_time *out, int *fits)
{
    int64_t n = flow->n;
    search s = {.cost = cost, .flow = flow, .fixed = fixed, .max_bytes = max_bytes, .best = chosen, .score = HUGE_VAL};
    double *pool = WLU_ALLOC(ctx, 2 * n, double);
    s.chosen = WLU_ALLOC(ctx, n, uint8_t);
    warplu_status status = WARPLU_SUCCESS;
    if (pool == NULL || s.chosen == NULL) {
        status = wlu_fail_memory(ctx, "choice of tiles");
    } else {
        s.through = pool;
        s.work = pool + n;
        find_best(&s);
        *out = s.time;
        *fits = s.score < HUGE_VAL;
    }
    wlu_free(ctx, pool);
    wlu_free(ctx, s.chosen);
    return status;
}
