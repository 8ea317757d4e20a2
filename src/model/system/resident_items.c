/* Writes what one thread does for an item: a lane of a slot, a sum, an unknown. */
#include <inttypes.h>

#include "model/device/instructions.h"
#include "model/system/resident_parts.h"

int32_t wlm_resident_word(const wlm_resident_kernel *k, int32_t pass, int word)
{
    return WLM_RW_DESCRIPTION + (pass >= 0 ? pass : k->plan->tiles.passes) * WLM_TILE_OF_PASS + word;
}

wlm_resident_loop wlm_resident_open(const wlm_resident_kernel *k, int32_t first, int32_t own, int32_t stride,
                                    int32_t end)
{
    wlm_ptx *w = k->w;
    wlm_resident_loop l = {.item = w->halves++, .stride = stride, .label = ++w->labels, .behind = ++w->labels};
    int32_t done = w->truths++;
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, %%r%d;", (int)l.item, (int)first, (int)own);
    wlm_ptx_line(w, "L%d: setp.ge.u32 %%p%d, %%r%d, %%r%d;", (int)l.label, (int)done, (int)l.item, (int)end);
    wlm_ptx_line(w, "@%%p%d bra L%d;", (int)done, (int)l.behind);
    return l;
}

void wlm_resident_close(const wlm_resident_kernel *k, const wlm_resident_loop *l)
{
    wlm_ptx_line(k->w, "add.u32 %%r%d, %%r%d, %%r%d;", (int)l->item, (int)l->item, (int)l->stride);
    wlm_ptx_line(k->w, "bra L%d;", (int)l->label);
    wlm_ptx_line(k->w, "L%d:", (int)l->behind);
}

