/* The lane arithmetic of either precision as a table: exec/device/lanes.h, compiled for each. Numbers go in and out as
 * doubles, those of FP32 widened, so that who calls is one text for both. */
#ifndef WLU_EMULATOR_LANES_H
#define WLU_EMULATOR_LANES_H

#include <stdint.h>

/* As the functions wlu_lane_*; arrays have eight numbers, corner 64. */
typedef struct wlu_lanes {
    double (*load)(double value, uint16_t power);
    double (*term)(int is_long, double acc, double a, double b);
    double (*pair)(double mine, double partners);
    double (*total)(int is_long, double start, double sum);
    double (*end)(int opcode, double x, double d);
    double (*scale)(double value, double reciprocal);
    double (*invert)(double value);
    void (*corner)(int skip, int width, const double *corner, double *x);
    double (*apply)(int skip, int width, const double *l, const double *u, double acc);
    void (*eliminate)(int j, double reciprocal, const double *u, double *row);
    double (*products)(const double *row, const double *x);
    double (*subtract)(double y, double products);
    double (*triangle)(double diagonal, double other, double y);
} wlu_lanes;

extern const wlu_lanes wlu_lanes_double, wlu_lanes_single;

#endif
