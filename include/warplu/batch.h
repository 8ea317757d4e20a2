/* Batches: many systems of one pattern at once, each with values, right-hand sides and solutions of its own, called its
 * member.
 *
 *     warplu_batch *batch = NULL;
 *     warplu_batch_create(&batch, solver, count, NULL);         the solver has analyzed the pattern
 *     warplu_batch_factor(batch, values);                       pivots that suit the members, and their program
 *     while (more) {
 *         warplu_batch_refactor_solve(batch, values, NULL, 0, 1, b, x);
 *     }
 *     warplu_batch_destroy(&batch);
 *
 * All members are replayed by one program, eight at once on a CPU, 16 in half the lanes of a warp on a GPU; one after
 * the other where that is predicted to be faster. A member whose answer is proven has the bits of the solver's own
 * replay, whatever the executor, the number of members and the members beside it; a zero's sign may differ where a
 * value or a right-hand side is -0.0.
 *
 * What a success promises holds for each member (docs/numerics.md). A member for which the common pivots are weak is
 * refined; if that does not help, it is replayed by another program, compiled from pivots of its own and kept for it
 * and for all that it suits; if that does not help either, a solver of its own answers for it. Its record says which
 * (warplu_batch_get_members). A member that nothing helps has its own status, and the call answers
 * WARPLU_MEMBERS_FAILED. Members that fail harm no other.
 *
 * Batches of complex values are those of a solver of complex values (warplu/complex.h). Each number of values,
 * right-hand sides and solutions is then two doubles, the real part first: the layouts below place complex numbers.
 *
 * warplu/batch_device.h has calls that take numbers in the memory of a GPU.
 *
 * Calls with numbers on the host allocate nothing, unless members have to be repaired. A batch is used by one thread at
 * a time; other conventions are those of warplu/warplu.h. Messages, memory and cancelling are by the functions of the
 * solver's options. */
#ifndef WARPLU_BATCH_H
#define WARPLU_BATCH_H

#include <warplu/warplu.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct warplu_batch warplu_batch;

/* A layout says where a member's numbers stand, in values, in right-hand sides and in solutions. */
typedef enum warplu_batch_layout {
    WARPLU_BATCH_CONTIGUOUS = 0, /* members one after the other: value i of member m at [m * nnz + i], entry i of column
                                    k at [(m * nrhs + k) * n + i] (default) */
    WARPLU_BATCH_INTERLEAVED = 1 /* members side by side: [i * count + m], [(k * n + i) * count + m] */
} warplu_batch_layout;

typedef struct warplu_batch_options {
    size_t size; /* sizeof(warplu_batch_options), set by warplu_batch_init_options */

    warplu_batch_layout layout;
    int shared_values; /* 1: all members have the matrix of one, values are nnz numbers. 0 (default) */
    int shared_rhs;    /* 1: all members have the right-hand sides of one, b is n * nrhs numbers. 0 (default) */

    /* The executor that replays; AUTO (default) is the solver's. A batch on a GPU is best made over a solver of the
     * host, whose program is smaller. */
    warplu_executor executor;

    /* Threads of the CPU's executors, including the caller's: 1 (default) to 1024; 0: one for each processor. */
    int threads;

    /* 1: room is made for the factors of all members, so that warplu_batch_refactor and warplu_batch_solve can be
     * called apart. 0 (default): factors last as long as one warplu_batch_refactor_solve, in room that stays in the
     * cache. */
    int keep_factors;

    /* 1 (default): members for which the common pivots are weak are repaired. 0: they are reported, WARPLU_WEAK. */
    int repair;

    /* 8 (default): the most members whose values the common pivots are chosen from. */
    int32_t sample;

    /* 0: no limit. Else the most that kept factors take, with the values that checks are made against: a batch whose
     * members need more is refused (WARPLU_OUT_OF_MEMORY), and other programs are made as long as theirs fit. Factors
     * that are not kept take as much as the members that are computed at once, whatever the count. */
    int64_t max_factor_bytes;

    /* Devices by their numbers, of the executor WARPLU_EXECUTOR_CUDA, each named once. Several share the members of
     * calls with numbers on the host, work at the same time, and give the bits that one gives; calls on device pointers
     * need a batch on one. Members' factors are kept on one of the devices. The list may go once the batch is there.
     * device_count 0 (default): the solver's device. */
    const int *devices;
    int32_t device_count;

    /* 1: of several devices, those that are absent, have no memory left or fail are left out, and the others answer for
     * all members. Kept factors go with their device: until the next warplu_batch_refactor, solves by them answer
     * WARPLU_DEVICE_FAILED in the members' records. What was left out is told of as an error would be, and stays out as
     * long as the batch has its pivots. 0 (default): such a device fails the call. */
    int fewer_devices;
} warplu_batch_options;

