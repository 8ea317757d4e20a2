/* Kernels of programs over 64 lanes for plain C, for every machine: kernels.h by algebra_portable.h. */
#include "model/exec/kernel.h"

#include "model/elementary/algebra_portable.h"
#include "model/elementary/functions.h"

#define WLM_TABLE wlm_kernels_portable
#include "model/exec/kernels.h"
