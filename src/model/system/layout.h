/* A layout says where the unknowns of a large system stand, and the values that instances read.
 *
 * Unknowns y come in blocks: first those of nodes, a block for each set and balance or store; then, for each use, a
 * block for each state and each unknown over its instances. Equation i closes unknown i: that of a node is the sum of
 * its contributions, that of a state its rate, those of unknowns the closing equations in the order of the text.
 *
 * Sums are no unknowns: they are computed in levels, a contribution to a sum that reads another sum after it. Where
 * their derivatives are needed they are unknowns too, s, with 0 = sum of contributions - s: then the matrix stays
 * sparse, and there are no levels. Fixed quantities are numbers.
 *
 * A layout may leave out uses, for methods that split. Cost: O(sets + uses) and the names of kinds. */
#ifndef WLU_MODEL_SYSTEM_LAYOUT_H
#define WLU_MODEL_SYSTEM_LAYOUT_H

#include "model/text/model.h"

typedef enum wlm_memory { WLM_MEMORY_UNKNOWNS, WLM_MEMORY_SUMS, WLM_MEMORY_FIXED } wlm_memory;

/* Numbers that stand one after the other: those of a set's quantity, or of a use's variable. */
typedef struct wlm_block {
    wlm_memory memory;
    int32_t first, count;
    int32_t level;                /* the level of a sum that is no unknown; else 0 */
    int32_t use;                  /* -1: the numbers are nodes' */
    const wlm_quantity *quantity; /* of nodes; else NULL */
    const wlm_state *state;       /* of a use's state; else NULL */
    const char *owner, *name;     /* names of the set and the quantity, or of the kind and the variable */
    wlm_place place, equation;    /* where the text has them, and the equations that close them */
} wlm_block;

typedef struct wlm_layout {
    wlu_context *ctx;
    const wlm_model *model;
    unsigned char *taken; /* for each use: 1 where it takes part */
    int sums_are_unknowns;
    int32_t n, node_n, sums, fixed; /* unknowns; those of nodes; sums and fixed numbers */
    int32_t levels;                 /* levels of sums that are no unknowns */
    int32_t *set_block;             /* sets: where the blocks of each set's quantities begin */
    int32_t *use_block;             /* uses: where the blocks of each use's states begin, then unknowns */
    int32_t blocks, node_blocks;    /* those of nodes stand first */
    wlm_block *block;
    double *fixed_value;
} wlm_layout;

typedef struct wlm_layout_choice {
    const unsigned char *taken; /* NULL: all uses */
    int number_all;             /* 1: uses that take no part get numbers too */
    int sums_are_unknowns;
} wlm_layout_choice;

/* The model stays the caller's and outlives the layout. WARPLU_MODEL_EQUATIONS: unknowns without closing equations, or
 * sums of a quantity that need others of it while sums are no unknowns, or no unknown at all; WARPLU_OVERFLOW,
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_layout_create(wlu_context *ctx, const wlm_model *model, const wlm_layout_choice *choice,
                                wlm_layout **out);
void wlm_layout_destroy(wlm_layout **layout);

/* Returns the block of a variable of a use's kind: state number `variable`, or unknown number `variable` - states. */
static inline const wlm_block *wlm_layout_variable(const wlm_layout *l, int32_t use, int32_t variable)
{
    return &l->block[l->use_block[use] + variable];
}

/* Returns the block of the quantity that a use's port is bound to. */
const wlm_block *wlm_layout_port(const wlm_layout *l, int32_t use, int32_t port_quantity);

/* Counts the instances of the same kind in uses before this one, and in all uses. */
int32_t wlm_layout_instances_before(const wlm_model *model, int32_t use, int64_t *all);
/* Returns the block that has a number, which must be below those of its memory. */
const wlm_block *wlm_layout_block(const wlm_layout *l, wlm_memory memory, int32_t number);
/* Writes a number's name, "cell[3].v" or "lr91[3].m"; instances of a kind are numbered over all its uses. */
void wlm_layout_name(const wlm_layout *l, wlm_memory memory, int32_t number, char *text, size_t bytes);
/* Writes an instance's name and lines, "nmos[7] (line 3, used in line 40)". */
void wlm_layout_instance(const wlm_layout *l, int32_t use, int32_t instance, char *text, size_t bytes);
/* Returns the number of a name, and its memory; -1 where there is none. */
int32_t wlm_layout_find(const wlm_layout *l, const char *name, wlm_memory *memory);

#endif
