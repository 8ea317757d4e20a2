/* See formulas.h; trees.h says where trees end, emit.h writes them. */
#include "phases/formulas.h"

#include "phases/emit.h"
#include "phases/storage.h"

static const int64_t words_most = (int64_t)1 << 30; /* of all formulas */

/* Which locals are formulas, and which variables they are; sums and fixed quantities, which come first, are none. */
static void number_definitions(const wlm_equations *eq, wlm_formulas *f)
{
    int32_t first = 1 + f->states + f->parameters;
    f->definitions = 0;
    for (int32_t i = eq->sums + eq->fixed; i < eq->locals; i++) {
        int renames = wlm_node_opcode(eq->graph, eq->local[i]) == WLM_INPUT;
        if (!renames) f->formula[f->definitions].of = i;
        f->variable[i] = renames ? wlm_node_input(eq->graph, eq->local[i]) : first + f->definitions++;
    }
    for (int32_t i = 0; i < f->states; i++) f->formula[f->definitions + i].of = i;
    f->variables = first + f->definitions;
}

/* Definitions each after its operands, which are nodes made before it; of one node the first one first. head: of
 * each node the first definition that is it. */
static void order_definitions(const wlm_equations *eq, wlm_formulas *f, int32_t *head, int32_t *next)
{
    int32_t nodes = wlm_node_count(eq->graph), at = 0;
    for (wlm_node node = 0; node < nodes; node++) head[node] = -1;
    for (int32_t i = f->definitions - 1; i >= 0; i--) {
        wlm_node node = eq->local[f->formula[i].of];
        next[i] = head[node];
        head[node] = i;
    }
    for (wlm_node node = 0; node < nodes; node++)
        for (int32_t i = head[node]; i >= 0; i = next[i]) f->order[at++] = i;
}

static warplu_status check_tree(wlu_context *ctx, const wlm_trees *t, wlm_node node, int32_t stack, const char *name)
{
    if (wlm_opcode_operands(wlm_node_opcode(t->graph, node)) == 0) return WARPLU_SUCCESS;
    if (t->depth[node] > WLM_NESTING_MOST)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "phases: '%s' is nested %d deep, %d is the most", name,
                        (int)t->depth[node], WLM_NESTING_MOST);
    if (t->words[node] > WLM_PHASES_NUMBER_MOST)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "phases: '%s' is a tree of more than %d words", name,
                        WLM_PHASES_NUMBER_MOST);
    if (t->stack[node] > stack)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "phases: '%s' needs a stack of %d, %d are allowed", name,
                        (int)t->stack[node], (int)stack);
    return WARPLU_SUCCESS;
}

/* Formula i: of a definition, or, from `definitions` on, of a state. */
static warplu_status emit_formula(wlm_emitter *e, const wlm_equations *eq, const double *coefficient, wlm_formulas *f,
                                  int32_t i)
{
    wlm_formula *formula = &f->formula[i];
    int32_t of = formula->of, is_ode = i >= f->definitions;
    wlm_node node = is_ode ? eq->f[of] : eq->local[of];
    warplu_status status = check_tree(e->ctx, e->trees, node, e->most, is_ode ? eq->name[of] : eq->local_name[of]);
    if (status == WARPLU_SUCCESS && e->words + e->trees->words[node] > words_most)
        status = wlu_fail(e->ctx, WARPLU_OVERFLOW, "phases: formulas of more than 2^30 words");
    if (status != WARPLU_SUCCESS) return status;
    formula->first = e->words;
    formula->first_operand = e->edges;
    e->formula = i;
    wlm_emit_value(e, node, is_ode || e->trees->owner[node] != i);
    if (is_ode && coefficient[of] != 1.0) {
        wlm_emit_constant(e, coefficient[of], 1);
        wlm_emit_word(e, wlm_phases_word(WLM_DIV, 0));
    }
    wlm_emit_word(e, wlm_phases_word(WLM_PHASES_ASSIGN, 0));
    wlm_emit_word(e, (uint32_t)(is_ode ? 1 + of : e->first_definition + i));
    formula->words = (int32_t)(e->words - formula->first);
    formula->operands = e->edges - formula->first_operand;
    return e->status;
}

