/* Images and states of the executor `flow`: one launch a replay, results awaited slot by slot (cuda/flow.cu). */
#ifndef WLU_EXEC_FLOW_IMAGE_H
#define WLU_EXEC_FLOW_IMAGE_H

#include "exec/device/refine.h"
#include "exec/device/resident.h"

typedef struct wlu_flow_image {
    wlu_resident_image of;
    unsigned grid;         /* blocks of a launch */
    unsigned shared_bytes; /* of a block */
} wlu_flow_image;

/* What solves refine with, where they do. */
typedef struct wlu_flow_refine {
    wlu_device_refine of; /* without what is the caller's */
    wlu_cu_address block;
    wlu_refined *each; /* pinned: of each right-hand side of the last solve */
    int fresh; /* controls, the first ones, that solves have left as they found them; 0 once one could not be enqueued
                */
} wlu_flow_refine;

typedef struct wlu_flow_state {
    wlu_resident of;
    wlu_flow_refine refine;
} wlu_flow_state;

static inline const wlu_flow_image *wlu_flow_image_of(const wlu_resident *state)
{
    return (const wlu_flow_image *)state->base.image;
}

#endif
