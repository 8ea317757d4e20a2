/* warplu: a refactorizing sparse direct solver.
 *
 * The pattern of A is read once, pivots are chosen once, and LU factorization and triangular solves are
 * compiled into a static program that is replayed for every new set of values:
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
 * Every function returns a warplu_status: 0 is success, above 0 a warning (the work is done), below 0 an
 * error (it is not; earlier results stay usable unless the text says otherwise). The library never prints,
 * aborts or exits. A solver is used by one thread at a time; solvers may be used side by side, clones too.
 * Results do not depend on the caller's floating-point environment (rounding, flush-to-zero, traps), which every call
 * leaves as it was; the caller's message, cancel and allocation functions are called in the library's: round to
 * nearest, no traps. */
#ifndef WARPLU_H
#define WARPLU_H

#include <stddef.h>
#include <stdint.h>

#include <warplu/status.h>
#include <warplu/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "WARPLU_SINGULAR", or "WARPLU_?" for a number that is no status. Static storage. */
WARPLU_API const char *warplu_status_name(int status);
/* One line of English for the status. Static storage. */
WARPLU_API const char *warplu_status_text(int status);
/* The library's release version, "major.minor.patch". Static storage. */
WARPLU_API const char *warplu_version(void);

/* ---------------------------------------------------------------- options */

typedef enum warplu_storage {
    WARPLU_STORAGE_CSC = 0, /* ptr over columns, idx holds rows (default) */
    WARPLU_STORAGE_CSR = 1  /* ptr over rows, idx holds columns: another load map, the same program and bits */
} warplu_storage;

typedef enum warplu_ordering {
    WARPLU_ORDERING_AUTO =
        0, /* race of the orderings this build has, by predicted time; a GPU's may join diagonal blocks */
    WARPLU_ORDERING_NATURAL = 1, /* columns as they stand */
    WARPLU_ORDERING_AMD = 2,     /* approximate minimum degree of A+A' (Amestoy, Davis, Duff 1996) */
    WARPLU_ORDERING_COLAMD = 3,  /* column approximate minimum degree (Davis, Gilbert, Larimore, Ng 2004) */
    WARPLU_ORDERING_METIS = 4,   /* nested dissection of A+A' (Karypis, Kumar 1998); optional at build */
    WARPLU_ORDERING_GIVEN = 5    /* row_order and col_order of the options */
} warplu_ordering;

typedef enum warplu_scaling {
    WARPLU_SCALING_NONE = 0,
    WARPLU_SCALING_SUM = 1, /* rows by the sum of magnitudes, rounded to a power of two */
    WARPLU_SCALING_MAX = 2  /* rows by the largest magnitude, rounded to a power of two (default) */
} warplu_scaling;

typedef enum warplu_check {
    WARPLU_CHECK_OFF = 0,     /* no health is judged: weak pivots go unnoticed, infinite ones do not */
    WARPLU_CHECK_SUSPECT = 1, /* solves that nothing vouches for are checked (default) */
    WARPLU_CHECK_ALWAYS = 2   /* every solve is checked and refined: right to the smallest unknown */
} warplu_check;

/* What becomes of a replay whose frozen pivots turn out weak for the values. */
typedef enum warplu_on_weak {
    WARPLU_ON_WEAK_REPIVOT = 0, /* pivot again where the replay cannot prove itself (default) */
    WARPLU_ON_WEAK_REFINE = 1,  /* keep the pivots: refactor warns (WARPLU_WEAK), solves are refined */
    WARPLU_ON_WEAK_REPORT = 2   /* keep the pivots: refactor warns, solves are judged and left as they are */
} warplu_on_weak;

/* Rows matched to columns by the values, for a diagonal of large entries, with scales of rows and columns that come
 * with it (Duff and Koster, SIAM J. Matrix Anal. Appl. 22, 2001). Never from a pattern alone, nor where row_order is
 * given. */
typedef enum warplu_matching {
    WARPLU_MATCHING_AUTO = 0, /* where the diagonal is weak and it is worth it (default) */
    WARPLU_MATCHING_NEVER = 1,
    WARPLU_MATCHING_ALWAYS = 2
} warplu_matching;

