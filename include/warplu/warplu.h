/* warplu: a refactorizing sparse direct solver.
 *
 * The pattern of A is read once and pivots are chosen once. LU factorization and triangular solves are compiled into a
 * static program, which is replayed for every new set of values:
 *
 *     warplu_solver *s = NULL;
 *     warplu_create(&s, NULL);
 *     warplu_analyze(s, n, col_ptr, row_idx, values_or_null);
 *     warplu_factor(s, values);
 *     while (more) {
 *         warplu_refactor(s, values);
 *         warplu_solve(s, nrhs, b, ldb, x, ldx);
 *     }
 *     warplu_destroy(&s);
 *
 * This header has what most programs need, simplest first. Others go further:
 *
 *   warplu/complex.h   values that are complex
 *   warplu/inspect.h   places of entries, error bounds, condition numbers, pivots, factors, why a matrix is singular
 *   warplu/device.h    values, right-hand sides and solutions in the memory of a GPU
 *   warplu/save.h      analysis and pivots in a file
 *   warplu/cache.h     solvers by pattern, for programs that analyze the same ones again and again
 *   warplu/batch.h     many systems of one pattern at once; on a GPU: warplu/batch_device.h
 *   warplu/matrix_market.h, warplu/model.h   of libraries of their own: files, and equations stepped in time
 *
 * Statuses. A call answers 0 for success, above 0 for a warning (the work is done) and below 0 for an error (it is not
 * done). A table at each call has a line for each status it can answer: when, and what the solver has then. After an
 * error the solver is as before the call, unless the line says otherwise. A NULL solver, or NULL where a pointer is
 * needed, answers WARPLU_INVALID_ARGUMENT. Two statuses may come from any call that analyzes, compiles, replays or
 * solves: WARPLU_DEVICE_FAILED, where a call to the CUDA driver failed, and WARPLU_INTERNAL, where the library has
 * found an error of its own, which please report.
 *
 * Numbers. Rows, columns and indices count from 0, in messages too. Right-hand sides and solutions stand by columns
 * with a leading dimension. Arrays that are given stay the caller's and are not kept, unless the text says so.
 *
 * Threads. Different solvers, clones too, may be used at once. Calls on one solver wait for each other; one from a
 * function of the caller's that this solver has called answers WARPLU_WRONG_PHASE. The library never prints, aborts or
 * exits. Results do not depend on the caller's floating-point environment (rounding mode, flush-to-zero, traps), and
 * every call leaves it as it was. The caller's functions run in the library's: round to nearest, no traps. */
#ifndef WARPLU_H
#define WARPLU_H

#include <stddef.h>
#include <stdint.h>

#include <warplu/status.h>
#include <warplu/version.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The library's release, "major.minor.patch", in static storage; the header's is WARPLU_VERSION_STRING. */
WARPLU_API const char *warplu_version(void);
/* ---------------------------------------------------------------- options */

typedef enum warplu_storage {
    WARPLU_STORAGE_CSC = 0, /* ptr over columns, idx holds rows (default) */
    WARPLU_STORAGE_CSR = 1  /* ptr over rows, idx holds columns; the program and the bits are those of CSC */
} warplu_storage;

typedef enum warplu_ordering {
    WARPLU_ORDERING_AUTO = 0,    /* AMD until replays pay for a race of all that this build has (default) */
    WARPLU_ORDERING_NATURAL = 1, /* columns as they stand */
    WARPLU_ORDERING_AMD = 2,     /* approximate minimum degree of A + A' (Amestoy, Davis, Duff 1996) */
    WARPLU_ORDERING_COLAMD = 3,  /* column approximate minimum degree (Davis, Gilbert, Larimore, Ng 2004) */
    WARPLU_ORDERING_METIS = 4,   /* nested dissection of A + A' (Karypis, Kumar 1998); optional at build */
    WARPLU_ORDERING_GIVEN = 5    /* the options' row_order and col_order */
} warplu_ordering;

