/* What warplu batch found: facts, times a member, and the members that are no plain replays. */
#include "batch.h"
#include "facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* So many members text names; JSON names all. */
enum { TEXT_MEMBERS = 20 };

/* Microseconds a member. */
static void report_samples(facts *f, const batch_run *r, const char *name, batch_loop loop)
{
    const bench_samples *s = &r->samples[loop];
    double us = 1e3 / r->count;
    if (s->count == 0 && !f->as_json) return;
    facts_section(f, name);
    facts_real(f, "min", us * bench_samples_ms(s, 0.0));
    facts_real(f, "median", us * bench_samples_ms(s, 0.5));
    facts_real(f, "max", us * bench_samples_ms(s, 1.0));
    facts_int(f, "repeats", s->count);
    facts_section_end(f);
}

static const char *way_name(warplu_batch_way way)
{
    switch (way) {
    case WARPLU_BATCH_NONE: return "none";
    case WARPLU_BATCH_REPLAYED: return "replayed";
    case WARPLU_BATCH_REFINED: return "refined";
    case WARPLU_BATCH_OTHER_PROGRAM: return "other program";
    case WARPLU_BATCH_OWN_SOLVER: return "own solver";
    }
    return "?";
}

static void report_member(facts *f, const batch_run *r, int32_t m)
{
    const warplu_batch_member *member = &r->member[m];
    char number[16];
    snprintf(number, sizeof number, "%" PRId32, m);
    if (f->as_json) {
        json_open(&f->j, NULL, '{');
        json_int(&f->j, "member", m);
    } else {
        facts_row(f, "member", number);
    }
    facts_text(f, "status", warplu_status_name(member->status));
    facts_text(f, "way", way_name(member->way));
    facts_real(f, "backward_error", r->error[m]);
    if (r->q->count == 0) facts_text(f, "file", r->q->paths[m]);
    facts_row_end(f);
}

static void report_members(facts *f, const batch_run *r)
{
    int32_t listed = 0, more = 0;
    for (int32_t m = 0; m < r->count; m++) {
        if (r->member[m].status == WARPLU_SUCCESS && r->member[m].way == WARPLU_BATCH_REPLAYED) continue;
        if (listed++ == 0) facts_rows(f, "members");
        if (f->as_json || listed <= TEXT_MEMBERS)
            report_member(f, r, m);
        else
            more++;
    }
    if (listed == 0 && f->as_json) facts_rows(f, "members");
    if (listed > 0 || f->as_json) facts_rows_end(f);
    if (more > 0) facts_int(f, "further_members", more);
}

/* Those that were asked for, of the executor cuda. */
static void report_devices(facts *f, const batch_run *r)
{
    char number[16];
    if (f->as_json) {
        json_open(&f->j, "devices", '[');
        for (int32_t k = 0; k < r->device_count; k++) json_int(&f->j, NULL, r->devices[k]);
        json_close(&f->j);
    } else if (r->device_count > 0) {
        snprintf(number, sizeof number, "%d", r->devices[0]);
        facts_text(f, "devices", r->q->devices != NULL ? r->q->devices : number);
    }
}

/* Of the members that have an answer; NaN where none has. */
static double worst_error(const batch_run *r)
{
    double worst = NAN;
    for (int32_t m = 0; m < r->count; m++)
        if (!isnan(r->error[m]) && !(r->error[m] <= worst)) worst = r->error[m];
    return worst;
}

static void report_answers(facts *f, const batch_run *r)
{
    const warplu_batch_statistics *t = &r->statistics;
    if (f->as_json || r->device_count > 1) facts_int(f, "devices_at_work", t->devices);
    facts_bool(f, "one_by_one", t->one_by_one);
    facts_int(f, "programs", t->programs);
    facts_int(f, "bytes", t->bytes);
    facts_int(f, "replayed", t->replayed);
    facts_int(f, "refined", t->refined);
    facts_int(f, "by_other_programs", t->by_other_programs);
    facts_int(f, "by_own_solvers", t->by_own_solvers);
    facts_int(f, "failed", r->failures);
    facts_real(f, "read_ms", (double)r->read_ns / 1e6);
    facts_real(f, "analyze_ms", (double)r->analyze_ns / 1e6);
    facts_real(f, "factor_ms", (double)r->factor_ns / 1e6);
    report_samples(f, r, "refactor_solve_us", BATCH_BOTH);
    report_samples(f, r, "refactor_us", BATCH_REFACTOR);
    report_samples(f, r, "solve_us", BATCH_SOLVE);
    facts_real(f, "worst_backward_error", worst_error(r));
    report_members(f, r);
}

void batch_report(const batch_run *r, warplu_status status)
{
    const batch_request *q = r->q;
    facts f;
    if (status < 0 && !q->as_json) return; /* said already */
    facts_begin(&f, stdout, q->as_json);
    facts_text(&f, "version", warplu_version());
    facts_text(&f, "matrix", q->paths[0]);
    facts_text(&f, "status", warplu_status_name(status));
    if (status < 0) facts_text(&f, "message", r->setup.ctx.last_message);
    if (r->a.ptr != NULL) {
        facts_int(&f, "n", r->a.nrow);
        facts_int(&f, "nnz", r->a.nnz);
        facts_int(&f, "count", r->count);
        facts_int(&f, "nrhs", r->nrhs);
        facts_bool(&f, "complex", r->doubles > 1);
        facts_bool(&f, "transposed", q->transposed);
        facts_text(&f, "executor", load_executors[q->load.executor]);
        report_devices(&f, r);
        facts_int(&f, "threads", q->threads);
    }
    if (r->statistics.took_part > 0) report_answers(&f, r);
    facts_text(&f, "output", r->written > 0 ? q->output : NULL);
    facts_int(&f, "written", r->written);
    facts_end(&f);
}
