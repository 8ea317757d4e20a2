/* Patterns: validation of the caller's arrays, sorting by two transposes, duplicates, look-up. */
#include "matrix/sparse.h"

#include "base/power.h"

#include <math.h>
#include <string.h>

/* The first index that is out of range, or falling pointer, as there is one. */
static warplu_status fail_invalid(wlu_context *ctx, warplu_storage storage, int32_t n, const int32_t *ptr,
                                  const int32_t *idx)
{
    const char *line = storage == WARPLU_STORAGE_CSC ? "column" : "row";
    for (int32_t j = 0; j < n; j++)
        if (ptr[j + 1] < ptr[j])
            return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "ptr falls from %d to %d at %s %d", ptr[j], ptr[j + 1], line,
                            j);
    int32_t q = 0, j = 0;
    while (idx[q] >= 0 && idx[q] < n) q++;
    while (ptr[j + 1] <= q) j++;
    return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "idx[%d] is %d in %s %d, expected 0 to %d", q, idx[q], line, j,
                    n - 1);
}

/* Many at a time: what is wrong is looked for once something is. */
static warplu_status validate(wlu_context *ctx, warplu_storage storage, int32_t n, const int32_t *ptr,
                              const int32_t *idx)
{
    int falls = 0, outside = 0;
    if (n == 0) return wlu_fail(ctx, WARPLU_EMPTY, "the matrix has no rows");
    if (n < 0) return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "n is %d, expected a positive number", n);
    if (ptr == NULL) return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "ptr is NULL");
    if (ptr[0] != 0) return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "ptr[0] is %d, expected 0", ptr[0]);
    for (int32_t j = 0; j < n; j++) falls |= ptr[j + 1] < ptr[j];
    if (falls) return fail_invalid(ctx, storage, n, ptr, idx);
    if (idx == NULL && ptr[n] > 0) return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "idx is NULL");
    for (int32_t q = 0, end = ptr[n]; q < end; q++) outside |= (idx[q] < 0) | (idx[q] >= n);
    return outside ? fail_invalid(ctx, storage, n, ptr, idx) : WARPLU_SUCCESS;
}

void wlu_bucket(int32_t n, const int32_t *p, const int32_t *i, const int32_t *src, int32_t *tp, int32_t *ti,
                int32_t *tsrc, int32_t *next)
{
    memset(tp, 0, ((size_t)n + 1) * sizeof *tp);
    for (int32_t q = 0; q < p[n]; q++) tp[i[q] + 1]++;
    for (int32_t r = 0; r < n; r++) tp[r + 1] += tp[r];
    memcpy(next, tp, (size_t)n * sizeof *next);
    for (int32_t j = 0; j < n; j++)
        for (int32_t q = p[j]; q < p[j + 1]; q++) {
            int32_t t = next[i[q]]++;
            ti[t] = j;
            tsrc[t] = src == NULL ? q : src[q];
        }
}

/* Merges equal neighbours of the sorted columns. map_ptr is kept only if there are any. */
static warplu_status merge_duplicates(wlu_context *ctx, wlu_pattern *a)
{
    int32_t duplicates = 0;
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t q = a->p[j] + 1; q < a->p[j + 1]; q++) duplicates += a->i[q] == a->i[q - 1];
    a->nnz = a->nvalues - duplicates;
    if (duplicates == 0) return WARPLU_SUCCESS;
    a->map_ptr = WLU_ALLOC(ctx, (int64_t)a->nnz + 1, int32_t);
    if (a->map_ptr == NULL) return wlu_fail_memory(ctx, "load map of the pattern");
    int32_t e = 0, begin = 0;
    for (int32_t j = 0; j < a->n; j++) {
        int32_t end = a->p[j + 1];
        for (int32_t q = begin; q < end; q++) {
            if (q > begin && a->i[q] == a->i[e - 1]) continue;
            a->map_ptr[e] = q;
            a->i[e++] = a->i[q];
        }
        begin = end;
        a->p[j + 1] = e;
    }
    a->map_ptr[e] = a->nvalues;
    return WARPLU_SUCCESS;
}

