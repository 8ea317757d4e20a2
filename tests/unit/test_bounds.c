/* Pivoting is bounded: it is cancelled within some milliseconds of work, and stops where the factors exceed
 * max_factor_bytes, whether that is predicted or not. A solver that was refused goes on. */
#include "check.h"

#include "support/matrices.h"
#include "support/options.h"

#include <string.h>

static warplu_statistics statistics(const warplu_solver *s)
{
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS);
    return t;
}

static warplu_options natural(void)
{
    warplu_options o;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.matching = WARPLU_MATCHING_NEVER;
    o.btf = 0;
    o.expected_refactors = 1;
    return o;
}

static int count_poll(void *user)
{
    return --*(int *)user == 0;
}

/* A full matrix has few columns of very many terms: polls each so many columns would be one or two. */
static void pivoting_is_polled_by_work(void)
{
    enum { M = 700 };
    const double terms_a_poll = 1 << 22;
    uint64_t seed = 4;
    int polls = -1;
    const test_recipe dense = {.shape = TEST_DENSE, .n = M, .weak_diagonal = 1}; /* else there is no search */
    test_matrix m;
    test_matrix_random(&m, &seed, &dense);
    warplu_options o = natural();
    o.cancel = count_poll;
    o.cancel_user = &polls;
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, m.n, m.ptr, m.idx, m.x) == WARPLU_SUCCESS);
    polls = -1;
    CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS);
    int needed = (int)((double)statistics(s).terms / terms_a_poll);
    CHECK_SAY(-1 - polls >= needed && needed >= 25, "%d polls, %d needed", -1 - polls, needed);
    for (int at = 1; at <= needed; at += 6) {
        if (!check_due()) continue;
        polls = at;
        CHECK(warplu_factor(s, m.x) == WARPLU_CANCELLED);
    }
    polls = -1;
    CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS); /* the earlier pivots stay */
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* Three diagonals; a small one in the middle makes each pivot an exchange, which fills a fourth. */
enum { ROWS = 50 };

static void fill_band(double middle, int32_t *p, int32_t *i, double *x)
{
    int32_t q = 0;
    for (int32_t j = 0; j < ROWS; j++) {
        p[j] = q;
        for (int32_t k = j > 0 ? j - 1 : 0; k <= j + 1 && k < ROWS; k++) {
            i[q] = k;
            x[q++] = k == j ? middle : 1.0 + 0.01 * k;
        }
    }
    p[ROWS] = q;
}

static void larger_factors_are_refused(void)
{
    int32_t p[ROWS + 1], i[3 * ROWS];
    double tame[3 * ROWS], wild[3 * ROWS], rhs[ROWS], x[ROWS];
    for (int32_t k = 0; k < ROWS; k++) rhs[k] = 1.0;
    fill_band(1e-9, p, i, wild);
    fill_band(4.0, p, i, tame);
    warplu_options o = natural();
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, ROWS, p, i, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, wild) == WARPLU_SUCCESS && statistics(s).lu_nnz > 3 * ROWS);
    int64_t large = 12 * statistics(s).lu_nnz;
    CHECK(warplu_factor(s, tame) == WARPLU_SUCCESS && statistics(s).lu_nnz == 3 * ROWS - 2);
    int64_t small = 12 * statistics(s).lu_nnz;
    warplu_destroy(&s);

    o.max_factor_bytes = small - 1; /* the prediction is exact */
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, ROWS, p, i, NULL) == WARPLU_FACTORS_TOO_LARGE &&
          warplu_factor(s, tame) == WARPLU_WRONG_PHASE);
    warplu_destroy(&s);
    o.max_factor_bytes = small;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, ROWS, p, i, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, tame) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s, wild) == WARPLU_FACTORS_TOO_LARGE);
    CHECK_SAY(strstr(warplu_get_message(s), "max_factor_bytes") != NULL &&
                  strstr(warplu_get_message(s), "predicted") != NULL,
              "'%s'", warplu_get_message(s));
    CHECK(warplu_solve(s, 1, rhs, ROWS, x, ROWS) == WARPLU_WRONG_PHASE);
    CHECK(warplu_refactor(s, tame) == WARPLU_SUCCESS && warplu_solve(s, 1, rhs, ROWS, x, ROWS) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, wild) == WARPLU_FACTORS_TOO_LARGE && warplu_refactor(s, tame) == WARPLU_SUCCESS);
    warplu_destroy(&s);
    o.max_factor_bytes = large;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, ROWS, p, i, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, wild) == WARPLU_SUCCESS && warplu_solve(s, 1, rhs, ROWS, x, ROWS) == WARPLU_SUCCESS);
    warplu_destroy(&s);
}

/* A pattern that is refused leaves the one before; a caller who does not know the option has no limit. */
static void a_refused_analysis_replaces_nothing(void)
{
    enum { M = 20 };
    int32_t p[ROWS + 1], i[3 * ROWS], full[M + 1], rows[M * M];
    double tame[3 * ROWS], rhs[ROWS] = {1.0}, x[ROWS];
    fill_band(4.0, p, i, tame);
    for (int32_t j = 0; j <= M; j++) full[j] = j * M;
    for (int32_t e = 0; e < M * M; e++) rows[e] = e % M;
    warplu_options o = natural();
    o.max_factor_bytes = 12 * 3 * ROWS;
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, ROWS, p, i, tame) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, tame) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, M, full, rows, NULL) == WARPLU_FACTORS_TOO_LARGE);
    CHECK_SAY(strstr(warplu_get_message(s), "4800 bytes") != NULL && strstr(warplu_get_message(s), "is 1800") != NULL,
              "'%s'", warplu_get_message(s));
    CHECK(warplu_solve(s, 1, rhs, ROWS, x, ROWS) == WARPLU_SUCCESS && warplu_refactor(s, tame) == WARPLU_SUCCESS);
    warplu_destroy(&s);
    o.size = offsetof(warplu_options, max_factor_bytes);
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, M, full, rows, NULL) == WARPLU_SUCCESS);
    warplu_destroy(&s);
}

int main(void)
{
    RUN(pivoting_is_polled_by_work);
    RUN(larger_factors_are_refused);
    RUN(a_refused_analysis_replaces_nothing);
    return check_done();
}