typedef enum warplu_executor {
    WARPLU_EXECUTOR_AUTO = 0,      /* the fastest on this machine's CPU */
    WARPLU_EXECUTOR_REFERENCE = 1, /* record by record: slow, the specification */
    WARPLU_EXECUTOR_CPU = 2,       /* packed for CPU cores; the same bits */
    WARPLU_EXECUTOR_CUDA = 3,      /* packed for an NVIDIA GPU, where this build has it; the same bits */
    WARPLU_EXECUTOR_EMULATE = 4    /* what CUDA runs, emulated on the CPU with every access checked: slow, for tests */
} warplu_executor;

/* How an executor on a device goes about it. */
typedef enum warplu_strategy {
    WARPLU_STRATEGY_AUTO = 0,        /* flow, for now (default) */
    WARPLU_STRATEGY_FLOW = 1,        /* one launch: results are awaited one by one, dense parts are done as tiles */
    WARPLU_STRATEGY_LEVELS = 2,      /* a launch for each vector of records that do not wait for each other */
    WARPLU_STRATEGY_LEVELS_GRAPH = 3 /* the same launches as a graph */
} warplu_strategy;

/* What factorization and solves compute in. Values, right-hand sides and solutions are doubles all the same; pivots are
 * chosen in FP64. Of the reference executor, CUDA and its emulation: others answer WARPLU_PRECISION_UNSUPPORTED. */
typedef enum warplu_precision {
    WARPLU_PRECISION_DOUBLE = 0, /* FP64 (default) */
    WARPLU_PRECISION_SINGLE = 1, /* FP32: bounds on backward errors are 1e-4 where in FP64 they are 1e-10 */
    WARPLU_PRECISION_MIXED = 2   /* FP32, solutions refined by residuals in FP64 */
} warplu_precision;

/* Called with a one-line message, no newline at its end, before an error or warning is returned. */
typedef void (*warplu_message_fn)(warplu_status status, const char *text, void *user);
/* Polled between phases and, while pivoting, matching and compiling, each few milliseconds of work; a non-zero answer
 * ends the call with WARPLU_CANCELLED. Not polled inside one call of an ordering library (AMD, COLAMD, METIS), replays
 * and solves. */
typedef int (*warplu_cancel_fn)(void *user);

typedef struct warplu_options {
    size_t size; /* sizeof(warplu_options), set by warplu_init_options; smaller ones (older headers) are taken */
    warplu_storage storage;
    warplu_ordering ordering;
    warplu_scaling scaling;
    warplu_check check;
    warplu_executor executor;
    int btf;                   /* 1: block triangular form first (default; a GPU may join the blocks), 0: one block */
    int threads;               /* of refactorizations, the caller's among them: 1 (default), up to 1024, or 0 for as
                                  many as there are processors; at most 64 are used. Same bits for any number. Used where a replay is
                                  long               enough and together they are faster; the reference executor has one */
    int max_refinement_steps;  /* 5 */
    int split_program;         /* 1: one opcode per vector (default); 0: levels may mix them */
    double pivot_tolerance;    /* 0.001: the diagonal is kept while at least this times the largest */
    double pivot_absolute;     /* 0: a scaled pivot of this magnitude or less is refused */
    double expected_refactors; /* 1000: what the analysis may cost is judged against this many replays */
    int64_t max_program_bytes; /* 4 GiB: regions are chosen so that the compiled factorization fits; where none does,
                                  factors by column answer without one, two to three times slower, but for a device:
                                  WARPLU_PROGRAM_TOO_LARGE */
    const int32_t *row_order;  /* WARPLU_ORDERING_GIVEN: row_order[k] is the k-th pivot row of A, or NULL for */
    const int32_t
        *col_order; /* the rows' order found by pivoting; col_order[k] is the k-th column (n each, read by analyze) */
    void *(*allocate)(size_t bytes, void *user); /* NULL: malloc */
    void (*release)(void *pointer, void *user);  /* NULL: free; both are given or neither */
    void *allocator_user;
    warplu_message_fn message;
    void *message_user;
    warplu_cancel_fn cancel;
    void *cancel_user;
    warplu_on_weak weak;
    warplu_matching matching; /* where scales of rows and columns come from it, scaling is not used */
    int64_t max_cache_bytes;  /* 256 MiB: earlier pivots are kept for when they serve again, eight at most; 0: none */
    warplu_strategy device_strategy; /* of WARPLU_EXECUTOR_CUDA; others have but one */
    warplu_precision precision;
    int64_t max_factor_bytes; /* 0: what memory there is. Else factors of more bytes, 12 for each entry of L, U and F,
                                 are refused: where they are predicted (by counts of A + A', exact for a symmetric
                                 pattern whose diagonal stays, else mostly too high, up to three times as far as known),
                                 and where pivoting comes to them; work beside them takes as many again. Restored pivots
                                 are taken as they are */
} warplu_options;

