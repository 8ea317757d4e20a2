/* Building the COLUMN region: local numbering, supernodes, panels, segments, slots. See program.h for the form.
 * O(entries of the region) time and 4 bytes a row of a supernode, 8 a segment. */
#include "program/region.h"

#include "program/symbolic.h"

#include <string.h>

/* Local index of each position of the region, -1 elsewhere; fills c->position. */
static void number(const wlu_program *program, wlu_columns *c, int32_t *local)
{
    c->m = 0;
    for (int32_t k = 0; k < program->n; k++) {
        local[k] = program->columned[k] ? c->m : -1;
        if (program->columned[k]) c->position[c->m++] = k;
    }
}

/* Supernodes and their rows; panels are given slots from *next on. */
static warplu_status build_supernodes(wlu_context *ctx, const wlu_pivots *p, const int32_t *local, wlu_columns *c)
{
    for (int32_t at = 0; at < c->m; at++) {
        if (at == 0 || !wlu_supernode_continues(p, c->position[at - 1])) c->first[c->nsuper++] = at;
        c->super[at] = c->nsuper - 1;
    }
    c->first[c->nsuper] = c->m;
    c->rows_ptr[0] = 0;
    for (int32_t s = 0; s < c->nsuper; s++) {
        int32_t last = c->position[c->first[s + 1] - 1];
        c->rows_ptr[s + 1] = c->rows_ptr[s] + (p->lp[last + 1] - p->lp[last]);
    }
    c->rows = WLU_ALLOC(ctx, c->rows_ptr[c->nsuper], int32_t);
    if (c->rows == NULL) return wlu_fail_memory(ctx, "rows of the supernodes");
    for (int32_t s = 0; s < c->nsuper; s++) {
        int32_t last = c->position[c->first[s + 1] - 1];
        const int32_t *from = p->li + p->lp[last];
        for (int64_t q = 0; q < c->rows_ptr[s + 1] - c->rows_ptr[s]; q++)
            c->rows[c->rows_ptr[s] + q] = local[from[q]];
    }
    return WARPLU_SUCCESS;
}

/* Segments of column at: counted (fill == 0) or written; values of other supernodes get slots from *next on. */
static int walk_segments(const wlu_pivots *p, const wlu_program *program, const int32_t *local, wlu_columns *c,
                         int32_t at, int fill, int64_t *segments, int64_t *next)
{
    int32_t j = c->position[at], own = c->super[at], open = -1, expected = -1;
    int64_t u0 = 2 * (int64_t)p->n + p->lp[p->n];
    for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
        int32_t k = local[p->ui[q]];
        if (k < 0) continue;
        int32_t s = c->super[k];
        if (s != open) {
            if (open >= 0 && open != own && expected != c->first[open + 1]) return 0;
            open = s;
            if (s == own) {
                if (fill) c->own_first[at] = k;
            } else {
                if (fill) {
                    c->seg_super[*segments] = s;
                    c->seg_first[*segments] = k;
                }
                ++*segments;
            }
        } else if (k != expected) {
            return 0;
        }
        expected = k + 1;
        if (s != own && fill) program->slot[u0 + q] = (int32_t)(*next)++;
    }
    return open < 0 || expected == c->first[open + 1] || (open == own && expected == at);
}

static warplu_status build_segments(wlu_context *ctx, const wlu_pivots *p, const wlu_program *program,
                                    const int32_t *local, wlu_columns *c, int64_t *next)
{
    int64_t segments = 0;
    for (int32_t at = 0; at < c->m; at++) {
        c->seg_ptr[at] = segments;
        if (!walk_segments(p, program, local, c, at, 0, &segments, next))
            return wlu_fail(ctx, WARPLU_INTERNAL, "column %d of U breaks its supernodes", c->position[at]);
    }
    c->seg_ptr[c->m] = segments;
    c->seg_super = WLU_ALLOC(ctx, segments, int32_t);
    c->seg_first = WLU_ALLOC(ctx, segments, int32_t);
    if (c->seg_super == NULL || c->seg_first == NULL) return wlu_fail_memory(ctx, "segments of the columns");
    segments = 0;
    for (int32_t at = 0; at < c->m; at++) {
        c->own_first[at] = at;
        c->ubase[at] = *next;
        walk_segments(p, program, local, c, at, 1, &segments, next);
    }
    return WARPLU_SUCCESS;
}

