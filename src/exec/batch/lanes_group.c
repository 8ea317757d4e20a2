/* What is done with a group of members: replay, health, solves. See lanes.h. */
#include "exec/batch/lanes.h"

#include "exec/state.h"
#include "numerics/verdict.h"

wlu_lanes_source wlu_lanes_source_of(const wlu_lanes_group *g, const wlu_member_view *view, int32_t column)
{
    wlu_lanes_source s = {.by_number = view->by_number};
    for (int q = 0; q < WLU_LANES; q++) s.at[q] = view->at + g->member[q] * view->by_member + column * view->by_column;
    return s;
}

wlu_lanes_sink wlu_lanes_sink_of(const wlu_lanes_group *g, int32_t column, unsigned lanes)
{
    const wlu_member_output *x = &g->job->x;
    wlu_lanes_sink s = {.by_number = x->by_number, .lanes = lanes & g->lanes};
    for (int q = 0; q < WLU_LANES; q++) s.at[q] = x->at + g->member[q] * x->by_member + column * x->by_column;
    return s;
}

/* -------------------------------------------------------------- refactorize */

/* Fetches the entries, chunk by chunk, for what a replay does with them, or for the columns' inverses alone. */
static void take_entries(const wlu_lanes_group *g, int keeps, int inverses_alone, wlu_lanes_maxima *m)
{
    const wlu_lanes_state *s = g->state;
    wlu_lanes_source from = wlu_lanes_source_of(g, g->job->values, 0);
    double *inverse = inverses_alone || g->scratch->by_column ? g->scratch->inverse : NULL;
    int64_t count = s->image.loads.count;
    from.gather = s->flat->program->gather;
    for (int64_t first = 0, chunk = 0; first < count; first += WLU_LANES_CHUNK, chunk++) {
        double *numbers = keeps ? g->entries + wlu_lanes_line(s->flat) * first : g->scratch->chunk;
        if (!keeps || !inverses_alone) s->kernels->fetch(&from, first, wlu_lanes_chunk(first, count), numbers);
        s->kernels->guard(&s->image.guards, chunk, numbers, inverse, m);
        if (!inverses_alone) s->kernels->load(&s->image.loads, chunk, numbers, g->v, m);
    }
}

static wlu_maxima maxima_of(const wlu_lanes_maxima *m, int lane)
{
    wlu_maxima of = {{0}};
    for (int k = WLU_AREA_U; k < WLU_AREAS; k++) of.of[k] = wlu_bits_of_double(m->of[k][lane]);
    return of;
}

static int growth_is_open(const wlu_lanes_group *g, const wlu_lanes_maxima *m, const wlu_criteria *c)
{
    int open = 0;
    for (int q = 0; q < WLU_LANES; q++) {
        wlu_maxima of = maxima_of(m, q);
        open |= (int)(g->lanes >> q & 1) && wlu_growth_is_open(&of, c);
    }
    return open;
}

void wlu_lanes_replay(wlu_lanes_group *g, int keeps)
{
    const wlu_lanes_state *s = g->state;
    const wlu_criteria *c = &wlu_lu_of(s->flat->program)->guard.criteria;
    wlu_lanes_maxima m = {{{0}}}, unused = {{{0}}};
    for (int q = 0; q < WLU_LANES; q++) m.of[WLU_AREA_DRIFT][q] = 1.0;
    take_entries(g, keeps, 0, &m);
    s->kernels->stream(&s->image.factor, g->v, g->v, &m);
    int open = growth_is_open(g, &m, c);
    if (open) {
        if (!g->scratch->by_column) take_entries(g, keeps, 1, &unused);
        s->kernels->relative(&s->image.guards, g->v, g->scratch->inverse, &m);
    }
    g->scratch->by_column = open;
    for (int q = 0; q < WLU_LANES; q++) {
        wlu_maxima of = maxima_of(&m, q);
        g->health[q] = wlu_health_conclude(&of, c, 0);
    }
}

/* ------------------------------------------------------------------- solve */

void wlu_lanes_substitute(const wlu_lanes_group *g)
{
    g->state->kernels->stream(&wlu_lanes_solve_of(g)->stream, g->v, g->scratch->own, NULL);
}

/* One column, as it comes. */
static void solve_plain(const wlu_lanes_group *g, int32_t column, double *largest_b, double *largest_x)
{
    const wlu_lanes_kernels *k = g->state->kernels;
    const wlu_lanes_solve *solve = wlu_lanes_solve_of(g);
    const wlu_lanes_source b = wlu_lanes_source_of(g, &g->job->b, column);
    const wlu_lanes_sink x = wlu_lanes_sink_of(g, column, 0xff);
    double *chunk = g->scratch->chunk;
    int64_t n = solve->loads.count;
    for (int64_t first = 0; first < n; first += WLU_LANES_CHUNK) {
        k->fetch(&b, first, wlu_lanes_chunk(first, n), chunk);
        k->largest(chunk, wlu_lanes_chunk(first, n), largest_b);
        k->load(&solve->loads, first / WLU_LANES_CHUNK, chunk, g->scratch->own, NULL);
    }
    wlu_lanes_substitute(g);
    for (int64_t first = 0; first < n; first += WLU_LANES_CHUNK) {
        k->collect(solve, g->scratch->own, first, wlu_lanes_chunk(first, n), chunk, largest_x);
        k->send(chunk, first, wlu_lanes_chunk(first, n), &x);
    }
}

/* Bits of the lanes whose solves are checked. */
static unsigned lanes_to_check(const wlu_lanes_group *g)
{
    unsigned lanes = 0;
    switch (g->job->check) {
    case WLU_BATCH_UNCHECKED: break;
    case WLU_BATCH_SUSPECT:
        for (int q = 0; q < WLU_LANES; q++) lanes |= (unsigned)(g->health[q].verdict != WLU_HEALTHY) << q;
        break;
    case WLU_BATCH_CHECKED: lanes = g->lanes; break;
    }
    return lanes & g->lanes;
}

void wlu_lanes_solve_columns(wlu_lanes_group *g)
{
    unsigned lanes = lanes_to_check(g);
    for (int32_t column = 0; column < g->job->nrhs; column++) {
        double b[WLU_LANES] = {0}, x[WLU_LANES] = {0};
        if (lanes != 0)
            wlu_lanes_refine(g, column, lanes, b, x);
        else
            solve_plain(g, column, b, x);
        for (int q = 0; q < WLU_LANES; q++) {
            if (!(g->lanes >> q & 1)) continue;
            wlu_member_result *result = &g->job->result[g->member[q]];
            result->largest = wlu_larger_bits(result->largest, x[q]);
            if (b[q] != 0.0 && x[q] < result->least) result->least = x[q];
        }
    }
}
