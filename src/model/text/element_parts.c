/* Writes out the lines of a part, with a scope of its own, and gives its parameters the values of `with`. */
#include <string.h>

#include "model/text/element.h"
#include "model/text/statements.h"

static void bind_ports(wlm_element *e, wlm_element_part *part, const wlm_line *line)
{
    const wlm_tree *port = line->second;
    part->port = wlm_take_for(e->r, &e->r->scratch, part->kind->ports, sizeof *part->port);
    for (int32_t k = 0; port != NULL && e->r->status == WARPLU_SUCCESS; k++, port = port->next)
        part->port[k] = wlm_element_port(e, &e->builder, port);
}

static void add_part(wlm_element *e, wlm_word name, wlm_place place)
{
    wlm_element_refuse(e, name, place);
    if (wlm_names_find(&e->ports, name.text, name.length) >= 0)
        wlm_fail_at(e->r, WARPLU_BAD_FORMAT, place, "'%.*s' is a port already", WLM_SHOWN(name));
    char *text = wlm_take_text(&e->r->scratch, name.text, name.length);
    if (e->r->status == WARPLU_SUCCESS && (text == NULL || wlm_names_add(&e->parts, &e->r->scratch, text) < 0))
        wlm_fail_taking(e->r);
}

/* Checks that each `with` names a parameter, and none twice. */
static void check_withs(wlm_element *e, const wlm_element_part *part)
{
    wlm_reading *r = e->r;
    for (const wlm_line *with = part->with; with != NULL && r->status == WARPLU_SUCCESS; with = with->next) {
        wlm_word name = wlm_name_of(&e->builder, with->name);
        if (r->status == WARPLU_SUCCESS) wlm_find_parameter(r, part->kind, name, with->name->place);
        for (const wlm_line *other = part->with; other != with && r->status == WARPLU_SUCCESS; other = other->next)
            if (wlm_words_equal(name, wlm_name_of(&e->builder, other->name)))
                wlm_fail_at(r, WARPLU_BAD_FORMAT, with->name->place, "'%.*s' has a value already", WLM_SHOWN(name));
    }
}

void wlm_element_expand_part(wlm_element *e, const wlm_line *line, const wlm_scope *scope)
{
    wlm_reading *r = e->r;
    wlm_element_part *part = wlm_take_for(r, &r->scratch, 1, sizeof *part);
    wlm_scope *inner = wlm_take_for(r, &r->scratch, 1, sizeof *inner);
    if (part == NULL || inner == NULL) return;
    e->builder.scope = scope;
    part->name = wlm_own_name(&e->builder, wlm_name_of(&e->builder, line->name));
    part->kind = &r->model->kind[line->kind];
    part->with = line->body;
    part->scope = scope;
    if (r->status == WARPLU_SUCCESS) add_part(e, part->name, line->place);
    bind_ports(e, part, line);
    if (r->status == WARPLU_SUCCESS) check_withs(e, part);
    *inner = (wlm_scope){.outer = scope, .part = part};
    const wlm_body *body = &r->body[line->kind];
    e->reads_rates |= body->reads_rates;
    if (wlm_enter(r)) wlm_element_expand(e, body->lines, inner);
    r->depth--;
}

const wlm_line *wlm_part_given(wlm_element *e, const wlm_scope *scope, wlm_word name)
{
    const wlm_element_part *part = wlm_part_of(scope);
    wlm_builder *b = &e->builder;
    const wlm_scope *before = b->scope;
    const wlm_line *with = part != NULL ? part->with : NULL;
    b->scope = part != NULL ? part->scope : before;
    while (with != NULL && !wlm_words_equal(wlm_name_of(b, with->name), name)) with = with->next;
    b->scope = before;
    return with;
}
