/* Assembles the entries of a Matrix Market file to CSC.
 *
 * Coordinate files: entries are counted and dropped into their columns in file order, the mirrored one right
 * behind its original, so that a file sorted by columns or by rows, as nearly all are, gives ascending
 * columns at once. A column that does not ascend is sorted by a stable merge; neighbours of one row are then
 * summed in file order. Array files are copied or mirrored.
 *
 * Cost: O(n + nnz), and O(c log c) for a column of c entries out of order. No array of nrow elements is
 * needed, so a matrix with few entries and many rows stays small. Ownership: out's arrays are the caller's
 * even on failure; the sorting workspace is released here. */
#include "matrix_market/entries.h"

#include <math.h>
#include <string.h>

/* Workspace to sort one column: keys row << 32 | place, so that equal rows keep their order. */
typedef struct sorter {
    wlu_context *ctx;
    int32_t longest;
    uint64_t *keys, *other; /* longest each; NULL until a column needs them */
    double *values;         /* longest times parts */
} sorter;

/* The value of an entry mirrored at the diagonal. */
static void mirror(warplu_mm_symmetry symmetry, int parts, const double *v, double *out)
{
    double sign = symmetry == WARPLU_MM_SYMMETRY_SKEW_SYMMETRIC ? -1.0 : 1.0;
    if (parts > 0) out[0] = sign * v[0];
    if (parts > 1) out[1] = symmetry == WARPLU_MM_SYMMETRY_HERMITIAN ? -v[1] : sign * v[1];
}

static void copy_value(int parts, const double *v, double *out)
{
    for (int k = 0; k < parts; k++) out[k] = v[k];
}

static int sorter_reserve(sorter *s, int parts)
{
    if (s->keys != NULL) return 1;
    s->keys = WLU_ALLOC(s->ctx, s->longest, uint64_t);
    s->other = WLU_ALLOC(s->ctx, s->longest, uint64_t);
    s->values = WLU_ALLOC(s->ctx, (int64_t)s->longest * parts, double);
    return s->keys != NULL && s->other != NULL && s->values != NULL;
}

/* Bottom-up merge sort; the result is in s->keys. */
static void sort_keys(sorter *s, int64_t n)
{
    for (int64_t width = 1; width < n; width *= 2) {
        uint64_t *from = s->keys, *to = s->other;
        for (int64_t start = 0; start < n; start += 2 * width) {
            int64_t middle = start + width < n ? start + width : n;
            int64_t stop = start + 2 * width < n ? start + 2 * width : n;
            int64_t a = start, b = middle;
            for (int64_t k = start; k < stop; k++)
                to[k] = a < middle && (b == stop || from[a] < from[b]) ? from[a++] : from[b++];
        }
        s->keys = to;
        s->other = from;
    }
}

/* Sorts the n entries of one column by row, stably. Returns 0 where memory runs out. */
static int sort_column(sorter *s, int64_t n, int parts, int32_t *idx, double *values)
{
    if (!sorter_reserve(s, parts)) return 0;
    for (int64_t k = 0; k < n; k++) s->keys[k] = (uint64_t)idx[k] << 32 | (uint64_t)k;
    sort_keys(s, n);
    if (parts > 0) memcpy(s->values, values, (size_t)(n * parts) * sizeof *values);
    for (int64_t k = 0; k < n; k++) {
        idx[k] = (int32_t)(s->keys[k] >> 32);
        if (parts > 0) copy_value(parts, s->values + (s->keys[k] & UINT32_MAX) * (uint64_t)parts, values + k * parts);
    }
    return 1;
}

/* Counts, then drops the entries into their columns. ptr: ncol + 1 zeros. Returns the longest column. */
static int32_t scatter(const wlu_mm_entries *e, int32_t *ptr, int32_t *idx, double *values)
{
    const int mirrored = e->typecode.symmetry != WARPLU_MM_SYMMETRY_GENERAL, parts = e->parts;
    const int32_t *row = e->row, *col = e->col;
    for (int64_t k = 0; k < e->held; k++) {
        ptr[col[k]]++;
        if (mirrored && row[k] != col[k]) ptr[row[k]]++;
    }
    int32_t longest = 0, start = 0;
    for (int64_t j = 0; j <= e->ncol; j++) { /* ncol may be INT32_MAX */
        int32_t count = ptr[j];
        if (count > longest) longest = count;
        ptr[j] = start;
        start += count;
    }
    for (int64_t k = 0; k < e->held; k++) {
        int64_t q = ptr[col[k]]++;
        idx[q] = row[k];
        if (parts > 0) copy_value(parts, e->values + k * parts, values + q * parts);
        if (!mirrored || row[k] == col[k]) continue;
        q = ptr[row[k]]++;
        idx[q] = col[k];
        if (parts > 0) mirror(e->typecode.symmetry, parts, e->values + k * parts, values + q * parts);
    }
    for (int32_t j = e->ncol; j > 0; j--) ptr[j] = ptr[j - 1]; /* the ends were starts of the next */
    ptr[0] = 0;
    return longest;
}

