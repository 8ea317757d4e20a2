/* Methods of transients share these: the state, Newton's iterations, and one function a method. */
#ifndef WLU_MODEL_SYSTEM_STEPPING_H
#define WLU_MODEL_SYSTEM_STEPPING_H

#include "model/method/tolerance.h"
#include "model/system/events.h"
#include "model/system/transient.h"

/* Times at which pulses jump. */
typedef struct wlm_edges {
    int32_t pulses;
    double *pulse; /* delay, width, period of each that differs; period 0: once */
} wlm_edges;

/* Work vectors of n numbers; of implicit methods f where a step begins and ends. */
enum { WLM_WORK = 12, WLM_WORK_BEGIN = 1, WLM_WORK_END = 4 };

/* alpha q(y) + beta f(t, y) + c = 0, with what makes it easier: a conductance to each balance, and a share of an
 * offset. */
typedef struct wlm_newton {
    double t, alpha, beta;
    const double *c;      /* NULL: zero */
    double gmin;          /* flows gmin * y out of each balance that has a diagonal entry */
    const double *offset; /* NULL: none; taken from the residual */
    double share;
} wlm_newton;

/* dq/dy, of numbers that stay, by columns. */
typedef struct wlm_charges {
    int32_t *ptr, *idx;
    double *value;
} wlm_charges;

/* One step of h from t: writes transient->next. *norm: the error by the tolerance, 0 where it is not estimated.
 * WARPLU_NO_CONVERGENCE, WARPLU_NOT_FINITE, WARPLU_SINGULAR: a smaller step may do. */
typedef warplu_status wlm_step_fn(wlm_transient *transient, double h, double *norm);

/* A jump that a step has ended at: events are to be made, then algebraic rows to hold again. */
typedef enum wlm_jump { WLM_JUMP_NONE, WLM_JUMP_DUE, WLM_JUMP_MADE } wlm_jump;

struct wlm_transient {
    wlu_context *ctx;
    const wlm_model *model;
    wlm_transient_options options;
    const wlm_method_facts *facts; /* of the method in use */
    wlm_tolerance asked, of_steps; /* what errors of solutions, and of the method's steps, are measured by */
    wlm_step_fn *step;
    wlm_system *system;   /* all uses; of split those with states */
    wlm_system *coupling; /* of split the others */
    wlm_layout *layout;   /* of split the whole one; else that of the system */
    wlm_edges edges;
    wlm_events events;
    wlm_pace pace;
    double *learnt; /* of each kind of edge, the first step behind it: of pulses, of timed events, of rows of others */
    wlm_transient_statistics statistics;
    int32_t n;
    int index_is_higher;            /* than 1 */
    double following;               /* the last norm with what follows rates; the other one is without */
    double t, whole;                /* whole: the length of the run */
    double clock_least, clock_most; /* stages' times are kept in these: behind one edge, before the next */
    int started, fresh;             /* fresh: f at the beginning of the step is not known */
    wlm_jump jump;
    double *y, *next;    /* n each */
    double *mass;        /* n: of explicit methods and split's nodes */
    double *values;      /* of the matrix */
    wlm_charges charges; /* of Rosenbrock's methods */
    double *work[WLM_WORK];
    int plain;         /* of split: the coupling neither has charges nor knows time */
    double factored_h; /* of split: the step that the factors are for; 0: none */
};

/* Each family of methods has one of these, which takes a step. */
wlm_step_fn wlm_step_explicit, wlm_step_rush_larsen, wlm_step_implicit, wlm_step_rosenbrock, wlm_step_split;

/* 1 where a shorter step, or an easier problem on the way, may do. */
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
/* Fails: names time, and the row whose number is not finite or the largest, and who adds most to it. */
warplu_status wlm_newton_say(wlm_transient *transient, warplu_status status, const char *what, double t,
                             const double *residual);
/* The solver's solution for the last matrix; maps its statuses. */
warplu_status wlm_newton_back(wlm_transient *transient, const double *b, double *x);
/* The same; WARPLU_NO_CONVERGENCE where it is not known to be accurate. */
warplu_status wlm_newton_back_accurate(wlm_transient *transient, const double *b, double *x);
/* max |x_i| / (absolute + relative max(|y_i|, |other_i|)); other may be NULL; NaN where there is one. */
double wlm_weighted_norm(const wlm_transient *transient, const wlm_tolerance *by, const double *x, const double *y,
                         const double *other);
/* WARPLU_NOT_FINITE, with the name of the unknown, where one of next is not; only nodes are looked at where the others
 * are known to be finite. */
warplu_status wlm_transient_judge(const wlm_transient *transient, int others_are_finite);
/* out = from (NULL: 0) + h sum_j by[j] k_j, of the stages k in work vectors from 0 on. */
void wlm_combine_stages(const wlm_transient *transient, const double *from, double h, const double *by, int stages,
                        double *out);
/* The time of a stage, kept between edges. */
double wlm_stage_time(const wlm_transient *transient, double t);

/* Makes y consistent at the transient's time. */
warplu_status wlm_transient_start(wlm_transient *transient);
/* Finds unknowns that follow the rates of others, once the rest is consistent. */
warplu_status wlm_transient_follow(wlm_transient *transient);

/* Finds index_is_higher. WARPLU_MODEL_EQUATIONS where the index is higher than the method goes with; with derivatives,
 * at the initial values. */
warplu_status wlm_transient_check_index(wlm_transient *transient);

/* Rosenbrock's methods: charges. WARPLU_MODEL_EQUATIONS where they do not stay; WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_charges_create(wlm_transient *transient);
void wlm_charges_free(wlu_context *ctx, wlm_charges *charges);

/* Split's systems, room and initial values. */
warplu_status wlm_split_create(wlm_transient *transient);

warplu_status wlm_edges_create(const wlm_layout *layout, wlm_isa isa, wlm_edges *out);
void wlm_edges_free(wlu_context *ctx, wlm_edges *edges);
/* Edges of all pulses, of kinds from 0 on. */
void wlm_edges_find(const wlm_edges *edges, wlm_pace *pace, double now);

#endif
