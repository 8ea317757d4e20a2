/* Keeps a sparse row for each node in two growing arrays, and makes the rows in the order of the nodes. */
#include "model/graph/derive.h"

#include <math.h>
#include <string.h>

typedef struct rows {
    wlm_graph *graph;
    wlu_context *ctx;
    warplu_status status;
    int32_t first, columns;
    int64_t *ptr; /* node's entries are ptr[node] to ptr[node + 1] - 1 */
    int64_t count, room;
    int32_t *column;
    wlm_node *node;
    unsigned char *large; /* for nodes 0 to judged - 1: 1 where it may overflow, or be no number, while others do not */
    int32_t judged, judged_room;
} rows;

static void append(rows *r, int32_t column, wlm_node node)
{
    if (r->status != WARPLU_SUCCESS) return;
    if (r->count == r->room) {
        int64_t room = r->room * 2;
        int32_t *columns = wlu_resize(r->ctx, r->column, r->count, room, sizeof *columns);
        if (columns != NULL) r->column = columns;
        wlm_node *nodes = columns != NULL ? wlu_resize(r->ctx, r->node, r->count, room, sizeof *nodes) : NULL;
        if (nodes == NULL) {
            r->status = wlu_fail_memory(r->ctx, "derivatives");
            return;
        }
        r->node = nodes;
        r->room = room;
    }
    r->column[r->count] = column;
    r->node[r->count++] = node;
}

static int depends(const rows *r, wlm_node node)
{
    return node != WLM_NONE && r->ptr[node + 1] > r->ptr[node];
}

/* The steps of derivatives in opcodes.def. NEXT ends the derivative by one operand, END that by the last one. */
enum { NEXT_OPERAND = WLM_OPCODES, END, OF_A, OF_B, RESULT, NUMBER, STEPS_MOST = 40 };
typedef struct step {
    int what; /* an opcode, or one of those above */
    double number;
} step;

/* clang-format off */
#define NONE {END, 0.0}
#define CHOICE NONE
#define NEXT {NEXT_OPERAND, 0.0}
#define A {OF_A, 0.0}
#define B {OF_B, 0.0}
#define Y {RESULT, 0.0}
#define NUM(x) {NUMBER, x}
#define OP(name) {WLM_##name, 0.0}
/* clang-format on */
#define RULE(...) \
    { \
        __VA_ARGS__, \
        { \
            END, 0.0 \
        } \
    }