/* Sorts each column where needed, sums duplicates and closes the gaps. */
static warplu_status tidy(sorter *s, warplu_mm_matrix *m, int parts, int32_t *bad_row, int32_t *bad_col)
{
    int32_t start = 0, w = 0; /* w: entries kept so far */
    for (int32_t j = 0; j < m->ncol; j++) {
        int32_t stop = m->ptr[j + 1], first = w, q = start;
        while (q + 1 < stop && m->idx[q] <= m->idx[q + 1]) q++;
        if (q + 1 < stop &&
            !sort_column(s, stop - start, parts, m->idx + start, parts > 0 ? m->values + (int64_t)start * parts : NULL))
            return WARPLU_OUT_OF_MEMORY;
        for (q = start; q < stop; q++) {
            const int64_t from = (int64_t)q * parts;
            if (w > first && m->idx[w - 1] == m->idx[q]) {
                for (int k = 0; k < parts; k++) {
                    double *sum = m->values + (int64_t)(w - 1) * parts + k;
                    *sum += m->values[from + k];
                    if (isfinite(*sum)) continue;
                    *bad_row = m->idx[q];
                    *bad_col = j;
                    return WARPLU_NOT_FINITE;
                }
                continue;
            }
            m->idx[w] = m->idx[q];
            for (int k = 0; k < parts; k++) m->values[(int64_t)w * parts + k] = m->values[from + k];
            w++;
        }
        start = stop;
        m->ptr[j + 1] = w;
    }
    m->duplicates = start - w;
    m->nnz = w;
    return WARPLU_SUCCESS;
}

static warplu_status assemble_coordinate(wlu_context *ctx, const wlu_mm_entries *e, warplu_mm_matrix *out,
                                         int32_t *bad_row, int32_t *bad_col)
{
    out->ptr = WLU_CALLOC(ctx, (int64_t)e->ncol + 1, int32_t);
    out->idx = WLU_ALLOC(ctx, e->expanded, int32_t);
    if (e->parts > 0) out->values = WLU_ALLOC(ctx, e->expanded * e->parts, double);
    if (out->ptr == NULL || out->idx == NULL || (e->parts > 0 && out->values == NULL)) return WARPLU_OUT_OF_MEMORY;
    sorter s = {.ctx = ctx};
    s.longest = scatter(e, out->ptr, out->idx, out->values);
    warplu_status status = tidy(&s, out, e->parts, bad_row, bad_col);
    wlu_free(ctx, s.keys);
    wlu_free(ctx, s.other);
    wlu_free(ctx, s.values);
    return status;
}

/* The lower triangle, column by column, to a full matrix. */
static void expand_array(const wlu_mm_entries *e, double *full)
{
    const warplu_mm_symmetry symmetry = e->typecode.symmetry;
    const int64_t n = e->ncol, parts = e->parts;
    const int skew = symmetry == WARPLU_MM_SYMMETRY_SKEW_SYMMETRIC;
    const double *v = e->values;
    for (int64_t j = 0; j < n; j++) {
        if (skew)
            for (int64_t k = 0; k < parts; k++) full[(j * n + j) * parts + k] = 0.0;
        for (int64_t i = j + skew; i < n; i++, v += parts) {
            copy_value(e->parts, v, full + (j * n + i) * parts);
            if (i != j) mirror(symmetry, e->parts, v, full + (i * n + j) * parts);
        }
    }
}

static warplu_status assemble_array(wlu_context *ctx, wlu_mm_entries *e, warplu_mm_matrix *out)
{
    const int32_t nrow = e->nrow, ncol = e->ncol;
    out->nnz = e->expanded;
    out->ptr = WLU_ALLOC(ctx, (int64_t)ncol + 1, int32_t);
    out->idx = WLU_ALLOC(ctx, out->nnz, int32_t);
    if (out->ptr == NULL || out->idx == NULL) return WARPLU_OUT_OF_MEMORY;
    for (int64_t j = 0; j <= ncol; j++) out->ptr[j] = (int32_t)(j * nrow); /* nrow ncol <= 2^31 - 1 */
    for (int64_t q = 0; q < out->nnz; q++) out->idx[q] = (int32_t)(q % nrow);
    if (e->typecode.symmetry == WARPLU_MM_SYMMETRY_GENERAL) {
        out->values = e->values;
        e->values = NULL;
        return WARPLU_SUCCESS;
    }
    out->values = WLU_ALLOC(ctx, out->nnz * e->parts, double);
    if (out->values == NULL) return WARPLU_OUT_OF_MEMORY;
    expand_array(e, out->values);
    return WARPLU_SUCCESS;
}

static int64_t count_zeros(const warplu_mm_matrix *m, int parts)
{
    int64_t zeros = 0;
    for (int64_t q = 0; q < m->nnz && parts > 0; q++)
        zeros += m->values[q * parts] == 0.0 && m->values[q * parts + parts - 1] == 0.0;
    return zeros;
}

warplu_status wlu_mm_assemble(wlu_context *ctx, wlu_mm_entries *e, warplu_mm_matrix *out, int32_t *bad_row,
                              int32_t *bad_col)
{
    out->typecode = e->typecode;
    out->nrow = e->nrow;
    out->ncol = e->ncol;
    out->stored = e->held;
    warplu_status status = e->typecode.format == WARPLU_MM_FORMAT_COORDINATE
                               ? assemble_coordinate(ctx, e, out, bad_row, bad_col)
                               : assemble_array(ctx, e, out);
    if (status == WARPLU_SUCCESS) out->zeros = count_zeros(out, e->parts);
    return status;
}
