/* The strategy `phases`: what it counts, against counts by hand; the order of bytecodes; limits and failures. */
#include "phases/phases.h"

#include "phases/read.h"
#include "phases_networks.h"

static void check_phases(const wlm_phases *p, int phases, const int *bytecodes)
{
    CHECK_SAY(p->phases == phases, "%d phases", (int)p->phases);
    for (int k = 0; k < phases && k < p->phases; k++)
        CHECK_SAY(p->phase[k].bytecodes == bytecodes[k], "phase %d: %d", k + 1, (int)p->phase[k].bytecodes);
}

/* ------------------------------------------------------------------ phases */

/* What reads what among the 31 formulas of Luo and Rudy (1991): their numbers, up to three, -1: none. */
static const signed char reads[31][3] = {
    {-1, -1, -1}, {0, -1, -1},  {-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1}, /* ENa, iNa, am bm ah bh */
    {-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1}, {8, -1, -1},  {-1, -1, -1}, {-1, -1, -1}, /* aj bj, Esi, isi, ad bd */
    {-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1}, /* af bf, gK, EK, ax bx */
    {-1, -1, -1}, {14, 15, 18}, {-1, -1, -1}, {-1, -1, -1}, {21, -1, -1}, {21, -1, -1}, /* Xi, iK, gK1, EK1, aK1 bK1 */
    {22, 23, -1}, {20, 24, 21}, {21, -1, -1}, {-1, -1, -1}, {26, 27, -1},               /* K1inf, iK1, EKp, Kp, iKp */
    {-1, -1, -1}, {-1, -1, -1},                                                         /* ib, stimulus */
};

/* The phases of the paper's table 5; merged, EKp's current keeps two operands in the first phase. */
static void luo_and_rudys_dependences(void)
{
    network w;
    network_begin(&w, 8, 1);
    wlm_node made[31];
    for (int i = 0; i < 31; i++) {
        wlm_node sum = state(&w, i % 8);
        for (int k = 0; k < 3; k++) sum = reads[i][k] >= 0 ? sub(&w, sum, made[(int)reads[i][k]]) : sum;
        made[i] = network_define(&w, unary(&w, WLM_NEG, sum));
    }
    for (int i = 0; i < 8; i++) w.eq.f[i] = sub(&w, made[3 * i + 1], state(&w, i));
    wlm_phases *base = network_phases(&w, 0, 0), *merged = network_phases(&w, 8, 0);
    check_phases(base, 5, (int[]){22, 6, 2, 1, 8});
    check_phases(merged, 3, (int[]){22, 3, 8});
    CHECK(base->definitions == 31 && base->states == 8);
    wlm_phases_destroy(&w.ctx, &base);
    wlm_phases_destroy(&w.ctx, &merged);
    network_end(&w);
}

/* Other names of states are no formulas, other names of definitions are. */
static void names_of_states_are_no_formulas(void)
{
    network w;
    network_begin(&w, 1, 1);
    network_define(&w, state(&w, 0));
    wlm_node square = network_define(&w, mul(&w, state(&w, 0), state(&w, 0)));
    network_define(&w, square);
    network_define(&w, constant(&w, 3.0));
    w.eq.f[0] = square;
    wlm_phases *p = network_phases(&w, 0, 0);
    check_phases(p, 3, (int[]){2, 1, 1});
    CHECK(p->variable[0] == 1 && p->variable[1] == 2 && p->variable[3] == 4 && p->variables == 5);
    wlm_phases_destroy(&w.ctx, &p);
    network_end(&w);
}

/* ---------------------------------------------------------------- examples */

