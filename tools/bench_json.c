/* Reports of warplu bench as JSON lines: what the run is, then each matrix. Lifecycles have lines of their own
 * (bench_life_report.c), made from the same parts. */
#include "bench.h"
#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---------------------------------------------------------------------- run */

static void json_machine(json *j)
{
    machine_facts facts;
    machine_describe(&facts);
    json_open(j, "machine", '{');
    json_text(j, "processor", facts.processor);
    json_int(j, "cores", facts.cores);
    json_int(j, "memory_bytes", facts.memory_bytes);
    if (facts.system[0] != '\0') {
        json_text(j, "system", facts.system);
        json_text(j, "release", facts.release);
        json_text(j, "architecture", facts.architecture);
    }
    json_close(j);
}

static void json_peers(json *j, const bench_plan *plan)
{
    char path[4096];
    json_open(j, "peers", '[');
    for (int k = plan->executors; k < plan->count; k++) {
        const bench_entry *e = &plan->entry[k];
        json_open(j, NULL, '{');
        json_text(j, "name", e->name);
        json_text(j, "library", e->peer->library);
        json_text(j, "missing", peer_program(e->peer, path, sizeof path) ? NULL : e->peer->get);
        json_close(j);
    }
    json_close(j);
}

/* What the environment tells threads, BLAS libraries and devices to do. */
static void json_environment(json *j)
{
    static const char *const prefixes[] = {"WARPLU_", "OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "BLIS_", "CUDA_"};
    json_open(j, "environment", '[');
    for (char **variable = machine_environment(); variable != NULL && *variable != NULL; variable++)
        for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++)
            if (strncmp(*variable, prefixes[k], strlen(prefixes[k])) == 0) json_text(j, NULL, *variable);
    json_close(j);
}

void bench_json_run(const bench_plan *plan, int argc, char **argv)
{
    json j;
    char now[32];
    time_t seconds = time(NULL);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime(&seconds));
    json_begin_line(&j, stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "run", "warplu bench");
    json_text(&j, "version", warplu_version());
#ifdef __VERSION__
    json_text(&j, "compiler", __VERSION__);
#endif
    json_text(&j, "time", now);
    json_machine(&j);
    json_open(&j, "arguments", '[');
    for (int k = 1; k < argc; k++) json_text(&j, NULL, argv[k]);
    json_close(&j);
    json_environment(&j);
    json_peers(&j, plan);
    json_end(&j);
    fflush(stdout);
}

/* ------------------------------------------------------------------ entries */

void bench_json_samples(json *j, const char *name, const bench_samples *s)
{
    json_open(j, name, '{');
    json_real(j, "min", bench_samples_ms(s, 0.0));
    json_real(j, "median", bench_samples_ms(s, 0.5));
    json_real(j, "max", bench_samples_ms(s, 1.0));
    json_int(j, "repeats", s->count);
    json_close(j);
}

/* The parts of the median set-up, and the spread of the whole. */
void bench_json_setup(json *j, const bench_entry *e)
{
    int count = e->setup_count;
    json_real(j, "analyze_ms", e->setup.analyze_ms);
    json_real(j, "factor_ms", e->setup.factor_ms);
    json_real(j, "compile_ms", e->setup.compile_ms);
    json_open(j, "setup_ms", '{');
    json_real(j, "min", count > 0 ? bench_setup_ms(&e->setups[0]) : NAN);
    json_real(j, "median", count > 0 ? bench_setup_ms(&e->setup) : NAN);
    json_real(j, "max", count > 0 ? bench_setup_ms(&e->setups[count - 1]) : NAN);
    json_int(j, "repeats", count);
    json_close(j);
}

void bench_json_entry(json *j, const bench_entry *e)
{
    json_text(j, "name", e->name);
    json_int(j, "threads", e->threads);
    json_text(j, "status", bench_status_name(e->result.status));
    if (e->result.status < 0) json_text(j, "message", e->result.message);
    if (e->peer == NULL) json_text(j, "check", load_checks[e->check]);
}

static void json_known(json *j, const char *name, int64_t value)
{
    if (value >= 0) json_int(j, name, value);
}

void bench_json_peer(json *j, const bench_entry *e)
{
    const peer_facts *facts = &e->facts;
    json_text(j, "library", e->peer->library);
    json_text(j, "about", e->peer->about);
    json_text(j, "ordering_asked", e->ordering);
    if (!e->opened) return;
    json_text(j, "version", facts->version);
    json_text(j, "settings", facts->settings);
    json_text(j, "ordering", facts->ordering);
    json_known(j, "blocks", facts->blocks);
    json_known(j, "lu_nnz", facts->lu_nnz);
    json_known(j, "bytes", facts->bytes);
    json_known(j, "perturbed", facts->perturbed);
}

