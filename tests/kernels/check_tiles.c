/* Kernels of the TILE region: factorization and solve, against docs/instruction-set.md entry by entry. */
#include "machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { W = WLU_TILE_WIDTH };

static double *copy_of(const double *x, int64_t count)
{
    double *copy = kernel_doubles(count);
    memcpy(copy, x, (size_t)count * sizeof *x);
    return copy;
}

/* row -= l * pivot, columns from c on. */
static void subtract(double *row, double l, const double *pivot, int c)
{
    for (int j = c; j < W; j++) row[j] = fma(-l, pivot[j], row[j]);
}

static void state_source(const machine *m, double *v, int32_t tile, const wlu_tile_source *source)
{
    int32_t s = source->tile, width = m->first[s + 1] - m->first[s], skip = width - source->pivots;
    for (int32_t k = 0; k < source->pivots; k++) {
        const double *pivot = v + machine_row(m, tile, source->at + k);
        for (int32_t i = k + 1; i < source->pivots; i++) {
            double l = v[machine_row(m, s, m->above[s] + skip + i) + skip + k];
            subtract(v + machine_row(m, tile, source->at + i), l, pivot, 0);
        }
    }
    for (int32_t q = 0; q < m->below[s]; q++)
        for (int32_t k = 0; k < source->pivots; k++) {
            double l = v[machine_row(m, s, m->above[s] + width + q) + skip + k];
            subtract(v + machine_row(m, tile, m->target[source->to + q]), l, v + machine_row(m, tile, source->at + k),
                     0);
        }
}

/* Right-looking: what is below a pivot is updated as soon as its reciprocal stands. Rows of L count for the largest l
 * with the columns that the tile lacks: these are zeros, or no numbers where an infinite l has met them. */
static void state_pivots(const machine *m, double *v, int32_t tile, double *largest_l)
{
    int32_t above = m->above[tile], width = m->first[tile + 1] - m->first[tile];
    for (int32_t k = 0; k < width; k++) {
        const double *pivot = v + machine_row(m, tile, above + k);
        double r = 1.0 / pivot[k];
        v[m->first[tile] + k] = r;
        for (int32_t i = above + k + 1; i < above + width + m->below[tile]; i++) {
            double *row = v + machine_row(m, tile, i);
            row[k] = row[k] * r;
            *largest_l = kernel_larger(*largest_l, row[k]);
            subtract(row, row[k], pivot, k + 1);
        }
    }
    for (int32_t i = above + width; i < above + width + m->below[tile]; i++)
        for (int c = width; c < W; c++) *largest_l = kernel_larger(*largest_l, v[machine_row(m, tile, i) + c]);
}

static void state_tile(const machine *m, double *v, double *umax, int32_t tile, const double *values,
                       wlu_maxima *largest)
{
    int32_t width = m->first[tile + 1] - m->first[tile];
    for (int64_t slot = m->panel[tile]; slot < m->panel[tile + 1]; slot++) v[slot] = 0.0;
    for (int64_t k = m->load[tile]; k < m->load[tile + 1]; k++)
        v[m->load_target[k]] = m->load_scale[k] * values[m->load_source[k]];
    for (int64_t g = m->source_ptr[tile]; g < m->source_ptr[tile + 1]; g++) state_source(m, v, tile, &m->source[g]);
    double largest_l = 0.0;
    state_pivots(m, v, tile, &largest_l);
    kernel_raise(largest, WLU_AREA_L, largest_l);
    for (int c = 0; c < W; c++) {
        double most = 0.0;
        for (int32_t i = 0; i < m->above[tile] + (c < width ? c + 1 : width); i++)
            most = kernel_larger(most, v[machine_row(m, tile, i) + c]);
        umax[W * tile + c] = most;
        kernel_raise(largest, WLU_AREA_U, most);
    }
}

/* The tiles in one or two calls, by a list or in order. */
static void check_tiles(kernel_run *r, const void *variant)
{
    machine m;
    double values[MACHINE_VALUES];
    int32_t list[MACHINE_TILES], count = (int32_t)kernel_size(r, 1, 6, 6), middle = (int32_t)kernel_below(r, count + 1);
    wlu_place place[MACHINE_TILES + 3] = {{0, 0}};
    const wlu_packed packed = {.nplaces = count + 3, .place = place};
    wlu_maxima got = {{0}}, want = {{0}};
    (void)variant;
    machine_begin(&m, r, count, 0);
    kernel_fill(r, values, MACHINE_VALUES);
    double *v = copy_of(m.v, m.slots), *umax = copy_of(m.umax, MACHINE_PIVOTS);
    for (int32_t k = 0; k < count; k++) {
        list[k] = k;
        state_tile(&m, v, umax, k, values, &want);
    }
    wlu_tile_job all = {NULL, count, values, NULL, 0}, head = {list, middle, values, NULL, 0};
    wlu_tile_job tail = {kernel_below(r, 2) ? list + middle : NULL, count - middle, values, NULL, middle};
    if (kernel_below(r, 2)) {
        r->kernels->tiles(&m.program, &packed, &m.state, &all, &got);
    } else {
        r->kernels->tiles(&m.program, &packed, &m.state, &head, &got);
        r->kernels->tiles(&m.program, &packed, &m.state, &tail, &got);
    }
    for (int32_t k = 0; k < count; k++) /* the spare row: nobody reads it */
        memcpy(v + m.panel[k + 1] - W, m.v + m.panel[k + 1] - W, W * sizeof *v);
    kernel_expect(r, "slot", m.v, v, m.slots);
    kernel_expect(r, "largest u of column", m.umax, umax, W * count);
    const double maxima[2][2] = {{wlu_maximum(&got, WLU_AREA_L), wlu_maximum(&got, WLU_AREA_U)},
                                 {wlu_maximum(&want, WLU_AREA_L), wlu_maximum(&want, WLU_AREA_U)}};
    kernel_expect(r, "largest of l, u", maxima[0], maxima[1], 2);
    KERNEL_TIME(r, W * (int64_t)m.tiles->ntargets * W, r->kernels->tiles(&m.program, &packed, &m.state, &all, &got));
    free(v);
    free(umax);
    machine_end(&m);
}

