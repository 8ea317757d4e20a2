/* Makes instructions of solos from rows. See solo_parts.h.
 *
 * Items of a row are computed one by one where they read tables, or bringing their operands together would take longer.
 * Such sums and products are singles: one instruction goes through those of rows that follow each other. What else is
 * computed alone stands in all lanes of its line, so that every reader finds it in place. A line is used again when all
 * its readers are done. Lanes without an item compute what the row's first one does, lest they meet subnormal numbers,
 * which take a processor a hundred cycles. O(items): of lines of constants the last ones are looked at for one that
 * fits. */
#include "model/exec/solo_parts.h"

#include <string.h>

/* Lines are numbered; lines of constants have -1, -2, ... until all are known. A place is width times a line's number,
 * plus a lane. */
typedef struct emitter {
    wlm_solo_plan *plan;
    struct wlm_solo *solo;
    int width;
    int32_t *line_of, *readers; /* for each row: its line; operands that still have to be read there */
    int32_t *free_line, free_lines;
    double *constant;    /* lines */
    unsigned char *used; /* for each line of constants: the lanes that are taken */
} emitter;

enum { CONSTANT_LINES_SEEN = 128 };

static int32_t new_line(emitter *e)
{
    return e->free_lines > 0 ? e->free_line[--e->free_lines] : e->solo->lines++;
}

/* Finds or makes a line that has these constants in the lanes of mask. */
static int32_t constant_line(emitter *e, const double *value, unsigned mask)
{
    int32_t *count = &e->solo->constants, k = *count > CONSTANT_LINES_SEEN ? *count - CONSTANT_LINES_SEEN : 0;
    for (; k < *count; k++) {
        int fits = 1;
        for (int lane = 0; lane < e->width && fits; lane++)
            fits = !(mask & e->used[k] & 1u << lane) ||
                   memcmp(&e->constant[(int64_t)k * e->width + lane], &value[lane], sizeof *value) == 0;
        if (fits) break;
    }
    if (k == *count) ++*count;
    for (int lane = 0; lane < e->width; lane++)
        if (!(e->used[k] & 1u << lane)) e->constant[(int64_t)k * e->width + lane] = value[lane];
    e->used[k] |= (unsigned char)mask;
    return -1 - k;
}

/* Returns the place of a number; lines of constants count down, and so do the lanes of theirs. */
static int32_t place_of(const emitter *e, int32_t line, int lane)
{
    return e->width * line + (line < 0 ? -lane : lane);
}

/* An operand of a row: for each lane a line, and the lane there. mask: lanes that have an item. */
typedef struct wanted {
    unsigned mask;
    int32_t line[WLM_SOLO_WIDTH];
    int lane[WLM_SOLO_WIDTH], one; /* one: the first lane of mask */
} wanted;

static wanted find_wanted(emitter *e, const wlm_solo_row *row, int k)
{
    const wlm_solo_plan *p = e->plan;
    double constant[WLM_SOLO_WIDTH];
    unsigned constants = 0;
    wanted w = {.one = -1};
    for (int lane = 0; lane < e->width; lane++) {
        if (row->item[lane] < 0) continue;
        const wlm_solo_value *v = &p->item[row->item[lane]].operand[k];
        if (w.one < 0) w.one = lane;
        w.mask |= 1u << lane;
        w.lane[lane] = v->item >= 0 && p->item[v->item].lane >= 0 ? p->item[v->item].lane : lane;
        if (v->item >= 0) {
            w.line[lane] = e->line_of[p->item[v->item].row];
            continue;
        }
        for (int other = 0; other < e->width; other++)
            if (constants == 0 || other == lane) constant[other] = v->constant;
        constants |= 1u << lane;
    }
    int32_t line = constants != 0 ? constant_line(e, constant, constants) : 0;
    for (int lane = 0; lane < e->width; lane++)
        if (constants & 1u << lane) w.line[lane] = line;
    for (int lane = 0; lane < e->width; lane++)
        if (row->item[lane] < 0) w.line[lane] = w.line[w.one], w.lane[lane] = w.lane[w.one];
    return w;
}

