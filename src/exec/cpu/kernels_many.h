/* Kernels of solves for several right-hand sides; a part of kernels.h.
 *
 * Lanes are right-hand sides: a slot of y or x is a row of WLU_MANY numbers, a factor is one number for all of them. So
 * the records of the program are run as they are, one after the other, without bundles or gathers, and every right-hand
 * side has the sums of its solve alone. Where there are fewer of them the other lanes solve for zeros.
 *
 * The program's own stream is in the order of levels, opcodes and lengths, so that records of one kind follow each
 * other. A term is an index, a broadcast and a line of the rows; rows are what the cache holds least of. A right-hand
 * side takes half of what it takes alone where these leave the second cache, a quarter where the factors are much more
 * than the rows (benchmarks/many.c). */

/* The numbers of a state: v has the factors, rows what stands in slots from y on. */
typedef struct many_slots {
    double *v;
    uintptr_t rows; /* where the row of slot 0 would be */
} many_slots;

/* A row's numbers: real parts, then imaginary parts. */
enum { ROW = WLU_MANY * WLU_NUMBER_REALS };

static inline double *row_of(many_slots m, int64_t slot)
{
    return (double *)(m.rows + (uintptr_t)slot * (ROW * sizeof(double)));
}

static inline n8 row_at(many_slots m, int64_t slot)
{
    return n8_load_parts(row_of(m, slot));
}

/* Of unknown k of the TILE region. */
static inline double *unknown_of(double *x, int64_t k)
{
    return x + ROW * k;
}

/* Eight of the caller's rows at a time, columns turned into rows of y. Columns that are not there are zeros. */
static void load_many(const wlu_cpu_places *l, const wlu_columns *c, many_slots m)
{
    for (int32_t i = 0; i < l->n; i += 8) {
        int32_t rows = l->n - i < 8 ? l->n - i : 8;
        n8 a[8];
        for (int q = 0; q < 8; q++) {
            const double *b = c->b + q * c->ldb + WLU_NUMBER_REALS * (int64_t)i;
            double last[ROW] = {0};
            if (q < c->count && rows < 8) memcpy(last, b, (size_t)(rows * WLU_NUMBER_REALS) * sizeof *b);
            a[q] = q >= c->count ? n8_zero() : n8_load(rows == 8 ? b : last);
        }
        n8_transpose(a);
        for (int32_t q = 0; q < rows; q++) {
            if (l->scale != NULL) a[q] = n8_scaled(v8_set(l->scale[i + q]), a[q]);
            n8_store_parts(row_of(m, l->place[i + q]), a[q]);
        }
    }
}

/* A long chain: accumulators in turn, the last round filled up with 0 * 0. */
static n8 long_chain(many_slots m, n8 start, const int32_t *operand, int64_t terms)
{
    n8 acc[WLU_DOT_LANES];
    for (int q = 0; q < WLU_DOT_LANES; q++) acc[q] = n8_zero();
    for (; terms >= WLU_DOT_LANES; terms -= WLU_DOT_LANES, operand += 2 * WLU_DOT_LANES)
        for (int q = 0; q < WLU_DOT_LANES; q++)
            acc[q] = n8_fma(n8_set(wlu_number_at(m.v, operand[2 * q])), row_at(m, operand[2 * q + 1]), acc[q]);
    for (int q = 0; q < WLU_DOT_LANES && terms > 0; q++)
        acc[q] = q < terms ? n8_fma(n8_set(wlu_number_at(m.v, operand[2 * q])), row_at(m, operand[2 * q + 1]), acc[q])
                           : n8_fma(n8_zero(), n8_zero(), acc[q]);
    return n8_sub(start, lanes_tree(acc));
}

/* Records from r on, before `end`, that share opcode and number of terms; these are constants in most instances.
 * Returns the record behind them. */
static inline int64_t run_alike(const wlu_stream *s, int64_t r, int64_t end, many_slots m, int64_t terms, int scaled)
{
    const int64_t *begin = s->begin;
    const int32_t *operand = s->operand + 2 * begin[r], *target = s->target, *start = s->start, *divisor = s->divisor;
    const uint8_t *opcode = s->opcode, kind = opcode[r];
    do {
        n8 acc = row_at(m, start[r]);
        prefetch(operand);
        if (terms > WLU_DOT_IN_ORDER_MAX)
            acc = long_chain(m, acc, operand, terms);
        else
            for (int64_t k = 0; k < terms; k++)
                acc = n8_fnma(n8_set(wlu_number_at(m.v, operand[2 * k])), row_at(m, operand[2 * k + 1]), acc);
        operand += 2 * terms;
        acc = n8_settled(acc);
        if (scaled) acc = n8_mul(acc, n8_set(wlu_number_at(m.v, divisor[r])));
        n8_store_parts(row_of(m, target[r]), acc);
        r++;
    } while (r < end && opcode[r] == kind && begin[r + 1] - begin[r] == terms);
    return r;
}

/* DOT or DOTS, by the length of their chains. */
typedef enum many_kind { WLU_BY_LENGTH(MANY_DOT), WLU_BY_LENGTH(MANY_DOTS), MANY_NONE } many_kind;

static inline many_kind many_kind_of(const wlu_stream *s, int64_t r, int64_t terms)
{
    uint8_t opcode = s->opcode[r];
    return opcode == WLU_DOT    ? (many_kind)wlu_kind_by_length(MANY_DOT_0, terms)
           : opcode == WLU_DOTS ? (many_kind)wlu_kind_by_length(MANY_DOTS_0, terms)
                                : MANY_NONE;
}

