/* A hub's row of equal entries never makes a wrong success. Equal terms are rounded alike: the last equation of an
 * arrow whose sum rises in its first part and falls in the rest is wrong by more than any number of independent
 * roundings would come to, with ordinary decimals or with low bits that are chosen. Pivots are proven by harmless
 * values first, so that nothing but the bound on roundings asks for a check. */
#include "check.h"

#include "support/options.h"
#include "support/row_errors.h"

#include <math.h>
#include <string.h>
#include <unistd.h>
#include <warplu/batch.h>
#include <warplu/save.h>

/* An arrow of t unknowns and a hub: d on the diagonal, u in the hub's column, a in its row for the first ones, -b for
 * the rest, 1 for itself. */
typedef struct arrow {
    const char *what;
    int32_t t, first;
    double d, u, a, b;
} arrow;

typedef enum way { ITSELF, CLONE, RESTORED, SEVERAL, MEMBER, WAYS } way;

typedef struct trial {
    warplu_options options;
    way by;
    int transposed; /* solves with A', which is the arrow; else with A */
    test_matrix m;
    double *y, *b, *x; /* SIDES of each */
    int64_t doubles;   /* of one */
    uint64_t seed;
} trial;

enum { SIDES = 3, REPLAYS = 14 };

static const char *const way_names[WAYS] = {"itself", "clone", "restored", "several", "member"};
static int successes;

/* Powers of two, but for the row's low bits, which make sums round up as they rise and as they fall. sums: what t times
 * l u is at most; bits: of the numbers. */
static arrow with_chosen_bits(int32_t t, double sums, int bits)
{
    double lu = ldexp(1.0, (int)floor(log2(sums / t)));
    int exponent;
    (void)frexp(t / 16 * lu, &exponent);
    double f = floor(0.49 * ldexp(1.0, exponent - bits) / lu * ldexp(1.0, bits - 1)) * ldexp(1.0, 1 - bits);
    return (arrow){"chosen low bits", t, t / 2, 1.0 / lu, 1.0, -(1.0 + f), -(1.0 - f)};
}

/* ------------------------------------------------------------------ matrix */

static void make(trial *t, int32_t leaves, int32_t doubles)
{
    test_matrix *m = &t->m;
    int32_t k = 0;
    *m = (test_matrix){.n = leaves + 1, .nnz = 3 * leaves + 1, .doubles = doubles};
    m->ptr = malloc(((size_t)m->n + 1) * sizeof *m->ptr);
    m->idx = malloc((size_t)m->nnz * sizeof *m->idx);
    m->x = calloc((size_t)(doubles * m->nnz), sizeof *m->x);
    for (int32_t j = 0; j < leaves; j++) {
        m->ptr[j] = k;
        m->idx[k++] = j;
        m->idx[k++] = leaves;
    }
    m->ptr[leaves] = k;
    for (int32_t i = 0; i <= leaves; i++) m->idx[k++] = i;
    m->ptr[leaves + 1] = k;
    t->doubles = (int64_t)doubles * m->n;
    t->y = malloc(3 * SIDES * (size_t)t->doubles * sizeof *t->y);
    t->b = t->y + SIDES * t->doubles;
    t->x = t->b + SIDES * t->doubles;
}

static void free_trial(trial *t)
{
    test_matrix_free(&t->m);
    free(t->y);
}

static void set(trial *t, int32_t q, double value)
{
    t->m.x[t->m.doubles * (int64_t)q] = value;
}

static void take(trial *t, const arrow *a)
{
    for (int32_t j = 0; j < a->t; j++) {
        set(t, 2 * j, a->d);
        set(t, 2 * j + 1, j < a->first ? a->a : -a->b);
        set(t, 2 * a->t + j, a->u);
    }
    set(t, 3 * a->t, 1.0);
}

static void take_harmless(trial *t)
{
    int32_t leaves = t->m.n - 1;
    for (int32_t j = 0; j < leaves; j++) {
        set(t, 2 * j, 1.0);
        set(t, 2 * j + 1, j % 2 ? 1.0 : -1.0);
        set(t, 2 * leaves + j, 1.0);
    }
    set(t, 3 * leaves, 1.0);
}

