/* Residuals and corrections in lanes; a part of lanes_kernels.h. numerics/refine.h has what is computed, for one
 * right-hand side. */
#include "exec/cpu/row_sums.h"

/* The sums of entries begin .. end - 1 by `count` accumulators, a constant. */
WLU_INSTANCE row_sums sums_by(const wlu_lanes_look *k, int32_t begin, int32_t end, int count, row_sums *sums)
{
    const wlu_refine_rows *rows = k->rows;
    for (int q = 0; q < count; q++) sums[q] = no_sums();
    for (; begin < end; begin += count)
        for (int q = 0; q < count && begin + q < end; q++)
            row_add(&sums[q], v8_load(k->entries + WLU_LANES * (int64_t)rows->source[begin + q]),
                    v8_load(k->x + WLU_LANES * (int64_t)rows->column[begin + q]));
    for (int apart = count / 2; apart > 0; apart /= 2)
        for (int q = 0; q < apart; q++) row_join(&sums[q], &sums[q + apart]);
    return sums[0];
}

/* Apart, for its accumulators take 48 KB of the stack. */
static row_sums long_sums(const wlu_lanes_look *k, int32_t begin, int32_t end)
{
    row_sums sums[WLU_REFINE_LONG_SUMS];
    return sums_by(k, begin, end, WLU_REFINE_LONG_SUMS, sums);
}

static inline row_sums sums_of(const wlu_lanes_look *k, int32_t i)
{
    int32_t begin = k->rows->begin[i], end = k->rows->begin[i + 1];
    row_sums sums[WLU_REFINE_SUMS];
    if (end - begin > WLU_REFINE_LONG) return long_sums(k, begin, end);
    return sums_by(k, begin, end, WLU_REFINE_SUMS, sums);
}

/* Sizes: of a residual that underflows in its row's scale, the smallest there is (wlu_refine_size). */
static void run_look(wlu_lanes_look *k)
{
    v8 error = v8_zero(), size = v8_zero(), any = v8_zero();
    double sizes[WLU_LANES], magnitudes[WLU_LANES];
    for (int32_t i = 0; i < k->rows->n; i++) {
        v8 b = v8_load(k->b + WLU_LANES * (int64_t)i), r = b;
        if (k->x != NULL) {
            row_sums sums = sums_of(k, i);
            r = lanes_minus(b, sums.product);
            error = v8_max_bits(error, v8_abs(errors_of(&sums, r, b, k->unknown, k->rows->n)));
        }
        size = v8_max_bits(size, v8_abs(v8_mul(v8_set(wlu_power_of_upper(k->rows->power[i])), r)));
        any = v8_max_bits(any, v8_abs(r));
        v8_store(k->r + WLU_LANES * (int64_t)i, r);
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
    for (int64_t k = 0; k < WLU_LANES * count; k += WLU_LANES) {
        v8 x = v8_add(v8_load(best + k), v8_mul(v8_load(found + k), scale));
        m = v8_max_bits(m, v8_abs(x));
        v8_store(trial + k, x);
    }
    v8_store(largest, m);
}

static void run_choose(int64_t count, const double *sign, const double *from, double *to)
{
    v8 s = v8_load(sign);
    for (int64_t k = 0; k < WLU_LANES * count; k += WLU_LANES)
        v8_store(to + k, v8_select(s, v8_load(from + k), v8_load(to + k)));
}
