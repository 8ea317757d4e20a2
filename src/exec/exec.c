/* The list of executors, and states. */
#include "exec/exec.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

warplu_status wlu_executor_find(wlu_context *ctx, warplu_executor id, const wlu_executor **out)
{
    static const struct {
        warplu_executor id;
        const wlu_executor *executor;
    } list[] = {
#define WLU_EXECUTOR(number, name) {number, &wlu_executor_##name},
#include "exec/exec_list.def"
#undef WLU_EXECUTOR
    };
    size_t k = 0;
    *out = NULL;
    while (id != WARPLU_EXECUTOR_AUTO && list[k].id != id) k++;
    warplu_status status = list[k].executor->available(ctx);
    if (status == WARPLU_SUCCESS) *out = list[k].executor;
    return status;
}

const wlu_executor *wlu_executor_with(const wlu_executor *executor, warplu_strategy strategy,
                                      warplu_precision precision)
{
    if (executor->with != NULL) return executor->with(strategy, precision);
    return executor->precision == precision ? executor : NULL;
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
    (*out)->block = WLU_ALLOC(ctx, count, double);
    if ((*out)->block == NULL) {
        wlu_state_destroy(ctx, out);
        return wlu_fail_memory(ctx, "slots of the state");
    }
    (*out)->v = aligned((*out)->block);
    memset((*out)->v, 0, (size_t)program->panels * sizeof(double)); /* replays zero panels */
    memset((*out)->v + program->sums, 0,
           (size_t)(slots - program->sums + tiled + umax + parts + program->n + gathered) * sizeof(double));
    if (program->minus_one >= 0) (*out)->v[program->minus_one] = -1.0;
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
    if ((*state)->device != NULL || (*state)->refining != NULL) (*state)->executor->detach(ctx, *state);
    wlu_free(ctx, (*state)->many.block);
    wlu_free(ctx, (*state)->block);
    wlu_free(ctx, *state);
    *state = NULL;
}

warplu_status wlu_state_attach(wlu_context *ctx, const wlu_executor *executor, const void *image, wlu_state *state)
{
    state->executor = executor;
    return executor->attach != NULL ? executor->attach(ctx, image, state) : WARPLU_SUCCESS;
}

warplu_status wlu_state_fetch(wlu_context *ctx, const void *image, wlu_state *state)
{
    return state->device != NULL ? state->executor->fetch(ctx, image, state) : WARPLU_SUCCESS;
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
