/* Slots, words and maxima of a stream under construction. See stream_image.h. */
#include "stream_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void stream_begin(stream_image *s, kernel_run *r, int64_t numbers, int64_t targets, int64_t words)
{
    *s = (stream_image){.r = r, .slots = numbers + targets + 2, .taken = numbers};
    s->zero = s->slots - 2;
    s->trash = s->slots - 1;
    s->got = kernel_doubles(s->slots);
    s->want = kernel_doubles(s->slots);
    s->source = kernel_doubles(STREAM_SOURCES);
    kernel_fill(r, s->want, s->slots);
    kernel_fill(r, s->source, STREAM_SOURCES);
    s->want[s->zero] = 0.0;
    memcpy(s->got, s->want, (size_t)s->slots * sizeof *s->got);
    s->packed.block = kernel_doubles(words / 2 + 1);
    s->packed.word = s->packed.block;
    s->packed.run = s->run;
    s->packed.place = s->place;
    s->packed.load.range = s->range;
    s->packed.unit = kernel_below(r, 2) == 0;
}

void stream_end(stream_image *s)
{
    free(s->got);
    free(s->want);
    free(s->source);
    free(s->packed.block);
}

int32_t stream_operand(stream_image *s)
{
    return (int32_t)kernel_below(s->r, s->taken);
}

void stream_word(stream_image *s, int64_t word)
{
    s->packed.word[s->packed.nwords++] = (int32_t)word;
}

wlu_area stream_area(stream_image *s)
{
    return (wlu_area)(1 + kernel_below(s->r, WLU_SLOT_AREAS - 1));
}

void stream_judge(stream_image *s, wlu_area area, double x)
{
    if (area != WLU_AREA_NONE) kernel_raise(&s->largest, area, x);
}

void stream_map(stream_image *s, int64_t count, double *x)
{
    uint16_t upper[8] = {0};
    int32_t words[4];
    for (int k = 0; k < 8; k++) {
        int64_t from = k >= count || kernel_below(s->r, 5) == 0 ? -1 : kernel_below(s->r, STREAM_SOURCES);
        double power = s->packed.unit || from < 0 ? 1.0 : kernel_power(s->r);
        uint64_t bits;
        memcpy(&bits, &power, sizeof bits);
        if (from >= 0) upper[k] = (uint16_t)(bits >> 48);
        x[k] = from < 0 ? 0.0 : power * s->source[from];
        stream_word(s, from);
    }
    memcpy(words, upper, sizeof words);
    for (int k = 0; k < 4 && !s->packed.unit; k++) stream_word(s, words[k]);
    s->elements += count;
}

void stream_expect_maxima(stream_image *s, const wlu_maxima *largest)
{
    double got[WLU_AREAS], want[WLU_AREAS];
    memcpy(got, largest->of, sizeof got);
    memcpy(want, s->largest.of, sizeof want);
    kernel_expect(s->r, "largest of area", got, want, WLU_AREAS);
}

void stream_compare(stream_image *s)
{
    wlu_maxima largest = {{0}};
    const wlu_packed *packed = &s->packed;
    const wlu_host_slots got = {.v = s->got};
    int32_t groups = (int32_t)packed->nplaces - 1, middle = (int32_t)kernel_below(s->r, groups + 1);
    s->r->kernels->stream(packed, 0, middle, s->source, &got, &largest);
    s->r->kernels->stream(packed, middle, groups, s->source, &got, &largest);
    s->got[s->trash] = s->want[s->trash];
    kernel_expect(s->r, "slot", s->got, s->want, s->slots);
    stream_expect_maxima(s, &largest);
    if (s->elements > 0)
        KERNEL_TIME(s->r, s->elements, s->r->kernels->stream(packed, 0, groups, s->source, &got, &largest));
}
