/* Never a wrong answer with a success code: singular matrices name a column and keep the analysis, weak replays are
 * pivoted again, suspect ones are checked, and what cannot be mended is a warning. */
#include <warplu/inspect.h>

#include "check.h"

#include "support/dense.h"
#include "support/matrices.h"
#include "support/wide.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

/* Full matrices by columns. */
static const int32_t ptr2[] = {0, 2, 4}, idx2[] = {0, 1, 0, 1};
static const int32_t ptr3[] = {0, 3, 6, 9}, idx3[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};

static warplu_solver *make(warplu_check check, int32_t n, const int32_t *ptr, const int32_t *idx)
{
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.btf = 0;
    o.check = check;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, n, ptr, idx, NULL) == WARPLU_SUCCESS);
    return s;
}

/* [1 1; 1 2], then [1e-16 1; 1 2]. */
static void a_weak_pivot_is_pivoted_again(void)
{
    const double good[] = {1, 1, 1, 2}, weak[] = {1e-16, 1, 1, 2}, b[] = {1, 3};
    double x[2];
    warplu_statistics t = {.size = sizeof t};
    warplu_solver *s = make(WARPLU_CHECK_SUSPECT, 2, ptr2, idx2);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s, weak) == WARPLU_REPIVOTED);
    CHECK(warplu_get_message(s)[0] != '\0');
    CHECK(warplu_solve(s, 1, b, 2, x, 2) == WARPLU_SUCCESS);
    CHECK_SAY(fabs(x[0] - 1.0) < 1e-14 && fabs(x[1] - 1.0) < 1e-14, "(%.17g, %.17g)", x[0], x[1]);
    CHECK(warplu_refactor(s, weak) == WARPLU_SUCCESS); /* the new pivots are kept */
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS && t.repivots == 1 && t.factors == 1 && t.refactors == 2);
    warplu_destroy(&s);
    s = make(WARPLU_CHECK_OFF, 2, ptr2, idx2);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s, weak) == WARPLU_SUCCESS); /* the caller asked for no judgement */
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS && t.repivots == 0);
    warplu_destroy(&s);
}

/* Pivots of [1 1 0; 0 1 .5; 1 1 1] replayed on [e 1 0; 0 1 e; 1 1 1], where growth alone sees nothing. */
static void growth_is_not_enough(void)
{
    const double good[] = {1, 0, 1, 1, 1, 1, 0, 0.5, 1};
    for (int check = WARPLU_CHECK_SUSPECT; check <= WARPLU_CHECK_REPLAYS; check++)
        for (int k = 1; k <= 18; k++)
            for (int transposed = 0; transposed <= 1; transposed++) {
                double e = pow(10.0, -k), values[] = {e, 0, 1, 1, 1, 1, 0, e, 1}, x[3];
                const double b[] = {1, 1, 4};
                warplu_solver *s = make((warplu_check)check, 3, ptr3, idx3);
                CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
                warplu_status first = warplu_refactor(s, values);
                warplu_status status =
                    transposed ? warplu_solve_transposed(s, 1, b, 3, x, 3) : warplu_solve(s, 1, b, 3, x, 3);
                double omega = test_dense_backward_error(3, values, transposed, b, x);
                int claimed = status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED;
                CHECK_SAY(first >= 0 && claimed && omega <= 1e-10, "e = 1e-%d: refactor %d, solve %d, omega %g", k,
                          first, status, omega);
                warplu_destroy(&s);
            }
}

