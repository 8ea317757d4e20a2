/* Memory: the k-th allocation fails for every k through lives that call every function which allocates, alone or with
 * all that follow it. Each call succeeds all the same or answers WARPLU_OUT_OF_MEMORY with a message, leaks nothing,
 * leaves what the header says stays, and works when tried again; what is computed in the end is right. Replays and
 * solves allocate nothing at all. */
#include <warplu/inspect.h>
#include <warplu/save.h>

#include "check.h"

#include "exec/cpu/image.h"

#include "solver/solver.h"
#include "solver/replay.h"
#include "support/build.h"
#include "support/dense.h"
#include "support/options.h"
#include "support/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { NMAX = 40, NRHS = 5, SETS_MAX = 4, K_MAX = 5000 };

static char folder[64], path[80];

/* ------------------------------------------------------------- matrices */

/* A pattern, sets of values for it, and what is known of each. Complex numbers are all i times the real ones, which
 * changes no modulus and no solution: A and b, which the library is given as `given` and `rhs`. */
typedef struct subject {
    test_matrix m;
    int sets, doubles; /* of a number: 1, or 2 of complex ones */
    double *values[SETS_MAX], *dense[SETS_MAX], *given[SETS_MAX];
    long double mantissa[SETS_MAX];
    int64_t exponent[SETS_MAX];
    double condition[SETS_MAX],
        skeel[SETS_MAX]; /* ||A|| ||A^-1|| in the 1-norm, || |A^-1||A| || in the largest; 0 if singular */
    double b[NRHS * NMAX], rhs[2 * NRHS * NMAX];
} subject;

static void know_conditions(subject *u, int k, const long double *inverse)
{
    int32_t n = u->m.n;
    long double of_a = 0.0L, of_inverse = 0.0L;
    for (int32_t j = 0; j < n; j++) {
        long double a = 0.0L, v = 0.0L, s = 0.0L;
        for (int32_t i = 0; i < n; i++) {
            a += fabsl((long double)u->dense[k][j * n + i]);
            v += fabsl(inverse[j * n + i]);
            for (int32_t c = 0; c < n; c++) s += fabsl(inverse[i * n + j]) * fabsl((long double)u->dense[k][c * n + i]);
        }
        of_a = fmaxl(of_a, a);
        of_inverse = fmaxl(of_inverse, v);
        u->skeel[k] = fmax(u->skeel[k], (double)s);
    }
    u->condition[k] = (double)(of_a * of_inverse);
}

static void know(subject *u)
{
    test_matrix m = u->m;
    for (int k = 0; k < u->sets; k++) {
        m.x = u->values[k];
        u->dense[k] = test_matrix_dense(&m);
        long double *inverse = test_dense_inverse(m.n, u->dense[k], &u->mantissa[k], &u->exponent[k]);
        if (inverse != NULL) know_conditions(u, k, inverse);
        free(inverse);
    }
}

static void free_subject(subject *u)
{
    for (int k = 0; k < u->sets; k++) {
        free(u->values[k]);
        free(u->given[k]);
        free(u->dense[k]);
    }
    test_matrix_free(&u->m);
}

/* v, or of complex numbers i v. */
static void give(const subject *u, const double *v, int64_t count, double *to)
{
    for (int64_t k = 0; k < count; k++) {
        to[u->doubles * k] = 0.0;
        to[u->doubles * (k + 1) - 1] = v[k];
    }
}

static void add_values(subject *u, const double *values)
{
    size_t bytes = (size_t)u->m.nnz * sizeof *values;
    u->values[u->sets] = malloc(bytes);
    u->given[u->sets] = malloc((size_t)u->doubles * bytes);
    give(u, values, u->m.nnz, u->given[u->sets]);
    memcpy(u->values[u->sets++], values, bytes);
}

/* n by n, full, with these sets of values. */
static void full(subject *u, int32_t n, int sets, const double *const values[])
{
    double *ones = malloc((size_t)n * (size_t)n * sizeof *ones);
    for (int32_t q = 0; q < n * n; q++) ones[q] = 1.0;
    test_matrix_from_dense(&u->m, n, ones);
    free(ones);
    for (int k = 0; k < sets; k++) add_values(u, values[k]);
}

enum { GOOD, POOR, OTHER, SINGULAR };

/* GOOD and POOR are each weak for the pivots of the other; OTHER is weak too, but proves itself; SINGULAR is. */
static void two_by_two(subject *u)
{
    static const double good[] = {1, 1e-16, 1, 2}, poor[] = {1e-16, 1, 1, 2}, other[] = {1, 1e7, 0, 2e7},
                        none[] = {1, 1, 1, 1};
    full(u, 2, 4, (const double *const[]){good, poor, other, none});
}

/* POOR: Wilkinson's growth at threshold 0.001, so new pivots are no better than the old. OTHER: as poor for the pivots
 * of POOR, but the threshold refuses them. */
static void wilkinson(subject *u)
{
    enum { N = 8 };
    double good[N * N], poor[N * N], other[N * N];
    for (int32_t q = 0; q < N * N; q++) {
        int32_t i = q % N, j = q / N;
        poor[q] = j == N - 1 ? 1.0 + 0.1 * i : i == j ? 1.0 : i > j ? -(900.0 + 7.0 * i + 3.0 * j) : 0.0;
        other[q] = i > j && j < N - 1 ? 1.3 * poor[q] : poor[q];
        good[q] = i == j ? 10.0 : 1.0;
    }
    full(u, N, 3, (const double *const[]){good, poor, other});
}

