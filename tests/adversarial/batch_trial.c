/* Trials of batches. See batch_trial.h.
 *
 * Members' values are those of the first matrix, varied or attacked, the entries in use as pivots too. What is promised
 * of a member's success is what is promised of a solver's: docs/numerics.md. A call is judged by its own members'
 * values, a solve by kept factors by the values of the last refactorization that its member took part in. */
#include "batch_trial.h"

#include <warplu/batch.h>

#include "aim.h"
#include "attack.h"
#include "draw.h"
#include "judge.h"
#include "rhs.h"
#include "solver/batch/parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_MEMBERS = 40, MOST_SIDES = 3, MOST_CALLS = 7 };

static const double COMFORTABLE = 1e10;
static const double UNTOUCHED = 0x1.8p-77;

typedef struct batch_trial {
    const char *name;
    int64_t number;
    int loud;
    uint64_t seed;
    test_matrix m, by_rows;     /* m: the values at hand of one member */
    int32_t *place;             /* of the rows' entries in m */
    double *first, *now, *kept; /* by columns: of the start; of each member in the last call; of its factors */
    int has_factors[MOST_MEMBERS];
    warplu_options options;
    warplu_batch_options how;
    warplu_solver *solver;
    warplu_batch *batch;
    int32_t count, nrhs, wild; /* wild: members in ten that are attacked */
    int transposed, call, has_pivots, aims;
    double *values, *b, *x; /* as the batch takes them */
    double *column_b, *column_x;
    unsigned char mask[MOST_MEMBERS];
    int masked;
    batch_counts *out;
} batch_trial;

/* ------------------------------------------------------------------ saying */

static const char *const checks[] = {"off", "suspect", "always"};
static const char *const precisions[] = {"double", "single", "mixed"};

static void say(batch_trial *t, int32_t member, const char *what, double error)
{
    warplu_batch_member r;
    if (t->out->say-- <= 0 && !t->loud) return;
    warplu_batch_get_members(t->batch, member, 1, &r, sizeof r);
    printf("# case %" PRId64
           ": %s, n %d, nnz %d; %d members, check %s, %s, on_weak %d, executor %d, %s%s%s%s%s, repair "
           "%d, threads %d\n",
           t->number, t->name, t->m.n, t->m.nnz, t->count, checks[t->options.check], precisions[t->options.precision],
           (int)t->options.on_weak, (int)t->options.executor, t->options.storage == WARPLU_STORAGE_CSR ? "csr" : "csc",
           t->how.layout == WARPLU_BATCH_INTERLEAVED ? ", interleaved" : "", t->how.keep_factors ? ", keeps" : "",
           t->how.shared_values ? ", shared values" : "", t->how.shared_rhs ? ", shared b" : "", t->how.repair,
           t->how.threads);
    printf("#   call %d, member %d, %d right-hand sides%s: %s; record %s, way %d, program %d, verdict %d, backward "
           "error %.2e, %d steps; error %.2e\n",
           t->call, member, t->nrhs, t->transposed ? ", transposed" : "", what, warplu_status_name(r.status),
           (int)r.way, r.program, r.verdict, r.backward_error, r.refinement_steps, error);
}

static void expect(batch_trial *t, int condition, int32_t member, const char *what)
{
    if (condition) return;
    t->out->odd++;
    say(t, member, what, 0.0);
}

/* ----------------------------------------------------------------- drawing */

