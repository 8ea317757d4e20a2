/* Bytes to an analysis, trusting nothing; its pivots are saved_pivots.c's. See saved.h. */
#include "order/order.h"
#include "pivot/saved_reader.h"

#include <string.h>

/* ----------------------------------------------------------------- header */

static int counts_are_possible(const wlu_saved_header *h)
{
    uint32_t f = h->flags;
    int64_t triangle = (int64_t)h->n * ((int64_t)h->n - 1) / 2;
    int duplicates = (f & WLU_SAVED_DUPLICATES) != 0, pivots = (f & WLU_SAVED_PIVOTS) != 0;
    return h->n >= 1 && h->nnz >= h->n && h->nblocks >= 1 && h->nblocks <= h->n && h->ncandidates >= 1 &&
           h->ncandidates <= WLU_CANDIDATES_MAX && (f & ~(uint32_t)WLU_SAVED_FLAGS) == 0 &&
           (duplicates ? h->nvalues > h->nnz : h->nvalues == h->nnz) && !(duplicates && (f & WLU_SAVED_IDENTITY)) &&
           (pivots || !(f & (WLU_SAVED_COLUMN_SCALES | WLU_SAVED_PROGRAM))) && h->l_nnz >= 0 && h->u_nnz >= 0 &&
           h->l_nnz <= triangle && h->u_nnz <= triangle && (pivots || (h->l_nnz == 0 && h->u_nnz == 0));
}

/* A program is what the file has beyond its other sections. */
static int program_is_possible(const wlu_saved_header *h)
{
    int64_t others = wlu_saved_header_total(h);
    if ((h->flags & WLU_SAVED_PROGRAM) == 0) return h->version == WLU_SAVED_VERSION && h->bytes == others;
    return h->version == WLU_SAVED_PROGRAM_VERSION && h->bytes > others;
}

static warplu_status take_header(wlu_context *ctx, const char *name, const uint8_t *bytes, int64_t size,
                                 wlu_saved_header *h)
{
    size_t known = size < 8 ? (size_t)size : 8;
    if (size == 0)
        return wlu_reader_refuse(ctx, name, WARPLU_BAD_FORMAT, "expected a saved analysis, found an empty file");
    if (memcmp(bytes, WLU_SAVED_MAGIC, known) != 0)
        return wlu_reader_refuse(ctx, name, WARPLU_BAD_FORMAT,
                                 "expected a saved analysis, found a file of another kind");
    if (size < WLU_SAVED_HEADER_BYTES)
        return wlu_reader_refuse(ctx, name, WARPLU_BAD_FORMAT,
                                 "truncated: %lld bytes, expected %d for the header alone", (long long)size,
                                 WLU_SAVED_HEADER_BYTES);
    memcpy(h, bytes, sizeof *h);
    if (h->order_mark == UINT32_C(0x04030201))
        return wlu_reader_refuse(ctx, name, WARPLU_BAD_FORMAT,
                                 "expected this machine's byte order, found the other one");
    if (h->order_mark != WLU_SAVED_ORDER_MARK)
        return wlu_reader_refuse(ctx, name, WARPLU_BAD_FORMAT, "expected the byte order mark %08x, found %08x",
                                 WLU_SAVED_ORDER_MARK, h->order_mark);
    if (h->version < WLU_SAVED_VERSION || h->version > WLU_SAVED_PROGRAM_VERSION)
        return wlu_reader_refuse(ctx, name, WARPLU_VERSION_MISMATCH, "expected format version %d or %d, found %u",
                                 WLU_SAVED_VERSION, WLU_SAVED_PROGRAM_VERSION, h->version);
    if (!counts_are_possible(h) || !program_is_possible(h))
        return wlu_reader_refuse(ctx, name, WARPLU_BAD_FORMAT, "the header's counts contradict each other");
    if (size < h->bytes)
        return wlu_reader_refuse(ctx, name, WARPLU_BAD_FORMAT, "truncated: %lld bytes, expected %lld", (long long)size,
                                 (long long)h->bytes);
    if (size > h->bytes)
        return wlu_reader_refuse(ctx, name, WARPLU_BAD_FORMAT, "%lld bytes, expected %lld: something follows the end",
                                 (long long)size, (long long)h->bytes);
    return WARPLU_SUCCESS;
}

warplu_status wlu_saved_check_header(wlu_context *ctx, const char *name, const uint8_t *bytes, int64_t size)
{
    wlu_saved_header h;
    return take_header(ctx, name, bytes, size, &h);
}

/* ----------------------------------------------------------------- arrays */

/* p rises from 0 to last in count steps, by at least least. */
static warplu_status check_pointers(wlu_reader *r, const char *what, int32_t count, const int32_t *p, int32_t last,
                                    int32_t least)
{
    if (p[0] != 0 || p[count] != last)
        return WLU_READER_BAD(r, "%s: expected 0 to %d, found %d to %d", what, last, p[0], p[count]);
    for (int32_t k = 0; k < count; k++)
        if (p[k + 1] < p[k] || p[k + 1] > last || p[k + 1] - p[k] < least)
            return WLU_READER_BAD(r, "%s: expected to rise, found %d and then %d", what, p[k], p[k + 1]);
    return WARPLU_SUCCESS;
}

