/* From a front end's chains to a stream of a program: ordered, placed by the front end, terms in the order in which
 * they are ready and long chains cut where the target wants that. */
#ifndef WLU_PROGRAM_COMPILE_STREAM_H
#define WLU_PROGRAM_COMPILE_STREAM_H

#include "program/chains.h"

typedef struct wlu_stream_job {
    wlu_context *ctx;
    wlu_program *program;
    int64_t slots;    /* logical ones: of few a stream is one chunk */
    int32_t levelled; /* groups that are */
    wlu_stream *stream;
    wlu_triangular *stage; /* the second stage whose stream it is, or NULL: its segments are the groups from 1 on */
    void *front;           /* what the front end's functions get: */
    /* Makes room for the chains of the stream, and lists them. */
    warplu_status (*list)(void *front, wlu_chains *chains);
    /* Once records and their order are known, before their operands are named: fills program->slot and the areas.
     * stream: without operands, its slots logical ones. sums: slots that partial sums of it need. */
    warplu_status (*place)(void *front, const wlu_stream *stream, int64_t sums);
    /* Puts the operands of all terms in (wlu_chains_put_term); a chain's in its own order. */
    warplu_status (*fill)(void *front, wlu_chains *chains, int32_t *operand);
} wlu_stream_job;

/* Groups of the first stage begin at vectors group[0 .. groups - 2] once it is done, and end at group[groups - 1];
 * NULL, 0: there are none but the levelled ones, and where they begin is not asked for. O(records) time, see chains.h
 * for memory. WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED, what the functions say. */
warplu_status wlu_stream_compile(const wlu_stream_job *job, int64_t *group, int32_t groups);

#endif
