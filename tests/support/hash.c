/* Hashes of numbers. See hash.h. */
#include "hash.h"

#include "exec/numeric.h"

static uint64_t hash_number(uint64_t hash, double x)
{
    uint64_t bits = x == x ? wlu_bits_of_double(x) : UINT64_C(0x7ff8000000000000);
    for (int byte = 0; byte < 8; byte++) hash = (hash ^ (bits >> 8 * byte & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t test_hash_numbers(uint64_t hash, const double *x, int64_t count)
{
    for (int64_t k = 0; k < count; k++) hash = hash_number(hash, x[k]);
    return hash;
}

static uint64_t hash_entries(uint64_t hash, wlu_numbers numbers, int64_t count)
{
    for (int64_t q = 0; q < count; q++) hash = test_hash_numbers(hash, wlu_numbers_real(numbers, q), numbers.doubles);
    return hash;
}

test_hashes test_hash_slots(const test_build *b, const wlu_slots *slots, const double *x)
{
    const wlu_pivots *p = b->pivots;
    wlu_numeric view = wlu_numeric_of_slots(p, b->program, slots);
    test_hashes h = {TEST_HASH_SEED, TEST_HASH_SEED, TEST_HASH_SEED};
    h.l = hash_entries(hash_entries(h.l, view.l, p->lp[p->n]), view.f, p->fp[p->n]);
    h.u = hash_entries(hash_entries(h.u, view.pivot, p->n), view.u, p->up[p->n]);
    h.x = test_hash_numbers(h.x, x, p->doubles * (int64_t)p->n);
    return h;
}
