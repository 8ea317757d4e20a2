/* Variables of a thread that a preloaded library finds without a call. */
#ifndef WK_THREAD_H
#define WK_THREAD_H

#include <stdint.h> /* which tells the C library */

#if defined(__GLIBC__)
#define WK_THREAD_OF_LOADING __attribute__((tls_model("initial-exec")))
#else
#define WK_THREAD_OF_LOADING
#endif

#endif
