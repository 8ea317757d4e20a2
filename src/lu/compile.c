/* The compiler's driver: decide, fuse, place slots, compile the solves. Loads and guards: maps.c.
 *
 * Placement follows use: L and U of DOT pivots stand in the order in which the stream writes them, so that a
 * bundle of neighbours stores to neighbours; panels stand row by row. */
#include "lu/compile.h"
#include "program/partial_sums.h"
#include "program/order_terms.h"
#include "lu/panels.h"
#include "program/simulate.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

/* Slots not yet handed out. */
enum { UNPLACED = -1 };

/* Gives the next slots to those of a range that have none. */
static void place_rest(wlu_compiler *c, int64_t first, int64_t last, int64_t *next)
{
    int32_t *slot = c->out->slot;
    for (int64_t t = first; t < last; t++)
        if (slot[t] == UNPLACED) slot[t] = (int32_t)(*next)++;
}

/* Builds the TILE region, whose slots stand behind those of DOT pivots, and names the tile of each column. */
static warplu_status build_region(wlu_compiler *c)
{
    const wlu_pivots *p = c->p;
    wlu_tiles *tiles = &c->out->tiles;
    int64_t next = c->layout.y;
    for (int64_t t = 0; t < c->layout.count; t++) c->out->slot[t] = UNPLACED;
    for (int32_t k = 0; k < p->n; k++) {
        c->tile[k] = -1;
        if (c->out->tiled[k]) next -= 2 + p->lp[k + 1] - p->lp[k];
    }
    for (int64_t q = 0; q < p->up[p->n]; q++) next -= c->out->tiled[p->ui[q]];
    for (int32_t t = 0; t < tiles->count; t++)
        for (int32_t at = tiles->first[t]; at < tiles->first[t + 1]; at++) c->tile[tiles->position[at]] = t;
    warplu_status status = wlu_panels_build(c->ctx, p, c->out, &next);
    c->out->y = next;
    return status < 0 || c->out->parts == 1 ? status : wlu_partition_tiles(c->ctx, &c->symbolic.cut, c->out);
}

static int64_t count_unplaced(const int32_t *slot, int64_t first, int64_t last)
{
    int64_t count = 0;
    for (int64_t t = first; t < last; t++) count += slot[t] == UNPLACED;
    return count;
}

/* Partial sums of the chains at hand. */
static int64_t count_sums(const wlu_compiler *c)
{
    int64_t sums = 0, most = c->cost->record_terms;
    for (int64_t r = 0; r < c->fuse.nrecords && most > 0; r++)
        if (c->fuse.record[r].length > most) sums += wlu_cost_pieces(c->cost, c->fuse.record[r].length);
    return sums;
}

static warplu_status check_slots(const wlu_compiler *c)
{
    if (c->out->nslots <= INT32_MAX) return WARPLU_SUCCESS;
    return wlu_fail(c->ctx, WARPLU_OVERFLOW, "%lld slots exceed the 32-bit slot width", (long long)c->out->nslots);
}

/* Hands out physical slots for everything else the factorization touches: in each area what is computed stands in the
 * program's order, then what is only loaded. */
static warplu_status place_slots(wlu_compiler *c)
{
    wlu_program *out = c->out;
    const wlu_layout *o = &c->layout;
    int64_t u = 0, l = count_unplaced(out->slot, o->pivot, o->reciprocal) + count_unplaced(out->slot, o->u, o->f);
    int64_t f = l + count_unplaced(out->slot, o->l, o->u), reciprocal = f + o->y - o->f;
    out->u = u;
    out->l = l;
    out->f = f;
    out->reciprocal = reciprocal;
    for (int64_t k = 0; k < c->fuse.nrecords; k++) { /* U in chains, L in DOTS */
        const wlu_fused *r = &c->fuse.record[c->fuse.order[k]];
        int32_t *slot = &out->slot[r->target];
        if (*slot != UNPLACED) continue;
        int64_t *next = r->opcode == WLU_RCP ? &reciprocal : r->opcode == WLU_DOTS ? &l : &u;
        *slot = (int32_t)(*next)++;
    }
    out->guard.count = u - out->u;
    place_rest(c, o->pivot, o->reciprocal, &u);
    place_rest(c, o->u, o->f, &u);
    place_rest(c, o->f, o->y, &f);
    out->sums = out->y;
    c->sums = count_sums(c);
    out->y = out->sums + c->sums;
    out->x = out->y + c->p->n;
    out->zero = out->x + c->p->n;
    out->trash = out->zero + 1;
    out->minus_one = c->cost->record_terms > 0 ? out->trash + 1 : -1;
    out->solve_sums = out->trash + 1 + (out->minus_one >= 0);
    out->nslots = out->solve_sums;
    return check_slots(c);
}

