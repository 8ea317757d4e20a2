/* Hubs: chains of thousands of terms are cut into partial sums. With the constants of a GPU, and with small ones that
 * cut chains of small matrices as well: the terms are those of the whole chains, each once; records are short;
 * solutions are the same but for rounding; all executors have the same bits. */
#include "equivalence/compare.h"

#include "program/disasm.h"
#include "program/verify.h"
#include "support/options.h"

static uint64_t seed;

typedef struct sum {
    int64_t terms, hash; /* of the operands, in any order */
} sum;

static int64_t hash_of(const int32_t *pair)
{
    uint64_t x = ((uint64_t)(uint32_t)pair[0] << 32 | (uint32_t)pair[1]) * UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)((x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 8);
}

/* What each slot is less: its chain's terms, and those of partial sums in it. Slots from y on are counted from there,
 * so that programs with partial sums compare to those without. The caller frees it. */
static sum *sums_of(const wlu_program *p, const wlu_stream *s)
{
    sum *all = calloc((size_t)p->nslots, sizeof *all);
    for (int64_t r = 0; r < s->nrecords; r++)
        for (int64_t q = 2 * s->begin[r]; q < 2 * s->begin[r + 1]; q += 2) {
            sum *to = &all[s->target[r]];
            int32_t pair[2] = {s->operand[q], s->operand[q + 1]};
            for (int k = 0; k < 2; k++)
                if (pair[k] >= p->y) pair[k] = -1 - (pair[k] - (int32_t)p->y);
            const sum term = s->operand[q] == p->minus_one ? all[s->operand[q + 1]] : (sum){1, hash_of(pair)};
            to->terms += term.terms;
            to->hash = (int64_t)((uint64_t)to->hash + (uint64_t)term.hash);
        }
    return all;
}

static int64_t longest_record(const wlu_stream *s)
{
    int64_t longest = 0;
    for (int64_t r = 0; r < s->nrecords; r++)
        if (s->begin[r + 1] - s->begin[r] > longest) longest = s->begin[r + 1] - s->begin[r];
    return longest;
}

static void compare_streams(const wlu_program *whole, const wlu_stream *long_ones, const wlu_program *cut,
                            const wlu_stream *s, int64_t slots, const char *what)
{
    int64_t expected = 0, sums = test_partial_sums(cut, s), most = cut->cost->record_terms;
    for (int64_t r = 0; r < long_ones->nrecords; r++)
        expected += wlu_cost_partial_sums(cut->cost, long_ones->begin[r + 1] - long_ones->begin[r]);
    CHECK_SAY(sums == expected, "%s: %lld partial sums, expected %lld", what, (long long)sums, (long long)expected);
    CHECK_SAY(longest_record(s) <= most, "%s: a record of %lld terms", what, (long long)longest_record(s));
    CHECK(s->nrecords == long_ones->nrecords + sums && s->nterms == long_ones->nterms + sums);
    CHECK(s->nlevels >= long_ones->nlevels + (sums > 0 && wlu_lu_of(cut)->tiles.m ==
                                                              0)); /* those into panels have no level of their own */
    sum *one = sums_of(whole, long_ones), *other = sums_of(cut, s);
    for (int64_t k = 0; k < slots; k++) {
        int64_t at = k < whole->sums ? k : cut->y + (k - whole->y);
        CHECK_SAY(one[k].terms == other[at].terms && one[k].hash == other[at].hash,
                  "%s: slot %lld is less %lld terms, expected %lld", what, (long long)k, (long long)other[at].terms,
                  (long long)one[k].terms);
        if (one[k].terms != other[at].terms) break;
    }
    free(one);
    free(other);
}

/* Solutions by the reference. x: 2 n, of A and of A'. */
static void solve(test_build *b, const double *values, const double *rhs, double *x)
{
    test_replay r;
    if (!test_replay_open(&r, b, NULL)) return;
    test_replay_run(&r, values, rhs);
    memcpy(x, r.x, 2 * (size_t)b->program->n * sizeof *x);
    test_replay_close(&r, b);
}

static void compare_solutions(const double *x, const double *y, int32_t n, const char *what)
{
    double largest = 0.0, apart = 0.0;
    for (int32_t i = 0; i < 2 * n; i++) {
        largest = fmax(largest, fabs(x[i]));
        apart = fmax(apart, fabs(x[i] - y[i]));
    }
    CHECK_SAY(apart <= 1e-12 * largest, "%s: solutions are %g apart", what, apart / largest);
}

