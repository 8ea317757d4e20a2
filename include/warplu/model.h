/* Models: equations written as text, compiled, differentiated and stepped in time. A library of its own, libwarpmodel
 * (pkg-config: warpmodel), over libwarplu.
 *
 *     warplu_model *model = NULL;
 *     warplu_sim *sim = NULL;
 *     warplu_model_read(&model, "luo_rudy_1991.wm", NULL);
 *     warplu_sim_create(&sim, model, NULL);
 *     warplu_sim_find(sim, "cell.v", &v);
 *     warplu_sim_run(sim, 400.0);
 *     warplu_sim_get(sim, v, 0, 1, &value);
 *     warplu_sim_destroy(&sim);
 *     warplu_model_destroy(&model);
 *
 * The language stands in docs/models.md. A model is immutable once it is read, and may be used by several threads. A
 * simulation holds the state of `members` copies of the model that differ in values of parameters or in initial values,
 * and is used by one thread at a time.
 *
 * The equations are d/dt q(t, y) = f(t, y). Small models are copied whole into one program, whose lanes are the
 * members; models of many instances keep one program for each kind of element, whose lanes are the instances, and one
 * member; the sums at nodes are solved for by warplu. Which it is follows from sizes, and warplu_sim_get_statistics
 * says it. Members that fail harm no other.
 *
 * Calls answer statuses of warplu/status.def: 0 success, above 0 a warning, below 0 an error, after which *out is NULL.
 * Every call answers WARPLU_INVALID_ARGUMENT to NULL where an object is needed, to a size that is not set and to
 * numbers outside of their range; those that make something may answer WARPLU_OUT_OF_MEMORY and WARPLU_OVERFLOW (a size
 * beyond what can be counted). Times have the model's unit, whatever that is. */
#ifndef WARPLU_MODEL_H
#define WARPLU_MODEL_H

#include <warplu/warplu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------- models */

typedef struct warplu_model warplu_model;

typedef struct warplu_model_options {
    size_t size;                                 /* sizeof(warplu_model_options), set by warplu_model_init_options */
    void *(*allocate)(size_t bytes, void *user); /* NULL: malloc */
    void (*release)(void *pointer, void *user);  /* NULL: free; both are given or neither */
    void *allocator_user;
    warplu_message_fn message; /* NULL: none. Errors of a text: "FILE:LINE:COLUMN: error: expected ..., found ..." */
    void *message_user;
} warplu_model_options;

/* Fills in the defaults: malloc, free, no messages. */
WARPLU_API void warplu_model_init_options(warplu_model_options *options);

/* Reads and checks a file ("-": standard input). options: NULL for the defaults. The caller owns *out until
 * warplu_model_destroy.
 *
 *   WARPLU_SUCCESS           the model is read
 *   WARPLU_CANNOT_OPEN       the file, or a table that it names, cannot be opened
 *   WARPLU_CANNOT_READ       reading it fails
 *   WARPLU_BAD_FORMAT        the text breaks the grammar or uses a name in a way that it cannot be used
 *   WARPLU_MODEL_EQUATIONS   numbers of unknowns and of equations differ
 *   WARPLU_INVALID_ARGUMENT, WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW */
WARPLU_API warplu_status warplu_model_read(warplu_model **out, const char *path, const warplu_model_options *options);
/* Reads and checks `length` bytes of text, which messages call `name`.
 *
 *   as warplu_model_read */
WARPLU_API warplu_status warplu_model_parse(warplu_model **out, const char *name, const char *text, int64_t length,
                                            const warplu_model_options *options);

/* Frees the model; simulations made of it go on. Takes NULL and a pointer to NULL, and leaves NULL. */
WARPLU_API void warplu_model_destroy(warplu_model **model);

/* These numbers count what a text holds. */
typedef struct warplu_model_counts {
    size_t size; /* sizeof(warplu_model_counts), set by the caller */
    int64_t kinds, sets, uses, nodes, instances;
    int64_t definitions; /* of all instances: names with an expression */
    int64_t equations;   /* of all instances: rates, gates and closing equations */
    int64_t balances, stores, sums;
    int64_t unknowns; /* of the whole system: n */
    int64_t watches;  /* names that `watch` lists */
} warplu_model_counts;

/* Counts what a model holds; counts->size is set before.
 *
 *   WARPLU_SUCCESS            they are filled in
 *   WARPLU_INVALID_ARGUMENT   an argument is NULL, or the size is not set */
WARPLU_API warplu_status warplu_model_get_counts(const warplu_model *model, warplu_model_counts *counts);

/* The name of a watch, 0 to watches - 1; NULL beyond. The model's. */
WARPLU_API const char *warplu_model_get_watch(const warplu_model *model, int64_t number);

