/* Comparing executors: the same program replayed by the reference, by the CPU executor for each instruction set, alone
 * and on teams of threads, and by the emulated device, slot by slot, bit by bit. In a header because check.h counts
 * failures per test file. */
#ifndef WLU_TEST_COMPARE_H
#define WLU_TEST_COMPARE_H

#include "check.h"

#include "exec/cpu/verify.h"
#include "emulator/emulate.h"
#include "exec/levels/launch.h"
#include "support/build.h"
#include "support/options.h"
#include "support/simd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WLU_TEST_SIMD = 5, WLU_TEST_OTHERS = WLU_TEST_SIMD + 1 };
static const char *const test_simd_names[WLU_TEST_OTHERS] = {"avx512", "avx512-loads", "avx2",
                                                             "neon",   "portable",     "emulate"};

/* Programs of more slots are not emulated here: every access is checked, which takes minutes; tests/emulate has its
 * own. */
enum { WLU_TEST_EMULATED_SLOTS = 400 };

/* An executor with a program and a state. */
typedef struct test_replay {
    wlu_target target;
    wlu_image *image;
    wlu_state *state;
    wlu_slots slots; /* of the last replay */
    wlu_team *team;
    wlu_context *ctx;
    double *x; /* solution and transposed solution */
} test_replay;

/* Doubles of a vector. */
static inline int64_t test_vector(const wlu_program *p)
{
    return p->doubles * (int64_t)p->n;
}

static inline void test_replay_close(test_replay *r, test_build *b)
{
    wlu_state_destroy(&b->ctx, &r->state);
    wlu_image_destroy(&b->ctx, &r->image);
    wlu_team_destroy(&b->ctx, &r->team);
    free(r->x);
    r->x = NULL;
}

/* Of the executors that are opened, but for the CPU's, which is FP64; and CUDA's strategy. */
static warplu_precision test_precision;
static warplu_strategy test_strategy;

/* simd: NULL for the reference, a name of test_simd_names, or "cuda". 0 where this machine lacks it. */
static inline int test_replay_open(test_replay *r, test_build *b, const char *simd)
{
    memset(r, 0, sizeof *r);
    r->ctx = &b->ctx;
    int on_cpu = simd != NULL && strcmp(simd, "emulate") != 0 && strcmp(simd, "cuda") != 0;
    if (on_cpu && !test_simd_is_here(simd)) return 0;
    const wlu_cost *cost;
    warplu_options o;
    check_init_options(&o);
    o.executor = simd == NULL                ? WARPLU_EXECUTOR_REFERENCE
                 : on_cpu                    ? WARPLU_EXECUTOR_CPU
                 : strcmp(simd, "cuda") == 0 ? WARPLU_EXECUTOR_CUDA
                                             : TEST_EXECUTOR_EMULATE;
    o.scalar = b->program->doubles > 1 ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    o.device_strategy = test_strategy == WLU_STRATEGY_LAUNCHES ? WARPLU_STRATEGY_LEVELS : test_strategy;
    o.precision = on_cpu ? WARPLU_PRECISION_DOUBLE : test_precision;
    if (on_cpu) setenv("WARPLU_SIMD", simd, 1);
    warplu_status status = wlu_target_find(&b->ctx, &o, &r->target, &cost);
    if (test_strategy == WLU_STRATEGY_LAUNCHES && r->target.strategy == WARPLU_STRATEGY_LEVELS)
        r->target.strategy = test_strategy;
    if (status == WARPLU_SUCCESS) status = wlu_image_load(&b->ctx, &r->target, b->program, &r->image);
    if (status == WARPLU_SUCCESS && on_cpu) status = wlu_team_create(&b->ctx, b->program->parts, &r->team);
    if (status == WARPLU_SUCCESS) status = wlu_state_create(&b->ctx, r->image, 1, r->team, &r->state);
    r->x = calloc(2 * (size_t)test_vector(b->program), sizeof *r->x);
    unsetenv("WARPLU_SIMD");
    CHECK(status == WARPLU_SUCCESS);
    if (on_cpu && status == WARPLU_SUCCESS) {
        CHECK(strcmp(((const wlu_cpu_image *)r->image)->kernels->name, simd) == 0);
        CHECK_SAY(wlu_cpu_image_verify(&b->ctx, b->program, (const wlu_cpu_image *)r->image) == WARPLU_SUCCESS, "%s",
                  b->ctx.last_message);
    }
    if (status < 0) test_replay_close(r, b);
    return status == WARPLU_SUCCESS;
}

/* Whether the next refactorizations go to the team, whatever is faster. */
static inline void test_replay_together(test_replay *r, int together)
{
    if (r->target.executor == &wlu_executor_cpu)
        ((wlu_cpu_state *)r->state)->pace = (wlu_pace){.left = INT32_MAX, .together = together};
}

static inline warplu_status test_replay_solve(test_replay *r, wlu_stream_kind kind, const double *b, double *x,
                                              double *largest)
{
    int64_t n = test_vector(wlu_image_program(wlu_state_image(r->state)));
    return wlu_state_solve(r->ctx, r->state, kind, 1, b, n, x, n, largest);
}

