/* Kernels of the COLUMN region, factorization and solve; a part of kernels.h.
 *
 * A source supernode updates up to WLU_COLUMN_BLOCK columns of one target supernode at a time: its panel is read
 * once for all of them, eight or sixteen rows a step, accumulators in registers. Terms reach every entry in
 * ascending order of the pivot, as in the reference executor. */

static inline int neighbours(const int32_t *rows)
{
    return rows[7] - rows[0] == 7; /* rows ascend */
}

/* The target columns that are updated together, at most WLU_COLUMN_BLOCK. */
typedef struct targets {
    int n;
    double *x[WLU_COLUMN_BLOCK];
    int32_t from[WLU_COLUMN_BLOCK]; /* first pivot of the supernode that updates each */
} targets;

/* `strips` times eight rows of n columns: x_q[rows] -= l[rows, k] * u_q[k] for k ascending; u_q stands in x_q from
 * `at` on. rows == NULL: neighbouring rows from `first` on. */
static inline void update_strips(const targets *t, int n, int strips, const int32_t *rows, int64_t first,
                                 const double *l, int64_t ld, int64_t at, int32_t nu)
{
    v8 a[2 * WLU_COLUMN_BLOCK];
    for (int q = 0; q < n; q++)
        for (int s = 0; s < strips; s++)
            a[2 * q + s] = rows == NULL ? v8_load(t->x[q] + first + 8 * s) : v8_gather(t->x[q], rows + 8 * s);
    for (int32_t k = 0; k < nu; k++)
        for (int s = 0; s < strips; s++) {
            v8 lk = v8_load(l + k * ld + 8 * s);
            for (int q = 0; q < n; q++) a[2 * q + s] = v8_fnma(lk, v8_set(t->x[q][at + k]), a[2 * q + s]);
        }
    for (int q = 0; q < n; q++)
        for (int s = 0; s < strips; s++) {
            if (rows == NULL)
                v8_store(t->x[q] + first + 8 * s, a[2 * q + s]);
            else
                v8_scatter(t->x[q], rows + 8 * s, a[2 * q + s]);
        }
}

static inline void update_row(const targets *t, int n, int64_t row, const double *l, int64_t ld, int64_t at,
                              int32_t nu)
{
    for (int q = 0; q < n; q++) {
        double a = t->x[q][row];
        for (int32_t k = 0; k < nu; k++) a = fma(-l[k * ld], t->x[q][at + k], a);
        t->x[q][row] = a;
    }
}

/* Rows first .. first + count - 1 of n columns, updated by nu pivots from local index `at` on. */
static inline void update_dense(const targets *t, int n, int64_t first, int64_t count, const double *l, int64_t ld,
                                int64_t at, int32_t nu)
{
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) update_strips(t, n, 2, NULL, first + i, l + i, ld, at, nu);
    for (; i + 8 <= count; i += 8) update_strips(t, n, 1, NULL, first + i, l + i, ld, at, nu);
    for (; i < count; i++) update_row(t, n, first + i, l + i, ld, at, nu);
}

/* The same for listed rows; neighbours among them need no gather. */
static inline void update_rows(const targets *t, int n, const int32_t *rows, int64_t count, const double *l,
                               int64_t ld, int64_t at, int32_t nu)
{
    int64_t i = 0;
    if (nu == 1 && n == 1) { /* gathers and scatters do not pay for one term each */
        double *x = t->x[0], u = x[at];
        for (; i < count; i++) x[rows[i]] = fma(-l[i], u, x[rows[i]]);
        return;
    }
    for (; i + 16 <= count; i += 16) {
        if (rows[i + 15] - rows[i] == 15) /* rows ascend */
            update_strips(t, n, 2, NULL, rows[i], l + i, ld, at, nu);
        else
            update_strips(t, n, 2, rows + i, 0, l + i, ld, at, nu);
    }
    for (; i + 8 <= count; i += 8) {
        if (neighbours(rows + i))
            update_strips(t, n, 1, NULL, rows[i], l + i, ld, at, nu);
        else
            update_strips(t, n, 1, rows + i, 0, l + i, ld, at, nu);
    }
    for (; i < count; i++) update_row(t, n, rows[i], l + i, ld, at, nu);
}

/* One instance for each number of columns, so that accumulators stay in registers. */
static void update_below(const targets *t, const int32_t *rows, int64_t nrows, int64_t first, int64_t count,
                         const double *l, int64_t ld, int64_t at, int32_t nu)
{
    switch (t->n) {
#define WLU_CASE(n) \
    case n: \
        update_dense(t, n, first, count, l, ld, at, nu); \
        update_rows(t, n, rows, nrows, l + count, ld, at, nu); \
        break
        WLU_CASE(1);
        WLU_CASE(2);
        WLU_CASE(3);
        WLU_CASE(4);
#undef WLU_CASE
    }
}

/* Pivots from[q] .. k1-1 of supernode s update each target: the triangle among themselves, the supernode's rows from
 * k1 on (if k1 is inside it), the rows below. What not all targets share comes first: terms stay in order. */
