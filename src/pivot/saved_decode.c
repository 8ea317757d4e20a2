/* Bytes to analysis and pivots, trusting nothing. See saved.h. */
#include "order/order.h"
#include "pivot/fill.h"
#include "pivot/saved.h"
#include "pivot/saved_format.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_EXPONENT = 1021, NAME_SHOWN = 200, TEXT_BYTES = 256 };

typedef struct reader {
    wlu_context *ctx;
    const char *name;
    const uint8_t *at; /* the next byte; the counts of the header say that all arrays fit */
    wlu_saved_header h;
    wlu_analysis *analysis;
    wlu_pivots *pivots;
    int32_t *row_block, *col_block; /* n: block of each row and column; all the first, once the pivots prove joined */
    int blocks_found;
    int32_t *seen; /* the larger of n and nvalues */
} reader;

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static warplu_status
refuse(wlu_context *ctx, const char *name, warplu_status status, const char *format, ...)
{
    char text[TEXT_BYTES];
    size_t length = strlen(name);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return wlu_fail(ctx, status, "%s: %s", length > NAME_SHOWN ? name + length - NAME_SHOWN : name, text);
}

#define BAD(r, ...) refuse((r)->ctx, (r)->name, WARPLU_BAD_FORMAT, __VA_ARGS__)

/* ----------------------------------------------------------------- header */

static int counts_are_possible(const wlu_saved_header *h)
{
    uint32_t f = h->flags;
    int64_t triangle = (int64_t)h->n * ((int64_t)h->n - 1) / 2;
    int duplicates = (f & WLU_SAVED_DUPLICATES) != 0, pivots = (f & WLU_SAVED_PIVOTS) != 0;
    return h->n >= 1 && h->nnz >= h->n && h->nblocks >= 1 && h->nblocks <= h->n && h->ncandidates >= 1 &&
           h->ncandidates <= WLU_CANDIDATES_MAX && (f & ~(uint32_t)WLU_SAVED_FLAGS) == 0 &&
           (duplicates ? h->nvalues > h->nnz : h->nvalues == h->nnz) && !(duplicates && (f & WLU_SAVED_IDENTITY)) &&
           (pivots || !(f & WLU_SAVED_COLUMN_SCALES)) && h->l_nnz >= 0 && h->u_nnz >= 0 && h->l_nnz <= triangle &&
           h->u_nnz <= triangle && (pivots || (h->l_nnz == 0 && h->u_nnz == 0));
}

static warplu_status take_header(wlu_context *ctx, const char *name, const uint8_t *bytes, int64_t size,
                                 wlu_saved_header *h)
{
    size_t known = size < 8 ? (size_t)size : 8;
    if (size == 0) return refuse(ctx, name, WARPLU_BAD_FORMAT, "expected a saved analysis, found an empty file");
    if (memcmp(bytes, WLU_SAVED_MAGIC, known) != 0)
        return refuse(ctx, name, WARPLU_BAD_FORMAT, "expected a saved analysis, found a file of another kind");
    if (size < WLU_SAVED_HEADER_BYTES)
        return refuse(ctx, name, WARPLU_BAD_FORMAT, "truncated: %lld bytes, expected %d for the header alone",
                      (long long)size, WLU_SAVED_HEADER_BYTES);
    memcpy(h, bytes, sizeof *h);
    if (h->order_mark == UINT32_C(0x04030201))
        return refuse(ctx, name, WARPLU_BAD_FORMAT, "expected this machine's byte order, found the other one");
    if (h->order_mark != WLU_SAVED_ORDER_MARK)
        return refuse(ctx, name, WARPLU_BAD_FORMAT, "expected the byte order mark %08x, found %08x",
                      WLU_SAVED_ORDER_MARK, h->order_mark);
    if (h->version != WLU_SAVED_VERSION)
        return refuse(ctx, name, WARPLU_VERSION_MISMATCH, "expected format version %d, found %u", WLU_SAVED_VERSION,
                      h->version);
    if (!counts_are_possible(h) || h->bytes != wlu_saved_header_total(h))
        return refuse(ctx, name, WARPLU_BAD_FORMAT, "the header's counts contradict each other");
    if (size < h->bytes)
        return refuse(ctx, name, WARPLU_BAD_FORMAT, "truncated: %lld bytes, expected %lld", (long long)size,
                      (long long)h->bytes);
    if (size > h->bytes)
        return refuse(ctx, name, WARPLU_BAD_FORMAT, "%lld bytes, expected %lld: something follows the end",
                      (long long)size, (long long)h->bytes);
    return WARPLU_SUCCESS;
}

