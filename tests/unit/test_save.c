/* Saved analysis and pivots: what comes back gives the same bits; what is broken is refused and changes nothing; what
 * has been tampered with under a right checksum is refused or does no harm. */
#include <warplu/inspect.h>
#include <warplu/save.h>

#include "check.h"

#include "solver/solver.h"
#include "api/save.h"
#include "pivot/saved.h"
#include "pivot/search.h"
#include "support/build.h"
#include "support/options.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NMAX = 40, TRIES = 300, PATH_BYTES = 256 };

static char folder[] = "save-XXXXXX";
static char path[PATH_BYTES];

static uint8_t *read_all(const char *name, int64_t *size)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL) return NULL;
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc((size_t)*size + 1);
    CHECK(fread(bytes, 1, (size_t)*size, file) == (size_t)*size);
    fclose(file);
    return bytes;
}

static void write_all(const char *name, const void *bytes, int64_t size)
{
    FILE *file = fopen(name, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, (size_t)size, file) == (size_t)size);
    if (file != NULL) fclose(file);
}

/* Copies with the checksum that belongs to them. */
static void seal(uint8_t *bytes, int64_t size)
{
    uint32_t crc = wlu_saved_checksum(bytes, size);
    memcpy(bytes + size - 4, &crc, sizeof crc);
}

/* ------------------------------------------------------------- round trip */

static int same(const void *a, const void *b, int64_t count, size_t size)
{
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, (size_t)count * size) == 0);
}

static void compare_analyses(const wlu_analysis *x, const wlu_analysis *y)
{
    const wlu_pattern *a = x->a, *b = y->a;
    CHECK(a->n == b->n && a->nnz == b->nnz && a->nvalues == b->nvalues);
    CHECK(same(a->p, b->p, (int64_t)a->n + 1, 4) && same(a->i, b->i, a->nnz, 4) && same(a->map, b->map, a->nvalues, 4));
    CHECK(same(a->map_ptr, b->map_ptr, (int64_t)a->nnz + 1, 4));
    CHECK(x->nblocks == y->nblocks && x->largest_block == y->largest_block && x->ncandidates == y->ncandidates);
    CHECK(same(x->block, y->block, (int64_t)x->nblocks + 1, 4) && x->rows_are_final == y->rows_are_final);
    for (int32_t c = 0; c < x->ncandidates; c++) {
        const wlu_candidate *p = &x->candidate[c], *q = &y->candidate[c];
        CHECK(p->ordering == q->ordering && p->matched == q->matched && p->height == q->height &&
              p->terms == q->terms && p->lu_nnz == q->lu_nnz && p->predicted_ns == q->predicted_ns &&
              p->solve_ns == q->solve_ns && p->joined == q->joined && same(p->row, q->row, x->n, 4) &&
              same(p->col, q->col, x->n, 4));
    }
}

static void compare_pivots(const wlu_pivots *p, const wlu_pivots *q)
{
    int64_t n = p->n;
    CHECK(p->n == q->n && p->nblocks == q->nblocks && same(p->block, q->block, p->nblocks + 1, 4));
    CHECK(same(p->row, q->row, n, 4) && same(p->col, q->col, n, 4));
    CHECK(same(p->row_pos, q->row_pos, n, 4) && same(p->col_pos, q->col_pos, n, 4));
    CHECK(same(p->exponent, q->exponent, n, 2) && same(p->col_exponent, q->col_exponent, n, 2));
    CHECK(same(p->largest, q->largest, n, 4) && same(p->row_largest, q->row_largest, n, 4));
    CHECK(same(p->row_unit, q->row_unit, n, 8));
    CHECK(same(p->lp, q->lp, n + 1, 8) && same(p->up, q->up, n + 1, 8) && same(p->fp, q->fp, n + 1, 8));
    CHECK(same(p->li, q->li, p->lp[n], 4) && same(p->ui, q->ui, p->up[n], 4) && same(p->fi, q->fi, p->fp[n], 4));
    CHECK(p->terms == q->terms && p->height == q->height && p->ordering == q->ordering);
    CHECK(p->candidate == q->candidate && p->scales == q->scales);
    CHECK(p->predicted_terms == q->predicted_terms && same(&p->quality, &q->quality, 1, sizeof p->quality));
}

static void random_options(warplu_options *o, uint64_t *seed, int32_t n, int32_t *order)
{
    check_init_options(o);
    o->ordering = (warplu_ordering)check_below(seed, 4); /* AUTO, NATURAL, AMD, COLAMD */
    o->scaling = (warplu_scaling)check_below(seed, 3);
    o->btf = check_below(seed, 2);
    o->executor = (warplu_executor)check_below(seed, 3);
    if (check_below(seed, 6) > 0) return;
    for (int32_t k = 0; k < n; k++) order[k] = n - 1 - k;
    o->ordering = WARPLU_ORDERING_GIVEN;
    o->col_order = order;
}

/* One matrix as a caller holds it, in either storage. */
typedef struct system_of {
    test_matrix csc, csr;
    int32_t place[16 * NMAX * NMAX];
    const test_matrix *given;
    double other[16 * NMAX * NMAX]; /* other values of the given arrays */
    double b[2 * NMAX];
} system_of;

