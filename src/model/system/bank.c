/* Runs banks: gathers inputs, runs the program, writes outputs. */
#include "model/system/bank.h"

#include <string.h>

#include "base/finite.h"

/* Copies by a loop: what compilers make of memcpy here takes twice as long. */
static void copy(double *restrict to, const double *restrict from, int32_t lanes)
{
    for (int32_t i = 0; i < lanes; i++) to[i] = from[i];
}

static void load(const wlm_bank *l, const wlm_bank_input *in, double *slot, const wlm_bank_arrays *a, int32_t begin,
                 int32_t lanes)
{
    if (in->source == WLM_SOURCE_PARAMETER) copy(slot, in->parameter + begin, lanes);
    if (in->source != WLM_SOURCE_MEMORY) return;
    const double *from = a->memory[in->memory];
    if (in->in_order)
        copy(slot, from + wlm_where_at(&in->where, begin), lanes);
    else
        wlm_indices_read(in->indices, l->kernels, from + in->where.first, begin, lanes, slot);
}

/* Writes an output's numbers where they go. */
static void store(const wlm_bank_output *out, const double *slot, const wlm_bank_arrays *a, int32_t begin,
                  int32_t lanes)
{
    if (!out->is_sum)
        copy((out->to_vector ? a->vector : a->contribution) + out->at + begin, slot, lanes);
    else if (out->in_order)
        copy(a->sum + wlm_where_at(&out->sum, begin), slot, lanes);
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
static int run_solo(const wlm_bank *l, double *file, double *lines, const wlm_bank_arrays *a)
{
    double zero = 0.0;
    for (int32_t k = 0; k < l->inputs; k++) file[l->input[k].slot] = load_one(&l->input[k], a);
    wlm_solo_run(l->solo, lines, file);
    const double *from = file + l->program->inputs;
    for (int32_t k = 0; k < l->outputs; k++) {
        const wlm_bank_output *o = &l->output[k];
        if (o->to_vector)
            zero += 0.0 * (a->vector[o->at] = from[k]);
        else if (o->is_sum)
            a->sum[wlm_where_at(&o->sum, 0)] = from[k];
        else
            a->contribution[o->at] = from[k];
    }
    return zero == 0.0;
}

int wlm_bank_run(const wlm_bank *l, double *file, double *lines, const wlm_bank_arrays *a, int32_t begin, int32_t end)
{
    if (l->solo != NULL) return run_solo(l, file, lines, a);
    int finite = 1;
    load_uniform(l, file, a);
    for (int32_t from = begin; from < end; from += WLM_LANES) {
        int32_t lanes = end - from < WLM_LANES ? end - from : WLM_LANES;
        for (int32_t k = 0; k < l->inputs; k++)
            load(l, &l->input[k], file + (int64_t)l->input[k].slot * WLM_LANES, a, from, lanes);
        wlm_run(l->code, file, lanes);
        const double *slot = file + (int64_t)l->program->inputs * WLM_LANES;
        for (int32_t k = 0; k < l->outputs; k++, slot += WLM_LANES) {
            store(&l->output[k], slot, a, from, lanes);
            finite &= !l->output[k].to_vector || wlu_all_finite(slot, lanes);
        }
    }
    return finite;
}

void wlm_bank_free(wlu_context *ctx, wlm_bank *bank)
{
    wlm_code_destroy(ctx, &bank->code);
    wlm_solo_destroy(ctx, &bank->solo);
    wlm_program_destroy(ctx, &bank->program);
    for (int32_t p = 0; bank->indices != NULL && p < bank->ports; p++) wlm_indices_free(ctx, &bank->indices[p]);
    wlu_free(ctx, bank->indices);
    wlu_free(ctx, bank->input);
    wlu_free(ctx, bank->output);
    wlu_free(ctx, bank->addend);
    memset(bank, 0, sizeof *bank);
}
