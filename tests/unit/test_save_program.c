/* Programs in saved files: the first replay of a restored solver is one of the saved program, with its bits; a program
 * for another solver is passed over; what is broken is refused and changes nothing. The programs themselves:
 * tests/property/test_saved_program.c. */
#include <warplu/save.h>

#include "check.h"

#include "api/save.h"
#include "lu/saved.h"
#include "solver/solver.h"
#include "support/matrices.h"
#include "support/options.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { NMAX = 60, TRIES = 120, PATH_BYTES = 256 };

static char folder[] = "save-program-XXXXXX";
static char path[PATH_BYTES];

static uint8_t *read_all(int64_t *size)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    if (file == NULL) return NULL;
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc((size_t)*size + 1);
    CHECK(fread(bytes, 1, (size_t)*size, file) == (size_t)*size);
    fclose(file);
    return bytes;
}

static void seal(uint8_t *bytes, int64_t size)
{
    uint32_t crc = wlu_saved_checksum(bytes, size);
    memcpy(bytes + size - 4, &crc, sizeof crc);
}

static warplu_statistics statistics_of(const warplu_solver *s)
{
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS);
    return t;
}

/* A factored solver, its matrix, and a right-hand side. */
typedef struct sample {
    test_matrix m;
    warplu_solver *solver;
    double *b, *x, *y;
} sample;

static void open_sample(sample *s, const warplu_options *o, uint64_t seed, const test_recipe *r)
{
    memset(s, 0, sizeof *s);
    test_matrix_random(&s->m, &seed, r);
    s->b = malloc((size_t)s->m.n * sizeof *s->b);
    s->x = malloc((size_t)s->m.n * sizeof *s->x);
    s->y = malloc((size_t)s->m.n * sizeof *s->y);
    for (int32_t i = 0; i < s->m.n; i++) s->b[i] = 1.0 + check_uniform(&seed);
    CHECK(warplu_create(&s->solver, o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s->solver, s->m.n, s->m.ptr, s->m.idx, s->m.x) == WARPLU_SUCCESS);
    CHECK_SAY(warplu_factor(s->solver, s->m.x) == WARPLU_SUCCESS, "%s", warplu_get_message(s->solver));
}

static void close_sample(sample *s)
{
    warplu_destroy(&s->solver);
    test_matrix_free(&s->m);
    free(s->b);
    free(s->x);
    free(s->y);
}

static warplu_status solve(const sample *s, warplu_solver *by, int transposed, double *x)
{
    return transposed ? warplu_solve_transposed(by, 1, s->b, s->m.n, x, s->m.n)
                      : warplu_solve(by, 1, s->b, s->m.n, x, s->m.n);
}

/* The restored solver replays, with the bits of the one that saved. */
static void check_replay(sample *s, warplu_solver *restored, const char *what)
{
    warplu_statistics t = statistics_of(restored);
    CHECK_SAY(t.compiled == 1 && t.compilations == 0 && t.threads == statistics_of(s->solver).threads, "%s", what);
    CHECK_SAY(solve(s, restored, 0, s->y) == WARPLU_WRONG_PHASE, "%s", what);
    CHECK(warplu_refactor(s->solver, s->m.x) >= 0);
    CHECK_SAY(warplu_refactor(restored, s->m.x) == WARPLU_SUCCESS, "%s: %s", what, warplu_get_message(restored));
    t = statistics_of(restored);
    CHECK_SAY(t.compilations == 0 && t.factors == 0 && t.repivots == 0 && t.compile_ns == 0.0 && t.factor_ns == 0.0 &&
                  t.cache_hits == 0,
              "%s: %lld compilations", what, (long long)t.compilations);
    for (int transposed = 0; transposed <= 1; transposed++) {
        CHECK_SAY(solve(s, s->solver, transposed, s->x) >= 0 && solve(s, restored, transposed, s->y) >= 0, "%s", what);
        CHECK_SAY(memcmp(s->x, s->y, (size_t)s->m.n * sizeof *s->x) == 0, "%s: other bits, transposed %d", what,
                  transposed);
    }
}

