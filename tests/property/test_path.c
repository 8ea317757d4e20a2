/* Where paths count: the simulation of programs, by matrices whose paths are known, and the choice of regions. */
#include "check.h"
#include "support/build.h"

#include "cost/region_search.h"
#include "lu/simulate.h"
#include "lu/symbolic.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

enum { TRIES = 200, NMAX = 60 };

static uint64_t seed;

/* A program for a device, in natural order. tile_ns: work of a tile, which decides the region. */
static int compile(test_build *b, const test_matrix *m, wlu_cost *cost, double tile_ns)
{
    warplu_options o;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.btf = 0;
    *cost = wlu_cost_cuda;
    cost->ns_per_tile = tile_ns;
    CHECK(test_build_pivots(b, &o, m) == WARPLU_SUCCESS && test_build_program(b, cost) == WARPLU_SUCCESS);
    return b->program != NULL;
}

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* A chain: two handoffs a pivot and a reciprocal; no tile is worth 1 s. */
static void chains_have_two_handoffs_a_pivot(void)
{
    for (int32_t n = 2; n < NMAX; n += 7) {
        static double dense[NMAX * NMAX];
        test_matrix m;
        test_build b;
        wlu_cost cost;
        wlu_simulation s;
        for (int32_t j = 0; j < n; j++)
            for (int32_t i = 0; i < n; i++) dense[j * n + i] = i == j ? 4.0 : abs(i - j) == 1 ? -1.0 : 0.0;
        test_matrix_from_dense(&m, n, dense);
        if (compile(&b, &m, &cost, 1e9)) {
            double handoffs = 1.0 + 2.0 * (n - 1), steps = n - 1;
            CHECK(wlu_lu_of(b.program)->tiles.m == 0);
            CHECK(wlu_lu_simulate(&b.ctx, b.program, &s) == WARPLU_SUCCESS);
            CHECK_SAY(near(s.path_ns, handoffs * cost.path.ns_per_handoff + steps * cost.path.ns_per_dot_step),
                      "n %d: %g", n, s.path_ns);
            CHECK(s.dot_path_ns == s.path_ns && near(s.ns - cost.path.ns_per_launch, hypot(s.path_ns, s.work_ns)));
            CHECK(b.program->predicted_ns == s.ns && b.program->path_ns == s.path_ns);
        }
        test_build_free(&b);
        test_matrix_free(&m);
    }
}

/* A hub: a reciprocal, an entry of L, then the last pivot, whose chain the device has in pieces where it is long. */
static void hubs_have_a_handoff_more_and_fewer_steps(void)
{
    seed = 1025;
    for (int32_t n = 1000; n <= 4600; n += 900) {
        test_matrix m;
        test_build b;
        wlu_cost cost;
        wlu_simulation s;
        test_matrix_hubs(&m, &seed, n, 1, 0);
        if (compile(&b, &m, &cost, 1e9)) {
            double handoff = cost.path.ns_per_handoff, whole = handoff + (n - 1 + 7) / 8 * cost.path.ns_per_dot_step;
            int64_t sums = test_partial_sums(b.program, &b.program->dot);
            CHECK(wlu_lu_simulate(&b.ctx, b.program, &s) == WARPLU_SUCCESS &&
                  sums == wlu_cost_partial_sums(&cost, n - 1));
            CHECK_SAY(near(s.path_ns, 2.0 * handoff + wlu_cost_chain(&cost, n - 1)), "n %d: %g", n, s.path_ns);
            CHECK((sums > 0) == (n > 1024) &&
                  (sums > 0 ? s.path_ns < 2.0 * handoff + whole : near(s.path_ns, 2.0 * handoff + whole)));
        }
        test_build_free(&b);
        test_matrix_free(&m);
    }
}

