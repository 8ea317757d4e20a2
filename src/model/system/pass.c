/* Makes passes, and runs their two jobs. */
#include "model/system/pass.h"

#include <string.h>

/* Below this number of instructions on chunks, some 20 us, one thread does all. */
enum { ALONE = 4096 };

/* The addends of one role of all uses, as wlm_gather_make takes them. */
typedef struct list {
    int32_t count;
    int32_t *target, *at;
} list;

/* Makes the sums of one role, by a list of addends: instance after instance, those of each in their order. */
static warplu_status make_sum(const wlm_pass *pass, wlm_role role, int32_t first, int32_t targets, list *l,
                              wlm_gather *out)
{
    l->count = 0;
    for (int32_t u = 0; u < pass->uses; u++)
        for (int32_t i = 0; i < pass->bank[u].count; i++)
            for (int32_t k = 0; k < pass->bank[u].addends; k++) {
                const wlm_bank_addend *a = &pass->bank[u].addend[k];
                if (a->role != role) continue;
                l->target[l->count] = wlm_where_at(&a->row, i) - first;
                l->at[l->count++] = wlm_addend_of(pass->bank[u].output, a, i);
            }
    return wlm_gather_make(pass->ctx, targets, l->count, l->target, l->at, out);
}

/* Returns the addend of an output where it is its only one, is added, and alone makes a sum of each instance. */
static const wlm_bank_addend *only_addend(const wlm_pass *pass, const wlm_bank *bank, int32_t output)
{
    const wlm_bank_addend *only = NULL;
    for (const wlm_bank_addend *a = bank->addend; a < bank->addend + bank->addends; a++) {
        if (a->output != output) continue;
        if (only != NULL || a->role != WLM_ROLE_SUM || a->minus) return NULL;
        only = a;
    }
    for (int32_t i = 0; only != NULL && i < bank->count; i++) {
        const int32_t *ptr = pass->sum.ptr + wlm_where_at(&only->row, i) - pass->first_sum;
        if (ptr[1] - ptr[0] != 1) return NULL;
    }
    return only;
}

/* Lets outputs that are sums themselves be written there, and takes those from the gather. */
static warplu_status find_whole_sums(wlm_pass *pass)
{
    unsigned char *others = WLU_CALLOC(pass->ctx, pass->sum.targets, unsigned char);
    if (others == NULL) return wlu_fail_memory(pass->ctx, "contributions");
    for (int32_t u = 0; u < pass->uses; u++)
        for (int32_t k = 0; k < pass->bank[u].outputs; k++) {
            const wlm_bank *bank = &pass->bank[u];
            const wlm_bank_addend *only = only_addend(pass, bank, k);
            if (only == NULL) continue;
            wlm_bank_output *output = &bank->output[k];
            output->is_sum = 1;
            output->sum = only->row;
            output->in_order = wlm_where_in_order(&only->row, bank->count);
            if (bank->moves != NULL) bank->moves[bank->program->inputs + k] &= (unsigned char)output->in_order;
            for (int32_t i = 0; i < bank->count; i++) others[wlm_where_at(&only->row, i) - pass->first_sum] = 1;
        }
    warplu_status status = wlm_gather_leave(pass->ctx, &pass->sum, others);
    wlu_free(pass->ctx, others);
    return status;
}

static warplu_status make_sums(wlm_pass *pass, const wlm_layout *layout)
{
    int64_t most = 0;
    for (int32_t u = 0; u < pass->uses; u++) most += (int64_t)pass->bank[u].addends * pass->bank[u].count;
    if (most > INT32_MAX) return wlu_fail(pass->ctx, WARPLU_OVERFLOW, "more than 2^31 - 1 contributions");
    list l = {.target = WLU_ALLOC(pass->ctx, most, int32_t), .at = WLU_ALLOC(pass->ctx, most, int32_t)};
    warplu_status status =
        l.target == NULL || l.at == NULL ? wlu_fail_memory(pass->ctx, "contributions") : WARPLU_SUCCESS;
    int32_t first = pass->first_sum, sums = pass->last_sum - first;
    if (status == WARPLU_SUCCESS) status = make_sum(pass, WLM_ROLE_F, 0, layout->node_n, &l, &pass->f);
    if (status == WARPLU_SUCCESS) status = make_sum(pass, WLM_ROLE_Q, 0, layout->node_n, &l, &pass->q);
    if (status == WARPLU_SUCCESS) status = make_sum(pass, WLM_ROLE_SUM, first, sums, &l, &pass->sum);
    wlu_free(pass->ctx, l.target);
    wlu_free(pass->ctx, l.at);
    if (status == WARPLU_SUCCESS && sums > 0) status = find_whole_sums(pass);
    return status;
}

static warplu_status make_rooms(wlm_pass *pass)
{
    warplu_status status = WARPLU_SUCCESS;
    pass->room = WLU_CALLOC(pass->ctx, (int64_t)pass->threads * pass->uses, wlm_bank_room);
    pass->contribution = WLU_CALLOC(pass->ctx, pass->contributions, double);
    if (!WLU_ALL_THERE(pass->room, pass->contribution)) return wlu_fail_memory(pass->ctx, "lanes");
    for (int32_t k = 0; k < pass->threads * pass->uses && status == WARPLU_SUCCESS; k++)
        status = wlm_bank_open(pass->ctx, &pass->bank[k % pass->uses], &pass->room[k]);
    return status;
}

