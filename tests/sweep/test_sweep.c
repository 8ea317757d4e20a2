/* Every matrix of the folder that WARPLU_MATRICES names: real square ones are factored, refactored with their own
 * values and solved with every solve checked; patterns and complex ones are analyzed. One line a matrix. Never a
 * success with a backward error above 1e-10; where a matrix is not nearly singular, 1e-12 or ten times KLU's.
 *
 *     test_sweep            compares with quality.csv beside this file: differences are listed, and fail the test
 *                           only where WARPLU_QUALITY=strict (orderings depend on their libraries' versions)
 *     test_sweep --update   rewrites it */
#include "check.h"

#include "quality.h"
#include "system.h"
#include "support/options.h"

#include <dirent.h>
#include <float.h>
#include <string.h>

enum { NAMES_MAX = 1024, LEAST_SWEPT = 105 };

/* Singular or nearly so as they stand, whatever the solver: an explicit status is an answer. */
static const char *const nearly_singular[] = {"fpga_dcop_01", "ng_add20_dc1", "ng_smult20_dc1", "fidapex6"};

static quality_table found;
static char name[NAMES_MAX][128];
static int names, swept, update;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static int list_names(const char *folder)
{
    DIR *dir = opendir(folder);
    if (dir == NULL) return 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL && names < NAMES_MAX;) {
        if (!ends_with(e->d_name, ".mtx.gz") || ends_with(e->d_name, "_b.mtx.gz")) continue;
        if (strlen(e->d_name) >= sizeof name[0]) continue;
        memcpy(name[names], e->d_name, strlen(e->d_name) - strlen(".mtx.gz"));
        names++;
    }
    closedir(dir);
    qsort(name, (size_t)names, sizeof name[0], by_name);
    return 1;
}

static int may_fail(const char *matrix)
{
    for (size_t k = 0; k < sizeof nearly_singular / sizeof *nearly_singular; k++)
        if (strcmp(nearly_singular[k], matrix) == 0) return 1;
    return 0;
}

/* Pattern alone: analyzed, or structurally singular and said so. */
static void sweep_pattern(const sweep_system *s, warplu_solver *solver)
{
    warplu_statistics t = {.size = sizeof t};
    warplu_status status = warplu_analyze(solver, s->a.nrow, s->a.ptr, s->a.idx, NULL);
    CHECK_SAY(status == WARPLU_SUCCESS || status == WARPLU_STRUCTURALLY_SINGULAR, "%s: %s", s->name,
              warplu_get_message(solver));
    CHECK(warplu_get_statistics(solver, &t) == WARPLU_SUCCESS);
    CHECK(status < 0 || (t.n == s->a.nrow && t.nnz == s->a.nnz));
    printf("# %-28s n %6d  %s: %s, %d blocks\n", s->name, (int)s->a.nrow, s->a.values == NULL ? "pattern" : "complex",
           warplu_status_name(status), (int)t.blocks);
}

/* Entries of the fullest row: a residual in double precision, as the library takes it, errs by that many eps. */
static int32_t fullest_row(const warplu_mm_matrix *a)
{
    int32_t *count = calloc((size_t)a->nrow, sizeof *count), most = 0;
    for (int32_t q = 0; q < a->ptr[a->ncol]; q++)
        if (++count[a->idx[q]] > most) most = count[a->idx[q]];
    free(count);
    return most;
}

/* The answer of one real system, judged. */
static void judge(const sweep_system *s, warplu_status status, const double *x, const warplu_statistics *t)
{
    if (status == WARPLU_STRUCTURALLY_SINGULAR || (may_fail(s->name) && status != WARPLU_SUCCESS)) return;
    CHECK_SAY(status == WARPLU_SUCCESS, "%s: %s", s->name, warplu_status_name(status));
    if (status != WARPLU_SUCCESS) return;
    double omega = sweep_backward_error(s, x);
    CHECK_SAY(omega <= 1e-10, "%s: success with a backward error of %.1e", s->name, omega);
    double rounding = 2.0 * fullest_row(&s->a) * DBL_EPSILON;
    CHECK_SAY(omega <= 2.0 * t->backward_error + rounding, "%s: %.1e, reported %.1e", s->name, omega,
              t->backward_error);
    if (omega <= 1e-12) return;
    double klu = sweep_klu_error(s, t->refinement_steps);
    printf("# %s: backward error %.1e, KLU's %.1e after %d steps\n", s->name, omega, klu, t->refinement_steps);
    CHECK_SAY(klu < 0.0 || omega <= 10.0 * klu, "%s: %.1e", s->name, omega);
}

