/* Complex values made from real ones, where a user asks for them. */
#ifndef GEN_TURN_H
#define GEN_TURN_H

#include <stdint.h>

/* out: 2 ptr[columns] doubles. A value a becomes a (1 + i t), t in [-1, 1] by its place, without a pattern. The values
 * are the same on every machine; right-hand sides stay real. O(entries). */
void gen_turn(int32_t columns, const int32_t *ptr, const int32_t *idx, const double *values, double *out);

#endif
