/* Builds what a test looks at: analysis, pivots, program, from a caller's matrix, with regions forced by the cost
 * model; and a counting allocator that can fail. */
#ifndef WLU_TEST_BUILD_H
#define WLU_TEST_BUILD_H

#include "matrices.h"
#include "pivot/factors.h"
#include "lu/lu.h"

/* Counts what lives; the call number fail_at answers NULL (0: none does), and all that follow if lasting. */
typedef struct test_allocator {
    int64_t calls, fail_at, alive;
    int lasting;
} test_allocator;

void *test_allocate(size_t bytes, void *user);
void test_release(void *pointer, void *user);
/* Sets the options' allocator to a. */
void test_use_allocator(warplu_options *options, test_allocator *a);

typedef enum test_region { TEST_ALL_DOT, TEST_MIXED, TEST_ALL_TILE, TEST_DEVICE, TEST_REGIONS } test_region;
/* Constants under which the cost model takes those regions (MIXED: where the matrix has both kinds of pivots; DEVICE:
 * what a device would take, where paths are short and tiles dear, so that small matrices have both). */
wlu_cost test_region_cost(test_region region);

typedef struct test_build {
    wlu_context ctx;
    warplu_options options;
    wlu_analysis *analysis;
    wlu_pivots *pivots;
    wlu_factors *factors;
    wlu_program *program;
    double *entries; /* gathered values of the pattern */
    double *dense;   /* A; NULL where it is complex */
} test_build;

/* Analysis and pivots; the options are copied. Releases everything and says why on failure. */
warplu_status test_build_pivots(test_build *t, const warplu_options *options, const test_matrix *m);
/* The program with both solves for the pivots at hand; replaces an earlier one. */
warplu_status test_build_program(test_build *t, const wlu_cost *cost);
void test_build_free(test_build *t);

/* Partial sums of a stream; one term of each is a product of -1 and the sum. */
int64_t test_partial_sums(const wlu_program *p, const wlu_stream *s);

/* L, U and F out of slots v in one n by n array at pivot positions. slot: logical to physical, or NULL where v is
 * in logical slots. The caller frees it. */
double *test_factors(const test_build *t, const double *v, const int32_t *slot);

#endif