/* Records r .. end - 1. */
static void records_many(const wlu_stream *s, int64_t r, int64_t end, many_slots m)
{
    while (r < end) {
        int64_t terms = s->begin[r + 1] - s->begin[r];
        switch (many_kind_of(s, r, terms)) {
#define WLU_CASES(name, scaled) \
    case name##_0: r = run_alike(s, r, end, m, 0, scaled); break; \
    case name##_1: r = run_alike(s, r, end, m, 1, scaled); break; \
    case name##_2: r = run_alike(s, r, end, m, 2, scaled); break; \
    case name##_3: r = run_alike(s, r, end, m, 3, scaled); break; \
    case name##_4: r = run_alike(s, r, end, m, 4, scaled); break; \
    case name##_ANY: \
    case name##_LONG: r = run_alike(s, r, end, m, terms, scaled); break
            WLU_CASES(MANY_DOT, 0);
            WLU_CASES(MANY_DOTS, 1);
#undef WLU_CASES
        case MANY_NONE:
            n8_store_parts(row_of(m, s->target[r++]), n8_set(wlu_number_of(NAN, NAN)));
            break; /* no solve has such a record */
        }
    }
}

/* x[row] -= row . y for rows of a panel. */
static void subtract_products_many(double *panel, const int32_t *row, int32_t rows, const n8 *y, double *x)
{
    for (int32_t r = 0; r < rows; r++, panel = numbers_from(panel, TILE)) {
        n8 product[TILE];
        double *at = unknown_of(x, row[r]);
        for (int k = 0; k < TILE; k++) product[k] = n8_mul(n8_set(wlu_number_at(panel, k)), y[k]);
        n8_store_parts(at, n8_sub(n8_load_parts(at), lanes_tree(product)));
    }
}

static void solve_tile_many(const wlu_program *p, double *v, int32_t tile, int forward, double *x)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    int32_t width = wlu_tile_width(t, tile), first = t->first[tile];
    const int32_t *row = t->row + t->row_ptr[tile];
    double *diagonal = numbers_from(v, wlu_tile_diagonal(t, tile)),
           *reciprocal = numbers_from(v, wlu_lu_of(p)->tile_reciprocal + first);
    n8 y[TILE];
    for (int32_t i = 0; i < TILE; i++) y[i] = i < width ? n8_load_parts(unknown_of(x, first + i)) : n8_zero();
    for (int32_t i = 0; i < width && forward; i++)
        for (int32_t k = 0; k < i; k++) y[i] = n8_fnma(n8_set(wlu_number_at(diagonal, TILE * i + k)), y[k], y[i]);
    for (int32_t i = width - 1; i >= 0 && !forward; i--) {
        for (int32_t k = width - 1; k > i; k--)
            y[i] = n8_fnma(n8_set(wlu_number_at(diagonal, TILE * i + k)), y[k], y[i]);
        y[i] = n8_mul(y[i], n8_set(wlu_number_at(reciprocal, i)));
    }
    for (int32_t i = 0; i < width; i++) n8_store_parts(unknown_of(x, first + i), y[i]);
    if (forward)
        subtract_products_many(numbers_from(diagonal, TILE * width), row + t->above[tile], t->below[tile], y, x);
    else
        subtract_products_many(numbers_from(v, t->panel[tile]), row, t->above[tile], y, x);
}

static void solve_tiles_many(const wlu_program *p, const wlu_triangular *s, wlu_solve_region r, many_slots m, double *x)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    int32_t begin = t->first[r.begin], end = t->first[r.end];
    for (int32_t at = begin; at < end; at++) n8_store_parts(unknown_of(x, at), row_at(m, s->tile_y[at]));
    for (int32_t tile = r.begin; tile < r.end; tile++) solve_tile_many(p, m.v, tile, 1, x);
    for (int32_t tile = r.end - 1; tile >= r.begin; tile--) solve_tile_many(p, m.v, tile, 0, x);
    for (int32_t at = begin; at < end; at++) n8_store_parts(row_of(m, s->tile_x[at]), n8_load_parts(unknown_of(x, at)));
}

/* Rows, eight unknowns of the caller's at a time, turned into columns. */
static void store_many(const wlu_cpu_places *s, many_slots m, const wlu_columns *c)
{
    v8 largest = v8_zero();
    double e[ROW];
    for (int32_t i = 0; i < s->n; i += 8) {
        int32_t rows = s->n - i < 8 ? s->n - i : 8;
        n8 a[8];
        for (int q = 0; q < 8; q++) {
            a[q] = q < rows ? row_at(m, s->place[i + q]) : n8_zero();
            if (s->scale != NULL && q < rows) a[q] = n8_scaled(v8_set(s->scale[i + q]), a[q]);
            largest = v8_max_bits(largest, n8_size(a[q]));
        }
        n8_transpose(a);
        for (int q = 0; q < c->count; q++) {
            double *x = c->x + q * c->ldx + WLU_NUMBER_REALS * (int64_t)i;
            n8_store(rows == 8 ? x : e, a[q]);
            if (rows < 8) memcpy(x, e, (size_t)(rows * WLU_NUMBER_REALS) * sizeof *x);
        }
    }
    v8_store(e, largest);
    for (int q = 0; q < c->count; q++) c->largest[q] = e[q];
}

static void run_solve_many(const wlu_program *p, wlu_cpu_state *state, const wlu_cpu_solve *solve,
                           const wlu_columns *columns)
{
    const wlu_triangular *t = solve->stage;
    many_slots m = {state->slots.v, (uintptr_t)state->many.v - (uintptr_t)p->y * (ROW * sizeof(double))};
    load_many(&solve->loads, columns, m);
    for (int32_t r = 0; r <= t->regions; r++) {
        records_many(&t->stream, wlu_segment_begin(t, r), wlu_segment_begin(t, r + 1), m);
        if (r < t->regions) solve_tiles_many(p, t, t->region[r], m, state->many.x);
    }
    store_many(&solve->stores, m, columns);
}
