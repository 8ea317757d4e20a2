/* The reference executor: the program record by record, in plain C. It is the specification of what every other
 * executor computes, and slow. */
#include "exec/exec.h"

#include <math.h>
#include <string.h>

#include "base/environment.h"

typedef struct image {
    const wlu_program *program;
} image;

static int available(void)
{
    return 1;
}

static warplu_status load(wlu_context *ctx, const wlu_program *program, void **out)
{
    image *im = WLU_CALLOC(ctx, 1, image);
    *out = im;
    if (im == NULL) return wlu_fail_memory(ctx, "image of the reference executor");
    im->program = program;
    return WARPLU_SUCCESS;
}

static warplu_status load_transposed(wlu_context *ctx, void *im)
{
    (void)ctx;
    (void)im;
    return WARPLU_SUCCESS;
}

static void run_loads(const wlu_loads *l, const double *source, double *v)
{
    for (int64_t k = 0; k < l->count; k++)
        v[l->first + k] = l->source[k] < 0 ? 0.0 : l->scale[k] * source[l->source[k]];
}

/* v[s] minus the chain's terms, in its fixed shape (opcodes.h). */
static double chain(const double *v, double start, const int32_t *operand, int64_t terms)
{
    if (terms <= WLU_DOT_IN_ORDER_MAX) {
        for (int64_t k = 0; k < terms; k++) start = fma(-v[operand[2 * k]], v[operand[2 * k + 1]], start);
        return start;
    }
    double acc[WLU_DOT_LANES] = {0};
    int64_t padded = (terms + WLU_DOT_LANES - 1) / WLU_DOT_LANES * WLU_DOT_LANES;
    for (int64_t k = 0; k < padded; k++) {
        double a = k < terms ? v[operand[2 * k]] : 0.0, b = k < terms ? v[operand[2 * k + 1]] : 0.0;
        acc[k % WLU_DOT_LANES] = fma(a, b, acc[k % WLU_DOT_LANES]);
    }
    return start - (((acc[0] + acc[4]) + (acc[2] + acc[6])) + ((acc[1] + acc[5]) + (acc[3] + acc[7])));
}

static void run_stream(const wlu_stream *s, double *v)
{
    for (int64_t r = 0; r < s->nrecords; r++) {
        int64_t terms = s->begin[r + 1] - s->begin[r];
        const int32_t *operand = s->operand + 2 * s->begin[r];
        switch (s->opcode[r]) {
        case WLU_RCP: v[s->target[r]] = 1.0 / v[s->divisor[r]]; break;
        case WLU_DOT: v[s->target[r]] = chain(v, v[s->start[r]], operand, terms); break;
        case WLU_DOTS: v[s->target[r]] = chain(v, v[s->start[r]], operand, terms) * v[s->divisor[r]]; break;
        default: break;
        }
    }
}

/* x -= (column k of L in supernode s) * x[k] for the rows below k. */
static void update_by_pivot(const wlu_columns *c, const double *v, int32_t s, int32_t k, double *x)
{
    int32_t begin = c->first[s], width = c->first[s + 1] - begin;
    int64_t nrows = c->rows_ptr[s + 1] - c->rows_ptr[s];
    const double *l = v + c->panel[s] + (k - begin) * (width + nrows);
    double u = x[k];
    for (int32_t i = k + 1; i < begin + width; i++) x[i] = fma(-l[i - begin], u, x[i]);
    for (int64_t q = 0; q < nrows; q++) {
        int32_t i = c->rows[c->rows_ptr[s] + q];
        x[i] = fma(-l[width + q], u, x[i]);
    }
}

