/* States of the batch executor `cuda`, which its files share. See cuda.c. */
#ifndef WLU_EXEC_BATCH_CUDA_STATE_H
#define WLU_EXEC_BATCH_CUDA_STATE_H

#include "exec/batch/batch.h"
#include "exec/batch/cuda_pack.h"
#include "exec/device/resident.h"

enum { WLU_BATCH_ROOMS = 2 };

/* Where numbers of members are on their way, pinned and on the device, and a stream that they are on their way in.
 * Jobs of the host take the rooms in turn: while one computes, the other is filled. */
typedef struct wlu_batch_transit {
    double *values, *b, *x;
    int32_t *place;
    wlu_group_result *result;
} wlu_batch_transit;

typedef struct wlu_batch_room_state {
    wlu_cu_handle stream;
    wlu_batch_transit host, device;
    int32_t begin, count, column; /* of the job: what is under way; count 0: nothing */
} wlu_batch_room_state;

typedef struct wlu_batch_device_state {
    wlu_batch_state base;
    const wlu_flat *flat;
    wlu_team *team; /* whose threads copy, or NULL */
    const wlu_cuda_device *device;
    const wlu_cuda_kernels *kernels, *movers; /* movers: of what is beside replays */
    wlu_group_factor factor;                  /* pointers are the device's */
    wlu_group_solve solve[2];
    wlu_refine_rows rows[2];
    wlu_device_gather gather;
    wlu_cu_address image[2];   /* of the factorization and the solve, of the transposed solve; 0: none */
    wlu_cu_address block, own; /* numbers of all lanes; slots of solves */
    void *pinned;
    wlu_group_work work;  /* pointers, and what all launches have alike */
    int32_t lanes, chunk; /* of the device's work; members of a room */
    int single, rooms;
    int elsewhere; /* a stream of the caller's has been used: it may be gone by now, or in a graph that runs again */
    wlu_batch_room_state room[WLU_BATCH_ROOMS];
} wlu_batch_device_state;

/* Where a launch's numbers are, on the device: values NULL: no refactorization; x NULL: no solve. */
typedef struct wlu_batch_task {
    wlu_group_work work;
    wlu_member_view values, b;
    wlu_member_output x;
    wlu_group_result *result;
    wlu_stream_kind kind;
    wlu_batch_check check;
    int32_t column; /* the first begins the tale of what has become of members */
    int tells;      /* the last: results are wanted */
} wlu_batch_task;

/* Within the device's context; nothing is waited for. What the driver answers. */
warplu_status wlu_batch_cuda_enqueue(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_task *t,
                                     wlu_cu_handle stream);

/* A job of the host in turns, of states that share no caller's stream: turns follow each other, and wait for no more
 * than a room. */
int64_t wlu_batch_cuda_turns(const wlu_batch_state *state, const wlu_batch_job *job);
warplu_status wlu_batch_cuda_turn(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job, int64_t turn);
/* After the last turn, or the one that failed with this status: waits, and delivers what has not failed. */
warplu_status wlu_batch_cuda_end(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job,
                                 warplu_status status);

/* The executor's functions. */
warplu_status wlu_batch_cuda_run(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job);
extern const wlu_batch_on_device wlu_batch_cuda_on_device;

#endif