/* Fills in the defaults named above. */
WARPLU_API void warplu_init_options(warplu_options *options);

/* ------------------------------------------------------------- the solver */

typedef struct warplu_solver warplu_solver;

/* A solver with these options (copied; NULL means the defaults). On failure *out is NULL.
 * WARPLU_INVALID_ARGUMENT, WARPLU_OUT_OF_MEMORY, WARPLU_THREADS_UNSUPPORTED, WARPLU_NOT_COMPILED, WARPLU_NO_DEVICE. */
WARPLU_API warplu_status warplu_create(warplu_solver **out, const warplu_options *options);
/* Frees the solver and leaves NULL; takes NULL and a pointer to NULL. */
WARPLU_API void warplu_destroy(warplu_solver **solver);
/* A second solver with the options, analysis, pivots and program of the first, for another thread: these are shared,
 * never copied, and freed by the last that uses them; factors, statistics and later pivots are each solver's own.
 * Begins with a refactor. Nothing else may use the source during the call; afterwards each goes its own way, on threads
 * of their own, and the caller's allocator, message and cancel functions are called from all of them. On failure *out
 * is NULL. WARPLU_INVALID_ARGUMENT, WARPLU_WRONG_PHASE (nothing analyzed yet), WARPLU_OUT_OF_MEMORY. */
WARPLU_API warplu_status warplu_clone(warplu_solver **out, const warplu_solver *source);

/* Reads the pattern of a square matrix: ptr has n+1 entries, idx ptr[n], zero-based, copied. Indices within
 * a column (row) may come in any order; duplicates are summed at every load. values (ptr[n] numbers) may be
 * NULL: then the order is chosen from the pattern alone. Replaces an earlier analysis.
 * WARPLU_INVALID_ARGUMENT (index out of range, ptr not ascending), WARPLU_EMPTY, WARPLU_NOT_FINITE,
 * WARPLU_STRUCTURALLY_SINGULAR, WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_NOT_COMPILED,
 * WARPLU_FACTORS_TOO_LARGE, WARPLU_CANCELLED. */
WARPLU_API warplu_status warplu_analyze(warplu_solver *solver, int32_t n, const int32_t *ptr, const int32_t *idx,
                                        const double *values);

/* Chooses pivots for these values, compiles the program (at once if expected_refactors is 8 or more) and factors.
 * values: one number for each idx. On failure there are no factors to solve with; the analysis, and earlier pivots for
 * a refactor, stay. An analysis made from the pattern alone may be made again with the first values, and one made from
 * values that prove singular with the next. WARPLU_WRONG_PHASE, WARPLU_NOT_FINITE, WARPLU_SINGULAR (the message names
 * rows and columns, from 0), WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_CANCELLED, WARPLU_FACTORS_TOO_LARGE,
 * WARPLU_PROGRAM_TOO_LARGE (on a device; first pivots stay all the same, and refactors answer this at once). */
WARPLU_API warplu_status warplu_factor(warplu_solver *solver, const double *values);

/* Replays the pivots with new values, or earlier ones where these have taken turns. A weak replay (docs/numerics.md) is
 * replaced by one of earlier pivots that serve, kept where it solves a known system accurately (solves are checked
 * then), or pivoted again (WARPLU_REPIVOTED): the new factors answer at once and are compiled after 8 more replays, or
 * when they come back. The options' weak says otherwise: WARPLU_WEAK, pivots kept. If pivoting fails (the values are
 * singular, say), the earlier pivots stay for the next refactor, without factors for a solve. A solver that never
 * factored with success factors. Statuses as warplu_factor, and the two warnings. */
WARPLU_API warplu_status warplu_refactor(warplu_solver *solver, const double *values);

