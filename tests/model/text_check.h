/* What tests of models' texts share: a text read, and values of its nodes. */
#ifndef WLU_TEST_MODEL_TEXT_CHECK_H
#define WLU_TEST_MODEL_TEXT_CHECK_H

#include "model/text/read.h"

#include <math.h>
#include <string.h>

#include "support/check.h"

static wlu_context text_ctx;

/* NULL, and a failed check, where the text is refused. */
static wlm_model *text_read(const char *text)
{
    wlm_model *model;
    wlu_context_init(&text_ctx, NULL);
    warplu_status status = wlm_model_parse(&text_ctx, "test.wm", text, (int64_t)strlen(text), 0, &model);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", text_ctx.last_message);
    return model;
}

/* The value of a node, with values for the time, all parameters, states, unknowns and quantities of ports. */
typedef struct text_inputs {
    double time;
    const double *parameter, *state, *unknown, *port;
} text_inputs;

static double text_input(const wlm_kind *kind, const text_inputs *in, int32_t number)
{
    wlm_leaf leaf = kind->leaf[number];
    switch (leaf.type) {
    case WLM_LEAF_TIME: return in->time;
    case WLM_LEAF_PARAMETER:
        return in->parameter != NULL ? in->parameter[leaf.index] : kind->parameter[leaf.index].value;
    case WLM_LEAF_STATE: return in->state[leaf.index];
    case WLM_LEAF_UNKNOWN: return in->unknown[leaf.index];
    default: return in->port[leaf.index];
    }
}

static double text_value(const wlm_kind *kind, wlm_node wanted, const text_inputs *in)
{
    const wlm_graph *g = kind->graph;
    double *v = malloc(((size_t)wanted + 1) * sizeof *v);
    for (wlm_node node = 0; node <= wanted; node++) {
        wlm_opcode opcode = wlm_node_opcode(g, node);
        double operand[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < wlm_opcode_operands(opcode); k++) operand[k] = v[wlm_node_operand(g, node, k)];
        v[node] = opcode == WLM_CONSTANT ? wlm_node_value(g, node)
                  : opcode == WLM_INPUT
                      ? text_input(kind, in, wlm_node_input(g, node))
                      : wlm_evaluate_with(wlm_node_table(g, node), opcode, operand[0], operand[1], operand[2]);
    }
    double value = v[wanted];
    free(v);
    return value;
}

/* The value of a definition of the first element; NaN where there is none of this name. */
static inline double text_local(const wlm_model *model, const char *name, const text_inputs *in)
{
    const wlm_kind *kind = &model->kind[0];
    for (int32_t k = 0; k < kind->locals; k++)
        if (strcmp(kind->local[k].name, name) == 0) return text_value(kind, kind->local[k].node, in);
    CHECK_SAY(0, "no definition '%s'", name);
    return NAN;
}

#endif
