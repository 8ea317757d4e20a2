/* The program record by record, in plain C: the specification of what every executor computes, and slow. Compiled for
 * each precision: what is rounded to FP32 stays where doubles are. */
#include "exec/reference/reference.h"
#include "numerics/verdict.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

/* Number k of slots, or of unknowns of the TILE region: doubles, whatever the precision. */
static wlu_number get(const double *x, int64_t k)
{
    return wlu_number_at(x, k);
}

static void put(double *x, int64_t k, wlu_number a)
{
    wlu_number_put(x, k, a);
}

static double *from(double *x, int64_t k)
{
    return x + WLU_NUMBER_REALS * k;
}

/* Scaled in FP64. */
static wlu_number load(double scale, const double *source, int64_t k)
{
    const double *part = source + WLU_NUMBER_REALS * k;
    return wlu_number_of((wlu_real)(scale * part[0]), (wlu_real)(scale * part[WLU_NUMBER_REALS - 1]));
}

static void run_loads(const wlu_loads *l, const double *source, double *v)
{
    for (int64_t k = 0; k < l->count; k++)
        put(v, l->first + k, l->source[k] < 0 ? wlu_zero() : load(l->scale[k], source, l->source[k]));
}

/* The listed loads, into regions that are zero but for them. */
static void run_list(const wlu_program *p, const double *source, double *v)
{
    const wlu_load_list *l = &p->list;
    for (int64_t k = p->region_slots; k < p->sums; k++) put(v, k, wlu_zero());
    for (int64_t k = 0; k < l->count; k++) put(v, l->target[k], load(l->scale[k], source, l->source[k]));
}

/* The pairwise tree of opcodes.h. */
static wlu_number tree(const wlu_number *a)
{
    return wlu_add(wlu_add(wlu_add(a[0], a[4]), wlu_add(a[2], a[6])),
                   wlu_add(wlu_add(a[1], a[5]), wlu_add(a[3], a[7])));
}

/* A start minus the chain's terms, in its fixed shape (opcodes.h). */
static wlu_number chain(double *v, wlu_number start, const int32_t *operand, int64_t terms)
{
    wlu_number acc[WLU_DOT_LANES];
    if (terms <= WLU_DOT_IN_ORDER_MAX) {
        for (int64_t k = 0; k < terms; k++) start = wlu_fnma(get(v, operand[2 * k]), get(v, operand[2 * k + 1]), start);
        return wlu_settled(start);
    }
    int64_t padded = (terms + WLU_DOT_LANES - 1) / WLU_DOT_LANES * WLU_DOT_LANES;
    for (int k = 0; k < WLU_DOT_LANES; k++) acc[k] = wlu_zero();
    for (int64_t k = 0; k < padded; k++) {
        wlu_number a = k < terms ? get(v, operand[2 * k]) : wlu_zero();
        wlu_number b = k < terms ? get(v, operand[2 * k + 1]) : wlu_zero();
        acc[k % WLU_DOT_LANES] = wlu_fma(a, b, acc[k % WLU_DOT_LANES]);
    }
    return wlu_settled(wlu_sub(start, tree(acc)));
}

