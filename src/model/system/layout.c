/* Lays out blocks of unknowns, sums and fixed numbers, and finds levels of sums. */
#include "model/system/layout.h"

#include <string.h>

const wlm_block *wlm_layout_port(const wlm_layout *l, int32_t use, int32_t port_quantity)
{
    const wlm_use *u = &l->model->use[use];
    const wlm_port_quantity *p = &l->model->kind[u->kind].port_quantity[port_quantity];
    return &l->block[l->set_block[u->set[p->port]] + u->quantity[port_quantity]];
}

/* ------------------------------------------------------------------- blocks */

static warplu_status add_block(wlm_layout *l, wlm_block block)
{
    int32_t *end = block.memory == WLM_MEMORY_UNKNOWNS ? &l->n : block.memory == WLM_MEMORY_SUMS ? &l->sums : &l->fixed;
    if (*end > INT32_MAX - 1 - block.count) return wlu_fail(l->ctx, WARPLU_OVERFLOW, "more than 2^31 - 2 unknowns");
    block.first = *end;
    l->block[l->blocks++] = block;
    *end += block.count;
    return WARPLU_SUCCESS;
}

static warplu_status number_nodes(wlm_layout *l)
{
    for (int32_t s = 0; s < l->model->sets; s++) {
        const wlm_set *set = &l->model->set[s];
        l->set_block[s] = l->blocks;
        for (int32_t q = 0; q < set->quantities; q++) {
            const wlm_quantity *quantity = &set->quantity[q];
            wlm_block block = {.count = set->count,
                               .use = -1,
                               .quantity = quantity,
                               .owner = set->name,
                               .name = quantity->name,
                               .place = quantity->place,
                               .equation = quantity->place};
            if (quantity->type == WLM_FIXED) block.memory = WLM_MEMORY_FIXED;
            if (quantity->type == WLM_SUM && !l->sums_are_unknowns) block.memory = WLM_MEMORY_SUMS;
            warplu_status status = add_block(l, block);
            if (status != WARPLU_SUCCESS) return status;
        }
    }
    l->node_blocks = l->blocks;
    l->node_n = l->n;
    return WARPLU_SUCCESS;
}

static warplu_status number_instances(wlm_layout *l, int all)
{
    for (int32_t u = 0; u < l->model->uses; u++) {
        const wlm_use *use = &l->model->use[u];
        const wlm_kind *kind = &l->model->kind[use->kind];
        if (kind->closings != kind->unknowns)
            return wlu_fail(l->ctx, WARPLU_MODEL_EQUATIONS,
                            "line " WLM_LINE_FORMAT ": %s has %d unknowns and %d equations that close them",
                            WLM_LINE(kind->place), kind->name, kind->unknowns, kind->closings);
        l->use_block[u] = l->blocks;
        warplu_status status = WARPLU_SUCCESS;
        wlm_block block = {.count = all || l->taken[u] ? use->count : 0, .use = u, .owner = kind->name};
        for (int32_t k = 0; k < kind->states && status == WARPLU_SUCCESS; k++) {
            block.state = &kind->state[k];
            block.name = kind->state[k].name, block.place = block.equation = kind->state[k].place;
            status = add_block(l, block);
        }
        block.state = NULL;
        for (int32_t k = 0; k < kind->unknowns && status == WARPLU_SUCCESS; k++) {
            block.name = kind->unknown[k].name, block.place = kind->unknown[k].place;
            block.equation = kind->closing[k].place;
            status = add_block(l, block);
        }
        if (status != WARPLU_SUCCESS) return status;
    }
    return WARPLU_SUCCESS;
}

static void fill_fixed(wlm_layout *l)
{
    for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++)
        if (b->memory == WLM_MEMORY_FIXED && b->count > 0)
            memcpy(l->fixed_value + b->first, b->quantity->value, (size_t)b->count * sizeof(double));
}

/* ------------------------------------------------------------------- levels */

/* Returns the level at which a contribution that needs these leaves can be computed: one above the sums that it
 * reads, 0 without any. */
static int32_t level_of(const wlm_layout *l, int32_t use, const unsigned char *needed_leaf)
{
    const wlm_kind *kind = &l->model->kind[l->model->use[use].kind];
    int32_t level = 0;
    for (int32_t k = 0; k < kind->leaves; k++) {
        if (!needed_leaf[k] || kind->leaf[k].type != WLM_LEAF_PORT) continue;
        const wlm_block *block = wlm_layout_port(l, use, kind->leaf[k].index);
        if (block->memory == WLM_MEMORY_SUMS && block->level >= level) level = block->level + 1;
    }
    return level;
}

/* Raises the levels of sums that a use adds to; *raised counts them. needed: leaves that each contribution needs. */
static void raise_levels(wlm_layout *l, int32_t use, const unsigned char *needed, int32_t *raised)
{
    const wlm_kind *kind = &l->model->kind[l->model->use[use].kind];
    for (int32_t c = 0; c < kind->contributions; c++) {
        const wlm_block *to = wlm_layout_port(l, use, kind->contribution[c].quantity);
        if (to->memory != WLM_MEMORY_SUMS) continue;
        int32_t level = level_of(l, use, needed + (int64_t)c * kind->leaves);
        if (level <= to->level) continue;
        l->block[to - l->block].level = level;
        (*raised)++;
    }
}

