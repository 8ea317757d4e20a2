/* What kernels are to the interpreter: a table for each instruction set. */
#ifndef WLU_MODEL_EXEC_KERNEL_H
#define WLU_MODEL_EXEC_KERNEL_H

#include "model/exec/exec.h"

enum { WLM_BLOCK = WLM_LANES };

typedef struct wlm_packed wlm_packed;
/* Runs one instruction on all lanes, or on the first `lanes`, a multiple of eight. */
typedef void wlm_kernel(const wlm_packed *i, char *file, int lanes);

/* An instruction as kernels read it: distances of slots in bytes, constants in place. */
struct wlm_packed {
    wlm_kernel *kernel;
    int64_t to;
    union {
        int64_t distance;
        double constant;
    } from[3];
};

/* By opcode, by bits of operands that are constants: for all lanes, for the first ones. */
enum { WLM_FORMS = 8 };
typedef struct wlm_kernel_pair {
    wlm_kernel *all, *first;
} wlm_kernel_pair;
typedef wlm_kernel_pair wlm_kernels[WLM_MOVE + 1][WLM_FORMS];

extern const wlm_kernels wlm_kernels_portable, wlm_kernels_avx2, wlm_kernels_avx512, wlm_kernels_neon;

#endif
