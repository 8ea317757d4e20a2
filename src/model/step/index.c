/* The index of a small system: its derivatives as numbers, beside the initial values, for pencil.h. Parameters of lanes
 * are taken for numbers that are none in particular. */
#include <string.h>

#include "model/exec/formula.h"
#include "model/method/pencil.h"
#include "model/method/transversal.h"
#include "model/step/derived.h"

/* What nodes are worth where the inputs have these values. */
static warplu_status compute(const wlm_derived *d, const wlm_node *nodes, int32_t count, const double *input,
                             double *out)
{
    int32_t inputs = 1 + d->n + d->parameters;
    wlm_formula formula;
    warplu_status status = wlm_formula_create(d->ctx, "step", d->graph, nodes, count, inputs, &formula);
    if (status < 0) return status;
    for (int32_t i = 0; i < inputs; i++) *wlm_formula_input(&formula, i) = input[i];
    wlm_formula_run(&formula);
    for (int32_t i = 0; i < count; i++) out[i] = wlm_formula_output(&formula, i);
    wlm_formula_free(d->ctx, &formula);
    return WARPLU_SUCCESS;
}

/* Inputs: the time 0, then y beside its initial values, then parameters. */
static warplu_status make_inputs(const wlm_derived *d, double *input)
{
    const wlm_equations *e = d->equations;
    wlm_node *initial = WLU_ALLOC(d->ctx, d->n, wlm_node);
    if (initial == NULL) return wlu_fail_memory(d->ctx, "step");
    warplu_status status = wlm_graph_copy(e->graph, d->graph, NULL, 0, e->initial, d->n, initial);
    for (int32_t i = 0; i < d->n && status == WARPLU_SUCCESS; i++)
        if (initial[i] == WLM_NONE) initial[i] = wlm_constant(d->graph, 0.0);
    input[0] = 0.0;
    for (int32_t i = 1; i <= d->n + d->parameters; i++) input[i] = wlm_pencil_beside(1.0, i);
    if (status == WARPLU_SUCCESS) status = wlm_graph_status(d->graph);
    if (status == WARPLU_SUCCESS) status = compute(d, initial, d->n, input, input + 1);
    for (int32_t i = 0; i < d->n; i++) input[1 + i] = wlm_pencil_beside(input[1 + i], i);
    wlu_free(d->ctx, initial);
    return status;
}

/* Both matrices by columns, in one pattern. */
typedef struct numbers {
    int32_t *ptr, *idx;
    double *charge, *rate;
    double *input, *value; /* of entries of M, then of J */
    unsigned char *dynamic, *power;
    wlm_node *node;
} numbers;

/* Places of row i, at columns ascending; counted, or filled where `fill` is 1. */
static void place_row(const wlm_derived *d, numbers *a, int32_t i, int fill)
{
    const wlm_jacobian *m = &d->m, *j = &d->j;
    int32_t p = m->ptr[i], q = j->ptr[i];
    while (p < m->ptr[i + 1] || q < j->ptr[i + 1]) {
        int32_t of_m = p < m->ptr[i + 1] ? m->idx[p] : INT32_MAX, of_j = q < j->ptr[i + 1] ? j->idx[q] : INT32_MAX;
        int32_t column = of_m < of_j ? of_m : of_j, at = a->ptr[column + 1]++;
        double charge = of_m == column ? a->value[p++] : 0.0;
        double rate = of_j == column ? a->value[m->ptr[m->rows] + q++] : 0.0;
        if (!fill) continue;
        a->idx[at] = i, a->charge[at] = charge, a->rate[at] = rate;
    }
}

static void place_all(const wlm_derived *d, numbers *a)
{
    for (int32_t i = 0; i < d->n; i++) place_row(d, a, i, 0);
    for (int32_t i = 0; i < d->n; i++) a->ptr[i + 1] += a->ptr[i];
    memmove(a->ptr + 1, a->ptr, (size_t)d->n * sizeof *a->ptr); /* rows fill from where their columns begin */
    for (int32_t i = 0; i < d->n; i++) place_row(d, a, i, 1);
}

