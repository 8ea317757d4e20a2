/* Sums contributions by target, in a fixed order: instance after instance, whatever threads there are.
 *
 * A contribution is a number in an array that programs write; each goes to one target: a node's balance, a sum, an
 * entry of the matrix. Lists by target are made once. A target's contributions are added in the order in which they
 * were given, in blocks of WLM_GATHER_BLOCK; then the blocks' sums, in order. So whoever sums a long list, as of a
 * supply rail, may sum blocks side by side. No atomics.
 *
 * Where elements stand in a row, as on a line or a grid, the list of a target is that of its neighbour with each place
 * one further: such targets are a run, a sum of arrays that vectors add without lists. Cost: a nanosecond a
 * contribution by lists, a quarter of it in long runs; 8 bytes a run. */
#ifndef WLU_MODEL_SYSTEM_GATHER_H
#define WLU_MODEL_SYSTEM_GATHER_H

#include "base/context.h"
#include "model/exec/kernel.h"

enum { WLM_GATHER_BLOCK = 128 };

/* Targets begin to end - 1; alike: their lists are of the same length, each place one further than that before. */
typedef struct wlm_gather_run {
    int32_t begin, end;
    int alike;
} wlm_gather_run;

typedef struct wlm_gather {
    int32_t targets;
    int32_t *ptr; /* targets + 1 */
    int32_t *idx; /* the contributions of each target: k where number k is added, ~k where it is subtracted */
    int32_t runs;
    wlm_gather_run *run; /* ascending; of all targets that are summed here */
} wlm_gather;

/* Returns where the contribution stands that an idx names. */
static inline int32_t wlm_gather_place(int32_t idx)
{
    return idx < 0 ? ~idx : idx;
}

/* Makes lists by which contribution at[k], as idx names it, goes to target[k]; k, below count, is the order.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_gather_make(wlu_context *ctx, int32_t targets, int32_t count, const int32_t *target,
                              const int32_t *at, wlm_gather *out);
/* Makes runs anew, without the targets that are marked, whose sums others write. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_gather_leave(wlu_context *ctx, wlm_gather *gather, const unsigned char *others);
void wlm_gather_free(wlu_context *ctx, wlm_gather *gather);

/* Finds the range of targets that thread `index` of `threads` sums, with about equal numbers of contributions. */
void wlm_gather_range(const wlm_gather *gather, int index, int threads, int32_t *begin, int32_t *end);
/* Writes what is made of the sum of target i to out[i], for targets begin to end - 1; numbers of `finish` are counted
 * by targets. */
void wlm_gather_sum(const wlm_gather *gather, const wlm_kernels *kernels, const double *contribution,
                    const wlm_finish *finish, int32_t begin, int32_t end, double *out);

#endif
