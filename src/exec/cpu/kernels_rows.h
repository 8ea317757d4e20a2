/* Residuals of one right-hand side, eight rows side by side (exec/residual/row_lanes.h); a part of kernels.h. */
#include "exec/cpu/row_sums.h"
#include "exec/residual/row_lanes.h"

/* The sums of a group's rows: accumulator k mod 8 takes entry k. Those without entries leave the tree as it is. count:
 * of those that have some, a constant. */
WLU_INSTANCE row_sums sums_by(int count, const int32_t *word, int32_t steps, const double *entries, const double *x)
{
    row_sums sums[WLU_REFINE_SUMS];
    for (int k = 0; k < count; k++, word += 16) sums[k] = row_first(n8_gather(entries, word), n8_gather(x, word + 8));
    for (int32_t k = count; k < steps; k++, word += 16)
        row_add(&sums[k % WLU_REFINE_SUMS], n8_gather(entries, word), n8_gather(x, word + 8));
    return row_tree(WLU_REFINE_SUMS, count, sums);
}

static row_sums rows_of_group(const int32_t *word, int32_t steps, const double *entries, const double *x)
{
    switch (steps) {
    case 0: return no_sums();
    case 1: return sums_by(1, word, 1, entries, x);
    case 2: return sums_by(2, word, 2, entries, x);
    case 3: return sums_by(3, word, 3, entries, x);
    case 4: return sums_by(4, word, 4, entries, x);
    case 5: return sums_by(5, word, 5, entries, x);
    case 6: return sums_by(6, word, 6, entries, x);
    case 7: return sums_by(7, word, 7, entries, x);
    default: return sums_by(WLU_REFINE_SUMS, word, steps, entries, x);
    }
}

/* Largest by lane. */
typedef struct row_sizes {
    v8 error, size, any;
} row_sizes;

static inline void see_size(row_sizes *s, const uint16_t *power, n8 r)
{
    s->size = v8_max_bits(s->size, n8_size(n8_scaled(v8_load_powers(power), r)));
    s->any = v8_max_bits(s->any, n8_size(r));
}

/* Sizes: of a residual that underflows in its row's scale, the smallest there is (wlu_refine_size). */
static void run_look_at(const wlu_row_lanes *lanes, int32_t n, const double *entries, const double *b, const double *x,
                        double *r, wlu_refine_control *c)
{
    row_sizes s = {v8_zero(), v8_zero(), v8_zero()};
    const int32_t *row = lanes->row, *word = lanes->word;
    double unknown[8];
    v8_store(unknown, v8_set(c->unknown));
    for (int64_t g = 0; g < lanes->groups; g++, row += 8) {
        n8 side = n8_gather(b, row), rest = side;
        if (x != NULL) {
            row_sums sums = rows_of_group(word, lanes->steps[g], entries, x);
            rest = n8_sub(side, sums.product);
            s.error = v8_max_bits(s.error, v8_abs(errors_of(&sums, rest, side, unknown, n, lanes->steps[g])));
        }
        see_size(&s, lanes->power + 8 * g, rest);
        n8_scatter(r, row, rest);
        word += 16 * (int64_t)lanes->steps[g];
    }
    double size = largest_bits_of(s.size);
    if (size == 0.0 && largest_bits_of(s.any) != 0.0) size = wlu_double_of_bits(1);
    c->error = wlu_bits_of_double(wlu_larger_bits(wlu_double_of_bits(c->error), largest_bits_of(s.error)));
    c->largest = wlu_bits_of_double(wlu_larger_bits(wlu_double_of_bits(c->largest), size));
}
