/* Messages of the command line. */
#include "commands.h"

#include <stdarg.h>
#include <stdio.h>

void cmd_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("warplu: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void cmd_message(warplu_status status, const char *text, void *user)
{
    (void)user;
    if (status != WARPLU_CANCELLED) cmd_say("%s", text);
}