/* Solutions whose hub is 1, and the hub's equation 0 beside it. */
static void draw(trial *t, const arrow *a, int sides)
{
    double weight = a != NULL ? a->first * a->a + (a->t - a->first) * a->b : 1.0;
    for (int k = 0; k < sides; k++) {
        double *y = t->y + k * t->doubles, sum = 0.0;
        const int32_t d = t->m.doubles;
        for (int64_t j = 0; j < t->doubles; j++) y[j] = 2.0 * check_uniform(&t->seed) - 1.0;
        for (int32_t j = 0; a != NULL && j < a->t; j++) sum += t->m.x[d * (2 * (int64_t)j + 1)] * y[d * (int64_t)j];
        for (int32_t j = 0; a != NULL && j < a->t; j++) y[d * (int64_t)j] -= (j < a->first ? 1.0 : -1.0) * sum / weight;
        if (a != NULL) y[d * (int64_t)a->t] = 1.0;
        row_products(&t->m, ROW_ERRORS_PLAIN, y, t->b + k * t->doubles);
    }
}

/* ----------------------------------------------------------------- solving */

static warplu_status solve(const trial *t, warplu_solver *s, int32_t sides)
{
    int32_t n = t->m.n;
    return t->transposed ? warplu_solve_transposed(s, sides, t->b, n, t->x, n)
                         : warplu_solve(s, sides, t->b, n, t->x, n);
}

/* Solution k, a success. */
static void judge(const trial *t, const arrow *a, int k, int checked)
{
    double promised = t->options.precision == WARPLU_PRECISION_SINGLE ? 1e-4 : 1e-10;
    row_errors e = row_errors_of(&t->m, ROW_ERRORS_PLAIN, t->b + k * t->doubles, t->x + k * t->doubles);
    CHECK_SAY(e.whole <= promised, "%s, n %d, %s, %s%s: equation %d is wrong by %.2e, %s", a->what, t->m.n,
              way_names[t->by], t->transposed ? "A'" : "A", t->m.doubles == 2 ? ", complex" : "", e.row, e.whole,
              checked ? "checked" : "unchecked");
    successes++;
}

static warplu_solver *begin(trial *t)
{
    warplu_solver *s = NULL;
    take_harmless(t);
    CHECK(warplu_create(&s, &t->options) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, t->m.n, t->m.ptr, t->m.idx, t->m.x) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, t->m.x) == WARPLU_SUCCESS);
    return s;
}

/* Until pivots are proven, and their program is there. */
static void replay_harmless(trial *t, warplu_solver *s)
{
    take_harmless(t);
    for (int k = 0; k < REPLAYS; k++) {
        CHECK(warplu_refactor(s, t->m.x) == WARPLU_SUCCESS);
        if (k < 4 || k > REPLAYS - 3) draw(t, NULL, 1);
        CHECK(solve(t, s, 1) == WARPLU_SUCCESS);
    }
}

static warplu_solver *restored(const trial *t, warplu_solver *s)
{
    char path[] = "hubs-XXXXXX";
    int file = mkstemp(path);
    warplu_solver *next = NULL;
    CHECK(file >= 0 && close(file) == 0);
    CHECK(warplu_save_program(s, path) == WARPLU_SUCCESS && warplu_create(&next, &t->options) == WARPLU_SUCCESS);
    CHECK(warplu_restore(next, path) == WARPLU_SUCCESS);
    CHECK(unlink(path) == 0);
    return next;
}

static void solve_member(trial *t, const arrow *a, const warplu_solver *s)
{
    warplu_batch *batch = NULL;
    warplu_batch_options o;
    warplu_batch_member member[SIDES];
    warplu_batch_init_options(&o);
    o.shared_values = 1;
    CHECK(warplu_batch_create(&batch, s, SIDES, &o) == WARPLU_SUCCESS);
    CHECK(warplu_batch_refactor_solve(batch, t->m.x, NULL, t->transposed, 1, t->b, t->x) >= 0);
    CHECK(warplu_batch_get_members(batch, 0, SIDES, member, sizeof *member) == WARPLU_SUCCESS);
    for (int k = 0; k < SIDES; k++)
        if (member[k].status == WARPLU_SUCCESS) judge(t, a, k, member[k].backward_error != -1.0);
    warplu_batch_destroy(&batch);
}

