/* Parses expressions by climbing precedences: one table of operators has their levels. Trees are as deep as brackets
 * are nested, which wlm_enter counts, so that no text makes the stack overflow. */
#include "model/text/tree.h"

#include <math.h>
#include <string.h>

#include "model/text/lexer.h"
#include "model/text/routine.h"

/* Levels of precedence, the loosest first. */
enum { LEVEL_OR, LEVEL_AND, LEVEL_COMPARISON, LEVEL_SUM, LEVEL_PRODUCT, LEVELS };

static const struct {
    const char *text; /* a sign or a word */
    int level, join;
} operators[] = {
    {"or", LEVEL_OR, WLM_OR},
    {"and", LEVEL_AND, WLM_AND},
    {"=", LEVEL_COMPARISON, WLM_EQ},
    {"==", LEVEL_COMPARISON, WLM_EQ},
    {"<>", LEVEL_COMPARISON, WLM_NE},
    {"!=", LEVEL_COMPARISON, WLM_NE},
    {"<", LEVEL_COMPARISON, WLM_LT},
    {"<=", LEVEL_COMPARISON, WLM_LE},
    {">", LEVEL_COMPARISON, WLM_JOIN_GREATER},
    {">=", LEVEL_COMPARISON, WLM_JOIN_GREATER_EQUAL},
    {"+", LEVEL_SUM, WLM_ADD},
    {"-", LEVEL_SUM, WLM_SUB},
    {"*", LEVEL_PRODUCT, WLM_MUL},
    {"/", LEVEL_PRODUCT, WLM_DIV},
    {"mod", LEVEL_PRODUCT, WLM_JOIN_MOD},
    {"div", LEVEL_PRODUCT, WLM_JOIN_DIV},
};

static const struct {
    const char *name;
    int what, least, most; /* what: an opcode, or a WLM_BUILTIN; most 0: any number of operands */
} functions[] = {
#define WRITTEN_NO(name, operands, text)
#define WRITTEN_CALL(name, operands, text) {text, WLM_##name, operands, operands},
#define WRITTEN_LIST(name, operands, text) {text, WLM_##name, operands, 0},
#define WLM_OPCODE(name, operands, text, written, ...) WRITTEN_##written(name, operands, text)
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
#define WLM_FUNCTION(name, least, most) {#name, WLM_BUILTIN_##name, least, most},
#include "model/text/functions.def"
#undef WLM_FUNCTION
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

int wlm_enter(wlm_reading *r)
{
    if (r->depth >= WLM_DEPTH_MOST)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, r->token.place, "nested more than %d deep", WLM_DEPTH_MOST);
    if (++r->depth > r->deepest) r->deepest = r->depth;
    return r->status == WARPLU_SUCCESS;
}

static wlm_tree *make(wlm_reading *r, wlm_tree_type type, wlm_place place, wlm_tree *first)
{
    wlm_tree *tree = wlm_take_for(r, &r->scratch, 1, sizeof *tree);
    if (tree == NULL) return NULL;
    tree->type = type;
    tree->place = place;
    tree->first = first;
    return tree;
}

/* Returns the token's number among the operators, or -1. */
static int operator_of(const wlm_reading *r)
{
    if (r->token.type != WLM_TOKEN_SIGN && r->token.type != WLM_TOKEN_NAME) return -1;
    for (int k = 0; k < (int)(sizeof operators / sizeof *operators); k++)
        if (wlm_word_is(r->token.word, operators[k].text)) return k;
    return -1;
}

static wlm_tree *parse_level(wlm_reading *r, int level);
static wlm_tree *parse_unary(wlm_reading *r);

