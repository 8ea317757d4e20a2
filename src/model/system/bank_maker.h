/* What making a use's program goes by: its equations copied, then rows, derivatives, outputs. */
#ifndef WLU_MODEL_SYSTEM_BANK_MAKER_H
#define WLU_MODEL_SYSTEM_BANK_MAKER_H

#include "model/graph/derive.h"
#include "model/system/bank.h"

/* Inputs of programs: leaves, factors, then the states that no leaf reads. */
enum { WLM_FACTORS = 2 };
enum { WLM_PER_FLOW = 2, WLM_PER_STATE = 4, WLM_PER_UNKNOWN = 2, WLM_PER_PULSE = 3, WLM_PER_EVENT = 2 };

/* An equation of an instance: where it stands, f and q. */
typedef struct wlm_bank_row {
    wlm_where where;
    wlm_role role; /* of f */
    wlm_node f, q;
} wlm_bank_row;

typedef struct wlm_bank_maker {
    const wlm_layout *layout;
    wlu_context *ctx;
    int32_t use, level;
    wlm_want want;
    const wlm_use *of;
    const wlm_kind *kind;
    wlm_graph *graph;
    /* Copies, WLM_PER_ of each: flow, charge; rate, steady, tau, initial; closing, initial; delay, width, period;
     * crossing, at. Then values of assignments, event by event. */
    wlm_node *flow, *state, *unknown, *pulse, *event, *value;
    int32_t rows;
    wlm_bank_row *row;
    wlm_jacobian df, dq;
    int32_t outputs;
    wlm_node *output;
    wlm_bank_output *place;
} wlm_bank_maker;

/* The equations of the kind in a graph of the maker's, uniform parameters as constants. */
warplu_status wlm_bank_copy(wlm_bank_maker *m);
/* Rows of what is wanted. */
warplu_status wlm_bank_rows(wlm_bank_maker *m);
/* Where the node of a port's quantity stands, of each instance. */
wlm_where wlm_bank_port(const wlm_bank_maker *m, int32_t port_quantity);
/* *out: 1 where the nodes need a leaf that changes in a run, time too where with_time. */
warplu_status wlm_bank_vary(const wlm_bank_maker *m, const wlm_node *nodes, int32_t count, int with_time, int *out);
/* *out: 1 where a node needs the time. */
warplu_status wlm_bank_knows_time(const wlm_bank_maker *m, wlm_node node, int *out);
/* *out: 1 where they have jumps or branches that unknowns decide, which derivatives do not show. */
warplu_status wlm_bank_jump(const wlm_bank_maker *m, const wlm_node *nodes, int32_t count, int *out);

static inline wlm_node wlm_bank_factor(const wlm_bank_maker *m, int32_t which)
{
    return wlm_input(m->graph, m->kind->leaves + which);
}

#endif
