/* Reports of warplu bench: JSON lines (bench_json.c), or rows of a table, one for each entry.
 *
 * The table's ratios are a peer's median time over the first executor's; its last lines are their geometric means over
 * the matrices that both solved, with the number of those on which the peer's answer is worse than 1e-10. */
#include "bench.h"
#include "residual.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void bench_short_name(const char *path, char *out, size_t bytes)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0) length -= 3;
    if (length > 4 && strncmp(name + length - 4, ".mtx", 4) == 0) length -= 4;
    snprintf(out, bytes, "%.*s", (int)length, name);
}

static void table_head(int show_both)
{
    printf("%-*s %-13s %9s %10s %12s %6s %9s %6s %9s %6s", BENCH_SOLVER_COLUMN, "", "order", "LU nnz", "set-up ms",
           "refactor ms", "ratio", "solve ms", "ratio", "alone ms", "ratio");
    if (show_both) printf(" %9s %6s", "both ms", "ratio");
    printf(" %8s\n", "error");
}

void bench_put_number(double value, int width, const char *format)
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
    static const char *const batching[] = {[BENCH_SINGLY] = "",
                                           [BENCH_TOGETHER] = " batch",
                                           [BENCH_WEAKENED] = " batch weak",
                                           [BENCH_OF_ONE] = " batch of 1"};
    const char *more = e->peer == NULL                       ? name_check ? load_checks[e->check] : ""
                       : strcmp(e->ordering, "default") != 0 ? e->ordering
                                                             : "";
    snprintf(title, bytes, "%s%s%s%s%s", e->name, threads, more[0] != '\0' ? " " : "", more,
             e->told ? " told" : batching[e->batching]);
}

/* Order, and entries of L and U. */
static void table_order(const bench_case *c, const bench_entry *e)
{
    warplu_statistics t = c->statistics;
    if (e->solver != NULL && c->step < 0) warplu_get_statistics(e->solver, &t);
    printf(" %-13s", e->peer != NULL ? e->facts.ordering : load_orderings[t.ordering]);
    bench_put_number(e->peer == NULL        ? (double)t.lu_nnz
                     : e->facts.lu_nnz >= 0 ? (double)e->facts.lu_nnz
                                            : NAN,
                     9, "%.0f");
}

static void table_entry(const bench_plan *plan, const bench_case *c, const bench_entry *e)
{
    const bench_result *r = &e->result;
    char title[BENCH_TITLE];
    bench_entry_title(e, plan->name_checks, title, sizeof title);
    printf("  %-*s", BENCH_SOLVER_COLUMN - 2, title);
    if (r->status < 0 && r->samples[BENCH_REFACTOR].count == 0) {
        printf(" %s: %s\n", bench_status_name(r->status), r->message);
        return;
    }
    table_order(c, e);
    bench_put_number(bench_setup_ms(&e->setup), 10, "%.3f");
    bench_put_number(bench_samples_ms(&r->samples[BENCH_REFACTOR], 0.5), 12, "%.4f");
    bench_put_number(ratio(c, e, BENCH_REFACTOR), 6, "%.2f");
    bench_put_number(bench_samples_ms(&r->samples[BENCH_SOLVE], 0.5), 9, "%.4f");
    bench_put_number(ratio(c, e, BENCH_SOLVE), 6, "%.2f");
    bench_put_number(bench_samples_ms(&r->samples[BENCH_ALONE], 0.5), 9, "%.4f");
    bench_put_number(ratio(c, e, BENCH_ALONE), 6, "%.2f");
    if (plan->show_both) {
        bench_put_number(median_ms(e, BENCH_BOTH), 9, "%.4f");
        bench_put_number(ratio(c, e, BENCH_BOTH), 6, "%.2f");
    }
    bench_put_number(r->backward_error, 8, "%.1e");
    if (r->repivots > 0) printf("  %" PRId64 " repivots", r->repivots);
    if (r->status != WARPLU_SUCCESS) printf("  %s", bench_status_name(r->status));
    if (r->status < 0) printf(": %s", r->message);
    putchar('\n');
}

int bench_entry_missing(const bench_entry *e)
{
    return e->peer != NULL && e->result.status == WARPLU_NOT_COMPILED && peer_process_memory(e->process) == NULL;
}

void bench_table_matrix(const bench_plan *plan, const bench_case *c, const char *more, bench_table_put put)
{
    char name[128];
    bench_short_name(c->path, name, sizeof name);
    if (c->count == 0) {
        printf("%s: %s: %s\n", name, bench_status_name(c->status), c->message);
        return;
    }
    printf("%s: n %" PRId32 ", nnz %" PRId64 "%s\n", name, c->a.nrow, c->a.nnz, more);
    for (int k = 0; k < c->count; k++)
        if (!bench_entry_missing(&c->entry[k])) put(plan, c, &c->entry[k]);
    fflush(stdout);
}

static void table_case(const bench_plan *plan, const bench_case *c)
{
    char terms[40];
    snprintf(terms, sizeof terms, ", terms %" PRId64, c->statistics.terms);
    bench_table_matrix(plan, c, terms, table_entry);
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
    if (plan->as_json) bench_json_run(plan, argc, argv);
}

void bench_report(bench_plan *plan, const bench_case *c)
{
    remember_ratios(plan, c);
    if (plan->as_json) {
        bench_json_case(c);
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