/* Blocks that are singular with SINGULAR, whose GOOD diagonal is strong and whose OTHER one is zero. */
static void blocks_to_settle(subject *u)
{
    enum { N = 6 };
    double dense[N * N] = {0}, values[3][N * N];
    for (int32_t j = 0; j < N; j++)
        for (int32_t i = 0; i < N; i++)
            if (i / 2 <= j / 2) dense[j * N + i] = 1.0;
    test_matrix_from_dense(&u->m, N, dense);
    for (int32_t j = 0, q = 0; j < N; j++)
        for (int32_t i = 0; i < N; i++) {
            if (dense[j * N + i] == 0.0) continue;
            int same = i / 2 == j / 2;
            values[0][q] = i == j ? 4.0 : 1.0;
            values[1][q] = !same ? 1.0 : i == j ? 1e-18 : 3.0 + j; /* weak for the pivots of GOOD */
            values[2][q++] = !same ? 0.25 : i == j ? 0.0 : 2.0 + i;
        }
    for (int k = 0; k < 3; k++) add_values(u, values[k]);
    for (int32_t q = 0; q < u->m.nnz; q++) values[0][q] = 1.0;
    add_values(u, values[0]);
}

/* ---------------------------------------------------------------- steps */

typedef enum step_kind {
    CREATE,
    ANALYZE,         /* with the values of the turn */
    ANALYZE_PATTERN, /* without */
    CHECK_PATTERN,
    FACTOR,
    REFACTOR,
    REFACTOR_8, /* as often as factors replay before they are compiled */
    GROW,
    SOLVE,
    SOLVE_TRANSPOSED,
    BACKWARD_ERROR,
    CONDITION,
    SKEEL,
    SKEEL_X,
    FORWARD_ERROR,
    FORWARD_TRANSPOSED,
    GROWTH,
    DETERMINANT,
    LIST_PIVOTS,
    DIAGONAL,
    EXTRACT,
    STATISTICS,
    SINGULARITY,
    SAVE,
    SAVE_PROGRAM,
    RESTORE,
    CLONE, /* the second solver, which takes ... */
    SWAP,  /* ... the steps from here on; no call of the library */
    STEPS
} step_kind;

/* Whether a step that fails may take factors, earlier results apart. */
static const struct {
    const char *name;
    int loses_factors;
} steps[STEPS] = {
    [CREATE] = {"create", 0},
    [ANALYZE] = {"analyze", 0},
    [ANALYZE_PATTERN] = {"analyze (pattern)", 0},
    [CHECK_PATTERN] = {"check_pattern", 0},
    [FACTOR] = {"factor", 1},
    [REFACTOR] = {"refactor", 1},
    [REFACTOR_8] = {"refactor, 8 times", 1},
    [GROW] = {"refactor by the next stage", 1},
    [SOLVE] = {"solve", 0},
    [SOLVE_TRANSPOSED] = {"solve_transposed", 0},
    [BACKWARD_ERROR] = {"backward_error", 0},
    [CONDITION] = {"estimate_condition", 0},
    [SKEEL] = {"skeel_condition", 0},
    [SKEEL_X] = {"skeel_condition of x", 0},
    [FORWARD_ERROR] = {"forward_error", 0},
    [FORWARD_TRANSPOSED] = {"forward_error, transposed", 0},
    [GROWTH] = {"pivot_growth", 0},
    [DETERMINANT] = {"determinant", 0},
    [LIST_PIVOTS] = {"list_pivots", 0},
    [DIAGONAL] = {"diagonal", 0},
    [EXTRACT] = {"extract", 0},
    [STATISTICS] = {"get_statistics", 0},
    [SINGULARITY] = {"get_singularity", 0},
    [SAVE] = {"save", 0},
    [SAVE_PROGRAM] = {"save_program", 0},
    [RESTORE] = {"restore", 0},
    [CLONE] = {"clone", 0},
    [SWAP] = {"swap", 0},
};

/* One step of a life with one set of values; the status it ends with if no allocation fails. */
typedef struct turn {
    step_kind step;
    int set;
    warplu_status status;
} turn;

typedef struct expected {
    int64_t repivots, proven, hits, compilations; /* of the solver that ends the life */
    int tiles;                                    /* 1: tiled pivots */
} expected;

typedef struct life {
    const char *name;
    void (*make)(subject *u); /* or a recipe: */
    test_recipe recipe;
    uint64_t seed;
    const turn *turns;
    int count;
    void (*choose)(warplu_options *o);
    int complex;
    expected reached;
} life;

typedef struct session {
    const life *of;
    const subject *on;
    test_allocator memory;
    warplu_options options;
    warplu_solver *solver, *other;
    int64_t k;                    /* the allocation that fails; 0: none */
    int at, other_at;             /* the set that was factored last, or -1 */
    double x[2][2 * NRHS * NMAX]; /* as the library gives them */
    warplu_status said;           /* to the message function by the call at hand */
    char text[WLU_MESSAGE_BYTES];
} session;

static void hear(warplu_status status, const char *text, void *user)
{
    session *s = user;
    s->said = status;
    snprintf(s->text, sizeof s->text, "%s", text);
}

/* ------------------------------------------------ what a question answers */

/* Every number an answer is written to; a call that fails writes nothing. */
typedef struct answer {
    double number[2]; /* complex ones are determinants alone */
    int64_t exponent;
    int32_t count;
    warplu_pivot list[NMAX];
    double u[2 * NMAX * NMAX];
} answer;

/* A complex one is i^n times the real one. */
static void check_determinant(const subject *u, int set, const double mantissa[2], int64_t exponent)
{
    int turns = u->doubles > 1 ? u->m.n % 4 : 0, part = turns % 2;
    double sign = turns > 1 ? -1.0 : 1.0;
    long double found = ldexpl((long double)(sign * mantissa[part]), (int)(exponent - u->exponent[set]));
    CHECK_SAY(fabsl(found / u->mantissa[set] - 1.0L) < 1e-6L, "determinant %g 2^%lld", mantissa[part],
              (long long)exponent);
    CHECK(u->doubles == 1 || mantissa[1 - part] == 0.0);
}

