/* Programs for one member: the bits of single instructions for random programs of all operations, of chains around
 * exponentials and of steps of the example models, on every instruction set; how many instructions they are; memory.
 *
 *     test_model_solo FOLDER         that of the models */
#include "model/exec/solo.h"

#include "model/exec/exec.h"
#include "model/exec/solo_parts.h"
#include "model/step/drive.h"
#include "model/text/read.h"
#include "programs.h"
#include "support/build.h"

enum { INPUTS = 9, OUTPUTS = 14, TRIALS = 150 };

static const double values[] = {0.0,   -0.0,  1.0,    -1.0,     0.5,       2.0, -3.25, 1e-5, 710.5,
                                745.2, 1e308, -1e308, INFINITY, -INFINITY, NAN, 0.3,   -0.08};
enum { VALUES = sizeof values / sizeof *values };
static const char *folder;
static uint64_t seed = 5;

static double any(void)
{
    return check_below(&seed, 3) == 0 ? values[check_below(&seed, VALUES)] : 8.0 * check_uniform(&seed) - 4.0;
}

static int32_t gathers, singles; /* of all programs */

/* Twice, for lines keep what was there. */
static void check_isa(wlu_context *ctx, const wlm_program *p, wlm_isa isa, int32_t lanes, const char *what)
{
    wlm_solo *solo = NULL;
    CHECK(wlm_solo_create(ctx, p, isa, lanes, &solo) == WARPLU_SUCCESS);
    CHECK((solo != NULL) == (wlm_kernels_of(isa) != NULL && isa != WLM_ISA_PORTABLE &&
                             (isa != WLM_ISA_BEST || wlm_kernels_of(isa)->width > 1)));
    if (solo == NULL) return;
    gathers += solo->gathers, singles += solo->singles;
    double *file = wlm_block_create(ctx, (int64_t)p->slots * lanes), *lines = wlm_solo_open(ctx, solo);
    double *slots = calloc((size_t)p->slots + 1, sizeof *slots);
    CHECK(solo->instructions <= p->instructions && file != NULL && lines != NULL && slots != NULL);
    for (int turn = 0; turn < 2; turn++) {
        for (int32_t i = 0; i < p->inputs; i++) slots[i] = file[(int64_t)i * lanes] = any();
        run_plainly(p, slots);
        wlm_solo_run(solo, lines, file);
        for (int32_t i = p->inputs; i < p->inputs + p->outputs; i++)
            CHECK_SAY(same_number(slots[i], file[(int64_t)i * lanes]), "%s, isa %d, output %d: %a, not %a", what,
                      (int)isa, (int)(i - p->inputs), file[(int64_t)i * lanes], slots[i]);
    }
    free(slots);
    wlm_file_free(ctx, lines);
    wlm_file_free(ctx, file);
    wlm_solo_destroy(ctx, &solo);
}

static void check_everywhere(wlu_context *ctx, const wlm_program *p, const char *what)
{
    for (int isa = WLM_ISA_BEST; isa <= WLM_ISA_NEON; isa++) {
        check_isa(ctx, p, (wlm_isa)isa, 1, what);
        check_isa(ctx, p, (wlm_isa)isa, WLM_LANES, what);
    }
}

static void check_graphs(const wlm_opcode *opcodes, int count, const char *what)
{
    for (int trial = 0; trial < TRIALS; trial++) {
        const random_graph of = {INPUTS, 10 + trial, opcodes, count, values, VALUES};
        wlu_context ctx;
        wlm_program *p = NULL;
        wlm_node outputs[OUTPUTS];
        wlu_context_init(&ctx, NULL);
        wlm_graph *g = fresh_graph(&ctx);
        make_random(g, &of, &seed);
        int32_t nodes = wlm_node_count(g);
        for (int i = 0; i < OUTPUTS; i++) outputs[i] = nodes - 1 - check_below(&seed, nodes < 40 ? nodes : 40);
        CHECK(wlm_program_compile(g, outputs, OUTPUTS, INPUTS, &p) == WARPLU_SUCCESS);
        check_everywhere(&ctx, p, what);
        wlm_program_destroy(&ctx, &p);
        wlm_graph_destroy(&g);
    }
}

static void all_operations_have_their_bits(void)
{
    wlm_opcode opcodes[WLM_OPCODES];
    for (int k = WLM_NEG; k < WLM_OPCODES; k++) opcodes[k - WLM_NEG] = (wlm_opcode)k;
    check_graphs(opcodes, WLM_OPCODES - WLM_NEG, "all operations");
}

static void exponentials_and_sums_have_their_bits(void)
{
    static const wlm_opcode opcodes[] = {WLM_EXP, WLM_EXP, WLM_NEG, WLM_ADD, WLM_SUB, WLM_MUL, WLM_MUL, WLM_DIV};
    check_graphs(opcodes, sizeof opcodes / sizeof *opcodes, "exponentials");
    check_graphs(opcodes + 2, 6, "sums and quotients");
}

