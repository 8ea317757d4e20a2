/* Scalar programs as the method's paper has them: MSUB and DIV of the factorization and of a substitution in place, one
 * stream, in vectors by level, split by opcode or not.
 *
 * An opcode that a level sees first keeps it; the other follows directly. Inside a vector the order is that of
 * emission. */
#ifndef SCALAR_H
#define SCALAR_H

#include "scalar_levels.h"
#include "records.h"

typedef struct scalar_program {
    wlu_context *ctx;
    int64_t slots, nrecords, nvectors, longest;
    scalar_vector *vector;
    int32_t *t, *a, *b;
    uint8_t *opcode;
    /* slots each: what the loads leave, for a right-hand side of ones, and what the records make of it in the order of
     * emission */
    double *start, *end;
    float *start_float, *end_float;
} scalar_program;

/* entries: of A, gathered. On failure nothing is owned. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status scalar_create(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots, const double *entries,
                            int split, scalar_program *out);
void scalar_free(scalar_program *program);

#endif