/* Rows matched to columns by the values, for large entries on the diagonal, with scales of rows and columns that come
 * with it (Duff and Koster, SIAM J. Matrix Anal. Appl. 22, 2001). It needs values in warplu_analyze or warplu_factor,
 * and is not done where row_order is given. */
typedef enum warplu_matching {
    WARPLU_MATCHING_AUTO = 0, /* where the diagonal is weak and the matching is worth its time (default) */
    WARPLU_MATCHING_NEVER = 1,
    WARPLU_MATCHING_ALWAYS = 2
} warplu_matching;

/* Scales of rows. Where a matching gives scales, these are used instead. */
typedef enum warplu_scaling {
    WARPLU_SCALING_NONE = 0,
    WARPLU_SCALING_SUM = 1, /* rows by the sum of magnitudes, rounded to a power of two */
    WARPLU_SCALING_MAX = 2  /* rows by the largest magnitude, rounded to a power of two (default) */
} warplu_scaling;

/* This option says which solves are checked by their residuals, and refined where that helps. */
typedef enum warplu_check {
    WARPLU_CHECK_OFF = 0,     /* none, and replays are not judged: weak pivots go unnoticed, infinite ones do not */
    WARPLU_CHECK_SUSPECT = 1, /* those that nothing proves to be accurate (default) */
    WARPLU_CHECK_ALWAYS = 2,  /* all; a success then also promises a backward error of at most 1e-10 */
    WARPLU_CHECK_REPLAYS = 3  /* those by a suspect replay: for callers that judge X themselves, by Newton's method */
} warplu_check;

/* This option says what happens where a replay's pivots are weak for the new values. */
typedef enum warplu_on_weak {
    WARPLU_ON_WEAK_REPIVOT = 0, /* pivot again, unless the replay proves itself (default) */
    WARPLU_ON_WEAK_REFINE = 1,  /* keep the pivots: refactor answers WARPLU_WEAK, solves are refined */
    WARPLU_ON_WEAK_REPORT = 2   /* keep the pivots: refactor answers WARPLU_WEAK, solves are judged and not refined */
} warplu_on_weak;

/* An executor replays the program. */
typedef enum warplu_executor {
    WARPLU_EXECUTOR_AUTO = 0,      /* the fastest on this machine's CPU (default) */
    WARPLU_EXECUTOR_REFERENCE = 1, /* record by record: slow, the specification */
    WARPLU_EXECUTOR_CPU = 2,       /* packed for CPU cores; the same bits */
    WARPLU_EXECUTOR_CUDA = 3       /* packed for an NVIDIA GPU, where this build has it; the same bits */
} warplu_executor;

/* A strategy is how WARPLU_EXECUTOR_CUDA replays. */
typedef enum warplu_strategy {
    WARPLU_STRATEGY_AUTO = 0,  /* flow, for now (default) */
    WARPLU_STRATEGY_FLOW = 1,  /* one launch: results are awaited one by one, dense parts are done as supernodes */
    WARPLU_STRATEGY_LEVELS = 2 /* a launch for each vector of records that do not wait for each other, all in a graph */
} warplu_strategy;

/* Values, right-hand sides and solutions are made of these numbers. */
typedef enum warplu_scalar {
    WARPLU_SCALAR_REAL = 0,   /* a double each (default) */
    WARPLU_SCALAR_COMPLEX = 1 /* two each, the real part first: warplu/complex.h */
} warplu_scalar;

/* Factors and solves are computed in this precision. Values, right-hand sides and solutions are doubles in any case,
 * and pivots are chosen in FP64. WARPLU_EXECUTOR_CPU has FP64 alone. */
typedef enum warplu_precision {
    WARPLU_PRECISION_DOUBLE = 0, /* FP64 (default) */
    WARPLU_PRECISION_SINGLE = 1, /* FP32: where FP64 promises errors of at most 1e-10, this promises 1e-4 */
    WARPLU_PRECISION_MIXED = 2   /* FP32, with solutions refined by residuals in FP64 */
} warplu_precision;

