/* What the forms of runs have. See forms.h. */
#include "exec/cpu/forms.h"

_Static_assert(WLU_SINGLES_KINDS <= 1 << WLU_SINGLES_KIND_BITS, "a group's head has its kind");

const wlu_run_traits wlu_run_traits_of[WLU_RUN_FORMS] = {
#define WLU_ACROSS(name, opcode, in_place, contiguous, fused, judged) \
    [WLU_RUN_##name] = {1, opcode, in_place, contiguous, fused, judged},
#include "exec/cpu/across.def"
#undef WLU_ACROSS
};

const uint8_t wlu_singles_kind_of[WLU_OPCODES] = {
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_CHAIN_OPCODE(name, shape, flops, compiled, semantics, end, stages) [WLU_##name] = WLU_SINGLES_##name##_0,
#include "program/opcodes.def"
#undef WLU_OPCODE
};
