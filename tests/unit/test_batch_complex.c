/* Batches of complex values as their users see them: members get the bits of the solver's own replays, in either
 * layout, with values or right-hand sides shared; NaN in either part harms its own member alone; weak members are
 * repaired. test_batch.c has what does not depend on the kind of numbers. */
#include <warplu/batch.h>
#include <warplu/complex.h>

#include "check.h"

#ifdef FAKE_CUDA_PATH
#include "by_emulator.h"

static by_emulator kernel;
#endif

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double _Complex number;

enum { DOUBLES = 2, COUNT = 21, NRHS = 2, N = 80, EXTRA = 8 };

/* EXECUTOR: what replays the members, of solvers of the host. */
#ifdef EXECUTOR
static const warplu_executor executors[] = {EXECUTOR};
#else
static const warplu_executor executors[] = {WARPLU_EXECUTOR_REFERENCE, WARPLU_EXECUTOR_CPU};
#endif

static uint64_t seed = 20261124;

/* A matrix and members like it; contiguous. */
typedef struct members {
    int32_t ptr[N + 1], idx[N * (EXTRA + 2)];
    int64_t nnz;
    number base[N * (EXTRA + 2)], *values, *b, *x;
} members;

static number draw(void)
{
    double re = 2.0 * check_uniform(&seed) - 1.0;
    return re + (2.0 * check_uniform(&seed) - 1.0) * I;
}

static number *room(int64_t numbers)
{
    return malloc((size_t)numbers * sizeof(number));
}

/* So many entries a column beside a diagonal of size 4 to 8, which is twice the sum of two values. */
static void make_members(members *m, int extra, int twice)
{
    m->nnz = 0;
    for (int32_t j = 0; j < N; j++) {
        m->ptr[j] = (int32_t)m->nnz;
        for (int k = 0; k <= extra + twice; k++) {
            int32_t row = k == 0 || k > extra ? j : (j + 1 + (int32_t)(check_uniform(&seed) * (N - 1))) % N, seen = 0;
            for (int64_t q = m->ptr[j]; q < m->nnz && k <= extra; q++) seen |= m->idx[q] == row;
            if (seen) continue;
            m->idx[m->nnz] = row;
            m->base[m->nnz++] = row == j ? 4.0 * (1.0 + 0.5 * I) + draw() : draw();
        }
    }
    m->ptr[N] = (int32_t)m->nnz;
    m->values = room(COUNT * m->nnz);
    m->b = room(COUNT * NRHS * N);
    m->x = room(COUNT * NRHS * N);
    for (int64_t k = 0; k < COUNT * m->nnz; k++) m->values[k] = m->base[k % m->nnz] * (1.0 + 0.1 * draw());
    for (int64_t k = 0; k < COUNT * NRHS * N; k++) m->b[k] = draw();
}

static void free_members(members *m)
{
    free(m->values);
    free(m->b);
    free(m->x);
}

static warplu_solver *make_solver(const members *m, warplu_executor executor)
{
    warplu_solver *s = NULL;
    warplu_options o;
    warplu_init_options(&o);
    o.scalar = WARPLU_SCALAR_COMPLEX;
    o.expected_refactors = 1000.0;
    o.executor = executor != WARPLU_EXECUTOR_CUDA ? executor : WARPLU_EXECUTOR_AUTO;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, N, m->ptr, m->idx, (const double *)m->base) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, (const double *)m->base) == WARPLU_SUCCESS);
    return s;
}

static warplu_batch *make_batch(const warplu_solver *s, const warplu_batch_options *o)
{
    warplu_batch *batch = NULL;
    warplu_batch_options mine;
    warplu_batch_init_options(&mine);
    if (o != NULL) mine = *o;
    if (executors[0] == WARPLU_EXECUTOR_CUDA) mine.executor = WARPLU_EXECUTOR_CUDA;
    warplu_status status = warplu_batch_create(&batch, s, COUNT, &mine);
    CHECK_SAY(status == WARPLU_SUCCESS && batch != NULL, "%s", warplu_status_name(status));
    return batch;
}

static warplu_batch_member record_of(const warplu_batch *batch, int32_t member)
{
    warplu_batch_member r;
    CHECK(warplu_batch_get_members(batch, member, 1, &r, sizeof r) == WARPLU_SUCCESS);
    return r;
}

/* to[i * COUNT + k] = from[k * length + i], or back. */
static void interleave(int64_t length, const number *from, number *to, int back)
{
    for (int64_t k = 0; k < COUNT; k++)
        for (int64_t i = 0; i < length; i++)
            to[back ? k * length + i : i * COUNT + k] = from[back ? i * COUNT + k : k * length + i];
}

