/* Compilation of one stream. See compile_stream.h. */
#include "program/compile_stream.h"

#include "program/order_terms.h"
#include "program/partial_sums.h"

/* The first vector of a group; at: that of an earlier one. */
static int64_t group_begin(const wlu_fuse *fuse, const wlu_stream *s, int32_t group, int64_t at)
{
    while (at < s->nvectors && s->vector[at].chunk < wlu_fuse_chunk(fuse, group)) at++;
    return at;
}

/* Where the vectors of a second stage's segments begin; levels are those of its segments together. */
static warplu_status find_segments(const wlu_fuse *fuse, wlu_triangular *t)
{
    wlu_stream *s = &t->stream;
    t->segment = WLU_CALLOC(fuse->ctx, (int64_t)t->regions + 2, int64_t);
    if (t->segment == NULL) return wlu_fail_memory(fuse->ctx, "segments of the solve");
    s->nlevels = 0;
    for (int32_t segment = 0; segment <= t->regions; segment++) {
        int32_t levels = 0;
        t->segment[segment + 1] = group_begin(fuse, s, segment + 1, t->segment[segment]);
        for (int64_t k = t->segment[segment]; k < t->segment[segment + 1]; k++)
            if (s->vector[k].level > levels) levels = s->vector[k].level;
        s->nlevels += levels;
    }
    return WARPLU_SUCCESS;
}

static void find_groups(const wlu_fuse *fuse, const wlu_stream *s, int64_t *group, int32_t groups)
{
    int64_t at = 0;
    for (int32_t k = 0; k < groups; k++) group[k] = at = group_begin(fuse, s, k, at);
}

warplu_status wlu_stream_compile(const wlu_stream_job *job, int64_t *group, int32_t groups)
{
    wlu_program *p = job->program;
    wlu_fuse fuse = {.ctx = job->ctx,
                     .emitter = job->emitter,
                     .split = p->split,
                     .grouping = job->grouping,
                     .chunk_slots = (int64_t)p->cost->chunk_slots,
                     .chunk_records = (int64_t)p->cost->chunk_records};
    wlu_long_chains chains = {0};
    warplu_status status = wlu_fuse_begin(&fuse, job->stream);
    if (status == WARPLU_SUCCESS) status = wlu_long_chains_find(job->ctx, p->cost, job->stream, &chains);
    if (status == WARPLU_SUCCESS) status = job->place(job->placing, job->stream, chains.sums);
    if (status == WARPLU_SUCCESS) status = wlu_fuse_finish(&fuse, p->slot, job->stream);
    if (status == WARPLU_SUCCESS && job->stage != NULL) status = find_segments(&fuse, job->stage);
    if (status == WARPLU_SUCCESS && wlu_target_is_latency_bound(p->cost))
        status = wlu_order_terms(job->ctx, p, job->stream, job->stage);
    if (status == WARPLU_SUCCESS && chains.count > 0)
        status = wlu_partial_sums_cut(job->ctx, p, &chains, wlu_fuse_chunk(&fuse, fuse.grouping.levelled), job->stream,
                                      job->stage);
    if (status == WARPLU_SUCCESS) find_groups(&fuse, job->stream, group, groups);
    wlu_free(job->ctx, chains.chain);
    wlu_fuse_free(&fuse);
    return status;
}
