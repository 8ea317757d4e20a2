/* The CPU's kernels, one template instantiated for each instruction set: the including file defines v8 and its
 * functions (simd_*.h) and WLU_KERNELS, the name of the table.
 *
 * Sums keep the order that the program states; only independent work is vectorized: lanes are different records,
 * different rows of a panel, or the eight accumulators of a long chain. */
#include "exec/cpu/image.h"

#include <string.h>

static void run_load(const wlu_packed *packed, const wlu_loads *l, const double *source, double *v)
{
    double *out = v + l->first;
    for (int64_t r = 0; r < packed->nranges; r++) {
        int64_t k = packed->range[r].first, end = k + packed->range[r].count;
        for (; k + 8 <= end; k += 8)
            v8_store(out + k, v8_mul(v8_load(l->scale + k), v8_gather_or_zero(source, l->source + k)));
        for (; k < end; k++) out[k] = l->source[k] < 0 ? 0.0 : l->scale[k] * source[l->source[k]];
    }
}

/* ----------------------------------------------------------- DOT streams */

typedef struct stream_source {
    const wlu_loads *loads;
    const double *values;
} stream_source;

/* Where a bundle's chains start. */
static inline v8 chain_start(const stream_source *source, const double *v, const int32_t *start, int64_t target,
                             int in_place, int fused)
{
    if (!in_place) return v8_gather(v, start);
    if (!fused) return v8_load(v + target);
    int64_t k = target - source->loads->first;
    return v8_mul(v8_load(source->loads->scale + k),
                  v8_gather_or_zero(source->values, source->loads->source + k));
}

static inline const int32_t *run_across(const wlu_run *run, const stream_source *source, const int32_t *w, double *v,
                                        int scaled, int in_place, int contiguous, int fused)
{
    for (int64_t b = 0; b < run->count; b++) {
        int64_t target = run->first + 8 * b;
        const int32_t *t = w;
        if (!contiguous) w += 8;
        const int32_t *start = in_place ? t : w;
        if (!in_place) w += 8;
        v8 acc = contiguous || !in_place ? chain_start(source, v, start, target, in_place, fused) : v8_gather(v, t);
        v8 scale = scaled ? v8_gather(v, w) : v8_zero();
        if (scaled) w += 8;
        for (int32_t s = 0; s < run->steps; s++, w += 16) acc = v8_fnma(v8_gather(v, w), v8_gather(v, w + 8), acc);
        if (scaled) acc = v8_mul(acc, scale);
        if (contiguous)
            v8_store(v + target, acc);
        else
            v8_scatter(v, t, acc);
    }
    return w;
}

/* One instance for each form of bundle, so that none of them branches inside. */
static const int32_t *run_bundles(const wlu_run *run, const stream_source *source, const int32_t *w, double *v)
{
    switch (run->scaled << 3 | run->in_place << 2 | run->contiguous << 1 | run->fused) {
    case 15: return run_across(run, source, w, v, 1, 1, 1, 1);
    case 14: return run_across(run, source, w, v, 1, 1, 1, 0);
    case 12: return run_across(run, source, w, v, 1, 1, 0, 0);
    case 10: return run_across(run, source, w, v, 1, 0, 1, 0);
    case 8: return run_across(run, source, w, v, 1, 0, 0, 0);
    case 7: return run_across(run, source, w, v, 0, 1, 1, 1);
    case 6: return run_across(run, source, w, v, 0, 1, 1, 0);
    case 4: return run_across(run, source, w, v, 0, 1, 0, 0);
    case 2: return run_across(run, source, w, v, 0, 0, 1, 0);
    default: return run_across(run, source, w, v, 0, 0, 0, 0);
    }
}

static inline const int32_t *run_long(const wlu_run *run, const int32_t *w, double *v, int scaled)
{
    for (int64_t b = 0; b < run->count; b++) {
        const int32_t *head = w;
        v8 acc = v8_zero();
        w += 8;
        for (int32_t s = 0; s < run->steps; s++, w += 16) acc = v8_fma(v8_gather(v, w), v8_gather(v, w + 8), acc);
        double x = v[head[1]] - v8_tree(acc);
        v[head[0]] = scaled ? x * v[head[2]] : x;
    }
    return w;
}

