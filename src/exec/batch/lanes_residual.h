/* Residuals and corrections in lanes; a part of lanes_kernels.h. numerics/refine.h has what is computed, for one
 * right-hand side. */

/* A row's sums in lanes; see wlu_row_sums. */
typedef struct row_sums {
    v8 product, weight, norm;
} row_sums;

static inline row_sums no_sums(void)
{
    return (row_sums){v8_zero(), v8_zero(), v8_zero()};
}

static inline void row_add(row_sums *s, v8 a, v8 x)
{
    v8 magnitude = v8_abs(a);
    s->product = v8_fma(a, x, s->product);
    s->weight = v8_fma(magnitude, v8_abs(x), s->weight);
    s->norm = v8_greater_of(magnitude, s->norm);
}

static inline void row_join(row_sums *mine, const row_sums *partners)
{
    mine->product = v8_add(mine->product, partners->product);
    mine->weight = v8_add(mine->weight, partners->weight);
    mine->norm = v8_greater_of(partners->norm, mine->norm);
}

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

/* wlu_sums_error of each lane, whatever the numbers are. */
static v8 errors_by_lane(const row_sums *s, v8 r, v8 b, const double *unknown, int32_t n)
{
    double product[8], weight[8], norm[8], rest[8], side[8], error[8];
    v8_store(product, s->product);
    v8_store(weight, s->weight);
    v8_store(norm, s->norm);
    v8_store(rest, r);
    v8_store(side, b);
    for (int q = 0; q < WLU_LANES; q++) {
        wlu_row_sums sums = {product[q], weight[q], norm[q]};
        error[q] = wlu_magnitude(wlu_sums_error(&sums, rest[q], side[q], unknown[q], n));
    }
    return v8_load(error);
}

/* The same at once where the first form holds in all lanes. */
static inline v8 errors_of(const row_sums *s, v8 r, v8 b, const double *unknown, int32_t n)
{
    const wlu_thresholds t = wlu_thresholds_of(0);
    const v8 low = v8_set(t.second_form * (2.0 * t.rounding) * n);
    v8 size = v8_abs(b), denominator = v8_add(s->weight, size);
    v8 least = v8_add(v8_mul(low, v8_mul(s->norm, v8_load(unknown))), v8_mul(low, size));
    if (v8_all_greater(denominator, least) && v8_all_greater(denominator, v8_set(t.row_least)) &&
        v8_all_greater(v8_set(INFINITY), denominator))
        return v8_div(v8_abs(r), denominator);
    return errors_by_lane(s, r, b, unknown, n);
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
