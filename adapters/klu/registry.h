/* The objects that this library has handed out and not freed yet: which kind each is of. Programs free complex factors
 * by the function for real ones, hand in what another KLU of the process has made, and free twice: an object is
 * recognized by its address here, never by a cast. Any number of threads at once; O(1). */
#ifndef WK_REGISTRY_H
#define WK_REGISTRY_H

#include <stdatomic.h>

#include "thread.h"

typedef enum wk_kind {
    WK_FOREIGN = 0,
    WK_SYMBOLIC_INT,
    WK_SYMBOLIC_LONG,
    WK_NUMERIC_INT,
    WK_NUMERIC_INT_COMPLEX,
    WK_NUMERIC_LONG,
    WK_NUMERIC_LONG_COMPLEX
} wk_kind;

/* 0: there is no memory. */
int wk_register(const void *object, wk_kind kind);
wk_kind wk_kind_of(const void *object);
/* Forgets the object, and returns what it was: of two threads that free it at once, one gets its kind. */
wk_kind wk_forget(const void *object);

/* ------------------------------------------------------- for calls that cost no more than this */

/* A Symbolic and a Numeric that a thread has met, and what the table's version was when they were of these kinds. */
typedef struct wk_met {
    const void *symbolic, *numeric;
    unsigned version;
    wk_kind numeric_kind; /* WK_FOREIGN: none yet; the Symbolic is of the same indices */
} wk_met;

extern _Thread_local wk_met wk_last_met WK_THREAD_OF_LOADING;
extern atomic_uint wk_registry_version; /* odd while the table changes */

/* Looks for both, and remembers them. 0: one is of another kind. */
int wk_meet(const void *symbolic, wk_kind symbolic_kind, const void *numeric, wk_kind numeric_kind);

/* Whether the thread has met this Numeric last, and it is of this kind still, not WK_FOREIGN; where not, nothing is
 * known of it. */
static inline int wk_has_met(const void *numeric, wk_kind kind)
{
    const wk_met *last = &wk_last_met;
    return last->numeric == numeric && last->numeric_kind == kind &&
           last->version == atomic_load_explicit(&wk_registry_version, memory_order_acquire);
}

#endif
