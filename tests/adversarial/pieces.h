/* What cases are put together from, drawn or varied: values, right-hand sides, options. */
#ifndef WLU_ADVERSARIAL_PIECES_H
#define WLU_ADVERSARIAL_PIECES_H

#include "genome.h"

typedef enum rhs_form {
    RHS_FORM_ZERO,
    RHS_FORM_ONES,
    RHS_FORM_SIGNS,
    RHS_FORM_UNIFORM,
    RHS_FORM_UNIT,
    RHS_FORM_PRODUCT, /* A times signs */
    RHS_FORM_GRADED,  /* A times an x of many magnitudes */
    RHS_FORM_RESTING, /* A times an x of which all but a few unknowns are 0 */
    RHS_FORM_AIMED,   /* made when it is played: aim.h */
    RHS_FORMS
} rhs_form;

/* The matrix that a case's solver has is A' where its storage is by rows: whether op(A) is the arrays' transpose. */
int piece_transposes(const genome *g, int transposed);
/* values := the first ones, each times a factor of its own: 1 + spread N(0, 1). */
void piece_vary(const genome *g, uint64_t *seed, double spread, double *values);
/* b := op(A) x with the values at hand at step `at`. */
void piece_multiply(const genome *g, int at, const double *x, double *b);
/* All right-hand sides of the solve at step `at`. */
void piece_fill(genome *g, uint64_t *seed, int at, rhs_form form);

void piece_add_refactor(genome *g, uint64_t *seed, double spread);
void piece_add_solve(genome *g, uint64_t *seed, int transposed, int32_t columns, rhs_form form);

/* Another value for an option; precision and executor stay. */
void piece_draw_option(genome *g, uint64_t *seed);

#endif