/* Fills in the defaults named above. */
WARPLU_API void warplu_batch_init_options(warplu_batch_options *options);

/* Makes a batch of count members over a solver: its options, its analysis and, where it has some, its pivots and their
 * program, all shared as by warplu_clone. Solver and batch go their own ways afterwards, and either may be destroyed
 * first. *out is NULL after an error.
 *
 *   WARPLU_SUCCESS                 the caller owns *out, until warplu_batch_destroy
 *   WARPLU_INVALID_ARGUMENT        an option or count is out of its range
 *   WARPLU_WRONG_PHASE             the solver has no analysis
 *   WARPLU_NOT_COMPILED            this build has no such executor, or none for batches
 *   WARPLU_NO_DEVICE               the machine has no such device, or no driver
 *   WARPLU_DEVICE_FAILED           a call to the driver failed; the message names the device, of several
 *   WARPLU_PRECISION_UNSUPPORTED   the executor does not compute in the solver's precision
 *   WARPLU_PROGRAM_TOO_LARGE       no program fits the solver's max_program_bytes
 *   WARPLU_OVERFLOW                a count does not fit its type
 *   WARPLU_OUT_OF_MEMORY
 *   WARPLU_CANCELLED */
WARPLU_API warplu_status warplu_batch_create(warplu_batch **out, const warplu_solver *solver, int32_t count,
                                             const warplu_batch_options *options);

/* Frees the batch and sets *batch to NULL. Takes NULL and a pointer to NULL. */
WARPLU_API void warplu_batch_destroy(warplu_batch **batch);

/* Chooses pivots from the values of a sample of members, those that suit most of the sample, and compiles their
 * program. The pivots and programs before are gone, and so are kept factors. A batch over a solver with pivots needs no
 * such call; one over a solver without makes it itself when values come. From 100 members on, orders race first.
 *
 *   WARPLU_SUCCESS                 pivots and a program
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_SINGULAR                the matrix of every member of the sample is; the batch is as before
 *   WARPLU_NOT_FINITE              none of the sample has finite values and factors; the batch is as before
 *   others                         as warplu_batch_create; the batch is as before */
WARPLU_API warplu_status warplu_batch_factor(warplu_batch *batch, const double *values);

/* Factors and solves: A X = B, or A' X = B if transposed is not 0, for nrhs right-hand sides of each member. values, b,
 * x: as the options' layout says. mask: count bytes, 0 for members that do not take part, whose x stays as it is; NULL:
 * all take part. x must not overlap b. The factors are not kept;
 * those that warplu_batch_refactor has kept stay.
 *
 *   WARPLU_SUCCESS                 every member that takes part has an accurate X
 *   WARPLU_MEMBERS_FAILED          some have not: their records say why. X of those without factors is NaN
 *   WARPLU_INVALID_ARGUMENT        an argument is NULL or out of range, or x overlaps b
 *   WARPLU_OVERFLOW                the program of A' does not fit its types
 *   WARPLU_DEVICE_FAILED           a call to the driver failed; the message names the device, of several
 *   WARPLU_NO_DEVICE               all devices have been left out
 *   WARPLU_OUT_OF_MEMORY
 *   WARPLU_CANCELLED
 *   others                         as warplu_batch_factor, of a batch without pivots
 *
 * After an error, members without an answer have it in their records, and NaN in X. */
WARPLU_API warplu_status warplu_batch_refactor_solve(warplu_batch *batch, const double *values,
                                                     const unsigned char *mask, int transposed, int32_t nrhs,
                                                     const double *b, double *x);

