/* The analysis: block triangular form, candidate orders, predictions. See prep/analysis.h for the method.
 *
 * Predicted time of one refactorization, with the cost model's constants:
 *     nnz(A) loads + sum over blocks of min(dot, column) + height levels, where
 *     dot    = terms ns_per_dot_term + nnz(L + U) ns_per_dot_record
 *     column = terms ns_per_column_term + n ns_per_column + segments ns_per_segment
 *              + segment rows ns_per_column_row
 * that is, each block is taken by the cheaper of the two kinds of region. Height is the largest of any block:
 * blocks depend on each other only through F, which is loaded, not eliminated.
 *
 * The automatic race: AMD always; COLAMD, and METIS where a block is large enough to be dissected, where what
 * they are expected to take fits a budget of the refactorizations to come. Both sides of that comparison are
 * counts, never clocks, so that the same pattern and options give the same order on every machine.
 *
 * Cost: O(n + nnz) beside the orderings. Work beside the result and an ordering's own: 13 n + 3 nnz int32
 * at most. */
#include "prep/analysis.h"

#include "base/clock.h"
#include "prep/btf.h"
#include "prep/order.h"
#include "prep/predict.h"
#include "prep/scale.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Blocks below this stay with AMD when METIS races: METIS itself stops dissecting at about 120 vertices. */
enum { METIS_BLOCK_MIN = 300 };
/* What METIS_NodeND (5.1, one core of a 2 GHz-class server) takes, fitted in the mean of logarithms to 56
 * blocks of 300 to 45 000 rows (circuits, power grids, devices, structures): off by a quarter on average. */
static const double METIS_NS_PER_ROW = 2000.0;
static const double METIS_NS_PER_ENTRY = 450.0;
/* What COLAMD takes, over matrices of 20 000 to 300 000 entries: 200 to 350. */
static const double COLAMD_NS_PER_ENTRY = 250.0;
/* The part of all expected refactorizations METIS, or COLAMD, may cost. On those 56 it is predicted to win on 13: where
 * it costs less than 1 % of 1 000 refactors on 8 of 13, saving up to 33 % (3 462 unknowns of a codec chip),
 * from there to 8 % on none of 15, and beyond on chains, bands and ladders, which are cheap to begin with. */
static const double BUDGET_SHARE = 0.02;

typedef struct builder {
    wlu_context *ctx;
    const warplu_options *options;
    const wlu_cost *cost;
    wlu_analysis *an;
    wlu_btf form;
    wlu_blocks blocks;
    int32_t *order;  /* n: block-local orders, one after the other */
    uint8_t *usable; /* by entry: large enough to be a pivot of its column; NULL without values */
} builder;

/* ------------------------------------------------------------------- form */

/* Whether some entry of A's own diagonal is missing or zero. */
static int diagonal_has_zeros(const wlu_pattern *a, const double *entries)
{
    for (int32_t j = 0; j < a->n; j++) {
        int32_t e = wlu_pattern_find(a, j, j);
        if (e < 0 || entries[e] == 0.0) return 1;
    }
    return 0;
}

/* Marks the entries that pass the pivot threshold against the largest of their column, rows scaled. A diagonal
 * without zeros is kept whatever its size: the few weak pivots it may hold cost less than its symmetry is worth
 * (terms on two codec chips: 8.2 against 11.8 and 1.4 against 2.1 million). */
static warplu_status mark_usable(builder *w, const double *entries)
{
    const wlu_pattern *a = w->an->a;
    int16_t *exponent = WLU_ALLOC(w->ctx, a->n, int16_t);
    w->usable = WLU_ALLOC(w->ctx, a->nnz, uint8_t);
    double *work = WLU_ALLOC(w->ctx, a->n, double);
    if (exponent == NULL || w->usable == NULL || work == NULL) {
        wlu_free(w->ctx, exponent);
        wlu_free(w->ctx, work);
        return wlu_fail_memory(w->ctx, "usable entries");
    }
    wlu_row_scale(a, entries, w->options->scaling, exponent, work);
    double tolerance = diagonal_has_zeros(a, entries) ? w->options->pivot_tolerance : 0.0;
    for (int32_t j = 0; j < a->n; j++) {
        double largest = 0.0;
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
            largest = fmax(largest, fabs(ldexp(entries[e], exponent[a->i[e]])));
        double least = fmax(tolerance * largest, DBL_MIN);
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
            w->usable[e] = fabs(ldexp(entries[e], exponent[a->i[e]])) >= least;
    }
    wlu_free(w->ctx, exponent);
    wlu_free(w->ctx, work);
    return WARPLU_SUCCESS;
}

