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

static const stream_form forms[] = {
    {"across_dot", stream_add_across, &(const stream_across){WLU_RUN_DOT, WLU_DOT, 0, 0, 0, 0}},
    {"across_dot_to_row", stream_add_across, &(const stream_across){WLU_RUN_DOT_TO_ROW, WLU_DOT, 0, 1, 0, 0}},
    {"across_dot_in_place", stream_add_across, &(const stream_across){WLU_RUN_DOT_IN_PLACE, WLU_DOT, 1, 0, 0, 0}},
    {"across_dot_row", stream_add_across, &(const stream_across){WLU_RUN_DOT_ROW, WLU_DOT, 1, 1, 0, 0}},
    {"across_dot_row_judged", stream_add_across, &(const stream_across){WLU_RUN_DOT_ROW_JUDGED, WLU_DOT, 1, 1, 0, 1}},
    {"across_dot_fused", stream_add_across, &(const stream_across){WLU_RUN_DOT_FUSED, WLU_DOT, 1, 1, 1, 0}},
    {"across_dot_fused_judged", stream_add_across,
     &(const stream_across){WLU_RUN_DOT_FUSED_JUDGED, WLU_DOT, 1, 1, 1, 1}},
    {"across_dots", stream_add_across, &(const stream_across){WLU_RUN_DOTS, WLU_DOTS, 0, 0, 0, 0}},
    {"across_dots_to_row", stream_add_across, &(const stream_across){WLU_RUN_DOTS_TO_ROW, WLU_DOTS, 0, 1, 0, 0}},
    {"across_dots_in_place", stream_add_across, &(const stream_across){WLU_RUN_DOTS_IN_PLACE, WLU_DOTS, 1, 0, 0, 0}},
    {"across_dots_row", stream_add_across, &(const stream_across){WLU_RUN_DOTS_ROW, WLU_DOTS, 1, 1, 0, 0}},
    {"across_dots_row_judged", stream_add_across,
     &(const stream_across){WLU_RUN_DOTS_ROW_JUDGED, WLU_DOTS, 1, 1, 0, 1}},
    {"across_dots_fused", stream_add_across, &(const stream_across){WLU_RUN_DOTS_FUSED, WLU_DOTS, 1, 1, 1, 0}},
    {"across_dots_fused_judged", stream_add_across,
     &(const stream_across){WLU_RUN_DOTS_FUSED_JUDGED, WLU_DOTS, 1, 1, 1, 1}},
    {"across_dotr", stream_add_across, &(const stream_across){WLU_RUN_DOTR, WLU_DOTR, 0, 0, 0, 0}},
    {"across_dotr_to_row", stream_add_across, &(const stream_across){WLU_RUN_DOTR_TO_ROW, WLU_DOTR, 0, 1, 0, 0}},
    {"across_dotr_in_place", stream_add_across, &(const stream_across){WLU_RUN_DOTR_IN_PLACE, WLU_DOTR, 1, 0, 0, 0}},
    {"across_dotr_row", stream_add_across, &(const stream_across){WLU_RUN_DOTR_ROW, WLU_DOTR, 1, 1, 0, 0}},
    {"across_dotr_row_judged", stream_add_across,
     &(const stream_across){WLU_RUN_DOTR_ROW_JUDGED, WLU_DOTR, 1, 1, 0, 1}},
    {"across_dotr_fused", stream_add_across, &(const stream_across){WLU_RUN_DOTR_FUSED, WLU_DOTR, 1, 1, 1, 0}},
    {"across_dotr_fused_judged", stream_add_across,
     &(const stream_across){WLU_RUN_DOTR_FUSED_JUDGED, WLU_DOTR, 1, 1, 1, 1}},
    {"singles_dot_0", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOT_0, 0}},
    {"singles_dot_1", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOT_0, 1}},
    {"singles_dot_2", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOT_0, 2}},
    {"singles_dot_3", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOT_0, 3}},
    {"singles_dot_4", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOT_0, 4}},
    {"singles_dot_any", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOT_0, -1}},
    {"singles_dots_0", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOTS_0, 0}},
    {"singles_dots_1", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOTS_0, 1}},
    {"singles_dots_2", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOTS_0, 2}},
    {"singles_dots_3", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOTS_0, 3}},
    {"singles_dots_4", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOTS_0, 4}},
    {"singles_dots_any", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOTS_0, -1}},
    {"singles_dotr_0", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOTR_0, 0}},
    {"singles_dotr_1", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOTR_0, 1}},
    {"singles_dotr_2", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOTR_0, 2}},
    {"singles_dotr_3", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOTR_0, 3}},
    {"singles_dotr_4", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOTR_0, 4}},
    {"singles_dotr_any", stream_add_singles, &(const stream_singles){WLU_SINGLES_DOTR_0, -1}},
    {"singles_pivot_0", stream_add_singles, &(const stream_singles){WLU_SINGLES_PIVOT_0, 0}},
    {"singles_pivot_1", stream_add_singles, &(const stream_singles){WLU_SINGLES_PIVOT_0, 1}},
    {"singles_pivot_2", stream_add_singles, &(const stream_singles){WLU_SINGLES_PIVOT_0, 2}},
    {"singles_pivot_3", stream_add_singles, &(const stream_singles){WLU_SINGLES_PIVOT_0, 3}},
    {"singles_pivot_4", stream_add_singles, &(const stream_singles){WLU_SINGLES_PIVOT_0, 4}},
    {"singles_pivot_any", stream_add_singles, &(const stream_singles){WLU_SINGLES_PIVOT_0, -1}},
    {"singles_links", stream_add_singles, &(const stream_singles){WLU_SINGLES_LINKS, 0}},
    {"long_dot", stream_add_long, &(const int){WLU_DOT}},
    {"long_dots", stream_add_long, &(const int){WLU_DOTS}},
    {"long_dotr", stream_add_long, &(const int){WLU_DOTR}},
    {"rcp", stream_add_rcp, &no},
    {"rcp_row", stream_add_rcp, &yes},
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
    r->kernels->load(&s.packed, 0, middle, s.source, s.got, &largest);
    r->kernels->load(&s.packed, middle, parts, s.source, s.got, &largest);
    kernel_expect(r, "slot", s.got, s.want, s.slots);
    stream_expect_maxima(&s, &largest);
    KERNEL_TIME(r, s.elements, r->kernels->load(&s.packed, 0, parts, s.source, s.got, &largest));
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
