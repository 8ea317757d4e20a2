/* Makes tiles, one after the other: what each needs, from its unknowns back to what they are computed from. */
#include "model/system/tiles.h"

#include <stdlib.h>

#include "model/system/tiles_parts.h"

void wlm_words_add(wlm_tile_maker *m, wlm_words *to, int32_t word)
{
    if (to->count == to->room) {
        int64_t room = 2 * to->room + 64;
        int32_t *more = wlu_resize(m->t->ctx, to->word, to->count, room, sizeof *more);
        if (more == NULL) {
            m->enough = 0;
            return;
        }
        to->word = more;
        to->room = room;
    }
    to->word[to->count++] = word;
}

int32_t wlm_tile_find(const wlm_tile_pass *p, int32_t contribution, int32_t *output, int32_t *instance)
{
    int32_t low = 0, high = p->pass->uses - 1;
    while (low < high) { /* the last use whose contributions begin at it or before */
        int32_t middle = high - (high - low) / 2;
        if (p->begins[middle] <= contribution)
            low = middle;
        else
            high = middle - 1;
    }
    const wlm_bank *bank = &p->pass->bank[low];
    int32_t o = 0;
    while (bank->output[o].to_vector || contribution - bank->output[o].at >= bank->count) o++;
    *output = o;
    *instance = contribution - bank->output[o].at;
    return low;
}

/* -------------------------------------------------------------------- needs */

static void need(wlm_tile_maker *m, int32_t pass, int32_t use, int32_t instance)
{
    wlm_tile_needs *n = &m->needs[pass][use];
    if (n->stamp[instance] == m->tile) return;
    n->stamp[instance] = m->tile;
    wlm_words_add(m, &n->instance, instance);
}

/* Needs all instances that add to a target. */
static void need_target(wlm_tile_maker *m, int32_t pass, int32_t target)
{
    const wlm_tile_pass *p = &m->t->pass[pass];
    for (int32_t k = p->gather->ptr[target]; k < p->gather->ptr[target + 1]; k++) {
        int32_t output, instance, use = wlm_tile_find(p, wlm_gather_place(p->gather->idx[k]), &output, &instance);
        need(m, pass, use, instance);
    }
}

/* Lists the tile's own unknowns, and needs what computes them. */
static void need_own(wlm_tile_maker *m)
{
    wlm_tiles *t = m->t;
    const wlm_layout *l = m->transient->system->layout;
    int32_t last = t->passes - 1;
    const wlm_pass *pass = t->pass[last].pass;
    for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++)
        for (int32_t i = wlm_tile_share(m, m->tile, b->count);
             b->memory == WLM_MEMORY_UNKNOWNS && i < wlm_tile_share(m, m->tile + 1, b->count); i++) {
            wlm_words_add(m, &t->node, b->first + i);
            need_target(m, last, b->first + i);
        }
    for (int32_t u = 0; u < pass->uses; u++) {
        const wlm_bank *bank = &pass->bank[u];
        for (int32_t i = wlm_tile_share(m, m->tile, bank->count); i < wlm_tile_share(m, m->tile + 1, bank->count); i++)
            for (int32_t o = 0; o < bank->outputs; o++)
                if (bank->output[o].to_vector) need(m, last, u, i);
    }
}

/* Returns the level whose sum this is. */
static int32_t level_of(const wlm_tile_maker *m, int32_t sum)
{
    int32_t k = 0;
    while (sum < m->t->pass[k].pass->first_sum || sum >= m->t->pass[k].pass->last_sum) k++;
    return k;
}