/* Bits of answers depend on this much, in FP64 on the host, where replays are healthy; see warplu/cache.h. */
typedef enum warplu_repeatable {
    WARPLU_REPEATABLE_NOT = 0,       /* on all that was computed before: what serves is kept (default) */
    WARPLU_REPEATABLE_SMALL = 1,     /* as STRICTLY for small systems, as NOT for others */
    WARPLU_REPEATABLE_FROM_OPEN = 2, /* on calls since the analysis */
    WARPLU_REPEATABLE_STRICTLY = 3   /* on the values of the last warplu_factor and warplu_refactor */
} warplu_repeatable;

/* Called with a message of one line, without its end, before a call returns an error or a warning. */
typedef void (*warplu_message_fn)(warplu_status status, const char *text, void *user);
/* Asked between phases and, while pivoting, matching and compiling, every few milliseconds; an answer other than 0 ends
 * the call with WARPLU_CANCELLED. It is not asked within one call of an ordering library (AMD, COLAMD, METIS), in
 * replays and in solves. */
typedef int (*warplu_cancel_fn)(void *user);

typedef struct warplu_options {
    size_t size; /* sizeof(warplu_options), set by warplu_init_options */

    /* The matrix and its order. WARPLU_ORDERING_GIVEN: row_order[k] is A's k-th pivot row, col_order[k] its column, n
     * numbers each, read by warplu_analyze. Without row_order pivoting orders rows; with it a zero pivot fails. */
    warplu_storage storage;
    warplu_scalar scalar; /* complex: in WARPLU_PRECISION_DOUBLE, not by WARPLU_STRATEGY_LEVELS (warplu/complex.h) */
    warplu_ordering ordering;
    const int32_t *row_order, *col_order;
    int btf; /* 1 (default): block triangular form (a given order's own), whose blocks a GPU may join; 0: one block */
    warplu_matching matching;
    warplu_scaling scaling;

    /* Pivots and accuracy. */
    double pivot_tolerance; /* 0.001: the diagonal is the pivot while it is at least this times the column's largest */
    double pivot_absolute;  /* 0: scaled pivots of at most this magnitude are refused */
    warplu_on_weak on_weak;
    warplu_check check;
    int max_refinement_steps; /* 5, for one right-hand side */

    /* These say what replays the program, and in which precision. */
    warplu_executor executor;
    warplu_strategy device_strategy;
    /* The number of the device for WARPLU_EXECUTOR_CUDA: 0 (default) for the first; -1: the one whose context is
     * current for the calling thread in warplu_create, the first where there is none. */
    int device;
    warplu_precision precision;
    warplu_repeatable repeatable;

    /* Threads for refactorization, including the caller's: 1 (default) to 1024; 0: one for each processor. Values above
     * 64 act as 64. They are used where that is predicted to help, and the bits do not change. The reference executor
     * and devices take 1 alone. */
    int threads;

    /* 0: not known. The solver begins with what the first answer needs, and compiles and looks for better orders as
     * replays come that pay for it (docs/growth.md). Else the time that analysis and compilation take is weighed
     * against this many refactorizations from the start. */
    double expected_refactors;

    /* 4 GiB: the most that the compiled factorization takes. Where no program fits, the solver works with the factors
     * from pivoting, two to three times slower. A device cannot, and answers WARPLU_PROGRAM_TOO_LARGE. */
    int64_t max_program_bytes;

    /* 256 MiB: the most that earlier pivots and their programs take, eight at most, which are kept for values that fit
     * them again. 0: none are kept. */
    int64_t max_cache_bytes;

    /* 0: no limit. Else factors that take more, 12 bytes for each entry of L, U and F, are refused: by warplu_analyze
     * where they are predicted to, and by warplu_factor where they turn out to. The prediction counts A + A', which is
     * mostly too much, by up to three times. Pivoting takes as many bytes again. Restored pivots are not limited. */
    int64_t max_factor_bytes;

    /* The caller's functions, which the solver keeps. */
    void *(*allocate)(size_t bytes, void *user); /* NULL: malloc; large blocks from the system */
    void (*release)(void *pointer, void *user);  /* NULL: free; both are given or neither */
    void *allocator_user;
    warplu_message_fn message; /* NULL: none */
    void *message_user;
    warplu_cancel_fn cancel; /* NULL: none */
    void *cancel_user;
} warplu_options;

