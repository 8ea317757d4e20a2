/* Plays cases of hubs. See hub_play.h. */
#include "emulator/emulate.h"
#include "hub_player.h"

#include <warplu/cache.h>
#include <warplu/complex.h>
#include <warplu/save.h>

#include "draw.h"
#include "support/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 40 };

/* ------------------------------------------------------------------- steps */

static warplu_statistics statistics_of(const hub_player *p)
{
    warplu_statistics t = {.size = sizeof t};
    warplu_get_statistics(p->solver, &t);
    return t;
}

static hub_way way_of(const hub_player *p)
{
    if (p->options.executor == TEST_EXECUTOR_EMULATE || p->options.executor == WARPLU_EXECUTOR_CUDA)
        return HUB_BY_DEVICE;
    return statistics_of(p).compiled ? HUB_BY_PROGRAM : HUB_BY_COLUMNS;
}

static warplu_status call(hub_player *p, int transposed, int conjugate, int32_t nrhs, const double *b, double *x)
{
    int32_t n = p->h.m.n;
    if (!transposed) return warplu_solve(p->solver, nrhs, b, n, x, n);
    if (conjugate) return warplu_solve_conjugate_transposed(p->solver, nrhs, b, n, x, n);
    return warplu_solve_transposed(p->solver, nrhs, b, n, x, n);
}

/* Solves for a few right-hand sides, in place or not, and keeps what is bad. */
static void solve(hub_player *p, int transposed)
{
    const int64_t n = hub_doubles_of(p);
    int32_t nrhs = 1 + check_below(&p->seed, p->columns);
    int by_columns = p->options.storage == WARPLU_STORAGE_CSC, in_place = draw_one_in(&p->seed, 4);
    int conjugate = p->numbers == HUB_COMPLEX && by_columns && check_below(&p->seed, 2);
    row_errors_op op = hub_op_of(p, transposed, conjugate);
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
        worst = fmax(worst, hub_judge(p, way, transposed, op, checked, p->b + k * n, p->x + k * n));
    hub_keep(p, transposed, worst);
}

int hub_refactor(hub_player *p, const hub_genes *genes)
{
    p->now = *genes;
    hub_express(&p->h, genes);
    if (draw_one_in(&p->seed, 8)) test_hasten_stage(p->solver);
    if (draw_one_in(&p->seed, 40)) return warplu_factor(p->solver, p->h.m.x) >= 0;
    return warplu_refactor(p->solver, p->h.m.x) >= 0;
}

void hub_rest(hub_player *p)
{
    if (!hub_refactor(p, &p->benign)) return;
    for (int k = check_below(&p->seed, 4); k >= 0; k--) {
        solve(p, 0);
        solve(p, 1);
    }
}

static warplu_status restore(hub_player *p, warplu_solver **next)
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
static void succeed(hub_player *p)
{
    warplu_solver *next = NULL;
    int clones = check_below(&p->seed, 2);
    warplu_status status = clones ? warplu_clone(&next, p->solver) : restore(p, &next);
    if (status != WARPLU_SUCCESS) {
        hub_say_odd(p, clones ? "clone" : "restore", status);
        warplu_destroy(&next);
        return;
    }
    warplu_destroy(&p->solver);
    p->solver = next;
    if (!clones) hub_rest(p);
}

hub_genes hub_draw_genes(hub_player *p, int transposed)
{
    const hub_parent *from = &p->best[transposed][check_below(&p->seed, HUB_PARENTS)];
    if (from->error > 0.0 && !draw_one_in(&p->seed, 5)) return hub_mutate(&from->genes, &p->seed);
    return hub_hostile(&p->h, &p->seed, p->limit[transposed],
                       p->numbers == HUB_FP32 || p->numbers == HUB_MIXED ? 24 : 53);
}

/* Larger values next time where nobody checks, smaller ones else. */
static void move_limit(hub_player *p, int transposed)
{
    double *limit = &p->limit[transposed];
    *limit *= statistics_of(p).all_checked ? 0.6 : 1.6;
    *limit = fmin(fmax(*limit, 1.0), 1e15);
}

/* Values that change little after checked solves stay within limits of their factors. */
static void repeat(hub_player *p, hub_genes genes)
{
    for (int k = 0; k < 4; k++) {
        hub_jitter(&genes, &p->seed);
        if (!hub_refactor(p, &genes)) return;
        solve(p, 0);
    }
}

static void attack(hub_player *p)
{
    int transposed = check_below(&p->seed, 2);
    hub_genes genes = hub_draw_genes(p, transposed);
    if (!hub_refactor(p, &genes)) return;
    solve(p, transposed);
    move_limit(p, transposed);
    if (draw_one_in(&p->seed, 4)) solve(p, !transposed);
    if (p->hastens_limits && draw_one_in(&p->seed, 4)) repeat(p, genes);
}