/* The end of a record of chain x. */
static wlu_number end_of(int opcode, wlu_number x, wlu_number d)
{
    switch (opcode) {
#define TIMES(a, b) wlu_mul(a, b)
#define MINUS(a, b) wlu_sub(a, b)
#define OVER(a) wlu_invert(a)
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
    return wlu_number_of((wlu_real)NAN, (wlu_real)NAN); /* the verifier refuses it */
}

/* Records first .. end - 1. */
static void run_records(const wlu_stream *s, int64_t first, int64_t end, double *v)
{
    for (int64_t r = first; r < end; r++) {
        wlu_shape shape = wlu_opcode_table[s->opcode[r]].shape;
        wlu_number start = wlu_shape_has_start(shape) ? get(v, s->start[r]) : wlu_zero();
        wlu_number divisor = wlu_shape_has_divisor(shape) ? get(v, s->divisor[r]) : wlu_zero();
        wlu_number x = chain(v, start, s->operand + 2 * s->begin[r], s->begin[r + 1] - s->begin[r]);
        put(v, s->target[r], end_of(s->opcode[r], x, divisor));
    }
}

enum { W = WLU_TILE_WIDTH };

/* row -= l u, by the columns of a tile. */
static void subtract_row(double *row, wlu_number l, double *u)
{
    for (int c = 0; c < W; c++) put(row, c, wlu_fnma(l, get(u, c), get(row, c)));
}

/* The pivots of source g update tile k: first each other's rows, then the rows of the source's L. */
static void update_tile(const wlu_tiles *t, double *v, int32_t k, int64_t g)
{
    int32_t s = t->source[g].tile, pivots = t->source[g].pivots, skip = wlu_tile_width(t, s) - pivots;
    double *panel = from(v, t->panel[k]), *u = from(panel, (int64_t)W * t->source[g].at);
    double *diagonal = from(v, wlu_tile_diagonal(t, s) + W * skip + skip),
           *lower = from(v, wlu_tile_lower(t, s) + skip);
    for (int32_t i = 0; i < pivots; i++)
        for (int32_t j = 0; j < i; j++) subtract_row(from(u, W * i), get(diagonal, W * i + j), from(u, W * j));
    for (int32_t r = 0; r < t->below[s]; r++)
        for (int32_t j = 0; j < pivots; j++)
            subtract_row(from(panel, (int64_t)W * t->target[t->source[g].to + r]), get(lower, (int64_t)W * r + j),
                         from(u, W * j));
}

/* A row of the tile's own columns: entries of L up to `pivots`, the rest updated by these. */
static void eliminate_row(double *diagonal, double *reciprocal, int32_t pivots, double *row, wlu_maxima *m)
{
    for (int32_t j = 0; j < pivots; j++) {
        wlu_number l = wlu_mul(get(row, j), get(reciprocal, j));
        put(row, j, l);
        wlu_maxima_add(m, WLU_AREA_L, wlu_size(l));
        for (int c = j + 1; c < W; c++) put(row, c, wlu_fnma(l, get(diagonal, W * j + c), get(row, c)));
    }
}

static void run_tile(const wlu_program *p, const wlu_host_slots *s, int32_t k, wlu_maxima *m)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    int32_t width = wlu_tile_width(t, k);
    double *v = s->v, *diagonal = from(v, wlu_tile_diagonal(t, k)), *lower = from(v, wlu_tile_lower(t, k));
    double *reciprocal = from(v, wlu_lu_of(p)->tile_reciprocal + t->first[k]);
    for (int64_t g = t->source_ptr[k]; g < t->source_ptr[k + 1]; g++) update_tile(t, v, k, g);
    for (int32_t i = 0; i < width; i++) {
        eliminate_row(diagonal, reciprocal, i, from(diagonal, W * i), m);
        put(reciprocal, i, wlu_invert(get(diagonal, W * i + i)));
    }
    for (int32_t r = 0; r < t->below[k]; r++)
        eliminate_row(diagonal, reciprocal, width, from(lower, (int64_t)W * r), m);
    for (int32_t c = 0; c < width; c++) {
        double umax = 0.0;
        for (int32_t r = 0; r <= t->above[k] + c; r++)
            umax = wlu_larger_bits(umax, wlu_size(get(v, t->panel[k] + (int64_t)W * r + c)));
        s->umax[W * (int64_t)k + c] = umax;
        wlu_maxima_add(m, WLU_AREA_U, umax);
    }
}

/* The size of an entry that a guard looks at, in its scale. */
static double size_now(uint16_t scale, const double *source, int32_t entry)
{
    return wlu_magnitude(wlu_power_of_upper(scale) * wlu_size_at(source, entry, WLU_NUMBER_REALS));
}

/* Drift of the rows: change of the power of two at or below what was each row's largest entry. */
static double row_drift(const wlu_guards *g, const double *source)
{
    double worst = 1.0;
    for (int32_t k = 0; k < g->n; k++) {
        int32_t at = k < g->shared ? k : g->n + (k - g->shared);
        worst = wlu_larger_bits(worst, wlu_power_drift(size_now(g->row_scale[k], source, g->a_source[at])));
    }
    return worst;
}

/* Of the entry of a column that was largest when pivots were chosen. */
static double inverse_now(const wlu_guards *g, int32_t place, const double *source)
{
    return wlu_positive_inverse_power(size_now(g->a_scale[place], source, g->a_source[place]));
}

/* The largest computed |u| relative to its column's entry. O(computed u). */
static double largest_relative(const wlu_program *p, const wlu_host_slots *s, const double *source)
{
    const wlu_guards *g = &wlu_lu_of(p)->guard;
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    const double *u = from(s->v, wlu_areas_of(p).u);
    double worst = 1.0;
    for (int32_t k = 0; k < t->count; k++)
        for (int32_t at = t->first[k]; at < t->first[k + 1]; at++)
            worst = wlu_larger_bits(worst, s->umax[W * (int64_t)k + at - t->first[k]] *
                                               inverse_now(g, g->column[t->position[at]], source));
    for (int64_t k = 0; k < g->count; k++)
        worst = wlu_larger_bits(worst, wlu_size(get(u, k)) * inverse_now(g, g->u_column[k], source));
    return worst;
}

