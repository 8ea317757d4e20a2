/* Whole-number shapes for a size. */
#ifndef GEN_SHAPE_H
#define GEN_SHAPE_H

#include <stdint.h>

/* The largest r with r * r <= x, r * r * r <= x; x from 0 to 2^62. */
int64_t gen_square_root(int64_t x);
int64_t gen_cube_root(int64_t x);

#endif
