/* Supernodes, and the choice of DOT and COLUMN pivots by predicted time and bytes. See symbolic.h. */
#include "program/symbolic.h"

#include <string.h>

/* Headers of the vectors a pivot adds: its RCP, its DOTS and its DOTs at worst stand alone. */
static const double VECTOR_BYTES = 3.0 * 32.0;

/* Thresholds T tried, from "all COLUMN" to "all DOT". */
static const int32_t thresholds[] = {0, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, INT32_MAX};

int wlu_supernode_continues(const wlu_pivots *p, int32_t k)
{
    if (k + 1 >= p->n) return 0;
    int64_t len = p->lp[k + 1] - p->lp[k];
    return len > 0 && p->li[p->lp[k]] == k + 1 && p->lp[k + 2] - p->lp[k + 1] == len - 1 &&
           memcmp(p->li + p->lp[k] + 1, p->li + p->lp[k + 1], (size_t)(len - 1) * sizeof *p->li) == 0;
}

static void find_widths(const wlu_pivots *p, int32_t *width)
{
    int32_t first = 0;
    for (int32_t k = 0; k < p->n; k++) {
        if (wlu_supernode_continues(p, k)) continue;
        for (int32_t c = first; c <= k; c++) width[c] = k + 1 - first;
        first = k + 1;
    }
}

static void close_upwards(const wlu_pivots *p, const int32_t *u_row, int32_t threshold, uint8_t *columned)
{
    for (int32_t k = 0; k < p->n; k++)
        columned[k] = p->lp[k + 1] - p->lp[k] >= threshold && u_row[k] >= threshold;
    for (int32_t k = 0; k < p->n; k++) {
        for (int64_t q = p->up[k]; q < p->up[k + 1] && !columned[k]; q++) columned[k] = columned[p->ui[q]];
        if (!columned[k]) continue;
        for (int64_t q = p->lp[k]; q < p->lp[k + 1]; q++) columned[p->li[q]] = 1;
    }
}

/* The largest threshold any pivot passes. */
static int32_t widest_pivot(const wlu_pivots *p, const int32_t *u_row)
{
    int64_t widest = 0;
    for (int32_t k = 0; k < p->n; k++) {
        int64_t l = p->lp[k + 1] - p->lp[k], least = l < u_row[k] ? l : u_row[k];
        if (least > widest) widest = least;
    }
    return (int32_t)widest;
}

/* Time and bytes if the pivots marked in columned go to the COLUMN region. */
static void evaluate(const wlu_cost *cost, const wlu_pivots *p, int32_t nnz, wlu_symbolic *s)
{
    /* Bytes: 12 a dense load and 16 a listed one; a guard has 32 a column, 12 an entry of A, 4 a computed u; a record
     * 25. */
    double entries = (double)(p->lp[p->n] + p->up[p->n] + p->fp[p->n]) + p->n;
    double ns = cost->ns_per_load * entries;
    double bytes = 12.0 * (double)p->fp[p->n] + 28.0 * nnz + 32.0 * p->n;
    s->dot_pivots = s->dot_terms = 0;
    for (int32_t k = 0; k < p->n; k++) {
        double l = (double)(p->lp[k + 1] - p->lp[k]), u = s->u_row[k];
        if (s->columned[k]) {
            ns += cost->ns_per_column + u * l * cost->ns_per_column_term +
                  u * (cost->ns_per_segment + l * cost->ns_per_column_row) / s->width[k];
            bytes += 68.0 + (8.0 * u + 4.0 * l) / s->width[k];
        } else {
            ns += u * l * cost->ns_per_dot_term + (u + l + 2) * cost->ns_per_dot_record;
            bytes += 8.0 * u * l + (25.0 + 12.0) * (u + l + 2) + 4.0 * u + VECTOR_BYTES;
            s->dot_pivots++;
            s->dot_terms += (int64_t)(u * l);
        }
    }
    s->predicted_ns = ns;
    s->bytes = bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}

warplu_status wlu_symbolic_find(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                const wlu_pivots *p, int32_t nnz, wlu_symbolic *out)
{
    memset(out, 0, sizeof *out);
    out->width = WLU_ALLOC(ctx, p->n, int32_t);
    out->u_row = WLU_CALLOC(ctx, p->n, int32_t);
    out->columned = WLU_ALLOC(ctx, p->n, uint8_t);
    if (out->width == NULL || out->u_row == NULL || out->columned == NULL) {
        wlu_symbolic_free(ctx, out);
        return wlu_fail_memory(ctx, "symbolic factorization");
    }
    find_widths(p, out->width);
    for (int64_t q = 0; q < p->up[p->n]; q++) out->u_row[p->ui[q]]++;
    int best = -1;
    double best_ns = 0.0;
    int64_t smallest = INT64_MAX;
    const int count = (int)(sizeof thresholds / sizeof *thresholds);
    int32_t widest = widest_pivot(p, out->u_row);
    for (int t = 0; t < count; t++) {
        if (thresholds[t] > widest && t + 1 < count) continue; /* no seed: the same as all DOT */
        close_upwards(p, out->u_row, thresholds[t], out->columned);
        evaluate(cost, p, nnz, out);
        if (out->bytes < smallest) smallest = out->bytes;
        if (out->bytes <= options->max_program_bytes && (best < 0 || out->predicted_ns < best_ns)) {
            best = t;
            best_ns = out->predicted_ns;
        }
    }
    if (best < 0) {
        wlu_symbolic_free(ctx, out);
        return wlu_fail(ctx, WARPLU_PROGRAM_TOO_LARGE,
                        "the smallest program needs about %lld bytes, max_program_bytes is %lld",
                        (long long)smallest, (long long)options->max_program_bytes);
    }
    close_upwards(p, out->u_row, thresholds[best], out->columned);
    evaluate(cost, p, nnz, out);
    return WARPLU_SUCCESS;
}

void wlu_symbolic_free(wlu_context *ctx, wlu_symbolic *s)
{
    wlu_free(ctx, s->width);
    wlu_free(ctx, s->u_row);
    wlu_free(ctx, s->columned);
    memset(s, 0, sizeof *s);
}
