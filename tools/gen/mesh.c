/* Meshes: one backward Euler step of diffusion with variable conductivity on a grid of nx by ny by nz cells.
 *
 * 5 points in two dimensions, 7 in three, x fastest; insulated walls; a cell's capacity over h on the
 * diagonal keeps the matrix symmetric positive definite, an M-matrix. Conductivities are random within a
 * factor of 4 and swing by 30 % in time, each with a phase of its own. */
#include "gen/gen.h"
#include "gen/random.h"
#include "gen/shape.h"
#include "gen/wave.h"

enum { CONDUCTIVITY, PHASE, CAPACITY, HEAT };

static double edge(const gen_params *p, int64_t number, double time)
{
    double swing = 1 + 0.3 * gen_wave(time / 100 + gen_uniform(p->seed, PHASE, number));
    return gen_between(p->seed, CONDUCTIVITY, number, 0.5, 2.0) * swing;
}

static void emit(stamp *s, const gen_params *p, int64_t nx, int64_t ny, int64_t nz)
{
    double h = gen_step_size(p->step), time = gen_step_time(p->step);
    int64_t n = nx * ny * nz, plane = nx * ny;
    int64_t edges = (nx - 1) * ny * nz + nx * (ny - 1) * nz + plane * (nz - 1);
    if (!stamp_begin(s, n, n + 2 * edges)) return;
    int32_t v = 0;
    for (int64_t z = 0; z < nz; z++)
        for (int64_t y = 0; y < ny; y++)
            for (int64_t x = 0; x < nx; x++, v++) {
                double capacity = gen_between(p->seed, CAPACITY, v, 0.05, 0.1);
                if (x + 1 < nx) stamp_conductance(s, v, v + 1, edge(p, 3 * (int64_t)v, time));
                if (y + 1 < ny) stamp_conductance(s, v, (int32_t)(v + nx), edge(p, 3 * (int64_t)v + 1, time));
                if (z + 1 < nz) stamp_conductance(s, v, (int32_t)(v + plane), edge(p, 3 * (int64_t)v + 2, time));
                stamp_capacitor(s, v, GEN_GROUND, capacity / h, gen_between(p->seed, HEAT, v, -1.0, 1.0));
            }
}

/* Rows near the root of n, at most a quarter fewer, such that rows * columns is closest to n. */
static int64_t rows_for(int64_t n)
{
    int64_t root = gen_square_root(n), best = root, error = INT64_MAX;
    for (int64_t r = root; r > 0 && 4 * r >= 3 * root && error > 0; r--) {
        int64_t e = n - r * ((n + r / 2) / r);
        if (e < 0) e = -e;
        if (e < error) {
            error = e;
            best = r;
        }
    }
    return best;
}

void gen_emit_mesh2d(stamp *s, const gen_params *p)
{
    int64_t rows = rows_for(p->size);
    emit(s, p, (p->size + rows / 2) / rows, rows, 1);
}

void gen_emit_mesh3d(stamp *s, const gen_params *p)
{
    int64_t planes = gen_cube_root(p->size);
    int64_t area = (p->size + planes / 2) / planes, rows = rows_for(area);
    emit(s, p, (area + rows / 2) / rows, rows, planes);
}