static warplu_status open_numbers(const wlm_derived *d, numbers *a)
{
    wlu_context *ctx = d->ctx;
    int64_t n = d->n, entries = (int64_t)d->m.ptr[n] + d->j.ptr[n];
    a->ptr = WLU_CALLOC(ctx, n + 2, int32_t);
    a->idx = WLU_ALLOC(ctx, entries, int32_t);
    a->charge = WLU_ALLOC(ctx, entries, double);
    a->rate = WLU_ALLOC(ctx, entries, double);
    a->input = WLU_ALLOC(ctx, 1 + n + d->parameters, double);
    a->value = WLU_ALLOC(ctx, entries, double);
    a->dynamic = WLU_ALLOC(ctx, n, unsigned char);
    a->power = WLU_ALLOC(ctx, n, unsigned char);
    a->node = WLU_ALLOC(ctx, entries, wlm_node);
    if (!WLU_ALL_THERE(a->ptr, a->idx, a->charge, a->rate, a->input, a->value, a->dynamic, a->power, a->node))
        return wlu_fail_memory(ctx, "step");
    memcpy(a->node, d->m.node, (size_t)d->m.ptr[n] * sizeof *a->node);
    memcpy(a->node + d->m.ptr[n], d->j.node, (size_t)d->j.ptr[n] * sizeof *a->node);
    for (int32_t i = 0; i < n; i++) a->dynamic[i] = d->q[i] != WLM_NONE;
    return WARPLU_SUCCESS;
}

static void close_numbers(wlu_context *ctx, numbers *a)
{
    void *all[] = {a->ptr, a->idx, a->charge, a->rate, a->input, a->value, a->dynamic, a->power, a->node};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) wlu_free(ctx, all[k]);
}

/* 1 where all rows find an unknown without numbers, as mostly. */
static warplu_status match(const wlm_derived *d, int *complete)
{
    int32_t open = 0, *row = WLU_ALLOC(d->ctx, d->n, int32_t);
    int32_t matched = row != NULL ? wlm_transversal(d->ctx, &d->j, &d->m, 0, row, &open) : -1;
    wlu_free(d->ctx, row);
    *complete = matched == d->n;
    return matched < 0 ? wlu_fail_memory(d->ctx, "step") : WARPLU_SUCCESS;
}

static int32_t line_of(const wlm_derived *d, int32_t row)
{
    return d->equations->place != NULL ? d->equations->place[row].line : 0;
}

warplu_status wlm_derived_find_index(const wlm_derived *d, int32_t *index, int32_t *unknown)
{
    numbers a = {0};
    int complete = 1;
    int32_t entries = d->m.ptr[d->n] + d->j.ptr[d->n];
    *unknown = -1;
    *index = 1;
    warplu_status status = d->algebraic > 0 ? match(d, &complete) : WARPLU_SUCCESS;
    if (status != WARPLU_SUCCESS || complete) return status;
    status = open_numbers(d, &a);
    if (status == WARPLU_SUCCESS) status = make_inputs(d, a.input);
    if (status == WARPLU_SUCCESS) status = compute(d, a.node, entries, a.input, a.value);
    if (status == WARPLU_SUCCESS) {
        place_all(d, &a);
        wlm_pencil p = {d->n, a.ptr, a.idx, a.charge, a.rate, a.dynamic};
        status = wlm_pencil_judge(d->ctx, &p, a.power, index);
    }
    int power = *index > 0 ? *index - 1 : 1;
    for (int32_t i = 0; i < d->n && status == WARPLU_SUCCESS && *index != 1; i++)
        if (a.power[i] == power && (*unknown < 0 || line_of(d, i) < line_of(d, *unknown))) *unknown = i;
    close_numbers(d->ctx, &a);
    return status;
}
