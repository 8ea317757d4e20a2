/* Loading: CSR and CSC give the same bits, duplicates are summed, unsorted and permuted entries change nothing,
 * warplu_get_position finds what to stamp, and values of F reach the solution of a replay. */
#include <warplu/inspect.h>

#include "check.h"

#include "solver/solver.h"
#include "support/dense.h"
#include "support/matrices.h"
#include "support/options.h"

#include <string.h>

enum { NMAX = 50, TRIES = 200 };

static uint64_t seed;

/* Factor, refactor and both solves; x takes 2 n numbers. */
static warplu_solver *run(const test_matrix *m, warplu_storage storage, const double *b, double *x)
{
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.storage = storage;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, m->n, m->ptr, m->idx, NULL) == WARPLU_SUCCESS);
    CHECK_SAY(warplu_factor(s, m->x) == WARPLU_SUCCESS, "%s", warplu_get_message(s));
    CHECK(warplu_refactor(s, m->x) == WARPLU_SUCCESS);
    CHECK(warplu_solve(s, 1, b, m->n, x, m->n) >= 0);
    CHECK(warplu_solve_transposed(s, 1, b, m->n, x + m->n, m->n) >= 0);
    return s;
}

/* The same entries in ascending order, without duplicates. */
static void tidy(const test_matrix *m, test_matrix *out)
{
    test_matrix by_row, again;
    test_matrix_to_csr(m, &by_row, NULL);
    test_matrix_to_csr(&by_row, &again, NULL); /* columns ascending, duplicates in the order given */
    test_matrix_free(&by_row);
    int32_t to = 0, begin = 0;
    for (int32_t j = 0; j < again.n; j++) {
        for (int32_t q = begin; q < again.ptr[j + 1]; q++) {
            if (q > begin && again.idx[q] == again.idx[to - 1]) {
                again.x[to - 1] += again.x[q];
                continue;
            }
            again.idx[to] = again.idx[q];
            again.x[to++] = again.x[q];
        }
        begin = again.ptr[j + 1];
        again.ptr[j + 1] = to;
    }
    again.nnz = to;
    *out = again;
}

static void storage_does_not_change_bits(void)
{
    seed = 299792;
    printf("# seed %llu\n", (unsigned long long)seed);
    int duplicates = 0;
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        test_matrix m, csr, plain;
        double b[NMAX], x[3][2 * NMAX];
        test_matrix_random(&m, &seed, &r);
        test_matrix_to_csr(&m, &csr, NULL);
        tidy(&m, &plain);
        duplicates += plain.nnz < m.nnz;
        for (int32_t i = 0; i < m.n; i++) b[i] = check_uniform(&seed) - 0.5;
        warplu_solver *s[3] = {run(&m, WARPLU_STORAGE_CSC, b, x[0]), run(&csr, WARPLU_STORAGE_CSR, b, x[1]),
                               run(&plain, WARPLU_STORAGE_CSC, b, x[2])};
        size_t bytes = 2 * (size_t)m.n * sizeof(double);
        CHECK_SAY(memcmp(x[0], x[1], bytes) == 0, "CSR, try %d: %s, n = %d", t, test_shape_name(r.shape), r.n);
        CHECK_SAY(memcmp(x[0], x[2], bytes) == 0, "tidy, try %d: %s, n = %d", t, test_shape_name(r.shape), r.n);
        for (int k = 0; k < 3; k++) warplu_destroy(&s[k]);
        test_matrix_free(&m);
        test_matrix_free(&csr);
        test_matrix_free(&plain);
    }
    CHECK(duplicates > TRIES / 8);
}