/* det A by the pivots and their scales, from the factors as arrays: independent of warplu_compute_determinant. */
static void check_product_of_pivots(session *s, const warplu_pivot *list, int32_t count)
{
    const subject *u = s->on;
    const wlu_pivots *p = wlu_solver_pivots(s->solver);
    long double product = 1.0L;
    CHECK(count == u->m.n);
    for (int32_t k = 0; k < count; k++)
        product *= ldexpl((long double)hypot(list[k].value, u->doubles > 1 ? list[k].imaginary : 0.0),
                          -p->exponent[list[k].row] - wlu_pivots_col_exponent(p, list[k].col));
    long double truth = ldexpl(u->mantissa[s->at], (int)u->exponent[s->at]);
    CHECK_SAY(fabsl(fabsl(product / truth) - 1.0L) < 1e-6L, "product of the pivots: %Lg, not %Lg", product, truth);
}

static void check_answer(session *s, step_kind step, const answer *out)
{
    const subject *u = s->on;
    double exact = step == CONDITION ? u->condition[s->at] : u->skeel[s->at];
    switch (step) {
    case BACKWARD_ERROR: CHECK_SAY(out->number[0] >= 0.0 && out->number[0] <= 1e-10, "%g", out->number[0]); break;
    case CONDITION:
    case SKEEL:
        CHECK_SAY(out->number[0] >= 0.1 * exact && out->number[0] <= 1.001 * exact, "%g, not %g", out->number[0],
                  exact);
        break;
    case SKEEL_X:
        CHECK_SAY(out->number[0] > 0.0 && out->number[0] <= 1.001 * exact, "%g of %g", out->number[0], exact);
        break;
    case FORWARD_ERROR:
    case FORWARD_TRANSPOSED: CHECK_SAY(out->number[0] > 0.0 && out->number[0] < 1e-6, "%g", out->number[0]); break;
    case GROWTH: CHECK_SAY(out->number[0] > 1e-9 && out->number[0] <= 1.0, "%g", out->number[0]); break;
    case DETERMINANT: check_determinant(u, s->at, out->number, out->exponent); break;
    case LIST_PIVOTS: check_product_of_pivots(s, out->list, out->count); break;
    default: break;
    }
}

static warplu_status ask(session *s, step_kind step, answer *out)
{
    const subject *u = s->on;
    int32_t n = u->m.n;
    const double *values = u->given[s->at], *x = s->x[step == FORWARD_TRANSPOSED];
    warplu_factors_view v = {.size = sizeof v, .Ux = out->u};
    switch (step) {
    case BACKWARD_ERROR: return warplu_compute_backward_error(s->solver, 0, values, NRHS, u->rhs, n, x, n, out->number);
    case CONDITION: return warplu_estimate_condition(s->solver, values, out->number);
    case SKEEL: return warplu_estimate_skeel_condition(s->solver, values, NULL, out->number);
    case SKEEL_X: return warplu_estimate_skeel_condition(s->solver, values, x, out->number);
    case FORWARD_ERROR:
    case FORWARD_TRANSPOSED:
        return warplu_bound_forward_error(s->solver, step == FORWARD_TRANSPOSED, values, NRHS, u->rhs, n, x, n,
                                          out->number);
    case GROWTH: return warplu_compute_pivot_growth(s->solver, values, out->number);
    case DETERMINANT: return warplu_compute_determinant(s->solver, out->number, &out->exponent);
    case LIST_PIVOTS: return warplu_list_pivots(s->solver, values, INFINITY, NMAX, out->list, &out->count);
    case DIAGONAL: return warplu_extract_diagonal(s->solver, out->u, NULL, NULL);
    default: return warplu_extract_factors(s->solver, &v);
    }
}

static warplu_status question(session *s, step_kind step)
{
    static answer out, untouched;
    memset(&out, 77, sizeof out);
    memset(&untouched, 77, sizeof untouched);
    warplu_status status = ask(s, step, &out);
    if (status < 0)
        CHECK_SAY(memcmp(&out, &untouched, sizeof out) == 0, "%s writes and fails", steps[step].name);
    else
        check_answer(s, step, &out);
    return status;
}

/* -------------------------------------------------------- taking a step */

static void check_solutions(session *s, int transposed, warplu_status status)
{
    const subject *u = s->on;
    int32_t n = u->m.n;
    for (int k = 0; k < NRHS && status != WARPLU_INACCURATE; k++) {
        double x[NMAX], omega;
        for (int32_t i = 0; i < n; i++) x[i] = s->x[transposed][u->doubles * (k * n + i)];
        omega = test_dense_backward_error(n, u->dense[s->at], transposed, u->b + k * n, x);
        CHECK_SAY(omega <= 1e-10, "%s, transposed %d, right-hand side %d: %g", s->of->name, transposed, k, omega);
    }
}

static warplu_status solve(session *s, int transposed)
{
    int32_t n = s->on->m.n;
    warplu_status status = transposed ? warplu_solve_transposed(s->solver, NRHS, s->on->rhs, n, s->x[1], n)
                                      : warplu_solve(s->solver, NRHS, s->on->rhs, n, s->x[0], n);
    if (status >= 0) check_solutions(s, transposed, status);
    return status;
}

static warplu_status refactor(session *s, int times, int set)
{
    warplu_status status = WARPLU_SUCCESS;
    s->at = -1;
    for (int k = 0; k < times && status >= 0; k++) status = warplu_refactor(s->solver, s->on->given[set]);
    if (status >= 0) s->at = set;
    return status;
}

/* The old file stands until the new one is complete. */
static warplu_status save(session *s, warplu_status (*call)(warplu_solver *solver, const char *path))
{
    char old[4] = "";
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite("old", 1, 3, file) == 3 && fclose(file) == 0);
    warplu_status status = call(s->solver, path);
    file = fopen(path, "rb");
    CHECK(file != NULL && fread(old, 1, 3, file) == 3 && fclose(file) == 0);
    CHECK_SAY((strcmp(old, "old") == 0) == (status < 0), "save: %s", warplu_status_name(status));
    return status;
}

