/* A survey of an image: what is wrong with it is said by wlu_machine_fail, the first error stays. image.c has what all
 * images are asked, image_solve.c what those of solves are. */
#ifndef WLU_EMULATOR_SURVEY_H
#define WLU_EMULATOR_SURVEY_H

#include "emulator/machine.h"

typedef struct wlu_survey {
    wlu_machine *m;
    const wlu_block *block; /* where arrays lie; NULL: not known */
} wlu_survey;

/* Elements first .. first + count - 1 of an array; 0 and an error if they are not there. */
int wlu_survey_within(wlu_survey *s, const void *array, size_t size, const char *what, int64_t first, int64_t count,
                      int32_t task);
#define WITHIN(s, array, first, count, task) \
    wlu_survey_within((s), (array), sizeof *(array), "of " #array, (first), (count), (task))
/* A number that loads read; lowest: -1 where a load may read none. */
void wlu_survey_value(wlu_survey *s, int32_t at, int32_t lowest, int32_t task);
/* The task writes these slots, and no other does. first: a slot, as records have it. */
void wlu_survey_claim(wlu_survey *s, int64_t first, int64_t count, int32_t task);
/* Tasks of a solve. */
void wlu_survey_tasks(wlu_survey *s);

#endif