/* The error of a right-hand side's equations as wholes: the largest of |r| / (max|a| max|x| + |b|), by row. */
static double error_of(const members *m, const number *values, int transposed, const number *b, const number *x)
{
    number r[N];
    double largest[N] = {0}, unknown = 0.0, worst = 0.0;
    for (int32_t i = 0; i < N; i++) r[i] = b[i];
    for (int32_t i = 0; i < N; i++) unknown = fmax(unknown, cabs(x[i]));
    for (int32_t j = 0; j < N; j++)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            int32_t row = transposed ? j : m->idx[q], column = transposed ? m->idx[q] : j;
            r[row] -= values[q] * x[column];
            largest[row] = fmax(largest[row], cabs(values[q]));
        }
    for (int32_t i = 0; i < N; i++) {
        double error = cabs(r[i]) / (largest[i] * unknown + cabs(b[i]));
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

/* Member k has an accurate x; that of the solver alone, where both are plain replays: to the signs of zeros, where it
 * was not checked. */
static void check_member(warplu_solver *s, const warplu_batch *batch, const members *m, int32_t k, const number *values,
                         const number *b, int transposed)
{
    number x[NRHS * N];
    warplu_batch_member r = record_of(batch, k);
    warplu_status factored = warplu_refactor(s, (const double *)values);
    warplu_status solved =
        (transposed ? warplu_solve_transposed : warplu_solve)(s, NRHS, (const double *)b, N, (double *)x, N);
    const number *mine = m->x + (int64_t)k * NRHS * N;
    CHECK_SAY(r.status == WARPLU_SUCCESS, "member %d: %s", k, warplu_status_name(r.status));
    for (int c = 0; c < NRHS; c++) {
        double error = error_of(m, values, transposed, b + c * N, mine + c * N);
        CHECK_SAY(error <= 1e-14, "member %d, column %d: error %g", k, c, error);
    }
    int same = r.backward_error == -1.0 ? memcmp(x, mine, sizeof x) == 0 : 1;
    for (int i = 0; i < NRHS * N; i++) same &= x[i] == mine[i];
    if (factored == WARPLU_SUCCESS && solved == WARPLU_SUCCESS && r.way == WARPLU_BATCH_REPLAYED)
        CHECK_SAY(same, "member %d has another solution than the solver", k);
    else
        CHECK_SAY(0, "member %d: way %d, alone %s", k, (int)r.way, warplu_status_name(solved));
}

static void run_layouts(const members *m, warplu_executor executor, int transposed, int shared_values, int shared_rhs)
{
    const int64_t sides = NRHS * N;
    number *values = room(COUNT * m->nnz), *b = room(COUNT * sides), *x = room(COUNT * sides),
           *back = room(COUNT * sides);
    warplu_solver *s = make_solver(m, executor);
    warplu_batch_options o;
    warplu_batch_init_options(&o);
    o.shared_values = shared_values;
    o.shared_rhs = shared_rhs;
    o.threads = 2;
    warplu_batch *batch = make_batch(s, &o);
    warplu_batch_statistics told = {.size = sizeof told};
    CHECK(warplu_batch_get_statistics(batch, &told) == WARPLU_SUCCESS);
    CHECK(told.one_by_one == (executor == WARPLU_EXECUTOR_REFERENCE));
    CHECK(warplu_batch_refactor_solve(batch, (const double *)m->values, NULL, transposed, NRHS, (const double *)m->b,
                                      (double *)m->x) == WARPLU_SUCCESS);
    for (int32_t k = 0; k < COUNT; k++)
        check_member(s, batch, m, k, m->values + (shared_values ? 0 : k * m->nnz), m->b + (shared_rhs ? 0 : k * sides),
                     transposed);
    warplu_batch_destroy(&batch);
    o.layout = WARPLU_BATCH_INTERLEAVED;
    batch = make_batch(s, &o);
    interleave(m->nnz, m->values, values, 0);
    interleave(sides, m->b, b, 0);
    CHECK(warplu_batch_refactor_solve(batch, (const double *)(shared_values ? m->values : values), NULL, transposed,
                                      NRHS, (const double *)(shared_rhs ? m->b : b), (double *)x) == WARPLU_SUCCESS);
    interleave(sides, x, back, 1);
    CHECK(memcmp(back, m->x, (size_t)(COUNT * sides) * sizeof *x) == 0);
    warplu_batch_destroy(&batch);
    warplu_destroy(&s);
    free(values);
    free(b);
    free(x);
    free(back);
}

static void members_get_the_bits_of_a_solver(void)
{
    for (size_t e = 0; e < sizeof executors / sizeof *executors; e++)
        for (int twice = 0; twice < 2; twice++) {
            members m;
            make_members(&m, twice ? EXTRA : 2, twice);
            for (int kind = 0; kind < 4; kind++)
                if (check_due()) run_layouts(&m, executors[e], kind == 1, kind == 2, kind == 3);
            free_members(&m);
        }
}

/* Zeros in place of one part, and of half the right-hand sides' numbers. */
static void empty(number *x, int64_t count, int part, int half)
{
    for (int64_t k = 0; k < count; k++) {
        ((double *)(x + k))[part] = 0.0;
        if (half && check_uniform(&seed) < 0.5) x[k] = 0.0;
    }
}

static void zeros_have_the_same_signs(void)
{
    for (int parts = 0; parts < DOUBLES * DOUBLES; parts++) {
        members m;
        if (parts > 0 && !check_due()) continue;
        make_members(&m, EXTRA, 0);
        empty(m.base, m.nnz, parts / DOUBLES, 0);
        empty(m.values, COUNT * m.nnz, parts / DOUBLES, 0);
        empty(m.b, COUNT * NRHS * N, parts % DOUBLES, 1);
        const size_t bytes = COUNT * NRHS * N * sizeof(number);
        number *first = room(COUNT * NRHS * N);
        for (int transposed = 0; transposed < 2; transposed++)
            for (size_t e = 0; e < sizeof executors / sizeof *executors; e++) {
                run_layouts(&m, executors[e], transposed, 0, 0);
                if (e == 0) memcpy(first, m.x, bytes);
                CHECK_SAY(memcmp(first, m.x, bytes) == 0, "parts %d, executor %d", parts, (int)executors[e]);
            }
        free(first);
        free_members(&m);
    }
}

/* Kept factors, of members that take part: the others keep theirs, and their x. */
static void run_kept(const members *m, warplu_executor executor)
{
    const int64_t sides = NRHS * N;
    unsigned char mask[COUNT];
    warplu_solver *s = make_solver(m, executor);
    warplu_batch_options o;
    warplu_batch_init_options(&o);
    o.keep_factors = 1;
    warplu_batch *batch = make_batch(s, &o);
    number *others = room(COUNT * m->nnz);
    for (int64_t k = 0; k < COUNT * m->nnz; k++) others[k] = m->base[k % m->nnz] * (1.0 + 0.2 * draw());
    for (int32_t k = 0; k < COUNT; k++) mask[k] = k % 3 == 0;
    CHECK(warplu_batch_refactor(batch, (const double *)m->values, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_batch_refactor(batch, (const double *)others, mask) == WARPLU_SUCCESS);
    for (int transposed = 0; transposed < 2; transposed++) {
        for (int64_t k = 0; k < COUNT * sides; k++) m->x[k] = 7.0;
        for (int32_t k = 0; k < COUNT; k++) mask[k] = k % 5 != 0;
        CHECK(warplu_batch_solve(batch, mask, transposed, NRHS, (const double *)m->b, (double *)m->x) ==
              WARPLU_SUCCESS);
        for (int32_t k = 0; k < COUNT; k++) {
            const number *values = (k % 3 == 0 ? others : m->values) + k * m->nnz;
            if (mask[k])
                check_member(s, batch, m, k, values, m->b + k * sides, transposed);
            else
                for (int64_t i = 0; i < sides; i++) CHECK(m->x[k * sides + i] == 7.0);
        }
    }
    warplu_batch_destroy(&batch);
    warplu_destroy(&s);
    free(others);
}

static void kept_factors_are_solved_by(void)
{
    for (size_t e = 0; e < sizeof executors / sizeof *executors; e++) {
        members m;
        make_members(&m, EXTRA, 1);
        run_kept(&m, executors[e]);
        free_members(&m);
    }
}

/* A NaN, or an infinity, in one part of a member's numbers. */
static void run_not_finite(const members *m, warplu_executor executor, int32_t k, int part, int in_values, double bad)
{
    const int64_t sides = NRHS * N;
    double *at = (double *)(in_values ? m->values + k * m->nnz + 5 : m->b + k * sides + 3) + part, before = *at;
    warplu_solver *s = make_solver(m, executor);
    warplu_batch *batch = make_batch(s, NULL);
    *at = bad;
    CHECK(warplu_batch_refactor_solve(batch, (const double *)m->values, NULL, 0, NRHS, (const double *)m->b,
                                      (double *)m->x) == WARPLU_MEMBERS_FAILED);
    *at = before;
    for (int32_t i = 0; i < COUNT; i++) {
        if (i != k)
            check_member(s, batch, m, i, m->values + i * m->nnz, m->b + i * sides, 0);
        else
            CHECK_SAY(record_of(batch, i).status == WARPLU_NOT_FINITE, "part %d of %s: %s", part,
                      in_values ? "a value" : "a right-hand side", warplu_status_name(record_of(batch, i).status));
    }
    for (int64_t i = 0; i < sides && in_values; i++)
        CHECK(isnan(creal(m->x[k * sides + i])) && isnan(cimag(m->x[k * sides + i])));
    warplu_batch_destroy(&batch);
    warplu_destroy(&s);
}

static void what_is_not_finite_harms_its_member_alone(void)
{
    for (size_t e = 0; e < sizeof executors / sizeof *executors; e++) {
        members m;
        make_members(&m, 2, 0);
        for (int part = 0; part < DOUBLES; part++)
            for (int in_values = 0; in_values < 2; in_values++) {
                if (check_due()) run_not_finite(&m, executors[e], 7 + part, part, in_values, (double)NAN);
                if (check_due()) run_not_finite(&m, executors[e], 7 + part, part, in_values, (double)INFINITY);
            }
        free_members(&m);
    }
}

/* Diagonals that are nearly zero: other pivots have to serve. */
static void run_weak(members *m, warplu_executor executor, warplu_batch_layout layout)
{
    const int64_t sides = NRHS * N;
    number *values = room(COUNT * m->nnz), *b = room(COUNT * sides), *x = room(COUNT * sides);
    warplu_solver *s = make_solver(m, executor);
    warplu_batch_options o;
    warplu_batch_init_options(&o);
    o.layout = layout;
    warplu_batch *batch = make_batch(s, &o);
    int side = layout == WARPLU_BATCH_INTERLEAVED, repaired = 0;
    memcpy(values, m->values, (size_t)(COUNT * m->nnz) * sizeof *values);
    memcpy(b, m->b, (size_t)(COUNT * sides) * sizeof *b);
    if (side) interleave(m->nnz, m->values, values, 0);
    if (side) interleave(sides, m->b, b, 0);
    for (int call = 0; call < 2; call++) {
        CHECK(warplu_batch_refactor_solve(batch, (const double *)values, NULL, 0, NRHS, (const double *)b,
                                          (double *)x) == WARPLU_SUCCESS);
        if (side)
            interleave(sides, x, m->x, 1);
        else
            memcpy(m->x, x, (size_t)(COUNT * sides) * sizeof *x);
        for (int32_t k = 0; k < COUNT; k++) {
            for (int c = 0; c < NRHS; c++) {
                double error =
                    error_of(m, m->values + k * m->nnz, 0, m->b + k * sides + c * N, m->x + k * sides + c * N);
                CHECK_SAY(error <= 1e-10, "member %d, column %d: error %g", k, c, error);
            }
            warplu_batch_way way = record_of(batch, k).way;
            repaired += way == WARPLU_BATCH_OTHER_PROGRAM || way == WARPLU_BATCH_OWN_SOLVER;
        }
    }
    CHECK_SAY(repaired > 0, "no member was repaired");
    warplu_batch_destroy(&batch);
    warplu_destroy(&s);
    free(values);
    free(b);
    free(x);
}

static void weak_members_are_repaired(void)
{
    for (size_t e = 0; e < sizeof executors / sizeof *executors; e++) {
        members m;
        make_members(&m, 2, 0);
        for (int32_t k = 0; k < COUNT; k += 4)
            for (int32_t j = 0; j < N; j++)
                if ((j + k) % 3 == 0) m.values[k * m.nnz + m.ptr[j]] *= 1e-15 * I;
        run_weak(&m, executors[e], WARPLU_BATCH_CONTIGUOUS);
        run_weak(&m, executors[e], WARPLU_BATCH_INTERLEAVED);
        free_members(&m);
    }
}

#ifdef FAKE_CUDA_PATH
static void the_device_has_replayed(void)
{
    CHECK(kernel.wrong == 0 && by_emulator_tell_complex_batches(&kernel) == 0);
}
#endif

/* No device, or this build leaves it out. */
static int is_missing(void)
{
    warplu_solver *s = NULL;
    warplu_options o;
    warplu_init_options(&o);
    o.executor = executors[0];
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
    RUN(members_get_the_bits_of_a_solver);
    RUN(zeros_have_the_same_signs);
    RUN(kept_factors_are_solved_by);
    RUN(what_is_not_finite_harms_its_member_alone);
    RUN(weak_members_are_repaired);
#ifdef FAKE_CUDA_PATH
    RUN(the_device_has_replayed);
#endif
    return check_done();
}
