/* Writes a step: an evaluation, tile by tile, which all stages share, and of each stage the combination of rates.
 * Arithmetic is explicit.c's, operation by operation. */
#include <inttypes.h>

#include "model/system/resident_text.h"

void wlm_resident_describe(const wlm_resident_kernel *k)
{
    wlm_ptx *w = k->w;
    int32_t words = wlm_resident_described(k->plan), at = w->words++, of = w->words++;
    wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", (int)at, WLM_RA_BLOCK, k->plan->description);
    wlm_ptx_line(w, "mad.wide.u32 %%rd%d, %%r%d, %d, %%rd%d;", (int)of, WLM_RW_TILE, (int)words * 4, (int)at);
    for (int32_t i = 0; i < words; i++) {
        int32_t here = w->words++;
        wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %d;", (int)here, (int)of, (int)i * 4);
        wlm_ptx_line(w, "ld.global.u32 %%r%d, [%%rd%d];", WLM_RW_DESCRIPTION + (int)i, (int)here);
    }
}

static int64_t rates_at(const wlm_resident_plan *p, int stage)
{
    return p->rates + (int64_t)stage * p->transient->n * (int64_t)sizeof(double);
}

/* Returns the register of the rates of a stage. */
static int base_of(const wlm_resident_plan *p, int stage)
{
    return stage == 0 ? WLM_RA_FIRST : stage == p->stages - 1 ? WLM_RA_LAST : WLM_RA_BLOCK;
}

static int64_t place_of(const wlm_resident_plan *p, int stage)
{
    return base_of(p, stage) == WLM_RA_BLOCK ? rates_at(p, stage) : 0;
}

/* Returns from + h sum_j by[j] k_j, over the rates of an unknown. */
static V combine(const wlm_resident_kernel *k, V from, const double *by, int stages, const V *rate)
{
    V h = wlm_resident_real(k, WLM_RF_H);
    for (int j = 0; j < stages; j++)
        if (by[j] != 0.0) from = v_add(from, v_mul(v_mul(h, v_set(by[j])), rate[j]));
    return from;
}

static void note_bad(const wlm_resident_kernel *k, M bad)
{
    wlm_ptx_line(k->w, "or.pred %%p%d, %%p%d, %%p%d;", WLM_RP_BAD, WLM_RP_BAD, (int)bad.number);
}

/* Takes note of a node's new number that has to be above 0 and is not. */
static void judge_positive(const wlm_resident_kernel *k, int32_t unknown, V next)
{
    const wlm_layout *l = k->plan->transient->system->layout;
    for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++) {
        if (!b->quantity->is_positive) continue;
        int32_t at = k->w->halves++;
        M is_in = new_m(k->w), is_above = v_less(v_set(0.0), next);
        wlm_ptx_line(k->w, "sub.u32 %%r%d, %%r%d, %d;", (int)at, (int)unknown, (int)b->first);
        wlm_ptx_line(k->w, "setp.lt.u32 %%p%d, %%r%d, %d;", (int)is_in.number, (int)at, (int)b->count);
        note_bad(k, m_and(is_in, m_not(is_above)));
    }
}

/* Takes note of a new number that is not finite, and of its error. */
static void judge(const wlm_resident_kernel *k, V y, V next, const V *rate)
{
    const wlm_transient *s = k->plan->transient;
    const wlm_explicit *e = s->facts->explicit;
    note_bad(k, m_not(v_equal(v_mul(next, v_set(0.0)), v_set(0.0))));
    if (e == NULL || e->lower == 0 || s->options.step > 0.0) return;
    V error = combine(k, v_set(0.0), e->e, e->stages, rate), size = v_max(v_abs(y), v_abs(next));
    V over = v_add(v_set(s->of_steps.absolute), v_mul(v_set(s->of_steps.relative), size));
    V ratio = v_div(v_abs(error), over), norm = wlm_resident_real(k, WLM_RF_NORM);
    wlm_resident_let(k, WLM_RF_NORM, v_select(v_less_equal(ratio, norm), norm, ratio));
}