static void draw_options(batch_trial *t)
{
    warplu_options *o = &t->options;
    uint64_t *s = &t->seed;
    int32_t dice = check_below(s, 20);
    warplu_init_options(o);
    o->check = dice < 13 ? WARPLU_CHECK_SUSPECT : dice < 18 ? WARPLU_CHECK_ALWAYS : WARPLU_CHECK_OFF;
    o->ordering = check_below(s, 2) ? WARPLU_ORDERING_NATURAL : WARPLU_ORDERING_AUTO;
    o->btf = check_below(s, 2);
    dice = check_below(s, 10);
    o->scaling = dice < 5 ? WARPLU_SCALING_MAX : dice < 8 ? WARPLU_SCALING_NONE : WARPLU_SCALING_SUM;
    o->storage = check_below(s, 3) == 0 ? WARPLU_STORAGE_CSR : WARPLU_STORAGE_CSC;
    dice = check_below(s, 10);
    o->precision = dice < 7 ? WARPLU_PRECISION_DOUBLE : dice < 9 ? WARPLU_PRECISION_SINGLE : WARPLU_PRECISION_MIXED;
    int by_cpu = o->precision == WARPLU_PRECISION_DOUBLE && check_below(s, 4) > 0;
    o->executor = by_cpu ? WARPLU_EXECUTOR_CPU : WARPLU_EXECUTOR_REFERENCE;
    dice = check_below(s, 10);
    o->on_weak = dice < 8 ? WARPLU_ON_WEAK_REPIVOT : dice < 9 ? WARPLU_ON_WEAK_REFINE : WARPLU_ON_WEAK_REPORT;
    dice = check_below(s, 10);
    o->pivot_tolerance = dice < 7 ? 0.001 : dice < 9 ? 1.0 : 0.0;
    if (check_below(s, 10) == 0) o->max_refinement_steps = 0;
    if (check_below(s, 2)) o->expected_refactors = 1000.0;
}

static void draw_batch(batch_trial *t)
{
    warplu_batch_options *o = &t->how;
    uint64_t *s = &t->seed;
    warplu_batch_init_options(o);
    t->count = check_below(s, 3) == 0 ? 1 + check_below(s, 4) : 1 + check_below(s, MOST_MEMBERS);
    o->layout = check_below(s, 2) ? WARPLU_BATCH_INTERLEAVED : WARPLU_BATCH_CONTIGUOUS;
    o->keep_factors = check_below(s, 2);
    o->repair = check_below(s, 8) > 0;
    o->threads = check_below(s, 8) == 0 ? 2 : 1;
    o->sample = 1 + check_below(s, 8);
    o->shared_values = check_below(s, 10) == 0;
    o->shared_rhs = check_below(s, 10) == 0;
    const int32_t wild[] = {0, 1, 1, 3, 5, 10};
    t->wild = wild[check_below(s, 6)];
    t->aims = draw_one_in(s, 4);
}

static void find_pivots(const batch_trial *t, int32_t *row, int32_t *col)
{
    const wlu_pivots *pivots = t->batch->programs > 0 ? t->batch->program[0].plan->pivots : NULL;
    for (int32_t k = 0; k < t->m.n; k++) {
        row[k] = pivots != NULL ? pivots->row[k] : k;
        col[k] = pivots != NULL ? pivots->col[k] : k;
    }
}

/* New values of one member, in m.x: those of before, the first ones varied, or attacked. */
static void draw_values(batch_trial *t, int32_t member, int32_t *row, int32_t *col)
{
    size_t bytes = (size_t)t->m.nnz * sizeof *t->m.x;
    int attacked = check_below(&t->seed, 10) < t->wild;
    memcpy(t->m.x, t->now + (int64_t)member * t->m.nnz, bytes);
    if (draw_one_in(&t->seed, 6)) return;
    if (!attacked || check_below(&t->seed, 3) || !judge_all_finite(t->m.x, t->m.nnz)) memcpy(t->m.x, t->first, bytes);
    test_matrix_vary(&t->m, &t->seed, pow(10.0, -check_below(&t->seed, 4)) * 0.5);
    attack_site site = {&t->m, t->first, row, col, check_random(&t->seed)};
    if (attacked) attack_apply(&site, (attack_kind)check_below(&t->seed, ATTACKS));
}

static void put_values(batch_trial *t)
{
    int32_t nnz = t->m.nnz, members = t->how.shared_values ? 1 : t->count;
    int side = t->how.layout == WARPLU_BATCH_INTERLEAVED && !t->how.shared_values;
    for (int32_t k = 0; k < members; k++)
        for (int32_t q = 0; q < nnz; q++) {
            int32_t from = t->options.storage == WARPLU_STORAGE_CSR ? t->place[q] : q;
            t->values[side ? (int64_t)q * members + k : (int64_t)k * nnz + q] = t->now[(int64_t)k * nnz + from];
        }
}

