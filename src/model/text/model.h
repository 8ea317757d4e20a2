/* A model as its text says it, checked: kinds of elements with their equations as graphs, sets of nodes, uses, and what
 * is to be run. Made by text/read.h, read by everything else; nothing here is changed once it is made. */
#ifndef WLU_MODEL_TEXT_MODEL_H
#define WLU_MODEL_TEXT_MODEL_H

#include <math.h>

#include "model/graph/graph.h"
#include "model/method/methods.h"

typedef struct wlm_place {
    int32_t line, column; /* from 1; line 0: nowhere */
} wlm_place;

/* A leaf is an input of a kind's graph. */
typedef enum wlm_leaf_type {
    WLM_LEAF_TIME,
    WLM_LEAF_PARAMETER, /* index: of parameters */
    WLM_LEAF_STATE,     /* of states */
    WLM_LEAF_UNKNOWN,   /* of unknowns */
    WLM_LEAF_PORT,      /* of quantities that ports have: port_quantities */
} wlm_leaf_type;

typedef struct wlm_leaf {
    wlm_leaf_type type;
    int32_t index;
} wlm_leaf;

/* x' = rate, or a gate, x' = (steady - x) / time constant, which rate then says too. */
typedef struct wlm_state {
    char *name;
    wlm_place place;
    wlm_node initial;     /* of parameters alone */
    wlm_node rate;        /* never WLM_NONE */
    wlm_node steady, tau; /* of a gate; else WLM_NONE */
    double least, most;   /* its range: -inf, inf where none is given */
} wlm_state;

static inline int wlm_state_has_range(const wlm_state *state)
{
    return state->least > -INFINITY || state->most < INFINITY;
}

typedef struct wlm_parameter {
    char *name, *unit; /* unit: NULL where none is given */
    wlm_place place;
    double value; /* the default */
} wlm_parameter;

typedef struct wlm_unknown {
    char *name;
    wlm_place place;
    wlm_node initial; /* of parameters alone: where the search starts */
} wlm_unknown;

/* A definition: name = expression. */
typedef struct wlm_local {
    char *name;
    wlm_place place;
    wlm_node node;
} wlm_local;

/* 0 = expression: closes an unknown. */
typedef struct wlm_closing {
    wlm_place place;
    wlm_node node;
} wlm_closing;

/* A quantity that the kind reads from, or adds to, one of its ports' nodes; of which type it is, the use says. */
typedef struct wlm_port_quantity {
    int32_t port;
    char *name;
    wlm_place place;
} wlm_port_quantity;

/* port.quantity += flow + ddt(charge); charge is WLM_NONE where there is none, flow too. All contributions of one
 * kind to one quantity are one. */
typedef struct wlm_contribution {
    int32_t quantity; /* of port_quantities */
    wlm_place place;
    wlm_node flow, charge;
} wlm_contribution;

/* When `crossing` rises through zero, or at the time `at`: states are set. One of crossing, at is WLM_NONE. */
typedef struct wlm_event {
    wlm_place place;
    wlm_node crossing, at;
    int32_t assignments;
    int32_t *state; /* assignments */
    wlm_node *value;
} wlm_event;

/* pulse(delay, width, period): times at which a step is to end. period is WLM_NONE where there is one pulse alone. */
typedef struct wlm_pulse {
    wlm_node delay, width, period; /* of parameters alone */
} wlm_pulse;

typedef struct wlm_kind {
    char *name;
    wlm_place place;
    wlm_graph *graph; /* input i is leaves[i] */
    int32_t ports, leaves, parameters, states, unknowns, locals, closings, port_quantities, contributions, events,
        pulses;
    char **port; /* names */
    wlm_leaf *leaf;
    wlm_parameter *parameter;
    wlm_state *state;
    wlm_unknown *unknown;
    wlm_local *local; /* each after those it needs */
    wlm_closing *closing;
    wlm_port_quantity *port_quantity;
    wlm_contribution *contribution;
    wlm_event *event;
    wlm_pulse *pulse;
} wlm_kind;

/* What a quantity of a node is: an unknown with 0 = sum of contributions; x' = sum; the sum itself, which depends on no
 * sum that depends on it; or a number. */
typedef enum wlm_quantity_type { WLM_BALANCE, WLM_STORE, WLM_SUM, WLM_FIXED } wlm_quantity_type;

static inline int wlm_quantity_is_unknown(wlm_quantity_type type)
{
    return type == WLM_BALANCE || type == WLM_STORE;
}

typedef struct wlm_quantity {
    wlm_quantity_type type;
    char *name;
    wlm_place place;
    double *value; /* one for each node: initial, or of FIXED the value; of SUM NULL */
} wlm_quantity;

typedef struct wlm_set {
    char *name;
    wlm_place place;
    int32_t count, quantities;
    wlm_quantity *quantity;
} wlm_set;

/* Instances of a kind. */
typedef struct wlm_use {
    int32_t kind; /* of kinds */
    wlm_place place;
    int32_t count;      /* instances */
    int32_t *set;       /* of each port: the set whose nodes it is bound to */
    int32_t **node;     /* of each port: count numbers of nodes */
    int32_t *quantity;  /* of each of the kind's port_quantities: the number of the set's quantity */
    double **parameter; /* of each of the kind's parameters: NULL where all have uniform[i], else count values */
    double *uniform;
} wlm_use;

/* The words of `run`; 0 where it says nothing, but of `to`. */
typedef struct wlm_run_statement {
    wlm_place place;
    wlm_method method;
    double dt, to, every, relative, absolute;
} wlm_run_statement;

typedef struct wlm_watch {
    char *name; /* "lr91.m", "cell.v"; of several instances or nodes "lr91[3].m", by their number from 0 */
    wlm_place place;
} wlm_watch;

typedef struct wlm_model {
    int literal; /* of its graphs, and of those of equations that are made from it: graph.h */
    int32_t kinds, sets, uses, watches;
    wlm_kind *kind;
    wlm_set *set;
    wlm_use *use;
    wlm_watch *watch;
    wlm_run_statement run;
    int64_t batch;    /* members; 0: not said, one */
    char *batch_file; /* CSV with a column for each parameter that differs; NULL */
} wlm_model;

#endif
