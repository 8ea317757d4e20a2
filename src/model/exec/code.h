/* A program's code: instructions packed for an instruction set, twice: for all lanes, and for the first lanes. */
#ifndef WLU_MODEL_EXEC_CODE_H
#define WLU_MODEL_EXEC_CODE_H

#include "model/exec/kernel.h"

struct wlm_code {
    int32_t instructions; /* packed ones, of which some are fused */
    wlm_packed *all, *first;
    unsigned char *slots; /* of each instruction: bit k is set where operand k is a slot */
};

#endif
