/* Judges answers of the attack on hubs, and counts them. See hub_player.h. */
#include "hub_player.h"

#include "support/stages.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *const way_names[] = {"columns", "program", "device", "batch"};
static const char *const numbers_names[] = {"double", "complex", "single", "mixed"};

const char *hub_way_name(hub_way way)
{
    return way_names[way];
}

const char *hub_numbers_name(hub_numbers numbers)
{
    return numbers_names[numbers];
}

int64_t hub_successes(const hub_tally *t)
{
    int64_t sum = 0;
    for (int k = 0; k < HUB_WAYS * HUB_NUMBERS * 2; k++)
        sum += t->of[k / (2 * HUB_NUMBERS)][k / 2 % HUB_NUMBERS][k % 2].successes;
    return sum;
}

int64_t hub_doubles_of(const hub_player *p)
{
    return (int64_t)test_matrix_doubles(&p->h.m) * p->h.m.n;
}

row_errors_op hub_op_of(const hub_player *p, int transposed, int conjugate)
{
    int of_m = transposed != (p->options.storage == WARPLU_STORAGE_CSR);
    if (!of_m) return ROW_ERRORS_PLAIN;
    return conjugate ? ROW_ERRORS_CONJUGATE : ROW_ERRORS_TRANSPOSED;
}

static void say_case(const hub_player *p)
{
    const warplu_options *o = &p->options;
    hub_print(&p->h, &p->now);
    printf(
        "; ordering %d, btf %d, matching %d, scaling %d, check %d, storage %d, executor %d, threads %d, expected %g, "
        "bytes %" PRId64 "\n",
        (int)o->ordering, o->btf, (int)o->matching, (int)o->scaling, (int)o->check, (int)o->storage, (int)o->executor,
        o->threads, o->expected_refactors, o->max_program_bytes);
    fflush(stdout);
}

static void say(const hub_player *p, hub_way way, row_errors_op op, int checked, const row_errors *e)
{
    printf("# WRONG: --case %" PRId64 " --seed %" PRIu64 ": %s %s, op %d, %s: error %.3e of equation %d, componentwise "
           "%.3e; ",
           p->number, p->first_seed, numbers_names[p->numbers], way_names[way], (int)op,
           checked ? "checked" : "unchecked", e->whole, e->row, e->componentwise);
    say_case(p);
}

double hub_judge(hub_player *p, hub_way way, int transposed, row_errors_op op, int checked, const double *b,
                 const double *x)
{
    hub_counts *c = &p->tally->of[way][p->numbers][transposed];
    double accurate = p->numbers == HUB_FP32 ? 1e-4 : 1e-10;
    row_errors e = row_errors_of(&p->h.m, op, b, x);
    double error = e.whole / accurate;
    if (p->options.check == WARPLU_CHECK_ALWAYS) error = fmax(error, e.componentwise / accurate);
    c->successes++;
    c->checked += checked;
    c->limited += !checked && !transposed && way != HUB_BY_BATCH && test_is_limited(p->solver);
    double *most = checked ? &c->seen : &c->worst;
    if (!(error <= *most)) *most = error;
    if (error <= 1.0) return checked ? 0.0 : error;
    c->wrong++;
    if (p->tally->say-- > 0) say(p, way, op, checked, &e);
    return error;
}

void hub_keep(hub_player *p, int transposed, double error)
{
    hub_parent *least = p->best[transposed];
    for (int k = 1; k < HUB_PARENTS; k++)
        if (p->best[transposed][k].error < least->error) least = &p->best[transposed][k];
    if (error > least->error) *least = (hub_parent){p->now, error};
}

void hub_say_odd(hub_player *p, const char *what, warplu_status status)
{
    p->tally->odd++;
    printf("# FAILED: --case %" PRId64 " --seed %" PRIu64 ": %s: %s; ", p->number, p->first_seed, what,
           warplu_status_name(status));
    say_case(p);
}
