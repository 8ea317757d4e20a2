/* See front_end.h. */
#include "front_end.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct list_emitter {
    wlu_emitter base;
    const test_records *list;
} list_emitter;

typedef struct placer {
    wlu_context *ctx;
    const test_front_end *f;
    wlu_program *p;
} placer;

void test_emit(test_front_end *f, int stage, wlu_opcode opcode, int32_t t, int32_t a, int32_t b)
{
    test_records *list = &f->stage[stage];
    *test_records_room(list, 1) = (wlu_record){opcode, t, a, b};
    list->count++;
}

void test_front_end_free(test_front_end *f)
{
    for (int k = 0; k < 3; k++) free(f->stage[k].at);
    memset(f, 0, sizeof *f);
}

static void emit_list(wlu_emitter *emitter, wlu_sink *sink)
{
    const test_records *list = ((list_emitter *)emitter)->list;
    for (const wlu_record *r = list->at; r < list->at + list->count; r++)
        wlu_sink_put_record(sink, (wlu_opcode)r->opcode, r->t, r->a, r->b);
}

/* All slots of the first stage stand where they are named, and are loaded: +0 where there is no LOAD. */
static warplu_status place_first(void *placing, const wlu_stream *stream, int64_t sums)
{
    const placer *k = placing;
    wlu_program *p = k->p;
    (void)stream;
    p->region_slots = p->sums = k->f->slots;
    p->y = p->sums + sums;
    p->x = p->y + p->n;
    p->zero = p->x + p->n;
    p->trash = p->zero + 1;
    p->minus_one = p->cost->record_terms > 0 ? p->trash + 1 : -1;
    p->solve_sums = p->nslots = p->trash + 1 + (p->minus_one >= 0);
    for (int32_t s = 0; s < k->f->slots; s++) p->slot[s] = s;
    p->slot[test_zero_slot(k->f)] = (int32_t)p->zero;
    return wlu_slots_check(k->ctx, p->nslots);
}

static warplu_status place_second(void *placing, const wlu_stream *stream, int64_t sums)
{
    const placer *k = placing;
    wlu_program *p = k->p;
    (void)stream;
    for (int32_t i = 0; i < p->n; i++) {
        p->slot[test_input_slot(k->f, i)] = (int32_t)p->y + i;
        p->slot[test_output_slot(k->f, i)] = (int32_t)p->x + i;
    }
    if (p->solve_sums + sums > p->nslots) p->nslots = p->solve_sums + sums;
    return wlu_slots_check(k->ctx, p->nslots);
}

static warplu_status allocate_loads(wlu_context *ctx, wlu_loads *l, int64_t first, int64_t count)
{
    l->first = first;
    l->count = count;
    l->source = WLU_ALLOC(ctx, count, int32_t);
    l->scale = WLU_CALLOC(ctx, count, double);
    if (l->source == NULL || l->scale == NULL) return wlu_fail_memory(ctx, "loads");
    for (int64_t k = 0; k < count; k++) l->source[k] = -1;
    return WARPLU_SUCCESS;
}

static void fill_loads(wlu_loads *l, const test_records *list, const int32_t *slot)
{
    for (int64_t k = 0; k < list->count; k++) {
        const wlu_record *r = &list->at[k];
        if (r->opcode != WLU_LOAD) continue;
        l->source[slot[r->t] - l->first] = r->a;
        l->scale[slot[r->t] - l->first] = ldexp(1.0, r->b);
    }
}

void test_name_slots(const wlu_program *p, const void *naming, wlu_slot_name *names)
{
    (void)naming;
    for (int32_t k = 0; k < p->region_slots; k++) names[k] = (wlu_slot_name){'v', k, -1};
    for (int32_t k = 0; k < p->n; k++) {
        names[p->y + k] = (wlu_slot_name){'y', k, -1};
        names[p->x + k] = (wlu_slot_name){'x', k, -1};
    }
}

static wlu_emitter emitter_of(const test_front_end *f)
{
    return (wlu_emitter){.slots = f->slots + 1 + 2 * (int64_t)f->n, .emit = emit_list};
}

static warplu_status compile_first(placer *k)
{
    wlu_program *p = k->p;
    list_emitter e = {emitter_of(k->f), &k->f->stage[0]};
    wlu_stream_job job = {.ctx = k->ctx,
                          .program = p,
                          .emitter = &e.base,
                          .grouping = {NULL, 0, 2, 0},
                          .stream = &p->dot,
                          .place = place_first,
                          .placing = k};
    p->part = WLU_CALLOC(k->ctx, 3, int64_t);
    if (p->part == NULL) return wlu_fail_memory(k->ctx, "parts");
    warplu_status status = wlu_stream_compile(&job, p->part, 3);
    if (status == WARPLU_SUCCESS) status = allocate_loads(k->ctx, &p->load, 0, k->f->slots);
    if (status == WARPLU_SUCCESS) fill_loads(&p->load, &k->f->stage[0], p->slot);
    return status;
}

static warplu_status compile_second(placer *k, int stage, wlu_triangular *t)
{
    list_emitter e = {emitter_of(k->f), &k->f->stage[stage]};
    wlu_stream_job job = {.ctx = k->ctx,
                          .program = k->p,
                          .emitter = &e.base,
                          .grouping = {NULL, 0, 1, 1},
                          .stream = &t->stream,
                          .stage = t,
                          .place = place_second,
                          .placing = k};
    warplu_status status = wlu_stream_compile(&job, NULL, 0);
    t->index = WLU_ALLOC(k->ctx, k->p->n, int32_t);
    if (status == WARPLU_SUCCESS && t->index == NULL) status = wlu_fail_memory(k->ctx, "output");
    if (status == WARPLU_SUCCESS) status = allocate_loads(k->ctx, &t->load, k->p->y, k->p->n);
    if (status < 0) return status;
    fill_loads(&t->load, &k->f->stage[stage], k->p->slot);
    for (int32_t i = 0; i < k->p->n; i++) t->index[i] = i;
    return status;
}

warplu_status test_front_end_compile(wlu_context *ctx, const test_front_end *f, const wlu_cost *cost, wlu_program **out)
{
    wlu_program *p = *out = WLU_CALLOC(ctx, 1, wlu_program);
    if (p == NULL) return wlu_fail_memory(ctx, "program");
    placer k = {ctx, f, p};
    *p = (wlu_program){.n = f->n,
                       .split = 1,
                       .parts = 1,
                       .cost = cost,
                       .nvalues = f->nvalues,
                       .has_transposed = 1,
                       .kind = &f->kind,
                       .slot = WLU_ALLOC(ctx, f->slots + 1 + 2 * (int64_t)f->n, int32_t)};
    if (p->slot == NULL) return wlu_fail_memory(ctx, "slots");
    warplu_status status = compile_first(&k);
    if (status == WARPLU_SUCCESS) status = compile_second(&k, 1, &p->solve);
    return status < 0 ? status : compile_second(&k, 2, &p->transposed);
}
