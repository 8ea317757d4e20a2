/* Imaginary parts for attacks that are made on real values: each real number becomes a complex one, by its place. */
#ifndef WLU_ADVERSARIAL_TURN_H
#define WLU_ADVERSARIAL_TURN_H

#include "support/matrices.h"

/* What becomes of v. What cancels among real values still does where all numbers are turned alike, and nearly where
 * rows and columns are. */
typedef enum turn_kind {
    TURN_LIKE,       /* v (1 + i t), t in [-1, 1] by place */
    TURN_PHASES,     /* v e_i f_j: of modulus 1, by row and by column */
    TURN_BOTH,       /* v (1 + i) */
    TURN_IMAGINARY,  /* i v */
    TURN_NONE,       /* v + 0 i */
    TURN_MINUS_NONE, /* v - 0 i */
    TURN_TINY,       /* v (1 + i t 10^-k) */
    TURN_HUGE,       /* v (t 10^-k + i) */
    TURNS
} turn_kind;

typedef struct turn {
    turn_kind kind;
    double power; /* 10^-k */
    uint64_t seed;
} turn;

turn turn_draw(uint64_t *seed);
const char *turn_name(turn_kind kind);

/* Values of m, which are real, to as many complex ones: v that is not finite becomes one part of its number. */
void turn_matrix(const turn *how, const test_matrix *m, double *to);
/* n numbers; phases are by place. */
void turn_vector(const turn *how, const double *v, int32_t n, double *to);

#endif
