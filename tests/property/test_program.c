/* Compiled programs on random matrices, under every choice of regions, split and not: they pass verification, account
 * for every term, and replayed by the reference executor give L, U, F and both solutions. */
#include "check.h"

#include "exec/exec.h"
#include "lu/symbolic.h"
#include "program/verify.h"
#include "support/build.h"
#include "support/dense.h"
#include "support/options.h"

#include <float.h>
#include <math.h>

enum { NMAX = 64, TRIES = 250 };

static uint64_t seed;

/* Tiled pivots are closed upwards, and the terms of both kinds of region add up. */
static void check_regions(const test_build *b)
{
    const wlu_pivots *p = b->pivots;
    const wlu_program *g = b->program;
    const wlu_lu *lu = wlu_lu_of(g);
    int32_t tiled = 0;
    for (int32_t k = 0; k < p->n; k++) {
        tiled += lu->tiled[k];
        for (int64_t q = p->up[k]; q < p->up[k + 1]; q++) CHECK(!lu->tiled[p->ui[q]] || lu->tiled[k]);
        for (int64_t q = p->lp[k]; q < p->lp[k + 1]; q++) CHECK(!lu->tiled[k] || lu->tiled[p->li[q]]);
    }
    CHECK(tiled == lu->tiles.m);
    int64_t sums = test_partial_sums(g, &g->dot);
    CHECK_SAY(g->dot.nterms - sums + lu->tiles.terms == p->terms, "%lld + %lld terms of %lld, %lld partial sums",
              (long long)g->dot.nterms, (long long)lu->tiles.terms, (long long)p->terms, (long long)sums);
}

/* part: the first vector of each part, and of those that are not levelled. One opcode a vector where split; levels that
 * mix are marked where not. */
static void check_vectors(const wlu_stream *s, const int64_t *part, int32_t parts, int split)
{
    int64_t longest = 0, at = 0;
    int32_t levels = 0, in = 0;
    for (int64_t k = 0; k < s->nvectors; k++) {
        const wlu_vector *v = &s->vector[k];
        int mixed = 0;
        for (int64_t r = v->first; r < v->first + v->count; r++) mixed |= s->opcode[r] != s->opcode[v->first];
        CHECK(v->count > 0 && v->first == at && mixed == (v->opcode == WLU_OPCODES) && !(split && mixed));
        while (in < parts && k == part[in]) in++;
        int behind = k >= part[parts], begins = in > 0 && k == part[in - 1];
        int32_t before = begins ? 0 : s->vector[k - 1].level;
        CHECK(behind || v->level == before + 1 || (split && !begins && v->level == before));
        if (!behind) levels += v->level - before;
        if (v->count > longest) longest = v->count;
        at += v->count;
    }
    CHECK(at == s->nrecords && longest == s->longest_vector);
    CHECK(part[parts] < s->nvectors ? levels <= s->nlevels : levels == s->nlevels);
}

/* The entry of the column at a position that was largest when pivots were chosen, in the matrix a. */
static double led_by(const test_build *b, const double *a, int32_t position)
{
    const wlu_pivots *p = b->pivots;
    return fabs(a[(size_t)position * (size_t)p->n + (size_t)p->row_pos[b->analysis->a->i[p->largest[position]]]]);
}

/* The health against its definition. Growth is a bound from below, at worst by the entries that were the largest of
 * their columns when pivots were chosen, each known to a factor of two. */
