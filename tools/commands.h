/* The command line's subcommands: one list, from which main.c takes dispatch and help.
 *
 * A subcommand NAME is a file cmd_NAME.c with `int cmd_NAME(int argc, char **argv)`; argv[0] is NAME. To add
 * one: a line in WLU_COMMANDS, and its file in tools/meson.build. It returns an exit code of the list below,
 * reports on standard output and complains on standard error, every line there beginning with "warplu: ". */
#ifndef WLU_COMMANDS_H
#define WLU_COMMANDS_H

#include <warplu/warplu.h>

/* clang-format off */
#define WLU_COMMANDS(X) \
    X(info, "say what a matrix holds, how it is ordered, what its program is made of") \
    X(solve, "solve a linear system from files") \
    X(batch, "solve many systems of one pattern at once, from files") \
    X(bench, "time replays and solves, beside other solvers") \
    X(disasm, "print the compiled program") \
    X(model, "check, run and show models: equations as text") \
    X(gen, "generate a matrix, or a same-pattern sequence of them")
/* clang-format on */

enum { CMD_OK = 0, CMD_ERROR = 1, CMD_USAGE = 2 };

int cmd_info(int argc, char **argv);
int cmd_solve(int argc, char **argv);
int cmd_batch(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_disasm(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_model(int argc, char **argv);

/* "warplu: " and the formatted line on standard error. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void cmd_say(const char *format, ...);

/* A warplu_message_fn that says the text, but where a signal is about to end the program; user is not used. */
void cmd_message(warplu_status status, const char *text, void *user);

#endif