/* A full matrix: each tile waits for the one before it, the sources before that being there. */
static void full_matrices_are_a_chain_of_tiles(void)
{
    enum { W = WLU_TILE_WIDTH };
    seed = 314159;
    for (int32_t n = W; n <= 6 * W; n += W) {
        const test_recipe r = {.shape = TEST_DENSE, .n = n};
        test_matrix m;
        test_build b;
        wlu_cost cost;
        wlu_simulation s;
        test_matrix_random(&m, &seed, &r);
        if (compile(&b, &m, &cost, 12.0)) {
            const wlu_path_cost *c = &cost.path;
            double ns = n / W * (c->ns_per_tile + W * c->ns_per_tile_pivot);
            for (int32_t t = 1; t < n / W; t++) ns += c->ns_per_tile_source + c->ns_per_tile_row * (n - W * t);
            CHECK(wlu_lu_of(b.program)->tiles.m == n);
            CHECK(wlu_lu_simulate(&b.ctx, b.program, &s) == WARPLU_SUCCESS);
            CHECK_SAY(near(s.path_ns, ns), "n %d: %g, expected %g", n, s.path_ns, ns);
            CHECK(s.dot_path_ns == 0.0);
            wlu_symbolic chosen; /* by the same path */
            CHECK(wlu_symbolic_find(&b.ctx, &b.options, &cost, b.pivots, b.analysis->a->nnz, 1, &chosen) ==
                  WARPLU_SUCCESS);
            CHECK_SAY(near(chosen.predicted_ns, s.ns), "n %d: %g, chosen by %g", n, s.ns, chosen.predicted_ns);
            wlu_symbolic_free(&b.ctx, &chosen);
        }
        test_build_free(&b);
        test_matrix_free(&m);
    }
}

/* At least a handoff for two of three levels, at most one a record and a tile with its sources one after the other. */
static void paths_lie_between_levels_and_everything(void)
{
    seed = 271828;
    printf("# seed %llu\n", (unsigned long long)seed);
    int mixed = 0;
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        test_matrix m;
        test_build b;
        wlu_cost cost;
        wlu_simulation s, twice;
        test_matrix_random(&m, &seed, &r);
        if (compile(&b, &m, &cost, t % 2 ? 12.0 : 1000.0)) {
            const wlu_tiles *tiles = &wlu_lu_of(b.program)->tiles;
            const wlu_path_cost *c = &cost.path;
            int64_t sources = tiles->count > 0 ? tiles->source_ptr[tiles->count] : 0;
            double most = (double)b.program->dot.nrecords * c->ns_per_handoff +
                          (double)(b.program->dot.nterms + b.program->dot.nrecords) * c->ns_per_dot_step +
                          tiles->count * c->ns_per_tile + tiles->m * c->ns_per_tile_pivot +
                          (double)sources * (c->ns_per_tile_source + r.n * c->ns_per_tile_row);
            CHECK(wlu_lu_simulate(&b.ctx, b.program, &s) == WARPLU_SUCCESS);
            CHECK(s.dot_path_ns <= s.path_ns && s.path_ns <= most);
            CHECK(s.dot_path_ns >= (2.0 / 3.0 * b.program->dot.nlevels - 2.0) * c->ns_per_handoff);
            wlu_path_cost doubled = *c;
            double *steps[] = {&doubled.ns_per_handoff,    &doubled.ns_per_dot_step,    &doubled.ns_per_tile,
                               &doubled.ns_per_tile_pivot, &doubled.ns_per_tile_source, &doubled.ns_per_tile_row};
            for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) *steps[k] *= 2.0;
            cost.path = doubled;
            CHECK(wlu_lu_simulate(&b.ctx, b.program, &twice) == WARPLU_SUCCESS);
            CHECK(near(twice.path_ns, 2.0 * s.path_ns) && twice.work_ns == s.work_ns);
            mixed += tiles->m > 0 && tiles->m < r.n;
        }
        test_build_free(&b);
        test_matrix_free(&m);
    }
    CHECK_SAY(mixed > TRIES / 10, "%d mixed", mixed);
}

enum { TILES = 40 };

