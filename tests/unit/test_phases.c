/* Every call in every phase that a solver on the host can be in: which are allowed, and where they lead, with success
 * and without. What is expected is said here once more, not taken from the table of phases that the solver goes by.
 * Calls on device pointers are in tests/cuda. */
#include <warplu/complex.h>
#include <warplu/device.h>
#include <warplu/inspect.h>
#include <warplu/save.h>

#include "check.h"

#include "solver/solver.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { N = 2, SIDES = 1 };

static const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
static const int64_t ptr64[] = {0, 2, 4}, idx64[] = {0, 1, 0, 1};
/* `weak` is weak for the pivots of `good`, and takes new ones. */
static const double good[] = {1, 1, 1, 2}, weak[] = {1e-16, 1, 1, 2}, broken[] = {1, NAN, 1, 2};
static const double singular[] = {1, 1, 1, 1}, b[] = {1, 3}, not_finite[] = {NAN, 1};

static char folder[] = "phases-XXXXXX";
static char with_pivots[64], without_pivots[64], missing[64], written[64];

static warplu_solver *make(void)
{
    warplu_options o;
    warplu_solver *s = NULL;
    warplu_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.btf = 0;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && s->phase == WLU_EMPTY);
    return s;
}

/* A solver in a phase. */
static warplu_solver *make_in(wlu_phase phase)
{
    warplu_solver *s = make();
    if (phase >= WLU_ANALYZED) CHECK(warplu_analyze(s, N, ptr, idx, NULL) == WARPLU_SUCCESS);
    if (phase >= WLU_PIVOTED) CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && s->phase == WLU_FACTORED);
    if (phase == WLU_PIVOTED) CHECK(warplu_refactor(s, broken) == WARPLU_NOT_FINITE);
    if (phase == WLU_REPLAYED) CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS);
    CHECK(s->phase == phase);
    return s;
}

static warplu_status clone(const warplu_solver *s)
{
    warplu_solver *c = NULL;
    warplu_status status = warplu_clone(&c, s);
    if (status == WARPLU_SUCCESS) CHECK(c->phase == (s->phase == WLU_ANALYZED ? WLU_ANALYZED : WLU_PIVOTED));
    warplu_destroy(&c);
    return status;
}

/* The call, with arguments that suit it. */
static warplu_status run_call(warplu_solver *s, wlu_call call)
{
    double x[N], number;
    int32_t count;
    int64_t exponent;
    warplu_pivot list[N];
    warplu_factors_view view = {.size = sizeof view};
    warplu_device_health health = {.size = sizeof health};
    const warplu_device_verdict *verdict;
    switch (call) {
    case WLU_CALL_ANALYZE: return warplu_analyze(s, N, ptr, idx, NULL);
    case WLU_CALL_ANALYZE64: return warplu_analyze64(s, N, ptr64, idx64, NULL);
    case WLU_CALL_RESTORE: return warplu_restore(s, with_pivots);
    case WLU_CALL_SAVE: return warplu_save(s, written);
    case WLU_CALL_SAVE_PROGRAM: return warplu_save_program(s, written);
    case WLU_CALL_CLONE: return clone(s);
    case WLU_CALL_CHECK_PATTERN: return warplu_check_pattern(s, N, ptr, idx);
    case WLU_CALL_GET_POSITION: return warplu_get_position(s, 0, 0, &count);
    case WLU_CALL_EXTRACT_ORDER: return warplu_extract_order(s, NULL, NULL, NULL, &count);
    case WLU_CALL_COMPUTE_BACKWARD_ERROR: return warplu_compute_backward_error(s, 0, good, SIDES, b, N, b, N, &number);
    case WLU_CALL_FACTOR: return warplu_factor(s, good);
    case WLU_CALL_REFACTOR: return warplu_refactor(s, good);
    case WLU_CALL_SOLVE: return warplu_solve(s, SIDES, b, N, x, N);
    case WLU_CALL_SOLVE_TRANSPOSED: return warplu_solve_transposed(s, SIDES, b, N, x, N);
    case WLU_CALL_SOLVE_CONJUGATE_TRANSPOSED: return warplu_solve_conjugate_transposed(s, SIDES, b, N, x, N);
    case WLU_CALL_ESTIMATE_CONDITION: return warplu_estimate_condition(s, good, &number);
    case WLU_CALL_ESTIMATE_SKEEL_CONDITION: return warplu_estimate_skeel_condition(s, good, NULL, &number);
    case WLU_CALL_BOUND_FORWARD_ERROR: return warplu_bound_forward_error(s, 0, good, SIDES, b, N, b, N, &number);
    case WLU_CALL_COMPUTE_PIVOT_GROWTH: return warplu_compute_pivot_growth(s, good, &number);
    case WLU_CALL_COMPUTE_DETERMINANT: return warplu_compute_determinant(s, &number, &exponent);
    case WLU_CALL_LIST_PIVOTS: return warplu_list_pivots(s, good, INFINITY, N, list, &count);
    case WLU_CALL_GET_PIVOTS_NUMBER: return warplu_get_pivots_number(s, &exponent);
    case WLU_CALL_EXTRACT_DIAGONAL: return warplu_extract_diagonal(s, x, NULL, NULL);
    case WLU_CALL_EXTRACT_FACTORS: return warplu_extract_factors(s, &view);
    case WLU_CALL_REFACTOR_DEVICE: return warplu_refactor_device(s, good, NULL);
    case WLU_CALL_SOLVE_DEVICE: return warplu_solve_device(s, 0, SIDES, b, N, x, N, NULL);
    case WLU_CALL_REFACTOR_SOLVE_DEVICE: return warplu_refactor_solve_device(s, good, 0, SIDES, b, N, x, N, NULL);
    case WLU_CALL_FINISH_DEVICE: return warplu_finish_device(s, good, NULL);
    case WLU_CALL_GET_DEVICE_HEALTH: return warplu_get_device_health(s, &health);
    case WLU_CALL_GET_DEVICE_VERDICT: return warplu_get_device_verdict(s, &verdict);
    case WLU_CALLS: break;
    }
    return WARPLU_INTERNAL;
}

