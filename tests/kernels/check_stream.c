/* Kernels of the packed stream: each form of run alone, many in one stream, and loads by ranges. */
#include "stream_runs.h"

#include <math.h>
#include <string.h>

typedef struct stream_form {
    const char *name;
    void (*add)(stream_image *s, const void *variant);
    const void *variant;
} stream_form;

enum { TARGETS = 4096, WORDS = 1 << 17, RUNS = 3 };

static void close_group(stream_image *s)
{
    s->place[s->packed.nplaces++] = (wlu_place){s->packed.nruns, s->packed.nwords};
}

/* Up to RUNS runs of one form, each a group. */
static void check_form(kernel_run *r, const void *variant)
{
    const stream_form *form = variant;
    stream_image s;
    stream_begin(&s, r, 64, TARGETS, WORDS);
    close_group(&s);
    for (int64_t k = kernel_size(r, 1, RUNS, 1); k > 0; k--) {
        form->add(&s, form->variant);
        close_group(&s);
    }
    stream_compare(&s);
    stream_end(&s);
}

static const int no = 0, yes = 1;

/* All that a packer makes: forms of runs, and kinds of groups of single records. RCP's are those of pivots. */
#define SINGLES(name, text, least, most) \
    {"singles_" #name "_" text, stream_add_singles, &(const stream_singles){WLU_##name, least, most}},
#define SINGLES_BY_LENGTH(name) \
    SINGLES(name, "0", 0, 0) \
    SINGLES(name, "1", 1, 1) \
    SINGLES(name, "2", 2, 2) \
    SINGLES(name, "3", 3, 3) \
    SINGLES(name, "4", 4, 4) \
    SINGLES(name, "any", WLU_SINGLES_UNROLLED + 1, WLU_DOT_IN_ORDER_MAX) \
    SINGLES(name, "long", WLU_DOT_IN_ORDER_MAX + 1, STREAM_LONG)

static const stream_form forms[] = {
#define WLU_ACROSS(name, opcode, in_place, contiguous, fused, judged) \
    {"across_" #name, stream_add_across, &(const wlu_run_form){WLU_RUN_##name}},
#include "exec/cpu/across.def"
#undef WLU_ACROSS
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_CHAIN_OPCODE(name, shape, flops, compiled, semantics, end, stages) SINGLES_BY_LENGTH(name)
#include "program/opcodes.def"
#undef WLU_OPCODE
    SINGLES_BY_LENGTH(RCP){"singles_links", stream_add_links, NULL},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* Runs of any forms, some of them in one group. */
static void check_mixed(kernel_run *r, const void *variant)
{
    stream_image s;
    (void)variant;
    stream_begin(&s, r, 64, TARGETS, WORDS);
    close_group(&s);
    for (int64_t k = kernel_size(r, 2, STREAM_RUNS, 8); k > 0; k--) {
        const stream_form *form = &forms[kernel_below(r, FORMS)];
        form->add(&s, form->variant);
        if (k == 1 || kernel_below(r, 2)) close_group(&s);
    }
    stream_compare(&s);
    stream_end(&s);
}

/* A form that there is not, or a kind of group: neither the run's target nor what the guards see is a number. */
static void check_unknown(kernel_run *r, const void *variant)
{
    int group = *(const int *)variant;
    stream_image s;
    stream_begin(&s, r, 64, TARGETS, WORDS);
    close_group(&s);
    uint8_t form =
        (uint8_t)(kernel_below(r, 2) ? WLU_RUN_NONE : kernel_size(r, WLU_RUN_FORMS, UINT8_MAX, WLU_RUN_FORMS));
    s.run[s.packed.nruns++] = (wlu_run){.form = group ? WLU_RUN_SINGLES : form, .first = (int32_t)s.taken, .count = 1};
    stream_word(&s, kernel_size(r, WLU_SINGLES_KINDS, (1 << WLU_SINGLES_KIND_BITS) - 1, WLU_SINGLES_KINDS));
    for (int k = 0; k < 32; k++) stream_word(&s, 0);
    close_group(&s);
    s.want[s.taken] = NAN;
    for (int k = WLU_AREA_U; k < WLU_SLOT_AREAS; k++) s.largest.of[k] = wlu_bits_of_double((double)NAN);
    stream_compare(&s);
    stream_end(&s);
}

/* Ranges of slots, some lengths no multiples of eight, shared among parts; what lies between them stays. */
static void check_load(kernel_run *r, const void *variant)
{
    stream_image s;
    wlu_place share[STREAM_RANGES + 1];
    wlu_maxima largest = {{0}};
    int32_t parts = 0, ranges = (int32_t)kernel_size(r, 0, STREAM_RANGES, 4), middle;
    stream_begin(&s, r, 1, TARGETS, WORDS);
    s.packed.unit = *(const int *)variant;
    share[parts++] = (wlu_place){0, 0};
    for (int32_t k = 0; k < ranges; k++) {
        wlu_range range = {s.taken + kernel_below(r, 3), kernel_size(r, 1, 40, 256),
                           (int32_t)kernel_below(r, WLU_SLOT_AREAS)};
        for (int64_t q = 0; q < range.count; q += 8) {
            double x[8];
            int64_t count = range.count - q < 8 ? range.count - q : 8;
            stream_map(&s, count, x);
            memcpy(s.want + range.first + q, x, (size_t)count * sizeof *x);
            for (int64_t i = 0; i < count; i++) stream_judge(&s, (wlu_area)range.area, x[i]);
        }
        s.range[s.packed.load.count++] = range;
        s.taken = range.first + range.count;
        if (kernel_below(r, 3) == 0) share[parts++] = (wlu_place){k + 1, s.packed.nwords};
    }
    share[parts] = (wlu_place){ranges, s.packed.nwords};
    s.packed.share = share;
    middle = (int32_t)kernel_below(r, parts + 1);
    const wlu_host_slots got = {.v = s.got};
    r->kernels->load(&s.packed, 0, middle, s.source, &got, &largest);
    r->kernels->load(&s.packed, middle, parts, s.source, &got, &largest);
    kernel_expect(r, "slot", s.got, s.want, s.slots);
    stream_expect_maxima(&s, &largest);
    KERNEL_TIME(r, s.elements, r->kernels->load(&s.packed, 0, parts, s.source, &got, &largest));
    stream_end(&s);
}

kernel_cases kernel_stream_cases(void)
{
    static kernel_case cases[FORMS + 5];
    for (int k = 0; k < FORMS; k++) cases[k] = (kernel_case){forms[k].name, check_form, &forms[k]};
    cases[FORMS] = (kernel_case){"mixed", check_mixed, NULL};
    cases[FORMS + 1] = (kernel_case){"load", check_load, &no};
    cases[FORMS + 2] = (kernel_case){"load_unit", check_load, &yes};
    cases[FORMS + 3] = (kernel_case){"unknown_form", check_unknown, &no};
    cases[FORMS + 4] = (kernel_case){"unknown_group", check_unknown, &yes};
    return KERNEL_CASES(cases);
}
