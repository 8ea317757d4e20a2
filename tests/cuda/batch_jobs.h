/* Jobs of batches, random ones, run by the executor that takes members one by one and by another: the same solutions,
 * healths and refinements, but for a zero's sign. In a header because check.h counts failures per test file. */
#ifndef WLU_TEST_BATCH_JOBS_H
#define WLU_TEST_BATCH_JOBS_H

#include "check.h"

#include "exec/batch/batch.h"
#include "numerics/verdict.h"
#include "support/build.h"
#include "support/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct batch_system {
    test_matrix m;
    test_build b;
    wlu_flat *flat;
    wlu_batch_state *one, *other;
    wlu_team *team; /* of the other */
    int32_t places;
    int single;
} batch_system;

/* How numbers lie. */
typedef enum batch_layout { BATCH_TOGETHER, BATCH_SIDE_BY_SIDE, BATCH_APART, BATCH_SHARED, BATCH_LAYOUTS } batch_layout;

enum { BATCH_COLUMNS = 3 };

/* A job's numbers. count: members that there are; of each job some take part. */
typedef struct batch_numbers {
    int32_t count;
    double *values, *b, *x[2];
    int64_t bs; /* length of b and x */
    wlu_member_view value_view, b_view;
    wlu_member_output x_view;
    wlu_member_result *result[2];
    int32_t *member, *place;
} batch_numbers;

static inline warplu_status batch_target(wlu_context *ctx, int single, wlu_target *out)
{
    const wlu_cost *cost;
    *out = (wlu_target){.executor = &wlu_executor_reference,
                        .device = -1,
                        .precision = single ? WARPLU_PRECISION_SINGLE : WARPLU_PRECISION_DOUBLE};
    return wlu_target_open(ctx, out, &cost);
}

/* A program with a solve, its flat form and a state by each executor; the transposed solve follows. The other has
 * threads where the number of places is even. */
static inline warplu_status batch_open(batch_system *s, uint64_t *seed, const test_recipe *recipe, const wlu_cost *cost,
                                       int32_t places, int single, const wlu_batch_executor *other)
{
    warplu_options o;
    wlu_target target;
    check_init_options(&o);
    memset(s, 0, sizeof *s);
    s->places = places;
    s->single = single;
    test_matrix_random(&s->m, seed, recipe);
    warplu_status status = test_build_pivots(&s->b, &o, &s->m);
    wlu_context *ctx = &s->b.ctx;
    if (status == WARPLU_SUCCESS)
        status = wlu_lu_compile(ctx, &s->b.options, cost, s->b.analysis->a, s->b.pivots, &s->b.program);
    if (status == WARPLU_SUCCESS) status = wlu_flat_create(ctx, s->b.program, &s->flat);
    if (status == WARPLU_SUCCESS) status = batch_target(ctx, single, &target);
    if (status == WARPLU_SUCCESS)
        status = wlu_batch_one_by_one.create(ctx, &target, s->b.program, s->flat, places, NULL, &s->one);
    target.device = -1;
    if (status == WARPLU_SUCCESS && other != NULL && places % 2 == 0) status = wlu_team_create(ctx, 3, &s->team);
    if (status == WARPLU_SUCCESS && other != NULL)
        status = other->create(ctx, &target, s->b.program, s->flat, places, s->team, &s->other);
    return status;
}

static inline warplu_status batch_add_transposed(batch_system *s)
{
    wlu_context *ctx = &s->b.ctx;
    warplu_status status = WARPLU_SUCCESS;
    if (!s->b.program->has_transposed)
        status = wlu_lu_compile_transposed(ctx, s->b.analysis->a, s->b.pivots, s->b.program);
    if (status == WARPLU_SUCCESS) status = wlu_flat_add_transposed(ctx, s->flat);
    if (status == WARPLU_SUCCESS) status = s->one->executor->add_transposed(ctx, s->one);
    if (status == WARPLU_SUCCESS && s->other != NULL) status = s->other->executor->add_transposed(ctx, s->other);
    return status;
}

