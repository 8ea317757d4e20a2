/* Lists contributions by target, by counting, and sums them. */
#include "model/system/gather.h"

#include <string.h>

warplu_status wlm_gather_make(wlu_context *ctx, int32_t targets, int32_t count, const int32_t *target,
                              const int32_t *at, wlm_gather *out)
{
    out->targets = targets;
    out->ptr = WLU_CALLOC(ctx, (int64_t)targets + 1, int32_t);
    out->idx = WLU_ALLOC(ctx, count, int32_t);
    if (out->ptr == NULL || out->idx == NULL) {
        wlm_gather_free(ctx, out);
        return wlu_fail_memory(ctx, "sums of contributions");
    }
    for (int32_t k = 0; k < count; k++) out->ptr[target[k]]++;
    for (int32_t i = 0, sum = 0; i <= targets; i++) {
        int32_t here = out->ptr[i];
        out->ptr[i] = sum;
        sum += here;
    }
    for (int32_t k = 0; k < count; k++) out->idx[out->ptr[target[k]]++] = at[k];
    for (int32_t i = targets; i > 0; i--) out->ptr[i] = out->ptr[i - 1];
    out->ptr[0] = 0;
    int32_t i = 0;
    while (i < targets && out->ptr[i + 1] == i + 1 && out->idx[i] == out->idx[0] + i) i++;
    out->straight = targets > 0 && i == targets && out->idx[0] >= 0;
    return WARPLU_SUCCESS;
}

void wlm_gather_free(wlu_context *ctx, wlm_gather *gather)
{
    wlu_free(ctx, gather->ptr);
    wlu_free(ctx, gather->idx);
    memset(gather, 0, sizeof *gather);
}

/* Returns the first target of a thread's range; targets and contributions count alike. */
static int32_t share(const wlm_gather *g, int index, int threads)
{
    int64_t all = (int64_t)g->ptr[g->targets] + g->targets, wanted = all / threads * index;
    int32_t low = 0, high = g->targets;
    if (index >= threads) return g->targets;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if ((int64_t)g->ptr[middle] + middle < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void wlm_gather_range(const wlm_gather *gather, int index, int threads, int32_t *begin, int32_t *end)
{
    *begin = share(gather, index, threads);
    *end = share(gather, index + 1, threads);
}

static double number(const double *contribution, int32_t idx)
{
    return idx < 0 ? -contribution[~idx] : contribution[idx];
}

/* Adds count blocks of WLM_GATHER_BLOCK contributions each, side by side, into one sum for each. */
static void add_blocks(const double *contribution, const int32_t *idx, int count, double *sum)
{
    for (int b = 0; b < count; b++) sum[b] = number(contribution, idx[b * WLM_GATHER_BLOCK]);
    for (int k = 1; k < WLM_GATHER_BLOCK; k++)
        for (int b = 0; b < count; b++) sum[b] += number(contribution, idx[b * WLM_GATHER_BLOCK + k]);
}

static double short_sum(const double *contribution, const int32_t *idx, int32_t count)
{
    double sum = count > 0 ? number(contribution, idx[0]) : 0.0;
    for (int32_t k = 1; k < count; k++) sum += number(contribution, idx[k]);
    return sum;
}

/* Eight blocks side by side, for one alone waits for each of its additions. */
static double long_sum(const double *contribution, const int32_t *idx, int32_t count)
{
    enum { BESIDE = 8 };
    double sum = 0.0, part[BESIDE];
    int32_t left = count / WLM_GATHER_BLOCK;
    const int32_t *rest = idx + left * WLM_GATHER_BLOCK;
    for (int begun = 0; left > 0; left -= BESIDE, idx += BESIDE * WLM_GATHER_BLOCK) {
        int blocks = left < BESIDE ? left : BESIDE;
        add_blocks(contribution, idx, blocks, part);
        for (int b = 0; b < blocks; b++, begun = 1) sum = begun ? sum + part[b] : part[b];
    }
    count %= WLM_GATHER_BLOCK;
    return count > 0 ? sum + short_sum(contribution, rest, count) : sum;
}

void wlm_gather_sum(const wlm_gather *gather, const double *contribution, int32_t begin, int32_t end, double *out)
{
    const int32_t *ptr = gather->ptr, *idx = gather->idx;
    if (gather->straight) {
        if (begin < end) memcpy(out + begin, contribution + idx[begin], (size_t)(end - begin) * sizeof *out);
        return;
    }
    for (int32_t i = begin; i < end; i++) {
        int32_t count = ptr[i + 1] - ptr[i];
        out[i] = (count > WLM_GATHER_BLOCK ? long_sum : short_sum)(contribution, idx + ptr[i], count);
    }
}
