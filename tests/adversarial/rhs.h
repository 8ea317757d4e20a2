/* Right-hand sides to try a solver with. */
#ifndef WLU_ADVERSARIAL_RHS_H
#define WLU_ADVERSARIAL_RHS_H

#include "support/matrices.h"

/* nrhs columns of b for op(a) (judge.h), ld numbers apart, mostly all of one kind. Returns the name of that. */
const char *rhs_draw(const test_matrix *a, uint64_t *seed, int op, int32_t nrhs, double *b, int32_t ld);

#endif