/* Factors, and keeps the factors of the members that take part, until the next such call; others keep those they have.
 *
 *   WARPLU_SUCCESS                 every member that takes part has factors that serve
 *   WARPLU_MEMBERS_FAILED          some have not: their records say why
 *   WARPLU_WRONG_PHASE             the options do not say keep_factors, or warplu_batch_finish_device has to come first
 *   others                         as warplu_batch_refactor_solve */
WARPLU_API warplu_status warplu_batch_refactor(warplu_batch *batch, const double *values, const unsigned char *mask);

/* Solves by kept factors. Members that take part and have none answer WARPLU_WRONG_PHASE in their records, or
 * WARPLU_DEVICE_FAILED where these have gone with a device. Solves that
 * nothing proves are checked and refined; those that stay inaccurate are reported. Where a backward error could be
 * computed, the next warplu_batch_refactor repairs them.
 *
 *   as warplu_batch_refactor_solve; and
 *   WARPLU_WRONG_PHASE             the options do not say keep_factors, there are no pivots yet, or
 *                                  warplu_batch_finish_device has to come first */
WARPLU_API warplu_status warplu_batch_solve(warplu_batch *batch, const unsigned char *mask, int transposed,
                                            int32_t nrhs, const double *b, double *x);

/* A way is how a member was answered in the last call that it took part in. */
typedef enum warplu_batch_way {
    WARPLU_BATCH_NONE = 0,          /* it took part in none yet */
    WARPLU_BATCH_REPLAYED = 1,      /* by the common program */
    WARPLU_BATCH_REFINED = 2,       /* the same; its solutions took corrections */
    WARPLU_BATCH_OTHER_PROGRAM = 3, /* by one of other pivots */
    WARPLU_BATCH_OWN_SOLVER = 4     /* by a solver, with pivots of its own */
} warplu_batch_way;

typedef struct warplu_batch_member {
    warplu_status status; /* as warplu_refactor and warplu_solve answer; WARPLU_SUCCESS: X is accurate as promised */
    warplu_batch_way way;
    int32_t program;       /* 0: the common one; k: the k-th of the others; -1: a solver */
    int32_t verdict;       /* warplu_verdict, of its last replay */
    double backward_error; /* componentwise, of its last solve, the largest of its right-hand sides; -1: not checked */
    int32_t refinement_steps;
} warplu_batch_member;

/* The records of members first .. first + count - 1.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        there are no such members, or size is not sizeof(warplu_batch_member) */
WARPLU_API warplu_status warplu_batch_get_members(const warplu_batch *batch, int32_t first, int32_t count,
                                                  warplu_batch_member *members, size_t size);

typedef struct warplu_batch_statistics {
    size_t size; /* sizeof(warplu_batch_statistics), set by the caller */

    int32_t count;
    int32_t one_by_one;   /* 1: members are replayed one after the other, which is predicted to be faster */
    int32_t programs;     /* the common one and those of other pivots; 0: no pivots yet */
    int64_t bytes;        /* of all programs in the form for batches, factors and workspaces */
    int64_t compilations; /* of programs, since the batch was made */

    /* Members in the last call, and those of them that each way has answered for; failed: in no way. */
    int32_t took_part, replayed, refined, by_other_programs, by_own_solvers, failed;
    double worst_backward_error; /* of those that were checked; -1: none was */

    int32_t devices; /* that replay members, but for those left out; 0: the host does, or there are no pivots yet */
} warplu_batch_statistics;

/* Fills *statistics as far as both sides know it, and sets its size to that.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        no size */
WARPLU_API warplu_status warplu_batch_get_statistics(const warplu_batch *batch, warplu_batch_statistics *statistics);

/* The text of the last error or warning, "" if there was none. Owned by the batch and valid until its next call. NULL
 * gives "". */
WARPLU_API const char *warplu_batch_get_message(const warplu_batch *batch);

/* Names that these calls had first; they go with 1.0. */
#define warplu_init_batch_options warplu_batch_init_options
#define warplu_create_batch warplu_batch_create
#define warplu_destroy_batch warplu_batch_destroy
#define warplu_get_batch_members warplu_batch_get_members
#define warplu_get_batch_statistics warplu_batch_get_statistics
#define warplu_get_batch_message warplu_batch_get_message

#ifdef __cplusplus
}
#endif
#endif
