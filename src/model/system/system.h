/* A large system: many instances of few kinds, which are evaluated in lanes, with a matrix and a solver.
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

#include "model/system/dependent.h"
#include "model/system/pattern.h"

typedef struct wlm_system_options {
    int threads; /* 1 to 64, the caller's included */
    wlm_isa isa;
    warplu_check check;
    int derivatives;            /* 1: the matrix and its solver */
    int by_time;                /* 1: wlm_system_by_time; with derivatives */
    int updates;                /* 1: wlm_system_update; without derivatives */
    int limits;                 /* 1: wlm_system_limits */
    const unsigned char *taken; /* for each use: 1 where it takes part; NULL: all do */
    int number_all;             /* 1: other uses get numbers too */
    int node_diagonals;         /* 1: the diagonals of nodes are in the pattern in any case */
    int constant;               /* 1: the matrix will hardly change: one factorization, many solves */
} wlm_system_options;

typedef struct wlm_system {
    wlu_context *ctx;
    const wlm_model *model;
    wlm_system_options options;
    wlm_layout *layout;
    wlu_team *team;
    double step;     /* the length of the step, for what needs it: whoever steps sets it */
    double *sums;    /* the sums that are no unknowns, as last computed */
    wlm_pass *level; /* a pass for each of layout->levels */
    wlm_pass values, matrix, by_time, update;
    wlm_pass q_by_time;              /* where rows depend on others and time alone changes charges; else without uses */
    double *charge_rates;            /* room for what it writes */
    wlm_pass crossings, assignments; /* of events; without banks where there are none */
    wlm_pass limits;
    int limits_read_sums; /* 1: sums that are no unknowns have to be computed for them */
    wlm_pattern pattern;
    wlm_dependent dependent; /* with derivatives, unless the matrix is constant */
    warplu_solver *solver;   /* analyzed; NULL without derivatives */
    unsigned char *held;     /* n: 1 of unknowns that charges determine, each by itself; with derivatives */
    unsigned char *dynamic;  /* n: 1 where a row has a q of its own */
    int has_domains;         /* 1: a kind has functions of what moves that are not defined for all numbers */
} wlm_system;

/* Sets defaults: one thread, the best instruction set, no derivatives. */
void wlm_system_options_init(wlm_system_options *options);

/* The model and the context stay the caller's and outlive the system. WARPLU_MODEL_EQUATIONS, with a message that names
 * unknown and line, where equations and unknowns do not match; others as the parts'. */
warplu_status wlm_system_create(wlu_context *ctx, const wlm_model *model, const wlm_system_options *options,
                                wlm_system **out);
void wlm_system_destroy(wlm_system **system);

/* Finds rows whose charges depend on those of others (dependent.h), beside the initial values: the pattern, which is
 * there, is made anew with what their sums need, and `dynamic` is 0 of them; fills `held`. wanted: the pattern's
 * diagonals. A part of wlm_system_create. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_system_find_dependent(wlm_system *system, const unsigned char *wanted);
/* Computes the n initial values. Sums that are unknowns begin at 0. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_system_initial(wlm_system *system, double *y);
/* Computes the sums that are unknowns, y's own, from the others; f: room for n numbers. Cost: an evaluation for each
 * sum of a chain that need each other, and one. */
void wlm_system_fill_sums(wlm_system *system, double t, double *y, double *f);
/* Computes the diagonal of dq/dy: node_n numbers, 0 of a balance without charges, 1 of a store. WARPLU_MODEL_EQUATIONS
 * where dq/dy is no constant diagonal; WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_system_mass(wlm_system *system, double *mass);

/* Evaluates f and q, n numbers each; either may be NULL. */
void wlm_system_evaluate(wlm_system *system, double t, const double *y, double *f, double *q);
/* Evaluates f, q (may be NULL) and alpha dq/dy + beta df/dy, at the places of system->pattern. Needs derivatives. */
void wlm_system_stamp(wlm_system *system, double t, const double *y, double alpha, double beta, double *f, double *q,
                      double *values);
/* Evaluates n derivatives of f by time. Returns 0, and writes nothing, where no equation depends on time. */
int wlm_system_by_time(wlm_system *system, double t, const double *y, double *out);
/* Evaluates rates: of nodes (node_n) what `finish` makes of f, of states in `own`, which is numbered as y. Needs a
 * system without derivatives. */
void wlm_system_rates(wlm_system *system, double t, const double *y, const wlm_finish *finish, double *nodes,
                      double *own);
/* Evaluates what `finish` makes of f of nodes, and in `next`, which is not y, the states after a step of h while nodes
 * stay: gates by Rush and Larsen (IEEE Trans. Biomed. Eng. 25, 1978), others by Euler. Returns 1 where all states are
 * finite. Needs updates. */
int wlm_system_update(wlm_system *system, double t, double h, const double *y, const wlm_finish *finish, double *nodes,
                      double *next);

/* Evaluates crossings at t and y: use by use, event by event, instance by instance. They hold until the next call. */
const double *wlm_system_crossings(wlm_system *system, double t, const double *y);
/* Evaluates assignments alike: use by use, event by event, assignment by assignment, instance by instance. */
const double *wlm_system_assignments(wlm_system *system, double t, const double *y);
/* Writes times of events to `at`; NaN of events by crossing. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_system_event_times(wlm_system *system, double *at);

/* Evaluates limits of the step alike; *count is their number. Needs `limits`. */
const double *wlm_system_limits(wlm_system *system, double t, const double *y, int32_t *count);
/* Writes the name of a limit, "flux[3].limit", and returns its place in the text. */
wlm_place wlm_system_limit_name(const wlm_system *system, int32_t limit, char *text, size_t bytes);

/* Returns the first kind with an entry of the matrix that depends on time or unknowns; NULL where all are constant. */
const wlm_kind *wlm_system_varies(const wlm_system *system);
/* Returns the first row with charges whose derivatives change in a run; -1 where there is none. Needs derivatives. */
int32_t wlm_system_changing(const wlm_system *system);
/* Writes the instance that adds most to a node's f, as last evaluated or stamped, with its lines; "" of other rows. */
void wlm_system_blame(const wlm_system *system, int32_t row, char *text, size_t bytes);
/* Writes an unknown's name and lines, "cell[3].v (line 12)" or "vsrc[1].i (line 4, used in line 30)". */
void wlm_system_describe(const wlm_system *system, int32_t unknown, char *text, size_t bytes);

#endif
