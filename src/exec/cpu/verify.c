/* Verification of packed images: streams, group by group. See verify.h. */
#include "exec/cpu/verify.h"

#include "exec/cpu/instruction_set.h"
#include "exec/cpu/verify_state.h"

typedef wlu_image_verifier verifier;

int wlu_image_check(verifier *v, int holds, const char *what, int64_t slot)
{
    if (!holds)
        v->status =
            wlu_fail(v->ctx, WARPLU_INTERNAL, "image verification: %s: %s, group %d, run %lld, word %lld, slot %lld",
                     v->name, what, v->group, (long long)v->run, (long long)v->word, (long long)slot);
    return holds;
}

const int32_t *wlu_image_take(verifier *v, int64_t count)
{
    if (!wlu_image_check(v, count <= v->packed->nwords - v->word, "words beyond the stream", count)) return NULL;
    v->word += count;
    return v->packed->word + v->word - count;
}

/* Groups, as the packer counts them: of a factorization parts, the top, tiles; of a solve its segments. */
static int32_t group_count(const verifier *v)
{
    return v->solve != NULL ? v->solve->regions + 1 : v->p->parts + 1 + wlu_lu_of(v->p)->tiles.count;
}

/* The first record of a group. */
static int64_t first_record(const verifier *v, int32_t group)
{
    const wlu_program *p = v->p;
    int64_t vector = v->solve != NULL        ? v->solve->segment[group]
                     : group <= p->parts + 1 ? p->part[group]
                                             : wlu_lu_of(p)->tiles.vector[group - p->parts - 1];
    return vector < v->s->nvectors ? v->s->vector[vector].first : v->s->nrecords;
}

/* Unknowns that the region behind a segment has solved for. */
static void write_region(verifier *v)
{
    if (v->solve == NULL || v->group == v->solve->regions) return;
    wlu_solve_region r = v->solve->region[v->group];
    for (int32_t at = r.first; at < r.behind; at++) v->mark[v->solve->tile_x[at]] |= LOADED;
}

static int check_group(verifier *v)
{
    const wlu_place *place = &v->packed->place[v->group];
    v->first = first_record(v, v->group);
    v->end = first_record(v, v->group + 1);
    if (!wlu_image_check(v, place->run == v->run && place->word == v->word, "place of a group", place->word)) return 0;
    for (; v->run < place[1].run; v->run++)
        if (!wlu_image_check(v, v->run < v->packed->nruns, "runs that are missing", place[1].run) ||
            !wlu_image_check_run(v, &v->packed->run[v->run]))
            return 0;
    for (int64_t r = v->first; r < v->end; r++)
        if (!wlu_image_check(v, v->done[r] != 0, "record that is not packed", v->s->target[r])) return 0;
    write_region(v);
    return 1;
}

static int check_stream(verifier *v)
{
    const wlu_packed *packed = v->packed;
    if (!wlu_image_check(v, packed->nplaces == group_count(v) + 1, "number of groups", packed->nplaces)) return 0;
    for (int64_t r = 0; r < v->s->nrecords; r++) {
        int32_t *record = &v->record[v->s->target[r]];
        if (!wlu_image_check(v, *record < 0, "two records on one target", v->s->target[r])) return 0;
        *record = (int32_t)r;
    }
    if (!wlu_image_check_loads(v)) return 0;
    for (v->group = 0; v->group < group_count(v); v->group++)
        if (!check_group(v)) return 0;
    const wlu_place *end = &packed->place[v->group];
    return wlu_image_check(v, end->run == v->run && end->word == v->word, "place of the end", end->word) &&
           wlu_image_check(v, packed->nruns == v->run && packed->nwords == v->word, "end of the stream", v->word) &&
           wlu_image_check_judged(v);
}

/* v: with the context, the program, the stream and its loads. solve: of the image; NULL for the factorization, which
 * has no right-hand sides. */
static warplu_status verify_stream(verifier v, const wlu_cpu_solve *solve)
{
    wlu_context *ctx = v.ctx;
    const wlu_program *p = v.p;
    v.record = WLU_ALLOC(ctx, p->nslots, int32_t);
    v.done = WLU_CALLOC(ctx, v.s->nrecords, int32_t);
    v.mark = WLU_CALLOC(ctx, p->nslots, uint8_t);
    if (v.record == NULL || v.done == NULL || v.mark == NULL) {
        v.status = wlu_fail_memory(ctx, "image verification");
    } else {
        for (int64_t k = 0; k < p->nslots; k++) v.record[k] = -1;
        if (check_stream(&v) && solve != NULL) wlu_image_check_places(&v, solve);
    }
    wlu_free(ctx, v.record);
    wlu_free(ctx, v.done);
    wlu_free(ctx, v.mark);
    return v.status;
}

warplu_status wlu_cpu_image_verify(wlu_context *ctx, const wlu_program *p, const wlu_cpu_image *image)
{
    int known = 0;
    for (int set = 0; set < WLU_SIMD_SETS; set++)
        known |= wlu_instruction_set_supported((wlu_instruction_set)set) &&
                 image->kernels == wlu_instruction_set_kernels((wlu_instruction_set)set, p->doubles);
    if (!known || image->base.program != p)
        return wlu_fail(ctx, WARPLU_INTERNAL, "image verification: of another program or machine");
    warplu_status status = verify_stream(
        (verifier){.ctx = ctx, .p = p, .s = &p->dot, .loads = &p->load, .packed = &image->dot, .name = "factorization"},
        NULL);
    for (int k = 0; k < 2 && status == WARPLU_SUCCESS; k++) {
        const wlu_cpu_solve *solve = &image->solve[k];
        const wlu_triangular *t = solve->stage;
        if (t == NULL && k == 1) break;
        if (t != (k ? &p->transposed : &p->solve))
            return wlu_fail(ctx, WARPLU_INTERNAL, "image verification: solve of another program");
        status = verify_stream((verifier){.ctx = ctx,
                                          .p = p,
                                          .solve = t,
                                          .s = &t->stream,
                                          .loads = &t->load,
                                          .packed = &solve->packed,
                                          .name = k ? "transposed solve" : "solve"},
                               solve);
    }
    return status;
}
