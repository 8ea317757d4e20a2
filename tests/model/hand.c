/* Growing arrays by copies: models of tests are small. */
#include "hand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hand_begin(hand *h)
{
    memset(h, 0, sizeof *h);
    wlu_context_init(&h->ctx, NULL);
}

void hand_end(hand *h)
{
    for (int32_t k = 0; k < h->model.kinds; k++) wlm_graph_destroy(&h->model.kind[k].graph);
    for (int32_t k = 0; k < h->blocks; k++) free(h->block[k]);
    free(h->block);
    memset(h, 0, sizeof *h);
}

void *hand_room(hand *h, int64_t bytes)
{
    if (h->blocks == h->room) {
        h->room = 2 * h->room + 16;
        h->block = realloc(h->block, (size_t)h->room * sizeof *h->block);
    }
    void *block = calloc(1, (size_t)(bytes > 0 ? bytes : 1));
    if (block == NULL || h->block == NULL) abort();
    h->block[h->blocks++] = block;
    return block;
}

static char *text(hand *h, const char *from)
{
    return strcpy(hand_room(h, (int64_t)strlen(from) + 1), from);
}

/* A copy with room for one element more. */
static void *grown(hand *h, const void *array, int32_t count, size_t size)
{
    char *copy = hand_room(h, (int64_t)(count + 1) * (int64_t)size);
    if (count > 0) memcpy(copy, array, (size_t)count * size);
    return copy;
}

#define GROW(h, owner, array, count) \
    ((owner)->array = grown((h), (owner)->array, (owner)->count, sizeof *(owner)->array), \
     &(owner)->array[(owner)->count++])

static wlm_place next_line(wlm_kind *kind)
{
    return (wlm_place){.line = ++kind->place.column + kind->place.line, .column = 1};
}

/* All kinds stand in one array from the beginning, so that pointers to them last. */
enum { KINDS = 16 };

wlm_kind *hand_kind(hand *h, const char *name, int32_t ports)
{
    if (h->model.kind == NULL) h->model.kind = hand_room(h, KINDS * (int64_t)sizeof(wlm_kind));
    if (h->model.kinds == KINDS) abort();
    wlm_kind *kind = &h->model.kind[h->model.kinds++];
    kind->name = text(h, name);
    kind->place.line = 100 * h->model.kinds;
    kind->ports = ports;
    if (wlm_graph_create(&h->ctx, 0, &kind->graph) != WARPLU_SUCCESS) abort();
    return kind;
}

static wlm_node leaf(hand *h, wlm_kind *kind, wlm_leaf_type type, int32_t index)
{
    *GROW(h, kind, leaf, leaves) = (wlm_leaf){type, index};
    return wlm_input(kind->graph, kind->leaves - 1);
}

wlm_node hand_time(hand *h, wlm_kind *kind)
{
    return leaf(h, kind, WLM_LEAF_TIME, 0);
}

wlm_node hand_parameter(hand *h, wlm_kind *kind, const char *name, double value)
{
    *GROW(h, kind, parameter, parameters) =
        (wlm_parameter){.name = text(h, name), .place = next_line(kind), .value = value};
    return leaf(h, kind, WLM_LEAF_PARAMETER, kind->parameters - 1);
}

wlm_node hand_state(hand *h, wlm_kind *kind, const char *name, double initial)
{
    *GROW(h, kind, state, states) = (wlm_state){text(h, name),
                                                next_line(kind),
                                                hand_number(kind, initial),
                                                hand_number(kind, 0.0),
                                                WLM_NONE,
                                                WLM_NONE,
                                                -INFINITY,
                                                INFINITY,
                                                0};
    return leaf(h, kind, WLM_LEAF_STATE, kind->states - 1);
}

void hand_rate(wlm_kind *kind, wlm_node rate)
{
    kind->state[kind->states - 1].rate = rate;
}

void hand_gate(wlm_kind *kind, wlm_node steady, wlm_node tau)
{
    wlm_state *s = &kind->state[kind->states - 1];
    s->steady = steady;
    s->tau = tau;
    for (int32_t k = 0; k < kind->leaves; k++)
        if (kind->leaf[k].type == WLM_LEAF_STATE && kind->leaf[k].index == kind->states - 1)
            s->rate = hand_op(kind, WLM_DIV, hand_op(kind, WLM_SUB, steady, wlm_input(kind->graph, k)), tau);
}

wlm_node hand_unknown(hand *h, wlm_kind *kind, const char *name, double initial)
{
    *GROW(h, kind, unknown, unknowns) = (wlm_unknown){text(h, name), next_line(kind), hand_number(kind, initial)};
    return leaf(h, kind, WLM_LEAF_UNKNOWN, kind->unknowns - 1);
}

