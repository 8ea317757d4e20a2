/* Forms: given orders, the diagonal, transversals of usable entries, maximum product matchings. See
 * order/transversal.h.
 *
 * O(n + nnz) beside what the transversal takes; 3 n int32, n double, n + nnz bytes beside the result. */
#include "order/transversal.h"

#include "base/power.h"
#include "order/matching.h"
#include "order/row_scale.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* How often an automatic matching may look at every entry on average, 10 to 20 ns each, before it is given up. The
 * hardest of 105 matrices take 7 to 10 (bayer10, qh882), most less than 2. Paths and meshes of a million unknowns with
 * weak diagonals and random values may take hundreds. */
static const int64_t MATCHING_PASSES = 30;

/* A diagonal entry below this share of its column's largest, rows scaled, is weak. With 0.001, the pivot threshold, 17
 * of 105 matrices are factored with a matching. With 0.1 three more are (two device simulations with 30 % fewer terms),
 * and another eight are analyzed for longer. With 1 there are none more. */
static const double WEAK_DIAGONAL = 0.1;

int64_t wlu_matching_budget(const warplu_options *options, const wlu_pattern *a)
{
    return options->matching == WARPLU_MATCHING_ALWAYS ? INT64_MAX : MATCHING_PASSES * a->nnz;
}

/* ------------------------------------------------------------ the diagonal */

/* 2^exponent[i] |entry|. */
static double scaled(const double *entries, int32_t e, const int16_t *exponent, const wlu_pattern *a)
{
    return fabs(entries[e]) * wlu_power_of_two(exponent[a->i[e]]);
}

static double column_largest(const wlu_pattern *a, const double *entries, const int16_t *exponent, int32_t j)
{
    double largest = 0.0;
    for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
        double magnitude = scaled(entries, e, exponent, a);
        if (magnitude > largest) largest = magnitude;
    }
    return largest;
}

static wlu_diagonal judge(const warplu_options *options, const wlu_pattern *a, const double *entries,
                          const int16_t *exponent, const int32_t *row, const int32_t *col)
{
    const double weak = fmax(options->pivot_tolerance, WEAK_DIAGONAL);
    wlu_diagonal verdict = WLU_DIAGONAL_STRONG;
    for (int32_t k = 0; k < a->n; k++) {
        int32_t j = col != NULL ? col[k] : k, e = wlu_pattern_find(a, row != NULL ? row[k] : k, j);
        if (e < 0 || entries[e] == 0.0) return WLU_DIAGONAL_HAS_ZEROS;
        if (verdict == WLU_DIAGONAL_STRONG &&
            scaled(entries, e, exponent, a) < weak * column_largest(a, entries, exponent, j))
            verdict = WLU_DIAGONAL_WEAK;
    }
    return verdict;
}

/* The exponents of the row scales; NULL out of memory. */
static int16_t *row_exponents(wlu_context *ctx, const warplu_options *options, const wlu_pattern *a,
                              const double *entries)
{
    int16_t *exponent = WLU_ALLOC(ctx, a->n, int16_t);
    double *work = WLU_ALLOC(ctx, a->n, double);
    if (exponent != NULL && work != NULL) {
        wlu_row_scale(a, entries, options->scaling, exponent, work);
    } else {
        wlu_free(ctx, exponent);
        exponent = NULL;
        wlu_fail_memory(ctx, "row scales");
    }
    wlu_free(ctx, work);
    return exponent;
}

warplu_status wlu_diagonal_judge(wlu_context *ctx, const warplu_options *options, const wlu_pattern *a,
                                 const double *entries, const int32_t *row, const int32_t *col, wlu_diagonal *out)
{
    int16_t *exponent = row_exponents(ctx, options, a, entries);
    if (exponent == NULL) return WARPLU_OUT_OF_MEMORY;
    *out = judge(options, a, entries, exponent, row, col);
    wlu_free(ctx, exponent);
    return WARPLU_SUCCESS;
}

/* ---------------------------------------------------------------- matching */

typedef struct finder {
    wlu_context *ctx;
    const warplu_options *options;
    const wlu_pattern *a;
    const double *entries;
    wlu_depth depth;
    wlu_diagonal diagonal; /* A's own; strong without values */
    uint8_t *usable;       /* by entry: large enough to be a pivot of its column; NULL without values */
    int32_t *matched;      /* by row: its column in a maximum product matching; NULL if none was sought or found */
} finder;

