/* Instruction sets by name, for tests that run by each one that this machine has. */
#ifndef WLU_TEST_SIMD_H
#define WLU_TEST_SIMD_H

#include "exec/cpu/instruction_set.h"

#include <string.h>

static inline int test_simd_is_here(const char *name)
{
    for (int set = 0; set < WLU_SIMD_SETS; set++)
        if (strcmp(name, wlu_instruction_set_name((wlu_instruction_set)set)) == 0)
            return wlu_instruction_set_supported((wlu_instruction_set)set);
    return 0;
}

#endif
