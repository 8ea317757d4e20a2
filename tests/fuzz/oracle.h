/* What a solve that was called a success must have achieved, computed beside the library: in extended precision and
 * range, from the values as the caller holds them. */
#ifndef WLU_FUZZ_ORACLE_H
#define WLU_FUZZ_ORACLE_H

#include "matrix/sparse.h"

/* The error of an equation of op(A) x = b over max|a| max|x| + |b|, the largest, which is what a success promises;
 * where componentwise is not 0, the componentwise backward error too, as include/warplu/warplu.h defines it, and the
 * larger of both. Entries of x below the smallest normal number count as that one: they have no digits to be judged by.
 * Infinite where x is not finite. entries: of the pattern, n at most 64. */
double oracle_backward_error(const wlu_pattern *a, const long double *entries, int transposed, int componentwise,
                             const double *b, const double *x);

/* Entries of the pattern from the caller's values, summed in extended precision. */
void oracle_gather(const wlu_pattern *a, const double *values, long double *entries);

#endif
