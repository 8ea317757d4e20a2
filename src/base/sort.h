/* Sorting. Records are sorted by an unsigned key with a stable radix sort, 11 bits a pass, least significant digit
 * first. Digits in which no keys differ are left out. O(n) a pass. */
#ifndef WLU_BASE_SORT_H
#define WLU_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

enum { WLU_SORT_DIGIT_BITS = 11, WLU_SORT_DIGITS = 1 << WLU_SORT_DIGIT_BITS };

typedef struct wlu_sort_entry {
    uint64_t key;
    int64_t record;
} wlu_sort_entry;

/* Sorts entries[0..n). scratch holds n entries, count WLU_SORT_DIGITS numbers. The result is in the array returned, one
 * of the two. */
const wlu_sort_entry *wlu_sort(wlu_sort_entry *entries, wlu_sort_entry *scratch, int64_t n, int64_t *count);

/* Returns the key of a record, which is below the number of keys. */
typedef int32_t wlu_sort_key(const void *context, int32_t record);

/* Sorts n records by counting; stable. The records are those of `from` in its order, or 0 .. n - 1 where it is NULL,
 * and go to `to`. place: workspace of as many numbers as there are keys. Inline so that the key function is inlined.
 * O(n + keys). */
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