static void make_system(system_of *s, uint64_t *seed, const test_recipe *r, int by_rows)
{
    test_matrix_random(&s->csc, seed, r);
    test_matrix_to_csr(&s->csc, &s->csr, s->place);
    s->given = by_rows ? &s->csr : &s->csc;
    for (int32_t q = 0; q < s->given->nnz; q++) s->other[q] = s->given->x[q] * (1.0 + 0.1 * check_uniform(seed));
    for (int32_t i = 0; i < 2 * r->n; i++) s->b[i] = check_uniform(seed) - 0.5;
}

static void free_system(system_of *s)
{
    test_matrix_free(&s->csc);
    test_matrix_free(&s->csr);
}

/* Refactors and both solves with the other values, as often as programs take to be compiled. */
static void replay(warplu_solver *s, const system_of *m, warplu_status *status, double *x)
{
    int32_t n = m->csc.n;
    for (int k = 0; k < 3; k++) {
        status[3 * k] = warplu_refactor(s, m->other);
        status[3 * k + 1] = warplu_solve(s, 1, m->b, n, x + 2 * k * n, n);
        status[3 * k + 2] = warplu_solve_transposed(s, 1, m->b + n, n, x + (2 * k + 1) * n, n);
    }
}

static void compare_statistics(const warplu_solver *a, const warplu_solver *b)
{
    warplu_statistics s = {.size = sizeof s}, t = {.size = sizeof t};
    CHECK(warplu_get_statistics(a, &s) == WARPLU_SUCCESS && warplu_get_statistics(b, &t) == WARPLU_SUCCESS);
    CHECK(s.n == t.n && s.nnz == t.nnz && s.blocks == t.blocks && s.largest_block == t.largest_block);
    CHECK(s.ordering == t.ordering && s.candidates == t.candidates && s.ordering_loss == t.ordering_loss);
    CHECK(s.lu_nnz == t.lu_nnz && s.f_nnz == t.f_nnz && s.terms == t.terms && s.height == t.height);
    CHECK(s.levels == t.levels && s.vectors == t.vectors && s.slots == t.slots && s.program_bytes == t.program_bytes);
    CHECK(s.pivot_growth == t.pivot_growth && s.largest_l == t.largest_l && s.smallest_pivot == t.smallest_pivot);
    CHECK(s.row_drift == t.row_drift);
}

static void restored_solvers_give_the_same_bits(void)
{
    uint64_t seed = 20260801;
    int several = 0, by_rows = 0, duplicates = 0, exchanged = 0;
    static system_of m;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        int32_t order[NMAX];
        double x[2][6 * NMAX] = {{0.0}};
        warplu_status status[2][9];
        warplu_options o;
        warplu_solver *s = NULL, *restored = NULL;
        int rows = check_below(&seed, 2), values_known = check_below(&seed, 2);
        make_system(&m, &seed, &r, rows);
        random_options(&o, &seed, r.n, order);
        o.storage = rows ? WARPLU_STORAGE_CSR : WARPLU_STORAGE_CSC;
        CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
        CHECK(warplu_analyze(s, r.n, m.given->ptr, m.given->idx, values_known ? m.given->x : NULL) == WARPLU_SUCCESS);
        CHECK(warplu_factor(s, m.given->x) == WARPLU_SUCCESS);
        CHECK_SAY(warplu_save(s, path) == WARPLU_SUCCESS, "%s", warplu_get_message(s));
        o.storage = (warplu_storage)check_below(&seed, 2); /* the map came with the pattern */
        o.ordering = WARPLU_ORDERING_AUTO;
        CHECK(warplu_create(&restored, &o) == WARPLU_SUCCESS);
        CHECK_SAY(warplu_restore(restored, path) == WARPLU_SUCCESS, "%s", warplu_get_message(restored));
        compare_analyses(s->analysis, restored->analysis);
        compare_pivots(wlu_solver_pivots(s), wlu_solver_pivots(restored));
        CHECK(warplu_solve(restored, 1, m.b, r.n, x[1], r.n) == WARPLU_WRONG_PHASE);
        s->current.accurate_solves[0] = s->current.accurate_solves[1] =
            0; /* trials are not saved: a file proves nothing */
        replay(s, &m, status[0], x[0]);
        replay(restored, &m, status[1], x[1]);
        CHECK_SAY(memcmp(status[0], status[1], sizeof status[0]) == 0 && memcmp(x[0], x[1], sizeof x[0]) == 0,
                  "try %d, %s, n = %d", t, test_shape_name(r.shape), r.n);
        compare_statistics(s, restored);
        several += s->analysis->nblocks >= 3;
        by_rows += rows;
        duplicates += s->analysis->a->map_ptr != NULL;
        for (int32_t k = 0; k < r.n; k++) exchanged += wlu_solver_pivots(s)->row[k] != s->analysis->candidate[0].row[k];
        warplu_destroy(&s);
        warplu_destroy(&restored);
        free_system(&m);
    }
    CHECK_SAY(several > 20 && by_rows > 100 && duplicates > 40 && exchanged > TRIES, "%d %d %d %d", several, by_rows,
              duplicates, exchanged);
}