/* Returns an operand that brings numbers of two lines, or of one, to their lanes. */
static wlm_solo_operand pick(emitter *e, const wanted *w, int32_t first, int32_t other)
{
    int parts = WLM_SOLO_WIDTH / e->width;
    wlm_solo_pick *p = &e->solo->pick[e->solo->picks++];
    p->at = e->width * other;
    for (int k = 0; k < WLM_SOLO_WIDTH; k++) {
        int lane = k / parts, place = w->line[lane] == first ? w->lane[lane] : e->width + w->lane[lane];
        p->place[k] = (unsigned char)(place * parts + k % parts);
    }
    return (wlm_solo_operand){.at = e->width * first, .form = WLM_SOLO_PICKED, .pick = p};
}

static wlm_solo_operand gather(emitter *e, const wanted *w)
{
    int32_t *from = &e->solo->gathered[e->solo->gathers];
    for (int lane = 0; lane < e->width; lane++) from[lane] = place_of(e, w->line[lane], w->lane[lane]);
    e->solo->gathers += e->width;
    return (wlm_solo_operand){.form = WLM_SOLO_GATHERED, .lane = from};
}

static wlm_solo_operand operand_of(emitter *e, const wlm_solo_row *row, int k)
{
    int same = 1, in_place = 1;
    int32_t line[WLM_SOLO_WIDTH] = {0}, lines = 0;
    wanted w = find_wanted(e, row, k);
    for (int lane = 0; lane < e->width; lane++) {
        int32_t known = 0;
        if (!(w.mask & 1u << lane)) continue;
        same &= w.line[lane] == w.line[w.one] && w.lane[lane] == w.lane[w.one];
        in_place &= w.lane[lane] == lane;
        while (known < lines && line[known] != w.line[lane]) known++;
        if (known == lines) line[lines++] = w.line[lane];
    }
    if (lines == 1 && in_place) return (wlm_solo_operand){.at = e->width * line[0], .form = WLM_SOLO_LINE};
    if (same) return (wlm_solo_operand){.at = e->width * line[0] + w.lane[w.one], .form = WLM_SOLO_NUMBER};
    return lines > 2 ? gather(e, &w) : pick(e, &w, line[0], line[lines - 1]);
}

/* Returns an operand of an item that is computed in all lanes. */
static wlm_solo_operand operand_in_all(emitter *e, const wlm_solo_value *v)
{
    if (v->item < 0) {
        double value[WLM_SOLO_WIDTH];
        for (int lane = 0; lane < e->width; lane++) value[lane] = v->constant;
        return (wlm_solo_operand){.at = e->width * constant_line(e, value, (1u << e->width) - 1)};
    }
    const wlm_solo_item *of = &e->plan->item[v->item];
    int32_t at = e->width * e->line_of[of->row];
    if (of->lane < 0) return (wlm_solo_operand){.at = at, .form = WLM_SOLO_LINE};
    return (wlm_solo_operand){.at = at + of->lane, .form = WLM_SOLO_NUMBER};
}

static void was_read_by(emitter *e, const wlm_solo_item *item)
{
    for (int k = 0; k < item->operands; k++) {
        if (item->operand[k].item < 0) continue;
        int32_t row = e->plan->item[item->operand[k].item].row;
        if (--e->readers[row] == 0) e->free_line[e->free_lines++] = e->line_of[row];
    }
}

/* Returns the kernel of a row in the lowest `lanes` lanes. */
static wlm_solo_kernel *kernel_of(const emitter *e, int32_t opcode, const wlm_solo_operand *from, int lanes)
{
    const wlm_solo_kernels *k = e->plan->kernels->solo;
    int forms = 4 * (int)from[0].form + (int)from[1].form, all = 4 * forms + (int)from[2].form;
    switch (opcode) {
    case WLM_FMA: return k->fma[all];
    case WLM_FNMA: return k->fnma[all];
    case WLM_SELECT: return k->select[all];
    case WLM_DIV: return lanes == 1 ? k->div_one : 2 * lanes <= e->width ? k->div_half : k->div[forms];
    case WLM_EXP: return k->exp;
    default: return k->any[opcode];
    }
}