void hand_close(hand *h, wlm_kind *kind, wlm_node zero)
{
    *GROW(h, kind, closing, closings) = (wlm_closing){next_line(kind), zero};
}

int32_t hand_quantity_of(hand *h, wlm_kind *kind, int32_t port, const char *quantity)
{
    for (int32_t k = 0; k < kind->port_quantities; k++)
        if (kind->port_quantity[k].port == port && strcmp(kind->port_quantity[k].name, quantity) == 0) return k;
    *GROW(h, kind, port_quantity, port_quantities) =
        (wlm_port_quantity){.port = port, .name = text(h, quantity), .place = next_line(kind)};
    return kind->port_quantities - 1;
}

wlm_node hand_port(hand *h, wlm_kind *kind, int32_t port, const char *quantity)
{
    return leaf(h, kind, WLM_LEAF_PORT, hand_quantity_of(h, kind, port, quantity));
}

void hand_add(hand *h, wlm_kind *kind, int32_t port, const char *quantity, wlm_node flow, wlm_node charge)
{
    int32_t number = hand_quantity_of(h, kind, port, quantity);
    *GROW(h, kind, contribution, contributions) = (wlm_contribution){number, next_line(kind), flow, charge};
}

int32_t hand_set(hand *h, const char *name, int32_t count)
{
    *GROW(h, &h->model, set, sets) =
        (wlm_set){.name = text(h, name), .place = {.line = 10 + h->model.sets, .column = 1}, .count = count};
    return h->model.sets - 1;
}

void hand_quantity(hand *h, int32_t set, wlm_quantity_type type, const char *name, double value)
{
    wlm_set *s = &h->model.set[set];
    double *values = type == WLM_SUM ? NULL : hand_room(h, s->count * (int64_t)sizeof(double));
    for (int32_t i = 0; values != NULL && i < s->count; i++) values[i] = value;
    *GROW(h, s, quantity, quantities) =
        (wlm_quantity){.type = type, .name = text(h, name), .place = s->place, .value = values};
}

/* Uses too. */
enum { USES = 32 };

wlm_use *hand_use(hand *h, const wlm_kind *kind, int32_t count)
{
    if (h->model.use == NULL) h->model.use = hand_room(h, USES * (int64_t)sizeof(wlm_use));
    if (h->model.uses == USES) abort();
    wlm_use *use = &h->model.use[h->model.uses++];
    use->kind = (int32_t)(kind - h->model.kind);
    use->place = (wlm_place){.line = 50 + h->model.uses, .column = 1};
    use->count = count;
    use->set = hand_room(h, kind->ports * (int64_t)sizeof(int32_t));
    use->node = hand_room(h, kind->ports * (int64_t)sizeof(int32_t *));
    use->quantity = hand_room(h, kind->port_quantities * (int64_t)sizeof(int32_t));
    use->parameter = hand_room(h, kind->parameters * (int64_t)sizeof(double *));
    use->uniform = hand_room(h, kind->parameters * (int64_t)sizeof(double));
    for (int32_t p = 0; p < kind->parameters; p++) use->uniform[p] = kind->parameter[p].value;
    return use;
}

void hand_bind(hand *h, wlm_use *use, int32_t port, int32_t set, int32_t first, int32_t step)
{
    use->set[port] = set;
    use->node[port] = hand_room(h, use->count * (int64_t)sizeof(int32_t));
    for (int32_t i = 0; i < use->count; i++) use->node[port][i] = first + i * step;
}

void hand_finish_use(hand *h, wlm_use *use)
{
    const wlm_kind *kind = &h->model.kind[use->kind];
    for (int32_t k = 0; k < kind->port_quantities; k++) {
        const wlm_set *set = &h->model.set[use->set[kind->port_quantity[k].port]];
        for (int32_t q = 0; q < set->quantities; q++)
            if (strcmp(set->quantity[q].name, kind->port_quantity[k].name) == 0) use->quantity[k] = q;
    }
}

double *hand_values(hand *h, wlm_use *use, const char *parameter)
{
    const wlm_kind *kind = &h->model.kind[use->kind];
    for (int32_t p = 0; p < kind->parameters; p++)
        if (strcmp(kind->parameter[p].name, parameter) == 0)
            return use->parameter[p] = hand_room(h, use->count * (int64_t)sizeof(double));
    abort();
}

wlm_node hand_number(wlm_kind *kind, double value)
{
    return wlm_constant(kind->graph, value);
}

wlm_node hand_op(wlm_kind *kind, wlm_opcode opcode, wlm_node a, wlm_node b)
{
    return wlm_binary(kind->graph, opcode, a, b);
}
