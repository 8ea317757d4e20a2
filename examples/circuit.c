/* See circuit.h: devices, the circuit, its pattern, Newton's method, and the same circuit for ngspice. */
#include "circuit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double GMIN = 1e-12;                                    /* S, across every junction */
static const double VT = 300.15 * 1.38064852e-23 / 1.6021766208e-19; /* k T / q at 27 degrees, V */
static const double RELTOL = 1e-6, ABSTOL = 1e-9;                    /* where Newton ends, V and A alike */

const char *const probe_names[PROBES] = {"corner", "far", "first", "last", "sensor"};

static void add(const device *d, circuit *c, int row, int column, double value)
{
    c->values[d->place[row][column]] += value;
}

/* A current from terminal to terminal: conductance times the voltage between them, and an amount. */
static void add_branch(const device *d, circuit *c, int from, int to, double conductance, double amount)
{
    add(d, c, from, from, conductance);
    add(d, c, from, to, -conductance);
    add(d, c, to, from, -conductance);
    add(d, c, to, to, conductance);
    c->rhs[d->node[from]] -= amount;
    c->rhs[d->node[to]] += amount;
}

static double voltage(const device *d, const circuit *c, int from, int to)
{
    return c->x[d->node[from]] - c->x[d->node[to]];
}

/* ------------------------------------------- resistors and capacitors */

static void stamp_resistor(device *d, circuit *c)
{
    add_branch(d, c, 0, 1, 1.0 / d->value, 0.0);
}

static void card_value(const device *d, FILE *netlist)
{
    fprintf(netlist, "%d %d %.17g", (int)d->node[0], (int)d->node[1], d->value);
}

/* i = g (v - v_before) - memory i_before. */
static double capacitor_conductance(const device *d, const circuit *c)
{
    return c->step > 0.0 ? (1.0 + c->memory) * d->value / c->step : 0.0;
}

static void stamp_capacitor(device *d, circuit *c)
{
    double g = capacitor_conductance(d, c);
    add_branch(d, c, 0, 1, g, -g * d->state[0] - c->memory * d->state[1]);
}

static void sine_capacitor(const device *d, circuit *c)
{
    add_branch(d, c, 0, 1, d->value, 0.0);
}

static void accept_capacitor(device *d, const circuit *c)
{
    double v = voltage(d, c, 0, 1);
    d->state[1] = capacitor_conductance(d, c) * (v - d->state[0]) - c->memory * d->state[1];
    d->state[0] = v;
}

/* ------------------------------------------------------ voltage sources */

/* SPICE's PULSE: low until delay, then up, high, down, and low for ever. Seconds and volts. */
typedef struct pulse {
    double low, high, delay, rise, fall, width;
    double amplitude; /* in an AC analysis, whose sine takes its place */
} pulse;

static double pulse_at(const pulse *p, double time)
{
    double t = time - p->delay;
    if (t <= 0.0) return p->low;
    if (t < p->rise) return p->low + (p->high - p->low) * t / p->rise;
    t -= p->rise + p->width;
    if (t <= 0.0) return p->high;
    return t < p->fall ? p->high + (p->low - p->high) * t / p->fall : p->low;
}

static void stamp_source(device *d, circuit *c)
{
    add(d, c, 0, 2, 1.0); /* the branch current leaves the first node, enters the second */
    add(d, c, 1, 2, -1.0);
    add(d, c, 2, 0, 1.0); /* and the branch's row says what voltage is between them */
    add(d, c, 2, 1, -1.0);
    c->rhs[d->node[2]] += pulse_at(d->model, c->time);
}

static void sine_source(const device *d, circuit *c)
{
    c->rhs[d->node[2]] += ((const pulse *)d->model)->amplitude;
}

static void card_source(const device *d, FILE *netlist)
{
    const pulse *p = d->model;
    fprintf(netlist, "%d %d PULSE(%.17g %.17g %.17g %.17g %.17g %.17g) AC %.17g", (int)d->node[0], (int)d->node[1],
            p->low, p->high, p->delay, p->rise, p->fall, p->width, p->amplitude);
}

/* --------------------------------------------------------------- diodes */

typedef struct diode_model {
    const char *name;
    double is, n; /* saturation current in A, emission coefficient */
} diode_model;

