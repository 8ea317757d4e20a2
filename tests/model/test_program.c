/* Programs: what they compute beside the graph, fusing, slots, splitting, verification, disassembly, memory. */
#include "model/program/program.h"

#include "programs.h"
#include "support/build.h"
#include "support/golden.h"

enum { INPUTS = 6, TRIALS = 300 };

static const wlm_opcode exact_opcodes[] = {WLM_NEG, WLM_ABS, WLM_SIGN, WLM_NOT, WLM_ADD, WLM_SUB,  WLM_MUL,   WLM_MIN,
                                           WLM_MAX, WLM_LT,  WLM_EQ,   WLM_AND, WLM_FMA, WLM_FNMA, WLM_SELECT};
static const double whole[] = {-2.0, -1.0, 0.0, 1.0, 3.0};
static const random_graph exact = {INPUTS, 60, exact_opcodes, sizeof exact_opcodes / sizeof *exact_opcodes, whole, 5};
static int updating;

static wlm_program *compile(const wlm_graph *g, const wlm_node *outputs, int32_t count, int32_t inputs)
{
    wlm_program *p = NULL;
    warplu_status status = wlm_program_compile(g, outputs, count, inputs, &p);
    CHECK_SAY(status == WARPLU_SUCCESS, "status %d", status);
    if (p == NULL) abort();
    CHECK(wlm_program_verify(wlm_graph_context(g), p) == WARPLU_SUCCESS);
    return p;
}

static int32_t count_of(const wlm_program *p, int opcode)
{
    int32_t count = 0;
    for (int32_t at = 0; at < p->instructions; at++) count += p->instruction[at].opcode == opcode;
    return count;
}

static void some_outputs(const wlm_graph *g, wlm_node *outputs, int32_t count, uint64_t *seed)
{
    for (int32_t i = 0; i < count; i++)
        outputs[i] = check_below(seed, 4) > 0 ? wlm_node_count(g) - 1 - check_below(seed, 6)
                                              : check_below(seed, wlm_node_count(g));
}

static void compare(const double *values, const double *slots, const wlm_node *outputs, int32_t count, int32_t first,
                    int trial)
{
    for (int32_t i = 0; i < count; i++) {
        double want = values[outputs[i]], got = slots[first + i];
        if (fabs(want) > 0x1p50) continue; /* beyond, a sum rounds where a fused one does not */
        CHECK_SAY(got == want || (isnan(got) && isnan(want)), "trial %d, output %d: %g, not %g", trial, i, got, want);
    }
}

/* On whole numbers nothing rounds, so that fused programs have the values of their graphs. */
static void programs_compute_what_graphs_say(void)
{
    uint64_t seed = 20261126;
    for (int trial = 0; trial < TRIALS; trial++) {
        wlu_context ctx;
        wlu_context_init(&ctx, NULL);
        wlm_graph *g = fresh_graph(&ctx);
        wlm_node outputs[8];
        double x[INPUTS];
        make_random(g, &exact, &seed);
        some_outputs(g, outputs, 8, &seed);
        for (int i = 0; i < INPUTS; i++) x[i] = check_below(&seed, 7) - 3;
        wlm_program *p = compile(g, outputs, 8, INPUTS);
        double *slots = calloc((size_t)p->slots, sizeof *slots), *values = graph_values(g, x);
        memcpy(slots, x, sizeof x);
        run_plainly(p, slots);
        compare(values, slots, outputs, 8, INPUTS, trial);
        CHECK(memcmp(slots, x, sizeof x) == 0);
        free(slots);
        free(values);
        wlm_program_destroy(&ctx, &p);
        CHECK(p == NULL);
        wlm_graph_destroy(&g);
    }
}

