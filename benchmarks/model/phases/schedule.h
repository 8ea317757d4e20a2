/* Level scheduling: which formulas are computed in which phase, and, with Merge, one behind the other by one thread.
 *
 * The phase of a definition is the one behind the last phase that has an operand of it; what ODEs give, states and
 * t, was there before. ODEs come last. Merge (section 4.1 of the paper): a definition whose last phase with operands
 * has one of them alone is computed in that phase, right behind that operand's bytecode; definitions are taken level
 * by level, so that those behind move to the front with what they read, and phases which nobody is left in are not
 * there. Cost: O(edges). */
#ifndef PHASES_SCHEDULE_H
#define PHASES_SCHEDULE_H

#include "phases/formulas.h"

/* Phases have threads, threads have formulas. */
typedef struct wlm_schedule {
    int32_t phases, threads;
    int32_t *first_thread;  /* phases + 1; the last phase is that of the ODEs */
    int32_t *first_formula; /* threads + 1 */
    int32_t *formula;       /* definitions + states */
} wlm_schedule;

/* WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_schedule_create(wlu_context *ctx, const wlm_formulas *formulas, int merge, wlm_schedule **out);
void wlm_schedule_destroy(wlu_context *ctx, wlm_schedule **schedule);

#endif