/* Gives each sum the highest level of its contributions, by as many passes as there are levels. */
static warplu_status find_levels(wlm_layout *l, unsigned char **needed)
{
    int32_t raised = 1, sums = 0;
    for (int32_t b = 0; b < l->blocks; b++) sums += l->block[b].memory == WLM_MEMORY_SUMS;
    for (int32_t pass = 0; raised > 0; pass++) {
        raised = 0;
        for (int32_t u = 0; u < l->model->uses; u++)
            if (l->taken[u]) raise_levels(l, u, needed[l->model->use[u].kind], &raised);
        if (raised == 0 || pass <= sums) continue;
        for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++)
            if (b->level > sums)
                return wlu_fail(l->ctx, WARPLU_MODEL_EQUATIONS,
                                "line " WLM_LINE_FORMAT
                                ": some of the sums %s.%s need others of them, and explicit methods of large "
                                "systems compute them all at once: take an implicit one, or lanes that are members",
                                WLM_LINE(b->place), b->owner, b->name);
    }
    for (int32_t b = 0; b < l->blocks; b++)
        if (l->block[b].memory == WLM_MEMORY_SUMS && l->block[b].level >= l->levels) l->levels = l->block[b].level + 1;
    return WARPLU_SUCCESS;
}

/* Numbers sums by level, so that those of one level stand together. */
static void renumber_sums(wlm_layout *l)
{
    int32_t next = 0;
    for (int32_t level = 0; level < l->levels; level++)
        for (int32_t b = 0; b < l->blocks; b++)
            if (l->block[b].memory == WLM_MEMORY_SUMS && l->block[b].level == level) {
                l->block[b].first = next;
                next += l->block[b].count;
            }
}

static warplu_status order_sums(wlm_layout *l)
{
    if (l->sums == 0) return WARPLU_SUCCESS;
    warplu_status status = WARPLU_SUCCESS;
    unsigned char **needed = WLU_CALLOC(l->ctx, l->model->kinds, unsigned char *);
    if (needed == NULL) return wlu_fail_memory(l->ctx, "sums");
    for (int32_t k = 0; k < l->model->kinds && status == WARPLU_SUCCESS; k++) {
        const wlm_kind *kind = &l->model->kind[k];
        needed[k] = WLU_ALLOC(l->ctx, (int64_t)kind->contributions * kind->leaves, unsigned char);
        if (needed[k] == NULL) status = wlu_fail_memory(l->ctx, "sums");
        for (int32_t c = 0; c < kind->contributions && status == WARPLU_SUCCESS; c++)
            status = wlm_graph_reads(kind->graph, &kind->contribution[c].flow, 1, kind->leaves,
                                     needed[k] + (int64_t)c * kind->leaves);
    }
    if (status == WARPLU_SUCCESS) status = find_levels(l, needed);
    if (status == WARPLU_SUCCESS) renumber_sums(l);
    for (int32_t k = 0; k < l->model->kinds; k++) wlu_free(l->ctx, needed[k]);
    wlu_free(l->ctx, needed);
    return status;
}

/* -------------------------------------------------------------------- whole */

static warplu_status fill(wlm_layout *l, const wlm_layout_choice *choice)
{
    const wlm_model *model = l->model;
    int64_t blocks = 0;
    for (int32_t s = 0; s < model->sets; s++) blocks += model->set[s].quantities;
    for (int32_t u = 0; u < model->uses; u++)
        blocks += model->kind[model->use[u].kind].states + model->kind[model->use[u].kind].unknowns;
    l->block = WLU_ALLOC(l->ctx, blocks, wlm_block);
    l->set_block = WLU_ALLOC(l->ctx, model->sets, int32_t);
    l->use_block = WLU_ALLOC(l->ctx, model->uses, int32_t);
    l->taken = WLU_ALLOC(l->ctx, model->uses, unsigned char);
    if (l->block == NULL || l->set_block == NULL || l->use_block == NULL || l->taken == NULL)
        return wlu_fail_memory(l->ctx, "layout");
    for (int32_t u = 0; u < model->uses; u++) l->taken[u] = choice->taken == NULL || choice->taken[u];
    warplu_status status = number_nodes(l);
    if (status == WARPLU_SUCCESS) status = number_instances(l, choice->number_all);
    if (status == WARPLU_SUCCESS && l->n == 0)
        status = wlu_fail(l->ctx, WARPLU_MODEL_EQUATIONS,
                          "the model has no unknowns, which split and lanes that are instances need");
    if (status == WARPLU_SUCCESS) status = order_sums(l);
    if (status != WARPLU_SUCCESS) return status;
    l->fixed_value = WLU_ALLOC(l->ctx, l->fixed, double);
    if (l->fixed_value == NULL) return wlu_fail_memory(l->ctx, "layout");
    fill_fixed(l);
    return WARPLU_SUCCESS;
}

warplu_status wlm_layout_create(wlu_context *ctx, const wlm_model *model, const wlm_layout_choice *choice,
                                wlm_layout **out)
{
    *out = NULL;
    wlm_layout *l = WLU_CALLOC(ctx, 1, wlm_layout);
    if (l == NULL) return wlu_fail_memory(ctx, "layout");
    l->ctx = ctx;
    l->model = model;
    l->sums_are_unknowns = choice->sums_are_unknowns;
    warplu_status status = fill(l, choice);
    if (status != WARPLU_SUCCESS) wlm_layout_destroy(&l);
    *out = l;
    return status;
}

void wlm_layout_destroy(wlm_layout **layout)
{
    wlm_layout *l = *layout;
    if (l == NULL) return;
    wlu_free(l->ctx, l->taken);
    wlu_free(l->ctx, l->set_block);
    wlu_free(l->ctx, l->use_block);
    wlu_free(l->ctx, l->block);
    wlu_free(l->ctx, l->fixed_value);
    wlu_free(l->ctx, l);
    *layout = NULL;
}
