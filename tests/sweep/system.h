/* One linear system of the sweep, and how others solve it. */
#ifndef WLU_SWEEP_SYSTEM_H
#define WLU_SWEEP_SYSTEM_H

#include <warplu/matrix_market.h>

typedef struct sweep_system {
    char name[128];
    warplu_mm_matrix a;
    double *b; /* nrow: from NAME_b.mtx.gz, or ones */
    int has_b;
} sweep_system;

/* Reads folder/name.mtx.gz and its right-hand side. Nothing is owned on failure; ctx keeps the message. */
warplu_status sweep_read(const char *folder, const char *name, sweep_system *s);
void sweep_free(sweep_system *s);

/* Componentwise backward error as the public header defines it, residual in long double. */
double sweep_backward_error(const sweep_system *s, const double *x);

/* KLU's backward error for the system after so many refinement steps; -1 where this build has no KLU, infinite
 * where it fails. */
double sweep_klu_error(const sweep_system *s, int steps);

#endif
