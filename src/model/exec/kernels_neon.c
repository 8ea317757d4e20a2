/* Kernels of programs over 64 lanes for NEON, two doubles a register: kernels.h by algebra_neon.h. */
#include "model/exec/kernel.h"

#include "model/elementary/algebra_neon.h"
#include "model/elementary/functions.h"

#define WLM_TABLE wlm_kernels_neon
#include "model/exec/kernels.h"