/* ------------------------------------------------------------------- cases */

int hub_has_device;

static void draw_executor(hub_player *p)
{
    warplu_options *o = &p->options;
    int emulates = hub_has_device || (p->h.m.n <= 3000 && draw_one_in(&p->seed, 4));
    o->precision = p->numbers == HUB_FP32    ? WARPLU_PRECISION_SINGLE
                   : p->numbers == HUB_MIXED ? WARPLU_PRECISION_MIXED
                                             : WARPLU_PRECISION_DOUBLE;
    o->scalar = p->numbers == HUB_COMPLEX ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    if (emulates)
        o->executor = hub_has_device ? WARPLU_EXECUTOR_CUDA : TEST_EXECUTOR_EMULATE;
    else if (o->precision != WARPLU_PRECISION_DOUBLE || draw_one_in(&p->seed, 8))
        o->executor = WARPLU_EXECUTOR_REFERENCE;
    else if (draw_one_in(&p->seed, 4))
        o->threads = 2;
    else if (draw_one_in(&p->seed, 3))
        o->max_program_bytes = 1; /* there is no program */
}

static void draw_options(hub_player *p)
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
    if (draw_one_in(&p->seed, 10)) o->on_weak = WARPLU_ON_WEAK_REFINE;
    if (draw_one_in(&p->seed, 8)) o->pivot_tolerance = draw_one_in(&p->seed, 2) ? 0.5 : 1e-8;
    if (draw_one_in(&p->seed, 8)) o->repeatable = check_below(&p->seed, WARPLU_REPEATABLE_STRICTLY + 1);
    o->expected_refactors = expected[check_below(&p->seed, small ? 4 : 2)];
    draw_executor(p);
}

/* Most are small. */
static int32_t draw_order(hub_player *p)
{
    const hub_tally *t = p->tally;
    double u = check_uniform(&p->seed), least = p->numbers == HUB_FP32 && draw_one_in(&p->seed, 2) ? 8 : t->least;
    return (int32_t)(least * pow(t->most / least, u * u * u));
}

static int begin(hub_player *p)
{
    if (warplu_create(&p->solver, &p->options) != WARPLU_SUCCESS) return 0;
    if (draw_one_in(&p->seed, 4)) test_replay_first(p->solver);
    hub_express(&p->h, &p->benign);
    p->now = p->benign;
    warplu_status status = warplu_analyze(p->solver, p->h.m.n, p->h.m.ptr, p->h.m.idx, p->h.m.x);
    if (status >= 0) status = warplu_factor(p->solver, p->h.m.x);
    if (status < 0) hub_say_odd(p, "first values", status);
    return status >= 0;
}

static void play_all(hub_player *p)
{
    for (int k = 0; k < 3; k++) {
        solve(p, 0);
        solve(p, 1);
    }
    for (int k = check_below(&p->seed, 6); k > 0; k--) hub_rest(p);
    for (int k = 0; k < STEPS; k++) {
        if (draw_one_in(&p->seed, 24)) succeed(p);
        if (draw_one_in(&p->seed, 10)) hub_rest(p);
        attack(p);
    }
    if (draw_one_in(&p->seed, 3)) hub_play_batch(p);
}

void hub_play(uint64_t seed, int64_t number, hub_tally *tally)
{
    hub_player p = {.first_seed = seed, .seed = draw_seed(seed, number), .number = number, .tally = tally};
    p.numbers = tally->only >= 0 ? (hub_numbers)tally->only : (hub_numbers)(number % (HUB_NUMBERS + 2) % HUB_NUMBERS);
    p.limit[0] = p.limit[1] = p.numbers == HUB_FP32 ? 4e3 : 2e6;
    int32_t n = draw_order(&p);
    hub_draw(&p.h, &p.seed, (hub_shape)check_below(&p.seed, HUB_SHAPES), n, p.numbers == HUB_COMPLEX ? 2 : 1);
    draw_options(&p);
    p.columns = n > 8000 ? 2 : HUB_COLUMNS;
    p.hastens_limits = check_below(&p.seed, 2);
    p.benign = hub_benign(&p.h, &p.seed);
    p.b = malloc((size_t)(HUB_COLUMNS * hub_doubles_of(&p)) * sizeof *p.b);
    p.x = malloc((size_t)(HUB_COLUMNS * hub_doubles_of(&p)) * sizeof *p.x);
    if (begin(&p)) play_all(&p);
    tally->cases++;
    warplu_destroy(&p.solver);
    hub_free(&p.h);
    free(p.b);
    free(p.x);
}
