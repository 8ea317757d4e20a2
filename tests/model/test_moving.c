/* Code that runs on numbers where they stand against code on a file: the same bits, whichever inputs and outputs move,
 * at any address, by each instruction set. */
#include "model/exec/moving.h"

#include <stdlib.h>

#include "programs.h"

enum { INPUTS = 5, OUTPUTS = 4, MOVES = INPUTS + OUTPUTS, CHUNKS = 3, ROOM = CHUNKS * WLM_LANES + 8 };

static uint64_t seed = 31;

/* Runs three chunks both ways, and compares all lanes of all outputs; numbers around them stay. */
static void check_program(wlu_context *ctx, const wlm_program *p, wlm_isa isa, int trial)
{
    static double array[MOVES][ROOM];
    unsigned char moves[MOVES];
    int32_t begin[MOVES];
    wlm_code *code = NULL;
    wlm_moving *moving = NULL;
    CHECK(wlm_code_create(ctx, p, isa, &code) == WARPLU_SUCCESS);
    double *plain = wlm_file_create(ctx, p), *file = wlm_file_create(ctx, p);
    for (int k = 0; k < MOVES; k++) moves[k] = (unsigned char)check_below(&seed, 2), begin[k] = check_below(&seed, 8);
    for (int k = 0; k < MOVES; k++)
        for (int i = 0; i < ROOM; i++) array[k][i] = k < INPUTS ? 4.0 * check_uniform(&seed) - 2.0 : -77.0;
    CHECK(wlm_moving_create(ctx, code, MOVES, moves, &moving) == WARPLU_SUCCESS);
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        for (int k = 0; k < MOVES; k++) {
            double *at = array[k] + begin[k] + chunk * WLM_LANES;
            if (moves[k]) wlm_moving_put(moving, file, k, at);
            for (int lane = 0; lane < WLM_LANES && k < INPUTS; lane++) {
                plain[k * WLM_LANES + lane] = at[lane];
                file[k * WLM_LANES + lane] = moves[k] ? -55.0 : at[lane];
            }
        }
        wlm_run(code, plain, WLM_LANES);
        wlm_moving_run(moving, file);
        for (int k = INPUTS; k < MOVES; k++)
            for (int lane = 0; lane < WLM_LANES; lane++) {
                const double *at = moves[k] ? array[k] + begin[k] + chunk * WLM_LANES : file + k * WLM_LANES;
                CHECK_SAY(same_number(at[lane], plain[k * WLM_LANES + lane]), "trial %d, isa %d, slot %d, lane %d",
                          trial, (int)isa, k, lane);
            }
    }
    for (int k = INPUTS; k < MOVES; k++)
        for (int i = 0; i < ROOM; i++) {
            const int is_written = moves[k] && i >= begin[k] && i < begin[k] + CHUNKS * WLM_LANES;
            CHECK(is_written || array[k][i] == -77.0);
        }
    wlm_moving_destroy(ctx, &moving);
    wlm_code_destroy(ctx, &code);
    wlm_file_free(ctx, plain);
    wlm_file_free(ctx, file);
}

static void all_ways_have_the_same_bits(void)
{
    static const wlm_opcode opcodes[] = {WLM_NEG, WLM_ADD, WLM_SUB,    WLM_MUL, WLM_DIV,  WLM_EXP,  WLM_MIN,
                                         WLM_LT,  WLM_FMA, WLM_SELECT, WLM_ABS, WLM_FIND, WLM_PIECE};
    static const double constants[] = {0.5, 1.0, -2.0, 3.25};
    const random_graph of = {INPUTS, 60, opcodes, sizeof opcodes / sizeof *opcodes, constants, 4};
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    for (int trial = 0; trial < 100; trial++) {
        wlm_program *p = NULL;
        wlm_node outputs[OUTPUTS];
        wlm_graph *g = fresh_graph(&ctx);
        make_random(g, &of, &seed);
        for (int k = 0; k < OUTPUTS; k++) outputs[k] = wlm_node_count(g) - 1 - check_below(&seed, 20);
        CHECK(wlm_program_compile(g, outputs, OUTPUTS, INPUTS, &p) == WARPLU_SUCCESS);
        for (int isa = WLM_ISA_BEST; isa <= WLM_ISA_NEON; isa++)
            if (wlm_kernels_of((wlm_isa)isa) != NULL) check_program(&ctx, p, (wlm_isa)isa, trial);
        wlm_program_destroy(&ctx, &p);
        wlm_graph_destroy(&g);
    }
}

int main(void)
{
    RUN(all_ways_have_the_same_bits);
    return check_done();
}
