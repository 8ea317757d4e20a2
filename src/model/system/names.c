/* Writes names of unknowns, sums, fixed quantities and limits, and finds them by name. */
#include <stdio.h>
#include <string.h>

#include "model/system/system.h"
#include "model/text/names.h"
#include "model/text/reading.h"

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

const wlm_block *wlm_layout_block(const wlm_layout *l, wlm_memory memory, int32_t number)
{
    const wlm_block *b = l->block;
    while (b->memory != memory || number < b->first || number - b->first >= b->count) b++;
    return b;
}

void wlm_layout_name(const wlm_layout *l, wlm_memory memory, int32_t number, char *text, size_t bytes)
{
    const wlm_block *b = wlm_layout_block(l, memory, number);
    int64_t all = b->count, at = number - b->first;
    if (b->use >= 0) at += wlm_layout_instances_before(l->model, b->use, &all);
    wlm_names_write(text, bytes, b->owner, all, at, b->name);
}

void wlm_layout_instance(const wlm_layout *l, int32_t use, int32_t instance, char *text, size_t bytes)
{
    int64_t all, number = instance;
    number += wlm_layout_instances_before(l->model, use, &all);
    const wlm_kind *kind = &l->model->kind[l->model->use[use].kind];
    if (all == 1)
        snprintf(text, bytes, "%s (line " WLM_LINE_FORMAT ", used in line " WLM_LINE_FORMAT ")", kind->name,
                 WLM_LINE(kind->place), WLM_LINE(l->model->use[use].place));
    else
        snprintf(text, bytes, "%s[%lld] (line " WLM_LINE_FORMAT ", used in line " WLM_LINE_FORMAT ")", kind->name,
                 (long long)number, WLM_LINE(kind->place), WLM_LINE(l->model->use[use].place));
}

wlm_place wlm_system_limit_name(const wlm_system *s, int32_t limit, char *text, size_t bytes)
{
    wlm_place place = {.line = 0};
    for (int32_t u = 0; u < s->limits.uses; u++) {
        const wlm_bank *bank = &s->limits.bank[u];
        const wlm_kind *kind = &s->model->kind[s->model->use[u].kind];
        int64_t all, before = wlm_layout_instances_before(s->model, u, &all);
        for (int32_t k = 0; k < bank->outputs; k++) {
            int32_t instance = limit - bank->output[k].at;
            if (instance < 0 || instance >= bank->count) continue;
            wlm_names_write(text, bytes, kind->name, all, before + instance, "limit");
            place = kind->limit[k].place;
        }
    }
    return place;
}

int32_t wlm_layout_find(const wlm_layout *l, const char *text, wlm_memory *memory)
{
    int32_t length;
    int64_t number, all;
    const char *name;
    if (!wlm_names_split(text, &length, &number, &name)) return -1;
    for (const wlm_block *b = l->block; b < l->block + l->blocks; b++) {
        if (!wlm_word_is((wlm_word){text, length}, b->owner) || strcmp(name, b->name) != 0) continue;
        all = b->count;
        int64_t at = number - (b->use >= 0 ? wlm_layout_instances_before(l->model, b->use, &all) : 0);
        if (at < 0 || at >= b->count || (text[length] == '.' && all > 1)) continue;
        *memory = b->memory;
        return (int32_t)(b->first + at);
    }
    return -1;
}
