/* One trial. See trial.h.
 *
 * Wrong is a solve that answers WARPLU_SUCCESS or WARPLU_REPIVOTED with an x whose backward error, by the independent
 * judge, is above the bound the library promises, give or take what summing in double costs. A false alarm is an error
 * or WARPLU_INACCURATE where the equilibrated matrix has a condition below COMFORTABLE and the true solution, rounded,
 * is accurate. Pivoting again was needless where an unjudged solver with the pivots so far gives an accurate x. */
#include "trial.h"

#include "factor/pivots.h"
#include "judge.h"
#include "rhs.h"
#include "support/check.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 7, MOST_RHS = 3, LARGEST_JUDGED = 200, ROWS = 12 };
static const double ACCURATE = 1e-10, COMFORTABLE = 1e10;

typedef struct trial {
    const char *name;
    int64_t number;
    int loud;
    uint64_t seed;
    test_matrix m, by_rows; /* values at hand by columns; for CSR the same by rows */
    int32_t *place;         /* of the rows' entries in m */
    double *first;
    warplu_options options;
    warplu_solver *solver;
    double *pivoted_for[2 * ROUNDS * MOST_RHS]; /* values the solver's pivots were chosen for, the last in use */
    int pivotings;
    int32_t *pivot_row, *pivot_col;
    int pivots_known;
    tallies *out;
    const char *rhs; /* the kind of the right-hand sides at hand */
    int wants;       /* 0: A, 1: A', 2: either */
    int round;
    attack_kind attack;
    warplu_status refactored;
    test_matrix sum; /* m without duplicates */
    judge_factors *truth;
    int truth_known, repivot_open, before_repivot;
    double *b, *kept, *x, *trial_x;
    int32_t ld;
    tally *row[ROWS];
    int rows;
} trial;

#define COUNT(t, field) \
    do { \
        for (int row_ = 0; row_ < (t)->rows; row_++) (t)->row[row_]->field++; \
    } while (0)

/* ------------------------------------------------------------------- say */

static void say_numbers(const char *name, const double *x, int64_t count)
{
    printf("#   %s = {", name);
    for (int64_t k = 0; k < count; k++) printf("%s%.17g", k ? ", " : "", x[k]);
    printf("}\n");
}

static void say_indices(const char *name, const int32_t *x, int64_t count)
{
    printf("#   %s = {", name);
    for (int64_t k = 0; k < count; k++) printf("%s%" PRId32, k ? ", " : "", x[k]);
    printf("}\n");
}

static const char *const orderings[] = {"auto", "natural", "amd", "colamd", "metis", "given"};
static const char *const scalings[] = {"none", "sum", "max"}, *const checks[] = {"off", "suspect", "always"};

static void say_trial(const trial *t)
{
    const warplu_options *o = &t->options;
    printf("# case %" PRId64 ": %s, n %" PRId32 ", nnz %" PRId32 "; %s, ordering %s, btf %d, scaling %s, check %s, "
           "%s, tolerance %g, steps %d, values %s\n",
           t->number, t->name, t->m.n, t->m.nnz, o->storage == WARPLU_CSR ? "csr" : "csc", orderings[o->ordering],
           o->btf, scalings[o->scaling], checks[o->check],
           o->executor == WARPLU_EXECUTOR_REFERENCE ? "reference" : "cpu", o->pivot_tolerance, o->max_refinement_steps,
           t->m.nnz % 2 ? "at analyze" : "not at analyze");
}

/* ----------------------------------------------------------------- making */

static double pick(uint64_t *seed, int32_t usual_in_10, double usual, double a, double b)
{
    return check_below(seed, 10) < usual_in_10 ? usual : check_below(seed, 2) ? a : b;
}