/* Returns the address base + place + bytes times an index. */
static int32_t address(const wlm_resident_kernel *k, int base, int64_t place, int32_t index, int64_t bytes)
{
    int32_t at = k->w->words++, of = k->w->words++;
    wlm_ptx_line(k->w, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", (int)at, base, place);
    wlm_ptx_line(k->w, "mad.wide.u32 %%rd%d, %%r%d, %" PRId64 ", %%rd%d;", (int)of, (int)index, bytes, (int)at);
    return of;
}

int32_t wlm_resident_load(const wlm_resident_kernel *k, int base, int64_t place, int32_t index)
{
    int32_t at = address(k, base, place, index, sizeof(double)), to = wlm_ptx_real(k->w);
    wlm_ptx_line(k->w, "ld.global.f64 %%fd%d, [%%rd%d];", (int)to, (int)at);
    return to;
}

void wlm_resident_store(const wlm_resident_kernel *k, int base, int64_t place, int32_t index, int32_t real)
{
    int32_t at = address(k, base, place, index, sizeof(double));
    wlm_ptx_line(k->w, "st.global.f64 [%%rd%d], %%fd%d;", (int)at, (int)real);
}

static const char *space(const wlm_resident_kernel *k)
{
    return k->plan->shared ? "shared" : "global";
}

int32_t wlm_resident_load_local(const wlm_resident_kernel *k, int32_t index)
{
    int32_t at = address(k, WLM_RA_LOCAL, 0, index, sizeof(double)), to = wlm_ptx_real(k->w);
    wlm_ptx_line(k->w, "ld.%s.f64 %%fd%d, [%%rd%d];", space(k), (int)to, (int)at);
    return to;
}

void wlm_resident_store_local(const wlm_resident_kernel *k, int32_t index, int32_t numbers, int32_t real)
{
    int32_t at = address(k, WLM_RA_LOCAL, numbers * (int64_t)sizeof(double), index, sizeof(double));
    wlm_ptx_line(k->w, "st.%s.f64 [%%rd%d], %%fd%d;", space(k), (int)at, (int)real);
}

/* Loads word `index` of those that stand so many bytes apart. */
static void load_word(const wlm_resident_kernel *k, int64_t place, int32_t index, int64_t bytes, int32_t to)
{
    int32_t at = address(k, WLM_RA_BLOCK, place, index, bytes);
    wlm_ptx_line(k->w, "ld.global.u32 %%r%d, [%%rd%d];", (int)to, (int)at);
}

static int32_t word_at(const wlm_resident_kernel *k, int64_t place, int32_t index)
{
    int32_t to = k->w->halves++;
    load_word(k, place, index, sizeof(int32_t), to);
    return to;
}

/* --------------------------------------------------------------------- slots */

warplu_status wlm_resident_open_slots(wlm_resident_kernel *k)
{
    const wlm_tiles *t = &k->plan->tiles;
    wlm_ptx *w = k->w;
    k->slot = WLU_CALLOC(w->ctx, t->passes, wlm_resident_slot);
    if (k->slot == NULL) return wlu_fail_memory(w->ctx, "a kernel");
    for (int32_t p = 0; p < t->passes; p++) {
        wlm_resident_slot *s = &k->slot[p];
        s->word = WLU_ALLOC(w->ctx, t->pass[p].words, int32_t);
        if (s->word == NULL) return wlu_fail_memory(w->ctx, "a kernel");
        s->use = w->halves++, s->local = w->halves++;
        for (int32_t i = 0; i < t->pass[p].words; i++) s->word[i] = w->halves++;
    }
    k->node.unknown = w->halves++, k->state.unknown = w->halves++, k->state.word[0] = w->halves++;
    for (int32_t i = 0; i < t->rate.width; i++) k->node.word[i] = w->halves++;
    return WARPLU_SUCCESS;
}

/* Loads what a lane reads by in a slot. */
static void load_slot(const wlm_resident_kernel *k, int32_t pass, int32_t slot)
{
    const wlm_resident_pass *p = &k->plan->pass[pass];
    const wlm_resident_slot *s = &k->slot[pass];
    int64_t words = k->plan->tiles.pass[pass].words, row = WLM_TILE_LANES * (int64_t)sizeof(int32_t);
    load_word(k, p->use, slot, sizeof(int32_t), s->use);
    load_word(k, p->local, slot, sizeof(int32_t), s->local);
    int32_t at = address(k, WLM_RA_BLOCK, p->row, slot, words * row), of = k->w->words++;
    wlm_ptx_line(k->w, "mad.wide.u32 %%rd%d, %%r%d, 4, %%rd%d;", (int)of, WLM_RW_LANE, (int)at);
    for (int32_t i = 0; i < words; i++) {
        int32_t here = k->w->words++;
        wlm_ptx_line(k->w, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", (int)here, (int)of, i * row);
        wlm_ptx_line(k->w, "ld.global.u32 %%r%d, [%%rd%d];", (int)s->word[i], (int)here);
    }
    wlm_ptx_line(k->w, "add.u32 %%r%d, %%r%d, %%r%d;", (int)s->local, (int)s->local, WLM_RW_LANE);
}

/* Loads an input of an instance; returns its register. */
static int32_t load_input(const wlm_resident_kernel *k, const wlm_bank_input *in, int32_t named, int64_t parameter,
                          const int32_t *word)
{
    if (in->source == WLM_SOURCE_TIME) return WLM_RF_TIME;
    if (in->source == WLM_SOURCE_FACTOR) return WLM_RF_H;
    if (in->source == WLM_SOURCE_PARAMETER) return wlm_resident_load(k, WLM_RA_BLOCK, parameter, word[0]);
    if (in->memory == WLM_MEMORY_SUMS) return wlm_resident_load_local(k, word[named]);
    int base = in->memory == WLM_MEMORY_UNKNOWNS ? WLM_RA_AT : WLM_RA_BLOCK;
    int64_t place = in->memory == WLM_MEMORY_UNKNOWNS ? 0 : k->plan->fixed;
    int64_t first = named > 0 ? in->where.first : wlm_where_at(&in->where, 0);
    return wlm_resident_load(k, base, place + first * (int64_t)sizeof(double), word[named]);
}

/* Writes an instance: what it reads, its program, what somebody needs of its results. */
static warplu_status write_instance(const wlm_resident_kernel *k, int32_t pass, int32_t use)
{
    const wlm_tile_pass *t = &k->plan->tiles.pass[pass];
    const wlm_bank *bank = &t->pass->bank[use];
    const wlm_resident_slot *s = &k->slot[pass];
    int32_t *slot = WLU_ALLOC(k->w->ctx, bank->program->slots, int32_t);
    if (slot == NULL) return wlu_fail_memory(k->w->ctx, "a kernel");
    for (int32_t i = 0; i < bank->inputs; i++)
        slot[bank->input[i].slot] =
            load_input(k, &bank->input[i], t->named[use][i], k->plan->pass[pass].parameter[use][i], s->word);
    wlm_ptx_program(k->w, bank->program, &k->plan->tables, slot);
    for (int32_t o = 0; o < bank->outputs; o++)
        if (t->place[use][o] >= 0)
            wlm_resident_store_local(k, s->local, t->place[use][o] * WLM_TILE_LANES, slot[bank->program->inputs + o]);
    wlu_free(k->w->ctx, slot);
    return WARPLU_SUCCESS;
}

/* Writes a slot, whose use is one of those that have instances; idle lanes jump to `next`. */
static warplu_status write_slot(const wlm_resident_kernel *k, int32_t pass, int32_t next)
{
    const wlm_pass *p = k->plan->tiles.pass[pass].pass;
    const wlm_resident_slot *s = &k->slot[pass];
    wlm_ptx *w = k->w;
    warplu_status status = WARPLU_SUCCESS;
    int32_t idle = w->truths++;
    wlm_ptx_line(w, "setp.lt.s32 %%p%d, %%r%d, 0;", (int)idle, (int)s->word[0]);
    wlm_ptx_line(w, "@%%p%d bra L%d;", (int)idle, (int)next);
    for (int32_t u = 0; u < p->uses && status == WARPLU_SUCCESS; u++) {
        if (p->bank[u].outputs == 0) continue;
        int32_t other = ++w->labels, is_other = w->truths++;
        wlm_ptx_line(w, "setp.ne.s32 %%p%d, %%r%d, %d;", (int)is_other, (int)s->use, (int)u);
        wlm_ptx_line(w, "@%%p%d bra L%d;", (int)is_other, (int)other);
        status = write_instance(k, pass, u);
        wlm_ptx_line(w, "bra L%d;", (int)next);
        wlm_ptx_line(w, "L%d:", (int)other);
    }
    return status;
}

warplu_status wlm_resident_run_slots(const wlm_resident_kernel *k, int32_t pass)
{
    int32_t next = ++k->w->labels;
    if (k->plan->held) {
        warplu_status status = write_slot(k, pass, next);
        wlm_ptx_line(k->w, "L%d:", (int)next);
        return status;
    }
    wlm_resident_loop l = wlm_resident_open(k, wlm_resident_word(k, pass, WLM_TILE_SLOT), WLM_RW_WARP, WLM_RW_WARPS,
                                            wlm_resident_word(k, pass, WLM_TILE_SLOT_END));
    load_slot(k, pass, l.item);
    warplu_status status = write_slot(k, pass, next);
    wlm_ptx_line(k->w, "L%d:", (int)next);
    wlm_resident_close(k, &l);
    return status;
}

/* ------------------------------------------------------------------ unknowns */

void wlm_resident_load_node(const wlm_resident_kernel *k, int32_t item)
{
    const wlm_tile_sums *s = &k->plan->tiles.rate;
    load_word(k, k->plan->node, item, sizeof(int32_t), k->node.unknown);
    for (int32_t i = 0; i < s->width; i++)
        load_word(k, k->plan->rate.word + i * (s->word.count / s->width) * (int64_t)sizeof(int32_t), item,
                  sizeof(int32_t), k->node.word[i]);
}

void wlm_resident_load_state(const wlm_resident_kernel *k, int32_t item)
{
    load_word(k, k->plan->state, item, sizeof(int32_t), k->state.unknown);
    load_word(k, k->plan->state_local, item, sizeof(int32_t), k->state.word[0]);
}

/* Opens what is done where first + own is below end; returns first + own, and the label behind. */
static int32_t open_one(const wlm_resident_kernel *k, int32_t first, int32_t own, int32_t end, int32_t *behind)
{
    wlm_ptx *w = k->w;
    int32_t item = w->halves++, none = w->truths++;
    *behind = ++w->labels;
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, %%r%d;", (int)item, (int)first, (int)own);
    wlm_ptx_line(w, "setp.ge.u32 %%p%d, %%r%d, %%r%d;", (int)none, (int)item, (int)end);
    wlm_ptx_line(w, "@%%p%d bra L%d;", (int)none, (int)*behind);
    return item;
}

void wlm_resident_hold(const wlm_resident_kernel *k)
{
    int32_t behind;
    for (int32_t p = 0; p < k->plan->tiles.passes; p++) {
        wlm_ptx_line(k->w, "mov.u32 %%r%d, -1;", (int)k->slot[p].word[0]);
        int32_t slot = open_one(k, wlm_resident_word(k, p, WLM_TILE_SLOT), WLM_RW_WARP,
                                wlm_resident_word(k, p, WLM_TILE_SLOT_END), &behind);
        load_slot(k, p, slot);
        wlm_ptx_line(k->w, "L%d:", (int)behind);
    }
    wlm_ptx_line(k->w, "mov.u32 %%r%d, -1;", (int)k->node.unknown);
    wlm_resident_load_node(k, open_one(k, wlm_resident_word(k, -1, WLM_TILE_NODE), WLM_RW_THREAD,
                                       wlm_resident_word(k, -1, WLM_TILE_NODE_END), &behind));
    wlm_ptx_line(k->w, "L%d:", (int)behind);
    wlm_ptx_line(k->w, "mov.u32 %%r%d, -1;", (int)k->state.unknown);
    wlm_resident_load_state(k, open_one(k, wlm_resident_word(k, -1, WLM_TILE_STATE), WLM_RW_THREAD,
                                        wlm_resident_word(k, -1, WLM_TILE_STATE_END), &behind));
    wlm_ptx_line(k->w, "L%d:", (int)behind);
}

/* --------------------------------------------------------------------- sums */

/* Loads the local number that a word of a sum names; returns its register. */
static int32_t load_named(const wlm_resident_kernel *k, int32_t word)
{
    wlm_ptx *w = k->w;
    int32_t from = w->halves++, minus = w->truths++, negated = wlm_ptx_real(w);
    wlm_ptx_line(w, "not.b32 %%r%d, %%r%d;", (int)from, (int)word);
    wlm_ptx_line(w, "setp.lt.s32 %%p%d, %%r%d, 0;", (int)minus, (int)word);
    wlm_ptx_line(w, "selp.b32 %%r%d, %%r%d, %%r%d, %%p%d;", (int)from, (int)from, (int)word, (int)minus);
    int32_t number = wlm_resident_load_local(k, from);
    wlm_ptx_line(w, "neg.f64 %%fd%d, %%fd%d;", (int)negated, (int)number);
    wlm_ptx_line(w, "selp.f64 %%fd%d, %%fd%d, %%fd%d, %%p%d;", (int)number, (int)negated, (int)number, (int)minus);
    return number;
}

static void add(wlm_ptx *w, int32_t sum, int32_t number)
{
    wlm_ptx_line(w, "add.rn.f64 %%fd%d, %%fd%d, %%fd%d;", (int)sum, (int)sum, (int)number);
}

/* All numbers are loaded before the first is added. */
int32_t wlm_resident_sum_words(const wlm_resident_kernel *k, const int32_t *word, int32_t width)
{
    int32_t number[WLM_TILE_WIDTH], sum = load_named(k, word[0]);
    for (int32_t j = 1; j < width; j++) number[j] = load_named(k, word[j]);
    for (int32_t j = 1; j < width; j++) add(k->w, sum, number[j]);
    return sum;
}

/* Opens a loop over at, at + AT_ONCE, ... below end; returns its label. The label behind it is the next one. */
static int32_t open_words(wlm_ptx *w, int32_t at, int32_t end)
{
    int32_t loop = ++w->labels, behind = ++w->labels, ends = w->truths++;
    wlm_ptx_line(w, "L%d: setp.ge.u32 %%p%d, %%r%d, %%r%d;", (int)loop, (int)ends, (int)at, (int)end);
    wlm_ptx_line(w, "@%%p%d bra L%d;", (int)ends, (int)behind);
    return loop;
}

static void close_words(wlm_ptx *w, int32_t at, int32_t loop)
{
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, %d;", (int)at, (int)at, (int)WLM_TILE_AT_ONCE);
    wlm_ptx_line(w, "bra L%d;", (int)loop);
    wlm_ptx_line(w, "L%d:", (int)loop + 1);
}

/* Returns the register of a sum to be, which is -0: that leaves its first number as it is. */
static int32_t begin_sum(wlm_ptx *w)
{
    int32_t sum = wlm_ptx_real(w);
    wlm_ptx_line(w, "mov.f64 %%fd%d, 0d8000000000000000;", (int)sum);
    return sum;
}

/* Loads word `item` of a list, and the next one. */
static void load_range(const wlm_resident_kernel *k, int64_t place, int32_t item, int32_t *at, int32_t *end)
{
    int32_t next = k->w->halves++;
    wlm_ptx_line(k->w, "add.u32 %%r%d, %%r%d, 1;", (int)next, (int)item);
    *at = word_at(k, place, item);
    *end = word_at(k, place, next);
}

/* Returns the local number of a part. */
static int32_t part_local(const wlm_resident_kernel *k, int32_t pass, int32_t part)
{
    int32_t local = k->w->halves++;
    wlm_ptx_line(k->w, "sub.u32 %%r%d, %%r%d, %%r%d;", (int)local, (int)part,
                 (int)wlm_resident_word(k, pass, WLM_TILE_PART));
    wlm_ptx_line(k->w, "add.u32 %%r%d, %%r%d, %%r%d;", (int)local, (int)local,
                 (int)wlm_resident_word(k, pass, WLM_TILE_PART_LOCAL));
    return local;
}

/* A part's numbers are added in their order; many are loaded before the first of them is added. */
void wlm_resident_run_parts(const wlm_resident_kernel *k, int32_t pass, const wlm_resident_sums *at)
{
    int32_t from, end, number[WLM_TILE_AT_ONCE];
    wlm_resident_loop l = wlm_resident_open(k, wlm_resident_word(k, pass, WLM_TILE_PART), WLM_RW_THREAD, WLM_RW_THREADS,
                                            wlm_resident_word(k, pass, WLM_TILE_PART_END));
    load_range(k, at->begin, l.item, &from, &end);
    int32_t sum = begin_sum(k->w), loop = open_words(k->w, from, end);
    for (int j = 0; j < WLM_TILE_AT_ONCE; j++) number[j] = word_at(k, at->word + j * (int64_t)sizeof(int32_t), from);
    for (int j = 0; j < WLM_TILE_AT_ONCE; j++) number[j] = load_named(k, number[j]);
    for (int j = 0; j < WLM_TILE_AT_ONCE; j++) add(k->w, sum, number[j]);
    close_words(k->w, from, loop);
    wlm_resident_store_local(k, part_local(k, pass, l.item), 0, sum);
    wlm_resident_close(k, &l);
}

/* Writes a sum of parts, in their order; behind the last one nothing is added. */
static int32_t sum_of_parts(const wlm_resident_kernel *k, int32_t pass, int64_t parts, int32_t item)
{
    wlm_ptx *w = k->w;
    int32_t from, end, number[WLM_TILE_AT_ONCE];
    load_range(k, parts, item, &from, &end);
    int32_t sum = begin_sum(w), loop = open_words(w, from, end);
    for (int j = 0; j < WLM_TILE_AT_ONCE; j++) {
        int32_t part = w->halves++, is = w->truths++;
        wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, %d;", (int)part, (int)from, j);
        wlm_ptx_line(w, "setp.lt.u32 %%p%d, %%r%d, %%r%d;", (int)is, (int)part, (int)end);
        number[j] = part_local(k, pass, part);
        wlm_ptx_line(w, "selp.b32 %%r%d, %%r%d, %d, %%p%d;", (int)number[j], (int)number[j], (int)WLM_TILE_NOTHING,
                     (int)is);
    }
    for (int j = 0; j < WLM_TILE_AT_ONCE; j++) number[j] = wlm_resident_load_local(k, number[j]);
    for (int j = 0; j < WLM_TILE_AT_ONCE; j++) add(w, sum, number[j]);
    close_words(w, from, loop);
    return sum;
}

int32_t wlm_resident_sum(const wlm_resident_kernel *k, int32_t pass, const wlm_tile_sums *sums,
                         const wlm_resident_sums *at, int32_t item)
{
    int32_t word[WLM_TILE_WIDTH] = {0};
    if (sums->width == 0) return sum_of_parts(k, pass, at->part, item);
    int64_t pitch = sums->word.count / sums->width * (int64_t)sizeof(int32_t);
    for (int32_t j = 0; j < sums->width; j++) word[j] = word_at(k, at->word + j * pitch, item);
    return wlm_resident_sum_words(k, word, sums->width);
}