static void check_health(const test_build *b, const double *a, const double *lu, const wlu_health *h)
{
    size_t n = (size_t)b->pivots->n;
    double growth = 1.0, bound = 1.0, largest = 0.0, smallest = INFINITY;
    for (size_t j = 0; j < n; j++) {
        double amax = 0.0, umax = fabs(lu[j * n + j]);
        smallest = fmin(smallest, umax);
        for (int64_t q = b->pivots->up[j]; q < b->pivots->up[j + 1]; q++)
            umax = fmax(umax, fabs(lu[j * n + (size_t)b->pivots->ui[q]]));
        for (int64_t q = b->pivots->lp[j]; q < b->pivots->lp[j + 1]; q++)
            largest = fmax(largest, fabs(lu[j * n + (size_t)b->pivots->li[q]]));
        for (int32_t block = 0; block < b->pivots->nblocks; block++)
            for (int32_t i = b->pivots->block[block]; i < b->pivots->block[block + 1]; i++)
                if ((int32_t)j >= b->pivots->block[block] && (int32_t)j < b->pivots->block[block + 1])
                    amax = fmax(amax, fabs(a[j * n + (size_t)i]));
        if (amax < growth * umax) growth = amax / umax;
        bound = fmin(bound, 0.5 * led_by(b, a, (int32_t)j) / umax);
    }
    CHECK_SAY(h->largest_l == largest, "largest l %g, expected %g", h->largest_l, largest);
    CHECK_SAY(fabs(h->smallest_pivot - smallest) <= 4 * DBL_EPSILON * smallest, "smallest pivot %g, expected %g",
              h->smallest_pivot, smallest);
    CHECK_SAY(h->growth <= growth * (1 + 1e-14), "growth %g, expected at most %g", h->growth, growth);
    CHECK_SAY(h->growth >= fmin(bound, wlu_lu_of(b->program)->guard.criteria.growth) * (1 - 1e-14),
              "growth %g, expected at least %g", h->growth, bound);
}

typedef struct replay {
    test_build *b;
    wlu_image *image;
    wlu_state *state;
} replay;

static void check_solve(const replay *r, const double *lu, int transposed)
{
    int32_t n = r->b->pivots->n;
    double rhs[NMAX], x[NMAX], largest;
    for (int32_t i = 0; i < n; i++) rhs[i] = check_uniform(&seed) - 0.5;
    CHECK(wlu_state_solve(&r->b->ctx, r->state, transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE, 1, rhs, n,
                          x, n, &largest) == WARPLU_SUCCESS);
    double error = test_dense_solve_error(n, r->b->dense, lu, r->b->pivots, transposed, rhs, x);
    CHECK_SAY(error <= (4 * n + 8) * DBL_EPSILON, "solve, transposed %d: %g", transposed, error);
}

/* Values that the pivots were not chosen for: the factors grow, and the health says how much. */
static void check_poor_replay(const replay *r, const test_matrix *m)
{
    double *values = malloc((size_t)m->nnz * sizeof *values);
    for (int32_t q = 0; q < m->nnz; q++)
        values[q] = check_below(&seed, 4) ? m->x[q] : m->x[q] * pow(10.0, 8.0 * check_uniform(&seed) - 4.0);
    test_matrix varied = *m;
    varied.x = values;
    double *dense = test_matrix_dense(&varied), *a = test_dense_permuted(m->n, dense, r->b->pivots);
    wlu_slots slots;
    CHECK(wlu_state_refactor(&r->b->ctx, r->state, values) == WARPLU_SUCCESS);
    CHECK(wlu_state_fetch(&r->b->ctx, r->state, 0, &slots) == WARPLU_SUCCESS);
    double *lu = test_factors(r->b, slots.v, r->b->program->slot);
    const wlu_health *health = wlu_state_health(r->state, 0);
    if (health->finite) check_health(r->b, a, lu, health);
    free(values);
    free(dense);
    free(a);
    free(lu);
}

static void check_replay(test_build *b, const test_matrix *m)
{
    const wlu_target target = {.executor = &wlu_executor_reference};
    replay r = {.b = b};
    wlu_slots slots;
    int32_t n = b->pivots->n;
    CHECK(wlu_image_load(&b->ctx, &target, b->program, &r.image) == WARPLU_SUCCESS);
    CHECK(wlu_state_create(&b->ctx, r.image, 1, NULL, &r.state) == WARPLU_SUCCESS);
    CHECK(wlu_state_refactor(&b->ctx, r.state, m->x) == WARPLU_SUCCESS);
    CHECK(wlu_state_fetch(&b->ctx, r.state, 0, &slots) == WARPLU_SUCCESS);
    double *a = test_dense_permuted(n, b->dense, b->pivots), *lu = test_factors(b, slots.v, b->program->slot);
    double error = test_dense_factor_error(n, a, lu, b->pivots);
    CHECK_SAY(error <= (n + 4) * DBL_EPSILON, "factors: %g", error);
    CHECK(wlu_state_health(r.state, 0)->finite);
    check_health(b, a, lu, wlu_state_health(r.state, 0));
    check_solve(&r, lu, 0);
    check_solve(&r, lu, 1);
    check_poor_replay(&r, m);
    free(a);
    free(lu);
    wlu_state_destroy(&b->ctx, &r.state);
    wlu_image_destroy(&b->ctx, &r.image);
}

