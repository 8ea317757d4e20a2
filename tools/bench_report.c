/* Reports of warplu bench: one JSON object a matrix and line, or rows of a table, one for each entry.
 *
 * The table's ratios are a peer's median time over the first executor's; its last lines are their geometric
 * means over the matrices that both solved to a backward error of 1e-10. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------- JSON */

/* The processor's name as the system tells it, else "unknown". Static storage. */
static const char *machine(void)
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

static void json_samples(json *j, const char *name, const bench_samples *s)
{
    json_open(j, name, '{');
    json_real(j, "min", bench_samples_ms(s, 0.0));
    json_real(j, "median", bench_samples_ms(s, 0.5));
    json_real(j, "max", bench_samples_ms(s, 1.0));
    json_int(j, "repeats", s->count);
    json_close(j);
}

static void json_peer(json *j, const bench_entry *e)
{
    peer_facts facts = {.bytes = -1};
    if (e->state == NULL) return;
    e->peer->run->describe(e->state, &facts);
    json_text(j, "ordering", facts.ordering);
    json_int(j, "blocks", facts.blocks);
    if (facts.lu_nnz >= 0) json_int(j, "lu_nnz", facts.lu_nnz);
    if (facts.bytes >= 0) json_int(j, "bytes", facts.bytes);
}

static void json_entry(json *j, const bench_entry *e, int step)
{
    const bench_result *r = &e->result;
    json_open(j, NULL, '{');
    json_text(j, "name", e->name);
    json_int(j, "threads", e->threads);
    json_text(j, "status", warplu_status_name(r->status));
    if (r->status < 0) json_text(j, "message", r->message);
    if (e->peer != NULL) json_text(j, "about", e->peer->about);
    if (e->peer == NULL) json_text(j, "check", load_checks[e->check]);
    json_real(j, "analyze_ms", e->analyze_ms);
    json_real(j, "factor_ms", e->factor_ms);
    json_real(j, "compile_ms", e->compile_ms);
    json_samples(j, "refactor_ms", &r->refactor);
    json_samples(j, "solve_ms", &r->solve);
    if (r->guards.count > 0) json_samples(j, "guards_ms", &r->guards);
    json_real(j, "residual", r->residual);
    json_real(j, "backward_error", r->backward_error);
    json_real(j, "backward_error_unrefined", r->backward_error_unrefined);
    json_int(j, "refinement_steps", r->refinement_steps);
    json_int(j, "repivots", r->repivots);
    if (step >= 0) {
        json_text(j, "refactor_status", step > 0 ? warplu_status_name(r->refactored) : NULL);
        json_text(j, "solve_status", warplu_status_name(r->solved));
        json_real(j, "total_ms", r->total_ms);
    }
    if (e->peer != NULL) json_peer(j, e);
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
    json_text(&j, "status", warplu_status_name(c->status));
    if (c->status < 0) json_text(&j, "message", c->message);
    json_text(&j, "ordering", t->n > 0 ? load_orderings[t->ordering] : NULL);
    json_int(&j, "blocks", t->blocks);
    json_int(&j, "terms", t->terms);
    json_int(&j, "levels", t->levels);
    json_int(&j, "vectors", t->vectors);
    json_int(&j, "program_bytes", t->program_bytes);
    json_int(&j, "lu_nnz", t->lu_nnz);
    json_real(&j, "largest_l", t->largest_l);
    json_real(&j, "largest_u", t->largest_u);
    json_real(&j, "pivot_growth", t->pivot_growth);
    json_real(&j, "row_drift", t->row_drift);
    json_text(&j, "version", warplu_version());
    json_text(&j, "machine", machine());
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

enum { MATRIX_COLUMN = 28 };

/* The file's name without its directories and endings. */
static void short_name(const char *path, char *out, size_t bytes)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0) length -= 3;
    if (length > 4 && strncmp(name + length - 4, ".mtx", 4) == 0) length -= 4;
    snprintf(out, bytes, "%.*s", (int)length, name);
}

static void table_head(void)
{
    printf("%-*s %8s %9s %12s %-7s  %-14s %9s %9s %9s %8s %8s %8s", MATRIX_COLUMN, "matrix", "n", "nnz",
           "terms", "order", "solver", "setup", "refactor", "solve", "error", "refactor", "solve");
    printf("\n%*s %9s %9s %9s %8s %8s %8s\n", MATRIX_COLUMN + 57, "", "ms", "ms", "ms", "backward", "ratio",
           "ratio");
}