/* Marks the entries that pass the pivot threshold against the largest of their column, rows scaled. A diagonal without
 * zeros is kept whatever its size: a few weak pivots cost less than its symmetry is worth, unless a matching proves
 * better. */
static warplu_status mark_usable(finder *f)
{
    const wlu_pattern *a = f->a;
    int16_t *exponent = row_exponents(f->ctx, f->options, a, f->entries);
    if (exponent == NULL) return WARPLU_OUT_OF_MEMORY;
    f->usable = WLU_ALLOC(f->ctx, a->nnz, uint8_t);
    if (f->usable == NULL) {
        wlu_free(f->ctx, exponent);
        return wlu_fail_memory(f->ctx, "usable entries");
    }
    f->diagonal = judge(f->options, a, f->entries, exponent, NULL, NULL);
    double tolerance = f->diagonal == WLU_DIAGONAL_HAS_ZEROS ? f->options->pivot_tolerance : 0.0;
    for (int32_t j = 0; j < a->n; j++) {
        double least = fmax(tolerance * column_largest(a, f->entries, exponent, j), DBL_MIN);
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) f->usable[e] = scaled(f->entries, e, exponent, a) >= least;
    }
    wlu_free(f->ctx, exponent);
    return WARPLU_SUCCESS;
}

static int wants_matching(const finder *f)
{
    if (f->entries == NULL || f->options->matching == WARPLU_MATCHING_NEVER) return 0;
    return f->options->matching == WARPLU_MATCHING_ALWAYS ||
           (f->depth == WLU_DEPTH_RACED && f->diagonal != WLU_DIAGONAL_STRONG &&
            f->options->ordering != WARPLU_ORDERING_GIVEN);
}

static warplu_status find_matching(finder *f)
{
    int found = 0;
    int64_t n = f->a->n;
    int16_t *exponent = WLU_ALLOC(f->ctx, 2 * n, int16_t);
    f->matched = WLU_ALLOC(f->ctx, n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (exponent == NULL || f->matched == NULL)
        status = wlu_fail_memory(f->ctx, "matching");
    else
        status = wlu_matching_find(f->ctx, f->a, f->entries, wlu_matching_budget(f->options, f->a), f->matched,
                                   exponent, exponent + n, &found);
    wlu_free(f->ctx, exponent);
    if (found) return status;
    wlu_free(f->ctx, f->matched);
    f->matched = NULL;
    return status;
}

/* ------------------------------------------------------------ given orders */

/* WARPLU_INVALID_ARGUMENT unless order holds each of 0 .. n-1 once. seen: n. */
static warplu_status check_permutation(wlu_context *ctx, const char *name, int32_t n, const int32_t *order,
                                       int32_t *seen)
{
    memset(seen, 0, (size_t)n * sizeof *seen);
    for (int32_t k = 0; k < n; k++) {
        int32_t v = order[k];
        if (v < 0 || v >= n)
            return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "%s[%d] is %d, expected 0 to %d", name, (int)k, (int)v,
                            (int)n - 1);
        if (seen[v]++)
            return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "%s is no permutation: %d comes twice, again at %d", name,
                            (int)v, (int)k);
    }
    return WARPLU_SUCCESS;
}

/* 1 where column k of a form has an entry in its row. */
static int has_diagonal(const wlu_pattern *a, const wlu_btf *form, int32_t k)
{
    for (int32_t e = a->p[form->col[k]]; e < a->p[form->col[k] + 1]; e++)
        if (a->i[e] == form->row[k]) return 1;
    return 0;
}

/* The diagonal blocks that a form has as it stands: one ends where no column so far has an entry in a later row. What
 * would be a block of one without an entry goes with the next block, the last such one with the one before.
 * place: n. */
