/* The contract of batch executors: one program replayed for many members, each with values, right-hand sides and a
 * health of its own.
 *
 * A member's numbers have the bits of the program's replay alone (exec.h), whatever the executor, the members beside it
 * and their number; lu/flat.h names the one exception, a zero's sign. Solves that are checked are refined as those of
 * targets that refine are (numerics/refine.h), with the same bits.
 *
 *     one_by_one   members one after the other, by an ordinary executor: the reference, and what serves where a program
 *                  is too large for lanes
 *     lanes        the CPU's: eight members in the lanes of a register, threads over groups of eight
 *     cuda         a GPU's: 16 members in half the lanes of a warp
 *     devices      several GPUs, each with a share of the members
 *
 * To be used by one thread at a time. */
#ifndef WLU_EXEC_BATCH_BATCH_H
#define WLU_EXEC_BATCH_BATCH_H

#include "exec/exec.h"
#include "lu/flat.h"

/* Numbers of members: number i of column k of member m is at[m * by_member + k * by_column + i * by_number], and a
 * complex one's imaginary part follows. by_member 0: the same for all. On the host, but for jobs that are enqueued. */
typedef struct wlu_member_view {
    const double *at;
    int64_t by_member, by_column, by_number;
} wlu_member_view;

typedef struct wlu_member_output {
    double *at;
    int64_t by_member, by_column, by_number;
} wlu_member_output;

/* Copies numbers of so many doubles each, from one every from_by doubles to one every to_by. */
static inline void wlu_copy_numbers(int64_t count, int64_t doubles, const double *from, int64_t from_by, double *to,
                                    int64_t to_by)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t q = 0; q < doubles; q++) to[i * to_by + q] = from[i * from_by + q];
}

/* Which solves are checked and refined: none, those by replays that are not healthy, all. */
typedef enum wlu_batch_check { WLU_BATCH_UNCHECKED, WLU_BATCH_SUSPECT, WLU_BATCH_CHECKED } wlu_batch_check;

/* What has become of a member. */
typedef struct wlu_member_result {
    wlu_health health;   /* of its last replay */
    wlu_refined refined; /* of its right-hand sides in this job; backward_error -1: they were not checked */
    double largest;      /* magnitude of x, over all columns, by bits: NaN beats infinity; 0 without a solve */
    double least;        /* the smallest over columns, but for those whose b is zero, of their largest; infinity where
                            there is none */
} wlu_member_result;

/* A refactorization, a solve, or both, of members member[0] .. member[count - 1], which index the views and `result`.
 * place: where each one's factors are kept in the state, below its `places`, with the values, which checks of later
 * solves are made against; NULL: of a refactorization nothing is kept but its health, and what a solve at once gives.
 */
typedef struct wlu_batch_job {
    int32_t count;
    const int32_t *member;
    const int32_t *place;
    const int32_t
        *live; /* of jobs that are enqueued: members that the list has by then, `count` at most; NULL: count */
    const wlu_member_view *values; /* NULL: a solve by kept factors */
    wlu_stream_kind kind;          /* SOLVE or SOLVE_TRANSPOSED */
    int32_t nrhs;                  /* 0: no solve */
    wlu_member_view b;
    wlu_member_output x; /* not where b is */
    wlu_batch_check check;
    wlu_member_result *result;
} wlu_batch_job;

typedef struct wlu_batch_executor wlu_batch_executor;

/* What all begin with. */
typedef struct wlu_batch_state {
    const wlu_batch_executor *executor;
    const wlu_program *program;
    int32_t places;
    int64_t bytes;
    int32_t devices;           /* of several, those at work */
    const unsigned char *lost; /* by place: factors that have gone with a device; NULL: none ever do */
} wlu_batch_state;

typedef struct wlu_batch_ledger wlu_batch_ledger; /* exec/batch/ledger.h */
typedef struct wlu_batch_turn wlu_batch_turn;
typedef struct wlu_batch_parcel wlu_batch_parcel;

/* What only devices can: jobs whose arrays are the device's, in the order of a stream. A state's jobs come one after
 * the other, whatever their streams. */
typedef struct wlu_batch_on_device {
    /* member NULL: 0 .. count - 1. Nothing is waited for, so that a graph may capture it. */
    warplu_status (*enqueue)(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job, void *stream);
    /* Waits for the stream, then copies what was told of so many members to the host. */
    warplu_status (*finish)(wlu_context *ctx, wlu_batch_state *state, const wlu_member_result *told, int32_t count,
                            wlu_member_result *result, void *stream);

    /* Of so many members, none of whom has taken part in a call; *out is NULL after a failure. */
    warplu_status (*open)(wlu_context *ctx, const wlu_target *target, int32_t count, wlu_batch_ledger **out);
    /* Takes NULL, leaves NULL. */
    void (*close)(wlu_context *ctx, wlu_batch_ledger **ledger);
    /* Enqueued: the job of those whose turn it is, and the judgement on them. state NULL: nothing replays them. */
    warplu_status (*serve)(wlu_context *ctx, wlu_batch_ledger *ledger, wlu_batch_state *state, const wlu_batch_job *job,
                           const wlu_batch_turn *turn, void *stream);
    /* Waits for the stream; what has become of members since the last time is on the host, and forgotten there. */
    warplu_status (*collect)(wlu_context *ctx, wlu_batch_ledger *ledger, void *stream);
    /* Waits for all streams; calls until now are forgotten. */
    warplu_status (*forget)(wlu_context *ctx, wlu_batch_ledger *ledger);
    /* Done when it returns. It may allocate. */
    warplu_status (*carry)(wlu_context *ctx, wlu_batch_ledger *ledger, const wlu_batch_parcel *parcel, void *stream);
} wlu_batch_on_device;

struct wlu_batch_executor {
    const char *name;
    int flat; /* it replays the flat form of a program */
    /* flat: of the program; NULL for executors that do without. places: members whose factors are kept, 0: none ever
     * are. target: what one_by_one replays with; others go by its precision and device. team: whose threads share the
     * members, or NULL. WARPLU_OUT_OF_MEMORY, WARPLU_NOT_COMPILED, WARPLU_PRECISION_UNSUPPORTED, what a device answers.
     */
    warplu_status (*create)(wlu_context *ctx, const wlu_target *target, const wlu_program *program,
                            const wlu_flat *flat, int32_t places, wlu_team *team, wlu_batch_state **out);
    /* Takes NULL, leaves NULL. */
    void (*destroy)(wlu_context *ctx, wlu_batch_state **state);
    /* The program has a transposed solve from now on. */
    warplu_status (*add_transposed)(wlu_context *ctx, wlu_batch_state *state);
    /* Allocates nothing, but where a device has failed. What a device answers; after a solve by kept factors that some
     * are lost of, fewer are at work than before. */
    warplu_status (*run)(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job);
    const wlu_batch_on_device *device; /* NULL: it takes no device pointers */
};

/* Whether so many threads of the CPU replay so many members of a program, of these terms and numbers of L, U and F,
 * faster in lanes than one by one. */
int wlu_lanes_pay(int64_t terms, int64_t numbers, int32_t members, int threads);

extern const wlu_batch_executor wlu_batch_one_by_one, wlu_batch_lanes, wlu_batch_cuda, wlu_batch_devices;

#endif
