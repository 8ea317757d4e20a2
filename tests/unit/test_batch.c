/* Batches as their users see them: members get the bits of the solver's own replays; weak ones are repaired and say by
 * what; those that fail harm no other and are never called a success. */
#include <warplu/batch.h>

#include "check.h"

#include "support/dense.h"
#include "support/matrices.h"
#include "support/options.h"

#ifdef FAKE_CUDA_PATH
#include "by_emulator.h"
#endif

#include <math.h>
#include <string.h>

/* What replays the members, of solvers of the host; DEVICES: on several. */
#ifndef EXECUTOR
#define EXECUTOR WARPLU_EXECUTOR_AUTO
#endif

static uint64_t seed = 20261123;

/* A batch's numbers, contiguous. */
typedef struct members {
    int32_t count, n, nnz, nrhs;
    double *values, *b, *x;
    unsigned char *mask;
} members;

static members make_members(const test_matrix *a, int32_t count, int32_t nrhs, double spread)
{
    members m = {.count = count, .n = a->n, .nnz = a->nnz, .nrhs = nrhs};
    m.values = malloc((size_t)count * (size_t)a->nnz * sizeof(double));
    m.b = malloc((size_t)count * (size_t)(nrhs * a->n) * sizeof(double));
    m.x = malloc((size_t)count * (size_t)(nrhs * a->n) * sizeof(double));
    m.mask = malloc((size_t)count);
    for (int64_t k = 0; k < (int64_t)count * a->nnz; k++)
        m.values[k] = a->x[k % a->nnz] * (1.0 + spread * (2.0 * check_uniform(&seed) - 1.0));
    for (int64_t k = 0; k < (int64_t)count * nrhs * a->n; k++) m.b[k] = 2.0 * check_uniform(&seed) - 1.0;
    memset(m.mask, 1, (size_t)count);
    return m;
}

static void free_members(members *m)
{
    free(m->values);
    free(m->b);
    free(m->x);
    free(m->mask);
}

static double *values_of(const members *m, int32_t k)
{
    return m->values + (int64_t)k * m->nnz;
}

/* to[i * count + m] = from[m * length + i], or back. */
static void interleave(const members *m, int64_t length, const double *from, double *to, int back)
{
    for (int32_t k = 0; k < m->count; k++)
        for (int64_t i = 0; i < length; i++)
            if (back)
                to[k * length + i] = from[i * m->count + k];
            else
                to[i * m->count + k] = from[k * length + i];
}

static warplu_solver *make_solver(const test_matrix *a)
{
    warplu_solver *s = NULL;
    CHECK(check_create(&s) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, a->n, a->ptr, a->idx, a->x) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, a->x) == WARPLU_SUCCESS);
    return s;
}

static warplu_batch *make_batch(const warplu_solver *s, int32_t count, const warplu_batch_options *o)
{
    warplu_batch *batch = NULL;
    warplu_batch_options mine;
    warplu_batch_init_options(&mine);
    if (o != NULL) mine = *o;
    mine.executor = EXECUTOR;
#ifdef DEVICES
    static const int devices[] = {DEVICES};
    mine.devices = devices;
    mine.device_count = (int32_t)(sizeof devices / sizeof *devices);
#endif
    CHECK(warplu_batch_create(&batch, s, count, &mine) == WARPLU_SUCCESS && batch != NULL);
    return batch;
}

static warplu_batch_member record_of(const warplu_batch *batch, int32_t member)
{
    warplu_batch_member r;
    CHECK(warplu_batch_get_members(batch, member, 1, &r, sizeof r) == WARPLU_SUCCESS);
    return r;
}

/* Member k's x is that of the solver alone, where both are plain replays. */
static void check_alone(warplu_solver *s, const warplu_batch *batch, const members *m, int32_t k, int transposed)
{
    warplu_batch_member r = record_of(batch, k);
    int64_t length = (int64_t)m->n * m->nrhs;
    double *x = malloc((size_t)length * sizeof *x);
    warplu_status factored = warplu_refactor(s, values_of(m, k));
    const double *b = m->b + k * length;
    warplu_status solved =
        transposed ? warplu_solve_transposed(s, m->nrhs, b, m->n, x, m->n) : warplu_solve(s, m->nrhs, b, m->n, x, m->n);
    CHECK_SAY(r.status == WARPLU_SUCCESS, "member %d: %s", k, warplu_status_name(r.status));
    if (factored == WARPLU_SUCCESS && solved == WARPLU_SUCCESS && r.way == WARPLU_BATCH_REPLAYED)
        CHECK_SAY(memcmp(x, m->x + k * length, (size_t)length * sizeof *x) == 0, "member %d of %d", k, m->count);
    free(x);
}

static void run_contiguous_and_interleaved(warplu_solver *s, const members *m, int transposed)
{
    warplu_batch_options o;
    int64_t length = (int64_t)m->n * m->nrhs, count = m->count;
    double *values = malloc((size_t)(count * m->nnz) * sizeof *values),
           *x = malloc((size_t)(count * length) * sizeof *x);
    double *b = malloc((size_t)(count * length) * sizeof *b), *back = malloc((size_t)(count * length) * sizeof *back);
    warplu_batch_init_options(&o);
    warplu_batch *batch = make_batch(s, m->count, &o);
    CHECK(warplu_batch_refactor_solve(batch, m->values, NULL, transposed, m->nrhs, m->b, m->x) == WARPLU_SUCCESS);
    for (int32_t k = 0; k < m->count; k++) check_alone(s, batch, m, k, transposed);
    warplu_batch_destroy(&batch);
    o.layout = WARPLU_BATCH_INTERLEAVED;
    batch = make_batch(s, m->count, &o);
    interleave(m, m->nnz, m->values, values, 0);
    interleave(m, length, m->b, b, 0);
    CHECK(warplu_batch_refactor_solve(batch, values, NULL, transposed, m->nrhs, b, x) == WARPLU_SUCCESS);
    interleave(m, length, x, back, 1);
    CHECK(memcmp(back, m->x, (size_t)(count * length) * sizeof *x) == 0);
    warplu_batch_destroy(&batch);
    free(values);
    free(x);
    free(b);
    free(back);
}