/* m: of tiles so far. */
static wlu_health run_guards(const wlu_program *p, const wlu_host_slots *s, const double *source, wlu_maxima *m)
{
    const wlu_guards *g = &wlu_lu_of(p)->guard;
    const wlu_areas area = wlu_areas_of(p);
    const double *v = s->v;
    for (int64_t k = area.u; k < area.l; k++) wlu_maxima_add(m, WLU_AREA_U, wlu_size(get(v, k)));
    for (int64_t k = area.l; k < area.f; k++) wlu_maxima_add(m, WLU_AREA_L, wlu_size(get(v, k)));
    for (int64_t k = area.f; k < area.reciprocal; k++) wlu_maxima_add(m, WLU_AREA_F, wlu_size(get(v, k)));
    for (int32_t k = 0; k < g->n; k++) wlu_maxima_add(m, WLU_AREA_RECIPROCAL, wlu_size(get(v, area.reciprocal + k)));
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
static void subtract_products(double *panel, const int32_t *row, int32_t rows, const wlu_number *y, double *x)
{
    for (int32_t r = 0; r < rows; r++) {
        wlu_number product[W];
        for (int c = 0; c < W; c++) product[c] = wlu_mul(get(panel, (int64_t)W * r + c), y[c]);
        put(x, row[r], wlu_sub(get(x, row[r]), tree(product)));
    }
}

/* Unit lower (forward) or upper triangle of a tile; y: its unknowns, then zeros. */
static void solve_tile(const wlu_program *p, double *v, int32_t k, int forward, double *x)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    int32_t width = wlu_tile_width(t, k);
    double *diagonal = from(v, wlu_tile_diagonal(t, k)), *own = from(x, t->first[k]);
    double *reciprocal = from(v, wlu_lu_of(p)->tile_reciprocal + t->first[k]);
    const int32_t *row = t->row + t->row_ptr[k];
    wlu_number y[W];
    for (int32_t i = 0; i < W; i++) y[i] = i < width ? get(own, i) : wlu_zero();
    for (int32_t i = 0; i < width && forward; i++)
        for (int32_t j = 0; j < i; j++) y[i] = wlu_fnma(get(diagonal, W * i + j), y[j], y[i]);
    for (int32_t j = width - 1; j >= 0 && !forward; j--) {
        y[j] = wlu_mul(y[j], get(reciprocal, j));
        for (int32_t i = 0; i < j; i++) y[i] = wlu_fnma(get(diagonal, W * i + j), y[j], y[i]);
    }
    for (int32_t i = 0; i < width; i++) put(own, i, y[i]);
    if (forward)
        subtract_products(from(v, wlu_tile_lower(t, k)), row + t->above[k], t->below[k], y, x);
    else
        subtract_products(from(v, t->panel[k]), row, t->above[k], y, x);
}

/* A region of the solve: y into its unknowns, forward, back, into x. */
static void solve_tiles(const wlu_program *p, const wlu_host_slots *s, const wlu_triangular *t, wlu_solve_region r)
{
    double *v = s->v, *x = s->x;
    for (int32_t at = r.first; at < r.behind; at++) put(x, at, get(v, t->tile_y[at]));
    for (int32_t k = r.begin; k < r.end; k++) solve_tile(p, v, k, 1, x);
    for (int32_t k = r.end - 1; k >= r.begin; k--) solve_tile(p, v, k, 0, x);
    for (int32_t at = r.first; at < r.behind; at++) put(v, t->tile_x[at], get(x, at));
}

/* x in the caller's order, scaled in FP64; returns its largest size, by bits. */
static double store(const wlu_program *p, const wlu_triangular *t, const wlu_host_slots *s, double *x)
{
    double largest = 0.0;
    for (int32_t k = 0; k < p->n; k++)
        for (int q = 0; q < WLU_NUMBER_REALS; q++) {
            double part = s->v[WLU_NUMBER_REALS * (p->x + k) + q];
            if (t->scale != NULL) part *= t->scale[k];
            largest = wlu_larger_bits(largest, fabs(part));
            x[WLU_NUMBER_REALS * (int64_t)t->index[k] + q] = part;
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
    return store(p, t, s, x);
}

const wlu_reference_replay WLU_NUMBER_NAME(wlu_replay_reference) = {refactor, solve};
