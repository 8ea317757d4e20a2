/* The caller's numbers in lanes: values and right-hand sides in, unknowns out, and what guards see of entries; a part
 * of lanes_kernels.h. */

/* ----------------------------------------------------------------- in, out */

/* How eight members' numbers stand. */
typedef enum layout { ONE_FOR_ALL, SIDE_BY_SIDE, BY_NUMBER, APART } layout;

static inline layout layout_of(const wlu_lanes_source *s)
{
    int same = 1, side = 1;
    for (int q = 1; q < WLU_LANES; q++) {
        same = same && s->at[q] == s->at[0];
        side = side && s->at[q] == s->at[0] + D * q;
    }
    return same ? ONE_FOR_ALL : side ? SIDE_BY_SIDE : s->by_number == D ? BY_NUMBER : APART;
}

static inline v8 part_of(const wlu_lanes_source *s, layout how, int64_t number, int part)
{
    int64_t at = number * s->by_number + part;
    double e[WLU_LANES];
    if (how == ONE_FOR_ALL) return v8_set(s->at[0][at]);
    if (how == SIDE_BY_SIDE && D == 1) return v8_load(s->at[0] + at);
    for (int q = 0; q < WLU_LANES; q++) e[q] = s->at[q][at];
    return v8_load(e);
}

/* Entries that are sums of numbers, in the caller's order. */
static void fetch_sums(const wlu_lanes_source *s, layout how, int64_t first, int64_t count, double *to)
{
    const int32_t *map_ptr = s->gather->map_ptr, *map = s->gather->map;
    for (int64_t e = first; e < first + count; e++)
        for (int part = 0; part < D; part++, to += WLU_LANES) {
            v8 sum = part_of(s, how, map[map_ptr[e]], part);
            for (int32_t q = map_ptr[e] + 1; q < map_ptr[e + 1]; q++) sum = v8_add(sum, part_of(s, how, map[q], part));
            v8_store(to, sum);
        }
}

static void run_fetch(const wlu_lanes_source *s, int64_t first, int64_t count, double *to)
{
    layout how = layout_of(s);
    int64_t k = first, end = first + count;
    if (s->gather != NULL) {
        fetch_sums(s, how, first, count, to);
        return;
    }
    for (; how == BY_NUMBER && k + WLU_LANES / D <= end; k += WLU_LANES / D) {
        v8 a[WLU_LANES];
        for (int q = 0; q < WLU_LANES; q++) a[q] = v8_load(s->at[q] + D * k);
        v8_transpose(a);
        for (int q = 0; q < WLU_LANES; q++, to += WLU_LANES) v8_store(to, a[q]);
    }
    for (; k < end; k++)
        for (int part = 0; part < D; part++, to += WLU_LANES) v8_store(to, part_of(s, how, k, part));
}

static void send_apart(const double *from, int64_t first, int64_t count, const wlu_lanes_sink *s)
{
    for (int q = 0; q < WLU_LANES; q++) {
        if (!(s->lanes >> q & 1)) continue;
        double *to = s->at[q] + first * s->by_number;
        for (int64_t k = 0; k < count; k++)
            for (int part = 0; part < D; part++) to[k * s->by_number + part] = from[LINE * k + WLU_LANES * part + q];
    }
}

static void run_send(const double *from, int64_t first, int64_t count, const wlu_lanes_sink *s)
{
    int side = D == 1 && s->lanes == 0xff;
    int64_t k = 0;
    for (int q = 1; q < WLU_LANES; q++) side = side && s->at[q] == s->at[0] + q;
    for (; side && k < count; k++) v8_store(s->at[0] + (first + k) * s->by_number, v8_load(from + WLU_LANES * k));
    for (; s->by_number == D && k + WLU_LANES / D <= count; k += WLU_LANES / D) {
        v8 a[WLU_LANES];
        for (int q = 0; q < WLU_LANES; q++) a[q] = v8_load(from + LINE * k + WLU_LANES * q);
        v8_transpose(a);
        for (int q = 0; q < WLU_LANES; q++)
            if (s->lanes >> q & 1) v8_store(s->at[q] + D * (first + k), a[q]);
    }
    send_apart(from + LINE * k, first + k, count - k, s);
}

/* ------------------------------------------------------------------- loads */