static void draw_all_values(batch_trial *t)
{
    int32_t *row = malloc(2 * (size_t)t->m.n * sizeof *row), *col = row + t->m.n, nnz = t->m.nnz;
    find_pivots(t, row, col);
    for (int32_t k = 0; k < t->count; k++) {
        double *to = t->now + (int64_t)k * nnz;
        if (k == 0 || !t->how.shared_values) {
            draw_values(t, k, row, col);
            memcpy(to, t->m.x, (size_t)nnz * sizeof *to);
        } else {
            memcpy(to, t->now, (size_t)nnz * sizeof *to);
        }
    }
    put_values(t);
    free(row);
}

static int64_t at_of(const batch_trial *t, int32_t member, int32_t column, int32_t i, int shared)
{
    int32_t n = t->m.n;
    if (shared) return (int64_t)column * n + i;
    return t->how.layout == WARPLU_BATCH_INTERLEAVED ? ((int64_t)column * n + i) * t->count + member
                                                     : ((int64_t)member * t->nrhs + column) * n + i;
}

/* The first right-hand side becomes the worst for the factors by the common pivots (aim.h), sum the matrix. */
static void aim_at(batch_trial *t, int32_t member, const double *of, const test_matrix *sum)
{
    warplu_solver *twin = NULL;
    int32_t nnz = t->m.nnz;
    double *values = malloc(((size_t)nnz + 1) * sizeof *values);
    for (int32_t q = 0; q < nnz; q++)
        values[q] = of[(int64_t)member * nnz + (t->options.storage == WARPLU_STORAGE_CSR ? t->place[q] : q)];
    warplu_status status = warplu_clone(&twin, t->batch->base);
    if (status == WARPLU_SUCCESS) status = warplu_refactor(twin, values);
    if (status == WARPLU_SUCCESS) (void)aim(twin, sum, 0, t->transposed, t->column_b);
    warplu_destroy(&twin);
    free(values);
}

/* Right-hand sides that suit these values, and x as it must stay where a member does not take part. */
static void draw_sides(batch_trial *t, const double *of)
{
    int32_t n = t->m.n;
    t->nrhs = check_below(&t->seed, 3) ? 1 : check_below(&t->seed, MOST_SIDES + 1);
    t->transposed = check_below(&t->seed, 3) == 0;
    for (int32_t k = 0; k < (t->how.shared_rhs ? 1 : t->count); k++) {
        test_matrix sum;
        memcpy(t->m.x, of + (int64_t)k * t->m.nnz, (size_t)t->m.nnz * sizeof *t->m.x);
        judge_sum(&t->m, &sum);
        if (t->nrhs > 0) (void)rhs_draw(&sum, &t->seed, t->transposed, t->nrhs, t->column_b, n);
        if (t->nrhs > 0 && t->aims && draw_one_in(&t->seed, 3)) aim_at(t, k, of, &sum);
        for (int32_t c = 0; c < t->nrhs; c++)
            for (int32_t i = 0; i < n; i++)
                t->b[at_of(t, k, c, i, t->how.shared_rhs)] = t->column_b[(int64_t)c * n + i];
        test_matrix_free(&sum);
    }
    for (int64_t k = 0; k < (int64_t)t->count * MOST_SIDES * n; k++) t->x[k] = UNTOUCHED;
}

static void draw_mask(batch_trial *t)
{
    t->masked = check_below(&t->seed, 3) == 0;
    for (int32_t k = 0; k < t->count; k++)
        t->mask[k] = (unsigned char)(t->masked && check_below(&t->seed, 2) ? 0 : 1 + check_below(&t->seed, 255));
}

/* ----------------------------------------------------------------- judging */

static double tolerance_of(const batch_trial *t)
{
    return (t->options.precision == WARPLU_PRECISION_SINGLE ? 1e-4 : 1e-10) + 4.0 * t->m.n * 0x1p-52;
}

