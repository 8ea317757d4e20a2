/* The public API: every status a caller can provoke, phases and arguments, messages, cancellation, the caller's
 * allocator, statistics, solvers on two threads. Weak pivots have test_weak.c. */
#include <warplu/complex.h>
#include <warplu/inspect.h>

#include "check.h"

#include "order/order.h"
#include "support/build.h"
#include "support/options.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* [4 1 0; 1 4 1; 0 1 4] by columns. */
static const int32_t ptr3[] = {0, 2, 5, 7}, idx3[] = {0, 1, 0, 1, 2, 1, 2};
static const double val3[] = {4, 1, 1, 4, 1, 1, 4};

/* What the message function saw last. */
typedef struct heard {
    int count;
    warplu_status status;
    char text[512];
} heard;

static void listen(warplu_status status, const char *text, void *user)
{
    heard *h = user;
    h->count++;
    h->status = status;
    snprintf(h->text, sizeof h->text, "%s", text);
}

static warplu_solver *make(const warplu_options *options)
{
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, options) == WARPLU_SUCCESS && s != NULL);
    return s;
}

static warplu_solver *make_analyzed(const warplu_options *options)
{
    warplu_solver *s = make(options);
    CHECK(warplu_analyze(s, 3, ptr3, idx3, NULL) == WARPLU_SUCCESS);
    return s;
}

static void status_texts(void)
{
    CHECK(strcmp(warplu_status_name(WARPLU_SINGULAR), "WARPLU_SINGULAR") == 0);
    CHECK(strcmp(warplu_status_name(-1000), "WARPLU_?") == 0 && warplu_status_text(-1000) != NULL);
    for (int status = -30; status <= 10; status++)
        CHECK(warplu_status_text(status)[0] != '\0' && strchr(warplu_status_text(status), '\n') == NULL);
    CHECK(strchr(warplu_version(), '.') != NULL);
    CHECK(strcmp(warplu_get_message(NULL), "") == 0);
}

