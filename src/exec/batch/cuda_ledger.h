/* Ledgers on CUDA devices: the functions of wlu_batch_on_device. */
#ifndef WLU_EXEC_BATCH_CUDA_LEDGER_H
#define WLU_EXEC_BATCH_CUDA_LEDGER_H

#include "exec/batch/ledger.h"

warplu_status wlu_batch_ledger_open(wlu_context *ctx, const wlu_target *target, int32_t count, wlu_batch_ledger **out);
void wlu_batch_ledger_close(wlu_context *ctx, wlu_batch_ledger **ledger);
warplu_status wlu_batch_ledger_serve(wlu_context *ctx, wlu_batch_ledger *ledger, wlu_batch_state *state,
                                     const wlu_batch_job *job, const wlu_batch_turn *turn, void *stream);
warplu_status wlu_batch_ledger_collect(wlu_context *ctx, wlu_batch_ledger *ledger, void *stream);
warplu_status wlu_batch_ledger_forget(wlu_context *ctx, wlu_batch_ledger *ledger);
warplu_status wlu_batch_ledger_carry(wlu_context *ctx, wlu_batch_ledger *ledger, const wlu_batch_parcel *parcel,
                                     void *stream);

#endif