static warplu_status emit_all(wlu_context *ctx, const wlm_equations *eq, wlm_formulas *f, wlm_emitter *e)
{
    double *coefficient = WLU_ALLOC(ctx, eq->n, double);
    warplu_status status = coefficient == NULL ? wlu_fail_memory(ctx, "phases") : wlm_storage(ctx, eq, coefficient);
    for (int32_t i = 0; i < f->definitions; i++) e->reader[i] = -1;
    for (int32_t i = 0; i < f->definitions + f->states && status == WARPLU_SUCCESS; i++)
        status = emit_formula(e, eq, coefficient, f, i);
    wlu_free(ctx, coefficient);
    wlu_free(ctx, e->wait);
    f->code = e->code;
    f->operand = e->operand;
    f->words = e->words;
    f->edges = e->edges;
    f->stack = e->deepest;
    return status;
}

static warplu_status fill(wlu_context *ctx, const wlm_equations *eq, int32_t stack, wlm_formulas *f)
{
    wlm_trees trees = {0};
    wlm_emitter e = {.ctx = ctx, .status = WARPLU_SUCCESS, .trees = &trees, .most = stack};
    int32_t *head = WLU_ALLOC(ctx, wlm_node_count(eq->graph), int32_t), *next = WLU_ALLOC(ctx, eq->locals, int32_t);
    e.reader = WLU_ALLOC(ctx, eq->locals, int32_t);
    f->formula = WLU_ALLOC(ctx, eq->locals + (int64_t)eq->n, wlm_formula);
    f->order = WLU_ALLOC(ctx, eq->locals, int32_t);
    f->variable = WLU_ALLOC(ctx, eq->locals, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (head == NULL || next == NULL || e.reader == NULL || f->formula == NULL || f->order == NULL ||
        f->variable == NULL)
        status = wlu_fail_memory(ctx, "phases");
    if (status == WARPLU_SUCCESS) {
        number_definitions(eq, f);
        order_definitions(eq, f, head, next);
        e.first_definition = f->variables - f->definitions;
        status = wlm_trees_create(ctx, eq->graph, head, &trees);
    }
    if (status == WARPLU_SUCCESS) status = emit_all(ctx, eq, f, &e);
    wlm_trees_free(ctx, &trees);
    wlu_free(ctx, e.reader);
    wlu_free(ctx, head);
    wlu_free(ctx, next);
    return status;
}

warplu_status wlm_formulas_create(wlu_context *ctx, const wlm_equations *equations, int32_t stack, wlm_formulas **out)
{
    int64_t variables = 1 + (int64_t)equations->n + equations->lane_parameters + equations->locals;
    *out = NULL;
    if (variables > INT32_MAX / 2) return wlu_fail(ctx, WARPLU_OVERFLOW, "phases: more than 2^30 variables");
    if (equations->events > 0) return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "phases: events are not run");
    wlm_formulas *f = WLU_CALLOC(ctx, 1, wlm_formulas);
    if (f == NULL) return wlu_fail_memory(ctx, "phases");
    f->states = equations->n;
    f->parameters = equations->lane_parameters;
    warplu_status status = fill(ctx, equations, stack, f);
    if (status != WARPLU_SUCCESS) wlm_formulas_destroy(ctx, &f);
    *out = f;
    return status;
}

void wlm_formulas_destroy(wlu_context *ctx, wlm_formulas **formulas)
{
    wlm_formulas *f = *formulas;
    if (f == NULL) return;
    wlu_free(ctx, f->formula);
    wlu_free(ctx, f->code);
    wlu_free(ctx, f->operand);
    wlu_free(ctx, f->order);
    wlu_free(ctx, f->variable);
    wlu_free(ctx, f);
    *formulas = NULL;
}