static void the_first_refactor_is_a_replay(void)
{
    uint64_t seed = 11;
    int tiled = 0, transposed = 0, single = 0;
    for (int t = 0; t < TRIES; t++) {
        static const warplu_precision precisions[] = {WARPLU_PRECISION_DOUBLE, WARPLU_PRECISION_SINGLE,
                                                      WARPLU_PRECISION_MIXED};
        test_recipe r = test_recipe_random(&seed, NMAX);
        char what[80];
        sample s;
        warplu_options o;
        warplu_solver *restored = NULL;
        check_init_options(&o);
        o.executor = t % 2 ? WARPLU_EXECUTOR_REFERENCE : WARPLU_EXECUTOR_CPU;
        o.precision = t % 2 ? precisions[t % 3] : WARPLU_PRECISION_DOUBLE;
        r.weak_diagonal = 0; /* in FP32 the pivots may have to give way at once */
        snprintf(what, sizeof what, "try %d, %s of %d", t, test_shape_name(r.shape), r.n);
        if (warplu_create(&restored, &o) != WARPLU_SUCCESS) continue;
        open_sample(&s, &o, seed, &r);
        s.solver->current.accurate_solves[0] = s.solver->current.accurate_solves[1] = 0; /* a file proves nothing */
        if (t % 3 == 0) CHECK(solve(&s, s.solver, 1, s.x) >= 0);
        CHECK_SAY(warplu_save_program(s.solver, path) == WARPLU_SUCCESS, "%s: %s", what, warplu_get_message(s.solver));
        CHECK_SAY(warplu_restore(restored, path) == WARPLU_SUCCESS, "%s: %s", what, warplu_get_message(restored));
        const wlu_program *p = wlu_solver_program(restored);
        int twice = p != NULL && p->has_transposed;
        CHECK(p != NULL && twice == wlu_solver_program(s.solver)->has_transposed);
        check_replay(&s, restored, what);
        tiled += statistics_of(restored).tile_pivots > 0;
        transposed += twice;
        single += o.precision != WARPLU_PRECISION_DOUBLE;
        warplu_destroy(&restored);
        close_sample(&s);
    }
    CHECK_SAY(tiled > 10 && transposed > 30 && single > 30, "%d %d %d", tiled, transposed, single);
}

static void threads_come_back(void)
{
    const test_recipe r = {.shape = TEST_GRID, .n = check_every() > 1 ? 3600 : 10000};
    sample s;
    warplu_options o;
    warplu_solver *restored = NULL;
    check_init_options(&o);
    o.threads = 3;
    open_sample(&s, &o, 5, &r);
    CHECK(statistics_of(s.solver).threads == 3 && warplu_save_program(s.solver, path) == WARPLU_SUCCESS);
    CHECK(warplu_create(&restored, &o) == WARPLU_SUCCESS && warplu_restore(restored, path) == WARPLU_SUCCESS);
    s.solver->current.accurate_solves[0] = s.solver->current.accurate_solves[1] = 0;
    check_replay(&s, restored, "three threads");
    warplu_destroy(&restored);
    close_sample(&s);
}

/* A solver that works with factors by column yet: they stay, and the next replay is the program's. */
static void a_program_is_made_to_be_saved(void)
{
    const test_recipe r = {.shape = TEST_GRID, .n = 49};
    sample s;
    warplu_options o;
    warplu_solver *restored = NULL;
    warplu_init_options(&o);
    open_sample(&s, &o, 3, &r);
    CHECK(solve(&s, s.solver, 0, s.x) == WARPLU_SUCCESS && statistics_of(s.solver).compiled == 0);
    CHECK(warplu_save_program(s.solver, path) == WARPLU_SUCCESS && s.solver->phase == WLU_FACTORED);
    CHECK(solve(&s, s.solver, 0, s.y) == WARPLU_SUCCESS && memcmp(s.x, s.y, (size_t)s.m.n * sizeof *s.x) == 0);
    CHECK(statistics_of(s.solver).compiled == 0);
    CHECK(warplu_refactor(s.solver, s.m.x) == WARPLU_SUCCESS && statistics_of(s.solver).compiled == 1);
    CHECK(warplu_create(&restored, &o) == WARPLU_SUCCESS && warplu_restore(restored, path) == WARPLU_SUCCESS);
    s.solver->current.accurate_solves[0] = s.solver->current.accurate_solves[1] = 0;
    check_replay(&s, restored, "made to be saved");
    warplu_destroy(&restored);
    close_sample(&s);
}