/* Column 2 is zero, or (first) equal to column 1. */
static void singular_values_name_the_column(void)
{
    const double good[] = {4, 1, 1, 1, 4, 1, 1, 1, 4}, equal[] = {4, 1, 1, 1, 4, 1, 1, 4, 1};
    const double singular[] = {4, 1, 1, 1, 4, 1, 0, 0, 0}, b[] = {6, 6, 6};
    double x[3];
    warplu_solver *s = make(WARPLU_CHECK_SUSPECT, 3, ptr3, idx3);
    CHECK(warplu_factor(s, equal) == WARPLU_SINGULAR);
    CHECK_SAY(strstr(warplu_get_message(s), "column 2") != NULL, "'%s'", warplu_get_message(s));
    CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_WRONG_PHASE);
    CHECK(warplu_refactor(s, singular) == WARPLU_SINGULAR);
    CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS);
    CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_SUCCESS && fabs(x[2] - 1.0) < 1e-14);
    CHECK(warplu_refactor(s, singular) == WARPLU_SINGULAR); /* now as a replay */
    CHECK(strstr(warplu_get_message(s), "column 2") != NULL);
    CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_WRONG_PHASE);
    CHECK(warplu_solve_transposed(s, 1, b, 3, x, 3) == WARPLU_WRONG_PHASE);
    CHECK(warplu_refactor(s, good) >= 0);
    CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_SUCCESS && fabs(x[2] - 1.0) < 1e-14);
    double zero[9] = {0};
    CHECK(warplu_refactor(s, zero) == WARPLU_SINGULAR && warplu_factor(s, zero) == WARPLU_SINGULAR);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && warplu_solve(s, 1, b, 3, x, 3) == WARPLU_SUCCESS);
    warplu_destroy(&s);
}

static void structural_singularity_is_named(void)
{
    const int32_t ptr[] = {0, 2, 2, 3}, idx[] = {0, 1, 2};
    warplu_solver *s = NULL;
    CHECK(check_create(&s) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, 3, ptr, idx, NULL) == WARPLU_STRUCTURALLY_SINGULAR);
    CHECK_SAY(strstr(warplu_get_message(s), "column 1") != NULL, "'%s'", warplu_get_message(s));
    warplu_destroy(&s);
}

/* Rows and columns given leave no choice: the answer is poor, and says so. */
static void what_cannot_be_mended_is_a_warning(void)
{
    const double values[] = {1e-20, 1, 1, 1}, b[] = {1, 3};
    const int32_t order[] = {0, 1};
    double x[2];
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_GIVEN;
    o.row_order = o.col_order = order;
    o.scaling = WARPLU_SCALING_NONE;
    o.max_refinement_steps = 0;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr2, idx2, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, values) >= 0);
    CHECK(warplu_solve(s, 1, b, 2, x, 2) == WARPLU_INACCURATE);
    CHECK(warplu_get_message(s)[0] != '\0');
    warplu_destroy(&s);
}

/* Overflow inside the factorization of finite values. */
static void overflow_is_no_success(void)
{
    const double good[] = {1, 1, 1, 2}, huge[] = {1, 1e200, 1e200, 1}, b[] = {1, 1};
    double x[2];
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.scaling = WARPLU_SCALING_NONE;
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.pivot_tolerance = 0.0;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr2, idx2, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    warplu_status status = warplu_refactor(s, huge);
    if (status >= 0) status = warplu_solve(s, 1, b, 2, x, 2);
    CHECK_SAY(status != WARPLU_SUCCESS, "%s", warplu_status_name(status));
    CHECK(warplu_refactor(s, good) >= 0 && warplu_solve(s, 1, b, 2, x, 2) >= 0);
    warplu_destroy(&s);
}

/* The largest |b - A x|_i / (|A||x| + |b|)_i of two equations, in wide arithmetic. */
static double wide_error(const double *a, int transposed, const double *b, const double *x)
{
    double worst = 0.0;
    for (int i = 0; i < 2; i++) {
        wide r = b[i], sums = wide_abs(b[i]);
        for (int j = 0; j < 2; j++) {
            wide term = (wide)a[transposed ? 2 * i + j : 2 * j + i] * (wide)x[j];
            r -= term;
            sums += wide_abs(term);
        }
        worst = fmax(worst, sums > 0 ? (double)(wide_abs(r) / sums) : 0.0);
    }
    return worst;
}

/* Pivots of s [1 1; 1 .5] replayed on s [e 1; 1 1], numbers near the largest there are, b from x = (0.36, 0.3). Returns
 * the error of an answer: small, or said to be large. -1: there is none, for it overflows on the way. */
