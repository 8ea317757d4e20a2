/* Walks the tree of an expression once and makes a number, nodes of a graph or a list of needs of it, as the builder
 * asks. Errors of names, indices and constants are said here, at the place of the tree. Functions that the language
 * makes of operations (sinh, cosh, pulse ...) are the build_NAME of functions.def. */
#include "model/text/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/text/routine.h"
#include "model/text/units.h"

#define WHOLE_MOST INT64_C(2147483647)

static const wlm_value nothing = {0.0, 0};

wlm_value wlm_number_value(const wlm_builder *b, double number)
{
    wlm_value value = {number, 0};
    if (b->building == WLM_TO_NODE) value.node = wlm_constant(b->graph, number);
    return value;
}

wlm_value wlm_operate(const wlm_builder *b, wlm_opcode opcode, wlm_value x, wlm_value y, wlm_value z)
{
    wlm_value value = nothing;
    if (b->building == WLM_TO_NUMBER) value.number = wlm_evaluate(opcode, x.number, y.number, z.number);
    if (b->building == WLM_TO_NODE) value.node = wlm_make(b->graph, opcode, x.node, y.node, z.node);
    if (b->building == WLM_TO_UNIT) value.node = wlm_unit_operate(b, opcode, x.node, y.node, z.node);
    return value;
}

static wlm_value operation(wlm_builder *b, wlm_opcode opcode, wlm_value x, wlm_value y, wlm_value z)
{
    wlm_value value = wlm_operate(b, opcode, x, y, z);
    if (b->building != WLM_TO_NODE) return value;
    if (b->owner != NULL && wlm_opcode_course(opcode) != WLM_COURSE_SMOOTH) b->owner->jump(b->owner, value.node);
    return value;
}

static wlm_value unary(wlm_builder *b, wlm_opcode opcode, wlm_value x)
{
    return operation(b, opcode, x, nothing, nothing);
}

static wlm_value binary(wlm_builder *b, wlm_opcode opcode, wlm_value x, wlm_value y)
{
    return operation(b, opcode, x, y, nothing);
}

/* ------------------------------------------------------------------- names */

static const wlm_scope *in_scope(const wlm_builder *b, wlm_word name)
{
    const wlm_scope *s = b->scope;
    while (s != NULL && s->part == NULL && !wlm_words_equal(s->name, name)) s = s->outer;
    return s != NULL && s->part == NULL ? s : NULL;
}

static const wlm_global *constant_of(const wlm_builder *b, wlm_word name)
{
    int32_t k = wlm_names_find(&b->r->names, name.text, name.length);
    return k >= 0 && b->r->global[k].type == WLM_GLOBAL_CONSTANT ? &b->r->global[k] : NULL;
}

/* Says that the name is not defined, with the nearest name that is. */
static void fail_unknown(wlm_builder *b, wlm_place place, wlm_word name)
{
    wlm_nearest nearest;
    int32_t k = wlm_names_find(&b->r->names, name.text, name.length);
    if (k >= 0 && b->r->global[k].type != WLM_GLOBAL_CONSTANT) {
        wlm_fail_at(b->r, WARPLU_BAD_FORMAT, place, "'%.*s' is %s, expected a number", WLM_SHOWN(name),
                    wlm_global_text(b->r->global[k].type));
        return;
    }
    wlm_nearest_init(&nearest, name);
    for (const wlm_scope *s = b->scope; s != NULL && s->part == NULL; s = s->outer) {
        char text[64];
        snprintf(text, sizeof text, "%.*s", s->name.length, s->name.text);
        wlm_nearest_try(&nearest, text);
    }
    if (b->owner != NULL && b->call == NULL) wlm_nearest_try_all(&nearest, &b->owner->names);
    for (k = 0; k < b->r->names.count; k++)
        if (b->r->global[k].type == WLM_GLOBAL_CONSTANT) wlm_nearest_try(&nearest, b->r->names.name[k]);
    wlm_fail_at(b->r, WARPLU_BAD_FORMAT, place, "'%.*s' is not defined%s%.*s%s", WLM_SHOWN(name),
                b->call != NULL    ? " in function "
                : b->owner != NULL ? " in element "
                                   : "",
                40,
                b->call != NULL    ? b->call->function->name
                : b->owner != NULL ? b->owner->name
                                   : "",
                wlm_nearest_text(&nearest));
}