static void programs_replay_the_factors(void)
{
    seed = 141421;
    printf("# seed %llu\n", (unsigned long long)seed);
    int kinds[TEST_REGIONS] = {0}, sums = 0;
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        warplu_options o;
        test_matrix m;
        test_build b;
        check_init_options(&o);
        o.btf = check_below(&seed, 3) > 0;
        o.matching = (warplu_matching)check_below(&seed, 3);
        o.scaling = (warplu_scaling)check_below(&seed, 3);
        test_matrix_random(&m, &seed, &r);
        warplu_status status = test_build_pivots(&b, &o, &m);
        CHECK_SAY(status == WARPLU_SUCCESS, "try %d: %s, n = %d", t, test_shape_name(r.shape), r.n);
        for (int way = 0; way < 2 * TEST_REGIONS && status == WARPLU_SUCCESS; way++) {
            int before = check_failures;
            wlu_cost cost = test_region_cost((test_region)(way / 2));
            if (!check_due()) continue;
            b.ctx.unsplit = way % 2 == 0;
            CHECK(test_build_program(&b, &cost) == WARPLU_SUCCESS);
            if (b.program == NULL) continue;
            int32_t tiled = wlu_lu_of(b.program)->tiles.m;
            sums += b.program->sums < b.program->y;
            kinds[tiled == 0 ? TEST_ALL_DOT : tiled == r.n ? TEST_ALL_TILE : TEST_MIXED]++;
            CHECK(way / 2 != TEST_ALL_DOT || tiled == 0);
            CHECK(way / 2 != TEST_ALL_TILE || tiled == r.n);
            CHECK_SAY(wlu_program_verify(&b.ctx, b.program) == WARPLU_SUCCESS, "%s", b.ctx.last_message);
            check_regions(&b);
            const wlu_triangular *solve = &b.program->solve, *transposed = &b.program->transposed;
            check_vectors(&b.program->dot, b.program->part, b.program->parts + 1, way % 2);
            check_vectors(&solve->stream, solve->segment, solve->regions + 1, way % 2);
            check_vectors(&transposed->stream, transposed->segment, transposed->regions + 1, way % 2);
            check_replay(&b, &m);
            if (check_failures > before)
                printf("#   in try %d, way %d: %s, n = %d\n", t, way, test_shape_name(r.shape), r.n);
        }
        if (status == WARPLU_SUCCESS) test_build_free(&b);
        test_matrix_free(&m);
    }
    printf("# %d all DOT, %d mixed, %d all TILE, %d with partial sums\n", kinds[0], kinds[1], kinds[2], sums);
    CHECK(kinds[TEST_MIXED] > TRIES / 4 / check_every() && sums > (check_every() > 1 ? 0 : TRIES / 40));
}

/* A dense matrix, whose DOT stream is large: with room it may be DOT, with little it must be TILE, with none it
 * is refused; what is taken fits. */
static void bytes_choose_the_region(void)
{
    seed = 173205;
    const test_recipe r = {.shape = TEST_DENSE, .n = 60};
    warplu_options o;
    test_matrix m;
    test_build b;
    check_init_options(&o);
    test_matrix_random(&m, &seed, &r);
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
    wlu_cost prefers_dot = test_region_cost(TEST_ALL_DOT);
    CHECK(test_build_program(&b, &prefers_dot) == WARPLU_SUCCESS);
    CHECK(wlu_lu_of(b.program)->tiles.m == 0);
    int64_t dot_bytes = wlu_program_factor_bytes(b.program);
    b.options.max_program_bytes = dot_bytes / 4;
    CHECK(test_build_program(&b, &prefers_dot) == WARPLU_SUCCESS);
    CHECK(wlu_lu_of(b.program)->tiles.m == r.n);
    CHECK_SAY(wlu_program_factor_bytes(b.program) <= b.options.max_program_bytes, "%lld bytes of %lld",
              (long long)wlu_program_factor_bytes(b.program), (long long)b.options.max_program_bytes);
    b.options.max_program_bytes = 100;
    CHECK(test_build_program(&b, &prefers_dot) == WARPLU_PROGRAM_TOO_LARGE);
    CHECK(b.program == NULL);
    test_build_free(&b);
    test_matrix_free(&m);
}

