/* How a front end hands over what is to be compiled: scalar records over logical slots, in any order that is an order
 * of execution: each slot is finished before it is read.
 *
 * Initial values are of slots that the front end places itself: loads, constants. The compiler passes over LOAD records
 * (an entry of the input array, scaled) and GUARD records (the end of a column of L and U, say).
 *
 * Records come in series: those of one opcode whose operands follow one rule, such as a column of L times an entry of
 * U. What is done once a series is not done for each of its records. An emitter puts series into a sink, which takes a
 * few at a time, so that they never stand in memory all at once. */
#ifndef WLU_PROGRAM_EMITTER_H
#define WLU_PROGRAM_EMITTER_H

#include "base/context.h"
#include "program/opcodes.h"

/* Slots t, a, b of record i: how they follow from those of the series. */
typedef enum wlu_series_rule {
    WLU_SERIES_ROW,    /* t + i, a, b, without an index: one record, or neighbours divided alike */
    WLU_SERIES_NAMED,  /* t + index[i], a + i, b: a column into the slots that its rows name */
    WLU_SERIES_MAPPED, /* map[index[i]], a + i, b: into those that the sink's map has for its rows */
    WLU_SERIES_INTO    /* t, a + i, b + index[i]: into one slot */
} wlu_series_rule;

typedef struct wlu_series {
    wlu_record record; /* opcode, t, a, b */
    wlu_series_rule rule;
    int32_t count;
    const int32_t *index;
} wlu_series;

/* Record i. map: the sink's. */
static inline wlu_record wlu_series_record(const wlu_series *s, const int32_t *map, int32_t i)
{
    wlu_record r = s->record;
    switch (s->rule) {
    case WLU_SERIES_ROW: r.t += i; break;
    case WLU_SERIES_NAMED:
        r.t += s->index[i];
        r.a += i;
        break;
    case WLU_SERIES_MAPPED:
        r.t = map[s->index[i]];
        r.a += i;
        break;
    case WLU_SERIES_INTO:
        r.a += i;
        r.b += s->index[i];
        break;
    }
    return r;
}

enum { WLU_SINK_SERIES = 64 };

/* Takes series in their order; the first member of its own. What `take` answers stays the sink's status; from the first
 * failure on it takes nothing. Indices and map stay as they are until the sink is flushed. */
typedef struct wlu_sink wlu_sink;
struct wlu_sink {
    warplu_status (*take)(wlu_sink *sink, const wlu_series *series, const wlu_series *end);
    warplu_status status;
    const int32_t *map;
    wlu_series *end; /* of those that wait */
    wlu_series series[WLU_SINK_SERIES];
};

static inline void wlu_sink_flush(wlu_sink *sink)
{
    if (sink->status == WARPLU_SUCCESS) sink->status = sink->take(sink, sink->series, sink->end);
    sink->end = sink->series;
}

/* The next series, to be filled in. */
static inline wlu_series *wlu_sink_next(wlu_sink *sink)
{
    if (sink->end == sink->series + WLU_SINK_SERIES) wlu_sink_flush(sink);
    return sink->end++;
}

/* One record. */
static inline void wlu_sink_put_record(wlu_sink *sink, wlu_opcode opcode, int64_t t, int64_t a, int64_t b)
{
    wlu_series *s = wlu_sink_next(sink);
    s->record = (wlu_record){opcode, (int32_t)t, (int32_t)a, (int32_t)b};
    s->rule = WLU_SERIES_ROW;
    s->count = 1;
}

typedef struct wlu_emitter wlu_emitter;

/* The first member of a front end's own. */
struct wlu_emitter {
    int64_t slots; /* logical ones: 0 .. slots - 1 */
    /* The whole stream, from its first record. It may end early once the sink has failed. */
    void (*emit)(wlu_emitter *emitter, wlu_sink *sink);
    void (*destroy)(wlu_context *ctx, wlu_emitter *emitter);
};

/* Groups of records, one behind the other in the program: `levelled` ones, and behind them such whose records nothing
 * in the stream reads. in_turn: none is begun before the one before it is done. */
typedef struct wlu_grouping {
    const int32_t *group; /* of the records of slots `first`, first + 1 and so on; NULL: one group */
    int64_t first;
    int32_t levelled;
    int in_turn;
} wlu_grouping;

/* Puts the whole stream into the sink; returns its status. */
static inline warplu_status wlu_emitter_emit(wlu_emitter *emitter, wlu_sink *sink)
{
    sink->status = WARPLU_SUCCESS;
    sink->end = sink->series;
    emitter->emit(emitter, sink);
    wlu_sink_flush(sink);
    return sink->status;
}

static inline void wlu_emitter_destroy(wlu_context *ctx, wlu_emitter **emitter)
{
    if (*emitter != NULL) (*emitter)->destroy(ctx, *emitter);
    *emitter = NULL;
}

#endif