/* Refactors with values, then solves and solves transposed for b. */
static inline void test_replay_run(test_replay *r, const double *values, const double *b)
{
    double largest;
    warplu_status status = wlu_state_refactor(r->ctx, r->state, values);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", r->ctx->last_message);
    CHECK(test_replay_solve(r, WLU_STREAM_SOLVE, b, r->x, &largest) == WARPLU_SUCCESS);
    CHECK(test_replay_solve(r, WLU_STREAM_SOLVE_TRANSPOSED, b, r->x + test_vector(wlu_image_program(r->image)),
                            &largest) == WARPLU_SUCCESS);
    CHECK(wlu_state_fetch(r->ctx, r->state, 0, &r->slots) == WARPLU_SUCCESS);
}

static inline int test_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static inline void test_compare_array(const double *a, const double *b, int64_t count, const char *what,
                                      const char *which)
{
    for (int64_t k = 0; k < count; k++)
        if (!test_same(a[k], b[k])) {
            CHECK_SAY(0, "%s: %s %lld is %a, expected %a", what, which, (long long)k, b[k], a[k]);
            return;
        }
}

/* Slots of [first, end). */
static inline void test_compare_slots(const wlu_program *p, const test_replay *expected, const test_replay *found,
                                      int64_t first, int64_t end, const char *what, const char *which)
{
    const int64_t doubles = p->doubles;
    test_compare_array(expected->slots.v + doubles * first, found->slots.v + doubles * first, doubles * (end - first),
                       what, which);
}

static inline int test_replay_on_host(const test_replay *r)
{
    return r->target.executor == &wlu_executor_reference || r->target.executor == &wlu_executor_cpu;
}

/* A device has the rows that a panel is made of, not what lies between panels, and slots of solves elsewhere. Of a
 * program that is no factorization all slots are compared. */
static inline void test_compare_all_slots(const wlu_program *p, const test_replay *expected, const test_replay *found,
                                          const char *what)
{
    if (test_replay_on_host(found)) {
        test_compare_slots(p, expected, found, 0, p->trash, what, "slot");
        return;
    }
    int64_t end = p->kind == &wlu_lu_kind ? wlu_lu_of(p)->tile_reciprocal + wlu_lu_of(p)->tiles.m : p->sums;
    test_compare_slots(p, expected, found, 0, end, what, "slot");
    for (int32_t t = 0; t < wlu_lu_of(p)->tiles.count; t++) {
        int64_t rows = (int64_t)wlu_lu_of(p)->tiles.above[t] + wlu_tile_width(&wlu_lu_of(p)->tiles, t) +
                       wlu_lu_of(p)->tiles.below[t];
        test_compare_slots(p, expected, found, wlu_lu_of(p)->tiles.panel[t],
                           wlu_lu_of(p)->tiles.panel[t] + WLU_TILE_WIDTH * rows, what, "number of a panel");
        test_compare_array(expected->slots.umax + WLU_TILE_WIDTH * (int64_t)t,
                           found->slots.umax + WLU_TILE_WIDTH * (int64_t)t, wlu_tile_width(&wlu_lu_of(p)->tiles, t),
                           what, "largest u of a tile");
    }
}

/* Notes a failure unless slots up to the trash, solutions and health are the same bits; NaN is equal to NaN. what
 * names the case. */
static inline void test_replay_compare(const test_build *b, const test_replay *expected, const test_replay *found,
                                       const char *what)
{
    const wlu_health *h = wlu_state_health(expected->state, 0), *g = wlu_state_health(found->state, 0);
    test_compare_all_slots(b->program, expected, found, what);
    test_compare_array(expected->x, found->x, 2 * test_vector(b->program), what, "unknown");
    CHECK_SAY(h->finite == g->finite, "%s: finite %d, expected %d", what, g->finite, h->finite);
    if (!h->finite) return;                       /* what NaN and infinity do to the magnitudes is not stated */
    if (b->program->kind != &wlu_lu_kind) return; /* the other facts are of factors */
    CHECK_SAY(test_same(h->largest_l, g->largest_l), "%s: largest l %a, %a", what, g->largest_l, h->largest_l);
    CHECK_SAY(test_same(h->largest_u, g->largest_u), "%s: largest u %a, %a", what, g->largest_u, h->largest_u);
    CHECK_SAY(test_same(h->drift, g->drift), "%s: drift %a, %a", what, g->drift, h->drift);
    CHECK_SAY(test_same(h->growth, g->growth), "%s: growth %a, %a", what, g->growth, h->growth);
    CHECK_SAY(test_same(h->smallest_pivot, g->smallest_pivot), "%s: smallest pivot %a, %a", what, g->smallest_pivot,
              h->smallest_pivot);
}

enum { WLU_TEST_PADDING = 3 };

/* Right-hand sides at once, count of them: rhs turned by a double each; others where odd, with a number in one of them
 * that is none, or huge. Notes a failure unless each has the bits that the reference has alone, in its largest
 * magnitude too, and what is no column stays untouched. */