/* Returns the number of the element's symbol of this name; -1 where it has none, and within functions. */
static int32_t symbol_of(const wlm_builder *b, wlm_word name)
{
    if (b->owner == NULL || b->call != NULL) return -1;
    name = wlm_own_name(b, name);
    return wlm_names_find(&b->owner->names, name.text, name.length);
}

static wlm_value scope_value(wlm_builder *b, const wlm_tree *tree, const wlm_scope *scope)
{
    if (!scope->is_node && b->building != WLM_TO_UNIT) return wlm_number_value(b, scope->value);
    if (b->building == WLM_TO_NUMBER)
        wlm_fail_at(b->r, WARPLU_BAD_FORMAT, tree->place,
                    "the call of %.40s at line " WLM_LINE_FORMAT " gives '%.*s' no constant, expected constants in %s",
                    b->call->function->name, WLM_LINE(b->call->place), WLM_SHOWN(tree->name), b->where);
    return (wlm_value){scope->value, scope->node};
}

void wlm_check_name(wlm_builder *b, const wlm_tree *tree)
{
    if (in_scope(b, tree->name) == NULL && constant_of(b, tree->name) == NULL) fail_unknown(b, tree->place, tree->name);
}

static wlm_value build_name(wlm_builder *b, const wlm_tree *tree)
{
    if (tree->index == NULL) {
        const wlm_scope *s = in_scope(b, tree->name);
        if (s != NULL) return scope_value(b, tree, s);
    }
    wlm_word name = wlm_name_of(b, tree);
    if (b->r->status != WARPLU_SUCCESS) return nothing;
    int32_t symbol = symbol_of(b, name);
    if (symbol >= 0 && b->building == WLM_TO_NUMBER) {
        wlm_fail_at(b->r, WARPLU_BAD_FORMAT, tree->place, "'%.*s' is %s of element %.40s, expected constants in %s",
                    WLM_SHOWN(name), b->owner->text(b->owner, symbol), b->owner->name, b->where);
        return nothing;
    }
    if (symbol >= 0) return b->owner->symbol(b->owner, b, symbol);
    const wlm_global *constant = tree->index == NULL ? constant_of(b, name) : NULL;
    if (constant != NULL && b->building == WLM_TO_UNIT) return (wlm_value){0.0, constant->unit};
    if (constant != NULL) return wlm_number_value(b, constant->value);
    fail_unknown(b, tree->place, name);
    return nothing;
}

int wlm_is_constant(const wlm_builder *b, const wlm_tree *tree)
{
    const wlm_scope *s = tree->type == WLM_TREE_NAME ? in_scope(b, tree->name) : NULL;
    if (tree->type == WLM_TREE_TIME || tree->type == WLM_TREE_STEP || tree->type == WLM_TREE_PORT ||
        tree->type == WLM_TREE_RATE || tree->type == WLM_TREE_SUM)
        return 0;
    if (tree->type == WLM_TREE_NAME)
        return tree->index == NULL &&
               (s != NULL ? !s->is_node : symbol_of(b, tree->name) < 0 && constant_of(b, tree->name) != NULL);
    for (const wlm_tree *operand = tree->first; operand != NULL; operand = operand->next)
        if (!wlm_is_constant(b, operand)) return 0;
    if (tree->type == WLM_TREE_APPLY) return !tree->function->has_pulse;
    return tree->type != WLM_TREE_CALL || tree->what != WLM_BUILTIN_pulse;
}

/* ----------------------------------------------------------------- numbers */

