/* Counts of roundings (numerics/rounds.h) against programs of all targets and regions, record by record: what a program
 * does with a term, as lu/flat.h writes it out, is no more than what is counted. */
#include "equivalence/compare.h"

#include "lu/emit.h"
#include "lu/flat.h"
#include "lu/rounding.h"
#include "numerics/thresholds.h"
#include "support/options.h"

#include <math.h>

static uint64_t seed;

/* How near the counts came, as what was done over them, and that each form was met. */
static struct {
    double outer, first, second;
    int64_t lanes, trees, cut, regions, transposed;
} seen;

/* By slot: the most roundings that a term in it has been in, of the factorization, of the first substitution, of the
 * second one. */
typedef struct tally {
    double *factor, *first, *second;
} tally;

/* Roundings of a term that a record adds, and of what it starts from. */
static double of_terms(wlu_sum sum, int64_t terms)
{
    if (sum == WLU_SUM_IN_ORDER) return (double)terms;
    return sum == WLU_SUM_LANES ? ceil((double)terms / 8.0) + 4.0 : 5.0;
}

static double of_start(wlu_sum sum, int64_t terms)
{
    return terms == 0 ? 0.0 : sum == WLU_SUM_IN_ORDER ? (double)terms : 1.0;
}

/* The count that a record adds to: in a second stage of A what L and F give, then what U gives; of A' the other way. */
static double *count_of(const wlu_flat *f, const wlu_flat_stream *s, int64_t r, int transposed, const tally *t)
{
    if (s == &f->factor) return t->factor;
    for (int64_t q = s->begin[r]; q < s->begin[r + 1]; q++) {
        int32_t a = s->operand[2 * q], b = s->operand[2 * q + 1];
        if (a == f->zero) continue;
        if (a == f->minus_one && t->first[b] + t->second[b] > 0.0) return t->first[b] > 0.0 ? t->first : t->second;
        int of_u = f->area[a] == WLU_AREA_U, of_f = f->area[a] == WLU_AREA_F;
        return of_f || of_u == transposed ? t->first : t->second;
    }
    return t->first;
}

static void run_record(const wlu_flat *f, const wlu_flat_stream *s, int64_t r, int transposed, const tally *t)
{
    int64_t terms = s->begin[r + 1] - s->begin[r];
    wlu_sum sum = (wlu_sum)s->sum[r];
    int32_t to = s->target[r], start = s->start[r];
    double *count = count_of(f, s, r, transposed, t), most;
    if (s->opcode[r] == WLU_RCP) return;
    most = fmax(count[start] + of_start(sum, terms), terms > 0 ? of_terms(sum, terms) : 0.0);
    for (int64_t q = s->begin[r]; q < s->begin[r + 1]; q++)
        if (s->operand[2 * q] == f->minus_one) {
            most = fmax(most, count[s->operand[2 * q + 1]] + of_terms(sum, terms));
            seen.cut++;
        }
    if (s != &f->factor && start != to) {
        t->first[to] = t->first[start];
        t->second[to] = t->second[start];
    }
    count[to] = most;
    seen.lanes += sum == WLU_SUM_LANES;
    seen.trees += sum == WLU_SUM_TREE;
}

static void run_stream(const wlu_flat *f, const wlu_flat_stream *s, int transposed, const tally *t)
{
    for (int64_t r = 0; r < s->nrecords; r++) run_record(f, s, r, transposed, t);
}

static void hold(const char *what, double done, double counted, double *nearest)
{
    CHECK_SAY(done <= counted, "%s: %g roundings, %g are counted", what, done, counted);
    if (counted > WLU_DOT_IN_ORDER_MAX) *nearest = fmax(*nearest, done / counted);
}

static void check_entries(const test_build *b, const wlu_flat *f, const wlu_rounds *r, int transposed,
                          const double *done)
{
    const wlu_pivots *p = b->pivots;
    const wlu_layout o = wlu_layout_of(p, 0);
    const int32_t *slot = b->program->slot;
    for (int32_t j = 0; j < p->n; j++) {
        for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++)
            hold("l", done[f->slot[slot[o.l + q]]],
                 fmin(r->outer[transposed ? j : p->li[q]], r->crossing[transposed ? p->li[q] : j]), &seen.outer);
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++)
            hold("u", done[f->slot[slot[o.u + q]]],
                 fmin(r->outer[transposed ? j : p->ui[q]], r->crossing[transposed ? p->ui[q] : j]), &seen.outer);
        hold("pivot", done[f->slot[slot[o.pivot + j]]], fmin(r->outer[j], r->crossing[j]), &seen.outer);
    }
}

