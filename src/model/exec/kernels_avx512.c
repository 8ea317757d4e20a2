/* Kernels of programs over 64 lanes for AVX-512, eight doubles a register: kernels.h by algebra_avx512.h. */
#include "model/exec/kernel.h"

#include "model/elementary/algebra_avx512.h"
#include "model/elementary/functions.h"

#define WLM_TABLE wlm_kernels_avx512
#include "model/exec/kernels.h"
