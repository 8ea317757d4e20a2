/* The text beside a plug-in's last failing status. */
#include "peer.h"

#include <stdarg.h>
#include <stdio.h>

static char failure[512];

warplu_status peer_fail(warplu_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(failure, sizeof failure, format, list);
    va_end(list);
    return status;
}

const char *peer_failure(void)
{
    return failure;
}