/* Wants the sums that the instances of a pass read. */
static void want_sums(wlm_tile_maker *m, int32_t pass)
{
    const wlm_pass *p = m->t->pass[pass].pass;
    for (int32_t u = 0; u < p->uses; u++)
        for (int32_t k = 0; k < p->bank[u].inputs; k++) {
            const wlm_bank_input *in = &p->bank[u].input[k];
            const wlm_words *needed = &m->needs[pass][u].instance;
            for (int64_t i = 0; i < needed->count; i++) {
                if (in->source != WLM_SOURCE_MEMORY || in->memory != WLM_MEMORY_SUMS) break;
                int32_t sum = wlm_where_at(&in->where, needed->word[i]);
                if (m->stamp[sum] == m->tile) continue;
                m->stamp[sum] = m->tile;
                wlm_words_add(m, &m->wanted[level_of(m, sum)], sum);
            }
        }
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static void sort(wlm_words *w)
{
    int64_t i = 1;
    while (i < w->count && w->word[i - 1] <= w->word[i]) i++;
    if (i < w->count) qsort(w->word, (size_t)w->count, sizeof *w->word, compare);
}

void wlm_tile_need(wlm_tile_maker *m)
{
    need_own(m);
    for (int32_t k = m->t->passes - 1; k >= 0 && m->enough; k--) {
        const wlm_tile_pass *p = &m->t->pass[k];
        for (int64_t i = 0; k < m->t->passes - 1 && i < m->wanted[k].count; i++)
            need_target(m, k, m->wanted[k].word[i] - p->pass->first_sum);
        for (int32_t u = 0; u < p->pass->uses; u++) sort(&m->needs[k][u].instance);
        sort(&m->wanted[k]);
        want_sums(m, k);
    }
}

/* -------------------------------------------------------------------- whole */

static int open_needs(wlm_tile_maker *m, int32_t pass)
{
    const wlm_pass *p = m->t->pass[pass].pass;
    m->needs[pass] = WLU_CALLOC(m->t->ctx, p->uses, wlm_tile_needs);
    if (m->needs[pass] == NULL) return 0;
    for (int32_t u = 0; u < p->uses; u++) {
        wlm_tile_needs *n = &m->needs[pass][u];
        int64_t count = p->bank[u].outputs > 0 ? p->bank[u].count : 0;
        n->stamp = WLU_ALLOC(m->t->ctx, count, int32_t);
        n->local = WLU_ALLOC(m->t->ctx, count, int32_t);
        if (n->stamp == NULL || n->local == NULL) return 0;
        for (int64_t i = 0; i < count; i++) n->stamp[i] = -1;
        m->t->instances += count;
    }
    return 1;
}

static int open_maker(wlm_tile_maker *m)
{
    wlu_context *ctx = m->t->ctx;
    int64_t sums = m->transient->system->layout->sums;
    m->needs = WLU_CALLOC(ctx, m->t->passes, wlm_tile_needs *);
    m->wanted = WLU_CALLOC(ctx, m->t->passes, wlm_words);
    m->stamp = WLU_ALLOC(ctx, sums, int32_t);
    m->local = WLU_ALLOC(ctx, sums, int32_t);
    if (!WLU_ALL_THERE(m->needs, m->wanted, m->stamp, m->local)) return 0;
    for (int64_t i = 0; i < sums; i++) m->stamp[i] = -1;
    int32_t k = 0;
    while (k < m->t->passes && open_needs(m, k)) k++;
    return k == m->t->passes;
}

static void close_maker(wlm_tile_maker *m)
{
    wlu_context *ctx = m->t->ctx;
    for (int32_t k = 0; k < m->t->passes; k++) {
        for (int32_t u = 0; m->needs != NULL && m->needs[k] != NULL && u < m->t->pass[k].pass->uses; u++) {
            wlu_free(ctx, m->needs[k][u].stamp);
            wlu_free(ctx, m->needs[k][u].local);
            wlu_free(ctx, m->needs[k][u].instance.word);
        }
        if (m->needs != NULL) wlu_free(ctx, m->needs[k]);
        if (m->wanted != NULL) wlu_free(ctx, m->wanted[k].word);
    }
    wlu_free(ctx, m->needs);
    wlu_free(ctx, m->wanted);
    wlu_free(ctx, m->stamp);
    wlu_free(ctx, m->local);
}

/* Lists inputs by words of a lane: those of like nodes share one, and sums have one each. */
static int name_inputs(wlm_tiles *t, wlm_tile_pass *p, int32_t use)
{
    const wlm_bank *bank = &p->pass->bank[use];
    int32_t words = 1, *named = p->named[use] = WLU_CALLOC(t->ctx, bank->inputs, int32_t);
    if (named == NULL) return 0;
    for (int32_t k = 0; k < bank->inputs; k++) {
        const wlm_bank_input *in = &bank->input[k];
        int is_sum = in->memory == WLM_MEMORY_SUMS;
        if (in->source != WLM_SOURCE_MEMORY || (in->in_order && !is_sum)) continue;
        for (int32_t j = 0; j < k && !is_sum && named[k] == 0; j++)
            if (named[j] > 0 && bank->input[j].memory != WLM_MEMORY_SUMS && bank->input[j].where.node == in->where.node)
                named[k] = named[j];
        if (named[k] == 0) named[k] = words++;
    }
    if (words > p->words) p->words = words;
    return 1;
}

/* Places the outputs that somebody needs; charges are not, for explicit methods have masses. */
static int place_outputs(wlm_tiles *t, wlm_tile_pass *p, int32_t use)
{
    const wlm_bank *bank = &p->pass->bank[use];
    int32_t count = 0, *place = p->place[use] = WLU_ALLOC(t->ctx, bank->outputs, int32_t);
    if (place == NULL) return 0;
    for (int32_t o = 0; o < bank->outputs; o++) {
        int needed = bank->output[o].to_vector;
        for (int32_t a = 0; a < bank->addends; a++)
            needed |= bank->addend[a].output == o && bank->addend[a].role != WLM_ROLE_Q;
        place[o] = needed ? count++ : -1;
    }
    return 1;
}

static int open_pass(wlm_tiles *t, wlm_tile_pass *p)
{
    const wlm_gather *g = p->gather;
    p->named = WLU_CALLOC(t->ctx, p->pass->uses, int32_t *);
    p->place = WLU_CALLOC(t->ctx, p->pass->uses, int32_t *);
    if (p->named == NULL || p->place == NULL) return 0;
    p->begins = WLU_ALLOC(t->ctx, p->pass->uses, int32_t);
    if (p->begins == NULL) return 0;
    p->words = 1;
    for (int32_t u = 0, at = 0; u < p->pass->uses; u++) {
        const wlm_bank *bank = &p->pass->bank[u];
        if (!name_inputs(t, p, u) || !place_outputs(t, p, u)) return 0;
        p->begins[u] = at;
        for (int32_t o = 0; o < bank->outputs; o++) at += bank->output[o].to_vector ? 0 : bank->count;
    }
    int32_t most = 1;
    for (int32_t i = 0; i < g->targets; i++)
        if (g->ptr[i + 1] - g->ptr[i] > most) most = g->ptr[i + 1] - g->ptr[i];
    p->sum.width = most <= WLM_TILE_WIDTH ? most : 0;
    return 1;
}

static int open_passes(wlm_tiles *t, const wlm_transient *s)
{
    wlm_system *system = s->system;
    t->passes = system->layout->levels + 1;
    t->pass = WLU_CALLOC(t->ctx, t->passes, wlm_tile_pass);
    for (int32_t k = 0; t->pass != NULL && k < t->passes; k++) {
        wlm_tile_pass *p = &t->pass[k];
        int is_level = k + 1 < t->passes;
        p->pass = is_level                               ? &system->level[k]
                  : s->facts->family == WLM_FAMILY_GATES ? &system->update
                                                         : &system->values;
        p->gather = is_level ? &p->pass->sum : &p->pass->f;
        if (!open_pass(t, p)) return 0;
    }
    if (t->pass != NULL) t->rate.width = t->pass[t->passes - 1].sum.width;
    return t->pass != NULL;
}

warplu_status wlm_tiles_make(const wlm_transient *transient, int32_t tiles, wlm_tiles *out)
{
    *out = (wlm_tiles){.ctx = transient->ctx, .tiles = tiles};
    wlm_tile_maker m = {.transient = transient, .t = out};
    m.enough = open_passes(out, transient) && open_maker(&m);
    for (m.tile = 0; m.tile <= tiles && m.enough; m.tile++) {
        if (m.tile < tiles) wlm_tile_need(&m);
        if (m.enough) wlm_tile_list(&m);
    }
    close_maker(&m);
    if (m.enough) return WARPLU_SUCCESS;
    wlm_tiles_free(out);
    if (m.overflows)
        return wlu_fail(transient->ctx, WARPLU_OVERFLOW, "more than 2^31 - 1 contributions in a network on a device");
    return wlu_fail_memory(transient->ctx, "tiles of a network");
}

static void free_sums(wlm_tiles *t, wlm_tile_sums *s)
{
    wlm_words *words[] = {&s->first, &s->word, &s->part, &s->begin, &s->first_part, &s->part_local};
    for (int w = 0; w < 6; w++) wlu_free(t->ctx, words[w]->word);
}

void wlm_tiles_free(wlm_tiles *t)
{
    for (int32_t k = 0; t->pass != NULL && k < t->passes; k++) {
        wlm_tile_pass *p = &t->pass[k];
        for (int32_t u = 0; p->named != NULL && u < p->pass->uses; u++) wlu_free(t->ctx, p->named[u]);
        for (int32_t u = 0; p->place != NULL && u < p->pass->uses; u++) wlu_free(t->ctx, p->place[u]);
        wlu_free(t->ctx, p->named);
        wlu_free(t->ctx, p->place);
        wlu_free(t->ctx, p->begins);
        wlm_words *words[] = {&p->first, &p->use, &p->local, &p->row, &p->sum_local};
        for (int w = 0; w < 5; w++) wlu_free(t->ctx, words[w]->word);
        free_sums(t, &p->sum);
    }
    wlm_words *words[] = {&t->node, &t->state, &t->state_first, &t->state_local};
    for (int w = 0; w < 4; w++) wlu_free(t->ctx, words[w]->word);
    free_sums(t, &t->rate);
    wlu_free(t->ctx, t->pass);
    *t = (wlm_tiles){0};
}
