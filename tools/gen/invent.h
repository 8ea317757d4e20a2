/* Values for a pattern, where a user asks for them: a reader never invents any. */
#ifndef GEN_INVENT_H
#define GEN_INVENT_H

#include <warplu/matrix_market.h>

#include "base/context.h"

/* Fills m->values of a pattern file, by the context's allocator, and turns it real and general. The values are the same
 * for the same seed, in (-1, 1), none zero, and diagonal entries dominate their columns, so that the matrix is well
 * conditioned. WARPLU_INVALID_ARGUMENT where m is no pattern, WARPLU_OUT_OF_MEMORY. */
warplu_status gen_invent_values(wlu_context *ctx, warplu_mm_matrix *m, uint64_t seed);

#endif
