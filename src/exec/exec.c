/* The list of executors, and states. */
#include "exec/exec.h"

#include <math.h>
#include <stdint.h>

const wlu_executor *wlu_executor_find(warplu_executor id)
{
    static const struct {
        warplu_executor id;
        const wlu_executor *executor;
    } list[] = {
#define WLU_EXECUTOR(number, name) {number, &wlu_executor_##name},
#include "exec/exec_list.def"
#undef WLU_EXECUTOR
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if ((id == WARPLU_EXECUTOR_AUTO || id == list[k].id) && list[k].executor->available())
            return list[k].executor;
    return NULL;
}

enum { ALIGN = 64, LANES = 8 };

static double *aligned(void *block)
{
    return (double *)(((uintptr_t)block + ALIGN - 1) / ALIGN * ALIGN);
}

warplu_status wlu_state_create(wlu_context *ctx, const wlu_program *program, wlu_state **out)
{
    int64_t slots = (program->nslots + LANES - 1) / LANES * LANES;
    int64_t gathered = program->gather != NULL ? program->gather->nnz : 0;
    int64_t tiled = ((int64_t)program->tiles.m + LANES - 1) / LANES * LANES;
    int64_t umax = LANES * (int64_t)program->tiles.count;
    int64_t parts = program->parts * (int64_t)(sizeof(wlu_part_state) / sizeof(double));
    int64_t count = slots + tiled + umax + parts + (int64_t)program->n + gathered + ALIGN / (int64_t)sizeof(double);
    *out = WLU_CALLOC(ctx, 1, wlu_state);
    if (*out == NULL) return wlu_fail_memory(ctx, "state");
    (*out)->block = WLU_CALLOC(ctx, count, double);
    if ((*out)->block == NULL) {
        wlu_state_destroy(ctx, out);
        return wlu_fail_memory(ctx, "slots of the state");
    }
    (*out)->v = aligned((*out)->block);
    (*out)->x = (*out)->v + slots;
    (*out)->umax = (*out)->x + tiled;
    (*out)->part = (wlu_part_state *)((*out)->umax + umax);
    (*out)->inverse = (*out)->umax + umax + parts;
    (*out)->source = program->gather != NULL ? (*out)->inverse + program->n : NULL;
    (*out)->bytes = count * (int64_t)sizeof(double);
    return WARPLU_SUCCESS;
}

int wlu_state_widen(wlu_context *ctx, const wlu_program *program, wlu_state *state)
{
    wlu_many *many = &state->many;
    int64_t slots = WLU_MANY * (program->nslots - program->y), tiled = WLU_MANY * (int64_t)program->tiles.m;
    int64_t count = slots + tiled + WLU_MANY * (int64_t)program->n + ALIGN / (int64_t)sizeof(double);
    if (many->block != NULL) return 1;
    many->block = WLU_CALLOC(ctx, count, double); /* zeros: of the zero slot */
    if (many->block == NULL) return 0;
    many->v = aligned(many->block);
    many->x = many->v + slots;
    many->answer = many->x + tiled;
    state->bytes += count * (int64_t)sizeof(double);
    return 1;
}

void wlu_state_destroy(wlu_context *ctx, wlu_state **state)
{
    if (*state == NULL) return;
    wlu_free(ctx, (*state)->many.block);
    wlu_free(ctx, (*state)->block);
    wlu_free(ctx, *state);
    *state = NULL;
}

const double *wlu_begin_refactor(const wlu_program *p, wlu_state *state, const double *values)
{
    state->health = (wlu_health){.growth = 1.0, .smallest_pivot = INFINITY, .drift = 1.0, .finite = 1};
    if (p->gather == NULL) return values;
    wlu_pattern_gather(p->gather, values, state->source);
    return state->source;
}

void wlu_load_tile(const wlu_program *p, int32_t tile, const double *source, double *v)
{
    int64_t panel = p->tiles.panel[tile];
    memset(v + panel, 0, (size_t)(p->tiles.panel[tile + 1] - panel) * sizeof *v);
    for (int64_t k = p->tiles.load[tile]; k < p->tiles.load[tile + 1]; k++)
        v[p->list.target[k]] = p->list.scale[k] * source[p->list.source[k]];
}

double wlu_store_solution(const wlu_program *p, const wlu_triangular *t, const double *v, double *x)
{
    const double *solution = v + p->x;
    double largest = 0.0;
    for (int32_t k = 0; k < p->n; k++) {
        double xk = t->scale != NULL ? t->scale[k] * solution[k] : solution[k];
        largest = wlu_larger_bits(largest, fabs(xk));
        x[t->index[k]] = xk;
    }
    return largest;
}

static void raise_to(double *largest, double x)
{
    if (fabs(x) > *largest) *largest = fabs(x);
}

double wlu_exact_growth(const wlu_program *p, wlu_state *state, const double *source)
{
    const wlu_guards *g = &p->guard;
    double growth = 1.0, *umax = state->inverse;
    for (int32_t j = 0; j < p->n; j++) umax[j] = 0.0;
    for (int32_t k = 0; k < p->tiles.count; k++)
        for (int32_t at = p->tiles.first[k]; at < p->tiles.first[k + 1]; at++)
            umax[g->column[p->tiles.position[at]]] = state->umax[WLU_TILE_WIDTH * (int64_t)k + at - p->tiles.first[k]];
    for (int64_t k = 0; k < g->count; k++) raise_to(&umax[g->u_column[k]], state->v[p->u + k]);
    for (int32_t j = 0; j < p->n; j++) {
        double amax = 0.0, largest = umax[g->column[j]];
        for (int64_t q = g->all_ptr[j]; q < g->all_ptr[j + 1]; q++)
            raise_to(&amax, g->all_scale[q] * source[g->all_source[q]]);
        if (largest > amax && !(amax / largest >= growth)) growth = amax / largest;
    }
    return growth;
}