/* SPICE's limit: beyond the critical voltage, where the exponential is steep, a step in voltage becomes the
 * step that gives the same current on the tangent. */
static double limit_junction(double v, double before, double vt, double critical)
{
    if (v <= critical || fabs(v - before) <= 2.0 * vt) return v;
    if (before <= 0.0) return vt * log(v / vt);
    double t = 1.0 + (v - before) / vt;
    return t > 0.0 ? before + vt * log(t) : critical;
}

static void stamp_diode(device *d, circuit *c)
{
    const diode_model *m = d->model;
    double vt = m->n * VT, wanted = voltage(d, c, 0, 1);
    double v = limit_junction(wanted, d->state[0], vt, vt * log(vt / (sqrt(2.0) * m->is))), i, g;
    if (v >= -3.0 * vt) {
        i = m->is * (exp(v / vt) - 1.0);
        g = m->is * exp(v / vt) / vt;
    } else { /* far in reverse SPICE leaves the exponential for a cube, which has a slope */
        double t = 3.0 * vt / (v * exp(1.0));
        i = -m->is * (1.0 + t * t * t);
        g = m->is * 3.0 * t * t * t / v;
    }
    c->limited |= v != wanted;
    d->state[0] = v;
    add_branch(d, c, 0, 1, g + GMIN, i - g * v);
}

static void card_diode(const device *d, FILE *netlist)
{
    fprintf(netlist, "%d %d %s", (int)d->node[0], (int)d->node[1], ((const diode_model *)d->model)->name);
}

/* -------------------------------------------------------------- MOSFETs */

typedef struct mosfet_model {
    const char *name;
    double polarity;        /* 1: n-channel, -1: p-channel */
    double vto, kp, lambda; /* threshold in V, transconductance in A/V^2, channel length modulation in 1/V */
    double width, length;
} mosfet_model;

enum { DRAIN, GATE, SOURCE, BULK };

typedef struct channel {
    double i, gm, gds; /* current, its derivatives by vgs and by vds */
} channel;

/* Shichman and Hodges: nothing below the threshold, a parabola in vds, flat (but for lambda) behind its top. */
static channel channel_at(const mosfet_model *m, double vgs, double vds)
{
    double over = vgs - m->polarity * m->vto, beta = m->kp * m->width / m->length;
    double longer = beta * (1.0 + m->lambda * vds);
    if (over <= 0.0) return (channel){0.0, 0.0, 0.0};
    if (over <= vds) return (channel){longer * over * over / 2.0, longer * over, m->lambda * beta * over * over / 2.0};
    double top = vds * (over - vds / 2.0);
    return (channel){longer * top, longer * vds, longer * (over - vds) + m->lambda * beta * top};
}

/* At most a volt from where it was. */
static double limit_step(double v, double before)
{
    return fmax(before - 1.0, fmin(before + 1.0, v));
}

static void stamp_mosfet(device *d, circuit *c)
{
    const mosfet_model *m = d->model;
    double vgs = m->polarity * voltage(d, c, GATE, SOURCE), vds = m->polarity * voltage(d, c, DRAIN, SOURCE);
    double gate = limit_step(vgs, d->state[0]), drain = limit_step(vds, d->state[1]);
    c->limited |= gate != vgs || drain != vds;
    d->state[0] = gate;
    d->state[1] = drain;
    /* The device is symmetric: the end at the lower voltage (n-channel) acts as the source. */
    int from = drain >= 0.0 ? DRAIN : SOURCE, to = DRAIN + SOURCE - from;
    if (from == SOURCE) gate -= drain;
    drain = fabs(drain);
    channel now = channel_at(m, gate, drain);
    add_branch(d, c, from, to, now.gds, m->polarity * (now.i - now.gm * gate - now.gds * drain));
    add(d, c, from, GATE, now.gm);
    add(d, c, from, to, -now.gm);
    add(d, c, to, GATE, -now.gm);
    add(d, c, to, to, now.gm);
    add_branch(d, c, DRAIN, BULK, GMIN, 0.0);
    add_branch(d, c, SOURCE, BULK, GMIN, 0.0);
}

static void card_mosfet(const device *d, FILE *netlist)
{
    const mosfet_model *m = d->model;
    fprintf(netlist, "%d %d %d %d %s W=%.17g L=%.17g", (int)d->node[DRAIN], (int)d->node[GATE], (int)d->node[SOURCE],
            (int)d->node[BULK], m->name, m->width, m->length);
}