static inline const int32_t *run_few(const wlu_run *run, const int32_t *w, double *v)
{
    const int32_t *begin = w;
    for (int64_t r = 0; r < run->count; r++) {
        const int32_t *head = w, *end = w + 4 + (head[0] >> 2) * 2;
        w += 4;
        if ((head[0] & 3) == WLU_FEW_RCP) {
            v[head[1]] = 1.0 / v[head[3]];
            continue;
        }
        double acc = v[head[2]], scale = (head[0] & 3) == WLU_FEW_DOTS ? v[head[3]] : 1.0;
        for (; w < end; w += 2) acc = fma(-v[w[0]], v[w[1]], acc);
        v[head[1]] = acc * scale;
    }
    return begin + (w - begin + 7) / 8 * 8;
}

static inline const int32_t *run_rcp(const wlu_run *run, const int32_t *w, double *v)
{
    for (int64_t b = 0; b < run->count; b++) {
        const int32_t *t = w;
        if (!run->contiguous) w += 8;
        v8 r = v8_div(v8_set(1.0), v8_gather(v, w));
        w += 8;
        if (run->contiguous)
            v8_store(v + run->first + 8 * b, r);
        else
            v8_scatter(v, t, r);
    }
    return w;
}

static void run_stream(const wlu_packed *packed, const wlu_loads *loads, const double *values, double *v)
{
    stream_source source = {loads, values};
    const int32_t *w = packed->word;
    for (int64_t r = 0; r < packed->nruns; r++) {
        const wlu_run *run = &packed->run[r];
        switch (run->form) {
        case WLU_RUN_ACROSS: w = run_bundles(run, &source, w, v); break;
        case WLU_RUN_LONG: w = run->scaled ? run_long(run, w, v, 1) : run_long(run, w, v, 0); break;
        case WLU_RUN_FEW: w = run_few(run, w, v); break;
        default: w = run_rcp(run, w, v); break;
        }
    }
}

/* --------------------------------------------------------- COLUMN region */

static inline int neighbours(const int32_t *rows)
{
    return rows[7] - rows[0] == 7; /* rows ascend */
}

/* x[0..count) -= l[.., kk] * u[kk] for kk ascending; l column-major. */
static inline void update_dense(double *x, int64_t count, const double *l, int64_t ld, const double *u, int32_t nu)
{
    int64_t i = 0;
    for (; i + 32 <= count; i += 32) {
        v8 a = v8_load(x + i), b = v8_load(x + i + 8), c = v8_load(x + i + 16), d = v8_load(x + i + 24);
        for (int32_t k = 0; k < nu; k++) {
            const double *lk = l + k * ld + i;
            v8 uk = v8_set(u[k]);
            a = v8_fnma(v8_load(lk), uk, a);
            b = v8_fnma(v8_load(lk + 8), uk, b);
            c = v8_fnma(v8_load(lk + 16), uk, c);
            d = v8_fnma(v8_load(lk + 24), uk, d);
        }
        v8_store(x + i, a);
        v8_store(x + i + 8, b);
        v8_store(x + i + 16, c);
        v8_store(x + i + 24, d);
    }
    for (; i + 8 <= count; i += 8) {
        v8 a = v8_load(x + i);
        for (int32_t k = 0; k < nu; k++) a = v8_fnma(v8_load(l + k * ld + i), v8_set(u[k]), a);
        v8_store(x + i, a);
    }
    for (; i < count; i++) {
        double a = x[i];
        for (int32_t k = 0; k < nu; k++) a = fma(-l[k * ld + i], u[k], a);
        x[i] = a;
    }
}

