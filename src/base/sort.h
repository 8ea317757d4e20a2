/* Sorting. Of records by an unsigned key, stable: least-significant-digit radix sort, 11 bits a pass, only for digits
 * in which keys differ. O(n) a pass. */
#ifndef WLU_BASE_SORT_H
#define WLU_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

enum { WLU_SORT_DIGIT_BITS = 11, WLU_SORT_DIGITS = 1 << WLU_SORT_DIGIT_BITS };

typedef struct wlu_sort_entry {
    uint64_t key;
    int64_t record;
} wlu_sort_entry;

/* Sorts entries[0..n), with scratch of n entries and count of WLU_SORT_DIGITS; the result is in the array returned, one
 * of the two. */
const wlu_sort_entry *wlu_sort(wlu_sort_entry *entries, wlu_sort_entry *scratch, int64_t n, int64_t *count);

/* Below the number of keys. */
typedef int32_t wlu_sort_key(const void *context, int32_t record);

/* Stable sort of n records by counting: those of `from` in its order, or 0 .. n - 1 where it is NULL, go to `to`.
 * place: room for as many as there are keys. Inline for the sake of the key. O(n + keys). */
static inline void wlu_sort_by(const void *context, wlu_sort_key *key, int64_t keys, int64_t n, const int32_t *from,
                               int32_t *to, int32_t *place)
{
    for (int64_t k = 0; k < keys; k++) place[k] = 0;
    for (int64_t r = 0; r < n; r++) place[key(context, (int32_t)r)]++;
    for (int64_t k = 0, sum = 0; k < keys; k++) {
        int32_t count = place[k];
        place[k] = (int32_t)sum;
        sum += count;
    }
    for (int64_t q = 0; q < n; q++) {
        int32_t r = from != NULL ? from[q] : (int32_t)q;
        to[place[key(context, r)]++] = r;
    }
}

#endif