/* One field out of range at a time; the message names it, unless the size keeps the function from being read. */
static void create_refuses_bad_options(void)
{
    warplu_options good, o;
    warplu_solver *s = NULL;
    heard h = {0};
    check_init_options(&good);
#define REFUSED(field, value, status) \
    o = good; \
    o.field = value; \
    o.message = listen; \
    o.message_user = &h; \
    h.text[0] = '\0'; \
    s = (warplu_solver *)&good; \
    CHECK(warplu_create(&s, &o) == (status)); \
    CHECK(s == NULL && (strcmp(#field, "size") == 0 || strstr(h.text, #field) != NULL))
    REFUSED(size, sizeof good - 1, WARPLU_INVALID_ARGUMENT);
    REFUSED(size, 0, WARPLU_INVALID_ARGUMENT);
    REFUSED(size, sizeof good + 8, WARPLU_INVALID_ARGUMENT);
    REFUSED(storage, (warplu_storage)(WARPLU_STORAGE_CSR + 1), WARPLU_INVALID_ARGUMENT);
    REFUSED(ordering, (warplu_ordering)wlu_orderings, WARPLU_INVALID_ARGUMENT);
    REFUSED(ordering, WARPLU_ORDERING_GIVEN, WARPLU_INVALID_ARGUMENT); /* without col_order */
    REFUSED(scaling, (warplu_scaling)(WARPLU_SCALING_MAX + 1), WARPLU_INVALID_ARGUMENT);
    REFUSED(check, (warplu_check)(WARPLU_CHECK_REPLAYS + 1), WARPLU_INVALID_ARGUMENT);
    REFUSED(matching, (warplu_matching)(WARPLU_MATCHING_ALWAYS + 1), WARPLU_INVALID_ARGUMENT);
    REFUSED(executor, (warplu_executor)77, WARPLU_INVALID_ARGUMENT);
    REFUSED(threads, -1, WARPLU_INVALID_ARGUMENT);
    REFUSED(threads, 1025, WARPLU_INVALID_ARGUMENT);
    REFUSED(max_refinement_steps, -1, WARPLU_INVALID_ARGUMENT);
    REFUSED(pivot_tolerance, -0.1, WARPLU_INVALID_ARGUMENT);
    REFUSED(pivot_tolerance, 1.1, WARPLU_INVALID_ARGUMENT);
    REFUSED(pivot_tolerance, NAN, WARPLU_INVALID_ARGUMENT);
    REFUSED(pivot_absolute, -1.0, WARPLU_INVALID_ARGUMENT);
    REFUSED(pivot_absolute, INFINITY, WARPLU_INVALID_ARGUMENT);
    REFUSED(expected_refactors, -1.0, WARPLU_INVALID_ARGUMENT);
    REFUSED(expected_refactors, NAN, WARPLU_INVALID_ARGUMENT);
    REFUSED(max_program_bytes, 0, WARPLU_INVALID_ARGUMENT);
    REFUSED(max_factor_bytes, -1, WARPLU_INVALID_ARGUMENT);
    REFUSED(repeatable, 4, WARPLU_INVALID_ARGUMENT);
    REFUSED(allocate, test_allocate, WARPLU_INVALID_ARGUMENT);
    REFUSED(release, test_release, WARPLU_INVALID_ARGUMENT);
#undef REFUSED
    CHECK(warplu_create(NULL, &good) == WARPLU_INVALID_ARGUMENT);
    warplu_destroy(NULL);
    s = NULL;
    warplu_destroy(&s);
    s = make(NULL);
    warplu_destroy(&s);
    CHECK(s == NULL);
}

#define SAID(field, value, words) \
    warplu_init_options(&o); \
    o.field = value; \
    o.message = listen; \
    o.message_user = &h; \
    CHECK_SAY(warplu_create(&s, &o) < 0 && strcmp(h.text, "option " words) == 0, "%s", h.text)

static void refusals_name_the_range(void)
{
    warplu_options o;
    warplu_solver *s;
    heard h = {0};
    SAID(threads, 2000, "threads: 2000 is out of its range: from 0 to 1024");
    SAID(pivot_tolerance, 1.5, "pivot_tolerance: 1.5 is out of its range: from 0 to 1");
    SAID(pivot_absolute, INFINITY, "pivot_absolute: inf is out of its range: 0 or more, and finite");
    SAID(max_program_bytes, 0, "max_program_bytes: 0 is out of its range: 1 or more");
    SAID(device, -2, "device: -2 is out of its range: -1 or more");
    SAID(check, (warplu_check)9, "check: 9 is out of its range: from 0 to 3");
    SAID(ordering, WARPLU_ORDERING_GIVEN, "ordering: given needs col_order");
    SAID(executor, (warplu_executor)77, "executor: its number is none of warplu_executor");
}
#undef SAID

static void phases_are_kept(void)
{
    double b[3] = {1, 2, 3}, x[3], omega;
    int32_t at;
    warplu_statistics t = {.size = sizeof t};
    warplu_solver *s = make(NULL);
    CHECK(warplu_factor(s, val3) == WARPLU_WRONG_PHASE);
    CHECK(warplu_refactor(s, val3) == WARPLU_WRONG_PHASE);
    CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_WRONG_PHASE);
    CHECK(warplu_solve_transposed(s, 1, b, 3, x, 3) == WARPLU_WRONG_PHASE);
    CHECK(warplu_get_position(s, 0, 0, &at) == WARPLU_WRONG_PHASE);
    CHECK(warplu_compute_backward_error(s, 0, val3, 1, b, 3, x, 3, &omega) == WARPLU_WRONG_PHASE);
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS && t.n == 0 && t.backward_error == -1.0);
    CHECK(isnan(t.largest_pivot));
    CHECK(warplu_get_message(s)[0] != '\0');
    CHECK(warplu_analyze(s, 3, ptr3, idx3, val3) == WARPLU_SUCCESS);
    CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_WRONG_PHASE);
    CHECK(warplu_refactor(s, val3) == WARPLU_SUCCESS); /* without pivots it factors */
    CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, 3, ptr3, idx3, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_WRONG_PHASE); /* a new analysis drops the factors */
    warplu_destroy(&s);
}

