/* An element while its lines become equations.
 *
 * First the lines are written out, loops as often as they go round, and all names get known; then definitions are
 * built, each after those it needs; then what else there is. Graphs have inputs (leaves) for what is used alone. */
#ifndef WLU_MODEL_TEXT_ELEMENT_H
#define WLU_MODEL_TEXT_ELEMENT_H

#include "model/text/build.h"
#include "model/text/parts.h"

typedef enum wlm_symbol_type {
    WLM_SYMBOL_PARAMETER,
    WLM_SYMBOL_STATE,
    WLM_SYMBOL_UNKNOWN,
    WLM_SYMBOL_DEFINITION
} wlm_symbol_type;

typedef struct wlm_symbol {
    wlm_symbol_type type;
    int32_t index;      /* of parameters, states, unknowns of the kind, or of definitions */
    int32_t definition; /* of what has an expression: a definition, or a parameter with a rule; else -1 */
    wlm_place place;
    wlm_node leaf; /* its input of the graph; WLM_NONE while nothing uses it */
    int32_t unit;  /* of units.h */
} wlm_symbol;

/* A line of the element, written out for one round of its loops. */
typedef struct wlm_item {
    const wlm_line *line;
    const wlm_scope *scope;
} wlm_item;

typedef enum wlm_progress { WLM_NEW, WLM_OPEN, WLM_DONE } wlm_progress;

/* A definition, the rule of a parameter (its value where nothing gives it another), or a rate that others read. */
typedef struct wlm_definition {
    wlm_item item;
    const wlm_tree *value;
    int32_t symbol;
    wlm_progress progress;
    int32_t at;    /* while it is open: its place among those that wait */
    wlm_node node; /* once done */
} wlm_definition;

/* The value of a declaration, kept as a tree until all names are known. */
typedef struct wlm_pending {
    const wlm_line *line;
    const wlm_tree *value, *least, *most;
    const wlm_scope *scope;
} wlm_pending;

typedef struct wlm_element {
    wlm_owner owner; /* stands first: its functions cast it to the element */
    wlm_reading *r;
    wlm_kind *kind;
    wlm_builder builder;
    wlm_symbol *symbol;
    int32_t items, definitions, lines;
    int reads_rates; /* 1: rates of states, or charges, stand in expressions */
    int32_t *rate;   /* then for each state the definition that is its rate, or -1 */
    wlm_item *item;  /* equations, in their order */
    wlm_definition *definition;
    wlm_pending *parameter, *state, *unknown;
    wlm_names parts, ports, quantities; /* "port.quantity", numbers of port_quantities */
    wlm_node *quantity_leaf;            /* of each, or WLM_NONE */
    wlm_node time, step;                /* their inputs, or WLM_NONE */
    int32_t waiting;                    /* definitions that wait for others; the last one is worked on */
    int32_t *wait;
    int32_t masks;
    unsigned char *mask; /* for each node of the graph: a bit for each type of leaf that it depends on */
} wlm_element;

/* Reads an element from behind the word `element` to its end, and adds the kind to the model. */
void wlm_parse_element(wlm_reading *r);

/* element_lines.c: writes out all lines of the element and declares their names. */
void wlm_element_expand(wlm_element *e, const wlm_line *lines, const wlm_scope *scope);
/* Fails where the element has a part, or another name, that is called so. */
void wlm_element_refuse(wlm_element *e, wlm_word name, wlm_place place);
/* element_parts.c: writes out the lines of a part; returns the line that gives a part's parameter a value, or NULL. */
void wlm_element_expand_part(wlm_element *e, const wlm_line *line, const wlm_scope *scope);
const wlm_line *wlm_part_given(wlm_element *e, const wlm_scope *scope, wlm_word name);
/* element_order.c: makes room for a definition; returns its number, or -1. */
int32_t wlm_element_new_definition(wlm_element *e, int32_t symbol);
/* Build definitions in order: all of them but rates, one, or the rates that an expression reads. */
void wlm_element_define(wlm_element *e);
void wlm_element_build(wlm_element *e, int32_t definition);
void wlm_element_need(wlm_element *e, const wlm_tree *tree, const wlm_scope *scope);
/* Notes that the definition which is being looked at needs another one. */
void wlm_element_wait_for(wlm_element *e, int32_t definition);
/* element_parameters.c: gives parameters their values, and those that others say a rule, which is a definition. */
void wlm_element_value_parameters(wlm_element *e);
void wlm_element_close_rule(wlm_element *e, wlm_definition *rule);
/* element_rates.c: lists rates as definitions, where expressions read them; adds that of a line, unless it is added
 * already; adds that of a listed one. */
