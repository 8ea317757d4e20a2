/* Patterns row by row: transposed, rows sorted by length within windows, packed. See rows.h. */
#include "matrix/rows.h"

#include "base/power.h"

#include <math.h>
#include <string.h>

/* Rows are sorted by length among this many neighbours, so that the lanes of a group end together and x stays in the
 * caches. */
enum { WINDOW = 2048 };

/* The pattern by rows, while it is packed. */
typedef struct by_row {
    int32_t n, nnz;
    int32_t *p, *col, *entry, *next; /* entry: its number in the pattern */
    int32_t *order;                  /* rows that share groups, then the long ones */
} by_row;

static int32_t length_of(const by_row *t, int32_t row)
{
    return t->p[row + 1] - t->p[row];
}

/* Fills order; returns how many rows share groups. */
static int32_t sort_rows(const by_row *t)
{
    int32_t at = 0;
    for (int32_t from = 0; from < t->n; from += WINDOW) {
        int32_t to = t->n - from < WINDOW ? t->n : from + WINDOW, begin[WLU_ROWS_LONG + 2] = {0};
        for (int32_t i = from; i < to; i++)
            if (length_of(t, i) <= WLU_ROWS_LONG) begin[length_of(t, i) + 1]++;
        begin[0] = at;
        for (int k = 0; k <= WLU_ROWS_LONG; k++) begin[k + 1] += begin[k];
        at = begin[WLU_ROWS_LONG + 1];
        for (int32_t i = from; i < to; i++)
            if (length_of(t, i) <= WLU_ROWS_LONG) t->order[begin[length_of(t, i)]++] = i;
    }
    int32_t shared = at;
    for (int32_t i = 0; i < t->n; i++)
        if (length_of(t, i) > WLU_ROWS_LONG) t->order[at++] = i;
    return shared;
}

/* The row of each place, and the steps of each group. Returns the steps of all. */
static int64_t place_rows(const by_row *t, int32_t shared, wlu_rows *rows)
{
    int64_t all = 0, padded = rows->groups * WLU_ROWS_LANES;
    for (int64_t k = 0; k < padded; k++) rows->row[k] = t->order[k < shared ? k : shared - 1];
    for (int64_t k = 0; k < rows->longs; k++) rows->row[padded + k] = t->order[shared + k];
    for (int64_t g = 0; g < rows->groups; g++)
        for (int lane = 0; lane < WLU_ROWS_LANES; lane++) {
            int32_t length = length_of(t, rows->row[g * WLU_ROWS_LANES + lane]);
            if (length > rows->steps[g]) rows->steps[g] = length;
        }
    for (int64_t k = 0; k < rows->longs; k++)
        rows->steps[rows->groups + k] = (length_of(t, rows->row[padded + k]) - 1) / WLU_ROWS_LANES + 1;
    for (int64_t g = 0; g < rows->groups + rows->longs; g++) {
        rows->begin[g] = 2 * WLU_ROWS_LANES * all;
        all += rows->steps[g];
    }
    return all;
}

/* Entry q of the row, or none. */
static void put(const by_row *t, int32_t row, int64_t q, int32_t *word)
{
    int there = q < length_of(t, row);
    word[0] = there ? t->entry[t->p[row] + q] : t->nnz;
    word[WLU_ROWS_LANES] = there ? t->col[t->p[row] + q] : row;
}

static void fill_words(const by_row *t, const wlu_rows *rows)
{
    int32_t *word = rows->word;
    for (int64_t g = 0; g < rows->groups + rows->longs; g++)
        for (int32_t s = 0; s < rows->steps[g]; s++, word += 2 * WLU_ROWS_LANES)
            for (int lane = 0; lane < WLU_ROWS_LANES; lane++) {
                if (g < rows->groups)
                    put(t, rows->row[g * WLU_ROWS_LANES + lane], s, word + lane);
                else
                    put(t, rows->row[rows->places - rows->longs + g - rows->groups], (int64_t)s * WLU_ROWS_LANES + lane,
                        word + lane);
            }
}

