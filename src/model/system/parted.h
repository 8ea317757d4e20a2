/* Rows of a large system whose charges depend on those of others (method/rank.h): each has, in place of d/dt q = f,
 * what f of all of them sums up to, as an algebraic equation. Their entries of the matrix are sums of df/dy alone,
 * which is stamped once more for them, so that nothing is left of charges that cancel.
 *
 * Cost: an elimination of dq/dy when the system is made; where there are such rows, two evaluations for each
 * matrix. */
#ifndef WLU_MODEL_SYSTEM_PARTED_H
#define WLU_MODEL_SYSTEM_PARTED_H

#include "model/method/rank.h"
#include "model/system/pattern.h"

typedef struct wlm_parted {
    wlm_dependences sum;
    int32_t owns, places;
    int32_t *own;       /* values of these rows */
    int32_t *to, *from; /* values that take `by` times others */
    double *by;
    double *rate; /* values of df/dy */
} wlm_parted;

/* Frees; an empty one will do. */
void wlm_parted_free(wlu_context *ctx, wlm_parted *parted);

/* Sums f, or its derivatives by time; clears q. */
void wlm_parted_sum(const wlm_parted *parted, double *f);
void wlm_parted_clear(const wlm_parted *parted, double *q);
/* Gives the rows their values, beta times sums of `rate`. */
void wlm_parted_values(const wlm_parted *parted, double beta, double *values);

#endif
