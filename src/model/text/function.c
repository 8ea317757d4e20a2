/* `function`: reads a function and checks that it knows all names it uses. How deep calls may lead is bounded when a
 * call is read: a function's depth is that of all it calls (tree.c). */
#include <stdio.h>

#include "model/text/lexer.h"
#include "model/text/routine.h"
#include "model/text/statements.h"

/* ------------------------------------------------------------- what is known */

static const char *text_of(const wlm_tree *tree)
{
    switch (tree->type) {
    case WLM_TREE_TIME: return "the time, which a call can give it";
    case WLM_TREE_STEP: return "the length of the step, which a call can give it";
    case WLM_TREE_PORT: return "a quantity of a node, which a call can give it";
    case WLM_TREE_DDT:
    case WLM_TREE_RATE: return "a rate, which a call can give it";
    case WLM_TREE_NAME: return tree->index != NULL ? "an element of an array, which a call can give it" : NULL;
    case WLM_TREE_NUMBER:
    case WLM_TREE_CHAIN:
    case WLM_TREE_UNARY:
    case WLM_TREE_POWER:
    case WLM_TREE_IF:
    case WLM_TREE_CALL:
    case WLM_TREE_APPLY:
    case WLM_TREE_SUM:
    case WLM_TREE_LIST: break;
    }
    return NULL;
}

/* Fails at what a function does not know, and notes pulses. */
static void check(wlm_builder *b, wlm_routine *f, const wlm_tree *tree)
{
    const char *text = text_of(tree);
    wlm_scope index = {.name = tree->name, .outer = b->scope};
    const wlm_tree *operand = tree->first;
    if (text != NULL)
        wlm_fail_at(b->r, WARPLU_BAD_FORMAT, tree->place,
                    "expected arguments, constants and functions alone in function %.40s, found %s", f->name, text);
    if (tree->type == WLM_TREE_NAME && b->r->status == WARPLU_SUCCESS) wlm_check_name(b, tree);
    f->has_pulse |= tree->type == WLM_TREE_CALL && tree->what == WLM_BUILTIN_pulse;
    f->has_pulse |= tree->type == WLM_TREE_APPLY && tree->function->has_pulse;
    for (int k = 0; operand != NULL && b->r->status == WARPLU_SUCCESS; k++, operand = operand->next) {
        int is_body = tree->type == WLM_TREE_SUM && k == 2;
        if (is_body) b->scope = &index;
        check(b, f, operand);
        if (is_body) b->scope = index.outer;
    }
}

/* Reads an expression, which sees the names before it. */
static const wlm_tree *parse_known(wlm_reading *r, wlm_routine *f)
{
    wlm_scope scope[WLM_ROUTINE_NAMES_MOST];
    const wlm_tree call = {.type = WLM_TREE_APPLY, .function = f};
    wlm_builder b = {.r = r, .call = &call};
    wlm_tree *tree = wlm_parse_expression(r);
    for (int32_t k = 0; k < f->names; k++) {
        scope[k] = (wlm_scope){.name = f->known[k], .outer = b.scope};
        b.scope = &scope[k];
    }
    if (tree != NULL) check(&b, f, tree);
    return tree;
}

/* Adds an argument, or a definition with its value. */
static void add_name(wlm_reading *r, wlm_routine *f, wlm_word name, wlm_place place, const wlm_tree *value)
{
    if (r->status != WARPLU_SUCCESS) return;
    for (int32_t k = 0; k < f->names; k++)
        if (wlm_words_equal(name, f->known[k]))
            wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "'%.*s' is there already, in function %.40s", WLM_SHOWN(name),
                        f->name);
    wlm_refuse_routine(r, name, place);
    if (f->names == WLM_ROUTINE_NAMES_MOST)
        wlm_fail_at(r, WARPLU_OVERFLOW, place, "more than %d arguments and definitions of one function",
                    WLM_ROUTINE_NAMES_MOST);
    if (r->status != WARPLU_SUCCESS) return;
    f->known[f->names] = name;
    f->value[f->names++] = value;
}

/* -------------------------------------------------------------------- lines */

static void parse_arguments(wlm_reading *r, wlm_routine *f)
{
    if (!wlm_needs(r, "(", "'(' and the function's arguments")) return;
    do {
        wlm_place place = r->token.place;
        wlm_word name = wlm_needs_name(r, "the name of an argument");
        add_name(r, f, name, place, NULL);
    } while (r->status == WARPLU_SUCCESS && wlm_takes(r, ","));
    f->arguments = f->names;
    wlm_needs(r, ")", "',' or ')'");
}

/* Reads definitions up to `end`; the last one has the function's name. */
static void parse_block(wlm_reading *r, wlm_routine *f)
{
    char what[96];
    snprintf(what, sizeof what, "a definition, or '%.40s = ...', the function's value", f->name);
    while (r->status == WARPLU_SUCCESS && f->result == NULL) {
        wlm_place place = r->token.place;
        if (r->token.type == WLM_TOKEN_LINE) {
            wlm_next(r);
            continue;
        }
        if (r->token.type != WLM_TOKEN_NAME || wlm_reserved(r->token.word)) {
            wlm_expected(r, what);
            return;
        }
        wlm_word name = wlm_needs_name(r, what);
        if (!wlm_needs(r, "=", "'='")) return;
        const wlm_tree *value = parse_known(r, f);
        if (wlm_word_is(name, f->name))
            f->result = value;
        else
            add_name(r, f, name, place, value);
        wlm_needs_line_end(r);
    }
    while (r->status == WARPLU_SUCCESS && r->token.type == WLM_TOKEN_LINE) wlm_next(r);
    if (r->status == WARPLU_SUCCESS && !wlm_takes_name(r, "end")) wlm_expected(r, "'end' behind the function's value");
}

/* Adds a function without arguments to the text; NULL after a failure. */
static wlm_routine *add_function(wlm_reading *r, wlm_word name, wlm_place place)
{
    if (wlm_is_builtin(name))
        wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "'%.*s' is a function of the language", WLM_SHOWN(name));
    if (!wlm_add_global(r, name, (wlm_global){.type = WLM_GLOBAL_FUNCTION, .index = r->functions, .place = place}))
        return NULL;
    wlm_routine *f = wlm_take_for(r, &r->scratch, 1, sizeof *f);
    if (f == NULL || !wlm_more_for(r, &r->scratch, &r->function, r->functions, sizeof *r->function)) return NULL;
    f->name = r->names.name[r->names.count - 1];
    f->is_open = 1;
    r->function[r->functions++] = f;
    return f;
}

void wlm_parse_function(wlm_reading *r)
{
    wlm_place place = r->token.place;
    wlm_word name = wlm_needs_name(r, "the name of a function");
    wlm_routine *f = add_function(r, name, place);
    if (f == NULL) return;
    r->deepest = 0;
    parse_arguments(r, f);
    if (r->status != WARPLU_SUCCESS) return;
    if (wlm_takes(r, "="))
        f->result = parse_known(r, f);
    else if (r->token.type == WLM_TOKEN_LINE)
        parse_block(r, f);
    else
        wlm_expected(r, "'=' or the end of the line");
    f->depth = r->deepest;
    f->is_open = 0;
}
