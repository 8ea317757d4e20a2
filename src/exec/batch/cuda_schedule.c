/* Lists of bundles for warps. See cuda_schedule.h. */
#include "exec/batch/cuda_schedule.h"

#include "base/sort.h"
#include "exec/batch/cuda_steps.h"

enum { SIDES = WLU_GROUP_SIDES, MOST_BARRIERS = UINT16_MAX };

/* Tasks order[begin] .. order[begin + count - 1] side by side. */
typedef struct bundle {
    int64_t begin;
    int32_t step, terms, count;
    uint8_t sum;
} bundle;

typedef struct schedule {
    wlu_context *ctx;
    wlu_group_tasks tasks;
    wlu_group_lists *out;
    const wlu_sort_entry *order;
    wlu_sort_entry *scratch[2];
    bundle *bundles;
    int64_t nbundles;
    int32_t steps;
} schedule;

/* None, two, four or eight. */
static int32_t padded(const wlu_group_task *t)
{
    if (t->terms > 4 || t->sum == WLU_GROUP_PRODUCTS) return WLU_GROUP_TERMS;
    return t->terms > 2 ? 4 : t->terms > 0 ? 2 : 0;
}

/* By step, how they are summed, and terms, the longest first. */
static warplu_status sort_tasks(schedule *s)
{
    int64_t count = s->tasks.count, *digits = WLU_ALLOC(s->ctx, WLU_SORT_DIGITS, int64_t);
    for (int k = 0; k < 2; k++) s->scratch[k] = WLU_ALLOC(s->ctx, count, wlu_sort_entry);
    if (digits == NULL || s->scratch[0] == NULL || s->scratch[1] == NULL) {
        wlu_free(s->ctx, digits);
        return wlu_fail_memory(s->ctx, "lists of warps");
    }
    for (int64_t k = 0; k < count; k++) {
        const wlu_group_task *t = &s->tasks.task[k];
        uint64_t terms = (uint64_t)(WLU_GROUP_TERMS - padded(t));
        s->scratch[0][k] = (wlu_sort_entry){(uint64_t)t->step << 5 | (uint64_t)t->sum << 4 | terms, k};
    }
    s->order = wlu_sort(s->scratch[0], s->scratch[1], count, digits);
    wlu_free(s->ctx, digits);
    return WARPLU_SUCCESS;
}

static void make_bundles(schedule *s)
{
    for (int64_t k = 0; k < s->tasks.count; k++) {
        const wlu_group_task *t = &s->tasks.task[s->order[k].record];
        bundle *b = s->nbundles > 0 ? &s->bundles[s->nbundles - 1] : NULL;
        if (b != NULL && b->count < SIDES && b->step == t->step && b->sum == t->sum)
            b->count++;
        else
            s->bundles[s->nbundles++] = (bundle){k, t->step, padded(t), 1, t->sum};
    }
}

/* Bundles that do nothing, where there are more barriers before the next than it can have. */
static int32_t idle(int32_t barriers)
{
    return barriers / MOST_BARRIERS;
}

/* Bundles of each step go round the warps. warp: of each bundle. */
static void count_lists(schedule *s, uint8_t *warp)
{
    wlu_group_lists *out = s->out;
    int64_t length[WLU_GROUP_WARPS] = {0};
    int32_t step[WLU_GROUP_WARPS] = {0};
    for (int64_t k = 0, at = 0; k < s->nbundles; k++) {
        const bundle *b = &s->bundles[k];
        at = k > 0 && b[-1].step == b->step ? (at + 1) % out->warps : 0;
        warp[k] = (uint8_t)at;
        length[at] += 1 + idle(b->step - step[at]);
        step[at] = b->step;
    }
    for (int w = 0; w < out->warps; w++) {
        out->first[w + 1] = out->first[w] + WLU_GROUP_ASKED + (int32_t)length[w];
        out->last[w] = s->steps - 1 - step[w];
    }
    out->bundles = out->first[out->warps];
}

/* ----------------------------------------------------------------- records */

static wlu_group_record nothing(const wlu_group_stage *stage, const bundle *b)
{
    return (wlu_group_record){.target = stage->spare,
                              .start = wlu_group_own_slot(stage, stage->zero),
                              .divisor = -1,
                              .opcode = WLU_DOT,
                              .sum = b->sum,
                              .terms = b->terms,
                              .ask = -1};
}

static void start_from_entry(const wlu_group_stage *stage, int32_t entry, wlu_group_record *to)
{
    to->start = -1;
    to->power = wlu_upper_of_power(stage->load->scale[entry]);
    if (stage->column_power == NULL) return;
    to->column_power = stage->column_power[entry];
    to->row_power = stage->row_power[entry];
    to->guarded = (to->column_power | to->row_power) != 0;
}

