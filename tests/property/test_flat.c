/* Programs written out flat, on random matrices under every choice of regions: run record by record, and level by level
 * from the last record of each to its first, they have the reference's bits, in the factors, the health and both
 * solutions, but for a zero's sign. Slots, levels, loads and sums are as lu/flat.h says. */
#include "equivalence/compare.h"

#include "lu/flat.h"
#include "numerics/verdict.h"
#include "program/verify.h"
#include "support/options.h"

static uint64_t seed;

/* What has been seen, so that no form goes untested. */
static struct {
    int64_t lanes, trees, sums, longer, begun, gathered, transposed, regions, blocks, scaled, second;
} seen;

/* ---------------------------------------------------------------- a replay */

static double tree(const double *a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

static double run_chain(const wlu_flat_stream *s, int64_t r, const double *v)
{
    double x = v[s->start[r]], acc[8] = {0};
    const int32_t *pair = s->operand + 2 * s->begin[r];
    int64_t terms = s->begin[r + 1] - s->begin[r];
    for (int64_t k = 0; k < terms; k++, pair += 2) switch ((wlu_sum)s->sum[r]) {
        case WLU_SUM_IN_ORDER: x = fma(-v[pair[0]], v[pair[1]], x); break;
        case WLU_SUM_LANES: acc[k % 8] = fma(v[pair[0]], v[pair[1]], acc[k % 8]); break;
        case WLU_SUM_TREE: acc[k] = v[pair[0]] * v[pair[1]]; break;
        }
    return s->sum[r] == WLU_SUM_IN_ORDER ? x : x - tree(acc);
}

static void run_record(const wlu_flat_stream *s, int64_t r, double *v)
{
    if (s->opcode[r] == WLU_RCP)
        v[s->target[r]] = 1.0 / v[s->divisor[r]];
    else if (s->opcode[r] == WLU_DOTS)
        v[s->target[r]] = run_chain(s, r, v) * v[s->divisor[r]];
    else
        v[s->target[r]] = run_chain(s, r, v);
}

/* In their order; or by levels, in each from the last to the first. */
static void run_stream(const wlu_flat_stream *s, int by_levels, double *v)
{
    for (int64_t r = 0; r < s->nrecords && !by_levels; r++) run_record(s, r, v);
    if (!by_levels) return;
    int64_t *place = calloc((size_t)s->nlevels + 2, sizeof *place),
            *order = calloc((size_t)s->nrecords + 1, sizeof *order);
    for (int64_t r = 0; r < s->nrecords; r++) place[s->level[r]]++;
    for (int32_t l = 1; l <= s->nlevels; l++) CHECK(place[l] > 0);
    for (int32_t l = 1; l <= s->nlevels; l++) place[l] += place[l - 1];
    for (int64_t r = 0; r < s->nrecords; r++) order[--place[s->level[r]]] = r;
    for (int64_t k = 0; k < s->nrecords; k++) run_record(s, order[k], v);
    free(place);
    free(order);
}

static void load(const wlu_flat_loads *l, const double *source, double *v)
{
    for (int64_t k = 0; k < l->count; k++)
        if (l->slot[k] >= 0) v[l->slot[k]] = l->scale[k] * source[k];
}

static wlu_health judge(const wlu_flat *f, const double *v, const double *source)
{
    const wlu_guards *g = &wlu_lu_of(f->program)->guard;
    wlu_maxima m = {{0}};
    double relative = 1.0;
    for (int64_t k = 0; k < f->count; k++)
        if (f->area[k] != WLU_AREA_NONE) wlu_maxima_add(&m, (wlu_area)f->area[k], fabs(v[k]));
    for (int32_t k = 0; k < g->n; k++) {
        int32_t at = k < g->shared ? k : g->n + (k - g->shared);
        double row = fabs(wlu_power_of_upper(g->row_scale[k]) * source[g->a_source[at]]);
        double column = fabs(wlu_power_of_upper(g->a_scale[k]) * source[g->a_source[k]]);
        wlu_maxima_add(&m, WLU_AREA_DRIFT, wlu_larger_bits(1.0, wlu_power_drift(row)));
        wlu_maxima_add(&m, WLU_AREA_INVERSE, wlu_positive_inverse_power(column));
    }
    for (int64_t k = 0; k < f->count; k++) {
        int32_t place = f->u_column[k];
        if (place < 0) continue;
        double column = fabs(wlu_power_of_upper(g->a_scale[place]) * source[g->a_source[place]]);
        relative = wlu_larger_bits(relative, fabs(v[k]) * wlu_positive_inverse_power(column));
    }
    if (wlu_growth_is_open(&m, &g->criteria)) {
        wlu_maxima_add(&m, WLU_AREA_RELATIVE, relative);
        seen.second++;
    }
    return wlu_health_conclude(&m, &g->criteria, 0);
}

/* ------------------------------------------------------------------- forms */

/* A slot that a record reads: in range, and written; in a second stage of the factorization or of its own, as said. */
static int readable(const wlu_flat *f, int64_t end, const int32_t *written, int32_t slot, int own)
{
    if (slot < 0 || slot >= end || written[slot] < 0) return 0;
    return own < 0 || slot == f->zero || slot == f->minus_one || (slot >= f->count) == own;
}

/* written: by slot the level of its last writer, 0 for loads and constants, -1 for nothing; read: the highest level of
 * its readers. */
static void check_record(const wlu_flat *f, const wlu_flat_stream *s, int64_t r, int64_t end, int32_t *written,
                         int32_t *read)
{
    int second = s != &f->factor, chain = s->opcode[r] == WLU_DOT || s->opcode[r] == WLU_DOTS;
    int divided = s->opcode[r] == WLU_RCP || s->opcode[r] == WLU_DOTS;
    int32_t t = s->target[r], level = s->level[r];
    int64_t terms = s->begin[r + 1] - s->begin[r];
    CHECK(chain || divided);
    CHECK(level >= 1 && level <= s->nlevels && terms >= 0 && s->sum[r] <= WLU_SUM_TREE);
    CHECK(s->start[r] >= 0 && s->start[r] < end && (s->divisor[r] >= 0) == divided);
    CHECK(s->sum[r] != WLU_SUM_TREE || (second && terms <= 8));
    CHECK(s->sum[r] != WLU_SUM_LANES || terms > WLU_DOT_IN_ORDER_MAX);
    CHECK(t >= (second ? f->count : 2) && t < end && t != f->zero && t != f->minus_one);
    if (chain) CHECK(readable(f, end, written, s->start[r], second ? 1 : -1) && written[s->start[r]] < level);
    if (divided) CHECK(readable(f, end, written, s->divisor[r], second ? 0 : -1) && written[s->divisor[r]] < level);
    for (int64_t q = 2 * s->begin[r]; q < 2 * s->begin[r + 1]; q++) {
        int32_t slot = s->operand[q];
        CHECK(readable(f, end, written, slot, second ? (int)(q & 1) : -1) && written[slot] < level);
        if (read[slot] < level) read[slot] = level;
    }
    for (int64_t q = s->begin[r]; q < s->begin[r + 1]; q++) {
        int zero = s->operand[2 * q] == f->zero;
        CHECK(zero == (s->operand[2 * q + 1] == f->zero));
        CHECK(!zero || s->sum[r] == WLU_SUM_LANES || (s->sum[r] == WLU_SUM_TREE && q + 1 < s->begin[r + 1]));
    }
    CHECK(written[t] < 0 || (s->start[r] == t && written[t] < level && read[t] < level));
    written[t] = level;
    seen.lanes += s->sum[r] == WLU_SUM_LANES;
    seen.trees += s->sum[r] == WLU_SUM_TREE;
    seen.longer += s->sum[r] == WLU_SUM_IN_ORDER && terms > WLU_DOT_IN_ORDER_MAX;
}

/* written: after the loads; read: zeros; of `end` slots. */
static void check_stream(const wlu_flat *f, const wlu_flat_stream *s, int64_t end, int32_t *written)
{
    int32_t *read = calloc((size_t)end, sizeof *read);
    CHECK(s->nrecords == 0 || (s->begin[0] == 0 && s->begin[s->nrecords] == s->nterms));
    for (int64_t r = 0; r < s->nrecords; r++) {
        seen.begun += s == &f->factor && written[s->target[r]] > 0;
        check_record(f, s, r, end, written, read);
    }
    free(read);
}

static void note_loads(const wlu_flat_loads *l, int64_t first, int64_t end, int32_t *written)
{
    for (int64_t k = 0; k < l->count; k++) {
        int32_t slot = l->slot[k];
        if (slot < 0) continue;
        CHECK(slot >= first && slot < end && written[slot] < 0);
        written[slot] = 0;
    }
}

static void check_solve(const wlu_flat *f, const wlu_flat_solve *s, const int32_t *of_factor)
{
    int64_t end = f->count + s->own, n = f->program->n;
    int32_t *written = malloc((size_t)end * sizeof *written);
    for (int64_t k = 0; k < end; k++) written[k] = k < f->count ? (of_factor[k] < 0 ? -1 : 0) : -1;
    CHECK(s->load.count == n);
    note_loads(&s->load, f->count, end, written);
    check_stream(f, &s->stream, end, written);
    for (int64_t k = 0; k < n; k++) CHECK(readable(f, end, written, s->store[k], 1));
    for (int64_t k = f->count; k < end; k++) CHECK(written[k] >= 0);
    free(written);
}

static void check_form(const wlu_flat *f)
{
    const wlu_program *p = f->program;
    int32_t *written = malloc((size_t)f->count * sizeof *written);
    for (int64_t k = 0; k < f->count; k++) written[k] = -1;
    written[f->zero] = written[f->minus_one] = 0;
    CHECK(f->load.count == wlu_program_sources(p));
    note_loads(&f->load, 2, f->count, written);
    check_stream(f, &f->factor, f->count, written);
    for (int64_t k = 0; k < f->count; k++) CHECK(written[k] >= 0);
    for (int k = 0; k <= p->has_transposed; k++) check_solve(f, &f->solve[k], written);
    CHECK(p->has_transposed || f->solve[1].store == NULL);
    CHECK(wlu_flat_bytes(f) > 0);
    seen.sums += p->y > p->sums;
    seen.gathered += p->gather != NULL;
    seen.transposed += p->has_transposed;
    seen.regions += p->solve.regions > 1;
    seen.scaled += p->solve.scale != NULL;
    free(written);
}

/* -------------------------------------------------------------- comparison */

static int same(double a, double b)
{
    return (a == 0.0 && b == 0.0) || test_same(a, b);
}

static void compare_numbers(const double *expected, const double *found, int64_t count, const char *what,
                            const char *which)
{
    for (int64_t k = 0; k < count; k++)
        if (!same(expected[k], found[k])) {
            CHECK_SAY(0, "%s: %s %lld is %a, expected %a", what, which, (long long)k, found[k], expected[k]);
            return;
        }
}

static void compare_health(const wlu_health *h, const wlu_health *g, const char *what)
{
    CHECK_SAY(h->finite == g->finite, "%s: finite %d, expected %d", what, g->finite, h->finite);
    if (!h->finite) return;
    CHECK_SAY(h->largest_l == g->largest_l && h->largest_u == g->largest_u && h->drift == g->drift &&
                  h->growth == g->growth && h->smallest_pivot == g->smallest_pivot && h->verdict == g->verdict,
              "%s: l %a, %a, u %a, %a, growth %a, %a, pivot %a, %a", what, g->largest_l, h->largest_l, g->largest_u,
              h->largest_u, g->growth, h->growth, g->smallest_pivot, h->smallest_pivot);
}

static void compare_solve(test_replay *r, const wlu_flat *f, int transposed, int by_levels, double *v, const double *b,
                          const char *what)
{
    const wlu_flat_solve *s = &f->solve[transposed];
    int32_t n = f->program->n;
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y), largest;
    CHECK(test_replay_solve(r, transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE, b, x, &largest) ==
          WARPLU_SUCCESS);
    for (int64_t k = 0; k < s->own; k++) v[f->count + k] = NAN;
    load(&s->load, b, v);
    run_stream(&s->stream, by_levels, v);
    for (int32_t k = 0; k < n; k++) y[k] = s->store_scale != NULL ? s->store_scale[k] * v[s->store[k]] : v[s->store[k]];
    compare_numbers(x, y, n, what, transposed ? "transposed unknown" : "unknown");
    free(x);
    free(y);
}

