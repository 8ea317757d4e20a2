/* How a front end hands over what is to be compiled: scalar records over logical slots, in any order that is an order
 * of execution: each slot is finished before it is read. The compiler walks them twice, so a walk can begin anew.
 *
 * Initial values come from LOAD records (an entry of the input array, scaled), and from slots that the front end places
 * itself: constants. GUARD records end a step of the front end's own (a column of L and U, say); the number of the last
 * one, and one, is told to `group`. An emitter is an iterator: it fills the caller's buffer and goes on where it
 * stopped, so that a stream of 10^10 records never stands in memory. */
#ifndef WLU_PROGRAM_EMITTER_H
#define WLU_PROGRAM_EMITTER_H

#include "base/context.h"
#include "program/opcodes.h"

typedef struct wlu_emitter wlu_emitter;

/* The first member of a front end's own. */
struct wlu_emitter {
    int64_t slots; /* logical ones: 0 .. slots - 1 */
    void (*rewind)(wlu_emitter *emitter);
    int64_t (*next)(wlu_emitter *emitter, wlu_record *buffer, int64_t capacity);
    void (*destroy)(wlu_context *ctx, wlu_emitter *emitter);
};

/* Groups of records, one behind the other in the program: `levelled` ones, and behind them such whose records nothing
 * in the stream reads. in_turn: none is begun before the one before it is done. */
typedef struct wlu_grouping {
    int32_t (*group)(const void *user, int32_t target, int32_t step); /* of a record; NULL: one group */
    const void *user;
    int32_t levelled;
    int in_turn;
} wlu_grouping;

/* Back to the first record. */
static inline void wlu_emitter_rewind(wlu_emitter *emitter)
{
    emitter->rewind(emitter);
}

/* Fills up to capacity records; 0 at the end. */
static inline int64_t wlu_emitter_next(wlu_emitter *emitter, wlu_record *buffer, int64_t capacity)
{
    return emitter->next(emitter, buffer, capacity);
}

static inline void wlu_emitter_destroy(wlu_context *ctx, wlu_emitter **emitter)
{
    if (*emitter != NULL) (*emitter)->destroy(ctx, *emitter);
    *emitter = NULL;
}

#endif
