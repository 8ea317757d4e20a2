/* The longest row of a matrix that answers are held against. See backward_error.h. */
#include "numerics/backward_error.h"

#include <math.h>

double wlu_longest_row(const wlu_checked *m, int transposed, double *count)
{
    const wlu_pattern *a = m->a;
    double longest = m->longest != NULL ? m->longest[transposed] : 0.0;
    if (longest > 0.0) return longest;
    longest = 2.0;
    for (int32_t j = 0; transposed && j < a->n; j++) longest = fmax(longest, a->p[j + 1] - a->p[j]);
    if (!transposed) {
        for (int32_t i = 0; i < a->n; i++) count[i] = 0.0;
        for (int32_t e = 0; e < a->nnz; e++) count[a->i[e]]++;
        for (int32_t i = 0; i < a->n; i++) longest = fmax(longest, count[i]);
    }
    if (m->longest != NULL) m->longest[transposed] = longest;
    return longest;
}
