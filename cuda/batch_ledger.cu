/* What a batch's calls on device pointers do beside replays: lists of members, judgements, copies. See
 * exec/device/ledger.h. */
#include "exec/device/ledger.h"

enum { WARPS = WLU_LEDGER_PICKERS / WLU_WARP };

/* One block: the list keeps the members' order. */
extern "C" __global__ void __launch_bounds__(WLU_LEDGER_PICKERS)
    wlu_batch_pick(const __grid_constant__ wlu_ledger_pick p)
{
    __shared__ int taken[WARPS];
    int lane = (int)threadIdx.x % WLU_WARP, warp = (int)threadIdx.x / WLU_WARP, before = 0;
    for (int first = 0; first < p.count; first += WLU_LEDGER_PICKERS) {
        int m = first + (int)threadIdx.x;
        bool takes = m < p.count && wlu_ledger_takes(&p, m);
        unsigned of_warp = __ballot_sync(~0u, takes);
        if (lane == 0) taken[warp] = __popc(of_warp);
        __syncthreads();
        int at = before + __popc(of_warp & ((1u << lane) - 1));
        for (int w = 0; w < WARPS; w++) {
            at += w < warp ? taken[w] : 0;
            before += taken[w];
        }
        if (takes && at < p.most) wlu_ledger_take(&p, m, at);
        __syncthreads();
    }
    if (threadIdx.x == 0) *p.live = before < p.most ? before : p.most;
}

/* A block a member. */
extern "C" __global__ void __launch_bounds__(WLU_LEDGER_THREADS)
    wlu_batch_vouch(const __grid_constant__ wlu_ledger_verdicts v)
{
    int i = (int)blockIdx.x;
    if (i >= wlu_ledger_count(&v)) return;
    if (!wlu_ledger_withholds(&v, i, threadIdx.x == 0)) return;
    double *x = v.x + (v.member != NULL ? v.member[i] : i) * v.by_member;
    for (int c = 0; c < v.promise.nrhs; c++)
        for (int k = (int)threadIdx.x; k < v.n; k += WLU_LEDGER_THREADS) wlu_ledger_withhold(&v, x, c, k);
}

/* A block a member. */
extern "C" __global__ void __launch_bounds__(WLU_LEDGER_THREADS)
    wlu_batch_copy(const __grid_constant__ wlu_ledger_copy c)
{
    for (int k = (int)threadIdx.x; k < c.numbers; k += WLU_LEDGER_THREADS) wlu_ledger_move(&c, (int)blockIdx.x, k);
}