static double number_of(wlm_builder *b, const wlm_tree *tree)
{
    wlm_building before = b->building;
    b->building = WLM_TO_NUMBER;
    double number = wlm_value_of(b, tree).number;
    b->building = before;
    return number;
}

wlm_value wlm_constant_value(wlm_builder *b, const wlm_tree *tree)
{
    wlm_value value = wlm_number_value(b, number_of(b, tree));
    if (b->building == WLM_TO_UNIT) value.node = wlm_value_of(b, tree).node;
    return value;
}

double wlm_number_of(wlm_builder *b, const wlm_tree *tree, const char *what)
{
    const char *before = b->where;
    b->where = what;
    double number = number_of(b, tree);
    b->where = before;
    if (!isfinite(number)) wlm_fail_at(b->r, WARPLU_BAD_FORMAT, tree->place, "%s is not finite", what);
    return b->r->status == WARPLU_SUCCESS ? number : 0.0;
}

int64_t wlm_whole_of(wlm_builder *b, const wlm_tree *tree, const char *what, int64_t least, int64_t most)
{
    double number = wlm_number_of(b, tree, what);
    if (number != floor(number))
        wlm_fail_at(b->r, WARPLU_BAD_FORMAT, tree->place, "expected a whole number as %s, found %.17g", what, number);
    else if (number < (double)least || number > (double)most)
        wlm_fail_at(b->r, fabs(number) > (double)WHOLE_MOST ? WARPLU_OVERFLOW : WARPLU_BAD_FORMAT, tree->place,
                    "expected %s from %lld to %lld, found %.17g", what, (long long)least, (long long)most, number);
    return b->r->status == WARPLU_SUCCESS ? (int64_t)number : least;
}

int wlm_bounds_of(wlm_builder *b, const wlm_tree *range, int64_t *from, int64_t *to)
{
    *from = wlm_whole_of(b, range->first, "the begin of a range", -WHOLE_MOST, WHOLE_MOST);
    *to = wlm_whole_of(b, range->first->next, "the end of a range", -WHOLE_MOST, WHOLE_MOST);
    return b->r->status == WARPLU_SUCCESS;
}

/* ------------------------------------------------------------- expressions */

/* Returns x div y, the floor of the quotient, or x mod y, which is x - y*(x div y): exact of whole numbers. */
static wlm_value floored(wlm_builder *b, const wlm_tree *operand, wlm_value x, wlm_value y)
{
    int by_zero = b->building == WLM_TO_NUMBER ? y.number == 0.0
                                               : b->building == WLM_TO_NODE && wlm_node_is(b->graph, y.node, 0.0);
    if (by_zero)
        wlm_fail_at(b->r, WARPLU_BAD_FORMAT, operand->place, "expected no 0 behind '%s'",
                    operand->join == WLM_JOIN_MOD ? "mod" : "div");
    if (b->building == WLM_TO_UNIT) wlm_unit_operate(b, WLM_MIN, x.node, y.node, WLM_UNIT_OPEN);
    wlm_value quotient = unary(b, WLM_FLOOR, binary(b, WLM_DIV, x, y));
    return operand->join == WLM_JOIN_DIV ? quotient : binary(b, WLM_SUB, x, binary(b, WLM_MUL, y, quotient));
}

static wlm_value join(wlm_builder *b, const wlm_tree *operand, wlm_value left)
{
    wlm_value right = wlm_value_of(b, operand);
    b->place = operand->place;
    if (operand->join < WLM_OPCODES) return binary(b, (wlm_opcode)operand->join, left, right);
    switch (operand->join) {
    case WLM_JOIN_GREATER: return binary(b, WLM_LT, right, left);
    case WLM_JOIN_GREATER_EQUAL: return binary(b, WLM_LE, right, left);
    case WLM_JOIN_MOD:
    case WLM_JOIN_DIV: return floored(b, operand, left, right);
    }
    return nothing;
}

