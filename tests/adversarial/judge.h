/* The independent judge: backward errors, conditions and solutions in a wider format than the library computes in, by
 * code that shares nothing with it. */
#ifndef WLU_ADVERSARIAL_JUDGE_H
#define WLU_ADVERSARIAL_JUDGE_H

#include "support/matrices.h"

/* Which matrix is meant: a, its transpose, or of complex numbers its conjugate transpose. Vectors of complex numbers
 * are of pairs of doubles. */
typedef enum judge_op { JUDGE_PLAIN, JUDGE_TRANSPOSED, JUDGE_CONJUGATE } judge_op;

/* The matrix with duplicates summed in the order given, in double, as every load does. The caller frees it. */
void judge_sum(const test_matrix *m, test_matrix *out);
int judge_all_finite(const double *x, int64_t count);

/* Componentwise backward error of op(a) x = b, by moduli, a without duplicates: the largest |r|_i / (|a||x| + |b|)_i;
 * where that denominator is at most 1000 n eps (max|a_i.| max|x| + |b|_i), |r|_i / (|a||x| + max|a_i.| max|x|)_i
 * (Arioli, Demmel and Duff, SIAM J. Matrix Anal. Appl. 10, 1989). Infinite where a, b or x is not finite. */
double judge_backward_error(const test_matrix *a, int op, const double *b, const double *x);

/* Backward error of the equations as wholes: the largest |r|_i / (max|a_i.| max|x| + |b|_i). What guards of the factors
 * alone can promise; small entries of x may be wrong in all digits. */
double judge_row_error(const test_matrix *a, int op, const double *b, const double *x);

typedef struct judge_factors judge_factors;
/* Dense LU with complete pivoting of the equilibrated matrix; of a complex one, of the real matrix of twice the order
 * that multiplies pairs of parts. NULL for a singular one. O(n^3). */
judge_factors *judge_factor(const test_matrix *a);
void judge_free(judge_factors *f);
/* 1-norm condition of the equilibrated matrix, infinite for f = NULL. */
double judge_condition(const judge_factors *f);
/* The solution rounded to double: infinite where it leaves double's range. */
void judge_solve(const judge_factors *f, int op, const double *b, double *x);

#endif
