/* Systems of numbers from anywhere in the range of doubles, with an x that may be wrong, and its backward errors in
 * arithmetic that no product of doubles leaves. Where the compiler has none TEST_EXTREMES_MISSING is defined. */
#ifndef WLU_TEST_EXTREMES_H
#define WLU_TEST_EXTREMES_H

#include "wide.h"
#include "matrix/sparse.h"

#ifdef WIDE_MISSING
#define TEST_EXTREMES_MISSING 1
#endif

/* op(A) x = b: entries[nnz] is 0. Every column and row has an entry; some are 0. */
typedef struct test_extremes {
    wlu_pattern *a;
    double *entries, *b, *x;
    int transposed;
} test_extremes;

/* n from 1 to nmax: by rows, columns and entries at the ends of the range, in the middle, denormal, or all over it; b
 * from x, from another x, or by itself. */
void test_extremes_draw(test_extremes *t, wlu_context *ctx, uint64_t *seed, int32_t nmax);
void test_extremes_free(test_extremes *t, wlu_context *ctx);

/* Between what an error of FP64 sums lies: the largest of the rows' true errors less and plus what rounding of the sums
 * can do; where that leaves open which of two forms a row takes, the smaller and the larger. */
typedef struct test_between {
    double least, most;
} test_between;

typedef struct test_verdicts {
    test_between componentwise, whole;
    wide least, most; /* over the rows: the smallest |A||x| + |b|, the largest with max|a_ij| max|x| beside it */
} test_verdicts;

/* r: the true residual; scale: what its error is measured by. n each. */
test_verdicts test_extremes_judge(const test_extremes *t, wide *r, wide *scale);

#endif
