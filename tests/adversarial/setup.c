/* What a trial consists of. See state.h. */
#include "state.h"

#include <warplu/complex.h>

#include "pivot/attempts.h"
#include "solver/parts.h"
#include "draw.h"
#include "support/stages.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LARGEST_JUDGED = 200 };

/* ------------------------------------------------------------------- say */

void trial_say_numbers(const char *name, const double *x, int64_t count)
{
    printf("#   %s = {", name);
    for (int64_t k = 0; k < count; k++) printf("%s%.17g", k ? ", " : "", x[k]);
    printf("}\n");
}

void trial_say_indices(const char *name, const int32_t *x, int64_t count)
{
    printf("#   %s = {", name);
    for (int64_t k = 0; k < count; k++) printf("%s%" PRId32, k ? ", " : "", x[k]);
    printf("}\n");
}

static const char *const orderings[] = {"auto", "natural", "amd", "colamd", "metis", "given"};
static const char *const scalings[] = {"none", "sum", "max"}, *const checks[] = {"off", "suspect", "always"};

void trial_say(const trial *t)
{
    const warplu_options *o = &t->options;
    printf("# case %" PRId64 ": %s, n %" PRId32 ", nnz %" PRId32 "; %s, ordering %s, btf %d, scaling %s, check %s, "
           "%s, tolerance %g, steps %d, values %s\n",
           t->number, t->name, t->m.n, t->m.nnz, o->storage == WARPLU_STORAGE_CSR ? "csr" : "csc",
           orderings[o->ordering], o->btf, scalings[o->scaling], checks[o->check],
           o->executor == WARPLU_EXECUTOR_REFERENCE ? "reference" : "cpu", o->pivot_tolerance, o->max_refinement_steps,
           t->m.nnz % 2 ? "at analyze" : "not at analyze");
    if (trial_doubles(t) > 1) printf("#   complex: %s\n", turn_name(t->usual.kind));
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
    warplu_init_options(o);
    if (t->out->of_complex) o->scalar = WARPLU_SCALAR_COMPLEX;
    o->check = check_below(s, 10) < 7 ? WARPLU_CHECK_SUSPECT : WARPLU_CHECK_ALWAYS;
    o->ordering = check_below(s, 2) ? WARPLU_ORDERING_NATURAL : WARPLU_ORDERING_AUTO;
    o->btf = check_below(s, 2);
    o->scaling = (warplu_scaling)pick(s, 5, WARPLU_SCALING_MAX, WARPLU_SCALING_NONE, WARPLU_SCALING_SUM);
    o->storage = check_below(s, 3) == 0 ? WARPLU_STORAGE_CSR : WARPLU_STORAGE_CSC;
    o->executor = check_below(s, 5) == 0 ? WARPLU_EXECUTOR_REFERENCE : WARPLU_EXECUTOR_CPU;
    o->pivot_tolerance = pick(s, 7, 0.001, 1.0, 0.0);
    if (check_below(s, 10) == 0) o->max_refinement_steps = 0;
    t->wants = check_below(s, 4) ? check_below(s, 2) * 2 : 1;
    t->apart = draw_seed(*s, t->number);
    t->stages = check_below(&t->apart, 2) ? draw_stages(&t->apart, check_below(&t->apart, 3)) : 0;
}

void trial_add_row(trial *t, tally *row)
{
    t->row[t->rows++] = row;
}

void trial_choose_rows(trial *t, tallies *out)
{
    const warplu_options *o = &t->options;
    trial_add_row(t, NULL); /* the attack's */
    trial_add_row(t, &out->total);
    trial_add_row(t, tally_option(out, o->check == WARPLU_CHECK_ALWAYS ? "check always" : "check suspect"));
    trial_add_row(t, tally_option(out, o->pivot_tolerance == 0.0   ? "tolerance 0"
                                       : o->pivot_tolerance == 1.0 ? "tolerance 1"
                                                                   : "tolerance 0.001"));
    trial_add_row(t, tally_option(out, o->scaling == WARPLU_SCALING_NONE  ? "scaling none"
                                       : o->scaling == WARPLU_SCALING_SUM ? "scaling sum"
                                                                          : "scaling max"));
    trial_add_row(t, tally_option(out, o->ordering == WARPLU_ORDERING_NATURAL ? "ordering natural" : "ordering auto"));
    trial_add_row(t, tally_option(out, o->btf ? "btf" : "no btf"));
    trial_add_row(t, tally_option(out, t->stages != 0 ? "growing" : "not growing"));
    trial_add_row(t, tally_option(out, o->storage == WARPLU_STORAGE_CSR ? "csr" : "csc"));
    if (out->of_complex) trial_add_row(t, tally_option(out, turn_name(t->usual.kind)));
    trial_add_row(t, tally_option(out, o->executor == WARPLU_EXECUTOR_CPU ? "executor cpu" : "executor reference"));
}

