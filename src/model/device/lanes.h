/* Lanes on a CUDA device: state of all lanes in device memory, stepped by one kernel.
 *
 * The driver compiles the kernel's text, and keeps what it has compiled in a cache of its own on disk, so that the next
 * process with the same model starts at once. Calls wait until what they do is done. Statuses: WARPLU_NO_DEVICE,
 * WARPLU_DEVICE_FAILED, WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. Memory there: 8 (n + parameters + 3) + 20 bytes a lane,
 * of the most lanes so far. */
#ifndef WLU_MODEL_DEVICE_LANES_H
#define WLU_MODEL_DEVICE_LANES_H

#include "model/device/kernel.h"

typedef struct wlm_device_lanes wlm_device_lanes;

/* Device `number`, from 0; no lanes yet. The programs may go. */
warplu_status wlm_device_create(wlu_context *ctx, int number, const wlm_program *once, const wlm_program *step,
                                const wlm_kernel_shape *shape, wlm_device_lanes **out);
/* Takes NULL, leaves NULL. */
void wlm_device_destroy(wlm_device_lanes **lanes);

/* So many lanes, at least 1, whose rows and records are undefined. */
warplu_status wlm_device_set_lanes(wlm_device_lanes *lanes, int64_t count);

/* Rows of numbers, `lanes` each, as kernel.h has them: from row `first` on, `count` of them. */
warplu_status wlm_device_write(wlm_device_lanes *lanes, int32_t first, int32_t count, const double *in);
warplu_status wlm_device_read(wlm_device_lanes *lanes, int32_t first, int32_t count, double *out);
/* Records: rows of words. */
warplu_status wlm_device_write_records(wlm_device_lanes *lanes, int32_t first, int32_t count, const int32_t *in);
warplu_status wlm_device_read_records(wlm_device_lanes *lanes, int32_t first, int32_t count, int32_t *out);

/* Steps every lane whose status is 0 until numbers[WLM_AT_STOP]. */
warplu_status wlm_device_advance(wlm_device_lanes *lanes, const double numbers[WLM_KERNEL_NUMBERS], uint32_t most);

/* Seconds that the driver took to compile the kernel, or to find it, and that calls of it took so far. */
typedef struct wlm_device_times {
    double compile_seconds, run_seconds;
} wlm_device_times;
wlm_device_times wlm_device_times_of(const wlm_device_lanes *lanes);

#endif
