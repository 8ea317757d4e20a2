/* What warplu bench --lifecycle found: a JSON line for each matrix, or rows of a table.
 *
 * The first executor's row has its median times up to each horizon in ms; the others' have theirs over these, or theirs
 * in ms where it failed. The last rows are, over all matrices that both solved, the geometric means of the ratios, the
 * least, and how many are below 1. */
#include "bench_life.h"

#include "residual.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static double total_ms(const bench_entry *e, int horizon)
{
    return bench_samples_ms(&e->life->total[horizon], 0.5);
}

/* Over the first executor's; NaN unless both solved. */
static double ratio(const bench_case *c, const bench_entry *e, int horizon)
{
    const bench_entry *ours = &c->entry[0];
    if (ours->result.status < 0 || e->result.status < 0) return NAN;
    return total_ms(e, horizon) / total_ms(ours, horizon);
}

/* -------------------------------------------------------------------- JSON */

static void json_longest(json *j, const bench_life *life)
{
    bench_longest longest = bench_life_longest(life);
    json_open(j, "longest_call", '{');
    json_text(j, "call", isnan(longest.ms) ? NULL : longest.is_solve ? "solve" : "refactor");
    json_int(j, "solve", longest.solve);
    json_real(j, "ms", longest.ms);
    json_real(j, "share", longest.share);
    json_close(j);
}

static void json_life(json *j, const bench_case *c, int entry)
{
    const bench_entry *e = &c->entry[entry];
    const bench_numbers *horizons = e->life->horizons;
    char name[16];
    bench_json_entry(j, e);
    if (e->peer == NULL) json_bool(j, "told", e->told);
    json_open(j, "life_ms", '{');
    for (int h = 0; h < horizons->length; h++) {
        snprintf(name, sizeof name, "%" PRId32, horizons->of[h]);
        bench_json_samples(j, name, &e->life->total[h]);
    }
    json_close(j);
    json_open(j, "shortest_calls_ms", '{');
    for (int h = 0; h < horizons->length; h++) {
        snprintf(name, sizeof name, "%" PRId32, horizons->of[h]);
        json_real(j, name, bench_life_shortest_ms(e->life, h));
    }
    json_close(j);
    json_longest(j, e->life);
    json_int(j, "judged", e->life->judged);
    json_int(j, "inaccurate", e->life->inaccurate);
    json_real(j, "residual", e->result.residual);
    json_real(j, "backward_error", e->result.backward_error);
    json_int(j, "repivots", e->result.repivots);
    if (e->peer != NULL) {
        bench_json_peer(j, e);
        return;
    }
    json_int(j, "solves", e->life->at_end.solves);
    json_int(j, "checked_solves", e->life->at_end.checked_solves);
    bench_json_program(j, &e->life->at_end);
}

static void json_lives(const bench_plan *plan, const bench_case *c)
{
    json j;
    bench_json_matrix(&j, c);
    json_int(&j, "value_sets", c->step_count);
    json_open(&j, "horizons", '[');
    for (int h = 0; h < plan->horizons.length; h++) json_int(&j, NULL, plan->horizons.of[h]);
    json_close(&j);
    bench_json_entries(&j, c, json_life);
    json_end(&j);
    fflush(stdout);
}

/* ------------------------------------------------------------------- table */

static void table_head(const bench_plan *plan)
{
    printf("%-*s %-6s", BENCH_SOLVER_COLUMN, "", "");
    for (int h = 0; h < plan->horizons.length; h++) {
        char name[16];
        snprintf(name, sizeof name, "H%" PRId32, plan->horizons.of[h]);
        printf(" %10s", name);
    }
    printf(" %10s %-14s %7s %8s\n", "longest ms", "  call", "share", "error");
}

