/* A program packed for the CPU: the DOT streams as runs of bundles, one sequential stream of 32-bit words.
 *
 * A bundle is up to eight records of one opcode side by side, one a lane, their operands transposed so that a step
 * is two gathers and one fused multiply-add for all lanes. Bundles are padded with the zero slot (0 * 0 subtracted
 * changes nothing, the sign of zero included) and write their unused lanes to the trash slot. A run is bundles of one
 * form and length, so that its branches are predictable. Packing moves records, it never changes a sum.
 *
 *   across:  t[8] unless contiguous, s[8] unless in place, d[8] if there is a divisor; steps x (a[8] b[8])
 *   singles: groups of single records, each a head and records. Head: kind and count, d, r, terms. Records have one
 *            number of terms and one divisor d: t, s, pairs. Those of long chains are padded to a multiple of eight:
 *            t, s, terms / 8 x (a[8] b[8]), whose lanes are the accumulators. With a pivot v[r] = 1 / v[d] comes first
 *            and r is their divisor.
 *            Links of a chain, d in a register: r l b t, which are v[r] = 1 / d, v[l] *= v[r], d = v[t] -= v[l] * v[b].
 *
 * The targets of a contiguous run are neighbours from its first target on. A contiguous run that starts from its
 * own targets takes their loads with it (fused): each of its bundles begins with the load map of these slots, and only
 * the other slots are loaded beforehand, by ranges, whose load maps stand in front of the runs in the same form:
 *
 *   load map of eight slots: source[8], scale[8] as the upper 16 bits of powers of two unless all of them are 1
 *
 * Guards: what is loaded and stays, and what contiguous runs of the factorization compute, goes into the largest
 * magnitude of its area while it is in a register; ranges say what is left to look at afterwards. */
#ifndef WLU_EXEC_CPU_IMAGE_H
#define WLU_EXEC_CPU_IMAGE_H

#include "exec/cpu/forms.h"
#include "exec/host.h"
#include "exec/residual/row_lanes.h"
#include "exec/state.h"
#include "numerics/verdict.h"

typedef struct wlu_run {
    uint8_t form;  /* wlu_run_form */
    uint8_t area;  /* wlu_area whose maximum the targets go into */
    int32_t first; /* first target; of groups that of a reciprocal or record */
    int32_t steps;
    int64_t count; /* bundles; groups of single records */
} wlu_run;

/* Slots first .. first + count - 1, and the area they count for. */
typedef struct wlu_range {
    int64_t first, count;
    int32_t area;
} wlu_range;

typedef struct wlu_cpu_ranges {
    int64_t count;
    wlu_range *range;
} wlu_cpu_ranges;

/* Where runs, or ranges, begin. */
typedef struct wlu_place {
    int64_t run, word;
} wlu_place;

/* Words for eight slots of the load map: sources, and powers unless all are 1. */
enum { MAP_WORDS = 12, UNIT_MAP_WORDS = 8 };

typedef struct wlu_packed {
    int64_t nruns, nwords;
    int64_t nplaces;
    wlu_place *place; /* of the runs of each group: of factorizations parts, the top, tiles; of a solve segments; and
                         the end */
    wlu_place *share; /* parts + 1, solves 2: what each part loads, of the ranges in load */
    wlu_run *run;
    int32_t *word; /* 64-byte aligned inside block */
    void *block;
    int unit;              /* all scales of the load map are 1 */
    wlu_cpu_ranges load;   /* what has to be loaded before the stream runs */
    wlu_cpu_ranges judged; /* what the guards have to look at after it */
} wlu_packed;

/* Where one kind of solve has b, or x, by the caller's order: v[place[i]] = scale[i] * b[i], x[i] = scale[i] *
 * v[place[i]]. */
typedef struct wlu_cpu_places {
    int32_t n;
    int32_t *place;
    double *scale; /* NULL: all 1 */
} wlu_cpu_places;

/* One kind of solve. */
typedef struct wlu_cpu_solve {
    const wlu_triangular *stage; /* the program's; NULL: it is not packed */
    wlu_packed packed;
    wlu_cpu_places loads; /* for several right-hand sides; one alone is loaded by the stream */
    wlu_cpu_places stores;
} wlu_cpu_solve;

/* Right-hand sides and solutions of one call for several. */
typedef struct wlu_columns {
    int count;
    const double *b;
    int64_t ldb;
    double *x;
    int64_t ldx;
    double *largest; /* count: largest magnitude of each solution, by bits */
} wlu_columns;

typedef struct wlu_cpu_image {
    wlu_image base;
    const struct wlu_cpu_kernels *kernels;
    wlu_packed dot;
    wlu_cpu_solve solve[2]; /* with A, with A' */
} wlu_cpu_image;

/* What a part of a replay has seen; a pair of cache lines each. */
typedef struct wlu_part_state {
    wlu_maxima largest;
    char apart[128 - sizeof(wlu_maxima)];
} wlu_part_state;

