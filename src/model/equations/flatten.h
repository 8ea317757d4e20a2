/* The state of turning a model's instances into one graph, which flatten.c, instances.c and sums.c share. */
#ifndef WLU_MODEL_EQUATIONS_FLATTEN_H
#define WLU_MODEL_EQUATIONS_FLATTEN_H

#include "model/equations/equations.h"

/* Every quantity of every node has a place: quantity k of node j of set s has place first[s] + k nodes + j. Its
 * value is an input of the graph, a constant or a sum; sums are WLM_NONE until they are known. */
typedef struct wlm_flat {
    wlu_context *ctx;
    const wlm_model *model;
    wlm_equations *e;
    wlm_arena scratch; /* has the arrays below */
    int32_t *first;    /* for each set: the place of its first quantity's first node */
    int32_t places;
    wlm_node *value;                        /* for each place */
    int32_t *row;                           /* for each place: the unknown's number, or -1 */
    wlm_node *sum;                          /* for each place: the flows so far; WLM_NONE before the first */
    wlm_node *charge;                       /* for each place: the charges so far */
    int32_t *use_instance;                  /* for each use: the number of its first instance among those of its kind */
    int32_t *kind_count;                    /* for each kind: its instances */
    int32_t *state, *unknown;               /* for each use: the number of its first instance's first state, unknown */
    int32_t closings;                       /* made so far */
    int32_t *closing_row;                   /* the rows that closing equations get, in order */
    int32_t locals, events, pulses, limits; /* made so far */
    int64_t ranges;                         /* states of all instances that have one, and what is to stay above 0 */
    int32_t inputs_most, nodes_most;        /* the most of a kind */
    wlm_node *inputs;                       /* the nodes that replace a kind's inputs for one instance */
    wlm_node *nodes, *copies;               /* all nodes of a kind, and their copies for one instance */
} wlm_flat;

/* Returns the place of the quantity that an instance's port is bound to. */
int32_t wlm_flat_place(const wlm_flat *f, const wlm_use *use, int32_t instance, int32_t port_quantity);
/* Fills `inputs` for an instance. */
void wlm_flat_bind(wlm_flat *f, int32_t use, int32_t instance);
/* Returns a + b, or b where a is WLM_NONE. */
wlm_node wlm_flat_add(wlm_graph *graph, wlm_node a, wlm_node b);
/* Returns "kind.name", or "kind[i].name" where there are several instances, of the equations' arena. NULL: no
 * memory. */
char *wlm_flat_name(wlm_flat *f, const char *of, int32_t index, int32_t count, const char *name);

/* Makes the values of all sums. WARPLU_BAD_FORMAT where sums depend on each other in a circle. */
warplu_status wlm_flat_sums(wlm_flat *f);
/* Adds what all instances have: rows, contributions, definitions, events. */
warplu_status wlm_flat_instances(wlm_flat *f);

#endif
