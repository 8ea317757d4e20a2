/* A transient circuit simulation: what warplu is made for. The circuit is in circuit.c.
 *
 * In each Newton iteration all devices add their linearized equations to the matrix, warplu_refactor replays the
 * factorization, and warplu_solve gives the next iterate. The pattern never changes, the values always do. The program
 * never asks whether the old pivots still fit: the solver judges every replay, pivots again where it has to, and says
 * so. Warnings are counted, errors end the run, and the health that the statistics tell is reported. --netlist writes
 * the same circuit for ngspice.
 *
 * Build: cc transient.c circuit.c options.c $(pkg-config --cflags --libs warplu) -lm */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "circuit.h"
#include "options.h"

static void write_point(const circuit *c, FILE *waveform)
{
    if (waveform == NULL) return;
    fprintf(waveform, "%.17g", c->time);
    for (int i = 0; i < PROBES; i++) fprintf(waveform, " %.17g", c->x[c->probe[i]]);
    fputc('\n', waveform);
}

/* ngspice chooses its steps, up to ours. */
static void write_netlist(const circuit *c, double step, int steps, FILE *file)
{
    char analysis[128];
    if (file == NULL) return;
    snprintf(analysis, sizeof analysis, ".tran %.17g %.17g 0 %.17g", step, steps * step, step);
    circuit_write_netlist(c, analysis, "ngspice.waveform", file);
}

static int run(circuit *c, double step, int steps, FILE *waveform)
{
    if (!circuit_operating_point(c)) return 0;
    circuit_accept(c);
    write_point(c, waveform);
    c->step = step;
    for (int k = 1; k <= steps; k++) {
        c->time = k * step;
        if (!circuit_newton(c)) return 0;
        circuit_accept(c);
        write_point(c, waveform);
    }
    return 1;
}

/* ------------------------------------------------------------- the program */

typedef struct arguments {
    double memory, step;
    int mesh, steps;
    const char *netlist, *waveform;
} arguments;

static void usage(FILE *file)
{
    fprintf(file,
            "usage: transient [--method be|trap] [--mesh N] [--steps N] [--step SECONDS]\n"
            "                 [--netlist FILE] [--waveform FILE]\n"
            "  --method    backward Euler or the trapezoidal rule (trap)\n"
            "  --mesh      nodes along an edge of the mesh, 1 to %d (8)\n"
            "  --steps     time steps (1000)\n"
            "  --step      length of one (5e-12)\n"
            "  --netlist   write the circuit for ngspice\n"
            "  --waveform  write time and the voltages of some nodes\n",
            MOST_MESH);
}

/* 1 if the option is known and its value makes sense. */
static int read_option(void *into, const char *option, const char *value)
{
    arguments *a = into;
    if (strcmp(option, "--method") == 0) return read_method(value, &a->memory);
    if (strcmp(option, "--mesh") == 0) return (a->mesh = whole(value, MOST_MESH)) > 0;
    if (strcmp(option, "--steps") == 0) return (a->steps = whole(value, INT_MAX)) > 0;
    if (strcmp(option, "--step") == 0) return (a->step = positive(value)) > 0.0;
    if (strcmp(option, "--netlist") == 0) return (a->netlist = value)[0] != '\0';
    if (strcmp(option, "--waveform") == 0) return (a->waveform = value)[0] != '\0';
    return 0;
}

static void report(const circuit *c, int steps)
{
    printf("%d steps: %lld iterations, %lld times pivoted again\n", steps, (long long)c->iterations,
           (long long)c->repivots);
    printf("warnings: %lld pivoted again, %lld inaccurate, %lld others\n", (long long)c->warnings[WARPLU_REPIVOTED],
           (long long)c->warnings[WARPLU_INACCURATE], (long long)(c->warnings[0] + c->warnings[WARPLU_UNCHECKED]));
    printf("worst: pivot growth %.1e, largest l %.1e, backward error %.1e\n", c->growth, c->largest_l,
           c->backward_error);
    printf("at the end:");
    for (int i = 0; i < PROBES; i++) printf(" %s %.4f V", probe_names[i], c->x[c->probe[i]]);
    printf("\n");
}

static int simulate(const arguments *a)
{
    circuit c = {.name = "transient", .memory = a->memory, .growth = 1.0, .backward_error = -1.0};
    FILE *netlist = NULL, *waveform = NULL;
    int done = circuit_prepare(&c, a->mesh) && open_file(c.name, a->netlist, &netlist) &&
               open_file(c.name, a->waveform, &waveform);
    if (done) {
        printf("mesh %d by %d: %d unknowns, %d entries, %s\n", a->mesh, a->mesh, (int)c.n, (int)c.nnz,
               a->memory > 0.0 ? "trapezoidal rule" : "backward Euler");
        write_netlist(&c, a->step, a->steps, netlist);
        done = run(&c, a->step, a->steps, waveform);
    }
    done &= close_file(c.name, a->netlist, netlist) & close_file(c.name, a->waveform, waveform);
    if (done) report(&c, a->steps);
    circuit_dismantle(&c);
    return done;
}

int main(int argc, char **argv)
{
    arguments a = {.memory = 1.0, .step = 5e-12, .mesh = 8, .steps = 1000};
    int code = read_arguments(argc, argv, read_option, &a, usage);
    return code >= 0 ? code : simulate(&a) ? 0 : 1;
}
