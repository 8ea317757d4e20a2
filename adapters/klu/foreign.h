/* Whose KLU a caller means. A process may carry another one, linked into a library of its own or beside it, and a
 * preloaded library gets the calls that are meant for that. Callers whose klu_common is laid out as ours are served;
 * what others call is left to their KLU: KLU before 1.3 has pointers to functions of memory in klu_common, KLU 1 and 2
 * differ in klu_l_common.
 *
 * The caller is the object that the call returns to. Its KLU is its own, or the next one of the process, or that of the
 * libraries it needs, in this order; its layout is what its klu_defaults writes. Each object is looked at once, at its
 * first call; then it is a comparison of addresses. */
#ifndef WK_FOREIGN_H
#define WK_FOREIGN_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* The first object that called, where all its calls are ours: programs have one, mostly. */
typedef struct wk_usual_caller {
    atomic_uintptr_t begin; /* before bytes */
    atomic_uintptr_t bytes; /* 0: there is none */
} wk_usual_caller;
extern wk_usual_caller wk_usual;

static inline int wk_is_usual(const void *caller)
{
    const uintptr_t bytes = atomic_load_explicit(&wk_usual.bytes, memory_order_acquire);
    return (uintptr_t)caller - atomic_load_explicit(&wk_usual.begin, memory_order_relaxed) < bytes;
}

/* The function of this name in the caller's KLU; NULL: the call is ours. */
void *wk_foreign(const void *caller, int of_long, const char *name);

/* Whether that klu_defaults, or klu_l_defaults, fills the structure that we know, and nothing behind it. */
int wk_layout_fits_of_int(void *defaults);
int wk_layout_fits_of_long(void *defaults);

#ifdef WK_LONG
#define WK_OF_LONG 1
#else
#define WK_OF_LONG 0
#endif
#define WK_TEXT_OF(word) #word
#define WK_TEXT(word) WK_TEXT_OF(word)

/* In front of a function that is exported: leaves the call to the caller's KLU where that is another. */
#define WK_LEAVE(function, ...) \
    do { \
        void *from = __builtin_return_address(0); \
        void *theirs = wk_is_usual(from) ? NULL : wk_foreign(from, WK_OF_LONG, WK_TEXT(function)); \
        if (theirs != NULL) { \
            __typeof__(function) *leave_to; \
            memcpy(&leave_to, &theirs, sizeof leave_to); \
            return leave_to(__VA_ARGS__); \
        } \
    } while (0)

#endif