/* ------------------------------------------------------------------- models */

static wlm_equations *read_model(wlu_context *ctx, const char *name, wlm_model **model)
{
    char path[1024];
    wlm_equations *e = NULL;
    snprintf(path, sizeof path, "%s/%s.wm", folder, name);
    warplu_status status = wlm_model_read(ctx, path, model);
    if (status == WARPLU_SUCCESS) status = wlm_equations_create(ctx, *model, NULL, 0, &e);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s: %s", path, ctx->last_message);
    if (status != WARPLU_SUCCESS) abort();
    return e;
}

static const wlm_method methods[] = {WLM_EULER, WLM_RK4, WLM_RUSH_LARSEN, WLM_DORMAND_PRINCE, WLM_RODAS4, WLM_TR_BDF2};
enum { METHODS = sizeof methods / sizeof *methods };

/* Methods that do not suit a model have no stepper. */
static wlm_stepper *make_stepper(const wlm_equations *e, wlm_method method, int alone)
{
    wlm_step_options o = {.method = method, .alone = alone};
    wlm_stepper *s = NULL;
    if (!wlm_method_supports(method, WLM_SMALL, 0.0)) o.step = 0.01;
    warplu_status status = wlm_stepper_create(e, &o, &s);
    CHECK(status == WARPLU_SUCCESS || status == WARPLU_MODEL_EQUATIONS || status == WARPLU_INVALID_ARGUMENT);
    return s;
}

/* Networks of many members are large: one method. */
static void steps_of_models_have_their_bits(void)
{
    static const char *const small[] = {"beeler_reuter_1977", "hires",          "hodgkin_huxley", "inverter_ring",
                                        "luo_rudy_1991",      "noble_1962",     "pollution",      "rc_ladder",
                                        "robertson",          "ring_modulator", "van_der_pol"};
    static const char *const networks[] = {"half_centre", "line", "ring", "wang_buzsaki"};
    enum { SMALL = sizeof small / sizeof *small, ALL = SMALL + 4 };
    for (int k = 0; k < ALL; k++) {
        const char *name = k < SMALL ? small[k] : networks[k - SMALL];
        wlu_context ctx;
        wlm_model *model = NULL;
        wlu_context_init(&ctx, NULL);
        wlm_equations *e = read_model(&ctx, name, &model);
        int made = 0;
        for (int m = 0; m < (k < SMALL ? METHODS : 1); m++) {
            wlm_stepper *s = make_stepper(e, methods[m], 0);
            if (s == NULL) continue;
            made++;
            check_everywhere(&ctx, s->step.body != NULL ? s->step.body : s->newton.body, name);
            wlm_stepper_destroy(&s);
        }
        CHECK_SAY(made > 0, "%s", name);
        wlm_equations_destroy(&e);
        wlm_model_destroy(&model);
    }
}

enum { MEMBERS = 2 };

static void run(const wlm_equations *e, wlm_method method, int alone, int64_t members, double *end)
{
    wlm_fate fate[MEMBERS];
    wlm_drive d = {.t0 = 0.0, .t1 = 130.0, .end = end, .fate = fate};
    wlm_stepper *s = make_stepper(e, method, alone);
    if (s == NULL) abort();
    CHECK((s->begin.solo != NULL) == (alone && wlm_kernels_of(WLM_ISA_BEST)->width > 1));
    CHECK(wlm_drive_members(s, &d, 0, members) == WARPLU_SUCCESS && fate[members - 1].steps > 10);
    wlm_stepper_destroy(&s);
}

/* Over a stimulus at 100, of all methods; and a solo is not taken for more than one. */
static void a_member_alone_runs_as_among_others(void)
{
    wlu_context ctx;
    wlm_model *model = NULL;
    wlu_context_init(&ctx, NULL);
    wlm_equations *e = read_model(&ctx, "luo_rudy_1991", &model);
    size_t n = (size_t)e->n, bytes = n * sizeof(double);
    double *among = calloc(MEMBERS * n, sizeof *among), *solo = calloc(MEMBERS * n, sizeof *solo);
    for (int m = 0; m < METHODS; m++) {
        const char *name = wlm_method_of(methods[m])->name;
        run(e, methods[m], 0, MEMBERS, among);
        run(e, methods[m], 1, 1, solo);
        CHECK_SAY(memcmp(among, solo, bytes) == 0, "%s", name);
        run(e, methods[m], 1, MEMBERS, solo);
        CHECK_SAY(memcmp(among, solo, MEMBERS * bytes) == 0, "%s, %d members", name, MEMBERS);
    }
    free(among);
    free(solo);
    wlm_equations_destroy(&e);
    wlm_model_destroy(&model);
}

/* ------------------------------------------------------------ what it is for */

