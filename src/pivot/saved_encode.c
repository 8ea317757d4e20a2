/* Analysis and pivots to bytes. See saved.h. */
#include "pivot/saved.h"
#include "pivot/saved_format.h"

#include "base/checksum.h"

#include <string.h>

static uint32_t flags_of(const wlu_analysis *an, const wlu_pivots *p, wlu_saved_program program)
{
    uint32_t flags = 0;
    if (an->a->map_ptr != NULL) flags |= WLU_SAVED_DUPLICATES;
    if (an->a->map == NULL) flags |= WLU_SAVED_IDENTITY;
    if (an->rows_are_final) flags |= WLU_SAVED_ROWS_FINAL;
    /* Given orders are never sought again, whatever values come. */
    if (an->candidate[0].solve_ns > 0.0) flags |= WLU_SAVED_SOLVES;
    if (an->provisional && an->candidate[0].ordering != WARPLU_ORDERING_GIVEN) flags |= WLU_SAVED_PROVISIONAL;
    if (an->depth == WLU_DEPTH_FIRST) flags |= WLU_SAVED_FIRST;
    if (an->a->doubles > 1) flags |= WLU_SAVED_COMPLEX;
    if (p != NULL) flags |= WLU_SAVED_PIVOTS;
    if (p != NULL && p->col_exponent != NULL) flags |= WLU_SAVED_COLUMN_SCALES;
    if (program.count > 0) flags |= WLU_SAVED_PROGRAM;
    return flags;
}

static wlu_saved_header header_of(const wlu_analysis *an, const wlu_pivots *p, wlu_saved_program program)
{
    wlu_saved_header h = {.order_mark = WLU_SAVED_ORDER_MARK,
                          .version = program.count > 0 ? WLU_SAVED_PROGRAM_VERSION : WLU_SAVED_VERSION,
                          .n = an->n,
                          .nnz = an->a->nnz,
                          .nvalues = an->a->nvalues,
                          .nblocks = an->nblocks,
                          .ncandidates = an->ncandidates,
                          .flags = flags_of(an, p, program),
                          .l_nnz = p != NULL ? p->lp[p->n] : 0,
                          .u_nnz = p != NULL ? p->up[p->n] : 0};
    memcpy(h.magic, WLU_SAVED_MAGIC, sizeof h.magic);
    h.bytes = wlu_saved_header_total(&h) + program.count;
    return h;
}

int64_t wlu_saved_bytes(const wlu_analysis *an, const wlu_pivots *p, wlu_saved_program program)
{
    return header_of(an, p, program).bytes;
}

uint32_t wlu_saved_checksum(const uint8_t *bytes, int64_t size)
{
    return wlu_crc32(bytes, size - 4);
}

static void put(uint8_t **out, const void *from, int64_t count, size_t size)
{
    memcpy(*out, from, (size_t)count * size);
    *out += (size_t)count * size;
}

static void put_candidate(uint8_t **out, const wlu_candidate *c, int32_t n, int solves)
{
    int32_t whole[] = {(int32_t)c->ordering, c->matched, c->height, c->joined};
    double real[] = {c->terms, c->lu_nnz, c->predicted_ns, c->solve_ns};
    put(out, whole, 4, sizeof *whole);
    put(out, real, solves ? 4 : 3, sizeof *real);
    put(out, c->row, n, sizeof *c->row);
    put(out, c->col, n, sizeof *c->col);
}

static void put_pivots(uint8_t **out, const wlu_pivots *p)
{
    int32_t n = p->n, whole[] = {p->candidate, (int32_t)p->scales};
    const wlu_pivot_quality *q = &p->quality;
    double real[] = {q->growth,     q->largest_l,  q->largest_u,        q->smallest_pivot,
                     q->row_spread, q->col_spread, q->row_scale_spread, q->col_scale_spread};
    put(out, whole, 2, sizeof *whole);
    put(out, real, 8, sizeof *real);
    put(out, p->row, n, sizeof *p->row);
    put(out, p->largest, n, sizeof *p->largest);
    put(out, p->row_largest, n, sizeof *p->row_largest);
    put(out, p->row_unit, n, sizeof *p->row_unit);
    put(out, p->exponent, n, sizeof *p->exponent);
    if (p->col_exponent != NULL) put(out, p->col_exponent, n, sizeof *p->col_exponent);
}

void wlu_saved_encode(const wlu_analysis *an, const wlu_pivots *p, wlu_saved_program program, uint8_t *out)
{
    const wlu_pattern *a = an->a;
    wlu_saved_header h = header_of(an, p, program);
    uint8_t *at = out;
    put(&at, &h, 1, sizeof h);
    put(&at, a->p, (int64_t)a->n + 1, sizeof *a->p);
    put(&at, a->i, a->nnz, sizeof *a->i);
    if (a->map_ptr != NULL) put(&at, a->map_ptr, (int64_t)a->nnz + 1, sizeof *a->map_ptr);
    if (a->map != NULL) put(&at, a->map, a->nvalues, sizeof *a->map);
    put(&at, an->block, (int64_t)an->nblocks + 1, sizeof *an->block);
    for (int32_t c = 0; c < an->ncandidates; c++)
        put_candidate(&at, &an->candidate[c], an->n, (h.flags & WLU_SAVED_SOLVES) != 0);
    if (p != NULL) put_pivots(&at, p);
    if (program.count > 0) put(&at, program.bytes, program.count, 1);
    uint32_t crc = wlu_saved_checksum(out, h.bytes);
    put(&at, &crc, 1, sizeof crc);
}
