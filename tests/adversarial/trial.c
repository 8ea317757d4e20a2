/* One trial. See trial.h.
 *
 * Wrong is a solve that answers WARPLU_SUCCESS or WARPLU_REPIVOTED with an x whose backward error, by the independent
 * judge, is above the bound the library promises, give or take what summing in double costs. A false alarm is an error
 * or WARPLU_INACCURATE where the equilibrated matrix has a condition below COMFORTABLE and the true solution, rounded,
 * is accurate. Pivoting again was needless where an unjudged solver with the pivots so far gives an accurate x. */
#include <warplu/inspect.h>

#include "trial.h"

#include "judge.h"
#include "rhs.h"
#include "draw.h"
#include "state.h"
#include "support/check.h"
#include "support/stages.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double ACCURATE = 1e-10, COMFORTABLE = 1e10;

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

static double *column_of(const trial *t, double *x, int32_t column)
{
    return x + (int64_t)trial_doubles(t) * column * t->ld;
}

static const char *name_of_attack(const trial *t)
{
    return t->round == 0 ? "start" : attack_name(t->attack);
}

/* Whether doubles exist that answer this right-hand side accurately: the true solution, rounded. */
static int answer_exists(trial *t, int transposed, int32_t column)
{
    const double *b = column_of(t, t->kept, column);
    if (trial_truth(t) == NULL || !judge_all_finite(b, trial_vector(t))) return 0;
    judge_solve(trial_truth(t), transposed, b, t->trial_x);
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
    const double *b = column_of(t, t->kept, column), *x = column_of(t, t->x, column);
    warplu_statistics guards = {.size = sizeof guards};
    warplu_get_statistics(t->solver, &guards);
    trial_say(t);
    printf("#   %s: round %d, %s, %s: refactor %s, solve%s %s; backward error %.2e, by its own check %.2e, condition "
           "%.1e; "
           "|a| %.1e to %.1e, |b| %.1e to %.1e, |x| %.1e to %.1e\n",
           what, t->round, name_of_attack(t), t->rhs, warplu_status_name(t->refactored),
           transposed == JUDGE_CONJUGATE ? " conjugate transposed"
           : transposed                  ? " transposed"
                                         : "",
           warplu_status_name(status), omega, own, judge_condition(trial_truth(t)),
           smallest_of(t->sum.x, test_matrix_values(&t->sum)), largest_of(t->sum.x, test_matrix_values(&t->sum)),
           smallest_of(b, trial_vector(t)), largest_of(b, trial_vector(t)), smallest_of(x, trial_vector(t)),
           largest_of(x, trial_vector(t)));
    printf("#   %s; its guards: growth %.1e, largest l %.1e, smallest pivot %.1e, drift %.1e\n",
           answer_exists(t, transposed, column) ? "an accurate answer exists" : "no double is accurate",
           guards.pivot_growth, guards.largest_l, guards.smallest_pivot, guards.row_drift);
    if (!t->loud) return;
    trial_say_numbers("b", b, trial_vector(t));
    trial_say_numbers("x", x, trial_vector(t));
}

static int comfortable(trial *t)
{
    return judge_condition(trial_truth(t)) < COMFORTABLE;
}

/* Largest backward error of the right-hand sides, and the column it belongs to. */
static double worst_error(trial *t, int transposed, int32_t nrhs, int *column)
{
    double worst = -1.0;
    for (int32_t k = 0; k < nrhs; k++) {
        double omega = judge_backward_error(&t->sum, transposed, column_of(t, t->kept, k), column_of(t, t->x, k));
        if (omega > worst) {
            worst = omega;
            *column = k;
        }
    }
    return worst;
}