static void members_have_the_bits_of_single_solves(void)
{
    static const int32_t counts[] = {1, 2, 3, 7, 8, 9, 31, 32, 33};
    for (int k = 0; k < 60; k++) {
        test_recipe recipe = test_recipe_random(&seed, 40);
        test_matrix a;
        if (!check_due()) continue;
        recipe.weak_diagonal = 0;
        test_matrix_random(&a, &seed, &recipe);
        warplu_solver *s = make_solver(&a);
        members m = make_members(&a, counts[k % 9], 1 + k % 3, 0.05);
        run_contiguous_and_interleaved(s, &m, k % 2);
        free_members(&m);
        warplu_destroy(&s);
        test_matrix_free(&a);
    }
}

/* ------------------------------------------------- factors that are kept */

static void kept_factors_solve_later(void)
{
    for (int k = 0; k < 20; k++) {
        test_recipe recipe = test_recipe_random(&seed, 30);
        test_matrix a;
        warplu_batch_options o;
        recipe.weak_diagonal = 0;
        test_matrix_random(&a, &seed, &recipe);
        warplu_solver *s = make_solver(&a);
        members m = make_members(&a, k % 4 < 2 ? 11 : 24, 2, 0.05);
        int64_t bytes = (int64_t)m.count * m.n * m.nrhs * (int64_t)sizeof(double);
        double *x = malloc((size_t)bytes);
        warplu_batch_init_options(&o);
        o.keep_factors = 1;
        warplu_batch *batch = make_batch(s, m.count, &o);
        CHECK(warplu_batch_solve(batch, NULL, 0, 2, m.b, x) == WARPLU_MEMBERS_FAILED); /* nobody has factors yet */
        CHECK(record_of(batch, 3).status == WARPLU_WRONG_PHASE && isnan(x[0]));
        CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_batch_solve(batch, NULL, 0, 2, m.b, x) == WARPLU_SUCCESS);
        CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 2, m.b, m.x) == WARPLU_SUCCESS);
        CHECK(memcmp(x, m.x, (size_t)bytes) == 0);
        for (int32_t j = 0; j < m.count; j++) m.mask[j] = (unsigned char)(k % 2 ? j % 3 == 0 : j % 7 != 2);
        for (int64_t j = 0; j < (int64_t)m.count * m.nnz; j++) m.values[j] *= 2.0;
        CHECK(warplu_batch_refactor(batch, m.values, m.mask) == WARPLU_SUCCESS); /* the others keep theirs */
        CHECK(warplu_batch_solve(batch, NULL, 0, 2, m.b, x) == WARPLU_SUCCESS);
        for (int64_t j = 0; j < (int64_t)m.count * m.n * 2; j++)
            CHECK(fabs(x[j] - m.x[j] * (m.mask[j / (2 * m.n)] ? 0.5 : 1.0)) <= 1e-9 * (1.0 + fabs(m.x[j])));
        free(x);
        warplu_batch_destroy(&batch);
        free_members(&m);
        warplu_destroy(&s);
        test_matrix_free(&a);
    }
}

static void masked_members_stay_as_they_are(void)
{
    test_recipe recipe = {.shape = TEST_GRID, .n = 25};
    test_matrix a;
    test_matrix_random(&a, &seed, &recipe);
    warplu_solver *s = make_solver(&a);
    members m = make_members(&a, 33, 1, 0.05), n = m;
    warplu_batch *batch = make_batch(s, m.count, NULL);
    warplu_batch_statistics t = {.size = sizeof t};
    CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.x) == WARPLU_SUCCESS);
    n.x = malloc((size_t)m.count * (size_t)m.n * sizeof(double));
    for (int64_t k = 0; k < (int64_t)m.count * m.n; k++) n.x[k] = -7.0;
    for (int32_t k = 0; k < m.count; k++) m.mask[k] = (unsigned char)(check_below(&seed, 2) ? 3 : 0);
    CHECK(warplu_batch_refactor_solve(batch, m.values, m.mask, 0, 1, m.b, n.x) == WARPLU_SUCCESS);
    int32_t taking_part = 0;
    for (int32_t k = 0; k < m.count; k++) {
        taking_part += m.mask[k] != 0;
        for (int32_t i = 0; i < m.n; i++) CHECK(n.x[k * m.n + i] == (m.mask[k] ? m.x[k * m.n + i] : -7.0));
    }
    CHECK(warplu_batch_get_statistics(batch, &t) == WARPLU_SUCCESS && t.took_part == taking_part);
    memset(m.mask, 0, (size_t)m.count);
    CHECK(warplu_batch_refactor_solve(batch, m.values, m.mask, 0, 1, m.b, n.x) == WARPLU_SUCCESS);
    free(n.x);
    warplu_batch_destroy(&batch);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* ------------------------------------------------------------ weak members */

enum { PAIRS = 6, N = 2 * PAIRS };

/* Blocks [1 1; 1 2] on the diagonal, each coupled to the next from above: pivots go down the diagonal as long as it is
 * not weak. */