/* The same bits whoever runs it, on whole buffers: a CPU keeps its right-hand sides elsewhere, a device its sums. */
static void compare_executors(test_build *b, const double *values, const double *rhs, const char *name)
{
    for (int k = 0; k < WLU_TEST_OTHERS; k++) {
        test_replay reference, other;
        char what[128];
        if (!test_replay_open(&other, b, test_simd_names[k])) continue;
        snprintf(what, sizeof what, "%s, %s", name, test_simd_names[k]);
        CHECK(test_replay_open(&reference, b, NULL));
        for (int replay = 0; replay < 3; replay++) {
            test_replay_run(&reference, values, rhs);
            test_replay_run(&other, values, rhs);
            test_replay_compare(b, &reference, &other, what);
        }
        if (test_replay_on_host(&other))
            test_compare_slots(b->program, &reference, &other, b->program->trash + 1, b->program->nslots, what,
                               "slot behind the trash");
        for (int q = 0; q < 2; q++)
            test_compare_many(b, &reference, &other, q ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE, 3 + q, q, 0,
                              rhs, what);
        test_replay_close(&reference, b);
        test_replay_close(&other, b);
    }
}

/* streams: which ones have chains that are cut, a bit each: of the factorization, the solve and the transposed one. */
static void compare(const test_matrix *m, const warplu_options *o, wlu_cost cost, int split, int streams,
                    const char *what)
{
    test_build whole, b;
    double *rhs = malloc((size_t)m->n * sizeof *rhs), *x = calloc(4 * (size_t)m->n, sizeof *x);
    wlu_cost uncut = cost;
    uncut.record_terms = 0;
    for (int32_t i = 0; i < m->n; i++) rhs[i] = check_uniform(&seed) - 0.5;
    CHECK(test_build_pivots(&whole, o, m) == WARPLU_SUCCESS && test_build_pivots(&b, o, m) == WARPLU_SUCCESS);
    whole.ctx.unsplit = b.ctx.unsplit = !split;
    CHECK(test_build_program(&whole, &uncut) == WARPLU_SUCCESS);
    CHECK(wlu_lu_compile(&b.ctx, &b.options, &cost, b.analysis->a, b.pivots, &b.program) == WARPLU_SUCCESS);
    int64_t slots = b.program->nslots; /* states may have been made before the transposed solve was */
    CHECK(wlu_lu_compile_transposed(&b.ctx, b.analysis->a, b.pivots, b.program) == WARPLU_SUCCESS &&
          slots == b.program->nslots);
    const wlu_program *p = b.program, *q = whole.program;
    CHECK_SAY(wlu_program_verify(&b.ctx, p) == WARPLU_SUCCESS, "%s: %s", what, b.ctx.last_message);
    CHECK(q->minus_one == -1 && q->sums == q->y && q->solve_sums == q->nslots &&
          wlu_lu_of(p)->tiles.m == wlu_lu_of(q)->tiles.m);
    int cut = (p->y > p->sums) | 2 * (test_partial_sums(p, &p->solve.stream) > 0) |
              4 * (test_partial_sums(p, &p->transposed.stream) > 0);
    CHECK_SAY(cut == streams, "%s: chains of streams %d are cut, expected %d", what, cut, streams);
    compare_streams(q, &q->dot, p, &p->dot, q->zero, what);
    compare_streams(q, &q->solve.stream, p, &p->solve.stream, q->zero, what);
    compare_streams(q, &q->transposed.stream, p, &p->transposed.stream, q->zero, what);
    solve(&whole, m->x, rhs, x);
    solve(&b, m->x, rhs, x + 2 * m->n);
    compare_solutions(x, x + 2 * m->n, m->n, what);
    compare_executors(&b, m->x, rhs, what);
    test_build_free(&whole);
    test_build_free(&b);
    free(rhs);
    free(x);
}

static warplu_options options_of(int btf)
{
    warplu_options o;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.matching = WARPLU_MATCHING_NEVER;
    o.btf = btf;
    return o;
}

