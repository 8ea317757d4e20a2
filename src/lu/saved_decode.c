/* From a section to a program, trusting nothing. See saved.h. */
#include "lu/saved.h"

#include <string.h>

#include "lu/compile.h"
#include "pivot/saved_reader.h"

#define BAD(ctx, saved, ...) wlu_reader_refuse((ctx), (saved)->name, WARPLU_BAD_FORMAT, __VA_ARGS__)

static int counts_are_possible(const wlu_saved_lu *h, int32_t n)
{
    return h->parts >= 1 && h->parts <= WLU_PARTS_MOST && h->tiled >= 0 && h->tiled <= n && h->tiles >= 0 &&
           h->tiles <= h->tiled && (h->transposed == 0 || h->transposed == 1) && wlu_reader_is_count(h->predicted_ns);
}

static const uint8_t *take(const uint8_t **at, int64_t bytes)
{
    const uint8_t *taken = *at;
    *at += bytes;
    return taken;
}

warplu_status wlu_lu_saved_open(wlu_context *ctx, const char *name, wlu_saved_program bytes, int32_t n, int32_t threads,
                                const wlu_cost *cost, wlu_lu_saved *out, int *fits)
{
    wlu_saved_lu *h = &out->h;
    *out = (wlu_lu_saved){.name = name};
    *fits = 0;
    if (bytes.count < (int64_t)sizeof *h)
        return BAD(ctx, out, "program: %lld bytes, expected %d for its header alone", (long long)bytes.count,
                   (int)sizeof *h);
    memcpy(h, bytes.bytes, sizeof *h);
    if (h->version != WLU_SAVED_LU_VERSION) return WARPLU_SUCCESS;
    if (!counts_are_possible(h, n) || wlu_saved_lu_bytes(h, n) != bytes.count)
        return BAD(ctx, out, "program: its header's counts contradict each other");
    const uint8_t *at = bytes.bytes + sizeof *h;
    out->position = take(&at, 4 * (int64_t)h->tiled);
    out->first = take(&at, 4 * ((int64_t)h->tiles + 1));
    out->part = take(&at, h->parts > 1 ? n : 0);
    out->owner = take(&at, h->parts > 1 ? h->tiles : 0);
    *fits = h->threads == threads && h->target == wlu_cost_fingerprint(cost);
    return WARPLU_SUCCESS;
}

/* ----------------------------------------------------------------- region */

/* Pivots and tiles of the region: each pivot once, tiles in the order of their diagonal blocks and each in one. local:
 * n, the place of each pivot in the region, -1 elsewhere. */
static warplu_status take_tiles(const wlu_compiler *c, wlu_symbolic *s, int32_t *local)
{
    const wlu_pivots *p = c->p;
    const wlu_lu_saved *saved = c->saved;
    int32_t block = 0;
    memcpy(s->position, saved->position, (size_t)s->m * sizeof *s->position);
    memcpy(s->first, saved->first, ((size_t)s->ntiles + 1) * sizeof *s->first);
    memset(s->tiled, 0, (size_t)p->n);
    for (int32_t k = 0; k < p->n; k++) local[k] = -1;
    if (s->first[0] != 0 || s->first[s->ntiles] != s->m)
        return BAD(c->ctx, saved, "program: tiles of pivots %d to %d, expected 0 to %d", s->first[0],
                   s->first[s->ntiles], s->m);
    for (int32_t t = 0; t < s->ntiles; t++) {
        int32_t begin = s->first[t], end = s->first[t + 1];
        if (end <= begin || end > s->m || end - begin > WLU_TILE_WIDTH)
            return BAD(c->ctx, saved, "program: tile %d has pivots %d to %d", t, begin, end);
        for (int32_t at = begin; at < end; at++) {
            int32_t k = s->position[at];
            if (k < 0 || k >= p->n || local[k] >= 0) return BAD(c->ctx, saved, "program: tile %d has pivot %d", t, k);
            while (at == begin && block + 1 < p->nblocks && k >= p->block[block + 1]) block++;
            if (k < p->block[block] || k >= p->block[block + 1])
                return BAD(c->ctx, saved, "program: tile %d of block %d has pivot %d", t, block, k);
            local[k] = at;
            s->tiled[k] = 1;
        }
    }
    return WARPLU_SUCCESS;
}

/* What pivot j needs, pivot i, i < j: i is of the region only where j is, and then before it; and of the same part, or
 * j of the top. */
static int is_in_order(const wlu_symbolic *s, const int32_t *local, int32_t i, int32_t j)
{
    const int32_t *part = s->cut.part;
    return (local[i] < 0 || local[i] < local[j]) && (part == NULL || part[i] == part[j] || part[j] == s->parts);
}

