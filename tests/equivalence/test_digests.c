/* The bits of solutions are those of any other machine: digests of what the API answers, by factors by column, by a
 * compiled program and in batches, real and complex, against committed ones. Other tests compare executors and
 * instruction sets of one machine with each other; what all of them share, from orders and scales to refinement, is
 * compared with that of other processors and compilers here.
 *
 *     test_digests            compares
 *     test_digests --print    prints the table, for a change that is wanted */
#include <string.h>

#include <warplu/batch.h>
#include <warplu/complex.h>

#include "check.h"
#include "support/hash.h"
#include "support/matrices.h"

enum { N = 60, STEPS = 4, SIDES = 9, MEMBERS = 11, KINDS = 2, WAYS = 3 };

static const char *const kinds[KINDS] = {"real", "complex"};
static const char *const ways[WAYS] = {"by column", "program", "batch"};

static const uint64_t digests[TEST_SHAPES][KINDS][WAYS] = {
    {{0x7174875aea40d8a9, 0x80541ad1191d8be9, 0x76bbf6eda03e6043},
     {0x2056fd658a0ff43f, 0xfe4061835a9b0439, 0x0d118863f0e8a17b}},
    {{0xf0cbb89fb2ec0aae, 0x30c59569cc65542b, 0x7945ea2261300073},
     {0xe8e298da69ef62aa, 0xc8080c31c41af448, 0xc51b29438ac12248}},
    {{0x1c6b26f03b1a77cf, 0xa051b07201cd27dc, 0x782374098569a3fb},
     {0x5e3386b130ebe558, 0x51a905a5d75bd25e, 0x0d5db90920a59242}},
    {{0x56c36f97c20a47a1, 0x93a9b3c1b243b273, 0x96120e060bfac599},
     {0xbf89d61de8809dd9, 0xf1733ba3cf1ec846, 0x384c2afb118afb17}},
    {{0x6b1e3ec354b11651, 0x28ed8c8d57cc693b, 0x5bccd3bb3bcd0e5d},
     {0xfc38d1465fc862f3, 0x27d0b09a59cd17c8, 0x0a9cf3e08a5d8844}},
    {{0x47be642abc3aa554, 0xd61b5d9d52c0bc66, 0x780d46b2579e2a95},
     {0xcbd9109d352f0fde, 0x34cca263f3a90c5f, 0x01fc404fe2636c0e}},
};

static int printing;

/* A random matrix with several sets of values, and right-hand sides. */
typedef struct systems {
    test_matrix m;
    double *values; /* of the members, one after the other */
    double b[2 * N * MEMBERS], x[2 * N * MEMBERS];
    uint64_t digest;
} systems;

static int64_t doubles_of(const systems *s)
{
    return test_matrix_doubles(&s->m);
}

static void open_systems(systems *s, test_shape shape, int complex)
{
    uint64_t seed = 20261126 + (uint64_t)shape;
    const test_recipe recipe = {
        .shape = shape, .n = N, .duplicates = 1, .shuffled = 1, .zeros = 1, .weak_diagonal = shape % 2};
    test_matrix_random(&s->m, &seed, &recipe);
    if (complex) test_matrix_make_complex(&s->m, &seed);
    size_t each = (size_t)test_matrix_values(&s->m);
    s->values = malloc(MEMBERS * each * sizeof *s->values);
    for (int k = 0; k < MEMBERS; k++) {
        memcpy(s->values + (size_t)k * each, s->m.x, each * sizeof *s->values);
        test_matrix_vary(&s->m, &seed, 0.2);
    }
    for (int i = 0; i < 2 * N * MEMBERS; i++) s->b[i] = check_uniform(&seed) - 0.5;
    s->digest = TEST_HASH_SEED;
}

static void close_systems(systems *s)
{
    free(s->values);
    test_matrix_free(&s->m);
}

static warplu_solver *create_solver(const systems *s, double refactors)
{
    warplu_solver *solver = NULL;
    warplu_options o;
    warplu_init_options(&o);
    o.executor = WARPLU_EXECUTOR_CPU;
    o.ordering = WARPLU_ORDERING_AMD;
    o.expected_refactors = refactors;
    o.scalar = s->m.doubles > 1 ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    CHECK(warplu_create(&solver, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(solver, s->m.n, s->m.ptr, s->m.idx, s->values) == WARPLU_SUCCESS);
    CHECK(warplu_factor(solver, s->values) == WARPLU_SUCCESS);
    return solver;
}

static void add_solution(systems *s, warplu_status status, int64_t columns)
{
    CHECK_SAY(status >= 0, "%s", warplu_status_name(status));
    s->digest = test_hash_numbers(s->digest, s->x, doubles_of(s) * s->m.n * columns);
}

static void replay(systems *s, double refactors)
{
    warplu_solver *solver = create_solver(s, refactors);
    for (int step = 0; step < STEPS; step++) {
        CHECK(warplu_refactor(solver, s->values + step * test_matrix_values(&s->m)) >= 0);
        add_solution(s, warplu_solve(solver, 1, s->b, N, s->x, N), 1);
        add_solution(s, warplu_solve(solver, SIDES, s->b, N, s->x, N), SIDES);
        add_solution(s, warplu_solve_transposed(solver, 1, s->b, N, s->x, N), 1);
    }
    warplu_destroy(&solver);
}

static void replay_batch(systems *s)
{
    warplu_solver *solver = create_solver(s, 1000.0);
    warplu_batch *batch = NULL;
    CHECK(warplu_batch_create(&batch, solver, MEMBERS, NULL) == WARPLU_SUCCESS);
    add_solution(s, warplu_batch_refactor_solve(batch, s->values, NULL, 0, 1, s->b, s->x), MEMBERS);
    warplu_batch_destroy(&batch);
    warplu_destroy(&solver);
}

static uint64_t digest_of(test_shape shape, int kind, int way)
{
    systems s;
    open_systems(&s, shape, kind);
    if (way == 2)
        replay_batch(&s);
    else
        replay(&s, way == 0 ? 0.0 : 1000.0);
    close_systems(&s);
    return s.digest;
}

static void bits_are_those_of_other_machines(void)
{
    for (int shape = 0; shape < TEST_SHAPES; shape++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int way = 0; way < WAYS; way++) {
                uint64_t found = digest_of((test_shape)shape, kind, way), expected = digests[shape][kind][way];
                if (printing) printf("0x%016llx, %s", (unsigned long long)found, way + 1 < WAYS ? "" : "\n");
                CHECK_SAY(printing || found == expected, "%s, %s, %s: %016llx", test_shape_name((test_shape)shape),
                          kinds[kind], ways[way], (unsigned long long)found);
            }
}

int main(int argc, char **argv)
{
    printing = argc > 1 && strcmp(argv[1], "--print") == 0;
    RUN(bits_are_those_of_other_machines);
    return check_done();
}