/* Saved before pivoting: the restored solver factors like the first one. Saving what was restored gives the same file.
 */
static void an_analysis_alone_comes_back(void)
{
    uint64_t seed = 77;
    static system_of m;
    for (int t = 0; t < 60; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        double x[2][NMAX];
        warplu_solver *s = NULL, *restored = NULL;
        int64_t size[2];
        make_system(&m, &seed, &r, 0);
        CHECK(check_create(&s) == WARPLU_SUCCESS && check_create(&restored) == WARPLU_SUCCESS);
        CHECK(warplu_analyze(s, r.n, m.given->ptr, m.given->idx, t % 2 ? m.given->x : NULL) == WARPLU_SUCCESS);
        CHECK(warplu_save(s, path) == WARPLU_SUCCESS && warplu_restore(restored, path) == WARPLU_SUCCESS);
        compare_analyses(s->analysis, restored->analysis);
        CHECK(s->analysis->provisional == restored->analysis->provisional && wlu_solver_pivots(restored) == NULL);
        uint8_t *first = read_all(path, &size[0]);
        CHECK(warplu_save(restored, path) == WARPLU_SUCCESS);
        uint8_t *second = read_all(path, &size[1]);
        CHECK(size[0] == size[1] && memcmp(first, second, (size_t)size[0]) == 0);
        CHECK(warplu_factor(s, m.given->x) == WARPLU_SUCCESS &&
              warplu_refactor(restored, m.given->x) == WARPLU_SUCCESS);
        CHECK(warplu_solve(s, 1, m.b, r.n, x[0], r.n) >= 0 && warplu_solve(restored, 1, m.b, r.n, x[1], r.n) >= 0);
        CHECK(memcmp(x[0], x[1], (size_t)r.n * sizeof *x[0]) == 0);
        warplu_destroy(&s);
        warplu_destroy(&restored);
        free_system(&m);
        free(first);
        free(second);
    }
}

/* Pivots that came back from before the analysis was made again are saved with the one they were chosen with. */
static void earlier_pivots_are_saved_with_their_analysis(void)
{
    enum { M = 8 };
    int32_t ptr[M + 1] = {0}, idx[4 * M];
    double first[4 * M], second[4 * M], zero[4 * M] = {0}, b[M], x[2][M];
    for (int32_t j = 0, at = 0; j < M;
         ptr[++j] = at) { /* an arrow, and a cycle; strong is the one's diagonal or the other */
        b[j] = j + 1.0;
        for (int32_t i = 0; i < M; i++) {
            int next = i == (j + 1) % M;
            if (i != j && i != 0 && j != 0 && !next) continue;
            first[at] = i == j ? 4.0 : 1e-17;
            second[at] = next ? 4.0 : 1e-17;
            idx[at++] = i;
        }
    }
    warplu_solver *s = NULL, *restored = NULL;
    warplu_options o;
    check_init_options(&o);
    o.matching = WARPLU_MATCHING_ALWAYS;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, M, ptr, idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, first) == WARPLU_SUCCESS && warplu_factor(s, zero) == WARPLU_SINGULAR);
    const wlu_pivots *pivots = wlu_solver_pivots(s);
    CHECK(warplu_factor(s, second) == WARPLU_SUCCESS && wlu_solver_pivots(s) != pivots);
    CHECK(warplu_refactor(s, first) == WARPLU_SUCCESS && wlu_solver_pivots(s) == pivots);
    CHECK(s->current.plan->analysis != s->analysis);
    CHECK(warplu_save(s, path) == WARPLU_SUCCESS && check_create(&restored) == WARPLU_SUCCESS);
    CHECK_SAY(warplu_restore(restored, path) == WARPLU_SUCCESS, "%s", warplu_get_message(restored));
    CHECK(warplu_refactor(restored, first) == WARPLU_SUCCESS);
    CHECK(warplu_solve(s, 1, b, M, x[0], M) == WARPLU_SUCCESS &&
          warplu_solve(restored, 1, b, M, x[1], M) == WARPLU_SUCCESS);
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
    if (wlu_solver_pivots(s) == pivots && wlu_solver_pivots(restored) != NULL)
        compare_pivots(pivots, wlu_solver_pivots(restored));
    warplu_destroy(&s);
    warplu_destroy(&restored);
}

/* Singular values do not make a solver look for another order, whatever its own options say. */
static void given_orders_stay_given(void)
{
    const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1}, order[] = {1, 0};
    const double good[] = {4, 1, 1, 4}, singular[] = {1, 1, 1, 1};
    warplu_solver *s = NULL, *restored = NULL;
    warplu_options o;
    warplu_statistics t = {.size = sizeof t};
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_GIVEN;
    o.col_order = order;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr, idx, good) == WARPLU_SUCCESS);
    CHECK(warplu_save(s, path) == WARPLU_SUCCESS);
    CHECK(check_create(&restored) == WARPLU_SUCCESS && warplu_restore(restored, path) == WARPLU_SUCCESS);
    CHECK(warplu_factor(restored, singular) == WARPLU_SINGULAR && warplu_factor(restored, good) == WARPLU_SUCCESS);
    CHECK(warplu_get_statistics(restored, &t) == WARPLU_SUCCESS && t.ordering == WARPLU_ORDERING_GIVEN);
    CHECK(wlu_solver_pivots(restored)->col[0] == 1);
    warplu_destroy(&s);
    warplu_destroy(&restored);
}

