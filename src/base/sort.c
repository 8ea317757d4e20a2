/* Radix sort. See sort.h. */
#include "base/sort.h"

#include <string.h>

const wlu_sort_entry *wlu_sort(wlu_sort_entry *from, wlu_sort_entry *to, int64_t n, int64_t *count)
{
    uint64_t largest = 0;
    for (int64_t k = 0; k < n; k++)
        if (from[k].key > largest) largest = from[k].key;
    for (int shift = 0; shift < 64 && largest >> shift != 0; shift += WLU_SORT_DIGIT_BITS) {
        memset(count, 0, WLU_SORT_DIGITS * sizeof *count);
        for (int64_t k = 0; k < n; k++) count[from[k].key >> shift & (WLU_SORT_DIGITS - 1)]++;
        for (int64_t d = 0, sum = 0; d < WLU_SORT_DIGITS; d++) {
            int64_t c = count[d];
            count[d] = sum;
            sum += c;
        }
        for (int64_t k = 0; k < n; k++) to[count[from[k].key >> shift & (WLU_SORT_DIGITS - 1)]++] = from[k];
        wlu_sort_entry *t = from;
        from = to;
        to = t;
    }
    return from;
}