/* A file without a program is what it was, whoever writes it; one with a program is written again to the same bytes. */
static void files_are_the_same_again(void)
{
    const test_recipe r = {.shape = TEST_BLOCKS, .n = 30};
    sample s;
    warplu_options o;
    warplu_solver *restored = NULL;
    int64_t size[4];
    uint8_t *bytes[4];
    check_init_options(&o);
    open_sample(&s, &o, 8, &r);
    CHECK(warplu_save(s.solver, path) == WARPLU_SUCCESS);
    bytes[0] = read_all(&size[0]);
    CHECK(warplu_save_program(s.solver, path) == WARPLU_SUCCESS && warplu_create(&restored, &o) == WARPLU_SUCCESS);
    bytes[1] = read_all(&size[1]);
    CHECK(warplu_restore(restored, path) == WARPLU_SUCCESS && warplu_save(restored, path) == WARPLU_SUCCESS);
    bytes[2] = read_all(&size[2]);
    CHECK(warplu_save_program(restored, path) == WARPLU_SUCCESS);
    bytes[3] = read_all(&size[3]);
    CHECK(bytes[0][12] == 1 && bytes[1][12] == 2 && size[1] > size[0]);
    for (int k = 0; k < 2; k++) CHECK(size[k] == size[k + 2] && memcmp(bytes[k], bytes[k + 2], (size_t)size[k]) == 0);
    for (int k = 0; k < 4; k++) free(bytes[k]);
    warplu_destroy(&restored);
    close_sample(&s);
}

/* Passed over: the pivots are compiled as without it. */
static void other_solvers_compile_their_own(void)
{
    const test_recipe r = {.shape = TEST_GRID, .n = 36};
    sample s;
    warplu_options o;
    int64_t size;
    wlu_cost other = wlu_cost_cpu;
    other.solve_pivots++;
    check_init_options(&o);
    open_sample(&s, &o, 21, &r);
    CHECK(warplu_save_program(s.solver, path) == WARPLU_SUCCESS);
    uint8_t *bytes = read_all(&size);
    int64_t section = wlu_saved_bytes(s.solver->analysis, wlu_solver_pivots(s.solver), wlu_saved_no_program) - 4;
    for (int k = 0; k < 5; k++) {
        warplu_solver *restored = NULL;
        warplu_options mine = o;
        if (k == 1) mine.threads = 2;
        if (k == 2) mine.max_program_bytes = 100;
        CHECK(warplu_create(&restored, &mine) == WARPLU_SUCCESS);
        if (k == 3) restored->cost = &other;
        if (k == 4) bytes[section]++; /* rules that this release does not know */
        seal(bytes, size);
        warplu_status status = wlu_solver_restore(restored, "other", bytes, size);
        CHECK_SAY(status == WARPLU_SUCCESS && statistics_of(restored).compiled == (k == 0), "%d: %s, %d", k,
                  warplu_status_name(status), statistics_of(restored).compiled);
        CHECK(warplu_refactor(restored, s.m.x) == WARPLU_SUCCESS && solve(&s, restored, 0, s.x) == WARPLU_SUCCESS);
        CHECK(statistics_of(restored).compilations == (k != 0 && k != 2) && statistics_of(restored).factors == 0);
        warplu_destroy(&restored);
    }
    free(bytes);
    close_sample(&s);
}

