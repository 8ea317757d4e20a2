/* Refinement on the host. See refine.h. */
#include "exec/refine.h"

/* Accumulators without entries leave the tree as it is. */
static wlu_row_sums sums_of(const wlu_refine_rows *rows, const double *entries, const double *x, int32_t i)
{
    wlu_row_sums sums[WLU_REFINE_LONG_SUMS];
    int32_t begin = rows->begin[i], end = rows->begin[i + 1];
    int width = end - begin > WLU_REFINE_LONG ? WLU_REFINE_LONG_SUMS : WLU_REFINE_SUMS;
    int count = end - begin < width ? end - begin : width;
    sums[0] = (wlu_row_sums){0.0, 0.0, 0.0};
    for (int k = 1; k < count; k++) sums[k] = sums[0];
    for (int32_t k = begin; k < end; k++)
        wlu_row_add(&sums[(k - begin) % width], entries[rows->source[k]], x[rows->column[k]]);
    for (int apart = width / 2; apart > 0; apart /= 2)
        for (int k = 0; k < apart && k + apart < count; k++) wlu_row_join(&sums[k], &sums[k + apart]);
    return sums[0];
}

static void raise(uint64_t *largest, uint64_t bits)
{
    if (bits > *largest) *largest = bits;
}

void wlu_refine_look_at(const wlu_refine_rows *rows, const double *entries, const double *b, const double *x, int32_t i,
                        double *r, wlu_refine_control *c)
{
    r[i] = b[i];
    if (x != NULL) {
        wlu_row_sums sums = sums_of(rows, entries, x, i);
        r[i] = b[i] - sums.product;
        raise(&c->error, wlu_magnitude_bits(wlu_sums_error(&sums, r[i], b[i], c->unknown, rows->n)));
    }
    raise(&c->largest, wlu_refine_size(r[i], rows->power[i]));
}

void wlu_refine_conclude(wlu_refine_control *c, int begins, int single, int member)
{
    if (!begins)
        wlu_refine_judge(c, single);
    else if (member)
        wlu_refine_begin_member(c, single);
    else
        wlu_refine_begin(c, single);
}

void wlu_refine_look(const wlu_refine_rows *rows, const double *entries, const double *b, const double *x, double *r,
                     int single, int member, wlu_refine_control *c)
{
    for (int32_t i = 0; i < rows->n; i++) wlu_refine_look_at(rows, entries, b, x, i, r, c);
    wlu_refine_conclude(c, x == NULL, single, member);
}

void wlu_refine_deliver(const wlu_refine_control *c, int32_t n, double *const best[2], int withheld, double *to)
{
    for (int32_t i = 0; i < n; i++) to[i] = wlu_refine_number(c, withheld, c->steps >= 0 ? best[c->at][i] : 0.0);
}