/* Moves column at between its slots and x: into x (and back, with L scaled by the reciprocal pivot). */
static void run_column(const wlu_program *p, wlu_state *state, int32_t at)
{
    const wlu_columns *c = &p->columns;
    double *v = state->v, *x = state->column, umax = 0.0;
    int32_t s = c->super[at], begin = c->first[s], width = c->first[s + 1] - begin;
    const int32_t *rows = c->rows + c->rows_ptr[s];
    int64_t nrows = c->rows_ptr[s + 1] - c->rows_ptr[s], u = c->ubase[at];
    double *panel = v + c->panel[s] + (at - begin) * (width + nrows);
    for (int64_t g = c->seg_ptr[at]; g < c->seg_ptr[at + 1]; g++)
        for (int32_t k = c->seg_first[g]; k < c->first[c->seg_super[g] + 1]; k++) x[k] = v[u++];
    for (int32_t i = 0; i < width; i++) x[begin + i] = panel[i];
    for (int64_t q = 0; q < nrows; q++) x[rows[q]] = panel[width + q];

    for (int64_t g = c->seg_ptr[at]; g < c->seg_ptr[at + 1]; g++)
        for (int32_t k = c->seg_first[g]; k < c->first[c->seg_super[g] + 1]; k++)
            update_by_pivot(c, v, c->seg_super[g], k, x);
    for (int32_t k = c->own_first[at]; k < at; k++) update_by_pivot(c, v, s, k, x);

    double r = 1.0 / x[at];
    int32_t j = c->position[at];
    v[p->column_reciprocal + at] = r;
    u = c->ubase[at];
    for (int64_t g = c->seg_ptr[at]; g < c->seg_ptr[at + 1]; g++)
        for (int32_t k = c->seg_first[g]; k < c->first[c->seg_super[g] + 1]; k++) {
            umax = wlu_larger_bits(umax, fabs(x[k]));
            if (!isfinite(x[k])) state->health.finite = 0;
            v[u++] = x[k];
            x[k] = 0.0;
        }
    for (int32_t i = 0; i < width; i++) {
        double scale = begin + i > at ? r : 1.0;
        if (begin + i <= at) umax = wlu_larger_bits(umax, fabs(x[begin + i]));
        panel[i] = x[begin + i] * scale;
        if (begin + i > at) state->health.largest_l = wlu_larger_bits(state->health.largest_l, fabs(panel[i]));
        if (!isfinite(panel[i])) state->health.finite = 0;
        x[begin + i] = 0.0;
    }
    for (int64_t q = 0; q < nrows; q++) {
        panel[width + q] = x[rows[q]] * r;
        state->health.largest_l = wlu_larger_bits(state->health.largest_l, fabs(panel[width + q]));
        if (!isfinite(panel[width + q])) state->health.finite = 0;
        x[rows[q]] = 0.0;
    }
    state->umax[j] = umax;
}

/* The bound on growth: the largest computed |u| relative to the entry of A that was largest when pivots were chosen. */
static double growth_bound(const wlu_program *p, wlu_state *state, const double *source)
{
    const wlu_guards *g = &p->guard;
    double worst = 1.0;
    for (int32_t j = 0; j < p->n; j++) state->inverse[j] = wlu_inverse_power(fabs(g->a_scale[j] * source[g->a_source[j]]));
    for (int32_t j = 0; j < p->n; j++) {
        if (!p->columned[j]) continue;
        worst = wlu_larger_bits(worst, state->umax[j] * state->inverse[j]);
    }
    for (int64_t k = 0; k < g->count; k++)
        worst = wlu_larger_bits(worst, fabs(state->v[p->u + k]) * state->inverse[g->u_column[k]]);
    return worst >= 1.0 ? 1.0 / worst : 0.0;
}

/* Drift of the rows: change of the power of two at or below what was each row's largest entry. */
static double row_drift(const wlu_guards *g, int32_t n, const double *source)
{
    double worst = 1.0;
    for (int32_t k = 0; k < n; k++)
        worst = wlu_larger_bits(worst, wlu_power_drift(fabs(g->row_scale[k] * source[g->row_source[k]])));
    return worst;
}

