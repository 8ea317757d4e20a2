/* The bytecode of the strategy `phases`: instructions of 32-bit words, as the paper's figure 6 reads them.
 *
 * A word holds an opcode in its lower 8 bits and a number n above, the operands of PLUS and TIMES or the distance of
 * a jump; operands follow as opcodes.def says. Two bytecodes are of one kind if these words are equal, whatever the
 * operands. */
#ifndef PHASES_OPCODES_H
#define PHASES_OPCODES_H

#include "model/graph/graph.h"

typedef enum wlm_phases_opcode {
    WLM_PHASES_CONSTANT = WLM_CONSTANT,
    WLM_PHASES_VARIABLE = WLM_INPUT,
    WLM_PHASES_BEFORE = WLM_OPCODES - 1,
#define WLM_PHASES_OPCODE(name, words, meaning) WLM_PHASES_##name,
#include "phases/opcodes.def"
#undef WLM_PHASES_OPCODE
    WLM_PHASES_OPCODES
} wlm_phases_opcode;

enum { WLM_PHASES_NUMBER_MOST = (1 << 24) - 1 };

static inline uint32_t wlm_phases_word(int opcode, int64_t number)
{
    return (uint32_t)opcode | (uint32_t)number << 8;
}

/* Words behind an instruction's first. */
static inline int wlm_phases_inline(uint32_t word)
{
    switch (word & 255) {
    case WLM_PHASES_CONSTANT: return 2;
    case WLM_PHASES_VARIABLE: return 1;
#define WLM_PHASES_OPCODE(name, words, meaning) \
    case WLM_PHASES_##name: \
        return words;
#include "phases/opcodes.def"
#undef WLM_PHASES_OPCODE
    default: return 0;
    }
}

static inline int wlm_phases_is_jump(uint32_t word)
{
    return (word & 255) == WLM_PHASES_JUMP || (word & 255) == WLM_PHASES_JUMP_UNLESS;
}

#endif
