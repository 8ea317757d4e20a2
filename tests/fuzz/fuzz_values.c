/* Values: sequences of value arrays of any numbers through factor, refactor and solves. A solve that is called a
 * success has a backward error of at most 1e-10: componentwise where the library checked it, by rows where healthy
 * pivots that have served before were taken at their word.
 *
 * Input: a byte for the pattern, one for the options, then commands. A command is a byte: its low two bits say what
 * (refactor, factor, solve, solve with A'), the next three where its numbers come from. */
#include "fuzz.h"

#include "solver/solver.h"
#include "oracle.h"

#include <math.h>

enum { NMAX = 8, NNZ_MAX = 64, COMMANDS_MAX = 24 };

typedef struct matrix {
    int32_t n;
    int32_t ptr[NMAX + 1], idx[NNZ_MAX];
} matrix;

/* Scalar, full, arrow, band, blocks, a zero diagonal, duplicates, a saddle point. */
static const matrix matrices[] = {
    {1, {0, 1}, {0}},
    {2, {0, 2, 4}, {0, 1, 0, 1}},
    {3, {0, 3, 6, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}},
    {5, {0, 2, 4, 6, 8, 13}, {0, 4, 1, 4, 2, 4, 3, 4, 0, 1, 2, 3, 4}},
    {6, {0, 2, 5, 8, 11, 14, 16}, {0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5, 4, 5}},
    {5, {0, 2, 4, 7, 10, 12}, {0, 1, 0, 1, 1, 2, 3, 0, 2, 3, 3, 4}},
    {4, {0, 2, 4, 6, 8}, {1, 2, 0, 3, 0, 3, 1, 2}},
    {3, {0, 4, 7, 10}, {2, 0, 2, 1, 0, 1, 1, 2, 0, 2}},
    {4, {0, 3, 6, 8, 10}, {0, 1, 2, 0, 1, 3, 0, 2, 1, 3}},
};

static warplu_options options_of(unsigned choice)
{
    warplu_options o;
    warplu_init_options(&o);
    o.check = choice & 1 ? WARPLU_CHECK_ALWAYS : WARPLU_CHECK_SUSPECT;
    o.scaling = (warplu_scaling)((choice >> 1) % 3);
    o.ordering = choice & 16 ? WARPLU_ORDERING_NATURAL : WARPLU_ORDERING_AUTO;
    o.btf = !(choice & 32);
    o.on_weak = choice & 64 ? WARPLU_ON_WEAK_REFINE : WARPLU_ON_WEAK_REPIVOT;
    if (choice & 128) o.expected_refactors = 1;
    return o;
}

/* The double of these top 16 bits: sign, exponent, four bits of the mantissa. */
static double coarse(uint64_t bits)
{
    double v;
    bits <<= 48;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* count numbers into v, which holds the last ones. */
static void take_numbers(fuzz_input *in, unsigned source, double *v, int32_t count)
{
    int exponent = 0;
    uint64_t bits;
    switch (source) {
    case 0: /* mild: two bytes, -16 .. 16 */
        for (int32_t k = 0; k < count; k++) v[k] = ((int)fuzz_bits(in, 2) - 32768) / 2048.0;
        break;
    case 1: /* any magnitude, infinities and NaN too */
        for (int32_t k = 0; k < count; k++) v[k] = coarse(fuzz_bits(in, 2));
        break;
    case 2: /* any bits */
        for (int32_t k = 0; k < count; k++) {
            bits = fuzz_bits(in, 8);
            memcpy(&v[k], &bits, sizeof bits);
        }
        break;
    case 3: /* one changed */ v[fuzz_byte(in) % (unsigned)count] = coarse(fuzz_bits(in, 2)); break;
    case 4: /* all scaled */
        exponent = (int)(fuzz_bits(in, 2) % 2200) - 1100;
        for (int32_t k = 0; k < count; k++) v[k] = ldexp(v[k], exponent);
        break;
    case 5: /* signs and small integers */
        for (int32_t k = 0; k < count; k++) v[k] = (int)(fuzz_byte(in) % 16) - 7;
        break;
    case 6: /* each scaled by a power of its own */
        for (int32_t k = 0; k < count; k++) v[k] = ldexp(v[k], (int)fuzz_byte(in) - 128);
        break;
    default: break; /* the same */
    }
}

/* The system of a wrong answer, to be tried elsewhere. */
static void describe(const matrix *m, const double *values, const double *b, const double *x)
{
    for (int32_t j = 0; j < m->n; j++)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++)
            fprintf(stderr, "# A(%d, %d) = %a = %g\n", m->idx[q], j, values[q], values[q]);
    for (int32_t i = 0; i < m->n; i++)
        fprintf(stderr, "# b(%d) = %a = %g, x(%d) = %a = %g\n", i, b[i], b[i], i, x[i], x[i]);
}

static void solve(warplu_solver *s, const matrix *m, const double *values, const double *b, int transposed)
{
    double x[NMAX];
    long double entries[NNZ_MAX];
    warplu_status status =
        transposed ? warplu_solve_transposed(s, 1, b, m->n, x, m->n) : warplu_solve(s, 1, b, m->n, x, m->n);
    if (status < 0 || status == WARPLU_INACCURATE || status == WARPLU_UNCHECKED) return;
    oracle_gather(s->analysis->a, values, entries);
    double omega =
        oracle_backward_error(s->analysis->a, entries, transposed, s->options.check == WARPLU_CHECK_ALWAYS, b, x);
    if (!(omega <= 1e-10)) describe(m, values, b, x);
    FUZZ_REQUIRE(omega <= 1e-10, "%s with a backward error of %g, transposed %d", warplu_status_name(status), omega,
                 transposed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    const matrix *m = &matrices[fuzz_byte(&in) % (sizeof matrices / sizeof *matrices)];
    warplu_options o = options_of(fuzz_byte(&in));
    warplu_solver *s = NULL;
    double values[NNZ_MAX], at_hand[NNZ_MAX] = {0.0}, b[NMAX];
    for (int32_t q = 0; q < NNZ_MAX; q++) values[q] = 1.0 + 1.0 / (q + 1);
    for (int32_t i = 0; i < NMAX; i++) b[i] = 1.0 + i;
    FUZZ_REQUIRE(warplu_create(&s, &o) == WARPLU_SUCCESS, "create");
    FUZZ_REQUIRE(warplu_analyze(s, m->n, m->ptr, m->idx, NULL) == WARPLU_SUCCESS, "%s", warplu_get_message(s));
    for (int k = 0; k < COMMANDS_MAX && in.size > 0; k++) {
        unsigned command = fuzz_byte(&in), source = command >> 2 & 7;
        if ((command & 3) < 2) {
            take_numbers(&in, source, values, m->ptr[m->n]);
            warplu_status status = command & 1 ? warplu_factor(s, values) : warplu_refactor(s, values);
            if (status >= 0) memcpy(at_hand, values, sizeof values);
        } else {
            take_numbers(&in, source, b, m->n);
            solve(s, m, at_hand, b, command & 1);
        }
    }
    warplu_destroy(&s);
    return 0;
}
