/* The program record by record, in plain C: the specification of what every executor computes, and slow. Compiled for
 * each precision: what is rounded to FP32 stays where doubles are. */
#include "exec/reference/reference.h"
#include "numerics/verdict.h"

#include <math.h>
#include <string.h>

#include "base/real.h"

/* a b + c, a b, 1 / a in the precision of slots. */
static wlu_real fused(double a, double b, double c)
{
    return WLU_FMA((wlu_real)a, (wlu_real)b, (wlu_real)c);
}

static wlu_real product_of(double a, double b)
{
    return (wlu_real)a * (wlu_real)b;
}

static wlu_real inverse_of(double a)
{
    return (wlu_real)1 / (wlu_real)a;
}

static void run_loads(const wlu_loads *l, const double *source, double *v)
{
    for (int64_t k = 0; k < l->count; k++)
        v[l->first + k] = l->source[k] < 0 ? 0.0 : (wlu_real)(l->scale[k] * source[l->source[k]]);
}

/* The listed loads, into regions that are zero but for them. */
static void run_list(const wlu_program *p, const double *source, double *v)
{
    const wlu_load_list *l = &p->list;
    memset(v + p->region_slots, 0, (size_t)(p->sums - p->region_slots) * sizeof *v);
    for (int64_t k = 0; k < l->count; k++) v[l->target[k]] = (wlu_real)(l->scale[k] * source[l->source[k]]);
}

/* The pairwise tree of opcodes.h. */
static wlu_real tree(const wlu_real *a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

/* v[s] minus the chain's terms, in its fixed shape (opcodes.h). */
static wlu_real chain(const double *v, double begin, const int32_t *operand, int64_t terms)
{
    wlu_real acc[WLU_DOT_LANES] = {0}, start = (wlu_real)begin;
    if (terms <= WLU_DOT_IN_ORDER_MAX) {
        for (int64_t k = 0; k < terms; k++) start = fused(-v[operand[2 * k]], v[operand[2 * k + 1]], start);
        return start;
    }
    int64_t padded = (terms + WLU_DOT_LANES - 1) / WLU_DOT_LANES * WLU_DOT_LANES;
    for (int64_t k = 0; k < padded; k++) {
        double a = k < terms ? v[operand[2 * k]] : 0.0, b = k < terms ? v[operand[2 * k + 1]] : 0.0;
        acc[k % WLU_DOT_LANES] = fused(a, b, acc[k % WLU_DOT_LANES]);
    }
    return start - tree(acc);
}

/* The end of a record of chain x. */
static wlu_real end_of(int opcode, wlu_real x, double d)
{
    switch (opcode) {
#define TIMES(a, b) product_of(a, b)
#define MINUS(a, b) WLU_SUB(a, b)
#define OVER(a) inverse_of(a)
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_STREAM_OPCODE(name, shape, flops, compiled, semantics, end, stages) \
    case WLU_##name: \
        return end;
#include "program/opcodes.def"
#undef WLU_OPCODE
#undef OVER
#undef MINUS
#undef TIMES
    }
    return (wlu_real)NAN; /* the verifier refuses it */
}

/* Records first .. end - 1. */
static void run_records(const wlu_stream *s, int64_t first, int64_t end, double *v)
{
    for (int64_t r = first; r < end; r++) {
        wlu_shape shape = wlu_opcode_table[s->opcode[r]].shape;
        double start = wlu_shape_has_start(shape) ? v[s->start[r]] : 0.0;
        double divisor = wlu_shape_has_divisor(shape) ? v[s->divisor[r]] : 0.0;
        wlu_real x = chain(v, start, s->operand + 2 * s->begin[r], s->begin[r + 1] - s->begin[r]);
        v[s->target[r]] = end_of(s->opcode[r], x, divisor);
    }
}

enum { W = WLU_TILE_WIDTH };

/* The pivots of source g update tile k: first each other's rows, then the rows of the source's L. */
static void update_tile(const wlu_tiles *t, double *v, int32_t k, int64_t g)
{
    int32_t s = t->source[g].tile, pivots = t->source[g].pivots, skip = wlu_tile_width(t, s) - pivots;
    double *panel = v + t->panel[k], *u = panel + (int64_t)W * t->source[g].at;
    const double *diagonal = v + wlu_tile_diagonal(t, s) + W * skip + skip, *lower = v + wlu_tile_lower(t, s) + skip;
    for (int32_t i = 0; i < pivots; i++)
        for (int32_t j = 0; j < i; j++)
            for (int c = 0; c < W; c++) u[W * i + c] = fused(-diagonal[W * i + j], u[W * j + c], u[W * i + c]);
    for (int32_t r = 0; r < t->below[s]; r++) {
        double *row = panel + (int64_t)W * t->target[t->source[g].to + r];
        for (int32_t j = 0; j < pivots; j++)
            for (int c = 0; c < W; c++) row[c] = fused(-lower[(int64_t)W * r + j], u[W * j + c], row[c]);
    }
}

/* A row of the tile's own columns: entries of L up to `pivots`, the rest updated by these. */
static void eliminate_row(const double *diagonal, const double *reciprocal, int32_t pivots, double *row)
{
    for (int32_t j = 0; j < pivots; j++) {
        row[j] = product_of(row[j], reciprocal[j]);
        for (int c = j + 1; c < W; c++) row[c] = fused(-row[j], diagonal[W * j + c], row[c]);
    }
}

static void run_tile(const wlu_program *p, const wlu_host_slots *s, int32_t k, wlu_maxima *m)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    int32_t width = wlu_tile_width(t, k);
    double *v = s->v, *diagonal = v + wlu_tile_diagonal(t, k), *lower = v + wlu_tile_lower(t, k);
    double *reciprocal = v + wlu_lu_of(p)->tile_reciprocal + t->first[k];
    for (int64_t g = t->source_ptr[k]; g < t->source_ptr[k + 1]; g++) update_tile(t, v, k, g);
    for (int32_t i = 0; i < width; i++) {
        eliminate_row(diagonal, reciprocal, i, diagonal + W * i);
        reciprocal[i] = inverse_of(diagonal[W * i + i]);
        for (int32_t j = 0; j < i; j++) wlu_maxima_add(m, WLU_AREA_L, fabs(diagonal[W * i + j]));
    }
    for (int32_t r = 0; r < t->below[k]; r++) {
        eliminate_row(diagonal, reciprocal, width, lower + (int64_t)W * r);
        for (int32_t j = 0; j < width; j++) wlu_maxima_add(m, WLU_AREA_L, fabs(lower[(int64_t)W * r + j]));
    }
    for (int32_t c = 0; c < width; c++) {
        double umax = 0.0;
        for (int32_t r = 0; r <= t->above[k] + c; r++)
            umax = wlu_larger_bits(umax, fabs(v[t->panel[k] + (int64_t)W * r + c]));
        s->umax[W * (int64_t)k + c] = umax;
        wlu_maxima_add(m, WLU_AREA_U, umax);
    }
}

