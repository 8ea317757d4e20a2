/* Finds the times at which equations jump or bend and that parameters alone say: edges, where steps end.
 *
 * Pulses say theirs. Other operations that are no smooth ones (comparisons, sign, abs, min, max, floor, ceil) jump or
 * bend where a difference is 0, or whole. It is written as (a t + b + c F) / d, where a to d depend on parameters
 * alone and F is the floor of another such line, or none. Without F it is 0 once. With F it is 0 once in each period of
 * F where it grows by nothing over one, as the phase t - P floor(t / P) does; else its zeros are not known, those of F
 * are. A table has edges where a line without F, by which it is looked up, is at a knot. Of abs, min, max and if
 * within lines, each branch is taken for the whole: edges may be where nothing jumps. What is no such line has no
 * edges.
 *
 * Cost: at most 2^CHOICES_MOST times LOOKS_MOST operations looked at, and some dozens made, for each that is not
 * smooth. */
#include <math.h>

#include "model/text/element.h"

enum { LOOKS_MOST = 256, CHOICES_MOST = 4 };

/* Nodes of a line; WLM_NONE is 0, of d 1, of F that there is none. */
typedef struct line {
    wlm_node a, b, c, d, f;
} line;

/* --------------------------------------------------------------- arithmetic */

static wlm_node sum(wlm_graph *g, wlm_opcode opcode, wlm_node x, wlm_node y)
{
    if (y == WLM_NONE) return x;
    if (x == WLM_NONE) return opcode == WLM_ADD ? y : wlm_unary(g, WLM_NEG, y);
    return wlm_binary(g, opcode, x, y);
}

/* Returns x times y, where a y of WLM_NONE is 1. */
static wlm_node times(wlm_graph *g, wlm_node x, wlm_node y)
{
    return x == WLM_NONE || y == WLM_NONE ? x : wlm_binary(g, WLM_MUL, x, y);
}

static void scale(wlm_graph *g, line *l, wlm_node by)
{
    l->a = times(g, l->a, by), l->b = times(g, l->b, by), l->c = times(g, l->c, by);
}

static wlm_node product(wlm_graph *g, wlm_node x, wlm_node y)
{
    return x == WLM_NONE ? y : times(g, x, y);
}

/* Adds y to x, or subtracts it; 0 where both have floors that differ. */
static int join(wlm_graph *g, wlm_opcode opcode, line *x, line y)
{
    if (x->f != WLM_NONE && y.f != WLM_NONE && x->f != y.f) return 0;
    if (x->d != y.d) {
        wlm_node d = x->d;
        scale(g, x, y.d);
        scale(g, &y, d);
        x->d = product(g, d, y.d);
    }
    x->a = sum(g, opcode, x->a, y.a), x->b = sum(g, opcode, x->b, y.b), x->c = sum(g, opcode, x->c, y.c);
    if (x->f == WLM_NONE) x->f = y.f;
    return 1;
}

/* -------------------------------------------------------------------- lines */

/* A walk through an expression. Where it bends (abs, min, max, if) one of two branches is taken, by the next of the
 * choices. */
typedef struct walk {
    wlm_element *e;
    unsigned choices;
    int chosen, looks; /* how many choices have been made, and operations looked at */
} walk;

static int line_of(walk *w, wlm_node node, line *out);

static int has_time(const walk *w, wlm_node node)
{
    return (wlm_element_leaves(w->e, node) & WLM_MAY_TIME) != 0;
}

/* Writes the branch that is chosen, of two nodes, as a line; of abs, minus: it is of one node, or minus that. */
static int branch_of(walk *w, wlm_node x, wlm_node y, line *out)
{
    int second = w->chosen < CHOICES_MOST && w->choices >> w->chosen & 1;
    if (++w->chosen > CHOICES_MOST || !line_of(w, second && y != WLM_NONE ? y : x, out)) return 0;
    if (second && y == WLM_NONE) scale(w->e->kind->graph, out, wlm_constant(w->e->kind->graph, -1.0));
    return 1;
}

static int product_of(walk *w, wlm_node node, line *out)
{
    wlm_graph *g = w->e->kind->graph;
    wlm_node x = wlm_node_operand(g, node, 0), y = wlm_node_operand(g, node, 1);
    int divides = wlm_node_opcode(g, node) == WLM_DIV, swaps = !divides && !has_time(w, x);
    wlm_node of = swaps ? y : x, by = swaps ? x : y;
    if (has_time(w, by) || !line_of(w, of, out)) return 0;
    if (divides)
        out->d = product(g, out->d, by);
    else
        scale(g, out, by);
    return 1;
}

