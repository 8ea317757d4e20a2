/* Executors of programs: every operation in every form and random programs, with the bits of wlm_evaluate on every
 * instruction set and any number of lanes; memory. */
#include "model/exec/exec.h"

#include "programs.h"
#include "support/build.h"

enum { INPUTS = 6, OUTPUTS = 12, TRIALS = 120 };

static const double values[] = {0.0,       -0.0,     1.0,       -1.0,  0.5,       2.0,     -3.25,
                                1.5e-5,    10.0,     -745.5,    1e308, -1e308,    1e-320,  -5e-324,
                                0x1p-1022, 2.5,      -0.7,      709.5, 1e22,      0x1p52,  -0x1p53,
                                3.7e15,    INFINITY, -INFINITY, NAN,   123456.78, -1e-300, 0.3};
enum { VALUES = sizeof values / sizeof *values };
static const char *const names[] = {"best", "portable", "avx2", "avx512", "neon"};

static void compare_lane(const wlm_program *p, const double *file, const double *x, int lane, wlm_isa isa, int trial)
{
    double *slots = calloc((size_t)p->slots + 1, sizeof *slots);
    for (int32_t i = 0; i < p->inputs; i++) slots[i] = x[i * WLM_LANES + lane];
    run_plainly(p, slots);
    for (int32_t i = 0; i < p->outputs; i++) {
        double want = slots[p->inputs + i], got = file[(p->inputs + i) * WLM_LANES + lane];
        CHECK_SAY(same_number(want, got), "%s, trial %d, lane %d, output %d: %a, not %a", names[isa], trial, lane, i,
                  got, want);
    }
    free(slots);
}

/* Lanes beyond the vectors that are asked for keep what they had. */
static void check_isa(wlu_context *ctx, const wlm_program *p, const double *x, wlm_isa isa, int32_t lanes, int trial)
{
    wlm_code *code = NULL;
    CHECK(wlm_code_create(ctx, p, isa, &code) == WARPLU_SUCCESS);
    double *file = wlm_file_create(ctx, p);
    CHECK(file != NULL && (uintptr_t)file % 64 == 0);
    for (int32_t k = 0; k < p->slots * WLM_LANES; k++) file[k] = 77.0;
    memcpy(file, x, (size_t)p->inputs * WLM_LANES * sizeof *x);
    wlm_run(code, file, lanes);
    int rounded = (lanes + 7) / 8 * 8;
    for (int lane = 0; lane < lanes; lane++) compare_lane(p, file, x, lane, isa, trial);
    for (int32_t i = p->inputs; i < p->slots; i++)
        for (int lane = rounded; lane < WLM_LANES; lane++) CHECK(file[i * WLM_LANES + lane] == 77.0);
    CHECK(memcmp(file, x, (size_t)p->inputs * WLM_LANES * sizeof *x) == 0);
    wlm_file_free(ctx, file);
    wlm_code_destroy(ctx, &code);
    CHECK(code == NULL);
}

static void check_everywhere(wlu_context *ctx, const wlm_program *p, const double *x, int32_t lanes, int trial)
{
    for (int isa = WLM_ISA_BEST; isa <= WLM_ISA_NEON; isa++)
        if (wlm_kernels_of((wlm_isa)isa) != NULL) check_isa(ctx, p, x, (wlm_isa)isa, lanes, trial);
}

/* One instruction on slots 0 to 2, or constants, for all values of its operands. */
static void check_operation(int32_t opcode, int form, uint64_t *seed)
{
    wlu_context ctx;
    double constant[3], x[3 * WLM_LANES];
    wlu_context_init(&ctx, NULL);
    wlm_instruction i = {opcode, 3, form & 1 ? -1 : 0, form & 2 ? -2 : 1, form & 4 ? -3 : 2};
    const wlm_table *table[SOME_TABLES];
    memcpy(table, some_table, sizeof table);
    wlm_program p = {3, 1, 4, 3, 1, &i, constant, SOME_TABLES, table};
    for (int turn = 0; turn < 12; turn++) {
        if (wlm_is_tabled(opcode)) i.c = turn % (SOME_TABLES + 1); /* the last one does not exist */
        for (int k = 0; k < 3; k++) constant[k] = values[check_below(seed, VALUES)];
        for (int k = 0; k < 3 * WLM_LANES; k++)
            x[k] = check_below(seed, 4) ? values[check_below(seed, VALUES)] : 40.0 * check_uniform(seed) - 20.0;
        check_everywhere(&ctx, &p, x, turn < 8 ? WLM_LANES : 1 + check_below(seed, WLM_LANES), opcode);
    }
}

static void operations_have_the_bits_of_evaluate(void)
{
    uint64_t seed = 99;
    for (int32_t opcode = WLM_NEG; opcode <= WLM_MOVE; opcode++) {
        int operands = wlm_operand_count(opcode);
        for (int form = 0; form < 1 << operands; form++) check_operation(opcode, form, &seed);
    }
}