/* Table 1, and, of the interneurons, table 5: the paper's numbers. The words of bytecode tell how gates are written. */
static void compare_example(const char *path, int formulas, int odes, int words, int phases, const int *bytecodes,
                            const int *kinds)
{
    wlu_context ctx;
    wlm_equations *equations;
    wlm_phases *p = NULL;
    wlm_phases_options options = switches(0, 100);
    wlu_context_init(&ctx, NULL);
    CHECK_SAY(wlm_phases_read(&ctx, path, &equations) == WARPLU_SUCCESS, "%s", ctx.last_message);
    if (equations == NULL) return;
    CHECK_SAY(wlm_phases_create(&ctx, equations, &options, &p) == WARPLU_SUCCESS, "%s", ctx.last_message);
    if (p != NULL) {
        CHECK_SAY(p->definitions == formulas && p->states == odes, "%s: %d + %d", path, (int)p->definitions,
                  (int)p->states);
        CHECK_SAY(p->words == words, "%s: %d words", path, (int)p->words);
        check_phases(p, phases, bytecodes);
        for (int k = 0; k < phases && k < p->phases; k++)
            CHECK_SAY(p->phase[k].kinds == kinds[k], "%s, phase %d: %d kinds", path, k + 1, (int)p->phase[k].kinds);
    }
    wlm_phases_destroy(&ctx, &p);
    wlm_equations_destroy(&equations);
}

static void examples_are_of_the_papers_size(void)
{
#define EXAMPLE(name) WLU_GOLDEN_DIR "/../../examples/models/" name ".wm"
    compare_example(EXAMPLE("wang_buzsaki"), 1200, 400, 58000, 4, (int[]){1000, 100, 100, 400}, (int[]){7, 1, 1, 3});
    compare_example(EXAMPLE("half_centre"), 1362, 480, 51744, 4, (int[]){1122, 198, 42, 480}, (int[]){8, 2, 1, 4});
#undef EXAMPLE
}

/* ------------------------------------------------------------------- bytes */

/* 70 cells: a = x x is 8 words, x' = -a is 6. */
static void bytes_of_seventy_cells(void)
{
    network w;
    network_begin(&w, 70, 1);
    for (int i = 0; i < 70; i++)
        w.eq.f[i] = unary(&w, WLM_NEG, network_define(&w, mul(&w, state(&w, i), state(&w, i))));
    wlm_phases *base = network_phases(&w, 0, 0), *unify = network_phases(&w, 4, 0), *both = network_phases(&w, 6, 0);
    CHECK(base->words == 70 * 14 && base->table_bytes == 0 && base->threads == 140);
    CHECK(unify->words == 3 * 14 && unify->table_bytes == 5 * (128 + 128 + 24) && unify->threads == 140);
    CHECK(both->words == 3 * 14 && both->table_bytes == 5 * 3 * 128 && both->threads == 6 * 32);
    CHECK(base->phase[0].kinds == 1 && base->phase[1].kinds == 1);
    CHECK(base->phase[0].instructions == 4 && base->phase[1].instructions == 3 && base->stack == 2);
    wlm_phases_destroy(&w.ctx, &base);
    wlm_phases_destroy(&w.ctx, &unify);
    wlm_phases_destroy(&w.ctx, &both);
    network_end(&w);
}

/* ------------------------------------------------------------------- order */

/* The second instruction's opcode of each thread: behind a variable. */
static void check_order(const wlm_phases *p, int threads, const int *opcodes)
{
    for (int k = 0; k < threads; k++)
        CHECK_SAY((int)(p->code[p->index[k] + 2] & 255) == opcodes[k], "thread %d: %s", k,
                  wlm_opcode_text((wlm_opcode)(p->code[p->index[k] + 2] & 255)));
}

