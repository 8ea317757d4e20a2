/* The contract of executors. A target says what is to run and where: plain data. Its executor, one table of functions,
 * loads a program into an image for the target and makes states of the image, which replay it. All executors of one
 * program give the same bits.
 *
 * Images and programs are shared by threads. A state belongs to one thread; it holds the numbers of `count` members,
 * systems of one program, each with a health of its own. Both are opaque: each executor has its own
 * structures, which begin with what all have (exec/state.h). Executors set the rounding mode to nearest and denormals
 * on while they run, and restore both.
 *
 * To add an executor: see CONTRIBUTING.md. */
#ifndef WLU_EXEC_EXEC_H
#define WLU_EXEC_EXEC_H

#include <warplu/device.h>

#include "base/team.h"
#include "matrix/rows.h"
#include "numerics/health.h"
#include "numerics/means.h"
#include "numerics/refined.h"
#include "lu/lu.h"

/* Right-hand sides that are solved for at once, at most: doubles in a register of 512 bits. */
enum { WLU_MANY = 8 };

/* Beside the options' precisions: FP64 whose solves on device pointers are checked and refined as those in
 * WARPLU_PRECISION_MIXED are; others are as in WARPLU_PRECISION_DOUBLE, for the host sees them. No option: the solver
 * takes it for pivots that nobody vouches for. Executors on the host refine all. */
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

typedef struct wlu_executor wlu_executor;
typedef struct wlu_image wlu_image;
typedef struct wlu_state wlu_state;

/* Devices that share the members of a batch. */
typedef struct wlu_device_list {
    int32_t count;
    int fewer; /* those that are absent or fail are left out */
    int32_t number[];
} wlu_device_list;

/* strategy: of executors that have several, as their line in exec_list.def says. */
typedef struct wlu_target {
    const wlu_executor *executor;
    int32_t device; /* its number; -1: that of the calling thread's current context, until wlu_target_open */
    warplu_precision precision;
    warplu_strategy strategy;
    int32_t doubles;                /* of a number: 1, or 2 where it is complex */
    const wlu_device_list *several; /* of batches: in place of `device`; NULL: that alone */
} wlu_target;

static inline int wlu_target_equal(const wlu_target *a, const wlu_target *b)
{
    return a->executor == b->executor && a->device == b->device && a->precision == b->precision &&
           a->strategy == b->strategy && a->doubles == b->doubles;
}

/* A member's numbers after its last refactorization, as doubles; until the next one, or the next look. */
typedef struct wlu_slots {
    const double *v;    /* the program's slots of the factorization, complex ones part by part */
    const double *umax; /* WLU_TILE_WIDTH a tile: largest |u| it computed in each of its columns */
} wlu_slots;

/* A solve on device pointers: columns of b and x. withhold: x becomes NaN where the factors are weak. to_rounding: what
 * is refined is so as far as it can be. */
typedef struct wlu_async_solve {
    wlu_stream_kind kind; /* SOLVE or SOLVE_TRANSPOSED */
    int withhold;
    int32_t nrhs;
    const double *b;
    int64_t ldb;
    double *x;
    int64_t ldx;
    int to_rounding;
} wlu_async_solve;

/* What only devices can, on device pointers in the order of a stream. Statuses as for the functions of an executor. */
typedef struct wlu_executor_device {
    /* A refactorization unless `values` is NULL, then a solve unless `solve` is: enqueued, not waited for; nothing is
     * allocated. Both at once: the solve may begin while the factorization runs. */
    warplu_status (*enqueue)(wlu_context *ctx, wlu_state *state, const double *values, const wlu_async_solve *solve,
                             void *stream);
    /* Waits for the stream; the state's health is then that of the last replay. */
    warplu_status (*finish)(wlu_context *ctx, wlu_state *state, void *stream);
    /* The last replay serves, whatever the device has found: nothing is withheld until the next. */
    warplu_status (*release_withheld)(wlu_context *ctx, wlu_state *state);
    /* What the device has written of the last replay and of solves since; it is not waited for. */
    warplu_device_health (*health)(const wlu_state *state);
    /* Where the device writes the verdict on each replay, for the device and the host. */
    const warplu_device_verdict *(*verdict)(const wlu_state *state);
} wlu_executor_device;

/* Functions that can fail on a device answer WARPLU_DEVICE_FAILED, WARPLU_OUT_OF_MEMORY or WARPLU_NO_DEVICE; the
 * factors are then void, image and state stay usable. Callers go by the functions of targets, images and states below.
 */
