/* Sums terms so that what cancels leaves no rounding. Sums and differences are opened as far as something within them
 * cancels, and no further: what is left stays as it was written. Parts are alike up to their sign, as g (a - b) and
 * g (b - a) are. O(nodes of the graph). */
#include "model/graph/graph.h"

#include <math.h>

/* How deep in products a sign is looked for. */
enum { SIGN_LEVELS = 6 };

static wlm_node without_sign(wlm_graph *g, wlm_node node, int levels, int *minus)
{
    const wlm_opcode opcode = wlm_node_opcode(g, node);
    const wlm_node a = wlm_node_operand(g, node, 0), b = wlm_node_operand(g, node, 1);
    const int is_turned = opcode == WLM_SUB && a > b;
    const int is_below = opcode == WLM_CONSTANT && wlm_node_value(g, node) < 0.0;
    if (opcode == WLM_NEG || is_turned || is_below) *minus = !*minus;
    if (opcode == WLM_NEG) return without_sign(g, a, levels, minus);
    if (is_turned) return wlm_binary(g, WLM_SUB, b, a);
    if (is_below) return wlm_constant(g, -wlm_node_value(g, node));
    if (levels == 0 || (opcode != WLM_MUL && opcode != WLM_DIV)) return node;
    const wlm_node bare_a = without_sign(g, a, levels - 1, minus), bare_b = without_sign(g, b, levels - 1, minus);
    return bare_a == a && bare_b == b ? node : wlm_binary(g, opcode, bare_a, bare_b);
}

wlm_node wlm_without_sign(wlm_graph *graph, wlm_node node, int *minus)
{
    return without_sign(graph, node, SIGN_LEVELS, minus);
}

typedef struct sum {
    wlm_graph *g;
    int32_t count;         /* nodes before any are made here */
    double *by, *net;      /* factors of nodes; of those that stand for all that are alike */
    wlm_node *like;        /* of a part the one that it is like, up to its sign */
    unsigned char *is_met; /* each byte for a node: it has had a factor, */
    unsigned char *gone;   /* its factors have come to 0, */
    unsigned char *opened; /* something within it is gone */
} sum;

static int is_sum(const sum *s, wlm_node a)
{
    const wlm_opcode opcode = wlm_node_opcode(s->g, a);
    return opcode == WLM_ADD || opcode == WLM_SUB || opcode == WLM_NEG;
}

static void give(sum *s, wlm_node a, double by)
{
    s->by[a] += by;
    s->is_met[a] = 1;
}

/* Gives the factor of a sum to its operands. */
static void open_sum(sum *s, wlm_node a)
{
    const wlm_opcode opcode = wlm_node_opcode(s->g, a);
    const double by = s->by[a];
    s->by[a] = 0.0;
    give(s, wlm_node_operand(s->g, a, 0), opcode == WLM_NEG ? -by : by);
    if (opcode != WLM_NEG) give(s, wlm_node_operand(s->g, a, 1), opcode == WLM_SUB ? -by : by);
}

static void begin(sum *s, const wlm_node *term, const double *by, int32_t count)
{
    for (wlm_node a = 0; a < s->count; a++) s->by[a] = 0.0;
    for (int32_t k = 0; k < count; k++) give(s, term[k], by[k]);
}

static int has_gone(const sum *s, wlm_node a)
{
    int any = 0;
    for (int k = 0; k < wlm_opcode_operands(wlm_node_opcode(s->g, a)); k++) {
        const wlm_node of = wlm_node_operand(s->g, a, k);
        any |= s->gone[of] || s->opened[of];
    }
    return any;
}

/* Opens all sums, from the last node on, and finds which of their parts are gone. */
static warplu_status find_gone(sum *s)
{
    for (wlm_node a = s->count - 1; a >= 0; a--) {
        s->gone[a] = s->is_met[a] && s->by[a] == 0.0;
        if (s->by[a] != 0.0 && is_sum(s, a)) open_sum(s, a);
    }
    for (wlm_node a = 0; a < s->count; a++) {
        int minus = 0;
        s->like[a] = s->by[a] != 0.0 ? wlm_without_sign(s->g, a, &minus) : a;
        if (minus) s->by[a] = -s->by[a];
    }
    s->net = WLU_CALLOC(wlm_graph_context(s->g), wlm_node_count(s->g), double);
    if (s->net == NULL) return wlu_fail_memory(wlm_graph_context(s->g), "equations");
    for (wlm_node a = 0; a < s->count; a++) s->net[s->like[a]] += s->by[a];
    for (wlm_node a = 0; a < s->count; a++) {
        s->gone[a] |= s->by[a] != 0.0 && s->net[s->like[a]] == 0.0;
        s->opened[a] = s->is_met[a] && !s->gone[a] && is_sum(s, a) && has_gone(s, a);
    }
    return wlm_graph_status(s->g);
}

static wlm_node add_times(wlm_graph *g, wlm_node to, double by, wlm_node a)
{
    const wlm_node part = by == 1.0 || by == -1.0 ? a : wlm_binary(g, WLM_MUL, wlm_constant(g, fabs(by)), a);
    if (to == WLM_NONE) return by < 0.0 ? wlm_unary(g, WLM_NEG, part) : part;
    return wlm_binary(g, by < 0.0 ? WLM_SUB : WLM_ADD, to, part);
}

/* Adds up what is not gone, in sums that are opened no further than it takes. */
static wlm_node add_left(sum *s, const wlm_node *term, const double *by, int32_t count)
{
    wlm_node out = WLM_NONE;
    begin(s, term, by, count);
    for (wlm_node a = s->count - 1; a >= 0; a--) {
        if (s->by[a] == 0.0 || s->gone[a]) continue;
        if (s->opened[a])
            open_sum(s, a);
        else
            out = add_times(s->g, out, s->by[a], a);
    }
    return out != WLM_NONE ? out : wlm_constant(s->g, 0.0);
}

warplu_status wlm_graph_sum(wlm_graph *graph, const wlm_node *term, const double *by, int32_t count, wlm_node *out)
{
    wlu_context *ctx = wlm_graph_context(graph);
    const int32_t nodes = wlm_node_count(graph);
    sum s = {.g = graph, .count = nodes, .by = WLU_ALLOC(ctx, nodes, double)};
    s.like = WLU_ALLOC(ctx, nodes, wlm_node);
    s.is_met = WLU_CALLOC(ctx, 3 * (int64_t)nodes, unsigned char);
    warplu_status status = WARPLU_SUCCESS;
    if (WLU_ALL_THERE(s.by, s.like, s.is_met)) {
        s.gone = s.is_met + nodes, s.opened = s.gone + nodes;
        begin(&s, term, by, count);
        status = find_gone(&s);
        if (status == WARPLU_SUCCESS) *out = add_left(&s, term, by, count);
    } else {
        status = wlu_fail_memory(ctx, "equations");
    }
    wlu_free(ctx, s.by);
    wlu_free(ctx, s.net);
    wlu_free(ctx, s.like);
    wlu_free(ctx, s.is_met);
    return status == WARPLU_SUCCESS ? wlm_graph_status(graph) : status;
}
