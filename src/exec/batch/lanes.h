/* The CPU's batch executor: eight members in the lanes of a v8, threads over groups of eight.
 *
 * A slot is a line of eight numbers, a factor's [slot][lane]; of complex ones [slot][part][lane]. A thread has slots of
 * its own, in which members whose factors are not kept are computed: they stay in its cache. Kept ones stand in groups
 * of eight too, place p in lane p mod 8 of group p / 8. Where a job has most members of such a group they are computed
 * there, others' lanes are put aside; else in the thread's slots, and lanes are copied (lanes_homes.c).
 *
 * The records of the flat program become a stream of 32-bit words (lanes_stream.c): windows of some hundred
 * records are put in an order in which those of one form follow each other and need nothing of each other, so that the
 * form is dispatched on once for many and chains, which are paths of dependent FMAs, go on side by side. A term is two
 * loads and one FMA for eight members; chains that share an operand load it once.
 *
 *     run      form | area << 8, count, then count records or groups of four
 *     record   [terms] t s [d] terms x (a b)           terms: of forms whose number of terms is not their own
 *     four     terms 4 x (t s [d]) terms x 4 x (a b)   shorter chains filled up with 0 * 0
 *     shared   terms 4 x (t s [d]) terms x (o 4 x p)   o: the operand that all four have in common
 *     grid     terms 16 x (t s) terms x (4 x a 4 x b)  chain 4 i + j has a of i and b of j; by rows of a panel
 *
 * Slots in words are places of doubles, the line's length times their number. Factors and what a solve has are
 * apart: a divisor and the first operand of a term are factors, all else of a solve is its own. */
#ifndef WLU_EXEC_BATCH_LANES_H
#define WLU_EXEC_BATCH_LANES_H

#include "exec/batch/batch.h"
#include "exec/cpu/instruction_set.h"
#include "exec/residual/rows_image.h"

/* CHUNK: numbers of a member that are fetched at a time; 4 KB for eight members, 8 KB of complex ones. */
enum { WLU_LANES = 8, WLU_LANES_CHUNK = 64 };

/* Lines of eight. */
typedef struct wlu_lanes_maxima {
    double of[WLU_AREAS][WLU_LANES];
} wlu_lanes_maxima;

/* ------------------------------------------------------------------ images */

/* Forms of runs: for each opcode of chains the number of terms where it is small, then others in order, four side by
 * side, four that share an operand, long ones, trees. */
enum { WLU_LANES_UNROLLED = 4 };
#define WLU_LANES_FORMS_OF(name) \
    WLU_LANES_##name##_0, WLU_LANES_##name##_1, WLU_LANES_##name##_2, WLU_LANES_##name##_3, WLU_LANES_##name##_4, \
        WLU_LANES_##name##_ANY, WLU_LANES_##name##_FOUR, WLU_LANES_##name##_SHARED_A, WLU_LANES_##name##_SHARED_B, \
        WLU_LANES_##name##_LONG, WLU_LANES_##name##_TREE
typedef enum wlu_lanes_form {
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_STREAM_OPCODE(name, shape, flops, compiled, semantics, end, stages) WLU_LANES_##name,
#define WLU_CHAIN_OPCODE(name, shape, flops, compiled, semantics, end, stages) WLU_LANES_FORMS_OF(name),
#include "program/opcodes.def"
#undef WLU_OPCODE
    WLU_LANES_GRID_1, /* by columns */
    WLU_LANES_GRID_2,
    WLU_LANES_GRID_3,
    WLU_LANES_GRID_4,
    WLU_LANES_FORMS
} wlu_lanes_form;

enum { WLU_LANES_GRID_ROWS = 4 };

/* Of an opcode of chains, counted from its form of no terms. */
enum {
    WLU_LANES_ANY = WLU_LANES_UNROLLED + 1,
    WLU_LANES_FOUR,
    WLU_LANES_SHARED_A,
    WLU_LANES_SHARED_B,
    WLU_LANES_LONG,
    WLU_LANES_TREE
};

typedef struct wlu_lanes_stream {
    int64_t nwords;
    uint32_t *word;
} wlu_lanes_stream;

/* Line `to` becomes scale times number `from` of the chunk; by chunks and, in each, by area. */
typedef struct wlu_lanes_load {
    uint32_t from, to; /* places of doubles */
    double scale;
} wlu_lanes_load;

typedef struct wlu_lanes_loads {
    int64_t count;  /* numbers */
    int64_t *begin; /* WLU_SLOT_AREAS a chunk, and the end */
    wlu_lanes_load *load;
} wlu_lanes_loads;

/* Entries that the guards look at: those of a column and a row, of a column, of a row. By chunks and kinds. */
typedef enum wlu_lanes_guard_kind {
    WLU_LANES_BOTH,
    WLU_LANES_COLUMN,
    WLU_LANES_ROW,
    WLU_LANES_KINDS
} wlu_lanes_guard_kind;

