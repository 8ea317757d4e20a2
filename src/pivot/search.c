/* The first numeric factorization: left-looking LU with threshold partial pivoting.
 *
 * Method: Gilbert and Peierls (SIAM J. Sci. Stat. Comput. 9, 1988): column j of L and U is the solution of a sparse
 * triangular system whose pattern is found first (pivot/fill.h), so that time is proportional to arithmetic. The
 * diagonal entry is kept while it is at least pivot_tolerance times the largest; where it is not, the row of the
 * diagonal changes places with the pivot's, so that later columns keep theirs (as in KLU, ACM TOMS 37, 2010). Each
 * diagonal block is factored on its own. Columns of L of one pattern are subtracted up to four at a time, each row
 * taken up once: what a column is then bound by is the memory that L comes from. The caller may cancel it, within a
 * column too: polls come after so many terms. Cost: O(terms) time; 12 bytes an entry of L, U and F, 20 of
 * complex ones. Compiled for either kind of numbers; sizes stand for their moduli (base/number.h). */
#include "pivot/search.h"

#include "pivot/factors.h"
#include "pivot/fill.h"
#include "pivot/subtract.h"
#include "pivot/units.h"
#include "order/diagnose.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Off the diagonal, a pivot may be this much smaller than the column's largest entry. */
static const double OFF_DIAGONAL_TOLERANCE = 0.1;

/* The caller is polled each time so much has been done, in multiply-subtracts: some milliseconds; a column counts for
 * as many more. */
enum { POLL_EVERY = 1 << 22, COLUMN_COUNTS = 1 << 12 };

/* More terms or entries than this are not counted: 2^62. */
static const double MOST = 4611686018427387904.0;

/* A row of A as far as its columns have come. */
typedef struct seen_row {
    double scale;
    double largest;      /* scaled size, -1 before the first entry, ... */
    uint64_t largest_at; /* ... and where: the position of its column, in the upper half, and the entry */
} seen_row;

typedef struct search {
    wlu_context *ctx;
    const warplu_options *options;
    const wlu_analysis *analysis;
    const wlu_candidate *candidate;
    const double *a; /* gathered values, complex ones part by part */
    wlu_pivots *out;
    wlu_factors *factors;
    wlu_fill fill;
    wlu_number *x; /* n: the column being solved, by original row; zero between columns; borrowed of the factors */
    const int32_t *meant; /* n: the row that is meant for each position: the candidate's, until one is exchanged, ... */
    int32_t *exchanged;   /* ... then n, and behind them n: where each row is meant to be; NULL before */
    seen_row *seen;       /* n: by original row */
    double col_largest, col_smallest; /* of the largest scaled magnitude of each column so far */
    double growth;                    /* exact reciprocal pivot growth so far */
    double worst;                     /* and what its second bound is made of (wlu_growth_of) */
    double sum;                       /* of all u: finite if all are, but for sums that overflow */
    int64_t work;                     /* since the last poll */
    int64_t most_terms, most_entries; /* beyond which the search ends */
} search;

/* Polls the caller; work counts from zero again. */
static warplu_status poll(const search *s, int64_t *work)
{
    *work = 0;
    return wlu_poll_cancel(s->ctx);
}

/* Scatters the scaled values of position k's column of A, j, into x and F, its rows into the fill. Returns the largest
 * magnitude in the block's part of the column. A number is larger than what was seen before, or not, at random: what
 * follows from it is masked, not jumped to. */
static double load_column(search *s, int32_t k, int32_t j, int32_t begin)
{
    const wlu_pattern *a = s->analysis->a;
    const int32_t *ai = a->i;
    const double *values = s->a, by = wlu_power_of_two(wlu_pivots_col_exponent(s->out, j));
    const uint64_t position = (uint64_t)k << 32;
    int32_t largest = a->p[j];
    double amax = 0.0, fmax = 0.0;
    wlu_number *fx = (wlu_number *)s->fill.fx + s->out->fp[k], *x = s->x;
    for (int32_t e = a->p[j], end = a->p[j + 1]; e < end; e++) {
        int32_t i = ai[e];
        seen_row *row = &s->seen[i];
        wlu_number scaled = wlu_scaled(row->scale * by, wlu_number_at(values, e));
        double magnitude = wlu_size(scaled);
        uint64_t keep = (uint64_t)(magnitude > row->largest) - 1;
        row->largest_at = (row->largest_at & keep) | ((position | (uint32_t)e) & ~keep);
        row->largest = magnitude > row->largest ? magnitude : row->largest;
        if (wlu_fill_row(&s->fill, k, begin, i)) {
            *fx++ = scaled;
            fmax = magnitude > fmax ? magnitude : fmax;
            continue;
        }
        x[i] = scaled;
        largest = magnitude > amax ? e : largest;
        amax = magnitude > amax ? magnitude : amax;
    }
    s->out->largest[k] = largest;
    double cmax = fmax > amax ? fmax : amax;
    s->col_largest = cmax > s->col_largest ? cmax : s->col_largest;
    s->col_smallest = cmax < s->col_smallest ? cmax : s->col_smallest;
    return amax;
}

