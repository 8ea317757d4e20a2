/* Every call of warplu answers one of these statuses; each has a number, a name and a text. The other public headers
 * include this one.
 *
 * 0 is success. Above 0 is a warning: the call did its work, and says what to know about it. Below 0 is an error: it
 * did not. The values are fixed: a new status gets a new number. */
#ifndef WARPLU_STATUS_H
#define WARPLU_STATUS_H

#if defined(_WIN32) && defined(WARPLU_BUILDING)
#define WARPLU_API __declspec(dllexport)
#elif defined(_WIN32)
#define WARPLU_API /* functions need no dllimport, and static libraries must not have it */
#elif defined(__GNUC__)
#define WARPLU_API __attribute__((visibility("default")))
#else
#define WARPLU_API
#endif

typedef enum warplu_status {
#define WARPLU_STATUS(name, value, text) WARPLU_##name = value,
#include <warplu/status.def>
#undef WARPLU_STATUS
} warplu_status;

#ifdef __cplusplus
extern "C" {
#endif

/* "WARPLU_SINGULAR", or "WARPLU_?" for a number that is no status. Static storage. */
WARPLU_API const char *warplu_status_name(int status);
/* One line of English for the status. Static storage. */
WARPLU_API const char *warplu_status_text(int status);

#ifdef __cplusplus
}
#endif
#endif
