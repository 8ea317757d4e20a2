/* See kind.h. */
#include "kind.h"

#include <math.h>
#include <stdlib.h>

/* Nodes of a fresh graph for the kind's leaves: parameters are constants, all others inputs. */
static int32_t replace_leaves(const wlm_kind *kind, wlm_graph *to, wlm_node *leaf)
{
    int32_t inputs = 0;
    for (int32_t i = 0; i < kind->leaves; i++)
        leaf[i] = kind->leaf[i].type == WLM_LEAF_PARAMETER
                      ? wlm_constant(to, kind->parameter[kind->leaf[i].index].value)
                      : wlm_input(to, inputs++);
    return inputs;
}

static int32_t wanted_nodes(const wlm_kind *kind, wlm_node *wanted)
{
    int32_t count = 0;
    for (int32_t i = 0; i < kind->states; i++) wanted[count++] = kind->state[i].rate;
    for (int32_t i = 0; i < kind->contributions; i++)
        if (kind->contribution[i].flow != WLM_NONE) wanted[count++] = kind->contribution[i].flow;
    return count;
}

warplu_status kind_compile(wlu_context *ctx, const wlm_kind *kind, wlm_program **out)
{
    wlm_graph *to = NULL;
    wlm_node *leaf = calloc((size_t)kind->leaves + 1, sizeof *leaf);
    wlm_node *wanted = calloc((size_t)(kind->states + kind->contributions) + 1, sizeof *wanted);
    warplu_status status = leaf != NULL && wanted != NULL ? wlm_graph_create(ctx, 0, &to) : WARPLU_OUT_OF_MEMORY;
    if (status == WARPLU_SUCCESS) {
        int32_t inputs = replace_leaves(kind, to, leaf), outputs = wanted_nodes(kind, wanted);
        status = wlm_graph_copy(kind->graph, to, leaf, kind->leaves, wanted, outputs, wanted);
        if (status == WARPLU_SUCCESS) status = wlm_program_compile(to, wanted, outputs, inputs, out);
    }
    wlm_graph_destroy(&to);
    free(leaf);
    free(wanted);
    return status;
}

/* Initial values depend on parameters alone, so that a copy with numbers for those is a number. */
static warplu_status initial_values(wlu_context *ctx, const wlm_kind *kind, double *initial)
{
    wlm_graph *to = NULL;
    wlm_node *leaf = calloc((size_t)kind->leaves + 1, sizeof *leaf);
    warplu_status status = leaf != NULL ? wlm_graph_create(ctx, 0, &to) : WARPLU_OUT_OF_MEMORY;
    if (status == WARPLU_SUCCESS) replace_leaves(kind, to, leaf);
    for (int32_t i = 0; status == WARPLU_SUCCESS && i < kind->states; i++) {
        wlm_node node = kind->state[i].initial;
        status = wlm_graph_copy(kind->graph, to, leaf, kind->leaves, &node, 1, &node);
        if (status == WARPLU_SUCCESS) initial[i] = wlm_node_value(to, node);
    }
    wlm_graph_destroy(&to);
    free(leaf);
    return status;
}

static double input_value(const wlm_leaf *leaf, const double *initial, long number)
{
    double part = fmod(0.6180339887498949 * (double)number, 1.0);
    if (leaf->type == WLM_LEAF_TIME) return 1000.0 * part;
    if (leaf->type == WLM_LEAF_STATE) return initial[leaf->index] * (0.8 + 0.4 * part);
    return -90.0 + 130.0 * part;
}

warplu_status kind_inputs(wlu_context *ctx, const wlm_kind *kind, long blocks, double *in)
{
    double *initial = calloc((size_t)kind->states + 1, sizeof *initial);
    warplu_status status = initial != NULL ? initial_values(ctx, kind, initial) : WARPLU_OUT_OF_MEMORY;
    for (long block = 0; status == WARPLU_SUCCESS && block < blocks; block++)
        for (int32_t i = 0; i < kind->leaves; i++)
            for (int lane = 0; kind->leaf[i].type != WLM_LEAF_PARAMETER && lane < WLM_LANES; lane++)
                *in++ = input_value(&kind->leaf[i], initial, block * WLM_LANES + lane + 17 * i);
    free(initial);
    return status;
}
