/* `include`: texts of several files mean what they would in one, by both engines; messages name the file that has the
 * line, those of runs too; circles are refused; a text is read once; no allocation that fails is lost. */
#include "model/text/read.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/engines.h"
#include "support/build.h"
#include "support/check.h"

static char folder[] = "/tmp/warplu_include_XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    CHECK_SAY(file != NULL, "%s", name);
    if (file == NULL) return;
    fputs(text, file);
    fclose(file);
}

/* What the tests below include; each one's main.wm is its own. */
static void write_parts(void)
{
    mkdir(path_of("parts"), 0700);
    write_file("parts/decay.wm", "# x = a exp(-k t)\ninclude \"../constants.wm\"\nelement decay()\n  param a = 1\n"
                                 "  state x = a\n  x' = -fast*x\nend\n");
    write_file("constants.wm", "const fast = 2; function twice(x) = 2*x\n");
    write_file("parts/table.csv", "a\n3\n4\n");
    write_file("parts/uses.wm", "use decay from \"table.csv\"\n");
    write_file("bad.wm", "const ok = 1\nconst bad = 1 +\n");
    write_file("open.wm", "element half()\n");
    write_file("loop.wm", "include \"./parts/../loop.wm\"\n");
    write_file("one.wm", "include \"two.wm\"\n");
    write_file("two.wm", "\n  include \"one.wm\"\n");
    write_file("again.wm", "const fast = 3\n");
    write_file("late.wm", "\nelement late()\n  param at = -1\n  state y = 0; y' = 0\n  event t = at: y = 1\nend\n");
    write_file("free.wm", "\n\nelement free(p)\n  unknown i = 0\n  0 = p.v - 1\n  p.v += p.v\nend\n");
}

static void remove_all(void)
{
    static const char *const names[] = {
        "parts/decay.wm", "constants.wm", "parts/table.csv", "parts/uses.wm", "bad.wm",  "open.wm", "loop.wm",
        "one.wm",         "two.wm",       "again.wm",        "late.wm",       "free.wm", "main.wm"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) unlink(path_of(names[k]));
    CHECK(rmdir(path_of("parts")) == 0 && rmdir(folder) == 0);
}

static void texts_of_several_files_are_one(void)
{
    write_file("main.wm",
               "include \"parts/decay.wm\"\n  include \"constants.wm\" # again\n"
               "element main()\n  state y = 1; y' = -twice(fast)*y\nend\n"
               "use main\ninclude \"parts/uses.wm\"; use decay with a = 5\nrun rodas4 rtol 1e-9 atol 1e-9\n");
    char text[512];
    snprintf(text, sizeof text, "include \"%s\"\n", path_of("main.wm"));
    expect_alike(text, WARPLU_METHOD_RODAS4, 0.0, "decay[0].x", 3 * exp(-2.0), 1e-7);
    expect_alike(text, WARPLU_METHOD_RODAS4, 0.0, "decay[1].x", 4 * exp(-2.0), 1e-7);
    expect_alike(text, WARPLU_METHOD_RODAS4, 0.0, "decay[2].x", 5 * exp(-2.0), 1e-7);
    expect_alike(text, WARPLU_METHOD_RODAS4, 0.0, "main.y", exp(-4.0), 1e-7);
}

/* Reads main.wm with this text, and compares the message behind the folder's name. */
static void expect_refused(const char *text, const char *message)
{
    wlu_context ctx;
    wlm_model *model;
    write_file("main.wm", text);
    wlu_context_init(&ctx, NULL);
    warplu_status status = wlm_model_read(&ctx, path_of("main.wm"), &model);
    const char *said = ctx.last_message;
    size_t length = strlen(folder);
    if (strncmp(said, folder, length) == 0) said += length + 1;
    CHECK_SAY(status < 0 && strncmp(said, message, strlen(message)) == 0, "%s: '%s', expected '%s'", text, said,
              message);
    wlm_model_destroy(&model);
}

