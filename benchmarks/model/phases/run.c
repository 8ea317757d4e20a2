#include "phases/run.h"

#include <string.h>

int wlm_phases_plan(wlm_method method, double h, wlm_phases_stage stage[WLM_PHASES_STAGES_MOST])
{
    if (method == WLM_EULER) {
        stage[0] = (wlm_phases_stage){0, 1, 0, 0, 0, WLM_ASSIGN_EULER, h, h};
        return 1;
    }
    if (method != WLM_RK4) return 0;
    stage[0] = (wlm_phases_stage){0, 1, 1, 0, 0, WLM_ASSIGN_RK4_FIRST, 0.5 * h, 0.5 * h};
    stage[1] = (wlm_phases_stage){1, 2, 0, 1, 0, WLM_ASSIGN_RK4_MIDDLE, 0.5 * h, 0.5 * h};
    stage[2] = (wlm_phases_stage){2, 1, 1, 0, 0, WLM_ASSIGN_RK4_MIDDLE, h, h};
    stage[3] = (wlm_phases_stage){1, 2, 0, 1, 0, WLM_ASSIGN_RK4_LAST, h / 6.0, h};
    return 4;
}

double wlm_phases_time(const wlm_phases_stage *stage, int is_last, double start, int64_t steps, double h)
{
    if (is_last) return start + (double)(steps + 1) * h; /* where the next step begins, bit by bit */
    return start + (double)steps * h + stage->ahead;
}

/* All values of a graph's nodes, one after the other. */
static void evaluate(const wlm_graph *g, const double *input, double *value)
{
    for (wlm_node node = 0; node < wlm_node_count(g); node++) {
        wlm_opcode opcode = wlm_node_opcode(g, node);
        double a[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < wlm_opcode_operands(opcode); k++) a[k] = value[wlm_node_operand(g, node, k)];
        value[node] = opcode == WLM_CONSTANT ? wlm_node_value(g, node)
                      : opcode == WLM_INPUT  ? input[wlm_node_input(g, node)]
                                             : wlm_evaluate(opcode, a[0], a[1], a[2]);
    }
}

static warplu_status begin_states(wlu_context *ctx, const wlm_equations *eq, double *variable)
{
    double *value = WLU_ALLOC(ctx, wlm_node_count(eq->graph), double);
    if (value == NULL) return wlu_fail_memory(ctx, "phases");
    evaluate(eq->graph, variable, value);
    for (int32_t i = 0; i < eq->n; i++) variable[1 + i] = value[eq->initial[i]];
    wlu_free(ctx, value);
    return WARPLU_SUCCESS;
}

warplu_status wlm_phases_state_create(wlu_context *ctx, const wlm_phases *phases, const wlm_equations *equations,
                                      double start, const double *y, const double *parameter, wlm_phases_state *out)
{
    int64_t n = phases->variables;
    warplu_status status = WARPLU_SUCCESS;
    memset(out, 0, sizeof *out);
    out->start = start;
    for (int k = 0; k < WLM_PHASES_ARRAYS; k++) out->array[k] = WLU_CALLOC(ctx, n, double);
    for (int k = 0; k < 2; k++) out->sum[k] = WLU_CALLOC(ctx, n, double);
    double *now = out->array[0];
    if (now == NULL || out->array[1] == NULL || out->array[2] == NULL || out->sum[0] == NULL || out->sum[1] == NULL)
        return wlu_fail_memory(ctx, "phases");
    now[0] = start;
    for (int32_t i = 0; i < phases->parameters; i++) now[1 + phases->states + i] = parameter[i];
    if (y != NULL)
        memcpy(now + 1, y, (size_t)phases->states * sizeof *y);
    else
        status = begin_states(ctx, equations, now);
    for (int k = 1; k < WLM_PHASES_ARRAYS; k++) memcpy(out->array[k], now, (size_t)n * sizeof *now);
    return status;
}

void wlm_phases_state_free(wlu_context *ctx, wlm_phases_state *state)
{
    for (int k = 0; k < WLM_PHASES_ARRAYS; k++) wlu_free(ctx, state->array[k]);
    for (int k = 0; k < 2; k++) wlu_free(ctx, state->sum[k]);
    memset(state, 0, sizeof *state);
}

static void launch(const wlm_phases *p, wlm_phases_memory m, int32_t phase, wlm_phases_assignment assignment)
{
    double stack[WLM_PHASES_STACK_MOST];
    m.index = p->index + p->phase[phase].first;
    for (int32_t thread = 0; thread < p->phase[phase].threads; thread++)
        wlm_phases_thread(&m, assignment, thread, stack);
}

/* Definitions of what stands in an array, into it. */
static void define(const wlm_phases *p, double *array)
{
    wlm_phases_memory m = {.code = p->code, .table = p->table, .in = array, .out = array};
    for (int32_t phase = 0; phase + 1 < p->phases; phase++) launch(p, m, phase, WLM_ASSIGN_DEFINITION);
}

static void exchange(double **a, double **b)
{
    double *other = *a;
    *a = *b;
    *b = other;
}

warplu_status wlm_phases_run(wlu_context *ctx, const wlm_phases *phases, wlm_phases_state *state, wlm_method method,
                             double h, int64_t steps)
{
    wlm_phases_stage stage[WLM_PHASES_STAGES_MOST];
    int stages = wlm_phases_plan(method, h, stage);
    if (stages == 0) return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "phases: steps are made by euler or rk4");
    for (int64_t k = 0; k < steps; k++, state->steps++) {
        for (int i = 0; i < stages; i++) {
            const wlm_phases_stage *s = &stage[i];
            wlm_phases_memory m = {NULL,
                                   phases->code,
                                   phases->table,
                                   state->array[s->in],
                                   state->array[s->out],
                                   state->array[s->base],
                                   state->sum[s->sum],
                                   state->sum[s->next_sum],
                                   s->step,
                                   wlm_phases_time(s, i + 1 == stages, state->start, state->steps, h)};
            define(phases, state->array[s->in]);
            launch(phases, m, phases->phases - 1, s->assignment);
        }
        exchange(&state->array[0], &state->array[stage[stages - 1].out]);
    }
    return WARPLU_SUCCESS;
}

void wlm_phases_define(const wlm_phases *phases, wlm_phases_state *state)
{
    define(phases, state->array[0]);
}
