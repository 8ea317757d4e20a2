/* Linear dependences between the charges of rows: q_r = sum by q_i, in derivatives by unknowns, as those of both
 * ends of a capacitor between two nodes have. Such a row has no rate of its own: less the sum it is an algebraic
 * equation.
 *
 * Rows of dq/dy are eliminated from the last one on, each by those behind it, with its largest entry as pivot
 * (Gauss); what is left of a row is zero where it is below 1e-12 of the terms that made it, and of those that made
 * these (a running error analysis: Higham, Accuracy and Stability of Numerical Algorithms, 2002, 3.3). Factors are
 * kept, and the sum of a dependent row is found by going back through them. Cost: that of a sparse elimination,
 * without an ordering. */
#ifndef WLU_MODEL_METHOD_RANK_H
#define WLU_MODEL_METHOD_RANK_H

#include "base/context.h"

/* A matrix of numbers by rows; n of both. */
typedef struct wlm_rows {
    int32_t n;
    const int32_t *ptr, *idx;
    const double *value;
} wlm_rows;

/* Dependence k: row row[k] is the sum of by[e] times row of[e], e from ptr[k] to ptr[k + 1] - 1, all behind it,
 * and none of them dependent. */
typedef struct wlm_dependences {
    int32_t count;
    int32_t *row, *ptr, *of;
    double *by;
} wlm_dependences;

/* Finds dependences of rows that are not empty. Multipliers that are nearly whole are whole. held: n; 1 of unknowns
 * that the charges determine, each by itself. The caller frees *out. WARPLU_OUT_OF_MEMORY, also at 2^31 - 1 factors. */
warplu_status wlm_rank_find(wlu_context *ctx, const wlm_rows *m, wlm_dependences *out, unsigned char *held);
/* The same, where less is nothing: a singular matrix is told from one that is nearly so. */
warplu_status wlm_rank_find_exactly(wlu_context *ctx, const wlm_rows *m, wlm_dependences *out, unsigned char *held);
/* Frees dependences; empty ones will do. */
void wlm_dependences_free(wlu_context *ctx, wlm_dependences *dependences);
/* Forgets dependences that do not hold for another matrix of the same pattern. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_rank_keep(wlu_context *ctx, const wlm_rows *m, wlm_dependences *dependences);
/* Returns whether dependence k holds for a matrix of the same pattern; what is no number says nothing. work: n zeros,
 * which it leaves. */
int wlm_rank_holds(const wlm_rows *m, const wlm_dependences *dependences, int32_t k, double *work);

#endif
