/* Keys of a cache of solvers. See pattern_key.h. */
#include "solver/pattern_key.h"

#include <string.h>

enum { LANES = 4 };

static const uint64_t ODD = 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio */

/* Pairs of numbers in turn to four lanes, whose multiplications do not wait for each other. */
typedef struct hasher {
    uint64_t lane[LANES];
} hasher;

static inline void add(hasher *h, int lane, uint64_t low, uint64_t high)
{
    uint64_t x = (h->lane[lane] ^ (low & 0xffffffffu) ^ high << 32) * ODD;
    h->lane[lane] = x ^ x >> 29;
}

/* The text of both widths. */
#define ADD_ALL(h, from, count) \
    do { \
        int64_t q = 0; \
        for (; q + 2 * LANES <= (count); q += 2 * LANES) \
            for (int k = 0; k < LANES; k++) add((h), k, (uint64_t)(from)[q + 2 * k], (uint64_t)(from)[q + 2 * k + 1]); \
        for (; q < (count); q++) add((h), (int)(q % LANES), (uint64_t)(from)[q], (uint64_t)(q + 1)); \
    } while (0)

static int64_t entries_of(const wlu_sought *s)
{
    return s->wide ? s->ptr64[s->n] : s->ptr[s->n];
}

int wlu_sought_is_readable(const wlu_sought *s)
{
    if (s->n < 1 || s->n >= INT32_MAX) return 0;
    if (s->ptr == NULL && s->ptr64 == NULL) return 0;
    int64_t nnz = entries_of(s);
    return nnz >= 0 && nnz <= INT32_MAX && (nnz == 0 || s->idx != NULL || s->idx64 != NULL);
}

void wlu_sought_hash(wlu_sought *s)
{
    hasher h = {{(uint64_t)s->n, (uint64_t)s->options.scalar, (uint64_t)s->options.storage, 0}};
    if (!s->wide) {
        ADD_ALL(&h, s->ptr, s->n + 1);
        ADD_ALL(&h, s->idx, (int64_t)s->ptr[s->n]);
    } else {
        ADD_ALL(&h, s->ptr64, s->n + 1);
        ADD_ALL(&h, s->idx64, s->ptr64[s->n]);
    }
    uint64_t x = 0;
    for (int k = 0; k < LANES; k++) x = ((x ^ h.lane[k]) * ODD) ^ (x >> 31);
    s->hash = x ^ x >> 32;
}

static int is_given(const warplu_options *o)
{
    return o->ordering == WARPLU_ORDERING_GIVEN;
}

static void copy(const int32_t *from, const int64_t *from64, int64_t count, int32_t *to)
{
    if (from != NULL && count > 0) memcpy(to, from, (size_t)count * sizeof *to);
    if (from == NULL)
        for (int64_t q = 0; q < count; q++) to[q] = (int32_t)from64[q];
}

static int same(const int32_t *known, const int32_t *from, const int64_t *from64, int64_t count)
{
    if (from != NULL) return count == 0 || memcmp(known, from, (size_t)count * sizeof *known) == 0;
    int64_t different = 0;
    for (int64_t q = 0; q < count; q++) different |= known[q] ^ from64[q];
    return different == 0;
}

/* An order that may be missing. */
static int same_order(const int32_t *known, const int32_t *sought, int64_t n)
{
    if (known == NULL || sought == NULL) return known == sought;
    return same(known, sought, NULL, n);
}

warplu_status wlu_pattern_key_create(wlu_context *ctx, const wlu_sought *s, wlu_pattern_key *out)
{
    int64_t n = s->n, nnz = entries_of(s);
    int rows = is_given(&s->options) && s->options.row_order != NULL, columns = is_given(&s->options);
    *out = (wlu_pattern_key){.n = (int32_t)n, .nnz = (int32_t)nnz, .hash = s->hash};
    memcpy(&out->options, &s->options, sizeof out->options); /* with its padding */
    int32_t *block = WLU_ALLOC(ctx, n + 1 + nnz + (rows + columns) * n, int32_t);
    if (block == NULL) return wlu_fail_memory(ctx, "pattern in the cache");
    out->ptr = block;
    out->idx = block + n + 1;
    copy(s->ptr, s->ptr64, n + 1, out->ptr);
    copy(s->idx, s->idx64, nnz, out->idx);
    int32_t *order = out->idx + nnz;
    out->options.col_order = columns ? memcpy(order, s->options.col_order, (size_t)n * sizeof *order) : NULL;
    out->options.row_order = rows ? memcpy(order + n, s->options.row_order, (size_t)n * sizeof *order) : NULL;
    return WARPLU_SUCCESS;
}

void wlu_pattern_key_free(wlu_context *ctx, wlu_pattern_key *key)
{
    wlu_free(ctx, key->ptr);
    key->ptr = NULL;
}

int wlu_pattern_key_fits(const wlu_pattern_key *key, const wlu_sought *s)
{
    if (key->hash != s->hash || key->n != s->n) return 0;
    warplu_options options;
    memcpy(&options, &s->options, sizeof options);
    options.row_order = key->options.row_order;
    options.col_order = key->options.col_order;
    if (memcmp(&options, &key->options, sizeof options) != 0) return 0;
    if (is_given(&options) && (!same_order(key->options.row_order, s->options.row_order, key->n) ||
                               !same_order(key->options.col_order, s->options.col_order, key->n)))
        return 0;
    return same(key->ptr, s->ptr, s->ptr64, (int64_t)key->n + 1) && same(key->idx, s->idx, s->idx64, key->nnz);
}

int64_t wlu_pattern_key_bytes(const wlu_pattern_key *key)
{
    return 4 * ((int64_t)key->n + 1 + key->nnz);
}