/* Solves A X = B with the factors at hand. B is n by nrhs, column-major with leading dimension ldb >= n, X likewise
 * with ldx; x may be b (then ldx == ldb), no other overlap. A success means that every equation is
 * accurate as a whole: |b - A x|_i is at most 1e-10 (max|a_i.| max|x| + |b_i|), 1e-4 in WARPLU_PRECISION_SINGLE; with
 * WARPLU_CHECK_ALWAYS that the backward error is at most 1e-10, too. Solves are checked where no bound on the errors of
 * all solves by the factors at hand proves that, and with new pivots until three in a row have been accurate without
 * refinement (always, where scales leave equations or unknowns too uneven; warplu_factor tries known systems first). A
 * checked solve is refined above a backward error of 1e-12; where that does not bring it to the promise, it pivots
 * again (WARPLU_REPIVOTED), and if that does not help or fails, x is the best there is, with WARPLU_INACCURATE; so is
 * an unchecked x near the smallest numbers (docs/numerics.md). Four right-hand sides or more are solved for eight at a
 * time, each with the bits of its solve alone; the first such call with a program makes room for that. Where one fails,
 * X is undefined. WARPLU_WRONG_PHASE, WARPLU_INVALID_ARGUMENT, WARPLU_NOT_FINITE (b or x). */
WARPLU_API warplu_status warplu_solve(warplu_solver *solver, int32_t nrhs, const double *b, int32_t ldb, double *x,
                                      int32_t ldx);
/* The same for A' X = B, from the same factors. The first call with a program compiles (WARPLU_CANCELLED,
 * WARPLU_OVERFLOW, WARPLU_OUT_OF_MEMORY too; the factors stay). If it comes after refactors whose values were not kept,
 * it cannot be checked (WARPLU_UNCHECKED); from then on refactors keep them until it is proven. */
WARPLU_API warplu_status warplu_solve_transposed(warplu_solver *solver, int32_t nrhs, const double *b, int32_t ldb,
                                                 double *x, int32_t ldx);

/* The place in the value array of entry (row, col), zero-based: where a device stamps. The first of
 * duplicates. WARPLU_PATTERN_MISMATCH where the pattern has none, WARPLU_WRONG_PHASE before analysis. */
WARPLU_API warplu_status warplu_get_position(const warplu_solver *solver, int32_t row, int32_t col, int32_t *position);

/* The text of the last error or warning, "" if none. Owned by the solver, valid until its next call. */
WARPLU_API const char *warplu_get_message(const warplu_solver *solver);

/* -------------------------------------------------------------- statistics */

/* What a replay's health says of its factors (docs/numerics.md), whatever the options' check. */
typedef enum warplu_verdict {
    WARPLU_VERDICT_HEALTHY = 0, /* every solve by them is what a success promises */
    WARPLU_VERDICT_SUSPECT = 1, /* not proven: solves on the host are checked where a closer look does not prove it */
    WARPLU_VERDICT_WEAK = 2     /* not to be used; failed replays too */
} warplu_verdict;

typedef struct warplu_statistics {
    size_t size; /* sizeof(warplu_statistics), set by the caller */
    int32_t n;
    int64_t nnz;    /* entries of the analyzed pattern, duplicates counted once */
    int32_t blocks; /* diagonal blocks: of the block triangular form, one where they are joined */
    int32_t largest_block;
    warplu_ordering ordering; /* the one in use */
    int32_t candidates;       /* orderings that raced */
    double ordering_loss;     /* actual over predicted terms of the first choice */
    int64_t lu_nnz;           /* entries of L, U (unit diagonal of L not counted) and F */
    int64_t f_nnz;            /* of these in off-diagonal blocks */
    int64_t terms;            /* multiply-subtracts of the factorization */
    int64_t flops;            /* of the factorization: 2 per term, 1 per division */
    int64_t solve_terms;      /* multiply-subtracts of one solve */
    int32_t height;           /* pivots on the longest dependent chain */
    int64_t levels, vectors;  /* of the compiled factorization */
    int64_t longest_vector;
    int64_t solve_levels, solve_vectors;
    int64_t slots;                   /* numbers in the state's slot vector */
    int64_t dot_pivots, tile_pivots; /* pivots eliminated by DOT streams and in the TILE region */
    int64_t program_bytes;           /* factorization program as loaded */
    int64_t solve_program_bytes;     /* solve programs as loaded */
    int64_t state_bytes;
    double predicted_refactor_ns;
    double analyze_ns, factor_ns, compile_ns; /* wall time of the last call; factor is pivoting alone */
    int64_t factors, refactors, repivots, solves, refined_solves;
    double pivot_growth;      /* reciprocal pivot growth of the last replay, at most 1, or a lower bound */
    double largest_l;         /* largest |l| of the last replay */
    double smallest_pivot;    /* smallest |u_kk| of the last replay, scaled values */
    double backward_error;    /* of the last checked solve, componentwise; -1 if none was checked */
    int32_t refinement_steps; /* of the last solve's last right-hand side */
    double row_drift;         /* largest factor by which a row has changed since pivoting, a power of two */
    int32_t
        compiled; /* 1: a program is at hand; 0: factors by column answer: the pivots are young, or no program fits */
    int32_t cached_programs; /* earlier pivots, with their programs where they are compiled, ... */
    int64_t cache_bytes;     /* ... and what they take */
    int64_t cache_hits;      /* times that some came back */
    int64_t compilations;
    int64_t weak_replays;   /* replays judged weak; of these ... */
    int64_t proven_replays; /* ... kept, because they solved a known system accurately */
    int64_t checked_solves; /* right-hand sides whose backward error was computed */
    double largest_u;       /* largest |u| within the blocks of the last replay, scaled values */
    int64_t threads;        /* that the program is cut for: as many as asked for, or fewer where it is small */
    int32_t verdict;        /* warplu_verdict of the last replay */
    int32_t all_checked;    /* 1: every right-hand side of the last solve had its backward error computed */
} warplu_statistics;