typedef struct wlu_lanes_guard {
    uint32_t from, place; /* of doubles: in the chunk; of the column's line of inverses */
    double column, row;   /* scales */
} wlu_lanes_guard;

typedef struct wlu_lanes_guards {
    int64_t *begin; /* WLU_LANES_KINDS a chunk, and the end */
    wlu_lanes_guard *guard;
    int64_t count;      /* of computed u: */
    uint32_t *computed; /* pairs: the slot, its column's line of inverses */
} wlu_lanes_guards;

typedef struct wlu_lanes_solve {
    int64_t own; /* slots, two constants with them */
    wlu_lanes_loads loads;
    wlu_lanes_stream stream;
    uint32_t *store;     /* n */
    const double *scale; /* the flat program's */
    wlu_rows_image rows; /* for residuals */
} wlu_lanes_solve;

typedef struct wlu_lanes_image {
    wlu_lanes_loads loads;
    wlu_lanes_guards guards;
    wlu_lanes_stream factor;
    wlu_lanes_solve solve[2];
} wlu_lanes_image;

/* Stage of the flat program: solve NULL is the factorization. WARPLU_OUT_OF_MEMORY, WARPLU_INTERNAL. */
warplu_status wlu_lanes_pack_stream(wlu_context *ctx, const wlu_flat *flat, const wlu_flat_solve *solve,
                                    wlu_lanes_stream *out);
/* Without the transposed solve. WARPLU_NOT_COMPILED: more slots than words can name. */
warplu_status wlu_lanes_image_pack(wlu_context *ctx, const wlu_flat *flat, wlu_lanes_image *out);
warplu_status wlu_lanes_solve_pack(wlu_context *ctx, const wlu_flat *flat, wlu_stream_kind kind, wlu_lanes_image *out);
void wlu_lanes_solve_free(wlu_context *ctx, wlu_lanes_solve *solve);
void wlu_lanes_image_free(wlu_context *ctx, wlu_lanes_image *image);
int64_t wlu_lanes_image_bytes(const wlu_lanes_image *image);

/* ----------------------------------------------------------------- kernels */

/* Where eight members' numbers are read: number i of lane q from at[q][i * by_number] on. gather: entry e is the sum of
 * numbers, as wlu_pattern_gather has it; or NULL. */
typedef struct wlu_lanes_source {
    const double *at[WLU_LANES];
    int64_t by_number;
    const wlu_pattern *gather;
} wlu_lanes_source;

/* Where they go; lanes: bits of those that go anywhere. */
typedef struct wlu_lanes_sink {
    double *at[WLU_LANES];
    int64_t by_number;
    unsigned lanes;
} wlu_lanes_sink;

/* A look at the residuals of eight right-hand sides, lines of eight: r = b - A x, or where x is NULL r = b. error and
 * size: as wlu_refine_control has them, magnitudes; unknown: the largest magnitudes of x. */
typedef struct wlu_lanes_look {
    const wlu_refine_rows *rows;
    const double *entries, *b, *x;
    double *r;
    double unknown[WLU_LANES], error[WLU_LANES], size[WLU_LANES];
} wlu_lanes_look;

/* One instruction set's kernels, for a kind of numbers. */
typedef struct wlu_lanes_kernels {
    const char *name;
    /* Numbers first .. first + count - 1, or entries. */
    void (*fetch)(const wlu_lanes_source *from, int64_t first, int64_t count, double *to);
    void (*send)(const double *from, int64_t first, int64_t count, const wlu_lanes_sink *to);
    /* What loads make of a chunk of numbers. */
    void (*load)(const wlu_lanes_loads *loads, int64_t chunk, const double *numbers, double *v, wlu_lanes_maxima *m);
    /* What guards see in a chunk of entries. inverse: lines of inverses, or NULL. */
    void (*guard)(const wlu_lanes_guards *guards, int64_t chunk, const double *numbers, double *inverse,
                  wlu_lanes_maxima *m);
    void (*stream)(const wlu_lanes_stream *stream, const double *factors, double *v, wlu_lanes_maxima *m);
    void (*relative)(const wlu_lanes_guards *guards, const double *v, const double *inverse, wlu_lanes_maxima *m);
    /* Unknowns first .. first + count - 1 of a solve's slots. largest: raised. */
    void (*collect)(const wlu_lanes_solve *solve, const double *v, int64_t first, int64_t count, double *to,
                    double *largest);
    /* Raises the largest magnitudes by bits to those of so many lines. */
    void (*largest)(const double *lines, int64_t count, double *largest);
    void (*look)(wlu_lanes_look *look);
    /* trial = best + up * found, and raises the largest magnitudes. */
    void (*correct)(int64_t count, const double *found, const double *best, const double *up, double *trial,
                    double *largest);
    /* Lanes whose sign is negative become those of the other lines. */
    void (*choose)(int64_t count, const double *sign, const double *from, double *to);
} wlu_lanes_kernels;

