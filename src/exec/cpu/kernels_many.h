/* Kernels of solves for several right-hand sides; a part of kernels.h.
 *
 * Lanes are right-hand sides: a slot of y or x is a row of WLU_MANY numbers, a factor is one number for all of them. So the
 * records of the program are run as they are, one after the other, without bundles or gathers, and every right-hand
 * side has the sums of its solve alone. Where there are fewer of them the other lanes solve for zeros. A term reads eight
 * words and one line of the rows: about what two to three solves alone take for all eight. */

/* The numbers of a state: v has the factors, rows what stands in slots from y on. */
typedef struct many_slots {
    const double *v;
    double *rows;
    int64_t y;
} many_slots;

static inline double *row_of(const many_slots *m, int64_t slot)
{
    return m->rows + WLU_MANY * (slot - m->y);
}

static inline v8 row_at(const many_slots *m, int64_t slot)
{
    return v8_load(row_of(m, slot));
}

/* v8_tree of each lane. */
static inline v8 rows_tree(const v8 *a)
{
    return v8_add(v8_add(v8_add(a[0], a[4]), v8_add(a[2], a[6])), v8_add(v8_add(a[1], a[5]), v8_add(a[3], a[7])));
}

static inline v8 rows_minus(v8 a, v8 b)
{
    return v8_fnma(b, v8_set(1.0), a);
}

static void load_many(const wlu_loads *l, const wlu_columns *c, const many_slots *m)
{
    for (int64_t k = 0; k < l->count; k++) {
        double *row = row_of(m, l->first + k), scale = l->scale[k];
        int64_t from = l->source[k];
        int some = from >= 0 ? c->count : 0;
        for (int q = 0; q < some; q++) row[q] = scale * c->b[q * c->ldb + from];
        for (int q = some; q < WLU_MANY; q++) row[q] = 0.0;
    }
}

/* A long chain: accumulators in turn, the last round filled up with 0 * 0. */
static v8 long_chain(const many_slots *m, v8 start, const int32_t *operand, int64_t terms)
{
    v8 acc[WLU_DOT_LANES];
    for (int q = 0; q < WLU_DOT_LANES; q++) acc[q] = v8_zero();
    for (; terms >= WLU_DOT_LANES; terms -= WLU_DOT_LANES, operand += 2 * WLU_DOT_LANES)
        for (int q = 0; q < WLU_DOT_LANES; q++)
            acc[q] = v8_fma(v8_set(m->v[operand[2 * q]]), row_at(m, operand[2 * q + 1]), acc[q]);
    for (int q = 0; q < WLU_DOT_LANES && terms > 0; q++)
        acc[q] = q < terms ? v8_fma(v8_set(m->v[operand[2 * q]]), row_at(m, operand[2 * q + 1]), acc[q])
                           : v8_fma(v8_zero(), v8_zero(), acc[q]);
    return rows_minus(start, rows_tree(acc));
}

static void stream_many(const wlu_stream *s, const many_slots *m)
{
    const int32_t *operand = s->operand;
    for (int64_t r = 0; r < s->nrecords; r++) {
        int64_t terms = s->begin[r + 1] - s->begin[r];
        v8 acc = row_at(m, s->start[r]);
        prefetch(operand);
        if (terms > WLU_DOT_IN_ORDER_MAX) {
            acc = long_chain(m, acc, operand, terms);
            operand += 2 * terms;
        } else {
            for (int64_t k = 0; k < terms; k++, operand += 2)
                acc = v8_fnma(v8_set(m->v[operand[0]]), row_at(m, operand[1]), acc);
        }
        if (s->opcode[r] == WLU_DOTS) acc = v8_mul(acc, v8_set(m->v[s->divisor[r]]));
        v8_store(row_of(m, s->target[r]), acc);
    }
}

