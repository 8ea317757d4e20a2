/* Never a wrong answer with a success for a member of a batch: members whose values are made to defeat the common
 * pivots, in calls of all kinds, each member's answer judged from outside (batch_trial.h).
 *
 *     test_batches [--members N] [--seed S]
 *     test_batches --case K [--seed S]
 *
 *     --members N  until so many members have been judged; a million for a full run (30000, thinned by WARPLU_EVERY)
 *     --case K     this trial alone, with all it does */
#include "check.h"

#include "batch_trial.h"
#include "draw.h"
#include "support/wide.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static int64_t members = 30000, only_case = -1;
static uint64_t seed = 271828;

/* Triangles whose U grows: normal entries below the diagonal and in the last columns. */
static const char *growing_matrix(test_matrix *m, uint64_t *s)
{
    int32_t n = 4 + check_below(s, 20), last = 1 + check_below(s, 3);
    double *dense = calloc((size_t)n * (size_t)n, sizeof *dense), size = pow(10.0, draw_between(s, -1.0, 2.5));
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < n; i++)
            dense[j * n + i] = i == j              ? 1.0
                               : j >= n - last     ? draw_normal(s)
                               : i > j             ? size * draw_normal(s)
                               : draw_one_in(s, n) ? 1e-3 * draw_normal(s)
                                                   : 0.0;
    test_matrix_from_dense(m, n, dense);
    free(dense);
    return "growing";
}

static const char *matrix(test_matrix *m, uint64_t *s)
{
    int32_t dice = check_below(s, 20);
    if (dice < 5) return growing_matrix(m, s);
    test_recipe r = test_recipe_random(s, dice < 11 ? 4 : dice < 18 ? 12 : 40);
    test_matrix_random(m, s, &r);
    return test_shape_name(r.shape);
}

static void run(int64_t number, batch_counts *out)
{
    test_matrix m;
    uint64_t s = draw_seed(seed, number);
    const char *name = matrix(&m, &s);
    batch_trial_run(&m, name, s, number, only_case >= 0, out);
}

static void members_keep_the_promise(void)
{
#ifdef WIDE_MISSING
    SKIP("this compiler has no arithmetic wider than double");
#endif
    batch_counts c = {.say = 20};
    int64_t trials = 0;
    if (only_case >= 0) run(only_case, &c);
    while (only_case < 0 && c.members < members) run(trials++, &c);
    printf("# seed %" PRIu64 ", %" PRId64 " trials\n", seed, trials);
#define COUNTED(name, what) printf("# %9" PRId64 " %-9s %s\n", c.name, #name, what);
    BATCH_COUNTS
#undef COUNTED
    printf("# %9.1e worst     error of a checked success, in units of the promise\n", c.worst);
    printf("# %9.1e           of an unchecked one\n", c.worst_unchecked);
    CHECK_SAY(c.wrong == 0, "%" PRId64 " wrong answers", c.wrong);
    CHECK_SAY(c.odd == 0, "%" PRId64 " odd ones", c.odd);
    if (only_case >= 0) return;
    CHECK_SAY(c.alarms * 50 <= c.members, "%" PRId64 " false alarms", c.alarms);
    if (members >= 3000) CHECK(c.refined > 0 && c.others > 0 && c.solvers > 0 && c.unchecked > 0 && c.refused > 0);
}

int main(int argc, char **argv)
{
    members /= check_every();
    for (int k = 1; k < argc; k++) {
        int64_t *out = strcmp(argv[k], "--members") == 0 ? &members
                       : strcmp(argv[k], "--case") == 0  ? &only_case
                                                         : NULL;
        if (k + 1 == argc || (out == NULL && strcmp(argv[k], "--seed") != 0)) {
            fprintf(stderr, "usage: test_batches [--members N] [--case K] [--seed S]\n");
            return 2;
        }
        k++;
        if (out != NULL)
            *out = strtoll(argv[k], NULL, 10);
        else
            seed = strtoull(argv[k], NULL, 10);
    }
    RUN(members_keep_the_promise);
    return check_done();
}
