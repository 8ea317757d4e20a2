/* The first numeric factorization: left-looking LU with threshold partial pivoting.
 *
 * Method: Gilbert and Peierls (SIAM J. Sci. Stat. Comput. 9, 1988): column j of L and U is the solution of a sparse
 * triangular system whose pattern is found first (pivot/fill.h), so that time is proportional to arithmetic. The
 * diagonal entry is kept while it is at least pivot_tolerance times the largest; where it is not, the row of the
 * diagonal changes places with the pivot's, so that later columns keep theirs (as in KLU, ACM TOMS 37, 2010). Each
 * diagonal block is factored on its own. Columns of L of one pattern are subtracted up to four at a time, each row
 * taken up once: what a column is then bound by is the memory that L comes from. The caller may cancel it, within a
 * column too: polls come after so many terms. Cost: O(terms) time; 12 bytes an entry of L, U and F. */
#include "pivot/search.h"

#include "base/power.h"
#include "pivot/factors.h"
#include "pivot/fill.h"
#include "pivot/subtract.h"
#include "pivot/units.h"
#include "order/diagnose.h"

#include <math.h>
#include <string.h>

/* Off the diagonal, a pivot may be this much smaller than the column's largest entry. */
static const double OFF_DIAGONAL_TOLERANCE = 0.1;

/* The caller is polled each time so much has been done, in multiply-subtracts: some milliseconds; a column counts for
 * as many more. */
enum { POLL_EVERY = 1 << 22, COLUMN_COUNTS = 1 << 12 };

/* A row of A as far as its columns have come. */
typedef struct seen_row {
    double scale;
    double largest;   /* scaled magnitude, -1 before the first entry, ... */
    int32_t entry;    /* ... where it stands ... */
    int32_t position; /* ... and in whose column */
} seen_row;

typedef struct search {
    wlu_context *ctx;
    const warplu_options *options;
    const wlu_analysis *analysis;
    const wlu_candidate *candidate;
    const double *a; /* gathered values */
    wlu_pivots *out;
    wlu_factors *factors;
    wlu_fill fill;
    double *x;      /* n: the column being solved, by original row; zero between columns; borrowed of the factors */
    int32_t *tent;  /* n: tentative position of each original row */
    int32_t *meant; /* n: the row that is meant for each position */
    seen_row *seen; /* n: by original row */
    double col_largest, col_smallest; /* of the largest scaled magnitude of each column so far */
    double growth;                    /* exact reciprocal pivot growth so far */
    int64_t work;                     /* since the last poll */
} search;

/* Counts work; polls where it is time. */
static inline warplu_status count_work(search *s, int64_t work)
{
    s->work += work;
    if (s->work < POLL_EVERY) return WARPLU_SUCCESS;
    s->work = 0;
    return wlu_poll_cancel(s->ctx);
}

/* Scatters the scaled values of position k's column of A into x and F. Returns the largest magnitude in the block's
 * part of the column. */
static double load_column(search *s, int32_t k, int32_t begin)
{
    const wlu_pattern *a = s->analysis->a;
    int32_t j = s->candidate->col[k], first = a->p[j], end = a->p[j + 1], largest = first;
    const int32_t *pinv = s->fill.pinv;
    double scale = wlu_power_of_two(wlu_pivots_col_exponent(s->out, j));
    double amax = 0.0, cmax = 0.0, *fx = s->fill.fx + s->out->fp[k], *x = s->x;
    for (int32_t e = first; e < end; e++) {
        int32_t i = a->i[e];
        seen_row *row = &s->seen[i];
        double scaled = s->a[e] * (row->scale * scale), magnitude = fabs(scaled);
        if (!(magnitude <= row->largest)) *row = (seen_row){row->scale, magnitude, e, k};
        cmax = magnitude > cmax ? magnitude : cmax;
        if (pinv[i] >= 0 && pinv[i] < begin) {
            *fx++ = scaled;
            continue;
        }
        x[i] = scaled;
        largest = magnitude > amax ? e : largest;
        amax = magnitude > amax ? magnitude : amax;
    }
    s->out->largest[k] = largest;
    if (cmax > s->col_largest) s->col_largest = cmax;
    if (cmax < s->col_smallest) s->col_smallest = cmax;
    return amax;
}