static double answer_near_overflow(warplu_on_weak weak, int transposed, double s, double e)
{
    const double good[] = {s, s, s, 0.5 * s}, values[] = {e * s, s, s, s}, b[] = {(0.36 * e + 0.3) * s, 0.66 * s};
    double x[2], omega, truth = -1.0;
    warplu_options o;
    warplu_solver *solver = NULL;
    check_init_options(&o);
    o.check = WARPLU_CHECK_ALWAYS;
    o.on_weak = weak;
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.btf = 0;
    CHECK(warplu_create(&solver, &o) == WARPLU_SUCCESS &&
          warplu_analyze(solver, 2, ptr2, idx2, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(solver, good) >= 0 && warplu_refactor(solver, values) >= 0);
    warplu_status status =
        transposed ? warplu_solve_transposed(solver, 1, b, 2, x, 2) : warplu_solve(solver, 1, b, 2, x, 2);
    if (status >= 0) {
        truth = wide_error(values, transposed, b, x);
        CHECK_SAY(truth <= 1e-10 || status == WARPLU_INACCURATE, "s = %g, e = %g, weak %d: %s, x = %g, error %g", s, e,
                  weak, warplu_status_name(status), x[0], truth);
        CHECK(warplu_compute_backward_error(solver, transposed, values, 1, b, 2, x, 2, &omega) == WARPLU_SUCCESS);
        CHECK_SAY(fabs(omega - truth) <= 1e-15 + 1e-12 * truth, "error %g, told %g", truth, omega);
    } else {
        CHECK(status == WARPLU_NOT_FINITE && weak != WARPLU_ON_WEAK_REPIVOT);
    }
    warplu_destroy(&solver);
    return truth;
}

static void near_overflow_a_wrong_answer_is_told(void)
{
#ifdef WIDE_MISSING
    SKIP("no arithmetic wider than double");
#endif
    int right = 0, wrong = 0;
    for (int digits = 10; digits <= 18; digits++)
        for (int k = 0; k < 6; k++)
            for (double s = 5.5e307; s < 1.75e308; s += 1.5e307) {
                double error = answer_near_overflow((warplu_on_weak)(k / 2), k % 2, s, pow(10.0, -digits));
                right += error >= 0.0 && error <= 1e-10;
                wrong += error > 1e-10;
            }
    CHECK_SAY(right > 0 && wrong > 0, "%d right, %d wrong", right, wrong);
}

/* The solution of 1.5e308 x = 1.5e307 is 0.1, whatever |b| / |x| comes to. */
static void near_overflow_a_wrong_x_is_told(void)
{
    const double values[] = {1.5e308, 0.0, 0.0, 1.5e308}, b[] = {1.5e307, 1.5e307};
    static const double wrong[] = {-0.29, 0.0, 0.1000001, 0.3, 1e-300, 1.0, 1e300};
    double omega;
    warplu_solver *s = make(WARPLU_CHECK_ALWAYS, 2, ptr2, idx2);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        for (int transposed = 0; transposed <= 1; transposed++) {
            const double x[] = {0.1, wrong[k]};
            double truth = fabs(0.1 - wrong[k]) / (0.1 + fabs(wrong[k]));
            CHECK(warplu_compute_backward_error(s, transposed, values, 1, b, 2, x, 2, &omega) == WARPLU_SUCCESS);
            CHECK_SAY(fabs(omega - truth) <= 1e-9 * truth, "x = %g: error %g, told %g", wrong[k], truth, omega);
        }
    warplu_destroy(&s);
}

/* Normwise backward error: the largest |b - A x| over |A||x| + |b|, each by its largest entry. */
static double normwise_error(int32_t n, const double *a, const double *b, const double *x)
{
    double r = 0.0, anorm = 0.0, xnorm = 0.0, bnorm = 0.0;
    for (int32_t i = 0; i < n; i++) {
        long double ri = b[i];
        double sum = 0.0;
        for (int32_t j = 0; j < n; j++) {
            ri -= (long double)a[(size_t)j * (size_t)n + (size_t)i] * x[j];
            sum += fabs(a[(size_t)j * (size_t)n + (size_t)i]);
        }
        r = fmax(r, fabs((double)ri));
        anorm = fmax(anorm, sum);
        xnorm = fmax(xnorm, fabs(x[i]));
        bnorm = fmax(bnorm, fabs(b[i]));
    }
    return r / (anorm * xnorm + bnorm);
}

typedef struct tally {
    int repivoted, warned;
    double worst; /* componentwise, of what was called a success */
} tally;

/* Six replays of one matrix, a quarter of its values times 1e-8 to 1e8 between them. */
static void violent_sequence(test_matrix *m, warplu_check check, uint64_t *seed, tally *all)
{
    double b[40], x[40];
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.check = check;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, m->n, m->ptr, m->idx, NULL) == WARPLU_SUCCESS);
    for (int round = 0; round < 6; round++) {
        warplu_status first = warplu_refactor(s, m->x);
        for (int32_t i = 0; i < m->n; i++) b[i] = check_uniform(seed) - 0.5;
        warplu_status status = first >= 0 ? warplu_solve(s, 1, b, m->n, x, m->n) : first;
        if (status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED) {
            double *dense = test_matrix_dense(m), omega = test_dense_backward_error(m->n, dense, 0, b, x);
            double normwise = normwise_error(m->n, dense, b, x);
            CHECK_SAY(omega <= 1e-10, "round %d: componentwise %g", round, omega);
            CHECK_SAY(normwise <= 1e-10, "round %d: normwise %g", round, normwise);
            all->worst = fmax(all->worst, omega);
            free(dense);
        }
        all->repivoted += first == WARPLU_REPIVOTED || status == WARPLU_REPIVOTED;
        all->warned += status == WARPLU_INACCURATE || status < 0;
        for (int32_t q = 0; q < m->nnz; q++)
            if (check_below(seed, 4) == 0) m->x[q] *= pow(10.0, 16.0 * check_uniform(seed) - 8.0);
    }
    warplu_destroy(&s);
}