/* Returns the largest of the lines that are loaded, and `largest`. */
static inline v8 load_lines(const wlu_lanes_load *l, const wlu_lanes_load *end, const double *numbers, double *v,
                            v8 largest)
{
    for (; l < end; l++) {
        n8 x = n8_scaled(v8_set(l->scale), n8_load_parts(numbers + l->from));
        largest = v8_max_bits(largest, n8_size(x));
        n8_store_parts(v + l->to, x);
    }
    return largest;
}

static void run_load(const wlu_lanes_loads *loads, int64_t chunk, const double *numbers, double *v, wlu_lanes_maxima *m)
{
    const int64_t *begin = loads->begin + WLU_SLOT_AREAS * chunk;
    const wlu_lanes_load *l = loads->load;
    for (const wlu_lanes_load *at = l + begin[0]; at < l + begin[1]; at++)
        n8_store_parts(v + at->to, n8_scaled(v8_set(at->scale), n8_load_parts(numbers + at->from)));
    for (int k = WLU_AREA_U; k < WLU_SLOT_AREAS; k++)
        if (begin[k] < begin[k + 1])
            v8_store(m->of[k], load_lines(l + begin[k], l + begin[k + 1], numbers, v, v8_load(m->of[k])));
}

/* ------------------------------------------------------------------ guards */

/* What guards see of a kind of entries. */
WLU_INSTANCE void guard_lines(const wlu_lanes_guard *g, const wlu_lanes_guard *end, const double *numbers,
                              double *inverse, int column, int row, wlu_lanes_maxima *m)
{
    v8 i = v8_load(m->of[WLU_AREA_INVERSE]), d = v8_load(m->of[WLU_AREA_DRIFT]);
    for (; g < end; g++) {
        v8 x = n8_size(n8_load_parts(numbers + g->from));
        if (column) {
            v8 now = inverse_magnitude(v8_mul(v8_set(g->column), x));
            i = v8_max_bits(i, now);
            if (inverse != NULL) v8_store(inverse + g->place, now);
        }
        if (row) {
            v8 down = inverse_magnitude(v8_mul(v8_set(g->row), x));
            d = v8_max_bits(v8_max_bits(d, down), inverse_magnitude(down));
        }
    }
    if (column) v8_store(m->of[WLU_AREA_INVERSE], i);
    if (row) v8_store(m->of[WLU_AREA_DRIFT], d);
}

static void run_guard(const wlu_lanes_guards *guards, int64_t chunk, const double *numbers, double *inverse,
                      wlu_lanes_maxima *m)
{
    const int64_t *begin = guards->begin + WLU_LANES_KINDS * chunk;
    const wlu_lanes_guard *g = guards->guard;
    guard_lines(g + begin[WLU_LANES_BOTH], g + begin[WLU_LANES_COLUMN], numbers, inverse, 1, 1, m);
    guard_lines(g + begin[WLU_LANES_COLUMN], g + begin[WLU_LANES_ROW], numbers, inverse, 1, 0, m);
    guard_lines(g + begin[WLU_LANES_ROW], g + begin[WLU_LANES_KINDS], numbers, inverse, 0, 1, m);
}

static void run_relative(const wlu_lanes_guards *guards, const double *v, const double *inverse, wlu_lanes_maxima *m)
{
    v8 worst = v8_set(1.0);
    const uint32_t *pair = guards->computed, *end = pair + 2 * guards->count;
    for (; pair < end; pair += 2)
        worst = v8_max_bits(worst, v8_mul(n8_size(n8_load_parts(v + pair[0])), v8_load(inverse + pair[1])));
    v8_store(m->of[WLU_AREA_RELATIVE], worst);
}

/* ---------------------------------------------------------------- unknowns */

static void run_collect(const wlu_lanes_solve *solve, const double *v, int64_t first, int64_t count, double *to,
                        double *largest)
{
    v8 m = v8_load(largest);
    for (int64_t k = first; k < first + count; k++, to += LINE) {
        n8 x = n8_load_parts(v + solve->store[k]);
        if (solve->scale != NULL) x = n8_scaled(v8_set(solve->scale[k]), x);
        m = v8_max_bits(m, n8_size(x));
        n8_store_parts(to, x);
    }
    v8_store(largest, m);
}

static void run_largest(const double *lines, int64_t count, double *largest)
{
    v8 m = v8_load(largest);
    for (int64_t k = 0; k < count; k++) m = v8_max_bits(m, n8_size(n8_load_parts(lines + LINE * k)));
    v8_store(largest, m);
}