static void what_cannot_be_saved(void)
{
    const test_recipe r = {.shape = TEST_GRID, .n = 36};
    sample s;
    warplu_options o;
    warplu_init_options(&o);
    o.max_program_bytes = 100;
    open_sample(&s, &o, 21, &r);
    unlink(path);
    CHECK(warplu_save_program(s.solver, path) == WARPLU_PROGRAM_TOO_LARGE && access(path, F_OK) != 0);
    CHECK(solve(&s, s.solver, 0, s.x) == WARPLU_SUCCESS && warplu_refactor(s.solver, s.m.x) == WARPLU_SUCCESS);
    CHECK(warplu_save_program(s.solver, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_save_program(NULL, path) == WARPLU_INVALID_ARGUMENT);
    close_sample(&s);
}

/* Weak values find new pivots, by the restoring solver's options. */
static void weak_replays_are_seen(void)
{
    static const double good[] = {1, 1, 1, 2}, weak[] = {1e-16, 1, 1, 2}, b[] = {1, 3};
    static const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
    double x[2];
    warplu_options o;
    warplu_solver *s = NULL, *restored = NULL, *clone = NULL;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && check_create(&restored) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, 2, ptr, idx, NULL) == WARPLU_SUCCESS && warplu_factor(s, good) == WARPLU_SUCCESS);
    CHECK(warplu_save_program(s, path) == WARPLU_SUCCESS && warplu_restore(restored, path) == WARPLU_SUCCESS);
    CHECK(warplu_clone(&clone, restored) == WARPLU_SUCCESS && warplu_refactor(clone, good) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(restored, weak) == WARPLU_REPIVOTED);
    CHECK(warplu_solve(restored, 1, b, 2, x, 2) == WARPLU_SUCCESS && fabs(x[0] - 1) < 1e-14 && fabs(x[1] - 1) < 1e-14);
    warplu_destroy(&s);
    warplu_destroy(&restored);
    warplu_destroy(&clone);
}

/* ----------------------------------------------------------- broken files */

static const test_recipe small[] = {{.shape = TEST_BLOCKS, .n = 8, .duplicates = 1, .shuffled = 1},
                                    {.shape = TEST_GRID, .n = 16},
                                    {.shape = TEST_ARROW, .n = 6}};

/* A solver with factors, and the bytes of its file. */
static uint8_t *open_small(sample *s, int kind, int64_t *size)
{
    warplu_options o;
    check_init_options(&o);
    open_sample(s, &o, 300 + (uint64_t)kind, &small[kind]);
    CHECK(solve(s, s->solver, 1, s->x) >= 0 && warplu_save_program(s->solver, path) == WARPLU_SUCCESS);
    CHECK(solve(s, s->solver, 0, s->x) == WARPLU_SUCCESS);
    return read_all(size);
}

/* The solver still has its factors. */
static void check_unchanged(const sample *s)
{
    CHECK(solve(s, s->solver, 0, s->y) == WARPLU_SUCCESS);
    CHECK(memcmp(s->x, s->y, (size_t)s->m.n * sizeof *s->x) == 0);
}

static void broken_files_are_refused(void)
{
    for (int kind = 0; kind < 3; kind++) {
        sample s;
        int64_t size;
        uint8_t *bytes = open_small(&s, kind, &size);
        for (int64_t at = 0; at < size; at++) {
            bytes[at] ^= (uint8_t)(1 << at % 8);
            warplu_status status = wlu_solver_restore(s.solver, "flipped", bytes, size);
            CHECK_SAY(status == WARPLU_BAD_FORMAT || (status == WARPLU_VERSION_MISMATCH && at >= 12 && at < 16),
                      "byte %lld: %s", (long long)at, warplu_status_name(status));
            bytes[at] ^= (uint8_t)(1 << at % 8);
        }
        for (int64_t length = 0; length < size; length++) {
            uint8_t *part = malloc((size_t)length + 1); /* of its own, so that a sanitizer sees its end */
            memcpy(part, bytes, (size_t)length);
            CHECK(wlu_solver_restore(s.solver, "part", part, length) == WARPLU_BAD_FORMAT);
            free(part);
        }
        check_unchanged(&s);
        free(bytes);
        close_sample(&s);
    }
}

