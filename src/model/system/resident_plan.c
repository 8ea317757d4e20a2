/* Plans where the arrays of a resident system stand in its block. */
#include <string.h>

#include "model/system/resident_parts.h"

enum { ALIGN = 256, REAL = sizeof(double) };

/* Returns the place of so many bytes more. */
static int64_t take(wlm_resident_plan *p, int64_t bytes)
{
    int64_t at = p->bytes;
    p->bytes += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return at;
}

/* Returns the place of a copy of an array, each once; -1: there is no memory. */
static int64_t copy_of(wlm_resident_plan *p, const void *host, int64_t bytes)
{
    for (int32_t i = 0; i < p->items; i++)
        if (p->item[i].host == host && p->item[i].bytes == bytes) return p->item[i].at;
    if (p->items == p->room) {
        int32_t room = 2 * p->room + 64;
        wlm_resident_item *more = WLU_ALLOC(p->ctx, room, wlm_resident_item);
        if (more == NULL) return -1;
        if (p->items > 0) memcpy(more, p->item, (size_t)p->items * sizeof *more);
        wlu_free(p->ctx, p->item);
        p->item = more;
        p->room = room;
    }
    int64_t at = take(p, bytes);
    p->item[p->items++] = (wlm_resident_item){host, bytes, at};
    return at;
}

/* Places what the instances of a use are given. */
static int place_inputs(wlm_resident_plan *p, const wlm_bank *bank, int64_t *input)
{
    for (int32_t i = 0; i < bank->inputs; i++) {
        const wlm_bank_input *in = &bank->input[i];
        input[i] = -1;
        if (in->source == WLM_SOURCE_PARAMETER)
            input[i] = copy_of(p, in->parameter, (int64_t)bank->count * REAL);
        else if (in->source == WLM_SOURCE_MEMORY && !in->in_order)
            input[i] = copy_of(p, in->where.node, (int64_t)bank->count * (int64_t)sizeof(int32_t));
        else
            continue;
        if (input[i] < 0) return 0;
    }
    return 1;
}

/* Returns the most contributions that a target has. */
static int32_t most_of(const wlm_gather *gather)
{
    int32_t most = 0;
    for (int32_t i = 0; i < gather->targets; i++) {
        int32_t here = gather->ptr[i + 1] - gather->ptr[i];
        most = here > most ? here : most;
    }
    return most;
}

/* Places where instances write sums. */
static int place_targets(wlm_resident_plan *p, wlm_resident_pass *to)
{
    to->target = WLU_CALLOC(p->ctx, to->pass->uses, int64_t *);
    if (to->target == NULL) return 0;
    for (int32_t u = 0; u < to->pass->uses; u++) {
        const wlm_bank *bank = &to->pass->bank[u];
        to->target[u] = WLU_ALLOC(p->ctx, bank->addends, int64_t);
        if (to->target[u] == NULL) return 0;
        for (int32_t a = 0; a < bank->addends; a++) {
            const int32_t *node = bank->addend[a].row.node;
            int64_t bytes = (int64_t)bank->count * (int64_t)sizeof *node;
            to->target[u][a] = node != NULL ? copy_of(p, node, bytes) : -1;
            if (node != NULL && to->target[u][a] < 0) return 0;
        }
    }
    return 1;
}

/* Lists contributions by targets, as many words for each. */
static int make_table(wlm_resident_plan *p, wlm_resident_pass *to)
{
    const wlm_gather *g = to->gather;
    to->table = WLU_ALLOC(p->ctx, (int64_t)to->width * g->targets, int32_t);
    for (int32_t i = 0; to->table != NULL && i < g->targets; i++)
        for (int32_t k = 0; k < to->width; k++) {
            int32_t at = g->ptr[i] + k, none = at == g->ptr[i] ? p->nothing + 1 : p->nothing;
            to->table[(int64_t)k * g->targets + i] = at < g->ptr[i + 1] ? g->idx[at] : none;
        }
    return to->table != NULL;
}

/* Places what sums are found by. */
static int place_sums(wlm_resident_plan *p, wlm_resident_pass *to, int is_level)
{
    const wlm_gather *g = to->gather;
    int32_t most = most_of(g);
    int64_t word = sizeof(int32_t);
    if (g->targets == 0) return 1;
    if (is_level && most <= 1) return place_targets(p, to);
    if (most <= WLM_RESIDENT_WIDTH) {
        to->width = most > 0 ? most : 1;
        to->idx = make_table(p, to) ? copy_of(p, to->table, (int64_t)to->width * g->targets * word) : -1;
    } else {
        to->ptr = copy_of(p, g->ptr, ((int64_t)g->targets + 1) * word);
        to->idx = copy_of(p, g->idx, g->ptr[g->targets] * word);
    }
    return to->ptr >= 0 && to->idx >= 0;
}