/* Two halves on one file have the bits of the whole, run after run. */
static void halves_compute_the_whole(void)
{
    static const wlm_opcode opcodes[] = {WLM_ADD, WLM_SUB, WLM_MUL, WLM_DIV, WLM_SQRT, WLM_MAX, WLM_FMA, WLM_SELECT};
    static const double constants[] = {0.1, -3.7, 1.5};
    const random_graph of = {INPUTS, 60, opcodes, 8, constants, 3};
    uint64_t seed = 7;
    int64_t carried = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        wlu_context ctx;
        wlu_context_init(&ctx, NULL);
        wlm_graph *g = fresh_graph(&ctx);
        wlm_node outputs[8];
        unsigned char fixed[INPUTS];
        wlm_program *once = NULL, *body = NULL;
        make_random(g, &of, &seed);
        some_outputs(g, outputs, 8, &seed);
        for (int i = 0; i < INPUTS; i++) fixed[i] = check_below(&seed, 3) > 0;
        wlm_program *p = compile(g, outputs, 8, INPUTS);
        CHECK(wlm_program_split(g, outputs, 8, INPUTS, fixed, &once, &body) == WARPLU_SUCCESS);
        CHECK(wlm_program_verify(&ctx, once) == WARPLU_SUCCESS && wlm_program_verify(&ctx, body) == WARPLU_SUCCESS);
        CHECK(body->inputs == INPUTS + once->outputs && body->slots >= once->slots);
        CHECK(once->instructions + body->instructions - count_of(body, WLM_MOVE) ==
              p->instructions - count_of(p, WLM_MOVE));
        carried += once->outputs;
        double *slots = calloc((size_t)p->slots, sizeof *slots), *file = calloc((size_t)body->slots, sizeof *file);
        for (int run = 0; run < 3; run++) {
            for (int i = 0; i < INPUTS; i++)
                if (run == 0 || !fixed[i]) file[i] = slots[i] = 8.0 * check_uniform(&seed) - 4.0;
            if (run == 0) run_plainly(once, file);
            run_plainly(body, file);
            run_plainly(p, slots);
            for (int i = 0; i < 8; i++)
                CHECK_SAY(same_number(slots[INPUTS + i], file[body->inputs + i]), "trial %d, run %d, output %d", trial,
                          run, i);
        }
        free(slots);
        free(file);
        wlm_program_destroy(&ctx, &p);
        wlm_program_destroy(&ctx, &once);
        wlm_program_destroy(&ctx, &body);
        wlm_graph_destroy(&g);
    }
    CHECK(carried > TRIALS);
}

static void products_of_one_sum_are_fused(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlm_graph *g = fresh_graph(&ctx);
    wlm_node x = wlm_input(g, 0), y = wlm_input(g, 1), z = wlm_input(g, 2);
    wlm_node product = wlm_binary(g, WLM_MUL, x, y), other = wlm_binary(g, WLM_MUL, x, z);
    wlm_node sums[4] = {wlm_binary(g, WLM_ADD, product, z), wlm_binary(g, WLM_SUB, z, other), product,
                        wlm_binary(g, WLM_ADD, z, other)};
    wlm_program *p = compile(g, sums, 1, 3);
    CHECK(p->instructions == 1 && count_of(p, WLM_FMA) == 1);
    wlm_program_destroy(&ctx, &p);
    p = compile(g, sums + 1, 1, 3);
    CHECK(p->instructions == 1 && count_of(p, WLM_FNMA) == 1);
    wlm_program_destroy(&ctx, &p);
    p = compile(g, sums, 4, 3); /* the product is an output too; two sums read the other */
    CHECK(p->instructions == 5 && count_of(p, WLM_MUL) == 2 && count_of(p, WLM_FMA) + count_of(p, WLM_FNMA) == 0);
    wlm_program_destroy(&ctx, &p);
    wlm_graph_destroy(&g);
}

/* A balanced tree of sums of square roots, 2^depth of them; and a chain, which no recursion would survive. */
static void few_slots_are_needed(void)
{
    enum { DEPTH = 9, LEAVES = 1 << DEPTH, CHAIN = 300000 };
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlm_graph *g = fresh_graph(&ctx);
    wlm_node level[LEAVES];
    for (int32_t i = 0; i < LEAVES; i++) level[i] = wlm_unary(g, WLM_SQRT, wlm_input(g, i));
    for (int32_t width = LEAVES / 2; width > 0; width /= 2)
        for (int32_t i = 0; i < width; i++) level[i] = wlm_binary(g, WLM_ADD, level[2 * i], level[2 * i + 1]);
    wlm_program *p = compile(g, level, 1, LEAVES);
    CHECK_SAY(p->slots <= LEAVES + 1 + DEPTH + 1, "%d slots", p->slots);
    wlm_program_destroy(&ctx, &p);
    wlm_node rest = wlm_input(g, 0); /* x1 - (x2 - (x3 - ...)): the right operand first */
    for (int32_t i = 1; i < LEAVES; i++) rest = wlm_binary(g, WLM_SUB, wlm_unary(g, WLM_SQRT, wlm_input(g, i)), rest);
    p = compile(g, &rest, 1, LEAVES);
    CHECK_SAY(p->slots <= LEAVES + 1 + 2, "%d slots", p->slots);
    wlm_program_destroy(&ctx, &p);
    wlm_node chain = wlm_input(g, 0);
    for (int32_t i = 0; i < CHAIN; i++)
        chain = wlm_unary(g, i % 2 ? WLM_SQRT : WLM_ABS, wlm_binary(g, WLM_MUL, chain, chain));
    p = compile(g, &chain, 1, 1);
    CHECK(p->instructions == 2 * CHAIN && p->slots <= 4);
    wlm_program_destroy(&ctx, &p);
    wlm_graph_destroy(&g);
}

