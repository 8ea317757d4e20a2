/* What a solver tells of itself in every phase: statistics, gathered from its objects on request, its last message, and
 * why the last matrix was singular. */
#include <warplu/inspect.h>

#include "base/environment.h"
#include "base/sized.h"
#include "exec/numeric.h"
#include "solver/replay.h"

#include <math.h>
#include <stddef.h>

static void of_pivots(const warplu_solver *s, warplu_statistics *t)
{
    const wlu_pivots *p = wlu_solver_pivots(s);
    int64_t l = p->lp[p->n], u = p->up[p->n];
    t->ordering = p->ordering;
    t->blocks = p->nblocks;
    t->largest_block = 0;
    for (int32_t b = 0; b < p->nblocks; b++)
        if (p->block[b + 1] - p->block[b] > t->largest_block) t->largest_block = p->block[b + 1] - p->block[b];
    t->f_nnz = p->fp[p->n];
    t->lu_nnz = l + u + p->n + t->f_nnz;
    t->terms = p->terms;
    t->flops = 2 * p->terms + l;
    t->solve_terms = l + u + t->f_nnz;
    t->height = p->height;
    t->ordering_loss = p->predicted_terms > 0.0 ? (double)p->terms / p->predicted_terms : 1.0;
    t->factor_ns = (double)p->factor_ns;
}

static void of_program(const warplu_solver *s, warplu_statistics *t)
{
    const wlu_program *p = wlu_solver_program(s);
    t->threads = p->parts;
    t->levels = p->dot.nlevels;
    t->vectors = p->dot.nvectors;
    t->longest_vector = p->dot.longest_vector;
    t->solve_levels = p->solve.stream.nlevels;
    t->solve_vectors = p->solve.stream.nvectors;
    t->slots = p->nslots;
    t->tile_pivots = wlu_lu_of(p)->tiles.m;
    t->dot_pivots = p->n - wlu_lu_of(p)->tiles.m;
    t->program_bytes = wlu_plan_bytes(s->current.plan, 0);
    t->solve_program_bytes = wlu_plan_bytes(s->current.plan, 1);
    t->state_bytes = wlu_state_bytes(s->current.state);
    t->predicted_refactor_ns = p->predicted_ns;
    t->compile_ns = (double)p->compile_ns;
}

static void of_health(const warplu_solver *s, warplu_statistics *t)
{
    const wlu_health *h = wlu_solver_health(s);
    t->pivot_growth = h->growth;
    t->largest_l = h->largest_l;
    t->largest_u = h->largest_u;
    t->smallest_pivot = h->smallest_pivot;
    t->row_drift = h->drift;
    t->verdict = (int32_t)(s->options.check == WARPLU_CHECK_REPLAYS ? wlu_solver_verdict_bounds_aside(s, &s->current)
                                                                    : wlu_solver_verdict(s, &s->current));
}

/* Of factors on the host. */
static double largest_pivot(const warplu_solver *s)
{
    double extreme[2] = {NAN, NAN};
    wlu_context quiet = s->ctx;
    wlu_slots slots;
    quiet.message = NULL;
    if (!wlu_phase_allows(s->phase, WLU_CALL_EXTRACT_DIAGONAL) || s->target.executor->device != NULL) return NAN;
    wlu_numeric f = {.pivots = wlu_solver_pivots(s)};
    if (s->current.state == NULL)
        f = wlu_numeric_of_factors(f.pivots, s->current.factors);
    else if (wlu_state_fetch(&quiet, s->current.state, 0, &slots) == WARPLU_SUCCESS)
        f = wlu_numeric_of_slots(f.pivots, wlu_solver_program(s), &slots);
    if (f.pivot.x != NULL) wlu_numeric_find_extremes(&f, extreme);
    return extreme[1];
}

static void fill(const warplu_solver *s, warplu_statistics *t)
{
    if (s->analysis != NULL) {
        t->n = s->analysis->n;
        t->nnz = s->analysis->a->nnz;
        const wlu_candidate *first = &s->analysis->candidate[0];
        t->blocks = wlu_analysis_nblocks(s->analysis, first);
        t->largest_block = first->joined ? s->analysis->n : s->analysis->largest_block;
        t->candidates = s->analysis->ncandidates;
        t->ordering = first->ordering;
        t->analyze_ns = (double)s->analysis->analyze_ns;
    }
    if (wlu_solver_pivots(s) != NULL) of_pivots(s, t);
    if (wlu_solver_program(s) != NULL) of_program(s, t);
    if (s->current.state != NULL || s->current.factors != NULL) of_health(s, t);
    t->factors = s->counted.factors;
    t->refactors = s->counted.refactors;
    t->repivots = s->counted.repivots;
    t->solves = s->counted.solves;
    t->refined_solves = s->counted.refined_solves;
    t->backward_error = s->last.backward_error;
    t->refinement_steps = s->last.refinement_steps;
    t->weak_replays = s->counted.weak_replays;
    t->proven_replays = s->counted.proven_replays;
    t->checked_solves = s->counted.checked_solves;
    t->all_checked = s->last.all_checked;
    t->compilations = s->counted.compilations;
    t->cache_hits = s->counted.cache_hits;
    t->cached_programs = s->cache.count;
    t->cache_bytes = wlu_cache_bytes(&s->cache);
    t->compiled = s->current.state != NULL;
}

warplu_status warplu_get_statistics(const warplu_solver *s, warplu_statistics *t)
{
    wlu_environment environment;
    if (s == NULL || !wlu_sized_is_set(t)) return WARPLU_INVALID_ARGUMENT;
    warplu_statistics all = {0};
    int knows_pivot = t->size >= offsetof(warplu_statistics, largest_pivot) + sizeof all.largest_pivot;
    wlu_turn *turn = &((warplu_solver *)s)->turn;
    int taken = wlu_turn_take(turn); /* or this thread is in a call, whose message it answers */
    wlu_environment_enter(&environment);
    fill(s, &all);
    all.largest_pivot = taken && knows_pivot ? largest_pivot(s) : NAN;
    wlu_environment_leave(&environment);
    if (taken) wlu_turn_give(turn);
    wlu_sized_give(t, &all, sizeof all);
    return WARPLU_SUCCESS;
}

const char *warplu_get_message(const warplu_solver *s)
{
    return s != NULL ? s->ctx.last_message : "";
}

warplu_status warplu_get_singularity(const warplu_solver *s, warplu_singularity *singularity)
{
    if (s == NULL || !wlu_sized_is_set(singularity)) return WARPLU_INVALID_ARGUMENT;
    if (s->ctx.singularity.status == WARPLU_SUCCESS) return WARPLU_WRONG_PHASE;
    wlu_sized_give(singularity, &s->ctx.singularity, sizeof s->ctx.singularity);
    return WARPLU_SUCCESS;
}