/* The same for scattered rows. */
static inline void update_rows(double *x, const int32_t *rows, int64_t count, const double *l, int64_t ld,
                               const double *u, int32_t nu)
{
    int64_t i = 0;
    if (nu == 1) {
        double u0 = u[0];
        for (; i + 4 <= count; i += 4) {
            double a = fma(-l[i], u0, x[rows[i]]), b = fma(-l[i + 1], u0, x[rows[i + 1]]);
            double c = fma(-l[i + 2], u0, x[rows[i + 2]]), d = fma(-l[i + 3], u0, x[rows[i + 3]]);
            x[rows[i]] = a;
            x[rows[i + 1]] = b;
            x[rows[i + 2]] = c;
            x[rows[i + 3]] = d;
        }
        for (; i < count; i++) x[rows[i]] = fma(-l[i], u0, x[rows[i]]);
        return;
    }
    for (; i + 32 <= count && rows[i + 31] - rows[i] == 31; i += 32) update_dense(x + rows[i], 32, l + i, ld, u, nu);
    for (; i + 16 <= count; i += 16) {
        v8 a = neighbours(rows + i) ? v8_load(x + rows[i]) : v8_gather(x, rows + i);
        v8 b = neighbours(rows + i + 8) ? v8_load(x + rows[i + 8]) : v8_gather(x, rows + i + 8);
        for (int32_t k = 0; k < nu; k++) {
            v8 uk = v8_set(u[k]);
            a = v8_fnma(v8_load(l + k * ld + i), uk, a);
            b = v8_fnma(v8_load(l + k * ld + i + 8), uk, b);
        }
        if (neighbours(rows + i))
            v8_store(x + rows[i], a);
        else
            v8_scatter(x, rows + i, a);
        if (neighbours(rows + i + 8))
            v8_store(x + rows[i + 8], b);
        else
            v8_scatter(x, rows + i + 8, b);
    }
    for (; i + 8 <= count; i += 8) {
        v8 a = v8_gather(x, rows + i);
        for (int32_t k = 0; k < nu; k++) a = v8_fnma(v8_load(l + k * ld + i), v8_set(u[k]), a);
        v8_scatter(x, rows + i, a);
    }
    for (; i < count; i++) {
        double a = x[rows[i]];
        for (int32_t k = 0; k < nu; k++) a = fma(-l[k * ld + i], u[k], a);
        x[rows[i]] = a;
    }
}

/* Pivots k0 .. k1-1 of supernode s update x: the triangle among themselves, the supernode's rows from k1 on
 * (only if k1 is inside it), the rows below. */
static inline void update_by_supernode(const wlu_columns *c, const double *v, int32_t s, int32_t k0, int32_t k1,
                                       double *x)
{
    int32_t begin = c->first[s], end = c->first[s + 1], width = end - begin, nu = k1 - k0;
    int64_t nrows = c->rows_ptr[s + 1] - c->rows_ptr[s], ld = width + nrows;
    const double *panel = v + c->panel[s] + (k0 - begin) * ld;
    for (int32_t k = 0; k + 1 < nu; k++) {
        const double *l = panel + k * ld + (k0 - begin);
        double u = x[k0 + k];
        for (int32_t i = k + 1; i < nu; i++) x[k0 + i] = fma(-l[i], u, x[k0 + i]);
    }
    if (k1 < end) update_dense(x + k1, end - k1, panel + (k1 - begin), ld, x + k0, nu);
    if (nrows > 0) update_rows(x, c->rows + c->rows_ptr[s], nrows, panel + width, ld, x + k0, nu);
}

/* to[0..count) = scale * from, from is zeroed; returns the largest magnitude by bits. */
static inline v8 take(double *to, double *from, int64_t count, double scale, v8 largest)
{
    v8 factor = v8_set(scale), zero = v8_zero();
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        v8 a = v8_mul(v8_load(from + i), factor);
        largest = v8_max_bits(largest, v8_abs(a));
        v8_store(to + i, a);
        v8_store(from + i, zero);
    }
    for (; i < count; i++) {
        to[i] = from[i] * scale;
        largest = v8_max_bits(largest, v8_set(fabs(to[i])));
        from[i] = 0.0;
    }
    return largest;
}

static inline v8 take_rows(double *to, double *x, const int32_t *rows, int64_t count, double scale, v8 largest)
{
    v8 factor = v8_set(scale), zero = v8_zero();
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        int dense = neighbours(rows + i);
        v8 a = v8_mul(dense ? v8_load(x + rows[i]) : v8_gather(x, rows + i), factor);
        largest = v8_max_bits(largest, v8_abs(a));
        v8_store(to + i, a);
        if (dense)
            v8_store(x + rows[i], zero);
        else
            v8_scatter(x, rows + i, zero);
    }
    for (; i < count; i++) {
        to[i] = x[rows[i]] * scale;
        largest = v8_max_bits(largest, v8_set(fabs(to[i])));
        x[rows[i]] = 0.0;
    }
    return largest;
}

