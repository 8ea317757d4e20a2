/* Regions of a solve in turn. See solve_regions.h.
 *
 * A block's depth is how many regions, at most, lie on a path of entries of F that leads to it; regions of one depth
 * need nothing of each other, and follow each other with empty segments of the stream between them. */
#include "lu/solve_regions.h"

typedef struct finder {
    const wlu_pivots *p;
    const wlu_program *program;
    wlu_triangular *t;
    wlu_solve_regions *out;
    wlu_solve_region *region; /* by block: its tiles, none if they are not solved for */
    int32_t *depth;           /* by block */
    int32_t *first, *next;    /* by depth: regions of lower depths; the next of its regions */
} finder;

static int has_region(const finder *f, int32_t block)
{
    return f->region[block].end > f->region[block].begin;
}

/* Tiles stay in one block. */
static void find_regions(const finder *f)
{
    const wlu_tiles *tiles = &wlu_lu_of(f->program)->tiles;
    int32_t at = 0;
    for (int32_t b = 0; b < f->p->nblocks; b++) {
        wlu_solve_region r = {.begin = at, .end = at};
        while (r.end < tiles->count && tiles->position[tiles->first[r.end]] < f->p->block[b + 1]) r.end++;
        at = r.end;
        if (r.end > r.begin && tiles->first[r.end] - tiles->first[r.begin] < f->program->cost->solve_pivots)
            r.end = r.begin;
        if (r.end > r.begin) {
            r.first = tiles->first[r.begin];
            r.behind = tiles->first[r.end];
        }
        f->region[b] = r;
        f->t->regions += r.end > r.begin;
    }
}

/* Later blocks come first. A pivot's segment is its depth for the time being. */
static void find_depths(const finder *f)
{
    const wlu_pivots *p = f->p;
    int32_t *depth = f->out->segment;
    for (int32_t b = p->nblocks - 1; b >= 0; b--) {
        for (int32_t k = p->block[b]; k < p->block[b + 1]; k++)
            if (depth[k] > f->depth[b]) f->depth[b] = depth[k];
        int32_t behind = f->depth[b] + has_region(f, b);
        for (int64_t q = p->fp[p->block[b]]; q < p->fp[p->block[b + 1]]; q++)
            if (depth[p->fi[q]] < behind) depth[p->fi[q]] = behind;
        f->first[f->depth[b] + 1] += has_region(f, b);
    }
    for (int32_t s = 0; s <= p->nblocks; s++) f->first[s + 1] += f->first[s];
    for (int32_t s = 0; s <= p->nblocks; s++) f->next[s] = f->first[s];
}

static void take_turns(const finder *f)
{
    const wlu_pivots *p = f->p;
    for (int32_t b = p->nblocks - 1; b >= 0; b--) {
        int has = has_region(f, b);
        if (has) f->t->region[f->next[f->depth[b]]++] = f->region[b];
        for (int32_t k = p->block[b]; k < p->block[b + 1]; k++) {
            f->out->segment[k] = f->first[f->depth[b]];
            f->out->segment[p->n + k] = f->first[f->depth[b] + has];
            f->out->tiled[k] = has && wlu_lu_of(f->program)->tiled[k];
        }
    }
}

warplu_status wlu_solve_regions_find(wlu_context *ctx, const wlu_pivots *p, const wlu_program *program,
                                     wlu_triangular *t, wlu_solve_regions *out)
{
    int64_t blocks = p->nblocks;
    finder f = {.p = p, .program = program, .t = t, .out = out};
    out->tiled = WLU_ALLOC(ctx, p->n, uint8_t);
    out->segment = WLU_CALLOC(ctx, 2 * (int64_t)p->n, int32_t);
    f.region = WLU_ALLOC(ctx, blocks, wlu_solve_region);
    f.depth = WLU_CALLOC(ctx, blocks, int32_t);
    f.first = WLU_CALLOC(ctx, blocks + 2, int32_t);
    f.next = WLU_ALLOC(ctx, blocks + 1, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (!out->tiled || !out->segment || !f.region || !f.depth || !f.first || !f.next) {
        status = wlu_fail_memory(ctx, "regions of the solve");
    } else {
        find_regions(&f);
        find_depths(&f);
        t->region = WLU_ALLOC(ctx, t->regions, wlu_solve_region);
        if (t->region != NULL)
            take_turns(&f);
        else
            status = wlu_fail_memory(ctx, "regions of the solve");
    }
    wlu_free(ctx, f.region);
    wlu_free(ctx, f.depth);
    wlu_free(ctx, f.first);
    wlu_free(ctx, f.next);
    return status;
}

void wlu_solve_regions_free(wlu_context *ctx, wlu_solve_regions *regions)
{
    wlu_free(ctx, regions->tiled);
    wlu_free(ctx, regions->segment);
    *regions = (wlu_solve_regions){0};
}