/* The file replaces what the solver had, of whatever size. */
static void a_busy_solver_takes_another_system(void)
{
    uint64_t seed = 5;
    static system_of small, large;
    test_recipe a = {.shape = TEST_BLOCKS, .n = 9}, b = {.shape = TEST_GRID, .n = 25};
    warplu_solver *s = NULL, *t = NULL;
    warplu_status status[9];
    double x[6 * NMAX];
    make_system(&small, &seed, &a, 0);
    make_system(&large, &seed, &b, 0);
    CHECK(check_create(&s) == WARPLU_SUCCESS && check_create(&t) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, 25, large.given->ptr, large.given->idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, large.given->x) == WARPLU_SUCCESS && warplu_save(s, path) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(t, 9, small.given->ptr, small.given->idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(t, small.given->x) == WARPLU_SUCCESS);
    replay(t, &small, status, x);
    CHECK(warplu_restore(t, path) == WARPLU_SUCCESS);
    CHECK(warplu_check_pattern(t, 25, large.given->ptr, large.given->idx) == WARPLU_SUCCESS);
    replay(t, &large, status, x);
    for (int k = 0; k < 9; k++) CHECK(status[k] == WARPLU_SUCCESS);
    warplu_destroy(&s);
    warplu_destroy(&t);
    free_system(&small);
    free_system(&large);
}

/* A restored solver judges replays like the first one, and pivots again by its own options. */
static void weak_replays_are_seen(void)
{
    const double good[] = {1, 1, 1, 2}, weak[] = {1e-16, 1, 1, 2}, b[] = {1, 3};
    const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
    double x[2];
    warplu_options o;
    warplu_solver *s = NULL, *restored = NULL;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && check_create(&restored) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, 2, ptr, idx, NULL) == WARPLU_SUCCESS && warplu_factor(s, good) == WARPLU_SUCCESS);
    CHECK(warplu_save(s, path) == WARPLU_SUCCESS && warplu_restore(restored, path) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(restored, weak) == WARPLU_REPIVOTED);
    CHECK(warplu_solve(restored, 1, b, 2, x, 2) == WARPLU_SUCCESS && fabs(x[0] - 1) < 1e-14 && fabs(x[1] - 1) < 1e-14);
    warplu_destroy(&s);
    warplu_destroy(&restored);
}

/* Scales of columns, which the pivots may hold or not. */
static void column_scales_come_back(void)
{
    uint64_t seed = 99;
    for (int t = 0; t < 50; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        int16_t rows[NMAX], cols[NMAX];
        test_matrix m;
        test_build b;
        warplu_options o;
        check_init_options(&o);
        test_matrix_random(&m, &seed, &r);
        CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
        for (int32_t k = 0; k < r.n; k++) {
            rows[k] = (int16_t)(check_below(&seed, 40) - 20);
            cols[k] = (int16_t)(check_below(&seed, 40) - 20);
        }
        wlu_pivots *p = NULL, *q = NULL;
        wlu_factors *f = NULL;
        wlu_analysis *an = NULL;
        wlu_saved_program program;
        CHECK(wlu_pivot_search(&b.ctx, &o, b.analysis, &b.analysis->candidate[0], rows, cols, b.entries, HUGE_VAL, &p,
                               &f) == WARPLU_SUCCESS);
        int64_t size = wlu_saved_bytes(b.analysis, p, wlu_saved_no_program);
        uint8_t *bytes = malloc((size_t)size);
        wlu_saved_encode(b.analysis, p, wlu_saved_no_program, bytes);
        CHECK_SAY(wlu_saved_decode(&b.ctx, "columns", bytes, size, &an, &q, &program) == WARPLU_SUCCESS, "%s",
                  b.ctx.last_message);
        if (q != NULL) {
            CHECK(q->col_exponent != NULL);
            compare_pivots(p, q);
        }
        free(bytes);
        wlu_pivots_destroy(&b.ctx, &p);
        wlu_pivots_destroy(&b.ctx, &q);
        wlu_factors_destroy(&b.ctx, &f);
        wlu_analysis_destroy(&b.ctx, &an);
        test_build_free(&b);
        test_matrix_free(&m);
    }
}

/* ----------------------------------------------------------- broken files */

/* Small systems with everything that a file can hold. */
typedef struct sample {
    test_matrix m;
    warplu_solver *solver; /* whose state a refused file must not change */
    uint8_t *bytes;
    int64_t size;
    double b[NMAX], x[NMAX];
} sample;

