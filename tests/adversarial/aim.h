/* The right-hand side that frozen factors answer worst, from the factors themselves. */
#ifndef WLU_ADVERSARIAL_AIM_H
#define WLU_ADVERSARIAL_AIM_H

#include "support/matrices.h"

/* Of the factors at hand, E = P' L U Q' - A in the caller's scale: b := op(a) x for x = the signs of the row of op(E)
 * whose sum is largest beside the largest entry of op(a)'s row. There the computed solution misses by that sum at
 * least, rounding of the substitutions aside. a: the matrix as its arrays are read by columns; by_rows: the solver
 * reads them by rows. Returns the largest sum over entry, or -1 without factors; then b is left alone. O(n^2 + terms of
 * L U). */
double aim(warplu_solver *solver, const test_matrix *a, int by_rows, int transposed, double *b);

#endif