/* Under a right checksum: what is taken gives right answers, or says that it does not. */
static void tampered_programs_do_no_harm(void)
{
    static const uint8_t masks[] = {1, 2, 3, 8, 0x80, 0xff};
    int refused = 0, taken = 0;
    for (int kind = 0; kind < 3; kind++) {
        sample s;
        int64_t size;
        uint8_t *bytes = open_small(&s, kind, &size);
        int64_t at = wlu_saved_bytes(s.solver->analysis, wlu_solver_pivots(s.solver), wlu_saved_no_program) - 4;
        for (; at < size - 4; at++)
            for (size_t m = 0; m < sizeof masks; m++) {
                warplu_solver *t = NULL;
                CHECK(check_create(&t) == WARPLU_SUCCESS);
                bytes[at] ^= masks[m];
                seal(bytes, size);
                warplu_status status = wlu_solver_restore(t, "tampered", bytes, size);
                bytes[at] ^= masks[m];
                refused += status == WARPLU_BAD_FORMAT;
                taken += status == WARPLU_SUCCESS;
                if (status == WARPLU_SUCCESS) {
                    double omega = INFINITY;
                    CHECK(warplu_refactor(t, s.m.x) >= 0 && solve(&s, t, 0, s.y) >= 0);
                    CHECK(warplu_compute_backward_error(t, 0, s.m.x, 1, s.b, s.m.n, s.y, s.m.n, &omega) ==
                          WARPLU_SUCCESS);
                    CHECK_SAY(omega < 1e-10, "byte %lld: backward error %g", (long long)at, omega);
                } else {
                    CHECK_SAY(status == WARPLU_BAD_FORMAT && t->analysis == NULL &&
                                  strstr(warplu_get_message(t), "tampered: program: ") != NULL,
                              "byte %lld: %s, %s", (long long)at, warplu_status_name(status), warplu_get_message(t));
                }
                warplu_destroy(&t);
            }
        free(bytes);
        close_sample(&s);
    }
    printf("# %d refused, %d taken or passed over\n", refused, taken);
    CHECK(refused > 300 && taken > 100);
}

static int countdown(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

/* Wherever it is cancelled, the solver has what it had. */
static void cancelled_calls_change_nothing(void)
{
    const test_recipe r = {.shape = TEST_GRID, .n = 400};
    sample s;
    warplu_options o;
    int left = 0, cancelled[2] = {0, 0};
    check_init_options(&o);
    open_sample(&s, &o, 31, &r);
    CHECK(solve(&s, s.solver, 0, s.x) == WARPLU_SUCCESS && warplu_save_program(s.solver, path) == WARPLU_SUCCESS);
    s.solver->ctx.cancel = countdown;
    s.solver->ctx.cancel_user = &left;
    for (int call = 0; call < 2; call++)
        for (int k = 0;; k++) {
            left = k;
            warplu_status status = call ? warplu_restore(s.solver, path) : warplu_save_program(s.solver, path);
            if (status == WARPLU_SUCCESS) break;
            CHECK(status == WARPLU_CANCELLED);
            cancelled[call]++;
            check_unchanged(&s);
        }
    CHECK_SAY(cancelled[0] > 0 && cancelled[1] > 1, "%d and %d", cancelled[0], cancelled[1]);
    close_sample(&s);
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    snprintf(path, sizeof path, "%s/saved", folder);
    RUN(the_first_refactor_is_a_replay);
    RUN(threads_come_back);
    RUN(a_program_is_made_to_be_saved);
    RUN(files_are_the_same_again);
    RUN(other_solvers_compile_their_own);
    RUN(what_cannot_be_saved);
    RUN(weak_replays_are_seen);
    RUN(broken_files_are_refused);
    RUN(tampered_programs_do_no_harm);
    RUN(cancelled_calls_change_nothing);
    unlink(path);
    rmdir(folder);
    return check_done();
}