static inline void batch_close(batch_system *s)
{
    if (s->other != NULL) s->other->executor->destroy(&s->b.ctx, &s->other);
    wlu_batch_one_by_one.destroy(&s->b.ctx, &s->one);
    wlu_team_destroy(&s->b.ctx, &s->team);
    wlu_flat_destroy(&s->b.ctx, &s->flat);
    test_build_free(&s->b);
    test_matrix_free(&s->m);
}

/* ----------------------------------------------------------------- numbers */

/* Strides for so many members, columns and numbers; returns how many numbers there are. */
static inline int64_t batch_lay_out(batch_layout layout, int64_t members, int64_t columns, int64_t numbers,
                                    wlu_member_view *view)
{
    switch (layout) {
    case BATCH_LAYOUTS:
    case BATCH_TOGETHER: *view = (wlu_member_view){NULL, columns * numbers, numbers, 1}; break;
    case BATCH_SIDE_BY_SIDE: *view = (wlu_member_view){NULL, 1, members * numbers, members}; break;
    case BATCH_APART: *view = (wlu_member_view){NULL, 3 * columns * numbers + 1, 3 * numbers, 3}; break;
    case BATCH_SHARED: *view = (wlu_member_view){NULL, 0, numbers, 1}; break;
    }
    return 3 * (members * columns * numbers + members);
}

static inline void batch_make(batch_numbers *n, const batch_system *s, uint64_t *seed, int32_t count,
                              batch_layout layout)
{
    const test_matrix *m = &s->m;
    wlu_member_view x = {0};
    memset(n, 0, sizeof *n);
    n->count = count;
    int64_t values = batch_lay_out(layout, count, 1, m->nnz, &n->value_view);
    n->bs = batch_lay_out(layout, count, BATCH_COLUMNS, m->n, &n->b_view);
    batch_lay_out(layout == BATCH_SHARED ? BATCH_TOGETHER : layout, count, BATCH_COLUMNS, m->n, &x);
    n->values = calloc((size_t)values, sizeof(double));
    n->b = calloc((size_t)n->bs, sizeof(double));
    for (int32_t i = 0; i < count; i++)
        for (int32_t q = 0; q < m->nnz; q++)
            n->values[i * n->value_view.by_member + q * n->value_view.by_number] =
                m->x[q] * (0.9 + 0.2 * check_uniform(seed));
    for (int64_t k = 0; k < n->bs; k++) n->b[k] = check_uniform(seed) - 0.5;
    for (int k = 0; k < 2; k++) {
        n->x[k] = malloc((size_t)n->bs * sizeof(double));
        n->result[k] = calloc((size_t)count, sizeof **n->result);
        for (int64_t q = 0; q < n->bs; q++) n->x[k][q] = -7.0;
    }
    n->member = calloc((size_t)count, sizeof *n->member);
    n->place = calloc((size_t)count, sizeof *n->place);
    n->value_view.at = n->values;
    n->b_view.at = n->b;
    n->x_view = (wlu_member_output){NULL, x.by_member, x.by_column, x.by_number};
}

static inline void batch_free(batch_numbers *n)
{
    void *owned[] = {n->values, n->b, n->x[0], n->x[1], n->result[0], n->result[1], n->member, n->place};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) free(owned[k]);
}

/* A number of a member's values or right-hand sides. */
static inline double *batch_value(const batch_numbers *n, int32_t member, int32_t q)
{
    return &n->values[member * n->value_view.by_member + q * n->value_view.by_number];
}

static inline double *batch_b(const batch_numbers *n, int32_t member, int32_t column, int32_t i)
{
    return &n->b[member * n->b_view.by_member + column * n->b_view.by_column + i * n->b_view.by_number];
}

/* Each so many-th member takes part, from the last to the first where it is negative; places are a permutation,
 * for 13 divides no count. Returns how many take part. */
static inline int32_t batch_list(const batch_numbers *n, int32_t step)
{
    int32_t count = 0, apart = step < 0 ? -step : step;
    for (int32_t i = 0; i < n->count; i += apart) {
        n->member[count] = step < 0 ? n->count - 1 - i : i;
        n->place[count] = (int32_t)((n->member[count] * (int64_t)13 + 3) % n->count);
        count++;
    }
    return count;
}

