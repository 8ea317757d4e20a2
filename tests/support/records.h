/* A growing list of scalar records, for what a stream is made of and what an emitter gives. at is freed by whoever has
 * it. */
#ifndef WLU_TEST_RECORDS_H
#define WLU_TEST_RECORDS_H

#include <stdlib.h>

#include "program/emitter.h"

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

typedef struct test_collector {
    wlu_sink sink;
    test_records list;
    int64_t takes; /* before it fails; below 0: it never does */
} test_collector;

static inline warplu_status test_collect(wlu_sink *sink, const wlu_series *series, const wlu_series *end)
{
    test_collector *c = (test_collector *)sink;
    if (c->takes-- == 0) return WARPLU_CANCELLED;
    for (; series < end; series++) {
        wlu_record *to = test_records_room(&c->list, series->count);
        for (int32_t i = 0; i < series->count; i++) to[i] = wlu_series_record(series, sink->map, i);
        c->list.count += series->count;
    }
    return WARPLU_SUCCESS;
}

/* What an emitter gives, at most so many times that its sink takes something: below 0, the whole stream. */
static inline test_records test_records_of(wlu_emitter *emitter, int64_t takes)
{
    test_collector c = {.sink = {.take = test_collect}, .takes = takes};
    wlu_emitter_emit(emitter, &c.sink);
    return c.list;
}

#endif
