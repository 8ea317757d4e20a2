/* The instruction sets that run programs, in this build and on this machine. */
#ifndef WLU_MODEL_EXEC_ISA_H
#define WLU_MODEL_EXEC_ISA_H

typedef enum wlm_isa { WLM_ISA_BEST = 0, WLM_ISA_PORTABLE, WLM_ISA_AVX2, WLM_ISA_AVX512, WLM_ISA_NEON } wlm_isa;

/* Returns its kernels (kernel.h); NULL where this build or machine does not have it. */
struct wlm_kernels;
const struct wlm_kernels *wlm_kernels_of(wlm_isa isa);

#endif
