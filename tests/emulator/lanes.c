/* A table of lane arithmetic; compiled once for each precision. See lanes.h. */
#include "emulator/lanes.h"

#include "exec/device/lanes.h"

enum { W = 8 };

static double load(double value, uint16_t power)
{
    return (double)wlu_lane_load(value, power);
}

static double term(int is_long, double acc, double a, double b)
{
    return (double)wlu_lane_term(is_long, (wlu_real)acc, (wlu_real)a, (wlu_real)b);
}

static double pair(double mine, double partners)
{
    return (double)wlu_lane_pair((wlu_real)mine, (wlu_real)partners);
}

static double total(int is_long, double start, double sum)
{
    return (double)wlu_lane_total(is_long, (wlu_real)start, (wlu_real)sum);
}

static double end(int opcode, double x, double d)
{
    return (double)wlu_lane_end(opcode, (wlu_real)x, (wlu_real)d);
}

static double scale(double value, double reciprocal)
{
    return (double)wlu_lane_scale((wlu_real)value, (wlu_real)reciprocal);
}

static double invert(double value)
{
    return (double)wlu_lane_invert((wlu_real)value);
}

static void narrow(const double *from, int count, wlu_real *to)
{
    for (int k = 0; k < count; k++) to[k] = (wlu_real)from[k];
}

static void widen(const wlu_real *from, int count, double *to)
{
    for (int k = 0; k < count; k++) to[k] = (double)from[k];
}

static void corner(int skip, int width, const double *block, double *x)
{
    wlu_real l[W * W], y[W];
    narrow(block, W * W, l);
    narrow(x, W, y);
    wlu_lane_corner(skip, width, l, y);
    widen(y, W, x);
}

static double apply(int skip, int width, const double *l, const double *u, double acc)
{
    wlu_real row[W], column[W];
    narrow(l, W, row);
    narrow(u, W, column);
    return (double)wlu_lane_apply(skip, width, row, column, (wlu_real)acc);
}

static void eliminate(int j, double reciprocal, const double *u, double *row)
{
    wlu_real pivots[W], mine[W];
    narrow(u, W, pivots);
    narrow(row, W, mine);
    wlu_lane_eliminate(j, (wlu_real)reciprocal, pivots, mine);
    widen(mine, W, row);
}

static double products(const double *row, const double *x)
{
    wlu_real a[W], b[W];
    narrow(row, W, a);
    narrow(x, W, b);
    return (double)wlu_lane_products(a, b);
}

static double subtract(double y, double sum)
{
    return (double)wlu_lane_subtract((wlu_real)y, (wlu_real)sum);
}

static double triangle(double diagonal, double other, double y)
{
    return (double)wlu_lane_triangle((wlu_real)diagonal, (wlu_real)other, (wlu_real)y);
}

#ifdef WLU_SINGLE
#define LANES wlu_lanes_single
#else
#define LANES wlu_lanes_double
#endif

const wlu_lanes LANES = {load,   term,  pair,      total,    end,      scale,   invert,
                         corner, apply, eliminate, products, subtract, triangle};
