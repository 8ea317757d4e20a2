/* A table of lane arithmetic; compiled once for each kind of slots. See lanes.h. */
#include "emulator/lanes.h"

#include "exec/device/lanes.h"

enum { W = 8 };

static wlu_number in(wlu_lane_number x)
{
    return wlu_number_of((wlu_real)x.re, (wlu_real)x.im);
}

static wlu_lane_number out(wlu_number x)
{
#ifdef WLU_COMPLEX
    return (wlu_lane_number){x.re, x.im};
#else
    return (wlu_lane_number){(double)x, 0.0};
#endif
}

static wlu_lane_number load(wlu_lane_number value, uint16_t power)
{
    return out(wlu_lane_load(wlu_wide_of(value.re, value.im), power));
}

static wlu_lane_number term(int is_long, wlu_lane_number acc, wlu_lane_number a, wlu_lane_number b)
{
    return out(wlu_lane_term(is_long, in(acc), in(a), in(b)));
}

static wlu_lane_number pair(wlu_lane_number mine, wlu_lane_number partners)
{
    return out(wlu_lane_pair(in(mine), in(partners)));
}

static wlu_lane_number total(int is_long, wlu_lane_number start, wlu_lane_number sum)
{
    return out(wlu_lane_total(is_long, in(start), in(sum)));
}

static wlu_lane_number end(int opcode, wlu_lane_number x, wlu_lane_number d)
{
    return out(wlu_lane_end(opcode, in(x), in(d)));
}

static wlu_lane_number scale(wlu_lane_number value, wlu_lane_number reciprocal)
{
    return out(wlu_lane_scale(in(value), in(reciprocal)));
}

static wlu_lane_number invert(wlu_lane_number value)
{
    return out(wlu_lane_invert(in(value)));
}

static void bring(const wlu_lane_number *from, int count, wlu_number *to)
{
    for (int k = 0; k < count; k++) to[k] = in(from[k]);
}

static void give(const wlu_number *from, int count, wlu_lane_number *to)
{
    for (int k = 0; k < count; k++) to[k] = out(from[k]);
}

static void corner(int skip, int width, const wlu_lane_number *block, wlu_lane_number *x)
{
    wlu_number l[W * W], y[W];
    bring(block, W * W, l);
    bring(x, W, y);
    wlu_lane_corner(skip, width, l, y);
    give(y, W, x);
}

static wlu_lane_number apply(int skip, int width, const wlu_lane_number *l, const wlu_lane_number *u,
                             wlu_lane_number acc)
{
    wlu_number row[W], column[W];
    bring(l, W, row);
    bring(u, W, column);
    return out(wlu_lane_apply(skip, width, row, column, in(acc)));
}

static void eliminate(int j, wlu_lane_number reciprocal, const wlu_lane_number *u, wlu_lane_number *row)
{
    wlu_number pivots[W], mine[W];
    bring(u, W, pivots);
    bring(row, W, mine);
    wlu_lane_eliminate(j, in(reciprocal), pivots, mine);
    give(mine, W, row);
}

static wlu_lane_number products(const wlu_lane_number *row, const wlu_lane_number *x)
{
    wlu_number a[W], b[W];
    bring(row, W, a);
    bring(x, W, b);
    return out(wlu_lane_products(a, b));
}

static wlu_lane_number subtract(wlu_lane_number y, wlu_lane_number sum)
{
    return out(wlu_lane_subtract(in(y), in(sum)));
}

static wlu_lane_number triangle(wlu_lane_number diagonal, wlu_lane_number other, wlu_lane_number y)
{
    return out(wlu_lane_triangle(in(diagonal), in(other), in(y)));
}

#if defined(WLU_COMPLEX)
#define LANES wlu_lanes_complex
#elif defined(WLU_SINGLE)
#define LANES wlu_lanes_single
#else
#define LANES wlu_lanes_double
#endif

const wlu_lanes LANES = {.single = WLU_REAL_SINGLE,
                         .doubles = WLU_NUMBER_REALS,
                         .slot_bytes = (int)sizeof(wlu_number),
                         .load = load,
                         .term = term,
                         .pair = pair,
                         .total = total,
                         .end = end,
                         .scale = scale,
                         .invert = invert,
                         .corner = corner,
                         .apply = apply,
                         .eliminate = eliminate,
                         .products = products,
                         .subtract = subtract,
                         .triangle = triangle};
