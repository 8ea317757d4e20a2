/* The kernels of the strategy `levels`, on the host. See by_levels.h.
 *
 * Compiled for each precision. Warps of a vector begin with a random one: a record that needed a neighbour's result
 * would miss it now and then. */
#include "by_levels.h"

#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "by_emulator.h"
#include "check.h"
#include "exec/device/state.h"
#include "emulator/machine.h"

static uint64_t seed = 7;

static const void *on_host(const void *x)
{
    return by_emulator_on_host(x);
}

static wlu_level_stream stream_on_host(const wlu_level_stream *s)
{
    return (wlu_level_stream){on_host(s->begin),   on_host(s->target),  on_host(s->start),
                              on_host(s->divisor), on_host(s->operand), on_host(s->opcode)};
}

static int covers(const fake_cuda_launch *launch, int block, int64_t threads)
{
    return (int64_t)launch->grid * block >= threads && ((int64_t)launch->grid - 1) * block < threads;
}

static int run_loads(const fake_cuda_launch *launch)
{
    wlu_level_loads l = *(const wlu_level_loads *)launch->parameters[0];
    const double *from = on_host(*(const double **)launch->parameters[1]);
    wlu_real *v = by_emulator_on_host(*(wlu_real **)launch->parameters[2]);
    l.source = on_host(l.source);
    l.power = on_host(l.power);
    for (int64_t k = 0; k < l.count; k++) wlu_level_load(&l, from, v, k);
    return covers(launch, WLU_LEVEL_THREADS, l.count);
}

/* A warp: its lanes' sums, exchanged, its results. */
static void run_warp(const wlu_level_stream *s, const wlu_level_vector *x, wlu_real *v, int64_t first)
{
    wlu_level_task task[WLU_WARP];
    wlu_real start[WLU_WARP], sum[WLU_WARP], pair[WLU_WARP];
    for (int lane = 0; lane < WLU_WARP; lane++) {
        wlu_level_task *t = &task[lane];
        *t = wlu_level_task_of(x, first + lane);
        start[lane] = sum[lane] = 0.0;
        if (t->record < 0) continue;
        start[lane] = wlu_level_start(s, v, t->record, wlu_level_opcode(s, x, t->record));
        sum[lane] = wlu_level_sum(s, v, t, start[lane]);
    }
    for (int apart = WLU_DOT_LANES / 2; apart > 0 && task[0].is_long; apart /= 2) {
        for (int lane = 0; lane < WLU_WARP; lane++) pair[lane] = wlu_lane_pair(sum[lane], sum[lane ^ apart]);
        memcpy(sum, pair, sizeof sum);
    }
    for (int lane = 0; lane < WLU_WARP; lane++) {
        const wlu_level_task *t = &task[lane];
        if (t->record >= 0 && t->lane == 0)
            wlu_level_finish(s, v, t, wlu_level_opcode(s, x, t->record), start[lane], sum[lane]);
    }
}

static int run_vector(const fake_cuda_launch *launch)
{
    wlu_level_stream s = stream_on_host(launch->parameters[0]);
    const wlu_level_vector *x = launch->parameters[1];
    wlu_real *v = by_emulator_on_host(*(wlu_real **)launch->parameters[2]);
    int64_t threads = wlu_level_threads(x), warps = (threads + WLU_WARP - 1) / WLU_WARP,
            at = check_below(&seed, (uint64_t)warps);
    for (int64_t k = 0; k < warps; k++) run_warp(&s, x, v, WLU_WARP * ((at + k) % warps));
    return covers(launch, WLU_LEVEL_THREADS, threads);
}

static void look(uint64_t *largest, uint64_t bits)
{
    if (bits > *largest) *largest = bits;
}

/* No tiles: growth's bounds look at the guards alone. */
static wlu_device_program guards_on_host(const wlu_device_guards *g)
{
    wlu_device_program p = {.guards = *g};
    p.guards.a_source = on_host(g->a_source);
    p.guards.a_scale = on_host(g->a_scale);
    p.guards.row_scale = on_host(g->row_scale);
    p.guards.u_column = on_host(g->u_column);
    return p;
}

