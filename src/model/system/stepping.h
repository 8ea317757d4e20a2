/* Types and calls that methods of transients share: the state, Newton's iterations, and one function a family. */
#ifndef WLU_MODEL_SYSTEM_STEPPING_H
#define WLU_MODEL_SYSTEM_STEPPING_H

#include <math.h>

#include "model/method/tolerance.h"
#include "model/system/events.h"
#include "model/system/transient.h"

/* The pulses, at whose edges equations jump: delay, width, period (0: once), and a table or NULL. */
typedef struct wlm_times {
    double number[3];
    const wlm_table *table;
} wlm_times;
typedef struct wlm_edges {
    int32_t pulses;
    wlm_times *pulse; /* each different one */
} wlm_edges;

/* The number of work vectors; implicit methods keep f at the beginning and the end of a step in two of them. */
enum { WLM_WORK = 12, WLM_WORK_BEGIN = 1, WLM_WORK_END = 4 };

/* The problem alpha q(y) + beta f(t, y) + c = 0, which a conductance to each balance, and a share of an offset, make
 * easier. */
typedef struct wlm_newton {
    double t, alpha, beta;
    const double *c;      /* NULL: zero */
    double gmin;          /* flows gmin * y out of each balance that has a diagonal entry */
    const double *offset; /* NULL: none; `share` of it is subtracted from the left-hand side */
    double share;
} wlm_newton;

/* dq/dy, whose numbers are constant, by columns. */
typedef struct wlm_charges {
    int32_t *ptr, *idx;
    double *value;
} wlm_charges;

/* Takes one step of h from t into transient->next. *norm: the error over the tolerance; 0 where it is not estimated.
 * WARPLU_NO_CONVERGENCE, WARPLU_NOT_FINITE, WARPLU_SINGULAR: a smaller step may do. */
typedef warplu_status wlm_step_fn(wlm_transient *transient, double h, double *norm);

/* A jump at the end of a step. DUE: assignments and a consistent start are to be made; MADE: the start alone is. */
typedef enum wlm_jump { WLM_JUMP_NONE, WLM_JUMP_DUE, WLM_JUMP_MADE } wlm_jump;

/* A system that stays on a device (resident.h). */
typedef struct wlm_resident wlm_resident;

struct wlm_transient {
    wlu_context *ctx;
    const wlm_model *model;
    wlm_transient_options options;
    const wlm_method_facts *facts; /* facts of the method in use */
    wlm_tolerance asked, of_steps; /* tolerances of solutions, and of the method's steps */
    wlm_step_fn *step;
    wlm_resident *resident; /* NULL: on the CPU */
    wlm_system *system;     /* all uses; split: those with states */
    wlm_system *coupling;   /* split: the other uses */
    wlm_layout *layout;     /* split: the whole one; else that of the system */
    wlm_edges edges;
    wlm_events events;
    wlm_pace pace;
    double *learnt; /* the first step behind each kind of edge: pulses, timed events, rows of other events */
    wlm_transient_statistics statistics;
    int64_t allowed, counted; /* steps of this run, and where their count begins */
    int32_t n;
    int index_is_higher;            /* 1: the index is above 1 */
    double t, whole;                /* whole: the length of the run */
    double aimed;                   /* the end that the pace's stop is on the way to; NaN: none */
    double clock_least, clock_most; /* bounds of stages' times: behind the last edge, before the next one */
    int sums_due;                   /* 1: sums that are unknowns are not those of the others */
    int started, fresh;             /* fresh: 1 where f at the beginning of the step is not known */
    wlm_jump jump;
    double *y, *next;    /* n each */
    double *mass;        /* explicit methods and split: one for each node */
    int mass_is_1;       /* explicit methods: 1 where each of them is */
    double *values;      /* values of the matrix */
    wlm_charges charges; /* Rosenbrock's methods: dq/dy */
    double *work[WLM_WORK];
    int plain;         /* split: 1 where the coupling has no charges and does not depend on time */
    double factored_h; /* split: the step that the factors are for; 0: none */
};

/* Each family of methods has one of these, which takes a step. */
wlm_step_fn wlm_step_explicit, wlm_step_rush_larsen, wlm_step_implicit, wlm_step_rosenbrock, wlm_step_split;

/* Returns 1 of failures that a shorter step, or an easier problem on the way, may mend. */
static inline int wlm_is_hard(warplu_status status)
{
    return status == WARPLU_NO_CONVERGENCE || status == WARPLU_NOT_FINITE || status == WARPLU_SINGULAR;
}