/* Takes a number out of the column being solved. */
static inline double take(search *s, int32_t row)
{
    double x = s->x[row];
    s->x[row] = 0.0;
    return x;
}

/* Eliminates the column with the pivots found, in their order. largest: |u|. WARPLU_CANCELLED. */
static warplu_status eliminate(search *s, int32_t k, double *largest)
{
    const wlu_fill *f = &s->fill;
    const int64_t *lp = s->out->lp;
    const wlu_elimination_step step = {lp, f->li, f->lx, f->group, s->out->row, s->x};
    double umax = 0.0;
    warplu_status status = count_work(s, COLUMN_COUNTS);
    for (int64_t t = s->out->up[k]; t < f->unz && status == WARPLU_SUCCESS;) {
        int32_t kk = f->ui[t];
        int count = 1;
        if (wlu_goes_on(&step, kk, f->unz - t))
            count = wlu_eliminate_group(&step, kk, f->unz - t, f->ux + t);
        else
            f->ux[t] = wlu_eliminate_one(&step, kk);
        status = count_work(s, lp[kk + count] - lp[kk]);
        for (int64_t end = t + count; t < end; t++) umax = fabs(f->ux[t]) > umax ? fabs(f->ux[t]) : umax;
    }
    *largest = umax;
    return status;
}

/* Off the diagonal, the row that was to be eliminated soonest among those of at least the magnitude: swapping
 * neighbours in the elimination tree costs least fill-in. */
static int64_t nearest_large(const search *s, int64_t first, int64_t at, double magnitude)
{
    const int32_t *li = s->fill.li;
    for (int64_t q = first; q < s->fill.lnz; q++)
        if (fabs(s->x[li[q]]) >= magnitude && s->tent[li[q]] < s->tent[li[at]]) at = q;
    return at;
}

/* Position k has no pivot; the row that was meant for it has none either. */
static warplu_status fail_singular(const search *s, int32_t k)
{
    int32_t row = s->meant[k];
    wlu_stop stop = {.col = s->out->col[k], .row = row, .position = k, .absolute = s->options->pivot_absolute};
    return wlu_fail_singular(s->ctx, s->analysis->a, s->a, &stop);
}

/* The column's l values go to lx. */
static void divide_column(search *s, int64_t first, double pivot)
{
    const wlu_fill *f = &s->fill;
    double lmax = s->out->quality.largest_l;
    for (int64_t q = first, end = f->lnz; q < end; q++) {
        double l = f->lx[q] = take(s, f->li[q]) / pivot;
        lmax = fabs(l) > lmax ? fabs(l) : lmax;
    }
    s->out->quality.largest_l = lmax;
}

/* Row takes position k; the row that was meant for it is meant for row's own position from now on, so that no chain of
 * columns loses its diagonal. */
static void exchange(search *s, int32_t k, int32_t row)
{
    int32_t other = s->meant[k], at = s->tent[row];
    s->meant[at] = other;
    s->tent[other] = at;
    s->meant[k] = row;
    s->tent[row] = k;
}

/* Chooses the pivot among li[first..lnz), removes it from the list; the column's l values go to lx. */
static warplu_status choose_pivot(search *s, int32_t k, int64_t first, double *pivot)
{
    wlu_pivots *out = s->out;
    wlu_fill *f = &s->fill;
    int32_t diagonal = s->meant[k];
    double largest = -1.0, on_diagonal = -1.0;
    int64_t at = -1, at_diagonal = -1;
    for (int64_t q = first, end = f->lnz; q < end; q++) {
        double v = fabs(s->x[f->li[q]]);
        if (at < 0 || wlu_bits_of_double(v) > wlu_bits_of_double(largest)) { /* a NaN wins and is caught below */
            largest = v;
            at = q;
        }
        if (f->li[q] == diagonal) {
            on_diagonal = v;
            at_diagonal = q;
        }
    }
    if (at >= 0 && !isfinite(largest))
        return wlu_fail(s->ctx, WARPLU_NOT_FINITE, "column %d overflows while it is eliminated", out->col[k]);
    int final = s->analysis->rows_are_final;
    double tolerance = s->options->pivot_tolerance, absolute = s->options->pivot_absolute;
    if (at_diagonal >= 0 && (final || (on_diagonal >= tolerance * largest && on_diagonal > absolute)))
        at = at_diagonal;
    else
        at = nearest_large(s, first, at, fmax(tolerance, OFF_DIAGONAL_TOLERANCE) * largest);
    if (at < 0 || (final && at_diagonal < 0) || !(fabs(s->x[f->li[at]]) > s->options->pivot_absolute))
        return fail_singular(s, k);
    exchange(s, k, f->li[at]);
    wlu_fill_pivot(f, k, at);
    *pivot = take(s, out->row[k]);
    divide_column(s, first, *pivot);
    return WARPLU_SUCCESS;
}