static void open_sample(sample *s, int kind)
{
    static const test_recipe recipes[] = {{.shape = TEST_BLOCKS, .n = 7, .duplicates = 1, .shuffled = 1},
                                          {.shape = TEST_ARROW, .n = 6, .weak_diagonal = 1},
                                          {.shape = TEST_BAND, .n = 5}};
    uint64_t seed = 4242 + (uint64_t)kind;
    memset(s, 0, sizeof *s);
    test_matrix_random(&s->m, &seed, &recipes[kind]);
    for (int32_t i = 0; i < s->m.n; i++) s->b[i] = 1.0 + i;
    CHECK(check_create(&s->solver) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s->solver, s->m.n, s->m.ptr, s->m.idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s->solver, s->m.x) == WARPLU_SUCCESS && warplu_save(s->solver, path) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s->solver, s->m.x) == WARPLU_SUCCESS);
    CHECK(warplu_solve(s->solver, 1, s->b, s->m.n, s->x, s->m.n) == WARPLU_SUCCESS);
    s->bytes = read_all(path, &s->size);
    CHECK(s->bytes != NULL && s->size < 2000);
}

static void close_sample(sample *s)
{
    warplu_destroy(&s->solver);
    test_matrix_free(&s->m);
    free(s->bytes);
}

/* The solver still has its factors. */
static void check_unchanged(const sample *s)
{
    double x[NMAX];
    CHECK(warplu_solve(s->solver, 1, s->b, s->m.n, x, s->m.n) == WARPLU_SUCCESS);
    CHECK(memcmp(x, s->x, (size_t)s->m.n * sizeof *x) == 0);
}

static void truncated_files_are_refused(void)
{
    for (int kind = 0; kind < 3; kind++) {
        sample s;
        open_sample(&s, kind);
        for (int64_t length = 0; length < s.size; length++) {
            if (!check_due()) continue;
            uint8_t *part = malloc((size_t)length + 1); /* of its own, so that a sanitizer sees its end */
            memcpy(part, s.bytes, (size_t)length);
            CHECK_SAY(wlu_solver_restore(s.solver, "part", part, length) == WARPLU_BAD_FORMAT, "%lld bytes",
                      (long long)length);
            CHECK(strstr(warplu_get_message(s.solver), "part: ") != NULL);
            free(part);
        }
        for (int64_t length = 0; length < s.size; length += 61) {
            if (!check_due()) continue;
            write_all(path, s.bytes, length);
            CHECK(warplu_restore(s.solver, path) == WARPLU_BAD_FORMAT);
        }
        check_unchanged(&s);
        close_sample(&s);
    }
}

static void every_flipped_bit_is_seen(void)
{
    for (int kind = 0; kind < 3; kind++) {
        sample s;
        open_sample(&s, kind);
        for (int64_t bit = 0; bit < 8 * s.size; bit++) {
            if (!check_due()) continue;
            s.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            warplu_status status = wlu_solver_restore(s.solver, "flipped", s.bytes, s.size);
            CHECK_SAY(status == WARPLU_BAD_FORMAT ||
                          (status == WARPLU_VERSION_MISMATCH && bit / 8 >= 12 && bit / 8 < 16),
                      "bit %lld: %s", (long long)bit, warplu_status_name(status));
            s.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        check_unchanged(&s);
        close_sample(&s);
    }
}

/* |b - A x| against |A||x| + |b|, in the pattern the solver has now. */
static long double backward_error(const wlu_pattern *a, const double *entries, const double *b, const double *x)
{
    long double r[NMAX], d[NMAX], worst = 0.0L;
    for (int32_t i = 0; i < a->n; i++) {
        r[i] = b[i];
        d[i] = fabsl((long double)b[i]);
    }
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            r[a->i[e]] -= (long double)entries[e] * x[j];
            d[a->i[e]] += fabsl((long double)entries[e] * x[j]);
        }
    for (int32_t i = 0; i < a->n; i++)
        if (!(fabsl(r[i]) <= worst * d[i])) worst = d[i] > 0.0L ? fabsl(r[i]) / d[i] : INFINITY;
    return worst;
}

/* Accepted bytes must be as good as an analysis made here: errors and warnings may come, wrong answers may not. */
static void use_tampered(warplu_solver *s, const sample *of, int64_t byte)
{
    double entries[16 * NMAX], x[NMAX];
    int32_t n = s->analysis->n;
    CHECK(n == of->m.n && s->analysis->a->nvalues == of->m.nnz);
    for (int round = 0; round < 2; round++) {
        if (warplu_refactor(s, of->m.x) < 0) continue;
        warplu_status status = warplu_solve(s, 1, of->b, n, x, n);
        if (status < 0 || status == WARPLU_INACCURATE) continue;
        wlu_pattern_gather(s->analysis->a, of->m.x, entries);
        long double omega = backward_error(s->analysis->a, entries, of->b, x);
        CHECK_SAY(omega <= 1e-10L, "byte %lld: %s with a backward error of %Lg", (long long)byte,
                  warplu_status_name(status), omega);
    }
}