static inline void test_compare_many(test_build *b, test_replay *reference, test_replay *found, wlu_stream_kind kind,
                                     int count, int in_place, int odd, const double *rhs, const char *what)
{
    int32_t n = (int32_t)test_vector(b->program), ldb = n + WLU_TEST_PADDING, ldx = in_place ? ldb : n;
    size_t numbers = (size_t)WLU_MANY * (size_t)ldb;
    double *in = malloc(numbers * sizeof *in), *out = malloc(numbers * sizeof *out),
           *alone = malloc((size_t)n * sizeof *alone);
    double largest[WLU_MANY];
    for (size_t k = 0; k < numbers; k++) in[k] = 77.0;
    for (int k = 0; k < count; k++)
        for (int32_t i = 0; i < n; i++) in[k * ldb + i] = (k + 1) * rhs[(i + k) % n];
    if (odd) in[(count / 2) * ldb + n / 2] = count % 3 == 0 ? 1e308 : count % 3 == 1 ? INFINITY : NAN;
    memcpy(out, in, numbers * sizeof *out);
    CHECK(wlu_state_solve(&b->ctx, found->state, kind, count, in_place ? out : in, ldb, out, ldx, largest) ==
          WARPLU_SUCCESS);
    for (int k = 0; k < count; k++) {
        double one;
        CHECK(test_replay_solve(reference, kind, in + k * ldb, alone, &one) == WARPLU_SUCCESS);
        CHECK_SAY(test_same(one, largest[k]), "%s: largest %a, expected %a", what, largest[k], one);
        test_compare_array(alone, out + k * ldx, n, what, "unknown of several");
    }
    for (size_t k = 0; k < numbers; k++)
        if (k >= (size_t)(count * ldx) || (int32_t)(k % (size_t)ldx) >= n) CHECK(test_same(in[k], out[k]));
    free(in);
    free(out);
    free(alone);
}

/* One executor, by a name of test_replay_open, with the reference. */
static inline void test_compare_executor(test_build *b, const char *simd, const double *const *values, int count,
                                         const double *rhs, const char *what)
{
    static int sides; /* another number of them each time */
    test_replay reference, other;
    if (!test_replay_open(&other, b, simd)) return;
    if (!test_replay_open(&reference, b, NULL)) return;
    for (int v = 0; v < count; v++) {
        test_replay_run(&reference, values[v], rhs);
        for (int together = 0; together <= (other.team != NULL && b->program->parts > 1); together++) {
            test_replay_together(&other, together);
            test_replay_run(&other, values[v], rhs);
            test_replay_compare(b, &reference, &other, what);
        }
        for (int q = 0; q < 4; q++)
            test_compare_many(b, &reference, &other, q % 2 ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE,
                              1 + sides++ % WLU_MANY, v % 2, q / 2, rhs, what);
    }
    test_replay_close(&reference, b);
    test_replay_close(&other, b);
}

static inline void test_compare_program(test_build *b, const double *const *values, int count, const double *rhs,
                                        const char *name)
{
    for (int k = 0; k < WLU_TEST_OTHERS; k++) {
        char what[128];
        if (k >= WLU_TEST_SIMD && b->program->nslots > WLU_TEST_EMULATED_SLOTS) continue;
        snprintf(what, sizeof what, "%s, %s", name, test_simd_names[k]);
        test_compare_executor(b, test_simd_names[k], values, count, rhs, what);
    }
}

/* Programs of one matrix under every region and split that is due, both executors, for each of count value arrays. */
static inline void test_compare_all(const test_matrix *m, const double *const *values, int count, uint64_t *seed)
{
    static const char *const regions[TEST_REGIONS] = {"all DOT", "mixed", "all TILE", "device"};
    warplu_options o;
    test_build b;
    check_init_options(&o);
    o.btf = check_below(seed, 3) > 0;
    o.matching = (warplu_matching)check_below(seed, 3);
    o.ordering = check_below(seed, 2) ? WARPLU_ORDERING_NATURAL : WARPLU_ORDERING_AUTO;
    warplu_status status = test_build_pivots(&b, &o, m);
    CHECK(status == WARPLU_SUCCESS);
    if (status < 0) return;
    double *rhs = malloc((size_t)m->n * sizeof *rhs);
    for (int32_t i = 0; i < m->n; i++) rhs[i] = 2.0 * check_uniform(seed) - 1.0;
    for (int way = 0; way < 2 * TEST_REGIONS; way++) {
        char name[64];
        wlu_cost cost = test_region_cost((test_region)(way / 2));
        b.ctx.unsplit = way % 2 == 0;
        b.options.threads = 1 + check_below(seed, 4);
        if (!check_due()) continue;
        cost.ns_per_part = 1e-3;
        snprintf(name, sizeof name, "n = %d, %s, split %d, threads %d", (int)m->n, regions[way / 2], way % 2,
                 b.options.threads);
        CHECK(test_build_program(&b, &cost) == WARPLU_SUCCESS);
        if (b.program != NULL) test_compare_program(&b, values, count, rhs, name);
    }
    free(rhs);
    test_build_free(&b);
}

#endif
