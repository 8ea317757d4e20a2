/* What is run beside each other. See beside.h. */
#include "beside.h"

#include <warplu/inspect.h>
#include <warplu/save.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

enum { N = BESIDE_N, MEMBERS = BESIDE_MEMBERS, FEW = 2, SIDES = 8 };

static void note(beside_actor *k, warplu_status status)
{
    if (status < 0 && k->status >= 0) k->status = status;
}

/* Values of the same pattern, other than those that pivots were chosen for. */
static void draw(beside_actor *k)
{
    const test_matrix *m = k->of->m;
    uint64_t seed = 20261;
    for (int64_t q = 0; q < MEMBERS * (int64_t)m->nnz; q++)
        k->values[q] = m->x[q % m->nnz] * (0.95 + 0.1 * check_uniform(&seed));
    for (int32_t q = 0; q < BESIDE_NUMBERS; q++) k->b[q] = check_uniform(&seed) - 0.5;
}

/* A third of the values of a member become tiny: the pivots are weak for them. */
static void weaken(beside_actor *k, int32_t member)
{
    double *values = k->values + member * (int64_t)k->of->m->nnz;
    for (int32_t q = 0; q < k->of->m->nnz; q += 3) values[q] *= 1e-14;
}

static void make_batch(beside_actor *k, const warplu_solver *over, int keep)
{
    warplu_batch_options o;
    warplu_batch_init_options(&o);
    o.keep_factors = keep;
    note(k, warplu_batch_create(&k->batch, over, k->members, &o));
}

void beside_begin(beside_actor *k, const beside_source *of, beside_need need, const char *path)
{
    memset(k, 0, sizeof *k);
    k->of = of;
    k->members = need == BESIDE_ONE_BY_ONE ? FEW : MEMBERS;
    snprintf(k->path, sizeof k->path, "%s", path);
    k->values = malloc(MEMBERS * (size_t)of->m->nnz * sizeof *k->values);
    k->b = malloc(BESIDE_NUMBERS * sizeof *k->b);
    draw(k);
    if (need >= BESIDE_CLONE && need <= BESIDE_FILE) note(k, warplu_clone(&k->solver, of->solver));
    if (need == BESIDE_FACTORS || need == BESIDE_FILE) note(k, warplu_refactor(k->solver, k->values));
    if (need == BESIDE_FILE) note(k, warplu_save_program(k->solver, k->path));
    if (need >= BESIDE_BATCH) make_batch(k, of->solver, need == BESIDE_KEPT);
    if (need == BESIDE_KEPT) note(k, warplu_batch_refactor(k->batch, k->values, NULL));
}

void beside_end(beside_actor *k)
{
    warplu_batch_destroy(&k->batch);
    warplu_destroy(&k->solver);
    free(k->values);
    free(k->b);
    remove(k->path);
}

/* ----------------------------------------------------------------- solvers */

static void clone(beside_actor *k)
{
    note(k, warplu_clone(&k->solver, k->of->solver));
}

static void destroy(beside_actor *k)
{
    warplu_destroy(&k->solver);
}

static void analyze(beside_actor *k)
{
    const test_matrix *m = k->of->m;
    note(k, warplu_analyze(k->solver, m->n, m->ptr, m->idx, m->x));
}

static void factor(beside_actor *k)
{
    note(k, warplu_factor(k->solver, k->values));
}

static void refactor(beside_actor *k)
{
    note(k, warplu_refactor(k->solver, k->values));
}

static void refactor_weak(beside_actor *k)
{
    weaken(k, 0);
    refactor(k);
}

static void solve(beside_actor *k)
{
    note(k, warplu_solve(k->solver, 1, k->b, N, k->x, N));
}

static void solve_in_place(beside_actor *k)
{
    memcpy(k->x, k->b, N * sizeof *k->x);
    note(k, warplu_solve(k->solver, 1, k->x, N, k->x, N));
}

static void solve_many(beside_actor *k)
{
    note(k, warplu_solve(k->solver, SIDES, k->b, N, k->x, N));
}

static void solve_transposed(beside_actor *k)
{
    note(k, warplu_solve_transposed(k->solver, 1, k->b, N, k->x, N));
}

static void solve_transposed_many(beside_actor *k)
{
    note(k, warplu_solve_transposed(k->solver, SIDES, k->b, N, k->x, N));
}

