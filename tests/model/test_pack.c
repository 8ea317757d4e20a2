/* What packing fuses: all pairs of operations, and all that may stand around an EXP, with the bits of single
 * instructions, and as often as it should. */
#include "model/exec/pack.h"

#include "build_features.h"
#include "model/exec/exec.h"
#include "programs.h"

#include "build_features.h"

/* Slots: x 0 to 2, the result 3, one more output 4, temporaries from 5. */
enum { INPUTS = 3, RESULT = 3, OTHER = 4, FIRST = 5, SLOTS = 9, MOST = 6 };

static const double values[] = {0.0,    -0.0,  1.0,     -1.0,     0.5,       2.0, -3.25, 1e-5, 710.5,
                                -745.2, 1e308, -1e-320, INFINITY, -INFINITY, NAN, 0.3,   -0.08};
enum { VALUES = sizeof values / sizeof *values };
static double constant[3];

typedef struct step {
    int32_t opcode;
    int t;         /* the operand that is the result before; 1: the second one */
    int constants; /* bits of operands that are constants */
} step;

static uint64_t seed = 11;

static double any(void)
{
    return check_below(&seed, 3) ? values[check_below(&seed, VALUES)] : 20.0 * check_uniform(&seed) - 10.0;
}

/* All lanes of both outputs have the bits of instructions one by one. */
static void check_bits(const wlm_program *p)
{
    wlu_context ctx;
    double x[INPUTS * WLM_LANES];
    wlu_context_init(&ctx, NULL);
    CHECK(wlm_program_verify(&ctx, p) == WARPLU_SUCCESS);
    for (int k = 0; k < INPUTS * WLM_LANES; k++) x[k] = any();
    for (int isa = WLM_ISA_BEST; isa <= WLM_ISA_NEON; isa++) {
        wlm_code *code = NULL;
        if (wlm_kernels_of((wlm_isa)isa) == NULL) continue;
        CHECK(wlm_code_create(&ctx, p, (wlm_isa)isa, &code) == WARPLU_SUCCESS);
        double *file = wlm_file_create(&ctx, p);
        for (int turn = 0; turn < 2; turn++) {
            int lanes = turn == 0 ? WLM_LANES : 8;
            memcpy(file, x, sizeof x);
            wlm_run(code, file, lanes);
            for (int lane = 0; lane < lanes; lane++) {
                double slots[SLOTS];
                for (int k = 0; k < INPUTS; k++) slots[k] = x[k * WLM_LANES + lane];
                run_plainly(p, slots);
                for (int slot = RESULT; slot <= OTHER; slot++)
                    CHECK_SAY(same_number(slots[slot], file[slot * WLM_LANES + lane]),
                              "isa %d, %s then %s, slot %d: %a, not %a", isa,
                              wlm_opcode_text((wlm_opcode)p->instruction[0].opcode),
                              wlm_opcode_text((wlm_opcode)p->instruction[1].opcode), slot,
                              file[slot * WLM_LANES + lane], slots[slot]);
            }
        }
        wlm_file_free(&ctx, file);
        wlm_code_destroy(&ctx, &code);
    }
}

/* Steps one after the other, each on the result before it, the first one on x. kept: the step whose result is the other
 * output, or -1, where that is a copy of x. Results use one slot, or slots of their own. */
static wlm_program chain(const step *steps, int count, int kept, int one_slot, wlm_instruction *room)
{
    int32_t before = 0;
    for (int k = 0; k < count; k++) {
        int32_t from[3];
        for (int which = 0; which < 3; which++)
            from[which] = which == steps[k].t               ? before
                          : steps[k].constants >> which & 1 ? -1 - which
                                                            : (which + 1) % INPUTS;
        int32_t to = k == count - 1 ? RESULT : k == kept ? OTHER : one_slot ? FIRST : FIRST + k % (SLOTS - FIRST);
        if (wlm_is_tabled(steps[k].opcode)) from[2] = -1; /* no table */
        room[k] = (wlm_instruction){steps[k].opcode, to, from[0], from[1], from[2]};
        before = to;
    }
    int copies = kept < 0 || kept >= count - 1;
    if (copies) room[count] = (wlm_instruction){WLM_MOVE, OTHER, 0, 0, 0};
    return (wlm_program){INPUTS, 2, SLOTS, 3, count + copies, room, constant, 0, NULL};
}

static void change_constants(void)
{
    for (int k = 0; k < 3; k++) constant[k] = any();
}

/* Every operation behind every cheap one, in every place. */
static void pairs_have_the_bits_of_single_instructions(void)
{
    static const int32_t cheap[] = {WLM_NEG, WLM_ADD,  WLM_SUB,    WLM_MUL, WLM_DIV,
                                    WLM_FMA, WLM_FNMA, WLM_SELECT, WLM_MAX};
    wlm_instruction room[MOST];
    for (int k = 0; k < 9 * 6; k++) {
        /* one operand is a constant, or none, or all but one */
        static const int constants[6] = {0, 0, 2, 1, 6, 5};
        step steps[2] = {{cheap[k / 6], k % 2, constants[k % 6]}};
        if (wlm_operand_count(steps[0].opcode) < 3) steps[0].constants &= 3;
        if (wlm_operand_count(steps[0].opcode) == 1) steps[0].t = 0;
        for (int32_t opcode = WLM_NEG; opcode <= WLM_MOVE; opcode++) {
            int operands = wlm_operand_count(opcode);
            for (int form = 0; form < operands << operands; form++) {
                steps[1] =
                    (step){opcode, form >> operands, (form & ((1 << operands) - 1)) & ~(1 << (form >> operands))};
                change_constants();
                wlm_program p = chain(steps, 2, form % 3 == 0 ? 0 : -1, form % 2, room);
                if (form % 7 == 0 && operands > 1) room[1].a = room[1].b = room[0].to; /* both are t */
                check_bits(&p);
            }
        }
    }
}

