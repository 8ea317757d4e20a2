/* How long the setups and solves of a linear solver take: its operations are replaced by ones that call them and look
 * at the clock. For programs with one linear solver. */
#ifndef WARPLU_TIMED_H
#define WARPLU_TIMED_H

#include <stdio.h>
#include <sundials/sundials_linearsolver.h>
#include <time.h>

typedef struct timed_calls {
    double seconds, first; /* all but the first; the first */
    long count;
} timed_calls;

static timed_calls timed_setups, timed_solves;
static int (*timed_setup)(SUNLinearSolver, SUNMatrix);
static int (*timed_solve)(SUNLinearSolver, SUNMatrix, N_Vector, N_Vector, sunrealtype);

static inline double timed_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void timed_add(timed_calls *calls, double since)
{
    double passed = timed_now() - since;
    if (calls->count++ == 0)
        calls->first = passed;
    else
        calls->seconds += passed;
}

static inline int timed_call_setup(SUNLinearSolver S, SUNMatrix A)
{
    double since = timed_now();
    int flag = timed_setup(S, A);
    timed_add(&timed_setups, since);
    return flag;
}

static inline int timed_call_solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, sunrealtype tolerance)
{
    double since = timed_now();
    int flag = timed_solve(S, A, x, b, tolerance);
    timed_add(&timed_solves, since);
    return flag;
}

static inline void timed_begin(SUNLinearSolver S)
{
    timed_setup = S->ops->setup;
    timed_solve = S->ops->solve;
    S->ops->setup = timed_call_setup;
    S->ops->solve = timed_call_solve;
}

static inline void timed_say(const char *what, const timed_calls *calls)
{
    long later = calls->count > 1 ? calls->count - 1 : 1;
    printf("%s_calls %ld\n%s_first_ms %.3f\n%s_mean_ms %.4f\n", what, calls->count, what, 1e3 * calls->first, what,
           1e3 * calls->seconds / (double)later);
}

static inline void timed_report(void)
{
    timed_say("setup", &timed_setups);
    timed_say("solve", &timed_solves);
}

#endif
