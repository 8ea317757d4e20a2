/* What warplu bench --batch found: a JSON line for each matrix, or rows of a table. All times of calls are in
 * microseconds a member. An entry is compared with the first, its batch on one thread; one with weak members with the
 * same batch without, batches of one with the same executor one by one. The last rows of the table are geometric means
 * of these ratios, the least and the largest, over all matrices that both solved. */
#include "bench_batch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Microseconds a member; NaN where there is no time. */
static double member_us(const bench_case *c, const bench_entry *e, bench_loop loop, double quantile)
{
    return 1e3 * bench_samples_ms(&e->result.samples[loop], quantile) / c->step_count;
}

static int is_like(const bench_entry *a, const bench_entry *b)
{
    return a->peer == NULL && b->peer == NULL && a->executor == b->executor && a->threads == b->threads &&
           a->check == b->check;
}

/* The entry that this one is compared with. */
static int base_of(const bench_entry *entry, int count, int number)
{
    bench_batching wanted = BENCH_TOGETHER;
    switch (entry[number].batching) {
    case BENCH_SINGLY:
    case BENCH_TOGETHER: return 0;
    case BENCH_WEAKENED: wanted = BENCH_TOGETHER; break;
    case BENCH_OF_ONE: wanted = BENCH_SINGLY; break;
    }
    for (int k = 0; k < count; k++)
        if (entry[k].batching == wanted && is_like(&entry[k], &entry[number])) return k;
    return 0;
}

/* Of an entry's times; NaN unless both solved. */
static double ratio(const bench_case *c, const bench_entry *e, const bench_entry *base, bench_loop loop)
{
    if (base->result.status < 0 || e->result.status < 0) return NAN;
    return member_us(c, e, loop, 0.5) / member_us(c, base, loop, 0.5);
}

/* -------------------------------------------------------------------- JSON */

static void json_members_us(json *j, const bench_case *c, const bench_entry *e, const char *name, bench_loop loop)
{
    json_open(j, name, '{');
    json_real(j, "min", member_us(c, e, loop, 0.0));
    json_real(j, "median", member_us(c, e, loop, 0.5));
    json_real(j, "max", member_us(c, e, loop, 1.0));
    json_int(j, "repeats", e->result.samples[loop].count);
    json_close(j);
}

static void json_over(json *j, const bench_case *c, int entry, const char *name)
{
    const bench_entry *e = &c->entry[entry], *base = &c->entry[base_of(c->entry, c->count, entry)];
    json_open(j, name, '{');
    json_real(j, "refactor", ratio(c, e, base, BENCH_REFACTOR));
    json_real(j, "both", ratio(c, e, base, BENCH_BOTH));
    json_close(j);
}

/* How the entry called for its members, and what came of that. */
static void json_batching(json *j, const bench_case *c, int entry)
{
    const bench_entry *e = &c->entry[entry];
    static const char *const names[] = {[BENCH_SINGLY] = "singly",
                                        [BENCH_TOGETHER] = "together",
                                        [BENCH_WEAKENED] = "weakened",
                                        [BENCH_OF_ONE] = "of one"};
    json_text(j, "batching", names[e->batching]);
    json_real(j, "first_call_ms", e->first_call_ms);
    if (e->batching == BENCH_WEAKENED) json_over(j, c, entry, "over_healthy");
    if (e->batching == BENCH_OF_ONE) json_over(j, c, entry, "over_single");
}

static void json_batch(json *j, const warplu_batch_statistics *t)
{
    json_bool(j, "one_by_one", t->one_by_one);
    json_int(j, "programs", t->programs);
    json_int(j, "batch_bytes", t->bytes);
    json_int(j, "replayed", t->replayed);
    json_int(j, "refined", t->refined);
    json_int(j, "by_other_programs", t->by_other_programs);
    json_int(j, "by_own_solvers", t->by_own_solvers);
}

static void json_members(json *j, const bench_case *c, int entry)
{
    const bench_entry *e = &c->entry[entry];
    warplu_statistics t = {.size = sizeof t};
    bench_json_entry(j, e);
    if (e->peer == NULL) json_bool(j, "batch", e->batching != BENCH_SINGLY);
    if (e->peer == NULL) json_batching(j, c, entry);
    bench_json_setup(j, e);
    json_members_us(j, c, e, "refactor_us", BENCH_REFACTOR);
    json_members_us(j, c, e, "both_us", BENCH_BOTH);
    json_real(j, "residual", e->result.residual);
    json_real(j, "backward_error", e->result.backward_error);
    json_int(j, "inaccurate_members", e->wrong);
    if (e->batching != BENCH_SINGLY) json_batch(j, &e->of_batch);
    if (e->peer != NULL)
        bench_json_peer(j, e);
    else if (e->solver != NULL && warplu_get_statistics(e->solver, &t) >= 0)
        bench_json_program(j, &t);
}

