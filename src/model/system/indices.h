/* Reads the numbers of nodes in the order of instances.
 *
 * Instances mostly stand in runs, node after node, as those of a pipe or a cable do. Eight of them that are in at most
 * two runs are read by two vectors (a splice); the few others by their index. Cost: half a nanosecond a number by
 * indices, a fifth of it by splices; memory 1.5 bytes an instance and 8 for each number that is read by itself. */
#ifndef WLU_MODEL_SYSTEM_INDICES_H
#define WLU_MODEL_SYSTEM_INDICES_H

#include "base/context.h"
#include "model/exec/kernel.h"

/* An instance of a chunk that no splice reads, and its node. */
typedef struct wlm_lone {
    int32_t lane, node;
} wlm_lone;

typedef struct wlm_indices {
    const int32_t *node; /* of each instance */
    wlm_splice *splice;  /* of each eight instances; NULL: all are read by their index */
    int32_t *first_lone; /* chunks + 1; where there are as many as in the chunk before, all are read by splices */
    wlm_lone *lone;
} wlm_indices;

/* Makes indices; node, below `nodes`, stays the caller's. Without splices where few instances stand in runs.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_indices_make(wlu_context *ctx, const int32_t *node, int32_t count, int32_t nodes, wlm_indices *out);
void wlm_indices_free(wlu_context *ctx, wlm_indices *indices);

/* Reads the numbers of instances begin to begin + lanes - 1, at most a chunk, which begins at a multiple of 64; room
 * for whole vectors of eight is needed in `to`. */
void wlm_indices_read(const wlm_indices *indices, const wlm_kernels *kernels, const double *from, int32_t begin,
                      int32_t lanes, double *to);

#endif