static void draw_options(trial *t)
{
    warplu_options *o = &t->options;
    uint64_t *s = &t->seed;
    warplu_options_init(o);
    o->check = check_below(s, 10) < 7 ? WARPLU_CHECK_SUSPECT : WARPLU_CHECK_ALWAYS;
    o->ordering = check_below(s, 2) ? WARPLU_ORDER_NATURAL : WARPLU_ORDER_AUTO;
    o->btf = check_below(s, 2);
    o->scaling = (warplu_scaling)pick(s, 5, WARPLU_SCALE_MAX, WARPLU_SCALE_NONE, WARPLU_SCALE_SUM);
    o->storage = check_below(s, 3) == 0 ? WARPLU_CSR : WARPLU_CSC;
    o->executor = check_below(s, 5) == 0 ? WARPLU_EXECUTOR_REFERENCE : WARPLU_EXECUTOR_CPU;
    o->pivot_tolerance = pick(s, 7, 0.001, 1.0, 0.0);
    if (check_below(s, 10) == 0) o->max_refinement_steps = 0;
    t->wants = check_below(s, 4) ? check_below(s, 2) * 2 : 1;
}

static void add_row(trial *t, tally *row)
{
    t->row[t->rows++] = row;
}

static void choose_rows(trial *t, tallies *out)
{
    const warplu_options *o = &t->options;
    add_row(t, NULL); /* the attack's */
    add_row(t, &out->total);
    add_row(t, tally_option(out, o->check == WARPLU_CHECK_ALWAYS ? "check always" : "check suspect"));
    add_row(t, tally_option(out, o->pivot_tolerance == 0.0   ? "tolerance 0"
                                 : o->pivot_tolerance == 1.0 ? "tolerance 1"
                                                             : "tolerance 0.001"));
    add_row(t, tally_option(out, o->scaling == WARPLU_SCALE_NONE  ? "scaling none"
                                 : o->scaling == WARPLU_SCALE_SUM ? "scaling sum"
                                                                  : "scaling max"));
    add_row(t, tally_option(out, o->ordering == WARPLU_ORDER_NATURAL ? "ordering natural" : "ordering auto"));
    add_row(t, tally_option(out, o->btf ? "btf" : "no btf"));
    add_row(t, tally_option(out, o->storage == WARPLU_CSR ? "csr" : "csc"));
    add_row(t, tally_option(out, o->executor == WARPLU_EXECUTOR_CPU ? "executor cpu" : "executor reference"));
}

static double *copy_of(const double *x, int64_t count)
{
    double *y = malloc(((size_t)count + 1) * sizeof *y);
    memcpy(y, x, (size_t)count * sizeof *y);
    return y;
}

static void create(trial *t)
{
    size_t n = (size_t)t->m.n;
    draw_options(t);
    t->first = copy_of(t->m.x, t->m.nnz);
    t->place = malloc(((size_t)t->m.nnz + 1) * sizeof *t->place);
    test_matrix_to_csr(&t->m, &t->by_rows, t->place);
    t->ld = t->m.n + check_below(&t->seed, 3);
    size_t numbers = MOST_RHS * (size_t)t->ld;
    t->b = calloc(numbers, sizeof *t->b);
    t->kept = calloc(numbers, sizeof *t->kept);
    t->x = calloc(numbers, sizeof *t->x);
    t->trial_x = calloc(n, sizeof *t->trial_x);
    t->pivot_row = calloc(n, sizeof *t->pivot_row);
    t->pivot_col = calloc(n, sizeof *t->pivot_col);
    for (int32_t i = 0; i < t->m.n; i++) t->pivot_row[i] = t->pivot_col[i] = i;
}

static void free_all(trial *t)
{
    warplu_destroy(&t->solver);
    judge_free(t->truth);
    for (int k = 0; k < t->pivotings; k++) free(t->pivoted_for[k]);
    test_matrix_free(&t->m);
    test_matrix_free(&t->by_rows);
    test_matrix_free(&t->sum);
    void *rest[] = {t->place, t->first, t->b, t->kept, t->x, t->trial_x, t->pivot_row, t->pivot_col};
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) free(rest[k]);
}

/* Values in the caller's layout. */
static const double *handed(trial *t, const double *values)
{
    if (t->options.storage == WARPLU_CSC) return values;
    for (int32_t q = 0; q < t->m.nnz; q++) t->by_rows.x[q] = values[t->place[q]];
    return t->by_rows.x;
}