/* WARPLU_INVALID_ARGUMENT unless order holds each of 0 .. n-1 once. seen: n. */
static warplu_status check_permutation(wlu_context *ctx, const char *name, int32_t n, const int32_t *order,
                                       int32_t *seen)
{
    memset(seen, 0, (size_t)n * sizeof *seen);
    for (int32_t k = 0; k < n; k++) {
        int32_t v = order[k];
        if (v < 0 || v >= n)
            return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "%s[%d] is %d, expected 0 to %d", name, (int)k,
                            (int)v, (int)n - 1);
        if (seen[v]++)
            return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "%s is no permutation: %d comes twice, again at %d",
                            name, (int)v, (int)k);
    }
    return WARPLU_SUCCESS;
}

/* Both orders given: they are the form, as they stand. */
static warplu_status form_from_both(builder *w)
{
    wlu_context *ctx = w->ctx;
    const wlu_pattern *a = w->an->a;
    int32_t n = a->n;
    warplu_status status = check_permutation(ctx, "row_order", n, w->options->row_order, w->order);
    if (status < 0) return status;
    w->form.row = WLU_ALLOC(ctx, n, int32_t);
    w->form.col = WLU_ALLOC(ctx, n, int32_t);
    w->form.block = WLU_ALLOC(ctx, 2, int32_t);
    if (w->form.row == NULL || w->form.col == NULL || w->form.block == NULL)
        return wlu_fail_memory(ctx, "given orders");
    memcpy(w->form.row, w->options->row_order, (size_t)n * sizeof *w->form.row);
    memcpy(w->form.col, w->options->col_order, (size_t)n * sizeof *w->form.col);
    w->form.nblocks = 1;
    w->form.largest_block = n;
    w->form.block[0] = 0;
    w->form.block[1] = n;
    w->an->rows_are_final = 1;
    return WARPLU_SUCCESS;
}

/* The column order given: each column's row is the one a transversal matches to it. */
static warplu_status form_from_columns(builder *w)
{
    const int32_t *given = w->options->col_order;
    int32_t n = w->an->n;
    warplu_status status = wlu_btf_find(w->ctx, w->an->a, w->usable, 0, &w->form);
    if (status < 0) return status;
    /* One block has col[k] == k: row[j] is column j's row. */
    for (int32_t k = 0; k < n; k++) w->order[k] = w->form.row[given[k]];
    memcpy(w->form.row, w->order, (size_t)n * sizeof *w->form.row);
    memcpy(w->form.col, given, (size_t)n * sizeof *w->form.col);
    return WARPLU_SUCCESS;
}

static warplu_status find_form(builder *w)
{
    const warplu_options *o = w->options;
    if (o->ordering != WARPLU_ORDER_GIVEN) return wlu_btf_find(w->ctx, w->an->a, w->usable, o->btf != 0, &w->form);
    if (o->col_order == NULL)
        return wlu_fail(w->ctx, WARPLU_INVALID_ARGUMENT, "WARPLU_ORDER_GIVEN needs col_order");
    warplu_status status = check_permutation(w->ctx, "col_order", w->an->n, o->col_order, w->order);
    if (status < 0) return status;
    return o->row_order != NULL ? form_from_both(w) : form_from_columns(w);
}

/* ------------------------------------------------------------- candidates */

static double metis_ns(const wlu_block *block)
{
    return block->n * METIS_NS_PER_ROW + block->p[block->n] * METIS_NS_PER_ENTRY;
}