static void make_pairs(test_matrix *a)
{
    double dense[N * N] = {0};
    for (int32_t k = 0; k < PAIRS; k++) {
        double *at = dense + 2 * k * (N + 1);
        at[0] = at[1] = at[N] = 1.0;
        at[N + 1] = 2.0;
        if (k + 1 < PAIRS) at[2 * N + 1] = 0.25;
    }
    test_matrix_from_dense(a, N, dense);
}

/* The first entry of these pairs becomes `tiny`: their pivots have to leave the diagonal. */
static void weaken(const test_matrix *a, double *values, unsigned pairs, double tiny)
{
    for (int32_t k = 0; k < PAIRS; k++)
        if (pairs >> k & 1)
            for (int32_t q = a->ptr[2 * k]; q < a->ptr[2 * k + 1]; q++)
                if (a->idx[q] == 2 * k) values[q] = tiny;
}

/* These pairs become [0 1; 1 0], others [1 0; 0 1]: pivots that suit one choice of pairs suit no other. */
static void choose_sides(const test_matrix *a, double *values, unsigned pairs)
{
    for (int32_t j = 0; j < N; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++) {
            int crossed = pairs >> (j / 2) & 1, on_diagonal = a->idx[q] == j;
            if (a->idx[q] / 2 == j / 2) values[q] = crossed != on_diagonal ? 1.0 : 0.0;
        }
}

static warplu_solver *make_natural_solver(const test_matrix *a)
{
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.btf = 0;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, a->n, a->ptr, a->idx, a->x) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, a->x) == WARPLU_SUCCESS);
    return s;
}

/* The worst backward error of members whose record calls them a success. */
static double worst_error(const test_matrix *a, const warplu_batch *batch, const members *m)
{
    double worst = 0.0;
    for (int32_t k = 0; k < m->count; k++) {
        if (record_of(batch, k).status != WARPLU_SUCCESS) continue;
        test_matrix of = *a;
        of.x = values_of(m, k);
        double *dense = test_matrix_dense(&of);
        double error = test_dense_backward_error(a->n, dense, 0, m->b + k * m->n, m->x + k * m->n);
        if (!(error <= worst)) worst = error;
        free(dense);
    }
    return worst;
}

static void every_tenth_member_needs_other_pivots(void)
{
    test_matrix a;
    make_pairs(&a);
    for (int keep = 0; keep <= 1; keep++) {
        warplu_solver *s = make_natural_solver(&a);
        members m = make_members(&a, 200, 1, 0.05);
        warplu_batch_options o;
        warplu_batch_statistics t = {.size = sizeof t}, later = {.size = sizeof later};
        warplu_batch_init_options(&o);
        o.keep_factors = keep;
        for (int32_t k = 0; k < m.count; k += 10) weaken(&a, values_of(&m, k), k % 20 == 0 ? 0x9 : 0x16, 0.0);
        warplu_batch *batch = make_batch(s, m.count, &o);
        for (int call = 0; call < 2; call++) {
            if (keep) CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_SUCCESS);
            CHECK((keep ? warplu_batch_solve(batch, NULL, 0, 1, m.b, m.x)
                        : warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.x)) == WARPLU_SUCCESS);
            CHECK_SAY(worst_error(&a, batch, &m) <= 1e-10, "%g", worst_error(&a, batch, &m));
            CHECK(warplu_batch_get_statistics(batch, call == 0 ? &t : &later) == WARPLU_SUCCESS);
        }
        CHECK_SAY(t.programs == 3 && later.compilations == t.compilations && later.programs == 3,
                  "%d programs, later %d", t.programs, later.programs);
        CHECK_SAY(later.by_other_programs == 20 && later.failed == 0, "%d by others, %d failed",
                  later.by_other_programs, later.failed);
        for (int32_t k = 0; k < m.count; k++)
            CHECK(record_of(batch, k).way == (k % 10 == 0 ? WARPLU_BATCH_OTHER_PROGRAM : WARPLU_BATCH_REPLAYED) ||
                  (k % 10 != 0 && record_of(batch, k).way == WARPLU_BATCH_REFINED));
        warplu_batch_destroy(&batch);
        free_members(&m);
        warplu_destroy(&s);
    }
    test_matrix_free(&a);
}

/* Members that were refined go beside each other in the next call: nobody's answer shows it. */
static void refined_members_change_no_bit(void)
{
    test_matrix a;
    make_pairs(&a);
    warplu_solver *s = make_natural_solver(&a);
    members m = make_members(&a, 45, 1, 0.05);
    int64_t bytes = (int64_t)m.count * m.n * (int64_t)sizeof(double);
    double *good = malloc((size_t)m.count * (size_t)m.nnz * sizeof *good), *x = malloc((size_t)bytes);
    warplu_batch *used = make_batch(s, m.count, NULL);
    int32_t refined = 0;
    memcpy(good, m.values, (size_t)m.count * (size_t)m.nnz * sizeof *good);
    for (int call = 0; call < 8; call++) {
        warplu_batch_statistics t = {.size = sizeof t};
        memcpy(m.values, good, (size_t)m.count * (size_t)m.nnz * sizeof *good);
        for (int32_t k = 0; k < m.count; k++)
            if (check_below(&seed, 3) == 0) weaken(&a, values_of(&m, k), 0x9, 1e-9);
        warplu_batch *fresh = make_batch(s, m.count, NULL);
        CHECK(warplu_batch_refactor_solve(fresh, m.values, NULL, 0, 1, m.b, x) == WARPLU_SUCCESS);
        CHECK(warplu_batch_refactor_solve(used, m.values, NULL, 0, 1, m.b, m.x) == WARPLU_SUCCESS);
        CHECK(memcmp(x, m.x, (size_t)bytes) == 0 && worst_error(&a, used, &m) <= 1e-10);
        for (int32_t k = 0; k < m.count; k++) CHECK(record_of(used, k).way == record_of(fresh, k).way);
        CHECK(warplu_batch_get_statistics(used, &t) == WARPLU_SUCCESS);
        refined += t.refined;
        warplu_batch_destroy(&fresh);
    }
    CHECK_SAY(refined > 0, "%d refined", refined);
    free(good);
    free(x);
    warplu_batch_destroy(&used);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* Each weak member needs pivots that serve no other: solvers answer for them. */
static void members_all_unlike_have_solvers(void)
{
    test_matrix a;
    make_pairs(&a);
    warplu_solver *s = make_natural_solver(&a);
    members m = make_members(&a, 1 << PAIRS, 1, 0.0);
    warplu_batch_statistics t = {.size = sizeof t};
    for (int32_t k = 0; k < m.count; k++) choose_sides(&a, values_of(&m, k), (unsigned)k);
    warplu_batch *batch = make_batch(s, m.count, NULL);
    for (int call = 0; call < 3; call++) {
        CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.x) == WARPLU_SUCCESS);
        CHECK(worst_error(&a, batch, &m) <= 1e-10);
    }
    CHECK(warplu_batch_get_statistics(batch, &t) == WARPLU_SUCCESS && t.failed == 0 && t.by_own_solvers > 0);
    warplu_batch_destroy(&batch);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

