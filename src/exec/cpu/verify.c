/* Verification of packed images: streams, group by group. See verify.h. */
#include "exec/cpu/verify.h"

#include "exec/cpu/instruction_set.h"
#include "exec/cpu/verify_state.h"

typedef wlu_image_verifier verifier;

warplu_status wlu_image_broken(const verifier *v, const char *what, int64_t slot)
{
    return wlu_fail(v->ctx, WARPLU_INTERNAL, "image verification: %s: %s, group %d, run %lld, word %lld, slot %lld",
                    v->name, what, v->group, (long long)v->run, (long long)v->word, (long long)slot);
}

const int32_t *wlu_image_take(verifier *v, int64_t count)
{
    if (count > v->packed->nwords - v->word) return NULL;
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

static warplu_status check_group(verifier *v)
{
    const wlu_place *place = &v->packed->place[v->group];
    v->first = first_record(v, v->group);
    v->end = first_record(v, v->group + 1);
    if (place->run != v->run || place->word != v->word) return wlu_image_broken(v, "place of a group", place->word);
    for (; v->run < place[1].run; v->run++) {
        if (v->run >= v->packed->nruns) return wlu_image_broken(v, "runs that are missing", place[1].run);
        warplu_status status = wlu_image_check_run(v, &v->packed->run[v->run]);
        if (status < 0) return status;
    }
    for (int64_t r = v->first; r < v->end; r++)
        if (v->done[r] == 0) return wlu_image_broken(v, "record that is not packed", v->s->target[r]);
    write_region(v);
    return WARPLU_SUCCESS;
}

static warplu_status check_stream(verifier *v)
{
    const wlu_packed *packed = v->packed;
    if (packed->nplaces != group_count(v) + 1) return wlu_image_broken(v, "number of groups", packed->nplaces);
    for (int64_t r = 0; r < v->s->nrecords; r++) {
        if (v->record[v->s->target[r]] >= 0) return wlu_image_broken(v, "two records on one target", v->s->target[r]);
        v->record[v->s->target[r]] = (int32_t)r;
    }
    warplu_status status = wlu_image_check_loads(v);
    for (v->group = 0; v->group < group_count(v) && status == WARPLU_SUCCESS; v->group++) status = check_group(v);
    if (status < 0) return status;
    const wlu_place *end = &packed->place[v->group];
    if (end->run != v->run || end->word != v->word || packed->nruns != v->run || packed->nwords != v->word)
        return wlu_image_broken(v, "end of the stream", packed->nwords);
    return wlu_image_check_judged(v);
}

/* solve: NULL for the factorization, which has no right-hand sides. */
static warplu_status verify_stream(wlu_context *ctx, const wlu_program *p, const wlu_triangular *solve,
                                   const wlu_packed *packed, const wlu_cpu_places *loads, const wlu_cpu_places *stores)
{
    verifier v = {.ctx = ctx, .p = p, .solve = solve, .packed = packed, .name = "factorization"};
    v.s = solve != NULL ? &solve->stream : &p->dot;
    v.loads = solve != NULL ? &solve->load : &p->load;
    if (solve != NULL) v.name = solve == &p->solve ? "solve" : "transposed solve";
    v.record = WLU_ALLOC(ctx, p->nslots, int32_t);
    v.done = WLU_CALLOC(ctx, v.s->nrecords, int32_t);
    v.mark = WLU_CALLOC(ctx, p->nslots, uint8_t);
    warplu_status status = WARPLU_SUCCESS;
    if (v.record == NULL || v.done == NULL || v.mark == NULL) {
        status = wlu_fail_memory(ctx, "image verification");
    } else {
        for (int64_t k = 0; k < p->nslots; k++) v.record[k] = -1;
        status = check_stream(&v);
        if (status == WARPLU_SUCCESS && solve != NULL) status = wlu_image_check_places(&v, loads, stores);
    }
    wlu_free(ctx, v.record);
    wlu_free(ctx, v.done);
    wlu_free(ctx, v.mark);
    return status;
}

warplu_status wlu_cpu_image_verify(wlu_context *ctx, const wlu_program *p, const wlu_cpu_image *image)
{
    int known = 0;
    for (int set = 0; set < WLU_SIMD_SETS; set++)
        known |= wlu_instruction_set_supported((wlu_instruction_set)set) &&
                 image->kernels == wlu_instruction_set_kernels((wlu_instruction_set)set);
    if (!known || image->base.program != p)
        return wlu_fail(ctx, WARPLU_INTERNAL, "image verification: of another program or machine");
    warplu_status status = verify_stream(ctx, p, NULL, &image->dot, NULL, NULL);
    if (status == WARPLU_SUCCESS)
        status = verify_stream(ctx, p, &p->solve, &image->solve, &image->loads, &image->stores);
    if (status == WARPLU_SUCCESS && image->transposed.block != NULL)
        status = verify_stream(ctx, p, &p->transposed, &image->transposed, &image->loads_transposed,
                               &image->stores_transposed);
    return status;
}