static warplu_status factor_column(search *s, int32_t k, int32_t begin, int32_t end)
{
    wlu_pivots *out = s->out;
    double pivot = 0.0;
    out->col[k] = s->candidate->col[k];
    warplu_status status = wlu_fill_column(&s->fill, k, out->col[k], begin, end);
    if (status < 0) return status;
    double amax = load_column(s, k, begin), umax;
    status = eliminate(s, k, &umax);
    if (status == WARPLU_SUCCESS) status = choose_pivot(s, k, out->lp[k], &pivot);
    if (status < 0) return status;
    s->factors->pivot[k] = pivot;
    if (fabs(pivot) > umax) umax = fabs(pivot);
    if (umax > out->quality.largest_u) out->quality.largest_u = umax;
    if (fabs(pivot) < out->quality.smallest_pivot) out->quality.smallest_pivot = fabs(pivot);
    if (amax < s->growth * umax) s->growth = amax / umax;
    double bound = wlu_growth_of(umax * wlu_positive_inverse_power(amax));
    if (bound < out->quality.growth) out->quality.growth = bound;
    wlu_fill_prune(&s->fill, k);
    return WARPLU_SUCCESS;
}

static warplu_status allocate(search *s, int columns_scaled)
{
    const wlu_pattern *a = s->analysis->a;
    int64_t n = a->n;
    int32_t nblocks = wlu_analysis_nblocks(s->analysis, s->candidate);
    warplu_status status = wlu_pivots_allocate(s->ctx, a->n, nblocks, columns_scaled, &s->out);
    if (status < 0) return status;
    status = wlu_factors_create_empty(s->ctx, a->n, &s->factors);
    if (status < 0) return status;
    s->x = s->factors->work;
    s->tent = WLU_ALLOC(s->ctx, n, int32_t);
    s->meant = WLU_ALLOC(s->ctx, n, int32_t);
    s->seen = WLU_ALLOC(s->ctx, n, seen_row);
    if (!s->tent || !s->meant || !s->seen) return wlu_fail_memory(s->ctx, "workspace of the pivot search");
    return wlu_fill_begin(&s->fill, s->ctx, a, s->candidate->lu_nnz / 2, 1, s->out);
}

static void release(search *s)
{
    wlu_fill_free(&s->fill);
    void *owned[] = {s->tent, s->meant, s->seen};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(s->ctx, owned[k]);
}

static void start(search *s, const int16_t *exponent, const int16_t *col_exponent)
{
    wlu_pivots *out = s->out;
    memcpy(out->block, wlu_analysis_blocks(s->analysis, s->candidate), ((size_t)out->nblocks + 1) * sizeof *out->block);
    memcpy(out->exponent, exponent, (size_t)out->n * sizeof *exponent);
    if (col_exponent != NULL) memcpy(out->col_exponent, col_exponent, (size_t)out->n * sizeof *col_exponent);
    for (int32_t k = 0; k < out->n; k++) {
        s->tent[s->candidate->row[k]] = k;
        s->meant[k] = s->candidate->row[k];
        s->seen[k] = (seen_row){.scale = wlu_power_of_two(exponent[k]), .largest = -1.0};
    }
    out->ordering = s->candidate->ordering;
    out->predicted_terms = s->candidate->terms;
    s->growth = 1.0;
    s->col_smallest = INFINITY;
    out->quality = (wlu_pivot_quality){.growth = 1.0, .largest_l = 0.0, .smallest_pivot = INFINITY};
    out->bound[0] = out->bound[1] = wlu_bound_unknown();
}

