/* Writes out the lines of an element, those of loops once a round, and declares their names. */
#include <math.h>
#include <string.h>

#include "model/text/element.h"
#include "model/text/routine.h"

/* The most lines of an element, numbers of an array, and indices of one. */
enum { LINES_MOST = 1 << 17, ARRAY_MOST = 1 << 17, DIMENSIONS_MOST = 3 };

static wlm_pending **pending_of(wlm_element *e, wlm_symbol_type type)
{
    return type == WLM_SYMBOL_PARAMETER ? &e->parameter : type == WLM_SYMBOL_STATE ? &e->state : &e->unknown;
}

/* Makes a place in the kind's array for a declaration. Returns its number, or -1. */
static int32_t new_entry(wlm_element *e, wlm_symbol_type type, char *name, const wlm_line *line)
{
    wlm_kind *kind = e->kind;
    wlm_arena *kept = e->r->kept;
    switch (type) {
    case WLM_SYMBOL_PARAMETER:
        if (!wlm_more_for(e->r, kept, &kind->parameter, kind->parameters, sizeof *kind->parameter)) return -1;
        kind->parameter[kind->parameters] = (wlm_parameter){.name = name, .place = line->place, .unit = line->unit};
        return kind->parameters++;
    case WLM_SYMBOL_STATE:
        if (!wlm_more_for(e->r, kept, &kind->state, kind->states, sizeof *kind->state)) return -1;
        kind->state[kind->states] =
            (wlm_state){name, line->place, WLM_NONE, WLM_NONE, WLM_NONE, WLM_NONE, -INFINITY, INFINITY, 0};
        if (line->type == WLM_LINE_DISCRETE) {
            kind->state[kind->states].is_discrete = 1;
            kind->state[kind->states].rate = wlm_constant(kind->graph, 0.0);
        }
        return kind->states++;
    case WLM_SYMBOL_UNKNOWN:
        if (!wlm_more_for(e->r, kept, &kind->unknown, kind->unknowns, sizeof *kind->unknown)) return -1;
        kind->unknown[kind->unknowns] = (wlm_unknown){name, line->place, WLM_NONE};
        return kind->unknowns++;
    case WLM_SYMBOL_DEFINITION: return wlm_element_new_definition(e, e->owner.names.count);
    }
    return -1;
}

void wlm_element_refuse(wlm_element *e, wlm_word name, wlm_place place)
{
    int32_t known = wlm_names_find(&e->owner.names, name.text, name.length);
    if (known >= 0)
        wlm_fail_at(e->r, WARPLU_BAD_FORMAT, place, "'%.*s' is defined already, as %s at line " WLM_LINE_FORMAT,
                    WLM_SHOWN(name), wlm_symbol_text(&e->owner, known), WLM_LINE(e->symbol[known].place));
    else if (wlm_names_find(&e->parts, name.text, name.length) >= 0)
        wlm_fail_at(e->r, WARPLU_BAD_FORMAT, place, "'%.*s' is defined already, as a part", WLM_SHOWN(name));
}

/* Declares one name. Returns its number among those of its type, or -1. */
static int32_t declare(wlm_element *e, wlm_symbol_type type, wlm_word name, const wlm_line *line)
{
    name = wlm_own_name(&e->builder, name);
    wlm_element_refuse(e, name, line->place);
    wlm_refuse_routine(e->r, line->name->name, line->place);
    if (e->r->status != WARPLU_SUCCESS) return -1;
    char *text = wlm_take_text(e->r->kept, name.text, name.length);
    if (text == NULL) return wlm_fail_taking(e->r), -1;
    int32_t index = new_entry(e, type, text, line);
    if (index < 0 || !wlm_more_for(e->r, &e->r->scratch, &e->symbol, e->owner.names.count, sizeof *e->symbol))
        return -1;
    int32_t definition = type == WLM_SYMBOL_DEFINITION ? index : -1;
    e->symbol[e->owner.names.count] = (wlm_symbol){type, index, definition, line->place, WLM_NONE, line->unit};
    if (wlm_names_add(&e->owner.names, &e->r->scratch, text) < 0) return wlm_fail_taking(e->r), -1;
    return index;
}

/* Declares one parameter, state or unknown, whose value waits until all names are known. */
static void declare_pending(wlm_element *e, wlm_symbol_type type, wlm_word name, const wlm_line *line,
                            const wlm_tree *value)
{
    wlm_pending **pending = pending_of(e, type);
    const wlm_line *given = type == WLM_SYMBOL_PARAMETER ? wlm_part_given(e, e->builder.scope, name) : NULL;
    int32_t index = declare(e, type, name, line);
    if (index < 0 || !wlm_more_for(e->r, &e->r->scratch, pending, index, sizeof **pending)) return;
    (*pending)[index] = (wlm_pending){line, value, NULL, NULL, e->builder.scope};
    if (given != NULL)
        (*pending)[index].value = given->value, (*pending)[index].scope = wlm_part_of(e->builder.scope)->scope;
    if (line->type == WLM_LINE_STATE) (*pending)[index].least = line->second, (*pending)[index].most = line->third;
}

/* Evaluates the sizes of name[a, b, c]. Returns how many numbers it has, or 0 after a failure. */
static int64_t sizes_of(wlm_element *e, const wlm_tree *name, int64_t *size, int *dimensions)
{
    int64_t count = 1;
    *dimensions = 0;
    for (const wlm_tree *index = name->index; index != NULL; index = index->next) {
        size[*dimensions] = wlm_whole_of(&e->builder, index, "the size of an array", 1, ARRAY_MOST);
        count *= size[(*dimensions)++];
        if (count > ARRAY_MOST)
            wlm_fail_at(e->r, WARPLU_OVERFLOW, index->place, "an array of more than %d elements", ARRAY_MOST);
        if (e->r->status != WARPLU_SUCCESS) return 0;
    }
    return count;
}