/* Block-local orders of all blocks. racing: METIS leaves small blocks to AMD. */
static warplu_status order_blocks(builder *w, warplu_ordering ordering, int racing)
{
    wlu_order_fn order = wlu_order_function(ordering == WARPLU_ORDER_GIVEN ? WARPLU_ORDER_NATURAL : ordering);
    int leave_small = racing && ordering == WARPLU_ORDER_METIS;
    for (int32_t b = 0; b < w->blocks.nblocks; b++) {
        wlu_block block = wlu_blocks_get(&w->blocks, b);
        int32_t *out = w->order + w->blocks.block[b];
        warplu_status status = leave_small && block.n < METIS_BLOCK_MIN ? wlu_order_amd(w->ctx, &block, out)
                                                                        : order(w->ctx, &block, out);
        if (status < 0) return status;
    }
    return WARPLU_SUCCESS;
}

static double block_ns(const wlu_cost *cost, int32_t n, const wlu_counts *counts)
{
    double dot = counts->terms * cost->ns_per_dot_term + counts->lu_nnz * cost->ns_per_dot_record;
    double column = counts->terms * cost->ns_per_column_term + n * cost->ns_per_column +
                    counts->segments * cost->ns_per_segment + counts->segment_rows * cost->ns_per_column_row;
    return fmin(dot, column);
}

/* Counts of the orders in w->order, summed over the blocks. */
static warplu_status predict(builder *w, wlu_candidate *c)
{
    const wlu_blocks *blocks = &w->blocks;
    double ns = 0.0;
    for (int32_t b = 0; b < blocks->nblocks; b++) {
        wlu_block block = wlu_blocks_get(blocks, b);
        wlu_counts counts;
        warplu_status status = wlu_predict_counts(w->ctx, &block, w->order + blocks->block[b], &counts);
        if (status < 0) return status;
        c->terms += counts.terms;
        c->lu_nnz += counts.lu_nnz;
        if (counts.height > c->height) c->height = counts.height;
        ns += block_ns(w->cost, block.n, &counts);
    }
    c->lu_nnz += w->an->a->nnz - blocks->first[blocks->nblocks]; /* F */
    c->predicted_ns = ns + w->an->a->nnz * w->cost->ns_per_load + c->height * w->cost->ns_per_level;
    return WARPLU_SUCCESS;
}

/* Appends a candidate; what a failure leaves is freed with the analysis. */
static warplu_status add_candidate(builder *w, warplu_ordering ordering, int racing)
{
    wlu_analysis *an = w->an;
    warplu_status status = wlu_poll_cancel(w->ctx);
    if (status < 0) return status;
    wlu_candidate *c = &an->candidate[an->ncandidates++];
    c->ordering = ordering;
    int64_t start = wlu_now_ns();
    status = order_blocks(w, ordering, racing);
    c->order_ns = wlu_now_ns() - start;
    if (status < 0) return status;
    c->row = WLU_ALLOC(w->ctx, an->n, int32_t);
    c->col = WLU_ALLOC(w->ctx, an->n, int32_t);
    if (c->row == NULL || c->col == NULL) return wlu_fail_memory(w->ctx, "candidate orders");
    for (int32_t b = 0; b < w->blocks.nblocks; b++) {
        int32_t s = w->blocks.block[b], e = w->blocks.block[b + 1];
        for (int32_t k = s; k < e; k++) {
            c->row[k] = w->form.row[s + w->order[k]];
            c->col[k] = w->form.col[s + w->order[k]];
        }
    }
    return predict(w, c);
}

/* Whether an ordering that takes so long is within the budget. AMD's candidate is the first. */
static int fits_budget(const builder *w, double ns)
{
    return ns > 0.0 && ns <= BUDGET_SHARE * w->options->expected_refactors * w->an->candidate[0].predicted_ns;
}

static int metis_is_worth_it(const builder *w)
{
    double ns = 0.0;
    if (!wlu_ordering_compiled(WARPLU_ORDER_METIS)) return 0;
    for (int32_t b = 0; b < w->blocks.nblocks; b++) {
        wlu_block block = wlu_blocks_get(&w->blocks, b);
        if (block.n >= METIS_BLOCK_MIN) ns += metis_ns(&block);
    }
    return fits_budget(w, ns);
}

static void sort_candidates(wlu_analysis *an)
{
    for (int32_t k = 1; k < an->ncandidates; k++) {
        wlu_candidate c = an->candidate[k];
        int32_t at = k;
        for (; at > 0 && an->candidate[at - 1].predicted_ns > c.predicted_ns; at--)
            an->candidate[at] = an->candidate[at - 1];
        an->candidate[at] = c;
    }
}