static void sweep_values(const sweep_system *s, warplu_solver *solver)
{
    warplu_statistics t = {.size = sizeof t};
    int32_t n = s->a.nrow;
    double *x = calloc((size_t)n, sizeof *x);
    const char *phase = "analyze";
    warplu_status status = warplu_analyze(solver, n, s->a.ptr, s->a.idx, s->a.values);
    if (status >= 0 && (phase = "factor") != NULL) status = warplu_factor(solver, s->a.values);
    if (status >= 0) quality_add(&found, s->name, (warplu_get_statistics(solver, &t), &t));
    if (status >= 0 && (phase = "refactor") != NULL) status = warplu_refactor(solver, s->a.values);
    CHECK_SAY(status != WARPLU_REPIVOTED, "%s: its own values are pivoted again", s->name);
    if (status >= 0 && (phase = "solve") != NULL) status = warplu_solve(solver, 1, s->b, n, x, n);
    CHECK(warplu_get_statistics(solver, &t) == WARPLU_SUCCESS);
    printf("# %-28s n %6d  nnz(L+U) %8lld  terms %9lld  levels %5lld  steps %d  error %8.1e  %s at %s%s\n", s->name,
           (int)n, (long long)t.lu_nnz, (long long)t.terms, (long long)t.levels, t.refinement_steps, t.backward_error,
           warplu_status_name(status), phase, s->has_b ? ", own b" : "");
    fflush(stdout);
    judge(s, status, x, &t);
    free(x);
}

static void sweep_one(const char *folder, const char *matrix)
{
    sweep_system s;
    warplu_solver *solver = NULL;
    warplu_options o;
    check_init_options(&o);
    o.check = WARPLU_CHECK_ALWAYS;
    warplu_status status = sweep_read(folder, matrix, &s);
    CHECK(status == WARPLU_SUCCESS);
    if (status < 0) return;
    swept++;
    CHECK(warplu_create(&solver, &o) == WARPLU_SUCCESS);
    if (s.a.nrow != s.a.ncol)
        printf("# %-28s %d by %d\n", s.name, (int)s.a.nrow, (int)s.a.ncol);
    else if (s.a.values == NULL || s.a.typecode.field == WARPLU_MM_FIELD_COMPLEX)
        sweep_pattern(&s, solver);
    else
        sweep_values(&s, solver);
    warplu_destroy(&solver);
    sweep_free(&s);
}

static void every_matrix_is_answered(void)
{
    const char *folder = getenv("WARPLU_MATRICES");
    if (folder == NULL) SKIP("WARPLU_MATRICES is not set");
    CHECK_SAY(list_names(folder), "%s cannot be listed", folder);
    for (int k = 0; k < names; k++) sweep_one(folder, name[k]);
    printf("# %d matrices\n", swept);
    CHECK_SAY(swept >= LEAST_SWEPT, "%d matrices", swept);
}

static void quality_is_as_committed(void)
{
    static quality_table expected;
    const char *strict = getenv("WARPLU_QUALITY");
    if (swept == 0) SKIP("nothing was swept");
    if (update) {
        CHECK(quality_write(&found, WLU_QUALITY_CSV));
        return;
    }
    CHECK_SAY(quality_read(&expected, WLU_QUALITY_CSV), "%s", WLU_QUALITY_CSV);
    int differences = quality_compare(&expected, &found);
    printf("# quality: %d differences\n", differences);
    CHECK(differences == 0 || strict == NULL || strcmp(strict, "strict") != 0);
}

int main(int argc, char **argv)
{
    update = argc > 1 && strcmp(argv[1], "--update") == 0;
    RUN(every_matrix_is_answered);
    RUN(quality_is_as_committed);
    return check_done();
}
