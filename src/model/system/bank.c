/* Runs banks: reads inputs, runs the program, writes outputs. */
#include "model/system/bank.h"

#include <string.h>

#include "base/finite.h"

/* Copies by a loop: what compilers make of memcpy here takes twice as long. */
static void copy(double *restrict to, const double *restrict from, int32_t lanes)
{
    for (int32_t i = 0; i < lanes; i++) to[i] = from[i];
}

/* Returns where the numbers of an input that stand in order begin. */
static const double *input_at(const wlm_bank_input *in, const wlm_bank_arrays *a, int32_t begin)
{
    if (in->source == WLM_SOURCE_PARAMETER) return in->parameter + begin;
    return a->memory[in->memory] + wlm_where_at(&in->where, begin);
}

static void load(const wlm_bank *l, const wlm_bank_input *in, double *slot, const wlm_bank_arrays *a, int32_t begin,
                 int32_t lanes)
{
    if (in->source == WLM_SOURCE_TIME || in->source == WLM_SOURCE_FACTOR) return;
    if (in->source == WLM_SOURCE_PARAMETER || in->in_order)
        copy(slot, input_at(in, a, begin), lanes);
    else
        wlm_indices_read(in->indices, l->kernels, a->memory[in->memory] + in->where.first, begin, lanes, slot);
}

/* Returns where an output's numbers go in order. */
static double *output_at(const wlm_bank_output *out, const wlm_bank_arrays *a, int32_t begin)
{
    if (out->is_sum) return a->sum + wlm_where_at(&out->sum, begin);
    return (out->to_vector ? a->vector : a->contribution) + out->at + begin;
}

/* Writes an output's numbers where they go. */
static void store(const wlm_bank_output *out, const double *slot, const wlm_bank_arrays *a, int32_t begin,
                  int32_t lanes)
{
    if (!out->is_sum || out->in_order)
        copy(output_at(out, a, begin), slot, lanes);
    else
        for (int32_t i = 0; i < lanes; i++) a->sum[out->sum.first + out->sum.node[begin + i]] = slot[i];
}

static double uniform(const wlm_bank_input *in, const wlm_bank_arrays *a)
{
    return in->source == WLM_SOURCE_TIME ? a->t : a->factor[in->factor];
}

/* Loads inputs that are the same in all lanes, once for all chunks: programs do not write their inputs. */
static void load_uniform(const wlm_bank *l, double *file, const wlm_bank_arrays *a)
{
    for (int32_t k = 0; k < l->inputs; k++) {
        const wlm_bank_input *in = &l->input[k];
        if (in->source != WLM_SOURCE_TIME && in->source != WLM_SOURCE_FACTOR) continue;
        const double value = uniform(in, a);
        double *slot = file + (int64_t)in->slot * WLM_LANES;
        for (int32_t i = 0; i < WLM_LANES; i++) slot[i] = value;
    }
}

static double load_one(const wlm_bank_input *in, const wlm_bank_arrays *a)
{
    if (in->source == WLM_SOURCE_PARAMETER) return in->parameter[0];
    return in->source == WLM_SOURCE_MEMORY ? a->memory[in->memory][wlm_where_at(&in->where, 0)] : uniform(in, a);
}

/* Runs the only instance, on a file with one number a slot. */
static void run_solo(const wlm_bank *l, const wlm_bank_room *room, const wlm_bank_arrays *a)
{
    double *file = room->file;
    for (int32_t k = 0; k < l->inputs; k++) file[l->input[k].slot] = load_one(&l->input[k], a);
    wlm_solo_run(l->solo, room->lines, file);
    const double *from = file + l->program->inputs;
    for (int32_t k = 0; k < l->outputs; k++) *output_at(&l->output[k], a, 0) = from[k];
}

/* Runs instances whose inputs and outputs are copied. */
static void run_copied(const wlm_bank *l, const wlm_bank_room *room, const wlm_bank_arrays *a, int32_t begin,
                       int32_t lanes)
{
    for (int32_t k = 0; k < l->inputs; k++)
        load(l, &l->input[k], room->file + (int64_t)l->input[k].slot * WLM_LANES, a, begin, lanes);
    wlm_run(l->code, room->file, lanes);
    const double *slot = room->file + (int64_t)l->program->inputs * WLM_LANES;
    for (int32_t k = 0; k < l->outputs; k++, slot += WLM_LANES) store(&l->output[k], slot, a, begin, lanes);
}