static warplu_status look_at_statistics(session *s)
{
    warplu_statistics t = {.size = sizeof t};
    warplu_status status = warplu_get_statistics(s->solver, &t);
    CHECK(t.n == s->on->m.n && t.lu_nnz >= t.n && t.compiled == (s->solver->current.state != NULL));
    return status;
}

static warplu_status look_at_singularity(session *s)
{
    warplu_singularity g = {.size = sizeof g};
    warplu_status status = warplu_get_singularity(s->solver, &g);
    CHECK(g.status == WARPLU_SINGULAR && g.column >= 0 && g.column < s->on->m.n);
    CHECK(g.zero_row_count <= 0 && (g.dependent_row_count == -1 || g.dependent_row_count > 0)); /* -1: no memory */
    return status;
}

static warplu_status take_step(session *s, const turn *t)
{
    const test_matrix *m = &s->on->m;
    warplu_status status;
    switch (t->step) {
    case CREATE: return warplu_create(&s->solver, &s->options);
    case ANALYZE:
    case ANALYZE_PATTERN:
        status = warplu_analyze(s->solver, m->n, m->ptr, m->idx, t->step == ANALYZE ? s->on->given[t->set] : NULL);
        if (status >= 0) s->at = -1;
        return status;
    case CHECK_PATTERN: return warplu_check_pattern(s->solver, m->n, m->ptr, m->idx);
    case FACTOR:
        s->at = -1;
        status = warplu_factor(s->solver, s->on->given[t->set]);
        if (status >= 0) s->at = t->set;
        return status;
    case REFACTOR: return refactor(s, 1, t->set);
    case GROW: test_hasten_stage(s->solver); return refactor(s, 1, t->set);
    case REFACTOR_8: return refactor(s, WLU_COMPILE_AFTER, t->set);
    case SOLVE: return solve(s, 0);
    case SOLVE_TRANSPOSED: return solve(s, 1);
    case STATISTICS: return look_at_statistics(s);
    case SINGULARITY: return look_at_singularity(s);
    case SAVE: return save(s, warplu_save);
    case SAVE_PROGRAM: return save(s, warplu_save_program);
    case RESTORE:
        status = warplu_restore(s->solver, path);
        if (status >= 0) s->at = -1;
        return status;
    case CLONE: return warplu_clone(&s->other, s->solver);
    default: return question(s, t->step);
    }
}

static void swap_solvers(session *s)
{
    warplu_solver *solver = s->solver;
    int at = s->at;
    s->solver = s->other;
    s->other = solver;
    s->at = s->other_at;
    s->other_at = at;
}

/* ------------------------------------------------------- what must stay */

typedef enum level { NO_SOLVER, NO_ANALYSIS, ANALYSIS, PIVOTS, FACTORS } level;

/* What is at hand. Factors are those of the values factored last. */
static level level_of(session *s)
{
    const test_matrix *m = &s->on->m;
    int32_t position = -1;
    double mantissa[2] = {0.0};
    int64_t exponent = 0;
    if (s->solver == NULL) return NO_SOLVER;
    if (warplu_get_position(s->solver, m->idx[0], 0, &position) < 0) return NO_ANALYSIS;
    CHECK(position == 0);
    if (warplu_compute_determinant(s->solver, mantissa, &exponent) < 0)
        return wlu_solver_pivots(s->solver) ? PIVOTS : ANALYSIS;
    CHECK_SAY(s->at >= 0, "factors of nothing that was a success");
    if (s->at >= 0) check_determinant(s->on, s->at, mantissa, exponent);
    return FACTORS;
}

/* A call that failed for want of memory. */
static void check_failure(session *s, const turn *t, level before, const wlu_pivots *pivots, int64_t alive)
{
    CHECK_SAY(s->said == WARPLU_OUT_OF_MEMORY && strstr(s->text, "memory") != NULL, "%s: %s, '%s'", steps[t->step].name,
              warplu_status_name(s->said), s->text);
    level allowed = before == FACTORS && steps[t->step].loses_factors ? PIVOTS : before, after = level_of(s);
    int factors = t->step == FACTOR || t->step == REFACTOR || t->step == REFACTOR_8 || t->step == GROW;
    if (factors && before == ANALYSIS && after == PIVOTS) allowed = PIVOTS; /* found, but not compiled */
    CHECK_SAY(after == allowed, "%s, %s: level %d, after it failed %d", s->of->name, steps[t->step].name, before,
              after);
    if (t->step == CLONE) CHECK(s->other == NULL);
    if (factors) {
        CHECK(t->step == FACTOR || before == ANALYSIS || wlu_solver_pivots(s->solver) == pivots);
        return;
    }
    if (t->step != SOLVE_TRANSPOSED && t->step != SAVE_PROGRAM) /* what they have compiled stays */
        CHECK_SAY(s->memory.alive == alive, "%s: %lld blocks leak", steps[t->step].name,
                  (long long)(s->memory.alive - alive));
    if (t->step > CREATE) CHECK(wlu_solver_pivots(s->solver) == pivots);
}

/* What a step may answer once an allocation has failed in its life: programs not compiled then come later, pivots not
 * found are found again, solves that cannot pivot again have the best x there is. */
static int is_allowed(const session *s, const turn *t, warplu_status status)
{
    if (status == t->status) return 1;
    if (s->k == 0 || s->memory.calls < s->k || s->of->reached.repivots == 0) return 0;
    if (status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED)
        return t->step >= REFACTOR && t->step <= SOLVE_TRANSPOSED;
    return status == WARPLU_INACCURATE && (t->step == SOLVE || t->step == SOLVE_TRANSPOSED) && s->memory.fail_at > 0;
}

