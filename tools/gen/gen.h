/* Generated matrices: circuits, meshes and random patterns of any size, and sequences of one pattern with the
 * values of successive time steps.
 *
 * The same parameters give the same bits everywhere: random numbers come from integers, values from +, -, *
 * and / alone. The pattern depends on everything but the step. Right-hand sides fit the matrix: sources and
 * companion currents of the circuits, so that the solution is a physical state. */
#ifndef GEN_GEN_H
#define GEN_GEN_H

#include "gen/stamp.h"

typedef struct gen_params {
    int64_t size; /* unknowns asked for; the structure may give a few more or less */
    uint64_t seed;
    int64_t step;   /* from 0: the time step whose values are wanted */
    int layers;     /* powergrid: metal layers, 2 to 12 */
    int sources;    /* powergrid: 1: pads are ideal sources with branch currents, 0: their Norton equivalents */
    double density; /* random: entries off the diagonal per row, on average */
} gen_params;

/* Shape options a kind takes, for messages and help. */
enum { GEN_LAYERS = 1, GEN_SOURCES = 2, GEN_DENSITY = 4 };

typedef struct gen_kind {
    const char *name, *help;
    int64_t smallest; /* size */
    int takes;        /* GEN_LAYERS | ... */
    void (*emit)(stamp *s, const gen_params *params);
} gen_kind;

extern const gen_kind gen_kinds[];
extern const int gen_kind_count;

/* NULL where no kind has that name. */
const gen_kind *gen_kind_find(const char *name);

/* size 1000, seed 1, step 0, 4 layers, no sources, density 1. */
void gen_params_init(gen_params *params);

/* The matrix and right-hand side. WARPLU_INVALID_ARGUMENT (size or a shape option out of range),
 * WARPLU_OVERFLOW (entries over 2^31 - 1), WARPLU_OUT_OF_MEMORY; on failure *out is empty. */
warplu_status gen_build(wlu_context *ctx, const gen_kind *kind, const gen_params *params, gen_matrix *out);

#define GEN_KIND(name, smallest, takes, help) void gen_emit_##name(stamp *s, const gen_params *params);
#include "gen/kinds.def"
#undef GEN_KIND

#endif