static void attack(trial *t, const arrow *a)
{
    warplu_solver *s = begin(t), *next = NULL;
    replay_harmless(t, s);
    if (t->by == CLONE) CHECK(warplu_clone(&next, s) == WARPLU_SUCCESS);
    if (t->by == RESTORED) {
        next = restored(t, s);
        replay_harmless(t, next);
    }
    warplu_solver *of = next != NULL ? next : s;
    take(t, a);
    draw(t, a, SIDES);
    if (t->by == MEMBER) {
        solve_member(t, a, s);
    } else if (warplu_refactor(of, t->m.x) >= 0) {
        warplu_statistics q = {.size = sizeof q};
        int sides = t->by == SEVERAL ? SIDES : 1;
        if (t->by == SEVERAL) memcpy(t->x, t->b, (size_t)(SIDES * t->doubles) * sizeof *t->x);
        warplu_status status = solve(t, of, sides);
        CHECK(warplu_get_statistics(of, &q) == WARPLU_SUCCESS);
        for (int k = 0; k < sides && (status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED); k++)
            judge(t, a, k, q.all_checked);
    }
    warplu_destroy(&next);
    warplu_destroy(&s);
}

static void attack_all(const arrow *a, warplu_precision precision, warplu_scalar scalar, double expected)
{
    trial t = {.seed = 7};
    make(&t, a->t, scalar == WARPLU_SCALAR_COMPLEX ? 2 : 1);
    warplu_init_options(&t.options);
    t.options.precision = precision;
    if (precision == WARPLU_PRECISION_SINGLE) t.options.executor = WARPLU_EXECUTOR_REFERENCE;
    t.options.scalar = scalar;
    t.options.expected_refactors = expected;
    for (int k = 0; k < 2 * WAYS; k++) {
        t.by = (way)(k / 2);
        t.transposed = k % 2;
        t.options.storage = t.transposed ? WARPLU_STORAGE_CSR : WARPLU_STORAGE_CSC;
        if (check_due()) attack(&t, a);
    }
    free_trial(&t);
}

/* ------------------------------------------------------------------- cases */

/* What the sums of doubles, and of floats, take unless roundings are counted. */
static const double SUMS = 550000.0, SUMS_SINGLE = 1000.0;

static void decimals(void)
{
    const arrow all[] = {{"decimals", 4000, 2560, 0.011, 0.93, 0.9, 1.6},
                         {"decimals", 20000, 14000, 0.041, 0.36, 0.96, 2.24}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        attack_all(&all[k], WARPLU_PRECISION_DOUBLE, WARPLU_SCALAR_REAL, 0.0);
}

static void chosen_bits(void)
{
    for (int32_t t = 1000; t <= 16000; t *= 4) {
        const arrow a = with_chosen_bits(t, SUMS, 53);
        attack_all(&a, WARPLU_PRECISION_DOUBLE, WARPLU_SCALAR_REAL, 1e6);
    }
}

/* Wrong by little more than is promised, so that a bound has to be near. */
static void just_wrong(void)
{
    const arrow a = with_chosen_bits(6700, 8.0 * 6700.0, 53);
    attack_all(&a, WARPLU_PRECISION_DOUBLE, WARPLU_SCALAR_REAL, 1e6);
}

static void complex_values(void)
{
    for (int32_t t = 4000; t <= 16000; t *= 4) {
        const arrow a = with_chosen_bits(t, SUMS / 4.0, 53);
        attack_all(&a, WARPLU_PRECISION_DOUBLE, WARPLU_SCALAR_COMPLEX, 1e6);
    }
}

static void floats(void)
{
    for (int32_t t = 500; t <= 1000; t *= 2) {
        const arrow a = with_chosen_bits(t, SUMS_SINGLE, 24);
        attack_all(&a, WARPLU_PRECISION_SINGLE, WARPLU_SCALAR_REAL, 1e6);
    }
}

/* Else all of the above may have been refused. */
static void there_are_answers(void)
{
    CHECK_SAY(successes > 0, "%d successes", successes);
}

int main(void)
{
    RUN(decimals);
    RUN(chosen_bits);
    RUN(just_wrong);
    RUN(complex_values);
    RUN(floats);
    RUN(there_are_answers);
    return check_done();
}
