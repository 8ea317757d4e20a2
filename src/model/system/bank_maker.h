/* The state of making a use's program: its equations are copied, then rows, derivatives and outputs are made. */
#ifndef WLU_MODEL_SYSTEM_BANK_MAKER_H
#define WLU_MODEL_SYSTEM_BANK_MAKER_H

#include "model/graph/derive.h"
#include "model/system/bank.h"

/* Inputs of programs: leaves, factors, then the states that no leaf reads. */
enum { WLM_FACTORS = 2 };
enum { WLM_PER_FLOW = 2, WLM_PER_STATE = 4, WLM_PER_UNKNOWN = 2, WLM_PER_PULSE = 3, WLM_PER_EVENT = 2 };

/* An equation of each instance: where it stands, f and q. */
typedef struct wlm_bank_row {
    wlm_where where;
    wlm_role role; /* the role of f */
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
    /* Copies of the kind's nodes, WLM_PER_ of them for each contribution (flow, charge), state (rate, steady, tau,
     * initial), unknown (closing, initial), pulse (delay, width, period), limit (one) and event (crossing, at); then
     * the values of assignments, event by event. */
    wlm_node *flow, *state, *unknown, *pulse, *limit, *event, *value;
    int32_t rows;
    wlm_bank_row *row;
    wlm_jacobian df, dq;
    int32_t addends, outputs;
    wlm_bank_addend *addend;
    wlm_node *bare; /* of each addend, without its sign */
    wlm_node *output;
    wlm_bank_output *place;
} wlm_bank_maker;

/* Copies the kind's equations into a graph of the maker's, with uniform parameters as constants. */
warplu_status wlm_bank_copy(wlm_bank_maker *m);
/* Makes the rows of the want. */
warplu_status wlm_bank_rows(wlm_bank_maker *m);
/* Says where each instance has a port's quantity. */
wlm_where wlm_bank_port(const wlm_bank_maker *m, int32_t port_quantity);
/* Leaves that change in a run, by type. */
enum {
    WLM_READS_TIME = 1 << WLM_LEAF_TIME,
    WLM_READS_UNKNOWNS = 1 << WLM_LEAF_STATE | 1 << WLM_LEAF_UNKNOWN | 1 << WLM_LEAF_PORT
};
/* Sets *out to 1 where the nodes need a leaf of these types; fixed quantities are none. */
warplu_status wlm_bank_reads(const wlm_bank_maker *m, const wlm_node *nodes, int32_t count, unsigned types, int *out);
/* Sets *out to 1 where unknowns decide a jump or a branch of the nodes, which derivatives do not show. */
warplu_status wlm_bank_jump(const wlm_bank_maker *m, const wlm_node *nodes, int32_t count, int *out);

static inline wlm_node wlm_bank_factor(const wlm_bank_maker *m, int32_t which)
{
    return wlm_input(m->graph, m->kind->leaves + which);
}

#endif
