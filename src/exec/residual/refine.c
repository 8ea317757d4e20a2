/* Refinement on the host. See refine.h. */
#include "exec/residual/refine.h"

void wlu_refine_conclude(wlu_refine_control *c, int begins, int single, double enough)
{
    if (begins)
        wlu_refine_begin(c, single);
    else
        wlu_refine_judge(c, single, enough);
}

void wlu_refine_look(const wlu_refine_rows *rows, const double *entries, const double *b, const double *x, double *r,
                     int single, double enough, wlu_refine_control *c)
{
    wlu_refine_row *look_at = wlu_refine_row_of(rows);
    for (int32_t i = 0; i < rows->n; i++) look_at(rows, entries, b, x, i, r, c);
    wlu_refine_conclude(c, x == NULL, single, enough);
}

void wlu_refine_deliver(const wlu_refine_control *c, int64_t doubles, double *const best[2], int withheld, double *to)
{
    for (int64_t i = 0; i < doubles; i++) to[i] = wlu_refine_number(c, withheld, c->steps >= 0 ? best[c->at][i] : 0.0);
}
