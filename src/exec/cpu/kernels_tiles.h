/* Kernels of the TILE region, factorization and solve; a part of kernels.h.
 *
 * A row of a panel is one register: the columns of its tile. A source's pivots are up to eight registers of U; each row
 * of its L, eight numbers in a cache line, is multiplied into one row of the target, so that nothing is gathered and
 * the row's index is read once for up to 64 multiply-subtracts. Terms reach every entry in ascending order of the
 * pivot, as in the reference executor. */

enum { TILE = WLU_TILE_WIDTH };
_Static_assert(TILE == 8, "an instance for each number of pivots");

/* Rows at a time, as many as registers hold beside the source's. */
#if defined(WLU_STRIPS)
enum { TILE_ROWS = STRIP_ROWS };
#elif defined(WLU_COMPLEX) && !defined(__AVX512F__)
enum { TILE_ROWS = 2 };
#else
enum { TILE_ROWS = 4 };
#endif

/* Where there are none (strips_neon.h) a strip is the whole row. */
#if !defined(WLU_STRIPS)
typedef row8 strip;
typedef turned8 turned_strip;
#define strip_load row8_load
#define strip_store row8_store
#define strip_fnma row8_fnma
#endif

/* A strip of rows to[0..rows) of the panel less the product of rows of l with u, n pivots. */
WLU_UNROLLED void subtract_outer(double *panel, const int32_t *to, int32_t rows, double *l, const turned_strip *u,
                                 int n)
{
    int32_t r = 0;
    for (; r + TILE_ROWS <= rows; r += TILE_ROWS, l = numbers_from(l, TILE_ROWS * TILE)) {
        double *row[TILE_ROWS];
        strip a[TILE_ROWS];
        for (int q = 0; q < TILE_ROWS; q++) {
            row[q] = numbers_from(panel, (int64_t)TILE * to[r + q]);
            a[q] = strip_load(row[q]);
        }
        for (int k = 0; k < n; k++)
            for (int q = 0; q < TILE_ROWS; q++) a[q] = strip_fnma(numbers_from(l, TILE * q + k), &u[k], a[q]);
        for (int q = 0; q < TILE_ROWS; q++) strip_store(row[q], a[q]);
    }
    for (; r < rows; r++, l = numbers_from(l, TILE)) {
        double *row = numbers_from(panel, (int64_t)TILE * to[r]);
        strip a = strip_load(row);
        for (int k = 0; k < n; k++) a = strip_fnma(numbers_from(l, k), &u[k], a);
        strip_store(row, a);
    }
}

/* n pivots update a tile: their rows of U each other, by the source's diagonal block, then the rows of L. Returns
 * largest magnitudes of U by bits. */
WLU_UNROLLED v8 update_by(double *panel, double *u_row, double *diagonal, double *lower, const int32_t *to,
                          int32_t rows, int n, v8 largest)
{
    turned8 u[TILE];
    for (int i = 0; i < n; i++) {
        row8 mine = row8_load(numbers_from(u_row, TILE * i));
        for (int k = 0; k < i; k++) mine = row8_fnma(numbers_from(diagonal, TILE * i + k), &u[k], mine);
        largest = v8_max_bits(largest, row8_sizes(mine));
        if (i > 0) row8_store(numbers_from(u_row, TILE * i), mine);
        u[i] = row8_turned(mine);
    }
#if defined(WLU_STRIPS)
    for (int c = 0; c < TILE; c += STRIP) {
        turned_strip of[TILE];
        for (int k = 0; k < n; k++) of[k] = strip_turned(strip_load(numbers_from(u_row, TILE * k + c)));
        subtract_outer(numbers_from(panel, c), to, rows, lower, of, n);
    }
#else
    subtract_outer(panel, to, rows, lower, u, n);
#endif
    return largest;
}

/* One instance for each number of pivots, so that rows of U stay in registers. */
static v8 update_tile(const wlu_tiles *t, double *v, int32_t tile, int64_t g, v8 largest)
{
    int32_t s = t->source[g].tile, pivots = t->source[g].pivots, skip = wlu_tile_width(t, s) - pivots;
    double *panel = numbers_from(v, t->panel[tile]), *u = numbers_from(panel, (int64_t)TILE * t->source[g].at);
    double *diagonal = numbers_from(v, wlu_tile_diagonal(t, s) + TILE * skip + skip),
           *lower = numbers_from(v, wlu_tile_lower(t, s) + skip);
    const int32_t *to = t->target + t->source[g].to;
    switch (pivots) {
#define WLU_CASE(n) \
    case n: return update_by(panel, u, diagonal, lower, to, t->below[s], n, largest)
        WLU_CASE(1);
        WLU_CASE(2);
        WLU_CASE(3);
        WLU_CASE(4);
        WLU_CASE(5);
        WLU_CASE(6);
        WLU_CASE(7);
        WLU_CASE(8);
#undef WLU_CASE
    }
    return v8_set(NAN); /* no tile has so many pivots: the guards see it */
}

