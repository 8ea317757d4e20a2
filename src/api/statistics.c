/* Statistics of a solver, gathered from its objects on request. */
#include "solver/solver.h"

#include <string.h>

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
    t->tile_pivots = p->tiles.m;
    t->dot_pivots = p->n - p->tiles.m;
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
    wlu_bound b = wlu_plan_bound(&s->ctx, s->current.plan, 0);
    t->verdict = (int32_t)wlu_judge(h, &wlu_solver_pivots(s)->quality, &b, s->options.pivot_absolute);
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
    if (s->current.state != NULL || s->factors != NULL) of_health(s, t);
    t->factors = s->factors_made;
    t->refactors = s->refactors;
    t->repivots = s->repivots;
    t->solves = s->solves;
    t->refined_solves = s->refined_solves;
    t->backward_error = s->backward_error;
    t->refinement_steps = s->refinement_steps;
    t->weak_replays = s->weak_replays;
    t->proven_replays = s->proven_replays;
    t->checked_solves = s->checked_solves;
    t->all_checked = s->all_checked;
    t->compilations = s->compilations;
    t->cache_hits = s->cache_hits;
    t->cached_programs = s->cache.count;
    t->cache_bytes = wlu_cache_bytes(&s->cache);
    t->compiled = s->current.state != NULL;
}

warplu_status wlu_solver_statistics(const warplu_solver *s, warplu_statistics *t)
{
    if (s == NULL || t == NULL || t->size < sizeof t->size) return WARPLU_INVALID_ARGUMENT;
    warplu_statistics all = {.size = t->size < sizeof all ? t->size : sizeof all};
    fill(s, &all);
    memcpy(t, &all, all.size);
    return WARPLU_SUCCESS;
}