/* The largest number of F, which health does not tell; or the reference's, by its slots. */
static double largest_f(const wlu_flat *f, const double *v, const double *reference)
{
    const wlu_areas area = wlu_areas_of(f->program);
    double largest = 0.0;
    for (int64_t k = area.f; k < area.reciprocal && reference != NULL; k++)
        largest = wlu_larger_bits(largest, fabs(reference[k]));
    for (int64_t k = 0; k < f->count && reference == NULL; k++)
        if (f->area[k] == WLU_AREA_F) largest = wlu_larger_bits(largest, fabs(v[k]));
    return largest;
}

/* One set of values, and two right-hand sides. */
static void compare_replay(test_build *b, test_replay *r, const wlu_flat *f, const double *values, int by_levels,
                           const char *what)
{
    const wlu_program *p = b->program;
    int64_t own = f->solve[0].own > f->solve[1].own ? f->solve[0].own : f->solve[1].own;
    double *v = malloc((size_t)(f->count + own) * sizeof *v), *rhs = malloc((size_t)p->n * sizeof *rhs),
           *entries = malloc(((size_t)f->load.count + 1) * sizeof *entries), *mapped = malloc((size_t)p->y * sizeof *v);
    const double *source = wlu_gather_values(p, values, entries);
    CHECK(wlu_state_refactor(&b->ctx, r->state, values) == WARPLU_SUCCESS);
    CHECK(wlu_state_fetch(&b->ctx, r->state, 0, &r->slots) == WARPLU_SUCCESS);
    for (int64_t k = 0; k < f->count; k++) v[k] = NAN;
    v[f->zero] = 0.0;
    v[f->minus_one] = -1.0;
    load(&f->load, source, v);
    run_stream(&f->factor, by_levels, v);
    for (int64_t k = 0; k < p->y; k++) mapped[k] = v[f->slot[k]];
    const wlu_health *h = wlu_state_health(r->state, 0), g = judge(f, v, source);
    CHECK(same(largest_f(f, v, NULL), largest_f(f, v, r->slots.v)));
    if (h->finite) compare_numbers(r->slots.v, mapped, p->sums, what, "slot");
    compare_health(h, &g, what);
    for (int k = 0; k < 2 && h->finite; k++) {
        for (int32_t i = 0; i < p->n; i++) rhs[i] = k && check_below(&seed, 4) ? 0.0 : 2.0 * check_uniform(&seed) - 1.0;
        for (int transposed = 0; transposed <= p->has_transposed; transposed++)
            compare_solve(r, f, transposed, by_levels, v, rhs, what);
    }
    free(v);
    free(rhs);
    free(entries);
    free(mapped);
}