static void tampered_files_do_no_harm(void)
{
    int refused = 0, taken = 0;
    for (int kind = 0; kind < 3; kind++) {
        sample s;
        open_sample(&s, kind);
        for (int64_t byte = 0; byte < s.size - 4; byte++)
            for (int change = 0; change < 8; change++) {
                static const uint8_t masks[] = {1, 2, 3, 4, 0x10, 0x40, 0x80, 0xff};
                uint8_t *bytes = malloc((size_t)s.size);
                warplu_solver *t = NULL;
                memcpy(bytes, s.bytes, (size_t)s.size);
                bytes[byte] ^= masks[change];
                seal(bytes, s.size);
                CHECK(check_create(&t) == WARPLU_SUCCESS);
                warplu_status status = wlu_solver_restore(t, "tampered", bytes, s.size);
                if (status == WARPLU_SUCCESS) {
                    use_tampered(t, &s, byte);
                    taken++;
                } else {
                    CHECK_SAY(status == WARPLU_BAD_FORMAT ||
                                  (status == WARPLU_VERSION_MISMATCH && byte >= 12 && byte < 16) ||
                                  (status == WARPLU_PATTERN_MISMATCH && byte == 45), /* complex, says a flag */
                              "byte %lld: %s", (long long)byte, warplu_status_name(status));
                    CHECK(strstr(warplu_get_message(t), "tampered: ") != NULL && t->analysis == NULL);
                    refused++;
                }
                warplu_destroy(&t);
                free(bytes);
            }
        close_sample(&s);
    }
    printf("# %d refused, %d harmless\n", refused, taken);
    CHECK(refused > 5000 && taken > 500);
}

/* Each rule of the format by a file that breaks it alone. at: offset, or from the end if negative. */
static void each_rule_is_checked(void)
{
    sample s;
    open_sample(&s, 2); /* band of 5: no duplicates, identity map, one block or more */
    wlu_pattern *a = s.solver->analysis->a;
    CHECK(a->map == NULL && a->map_ptr == NULL && s.size > 0);
    const struct {
        const char *expected;
        int64_t at;
        int32_t value;
    } rules[] = {
        {"found a file of another kind", 0, 0x46454c7f},
        {"byte order, found the other one", 8, 0x04030201},
        {"byte order mark 01020304, found 00000000", 8, 0},
        {"expected format version 1 or 2, found 3", 12, 3},
        {"counts contradict", 12, 2},
        {"counts contradict", 16, (int32_t)s.size + 1},
        {"counts contradict", 24, a->n + 1},
        {"counts contradict", 24, -1},
        {"counts contradict", 28, INT32_MAX},
        {"counts contradict", 36, 0},
        {"counts contradict", 40, 5},
        {"counts contradict", 44, 0x200 + WLU_SAVED_PIVOTS},
        {"counts contradict", 48, 1000},
        {"entries of L", 48, 0},
        {"columns: expected 0", 64, 1},
        {"columns: expected to rise", 68, a->nnz + 1},
        {"columns: expected to rise", 72, -5},
        {"pattern: expected ascending rows", 64 + 4 * ((int64_t)a->n + 1), a->n},
        {"pattern: expected ascending rows", 64 + 4 * ((int64_t)a->n + 1) + 4, -1},
        {"blocks: expected", 64 + 4 * ((int64_t)a->n + 1 + a->nnz), 1},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        uint8_t *bytes = malloc((size_t)s.size);
        memcpy(bytes, s.bytes, (size_t)s.size);
        memcpy(bytes + rules[k].at, &rules[k].value, 4);
        seal(bytes, s.size);
        write_all(path, bytes, s.size);
        warplu_status status = warplu_restore(s.solver, path);
        CHECK_SAY(status == (rules[k].value == 3 ? WARPLU_VERSION_MISMATCH : WARPLU_BAD_FORMAT) &&
                      strstr(warplu_get_message(s.solver), rules[k].expected) != NULL &&
                      strstr(warplu_get_message(s.solver), path) != NULL,
                  "rule %d: %s, %s", (int)k, warplu_status_name(status), warplu_get_message(s.solver));
        free(bytes);
    }
    uint8_t *longer = malloc((size_t)s.size + 1);
    memcpy(longer, s.bytes, (size_t)s.size);
    longer[s.size] = 0;
    write_all(path, longer, s.size + 1);
    CHECK(warplu_restore(s.solver, path) == WARPLU_BAD_FORMAT);
    CHECK(strstr(warplu_get_message(s.solver), "something follows the end") != NULL);
    free(longer);
    check_unchanged(&s);
    close_sample(&s);
}

/* Copies the number at from to at, seals, and expects a refusal that says why. */
static void refuse_copy(const sample *s, int64_t at, int64_t from, const char *expected)
{
    uint8_t *bytes = malloc((size_t)s->size);
    memcpy(bytes, s->bytes, (size_t)s->size);
    memcpy(bytes + at, s->bytes + from, 4);
    seal(bytes, s->size);
    warplu_status status = wlu_solver_restore(s->solver, "copied", bytes, s->size);
    CHECK_SAY(status == WARPLU_BAD_FORMAT && strstr(warplu_get_message(s->solver), expected) != NULL, "%s: %s, %s",
              expected, warplu_status_name(status), warplu_get_message(s->solver));
    free(bytes);
}

