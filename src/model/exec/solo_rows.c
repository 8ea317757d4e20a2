/* Puts items into rows and lanes, from the outputs up. See solo_parts.h.
 *
 * An item is ready when all its readers are in rows. The next row takes the opcode of that ready item for which the
 * longest chain waits; functions wait until nothing else is ready, so that many of one kind come together. An item
 * joins a row if no run becomes longer than the longest chain of operations: `before` is the latency of the chain up
 * to the item, itself included, `behind` that of its readers. It takes the lane of a reader where that is free, for
 * then the reader needs no pick. O(items): only the first few that are ready are looked at. */
#include "model/exec/solo_parts.h"

#include <stdlib.h>

enum { WINDOW = 64 };
/* Latencies: cycles until a result can be read from its line. */
enum { SUM_CYCLES = 11, DIVISION_CYCLES = 21, EXPONENTIAL_CYCLES = 74, FUNCTION_CYCLES = 120 };

typedef struct orderer {
    wlm_solo_plan *plan;
    int32_t *ptr, *reader;         /* for each item: its readers, once for each operand */
    int32_t *left, *next, *output; /* for each: readers without a row; the next ready item; its output, or -1 */
    int32_t *before, *behind;      /* cycles */
    int32_t head[WLM_MOVE], all, longest;
} orderer;

/* Returns 1 of functions, which wait until nothing else is ready, and of inputs, which wait too. */
static int waits(int32_t opcode)
{
    return wlm_opcode_is_elementary((wlm_opcode)opcode) || opcode == WLM_INPUT;
}

static int32_t cycles_of(int32_t opcode)
{
    switch (wlm_opcode_cost((wlm_opcode)opcode)) {
    case WLM_COST_NOTHING: break;
    case WLM_COST_CHEAP: return SUM_CYCLES;
    case WLM_COST_DIVISION:
    case WLM_COST_ROOT: return DIVISION_CYCLES;
    case WLM_COST_EXPONENTIAL: return EXPONENTIAL_CYCLES;
    case WLM_COST_FUNCTION:
    case WLM_COST_POWER: return FUNCTION_CYCLES;
    }
    return 0;
}

/* Puts an item into the list of its opcode; items of longer chains stand in front. */
static void make_ready(orderer *o, int32_t item)
{
    int32_t opcode = o->plan->item[item].opcode, *link = &o->head[opcode];
    o->behind[item] = 0;
    for (int32_t k = o->ptr[item]; k < o->ptr[item + 1]; k++) {
        int32_t behind = o->plan->row[o->plan->item[o->reader[k]].row].cycles;
        if (behind > o->behind[item]) o->behind[item] = behind;
    }
    int32_t length = o->before[item] + o->behind[item];
    for (int k = 0; k < WINDOW && *link >= 0 && o->before[*link] + o->behind[*link] > length; k++)
        link = &o->next[*link];
    o->next[item] = *link;
    *link = item;
    o->all++;
}

static void find_readers(orderer *o)
{
    const wlm_solo_plan *p = o->plan;
    for (int32_t i = 0; i < p->items; i++) o->left[i] = 0, o->output[i] = -1;
    for (int32_t i = 0; i < p->items; i++)
        for (int k = 0; k < p->item[i].operands && p->item[i].uses > 0; k++)
            if (p->item[i].operand[k].item >= 0) o->left[p->item[i].operand[k].item]++;
    o->ptr[0] = 0;
    for (int32_t i = 0; i < p->items; i++) o->ptr[i + 1] = o->ptr[i] + o->left[i];
    for (int32_t i = p->items - 1; i >= 0; i--)
        for (int k = 0; k < p->item[i].operands && p->item[i].uses > 0; k++) {
            int32_t of = p->item[i].operand[k].item;
            if (of >= 0) o->reader[o->ptr[of] + --o->left[of]] = i;
        }
    for (int32_t i = 0; i < p->items; i++) o->left[i] = o->ptr[i + 1] - o->ptr[i];
    for (int32_t k = p->program->outputs - 1; k >= 0; k--)
        if (p->output[k].item >= 0) o->output[p->output[k].item] = k;
}

static void find_before(orderer *o)
{
    const wlm_solo_plan *p = o->plan;
    for (int32_t i = 0; i < p->items; i++) {
        o->before[i] = 0;
        for (int k = 0; k < p->item[i].operands; k++) {
            int32_t of = p->item[i].operand[k].item;
            if (of >= 0 && o->before[of] > o->before[i]) o->before[i] = o->before[of];
        }
        o->before[i] += cycles_of(p->item[i].opcode);
        if (p->item[i].uses > 0 && o->before[i] > o->longest) o->longest = o->before[i];
    }
}

static int32_t choose_opcode(const orderer *o)
{
    int32_t best = -1, most = -1;
    for (int32_t opcode = 0; opcode < WLM_MOVE; opcode++) {
        int32_t first = o->head[opcode];
        if (first < 0) continue;
        int32_t length = o->before[first] + o->behind[first] + (waits(opcode) ? 0 : o->longest + 1);
        if (length > most) best = opcode, most = length;
    }
    return best;
}

/* Returns a free lane in which a reader of the item stands; -1: none. */
static int wanted_lane(const orderer *o, const wlm_solo_row *row, int32_t item)
{
    int32_t few = o->ptr[item + 1] - o->ptr[item] < WINDOW ? o->ptr[item + 1] : o->ptr[item] + WINDOW;
    for (int32_t k = o->ptr[item]; k < few; k++) {
        int lane = o->plan->item[o->reader[k]].lane;
        if (row->item[lane] < 0) return lane;
    }
    int lane = o->output[item] % o->plan->kernels->width;
    return o->output[item] >= 0 && o->ptr[item] == o->ptr[item + 1] && row->item[lane] < 0 ? lane : -1;
}