/* The matrix' own values, near ones, and such as the pivots were not chosen for. */
static void compare_values(test_build *b, const wlu_flat *f, const test_matrix *m, const char *what)
{
    double *values = malloc(((size_t)m->nnz + 1) * sizeof *values);
    test_replay r;
    CHECK(test_replay_open(&r, b, NULL));
    for (int k = 0; k < 4; k++) {
        for (int32_t q = 0; q < m->nnz; q++) {
            double u = check_uniform(&seed);
            values[q] = m->x[q] * (k < 2 ? 1.0 + 0.5 * k * u : k == 2 ? pow(10.0, 4.0 * u) : pow(2.0, 60.0 * u - 30.0));
        }
        compare_replay(b, &r, f, values, k % 2, what);
    }
    test_replay_close(&r, b);
    free(values);
}

static void compare(test_build *b, const test_matrix *m, const char *what)
{
    wlu_flat *f = NULL;
    int before = check_failures;
    CHECK(wlu_flat_create(&b->ctx, b->program, &f) == WARPLU_SUCCESS);
    if (f == NULL) return;
    check_form(f);
    compare_values(b, f, m, what);
    if (check_failures > before) printf("# %s\n", what);
    wlu_flat_destroy(&b->ctx, &f);
    CHECK(f == NULL);
}

