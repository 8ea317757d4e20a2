/* Values for a pattern. See invent.h.
 *
 * Every off-diagonal entry of a column of c entries is uniform in (-1, 1) / 2c, a diagonal one has a
 * magnitude in (1/2, 1): strictly dominant in every column that has one. Numbers come from splitmix64
 * (Steele, Lea, Flood, OOPSLA 2014) in the order of the entries, so a seed gives the same bits everywhere.
 * Cost: O(nnz). */
#include "gen/invent.h"

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* An odd multiple of 2^-53 in (-1, 1): never 0. */
static double next_uniform(uint64_t *state)
{
    uint64_t bits = next_random(state);
    double magnitude = (double)((bits >> 12) * 2 + 1) * 0x1p-53;
    return (bits & 1) != 0 ? -magnitude : magnitude;
}

warplu_status gen_invent_values(wlu_context *ctx, warplu_mm_matrix *m, uint64_t seed)
{
    if (m->typecode.field != WARPLU_MM_FIELD_PATTERN)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "values are invented for a pattern only");
    m->values = WLU_ALLOC(ctx, m->nnz, double);
    if (m->values == NULL) return wlu_fail_memory(ctx, "values for a pattern");
    for (int32_t j = 0; j < m->ncol; j++) {
        double twice_count = 2.0 * (m->ptr[j + 1] - m->ptr[j]);
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            double u = next_uniform(&seed);
            if (m->idx[q] == j)
                m->values[q] = u < 0 ? u * 0.5 - 0.5 : u * 0.5 + 0.5;
            else
                m->values[q] = u / twice_count;
        }
    }
    m->typecode.field = WARPLU_MM_FIELD_REAL;
    m->typecode.symmetry = WARPLU_MM_SYMMETRY_GENERAL;
    return WARPLU_SUCCESS;
}