static void run_guards(const wlu_program *p, wlu_state *state, const double *source)
{
    const double *v = state->v;
    wlu_health *h = &state->health;
    h->drift = row_drift(&p->guard, p->n, source);
    h->growth = growth_bound(p, state, source);
    if (!(h->growth >= p->guard.bound)) h->growth = wlu_exact_growth(p, state, source);
    for (int64_t k = p->l; k < p->f; k++) h->largest_l = wlu_larger_bits(h->largest_l, fabs(v[k]));
    for (int64_t k = p->u; k < p->l; k++) h->largest_u = wlu_larger_bits(h->largest_u, fabs(v[k]));
    for (int32_t j = 0; j < p->n; j++)
        if (p->columned[j]) h->largest_u = wlu_larger_bits(h->largest_u, state->umax[j]);
    double largest_reciprocal = 0.0;
    for (int32_t k = 0; k < p->n; k++) largest_reciprocal = wlu_larger_bits(largest_reciprocal, fabs(v[p->reciprocal + k]));
    h->smallest_pivot = 1.0 / largest_reciprocal;
    for (int64_t k = 0; k < p->panels; k++)
        if (!isfinite(v[k])) h->finite = 0;
    if (!isfinite(h->largest_l)) h->finite = 0;
}

static void refactor(const void *im, wlu_state *state, const double *values)
{
    const wlu_program *p = ((const image *)im)->program;
    wlu_environment env;
    wlu_environment_enter(&env);
    double *v = state->v;
    const double *source = wlu_begin_refactor(p, state, values);
    run_loads(&p->load, source, v);
    wlu_load_region(p, state, source);
    run_stream(&p->dot, v);
    for (int32_t at = 0; at < p->columns.m; at++) run_column(p, state, at);
    run_guards(p, state, source);
    wlu_environment_leave(&env);
}

/* The region's columns of the solve: y into the workspace, forward, back, into x. */
static void solve_columns(const wlu_program *p, wlu_state *state, const wlu_triangular *t)
{
    const wlu_columns *c = &p->columns;
    double *v = state->v, *x = state->column;
    int32_t begin = c->first[t->super_begin], end = c->first[t->super_end];
    for (int32_t at = begin; at < end; at++) x[at] = v[t->column_y[at]];
    for (int32_t at = begin; at < end; at++) update_by_pivot(c, v, c->super[at], at, x);
    for (int32_t at = end - 1; at >= begin; at--) {
        int32_t s = c->super[at], first = c->first[s];
        int64_t ld = c->first[s + 1] - first + c->rows_ptr[s + 1] - c->rows_ptr[s], u = c->ubase[at];
        const double *panel = v + c->panel[s] + (at - first) * ld;
        x[at] *= v[p->column_reciprocal + at];
        for (int64_t g = c->seg_ptr[at]; g < c->seg_ptr[at + 1]; g++)
            for (int32_t k = c->seg_first[g]; k < c->first[c->seg_super[g] + 1]; k++)
                x[k] = fma(-v[u++], x[at], x[k]);
        for (int32_t k = c->own_first[at]; k < at; k++) x[k] = fma(-panel[k - first], x[at], x[k]);
    }
    for (int32_t at = begin; at < end; at++) {
        v[t->column_x[at]] = x[at];
        x[at] = 0.0;
    }
}

static void solve(const void *im, wlu_state *state, wlu_stream_kind kind, const double *b, double *x)
{
    const wlu_program *p = ((const image *)im)->program;
    const wlu_triangular *t = kind == WLU_STREAM_SOLVE ? &p->solve : &p->transposed;
    wlu_environment env;
    wlu_environment_enter(&env);
    double *v = state->v;
    run_loads(&t->load, b, v);
    run_stream(&t->stream, v);
    if (t->super_end > t->super_begin) solve_columns(p, state, t);
    run_stream(&t->after, v);
    wlu_store_solution(p, t, v, x);
    wlu_environment_leave(&env);
}

static int64_t bytes(const void *im, int solves)
{
    const wlu_program *p = ((const image *)im)->program;
    return solves ? wlu_program_solve_bytes(p) : wlu_program_factor_bytes(p);
}

static void destroy(wlu_context *ctx, void **im)
{
    wlu_free(ctx, *im);
    *im = NULL;
}

const wlu_executor wlu_executor_reference = {
    "reference", available, load, load_transposed, refactor, solve, bytes, destroy,
};
