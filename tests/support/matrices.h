/* Random matrices for tests: shapes that reach every form of the program, in the caller's raw form (unsorted
 * lines, duplicates, explicit zeros, a weak diagonal), and their dense counterpart. */
#ifndef WLU_TEST_MATRICES_H
#define WLU_TEST_MATRICES_H

#include <stdint.h>
#include <warplu/inspect.h>

typedef enum test_shape {
    TEST_SPARSE, /* a transversal and a few random entries */
    TEST_BLOCKS, /* block upper triangular, rows and columns shuffled: three blocks or more from n = 6 on */
    TEST_ARROW,  /* diagonal, last rows and columns full: the last pivots' chains are n - 1 terms long */
    TEST_BAND,
    TEST_GRID, /* five-point mesh */
    TEST_DENSE,
    TEST_SHAPES
} test_shape;

typedef struct test_recipe {
    test_shape shape;
    int32_t n;
    int duplicates;    /* some entries are split into two or three */
    int shuffled;      /* entries of a column in random order */
    int zeros;         /* some entries beside the transversal are 0 */
    int weak_diagonal; /* half of the transversal is small, so that rows are exchanged */
} test_recipe;

/* CSC arrays as a caller would hand them over. */
typedef struct test_matrix {
    int32_t n, nnz;
    int32_t *ptr, *idx;
    double *x;
    int32_t doubles; /* of a value: 2 where it is complex */
} test_matrix;

/* Doubles of a value, and of all. */
static inline int32_t test_matrix_doubles(const test_matrix *m)
{
    return m->doubles > 1 ? m->doubles : 1;
}

static inline int64_t test_matrix_values(const test_matrix *m)
{
    return test_matrix_doubles(m) * (int64_t)m->nnz;
}

/* A recipe drawn from the seed, n in [1, nmax]. */
test_recipe test_recipe_random(uint64_t *seed, int32_t nmax);
const char *test_shape_name(test_shape shape);

void test_matrix_random(test_matrix *m, uint64_t *seed, const test_recipe *recipe);
/* A diagonal and hubs: the last ones of n unknowns, which have an entry in the row and the column of every other.
 * apart: in their rows alone and not for each other, so that in block triangular form they are blocks of their own,
 * their rows of F full. O(n). */
void test_matrix_hubs(test_matrix *m, uint64_t *seed, int32_t n, int32_t hubs, int apart);
/* From a dense array, column-major; entries that are 0 are left out. */
void test_matrix_from_dense(test_matrix *m, int32_t n, const double *dense);
/* The same matrix by rows, duplicates in the same order; place[q] is entry q's place in m, or NULL. */
void test_matrix_to_csr(const test_matrix *m, test_matrix *csr, int32_t *place);
void test_matrix_free(test_matrix *m);
/* Values get imaginary parts of like size, some of them none; a zero stays one. */
void test_matrix_make_complex(test_matrix *m, uint64_t *seed);
/* New values for the same pattern: each, or each part, times a factor in [1 - spread, 1 + spread]. */
void test_matrix_vary(test_matrix *m, uint64_t *seed, double spread);

/* n by n, column-major, duplicates summed in the order given, of real values; the caller frees it. */
double *test_matrix_dense(const test_matrix *m);

#endif