static warplu_status pack(wlu_context *ctx, const by_row *t, wlu_rows *rows)
{
    int32_t shared = sort_rows(t);
    rows->groups = ((int64_t)shared + WLU_ROWS_LANES - 1) / WLU_ROWS_LANES;
    rows->longs = t->n - shared;
    rows->places = rows->groups * WLU_ROWS_LANES + rows->longs;
    rows->row = WLU_ALLOC(ctx, rows->places, int32_t);
    rows->steps = WLU_CALLOC(ctx, rows->groups + rows->longs, int32_t);
    rows->begin = WLU_ALLOC(ctx, rows->groups + rows->longs, int64_t);
    if (rows->row == NULL || rows->steps == NULL || rows->begin == NULL) return wlu_fail_memory(ctx, "rows");
    rows->word = WLU_ALLOC(ctx, 2 * WLU_ROWS_LANES * place_rows(t, shared, rows), int32_t);
    if (rows->word == NULL) return wlu_fail_memory(ctx, "rows");
    fill_words(t, rows);
    return WARPLU_SUCCESS;
}

warplu_status wlu_rows_create(wlu_context *ctx, const wlu_pattern *a, wlu_rows_residual *residual, wlu_rows **out)
{
    by_row t = {.n = a->n, .nnz = a->nnz};
    t.p = WLU_ALLOC(ctx, (int64_t)a->n + 1, int32_t);
    t.col = WLU_ALLOC(ctx, a->nnz, int32_t);
    t.entry = WLU_ALLOC(ctx, a->nnz, int32_t);
    t.next = WLU_ALLOC(ctx, a->n, int32_t);
    wlu_rows *rows = WLU_CALLOC(ctx, 1, wlu_rows);
    warplu_status status = WARPLU_OUT_OF_MEMORY;
    if (WLU_ALL_THERE(t.p, t.col, t.entry, t.next, rows)) {
        rows->residual = residual;
        wlu_bucket(a->n, a->p, a->i, NULL, t.p, t.col, t.entry, t.next);
        t.order = t.next;
        status = pack(ctx, &t, rows);
    } else {
        status = wlu_fail_memory(ctx, "rows");
    }
    wlu_free(ctx, t.p);
    wlu_free(ctx, t.col);
    wlu_free(ctx, t.entry);
    wlu_free(ctx, t.next);
    if (status < 0) wlu_rows_destroy(ctx, &rows);
    *out = rows;
    return status;
}

wlu_rows *wlu_rows_share(wlu_rows *rows)
{
    if (rows != NULL) wlu_count_add(&rows->count);
    return rows;
}

void wlu_rows_destroy(wlu_context *ctx, wlu_rows **out)
{
    wlu_rows *rows = *out;
    *out = NULL;
    if (rows == NULL || !wlu_count_drop(&rows->count)) return;
    wlu_free(ctx, rows->row);
    wlu_free(ctx, rows->steps);
    wlu_free(ctx, rows->begin);
    wlu_free(ctx, rows->word);
    wlu_free(ctx, rows);
}

double wlu_rows_norm(const wlu_rows *rows, const double *entries, int doubles, int64_t place, double wanted)
{
    int64_t first_long = rows->groups * WLU_ROWS_LANES, longer = place - first_long;
    int64_t group = longer < 0 ? place / WLU_ROWS_LANES : rows->groups + longer;
    int from = longer < 0 ? (int)(place % WLU_ROWS_LANES) : 0, to = longer < 0 ? from + 1 : WLU_ROWS_LANES;
    const int32_t *word = rows->word + rows->begin[group];
    double largest = 0.0;
    for (int32_t s = 0; s < rows->steps[group] && !(largest >= wanted); s++, word += 2 * WLU_ROWS_LANES)
        for (int lane = from; lane < to; lane++)
            largest = wlu_larger_bits(largest, wlu_inner_modulus_at(entries, word[lane], doubles));
    return largest;
}
