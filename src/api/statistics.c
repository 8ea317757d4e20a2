/* Statistics of a solver, gathered from its objects on request. */
#include "api/solver.h"

#include <string.h>

static void of_pivots(const warplu_solver *s, warplu_statistics *t)
{
    const wlu_pivots *p = s->pivots;
    int64_t l = p->lp[p->n], u = p->up[p->n];
    t->ordering = p->ordering;
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
    const wlu_program *p = s->program;
    t->levels = p->dot.nlevels;
    t->vectors = p->dot.nvectors;
    t->longest_vector = p->dot.longest_vector;
    t->solve_levels = p->solve.stream.nlevels + p->solve.after.nlevels;
    t->solve_vectors = p->solve.stream.nvectors + p->solve.after.nvectors;
    t->slots = p->nslots;
    t->column_pivots = p->columns.m;
    t->dot_pivots = p->n - p->columns.m;
    t->program_bytes = s->executor->bytes(s->image, 0);
    t->solve_program_bytes = s->executor->bytes(s->image, 1);
    t->state_bytes = s->state->bytes;
    t->predicted_refactor_ns = p->predicted_ns;
    t->compile_ns = (double)p->compile_ns;
    t->pivot_growth = s->state->health.growth;
    t->largest_l = s->state->health.largest_l;
    t->smallest_pivot = s->state->health.smallest_pivot;
    t->row_drift = s->state->health.drift;
}

static void fill(const warplu_solver *s, warplu_statistics *t)
{
    if (s->analysis != NULL) {
        t->n = s->analysis->n;
        t->nnz = s->analysis->a->nnz;
        t->blocks = s->analysis->nblocks;
        t->largest_block = s->analysis->largest_block;
        t->candidates = s->analysis->ncandidates;
        t->ordering = s->analysis->candidate[0].ordering;
        t->analyze_ns = (double)s->analysis->analyze_ns;
    }
    if (s->pivots != NULL) of_pivots(s, t);
    if (s->program != NULL) of_program(s, t);
    t->factors = s->factors;
    t->refactors = s->refactors;
    t->repivots = s->repivots;
    t->solves = s->solves;
    t->refined_solves = s->refined_solves;
    t->backward_error = s->backward_error;
    t->refinement_steps = s->refinement_steps;
}

warplu_status warplu_get_statistics(const warplu_solver *s, warplu_statistics *t)
{
    if (s == NULL || t == NULL || t->size < sizeof t->size) return WARPLU_INVALID_ARGUMENT;
    warplu_statistics all = {.size = t->size < sizeof all ? t->size : sizeof all};
    fill(s, &all);
    memcpy(t, &all, all.size);
    return WARPLU_SUCCESS;
}
