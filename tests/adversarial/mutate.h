/* Varies a case: pattern, values, drift, right-hand sides, options, the order of calls. */
#ifndef WLU_ADVERSARIAL_MUTATE_H
#define WLU_ADVERSARIAL_MUTATE_H

#include "genome.h"

/* One to three changes. transposed: the direction that is searched. */
void mutate(genome *g, uint64_t *seed, int transposed);
/* More replays after the last, of its values changed, each with a solve: many variations for one analysis. */
void mutate_sprout(genome *g, uint64_t *seed, int transposed);
/* Values of the other case, of the same pattern and steps, in some columns or steps; 0 where it is of another. */
int mutate_cross(genome *g, const genome *other, uint64_t *seed);

#endif
