/* Reports of warplu bench: JSON lines, the run first and then each matrix, or rows of a table, one for each entry.
 *
 * The table's ratios are a peer's median time over the first executor's; its last lines are their geometric means over
 * the matrices that both solved, with the number of those on which the peer's answer is worse than 1e-10. */
#include "bench.h"
#include "residual.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------- JSON */

/* The processor's name as the system tells it, else "unknown". Static storage. */
static const char *processor(void)
{
    static char name[128];
    char line[256];
    if (name[0] != '\0') return name;
    snprintf(name, sizeof name, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file != NULL) fclose(file);
    return name;
}

static void json_machine(json *j)
{
    struct utsname system;
    json_open(j, "machine", '{');
    json_text(j, "processor", processor());
    json_int(j, "cores", sysconf(_SC_NPROCESSORS_ONLN));
    json_int(j, "memory_bytes", (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
    if (uname(&system) == 0) {
        json_text(j, "system", system.sysname);
        json_text(j, "release", system.release);
        json_text(j, "architecture", system.machine);
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

extern char **environ;

/* What the environment tells threads, BLAS libraries and devices to do. */
static void json_environment(json *j)
{
    static const char *const prefixes[] = {"WARPLU_", "OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "BLIS_", "CUDA_"};
    json_open(j, "environment", '[');
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++)
            if (strncmp(*variable, prefixes[k], strlen(prefixes[k])) == 0) json_text(j, NULL, *variable);
    json_close(j);
}

static void json_run(const bench_plan *plan, int argc, char **argv)
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

static void json_samples(json *j, const char *name, const bench_samples *s)
{
    json_open(j, name, '{');
    json_real(j, "min", bench_samples_ms(s, 0.0));
    json_real(j, "median", bench_samples_ms(s, 0.5));
    json_real(j, "max", bench_samples_ms(s, 1.0));
    json_int(j, "repeats", s->count);
    json_close(j);
}

/* The parts of the median set-up, and the spread of the whole. */
static void json_setup(json *j, const bench_entry *e)
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

static void json_known(json *j, const char *name, int64_t value)
{
    if (value >= 0) json_int(j, name, value);
}

static void json_peer(json *j, const bench_entry *e)
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

/* The program that this executor replays: its order is chosen for what it runs on. */
static void json_program(json *j, const bench_entry *e)
{
    warplu_statistics t = {.size = sizeof t};
    if (e->solver == NULL || warplu_get_statistics(e->solver, &t) < 0 || t.lu_nnz == 0) return;
    json_text(j, "ordering", load_orderings[t.ordering]);
    json_int(j, "terms", t.terms);
    json_int(j, "levels", t.levels);
    json_int(j, "program_bytes", t.program_bytes);
    json_int(j, "lu_nnz", t.lu_nnz);
    json_real(j, "predicted_refactor_ms", t.predicted_refactor_ns / 1e6);
}

static void json_entry(json *j, const bench_entry *e, int step)
{
    const bench_result *r = &e->result;
    json_open(j, NULL, '{');
    json_text(j, "name", e->name);
    json_int(j, "threads", e->threads);
    json_text(j, "status", bench_status_name(r->status));
    if (r->status < 0) json_text(j, "message", r->message);
    if (e->peer == NULL) json_text(j, "check", load_checks[e->check]);
    json_setup(j, e);
    json_samples(j, "refactor_ms", &r->samples[BENCH_REFACTOR]);
    json_samples(j, "solve_ms", &r->samples[BENCH_SOLVE]);
    if (r->samples[BENCH_ALONE].count > 0) json_samples(j, "solve_alone_ms", &r->samples[BENCH_ALONE]);
    if (r->samples[BENCH_BOTH].count > 0) json_samples(j, "both_ms", &r->samples[BENCH_BOTH]);
    if (r->samples[BENCH_GUARDS].count > 0) json_samples(j, "guards_ms", &r->samples[BENCH_GUARDS]);
    json_real(j, "residual", r->residual);
    json_real(j, "backward_error", r->backward_error);
    json_known(j, "refinement_steps", r->refinement_steps);
    json_int(j, "repivots", r->repivots);
    if (step >= 0) {
        json_text(j, "refactor_status", step > 0 ? bench_status_name(r->refactored) : NULL);
        json_text(j, "solve_status", bench_status_name(r->solved));
        json_real(j, "total_ms", r->total_ms);
    }
    if (e->stage_ms > 0.0) json_real(j, "stage_ms", e->stage_ms);
    if (e->peer != NULL) json_peer(j, e);
    if (e->peer == NULL && step < 0) json_program(j, e);
    json_close(j);
}

static void json_case(const bench_case *c)
{
    json j;
    const warplu_statistics *t = &c->statistics;
    json_begin_line(&j, stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "matrix", c->path);
    if (c->step >= 0) json_int(&j, "step", c->step);
    json_int(&j, "n", c->a.nrow);
    json_int(&j, "nnz", c->a.nnz);
    json_text(&j, "status", bench_status_name(c->status));
    if (c->status < 0) json_text(&j, "message", c->message);
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
    for (int peers = 0; peers < 2; peers++) {
        json_open(&j, peers ? "peers" : "executors", '[');
        for (int k = 0; k < c->count; k++)
            if ((c->entry[k].peer != NULL) == peers) json_entry(&j, &c->entry[k], c->step);
        json_close(&j);
    }
    json_end(&j);
    fflush(stdout);
}

/* ------------------------------------------------------------------ table */

enum { SOLVER_COLUMN = 24 };

/* The file's name without its directories and endings. */
static void short_name(const char *path, char *out, size_t bytes)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0) length -= 3;
    if (length > 4 && strncmp(name + length - 4, ".mtx", 4) == 0) length -= 4;
    snprintf(out, bytes, "%.*s", (int)length, name);
}

static void table_head(int show_both)
{
    printf("%-*s %-13s %9s %10s %12s %6s %9s %6s %9s %6s", SOLVER_COLUMN, "", "order", "LU nnz", "set-up ms",
           "refactor ms", "ratio", "solve ms", "ratio", "alone ms", "ratio");
    if (show_both) printf(" %9s %6s", "both ms", "ratio");
    printf(" %8s\n", "error");
}

static void put_number(double value, int width, const char *format)
{
    char text[40];
    if (isnan(value))
        printf(" %*s", width, "-");
    else if (snprintf(text, sizeof text, format, value) > 0)
        printf(" %*s", width, text);
}

/* An entry's median; who has one way to solve solves alone in that way too, and without a loop of both it does one and
 * then the other. */
static double median_ms(const bench_entry *e, bench_loop loop)
{
    const bench_samples *s = e->result.samples;
    if (loop == BENCH_BOTH && s[loop].count == 0)
        return bench_samples_ms(&s[BENCH_REFACTOR], 0.5) + bench_samples_ms(&s[BENCH_SOLVE], 0.5);
    return bench_samples_ms(&s[loop == BENCH_ALONE && !bench_entry_has(e, loop) ? BENCH_SOLVE : loop], 0.5);
}

/* Peer's median over the first executor's, NaN unless both solved. */
static double ratio(const bench_case *c, const bench_entry *e, bench_loop loop)
{
    const bench_entry *ours = &c->entry[0];
    if (e->peer == NULL || ours->result.status < 0 || e->result.status < 0) return NAN;
    return median_ms(e, loop) / median_ms(ours, loop);
}

void bench_entry_title(const bench_entry *e, int name_check, char *title, size_t bytes)
{
    char threads[16] = "";
    if (e->threads > 1) snprintf(threads, sizeof threads, " x%d", e->threads);
    const char *more = e->peer == NULL                       ? name_check ? load_checks[e->check] : ""
                       : strcmp(e->ordering, "default") != 0 ? e->ordering
                                                             : "";
    snprintf(title, bytes, "%s%s%s%s", e->name, threads, more[0] != '\0' ? " " : "", more);
}

/* Order, and entries of L and U. */
static void table_order(const bench_case *c, const bench_entry *e)
{
    warplu_statistics t = c->statistics;
    if (e->solver != NULL && c->step < 0) warplu_get_statistics(e->solver, &t);
    printf(" %-13s", e->peer != NULL ? e->facts.ordering : load_orderings[t.ordering]);
    put_number(e->peer == NULL ? (double)t.lu_nnz : e->facts.lu_nnz >= 0 ? (double)e->facts.lu_nnz : NAN, 9, "%.0f");
}

static void table_entry(const bench_plan *plan, const bench_case *c, const bench_entry *e)
{
    const bench_result *r = &e->result;
    char title[BENCH_TITLE];
    bench_entry_title(e, plan->name_checks, title, sizeof title);
    printf("  %-*s", SOLVER_COLUMN - 2, title);
    if (r->status < 0 && r->samples[BENCH_REFACTOR].count == 0) {
        printf(" %s: %s\n", bench_status_name(r->status), r->message);
        return;
    }
    table_order(c, e);
    put_number(bench_setup_ms(&e->setup), 10, "%.3f");
    put_number(bench_samples_ms(&r->samples[BENCH_REFACTOR], 0.5), 12, "%.4f");
    put_number(ratio(c, e, BENCH_REFACTOR), 6, "%.2f");
    put_number(bench_samples_ms(&r->samples[BENCH_SOLVE], 0.5), 9, "%.4f");
    put_number(ratio(c, e, BENCH_SOLVE), 6, "%.2f");
    put_number(bench_samples_ms(&r->samples[BENCH_ALONE], 0.5), 9, "%.4f");
    put_number(ratio(c, e, BENCH_ALONE), 6, "%.2f");
    if (plan->show_both) {
        put_number(median_ms(e, BENCH_BOTH), 9, "%.4f");
        put_number(ratio(c, e, BENCH_BOTH), 6, "%.2f");
    }
    put_number(r->backward_error, 8, "%.1e");
    if (r->repivots > 0) printf("  %" PRId64 " repivots", r->repivots);
    if (r->status != WARPLU_SUCCESS) printf("  %s", bench_status_name(r->status));
    if (r->status < 0) printf(": %s", r->message);
    putchar('\n');
}

/* Peers that are not in this build have their line at the end. */
static int is_missing(const bench_entry *e)
{
    return e->peer != NULL && e->result.status == WARPLU_NOT_COMPILED && peer_process_memory(e->process) == NULL;
}

static void table_case(const bench_plan *plan, const bench_case *c)
{
    char name[128];
    short_name(c->path, name, sizeof name);
    if (c->count == 0) {
        printf("%s: %s: %s\n", name, bench_status_name(c->status), c->message);
        return;
    }
    printf("%s: n %" PRId32 ", nnz %" PRId64 ", terms %" PRId64 "\n", name, c->a.nrow, c->a.nnz, c->statistics.terms);
    for (int k = 0; k < c->count; k++)
        if (!is_missing(&c->entry[k])) table_entry(plan, c, &c->entry[k]);
    fflush(stdout);
}

static void remember_ratios(bench_plan *plan, const bench_case *c)
{
    for (int k = 0; k < c->count; k++) {
        const bench_entry *e = &c->entry[k];
        double refactor = ratio(c, e, BENCH_REFACTOR);
        if (isnan(refactor)) continue;
        plan->log_refactor[k] += log(refactor);
        plan->log_solve[k] += log(ratio(c, e, BENCH_SOLVE));
        plan->log_alone[k] += log(ratio(c, e, BENCH_ALONE)); /* NaN in a sequence, which has none */
        plan->log_both[k] += log(ratio(c, e, BENCH_BOTH));
        plan->compared[k]++;
        plan->inaccurate[k] += e->result.status != WARPLU_SUCCESS;
    }
}

void bench_report_begin(const bench_plan *plan, int argc, char **argv)
{
    if (plan->as_json) json_run(plan, argc, argv);
}

void bench_report(bench_plan *plan, const bench_case *c)
{
    remember_ratios(plan, c);
    if (plan->as_json) {
        json_case(c);
    } else {
        if (plan->cases == 0) table_head(plan->show_both);
        table_case(plan, c);
    }
    plan->cases++;
}

static void table_mean(const char *what, double log_mean)
{
    if (!isnan(log_mean)) printf("%s %.2f", what, exp(log_mean));
}

static void table_means(const bench_plan *plan)
{
    for (int k = plan->executors; k < plan->count; k++) {
        int count = plan->compared[k];
        char title[BENCH_TITLE];
        if (count == 0) continue;
        bench_entry_title(&plan->entry[k], 0, title, sizeof title);
        printf("geometric mean of %s / %s: refactor %.2f", title, plan->entry[0].name,
               exp(plan->log_refactor[k] / count));
        table_mean(", solve", plan->log_solve[k] / count);
        table_mean(", solve alone", plan->log_alone[k] / count);
        if (plan->show_both) table_mean(", both", plan->log_both[k] / count);
        printf(" (%d of %d matrices", count, plan->cases);
        if (plan->inaccurate[k] > 0) printf(", its answer worse than %.0e on %d", ANSWER_IS_RIGHT, plan->inaccurate[k]);
        puts(")");
    }
}

/* A line for each plug-in that this build lacks. */
static void table_missing(const bench_plan *plan)
{
    char path[4096];
    const char *said = "";
    for (int k = plan->executors; k < plan->count; k++) {
        const peer *p = plan->entry[k].peer;
        if (strcmp(p->library, said) == 0 || peer_program(p, path, sizeof path)) continue;
        said = p->library;
        printf("left out: %s: %s\n", said, p->get);
    }
}

void bench_report_end(const bench_plan *plan)
{
    if (plan->as_json) return;
    table_means(plan);
    table_missing(plan);
}
