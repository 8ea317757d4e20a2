/* Sums of rows for residuals in lanes, whether a lane is a row or a member; a part of kernels. numerics/refine.h has
 * what is computed. */

#include "numerics/refine.h"

/* A row's sums in lanes; see wlu_row_sums. */
typedef struct row_sums {
    n8 product;
    v8 weight, norm;
} row_sums;

static inline row_sums no_sums(void)
{
    return (row_sums){n8_zero(), v8_zero(), v8_zero()};
}

static inline void row_add(row_sums *s, n8 a, n8 x)
{
    v8 size = n8_inner_modulus(a);
    s->product = n8_fma(a, x, s->product);
    s->weight = v8_fma(size, n8_inner_modulus(x), s->weight);
    s->norm = v8_greater_of(size, s->norm);
}

/* An accumulator's first entry: of a real one, the product has the weight. */
static inline row_sums row_first(n8 a, n8 x)
{
    n8 product = n8_fma(a, x, n8_zero());
    v8 size = n8_inner_modulus(a);
    v8 weight = WLU_NUMBER_REALS == 1 ? n8_size(product) : v8_mul(size, n8_inner_modulus(x));
    return (row_sums){product, weight, v8_greater_of(size, v8_zero())};
}

static inline void row_join(row_sums *mine, const row_sums *partners)
{
    mine->product = n8_add(mine->product, partners->product);
    mine->weight = v8_add(mine->weight, partners->weight);
    mine->norm = v8_greater_of(partners->norm, mine->norm);
}

/* The tree of `width` accumulators, `count` of which have entries; those without leave it as it is. Constants, where
 * registers are to hold them. */
WLU_INSTANCE row_sums row_tree(int width, int count, row_sums *sums)
{
    for (int apart = width / 2; apart > 0; apart /= 2)
        for (int k = 0; k < apart && k + apart < count; k++) row_join(&sums[k], &sums[k + apart]);
    return sums[0];
}

/* wlu_row_error of each lane, whatever the numbers are. */
static v8 errors_by_lane(const row_sums *s, n8 r, n8 b, const double *unknown, int32_t n, int32_t entries)
{
    double weight[8], norm[8], rest[8 * WLU_NUMBER_REALS], side[8 * WLU_NUMBER_REALS], error[8];
    v8_store(weight, s->weight);
    v8_store(norm, s->norm);
    n8_store(rest, r);
    n8_store(side, b);
    for (int q = 0; q < 8; q++) {
        wlu_row_sums sums = {wlu_zero(), weight[q], norm[q]};
        wlu_number left = wlu_number_at(rest, q), right = wlu_number_at(side, q);
        error[q] = wlu_magnitude(wlu_row_error(&sums, left, right, unknown[q], n, entries));
    }
    return v8_load(error);
}

/* The same at once where rows are not long and the first form holds in all lanes. */
static inline v8 errors_of(const row_sums *s, n8 r, n8 b, const double *unknown, int32_t n, int32_t entries)
{
    const wlu_thresholds t = wlu_thresholds_of(0);
    const v8 low = v8_set(WLU_REFINE_SHARE * t.second_form * (2.0 * t.rounding) * n);
    v8 size = n8_inner_modulus(b), denominator = v8_add(s->weight, size);
    v8 least = v8_add(v8_mul(low, v8_mul(s->norm, v8_load(unknown))), v8_mul(low, size));
    if (entries <= WLU_REFINE_LONG && v8_all_greater(denominator, least) &&
        v8_all_greater(denominator, v8_set(t.row_least)) && v8_all_greater(v8_set(INFINITY), denominator))
        return v8_div(n8_modulus_bound(r), denominator);
    return errors_by_lane(s, r, b, unknown, n, entries);
}
