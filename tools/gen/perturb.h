/* Values of one pattern, changed at random: what lives and batches are given. */
#ifndef GEN_PERTURB_H
#define GEN_PERTURB_H

#include <stdint.h>

/* As the subcommands have it where nothing is said. */
#define GEN_CHANGE 0.05
enum { GEN_CHANGE_SEED = 7 };

/* out[k] = values[k] (1 + change u), u uniform in [-1, 1): number k of the stream under the seed. O(count). */
void gen_perturb(const double *values, int64_t count, double change, uint64_t seed, uint64_t stream, double *out);

#endif
