/* The circuit of the examples transient.c, ac.c and monte_carlo.c, in the form that simulators have it.
 *
 * What: a mesh of resistors and capacitors is driven by a pulse through clamping diodes; inverters of two MOSFETs
 * stand at its right edge, a pass transistor at its left, and an amplifier follows its far corner. At the operating
 * point the amplifier is linear, and its gain is the best pivot of its column. Later the pulse drives it into
 * saturation: that entry falls to zero, and the old pivots are no good any more.
 *
 * How: modified nodal analysis. The unknowns are node voltages and, for voltage sources, branch currents; number 0
 * is ground. A device asks once, through warplu_get_position, for its places in the matrix. In each Newton iteration
 * all devices add their linearized equations there. Time is discretized by backward Euler or the trapezoidal rule with
 * a fixed step, diodes are limited as in SPICE2 (Nagel, UCB/ERL M520, 1975), MOSFETs follow Shichman and Hodges (IEEE
 * JSSC 3(3), 1968). */
#ifndef CIRCUIT_H
#define CIRCUIT_H

#include <stdint.h>
#include <stdio.h>
#include <warplu/inspect.h>

enum { TERMINALS = 4, MOST_ITERATIONS = 100, MOST_MESH = 1000, PROBES = 5, WARNINGS = 4 };

typedef struct device device;
typedef struct circuit circuit;

/* What is common to all resistors, all diodes and so on. */
typedef struct kind {
    char letter;   /* of its line in a netlist */
    int terminals; /* nodes it connects */
    int branches;  /* currents among the unknowns: 0 or 1 */
    int entries;
    int entry[11][2];                             /* pairs of terminals (the branch comes last) in the matrix */
    void (*stamp)(device *d, circuit *c);         /* adds its equations at c->x to the matrix and right side */
    void (*sine)(const device *d, circuit *c);    /* adds its capacitance or amplitude; NULL: has none */
    void (*accept)(device *d, const circuit *c);  /* c->x solves this time step; NULL: has no memory */
    void (*card)(const device *d, FILE *netlist); /* its line in a netlist, from the nodes on */
} kind;

struct device {
    const kind *kind;
    int32_t node[TERMINALS];             /* unknowns: terminals, then the branch */
    int32_t place[TERMINALS][TERMINALS]; /* in c->values; 0 where row or column is ground */
    double value;                        /* ohms, farads */
    const void *model;                   /* pulse, diode_model, mosfet_model or amplifier_model */
    double state[2];                     /* capacitor: voltage, current; others: where last evaluated */
};

/* Arrays over the unknowns and c->values have an element 0, for ground, that the solver never sees. */
struct circuit {
    const char *name; /* of the program, for what it says */
    device *devices;
    int count;
    int32_t n, nnz;     /* unknowns; entries of the matrix */
    int32_t *ptr, *idx; /* the pattern by columns, zero-based, without ground */
    double *values, *rhs, *x, *next;
    double time, step;     /* step 0: operating point, capacitors are open */
    double memory;         /* of a capacitor's last current: 0 backward Euler, 1 trapezoidal rule */
    int limited;           /* some device was evaluated elsewhere than at x */
    int32_t probe[PROBES]; /* nodes in the waveforms */
    warplu_solver *solver;
    int64_t iterations, repivots, warnings[WARNINGS];
    double growth, largest_l, backward_error; /* the worst of all replays and checked solves */
};

extern const char *const probe_names[PROBES];

/* All calls answer 1 if they did their work; else they have said why on standard error. */

/* Builds the circuit of a mesh of size by size nodes and analyzes its pattern, after the caller has set name, memory,
 * and whatever else is not 0 at first. circuit_dismantle frees what it made, after a failure too. */
int circuit_prepare(circuit *c, int size);
void circuit_dismantle(circuit *c);
/* Whether a call did its work: a warning is counted. */
int circuit_worked(circuit *c, warplu_status status, const char *call);
/* The circuit at c->time, linearized at c->x: c->values and c->rhs. */
void circuit_stamp(circuit *c);
/* What an AC analysis adds: capacitances in c->values, amplitudes of sources in c->rhs. */
void circuit_stamp_sine(circuit *c);
/* No unknown moved more than the tolerance from x to next, and all devices were evaluated where it stands. */
int circuit_settled(const circuit *c);
/* c->x solves this time step. */
void circuit_accept(circuit *c);
/* Solves the circuit at c->time, from c->x on. */
int circuit_newton(circuit *c);
/* The same at time 0 with capacitors open, and pivots that suit it. */
int circuit_operating_point(circuit *c);
/* The same circuit, models and method for ngspice, which does `analysis`. What the probes show goes to `table` in the
 * folder it runs in, columns as ours. */
void circuit_write_netlist(const circuit *c, const char *analysis, const char *table, FILE *file);

#endif