/* By the library's own check, which of a conjugate transpose is that of the conjugate numbers. */
static double error_by_library(trial *t, int op, const double *b, const double *x)
{
    double own = INFINITY, *both = malloc(2 * (size_t)trial_vector(t) * sizeof *both), *y = both + trial_vector(t);
    for (int64_t k = 0; k < trial_vector(t); k++) {
        double sign = op == JUDGE_CONJUGATE && k % 2 ? -1.0 : 1.0;
        both[k] = sign * b[k];
        y[k] = sign * x[k];
    }
    warplu_compute_backward_error(t->solver, op != JUDGE_PLAIN, trial_values(t, t->now.x), 1, both, t->m.n, y, t->m.n,
                                  &own);
    free(both);
    return own;
}

static void judge_claim(trial *t, warplu_status status, int transposed, double omega, int column)
{
    const double *b = column_of(t, t->kept, column), *x = column_of(t, t->x, column);
    double own = INFINITY, slack = 4.0 * (double)trial_vector(t) * DBL_EPSILON;
    if (omega <= ACCURATE + slack) {
        if (status == WARPLU_SUCCESS)
            COUNT(t, plain);
        else
            COUNT(t, resolved);
        for (int k = 0; k < t->rows; k++) t->row[k]->worst = fmax(t->row[k]->worst, omega);
        return;
    }
    own = error_by_library(t, transposed, b, x);
    if (own > ACCURATE + slack && t->options.check != WARPLU_CHECK_ALWAYS &&
        judge_row_error(&t->sum, transposed, b, x) <= ACCURATE + slack) {
        COUNT(t, graded);
        return;
    }
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
    if (!judge_all_finite(t->kept, trial_vector(t)) || !(trial_error_of_old_pivots(t, transposed, t->kept) <= ACCURATE))
        return;
    COUNT(t, needless);
    if (t->loud) printf("#   round %d: pivoted again without need\n", t->round);
}

static warplu_status call_solve(trial *t, int transposed, int32_t nrhs)
{
    const size_t bytes = (size_t)trial_doubles(t) * MOST_RHS * (size_t)t->ld * sizeof *t->b;
    memcpy(t->kept, t->b, bytes);
    double *x = check_below(&t->seed, 4) ? t->x : t->b;
    if (t->stages != 0) test_hasten_limits(t->solver);
    warplu_status status = trial_solve(t->solver, transposed, nrhs, t->b, t->ld, x, t->ld);
    if (x == t->b) memcpy(t->x, t->b, bytes);
    return status;
}

static void expect(trial *t, int condition, const char *call, warplu_status status)
{
    if (condition) return;
    COUNT(t, odd);
    printf("# case %" PRId64 ": %s: %s: %s\n", t->number, call, warplu_status_name(status),
           warplu_get_message(t->solver));
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
        trial_remember_pivoting(t);
    }
    double omega = worst_error(t, transposed, nrhs, &column);
    if (t->loud)
        printf("#   solve%s, %d, %s: %s, backward error %.2e\n",
               transposed == JUDGE_CONJUGATE ? " conjugate transposed"
               : transposed                  ? " transposed"
                                             : "",
               (int)nrhs, t->rhs, warplu_status_name(status), omega);
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
    if (transposed && trial_doubles(t) > 1 && check_below(&t->seed, 2)) transposed = JUDGE_CONJUGATE;
    t->rhs = rhs_draw(&t->sum, &t->seed, transposed, nrhs, t->b, t->ld);
    trial_add_row(t, tally_option(t->out, t->rhs));
    solve_drawn(t, transposed, nrhs);
    t->rows--;
}

/* Before a replay where stages are drawn: a clone may go on, and the next stage may be due. */
static void grow(trial *t)
{
    warplu_solver *next = NULL;
    if (t->stages == 0) return;
    if (t->round > 0 && draw_one_in(&t->apart, 6)) {
        warplu_status status = warplu_clone(&next, t->solver);
        expect(t, status == WARPLU_SUCCESS, "clone", status);
        if (status == WARPLU_SUCCESS) warplu_destroy(&t->solver);
        if (status == WARPLU_SUCCESS) t->solver = next;
    }
    if ((t->stages >> t->round & 1) != 0) test_hasten_stage(t->solver);
}