/* Writes what follows the rate of an unknown in a stage: its part of the state of the next one, or of that at the end
 * of the step. */
static void advance(const wlm_resident_kernel *k, int stage, int32_t unknown, V rate_of_stage)
{
    static const double once[] = {1.0};
    const wlm_resident_plan *p = k->plan;
    const wlm_explicit *e = p->transient->facts->explicit;
    int is_last = e == NULL || stage == e->stages - 1;
    V rate[WLM_STAGES_MOST];
    for (int j = 0; j < stage; j++)
        rate[j] = wlm_resident_real(k, wlm_resident_load(k, base_of(p, j), place_of(p, j), unknown));
    rate[stage] = rate_of_stage;
    if (p->stages > 1) wlm_resident_store(k, base_of(p, stage), place_of(p, stage), unknown, rate_of_stage.number);
    V y = wlm_resident_real(k, wlm_resident_load(k, WLM_RA_Y, 0, unknown));
    const double *by = e == NULL ? once : is_last ? e->b : e->a[stage + 1];
    V to = combine(k, y, by, stage + 1, rate);
    wlm_resident_store(k, is_last ? WLM_RA_NEXT : WLM_RA_BLOCK, is_last ? 0 : p->at, unknown, to.number);
    if (is_last) judge(k, y, to, rate);
    if (is_last && p->loops) judge_positive(k, unknown, to);
}

/* Writes the step of an unknown of a node: its rate is a sum over its mass. */
static void advance_node(const wlm_resident_kernel *k, int stage, int32_t item)
{
    const wlm_resident_plan *p = k->plan;
    const wlm_tile_sums *sums = &p->tiles.rate;
    V rate = wlm_resident_real(k, sums->width > 0 ? wlm_resident_sum_words(k, k->node.word, sums->width)
                                                  : wlm_resident_sum(k, p->tiles.passes - 1, sums, &p->rate, item));
    if (!p->transient->mass_is_1)
        rate = v_div(rate, wlm_resident_real(k, wlm_resident_load(k, WLM_RA_BLOCK, p->mass, k->node.unknown)));
    advance(k, stage, k->node.unknown, rate);
}

/* Writes the step of an unknown of an instance, which has computed its rate; of a method for gates, what it becomes. */
static void advance_state(const wlm_resident_kernel *k, int stage)
{
    V local = wlm_resident_real(k, wlm_resident_load_local(k, k->state.word[0]));
    if (k->plan->transient->facts->explicit != NULL) {
        advance(k, stage, k->state.unknown, local);
        return;
    }
    wlm_resident_store(k, WLM_RA_NEXT, 0, k->state.unknown, local.number);
    judge(k, local, local, NULL);
}

/* Jumps to a label where a held unknown is none. */
static void skip_none(const wlm_resident_kernel *k, int32_t unknown, int32_t label)
{
    int32_t none = k->w->truths++;
    wlm_ptx_line(k->w, "setp.lt.s32 %%p%d, %%r%d, 0;", (int)none, (int)unknown);
    wlm_ptx_line(k->w, "@%%p%d bra L%d;", (int)none, (int)label);
}

/* Writes what follows the rates of a stage, for the unknowns of a tile. */
static void write_combination(const wlm_resident_kernel *k, int stage)
{
    if (k->plan->held) {
        int32_t behind = ++k->w->labels, end = ++k->w->labels;
        skip_none(k, k->node.unknown, behind);
        advance_node(k, stage, -1);
        wlm_ptx_line(k->w, "L%d:", (int)behind);
        skip_none(k, k->state.unknown, end);
        advance_state(k, stage);
        wlm_ptx_line(k->w, "L%d:", (int)end);
        return;
    }
    wlm_resident_loop l = wlm_resident_open(k, wlm_resident_word(k, -1, WLM_TILE_NODE), WLM_RW_THREAD, WLM_RW_THREADS,
                                            wlm_resident_word(k, -1, WLM_TILE_NODE_END));
    wlm_resident_load_node(k, l.item);
    advance_node(k, stage, l.item);
    wlm_resident_close(k, &l);
    l = wlm_resident_open(k, wlm_resident_word(k, -1, WLM_TILE_STATE), WLM_RW_THREAD, WLM_RW_THREADS,
                          wlm_resident_word(k, -1, WLM_TILE_STATE_END));
    wlm_resident_load_state(k, l.item);
    advance_state(k, stage);
    wlm_resident_close(k, &l);
}