/* All at once, from a clone on. */
static void live(beside_actor *k)
{
    clone(k);
    if (k->status < 0) return;
    refactor(k);
    solve_transposed(k);
    solve_many(k);
    destroy(k);
}

/* ----------------------------------------------------------------- batches */

static void create_batch(beside_actor *k)
{
    make_batch(k, k->of->solver, 0);
}

static void create_batch_over_clone(beside_actor *k)
{
    make_batch(k, k->solver, 1);
}

static void create_batch_one_by_one(beside_actor *k)
{
    k->members = FEW;
    make_batch(k, k->of->solver, 1);
}

static void batch_factor(beside_actor *k)
{
    note(k, warplu_batch_factor(k->batch, k->values));
}

static void batch_solve_at_once(beside_actor *k)
{
    note(k, warplu_batch_refactor_solve(k->batch, k->values, NULL, 0, 2, k->b, k->x));
}

static void batch_solve_at_once_transposed(beside_actor *k)
{
    note(k, warplu_batch_refactor_solve(k->batch, k->values, NULL, 1, 2, k->b, k->x));
}

static void batch_repair(beside_actor *k)
{
    for (int32_t m = 0; m < k->members; m += 3) weaken(k, m);
    batch_solve_at_once_transposed(k);
}

static void batch_refactor(beside_actor *k)
{
    note(k, warplu_batch_refactor(k->batch, k->values, NULL));
}

static void batch_solve(beside_actor *k)
{
    note(k, warplu_batch_solve(k->batch, NULL, 0, 2, k->b, k->x));
}

static void batch_solve_transposed(beside_actor *k)
{
    note(k, warplu_batch_solve(k->batch, NULL, 1, 2, k->b, k->x));
}

static void batch_read(beside_actor *k)
{
    warplu_batch_statistics t = {.size = sizeof t};
    warplu_batch_member member;
    note(k, warplu_batch_get_statistics(k->batch, &t));
    note(k, warplu_batch_get_members(k->batch, 0, 1, &member, sizeof member));
    k->x[0] = (double)strlen(warplu_batch_get_message(k->batch));
}

static void batch_destroy(beside_actor *k)
{
    warplu_batch_destroy(&k->batch);
}

/* ------------------------------------------------------- what reads solvers */

static void save(beside_actor *k)
{
    note(k, warplu_save(k->solver, k->path));
}

static void save_program(beside_actor *k)
{
    note(k, warplu_save_program(k->solver, k->path));
}

static void restore(beside_actor *k)
{
    note(k, warplu_restore(k->solver, k->path));
    refactor(k);
    solve(k);
}

static void read_pattern(beside_actor *k)
{
    const test_matrix *m = k->of->m;
    int32_t position, blocks, P[N], Q[N], block[N + 1];
    note(k, warplu_check_pattern(k->solver, m->n, m->ptr, m->idx));
    note(k, warplu_get_position(k->of->solver, m->idx[0], 0, &position));
    note(k, warplu_extract_order(k->of->solver, P, Q, block, &blocks));
    k->x[0] = position + blocks;
    for (int32_t i = 0; i < N; i++) k->x[1 + i] = P[i] + N * Q[i];
}

static void read_statistics(beside_actor *k)
{
    warplu_statistics t = {.size = sizeof t};
    note(k, warplu_get_statistics(k->solver, &t));
    note(k, warplu_get_statistics(k->of->solver, &t));
    k->x[0] = (double)strlen(warplu_get_message(k->solver));
}

static void read_singularity(beside_actor *k)
{
    warplu_singularity why = {.size = sizeof why};
    k->x[0] = warplu_get_singularity(k->solver, &why);
    k->x[1] = warplu_get_singularity(k->of->solver, &why);
}

static void read_factors(beside_actor *k)
{
    warplu_factors_view view = {.size = sizeof view, .R = k->x, .C = k->x + N};
    int64_t number;
    note(k, warplu_extract_factors(k->solver, &view));
    double *Lx = malloc((size_t)(view.l_nnz + view.u_nnz) * sizeof *Lx);
    view = (warplu_factors_view){.size = sizeof view, .Lx = Lx, .Ux = Lx + view.l_nnz};
    note(k, warplu_extract_factors(k->solver, &view));
    for (int64_t q = 0; q < view.l_nnz + view.u_nnz; q++) k->x[2 * N + q % N] += Lx[q];
    free(Lx);
    note(k, warplu_get_pivots_number(k->solver, &number));
}

