/* Reads `use NAME = ELEMENT (ports) with NAME = value, ...` within an element. */
#include "model/text/lexer.h"
#include "model/text/lines.h"
#include "model/text/statements.h"

/* Reads the names of ports into a list, and counts them. */
static wlm_tree *parse_ports(wlm_reading *r, int32_t *count)
{
    wlm_tree *first = NULL, **end = &first;
    *count = 0;
    if (!wlm_takes(r, "(") || wlm_takes(r, ")")) return NULL;
    do {
        *end = wlm_parse_name(r, "a port of the element");
        if (*end == NULL) return NULL;
        end = &(*end)->next;
        ++*count;
    } while (wlm_takes(r, ","));
    wlm_needs(r, ")", "',' or ')'");
    return first;
}

wlm_line *wlm_parse_part(wlm_reading *r, wlm_line *line)
{
    int32_t ports;
    line->place = r->token.place;
    line->name = wlm_parse_name(r, "the name of a part");
    if (line->name == NULL || !wlm_needs(r, "=", "'=' and the element that the part is")) return NULL;
    wlm_place place = r->token.place;
    wlm_word name = wlm_needs_name(r, "the name of an element");
    line->kind = wlm_find_global(r, name, place, WLM_GLOBAL_KIND, "element");
    if (line->kind < 0) return NULL;
    const wlm_kind *kind = &r->model->kind[line->kind];
    if (line->kind >= r->bodies)
        return wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "element %.40s is a part of itself", kind->name), NULL;
    line->second = parse_ports(r, &ports);
    if (ports != kind->ports)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "expected %d port%s for element %.40s, found %d", kind->ports,
                    kind->ports == 1 ? "" : "s", kind->name, ports);
    if (wlm_takes_name(r, "with")) line->body = wlm_parse_assignments(r, "the name of a parameter");
    return r->status == WARPLU_SUCCESS ? line : NULL;
}
