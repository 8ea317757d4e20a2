/* The compiler of LU: decide, emit, let program/ fuse, compile the solves. Slots: place.c; loads and guards: maps.c. */
#include "lu/compile.h"
#include "lu/panels.h"
#include "lu/rounding.h"
#include "lu/simulate.h"
#include "program/compile_stream.h"

#include <string.h>

#include "base/clock.h"
#include "base/power.h"

static warplu_status list_chains(void *front, wlu_chains *chains)
{
    return wlu_emit_chains(&((wlu_compiler *)front)->emission, chains);
}

static warplu_status fill_terms(void *front, wlu_chains *chains, int32_t *operand)
{
    wlu_compiler *c = front;
    return wlu_emit_terms(&c->emission, chains, c->out->slot, operand);
}

/* Where the vectors of parts and tiles begin. begin: of all groups. */
static void take_vectors(wlu_compiler *c, const int64_t *begin)
{
    wlu_program *out = c->out;
    memcpy(out->part, begin, ((size_t)out->parts + 2) * sizeof *begin);
    memcpy(c->lu->tiles.vector, begin + out->parts + 1, ((size_t)c->lu->tiles.count + 1) * sizeof *begin);
}

static warplu_status compile_factor(wlu_compiler *c)
{
    wlu_program *out = c->out;
    int32_t groups = out->parts + 2 + c->lu->tiles.count;
    wlu_stream_job job = {.ctx = c->ctx,
                          .program = out,
                          .slots = c->layout.count,
                          .levelled = out->parts + 1,
                          .stream = &out->dot,
                          .front = c,
                          .list = list_chains,
                          .place = wlu_place_factors,
                          .fill = fill_terms};
    int64_t *begin = WLU_ALLOC(c->ctx, groups, int64_t);
    if (begin == NULL) return wlu_fail_memory(c->ctx, "parts of the program");
    c->emission = (wlu_emission){.ctx = c->ctx,
                                 .p = c->p,
                                 .kind = WLU_STREAM_FACTOR,
                                 .tiled = c->lu->tiled,
                                 .part = c->symbolic.cut.part,
                                 .tile = c->tile,
                                 .parts = out->parts};
    warplu_status status = wlu_slots_check(c->ctx, c->layout.count);
    if (status == WARPLU_SUCCESS) status = wlu_place_region(c);
    if (status == WARPLU_SUCCESS) status = wlu_stream_compile(&job, begin, groups);
    if (status == WARPLU_SUCCESS) take_vectors(c, begin);
    wlu_emission_free(&c->emission);
    wlu_free(c->ctx, begin);
    if (status == WARPLU_SUCCESS) status = wlu_fill_loads(c);
    return status < 0 ? status : wlu_fill_guards(c);
}

/* Regions are for solves of A. */
static warplu_status compile_substitution(wlu_compiler *c, wlu_stream_kind kind, wlu_triangular *t)
{
    warplu_status status = WARPLU_SUCCESS;
    if (kind == WLU_STREAM_SOLVE) status = wlu_solve_regions_find(c->ctx, c->p, c->out, t, &c->regions);
    c->stage = t;
    c->emission = (wlu_emission){.ctx = c->ctx,
                                 .p = c->p,
                                 .kind = kind,
                                 .tiled = c->regions.tiled,
                                 .segment = t->regions > 0 ? c->regions.segment : NULL};
    wlu_stream_job job = {.ctx = c->ctx,
                          .program = c->out,
                          .slots = c->layout.count,
                          .levelled = t->regions + 1,
                          .stream = &t->stream,
                          .stage = t,
                          .front = c,
                          .list = list_chains,
                          .place = wlu_place_unknowns,
                          .fill = fill_terms};
    if (status == WARPLU_SUCCESS) status = wlu_stream_compile(&job, NULL, 0);
    wlu_emission_free(&c->emission);
    wlu_solve_regions_free(c->ctx, &c->regions);
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
        double row = wlu_power_of_two(p->exponent[p->row[k]]);
        double col = wlu_power_of_two(wlu_pivots_col_exponent(p, p->col[k]));
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
    warplu_status status = c->saved != NULL ? wlu_lu_saved_symbolic(c, symbolic)
                                            : wlu_symbolic_find(c->ctx, c->options, c->cost, c->p, c->a->nnz,
                                                                c->options->threads, symbolic);
    if (status < 0) return status;
    out->predicted_ns = symbolic->predicted_ns;
    out->parts = symbolic->parts;
    c->lu->tiled = symbolic->tiled;
    c->lu->tiles.m = symbolic->m;
    c->lu->tiles.count = symbolic->ntiles;
    c->lu->tiles.position = symbolic->position;
    c->lu->tiles.first = symbolic->first;
    symbolic->tiled = NULL; /* the program's now */
    symbolic->position = symbolic->first = NULL;
    out->slot = WLU_ALLOC(c->ctx, c->layout.count, int32_t);
    c->tile = WLU_ALLOC(c->ctx, c->p->n, int32_t);
    out->part = WLU_CALLOC(c->ctx, (int64_t)out->parts + 2, int64_t);
    if (out->slot == NULL || c->tile == NULL || out->part == NULL)
        return wlu_fail_memory(c->ctx, "slots of the program");
    wlu_simulation simulation;
    status = compile_factor(c);
    if (status == WARPLU_SUCCESS && wlu_target_is_latency_bound(c->cost)) {
        status = wlu_lu_simulate(c->ctx, out, &simulation);
        if (status == WARPLU_SUCCESS) {
            out->predicted_ns = simulation.ns;
            out->path_ns = simulation.path_ns;
        }
    }
    if (status == WARPLU_SUCCESS) status = compile_triangular(c, WLU_STREAM_SOLVE, &out->solve);
    if (status == WARPLU_SUCCESS) status = wlu_reserve_sums(c);
    return status < 0 ? status : wlu_lu_bound_program(c->ctx, c->a, c->p, out);
}

