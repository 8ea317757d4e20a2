/* The compiled program: static streams of records over one vector of slots, in two stages.
 *
 * The first stage takes the caller's values: loads, the records of `dot`, the regions that the front end keeps (its
 * kind). The second takes a vector b and gives a vector x of n numbers each; it may be there twice (`solve` and
 * `transposed`). A program of LU factorizes in the first stage and solves in the second; program/ knows neither.
 * What the second stage does is linear in b, so that executors may run it for several b at once: the first operand of
 * a product, and a divisor, is a slot of the first stage or a constant; the second one, and the start, a slot of the
 * second stage or a constant.
 *
 * Slots, in this order (physical; the program says where each area begins):
 *   loaded densely, one source a slot, then others that the first stage computes
 *   the regions' own                              not initialized; what the front end's records go into them
 *   partial sums of the first stage               see partial_sums.h
 *   y | x | zero | trash | -1 | partial sums of the second stage      -1 where the target has partial sums
 * With several parts, each part's vectors need nothing of other parts; vectors of the top follow when all parts are
 * done, then those of the regions.
 * Immutable once built, shared between threads; slot width 32 bits. */
#ifndef WLU_PROGRAM_PROGRAM_H
#define WLU_PROGRAM_PROGRAM_H

#include <stdio.h>

#include "cost/cost.h"
#include "matrix/sparse.h"
#include "program/opcodes.h"

/* Records of one chunk, one level and one opcode; opcode WLU_OPCODES where a level is not split and mixes them. */
typedef struct wlu_vector {
    int32_t chunk, level, opcode;
    int64_t first, count;
} wlu_vector;

/* A levelled stream of records: their opcodes are WLU_STREAM_OPCODE in opcodes.def. operand: pairs (a, b) of record r
 * from begin[r]. */
typedef struct wlu_stream {
    int64_t nrecords, nterms, nvectors, longest_vector;
    int32_t nlevels;
    wlu_vector *vector;
    uint8_t *opcode;
    int32_t *target, *start, *divisor; /* divisor: v[d] of the opcode; -1 where it has none */
    int32_t *finished;                 /* when the front end listed the record: ascending (finished, level) is an
                                          order of execution too, with the walk's locality */
    int64_t *begin;                    /* nrecords + 1, in pairs */
    int32_t *operand;                  /* 2 nterms */
} wlu_stream;

/* v[first + i] = scale[i] * source_values[source[i]], or 0 where source[i] is -1. */
typedef struct wlu_loads {
    int64_t first, count;
    int32_t *source;
    double *scale;
} wlu_loads;

/* v[target[i]] = scale[i] * source_values[source[i]]. */
typedef struct wlu_load_list {
    int64_t count;
    int32_t *target, *source;
    double *scale;
} wlu_load_list;

/* Units begin .. end - 1 of the program's regions, between two segments of a stream: they read slots tile_y[first ..
 * behind - 1] and write slots tile_x[first .. behind - 1]. */
typedef struct wlu_solve_region {
    int32_t begin, end;
    int32_t first, behind;
} wlu_solve_region;

/* The second stage: load b; segment 0 of the stream, region 0, segment 1, and so on to the segment behind the last
 * region; x[index[k]] = scale[k] * v[x + k]. Regions with empty segments between them need nothing of each other.
 * Levels of the stream begin anew in each segment. */
typedef struct wlu_triangular {
    wlu_loads load;
    wlu_stream stream;
    int32_t regions;
    wlu_solve_region *region;
    int64_t *segment;         /* regions + 2: first vector of each segment, and their number */
    int32_t *tile_y, *tile_x; /* slots of the regions; NULL without a region */
    int32_t *index;
    double *scale; /* NULL: all 1 */
} wlu_triangular;

/* What a slot holds, as the front end calls it: a letter and up to two indices; no letter: no name. */
typedef struct wlu_slot_name {
    char letter;
    int32_t i, j; /* j: -1 where there is but one index */
} wlu_slot_name;

