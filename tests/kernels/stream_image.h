/* A packed stream under construction, record by record, and beside it what its records compute by plain loops. The form
 * of the words is that of exec/cpu/image.h.
 *
 * Slots: numbers that stand there, then targets, taken in ascending order; a record may read every number and every
 * target taken before. Last the zero slot and the trash slot. */
#ifndef WLU_TEST_STREAM_IMAGE_H
#define WLU_TEST_STREAM_IMAGE_H

#include "kernel_run.h"

enum { STREAM_SOURCES = 96, STREAM_RUNS = 16, STREAM_RANGES = 16 };

typedef struct stream_image {
    kernel_run *r;
    wlu_packed packed;
    wlu_run run[STREAM_RUNS];
    wlu_place place[STREAM_RUNS + 1];
    wlu_range range[STREAM_RANGES];
    int64_t slots, taken; /* all of them; that stand or are targets */
    int64_t zero, trash;
    int64_t elements; /* terms, loads and reciprocals so far */
    double *got, *want;
    double *source;
    wlu_maxima largest; /* wanted */
} stream_image;

/* numbers: slots that stand there; targets and words: at most so many. */
void stream_begin(stream_image *s, kernel_run *r, int64_t numbers, int64_t targets, int64_t words);
void stream_end(stream_image *s);

/* A slot that may be read. */
int32_t stream_operand(stream_image *s);
void stream_word(stream_image *s, int64_t word);
/* Adds x to the largest magnitude of the area that the targets count for. */
void stream_judge(stream_image *s, wlu_area area, double x);
wlu_area stream_area(stream_image *s);
/* Adds the load map of eight slots, of which count are there; x: what they hold. */
void stream_map(stream_image *s, int64_t count, double *x);

/* Compares what a kernel has found. */
void stream_expect_maxima(stream_image *s, const wlu_maxima *largest);
/* Runs the groups of all places, then compares slots and maxima. */
void stream_compare(stream_image *s);

/* Runs of one kind, by a variant: a wlu_run_form; stream_singles; nothing. */
void stream_add_across(stream_image *s, const void *variant);
void stream_add_singles(stream_image *s, const void *variant);
void stream_add_links(stream_image *s, const void *variant);

#endif