/* Of one block; chains of all streams are cut. */
static void compare_hubs(int32_t n, int32_t hubs, double ns_per_tile, int split, const char *what)
{
    const warplu_options o = options_of(0);
    wlu_cost cost = wlu_cost_cuda;
    test_matrix m;
    cost.ns_per_tile = ns_per_tile;
    test_matrix_hubs(&m, &seed, n, hubs, 0);
    compare(&m, &o, cost, split, 7, what);
    test_matrix_free(&m);
}

/* A pivot with 4 999 entries of L before it and of U above it: in the factorization, both kinds of solve; all DOT. */
static void an_arrow(void)
{
    seed = 4999;
    compare_hubs(5000, 1, 1e9, 0, "an arrow");
    compare_hubs(5000, 1, 1e9, 1, "an arrow, split");
}

/* A block of one unknown that needs all others: its row of F. And rows of F by columns, the transposed solve's. */
static void a_row_of_f(void)
{
    seed = 5001;
    for (int transposed = 0; transposed < 2; transposed++) {
        warplu_options o = options_of(1);
        wlu_cost cost = wlu_cost_cuda;
        test_matrix m, rows;
        cost.ns_per_tile = 1e9;
        test_matrix_hubs(&m, &seed, 5000, 1, 1);
        int32_t *place = malloc((size_t)m.nnz * sizeof *place);
        test_matrix_to_csr(&m, &rows, place); /* by columns that is A' */
        compare(transposed ? &rows : &m, &o, cost, 1, transposed ? 4 : 2, transposed ? "a column of F" : "a row of F");
        test_matrix_free(&m);
        test_matrix_free(&rows);
        free(place);
    }
}

/* Hubs that are tiles: terms of DOT pivots into their panels. */
static void into_panels(void)
{
    seed = 1331;
    compare_hubs(1330, 6, 12.0, 0, "into panels");
    compare_hubs(1330, 6, 12.0, 1, "into panels, split");
}

/* Of 58 terms 32 are a partial sum; the last two pivots are a tile. */
static void names(void)
{
    const warplu_options o = options_of(0);
    wlu_cost cost = test_region_cost(TEST_DEVICE);
    test_matrix m;
    test_build b;
    char *text = NULL;
    size_t length = 0;
    seed = 59;
    test_matrix_hubs(&m, &seed, 60, 1, 0);
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS && test_build_program(&b, &cost) == WARPLU_SUCCESS);
    FILE *file = open_memstream(&text, &length);
    CHECK(wlu_program_disassemble(&b.ctx, b.program, b.pivots, file) == WARPLU_SUCCESS);
    fclose(file);
    CHECK(strstr(text, "p(0) = 0 - l(59,0) * u(0,59) - ") != NULL &&
          strstr(text, "p(0) = 0 - l(59,0) * y(0) - ") != NULL);
    CHECK(strstr(text, "l(59,57) * u(57,59) - -1 * p(0)\n") != NULL &&
          strstr(text, "l(59,57) * y(57) - -1 * p(0)\n") != NULL);
    free(text);
    test_build_free(&b);
    test_matrix_free(&m);
}

/* Of every allocation of the compiler in turn. */
static void memory_runs_out(void)
{
    warplu_options o = options_of(0);
    wlu_cost cost = test_region_cost(TEST_DEVICE);
    test_allocator a;
    test_matrix m;
    test_build b;
    warplu_status status = WARPLU_OUT_OF_MEMORY;
    seed = 60;
    test_use_allocator(&o, &a);
    test_matrix_hubs(&m, &seed, 60, 1, 0);
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
    int64_t alive = a.alive;
    for (int64_t k = 1; status == WARPLU_OUT_OF_MEMORY; k++) {
        a.fail_at = a.calls + k;
        status = wlu_lu_compile(&b.ctx, &b.options, &cost, b.analysis->a, b.pivots, &b.program);
        CHECK(status == WARPLU_SUCCESS || (status == WARPLU_OUT_OF_MEMORY && b.program == NULL && a.alive == alive));
    }
    a.fail_at = 0;
    CHECK(status == WARPLU_SUCCESS && b.program->y > b.program->sums);
    test_build_free(&b);
    test_matrix_free(&m);
    CHECK(a.alive == 0);
}

int main(void)
{
    RUN(an_arrow);
    RUN(a_row_of_f);
    RUN(into_panels);
    RUN(names);
    RUN(memory_runs_out);
    return check_done();
}