/* Fills *statistics as far as both sides know it and sets its size to that. WARPLU_INVALID_ARGUMENT without a size. */
WARPLU_API warplu_status warplu_get_statistics(const warplu_solver *solver, warplu_statistics *statistics);

/* Componentwise backward error of X as a solution of A X = B (or A' X = B where transposed is not 0), the
 * largest over the right-hand sides: max_i |b - A x|_i / (|A||x| + |b|)_i, rows with a tiny denominator by
 * the second form of Arioli, Demmel and Duff (SIAM J. Matrix Anal. Appl. 10, 1989). values: as for
 * warplu_refactor. WARPLU_WRONG_PHASE, WARPLU_INVALID_ARGUMENT, WARPLU_OUT_OF_MEMORY. */
WARPLU_API warplu_status warplu_compute_backward_error(const warplu_solver *solver, int transposed,
                                                       const double *values, int32_t nrhs, const double *b, int32_t ldb,
                                                       const double *x, int32_t ldx, double *omega);

/* ------------------------------------------------------------- singularity */

/* Why a matrix is singular. Rows and columns are those of the caller's A, numbered from 0 whatever the storage; -1
 * where there is none. Two rows (columns) are dependent if one is a multiple of the other up to rounding. A singular
 * matrix need not show any of this: then only where pivoting stopped is known. */
typedef struct warplu_singularity {
    size_t size;          /* sizeof(warplu_singularity), set by the caller */
    warplu_status status; /* WARPLU_SINGULAR, or WARPLU_STRUCTURALLY_SINGULAR: then the pattern alone was looked at */
    int32_t column, row;  /* where pivoting stopped: no pivot in this column, and a row that was left for it */
    int32_t position;     /* pivots found before; the structural rank, if structurally singular */
    int32_t zero_row;     /* the first row without a value other than zero */
    int32_t zero_column;
    int32_t dependent_rows[2]; /* a row and a later one, the first that depends on an earlier one */
    int32_t dependent_columns[2];
    int32_t empty_row_count, empty_column_count; /* without any entry; this and what follows -1: no memory to count */
    int32_t zero_row_count, zero_column_count;   /* without a value other than zero, empty ones among them */
    int32_t dependent_row_count, dependent_column_count; /* that depend on an earlier one */
} warplu_singularity;

/* Fills *singularity as far as both sides know it and sets its size to that. WARPLU_INVALID_ARGUMENT without a size,
 * WARPLU_WRONG_PHASE if nothing since the last analyze, factor or refactor began has found the matrix singular. */
WARPLU_API warplu_status warplu_get_singularity(const warplu_solver *solver, warplu_singularity *singularity);

/* -------------------------------------------- what the factors say of A */

/* All of these need factors at hand (a factor, refactor or solve since which none failed;
 * WARPLU_WRONG_PHASE), and leave the solver, its factors and its statistics as they are. values: those of the
 * factors at hand, as for warplu_refactor; values that are not finite answer WARPLU_NOT_FINITE. NULL where a
 * pointer is needed answers WARPLU_INVALID_ARGUMENT. What they need is allocated and freed again. A call that
 * fails writes nothing. */