static warplu_status analyze(trial *t, warplu_solver *solver)
{
    const test_matrix *m = t->options.storage == WARPLU_CSR ? &t->by_rows : &t->m;
    const double *values = t->m.nnz % 2 ? handed(t, t->first) : NULL;
    return warplu_analyze(solver, m->n, m->ptr, m->idx, values);
}

/* --------------------------------------------------------- what is in use */

static void remember_pivoting(trial *t)
{
    if (t->pivotings == sizeof t->pivoted_for / sizeof *t->pivoted_for) return;
    t->pivoted_for[t->pivotings++] = copy_of(t->m.x, t->m.nnz);
    t->pivots_known = 0;
}

/* Pivots of the values by the phases that choose them; known: the analysis reads these values, or NULL. */
static warplu_status build_pivots(trial *t, const double *values, const double *known)
{
    wlu_context ctx;
    wlu_pattern *a = NULL;
    wlu_analysis *analysis = NULL;
    wlu_pivots *pivots = NULL;
    double *entries = malloc(2 * ((size_t)t->m.nnz + 1) * sizeof *entries), *first = entries + t->m.nnz + 1;
    wlu_context_init(&ctx, &t->options);
    warplu_status status = wlu_pattern_create(&ctx, WARPLU_CSC, t->m.n, t->m.ptr, t->m.idx, &a);
    if (status == WARPLU_SUCCESS) {
        wlu_pattern_gather(a, values, entries);
        if (known != NULL) wlu_pattern_gather(a, known, first);
        status = wlu_analysis_create(&ctx, &t->options, &wlu_cost_cpu, &a, known != NULL ? first : NULL, &analysis);
    }
    if (status == WARPLU_SUCCESS)
        status = wlu_pivots_create(&ctx, &t->options, &wlu_cost_cpu, analysis, entries, &pivots);
    if (status == WARPLU_SUCCESS) {
        memcpy(t->pivot_row, pivots->row, (size_t)t->m.n * sizeof *t->pivot_row);
        memcpy(t->pivot_col, pivots->col, (size_t)t->m.n * sizeof *t->pivot_col);
    }
    wlu_pivots_destroy(&ctx, &pivots);
    wlu_analysis_destroy(&ctx, &analysis);
    wlu_pattern_destroy(&ctx, &a);
    free(entries);
    return status;
}

/* The entries in use as pivots, or nearly: where the solver made its analysis again, it had other values. */
static void find_pivots(trial *t)
{
    if (t->pivots_known || t->pivotings == 0) return;
    const double *values = t->pivoted_for[t->pivotings - 1];
    t->pivots_known = 1;
    if (build_pivots(t, values, t->m.nnz % 2 ? t->first : NULL) < 0) build_pivots(t, values, values);
}

/* Backward error of what an unjudged solver answers with the pivots that were in use before the last re-pivot. */
static double error_of_old_pivots(trial *t, int transposed, const double *b)
{
    warplu_options options = t->options;
    warplu_solver *old = NULL;
    int32_t n = t->m.n;
    options.check = WARPLU_CHECK_OFF;
    warplu_status status = t->before_repivot > 0 ? warplu_create(&old, &options) : WARPLU_WRONG_PHASE;
    if (status >= 0) status = analyze(t, old);
    for (int k = 0; k < t->before_repivot && status >= 0; k++)
        status = warplu_factor(old, handed(t, t->pivoted_for[k]));
    if (status >= 0) status = warplu_refactor(old, handed(t, t->m.x));
    if (status >= 0)
        status = transposed ? warplu_solve_transposed(old, 1, b, n, t->trial_x, n)
                            : warplu_solve(old, 1, b, n, t->trial_x, n);
    warplu_destroy(&old);
    return status >= 0 ? judge_backward_error(&t->sum, transposed, b, t->trial_x) : INFINITY;
}

