/* A solve's streams as tasks: bundles that a block takes together. */
#ifndef WLU_DEVICE_PACK_RUNS_H
#define WLU_DEVICE_PACK_RUNS_H

#include "exec/device/pack_stream.h"

typedef struct wlu_task_list {
    wlu_solve_task *task;
    int64_t count;
} wlu_task_list;

/* Tasks of the stream's bundles, in their order, none with bundles of two parts. Levels of few bundles, where several follow each
 * other, become one task, and operands of theirs that it computes itself places in its shared memory. part: the first bundle of each
 * part, and their number. slots: of the program and beyond it. On failure free it all the same. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_runs_cut(wlu_context *ctx, wlu_stream_image *stream, const int64_t *part, int32_t parts, int64_t slots,
                           wlu_task_list *out);
void wlu_task_list_free(wlu_context *ctx, wlu_task_list *list);

#endif