static void weak_members_are_reported_where_nothing_is_repaired(void)
{
    test_matrix a;
    make_pairs(&a);
    warplu_solver *s = make_natural_solver(&a);
    members m = make_members(&a, 20, 1, 0.05);
    warplu_batch_options o;
    warplu_batch_init_options(&o);
    o.repair = 0;
    o.keep_factors = 1;
    weaken(&a, values_of(&m, 7), 0x3f, 1e-17);
    weaken(&a, values_of(&m, 8), 0x3f, 0.0);
    warplu_batch *batch = make_batch(s, m.count, &o);
    CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_MEMBERS_FAILED);
    CHECK(record_of(batch, 7).status == WARPLU_WEAK && record_of(batch, 7).verdict == WARPLU_VERDICT_WEAK);
    CHECK(record_of(batch, 8).status == WARPLU_NOT_FINITE);
    CHECK(strstr(warplu_batch_get_message(batch), "2 of 20") != NULL);
    CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.x) == WARPLU_MEMBERS_FAILED);
    CHECK(worst_error(&a, batch, &m) <= 1e-10);
    CHECK(record_of(batch, 7).way == WARPLU_BATCH_REFINED && record_of(batch, 8).status == WARPLU_NOT_FINITE);
    CHECK(isnan(m.x[8 * N]));
    warplu_batch_destroy(&batch);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* Most are weak by the common pivots, alike or not, when factors are to be kept: each has an answer, one alone. */
static void most_members_need_other_pivots_to_be_kept(void)
{
    test_matrix a;
    make_pairs(&a);
    for (int alike = 0; alike <= 1; alike++) {
        warplu_solver *s = make_natural_solver(&a);
        members m = make_members(&a, 90, 1, 0.05);
        warplu_batch_options o;
        warplu_batch_statistics t = {.size = sizeof t};
        warplu_batch_init_options(&o);
        o.keep_factors = 1;
        for (int32_t k = 4; k < m.count; k++) weaken(&a, values_of(&m, k), alike ? 0x9 : (unsigned)k % 64, 0.0);
        warplu_batch *batch = make_batch(s, m.count, &o);
        for (int call = 0; call < 3; call++) {
            CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_SUCCESS);
            CHECK(warplu_batch_get_statistics(batch, &t) == WARPLU_SUCCESS);
            CHECK_SAY(t.took_part == 90 && t.replayed + t.by_other_programs + t.by_own_solvers == 90,
                      "%d replayed, %d by others, %d by solvers", t.replayed, t.by_other_programs, t.by_own_solvers);
            CHECK_SAY(warplu_batch_solve(batch, NULL, 0, 1, m.b, m.x) == WARPLU_SUCCESS, "%s",
                      warplu_batch_get_message(batch));
            CHECK(worst_error(&a, batch, &m) <= 1e-10);
        }
        warplu_batch_destroy(&batch);
        free_members(&m);
        warplu_destroy(&s);
    }
    test_matrix_free(&a);
}

/* Members that change sides in each call, with programs for both: places of kept factors do not run out. */
static void members_that_change_sides_keep_their_factors(void)
{
    test_matrix a;
    make_pairs(&a);
    warplu_solver *s = make_natural_solver(&a);
    members m = make_members(&a, 20, 1, 0.05);
    warplu_batch_options o;
    warplu_batch_statistics t = {.size = sizeof t};
    double *good = malloc((size_t)m.count * (size_t)m.nnz * sizeof *good);
    size_t bytes = (size_t)m.count * (size_t)m.nnz * sizeof *good;
    memcpy(good, m.values, bytes);
    warplu_batch_init_options(&o);
    o.keep_factors = 1;
    warplu_batch *batch = make_batch(s, m.count, &o);
    for (int call = 0; call < 40; call++) {
        memcpy(m.values, good, bytes);
        for (int32_t k = 0; k < m.count; k++) weaken(&a, values_of(&m, k), (k + call) % 2 ? 0x9 : 0x16, 0.0);
        CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_batch_get_statistics(batch, &t) == WARPLU_SUCCESS);
        CHECK_SAY(call == 0 || t.by_own_solvers == 0, "call %d: %d by solvers", call, t.by_own_solvers);
        CHECK(warplu_batch_solve(batch, NULL, 0, 1, m.b, m.x) == WARPLU_SUCCESS && worst_error(&a, batch, &m) <= 1e-10);
    }
    warplu_batch_destroy(&batch);
    free(good);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* Calls that keep nothing take nothing from what is kept, whoever answers. */
