/* What is not finite never passes, wherever it stands. One entry of A at a time is a NaN or an infinity: where it is
 * loaded into L, into U alone or under terms, into a pivot, into F. Every executor, instruction set and precision says
 * that not all is finite, on every region, alone and in a team, and the verdict is weak; and no refactorization is a
 * success. Executors are not compared with each other here: what all of them miss fails too. */
#include "check.h"

#include "compare.h"

#include <math.h>
#include <string.h>

#include "numerics/verdict.h"
#include "support/options.h"

static uint64_t seed;

static const double bad[] = {NAN, INFINITY, -INFINITY};
enum { BAD = 3 };

typedef enum place { IN_L, IN_PLAIN_U, IN_COMPUTED_U, IN_PIVOT, IN_F, PLACES } place;
static const char *const place_names[PLACES] = {"L", "U, loaded", "U, computed", "pivot", "F"};

/* What replays a program: its name for test_replay_open, NULL for the reference, and its precision. */
typedef struct replayer {
    const char *name;
    warplu_precision precision;
} replayer;

static const replayer replayers[] = {{NULL, WARPLU_PRECISION_DOUBLE},           {NULL, WARPLU_PRECISION_SINGLE},
                                     {"avx512-loads", WARPLU_PRECISION_DOUBLE}, {"avx512", WARPLU_PRECISION_DOUBLE},
                                     {"avx2", WARPLU_PRECISION_DOUBLE},         {"neon", WARPLU_PRECISION_DOUBLE},
                                     {"portable", WARPLU_PRECISION_DOUBLE},     {"emulate", WARPLU_PRECISION_DOUBLE},
                                     {"emulate", WARPLU_PRECISION_SINGLE}};
enum { REPLAYERS = sizeof replayers / sizeof *replayers };

static const char *name_of(const replayer *r)
{
    return r->name != NULL ? r->name : "reference";
}

/* The number of U's entry at row i of column j, or -1. */
static int64_t find_u(const wlu_pivots *p, int32_t i, int32_t j)
{
    for (int64_t q = p->up[j]; q < p->up[j + 1]; q++)
        if (p->ui[q] == i) return q;
    return -1;
}

/* Of A's entry at this row and column. What stands in a panel counts as computed. */
static place place_of(const test_build *b, int32_t row, int32_t col)
{
    const wlu_pivots *p = b->pivots;
    const wlu_program *program = b->program;
    int32_t i = p->row_pos[row], j = p->col_pos[col];
    if (i == j) return IN_PIVOT;
    if (i > j) return IN_L;
    int64_t q = find_u(p, i, j);
    if (q < 0) return IN_F;
    int64_t slot = program->slot[wlu_layout_of(p, 0).u + q];
    return slot >= wlu_areas_of(program).u + wlu_lu_of(program)->guard.count && slot < wlu_areas_of(program).l
               ? IN_PLAIN_U
               : IN_COMPUTED_U;
}

/* One replay of values of which one, at this place, is x. */
static void check_replay(test_replay *r, const double *values, const char *what, place at, double x)
{
    CHECK(wlu_state_refactor(r->ctx, r->state, values) == WARPLU_SUCCESS);
    const wlu_health *h = wlu_state_health(r->state, 0);
    CHECK_SAY(!h->finite, "%s: %g in %s passes for finite: largest l %g, u %g", what, x, place_names[at], h->largest_l,
              h->largest_u);
    CHECK(h->verdict == WLU_WEAK);
}

/* Every entry in turn, and then the values as they are: nothing stays behind. A team, which takes long where processors
 * are few, has one bad number an entry. */
static void check_entries(test_replay *r, const test_build *b, test_matrix *m, int together, const char *what,
                          int64_t *seen)
{
    for (int32_t j = 0; j < m->n; j++)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            double kept = m->x[q];
            place at = place_of(b, m->idx[q], j);
            for (int k = together ? q % BAD : 0; k < BAD; k += together ? BAD : 1) {
                m->x[q] = bad[k];
                check_replay(r, m->x, what, at, bad[k]);
            }
            m->x[q] = kept;
            seen[at]++;
        }
    CHECK(wlu_state_refactor(r->ctx, r->state, m->x) == WARPLU_SUCCESS && wlu_state_health(r->state, 0)->finite);
}

static void check_program(test_build *b, test_matrix *m, const char *name, int64_t seen[REPLAYERS][PLACES])
{
    for (int k = 0; k < REPLAYERS; k++) {
        test_replay r;
        char what[128];
        const char *precision = replayers[k].precision == WARPLU_PRECISION_SINGLE ? ", FP32" : "";
        snprintf(what, sizeof what, "%s, %s%s", name, name_of(&replayers[k]), precision);
        test_precision = replayers[k].precision;
        if (test_replay_open(&r, b, replayers[k].name)) {
            for (int together = 0; together <= (r.team != NULL && b->program->parts > 1); together++) {
                test_replay_together(&r, together);
                check_entries(&r, b, m, together, what, seen[k]);
            }
            test_replay_close(&r, b);
        }
    }
    test_precision = WARPLU_PRECISION_DOUBLE;
}

