/* Time in a sequence: step sizes as a simulator's step control would choose them, and smooth waves. */
#ifndef GEN_WAVE_H
#define GEN_WAVE_H

#include <stdint.h>

/* h of a step in units of the smallest one: 1 after a switching event, then growing up to 8. */
double gen_step_size(int64_t step);
/* The time at the end of a step in the same unit. */
double gen_step_time(int64_t step);
/* A sine of parabolas: period 1 in turns, between -1 and 1, within 0.06 of the sine; no library function. */
double gen_wave(double turns);

#endif