/* Two divisions one after the other, and an exponential, which stands between them. */
static void divisions_hide_behind_others(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlm_graph *g = fresh_graph(&ctx);
    wlm_node x = wlm_input(g, 0), y = wlm_input(g, 1), quotient = wlm_binary(g, WLM_DIV, x, y);
    wlm_node outputs[3] = {quotient, wlm_binary(g, WLM_DIV, y, quotient), wlm_unary(g, WLM_EXP, x)};
    wlm_program *p = compile(g, outputs, 3, 2);
    CHECK(p->instructions == 3 && p->instruction[0].opcode == WLM_DIV && p->instruction[1].opcode == WLM_EXP);
    wlm_program_destroy(&ctx, &p);
    wlm_graph_destroy(&g);
}

static void wrong_arguments_are_refused(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlm_graph *g = fresh_graph(&ctx);
    wlm_program *p = NULL;
    wlm_node outputs[2] = {wlm_unary(g, WLM_EXP, wlm_input(g, 5)), 99};
    CHECK(wlm_program_compile(g, outputs, 1, 5, &p) == WARPLU_INVALID_ARGUMENT && p == NULL);
    CHECK(strstr(ctx.last_message, "input 5 is needed, of 5") != NULL);
    CHECK(wlm_program_compile(g, outputs, 2, 6, &p) == WARPLU_INVALID_ARGUMENT && p == NULL);
    CHECK(strstr(ctx.last_message, "output 1 is node 99") != NULL);
    outputs[1] = wlm_node_count(g);
    CHECK(wlm_program_compile(g, outputs, 2, 6, &p) == WARPLU_INVALID_ARGUMENT && p == NULL);
    CHECK(wlm_program_compile(g, outputs, -1, 6, &p) == WARPLU_INVALID_ARGUMENT && p == NULL);
    CHECK(wlm_program_compile(g, outputs, 1, -6, &p) == WARPLU_INVALID_ARGUMENT && p == NULL);
    CHECK(wlm_program_compile(g, outputs, 1, INT32_MAX, &p) == WARPLU_OVERFLOW && p == NULL);
    CHECK(wlm_program_compile(g, outputs, 0, 0, &p) == WARPLU_SUCCESS && p->instructions == 0 && p->slots == 0);
    wlm_program_destroy(&ctx, &p);
    wlm_graph_destroy(&g);
}

