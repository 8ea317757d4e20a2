/* Lists contributions by target, by counting, and sums them. */
#include "model/system/gather.h"

#include <string.h>

/* Shorter runs take less time by lists. */
enum { LEAST_RUN = 4 };

warplu_status wlm_gather_make(wlu_context *ctx, int32_t targets, int32_t count, const int32_t *target,
                              const int32_t *at, wlm_gather *out)
{
    *out = (wlm_gather){.targets = targets};
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
    warplu_status status = wlm_gather_leave(ctx, out, NULL);
    if (status != WARPLU_SUCCESS) wlm_gather_free(ctx, out);
    return status;
}

/* Returns 1 where the list of target i is that of the target before, each place one further. */
static int goes_on(const wlm_gather *g, int32_t i)
{
    int32_t here = g->ptr[i], before = g->ptr[i - 1];
    if (g->ptr[i + 1] - here != here - before) return 0;
    for (int32_t k = here; k < g->ptr[i + 1]; k++)
        if (g->idx[k] != g->idx[k - here + before] + (g->idx[k] < 0 ? -1 : 1)) return 0;
    return 1;
}

/* Lists runs, or counts them where `run` is NULL. */
static int32_t list_runs(const wlm_gather *g, const unsigned char *others, wlm_gather_run *run)
{
    int32_t runs = 0;
    wlm_gather_run last = {.alike = 1};
    for (int32_t begin = 0, end; begin < g->targets; begin = end) {
        end = begin + 1;
        if (others != NULL && others[begin]) continue;
        while (end < g->targets && !(others != NULL && others[end]) && goes_on(g, end)) end++;
        const int32_t terms = g->ptr[end] - g->ptr[end - 1];
        const int alike = end - begin >= LEAST_RUN && terms > 0 && terms <= WLM_SUM_TERMS;
        if (alike || last.alike || last.end != begin) last.begin = begin, last.alike = alike, runs++;
        last.end = end;
        if (run != NULL) run[runs - 1] = last;
    }
    return runs;
}

warplu_status wlm_gather_leave(wlu_context *ctx, wlm_gather *gather, const unsigned char *others)
{
    wlu_free(ctx, gather->run);
    gather->runs = list_runs(gather, others, NULL);
    gather->run = WLU_ALLOC(ctx, gather->runs, wlm_gather_run);
    if (gather->run == NULL) return wlu_fail_memory(ctx, "sums of contributions");
    list_runs(gather, others, gather->run);
    return WARPLU_SUCCESS;
}

void wlm_gather_free(wlu_context *ctx, wlm_gather *gather)
{
    wlu_free(ctx, gather->ptr);
    wlu_free(ctx, gather->idx);
    wlu_free(ctx, gather->run);
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

/* By a product, for a branch on signs in any order is guessed wrong. */
static double number(const double *contribution, int32_t idx)
{
    static const double sign[] = {1.0, -1.0};
    return sign[idx < 0] * contribution[wlm_gather_place(idx)];
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

static double list_sum(const double *contribution, const int32_t *idx, int32_t count)
{
    return count > WLM_GATHER_BLOCK ? long_sum(contribution, idx, count) : short_sum(contribution, idx, count);
}

/* Points the terms of a run at the contributions of its target `begin`. */
static void set_terms(const wlm_gather *g, const double *contribution, int32_t begin, wlm_array_sum *sum)
{
    const int32_t *idx = g->idx + g->ptr[begin];
    sum->terms = g->ptr[begin + 1] - g->ptr[begin];
    for (int k = 0; k < sum->terms; k++) {
        sum->term[k].from = contribution + wlm_gather_place(idx[k]);
        sum->term[k].minus = idx[k] < 0;
    }
}

/* Moves what is counted by targets to where target 0 is `by`. */
static wlm_finish moved(const wlm_finish *finish, int32_t by)
{
    wlm_finish to = *finish;
    if (to.mass != NULL) to.mass += by;
    if (to.y != NULL) to.y += by;
    return to;
}

/* Returns the first run that ends beyond a target. */
static int32_t first_run(const wlm_gather *g, int32_t target)
{
    int32_t low = 0, high = g->runs;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (g->run[middle].end <= target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void wlm_gather_sum(const wlm_gather *g, const wlm_kernels *kernels, const double *contribution,
                    const wlm_finish *finish, int32_t begin, int32_t end, double *out)
{
    wlm_array_sum sum; /* without initial values: a run sets its terms */
    for (int32_t r = first_run(g, begin); r < g->runs && g->run[r].begin < end; r++) {
        int32_t from = g->run[r].begin > begin ? g->run[r].begin : begin;
        int32_t to = g->run[r].end < end ? g->run[r].end : end;
        if (g->run[r].alike) {
            sum.finish = moved(finish, from);
            set_terms(g, contribution, from, &sum);
            kernels->sum(&sum, to - from, out + from);
        } else {
            for (int32_t i = from; i < to; i++) {
                const int32_t *idx = g->idx + g->ptr[i];
                out[i] = wlm_finished(finish, i, list_sum(contribution, idx, g->ptr[i + 1] - g->ptr[i]));
            }
        }
    }
}