/* ------------------------------------------------------------- comparisons */

static inline int batch_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static inline void batch_compare_member(const batch_numbers *n, const wlu_batch_job *job, int32_t member, int32_t order,
                                        const char *what)
{
    const wlu_member_result *a = &n->result[0][member], *b = &n->result[1][member];
    const wlu_health *g = &a->health, *h = &b->health;
    CHECK_SAY(g->finite == h->finite && g->verdict == h->verdict && g->single == h->single,
              "%s, member %d: finite %d, verdict %d, expected %d, %d", what, (int)member, h->finite, h->verdict,
              g->finite, g->verdict);
    if (!g->finite) return; /* zeros of tiles have spread what is not finite */
    CHECK_SAY(batch_same(g->largest_l, h->largest_l) && batch_same(g->largest_u, h->largest_u) &&
                  batch_same(g->growth, h->growth) && batch_same(g->smallest_pivot, h->smallest_pivot) &&
                  batch_same(g->drift, h->drift),
              "%s, member %d: l %g u %g growth %g pivot %g drift %g, expected %g %g %g %g %g", what, (int)member,
              h->largest_l, h->largest_u, h->growth, h->smallest_pivot, h->drift, g->largest_l, g->largest_u, g->growth,
              g->smallest_pivot, g->drift);
    if (isnan(a->largest) && isnan(b->largest)) return;
    CHECK_SAY(batch_same(a->largest, b->largest) && batch_same(a->least, b->least),
              "%s, member %d: %g, %g expected %g, %g", what, (int)member, b->largest, b->least, a->largest, a->least);
    CHECK_SAY(batch_same(a->refined.backward_error, b->refined.backward_error) &&
                  a->refined.steps == b->refined.steps && a->refined.inaccurate == b->refined.inaccurate,
              "%s, member %d: error %g, %d steps, %u inaccurate, expected %g, %d, %u", what, (int)member,
              b->refined.backward_error, (int)b->refined.steps, b->refined.inaccurate, a->refined.backward_error,
              (int)a->refined.steps, a->refined.inaccurate);
    for (int32_t c = 0; c < job->nrhs; c++)
        for (int32_t i = 0; i < order; i++) {
            int64_t at = member * n->x_view.by_member + c * n->x_view.by_column + i * n->x_view.by_number;
            if (batch_same(n->x[0][at], n->x[1][at])) continue;
            CHECK_SAY(0, "%s, member %d, column %d: x(%d) is %a, expected %a", what, (int)member, (int)c, (int)i,
                      n->x[1][at], n->x[0][at]);
            return;
        }
}

/* What both have made of a job; numbers of members that took no part stay. */
static inline void batch_compare_all(const batch_system *s, const batch_numbers *n, const wlu_batch_job *job,
                                     const char *what)
{
    int64_t untouched[2] = {0, 0};
    for (int32_t k = 0; k < job->count; k++) batch_compare_member(n, job, n->member[k], s->m.n, what);
    for (int64_t q = 0; q < n->bs; q++)
        for (int k = 0; k < 2; k++) untouched[k] += n->x[k][q] == -7.0;
    CHECK_SAY(untouched[0] == untouched[1], "%s: others' numbers are touched", what);
}

/* The job, but for what is here, by both. */
static inline void batch_compare(batch_system *s, batch_numbers *n, wlu_batch_job job, const char *what)
{
    wlu_batch_state *states[] = {s->one, s->other};
    job.member = n->member;
    job.b = n->b_view;
    job.x = n->x_view;
    for (int k = 0; k < 2; k++) {
        job.x.at = n->x[k];
        job.result = n->result[k];
        warplu_status status = states[k]->executor->run(&s->b.ctx, states[k], &job);
        CHECK_SAY(status == WARPLU_SUCCESS, "%s: %s", what, s->b.ctx.last_message);
        if (status < 0) return;
    }
    batch_compare_all(s, n, &job, what);
}

#endif
