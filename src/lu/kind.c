/* The kind of programs that LU compiles: what it owns, its bytes, its names. See lu.h. */
#include "lu/lu.h"

#include "lu/panels.h"
#include "lu/verify.h"

const wlu_lu wlu_lu_none = {0};

static void destroy(wlu_context *ctx, void *own)
{
    wlu_lu *lu = own;
    wlu_guards *g = &lu->guard;
    void *owned[] = {lu->tiled, g->u_column, g->column, g->a_source, g->a_scale, g->row_scale};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    wlu_panels_free(ctx, &lu->tiles);
    wlu_rounds_free(ctx, &lu->rounds);
    wlu_free(ctx, lu->line);
    wlu_free(ctx, lu);
}

static int64_t bytes(const wlu_program *p)
{
    const wlu_lu *lu = wlu_lu_of(p);
    const wlu_guards *g = &lu->guard;
    int64_t guards = 4 * g->count + 16 * (int64_t)g->n + 4 * (int64_t)g->entries;
    return wlu_panels_bytes(&lu->tiles) + guards + 56 * (int64_t)p->n;
}

static void name_column(wlu_slot_name *names, const int32_t *slot, char kind, int64_t base, const int64_t *cp,
                        const int32_t *ci, int32_t j)
{
    for (int64_t q = cp[j]; q < cp[j + 1]; q++) names[slot[base + q]] = (wlu_slot_name){kind, ci[q], j};
}

static void name_slots(const wlu_program *program, const void *naming, wlu_slot_name *names)
{
    const wlu_pivots *p = naming;
    wlu_layout o = wlu_layout_of(p, 0);
    const int32_t *slot = program->slot;
    for (int32_t j = 0; j < p->n; j++) {
        name_column(names, slot, 'l', o.l, p->lp, p->li, j);
        name_column(names, slot, 'u', o.u, p->up, p->ui, j);
        name_column(names, slot, 'f', o.f, p->fp, p->fi, j);
        names[slot[j]] = (wlu_slot_name){'d', j, -1};
        names[slot[o.reciprocal + j]] = (wlu_slot_name){'r', j, -1};
        names[program->y + j] = (wlu_slot_name){'y', p->row_pos[program->solve.load.source[j]], -1};
        names[program->x + j] = (wlu_slot_name){'x', p->col_pos[program->solve.index[j]], -1};
    }
}

static void put_pivots(const wlu_tiles *t, int32_t first, int32_t last, FILE *file)
{
    for (int32_t at = first; at <= last; at++) fprintf(file, " %d", t->position[at]);
}

/* A tile's pivots, its rows of L, and by which pivots of which tiles it is updated. */
static void put_tiles(const wlu_tiles *t, FILE *file)
{
    for (int32_t k = 0; k < t->count; k++) {
        fprintf(file, "  TILE %d: pivots", k);
        put_pivots(t, t->first[k], t->first[k + 1] - 1, file);
        fprintf(file, ", rows");
        for (int64_t q = t->row_ptr[k] + t->above[k]; q < t->row_ptr[k + 1]; q++)
            fprintf(file, " %d", t->position[t->row[q]]);
        fprintf(file, "\n");
        for (int64_t g = t->source_ptr[k]; g < t->source_ptr[k + 1]; g++) {
            int32_t s = t->source[g].tile, end = t->first[s + 1];
            fprintf(file, "   after tile %d, pivots", s);
            put_pivots(t, end - t->source[g].pivots, end - 1, file);
            fprintf(file, "\n");
        }
    }
}

static void disassemble(const wlu_program *p, FILE *file)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    fprintf(file, "factorization: TILE region, %d tiles, %d pivots, %lld terms\n", t->count, t->m, (long long)t->terms);
    put_tiles(t, file);
    fprintf(file, "factorization: guards\n");
    for (int32_t k = 0; k < p->n; k++) fprintf(file, "  GUARD %d\n", k);
}

static void disassemble_region(const wlu_solve_region *r, FILE *file)
{
    fprintf(file, "solve: TILE region, tiles %d..%d, forward and back\n", r->begin, r->end - 1);
}

const wlu_program_kind wlu_lu_kind = {
    .stage = {"factorization", "solve"},
    .destroy = destroy,
    .bytes = bytes,
    .verify = wlu_lu_verify,
    .has_region = wlu_lu_has_region,
    .name_slots = name_slots,
    .disassemble = disassemble,
    .disassemble_region = disassemble_region,
};
