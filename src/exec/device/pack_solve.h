/* The part of wlu_device_pack that has solves. */
#ifndef WLU_EXEC_DEVICE_PACK_SOLVE_H
#define WLU_EXEC_DEVICE_PACK_SOLVE_H

#include "exec/device/packed.h"

/* Into zeros; what is there on failure is the caller's to free. */
wlu_device_pack_fn wlu_device_pack_solve;

#endif
