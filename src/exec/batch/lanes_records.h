/* Records in lanes; a part of lanes_kernels.h.
 *
 * Where slots are in the first cache a term is two loads and one FMA, and loads are what there are fewest of: one of
 * 512 bits a cycle on AMD's Zen 4, two on Intel's. Four chains that share an operand take five loads for four terms,
 * and hide the four cycles of an FMA. */

typedef struct run_slots {
    const double *a; /* factors: divisors, first operands */
    double *b;       /* all else */
} run_slots;

/* v8_tree of each lane of start minus the terms by eight accumulators; terms: a multiple of eight. */
static inline v8 long_chain(v8 start, const uint32_t *w, int64_t terms, run_slots s)
{
    v8 acc[WLU_DOT_LANES];
    for (int q = 0; q < WLU_DOT_LANES; q++) acc[q] = v8_zero();
    for (; terms > 0; terms -= WLU_DOT_LANES, w += 2 * WLU_DOT_LANES) {
        prefetch(w);
        for (int q = 0; q < WLU_DOT_LANES; q++)
            acc[q] = v8_fma(v8_load(s.a + w[2 * q]), v8_load(s.b + w[2 * q + 1]), acc[q]);
    }
    return lanes_minus(start, lanes_tree(acc));
}

/* Products, rounded, by the same tree; eight terms at most. */
static inline v8 tree_chain(v8 start, const uint32_t *w, int64_t terms, run_slots s)
{
    v8 product[WLU_DOT_LANES];
    for (int q = 0; q < WLU_DOT_LANES; q++)
        product[q] = q < terms ? v8_mul(v8_load(s.a + w[2 * q]), v8_load(s.b + w[2 * q + 1])) : v8_zero();
    return lanes_minus(start, lanes_tree(product));
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
        v8 x = wlu_opcode_is_chain(opcode) ? v8_load(s.b + *w++) : v8_zero();
        v8 divisor = wlu_opcode_has_divisor(opcode) ? v8_load(s.a + *w++) : v8_zero();
        if (kind == WLU_LANES_LONG)
            x = long_chain(x, w, terms, s);
        else if (kind == WLU_LANES_TREE)
            x = tree_chain(x, w, terms, s);
        else
            for (int64_t k = 0; k < terms; k++) x = v8_fnma(v8_load(s.a + w[2 * k]), v8_load(s.b + w[2 * k + 1]), x);
        w += 2 * terms;
        x = ends_of(opcode, x, divisor);
        if (largest != NULL) m = v8_max_bits(m, v8_abs(x));
        v8_store(target, x);
    }
    if (largest != NULL) *largest = m;
    return w;
}

/* Terms of four chains side by side. shared: each begins with the operand that all have in common, of slots `of`. */
WLU_INSTANCE const uint32_t *run_terms(const uint32_t *w, int64_t terms, int shared, const double *of,
                                       const double *others, run_slots s, v8 *x)
{
    v8 x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    for (; terms > 0; terms--) {
        prefetch(w);
        if (shared) {
            v8 o = v8_load(of + w[0]);
            x0 = v8_fnma(o, v8_load(others + w[1]), x0);
            x1 = v8_fnma(o, v8_load(others + w[2]), x1);
            x2 = v8_fnma(o, v8_load(others + w[3]), x2);
            x3 = v8_fnma(o, v8_load(others + w[4]), x3);
            w += 5;
        } else {
            x0 = v8_fnma(v8_load(s.a + w[0]), v8_load(s.b + w[1]), x0);
            x1 = v8_fnma(v8_load(s.a + w[2]), v8_load(s.b + w[3]), x1);
            x2 = v8_fnma(v8_load(s.a + w[4]), v8_load(s.b + w[5]), x2);
            x3 = v8_fnma(v8_load(s.a + w[6]), v8_load(s.b + w[7]), x3);
            w += 8;
        }
    }
    x[0] = x0;
    x[1] = x1;
    x[2] = x2;
    x[3] = x3;
    return w;
}

WLU_INSTANCE const uint32_t *run_fours(const uint32_t *w, uint32_t count, int opcode, int kind, run_slots s,
                                       v8 *largest)
{
    const double *of = kind == WLU_LANES_SHARED_A ? s.a : s.b, *others = kind == WLU_LANES_SHARED_A ? s.b : s.a;
    v8 m = largest != NULL ? *largest : v8_zero();
    for (; count > 0; count--) {
        int64_t terms = *w++;
        double *target[4];
        v8 x[4], divisor[4];
        for (int q = 0; q < 4; q++) {
            target[q] = s.b + *w++;
            x[q] = v8_load(s.b + *w++);
            divisor[q] = wlu_opcode_has_divisor(opcode) ? v8_load(s.a + *w++) : v8_zero();
        }
        w = run_terms(w, terms, kind != WLU_LANES_FOUR, of, others, s, x);
        for (int q = 0; q < 4; q++) {
            x[q] = ends_of(opcode, x[q], divisor[q]);
            if (largest != NULL) m = v8_max_bits(m, v8_abs(x[q]));
            v8_store(target[q], x[q]);
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
    v8 x[G][G], b[G];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) x[i][j] = v8_load(s.b + head[2 * (G * (i0 + i) + j0 + j) + 1]);
    for (const uint32_t *step = head + 2 * G * G; step < end; step += 2 * G) {
        prefetch(step);
        for (int j = 0; j < columns; j++) b[j] = v8_load(s.b + step[G + j0 + j]);
        for (int i = 0; i < rows; i++) {
            v8 a = v8_load(s.a + step[i0 + i]);
            for (int j = 0; j < columns; j++) x[i][j] = v8_fnma(a, b[j], x[i][j]);
        }
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) v8_store(s.b + head[2 * (G * (i0 + i) + j0 + j)], x[i][j]);
}

/* Chains of a panel, four rows and so many columns, by squares that registers hold. */
WLU_INSTANCE const uint32_t *run_grids(const uint32_t *w, uint32_t count, int columns, run_slots s)
{
    enum { G = WLU_LANES_GRID_ROWS, Q = WLU_LANES_SQUARE };
    for (; count > 0; count--) {
        int64_t steps = *w++;
        const uint32_t *end = w + 2 * G * G + 2 * G * steps;
        for (int i = 0; i < G; i += Q)
            for (int j = 0; j < columns; j += Q) run_square(w, end, i, j, Q, columns - j < Q ? columns - j : Q, s);
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