/* Reads expressions with commas between them, up to a bracket; *count is their number. */
static wlm_tree *parse_list(wlm_reading *r, const char *close, int *count)
{
    wlm_tree *first = NULL, **end = &first;
    for (*count = 1;; ++*count) {
        *end = wlm_parse_expression(r);
        if (*end == NULL) return NULL;
        end = &(*end)->next;
        if (!wlm_takes(r, ",")) break;
    }
    return wlm_needs(r, close,
                     close[0] == ')'   ? "',' or ')'"
                     : close[0] == ']' ? "',' or ']'"
                                       : "',' or '}'")
               ? first
               : NULL;
}

wlm_tree *wlm_parse_indices(wlm_reading *r, wlm_word name, wlm_place place)
{
    enum { INDICES_MOST = 3 };
    int count = 0;
    wlm_tree *tree = make(r, WLM_TREE_NAME, place, NULL);
    if (tree == NULL) return NULL;
    tree->name = name;
    if (!wlm_sees(r, "[") || !r->token.tight) return tree;
    wlm_place bracket = r->token.place;
    wlm_next(r);
    tree->index = parse_list(r, "]", &count);
    if (count > INDICES_MOST)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, bracket, "expected at most %d indices, found %d", INDICES_MOST, count);
    return tree->index != NULL ? tree : NULL;
}

wlm_tree *wlm_parse_name(wlm_reading *r, const char *what)
{
    wlm_place place = r->token.place;
    wlm_word name = wlm_needs_name(r, what);
    return r->status == WARPLU_SUCCESS ? wlm_parse_indices(r, name, place) : NULL;
}

wlm_tree *wlm_parse_dotted(wlm_reading *r, const char *what)
{
    wlm_tree *first = wlm_parse_name(r, what), *last = first;
    while (last != NULL && wlm_takes(r, ".")) {
        last->quantity = wlm_parse_name(r, "a name behind the dot");
        last = last->quantity;
    }
    return last != NULL ? first : NULL;
}

wlm_tree *wlm_parse_values(wlm_reading *r)
{
    int count;
    wlm_place place = r->token.place;
    if (!wlm_takes(r, "{")) return wlm_parse_expression(r);
    wlm_tree *first = parse_list(r, "}", &count);
    return first != NULL ? make(r, WLM_TREE_LIST, place, first) : NULL;
}

/* Reads a range, I in A..B, from the token I on. */
static wlm_tree *parse_range(wlm_reading *r)
{
    wlm_tree *range = make(r, WLM_TREE_SUM, r->token.place, NULL);
    if (range == NULL) return NULL;
    range->name = wlm_needs_name(r, "the name of an index");
    if (!wlm_takes_name(r, "in")) return wlm_expected(r, "'in'"), NULL;
    range->first = wlm_parse_expression(r);
    if (range->first == NULL || !wlm_needs(r, "..", "'..'")) return NULL;
    range->first->next = wlm_parse_expression(r);
    return range->first->next != NULL ? range : NULL;
}

wlm_tree *wlm_parse_ranges(wlm_reading *r)
{
    wlm_tree *first = NULL, **end = &first;
    do {
        *end = parse_range(r);
        if (*end == NULL) return NULL;
        end = &(*end)->next;
    } while (wlm_takes(r, ","));
    return first;
}

static wlm_tree *parse_sum(wlm_reading *r)
{
    if (!wlm_needs(r, "(", "'('")) return NULL;
    wlm_tree *sum = parse_range(r);
    if (sum == NULL || !wlm_needs(r, ":", "':'")) return NULL;
    sum->first->next->next = wlm_parse_expression(r);
    return sum->first->next->next != NULL && wlm_needs(r, ")", "')'") ? sum : NULL;
}

/* Returns the number of a function of the language, or -1. */
static int builtin_of(wlm_word name)
{
    for (int k = 0; k < FUNCTIONS; k++)
        if (wlm_word_is(name, functions[k].name)) return k;
    return -1;
}

int wlm_is_builtin(wlm_word name)
{
    return builtin_of(name) >= 0;
}