/* Whether the indices of each line ascend, none twice: all falls are where a line ends. */
static int is_sorted(int32_t n, const int32_t *ptr, const int32_t *idx)
{
    int32_t falls = 0, at_ends = 0, end = ptr[n];
    for (int32_t q = 1; q < end; q++) falls += idx[q] <= idx[q - 1];
    for (int32_t j = 0; j < n && ptr[j + 1] < end; j++) {
        int32_t q = ptr[j + 1];
        at_ends += q > ptr[j] && idx[q] <= idx[q - 1];
    }
    return falls == at_ends;
}

/* Sorted columns are the pattern as they stand. */
static void copy_columns(const int32_t *ptr, const int32_t *idx, wlu_pattern *a)
{
    memcpy(a->p, ptr, ((size_t)a->n + 1) * sizeof *a->p);
    if (a->nvalues > 0) memcpy(a->i, idx, (size_t)a->nvalues * sizeof *a->i);
    a->nnz = a->nvalues;
}

/* One bucket pass turns lines into sorted lines of the other kind; CSC needs a second one. */
static warplu_status sort_columns(wlu_context *ctx, warplu_storage storage, const int32_t *ptr, const int32_t *idx,
                                  wlu_pattern *a)
{
    int64_t n = a->n, nnz = a->nvalues;
    a->map = WLU_ALLOC(ctx, nnz, int32_t);
    int32_t *tp = WLU_ALLOC(ctx, n + 1, int32_t);
    int32_t *ti = WLU_ALLOC(ctx, nnz, int32_t);
    int32_t *tsrc = WLU_ALLOC(ctx, nnz, int32_t);
    int32_t *next = WLU_ALLOC(ctx, n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (!WLU_ALL_THERE(a->map, tp, ti, tsrc, next)) {
        status = wlu_fail_memory(ctx, "pattern");
    } else if (storage == WARPLU_STORAGE_CSR) {
        wlu_bucket(a->n, ptr, idx, NULL, a->p, a->i, a->map, next);
    } else {
        wlu_bucket(a->n, ptr, idx, NULL, tp, ti, tsrc, next);
        wlu_bucket(a->n, tp, ti, tsrc, a->p, a->i, a->map, next);
    }
    if (status == WARPLU_SUCCESS) status = merge_duplicates(ctx, a);
    wlu_free(ctx, tp);
    wlu_free(ctx, ti);
    wlu_free(ctx, tsrc);
    wlu_free(ctx, next);
    return status;
}

warplu_status wlu_pattern_create(wlu_context *ctx, warplu_storage storage, int32_t n, const int32_t *ptr,
                                 const int32_t *idx, wlu_pattern **out)
{
    *out = NULL;
    warplu_status status = validate(ctx, storage, n, ptr, idx);
    if (status < 0) return status;
    int64_t nnz = ptr[n];
    wlu_pattern *a = WLU_CALLOC(ctx, 1, wlu_pattern);
    if (a != NULL) {
        a->n = n;
        a->nvalues = (int32_t)nnz;
        a->doubles = 1;
        a->p = WLU_ALLOC(ctx, (int64_t)n + 1, int32_t);
        a->i = WLU_ALLOC(ctx, nnz, int32_t);
    }
    if (a == NULL || a->p == NULL || a->i == NULL)
        status = wlu_fail_memory(ctx, "pattern");
    else if (storage == WARPLU_STORAGE_CSC && is_sorted(n, ptr, idx))
        copy_columns(ptr, idx, a);
    else
        status = sort_columns(ctx, storage, ptr, idx, a);
    if (status < 0) wlu_pattern_destroy(ctx, &a);
    *out = a;
    return status;
}

static int32_t *copy_array(wlu_context *ctx, const int32_t *from, int64_t count)
{
    int32_t *to = from != NULL ? WLU_ALLOC(ctx, count, int32_t) : NULL;
    if (to != NULL) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

warplu_status wlu_pattern_clone(wlu_context *ctx, const wlu_pattern *a, wlu_pattern **out)
{
    *out = WLU_CALLOC(ctx, 1, wlu_pattern);
    wlu_pattern *c = *out;
    if (c == NULL) return wlu_fail_memory(ctx, "pattern");
    c->n = a->n;
    c->nnz = a->nnz;
    c->nvalues = a->nvalues;
    c->doubles = a->doubles;
    c->p = copy_array(ctx, a->p, (int64_t)a->n + 1);
    c->i = copy_array(ctx, a->i, a->nnz);
    c->map = copy_array(ctx, a->map, a->nvalues);
    c->map_ptr = copy_array(ctx, a->map_ptr, (int64_t)a->nnz + 1);
    if (c->p != NULL && c->i != NULL && (c->map != NULL || a->map == NULL) &&
        (c->map_ptr != NULL || a->map_ptr == NULL))
        return WARPLU_SUCCESS;
    wlu_pattern_destroy(ctx, out);
    return wlu_fail_memory(ctx, "pattern");
}

void wlu_pattern_destroy(wlu_context *ctx, wlu_pattern **pattern)
{
    wlu_pattern *a = *pattern;
    if (a == NULL) return;
    wlu_free(ctx, a->p);
    wlu_free(ctx, a->i);
    wlu_free(ctx, a->map_ptr);
    wlu_free(ctx, a->map);
    wlu_free(ctx, a);
    *pattern = NULL;
}

/* What is left of a column once it is as short as this is gone through. */
enum { BISECTED = 8 };

int32_t wlu_pattern_find(const wlu_pattern *a, int32_t row, int32_t col)
{
    int32_t lo = a->p[col], end = a->p[col + 1], hi = end;
    while (hi - lo > BISECTED) {
        int32_t mid = lo + (hi - lo) / 2;
        if (a->i[mid] < row)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo < hi && a->i[lo] < row) lo++;
    return lo < end && a->i[lo] == row ? lo : -1;
}

/* One part of every entry, of values of so many doubles. */
static void gather_part(const wlu_pattern *a, const double *values, double *out, int64_t doubles)
{
    if (a->map_ptr == NULL) {
        for (int32_t e = 0; e < a->nnz; e++) out[doubles * e] = values[doubles * a->map[e]];
        return;
    }
    for (int32_t e = 0; e < a->nnz; e++) {
        double sum = values[doubles * a->map[a->map_ptr[e]]];
        for (int32_t q = a->map_ptr[e] + 1; q < a->map_ptr[e + 1]; q++) sum += values[doubles * a->map[q]];
        out[doubles * e] = sum;
    }
}

void wlu_pattern_gather(const wlu_pattern *a, const double *values, double *out)
{
    if (a->map == NULL) {
        memcpy(out, values, (size_t)a->nnz * (size_t)a->doubles * sizeof *out);
    } else if (a->doubles == 1) {
        gather_part(a, values, out, 1);
    } else {
        gather_part(a, values, out, 2);
        gather_part(a, values + 1, out + 1, 2);
    }
}

double wlu_pattern_size_of_sum(const wlu_pattern *a, const double *values, int32_t e)
{
    double largest = 0.0;
    for (int k = 0; k < a->doubles; k++) {
        double sum = values[a->doubles * (int64_t)a->map[a->map_ptr[e]] + k];
        for (int32_t q = a->map_ptr[e] + 1; q < a->map_ptr[e + 1]; q++)
            sum += values[a->doubles * (int64_t)a->map[q] + k];
        largest = wlu_larger_bits(largest, fabs(sum));
    }
    return largest;
}

warplu_status wlu_pattern_sizes(wlu_context *ctx, const wlu_pattern *a, const double *entries, double **owned,
                                const double **sizes)
{
    *owned = NULL;
    *sizes = entries;
    if (a->doubles == 1 || entries == NULL) return WARPLU_SUCCESS;
    *sizes = *owned = WLU_ALLOC(ctx, a->nnz, double);
    if (*owned == NULL) return wlu_fail_memory(ctx, "sizes of entries");
    for (int64_t e = 0; e < a->nnz; e++) (*owned)[e] = wlu_size_at(entries, e, a->doubles);
    return WARPLU_SUCCESS;
}