/* ----------------------------------------------------------- amplifiers */

/* An inverting amplifier that saturates: v(out) = -swing tanh(gain v(in) / swing), whatever the load. */
typedef struct amplifier_model {
    double gain, swing;
} amplifier_model;

enum { OUT, IN, CURRENT };

/* Far in saturation the slope is zero and tells Newton nothing: from one end to the other, the middle first. */
static void stamp_amplifier(device *d, circuit *c)
{
    const amplifier_model *m = d->model;
    double wanted = c->x[d->node[IN]], linear = m->swing / m->gain, v = wanted;
    if (fabs(v - d->state[0]) > linear && v * d->state[0] < 0.0) v = 0.0;
    c->limited |= v != wanted;
    d->state[0] = v;
    double t = tanh(m->gain * v / m->swing), slope = m->gain * (1.0 - t * t);
    add(d, c, OUT, CURRENT, 1.0);
    add(d, c, CURRENT, OUT, 1.0);
    add(d, c, CURRENT, IN, slope);
    c->rhs[d->node[CURRENT]] += slope * v - m->swing * t;
}

static void card_amplifier(const device *d, FILE *netlist)
{
    const amplifier_model *m = d->model;
    fprintf(netlist, "%d 0 V=%.17g*tanh(%.17g*v(%d))", (int)d->node[OUT], -m->swing, m->gain / m->swing,
            (int)d->node[IN]);
}

/* ---------------------------------------------------------------- kinds */

static const kind resistor = {.letter = 'R',
                              .terminals = 2,
                              .entries = 4,
                              .entry = {{0, 0}, {0, 1}, {1, 0}, {1, 1}},
                              .stamp = stamp_resistor,
                              .card = card_value};
static const kind capacitor = {.letter = 'C',
                               .terminals = 2,
                               .entries = 4,
                               .entry = {{0, 0}, {0, 1}, {1, 0}, {1, 1}},
                               .stamp = stamp_capacitor,
                               .sine = sine_capacitor,
                               .accept = accept_capacitor,
                               .card = card_value};
static const kind source = {.letter = 'V',
                            .terminals = 2,
                            .branches = 1,
                            .entries = 4,
                            .entry = {{0, 2}, {1, 2}, {2, 0}, {2, 1}},
                            .stamp = stamp_source,
                            .sine = sine_source,
                            .card = card_source};
static const kind diode = {.letter = 'D',
                           .terminals = 2,
                           .entries = 4,
                           .entry = {{0, 0}, {0, 1}, {1, 0}, {1, 1}},
                           .stamp = stamp_diode,
                           .card = card_diode};
static const kind mosfet = {.letter = 'M',
                            .terminals = 4,
                            .entries = 11,
                            .entry = {{DRAIN, DRAIN},
                                      {DRAIN, GATE},
                                      {DRAIN, SOURCE},
                                      {SOURCE, DRAIN},
                                      {SOURCE, GATE},
                                      {SOURCE, SOURCE},
                                      {DRAIN, BULK},
                                      {SOURCE, BULK},
                                      {BULK, DRAIN},
                                      {BULK, SOURCE},
                                      {BULK, BULK}},
                            .stamp = stamp_mosfet,
                            .card = card_mosfet};
static const kind amplifier = {.letter = 'B',
                               .terminals = 2,
                               .branches = 1,
                               .entries = 3,
                               .entry = {{OUT, CURRENT}, {CURRENT, OUT}, {CURRENT, IN}},
                               .stamp = stamp_amplifier,
                               .card = card_amplifier};

/* ---------------------------------------------------- the circuit itself */

static const pulse supply = {5.0, 5.0, 0.0, 1e-10, 1e-10, 0.0, 0.0};
static const pulse drive = {-2.0, 7.0, 5e-10, 5e-10, 5e-10, 1.5e-9, 1.0}; /* beyond both rails: diodes conduct */
static const diode_model clamp = {"clamp", 1e-14, 1.0};
static const mosfet_model pull_up = {"mp", -1.0, -1.0, 5e-5, 0.02, 4e-6, 1e-6};
static const mosfet_model pull_down = {"mn", 1.0, 1.0, 1e-4, 0.02, 2e-6, 1e-6};
static const amplifier_model sensor = {5000.0, 2.5};

