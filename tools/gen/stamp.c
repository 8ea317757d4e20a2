/* Stamps: the builder, the elements that all circuits share, and assembly by two bucket passes, which take
 * O(n + stamps). */
#include "gen/stamp.h"

#include <string.h>

void stamp_init(stamp *s, wlu_context *ctx)
{
    memset(s, 0, sizeof *s);
    s->ctx = ctx;
}

void stamp_free(stamp *s)
{
    wlu_free(s->ctx, s->entries);
    wlu_free(s->ctx, s->diagonal);
    wlu_free(s->ctx, s->has_diagonal);
    wlu_free(s->ctx, s->rhs);
    s->entries = NULL;
    s->diagonal = s->rhs = NULL;
    s->has_diagonal = NULL;
}

int stamp_begin(stamp *s, int64_t n, int64_t nnz)
{
    if (n > INT32_MAX || nnz > INT32_MAX) {
        s->status =
            wlu_fail(s->ctx, WARPLU_OVERFLOW, "%lld unknowns make about %lld entries; indices end at 2147483647",
                     (long long)n, (long long)nnz);
        return 0;
    }
    s->n = (int32_t)n;
    s->capacity = nnz;
    s->entries = WLU_ALLOC(s->ctx, nnz, stamp_entry);
    s->diagonal = WLU_CALLOC(s->ctx, n, double);
    s->has_diagonal = WLU_CALLOC(s->ctx, n, char);
    s->rhs = WLU_CALLOC(s->ctx, n, double);
    if (s->entries == NULL || s->diagonal == NULL || s->has_diagonal == NULL || s->rhs == NULL) {
        s->status = wlu_fail_memory(s->ctx, "stamps");
        return 0;
    }
    return 1;
}

static int grow(stamp *s)
{
    int64_t capacity = s->capacity + s->capacity / 2 + 64;
    stamp_entry *entries = wlu_resize(s->ctx, s->entries, s->capacity, capacity, sizeof *entries);
    if (entries == NULL) {
        s->status = wlu_fail_memory(s->ctx, "stamps");
        return 0;
    }
    s->entries = entries;
    s->capacity = capacity;
    return 1;
}

void stamp_add(stamp *s, int32_t row, int32_t col, double value)
{
    if (s->status < 0 || row == GEN_GROUND || col == GEN_GROUND) return;
    if (row == col) {
        s->diagonal[row] += value;
        s->has_diagonal[row] = 1;
        return;
    }
    if (s->count == s->capacity && !grow(s)) return;
    s->entries[s->count++] = (stamp_entry){row, col, value};
}

void stamp_current(stamp *s, int32_t node, double current)
{
    if (s->status < 0 || node == GEN_GROUND) return;
    s->rhs[node] += current;
}

void stamp_conductance(stamp *s, int32_t a, int32_t b, double g)
{
    stamp_add(s, a, a, g);
    stamp_add(s, b, b, g);
    stamp_add(s, a, b, -g);
    stamp_add(s, b, a, -g);
}

void stamp_capacitor(stamp *s, int32_t a, int32_t b, double c_over_h, double volts)
{
    stamp_conductance(s, a, b, c_over_h);
    stamp_current(s, a, c_over_h * volts);
    stamp_current(s, b, -(c_over_h * volts));
}

void stamp_voltage_source(stamp *s, int32_t node, int32_t branch, double volts)
{
    stamp_add(s, node, branch, 1.0);
    stamp_add(s, branch, node, 1.0);
    stamp_current(s, branch, volts);
}

/* Buckets the stamps by row, in their order: row_ptr (n + 1), col, value. */
static void bucket_rows(const stamp *s, int64_t *row_ptr, int32_t *col, double *value)
{
    memset(row_ptr, 0, ((size_t)s->n + 1) * sizeof *row_ptr);
    for (int64_t q = 0; q < s->count; q++) row_ptr[s->entries[q].row + 1]++;
    for (int32_t r = 0; r < s->n; r++) row_ptr[r + 1] += row_ptr[r];
    for (int64_t q = 0; q < s->count; q++) {
        int64_t t = row_ptr[s->entries[q].row]++;
        col[t] = s->entries[q].col;
        value[t] = s->entries[q].value;
    }
    for (int32_t r = s->n; r > 0; r--) row_ptr[r] = row_ptr[r - 1];
    row_ptr[0] = 0;
}