/* Condition number of A in the 1-norm, ||A|| ||A^-1||: of the caller's matrix, not of the scaled one. An
 * estimate from below, seldom less than a third of the truth, by at most 12 solves (Hager, SIAM J. Sci. Stat.
 * Comput. 5, 1984; Higham, ACM TOMS 14, 1988, Algorithm 674). Infinity where a solve overflows.
 * WARPLU_WRONG_PHASE, WARPLU_INVALID_ARGUMENT, WARPLU_NOT_FINITE, WARPLU_OUT_OF_MEMORY. */
WARPLU_API warplu_status warplu_estimate_condition(warplu_solver *solver, const double *values, double *condition);

/* Skeel's condition number (J. ACM 26, 1979): cond(A, x) = || |A^-1| |A| |x| || / ||x|| in the largest norm, x
 * of n numbers; with x NULL, cond(A) = || |A^-1| |A| ||. It does not depend on the scales of the rows. A
 * solution of backward error omega (warplu_compute_backward_error, first form) has a relative error of at most about
 * 2 omega cond(A, x). An estimate as above (Higham, Accuracy and Stability of Numerical Algorithms, 2002,
 * sections 7.2 and 15.1); 0 where x = 0.
 * WARPLU_WRONG_PHASE, WARPLU_INVALID_ARGUMENT, WARPLU_NOT_FINITE (x too), WARPLU_OUT_OF_MEMORY. */
WARPLU_API warplu_status warplu_estimate_skeel_condition(warplu_solver *solver, const double *values, const double *x,
                                                         double *condition);

/* What the error of X as a solution of A X = B (or A' X = B) is at most, relative to the largest |x|, the
 * largest over the right-hand sides: || |A^-1| (|r| + rounding) || / ||x||, r the residual as computed, the
 * norm estimated as above. What LAPACK calls ferr (xGERFS; Arioli, Demmel and Duff, SIAM J. Matrix Anal.
 * Appl. 10, 1989). 0 where x = b = 0, infinity where x alone is 0, NaN where x or r is not finite. Shapes as
 * for warplu_compute_backward_error.
 * WARPLU_WRONG_PHASE, WARPLU_INVALID_ARGUMENT, WARPLU_NOT_FINITE (values), WARPLU_OUT_OF_MEMORY. */
WARPLU_API warplu_status warplu_bound_forward_error(warplu_solver *solver, int transposed, const double *values,
                                                    int32_t nrhs, const double *b, int32_t ldb, const double *x,
                                                    int32_t ldx, double *bound);

/* Reciprocal pivot growth, the smallest over the columns of max|a_ij| / max|u_ij|, at most 1, in scaled
 * values within the diagonal blocks: exact, where the statistic of that name may be a lower bound. The
 * definition of KLU's rgrowth (Davis and Palamadai Natarajan, ACM TOMS 37, 2010). 0 where a factor is not
 * finite. WARPLU_WRONG_PHASE, WARPLU_INVALID_ARGUMENT, WARPLU_NOT_FINITE, WARPLU_OUT_OF_MEMORY. */
WARPLU_API warplu_status warplu_compute_pivot_growth(warplu_solver *solver, const double *values, double *growth);

/* det A = mantissa 2^exponent, 1/2 <= |mantissa| < 1, or both 0 where a pivot is: the caller's A, scales and
 * the signs of the permutations taken out. It cannot overflow. ldexp(mantissa, exponent) where that fits.
 * WARPLU_WRONG_PHASE, WARPLU_INVALID_ARGUMENT, WARPLU_NOT_FINITE (a pivot), WARPLU_OUT_OF_MEMORY. */
WARPLU_API warplu_status warplu_compute_determinant(warplu_solver *solver, double *mantissa, int64_t *exponent);

typedef struct warplu_pivot {
    int32_t row, col; /* of A, zero-based, for CSR too */
    int32_t position; /* among the pivots */
    int32_t block;    /* of the block triangular form */
    double value;     /* u_kk in scaled values */
    double ratio;     /* |u_kk| over the largest magnitude of its column of A, scaled, within the block */
} warplu_pivot;

/* Weak pivots: those whose ratio is at most threshold (>= 0), or is no number. *count is how many there are;
 * the weakest capacity of them are written, weakest first (no number before 0), then by position. list may be
 * NULL where capacity is 0. A threshold of infinity lists all. WARPLU_WRONG_PHASE, WARPLU_INVALID_ARGUMENT,
 * WARPLU_NOT_FINITE, WARPLU_OUT_OF_MEMORY. */