warplu_status wlu_saved_check_header(wlu_context *ctx, const char *name, const uint8_t *bytes, int64_t size)
{
    wlu_saved_header h;
    return take_header(ctx, name, bytes, size, &h);
}

/* ----------------------------------------------------------------- arrays */

static void take(reader *r, void *to, int64_t count, size_t size)
{
    memcpy(to, r->at, (size_t)count * size);
    r->at += (size_t)count * size;
}

/* The next count elements in memory of their own, or NULL. */
static void *take_array(reader *r, int64_t count, size_t size)
{
    void *to = wlu_alloc(r->ctx, count, size);
    if (to != NULL) take(r, to, count, size);
    return to;
}

#define TAKE(r, count, type) ((type *)take_array((r), (count), sizeof(type)))

/* order[0 .. count) holds each of 0 .. count-1 once. */
static warplu_status check_permutation(reader *r, const char *what, int32_t count, const int32_t *order)
{
    memset(r->seen, 0, (size_t)count * sizeof *r->seen);
    for (int32_t k = 0; k < count; k++)
        if (order[k] < 0 || order[k] >= count || r->seen[order[k]]++)
            return BAD(r, "%s: expected each of 0 to %d once, found %d at %d", what, count - 1, order[k], k);
    return WARPLU_SUCCESS;
}

/* p rises from 0 to last in count steps, by at least least. */
static warplu_status check_pointers(reader *r, const char *what, int32_t count, const int32_t *p, int32_t last,
                                    int32_t least)
{
    if (p[0] != 0 || p[count] != last)
        return BAD(r, "%s: expected 0 to %d, found %d to %d", what, last, p[0], p[count]);
    for (int32_t k = 0; k < count; k++)
        if (p[k + 1] < p[k] || p[k + 1] > last || p[k + 1] - p[k] < least)
            return BAD(r, "%s: expected to rise, found %d and then %d", what, p[k], p[k + 1]);
    return WARPLU_SUCCESS;
}

/* ---------------------------------------------------------------- pattern */

static warplu_status check_rows(reader *r, const wlu_pattern *a)
{
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j], last = -1; e < a->p[j + 1]; last = a->i[e++])
            if (a->i[e] <= last || a->i[e] >= a->n)
                return BAD(r, "pattern: expected ascending rows up to %d in column %d, found %d after %d", a->n - 1, j,
                           a->i[e], last);
    return WARPLU_SUCCESS;
}

/* Each place of the value array is loaded once; duplicates in the caller's order. */
static warplu_status take_map(reader *r, wlu_pattern *a)
{
    int duplicates = (r->h.flags & WLU_SAVED_DUPLICATES) != 0;
    warplu_status status = WARPLU_SUCCESS;
    if (duplicates) a->map_ptr = TAKE(r, (int64_t)a->nnz + 1, int32_t);
    a->identity = (r->h.flags & WLU_SAVED_IDENTITY) != 0;
    a->map = a->identity ? WLU_ALLOC(r->ctx, a->nvalues, int32_t) : TAKE(r, a->nvalues, int32_t);
    if (a->map == NULL || (duplicates && a->map_ptr == NULL)) return wlu_fail_memory(r->ctx, "saved pattern");
    for (int32_t e = 0; a->identity && e < a->nvalues; e++) a->map[e] = e;
    if (duplicates) status = check_pointers(r, "duplicates", a->nnz, a->map_ptr, a->nvalues, 1);
    if (status == WARPLU_SUCCESS) status = check_permutation(r, "map of values", a->nvalues, a->map);
    for (int32_t e = 0; duplicates && e < a->nnz && status == WARPLU_SUCCESS; e++)
        for (int32_t q = a->map_ptr[e] + 1; q < a->map_ptr[e + 1] && status == WARPLU_SUCCESS; q++)
            if (a->map[q] <= a->map[q - 1])
                status = BAD(r, "duplicates: expected rising places, found %d after %d", a->map[q], a->map[q - 1]);
    return status;
}

