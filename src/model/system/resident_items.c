/* Writes what one thread does: an instance of a use, or the sum of a target. */
#include <inttypes.h>
#include <string.h>

#include "model/device/instructions.h"
#include "model/system/resident_parts.h"

enum { WARP = 32 };

void wlm_resident_open(wlm_resident_kernel *k, int64_t items)
{
    int32_t done = k->w->truths++;
    k->loop = ++k->w->labels, k->behind = ++k->w->labels;
    wlm_ptx_line(k->w, "mov.u32 %%r%d, %%r%d;", WLM_RW_ITEM, WLM_RW_THREAD);
    wlm_ptx_line(k->w, "L%d: setp.ge.u32 %%p%d, %%r%d, %" PRId64 ";", (int)k->loop, (int)done, WLM_RW_ITEM, items);
    wlm_ptx_line(k->w, "@%%p%d bra L%d;", (int)done, (int)k->behind);
}

void wlm_resident_close(wlm_resident_kernel *k)
{
    wlm_ptx_line(k->w, "add.u32 %%r%d, %%r%d, %%r%d;", WLM_RW_ITEM, WLM_RW_ITEM, WLM_RW_THREADS);
    wlm_ptx_line(k->w, "bra L%d;", (int)k->loop);
    wlm_ptx_line(k->w, "L%d:", (int)k->behind);
}