/* Writes a node as a line; 0 where it is none. */
static int line_of(walk *w, wlm_node node, line *out)
{
    wlm_graph *g = w->e->kind->graph;
    wlm_opcode opcode = wlm_node_opcode(g, node);
    wlm_node x = wlm_node_operand(g, node, 0), y = wlm_node_operand(g, node, 1);
    line other;
    *out = (line){WLM_NONE, WLM_NONE, WLM_NONE, WLM_NONE, WLM_NONE};
    if (++w->looks > LOOKS_MOST) return 0;
    if (!has_time(w, node))
        out->b = node;
    else if (opcode == WLM_FLOOR || opcode == WLM_CEIL)
        out->c = wlm_constant(g, 1.0), out->f = node;
    else if (opcode == WLM_INPUT)
        out->a = wlm_constant(g, 1.0);
    else if (opcode == WLM_ADD || opcode == WLM_SUB)
        return line_of(w, x, out) && line_of(w, y, &other) && join(g, opcode, out, other);
    else if (opcode == WLM_MUL || opcode == WLM_DIV)
        return product_of(w, node, out);
    else if (opcode == WLM_ABS || opcode == WLM_MIN || opcode == WLM_MAX)
        return branch_of(w, x, y, out);
    else if (opcode == WLM_SELECT)
        return branch_of(w, y, wlm_node_operand(g, node, 2), out);
    else if (opcode == WLM_NEG && line_of(w, x, out))
        scale(g, out, wlm_constant(g, -1.0));
    else
        return 0;
    return 1;
}

/* -------------------------------------------------------------------- edges */

static int is_same(const wlm_pulse *a, const wlm_pulse *b)
{
    return a->delay == b->delay && a->width == b->width && a->period == b->period && a->table == b->table;
}

static void add(wlm_element *e, wlm_pulse pulse)
{
    wlm_kind *kind = e->kind;
    for (int32_t k = 0; k < kind->pulses; k++)
        if (is_same(&kind->pulse[k], &pulse)) return;
    if (wlm_more_for(e->r, e->r->kept, &kind->pulse, kind->pulses, sizeof pulse)) kind->pulse[kind->pulses++] = pulse;
}

/* Returns -b / a. */
static wlm_node zero_of(wlm_graph *g, const line *l)
{
    wlm_node b = l->b != WLM_NONE ? l->b : wlm_constant(g, 0.0);
    return wlm_binary(g, WLM_DIV, wlm_unary(g, WLM_NEG, b), l->a);
}

/* Adds edges a period after each other, one of which is at `time`: the first is the first from 0 on. */
static void add_periodic(wlm_element *e, wlm_node time, wlm_node period, wlm_node holds)
{
    wlm_graph *g = e->kind->graph;
    wlm_node size = wlm_unary(g, WLM_ABS, period), turns = wlm_unary(g, WLM_FLOOR, wlm_binary(g, WLM_DIV, time, size));
    wlm_node first = wlm_binary(g, WLM_SUB, time, wlm_binary(g, WLM_MUL, size, turns));
    if (holds != WLM_NONE) first = wlm_ternary(g, WLM_SELECT, holds, first, wlm_constant(g, (double)NAN));
    if (wlm_node_opcode(g, first) != WLM_CONSTANT || isfinite(wlm_node_value(g, first)))
        add(e, (wlm_pulse){first, WLM_NONE, size, NULL});
}

/* Returns the time in which what is floored grows by 1; it is no floor itself. */
static wlm_node period_of(wlm_graph *g, const line *of)
{
    return wlm_binary(g, WLM_DIV, of->d != WLM_NONE ? of->d : wlm_constant(g, 1.0), of->a);
}

static void add_zeros(walk *w, const line *l)
{
    wlm_graph *g = w->e->kind->graph;
    line of;
    if (l->a == WLM_NONE) return;
    if (l->f == WLM_NONE) {
        add(w->e, (wlm_pulse){zero_of(g, l), WLM_NONE, WLM_NONE, NULL});
        return;
    }
    if (!line_of(w, wlm_node_operand(g, l->f, 0), &of) || of.f != WLM_NONE || of.a == WLM_NONE) return;
    wlm_node period = period_of(g, &of), growth = sum(g, WLM_ADD, wlm_binary(g, WLM_MUL, l->a, period), l->c);
    wlm_node most = wlm_binary(g, WLM_MUL, wlm_constant(g, 1e-9), wlm_unary(g, WLM_ABS, l->c));
    add_periodic(w->e, zero_of(g, l), period, wlm_binary(g, WLM_LE, wlm_unary(g, WLM_ABS, growth), most));
}

