/* A bank: the instances of a use in lanes, 64 an instruction, with their equations as a program.
 *
 * Inputs are read from the arrays of unknowns, sums, fixed numbers and parameters, which is a copy where instances
 * stand in the order of their nodes, and mostly splices of two where they nearly do (indices.h); the program runs;
 * outputs go to an array with a number for each instance, either of a vector like the unknowns (rates, new states) or
 * of contributions, which wlm_gather sums. What is the only contribution to each of its sums is written there at once.
 * What is added here and subtracted there, as a current at both ends of a resistor, is one output with two addends. */
#ifndef WLU_MODEL_SYSTEM_BANK_H
#define WLU_MODEL_SYSTEM_BANK_H

#include "model/exec/moving.h"
#include "model/exec/solo.h"
#include "model/system/indices.h"
#include "model/system/layout.h"

/* A want says what a bank computes. */
typedef enum wlm_want {
    WLM_WANT_SUMS,        /* contributions to sums of one level */
    WLM_WANT_VALUES,      /* f and q */
    WLM_WANT_MATRIX,      /* f, q and the entries of factors[0] dq/dy + factors[1] df/dy */
    WLM_WANT_BY_TIME,     /* placed as f: its derivatives by time; nothing is written where it has none */
    WLM_WANT_Q_BY_TIME,   /* placed as f, likewise: those of q */
    WLM_WANT_UPDATE,      /* f of nodes; states after a step factors[0]: gates by Rush and Larsen, others by Euler */
    WLM_WANT_INITIAL,     /* initial states and unknowns */
    WLM_WANT_PULSES,      /* as contributions without targets: delay, width, period (0: none) of each pulse */
    WLM_WANT_LIMITS,      /* the same: each limit of the step */
    WLM_WANT_CROSSINGS,   /* the same: each event's crossing; 1 of timed events */
    WLM_WANT_TIMES,       /* the same: each event's time; NaN of those by crossing */
    WLM_WANT_ASSIGNMENTS, /* the same: the values of each event's assignments */
    WLM_WANT_MASS /* placed as f of nodes: dq/dy by the node itself. WARPLU_MODEL_EQUATIONS where that is not constant,
                   * or q depends on more */
} wlm_want;

/* Says where instance i has its number: at first + node[i], or at first + i where node is NULL. */
typedef struct wlm_where {
    int32_t first;
    const int32_t *node;
} wlm_where;

/* Returns 1 where numbers of so many instances stand one after the other. */
int wlm_where_in_order(const wlm_where *where, int32_t count);

static inline int32_t wlm_where_at(const wlm_where *where, int32_t instance)
{
    return where->first + (where->node != NULL ? where->node[instance] : instance);
}

typedef enum wlm_source { WLM_SOURCE_TIME, WLM_SOURCE_FACTOR, WLM_SOURCE_PARAMETER, WLM_SOURCE_MEMORY } wlm_source;

typedef struct wlm_bank_input {
    wlm_source source;
    int32_t slot;
    int32_t factor;          /* FACTOR: 0 or 1 */
    const double *parameter; /* PARAMETER: a value for each instance */
    wlm_memory memory;       /* MEMORY: which one */
    wlm_where where;
    int in_order;               /* 1: node[i] is node[0] + i, or node is NULL */
    const wlm_indices *indices; /* of nodes that are not in order */
} wlm_bank_input;

/* The role of a row: a number of the caller's vector, or a contribution to f, q, a sum, the matrix or nothing. */
typedef enum wlm_role {
    WLM_ROLE_VECTOR,
    WLM_ROLE_F,
    WLM_ROLE_Q,
    WLM_ROLE_SUM,
    WLM_ROLE_ENTRY,
    WLM_ROLE_ALONE
} wlm_role;

/* An output's numbers, one for each instance, stand from `at` on: in the caller's vector, or among contributions. */
typedef struct wlm_bank_output {
    int to_vector;
    int32_t at;
    int is_sum; /* 1: the program's numbers are sums themselves, and go there: `sum` says where, of each instance */
    wlm_where sum;
    int in_order; /* 1: those are in order */
} wlm_bank_output;

/* What is added to, or subtracted from, a target of each instance: an output's contribution. */
typedef struct wlm_bank_addend {
    wlm_role role; /* F, Q, SUM or ENTRY */
    int32_t output;
    int minus;
    wlm_where row, column; /* column: of an ENTRY alone */
} wlm_bank_addend;

/* Returns the contribution that an addend has of an instance, as gather.h takes it. */
static inline int32_t wlm_addend_of(const wlm_bank_output *output, const wlm_bank_addend *addend, int32_t instance)
{
    int32_t at = output[addend->output].at + instance;
    return addend->minus ? ~at : at;
}

typedef struct wlm_bank {
    int32_t use, count; /* instances */
    int32_t inputs, outputs, addends;
    int varies;         /* MATRIX: 1 unless equations are linear with constant coefficients */
    int changes;        /* MATRIX: 1 where a charge is no constant times unknowns */
    wlm_where changing; /* then: where the first such charge stands */
    wlm_bank_input *input;
    int32_t ports;
    wlm_indices *indices;    /* of each port, whose nodes are not in order */
    wlm_bank_output *output; /* the program's */
    wlm_bank_addend *addend; /* by rows: the order in which an instance's are added */
    wlm_program *program;
    const wlm_kernels *kernels;
    wlm_code *code;       /* NULL where there is a solo */
    wlm_solo *solo;       /* of a single instance that runs often: the program without idle lanes; NULL: none */
    unsigned char *moves; /* for each input and output of the program: 1 where whole chunks stand in arrays */
} wlm_bank;

/* Makes the use's program for a want; level is that of WANT_SUMS. *out has no outputs where the use has none of
 * them. Contributions get places from *contributions on, which grows. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW,
 * WARPLU_NOT_COMPILED. */
warplu_status wlm_bank_create(const wlm_layout *layout, int32_t use, wlm_want want, int32_t level, wlm_isa isa,
                              int32_t *contributions, wlm_bank *out);
void wlm_bank_free(wlu_context *ctx, wlm_bank *bank);

typedef struct wlm_bank_arrays {
    double t;
    double factor[2];
    const double *memory[3]; /* by wlm_memory */
    double *vector;
    double *contribution;
    double *sum; /* all sums, where outputs are such */
} wlm_bank_arrays;

/* What one thread runs a bank on: a file of the program; lines of its solo, or code that moves, where it has them. */
typedef struct wlm_bank_room {
    double *file, *lines;
    wlm_moving *moving;
} wlm_bank_room;

/* Makes room, which is empty for banks without outputs. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_bank_open(wlu_context *ctx, const wlm_bank *bank, wlm_bank_room *out);
void wlm_bank_close(wlu_context *ctx, wlm_bank_room *room);

/* Runs instances begin to end - 1, in chunks of 64; begin is a multiple of 64. Returns 1 where all that was written
 * to the vector is finite. */
int wlm_bank_run(const wlm_bank *bank, const wlm_bank_room *room, const wlm_bank_arrays *arrays, int32_t begin,
                 int32_t end);

#endif