/* Whether what the call needs is there: nothing, an analysis, pivots, or factors. */
static int is_allowed(wlu_call call, wlu_phase phase)
{
    if (call == WLU_CALL_ANALYZE || call == WLU_CALL_ANALYZE64 || call == WLU_CALL_RESTORE) return 1;
    if (call == WLU_CALL_SAVE_PROGRAM) return phase >= WLU_PIVOTED;
    return call <= WLU_CALL_REFACTOR ? phase >= WLU_ANALYZED : phase == WLU_FACTORED || phase == WLU_REPLAYED;
}

static wlu_phase expected_after(wlu_call call, wlu_phase before)
{
    if (call == WLU_CALL_ANALYZE || call == WLU_CALL_ANALYZE64) return WLU_ANALYZED;
    if (call == WLU_CALL_RESTORE) return WLU_PIVOTED;
    if (call == WLU_CALL_FACTOR || (call == WLU_CALL_REFACTOR && before == WLU_ANALYZED)) return WLU_FACTORED;
    return call == WLU_CALL_REFACTOR ? WLU_REPLAYED : before;
}

static void calls_are_allowed_where_they_find_what_they_need(void)
{
    for (int p = WLU_EMPTY; p <= WLU_REPLAYED; p++)
        for (int k = 0; k < WLU_CALLS; k++) {
            wlu_phase before = (wlu_phase)p;
            wlu_call call = (wlu_call)k;
            warplu_solver *s = make_in(before);
            warplu_status status = run_call(s, call);
            const char *name = wlu_call_name(call);
            if (wlu_call_needs_program(call)) {
                CHECK_SAY(status == WARPLU_NOT_COMPILED && s->phase == before, "%s: %s", name,
                          warplu_status_name(status));
            } else if (!is_allowed(call, before)) {
                int says = call == WLU_CALL_CLONE || call == WLU_CALL_GET_POSITION || call == WLU_CALL_EXTRACT_ORDER ||
                           call == WLU_CALL_GET_PIVOTS_NUMBER || call == WLU_CALL_COMPUTE_BACKWARD_ERROR ||
                           strstr(warplu_get_message(s), name) != NULL;
                CHECK_SAY(status == WARPLU_WRONG_PHASE && s->phase == before && says, "%s in %d: %s, then %d, '%s'",
                          name, before, warplu_status_name(status), s->phase, warplu_get_message(s));
            } else {
                wlu_phase after = expected_after(call, before);
                CHECK_SAY(status == WARPLU_SUCCESS && s->phase == after, "%s in %d: %s, then %d, not %d", name, before,
                          warplu_status_name(status), s->phase, after);
            }
            warplu_destroy(&s);
        }
}

