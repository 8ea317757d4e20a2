/* What a launch of `phases` is given: for host, kernels and the fake driver alike. */
#ifndef PHASES_MEMORY_H
#define PHASES_MEMORY_H

#include <stdint.h>

/* What ASSIGN does with a value: of a definition stores it; of an ODE, whose rate it is, makes a step by Euler's
 * method, or by the first, the second and third, or the last stage of Runge and Kutta's. */
typedef enum wlm_phases_assignment {
    WLM_ASSIGN_DEFINITION,
    WLM_ASSIGN_EULER,
    WLM_ASSIGN_RK4_FIRST,
    WLM_ASSIGN_RK4_MIDDLE,
    WLM_ASSIGN_RK4_LAST,
    WLM_ASSIGNMENTS
} wlm_phases_assignment;

/* The arrays of a launch, each of all variables. Definitions are written where they are read. */
typedef struct wlm_phases_memory {
    const uint32_t *index; /* of each thread: where its bytecode begins, in words */
    const uint32_t *code;
    const unsigned char *table;
    const double *in;
    double *out;
    const double *base; /* of RK4: at the beginning of the step */
    const double *sum;  /* of RK4: the rates of the stages before, with their weights */
    double *next_sum;   /* and this one's */
    double step;        /* its size; of RK4's stages how far the next one is away; of the last one, a sixth */
    double time;        /* that `out` is at: variable 0 */
} wlm_phases_memory;

#endif