static warplu_status take_pattern(reader *r)
{
    wlu_pattern *a = r->analysis->a = WLU_CALLOC(r->ctx, 1, wlu_pattern);
    if (a == NULL) return wlu_fail_memory(r->ctx, "saved pattern");
    a->n = r->h.n;
    a->nnz = r->h.nnz;
    a->nvalues = r->h.nvalues;
    a->p = TAKE(r, (int64_t)a->n + 1, int32_t);
    a->i = TAKE(r, a->nnz, int32_t);
    if (a->p == NULL || a->i == NULL) return wlu_fail_memory(r->ctx, "saved pattern");
    warplu_status status = check_pointers(r, "columns", a->n, a->p, a->nnz, 0);
    if (status == WARPLU_SUCCESS) status = check_rows(r, a);
    return status == WARPLU_SUCCESS ? take_map(r, a) : status;
}

/* --------------------------------------------------------------- analysis */

static warplu_status take_blocks(reader *r)
{
    wlu_analysis *an = r->analysis;
    an->nblocks = r->h.nblocks;
    an->block = TAKE(r, (int64_t)an->nblocks + 1, int32_t);
    if (an->block == NULL) return wlu_fail_memory(r->ctx, "saved blocks");
    warplu_status status = check_pointers(r, "blocks", an->nblocks, an->block, an->n, 1);
    for (int32_t b = 0; b < an->nblocks && status == WARPLU_SUCCESS; b++)
        if (an->block[b + 1] - an->block[b] > an->largest_block) an->largest_block = an->block[b + 1] - an->block[b];
    return status;
}

static int is_count(double x)
{
    return isfinite(x) && x >= 0.0;
}

/* Two permutations that put into each block the rows and columns that the first one put there; anywhere where blocks
 * are joined. */
static warplu_status check_orders(reader *r, const char *what, int joined, const int32_t *row, const int32_t *col)
{
    const wlu_analysis *an = r->analysis;
    warplu_status status = check_permutation(r, what, an->n, row);
    if (status == WARPLU_SUCCESS) status = check_permutation(r, what, an->n, col);
    for (int32_t b = 0; b < an->nblocks && !joined && status == WARPLU_SUCCESS; b++)
        for (int32_t k = an->block[b]; k < an->block[b + 1] && status == WARPLU_SUCCESS; k++)
            if (r->row_block[row[k]] != b || r->col_block[col[k]] != b)
                status = BAD(r, "%s: position %d holds a row or column of another block", what, k);
    return status;
}

/* The first candidate that is not joined says which rows and columns make a block; no entry stands below the blocks. */
static warplu_status find_blocks(reader *r, const wlu_candidate *c)
{
    const wlu_analysis *an = r->analysis;
    const wlu_pattern *a = an->a;
    warplu_status status = check_permutation(r, "order", an->n, c->row);
    if (status == WARPLU_SUCCESS) status = check_permutation(r, "order", an->n, c->col);
    if (status < 0) return status;
    for (int32_t b = 0; b < an->nblocks; b++)
        for (int32_t k = an->block[b]; k < an->block[b + 1]; k++) r->row_block[c->row[k]] = r->col_block[c->col[k]] = b;
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
            if (r->row_block[a->i[e]] > r->col_block[j])
                return BAD(r, "blocks: entry (%d, %d) stands below them", a->i[e], j);
    return WARPLU_SUCCESS;
}