/* Whatever bound the program is compiled under, it keeps within it. */
static void programs_keep_their_bytes(void)
{
    seed = 223606;
    printf("# seed %llu\n", (unsigned long long)seed);
    int compiled = 0, refused = 0;
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        warplu_options o;
        test_matrix m;
        test_build b;
        check_init_options(&o);
        test_matrix_random(&m, &seed, &r);
        if (test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS) {
            wlu_symbolic s;
            int32_t nnz = b.analysis->a->nnz;
            CHECK(wlu_symbolic_find(&b.ctx, &b.options, &wlu_cost_cpu, b.pivots, nnz, 1, &s) == WARPLU_SUCCESS);
            b.options.max_program_bytes = 1 + (int64_t)((0.4 + check_uniform(&seed)) * (double)s.bytes);
            wlu_symbolic_free(&b.ctx, &s);
            warplu_status status = wlu_symbolic_find(&b.ctx, &b.options, &wlu_cost_cpu, b.pivots, nnz, 1, &s);
            if (status == WARPLU_SUCCESS) {
                CHECK(test_build_program(&b, &wlu_cost_cpu) == WARPLU_SUCCESS);
                int64_t bytes = b.program != NULL ? wlu_program_factor_bytes(b.program) : 0;
                CHECK_SAY(bytes <= b.options.max_program_bytes, "%lld bytes of %lld, predicted %lld, %s, n = %d",
                          (long long)bytes, (long long)b.options.max_program_bytes, (long long)s.bytes,
                          test_shape_name(r.shape), r.n);
                compiled++;
                wlu_symbolic_free(&b.ctx, &s);
            }
            refused += status == WARPLU_PROGRAM_TOO_LARGE;
            CHECK(status == WARPLU_SUCCESS || status == WARPLU_PROGRAM_TOO_LARGE);
            test_build_free(&b);
        }
        test_matrix_free(&m);
    }
    CHECK_SAY(compiled > TRIES / 5 && refused > TRIES / 10, "%d compiled, %d refused", compiled, refused);
}

/* Pivots with k entries each beside a dense block: cheap as DOT by prediction, yet their k^2 terms are as many records.
 * The prediction is too low there, so the program is compiled again under a tighter bound. */
static void wrong_predictions_keep_their_bytes(void)
{
    enum { N = 60, FEW = 4 };
    int retried = 0;
    for (int k = 16; k < 48; k++) {
        static double dense[N * N];
        warplu_options o;
        test_matrix m;
        test_build b;
        wlu_symbolic s;
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                dense[j * N + i] = i == j ? 2.0 * N : i < FEW && j < FEW ? 0.0 : i < FEW || j < FEW ? i + j <= k : 1.0;
        test_matrix_from_dense(&m, N, dense);
        check_init_options(&o);
        o.ordering = WARPLU_ORDERING_NATURAL;
        o.btf = 0;
        CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
        wlu_cost cost = wlu_cost_cpu;
        cost.ns_per_level = 0.0;
        cost.ns_per_tile = 1000.0; /* the dense block is a TILE region, the pivots are not */
        CHECK(wlu_symbolic_find(&b.ctx, &b.options, &cost, b.pivots, b.analysis->a->nnz, 1, &s) == WARPLU_SUCCESS);
        int mixed = s.m > 0 && s.m < N;
        b.options.max_program_bytes = s.bytes;
        wlu_symbolic_free(&b.ctx, &s);
        warplu_status status = test_build_program(&b, &cost);
        CHECK(status == WARPLU_SUCCESS || status == WARPLU_PROGRAM_TOO_LARGE);
        if (status == WARPLU_SUCCESS) {
            CHECK(wlu_program_factor_bytes(b.program) <= b.options.max_program_bytes);
            retried += mixed && wlu_lu_of(b.program)->tiles.m == N;
        } else {
            retried += mixed;
        }
        test_build_free(&b);
        test_matrix_free(&m);
    }
    CHECK_SAY(retried > 0, "no prediction was too low");
}

int main(void)
{
    RUN(programs_replay_the_factors);
    RUN(bytes_choose_the_region);
    RUN(programs_keep_their_bytes);
    RUN(wrong_predictions_keep_their_bytes);
    return check_done();
}