/* Programs with one number wrong. */
static void verification_finds_what_is_wrong(void)
{
    wlm_instruction good[3] = {{WLM_ADD, 3, 0, -1, 0}, {WLM_EXP, 2, 3, 0, 0}, {WLM_MOVE, 1, 2, 0, 0}};
    wlm_instruction bad[3];
    double constant = 2.0;
    wlm_program p = {.inputs = 1,
                     .outputs = 2,
                     .slots = 4,
                     .constants = 1,
                     .instructions = 3,
                     .instruction = bad,
                     .constant = &constant};
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    memcpy(bad, good, sizeof good);
    CHECK(wlm_program_verify(&ctx, &p) == WARPLU_SUCCESS);
    static const struct {
        int at;
        wlm_instruction is;
        const char *says;
    } cases[] = {
        {0, {WLM_ADD, 3, 2, -1, 0}, "instruction 0 reads slot 2, which nothing has written"},
        {0, {WLM_ADD, 3, 0, -2, 0}, "instruction 0 reads -2: there are 4 slots and 1 constants"},
        {1, {WLM_EXP, 2, 4, 0, 0}, "instruction 1 reads 4"},
        {0, {WLM_ADD, 0, 0, 0, 0}, "instruction 0 writes slot 0 of 1 to 3"},
        {1, {WLM_EXP, 4, 3, 0, 0}, "instruction 1 writes slot 4 of 1 to 3"},
        {1, {WLM_INPUT, 2, 3, 0, 0}, "instruction 1 has opcode 1"},
        {1, {WLM_MOVE + 1, 2, 3, 0, 0}, "instruction 1 has opcode"},
        {2, {WLM_MOVE, 3, 2, 0, 0}, "nothing writes output 0"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        memcpy(bad, good, sizeof good);
        bad[cases[k].at] = cases[k].is;
        CHECK_SAY(wlm_program_verify(&ctx, &p) == WARPLU_INTERNAL, "case %d", (int)k);
        CHECK_SAY(strstr(ctx.last_message, cases[k].says) != NULL, "'%s' does not say '%s'", ctx.last_message,
                  cases[k].says);
    }
    p.slots = 2;
    CHECK(wlm_program_verify(&ctx, &p) == WARPLU_INTERNAL);
}

static void disassembly_is_as_committed(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlm_graph *g = fresh_graph(&ctx);
    wlm_node x = wlm_input(g, 0), y = wlm_input(g, 1);
    wlm_node rate = wlm_unary(g, WLM_EXP, wlm_binary(g, WLM_MUL, wlm_constant(g, -0.1), x));
    wlm_node gate = wlm_binary(g, WLM_DIV, rate, wlm_binary(g, WLM_ADD, rate, wlm_constant(g, 1.0)));
    wlm_node outputs[5] = {wlm_binary(g, WLM_SUB, y, wlm_binary(g, WLM_MUL, gate, y)), gate, x, gate,
                           wlm_constant(g, 2.5)};
    wlm_program *p = compile(g, outputs, 5, 2);
    char *text = calloc(1, 1 << 14);
    FILE *file = tmpfile();
    CHECK(file != NULL);
    wlm_program_disassemble(p, file);
    rewind(file);
    CHECK(fread(text, 1, (1 << 14) - 1, file) > 0);
    fclose(file);
    golden_compare(WLU_GOLDEN_DIR, "program", text, updating);
    free(text);
    wlm_program_destroy(&ctx, &p);
    wlm_graph_destroy(&g);
}

/* The k-th allocation fails, for every k. */
static void memory_may_end_anywhere(void)
{
    test_allocator memory = {0};
    warplu_options options;
    wlu_context ctx;
    warplu_init_options(&options);
    test_use_allocator(&options, &memory);
    wlu_context_init(&ctx, &options);
    wlm_graph *g = fresh_graph(&ctx);
    uint64_t seed = 5;
    make_random(g, &exact, &seed);
    wlm_node output = wlm_node_count(g) - 1;
    unsigned char fixed[INPUTS] = {1, 1, 0, 1, 1, 0};
    int64_t kept = memory.alive;
    for (int halves = 0; halves < 2; halves++) {
        int k = 0;
        for (warplu_status status = WARPLU_OUT_OF_MEMORY; status == WARPLU_OUT_OF_MEMORY; k++) {
            wlm_program *p = NULL, *body = NULL;
            memory.calls = 0;
            memory.fail_at = k + 1;
            status = halves ? wlm_program_split(g, &output, 1, INPUTS, fixed, &p, &body)
                            : wlm_program_compile(g, &output, 1, INPUTS, &p);
            CHECK(status == WARPLU_SUCCESS || (status == WARPLU_OUT_OF_MEMORY && p == NULL && body == NULL));
            wlm_program_destroy(&ctx, &p);
            wlm_program_destroy(&ctx, &body);
            CHECK(memory.alive == kept);
        }
        CHECK_SAY(k > 10, "%d allocations", k);
    }
    memory.fail_at = 0;
    wlm_graph_destroy(&g);
    CHECK(memory.alive == 0);
}

int main(int argc, char **argv)
{
    updating = argc > 1 && strcmp(argv[1], "--update") == 0;
    RUN(programs_compute_what_graphs_say);
    RUN(halves_compute_the_whole);
    RUN(products_of_one_sum_are_fused);
    RUN(few_slots_are_needed);
    RUN(divisions_hide_behind_others);
    RUN(wrong_arguments_are_refused);
    RUN(verification_finds_what_is_wrong);
    RUN(disassembly_is_as_committed);
    RUN(memory_may_end_anywhere);
    return check_done();
}
