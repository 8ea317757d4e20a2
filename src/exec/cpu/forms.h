/* Forms of runs and of groups of single records: what the kernels dispatch on, the packer chooses and the verifier
 * checks. One form, one instance of a kernel, so that none of them branches inside. */
#ifndef WLU_EXEC_CPU_FORMS_H
#define WLU_EXEC_CPU_FORMS_H

#include "program/opcodes.h"

typedef enum wlu_run_form {
    WLU_RUN_NONE,
#define WLU_ACROSS(name, opcode, in_place, contiguous, fused, judged) WLU_RUN_##name,
#include "exec/cpu/across.def"
#undef WLU_ACROSS
    WLU_RUN_SINGLES,
    WLU_RUN_FORMS
} wlu_run_form;

/* across.def, and what of it others have. */
typedef struct wlu_run_traits {
    uint8_t across, opcode, in_place, contiguous, fused, judged;
} wlu_run_traits;

extern const wlu_run_traits wlu_run_traits_of[WLU_RUN_FORMS];

/* Of opcodes of chains: the kind of groups of single records without terms. */
extern const uint8_t wlu_singles_kind_of[WLU_OPCODES];

/* A kind for each length of chains up to WLU_SINGLES_UNROLLED, one for others that are summed in order, and one for
 * long ones. */
enum { WLU_SINGLES_UNROLLED = 4 };
#define WLU_BY_LENGTH(name) name##_0, name##_1, name##_2, name##_3, name##_4, name##_ANY, name##_LONG

/* Groups of single records. A pivot's group begins with its reciprocal. */
typedef enum wlu_singles_kind {
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_CHAIN_OPCODE(name, shape, flops, compiled, semantics, end, stages) WLU_BY_LENGTH(WLU_SINGLES_##name),
#include "program/opcodes.def"
#undef WLU_OPCODE
    WLU_BY_LENGTH(WLU_SINGLES_PIVOT),
    WLU_SINGLES_LINKS,
    WLU_SINGLES_KINDS
} wlu_singles_kind;

/* Of chains of this length, counted from the kind of length 0. */
static inline int wlu_kind_by_length(int kind_of_0, int64_t length)
{
    if (length > WLU_DOT_IN_ORDER_MAX) return kind_of_0 + WLU_SINGLES_UNROLLED + 2;
    return kind_of_0 + (length <= WLU_SINGLES_UNROLLED ? (int)length : WLU_SINGLES_UNROLLED + 1);
}

/* Terms that a single record has in the stream, padding of long chains with them. */
static inline int64_t wlu_singles_terms(int64_t length)
{
    return length <= WLU_DOT_IN_ORDER_MAX ? length : (length + WLU_DOT_LANES - 1) / WLU_DOT_LANES * WLU_DOT_LANES;
}

/* A group's head: its kind in the lower bits of the first word, the number of records or links in the others. */
enum { WLU_SINGLES_KIND_BITS = 5, WLU_SINGLES_HEAD = 4 /* words */ };

#endif