/* x of A is at the column's place, of A' at the row's. */
static void check_solve(const test_build *b, const wlu_flat_solve *solve, const wlu_rounds *r, int transposed,
                        const tally *t)
{
    const wlu_pivots *p = b->pivots;
    for (int32_t i = 0; i < p->n; i++) {
        int32_t k = transposed ? p->row_pos[i] : p->col_pos[i];
        hold("y", t->first[solve->store[i]], r->first[k], &seen.first);
        hold("x", t->second[solve->store[i]], r->second[k], &seen.second);
    }
}

static void check_direction(const test_build *b, const wlu_flat *f, int transposed)
{
    const wlu_flat_solve *solve = &f->solve[transposed];
    const size_t slots = (size_t)(f->count + solve->own);
    tally t = {calloc(slots, sizeof(double)), calloc(slots, sizeof(double)), calloc(slots, sizeof(double))};
    wlu_context ctx = b->ctx;
    wlu_rounds rounds;
    CHECK(wlu_lu_find_rounds(&ctx, b->analysis->a, b->pivots, b->program, transposed, &rounds) == WARPLU_SUCCESS);
    run_stream(f, &f->factor, transposed, &t);
    run_stream(f, &solve->stream, transposed, &t);
    check_entries(b, f, &rounds, transposed, t.factor);
    check_solve(b, solve, &rounds, transposed, &t);
    seen.regions += !transposed && b->program->solve.regions > 0;
    seen.transposed += transposed;
    wlu_rounds_free(&ctx, &rounds);
    free(t.factor);
    free(t.first);
    free(t.second);
}

static void check_program(test_build *b, const wlu_cost *cost)
{
    wlu_flat *flat = NULL;
    CHECK(test_build_program(b, cost) == WARPLU_SUCCESS);
    CHECK(wlu_flat_create(&b->ctx, b->program, &flat) == WARPLU_SUCCESS);
    for (int transposed = 0; transposed <= 1; transposed++) check_direction(b, flat, transposed);
    wlu_flat_destroy(&b->ctx, &flat);
}

static void check_matrix(const test_matrix *m)
{
    test_build b;
    warplu_options o;
    check_init_options(&o);
    CHECK(test_build_pivots(&b, &o, m) == WARPLU_SUCCESS);
    for (int region = 0; region < TEST_REGIONS; region++) {
        wlu_cost cost = test_region_cost((test_region)region);
        cost.solve_pivots = 1 + region;
        check_program(&b, &cost);
        cost.record_terms = 24; /* so that small matrices have chains that are cut */
        cost.partial_sum_terms = 8;
        check_program(&b, &cost);
    }
    check_program(&b, &wlu_cost_cuda);
    test_build_free(&b);
}

static void counts_are_what_programs_do_at_most(void)
{
    for (int k = 0; k < 60; k++) {
        test_matrix m;
        test_recipe recipe =
            k % 3 == 0 ? (test_recipe){.shape = TEST_ARROW, .n = 20 + 4 * k} : test_recipe_random(&seed, 20 + 4 * k);
        test_matrix_random(&m, &seed, &recipe);
        check_matrix(&m);
        test_matrix_free(&m);
    }
    printf("# done over counted: factors %.3f, first substitution %.3f, second %.3f\n", seen.outer, seen.first,
           seen.second);
    CHECK(seen.lanes > 100 && seen.trees > 100 && seen.cut > 100 && seen.regions > 20 && seen.transposed > 100);
    CHECK(seen.outer > 0.5 && seen.first > 0.5 && seen.second > 0.5);
}

int main(void)
{
    seed = 20261128;
    printf("# seed %llu\n", (unsigned long long)seed);
    RUN(counts_are_what_programs_do_at_most);
    return check_done();
}
