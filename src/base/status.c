/* Names and texts of the status codes, from the one list. */
#include <warplu/warplu.h>

const char *warplu_status_name(int status)
{
    switch (status) {
#define WARPLU_STATUS(name, value, text) \
    case value: \
        return "WARPLU_" #name;
#include <warplu/status.def>
#undef WARPLU_STATUS
    default: return "WARPLU_?";
    }
}

const char *warplu_status_text(int status)
{
    switch (status) {
#define WARPLU_STATUS(name, value, text) \
    case value: \
        return text;
#include <warplu/status.def>
#undef WARPLU_STATUS
    default: return "no status of this library";
    }
}

const char *warplu_version(void)
{
    return WARPLU_VERSION_STRING;
}