static void json_matrix(const bench_plan *plan, const bench_case *c)
{
    json j;
    bench_json_matrix(&j, c);
    json_int(&j, "members", plan->members);
    if (plan->weak_percent > 0.0) json_int(&j, "weak_members", bench_weak_count(plan));
    bench_json_entries(&j, c, json_members);
    json_end(&j);
    fflush(stdout);
}

/* ------------------------------------------------------------------- table */

static void table_head(void)
{
    printf("%-*s %10s %12s %6s %12s %6s %8s\n", BENCH_SOLVER_COLUMN, "", "set-up ms", "refactor us", "ratio", "both us",
           "ratio", "error");
}

/* What weak members cost: of the first call, a member; and who answered for them. */
static void table_first_call(const bench_case *c, const bench_entry *e)
{
    const warplu_batch_statistics *t = &e->of_batch;
    if (e->batching != BENCH_WEAKENED) return;
    printf("  first call %.3f, refined %" PRId32 ", by other programs %" PRId32 ", by solvers %" PRId32,
           1e3 * e->first_call_ms / c->step_count, t->refined, t->by_other_programs, t->by_own_solvers);
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
    bench_put_number(bench_setup_ms(&e->setup), 10, "%.3f");
    bench_put_number(member_us(c, e, BENCH_REFACTOR, 0.5), 12, "%.3f");
    bench_put_number(e == c->entry ? NAN : ratio(c, e, c->entry, BENCH_REFACTOR), 6, "%.2f");
    bench_put_number(member_us(c, e, BENCH_BOTH, 0.5), 12, "%.3f");
    bench_put_number(e == c->entry ? NAN : ratio(c, e, c->entry, BENCH_BOTH), 6, "%.2f");
    bench_put_number(r->backward_error, 8, "%.1e");
    if (e->batching != BENCH_OF_ONE && e->of_batch.one_by_one) fputs("  one by one", stdout);
    table_first_call(c, e);
    if (e->wrong > 0) printf("  %" PRId32 " members inaccurate", e->wrong);
    putchar('\n');
}

static void table_matrix(const bench_plan *plan, const bench_case *c)
{
    char members[40];
    snprintf(members, sizeof members, ", %" PRId32 " members", plan->members);
    bench_table_matrix(plan, c, members, table_entry);
}

static void remember(const bench_case *c, bench_batch_means *means)
{
    means->matrices++;
    for (int k = 1; k < c->count; k++) {
        const bench_entry *e = &c->entry[k], *base = &c->entry[base_of(c->entry, c->count, k)];
        double both = ratio(c, e, base, BENCH_BOTH);
        if (isnan(both)) continue;
        means->log_both[k] += log(both);
        means->log_refactor[k] += log(ratio(c, e, base, BENCH_REFACTOR)); /* NaN where factors had no room */
        if (means->compared[k] == 0 || both < means->least[k]) means->least[k] = both;
        if (means->compared[k] == 0 || both > means->most[k]) means->most[k] = both;
        means->compared[k]++;
    }
}

void bench_batch_report(const bench_plan *plan, const bench_case *c, bench_batch_means *means)
{
    if (plan->as_json) {
        json_matrix(plan, c);
    } else {
        if (means->matrices == 0) table_head();
        table_matrix(plan, c);
    }
    remember(c, means);
}

void bench_batch_report_end(const bench_plan *plan, const bench_batch_means *means)
{
    char title[BENCH_TITLE], base[BENCH_TITLE];
    for (int k = 1; k < plan->count && !plan->as_json; k++) {
        int count = means->compared[k], of = base_of(plan->entry, plan->count, k);
        if (count == 0) continue;
        bench_entry_title(&plan->entry[k], plan->name_checks, title, sizeof title);
        bench_entry_title(&plan->entry[of], plan->name_checks, base, sizeof base);
        printf("geometric mean of %s / %s: both %.2f, %.2f to %.2f", title, base, exp(means->log_both[k] / count),
               means->least[k], means->most[k]);
        if (!isnan(means->log_refactor[k])) printf(", refactor %.2f", exp(means->log_refactor[k] / count));
        printf(" (%d of %d matrices)\n", count, means->matrices);
    }
}
