/* Rows of a large system whose charges depend on those of others (method/rank.h): each has, in place of d/dt q = f,
 * what f of all of them sums up to, as an algebraic equation. Their entries of the matrix are sums of df/dy alone,
 * which is stamped once more for them, so that nothing is left of charges that cancel.
 *
 * Cost: an elimination of dq/dy when the system is made; where there are such rows, two evaluations for each
 * matrix. */
#ifndef WLU_MODEL_SYSTEM_DEPENDENT_H
#define WLU_MODEL_SYSTEM_DEPENDENT_H

#include "model/method/rank.h"
#include "model/system/pattern.h"

typedef struct wlm_dependent {
    wlm_dependences sum;
    int32_t owns, places;
    int32_t *own;       /* values of these rows */
    int32_t *to, *from; /* values that take `by` times others */
    double *by;
    double *rate; /* values of df/dy */
} wlm_dependent;

/* Frees; an empty one will do. */
void wlm_dependent_free(wlu_context *ctx, wlm_dependent *dependent);

/* Sums f, or its derivatives by time, from the contributions of the pass that has just written it: those that cancel,
 * as the current of a source between two of these rows, leave no rounding. Clears q. */
void wlm_dependent_sum(const wlm_dependent *dependent, const wlm_pass *pass, double *f);
void wlm_dependent_clear(const wlm_dependent *dependent, double *q);
/* Gives the rows their values, beta times sums of `rate`. */
void wlm_dependent_values(const wlm_dependent *dependent, double beta, double *values);
/* Clears those of these values, made with a beta of 1 or -1 just now, that are but rounding of what has cancelled.
 * Spoils `rate`. */
void wlm_dependent_drop_rounding(wlm_dependent *dependent, double *values);

#endif