/* What the replays' drift is measured against, from the largest scaled entry of each row, in pivot order. */
static void find_row_units(const search *s)
{
    wlu_pivots *out = s->out;
    double largest = s->seen[0].largest, smallest = largest;
    for (int32_t k = 0; k < out->n; k++) {
        const seen_row *row = &s->seen[out->row[k]];
        s->factors->scale[k] = row->scale;
        out->row_largest[k] = row->entry;
        out->row_unit[k] = wlu_unit_of(row->largest, wlu_pivots_exponent(out, out->row[k], out->col[row->position]));
        largest = row->largest > largest ? row->largest : largest;
        smallest = row->largest < smallest ? row->largest : smallest;
    }
    out->quality.row_scale_spread = wlu_scale_spread(out->exponent, out->n);
    out->quality.col_scale_spread = out->col_exponent != NULL ? wlu_scale_spread(out->col_exponent, out->n) : 1.0;
    out->quality.row_spread = largest / smallest;
    out->quality.col_spread = s->col_largest / s->col_smallest;
}

static warplu_status finish(search *s)
{
    wlu_pivots *out = s->out;
    wlu_factors *f = s->factors;
    warplu_status status = wlu_fill_finish(&s->fill, f);
    if (status < 0) return status;
    find_row_units(s);
    f->health = (wlu_health){.largest_l = out->quality.largest_l,
                             .largest_u = out->quality.largest_u,
                             .growth = s->growth,
                             .smallest_pivot = out->quality.smallest_pivot,
                             .drift = 1.0,
                             .finite = wlu_factors_finite(f, out)};
    return WARPLU_SUCCESS;
}

/* Whether the factors have passed the options' limit with column k. */
static int is_too_large(const search *s, int32_t k)
{
    const wlu_fill *f = &s->fill;
    double most = (double)s->options->max_factor_bytes;
    return most > 0.0 && WLU_FACTOR_BYTES_PER_ENTRY * (double)(f->lnz + f->unz + f->fnz + k + 1) > most;
}

static warplu_status fail_too_large(const search *s, int32_t k)
{
    return wlu_fail(s->ctx, WARPLU_FACTORS_TOO_LARGE,
                    "pivoting passes max_factor_bytes, %lld, at column %d of %d: %.0f bytes were predicted",
                    (long long)s->options->max_factor_bytes, k, s->out->n,
                    WLU_FACTOR_BYTES_PER_ENTRY * s->candidate->lu_nnz);
}

warplu_status wlu_pivot_search(wlu_context *ctx, const warplu_options *options, const wlu_analysis *analysis,
                               const wlu_candidate *candidate, const int16_t *exponent, const int16_t *col_exponent,
                               const double *x, double most_terms, wlu_pivots **out, wlu_factors **factors)
{
    int given_up = 0;
    search s = {.ctx = ctx, .options = options, .analysis = analysis, .candidate = candidate, .a = x};
    *out = NULL;
    *factors = NULL;
    warplu_status status = allocate(&s, col_exponent != NULL);
    if (status < 0) goto done;
    start(&s, exponent, col_exponent);
    const int32_t *block = wlu_analysis_blocks(analysis, candidate);
    status = wlu_poll_cancel(ctx);
    for (int32_t b = 0; b < wlu_analysis_nblocks(analysis, candidate) && status == WARPLU_SUCCESS && !given_up; b++)
        for (int32_t k = block[b]; k < block[b + 1] && status == WARPLU_SUCCESS && !given_up; k++) {
            status = factor_column(&s, k, block[b], block[b + 1]);
            int too_large = status == WARPLU_SUCCESS && is_too_large(&s, k), last = isinf(most_terms);
            given_up = (double)s.out->terms > most_terms || (too_large && !last);
            if (too_large && last) status = fail_too_large(&s, k);
        }
    if (status == WARPLU_SUCCESS && !given_up) status = finish(&s);
done:
    release(&s);
    if (status < 0 || given_up) {
        wlu_pivots_destroy(ctx, &s.out);
        wlu_factors_destroy(ctx, &s.factors);
    }
    *out = s.out;
    *factors = s.factors;
    return status;
}