static void arguments_are_checked(void)
{
    double b[6] = {1, 2, 3, 4, 5, 6}, x[6], omega;
    int32_t at;
    const int32_t falling[] = {0, 5, 2, 7}, late[] = {1, 2, 5, 7}, far[] = {0, 1, 0, 3, 2, 1, 2};
    const int32_t negative[] = {0, 1, 0, 1, -1, 1, 2};
    warplu_solver *s = make(NULL);
    CHECK(warplu_analyze(NULL, 3, ptr3, idx3, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_analyze(s, 0, ptr3, idx3, NULL) == WARPLU_EMPTY);
    CHECK(warplu_analyze(s, -3, ptr3, idx3, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_analyze(s, 3, NULL, idx3, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_analyze(s, 3, ptr3, NULL, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_analyze(s, 3, falling, idx3, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_analyze(s, 3, late, idx3, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_analyze(s, 3, ptr3, far, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_analyze(s, 3, ptr3, negative, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_analyze(s, 3, ptr3, idx3, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(NULL, val3) == WARPLU_INVALID_ARGUMENT && warplu_factor(s, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_refactor(NULL, val3) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_refactor(s, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_factor(s, val3) == WARPLU_SUCCESS);
    CHECK(warplu_solve(NULL, 1, b, 3, x, 3) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_solve(s, -1, b, 3, x, 3) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_solve(s, 1, NULL, 3, x, 3) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_solve(s, 1, b, 3, NULL, 3) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_solve(s, 1, b, 2, x, 3) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_solve(s, 1, b, 3, x, 2) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_solve_transposed(s, 1, x, 3, x, 4) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_solve(s, 0, NULL, 3, NULL, 3) == WARPLU_SUCCESS);
    CHECK(warplu_get_position(s, 0, 2, &at) == WARPLU_PATTERN_MISMATCH);
    CHECK(warplu_get_position(s, 3, 0, &at) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_get_position(s, 0, -1, &at) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_get_position(s, 0, 0, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_get_position(NULL, 0, 0, &at) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_get_position(s, 2, 1, &at) == WARPLU_SUCCESS && at == 4);
    CHECK(warplu_compute_backward_error(s, 0, NULL, 1, b, 3, x, 3, &omega) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_compute_backward_error(s, 0, val3, 1, b, 2, x, 3, &omega) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_compute_backward_error(s, 0, val3, 1, b, 3, x, 3, NULL) == WARPLU_INVALID_ARGUMENT);
    warplu_destroy(&s);
}

typedef warplu_status solving(warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb, double *x, int32_t ldx);

/* x may be b, lie apart from it, or have its columns between those of b; nothing else. */
static void check_overlaps(solving *solve, warplu_solver *s)
{
    static const struct {
        int32_t nrhs, ldb, ldx;
        int by; /* x - b */
        int fits;
    } cases[] = {
        {1, 3, 3, 0, 1}, {2, 3, 3, 0, 1},  {1, 3, 3, 1, 0},  {1, 3, 3, -1, 0}, {1, 3, 3, 2, 0},  {1, 3, 3, -2, 0},
        {1, 3, 3, 3, 1}, {1, 3, 3, -3, 1}, {2, 3, 3, 3, 0},  {2, 3, 3, -3, 0}, {2, 3, 3, 6, 1},  {3, 6, 6, 3, 1},
        {3, 6, 6, 2, 0}, {3, 6, 6, 4, 0},  {3, 6, 6, -3, 1}, {3, 6, 3, 3, 0},  {2, 8, 6, 3, 0},  {2, 9, 8, 3, 0},
        {2, 3, 4, 0, 0}, {1, 3, 4, 0, 0},  {0, 3, 3, 1, 1},  {2, 4, 4, 1, 0},  {2, 6, 3, -6, 1}, {3, 6, 3, -4, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double room[64], before[64], *b = room + 20, *x = b + cases[k].by;
        for (int i = 0; i < 64; i++) room[i] = before[i] = i % 7 + 1.0;
        warplu_status status = solve(s, cases[k].nrhs, b, cases[k].ldb, x, cases[k].ldx);
        CHECK_SAY(status == (cases[k].fits ? WARPLU_SUCCESS : WARPLU_INVALID_ARGUMENT), "case %d: %s", (int)k,
                  warplu_status_name(status));
        if (cases[k].fits) continue;
        CHECK_SAY(memcmp(room, before, sizeof room) == 0, "case %d: something was written", (int)k);
        CHECK_SAY(strstr(warplu_get_message(s), cases[k].by == 0 ? "one leading dimension" : "overlaps") != NULL, "%s",
                  warplu_get_message(s));
    }
}

static void solutions_beside_right_hand_sides(void)
{
    warplu_solver *s = make_analyzed(NULL);
    CHECK(warplu_factor(s, val3) == WARPLU_SUCCESS);
    check_overlaps(warplu_solve, s);
    check_overlaps(warplu_solve_transposed, s);
    check_overlaps(warplu_solve_conjugate_transposed, s);
    warplu_destroy(&s);
}

/* A failing analysis leaves the earlier one in place. */
static void a_failing_analysis_changes_nothing(void)
{
    const int32_t singular_idx[] = {0, 1, 0, 1, 1, 0, 1}, far[] = {0, 1, 0, 3, 2, 1, 2};
    double b[3] = {5, 6, 5}, x[3] = {0};
    heard h = {0};
    warplu_options o;
    check_init_options(&o);
    o.message = listen;
    o.message_user = &h;
    warplu_solver *s = make_analyzed(&o);
    CHECK(warplu_factor(s, val3) == WARPLU_SUCCESS && h.count == 0);
    CHECK(warplu_analyze(s, 3, ptr3, singular_idx, NULL) == WARPLU_STRUCTURALLY_SINGULAR);
    CHECK_SAY(h.count == 1 && h.status == WARPLU_STRUCTURALLY_SINGULAR, "%d messages", h.count);
    CHECK_SAY(strstr(h.text, "row 2") != NULL || strstr(h.text, "column 2") != NULL, "'%s'", h.text);
    CHECK(strcmp(h.text, warplu_get_message(s)) == 0);
    CHECK(warplu_analyze(s, 3, ptr3, far, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_SUCCESS);
    for (int i = 0; i < 3; i++) CHECK(fabs(x[i] - 1.0) < 1e-14);
    warplu_destroy(&s);
}

/* Not finite: values, right-hand sides; earlier factors or at least the analysis stay usable. */
static void numbers_that_are_none(void)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        double values[7], b[3] = {5, 6, 5}, x[3];
        warplu_solver *s = make_analyzed(NULL);
        memcpy(values, val3, sizeof values);
        values[3] = bad[k];
        CHECK(warplu_factor(s, values) == WARPLU_NOT_FINITE);
        CHECK(strstr(warplu_get_message(s), "(1, 1)") != NULL);
        CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_WRONG_PHASE);
        CHECK(warplu_factor(s, val3) == WARPLU_SUCCESS);
        CHECK(warplu_refactor(s, values) == WARPLU_NOT_FINITE);
        CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_WRONG_PHASE);
        CHECK(warplu_refactor(s, val3) == WARPLU_SUCCESS);
        b[1] = bad[k];
        CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_NOT_FINITE);
        CHECK(warplu_solve_transposed(s, 1, b, 3, x, 3) == WARPLU_NOT_FINITE);
        b[1] = 6;
        CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_SUCCESS && fabs(x[1] - 1.0) < 1e-14);
        CHECK(warplu_analyze(s, 3, ptr3, idx3, values) == WARPLU_NOT_FINITE);
        CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_SUCCESS);
        warplu_destroy(&s);
    }
}

static void programs_too_large(void)
{
    warplu_options o;
    check_init_options(&o);
    o.max_program_bytes = 1;
    warplu_solver *s = make_analyzed(&o);
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_factor(s, val3) == WARPLU_SUCCESS && warplu_refactor(s, val3) == WARPLU_SUCCESS);
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS && !t.compiled && t.program_bytes == 0);
    warplu_destroy(&s);
}

/* METIS where it is built in, a plain answer where it is not; every other ordering always. */
static void orderings_answer(void)
{
    for (int ordering = WARPLU_ORDERING_AUTO; ordering <= WARPLU_ORDERING_METIS; ordering++) {
        warplu_options o;
        check_init_options(&o);
        o.ordering = (warplu_ordering)ordering;
        warplu_solver *s = make(&o);
        warplu_status status = warplu_analyze(s, 3, ptr3, idx3, NULL);
        CHECK(status == WARPLU_SUCCESS || (ordering == WARPLU_ORDERING_METIS && status == WARPLU_NOT_COMPILED));
        warplu_destroy(&s);
    }
}

typedef struct countdown {
    int polls, stop_at;
} countdown;

static int ask_to_stop(void *user)
{
    countdown *c = user;
    return ++c->polls == c->stop_at;
}

/* Every poll is one at which the call may end; the solver works afterwards. */
static void cancelling_works_at_every_poll(void)
{
    int cancelled = 0;
    for (int stop = 1; stop < 1000; stop++) {
        countdown c = {0, stop};
        warplu_options o;
        double b[3] = {5, 6, 5}, x[3];
        check_init_options(&o);
        o.cancel = ask_to_stop;
        o.cancel_user = &c;
        warplu_solver *s = make(&o);
        warplu_status status = warplu_analyze(s, 3, ptr3, idx3, NULL);
        if (status == WARPLU_SUCCESS) status = warplu_factor(s, val3);
        if (status == WARPLU_SUCCESS) status = warplu_solve_transposed(s, 1, b, 3, x, 3);
        CHECK(status == (c.polls >= stop ? WARPLU_CANCELLED : WARPLU_SUCCESS));
        cancelled += status == WARPLU_CANCELLED;
        int last = c.polls < stop;
        c.stop_at = 0;
        CHECK(warplu_analyze(s, 3, ptr3, idx3, NULL) == WARPLU_SUCCESS && warplu_factor(s, val3) == WARPLU_SUCCESS);
        CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_SUCCESS && fabs(x[2] - 1.0) < 1e-14);
        warplu_destroy(&s);
        if (last) break;
    }
    CHECK_SAY(cancelled >= 3, "%d polls", cancelled);
}

static void statistics_are_consistent(void)
{
    warplu_statistics t = {.size = 3};
    double b[6] = {5, 6, 5, 10, 12, 10}, x[6];
    warplu_options o;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    warplu_solver *s = make_analyzed(&o);
    CHECK(warplu_get_statistics(s, &t) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_get_statistics(NULL, &t) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_get_statistics(s, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_factor(s, val3) == WARPLU_SUCCESS);
    for (int k = 0; k < 5; k++) CHECK(warplu_refactor(s, val3) == WARPLU_SUCCESS);
    t.size = sizeof t;
    CHECK(warplu_solve(s, 2, b, 3, x, 3) == WARPLU_SUCCESS && warplu_get_statistics(s, &t) == WARPLU_SUCCESS);
    CHECK(t.backward_error == -1.0 && t.checked_solves == 0); /* the trials after pivoting were enough */
    CHECK(warplu_factor(s, val3) == WARPLU_SUCCESS);
    for (int k = 0; k < 2; k++) CHECK(warplu_solve(s, 2, b, 3, x, 3) == WARPLU_SUCCESS);
    t.size = sizeof t;
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS);
    CHECK(t.n == 3 && t.nnz == 7 && t.blocks == 1 && t.largest_block == 3 && t.candidates == 1);
    CHECK(t.ordering == WARPLU_ORDERING_NATURAL && t.lu_nnz == 7 && t.f_nnz == 0 && t.terms == 2 && t.height == 3);
    CHECK(t.flops == 6 && t.solve_terms == 4 && t.dot_pivots + t.tile_pivots == 3);
    CHECK(t.slots > 7 && t.program_bytes > 0 && t.solve_program_bytes > 0 && t.state_bytes >= 8 * t.slots);
    CHECK(t.factors == 2 && t.refactors == 5 && t.repivots == 0 && t.solves == 3);
    CHECK(t.pivot_growth > 0.0 && t.pivot_growth <= 1.0 && t.largest_l > 0.2 && t.largest_l < 0.3);
    CHECK(t.smallest_pivot > 0.0 && t.backward_error == -1.0 && t.refinement_steps == 0 && t.checked_solves == 0);
    warplu_statistics older = {.size = offsetof(warplu_statistics, blocks), .blocks = 77};
    CHECK(warplu_get_statistics(s, &older) == WARPLU_SUCCESS);
    CHECK(older.n == 3 && older.blocks == 77 && older.size == offsetof(warplu_statistics, blocks));
    warplu_statistics without = {.size = offsetof(warplu_statistics, largest_pivot), .largest_pivot = 77.0};
    CHECK(warplu_get_statistics(s, &without) == WARPLU_SUCCESS && without.largest_pivot == 77.0);
    CHECK(without.backward_error == t.backward_error);
    warplu_destroy(&s);
    o.check = WARPLU_CHECK_ALWAYS;
    s = make_analyzed(&o);
    CHECK(warplu_factor(s, val3) == WARPLU_SUCCESS);
    for (int k = 0; k < 2; k++) CHECK(warplu_solve(s, 2, b, 3, x, 3) == WARPLU_SUCCESS);
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS && t.checked_solves == 4);
    CHECK(t.backward_error >= 0.0 && t.backward_error <= 1e-15 && t.refinement_steps == 0);
    warplu_destroy(&s);
}

/* A caller built with an older header: its options end earlier, the rest are defaults. */
static void older_options_are_taken(void)
{
    warplu_options o;
    check_init_options(&o);
    o.size = offsetof(warplu_options, allocate);
    o.allocate = test_allocate; /* behind what the caller knows */
    warplu_solver *s = make(&o);
    warplu_destroy(&s);
}

static void backward_error_by_hand(void)
{
    /* A = [1 0; 2 4], two right-hand sides */
    const int32_t ptr[] = {0, 2, 3}, idx[] = {0, 1, 1};
    const double values[] = {1, 2, 4};
    double b[] = {1, 2, 1, 6}, x[] = {1, 1, 1, 1}, omega = -1.0;
    warplu_solver *s = make(NULL);
    CHECK(warplu_analyze(s, 2, ptr, idx, NULL) == WARPLU_SUCCESS);
    /* first: residual (0, -4) over 6 + 2; second: exact */
    CHECK(warplu_compute_backward_error(s, 0, values, 2, b, 2, x, 2, &omega) == WARPLU_SUCCESS && omega == 0.5);
    CHECK(warplu_compute_backward_error(s, 0, values, 1, b + 2, 2, x, 2, &omega) == WARPLU_SUCCESS && omega == 0.0);
    CHECK(warplu_compute_backward_error(s, 0, values, 0, b, 2, x, 2, &omega) == WARPLU_SUCCESS && omega == 0.0);
    /* transposed: residual (-2, -2) over 3 + 1 and 4 + 2 */
    CHECK(warplu_compute_backward_error(s, 1, values, 1, b, 2, x, 2, &omega) == WARPLU_SUCCESS && omega == 0.5);
    x[1] = NAN;
    CHECK(warplu_compute_backward_error(s, 0, values, 1, b, 2, x, 2, &omega) == WARPLU_SUCCESS && isnan(omega));
    warplu_destroy(&s);
    /* A = diag(1, 1): the second row's own weight is 1e-16, its second form 1e-16 over 1 */
    const int32_t dptr[] = {0, 1, 2}, didx[] = {0, 1};
    const double ones[] = {1, 1};
    double db[] = {1, 0}, dx[] = {1, 1e-16};
    s = make(NULL);
    CHECK(warplu_analyze(s, 2, dptr, didx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_compute_backward_error(s, 0, ones, 1, db, 2, dx, 2, &omega) == WARPLU_SUCCESS);
    CHECK_SAY(omega > 0.99e-16 && omega < 1.01e-16, "%g", omega);
    warplu_destroy(&s);
}

/* One thread's work: a matrix of its own, many replays, its own accuracy. */
static void *work(void *user)
{
    uint64_t seed = *(uint64_t *)user;
    test_recipe r = {.shape = TEST_GRID, .n = 100};
    test_matrix m;
    double b[100], x[100], worst = 0.0, omega;
    test_matrix_random(&m, &seed, &r);
    warplu_solver *s = NULL;
    if (check_create(&s) < 0 || warplu_analyze(s, m.n, m.ptr, m.idx, NULL) < 0) worst = 1.0;
    for (int k = 0; k < 300 && worst < 1.0; k++) {
        test_matrix_vary(&m, &seed, 0.01);
        for (int i = 0; i < 100; i++) b[i] = check_uniform(&seed);
        if (warplu_refactor(s, m.x) < 0 || warplu_solve(s, 1, b, 100, x, 100) < 0 ||
            warplu_compute_backward_error(s, 0, m.x, 1, b, 100, x, 100, &omega) < 0)
            omega = 1.0;
        if (!(omega <= worst)) worst = omega;
    }
    warplu_destroy(&s);
    test_matrix_free(&m);
    *(double *)user = worst;
    return NULL;
}

/* A refactorization on several threads, as many as there are, and by a clone; small ones stay with one. */
static void refactors_on_threads(void)
{
    const test_recipe wide = {.shape = TEST_DENSE, .n = 300}, small = {.shape = TEST_DENSE, .n = 5};
    uint64_t seed = 4711;
    for (int k = 0; k < 3; k++) {
        test_matrix m;
        warplu_options o;
        warplu_solver *s = NULL, *clone = NULL;
        warplu_statistics t = {.size = sizeof t};
        double b[300], x[300], y[300], omega;
        test_matrix_random(&m, &seed, k < 2 ? &wide : &small);
        for (int32_t i = 0; i < m.n; i++) b[i] = 1.0 + i % 3;
        check_init_options(&o);
        o.threads = k == 1 ? 0 : 3;
        CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
        CHECK(warplu_analyze(s, m.n, m.ptr, m.idx, m.x) == WARPLU_SUCCESS && warplu_factor(s, m.x) == WARPLU_SUCCESS);
        for (int r = 0; r < 20; r++)
            if (check_due()) CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS);
        CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS && t.threads == (k == 0 ? 3 : k == 2 ? 1 : t.threads));
        CHECK(warplu_clone(&clone, s) == WARPLU_SUCCESS && warplu_refactor(clone, m.x) == WARPLU_SUCCESS);
        CHECK(warplu_solve(s, 1, b, m.n, x, m.n) == WARPLU_SUCCESS &&
              warplu_solve(clone, 1, b, m.n, y, m.n) == WARPLU_SUCCESS);
        CHECK(memcmp(x, y, (size_t)m.n * sizeof *x) == 0);
        CHECK(warplu_compute_backward_error(s, 0, m.x, 1, b, m.n, x, m.n, &omega) == WARPLU_SUCCESS && omega < 1e-12);
        warplu_destroy(&clone);
        warplu_destroy(&s);
        test_matrix_free(&m);
    }
}

static void two_solvers_on_two_threads(void)
{
    union {
        uint64_t seed;
        double worst;
    } arg[2] = {{11}, {12}};
    pthread_t thread[2];
    for (int k = 0; k < 2; k++) CHECK(pthread_create(&thread[k], NULL, work, &arg[k]) == 0);
    for (int k = 0; k < 2; k++) CHECK(pthread_join(thread[k], NULL) == 0);
    for (int k = 0; k < 2; k++) CHECK_SAY(arg[k].worst < 1e-11, "thread %d: %g", k, arg[k].worst);
}

int main(void)
{
    RUN(status_texts);
    RUN(create_refuses_bad_options);
    RUN(refusals_name_the_range);
    RUN(phases_are_kept);
    RUN(arguments_are_checked);
    RUN(solutions_beside_right_hand_sides);
    RUN(a_failing_analysis_changes_nothing);
    RUN(numbers_that_are_none);
    RUN(programs_too_large);
    RUN(orderings_answer);
    RUN(cancelling_works_at_every_poll);
    RUN(statistics_are_consistent);
    RUN(older_options_are_taken);
    RUN(backward_error_by_hand);
    RUN(refactors_on_threads);
    RUN(two_solvers_on_two_threads);
    return check_done();
}