/* Writes what follows the first stage, whose rates are there from the step before. */
static void write_known(const wlm_resident_kernel *k)
{
    const wlm_resident_plan *p = k->plan;
    wlm_ptx *w = k->w;
    int32_t all = w->halves++, threads = w->halves++, thread = w->halves++, first = w->halves++, end = w->halves++;
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", (int)first);
    wlm_ptx_line(w, "mov.u32 %%r%d, %d;", (int)end, (int)p->transient->n);
    wlm_ptx_line(w, "mov.u32 %%r%d, %%tid.x;", (int)thread);
    wlm_ptx_line(w, "mad.lo.u32 %%r%d, %%r%d, %d, %%r%d;", (int)all, WLM_RW_BLOCK, (int)p->threads, (int)thread);
    wlm_ptx_line(w, "mad.lo.u32 %%r%d, %%r%d, %d, 0;", (int)threads, WLM_RW_BLOCKS, (int)p->threads);
    wlm_resident_loop l = wlm_resident_open(k, first, all, threads, end);
    advance(k, 0, l.item, wlm_resident_real(k, wlm_resident_load(k, base_of(p, 0), place_of(p, 0), l.item)));
    wlm_resident_close(k, &l);
}

/* Writes the sums of a level that are not contributions as they are. */
static void write_sums(const wlm_resident_kernel *k, int32_t pass)
{
    const wlm_tile_sums *sums = &k->plan->tiles.pass[pass].sum;
    wlm_ptx *w = k->w;
    int32_t first = wlm_resident_word(k, pass, WLM_TILE_SUM), local = w->halves++;
    wlm_resident_loop l =
        wlm_resident_open(k, first, WLM_RW_THREAD, WLM_RW_THREADS, wlm_resident_word(k, pass, WLM_TILE_SUM_END));
    int32_t sum = wlm_resident_sum(k, pass, sums, &k->plan->pass[pass].sum, l.item);
    wlm_ptx_line(w, "sub.u32 %%r%d, %%r%d, %%r%d;", (int)local, (int)l.item, (int)first);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, %%r%d;", (int)local, (int)local,
                 (int)wlm_resident_word(k, pass, WLM_TILE_SUM_LOCAL));
    wlm_resident_store_local(k, local, 0, sum);
    wlm_resident_close(k, &l);
    wlm_resident_wait_tile(k);
}

/* Writes the evaluation of a tile: sums level by level, then rates. */
static warplu_status write_passes(const wlm_resident_kernel *k)
{
    const wlm_tiles *t = &k->plan->tiles;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t j = 0; j < t->passes && status == WARPLU_SUCCESS; j++) {
        status = wlm_resident_run_slots(k, j);
        wlm_resident_wait_tile(k);
        int is_last = j + 1 == t->passes;
        const wlm_tile_sums *sums = is_last ? &t->rate : &t->pass[j].sum;
        if (sums->width == 0 && sums->word.count > 0) {
            wlm_resident_run_parts(k, j, is_last ? &k->plan->rate : &k->plan->pass[j].sum);
            wlm_resident_wait_tile(k);
        }
        if (!is_last && sums->word.count > 0) write_sums(k, j);
    }
    return status;
}