/* In units of the promise. With no check x has to be finite, and that is all. */
static double error_of(const batch_trial *t, const test_matrix *sum, const double *b, const double *x)
{
    if (t->options.check == WARPLU_CHECK_OFF) return judge_all_finite(x, t->m.n) ? 0.0 : INFINITY;
    double error = judge_row_error(sum, t->transposed, b, x);
    if (t->options.check == WARPLU_CHECK_ALWAYS) error = fmax(error, judge_backward_error(sum, t->transposed, b, x));
    return error / tolerance_of(t);
}

static void read_column(batch_trial *t, int32_t member, int32_t column)
{
    for (int32_t i = 0; i < t->m.n; i++) {
        t->column_b[i] = t->b[at_of(t, member, column, i, t->how.shared_rhs)];
        t->column_x[i] = t->x[at_of(t, member, column, i, 0)];
    }
}

static void judge_success(batch_trial *t, int32_t member, const warplu_batch_member *r, const test_matrix *sum)
{
    t->out->successes++;
    t->out->refined += r->way == WARPLU_BATCH_REFINED;
    t->out->others += r->way == WARPLU_BATCH_OTHER_PROGRAM;
    t->out->solvers += r->way == WARPLU_BATCH_OWN_SOLVER;
    t->out->unchecked += r->backward_error == -1.0;
    for (int32_t c = 0; c < t->nrhs; c++) {
        read_column(t, member, c);
        double error = error_of(t, sum, t->column_b, t->column_x);
        double *worst = r->backward_error == -1.0 ? &t->out->worst_unchecked : &t->out->worst;
        if (error > *worst) *worst = error;
        if (error <= 1.0) continue;
        t->out->wrong++;
        say(t, member, "WRONG", error);
        return;
    }
}

/* What there is no answer for: x is NaN unless there were factors, and only b was to blame. */
static void judge_refusal(batch_trial *t, int32_t member, const warplu_batch_member *r, const test_matrix *sum)
{
    int finite_b = 1, nan_x = 1, solvable = 1;
    judge_factors *truth = judge_factor(sum);
    double *x = malloc((size_t)t->m.n * sizeof *x);
    for (int32_t c = 0; c < t->nrhs; c++) {
        read_column(t, member, c);
        finite_b &= judge_all_finite(t->column_b, t->m.n);
        for (int32_t i = 0; i < t->m.n; i++) nan_x &= isnan(t->column_x[i]) != 0;
        if (truth == NULL || !finite_b) continue;
        judge_solve(truth, t->transposed, t->column_b, x);
        solvable &= judge_backward_error(sum, t->transposed, t->column_b, x) <= 1e-10;
    }
    if (r->status < 0) {
        t->out->refused++;
        expect(t, nan_x || !finite_b, member, "x is a number, and there is no answer");
    } else {
        t->out->warned++;
    }
    int repairs = t->how.repair && t->options.on_weak == WARPLU_ON_WEAK_REPIVOT;
    if (repairs && finite_b && solvable && judge_condition(truth) < COMFORTABLE &&
        t->options.check == WARPLU_CHECK_SUSPECT && t->options.precision != WARPLU_PRECISION_MIXED) {
        t->out->alarms++;
        if (t->loud) say(t, member, "false alarm", 0.0);
    }
    judge_free(truth);
    free(x);
}

static int is_expected(const batch_trial *t, warplu_status status)
{
    int repairs = t->how.repair && t->options.on_weak == WARPLU_ON_WEAK_REPIVOT;
    if (status == WARPLU_WEAK) return !repairs && t->options.check != WARPLU_CHECK_OFF;
    return status == WARPLU_SUCCESS || status == WARPLU_INACCURATE || status == WARPLU_UNCHECKED ||
           status == WARPLU_SINGULAR || status == WARPLU_NOT_FINITE;
}

