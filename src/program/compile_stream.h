/* From scalar records to a stream of a program: fused, placed by the front end, terms in the order in which they are
 * ready and long chains cut where the target wants that. */
#ifndef WLU_PROGRAM_COMPILE_STREAM_H
#define WLU_PROGRAM_COMPILE_STREAM_H

#include "program/fuse.h"

typedef struct wlu_stream_job {
    wlu_context *ctx;
    wlu_program *program;
    wlu_emitter *emitter;
    wlu_grouping grouping;
    wlu_stream *stream;
    wlu_triangular *stage; /* the second stage whose stream it is, or NULL: its segments are the groups from 1 on */
    /* Once records and their order are known, before their operands are named: fills program->slot and the areas.
     * stream: without operands, its slots logical ones. sums: slots that partial sums of it need. */
    warplu_status (*place)(void *placing, const wlu_stream *stream, int64_t sums);
    void *placing;
} wlu_stream_job;

/* Groups of the first stage begin at vectors group[0 .. groups - 1] once it is done; NULL, 0: not asked for. O(records)
 * time, see fuse.h for memory. WARPLU_OUT_OF_MEMORY, WARPLU_INTERNAL, WARPLU_CANCELLED, what place says. */
warplu_status wlu_stream_compile(const wlu_stream_job *job, int64_t *group, int32_t groups);

#endif