/* Drift of the rows: change of the power of two at or below what was each row's largest entry. */
static double row_drift(const wlu_guards *g, const double *source)
{
    double worst = 1.0;
    for (int32_t k = 0; k < g->n; k++) {
        int32_t at = k < g->shared ? k : g->n + (k - g->shared);
        double now = fabs(wlu_power_of_upper(g->row_scale[k]) * source[g->a_source[at]]);
        worst = wlu_larger_bits(worst, wlu_power_drift(now));
    }
    return worst;
}

/* Of the entry of a column that was largest when pivots were chosen. */
static double inverse_now(const wlu_guards *g, int32_t place, const double *source)
{
    return wlu_positive_inverse_power(fabs(wlu_power_of_upper(g->a_scale[place]) * source[g->a_source[place]]));
}

/* The largest computed |u| relative to its column's entry. O(computed u). */
static double largest_relative(const wlu_program *p, const wlu_host_slots *s, const double *source)
{
    const wlu_guards *g = &wlu_lu_of(p)->guard;
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    const double *u = s->v + wlu_areas_of(p).u;
    double worst = 1.0;
    for (int32_t k = 0; k < t->count; k++)
        for (int32_t at = t->first[k]; at < t->first[k + 1]; at++)
            worst = wlu_larger_bits(worst, s->umax[W * (int64_t)k + at - t->first[k]] *
                                               inverse_now(g, g->column[t->position[at]], source));
    for (int64_t k = 0; k < g->count; k++)
        worst = wlu_larger_bits(worst, fabs(u[k]) * inverse_now(g, g->u_column[k], source));
    return worst;
}

/* m: of tiles so far. */
static wlu_health run_guards(const wlu_program *p, const wlu_host_slots *s, const double *source, wlu_maxima *m)
{
    const wlu_guards *g = &wlu_lu_of(p)->guard;
    const wlu_areas area = wlu_areas_of(p);
    const double *v = s->v;
    for (int64_t k = area.u; k < area.l; k++) wlu_maxima_add(m, WLU_AREA_U, fabs(v[k]));
    for (int64_t k = area.l; k < area.f; k++) wlu_maxima_add(m, WLU_AREA_L, fabs(v[k]));
    for (int64_t k = area.f; k < area.reciprocal; k++) wlu_maxima_add(m, WLU_AREA_F, fabs(v[k]));
    for (int32_t k = 0; k < g->n; k++) wlu_maxima_add(m, WLU_AREA_RECIPROCAL, fabs(v[area.reciprocal + k]));
    for (int32_t k = 0; k < g->n; k++) wlu_maxima_add(m, WLU_AREA_INVERSE, inverse_now(g, k, source));
    wlu_maxima_add(m, WLU_AREA_DRIFT, row_drift(g, source));
    if (wlu_growth_is_open(m, &g->criteria)) wlu_maxima_add(m, WLU_AREA_RELATIVE, largest_relative(p, s, source));
    return wlu_health_conclude(m, &g->criteria, WLU_REAL_SINGLE);
}

