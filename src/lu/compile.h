/* What the files of the compiler share: compile.c (the driver), place.c (slots) and maps.c (loads and guards). */
#ifndef WLU_LU_COMPILE_H
#define WLU_LU_COMPILE_H

#include "lu/saved.h"
#include "lu/solve_regions.h"
#include "lu/symbolic.h"
#include "program/compile_stream.h"

typedef struct wlu_compiler {
    wlu_context *ctx;
    const warplu_options *options;
    const wlu_cost *cost;
    const wlu_pattern *a;
    const wlu_pivots *p;
    wlu_program *out;
    const wlu_lu_saved *saved; /* what is known of it, or NULL */
    wlu_lu *lu;                /* of that */
    wlu_layout layout;
    int32_t *tile; /* n: of each column, -1 */
    wlu_symbolic symbolic;
    wlu_solve_regions regions; /* of a solve, */
    wlu_triangular *stage;     /* this one */
    wlu_emission emission;     /* of the stream at hand */
} wlu_compiler;

/* One attempt at a program, its regions chosen under a bound on predicted bytes; or as it was saved, where that is not
 * NULL. Statuses of wlu_lu_compile, and of wlu_lu_restore. */
warplu_status wlu_lu_create(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                            const wlu_pattern *pattern, const wlu_pivots *pivots, const wlu_lu_saved *saved,
                            wlu_program **out);
/* As wlu_symbolic_find, from what was saved; free it after a failure too. WARPLU_BAD_FORMAT, WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_lu_saved_symbolic(const wlu_compiler *c, wlu_symbolic *out);

/* Builds the TILE region, whose slots stand behind those of DOT pivots, and names the tile of each column. */
warplu_status wlu_place_region(wlu_compiler *c);
/* Slots of a factorization, and of the solve at hand: see wlu_stream_job. front: the compiler. */
warplu_status wlu_place_factors(void *front, const wlu_stream *stream, int64_t sums);
warplu_status wlu_place_unknowns(void *front, const wlu_stream *stream, int64_t sums);
/* Room for partial sums of the transposed solve, which may be compiled when there are states. */
warplu_status wlu_reserve_sums(wlu_compiler *c);

/* Once slots are placed: the factorization's load map, and its guards. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_fill_loads(wlu_compiler *c);
warplu_status wlu_fill_guards(wlu_compiler *c);

#endif
