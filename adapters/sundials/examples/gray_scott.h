/* The Gray-Scott equations on a square with periodic ends, for the host and for kernels:
 *
 *     u' = D Lap u - u v^2 + F (1 - u)        v' = D/2 Lap v + u v^2 - (F + k) v
 *
 * by central differences on size x size points (Pearson, Science 261, 1993). Unknown 2 p is u at point p, 2 p + 1 is v:
 * n = 2 size^2 unknowns, and six entries in each row and column of the Jacobian, whose pattern is
 * the same both ways. */
#ifndef WARPLU_GRAY_SCOTT_H
#define WARPLU_GRAY_SCOTT_H

#include <math.h>

#ifdef __CUDACC__
#define GS_FUNCTION static inline __host__ __device__
#else
#define GS_FUNCTION static inline
#endif

#define GS_ENTRIES 6 /* in a row */
#define GS_SIDE 2.5
#define GS_DIFFUSION 8e-5
#define GS_FEED 0.024
#define GS_KILL 0.06

/* Diffusion of species s (0: u, 1: v) between two points. */
GS_FUNCTION double gs_diffusion(int size, int s)
{
    double step = GS_SIDE / size;
    return (s ? GS_DIFFUSION / 2 : GS_DIFFUSION) / (step * step);
}

/* The points around a point: below, left, right, above. */
GS_FUNCTION void gs_neighbours(int size, int point, int around[4])
{
    int i = point % size, j = point / size;
    around[0] = (j + size - 1) % size * size + i;
    around[1] = j * size + (i + size - 1) % size;
    around[2] = j * size + (i + 1) % size;
    around[3] = (j + 1) % size * size + i;
}

/* The rates of both species at a point. */
GS_FUNCTION void gs_rates(int size, const double *y, int point, double *rate)
{
    int around[4];
    double u = y[2 * point], v = y[2 * point + 1], lap_u = -4 * u, lap_v = -4 * v;
    gs_neighbours(size, point, around);
    for (int k = 0; k < 4; k++) {
        lap_u += y[2 * around[k]];
        lap_v += y[2 * around[k] + 1];
    }
    rate[2 * point] = gs_diffusion(size, 0) * lap_u - u * v * v + GS_FEED * (1 - u);
    rate[2 * point + 1] = gs_diffusion(size, 1) * lap_v + u * v * v - (GS_FEED + GS_KILL) * v;
}

/* Row `line` of the Jacobian, or column `line` if by_columns is not 0: places in rising order, and their values. */
GS_FUNCTION void gs_line(int size, const double *y, int line, int by_columns, int place[GS_ENTRIES],
                         double value[GS_ENTRIES])
{
    int s = line % 2, point = line / 2, around[4];
    double d = gs_diffusion(size, s), u = y[2 * point], v = y[2 * point + 1];
    double own = -4 * d + (s ? 2 * u * v - GS_FEED - GS_KILL : -v * v - GS_FEED);
    double other = s == (by_columns != 0) ? -2 * u * v : v * v;
    gs_neighbours(size, point, around);
    for (int k = 0; k < GS_ENTRIES; k++) {
        int p = k < 4 ? 2 * around[k] + s : k == 4 ? line : 2 * point + 1 - s, at = k;
        for (; at > 0 && place[at - 1] > p; at--) {
            place[at] = place[at - 1];
            value[at] = value[at - 1];
        }
        place[at] = p;
        value[at] = k < 4 ? d : k == 4 ? own : other;
    }
}

/* u is 1 and v is 0 but for waves in the middle. */
static inline void gs_begin(int size, double *y)
{
    const double pi = 3.14159265358979323846;
    for (int point = 0; point < size * size; point++) {
        double a = GS_SIDE / size * (point % size), b = GS_SIDE / size * (point / size);
        double wave = sin(4 * pi * a) * sin(4 * pi * b);
        double v = a >= 1 && a <= 1.5 && b >= 1 && b <= 1.5 ? wave * wave / 4 : 0;
        y[2 * point] = 1 - 2 * v;
        y[2 * point + 1] = v;
    }
}

#endif