int32_t trial_doubles(const trial *t)
{
    return test_matrix_doubles(&t->now);
}

int64_t trial_vector(const trial *t)
{
    return (int64_t)trial_doubles(t) * t->m.n;
}

/* Mostly as usual; or anew, all of them. */
void trial_turn(trial *t)
{
    if (trial_doubles(t) == 1) return;
    turn how = draw_one_in(&t->apart, 4) ? turn_draw(&t->apart) : t->usual;
    turn_matrix(&how, &t->m, t->now.x);
}

static double *copy_of(const double *x, int64_t count)
{
    double *y = malloc(((size_t)count + 1) * sizeof *y);
    memcpy(y, x, (size_t)count * sizeof *y);
    return y;
}

void trial_create(trial *t)
{
    size_t n = (size_t)t->m.n;
    draw_options(t);
    t->first = copy_of(t->m.x, t->m.nnz);
    t->now = t->m;
    if (t->out->of_complex) {
        t->now.doubles = 2;
        t->now.x = malloc(2 * ((size_t)t->m.nnz + 1) * sizeof *t->now.x);
        t->usual = turn_draw(&t->apart);
        turn_matrix(&t->usual, &t->m, t->now.x);
    }
    t->first_now = copy_of(t->now.x, test_matrix_values(&t->now));
    t->place = malloc(((size_t)t->m.nnz + 1) * sizeof *t->place);
    test_matrix_to_csr(&t->m, &t->by_rows, t->place);
    t->by_rows.x = realloc(t->by_rows.x, ((size_t)test_matrix_values(&t->now) + 1) * sizeof *t->by_rows.x);
    t->ld = t->m.n + check_below(&t->seed, 3);
    size_t doubles = (size_t)trial_doubles(t), numbers = doubles * MOST_RHS * (size_t)t->ld;
    t->b = calloc(numbers, sizeof *t->b);
    t->kept = calloc(numbers, sizeof *t->kept);
    t->x = calloc(numbers, sizeof *t->x);
    t->trial_x = calloc(doubles * n, sizeof *t->trial_x);
    t->pivot_row = calloc(n, sizeof *t->pivot_row);
    t->pivot_col = calloc(n, sizeof *t->pivot_col);
    for (int32_t i = 0; i < t->m.n; i++) t->pivot_row[i] = t->pivot_col[i] = i;
}

void trial_free(trial *t)
{
    warplu_destroy(&t->solver);
    judge_free(t->truth);
    for (int k = 0; k < t->pivotings; k++) free(t->pivoted_for[k]);
    if (trial_doubles(t) > 1) free(t->now.x);
    test_matrix_free(&t->m);
    test_matrix_free(&t->by_rows);
    test_matrix_free(&t->sum);
    void *rest[] = {t->place, t->first, t->first_now, t->b, t->kept, t->x, t->trial_x, t->pivot_row, t->pivot_col};
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) free(rest[k]);
}

const double *trial_values(trial *t, const double *values)
{
    if (t->options.storage == WARPLU_STORAGE_CSC) return values;
    const size_t doubles = (size_t)trial_doubles(t);
    for (size_t q = 0; q < (size_t)t->m.nnz; q++)
        memcpy(t->by_rows.x + doubles * q, values + doubles * (size_t)t->place[q], doubles * sizeof *values);
    return t->by_rows.x;
}

warplu_status trial_analyze(trial *t, warplu_solver *solver)
{
    const test_matrix *m = t->options.storage == WARPLU_STORAGE_CSR ? &t->by_rows : &t->m;
    const double *values = t->m.nnz % 2 ? trial_values(t, t->first_now) : NULL;
    if (draws_first_replay(t->stages)) test_replay_first(solver);
    return warplu_analyze(solver, m->n, m->ptr, m->idx, values);
}

/* --------------------------------------------------------- what is in use */

