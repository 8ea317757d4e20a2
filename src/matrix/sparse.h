/* The pattern of a square matrix as every later phase sees it: CSC, rows ascending, no duplicates, and the map from the
 * caller's value array.
 *
 * The caller's arrays may be CSC or CSR, unsorted, with duplicates. Entry e of the pattern is the sum of values[map[q]]
 * for q in [map_ptr[e], map_ptr[e+1]), in the caller's order. Without duplicates map_ptr is NULL and entry e is
 * values[map[e]]. Immutable once built. Memory: n + 1 + nnz int32, nnz more with a map, and nnz + 1
 * more with duplicates. Built in O(n + nnz): copied where the columns are sorted, else by two bucket transposes. */
#ifndef WLU_MATRIX_SPARSE_H
#define WLU_MATRIX_SPARSE_H

#include "base/context.h"
#include "base/power.h"

/* Doubles of a value. */
static inline int32_t wlu_options_doubles(const warplu_options *options)
{
    return options->scalar == WARPLU_SCALAR_COMPLEX ? 2 : 1;
}

typedef struct wlu_pattern {
    int32_t n;
    int32_t nnz;     /* entries, duplicates counted once */
    int32_t nvalues; /* length of the caller's value array */
    int32_t doubles; /* of a value: 1, or 2 where it is complex, the real part first */
    int32_t *p;      /* n + 1 column pointers */
    int32_t *i;      /* nnz row indices, ascending in each column */
    int32_t *map_ptr;
    int32_t *map; /* NULL: it would be the identity, for columns came sorted and without duplicates */
} wlu_pattern;

/* The place of a value among the caller's. */
static inline int32_t wlu_pattern_source(const wlu_pattern *a, int32_t q)
{
    return a->map != NULL ? a->map[q] : q;
}

/* Of a vector with a number for each row. */
static inline int64_t wlu_vector_doubles(const wlu_pattern *a)
{
    return a->doubles * (int64_t)a->n;
}

/* Checks the caller's arrays and builds the pattern, of real values. WARPLU_EMPTY, WARPLU_INVALID_ARGUMENT,
 * WARPLU_OUT_OF_MEMORY; on failure *out is NULL. */
warplu_status wlu_pattern_create(wlu_context *ctx, warplu_storage storage, int32_t n, const int32_t *ptr,
                                 const int32_t *idx, wlu_pattern **out);
/* A copy of its own arrays. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_pattern_clone(wlu_context *ctx, const wlu_pattern *a, wlu_pattern **out);
void wlu_pattern_destroy(wlu_context *ctx, wlu_pattern **pattern);

/* Transposes: buckets the entries of an n by n matrix by their idx; src[q] names the value of the q-th entry (NULL: q).
 * next: n. */
void wlu_bucket(int32_t n, const int32_t *p, const int32_t *i, const int32_t *src, int32_t *tp, int32_t *ti,
                int32_t *tsrc, int32_t *next);

/* The place of (row, col) among the entries by bisection, or -1. */
int32_t wlu_pattern_find(const wlu_pattern *a, int32_t row, int32_t col);

/* out[e] = value of entry e, duplicates summed. */
void wlu_pattern_gather(const wlu_pattern *a, const double *values, double *out);

/* The size of entry e, as it would be gathered from the caller's values (base/number.h). */
double wlu_pattern_size_of_sum(const wlu_pattern *a, const double *values, int32_t e); /* where entries may be sums */
static inline double wlu_pattern_size_of(const wlu_pattern *a, const double *values, int32_t e)
{
    if (a->map_ptr != NULL) return wlu_pattern_size_of_sum(a, values, e);
    return wlu_size_at(values, wlu_pattern_source(a, e), a->doubles);
}

/* The sizes of gathered entries (base/number.h): of real ones these themselves, whose signs do not matter, and *owned
 * is NULL; of complex ones in *owned, nnz, which is the caller's to free. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_pattern_sizes(wlu_context *ctx, const wlu_pattern *a, const double *entries, double **owned,
                                const double **sizes);

#endif
