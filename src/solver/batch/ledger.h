/* What a device knows of a batch's members. */
#ifndef WLU_SOLVER_BATCH_LEDGER_H
#define WLU_SOLVER_BATCH_LEDGER_H

#include "solver/batch/parts.h"

/* A ledger, where what replays takes device pointers. Statuses of its `open`. */
warplu_status wlu_batch_open_ledger(warplu_batch *b);
/* Enters what serves each member by now. While kept factors are under way on the device, only what values begin with.
 * O(count). */
void wlu_batch_enter(warplu_batch *b);
/* Calls on device pointers are forgotten, once they are done. What a device answers. */
warplu_status wlu_batch_forget_enqueued(warplu_batch *b);

#endif
