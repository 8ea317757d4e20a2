/* Groups of single records for a stream under construction. See stream_image.h. */
#include "stream_runs.h"

#include <math.h>

static void put_head(stream_image *s, int64_t kind, int64_t count, int64_t d, int64_t r, int64_t length)
{
    stream_word(s, count << WLU_SINGLES_KIND_BITS | kind);
    stream_word(s, d);
    stream_word(s, r);
    stream_word(s, length);
}

/* Records one after the other: each may read what the one before has written. */
static void put_records(stream_image *s, int64_t count, int64_t length, int opcode, double divisor)
{
    int32_t operand[2 * STREAM_LONG];
    int64_t terms = wlu_singles_terms(length), width = length > WLU_DOT_IN_ORDER_MAX ? 8 : 1;
    for (int64_t q = 0; q < count; q++) {
        int32_t t = (int32_t)s->taken, start = kernel_below(s->r, 2) ? t : stream_operand(s);
        for (int64_t i = 0; i < 2 * length; i++) operand[i] = stream_operand(s);
        stream_word(s, t);
        stream_word(s, start);
        for (int64_t first = 0; first < terms; first += width)
            for (int side = 0; side < 2; side++)
                for (int64_t i = first; i < first + width; i++)
                    stream_word(s, i < length ? operand[2 * i + side] : s->zero);
        double sum = kernel_chain(s->want, s->want[start], operand, length);
        s->want[t] = stream_closed(opcode, sum, divisor);
        s->taken++;
    }
    s->elements += count * (length + 1);
}

static void put_group(stream_image *s, const stream_singles *form)
{
    int64_t length = kernel_size(s->r, form->least, form->most, (form->least + form->most) / 2);
    int pivot = form->opcode == WLU_RCP, opcode = pivot ? WLU_DOTS : form->opcode;
    int kind = wlu_kind_by_length(pivot ? WLU_SINGLES_PIVOT_0 : wlu_singles_kind_of[opcode], length);
    int64_t count = kernel_size(s->r, pivot ? 0 : 1, 4, 4);
    int32_t d = stream_operand(s), r = (int32_t)s->taken;
    put_head(s, kind, count, wlu_opcode_has_divisor(opcode) ? d : 0, pivot ? r : 0, wlu_singles_terms(length));
    if (pivot) s->want[s->taken++] = 1.0 / s->want[d];
    put_records(s, count, length, opcode, s->want[pivot ? r : d]);
}

void stream_add_singles(stream_image *s, const void *variant)
{
    int64_t groups = kernel_size(s->r, 1, 4, STREAM_GROUPS);
    s->run[s->packed.nruns++] = (wlu_run){.form = WLU_RUN_SINGLES, .count = groups};
    for (int64_t g = 0; g < groups; g++) put_group(s, variant);
}

/* r = 1 / d, l = l r, d = t = t - l b. */
static void put_links(stream_image *s, int64_t count)
{
    double *v = s->want;
    int32_t d = stream_operand(s);
    put_head(s, WLU_SINGLES_LINKS, count, d, 0, 0);
    for (int64_t q = 0; q < count; q++, s->taken += 3) {
        int32_t r = (int32_t)s->taken, l = r + 1, t = r + 2, b = stream_operand(s);
        stream_word(s, r);
        stream_word(s, l);
        stream_word(s, b);
        stream_word(s, t);
        v[r] = 1.0 / v[d];
        v[l] = v[l] * v[r];
        v[t] = fma(-v[l], v[b], v[t]);
        d = t;
    }
    s->elements += 3 * count;
}

void stream_add_links(stream_image *s, const void *variant)
{
    int64_t groups = kernel_size(s->r, 1, 4, STREAM_GROUPS);
    (void)variant;
    s->run[s->packed.nruns++] = (wlu_run){.form = WLU_RUN_SINGLES, .count = groups};
    for (int64_t g = 0; g < groups; g++) put_links(s, kernel_size(s->r, 1, 6, 4));
}