static void put_number(double value, int width, const char *format)
{
    char text[40];
    if (isnan(value))
        printf(" %*s", width, "-");
    else if (snprintf(text, sizeof text, format, value) > 0)
        printf(" %*s", width, text);
}

/* Peer's median over the first executor's, NaN unless both solved. */
static double ratio(const bench_case *c, const bench_entry *e, int solves)
{
    const bench_result *ours = &c->entry[0].result, *theirs = &e->result;
    if (e->peer == NULL || ours->status < 0 || theirs->status < 0) return NAN;
    return solves ? bench_samples_ms(&theirs->solve, 0.5) / bench_samples_ms(&ours->solve, 0.5)
                  : bench_samples_ms(&theirs->refactor, 0.5) / bench_samples_ms(&ours->refactor, 0.5);
}

static void table_entry(const bench_case *c, const bench_entry *e, int name_check)
{
    const bench_result *r = &e->result;
    char name[BENCH_NAME + 32];
    int used = snprintf(name, sizeof name, e->threads > 1 ? "%s x%d" : "%s", e->name, e->threads);
    if (name_check && e->peer == NULL)
        snprintf(name + used, sizeof name - (size_t)used, " %s", load_checks[e->check]);
    printf("  %-14s", name);
    if (r->status < 0) {
        printf(" %s: %s\n", warplu_status_name(r->status), r->message);
        return;
    }
    put_number(e->analyze_ms + e->factor_ms + e->compile_ms, 9, "%.3f");
    put_number(bench_samples_ms(&r->refactor, 0.5), 9, "%.4f");
    put_number(bench_samples_ms(&r->solve, 0.5), 9, "%.4f");
    put_number(r->backward_error, 8, "%.1e");
    put_number(ratio(c, e, 0), 8, "%.2f");
    put_number(ratio(c, e, 1), 8, "%.2f");
    if (r->repivots > 0) printf("  %" PRId64 " repivots", r->repivots);
    if (r->status > 0) printf("  %s", warplu_status_name(r->status));
    putchar('\n');
}

static void table_case(const bench_plan *plan, const bench_case *c)
{
    char name[MATRIX_COLUMN + 1];
    const warplu_statistics *t = &c->statistics;
    short_name(c->path, name, sizeof name);
    printf("%-*s", MATRIX_COLUMN, name);
    if (c->count == 0) {
        printf(" %s: %s\n", warplu_status_name(c->status), c->message);
        return;
    }
    printf(" %8" PRId32 " %9" PRId64 " %12" PRId64 " %-7s", c->a.nrow, c->a.nnz, t->terms,
           t->n > 0 ? load_orderings[t->ordering] : "-");
    for (int k = 0; k < c->count; k++) {
        if (k > 0) printf("%*s", MATRIX_COLUMN + 40, "");
        table_entry(c, &c->entry[k], plan->name_checks);
    }
    fflush(stdout);
}

static void remember_ratios(bench_plan *plan, const bench_case *c)
{
    for (int k = 0; k < c->count; k++) {
        const bench_entry *e = &c->entry[k];
        double refactor = ratio(c, e, 0), solve = ratio(c, e, 1);
        if (isnan(refactor) || isnan(solve) || c->entry[0].result.status != WARPLU_SUCCESS ||
            e->result.status != WARPLU_SUCCESS)
            continue;
        plan->log_refactor[k] += log(refactor);
        plan->log_solve[k] += log(solve);
        plan->compared[k]++;
    }
}

void bench_report(bench_plan *plan, const bench_case *c)
{
    remember_ratios(plan, c);
    if (plan->as_json) {
        json_case(c);
    } else {
        if (plan->cases == 0) table_head();
        table_case(plan, c);
    }
    plan->cases++;
}

void bench_report_end(const bench_plan *plan)
{
    if (plan->as_json) return;
    for (int k = plan->executors; k < plan->count; k++) {
        int count = plan->compared[k];
        if (count == 0) continue;
        printf("geometric mean of %s / %s: refactor %.2f, solve %.2f (%d of %d matrices)\n",
               plan->entry[k].name, plan->entry[0].name, exp(plan->log_refactor[k] / count),
               exp(plan->log_solve[k] / count), count, plan->cases);
    }
}