/* Work that fails takes the factors along; the rest stays. */
static void failures_of_factor_and_refactor_leave_no_factors(void)
{
    for (int p = WLU_ANALYZED; p <= WLU_REPLAYED; p++)
        for (int k = 0; k < 6; k++) {
            static const wlu_call calls[] = {WLU_CALL_FACTOR,  WLU_CALL_REFACTOR, WLU_CALL_FACTOR,
                                             WLU_CALL_ANALYZE, WLU_CALL_RESTORE,  WLU_CALL_SOLVE};
            static const int32_t no_pointers[] = {0, 5, 4};
            double x[N];
            wlu_phase before = (wlu_phase)p;
            warplu_solver *s = make_in(before);
            if (!is_allowed(calls[k], before)) {
                warplu_destroy(&s);
                continue;
            }
            warplu_status status = k == 0   ? warplu_factor(s, broken)
                                   : k == 1 ? warplu_refactor(s, broken)
                                   : k == 2 ? warplu_factor(s, singular)
                                   : k == 3 ? warplu_analyze(s, N, no_pointers, idx, NULL)
                                   : k == 4 ? warplu_restore(s, missing)
                                            : warplu_solve(s, SIDES, not_finite, N, x, N);
            wlu_phase after = k > 2 ? before : before == WLU_ANALYZED ? WLU_ANALYZED : WLU_PIVOTED;
            CHECK_SAY(status < 0 && s->phase == after, "%s in %d: %s, then %d, not %d", wlu_call_name(calls[k]), before,
                      warplu_status_name(status), s->phase, after);
            warplu_destroy(&s);
        }
}

/* A call that is refused for its arguments changes nothing. */
static void refused_calls_change_nothing(void)
{
    double x[N], number;
    warplu_solver *s = make_in(WLU_REPLAYED);
    CHECK(warplu_factor(s, NULL) == WARPLU_INVALID_ARGUMENT && warplu_refactor(s, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(strstr(warplu_get_message(s), "warplu_refactor") != NULL);
    CHECK(warplu_solve(s, SIDES, b, N - 1, x, N) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_solve(s, SIDES, NULL, N, x, N) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_solve(s, -1, b, N, x, N) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_solve(s, SIDES, x, N, x, N + 1) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_bound_forward_error(s, 0, good, SIDES, b, N, NULL, N, &number) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_save(s, NULL) == WARPLU_INVALID_ARGUMENT && warplu_restore(s, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(s->phase == WLU_REPLAYED && warplu_solve(s, SIDES, b, N, x, N) == WARPLU_SUCCESS);
    CHECK(warplu_solve(NULL, SIDES, b, N, x, N) == WARPLU_INVALID_ARGUMENT);
    warplu_destroy(&s);
}

/* Pivots that a call chooses are fresh after it, whatever it is. */
static void new_pivots_lead_to_factored(void)
{
    warplu_solver *s = make_in(WLU_REPLAYED);
    double x[N];
    CHECK(warplu_refactor(s, weak) == WARPLU_REPIVOTED && s->phase == WLU_FACTORED);
    CHECK(warplu_refactor(s, weak) == WARPLU_SUCCESS && s->phase == WLU_REPLAYED);
    CHECK(warplu_refactor(s, good) >= 0 && s->phase == WLU_REPLAYED); /* by earlier pivots, or these */
    CHECK(warplu_solve(s, SIDES, b, N, x, N) == WARPLU_SUCCESS && s->phase == WLU_REPLAYED);
    warplu_destroy(&s);
}

/* A file has pivots, or it has none. */
static void restored_phases_follow_from_the_file(void)
{
    warplu_solver *s = make();
    CHECK(warplu_restore(s, without_pivots) == WARPLU_SUCCESS && s->phase == WLU_ANALYZED);
    CHECK(warplu_restore(s, with_pivots) == WARPLU_SUCCESS && s->phase == WLU_PIVOTED);
    CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS && s->phase == WLU_REPLAYED);
    warplu_destroy(&s);
}

static void save_files(void)
{
    snprintf(with_pivots, sizeof with_pivots, "%s/with", folder);
    snprintf(without_pivots, sizeof without_pivots, "%s/without", folder);
    snprintf(written, sizeof written, "%s/written", folder);
    snprintf(missing, sizeof missing, "%s/missing", folder);
    warplu_solver *s = make();
    CHECK(warplu_analyze(s, N, ptr, idx, NULL) == WARPLU_SUCCESS && warplu_save(s, without_pivots) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && warplu_save(s, with_pivots) == WARPLU_SUCCESS);
    warplu_destroy(&s);
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    save_files();
    RUN(calls_are_allowed_where_they_find_what_they_need);
    RUN(failures_of_factor_and_refactor_leave_no_factors);
    RUN(refused_calls_change_nothing);
    RUN(new_pivots_lead_to_factored);
    RUN(restored_phases_follow_from_the_file);
    unlink(with_pivots);
    unlink(without_pivots);
    unlink(written);
    rmdir(folder);
    return check_done();
}
