/* One member's replay by the reference executor, for each precision and kind of numbers. */
#ifndef WLU_EXEC_REFERENCE_REFERENCE_H
#define WLU_EXEC_REFERENCE_REFERENCE_H

#include "exec/host.h"
#include "exec/state.h"

typedef struct wlu_reference_replay {
    /* health: of this refactorization. */
    void (*refactor)(const wlu_program *program, const wlu_host_slots *slots, const double *values, wlu_health *health);
    /* Returns the largest magnitude of x, by bits. b and x may be the same. */
    double (*solve)(const wlu_program *program, const wlu_host_slots *slots, const wlu_triangular *solve,
                    const double *b, double *x);
} wlu_reference_replay;

extern const wlu_reference_replay wlu_replay_reference, wlu_replay_reference_single, wlu_replay_reference_complex;

#endif
