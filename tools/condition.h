/* The section "condition" of solve and info: what the factors at hand say of A. */
#ifndef WLU_TOOLS_CONDITION_H
#define WLU_TOOLS_CONDITION_H

#include "facts.h"

#include <warplu/inspect.h>

/* Pivots this much smaller than the largest of their column are counted as weak, and so many of them listed.
 */
#define CONDITION_WEAK_PIVOT 1e-8
enum { CONDITION_LISTED = 10 };

typedef struct condition_facts {
    double condition, skeel, growth, mantissa[2];
    int is_complex;
    double forward_error; /* -1 where there is no solution */
    int64_t exponent;
    int32_t weak;
    warplu_pivot weakest[CONDITION_LISTED];
} condition_facts;

/* Asks the solver; values as it was given them, complex or not. The first error of these calls. */
warplu_status condition_ask(warplu_solver *solver, const double *values, int is_complex, condition_facts *out);
/* Rows and columns as files count them, from 1. */
void condition_report(facts *f, const condition_facts *c);

#endif
