/* warplu model: checks, runs, times and shows models (docs/models.md). Subcommands of its own, each an options'
 * table; run and bench are files of their own. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "model_job.h"

static int model_check(int argc, char **argv)
{
    int first, as_json = 0;
    const args_option options[] = {{.name = "json", .type = ARGS_FLAG, .out = &as_json, .help = "as JSON"},
                                   {.name = NULL}};
    const args_command command = {.name = "model check",
                                  .usage = "FILE [OPTION]...",
                                  .about = "Reads and checks a model, and counts what it holds.",
                                  .options = options,
                                  .min_operands = 1,
                                  .max_operands = 1,
                                  .operand = "a model"};
    int code = args_parse(&command, argc, argv, &first);
    if (code != ARGS_RUN) return code;
    model_job r;
    model_begin(&r, NULL, argv[first]);
    if (model_open(&r) < 0) return CMD_ERROR;
    warplu_model_counts c = {.size = sizeof c};
    warplu_model_get_counts(r.model, &c);
    const struct {
        const char *name;
        int64_t count;
    } lines[] = {{"kinds", c.kinds},         {"sets", c.sets},           {"uses", c.uses},
                 {"nodes", c.nodes},         {"instances", c.instances}, {"definitions", c.definitions},
                 {"equations", c.equations}, {"balances", c.balances},   {"stores", c.stores},
                 {"sums", c.sums},           {"unknowns", c.unknowns}};
    json j;
    if (as_json) json_begin(&j, stdout), json_open(&j, NULL, '{');
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        if (as_json)
            json_int(&j, lines[k].name, lines[k].count);
        else
            printf("%-12s %" PRId64 "\n", lines[k].name, lines[k].count);
    }
    if (as_json) json_end(&j);
    model_close(&r);
    return CMD_OK;
}

static int put_line(const char *line, void *user)
{
    (void)user;
    return puts(line) == EOF;
}

static int model_disasm(int argc, char **argv)
{
    model_request q;
    int first;
    model_request_init(&q);
    q.lanes = WARPLU_LANES_MEMBERS; /* which have one program of a step */
    const args_option options[] = {
        MODEL_METHOD_OPTION(q), MODEL_DT_OPTION(q), MODEL_CFL_OPTION(q), MODEL_SET_OPTION(q), {.name = NULL}};
    const args_command command = {.name = "model disasm",
                                  .usage = "FILE [OPTION]...",
                                  .about = "Prints the program of a step.",
                                  .options = options,
                                  .min_operands = 1,
                                  .max_operands = 1,
                                  .operand = "a model"};
    int code = args_parse(&command, argc, argv, &first);
    if (code != ARGS_RUN) return code;
    model_job r;
    model_begin(&r, &q, argv[first]);
    int good = model_split_sets(&r) && model_open(&r) >= 0 && model_make_sim(&r) >= 0 &&
               warplu_sim_disassemble(r.sim, put_line, NULL) >= 0;
    model_close(&r);
    return good ? CMD_OK : CMD_ERROR;
}

int cmd_model(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } subcommands[] = {{"check", model_check}, {"run", model_run}, {"bench", model_bench}, {"disasm", model_disasm}};
    for (size_t k = 0; argc > 1 && k < sizeof subcommands / sizeof *subcommands; k++)
        if (strcmp(argv[1], subcommands[k].name) == 0) return subcommands[k].run(argc - 1, argv + 1);
    if (argc < 2 || (strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "-h") != 0)) {
        cmd_say("model: expected check, run, bench or disasm; try 'warplu model --help'");
        return CMD_USAGE;
    }
    fputs("Usage: warplu model check|run|bench|disasm FILE [OPTION]...\n\n"
          "Models: equations as text, compiled, differentiated and stepped in time.\n\n"
          "  check    read and check a model, and count what it holds\n"
          "  run      run it, and write what it watches as CSV and SVG\n"
          "  bench    time reading, compiling, an evaluation and a step\n"
          "  disasm   print the program of a step\n\n"
          "'warplu model run --help' for the options of one.\n",
          stdout);
    return CMD_OK;
}