/* prepare makes room for all devices. */
static device *connect(circuit *c, const kind *k, double value, const void *model, int a, int b)
{
    device *d = &c->devices[c->count++];
    *d = (device){.kind = k, .node = {a, b}, .value = value, .model = model};
    if (k->branches > 0) d->node[k->terminals] = ++c->n;
    return d;
}

static void connect_mosfet(circuit *c, const mosfet_model *m, int d, int g, int s, int b)
{
    device *made = connect(c, &mosfet, 0.0, m, d, g);
    made->node[SOURCE] = s;
    made->node[BULK] = b;
}

/* Square, its nodes are 1 to size^2; the drive comes in at node 1 and diodes clamp the diagonal. */
static void build_mesh(circuit *c, int size, int rail)
{
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            int node = 1 + i * size + j;
            if (j + 1 < size) connect(c, &resistor, 1e3, NULL, node, node + 1);
            if (i + 1 < size) connect(c, &resistor, 1e3, NULL, node, node + size);
            connect(c, &capacitor, 2e-14 / size, NULL, node, 0);
        }
    for (int i = 0; i < size; i++) {
        connect(c, &diode, 0.0, &clamp, 1 + i * size + i, rail);
        connect(c, &diode, 0.0, &clamp, 0, 1 + i * size + i);
    }
    int input = ++c->n;
    connect(c, &source, 0.0, &drive, input, 0);
    connect(c, &resistor, 500.0, NULL, input, 1);
}

static int build_supply(circuit *c)
{
    int battery = ++c->n, rail = ++c->n;
    connect(c, &source, 0.0, &supply, battery, 0);
    connect(c, &resistor, 1.0, NULL, battery, rail);
    connect(c, &capacitor, 1e-11, NULL, rail, 0);
    return rail;
}

static void build_inverters(circuit *c, int size, int rail)
{
    for (int i = 0; i < size; i++) {
        int in = (i + 1) * size, out = ++c->n;
        connect_mosfet(c, &pull_up, out, in, rail, rail);
        connect_mosfet(c, &pull_down, out, in, 0, 0);
        connect(c, &capacitor, 1e-13, NULL, out, 0);
        if (i == 0) c->probe[2] = out;
        c->probe[3] = out;
    }
}

/* Twice the far corner's voltage, inverted, and from that a little back to another corner. */
static void build_sensor(circuit *c, int far, int other)
{
    int in = ++c->n, out = ++c->n;
    connect(c, &resistor, 1e4, NULL, far, in);
    connect(c, &resistor, 2e4, NULL, in, out);
    connect(c, &capacitor, 1e-14, NULL, in, out);
    connect(c, &amplifier, 0.0, &sensor, out, in);
    connect(c, &resistor, 1e4, NULL, out, other);
    c->probe[4] = out;
}

static void build(circuit *c, int size)
{
    int last = size * size;
    c->n = last;
    int rail = build_supply(c);
    build_mesh(c, size, rail);
    build_inverters(c, size, rail);
    build_sensor(c, last, size);
    connect_mosfet(c, &pull_down, 1, rail, last - size + 1, 0); /* along the left edge: current flows both ways */
    c->probe[0] = 1;
    c->probe[1] = last;
}

/* ------------------------------------------------- pattern and places */

static void *zeros(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count, size);
    if (memory == NULL) fputs("out of memory\n", stderr);
    return memory;
}

/* Counts entries by column, or files their rows, backwards from where ptr says that columns end. */
static void scan_entries(const circuit *c, int32_t *ptr, int32_t *rows)
{
    for (int k = 0; k < c->count; k++)
        for (int e = 0; e < c->devices[k].kind->entries; e++) {
            const device *d = &c->devices[k];
            int32_t row = d->node[d->kind->entry[e][0]], column = d->node[d->kind->entry[e][1]];
            if (row == 0 || column == 0) continue;
            if (rows == NULL)
                ptr[column]++;
            else
                rows[--ptr[column]] = row - 1;
        }
}