static void replay(trial *t)
{
    grow(t);
    COUNT(t, replays);
    t->refactored = t->round == 0 && check_below(&t->seed, 2) ? warplu_factor(t->solver, trial_values(t, t->now.x))
                                                              : warplu_refactor(t->solver, trial_values(t, t->now.x));
    test_matrix_free(&t->sum);
    judge_sum(&t->now, &t->sum);
    judge_free(t->truth);
    t->truth = NULL;
    t->truth_known = t->repivot_open = 0;
    warplu_status status = t->refactored;
    expect(t, expected(status), "refactor", status);
    if (t->loud) {
        printf("#  round %d, %s: refactor %s\n", t->round, name_of_attack(t), warplu_status_name(status));
        if (t->m.nnz <= 200) trial_say_numbers("values", t->now.x, test_matrix_values(&t->now));
    }
    if (status >= 0 && (status == WARPLU_REPIVOTED || t->pivotings == 0)) {
        t->before_repivot = t->pivotings;
        t->repivot_open = t->pivotings > 0;
        trial_remember_pivoting(t);
    }
    if (status == WARPLU_REPIVOTED) COUNT(t, repivots);
    if (status >= 0) return;
    COUNT(t, refused);
    if (!judge_all_finite(t->sum.x, test_matrix_values(&t->sum)) || !comfortable(t)) return;
    COUNT(t, alarms);
    if (t->out->total.alarms > t->out->say_alarms && !t->loud) return;
    trial_say(t);
    printf("#   false alarm: round %d, %s: refactor %s, condition %.1e: %s\n", t->round, name_of_attack(t),
           warplu_status_name(status), judge_condition(trial_truth(t)), warplu_get_message(t->solver));
}

static void attack(trial *t)
{
    int32_t dice = check_below(&t->seed, 10);
    t->attack = dice < 2 ? ATTACK_vary : dice < 4 ? ATTACK_back : (attack_kind)check_below(&t->seed, ATTACKS);
    /* Mostly from the first values; or on top of what was done before. */
    if (check_below(&t->seed, 3) || !judge_all_finite(t->m.x, t->m.nnz))
        memcpy(t->m.x, t->first, (size_t)t->m.nnz * sizeof *t->m.x);
    trial_find_pivots(t);
    attack_site site = {&t->m, t->first, t->pivot_row, t->pivot_col, check_random(&t->seed)};
    attack_apply(&site, t->attack);
    trial_turn(t);
}

void trial_run(test_matrix *m, const char *name, uint64_t seed, int64_t number, int loud, tallies *out)
{
    trial t = {.name = name, .number = number, .loud = loud, .seed = seed, .m = *m, .out = out};
    trial_create(&t);
    trial_choose_rows(&t, out);
    if (loud) {
        trial_say(&t);
        trial_say_indices("ptr", t.m.ptr, t.m.n + 1);
        if (t.m.nnz <= 200) trial_say_indices("idx", t.m.idx, t.m.nnz);
    }
    t.row[0] = &out->attack[TALLY_START];
    warplu_status status = warplu_create(&t.solver, &t.options);
    if (status == WARPLU_SUCCESS) status = trial_analyze(&t, t.solver);
    expect(&t, status == WARPLU_SUCCESS, "analyze", status);
    int rounds = 2 + check_below(&t.seed, ROUNDS - 1);
    for (; t.round < rounds && status == WARPLU_SUCCESS; t.round++) {
        if (t.round > 0) attack(&t);
        t.row[0] = &out->attack[t.round == 0 ? (int)TALLY_START : (int)t.attack];
        replay(&t);
        for (int k = 1 + check_below(&t.seed, 3); k > 0; k--) solve_once(&t);
    }
    trial_free(&t);
}
