/* A model as its text says it, checked: kinds of elements with their equations as graphs, sets of nodes, uses, and what
 * is to be run. text/read.h makes and owns it; nothing here is changed afterwards, so that threads may share it. */
#ifndef WLU_MODEL_TEXT_MODEL_H
#define WLU_MODEL_TEXT_MODEL_H

#include <math.h>

#include "model/graph/graph.h"
#include "model/method/methods.h"
#include "model/method/place.h"

/* A leaf is an input of a kind's graph. */
typedef enum wlm_leaf_type {
    WLM_LEAF_TIME,
    WLM_LEAF_PARAMETER, /* index: a number of kind->parameter */
    WLM_LEAF_STATE,     /* a number of kind->state */
    WLM_LEAF_UNKNOWN,   /* a number of kind->unknown */
    WLM_LEAF_PORT,      /* a number of kind->port_quantity */
    WLM_LEAF_STEP,      /* the length of the step */
} wlm_leaf_type;

typedef struct wlm_leaf {
    wlm_leaf_type type;
    int32_t index;
} wlm_leaf;

/* A state, x' = rate. `rate` is also given of a gate, x' = (steady - x) / tau, which methods may step exactly. */
typedef struct wlm_state {
    char *name;
    wlm_place place;
    wlm_node initial;     /* depends on parameters alone */
    wlm_node rate;        /* never WLM_NONE */
    wlm_node steady, tau; /* WLM_NONE of a state that is no gate */
    double least, most;   /* its range: -inf, inf where none is given */
    int is_discrete;      /* 1: events alone set it, and its rate is 0 */
} wlm_state;

static inline int wlm_state_has_range(const wlm_state *state)
{
    return state->least > -INFINITY || state->most < INFINITY;
}

typedef struct wlm_parameter {
    char *name;
    wlm_place place;
    int32_t unit; /* here and below: of text/units.h, while the text is read */
    double value; /* the default; NaN: a rule says it, which the nodes that need it have */
} wlm_parameter;

typedef struct wlm_unknown {
    char *name;
    wlm_place place;
    wlm_node initial; /* where the search starts; depends on parameters alone */
} wlm_unknown;

/* A definition: name = expression. */
typedef struct wlm_local {
    char *name;
    wlm_place place;
    wlm_node node;
} wlm_local;

/* An equation 0 = expression, which closes one unknown. */
typedef struct wlm_closing {
    wlm_place place;
    wlm_node node;
} wlm_closing;

/* A quantity of a port's node that the kind reads or adds to. Its type is known where a use binds the port. */
typedef struct wlm_port_quantity {
    int32_t port;
    char *name;
    wlm_place place;
    int32_t unit, added; /* of the quantity, and of what is added to it */
} wlm_port_quantity;

/* port.quantity += flow + ddt(charge), where either may be WLM_NONE. All that a kind adds to one quantity is one
 * contribution. */
typedef struct wlm_contribution {
    int32_t quantity; /* a number of kind->port_quantity */
    wlm_place place;
    wlm_node flow, charge;
} wlm_contribution;

/* How an event's value depends on the state that it sets, in flags: not at all, as one that it may keep, or otherwise,
 * as x + 1 of x, so that two of one time cannot be made one. */
enum { WLM_SETS = 0, WLM_SETS_MAYBE = 1, WLM_SETS_BY_ITSELF = 2 };

/* An event sets states when `crossing` rises through zero, at the time `at`, or at the time that a state has; what it
 * has not is WLM_NONE, or 0 of `due`. One with a delay has a queue (text/element_delays.c): the first assignments, as
 * many as it has slots, are to the states with the times at which what it sets is due. */
typedef struct wlm_event {
    wlm_place place;
    wlm_node crossing, at;
    int32_t due; /* 1 + the state with its time */
    int32_t slots;
    double priority; /* at one time higher ones come before lower ones */
    int falls;       /* until its sign is made: it happens when the expression falls */
    int initially;   /* what is 0 or more at the start has risen there */
    int32_t assignments;
    int32_t *state; /* assignments */
    wlm_node *value;
    unsigned char *how; /* assignments: flags WLM_SETS...; NULL: all SETS */
} wlm_event;