/* Whatever is called a success is one, componentwise, by default and where every solve is checked. */
static void no_wrong_answer_with_a_success_code(void)
{
    for (int check = WARPLU_CHECK_SUSPECT; check <= WARPLU_CHECK_ALWAYS; check++) {
        uint64_t seed = 355113;
        tally all = {0};
        printf("# seed %llu\n", (unsigned long long)seed);
        for (int t = 0; t < 150; t++) {
            if (!check_due()) continue;
            test_recipe r = test_recipe_random(&seed, 40);
            test_matrix m;
            int before = check_failures;
            test_matrix_random(&m, &seed, &r);
            violent_sequence(&m, (warplu_check)check, &seed, &all);
            test_matrix_free(&m);
            if (check_failures > before) printf("#   in try %d: %s, n = %d\n", t, test_shape_name(r.shape), r.n);
        }
        printf("# check %d: %d pivoted again, %d warnings and errors, componentwise error %g at most\n", check,
               all.repivoted, all.warned, all.worst);
        CHECK(all.repivoted > 20);
    }
}

/* The backward error of factor, refactor with the same values, solve; -1 where no success was claimed. */
static double claimed_error(int32_t n, const int32_t *ptr, const int32_t *idx, const double *values, const double *b,
                            int transposed)
{
    double x[16], omega = -1.0;
    warplu_solver *s = make(WARPLU_CHECK_SUSPECT, n, ptr, idx);
    warplu_status status = warplu_factor(s, values);
    if (status == WARPLU_SUCCESS) status = warplu_refactor(s, values);
    if (status >= 0) status = transposed ? warplu_solve_transposed(s, 1, b, n, x, n) : warplu_solve(s, 1, b, n, x, n);
    if (status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED)
        CHECK(warplu_compute_backward_error(s, transposed, values, 1, b, n, x, n, &omega) == WARPLU_SUCCESS);
    warplu_destroy(&s);
    return omega;
}

/* Pivots that are poor from the start: Wilkinson's growth at threshold 0.001, a badly scaled 2 by 2, underflow. */
static void poor_first_pivots_are_no_success(void)
{
    enum { N = 8 };
    int32_t ptr[N + 1], idx[N * N];
    double a[N * N], b[N];
    for (int32_t j = 0; j < N; j++) {
        ptr[j] = j * N;
        b[j] = 1.0 + 0.3 * j;
        for (int32_t i = 0; i < N; i++) {
            idx[j * N + i] = i;
            a[j * N + i] = j == N - 1 ? 1.0 + 0.1 * i : i == j ? 1.0 : i > j ? -(900.0 + 7.0 * i + 3.0 * j) : 0.0;
        }
    }
    ptr[N] = N * N;
    const double scaled[] = {-109457348.97, 53768421715.453552, -3.6958663712909423e27, -1.3948677515354395e-16};
    const double under[] = {1e200, 1, 1, 0}, bs[] = {0.26, 0}, bu[] = {1e-130, 0};
    CHECK_SAY(claimed_error(N, ptr, idx, a, b, 0) <= 1e-10, "%g", claimed_error(N, ptr, idx, a, b, 0));
    CHECK_SAY(claimed_error(2, ptr2, idx2, scaled, bs, 0) <= 1e-10, "%g", claimed_error(2, ptr2, idx2, scaled, bs, 0));
    CHECK_SAY(claimed_error(2, ptr2, idx2, under, bu, 0) <= 1e-10, "%g", claimed_error(2, ptr2, idx2, under, bu, 0));
}