/* The programs of one matrix, of every region and split that is due. */
static void check_matrix(test_matrix *m, int64_t seen[REPLAYERS][PLACES])
{
    static const char *const regions[TEST_REGIONS] = {"all DOT", "mixed", "all TILE", "device"};
    warplu_options o;
    test_build b;
    check_init_options(&o);
    o.matching = (warplu_matching)check_below(&seed, 3);
    o.ordering = check_below(&seed, 2) ? WARPLU_ORDERING_NATURAL : WARPLU_ORDERING_AUTO;
    warplu_status status = test_build_pivots(&b, &o, m);
    CHECK(status == WARPLU_SUCCESS);
    if (status < 0) return;
    for (int way = 0; way < 2 * TEST_REGIONS; way++) {
        char name[64];
        wlu_cost cost = test_region_cost((test_region)(way / 2));
        if (!check_due()) continue;
        b.ctx.unsplit = way % 2 == 0;
        b.options.threads = 1 + way / 2;
        cost.ns_per_part = 1e-3;
        snprintf(name, sizeof name, "n = %d, %s, split %d", (int)m->n, regions[way / 2], way % 2);
        CHECK(test_build_program(&b, &cost) == WARPLU_SUCCESS);
        if (b.program != NULL) check_program(&b, m, name, seen);
    }
    test_build_free(&b);
}

static void health_says_so(void)
{
    int64_t seen[REPLAYERS][PLACES] = {{0}};
    seed = 754754;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < 3 * TEST_SHAPES; t++) {
        const test_recipe r = {
            .shape = (test_shape)(t % TEST_SHAPES), .n = 6 + check_below(&seed, 9), .duplicates = t % 2, .shuffled = 1};
        int before = check_failures;
        test_matrix m;
        test_matrix_random(&m, &seed, &r);
        check_matrix(&m, seen);
        test_matrix_free(&m);
        if (check_failures > before) printf("#   in try %d: %s, n = %d\n", t, test_shape_name(r.shape), r.n);
    }
    for (int k = 0; k < REPLAYERS; k++)
        for (int at = 0; at < PLACES; at++)
            CHECK_SAY(seen[k][at] > 0 || (seen[k][IN_PIVOT] == 0 && k != 0), "%s was never tried in %s",
                      name_of(&replayers[k]), place_names[at]);
}

/* The same by the API, whatever becomes of weak replays, with factors by column and with a program. */
static void check_solver(const test_matrix *m, const warplu_options *o, const char *simd)
{
    warplu_solver *s = NULL;
    double *values = malloc((size_t)m->nnz * sizeof *values);
    memcpy(values, m->x, (size_t)m->nnz * sizeof *values);
    if (simd != NULL) setenv("WARPLU_SIMD", simd, 1);
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS && warplu_analyze(s, m->n, m->ptr, m->idx, m->x) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, m->x) == WARPLU_SUCCESS);
    unsetenv("WARPLU_SIMD");
    for (int32_t q = 0; q < m->nnz; q++)
        for (int k = 0; k < BAD; k++) {
            values[q] = bad[k];
            warplu_status status = warplu_refactor(s, values);
            CHECK_SAY(status != WARPLU_SUCCESS && status != WARPLU_REPIVOTED,
                      "%s, executor %d, weak %d, expected %g: %g in entry %d of %d is %s", simd != NULL ? simd : "",
                      (int)o->executor, (int)o->on_weak, o->expected_refactors, bad[k], (int)q, (int)m->nnz,
                      warplu_status_name(status));
            values[q] = m->x[q];
        }
    CHECK(warplu_refactor(s, values) >= WARPLU_SUCCESS);
    free(values);
    warplu_destroy(&s);
}

static void no_refactorization_is_a_success(void)
{
    enum { SETS = 6 };
    static const char *const simd[SETS] = {NULL, "avx512", "avx512-loads", "avx2", "neon", "portable"};
    seed = 598600;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < 2 * TEST_SHAPES; t++) {
        const test_recipe r = {.shape = (test_shape)(t % TEST_SHAPES), .n = 6 + check_below(&seed, 9), .shuffled = 1};
        test_matrix m;
        test_matrix_random(&m, &seed, &r);
        for (int way = 0; way < 6 * (SETS + 2); way++) {
            const char *set = way / 6 < SETS ? simd[way / 6] : NULL;
            warplu_options o;
            if (set != NULL && !test_simd_is_here(set)) continue;
            check_init_options(&o);
            o.on_weak = (warplu_on_weak)(way % 3);
            o.expected_refactors = way / 3 % 2 ? 1000 : 0;
            o.executor = way / 6 < SETS    ? WARPLU_EXECUTOR_CPU
                         : way / 6 == SETS ? WARPLU_EXECUTOR_REFERENCE
                                           : TEST_EXECUTOR_EMULATE;
            if (check_due()) check_solver(&m, &o, set);
        }
        test_matrix_free(&m);
    }
}

int main(void)
{
    RUN(health_says_so);
    RUN(no_refactorization_is_a_success);
    return check_done();
}
