/* The sections of warplu info, one function each. */
#ifndef WLU_INFO_H
#define WLU_INFO_H

#include <warplu/matrix_market.h>

#include "facts.h"
#include "load.h"

/* Scalar levels are counted without being asked for up to this many terms. */
enum { INFO_SCALAR_TERMS = 100000000 };

/* Rank, symmetry, blocks. solver may be NULL or without analysis. WARPLU_OUT_OF_MEMORY. */
warplu_status info_structure(facts *f, wlu_context *ctx, const warplu_mm_matrix *m, const warplu_solver *solver);
/* The orderings that analysis has compared. */
void info_orderings(facts *f, const warplu_solver *solver);
void info_pivots(facts *f, const warplu_solver *solver);
void info_program(facts *f, const warplu_solver *solver);
/* The unfused program of the method, factorization and one solve. */
warplu_status info_scalar(facts *f, wlu_context *ctx, const warplu_solver *solver, int however_long);
/* info_device.c: a solver that compiles for the device's target and replays here, whether or not there is a device. */
warplu_status info_plan_device(const load_setup *setup, warplu_solver **solver);
/* The program as it is packed for a device. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status info_device_program(facts *f, wlu_context *ctx, const warplu_solver *solver);
/* The device, or why there is none. */
void info_device(facts *f);

#endif
