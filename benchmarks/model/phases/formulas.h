/* Equations as the paper has them: one expression tree, and one bytecode, an equation.
 *
 * Formulas are the definitions of all instances, those that depend on nothing among them, as the paper counts them,
 * and then the ODEs, one for each state. A definition that is but another name of a state, a parameter or t is none.
 * A tree ends where another definition, a state, a parameter or t begins; a definition that is the same node as an
 * earlier one, `b = a`, reads it. The graph shares common terms, which are unfolded here. Literal graphs (read.h)
 * keep equations as written; any other graph has folded constants, and lets a tree end at a definition that has one
 * of its terms, so that counts of operations and of phases are smaller.
 *
 * A chain of additions, to the left or to the right, is one PLUS of n operands with the chain's rounding, one of
 * multiplications a TIMES; where the stack would be deeper than is allowed they are split, which changes no bit. A
 * condition is jumped by, so that the branch not taken is not computed. Cost: O(nodes + words). */
#ifndef PHASES_FORMULAS_H
#define PHASES_FORMULAS_H

#include "model/equations/equations.h"
#include "phases/opcodes.h"

typedef struct wlm_formula {
    int32_t of;    /* number of the local, or of the state */
    int64_t first; /* word of its code, which ends with its ASSIGN, without END */
    int32_t words;
    int32_t operands, first_operand; /* definitions that it reads, each once */
} wlm_formula;

/* Variable 0 is t; then states, parameters of lanes, definitions. */
typedef struct wlm_formulas {
    int32_t states, parameters, definitions, variables, edges; /* counts */
    int32_t stack;                                             /* the deepest */
    int64_t words;                                             /* of all */
    wlm_formula *formula;                                      /* definitions + states */
    uint32_t *code;
    int32_t *operand;  /* edges */
    int32_t *order;    /* of definitions: each after its operands */
    int32_t *variable; /* of each local of the equations: that has its value */
} wlm_formulas;

/* Of explicit equations y' = f(t, y) without events: WARPLU_INVALID_ARGUMENT names one that is none, or whose stack is
 * deeper than `stack` however it is split. WARPLU_OUT_OF_MEMORY; WARPLU_OVERFLOW where a tree has 2^24 words or is
 * nested too deep. */
warplu_status wlm_formulas_create(wlu_context *ctx, const wlm_equations *equations, int32_t stack, wlm_formulas **out);
void wlm_formulas_destroy(wlu_context *ctx, wlm_formulas **formulas);

#endif
