/* Makes instructions and gives them slots. See work.h.
 *
 * Temporaries come from a stack of free slots, so that the one used last, which is in the nearest cache, is used
 * next. An operand that is read for the last time gives its slot to the result. O(n). */
#include "model/program/work.h"

#include <string.h>

#include "build_features.h"

typedef struct wlm_emitter {
    wlm_work *work;
    wlm_program *p;
    int32_t *place; /* for each node: its slot, or -1 - number of its constant, or NOWHERE */
    int32_t *free_slot, free_slots;
} wlm_emitter;

enum { NOWHERE = INT32_MAX, SLOTS_MOST = INT32_MAX / 2 };

static int32_t constant_place(wlm_emitter *e, wlm_node node)
{
    e->p->constant[e->p->constants] = wlm_node_value(e->work->graph, node);
    return -1 - e->p->constants++;
}

static int32_t place_of(wlm_emitter *e, wlm_node node)
{
    if (e->place[node] == NOWHERE) e->place[node] = constant_place(e, node); /* others have places */
    return e->place[node];
}

static void give_back(wlm_emitter *e, wlm_node node)
{
    if (!wlm_is_operation(e->work, node) || e->place[node] < e->p->inputs + e->p->outputs) return;
    if (--e->work->uses[node] == 0) e->free_slot[e->free_slots++] = e->place[node];
}

static void instruction(wlm_emitter *e, wlm_node node)
{
    const wlm_work_item *of = &e->work->of[node];
    int operands = wlm_work_operands(e->work, node);
    int32_t from[3] = {0, 0, 0};
    for (int k = 0; k < operands; k++) from[k] = place_of(e, of->operand[k]);
    for (int k = 0; k < operands; k++) give_back(e, of->operand[k]);
    if (e->place[node] == NOWHERE) e->place[node] = e->free_slots > 0 ? e->free_slot[--e->free_slots] : e->p->slots++;
    if (wlm_is_tabled(of->opcode)) from[2] = of->table != NULL ? e->p->tables : -1;
    if (of->table != NULL) e->p->table[e->p->tables++] = of->table;
    e->p->instruction[e->p->instructions++] = (wlm_instruction){of->opcode, e->place[node], from[0], from[1], from[2]};
}

/* Adds moves for outputs that are inputs, constants or earlier outputs. */
static void moves(wlm_emitter *e, const wlm_node *outputs)
{
    for (int32_t i = 0; i < e->p->outputs; i++) {
        int32_t to = e->p->inputs + i, from = place_of(e, outputs[i]);
        if (from != to) e->p->instruction[e->p->instructions++] = (wlm_instruction){WLM_MOVE, to, from, 0, 0};
    }
}

static void place_leaves(wlm_emitter *e, const wlm_node *outputs)
{
    const wlm_work *w = e->work;
    for (wlm_node node = 0; node < w->count; node++) e->place[node] = w->leaf[node] >= 0 ? w->leaf[node] : NOWHERE;
    for (int32_t i = 0; i < e->p->outputs; i++)
        if (wlm_is_operation(w, outputs[i]) && e->place[outputs[i]] == NOWHERE) e->place[outputs[i]] = e->p->inputs + i;
}

static int32_t count_tables(const wlm_work *w)
{
    int32_t tables = 0;
    for (wlm_node node = 0; node < w->count; node++) tables += w->uses[node] > 0 && w->of[node].table != NULL;
    return tables;
}

static int32_t count_constants(const wlm_work *w)
{
    int32_t constants = 0;
    for (wlm_node node = 0; node < w->count; node++)
        constants += w->uses[node] > 0 && w->leaf[node] < 0 && w->of[node].opcode == WLM_CONSTANT;
    return constants;
}

static warplu_status program_create(const wlm_work *w, int32_t inputs, int32_t outputs, int32_t operations,
                                    wlm_program **out)
{
    wlu_context *ctx = w->ctx;
    wlm_program *p = WLU_CALLOC(ctx, 1, wlm_program);
    *out = p;
    if (p == NULL) return wlu_fail_memory(ctx, "program");
    p->inputs = inputs, p->outputs = outputs;
    p->slots = inputs + outputs;
    p->instruction = WLU_ALLOC(ctx, (int64_t)operations + outputs, wlm_instruction);
    p->constant = WLU_ALLOC(ctx, count_constants(w), double);
    p->table = WLU_ALLOC(ctx, count_tables(w), const wlm_table *);
    int enough = p->instruction != NULL && p->constant != NULL && p->table != NULL;
    return enough ? WARPLU_SUCCESS : wlu_fail_memory(ctx, "program");
}

static warplu_status emit(wlm_emitter *e, const wlm_node *outputs, int32_t output_count, int32_t inputs,
                          wlm_node *order)
{
    int32_t operations = 0;
    warplu_status status = wlm_order(e->work, outputs, output_count, order, &operations);
    if (status == WARPLU_SUCCESS) status = wlm_interleave(e->work, order, operations, e->free_slot);
    if (status == WARPLU_SUCCESS && operations > 0) memcpy(order, e->free_slot, (size_t)operations * sizeof *order);
    if (status == WARPLU_SUCCESS) status = program_create(e->work, inputs, output_count, operations, &e->p);
    if (status != WARPLU_SUCCESS) return status;
    place_leaves(e, outputs);
    for (int32_t i = 0; i < operations; i++) instruction(e, order[i]);
    moves(e, outputs);
#if defined(WLU_VERIFY_PROGRAMS)
    status = wlm_program_verify(e->work->ctx, e->p);
#endif
    return status;
}

warplu_status wlm_emit(wlm_work *work, const wlm_node *outputs, int32_t output_count, int32_t inputs, wlm_program **out)
{
    wlu_context *ctx = work->ctx;
    *out = NULL;
    if (inputs < 0 || output_count < 0) return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "program: a count below 0");
    if ((int64_t)inputs + output_count + work->count > SLOTS_MOST)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "program: more than %d slots", SLOTS_MOST);
    wlm_emitter e = {.work = work};
    wlm_node *order = WLU_ALLOC(ctx, work->count, wlm_node);
    e.place = WLU_ALLOC(ctx, work->count, int32_t);
    e.free_slot = WLU_ALLOC(ctx, work->count, int32_t);
    wlm_count_uses(work, outputs, output_count);
    warplu_status status = order != NULL && e.place != NULL && e.free_slot != NULL
                               ? emit(&e, outputs, output_count, inputs, order)
                               : wlu_fail_memory(ctx, "program");
    wlu_free(ctx, order);
    wlu_free(ctx, e.place);
    wlu_free(ctx, e.free_slot);
    if (status != WARPLU_SUCCESS)
        wlm_program_destroy(ctx, &e.p);
    else
        *out = e.p;
    return status;
}
