/* Executors: one table of functions each, listed in exec_list.def. An executor loads a program once into an
 * image of its own form and then replays it on states. All executors of one program give the same bits.
 *
 * A state belongs to one thread: slots, workspaces, health of the last refactorization. Images and programs are
 * shared. Executors set the rounding mode to nearest and denormals on while they run, and restore both.
 *
 * What runs on a device keeps its slots there: a state is attached to such an executor's image before its first replay,
 * and whoever looks at slots calls wlu_state_fetch first. */
#ifndef WLU_EXEC_EXEC_H
#define WLU_EXEC_EXEC_H

#include <warplu/device.h>

#include "base/power.h"
#include "matrix/rows.h"
#include "exec/device/refine.h"
#include "numerics/health.h"
#include "program/program.h"

/* Largest magnitudes by bits. */
typedef struct wlu_maxima {
    double u, l, f, reciprocal;
    double inverse; /* of the columns' entries that were largest when pivots were chosen: wlu_inverse_power */
} wlu_maxima;

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

/* Right-hand sides that are solved for at once: doubles in a register of 512 bits. */
enum { WLU_MANY = 8 };

/* A state's part for several right-hand sides. A slot's or unknown's WLU_MANY numbers stand side by side, 64-byte
 * aligned. */
typedef struct wlu_many {
    double *v;      /* slots from the program's y on */
    double *x;      /* m: unknowns of the TILE region */
    double *answer; /* n WLU_MANY: one column after the other, for whoever has to look at them first */
    void *block;    /* what is to be freed; NULL: there is none */
} wlu_many;

typedef struct wlu_state {
    double *v;          /* nslots, 64-byte aligned */
    double *x;          /* m: unknowns of the TILE region, in its order, while it solves */
    double *umax;       /* WLU_TILE_WIDTH a tile: largest |u| it computed in each of its columns */
    double *inverse;    /* n: wlu_inverse_power of the guards' entries, by column, of the CPU executor */
    double *source;     /* nnz: gathered values where the pattern has duplicates, else NULL */
    wlu_maxima largest; /* what the CPU executor has seen on its way to the guards */
    int by_column;      /* the last replay needed `inverse`: the CPU executor fills it in at once */
    wlu_refined
        refined; /* of the last solve of an executor that refines: error and steps, of all its right-hand sides */
    struct wlu_refining *refining; /* what an executor that refines attached on the host, or NULL */
    struct wlu_on_device *device;  /* what the executor attached, or NULL; executor: which one */
    const struct wlu_executor *executor;
    struct wlu_team *team; /* the owner's, or NULL: the CPU executor then uses one thread */
    wlu_part_state *part;  /* of each of the program's parts */
    wlu_pace pace;
    wlu_many many;     /* wlu_state_widen */
    void *block;       /* what is to be freed */
    wlu_health health; /* of the last refactorization */
    int64_t bytes;
} wlu_state;

warplu_status wlu_state_create(wlu_context *ctx, const wlu_program *program, wlu_state **out);
/* Detaches first. */
void wlu_state_destroy(wlu_context *ctx, wlu_state **state);
/* Makes the part for several right-hand sides unless it is there; 0: no memory, and nothing is said. */
int wlu_state_widen(wlu_context *ctx, const wlu_program *program, wlu_state *state);

/* The beginning of every refactorization: health reset, and what loads read: the caller's values, or the gathered
 * entries where the pattern has duplicates. */
const double *wlu_begin_refactor(const wlu_program *program, wlu_state *state, const double *values);
/* Zeroes a tile's panel and runs its listed loads. */
void wlu_load_tile(const wlu_program *program, int32_t tile, const double *source, double *v);
/* The end of every solve: x in the caller's order; returns its largest magnitude, by bits. */
double wlu_store_solution(const wlu_program *program, const wlu_triangular *solve, const double *v, double *x);

/* A solve on device pointers: columns of b and x. withhold: x becomes NaN where the factors are weak. */
typedef struct wlu_async_solve {
    wlu_stream_kind kind; /* SOLVE or SOLVE_TRANSPOSED */
    int withhold;
    int32_t nrhs;
    const double *b;
    int64_t ldb;
    double *x;
    int64_t ldx;
} wlu_async_solve;

/* Beside the options' precisions: FP64 whose solves on device pointers are checked and refined as those in
 * WARPLU_PRECISION_MIXED are; others are as in WARPLU_PRECISION_DOUBLE, for the host sees them. No option: the solver
 * takes it for pivots that nobody vouches for. The reference, which has no device pointers, refines all. */
#define WLU_DOUBLE_REFINED ((warplu_precision)(WARPLU_PRECISION_MIXED + 1))

static inline int wlu_precision_refines(warplu_precision precision)
{
    return precision >= WARPLU_PRECISION_MIXED;
}

/* Slots are FP32. */
static inline int wlu_precision_is_single(warplu_precision precision)
{
    return precision == WARPLU_PRECISION_SINGLE || precision == WARPLU_PRECISION_MIXED;
}