/* k exp(c x) + s, eight times, and the sum of those by two are rows, not numbers of their own. */
static void like_operations_are_rows(void)
{
    wlu_context ctx;
    wlm_program *p = NULL;
    wlm_solo *solo = NULL;
    wlm_node rate[8], out[4];
    wlu_context_init(&ctx, NULL);
    wlm_graph *g = fresh_graph(&ctx);
    wlm_node x = wlm_input(g, 0);
    for (int k = 0; k < 8; k++) {
        wlm_node scaled = wlm_binary(g, WLM_MUL, wlm_constant(g, 0.1 + k), x);
        rate[k] = wlm_binary(g, WLM_ADD, wlm_constant(g, 1.0 + k), wlm_unary(g, WLM_EXP, scaled));
    }
    for (int k = 0; k < 4; k++) out[k] = wlm_binary(g, WLM_DIV, rate[k], rate[4 + k]);
    CHECK(wlm_program_compile(g, out, 4, 1, &p) == WARPLU_SUCCESS && p->instructions == 28);
    for (int isa = WLM_ISA_AVX2; isa <= WLM_ISA_NEON; isa++) {
        if (wlm_kernels_of((wlm_isa)isa) == NULL) continue;
        CHECK(wlm_solo_create(&ctx, p, (wlm_isa)isa, 1, &solo) == WARPLU_SUCCESS && solo != NULL);
        int width = solo->width, divisions = width < 4 ? 4 / width : 1;
        CHECK_SAY(solo->instructions == 8 / width + divisions, "width %d: %d", width, (int)solo->instructions);
        wlm_solo_destroy(&ctx, &solo);
    }
    wlm_program_destroy(&ctx, &p);
    wlm_graph_destroy(&g);
}

/* A chain of sums of products is one instruction, for no two of them go side by side. */
static void a_chain_is_one_instruction(void)
{
    enum { LENGTH = 21 };
    wlu_context ctx;
    wlm_program *p = NULL;
    wlu_context_init(&ctx, NULL);
    wlm_graph *g = fresh_graph(&ctx);
    wlm_node x = wlm_input(g, 0), sum = x;
    for (int k = 0; k < LENGTH; k++) sum = wlm_ternary(g, WLM_FMA, sum, x, wlm_constant(g, 1.0 + k));
    CHECK(wlm_program_compile(g, &sum, 1, 1, &p) == WARPLU_SUCCESS && p->instructions == LENGTH);
    for (int isa = WLM_ISA_AVX2; isa <= WLM_ISA_NEON; isa++) {
        wlm_solo *solo = NULL;
        if (wlm_kernels_of((wlm_isa)isa) == NULL) continue;
        CHECK(wlm_solo_create(&ctx, p, (wlm_isa)isa, 1, &solo) == WARPLU_SUCCESS && solo != NULL);
        CHECK_SAY(solo->instructions == 1 && solo->singles == LENGTH, "%d", (int)solo->instructions);
        wlm_solo_destroy(&ctx, &solo);
    }
    wlm_program_destroy(&ctx, &p);
    wlm_graph_destroy(&g);
}

static void all_forms_were_met(void)
{
    const int width = wlm_kernels_of(WLM_ISA_BEST)->width;
    CHECK(width == 1 || singles > 0);
    CHECK(width <= 2 || gathers > 0);
}

static void memory_may_end_anywhere(void)
{
    test_allocator memory = {0};
    warplu_options options;
    wlu_context ctx;
    wlm_instruction i[2] = {{WLM_EXP, 1, 0, 0, 0}, {WLM_DIV, 2, 0, 1, 0}};
    wlm_program p = {1, 2, 3, 0, 2, i, NULL, 0, NULL};
    warplu_init_options(&options);
    test_use_allocator(&options, &memory);
    wlu_context_init(&ctx, &options);
    warplu_status status = WARPLU_OUT_OF_MEMORY;
    for (memory.fail_at = 1; status == WARPLU_OUT_OF_MEMORY; memory.fail_at++) {
        wlm_solo *solo = NULL;
        memory.calls = 0;
        status = wlm_solo_create(&ctx, &p, WLM_ISA_BEST, 1, &solo);
        CHECK(status == WARPLU_SUCCESS || solo == NULL);
        double *lines = solo != NULL ? wlm_solo_open(&ctx, solo) : NULL;
        if (solo != NULL && lines == NULL) status = WARPLU_OUT_OF_MEMORY;
        wlm_file_free(&ctx, lines);
        wlm_solo_destroy(&ctx, &solo);
        CHECK(memory.alive == 0);
    }
    CHECK(status == WARPLU_SUCCESS && (memory.fail_at > 20 || wlm_kernels_of(WLM_ISA_BEST)->width == 1));
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : "examples/models";
    RUN(all_operations_have_their_bits);
    RUN(exponentials_and_sums_have_their_bits);
    RUN(steps_of_models_have_their_bits);
    RUN(a_member_alone_runs_as_among_others);
    RUN(all_forms_were_met);
    RUN(like_operations_are_rows);
    RUN(a_chain_is_one_instruction);
    RUN(memory_may_end_anywhere);
    return check_done();
}
