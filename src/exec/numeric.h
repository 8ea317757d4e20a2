/* Numeric factors by column, whatever holds them: the arrays that pivoting left behind, or a program's slots.
 *
 * A view: it points into its owner, and holds until that is refactored or destroyed. The places are those of
 * the pivots' patterns: entry q of li, ui and fi, pivot k. Slots of DOT streams and tiles alike are found
 * through the program's map of logical slots. */
#ifndef WLU_EXEC_NUMERIC_H
#define WLU_EXEC_NUMERIC_H

#include "exec/exec.h"
#include "pivot/factors.h"

/* The real part of number q is x[by q], or x[slot[q]]; a complex one's imaginary part stands `apart` behind it. */
typedef struct wlu_numbers {
    const double *x;
    const int32_t *slot; /* NULL: in order */
    int64_t by, apart;   /* apart 0: real */
} wlu_numbers;

typedef struct wlu_numeric {
    const wlu_pivots *pivots;
    wlu_numbers pivot, l, u, f;
} wlu_numeric;

static inline const double *wlu_numbers_real(wlu_numbers a, int64_t q)
{
    return a.x + (a.slot != NULL ? a.slot[q] : a.by * q);
}

static inline double wlu_numbers_imaginary(wlu_numbers a, int64_t q)
{
    return a.apart > 0 ? wlu_numbers_real(a, q)[a.apart] : 0.0;
}

static inline double wlu_numbers_modulus(wlu_numbers a, int64_t q)
{
    double re = *wlu_numbers_real(a, q);
    return a.apart > 0 ? hypot(re, wlu_numbers_imaginary(a, q)) : fabs(re);
}

/* See base/number.h. */
static inline double wlu_numbers_size(wlu_numbers a, int64_t q)
{
    const double *x = wlu_numbers_real(a, q);
    return wlu_larger_bits(wlu_magnitude(x[0]), wlu_magnitude(x[a.apart]));
}

wlu_numeric wlu_numeric_of_factors(const wlu_pivots *pivots, const wlu_factors *factors);
/* slots: of a program of these pivots, as long as they hold. */
wlu_numeric wlu_numeric_of_slots(const wlu_pivots *pivots, const wlu_program *program, const wlu_slots *slots);

/* The same numbers as factors that can be solved with; their health is not filled in. 8 bytes an entry of L,
 * U and F, 24 n. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_numeric_copy(wlu_context *ctx, const wlu_numeric *numeric, wlu_factors **out);

#endif