static void refactor(const wlu_program *p, const wlu_host_slots *s, const double *values, wlu_health *h)
{
    double *v = s->v;
    const double *source = wlu_gather_values(p, values, s->source);
    wlu_maxima m = {{0}};
    run_loads(&p->load, source, v);
    run_list(p, source, v);
    run_records(&p->dot, 0, p->dot.nrecords, v);
    for (int32_t k = 0; k < wlu_lu_of(p)->tiles.count; k++) run_tile(p, s, k, &m);
    *h = run_guards(p, s, source, &m);
}

/* x[row] -= row . y for rows of a panel: eight products, then the pairwise tree. */
static void subtract_products(const double *panel, const int32_t *row, int32_t rows, const double *y, double *x)
{
    for (int32_t r = 0; r < rows; r++) {
        wlu_real product[W];
        for (int c = 0; c < W; c++) product[c] = product_of(panel[(int64_t)W * r + c], y[c]);
        x[row[r]] = (wlu_real)x[row[r]] - tree(product);
    }
}

/* Unit lower (forward) or upper triangle of a tile; y: its unknowns, then zeros. */
static void solve_tile(const wlu_program *p, const double *v, int32_t k, int forward, double *x)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    int32_t width = wlu_tile_width(t, k);
    const double *diagonal = v + wlu_tile_diagonal(t, k), *reciprocal = v + wlu_lu_of(p)->tile_reciprocal + t->first[k];
    const int32_t *row = t->row + t->row_ptr[k];
    double y[W] = {0};
    for (int32_t i = 0; i < width; i++) y[i] = x[t->first[k] + i];
    for (int32_t i = 0; i < width && forward; i++)
        for (int32_t j = 0; j < i; j++) y[i] = fused(-diagonal[W * i + j], y[j], y[i]);
    for (int32_t j = width - 1; j >= 0 && !forward; j--) {
        y[j] = product_of(y[j], reciprocal[j]);
        for (int32_t i = 0; i < j; i++) y[i] = fused(-diagonal[W * i + j], y[j], y[i]);
    }
    for (int32_t i = 0; i < width; i++) x[t->first[k] + i] = y[i];
    if (forward)
        subtract_products(v + wlu_tile_lower(t, k), row + t->above[k], t->below[k], y, x);
    else
        subtract_products(v + t->panel[k], row, t->above[k], y, x);
}

/* A region of the solve: y into its unknowns, forward, back, into x. */
static void solve_tiles(const wlu_program *p, const wlu_host_slots *s, const wlu_triangular *t, wlu_solve_region r)
{
    double *v = s->v, *x = s->x;
    for (int32_t at = r.first; at < r.behind; at++) x[at] = v[t->tile_y[at]];
    for (int32_t k = r.begin; k < r.end; k++) solve_tile(p, v, k, 1, x);
    for (int32_t k = r.end - 1; k >= r.begin; k--) solve_tile(p, v, k, 0, x);
    for (int32_t at = r.first; at < r.behind; at++) v[t->tile_x[at]] = x[at];
}

/* x in the caller's order; returns its largest magnitude, by bits. */
static double store(const wlu_program *p, const wlu_triangular *t, const double *v, double *x)
{
    double largest = 0.0;
    for (int32_t k = 0; k < p->n; k++) {
        double xk = t->scale != NULL ? t->scale[k] * v[p->x + k] : v[p->x + k];
        largest = wlu_larger_bits(largest, fabs(xk));
        x[t->index[k]] = xk;
    }
    return largest;
}

static double solve(const wlu_program *p, const wlu_host_slots *s, const wlu_triangular *t, const double *b, double *x)
{
    double *v = s->v;
    run_loads(&t->load, b, v);
    for (int32_t r = 0; r <= t->regions; r++) {
        run_records(&t->stream, wlu_segment_begin(t, r), wlu_segment_begin(t, r + 1), v);
        if (r < t->regions) solve_tiles(p, s, t, t->region[r]);
    }
    return store(p, t, v, x);
}

const wlu_reference_replay WLU_REAL_NAME(wlu_replay_reference) = {refactor, solve};
