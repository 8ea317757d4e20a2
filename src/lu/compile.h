/* What the files of the compiler share: compile.c (the driver, slots, solves) and maps.c (loads and guards). */
#ifndef WLU_LU_COMPILE_H
#define WLU_LU_COMPILE_H

#include "program/fuse.h"
#include "lu/symbolic.h"
#include "lu/solve_stages.h"

typedef struct wlu_compiler {
    wlu_context *ctx;
    const warplu_options *options;
    const wlu_cost *cost;
    const wlu_pattern *a;
    const wlu_pivots *p;
    wlu_program *out;
    wlu_layout layout;
    wlu_fuse fuse;
    wlu_emitter *emitter;
    int64_t sums;  /* partial sums of the stream at hand */
    int32_t *tile; /* n: of each column, -1 */
    wlu_symbolic symbolic;
    wlu_solve_stages turns; /* of a solve */
    wlu_record *loads;      /* a->nnz, in emission order: by column of L and U */
} wlu_compiler;

/* Once slots are placed: the factorization's load map, and its guards. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_fill_loads(wlu_compiler *c);
warplu_status wlu_fill_guards(wlu_compiler *c);

#endif