typedef struct wlu_program wlu_program;

/* What a front end keeps with its programs, and what program/ has to ask it. Functions may be NULL: there is nothing
 * of the kind. */
typedef struct wlu_program_kind {
    const char *stage[2]; /* what people call the stages */
    void (*destroy)(wlu_context *ctx, void *own);
    int64_t (*bytes)(const wlu_program *program);
    /* Regions and what follows them in the first stage. stamp: by slot, 0 where nothing has been written; it takes what
     * the regions write. WARPLU_INTERNAL, WARPLU_OUT_OF_MEMORY. */
    warplu_status (*verify)(wlu_context *ctx, const wlu_program *program, int32_t *stamp);
    /* Whether a region of the second stage is of units that there are, with their slots. */
    int (*has_region)(const wlu_program *program, const wlu_solve_region *region);
    /* naming: what the caller of the disassembler has for the front end. */
    void (*name_slots)(const wlu_program *program, const void *naming, wlu_slot_name *names);
    /* What verify checks; and the name of a region of the second stage, with a line's end. */
    void (*disassemble)(const wlu_program *program, FILE *file);
    void (*disassemble_region)(const wlu_solve_region *region, FILE *file);
} wlu_program_kind;

struct wlu_program {
    int32_t n;
    int32_t doubles; /* of a number: 1, or 2 where it is complex */
    int split;
    int32_t parts;        /* for as many threads */
    int64_t *part;        /* parts + 2: first vector of dot of each part, of the top, of the regions */
    const wlu_cost *cost; /* the target: its constants */
    int64_t nslots;
    int64_t region_slots, sums, y, x, zero, trash; /* first slot of each area */
    int64_t minus_one;                             /* slot of this constant, or -1 */
    int64_t solve_sums;         /* to the last slot: for the second stage that has more partial sums */
    int32_t nvalues;            /* length of the caller's value array */
    const wlu_pattern *pattern; /* that it was compiled for, or NULL; */
    const wlu_pattern *gather;  /* not NULL: and which has duplicates, so that loads read the gathered entries */
    int refinement_steps;       /* of the options: at most so many */
    int32_t *slot;              /* logical to physical slot; y and x as the last compiled second stage has them */
    wlu_loads load;
    wlu_load_list list; /* into the regions' slots */
    wlu_stream dot;
    wlu_triangular solve, transposed;
    int has_transposed;
    double predicted_ns;
    double path_ns; /* the longest path of that, where the target has paths */
    int64_t compile_ns;
    const wlu_program_kind *kind;
    void *own; /* of that kind */
};

void wlu_program_destroy(wlu_context *ctx, wlu_program **program);
void wlu_triangular_free(wlu_context *ctx, wlu_triangular *stage);
void wlu_stream_free(wlu_context *ctx, wlu_stream *stream);
int64_t wlu_stream_bytes(const wlu_stream *stream);
/* Room for so many of each in a stream of zeros, but for vectors; free it after a failure too. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_stream_allocate(wlu_context *ctx, wlu_stream *stream, int64_t records, int64_t terms);
/* Terms of record r. */
static inline int64_t wlu_stream_terms(const wlu_stream *stream, int64_t r)
{
    return stream->begin[r + 1] - stream->begin[r];
}
/* WARPLU_OVERFLOW of more slots than a slot number can name. */
warplu_status wlu_slots_check(wlu_context *ctx, int64_t slots);

/* First record of a segment of a second stage's stream; of segment regions + 1: their number. */
static inline int64_t wlu_segment_begin(const wlu_triangular *t, int32_t segment)
{
    return t->segment[segment] < t->stream.nvectors ? t->stream.vector[t->segment[segment]].first : t->stream.nrecords;
}

/* Bytes of the first stage, and of the second ones. */
int64_t wlu_program_factor_bytes(const wlu_program *program);
int64_t wlu_program_solve_bytes(const wlu_program *program);

#endif