static wlm_value build_chain(wlm_builder *b, const wlm_tree *tree)
{
    wlm_value value = wlm_value_of(b, tree->first);
    for (const wlm_tree *operand = tree->first->next; operand != NULL && b->r->status == WARPLU_SUCCESS;
         operand = operand->next)
        value = join(b, operand, value);
    return value;
}

/* Builds one branch alone where the condition is a number. */
static wlm_value build_if(wlm_builder *b, const wlm_tree *tree)
{
    const wlm_tree *then = tree->first->next;
    if (wlm_is_constant(b, tree->first)) return wlm_value_of(b, number_of(b, tree->first) != 0.0 ? then : then->next);
    wlm_value condition = wlm_value_of(b, tree->first), yes = wlm_value_of(b, then);
    return operation(b, WLM_SELECT, condition, yes, wlm_value_of(b, then->next));
}

static wlm_value build_sum(wlm_builder *b, const wlm_tree *tree)
{
    int64_t from, to;
    wlm_value sum = wlm_number_value(b, 0.0);
    wlm_scope scope = {.name = tree->name, .outer = b->scope};
    if (!wlm_bounds_of(b, tree, &from, &to)) return nothing;
    b->scope = &scope;
    for (int64_t k = from; k <= to && b->r->status == WARPLU_SUCCESS; k++) {
        scope.value = (double)k;
        wlm_value term = wlm_value_of(b, tree->first->next->next);
        sum = k == from ? term : binary(b, WLM_ADD, sum, term);
    }
    b->scope = scope.outer;
    return sum;
}

static wlm_value cosine_of(wlm_builder *b, wlm_value x)
{
    wlm_value up = unary(b, WLM_EXP, x), down = unary(b, WLM_EXP, unary(b, WLM_NEG, x));
    return binary(b, WLM_MUL, wlm_number_value(b, 0.5), binary(b, WLM_ADD, up, down));
}

static wlm_value build_cosh(wlm_builder *b, const wlm_tree *tree)
{
    return cosine_of(b, wlm_value_of(b, tree->first));
}

static wlm_value build_sinh(wlm_builder *b, const wlm_tree *tree)
{
    wlm_value x = wlm_value_of(b, tree->first), cosine = cosine_of(b, x);
    return binary(b, WLM_MUL, unary(b, WLM_TANH, x), cosine);
}

static wlm_value build_pulse(wlm_builder *b, const wlm_tree *tree)
{
    wlm_value operand[3] = {nothing, nothing, nothing};
    int count = 0;
    for (const wlm_tree *o = tree->first; o != NULL; o = o->next) {
        operand[count] = wlm_value_of(b, o);
        if (b->building == WLM_TO_UNIT)
            wlm_unit_expect(b->r, o->place, WLM_UNIT_TIME, operand[count].node, "a time of", "pulse");
        count++;
    }
    if (b->building == WLM_TO_NUMBER || b->owner == NULL)
        wlm_fail_at(b->r, WARPLU_BAD_FORMAT, tree->place, "expected constants in %s, found a pulse in time", b->where);
    if (b->building != WLM_TO_NODE || b->r->status != WARPLU_SUCCESS) return nothing;
    return b->owner->pulse(b->owner, tree->place, operand, count == 3);
}

static wlm_value build_lookup(wlm_builder *b, const wlm_tree *tree)
{
    return wlm_build_lookup(b, tree);
}

/* Builds an operation on its operands; more than two are joined from the left. */
static wlm_value build_operation(wlm_builder *b, wlm_opcode opcode, const wlm_tree *first)
{
    wlm_value operand[3] = {wlm_value_of(b, first), nothing, nothing};
    const wlm_tree *next = first->next;
    do {
        for (int k = 1; k < wlm_opcode_operands(opcode) && next != NULL; k++, next = next->next)
            operand[k] = wlm_value_of(b, next);
        operand[0] = operation(b, opcode, operand[0], operand[1], operand[2]);
    } while (next != NULL);
    return operand[0];
}

