/* Elementary functions of lanes of doubles, written once against the algebra that is included before
 * (algebra_portable.h says what that is): mul, add, fma, div, sqrt, integer operations on the bits and selections
 * alone, so that every instruction set and every GPU gives the same bits.
 *
 * Accuracy: exp and log at most 1 ulp, the others at most 2, of all doubles. Largest errors seen, rounded up, in
 * 10^7 points or more (tests/model/elementary/test_accuracy.c): exp 0.90, log 0.80, log10 0.84, sin 0.81, cos
 * 0.85, tan 1.07, atan 0.82, tanh 1.08, pow 0.99, sinh 1.38, cosh 1.27, asin 1.10, acos 1.08, expm1 1.26, log1p
 * 0.84, atan2 1.45; in 6 10^6 erf 1.10; in 4 10^5 erfc 1.14, rsqrt 1.04. The processor has to round to nearest and
 * to keep subnormal numbers. */
#include "model/elementary/parts.h"

#include "model/elementary/exponential.h"
#include "model/elementary/logarithm.h"
#include "model/elementary/power.h"
#include "model/elementary/circular.h"
#include "model/elementary/inverse.h"
#include "model/elementary/error.h"
#include "model/elementary/root.h"
