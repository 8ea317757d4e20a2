/* The lane arithmetic of what slots are, as a table: exec/device/lanes.h, compiled for each. Numbers go in and out as
 * two doubles, those of FP32 widened, real ones with an imaginary part of zero, so that who calls is one text for all.
 */
#ifndef WLU_EMULATOR_LANES_H
#define WLU_EMULATOR_LANES_H

#include "base/power.h"

typedef struct wlu_lane_number {
    double re, im;
} wlu_lane_number;

/* As a slot has it, each part for itself; those of FP32 are of the doubles that they widen to. */
typedef struct wlu_lane_bits {
    uint64_t re, im;
} wlu_lane_bits;

/* As the functions wlu_lane_*; arrays have eight numbers, corner 64. doubles: parts of a number. */
typedef struct wlu_lanes {
    int single, doubles, slot_bytes;
    wlu_lane_number (*load)(wlu_lane_number value, uint16_t power);
    wlu_lane_number (*term)(int is_long, wlu_lane_number acc, wlu_lane_number a, wlu_lane_number b);
    wlu_lane_number (*pair)(wlu_lane_number mine, wlu_lane_number partners);
    wlu_lane_number (*total)(int is_long, wlu_lane_number start, wlu_lane_number sum);
    wlu_lane_number (*end)(int opcode, wlu_lane_number x, wlu_lane_number d);
    wlu_lane_number (*scale)(wlu_lane_number value, wlu_lane_number reciprocal);
    wlu_lane_number (*invert)(wlu_lane_number value);
    void (*corner)(int skip, int width, const wlu_lane_number *corner, wlu_lane_number *x);
    wlu_lane_number (*apply)(int skip, int width, const wlu_lane_number *l, const wlu_lane_number *u,
                             wlu_lane_number acc);
    void (*eliminate)(int j, wlu_lane_number reciprocal, const wlu_lane_number *u, wlu_lane_number *row);
    wlu_lane_number (*products)(const wlu_lane_number *row, const wlu_lane_number *x);
    wlu_lane_number (*subtract)(wlu_lane_number y, wlu_lane_number products);
    wlu_lane_number (*triangle)(wlu_lane_number diagonal, wlu_lane_number other, wlu_lane_number y);
} wlu_lanes;

extern const wlu_lanes wlu_lanes_double, wlu_lanes_single, wlu_lanes_complex;

/* Those of numbers of so many doubles, or of FP32. */
static inline const wlu_lanes *wlu_lanes_of(int single, int doubles)
{
    return doubles > 1 ? &wlu_lanes_complex : single ? &wlu_lanes_single : &wlu_lanes_double;
}

static inline wlu_lane_number wlu_lane_zero(void)
{
    return (wlu_lane_number){0.0, 0.0};
}

static inline wlu_lane_number wlu_lane_number_of(wlu_lane_bits x)
{
    return (wlu_lane_number){wlu_double_of_bits(x.re), wlu_double_of_bits(x.im)};
}

/* Bits of the larger part's magnitude. */
static inline uint64_t wlu_lane_size_of(wlu_lane_number x)
{
    return wlu_bits_of_double(wlu_larger_bits(wlu_magnitude(x.re), wlu_magnitude(x.im)));
}

#endif
