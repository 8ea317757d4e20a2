/* Hashes of what a replay computed, to be compared between machines: FNV-1a, 64 bits, over the numbers' bits from the
 * least byte on, every NaN the same one. */
#ifndef WLU_TEST_HASH_H
#define WLU_TEST_HASH_H

#include "build.h"
#include "exec/exec.h"

typedef struct test_hashes {
    uint64_t l, u, x; /* L and F; pivots and U; a solution */
} test_hashes;

#define TEST_HASH_SEED UINT64_C(0xcbf29ce484222325)
uint64_t test_hash_numbers(uint64_t hash, const double *x, int64_t count);

/* Of a state whose slots are on the host: entries in the order of the pivots' patterns, wherever the program keeps
 * them. */
test_hashes test_hash_slots(const test_build *b, const wlu_slots *slots, const double *x);

#endif