/* Returns the address base + place + bytes times an index. */
static int32_t address(const wlm_resident_kernel *k, int base, int64_t place, int32_t index, int bytes)
{
    int32_t at = k->w->words++, of = k->w->words++;
    wlm_ptx_line(k->w, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", (int)at, base, place);
    wlm_ptx_line(k->w, "mad.wide.u32 %%rd%d, %%r%d, %d, %%rd%d;", (int)of, (int)index, bytes, (int)at);
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

static int32_t load_word(const wlm_resident_kernel *k, int64_t place, int32_t index)
{
    int32_t at = address(k, WLM_RA_BLOCK, place, index, sizeof(int32_t)), to = k->w->halves++;
    wlm_ptx_line(k->w, "ld.global.u32 %%r%d, [%%rd%d];", (int)to, (int)at);
    return to;
}

/* ---------------------------------------------------------------- instances */

/* The base and place of an array of numbers that instances read. */
static int base_of(wlm_memory memory)
{
    return memory == WLM_MEMORY_UNKNOWNS ? WLM_RA_AT : WLM_RA_BLOCK;
}

static int64_t place_of(const wlm_resident_plan *p, wlm_memory memory)
{
    return memory == WLM_MEMORY_UNKNOWNS ? 0 : memory == WLM_MEMORY_SUMS ? p->sums : p->fixed;
}

/* Loads an input of an instance; returns its register. near: the place of the nodes' numbers that `node` has. */
static int32_t load_input(const wlm_resident_kernel *k, const wlm_bank_input *in, int64_t given, int32_t instance,
                          int64_t *near, int32_t *node)
{
    if (in->source == WLM_SOURCE_TIME) return WLM_RF_TIME;
    if (in->source == WLM_SOURCE_FACTOR) return WLM_RF_H;
    if (in->source == WLM_SOURCE_PARAMETER) return wlm_resident_load(k, WLM_RA_BLOCK, given, instance);
    int64_t place = place_of(k->plan, in->memory);
    if (in->in_order) {
        place += (int64_t)wlm_where_at(&in->where, 0) * (int64_t)sizeof(double);
        return wlm_resident_load(k, base_of(in->memory), place, instance);
    }
    if (*near != given) *node = load_word(k, given, instance);
    *near = given;
    place += (int64_t)in->where.first * (int64_t)sizeof(double);
    return wlm_resident_load(k, base_of(in->memory), place, *node);
}

/* Stores an addend where its sum is. */
static void store_sum(const wlm_resident_kernel *k, const wlm_bank_addend *addend, int64_t given, int32_t instance,
                      int32_t number)
{
    int64_t place = k->plan->sums + (int64_t)addend->row.first * (int64_t)sizeof(double);
    int32_t target = given >= 0 ? load_word(k, given, instance) : instance, negated = number;
    if (addend->minus) {
        negated = wlm_ptx_real(k->w);
        wlm_ptx_line(k->w, "neg.f64 %%fd%d, %%fd%d;", (int)negated, (int)number);
    }
    wlm_resident_store(k, WLM_RA_BLOCK, place, target, negated);
}

/* Returns 1 where an output is summed here; charges are not, for explicit methods have masses. */
static int is_summed(const wlm_bank *bank, int32_t output)
{
    int is = 0;
    for (int32_t a = 0; a < bank->addends; a++)
        is |= bank->addend[a].output == output && bank->addend[a].role != WLM_ROLE_Q;
    return is;
}

/* Stores what an instance computes: rates of states or new ones in vectors, and contributions, or sums of one each. */
static void store_outputs(const wlm_resident_kernel *k, const wlm_resident_pass *pass, int32_t use, const int32_t *slot,
                          int32_t instance)
{
    const wlm_bank *bank = &pass->pass->bank[use];
    int vector = k->plan->transient->facts->family == WLM_FAMILY_GATES ? WLM_RA_NEXT : WLM_RA_RATES;
    const int32_t *number = slot + bank->program->inputs;
    for (int32_t o = 0; o < bank->outputs; o++) {
        int64_t place = (int64_t)bank->output[o].at * (int64_t)sizeof(double);
        if (bank->output[o].to_vector)
            wlm_resident_store(k, vector, place, instance, number[o]);
        else if (pass->target == NULL && is_summed(bank, o))
            wlm_resident_store(k, WLM_RA_BLOCK, k->plan->contributions + place, instance, number[o]);
    }
    for (int32_t a = 0; pass->target != NULL && a < bank->addends; a++)
        if (bank->addend[a].role == WLM_ROLE_SUM)
            store_sum(k, &bank->addend[a], pass->target[use][a], instance, number[bank->addend[a].output]);
}

static warplu_status write_instance(const wlm_resident_kernel *k, const wlm_resident_pass *pass, int32_t use,
                                    int32_t instance)
{
    const wlm_bank *bank = &pass->pass->bank[use];
    int64_t near = -1;
    int32_t node = 0, *slot = WLU_ALLOC(k->w->ctx, bank->program->slots, int32_t);
    if (slot == NULL) return wlu_fail_memory(k->w->ctx, "a kernel");
    for (int32_t i = 0; i < bank->inputs; i++)
        slot[bank->input[i].slot] = load_input(k, &bank->input[i], pass->input[use][i], instance, &near, &node);
    wlm_ptx_program(k->w, bank->program, &k->plan->lookups, slot);
    store_outputs(k, pass, use, slot, instance);
    wlu_free(k->w->ctx, slot);
    return WARPLU_SUCCESS;
}

static int64_t in_warps(int32_t count)
{
    return ((int64_t)count + WARP - 1) / WARP * WARP;
}

/* Items are instances, those of a use behind those of the use before; a warp has those of one use. */
warplu_status wlm_resident_run_banks(wlm_resident_kernel *k, const wlm_resident_pass *pass)
{
    int64_t items = 0, begin = 0;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t u = 0; u < pass->pass->uses; u++)
        if (pass->pass->bank[u].outputs > 0) items += in_warps(pass->pass->bank[u].count);
    if (items == 0) return WARPLU_SUCCESS;
    wlm_resident_open(k, items);
    int32_t next = ++k->w->labels;
    for (int32_t u = 0; u < pass->pass->uses && status == WARPLU_SUCCESS; u++) {
        const wlm_bank *bank = &pass->pass->bank[u];
        if (bank->outputs == 0) continue;
        int64_t end = begin + in_warps(bank->count);
        int32_t other = ++k->w->labels, is_other = k->w->truths++, instance = k->w->halves++;
        wlm_ptx_line(k->w, "setp.ge.u32 %%p%d, %%r%d, %" PRId64 ";", (int)is_other, WLM_RW_ITEM, end);
        wlm_ptx_line(k->w, "@%%p%d bra L%d;", (int)is_other, (int)other);
        wlm_ptx_line(k->w, "add.u32 %%r%d, %%r%d, %" PRId64 ";", (int)instance, WLM_RW_ITEM, -begin);
        int32_t is_none = k->w->truths++;
        wlm_ptx_line(k->w, "setp.ge.u32 %%p%d, %%r%d, %d;", (int)is_none, (int)instance, (int)bank->count);
        wlm_ptx_line(k->w, "@%%p%d bra L%d;", (int)is_none, (int)next);
        status = write_instance(k, pass, u, instance);
        wlm_ptx_line(k->w, "bra L%d;", (int)next);
        wlm_ptx_line(k->w, "L%d:", (int)other);
        begin = end;
    }
    wlm_ptx_line(k->w, "L%d:", (int)next);
    wlm_resident_close(k);
    return status;
}

/* --------------------------------------------------------------------- sums */

/* Loads the contribution that a word of a list names; returns its register. */
static int32_t load_named(const wlm_resident_kernel *k, int32_t idx)
{
    wlm_ptx *w = k->w;
    int32_t from = w->halves++, minus = w->truths++, negated = wlm_ptx_real(w);
    wlm_ptx_line(w, "not.b32 %%r%d, %%r%d;", (int)from, (int)idx);
    wlm_ptx_line(w, "setp.lt.s32 %%p%d, %%r%d, 0;", (int)minus, (int)idx);
    wlm_ptx_line(w, "selp.b32 %%r%d, %%r%d, %%r%d, %%p%d;", (int)from, (int)from, (int)idx, (int)minus);
    int32_t number = wlm_resident_load(k, WLM_RA_BLOCK, k->plan->contributions, from);
    wlm_ptx_line(w, "neg.f64 %%fd%d, %%fd%d;", (int)negated, (int)number);
    wlm_ptx_line(w, "selp.f64 %%fd%d, %%fd%d, %%fd%d, %%p%d;", (int)number, (int)negated, (int)number, (int)minus);
    return number;
}

static void add(wlm_ptx *w, int32_t sum, int32_t number)
{
    wlm_ptx_line(w, "add.rn.f64 %%fd%d, %%fd%d, %%fd%d;", (int)sum, (int)sum, (int)number);
}

/* Writes a sum by the table: all of its contributions are loaded before the first is added. */
static int32_t sum_of_table(const wlm_resident_kernel *k, const wlm_resident_pass *pass, int32_t target)
{
    int32_t number[WLM_RESIDENT_WIDTH];
    for (int32_t j = 0; j < pass->width; j++)
        number[j] = load_word(k, pass->idx + (int64_t)j * pass->gather->targets * (int64_t)sizeof(int32_t), target);
    for (int32_t j = 0; j < pass->width; j++) number[j] = load_named(k, number[j]);
    for (int32_t j = 1; j < pass->width; j++) add(k->w, number[0], number[j]);
    return number[0];
}

/* Opens a loop that ends where `at` is `end`; returns its label. The label behind it is the next one. */
static int32_t open_sum(wlm_ptx *w, int32_t at, int32_t end)
{
    int32_t loop = ++w->labels, behind = ++w->labels, ends = w->truths++;
    wlm_ptx_line(w, "L%d: setp.ge.u32 %%p%d, %%r%d, %%r%d;", (int)loop, (int)ends, (int)at, (int)end);
    wlm_ptx_line(w, "@%%p%d bra L%d;", (int)ends, (int)behind);
    return loop;
}

static void close_sum(wlm_ptx *w, int32_t loop)
{
    wlm_ptx_line(w, "bra L%d;", (int)loop);
    wlm_ptx_line(w, "L%d:", (int)loop + 1);
}

/* Writes a sum by the list: blocks of contributions in order, then their sums in order (gather.h). A sum begins as its
 * first number: -0 leaves what is added to it as it is. */
static int32_t sum_of_list(const wlm_resident_kernel *k, const wlm_resident_pass *pass, int32_t target)
{
    static const char none[] = "0d8000000000000000";
    wlm_ptx *w = k->w;
    int32_t at = load_word(k, pass->ptr, target), next = w->halves++, stop = w->halves++, is = w->truths++;
    int32_t sum = wlm_ptx_real(w), part = wlm_ptx_real(w);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, 1;", (int)next, (int)target);
    int32_t end = load_word(k, pass->ptr, next);
    wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, %%r%d;", (int)is, (int)at, (int)end);
    wlm_ptx_line(w, "selp.f64 %%fd%d, 0d0000000000000000, %s, %%p%d;", (int)sum, none, (int)is);
    int32_t blocks = open_sum(w, at, end);
    wlm_ptx_line(w, "mov.f64 %%fd%d, %s;", (int)part, none);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, %d;", (int)stop, (int)at, (int)WLM_GATHER_BLOCK);
    wlm_ptx_line(w, "setp.lt.u32 %%p%d, %%r%d, %%r%d;", (int)is, (int)stop, (int)end);
    wlm_ptx_line(w, "selp.b32 %%r%d, %%r%d, %%r%d, %%p%d;", (int)stop, (int)stop, (int)end, (int)is);
    int32_t block = open_sum(w, at, stop);
    add(w, part, load_named(k, load_word(k, pass->idx, at)));
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, 1;", (int)at, (int)at);
    close_sum(w, block);
    add(w, sum, part);
    close_sum(w, blocks);
    return sum;
}

int32_t wlm_resident_sum(const wlm_resident_kernel *k, const wlm_resident_pass *pass, int32_t target)
{
    return pass->width > 0 ? sum_of_table(k, pass, target) : sum_of_list(k, pass, target);
}
