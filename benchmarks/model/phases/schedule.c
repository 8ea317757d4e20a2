#include "phases/schedule.h"

typedef struct work {
    int32_t definitions, levels;
    int32_t *level; /* of each definition, without Merge */
    int32_t *phase;
    int32_t *thread; /* the definition whose bytecode it follows, at last; itself where it is the first */
    int32_t *sorted; /* definitions by level, those of one in the order of the model */
    int32_t *number; /* of its thread */
    int32_t *room;   /* definitions + 2 */
} work;

static void find_levels(const wlm_formulas *f, work *w)
{
    w->levels = 0;
    for (int32_t k = 0; k < f->definitions; k++) {
        int32_t i = f->order[k];
        const wlm_formula *formula = &f->formula[i];
        w->level[i] = 0;
        for (int32_t o = 0; o < formula->operands; o++) {
            int32_t operand = f->operand[formula->first_operand + o];
            if (w->level[operand] >= w->level[i]) w->level[i] = w->level[operand] + 1;
        }
        if (w->level[i] >= w->levels) w->levels = w->level[i] + 1;
    }
}

/* Definitions by level; first: levels + 1 places. */
static void sort_by_level(work *w, int32_t *first)
{
    for (int32_t k = 0; k <= w->levels; k++) first[k] = 0;
    for (int32_t i = 0; i < w->definitions; i++) first[w->level[i] + 1]++;
    for (int32_t k = 0; k < w->levels; k++) first[k + 1] += first[k];
    for (int32_t i = 0; i < w->definitions; i++) w->sorted[first[w->level[i]]++] = i;
}

/* Puts a definition behind its operands, which have their places. */
static void place(const wlm_formulas *f, work *w, int32_t i, int merge)
{
    const wlm_formula *formula = &f->formula[i];
    int32_t last = -1, others = 0;
    for (int32_t o = 0; o < formula->operands; o++) {
        int32_t operand = f->operand[formula->first_operand + o];
        int32_t ahead = last < 0 ? 1 : w->phase[operand] - w->phase[last];
        if (ahead >= 0) others = ahead > 0 ? 0 : others + 1;
        if (ahead > 0) last = operand;
    }
    int joins = merge && last >= 0 && others == 0;
    w->phase[i] = last < 0 ? 0 : w->phase[last] + !joins;
    w->thread[i] = joins ? w->thread[last] : i;
}

/* Numbers threads by phase, those of one in the order of the model. */
static void number_threads(work *w, wlm_schedule *s)
{
    int32_t *next = w->room;
    for (int32_t p = 0; p <= s->phases; p++) s->first_thread[p] = 0;
    for (int32_t i = 0; i < w->definitions; i++)
        if (w->thread[i] == i) s->first_thread[w->phase[i] + 1]++;
    for (int32_t p = 0; p < s->phases; p++) s->first_thread[p + 1] += s->first_thread[p];
    for (int32_t p = 0; p < s->phases; p++) next[p] = s->first_thread[p];
    for (int32_t i = 0; i < w->definitions; i++)
        if (w->thread[i] == i) w->number[i] = next[w->phase[i]]++;
    for (int32_t i = 0; i < w->definitions; i++)
        if (w->thread[i] != i) w->number[i] = w->number[w->thread[i]];
}

/* Formulas of each thread in the order of levels, and a thread for each ODE. */
static void list_formulas(work *w, int32_t states, wlm_schedule *s)
{
    int32_t threads = s->first_thread[s->phases - 1], *next = w->room;
    for (int32_t k = 0; k <= threads; k++) s->first_formula[k] = 0;
    for (int32_t i = 0; i < w->definitions; i++) s->first_formula[w->number[i] + 1]++;
    for (int32_t k = 0; k < threads; k++) s->first_formula[k + 1] += s->first_formula[k];
    for (int32_t k = 0; k < threads; k++) next[k] = s->first_formula[k];
    for (int32_t k = 0; k < w->definitions; k++) s->formula[next[w->number[w->sorted[k]]]++] = w->sorted[k];
    for (int32_t i = 0; i < states; i++) {
        s->formula[w->definitions + i] = w->definitions + i;
        s->first_formula[threads + i + 1] = w->definitions + i + 1;
    }
    s->threads = s->first_thread[s->phases] = threads + states;
}

static warplu_status build(wlu_context *ctx, const wlm_formulas *f, int merge, work *w, wlm_schedule *s)
{
    int64_t formulas = f->definitions + (int64_t)f->states;
    find_levels(f, w);
    sort_by_level(w, w->room);
    for (int32_t k = 0; k < w->definitions; k++) place(f, w, w->sorted[k], merge);
    s->phases = 1;
    for (int32_t i = 0; i < w->definitions; i++)
        if (w->phase[i] + 2 > s->phases) s->phases = w->phase[i] + 2;
    s->first_thread = WLU_ALLOC(ctx, s->phases + (int64_t)1, int32_t);
    s->first_formula = WLU_ALLOC(ctx, formulas + 1, int32_t);
    s->formula = WLU_ALLOC(ctx, formulas, int32_t);
    if (s->first_thread == NULL || s->first_formula == NULL || s->formula == NULL)
        return wlu_fail_memory(ctx, "phases");
    number_threads(w, s);
    list_formulas(w, f->states, s);
    return WARPLU_SUCCESS;
}

warplu_status wlm_schedule_create(wlu_context *ctx, const wlm_formulas *formulas, int merge, wlm_schedule **out)
{
    int64_t n = formulas->definitions;
    int32_t *room = WLU_ALLOC(ctx, 6 * n + 2, int32_t);
    wlm_schedule *s = WLU_CALLOC(ctx, 1, wlm_schedule);
    warplu_status status = WARPLU_SUCCESS;
    *out = NULL;
    if (room == NULL || s == NULL) status = wlu_fail_memory(ctx, "phases");
    if (status == WARPLU_SUCCESS) {
        work w = {formulas->definitions, 0, room, room + n, room + 2 * n, room + 3 * n, room + 4 * n, room + 5 * n};
        status = build(ctx, formulas, merge, &w, s);
    }
    wlu_free(ctx, room);
    if (status != WARPLU_SUCCESS) wlm_schedule_destroy(ctx, &s);
    *out = s;
    return status;
}

void wlm_schedule_destroy(wlu_context *ctx, wlm_schedule **schedule)
{
    wlm_schedule *s = *schedule;
    if (s == NULL) return;
    wlu_free(ctx, s->first_thread);
    wlu_free(ctx, s->first_formula);
    wlu_free(ctx, s->formula);
    wlu_free(ctx, s);
    *schedule = NULL;
}