void bench_json_program(json *j, const warplu_statistics *t)
{
    if (t->lu_nnz == 0) return;
    json_text(j, "ordering", load_orderings[t->ordering]);
    json_int(j, "terms", t->terms);
    json_int(j, "levels", t->levels);
    json_int(j, "program_bytes", t->program_bytes);
    json_int(j, "lu_nnz", t->lu_nnz);
    json_real(j, "predicted_refactor_ms", t->predicted_refactor_ns / 1e6);
}

static void json_times(json *j, const bench_case *c, int entry)
{
    const bench_entry *e = &c->entry[entry];
    const bench_result *r = &e->result;
    warplu_statistics t = {.size = sizeof t};
    bench_json_entry(j, e);
    bench_json_setup(j, e);
    bench_json_samples(j, "refactor_ms", &r->samples[BENCH_REFACTOR]);
    bench_json_samples(j, "solve_ms", &r->samples[BENCH_SOLVE]);
    if (r->samples[BENCH_ALONE].count > 0) bench_json_samples(j, "solve_alone_ms", &r->samples[BENCH_ALONE]);
    if (r->samples[BENCH_BOTH].count > 0) bench_json_samples(j, "both_ms", &r->samples[BENCH_BOTH]);
    if (r->samples[BENCH_GUARDS].count > 0) bench_json_samples(j, "guards_ms", &r->samples[BENCH_GUARDS]);
    json_real(j, "residual", r->residual);
    json_real(j, "backward_error", r->backward_error);
    json_known(j, "refinement_steps", r->refinement_steps);
    json_int(j, "repivots", r->repivots);
    if (c->step >= 0) {
        json_text(j, "refactor_status", c->step > 0 ? bench_status_name(r->refactored) : NULL);
        json_text(j, "solve_status", bench_status_name(r->solved));
        json_real(j, "total_ms", r->total_ms);
    }
    if (e->stage_ms > 0.0) json_real(j, "stage_ms", e->stage_ms);
    if (e->peer != NULL)
        bench_json_peer(j, e);
    else if (c->step < 0 && e->solver != NULL && warplu_get_statistics(e->solver, &t) >= 0)
        bench_json_program(j, &t);
}

/* ------------------------------------------------------------------ matrix */

void bench_json_matrix(json *j, const bench_case *c)
{
    json_begin_line(j, stdout);
    json_open(j, NULL, '{');
    json_text(j, "matrix", c->path);
    if (c->step >= 0) json_int(j, "step", c->step);
    json_int(j, "n", c->a.nrow);
    json_int(j, "nnz", c->a.nnz);
    json_text(j, "status", bench_status_name(c->status));
    if (c->status < 0) json_text(j, "message", c->message);
}

void bench_json_entries(json *j, const bench_case *c, bench_json_put put)
{
    for (int peers = 0; peers < 2; peers++) {
        json_open(j, peers ? "peers" : "executors", '[');
        for (int k = 0; k < c->count; k++) {
            if ((c->entry[k].peer != NULL) != peers) continue;
            json_open(j, NULL, '{');
            put(j, c, k);
            json_close(j);
        }
        json_close(j);
    }
}

void bench_json_case(const bench_case *c)
{
    json j;
    const warplu_statistics *t = &c->statistics;
    bench_json_matrix(&j, c);
    json_text(&j, "ordering", t->n > 0 ? load_orderings[t->ordering] : NULL);
    json_int(&j, "blocks", t->blocks);
    json_int(&j, "terms", t->terms);
    json_int(&j, "levels", t->levels);
    json_int(&j, "vectors", t->vectors);
    json_int(&j, "program_bytes", t->program_bytes);
    json_int(&j, "lu_nnz", t->lu_nnz);
    json_real(&j, "predicted_refactor_ms", t->predicted_refactor_ns / 1e6);
    json_real(&j, "largest_l", t->largest_l);
    json_real(&j, "largest_u", t->largest_u);
    json_real(&j, "pivot_growth", t->pivot_growth);
    json_real(&j, "row_drift", t->row_drift);
    bench_json_entries(&j, c, json_times);
    json_end(&j);
    fflush(stdout);
}