static wlm_value build_call(wlm_builder *b, const wlm_tree *tree)
{
#define WLM_FUNCTION(name, least, most) \
    if (tree->what == WLM_BUILTIN_##name) return build_##name(b, tree);
#include "model/text/functions.def"
#undef WLM_FUNCTION
    return build_operation(b, (wlm_opcode)tree->what, tree->first);
}

/* Builds the rate of a state, of a part's too. */
static wlm_value build_rate(wlm_builder *b, const wlm_tree *tree)
{
    const wlm_tree *of = tree->first;
    if (of->type == WLM_TREE_NAME || (of->type == WLM_TREE_PORT && symbol_of(b, wlm_dotted_name_of(b, of)) >= 0))
        return b->owner->rate(b->owner, b, of);
    wlm_fail_at(
        b->r, WARPLU_BAD_FORMAT, tree->place,
        "expected the rate of a state here, found that of %s; ddt(...) of others may be a term of what is added "
        "to a node",
        of->type == WLM_TREE_PORT ? "a quantity of a node, which all elements together make" : "an expression");
    return nothing;
}

/* Builds the time, the length of the step, quantities of nodes and rates, which have values within elements alone. */
static wlm_value build_of_element(wlm_builder *b, const wlm_tree *tree)
{
    if (b->building == WLM_TO_NUMBER || b->owner == NULL) {
        wlm_fail_at(b->r, WARPLU_BAD_FORMAT, tree->place, "expected constants in %s, found %s", b->where,
                    tree->type == WLM_TREE_TIME   ? "the time"
                    : tree->type == WLM_TREE_STEP ? "the length of the step"
                    : tree->type == WLM_TREE_PORT ? "a quantity of a node"
                                                  : "a rate");
        return nothing;
    }
    if (tree->type == WLM_TREE_TIME) return b->owner->time(b->owner, b);
    if (tree->type == WLM_TREE_STEP) return b->owner->step(b->owner, b, tree->place);
    if (tree->type == WLM_TREE_PORT) return b->owner->port(b->owner, b, tree);
    if (b->building == WLM_TO_UNIT) return (wlm_value){0.0, wlm_unit_rate(b->r, wlm_value_of(b, tree->first).node)};
    return build_rate(b, tree);
}

wlm_value wlm_value_of(wlm_builder *b, const wlm_tree *tree)
{
    if (b->r->status != WARPLU_SUCCESS) return nothing;
    if (++b->steps > WLM_STEPS_MOST) {
        wlm_fail_at(b->r, WARPLU_OVERFLOW, tree->place, "more than %lld operations here", (long long)WLM_STEPS_MOST);
        return nothing;
    }
    b->place = tree->place;
    switch (tree->type) {
    case WLM_TREE_NUMBER: return wlm_number_value(b, tree->number);
    case WLM_TREE_NAME: return build_name(b, tree);
    case WLM_TREE_TIME:
    case WLM_TREE_STEP:
    case WLM_TREE_PORT:
    case WLM_TREE_RATE:
    case WLM_TREE_DDT: return build_of_element(b, tree);
    case WLM_TREE_CHAIN: return build_chain(b, tree);
    case WLM_TREE_UNARY: return unary(b, (wlm_opcode)tree->what, wlm_value_of(b, tree->first));
    case WLM_TREE_POWER: {
        wlm_value base = wlm_value_of(b, tree->first);
        if (b->building == WLM_TO_UNIT) return (wlm_value){0.0, wlm_unit_power(b, base.node, tree->first->next)};
        return binary(b, WLM_POW, base, wlm_value_of(b, tree->first->next));
    }
    case WLM_TREE_IF: return build_if(b, tree);
    case WLM_TREE_CALL: return build_call(b, tree);
    case WLM_TREE_APPLY: return wlm_apply(b, tree);
    case WLM_TREE_SUM: return build_sum(b, tree);
    case WLM_TREE_LIST: break; /* it is no expression */
    }
    return nothing;
}
