/* Images and states of the executor `flow`: one launch a replay, results awaited slot by slot (cuda/flow.cu). */
#ifndef WLU_EXEC_FLOW_IMAGE_H
#define WLU_EXEC_FLOW_IMAGE_H

#include "exec/device/refine.h"
#include "exec/device/resident.h"

/* A kind of solve on the device. */
typedef struct wlu_flow_solve {
    wlu_device_solve placed; /* pointers into `block` */
    wlu_cu_address block;
    int64_t bytes; /* of it */
} wlu_flow_solve;

/* Rows for residuals. */
typedef struct wlu_flow_rows {
    wlu_refine_rows placed; /* pointers into `block` */
    wlu_cu_address block;
    int64_t bytes; /* of it */
} wlu_flow_rows;

typedef struct wlu_flow_image {
    wlu_resident_image of;
    wlu_device_program placed; /* pointers into `block` */
    wlu_cu_address block;
    unsigned grid;           /* blocks of a launch */
    unsigned shared_bytes;   /* of a block */
    wlu_flow_solve solve[2]; /* A; A', once it is wanted */
    wlu_flow_rows rows[2];   /* the same, where solves refine */
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
