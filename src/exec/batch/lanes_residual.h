/* Residuals and corrections in lanes; a part of lanes_kernels.h. numerics/refine.h has what is computed, for one
 * right-hand side. */
#include "exec/cpu/row_sums.h"

static inline n8 entry_of(const wlu_lanes_look *k, int32_t at)
{
    return n8_load_parts(k->entries + LINE * (int64_t)k->rows->source[at]);
}

static inline n8 unknown_of(const wlu_lanes_look *k, int32_t at)
{
    return n8_load_parts(k->x + LINE * (int64_t)k->rows->column[at]);
}

/* The sums of entries begin .. end - 1 by eight accumulators. count: of those that have some, a constant. */
WLU_INSTANCE row_sums sums_by(int count, const wlu_lanes_look *k, int32_t begin, int32_t end)
{
    row_sums sums[WLU_REFINE_SUMS];
    for (int q = 0; q < count; q++) sums[q] = row_first(entry_of(k, begin + q), unknown_of(k, begin + q));
    for (int32_t at = begin + WLU_REFINE_SUMS; at < end; at += WLU_REFINE_SUMS)
        for (int q = 0; q < WLU_REFINE_SUMS && at + q < end; q++)
            row_add(&sums[q], entry_of(k, at + q), unknown_of(k, at + q));
    return row_tree(WLU_REFINE_SUMS, count, sums);
}

/* By 256 of them; apart, for they take 48 KB of the stack, complex ones 64 KB. */
static row_sums long_sums(const wlu_lanes_look *k, int32_t begin, int32_t end)
{
    row_sums sums[WLU_REFINE_LONG_SUMS];
    int count = end - begin < WLU_REFINE_LONG_SUMS ? end - begin : WLU_REFINE_LONG_SUMS;
    for (int q = 0; q < count; q++) sums[q] = row_first(entry_of(k, begin + q), unknown_of(k, begin + q));
    for (int32_t at = begin + WLU_REFINE_LONG_SUMS; at < end; at += WLU_REFINE_LONG_SUMS)
        for (int q = 0; q < WLU_REFINE_LONG_SUMS && at + q < end; q++)
            row_add(&sums[q], entry_of(k, at + q), unknown_of(k, at + q));
    return row_tree(WLU_REFINE_LONG_SUMS, count, sums);
}

static inline row_sums sums_of(const wlu_lanes_look *k, int32_t i)
{
    int32_t begin = k->rows->begin[i], end = k->rows->begin[i + 1];
    if (end - begin > WLU_REFINE_LONG) return long_sums(k, begin, end);
    switch (end - begin) {
    case 0: return no_sums();
    case 1: return sums_by(1, k, begin, end);
    case 2: return sums_by(2, k, begin, end);
    case 3: return sums_by(3, k, begin, end);
    case 4: return sums_by(4, k, begin, end);
    case 5: return sums_by(5, k, begin, end);
    case 6: return sums_by(6, k, begin, end);
    case 7: return sums_by(7, k, begin, end);
    default: return sums_by(WLU_REFINE_SUMS, k, begin, end);
    }
}

/* Sizes: of a residual that underflows in its row's scale, the smallest there is (wlu_refine_size). */
static void run_look(wlu_lanes_look *k)
{
    v8 error = v8_zero(), size = v8_zero(), any = v8_zero();
    double sizes[WLU_LANES], magnitudes[WLU_LANES];
    for (int32_t i = 0; i < k->rows->n; i++) {
        n8 b = n8_load_parts(k->b + LINE * (int64_t)i), r = b;
        if (k->x != NULL) {
            row_sums sums = sums_of(k, i);
            r = n8_sub(b, sums.product);
            int32_t entries = k->rows->begin[i + 1] - k->rows->begin[i];
            error = v8_max_bits(error, v8_abs(errors_of(&sums, r, b, k->unknown, k->rows->n, entries)));
        }
        size = v8_max_bits(size, n8_size(n8_scaled(v8_set(wlu_power_of_upper(k->rows->power[i])), r)));
        any = v8_max_bits(any, n8_size(r));
        n8_store_parts(k->r + LINE * (int64_t)i, r);
    }
    v8_store(k->error, error);
    v8_store(sizes, size);
    v8_store(magnitudes, any);
    for (int q = 0; q < WLU_LANES; q++)
        k->size[q] = sizes[q] == 0.0 && magnitudes[q] != 0.0 ? wlu_double_of_bits(1) : sizes[q];
}

static void run_correct(int64_t count, const double *found, const double *best, const double *up, double *trial,
                        double *largest)
{
    v8 m = v8_load(largest), scale = v8_load(up);
    for (int64_t k = 0; k < LINE * count; k += WLU_LANES) {
        v8 x = v8_add(v8_load(best + k), v8_mul(v8_load(found + k), scale));
        m = v8_max_bits(m, v8_abs(x));
        v8_store(trial + k, x);
    }
    v8_store(largest, m);
}

static void run_choose(int64_t count, const double *sign, const double *from, double *to)
{
    v8 s = v8_load(sign);
    for (int64_t k = 0; k < LINE * count; k += WLU_LANES)
        v8_store(to + k, v8_select(s, v8_load(from + k), v8_load(to + k)));
}