/* Fills in the defaults named above. */
WARPLU_API void warplu_init_options(warplu_options *options);

typedef struct warplu_solver warplu_solver;

/* Makes a solver. options are copied; NULL means the defaults; an older header's, which are smaller, are taken. *out is
 * NULL after an error.
 *
 *   WARPLU_SUCCESS                 the caller owns *out, until warplu_destroy
 *   WARPLU_INVALID_ARGUMENT        an option is out of its range
 *   WARPLU_THREADS_UNSUPPORTED     more than one thread, and an executor that runs on one
 *   WARPLU_PRECISION_UNSUPPORTED   the executor does not compute in this precision
 *   WARPLU_NOT_COMPILED            this build has no such executor
 *   WARPLU_NO_DEVICE               the machine has no such device, or no driver
 *   WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_create(warplu_solver **out, const warplu_options *options);

/* Makes a second solver for another thread, with the options, analysis, pivots and program of the first. These are
 * shared, not copied; the last solver that uses them frees them. Factors, statistics and later pivots are each solver's
 * own. It waits for a call of another thread on the source. Afterwards the caller's allocator, message and cancel
 * functions are called from the threads of all clones. *out is NULL after an error.
 *
 *   WARPLU_SUCCESS                 the caller owns *out, which has no factors yet: it begins with warplu_refactor
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_WRONG_PHASE             the source has no analysis
 *   WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_clone(warplu_solver **out, const warplu_solver *source);

/* Frees the solver and sets *solver to NULL. Takes NULL and a pointer to NULL. */
WARPLU_API void warplu_destroy(warplu_solver **solver);

/* Reads the pattern of an n by n matrix and orders it. ptr has n + 1 numbers, idx ptr[n]; both are copied. The indices
 * within a column (with CSR, a row) may stand in any order. Duplicates are summed whenever values are read. values:
 * ptr[n] numbers, or NULL: the order is then chosen from the pattern alone.
 *
 *   WARPLU_SUCCESS                 the analysis is new; earlier pivots, factors and cached programs are gone
 *   WARPLU_INVALID_ARGUMENT        ptr does not ascend from 0, an index is out of range, or the given order is none
 *   WARPLU_EMPTY                   n is 0
 *   WARPLU_NOT_FINITE              a value is infinite or not a number
 *   WARPLU_STRUCTURALLY_SINGULAR   no permutation gives a zero-free diagonal; warplu_get_singularity says why
 *   WARPLU_FACTORS_TOO_LARGE       the factors are predicted to exceed max_factor_bytes
 *   WARPLU_NOT_COMPILED            this build does not have the ordering
 *   WARPLU_OVERFLOW                a count does not fit its type
 *   WARPLU_OUT_OF_MEMORY
 *   WARPLU_CANCELLED */
WARPLU_API warplu_status warplu_analyze(warplu_solver *solver, int32_t n, const int32_t *ptr, const int32_t *idx,
                                        const double *values);

/* Chooses pivots for these values and factors (Gilbert and Peierls, SIAM J. Sci. Stat. Comput. 9, 1988, with threshold
 * pivoting). Where expected_refactors is at least 8, or not known on a device, the program is compiled at once. values:
 * one number for each idx. An analysis of the pattern alone is made again where the values call for it; so is one whose
 * values were singular.
 *
 *   WARPLU_SUCCESS                 factors to solve with
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_WRONG_PHASE             before warplu_analyze
 *   WARPLU_NOT_FINITE              a value, or a factor, is infinite or not a number (*)
 *   WARPLU_SINGULAR                a column has no pivot, which the message names; warplu_get_singularity says why (*)
 *   WARPLU_FACTORS_TOO_LARGE       the factors exceed max_factor_bytes (*)
 *   WARPLU_PROGRAM_TOO_LARGE       for a device: no program fits max_program_bytes (*). The pivots stay, and
 *                                  warplu_refactor answers the same
 *   WARPLU_OVERFLOW                a count does not fit its type (*)
 *   WARPLU_OUT_OF_MEMORY           (*)
 *   WARPLU_CANCELLED               (*)
 *
 * (*) The solver has no factors then. The analysis stays, and earlier pivots stay for warplu_refactor. */
