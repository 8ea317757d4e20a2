/* Compilation of one stream. See compile_stream.h. */
#include "program/compile_stream.h"

#include "program/order_terms.h"
#include "program/partial_sums.h"

/* The first vector of a group; at: that of an earlier one. */
static int64_t group_begin(const wlu_chains *chains, const wlu_stream *s, int32_t group, int64_t at)
{
    while (at < s->nvectors && s->vector[at].chunk < wlu_chains_chunk(chains, group)) at++;
    return at;
}

/* Where the vectors of a second stage's segments begin; levels are those of its segments together. */
static warplu_status find_segments(const wlu_chains *chains, wlu_triangular *t)
{
    wlu_stream *s = &t->stream;
    t->segment = WLU_CALLOC(chains->ctx, (int64_t)t->regions + 2, int64_t);
    if (t->segment == NULL) return wlu_fail_memory(chains->ctx, "segments of the solve");
    s->nlevels = 0;
    for (int32_t segment = 0; segment <= t->regions; segment++) {
        int32_t levels = 0;
        t->segment[segment + 1] = group_begin(chains, s, segment + 1, t->segment[segment]);
        for (int64_t k = t->segment[segment]; k < t->segment[segment + 1]; k++)
            if (s->vector[k].level > levels) levels = s->vector[k].level;
        s->nlevels += levels;
    }
    return WARPLU_SUCCESS;
}

static void find_groups(const wlu_chains *chains, const wlu_stream *s, int64_t *group, int32_t groups)
{
    int64_t at = 0;
    for (int32_t k = 0; k < groups; k++) group[k] = at = group_begin(chains, s, k, at);
}

/* Names the slots of records anew: logical ones before, physical ones then. */
static void rename_slots(const int32_t *slot, wlu_stream *s)
{
    for (int64_t k = 0; k < s->nrecords; k++) {
        s->target[k] = slot[s->target[k]];
        s->start[k] = slot[s->start[k]];
        if (s->divisor[k] >= 0) s->divisor[k] = slot[s->divisor[k]];
    }
}

/* The stream as its front end has it, in order. */
static warplu_status assemble(const wlu_stream_job *job, wlu_chains *chains, wlu_long_chains *longest)
{
    warplu_status status = job->list(job->front, chains);
    if (status == WARPLU_SUCCESS) status = wlu_chains_order(chains, job->stream);
    if (status == WARPLU_SUCCESS) status = wlu_long_chains_find(job->ctx, job->program->cost, job->stream, longest);
    if (status == WARPLU_SUCCESS) status = job->place(job->front, job->stream, longest->sums);
    if (status < 0) return status;
    rename_slots(job->program->slot, job->stream);
    status = job->fill(job->front, chains, job->stream->operand);
    return status < 0 || job->stage == NULL ? status : find_segments(chains, job->stage);
}

warplu_status wlu_stream_compile(const wlu_stream_job *job, int64_t *group, int32_t groups)
{
    wlu_program *p = job->program;
    int cut = p->cost->chunk_records > 0 && job->slots > (int64_t)p->cost->chunk_slots;
    wlu_chains chains = {.ctx = job->ctx,
                         .split = p->split,
                         .levelled = job->levelled,
                         .groups = job->levelled < groups ? groups - 1 : job->levelled,
                         .ticks = cut ? (int32_t)((int64_t)p->cost->chunk_records >> WLU_CHAIN_TICK) + 1 : 0};
    wlu_long_chains longest = {0};
    warplu_status status = assemble(job, &chains, &longest);
    if (status == WARPLU_SUCCESS && wlu_target_is_latency_bound(p->cost))
        status = wlu_order_terms(job->ctx, p, job->stream, job->stage);
    if (status == WARPLU_SUCCESS && longest.count > 0)
        status = wlu_partial_sums_cut(job->ctx, p, &longest, wlu_chains_chunk(&chains, chains.levelled), job->stream,
                                      job->stage);
    if (status == WARPLU_SUCCESS) find_groups(&chains, job->stream, group, groups);
    wlu_free(job->ctx, longest.chain);
    wlu_chains_free(&chains);
    return status;
}