/* Puts the result of a row in a line. */
static void finish_row(emitter *e, wlm_solo_instruction *i, int32_t row)
{
    i->to = e->width * (e->line_of[row] = new_line(e));
    e->solo->instruction[e->solo->instructions++] = *i;
}

static void emit_alone(emitter *e, wlm_solo_item *item)
{
    wlm_solo_operand from[WLM_SOLO_OPERANDS] = {{0}};
    wlm_solo_instruction i = {.of = {.from = {{0}}}};
    for (int k = 0; k < item->operands; k++) from[k] = operand_in_all(e, &item->operand[k]);
    for (int k = 0; k < wlm_operand_count(item->opcode); k++) i.of.from[k] = from[k];
    for (int k = 1; k < WLM_SOLO_OPERANDS && item->opcode == WLM_EXP; k++) i.of.exp.constant[k - 1] = from[k].at;
    if (wlm_is_tabled(item->opcode)) i.of.from[WLM_SOLO_TABLE].table = item->table;
    i.kernel = kernel_of(e, item->opcode, i.of.from, 1);
    was_read_by(e, item);
    item->row = e->plan->rows++, item->lane = -1;
    e->readers[item->row] = item->uses;
    finish_row(e, &i, item->row);
}

static int is_single(int32_t opcode)
{
    return opcode == WLM_FMA || opcode == WLM_FNMA;
}

/* Returns the place of an operand of an item that is computed by itself in this lane. */
static int32_t place_of_operand(emitter *e, const wlm_solo_value *v, int lane)
{
    if (v->item >= 0) {
        const wlm_solo_item *of = &e->plan->item[v->item];
        return place_of(e, e->line_of[of->row], of->lane >= 0 ? of->lane : lane);
    }
    double value[WLM_SOLO_WIDTH];
    for (int k = 0; k < e->width; k++) value[k] = v->constant;
    return place_of(e, constant_line(e, value, 1u << lane), lane);
}

/* Returns the instruction that the next singles belong to. */
static wlm_solo_instruction *instruction_of_singles(const emitter *e, int32_t opcode)
{
    const wlm_solo_kernels *kernels = e->plan->kernels->solo;
    wlm_solo_kernel *kernel = opcode == WLM_FMA ? kernels->fma_singles : kernels->fnma_singles;
    struct wlm_solo *s = e->solo;
    if (s->instructions > 0 && s->instruction[s->instructions - 1].kernel == kernel)
        return &s->instruction[s->instructions - 1];
    wlm_solo_instruction *i = &s->instruction[s->instructions++];
    *i = (wlm_solo_instruction){.kernel = kernel, .of = {.singles = {.single = &s->single[s->singles]}}};
    return i;
}

/* Makes singles of a row's items. Their line is another one than those that they read, for one comes after another. */
static void emit_singles(emitter *e, int32_t number)
{
    const wlm_solo_row *row = &e->plan->row[number];
    wlm_solo_instruction *i = instruction_of_singles(e, row->opcode);
    e->line_of[number] = new_line(e);
    for (int lane = 0; lane < e->width; lane++) {
        if (row->item[lane] < 0) continue;
        const wlm_solo_item *item = &e->plan->item[row->item[lane]];
        wlm_solo_single *single = &e->solo->single[e->solo->singles++];
        single->to = place_of(e, e->line_of[number], lane);
        for (int k = 0; k < 3; k++) single->from[k] = place_of_operand(e, &item->operand[k], lane);
        i->of.singles.count++;
    }
    for (int lane = 0; lane < e->width; lane++)
        if (row->item[lane] >= 0) was_read_by(e, &e->plan->item[row->item[lane]]);
}

