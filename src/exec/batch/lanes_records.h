/* Records in lanes; a part of lanes_kernels.h.
 *
 * Where slots are in the first cache a term is two loads and one FMA, and loads are what there are fewest of: one of
 * 512 bits a cycle on AMD's Zen 4, two on Intel's. Four chains that share an operand take five loads for four terms,
 * and hide the four cycles of an FMA. */

typedef struct run_slots {
    const double *a; /* factors: divisors, first operands */
    double *b;       /* all else */
} run_slots;

/* The tree of each lane of start minus the terms by eight accumulators; terms: a multiple of eight. */
static inline n8 long_chain(n8 start, const uint32_t *w, int64_t terms, run_slots s)
{
    n8 acc[WLU_DOT_LANES];
    for (int q = 0; q < WLU_DOT_LANES; q++) acc[q] = n8_zero();
    for (; terms > 0; terms -= WLU_DOT_LANES, w += 2 * WLU_DOT_LANES) {
        prefetch(w);
        for (int q = 0; q < WLU_DOT_LANES; q++)
            acc[q] = n8_fma(n8_load_parts(s.a + w[2 * q]), n8_load_parts(s.b + w[2 * q + 1]), acc[q]);
    }
    return n8_sub(start, lanes_tree(acc));
}

/* Products, rounded, by the same tree; eight terms at most. */
static inline n8 tree_chain(n8 start, const uint32_t *w, int64_t terms, run_slots s)
{
    n8 product[WLU_DOT_LANES];
    for (int q = 0; q < WLU_DOT_LANES; q++)
        product[q] = q < terms ? n8_mul(n8_load_parts(s.a + w[2 * q]), n8_load_parts(s.b + w[2 * q + 1])) : n8_zero();
    return n8_sub(start, lanes_tree(product));
}

/* Records one by one. kind: of the form, a constant. Returns what follows. */
WLU_INSTANCE const uint32_t *run_records(const uint32_t *w, uint32_t count, int opcode, int kind, run_slots s,
                                         v8 *largest)
{
    v8 m = largest != NULL ? *largest : v8_zero();
    for (; count > 0; count--) {
        int64_t terms = wlu_opcode_is_chain(opcode) ? kind : 0;
        prefetch(w);
        if (terms > WLU_LANES_UNROLLED) terms = *w++;
        double *target = s.b + *w++;
        n8 x = wlu_opcode_is_chain(opcode) ? n8_load_parts(s.b + *w++) : n8_zero();
        n8 divisor = wlu_opcode_has_divisor(opcode) ? n8_load_parts(s.a + *w++) : n8_zero();
        if (kind == WLU_LANES_LONG)
            x = long_chain(x, w, terms, s);
        else if (kind == WLU_LANES_TREE)
            x = tree_chain(x, w, terms, s);
        else
            for (int64_t k = 0; k < terms; k++)
                x = n8_fnma(n8_load_parts(s.a + w[2 * k]), n8_load_parts(s.b + w[2 * k + 1]), x);
        w += 2 * terms;
        x = ends_of(opcode, n8_settled(x), divisor);
        if (largest != NULL) m = v8_max_bits(m, n8_size(x));
        n8_store_parts(target, x);
    }
    if (largest != NULL) *largest = m;
    return w;
}

/* Terms of chains first .. first + SIDE - 1 of four. kind: of the form, a constant. Those that share an operand, of
 * slots `of`, begin each with it. */
WLU_INSTANCE void run_terms(const uint32_t *w, int64_t terms, int kind, int first, const double *of,
                            const double *others, run_slots s, n8 *x)
{
    enum { SIDE = WLU_LANES_SIDE };
    n8 mine[SIDE];
    WLU_UNROLL
    for (int q = 0; q < SIDE; q++) mine[q] = x[first + q];
    for (; terms > 0; terms--) {
        prefetch(w);
        if (kind == WLU_LANES_FOUR) {
            WLU_UNROLL
            for (int q = 0; q < SIDE; q++)
                mine[q] = n8_fnma(n8_load_parts(s.a + w[2 * (first + q)]), n8_load_parts(s.b + w[2 * (first + q) + 1]),
                                  mine[q]);
            w += 8;
        } else {
            n8 o = n8_load_parts(of + w[0]);
            WLU_UNROLL
            for (int q = 0; q < SIDE; q++) {
                n8 other = n8_load_parts(others + w[1 + first + q]);
                mine[q] = kind == WLU_LANES_SHARED_A ? n8_fnma(o, other, mine[q]) : n8_fnma(other, o, mine[q]);
            }
            w += 5;
        }
    }
    WLU_UNROLL
    for (int q = 0; q < SIDE; q++) x[first + q] = mine[q];
}

WLU_INSTANCE const uint32_t *run_fours(const uint32_t *w, uint32_t count, int opcode, int kind, run_slots s,
                                       v8 *largest)
{
    const double *of = kind == WLU_LANES_SHARED_A ? s.a : s.b, *others = kind == WLU_LANES_SHARED_A ? s.b : s.a;
    v8 m = largest != NULL ? *largest : v8_zero();
    for (; count > 0; count--) {
        int64_t terms = *w++;
        double *target[4];
        n8 x[4], divisor[4];
        WLU_UNROLL
        for (int q = 0; q < 4; q++) {
            target[q] = s.b + *w++;
            x[q] = n8_load_parts(s.b + *w++);
            divisor[q] = wlu_opcode_has_divisor(opcode) ? n8_load_parts(s.a + *w++) : n8_zero();
        }
        WLU_UNROLL
        for (int first = 0; first < 4; first += WLU_LANES_SIDE) run_terms(w, terms, kind, first, of, others, s, x);
        w += (kind == WLU_LANES_FOUR ? 8 : 5) * terms;
        WLU_UNROLL
        for (int q = 0; q < 4; q++) {
            x[q] = ends_of(opcode, n8_settled(x[q]), divisor[q]);
            if (largest != NULL) m = v8_max_bits(m, n8_size(x[q]));
            n8_store_parts(target[q], x[q]);
        }
    }
    if (largest != NULL) *largest = m;
    return w;
}