static void evaluate_is_what_opcodes_say(void)
{
    CHECK(wlm_evaluate(WLM_MIN, NAN, 1.0, 0.0) != wlm_evaluate(WLM_MIN, NAN, 1.0, 0.0));
    CHECK(isnan(wlm_evaluate(WLM_MIN, 1.0, NAN, 0.0)) && isnan(wlm_evaluate(WLM_MAX, 1.0, NAN, 0.0)));
    CHECK(wlm_evaluate(WLM_LT, NAN, 1.0, 0.0) == 0.0 && wlm_evaluate(WLM_NE, NAN, NAN, 0.0) == 1.0);
    CHECK(wlm_evaluate(WLM_SELECT, NAN, 2.0, 3.0) == 2.0 && wlm_evaluate(WLM_SELECT, -0.0, 2.0, 3.0) == 3.0);
    CHECK(wlm_evaluate(WLM_FNMA, 2.0, 3.0, 10.0) == 4.0 && wlm_evaluate(WLM_FLOOR, -0.7, 0.0, 0.0) == -1.0);
    for (int k = 0; k < VALUES; k++) { /* the elementary functions beside the machine's */
        double a = values[k];
        CHECK(fabs(wlm_evaluate(WLM_EXP, a, 0.0, 0.0) - exp(a)) <= 1e-15 * exp(a) || !isfinite(exp(a)));
        CHECK(fabs(wlm_evaluate(WLM_ATAN, a, 0.0, 0.0) - atan(a)) <= 1e-15 * fabs(atan(a)) || isnan(a));
    }
}

static void programs_run_alike_on_all_lanes(void)
{
    wlm_opcode opcodes[WLM_OPCODES];
    for (int k = WLM_NEG; k < WLM_OPCODES; k++) opcodes[k - WLM_NEG] = (wlm_opcode)k;
    const random_graph of = {INPUTS, 80, opcodes, WLM_OPCODES - WLM_NEG, values, VALUES};
    uint64_t seed = 20261126;
    for (int trial = 0; trial < TRIALS; trial++) {
        wlu_context ctx;
        wlm_program *p = NULL;
        wlm_node outputs[OUTPUTS];
        double x[INPUTS * WLM_LANES];
        wlu_context_init(&ctx, NULL);
        wlm_graph *g = fresh_graph(&ctx);
        make_random(g, &of, &seed);
        for (int i = 0; i < OUTPUTS; i++)
            outputs[i] = wlm_node_count(g) - 1 - check_below(&seed, wlm_node_count(g) < 30 ? wlm_node_count(g) : 30);
        for (int k = 0; k < INPUTS * WLM_LANES; k++)
            x[k] = check_below(&seed, 2) ? values[check_below(&seed, VALUES)] : 6.0 * check_uniform(&seed) - 3.0;
        CHECK(wlm_program_compile(g, outputs, OUTPUTS, INPUTS, &p) == WARPLU_SUCCESS);
        check_everywhere(&ctx, p, x, 1 + trial % WLM_LANES, trial);
        wlm_program_destroy(&ctx, &p);
        wlm_graph_destroy(&g);
    }
}

static void wrong_requests_are_refused(void)
{
    wlu_context ctx;
    wlm_code *code = NULL;
    wlm_program none = {0, 0, 0, 0, 0, NULL, NULL, 0, NULL};
    wlu_context_init(&ctx, NULL);
    CHECK(wlm_kernels_of(WLM_ISA_BEST) != NULL && wlm_kernels_of(WLM_ISA_PORTABLE) != NULL);
    CHECK(wlm_kernels_of(WLM_ISA_AVX2) == NULL || wlm_kernels_of(WLM_ISA_NEON) == NULL);
    for (int isa = WLM_ISA_BEST; isa <= WLM_ISA_NEON + 1; isa++) {
        warplu_status status = wlm_code_create(&ctx, &none, (wlm_isa)isa, &code);
        CHECK(status == (wlm_kernels_of((wlm_isa)isa) != NULL ? WARPLU_SUCCESS : WARPLU_NOT_COMPILED));
        CHECK((code != NULL) == (status == WARPLU_SUCCESS));
        if (code != NULL) wlm_run(code, NULL, 64);
        wlm_code_destroy(&ctx, &code);
    }
    wlm_file_free(&ctx, NULL);
}

static void memory_may_end_anywhere(void)
{
    test_allocator memory = {0};
    warplu_options options;
    wlu_context ctx;
    wlm_instruction i = {WLM_EXP, 1, 0, 0, 0};
    wlm_program p = {1, 1, 2, 0, 1, &i, NULL, 0, NULL};
    warplu_init_options(&options);
    test_use_allocator(&options, &memory);
    wlu_context_init(&ctx, &options);
    warplu_status status = WARPLU_OUT_OF_MEMORY;
    for (memory.fail_at = 1; status == WARPLU_OUT_OF_MEMORY; memory.fail_at++) {
        wlm_code *code = NULL;
        memory.calls = 0;
        status = wlm_code_create(&ctx, &p, WLM_ISA_BEST, &code);
        CHECK((code != NULL) == (status == WARPLU_SUCCESS));
        wlm_code_destroy(&ctx, &code);
        CHECK(memory.alive == 0);
    }
    CHECK(status == WARPLU_SUCCESS && memory.fail_at > 3);
    memory.calls = 0, memory.fail_at = 1;
    CHECK(wlm_file_create(&ctx, &p) == NULL);
    double *file = wlm_file_create(&ctx, &p);
    CHECK(file != NULL && file[0] == 0.0 && file[2 * WLM_LANES - 1] == 0.0);
    wlm_file_free(&ctx, file);
    CHECK(memory.alive == 0);
}

int main(void)
{
    RUN(evaluate_is_what_opcodes_say);
    RUN(operations_have_the_bits_of_evaluate);
    RUN(programs_run_alike_on_all_lanes);
    RUN(wrong_requests_are_refused);
    RUN(memory_may_end_anywhere);
    return check_done();
}