/* ------------------------------------------------------------------- cases */

static void compare_regions(const test_matrix *m, const warplu_options *o, const char *name)
{
    test_build b;
    if (test_build_pivots(&b, o, m) < 0) return;
    seen.blocks += b.pivots->nblocks > 1;
    for (int way = 0; way < 2 * TEST_REGIONS; way++) {
        char what[128];
        wlu_cost cost = test_region_cost((test_region)(way / 2));
        b.ctx.unsplit = way % 2 == 0;
        b.options.threads = 1 + check_below(&seed, 4);
        cost.ns_per_part = 1e-3;
        if (!check_due()) continue;
        snprintf(what, sizeof what, "%s, n = %d, region %d, split %d", name, (int)m->n, way / 2, way % 2);
        CHECK(test_build_program(&b, &cost) == WARPLU_SUCCESS);
        if (b.program != NULL) compare(&b, m, what);
    }
    test_build_free(&b);
}

static void random_shapes(void)
{
    seed = 271828;
    for (int t = 0; t < 150; t++) {
        test_recipe r = test_recipe_random(&seed, t % 3 ? 60 : 150);
        warplu_options o;
        test_matrix m;
        check_init_options(&o);
        o.btf = check_below(&seed, 3) > 0;
        o.matching = (warplu_matching)check_below(&seed, 3);
        o.ordering = check_below(&seed, 2) ? WARPLU_ORDERING_NATURAL : WARPLU_ORDERING_AUTO;
        test_matrix_random(&m, &seed, &r);
        compare_regions(&m, &o, test_shape_name(r.shape));
        test_matrix_free(&m);
    }
}