static void kept_factors_outlive_other_calls(void)
{
    test_matrix a;
    make_pairs(&a);
    warplu_solver *s = make_natural_solver(&a);
    members m = make_members(&a, 20, 1, 0.05);
    warplu_batch_options o;
    double *kept = malloc((size_t)m.count * (size_t)m.nnz * sizeof *kept), *first = m.values;
    memcpy(kept, m.values, (size_t)m.count * (size_t)m.nnz * sizeof *kept);
    warplu_batch_init_options(&o);
    o.keep_factors = 1;
    for (int32_t k = 0; k < m.count; k += 3) weaken(&a, values_of(&m, k), 0x9, 0.0);
    warplu_batch *batch = make_batch(s, m.count, &o);
    CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_SUCCESS);
    m.values = kept;
    for (int32_t k = 0; k < m.count; k += 2) weaken(&a, values_of(&m, k), 0x16, 0.0);
    CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.x) == WARPLU_SUCCESS);
    CHECK(worst_error(&a, batch, &m) <= 1e-10);
    m.values = first;
    CHECK(warplu_batch_solve(batch, NULL, 0, 1, m.b, m.x) == WARPLU_SUCCESS && worst_error(&a, batch, &m) <= 1e-10);
    warplu_batch_destroy(&batch);
    free(kept);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* Pivots are kept as the solver says: factors are too, solves are refined, and both say how far that goes. */
static void weak_factors_are_kept_where_pivots_are_to_stay(void)
{
    test_matrix a;
    warplu_options options;
    warplu_solver *s = NULL;
    make_pairs(&a);
    check_init_options(&options);
    options.ordering = WARPLU_ORDERING_NATURAL;
    options.btf = 0;
    options.on_weak = WARPLU_ON_WEAK_REFINE;
    CHECK(warplu_create(&s, &options) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, a.n, a.ptr, a.idx, a.x) == WARPLU_SUCCESS && warplu_factor(s, a.x) == WARPLU_SUCCESS);
    members m = make_members(&a, 8, 1, 0.05);
    warplu_batch_options o;
    warplu_batch_init_options(&o);
    o.keep_factors = 1;
    weaken(&a, values_of(&m, 3), 0x9, 1e-9);
    warplu_batch *batch = make_batch(s, m.count, &o);
    CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_MEMBERS_FAILED);
    CHECK(record_of(batch, 3).status == WARPLU_WEAK && record_of(batch, 3).verdict == WARPLU_VERDICT_WEAK);
    CHECK(warplu_batch_solve(batch, NULL, 0, 1, m.b, m.x) == WARPLU_SUCCESS);
    CHECK(record_of(batch, 3).way == WARPLU_BATCH_REFINED && worst_error(&a, batch, &m) <= 1e-10);
    warplu_batch_destroy(&batch);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* Pivots for which Wilkinson's values grow; a threshold of 0.001 lets them be, but not those that are 1.3 times as
 * large beneath the diagonal, whose replay looks no worse. */
static void kept_factors_that_prove_inaccurate_are_replaced(void)
{
    enum { W = 8, MEMBERS = 5 };
    double grows[W * W], b[MEMBERS * W], x[MEMBERS * W];
    test_matrix a;
    warplu_batch_options o;
    for (int32_t q = 0; q < W * W; q++) {
        int32_t i = q % W, j = q / W;
        grows[q] = j == W - 1   ? 1.0 + 0.1 * i
                   : j == W - 2 ? 1.0 + 0.07 * (i * i % 5)
                   : i == j     ? 1.0
                   : i > j      ? -(900.0 + 3.0 * i + j)
                                : 0.0;
    }
    test_matrix_from_dense(&a, W, grows);
    for (int32_t k = 0; k < MEMBERS * W; k++) b[k] = check_uniform(&seed);
    warplu_solver *s = make_natural_solver(&a);
    members m = make_members(&a, MEMBERS, 1, 0.0);
    for (int64_t q = 0; q < (int64_t)MEMBERS * m.nnz; q++)
        if (fabs(m.values[q]) >= 900.0) m.values[q] *= 1.3;
    warplu_batch_init_options(&o);
    o.keep_factors = 1;
    warplu_batch *batch = make_batch(s, MEMBERS, &o);
    for (int call = 0; call < 4; call++) {
        CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_SUCCESS);
        warplu_status status = warplu_batch_solve(batch, NULL, 0, 1, b, x);
        CHECK_SAY(status == (call == 0 ? WARPLU_MEMBERS_FAILED : WARPLU_SUCCESS), "call %d: %s", call,
                  warplu_batch_get_message(batch));
        CHECK(record_of(batch, 2).status == (call == 0 ? WARPLU_INACCURATE : WARPLU_SUCCESS));
    }
    warplu_batch_destroy(&batch);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* Right-hand sides so small that no backward error can be computed say nothing of the factors. */
static void kept_factors_outlive_tiny_right_hand_sides(void)
{
    test_matrix a;
    make_pairs(&a);
    warplu_solver *s = make_natural_solver(&a);
    members m = make_members(&a, 6, 1, 0.05);
    double *tiny = malloc(6 * N * sizeof *tiny);
    warplu_batch_options o;
    warplu_batch_init_options(&o);
    o.keep_factors = 1;
    for (int k = 0; k < 6 * N; k++) tiny[k] = 1e-305 * m.b[k];
    warplu_batch *batch = make_batch(s, m.count, &o);
    for (int call = 0; call < 2; call++) {
        CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_SUCCESS);
        CHECK(record_of(batch, 2).way == WARPLU_BATCH_REPLAYED);
        CHECK(warplu_batch_solve(batch, NULL, 1, 1, tiny, m.x) == WARPLU_MEMBERS_FAILED);
        CHECK(record_of(batch, 2).status == WARPLU_INACCURATE);
        CHECK(warplu_batch_solve(batch, NULL, 1, 1, m.b, m.x) == WARPLU_SUCCESS);
    }
    warplu_batch_destroy(&batch);
    free(tiny);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* Members that do not take part in the call that pivots have values that nobody has set yet. */