typedef struct tile_maxima {
    v8 l, u; /* largest magnitudes by bits, u of the tile at hand */
} tile_maxima;

/* The diagonal block, then the rows of L below it. */
WLU_UNROLLED void eliminate(double *diagonal, int32_t rows, double *reciprocal, int width, tile_maxima *h)
{
    n8 u[TILE], r[TILE];
    v8 l = h->l, largest = h->u;
    WLU_UNROLL
    for (int i = 0; i < width; i++) {
        n8 row = n8_load(numbers_from(diagonal, TILE * i));
        WLU_UNROLL
        for (int k = 0; k < i; k++) {
            n8 lk = n8_mul(n8_lane(row, k), r[k]);
            l = v8_max_bits(l, n8_size(lk));
            row = n8_eliminate(row, lk, u[k], k);
        }
        u[i] = row;
        largest = v8_max_bits(largest, v8_from(n8_size(row), i));
        wlu_number inverse = wlu_invert(n8_first(n8_lane(row, i))); /* a division of one number is the shortest */
        wlu_number_put(reciprocal, i, inverse);
        r[i] = n8_set(inverse);
        n8_store(numbers_from(diagonal, TILE * i), row);
    }
    double *lower = numbers_from(diagonal, TILE * width);
    for (int32_t q = 0; q < rows; q++, lower = numbers_from(lower, TILE)) {
        n8 row = n8_load(lower);
        WLU_UNROLL
        for (int k = 0; k < width; k++) row = n8_eliminate(row, n8_mul(n8_lane(row, k), r[k]), u[k], k);
        l = v8_max_bits(l, n8_size(row));
        n8_store(lower, row);
    }
    h->l = l;
    h->u = largest;
}

static void eliminate_tile(const wlu_program *p, double *v, int32_t tile, tile_maxima *h)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    double *diagonal = numbers_from(v, wlu_tile_diagonal(t, tile)),
           *reciprocal = numbers_from(v, wlu_lu_of(p)->tile_reciprocal + t->first[tile]);
    int32_t rows = t->below[tile];
    switch (wlu_tile_width(t, tile)) {
#define WLU_CASE(n) \
    case n: eliminate(diagonal, rows, reciprocal, n, h); return
        WLU_CASE(1);
        WLU_CASE(2);
        WLU_CASE(3);
        WLU_CASE(4);
        WLU_CASE(5);
        WLU_CASE(6);
        WLU_CASE(7);
        WLU_CASE(8);
#undef WLU_CASE
    }
    h->u = v8_set(NAN); /* no tile has so many pivots: the guards see it */
}

/* The part of the DOT stream that goes into a tile's panel. */
static inline void run_records(const wlu_program *p, const wlu_packed *packed, int32_t tile, double *v)
{
    const wlu_place *at = packed->place + p->parts + 1 + tile;
    area_maxima unused;
    clear_maxima(&unused);
    if (at[1].run > at[0].run) run_range(packed, at, at + 1, NULL, v, &unused);
}

/* Until another member has eliminated a source of the top. */
static inline void await_source(const wlu_tiles *t, int32_t source, wlu_member *me)
{
    if (t->turn[source] > 0 && t->owner[source] != me->index)
        wlu_team_wait(me, t->owner[source], (uint32_t)(WLU_STEP_TOP + t->turn[source]));
}

/* Zeroes a tile's panel and runs its listed loads. */
static inline void load_tile(const wlu_program *p, int32_t tile, const double *source, double *v)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    double *panel = numbers_from(v, t->panel[tile]), *behind = numbers_from(v, t->panel[tile + 1]);
    memset(panel, 0, (size_t)(behind - panel) * sizeof *panel);
    for (int64_t k = t->load[tile]; k < t->load[tile + 1]; k++)
        wlu_number_put(v, p->list.target[k], wlu_scaled(p->list.scale[k], wlu_number_at(source, p->list.source[k])));
}

