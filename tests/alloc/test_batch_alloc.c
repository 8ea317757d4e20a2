/* Memory that runs out in the life of a batch: the k-th allocation fails, for every k, alone or with all that follow it
 * until a call has failed. Or the caller cancels, the k-th time that the question comes. Each call succeeds all the
 * same, or it or some of its members answer WARPLU_OUT_OF_MEMORY, or it answers WARPLU_CANCELLED; no success is wrong,
 * kept factors are those of the last refactorization or there are none, the call works when tried again, and nothing
 * leaks. Where no member has to be repaired, calls allocate nothing. */
#include <warplu/batch.h>

#include "check.h"

#include "support/build.h"
#include "support/dense.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 3, N = 2 * BLOCKS, MEMBERS = 12, NRHS = 2, SETS = 4, K_MAX = 5000 };

/* Sets of all members' values, contiguous, and right-hand sides; as calls have them. Complex values are the real ones
 * times a number, so that solutions times that number are those of the real ones. */
typedef struct subject {
    test_matrix m;
    double *values[SETS], b[MEMBERS * NRHS * N];
    double *given[SETS], given_b[2 * MEMBERS * NRHS * N];
    int complex;
} subject;

enum { TURNED = -2 }; /* the imaginary part of that number; the real part is 1 */

/* Blocks [1 1; 1 2], each coupled to the next; `turned` are [1e-16 1; 1 2], which other pivots suit. */
static void put_values(const test_matrix *m, double *values, unsigned turned, double scale)
{
    for (int32_t j = 0; j < N; j++)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            int32_t i = m->idx[q];
            double v = i / 2 != j / 2 ? 0.25 : i == j && i % 2 ? 2.0 : 1.0;
            values[q] = scale * (i == j && i % 2 == 0 && (turned >> (j / 2) & 1) ? 1e-16 : v);
        }
}

/* Set 0: all are alike. 1: some are turned, in two ways. 2: others are, each in its own way, and one is singular.
 * 3: the same in other ways. */
static void make_subject(subject *u, int complex)
{
    const int doubles = complex ? 2 : 1;
    double dense[N * N] = {0};
    uint64_t seed = 3;
    for (int32_t j = 0; j < N; j++)
        for (int32_t i = 0; i < N; i++) dense[j * N + i] = i / 2 == j / 2 || i / 2 + 1 == j / 2;
    test_matrix_from_dense(&u->m, N, dense);
    for (int set = 0; set < SETS; set++) {
        u->values[set] = malloc(MEMBERS * (size_t)u->m.nnz * sizeof(double));
        for (int32_t k = 0; k < MEMBERS; k++) {
            unsigned turned = set == 0 ? 0 : set == 1 ? (k % 3 == 0 ? 1 : k % 3 == 1 ? 6 : 0) : (unsigned)(k + set) % 8;
            put_values(&u->m, u->values[set] + k * u->m.nnz, turned, 1.0 + 0.01 * k + set);
        }
    }
    memset(u->values[2] + 4 * u->m.nnz, 0, (size_t)u->m.nnz * sizeof(double));
    for (int32_t k = 0; k < MEMBERS * NRHS * N; k++) u->b[k] = check_uniform(&seed) + 0.5;
    u->complex = complex;
    memset(u->given_b, 0, sizeof u->given_b);
    for (int32_t k = 0; k < MEMBERS * NRHS * N; k++) u->given_b[doubles * k] = u->b[k];
    for (int set = 0; set < SETS; set++) {
        int32_t count = MEMBERS * u->m.nnz;
        u->given[set] = malloc((size_t)(doubles * count) * sizeof(double));
        for (int32_t k = 0; k < doubles * count; k++)
            u->given[set][k] = u->values[set][k / doubles] * (k % doubles == 0 ? 1.0 : TURNED);
    }
    put_values(&u->m, u->m.x, 0, 1.0);
}

static void free_subject(subject *u)
{
    for (int set = 0; set < SETS; set++) {
        free(u->values[set]);
        free(u->given[set]);
    }
    test_matrix_free(&u->m);
}

typedef enum step_kind { MAKE, FACTOR, REFACTOR, SOLVE, SOLVE_TRANSPOSED, BOTH, BOTH_TRANSPOSED } step_kind;

typedef struct turn {
    step_kind step;
    int set, failing; /* members that have no answer where no allocation fails */
} turn;

static const turn turns[] = {
    {MAKE, 0, 0},
    {REFACTOR, 0, 0},
    {SOLVE, 0, 0},
    {SOLVE_TRANSPOSED, 0, 0},
    {REFACTOR, 1, 0},
    {SOLVE, 1, 0},
    {BOTH, 2, 1},
    {SOLVE, 1, 0},
    {REFACTOR, 2, 1},
    {SOLVE, 2, 1},
    {REFACTOR, 3, 0},
    {SOLVE, 3, 0},
    {FACTOR, 1, 0},
    {BOTH, 1, 0},
    {BOTH_TRANSPOSED, 2, 1},
    {REFACTOR, 1, 0},
    {SOLVE_TRANSPOSED, 1, 0},
    {REFACTOR, 0, 0},
    {SOLVE, 0, 0},
};

