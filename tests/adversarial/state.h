/* The state of one trial: for setup.c, which makes it and knows what its solver has in use, and trial.c, which runs it.
 */
#ifndef WLU_ADVERSARIAL_STATE_H
#define WLU_ADVERSARIAL_STATE_H

#include "judge.h"
#include "tally.h"
#include "turn.h"

enum { ROUNDS = 7, MOST_RHS = 5, ROWS = 12 };

typedef struct trial {
    const char *name;
    int64_t number;
    int loud;
    uint64_t seed;
    test_matrix m;            /* values at hand by columns, as they are attacked: real */
    test_matrix now, by_rows; /* the same as they are given to solvers; for CSR by rows. now: m, but for complex x */
    int32_t *place;           /* of the rows' entries in m */
    double *first, *first_now;
    turn usual; /* of complex numbers: how the trial's values are turned, and those of the round */
    warplu_options options;
    warplu_solver *solver;
    double *pivoted_for[2 * ROUNDS * MOST_RHS]; /* values the solver's pivots were chosen for, the last in use */
    int pivotings;
    int32_t *pivot_row, *pivot_col;
    int pivots_known;
    tallies *out;
    const char *rhs; /* the kind of the right-hand sides at hand */
    int wants;       /* 0: A, 1: A', 2: either; of complex numbers A' may be the conjugate transpose */
    uint64_t apart;  /* the seed of what growth draws */
    uint32_t stages; /* bit k: a stage of growth is due in round k (draw.h); 0: they come when they are paid for */
    int round;
    attack_kind attack;
    warplu_status refactored;
    test_matrix sum; /* m without duplicates */
    judge_factors *truth;
    int truth_known, repivot_open, before_repivot;
    double *b, *kept, *x, *trial_x;
    int32_t ld;
    tally *row[ROWS];
    int rows;
} trial;

#define COUNT(t, field) \
    do { \
        for (int row_ = 0; row_ < (t)->rows; row_++) (t)->row[row_]->field++; \
    } while (0)

/* t holds matrix and seed: draws options and makes room. */
void trial_create(trial *t);
void trial_free(trial *t);
/* The lines of the table that the trial's options belong to; the first is the attack's. */
void trial_choose_rows(trial *t, tallies *out);
void trial_add_row(trial *t, tally *row);

/* m's values as they are given to solvers. */
void trial_turn(trial *t);
/* Doubles of a number; of a vector. */
int32_t trial_doubles(const trial *t);
int64_t trial_vector(const trial *t);
/* Values in the caller's layout, good until the next call. */
const double *trial_values(trial *t, const double *values);
warplu_status trial_analyze(trial *t, warplu_solver *solver);

/* The values at hand are those that pivots were just chosen for. */
void trial_remember_pivoting(trial *t);
/* The entries in use as pivots, or nearly: where the solver made its analysis again, it had other values. */
void trial_find_pivots(trial *t);
/* Backward error of what an unjudged solver answers with the pivots that were in use before the last re-pivot. */
double trial_error_of_old_pivots(trial *t, int op, const double *b);
/* The solve of this op (judge.h). */
warplu_status trial_solve(warplu_solver *s, int op, int32_t nrhs, const double *b, int32_t ldb, double *x, int32_t ldx);
/* The values at hand factored by the judge; NULL for singular ones and for large matrices. */
const judge_factors *trial_truth(trial *t);

void trial_say(const trial *t);
void trial_say_numbers(const char *name, const double *x, int64_t count);
void trial_say_indices(const char *name, const int32_t *x, int64_t count);

#endif