/* ---------------------------------------------------------------- pattern */

static warplu_status check_rows(wlu_reader *r, const wlu_pattern *a)
{
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j], last = -1; e < a->p[j + 1]; last = a->i[e++])
            if (a->i[e] <= last || a->i[e] >= a->n)
                return WLU_READER_BAD(r, "pattern: expected ascending rows up to %d in column %d, found %d after %d",
                                      a->n - 1, j, a->i[e], last);
    return WARPLU_SUCCESS;
}

/* Each place of the value array is loaded once; duplicates in the caller's order. */
static warplu_status take_map(wlu_reader *r, wlu_pattern *a)
{
    int duplicates = (r->h.flags & WLU_SAVED_DUPLICATES) != 0;
    warplu_status status = WARPLU_SUCCESS;
    if ((r->h.flags & WLU_SAVED_IDENTITY) != 0) return status; /* there are no duplicates then */
    if (duplicates) a->map_ptr = WLU_READER_TAKE(r, (int64_t)a->nnz + 1, int32_t);
    a->map = WLU_READER_TAKE(r, a->nvalues, int32_t);
    if (a->map == NULL || (duplicates && a->map_ptr == NULL)) return wlu_fail_memory(r->ctx, "saved pattern");
    if (duplicates) status = check_pointers(r, "duplicates", a->nnz, a->map_ptr, a->nvalues, 1);
    if (status == WARPLU_SUCCESS) status = wlu_reader_check_permutation(r, "map of values", a->nvalues, a->map);
    for (int32_t e = 0; duplicates && e < a->nnz && status == WARPLU_SUCCESS; e++)
        for (int32_t q = a->map_ptr[e] + 1; q < a->map_ptr[e + 1] && status == WARPLU_SUCCESS; q++)
            if (a->map[q] <= a->map[q - 1])
                status = WLU_READER_BAD(r, "duplicates: expected rising places, found %d after %d", a->map[q],
                                        a->map[q - 1]);
    return status;
}

static warplu_status take_pattern(wlu_reader *r)
{
    wlu_pattern *a = r->analysis->a = WLU_CALLOC(r->ctx, 1, wlu_pattern);
    if (a == NULL) return wlu_fail_memory(r->ctx, "saved pattern");
    a->n = r->h.n;
    a->nnz = r->h.nnz;
    a->nvalues = r->h.nvalues;
    a->doubles = (r->h.flags & WLU_SAVED_COMPLEX) != 0 ? 2 : 1;
    a->p = WLU_READER_TAKE(r, (int64_t)a->n + 1, int32_t);
    a->i = WLU_READER_TAKE(r, a->nnz, int32_t);
    if (a->p == NULL || a->i == NULL) return wlu_fail_memory(r->ctx, "saved pattern");
    warplu_status status = check_pointers(r, "columns", a->n, a->p, a->nnz, 0);
    if (status == WARPLU_SUCCESS) status = check_rows(r, a);
    return status == WARPLU_SUCCESS ? take_map(r, a) : status;
}

/* --------------------------------------------------------------- analysis */

static warplu_status take_blocks(wlu_reader *r)
{
    wlu_analysis *an = r->analysis;
    an->nblocks = r->h.nblocks;
    an->block = WLU_READER_TAKE(r, (int64_t)an->nblocks + 1, int32_t);
    if (an->block == NULL) return wlu_fail_memory(r->ctx, "saved blocks");
    warplu_status status = check_pointers(r, "blocks", an->nblocks, an->block, an->n, 1);
    for (int32_t b = 0; b < an->nblocks && status == WARPLU_SUCCESS; b++)
        if (an->block[b + 1] - an->block[b] > an->largest_block) an->largest_block = an->block[b + 1] - an->block[b];
    return status;
}

/* The first candidate that is not joined says which rows and columns make a block; no entry stands below the blocks. */
static warplu_status find_blocks(wlu_reader *r, const wlu_candidate *c)
{
    const wlu_analysis *an = r->analysis;
    const wlu_pattern *a = an->a;
    warplu_status status = wlu_reader_check_permutation(r, "order", an->n, c->row);
    if (status == WARPLU_SUCCESS) status = wlu_reader_check_permutation(r, "order", an->n, c->col);
    if (status < 0) return status;
    for (int32_t b = 0; b < an->nblocks; b++)
        for (int32_t k = an->block[b]; k < an->block[b + 1]; k++) r->row_block[c->row[k]] = r->col_block[c->col[k]] = b;
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
            if (r->row_block[a->i[e]] > r->col_block[j])
                return WLU_READER_BAD(r, "blocks: entry (%d, %d) stands below them", a->i[e], j);
    return WARPLU_SUCCESS;
}