void trial_remember_pivoting(trial *t)
{
    if (t->pivotings == sizeof t->pivoted_for / sizeof *t->pivoted_for) return;
    t->pivoted_for[t->pivotings++] = copy_of(t->now.x, test_matrix_values(&t->now));
    t->pivots_known = 0;
}

/* Pivots of the values by the phases that choose them; known: the analysis reads these values, or NULL. */
static warplu_status build_pivots(trial *t, const double *values, const double *known)
{
    wlu_context ctx;
    wlu_pattern *a = NULL;
    wlu_analysis *analysis = NULL;
    wlu_pivots *pivots = NULL;
    wlu_factors *factors = NULL;
    size_t count = (size_t)test_matrix_values(&t->now) + 1;
    double *entries = malloc(2 * count * sizeof *entries), *first = entries + count;
    wlu_context_init(&ctx, &t->options);
    warplu_status status = wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, t->m.n, t->m.ptr, t->m.idx, &a);
    if (status == WARPLU_SUCCESS) {
        a->doubles = trial_doubles(t);
        wlu_pattern_gather(a, values, entries);
        if (known != NULL) wlu_pattern_gather(a, known, first);
        status = wlu_analysis_create(&ctx, &t->options, &wlu_cost_cpu, &a, known != NULL ? first : NULL,
                                     WLU_DEPTH_RACED, &analysis);
    }
    if (status == WARPLU_SUCCESS)
        status = wlu_pivots_create(&ctx, &t->options, &wlu_cost_cpu, analysis, entries, NULL, &pivots, &factors);
    if (status == WARPLU_SUCCESS) {
        memcpy(t->pivot_row, pivots->row, (size_t)t->m.n * sizeof *t->pivot_row);
        memcpy(t->pivot_col, pivots->col, (size_t)t->m.n * sizeof *t->pivot_col);
    }
    wlu_pivots_destroy(&ctx, &pivots);
    wlu_factors_destroy(&ctx, &factors);
    wlu_analysis_destroy(&ctx, &analysis);
    wlu_pattern_destroy(&ctx, &a);
    free(entries);
    return status;
}

/* Those of a solver that grows, which come from its own analysis. */
static void copy_pivots(trial *t)
{
    const wlu_pivots *pivots = wlu_solver_pivots(t->solver);
    if (pivots == NULL) return;
    memcpy(t->pivot_row, pivots->row, (size_t)t->m.n * sizeof *t->pivot_row);
    memcpy(t->pivot_col, pivots->col, (size_t)t->m.n * sizeof *t->pivot_col);
}

void trial_find_pivots(trial *t)
{
    if (t->stages != 0) {
        copy_pivots(t);
        return;
    }
    if (t->pivots_known || t->pivotings == 0) return;
    const double *values = t->pivoted_for[t->pivotings - 1];
    t->pivots_known = 1;
    if (build_pivots(t, values, t->m.nnz % 2 ? t->first_now : NULL) < 0) build_pivots(t, values, values);
}

warplu_status trial_solve(warplu_solver *s, int op, int32_t nrhs, const double *b, int32_t ldb, double *x, int32_t ldx)
{
    if (op == JUDGE_CONJUGATE) return warplu_solve_conjugate_transposed(s, nrhs, b, ldb, x, ldx);
    return (op ? warplu_solve_transposed : warplu_solve)(s, nrhs, b, ldb, x, ldx);
}

double trial_error_of_old_pivots(trial *t, int op, const double *b)
{
    warplu_options options = t->options;
    warplu_solver *old = NULL;
    int32_t n = t->m.n;
    options.check = WARPLU_CHECK_OFF;
    warplu_status status = t->before_repivot > 0 ? warplu_create(&old, &options) : WARPLU_WRONG_PHASE;
    if (status >= 0) status = trial_analyze(t, old);
    for (int k = 0; k < t->before_repivot && status >= 0; k++)
        status = warplu_factor(old, trial_values(t, t->pivoted_for[k]));
    if (status >= 0) status = warplu_refactor(old, trial_values(t, t->now.x));
    if (status >= 0) status = trial_solve(old, op, 1, b, n, t->trial_x, n);
    warplu_destroy(&old);
    return status >= 0 ? judge_backward_error(&t->sum, op, b, t->trial_x) : INFINITY;
}

const judge_factors *trial_truth(trial *t)
{
    if (!t->truth_known && trial_vector(t) <= LARGEST_JUDGED) t->truth = judge_factor(&t->sum);
    t->truth_known = 1;
    return t->truth;
}