static wlu_group_record record_of(const schedule *s, const bundle *b, const wlu_group_task *t)
{
    const wlu_group_stage *stage = s->tasks.stage;
    wlu_group_record to = nothing(stage, b);
    to.target = wlu_group_own_slot(stage, t->target);
    if (stage->area != NULL && t->judged) to.area = stage->area[t->target];
    if (t->entry >= 0)
        start_from_entry(stage, t->entry, &to);
    else
        to.start = wlu_group_own_slot(stage, t->start);
    to.opcode = t->opcode;
    to.divisor = t->divisor;
    return to;
}

/* task NULL: terms of the constant zero. */
static void write_pairs(const wlu_group_stage *stage, const wlu_group_task *t, int32_t *pair)
{
    for (int32_t k = 0; k < WLU_GROUP_TERMS; k++, pair += 2) {
        wlu_group_term term = {stage->zero, stage->zero};
        if (t != NULL && k < t->terms) term = wlu_group_term_of(stage, t, k);
        pair[0] = term.a;
        pair[1] = wlu_group_own_slot(stage, term.b);
    }
}

/* A bundle of a warp's list, number `at` of all. The one that asks for its entries comes so many before. */
static void write_bundle(const schedule *s, const bundle *b, int32_t at, int32_t barriers)
{
    wlu_group_bundle *to = &s->out->bundle[at];
    for (int side = 0; side < SIDES; side++) {
        const wlu_group_task *t = side < b->count ? &s->tasks.task[s->order[b->begin + side].record] : NULL;
        to->record[side] = t != NULL ? record_of(s, b, t) : nothing(s->tasks.stage, b);
        to->record[side].barriers = (uint16_t)barriers;
        if (t != NULL && t->entry >= 0) to[-WLU_GROUP_ASKED].record[side].ask = t->entry;
        write_pairs(s->tasks.stage, t, to->pair[side]);
    }
}

static void write_lists(schedule *s, const uint8_t *warp)
{
    wlu_group_lists *out = s->out;
    const bundle none = {.sum = WLU_GROUP_IN_ORDER};
    int32_t at[WLU_GROUP_WARPS], step[WLU_GROUP_WARPS] = {0};
    for (int w = 0; w < out->warps; w++)
        for (at[w] = out->first[w]; at[w] < out->first[w] + WLU_GROUP_ASKED; at[w]++) write_bundle(s, &none, at[w], 0);
    for (int64_t k = 0; k < s->nbundles; k++) {
        const bundle *b = &s->bundles[k];
        int w = warp[k];
        int32_t barriers = b->step - step[w];
        for (; barriers >= MOST_BARRIERS; barriers -= MOST_BARRIERS) write_bundle(s, &none, at[w]++, MOST_BARRIERS);
        write_bundle(s, b, at[w]++, barriers);
        step[w] = b->step;
    }
}

static warplu_status make_lists(schedule *s)
{
    wlu_group_lists *out = s->out;
    uint8_t *warp = WLU_ALLOC(s->ctx, s->tasks.count, uint8_t);
    s->bundles = WLU_ALLOC(s->ctx, s->tasks.count, bundle);
    out->first = WLU_CALLOC(s->ctx, out->warps + 1, int32_t);
    out->last = WLU_CALLOC(s->ctx, out->warps, int32_t);
    if (warp != NULL && s->bundles != NULL && out->first != NULL && out->last != NULL) {
        make_bundles(s);
        count_lists(s, warp);
        out->bundle = WLU_CALLOC(s->ctx, out->bundles + WLU_GROUP_AHEAD, wlu_group_bundle);
    }
    warplu_status status = WARPLU_SUCCESS;
    if (out->bundle == NULL)
        status = wlu_fail_memory(s->ctx, "lists of warps");
    else
        write_lists(s, warp);
    wlu_free(s->ctx, warp);
    return status;
}

warplu_status wlu_group_lists_create(wlu_context *ctx, const wlu_group_stage *stage, int32_t warps,
                                     wlu_group_lists *out)
{
    const wlu_flat_stream *stream = stage->stream;
    *out = (wlu_group_lists){.warps = warps};
    if (2 * (stream->nterms + 8 * (stream->nrecords + stage->load->count)) > INT32_MAX ||
        stage->slots > INT32_MAX - 16 * WLU_GROUP_SUMS)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "a batch of %lld terms exceeds 32-bit numbers",
                        (long long)stream->nterms);
    schedule s = {.ctx = ctx, .out = out};
    warplu_status status = wlu_group_tasks_create(ctx, stage, &s.tasks);
    if (status == WARPLU_SUCCESS) status = wlu_group_steps_assign(ctx, &s.tasks, warps * SIDES, &s.steps);
    if (status == WARPLU_SUCCESS) status = sort_tasks(&s);
    if (status == WARPLU_SUCCESS) status = make_lists(&s);
    wlu_free(ctx, s.bundles);
    for (int k = 0; k < 2; k++) wlu_free(ctx, s.scratch[k]);
    wlu_group_tasks_free(ctx, &s.tasks);
    return status;
}

void wlu_group_lists_free(wlu_context *ctx, wlu_group_lists *lists)
{
    void *owned[] = {lists->bundle, lists->first, lists->last};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    *lists = (wlu_group_lists){0};
}