/* Until when `run` says that the model runs, and how often it is told of; 0 where it does not. */
WARPLU_API void warplu_model_get_times(const warplu_model *model, double *to, double *every);

/* -------------------------------------------------------------- simulations */

typedef struct warplu_sim warplu_sim;

typedef enum warplu_method {
    WARPLU_METHOD_AUTO = 0, /* what the text's `run` says; without one rodas4, or tr-bdf2 where charges are no linear
                               functions of the unknowns */
    WARPLU_METHOD_EULER = 1,
    WARPLU_METHOD_RK4 = 2,
    WARPLU_METHOD_DORMAND_PRINCE = 3,
    WARPLU_METHOD_RUSH_LARSEN = 4,
    WARPLU_METHOD_BACKWARD_EULER = 5,
    WARPLU_METHOD_TRAPEZOIDAL = 6,
    WARPLU_METHOD_TR_BDF2 = 7,
    WARPLU_METHOD_RODAS3 = 8,
    WARPLU_METHOD_RODAS4 = 9,
    WARPLU_METHOD_SPLIT = 10, /* elements by Rush-Larsen, nodes by one constant factorization */
    WARPLU_METHOD_BOGACKI_SHAMPINE = 11,
    WARPLU_METHOD_SSP_RK2 = 12,
    WARPLU_METHOD_SSP_RK3 = 13
} warplu_method;

/* Instructions work on 64 lanes at a time; this option says what a lane is. */
typedef enum warplu_lanes {
    WARPLU_LANES_AUTO = 0,    /* as docs/models.md says, "Engines" */
    WARPLU_LANES_MEMBERS = 1, /* one program of the whole model, whose factorization has at most 100 000 terms */
    /* one program of each kind, on the CPU, member after member; all methods, backward Euler and trapezoidal with fixed
     * steps */
    WARPLU_LANES_INSTANCES = 2
} warplu_lanes;

typedef struct warplu_sim_options {
    size_t size;          /* sizeof(warplu_sim_options), set by warplu_sim_init_options */
    int64_t members;      /* 0 (default): what the text's `batch` says, else 1 */
    warplu_method method; /* AUTO (default) */
    /* 0 (defaults): what the text's `run` says; else relative 1e-6, absolute 1e-9, a step of the method's choice. Of
     * each unknown an error of absolute + relative |y| is asked for, the largest counts, and steps are held to what
     * gives it (docs/models.md, "Tolerances"). A dt fixes the step, and tolerances are Newton's; the methods without
     * error control (Euler, RK4, Rush-Larsen, split; where lanes are instances backward Euler and trapezoidal too)
     * need one. */
    double dt, relative, absolute;
    /* Including the caller's: 1 (default) to 1024; 0: one for each processor. The bits stay the same. Where lanes are
     * instances values above 64 act as 64. */
    int threads;
    warplu_executor executor; /* AUTO (default), CPU, or CUDA: small models, and explicit methods of large ones. There
                                 is no REFERENCE of models */
    int device; /* of CUDA, its number: 0 (default) for the first; -1: the one whose context is current for the calling
                   thread in warplu_sim_create, the first where there is none */
    /* Parameters that members have values of their own of ("lr91.gna"); all others are folded into the program. */
    const char *const *varying;
    int32_t varying_count;
    /* A CSV with a column for each varying parameter, which its first line names, and a line for each member; instead
     * of varying and, where it is 0, of members. NULL (default): what the text's `batch` says. */
    const char *members_file;
    /* Values for all members in place of the text's ("lr91.gna", 20.0); none that a column of the file has for each. */
    const char *const *set;
    const double *set_value;
    int32_t set_count;
    warplu_lanes lanes;      /* AUTO (default) */
    warplu_cancel_fn cancel; /* asked after every few milliseconds of steps; NULL: never */
    void *cancel_user;
    /* The most steps of a member in a run, those that are refused counted too, after which it fails,
     * WARPLU_TOO_MANY_STEPS. 0 (default): 10 000 000 of controlled steps, as many as they are of a fixed dt. */
    int64_t steps;
    /* In place of dt: steps of so many times the least limit of the model's elements where a step begins
     * (docs/models.md, "Limits of steps"). 0 (default): what the text's `run` says, where dt is 0 too. */
    double cfl;
} warplu_sim_options;

WARPLU_API void warplu_sim_init_options(warplu_sim_options *options);

/* Compiles the model and sets time to 0 and unknowns to their initial values. The caller owns *out until
 * warplu_sim_destroy; messages and memory are by the model's functions. What options point to need not last.
 *
 *   WARPLU_SUCCESS             the simulation is made
 *   WARPLU_INVALID_ARGUMENT    an option is none, or does not fit the model: the message says which, and names the
 *                              parameter that is nearest to an unknown one
 *   WARPLU_NOT_FINITE          a value that is set is no number
 *   WARPLU_CANNOT_OPEN, WARPLU_CANNOT_READ, WARPLU_BAD_FORMAT   of the file of members
 *   WARPLU_MODEL_EQUATIONS     the system is structurally singular: the message names an unknown and its line; or the
 *                              method cannot step such equations: the message says which can; or an event's time is
 *                              not behind the start: the message names its line
 *   WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_PROGRAM_TOO_LARGE */