static void fail_function(wlm_reading *r, wlm_word name, wlm_place place)
{
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, name);
    for (int k = 0; k < FUNCTIONS; k++) wlm_nearest_try(&nearest, functions[k].name);
    for (int32_t k = 0; k < r->functions; k++) wlm_nearest_try(&nearest, r->function[k]->name);
    wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "'%.*s' is no function%s", WLM_SHOWN(name), wlm_nearest_text(&nearest));
}

/* Goes as deep as the function's expressions, which the call is replaced by; fails where that is too deep, or the
 * function is the one that is being read. */
static void go_into(wlm_reading *r, const wlm_routine *function, wlm_place place)
{
    int32_t deepest = r->depth + function->depth;
    if (function->is_open)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "expected functions without a circle, found that '%.40s' calls itself",
                    function->name);
    if (deepest > WLM_DEPTH_MOST)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "nested more than %d deep, with the functions that are called",
                    WLM_DEPTH_MOST);
    if (deepest > r->deepest) r->deepest = deepest;
}

static wlm_tree *parse_call(wlm_reading *r, wlm_word name, wlm_place place)
{
    int count, function = builtin_of(name);
    const wlm_routine *own = wlm_routine_find(r, name);
    wlm_next(r);
    if (function < 0 && own == NULL) return fail_function(r, name, place), NULL;
    wlm_tree *call = make(r, own != NULL ? WLM_TREE_APPLY : WLM_TREE_CALL, place, NULL);
    if (call == NULL) return NULL;
    call->what = own != NULL ? 0 : functions[function].what;
    call->function = own;
    call->first = parse_list(r, ")", &count);
    if (call->first == NULL) return NULL;
    int least = own != NULL ? own->arguments : functions[function].least;
    int most = own != NULL ? own->arguments : functions[function].most;
    if (count < least || (most > 0 && count > most))
        wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "expected %d%s operand%s of %.*s, found %d", least,
                    most == 0      ? " or more"
                    : most > least ? " or 3"
                                   : "",
                    least > 1 ? "s" : "", WLM_SHOWN(name), count);
    if (own != NULL) go_into(r, own, place);
    if (call->what == WLM_BUILTIN_lookup && r->status == WARPLU_SUCCESS) wlm_take_table(r, call);
    return call;
}

/* Reads an operand that begins with a name: a call, a port's quantity, a name, a rate. */
static wlm_tree *parse_named(wlm_reading *r)
{
    wlm_word name = r->token.word;
    wlm_place place = r->token.place;
    if (wlm_takes_name(r, "t")) return make(r, WLM_TREE_TIME, place, NULL);
    if (wlm_takes_name(r, "step")) return make(r, WLM_TREE_STEP, place, NULL);
    if (wlm_takes_name(r, "pi")) {
        wlm_tree *number = make(r, WLM_TREE_NUMBER, place, NULL);
        if (number != NULL) number->number = 3.14159265358979323846;
        return number;
    }
    if (wlm_takes_name(r, "sum")) return parse_sum(r);
    if (wlm_takes_name(r, "ddt")) {
        if (!wlm_needs(r, "(", "'('")) return NULL;
        wlm_tree *inner = wlm_parse_expression(r);
        r->rates++;
        return inner != NULL && wlm_needs(r, ")", "')'") ? make(r, WLM_TREE_DDT, place, inner) : NULL;
    }
    if (wlm_reserved(name) && !wlm_word_is(name, "pulse")) return wlm_expected(r, "an expression"), NULL;
    wlm_next(r);
    if (wlm_sees(r, "(")) return parse_call(r, name, place);
    wlm_tree *tree = wlm_parse_indices(r, name, place);
    if (tree != NULL && wlm_takes(r, ".")) {
        tree->type = WLM_TREE_PORT;
        tree->quantity = wlm_parse_dotted(r, "the name of a quantity");
        if (tree->quantity == NULL) return NULL;
    }
    if (tree == NULL || !wlm_takes(r, "'")) return tree;
    r->rates++;
    return make(r, WLM_TREE_RATE, place, tree);
}

