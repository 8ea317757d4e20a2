/* Operations as lines of kernels: every one, in every form of its operands, has the bits of wlm_evaluate in an
 * interpreter of PTX. */
#include "model/device/instructions.h"

#include <math.h>
#include <string.h>

#include "cuda/ptx/ptx.h"
#include "programs.h"

static const double values[] = {0.0,   -0.0,   1.0,    -1.0,  0.5,      2.0,       -3.25, 1e-5, 0x1p52, -0.7,
                                1e308, -1e308, 5e-324, 745.5, INFINITY, -INFINITY, NAN,   -6.0, 0.999,  1e22};
enum { VALUES = sizeof values / sizeof *values, THREADS = VALUES * VALUES, TABLES_WORD = 3 };

static void *same_place(void *user, uint64_t address, size_t bytes)
{
    (void)user;
    (void)bytes;
    return (void *)(uintptr_t)address;
}

/* A kernel of one thread for each three numbers: out[i] = the instruction of in[3 i] and those behind. */
static warplu_status kernel_text(wlm_ptx *head, const wlm_program *program, const wlm_device_tables *tables)
{
    static const char *const lines[] = {
        "mov.u32 %r0, %tid.x;",        "ld.param.u64 %rd0, [out];",   "ld.param.u64 %rd1, [in];",
        "mul.wide.u32 %rd2, %r0, 8;",  "add.u64 %rd0, %rd0, %rd2;",   "mul.wide.u32 %rd2, %r0, 24;",
        "add.u64 %rd1, %rd1, %rd2;",   "ld.global.f64 %fd0, [%rd1];", "add.u64 %rd1, %rd1, 8;",
        "ld.global.f64 %fd1, [%rd1];", "add.u64 %rd1, %rd1, 8;",      "ld.global.f64 %fd2, [%rd1];",
        "ld.param.u64 %rd3, [tables];"};
    int32_t registers[4] = {0, 1, 2, -1};
    wlm_ptx body;
    wlm_ptx_init(&body, head->ctx);
    body.halves = 1;
    body.words = TABLES_WORD + 1;
    body.reals = 3;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) wlm_ptx_line(&body, "%s", lines[k]);
    wlm_ptx_program(&body, program, tables, registers);
    wlm_ptx_line(&body, "st.global.f64 [%%rd0], %%fd%d;", (int)registers[3]);
    wlm_ptx_line(&body, "ret;");
    wlm_ptx_line(head, ".version 7.0");
    wlm_ptx_line(head, ".target sm_80");
    wlm_ptx_line(head, ".address_size 64");
    wlm_ptx_line(head, ".visible .entry f(.param .u64 out, .param .u64 in, .param .u64 tables)");
    wlm_ptx_line(head, "{");
    wlm_ptx_declare(head, &body);
    wlm_ptx_append(head, &body);
    wlm_ptx_line(head, "}");
    wlm_ptx_free(&body);
    return wlm_ptx_status(head);
}

static void check_form(int32_t opcode, int form, uint64_t *seed)
{
    static double in[THREADS][3], out[THREADS];
    double constant[3];
    char why[PTX_WHY_BYTES] = "";
    wlu_context ctx;
    wlm_ptx text;
    wlm_instruction i = {opcode, 3, form & 1 ? -1 : 0, form & 2 ? -2 : 1, form & 4 ? -3 : 2};
    const wlm_table *table[SOME_TABLES];
    memcpy(table, some_table, sizeof table);
    const wlm_program p = {3, 1, 4, 3, 1, &i, constant, SOME_TABLES, table};
    if (wlm_is_tabled(opcode)) i.c = check_below(seed, SOME_TABLES + 1); /* the last one does not exist */
    for (int k = 0; k < 3; k++) constant[k] = values[check_below(seed, VALUES)];
    for (int k = 0; k < THREADS; k++)
        in[k][0] = values[k % VALUES], in[k][1] = values[k / VALUES], in[k][2] = values[check_below(seed, VALUES)];
    wlu_context_init(&ctx, NULL);
    wlm_ptx_init(&text, &ctx);
    const wlm_program *programs[] = {NULL, &p, &p};
    wlm_device_tables tables;
    CHECK(wlm_device_tables_create(&ctx, programs, 3, &tables) == WARPLU_SUCCESS && tables.count == SOME_TABLES);
    tables.word = TABLES_WORD;
    double *block = calloc((size_t)tables.numbers, sizeof *block);
    wlm_device_tables_fill(&tables, block);
    CHECK(kernel_text(&text, &p, &tables) == WARPLU_SUCCESS);
    ptx_module *module = ptx_read(text.text, why);
    CHECK_SAY(module != NULL, "opcode %d, form %d: %s", opcode, form, why);
    wlm_ptx_free(&text);
    if (module == NULL) return;
    uint64_t place[] = {(uintptr_t)out, (uintptr_t)in, (uintptr_t)block};
    void *parameters[] = {&place[0], &place[1], &place[2]};
    CHECK(ptx_run(module, 1, THREADS, 0, parameters, same_place, NULL));
    for (int k = 0; k < THREADS; k++) {
        double slots[4] = {in[k][0], in[k][1], in[k][2], 0.0};
        run_plainly(&p, slots);
        CHECK_SAY(same_number(slots[3], out[k]), "%s, form %d, (%a, %a, %a): %a, by lines %a",
                  opcode == WLM_MOVE ? "move" : wlm_opcode_text((wlm_opcode)opcode), form, in[k][0], in[k][1], in[k][2],
                  slots[3], out[k]);
    }
    ptx_free(module);
    wlm_device_tables_free(&ctx, &tables);
    free(block);
}

static void operations_have_the_bits_of_evaluate(void)
{
    uint64_t seed = 17;
    for (int32_t opcode = 0; opcode <= WLM_MOVE; opcode++) {
        int operands = wlm_operand_count(opcode);
        for (int form = 0; operands > 0 && form < 1 << operands; form++)
            for (int turn = 0; turn < 4; turn++) check_form(opcode, form, &seed);
    }
}

int main(void)
{
    RUN(operations_have_the_bits_of_evaluate);
    return check_done();
}
