/* A large system: many instances of few kinds, evaluated in lanes, with its matrix and a solver.
 *
 *     d/dt q(t, y) = f(t, y)
 *
 * in the numbering of layout.h. Values, derivatives and entries of the matrix have the same bits whatever the number of
 * threads and the instruction set. With derivatives, sums are unknowns, and the structure is checked when the system is
 * made. transient.h steps it in time; a caller with a loop of its own takes matrices and values from here. One thread
 * at a time uses a system. */
#ifndef WLU_MODEL_SYSTEM_SYSTEM_H
#define WLU_MODEL_SYSTEM_SYSTEM_H

#include <warplu/warplu.h>

#include "model/system/pattern.h"

typedef struct wlm_system_options {
    int threads; /* 1 to 64, the caller's included */
    wlm_isa isa;
    warplu_check check;
    int derivatives;            /* 1: the matrix and its solver */
    int by_time;                /* 1: wlm_system_by_time; with derivatives */
    int updates;                /* 1: wlm_system_update; without derivatives */
    const unsigned char *taken; /* of each use: 1 where it takes part; NULL: all */
    int number_all;             /* 1: other uses have numbers too */
    int node_diagonals;         /* 1: the diagonals of nodes are in the pattern in any case */
    int constant;               /* 1: the matrix will hardly change: one factorization, many solves */
} wlm_system_options;

typedef struct wlm_system {
    wlu_context *ctx;
    const wlm_model *model;
    wlm_system_options options;
    wlm_layout *layout;
    wlu_team *team;
    double *sums;    /* of levels, as last computed */
    wlm_pass *level; /* layout->levels of them */
    wlm_pass values, matrix, by_time, update;
    wlm_pass crossings, assignments; /* of events; without any there are no banks */
    wlm_pattern pattern;
    warplu_solver *solver;  /* analyzed; NULL without derivatives */
    unsigned char *dynamic; /* n: 1 where q is not absent */
} wlm_system;

/* One thread, the best instruction set, no derivatives. */
void wlm_system_options_init(wlm_system_options *options);

/* The model and the context stay the caller's and outlive the system. WARPLU_MODEL_EQUATIONS, with a message that names
 * unknown and line, where equations and unknowns do not match; others as the parts'. */
warplu_status wlm_system_create(wlu_context *ctx, const wlm_model *model, const wlm_system_options *options,
                                wlm_system **out);
void wlm_system_destroy(wlm_system **system);

/* Where a run begins: n numbers. Sums that are unknowns begin at 0. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_system_initial(wlm_system *system, double *y);
/* The diagonal of dq/dy: node_n numbers, 0 of a balance without charges, 1 of a store. WARPLU_MODEL_EQUATIONS where it
 * is no constant diagonal; WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_system_mass(wlm_system *system, double *mass);

/* f and q, n numbers each; either may be NULL. */
void wlm_system_evaluate(wlm_system *system, double t, const double *y, double *f, double *q);
/* f, q (may be NULL) and the values of alpha dq/dy + beta df/dy, at the places of system->pattern. With derivatives. */
void wlm_system_stamp(wlm_system *system, double t, const double *y, double alpha, double beta, double *f, double *q,
                      double *values);
/* n derivatives of f by time. 0 where there are none, and nothing is written. */
int wlm_system_by_time(wlm_system *system, double t, const double *y, double *out);
/* f of nodes (node_n), and in `next` the states after a step of h with nodes that stay: gates by Rush and Larsen (IEEE
 * Trans. Biomed. Eng. 25, 1978), others by Euler. next may be y; its nodes are not written. 1 where all states are
 * finite. With updates. */
int wlm_system_update(wlm_system *system, double t, double h, const double *y, double *f, double *next);

/* Numbers of events, use by use, event by event, instance by instance: crossings at t and y, which hold until the next
 * call. */
const double *wlm_system_crossings(wlm_system *system, double t, const double *y);
/* The same of assignments: use by use, event by event, assignment by assignment, instance by instance. */
const double *wlm_system_assignments(wlm_system *system, double t, const double *y);
/* Times of events into `at`; NaN of events by sign. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_system_event_times(wlm_system *system, double *at);

/* Where entries of the matrix depend on time or unknowns: the first kind of which one does; NULL where all are
 * constant. */
const wlm_kind *wlm_system_varies(const wlm_system *system);
/* The first row whose charges have derivatives that change in a run; -1 where there is none. With derivatives. */
int32_t wlm_system_changing(const wlm_system *system);
/* The instance that adds most to a node's f, as last evaluated or stamped, with its lines; "" of other rows. */
void wlm_system_blame(const wlm_system *system, int32_t row, char *text, size_t bytes);
/* "cell[3].v (line 12)", "vsrc[1].i (line 4, used in line 30)". */
void wlm_system_describe(const wlm_system *system, int32_t unknown, char *text, size_t bytes);

#endif
