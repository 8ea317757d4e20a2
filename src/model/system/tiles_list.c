/* Numbers what a tile computes, and lists what its slots, sums and unknowns read. */
#include "model/system/tiles_parts.h"

static int32_t most(int32_t a, int64_t b)
{
    return b > a ? (int32_t)b : a;
}

static int32_t outputs_of(const wlm_tile_pass *p, int32_t use)
{
    int32_t count = 0;
    for (int32_t o = 0; o < p->pass->bank[use].outputs; o++) count += p->place[use][o] >= 0;
    return count;
}

/* Returns the local number of a contribution, as an idx names it. */
static int32_t local_of(const wlm_tile_maker *m, int32_t pass, int32_t idx)
{
    const wlm_tile_pass *p = &m->t->pass[pass];
    int32_t output, instance, use = wlm_tile_find(p, wlm_gather_place(idx), &output, &instance);
    int32_t local = m->needs[pass][use].local[instance] + p->place[use][output] * WLM_TILE_LANES;
    return idx < 0 ? ~local : local;
}

/* Lists the parts of a sum: blocks of contributions, each filled up with nothing. */
static void list_parts(wlm_tile_maker *m, int32_t pass, int32_t begin, int32_t count, wlm_tile_sums *to)
{
    const wlm_gather *g = m->t->pass[pass].gather;
    wlm_words_add(m, &to->part, (int32_t)to->begin.count);
    for (int32_t k = 0; k == 0 || k < count; k += WLM_GATHER_BLOCK) {
        wlm_words_add(m, &to->begin, (int32_t)to->word.count);
        int32_t end = count - k < WLM_GATHER_BLOCK ? count : k + WLM_GATHER_BLOCK;
        for (int32_t j = k; j < end; j++) wlm_words_add(m, &to->word, local_of(m, pass, g->idx[begin + j]));
        if (count == 0) wlm_words_add(m, &to->word, WLM_TILE_ZERO);
        while (to->word.count % WLM_TILE_AT_ONCE != 0 && m->enough) wlm_words_add(m, &to->word, WLM_TILE_NOTHING);
    }
}

/* Lists the words of a sum whose contributions are those of a target. */
static void list_sum(wlm_tile_maker *m, int32_t pass, int32_t target, wlm_tile_sums *to)
{
    const wlm_gather *g = m->t->pass[pass].gather;
    int32_t begin = g->ptr[target], count = g->ptr[target + 1] - begin;
    if (to->width == 0) list_parts(m, pass, begin, count, to);
    for (int32_t k = 0; k < to->width; k++)
        wlm_words_add(m, &to->word,
                      k < count ? local_of(m, pass, g->idx[begin + k])
                      : k == 0  ? WLM_TILE_ZERO
                                : WLM_TILE_NOTHING);
}

static int64_t sums_of(const wlm_tile_sums *s)
{
    return s->width > 0 ? s->word.count / s->width : s->part.count;
}

/* Numbers what the parts of a tile's sums come to. */
static void number_parts(wlm_tile_maker *m, wlm_tile_sums *s)
{
    wlm_words_add(m, &s->part_local, (int32_t)m->numbers);
    m->numbers += s->begin.count - s->first_part.word[s->first_part.count - 1];
}

/* --------------------------------------------------------------------- rows */

/* Returns a word of a lane: what an input of its instance is, or where. */
static int32_t word_of(const wlm_tile_maker *m, const wlm_bank_input *in, int32_t instance)
{
    if (in->memory == WLM_MEMORY_SUMS) return m->local[wlm_where_at(&in->where, instance)];
    return in->where.node[instance];
}

/* Lists the rows of a slot: word by word, its lanes. */
static void list_rows(wlm_tile_maker *m, wlm_tile_pass *p, int32_t use, const int32_t *instance, int64_t lanes)
{
    const wlm_bank *bank = &p->pass->bank[use];
    for (int32_t w = 0; w < p->words; w++) {
        int32_t k = 0;
        while (w > 0 && k < bank->inputs && p->named[use][k] != w) k++;
        for (int64_t lane = 0; lane < WLM_TILE_LANES; lane++) {
            int32_t word = w == 0 ? -1 : 0;
            if (lane < lanes && (w == 0 || k < bank->inputs))
                word = w == 0 ? instance[lane] : word_of(m, &bank->input[k], instance[lane]);
            wlm_words_add(m, &p->row, word);
        }
    }
}

/* Lists the slots of a pass. */
static void list_slots(wlm_tile_maker *m, int32_t pass)
{
    wlm_tile_pass *p = &m->t->pass[pass];
    for (int32_t u = 0; u < p->pass->uses; u++) {
        wlm_tile_needs *n = &m->needs[pass][u];
        for (int64_t i = 0; i < n->instance.count; i += WLM_TILE_LANES) {
            int64_t lanes = n->instance.count - i < WLM_TILE_LANES ? n->instance.count - i : WLM_TILE_LANES;
            for (int64_t lane = 0; lane < lanes; lane++)
                n->local[n->instance.word[i + lane]] = (int32_t)(m->numbers + lane);
            wlm_words_add(m, &p->use, u);
            wlm_words_add(m, &p->local, (int32_t)m->numbers);
            list_rows(m, p, u, n->instance.word + i, lanes);
            m->numbers += outputs_of(p, u) * WLM_TILE_LANES;
            m->t->computed += lanes;
        }
    }
}

