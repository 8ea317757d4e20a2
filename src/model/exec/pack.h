/* Packs instructions of programs into what kernels read. */
#ifndef WLU_MODEL_EXEC_PACK_H
#define WLU_MODEL_EXEC_PACK_H

#include "model/exec/kernel.h"

/* Writes *count instructions to `all` and to `first`, at most as many as the program has; slots: of each, which
 * operands are slots, by bits. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_pack(wlu_context *ctx, const wlm_program *program, const wlm_kernels *kernels, wlm_packed *all,
                       wlm_packed *first, unsigned char *slots, int32_t *count);

#endif
