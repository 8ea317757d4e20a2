/* Never a wrong answer with a success code, under attack: values made to defeat frozen pivots, replay after replay,
 * every answer judged by code and arithmetic of its own. tally.h says what is counted, attacks.def what is done.
 *
 *     test_adversarial [--cases N] [--first K] [--seed S] [--complex] [--files] [--largest N] [--say N]
 *                      [--alarms N]
 *     test_adversarial --case K [--seed S] [--complex] [--files]
 *
 *     --cases N    trials of each kind of matrix; 100000 for a full run (1500)
 *     --first K    number of the first one (0)
 *     --case K     this one alone, with all it does
 *     --complex    values get imaginary parts (turn.h)
 *     --files      matrices of the folder WARPLU_MATRICES instead of generated ones
 *     --largest N  leave out files of more unknowns (300)
 *     --say N      describe so many wrong answers (20)
 *     --alarms N   and so many false alarms (0) */
#include "check.h"

#include "support/matrices.h"
#include "judge.h"
#include "trial.h"
#include "support/wide.h"

#include <warplu/matrix_market.h>

#include "base/context.h"
#ifdef WLU_WITH_GENERATORS
#include "gen/gen.h"
#endif

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FILES_MAX = 1024 };
static int64_t cases = 1500, first_case, only_case = -1, largest = 300, say = 20, say_alarms;
static uint64_t seed = 271828;
static int files_wanted, complex_wanted;
static wlu_context ctx;

/* A seed of its own for each trial (splitmix64). */
static uint64_t seed_of(int64_t number)
{
    uint64_t z = seed + (uint64_t)(number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return z != 0 ? z : 1;
}

/* --------------------------------------------------------------- matrices */

typedef const char *(*matrix_fn)(test_matrix *m, uint64_t *s);

static const char *recipe_matrix(test_matrix *m, uint64_t *s)
{
    int32_t dice = check_below(s, 20);
    test_recipe r = test_recipe_random(s, dice < 9 ? 4 : dice < 17 ? 12 : 40);
    test_matrix_random(m, s, &r);
    return test_shape_name(r.shape);
}

static void copy_matrix(test_matrix *m, int32_t n, const int32_t *ptr, const int32_t *idx, const double *x)
{
    *m = (test_matrix){.n = n, .nnz = ptr[n]};
    m->ptr = malloc(((size_t)n + 1) * sizeof *m->ptr);
    m->idx = malloc(((size_t)ptr[n] + 1) * sizeof *m->idx);
    m->x = malloc(((size_t)ptr[n] + 1) * sizeof *m->x);
    memcpy(m->ptr, ptr, ((size_t)n + 1) * sizeof *m->ptr);
    memcpy(m->idx, idx, (size_t)ptr[n] * sizeof *m->idx);
    memcpy(m->x, x, (size_t)ptr[n] * sizeof *m->x);
}

#ifdef WLU_WITH_GENERATORS
static const char *circuit_matrix(test_matrix *m, uint64_t *s)
{
    const gen_kind *kind = &gen_kinds[check_below(s, gen_kind_count)];
    gen_params p;
    gen_matrix g;
    gen_params_init(&p);
    p.size = kind->smallest + check_below(s, 30);
    p.seed = check_random(s);
    p.sources = (kind->takes & GEN_SOURCES) && check_below(s, 2);
    if (gen_build(&ctx, kind, &p, &g) < 0) return NULL;
    copy_matrix(m, g.n, g.ptr, g.idx, g.values);
    gen_matrix_free(&ctx, &g);
    return kind->name;
}
#endif

static test_matrix file[FILES_MAX];
static char file_name[FILES_MAX][128];
static int files;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int list_files(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;
    if (dir == NULL) return 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL && count < FILES_MAX;) {
        const char *end = strstr(e->d_name, ".mtx");
        if (end == NULL || (end - e->d_name > 2 && strncmp(end - 2, "_b", 2) == 0)) continue;
        if (strlen(e->d_name) < sizeof file_name[0]) strcpy(file_name[count++], e->d_name);
    }
    closedir(dir);
    qsort(file_name, (size_t)count, sizeof file_name[0], by_name);
    return count;
}

/* Square real matrices of at most so many unknowns; their names move up with them. */
static void read_files(const char *folder)
{
    int count = list_files(folder);
    for (int k = 0; k < count; k++) {
        size_t bytes = strlen(folder) + sizeof file_name[0] + 2;
        char *path = malloc(bytes);
        warplu_mm_matrix m = {.size = sizeof m};
        snprintf(path, bytes, "%s/%s", folder, file_name[k]);
        warplu_status status = warplu_mm_read(path, NULL, &m, NULL);
        free(path);
        if (status < 0) continue;
        if (m.nrow == m.ncol && m.nrow <= largest && m.values != NULL && m.typecode.field != WARPLU_MM_FIELD_COMPLEX) {
            copy_matrix(&file[files], m.nrow, m.ptr, m.idx, m.values);
            if (files != k) memcpy(file_name[files], file_name[k], sizeof file_name[k]);
            files++;
        }
        warplu_mm_free(&m);
    }
}