static void reorder_takes_the_longest_first_then_the_nearest(void)
{
    static const int second[][3] = {
        {WLM_SQRT, 0, 0}, {WLM_EXP, WLM_NEG, WLM_ABS}, {WLM_ATAN, WLM_NEG, WLM_ABS}, {WLM_SIN, WLM_COS, WLM_NEG},
        {WLM_SQRT, 0, 0}, {WLM_TAN, WLM_COS, WLM_ABS}};
    network w;
    network_begin(&w, 1, 1);
    for (int i = 0; i < 6; i++) {
        wlm_node node = state(&w, 0);
        for (int k = 0; k < 3 && second[i][k] != 0; k++) node = unary(&w, (wlm_opcode)second[i][k], node);
        network_define(&w, node);
    }
    w.eq.f[0] = state(&w, 0);
    wlm_phases *base = network_phases(&w, 0, 0), *reordered = network_phases(&w, 1, 0);
    check_order(base, 6, (int[]){WLM_SQRT, WLM_EXP, WLM_ATAN, WLM_SIN, WLM_SQRT, WLM_TAN});
    check_order(reordered, 6, (int[]){WLM_EXP, WLM_ATAN, WLM_TAN, WLM_SIN, WLM_SQRT, WLM_SQRT});
    CHECK(base->phase[0].kinds == 5);
    wlm_phases_destroy(&w.ctx, &base);
    wlm_phases_destroy(&w.ctx, &reordered);
    network_end(&w);
}

static int same_kind(const uint32_t *a, const uint32_t *b)
{
    for (; (*a & 255) == (*b & 255); a += 1 + wlm_phases_inline(*a), b += 1 + wlm_phases_inline(*b))
        if ((*a & 255) == WLM_PHASES_END) return 1;
    return 0;
}

static void redundant_threads_leave_one_kind_a_warp(void)
{
    for (int bits = 2; bits < 16; bits++) {
        if ((bits & 2) == 0) continue;
        network w;
        network_invent(&w, 11 + (uint64_t)bits, 40, 6, 1);
        wlm_phases *p = network_phases(&w, bits, 0);
        for (int k = 0; k < p->phases; k++) {
            CHECK(p->phase[k].threads % WLU_WARP == 0 && p->phase[k].first % WLU_WARP == 0);
            for (int i = p->phase[k].first; i < p->phase[k].first + p->phase[k].threads; i++) {
                uint32_t first = p->index[i / WLU_WARP * WLU_WARP];
                CHECK(same_kind(p->code + first, p->code + p->index[i]));
                CHECK((bits & 4) == 0 || p->index[i] == first);
            }
        }
        wlm_phases_destroy(&w.ctx, &p);
        network_end(&w);
    }
}

/* ------------------------------------------------------------------ limits */

static void sums_are_split_to_fit_the_stack(void)
{
    network w;
    network_begin(&w, 60, 1);
    wlm_node sum = mul(&w, state(&w, 0), state(&w, 1));
    for (int i = 1; i < 60; i++) sum = add(&w, sum, sub(&w, state(&w, i), constant(&w, i)));
    for (int i = 0; i < 60; i++) w.eq.f[i] = sum;
    for (int stack = 7; stack <= 100; stack += 31) {
        wlm_phases *p = network_phases(&w, 0, stack);
        CHECK_SAY(p->stack == (stack < 61 ? stack : 61), "stack %d: %d", stack, (int)p->stack);
        /* 1 product, 59 differences, ASSIGN; each PLUS but the last makes room for all but one of its terms */
        int sums = stack > 60 ? 1 : 1 + (59 - (stack - 1) + stack - 3) / (stack - 2);
        CHECK_SAY(p->phase[0].instructions == 3 + 59 * 3 + 1 + sums, "stack %d: %d", stack,
                  (int)p->phase[0].instructions - (3 + 59 * 3 + 1));
        wlm_phases_destroy(&w.ctx, &p);
    }
    network_end(&w);
}

static void check_refused(network *w, int stack, warplu_status expected, const char *text)
{
    wlm_phases *p;
    wlm_phases_options options = switches(0, stack);
    warplu_status status = wlm_phases_create(&w->ctx, &w->eq, &options, &p);
    CHECK_SAY(status == expected && p == NULL && strstr(w->ctx.last_message, text) != NULL, "%d: %s", (int)status,
              w->ctx.last_message);
}