WARPLU_API warplu_status warplu_factor(warplu_solver *solver, const double *values);

/* Replays the factorization with new values and judges the result (docs/numerics.md). values: one number for each idx.
 *
 * Where the pivots turn out weak, earlier pivots that serve are taken; or the pivots are kept, where they solve a known
 * system accurately, and solves are checked; or new pivots are chosen. New pivots answer with the factors from
 * pivoting, and are compiled after 8 more replays, or when they come back. If options.on_weak is not
 * WARPLU_ON_WEAK_REPIVOT, the pivots are kept. A solver without pivots factors. A call may compile the program, or find
 * a better order with its pivots, once earlier calls have paid for it (expected_refactors), and says SUCCESS.
 *
 *   WARPLU_SUCCESS                 factors to solve with
 *   WARPLU_REPIVOTED               factors to solve with, by other pivots
 *   WARPLU_WEAK                    factors to solve with, by weak pivots that the options keep
 *   others                         as warplu_factor; the earlier pivots stay for the next refactor */
WARPLU_API warplu_status warplu_refactor(warplu_solver *solver, const double *values);

/* Solves A X = B. B is n by nrhs with leading dimension ldb >= n, X likewise with ldx >= n. x may be b, with ldx ==
 * ldb; else no number of X is one of B (columns of one may lie between those of the other).
 *
 * A success means that every equation is accurate: |b - A x|_i is at most 1e-10 (max|a_i.| max|x| + |b_i|), or 1e-4 in
 * WARPLU_PRECISION_SINGLE; with WARPLU_CHECK_ALWAYS also a backward error of at most 1e-10; with WARPLU_CHECK_REPLAYS,
 * by healthy replays, that X is finite. Where a bound on the errors of all solves with these factors does not prove
 * that, and with new pivots until three solves in a row were accurate at once, solves are checked by their residuals.
 * (Very uneven equations or unknowns: until limits of the factors vouch for them. A program's first solve may solve
 * known systems instead.) Where a backward error is above 1e-12 X is refined; if that does not suffice, the solver
 * pivots again. Four right-hand sides or more are solved eight at a time, each with the bits that it has alone, in room
 * that the first such call with a program allocates if it can.
 *
 *   WARPLU_SUCCESS                 X is accurate as promised
 *   WARPLU_REPIVOTED               X is accurate, with new pivots, which are the solver's from now on
 *   WARPLU_INACCURATE              X is the best there is: neither refinement nor other pivots brought it to the
 *                                  promise, or it is too near the smallest numbers
 *   WARPLU_UNCHECKED               X is not proven, and the values to check it against are not at hand: they were on a
 *                                  device alone, or it is a first transposed solve
 *   WARPLU_INVALID_ARGUMENT        a size or leading dimension is out of range, or X overlaps B in another way
 *   WARPLU_WRONG_PHASE             there are no factors
 *   WARPLU_NOT_FINITE              B or X is infinite or not a number; X is undefined, the factors stay */
WARPLU_API warplu_status warplu_solve(warplu_solver *solver, int32_t nrhs, const double *b, int32_t ldb, double *x,
                                      int32_t ldx);

/* Solves A' X = B with the same factors. The first call with a program compiles it for A'. A call after refactors whose
 * values were not kept cannot be checked (WARPLU_UNCHECKED); from then on refactors keep them until solves are proven.
 *
 *   as warplu_solve; and of the first call:
 *   WARPLU_OVERFLOW                the program does not fit its types
 *   WARPLU_OUT_OF_MEMORY
 *   WARPLU_CANCELLED */
WARPLU_API warplu_status warplu_solve_transposed(warplu_solver *solver, int32_t nrhs, const double *b, int32_t ldb,
                                                 double *x, int32_t ldx);

/* The text of the last error or warning, "" if there was none. Owned by the solver and valid until its next call. NULL
 * gives "". */