/* Chains of a grid: rows and columns, which are constants, from row i0 and column j0 on. */
WLU_INSTANCE void run_square(const uint32_t *head, const uint32_t *end, int i0, int j0, int rows, int columns,
                             run_slots s)
{
    enum { G = WLU_LANES_GRID_ROWS };
    n8 x[G][G], b[G];
    WLU_UNROLL
    for (int i = 0; i < rows; i++) {
        WLU_UNROLL
        for (int j = 0; j < columns; j++) x[i][j] = n8_load_parts(s.b + head[2 * (G * (i0 + i) + j0 + j) + 1]);
    }
    for (const uint32_t *step = head + 2 * G * G; step < end; step += 2 * G) {
        prefetch(step);
        WLU_UNROLL
        for (int j = 0; j < columns; j++) b[j] = n8_load_parts(s.b + step[G + j0 + j]);
        WLU_UNROLL
        for (int i = 0; i < rows; i++) {
            n8 a = n8_load_parts(s.a + step[i0 + i]);
            WLU_UNROLL
            for (int j = 0; j < columns; j++) x[i][j] = n8_fnma(a, b[j], x[i][j]);
        }
    }
    WLU_UNROLL
    for (int i = 0; i < rows; i++) {
        WLU_UNROLL
        for (int j = 0; j < columns; j++) n8_store_parts(s.b + head[2 * (G * (i0 + i) + j0 + j)], x[i][j]);
    }
}

/* Chains of a panel, four rows and so many columns, by squares that registers hold. */
WLU_INSTANCE const uint32_t *run_grids(const uint32_t *w, uint32_t count, int columns, run_slots s)
{
    enum { G = WLU_LANES_GRID_ROWS, Q = WLU_LANES_SQUARE, C = Q / D };
    for (; count > 0; count--) {
        int64_t steps = *w++;
        const uint32_t *end = w + 2 * G * G + 2 * G * steps;
        for (int i = 0; i < G; i += Q) {
            WLU_UNROLL
            for (int j = 0; j < columns; j += C) run_square(w, end, i, j, Q, columns - j < C ? columns - j : C, s);
        }
        w = end;
    }
    return w;
}

/* A run of a form; NULL: there is none of this number. */
WLU_INSTANCE const uint32_t *run_one(const uint32_t *w, wlu_lanes_form form, uint32_t count, run_slots s, v8 *largest)
{
    switch (form) {
#define ONE(name, kind) \
    case WLU_LANES_##name##_##kind: \
        return run_records(w, count, WLU_##name, WLU_LANES_##name##_##kind - WLU_LANES_##name##_0, s, largest)
#define FOUR(name, kind) \
    case WLU_LANES_##name##_##kind: \
        return run_fours(w, count, WLU_##name, WLU_LANES_##kind, s, largest)
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_STREAM_OPCODE(name, shape, flops, compiled, semantics, end, stages) \
    case WLU_LANES_##name: \
        return run_records(w, count, WLU_##name, 0, s, largest);
#define WLU_CHAIN_OPCODE(name, shape, flops, compiled, semantics, end, stages) \
    ONE(name, 0); \
    ONE(name, 1); \
    ONE(name, 2); \
    ONE(name, 3); \
    ONE(name, 4); \
    ONE(name, ANY); \
    ONE(name, LONG); \
    ONE(name, TREE); \
    FOUR(name, FOUR); \
    FOUR(name, SHARED_A); \
    FOUR(name, SHARED_B);
#include "program/opcodes.def"
#undef WLU_OPCODE
#undef ONE
#undef FOUR
    case WLU_LANES_GRID_1: return run_grids(w, count, 1, s);
    case WLU_LANES_GRID_2: return run_grids(w, count, 2, s);
    case WLU_LANES_GRID_3: return run_grids(w, count, 3, s);
    case WLU_LANES_GRID_4: return run_grids(w, count, 4, s);
    case WLU_LANES_FORMS: break;
    }
    return NULL;
}

static void run_stream(const wlu_lanes_stream *stream, const double *factors, double *v, wlu_lanes_maxima *m)
{
    const uint32_t *w = stream->word, *end = w + stream->nwords;
    run_slots s = {factors, v};
    v8 of[WLU_SLOT_AREAS];
    for (int k = 0; k < WLU_SLOT_AREAS && m != NULL; k++) of[k] = v8_load(m->of[k]);
    while (w != NULL && w < end) {
        uint32_t area = w[0] >> 8;
        w = run_one(w + 2, (wlu_lanes_form)(w[0] & 0xff), w[1], s, area != WLU_AREA_NONE ? &of[area] : NULL);
    }
    for (int k = 0; k < WLU_SLOT_AREAS && m != NULL; k++) v8_store(m->of[k], of[k]);
}
