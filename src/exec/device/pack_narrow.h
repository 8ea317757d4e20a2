/* A solve's streams as tasks: bundles that a block takes together. */
#ifndef WLU_EXEC_DEVICE_PACK_NARROW_H
#define WLU_EXEC_DEVICE_PACK_NARROW_H

#include "exec/device/pack_stream.h"

typedef struct wlu_task_list {
    wlu_solve_task *task;
    int64_t count;
} wlu_task_list;

/* Tasks of the stream's bundles, in their order, none with bundles of two segments. Narrow sections become one task
 * each. segment: the first bundle of each segment, and their number. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_narrow_cut(wlu_context *ctx, const wlu_stream_image *stream, int slot_bytes, const int64_t *segment,
                             int32_t segments, wlu_task_list *out);
/* Once records and operands are there: operands that such a task computes itself become places in its shared memory.
 * The solve's own slots: so many from the first on. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_narrow_share(wlu_context *ctx, const wlu_stream_image *stream, const wlu_task_list *tasks,
                               int64_t first, int64_t slots);
void wlu_task_list_free(wlu_context *ctx, wlu_task_list *list);

#endif
