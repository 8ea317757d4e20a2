/* See perturb.h. */
#include "gen/perturb.h"

#include "gen/random.h"

void gen_perturb(const double *values, int64_t count, double change, uint64_t seed, uint64_t stream, double *out)
{
    for (int64_t k = 0; k < count; k++) out[k] = values[k] * (1.0 + gen_between(seed, stream, k, -change, change));
}
