/* A bank: the instances of a use in lanes, 64 an instruction, with their equations as a program.
 *
 * Inputs are gathered from the arrays of unknowns, sums, fixed numbers and parameters, which is a copy where instances
 * stand in the order of their nodes; the program runs; outputs go to an array with a number for each instance, either
 * of a vector like the unknowns (rates, new states) or of contributions, which wlm_gather sums. */
#ifndef WLU_MODEL_SYSTEM_BANK_H
#define WLU_MODEL_SYSTEM_BANK_H

#include "model/exec/exec.h"
#include "model/system/layout.h"

/* A want says what a bank computes. */
typedef enum wlm_want {
    WLM_WANT_SUMS,        /* contributions to sums of one level */
    WLM_WANT_VALUES,      /* f and q */
    WLM_WANT_MATRIX,      /* f, q and the entries of factors[0] dq/dy + factors[1] df/dy */
    WLM_WANT_BY_TIME,     /* as of VALUES, f's derivatives by time; where it has none nothing is written */
    WLM_WANT_UPDATE,      /* f of nodes; states after a step of factors[0]: gates by Rush and Larsen, others by Euler */
    WLM_WANT_INITIAL,     /* states and unknowns where a run begins */
    WLM_WANT_PULSES,      /* as contributions without targets: delay, width, period (0: none) of each pulse */
    WLM_WANT_CROSSINGS,   /* as contributions without targets: of each event what rises through 0; 1 of timed ones */
    WLM_WANT_TIMES,       /* the same: its time; NaN of others */
    WLM_WANT_ASSIGNMENTS, /* the same: values of all its assignments */
    WLM_WANT_MASS /* as f of nodes, the derivative of q by the node itself: WARPLU_MODEL_EQUATIONS where that is not
                       * constant, or q depends on more */
} wlm_want;

/* Where the numbers of instances stand: first + node[i], or first + i where node is NULL. */
typedef struct wlm_where {
    int32_t first;
    const int32_t *node;
} wlm_where;

static inline int32_t wlm_where_at(const wlm_where *where, int32_t instance)
{
    return where->first + (where->node != NULL ? where->node[instance] : instance);
}

typedef enum wlm_source { WLM_SOURCE_TIME, WLM_SOURCE_FACTOR, WLM_SOURCE_PARAMETER, WLM_SOURCE_MEMORY } wlm_source;

typedef struct wlm_bank_input {
    wlm_source source;
    int32_t slot;
    int32_t factor;          /* of FACTOR: 0 or 1 */
    const double *parameter; /* of PARAMETER: of each instance */
    wlm_memory memory;       /* of MEMORY */
    wlm_where where;
    int in_order; /* 1: node[i] is node[0] + i, or there is none */
} wlm_bank_input;

/* The role of an output: a number of the vector that a caller gives; or a contribution to f, q, a sum, the matrix, or
 * to nothing. */
typedef enum wlm_role {
    WLM_ROLE_VECTOR,
    WLM_ROLE_F,
    WLM_ROLE_Q,
    WLM_ROLE_SUM,
    WLM_ROLE_ENTRY,
    WLM_ROLE_ALONE
} wlm_role;

typedef struct wlm_bank_output {
    wlm_role role;
    wlm_where row, column; /* column: of an ENTRY */
    int32_t at;            /* of VECTOR: row.first; else where its contributions begin */
} wlm_bank_output;

typedef struct wlm_bank {
    int32_t use, count; /* instances */
    int32_t inputs, outputs;
    int varies;       /* of a MATRIX: 1 where equations are other than linear, with coefficients that stay */
    int32_t changing; /* of a MATRIX: output of the first charge not linear in the unknowns alone; or -1 */
    wlm_bank_input *input;
    wlm_bank_output *output;
    wlm_program *program;
    wlm_code *code;
} wlm_bank;

/* The use's program for what is wanted (level: of WANT_SUMS). Where nothing is, *out has no outputs. Contributions are
 * placed from *contributions on, which rises. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_NOT_COMPILED. */
warplu_status wlm_bank_create(const wlm_layout *layout, int32_t use, wlm_want want, int32_t level, wlm_isa isa,
                              int32_t *contributions, wlm_bank *out);
void wlm_bank_free(wlu_context *ctx, wlm_bank *bank);

typedef struct wlm_bank_arrays {
    double t;
    double factor[2];
    const double *memory[3]; /* of wlm_memory */
    double *vector;
    double *contribution;
} wlm_bank_arrays;

/* Instances begin to end - 1, whole chunks of 64 but for the last; file: of this program. 1 where all that was written
 * to the vector is finite. */
int wlm_bank_run(const wlm_bank *bank, double *file, const wlm_bank_arrays *arrays, int32_t begin, int32_t end);

#endif