/* Adds the edges that an operation has along one walk. */
static void add_edges(walk *w, wlm_node node)
{
    wlm_graph *g = w->e->kind->graph;
    wlm_node x = wlm_node_operand(g, node, 0), y = wlm_node_operand(g, node, 1);
    line l, other;
    switch (wlm_node_opcode(g, node)) {
    case WLM_LT:
    case WLM_LE:
    case WLM_MIN:
    case WLM_MAX:
        if (line_of(w, x, &l) && line_of(w, y, &other) && join(g, WLM_SUB, &l, other)) add_zeros(w, &l);
        break;
    case WLM_ABS:
    case WLM_SIGN:
        if (line_of(w, x, &l)) add_zeros(w, &l);
        break;
    case WLM_FLOOR:
    case WLM_CEIL:
        if (line_of(w, x, &l) && l.f == WLM_NONE && l.a != WLM_NONE)
            add_periodic(w->e, zero_of(g, &l), period_of(g, &l), WLM_NONE);
        break;
    default: break;
    }
}

/* Adds the edges of a table that is looked up by a node, along one walk. */
static void add_knots(walk *w, wlm_node node, const wlm_table *table)
{
    wlm_graph *g = w->e->kind->graph;
    line l;
    if (!line_of(w, node, &l) || l.f != WLM_NONE || l.a == WLM_NONE) return;
    wlm_node grows = period_of(g, &l), period = WLM_NONE;
    if (table->period > 0.0)
        period = wlm_binary(g, WLM_MUL, wlm_unary(g, WLM_ABS, grows), wlm_constant(g, table->period));
    add(w->e, (wlm_pulse){zero_of(g, &l), grows, period, table});
}

/* Adds the edges of a node along all walks: those of the operation or, with a table, of a look-up by it. */
static void add_all(wlm_element *e, wlm_node node, const wlm_table *table)
{
    unsigned leaves = wlm_element_leaves(e, node);
    int bits = 0;
    if ((leaves & WLM_MAY_TIME) == 0 || (leaves & ~(WLM_MAY_TIME | WLM_MAY_PARAMETERS)) != 0) return;
    for (unsigned choices = 0; choices >> bits == 0; choices++) {
        walk w = {.e = e, .choices = choices};
        if (table != NULL)
            add_knots(&w, node, table);
        else
            add_edges(&w, node);
        if (w.chosen > bits) bits = w.chosen < CHOICES_MOST ? w.chosen : CHOICES_MOST;
    }
}

void wlm_element_jump(wlm_owner *owner, wlm_node node)
{
    add_all((wlm_element *)(void *)owner, node, NULL);
}

void wlm_element_lookup(wlm_owner *owner, wlm_node node, const wlm_table *table)
{
    if (table->edges > 0) add_all((wlm_element *)(void *)owner, node, table);
}

/* ------------------------------------------------------------------- pulses */

wlm_value wlm_element_pulse(wlm_owner *owner, wlm_place place, const wlm_value *operand, int has_period)
{
    wlm_element *e = (wlm_element *)(void *)owner;
    static const char *const names[] = {"the delay of a pulse", "the width of a pulse", "the period of a pulse"};
    wlm_graph *g = e->kind->graph;
    wlm_pulse pulse = {operand[0].node, operand[1].node, has_period ? operand[2].node : WLM_NONE, NULL};
    for (int k = 0; k < (has_period ? 3 : 2); k++)
        wlm_element_restrict(e, operand[k].node, WLM_MAY_PARAMETERS, place, names[k]);
    wlm_node since = wlm_binary(g, WLM_SUB, wlm_element_time(e), pulse.delay), phase = since;
    if (has_period) {
        wlm_node round = wlm_unary(g, WLM_FLOOR, wlm_binary(g, WLM_DIV, since, pulse.period));
        phase = wlm_binary(g, WLM_SUB, since, wlm_binary(g, WLM_MUL, pulse.period, round));
    }
    wlm_node begun = wlm_binary(g, WLM_LE, wlm_constant(g, 0.0), since);
    wlm_node within = wlm_binary(g, WLM_AND, begun, wlm_binary(g, WLM_LT, phase, pulse.width));
    if (has_period) { /* a period that is not above 0 makes NaN, and the step that meets it fails */
        wlm_node above = wlm_binary(g, WLM_LT, wlm_constant(g, 0.0), pulse.period);
        within = wlm_ternary(g, WLM_SELECT, above, within, wlm_constant(g, (double)NAN));
        if (wlm_node_is(g, above, 0.0))
            wlm_fail_at(e->r, WARPLU_BAD_FORMAT, place,
                        "expected the period of a pulse to be above 0 (without one there is one pulse)");
    }
    add(e, pulse);
    return (wlm_value){0.0, within};
}
