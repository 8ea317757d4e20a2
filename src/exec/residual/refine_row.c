/* A row's residual and error, of either kind of numbers: compiled for each. See refine.h. */
#include "exec/residual/refine.h"

/* Accumulators without entries leave the tree as it is. */
static wlu_row_sums sums_of(const wlu_refine_rows *rows, const double *entries, const double *x, int32_t i)
{
    wlu_row_sums sums[WLU_REFINE_LONG_SUMS];
    int32_t begin = rows->begin[i], end = rows->begin[i + 1];
    int width = end - begin > WLU_REFINE_LONG ? WLU_REFINE_LONG_SUMS : WLU_REFINE_SUMS;
    int count = end - begin < width ? end - begin : width;
    sums[0] = (wlu_row_sums){wlu_zero(), 0.0, 0.0};
    for (int k = 1; k < count; k++) sums[k] = sums[0];
    for (int32_t k = begin; k < end; k++)
        wlu_row_add(&sums[(k - begin) % width], wlu_number_at(entries, rows->source[k]),
                    wlu_number_at(x, rows->column[k]));
    for (int apart = width / 2; apart > 0; apart /= 2)
        for (int k = 0; k < apart && k + apart < count; k++) wlu_row_join(&sums[k], &sums[k + apart]);
    return sums[0];
}

static void raise(uint64_t *largest, uint64_t bits)
{
    if (bits > *largest) *largest = bits;
}

void WLU_NUMBER_NAME(wlu_refine_look_at)(const wlu_refine_rows *rows, const double *entries, const double *b,
                                         const double *x, int32_t i, double *r, wlu_refine_control *c)
{
    const wlu_number bi = wlu_number_at(b, i);
    wlu_number rest = bi;
    if (x != NULL) {
        wlu_row_sums sums = sums_of(rows, entries, x, i);
        rest = wlu_sub(bi, sums.product);
        raise(&c->error, wlu_magnitude_bits(
                             wlu_row_error(&sums, rest, bi, c->unknown, rows->n, rows->begin[i + 1] - rows->begin[i])));
    }
    raise(&c->largest, wlu_refine_size(rest, rows->power[i]));
    wlu_number_put(r, i, rest);
}