static void take_turn(session *s, const turn *t)
{
    if (t->step == SWAP) {
        swap_solvers(s);
        return;
    }
    int64_t k = s->memory.fail_at;
    s->memory.fail_at = 0;
    level before = level_of(s);
    s->memory.fail_at = k;
    const wlu_pivots *pivots = s->solver != NULL ? wlu_solver_pivots(s->solver) : NULL;
    int64_t alive = s->memory.alive, calls = s->memory.calls;
    char earlier[WLU_MESSAGE_BYTES];
    snprintf(earlier, sizeof earlier, "%s", warplu_get_message(s->solver));
    s->said = WARPLU_SUCCESS;
    warplu_status status = take_step(s, t);
    if (status == WARPLU_SUCCESS) CHECK(strcmp(earlier, warplu_get_message(s->solver)) == 0);
    int short_of_memory = k > 0 && s->memory.calls >= k && calls < k;
    if (s->memory.lasting) short_of_memory = k > 0 && s->memory.calls > calls && s->memory.calls >= k;
    if (status == WARPLU_OUT_OF_MEMORY) {
        CHECK_SAY(short_of_memory, "%s, %s: out of memory, and none failed", s->of->name, steps[t->step].name);
        if (s->memory.lasting) {
            status = take_step(s, t);
            int found = t->step == REFACTOR && before == ANALYSIS && status >= 0; /* pivots, which now replay */
            CHECK_SAY(status == WARPLU_OUT_OF_MEMORY || found, "%s, %s, again without memory: %s", s->of->name,
                      steps[t->step].name, warplu_status_name(status));
        }
        s->memory.fail_at = 0;
        if (status < 0) check_failure(s, t, before, pivots, alive);
        s->said = WARPLU_SUCCESS;
        status = take_step(s, t);
    }
    CHECK_SAY(is_allowed(s, t, status), "%s, allocation %lld%s, %s: %s (%s)", s->of->name, (long long)s->k,
              s->memory.lasting ? " and on" : "", steps[t->step].name, warplu_status_name(status), s->text);
    if (status == WARPLU_INACCURATE) /* of several right-hand sides */
        CHECK(s->said == WARPLU_INACCURATE || s->said == WARPLU_REPIVOTED);
    else if (status != WARPLU_SUCCESS)
        CHECK_SAY(s->said == status && strcmp(s->text, warplu_get_message(s->solver)) == 0, "%s: %s, said %s",
                  steps[t->step].name, warplu_status_name(status), warplu_status_name(s->said));
    else
        CHECK_SAY(s->said == WARPLU_SUCCESS, "%s is a success and says %s: %s", steps[t->step].name,
                  warplu_status_name(s->said), s->text);
}

/* ---------------------------------------------------------------- lives */

#define OK WARPLU_SUCCESS
#define QUESTIONS \
    {BACKWARD_ERROR, GOOD, OK}, {CONDITION, GOOD, OK}, {SKEEL, GOOD, OK}, {SKEEL_X, GOOD, OK}, \
        {FORWARD_ERROR, GOOD, OK}, {FORWARD_TRANSPOSED, GOOD, OK}, {GROWTH, GOOD, OK}, {DETERMINANT, GOOD, OK}, \
        {LIST_PIVOTS, GOOD, OK}, {DIAGONAL, GOOD, OK}, {EXTRACT, GOOD, OK}, \
    { \
        STATISTICS, GOOD, OK \
    }

/* All of the API but what weak values bring. */
static const turn whole[] = {
    {CREATE, GOOD, OK},
    {ANALYZE, GOOD, OK},
    {CHECK_PATTERN, GOOD, OK},
    {CLONE, GOOD, OK}, /* of an analysis alone */
    {SWAP, GOOD, OK},
    {FACTOR, GOOD, OK},
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    QUESTIONS,
    {REFACTOR, GOOD, OK},
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    {SAVE, GOOD, OK},
    {ANALYZE_PATTERN, GOOD, OK}, /* replaces all of it */
    {SAVE, GOOD, OK},            /* without pivots */
    {FACTOR, GOOD, OK},
    {RESTORE, GOOD, OK},
    {REFACTOR, GOOD, OK}, /* factors */
    {SAVE, GOOD, OK},
    {RESTORE, GOOD, OK},
    {REFACTOR, GOOD, OK}, /* compiles */
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    QUESTIONS,
    {SAVE_PROGRAM, GOOD, OK},
    {RESTORE, GOOD, OK},
    {REFACTOR, GOOD, OK}, /* replays */
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
};

/* The same where nothing is compiled until replays have come. */
static const turn lazy[] = {
    {CREATE, GOOD, OK},
    {ANALYZE, GOOD, OK},
    {FACTOR, GOOD, OK},
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    QUESTIONS,
    {REFACTOR_8, GOOD, OK},
    {SOLVE, GOOD, OK},
    {REFACTOR, GOOD, OK}, /* compiles */
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    QUESTIONS,
};

/* Each stage, among clones and restored solvers; without memory for it the solver goes on with what it has. */
static const turn growing[] = {
    {CREATE, GOOD, OK},
    {ANALYZE, GOOD, OK},
    {FACTOR, GOOD, OK},
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    {GROW, GOOD, OK}, /* a program */
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    {GROW, GOOD, OK}, /* another order */
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    QUESTIONS,
    {CLONE, GOOD, OK},
    {SWAP, GOOD, OK},
    {GROW, GOOD, OK},
    {GROW, GOOD, OK},
    {SOLVE, GOOD, OK},
    {SWAP, GOOD, OK},
    {SOLVE, GOOD, OK},
    {SAVE, GOOD, OK},
    {RESTORE, GOOD, OK},
    {REFACTOR, GOOD, OK},
    {SAVE_PROGRAM, GOOD, OK}, /* of factors by column, which stay */
    {SOLVE, GOOD, OK},
    {GROW, GOOD, OK},
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    {GROW, GOOD, OK},
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
};

