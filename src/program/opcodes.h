/* Opcodes and scalar records. The list is opcodes.def. */
#ifndef WLU_PROGRAM_OPCODES_H
#define WLU_PROGRAM_OPCODES_H

#include <stdint.h>

#include "base/portable.h"
#include "numerics/sums.h"

typedef enum wlu_opcode {
#define WLU_OPCODE(name, shape, flops, compiled, semantics) WLU_##name,
#include "program/opcodes.def"
#undef WLU_OPCODE
    WLU_OPCODES,
    WLU_NONE = WLU_OPCODES
} wlu_opcode;

/* Operand shapes of opcodes.def. */
typedef enum wlu_shape {
    WLU_SHAPE_TKE,
    WLU_SHAPE_TS,
    WLU_SHAPE_TAB,
    WLU_SHAPE_TD,
    WLU_SHAPE_TSN,
    WLU_SHAPE_TSDN,
    WLU_SHAPE_C
} wlu_shape;

typedef struct wlu_opcode_info {
    const char *name;
    wlu_shape shape;
    int flops;
    wlu_opcode compiled;
    const char *semantics;
} wlu_opcode_info;

extern const wlu_opcode_info wlu_opcode_table[WLU_OPCODES];

/* Stages whose streams may have such records. */
typedef enum wlu_opcode_stages { WLU_STAGES_NONE, WLU_STAGES_FIRST, WLU_STAGES_BOTH } wlu_opcode_stages;

static inline wlu_opcode_stages wlu_opcode_in_streams(int opcode)
{
    switch (opcode) {
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_STREAM_OPCODE(name, shape, flops, compiled, semantics, end, stages) \
    case WLU_##name: \
        return WLU_STAGES_##stages;
#include "program/opcodes.def"
#undef WLU_OPCODE
    }
    return WLU_STAGES_NONE;
}

/* What records of a shape have. */
static inline int wlu_shape_has_start(wlu_shape shape)
{
    return shape == WLU_SHAPE_TS || shape == WLU_SHAPE_TSN || shape == WLU_SHAPE_TSDN;
}

WLU_PORTABLE int wlu_shape_has_divisor(wlu_shape shape)
{
    return shape == WLU_SHAPE_TD || shape == WLU_SHAPE_TSDN;
}

static inline int wlu_shape_has_terms(wlu_shape shape)
{
    return shape == WLU_SHAPE_TSN || shape == WLU_SHAPE_TSDN;
}

/* Whether such records have a divisor; a constant where the opcode is one. */
WLU_PORTABLE int wlu_opcode_has_divisor(int opcode)
{
    switch (opcode) {
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_STREAM_OPCODE(name, shape, flops, compiled, semantics, end, stages) \
    case WLU_##name: \
        return wlu_shape_has_divisor(WLU_SHAPE_##shape);
#include "program/opcodes.def"
#undef WLU_OPCODE
    }
    return 0;
}

/* Whether such records are chains, which start from a slot and have terms; a constant where the opcode is one. */
static inline int wlu_opcode_is_chain(int opcode)
{
    switch (opcode) {
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_CHAIN_OPCODE(name, shape, flops, compiled, semantics, end, stages) case WLU_##name:
#include "program/opcodes.def"
#undef WLU_OPCODE
        return 1;
    }
    return 0;
}

/* One scalar record; operands by shape: TKE t, a = k, b = e; TS t, a = s; TAB t, a, b; TD t, a = d; C t = c. */
typedef struct wlu_record {
    int32_t opcode;
    int32_t t, a, b;
} wlu_record;

#endif
