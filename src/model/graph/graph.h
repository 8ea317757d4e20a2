/* A graph of expressions in static single assignment form. Equations, their derivatives and whole steps of methods are
 * such graphs before they become programs.
 *
 * A node is an operation on nodes made before it, so that their numbers are an order of evaluation. Making a node folds
 * what is constant, applies identities that change no result but the sign of a zero, and finds the node again if there
 * is an equal one (hash consing; Ershov, 1958): there are no common terms twice. Inputs are numbered by who makes the
 * graph: what they mean is known there alone.
 *
 * A literal graph does neither: each operation is a node of its own, as it was written. The published method that
 * benchmarks/model/phases keeps has such equations, and its counts mean something there alone.
 *
 * Making fails once and for all: after the first failure every call answers node 0, and wlm_graph_status says why.
 * So callers make as many nodes as they like and ask once. Cost: O(1) a node, 48 bytes. */
#ifndef WLU_MODEL_GRAPH_GRAPH_H
#define WLU_MODEL_GRAPH_GRAPH_H

#include "base/context.h"
#include "model/graph/table.h"

typedef enum wlm_opcode {
#define WLM_OPCODE(name, ...) WLM_##name,
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
    WLM_OPCODES
} wlm_opcode;

/* The cost of an operation: nothing, one instruction, a divider for a while, or the lines of a function. */
typedef enum wlm_cost {
    WLM_COST_NOTHING,
    WLM_COST_CHEAP,
    WLM_COST_DIVISION,
    WLM_COST_ROOT,
    WLM_COST_EXPONENTIAL,
    WLM_COST_FUNCTION,
    WLM_COST_POWER
} wlm_cost;

/* The columns course, size and levels of opcodes.def. */
typedef enum wlm_course { WLM_COURSE_SMOOTH, WLM_COURSE_JUMPS, WLM_COURSE_RESTS } wlm_course;
typedef enum wlm_size {
    WLM_SIZE_TRUTH,
    WLM_SIZE_BOUNDED,
    WLM_SIZE_FOLLOWS,
    WLM_SIZE_KEEPS,
    WLM_SIZE_OVERFLOWS,
    WLM_SIZE_QUOTIENT
} wlm_size;
typedef enum wlm_levels { WLM_LEVELS_NEVER, WLM_LEVELS_BY_B, WLM_LEVELS_BY_ALL } wlm_levels;

typedef int32_t wlm_node;
enum { WLM_NONE = -1 }; /* no node; as a derivative, it is zero whatever the inputs are */

typedef struct wlm_graph wlm_graph;

/* Makes a graph whose node 0 is the constant NaN; the caller destroys it. literal: 0 or 1. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_graph_create(wlu_context *ctx, int literal, wlm_graph **out);
/* Takes NULL, leaves NULL. */
void wlm_graph_destroy(wlm_graph **graph);
/* WARPLU_SUCCESS, WARPLU_OUT_OF_MEMORY or WARPLU_OVERFLOW (2^30 nodes). */
warplu_status wlm_graph_status(const wlm_graph *graph);
wlu_context *wlm_graph_context(const wlm_graph *graph);
int wlm_graph_is_literal(const wlm_graph *graph);

wlm_node wlm_constant(wlm_graph *graph, double value);
wlm_node wlm_input(wlm_graph *graph, int32_t number);
wlm_node wlm_unary(wlm_graph *graph, wlm_opcode opcode, wlm_node a);
wlm_node wlm_binary(wlm_graph *graph, wlm_opcode opcode, wlm_node a, wlm_node b);
wlm_node wlm_ternary(wlm_graph *graph, wlm_opcode opcode, wlm_node a, wlm_node b, wlm_node c);
/* Makes a node by any opcode that has operands; operands beyond its number are ignored. */
wlm_node wlm_make(wlm_graph *graph, wlm_opcode opcode, wlm_node a, wlm_node b, wlm_node c);
/* Makes the operation as it is: it is not folded, but found again where there is an equal one. */
wlm_node wlm_graph_add(wlm_graph *graph, wlm_opcode opcode, wlm_node a, wlm_node b, wlm_node c);
/* Makes FIND of a, or PIECE of a and b, of this table, which has to live as long as what comes of the graph. */
wlm_node wlm_read_table(wlm_graph *graph, wlm_opcode opcode, const wlm_table *table, wlm_node a, wlm_node b);