WARPLU_API const char *warplu_get_message(const warplu_solver *solver);

/* -------------------------------------------------------------- statistics */

/* The verdict on a replay's factors, by its health (docs/numerics.md), or with WARPLU_CHECK_REPLAYS by magnitudes. */
typedef enum warplu_verdict {
    WARPLU_VERDICT_HEALTHY = 0, /* every solve with them is what a success promises */
    WARPLU_VERDICT_SUSPECT = 1, /* not proven: solves on the host are checked, unless a closer look proves them */
    WARPLU_VERDICT_WEAK = 2     /* not to be used; also of a replay that failed */
} warplu_verdict;

typedef struct warplu_statistics {
    size_t size; /* sizeof(warplu_statistics), set by the caller */

    /* The matrix and its order. */
    int32_t n;
    int32_t blocks, largest_block; /* diagonal blocks of the block triangular form; 1 where they are joined */
    warplu_ordering ordering;      /* the one in use */
    int32_t candidates;            /* orderings that were compared */
    int32_t height;                /* pivots on the longest chain of pivots that depend on each other */
    int64_t nnz;                   /* entries of the pattern, duplicates counted once */
    double ordering_loss;          /* actual over predicted terms, of the first choice */

    /* The factors. */
    int64_t lu_nnz, f_nnz;      /* entries of L, U and F, without L's unit diagonal; of these in off-diagonal blocks */
    int64_t terms, solve_terms; /* multiply-subtracts of the factorization, and of one solve */
    int64_t flops;              /* of the factorization: 2 for each term, 1 for each division */

    /* The program. */
    int32_t compiled; /* 1: there is one. 0: no program yet, or none fits; the factors from pivoting are used */
    int64_t levels, vectors, longest_vector; /* of the factorization */
    int64_t solve_levels, solve_vectors;
    int64_t slots;                   /* numbers that a replay computes with */
    int64_t dot_pivots, tile_pivots; /* pivots eliminated by DOT streams, and in supernodes of the TILE region */
    int64_t program_bytes, solve_program_bytes; /* of the factorization, and of the solves, as loaded */
    int64_t state_bytes;                        /* slots and workspaces */
    int64_t threads; /* that the program is cut for: those asked for, or fewer where it is small */

    /* Time, in nanoseconds of wall time, of the last call of each. */
    double predicted_refactor_ns, analyze_ns, factor_ns, compile_ns; /* factor: pivoting alone */

    /* Counts since warplu_create. */
    int64_t factors, refactors, repivots, solves;
    int64_t refined_solves, checked_solves; /* right-hand sides: refined; whose backward error was computed */
    int64_t compilations;
    int64_t weak_replays, proven_replays; /* judged weak; of these kept, for they solved a known system accurately */

    /* Earlier pivots that are kept. */
    int32_t cached_programs; /* how many, with their programs where they are compiled */
    int64_t cache_bytes;     /* what they take */
    int64_t cache_hits;      /* times that some were used again */

    /* The last replay, in scaled values. */
    int32_t verdict;             /* warplu_verdict */
    double pivot_growth;         /* reciprocal pivot growth, at most 1; a lower bound where it is harmless */
    double largest_l, largest_u; /* largest |l|, and |u| within the diagonal blocks */
    double smallest_pivot;       /* smallest |u_kk| */
    double row_drift;            /* largest factor by which a row has changed since pivoting, a power of two */

    /* The last solve. */
    int32_t all_checked;      /* 1: every right-hand side had its backward error computed */
    int32_t refinement_steps; /* of its last right-hand side */
    double backward_error;    /* componentwise, of the last checked solve, its largest; -1: none was checked */
    double largest_pivot;     /* largest |u_kk| of the last replay, looked for when asked, in O(n); NaN: unknown */
} warplu_statistics;

/* Fills *statistics as far as both sides know it, and sets its size to that.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        no size */
WARPLU_API warplu_status warplu_get_statistics(const warplu_solver *solver, warplu_statistics *statistics);

#ifdef __cplusplus
}
#endif
#endif