enum { TURNS = sizeof turns / sizeof *turns };

/* What stops a call. */
typedef enum stop_kind { ONE_ALLOCATION, ALL_ALLOCATIONS, THE_CALLER } stop_kind;

typedef struct session {
    const subject *on;
    stop_kind by;
    int64_t polls, cancel_at;
    test_allocator memory;
    warplu_options options;
    warplu_solver *solver;
    warplu_batch *batch;
    double x[MEMBERS * NRHS * N], found[2 * MEMBERS * NRHS * N]; /* of the real values; what calls give */
    int64_t k;
} session;

static int cancel(void *user)
{
    session *s = user;
    return ++s->polls == s->cancel_at;
}

/* The solver has memory: it is the batch's that runs out. */
static void open_session(session *s, const subject *on, stop_kind by, int pivoted)
{
    const test_matrix *m = &on->m;
    *s = (session){.on = on, .by = by};
    check_init_options(&s->options);
    s->options.ordering = WARPLU_ORDERING_NATURAL;
    s->options.btf = 0;
    if (on->complex) s->options.scalar = WARPLU_SCALAR_COMPLEX;
    test_use_allocator(&s->options, &s->memory);
    s->options.cancel = cancel;
    s->options.cancel_user = s;
    CHECK(warplu_create(&s->solver, &s->options) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s->solver, N, m->ptr, m->idx, on->given[0]) == WARPLU_SUCCESS);
    if (pivoted) CHECK(warplu_factor(s->solver, on->given[0]) == WARPLU_SUCCESS);
    s->memory.calls = s->polls = 0;
}

static void close_session(session *s)
{
    warplu_batch_destroy(&s->batch);
    warplu_destroy(&s->solver);
    CHECK_SAY(s->memory.alive == 0, "stop %lld: %lld blocks leak", (long long)s->k, (long long)s->memory.alive);
}

/* Whether members that are a success have answers for this set of values. Returns how many are not. */
static int check_members(const session *s, const turn *t, int solved)
{
    int failed = 0, transposed = t->step == SOLVE_TRANSPOSED || t->step == BOTH_TRANSPOSED;
    for (int32_t k = 0; k < MEMBERS; k++) {
        warplu_batch_member r;
        test_matrix of = s->on->m;
        CHECK(warplu_batch_get_members(s->batch, k, 1, &r, sizeof r) == WARPLU_SUCCESS);
        failed += r.status != WARPLU_SUCCESS;
        if (!solved) continue;
        of.x = s->on->values[t->set] + k * of.nnz;
        double *dense = test_matrix_dense(&of);
        for (int32_t c = 0; c < NRHS; c++) {
            const double *b = s->on->b + (k * NRHS + c) * N, *x = s->x + (k * NRHS + c) * N;
            double error = r.status == WARPLU_SUCCESS ? test_dense_backward_error(N, dense, transposed, b, x) : 0.0;
            CHECK_SAY(error <= 1e-10, "stop %lld, turn %d, member %d: %g", (long long)s->k, (int)(t - turns), k, error);
            CHECK(r.status >= 0 || isnan(x[0]));
        }
        free(dense);
    }
    return failed;
}

static warplu_status call(session *s, const turn *t)
{
    warplu_batch_options o;
    const double *values = s->on->given[t->set], *b = s->on->given_b;
    switch (t->step) {
    case MAKE:
        warplu_batch_init_options(&o);
        o.keep_factors = 1;
        return warplu_batch_create(&s->batch, s->solver, MEMBERS, &o);
    case FACTOR: return warplu_batch_factor(s->batch, values);
    case REFACTOR: return warplu_batch_refactor(s->batch, values, NULL);
    case SOLVE:
    case SOLVE_TRANSPOSED: return warplu_batch_solve(s->batch, NULL, t->step == SOLVE_TRANSPOSED, NRHS, b, s->found);
    case BOTH:
    case BOTH_TRANSPOSED: break;
    }
    return warplu_batch_refactor_solve(s->batch, values, NULL, t->step == BOTH_TRANSPOSED, NRHS, b, s->found);
}

static warplu_status take_step(session *s, const turn *t)
{
    memset(s->found, 0, sizeof s->found);
    warplu_status status = call(s, t);
    for (int32_t k = 0; k < MEMBERS * NRHS * N; k++)
        s->x[k] = s->on->complex ? s->found[2 * k] - TURNED * s->found[2 * k + 1] : s->found[k];
    return status;
}

/* After a refactorization that failed, kept factors are those of its values, or none. */
static void check_kept(session *s, const turn *t)
{
    const turn look = {SOLVE, t->set, 0};
    if (t->step != REFACTOR) return;
    if (take_step(s, &look) != WARPLU_WRONG_PHASE) (void)check_members(s, &look, 1);
}