/* Slots of y and x in the order of the stream that computes them, and of its partial sums. The number of slots stands
 * once there are states. */
static warplu_status place_unknowns(wlu_compiler *c)
{
    const wlu_layout *o = &c->layout;
    int32_t *slot = c->out->slot;
    int64_t y = c->out->y, x = c->out->x;
    for (int64_t t = o->y; t < o->count; t++) slot[t] = UNPLACED;
    for (int64_t k = 0; k < c->fuse.nrecords; k++) {
        int64_t t = c->fuse.record[c->fuse.order[k]].target;
        slot[t] = (int32_t)(t < o->x ? y++ : x++);
    }
    place_rest(c, o->y, o->x, &y);
    place_rest(c, o->x, o->count, &x);
    c->sums = count_sums(c);
    if (c->out->solve_sums + c->sums > c->out->nslots) c->out->nslots = c->out->solve_sums + c->sums;
    return check_slots(c);
}

/* Room for partial sums of the transposed solve, which may be compiled when there are states. */
static warplu_status reserve_sums(wlu_compiler *c)
{
    const wlu_pivots *p = c->p;
    int64_t end = c->out->solve_sums;
    for (int32_t j = 0; j < p->n; j++) {
        end += wlu_cost_pieces(c->cost, p->fp[j + 1] - p->fp[j] + p->up[j + 1] - p->up[j]);
        end += wlu_cost_pieces(c->cost, p->lp[j + 1] - p->lp[j]);
    }
    if (end > c->out->nslots) c->out->nslots = end;
    return check_slots(c);
}

/* The group of a factorization's record: the part of its pivot, the earlier of row and column; the top; or the tile
 * whose panel it goes to, panels having their slots already. */
static int32_t group_of(const void *grouping, int32_t target, int32_t column)
{
    const wlu_compiler *c = grouping;
    const wlu_layout *o = &c->layout;
    if (c->out->slot[target] >= 0) return c->out->parts + 1 + c->tile[column];
    const int32_t *part = c->symbolic.cut.part;
    if (part == NULL) return 0;
    return part[target < o->reciprocal ? target
                : target < o->l        ? target - o->reciprocal
                : target < o->u        ? column
                                       : c->p->ui[target - o->u]];
}

/* The group of a solve's record, which computes some y or x: its part. */
static int32_t part_of(const void *grouping, int32_t target, int32_t column)
{
    const wlu_compiler *c = grouping;
    (void)column;
    return c->turns.part[target - c->layout.y];
}

/* The first vector of a group; at: that of an earlier one. */
static int64_t group_begin(const wlu_compiler *c, const wlu_stream *s, int32_t group, int64_t at)
{
    while (at < s->nvectors && s->vector[at].chunk < wlu_fuse_chunk(&c->fuse, group)) at++;
    return at;
}

/* Where the vectors of parts and tiles begin. */
static void find_vectors(wlu_compiler *c)
{
    wlu_program *out = c->out;
    int64_t at = 0;
    for (int32_t group = 0; group <= out->parts + 1 + out->tiles.count; group++) {
        at = group_begin(c, &out->dot, group, at);
        if (group <= out->parts + 1) out->part[group] = at;
        if (group > out->parts) out->tiles.vector[group - out->parts - 1] = at;
    }
}

/* Where the vectors of a solve's parts begin; levels are those of its parts together. */
static warplu_status find_parts(wlu_compiler *c, wlu_triangular *t)
{
    wlu_stream *s = &t->stream;
    t->part = WLU_CALLOC(c->ctx, (int64_t)t->regions + 2, int64_t);
    if (t->part == NULL) return wlu_fail_memory(c->ctx, "parts of the solve");
    s->nlevels = 0;
    for (int32_t part = 0; part <= t->regions; part++) {
        int32_t levels = 0;
        t->part[part + 1] = group_begin(c, s, part + 1, t->part[part]);
        for (int64_t k = t->part[part]; k < t->part[part + 1]; k++)
            if (s->vector[k].level > levels) levels = s->vector[k].level;
        s->nlevels += levels;
    }
    return WARPLU_SUCCESS;
}