/* Eliminates the column with the pivots found, in their order. largest: |u|. WARPLU_CANCELLED. */
static warplu_status eliminate(search *s, int32_t k, double *largest)
{
    const int64_t *lp = s->out->lp;
    const wlu_elimination_step step = {lp, s->fill.li, (wlu_number *)s->fill.lx, s->fill.group, s->out->row, s->x};
    const int32_t *ui = s->fill.ui;
    wlu_number *ux = (wlu_number *)s->fill.ux;
    double umax = 0.0, sum = s->sum;
    int64_t work = s->work + COLUMN_COUNTS;
    for (int64_t t = s->out->up[k], end = s->fill.unz; t < end;) {
        int32_t kk = ui[t];
        int64_t begin = lp[kk], next;
        if (!wlu_goes_on(&step, kk, end - t)) {
            wlu_number u = ux[t++] = wlu_eliminate_one(&step, kk);
            umax = wlu_size(u) > umax ? wlu_size(u) : umax;
            sum += wlu_sum_of_parts(u);
            work += lp[kk + 1] - begin;
        } else {
            next = t + wlu_eliminate_group(&step, kk, end - t, ux + t);
            work += lp[kk + next - t] - begin;
            for (; t < next; t++) {
                umax = wlu_size(ux[t]) > umax ? wlu_size(ux[t]) : umax;
                sum += wlu_sum_of_parts(ux[t]);
            }
        }
        if (work >= POLL_EVERY && poll(s, &work) < 0) return WARPLU_CANCELLED;
    }
    s->work = work;
    s->sum = sum;
    *largest = umax;
    return work >= POLL_EVERY ? poll(s, &s->work) : WARPLU_SUCCESS;
}

/* Position k has no pivot; the row that was meant for it has none either. */
static warplu_status fail_singular(const search *s, int32_t k)
{
    int32_t row = s->meant[k];
    wlu_stop stop = {.col = s->out->col[k],
                     .row = row,
                     .position = k,
                     .absolute = s->options->pivot_absolute,
                     .row_is_given = s->analysis->rows_are_final};
    return wlu_fail_singular(s->ctx, s->analysis->a, s->a, &stop);
}

/* The column's l values go to lx, and the pivot's row, which holds 0 by now, leaves the list. */
static void divide_column(search *s, int32_t k, int32_t pivot_row, wlu_divisor pivot, int32_t depth)
{
    const int32_t *li = s->fill.li;
    wlu_number *lx = (wlu_number *)s->fill.lx, *x = s->x;
    double lmax = s->out->quality.largest_l;
    int64_t to = s->out->lp[k];
    for (int64_t q = to, end = s->fill.lnz; q < end; q++) {
        int32_t i = li[q];
        wlu_number l = wlu_quotient(x[i], pivot);
        x[i] = wlu_zero();
        lmax = wlu_size(l) > lmax ? wlu_size(l) : lmax;
        wlu_fill_keep(&s->fill, i, depth, to);
        lx[to] = l;
        to += i != pivot_row;
    }
    wlu_fill_close(&s->fill, k, to);
    s->out->quality.largest_l = lmax;
}

/* Rows and positions as they are meant, to be changed. WARPLU_OUT_OF_MEMORY. */
static warplu_status begin_exchanges(search *s)
{
    int64_t n = s->out->n;
    int32_t *meant = s->exchanged = WLU_ALLOC(s->ctx, 2 * n, int32_t);
    if (meant == NULL) return wlu_fail_memory(s->ctx, "workspace of the pivot search");
    memcpy(meant, s->meant, (size_t)n * sizeof *meant);
    for (int32_t k = 0; k < n; k++) meant[n + meant[k]] = k;
    s->meant = meant;
    return WARPLU_SUCCESS;
}

/* Row takes position k; the row that was meant for it is meant for row's own position from now on, so that no chain of
 * columns loses its diagonal. */
static void exchange(search *s, int32_t k, int32_t row)
{
    int32_t *meant = s->exchanged, *tent = meant + s->out->n, other = meant[k], at = tent[row];
    meant[at] = other;
    tent[other] = at;
    meant[k] = row;
    tent[row] = k;
}

/* Off the diagonal, the row that was to be eliminated soonest among those large enough: swapping neighbours in the
 * elimination tree costs least fill-in. */