/* max|A_i.| max|x| is 1e400 here: by the second form the first row's error is 1e200 / 1e400, not 0. The second row has
 * none. */
static void products_may_overflow(void)
{
    const int32_t ptr[] = {0, 1, 2}, idx[] = {0, 1};
    const double values[] = {1e200, 0x1p-500}, b[] = {1e200, 0x1p-500 * 1e200}, x[] = {2, 1e200};
    double omega;
    warplu_solver *s = make(WARPLU_CHECK_SUSPECT, 2, ptr, idx);
    CHECK(warplu_compute_backward_error(s, 0, values, 1, b, 2, x, 2, &omega) == WARPLU_SUCCESS);
    CHECK_SAY(fabs(omega / 1e-200 - 1.0) < 1e-12, "%g", omega);
    warplu_destroy(&s);
}

/* Where columns differ in size too much for trials to prove A', a first transposed solve after a refactor that kept no
 * values says that it is unchecked; the next are checked. */
static void late_transposed_solves_are_told_apart(void)
{
    const double values[] = {4, 1, 1e-9, 3e-9}, b[] = {1, 2};
    double x[2];
    warplu_statistics t = {.size = sizeof t};
    warplu_solver *s = make(WARPLU_CHECK_SUSPECT, 2, ptr2, idx2);
    CHECK(warplu_factor(s, values) == WARPLU_SUCCESS);
    for (int k = 0; k < 2; k++) { /* the first solve takes the values, to prove A */
        CHECK(warplu_refactor(s, values) == WARPLU_SUCCESS);
        if (k == 0) CHECK(warplu_solve(s, 1, b, 2, x, 2) == WARPLU_SUCCESS);
    }
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS && t.checked_solves == 0);
    CHECK(warplu_solve_transposed(s, 1, b, 2, x, 2) == WARPLU_UNCHECKED);
    for (int k = 1; k <= 5; k++) {
        CHECK(warplu_refactor(s, values) == WARPLU_SUCCESS);
        CHECK(warplu_solve_transposed(s, 1, b, 2, x, 2) == WARPLU_SUCCESS);
        CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS && t.checked_solves == k);
    }
    warplu_destroy(&s);
}

/* A given column order may be gone after analyze, even if the first values show a weak diagonal. */
static void given_order_is_read_by_analyze_alone(void)
{
    const double values[] = {0, 1, 1, 1}, b[] = {1, 2};
    double x[2];
    warplu_options o;
    warplu_solver *s = NULL;
    int32_t *order = malloc(2 * sizeof *order);
    order[0] = 1;
    order[1] = 0;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_GIVEN;
    o.col_order = order;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, 2, ptr2, idx2, NULL) == WARPLU_SUCCESS);
    free(order);
    CHECK(warplu_factor(s, values) == WARPLU_SUCCESS);
    CHECK(warplu_solve(s, 1, b, 2, x, 2) == WARPLU_SUCCESS && x[0] == 1.0 && x[1] == 1.0);
    warplu_destroy(&s);
}

int main(void)
{
    RUN(a_weak_pivot_is_pivoted_again);
    RUN(growth_is_not_enough);
    RUN(singular_values_name_the_column);
    RUN(structural_singularity_is_named);
    RUN(what_cannot_be_mended_is_a_warning);
    RUN(overflow_is_no_success);
    RUN(near_overflow_a_wrong_answer_is_told);
    RUN(near_overflow_a_wrong_x_is_told);
    RUN(poor_first_pivots_are_no_success);
    RUN(products_may_overflow);
    RUN(late_transposed_solves_are_told_apart);
    RUN(given_order_is_read_by_analyze_alone);
    RUN(no_wrong_answer_with_a_success_code);
    return check_done();
}