static const judge_factors *truth(trial *t)
{
    if (!t->truth_known && t->m.n <= LARGEST_JUDGED) t->truth = judge_factor(&t->sum);
    t->truth_known = 1;
    return t->truth;
}

/* ---------------------------------------------------------------- judging */

static double smallest_of(const double *x, int64_t count)
{
    double least = INFINITY;
    for (int64_t k = 0; k < count; k++)
        if (x[k] != 0.0 && fabs(x[k]) < least) least = fabs(x[k]);
    return least;
}

static double largest_of(const double *x, int64_t count)
{
    double most = 0.0;
    for (int64_t k = 0; k < count; k++)
        if (!(fabs(x[k]) <= most)) most = fabs(x[k]);
    return most;
}

static const char *name_of_attack(const trial *t)
{
    return t->round == 0 ? "start" : attack_name(t->attack);
}

/* Whether doubles exist that answer this right-hand side accurately: the true solution, rounded. */
static int answer_exists(trial *t, int transposed, int32_t column)
{
    const double *b = t->kept + (size_t)column * (size_t)t->ld;
    if (truth(t) == NULL || !judge_all_finite(b, t->m.n)) return 0;
    judge_solve(truth(t), transposed, b, t->trial_x);
    return judge_backward_error(&t->sum, transposed, b, t->trial_x) <= ACCURATE;
}

static int answers_exist(trial *t, int transposed, int32_t nrhs)
{
    for (int32_t k = 0; k < nrhs; k++)
        if (!answer_exists(t, transposed, k)) return 0;
    return 1;
}

static void say_answer(trial *t, const char *what, warplu_status status, int transposed, int column, double omega,
                       double own)
{
    const double *b = t->kept + (size_t)column * (size_t)t->ld, *x = t->x + (size_t)column * (size_t)t->ld;
    warplu_statistics guards = {.size = sizeof guards};
    warplu_get_statistics(t->solver, &guards);
    say_trial(t);
    printf("#   %s: round %d, %s, %s: refactor %s, solve%s %s; backward error %.2e, by its own check %.2e, condition "
           "%.1e; "
           "|a| %.1e to %.1e, |b| %.1e to %.1e, |x| %.1e to %.1e\n",
           what, t->round, name_of_attack(t), t->rhs, warplu_status_name(t->refactored),
           transposed ? " transposed" : "", warplu_status_name(status), omega, own, judge_condition(truth(t)),
           smallest_of(t->sum.x, t->sum.nnz), largest_of(t->sum.x, t->sum.nnz), smallest_of(b, t->m.n),
           largest_of(b, t->m.n), smallest_of(x, t->m.n), largest_of(x, t->m.n));
    printf("#   %s; its guards: growth %.1e, largest l %.1e, smallest pivot %.1e, drift %.1e\n",
           answer_exists(t, transposed, column) ? "an accurate answer exists" : "no double is accurate",
           guards.pivot_growth, guards.largest_l, guards.smallest_pivot, guards.row_drift);
    if (!t->loud) return;
    say_numbers("b", b, t->m.n);
    say_numbers("x", x, t->m.n);
}

static int comfortable(trial *t)
{
    return judge_condition(truth(t)) < COMFORTABLE;
}

/* Largest backward error of the right-hand sides, and the column it belongs to. */
static double worst_error(trial *t, int transposed, int32_t nrhs, int *column)
{
    double worst = -1.0;
    for (int32_t k = 0; k < nrhs; k++) {
        size_t at = (size_t)k * (size_t)t->ld;
        double omega = judge_backward_error(&t->sum, transposed, t->kept + at, t->x + at);
        if (omega > worst) {
            worst = omega;
            *column = k;
        }
    }
    return worst;
}

