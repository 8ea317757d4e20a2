/* What `phases` counts of a model, by its switches, and what the paper counts. */
#ifndef PHASES_COUNT_H
#define PHASES_COUNT_H

#include "phases/device.h"

/* The switches as the paper's figure 8 adds them, one after the other. */
enum { PHASES_BASE, PHASES_REORDER, PHASES_REDUNDANT, PHASES_UNIFY, PHASES_MERGE, PHASES_CONFIGURATIONS };
extern const char *const phases_configuration[PHASES_CONFIGURATIONS];
wlm_phases_options phases_options(int configuration, int32_t stack);

typedef struct phases_time {
    double median_s, least_s, most_s; /* of all steps; 0: not measured */
    int64_t other_bits;               /* values that are not the reference's at the end; -1: not compared */
} phases_time;

typedef struct phases_model {
    const char *path;
    char name[64]; /* of the file */
    wlu_context ctx;
    wlm_equations *equations;
    wlm_phases *of[PHASES_CONFIGURATIONS];
    phases_time time[PHASES_CONFIGURATIONS];
    int32_t stack_unsplit, stack_least; /* the deepest stack without splitting, and as much as it helps */
} phases_model;

/* Tables 1, 4 and 5, the paper's numbers beside; one JSON array of all. */
void phases_print_tables(const phases_model *model, int models);
void phases_print_json(const phases_model *model, int models, const char *executor, const char *method, int64_t steps);

#endif