WARPLU_API warplu_status warplu_sim_create(warplu_sim **out, const warplu_model *model,
                                           const warplu_sim_options *options);
/* Takes NULL and a pointer to NULL, and leaves NULL. */
WARPLU_API void warplu_sim_destroy(warplu_sim **sim);
/* The last message; "" where there is none. Valid until the next call on the simulation. */
WARPLU_API const char *warplu_sim_get_message(const warplu_sim *sim);

/* What a handle is of. */
typedef enum warplu_handle_kind {
    WARPLU_HANDLE_KIND_UNKNOWN = 0,    /* what is solved for: read, and set between runs; where lanes are instances sums
                                       of implicit methods too, which follow what they are sums of */
    WARPLU_HANDLE_KIND_SUM = 1,        /* at a node: computed when it is asked for: read alone */
    WARPLU_HANDLE_KIND_FIXED = 2,      /* at a node, a number of the text's: the same */
    WARPLU_HANDLE_KIND_DEFINITION = 3, /* computed when it is asked for: read alone */
    WARPLU_HANDLE_KIND_PARAMETER = 4   /* one that varies: read, and set before the first run */
} warplu_handle_kind;

/* A number for a name: "cell[3].v", "lr91[3].m" (without an index: of the only node or instance), "lr91.gna" of varying
 * parameters, or a definition ("lr91.ina"), which can be read alone, as can the sum over a range of nodes or instances,
 * "sum cell[3..9].v", which is made when it is asked for.
 *
 *   WARPLU_SUCCESS            *handle is it
 *   WARPLU_INVALID_ARGUMENT   there is none, *handle is -1, and the message names the nearest one */
WARPLU_API warplu_status warplu_sim_find(warplu_sim *sim, const char *name, int64_t *handle);
/* Values of members first to first + count - 1 where they stand. Those of a member that failed are no solution; a
 * parameter that others say, `param b = 2*a`, is NaN until it is set.
 *
 *   WARPLU_SUCCESS            out has them
 *   WARPLU_INVALID_ARGUMENT   there is no such handle or member
 *   WARPLU_OUT_OF_MEMORY      of a definition, which is computed */
WARPLU_API warplu_status warplu_sim_get(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, double *out);
/* Sets them: a varying parameter before the first run, an unknown between runs. Before the first run these are initial
 * values; those that were not set follow the parameters that they depend on.
 *
 *   WARPLU_SUCCESS            they are set
 *   WARPLU_INVALID_ARGUMENT   there is no such handle or member, or it is computed: a definition, a
 *                             sum, or fixed
 *   WARPLU_NOT_FINITE         one is no number: none is set
 *   WARPLU_WRONG_PHASE        a parameter, after a run has begun
 *   WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_sim_set(warplu_sim *sim, int64_t handle, int64_t first, int64_t count,
                                        const double *in);

/* Told of an output time that a member has come to: values of the watched handles. Times of a member ascend; members
 * come in any order, but never two at the same time. An answer other than 0 ends the run, WARPLU_CANCELLED. */
typedef int (*warplu_row_fn)(int64_t member, double t, int32_t watched, const double *values, void *user);

/* Calls fn where a run begins and at each multiple of `every` (above 0) behind it, with the values of these handles,
 * which are copied. NULL: no more.
 *
 *   WARPLU_SUCCESS            runs will tell
 *   WARPLU_INVALID_ARGUMENT   a handle is none, or `every` is not above 0; nothing is watched then
 *   WARPLU_OUT_OF_MEMORY      nothing is watched */
WARPLU_API warplu_status warplu_sim_watch(warplu_sim *sim, const int64_t *handles, int32_t count, double every,
                                          warplu_row_fn fn, void *user);

/* The name of a handle, cut to bytes - 1 letters and ended by a zero, and the line of the text where its equation
 * stands (0 where none is known, and in texts that are included). Either may be NULL.
 *
 *   WARPLU_SUCCESS            name and line are written
 *   WARPLU_INVALID_ARGUMENT   the handle is none, or bytes is below 1 */
WARPLU_API warplu_status warplu_sim_get_name(warplu_sim *sim, int64_t handle, char *name, int64_t bytes, int32_t *line);
/* What the handle is of, and so what can be done with it.
 *
 *   WARPLU_SUCCESS            *kind is it
 *   WARPLU_INVALID_ARGUMENT   the handle is none, or kind is NULL */
