/* Checked solves in lanes: refinement as exec/refined.c does it, a right-hand side a lane. A group goes on while one of
 * its lanes wants a correction; what comes of it in others is not looked at. */
#include "exec/batch/lanes.h"

#include <math.h>
#include <string.h>

#include "exec/residual/refine.h"

/* Of a group's right-hand sides. */
typedef struct refining {
    wlu_lanes_group *group;
    wlu_refine_control control[WLU_LANES];
    unsigned lanes; /* that are refined */
    int32_t n;
} refining;

static int any_left(const refining *f)
{
    int left = 0;
    for (int q = 0; q < WLU_LANES; q++) left |= (int)(f->lanes >> q & 1) && !f->control[q].ended;
    return left;
}

/* Looks at right-hand sides (begins), or at trials. */
static void look(refining *f, int begins)
{
    wlu_lanes_group *g = f->group;
    wlu_lanes_scratch *s = g->scratch;
    wlu_lanes_look k = {
        &wlu_lanes_solve_of(g)->rows.rows, g->entries, s->b, begins ? NULL : s->trial, s->r, {0}, {0}, {0}};
    double improved[WLU_LANES];
    for (int q = 0; q < WLU_LANES; q++) k.unknown[q] = f->control[q].unknown;
    g->state->kernels->look(&k);
    for (int q = 0; q < WLU_LANES; q++) {
        wlu_refine_control *c = &f->control[q];
        improved[q] = 0.0;
        if (!begins && c->ended) continue;
        uint32_t before = c->at;
        c->error = wlu_bits_of_double(k.error[q]);
        c->largest = wlu_bits_of_double(k.size[q]);
        if (begins)
            wlu_refine_begin(c, 0);
        else
            wlu_refine_judge(c, 0, wlu_refine_enough_of_member(0));
        if (c->at != before) improved[q] = -1.0;
    }
    if (!begins) g->state->kernels->choose(f->n, improved, s->trial, s->best);
}

/* Solves for the residuals; the trials are what was best and these. first: solutions of lanes that are not refined go
 * to the caller. */
static void correct(refining *f, const wlu_lanes_sink *first, double *largest)
{
    wlu_lanes_group *g = f->group;
    wlu_lanes_scratch *s = g->scratch;
    const wlu_lanes_kernels *k = g->state->kernels;
    const wlu_lanes_solve *solve = wlu_lanes_solve_of(g);
    const int64_t line = wlu_lanes_line(g->state->flat);
    double up[WLU_LANES], found[WLU_LANES] = {0}, unknown[WLU_LANES] = {0};
    for (int q = 0; q < WLU_LANES; q++) up[q] = f->control[q].up;
    for (int32_t at = 0; at < f->n; at += WLU_LANES_CHUNK)
        k->load(&solve->loads, at / WLU_LANES_CHUNK, s->r + line * at, s->own, NULL);
    wlu_lanes_substitute(g);
    for (int32_t at = 0; at < f->n; at += WLU_LANES_CHUNK) {
        int64_t from = line * at, count = wlu_lanes_chunk(at, f->n);
        k->collect(solve, s->own, at, count, s->chunk, found);
        k->correct(count, s->chunk, s->best + from, up, s->trial + from, unknown);
        if (first != NULL) k->send(s->chunk, at, count, first);
    }
    for (int q = 0; q < WLU_LANES; q++) {
        if (!f->control[q].ended) f->control[q].unknown = unknown[q];
        if (first != NULL && (first->lanes >> q & 1)) largest[q] = found[q];
    }
}

/* The best solutions to the caller; of lanes that have none, NaN. */
static void deliver(refining *f, int32_t column, double *largest)
{
    wlu_lanes_group *g = f->group;
    wlu_lanes_scratch *s = g->scratch;
    wlu_lanes_sink x = wlu_lanes_sink_of(g, column, f->lanes);
    double magnitudes[WLU_LANES] = {0};
    g->state->kernels->largest(s->best, f->n, magnitudes);
    for (int q = 0; q < WLU_LANES; q++) {
        if (!(f->lanes >> q & 1)) continue;
        const double number = wlu_refine_number(&f->control[q], 0, 0.0), part[] = {number, number};
        wlu_refine_tell(&f->control[q], &g->job->result[g->member[q]].refined);
        largest[q] = number == 0.0 ? magnitudes[q] : number;
        if (number == 0.0) continue;
        x.lanes &= ~(1u << q);
        wlu_copy_numbers(f->n, g->state->flat->program->doubles, part, 0, x.at[q], x.by_number);
    }
    g->state->kernels->send(s->best, 0, f->n, &x);
}

void wlu_lanes_refine(wlu_lanes_group *g, int32_t column, unsigned lanes, double *b, double *x)
{
    const wlu_lanes_kernels *k = g->state->kernels;
    const wlu_lanes_source source = wlu_lanes_source_of(g, &g->job->b, column);
    const wlu_lanes_sink others = wlu_lanes_sink_of(g, column, ~lanes);
    refining f = {.group = g, .lanes = lanes, .n = g->state->flat->program->n};
    int steps = wlu_refine_steps(g->state->flat->program, 0);
    k->fetch(&source, 0, f.n, g->scratch->b);
    k->largest(g->scratch->b, f.n, b);
    memset(g->scratch->best, 0, (size_t)(f.n * wlu_lanes_line(g->state->flat)) * sizeof(double));
    look(&f, 1);
    for (int step = 0; step <= steps && (any_left(&f) || (step == 0 && others.lanes != 0)); step++) {
        correct(&f, step == 0 && others.lanes != 0 ? &others : NULL, x);
        look(&f, 0);
    }
    deliver(&f, column, x);
}