static warplu_status take_candidate(reader *r, int32_t place)
{
    wlu_analysis *an = r->analysis;
    wlu_candidate *c = &an->candidate[place];
    int32_t whole[4];
    double real[4] = {0.0};
    int solves = (r->h.flags & WLU_SAVED_SOLVES) != 0;
    take(r, whole, 4, sizeof *whole);
    take(r, real, solves ? 4 : 3, sizeof *real);
    c->row = TAKE(r, an->n, int32_t);
    c->col = TAKE(r, an->n, int32_t);
    an->ncandidates++;
    if (c->row == NULL || c->col == NULL) return wlu_fail_memory(r->ctx, "saved orders");
    if (whole[0] == WARPLU_ORDERING_AUTO || wlu_ordering_get((warplu_ordering)whole[0]) == NULL || whole[1] < 0 ||
        whole[1] > 1 || whole[2] < 0 || whole[2] > an->n || whole[3] < 0 || whole[3] > (solves && an->nblocks > 1) ||
        !is_count(real[0]) || !is_count(real[1]) || !is_count(real[2]) || !is_count(real[3]))
        return BAD(r, "candidate %d: ordering %d, matched %d, height %d, joined %d, %g terms, %g entries, %g and %g ns",
                   place, whole[0], whole[1], whole[2], whole[3], real[0], real[1], real[2], real[3]);
    c->ordering = (warplu_ordering)whole[0];
    c->matched = whole[1];
    c->height = whole[2];
    c->terms = real[0];
    c->lu_nnz = real[1];
    c->predicted_ns = real[2];
    c->solve_ns = real[3];
    c->joined = whole[3];
    if (r->blocks_found || c->joined) return check_orders(r, "order", c->joined, c->row, c->col);
    r->blocks_found = 1;
    return find_blocks(r, c);
}

static warplu_status take_analysis(reader *r)
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
    an->provisional = (r->h.flags & WLU_SAVED_PROVISIONAL) != 0;
    warplu_status status = take_pattern(r);
    if (status == WARPLU_SUCCESS) status = take_blocks(r);
    for (int32_t c = 0; c < r->h.ncandidates && status == WARPLU_SUCCESS; c++) status = take_candidate(r, c);
    if (status < 0) return status;
    if (!r->blocks_found) return BAD(r, "no candidate of %d says what the blocks are", an->ncandidates);
    int given = an->candidate[0].ordering == WARPLU_ORDERING_GIVEN;
    if ((an->rows_are_final && (!given || an->nblocks != 1)) || (given && (an->ncandidates != 1 || an->provisional)))
        return BAD(r, "given orders contradict the flags %x", r->h.flags);
    return WARPLU_SUCCESS;
}

/* ----------------------------------------------------------------- pivots */

static warplu_status allocate_pivots(reader *r)
{
    int64_t n = r->h.n;
    wlu_pivots *p = r->pivots = WLU_CALLOC(r->ctx, 1, wlu_pivots);
    if (p == NULL) return wlu_fail_memory(r->ctx, "saved pivots");
    p->n = r->h.n;
    p->block = WLU_ALLOC(r->ctx, (int64_t)r->h.nblocks + 1, int32_t);
    p->row_pos = WLU_ALLOC(r->ctx, n, int32_t);
    p->col_pos = WLU_ALLOC(r->ctx, n, int32_t);
    p->lp = WLU_ALLOC(r->ctx, n + 1, int64_t);
    p->up = WLU_ALLOC(r->ctx, n + 1, int64_t);
    p->fp = WLU_ALLOC(r->ctx, n + 1, int64_t);
    p->row = TAKE(r, n, int32_t);
    p->col = WLU_ALLOC(r->ctx, n, int32_t);
    p->largest = TAKE(r, n, int32_t);
    p->row_largest = TAKE(r, n, int32_t);
    p->row_unit = TAKE(r, n, double);
    p->exponent = TAKE(r, n, int16_t);
    int scaled = (r->h.flags & WLU_SAVED_COLUMN_SCALES) != 0;
    if (scaled) p->col_exponent = TAKE(r, n, int16_t);
    if (!p->block || !p->row_pos || !p->col_pos || !p->lp || !p->up || !p->fp || !p->row || !p->col || !p->largest ||
        !p->row_largest || !p->row_unit || !p->exponent || (scaled && !p->col_exponent))
        return wlu_fail_memory(r->ctx, "saved pivots");
    return WARPLU_SUCCESS;
}