static void judge_claim(trial *t, warplu_status status, int transposed, double omega, int column)
{
    size_t at = (size_t)column * (size_t)t->ld;
    double own = INFINITY, slack = 4.0 * t->m.n * DBL_EPSILON;
    if (omega <= ACCURATE + slack) {
        if (status == WARPLU_SUCCESS)
            COUNT(t, plain);
        else
            COUNT(t, resolved);
        for (int k = 0; k < t->rows; k++) t->row[k]->worst = fmax(t->row[k]->worst, omega);
        return;
    }
    warplu_backward_error(t->solver, transposed, handed(t, t->m.x), 1, t->kept + at, t->ld, t->x + at, t->ld, &own);
    if (own <= ACCURATE + slack)
        COUNT(t, blind);
    else
        COUNT(t, unlooked);
    if (t->out->total.blind + t->out->total.unlooked <= t->out->say_wrong || t->loud)
        say_answer(t, own <= ACCURATE + slack ? "WRONG, blind" : "WRONG, unlooked", status, transposed, column, omega,
                   own);
}

static void judge_refusal(trial *t, warplu_status status, int transposed, int32_t nrhs, double omega, int column)
{
    if (status == WARPLU_INACCURATE)
        COUNT(t, inaccurate);
    else
        COUNT(t, failed);
    if (!comfortable(t) || !answers_exist(t, transposed, nrhs)) return;
    COUNT(t, alarms);
    if (status == WARPLU_INACCURATE && omega <= ACCURATE) COUNT(t, overcautious);
    if (t->out->total.alarms <= t->out->say_alarms || t->loud)
        say_answer(t, "false alarm", status, transposed, column, omega, NAN);
}

/* ----------------------------------------------------------------- rounds */

static void count_needless(trial *t, int transposed)
{
    t->repivot_open = 0;
    if (!judge_all_finite(t->kept, t->m.n) || !(error_of_old_pivots(t, transposed, t->kept) <= ACCURATE)) return;
    COUNT(t, needless);
    if (t->loud) printf("#   round %d: pivoted again without need\n", t->round);
}

static warplu_status call_solve(trial *t, int transposed, int32_t nrhs)
{
    memcpy(t->kept, t->b, MOST_RHS * (size_t)t->ld * sizeof *t->b);
    double *x = check_below(&t->seed, 4) ? t->x : t->b;
    warplu_status status = transposed ? warplu_solve_transposed(t->solver, nrhs, t->b, t->ld, x, t->ld)
                                      : warplu_solve(t->solver, nrhs, t->b, t->ld, x, t->ld);
    if (x == t->b) memcpy(t->x, t->b, MOST_RHS * (size_t)t->ld * sizeof *t->b);
    return status;
}

static void expect(trial *t, int condition, const char *call, warplu_status status)
{
    if (condition) return;
    COUNT(t, odd);
    printf("# case %" PRId64 ": %s: %s: %s\n", t->number, call, warplu_status_name(status), warplu_message(t->solver));
}

static int expected(warplu_status status)
{
    return status >= 0 || status == WARPLU_SINGULAR || status == WARPLU_NOT_FINITE || status == WARPLU_WRONG_PHASE;
}

/* One call for the right-hand sides in t->b. */
static void solve_drawn(trial *t, int transposed, int32_t nrhs)
{
    int column = 0;
    warplu_status status = call_solve(t, transposed, nrhs);
    int claimed = status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED;
    expect(t, expected(status), "solve", status);
    if (t->refactored < 0 && !claimed) return;
    COUNT(t, solves);
    if (status == WARPLU_REPIVOTED) {
        COUNT(t, repivots);
        t->repivot_open = 1;
        t->before_repivot = t->pivotings;
        remember_pivoting(t);
    }
    double omega = worst_error(t, transposed, nrhs, &column);
    if (t->loud)
        printf("#   solve%s, %d, %s: %s, backward error %.2e\n", transposed ? " transposed" : "", (int)nrhs, t->rhs,
               warplu_status_name(status), omega);
    if (status == WARPLU_UNCHECKED)
        COUNT(t, unchecked);
    else if (claimed)
        judge_claim(t, status, transposed, omega, column);
    else
        judge_refusal(t, status, transposed, nrhs, omega, column);
    if (t->repivot_open) count_needless(t, transposed);
}