static void pivots_come_from_members_that_take_part(void)
{
    test_matrix a;
    make_pairs(&a);
    warplu_solver *s = NULL;
    members m = make_members(&a, 20, 1, 0.05);
    CHECK(check_create(&s) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, a.n, a.ptr, a.idx, NULL) == WARPLU_SUCCESS);
    warplu_batch *batch = make_batch(s, m.count, NULL);
    memset(m.mask, 0, (size_t)m.count);
    for (int32_t k = 0; k < m.count; k++)
        for (int32_t q = 0; q < m.nnz && k != 13; q++) values_of(&m, k)[q] = NAN;
    CHECK(warplu_batch_refactor_solve(batch, m.values, m.mask, 0, 1, m.b, m.x) == WARPLU_SUCCESS);
    m.mask[13] = 1;
    CHECK(warplu_batch_refactor_solve(batch, m.values, m.mask, 0, 1, m.b, m.x) == WARPLU_SUCCESS);
    memset(m.mask, 1, (size_t)m.count);
    CHECK(warplu_batch_refactor_solve(batch, m.values, m.mask, 0, 1, m.b, m.x) == WARPLU_MEMBERS_FAILED);
    CHECK(record_of(batch, 13).status == WARPLU_SUCCESS && record_of(batch, 12).status == WARPLU_NOT_FINITE);
    warplu_batch_destroy(&batch);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* ---------------------------------------------------------- bad neighbours */

static void bad_members_leave_neighbours_untouched(void)
{
    test_recipe recipe = {.shape = TEST_GRID, .n = 30};
    test_matrix a;
    test_matrix_random(&a, &seed, &recipe);
    for (int keep = 0; keep <= 1; keep++) {
        warplu_solver *s = make_solver(&a);
        members m = make_members(&a, 40, 1, 0.05);
        int64_t bytes = (int64_t)m.count * m.n * (int64_t)sizeof(double);
        double *x = malloc((size_t)bytes);
        warplu_batch_options o;
        warplu_batch_init_options(&o);
        o.keep_factors = keep;
        warplu_batch *batch = make_batch(s, m.count, &o);
        CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, x) == WARPLU_SUCCESS);
        values_of(&m, 3)[5] = NAN;
        values_of(&m, 12)[0] = INFINITY;
        memset(values_of(&m, 21), 0, (size_t)m.nnz * sizeof(double));
        m.b[30 * m.n + 2] = NAN;
        if (keep) CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_MEMBERS_FAILED);
        CHECK((keep ? warplu_batch_solve(batch, NULL, 0, 1, m.b, m.x)
                    : warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.x)) == WARPLU_MEMBERS_FAILED);
        for (int32_t k = 0; k < m.count; k++) {
            int bad = k == 3 || k == 12 || k == 21 || k == 30;
            warplu_status status = record_of(batch, k).status;
            CHECK_SAY(bad == (status != WARPLU_SUCCESS), "member %d: %s", k, warplu_status_name(status));
            CHECK(bad || memcmp(x + k * m.n, m.x + k * m.n, (size_t)m.n * sizeof *x) == 0);
            CHECK(!bad || isnan(m.x[k * m.n]));
        }
        if (!keep)
            CHECK(record_of(batch, 3).status == WARPLU_NOT_FINITE && record_of(batch, 21).status == WARPLU_SINGULAR);
        CHECK(record_of(batch, 30).status == WARPLU_NOT_FINITE);
        free(x);
        warplu_batch_destroy(&batch);
        free_members(&m);
        warplu_destroy(&s);
    }
    test_matrix_free(&a);
}

/* x = 0 is no answer where the values are not finite, or the matrix is zero. */
static void zero_right_hand_sides_prove_nothing(void)
{
    test_matrix a;
    make_pairs(&a);
    for (int repair = 0; repair <= 1; repair++) {
        warplu_solver *s = make_natural_solver(&a);
        members m = make_members(&a, 12, 1, 0.05);
        warplu_batch_options o;
        warplu_batch_init_options(&o);
        o.repair = repair;
        values_of(&m, 3)[2] = NAN;
        values_of(&m, 5)[4] = INFINITY;
        memset(values_of(&m, 7), 0, (size_t)m.nnz * sizeof(double));
        memset(m.b, 0, (size_t)m.count * (size_t)m.n * sizeof *m.b);
        warplu_batch *batch = make_batch(s, m.count, &o);
        CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.x) == WARPLU_MEMBERS_FAILED);
        for (int32_t k = 0; k < m.count; k++) {
            int bad = k == 3 || k == 5 || k == 7;
            CHECK((record_of(batch, k).status < 0) == bad && (bad ? isnan(m.x[k * N]) : m.x[k * N] == 0.0));
        }
        warplu_batch_destroy(&batch);
        free_members(&m);
        warplu_destroy(&s);
    }
    test_matrix_free(&a);
}

