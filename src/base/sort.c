/* Radix sort. See sort.h. */
#include "base/sort.h"

#include <string.h>

/* Fewer entries are sorted by insertion: the counts of a pass alone take longer. */
enum { INSERTION_MAX = 64 };

static void insert(wlu_sort_entry *entries, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        wlu_sort_entry x = entries[k];
        int64_t to = k;
        for (; to > 0 && entries[to - 1].key > x.key; to--) entries[to] = entries[to - 1];
        entries[to] = x;
    }
}

const wlu_sort_entry *wlu_sort(wlu_sort_entry *from, wlu_sort_entry *to, int64_t n, int64_t *count)
{
    uint64_t differ = 0;
    if (n <= INSERTION_MAX) {
        insert(from, n);
        return from;
    }
    for (int64_t k = 1; k < n; k++) differ |= from[k].key ^ from[0].key;
    for (int shift = 0; shift < 64 && differ >> shift != 0; shift += WLU_SORT_DIGIT_BITS) {
        if ((differ >> shift & (WLU_SORT_DIGITS - 1)) == 0) continue;
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