static const char *file_matrix(test_matrix *m, uint64_t *s)
{
    int k = check_below(s, files);
    copy_matrix(m, file[k].n, file[k].ptr, file[k].idx, file[k].x);
    return file_name[k];
}

/* ------------------------------------------------------------------- runs */

/* Nothing wrong, ever. False alarms are no wrong answers, but few. */
static void check_tallies(const tallies *t)
{
    CHECK_SAY(t->total.blind == 0, "%" PRId64 " wrong answers that its own check calls right", t->total.blind);
    CHECK_SAY(t->total.unlooked == 0, "%" PRId64 " wrong answers that it did not check", t->total.unlooked);
    CHECK_SAY(t->total.odd == 0, "%" PRId64 " statuses that have no business there", t->total.odd);
    if (only_case >= 0) return;
    CHECK_SAY(t->total.alarms * 100 <= t->total.replays + t->total.solves, "%" PRId64 " false alarms", t->total.alarms);
    CHECK(t->total.replays > 0 && t->total.plain > 0);
}

static void run_trials(matrix_fn draw)
{
    static tallies t;
    t = (tallies){.say_wrong = say, .say_alarms = say_alarms, .of_complex = complex_wanted};
    int64_t begin = only_case >= 0 ? only_case : first_case, end = only_case >= 0 ? only_case + 1 : first_case + cases;
    printf("# seed %" PRIu64 ", cases %" PRId64 " to %" PRId64 "\n", seed, begin, end - 1);
    for (int64_t k = begin; k < end; k++) {
        test_matrix m;
        uint64_t s = seed_of(k);
        const char *name = draw(&m, &s);
        if (name != NULL) trial_run(&m, name, s, k, only_case >= 0, &t);
    }
    tally_print(&t);
    check_tallies(&t);
}

/* The judge itself, on what is known. */
static void judge_is_right(void)
{
#ifdef WIDE_MISSING
    SKIP("this compiler has no arithmetic wider than double");
#endif
    const double far[] = {0x1p664, 0, 0, 0x1p-498}, far_b[] = {0x1p664, 0x1p166}, far_x[] = {2, 0x1p664};
    const double graded[] = {2e300, 1e-300, 1e300, 2e-300}, near_singular[] = {1, 1, 1, 1 + 1e-12};
    const double plain[] = {4, 1, 2, 3}, b[] = {1, 2}, singular[] = {1, 2, 2, 4};
    double x[2], omega;
    test_matrix m;
    test_matrix_from_dense(&m, 2, far); /* by the second form: 2^664 / (2 2^664 + 2^664 2^664) */
    omega = judge_backward_error(&m, 0, far_b, far_x);
    CHECK_SAY(omega > 0.99 * 0x1p-664 && omega < 1.01 * 0x1p-664, "%g", omega);
    test_matrix_free(&m);
    for (int transposed = 0; transposed <= 1; transposed++) {
        test_matrix_from_dense(&m, 2, plain);
        judge_factors *f = judge_factor(&m);
        judge_solve(f, transposed, b, x);
        omega = judge_backward_error(&m, transposed, b, x);
        CHECK_SAY(omega <= 1e-16, "%g", omega);
        CHECK(judge_backward_error(&m, !transposed, b, x) > 0.01);
        x[1] *= 1.0 + 1e-9;
        omega = judge_backward_error(&m, transposed, b, x);
        CHECK_SAY(omega > 1e-10 && omega < 1e-9, "%g", omega);
        x[1] = transposed ? INFINITY : NAN;
        CHECK(judge_backward_error(&m, transposed, b, x) == INFINITY);
        judge_free(f);
        test_matrix_free(&m);
    }
    const double *const all[] = {plain, graded, near_singular, singular};
    const double least[] = {1, 1, 1e12, INFINITY}, most[] = {20, 20, 1e13, INFINITY};
    for (int k = 0; k < 4; k++) {
        test_matrix_from_dense(&m, 2, all[k]);
        judge_factors *f = judge_factor(&m);
        CHECK_SAY(judge_condition(f) >= least[k] && judge_condition(f) <= most[k], "%d: %g", k, judge_condition(f));
        judge_free(f);
        test_matrix_free(&m);
    }
}