extern const wlu_lanes_kernels wlu_lanes_avx512, wlu_lanes_avx2, wlu_lanes_neon, wlu_lanes_portable;
extern const wlu_lanes_kernels wlu_lanes_avx512_complex, wlu_lanes_avx2_complex, wlu_lanes_neon_complex,
    wlu_lanes_portable_complex;

/* ------------------------------------------------------------------ states */

/* What a thread computes in; all are lines of eight. */
typedef struct wlu_lanes_scratch {
    double *v;                    /* slots of the factorization */
    double *own;                  /* those of a solve */
    double *entries;              /* one chunk of them at least */
    double *inverse;              /* of the guards' columns */
    double *b, *r, *best, *trial; /* n each, for refinement */
    double *chunk;                /* a chunk of numbers */
    int by_column;                /* the last replay needed `inverse`: the next fills it in at once */
    char apart[128 - 9 * sizeof(double *) - 2 * sizeof(int)];
} wlu_lanes_scratch;

typedef struct wlu_lanes_state {
    wlu_batch_state base;
    const wlu_flat *flat;
    const wlu_lanes_kernels *kernels;
    wlu_lanes_image image;
    wlu_team *team;
    int threads;
    int64_t own;                /* slots of a solve that threads have room for */
    wlu_lanes_scratch *scratch; /* threads */
    void *block, *own_block;    /* theirs */
    double *home;               /* groups of eight places: slots, then entries */
    void *home_block;
    int32_t *order, *begin; /* of a job: its members by groups, places; where each begins, places + 1 */
    int32_t *in_home;       /* by home: the job's members, and as much for sorting */
    wlu_health *health;     /* places */
} wlu_lanes_state;

/* Up to eight members of a job. */
typedef struct wlu_lanes_group {
    const wlu_lanes_state *state;
    const wlu_batch_job *job;
    wlu_lanes_scratch *scratch;
    unsigned lanes;            /* bits of those that have a member */
    int32_t member[WLU_LANES]; /* idle lanes repeat one */
    double *v, *entries;       /* where they stand: slots of the factorization, entries */
    wlu_health health[WLU_LANES];
} wlu_lanes_group;

/* Where a group's members have their factors (lanes_homes.c). */
typedef struct wlu_lanes_homes {
    int at_home;              /* they are computed where they are kept */
    int32_t place[WLU_LANES]; /* of lanes that have a member */
} wlu_lanes_homes;

/* Doubles of a group's slots and entries. */
int64_t wlu_lanes_group_doubles(const wlu_lanes_state *state);
/* Sorts the members of a job with places into groups. Returns how many. */
int32_t wlu_lanes_group_places(wlu_lanes_state *state, const wlu_batch_job *job);
/* Whom the lanes of group `number` belong to, and where they stand. */
void wlu_lanes_seat_members(wlu_lanes_group *group, int32_t number, wlu_lanes_homes *homes);
/* Before a replay or solves by kept factors, and after a replay: kept numbers come and go. */
void wlu_lanes_go_home(const wlu_lanes_group *group, const wlu_lanes_homes *homes);
void wlu_lanes_leave_home(const wlu_lanes_group *group, const wlu_lanes_homes *homes);
/* Lines of a group's numbers in a view; those of a column. */
wlu_lanes_source wlu_lanes_source_of(const wlu_lanes_group *group, const wlu_member_view *view, int32_t column);
/* Where the x of a column go, of lanes whose bit is set. */
wlu_lanes_sink wlu_lanes_sink_of(const wlu_lanes_group *group, int32_t column, unsigned lanes);
/* Replays the members' values: slots, entries where `keeps`, health. */
void wlu_lanes_replay(wlu_lanes_group *group, int keeps);
/* A solve whose right-hand side is in its slots. */
void wlu_lanes_substitute(const wlu_lanes_group *group);
/* The job's columns, checked where it says so. */
void wlu_lanes_solve_columns(wlu_lanes_group *group);
/* One column by refinement (exec/refined.h), of lanes whose bit is set; the others have their first solution. Raises by
 * lane the largest magnitudes of b and x. */
void wlu_lanes_refine(wlu_lanes_group *group, int32_t column, unsigned lanes, double *b, double *x);

/* Doubles of a line of numbers. */
static inline int64_t wlu_lanes_line(const wlu_flat *flat)
{
    return WLU_LANES * (int64_t)flat->program->doubles;
}

/* Lines of the factorization's slots, and of one that takes what is nobody's. */
static inline int64_t wlu_lanes_lines(const wlu_flat *flat)
{
    return flat->count + 1;
}

static inline const wlu_lanes_solve *wlu_lanes_solve_of(const wlu_lanes_group *group)
{
    return &group->state->image.solve[group->job->kind == WLU_STREAM_SOLVE_TRANSPOSED];
}

/* Numbers of the chunk that begins at `first`. */
static inline int64_t wlu_lanes_chunk(int64_t first, int64_t count)
{
    return count - first < WLU_LANES_CHUNK ? count - first : WLU_LANES_CHUNK;
}

#endif
