/* A batch on a CUDA device: one thread a member, with the control and the bits of drive.h, by every method and for
 * every model that drive.h drives.
 *
 * Members begin on the host, 64 at a time in its lanes. On the device each steps until its next stop (an output, an
 * edge of a pulse, a timed event, the end) or until an event's sign rises. There it waits for the others; then all come
 * back into lanes of the host, 64 at a time, which tell of outputs, make assignments and look for the next stop by what
 * drive.h itself does. Cost: for each stop of the member that has most of them a launch, and copies of all rows there
 * and back. Launches are cut after some milliseconds, so that a run can be cancelled. */
#ifndef WLU_MODEL_STEP_ON_DEVICE_H
#define WLU_MODEL_STEP_ON_DEVICE_H

#include "model/device/lanes.h"
#include "model/step/drive.h"

/* Makes the method's kernel on device `number` (device/lanes.h), for any number of runs, one behind another. The
 * stepper must outlive it. Statuses of wlm_device_create; WARPLU_INVALID_ARGUMENT where a member may have more steps
 * than 32 bits count. wlm_device_destroy frees it. */
warplu_status wlm_device_of_stepper(const wlm_stepper *stepper, int number, wlm_device_lanes **out);

/* Return the shape of a stepper's kernel, and the programs that it is made of. */
wlm_kernel_shape wlm_kernel_shape_of(const wlm_stepper *stepper);
wlm_kernel_programs wlm_kernel_programs_of(const wlm_stepper *stepper);

/* Drives a batch on a device that was made of this stepper. Statuses of wlm_drive_members, and those of a device. */
warplu_status wlm_drive_on_device(const wlm_stepper *stepper, const wlm_drive *drive, int64_t members,
                                  wlm_device_lanes *device);

#endif