/* Hubs: rows of thousands of terms, in the DOT stream and into panels, cut into partial sums. */
static void hubs(void)
{
    seed = 1331;
    for (int k = 0; k < 4; k++) {
        wlu_cost cost = k % 2 ? wlu_cost_cuda : wlu_cost_cpu;
        warplu_options o;
        test_matrix m;
        test_build b;
        check_init_options(&o);
        o.ordering = WARPLU_ORDERING_NATURAL;
        o.matching = WARPLU_MATCHING_NEVER;
        o.btf = 0;
        cost.ns_per_tile = k < 2 ? 1e9 : 12.0;
        test_matrix_hubs(&m, &seed, 1330, 6, 0);
        CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS && test_build_program(&b, &cost) == WARPLU_SUCCESS);
        CHECK(k < 2 || wlu_lu_of(b.program)->tiles.count > 0);
        compare(&b, &m, "hubs");
        test_build_free(&b);
        test_matrix_free(&m);
    }
}

/* Entries beside the pivots that no load fills: what they would have gone into is zero, in chains of all lengths. */
static void loads_that_are_missing(void)
{
    seed = 8128;
    for (int t = 0; t < 40; t++) {
        test_recipe r = {.shape = t % 2 ? TEST_ARROW : (test_shape)(t / 2 % TEST_SHAPES), .n = 60};
        wlu_cost cost = test_region_cost((test_region)(t % TEST_REGIONS));
        warplu_options o;
        test_matrix m;
        test_build b;
        check_init_options(&o);
        test_matrix_random(&m, &seed, &r);
        CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS && test_build_program(&b, &cost) == WARPLU_SUCCESS);
        wlu_program *p = b.program;
        uint8_t *pivot = calloc((size_t)p->nslots, 1);
        for (int32_t k = 0; k < p->n; k++) pivot[p->slot[k]] = 1;
        for (int64_t k = 0; k < p->load.count; k++)
            if (!pivot[p->load.first + k] && check_below(&seed, 3) == 0) p->load.source[k] = -1;
        for (int64_t k = 0; k < p->list.count; k++) {
            if (pivot[p->list.target[k]] || check_below(&seed, 3) > 0) continue;
            int64_t last = --p->list.count;
            p->list.target[k] = p->list.target[last];
            p->list.source[k] = p->list.source[last];
            p->list.scale[k] = p->list.scale[last];
        }
        compare(&b, &m, "missing loads");
        free(pivot);
        test_build_free(&b);
        test_matrix_free(&m);
    }
}