/* Largest lane by bits. */
static inline double largest_of(v8 a)
{
    double e[8];
    v8_store(e, a);
    double m = e[0];
    for (int k = 1; k < 8; k++)
        if (!(e[k] <= m) && m == m) m = e[k];
    return m;
}

typedef struct column_health {
    v8 l, any;
} column_health;

static inline void scatter_column(const wlu_columns *c, const double *v, int32_t at, const double *panel, double *x)
{
    int32_t s = c->super[at], begin = c->first[s], width = c->first[s + 1] - begin;
    const int32_t *rows = c->rows + c->rows_ptr[s];
    int64_t nrows = c->rows_ptr[s + 1] - c->rows_ptr[s];
    const double *u = v + c->ubase[at];
    for (int64_t g = c->seg_ptr[at]; g < c->seg_ptr[at + 1]; g++) {
        int32_t k0 = c->seg_first[g], nu = c->first[c->seg_super[g] + 1] - k0;
        memcpy(x + k0, u, (size_t)nu * sizeof *x);
        u += nu;
    }
    memcpy(x + begin, panel, (size_t)width * sizeof *x);
    for (int64_t q = 0; q < nrows; q++) x[rows[q]] = panel[width + q];
}

static inline void run_column(const wlu_program *p, wlu_state *state, int32_t at, column_health *h)
{
    const wlu_columns *c = &p->columns;
    double *v = state->v, *x = state->column;
    int32_t s = c->super[at], begin = c->first[s], end = c->first[s + 1], width = end - begin;
    int64_t nrows = c->rows_ptr[s + 1] - c->rows_ptr[s];
    double *panel = v + c->panel[s] + (at - begin) * (width + nrows), *u = v + c->ubase[at];
    scatter_column(c, v, at, panel, x);
    for (int64_t g = c->seg_ptr[at]; g < c->seg_ptr[at + 1]; g++)
        update_by_supernode(c, v, c->seg_super[g], c->seg_first[g], c->first[c->seg_super[g] + 1], x);
    if (c->own_first[at] < at) update_by_supernode(c, v, s, c->own_first[at], at, x);

    int32_t j = c->position[at];
    double r = 1.0 / x[at];
    v[p->column_reciprocal + at] = r;
    v8 umax = v8_zero();
    for (int64_t g = c->seg_ptr[at]; g < c->seg_ptr[at + 1]; g++) {
        int32_t k0 = c->seg_first[g], nu = c->first[c->seg_super[g] + 1] - k0;
        umax = take(u, x + k0, nu, 1.0, umax);
        u += nu;
    }
    umax = take(panel, x + begin, at + 1 - begin, 1.0, umax);
    h->l = take(panel + (at + 1 - begin), x + at + 1, end - at - 1, r, h->l);
    h->l = take_rows(panel + width, x, c->rows + c->rows_ptr[s], nrows, r, h->l);
    h->any = v8_max_bits(h->any, umax);
    state->umax[j] = largest_of(umax);
}

static void run_columns(const wlu_program *p, wlu_state *state)
{
    column_health h = {v8_zero(), v8_zero()};
    for (int32_t at = 0; at < p->columns.m; at++) run_column(p, state, at, &h);
    state->health.largest_l = largest_of(h.l);
    state->health.finite = isfinite(largest_of(h.any)) && isfinite(state->health.largest_l);
}

/* x[0..count) -= u[0..count) * xk. */
static inline void subtract_multiple(double *x, const double *u, int64_t count, double xk)
{
    int64_t i = 0;
    v8 factor = v8_set(xk);
    for (; i + 8 <= count; i += 8) v8_store(x + i, v8_fnma(v8_load(u + i), factor, v8_load(x + i)));
    for (; i < count; i++) x[i] = fma(-u[i], xk, x[i]);
}