static const step before_shift[] = {{0, 0, 0}, {WLM_ADD, 0, 2}, {WLM_ADD, 1, 1}, {WLM_SUB, 0, 2}, {WLM_SUB, 1, 1}};
static const step before_scale[] = {{0, 0, 0},       {WLM_MUL, 0, 2}, {WLM_MUL, 1, 1}, {WLM_NEG, 0, 0},
                                    {WLM_DIV, 0, 2}, {WLM_DIV, 1, 1}, {WLM_MUL, 0, 0}};
static const step behind[] = {{0, 0, 0},       {WLM_ADD, 0, 2}, {WLM_SUB, 0, 2}, {WLM_SUB, 1, 1},
                              {WLM_MUL, 1, 1}, {WLM_NEG, 0, 0}, {WLM_ADD, 0, 0}};
static const step below[] = {{0, 0, 0}, {WLM_DIV, 1, 0}, {WLM_DIV, 1, 1}, {WLM_DIV, 0, 0}, {WLM_DIV, 0, 2}};

static int add_step(step *steps, int count, step more)
{
    if (more.opcode != 0) steps[count++] = more;
    return count;
}

static void exponentials_have_the_bits_of_single_instructions(void)
{
    wlm_instruction room[MOST];
    for (int k = 0; k < 5 * 7 * 7 * 5 * 4; k++) {
        step steps[MOST];
        int count = add_step(steps, 0, before_shift[k % 5]);
        count = add_step(steps, count, before_scale[k / 5 % 7]);
        steps[count++] = (step){WLM_EXP, 0, 0};
        count = add_step(steps, count, behind[k / 35 % 7]);
        count = add_step(steps, count, below[k / 245 % 5]);
        if (!check_due()) continue;
        change_constants();
        int way = k / 1225;
        wlm_program p = chain(steps, count, way < 2 ? -1 : check_below(&seed, count), way % 2, room);
        if (count > 1) check_bits(&p);
    }
}

static int32_t packed_count(const wlm_program *p, const wlm_kernels *kernels)
{
    wlu_context ctx;
    wlm_packed all[MOST], first[MOST];
    unsigned char slots[MOST];
    int32_t count = 0;
    wlu_context_init(&ctx, NULL);
    CHECK(wlm_pack(&ctx, p, kernels, all, first, slots, &count) == WARPLU_SUCCESS);
    for (int32_t k = 0; k < count; k++) CHECK(all[k].kernel != NULL && first[k].kernel != NULL);
    return count;
}

/* n / (exp((x + c) / c) + c) is one kernel; not where a result in between is an output. */
static void a_rate_is_one_instruction(void)
{
    const step steps[] = {before_shift[1], before_scale[4], {WLM_EXP, 0, 0}, behind[1], below[1]};
    wlm_instruction room[MOST];
    change_constants();
    wlm_program p = chain(steps, 5, -1, 1, room);
    CHECK(packed_count(&p, &wlm_kernels_portable) == 2); /* and the copy of x */
    p = chain(steps, 5, 2, 1, room);
    CHECK(packed_count(&p, &wlm_kernels_portable) == 3);
    p = chain(steps, 5, 0, 1, room);
    CHECK(packed_count(&p, &wlm_kernels_portable) == 2);
#if defined(WLU_WITH_X86_KERNELS)
    const step two[] = {{WLM_SUB, 1, 1}, {WLM_MUL, 0, 0}};
    p = chain(two, 2, -1, 1, room);
    CHECK(packed_count(&p, &wlm_kernels_avx2) == 2 && packed_count(&p, &wlm_kernels_portable) == 3);
    const step root[] = {{WLM_DIV, 0, 0}, {WLM_SQRT, 0, 0}}, linear[] = {{WLM_FNMA, 0, 6}, {WLM_SQRT, 0, 0}};
    p = chain(root, 2, -1, 1, room);
    CHECK(packed_count(&p, &wlm_kernels_avx2) == 2);
    p = chain(linear, 2, -1, 1, room);
    CHECK(packed_count(&p, &wlm_kernels_avx2) == 2);
    const step nested[] = {{WLM_SELECT, 1, 0}, {WLM_SELECT, 2, 0}}, mixed[] = {{WLM_FNMA, 2, 0}, {WLM_SELECT, 1, 0}};
    p = chain(nested, 2, -1, 1, room);
    CHECK(packed_count(&p, &wlm_kernels_avx2) == 2);
    p = chain(mixed, 2, -1, 1, room);
    CHECK(packed_count(&p, &wlm_kernels_avx2) == 2);
#endif
}

int main(void)
{
    RUN(pairs_have_the_bits_of_single_instructions);
    RUN(exponentials_have_the_bits_of_single_instructions);
    RUN(a_rate_is_one_instruction);
    return check_done();
}