static void update_by_supernode(const wlu_columns *c, const double *v, int32_t s, int32_t k1, const targets *t)
{
    int32_t begin = c->first[s], end = c->first[s + 1], width = end - begin, shared = begin;
    int64_t nrows = c->rows_ptr[s + 1] - c->rows_ptr[s], ld = width + nrows;
    const double *panel = v + c->panel[s];
    const int32_t *rows = c->rows + c->rows_ptr[s];
    for (int q = 0; q < t->n; q++) {
        double *x = t->x[q];
        for (int32_t k = t->from[q]; k + 1 < k1; k++) {
            const double *l = panel + (k - begin) * ld - begin;
            for (int32_t i = k + 1; i < k1; i++) x[i] = fma(-l[i], x[k], x[i]);
        }
        if (t->from[q] > shared) shared = t->from[q];
    }
    for (int q = 0; q < t->n; q++) {
        if (t->from[q] == shared) continue;
        targets one = {.n = 1, .x = {t->x[q]}};
        update_below(&one, rows, nrows, k1, end - k1, panel + (t->from[q] - begin) * ld + (k1 - begin), ld,
                     t->from[q], shared - t->from[q]);
    }
    update_below(t, rows, nrows, k1, end - k1, panel + (shared - begin) * ld + (k1 - begin), ld, shared,
                 k1 - shared);
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

/* Pivot, reciprocal, l; the column goes back to its slots and x to zero. */
static inline void finish_column(const wlu_program *p, wlu_state *state, int32_t at, double *x, column_health *h)
{
    const wlu_columns *c = &p->columns;
    int32_t s = c->super[at], begin = c->first[s], end = c->first[s + 1];
    int64_t nrows = c->rows_ptr[s + 1] - c->rows_ptr[s];
    double *u = state->v + c->ubase[at], *panel = state->v + c->panel[s] + (at - begin) * (end - begin + nrows);
    double r = 1.0 / x[at];
    state->v[p->column_reciprocal + at] = r;
    v8 umax = v8_zero();
    for (int64_t g = c->seg_ptr[at]; g < c->seg_ptr[at + 1]; g++) {
        int32_t k0 = c->seg_first[g], nu = c->first[c->seg_super[g] + 1] - k0;
        umax = take(u, x + k0, nu, 1.0, umax);
        u += nu;
    }
    umax = take(panel, x + begin, at + 1 - begin, 1.0, umax);
    h->l = take(panel + (at + 1 - begin), x + at + 1, end - at - 1, r, h->l);
    h->l = take_rows(panel + (end - begin), x, c->rows + c->rows_ptr[s], nrows, r, h->l);
    h->any = v8_max_bits(h->any, umax);
    state->umax[c->position[at]] = largest_bits_of(umax);
}

/* Updates columns at .. at + n - 1 of one supernode by all supernodes before theirs, in order. */
static void update_by_segments(const wlu_columns *c, const double *v, int32_t at, int n, double *const *x)
{
    int64_t g[WLU_COLUMN_BLOCK];
    for (int q = 0; q < n; q++) g[q] = c->seg_ptr[at + q];
    for (;;) {
        int32_t s = INT32_MAX;
        for (int q = 0; q < n; q++)
            if (g[q] < c->seg_ptr[at + q + 1] && c->seg_super[g[q]] < s) s = c->seg_super[g[q]];
        if (s == INT32_MAX) return;
        targets t = {.n = 0};
        for (int q = 0; q < n; q++) {
            if (g[q] == c->seg_ptr[at + q + 1] || c->seg_super[g[q]] != s) continue;
            t.x[t.n] = x[q];
            t.from[t.n++] = c->seg_first[g[q]++];
        }
        update_by_supernode(c, v, s, c->first[s + 1], &t);
    }
}

/* Columns at .. at + n - 1 of one supernode: by earlier supernodes, by their own supernode's earlier columns, then
 * one after the other. */
static void run_block(const wlu_program *p, wlu_state *state, int32_t at, int n, column_health *h)
{
    const wlu_columns *c = &p->columns;
    double *v = state->v, *x[WLU_COLUMN_BLOCK];
    int32_t s = c->super[at], begin = c->first[s];
    int64_t ld = c->first[s + 1] - begin + c->rows_ptr[s + 1] - c->rows_ptr[s];
    targets earlier = {.n = 0};
    for (int q = 0; q < n; q++) {
        x[q] = state->column + q * state->column_stride;
        scatter_column(c, v, at + q, v + c->panel[s] + (at + q - begin) * ld, x[q]);
        if (c->own_first[at + q] >= at) continue;
        earlier.x[earlier.n] = x[q];
        earlier.from[earlier.n++] = c->own_first[at + q];
    }
    update_by_segments(c, v, at, n, x);
    if (earlier.n > 0) update_by_supernode(c, v, s, at, &earlier);
    for (int q = 0; q < n; q++) {
        int32_t own = c->own_first[at + q];
        targets one = {.n = 1, .x = {x[q]}, .from = {own > at ? own : at}};
        if (one.from[0] < at + q) update_by_supernode(c, v, s, at + q, &one);
        finish_column(p, state, at + q, x[q], h);
    }
}

static void run_columns(const wlu_program *p, wlu_state *state)
{
    const wlu_columns *c = &p->columns;
    column_health h = {v8_zero(), v8_zero()};
    for (int32_t at = 0; at < c->m;) {
        int32_t left = c->first[c->super[at] + 1] - at;
        int n = left < WLU_COLUMN_BLOCK ? left : WLU_COLUMN_BLOCK;
        run_block(p, state, at, n, &h);
        at += n;
    }
    state->health.largest_l = largest_bits_of(h.l);
    state->health.finite = isfinite(largest_bits_of(h.any)) && isfinite(state->health.largest_l);
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
    targets one = {.n = 1, .x = {x}};
    for (int32_t s = t->super_begin; s < t->super_end; s++) {
        one.from[0] = c->first[s];
        update_by_supernode(c, v, s, c->first[s + 1], &one);
    }
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