static void run_solve_columns(const wlu_program *p, wlu_state *state, const wlu_triangular *t)
{
    const wlu_columns *c = &p->columns;
    double *v = state->v, *x = state->column;
    int32_t begin = c->first[t->super_begin], end = c->first[t->super_end];
    for (int32_t at = begin; at < end; at++) x[at] = v[t->column_y[at]];
    for (int32_t s = t->super_begin; s < t->super_end; s++)
        update_by_supernode(c, v, s, c->first[s], c->first[s + 1], x);
    for (int32_t at = end - 1; at >= begin; at--) {
        int32_t s = c->super[at], first = c->first[s], own = c->own_first[at];
        int64_t ld = c->first[s + 1] - first + c->rows_ptr[s + 1] - c->rows_ptr[s];
        const double *panel = v + c->panel[s] + (at - first) * ld, *u = v + c->ubase[at];
        double xk = x[at] * v[p->column_reciprocal + at];
        x[at] = xk;
        for (int64_t g = c->seg_ptr[at]; g < c->seg_ptr[at + 1]; g++) {
            int32_t k0 = c->seg_first[g], nu = c->first[c->seg_super[g] + 1] - k0;
            subtract_multiple(x + k0, u, nu, xk);
            u += nu;
        }
        subtract_multiple(x + own, panel + (own - first), at - own, xk);
    }
    for (int32_t at = begin; at < end; at++) {
        v[t->column_x[at]] = x[at];
        x[at] = 0.0;
    }
}

/* ---------------------------------------------------------------- guards */

/* Largest magnitude of v[0..count), by bits. */
static inline double largest_in(const double *v, int64_t count)
{
    v8 m = v8_zero();
    int64_t k = 0;
    for (; k + 8 <= count; k += 8) m = v8_max_bits(m, v8_abs(v8_load(v + k)));
    for (; k < count; k++) m = v8_max_bits(m, v8_set(fabs(v[k])));
    return largest_of(m);
}

/* inverse[j] = 1 / |the entry of column j that was largest when pivots were chosen|. */
static inline void find_inverses(const wlu_guards *g, const double *source, int32_t n, double *inverse)
{
    v8 one = v8_set(1.0);
    int32_t j = 0;
    for (; j + 8 <= n; j += 8)
        v8_store(inverse + j,
                 v8_div(one, v8_abs(v8_mul(v8_load(g->a_scale + j), v8_gather(source, g->a_source + j)))));
    for (; j < n; j++) inverse[j] = 1.0 / fabs(g->a_scale[j] * source[g->a_source[j]]);
}

/* The largest computed |u| relative to those entries; not below 1; NaN if one is. */
static inline double largest_relative(const wlu_program *p, wlu_state *state)
{
    const wlu_guards *g = &p->guard;
    const double *inverse = state->inverse, *u = state->v + p->u;
    v8 worst = v8_set(1.0);
    int64_t k = 0;
    for (; k + 8 <= g->count; k += 8)
        worst = v8_max_bits(worst, v8_mul(v8_abs(v8_load(u + k)), v8_gather(inverse, g->u_column + k)));
    for (; k < g->count; k++) worst = v8_max_bits(worst, v8_set(fabs(u[k]) * inverse[g->u_column[k]]));
    for (int32_t at = 0; at < p->columns.m; at++) {
        int32_t j = p->columns.position[at];
        worst = v8_max_bits(worst, v8_set(state->umax[j] * inverse[j]));
    }
    return largest_of(worst);
}

static void run_guards(const wlu_program *p, wlu_state *state, const double *source)
{
    wlu_health *h = &state->health;
    const double *v = state->v;
    double l = largest_in(v + p->l, p->f - p->l);
    if (!(l <= h->largest_l)) h->largest_l = l;
    double largest_reciprocal = largest_in(v + p->reciprocal, p->n);
    h->smallest_pivot = 1.0 / largest_reciprocal;
    h->finite = h->finite && isfinite(h->largest_l) && isfinite(largest_reciprocal) &&
                isfinite(largest_in(v + p->u, p->l - p->u)) && isfinite(largest_in(v + p->f, p->reciprocal - p->f));
    find_inverses(&p->guard, source, p->n, state->inverse);
    double worst = largest_relative(p, state);
    h->growth = worst == worst ? 1.0 / worst : 0.0;
    if (!(h->growth >= WLU_GROWTH_BOUND)) h->growth = wlu_exact_growth(p, state, source);
}

const wlu_cpu_kernels WLU_KERNELS = {WLU_KERNELS_NAME, run_load, run_stream,
                                     run_columns,      run_solve_columns, run_guards};
