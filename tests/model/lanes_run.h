/* Compiles outputs of a graph and runs them once, for tests: inputs and outputs stand [number][lane]. */
#ifndef WLU_TESTS_MODEL_LANES_RUN_H
#define WLU_TESTS_MODEL_LANES_RUN_H

#include <string.h>

#include "model/exec/exec.h"

static inline int run_once(wlu_context *ctx, const wlm_graph *graph, const wlm_node *wanted, int32_t outputs,
                           const double *in, int32_t inputs, double *out)
{
    wlm_program *program = NULL;
    wlm_code *code = NULL;
    if (wlm_program_compile(graph, wanted, outputs, inputs, &program) != WARPLU_SUCCESS) return 0;
    int ok = wlm_code_create(ctx, program, WLM_ISA_BEST, &code) == WARPLU_SUCCESS;
    double *file = ok ? wlm_file_create(ctx, program) : NULL;
    if (file != NULL) {
        memcpy(file, in, (size_t)inputs * WLM_LANES * sizeof *in);
        wlm_run(code, file, WLM_LANES);
        memcpy(out, file + (int64_t)inputs * WLM_LANES, (size_t)outputs * WLM_LANES * sizeof *out);
    }
    wlm_file_free(ctx, file);
    wlm_code_destroy(ctx, &code);
    wlm_program_destroy(ctx, &program);
    return file != NULL;
}

#endif