/* position(row, col) for every entry and every gap of the pattern, in both storages. */
static void positions_are_where_to_stamp(void)
{
    seed = 662607;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < 60; t++) {
        test_recipe r = test_recipe_random(&seed, 20);
        test_matrix m[2];
        test_matrix_random(&m[0], &seed, &r);
        test_matrix_to_csr(&m[0], &m[1], NULL);
        for (int storage = WARPLU_STORAGE_CSC; storage <= WARPLU_STORAGE_CSR; storage++) {
            const test_matrix *a = &m[storage];
            warplu_options o;
            warplu_solver *s = NULL;
            int32_t n = a->n, first[20 * 20];
            memset(first, -1, sizeof first);
            for (int32_t line = 0; line < n; line++)
                for (int32_t q = a->ptr[line + 1] - 1; q >= a->ptr[line]; q--)
                    first[storage == WARPLU_STORAGE_CSC ? a->idx[q] * n + line : line * n + a->idx[q]] = q;
            check_init_options(&o);
            o.storage = (warplu_storage)storage;
            CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
            CHECK(warplu_analyze(s, n, a->ptr, a->idx, NULL) == WARPLU_SUCCESS);
            for (int32_t row = 0; row < n; row++)
                for (int32_t col = 0; col < n; col++) {
                    int32_t at = -7, expected = first[row * n + col];
                    warplu_status status = warplu_get_position(s, row, col, &at);
                    CHECK(status == (expected < 0 ? WARPLU_PATTERN_MISMATCH : WARPLU_SUCCESS));
                    CHECK(at == (expected < 0 ? -7 : expected));
                }
            warplu_destroy(&s);
        }
        test_matrix_free(&m[0]);
        test_matrix_free(&m[1]);
    }
}

/* Marks the entries of m that lie in F: between different blocks of the pivots. */
static int mark_f(const warplu_solver *s, const test_matrix *m, char *in_f)
{
    const wlu_pivots *p = wlu_solver_pivots(s);
    int32_t block[NMAX];
    int count = 0;
    for (int32_t b = 0; b < p->nblocks; b++)
        for (int32_t k = p->block[b]; k < p->block[b + 1]; k++) block[k] = b;
    for (int32_t j = 0; j < m->n; j++)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            in_f[q] = block[p->row_pos[m->idx[q]]] != block[p->col_pos[j]];
            count += in_f[q];
        }
    return count;
}

/* Only values of F change: the diagonal blocks' factors keep their bits, the solutions follow. */
static void values_of_f_are_loaded_at_every_replay(void)
{
    seed = 602214;
    printf("# seed %llu\n", (unsigned long long)seed);
    int several = 0;
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = {.shape = TEST_BLOCKS, .n = 6 + check_below(&seed, NMAX - 6), .shuffled = 1};
        test_matrix m;
        double b[NMAX], x[2 * NMAX];
        test_matrix_random(&m, &seed, &r);
        for (int32_t i = 0; i < m.n; i++) b[i] = check_uniform(&seed) - 0.5;
        warplu_solver *s = run(&m, WARPLU_STORAGE_CSC, b, x);
        char *in_f = calloc((size_t)m.nnz, 1);
        several += wlu_solver_pivots(s)->nblocks >= 3 && mark_f(s, &m, in_f) >= 3;
        double kept[NMAX];
        wlu_slots slots;
        CHECK(wlu_state_fetch(&s->ctx, s->current.state, 0, &slots) == WARPLU_SUCCESS);
        for (int32_t k = 0; k < m.n; k++) kept[k] = slots.v[wlu_solver_program(s)->slot[k]];
        for (int32_t q = 0; q < m.nnz; q++)
            if (in_f[q]) m.x[q] = 10.0 * (check_uniform(&seed) - 0.5);
        CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS);
        CHECK(wlu_state_fetch(&s->ctx, s->current.state, 0, &slots) == WARPLU_SUCCESS);
        for (int32_t k = 0; k < m.n; k++) CHECK(kept[k] == slots.v[wlu_solver_program(s)->slot[k]]);
        CHECK(warplu_solve(s, 1, b, m.n, x, m.n) == WARPLU_SUCCESS);
        CHECK(warplu_solve_transposed(s, 1, b, m.n, x + m.n, m.n) == WARPLU_SUCCESS);
        double *dense = test_matrix_dense(&m);
        for (int way = 0; way < 2; way++) {
            double omega = test_dense_backward_error(m.n, dense, way, b, x + way * m.n);
            CHECK_SAY(omega <= 1e-11, "try %d, transposed %d: %g", t, way, omega);
        }
        free(dense);
        free(in_f);
        warplu_destroy(&s);
        test_matrix_free(&m);
    }
    CHECK_SAY(several > TRIES / 2, "%d matrices had three blocks and three entries of F", several);
}

int main(void)
{
    RUN(storage_does_not_change_bits);
    RUN(positions_are_where_to_stamp);
    RUN(values_of_f_are_loaded_at_every_replay);
    return check_done();
}