/* Counts the entries of each column, a place once: ptr (n + 1) is filled. last: n places of work.
 * Returns their number. */
static int64_t count_columns(const stamp *s, const int64_t *row_ptr, const int32_t *col, int32_t *ptr, int32_t *last)
{
    int64_t nnz = 0;
    for (int32_t j = 0; j < s->n; j++) {
        ptr[j + 1] = s->has_diagonal[j];
        nnz += s->has_diagonal[j];
        last[j] = -1;
    }
    for (int32_t r = 0; r < s->n; r++)
        for (int64_t q = row_ptr[r]; q < row_ptr[r + 1]; q++) {
            int32_t j = col[q];
            if (last[j] == r) continue;
            last[j] = r;
            ptr[j + 1]++;
            nnz++;
        }
    if (nnz > INT32_MAX) return nnz;
    ptr[0] = 0;
    for (int32_t j = 0; j < s->n; j++) ptr[j + 1] += ptr[j];
    return nnz;
}

/* Rows ascending, so that every column's entries arrive sorted and equal places meet. next: n of work. */
static void place(const stamp *s, const int64_t *row_ptr, const int32_t *col, const double *value, gen_matrix *m,
                  int32_t *next)
{
    memcpy(next, m->ptr, (size_t)m->n * sizeof *next);
    for (int32_t r = 0; r < m->n; r++) {
        if (s->has_diagonal[r]) {
            m->idx[next[r]] = r;
            m->values[next[r]++] = s->diagonal[r];
        }
        for (int64_t q = row_ptr[r]; q < row_ptr[r + 1]; q++) {
            int32_t j = col[q], t = next[j];
            if (t > m->ptr[j] && m->idx[t - 1] == r) {
                m->values[t - 1] += value[q];
                continue;
            }
            m->idx[t] = r;
            m->values[t] = value[q];
            next[j]++;
        }
    }
}

warplu_status stamp_assemble(stamp *s, gen_matrix *out)
{
    wlu_context *ctx = s->ctx;
    gen_matrix m = {.n = s->n};
    int64_t *row_ptr = NULL;
    int32_t *col = NULL, *work = NULL;
    double *value = NULL;
    memset(out, 0, sizeof *out);
    if (s->status < 0) goto done;
    row_ptr = WLU_ALLOC(ctx, (int64_t)m.n + 1, int64_t);
    col = WLU_ALLOC(ctx, s->count, int32_t);
    value = WLU_ALLOC(ctx, s->count, double);
    work = WLU_ALLOC(ctx, m.n, int32_t);
    m.ptr = WLU_ALLOC(ctx, (int64_t)m.n + 1, int32_t);
    if (row_ptr == NULL || col == NULL || value == NULL || work == NULL || m.ptr == NULL) goto no_memory;
    bucket_rows(s, row_ptr, col, value);
    wlu_free(ctx, s->entries);
    s->entries = NULL;
    int64_t nnz = count_columns(s, row_ptr, col, m.ptr, work);
    if (nnz > INT32_MAX) {
        s->status = wlu_fail(ctx, WARPLU_OVERFLOW, "%lld entries; indices end at 2147483647", (long long)nnz);
        goto done;
    }
    m.idx = WLU_ALLOC(ctx, nnz, int32_t);
    m.values = WLU_ALLOC(ctx, nnz, double);
    if (m.idx == NULL || m.values == NULL) goto no_memory;
    place(s, row_ptr, col, value, &m, work);
    m.rhs = s->rhs;
    s->rhs = NULL;
    goto done;
no_memory:
    s->status = wlu_fail_memory(ctx, "assembly of the matrix");
done:
    wlu_free(ctx, row_ptr);
    wlu_free(ctx, col);
    wlu_free(ctx, value);
    wlu_free(ctx, work);
    stamp_free(s);
    if (s->status < 0)
        gen_matrix_free(ctx, &m);
    else
        *out = m;
    return s->status;
}

void gen_matrix_free(wlu_context *ctx, gen_matrix *m)
{
    wlu_free(ctx, m->ptr);
    wlu_free(ctx, m->idx);
    wlu_free(ctx, m->values);
    wlu_free(ctx, m->rhs);
    memset(m, 0, sizeof *m);
}