static warplu_status take_candidate(wlu_reader *r, int32_t place)
{
    wlu_analysis *an = r->analysis;
    wlu_candidate *c = &an->candidate[place];
    int32_t whole[4];
    double real[4] = {0.0};
    int solves = (r->h.flags & WLU_SAVED_SOLVES) != 0;
    wlu_reader_take(r, whole, 4, sizeof *whole);
    wlu_reader_take(r, real, solves ? 4 : 3, sizeof *real);
    c->row = WLU_READER_TAKE(r, an->n, int32_t);
    c->col = WLU_READER_TAKE(r, an->n, int32_t);
    an->ncandidates++;
    if (c->row == NULL || c->col == NULL) return wlu_fail_memory(r->ctx, "saved orders");
    if (whole[0] == WARPLU_ORDERING_AUTO || wlu_ordering_get((warplu_ordering)whole[0]) == NULL || whole[1] < 0 ||
        whole[1] > 1 || whole[2] < 0 || whole[2] > an->n || whole[3] < 0 || whole[3] > (solves && an->nblocks > 1) ||
        !wlu_reader_is_count(real[0]) || !wlu_reader_is_count(real[1]) || !wlu_reader_is_count(real[2]) ||
        !wlu_reader_is_count(real[3]))
        return WLU_READER_BAD(
            r, "candidate %d: ordering %d, matched %d, height %d, joined %d, %g terms, %g entries, %g and %g ns", place,
            whole[0], whole[1], whole[2], whole[3], real[0], real[1], real[2], real[3]);
    c->ordering = (warplu_ordering)whole[0];
    c->matched = whole[1];
    c->height = whole[2];
    c->terms = real[0];
    c->lu_nnz = real[1];
    c->predicted_ns = real[2];
    c->solve_ns = real[3];
    c->joined = whole[3];
    if (r->blocks_found || c->joined) return wlu_reader_check_orders(r, "order", c->joined, c->row, c->col);
    r->blocks_found = 1;
    return find_blocks(r, c);
}

static warplu_status take_analysis(wlu_reader *r)
{
    wlu_analysis *an = r->analysis = WLU_CALLOC(r->ctx, 1, wlu_analysis);
    int32_t n = r->h.n;
    r->row_block = WLU_ALLOC(r->ctx, n, int32_t);
    r->col_block = WLU_ALLOC(r->ctx, n, int32_t);
    r->seen = WLU_ALLOC(r->ctx, r->h.nvalues > n ? r->h.nvalues : n, int32_t);
    if (an == NULL || r->row_block == NULL || r->col_block == NULL || r->seen == NULL)
        return wlu_fail_memory(r->ctx, "saved analysis");
    an->n = an->whole[1] = n;
    an->rows_are_final = (r->h.flags & WLU_SAVED_ROWS_FINAL) != 0;
    an->depth = (r->h.flags & WLU_SAVED_FIRST) != 0 ? WLU_DEPTH_FIRST : WLU_DEPTH_RACED;
    an->provisional = (r->h.flags & WLU_SAVED_PROVISIONAL) != 0;
    warplu_status status = take_pattern(r);
    if (status == WARPLU_SUCCESS) status = take_blocks(r);
    for (int32_t c = 0; c < r->h.ncandidates && status == WARPLU_SUCCESS; c++) status = take_candidate(r, c);
    if (status < 0) return status;
    if (!r->blocks_found) return WLU_READER_BAD(r, "no candidate of %d says what the blocks are", an->ncandidates);
    int given = an->candidate[0].ordering == WARPLU_ORDERING_GIVEN;
    if ((an->rows_are_final && (!given || an->nblocks != 1)) || (given && (an->ncandidates != 1 || an->provisional)))
        return WLU_READER_BAD(r, "given orders contradict the flags %x", r->h.flags);
    return WARPLU_SUCCESS;
}

warplu_status wlu_saved_decode(wlu_context *ctx, const char *name, const uint8_t *bytes, int64_t size,
                               wlu_analysis **analysis, wlu_pivots **pivots, wlu_saved_program *program)
{
    wlu_reader r = {.ctx = ctx, .name = name, .at = bytes + WLU_SAVED_HEADER_BYTES};
    uint32_t checksum;
    *analysis = NULL;
    *pivots = NULL;
    *program = wlu_saved_no_program;
    warplu_status status = take_header(ctx, name, bytes, size, &r.h);
    if (status < 0) return status;
    memcpy(&checksum, bytes + size - 4, sizeof checksum);
    if (checksum != wlu_saved_checksum(bytes, size))
        return WLU_READER_BAD(&r, "corrupt: expected the checksum %08x, found %08x", checksum,
                              wlu_saved_checksum(bytes, size));
    status = take_analysis(&r);
    if (status == WARPLU_SUCCESS && (r.h.flags & WLU_SAVED_PIVOTS)) status = wlu_reader_take_pivots(&r);
    wlu_free(ctx, r.row_block);
    wlu_free(ctx, r.col_block);
    wlu_free(ctx, r.seen);
    if (status < 0) {
        wlu_analysis_destroy(ctx, &r.analysis);
        wlu_pivots_destroy(ctx, &r.pivots);
    }
    *analysis = r.analysis;
    *pivots = r.pivots;
    if (status == WARPLU_SUCCESS && (r.h.flags & WLU_SAVED_PROGRAM))
        *program = (wlu_saved_program){r.at, bytes + size - 4 - r.at};
    return status;
}