/* Widens [*least, *most] to hold the exponents. */
static void find_range(const int16_t *exponent, int32_t n, int *least, int *most)
{
    for (int32_t k = 0; exponent != NULL && k < n; k++) {
        if (exponent[k] < *least) *least = exponent[k];
        if (exponent[k] > *most) *most = exponent[k];
    }
}

/* Every scale, and every product of a row's and a column's, is a normal number. */
static warplu_status check_scales(reader *r)
{
    const wlu_pivots *p = r->pivots;
    int least = p->exponent[0], most = p->exponent[0], col_least = 0, col_most = 0;
    find_range(p->exponent, p->n, &least, &most);
    find_range(p->col_exponent, p->n, &col_least, &col_most);
    int low = least < 0 ? least + col_least : col_least, high = most > 0 ? most + col_most : col_most;
    if (low < -LARGEST_EXPONENT || high > LARGEST_EXPONENT)
        return BAD(r, "scales: expected exponents within %d, found %d to %d", LARGEST_EXPONENT, low, high);
    return WARPLU_SUCCESS;
}

/* Infinity too: what would bring the least denormal number to 1. */
static int is_power_of_two(double x)
{
    int exponent;
    return x > 0.0 && (isinf(x) || frexp(x, &exponent) == 0.5);
}

/* The yardsticks are entries of their column and row. A column's stands in its block, but for columns that were zero
 * there: their growth was 0. */
static warplu_status check_yardsticks(reader *r)
{
    const wlu_pivots *p = r->pivots;
    const wlu_pattern *a = r->analysis->a;
    for (int32_t k = 0; k < p->n; k++) {
        int32_t j = p->col[k], e = p->largest[k], in_row = p->row_largest[k];
        int there = e >= a->p[j] && e < a->p[j + 1];
        if (!there || (r->row_block[a->i[e]] != r->col_block[j] && !(e == a->p[j] && p->quality.growth == 0.0)))
            return BAD(r, "pivot %d: expected its column's largest entry, found entry %d", k, e);
        if (in_row < 0 || in_row >= a->nnz || a->i[in_row] != p->row[k] || !is_power_of_two(p->row_unit[k]))
            return BAD(r, "pivot %d: expected its row's largest entry and a power of two, found entry %d and %g", k,
                       in_row, p->row_unit[k]);
    }
    return WARPLU_SUCCESS;
}

/* The candidate gives the columns; the rows stay in their blocks. */
static warplu_status take_choice(reader *r, const int32_t *whole, const double *real)
{
    wlu_pivots *p = r->pivots;
    if (whole[0] < 0 || whole[0] >= r->analysis->ncandidates || whole[1] < WLU_ROWS_UNSCALED ||
        whole[1] > WLU_BOTH_SCALED)
        return BAD(r, "pivots: candidate %d, scales %d", whole[0], whole[1]);
    if (!(real[0] >= 0.0 && real[0] <= 1.0) || !is_count(real[1]) || !is_count(real[2]) || !(real[3] > 0.0) ||
        !(real[2] >= real[3]) || !(real[4] >= 1.0) || !(real[5] >= 1.0) || !(real[6] >= 1.0) || !(real[7] >= 1.0))
        return BAD(r, "pivots: growth %g, largest l %g, u %g, smallest pivot %g, spreads %g, %g, %g and %g", real[0],
                   real[1], real[2], real[3], real[4], real[5], real[6], real[7]);
    const wlu_candidate *c = &r->analysis->candidate[whole[0]];
    p->nblocks = wlu_analysis_nblocks(r->analysis, c);
    memcpy(p->block, wlu_analysis_blocks(r->analysis, c), ((size_t)p->nblocks + 1) * sizeof *p->block);
    p->candidate = whole[0];
    p->scales = (wlu_scales)whole[1];
    p->ordering = c->ordering;
    p->predicted_terms = c->terms;
    p->quality = (wlu_pivot_quality){.growth = real[0],
                                     .largest_l = real[1],
                                     .largest_u = real[2],
                                     .smallest_pivot = real[3],
                                     .row_spread = real[4],
                                     .col_spread = real[5],
                                     .row_scale_spread = real[6],
                                     .col_scale_spread = real[7]};
    p->bound[0] = p->bound[1] = wlu_bound_unknown();
    memcpy(p->col, c->col, (size_t)p->n * sizeof *p->col);
    for (int32_t k = 0; k < p->n && c->joined; k++) r->row_block[k] = r->col_block[k] = 0;
    return check_orders(r, "pivots", c->joined, p->row, p->col);
}