static void what_does_not_fit_is_refused(void)
{
    network w;
    network_begin(&w, 1, 1);
    wlm_node deep = state(&w, 0), many = state(&w, 0), nested = state(&w, 0);
    for (int i = 0; i < 9; i++) deep = sub(&w, state(&w, 0), deep);
    for (int i = 0; i < 40; i++) many = sub(&w, many, many);
    for (int i = 0; i < 3000; i++) nested = unary(&w, WLM_EXP, nested);
    w.eq.f[0] = deep;
    check_refused(&w, 7, WARPLU_INVALID_ARGUMENT, "'state' needs a stack of 10, 7 are allowed");
    check_refused(&w, 101, WARPLU_INVALID_ARGUMENT, "1 to 100");
    check_refused(&w, -1, WARPLU_INVALID_ARGUMENT, "1 to 100");
    w.eq.f[0] = many;
    check_refused(&w, 100, WARPLU_OVERFLOW, "16777215 words");
    w.eq.f[0] = nested;
    check_refused(&w, 100, WARPLU_OVERFLOW, "nested 3000 deep");
    w.eq.f[0] = deep, w.eq.events = 1;
    check_refused(&w, 100, WARPLU_INVALID_ARGUMENT, "events");
    w.eq.events = 0;
    network_end(&w);
}

static void implicit_equations_are_refused(void)
{
    network w;
    network_begin(&w, 2, 1);
    w.eq.f[0] = w.eq.f[1] = state(&w, 0);
    wlm_node q[] = {WLM_NONE,
                    state(&w, 0), /* the other one's */
                    mul(&w, state(&w, 1), state(&w, 1)),
                    add(&w, state(&w, 1), state(&w, 0)),
                    mul(&w, constant(&w, 0.0), state(&w, 1)),
                    unary(&w, WLM_EXP, state(&w, 1)),
                    add(&w, state(&w, 1), constant(&w, 1.0))};
    for (size_t k = 0; k < sizeof q / sizeof *q; k++) {
        w.eq.q[1] = q[k];
        check_refused(&w, 0, WARPLU_INVALID_ARGUMENT, "not explicit");
    }
    w.eq.q[1] =
        add(&w, constant(&w, 0.0), sub(&w, mul(&w, constant(&w, 2.0), state(&w, 1)), unary(&w, WLM_NEG, state(&w, 1))));
    wlm_phases *p = network_phases(&w, 0, 0);
    CHECK(p->phase[0].instructions == 4); /* VARIABLE CONSTANT DIV ASSIGN */
    wlm_phases_destroy(&w.ctx, &p);
    network_end(&w);
}

static int64_t left;

static void *limited(size_t bytes, void *user)
{
    (void)user;
    return left-- > 0 ? malloc(bytes) : NULL;
}

static void every_allocation_may_fail(void)
{
    network w;
    network_invent(&w, 4, 9, 6, 1);
    int64_t k = 0;
    for (; k < 200; k++) {
        wlm_phases *p = NULL;
        wlm_phases_state s = {0};
        wlm_phases_options options = switches(15, 0);
        wlu_context ctx;
        wlu_context_init(&ctx, NULL);
        ctx.allocate = limited, ctx.allocate_zeros = NULL;
        left = k;
        warplu_status status = wlm_phases_create(&ctx, &w.eq, &options, &p);
        if (status == WARPLU_SUCCESS) status = wlm_phases_state_create(&ctx, p, &w.eq, 0.0, NULL, NULL, &s);
        wlm_phases_state_free(&ctx, &s);
        wlm_phases_destroy(&ctx, &p);
        if (status == WARPLU_SUCCESS) break;
        CHECK(status == WARPLU_OUT_OF_MEMORY);
    }
    CHECK(k > 20 && k < 200);
    network_end(&w);
}

int main(void)
{
    RUN(luo_and_rudys_dependences);
    RUN(names_of_states_are_no_formulas);
    RUN(examples_are_of_the_papers_size);
    RUN(bytes_of_seventy_cells);
    RUN(reorder_takes_the_longest_first_then_the_nearest);
    RUN(redundant_threads_leave_one_kind_a_warp);
    RUN(sums_are_split_to_fit_the_stack);
    RUN(what_does_not_fit_is_refused);
    RUN(implicit_equations_are_refused);
    RUN(every_allocation_may_fail);
    return check_done();
}