/* Finds the range of the sums of one level. */
static void find_range(wlm_pass *pass, const wlm_layout *layout, int32_t level)
{
    pass->first_sum = pass->last_sum = 0;
    for (int32_t b = 0; b < layout->blocks; b++) {
        const wlm_block *block = &layout->block[b];
        if (block->memory != WLM_MEMORY_SUMS || block->level != level) continue;
        if (pass->last_sum == pass->first_sum || block->first < pass->first_sum) pass->first_sum = block->first;
        if (block->first + block->count > pass->last_sum) pass->last_sum = block->first + block->count;
    }
}

warplu_status wlm_pass_create(const wlm_layout *layout, wlm_want want, int32_t level, wlm_isa isa, int threads,
                              wlm_pass *out)
{
    memset(out, 0, sizeof *out);
    out->ctx = layout->ctx;
    out->threads = threads;
    out->kernels = wlm_kernels_of(isa);
    if (out->kernels == NULL) return wlu_fail(out->ctx, WARPLU_NOT_COMPILED, "sums: no such instruction set here");
    out->bank = WLU_CALLOC(layout->ctx, layout->model->uses, wlm_bank);
    if (out->bank == NULL) return wlu_fail_memory(layout->ctx, "lanes");
    if (want == WLM_WANT_SUMS) find_range(out, layout, level);
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t u = 0; u < layout->model->uses && status == WARPLU_SUCCESS; u++) {
        status = wlm_bank_create(layout, u, want, level, isa, &out->contributions, &out->bank[u]);
        out->uses = u + 1;
    }
    if (status == WARPLU_SUCCESS) status = make_sums(out, layout);
    if (status == WARPLU_SUCCESS) status = make_rooms(out);
    if (status != WARPLU_SUCCESS) wlm_pass_free(out);
    return status;
}

void wlm_pass_free(wlm_pass *pass)
{
    if (pass->ctx == NULL) return;
    for (int32_t k = 0; pass->room != NULL && k < pass->threads * pass->uses; k++)
        wlm_bank_close(pass->ctx, &pass->room[k]);
    for (int32_t u = 0; u < pass->uses; u++) wlm_bank_free(pass->ctx, &pass->bank[u]);
    wlm_gather_free(pass->ctx, &pass->f);
    wlm_gather_free(pass->ctx, &pass->q);
    wlm_gather_free(pass->ctx, &pass->sum);
    wlm_gather_free(pass->ctx, &pass->entry);
    wlu_free(pass->ctx, pass->room);
    wlu_free(pass->ctx, pass->contribution);
    wlu_free(pass->ctx, pass->bank);
    memset(pass, 0, sizeof *pass);
}

/* ------------------------------------------------------------------- running */

typedef struct job {
    const wlm_pass *pass;
    wlm_bank_arrays arrays;
    wlm_pass_results results;
    unsigned char *finite; /* for each thread: 1 where its numbers are finite */
} job;

static int32_t chunk_share(int32_t count, int index, int threads)
{
    int64_t chunks = ((int64_t)count + WLM_LANES - 1) / WLM_LANES, at = chunks * index / threads * WLM_LANES;
    return at < count ? (int32_t)at : count;
}

static void run_banks(void *argument, wlu_member *me)
{
    const job *j = argument;
    int finite = 1;
    for (int32_t u = 0; u < j->pass->uses; u++) {
        const wlm_bank *bank = &j->pass->bank[u];
        if (bank->outputs == 0) continue;
        int32_t begin = chunk_share(bank->count, me->index, me->members);
        int32_t end = chunk_share(bank->count, me->index + 1, me->members);
        const wlm_bank_room *room = &j->pass->room[me->index * j->pass->uses + u];
        if (begin < end) finite &= wlm_bank_run(bank, room, &j->arrays, begin, end);
    }
    j->finite[me->index] = (unsigned char)finite;
}

static void sum_range(const job *j, const wlm_gather *gather, const wlm_finish *finish, double *out,
                      const wlu_member *me)
{
    int32_t begin, end;
    if (out == NULL || gather->targets == 0) return;
    wlm_gather_range(gather, me->index, me->members, &begin, &end);
    wlm_gather_sum(gather, j->pass->kernels, j->pass->contribution, finish, begin, end, out);
}

static void run_sums(void *argument, wlu_member *me)
{
    const job *j = argument;
    const wlm_finish none = {0};
    double *sum = j->results.sum != NULL ? j->results.sum + j->pass->first_sum : NULL;
    sum_range(j, &j->pass->f, &j->results.finish, j->results.f, me);
    sum_range(j, &j->pass->q, &none, j->results.q, me);
    sum_range(j, &j->pass->sum, &none, sum, me);
    sum_range(j, &j->pass->entry, &none, j->results.entry, me);
}

static int threads_for(const wlm_pass *pass)
{
    int64_t work = 0;
    for (int32_t u = 0; u < pass->uses; u++)
        if (pass->bank[u].outputs > 0)
            work += (int64_t)pass->bank[u].program->instructions * (pass->bank[u].count / WLM_LANES + 1);
    return work < ALONE ? 1 : pass->threads;
}

int wlm_pass_run(wlm_pass *pass, wlu_team *team, const wlm_bank_arrays *arrays, const wlm_pass_results *results)
{
    unsigned char finite[WLM_THREADS_MOST];
    job j = {.pass = pass, .arrays = *arrays, .results = *results, .finite = finite};
    j.arrays.contribution = pass->contribution;
    j.arrays.sum = results->sum;
    int threads = wlu_team_gather(team, threads_for(pass));
    wlu_team_run(team, threads, run_banks, &j);
    wlu_team_run(team, threads, run_sums, &j);
    int all = 1;
    for (int k = 0; k < threads; k++) all &= finite[k];
    return all;
}
