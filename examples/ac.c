/* An AC analysis: sines so small that the circuit is linear, at many frequencies. The circuit is in circuit.c.
 *
 * At the operating point the devices leave conductances G and capacitances C. At the angular frequency w the matrix is
 * A(w) = G + i w C and the unknowns are phasors: one pattern and complex values. Pivots are chosen at the frequency
 * in the middle, then warplu_refactor replays the factorization at each. As in transient.c the solver
 * judges every replay and pivots again where it has to. --netlist writes the same circuit for ngspice, --matrix writes
 * A there in the Matrix Market format.
 *
 * Build: cc ac.c circuit.c options.c $(pkg-config --cflags --libs warplu) -lm -o ac */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <warplu/complex.h>

#include "circuit.h"
#include "options.h"

enum { MOST_DECADES = 20, MOST_POINTS = 100000 };

typedef struct arguments {
    double from;               /* Hz */
    int decades, points, mesh; /* points in each decade, as in SPICE; the last frequency is one more */
    const char *netlist, *matrix, *table;
} arguments;

/* Complex numbers are two doubles each, the real part first. A circuit's element 0, for ground, is left out. */
typedef struct sweep {
    circuit *c; /* at its operating point; its solver is for real values */
    warplu_solver *solver;
    double *conductance, *capacitance;
    double *values, *rhs, *x;
    long long warnings[WARNINGS];
} sweep;

static double *numbers(int64_t count)
{
    double *made = calloc((size_t)count, sizeof *made);
    if (made == NULL) fputs("ac: out of memory\n", stderr);
    return made;
}

static int count_frequencies(const arguments *a)
{
    return a->decades * a->points + 1;
}

static double frequency_at(const arguments *a, int k)
{
    return a->from * pow(10.0, (double)k / a->points);
}

/* 1 if the call did its work: an error is said, a warning counted. */
static int worked(sweep *s, warplu_status status, const char *call, double frequency)
{
    if (status < 0)
        fprintf(stderr, "ac: %s at %g Hz: %s: %s\n", call, frequency, warplu_status_text(status),
                warplu_get_message(s->solver));
    else if (status > 0)
        s->warnings[(int)status < WARNINGS ? status : 0]++;
    return status >= 0;
}

static int allocate(sweep *s)
{
    int64_t nnz = s->c->nnz, n = s->c->n;
    return (s->conductance = numbers(nnz)) != NULL && (s->capacitance = numbers(nnz)) != NULL &&
           (s->values = numbers(2 * nnz)) != NULL && (s->rhs = numbers(2 * n)) != NULL &&
           (s->x = numbers(2 * n)) != NULL;
}

static void release(sweep *s)
{
    warplu_destroy(&s->solver);
    free(s->conductance);
    free(s->capacitance);
    free(s->values);
    free(s->rhs);
    free(s->x);
}

/* G, C and the right-hand side, which has the amplitudes and is the same at all frequencies. */
static void linearize(sweep *s)
{
    circuit *c = s->c;
    size_t bytes = (size_t)c->nnz * sizeof(double);
    circuit_stamp(c);
    memcpy(s->conductance, c->values + 1, bytes);
    circuit_stamp_sine(c);
    memcpy(s->capacitance, c->values + 1, bytes);
    for (int32_t i = 0; i < c->n; i++) s->rhs[2 * i] = c->rhs[i + 1];
}

static void stamp(sweep *s, double frequency)
{
    const double OMEGA = 2.0 * acos(-1.0) * frequency;
    for (int32_t p = 0; p < s->c->nnz; p++) {
        s->values[2 * p] = s->conductance[p];
        s->values[2 * p + 1] = OMEGA * s->capacitance[p];
    }
}

/* A solver of complex values with pivots for this frequency. */
static int prepare(sweep *s, double frequency)
{
    warplu_options options;
    warplu_init_options(&options);
    options.scalar = WARPLU_SCALAR_COMPLEX;
    stamp(s, frequency);
    return worked(s, warplu_create(&s->solver, &options), "create", frequency) &&
           worked(s, warplu_analyze(s->solver, s->c->n, s->c->ptr, s->c->idx, s->values), "analyze", frequency) &&
           worked(s, warplu_factor(s->solver, s->values), "factor", frequency);
}

/* A frequency, then real and imaginary part of each probe's voltage. */
static void write_point(const sweep *s, double frequency, FILE *table)
{
    if (table == NULL) return;
    fprintf(table, "%.17g", frequency);
    for (int i = 0; i < PROBES; i++) {
        const double *v = s->x + 2 * (s->c->probe[i] - 1);
        fprintf(table, " %.17g %.17g", v[0], v[1]);
    }
    fputc('\n', table);
}

static int run(sweep *s, const arguments *a, FILE *table)
{
    for (int k = 0; k < count_frequencies(a); k++) {
        double frequency = frequency_at(a, k);
        stamp(s, frequency);
        if (!worked(s, warplu_refactor(s->solver, s->values), "refactor", frequency)) return 0;
        if (!worked(s, warplu_solve(s->solver, 1, s->rhs, s->c->n, s->x, s->c->n), "solve", frequency)) return 0;
        write_point(s, frequency, table);
    }
    return 1;
}

/* ---------------------------------------------------------------- files */

