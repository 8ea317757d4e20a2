/* warplu: the command line. Finds the subcommand and leaves the rest to it.
 * Exit codes: 0 success, 1 error, 2 usage. */
#include "args.h"
#include "commands.h"
#include "machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name, *help;
    int (*run)(int argc, char **argv);
} command;

#define COMMAND(name, help) {#name, help, cmd_##name},
static const command commands[] = {WLU_COMMANDS(COMMAND)};
#undef COMMAND
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void help(FILE *out)
{
    fputs("Usage: warplu COMMAND [OPTION]...\n\n"
          "Direct solution of sparse linear systems, again and again with new values.\n\n"
          "Commands:\n",
          out);
    for (int k = 0; k < COMMANDS; k++) fprintf(out, "  %-8s %s\n", commands[k].name, commands[k].help);
    fputs("\nOptions:\n"
          "  --help     print this text and exit; 'warplu COMMAND --help' for a command's own\n"
          "  --version  print the version and exit\n\n"
          "Exit status: 0 success, 1 error, 2 usage.\n",
          out);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        cmd_say("expected a command; try 'warplu --help'");
        return CMD_USAGE;
    }
    const char *name = argv[1];
    for (int k = 0; k < COMMANDS; k++)
        if (strcmp(name, commands[k].name) == 0) return commands[k].run(argc - 1, argv + 1);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        help(stdout);
        return CMD_OK;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("warplu %s\n", warplu_version());
        return CMD_OK;
    }
    const char *names[COMMANDS];
    for (int k = 0; k < COMMANDS; k++) names[k] = commands[k].name;
    const char *near = name[0] == '-' ? NULL : args_nearest(name, names, COMMANDS);
    const char *what = name[0] == '-' ? "option" : "command";
    if (near != NULL)
        cmd_say("unknown %s '%s' (did you mean '%s'?); try 'warplu --help'", what, name, near);
    else
        cmd_say("unknown %s '%s'; try 'warplu --help'", what, name);
    return CMD_USAGE;
}

int main(int argc, char **argv)
{
    machine_keep_standard_streams();
    int code = dispatch(argc, argv);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CMD_OK) {
        cmd_say("cannot write to standard output%s%s", errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
        return CMD_ERROR;
    }
    return code;
}