/* All forms have been there. */
static void all_was_seen(void)
{
    printf("# lanes %lld, trees %lld, partial sums %lld, long chains in order %lld, panels begun %lld\n",
           (long long)seen.lanes, (long long)seen.trees, (long long)seen.sums, (long long)seen.longer,
           (long long)seen.begun);
    printf("# duplicates %lld, A' %lld, several regions %lld, blocks %lld, scaled unknowns %lld, second bounds %lld\n",
           (long long)seen.gathered, (long long)seen.transposed, (long long)seen.regions, (long long)seen.blocks,
           (long long)seen.scaled, (long long)seen.second);
    CHECK(seen.lanes > 0 && seen.trees > 0 && seen.sums > 0 && seen.longer > 0 && seen.begun > 0 && seen.gathered > 0 &&
          seen.transposed > 0 && seen.regions > 0 && seen.blocks > 0 && seen.scaled > 0 && seen.second > 0);
}

/* The transposed solve comes later: it is the one that was there from the beginning. */
static void transposed_later(void)
{
    test_recipe r = {.shape = TEST_GRID, .n = 49};
    wlu_cost cost = test_region_cost(TEST_DEVICE);
    warplu_options o;
    test_matrix m;
    test_build b;
    wlu_flat *f = NULL;
    seed = 49;
    check_init_options(&o);
    test_matrix_random(&m, &seed, &r);
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
    CHECK(wlu_lu_compile(&b.ctx, &b.options, &cost, b.analysis->a, b.pivots, &b.program) == WARPLU_SUCCESS);
    CHECK(wlu_flat_create(&b.ctx, b.program, &f) == WARPLU_SUCCESS);
    check_form(f);
    CHECK(wlu_flat_add_transposed(&b.ctx, f) == WARPLU_SUCCESS && f->solve[1].store == NULL);
    CHECK(wlu_lu_compile_transposed(&b.ctx, b.analysis->a, b.pivots, b.program) == WARPLU_SUCCESS);
    int64_t bytes = wlu_flat_bytes(f);
    for (int k = 0; k < 2; k++) CHECK(wlu_flat_add_transposed(&b.ctx, f) == WARPLU_SUCCESS);
    CHECK(wlu_flat_bytes(f) > bytes);
    check_form(f);
    compare_values(&b, f, &m, "a transposed solve that comes later");
    wlu_flat_destroy(&b.ctx, &f);
    test_build_free(&b);
    test_matrix_free(&m);
}

/* Of every allocation in turn: nothing is left of what failed. */
static void memory_runs_out(void)
{
    test_recipe r = {.shape = TEST_GRID, .n = 64};
    wlu_cost cost = test_region_cost(TEST_MIXED);
    test_allocator a;
    warplu_options o;
    test_matrix m;
    test_build b;
    seed = 64;
    check_init_options(&o);
    test_use_allocator(&o, &a);
    test_matrix_random(&m, &seed, &r);
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS && test_build_program(&b, &cost) == WARPLU_SUCCESS);
    CHECK(b.program->solve.regions > 0 && b.program->dot.nrecords > 0);
    for (int added = 0; added < 2; added++) {
        warplu_status status = WARPLU_OUT_OF_MEMORY;
        wlu_flat *f = NULL;
        int64_t k, alive = a.alive;
        b.program->has_transposed = !added;
        if (added) CHECK(wlu_flat_create(&b.ctx, b.program, &f) == WARPLU_SUCCESS);
        b.program->has_transposed = 1;
        int64_t with_solve = a.alive;
        for (k = 1; status == WARPLU_OUT_OF_MEMORY; k++) {
            a.fail_at = a.calls + k;
            status = added ? wlu_flat_add_transposed(&b.ctx, f) : wlu_flat_create(&b.ctx, b.program, &f);
            if (status == WARPLU_OUT_OF_MEMORY)
                CHECK(a.alive == with_solve && (added ? f->solve[1].store == NULL : f == NULL));
        }
        a.fail_at = 0;
        CHECK(status == WARPLU_SUCCESS && k > 10);
        if (f != NULL) compare_values(&b, f, &m, "after failures");
        wlu_flat_destroy(&b.ctx, &f);
        CHECK(a.alive == alive);
    }
    test_build_free(&b);
    test_matrix_free(&m);
    CHECK(a.alive == 0);
}

int main(void)
{
    RUN(random_shapes);
    RUN(hubs);
    RUN(loads_that_are_missing);
    RUN(all_was_seen);
    RUN(transposed_later);
    RUN(memory_runs_out);
    return check_done();
}