static warplu_status choose_off_diagonal(search *s, int32_t k, double largest, int32_t *row)
{
    const int32_t *li = s->fill.li;
    double magnitude = fmax(s->options->pivot_tolerance, OFF_DIAGONAL_TOLERANCE) * largest;
    int32_t nearest = -1;
    if (s->analysis->rows_are_final) return fail_singular(s, k);
    warplu_status status = s->exchanged == NULL ? begin_exchanges(s) : WARPLU_SUCCESS;
    if (status < 0) return status;
    const int32_t *tent = s->exchanged + s->out->n;
    for (int64_t q = s->out->lp[k]; q < s->fill.lnz; q++)
        if (wlu_size(s->x[li[q]]) >= magnitude && (nearest < 0 || tent[li[q]] < tent[nearest])) nearest = li[q];
    if (nearest < 0 || !(wlu_size(s->x[nearest]) > s->options->pivot_absolute)) return fail_singular(s, k);
    exchange(s, k, nearest);
    *row = nearest;
    return WARPLU_SUCCESS;
}

/* Whether the row that is meant for position k, which may be in the list, may be its pivot. */
static inline int keeps_diagonal(const search *s, int32_t k, int32_t diagonal, double largest)
{
    double magnitude = wlu_size(s->x[diagonal]);
    return s->fill.mark[diagonal] == k && magnitude > s->options->pivot_absolute &&
           (magnitude >= s->options->pivot_tolerance * largest || s->analysis->rows_are_final);
}

/* Chooses the pivot among li[first..lnz), removes it from the list; the column's l values go to lx. */
static warplu_status choose_pivot(search *s, int32_t k, int64_t first, wlu_number *pivot)
{
    const int32_t *li = s->fill.li;
    const wlu_number *x = s->x;
    uint64_t most = 0;
    for (int64_t q = first, end = s->fill.lnz; q < end; q++) {
        uint64_t bits = wlu_bits_of_double(wlu_size(x[li[q]])); /* a NaN wins and is caught below */
        most = bits > most ? bits : most;
    }
    double largest = wlu_double_of_bits(most);
    if (most > wlu_bits_of_double(DBL_MAX))
        return wlu_fail(s->ctx, WARPLU_NOT_FINITE, "column %d overflows while it is eliminated",
                        s->out->col[k] + s->ctx->first_index);
    int32_t row = s->meant[k];
    warplu_status status = WARPLU_SUCCESS;
    if (!keeps_diagonal(s, k, row, largest)) status = choose_off_diagonal(s, k, largest, &row);
    if (status < 0) return status;
    *pivot = x[row];
    s->x[row] = wlu_zero();
    divide_column(s, k, row, wlu_divisor_of(*pivot), wlu_fill_pivot(&s->fill, k, row));
    return WARPLU_SUCCESS;
}

static warplu_status factor_column(search *s, int32_t k, int32_t begin, int32_t end)
{
    wlu_pivots *out = s->out;
    wlu_pivot_quality *quality = &out->quality;
    int32_t j = out->col[k] = s->candidate->col[k];
    wlu_number pivot = wlu_zero();
    double umax = 0.0;
    const int32_t *p = s->analysis->a->p;
    warplu_status status = wlu_fill_open(&s->fill, k, end, p[j + 1] - p[j]);
    if (status < 0) return status;
    double amax = load_column(s, k, j, begin);
    status = wlu_fill_reach(&s->fill, k);
    if (status == WARPLU_SUCCESS) status = eliminate(s, k, &umax);
    if (status == WARPLU_SUCCESS) status = choose_pivot(s, k, out->lp[k], &pivot);
    if (status < 0) return status;
    double magnitude = wlu_size(pivot);
    wlu_number_put(s->factors->pivot, k, pivot);
    umax = magnitude > umax ? magnitude : umax;
    quality->largest_u = umax > quality->largest_u ? umax : quality->largest_u;
    quality->smallest_pivot = magnitude < quality->smallest_pivot ? magnitude : quality->smallest_pivot;
    if (amax < s->growth * umax) s->growth = amax / umax;
    s->worst = wlu_larger_bits(s->worst, umax * wlu_positive_inverse_power(amax));
    return WARPLU_SUCCESS;
}

static warplu_status allocate(search *s, int columns_scaled)
{
    const wlu_pattern *a = s->analysis->a;
    int64_t n = a->n;
    int32_t nblocks = wlu_analysis_nblocks(s->analysis, s->candidate);
    warplu_status status = wlu_pivots_allocate(s->ctx, a->n, nblocks, columns_scaled, &s->out);
    if (status < 0) return status;
    status = wlu_factors_create_empty(s->ctx, a->n, WLU_NUMBER_REALS, &s->factors);
    if (status < 0) return status;
    s->x = (wlu_number *)s->factors->work;
    s->meant = s->candidate->row;
    s->seen = WLU_ALLOC(s->ctx, n, seen_row);
    if (s->seen == NULL) return wlu_fail_memory(s->ctx, "workspace of the pivot search");
    return wlu_fill_begin(&s->fill, s->ctx, a, 0.5 * (s->candidate->lu_nnz - (double)n), WLU_NUMBER_REALS, s->out);
}

