/* Stable sort of records by an unsigned key: least-significant-digit radix sort, 11 bits a pass, only for digits in
 * which keys differ. O(n) a pass. */
#ifndef WLU_SORT_H
#define WLU_SORT_H

#include <stdint.h>

enum { WLU_SORT_DIGIT_BITS = 11, WLU_SORT_DIGITS = 1 << WLU_SORT_DIGIT_BITS };

typedef struct wlu_sort_entry {
    uint64_t key;
    int64_t record;
} wlu_sort_entry;

/* Sorts entries[0..n), with scratch of n entries and count of WLU_SORT_DIGITS; the result is in the array returned, one
 * of the two. */
const wlu_sort_entry *wlu_sort(wlu_sort_entry *entries, wlu_sort_entry *scratch, int64_t n, int64_t *count);

#endif
