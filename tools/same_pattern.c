/* See same_pattern.h. Both matrices have their rows ascending in each column, so that one walk finds all places. */
#include "same_pattern.h"

#include <string.h>

typedef struct pair {
    wlu_context *ctx;
    const char *path, *a_path;
    const warplu_mm_matrix *a, *m;
    size_t doubles; /* of a value */
} pair;

/* Rows and columns as files count them, from 1. */
static warplu_status outside(const pair *p, int32_t row, int32_t column)
{
    return wlu_fail(p->ctx, WARPLU_PATTERN_MISMATCH, "%s: entry (%d, %d) is outside the pattern of %s", p->path,
                    (int)row + 1, (int)column + 1, p->a_path);
}

static warplu_status missing(const pair *p, int32_t row, int32_t column)
{
    return wlu_fail(p->ctx, WARPLU_PATTERN_MISMATCH, "%s: there is no entry (%d, %d), expected one as in %s", p->path,
                    (int)row + 1, (int)column + 1, p->a_path);
}

/* One column; entries of a that m lacks are looked for only where whole is not 0. */
static warplu_status map_column(const pair *p, int32_t column, int whole, double *out)
{
    const warplu_mm_matrix *a = p->a, *m = p->m;
    int32_t at = a->ptr[column], end = a->ptr[column + 1];
    for (int32_t q = m->ptr[column]; q < m->ptr[column + 1]; q++) {
        int32_t first = at;
        while (at < end && a->idx[at] < m->idx[q]) at++;
        if (at == end || a->idx[at] != m->idx[q]) return outside(p, m->idx[q], column);
        if (whole && at > first) return missing(p, a->idx[first], column);
        memcpy(out + p->doubles * at++, m->values + p->doubles * q, p->doubles * sizeof *out);
    }
    return whole && at < end ? missing(p, a->idx[at], column) : WARPLU_SUCCESS;
}

static warplu_status map_values(const pair *p, int whole, double *out)
{
    warplu_status status = WARPLU_SUCCESS;
    if (p->m->nrow != p->a->nrow)
        return wlu_fail(p->ctx, WARPLU_PATTERN_MISMATCH, "%s: n is %d, expected %d as in %s", p->path, (int)p->m->nrow,
                        (int)p->a->nrow, p->a_path);
    memset(out, 0, (size_t)p->a->nnz * p->doubles * sizeof *out);
    for (int32_t j = 0; j < p->a->ncol && status >= 0; j++) status = map_column(p, j, whole, out);
    return status;
}

warplu_status same_pattern_read(load_setup *s, const char *path, const char *a_path, const warplu_mm_matrix *a,
                                int whole, double *out)
{
    warplu_mm_matrix m;
    warplu_status status = load_system(s, path, &m);
    if (status < 0) return status;
    status = load_as(s, path, a_path, a, &m);
    if (status >= 0) status = map_values(&(pair){&s->ctx, path, a_path, a, &m, (size_t)load_doubles(a)}, whole, out);
    warplu_mm_free(&m);
    return status;
}
