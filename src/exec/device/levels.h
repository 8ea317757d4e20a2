/* Programs for the strategy `levels`, after Tominaga and Maekawa (2013): one launch a vector, one thread a record,
 * operands by indirect access; the stream lies on the device as the compiler made it. Plain C, for host, kernels and
 * tests alike.
 *
 * A vector's long records come first (wlu_fuse sorts them so): eight threads each, in the shape of opcodes.h; then,
 * from the next warp on, one thread each. Nothing in a vector waits for its neighbours, so that threads may come in any
 * order. */
#ifndef WLU_EXEC_DEVICE_LEVELS_H
#define WLU_EXEC_DEVICE_LEVELS_H

#include "exec/device/lanes.h"
#include "program/opcodes.h"

enum { WLU_LEVEL_THREADS = 128 };

/* What the compiler's wlu_stream has, by these names. */
typedef struct wlu_level_stream {
    const int64_t *begin;
    const int32_t *target, *start, *divisor, *operand;
    const uint8_t *opcode;
} wlu_level_stream;

/* 16 bytes, an argument of its launch. opcode: of all its records; WLU_OPCODES: each record's own. */
typedef struct wlu_level_vector {
    int32_t first, count, longs, opcode;
} wlu_level_vector;

/* v[first + k] = power[k] * from[source[k]], 0 where source[k] is -1. */
typedef struct wlu_level_loads {
    const int32_t *source;
    const uint16_t *power;
    int64_t first, count;
} wlu_level_loads;

typedef struct wlu_level_program {
    wlu_level_stream dot;
    wlu_level_loads load;
    wlu_device_guards guards;
    wlu_device_gather gather;
    int64_t l, f, reciprocal; /* first slots of the areas; U from slot 0 on, n reciprocals */
} wlu_level_program;

/* x[index[k]] = power[k] * v[x + k]. */
typedef struct wlu_level_solve {
    wlu_level_stream stream;
    wlu_level_loads load;
    const int32_t *index;
    const uint16_t *power;
    int64_t x;
    int32_t n;
} wlu_level_solve;

/* Threads of a vector's launch. */
WLU_PORTABLE int64_t wlu_level_threads(const wlu_level_vector *x)
{
    int64_t together = (WLU_DOT_LANES * (int64_t)x->longs + WLU_WARP - 1) / WLU_WARP * WLU_WARP;
    return together + x->count - x->longs;
}

/* What a thread does: a record, or none (-1); its lane of eight where that is long. */
typedef struct wlu_level_task {
    int64_t record;
    int lane, is_long;
} wlu_level_task;

WLU_PORTABLE wlu_level_task wlu_level_task_of(const wlu_level_vector *x, int64_t thread)
{
    wlu_level_task t = {-1, 0, 0};
    int64_t together = wlu_level_threads(x) - (x->count - x->longs), at;
    t.is_long = thread < together;
    t.lane = t.is_long ? (int)(thread % WLU_DOT_LANES) : 0;
    at = t.is_long ? thread / WLU_DOT_LANES : x->longs + thread - together;
    if (at < (t.is_long ? x->longs : x->count)) t.record = x->first + at;
    return t;
}

/* The thread's share of the record's terms; a long one's last terms are filled up with zeros, as opcodes.h has them. */
WLU_PORTABLE wlu_number wlu_level_sum(const wlu_level_stream *s, const wlu_number *v, const wlu_level_task *t,
                                      wlu_number start)
{
    int64_t first = s->begin[t->record], terms = s->begin[t->record + 1] - first,
            lanes = t->is_long ? WLU_DOT_LANES : 1;
    wlu_number acc = t->is_long ? wlu_zero() : start;
    for (int64_t k = t->lane; k < (terms + lanes - 1) / lanes * lanes; k += lanes) {
        wlu_number a = wlu_zero(), b = wlu_zero();
        if (k < terms) {
            a = v[s->operand[2 * (first + k)]];
            b = v[s->operand[2 * (first + k) + 1]];
        }
        acc = wlu_lane_term(t->is_long, acc, a, b);
    }
    return acc;
}

WLU_PORTABLE int wlu_level_opcode(const wlu_level_stream *s, const wlu_level_vector *x, int64_t record)
{
    return x->opcode != WLU_OPCODES ? x->opcode : s->opcode[record];
}

/* What a record starts from; a reciprocal from nothing. */
WLU_PORTABLE wlu_number wlu_level_start(const wlu_level_stream *s, const wlu_number *v, int64_t record, int opcode)
{
    return opcode == WLU_RCP ? wlu_zero() : v[s->start[record]];
}

/* The record's result, from the whole sum. */
WLU_PORTABLE void wlu_level_finish(const wlu_level_stream *s, wlu_number *v, const wlu_level_task *t, int opcode,
                                   wlu_number start, wlu_number sum)
{
    wlu_number value = wlu_lane_total(t->is_long, start, sum);
    wlu_number divisor = wlu_opcode_has_divisor(opcode) ? v[s->divisor[t->record]] : wlu_zero();
    v[s->target[t->record]] = wlu_lane_end(opcode, value, divisor);
}

WLU_PORTABLE void wlu_level_load(const wlu_level_loads *l, const double *from, wlu_number *v, int64_t k)
{
    v[l->first + k] = l->source[k] < 0 ? wlu_zero() : wlu_lane_load(wlu_wide_at(from, l->source[k]), l->power[k]);
}

#endif