/* A tile, or a source, with a number of pivots that there is no instance for: the largest u is no number. */
static void check_unknown(kernel_run *r, const void *variant)
{
    int of_source = *(const int *)variant;
    machine m;
    double values[MACHINE_VALUES];
    const double want[2] = {NAN, NAN};
    wlu_place place[MACHINE_TILES + 3] = {{0, 0}};
    const wlu_packed packed = {.nplaces = 5, .place = place};
    const wlu_tile_job job = {.count = of_source ? 2 : 1, .source = values};
    wlu_maxima got = {{0}};
    r->bench = 1; /* so that the second tile has the first for a source */
    machine_begin(&m, r, 2, 0);
    r->bench = 0;
    kernel_fill(r, values, MACHINE_VALUES);
    if (of_source)
        m.source[0].pivots = W + 1;
    else
        m.first[1] = W + 1;
    r->kernels->tiles(&m.program, &packed, &m.state, &job, &got);
    const double found[2] = {wlu_maximum(&got, WLU_AREA_U), m.umax[of_source ? W : 0]};
    kernel_expect(r, "largest u", found, want, 2);
    machine_end(&m);
}

/* x[row] less the eight products with y, each rounded, summed by the tree. */
static void state_products(const double *v, int64_t slot, const int32_t *row, int32_t rows, const double *y, double *x)
{
    for (int32_t q = 0; q < rows; q++, slot += W) {
        double product[W];
        for (int c = 0; c < W; c++) product[c] = v[slot + c] * y[c];
        x[row[q]] = x[row[q]] - kernel_tree(product);
    }
}

void machine_state_solve(const machine *m, int32_t tile, int forward, double *x)
{
    const double *v = m->v;
    int32_t width = m->first[tile + 1] - m->first[tile], above = m->above[tile];
    const int32_t *row = m->row + m->row_ptr[tile];
    double y[W] = {0}, *own = x + m->first[tile];
    for (int32_t i = 0; i < width && forward; i++)
        for (int32_t k = 0; k < i; k++) own[i] = fma(-v[machine_row(m, tile, above + i) + k], own[k], own[i]);
    for (int32_t i = width - 1; i >= 0 && !forward; i--) {
        for (int32_t k = width - 1; k > i; k--) own[i] = fma(-v[machine_row(m, tile, above + i) + k], own[k], own[i]);
        own[i] = own[i] * v[m->first[tile] + i];
    }
    memcpy(y, own, (size_t)width * sizeof *y);
    if (forward)
        state_products(v, machine_row(m, tile, above + width), row + above, m->below[tile], y, x);
    else
        state_products(v, machine_row(m, tile, 0), row, above, y, x);
}

/* A region of some tiles: y out of the slots, forward, back, x into the slots. */
static void check_solve_tiles(kernel_run *r, const void *variant)
{
    machine m;
    int32_t y[MACHINE_PIVOTS], x[MACHINE_PIVOTS], count = (int32_t)kernel_size(r, 1, MACHINE_TILES, 8);
    int32_t begin = (int32_t)(r->bench ? 0 : kernel_below(r, count)), end = count;
    (void)variant;
    machine_begin(&m, r, count, 2 * MACHINE_PIVOTS);
    kernel_shuffle(r, y, MACHINE_PIVOTS);
    kernel_shuffle(r, x, MACHINE_PIVOTS);
    for (int k = 0; k < MACHINE_PIVOTS; k++) {
        y[k] += (int32_t)m.program.y;
        x[k] += (int32_t)m.program.y + MACHINE_PIVOTS;
    }
    wlu_triangular solve = {.tile_y = y, .tile_x = x};
    double *v = copy_of(m.v, m.slots), *unknown = copy_of(m.x, MACHINE_PIVOTS);
    int64_t elements = 0;
    for (int32_t at = m.first[begin]; at < m.first[end]; at++) unknown[at] = v[y[at]];
    for (int32_t k = begin; k < end; k++) machine_state_solve(&m, k, 1, unknown);
    for (int32_t k = end - 1; k >= begin; k--) machine_state_solve(&m, k, 0, unknown);
    for (int32_t at = m.first[begin]; at < m.first[end]; at++) v[x[at]] = unknown[at];
    for (int32_t k = begin; k < end; k++) elements += W * (int64_t)(m.above[k] + m.below[k] + W);
    r->kernels->solve_tiles(&m.program, &m.state, &solve, (wlu_solve_region){.begin = begin, .end = end});
    kernel_expect(r, "slot", m.v, v, m.slots);
    kernel_expect(r, "unknown", m.x, unknown, MACHINE_PIVOTS);
    KERNEL_TIME(r, elements,
                r->kernels->solve_tiles(&m.program, &m.state, &solve, (wlu_solve_region){.begin = begin, .end = end}));
    free(v);
    free(unknown);
    machine_end(&m);
}

kernel_cases kernel_tile_cases(void)
{
    static const int no = 0, yes = 1;
    static const kernel_case cases[] = {{"tiles", check_tiles, NULL},
                                        {"solve_tiles", check_solve_tiles, NULL},
                                        {"unknown_width", check_unknown, &no},
                                        {"unknown_source", check_unknown, &yes}};
    return KERNEL_CASES(cases);
}