int32_t wlm_node_count(const wlm_graph *graph);
wlm_opcode wlm_node_opcode(const wlm_graph *graph, wlm_node node);
/* Returns operand 0 to 2; WLM_NONE beyond those of the opcode. */
wlm_node wlm_node_operand(const wlm_graph *graph, wlm_node node, int which);
/* Return the value of a CONSTANT, the number of an INPUT. */
double wlm_node_value(const wlm_graph *graph, wlm_node node);
int32_t wlm_node_input(const wlm_graph *graph, wlm_node node);
/* Returns the table of a FIND or PIECE; NULL of others. */
const wlm_table *wlm_node_table(const wlm_graph *graph, wlm_node node);
/* Returns 1 where the node is a constant of this value. */
int wlm_node_is(const wlm_graph *graph, wlm_node node, double value);

int wlm_opcode_operands(wlm_opcode opcode);
const char *wlm_opcode_text(wlm_opcode opcode);
wlm_cost wlm_opcode_cost(wlm_opcode opcode);
wlm_course wlm_opcode_course(wlm_opcode opcode);
/* Returns 1 where it is an elementary function. */
int wlm_opcode_is_elementary(wlm_opcode opcode);
/* Returns 1 where it reads a table. */
int wlm_opcode_is_tabled(wlm_opcode opcode);
wlm_size wlm_opcode_size(wlm_opcode opcode);
/* Returns 1 where the value stays finite, and its derivative by operand `which` goes to 0, while that grows. */
int wlm_opcode_levels(wlm_opcode opcode, int which);

/* Returns the value of an operation, with the bits of every executor; folding computes it. */
double wlm_evaluate(wlm_opcode opcode, double a, double b, double c);
/* The same of an operation that may read a table; NULL where it has none. */
double wlm_evaluate_with(const wlm_table *table, wlm_opcode opcode, double a, double b, double c);

/* Copies the nodes that the wanted ones need into another graph, which may be the same one, with inputs replaced:
 * inputs[i] is a node of `to` for input i, or WLM_NONE where it stays input i; inputs beyond count stay too. Wanted
 * nodes that are WLM_NONE stay so. Writes the copies to out (count of wanted; may be wanted itself). */
warplu_status wlm_graph_copy(const wlm_graph *from, wlm_graph *to, const wlm_node *inputs, int32_t input_count,
                             const wlm_node *wanted, int32_t wanted_count, wlm_node *out);

/* Returns a node without its sign, which turns *minus: x of -x, one of x - y and y - x, and of products and quotients a
 * few levels deep. The numbers are the same, for signs round nothing. */
wlm_node wlm_without_sign(wlm_graph *graph, wlm_node node, int *minus);
/* Makes the sum of by[k] term[k], from the last node on, without the rounding of what cancels in it. by: none is 0.
 * WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_graph_sum(wlm_graph *graph, const wlm_node *term, const double *by, int32_t count, wlm_node *out);

/* Marks what the wanted nodes need, themselves included: needed has a byte for each node of the graph. */
void wlm_graph_mark(const wlm_graph *graph, const wlm_node *wanted, int32_t wanted_count, unsigned char *needed);
/* Facts of nodes: whether they depend on an input that moves, and on an operation of such that may be no number. */
enum { WLM_MOVES = 1, WLM_MAY_BE_NONE = 2 };
/* domain.c: fills facts, a byte for each node of the graph; moves: a byte for each input. */
void wlm_graph_find_domains(const wlm_graph *graph, const unsigned char *moves, int32_t inputs, unsigned char *facts);
/* Marks the inputs that the wanted nodes need: reads has a byte for each input below `inputs`. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_graph_reads(const wlm_graph *graph, const wlm_node *wanted, int32_t wanted_count, int32_t inputs,
                              unsigned char *reads);

#endif
