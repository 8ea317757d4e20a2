/* A formula is nodes of a graph, compiled and ready to run on one lane. It computes definitions, initial values and
 * what an index is judged by. Memory: a program, and a file of 64 lanes. */
#ifndef WLU_MODEL_EXEC_FORMULA_H
#define WLU_MODEL_EXEC_FORMULA_H

#include "model/exec/exec.h"

typedef struct wlm_formula {
    wlm_program *program; /* NULL of an empty formula */
    wlm_code *code;
    double *file;
} wlm_formula;

/* Compiles nodes of a graph with so many inputs; `what` names them in messages. WARPLU_OUT_OF_MEMORY,
 * WARPLU_OVERFLOW: the formula is empty then. */
warplu_status wlm_formula_create(wlu_context *ctx, const char *what, const wlm_graph *graph, const wlm_node *nodes,
                                 int32_t count, int32_t inputs, wlm_formula *out);
/* Frees a formula and leaves it empty; an empty one will do. */
void wlm_formula_free(wlu_context *ctx, wlm_formula *formula);

static inline double *wlm_formula_input(const wlm_formula *f, int32_t number)
{
    return &f->file[(int64_t)number * WLM_LANES];
}

static inline void wlm_formula_run(const wlm_formula *f)
{
    wlm_run(f->code, f->file, 1);
}

static inline double wlm_formula_output(const wlm_formula *f, int32_t number)
{
    return f->file[(int64_t)(f->program->inputs + number) * WLM_LANES];
}

#endif
