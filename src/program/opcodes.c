/* The table of opcodes. */
#include "program/opcodes.h"

const wlu_opcode_info wlu_opcode_table[WLU_OPCODES] = {
#define WLU_OPCODE(name, shape, flops, compiled, semantics) \
    {#name, WLU_SHAPE_##shape, flops, WLU_##compiled, semantics},
#include "program/opcodes.def"
#undef WLU_OPCODE
};
