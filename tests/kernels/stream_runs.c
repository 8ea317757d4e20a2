/* Runs of bundles of records side by side, for a stream under construction. See stream_image.h. */
#include "stream_runs.h"

#include <math.h>
#include <string.h>

/* Opens a run of the stream. */
static wlu_run *open_run(stream_image *s, wlu_run run)
{
    s->run[s->packed.nruns] = run;
    return &s->run[s->packed.nruns++];
}

/* The targets of a run: taken in order, or shuffled; the last of them -1 where lanes are to be padded. */
static void take_targets(stream_image *s, int64_t count, int contiguous, int32_t *target)
{
    kernel_shuffle(s->r, target, count);
    for (int64_t k = 0; k < count; k++) target[k] = (int32_t)(s->taken + (contiguous ? k : target[k]));
}

/* One bundle's records; target -1: a lane that is padded. */
typedef struct bundle {
    int32_t target[8], start[8], divisor[8];
    int32_t operand[8][2 * STREAM_TERMS];
    int64_t steps;
} bundle;

/* Shorter chains are padded behind their terms. */
static void draw_bundle(stream_image *s, const wlu_run_traits *form, const int32_t *target, int64_t steps, bundle *b)
{
    b->steps = steps;
    for (int k = 0; k < 8; k++) {
        int there = target[k] >= 0;
        int64_t length = !there ? 0 : k == 0 || s->r->bench ? steps : kernel_below(s->r, steps + 1);
        b->target[k] = there ? target[k] : (int32_t)s->trash;
        b->start[k] = !there ? (int32_t)s->zero : form->in_place ? target[k] : stream_operand(s);
        b->divisor[k] = there ? stream_operand(s) : (int32_t)s->zero;
        for (int64_t i = 0; i < 2 * steps; i++)
            b->operand[k][i] = i < 2 * length ? stream_operand(s) : (int32_t)s->zero;
        s->elements += wlu_opcode_is_chain(form->opcode) ? length : there;
    }
}

static void put_bundle(stream_image *s, const wlu_run_traits *form, const bundle *b)
{
    for (int k = 0; k < 8 && !form->contiguous; k++) stream_word(s, b->target[k]);
    for (int k = 0; k < 8 && !form->in_place; k++) stream_word(s, b->start[k]);
    for (int k = 0; k < 8 && wlu_opcode_has_divisor(form->opcode); k++) stream_word(s, b->divisor[k]);
    for (int64_t i = 0; i < 2 * b->steps; i++)
        for (int k = 0; k < 8; k++) stream_word(s, b->operand[k][i]);
}

/* x: what a fused run has loaded. No lane reads what another one writes. */
static void state_bundle(stream_image *s, const wlu_run_traits *form, const bundle *b, wlu_area area, const double *x)
{
    double *v = s->want;
    for (int k = 0; k < 8; k++) {
        if (b->target[k] == s->trash) continue;
        double sum = kernel_chain(v, form->fused ? x[k] : v[b->start[k]], b->operand[k], b->steps);
        v[b->target[k]] = stream_closed(form->opcode, sum, v[b->divisor[k]]);
        stream_judge(s, area, v[b->target[k]]);
    }
}

void stream_add_across(stream_image *s, const void *variant)
{
    const wlu_run_form *which = variant;
    const wlu_run_traits *form = &wlu_run_traits_of[*which];
    int32_t target[8 * STREAM_BUNDLES];
    int64_t bundles = kernel_size(s->r, 1, 4, STREAM_BUNDLES);
    int64_t steps = wlu_opcode_is_chain(form->opcode) ? kernel_size(s->r, 0, STREAM_TERMS, 4) : 0;
    wlu_area area = form->judged ? stream_area(s) : WLU_AREA_NONE;
    wlu_run run = {(uint8_t)*which, (uint8_t)area, (int32_t)s->taken, (int32_t)steps, bundles};
    open_run(s, run);
    take_targets(s, 8 * bundles, form->contiguous, target);
    for (int64_t k = kernel_size(s->r, 0, 5, 0); k > 0 && !form->contiguous; k--) target[8 * bundles - k] = -1;
    for (int64_t q = 0; q < bundles; q++) {
        bundle b;
        double x[8] = {0};
        draw_bundle(s, form, target + 8 * q, steps, &b);
        if (form->fused) stream_map(s, 8, x);
        put_bundle(s, form, &b);
        state_bundle(s, form, &b, area, x);
        if (form->contiguous) s->taken += 8;
    }
    if (!form->contiguous) s->taken += 8 * bundles;
}
