/* Elementary functions of lanes of doubles, written once against the algebra that is included before
 * (algebra_portable.h says what that is): mul, add, fma, div, sqrt, integer operations on the bits and selections
 * alone, so that every instruction set and every GPU gives the same bits. Accuracy: exp and log at most 1 ulp, the
 * others at most 2, of all doubles. */
#include "model/elementary/parts.h"

#include "model/elementary/exponential.h"
#include "model/elementary/logarithm.h"
#include "model/elementary/power.h"
#include "model/elementary/circular.h"
#include "model/elementary/inverse.h"
