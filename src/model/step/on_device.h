/* A batch on a CUDA device: one thread a member, with the control and the bits of drive.h.
 *
 * Members begin on the host, 64 at a time; then all step on the device from stop to stop: outputs, edges of pulses, the
 * end. For one-step methods, and models without events; where pulses are, all members have the same ones, and no
 * algebraic rows, which jumps would have to make consistent. What does not fit is refused, WARPLU_INVALID_ARGUMENT,
 * with the reason. Cost: a launch for each stop, and copies of y for each output. */
#ifndef WLU_MODEL_STEP_ON_DEVICE_H
#define WLU_MODEL_STEP_ON_DEVICE_H

#include "model/device/lanes.h"
#include "model/step/drive.h"

/* The method's kernel on device `number`, from 0: for any number of runs, one behind another. The stepper must outlive
 * it. Statuses of wlm_device_create; WARPLU_INVALID_ARGUMENT. wlm_device_destroy frees it. */
warplu_status wlm_device_of_stepper(const wlm_stepper *stepper, int number, wlm_device_lanes **out);

/* What the kernel of a stepper is like. */
wlm_kernel_shape wlm_kernel_shape_of(const wlm_stepper *stepper);

/* device: made of this stepper. Statuses of wlm_drive_members; those of a device. */
warplu_status wlm_drive_on_device(const wlm_stepper *stepper, const wlm_drive *drive, int64_t members,
                                  wlm_device_lanes *device);

#endif