/* Where regions find y and leave x. */
static warplu_status map_tiles(wlu_compiler *c, wlu_triangular *t)
{
    const wlu_tiles *tiles = &c->out->tiles;
    if (t->regions == 0) return WARPLU_SUCCESS;
    t->tile_y = WLU_ALLOC(c->ctx, tiles->m, int32_t);
    t->tile_x = WLU_ALLOC(c->ctx, tiles->m, int32_t);
    if (t->tile_y == NULL || t->tile_x == NULL) return wlu_fail_memory(c->ctx, "maps of the solve");
    for (int32_t at = 0; at < tiles->m; at++) {
        t->tile_y[at] = c->out->slot[c->layout.y + tiles->position[at]];
        t->tile_x[at] = c->out->slot[c->layout.x + tiles->position[at]];
    }
    return WARPLU_SUCCESS;
}

/* Emits and fuses one stream, of the factorization or of solve t; between the two passes slots are placed. */
static warplu_status compile_stream(wlu_compiler *c, const wlu_emit_options *eo, wlu_stream *stream, wlu_triangular *t)
{
    int factor = t == NULL;
    warplu_status status = wlu_emitter_create(c->ctx, c->a, c->p, eo, &c->emitter);
    if (status < 0) return status;
    c->fuse = (wlu_fuse){.ctx = c->ctx,
                         .emitter = c->emitter,
                         .nlogical = c->layout.count,
                         .reciprocal_offset = c->p->n,
                         .split = c->out->split,
                         .group = factor                  ? group_of
                                  : c->turns.part != NULL ? part_of
                                                          : NULL,
                         .grouping = c,
                         .levelled = factor ? c->out->parts + 1 : t->regions + 1,
                         .in_turn = !factor,
                         .chunk_slots = (int64_t)c->cost->chunk_slots,
                         .chunk_records = (int64_t)c->cost->chunk_records};
    if (factor) status = build_region(c);
    if (status == WARPLU_SUCCESS) status = wlu_fuse_begin(&c->fuse, stream);
    if (status == WARPLU_SUCCESS && factor) status = place_slots(c);
    if (status == WARPLU_SUCCESS && !factor) status = place_unknowns(c);
    if (status == WARPLU_SUCCESS) status = wlu_fuse_finish(&c->fuse, c->out->slot, stream, factor ? c->loads : NULL);
    if (status == WARPLU_SUCCESS && !factor) status = find_parts(c, t);
    if (status == WARPLU_SUCCESS && !factor) status = map_tiles(c, t);
    if (status == WARPLU_SUCCESS && wlu_target_is_latency_bound(c->cost))
        status = wlu_order_terms(c->ctx, c->out, stream, t);
    if (status == WARPLU_SUCCESS && c->sums > 0)
        status = wlu_partial_sums_cut(c->ctx, c->out, wlu_fuse_chunk(&c->fuse, c->fuse.levelled), stream, t);
    if (status == WARPLU_SUCCESS && factor) status = wlu_fill_loads(c);
    if (status == WARPLU_SUCCESS && factor) find_vectors(c);
    if (status == WARPLU_SUCCESS && factor) status = wlu_fill_guards(c);
    wlu_fuse_free(&c->fuse);
    wlu_emitter_destroy(c->ctx, &c->emitter);
    return status;
}

/* Regions are for solves of A. */
static warplu_status compile_substitution(wlu_compiler *c, wlu_stream_kind kind, wlu_triangular *t)
{
    warplu_status status = WARPLU_SUCCESS;
    if (kind == WLU_STREAM_SOLVE) status = wlu_solve_stages_find(c->ctx, c->p, c->out, t, &c->turns);
    wlu_emit_options eo = {.kind = kind, .tiled = c->turns.tiled};
    if (status == WARPLU_SUCCESS) status = compile_stream(c, &eo, &t->stream, t);
    wlu_solve_stages_free(c->ctx, &c->turns);
    return status;
}

/* A x = b: y_k = 2^e b[row[k]], x[col[k]] = 2^c x_k. A' x = b: y_k = 2^c b[col[k]], x[row[k]] = 2^e x_k; e and c the
 * exponents of the row and the column. */