warplu_status wlu_lu_create(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                            const wlu_pattern *pattern, const wlu_pivots *pivots, const wlu_lu_saved *saved,
                            wlu_program **out)
{
    *out = WLU_CALLOC(ctx, 1, wlu_program);
    if (*out == NULL) return wlu_fail_memory(ctx, "program");
    (*out)->kind = &wlu_lu_kind;
    (*out)->own = WLU_CALLOC(ctx, 1, wlu_lu);
    if ((*out)->own == NULL) {
        wlu_program_destroy(ctx, out);
        return wlu_fail_memory(ctx, "program");
    }
    (*out)->n = pivots->n;
    (*out)->split = !ctx->unsplit;
    (*out)->cost = cost;
    (*out)->nvalues = pattern->nvalues;
    (*out)->doubles = pattern->doubles;
    (*out)->pattern = pattern;
    (*out)->refinement_steps = options->max_refinement_steps;
    (*out)->gather = pattern->map_ptr != NULL ? pattern : NULL;
    wlu_compiler c = {.ctx = ctx,
                      .options = options,
                      .cost = cost,
                      .a = pattern,
                      .p = pivots,
                      .out = *out,
                      .saved = saved,
                      .lu = wlu_lu_edit(*out)};
    c.layout = wlu_layout_of(pivots, 0);
    warplu_status status = compile(&c);
    wlu_free(ctx, c.tile);
    wlu_symbolic_free(ctx, &c.symbolic);
    if (status < 0) wlu_program_destroy(ctx, out);
    return status;
}

/* Predictions of bytes are near, not exact: a program that turns out too large is compiled again under a bound that is
 * smaller by as much. */
warplu_status wlu_lu_compile(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                             const wlu_pattern *pattern, const wlu_pivots *pivots, wlu_program **out)
{
    int64_t begin = wlu_now_ns();
    warplu_options tighter = *options;
    wlu_context quiet = *ctx; /* a tightened bound is nothing to tell the caller */
    quiet.message = NULL;
    for (int64_t bytes = 0;;) {
        warplu_status status = wlu_lu_create(bytes > 0 ? &quiet : ctx, &tighter, cost, pattern, pivots, NULL, out);
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

warplu_status wlu_lu_compile_transposed(wlu_context *ctx, const wlu_pattern *pattern, const wlu_pivots *pivots,
                                        wlu_program *program)
{
    wlu_compiler c = {
        .ctx = ctx, .cost = program->cost, .a = pattern, .p = pivots, .out = program, .lu = wlu_lu_edit(program)};
    c.layout = wlu_layout_of(pivots, 0);
    warplu_status status = compile_triangular(&c, WLU_STREAM_SOLVE_TRANSPOSED, &program->transposed);
    program->has_transposed = status == WARPLU_SUCCESS;
    if (status < 0) wlu_triangular_free(ctx, &program->transposed);
    return status;
}