static warplu_status find_candidates(builder *w)
{
    warplu_ordering ordering = w->options->ordering;
    if (ordering != WARPLU_ORDER_AUTO) return add_candidate(w, ordering, 0);
    warplu_status status = add_candidate(w, WARPLU_ORDER_AMD, 1);
    if (status < 0 || w->an->largest_block <= 2) return status; /* nothing to choose */
    int metis = metis_is_worth_it(w), colamd = fits_budget(w, COLAMD_NS_PER_ENTRY * w->an->a->nnz);
    if (colamd) status = add_candidate(w, WARPLU_ORDER_COLAMD, 1);
    if (status >= 0 && metis) status = add_candidate(w, WARPLU_ORDER_METIS, 1);
    if (status >= 0) sort_candidates(w->an);
    return status;
}

/* --------------------------------------------------------------- assembly */

static warplu_status check_ordering(wlu_context *ctx, warplu_ordering ordering)
{
    if (ordering < WARPLU_ORDER_AUTO || ordering > WARPLU_ORDER_GIVEN)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "ordering is %d, expected 0 to %d", (int)ordering,
                        (int)WARPLU_ORDER_GIVEN);
    if (!wlu_ordering_compiled(ordering))
        return wlu_fail(ctx, WARPLU_NOT_COMPILED, "this build has no %s", wlu_ordering_name(ordering));
    return WARPLU_SUCCESS;
}

static warplu_status build(builder *w, const double *entries)
{
    wlu_analysis *an = w->an;
    w->order = WLU_ALLOC(w->ctx, an->n, int32_t);
    if (w->order == NULL) return wlu_fail_memory(w->ctx, "analysis");
    an->provisional = entries == NULL;
    warplu_status status = entries != NULL ? mark_usable(w, entries) : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS) status = find_form(w);
    if (status < 0) return status;
    an->nblocks = w->form.nblocks;
    an->largest_block = w->form.largest_block;
    status = wlu_blocks_extract(w->ctx, an->a, &w->form, &w->blocks);
    if (status < 0) return status;
    status = find_candidates(w);
    if (status < 0) return status;
    an->block = WLU_ALLOC(w->ctx, (int64_t)an->nblocks + 1, int32_t);
    if (an->block == NULL) return wlu_fail_memory(w->ctx, "analysis");
    memcpy(an->block, w->form.block, ((size_t)an->nblocks + 1) * sizeof *an->block);
    return WARPLU_SUCCESS;
}

warplu_status wlu_analysis_create(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                  wlu_pattern **pattern, const double *entries, wlu_analysis **out)
{
    int64_t start = wlu_now_ns();
    builder w = {.ctx = ctx, .options = options, .cost = cost};
    wlu_pattern *a = *pattern;
    *pattern = NULL;
    *out = NULL;
    w.an = WLU_CALLOC(ctx, 1, wlu_analysis);
    if (w.an == NULL) {
        wlu_pattern_destroy(ctx, &a);
        return wlu_fail_memory(ctx, "analysis");
    }
    w.an->a = a;
    w.an->n = a->n;
    warplu_status status = check_ordering(ctx, options->ordering);
    if (status >= 0) status = build(&w, entries);
    wlu_free(ctx, w.order);
    wlu_free(ctx, w.usable);
    wlu_blocks_free(ctx, &w.blocks);
    wlu_btf_free(ctx, &w.form);
    if (status < 0) {
        wlu_analysis_destroy(ctx, &w.an);
        return status;
    }
    w.an->analyze_ns = wlu_now_ns() - start;
    *out = w.an;
    return status;
}

wlu_analysis *wlu_analysis_share(wlu_analysis *an)
{
    wlu_count_add(&an->count);
    return an;
}

void wlu_analysis_destroy(wlu_context *ctx, wlu_analysis **analysis)
{
    wlu_analysis *an = *analysis;
    *analysis = NULL;
    if (an == NULL || !wlu_count_drop(&an->count)) return;
    for (int32_t k = 0; k < WLU_CANDIDATES_MAX; k++) {
        wlu_free(ctx, an->candidate[k].row);
        wlu_free(ctx, an->candidate[k].col);
    }
    wlu_pattern_destroy(ctx, &an->a);
    wlu_free(ctx, an->block);
    wlu_free(ctx, an);
}