static void release(search *s)
{
    wlu_fill_free(&s->fill);
    wlu_free(s->ctx, s->exchanged);
    wlu_free(s->ctx, s->seen);
}

static void start(search *s, const int16_t *exponent, const int16_t *col_exponent)
{
    wlu_pivots *out = s->out;
    memcpy(out->block, wlu_analysis_blocks(s->analysis, s->candidate), ((size_t)out->nblocks + 1) * sizeof *out->block);
    memcpy(out->exponent, exponent, (size_t)out->n * sizeof *exponent);
    if (col_exponent != NULL) memcpy(out->col_exponent, col_exponent, (size_t)out->n * sizeof *col_exponent);
    for (int32_t i = 0; i < out->n; i++)
        s->seen[i] = (seen_row){.scale = wlu_power_of_two(exponent[i]), .largest = -1.0};
    out->doubles = WLU_NUMBER_REALS;
    out->ordering = s->candidate->ordering;
    out->predicted_terms = s->candidate->terms;
    s->growth = 1.0;
    s->col_smallest = INFINITY;
    out->quality = (wlu_pivot_quality){.growth = 1.0, .largest_l = 0.0, .smallest_pivot = INFINITY};
}

/* What the replays' drift is measured against, from the largest scaled entry of each row, in pivot order. */
static void find_row_units(const search *s)
{
    wlu_pivots *out = s->out;
    double largest = s->seen[0].largest, smallest = largest;
    for (int32_t k = 0; k < out->n; k++) {
        const seen_row *row = &s->seen[out->row[k]];
        s->factors->scale[k] = row->scale;
        int32_t position = (int32_t)(row->largest_at >> 32);
        out->row_largest[k] = (int32_t)(uint32_t)row->largest_at;
        out->row_unit[k] = wlu_unit_of(row->largest, wlu_pivots_exponent(out, out->row[k], out->col[position]));
        largest = row->largest > largest ? row->largest : largest;
        smallest = row->largest < smallest ? row->largest : smallest;
    }
    out->quality.growth = wlu_growth_of(s->worst);
    out->quality.row_scale_spread = wlu_scale_spread(out->exponent, out->n);
    out->quality.col_scale_spread = out->col_exponent != NULL ? wlu_scale_spread(out->col_exponent, out->n) : 1.0;
    out->quality.row_spread = largest / smallest;
    out->quality.col_spread = s->col_largest / s->col_smallest;
}

static warplu_status finish(search *s)
{
    wlu_pivots *out = s->out;
    wlu_factors *f = s->factors;
    warplu_status status = WLU_NUMBER_NAME(wlu_fill_finish)(&s->fill, f);
    if (status < 0) return status;
    find_row_units(s);
    f->health = (wlu_health){.largest_l = out->quality.largest_l,
                             .largest_u = out->quality.largest_u,
                             .growth = s->growth,
                             .smallest_pivot = out->quality.smallest_pivot,
                             .drift = 1.0,
                             .finite = isfinite(s->sum + out->quality.largest_l + s->col_largest) ||
                                       wlu_factors_finite(f, out)};
    return WARPLU_SUCCESS;
}

/* Whether the factors have passed the options' limit with column k. */
static int is_too_large(const search *s, int32_t k)
{
    const wlu_fill *f = &s->fill;
    return f->lnz + f->unz + f->fnz + k + 1 > s->most_entries;
}

static warplu_status fail_too_large(const search *s, int32_t k)
{
    return wlu_fail(s->ctx, WARPLU_FACTORS_TOO_LARGE,
                    "pivoting passes max_factor_bytes, %lld, at column %d of %d: %.0f bytes were predicted",
                    (long long)s->options->max_factor_bytes, k, s->out->n,
                    WLU_FACTOR_BYTES_PER_ENTRY * s->candidate->lu_nnz);
}

warplu_status WLU_NUMBER_NAME(wlu_pivot_search)(wlu_context *ctx, const warplu_options *options,
                                                const wlu_analysis *analysis, const wlu_candidate *candidate,
                                                const int16_t *exponent, const int16_t *col_exponent, const double *x,
                                                double most_terms, wlu_pivots **out, wlu_factors **factors)
{
    int given_up = 0;
    search s = {.ctx = ctx, .options = options, .analysis = analysis, .candidate = candidate, .a = x};
    double entries =
        options->max_factor_bytes > 0 ? (double)options->max_factor_bytes / WLU_FACTOR_BYTES_PER_ENTRY : MOST;
    s.most_entries = (int64_t)entries;
    s.most_terms = (int64_t)fmin(most_terms, MOST);
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
            given_up = s.out->terms > s.most_terms || (too_large && !last);
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