/* Orders and maps that name something twice; pivots that change rows between blocks. */
static void permutations_are_checked(void)
{
    sample s;
    open_sample(&s, 0);
    const wlu_analysis *an = s.solver->analysis;
    int64_t n = an->n, nnz = an->a->nnz, nvalues = an->a->nvalues;
    CHECK(an->a->map_ptr != NULL && an->nblocks > 1);
    int64_t map = 64 + 4 * (n + 1 + nnz + nnz + 1), blocks = map + 4 * nvalues;
    int64_t candidate = blocks + 4 * ((int64_t)an->nblocks + 1) + 40;
    int64_t pivots = candidate - 40 + an->ncandidates * (40 + 8 * n) + 72;
    int64_t other = 4 * an->block[1]; /* the first position of the second block */
    refuse_copy(&s, map, map + 4, "map of values: expected each");
    refuse_copy(&s, candidate, candidate + 4, "order: expected each");
    refuse_copy(&s, candidate + 4 * n, candidate + 4 * n + 4, "order: expected each");
    refuse_copy(&s, pivots, pivots + 4, "pivots: expected each");
    uint8_t kept[4]; /* two pivots of different blocks change rows */
    memcpy(kept, s.bytes + pivots, 4);
    memcpy(s.bytes + pivots, s.bytes + pivots + other, 4);
    memcpy(s.bytes + pivots + other, kept, 4);
    refuse_copy(&s, 0, 0, "another block");
    check_unchanged(&s);
    close_sample(&s);
}

/* ------------------------------------------------------------------ files */

static void check_refused(warplu_status status, warplu_status expected, const warplu_solver *s, const char *name)
{
    CHECK_SAY(status == expected && strstr(warplu_get_message(s), name) != NULL, "%s: %s, %s", name,
              warplu_status_name(status), warplu_get_message(s));
}

static void files_that_cannot_be_used(void)
{
    char missing[PATH_BYTES], pipe_path[PATH_BYTES];
    sample s;
    open_sample(&s, 1);
    snprintf(missing, sizeof missing, "%s/no/such/file", folder);
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
    check_refused(warplu_save(s.solver, missing), WARPLU_CANNOT_OPEN, s.solver, missing);
    check_refused(warplu_save(s.solver, folder), WARPLU_CANNOT_OPEN, s.solver, folder);
    check_refused(warplu_restore(s.solver, missing), WARPLU_CANNOT_OPEN, s.solver, missing);
    check_refused(warplu_restore(s.solver, folder), WARPLU_CANNOT_READ, s.solver, folder);
    check_refused(warplu_restore(s.solver, "/dev/null"), WARPLU_CANNOT_READ, s.solver, "/dev/null");
    if (access("/dev/full", W_OK) == 0)
        check_refused(warplu_save(s.solver, "/dev/full"), WARPLU_CANNOT_WRITE, s.solver, "/dev/full");
    if (mkfifo(pipe_path, 0600) == 0) {
        check_refused(warplu_restore(s.solver, pipe_path), WARPLU_CANNOT_READ, s.solver, pipe_path);
        unlink(pipe_path);
    }
    write_all(path, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", 58);
    check_refused(warplu_restore(s.solver, path), WARPLU_BAD_FORMAT, s.solver, "of another kind");
    write_all(path, "", 0);
    check_refused(warplu_restore(s.solver, path), WARPLU_BAD_FORMAT, s.solver, "empty file");
    check_unchanged(&s);
    close_sample(&s);
}

static int stop(void *user)
{
    (void)user;
    return 1;
}

/* A write that fails midway, as on a full disk, or is cancelled: what stood there stays, and nothing else is left
 * behind. */
static void a_failed_save_leaves_the_old_file(void)
{
    struct rlimit before, tight;
    int64_t size = 0;
    sample s;
    open_sample(&s, 0);
    write_all(path, "old", 3);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    tight = before;
    tight.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &tight) == 0);
    warplu_status status = warplu_save(s.solver, path);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    signal(SIGXFSZ, SIG_DFL);
    check_refused(status, WARPLU_CANNOT_WRITE, s.solver, path);
    s.solver->ctx.cancel = stop;
    check_refused(warplu_save(s.solver, path), WARPLU_CANCELLED, s.solver, "cancelled");
    s.solver->ctx.cancel = NULL;
    uint8_t *old = read_all(path, &size);
    CHECK(size == 3 && memcmp(old, "old", 3) == 0);
    free(old);
    CHECK(unlink(path) == 0 && rmdir(folder) == 0 && mkdir(folder, 0700) == 0); /* the folder holds nothing else */
    check_unchanged(&s);
    CHECK(warplu_save(s.solver, path) == WARPLU_SUCCESS);
    close_sample(&s);
}

