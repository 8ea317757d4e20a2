/* Stamps: a matrix as the sum of its elements' contributions, and its assembly into CSC.
 *
 * A generator calls stamp_begin() once and then stamps. Every stamped place is an entry of the pattern,
 * whatever the value; contributions to one place are summed, off the diagonal in the order given. GEN_GROUND
 * as a row or column is the reference node: what falls there vanishes. The first failure is kept in status;
 * later stamps do nothing, so that generators need not look.
 *
 * Memory: 16 bytes for each stamp off the diagonal and 17 for each unknown; 12 more for each stamp and 12 for
 * each entry while it assembles. */
#ifndef GEN_STAMP_H
#define GEN_STAMP_H

#include "base/context.h"

enum { GEN_GROUND = -1 };

typedef struct gen_matrix {
    int32_t n;
    int32_t *ptr;   /* n + 1 */
    int32_t *idx;   /* ptr[n] row indices, ascending in each column, no duplicates */
    double *values; /* ptr[n] */
    double *rhs;    /* n */
} gen_matrix;

typedef struct stamp_entry {
    int32_t row, col;
    double value;
} stamp_entry;

typedef struct stamp {
    wlu_context *ctx;
    warplu_status status;
    int32_t n;
    int64_t count, capacity; /* of entries */
    stamp_entry *entries;    /* off the diagonal */
    double *diagonal;        /* n */
    char *has_diagonal;      /* n */
    double *rhs;             /* n */
} stamp;

void stamp_init(stamp *s, wlu_context *ctx);
void stamp_free(stamp *s);

/* Makes room for n unknowns and about nnz entries. 0, with the status set, where n or nnz is over 2^31 - 1
 * (WARPLU_OVERFLOW) or memory is short; else 1. */
int stamp_begin(stamp *s, int64_t n, int64_t nnz);

void stamp_add(stamp *s, int32_t row, int32_t col, double value);
/* A current flowing into the node: right-hand side. */
void stamp_current(stamp *s, int32_t node, double current);
/* A conductance between two nodes. */
void stamp_conductance(stamp *s, int32_t a, int32_t b, double g);
/* Backward Euler's companion of a capacitor: c_over_h = C / h, volts = v_a - v_b a step ago. */
void stamp_capacitor(stamp *s, int32_t a, int32_t b, double c_over_h, double volts);
/* An ideal source from ground to node; branch is the unknown of its current: a zero on the diagonal. */
void stamp_voltage_source(stamp *s, int32_t node, int32_t branch, double volts);

/* Sums and sorts into *out and releases what the builder holds. On failure *out is empty. */
warplu_status stamp_assemble(stamp *s, gen_matrix *out);

void gen_matrix_free(wlu_context *ctx, gen_matrix *m);

#endif
