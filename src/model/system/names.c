/* Writes names of unknowns, sums and fixed quantities, and finds them by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/layout.h"

int32_t wlm_layout_instances_before(const wlm_model *model, int32_t use, int64_t *all)
{
    int64_t before = 0;
    *all = 0;
    for (int32_t u = 0; u < model->uses; u++) {
        if (model->use[u].kind != model->use[use].kind) continue;
        if (u < use) before += model->use[u].count;
        *all += model->use[u].count;
    }
    return (int32_t)before;
}

static const char *variable_name(const wlm_kind *kind, int32_t variable)
{
    return variable < kind->states ? kind->state[variable].name : kind->unknown[variable - kind->states].name;
}

void wlm_layout_write_name(char *text, size_t bytes, const char *owner, int64_t of, int64_t number, const char *name)
{
    if (of == 1)
        snprintf(text, bytes, "%s.%s", owner, name);
    else
        snprintf(text, bytes, "%s[%lld].%s", owner, (long long)number, name);
}

static int has(const wlm_block *block, int32_t unknown)
{
    return block->memory == WLM_MEMORY_UNKNOWNS && unknown >= block->first && unknown - block->first < block->count;
}

void wlm_layout_name(const wlm_layout *l, int32_t unknown, char *text, size_t bytes)
{
    const wlm_model *model = l->model;
    snprintf(text, bytes, "?");
    for (int32_t s = 0; s < model->sets; s++)
        for (int32_t q = 0; q < model->set[s].quantities; q++) {
            const wlm_block *block = wlm_layout_quantity(l, s, q);
            if (has(block, unknown))
                wlm_layout_write_name(text, bytes, model->set[s].name, model->set[s].count, unknown - block->first,
                                      model->set[s].quantity[q].name);
        }
    for (int32_t u = 0; u < model->uses; u++)
        for (int32_t v = 0; v < l->use_block[u + 1] - l->use_block[u]; v++) {
            const wlm_block *block = wlm_layout_variable(l, u, v);
            if (!has(block, unknown)) continue;
            int64_t all, number = unknown - block->first;
            number += wlm_layout_instances_before(model, u, &all);
            const wlm_kind *kind = &model->kind[model->use[u].kind];
            wlm_layout_write_name(text, bytes, kind->name, all, number, variable_name(kind, v));
        }
}

wlm_place wlm_layout_place(const wlm_layout *l, int32_t unknown, wlm_place *use)
{
    const wlm_model *model = l->model;
    wlm_place place = {0, 0};
    *use = place;
    for (int32_t s = 0; s < model->sets; s++)
        for (int32_t q = 0; q < model->set[s].quantities; q++)
            if (has(wlm_layout_quantity(l, s, q), unknown)) place = model->set[s].quantity[q].place;
    for (int32_t u = 0; u < model->uses; u++)
        for (int32_t v = 0; v < l->use_block[u + 1] - l->use_block[u]; v++) {
            if (!has(wlm_layout_variable(l, u, v), unknown)) continue;
            const wlm_kind *kind = &model->kind[model->use[u].kind];
            place = v < kind->states ? kind->state[v].place : kind->unknown[v - kind->states].place;
            *use = model->use[u].place;
        }
    return place;
}

void wlm_layout_instance(const wlm_layout *l, int32_t use, int32_t instance, char *text, size_t bytes)
{
    int64_t all, number = instance;
    number += wlm_layout_instances_before(l->model, use, &all);
    const wlm_kind *kind = &l->model->kind[l->model->use[use].kind];
    if (all == 1)
        snprintf(text, bytes, "%s (line %d, used in line %d)", kind->name, kind->place.line,
                 l->model->use[use].place.line);
    else
        snprintf(text, bytes, "%s[%lld] (line %d, used in line %d)", kind->name, (long long)number, kind->place.line,
                 l->model->use[use].place.line);
}

/* Splits "owner[number].name" or "owner.name"; returns 0 where it is neither. */
static int split(const char *text, int32_t *owner_length, int64_t *number, const char **name)
{
    const char *dot = strchr(text, '.'), *bracket = strchr(text, '[');
    if (dot == NULL) return 0;
    *name = dot + 1;
    *number = 0;
    *owner_length = (int32_t)(dot - text);
    if (bracket == NULL || bracket > dot) return 1;
    char *end = NULL;
    *owner_length = (int32_t)(bracket - text);
    *number = strtoll(bracket + 1, &end, 10);
    return end != bracket + 1 && end[0] == ']' && end + 1 == dot;
}

static int same(const char *text, int32_t length, const char *name)
{
    return strlen(name) == (size_t)length && memcmp(text, name, (size_t)length) == 0;
}

static int32_t in_block(const wlm_block *block, int64_t number, wlm_memory *memory)
{
    *memory = block->memory;
    return number >= 0 && number < block->count ? (int32_t)(block->first + number) : -1;
}

int32_t wlm_layout_find(const wlm_layout *l, const char *text, wlm_memory *memory)
{
    const wlm_model *model = l->model;
    int32_t length;
    int64_t number, all;
    const char *name;
    if (!split(text, &length, &number, &name)) return -1;
    for (int32_t s = 0; s < model->sets; s++)
        for (int32_t q = 0; q < model->set[s].quantities; q++)
            if (same(text, length, model->set[s].name) && strcmp(name, model->set[s].quantity[q].name) == 0)
                return in_block(wlm_layout_quantity(l, s, q), number, memory);
    for (int32_t u = 0; u < model->uses; u++) {
        const wlm_kind *kind = &model->kind[model->use[u].kind];
        if (!same(text, length, kind->name)) continue;
        int64_t here = number - wlm_layout_instances_before(model, u, &all);
        if (here < 0 || here >= model->use[u].count) continue;
        for (int32_t v = 0; v < kind->states + kind->unknowns; v++)
            if (strcmp(name, variable_name(kind, v)) == 0) return in_block(wlm_layout_variable(l, u, v), here, memory);
    }
    return -1;
}