/* Returns "name[...]" with the indices of number k of an array. */
static wlm_word element_name(wlm_element *e, const wlm_tree *array, int64_t k, const int64_t *size, int dimensions)
{
    wlm_tree number[DIMENSIONS_MOST], name = *array;
    for (int d = dimensions - 1; d >= 0; d--) {
        number[d] = (wlm_tree){.type = WLM_TREE_NUMBER, .number = (double)(k % size[d])};
        number[d].next = d + 1 < dimensions ? &number[d + 1] : NULL;
        k /= size[d];
    }
    name.index = dimensions > 0 ? &number[0] : NULL;
    return wlm_name_of(&e->builder, &name);
}

/* Declares name, or all of name[a, b, c] with one value or one for each, the last index fastest. */
static void declare_array(wlm_element *e, wlm_symbol_type type, const wlm_line *line)
{
    int64_t size[DIMENSIONS_MOST], given = 0;
    int dimensions, is_list = line->value->type == WLM_TREE_LIST;
    const wlm_tree *value = is_list ? line->value->first : line->value;
    int64_t count = sizes_of(e, line->name, size, &dimensions);
    for (const wlm_tree *v = value; is_list && v != NULL; v = v->next) given++;
    if (is_list && given != count)
        wlm_fail_at(e->r, WARPLU_BAD_FORMAT, line->value->place, "expected %lld values, found %lld", (long long)count,
                    (long long)given);
    for (int64_t k = 0; k < count && e->r->status == WARPLU_SUCCESS; k++) {
        declare_pending(e, type, element_name(e, line->name, k, size, dimensions), line, value);
        if (is_list) value = value->next;
    }
}

static void add_item(wlm_element *e, const wlm_line *line)
{
    if (!wlm_more_for(e->r, &e->r->scratch, &e->item, e->items, sizeof *e->item)) return;
    e->item[e->items++] = (wlm_item){line, e->builder.scope};
}

static void declare_line(wlm_element *e, const wlm_line *line)
{
    switch (line->type) {
    case WLM_LINE_PARAMETER: declare_array(e, WLM_SYMBOL_PARAMETER, line); break;
    case WLM_LINE_STATE:
    case WLM_LINE_DISCRETE: declare_array(e, WLM_SYMBOL_STATE, line); break;
    case WLM_LINE_UNKNOWN: declare_array(e, WLM_SYMBOL_UNKNOWN, line); break;
    case WLM_LINE_INPUT:
    case WLM_LINE_DEFINITION: {
        wlm_word name = wlm_name_of(&e->builder, line->name);
        int32_t index = e->r->status == WARPLU_SUCCESS ? declare(e, WLM_SYMBOL_DEFINITION, name, line) : -1;
        if (index >= 0) e->definition[index].item = (wlm_item){line, e->builder.scope};
        if (index >= 0) e->definition[index].value = line->value;
        break;
    }
    case WLM_LINE_GATE:
        if (line->value != NULL) {
            wlm_word name = wlm_name_of(&e->builder, line->name);
            if (e->r->status == WARPLU_SUCCESS) declare_pending(e, WLM_SYMBOL_STATE, name, line, line->value);
        }
        add_item(e, line);
        break;
    case WLM_LINE_RATE:
    case WLM_LINE_CLOSING:
    case WLM_LINE_CONTRIBUTION:
    case WLM_LINE_EVENT:
    case WLM_LINE_LIMIT: add_item(e, line); break;
    case WLM_LINE_PART:
    case WLM_LINE_FOR: break; /* what they write out is declared */
    }
}

static void count_line(wlm_element *e, wlm_place place)
{
    if (++e->lines > LINES_MOST)
        wlm_fail_at(e->r, WARPLU_OVERFLOW, place, "more than %d lines of one element, loops and parts written out",
                    LINES_MOST);
}

/* Writes out the body for each number of the range, and within for those of the ranges behind it. */
static void expand_for(wlm_element *e, const wlm_line *line, const wlm_tree *range, const wlm_scope *scope)
{
    int64_t from, to;
    if (range == NULL) {
        wlm_element_expand(e, line->body, scope);
        return;
    }
    e->builder.scope = scope;
    if (!wlm_bounds_of(&e->builder, range, &from, &to)) return;
    for (int64_t k = from; k <= to && e->r->status == WARPLU_SUCCESS; k++) {
        wlm_scope *inner = wlm_take_for(e->r, &e->r->scratch, 1, sizeof *inner);
        if (inner == NULL) return;
        *inner = (wlm_scope){.name = range->name, .value = (double)k, .outer = scope};
        count_line(e, line->place);
        expand_for(e, line, range->next, inner);
    }
}

void wlm_element_expand(wlm_element *e, const wlm_line *lines, const wlm_scope *scope)
{
    e->builder.building = WLM_TO_NUMBER;
    for (const wlm_line *line = lines; line != NULL && e->r->status == WARPLU_SUCCESS; line = line->next) {
        e->builder.scope = scope;
        count_line(e, line->place);
        if (line->type == WLM_LINE_FOR)
            expand_for(e, line, line->ranges, scope);
        else if (line->type == WLM_LINE_PART)
            wlm_element_expand_part(e, line, scope);
        else
            declare_line(e, line);
    }
    e->builder.scope = NULL;
}
