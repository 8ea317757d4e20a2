/* Compiles a built graph into two programs, of what depends on parameters alone and of the rest, with their code for
 * lanes and, where it is asked for, for one member alone. Opens and closes the workspaces that threads run them on. */
#include "model/step/part.h"

#include <string.h>

warplu_status wlm_part_create(const wlm_step_build *build, int alone, wlm_part *part)
{
    wlu_context *ctx = build->derived->ctx;
    int32_t first = 1 + build->n;
    unsigned char *fixed = WLU_CALLOC(ctx, build->inputs, unsigned char);
    memset(part, 0, sizeof *part);
    if (fixed == NULL) return wlu_fail_memory(ctx, "step");
    memset(fixed + first, 1, (size_t)build->derived->parameters);
    warplu_status status =
        wlm_program_split(build->graph, build->output, build->outputs, build->inputs, fixed, &part->once, &part->body);
    if (status == WARPLU_SUCCESS) status = wlm_code_create(ctx, part->once, WLM_ISA_BEST, &part->once_code);
    if (status == WARPLU_SUCCESS) status = wlm_code_create(ctx, part->body, WLM_ISA_BEST, &part->code);
    if (status == WARPLU_SUCCESS && alone)
        status = wlm_solo_create(ctx, part->body, WLM_ISA_BEST, WLM_LANES, &part->solo);
    wlu_free(ctx, fixed);
    return status;
}

void wlm_part_destroy(wlu_context *ctx, wlm_part *part)
{
    wlm_code_destroy(ctx, &part->once_code);
    wlm_code_destroy(ctx, &part->code);
    wlm_solo_destroy(ctx, &part->solo);
    wlm_program_destroy(ctx, &part->once);
    wlm_program_destroy(ctx, &part->body);
}

warplu_status wlm_workspace_open(wlu_context *ctx, const wlm_part *part, wlm_workspace *workspace)
{
    *workspace = (wlm_workspace){0};
    if (part->code == NULL) return WARPLU_SUCCESS;
    workspace->part = part;
    workspace->file = wlm_file_create(ctx, part->body);
    if (part->solo != NULL) workspace->lines = wlm_solo_open(ctx, part->solo);
    int enough = workspace->file != NULL && (part->solo == NULL || workspace->lines != NULL);
    return enough ? WARPLU_SUCCESS : wlu_fail_memory(ctx, "step");
}

void wlm_workspace_close(wlu_context *ctx, wlm_workspace *workspace)
{
    wlm_file_free(ctx, workspace->file);
    wlm_file_free(ctx, workspace->lines);
    *workspace = (wlm_workspace){0};
}