static void phases_and_arguments(void)
{
    warplu_solver *s = NULL;
    CHECK(check_create(&s) == WARPLU_SUCCESS);
    CHECK(warplu_save(s, path) == WARPLU_WRONG_PHASE && warplu_check_pattern(s, 1, NULL, NULL) == WARPLU_WRONG_PHASE);
    CHECK(warplu_save(NULL, path) == WARPLU_INVALID_ARGUMENT && warplu_save(s, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_restore(NULL, path) == WARPLU_INVALID_ARGUMENT && warplu_restore(s, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_check_pattern(NULL, 1, NULL, NULL) == WARPLU_INVALID_ARGUMENT);
    warplu_destroy(&s);
}

static void patterns_are_told_apart(void)
{
    const int32_t ptr[] = {0, 2, 3, 5}, idx[] = {0, 2, 1, 0, 2}, shuffled[] = {2, 0, 1, 0, 2},
                  other[] = {0, 2, 1, 1, 2};
    const int32_t wrong[] = {0, 2, 1, 0, 3}, twice[] = {0, 3, 4, 6}, twice_idx[] = {0, 2, 2, 1, 0, 2};
    warplu_solver *s = NULL;
    CHECK(check_create(&s) == WARPLU_SUCCESS && warplu_analyze(s, 3, ptr, idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_check_pattern(s, 3, ptr, idx) == WARPLU_SUCCESS);
    check_refused(warplu_check_pattern(s, 2, ptr, idx), WARPLU_PATTERN_MISMATCH, s, "2 rows");
    check_refused(warplu_check_pattern(s, 3, ptr, other), WARPLU_PATTERN_MISMATCH, s, "column 2");
    check_refused(warplu_check_pattern(s, 3, ptr, shuffled), WARPLU_PATTERN_MISMATCH, s, "another order");
    check_refused(warplu_check_pattern(s, 3, twice, twice_idx), WARPLU_PATTERN_MISMATCH, s, "another order");
    check_refused(warplu_check_pattern(s, 3, ptr, wrong), WARPLU_INVALID_ARGUMENT, s, "idx[4]");
    check_refused(warplu_check_pattern(s, 0, ptr, idx), WARPLU_EMPTY, s, "no rows");
    warplu_destroy(&s);
}

/* Pivots that are older than the analysis, which was made again for values that proved singular, too: they are saved
 * with the analysis they were found by, and stay for the next refactor. */
static void pivots_are_saved_with_their_analysis(void)
{
    uint64_t seed = 7;
    int older = 0;
    for (int t = 0; t < 100; t++) {
        static double zero[16 * NMAX * NMAX], half[16 * NMAX * NMAX];
        double b[NMAX], x[NMAX], omega = INFINITY;
        test_recipe r = test_recipe_random(&seed, 20);
        test_matrix m;
        warplu_solver *s = NULL, *u = NULL;
        if (t % 2) r.shape = TEST_BLOCKS;
        test_matrix_random(&m, &seed, &r);
        for (int32_t i = 0; i < m.n; i++) b[i] = 1.0 + check_uniform(&seed);
        for (int32_t q = 0; q < m.nnz; q++) half[q] = check_below(&seed, 3) ? m.x[q] * check_uniform(&seed) : 0.0;
        CHECK(check_create(&s) == WARPLU_SUCCESS && check_create(&u) == WARPLU_SUCCESS);
        CHECK(warplu_analyze(s, m.n, m.ptr, m.idx, m.x) == WARPLU_SUCCESS);
        CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && warplu_factor(s, zero) == WARPLU_SINGULAR);
        const wlu_pivots *pivots = wlu_solver_pivots(s);
        if (warplu_factor(s, half) == WARPLU_SINGULAR) {
            CHECK(wlu_solver_pivots(s) == pivots);
            older += s->current.plan->analysis != s->analysis;
        }
        CHECK(warplu_save(s, path) == WARPLU_SUCCESS);
        CHECK_SAY(warplu_restore(u, path) == WARPLU_SUCCESS, "try %d: %s", t, warplu_get_message(u));
        CHECK(warplu_refactor(u, m.x) >= 0 && warplu_solve(u, 1, b, m.n, x, m.n) >= 0);
        CHECK(warplu_compute_backward_error(u, 0, m.x, 1, b, m.n, x, m.n, &omega) == WARPLU_SUCCESS && omega < 1e-10);
        warplu_destroy(&s);
        warplu_destroy(&u);
        test_matrix_free(&m);
    }
    CHECK_SAY(older > 30, "%d", older);
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    snprintf(path, sizeof path, "%s/saved", folder);
    RUN(restored_solvers_give_the_same_bits);
    RUN(an_analysis_alone_comes_back);
    RUN(earlier_pivots_are_saved_with_their_analysis);
    RUN(given_orders_stay_given);
    RUN(a_busy_solver_takes_another_system);
    RUN(weak_replays_are_seen);
    RUN(column_scales_come_back);
    RUN(truncated_files_are_refused);
    RUN(every_flipped_bit_is_seen);
    RUN(tampered_files_do_no_harm);
    RUN(each_rule_is_checked);
    RUN(permutations_are_checked);
    RUN(pivots_are_saved_with_their_analysis);
    RUN(files_that_cannot_be_used);
    RUN(a_failed_save_leaves_the_old_file);
    RUN(phases_and_arguments);
    RUN(patterns_are_told_apart);
    unlink(path);
    rmdir(folder);
    return check_done();
}
