#include "networks.h"

#include <math.h>

static wlm_node exp_of(wlm_kind *k, wlm_node a)
{
    return wlm_unary(k->graph, WLM_EXP, a);
}

static wlm_node neg(wlm_kind *k, wlm_node a)
{
    return wlm_unary(k->graph, WLM_NEG, a);
}

wlm_kind *network_resistor(hand *h, double value)
{
    wlm_kind *k = hand_kind(h, "res", 2);
    wlm_node g = hand_parameter(h, k, "g", value);
    wlm_node i = hand_op(k, WLM_MUL, g, hand_op(k, WLM_SUB, hand_port(h, k, 0, "v"), hand_port(h, k, 1, "v")));
    hand_add(h, k, 0, "v", i, WLM_NONE);
    hand_add(h, k, 1, "v", neg(k, i), WLM_NONE);
    return k;
}

wlm_kind *network_capacitor(hand *h, double value)
{
    wlm_kind *k = hand_kind(h, "cap", 1);
    wlm_node c = hand_parameter(h, k, "c", value);
    hand_add(h, k, 0, "v", WLM_NONE, hand_op(k, WLM_MUL, c, hand_port(h, k, 0, "v")));
    return k;
}

wlm_kind *network_source(hand *h, double value, int alternating)
{
    wlm_kind *k = hand_kind(h, "vsrc", 2);
    wlm_node e = hand_parameter(h, k, "e", value);
    if (alternating) e = hand_op(k, WLM_MUL, e, wlm_unary(k->graph, WLM_SIN, hand_time(h, k)));
    wlm_node i = hand_unknown(h, k, "i", 0.0);
    wlm_node v = hand_op(k, WLM_SUB, hand_port(h, k, 0, "v"), hand_port(h, k, 1, "v"));
    hand_close(h, k, hand_op(k, WLM_SUB, v, e));
    hand_add(h, k, 0, "v", i, WLM_NONE);
    hand_add(h, k, 1, "v", neg(k, i), WLM_NONE);
    return k;
}

wlm_kind *network_diode(hand *h, double is, double vt)
{
    wlm_kind *k = hand_kind(h, "dio", 2);
    wlm_node v = hand_op(k, WLM_SUB, hand_port(h, k, 0, "v"), hand_port(h, k, 1, "v"));
    wlm_node e = exp_of(k, hand_op(k, WLM_DIV, v, hand_number(k, vt)));
    wlm_node i = hand_op(k, WLM_MUL, hand_parameter(h, k, "is", is), hand_op(k, WLM_SUB, e, hand_number(k, 1.0)));
    hand_add(h, k, 0, "v", i, WLM_NONE);
    hand_add(h, k, 1, "v", neg(k, i), WLM_NONE);
    return k;
}

wlm_kind *network_cell(hand *h)
{
    wlm_kind *k = hand_kind(h, "cell", 1);
    wlm_node v = hand_port(h, k, 0, "v"), g = hand_parameter(h, k, "g", 4.0);
    wlm_node m = hand_state(h, k, "m", 0.05);
    wlm_node slope = hand_op(k, WLM_DIV, hand_op(k, WLM_ADD, v, hand_number(k, 35.0)), hand_number(k, 7.0));
    wlm_node one = hand_number(k, 1.0);
    wlm_node steady = hand_op(k, WLM_DIV, one, hand_op(k, WLM_ADD, one, exp_of(k, neg(k, slope))));
    hand_gate(k, steady,
              hand_op(k, WLM_ADD, hand_number(k, 0.2), exp_of(k, neg(k, hand_op(k, WLM_MUL, slope, slope)))));
    wlm_node w = hand_state(h, k, "w", 0.0);
    hand_rate(k, hand_op(k, WLM_MUL, hand_number(k, 0.02),
                         hand_op(k, WLM_SUB, hand_op(k, WLM_ADD, v, hand_number(k, 60.0)), w)));
    wlm_node in = hand_op(k, WLM_MUL, hand_op(k, WLM_MUL, g, hand_op(k, WLM_POW, m, hand_number(k, 3.0))),
                          hand_op(k, WLM_SUB, v, hand_number(k, 50.0)));
    wlm_node leak = hand_op(k, WLM_MUL, hand_number(k, 0.3), hand_op(k, WLM_ADD, v, hand_number(k, 60.0)));
    hand_add(h, k, 0, "v", hand_op(k, WLM_ADD, hand_op(k, WLM_ADD, in, leak), w),
             hand_op(k, WLM_MUL, hand_number(k, 1.0), v));
    return k;
}

