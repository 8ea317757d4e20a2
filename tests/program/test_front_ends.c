/* Programs that are no factorization (cases.h) through the emitter, the compiler, the verifier and the disassembler,
 * run by every executor with equal bits.
 *
 *     test_front_ends            compares a disassembly with horner.txt beside this file
 *     test_front_ends --update   rewrites it
 *
 * Built with FAKE_CUDA_PATH it runs them by the strategy `levels` too, on the fake driver. */
#include "check.h"

#include "cases.h"
#include "equivalence/compare.h"
#include "program/disasm.h"
#include "program/verify.h"
#include "support/golden.h"
#include "support/options.h"

#ifdef FAKE_CUDA_PATH
#include "cuda/by_emulator.h"

static by_emulator kernel;
#endif

static uint64_t seed;
static int update;

static void begin(uint64_t first)
{
    seed = first;
    printf("# seed %llu\n", (unsigned long long)seed);
}

static int compile(test_build *b, const test_case *c, const wlu_cost *cost)
{
    warplu_options o;
    check_init_options(&o);
    *b = (test_build){0};
    wlu_context_init(&b->ctx, &o);
    warplu_status status = test_front_end_compile(&b->ctx, &c->f, cost, &b->program);
    if (status == WARPLU_SUCCESS) status = wlu_program_verify(&b->ctx, b->program);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", b->ctx.last_message);
    if (status < 0) wlu_program_destroy(&b->ctx, &b->program);
    return status == WARPLU_SUCCESS;
}

/* What the reference finds against what plain loops found. */
static void check_numbers(test_build *b, const test_case *c, const char *what)
{
    test_replay reference;
    double largest = 1.0;
    if (!test_replay_open(&reference, b, NULL)) return;
    test_replay_run(&reference, c->values, c->input);
    for (int32_t k = 0; k < 2 * c->f.n; k++) largest = fmax(largest, fabs(c->expected[k]));
    for (int32_t k = 0; k < 2 * c->f.n; k++)
        CHECK_SAY(fabs(reference.x[k] - c->expected[k]) <= 1e-13 * largest, "%s: %d is %g, expected %g", what, (int)k,
                  reference.x[k], c->expected[k]);
    CHECK(wlu_state_health(reference.state, 0)->finite);
    test_replay_close(&reference, b);
}

#ifdef FAKE_CUDA_PATH
/* By launches and by graphs, in both precisions. */
static void check_levels(const test_case *c, const char *what)
{
    test_build b;
    if (!compile(&b, c, &wlu_cost_levels)) return;
    for (int k = 0; k < 4; k++) {
        test_strategy = k / 2 ? WARPLU_STRATEGY_LEVELS : WLU_STRATEGY_LAUNCHES;
        test_precision = k % 2 ? WARPLU_PRECISION_SINGLE : WARPLU_PRECISION_DOUBLE;
        test_compare_executor(&b, "cuda", (const double *const *)&c->values, 1, c->input, what);
    }
    test_strategy = WARPLU_STRATEGY_AUTO;
    test_precision = WARPLU_PRECISION_DOUBLE;
    CHECK(kernel.wrong == 0);
    wlu_program_destroy(&b.ctx, &b.program);
}
#endif

/* By the costs of a CPU, and of a device that cuts chains of more than 40 terms. */
static void check_case(test_case *c, const char *what)
{
    const wlu_cost device = test_region_cost(TEST_DEVICE), *cost[] = {&wlu_cost_cpu, &device};
    for (int k = 0; k < 2; k++) {
        test_build b;
        if (!compile(&b, c, cost[k])) continue;
        check_numbers(&b, c, what);
        test_compare_program(&b, (const double *const *)&c->values, 1, c->input, what);
        wlu_program_destroy(&b.ctx, &b.program);
    }
#ifdef FAKE_CUDA_PATH
    check_levels(c, what);
#endif
    test_case_free(c);
}

static void products(void)
{
    static const int32_t sizes[] = {1, 2, 5, 9, 16, 33, 50, 300};
    begin(602214);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        test_case c;
        test_product_case(&c, sizes[k], &seed);
        check_case(&c, "product");
    }
}

static void polynomials(void)
{
    begin(662607);
    for (int32_t degree = 0; degree < 12; degree++) {
        test_case c;
        test_horner_case(&c, 1 + check_below(&seed, 12), degree, &seed);
        check_case(&c, "polynomial");
    }
}

static void norms(void)
{
    static const int32_t lengths[] = {1, 3, 16, 17, 40, 41, 100, 333, 3000};
    begin(137035);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        test_case c;
        test_norm_case(&c, 9, lengths[k], &seed);
        check_case(&c, "norm");
    }
}

static void disassembly(void)
{
    test_case c;
    test_build b;
    char *text = NULL;
    size_t length = 0;
    begin(1);
    test_horner_case(&c, 2, 3, &seed);
    if (!compile(&b, &c, &wlu_cost_cpu)) return;
    FILE *file = open_memstream(&text, &length);
    CHECK(wlu_program_disassemble(&b.ctx, b.program, NULL, file) == WARPLU_SUCCESS);
    fclose(file);
    golden_compare(WLU_PROGRAM_DIR, "horner", text, update);
    free(text);
    wlu_program_destroy(&b.ctx, &b.program);
    test_case_free(&c);
}

/* As statistics and max_program_bytes count them: vectors, 25 bytes a record, 8 a term. */
static void streams_have_their_bytes(void)
{
    const wlu_stream s = {.nvectors = 2, .nrecords = 3, .nterms = 5};
    CHECK(wlu_stream_bytes(&s) == 2 * (int64_t)sizeof *s.vector + 3 * 25 + 5 * 8);
}

int main(int argc, char **argv)
{
#ifdef FAKE_CUDA_PATH
    if (by_emulator_open(by_emulator_launch, &kernel) == NULL) return 1;
#endif
    update = argc > 1 && strcmp(argv[1], "--update") == 0;
    RUN(streams_have_their_bytes);
    RUN(products);
    RUN(polynomials);
    RUN(norms);
    RUN(disassembly);
    return check_done();
}
