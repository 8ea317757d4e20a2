/* Whether the index of a system is above 1: whether an unknown follows the rates of others without having one, as
 * the current of a voltage source beside a capacitor does. Methods that look at derivatives at the beginning of a
 * step are wrong for such unknowns.
 *
 * The index is 1 where the charges of rows with charges and the rates of the others have full rank together (rank.h),
 * as long as charges do not depend on each other. Else vectors are left that neither tells: these unknowns follow.
 * What rates of rows with charges make of these vectors says what they follow: where it is independent of those
 * columns, and of itself, the index is 2, for derived once more all rows tell all unknowns. Where it is not, some rows
 * are too many for the rates that they have: the minimally singular subsets of Pantelides (The consistent
 * initialization of differential-algebraic systems, SIAM J. Sci. Stat. Comput. 9, 1988), here by numbers in place of
 * structure, so that what cancels counts. Cost: an elimination, and where its rank is not full two or three more. */
#ifndef WLU_MODEL_METHOD_PENCIL_H
#define WLU_MODEL_METHOD_PENCIL_H

#include "model/method/methods.h"

typedef struct wlm_pencil {
    int32_t n;
    const int32_t *ptr, *idx;     /* by columns */
    const double *charge, *rate;  /* dq/dy and df/dy at each place; 0 where there is none */
    const unsigned char *dynamic; /* n: 1 where a row has charges */
} wlm_pencil;

/* Finds the index: 1, 2, or 3 where it is higher. power[i]: index - 1 of unknowns that follow, and above 2 it is 1
 * of those that too many equations bind, which are followed. Where the system is singular whatever lambda is, it is 0,
 * and power 1 of unknowns that no equation is left for, or that none fixes. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_pencil_judge(wlu_context *ctx, const wlm_pencil *pencil, unsigned char *power, int32_t *index);

/* How an engine names its unknowns, and where their equations stand. */
typedef struct wlm_pencil_names {
    const void *engine;
    int32_t n;
    void (*name)(const void *engine, int32_t unknown, char *text, size_t bytes);
    wlm_place (*place)(const void *engine, int32_t unknown);
} wlm_pencil_names;

/* Fails where this method does not take the index, which is not 1, with the names of what makes it so. */
warplu_status wlm_pencil_check(wlu_context *ctx, wlm_method method, int32_t index, const unsigned char *power,
                               const wlm_pencil_names *names);

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
