/* Regions of a solve in turn. See solve_stages.h.
 *
 * A block's stage is how many regions, at most, lie on a path of entries of F that leads to it; regions of one stage
 * need nothing of each other, and follow each other with empty parts of the stream between them. */
#include "lu/solve_stages.h"

typedef struct finder {
    const wlu_pivots *p;
    const wlu_program *program;
    wlu_triangular *t;
    wlu_solve_stages *out;
    wlu_solve_region *region; /* by block: its tiles, none if they are not solved for */
    int32_t *stage;           /* by block */
    int32_t *first, *next;    /* by stage: regions of earlier stages; the next of its regions */
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

/* Later blocks come first. A pivot's part is its stage for the time being. */
static void find_stages(const finder *f)
{
    const wlu_pivots *p = f->p;
    int32_t *stage = f->out->part;
    for (int32_t b = p->nblocks - 1; b >= 0; b--) {
        for (int32_t k = p->block[b]; k < p->block[b + 1]; k++)
            if (stage[k] > f->stage[b]) f->stage[b] = stage[k];
        int32_t behind = f->stage[b] + has_region(f, b);
        for (int64_t q = p->fp[p->block[b]]; q < p->fp[p->block[b + 1]]; q++)
            if (stage[p->fi[q]] < behind) stage[p->fi[q]] = behind;
        f->first[f->stage[b] + 1] += has_region(f, b);
    }
    for (int32_t s = 0; s <= p->nblocks; s++) f->first[s + 1] += f->first[s];
    for (int32_t s = 0; s <= p->nblocks; s++) f->next[s] = f->first[s];
}

static void take_turns(const finder *f)
{
    const wlu_pivots *p = f->p;
    for (int32_t b = p->nblocks - 1; b >= 0; b--) {
        int has = has_region(f, b);
        if (has) f->t->region[f->next[f->stage[b]]++] = f->region[b];
        for (int32_t k = p->block[b]; k < p->block[b + 1]; k++) {
            f->out->part[k] = f->first[f->stage[b]];
            f->out->part[p->n + k] = f->first[f->stage[b] + has];
            f->out->tiled[k] = has && wlu_lu_of(f->program)->tiled[k];
        }
    }
}

warplu_status wlu_solve_stages_find(wlu_context *ctx, const wlu_pivots *p, const wlu_program *program,
                                    wlu_triangular *t, wlu_solve_stages *out)
{
    int64_t blocks = p->nblocks;
    finder f = {.p = p, .program = program, .t = t, .out = out};
    out->tiled = WLU_ALLOC(ctx, p->n, uint8_t);
    out->part = WLU_CALLOC(ctx, 2 * (int64_t)p->n, int32_t);
    f.region = WLU_ALLOC(ctx, blocks, wlu_solve_region);
    f.stage = WLU_CALLOC(ctx, blocks, int32_t);
    f.first = WLU_CALLOC(ctx, blocks + 2, int32_t);
    f.next = WLU_ALLOC(ctx, blocks + 1, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (!out->tiled || !out->part || !f.region || !f.stage || !f.first || !f.next) {
        status = wlu_fail_memory(ctx, "regions of the solve");
    } else {
        find_regions(&f);
        find_stages(&f);
        t->region = WLU_ALLOC(ctx, t->regions, wlu_solve_region);
        if (t->region != NULL)
            take_turns(&f);
        else
            status = wlu_fail_memory(ctx, "regions of the solve");
    }
    wlu_free(ctx, f.region);
    wlu_free(ctx, f.stage);
    wlu_free(ctx, f.first);
    wlu_free(ctx, f.next);
    return status;
}

void wlu_solve_stages_free(wlu_context *ctx, wlu_solve_stages *turns)
{
    wlu_free(ctx, turns->tiled);
    wlu_free(ctx, turns->part);
    *turns = (wlu_solve_stages){0};
}
