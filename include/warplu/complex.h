/* Complex values: warplu_options.scalar is WARPLU_SCALAR_COMPLEX.
 *
 * The calls are those of real values. Each value of A, B and X is then two doubles, the real part first, as C99's
 * double _Complex, C++'s std::complex<double> and CUDA's cuDoubleComplex have them; pointers to these are cast to
 * pointers to double. Numbers of values, right-hand sides and rows, and leading dimensions, count complex numbers.
 * Factors, pivots and determinants that calls hand out are complex in the same way; scales, errors, bounds, condition
 * numbers and growth are real. On device pointers
 * (warplu/device.h) A' is the transpose; A^H is that of conjugate numbers, which are the caller's to make.
 *
 *     warplu_options options;
 *     warplu_init_options(&options);
 *     options.scalar = WARPLU_SCALAR_COMPLEX;
 *     warplu_create(&s, &options);
 *     warplu_analyze(s, n, col_ptr, row_idx, (const double *)values);
 *
 * What a success promises is said of moduli. Where moduli are compared with each other or with thresholds, sizes stand
 * for them: the magnitude of the larger part, at most the root of two below the modulus (docs/numerics.md). */
#ifndef WARPLU_COMPLEX_H
#define WARPLU_COMPLEX_H

#include <warplu/warplu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Solves A^H X = B, the conjugate transpose of A: as warplu_solve_transposed, by its program, for conjugate numbers.
 * For real values it is that call.
 *
 *   as warplu_solve_transposed */
WARPLU_API warplu_status warplu_solve_conjugate_transposed(warplu_solver *solver, int32_t nrhs, const double *b,
                                                           int32_t ldb, double *x, int32_t ldx);

#ifdef __cplusplus
}
#endif
#endif