/* x[row] -= row . y for rows of a panel. */
static void subtract_products_many(const double *panel, const int32_t *row, int32_t rows, const v8 *y, double *x)
{
    for (int32_t r = 0; r < rows; r++, panel += TILE) {
        v8 product[TILE];
        double *at = x + WLU_MANY * (int64_t)row[r];
        for (int k = 0; k < TILE; k++) product[k] = v8_mul(v8_set(panel[k]), y[k]);
        v8_store(at, rows_minus(v8_load(at), rows_tree(product)));
    }
}

static void solve_tile_many(const wlu_program *p, const double *v, int32_t tile, int forward, double *x)
{
    const wlu_tiles *t = &p->tiles;
    int32_t width = wlu_tile_width(t, tile);
    const int32_t *row = t->row + t->row_ptr[tile];
    const double *diagonal = v + wlu_tile_diagonal(t, tile), *reciprocal = v + p->tile_reciprocal + t->first[tile];
    double *own = x + WLU_MANY * (int64_t)t->first[tile];
    v8 y[TILE];
    for (int32_t i = 0; i < TILE; i++) y[i] = i < width ? v8_load(own + WLU_MANY * i) : v8_zero();
    for (int32_t i = 0; i < width && forward; i++)
        for (int32_t k = 0; k < i; k++) y[i] = v8_fnma(v8_set(diagonal[TILE * i + k]), y[k], y[i]);
    for (int32_t i = width - 1; i >= 0 && !forward; i--) {
        for (int32_t k = width - 1; k > i; k--) y[i] = v8_fnma(v8_set(diagonal[TILE * i + k]), y[k], y[i]);
        y[i] = v8_mul(y[i], v8_set(reciprocal[i]));
    }
    for (int32_t i = 0; i < width; i++) v8_store(own + WLU_MANY * i, y[i]);
    if (forward)
        subtract_products_many(diagonal + TILE * width, row + t->above[tile], t->below[tile], y, x);
    else
        subtract_products_many(v + t->panel[tile], row, t->above[tile], y, x);
}

static void solve_tiles_many(const wlu_program *p, const wlu_triangular *s, const many_slots *m, double *x)
{
    const wlu_tiles *t = &p->tiles;
    int32_t begin = t->first[s->tile_begin], end = t->first[s->tile_end];
    for (int32_t at = begin; at < end; at++) v8_store(x + WLU_MANY * (int64_t)at, row_at(m, s->tile_y[at]));
    for (int32_t tile = s->tile_begin; tile < s->tile_end; tile++) solve_tile_many(p, m->v, tile, 1, x);
    for (int32_t tile = s->tile_end - 1; tile >= s->tile_begin; tile--) solve_tile_many(p, m->v, tile, 0, x);
    for (int32_t at = begin; at < end; at++) v8_store(row_of(m, s->tile_x[at]), v8_load(x + WLU_MANY * (int64_t)at));
}

static void store_many(const wlu_stores *s, const many_slots *m, const wlu_columns *c)
{
    v8 largest = v8_zero();
    double e[WLU_MANY];
    for (int32_t i = 0; i < s->n; i++) {
        v8 a = row_at(m, s->place[i]);
        if (s->scale != NULL) a = v8_mul(v8_set(s->scale[i]), a);
        largest = v8_max_bits(largest, v8_abs(a));
        v8_store(e, a);
        for (int q = 0; q < c->count; q++) c->x[q * c->ldx + i] = e[q];
    }
    v8_store(e, largest);
    for (int q = 0; q < c->count; q++) c->largest[q] = e[q];
}

static void run_solve_many(const wlu_program *p, wlu_state *state, const wlu_triangular *t, const wlu_stores *stores,
                           const wlu_columns *columns)
{
    many_slots m = {state->v, state->many.v, p->y};
    load_many(&t->load, columns, &m);
    stream_many(&t->stream, &m);
    if (t->tile_end > t->tile_begin) solve_tiles_many(p, t, &m, state->many.x);
    stream_many(&t->after, &m);
    store_many(stores, &m, columns);
}
