/* Numeric factors by column, whatever holds them: the arrays that pivoting left behind, or a program's slots.
 *
 * A view: it points into its owner, and holds until that is refactored or destroyed. The places are those of
 * the pivots' patterns: entry q of li, ui and fi, pivot k. Slots of DOT streams and tiles alike are found
 * through the program's map of logical slots. */
#ifndef WLU_EXEC_NUMERIC_H
#define WLU_EXEC_NUMERIC_H

#include "exec/exec.h"
#include "numerics/norm.h"
#include "pivot/factors.h"

/* Number q is the q-th, or the slot[q]-th, of so many doubles each. */
typedef struct wlu_numbers {
    const double *x;
    const int32_t *slot; /* NULL: in order */
    int doubles;
} wlu_numbers;

typedef struct wlu_numeric {
    const wlu_pivots *pivots;
    wlu_numbers pivot, l, u, f;
} wlu_numeric;

static inline const double *wlu_numbers_real(wlu_numbers a, int64_t q)
{
    return a.x + a.doubles * (a.slot != NULL ? a.slot[q] : q);
}

static inline double wlu_numbers_imaginary(wlu_numbers a, int64_t q)
{
    return a.doubles > 1 ? wlu_numbers_real(a, q)[1] : 0.0;
}

static inline double wlu_numbers_modulus(wlu_numbers a, int64_t q)
{
    return wlu_modulus(wlu_numbers_real(a, q), 0, a.doubles);
}

/* See base/number.h. */
static inline double wlu_numbers_size(wlu_numbers a, int64_t q)
{
    return wlu_size_at(wlu_numbers_real(a, q), 0, a.doubles);
}

wlu_numeric wlu_numeric_of_factors(const wlu_pivots *pivots, const wlu_factors *factors);
/* slots: of a program of these pivots, as long as they hold. */
wlu_numeric wlu_numeric_of_slots(const wlu_pivots *pivots, const wlu_program *program, const wlu_slots *slots);

/* The pivots, n of so many doubles. O(n), from random places where they are slots. */
void wlu_numeric_copy_pivots(const wlu_numeric *numeric, double *diagonal);
/* The smallest and the largest of their moduli, both NaN where one of them is. O(n), the same. */
void wlu_numeric_find_extremes(const wlu_numeric *numeric, double extreme[2]);

/* The same numbers as factors that can be solved with; their health is not filled in. 8 bytes an entry of L,
 * U and F, 24 n. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_numeric_copy(wlu_context *ctx, const wlu_numeric *numeric, wlu_factors **out);

#endif
