/* Writing a program out flat: the first stage, its loads and what guards look at; then solves. See flat.h. */
#include "lu/flat_build.h"
#include "program/verify.h"

#include <string.h>

/* -------------------------------------------------------------- first stage */

/* What loads fill, and constants. */
static void mark_loaded(wlu_flat_builder *b)
{
    const wlu_program *p = b->p;
    const wlu_loads *l = &p->load;
    memset(b->flat->slot, 0, (size_t)p->y * sizeof *b->flat->slot);
    memset(b->own, 0, (size_t)(p->nslots - p->y) * sizeof *b->own);
    for (int64_t k = 0; k < l->count; k++)
        if (l->source[k] >= 0) b->flat->slot[l->first + k] = WLU_FLAT_LOADED;
    for (int64_t k = 0; k < p->list.count; k++) b->flat->slot[p->list.target[k]] = WLU_FLAT_LOADED;
    if (p->minus_one >= 0) b->own[p->minus_one - p->y] = WLU_FLAT_MINUS_ONE;
}

/* Records that are not into panels, the tiles, then numbers for what is loaded and only solves read. */
static warplu_status put_factor(wlu_flat_builder *b)
{
    const wlu_program *p = b->p;
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    int64_t end = p->dot.nrecords;
    warplu_status status = wlu_flat_begin(b, &b->flat->factor, p->y + WLU_FLAT_CONSTANTS);
    mark_loaded(b);
    if (t->count > 0 && t->vector[0] < p->dot.nvectors) end = p->dot.vector[t->vector[0]].first;
    if (status == WARPLU_SUCCESS) status = wlu_flat_reserve(b, p->dot.nrecords, p->dot.nterms + t->terms);
    if (status == WARPLU_SUCCESS) status = wlu_flat_put_factor(b, end);
    if (status < 0) return status;
    for (int64_t k = 0; k < p->y; k++) wlu_flat_read(b, k);
    b->flat->count = b->next;
    return wlu_flat_end(b);
}

static warplu_status put_loads(const wlu_flat_builder *b)
{
    const wlu_program *p = b->p;
    const int32_t *slot = b->flat->slot;
    wlu_flat_loads *to = &b->flat->load;
    to->count = wlu_program_sources(p);
    to->slot = WLU_ALLOC(b->ctx, to->count, int32_t);
    to->scale = WLU_CALLOC(b->ctx, to->count, double);
    if (to->slot == NULL || to->scale == NULL) return wlu_fail_memory(b->ctx, "loads of the flat program");
    for (int64_t k = 0; k < to->count; k++) to->slot[k] = -1;
    for (int64_t k = 0; k < p->load.count; k++) {
        int32_t source = p->load.source[k];
        if (source < 0) continue;
        to->slot[source] = slot[p->load.first + k];
        to->scale[source] = p->load.scale[k];
    }
    for (int64_t k = 0; k < p->list.count; k++) {
        to->slot[p->list.source[k]] = slot[p->list.target[k]];
        to->scale[p->list.source[k]] = p->list.scale[k];
    }
    return WARPLU_SUCCESS;
}

/* A number of a tile, unless it is zero. place: of its column in the guards' lists, or -1. */
static void guard_number(const wlu_flat *f, int64_t slot, wlu_area area, int32_t place)
{
    int32_t at = f->slot[slot];
    if (at == f->zero) return;
    f->area[at] = (uint8_t)area;
    f->u_column[at] = place;
}

static void guard_tile(const wlu_flat *f, int32_t k)
{
    const wlu_lu *lu = wlu_lu_of(f->program);
    const wlu_tiles *t = &lu->tiles;
    int32_t width = wlu_tile_width(t, k), diagonal = t->above[k], rows = diagonal + width + t->below[k];
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < width; c++) {
            int64_t slot = t->panel[k] + (int64_t)WLU_TILE_WIDTH * r + c;
            if (r <= diagonal + c)
                guard_number(f, slot, WLU_AREA_U, lu->guard.column[t->position[t->first[k] + c]]);
            else
                guard_number(f, slot, WLU_AREA_L, -1);
        }
}

