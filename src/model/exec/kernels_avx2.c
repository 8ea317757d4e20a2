/* Kernels of programs over 64 lanes for AVX2, four doubles a register: kernels.h by algebra_avx2.h. */
#include "model/exec/kernel.h"

#include "model/elementary/algebra_avx2.h"
#include "model/elementary/functions.h"

#define WLM_TABLE wlm_kernels_avx2
#include "model/exec/kernels.h"