static void messages_name_the_file(void)
{
    expect_refused("include \"bad.wm\"\nuse e\n",
                   "bad.wm:2:16: error: expected an expression, found the end of the line");
    expect_refused("include \"open.wm\"\nend\n", "open.wm:2:1: error: expected a line of an element, or 'end'");
    expect_refused("include \"constants.wm\"\nconst fast = 1\n",
                   "main.wm:2:7: error: 'fast' is defined already, as a constant at line 1 of ");
    expect_refused("const fast = 1\ninclude \"constants.wm\"\n",
                   "constants.wm:1:7: error: 'fast' is defined already, as a constant at line 1");
    expect_refused("include \"again.wm\"\n\ninclude \"parts/decay.wm\"\n",
                   "parts/../constants.wm:1:7: error: 'fast' is");
    expect_refused("\ninclude constants\n", "main.wm:2:9: error: expected the name of a file in double quotes");
    expect_refused("include \"\"\n", "main.wm:1:9: error: expected the name of a file in double quotes");
    expect_refused("include \"-\"\n", "main.wm:1:9: error: expected the name of a file in double quotes");
    expect_refused("include \"constants.wm\" with\n", "main.wm:1:24: error: expected the end of the line");
    expect_refused("include \"none.wm\"\n", "none.wm: No such file or directory");
    expect_refused("include \"constants.wm\"\n", "main.wm:2:1: error: expected a 'use' of an element");
}

static void circles_are_refused(void)
{
    expect_refused("include \"main.wm\"\n", "main.wm:1:9: error: expected includes without a circle, found that '");
    expect_refused("include \"loop.wm\"\n", "loop.wm:1:9: error: expected includes without a circle, found that '");
    expect_refused("include \"one.wm\"\n", "two.wm:2:11: error: expected includes without a circle, found that '");
}

/* Runs name the file of a line, too. */
static void runs_name_the_file(void)
{
    char text[512], said[512], told[512];
    snprintf(text, sizeof text, "include \"%s\"\nuse late\n", path_of("late.wm"));
    last = told;
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_model *model = parsed_with(text);
        warplu_sim *sim = NULL;
        warplu_status status = attempt(model, (warplu_lanes)lanes, WARPLU_METHOD_RODAS4, 0.0, 1.0, &sim, said);
        CHECK_SAY(status == WARPLU_MODEL_EQUATIONS && strstr(told, "the event at line 5 of /") != NULL &&
                      strstr(told, "/late.wm is not") != NULL,
                  "%s", told);
        warplu_sim_destroy(&sim);
        warplu_model_destroy(&model);
    }
    snprintf(text, sizeof text, "include \"%s\"\nnodes n { balance v }\nuse free(n)\n", path_of("free.wm"));
    warplu_model *model = parsed_with(text);
    warplu_sim *sim = NULL;
    CHECK(attempt(model, WARPLU_LANES_INSTANCES, WARPLU_METHOD_RODAS4, 0.0, 1.0, &sim, said) < 0);
    CHECK_SAY(strstr(told, "free.wm") != NULL, "%s", told);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
    last = NULL;
}

static warplu_status read_failing_at(int64_t call, test_allocator *allocator)
{
    warplu_options options;
    wlu_context ctx;
    wlm_model *model;
    warplu_init_options(&options);
    test_use_allocator(&options, allocator);
    *allocator = (test_allocator){.fail_at = call};
    wlu_context_init(&ctx, &options);
    warplu_status status = wlm_model_read(&ctx, path_of("main.wm"), &model);
    wlm_model_destroy(&model);
    return status;
}

static void each_call_may_fail(void)
{
    test_allocator allocator;
    write_file("main.wm", "include \"parts/decay.wm\"\ninclude \"constants.wm\"\nuse decay\n");
    CHECK(read_failing_at(0, &allocator) == WARPLU_SUCCESS);
    int64_t calls = allocator.calls;
    for (int64_t k = 1; k <= calls; k++) {
        CHECK_SAY(read_failing_at(k, &allocator) == WARPLU_OUT_OF_MEMORY, "call %lld", (long long)k);
        CHECK_SAY(allocator.alive == 0, "call %lld: %lld blocks are left", (long long)k, (long long)allocator.alive);
    }
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    write_parts();
    RUN(texts_of_several_files_are_one);
    RUN(messages_name_the_file);
    RUN(circles_are_refused);
    RUN(runs_name_the_file);
    RUN(each_call_may_fail);
    remove_all();
    return check_done();
}