typedef struct forest {
    int32_t parent[TILES], width[TILES], below[TILES], target[TILES * TILES];
    double dot_own[TILES], dot_done[TILES];
    wlu_price as_dot[TILES], as_tile[TILES];
    int64_t target_ptr[TILES + 1];
} forest;

/* A random forest; tiles update some of their ancestors. */
static wlu_tile_tree make_forest(forest *f, int32_t n)
{
    int64_t count = 0;
    for (int32_t t = 0; t < n; t++) f->dot_done[t] = 0.0;
    for (int32_t t = 0; t < n; t++) {
        int32_t up = t + 1 < n && check_below(&seed, 10) ? t + 1 + check_below(&seed, n - t - 1) : -1;
        f->parent[t] = up;
        f->width[t] = 1 + check_below(&seed, WLU_TILE_WIDTH);
        f->below[t] = check_below(&seed, 100);
        f->dot_own[t] = 1100.0 * f->width[t];
        f->dot_done[t] += f->dot_own[t];
        double before =
            f->dot_done[t] - 1000.0 * check_below(&seed, 2); /* its parent's first pivot need not wait for it */
        if (up >= 0 && f->dot_done[up] < before) f->dot_done[up] = before;
        f->as_dot[t] = (wlu_price){.ns = 1000.0 * check_uniform(&seed), .bytes = 1.0 + check_below(&seed, 1000)};
        f->as_tile[t] = (wlu_price){.ns = 2000.0 * check_uniform(&seed), .bytes = 1.0 + check_below(&seed, 1000)};
    }
    for (int32_t t = 0; t < n; t++) {
        f->target_ptr[t] = count;
        for (int32_t up = f->parent[t]; up >= 0; up = f->parent[up])
            if (check_below(&seed, up == f->parent[t] ? 8 : 2))
                f->target[count++] = up; /* patterns may be unsymmetric */
    }
    f->target_ptr[n] = count;
    return (wlu_tile_tree){.n = n,
                           .parent = f->parent,
                           .width = f->width,
                           .below = f->below,
                           .as_dot = f->as_dot,
                           .as_tile = f->as_tile,
                           .dot_own = f->dot_own,
                           .dot_done = f->dot_done,
                           .target_ptr = f->target_ptr,
                           .target = f->target};
}

/* A source that a tile takes: when it is done, and for how long. */
typedef struct taking {
    double done, ns;
} taking;

static int by_done(const void *a, const void *b)
{
    double x = ((const taking *)a)->done, y = ((const taking *)b)->done;
    return (x > y) - (x < y);
}

/* The longest path, tile by tile: each one's sources are listed and sorted. */
static double path_of(const wlu_tile_tree *f, const uint8_t *chosen)
{
    const wlu_path_cost *c = &wlu_cost_cuda.path;
    double done[TILES], path = 0.0;
    for (int32_t t = 0; t < f->n; t++) {
        taking list[TILES];
        int count = 0;
        double at = 0.0;
        for (int32_t from = 0; from < t; from++) {
            if (!chosen[from] && f->parent[from] == t) at = fmax(at, f->dot_done[from]);
            for (int64_t q = f->target_ptr[from]; q < f->target_ptr[from + 1]; q++)
                if (chosen[from] && f->target[q] == t)
                    list[count++] = (taking){done[from], c->ns_per_tile_source + c->ns_per_tile_row * f->below[from]};
        }
        qsort(list, (size_t)count, sizeof *list, by_done);
        for (int k = 0; k < count; k++) at = fmax(at, list[k].done) + list[k].ns;
        done[t] = chosen[t] ? at + c->ns_per_tile + c->ns_per_tile_pivot * f->width[t] : f->dot_done[t];
        path = fmax(path, done[t]);
    }
    return path;
}