static int32_t voltages(hand *h, const char *name, int32_t count, wlm_quantity_type type)
{
    int32_t set = hand_set(h, name, count);
    hand_quantity(h, set, type, "v", 0.0);
    return set;
}

void network_ladder(hand *h, int32_t nodes, double g, double c)
{
    int32_t node = voltages(h, "node", nodes, WLM_BALANCE), ground = voltages(h, "ground", 1, WLM_FIXED);
    wlm_kind *resistor = network_resistor(h, g), *capacitor = network_capacitor(h, c);
    wlm_use *use = hand_use(h, capacitor, nodes);
    hand_bind(h, use, 0, node, 0, 1);
    hand_finish_use(h, use);
    use = hand_use(h, resistor, nodes - 1);
    hand_bind(h, use, 0, node, 0, 1);
    hand_bind(h, use, 1, node, 1, 1);
    hand_finish_use(h, use);
    use = hand_use(h, resistor, 1);
    hand_bind(h, use, 0, node, nodes - 1, 0);
    hand_bind(h, use, 1, ground, 0, 0);
    hand_finish_use(h, use);
}

void network_cable(hand *h, int32_t cells, double g)
{
    int32_t set = hand_set(h, "cell", cells);
    hand_quantity(h, set, WLM_BALANCE, "v", -60.0);
    for (int32_t i = 0; i < cells; i++) h->model.set[set].quantity[0].value[i] = -60.0 + 40.0 * i / cells;
    wlm_kind *cell = network_cell(h), *gap = network_resistor(h, g);
    wlm_use *use = hand_use(h, cell, cells);
    hand_bind(h, use, 0, set, 0, 1);
    hand_finish_use(h, use);
    use = hand_use(h, gap, cells - 1);
    hand_bind(h, use, 0, set, 0, 1);
    hand_bind(h, use, 1, set, 1, 1);
    hand_finish_use(h, use);
}

void network_sums(hand *h, int circle)
{
    int32_t set = hand_set(h, "n", 5);
    hand_quantity(h, set, WLM_STORE, "x", 1.0);
    hand_quantity(h, set, WLM_SUM, "second", 0.0); /* stands before what it reads */
    hand_quantity(h, set, WLM_SUM, "first", 0.0);
    wlm_kind *k = hand_kind(h, "link", 2);
    wlm_node x = hand_port(h, k, 1, "x"), first = hand_port(h, k, 1, "first"), second = hand_port(h, k, 1, "second");
    hand_add(h, k, 0, "x", hand_op(k, WLM_MUL, hand_number(k, -0.5), second), WLM_NONE);
    hand_add(h, k, 0, "second", hand_op(k, WLM_MUL, first, first), WLM_NONE);
    hand_add(h, k, 0, "first", circle ? hand_op(k, WLM_ADD, x, second) : x, WLM_NONE);
    wlm_use *use = hand_use(h, k, 10);
    hand_bind(h, use, 0, set, 0, 0);
    hand_bind(h, use, 1, set, 0, 0);
    for (int32_t i = 0; i < 10; i++) {
        use->node[0][i] = i % 5;
        use->node[1][i] = (3 * i + 1) % 5;
    }
    hand_finish_use(h, use);
}

double network_value(wlm_transient *s, int32_t unknown)
{
    double value = NAN;
    wlm_transient_read(s, WLM_MEMORY_UNKNOWNS, unknown, 1, &value);
    return value;
}