static inline int wlm_event_how(const wlm_event *event, int32_t assignment)
{
    return event->how != NULL ? event->how[assignment] : WLM_SETS;
}

/* A length of the step, times which the option `cfl` is, bounds steps. */
typedef struct wlm_limit {
    wlm_place place;
    wlm_node node;
} wlm_limit;

/* pulse(delay, width, period), whose edges are times at which steps end. period is WLM_NONE of a single pulse. What
 * else jumps at known times, as `t < delay` or the floor of t / period, has edges, too: width is WLM_NONE, and `delay`
 * its first one, or the only one. Of a table that is looked up by a line in time, `delay` is where that is 0, and
 * `width` the time in which it grows by 1. */
typedef struct wlm_pulse {
    wlm_node delay, width, period; /* they depend on parameters alone */
    const wlm_table *table;        /* NULL: none */
} wlm_pulse;

typedef struct wlm_kind {
    char *name;
    wlm_place place;
    wlm_place step;   /* where it reads the length of the step first; line 0: nowhere */
    wlm_graph *graph; /* input i is leaves[i] */
    int32_t ports, leaves, parameters, states, unknowns, locals, closings, port_quantities, contributions, events,
        pulses, limits;
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
    wlm_limit *limit;
} wlm_kind;

/* A quantity of a node is an unknown with 0 = sum of contributions, a state x with x' = sum, the sum itself, or a
 * number. No sum depends on itself, by way of others either. */
typedef enum wlm_quantity_type { WLM_BALANCE, WLM_STORE, WLM_SUM, WLM_FIXED } wlm_quantity_type;

static inline int wlm_quantity_is_unknown(wlm_quantity_type type)
{
    return type == WLM_BALANCE || type == WLM_STORE;
}

typedef struct wlm_quantity {
    wlm_quantity_type type;
    char *name;
    wlm_place place;
    double *value;       /* for each node the initial value, of FIXED the value; NULL of SUM */
    int32_t unit, added; /* of the quantity, and of what is added to a balance */
    int is_positive;     /* 1: an unknown that has to stay above 0 */
} wlm_quantity;

typedef struct wlm_set {
    char *name;
    wlm_place place;
    int32_t count, quantities;
    wlm_quantity *quantity;
} wlm_set;

/* A line `use`: instances of a kind. */
typedef struct wlm_use {
    int32_t kind; /* a number of model->kind */
    wlm_place place;
    int32_t count;      /* instances */
    int32_t *set;       /* for each port: the set whose nodes it is bound to */
    int32_t **node;     /* for each port: count numbers of nodes */
    int32_t *quantity;  /* for each port_quantity of the kind: the number of the set's quantity */
    double **parameter; /* for each parameter of the kind: count values; NULL where all instances have uniform[i] */
    double *uniform;
} wlm_use;

/* The line `run`; numbers that it leaves open are 0. */
typedef struct wlm_run_statement {
    wlm_place place;
    wlm_method method;
    double dt, cfl, to, every, relative, absolute;
} wlm_run_statement;

typedef struct wlm_watch {
    char *name; /* "lr91.m", "cell.v"; "lr91[3].m" where there are several instances or nodes, counted from 0 */
    wlm_place place;
} wlm_watch;

typedef struct wlm_model {
    int literal; /* 1: its graphs are literal (graph.h), and so are those that equations make of them */
    int32_t kinds, sets, uses, watches;
    wlm_kind *kind;
    wlm_set *set;
    wlm_use *use;
    wlm_watch *watch;
    wlm_run_statement run;
    wlm_place step;   /* where elements that are used read the length of the step first; line 0: nowhere */
    int64_t batch;    /* number of members; 0: the text does not say, one */
    char *batch_file; /* a CSV file with a column for each parameter that differs; NULL: none */
} wlm_model;

/* Returns 1 where an element that is used has a limit. */
static inline int wlm_model_has_limits(const wlm_model *model)
{
    for (int32_t u = 0; u < model->uses; u++)
        if (model->kind[model->use[u].kind].limits > 0) return 1;
    return 0;
}

#endif