static int run_guards(const fake_cuda_launch *launch)
{
    const wlu_level_program *p = launch->parameters[0];
    wlu_device_state s = *(const wlu_device_state *)launch->parameters[1];
    wlu_device_program judged = guards_on_host(&p->guards);
    const wlu_device_guards *g = &judged.guards;
    const wlu_real *v = on_host(s.v[0]);
    wlu_device_control *control = by_emulator_on_host(s.control);
    wlu_maxima *m = &control->largest;
    s.source = on_host(s.source);
    for (int64_t k = 0; k < p->reciprocal + g->n; k++)
        wlu_maxima_add(m,
                       k < p->l            ? WLU_AREA_U
                       : k < p->f          ? WLU_AREA_L
                       : k < p->reciprocal ? WLU_AREA_F
                                           : WLU_AREA_RECIPROCAL,
                       fabs((double)v[k]));
    for (int32_t k = 0; k < g->n; k++) {
        int32_t row = k < g->shared ? k : g->n + k - g->shared;
        look(&m->of[WLU_AREA_INVERSE], wlu_lane_inverse(s.source[g->a_source[k]], g->a_scale[k]));
        look(&m->of[WLU_AREA_DRIFT], wlu_lane_drift(s.source[g->a_source[row]], g->row_scale[k]));
    }
    if (wlu_growth_is_open(m, &s.criteria))
        wlu_maxima_add(m, WLU_AREA_RELATIVE, wlu_emulated_relative(&judged, &s, v, wlu_lanes_of(WLU_REAL_SINGLE, 1)));
    *(wlu_device_health *)by_emulator_on_host(s.health) = wlu_control_conclude(control, &s.criteria, WLU_REAL_SINGLE);
    return s.v[0] == s.v[1] && launch->grid <= FAKE_CUDA_MULTIPROCESSORS;
}

static int run_stores(const fake_cuda_launch *launch)
{
    const wlu_level_solve *d = launch->parameters[0];
    const wlu_device_state *s = launch->parameters[1];
    const wlu_solve_of *of = launch->parameters[2];
    const wlu_real *v = on_host(of->v[0]);
    const wlu_device_control *factors = on_host(of->control);
    double *to = by_emulator_on_host(of->x);
    const int32_t *index = on_host(d->index);
    const uint16_t *power = on_host(d->power);
    wlu_device_health *health = by_emulator_on_host(s->health);
    wlu_device_control *control = by_emulator_on_host(s->control);
    uint64_t largest = 0;
    for (int32_t k = 0; k < d->n; k++) {
        double x = wlu_lane_store(v[d->x + k], power[k]);
        to[index[k]] = factors->verdict >= of->withheld ? wlu_double_of_bits(WLU_CANONICAL_NAN) : x;
        look(&largest, wlu_magnitude_bits(to[index[k]]));
    }
    *health = (wlu_device_health){.largest_u = wlu_double_of_bits(largest), .generation = ++control->generation};
    return launch->grid <= FAKE_CUDA_MULTIPROCESSORS;
}

int WLU_REAL_NAME(by_levels_launch)(const fake_cuda_launch *launch, size_t length)
{
    const struct {
        const char *name;
        int (*run)(const fake_cuda_launch *);
    } kernel[] = {{"wlu_levels_load", run_loads},
                  {"wlu_levels_vector", run_vector},
                  {"wlu_levels_guard", run_guards},
                  {"wlu_levels_store", run_stores}};
    for (size_t k = 0; k < sizeof kernel / sizeof *kernel; k++)
        if (length == strlen(kernel[k].name) && strncmp(launch->kernel, kernel[k].name, length) == 0)
            return launch->grid_y == 1 && launch->shared_bytes == 0 && kernel[k].run(launch);
    return 0;
}
