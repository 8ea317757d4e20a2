/* Elementary functions as lines of kernels: an interpreter of PTX gets the CPU's bits, registers are declared, and
 * a failed allocation is told. */
#include "check.h"

#include "interpret.h"
#include "kernel.h"

static ptx_program program;

static void lines_give_the_bits_of_the_cpu(void)
{
    const wlm_elementary *cpu = wlm_elementary_table(0);
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    for (int k = 0; k < WLM_ELEMENTARY_FUNCTIONS; k++) {
        wlm_function f = (wlm_function)k;
        wlm_ptx writer;
        wlm_ptx_init(&writer, &ctx);
        writer.reals = 2;
        int32_t result = wlm_ptx_function(&writer, f, 0, 1);
        CHECK(wlm_ptx_status(&writer) == WARPLU_SUCCESS && result > 1 && result < writer.reals);
        ptx_read(&program, writer.text);
        uint64_t seed = 5;
        for (int p = 0; p < 10; p++) {
            double a[POINTS_AT_A_TIME], b[POINTS_AT_A_TIME], y[POINTS_AT_A_TIME];
            points_draw(f, &seed, a, b);
            cpu->function[f](y, a, b, POINTS_AT_A_TIME);
            for (int lane = 0; lane < POINTS_AT_A_TIME; lane++) {
                double z = ptx_run(&program, a[lane], b[lane], result);
                CHECK_SAY(program.wrong == NULL && points_agree(y[lane], z), "%s(%a, %a): %a, by lines %a (%s)",
                          wlm_function_name(f), a[lane], b[lane], y[lane], z, program.wrong);
            }
        }
        wlm_ptx_free(&writer);
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
        while (f < WLM_ELEMENTARY_FUNCTIONS && strcmp(argv[1], wlm_function_name((wlm_function)f)) != 0) f++;
        if (f == WLM_ELEMENTARY_FUNCTIONS || kernel_text(&head, (wlm_function)f) != WARPLU_SUCCESS) return 1;
        fputs(head.text, stdout);
        wlm_ptx_free(&head);
        return 0;
    }
    RUN(lines_give_the_bits_of_the_cpu);
    RUN(registers_are_declared);
    RUN(a_failed_allocation_is_told);
    RUN(a_long_line_is_refused);
    return check_done();
}
