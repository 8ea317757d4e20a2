/* Plays cases of hubs. See hub_play.h. */
#include "emulator/emulate.h"
#include "hub_play.h"

#include <warplu/batch.h>
#include <warplu/complex.h>
#include <warplu/save.h>

#include "draw.h"
#include "hub_rhs.h"
#include "support/stages.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARENTS = 4, MOST_COLUMNS = 6, MOST_MEMBERS = 12, STEPS = 40 };

/* What came nearest to a wrong success. */
typedef struct parent {
    hub_genes genes;
    double error;
} parent;

typedef struct player {
    uint64_t first_seed, seed;
    int64_t number;
    hub_tally *tally;
    hub_numbers numbers;
    hub_matrix h;
    hub_genes benign, now;
    warplu_options options;
    warplu_solver *solver;
    parent best[2][PARENTS]; /* of A, of A' */
    double *b, *x;           /* MOST_COLUMNS */
    double limit[2];         /* of hostile values (hub.h): goes where solves begin to be checked */
    int32_t columns;         /* of right-hand sides, at most */
    int hastens_limits;
} player;

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

/* ----------------------------------------------------------------- judging */

static int64_t doubles_of(const player *p)
{
    return (int64_t)test_matrix_doubles(&p->h.m) * p->h.m.n;
}

static row_errors_op op_of(const player *p, int transposed, int conjugate)
{
    int of_m = transposed != (p->options.storage == WARPLU_STORAGE_CSR);
    if (!of_m) return ROW_ERRORS_PLAIN;
    return conjugate ? ROW_ERRORS_CONJUGATE : ROW_ERRORS_TRANSPOSED;
}

static void say_case(const player *p)
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

static void say(const player *p, hub_way way, row_errors_op op, int checked, const row_errors *e)
{
    printf("# WRONG: --case %" PRId64 " --seed %" PRIu64 ": %s %s, op %d, %s: error %.3e of equation %d, componentwise "
           "%.3e; ",
           p->number, p->first_seed, numbers_names[p->numbers], way_names[way], (int)op,
           checked ? "checked" : "unchecked", e->whole, e->row, e->componentwise);
    say_case(p);
}