/* Functions that may be missing say what that means. Those that can fail on a device answer WARPLU_DEVICE_FAILED,
 * WARPLU_OUT_OF_MEMORY or WARPLU_NO_DEVICE; the factors are then void, image and state stay usable. */
typedef struct wlu_executor {
    const char *name;
    warplu_precision precision; /* that it computes in; slots on the host are doubles, those of FP32 widened */
    const wlu_cost *cost;       /* the target that programs are compiled for, and orders chosen */
    /* WARPLU_NOT_COMPILED, WARPLU_NO_DEVICE. */
    warplu_status (*available)(wlu_context *ctx);
    /* Packs the factorization and the solve; the program must outlive the image. */
    warplu_status (*load)(wlu_context *ctx, const wlu_program *program, void **image);
    /* Packs the transposed solve as well, once. */
    warplu_status (*load_transposed)(wlu_context *ctx, void *image);
    warplu_status (*refactor)(wlu_context *ctx, const void *image, wlu_state *state, const double *values);
    /* One right-hand side; b and x may be the same. kind: SOLVE or SOLVE_TRANSPOSED. largest: magnitude of x, by bits:
     * NaN beats infinity beats every number. */
    warplu_status (*solve)(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind, const double *b,
                           double *x, double *largest);
    /* Up to WLU_MANY right-hand sides at once, columns of b and x, on a widened state: each has the bits of its solve
     * alone. b and x may be the same where ldb is ldx. largest: count times what solve says. */
    warplu_status (*solve_many)(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind, int count,
                                const double *b, int64_t ldb, double *x, int64_t ldx, double *largest);
    /* Bytes of the image: 0 factorization, 1 solves. */
    int64_t (*bytes)(const void *image, int solves);
    void (*destroy)(wlu_context *ctx, void **image);

    /* What a state needs on the device, in state->device; NULL: nothing. */
    warplu_status (*attach)(wlu_context *ctx, const void *image, wlu_state *state);
    void (*detach)(wlu_context *ctx, wlu_state *state);
    /* Brings slots and umax of the last replay to the host unless they are there; NULL: they are. */
    warplu_status (*fetch)(wlu_context *ctx, const void *image, wlu_state *state);

    /* On device pointers, in the order of the stream: enqueued, not waited for; nothing is allocated. NULL: no device.
     */
    warplu_status (*refactor_async)(wlu_context *ctx, const void *image, wlu_state *state, const double *values,
                                    void *stream);
    warplu_status (*solve_async)(wlu_context *ctx, const void *image, wlu_state *state, const wlu_async_solve *solve,
                                 void *stream);
    /* Both: what the first and then the second would do. The solve may begin while the factorization runs. */
    warplu_status (*refactor_solve_async)(wlu_context *ctx, const void *image, wlu_state *state, const double *values,
                                          const wlu_async_solve *solve, void *stream);
    /* Waits for the stream; state->health is then that of the last replay. */
    warplu_status (*finish)(wlu_context *ctx, const void *image, wlu_state *state, void *stream);
    /* The last replay serves, whatever the device has found: solve_async withholds nothing until the next. */
    warplu_status (*vouch)(wlu_context *ctx, const void *image, wlu_state *state);
    /* The record of the state's health, for device and host. */
    const warplu_device_health *(*record)(const wlu_state *state);
    /* This executor with a strategy and a precision; NULL: it has them all the same, in double precision alone. */
    const struct wlu_executor *(*with)(warplu_strategy strategy, warplu_precision precision);
} wlu_executor;

#define WLU_EXECUTOR(id, name) extern const wlu_executor wlu_executor_##name;
#include "exec/exec_list.def"
#undef WLU_EXECUTOR

/* Of other precisions; those of WLU_EXECUTOR are WARPLU_PRECISION_DOUBLE. */
extern const wlu_executor wlu_executor_reference_single, wlu_executor_reference_mixed, wlu_executor_reference_refined;
extern const wlu_executor wlu_executor_emulate_single, wlu_executor_emulate_mixed;

/* The kernel of the fastest instruction set of this machine for residuals, whatever the executor. */
wlu_rows_residual *wlu_residual_kernel(void);

/* Makes the state one of this executor's; before its first replay. */
warplu_status wlu_state_attach(wlu_context *ctx, const wlu_executor *executor, const void *image, wlu_state *state);
/* Slots and umax on the host are those of the last replay from here to the next one. */
warplu_status wlu_state_fetch(wlu_context *ctx, const void *image, wlu_state *state);

/* The executor with a strategy, or as it is where it has but one, and a precision; NULL: not in that precision. */
const wlu_executor *wlu_executor_with(const wlu_executor *executor, warplu_strategy strategy,
                                      warplu_precision precision);

/* The executor of that number; AUTO is the fastest available one of the host's. WARPLU_NOT_COMPILED, WARPLU_NO_DEVICE:
 * *out is NULL. */
warplu_status wlu_executor_find(wlu_context *ctx, warplu_executor id, const wlu_executor **out);

#endif