static wlm_tree *parse_if(wlm_reading *r, wlm_place place)
{
    wlm_tree *tree = make(r, WLM_TREE_IF, place, wlm_parse_expression(r));
    if (tree == NULL || tree->first == NULL) return NULL;
    if (!wlm_takes_name(r, "then")) return wlm_expected(r, "'then'"), NULL;
    tree->first->next = wlm_parse_expression(r);
    if (tree->first->next == NULL) return NULL;
    if (!wlm_takes_name(r, "else")) return wlm_expected(r, "'else'"), NULL;
    tree->first->next->next = wlm_parse_expression(r);
    return tree->first->next->next != NULL ? tree : NULL;
}

static wlm_tree *parse_primary(wlm_reading *r)
{
    wlm_place place = r->token.place;
    if (r->token.type == WLM_TOKEN_NUMBER) {
        wlm_tree *number = make(r, WLM_TREE_NUMBER, place, NULL);
        if (number != NULL) number->number = r->token.number;
        wlm_next(r);
        return number;
    }
    if (wlm_takes(r, "(")) {
        wlm_tree *inner = wlm_parse_expression(r);
        if (inner == NULL || !wlm_needs(r, ")", "')'")) return NULL;
        return make(r, WLM_TREE_CHAIN, place, inner);
    }
    if (wlm_takes_name(r, "if")) return parse_if(r, place);
    if (r->token.type == WLM_TOKEN_NAME) return parse_named(r);
    return wlm_expected(r, "an expression"), NULL;
}

/* Reads an operand with -, + or not in front, and its power. */
static wlm_tree *parse_operand(wlm_reading *r)
{
    wlm_place place = r->token.place;
    if (wlm_takes(r, "+")) return parse_unary(r);
    int minus = wlm_sees(r, "-"), not = wlm_sees_name(r, "not");
    if (minus || not ) {
        wlm_next(r);
        wlm_tree *inner = minus ? parse_unary(r) : parse_level(r, LEVEL_COMPARISON);
        if (inner == NULL) return NULL;
        wlm_tree *tree = make(r, WLM_TREE_UNARY, place, inner);
        if (tree != NULL) tree->what = minus ? WLM_NEG : WLM_NOT;
        return tree;
    }
    wlm_tree *base = parse_primary(r);
    if (base == NULL || !wlm_sees(r, "^")) return base;
    wlm_tree *power = make(r, WLM_TREE_POWER, r->token.place, base);
    wlm_next(r);
    if (power != NULL) base->next = parse_unary(r);
    return power != NULL && base->next != NULL ? power : NULL;
}

static wlm_tree *parse_unary(wlm_reading *r)
{
    wlm_tree *tree = wlm_enter(r) ? parse_operand(r) : NULL;
    r->depth--;
    return tree;
}

/* Reads operators of this level and of all tighter ones in one call. */
static wlm_tree *parse_level(wlm_reading *r, int level)
{
    wlm_tree *left = parse_unary(r), *last = NULL; /* the last operand of the chain `left` */
    int chain_level = LEVELS;
    while (left != NULL && r->status == WARPLU_SUCCESS) {
        int k = operator_of(r);
        if (k < 0 || operators[k].level < level) return left;
        if (chain_level != operators[k].level) {
            last = left;
            left = make(r, WLM_TREE_CHAIN, left->place, left);
            chain_level = operators[k].level;
        } else if (chain_level == LEVEL_COMPARISON) {
            return wlm_fail_at(r, WARPLU_BAD_FORMAT, r->token.place,
                               "comparisons do not chain: write 'a < b and b < c'"),
                   NULL;
        }
        wlm_next(r);
        last->next = parse_level(r, chain_level + 1);
        last = last->next;
        if (last == NULL) return NULL;
        last->join = operators[k].join;
    }
    return r->status == WARPLU_SUCCESS ? left : NULL;
}

wlm_tree *wlm_parse_expression(wlm_reading *r)
{
    return parse_level(r, LEVEL_OR);
}
