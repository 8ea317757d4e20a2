/* A model's instances while they become one graph: what flatten.c, instances.c and sums.c share. */
#ifndef WLU_MODEL_EQUATIONS_FLATTEN_H
#define WLU_MODEL_EQUATIONS_FLATTEN_H

#include "model/equations/equations.h"

/* What a node's quantity is in the graph, at its number: an input, a constant or a sum; sums are WLM_NONE until they
 * are known. Quantity k of node j of a set stands at first[k] + j. */
typedef struct wlm_flat {
    wlu_context *ctx;
    const wlm_model *model;
    wlm_equations *e;
    int32_t **first; /* of each set: of each quantity, its place below */
    int32_t places;
    wlm_node *value;                 /* of places */
    int32_t *row;                    /* of places: the unknown's number, or -1 */
    wlm_node *sum;                   /* of places: of flows; WLM_NONE: nothing was added yet */
    wlm_node *charge;                /* of places */
    int32_t *use_instance;           /* of each use: the number of its first instance among those of its kind */
    int32_t *kind_count;             /* of each kind: instances */
    int32_t *state, *unknown;        /* of each use: the number of its first instance's first state, unknown */
    int32_t closings;                /* so far */
    int32_t *closing_row;            /* rows of unknowns, in order */
    int32_t locals, events, pulses;  /* so far */
    int32_t inputs_most, nodes_most; /* of a kind */
    wlm_node *inputs;                /* of one instance */
    wlm_node *nodes, *copies;        /* all nodes of a kind, and what they are in the graph for one instance */
} wlm_flat;

/* The place of a use's quantity at an instance. */
int32_t wlm_flat_place(const wlm_flat *f, const wlm_use *use, int32_t instance, int32_t port_quantity);
/* Fills `inputs` for an instance. */
void wlm_flat_bind(wlm_flat *f, int32_t use, int32_t instance);
/* a + b, where a may be WLM_NONE. */
wlm_node wlm_flat_add(wlm_graph *graph, wlm_node a, wlm_node b);
/* "kind.name", or "kind[i].name" where there are several instances. NULL: no memory. */
char *wlm_flat_name(wlu_context *ctx, const char *of, int32_t index, int32_t count, const char *name);

/* The values of all sums. WARPLU_BAD_FORMAT where they go in a circle. */
warplu_status wlm_flat_sums(wlm_flat *f);
/* Everything of all instances. */
warplu_status wlm_flat_instances(wlm_flat *f);

#endif
