/* A growing list of scalar records, for what a stream is made of and what an emitter gives. at is freed by whoever has
 * it. */
#ifndef WLU_TEST_RECORDS_H
#define WLU_TEST_RECORDS_H

#include <stdlib.h>

#include "program/opcodes.h"

typedef struct test_records {
    wlu_record *at;
    int64_t count, capacity;
} test_records;

/* Room for so many behind the last one, which they join when count says so. */
static inline wlu_record *test_records_room(test_records *list, int64_t more)
{
    if (list->count + more > list->capacity) {
        list->capacity = 2 * (list->count + more);
        list->at = realloc(list->at, (size_t)list->capacity * sizeof *list->at);
    }
    return list->at + list->count;
}

#endif