WARPLU_API warplu_status warplu_list_pivots(warplu_solver *solver, const double *values, double threshold,
                                            int32_t capacity, warplu_pivot *list, int32_t *count);

/* The factors as matrices by columns (CSC, zero-based, rows ascending), in pivot positions:
 *
 *     R[P[k]] A(P[k], Q[l]) C[Q[l]] = (L U + F)(k, l),
 *
 * L and U block diagonal over block[0] = 0 < ... < block[blocks] = n, F strictly above these blocks. The
 * diagonal of L, all ones, is the first entry of each of its columns; that of U the last. R and C are powers
 * of two by row and column of A, to be multiplied with. The caller owns all arrays; those that are NULL are
 * left out, and a call with none tells sizes. The numbers are a copy: a later refactor does not change them.
 */
typedef struct warplu_factors_view {
    size_t size;                 /* sizeof(warplu_factors_view), set by the caller */
    int32_t n, blocks;           /* from here ... */
    int64_t l_nnz, u_nnz, f_nnz; /* ... to here filled by the call */
    int64_t *Lp, *Up, *Fp;       /* n + 1 */
    int32_t *Li, *Ui, *Fi;       /* l_nnz, u_nnz, f_nnz */
    double *Lx, *Ux, *Fx;        /* the same */
    int32_t *P, *Q;              /* n: row and column of A at each position */
    double *R, *C;               /* n */
    int32_t *block;              /* blocks + 1 */
} warplu_factors_view;

/* Fills *view as far as both sides know it and sets its size to that. WARPLU_WRONG_PHASE,
 * WARPLU_INVALID_ARGUMENT (also without a size). */
WARPLU_API warplu_status warplu_extract_factors(warplu_solver *solver, warplu_factors_view *view);

/* -------------------------------------------------------------- on a device */

/* With WARPLU_EXECUTOR_CUDA every call above works as it does elsewhere, on numbers of the host; where a call to the
 * device fails, it answers WARPLU_DEVICE_FAILED. The calls below take numbers on the device and a stream of the CUDA
 * driver or runtime API (NULL: the default stream): they work in the device's primary context, the runtime API's own,
 * and only hand the work to the stream. They wait for nothing, allocate nothing and can be captured into a graph, which
 * may be replayed as long as the solver keeps its program. Work of one solver that is on several streams must be
 * ordered by the caller; calls above wait for the stream that the last call was given. */

/* What a replay has shown, in scaled values, as the device writes it when the replay ends; and solves that refine, when
 * they end. */
typedef struct warplu_device_health {
    double largest_l, largest_u, growth, smallest_pivot, drift; /* as in warplu_statistics; growth: a lower bound */
    int32_t finite;                                             /* every computed value is */
    uint32_t generation;                                        /* replays done so far with this program */
    uint32_t failed; /* not 0: the replay was given up, the factors are void */
    int32_t verdict; /* warplu_verdict */
    double
        backward_error; /* of checked solves since the replay (warplu_solve_device): the largest; -1: there was none */
    int32_t refinement_steps; /* the most that one of them took */
    uint32_t inaccurate;      /* right-hand sides whose backward error is not at most 1e-10 */
} warplu_device_health;

/* Enqueues warplu_refactor for values on the device, which have to stay as they are until warplu_finish_device. The
 * device judges the replay and writes the verdict into the record: WARPLU_ENQUEUED. Needs a program (the options'
 * expected_refactors of 8 or more, and warplu_factor). WARPLU_WRONG_PHASE, WARPLU_INVALID_ARGUMENT, WARPLU_NOT_COMPILED
 * (no solver of a device), WARPLU_DEVICE_FAILED. */
WARPLU_API warplu_status warplu_refactor_device(warplu_solver *solver, const double *device_values, void *stream);
/* Enqueues a solve of A X = B, or A' X = B where transposed is not 0; shapes as for warplu_solve. By the strategy flow
 * solves are checked and refined on the device, by residuals of the last replay's values (which need not be there any
 * more: the device has a copy): in mixed precision; in FP64 where known systems did not prove the pivots when
 * warplu_factor or warplu_finish_device chose them (those of warplu_restore are not proven), or the options' check is
 * WARPLU_CHECK_ALWAYS (not with WARPLU_ON_WEAK_REPORT). Then a solution whose backward error is not at most 1e-10
 * counts as inaccurate in the record, and X becomes NaN, but where the options keep weak pivots. X becomes NaN, too,
 * where the replay has been given up, or is weak and the options (check, weak) would have it mended, until
 * warplu_finish_device has mended it. Statuses as warplu_refactor_device. */
