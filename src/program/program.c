/* What a program owns, and its bytes. */
#include "program/program.h"

#include <string.h>

void wlu_stream_free(wlu_context *ctx, wlu_stream *s)
{
    void *owned[] = {s->vector, s->opcode, s->target, s->start, s->divisor, s->begin, s->operand, s->finished};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    memset(s, 0, sizeof *s);
}

warplu_status wlu_stream_allocate(wlu_context *ctx, wlu_stream *s, int64_t records, int64_t terms)
{
    s->opcode = WLU_ALLOC(ctx, records, uint8_t);
    s->target = WLU_ALLOC(ctx, records, int32_t);
    s->start = WLU_ALLOC(ctx, records, int32_t);
    s->divisor = WLU_ALLOC(ctx, records, int32_t);
    s->finished = WLU_ALLOC(ctx, records, int32_t);
    s->begin = WLU_ALLOC(ctx, records + 1, int64_t);
    s->operand = WLU_ALLOC(ctx, 2 * terms, int32_t);
    if (!s->opcode || !s->target || !s->start || !s->divisor || !s->finished || !s->begin || !s->operand)
        return wlu_fail_memory(ctx, "stream of the program");
    s->begin[0] = 0;
    return WARPLU_SUCCESS;
}

void wlu_triangular_free(wlu_context *ctx, wlu_triangular *t)
{
    void *owned[] = {t->load.source, t->load.scale, t->region, t->segment, t->tile_y, t->tile_x, t->index, t->scale};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    wlu_stream_free(ctx, &t->stream);
    memset(t, 0, sizeof *t);
}

void wlu_program_destroy(wlu_context *ctx, wlu_program **program)
{
    wlu_program *p = *program;
    if (p == NULL) return;
    void *owned[] = {p->part, p->slot, p->load.source, p->load.scale, p->list.target, p->list.source, p->list.scale};
    if (p->own != NULL) p->kind->destroy(ctx, p->own);
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    wlu_stream_free(ctx, &p->dot);
    wlu_triangular_free(ctx, &p->solve);
    wlu_triangular_free(ctx, &p->transposed);
    wlu_free(ctx, p);
    *program = NULL;
}

int64_t wlu_stream_bytes(const wlu_stream *s)
{
    return s->nvectors * (int64_t)sizeof *s->vector + s->nrecords * 25 + 8 * s->nterms;
}

int64_t wlu_program_factor_bytes(const wlu_program *p)
{
    int64_t own = p->kind->bytes != NULL ? p->kind->bytes(p) : 0;
    return wlu_stream_bytes(&p->dot) + 12 * p->load.count + 16 * p->list.count + own;
}

static int64_t triangular_bytes(const wlu_triangular *t, int32_t n)
{
    if (t->index == NULL) return 0;
    return wlu_stream_bytes(&t->stream) + 16 * (int64_t)t->regions + (16 + (t->scale != NULL ? 8 : 0)) * (int64_t)n;
}

int64_t wlu_program_solve_bytes(const wlu_program *p)
{
    return triangular_bytes(&p->solve, p->n) + triangular_bytes(&p->transposed, p->n);
}

warplu_status wlu_slots_check(wlu_context *ctx, int64_t slots)
{
    if (slots <= INT32_MAX) return WARPLU_SUCCESS;
    return wlu_fail(ctx, WARPLU_OVERFLOW, "%lld slots exceed the 32-bit slot width", (long long)slots);
}