static void read_pivots(beside_actor *k)
{
    warplu_pivot list[4];
    int32_t count;
    note(k, warplu_list_pivots(k->solver, k->values, 1.0, 4, list, &count));
    note(k, warplu_extract_diagonal(k->solver, k->x + 1, NULL, NULL));
    k->x[0] = count;
}

static void find_condition(beside_actor *k)
{
    note(k, warplu_estimate_condition(k->solver, k->values, k->x));
    note(k, warplu_estimate_skeel_condition(k->solver, k->values, NULL, k->x + 1));
}

static void find_determinant(beside_actor *k)
{
    int64_t exponent = 0;
    note(k, warplu_compute_determinant(k->solver, k->x, &exponent));
    note(k, warplu_compute_pivot_growth(k->solver, k->values, k->x + 1));
    k->x[2] = (double)exponent;
}

static void find_errors(beside_actor *k)
{
    double *x = k->x + 4;
    note(k, warplu_solve_transposed(k->solver, 1, k->b, N, x, N));
    note(k, warplu_compute_backward_error(k->of->solver, 1, k->values, 1, k->b, N, x, N, k->x));
    note(k, warplu_bound_forward_error(k->solver, 1, k->values, 1, k->b, N, x, N, k->x + 1));
}

/* ------------------------------------------------------------------- caches */

/* A solver of a cache that all have in common. */
static void open_and_close(beside_actor *k)
{
    const test_matrix *m = k->of->m;
    warplu_cache_statistics t = {.size = sizeof t};
    note(k, warplu_open_solver(&k->solver, k->of->cache, &k->of->options, m->n, m->ptr, m->idx, m->x));
    if (k->status < 0) return;
    refactor(k);
    solve_transposed(k);
    warplu_close_solver(&k->solver);
    note(k, warplu_cache_get_statistics(k->of->cache, &t));
}

const beside_operation beside_operations[] = {
    {"clone", BESIDE_SOURCE, clone},
    {"destroy", BESIDE_FACTORS, destroy},
    {"analyze", BESIDE_FACTORS, analyze},
    {"factor", BESIDE_FACTORS, factor},
    {"refactor", BESIDE_CLONE, refactor},
    {"refactor, weak", BESIDE_FACTORS, refactor_weak},
    {"solve", BESIDE_FACTORS, solve},
    {"solve in place", BESIDE_FACTORS, solve_in_place},
    {"solve, many", BESIDE_FACTORS, solve_many},
    {"solve with A'", BESIDE_FACTORS, solve_transposed},
    {"solve with A', many", BESIDE_FACTORS, solve_transposed_many},
    {"clone to destroy", BESIDE_SOURCE, live},
    {"create batch", BESIDE_SOURCE, create_batch},
    {"create batch of a clone", BESIDE_CLONE, create_batch_over_clone},
    {"create batch, one by one", BESIDE_SOURCE, create_batch_one_by_one},
    {"batch: factor", BESIDE_BATCH, batch_factor},
    {"batch: refactor and solve", BESIDE_BATCH, batch_solve_at_once},
    {"batch: the same with A'", BESIDE_BATCH, batch_solve_at_once_transposed},
    {"batch: one by one with A'", BESIDE_ONE_BY_ONE, batch_solve_at_once_transposed},
    {"batch: repair", BESIDE_BATCH, batch_repair},
    {"batch: refactor", BESIDE_KEPT, batch_refactor},
    {"batch: solve", BESIDE_KEPT, batch_solve},
    {"batch: solve with A'", BESIDE_KEPT, batch_solve_transposed},
    {"batch: statistics", BESIDE_KEPT, batch_read},
    {"batch: destroy", BESIDE_KEPT, batch_destroy},
    {"save", BESIDE_FACTORS, save},
    {"save program", BESIDE_FACTORS, save_program},
    {"restore", BESIDE_FILE, restore},
    {"pattern and order", BESIDE_CLONE, read_pattern},
    {"statistics", BESIDE_FACTORS, read_statistics},
    {"singularity", BESIDE_FACTORS, read_singularity},
    {"factors", BESIDE_FACTORS, read_factors},
    {"pivots", BESIDE_FACTORS, read_pivots},
    {"condition", BESIDE_FACTORS, find_condition},
    {"determinant and growth", BESIDE_FACTORS, find_determinant},
    {"errors", BESIDE_FACTORS, find_errors},
    {"open and close", BESIDE_SOURCE, open_and_close},
    {NULL, BESIDE_SOURCE, NULL},
};
