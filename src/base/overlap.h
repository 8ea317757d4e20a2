/* Whether arrays of columns have a number in common: right-hand sides and solutions of a call. */
#ifndef WLU_BASE_OVERLAP_H
#define WLU_BASE_OVERLAP_H

#include <stdint.h>

/* Columns of `length` doubles, `by` doubles apart, none of which overlaps the next. */
typedef struct wlu_columns_at {
    const double *first;
    int64_t length, by, count;
} wlu_columns_at;

/* The addresses from *begin to *end of column k. */
static inline void wlu_column_bounds(const wlu_columns_at *c, int64_t k, uintptr_t *begin, uintptr_t *end)
{
    *begin = (uintptr_t)c->first + (uintptr_t)k * (uintptr_t)c->by * sizeof(double);
    *end = *begin + (uintptr_t)c->length * sizeof(double);
}

/* Columns of one may lie between those of the other. O(columns). */
static inline int wlu_columns_overlap(const wlu_columns_at *a, const wlu_columns_at *b)
{
    int64_t k = 0, q = 0;
    while (k < a->count && q < b->count) {
        uintptr_t a_begin, a_end, b_begin, b_end;
        wlu_column_bounds(a, k, &a_begin, &a_end);
        wlu_column_bounds(b, q, &b_begin, &b_end);
        if (a_end <= b_begin)
            k++;
        else if (b_end <= a_begin)
            q++;
        else
            return 1;
    }
    return 0;
}

#endif