struct wlu_executor {
    const char *name;
    int refines;                       /* solutions, where the target wants it; else the host does it (refined.c) */
    const wlu_executor_device *device; /* NULL: it takes no device pointers */
    /* Makes sure of the target and completes it. cost: what programs for it are compiled by, and orders chosen.
     * WARPLU_NOT_COMPILED, WARPLU_NO_DEVICE, WARPLU_PRECISION_UNSUPPORTED. */
    warplu_status (*open)(wlu_context *ctx, wlu_target *target, const wlu_cost **cost);
    /* *image NULL: makes an image with factorization and solve, or leaves NULL. Then, either way, packs the transposed
     * solve where the program has it and the image does not. */
    warplu_status (*load)(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **image);
    void (*unload)(wlu_context *ctx, wlu_image **image);
    /* team: whose threads may replay, or NULL. WARPLU_NOT_COMPILED: not for so many members. On failure *state is NULL.
     */
    warplu_status (*create)(wlu_context *ctx, const wlu_image *image, int32_t count, wlu_team *team, wlu_state **state);
    void (*destroy)(wlu_context *ctx, wlu_state **state);
    /* values: of the members one after the other, the program's nvalues each. */
    warplu_status (*refactor)(wlu_context *ctx, wlu_state *state, const double *values);
    /* kind: SOLVE or SOLVE_TRANSPOSED. For each member after the other nrhs columns of b and x, WLU_MANY at most: each
     * has the bits of its solve alone. b and x may be the same where ldb is ldx. largest: for each column the magnitude
     * of x, by bits: NaN beats infinity beats every number. */
    warplu_status (*solve)(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind, int nrhs, const double *b,
                           int64_t ldb, double *x, int64_t ldx, double *largest);
    warplu_status (*fetch)(wlu_context *ctx, wlu_state *state, int32_t member, wlu_slots *out);
};

#define WLU_EXECUTOR(table, id, public_name, strategy, threads) extern const wlu_executor wlu_executor_##table;
#include "exec/exec_list.def"
#undef WLU_EXECUTOR

/* The target of these options: WARPLU_EXECUTOR_AUTO is the fastest of the host. WARPLU_INVALID_ARGUMENT (no such
 * executor or strategy) and those of open. */
warplu_status wlu_target_find(wlu_context *ctx, const warplu_options *options, wlu_target *out, const wlu_cost **cost);
warplu_status wlu_target_open(wlu_context *ctx, wlu_target *target, const wlu_cost **cost);
/* By numbers of the public enumerations: "auto" for 0; NULL: there is none of this number. */
const char *wlu_executor_name(warplu_executor id);
const char *wlu_strategy_name(warplu_strategy strategy);
/* For tests: an executor that is in no list, by a number that is in no public enumeration. Before solvers are created.
 */
#define WLU_EXECUTOR_REGISTERED ((warplu_executor)100)
void wlu_executor_register(const wlu_executor *executor);
/* Whether it replays on several threads; 0 for what there is not. */
int wlu_executor_threads(warplu_executor id);

/* As load of the target's executor. The program must outlive the image. */
warplu_status wlu_image_load(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **image);
/* Takes NULL, leaves NULL. */
void wlu_image_destroy(wlu_context *ctx, wlu_image **image);
const wlu_target *wlu_image_target(const wlu_image *image);
const wlu_program *wlu_image_program(const wlu_image *image);
/* 0: of the factorization, 1: of solves. */
int64_t wlu_image_bytes(const wlu_image *image, int solves);

/* As the executor's functions of these names, of an image that outlives the state. */
warplu_status wlu_state_create(wlu_context *ctx, const wlu_image *image, int32_t count, wlu_team *team,
                               wlu_state **out);
void wlu_state_destroy(wlu_context *ctx, wlu_state **state);
warplu_status wlu_state_refactor(wlu_context *ctx, wlu_state *state, const double *values);
/* The same; the caller is asked on the way whether to go on, by an executor that does so. WARPLU_CANCELLED: the factors
 * are void. */
warplu_status wlu_state_refactor_polled(wlu_context *ctx, wlu_state *state, const double *values);
warplu_status wlu_state_solve(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind, int nrhs, const double *b,
                              int64_t ldb, double *x, int64_t ldx, double *largest);
warplu_status wlu_state_fetch(wlu_context *ctx, wlu_state *state, int32_t member, wlu_slots *out);
const wlu_image *wlu_state_image(const wlu_state *state);
int64_t wlu_state_bytes(const wlu_state *state);
/* Of the last refactorization. */
const wlu_health *wlu_state_health(const wlu_state *state, int32_t member);
/* Where the target refines: of the last solve, error and steps of all its right-hand sides. */
const wlu_refined *wlu_state_refined(const wlu_state *state);
/* Room for WLU_MANY solutions, one after the other, for whoever has to look at them first; NULL: no memory for it, and
 * nothing is said. */
double *wlu_state_answers(wlu_context *ctx, wlu_state *state);

/* Kernels of the fastest instruction set of this machine, whatever the executor: for residuals; for the largest of
 * count magnitudes, each times the number that these are the upper bits of, by bits: a NaN stays; for weighed sums of
 * numbers of so many doubles, and for the rows that these have to decide. */
typedef double wlu_weighed_largest(const double *v, const uint16_t *upper, int64_t count);
wlu_rows_residual *wlu_residual_kernel(int doubles);
wlu_weighed_largest *wlu_weighing_kernel(void);
wlu_sum_weighed *wlu_summing_kernel(int doubles);
wlu_list_left *wlu_listing_kernel(int doubles);

#endif