static void run_tiles(const wlu_program *p, const wlu_packed *packed, wlu_cpu_state *state, const wlu_tile_job *job,
                      wlu_maxima *largest)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    double *v = state->slots.v;
    tile_maxima h = {v8_zero(), v8_zero()};
    v8 any = v8_zero();
    for (int32_t k = 0; k < job->count; k++) {
        int32_t tile = job->list != NULL ? job->list[k] : job->first + k;
        load_tile(p, tile, job->source, v);
        run_records(p, packed, tile, v);
        h.u = v8_zero();
        for (int64_t g = t->source_ptr[tile]; g < t->source_ptr[tile + 1]; g++) {
            if (job->me != NULL) await_source(t, t->source[g].tile, job->me);
            h.u = update_tile(t, v, tile, g, h.u);
        }
        h.u = in_order_of_columns(h.u);
        eliminate_tile(p, v, tile, &h);
        v8_store(state->slots.umax + TILE * (int64_t)tile, h.u);
        any = v8_max_bits(any, h.u);
        if (job->me != NULL && t->turn[tile] > 0) wlu_team_publish(job->me, (uint32_t)(WLU_STEP_TOP + t->turn[tile]));
    }
    wlu_maxima_add(largest, WLU_AREA_L, largest_bits_of(h.l));
    wlu_maxima_add(largest, WLU_AREA_U, largest_bits_of(any));
}

/* ------------------------------------------------------------------ solve */

static inline int neighbours(const int32_t *row)
{
    return row[TILE - 1] - row[0] == TILE - 1; /* rows ascend */
}

/* x[row] -= row . y for rows of a panel. */
static inline void subtract_products(double *panel, const int32_t *row, int32_t rows, n8 y, double *x)
{
    int32_t r = 0;
    for (; r + TILE <= rows; r += TILE, panel = numbers_from(panel, TILE * TILE)) {
        n8 product[TILE];
        for (int k = 0; k < TILE; k++) product[k] = n8_mul(n8_load(numbers_from(panel, TILE * k)), y);
        n8 sum = n8_trees(product);
        if (neighbours(row + r)) {
            double *at = numbers_from(x, row[r]);
            n8_store(at, n8_sub(n8_load(at), sum));
        } else {
            n8_scatter(x, row + r, n8_sub(n8_gather(x, row + r), sum));
        }
    }
    for (; r < rows; r++, panel = numbers_from(panel, TILE))
        wlu_number_put(x, row[r], wlu_sub(wlu_number_at(x, row[r]), n8_tree(n8_mul(n8_load(panel), y))));
}

/* Unit lower (forward) or upper triangle of a tile; y: its unknowns, then zeros. */
static inline void solve_tile(const wlu_program *p, double *v, int32_t tile, int forward, double *x)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    int32_t width = wlu_tile_width(t, tile);
    const int32_t *row = t->row + t->row_ptr[tile];
    double *diagonal = numbers_from(v, wlu_tile_diagonal(t, tile)),
           *reciprocal = numbers_from(v, wlu_lu_of(p)->tile_reciprocal + t->first[tile]),
           *own = numbers_from(x, t->first[tile]);
    double y[WLU_NUMBER_REALS * TILE] = {0};
    for (int32_t i = 0; i < width && forward; i++) {
        wlu_number sum = wlu_number_at(own, i);
        for (int32_t k = 0; k < i; k++) sum = wlu_fnma(wlu_number_at(diagonal, TILE * i + k), wlu_number_at(y, k), sum);
        wlu_number_put(y, i, sum);
        wlu_number_put(own, i, sum);
    }
    for (int32_t i = width - 1; i >= 0 && !forward; i--) {
        wlu_number sum = wlu_number_at(own, i);
        for (int32_t k = width - 1; k > i; k--)
            sum = wlu_fnma(wlu_number_at(diagonal, TILE * i + k), wlu_number_at(y, k), sum);
        sum = wlu_mul(sum, wlu_number_at(reciprocal, i));
        wlu_number_put(y, i, sum);
        wlu_number_put(own, i, sum);
    }
    if (forward)
        subtract_products(numbers_from(diagonal, TILE * width), row + t->above[tile], t->below[tile], n8_load(y), x);
    else
        subtract_products(numbers_from(v, t->panel[tile]), row, t->above[tile], n8_load(y), x);
}

static void run_solve_tiles(const wlu_program *p, wlu_cpu_state *state, const wlu_triangular *s, wlu_solve_region r)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    double *v = state->slots.v, *x = state->slots.x;
    int32_t begin = t->first[r.begin], end = t->first[r.end];
    for (int32_t at = begin; at < end; at++) wlu_number_put(x, at, wlu_number_at(v, s->tile_y[at]));
    for (int32_t tile = r.begin; tile < r.end; tile++) solve_tile(p, v, tile, 1, x);
    for (int32_t tile = r.end - 1; tile >= r.begin; tile--) solve_tile(p, v, tile, 0, x);
    for (int32_t at = begin; at < end; at++) wlu_number_put(v, s->tile_x[at], wlu_number_at(x, at));
}