/* Judges a success; what it is of the promise. */
static double judge(player *p, hub_way way, int transposed, row_errors_op op, int checked, const double *b,
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

/* Keeps the values at hand in place of the least of the best, if they are better. */
static void keep(player *p, int transposed, double error)
{
    parent *least = p->best[transposed];
    for (int k = 1; k < PARENTS; k++)
        if (p->best[transposed][k].error < least->error) least = &p->best[transposed][k];
    if (error > least->error) *least = (parent){p->now, error};
}

static void say_odd(player *p, const char *what, warplu_status status)
{
    p->tally->odd++;
    printf("# FAILED: --case %" PRId64 " --seed %" PRIu64 ": %s: %s; ", p->number, p->first_seed, what,
           warplu_status_name(status));
    say_case(p);
}

/* ------------------------------------------------------------------- steps */

static warplu_statistics statistics_of(const player *p)
{
    warplu_statistics t = {.size = sizeof t};
    warplu_get_statistics(p->solver, &t);
    return t;
}

static hub_way way_of(const player *p)
{
    if (p->options.executor == TEST_EXECUTOR_EMULATE) return HUB_BY_DEVICE;
    return statistics_of(p).compiled ? HUB_BY_PROGRAM : HUB_BY_COLUMNS;
}

static warplu_status call(player *p, int transposed, int conjugate, int32_t nrhs, const double *b, double *x)
{
    int32_t n = p->h.m.n;
    if (!transposed) return warplu_solve(p->solver, nrhs, b, n, x, n);
    if (conjugate) return warplu_solve_conjugate_transposed(p->solver, nrhs, b, n, x, n);
    return warplu_solve_transposed(p->solver, nrhs, b, n, x, n);
}

/* Solves for a few right-hand sides, in place or not, and keeps what is bad. */
static void solve(player *p, int transposed)
{
    const int64_t n = doubles_of(p);
    int32_t nrhs = 1 + check_below(&p->seed, p->columns);
    int by_columns = p->options.storage == WARPLU_STORAGE_CSC, in_place = draw_one_in(&p->seed, 4);
    int conjugate = p->numbers == HUB_COMPLEX && by_columns && check_below(&p->seed, 2);
    row_errors_op op = op_of(p, transposed, conjugate);
    for (int32_t k = 0; k < nrhs; k++) hub_draw_rhs(&p->h, &p->seed, op, p->b + k * n);
    if (in_place) memcpy(p->x, p->b, (size_t)(nrhs * n) * sizeof *p->x);
    if (p->hastens_limits) test_hasten_limits(p->solver);
    hub_way way = way_of(p);
    warplu_status status = call(p, transposed, conjugate, nrhs, in_place ? p->x : p->b, p->x);
    if (status != WARPLU_SUCCESS && status != WARPLU_REPIVOTED) {
        p->tally->of[way][p->numbers][transposed].refused += nrhs;
        return;
    }
    int checked = statistics_of(p).all_checked;
    double worst = 0.0;
    for (int32_t k = 0; k < nrhs; k++)
        worst = fmax(worst, judge(p, way, transposed, op, checked, p->b + k * n, p->x + k * n));
    keep(p, transposed, worst);
}

/* Whether there are factors. */
static int refactor(player *p, const hub_genes *genes)
{
    p->now = *genes;
    hub_express(&p->h, genes);
    if (draw_one_in(&p->seed, 8)) test_hasten_stage(p->solver);
    return warplu_refactor(p->solver, p->h.m.x) >= 0;
}

/* Harmless values, whose solves end the trial of pivots. */
static void rest(player *p)
{
    if (!refactor(p, &p->benign)) return;
    for (int k = check_below(&p->seed, 4); k >= 0; k--) {
        solve(p, 0);
        solve(p, 1);
    }
}

static warplu_status restore(player *p, warplu_solver **next)
{
    char path[] = "hubs-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) return WARPLU_CANNOT_OPEN;
    close(file);
    int plain = p->options.max_program_bytes == 1 || check_below(&p->seed, 2);
    warplu_status status = plain ? warplu_save(p->solver, path) : warplu_save_program(p->solver, path);
    if (status == WARPLU_SUCCESS) status = warplu_create(next, &p->options);
    if (status == WARPLU_SUCCESS) status = warplu_restore(*next, path);
    if (status != WARPLU_SUCCESS) printf("# %s\n", warplu_get_message(*next != NULL ? *next : p->solver));
    unlink(path);
    return status;
}

/* A clone or a restored solver goes on. */
static void succeed(player *p)
{
    warplu_solver *next = NULL;
    int clones = check_below(&p->seed, 2);
    warplu_status status = clones ? warplu_clone(&next, p->solver) : restore(p, &next);
    if (status != WARPLU_SUCCESS) {
        say_odd(p, clones ? "clone" : "restore", status);
        warplu_destroy(&next);
        return;
    }
    warplu_destroy(&p->solver);
    p->solver = next;
    if (!clones) rest(p);
}

static hub_genes draw_genes(player *p, int transposed)
{
    const parent *from = &p->best[transposed][check_below(&p->seed, PARENTS)];
    if (from->error > 0.0 && !draw_one_in(&p->seed, 5)) return hub_mutate(&from->genes, &p->seed);
    return hub_hostile(&p->h, &p->seed, p->limit[transposed],
                       p->numbers == HUB_FP32 || p->numbers == HUB_MIXED ? 24 : 53);
}

/* Larger values next time where nobody checks, smaller ones else. */
static void move_limit(player *p, int transposed)
{
    double *limit = &p->limit[transposed];
    *limit *= statistics_of(p).all_checked ? 0.6 : 1.6;
    *limit = fmin(fmax(*limit, 1.0), 1e15);
}

/* Values that change little after checked solves stay within limits of their factors. */
static void repeat(player *p, hub_genes genes)
{
    for (int k = 0; k < 4; k++) {
        hub_jitter(&genes, &p->seed);
        if (!refactor(p, &genes)) return;
        solve(p, 0);
    }
}

static void attack(player *p)
{
    int transposed = check_below(&p->seed, 2);
    hub_genes genes = draw_genes(p, transposed);
    if (!refactor(p, &genes)) return;
    solve(p, transposed);
    move_limit(p, transposed);
    if (draw_one_in(&p->seed, 4)) solve(p, !transposed);
    if (p->hastens_limits && draw_one_in(&p->seed, 4)) repeat(p, genes);
}

/* ------------------------------------------------------------------- batch */

/* Members' values and right-hand sides, one after the other; `of`: their genes. */
static void draw_members(player *p, int transposed, int32_t count, hub_genes *of, double *values, double *b)
{
    const int64_t nnz = test_matrix_values(&p->h.m);
    for (int32_t m = 0; m < count; m++) {
        of[m] = draw_genes(p, transposed);
        hub_express(&p->h, &of[m]);
        memcpy(values + m * nnz, p->h.m.x, (size_t)nnz * sizeof *values);
        hub_draw_rhs(&p->h, &p->seed, op_of(p, transposed, 0), b + m * doubles_of(p));
    }
}

static void judge_members(player *p, const warplu_batch *batch, int transposed, int32_t count, const hub_genes *of,
                          const double *b, const double *x)
{
    const int64_t n = doubles_of(p);
    warplu_batch_member member[MOST_MEMBERS];
    warplu_status status = warplu_get_batch_members(batch, 0, count, member, sizeof *member);
    if (status != WARPLU_SUCCESS) say_odd(p, "records of members", status);
    for (int32_t m = 0; m < count; m++) {
        p->now = of[m];
        if (member[m].status != WARPLU_SUCCESS) {
            p->tally->of[HUB_BY_BATCH][p->numbers][transposed].refused++;
            continue;
        }
        hub_express(&p->h, &of[m]);
        int checked = member[m].backward_error != -1.0;
        keep(p, transposed, judge(p, HUB_BY_BATCH, transposed, op_of(p, transposed, 0), checked, b + m * n, x + m * n));
    }
}

static void call_batch(player *p, warplu_batch *batch, int32_t count, int keeps)
{
    const size_t n = (size_t)(count * doubles_of(p)), nnz = (size_t)(count * test_matrix_values(&p->h.m));
    double *values = malloc(nnz * sizeof *values), *b = malloc(2 * n * sizeof *b), *x = b + n;
    hub_genes of[MOST_MEMBERS];
    for (int k = 0; k < 6; k++) {
        int transposed = draw_one_in(&p->seed, 4);
        draw_members(p, transposed, count, of, values, b);
        warplu_status status;
        if (keeps) {
            status = warplu_batch_refactor(batch, values, NULL);
            if (status >= 0) status = warplu_batch_solve(batch, NULL, transposed, 1, b, x);
        } else {
            status = warplu_batch_refactor_solve(batch, values, NULL, transposed, 1, b, x);
        }
        if (status >= 0) judge_members(p, batch, transposed, count, of, b, x);
    }
    free(values);
    free(b);
}

static void play_batch(player *p)
{
    warplu_batch_options o;
    warplu_batch *batch = NULL;
    int32_t count = 1 + check_below(&p->seed, MOST_MEMBERS);
    rest(p);
    warplu_init_batch_options(&o);
    o.keep_factors = check_below(&p->seed, 2);
    o.threads = draw_one_in(&p->seed, 4) ? 2 : 1;
    if (p->options.executor == TEST_EXECUTOR_EMULATE) {
        o.executor =
            p->numbers == HUB_FP32 || p->numbers == HUB_MIXED ? WARPLU_EXECUTOR_REFERENCE : WARPLU_EXECUTOR_CPU;
    }
    if (warplu_create_batch(&batch, p->solver, count, &o) == WARPLU_SUCCESS)
        call_batch(p, batch, count, o.keep_factors);
    warplu_destroy_batch(&batch);
}

/* ------------------------------------------------------------------- cases */

static void draw_executor(player *p)
{
    warplu_options *o = &p->options;
    int emulates = p->h.m.n <= 3000 && draw_one_in(&p->seed, 4);
    o->precision = p->numbers == HUB_FP32    ? WARPLU_PRECISION_SINGLE
                   : p->numbers == HUB_MIXED ? WARPLU_PRECISION_MIXED
                                             : WARPLU_PRECISION_DOUBLE;
    o->scalar = p->numbers == HUB_COMPLEX ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    if (emulates)
        o->executor = TEST_EXECUTOR_EMULATE;
    else if (o->precision != WARPLU_PRECISION_DOUBLE || draw_one_in(&p->seed, 8))
        o->executor = WARPLU_EXECUTOR_REFERENCE;
    else if (draw_one_in(&p->seed, 4))
        o->threads = 2;
    else if (draw_one_in(&p->seed, 3))
        o->max_program_bytes = 1; /* there is no program */
}

static void draw_options(player *p)
{
    static const double expected[] = {0.0, 0.0, 30.0, 1e6};
    warplu_options *o = &p->options;
    const int small = p->h.m.n <= 4000;
    warplu_init_options(o);
    if (draw_one_in(&p->seed, 4)) o->storage = WARPLU_STORAGE_CSR;
    if (draw_one_in(&p->seed, 3)) o->ordering = WARPLU_ORDERING_NATURAL;
    if (draw_one_in(&p->seed, 4)) o->ordering = WARPLU_ORDERING_AMD;
    o->btf = !draw_one_in(&p->seed, 4);
    if (draw_one_in(&p->seed, 4))
        o->matching = draw_one_in(&p->seed, 3) ? WARPLU_MATCHING_ALWAYS : WARPLU_MATCHING_NEVER;
    if (draw_one_in(&p->seed, 4)) o->scaling = (warplu_scaling)check_below(&p->seed, 3);
    if (draw_one_in(&p->seed, 10)) o->check = WARPLU_CHECK_ALWAYS;
    o->expected_refactors = expected[check_below(&p->seed, small ? 4 : 2)];
    draw_executor(p);
}

/* Most are small. */
static int32_t draw_order(player *p)
{
    const hub_tally *t = p->tally;
    double u = check_uniform(&p->seed), least = p->numbers == HUB_FP32 && draw_one_in(&p->seed, 2) ? 8 : t->least;
    return (int32_t)(least * pow(t->most / least, u * u * u));
}

static int begin(player *p)
{
    if (warplu_create(&p->solver, &p->options) != WARPLU_SUCCESS) return 0;
    if (draw_one_in(&p->seed, 4)) test_replay_first(p->solver);
    hub_express(&p->h, &p->benign);
    p->now = p->benign;
    warplu_status status = warplu_analyze(p->solver, p->h.m.n, p->h.m.ptr, p->h.m.idx, p->h.m.x);
    if (status >= 0) status = warplu_factor(p->solver, p->h.m.x);
    if (status < 0) say_odd(p, "first values", status);
    return status >= 0;
}

static void play_all(player *p)
{
    for (int k = 0; k < 3; k++) {
        solve(p, 0);
        solve(p, 1);
    }
    for (int k = check_below(&p->seed, 6); k > 0; k--) rest(p);
    for (int k = 0; k < STEPS; k++) {
        if (draw_one_in(&p->seed, 24)) succeed(p);
        if (draw_one_in(&p->seed, 10)) rest(p);
        attack(p);
    }
    if (draw_one_in(&p->seed, 3)) play_batch(p);
}

void hub_play(uint64_t seed, int64_t number, hub_tally *tally)
{
    player p = {.first_seed = seed, .seed = draw_seed(seed, number), .number = number, .tally = tally};
    p.numbers = tally->only >= 0 ? (hub_numbers)tally->only : (hub_numbers)(number % (HUB_NUMBERS + 2) % HUB_NUMBERS);
    p.limit[0] = p.limit[1] = p.numbers == HUB_FP32 ? 4e3 : 2e6;
    int32_t n = draw_order(&p);
    hub_draw(&p.h, &p.seed, (hub_shape)check_below(&p.seed, HUB_SHAPES), n, p.numbers == HUB_COMPLEX ? 2 : 1);
    draw_options(&p);
    p.columns = n > 8000 ? 2 : MOST_COLUMNS;
    p.hastens_limits = check_below(&p.seed, 2);
    p.benign = hub_benign(&p.h, &p.seed);
    p.b = malloc((size_t)(MOST_COLUMNS * doubles_of(&p)) * sizeof *p.b);
    p.x = malloc((size_t)(MOST_COLUMNS * doubles_of(&p)) * sizeof *p.x);
    if (begin(&p)) play_all(&p);
    tally->cases++;
    warplu_destroy(&p.solver);
    hub_free(&p.h);
    free(p.b);
    free(p.x);
}
