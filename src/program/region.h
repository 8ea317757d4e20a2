/* The COLUMN region: supernodes, panels and segments of the pivots that are not compiled as DOT streams. */
#ifndef WLU_REGION_H
#define WLU_REGION_H

#include "program/program.h"

/* Builds program->columns for program->columned and hands out slots from *next on: first the U segments, then
 * the panels. Fills program->slot for the logical L, U and pivot slots of the region, and
 * program->segments and panels. WARPLU_OUT_OF_MEMORY, WARPLU_INTERNAL. */
warplu_status wlu_region_build(wlu_context *ctx, const wlu_pivots *pivots, wlu_program *program, int64_t *next);
void wlu_region_free(wlu_context *ctx, wlu_columns *columns);
int64_t wlu_region_bytes(const wlu_columns *columns);

#endif