/* Solves by Newton's iterations from y, in place; the last matrix stays in the solver. */
warplu_status wlm_newton_solve(wlm_transient *transient, const wlm_newton *newton, double *y);
/* Solves by damped iterations, whose number is added to *iterations. */
warplu_status wlm_newton_solve_damped(wlm_transient *transient, const wlm_newton *newton, double *y,
                                      int64_t *iterations);
/* Factors transient->values; maps the solver's statuses. */
warplu_status wlm_newton_factor(wlm_transient *transient, double t);
/* Fails with the time, the row whose number is not finite or the largest, and the instance that adds most to it. */
warplu_status wlm_newton_say(wlm_transient *transient, warplu_status status, const char *what, double t,
                             const double *residual);
/* Sets to 0 what is below 2^-900 of n numbers: a right-hand side of nothing else, as behind the end of what drives a
 * network, has a solution that underflows, and the solver calls that inaccurate. */
static inline void wlm_drop_tiny(double *right, int32_t n)
{
    for (int32_t i = 0; i < n; i++) right[i] = fabs(right[i]) < 0x1p-900 ? 0.0 : right[i];
}

/* Solves by the last matrix; maps the solver's statuses. accurately: 1: fails with WARPLU_NO_CONVERGENCE where the
 * solution is not known to be accurate; 0: takes any, for Newton's iterations judge by their own changes. */
warplu_status wlm_newton_back(wlm_transient *transient, const double *b, double *x, int accurately);
/* Returns max |x_i| / (absolute + relative max(|y_i|, |other_i|)), NaN where an x_i is; other may be NULL. */
double wlm_weighted_norm(const wlm_transient *transient, const wlm_tolerance *by, const double *x, const double *y,
                         const double *other);
/* The same, of unknowns that charges determine; sets the other x to 0. */
double wlm_norm_of_held(const wlm_transient *transient, const wlm_tolerance *by, double *x, const double *y,
                        const double *other);
/* Fails with WARPLU_NOT_FINITE and the unknown's name where one of next is not finite; looks at nodes alone where
 * others are known to be finite. */
warplu_status wlm_transient_judge(const wlm_transient *transient, int others_are_finite);
/* Fails behind a step that was taken: WARPLU_STEP_TOO_SMALL at a pulse that no step tells, WARPLU_OUT_OF_RANGE where a
 * number that has to stay above 0 does not, or a state leaves its range, which plain methods leave to stops. */
warplu_status wlm_transient_check(const wlm_transient *transient);
/* Computes out = from (NULL: 0) + h sum_j by[j] k_j, where stages k_j are the work vectors from 0 on. */
void wlm_combine_stages(const wlm_transient *transient, const double *from, double h, const double *by, int stages,
                        double *out);
/* Returns the time of a stage, moved to between the edges. */
double wlm_stage_time(const wlm_transient *transient, double t);

/* Computes the sums that are unknowns, where they are due. */
void wlm_transient_fill_sums(wlm_transient *transient);
/* Makes y consistent at the transient's time. */
warplu_status wlm_transient_start(wlm_transient *transient);
/* Finds unknowns that follow the rates of others, once the rest is consistent. */
warplu_status wlm_transient_follow(wlm_transient *transient);

/* Finds index_is_higher, at the initial values; needs derivatives. WARPLU_MODEL_EQUATIONS where the index is too high
 * for the method. */
warplu_status wlm_transient_check_index(wlm_transient *transient);

/* Evaluates dq/dy for Rosenbrock's methods. WARPLU_MODEL_EQUATIONS where it is not constant; WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_charges_create(wlm_transient *transient);
void wlm_charges_free(wlu_context *ctx, wlm_charges *charges);

/* Allocates vectors of n numbers, `vectors` work vectors of `length` numbers, and the values of a matrix. */
warplu_status wlm_transient_make_room(wlm_transient *transient, int vectors, int32_t length, int32_t values);
/* Makes split's two systems, work vectors and initial values. */
warplu_status wlm_split_create(wlm_transient *transient);

warplu_status wlm_edges_create(const wlm_layout *layout, wlm_isa isa, wlm_edges *out);
void wlm_edges_free(wlu_context *ctx, wlm_edges *edges);
/* Offers the next edges of all pulses, of kinds from 0 on. */
void wlm_edges_find(const wlm_edges *edges, wlm_pace *pace, double now);

#endif