static void solve_once(trial *t)
{
    int transposed = t->wants == 2 ? check_below(&t->seed, 2) : t->wants;
    int32_t nrhs = check_below(&t->seed, 4) ? 1 : MOST_RHS;
    t->rhs = rhs_draw(&t->sum, &t->seed, transposed, nrhs, t->b, t->ld);
    add_row(t, tally_option(t->out, t->rhs));
    solve_drawn(t, transposed, nrhs);
    t->rows--;
}

static void replay(trial *t)
{
    COUNT(t, replays);
    t->refactored = t->round == 0 && check_below(&t->seed, 2) ? warplu_factor(t->solver, handed(t, t->m.x))
                                                              : warplu_refactor(t->solver, handed(t, t->m.x));
    test_matrix_free(&t->sum);
    judge_sum(&t->m, &t->sum);
    judge_free(t->truth);
    t->truth = NULL;
    t->truth_known = t->repivot_open = 0;
    warplu_status status = t->refactored;
    expect(t, expected(status), "refactor", status);
    if (t->loud) {
        printf("#  round %d, %s: refactor %s\n", t->round, name_of_attack(t), warplu_status_name(status));
        if (t->m.nnz <= 200) say_numbers("values", t->m.x, t->m.nnz);
    }
    if (status >= 0 && (status == WARPLU_REPIVOTED || t->pivotings == 0)) {
        t->before_repivot = t->pivotings;
        t->repivot_open = t->pivotings > 0;
        remember_pivoting(t);
    }
    if (status == WARPLU_REPIVOTED) COUNT(t, repivots);
    if (status >= 0) return;
    COUNT(t, refused);
    if (!judge_all_finite(t->sum.x, t->sum.nnz) || !comfortable(t)) return;
    COUNT(t, alarms);
    if (t->out->total.alarms > t->out->say_alarms && !t->loud) return;
    say_trial(t);
    printf("#   false alarm: round %d, %s: refactor %s, condition %.1e: %s\n", t->round, name_of_attack(t),
           warplu_status_name(status), judge_condition(truth(t)), warplu_message(t->solver));
}

static void attack(trial *t)
{
    int32_t dice = check_below(&t->seed, 10);
    t->attack = dice < 2 ? ATTACK_vary : dice < 4 ? ATTACK_back : (attack_kind)check_below(&t->seed, ATTACKS);
    /* Mostly from the first values; or on top of what was done before. */
    if (check_below(&t->seed, 3) || !judge_all_finite(t->m.x, t->m.nnz))
        memcpy(t->m.x, t->first, (size_t)t->m.nnz * sizeof *t->m.x);
    find_pivots(t);
    attack_site site = {&t->m, t->first, t->pivot_row, t->pivot_col, check_random(&t->seed)};
    attack_apply(&site, t->attack);
}

void trial_run(test_matrix *m, const char *name, uint64_t seed, int64_t number, int loud, tallies *out)
{
    trial t = {.name = name, .number = number, .loud = loud, .seed = seed, .m = *m, .out = out};
    create(&t);
    choose_rows(&t, out);
    if (loud) {
        say_trial(&t);
        say_indices("ptr", t.m.ptr, t.m.n + 1);
        if (t.m.nnz <= 200) say_indices("idx", t.m.idx, t.m.nnz);
    }
    t.row[0] = &out->attack[TALLY_START];
    warplu_status status = warplu_create(&t.solver, &t.options);
    if (status == WARPLU_SUCCESS) status = analyze(&t, t.solver);
    expect(&t, status == WARPLU_SUCCESS, "analyze", status);
    int rounds = 2 + check_below(&t.seed, ROUNDS - 1);
    for (; t.round < rounds && status == WARPLU_SUCCESS; t.round++) {
        if (t.round > 0) attack(&t);
        t.row[0] = &out->attack[t.round == 0 ? (int)TALLY_START : (int)t.attack];
        replay(&t);
        for (int k = 1 + check_below(&t.seed, 3); k > 0; k--) solve_once(&t);
    }
    free_all(&t);
}