WARPLU_API warplu_status warplu_sim_get_kind(warplu_sim *sim, int64_t handle, warplu_handle_kind *kind);

/* Steps all members to the time t, which must lie behind the last one; a consistent start of algebraic unknowns is
 * found first. Each run begins with a step of its own choice, so that two runs may differ from one by the tolerances.
 *
 *   WARPLU_SUCCESS          all members are there
 *   WARPLU_MEMBERS_FAILED   some are not: their records say why, and later runs leave them out
 *   WARPLU_NO_CONVERGENCE, WARPLU_STEP_TOO_SMALL, WARPLU_NOT_FINITE, WARPLU_SINGULAR, WARPLU_OUT_OF_RANGE,
 *   WARPLU_TOO_MANY_STEPS   of a simulation of one member, which stands where the message says; later runs answer and
 *                           say the same
 *   WARPLU_MODEL_EQUATIONS  the same of events that cannot be carried out: the message says which, by their lines
 *   WARPLU_CANCELLED        a row or the cancel function asked for it; the call may be repeated
 *   WARPLU_OUT_OF_MEMORY    the call may be repeated
 *   WARPLU_INVALID_ARGUMENT, WARPLU_OVERFLOW
 *   WARPLU_NOT_COMPILED, WARPLU_NO_DEVICE, WARPLU_DEVICE_FAILED   of the executor CUDA */
WARPLU_API warplu_status warplu_sim_run(warplu_sim *sim, double t);

/* This record says what has become of a member. */
typedef struct warplu_sim_member {
    warplu_status status; /* WARPLU_SUCCESS, or why it stands */
    double time;          /* where it stands */
    int64_t unknown;      /* handle of what is not finite, else of what a step changes most; -1: none, or not known */
} warplu_sim_member;
/* Records of members first to first + count - 1; size: sizeof(warplu_sim_member).
 *
 *   WARPLU_SUCCESS            out has them
 *   WARPLU_INVALID_ARGUMENT   there are no such members, or size is another */
WARPLU_API warplu_status warplu_sim_get_members(warplu_sim *sim, int64_t first, int64_t count, warplu_sim_member *out,
                                                size_t size);

typedef struct warplu_sim_statistics {
    size_t size; /* sizeof(warplu_sim_statistics), set by the caller */
    warplu_method method;
    int lanes_are_members; /* 1: one program of the whole system; 0: one of each kind, solved by warplu */
    int64_t members, unknowns;
    int64_t operations; /* of a step, or of one of Newton's iterations; 0 where lanes are instances */
    int64_t steps, rejected, newton_iterations; /* since the start, of all members' steps */
    double compile_seconds, run_seconds;
} warplu_sim_statistics;
/* Counts and times since the simulation was made; statistics->size is set before.
 *
 *   WARPLU_SUCCESS            they are filled in
 *   WARPLU_INVALID_ARGUMENT   an argument is NULL, or the size is not set */
WARPLU_API warplu_status warplu_sim_get_statistics(const warplu_sim *sim, warplu_sim_statistics *statistics);

/* -------------------------------------------------- for loops of one's own */

/* The pattern of alpha dq/dy + beta df/dy by columns: ptr has n + 1 numbers, idx nnz. The arrays are the
 * simulation's.
 *
 *   WARPLU_SUCCESS            they are there
 *   WARPLU_WRONG_PHASE        lanes are members, there are several members, or the method is explicit
 *   WARPLU_INVALID_ARGUMENT   an argument is NULL */
WARPLU_API warplu_status warplu_sim_get_pattern(warplu_sim *sim, int32_t *n, const int32_t **ptr, const int32_t **idx);
/* Computes a matrix and values of a simulation of one member whose lanes are instances, by an implicit method; others
 * answer WARPLU_WRONG_PHASE. Unknowns are numbered as their handles are. values (nnz) = alpha dq/dy + beta df/dy, and q
 * and f (n each), at t and y (n); any of the three may be NULL. Contributions are added in the order of instances, more
 * than 64 as docs/numerics.md says.
 *
 *   WARPLU_SUCCESS            they are computed; they may be no numbers
 *   WARPLU_WRONG_PHASE        as above
 *   WARPLU_INVALID_ARGUMENT, WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_sim_evaluate(warplu_sim *sim, double t, const double *y, double alpha, double beta,
                                             double *values, double *q, double *f);

/* The compiled programs, one instruction a line, to a function of the caller's.
 *
 *   WARPLU_SUCCESS            all lines were handed out
 *   WARPLU_CANNOT_WRITE       the function answered other than 0
 *   WARPLU_WRONG_PHASE        lanes are instances: there is no program of a step
 *   WARPLU_INVALID_ARGUMENT, WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_sim_disassemble(warplu_sim *sim, int (*write)(const char *line, void *user),
                                                void *user);

#ifdef __cplusplus
}
#endif

#endif