/* Patterns of L, U and F, as many entries as announced. */
static warplu_status find_patterns(reader *r)
{
    wlu_pivots *p = r->pivots;
    wlu_context quiet = *r->ctx;
    quiet.message = NULL;
    warplu_status status = wlu_pivots_find_patterns(&quiet, r->analysis->a, r->h.l_nnz, r->h.u_nnz, p);
    if (status == WARPLU_BAD_FORMAT) return BAD(r, "%s", quiet.last_message);
    if (status < 0) return wlu_fail(r->ctx, status, "%s", quiet.last_message);
    if (p->lp[p->n] != r->h.l_nnz || p->up[p->n] != r->h.u_nnz)
        return BAD(r, "expected %lld entries of L and %lld of U, found %lld and %lld", (long long)r->h.l_nnz,
                   (long long)r->h.u_nnz, (long long)p->lp[p->n], (long long)p->up[p->n]);
    return WARPLU_SUCCESS;
}

static warplu_status take_pivots(reader *r)
{
    int32_t whole[2];
    double real[8];
    take(r, whole, 2, sizeof *whole);
    take(r, real, 8, sizeof *real);
    warplu_status status = allocate_pivots(r);
    if (status == WARPLU_SUCCESS) status = take_choice(r, whole, real);
    if (status == WARPLU_SUCCESS) status = check_scales(r);
    if (status == WARPLU_SUCCESS) status = check_yardsticks(r);
    if (status < 0) return status;
    for (int32_t k = 0; k < r->h.n; k++) {
        r->pivots->row_pos[r->pivots->row[k]] = k;
        r->pivots->col_pos[r->pivots->col[k]] = k;
    }
    return find_patterns(r);
}

warplu_status wlu_saved_decode(wlu_context *ctx, const char *name, const uint8_t *bytes, int64_t size,
                               wlu_analysis **analysis, wlu_pivots **pivots)
{
    reader r = {.ctx = ctx, .name = name, .at = bytes + WLU_SAVED_HEADER_BYTES};
    uint32_t checksum;
    *analysis = NULL;
    *pivots = NULL;
    warplu_status status = take_header(ctx, name, bytes, size, &r.h);
    if (status < 0) return status;
    memcpy(&checksum, bytes + size - 4, sizeof checksum);
    if (checksum != wlu_saved_checksum(bytes, size))
        return BAD(&r, "corrupt: expected the checksum %08x, found %08x", checksum, wlu_saved_checksum(bytes, size));
    status = take_analysis(&r);
    if (status == WARPLU_SUCCESS && (r.h.flags & WLU_SAVED_PIVOTS)) status = take_pivots(&r);
    wlu_free(ctx, r.row_block);
    wlu_free(ctx, r.col_block);
    wlu_free(ctx, r.seen);
    if (status < 0) {
        wlu_analysis_destroy(ctx, &r.analysis);
        wlu_pivots_destroy(ctx, &r.pivots);
    }
    *analysis = r.analysis;
    *pivots = r.pivots;
    return status;
}