static void table_longest(const bench_life *life)
{
    bench_longest longest = bench_life_longest(life);
    bench_put_number(longest.ms, 10, "%.3f");
    printf("   %-8s %-5" PRId32, longest.is_solve ? "solve" : "refactor", longest.solve);
    bench_put_number(100.0 * longest.share, 5, "%.1f");
    fputs(" %", stdout);
}

static void table_entry(const bench_plan *plan, const bench_case *c, const bench_entry *e)
{
    const bench_result *r = &e->result;
    char title[BENCH_TITLE];
    bench_entry_title(e, plan->name_checks, title, sizeof title);
    printf("  %-*s", BENCH_SOLVER_COLUMN - 2, title);
    if (r->status < 0) {
        printf(" %s: %s\n", bench_status_name(r->status), r->message);
        return;
    }
    int in_ms = e == &c->entry[0] || c->entry[0].result.status < 0;
    printf(" %-6s", in_ms ? "ms" : "ratio");
    for (int h = 0; h < plan->horizons.length; h++)
        bench_put_number(in_ms ? total_ms(e, h) : ratio(c, e, h), 10, in_ms ? "%.3f" : "%.2f");
    table_longest(e->life);
    bench_put_number(r->backward_error, 8, "%.1e");
    if (r->repivots > 0) printf("  %" PRId64 " repivots", r->repivots);
    if (e->life->inaccurate > 0)
        printf("  %" PRId32 " of %" PRId32 " inaccurate", e->life->inaccurate, e->life->judged);
    putchar('\n');
}

/* ------------------------------------------------------------------- means */

static void remember(const bench_plan *plan, const bench_case *c, bench_life_means *means)
{
    means->matrices++;
    for (int k = 1; k < c->count; k++) {
        if (isnan(ratio(c, &c->entry[k], 0))) continue;
        for (int h = 0; h < plan->horizons.length; h++) {
            double r = ratio(c, &c->entry[k], h), *least = &means->least[k][h];
            means->log_sum[k][h] += log(r);
            if (means->compared[k] == 0 || r < *least) *least = r;
            means->below[k][h] += r < 1.0;
        }
        means->compared[k]++;
        means->inaccurate[k] += c->entry[k].result.status != WARPLU_SUCCESS;
    }
}

static void means_rows(const bench_plan *plan, const bench_life_means *means, int k)
{
    static const char *const rows[] = {"mean", "least", "below1"};
    char title[BENCH_TITLE];
    int count = means->compared[k];
    bench_entry_title(&plan->entry[k], plan->name_checks, title, sizeof title);
    for (int row = 0; row < 3; row++) {
        printf("  %-*s %-6s", BENCH_SOLVER_COLUMN - 2, title, rows[row]);
        for (int h = 0; h < plan->horizons.length; h++) {
            double value = row == 0   ? exp(means->log_sum[k][h] / count)
                           : row == 1 ? means->least[k][h]
                                      : means->below[k][h];
            bench_put_number(value, 10, row < 2 ? "%.2f" : "%.0f");
        }
        if (row == 0) printf("  %d of %d matrices", count, means->matrices);
        if (row == 0 && means->inaccurate[k] > 0)
            printf(", an answer worse than %.0e on %d", ANSWER_IS_RIGHT, means->inaccurate[k]);
        putchar('\n');
    }
}

void bench_life_report(const bench_plan *plan, const bench_case *c, bench_life_means *means)
{
    if (plan->as_json) {
        json_lives(plan, c);
    } else {
        if (means->matrices == 0) table_head(plan);
        bench_table_matrix(plan, c, "", table_entry);
    }
    remember(plan, c, means);
}

void bench_life_report_end(const bench_plan *plan, const bench_life_means *means)
{
    int said = plan->as_json;
    for (int k = 1; k < plan->count; k++) {
        if (means->compared[k] == 0 || plan->as_json) continue;
        if (!said) printf("over %s, all matrices: geometric mean, least, how many below 1\n", plan->entry[0].name);
        said = 1;
        means_rows(plan, means, k);
    }
}