static warplu_status compile_triangular(wlu_compiler *c, wlu_stream_kind kind, wlu_triangular *t)
{
    const wlu_pivots *p = c->p;
    int transposed = kind == WLU_STREAM_SOLVE_TRANSPOSED;
    warplu_status status = compile_substitution(c, kind, t);
    if (status < 0) return status;
    t->load.first = c->out->y;
    t->load.count = p->n;
    t->load.source = WLU_ALLOC(c->ctx, p->n, int32_t);
    t->load.scale = WLU_ALLOC(c->ctx, p->n, double);
    t->index = WLU_ALLOC(c->ctx, p->n, int32_t);
    int scaled = transposed || p->col_exponent != NULL;
    if (scaled) t->scale = WLU_ALLOC(c->ctx, p->n, double);
    if (!t->load.source || !t->load.scale || !t->index || (scaled && t->scale == NULL))
        return wlu_fail_memory(c->ctx, "maps of the solve");
    for (int32_t k = 0; k < p->n; k++) {
        double row = ldexp(1.0, p->exponent[p->row[k]]), col = ldexp(1.0, wlu_pivots_col_exponent(p, p->col[k]));
        int64_t y = c->out->slot[c->layout.y + k] - c->out->y, x = c->out->slot[c->layout.x + k] - c->out->x;
        t->load.source[y] = transposed ? p->col[k] : p->row[k];
        t->load.scale[y] = transposed ? col : row;
        t->index[x] = transposed ? p->row[k] : p->col[k];
        if (scaled) t->scale[x] = transposed ? row : col;
    }
    return WARPLU_SUCCESS;
}

static warplu_status compile(wlu_compiler *c)
{
    wlu_symbolic *symbolic = &c->symbolic;
    wlu_program *out = c->out;
    warplu_status status =
        wlu_symbolic_find(c->ctx, c->options, c->cost, c->p, c->a->nnz, c->options->threads, symbolic);
    if (status < 0) return status;
    out->predicted_ns = symbolic->predicted_ns;
    out->parts = symbolic->parts;
    out->tiles.m = symbolic->m;
    out->tiles.count = symbolic->ntiles;
    out->tiled = symbolic->tiled;
    out->tiles.position = symbolic->position;
    out->tiles.first = symbolic->first;
    symbolic->tiled = NULL; /* the program's now */
    symbolic->position = symbolic->first = NULL;
    out->slot = WLU_ALLOC(c->ctx, c->layout.count, int32_t);
    c->loads = WLU_ALLOC(c->ctx, c->a->nnz, wlu_record);
    c->tile = WLU_ALLOC(c->ctx, c->p->n, int32_t);
    out->part = WLU_CALLOC(c->ctx, (int64_t)out->parts + 2, int64_t);
    if (out->slot == NULL || c->loads == NULL || c->tile == NULL || out->part == NULL)
        return wlu_fail_memory(c->ctx, "slots of the program");
    wlu_emit_options eo = {.kind = WLU_STREAM_FACTOR, .reciprocals = 1, .tiled = out->tiled};
    wlu_simulation simulation;
    status = compile_stream(c, &eo, &out->dot, NULL);
    if (status == WARPLU_SUCCESS && wlu_target_is_latency_bound(c->cost)) {
        status = wlu_program_simulate(c->ctx, out, &simulation);
        if (status == WARPLU_SUCCESS) {
            out->predicted_ns = simulation.ns;
            out->path_ns = simulation.path_ns;
        }
    }
    if (status == WARPLU_SUCCESS) status = compile_triangular(c, WLU_STREAM_SOLVE, &out->solve);
    return status < 0 ? status : reserve_sums(c);
}