static void check_untouched(batch_trial *t, int32_t member)
{
    int same = 1;
    for (int32_t c = 0; c < t->nrhs; c++)
        for (int32_t i = 0; i < t->m.n; i++) same &= t->x[at_of(t, member, c, i, 0)] == UNTOUCHED;
    expect(t, same, member, "x of a member that does not take part");
}

/* The members' records after a call that answered `status`, whose values were `of`; solves: by kept factors. */
static void judge_members(batch_trial *t, const double *of, warplu_status status, int solves)
{
    int failed = 0;
    for (int32_t k = 0; k < t->count; k++) {
        warplu_batch_member r;
        test_matrix sum;
        if (!t->mask[k]) {
            check_untouched(t, k);
            continue;
        }
        CHECK(warplu_batch_get_members(t->batch, k, 1, &r, sizeof r) == WARPLU_SUCCESS);
        failed += r.status != WARPLU_SUCCESS;
        if (solves && !t->has_factors[k]) {
            expect(t, r.status == WARPLU_WRONG_PHASE, k, "solved without factors");
            continue;
        }
        expect(t, is_expected(t, r.status), k, "status");
        if (t->nrhs == 0) continue;
        memcpy(t->m.x, of + (int64_t)k * t->m.nnz, (size_t)t->m.nnz * sizeof *t->m.x);
        judge_sum(&t->m, &sum);
        t->out->members++;
        if (r.status == WARPLU_SUCCESS)
            judge_success(t, k, &r, &sum);
        else
            judge_refusal(t, k, &r, &sum);
        test_matrix_free(&sum);
    }
    expect(t, status == (failed > 0 ? WARPLU_MEMBERS_FAILED : WARPLU_SUCCESS), 0, "the call's status");
}

/* ------------------------------------------------------------------- calls */

/* Without pivots a call may find none. Whether members' records say what has become of them. */
static int call_went_through(batch_trial *t, warplu_status status)
{
    if (t->loud)
        printf("#  call %d: %s: %s\n", t->call, warplu_status_name(status), warplu_batch_get_message(t->batch));
    int had = t->has_pivots;
    t->has_pivots = t->batch->programs > 0;
    if (status >= 0) return 1;
    expect(t, !had && (status == WARPLU_SINGULAR || status == WARPLU_NOT_FINITE), 0, "the call failed");
    return 0;
}

static void refactor_and_solve(batch_trial *t)
{
    draw_all_values(t);
    draw_sides(t, t->now);
    warplu_status status = warplu_batch_refactor_solve(t->batch, t->values, t->masked ? t->mask : NULL, t->transposed,
                                                       t->nrhs, t->b, t->x);
    if (call_went_through(t, status)) judge_members(t, t->now, status, 0);
}

static void refactor(batch_trial *t)
{
    draw_all_values(t);
    t->nrhs = 0;
    warplu_status status = warplu_batch_refactor(t->batch, t->values, t->masked ? t->mask : NULL);
    int through = call_went_through(t, status);
    if (through) judge_members(t, t->now, status, 0);
    for (int32_t k = 0; k < t->count; k++) {
        warplu_batch_member r;
        if (!t->mask[k]) continue;
        warplu_batch_get_members(t->batch, k, 1, &r, sizeof r);
        t->has_factors[k] = through && r.status >= 0;
        memcpy(t->kept + (int64_t)k * t->m.nnz, t->now + (int64_t)k * t->m.nnz, (size_t)t->m.nnz * sizeof *t->kept);
    }
}

static void solve(batch_trial *t)
{
    draw_sides(t, t->kept);
    warplu_status status = warplu_batch_solve(t->batch, t->masked ? t->mask : NULL, t->transposed, t->nrhs, t->b, t->x);
    if (t->has_pivots)
        judge_members(t, t->kept, status, 1);
    else
        expect(t, status == WARPLU_WRONG_PHASE, 0, "a solve without pivots");
}

static void factor(batch_trial *t)
{
    draw_all_values(t);
    warplu_status status = warplu_batch_factor(t->batch, t->values);
    expect(t, status == WARPLU_SUCCESS || status == WARPLU_SINGULAR || status == WARPLU_NOT_FINITE, 0, "factor");
    if (status == WARPLU_SUCCESS) t->has_pivots = 1;
    if (status == WARPLU_SUCCESS) memset(t->has_factors, 0, sizeof t->has_factors);
}