/* Returns 1 where a row's items are cheaper one by one, counted in cycles of a processor. */
static int falls_apart(const emitter *e, int32_t opcode, const wlm_solo_operand *from, int count)
{
    const int cost[] = {
        [WLM_SOLO_LINE] = 1, [WLM_SOLO_NUMBER] = 1, [WLM_SOLO_PICKED] = 3, [WLM_SOLO_GATHERED] = 2 * e->width};
    int operands = wlm_operand_count(opcode), together = 10;
    if (wlm_is_tabled(opcode)) return 1;
    if (wlm_opcode_cost((wlm_opcode)opcode) != WLM_COST_CHEAP) return 0;
    for (int k = 0; k < operands; k++) together += cost[from[k].form];
    return together > count * (is_single(opcode) ? 3 : 10 + operands);
}

static void emit_row(emitter *e, int32_t number)
{
    const wlm_solo_row *row = &e->plan->row[number];
    wlm_solo_instruction i = {.of = {.from = {{0}}}};
    int operands = wlm_operand_count(row->opcode), count = 0, lanes = 0;
    const int32_t picks = e->solo->picks, gathers = e->solo->gathers;
    for (int lane = 0; lane < e->width; lane++)
        if (row->item[lane] >= 0) count++, lanes = lane + 1;
    for (int k = 0; k < operands && count > 1; k++) i.of.from[k] = operand_of(e, row, k);
    if (count == 1 || falls_apart(e, row->opcode, i.of.from, count)) {
        e->solo->picks = picks, e->solo->gathers = gathers;
        if (is_single(row->opcode)) {
            emit_singles(e, number);
            return;
        }
        for (int lane = 0; lane < e->width; lane++)
            if (row->item[lane] >= 0) emit_alone(e, &e->plan->item[row->item[lane]]);
        return;
    }
    for (int k = 1; k < WLM_SOLO_OPERANDS && row->opcode == WLM_EXP; k++)
        i.of.exp.constant[k - 1] = operand_of(e, row, k).at;
    i.kernel = kernel_of(e, row->opcode, i.of.from, lanes);
    for (int lane = 0; lane < e->width; lane++)
        if (row->item[lane] >= 0) was_read_by(e, &e->plan->item[row->item[lane]]);
    finish_row(e, &i, number);
}

static void emit_input(emitter *e, int32_t number)
{
    const wlm_solo_row *row = &e->plan->row[number];
    int64_t line = e->line_of[number] = new_line(e);
    for (int lane = 0; lane < e->width; lane++) {
        if (row->item[lane] < 0) continue;
        int64_t slot = e->plan->item[row->item[lane]].input;
        e->solo->input[e->solo->inputs++] = (wlm_solo_carry){slot * e->plan->lanes, line * e->width + lane};
    }
}

static void emit_output(emitter *e, int32_t number)
{
    wlm_solo_operand o = operand_in_all(e, &e->plan->output[number]);
    int64_t slot = (int64_t)e->plan->program->inputs + number;
    e->solo->output[e->solo->outputs++] = (wlm_solo_carry){slot * e->plan->lanes, o.at};
}

/* ------------------------------------------------------------------- places */

/* Returns a place's final number, now that the number of lines is known. */
static int64_t final_place(const struct wlm_solo *s, int64_t place)
{
    return place >= 0 ? place : (s->lines - 1) * (int64_t)s->width - place;
}

static int32_t distance_of(const struct wlm_solo *s, int32_t place)
{
    return (int32_t)(final_place(s, place) * (int64_t)sizeof(double));
}

