/* What a device knows of a batch's members: exec/device/ledger.h. */
#include "solver/batch/ledger.h"

warplu_status wlu_batch_open_ledger(warplu_batch *b)
{
    if (b->target.executor->device == NULL || b->target.several != NULL) return WARPLU_SUCCESS;
    b->device = wlu_batch_cuda.device;
    return b->device->open(wlu_batch_context(b), &b->target, b->count, &b->ledger);
}

void wlu_batch_enter(warplu_batch *b)
{
    if (b->ledger == NULL) return;
    for (int32_t m = 0; m < b->count; m++) {
        const wlu_batch_service *s = &b->service[m];
        wlu_ledger_entry *e = &b->ledger->entry[m];
        e->program = s->program;
        if (b->unfinished) continue;
        e->kept = s->kept;
        e->place = s->place;
        e->factors = s->factored ? s->kept : WLU_BY_SOLVER;
    }
}

warplu_status wlu_batch_forget_enqueued(warplu_batch *b)
{
    b->unfinished = b->lost = 0;
    return b->ledger != NULL ? b->device->forget(wlu_batch_context(b), b->ledger) : WARPLU_SUCCESS;
}