static void make_call(batch_trial *t)
{
    int32_t dice = check_below(&t->seed, 10);
    draw_mask(t);
    if (dice == 0)
        factor(t);
    else if (!t->how.keep_factors || dice < 3)
        refactor_and_solve(t);
    else if (dice < 6)
        refactor(t);
    else
        solve(t);
}

/* -------------------------------------------------------------------- life */

static void make_room(batch_trial *t)
{
    size_t n = (size_t)t->m.n, nnz = (size_t)t->m.nnz + 1, count = (size_t)t->count;
    t->place = malloc(nnz * sizeof *t->place);
    test_matrix_to_csr(&t->m, &t->by_rows, t->place);
    t->first = malloc(nnz * sizeof *t->first);
    memcpy(t->first, t->m.x, (size_t)t->m.nnz * sizeof *t->first);
    t->now = calloc(count * nnz, sizeof *t->now);
    t->kept = calloc(count * nnz, sizeof *t->kept);
    t->values = calloc(count * nnz, sizeof *t->values);
    t->b = calloc(count * MOST_SIDES * n, sizeof *t->b);
    t->x = calloc(count * MOST_SIDES * n, sizeof *t->x);
    t->column_b = calloc(MOST_SIDES * n, sizeof *t->column_b);
    t->column_x = calloc(n, sizeof *t->column_x);
    for (size_t k = 0; k < count; k++) memcpy(t->now + k * (nnz - 1), t->first, (nnz - 1) * sizeof *t->now);
}

/* Its pivots, if it has some, are proven where enough solves have been accurate. */
static void make_solver(batch_trial *t)
{
    int by_rows = t->options.storage == WARPLU_STORAGE_CSR;
    const test_matrix *m = by_rows ? &t->by_rows : &t->m;
    int32_t n = t->m.n, solves = check_below(&t->seed, 6);
    warplu_status status = warplu_create(&t->solver, &t->options);
    CHECK_SAY(status == WARPLU_SUCCESS, "create: %s", warplu_status_name(status));
    status = warplu_analyze(t->solver, n, m->ptr, m->idx, check_below(&t->seed, 2) ? m->x : NULL);
    CHECK_SAY(status == WARPLU_SUCCESS, "analyze: %s", warplu_status_name(status));
    if (check_below(&t->seed, 2)) return;
    t->has_pivots = warplu_factor(t->solver, m->x) >= 0;
    for (int32_t k = 0; k < solves && t->has_pivots; k++) {
        for (int32_t i = 0; i < n; i++) t->column_b[i] = check_uniform(&t->seed) - 0.5;
        if (k % 2) (void)warplu_refactor(t->solver, m->x);
        (void)warplu_solve(t->solver, 1, t->column_b, n, t->column_x, n);
    }
}

void batch_trial_run(test_matrix *m, const char *name, uint64_t seed, int64_t number, int loud, batch_counts *out)
{
    batch_trial t = {.name = name, .number = number, .loud = loud, .seed = seed, .m = *m, .out = out};
    draw_options(&t);
    draw_batch(&t);
    make_room(&t);
    make_solver(&t);
    warplu_status status = warplu_batch_create(&t.batch, t.solver, t.count, &t.how);
    CHECK_SAY(status == WARPLU_SUCCESS, "case %" PRId64 ": create: %s", number, warplu_status_name(status));
    int calls = 1 + check_below(&t.seed, MOST_CALLS);
    for (; t.call < calls && status == WARPLU_SUCCESS; t.call++) make_call(&t);
    warplu_batch_destroy(&t.batch);
    warplu_destroy(&t.solver);
    test_matrix_free(&t.m);
    test_matrix_free(&t.by_rows);
    void *rest[] = {t.place, t.first, t.now, t.kept, t.values, t.b, t.x, t.column_b, t.column_x};
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) free(rest[k]);
}
