/* Step sizes and waves. */
#include "gen/wave.h"

static const double sizes[] = {1, 1, 2, 4, 8, 8, 8, 8, 2, 1, 2, 4};
enum { CYCLE = sizeof sizes / sizeof sizes[0], CYCLE_TIME = 49 };

double gen_step_size(int64_t step)
{
    return sizes[step % CYCLE];
}

double gen_step_time(int64_t step)
{
    double time = (double)(step / CYCLE) * CYCLE_TIME;
    for (int k = 0; k <= (int)(step % CYCLE); k++) time += sizes[k];
    return time;
}

double gen_wave(double turns)
{
    double x = turns - (double)(int64_t)turns;
    if (x < 0) x += 1;
    return x < 0.5 ? 16 * x * (0.5 - x) : -16 * (x - 0.5) * (1 - x);
}