/* Keeps each entry's first; seen: n zeros. On entry column j, counted from 0, begins at ptr[j + 1]. */
static void drop_repeats(circuit *c, int32_t *seen)
{
    for (int32_t j = 0; j < c->n; j++) {
        int32_t k = c->ptr[j + 1];
        c->ptr[j] = c->nnz;
        for (; k < c->ptr[j + 2]; k++)
            if (seen[c->idx[k]] != j + 1) {
                seen[c->idx[k]] = j + 1;
                c->idx[c->nnz++] = c->idx[k];
            }
    }
    c->ptr[c->n] = c->nnz;
}

/* The devices' entries by columns, each once. */
static int build_pattern(circuit *c)
{
    int32_t *ptr = c->ptr = zeros((int64_t)c->n + 2, sizeof *ptr), *seen = zeros(c->n, sizeof *seen);
    if (ptr != NULL && seen != NULL) {
        scan_entries(c, ptr, NULL);
        for (int32_t j = 1; j <= c->n; j++) ptr[j] += ptr[j - 1];
        ptr[c->n + 1] = ptr[c->n];
        c->idx = zeros(ptr[c->n], sizeof *c->idx);
    }
    if (c->idx != NULL) {
        scan_entries(c, ptr, c->idx);
        drop_repeats(c, seen);
    }
    free(seen);
    return c->idx != NULL;
}

/* 1 if the call did its work: an error is said, a warning counted. */
int circuit_worked(circuit *c, warplu_status status, const char *call)
{
    if (status < 0)
        fprintf(stderr, "%s: %s at %g s: %s: %s\n", c->name, call, c->time, warplu_status_text(status),
                warplu_get_message(c->solver));
    else if (status > 0)
        c->warnings[(int)status < WARNINGS ? status : 0]++;
    return status >= 0;
}

/* Every device asks where its entries are. */
static int find_places(circuit *c)
{
    for (int k = 0; k < c->count; k++)
        for (int e = 0; e < c->devices[k].kind->entries; e++) {
            device *d = &c->devices[k];
            int i = d->kind->entry[e][0], j = d->kind->entry[e][1];
            int32_t position;
            if (d->node[i] == 0 || d->node[j] == 0) continue;
            if (!circuit_worked(c, warplu_get_position(c->solver, d->node[i] - 1, d->node[j] - 1, &position),
                                "position"))
                return 0;
            d->place[i][j] = position + 1;
        }
    return 1;
}

int circuit_prepare(circuit *c, int size)
{
    c->devices = zeros(3 * (int64_t)size * size + 8 * (int64_t)size + 8, sizeof *c->devices);
    if (c->devices == NULL) return 0;
    build(c, size);
    if (!build_pattern(c)) return 0;
    c->values = zeros((int64_t)c->nnz + 1, sizeof(double));
    c->rhs = zeros((int64_t)c->n + 1, sizeof(double));
    c->x = zeros((int64_t)c->n + 1, sizeof(double));
    c->next = zeros((int64_t)c->n + 1, sizeof(double));
    if (c->values == NULL || c->rhs == NULL || c->x == NULL || c->next == NULL) return 0;
    return circuit_worked(c, warplu_create(&c->solver, NULL), "create") &&
           circuit_worked(c, warplu_analyze(c->solver, c->n, c->ptr, c->idx, NULL), "analyze") && find_places(c);
}

void circuit_dismantle(circuit *c)
{
    warplu_destroy(&c->solver);
    free(c->devices);
    free(c->ptr);
    free(c->idx);
    free(c->values);
    free(c->rhs);
    free(c->x);
    free(c->next);
}

/* ------------------------------------------------------------- the loop */

static void clear(circuit *c)
{
    memset(c->values, 0, ((size_t)c->nnz + 1) * sizeof *c->values);
    memset(c->rhs, 0, ((size_t)c->n + 1) * sizeof *c->rhs);
}

void circuit_stamp_sine(circuit *c)
{
    clear(c);
    for (int k = 0; k < c->count; k++)
        if (c->devices[k].kind->sine != NULL) c->devices[k].kind->sine(&c->devices[k], c);
}

/* The linearized circuit at c->x. */
void circuit_stamp(circuit *c)
{
    c->limited = 0;
    clear(c);
    for (int k = 0; k < c->count; k++) c->devices[k].kind->stamp(&c->devices[k], c);
}

