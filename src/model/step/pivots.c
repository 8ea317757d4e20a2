/* Eliminates a pattern, and samples of its numbers, to choose pivots. See pivots.h. */
#include "model/step/pivots.h"

#include <math.h>
#include <string.h>

#include "model/method/transversal.h"

/* Pivots of samples below this share of their row are nothing; those that numbers choose have the other one. */
static const double NOTHING = 1e-5, ENOUGH = 1e-2;

typedef struct search {
    const wlm_jacobian *matrix;
    const double *const *value;
    int32_t n, samples;
    int64_t terms;
    unsigned char *there, *done, *gone;    /* n x n; rows and columns that had their pivot */
    double *a;                             /* samples x n x n */
    int32_t *match, *of_rows, *of_columns; /* entries that are left */
} search;

static double *number(const search *s, int32_t sample, int32_t i, int32_t j)
{
    return &s->a[((int64_t)sample * s->n + i) * s->n + j];
}

static unsigned char *there(const search *s, int32_t i, int32_t j)
{
    return &s->there[(int64_t)i * s->n + j];
}

static void begin(search *s)
{
    const wlm_jacobian *m = s->matrix;
    const int64_t square = (int64_t)s->n * s->n;
    memset(s->there, 0, (size_t)(square + 2 * s->n));
    memset(s->a, 0, (size_t)(s->samples * square) * sizeof *s->a);
    memset(s->of_rows, 0, 2 * (size_t)s->n * sizeof *s->of_rows);
    s->terms = 0;
    for (int32_t i = 0; i < s->n; i++)
        for (int32_t k = m->ptr[i]; k < m->ptr[i + 1]; k++) {
            *there(s, i, m->idx[k]) = 1;
            s->of_rows[i]++, s->of_columns[m->idx[k]]++;
            for (int32_t v = 0; v < s->samples; v++) *number(s, v, i, m->idx[k]) = s->value[v][k];
        }
}

static int64_t price(const search *s, int32_t i, int32_t j)
{
    return (int64_t)(s->of_rows[i] - 1) * (s->of_columns[j] - 1);
}

/* The least share of an entry in the largest of its row, in all samples; 1 where there are none. */
static double share(const search *s, int32_t i, int32_t j)
{
    double least = 1.0;
    for (int32_t v = 0; v < s->samples; v++) {
        double most = 0.0;
        for (int32_t c = 0; c < s->n; c++)
            if (!s->gone[c]) most = fmax(most, fabs(*number(s, v, i, c)));
        const double here = most > 0.0 ? fabs(*number(s, v, i, j)) / most : 0.0;
        least = fmin(least, here);
    }
    return least;
}

/* The row whose matched entry has the least price. */
static int32_t choose_by_structure(const search *s)
{
    int32_t best = -1;
    for (int32_t i = 0; i < s->n; i++)
        if (!s->done[i] && (best < 0 || price(s, i, s->match[i]) < price(s, best, s->match[best]))) best = i;
    return best;
}

/* The entry with the least price among those that are large enough; else that with the largest share. */
static void choose_by_numbers(const search *s, int32_t *row, int32_t *column)
{
    int64_t least = INT64_MAX;
    double most = -1.0;
    for (int32_t i = 0; i < s->n; i++)
        for (int32_t j = 0; j < s->n && !s->done[i]; j++) {
            if (!*there(s, i, j) || s->gone[j] || (most >= ENOUGH && price(s, i, j) > least)) continue;
            const double here = share(s, i, j);
            const int cheaper = here >= ENOUGH && (most < ENOUGH || price(s, i, j) < least);
            if (!cheaper && !(here > most && (here < ENOUGH || price(s, i, j) == least))) continue;
            most = here, least = here >= ENOUGH ? price(s, i, j) : INT64_MAX;
            *row = i, *column = j;
        }
}

