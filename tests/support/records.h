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

static inline void test_records_add(test_records *list, wlu_record record)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->count + 64;
        list->at = realloc(list->at, (size_t)list->capacity * sizeof *list->at);
    }
    list->at[list->count++] = record;
}

#endif