/* Of complex numbers: each op, its own solution; another op's, or a part that is slightly wrong, is none. */
static void judge_is_right_of_complex(void)
{
#ifdef WIDE_MISSING
    SKIP("this compiler has no arithmetic wider than double");
#endif
    double z[] = {4, 1, 1, -2, 2, 0, 3, 5}, *values = malloc(sizeof z);
    const double b[] = {1, 2, -3, 0.5};
    int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
    memcpy(values, z, sizeof z);
    const test_matrix m = {.n = 2, .nnz = 4, .ptr = ptr, .idx = idx, .x = values, .doubles = 2};
    judge_factors *f = judge_factor(&m);
    CHECK_SAY(judge_condition(f) >= 1.0 && judge_condition(f) < 20.0, "%g", judge_condition(f));
    for (int op = JUDGE_PLAIN; op <= JUDGE_CONJUGATE; op++) {
        double x[4], omega;
        judge_solve(f, op, b, x);
        omega = judge_backward_error(&m, op, b, x);
        CHECK_SAY(omega <= 1e-15, "op %d: %g", op, omega);
        for (int other = JUDGE_PLAIN; other <= JUDGE_CONJUGATE; other++)
            CHECK(other == op || judge_backward_error(&m, other, b, x) > 0.01);
        x[3] += 1e-9 * (fabs(x[2]) + fabs(x[3]));
        omega = judge_backward_error(&m, op, b, x);
        CHECK_SAY(omega > 1e-11 && omega < 2e-9, "op %d: %g", op, omega);
        x[3] = NAN;
        CHECK(judge_backward_error(&m, op, b, x) == INFINITY);
    }
    judge_free(f);
    free(values);
}

static void recipes(void)
{
#ifdef WIDE_MISSING
    SKIP("this compiler has no arithmetic wider than double");
#endif
    run_trials(recipe_matrix);
}

static void circuits(void)
{
#ifdef WIDE_MISSING
    SKIP("this compiler has no arithmetic wider than double");
#endif
#ifdef WLU_WITH_GENERATORS
    run_trials(circuit_matrix);
#else
    SKIP("built without the command line's generators");
#endif
}

static void matrices_of_a_folder(void)
{
    const char *folder = getenv("WARPLU_MATRICES");
#ifdef WIDE_MISSING
    SKIP("this compiler has no arithmetic wider than double");
#endif
    if (folder == NULL) SKIP("WARPLU_MATRICES names no folder");
    read_files(folder);
    printf("# %d files of at most %" PRId64 " unknowns\n", files, largest);
    CHECK(files > 0);
    if (files > 0) run_trials(file_matrix);
    for (int k = 0; k < files; k++) test_matrix_free(&file[k]);
}

static int usage(void)
{
    fprintf(stderr,
            "usage: test_adversarial [--cases N] [--first K] [--case K] [--seed S] [--complex] [--files] [--largest N] "
            "[--say N] "
            "[--alarms N]\n");
    return 2;
}

/* Where an option's number goes, or NULL. */
static int64_t *number_of(const char *option)
{
    static const struct {
        const char *name;
        int64_t *out;
    } all[] = {{"--cases", &cases},     {"--first", &first_case}, {"--case", &only_case},
               {"--largest", &largest}, {"--say", &say},          {"--alarms", &say_alarms}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(all[k].name, option) == 0) return all[k].out;
    return NULL;
}

static int parse(int argc, char **argv)
{
    const char *variable = getenv("WARPLU_SEED");
    if (variable != NULL) seed = strtoull(variable, NULL, 10);
    for (int k = 1; k < argc; k++) {
        char *end = NULL;
        if (strcmp(argv[k], "--files") == 0) {
            files_wanted = 1;
            continue;
        }
        if (strcmp(argv[k], "--complex") == 0) {
            complex_wanted = 1;
            continue;
        }
        if (k + 1 == argc) return usage();
        int64_t *out = number_of(argv[k]);
        if (out == NULL && strcmp(argv[k], "--seed") != 0) return usage();
        k++;
        if (out != NULL)
            *out = strtoll(argv[k], &end, 10);
        else
            seed = strtoull(argv[k], &end, 10);
        if (end == argv[k] || *end != '\0' || (out != NULL && *out < 0)) return usage();
    }
    return 0;
}

int main(int argc, char **argv)
{
    int code = parse(argc, argv);
    if (code != 0) return code;
    wlu_context_init(&ctx, NULL);
    if (only_case < 0) RUN(judge_is_right);
    if (only_case < 0) RUN(judge_is_right_of_complex);
    if (files_wanted) {
        RUN(matrices_of_a_folder);
    } else {
        RUN(recipes);
        RUN(circuits);
    }
    return check_done();
}
