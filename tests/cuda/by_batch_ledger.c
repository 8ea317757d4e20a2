/* What a batch's calls on device pointers do beside replays, on the host. See by_batch.h. */
#include "by_batch.h"

#include <string.h>

#include "exec/device/ledger.h"

static int run_pick(const fake_cuda_launch *launch)
{
    wlu_ledger_pick p = *(const wlu_ledger_pick *)launch->parameters[0];
    int32_t taken = 0;
    by_emulator_bring(&p.mask, 6);
    for (int32_t m = 0; m < p.count; m++) {
        if (!wlu_ledger_takes(&p, m)) continue;
        if (taken < p.most) wlu_ledger_take(&p, m, taken);
        taken++;
    }
    *p.live = taken < p.most ? taken : p.most;
    return launch->grid == 1;
}

static int run_vouch(const fake_cuda_launch *launch)
{
    wlu_ledger_verdicts v = *(const wlu_ledger_verdicts *)launch->parameters[0];
    by_emulator_bring(&v.told, 5);
    by_emulator_bring(&v.x, 1);
    for (int32_t i = 0; i < wlu_ledger_count(&v); i++) {
        double *x = v.x + (v.member != NULL ? v.member[i] : i) * v.by_member;
        if (!wlu_ledger_withholds(&v, i, 1)) continue;
        for (int32_t c = 0; c < v.promise.nrhs; c++)
            for (int32_t k = 0; k < v.n; k++) wlu_ledger_withhold(&v, x, c, k);
    }
    return launch->grid == (unsigned)v.count;
}

static int run_copy(const fake_cuda_launch *launch)
{
    wlu_ledger_copy c = *(const wlu_ledger_copy *)launch->parameters[0];
    by_emulator_bring(&c.at, 2);
    by_emulator_bring(&c.member, 1);
    for (int32_t i = 0; i < c.count; i++)
        for (int32_t k = 0; k < c.numbers; k++) wlu_ledger_move(&c, i, k);
    return launch->grid == (unsigned)c.count;
}

int by_batch_ledger_launch(const fake_cuda_launch *launch)
{
    if (launch->shared_bytes != 0 || launch->grid_y != 1) return 0;
    if (strcmp(launch->kernel, "wlu_batch_pick") == 0) return run_pick(launch);
    if (strcmp(launch->kernel, "wlu_batch_vouch") == 0) return run_vouch(launch);
    return strcmp(launch->kernel, "wlu_batch_copy") == 0 && run_copy(launch);
}
