/* Instruction sets that run programs: this build's, of this machine. */
#ifndef WLU_MODEL_EXEC_ISA_H
#define WLU_MODEL_EXEC_ISA_H

typedef enum wlm_isa { WLM_ISA_BEST = 0, WLM_ISA_PORTABLE, WLM_ISA_AVX2, WLM_ISA_AVX512, WLM_ISA_NEON } wlm_isa;

/* Its kernels (kernel.h); NULL where this build or machine has it not. */
struct wlm_kernels;
const struct wlm_kernels *wlm_kernels_of(wlm_isa isa);

#endif