/* Sets what a stage is evaluated with. */
static void begin_stage(const wlm_resident_kernel *k, int stage)
{
    const wlm_resident_plan *p = k->plan;
    const wlm_explicit *e = p->transient->facts->explicit;
    wlm_ptx *w = k->w;
    wlm_resident_let(k, WLM_RF_TIME,
                     wlm_control_stage_time(wlm_resident_real(k, WLM_RF_T), wlm_resident_real(k, WLM_RF_H),
                                            e != NULL ? e->c[stage] : 0.0, wlm_resident_real(k, WLM_RF_FROM),
                                            wlm_resident_real(k, WLM_RF_TO)));
    if (stage == 0)
        wlm_ptx_line(w, "mov.b64 %%rd%d, %%rd%d;", WLM_RA_AT, WLM_RA_Y);
    else
        wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", WLM_RA_AT, WLM_RA_BLOCK, p->at);
    wlm_ptx_line(w, "mov.u32 %%r%d, %d;", WLM_RW_STAGE, stage);
}

/* Jumps to a fresh label, which is returned, unless this is the stage at hand. */
static int32_t open_stage(const wlm_resident_kernel *k, int stage)
{
    int32_t other = ++k->w->labels, is = k->w->truths++;
    wlm_ptx_line(k->w, "setp.ne.s32 %%p%d, %%r%d, %d;", (int)is, WLM_RW_STAGE, stage);
    wlm_ptx_line(k->w, "@%%p%d bra L%d;", (int)is, (int)other);
    return other;
}

/* Writes an evaluation and the combination behind it, tile by tile of a thread block. */
static warplu_status write_tiles(const wlm_resident_kernel *k, int stages)
{
    const wlm_resident_plan *p = k->plan;
    wlm_ptx *w = k->w;
    int many = p->shared && !p->held;
    int32_t behind = ++w->labels, none = w->truths++;
    if (many) {
        wlm_ptx_line(w, "mov.u32 %%r%d, %%r%d;", WLM_RW_TILE, WLM_RW_BLOCK);
        wlm_ptx_line(w, "tile: setp.ge.u32 %%p%d, %%r%d, %d;", (int)none, WLM_RW_TILE, (int)p->tiles.tiles);
        wlm_ptx_line(w, "@%%p%d bra L%d;", (int)none, (int)behind);
        wlm_resident_describe(k);
    }
    warplu_status status = write_passes(k);
    for (int stage = 0; stage < stages && status == WARPLU_SUCCESS; stage++) {
        int32_t other = open_stage(k, stage);
        write_combination(k, stage);
        wlm_ptx_line(w, "L%d:", (int)other);
    }
    if (many) {
        wlm_resident_wait_here(k);
        wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, %%r%d;", WLM_RW_TILE, WLM_RW_TILE, WLM_RW_BLOCKS);
        wlm_ptx_line(w, "bra tile;");
    }
    wlm_ptx_line(w, "L%d:", (int)behind);
    return status;
}

warplu_status wlm_resident_step(const wlm_resident_kernel *k)
{
    const wlm_explicit *e = k->plan->transient->facts->explicit;
    wlm_ptx *w = k->w;
    int stages = e != NULL ? e->stages : 1;
    wlm_ptx_line(w, "setp.ne.s32 %%p%d, %%r%d, %%r%d;", WLM_RP_BAD, WLM_RW_DUE, WLM_RW_DUE);
    begin_stage(k, 0);
    if (e != NULL && e->repeats) {
        int32_t is = w->truths++;
        wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, 0;", (int)is, WLM_RW_KNOWN);
        wlm_ptx_line(w, "@%%p%d bra evaluate;", (int)is);
        write_known(k);
        wlm_resident_wait(k, 0);
        begin_stage(k, 1);
    }
    wlm_ptx_line(w, "evaluate:");
    warplu_status status = write_tiles(k, stages);
    for (int stage = 0; stage + 1 < stages; stage++) {
        int32_t other = open_stage(k, stage);
        wlm_resident_wait(k, 0);
        begin_stage(k, stage + 1);
        wlm_ptx_line(w, "bra evaluate;");
        wlm_ptx_line(w, "L%d:", (int)other);
    }
    return status;
}