static int place_pass(wlm_resident_plan *p, wlm_resident_pass *to, int is_level)
{
    const wlm_pass *pass = to->pass;
    to->input = WLU_CALLOC(p->ctx, pass->uses, int64_t *);
    if (to->input == NULL) return 0;
    for (int32_t u = 0; u < pass->uses; u++) {
        to->input[u] = WLU_ALLOC(p->ctx, pass->bank[u].inputs, int64_t);
        if (to->input[u] == NULL || !place_inputs(p, &pass->bank[u], to->input[u])) return 0;
    }
    return place_sums(p, to, is_level);
}

static int place_passes(wlm_resident_plan *p)
{
    wlm_system *s = p->transient->system;
    const wlm_pass *rates = p->transient->facts->family == WLM_FAMILY_GATES ? &s->update : &s->values;
    p->passes = s->layout->levels + 1;
    p->pass = WLU_CALLOC(p->ctx, p->passes, wlm_resident_pass);
    if (p->pass == NULL) return 0;
    for (int32_t k = 0; k < p->passes; k++) {
        int is_level = k + 1 < p->passes;
        const wlm_pass *pass = p->pass[k].pass = is_level ? &s->level[k] : rates;
        p->pass[k].gather = is_level ? &pass->sum : &pass->f;
        if (pass->contributions > p->nothing) p->nothing = pass->contributions;
    }
    for (int32_t k = 0; k < p->passes; k++)
        if (!place_pass(p, &p->pass[k], k + 1 < p->passes)) return 0;
    p->contributions = take(p, ((int64_t)p->nothing + 2) * REAL);
    return 1;
}

/* Lists the tables that programs look up. */
static warplu_status list_tables(wlm_resident_plan *p)
{
    int32_t programs = 0, at = 0;
    for (int32_t k = 0; k < p->passes; k++) programs += p->pass[k].pass->uses;
    const wlm_program **program = WLU_ALLOC(p->ctx, programs, const wlm_program *);
    if (program == NULL) return wlu_fail_memory(p->ctx, "a network on a device");
    for (int32_t k = 0; k < p->passes; k++)
        for (int32_t u = 0; u < p->pass[k].pass->uses; u++) program[at++] = p->pass[k].pass->bank[u].program;
    warplu_status status = wlm_device_tables_create(p->ctx, program, programs, &p->lookups);
    wlu_free(p->ctx, program);
    p->lookups.word = WLM_RA_TABLES;
    p->tables = take(p, p->lookups.numbers * REAL);
    return status;
}

static int place_all(wlm_resident_plan *p)
{
    const wlm_transient *s = p->transient;
    const wlm_layout *l = s->system->layout;
    p->record = take(p, WLM_RESIDENT_WORDS * REAL);
    for (int k = 0; k < 2; k++) p->y[k] = take(p, (int64_t)s->n * REAL);
    p->at = take(p, (int64_t)s->n * REAL);
    p->rates = take(p, p->stages * (int64_t)s->n * REAL);
    p->sums = take(p, (int64_t)l->sums * REAL);
    p->mass = copy_of(p, s->mass, (int64_t)l->node_n * REAL);
    p->fixed = copy_of(p, l->fixed_value, (int64_t)l->fixed * REAL);
    return p->mass >= 0 && p->fixed >= 0 && place_passes(p);
}

warplu_status wlm_resident_plan_make(const wlm_transient *s, wlm_resident_plan *out)
{
    const wlm_explicit *e = s->facts->explicit;
    *out = (wlm_resident_plan){.ctx = s->ctx, .transient = s, .stages = e != NULL ? e->stages : 1};
    out->loops = s->options.step > 0.0 && !s->events.has_sign;
    for (int32_t i = 0; i < s->system->layout->node_n; i++) out->has_masses |= s->mass[i] != 1.0;
    warplu_status status = place_all(out) ? list_tables(out) : wlu_fail_memory(s->ctx, "a network on a device");
    if (status != WARPLU_SUCCESS) wlm_resident_plan_free(out);
    return status;
}

void wlm_resident_plan_free(wlm_resident_plan *plan)
{
    for (int32_t k = 0; plan->pass != NULL && k < plan->passes; k++) {
        wlm_resident_pass *pass = &plan->pass[k];
        for (int32_t u = 0; pass->input != NULL && u < pass->pass->uses; u++) wlu_free(plan->ctx, pass->input[u]);
        for (int32_t u = 0; pass->target != NULL && u < pass->pass->uses; u++) wlu_free(plan->ctx, pass->target[u]);
        wlu_free(plan->ctx, pass->input);
        wlu_free(plan->ctx, pass->target);
        wlu_free(plan->ctx, pass->table);
    }
    wlu_free(plan->ctx, plan->pass);
    wlu_free(plan->ctx, plan->item);
    wlm_device_tables_free(plan->ctx, &plan->lookups);
}
