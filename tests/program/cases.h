/* Programs that are no factorization, with values, an input, and what plain loops make of them. */
#ifndef WLU_TEST_CASES_H
#define WLU_TEST_CASES_H

#include "front_end.h"

typedef struct test_case {
    test_front_end f;
    double *values, *input, *expected; /* expected: of both second stages, 2 n */
} test_case;

/* y = A x, and A' x: A is n by n with about two entries a row, a full row and a full column. */
void test_product_case(test_case *c, int32_t n, uint64_t *seed);
/* Weights: x(i) = p(t_i) y(i), a polynomial of this degree at n points, by Horner's rule in the first stage. */
void test_horner_case(test_case *c, int32_t n, int32_t degree, uint64_t *seed);
/* x = y / |a|^2: a chain of `length` terms in the first stage and its reciprocal. Beside them, for no output: the chain
 * taken from a number, a product, its reciprocal twice, and the reciprocal of one. */
void test_norm_case(test_case *c, int32_t n, int32_t length, uint64_t *seed);
void test_case_free(test_case *c);

#endif
