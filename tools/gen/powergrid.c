/* Power grid: the supply net of a chip, metal layer over metal layer.
 *
 * Layer 0 taps the devices at every point of a fine grid; even layers are stripes along x, odd ones along y,
 * each layer pair twice as coarse as the one below, wider and so less resistive. A node is where a stripe
 * meets the layer under it: there a via joins the two. Every node has decoupling capacitance (companion C /
 * h), those of layer 0 a load that follows the chip's activity; pads on a coarse grid of the top layer lead
 * through the package's resistance to the supply, folded into the node (Norton) or, with `sources`, as a node
 * of its own with an ideal source, whose branch row has a zero diagonal.
 *
 * Unknowns: layers from the bottom, rows of constant y, x fastest; then pads' nodes; then their branches. */
#include "gen/gen.h"
#include "gen/random.h"
#include "gen/shape.h"
#include "gen/wave.h"

#include <string.h>

enum { SEGMENT, VIA, DECAP, LOAD, PHASE, PACKAGE, MAX_LAYERS = 12, PAD_PITCH = 4 };

typedef struct layer {
    int64_t nx, ny;           /* nodes along x and y */
    int64_t x_pitch, y_pitch; /* in points of the fine grid */
    int64_t base;             /* its first node */
} layer;

typedef struct grid {
    int layers;
    layer layer[MAX_LAYERS];
    int64_t nodes, pads, unknowns;
} grid;

/* Pads sit at every PAD_PITCH-th place along a side, from the second on. */
static int64_t pads_along(int64_t places)
{
    return places < 2 ? 1 : (places - 2) / PAD_PITCH + 1;
}

static int64_t pad_place(int64_t places, int64_t k)
{
    return places < 2 ? 0 : 1 + k * PAD_PITCH;
}

/* The grid over width by height points. */
static grid grid_of(const gen_params *p, int64_t width, int64_t height)
{
    grid g;
    memset(&g, 0, sizeof g);
    g.layers = p->layers;
    for (int l = 0; l < g.layers; l++) {
        layer *a = &g.layer[l];
        a->x_pitch = INT64_C(1) << ((l + 1) / 2);
        a->y_pitch = INT64_C(1) << (l / 2);
        a->nx = (width + a->x_pitch - 1) / a->x_pitch;
        a->ny = (height + a->y_pitch - 1) / a->y_pitch;
        a->base = g.nodes;
        g.nodes += a->nx * a->ny;
    }
    const layer *top = &g.layer[g.layers - 1];
    g.pads = pads_along(top->nx) * pads_along(top->ny);
    g.unknowns = g.nodes + (p->sources ? 2 * g.pads : 0);
    return g;
}

/* The largest side (of both, or of y beside a given width) with no more unknowns than size. */
static int64_t side_for(const gen_params *p, int64_t width)
{
    int64_t low = 1, high = 2 * (gen_square_root(p->size) + 1) * (width > 0 ? 2 : 1);
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (grid_of(p, width > 0 ? width : mid, mid).unknowns <= p->size)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* The grid, nearly square, whose unknowns are closest to size. */
static grid choose(const gen_params *p)
{
    int64_t width = side_for(p, 0), height = side_for(p, width);
    grid less = grid_of(p, width, height), more = grid_of(p, width, height + 1);
    return more.unknowns - p->size < p->size - less.unknowns ? more : less;
}

static int64_t count_entries(const grid *g)
{
    int64_t edges = g->unknowns - g->nodes;
    for (int l = 0; l < g->layers; l++) {
        const layer *a = &g->layer[l];
        edges += l % 2 == 0 ? (a->nx - 1) * a->ny : a->nx * (a->ny - 1);
        if (l > 0) edges += a->nx * a->ny;
    }
    return g->nodes + 2 * edges;
}

/* One layer's stripes, and the vias to the layer under it. */
static void emit_layer(stamp *s, const gen_params *p, const grid *g, int l)
{
    const layer *a = &g->layer[l], *b = l > 0 ? &g->layer[l - 1] : NULL;
    double width = (double)(a->x_pitch * a->y_pitch); /* stripes widen with their pitch, segments lengthen */
    int64_t stride = l % 2 == 0 ? 1 : a->nx;
    for (int64_t y = 0; y < a->ny; y++)
        for (int64_t x = 0; x < a->nx; x++) {
            int64_t v = a->base + y * a->nx + x;
            int more = l % 2 == 0 ? x + 1 < a->nx : y + 1 < a->ny;
            double segment = width / gen_between(p->seed, SEGMENT, v, 0.8, 1.6);
            if (more) stamp_conductance(s, (int32_t)v, (int32_t)(v + stride), segment);
            if (b == NULL) continue;
            int64_t under = b->base + y * (a->y_pitch / b->y_pitch) * b->nx + x * (a->x_pitch / b->x_pitch);
            double via = 1.0 / gen_between(p->seed, VIA, v, 0.4, 0.6);
            stamp_conductance(s, (int32_t)v, (int32_t)under, via);
        }
}

/* Decoupling everywhere; on layer 0 the devices: a conductance and a current that follow their activity. */
static void emit_loads(stamp *s, const gen_params *p, const grid *g, double volts)
{
    double h = 10e-12 * gen_step_size(p->step), time = gen_step_time(p->step);
    for (int64_t v = 0; v < g->nodes; v++) {
        double farad = gen_between(p->seed, DECAP, v, 5e-15, 50e-15);
        stamp_capacitor(s, (int32_t)v, GEN_GROUND, farad / h, 0.97 * volts);
        if (v >= g->layer[0].nx * g->layer[0].ny) continue;
        double activity = 0.5 + 0.5 * gen_wave(time / 80 + 0.3 * gen_uniform(p->seed, PHASE, v));
        double amperes = gen_between(p->seed, LOAD, v, 0.0, 40e-6) * (0.05 + activity);
        stamp_conductance(s, (int32_t)v, GEN_GROUND, 0.5 * amperes / volts);
        stamp_current(s, (int32_t)v, -0.5 * amperes);
    }
}

static void emit_pads(stamp *s, const gen_params *p, const grid *g, double volts)
{
    const layer *top = &g->layer[g->layers - 1];
    int64_t along = pads_along(top->nx);
    for (int64_t k = 0; k < g->pads; k++) {
        int64_t x = pad_place(top->nx, k % along), y = pad_place(top->ny, k / along);
        int32_t node = (int32_t)(top->base + y * top->nx + x);
        double package = 1.0 / gen_between(p->seed, PACKAGE, k, 0.05, 0.15);
        if (p->sources) {
            int32_t pad = (int32_t)(g->nodes + k), branch = (int32_t)(g->nodes + g->pads + k);
            stamp_conductance(s, node, pad, package);
            stamp_voltage_source(s, pad, branch, volts);
        } else {
            stamp_conductance(s, node, GEN_GROUND, package);
            stamp_current(s, node, package * volts);
        }
    }
}

void gen_emit_powergrid(stamp *s, const gen_params *p)
{
    const double volts = 1.0;
    grid g = choose(p);
    if (!stamp_begin(s, g.unknowns, count_entries(&g))) return;
    for (int l = 0; l < g.layers; l++) emit_layer(s, p, &g, l);
    emit_loads(s, p, &g, volts);
    emit_pads(s, p, &g, volts);
}