/* One attempt at a program, its regions chosen under a bound on predicted bytes. */
static warplu_status create_under(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                  const wlu_pattern *pattern, const wlu_pivots *pivots, wlu_program **out)
{
    *out = WLU_CALLOC(ctx, 1, wlu_program);
    if (*out == NULL) return wlu_fail_memory(ctx, "program");
    (*out)->n = pivots->n;
    (*out)->split = options->split_program;
    (*out)->cost = cost;
    (*out)->nvalues = pattern->nvalues;
    (*out)->pattern = pattern;
    (*out)->refinement_steps = options->max_refinement_steps;
    (*out)->gather = pattern->map_ptr != NULL ? pattern : NULL;
    wlu_compiler c = {.ctx = ctx, .options = options, .cost = cost, .a = pattern, .p = pivots, .out = *out};
    c.layout = wlu_layout_of(pivots, 0);
    warplu_status status = compile(&c);
    wlu_free(ctx, c.loads);
    wlu_free(ctx, c.tile);
    wlu_symbolic_free(ctx, &c.symbolic);
    if (status < 0) wlu_program_destroy(ctx, out);
    return status;
}

/* Predictions of bytes are near, not exact: a program that turns out too large is compiled again under a bound that is
 * smaller by as much. */
warplu_status wlu_program_create(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                 const wlu_pattern *pattern, const wlu_pivots *pivots, wlu_program **out)
{
    int64_t begin = wlu_now_ns();
    warplu_options tighter = *options;
    wlu_context quiet = *ctx; /* a tightened bound is nothing to tell the caller */
    quiet.message = NULL;
    for (int64_t bytes = 0;;) {
        warplu_status status = create_under(bytes > 0 ? &quiet : ctx, &tighter, cost, pattern, pivots, out);
        if (status == WARPLU_PROGRAM_TOO_LARGE && bytes > 0)
            return wlu_fail(ctx, status, "the smallest program found takes %lld bytes, max_program_bytes is %lld",
                            (long long)bytes, (long long)options->max_program_bytes);
        if (status < 0) return bytes > 0 ? wlu_fail(ctx, status, "%s", quiet.last_message) : status;
        bytes = wlu_program_factor_bytes(*out);
        if (bytes <= options->max_program_bytes) break;
        wlu_program_destroy(ctx, out);
        double excess = (double)bytes / (double)options->max_program_bytes;
        tighter.max_program_bytes = (int64_t)((double)tighter.max_program_bytes / excess * 0.95);
    }
    (*out)->compile_ns = wlu_now_ns() - begin;
    return WARPLU_SUCCESS;
}

static void free_triangular(wlu_context *ctx, wlu_triangular *t)
{
    wlu_free(ctx, t->load.source);
    wlu_free(ctx, t->load.scale);
    wlu_free(ctx, t->region);
    wlu_free(ctx, t->part);
    wlu_free(ctx, t->tile_y);
    wlu_free(ctx, t->tile_x);
    wlu_free(ctx, t->index);
    wlu_free(ctx, t->scale);
    wlu_stream_free(ctx, &t->stream);
    memset(t, 0, sizeof *t);
}

warplu_status wlu_program_add_transposed(wlu_context *ctx, const wlu_pattern *pattern, const wlu_pivots *pivots,
                                         wlu_program *program)
{
    wlu_compiler c = {.ctx = ctx, .cost = program->cost, .a = pattern, .p = pivots, .out = program};
    c.layout = wlu_layout_of(pivots, 0);
    warplu_status status = compile_triangular(&c, WLU_STREAM_SOLVE_TRANSPOSED, &program->transposed);
    program->has_transposed = status == WARPLU_SUCCESS;
    if (status < 0) free_triangular(ctx, &program->transposed);
    return status;
}

void wlu_program_destroy(wlu_context *ctx, wlu_program **program)
{
    wlu_program *p = *program;
    if (p == NULL) return;
    void *owned[] = {p->part,           p->slot,          p->tiled,          p->load.source,    p->load.scale,
                     p->list.target,    p->list.source,   p->list.scale,     p->guard.u_column, p->guard.column,
                     p->guard.a_source, p->guard.a_scale, p->guard.row_scale};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    wlu_stream_free(ctx, &p->dot);
    wlu_panels_free(ctx, &p->tiles);
    free_triangular(ctx, &p->solve);
    free_triangular(ctx, &p->transposed);
    wlu_free(ctx, p);
    *program = NULL;
}

int64_t wlu_program_factor_bytes(const wlu_program *p)
{
    const wlu_guards *g = &p->guard;
    int64_t guards = 4 * g->count + 16 * (int64_t)p->n + 4 * (int64_t)g->entries;
    return wlu_stream_bytes(&p->dot) + wlu_panels_bytes(&p->tiles) + 12 * p->load.count + 16 * p->list.count + guards;
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
