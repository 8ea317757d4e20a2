/* Elementary functions as lines of kernels: an interpreter of PTX gets the CPU's bits, registers are declared, and
 * a failed allocation is told. */
#include "check.h"

#include "cuda/ptx/ptx.h"
#include "kernel.h"
#include "points.h"

/* The kernel's arrays are where its parameters say. */
static void *same_place(void *user, uint64_t address, size_t bytes)
{
    (void)user;
    (void)bytes;
    return (void *)(uintptr_t)address;
}

static void lines_give_the_bits_of_the_cpu(void)
{
    const wlm_elementary *cpu = wlm_elementary_table(0);
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    for (int k = 0; k < WLM_ELEMENTARY_FUNCTIONS; k++) {
        wlm_function f = (wlm_function)k;
        char why[PTX_WHY_BYTES] = "";
        wlm_ptx text;
        wlm_ptx_init(&text, &ctx);
        CHECK(kernel_text(&text, f) == WARPLU_SUCCESS);
        ptx_module *module = ptx_read(text.text, why);
        CHECK_SAY(module != NULL, "%s: %s", function_name(f), why);
        wlm_ptx_free(&text);
        uint64_t seed = 5;
        for (int p = 0; p < 10 && module != NULL; p++) {
            double a[POINTS_AT_A_TIME], b[POINTS_AT_A_TIME], y[POINTS_AT_A_TIME], z[POINTS_AT_A_TIME];
            uint64_t place[] = {(uintptr_t)z, (uintptr_t)a, (uintptr_t)b};
            uint32_t count = POINTS_AT_A_TIME;
            void *parameters[] = {&place[0], &place[1], &place[2], &count};
            points_draw(f, &seed, a, b);
            cpu->function[f](y, a, b, POINTS_AT_A_TIME);
            CHECK(ptx_run(module, 3, 25, 0, parameters, same_place, NULL));
            for (int lane = 0; lane < POINTS_AT_A_TIME; lane++)
                CHECK_SAY(points_agree(y[lane], z[lane]), "%s(%a, %a): %a, by lines %a", function_name(f), a[lane],
                          b[lane], y[lane], z[lane]);
        }
        ptx_free(module);
    }
}

/* What the interpreter does not know it does not run. */
static void other_lines_are_errors(void)
{
    static const char head[] = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry f(.param .u64 out)\n{\n"
                               ".reg .f64 %fd<3>;\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n.reg .pred %p<2>;\n";
    static const struct {
        const char *lines, *why;
    } list[] = {{"ret;", NULL},
                {"add.rz.f64 %fd0, %fd1, %fd2;", "line 10: operation 'add.rz.f64'"},
                {"add.rn.f64 %fd0, %fd1, %fd3;", "operand '%fd3'"},
                {"add.rn.f64 %fd0, %fd1, %rd1;", "operand '%rd1'"},
                {"add.rn.f64 0d0000000000000000, %fd1, %fd1;", "operand '0d0000000000000000'"},
                {"add.rn.f64 %fd0, %fd1;", "';' where ',' is expected"},
                {"add.rn.f64 %fd0, %fd1, %fd1, %fd1;", "',' where ';' is expected"},
                {"add.rn.f64 %fd0, %fd1, 0d3ff;", "operand '0d3ff'"},
                {"mov.u32 %r0, 4294967296;", "operand '4294967296'"},
                {"add.u32 %r0, %r1, %tid.x;", "operand '%tid.x'"},
                {"setp.le.or.f64 %p0, %fd0, %fd1;", "';' where ',' is expected"},
                {"@%p2 ret;", "operand '%p2'"},
                {"bra L1;", "no label 'L1'"},
                {"L1:\nL1:", "label 'L1' again"},
                {"ld.param.f64 %fd0, [out];", "no parameter 'out' of type '.f64'"},
                {"ld.global.f64 %fd0, [out];", "operand 'out'"},
                {".reg .f64 %fd<3>;", "registers '%fd' of type '.f64'"},
                {"ret;\n}\nret;\n", "'ret' behind the kernel"}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[1000], why[PTX_WHY_BYTES] = "";
        snprintf(text, sizeof text, "%s%s\n}\n", head, list[k].lines);
        ptx_module *module = ptx_read(text, why);
        CHECK_SAY((module != NULL) == (list[k].why == NULL), "%s: '%s'", list[k].lines, why);
        CHECK_SAY(list[k].why == NULL || strstr(why, list[k].why) != NULL, "%s: '%s'", list[k].lines, why);
        ptx_free(module);
    }
}

/* Numbers of registers in the text are below those declared. */
static void registers_are_declared(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    for (int f = 0; f < WLM_ELEMENTARY_FUNCTIONS; f++) {
        wlm_ptx head, body;
        wlm_ptx_init(&head, &ctx);
        wlm_ptx_init(&body, &ctx);
        kernel_body(&body, (wlm_function)f);
        CHECK(kernel_text(&head, (wlm_function)f) == WARPLU_SUCCESS);
        const struct {
            const char *name;
            int32_t count;
        } kinds[] = {{"fd", body.reals}, {"rd", body.words}, {"r", body.halves}, {"p", body.truths}};
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            char declared[32], format[8];
            snprintf(declared, sizeof declared, "%%%s<%d>;", kinds[k].name, (int)kinds[k].count);
            CHECK_SAY(strstr(head.text, declared) != NULL, "%s", declared);
            snprintf(format, sizeof format, "%%%%%s%%d", kinds[k].name);
            int number, largest = -1;
            for (const char *at = strchr(body.text, '%'); at != NULL; at = strchr(at + 1, '%'))
                if (sscanf(at, format, &number) == 1 && number > largest) largest = number;
            CHECK(largest == kinds[k].count - 1);
        }
        wlm_ptx_free(&head);
        wlm_ptx_free(&body);
    }
}