/* The common program is tried on them again, and serves none. */
static void members_that_nothing_serves_are_left_once(void)
{
    test_recipe recipe = {.shape = TEST_GRID, .n = 30};
    test_matrix a;
    test_matrix_random(&a, &seed, &recipe);
    members m = make_members(&a, 30, 1, 0.0);
    warplu_solver *s = make_solver(&a);
    warplu_batch_options o;
    warplu_batch_statistics t = {.size = sizeof t};
    warplu_batch_init_options(&o);
    o.keep_factors = 1;
    warplu_batch *batch = make_batch(s, m.count, &o);
    for (int32_t k = 1; k < m.count; k++) memset(values_of(&m, k), 0, (size_t)a.nnz * sizeof(double));
    for (int call = 0; call < 2; call++) {
        CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_MEMBERS_FAILED);
        CHECK(warplu_batch_get_statistics(batch, &t) == WARPLU_SUCCESS && t.failed == m.count - 1 && t.replayed == 1);
    }
    warplu_batch_destroy(&batch);
    warplu_destroy(&s);
    free_members(&m);
    test_matrix_free(&a);
}

/* ------------------------------------------------------------ first pivots */

static void pivots_come_from_a_sample(void)
{
    test_matrix a;
    make_pairs(&a);
    warplu_solver *s = NULL;
    members m = make_members(&a, 64, 1, 0.05);
    warplu_batch_statistics t = {.size = sizeof t};
    CHECK(check_create(&s) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, a.n, a.ptr, a.idx, NULL) == WARPLU_SUCCESS);
    memset(values_of(&m, 0), 0, (size_t)m.nnz * sizeof(double)); /* the first is singular, ... */
    for (int32_t k = 0; k < 16; k++)
        weaken(&a, values_of(&m, k + 1), 0x15, 0.0); /* ... and others are not as most are */
    warplu_batch *batch = make_batch(s, m.count, NULL);
    CHECK(warplu_batch_factor(batch, m.values) == WARPLU_SUCCESS);
    CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.x) == WARPLU_MEMBERS_FAILED);
    CHECK(warplu_batch_get_statistics(batch, &t) == WARPLU_SUCCESS && t.failed == 1);
    CHECK(record_of(batch, 0).status == WARPLU_SINGULAR && worst_error(&a, batch, &m) <= 1e-10);
    warplu_batch_destroy(&batch);
    for (int32_t k = 0; k < m.count; k++) memset(values_of(&m, k), 0, (size_t)m.nnz * sizeof(double));
    batch = make_batch(s, m.count, NULL);
    CHECK(warplu_batch_factor(batch, m.values) == WARPLU_SINGULAR);
    CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.x) == WARPLU_SINGULAR);
    CHECK(record_of(batch, 5).status == WARPLU_SINGULAR && isnan(m.x[5 * N]));
    for (int64_t k = 0; k < (int64_t)m.count * m.nnz; k++) m.values[k] = NAN;
    CHECK(warplu_batch_factor(batch, m.values) == WARPLU_NOT_FINITE);
    warplu_batch_destroy(&batch);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

static void matrix_and_right_hand_side_may_be_shared(void)
{
    test_recipe recipe = {.shape = TEST_GRID, .n = 20};
    test_matrix a;
    test_matrix_random(&a, &seed, &recipe);
    warplu_solver *s = make_solver(&a);
    members m = make_members(&a, 9, 2, 0.05);
    int64_t length = (int64_t)m.n * 2;
    double *x = malloc((size_t)(m.count * length) * sizeof *x);
    for (int shared = 1; shared < 4; shared++) {
        warplu_batch_options o;
        warplu_batch_init_options(&o);
        warplu_batch *plain = make_batch(s, m.count, &o);
        o.shared_values = shared & 1;
        o.shared_rhs = shared >> 1;
        warplu_batch *batch = make_batch(s, m.count, &o);
        for (int32_t k = 1; k < m.count; k++) {
            if (shared & 1) memcpy(values_of(&m, k), m.values, (size_t)m.nnz * sizeof(double));
            if (shared & 2) memcpy(m.b + k * length, m.b, (size_t)length * sizeof(double));
        }
        CHECK(warplu_batch_refactor_solve(plain, m.values, NULL, 0, 2, m.b, x) == WARPLU_SUCCESS);
        CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 2, m.b, m.x) == WARPLU_SUCCESS);
        CHECK(memcmp(x, m.x, (size_t)(m.count * length) * sizeof *x) == 0);
        warplu_batch_destroy(&plain);
        warplu_batch_destroy(&batch);
    }
    free(x);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