static const turn weak[] = {
    {CREATE, GOOD, OK},
    {ANALYZE_PATTERN, GOOD, OK},
    {FACTOR, GOOD, OK},
    {REFACTOR, GOOD, OK},
    {REFACTOR, OTHER, OK}, /* proves itself */
    {SOLVE, GOOD, OK},
    {REFACTOR, POOR, WARPLU_REPIVOTED},
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    QUESTIONS,
    {REFACTOR_8, POOR, OK},
    {REFACTOR, POOR, OK}, /* compiles */
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    {REFACTOR, GOOD, OK}, /* the earlier program */
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    {REFACTOR, POOR, OK}, /* and back */
    {SOLVE, GOOD, OK},
    {CLONE, GOOD, OK},
    {FACTOR, GOOD, OK}, /* pivots as before: its program too */
    {SOLVE, GOOD, OK},
    {SWAP, GOOD, OK},
    {REFACTOR, GOOD, WARPLU_REPIVOTED}, /* a clone has no earlier ones */
    {SOLVE, GOOD, OK},
    {SWAP, GOOD, OK},
    {SOLVE, GOOD, OK},
    QUESTIONS,
};

/* Pivots that come back before they are compiled, then are, and give way unasked. */
static const turn in_turn[] = {
    {CREATE, GOOD, OK},
    {ANALYZE_PATTERN, GOOD, OK},
    {FACTOR, GOOD, OK},
    {REFACTOR, GOOD, OK},
    {REFACTOR, POOR, WARPLU_REPIVOTED},
    {SOLVE, GOOD, OK},
    {REFACTOR, GOOD, OK},
    {SOLVE, GOOD, OK},
    {CLONE, GOOD, OK},
    {REFACTOR, POOR, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    {REFACTOR, GOOD, OK}, /* compiles */
    {SOLVE, GOOD, OK},
    {REFACTOR, POOR, OK}, /* compiles */
    {SOLVE, GOOD, OK},
    {REFACTOR, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    {REFACTOR, POOR, OK},
    {SOLVE, GOOD, OK},
    {SWAP, GOOD, OK},
    {REFACTOR, GOOD, OK},
    {SOLVE, GOOD, OK},
    {SWAP, GOOD, OK},
};

/* A clone of pivots that nobody has compiled, and its source. */
static const turn cloned[] = {
    {CREATE, GOOD, OK},
    {ANALYZE, GOOD, OK},
    {FACTOR, GOOD, OK},
    {CLONE, GOOD, OK},
    {SWAP, GOOD, OK},
    {REFACTOR, GOOD, OK}, /* compiles, for both */
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    {SWAP, GOOD, OK},
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
    {REFACTOR_8, GOOD, OK},
    {REFACTOR, GOOD, OK},
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
};

static const turn singular[] = {
    {CREATE, GOOD, OK},
    {ANALYZE, SINGULAR, OK},
    {FACTOR, SINGULAR, WARPLU_SINGULAR},
    {SINGULARITY, GOOD, OK},
    {FACTOR, GOOD, OK}, /* analyzed again */
    {SOLVE, GOOD, OK},
    {REFACTOR, SINGULAR, WARPLU_SINGULAR},
    {SINGULARITY, GOOD, OK},
    {REFACTOR, GOOD, OK},
    {SOLVE, GOOD, OK},
    {FACTOR, SINGULAR, WARPLU_SINGULAR},
    {FACTOR, POOR, OK}, /* analyzed again */
    {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
};

/* Pivots of before an analysis was made again stay, too. */
static const turn settled[] = {
    {CREATE, GOOD, OK},    {ANALYZE_PATTERN, GOOD, OK},
    {FACTOR, OTHER, OK}, /* its diagonal is zero: analyzed again */
    {SOLVE, GOOD, OK},     {FACTOR, SINGULAR, WARPLU_SINGULAR},
    {FACTOR, GOOD, OK}, /* and again */
    {SOLVE, GOOD, OK},     {SAVE, GOOD, OK},
    {REFACTOR, OTHER, OK}, /* the program of the first analysis */
    {SOLVE, GOOD, OK},     {SAVE, GOOD, OK},
    {RESTORE, GOOD, OK},   {REFACTOR, OTHER, OK},
    {SOLVE, GOOD, OK},     {SOLVE_TRANSPOSED, GOOD, OK},
};

/* A replay that looks as good as its pivoting, and is not: the solve pivots again. */
static const turn solves_pivot[] = {
    {CREATE, GOOD, OK},           {ANALYZE_PATTERN, GOOD, OK},     {FACTOR, POOR, OK},
    {REFACTOR, OTHER, OK},        {SOLVE, GOOD, WARPLU_REPIVOTED}, {SOLVE, GOOD, OK},
    {FACTOR, POOR, OK},           {REFACTOR, OTHER, OK},           {SOLVE_TRANSPOSED, GOOD, WARPLU_REPIVOTED},
    {SOLVE_TRANSPOSED, GOOD, OK}, {REFACTOR, OTHER, OK},           {SOLVE, GOOD, OK},
};

/* New pivots are as poor as the old: the answer is a warning either way. */
static const turn hopeless[] = {
    {CREATE, GOOD, OK},           {ANALYZE_PATTERN, GOOD, OK},
    {FACTOR, POOR, OK},           {SOLVE, GOOD, WARPLU_INACCURATE},
    {REFACTOR, POOR, OK},         {SOLVE, GOOD, WARPLU_INACCURATE},
    {REFACTOR, POOR, OK},         {SOLVE_TRANSPOSED, GOOD, WARPLU_INACCURATE},
    {REFACTOR, GOOD, OK},         {SOLVE, GOOD, OK},
    {SOLVE_TRANSPOSED, GOOD, OK},
};

static void checked(warplu_options *o)
{
    o->check = WARPLU_CHECK_ALWAYS;
}
static void by_reference(warplu_options *o)
{
    o->executor = WARPLU_EXECUTOR_REFERENCE;
}
static void small_programs(warplu_options *o)
{
    o->executor = WARPLU_EXECUTOR_CPU;
    o->max_program_bytes = 60000;
}
static void matched(warplu_options *o)
{
    o->matching = WARPLU_MATCHING_ALWAYS;
}
static void no_replays(warplu_options *o)
{
    o->expected_refactors = 1;
}
static void natural(warplu_options *o)
{
    o->ordering = WARPLU_ORDERING_NATURAL;
    o->btf = 0;
}
static void natural_without_replays(warplu_options *o)
{
    natural(o);
    no_replays(o);
}
static void natural_unrefined(warplu_options *o)
{
    natural(o);
    o->max_refinement_steps = 0;
}

#define TURNS(list) .turns = list, .count = sizeof list / sizeof *list

static const life lives[] = {
    {"blocks", .recipe = {.shape = TEST_BLOCKS, .n = 12}, .seed = 5, TURNS(whole), .reached = {.compilations = 4}},
    {"duplicates", .recipe = {.shape = TEST_BLOCKS, .n = 10, .duplicates = 1, .shuffled = 1}, .seed = 6, TURNS(whole),
     .choose = checked, .reached = {.compilations = 4}},
    {"exchanges", .recipe = {.shape = TEST_SPARSE, .n = 14, .weak_diagonal = 1}, .seed = 7, TURNS(whole),
     .choose = by_reference, .reached = {.compilations = 4}},
    {"tiles", .recipe = {.shape = TEST_DENSE, .n = 40}, .seed = 8, TURNS(whole), .choose = small_programs,
     .reached = {.compilations = 4, .tiles = 1}},
    {"matched", .recipe = {.shape = TEST_GRID, .n = 16, .weak_diagonal = 1}, .seed = 10, TURNS(whole),
     .choose = matched, .reached = {.compilations = 4}},
    {"no replays", .recipe = {.shape = TEST_BLOCKS, .n = 12}, .seed = 12, TURNS(lazy), .choose = no_replays,
     .reached = {.compilations = 1}},
    {"no replays, tiles", .recipe = {.shape = TEST_DENSE, .n = 20}, .seed = 13, TURNS(lazy), .choose = no_replays,
     .reached = {.compilations = 1, .tiles = 1}},
    {"growing", .recipe = {.shape = TEST_GRID, .n = 16}, .seed = 15, TURNS(growing), .choose = no_replays,
     .reached = {.compilations = 3}},
    {"weak", two_by_two, TURNS(weak), .choose = natural,
     .reached = {.repivots = 1, .proven = 1, .hits = 3, .compilations = 2}},
    {"in turn", two_by_two, TURNS(in_turn), .choose = natural_without_replays,
     .reached = {.repivots = 1, .hits = 6, .compilations = 2}},
    {"cloned", .recipe = {.shape = TEST_BLOCKS, .n = 12}, .seed = 14, TURNS(cloned), .choose = no_replays,
     .reached = {.compilations = 1}},
    {"singular", two_by_two, TURNS(singular), .reached = {.compilations = 2}},
    {"settled", blocks_to_settle, TURNS(settled), .reached = {.hits = 1, .compilations = 3}},
    {"solves that pivot", wilkinson, TURNS(solves_pivot), .choose = natural_unrefined,
     .reached = {.repivots = 2, .hits = 1, .compilations = 1}},
    {"complex blocks", .recipe = {.shape = TEST_BLOCKS, .n = 12}, .seed = 5, TURNS(whole), .complex = 1,
     .reached = {.compilations = 4}},
    {"complex tiles", .recipe = {.shape = TEST_DENSE, .n = 20}, .seed = 13, TURNS(lazy), .choose = no_replays,
     .complex = 1, .reached = {.compilations = 1, .tiles = 1}},
    {"complex weak", two_by_two, TURNS(weak), .choose = natural, .complex = 1,
     .reached = {.repivots = 1, .proven = 1, .hits = 3, .compilations = 2}},
    {"complex, settled", blocks_to_settle, TURNS(settled), .complex = 1, .reached = {.hits = 1, .compilations = 3}},
    {"complex, solves that pivot", wilkinson, TURNS(solves_pivot), .choose = natural_unrefined, .complex = 1,
     .reached = {.repivots = 2, .hits = 1, .compilations = 1}},
    {"hopeless", wilkinson, TURNS(hopeless), .choose = natural_unrefined,
     .reached = {.repivots = 2, .hits = 2, .compilations = 1}},
};

enum { LIVES = sizeof lives / sizeof *lives };

static void make_subject(subject *u, const life *of)
{
    uint64_t seed = of->seed > 0 ? of->seed : 1;
    memset(u, 0, sizeof *u);
    u->doubles = of->complex ? 2 : 1;
    if (of->make != NULL) {
        of->make(u);
    } else {
        test_matrix_random(&u->m, &seed, &of->recipe);
        add_values(u, u->m.x);
    }
    for (int32_t i = 0; i < NRHS * u->m.n; i++) u->b[i] = check_uniform(&seed) + 0.5;
    give(u, u->b, NRHS * u->m.n, u->rhs);
    know(u);
}

static void open_session(session *s, const life *of, const subject *on)
{
    memset(s, 0, sizeof *s);
    s->of = of;
    s->on = on;
    s->at = s->other_at = -1;
    check_init_options(&s->options);
    if (of->complex) s->options.scalar = WARPLU_SCALAR_COMPLEX;
    if (of->choose != NULL) of->choose(&s->options);
    test_use_allocator(&s->options, &s->memory);
    s->options.message = hear;
    s->options.message_user = s;
}

static void close_session(session *s)
{
    warplu_destroy(&s->solver);
    warplu_destroy(&s->other);
    CHECK_SAY(s->memory.alive == 0, "%s: %lld blocks leak", s->of->name, (long long)s->memory.alive);
}

/* One life in which allocation k fails, or all from it on until a call has failed; 0 if the life has fewer. */
static int live(const life *of, const subject *on, int64_t k, int lasting)
{
    session s;
    open_session(&s, of, on);
    s.k = s.memory.fail_at = k;
    s.memory.lasting = lasting;
    for (int t = 0; t < of->count; t++) take_turn(&s, &of->turns[t]);
    int reached = s.memory.calls >= k;
    close_session(&s);
    return reached;
}

static void every_allocation_fails(int lasting)
{
    for (int c = 0; c < LIVES; c++) {
        int64_t k = 1;
        int before = check_failures;
        subject u;
        make_subject(&u, &lives[c]);
        while (k < K_MAX && (!check_due() || live(&lives[c], &u, k, lasting)) && check_failures - before < 20) k++;
        printf("# %s: %lld allocations\n", lives[c].name, (long long)(k - 1));
        CHECK(k > 100 && k < K_MAX);
        free_subject(&u);
    }
}

static void any_allocation_may_fail(void)
{
    every_allocation_fails(0);
}

static void all_from_one_on_may_fail(void)
{
    every_allocation_fails(1);
}

/* The lives reach what they are meant to reach where no allocation fails. */
static void the_lives_differ(void)
{
    for (int c = 0; c < LIVES; c++) {
        const expected *e = &lives[c].reached;
        warplu_statistics t = {.size = sizeof t};
        subject u;
        session s;
        make_subject(&u, &lives[c]);
        open_session(&s, &lives[c], &u);
        for (int k = 0; k < lives[c].count; k++) take_turn(&s, &lives[c].turns[k]);
        CHECK(warplu_get_statistics(s.solver, &t) == WARPLU_SUCCESS);
        CHECK_SAY(t.repivots == e->repivots && t.proven_replays == e->proven && t.cache_hits == e->hits &&
                      t.compilations == e->compilations,
                  "%s: %lld pivoted again, %lld proven, %lld from the cache, %lld compiled", lives[c].name,
                  (long long)t.repivots, (long long)t.proven_replays, (long long)t.cache_hits,
                  (long long)t.compilations);
        CHECK_SAY(!e->tiles || t.tile_pivots > 0, "%s: %lld tiled pivots", lives[c].name, (long long)t.tile_pivots);
        if (lives[c].recipe.shape == TEST_BLOCKS && lives[c].make == NULL) CHECK(t.blocks >= 3 && t.f_nnz > 0);
        if (lives[c].recipe.duplicates) CHECK(t.nnz < u.m.nnz);
        close_session(&s);
        free_subject(&u);
    }
}

/* Every call that can allocate stands in some life. */
static void every_step_is_taken(void)
{
    int taken[STEPS] = {0};
    for (int c = 0; c < LIVES; c++)
        for (int t = 0; t < lives[c].count; t++) taken[lives[c].turns[t].step]++;
    for (int k = 0; k < STEPS; k++) CHECK_SAY(taken[k] > 0, "no life has %s", steps[k].name);
}

/* What several right-hand sides take, which the first of them has made. */
static int answers_are_there(const warplu_solver *s)
{
    const wlu_cpu_state *of_cpu = (const wlu_cpu_state *)s->current.state;
    return s->current.state->answers != NULL && (s->target.executor != &wlu_executor_cpu || of_cpu->many.block != NULL);
}

/* Once the pivots' trial is over, and what vouches for solves by columns has been found. */
static void replays_and_solves_allocate_nothing(void)
{
    static const turn first[] = {{CREATE, GOOD, OK},
                                 {ANALYZE, GOOD, OK},
                                 {FACTOR, GOOD, OK},
                                 {REFACTOR, GOOD, OK},
                                 {SOLVE_TRANSPOSED, GOOD, OK}};
    enum { FIRST = sizeof first / sizeof first[0] };
    static const turn again[] = {{REFACTOR, GOOD, OK}, {SOLVE, GOOD, OK}, {SOLVE_TRANSPOSED, GOOD, OK}};
    for (int c = 0; c < LIVES; c++)
        for (int check = WARPLU_CHECK_OFF; check <= WARPLU_CHECK_ALWAYS && lives[c].make == NULL; check++) {
            subject u;
            session s;
            make_subject(&u, &lives[c]);
            open_session(&s, &lives[c], &u);
            s.options.check = (warplu_check)check;
            for (int k = 0; k < FIRST; k++) CHECK(take_step(&s, &first[k]) == WARPLU_SUCCESS);
            for (int trial = 0; trial <= WLU_TRIAL_SOLVES; trial++)
                for (int k = 0; k < 3; k++) CHECK(take_step(&s, &again[k]) == WARPLU_SUCCESS);
            int64_t calls = s.memory.calls, alive = s.memory.alive;
            for (int round = 0; round < 2; round++)
                for (int k = 0; k < 3; k++) CHECK(take_step(&s, &again[k]) == WARPLU_SUCCESS);
            CHECK(s.solver->current.state == NULL || answers_are_there(s.solver));
            CHECK_SAY(s.memory.calls == calls && s.memory.alive == alive, "%s, check %d: %lld allocations",
                      lives[c].name, check, (long long)(s.memory.calls - calls));
            close_session(&s);
            free_subject(&u);
        }
}

int main(void)
{
    /* thousands of files are saved: to memory where there is such a place, for a save waits for the disk */
    const char *in = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : "";
    snprintf(folder, sizeof folder, "%swarplu-alloc-XXXXXX", in);
    if (mkdtemp(folder) == NULL) return 1;
    snprintf(path, sizeof path, "%s/saved", folder);
    RUN(every_step_is_taken);
    RUN(the_lives_differ);
    RUN(any_allocation_may_fail);
    RUN(all_from_one_on_may_fail);
    RUN(replays_and_solves_allocate_nothing);
    unlink(path);
    rmdir(folder);
    return check_done();
}
