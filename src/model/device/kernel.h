/* The text of a kernel that steps lanes: one thread a lane, with time, step and error control of its own, so that no
 * lane waits for another's step. What a method asks for are programs (src/model/step/build.h), each written once;
 * around them stand the loop over steps and, of methods with Newton's iterations, one over stages and one over
 * iterations. Control is, operation by operation, that of src/model/step (drive.c, newton.c, stops.c), so that a lane
 * has the CPU's bits.
 *
 * A lane stops where the host has to do something: at its own next stop, or behind a step in which an event's sign
 * rises.
 *
 * Parameters of the kernel, arrays in device memory [row][lane]:
 *     rows        doubles: n of y, parameters, then WLM_KERNEL_ROWS of wlm_kernel_row; of the trapezoidal rule n of f
 *                 where the step before began; of events by sign, each one's value before the last step and behind it
 *     record      32-bit words: WLM_KERNEL_RECORDS of wlm_kernel_record
 *     lanes       u64
 *     numbers     f64: WLM_KERNEL_NUMBERS of wlm_kernel_number
 *     most        u32: steps of a lane, rejected ones too
 *     now         u32: steps that are tried before a lane is left as it is, to be gone on with by another launch
 *     tables      doubles: what the programs look up (tables.h) */
#ifndef WLU_MODEL_DEVICE_KERNEL_H
#define WLU_MODEL_DEVICE_KERNEL_H

#include "model/device/tables.h"
#include "model/ptx/writer.h"

#define WLM_KERNEL_NAME "wlm_advance"

/* Lists the tables that the kernel of these programs reads. The caller frees them. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_kernel_list_tables(wlu_context *ctx, const wlm_kernel_programs *programs, wlm_device_tables *out);
/* Writes a whole module of PTX. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_kernel_write(wlm_ptx *out, const wlm_kernel_programs *programs, const wlm_device_tables *tables,
                               const wlm_kernel_shape *shape);

#endif