static void find_blocks(const wlu_pattern *a, int32_t *place, wlu_btf *out)
{
    int32_t reach = 0, n = a->n;
    for (int32_t k = 0; k < n; k++) place[out->row[k]] = k;
    out->nblocks = out->largest_block = out->block[0] = 0;
    for (int32_t k = 0; k < n; k++) {
        for (int32_t e = a->p[out->col[k]]; e < a->p[out->col[k] + 1]; e++)
            if (place[a->i[e]] > reach) reach = place[a->i[e]];
        if (reach > k) continue;
        int empty = out->block[out->nblocks] == k && !has_diagonal(a, out, k);
        if (empty && k + 1 < n) continue;
        if (empty && out->nblocks > 0) out->nblocks--;
        out->block[++out->nblocks] = k + 1;
        int32_t size = k + 1 - out->block[out->nblocks - 1];
        if (size > out->largest_block) out->largest_block = size;
    }
}

/* Both orders given: they are the form, as they stand. */
static warplu_status form_from_both(const finder *f, int32_t *seen, wlu_btf *out)
{
    wlu_context *ctx = f->ctx;
    int32_t n = f->a->n;
    warplu_status status = check_permutation(ctx, "row_order", n, f->options->row_order, seen);
    if (status < 0) return status;
    out->row = WLU_ALLOC(ctx, n, int32_t);
    out->col = WLU_ALLOC(ctx, n, int32_t);
    out->block = WLU_ALLOC(ctx, (int64_t)n + 1, int32_t);
    if (out->row == NULL || out->col == NULL || out->block == NULL) return wlu_fail_memory(ctx, "given orders");
    memcpy(out->row, f->options->row_order, (size_t)n * sizeof *out->row);
    memcpy(out->col, f->options->col_order, (size_t)n * sizeof *out->col);
    out->nblocks = 1;
    out->largest_block = n;
    out->block[0] = 0;
    out->block[1] = n;
    return WARPLU_SUCCESS;
}

/* The column order given: each column's row is the one a transversal matches to it. rows: n. */
static warplu_status form_from_columns(const finder *f, int32_t *rows, wlu_btf *out)
{
    const int32_t *given = f->options->col_order;
    int32_t n = f->a->n;
    warplu_status status = wlu_btf_find(f->ctx, f->a, f->matched, f->usable, 0, out);
    if (status < 0) return status;
    /* One block has col[k] == k: row[j] is column j's row. */
    for (int32_t k = 0; k < n; k++) rows[k] = out->row[given[k]];
    memcpy(out->row, rows, (size_t)n * sizeof *rows);
    memcpy(out->col, given, (size_t)n * sizeof *given);
    return WARPLU_SUCCESS;
}

static warplu_status form_from_given(const finder *f, wlu_transversal *out)
{
    const warplu_options *o = f->options;
    if (o->col_order == NULL) return wlu_fail(f->ctx, WARPLU_INVALID_ARGUMENT, "WARPLU_ORDERING_GIVEN needs col_order");
    int32_t *work = WLU_ALLOC(f->ctx, f->a->n, int32_t);
    if (work == NULL) return wlu_fail_memory(f->ctx, "given orders");
    warplu_status status = check_permutation(f->ctx, "col_order", f->a->n, o->col_order, work);
    if (status == WARPLU_SUCCESS)
        status = o->row_order != NULL ? form_from_both(f, work, &out->btf) : form_from_columns(f, work, &out->btf);
    out->matched = f->matched != NULL && o->row_order == NULL;
    if (status == WARPLU_SUCCESS && o->btf) find_blocks(f->a, work, &out->btf);
    wlu_free(f->ctx, work);
    return status;
}

/* --------------------------------------------------------------- assembly */

/* The first form with the matched rows: the blocks of a block triangular form do not depend on the transversal. */
static warplu_status add_matched(const finder *f, wlu_transversal *form, int *count)
{
    const wlu_btf *first = &form[0].btf;
    int64_t n = f->a->n;
    int32_t *row_of = WLU_ALLOC(f->ctx, n, int32_t);
    if (row_of == NULL) return wlu_fail_memory(f->ctx, "matched form");
    for (int32_t i = 0; i < n; i++) row_of[f->matched[i]] = i;
    int same = 1;
    for (int32_t k = 0; k < n; k++) same &= first->row[k] == row_of[first->col[k]];
    warplu_status status = WARPLU_SUCCESS;
    if (same) goto done;
    wlu_btf *second = &form[1].btf;
    second->row = WLU_ALLOC(f->ctx, n, int32_t);
    second->col = WLU_ALLOC(f->ctx, n, int32_t);
    second->block = WLU_ALLOC(f->ctx, n + 1, int32_t);
    if (second->row == NULL || second->col == NULL || second->block == NULL) {
        status = wlu_fail_memory(f->ctx, "matched form");
        goto done;
    }
    memcpy(second->col, first->col, (size_t)n * sizeof *first->col);
    memcpy(second->block, first->block, ((size_t)first->nblocks + 1) * sizeof *first->block);
    for (int32_t k = 0; k < n; k++) second->row[k] = row_of[first->col[k]];
    second->nblocks = first->nblocks;
    second->largest_block = first->largest_block;
    form[1].matched = 1;
    *count = 2;
done:
    wlu_free(f->ctx, row_of);
    return status;
}