/* Numbers the sums of a level: a contribution that is added alone is its sum. */
static void list_sums(wlm_tile_maker *m, int32_t pass)
{
    wlm_tile_pass *p = &m->t->pass[pass];
    wlm_words_add(m, &p->sum_local, (int32_t)m->numbers);
    for (int64_t k = 0; k < m->wanted[pass].count; k++) {
        int32_t sum = m->wanted[pass].word[k], target = sum - p->pass->first_sum, begin = p->gather->ptr[target];
        int32_t count = p->gather->ptr[target + 1] - begin;
        if (count == 0) {
            m->local[sum] = WLM_TILE_ZERO;
        } else if (count == 1 && p->gather->idx[begin] >= 0) {
            m->local[sum] = local_of(m, pass, p->gather->idx[begin]);
        } else {
            m->local[sum] = (int32_t)m->numbers++;
            list_sum(m, pass, target, &p->sum);
        }
    }
    if (m->enough) number_parts(m, &p->sum);
}

/* ------------------------------------------------------------------ unknowns */

static void list_own(wlm_tile_maker *m, int64_t first_node)
{
    wlm_tiles *t = m->t;
    int32_t last = t->passes - 1;
    const wlm_tile_pass *p = &t->pass[last];
    for (int64_t k = first_node; k < t->node.count; k++) list_sum(m, last, t->node.word[k], &t->rate);
    if (m->enough) number_parts(m, &t->rate);
    for (int32_t u = 0; u < p->pass->uses; u++) {
        const wlm_bank *bank = &p->pass->bank[u];
        int32_t begin = wlm_tile_share(m, m->tile, bank->count);
        int32_t end = wlm_tile_share(m, m->tile + 1, bank->count);
        for (int32_t o = 0; o < bank->outputs; o++)
            for (int32_t i = begin; bank->output[o].to_vector && i < end; i++) {
                wlm_words_add(m, &t->state, bank->output[o].at + i);
                wlm_words_add(m, &t->state_local, m->needs[last][u].local[i] + p->place[u][o] * WLM_TILE_LANES);
            }
    }
}

static void begin_sums(wlm_tile_maker *m, wlm_tile_sums *s)
{
    wlm_words_add(m, &s->first, (int32_t)sums_of(s));
    wlm_words_add(m, &s->first_part, (int32_t)s->begin.count);
}

/* Begins the lists of the tile, or ends those of the last one. */
static void begin_lists(wlm_tile_maker *m)
{
    wlm_tiles *t = m->t;
    for (int32_t k = 0; k < t->passes; k++) {
        wlm_words_add(m, &t->pass[k].first, (int32_t)t->pass[k].use.count);
        begin_sums(m, &t->pass[k].sum);
    }
    begin_sums(m, &t->rate);
    wlm_words_add(m, &t->state_first, (int32_t)t->state.count);
}

/* Closes lists of sums behind the last tile: tables are turned to [word][sum]. */
static void close_sums(wlm_tile_maker *m, wlm_tile_sums *s)
{
    if (s->width == 0) {
        wlm_words_add(m, &s->part, (int32_t)s->begin.count);
        wlm_words_add(m, &s->begin, (int32_t)s->word.count);
        return;
    }
    int64_t sums = s->word.count / s->width;
    int32_t *turned = WLU_ALLOC(m->t->ctx, s->word.count, int32_t);
    if (turned == NULL) {
        m->enough = 0;
        return;
    }
    for (int64_t i = 0; i < s->word.count; i++) turned[i % s->width * sums + i / s->width] = s->word.word[i];
    wlu_free(m->t->ctx, s->word.word);
    s->word.word = turned;
    s->word.room = s->word.count;
}

/* Says where places of this tile, or of all lists so far, do not fit their words. */
static void check_sizes(wlm_tile_maker *m)
{
    const wlm_tiles *t = m->t;
    int64_t size = m->numbers;
    for (int32_t k = 0; k < t->passes; k++) {
        const wlm_tile_sums *sums = k + 1 < t->passes ? &t->pass[k].sum : &t->rate;
        if (sums->word.count > size) size = sums->word.count;
        if (t->pass[k].use.count > size) size = t->pass[k].use.count;
    }
    m->overflows = size > INT32_MAX;
    m->enough = m->enough && !m->overflows;
}

void wlm_tile_list(wlm_tile_maker *m)
{
    wlm_tiles *t = m->t;
    int is_end = m->tile == t->tiles;
    int64_t first_node = is_end ? t->node.count : sums_of(&t->rate), first_state = t->state.count;
    begin_lists(m);
    m->numbers = WLM_TILE_FIRST;
    for (int32_t k = 0; k < t->passes && m->enough; k++) {
        int64_t slots = t->pass[k].use.count;
        if (!is_end) list_slots(m, k);
        list_sums(m, k);
        t->slots = most(t->slots, t->pass[k].use.count - slots);
        if (is_end) close_sums(m, &t->pass[k].sum);
        for (int32_t u = 0; !is_end && u < t->pass[k].pass->uses; u++) {
            if (k + 1 < t->passes) m->needs[k][u].instance.count = 0;
        }
        m->wanted[k].count = 0;
    }
    if (is_end) close_sums(m, &t->rate);
    if (!is_end) list_own(m, first_node);
    for (int32_t u = 0; u < t->pass[t->passes - 1].pass->uses; u++) m->needs[t->passes - 1][u].instance.count = 0;
    check_sizes(m);
    t->numbers = most(t->numbers, m->numbers);
    t->nodes = most(t->nodes, t->node.count - first_node);
    t->states = most(t->states, t->state.count - first_state);
}