/* What the solver thinks of its last replay, and whether it had to pivot again. */
static int read_health(circuit *c)
{
    warplu_statistics s = {.size = sizeof s};
    if (!circuit_worked(c, warplu_get_statistics(c->solver, &s), "statistics")) return 0;
    if (s.repivots > c->repivots) printf("%.4g s: pivoted again\n", c->time);
    c->repivots = s.repivots;
    c->growth = fmin(c->growth, s.pivot_growth);
    c->largest_l = fmax(c->largest_l, s.largest_l);
    c->backward_error = fmax(c->backward_error, s.backward_error);
    return 1;
}

/* No unknown moved more than the tolerance, and all devices were evaluated where it stands. */
int circuit_settled(const circuit *c)
{
    for (int32_t i = 1; i <= c->n; i++)
        if (!(fabs(c->next[i] - c->x[i]) <= RELTOL * fmax(fabs(c->next[i]), fabs(c->x[i])) + ABSTOL)) return 0;
    return !c->limited;
}

/* Solves the circuit at c->time, from c->x on. */
int circuit_newton(circuit *c)
{
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        circuit_stamp(c);
        if (!circuit_worked(c, warplu_refactor(c->solver, c->values + 1), "refactor")) return 0;
        if (!circuit_worked(c, warplu_solve(c->solver, 1, c->rhs + 1, c->n, c->next + 1, c->n), "solve")) return 0;
        if (!read_health(c)) return 0;
        c->iterations++;
        int done = circuit_settled(c);
        double *x = c->next;
        c->next = c->x;
        c->x = x;
        if (done) return 1;
    }
    fprintf(stderr, "%s: no convergence at %g s\n", c->name, c->time);
    return 0;
}

void circuit_accept(circuit *c)
{
    for (int k = 0; k < c->count; k++)
        if (c->devices[k].kind->accept != NULL) c->devices[k].kind->accept(&c->devices[k], c);
}

/* The first analysis sees the pattern alone, for places are needed before there are values, and Newton's
 * first iterates are far from any solution. The operating point is worth another, with its values, and pivots
 * of its own. */
int circuit_operating_point(circuit *c)
{
    if (!circuit_newton(c)) return 0;
    printf("operating point: %lld iterations\n", (long long)c->iterations);
    circuit_stamp(c);
    if (!circuit_worked(c, warplu_analyze(c->solver, c->n, c->ptr, c->idx, c->values + 1), "analyze")) return 0;
    return circuit_worked(c, warplu_factor(c->solver, c->values + 1), "factor");
}

/* -------------------------------------------------------- for ngspice */

static void write_mosfet_model(const mosfet_model *m, FILE *file)
{
    fprintf(file, ".model %s %s(LEVEL=1 VTO=%.17g KP=%.17g LAMBDA=%.17g GAMMA=0 PHI=0.6 IS=0 CGSO=0 CGDO=0)\n", m->name,
            m->polarity > 0.0 ? "NMOS" : "PMOS", m->vto, m->kp, m->lambda);
}

static void write_devices(const circuit *c, FILE *file)
{
    for (int k = 0; k < c->count; k++) {
        const device *d = &c->devices[k];
        fprintf(file, "%c%d ", d->kind->letter, k + 1);
        d->kind->card(d, file);
        fputc('\n', file);
    }
}

void circuit_write_netlist(const circuit *c, const char *analysis, const char *table, FILE *file)
{
    fprintf(file, "warplu: examples/circuit.c\n");
    write_devices(c, file);
    fprintf(file, ".model %s D(LEVEL=1 IS=%.17g N=%.17g RS=0 CJO=0 TT=0)\n", clamp.name, clamp.is, clamp.n);
    write_mosfet_model(&pull_up, file);
    write_mosfet_model(&pull_down, file);
    fprintf(file, ".options temp=27 tnom=27 gmin=%.17g reltol=%g abstol=1e-12 vntol=%g %s\n", GMIN, RELTOL, ABSTOL,
            c->memory > 0.0 ? "method=trap" : "method=gear maxord=1");
    fprintf(file, "%s\n.control\nrun\nset wr_singlescale\nset wr_vecnames\nset numdgt=15\n", analysis);
    fprintf(file, "wrdata %s", table);
    for (int i = 0; i < PROBES; i++) fprintf(file, " v(%d)", (int)c->probe[i]);
    fprintf(file, "\nquit\n.endc\n.end\n");
}