/* Panels, and in them the slots of L, of the pivots and of U's diagonal blocks. */
static void place_panels(const wlu_pivots *p, const wlu_program *program, const int32_t *local, wlu_columns *c,
                         int64_t *next)
{
    int64_t l0 = 2 * (int64_t)p->n, u0 = l0 + p->lp[p->n];
    for (int32_t s = 0; s < c->nsuper; s++) {
        int32_t begin = c->first[s], width = c->first[s + 1] - begin;
        int64_t ld = width + (c->rows_ptr[s + 1] - c->rows_ptr[s]);
        c->panel[s] = *next;
        for (int32_t col = 0; col < width; col++) {
            int32_t j = c->position[begin + col];
            int64_t top = *next + col * ld;
            program->slot[j] = (int32_t)(top + col);
            for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++)
                program->slot[l0 + q] = (int32_t)(top + col + 1 + (q - p->lp[j]));
            for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
                int32_t k = local[p->ui[q]];
                if (k >= begin) program->slot[u0 + q] = (int32_t)(top + (k - begin));
            }
            int64_t below = p->lp[j + 1] - p->lp[j];
            for (int32_t k = c->own_first[begin + col]; k < begin + col; k++)
                c->terms += below + (begin + col - k);
        }
        *next += ld * width;
    }
}

/* Terms of segments; those inside panels were added by place_panels. */
static void count_terms(wlu_columns *c)
{
    for (int32_t at = 0; at < c->m; at++)
        for (int64_t g = c->seg_ptr[at]; g < c->seg_ptr[at + 1]; g++) {
            int32_t s = c->seg_super[g];
            int64_t w = c->first[s + 1] - c->seg_first[g];
            c->terms += w * (w - 1) / 2 + w * (c->rows_ptr[s + 1] - c->rows_ptr[s]);
        }
}

static warplu_status allocate(wlu_context *ctx, int64_t m, wlu_columns *c)
{
    c->position = WLU_ALLOC(ctx, m, int32_t);
    c->first = WLU_ALLOC(ctx, m + 1, int32_t);
    c->super = WLU_ALLOC(ctx, m, int32_t);
    c->rows_ptr = WLU_ALLOC(ctx, m + 1, int64_t);
    c->panel = WLU_ALLOC(ctx, m, int64_t);
    c->seg_ptr = WLU_ALLOC(ctx, m + 1, int64_t);
    c->ubase = WLU_ALLOC(ctx, m, int64_t);
    c->own_first = WLU_ALLOC(ctx, m, int32_t);
    if (!c->position || !c->first || !c->super || !c->rows_ptr || !c->panel || !c->seg_ptr || !c->ubase ||
        !c->own_first)
        return wlu_fail_memory(ctx, "COLUMN region");
    return WARPLU_SUCCESS;
}

warplu_status wlu_region_build(wlu_context *ctx, const wlu_pivots *p, wlu_program *program, int64_t *next)
{
    wlu_columns *c = &program->columns;
    int64_t m = 0;
    for (int32_t k = 0; k < p->n; k++) m += program->columned[k];
    int32_t *local = WLU_ALLOC(ctx, p->n, int32_t);
    if (local == NULL) return wlu_fail_memory(ctx, "COLUMN region");
    warplu_status status = allocate(ctx, m, c);
    if (status < 0) goto done;
    number(program, c, local);
    status = build_supernodes(ctx, p, local, c);
    if (status < 0) goto done;
    program->segments = *next;
    status = build_segments(ctx, p, program, local, c, next);
    if (status < 0) goto done;
    program->panels = *next;
    place_panels(p, program, local, c, next);
    count_terms(c);
    if (*next > INT32_MAX)
        status = wlu_fail(ctx, WARPLU_OVERFLOW, "%lld slots exceed the 32-bit slot width", (long long)*next);
done:
    wlu_free(ctx, local);
    return status;
}

void wlu_region_free(wlu_context *ctx, wlu_columns *c)
{
    void *owned[] = {c->position, c->first,     c->super,     c->rows_ptr, c->rows,     c->panel,
                     c->seg_ptr,  c->seg_super, c->seg_first, c->ubase,    c->own_first};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    memset(c, 0, sizeof *c);
}

int64_t wlu_region_bytes(const wlu_columns *c)
{
    if (c->m == 0) return 0;
    return (int64_t)c->m * 28 + (int64_t)c->nsuper * 20 + 4 * c->rows_ptr[c->nsuper] + 8 * c->seg_ptr[c->m];
}
