/* Lanes on a CUDA device: state of all lanes in device memory, stepped by one kernel.
 *
 * The driver compiles the kernel's text (device/kernels.h). Calls wait until what they do is done. Statuses:
 * WARPLU_NO_DEVICE, WARPLU_DEVICE_FAILED, WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. Memory there: rows and records of
 * kernel.h, for the most lanes so far, and the tables that are looked up. */
#ifndef WLU_MODEL_DEVICE_LANES_H
#define WLU_MODEL_DEVICE_LANES_H

#include "model/device/kernel.h"

typedef struct wlm_device_lanes wlm_device_lanes;

/* Device `number`, from 0, or -1 (device/driver.h); no lanes yet. The programs may go. */
warplu_status wlm_device_create(wlu_context *ctx, int number, const wlm_kernel_programs *programs,
                                const wlm_kernel_shape *shape, wlm_device_lanes **out);
/* Takes NULL, leaves NULL. */
void wlm_device_destroy(wlm_device_lanes **lanes);

/* Rows of numbers, of as many as there are lanes, that kernels of this shape work on. */
int64_t wlm_device_rows(const wlm_kernel_shape *shape);

/* Makes room for so many lanes, at least 1, whose rows and records are undefined. */
warplu_status wlm_device_set_lanes(wlm_device_lanes *lanes, int64_t count);

/* Write or read all rows of numbers and of records, as kernel.h has them, `lanes` each. */
warplu_status wlm_device_write(wlm_device_lanes *lanes, const double *rows, const int32_t *records);
warplu_status wlm_device_read(wlm_device_lanes *lanes, double *rows, int32_t *records);
/* Reads the statuses of all lanes. */
warplu_status wlm_device_read_statuses(wlm_device_lanes *lanes, int32_t *status);

/* Steps every lane whose status is 0 until it stops, or until `now` steps were tried. */
warplu_status wlm_device_advance(wlm_device_lanes *lanes, const double numbers[WLM_KERNEL_NUMBERS], uint32_t most,
                                 uint32_t now);

/* Seconds that the driver took to compile the kernel, or to find it, and that calls of it took so far. */
typedef struct wlm_device_times {
    double compile_seconds, run_seconds;
} wlm_device_times;
wlm_device_times wlm_device_times_of(const wlm_device_lanes *lanes);

#endif
