/* Models by hand, as their text would make them: kinds with equations in a graph, sets and uses. Everything belongs to
 * the hand, which frees it at once. For tests of what comes behind the text. */
#ifndef WLU_TEST_HAND_H
#define WLU_TEST_HAND_H

#include "model/text/model.h"

typedef struct hand {
    wlu_context ctx; /* of the models: never one that fails */
    wlm_model model;
    int32_t blocks, room;
    void **block;
} hand;

void hand_begin(hand *h);
void hand_end(hand *h);
/* Zeroed memory that the hand frees. */
void *hand_room(hand *h, int64_t bytes);

/* Kinds. Lines are numbered from 1 in the order of calls: of the kind 100 times its number and on. */
wlm_kind *hand_kind(hand *h, const char *name, int32_t ports);
wlm_node hand_time(hand *h, wlm_kind *kind);
wlm_node hand_parameter(hand *h, wlm_kind *kind, const char *name, double value);
wlm_node hand_state(hand *h, wlm_kind *kind, const char *name, double initial);
void hand_rate(wlm_kind *kind, wlm_node rate);                 /* of the last state */
void hand_gate(wlm_kind *kind, wlm_node steady, wlm_node tau); /* the last state */
wlm_node hand_unknown(hand *h, wlm_kind *kind, const char *name, double initial);
void hand_close(hand *h, wlm_kind *kind, wlm_node zero);
/* The port's quantity as an input; and its number, by hand_quantity_of. */
wlm_node hand_port(hand *h, wlm_kind *kind, int32_t port, const char *quantity);
int32_t hand_quantity_of(hand *h, wlm_kind *kind, int32_t port, const char *quantity);
void hand_add(hand *h, wlm_kind *kind, int32_t port, const char *quantity, wlm_node flow, wlm_node charge);

/* Sets and uses; value: of all nodes. */
int32_t hand_set(hand *h, const char *name, int32_t count);
void hand_quantity(hand *h, int32_t set, wlm_quantity_type type, const char *name, double value);
/* count instances; parameters at their defaults. */
wlm_use *hand_use(hand *h, const wlm_kind *kind, int32_t count);
/* Port of the instances: node first + i * step of the set, for instance i. */
void hand_bind(hand *h, wlm_use *use, int32_t port, int32_t set, int32_t first, int32_t step);
/* Numbers of quantities, once all ports are bound. */
void hand_finish_use(hand *h, wlm_use *use);
/* The parameter's values, one for each instance, which the caller fills. */
double *hand_values(hand *h, wlm_use *use, const char *parameter);

/* Shorthands on the kind's graph. */
wlm_node hand_number(wlm_kind *kind, double value);
wlm_node hand_op(wlm_kind *kind, wlm_opcode opcode, wlm_node a, wlm_node b);

#endif
