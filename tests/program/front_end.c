/* See front_end.h. */
#include "front_end.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct placer {
    wlu_context *ctx;
    const test_front_end *f;
    wlu_program *p;
    const test_records *list; /* of the stage at hand */
    int32_t *chain;           /* by slot: its chain's number */
} placer;

void test_emit(test_front_end *f, int stage, wlu_opcode opcode, int32_t t, int32_t a, int32_t b)
{
    test_records_add(&f->stage[stage], (wlu_record){opcode, t, a, b});
}

void test_front_end_free(test_front_end *f)
{
    for (int k = 0; k < 3; k++) free(f->stage[k].at);
    memset(f, 0, sizeof *f);
}

/* What is known of a slot before its chain is listed. */
typedef struct open_chain {
    int32_t start, divisor, length, level, records;
    wlu_opcode opcode;
} open_chain;

static void raise_level(open_chain *to, const open_chain *of)
{
    if (of->level >= to->level) to->level = of->level + 1;
}

/* Takes a record; the last one of its slot lists the chain. */
static void take_record(wlu_chains *c, open_chain *slot, int32_t *chain, const wlu_record *r)
{
    open_chain *to = &slot[r->t];
    raise_level(to, &slot[r->a]);
    if (r->opcode == WLU_MSUB) {
        raise_level(to, &slot[r->b]);
        to->length++;
    } else if (r->opcode == WLU_MOVE) {
        to->start = r->a;
    } else {
        to->divisor = r->a;
        to->opcode = wlu_opcode_table[r->opcode].compiled;
    }
    if (--to->records == 0)
        chain[r->t] = wlu_chains_put(c, to->opcode, r->t, to->start, to->divisor, to->length, to->level, 0);
}

static warplu_status list_chains(void *front, wlu_chains *chains)
{
    placer *k = front;
    int32_t slots = test_slots(k->f);
    warplu_status status = wlu_chains_allocate(chains, slots);
    open_chain *slot = WLU_ALLOC(k->ctx, slots, open_chain);
    k->chain = WLU_ALLOC(k->ctx, slots, int32_t);
    if (status == WARPLU_SUCCESS && (slot == NULL || k->chain == NULL)) status = wlu_fail_memory(k->ctx, "chains");
    for (int32_t t = 0; t < slots && status == WARPLU_SUCCESS; t++) {
        slot[t] = (open_chain){.start = t, .divisor = -1, .opcode = WLU_DOT};
    }
    for (int64_t q = 0; q < k->list->count && status == WARPLU_SUCCESS; q++)
        slot[k->list->at[q].t].records += k->list->at[q].opcode != WLU_LOAD;
    for (int64_t q = 0; q < k->list->count && status == WARPLU_SUCCESS; q++)
        if (k->list->at[q].opcode != WLU_LOAD) take_record(chains, slot, k->chain, &k->list->at[q]);
    wlu_free(k->ctx, slot);
    return status;
}

static warplu_status fill_terms(void *front, wlu_chains *chains, int32_t *operand)
{
    placer *k = front;
    const int32_t *slot = k->p->slot;
    for (const wlu_record *r = k->list->at; r < k->list->at + k->list->count; r++)
        if (r->opcode == WLU_MSUB) wlu_chains_put_term(chains->term, operand, k->chain[r->t], slot[r->a], slot[r->b]);
    return WARPLU_SUCCESS;
}

/* All slots of the first stage stand where they are named, and are loaded: +0 where there is no LOAD. */
static warplu_status place_first(void *front, const wlu_stream *stream, int64_t sums)
{
    const placer *k = front;
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

static warplu_status place_second(void *front, const wlu_stream *stream, int64_t sums)
{
    const placer *k = front;
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

/* Compiles a stage's records; stage: the second one whose stream it is, or NULL. */
static warplu_status compile_stream(placer *k, int number, wlu_stream *stream, wlu_triangular *stage)
{
    wlu_program *p = k->p;
    wlu_stream_job job = {.ctx = k->ctx,
                          .program = p,
                          .slots = test_slots(k->f),
                          .levelled = stage != NULL ? 1 : 2,
                          .stream = stream,
                          .stage = stage,
                          .front = k,
                          .list = list_chains,
                          .place = stage != NULL ? place_second : place_first,
                          .fill = fill_terms};
    k->list = &k->f->stage[number];
    warplu_status status = wlu_stream_compile(&job, p->part, stage != NULL ? 0 : 3);
    wlu_free(k->ctx, k->chain);
    k->chain = NULL;
    return status;
}

static warplu_status compile_first(placer *k)
{
    wlu_program *p = k->p;
    p->part = WLU_CALLOC(k->ctx, 3, int64_t);
    if (p->part == NULL) return wlu_fail_memory(k->ctx, "parts");
    warplu_status status = compile_stream(k, 0, &p->dot, NULL);
    if (status == WARPLU_SUCCESS) status = allocate_loads(k->ctx, &p->load, 0, k->f->slots);
    if (status == WARPLU_SUCCESS) fill_loads(&p->load, &k->f->stage[0], p->slot);
    return status;
}

static warplu_status compile_second(placer *k, int number, wlu_triangular *t)
{
    warplu_status status = compile_stream(k, number, &t->stream, t);
    t->index = WLU_ALLOC(k->ctx, k->p->n, int32_t);
    if (status == WARPLU_SUCCESS && t->index == NULL) status = wlu_fail_memory(k->ctx, "output");
    if (status == WARPLU_SUCCESS) status = allocate_loads(k->ctx, &t->load, k->p->y, k->p->n);
    if (status < 0) return status;
    fill_loads(&t->load, &k->f->stage[number], k->p->slot);
    for (int32_t i = 0; i < k->p->n; i++) t->index[i] = i;
    return status;
}

warplu_status test_front_end_compile(wlu_context *ctx, const test_front_end *f, const wlu_cost *cost, wlu_program **out)
{
    wlu_program *p = *out = WLU_CALLOC(ctx, 1, wlu_program);
    if (p == NULL) return wlu_fail_memory(ctx, "program");
    placer k = {.ctx = ctx, .f = f, .p = p};
    *p = (wlu_program){.n = f->n,
                       .doubles = 1,
                       .split = 1,
                       .parts = 1,
                       .cost = cost,
                       .nvalues = f->nvalues,
                       .has_transposed = 1,
                       .kind = &f->kind,
                       .slot = WLU_ALLOC(ctx, test_slots(f), int32_t)};
    if (p->slot == NULL) return wlu_fail_memory(ctx, "slots");
    warplu_status status = compile_first(&k);
    if (status == WARPLU_SUCCESS) status = compile_second(&k, 1, &p->solve);
    return status < 0 ? status : compile_second(&k, 2, &p->transposed);
}
