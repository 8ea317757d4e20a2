/* Evaluates expressions: to a number where all is known, to nodes of a graph where not, to the list of definitions
 * that they need, or to their unit. One function does all four, so that an expression means the same everywhere. */
#ifndef WLU_MODEL_TEXT_BUILD_H
#define WLU_MODEL_TEXT_BUILD_H

#include "model/text/tree.h"

typedef enum wlm_building { WLM_TO_NUMBER, WLM_TO_NODE, WLM_TO_NEEDS, WLM_TO_UNIT } wlm_building;

/* A name that has a number within a loop or a table, or an argument of a function; `outer` leads to those around it. */
typedef struct wlm_scope {
    wlm_word name;
    double value;
    const struct wlm_scope *outer;
    const struct wlm_element_part
        *part;   /* not NULL: names are those of a part, and none around it is known (parts.h) */
    int is_node; /* 1: an argument that is no number, but the node, where one is built */
    wlm_node node;
} wlm_scope;

/* The value of an expression: a number or a node, whichever is being built. */
typedef struct wlm_value {
    double number;
    wlm_node node; /* TO_UNIT: the number of a unit (units.h) */
} wlm_value;

/* The most operands that one expression, or one element, may look at. */
#define WLM_STEPS_MOST INT64_C(4194304)

struct wlm_builder;

/* The functions by which expressions ask an element for its names. */
typedef struct wlm_owner {
    const char *name; /* the element's */
    wlm_names names;  /* of parameters, states, unknowns and definitions: numbers of symbols */
    const char *(*text)(const struct wlm_owner *owner, int32_t symbol); /* "a parameter" */
    wlm_value (*symbol)(struct wlm_owner *owner, const struct wlm_builder *b, int32_t symbol);
    wlm_value (*time)(struct wlm_owner *owner, const struct wlm_builder *b);
    wlm_value (*step)(struct wlm_owner *owner, const struct wlm_builder *b, wlm_place place);
    wlm_value (*port)(struct wlm_owner *owner, struct wlm_builder *b, const wlm_tree *tree);
    wlm_value (*rate)(struct wlm_owner *owner, struct wlm_builder *b, const wlm_tree *state); /* a NAME */
    wlm_value (*pulse)(struct wlm_owner *owner, wlm_place place, const wlm_value *operand, int has_period);
    /* Gets each operation that is no smooth one once it is made. */
    void (*jump)(struct wlm_owner *owner, wlm_node node);
    /* Gets what each look-up in a table is by. */
    void (*lookup)(struct wlm_owner *owner, wlm_node node, const wlm_table *table);
} wlm_owner;

typedef struct wlm_builder {
    wlm_reading *r;
    wlm_building building;
    wlm_graph *graph;       /* TO_NODE */
    const wlm_scope *scope; /* NULL: none */
    int64_t steps;          /* so far */
    wlm_owner *owner;       /* the element whose names are known; NULL: only scopes and constants are */
    const wlm_tree *call;   /* an APPLY, whose function's names are known in place of the element's; NULL: none */
    wlm_place place;        /* TO_UNIT: of the operand that was looked at last */
    const char *where;      /* what is built, for messages: "the number of nodes" */
} wlm_builder;

wlm_value wlm_value_of(wlm_builder *b, const wlm_tree *tree);
/* Return a number, and the result of an operation, whose jumps are nobody's edges, as what is being built. */
wlm_value wlm_number_value(const wlm_builder *b, double number);
wlm_value wlm_operate(const wlm_builder *b, wlm_opcode opcode, wlm_value x, wlm_value y, wlm_value z);
/* Returns 1 where the value is a number whatever the element's names are, and that number as what is being built. */
int wlm_is_constant(const wlm_builder *b, const wlm_tree *tree);
wlm_value wlm_constant_value(wlm_builder *b, const wlm_tree *tree);
/* build_apply.c: returns the value of a call of a function of the text, an APPLY. */
wlm_value wlm_apply(wlm_builder *b, const wlm_tree *call);
/* Fails where a NAME is neither in the scope nor a constant. */
void wlm_check_name(wlm_builder *b, const wlm_tree *tree);

/* build_units.c: walks an expression, whose unit has to be the wanted one of WHAT 'NAME'. Returns its unit. */
int32_t wlm_unit_of(wlm_builder *b, const wlm_tree *tree, int32_t wanted, const char *what, const char *name);
/* Return the units of what an operation makes of units, which have to agree with it, and of base ^ exponent. */
int32_t wlm_unit_operate(const wlm_builder *b, wlm_opcode opcode, int32_t x, int32_t y, int32_t z);
int32_t wlm_unit_power(wlm_builder *b, int32_t base, const wlm_tree *exponent);

/* lookup.c: lookup(table, x). */
wlm_value wlm_build_lookup(wlm_builder *b, const wlm_tree *tree);

/* Returns the value of an expression of constants and of the scope's names, whatever the builder builds otherwise.
 * Fails where it is not finite; `what` names it in the message: "the initial value". */
double wlm_number_of(wlm_builder *b, const wlm_tree *tree, const char *what);
/* Returns the value, which has to be a whole number between least and most. */
int64_t wlm_whole_of(wlm_builder *b, const wlm_tree *tree, const char *what, int64_t least, int64_t most);
/* build_names.c: returns "name[1,2]", or "part.name", of a NAME, whose indices have to be whole; of a PORT what stands
 * before the dot. Without indices the word is the text's own. */
wlm_word wlm_name_of(wlm_builder *b, const wlm_tree *tree);
/* Return "name.quantity" of a PORT; the element's name of what has this name in the scope, with those of its parts. */
wlm_word wlm_dotted_name_of(wlm_builder *b, const wlm_tree *tree);
wlm_word wlm_own_name(const wlm_builder *b, wlm_word name);
/* Evaluates the bounds of a range; 0 after a failure. */
int wlm_bounds_of(wlm_builder *b, const wlm_tree *range, int64_t *from, int64_t *to);

#endif
