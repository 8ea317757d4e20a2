/* See turn.h. */
#include "gen/turn.h"

static double turn_of(int32_t row, int32_t column)
{
    uint32_t h = ((uint32_t)row + 1u) * 2654435761u + ((uint32_t)column + 1u) * 2246822519u;
    h = (h ^ h >> 15) * 2246822519u;
    return (double)(h ^ h >> 13) / 2147483647.5 - 1.0;
}

void gen_turn(int32_t columns, const int32_t *ptr, const int32_t *idx, const double *values, double *out)
{
    for (int32_t j = 0; j < columns; j++)
        for (int32_t q = ptr[j]; q < ptr[j + 1]; q++) {
            out[2 * (int64_t)q] = values[q];
            out[2 * (int64_t)q + 1] = values[q] * turn_of(idx[q], j);
        }
}
