/* Solves with a region for each of several large blocks: how many there are and in what order, whether the executors
 * agree under schedules that are out to harm, and whether the solution is one. */
#include "equivalence/compare.h"

#include "emulator/emulate.h"
#include "program/verify.h"
#include "support/dense.h"
#include "support/options.h"

enum { BLOCKS = 6, NMAX = 160, LARGE = 24, FEW = 5 };

static uint64_t seed;

/* Blocks of a block upper triangular matrix, from the first on; couples: bit c of entry b says that block b needs block
 * c. */
typedef struct design {
    const char *name;
    int blocks;
    int size[BLOCKS];
    unsigned couples[BLOCKS];
    int regions, depths; /* that a solve is to have of them where all is tiled and blocks of FEW pivots are too small */
} design;

static const design designs[] = {
    {"independent blocks", 4, {LARGE, LARGE, LARGE, LARGE}, {0}, 4, 1},
    {"a chain of blocks", 4, {LARGE, LARGE, LARGE, LARGE}, {1 << 1, 1 << 2, 1 << 3}, 4, 4},
    {"a chain through small blocks", 5, {LARGE, FEW, LARGE, FEW, LARGE}, {1 << 1, 1 << 2, 1 << 3, 1 << 4}, 3, 3},
    {"two blocks between two", 4, {LARGE, LARGE, LARGE, LARGE}, {1 << 1 | 1 << 2, 1 << 3, 1 << 3}, 4, 3},
    {"blocks of the last and small ones",
     6,
     {LARGE, FEW, LARGE, 1, FEW, LARGE},
     {1 << 5, 1 << 2, 1 << 3, 1 << 5, 1 << 5},
     3,
     2},
};

/* Blocks are bands with a corner; two in three of a coupled pair's rows have an entry. */
static double entry(const design *d, int b, int c, int i, int j)
{
    int band = i - j <= 3 && j - i <= 3, corner = i == 0 || j == 0;
    if (b == c && i == j) return 4.0 + check_uniform(&seed);
    if (b == c) return band || corner ? check_uniform(&seed) - 0.5 : 0.0;
    return d->couples[b] >> c & 1 && (i + 2 * j) % 7 == 0 && i % 3 > 0 ? check_uniform(&seed) - 0.5 : 0.0;
}

static void make(const design *d, test_matrix *m)
{
    int32_t n = 0, first[BLOCKS + 1] = {0};
    for (int b = 0; b < d->blocks; b++) n = first[b + 1] = n + d->size[b];
    double *dense = calloc((size_t)n * (size_t)n, sizeof *dense);
    for (int c = 0; c < d->blocks; c++)
        for (int b = 0; b < d->blocks; b++)
            for (int j = 0; j < d->size[c]; j++)
                for (int i = 0; i < d->size[b]; i++) dense[(first[c] + j) * n + first[b] + i] = entry(d, b, c, i, j);
    test_matrix_from_dense(m, n, dense);
    free(dense);
}

/* Regions are in topological order, those of one depth with nothing between them. */
static void check_order(const test_build *b, const design *d)
{
    const wlu_triangular *t = &b->program->solve;
    int depths = t->regions > 0;
    for (int32_t r = 1; r < t->regions; r++) depths += t->segment[r + 1] > t->segment[r];
    CHECK_SAY(t->regions == d->regions && depths == d->depths, "%s: %d regions in %d depths, expected %d in %d",
              d->name, t->regions, depths, d->regions, d->depths);
    CHECK_SAY(wlu_program_verify((wlu_context *)&b->ctx, b->program) == WARPLU_SUCCESS, "%s", b->ctx.last_message);
}

static void compare_schedules(test_build *b, const test_replay *reference, const double *values, const double *rhs,
                              const char *name)
{
    test_replay device;
    if (!test_replay_open(&device, b, "emulate")) return;
    for (int k = 0; k < 6; k++) {
        wlu_emulate_mode mode = {.seed = check_random(&seed) | 1, .warps = 1 + k % 3, .delay = 10 * k};
        mode.blocks = mode.residents = mode.bundle_blocks = 1 + 3 * k;
        CHECK(wlu_emulate_schedule(&b->ctx, device.state, &mode) == WARPLU_SUCCESS);
        test_replay_run(&device, values, rhs);
        test_replay_compare(b, reference, &device, name);
    }
    test_replay_close(&device, b);
}

static void compare(test_build *b, const test_matrix *m, const char *name)
{
    test_replay reference;
    double rhs[NMAX];
    for (int32_t i = 0; i < m->n; i++) rhs[i] = check_uniform(&seed) - 0.5;
    test_compare_program(b, (const double *const *)&m->x, 1, rhs, name);
    if (!test_replay_open(&reference, b, NULL)) return;
    test_replay_run(&reference, m->x, rhs);
    for (int transposed = 0; transposed < 2; transposed++) {
        double error = test_dense_backward_error(m->n, b->dense, transposed, rhs, reference.x + transposed * m->n);
        CHECK_SAY(error <= 1e-14, "%s: backward error %g", name, error);
    }
    compare_schedules(b, &reference, m->x, rhs, name);
    test_replay_close(&reference, b);
}

static void several_regions(void)
{
    seed = 299792;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (size_t k = 0; k < sizeof designs / sizeof *designs; k++)
        for (int region = 0; region < TEST_REGIONS; region++) {
            wlu_cost cost = test_region_cost((test_region)region);
            warplu_options o;
            test_matrix m;
            test_build b;
            check_init_options(&o);
            make(&designs[k], &m);
            cost.solve_pivots = FEW + 1;
            CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS && test_build_program(&b, &cost) == WARPLU_SUCCESS);
            if (region == TEST_ALL_TILE) check_order(&b, &designs[k]);
            compare(&b, &m, designs[k].name);
            test_build_free(&b);
            test_matrix_free(&m);
        }
}

int main(void)
{
    RUN(several_regions);
    return check_done();
}
