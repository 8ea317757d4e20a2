/* A matrix by rows, for solvers that want it so: built once from the columns, then filled again and again. */
#ifndef WLU_PEER_ROWS_H
#define WLU_PEER_ROWS_H

#include <stdlib.h>

#include "peer.h"

typedef struct peer_rows {
    int32_t n;
    int32_t *ptr, *idx; /* columns ascending in each row */
    int32_t *from;      /* place by rows -> place in the columns' values */
    double *values;
} peer_rows;

static inline void peer_rows_fill(peer_rows *r, const double *values)
{
    for (int32_t k = 0; k < r->ptr[r->n]; k++) r->values[k] = values[r->from[k]];
}

static inline void peer_rows_destroy(peer_rows *r)
{
    free(r->ptr);
    free(r->idx);
    free(r->from);
    free(r->values);
    *r = (peer_rows){0};
}

/* Counting sort, O(n + nnz). 0: out of memory, and nothing is owned. */
static inline int peer_rows_create(peer_rows *r, const peer_matrix *a)
{
    size_t n = (size_t)a->n, nnz = (size_t)a->ptr[n];
    *r = (peer_rows){.n = a->n,
                     .ptr = calloc(n + 2, sizeof *r->ptr),
                     .idx = malloc((nnz + 1) * sizeof *r->idx),
                     .from = malloc((nnz + 1) * sizeof *r->from),
                     .values = malloc((nnz + 1) * sizeof *r->values)};
    if (r->ptr == NULL || r->idx == NULL || r->from == NULL || r->values == NULL) {
        peer_rows_destroy(r);
        return 0;
    }
    /* next[i] is where row i's next entry goes, and ends as where row i + 1 begins. */
    int32_t *next = r->ptr + 1;
    for (size_t k = 0; k < nnz; k++) next[a->idx[k] + 1]++;
    for (size_t i = 0; i < n; i++) next[i + 1] += next[i];
    for (int32_t j = 0; j < a->n; j++) {
        for (int32_t k = a->ptr[j]; k < a->ptr[j + 1]; k++) {
            int32_t place = next[a->idx[k]]++;
            r->idx[place] = j;
            r->from[place] = k;
        }
    }
    peer_rows_fill(r, a->values);
    return 1;
}

#endif