/* Whether the call that took these allocations or questions was stopped, if it noticed. */
static int was_stopped(const session *s, int64_t before)
{
    if (s->by == THE_CALLER) return before < s->k && s->polls >= s->k;
    return s->memory.fail_at > 0 && s->memory.calls >= s->k && (before < s->k || s->memory.lasting);
}

static void take_turn(session *s, const turn *t)
{
    int64_t before = s->by == THE_CALLER ? s->polls : s->memory.calls;
    warplu_status stopped = s->by == THE_CALLER ? WARPLU_CANCELLED : WARPLU_OUT_OF_MEMORY;
    warplu_status status = take_step(s, t);
    int solves = t->step >= SOLVE;
    int failed =
        s->batch != NULL && t->step >= REFACTOR && status != WARPLU_WRONG_PHASE ? check_members(s, t, solves) : 0;
    if (was_stopped(s, before) && (status < 0 || failed > t->failing)) {
        int members = status == WARPLU_MEMBERS_FAILED && s->by != THE_CALLER;
        CHECK_SAY(status == stopped || members, "%s", warplu_status_name(status));
        CHECK((t->step == MAKE) == (s->batch == NULL));
        s->memory.fail_at = 0;
        check_kept(s, t);
        status = take_step(s, t);
        failed = t->step >= REFACTOR ? check_members(s, t, solves) : 0;
    }
    warplu_status expected = t->failing > 0 ? WARPLU_MEMBERS_FAILED : WARPLU_SUCCESS;
    CHECK_SAY(status == expected && failed == t->failing,
              "stop %lld of kind %d, turn %d: %s, %d members have no answer: %s", (long long)s->k, (int)s->by,
              (int)(t - turns), warplu_status_name(status), failed, warplu_batch_get_message(s->batch));
}

/* One life; 0 if it has fewer allocations than k. */
static int live(const subject *on, int64_t k, stop_kind by, int pivoted)
{
    session s;
    open_session(&s, on, by, pivoted);
    s.k = k;
    *(by == THE_CALLER ? &s.cancel_at : &s.memory.fail_at) = k;
    s.memory.lasting = by == ALL_ALLOCATIONS;
    for (int t = 0; t < TURNS && (t == 0 || s.batch != NULL); t++) take_turn(&s, &turns[t]);
    int reached = (by == THE_CALLER ? s.polls : s.memory.calls) >= k;
    close_session(&s);
    return reached;
}

static void stop_everywhere(stop_kind by, int complex)
{
    for (int pivoted = 0; pivoted <= 1; pivoted++) {
        subject u;
        int64_t k = 1;
        int before = check_failures;
        make_subject(&u, complex);
        live(&u, 0, by, pivoted);
        while (k < K_MAX && (!check_due() || live(&u, k, by, pivoted)) && check_failures - before < 20) k++;
        printf("# %lld %s\n", (long long)(k - 1), by == THE_CALLER ? "questions" : "allocations");
        CHECK(k > 20 && k < K_MAX);
        free_subject(&u);
    }
}

static void any_allocation_may_fail(void)
{
    stop_everywhere(ONE_ALLOCATION, 0);
}

static void any_allocation_may_fail_of_complex_values(void)
{
    stop_everywhere(ONE_ALLOCATION, 1);
}

static void all_from_one_on_may_fail(void)
{
    stop_everywhere(ALL_ALLOCATIONS, 0);
}

static void calls_may_be_cancelled(void)
{
    stop_everywhere(THE_CALLER, 0);
}

static void calls_without_repairs_allocate_nothing(void)
{
    static const turn calls[] = {
        {REFACTOR, 0, 0}, {SOLVE, 0, 0}, {SOLVE_TRANSPOSED, 0, 0}, {BOTH, 0, 0}, {BOTH_TRANSPOSED, 0, 0}};
    for (int complex = 0; complex < 2; complex++) {
        subject u;
        session s;
        make_subject(&u, complex);
        open_session(&s, &u, ONE_ALLOCATION, 1);
        CHECK(take_step(&s, &turns[0]) == WARPLU_SUCCESS);
        for (int round = 0; round < 3; round++) {
            int64_t before = s.memory.calls;
            for (int k = 0; k < 5; k++) CHECK(take_step(&s, &calls[k]) == WARPLU_SUCCESS);
            CHECK_SAY(round == 0 || s.memory.calls == before, "%lld allocations", (long long)(s.memory.calls - before));
        }
        close_session(&s);
        free_subject(&u);
    }
}

int main(void)
{
    RUN(any_allocation_may_fail);
    RUN(any_allocation_may_fail_of_complex_values);
    RUN(all_from_one_on_may_fail);
    RUN(calls_may_be_cancelled);
    RUN(calls_without_repairs_allocate_nothing);
    return check_done();
}
