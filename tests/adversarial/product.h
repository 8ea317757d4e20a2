/* b := op(a) x, summed in a wider format and rounded once. */
#ifndef WLU_ADVERSARIAL_PRODUCT_H
#define WLU_ADVERSARIAL_PRODUCT_H

#include "support/matrices.h"

/* values: instead of a's. A sum beyond double's range becomes its largest number. */
void product(const test_matrix *a, const double *values, int transposed, const double *x, double *b);

#endif
