/* Kernels: avx2. */
#include "model/exec/kernel.h"

#include "model/elementary/algebra_avx2.h"
#include "model/elementary/functions.h"

#define WLM_TABLE wlm_kernels_avx2
#include "model/exec/kernels.h"