void wlm_element_list_rates(wlm_element *e);
void wlm_element_rate_line(wlm_element *e, const wlm_item *item);
void wlm_element_add_rate(wlm_element *e, const wlm_item *item);
wlm_value wlm_element_rate(wlm_owner *owner, wlm_builder *b, const wlm_tree *state);
/* element_sums.c: adds the flow and the charge of a contribution. */
void wlm_element_contribute(wlm_element *e, const wlm_item *item);

/* element_edges.c: the nodes of a pulse, and the edges of what jumps at known times. */
wlm_value wlm_element_pulse(wlm_owner *owner, wlm_place place, const wlm_value *operand, int has_period);
void wlm_element_jump(wlm_owner *owner, wlm_node node);
void wlm_element_lookup(wlm_owner *owner, wlm_node node, const wlm_table *table);
/* element_events.c: adds an event; makes signs and times of conditions, once all rates are known. */
void wlm_element_event(wlm_element *e, const wlm_item *item);
/* Adds an assignment to an event; returns 0 after a failure. */
int wlm_element_assign(wlm_element *e, wlm_event *event, int32_t state, wlm_node value);
/* element_delays.c: adds an event to the kind, with its queue where it has a delay; late: values are those of the time
 * at which it is due. */
void wlm_element_add_event(wlm_element *e, const wlm_event *event, wlm_node delay, int is_late);
void wlm_element_seek_conditions(wlm_element *e);
/* Returns the number of the state that a tree names, or -1. */
int32_t wlm_element_state(wlm_element *e, const wlm_tree *tree, const wlm_scope *scope);

/* element_names.c: gives the element's names to the builder of its expressions. */
void wlm_element_own(wlm_element *e);
const char *wlm_symbol_text(const wlm_owner *owner, int32_t symbol);
/* Return the input that is a parameter, a state or an unknown; the value that its name has in expressions. */
wlm_node wlm_symbol_leaf(wlm_element *e, int32_t symbol);
wlm_node wlm_symbol_node(wlm_element *e, int32_t symbol);
/* Returns the number of a port, or -1 after a failure. */
int32_t wlm_element_port(wlm_element *e, wlm_builder *b, const wlm_tree *tree);
/* Returns the number of a port's quantity, which it adds where it is new; -1 after a failure. */
int32_t wlm_element_quantity(wlm_element *e, wlm_builder *b, const wlm_tree *tree);
/* Builds the node of an expression within the scope. */
wlm_node wlm_element_node(wlm_element *e, const wlm_tree *tree, const wlm_scope *scope);
/* Walks an expression for its unit, which it returns, and which has to be the wanted one of WHAT 'NAME'. */
int32_t wlm_element_unit(wlm_element *e, const wlm_tree *tree, const wlm_scope *scope, int32_t wanted, const char *what,
                         const char *name);
/* Adds an input to the graph. Returns its node, or node 0 after a failure. */
wlm_node wlm_element_leaf(wlm_element *e, wlm_leaf_type type, int32_t index);
/* Returns the input that is the time. */
wlm_node wlm_element_time(wlm_element *e);
/* Returns bits, WLM_MAY_..., of what the node depends on; 0 after a failure. */
unsigned wlm_element_leaves(wlm_element *e, wlm_node node);
/* Fails where the node depends on leaves of other types than these; `what` says in words which it may depend on. */
void wlm_element_restrict(wlm_element *e, wlm_node node, unsigned types, wlm_place place, const char *what);
enum { WLM_MAY_PARAMETERS = 1u << WLM_LEAF_PARAMETER, WLM_MAY_TIME = 1u << WLM_LEAF_TIME };

#endif
