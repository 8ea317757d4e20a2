/* Weak members of warplu bench --batch --weak: values for which the pivots that suit the others are weak, though the
 * matrix is hardly worse conditioned.
 *
 * A kind of weak members has COLUMNS columns at most whose pivot entry is shrunk, in each member of the kind by another
 * power of two. Where that is a small one refinement still helps, beyond 2^-52 nothing is left of what the pivot was.
 * Columns are drawn, and tried on the matrix as it is: one is taken if a replay by the matrix's own pivots is then
 * weak, while pivoting anew succeeds and Skeel's condition number grows by CONDITION at most. All is drawn by the seed.
 *
 * Cost: TRIES replays a kind at most, as many pivoting factorizations with an estimate of the condition number; two
 * solvers. */
#include <warplu/inspect.h>

#include "bench_batch.h"
#include "gen/random.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 3, TRIES = 64 };
static const double CONDITION = 1e3;
/* 1e-9 to 1e-18, about. */
enum { LEAST_POWER = 30, POWERS = 31 };

/* Streams of random numbers behind those of members. */
enum { STREAM_MEMBERS = -1, STREAM_KINDS = -2, STREAM_POWERS = -3 };

/* Entries of A that are shrunk. */
typedef struct kind {
    int count;
    int32_t entry[COLUMNS];
} kind;

typedef struct maker {
    const bench_plan *plan;
    const bench_case *c;
    warplu_solver *kept, *anew; /* keeps the pivots of A; pivots in each trial */
    warplu_pivot *pivot;        /* n: of A */
    double *values;             /* of a trial */
    double condition;           /* of a trial at most */
    kind *kinds;
} maker;

int32_t bench_weak_count(const bench_plan *plan)
{
    double wanted = plan->members * plan->weak_percent / 100.0;
    return wanted < 1.0 ? 1 : (int32_t)lround(wanted);
}

static void shrink(const kind *of, int power, int doubles, double *values)
{
    for (int q = 0; q < of->count; q++)
        for (int part = 0; part < doubles; part++) {
            double *value = &values[(int64_t)doubles * of->entry[q] + part];
            *value = ldexp(*value, -power);
        }
}

/* More kinds than weak members are not needed. */
static int kinds_of(const bench_plan *plan)
{
    int32_t weak = bench_weak_count(plan);
    return plan->weak_kinds < weak ? plan->weak_kinds : weak;
}

static warplu_status make_solver(const maker *k, warplu_on_weak on_weak, warplu_solver **out)
{
    const warplu_mm_matrix *a = &k->c->a;
    warplu_options options = batch_solver_options(&k->plan->setup.options);
    options.on_weak = on_weak;
    options.message = NULL; /* trials may fail */
    warplu_status status = load_create(&k->plan->setup, &options, out);
    if (status >= 0) status = warplu_analyze(*out, a->nrow, a->ptr, a->idx, a->values);
    return status >= 0 ? warplu_factor(*out, a->values) : status;
}

static warplu_status open(maker *k)
{
    const bench_case *c = k->c;
    int32_t found;
    k->pivot = WLU_ALLOC(c->ctx, c->a.nrow, warplu_pivot);
    k->values = WLU_ALLOC(c->ctx, bench_values(c), double);
    k->kinds = WLU_CALLOC(c->ctx, kinds_of(k->plan), kind);
    if (k->pivot == NULL || k->values == NULL || k->kinds == NULL) return wlu_fail_memory(c->ctx, "weak members");
    warplu_status status = make_solver(k, WARPLU_ON_WEAK_REPORT, &k->kept);
    if (status >= 0) status = make_solver(k, WARPLU_ON_WEAK_REPIVOT, &k->anew);
    if (status >= 0) status = warplu_list_pivots(k->kept, c->a.values, INFINITY, c->a.nrow, k->pivot, &found);
    if (status >= 0) status = warplu_estimate_skeel_condition(k->kept, c->a.values, NULL, &k->condition);
    k->condition *= CONDITION;
    return status;
}

static void close(maker *k)
{
    warplu_destroy(&k->kept);
    warplu_destroy(&k->anew);
    wlu_free(k->c->ctx, k->pivot);
    wlu_free(k->c->ctx, k->values);
    wlu_free(k->c->ctx, k->kinds);
}

/* Whether a matrix of this kind is one for other pivots. */
static int is_good(maker *k, const kind *of)
{
    const warplu_mm_matrix *a = &k->c->a;
    double condition;
    memcpy(k->values, a->values, (size_t)bench_values(k->c) * sizeof *k->values);
    shrink(of, LEAST_POWER, k->c->pattern->doubles, k->values);
    if (warplu_refactor(k->kept, k->values) != WARPLU_WEAK) return 0;
    return warplu_factor(k->anew, k->values) == WARPLU_SUCCESS &&
           warplu_estimate_skeel_condition(k->anew, k->values, NULL, &condition) == WARPLU_SUCCESS &&
           condition <= k->condition;
}

static warplu_status draw_kind(maker *k, int number)
{
    const bench_case *c = k->c;
    kind *of = &k->kinds[number];
    for (int try = 0; try < TRIES && of->count < COLUMNS; try++) {
        int64_t draw = (int64_t)number * TRIES + try;
        const warplu_pivot *p = &k->pivot[gen_below(k->plan->seed, (uint64_t)STREAM_KINDS, draw, c->a.nrow)];
        if (warplu_get_position(k->kept, p->row, p->col, &of->entry[of->count]) < 0) continue; /* fill-in */
        of->count++;
        if (!is_good(k, of)) of->count--;
    }
    if (of->count > 0) return WARPLU_SUCCESS;
    return wlu_fail(c->ctx, WARPLU_INVALID_ARGUMENT, "%s: no members whose pivots are weak were found in %d tries",
                    c->path, (int)TRIES);
}

/* So many of the members, each as likely as any other, of the kinds in turn. */
static void shrink_members(const maker *k, double *values)
{
    const bench_plan *plan = k->plan;
    int32_t left = bench_weak_count(plan), made = 0;
    for (int32_t m = 0; m < plan->members && left > 0; m++) {
        if (gen_below(plan->seed, (uint64_t)STREAM_MEMBERS, m, plan->members - m) >= left) continue;
        int power = LEAST_POWER + gen_below(plan->seed, (uint64_t)STREAM_POWERS, m, POWERS);
        shrink(&k->kinds[made++ % kinds_of(plan)], power, k->c->pattern->doubles, values + m * bench_values(k->c));
        left--;
    }
}

warplu_status bench_weaken_members(const bench_plan *plan, const bench_case *c, double *values)
{
    maker k = {.plan = plan, .c = c};
    warplu_status status = open(&k);
    for (int number = 0; number < kinds_of(plan) && status >= 0; number++) status = draw_kind(&k, number);
    if (status >= 0) shrink_members(&k, values);
    close(&k);
    return status;
}