static void kept_factors_are_limited(void)
{
    test_recipe recipe = {.shape = TEST_GRID, .n = 20};
    test_matrix a;
    test_matrix_random(&a, &seed, &recipe);
    warplu_solver *s = make_solver(&a);
    warplu_batch *batch = NULL;
    warplu_batch_options o;
    warplu_batch_init_options(&o);
    o.executor = EXECUTOR;
    o.max_factor_bytes = 100 * 8 * a.nnz; /* less than the values alone and factors */
    CHECK(warplu_batch_create(&batch, s, 100, &o) == WARPLU_SUCCESS);
    warplu_batch_destroy(&batch);
    o.keep_factors = 1;
    CHECK(warplu_batch_create(&batch, s, 100, &o) == WARPLU_OUT_OF_MEMORY && batch == NULL);
    o.max_factor_bytes *= 20;
    CHECK(warplu_batch_create(&batch, s, 100, &o) == WARPLU_SUCCESS);
    warplu_batch_destroy(&batch);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

static void misuse_is_refused(void)
{
    test_recipe recipe = {.shape = TEST_BAND, .n = 6};
    test_matrix a;
    test_matrix_random(&a, &seed, &recipe);
    warplu_solver *s = NULL;
    warplu_batch *batch = NULL;
    warplu_batch_options o;
    members m = make_members(&a, 2, 1, 0.0);
    warplu_batch_statistics t = {0};
    warplu_batch_member r;
    CHECK(check_create(&s) == WARPLU_SUCCESS);
    CHECK(warplu_batch_create(&batch, s, 2, NULL) == WARPLU_WRONG_PHASE && batch == NULL);
    CHECK(warplu_analyze(s, a.n, a.ptr, a.idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_batch_create(&batch, s, 0, NULL) == WARPLU_INVALID_ARGUMENT && batch == NULL);
    CHECK(warplu_batch_create(NULL, s, 1, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_create(&batch, NULL, 1, NULL) == WARPLU_INVALID_ARGUMENT);
    warplu_batch_init_options(&o);
    o.layout = (warplu_batch_layout)2;
    CHECK(warplu_batch_create(&batch, s, 2, &o) == WARPLU_INVALID_ARGUMENT);
    warplu_batch_init_options(&o);
    o.size = sizeof o + 1;
    CHECK(warplu_batch_create(&batch, s, 2, &o) == WARPLU_INVALID_ARGUMENT);
    batch = make_batch(s, 2, NULL);
    CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_WRONG_PHASE);
    CHECK(warplu_batch_solve(batch, NULL, 0, 1, m.b, m.x) == WARPLU_WRONG_PHASE);
    CHECK(warplu_batch_refactor_solve(batch, NULL, NULL, 0, 1, m.b, m.x) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, -1, m.b, m.x) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.b) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.b + 11) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.x + 1, m.x) == WARPLU_INVALID_ARGUMENT);
    CHECK(strstr(warplu_batch_get_message(batch), "overlaps") != NULL);
    CHECK(warplu_batch_get_members(batch, 1, 2, &r, sizeof r) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_get_members(batch, 0, 1, &r, 4) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_get_statistics(batch, &t) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_get_message(batch)[0] != '\0' && strcmp(warplu_batch_get_message(NULL), "") == 0);
    warplu_destroy(&s); /* either may go first */
    CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.x) == WARPLU_SUCCESS);
    warplu_batch_destroy(&batch);
    warplu_batch_destroy(&batch);
    warplu_batch_destroy(NULL);
    free_members(&m);
    test_matrix_free(&a);
}

#ifdef FAKE_CUDA_PATH
static by_emulator kernel;

static void the_device_has_replayed(void)
{
    int64_t launches = 0;
    for (int k = 0; k < BY_EMULATOR_KERNELS; k++) launches += kernel.launches[k];
    CHECK_SAY(launches > 1000 && kernel.wrong == 0, "%lld launches, %lld wrong", (long long)launches,
              (long long)kernel.wrong);
}
#endif

/* By a solver of the host; test_batch_complex.c has the rest. */
static void complex_values_of_one_unknown(void)
{
    const int32_t ptr[] = {0, 1}, idx[] = {0};
    const double value[] = {1.0, 1.0}, b[] = {0.0, 2.0};
    double x[2] = {0.0};
    warplu_solver *s = NULL;
    warplu_batch *batch = NULL;
    warplu_options options;
    warplu_batch_options o;
    check_init_options(&options);
    options.scalar = WARPLU_SCALAR_COMPLEX;
    CHECK(warplu_create(&s, &options) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, 1, ptr, idx, value) == WARPLU_SUCCESS);
    warplu_batch_init_options(&o);
    o.executor = EXECUTOR;
    CHECK(warplu_batch_create(&batch, s, 1, &o) == WARPLU_SUCCESS && batch != NULL);
    CHECK(warplu_batch_refactor_solve(batch, value, NULL, 0, 1, b, x) == WARPLU_SUCCESS);
    CHECK(x[0] == 1.0 && x[1] == 1.0);
    warplu_batch_destroy(&batch);
    warplu_destroy(&s);
}

/* No device, or this build leaves it out. */
static int is_missing(void)
{
    warplu_solver *s = NULL;
    warplu_options o;
    warplu_init_options(&o);
    o.executor = EXECUTOR;
    warplu_status status = warplu_create(&s, &o);
    warplu_destroy(&s);
    return status == WARPLU_NO_DEVICE || status == WARPLU_NOT_COMPILED;
}

int main(void)
{
#ifdef FAKE_CUDA_PATH
    if (by_emulator_open(by_emulator_launch, &kernel) == NULL || is_missing()) return 1;
#endif
    if (is_missing()) {
        printf("1..0 # SKIP no device\n");
        return 0;
    }
    printf("# seed %llu\n", (unsigned long long)seed);
    RUN(members_have_the_bits_of_single_solves);
    RUN(kept_factors_solve_later);
    RUN(masked_members_stay_as_they_are);
    RUN(every_tenth_member_needs_other_pivots);
    RUN(refined_members_change_no_bit);
    RUN(members_all_unlike_have_solvers);
    RUN(weak_members_are_reported_where_nothing_is_repaired);
    RUN(most_members_need_other_pivots_to_be_kept);
    RUN(members_that_change_sides_keep_their_factors);
    RUN(kept_factors_outlive_other_calls);
    RUN(weak_factors_are_kept_where_pivots_are_to_stay);
    RUN(kept_factors_that_prove_inaccurate_are_replaced);
    RUN(kept_factors_outlive_tiny_right_hand_sides);
    RUN(pivots_come_from_members_that_take_part);
    RUN(bad_members_leave_neighbours_untouched);
    RUN(zero_right_hand_sides_prove_nothing);
    RUN(members_that_nothing_serves_are_left_once);
    RUN(pivots_come_from_a_sample);
    RUN(matrix_and_right_hand_side_may_be_shared);
    RUN(kept_factors_are_limited);
    RUN(complex_values_of_one_unknown);
    RUN(misuse_is_refused);
#ifdef FAKE_CUDA_PATH
    RUN(the_device_has_replayed);
#endif
    return check_done();
}