/* What a region is chosen by: its time, and levels of the solve, from each tile up to its root. */
static double score_of(const wlu_tile_tree *f, const uint8_t *chosen, wlu_path_time time)
{
    const wlu_path_cost *c = &wlu_cost_cuda.path;
    int32_t dots = 0, tiles = 0;
    for (int32_t leaf = 0; leaf < f->n; leaf++) {
        int32_t below = 0, of_tiles = 0;
        for (int32_t t = leaf; t >= 0; t = f->parent[t]) {
            below += chosen[t] ? 0 : f->width[t];
            of_tiles += chosen[t];
        }
        if (below > dots) dots = below;
        if (of_tiles > tiles) tiles = of_tiles;
    }
    return wlu_cost_time(&wlu_cost_cuda, time.path_ns, time.work.ns) +
           c->ns_per_solve_level * (2.0 * dots + (double)tiles * c->solve_tile_levels);
}

/* Regions are closed upwards, within their bytes, no worse than none and all, and their time is what the simulation
 * says. */
static void regions_are_closed_and_no_worse_than_none_or_all(void)
{
    static forest f;
    static const wlu_price fixed = {.ns = 100.0, .bytes = 50.0};
    seed = 161803;
    printf("# seed %llu\n", (unsigned long long)seed);
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    int kinds[3] = {0}, bound = 0;
    for (int t = 0; t < 5 * TRIES; t++) {
        int32_t n = 1 + check_below(&seed, TILES), tiled = 0;
        wlu_tile_tree flow = make_forest(&f, n);
        uint8_t chosen[TILES], way[TILES];
        double score[2], bytes[2];
        wlu_path_time time;
        int fits;
        for (int all = 0; all < 2; all++) {
            memset(way, all, (size_t)n);
            CHECK(wlu_region_simulate(&ctx, &wlu_cost_cuda, &flow, way, &time) == WARPLU_SUCCESS);
            CHECK_SAY(near(time.path_ns, path_of(&flow, way)), "%g, expected %g", time.path_ns, path_of(&flow, way));
            wlu_price_add(&time.work, fixed);
            score[all] = score_of(&flow, way, time);
            bytes[all] = time.work.bytes;
        }
        double most = t % 2 ? 1e30 : (0.5 + check_uniform(&seed)) * bytes[0];
        CHECK(wlu_region_search(&ctx, &wlu_cost_cuda, &flow, fixed, most, chosen, &time, &fits) == WARPLU_SUCCESS);
        CHECK(fits || (bytes[0] > most && bytes[1] > most));
        bound += !fits;
        if (!fits) continue;
        wlu_path_time again;
        CHECK(wlu_region_simulate(&ctx, &wlu_cost_cuda, &flow, chosen, &again) == WARPLU_SUCCESS);
        CHECK(near(again.path_ns, path_of(&flow, chosen)));
        CHECK(again.path_ns == time.path_ns && near(again.work.ns + fixed.ns, time.work.ns) && time.work.bytes <= most);
        double got = score_of(&flow, chosen, time);
        for (int all = 0; all < 2; all++) CHECK(bytes[all] > most || got <= score[all] * (1.0 + 1e-12));
        for (int32_t k = 0; k < n; k++) {
            CHECK(!chosen[k] || f.parent[k] < 0 || chosen[f.parent[k]]);
            tiled += chosen[k];
        }
        kinds[tiled == 0 ? 0 : tiled < n ? 1 : 2]++;
    }
    CHECK_SAY(kinds[0] > 5 && kinds[1] > TRIES && kinds[2] > TRIES / 5 && bound > TRIES / 5,
              "%d none, %d some, %d all, %d too large", kinds[0], kinds[1], kinds[2], bound);
}

int main(void)
{
    RUN(chains_have_two_handoffs_a_pivot);
    RUN(hubs_have_a_handoff_more_and_fewer_steps);
    RUN(full_matrices_are_a_chain_of_tiles);
    RUN(paths_lie_between_levels_and_everything);
    RUN(regions_are_closed_and_no_worse_than_none_or_all);
    return check_done();
}
