/* Whole-number roots by bisection. */
#include "gen/shape.h"

int64_t gen_square_root(int64_t x)
{
    int64_t low = 0, high = INT64_C(1) << 31;
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (mid * mid <= x)
            low = mid;
        else
            high = mid;
    }
    return low;
}

int64_t gen_cube_root(int64_t x)
{
    int64_t low = 0, high = INT64_C(1) << 20;
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (mid * mid * mid <= x)
            low = mid;
        else
            high = mid;
    }
    return low;
}