/* Column k of U says which pivots its own needs, column k of L whose rows need it. */
static warplu_status check_region(const wlu_compiler *c, const wlu_symbolic *s, const int32_t *local)
{
    const wlu_pivots *p = c->p;
    for (int32_t k = 0; k < p->n; k++) {
        for (int64_t q = p->up[k]; q < p->up[k + 1]; q++)
            if (!is_in_order(s, local, p->ui[q], k))
                return BAD(c->ctx, c->saved, "program: pivot %d comes before %d, which it needs", k, p->ui[q]);
        for (int64_t q = p->lp[k]; q < p->lp[k + 1]; q++)
            if (!is_in_order(s, local, k, p->li[q]))
                return BAD(c->ctx, c->saved, "program: pivot %d comes before %d, which it needs", p->li[q], k);
    }
    return WARPLU_SUCCESS;
}

/* Tiles stay in one part; those below the top are eliminated by theirs. */
static warplu_status take_parts(const wlu_compiler *c, wlu_symbolic *s)
{
    wlu_cut *cut = &s->cut;
    for (int32_t k = 0; k < c->p->n; k++) {
        cut->part[k] = c->saved->part[k];
        if (cut->part[k] > s->parts) return BAD(c->ctx, c->saved, "program: pivot %d of part %d", k, cut->part[k]);
    }
    for (int32_t t = 0; t < s->ntiles; t++) {
        int32_t part = cut->tile_part[t] = cut->part[s->position[s->first[t]]], owner = c->saved->owner[t];
        int alike = owner < s->parts && (part == s->parts || part == owner);
        cut->owner[t] = owner;
        for (int32_t at = s->first[t]; at < s->first[t + 1]; at++) alike = alike && cut->part[s->position[at]] == part;
        if (!alike) return BAD(c->ctx, c->saved, "program: tile %d of part %d, owner %d", t, part, owner);
    }
    return WARPLU_SUCCESS;
}

static warplu_status allocate(const wlu_compiler *c, wlu_symbolic *s, int32_t **local)
{
    int64_t n = c->p->n;
    wlu_cut *cut = &s->cut;
    s->tiled = WLU_ALLOC(c->ctx, n, uint8_t);
    s->position = WLU_ALLOC(c->ctx, s->m, int32_t);
    s->first = WLU_ALLOC(c->ctx, (int64_t)s->ntiles + 1, int32_t);
    *local = WLU_ALLOC(c->ctx, n, int32_t);
    int there = s->tiled != NULL && s->position != NULL && s->first != NULL && *local != NULL;
    if (s->parts > 1) {
        cut->part = WLU_ALLOC(c->ctx, n, int32_t);
        cut->tile_part = WLU_ALLOC(c->ctx, s->ntiles, int32_t);
        cut->owner = WLU_ALLOC(c->ctx, s->ntiles, int32_t);
        there = there && cut->part != NULL && cut->tile_part != NULL && cut->owner != NULL;
    }
    return there ? WARPLU_SUCCESS : wlu_fail_memory(c->ctx, "saved program");
}

warplu_status wlu_lu_saved_symbolic(const wlu_compiler *c, wlu_symbolic *s)
{
    const wlu_saved_lu *h = &c->saved->h;
    int32_t *local;
    *s = (wlu_symbolic){.m = h->tiled, .ntiles = h->tiles, .parts = h->parts, .predicted_ns = h->predicted_ns};
    if (s->parts > 1 && wlu_target_is_latency_bound(c->cost))
        return BAD(c->ctx, c->saved, "program: %d parts for a target that takes one", s->parts);
    warplu_status status = allocate(c, s, &local);
    if (status == WARPLU_SUCCESS) status = take_tiles(c, s, local);
    if (status == WARPLU_SUCCESS && s->parts > 1) status = take_parts(c, s);
    if (status == WARPLU_SUCCESS) status = check_region(c, s, local);
    wlu_free(c->ctx, local);
    return status;
}

warplu_status wlu_lu_restore(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                             const wlu_pattern *pattern, const wlu_pivots *pivots, const wlu_lu_saved *saved,
                             wlu_program **out)
{
    warplu_status status = wlu_lu_create(ctx, options, cost, pattern, pivots, saved, out);
    if (status == WARPLU_SUCCESS && saved->h.transposed) status = wlu_lu_compile_transposed(ctx, pattern, pivots, *out);
    if (status < 0 || wlu_program_factor_bytes(*out) > options->max_program_bytes) wlu_program_destroy(ctx, out);
    return status;
}
