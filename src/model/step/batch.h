/* A whole batch on threads: members are dealt in runs of 64, each thread drives its own (drive.h). Members' results
 * do not depend on how many threads there are. Memory: that of lanes for each thread. */
#ifndef WLU_MODEL_STEP_BATCH_H
#define WLU_MODEL_STEP_BATCH_H

#include "model/step/drive.h"

/* Drives a batch; threads 0: one for each processor. Statuses of wlm_drive_members. */
warplu_status wlm_drive_batch(const wlm_stepper *stepper, const wlm_drive *drive, int64_t members, int threads);

#endif