static void subtract(search *s, int32_t pivot_row, int32_t pivot_column, int32_t row)
{
    s->of_rows[row]--;
    for (int32_t j = 0; j < s->n; j++) {
        if (!*there(s, pivot_row, j) || s->gone[j]) continue;
        s->terms++;
        if (!*there(s, row, j)) *there(s, row, j) = 1, s->of_rows[row]++, s->of_columns[j]++;
        for (int32_t v = 0; v < s->samples; v++) {
            const double pivot = *number(s, v, pivot_row, pivot_column);
            if (pivot != 0.0) /* a sample that is singular says nothing more */
                *number(s, v, row, j) -= *number(s, v, row, pivot_column) / pivot * *number(s, v, pivot_row, j);
        }
    }
}

static void eliminate(search *s, int32_t row, int32_t column)
{
    s->done[row] = s->gone[column] = 1;
    for (int32_t j = 0; j < s->n; j++) s->of_columns[j] -= *there(s, row, j);
    for (int32_t i = 0; i < s->n; i++)
        if (!s->done[i] && *there(s, i, column)) subtract(s, row, column, i);
}

/* 0 where a pivot of a sample is nothing. */
static int order_by_structure(search *s, int32_t *row, int32_t *column)
{
    begin(s);
    for (int32_t k = 0; k < s->n && s->terms <= WLM_LU_TERMS; k++) {
        row[k] = choose_by_structure(s);
        column[k] = s->match[row[k]];
        if (share(s, row[k], column[k]) < NOTHING) return 0;
        eliminate(s, row[k], column[k]);
    }
    return 1;
}

static void order_by_numbers(search *s, int32_t *row, int32_t *column)
{
    begin(s);
    for (int32_t k = 0; k < s->n && s->terms <= WLM_LU_TERMS; k++) {
        choose_by_numbers(s, &row[k], &column[k]);
        eliminate(s, row[k], column[k]);
    }
}

static warplu_status choose(wlu_context *ctx, search *s, const wlm_jacobian *strong, int32_t *row, int32_t *column)
{
    int32_t open = 0, matched = wlm_transversal(ctx, s->matrix, strong, s->match, &open);
    if (matched < 0) return wlu_fail_memory(ctx, "step");
    if (matched < s->n)
        return wlu_fail(ctx, WARPLU_STRUCTURALLY_SINGULAR, "step: equation %d of %d determines no unknown", open + 1,
                        s->n);
    if (!order_by_structure(s, row, column)) order_by_numbers(s, row, column);
    if (s->terms > WLM_LU_TERMS)
        return wlu_fail(ctx, WARPLU_PROGRAM_TOO_LARGE,
                        "step: LU of %d unknowns has more than %d terms, too many to stand in lanes", s->n,
                        WLM_LU_TERMS);
    return WARPLU_SUCCESS;
}

warplu_status wlm_pivots_choose(wlu_context *ctx, const wlm_jacobian *matrix, const wlm_jacobian *strong,
                                const double *const *value, int32_t *row, int32_t *column)
{
    const int64_t n = matrix->rows, square = n * n;
    if (n > WLM_LU_MOST)
        return wlu_fail(ctx, WARPLU_PROGRAM_TOO_LARGE,
                        "step: %d unknowns, more than %d, are too many to stand in lanes", matrix->rows, WLM_LU_MOST);
    search s = {.matrix = matrix, .value = value, .n = (int32_t)n, .samples = value != NULL ? WLM_PIVOT_SAMPLES : 0};
    s.there = WLU_ALLOC(ctx, square + 2 * n, unsigned char);
    s.a = WLU_ALLOC(ctx, s.samples * square, double);
    s.match = WLU_ALLOC(ctx, 3 * n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (WLU_ALL_THERE(s.there, s.a, s.match)) {
        s.done = s.there + square, s.gone = s.done + n;
        s.of_rows = s.match + n, s.of_columns = s.of_rows + n;
        status = choose(ctx, &s, strong, row, column);
    } else {
        status = wlu_fail_memory(ctx, "step");
    }
    wlu_free(ctx, s.there);
    wlu_free(ctx, s.a);
    wlu_free(ctx, s.match);
    return status;
}