static void set_distances(struct wlm_solo *s, const wlm_kernels *kernels)
{
    for (int32_t k = 0; k < s->instructions; k++) {
        wlm_solo_instruction *i = &s->instruction[k];
        int is_exp = i->kernel == kernels->solo->exp;
        if (i->kernel == kernels->solo->fma_singles || i->kernel == kernels->solo->fnma_singles) continue;
        i->to = distance_of(s, i->to);
        for (int o = 0; o < (is_exp ? 1 : 3); o++) i->of.from[o].at = distance_of(s, i->of.from[o].at);
        for (int o = 0; o < WLM_SOLO_CONSTANTS && is_exp; o++)
            i->of.exp.constant[o] = distance_of(s, i->of.exp.constant[o]);
    }
    for (int32_t k = 0; k < s->picks; k++) s->pick[k].at = distance_of(s, s->pick[k].at);
    for (int32_t k = 0; k < s->singles; k++) {
        s->single[k].to = distance_of(s, s->single[k].to);
        for (int o = 0; o < 3; o++) s->single[k].from[o] = distance_of(s, s->single[k].from[o]);
    }
    for (int32_t k = 0; k < s->gathers; k++) s->gathered[k] = distance_of(s, s->gathered[k]);
    for (int32_t k = 0; k < s->outputs; k++) s->output[k].at = final_place(s, s->output[k].at);
}

/* -------------------------------------------------------------------- whole */

static warplu_status emit(emitter *e)
{
    const wlm_solo_plan *p = e->plan;
    struct wlm_solo *s = e->solo;
    for (int32_t r = 0; r < p->rows; r++) e->readers[r] = 0;
    for (int32_t i = 0; i < p->items; i++)
        if (p->item[i].uses > 0) e->readers[p->item[i].row] += p->item[i].uses;
    for (int32_t r = p->rows - 1; r >= 0; r--) {
        if (p->row[r].opcode == WLM_INPUT)
            emit_input(e, r);
        else
            emit_row(e, r);
    }
    for (int32_t k = 0; k < p->program->outputs; k++) emit_output(e, k);
    set_distances(s, p->kernels);
    s->constant = WLU_ALLOC(p->ctx, (int64_t)s->constants * s->width, double);
    if (s->constant == NULL) return wlu_fail_memory(p->ctx, "code");
    memcpy(s->constant, e->constant, (size_t)(s->constants * s->width) * sizeof *s->constant);
    return WARPLU_SUCCESS;
}

warplu_status wlm_solo_emit(wlm_solo_plan *p, struct wlm_solo *s)
{
    wlu_context *ctx = p->ctx;
    int64_t operands = 0, rows = (int64_t)p->rows + p->items;
    for (int32_t i = 0; i < p->items; i++) operands += p->item[i].operands;
    int64_t constants = 2 * operands + p->program->outputs;
    emitter e = {.plan = p,
                 .solo = s,
                 .width = s->width,
                 .line_of = WLU_ALLOC(ctx, rows, int32_t),
                 .readers = WLU_ALLOC(ctx, rows, int32_t),
                 .free_line = WLU_ALLOC(ctx, rows, int32_t),
                 .constant = WLU_ALLOC(ctx, constants * s->width, double),
                 .used = WLU_CALLOC(ctx, constants, unsigned char)};
    s->instruction = WLU_ALLOC(ctx, p->items, wlm_solo_instruction);
    s->pick = WLU_ALLOC(ctx, operands, wlm_solo_pick);
    s->gathered = WLU_ALLOC(ctx, 3 * operands, int32_t); /* a gather of eight is of three operands at least */
    s->single = WLU_ALLOC(ctx, p->items, wlm_solo_single);
    s->input = WLU_ALLOC(ctx, p->items, wlm_solo_carry);
    s->output = WLU_ALLOC(ctx, p->program->outputs, wlm_solo_carry);
    int enough = WLU_ALL_THERE(e.line_of, e.readers, e.free_line, e.constant, e.used, s->instruction, s->pick,
                               s->gathered, s->single, s->input, s->output);
    warplu_status status = enough ? emit(&e) : wlu_fail_memory(ctx, "code");
    wlu_free(ctx, e.line_of);
    wlu_free(ctx, e.readers);
    wlu_free(ctx, e.free_line);
    wlu_free(ctx, e.constant);
    wlu_free(ctx, e.used);
    return status;
}