static void write_netlist(const circuit *c, const arguments *a, FILE *file)
{
    char analysis[128];
    if (file == NULL) return;
    snprintf(analysis, sizeof analysis, ".ac dec %d %.17g %.17g", a->points, a->from,
             frequency_at(a, a->decades * a->points));
    circuit_write_netlist(c, analysis, "ngspice.table", file);
}

/* In the Matrix Market format. */
static void write_matrix(const sweep *s, FILE *file)
{
    const circuit *c = s->c;
    if (file == NULL) return;
    fprintf(file, "%%%%MatrixMarket matrix coordinate complex general\n%d %d %d\n", (int)c->n, (int)c->n, (int)c->nnz);
    for (int32_t j = 0; j < c->n; j++)
        for (int32_t p = c->ptr[j]; p < c->ptr[j + 1]; p++)
            fprintf(file, "%d %d %.17g %.17g\n", (int)c->idx[p] + 1, (int)j + 1, s->values[2 * p],
                    s->values[2 * p + 1]);
}

/* ------------------------------------------------------------- the program */

static void usage(FILE *file)
{
    fprintf(file,
            "usage: ac [--from HZ] [--decades N] [--points N] [--mesh N] [--netlist FILE]\n"
            "          [--matrix FILE] [--table FILE]\n"
            "  --from     the first frequency (1000)\n"
            "  --decades  of frequencies, 1 to %d (9)\n"
            "  --points   in each decade (111)\n"
            "  --mesh     nodes along an edge of the mesh, 1 to %d (8)\n"
            "  --netlist  write the circuit for ngspice\n"
            "  --matrix   write the matrix of the frequency in the middle\n"
            "  --table    write frequencies, real and imaginary parts of the voltages of\n"
            "             some nodes\n",
            MOST_DECADES, MOST_MESH);
}

/* 1 if the option is known and its value makes sense. */
static int read_option(void *into, const char *option, const char *value)
{
    arguments *a = into;
    if (strcmp(option, "--from") == 0) return (a->from = positive(value)) > 0.0;
    if (strcmp(option, "--decades") == 0) return (a->decades = whole(value, MOST_DECADES)) > 0;
    if (strcmp(option, "--points") == 0) return (a->points = whole(value, MOST_POINTS)) > 0;
    if (strcmp(option, "--mesh") == 0) return (a->mesh = whole(value, MOST_MESH)) > 0;
    if (strcmp(option, "--netlist") == 0) return (a->netlist = value)[0] != '\0';
    if (strcmp(option, "--matrix") == 0) return (a->matrix = value)[0] != '\0';
    if (strcmp(option, "--table") == 0) return (a->table = value)[0] != '\0';
    return 0;
}

/* Decibels and degrees of the last voltages. */
static int report(sweep *s, const arguments *a)
{
    warplu_statistics statistics = {.size = sizeof statistics};
    double last = frequency_at(a, a->decades * a->points);
    if (!worked(s, warplu_get_statistics(s->solver, &statistics), "statistics", last)) return 0;
    printf("%d frequencies: %lld times pivoted again, warnings: %lld inaccurate, %lld others\n", count_frequencies(a),
           (long long)statistics.repivots, s->warnings[WARPLU_INACCURATE],
           s->warnings[0] + s->warnings[WARPLU_UNCHECKED]);
    printf("at %.4g Hz:", last);
    for (int i = 0; i < PROBES; i++) {
        const double *v = s->x + 2 * (s->c->probe[i] - 1);
        printf(" %s %.1f dB %.1f deg", probe_names[i], 20.0 * log10(hypot(v[0], v[1])),
               180.0 / acos(-1.0) * atan2(v[1], v[0]));
    }
    printf("\n");
    return 1;
}

static int analyze(circuit *c, const arguments *a, FILE *netlist, FILE *matrix, FILE *table)
{
    sweep s = {.c = c};
    write_netlist(c, a, netlist);
    int done = circuit_operating_point(c) && allocate(&s);
    if (done) {
        linearize(&s);
        done = prepare(&s, frequency_at(a, a->decades * a->points / 2));
    }
    if (done) {
        write_matrix(&s, matrix);
        done = run(&s, a, table) && report(&s, a);
    }
    release(&s);
    return done;
}

int main(int argc, char **argv)
{
    arguments a = {.from = 1e3, .decades = 9, .points = 111, .mesh = 8};
    circuit c = {.name = "ac", .growth = 1.0, .backward_error = -1.0};
    FILE *netlist = NULL, *matrix = NULL, *table = NULL;
    int code = read_arguments(argc, argv, read_option, &a, usage);
    if (code >= 0) return code;
    int done = circuit_prepare(&c, a.mesh) && open_file(c.name, a.netlist, &netlist) &&
               open_file(c.name, a.matrix, &matrix) && open_file(c.name, a.table, &table);
    if (done) {
        printf("mesh %d by %d: %d unknowns, %d entries\n", a.mesh, a.mesh, (int)c.n, (int)c.nnz);
        done = analyze(&c, &a, netlist, matrix, table);
    }
    done &= close_file(c.name, a.netlist, netlist) & close_file(c.name, a.matrix, matrix) &
            close_file(c.name, a.table, table);
    circuit_dismantle(&c);
    return done ? 0 : 1;
}