/* Whether it matters which entries are large. */
static int looks_at_values(const finder *f)
{
    if (f->entries == NULL) return 0;
    return f->depth == WLU_DEPTH_RACED || f->options->matching == WARPLU_MATCHING_ALWAYS;
}

static warplu_status find_forms(finder *f, wlu_transversal *form, int *count)
{
    const warplu_options *o = f->options;
    warplu_status status = looks_at_values(f) ? mark_usable(f) : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS && wants_matching(f)) status = find_matching(f);
    if (status < 0) return status;
    *count = 1;
    if (o->ordering == WARPLU_ORDERING_GIVEN) return form_from_given(f, &form[0]);
    form[0].matched = o->matching == WARPLU_MATCHING_ALWAYS && f->matched != NULL;
    status = wlu_btf_find(f->ctx, f->a, form[0].matched ? f->matched : NULL, f->usable, o->btf != 0, &form[0].btf);
    if (status == WARPLU_SUCCESS && f->matched != NULL && !form[0].matched) status = add_matched(f, form, count);
    return status;
}

warplu_status wlu_transversals_find(wlu_context *ctx, const warplu_options *options, const wlu_pattern *a,
                                    const double *entries, wlu_depth depth, wlu_transversal form[WLU_FORMS_MAX],
                                    int *count)
{
    finder f = {.ctx = ctx, .options = options, .a = a, .entries = entries, .depth = depth};
    memset(form, 0, WLU_FORMS_MAX * sizeof *form);
    *count = 0;
    warplu_status status = find_forms(&f, form, count);
    for (int k = 0; k < *count && status == WARPLU_SUCCESS; k++)
        status = wlu_blocks_extract(ctx, a, &form[k].btf, depth == WLU_DEPTH_RACED, &form[k].blocks);
    wlu_free(ctx, f.usable);
    wlu_free(ctx, f.matched);
    if (status < 0) wlu_transversals_free(ctx, form);
    return status;
}

warplu_status wlu_transversal_join(wlu_context *ctx, const wlu_pattern *a, const wlu_transversal *form,
                                   wlu_transversal *out)
{
    int32_t n = a->n;
    memset(out, 0, sizeof *out);
    wlu_btf *btf = &out->btf;
    btf->row = WLU_ALLOC(ctx, n, int32_t);
    btf->col = WLU_ALLOC(ctx, n, int32_t);
    btf->block = WLU_ALLOC(ctx, 2, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (btf->row == NULL || btf->col == NULL || btf->block == NULL) {
        status = wlu_fail_memory(ctx, "joined form");
    } else {
        for (int32_t k = 0; k < n; k++) { /* columns as they stand, as in any block */
            btf->col[k] = k;
            btf->row[form->btf.col[k]] = form->btf.row[k];
        }
        btf->nblocks = 1;
        btf->largest_block = btf->block[1] = n;
        btf->block[0] = 0;
        out->matched = form->matched;
        out->joined = 1;
        status = wlu_blocks_extract(ctx, a, btf, 1, &out->blocks);
    }
    if (status < 0) wlu_btf_free(ctx, btf);
    return status;
}

void wlu_transversals_free(wlu_context *ctx, wlu_transversal form[WLU_FORMS_MAX])
{
    for (int k = 0; k < WLU_FORMS_MAX; k++) {
        wlu_blocks_free(ctx, &form[k].blocks);
        wlu_btf_free(ctx, &form[k].btf);
    }
}
