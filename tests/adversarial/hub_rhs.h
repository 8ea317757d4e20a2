/* Right-hand sides for matrices with hubs. */
#ifndef WLU_ADVERSARIAL_HUB_RHS_H
#define WLU_ADVERSARIAL_HUB_RHS_H

#include "hub.h"
#include "support/row_errors.h"

/* One for op(A) x = b by the values at hand: from solutions under which a hub's equation sums up, cancels, or rises and
 * falls, or drawn itself. */
void hub_draw_rhs(const hub_matrix *h, uint64_t *seed, row_errors_op op, double *b);

#endif