/* Moves a narrow row of divisions into the lowest lanes, where it is faster. */
static void move_down(wlm_solo_row *row, int width)
{
    int to = 0;
    for (int lane = 0; lane < width; lane++) {
        int32_t item = row->item[lane];
        if (item < 0) continue;
        row->item[lane] = -1;
        row->item[to++] = item;
    }
}

/* A row while it is filled: how many items it has, and the longest of their `before` and `behind`. */
typedef struct filling {
    int32_t count, before, behind;
} filling;

static int fits(const orderer *o, const filling *f, int32_t item)
{
    int32_t before = o->before[item] > f->before ? o->before[item] : f->before;
    int32_t behind = o->behind[item] > f->behind ? o->behind[item] : f->behind;
    return f->count == 0 || before + behind <= o->longest;
}

static void take(orderer *o, filling *f, wlm_solo_row *row, int lane, int32_t *link)
{
    int32_t item = *link;
    *link = o->next[item];
    o->all--;
    row->item[lane] = item;
    f->count++;
    if (o->before[item] > f->before) f->before = o->before[item];
    if (o->behind[item] > f->behind) f->behind = o->behind[item];
}

/* Fills a row: first with items that have a wanted lane, then with others. */
static void fill(orderer *o, wlm_solo_row *row)
{
    int width = o->plan->kernels->width;
    filling f = {0};
    for (int k = 0; k < WLM_SOLO_WIDTH; k++) row->item[k] = -1;
    for (int wanted = 1; wanted >= 0; wanted--) {
        int32_t *link = &o->head[row->opcode], free = 0;
        for (int seen = 0; *link >= 0 && seen < WINDOW && f.count < width; seen++) {
            while (free < width && row->item[free] >= 0) free++;
            int lane = wanted ? wanted_lane(o, row, *link) : free;
            if (lane >= 0 && fits(o, &f, *link))
                take(o, &f, row, lane, link);
            else
                link = &o->next[*link];
        }
    }
    row->cycles = f.behind + cycles_of(row->opcode);
    if (row->opcode == WLM_DIV && f.count <= width / 2) move_down(row, width);
}

static void place(orderer *o, const wlm_solo_row *row, int32_t number)
{
    wlm_solo_plan *p = o->plan;
    for (int lane = 0; lane < p->kernels->width; lane++)
        if (row->item[lane] >= 0) p->item[row->item[lane]].row = number, p->item[row->item[lane]].lane = lane;
    for (int lane = 0; lane < p->kernels->width; lane++) {
        if (row->item[lane] < 0) continue;
        const wlm_solo_item *i = &p->item[row->item[lane]];
        for (int k = 0; k < i->operands; k++)
            if (i->operand[k].item >= 0 && --o->left[i->operand[k].item] == 0) make_ready(o, i->operand[k].item);
    }
}

/* Compares rows: the last one to run stands first; inputs stand at the end, for they come in before a run. */
static int by_time(const void *a, const void *b)
{
    const wlm_solo_row *x = a, *y = b;
    int input = (x->opcode == WLM_INPUT) - (y->opcode == WLM_INPUT);
    return input != 0 ? input : (x->cycles > y->cycles) - (x->cycles < y->cycles);
}

static void order(orderer *o)
{
    wlm_solo_plan *p = o->plan;
    find_readers(o);
    find_before(o);
    for (int k = 0; k < WLM_MOVE; k++) o->head[k] = -1;
    for (int32_t i = p->items - 1; i >= 0; i--)
        if (o->left[i] == 0 && p->item[i].uses > 0) make_ready(o, i);
    while (o->all > 0) {
        wlm_solo_row *row = &p->row[p->rows];
        row->opcode = choose_opcode(o);
        fill(o, row);
        place(o, row, p->rows++);
    }
    qsort(p->row, (size_t)p->rows, sizeof *p->row, by_time);
    for (int32_t r = 0; r < p->rows; r++)
        for (int lane = 0; lane < p->kernels->width; lane++)
            if (p->row[r].item[lane] >= 0) p->item[p->row[r].item[lane]].row = r;
}

warplu_status wlm_solo_order(wlm_solo_plan *plan)
{
    wlu_context *ctx = plan->ctx;
    int64_t n = plan->items, operands = 0;
    for (int64_t i = 0; i < n; i++) operands += plan->item[i].operands;
    orderer o = {.plan = plan,
                 .ptr = WLU_ALLOC(ctx, n + 1, int32_t),
                 .reader = WLU_ALLOC(ctx, operands, int32_t),
                 .left = WLU_ALLOC(ctx, n, int32_t),
                 .next = WLU_ALLOC(ctx, n, int32_t),
                 .output = WLU_ALLOC(ctx, n, int32_t),
                 .before = WLU_ALLOC(ctx, n, int32_t),
                 .behind = WLU_ALLOC(ctx, n, int32_t)};
    plan->row = WLU_ALLOC(ctx, n, wlm_solo_row);
    int enough = WLU_ALL_THERE(o.ptr, o.reader, o.left, o.next, o.output, o.before, o.behind, plan->row);
    if (enough) order(&o);
    wlu_free(ctx, o.ptr);
    wlu_free(ctx, o.reader);
    wlu_free(ctx, o.left);
    wlu_free(ctx, o.next);
    wlu_free(ctx, o.output);
    wlu_free(ctx, o.before);
    wlu_free(ctx, o.behind);
    return enough ? WARPLU_SUCCESS : wlu_fail_memory(ctx, "code");
}