static int64_t until_failure;

static void *allocate_but_one(size_t bytes, void *user)
{
    (void)user;
    return --until_failure != 0 ? malloc(bytes) : NULL;
}

static void release(void *pointer, void *user)
{
    (void)user;
    free(pointer);
}

/* The k-th one alone, until none fails. */
static void a_failed_allocation_is_told(void)
{
    wlu_context ctx;
    int64_t tried = 0;
    do {
        wlu_context_init(&ctx, NULL);
        ctx.allocate = allocate_but_one;
        ctx.release = release;
        until_failure = ++tried;
        wlm_ptx head;
        wlm_ptx_init(&head, &ctx);
        warplu_status status = kernel_text(&head, WLM_FUNCTION_sin);
        CHECK(status == (until_failure > 0 ? WARPLU_SUCCESS : WARPLU_OUT_OF_MEMORY));
        CHECK(status != WARPLU_SUCCESS || strcmp(head.text + head.length - 2, "}\n") == 0);
        wlm_ptx_free(&head);
    } while (until_failure <= 0);
    CHECK(tried > 2);
}

/* A line that does not fit is none, rather than another instruction. */
static void a_long_line_is_refused(void)
{
    wlu_context ctx;
    char words[1000];
    memset(words, 'x', sizeof words);
    words[sizeof words - 1] = '\0';
    wlu_context_init(&ctx, NULL);
    wlm_ptx writer;
    wlm_ptx_init(&writer, &ctx);
    wlm_ptx_line(&writer, "%s", words);
    CHECK(wlm_ptx_status(&writer) < 0 && writer.length == 0);
    wlm_ptx_free(&writer);
}

int main(int argc, char **argv)
{
    if (argc > 1) { /* the kernel of a function, for an assembler */
        wlu_context ctx;
        wlm_ptx head;
        wlu_context_init(&ctx, NULL);
        wlm_ptx_init(&head, &ctx);
        int f = 0;
        while (f < WLM_ELEMENTARY_FUNCTIONS && strcmp(argv[1], function_name((wlm_function)f)) != 0) f++;
        if (f == WLM_ELEMENTARY_FUNCTIONS || kernel_text(&head, (wlm_function)f) != WARPLU_SUCCESS) return 1;
        fputs(head.text, stdout);
        wlm_ptx_free(&head);
        return 0;
    }
    RUN(lines_give_the_bits_of_the_cpu);
    RUN(other_lines_are_errors);
    RUN(registers_are_declared);
    RUN(a_failed_allocation_is_told);
    RUN(a_long_line_is_refused);
    return check_done();
}
