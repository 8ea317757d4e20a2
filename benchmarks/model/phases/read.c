/* See read.h: the reader of models, told to be literal. It gives a gate's rate in the form that takes the fewest
 * operations; here it has the form of its definition. */
#include "phases/read.h"

#include "model/text/csv.h"
#include "model/text/read.h"

/* (steady - x) / tau. */
static void write_gates(wlm_equations *e)
{
    for (int32_t i = 0; i < e->n; i++) {
        if (e->steady[i] == WLM_NONE) continue;
        wlm_node away = wlm_binary(e->graph, WLM_SUB, e->steady[i], wlm_input(e->graph, 1 + i));
        e->f[i] = wlm_binary(e->graph, WLM_DIV, away, e->tau[i]);
    }
}

warplu_status wlm_phases_read(wlu_context *ctx, const char *path, wlm_equations **out)
{
    char *text;
    int64_t length;
    wlm_model *model = NULL;
    *out = NULL;
    warplu_status status = wlm_file_read(ctx, path, &text, &length);
    if (status != WARPLU_SUCCESS) return status;
    status = wlm_model_parse(ctx, path, text, length, 1, &model);
    wlu_free(ctx, text);
    if (status == WARPLU_SUCCESS) status = wlm_equations_create(ctx, model, NULL, 0, out);
    wlm_model_destroy(&model);
    if (status != WARPLU_SUCCESS) return status;
    write_gates(*out);
    status = wlm_graph_status((*out)->graph);
    if (status != WARPLU_SUCCESS) wlm_equations_destroy(out);
    return status;
}