/* As run_guards of exec/reference/reference.c looks at them. */
static warplu_status put_guards(const wlu_flat_builder *b)
{
    wlu_flat *f = b->flat;
    const wlu_program *p = b->p;
    const wlu_lu *lu = wlu_lu_of(p);
    f->area = WLU_CALLOC(b->ctx, f->count, uint8_t);
    f->u_column = WLU_ALLOC(b->ctx, f->count, int32_t);
    if (f->area == NULL || f->u_column == NULL) return wlu_fail_memory(b->ctx, "guards of the flat program");
    for (int64_t k = 0; k < f->count; k++) f->u_column[k] = -1;
    for (int64_t k = 0; k < p->region_slots; k++)
        if (f->slot[k] != f->zero) f->area[f->slot[k]] = (uint8_t)wlu_area_of(p, k);
    for (int64_t k = 0; k < lu->guard.count; k++)
        if (f->slot[lu->areas.u + k] != f->zero) f->u_column[f->slot[lu->areas.u + k]] = lu->guard.u_column[k];
    for (int32_t k = 0; k < lu->tiles.count; k++) guard_tile(f, k);
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------- whole */

static warplu_status open_builder(wlu_flat_builder *b)
{
    const wlu_program *p = b->p;
    int64_t records = p->dot.nrecords;
    if (p->solve.stream.nrecords > records) records = p->solve.stream.nrecords;
    if (p->has_transposed && p->transposed.stream.nrecords > records) records = p->transposed.stream.nrecords;
    b->own = WLU_ALLOC(b->ctx, p->nslots - p->y, int32_t);
    b->entries = WLU_ALLOC(b->ctx, records, wlu_sort_entry);
    b->scratch = WLU_ALLOC(b->ctx, records, wlu_sort_entry);
    b->digits = WLU_ALLOC(b->ctx, WLU_SORT_DIGITS, int64_t);
    return b->own != NULL && b->entries != NULL && b->scratch != NULL && b->digits != NULL
               ? WARPLU_SUCCESS
               : wlu_fail_memory(b->ctx, "flat program");
}

static void close_builder(wlu_flat_builder *b)
{
    wlu_free(b->ctx, b->own);
    wlu_free(b->ctx, b->entries);
    wlu_free(b->ctx, b->scratch);
    wlu_free(b->ctx, b->digits);
    wlu_flat_forget_levels(b);
}

static void free_solve(wlu_context *ctx, wlu_flat_solve *s)
{
    void *owned[] = {s->load.slot, s->load.scale, s->store, s->store_scale};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    wlu_flat_stream_free(ctx, &s->stream);
    memset(s, 0, sizeof *s);
}

static warplu_status put_transposed(wlu_flat_builder *b)
{
    wlu_flat_solve *solve = &b->flat->solve[1];
    warplu_status status = wlu_flat_put_solve(b, &b->p->transposed, solve);
    if (status < 0) free_solve(b->ctx, solve);
    return status;
}

/* More slots than the program's and two constants there are not. */
static warplu_status build(wlu_flat_builder *b)
{
    warplu_status status = wlu_slots_check(b->ctx, b->p->nslots + WLU_FLAT_CONSTANTS);
    if (status == WARPLU_SUCCESS) status = open_builder(b);
    if (status == WARPLU_SUCCESS) status = put_factor(b);
    if (status == WARPLU_SUCCESS) status = put_loads(b);
    if (status == WARPLU_SUCCESS) status = put_guards(b);
    if (status == WARPLU_SUCCESS) status = wlu_flat_put_solve(b, &b->p->solve, &b->flat->solve[0]);
    return status == WARPLU_SUCCESS && b->p->has_transposed ? put_transposed(b) : status;
}

warplu_status wlu_flat_create(wlu_context *ctx, const wlu_program *program, wlu_flat **out)
{
    wlu_flat *f = *out = WLU_CALLOC(ctx, 1, wlu_flat);
    warplu_status status = WARPLU_OUT_OF_MEMORY;
    if (f == NULL) return wlu_fail_memory(ctx, "flat program");
    f->program = program;
    f->zero = WLU_FLAT_ZERO;
    f->minus_one = WLU_FLAT_MINUS_ONE;
    f->slot = WLU_ALLOC(ctx, program->y, int32_t);
    wlu_flat_builder b = {.ctx = ctx, .p = program, .flat = f};
    status = f->slot != NULL ? build(&b) : wlu_fail_memory(ctx, "flat program");
    close_builder(&b);
    if (status < 0) wlu_flat_destroy(ctx, out);
    return status;
}

warplu_status wlu_flat_add_transposed(wlu_context *ctx, wlu_flat *flat)
{
    wlu_flat_builder b = {.ctx = ctx, .p = flat->program, .flat = flat};
    if (!flat->program->has_transposed || flat->solve[1].store != NULL) return WARPLU_SUCCESS;
    warplu_status status = open_builder(&b);
    if (status == WARPLU_SUCCESS) status = put_transposed(&b);
    close_builder(&b);
    return status;
}

void wlu_flat_destroy(wlu_context *ctx, wlu_flat **flat)
{
    wlu_flat *f = *flat;
    if (f == NULL) return;
    void *owned[] = {f->slot, f->area, f->u_column, f->load.slot, f->load.scale};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    wlu_flat_stream_free(ctx, &f->factor);
    for (int k = 0; k < 2; k++) free_solve(ctx, &f->solve[k]);
    wlu_free(ctx, f);
    *flat = NULL;
}

static int64_t stream_bytes(const wlu_flat_stream *s)
{
    return 26 * s->nrecords + 8 * s->nterms;
}

int64_t wlu_flat_bytes(const wlu_flat *f)
{
    int64_t bytes = 4 * f->program->y + 5 * f->count + 12 * f->load.count + stream_bytes(&f->factor);
    for (int k = 0; k < 2; k++) {
        const wlu_flat_solve *s = &f->solve[k];
        bytes += stream_bytes(&s->stream) + (s->store_scale != NULL ? 24 : 16) * s->load.count;
    }
    return bytes;
}
