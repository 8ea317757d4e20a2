/* Whether the index of a system is above 1: whether an unknown follows the rates of others without having one, as
 * the current of a voltage source beside a capacitor does. Methods that look at derivatives at the beginning of a
 * step are wrong for such unknowns.
 *
 * The index is 1 where the charges of rows with charges and the rates of the others have full rank together
 * (rank.h), as long as charges do not depend on each other. Else solutions of (lambda dq/dy - df/dy) x = r, with r
 * in rows without charges, say it: they stay where the index is 1, and grow as its power of index - 1. Lambda grows
 * by a factor that is no power of two, so that rounding does not grow in the same way. Cost: an elimination, and
 * where its rank is not full four factorizations. */
#ifndef WLU_MODEL_METHOD_PENCIL_H
#define WLU_MODEL_METHOD_PENCIL_H

#include "base/context.h"

typedef struct wlm_pencil {
    int32_t n;
    const int32_t *ptr, *idx;     /* by columns */
    const double *charge, *rate;  /* dq/dy and df/dy at each place; 0 where there is none */
    const unsigned char *dynamic; /* n: 1 where a row has charges */
} wlm_pencil;

/* Finds the index: 1, 2, or 3 where it is higher; power[i]: index - 1 of unknowns that make it so, less of the others.
 * Where the system is singular whatever lambda is, it is 0, and power 1 of unknowns that no equation is left for, or
 * that none fixes. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_pencil_judge(wlu_context *ctx, const wlm_pencil *pencil, unsigned char *power, int32_t *index);

/* Returns whether an unknown of this power makes the index what it is, not 1. */
static inline int wlm_pencil_blames(unsigned char power, int32_t index)
{
    return power == (index > 0 ? index - 1 : 1);
}

/* What holds at all states is asked at so many: the first is beside the initial values, so that nothing is zero by
 * chance, on their own scale; others are nearer and farther, for nobody knows on which scale a charge bends, or from
 * which voltage on it is one. */
enum { WLM_PENCIL_STATES = 7 };
/* Returns number i of state `which`, from that of the initial values. */
double wlm_pencil_at_state(double y, int32_t i, int which);

static inline double wlm_pencil_beside(double y, int32_t i)
{
    return wlm_pencil_at_state(y, i, 0);
}

#endif
