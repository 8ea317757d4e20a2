/* What a solve that was called a success must have achieved, computed beside the library: in extended precision and
 * range, from the values as the caller holds them. */
#ifndef WLU_FUZZ_ORACLE_H
#define WLU_FUZZ_ORACLE_H

#include "base/sparse.h"

/* Componentwise backward error of op(A) x = b, as include/warplu/warplu.h defines it, but for entries of x below the
 * smallest normal number, which count as that one: they have no digits to be judged by. Infinite where x is not finite.
 * Not componentwise: each row against its norm times the largest of x, which is what elimination promises by itself.
 * entries: of the pattern, n at most 64. */
double oracle_backward_error(const wlu_pattern *a, const long double *entries, int transposed, int componentwise,
                             const double *b, const double *x);

/* Entries of the pattern from the caller's values, summed in extended precision. */
void oracle_gather(const wlu_pattern *a, const double *values, long double *entries);

#endif