#define WLM_OPCODE(name, operands, text, written, cost, course, size, levels, ptx, derivative, meaning) \
    static const step rule_##name[] = RULE derivative; \
    _Static_assert(sizeof rule_##name <= STEPS_MOST * sizeof(step), "the derivative of " text);
#include "model/graph/opcodes.def"
#undef WLM_OPCODE

static const step *const rules[WLM_OPCODES] = {
#define WLM_OPCODE(name, ...) rule_##name,
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
};

/* Makes the derivative of an operation by its operand number `which`; WLM_NONE where it is zero. */
static wlm_node partial(const rows *r, wlm_node node, wlm_opcode opcode, int which, const wlm_node *operand)
{
    wlm_node stack[STEPS_MOST + 3] = {WLM_NONE};
    int count = 0;
    const step *s = rules[opcode];
    for (; which > 0 && s->what != END; s++) which -= s->what == NEXT_OPERAND;
    for (; s->what != NEXT_OPERAND && s->what != END; s++) {
        if (s->what < WLM_OPCODES) {
            count -= wlm_opcode_operands((wlm_opcode)s->what);
            const wlm_node *from = stack + count;
            stack[count++] = wlm_make(r->graph, (wlm_opcode)s->what, from[0], from[1], from[2]);
        } else {
            stack[count++] = s->what == NUMBER   ? wlm_constant(r->graph, s->number)
                             : s->what == RESULT ? node
                                                 : operand[s->what - OF_A];
        }
    }
    return stack[0];
}

/* Returns the smallest column at which an operand's row goes on, and each operand's derivative there, or WLM_NONE. */
static int32_t next_column(const rows *r, const wlm_node *operand, int operands, int64_t *at, wlm_node *derivative)
{
    int32_t column = INT32_MAX;
    for (int k = 0; k < operands; k++)
        if (operand[k] != WLM_NONE && at[k] < r->ptr[operand[k] + 1] && r->column[at[k]] < column)
            column = r->column[at[k]];
    for (int k = 0; k < operands; k++) {
        derivative[k] = WLM_NONE;
        if (operand[k] != WLM_NONE && at[k] < r->ptr[operand[k] + 1] && r->column[at[k]] == column)
            derivative[k] = r->node[at[k]++];
    }
    return column;
}

/* Returns 1 where values of ordinary numbers may be infinite, or no number. large: of earlier nodes. */
static int may_overflow(const wlm_graph *g, wlm_node node, const unsigned char *large)
{
    wlm_opcode opcode = wlm_node_opcode(g, node);
    int some = 0;
    for (int k = opcode == WLM_SELECT; k < wlm_opcode_operands(opcode); k++)
        some |= large[wlm_node_operand(g, node, k)];
    switch (wlm_opcode_size(opcode)) {
    case WLM_SIZE_TRUTH:
    case WLM_SIZE_BOUNDED: return 0;
    case WLM_SIZE_FOLLOWS:
    case WLM_SIZE_KEEPS: return some;
    case WLM_SIZE_OVERFLOWS: return 1;
    case WLM_SIZE_QUOTIENT: return some || wlm_node_opcode(g, wlm_node_operand(g, node, 1)) != WLM_CONSTANT;
    }
    return 1;
}

/* Judges the nodes up to this one, too. */
static int is_large(rows *r, wlm_node node)
{
    if (node >= r->judged_room) {
        int32_t room = 2 * wlm_node_count(r->graph);
        unsigned char *large = wlu_resize(r->ctx, r->large, r->judged_room, room, 1);
        if (large == NULL) {
            r->status = wlu_fail_memory(r->ctx, "derivatives");
            return 0;
        }
        r->large = large, r->judged_room = room;
    }
    for (; r->judged <= node; r->judged++)
        r->large[r->judged] = (unsigned char)may_overflow(r->graph, r->judged, r->large);
    return r->large[node];
}

/* Makes a derivative that is 0 where it meets a factor 0: 1/(1 + exp(y)) has 0 times infinity for large y. */
static wlm_node tame(rows *r, wlm_node factor, wlm_node derivative)
{
    if (!is_large(r, derivative)) return derivative;
    wlm_node zero = wlm_constant(r->graph, 0.0);
    return wlm_ternary(r->graph, WLM_SELECT, wlm_binary(r->graph, WLM_EQ, factor, zero), zero, derivative);
}

/* Applies the chain rule: the sum of partial derivatives times the operands' derivatives. */
static wlm_node chain(rows *r, wlm_opcode opcode, const wlm_node *partials, const wlm_node *derivative, int operands)
{
    wlm_node sum = WLM_NONE;
    for (int k = 0; k < operands; k++) {
        if (derivative[k] == WLM_NONE || partials[k] == WLM_NONE) continue;
        wlm_node inner = wlm_opcode_levels(opcode, k) ? tame(r, partials[k], derivative[k]) : derivative[k];
        wlm_node term = wlm_binary(r->graph, WLM_MUL, partials[k], inner);
        sum = sum == WLM_NONE ? term : wlm_binary(r->graph, WLM_ADD, sum, term);
    }
    return sum;
}

static void row_of_sum(rows *r, wlm_node node, wlm_opcode opcode, const wlm_node *operand, int operands)
{
    wlm_node partials[3], derivative[3];
    int64_t at[3];
    for (int k = 0; k < operands; k++) {
        partials[k] = depends(r, operand[k]) ? partial(r, node, opcode, k, operand) : WLM_NONE;
        at[k] = r->ptr[operand[k]];
    }
    for (;;) {
        int32_t column = next_column(r, operand, operands, at, derivative);
        if (column == INT32_MAX) return;
        wlm_node sum = chain(r, opcode, partials, derivative, operands);
        if (sum != WLM_NONE) append(r, column, sum);
    }
}

/* Makes the row of an operation that takes one of two operands, by a condition. */
static void row_of_choice(rows *r, wlm_node condition, wlm_node taken, wlm_node other)
{
    wlm_node operand[2] = {taken, other}, derivative[2];
    int64_t at[2] = {r->ptr[taken], r->ptr[other]};
    wlm_node zero = wlm_constant(r->graph, 0.0);
    for (;;) {
        int32_t column = next_column(r, operand, 2, at, derivative);
        if (column == INT32_MAX) return;
        for (int k = 0; k < 2; k++)
            if (derivative[k] == WLM_NONE) derivative[k] = zero;
        append(r, column, wlm_ternary(r->graph, WLM_SELECT, condition, derivative[0], derivative[1]));
    }
}

/* Makes the row of a table's piece: its slope there times the row of what it is looked up by. */
static void row_of_piece(rows *r, wlm_node node, const wlm_node *operand)
{
    const wlm_table *table = wlm_node_table(r->graph, node);
    if (table == NULL || table->slope == NULL) return;
    wlm_node slope = wlm_read_table(r->graph, WLM_PIECE, table->slope, operand[0], operand[1]);
    int64_t end = r->ptr[operand[0] + 1];
    for (int64_t k = r->ptr[operand[0]]; k < end; k++)
        append(r, r->column[k], wlm_binary(r->graph, WLM_MUL, slope, r->node[k]));
}

static void row_of(rows *r, wlm_node node)
{
    wlm_graph *g = r->graph;
    wlm_opcode opcode = wlm_node_opcode(g, node);
    int operands = wlm_opcode_operands(opcode), some = 0;
    wlm_node operand[3] = {WLM_NONE, WLM_NONE, WLM_NONE};
    for (int k = 0; k < operands; k++) {
        operand[k] = wlm_node_operand(g, node, k);
        some |= depends(r, operand[k]);
    }
    if (opcode == WLM_INPUT) {
        int32_t column = wlm_node_input(g, node) - r->first;
        if (column >= 0 && column < r->columns) append(r, column, wlm_constant(g, 1.0));
    } else if (!some) {
        return;
    } else if (opcode == WLM_PIECE) {
        row_of_piece(r, node, operand);
    } else if (opcode == WLM_SELECT) {
        row_of_choice(r, operand[0], operand[1], operand[2]);
    } else if (opcode == WLM_MIN || opcode == WLM_MAX) {
        wlm_node low = operand[opcode == WLM_MAX], high = operand[opcode != WLM_MAX];
        row_of_choice(r, wlm_binary(g, WLM_LT, low, high), operand[0], operand[1]);
    } else {
        row_of_sum(r, node, opcode, operand, operands);
    }
}

/* Makes the rows of nodes 0 to count - 1; those of nodes that are not needed are empty. */
static void make_rows(rows *r, const unsigned char *needed, int32_t count)
{
    r->ptr[0] = 0;
    for (wlm_node node = 0; node < count; node++) {
        r->ptr[node + 1] = r->count; /* an empty row, which stays so where the node is not needed */
        if (needed[node] && r->status == WARPLU_SUCCESS) row_of(r, node);
        r->ptr[node + 1] = r->count;
    }
    if (r->status == WARPLU_SUCCESS) r->status = wlm_graph_status(r->graph);
}

static warplu_status gather(const rows *r, const wlm_node *of, wlm_jacobian *out)
{
    int64_t entries = 0;
    for (int32_t i = 0; i < out->rows; i++) entries += of[i] == WLM_NONE ? 0 : r->ptr[of[i] + 1] - r->ptr[of[i]];
    if (entries > INT32_MAX) return wlu_fail(r->ctx, WARPLU_OVERFLOW, "derivatives: more than 2^31 - 1 entries");
    out->ptr = WLU_ALLOC(r->ctx, (int64_t)out->rows + 1, int32_t);
    out->idx = WLU_ALLOC(r->ctx, entries, int32_t);
    out->node = WLU_ALLOC(r->ctx, entries, wlm_node);
    if (out->ptr == NULL || out->idx == NULL || out->node == NULL) return wlu_fail_memory(r->ctx, "derivatives");
    int32_t to = 0;
    for (int32_t i = 0; i < out->rows; i++) {
        out->ptr[i] = to;
        for (int64_t k = of[i] == WLM_NONE ? 0 : r->ptr[of[i]]; of[i] != WLM_NONE && k < r->ptr[of[i] + 1]; k++) {
            out->idx[to] = r->column[k];
            out->node[to++] = r->node[k];
        }
    }
    out->ptr[out->rows] = to;
    return WARPLU_SUCCESS;
}

warplu_status wlm_derive(wlm_graph *graph, const wlm_node *of, int32_t rows_wanted, int32_t first, int32_t columns,
                         wlm_jacobian *out)
{
    wlu_context *ctx = wlm_graph_context(graph);
    int32_t count = wlm_node_count(graph);
    memset(out, 0, sizeof *out);
    out->rows = rows_wanted;
    out->columns = columns;
    rows r = {.graph = graph, .ctx = ctx, .first = first, .columns = columns, .room = 2 * (int64_t)count};
    unsigned char *needed = WLU_ALLOC(ctx, count, unsigned char);
    r.ptr = WLU_ALLOC(ctx, (int64_t)count + 1, int64_t);
    r.column = WLU_ALLOC(ctx, r.room, int32_t);
    r.node = WLU_ALLOC(ctx, r.room, wlm_node);
    if (needed == NULL || r.ptr == NULL || r.column == NULL || r.node == NULL) {
        r.status = wlu_fail_memory(ctx, "derivatives");
    } else {
        wlm_graph_mark(graph, of, rows_wanted, needed);
        make_rows(&r, needed, count);
    }
    if (r.status == WARPLU_SUCCESS) r.status = gather(&r, of, out);
    if (r.status != WARPLU_SUCCESS) wlm_jacobian_free(ctx, out);
    wlu_free(ctx, needed);
    wlu_free(ctx, r.ptr);
    wlu_free(ctx, r.column);
    wlu_free(ctx, r.node);
    wlu_free(ctx, r.large);
    return r.status;
}

void wlm_jacobian_free(wlu_context *ctx, wlm_jacobian *jacobian)
{
    wlu_free(ctx, jacobian->ptr);
    wlu_free(ctx, jacobian->idx);
    wlu_free(ctx, jacobian->node);
    memset(jacobian, 0, sizeof *jacobian);
}

void wlm_jacobian_leave_out(wlm_jacobian *jacobian, const unsigned char *marked)
{
    int32_t kept = 0;
    for (int32_t i = 0, k = 0; i < jacobian->rows; i++) {
        for (; k < jacobian->ptr[i + 1]; k++) {
            if (marked[jacobian->idx[k]]) continue;
            jacobian->idx[kept] = jacobian->idx[k];
            jacobian->node[kept++] = jacobian->node[k];
        }
        jacobian->ptr[i + 1] = kept;
    }
}

wlm_node wlm_jacobian_at(const wlm_jacobian *jacobian, int32_t i, int32_t j)
{
    for (int32_t k = jacobian->ptr[i]; k < jacobian->ptr[i + 1]; k++)
        if (jacobian->idx[k] == j) return jacobian->node[k];
    return WLM_NONE;
}
