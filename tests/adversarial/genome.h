/* A case as data: a pattern, first values, options, and the calls that are made. Everything that is handed to the
 * library stands here as numbers, so that a case can be varied, printed and played again. */
#ifndef WLU_ADVERSARIAL_GENOME_H
#define WLU_ADVERSARIAL_GENOME_H

#include "support/matrices.h"

#include <stdio.h>

typedef enum step_kind {
    STEP_FACTOR,   /* numbers: values */
    STEP_REFACTOR, /* the same */
    STEP_SOLVE,    /* numbers: right-hand sides; A */
    STEP_SOLVE_TRANSPOSED,
    STEP_CLONE,   /* a clone goes on in place of the solver, with the values of the last factorization */
    STEP_RESTORE, /* a solver of the saved file does */
    STEP_MEASURE, /* numbers: b and x; the backward error of A x = b is asked for */
    STEP_MEASURE_TRANSPOSED,
    STEP_KINDS
} step_kind;

typedef struct step {
    step_kind kind;
    int aimed;       /* a solve whose b is made when it is played (aim.h), and is kept here then */
    int32_t columns; /* of right-hand sides */
    double *numbers; /* nnz, or n times columns; NULL where a kind has none */
} step;

enum { MOST_STEPS = 24 };

typedef struct genome {
    const char *family;
    test_matrix m; /* pattern without duplicates, by columns (for WARPLU_STORAGE_CSR read as rows: then it is A'), first
                      values */
    warplu_options options;
    int blind;       /* the analysis sees no values */
    uint32_t stages; /* bit k: a stage of growth is due at step k (draw.h); 0: they come when they are paid for */
    int steps;
    step step[MOST_STEPS];
} genome;

/* Takes over m. The first step factors m's values. */
void genome_create(genome *g, const char *family, test_matrix *m);
void genome_copy(genome *to, const genome *from);
void genome_free(genome *g);

/* Adds a step, unless there are MOST_STEPS; returns its numbers, not yet set, or NULL. */
double *genome_add(genome *g, step_kind kind, int32_t columns);
void genome_drop(genome *g, int at);
void genome_end_after(genome *g, int at);
/* The steps between move up or down by one. */
void genome_move(genome *g, int from, int to);
/* A new entry, last of its column, of that value in all values; or one less. */
void genome_insert_entry(genome *g, int32_t row, int32_t column, double value);
void genome_remove_entry(genome *g, int32_t entry);
int64_t genome_numbers(const genome *g, const step *s);
/* The step of the values that are at hand at a step. */
int genome_values_before(const genome *g, int at);
int genome_is_values(const step *s);
int genome_is_solve(const step *s);
int genome_is_measure(const step *s);

/* The case as a C program that plays it and prints each status: to out, every line after the prefix. */
void genome_print(const genome *g, FILE *out, const char *prefix);

#endif