/* Runs a whole chunk, on inputs and outputs where they stand as far as they move. */
static void run_moving(const wlm_bank *l, const wlm_bank_room *room, const wlm_bank_arrays *a, int32_t begin)
{
    const int32_t first = l->program->inputs;
    for (int32_t k = 0; k < l->inputs; k++) {
        const wlm_bank_input *in = &l->input[k];
        if (l->moves[in->slot])
            wlm_moving_put(room->moving, room->file, in->slot, input_at(in, a, begin));
        else
            load(l, in, room->file + (int64_t)in->slot * WLM_LANES, a, begin, WLM_LANES);
    }
    for (int32_t k = 0; k < l->outputs; k++)
        if (l->moves[first + k])
            wlm_moving_put(room->moving, room->file, first + k, output_at(&l->output[k], a, begin));
    wlm_moving_run(room->moving, room->file);
    for (int32_t k = 0; k < l->outputs; k++)
        if (!l->moves[first + k])
            store(&l->output[k], room->file + (int64_t)(first + k) * WLM_LANES, a, begin, WLM_LANES);
}

/* Returns 1 where all that instances have written to the vector is finite. */
static int judge(const wlm_bank *l, const wlm_bank_arrays *a, int32_t begin, int32_t end)
{
    int finite = 1;
    for (int32_t k = 0; k < l->outputs; k++)
        if (l->output[k].to_vector) finite &= wlu_all_finite(output_at(&l->output[k], a, begin), end - begin);
    return finite;
}

int wlm_bank_run(const wlm_bank *l, const wlm_bank_room *room, const wlm_bank_arrays *a, int32_t begin, int32_t end)
{
    int finite = 1;
    if (l->solo == NULL) load_uniform(l, room->file, a);
    for (int32_t from = begin, to; from < end; from = to) {
        to = end - from < WLM_LANES ? end : from + WLM_LANES;
        if (l->solo != NULL)
            run_solo(l, room, a);
        else if (to == from + WLM_LANES && room->moving != NULL)
            run_moving(l, room, a, from);
        else
            run_copied(l, room, a, from, to - from);
        finite &= judge(l, a, from, to);
    }
    return finite;
}

warplu_status wlm_bank_open(wlu_context *ctx, const wlm_bank *bank, wlm_bank_room *out)
{
    memset(out, 0, sizeof *out);
    if (bank->outputs == 0) return WARPLU_SUCCESS;
    out->file = bank->solo != NULL ? wlm_block_create(ctx, bank->program->slots) : wlm_file_create(ctx, bank->program);
    if (bank->solo != NULL) out->lines = wlm_solo_open(ctx, bank->solo);
    if (out->file == NULL || (bank->solo != NULL && out->lines == NULL)) return wlu_fail_memory(ctx, "lanes");
    if (bank->moves == NULL) return WARPLU_SUCCESS;
    return wlm_moving_create(ctx, bank->code, bank->program->inputs + bank->outputs, bank->moves, &out->moving);
}

void wlm_bank_close(wlu_context *ctx, wlm_bank_room *room)
{
    wlm_file_free(ctx, room->file);
    wlm_file_free(ctx, room->lines);
    wlm_moving_destroy(ctx, &room->moving);
}

void wlm_bank_free(wlu_context *ctx, wlm_bank *bank)
{
    wlm_code_destroy(ctx, &bank->code);
    wlm_solo_destroy(ctx, &bank->solo);
    wlm_program_destroy(ctx, &bank->program);
    for (int32_t p = 0; bank->indices != NULL && p < bank->ports; p++) wlm_indices_free(ctx, &bank->indices[p]);
    wlu_free(ctx, bank->indices);
    wlu_free(ctx, bank->input);
    wlu_free(ctx, bank->moves);
    wlu_free(ctx, bank->output);
    wlu_free(ctx, bank->addend);
    memset(bank, 0, sizeof *bank);
}