/* Which way has been faster lately: alone (0) or together (1). */
typedef struct wlu_pace {
    int64_t ns[2];
    int32_t trials, left, gap; /* trials under way; replays until the next; between them */
    int together;
} wlu_pace;

/* A state's part for several right-hand sides, made when they first come. A slot's or unknown's WLU_MANY numbers stand
 * side by side, 64-byte aligned. */
typedef struct wlu_many {
    double *v;   /* slots from the program's y on */
    double *x;   /* m: unknowns of the TILE region */
    void *block; /* what is to be freed; NULL: there is none */
} wlu_many;

typedef struct wlu_cpu_state {
    wlu_state base;
    wlu_health health; /* the base's */
    wlu_host_slots slots;
    wlu_maxima largest;   /* what has been seen on the way to the guards */
    int by_column;        /* the last replay needed `inverse`: the next fills it in at once */
    wlu_team *team;       /* NULL: one thread */
    wlu_part_state *part; /* of each of the program's parts */
    double *inverse;      /* n: wlu_inverse_power of the guards' entries, by column */
    wlu_pace pace;
    wlu_many many;
    void *block; /* of the slots */
} wlu_cpu_state;

/* The tiles to be eliminated, in this order; list NULL: count of them in a row. me: the member of a team that waits for
 * other members' tiles of the top and publishes its own, by turns behind step WLU_STEP_TOP; or NULL. */
typedef struct wlu_tile_job {
    const int32_t *list;
    int32_t count;
    const double *source;
    wlu_member *me;
    int32_t first; /* without a list */
} wlu_tile_job;

/* Steps that members publish: what they load stands; their subtrees are done; the top's DOT pivots are (member 0). */
enum { WLU_STEP_LOADED = 1, WLU_STEP_SUBTREES = 2, WLU_STEP_TOP = 3 };

/* A refactorization by the state's team, one member a part, in whatever way was faster lately: alone or together.
 * WARPLU_CANCELLED, where the state polls. */
warplu_status wlu_cpu_replay(wlu_context *ctx, const wlu_cpu_image *image, wlu_cpu_state *state, const double *source);

/* One instruction set's kernels, for one kind of numbers. */
typedef struct wlu_cpu_kernels {
    const char *name;
    /* First: the guards' entries. They stand in the order of A, so that loads find its values in the cache. */
    void (*entries)(const wlu_program *program, wlu_cpu_state *state, const double *source);
    /* The ranges of the load map that no run takes with it, of parts first .. end - 1. largest: of the factorization,
     * else NULL. */
    void (*load)(const wlu_packed *packed, int32_t first, int32_t end, const double *source,
                 const wlu_host_slots *slots, wlu_maxima *largest);
    /* The runs of groups first .. end - 1. source: for fused runs; may be NULL if there are none. */
    void (*stream)(const wlu_packed *packed, int32_t first, int32_t end, const double *source,
                   const wlu_host_slots *slots, wlu_maxima *largest);
    /* Tiles, each with its runs. */
    void (*tiles)(const wlu_program *program, const wlu_packed *packed, wlu_cpu_state *state, const wlu_tile_job *job,
                  wlu_maxima *largest);
    void (*solve_tiles)(const wlu_program *program, wlu_cpu_state *state, const wlu_triangular *solve,
                        wlu_solve_region region);
    /* Last, after the tiles. */
    void (*guards)(const wlu_packed *packed, const wlu_program *program, wlu_cpu_state *state, const double *source);
    /* Returns the largest magnitude of x, by bits: that of a NaN if there is one. */
    double (*store)(const wlu_cpu_places *stores, const wlu_host_slots *slots, double *x);
    /* A whole solve for up to WLU_MANY right-hand sides, from the program as it is. */
    void (*solve_many)(const wlu_program *program, wlu_cpu_state *state, const wlu_cpu_solve *solve,
                       const wlu_columns *columns);
    wlu_rows_residual *residual;
    wlu_weighed_largest *weigh;
    wlu_sum_weighed *sum_weighed;
    wlu_list_left *list_left;
    wlu_look_at_rows *look_at;
} wlu_cpu_kernels;

extern const wlu_cpu_kernels wlu_cpu_avx512, wlu_cpu_avx512_loads, wlu_cpu_avx2, wlu_cpu_neon, wlu_cpu_portable;
extern const wlu_cpu_kernels wlu_cpu_avx512_complex, wlu_cpu_avx2_complex, wlu_cpu_neon_complex,
    wlu_cpu_portable_complex;

/* The stream of a solve, or where that is NULL of the factorization, with its guards and its tiles. Loads are those
 * that run just before, some of which the stream takes over. */
warplu_status wlu_pack_stream(wlu_context *ctx, const wlu_program *program, const wlu_triangular *solve,
                              wlu_packed *out);
void wlu_packed_free(wlu_context *ctx, wlu_packed *packed);
int64_t wlu_packed_bytes(const wlu_packed *packed);

#endif