WARPLU_API warplu_status warplu_solve_device(warplu_solver *solver, int transposed, int32_t nrhs,
                                             const double *device_b, int32_t ldb, double *device_x, int32_t ldx,
                                             void *stream);
/* Enqueues both: what warplu_refactor_device and then warplu_solve_device would, with the same statuses, except that
 * nothing is enqueued where an argument is wrong. The solve, of the first eight right-hand sides at most, begins before
 * the factorization has ended where device and driver allow it. */
WARPLU_API warplu_status warplu_refactor_solve_device(warplu_solver *solver, const double *device_values,
                                                      int transposed, int32_t nrhs, const double *device_b, int32_t ldb,
                                                      double *device_x, int32_t ldx, void *stream);
/* Waits for the stream and judges the last replay on it, of a captured graph too. values: the same on the host, or
 * NULL. A weak replay is treated as warplu_refactor does where there are values: WARPLU_REPIVOTED, and other pivots
 * with their program are in use, on the device at once; graphs captured before must not be replayed any more. Without
 * values WARPLU_WEAK, and the factors are left as they are; solves on the host that ought to be checked answer
 * WARPLU_UNCHECKED. WARPLU_INACCURATE where the replay serves, and checked solves since then have not been accurate;
 * WARPLU_UNCHECKED where this solver has enqueued solves, and nothing proves those of this replay: they were not
 * checked, or it was weak and withheld them, and has proven itself on the host since. WARPLU_WRONG_PHASE,
 * WARPLU_NOT_COMPILED, WARPLU_DEVICE_FAILED, and those of warplu_refactor. */
WARPLU_API warplu_status warplu_finish_device(warplu_solver *solver, const double *values, void *stream);
/* *record: what the last replay on the device has shown, of memory that device and host can read, current for the host
 * once the stream has been waited for; valid until the program changes. WARPLU_WRONG_PHASE, WARPLU_INVALID_ARGUMENT,
 * WARPLU_NOT_COMPILED. */
WARPLU_API warplu_status warplu_get_device_health(const warplu_solver *solver, const warplu_device_health **record);

/* ------------------------------------------------------- saving, restoring */

/* Writes the analysis, and the pivots if there are any, to a file: what warplu_analyze and warplu_factor found out,
 * without any values. The file appears under its name only when complete and on the disk; on failure what stood there
 * stays. The same solver gives the same bytes on the same kind of machine. Not affected: the solver, but for its
 * message. WARPLU_WRONG_PHASE before analysis, WARPLU_CANNOT_OPEN, WARPLU_CANNOT_WRITE, WARPLU_INVALID_ARGUMENT,
 * WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED. */
WARPLU_API warplu_status warplu_save(warplu_solver *solver, const char *path);

/* Replaces the solver's analysis and pivots by those of a file. With pivots, warplu_refactor compiles them and
 * replays, to the bits that the solver gets which chose and compiled them, and searches nothing; without, it factors.
 * Solves are checked until three in a row have been accurate, as after pivoting.
 *
 * From the file: the pattern and the order of the value array (whatever storage the options name), block triangular
 * form, orders, scales, pivots, and what they were worth. From the options of this solver: everything else, and
 * everything once it has to pivot again, but for the order: scaling, matching, pivot_tolerance, pivot_absolute, check,
 * weak, executor, program and cache sizes.
 *
 * What is truncated, corrupt or contradicts itself is refused, and the solver stays as it was. A file says nothing
 * about values: warplu_check_pattern tells whether it belongs to a matrix. WARPLU_CANNOT_OPEN, WARPLU_CANNOT_READ,
 * WARPLU_BAD_FORMAT, WARPLU_VERSION_MISMATCH, WARPLU_INVALID_ARGUMENT, WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED. */
WARPLU_API warplu_status warplu_restore(warplu_solver *solver, const char *path);

/* Whether these arrays, read as warplu_analyze would read them, are the solver's pattern and order of values.
 * WARPLU_PATTERN_MISMATCH (the message says where), WARPLU_WRONG_PHASE before analysis, and those of warplu_analyze for
 * arrays it would not take. */
WARPLU_API warplu_status warplu_check_pattern(warplu_solver *solver, int32_t n, const int32_t *ptr, const int32_t *idx);

#ifdef __cplusplus
}
#endif
#endif
