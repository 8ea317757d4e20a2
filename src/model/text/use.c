/* `use`: what it says; use_bind.c makes instances of it. */
#include <stdio.h>
#include <string.h>

#include "model/text/columns.h"
#include "model/text/lexer.h"
#include "model/text/statements.h"

int32_t wlm_find_global(wlm_reading *r, wlm_word name, wlm_place place, wlm_global_type type, const char *what)
{
    int32_t k = wlm_names_find(&r->names, name.text, name.length);
    if (r->status != WARPLU_SUCCESS) return -1;
    if (k >= 0 && r->global[k].type == type) return r->global[k].index;
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, name);
    for (k = 0; k < r->names.count; k++)
        if (r->global[k].type == type) wlm_nearest_try(&nearest, r->names.name[k]);
    wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "'%.*s' is no %s%s", WLM_SHOWN(name), what, wlm_nearest_text(&nearest));
    return -1;
}

static void parse_binding(wlm_making *m, int32_t port)
{
    wlm_reading *r = m->r;
    wlm_binding *binding = &m->binding[port];
    binding->place = r->token.place;
    wlm_word name = wlm_needs_name(r, "a set of nodes");
    binding->set = wlm_find_global(r, name, binding->place, WLM_GLOBAL_SET, "set of nodes");
    wlm_tree *tree = binding->set >= 0 ? wlm_parse_indices(r, name, binding->place) : NULL;
    if (tree == NULL) return;
    binding->index = tree->index;
    int32_t count = r->model->set[binding->set].count;
    if (tree->index != NULL && tree->index->next != NULL)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->index->next->place, "expected one number of a node, found more");
    if (tree->index == NULL && count > 1)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, binding->place, "expected the number of a node of '%.*s', from 0 to %d",
                    WLM_SHOWN(name), count - 1);
}

static void parse_bindings(wlm_making *m)
{
    wlm_reading *r = m->r;
    int32_t ports = m->kind->ports, given = 0;
    wlm_place place = r->token.place;
    if (wlm_takes(r, "(") && !wlm_takes(r, ")")) {
        do {
            if (given < ports) parse_binding(m, given);
            given++;
        } while (r->status == WARPLU_SUCCESS && given <= ports && wlm_takes(r, ","));
        if (given <= ports) wlm_needs(r, ")", "',' or ')'");
    }
    if (given > ports)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, r->token.place, "element %.40s has %d port%s, expected no more nodes",
                    m->kind->name, ports, ports == 1 ? "" : "s");
    else if (given < ports)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "expected %d node%s for element %.40s, found %d", ports,
                    ports == 1 ? "" : "s", m->kind->name, given);
}

int32_t wlm_find_parameter(wlm_reading *r, const wlm_kind *kind, wlm_word name, wlm_place place)
{
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, name);
    for (int32_t k = 0; k < kind->parameters; k++) {
        if (wlm_word_is(name, kind->parameter[k].name)) return k;
        wlm_nearest_try(&nearest, kind->parameter[k].name);
    }
    wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "'%.*s' is no parameter of element %.40s%s", WLM_SHOWN(name), kind->name,
                wlm_nearest_text(&nearest));
    return -1;
}

static void parse_with(wlm_making *m)
{
    wlm_reading *r = m->r;
    wlm_builder b = {.r = r, .where = "the name of a parameter"};
    do {
        wlm_tree *tree = wlm_parse_dotted(r, "the name of a parameter");
        if (tree == NULL || !wlm_needs(r, "=", "'='")) return;
        wlm_word whole = wlm_name_of(&b, tree);
        int32_t parameter = wlm_find_parameter(r, m->kind, whole, tree->place);
        wlm_tree *value = parameter >= 0 ? wlm_parse_expression(r) : NULL;
        if (value == NULL || !wlm_more_for(r, &r->scratch, &m->with, m->withs, sizeof *m->with)) return;
        for (int32_t k = 0; k < m->withs; k++)
            if (m->with[k].parameter == parameter)
                wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->place, "'%.*s' has a value already", WLM_SHOWN(whole));
        m->with[m->withs++] = (wlm_with){parameter, value};
    } while (r->status == WARPLU_SUCCESS && wlm_takes(r, ","));
}

char *wlm_path_of(wlm_reading *r, wlm_word path)
{
    int is_absolute = path.length > 0 && path.text[0] == '/';
    const char *from = r->file != NULL ? r->file : r->name, *slash = strrchr(from, '/');
    size_t folder = is_absolute || slash == NULL ? 0 : (size_t)(slash + 1 - from);
    char *text = wlm_take_for(r, r->kept, (int64_t)folder + path.length + 1, 1);
    if (text == NULL) return NULL;
    memcpy(text, from, folder);
    memcpy(text + folder, path.text, (size_t)path.length);
    return text;
}

static void parse_from(wlm_making *m)
{
    m->csv_place = m->r->token.place;
    m->csv = wlm_parse_from(m->r);
}

static void parse_over(wlm_making *m)
{
    wlm_reading *r = m->r;
    m->over_place = r->token.place;
    if (!wlm_takes_name(r, "pairs")) {
        m->ranges = wlm_parse_ranges(r);
        return;
    }
    if (!wlm_needs(r, "(", "'('")) return;
    wlm_place place = r->token.place;
    m->pairs = wlm_find_global(r, wlm_needs_name(r, "a set of nodes"), place, WLM_GLOBAL_SET, "set of nodes");
    wlm_needs(r, ")", "')'");
}

static void parse_clauses(wlm_making *m)
{
    wlm_reading *r = m->r;
    if (wlm_takes_name(r, "with")) parse_with(m);
    if (wlm_takes_name(r, "from")) parse_from(m);
    if (wlm_takes_name(r, "over")) parse_over(m);
    if (r->status == WARPLU_SUCCESS && r->token.type != WLM_TOKEN_LINE && r->token.type != WLM_TOKEN_END)
        wlm_expected(r, m->ranges != NULL || m->pairs >= 0 ? "the end of the line"
                        : m->csv != NULL                   ? "'over' or the end of the line"
                        : m->withs > 0                     ? "'from', 'over' or the end of the line"
                                                           : "'with', 'from', 'over' or the end of the line");
}

void wlm_parse_use(wlm_reading *r)
{
    wlm_model *model = r->model;
    wlm_place place = r->token.place;
    wlm_making m = {.r = r, .pairs = -1};
    wlm_word name = wlm_needs_name(r, "the name of an element");
    int32_t kind = wlm_find_global(r, name, place, WLM_GLOBAL_KIND, "element");
    if (kind < 0 || !wlm_more_for(r, r->kept, &model->use, model->uses, sizeof *model->use)) return;
    m.kind = &model->kind[kind];
    m.use = &model->use[model->uses++];
    *m.use = (wlm_use){.kind = kind, .place = place};
    m.binding = wlm_take_for(r, &r->scratch, m.kind->ports, sizeof *m.binding);
    if (m.binding == NULL) return;
    parse_bindings(&m);
    if (r->status == WARPLU_SUCCESS) parse_clauses(&m);
    if (r->status == WARPLU_SUCCESS) wlm_bind_quantities(&m);
    if (r->status == WARPLU_SUCCESS) wlm_make_use(&m);
}
