/* The objects that this library has handed out and not freed yet: which kind each is of. Programs free complex factors
 * by the function for real ones, hand in what another KLU of the process has made, and free twice: an object is
 * recognized by its address here, never by a cast. Any number of threads at once; O(1). */
#ifndef WK_REGISTRY_H
#define WK_REGISTRY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

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
static inline wk_kind wk_kind_of(const void *object);
/* Forgets the object, and returns what it was: of two threads that free it at once, one gets its kind. */
wk_kind wk_forget(const void *object);

/* ------------------------------------------------------- registry.c's, for a look without a call */

typedef struct wk_slot {
    _Atomic(const void *) object; /* NULL: free */
    atomic_int kind;
} wk_slot;

typedef struct wk_table {
    struct wk_table *outgrown;
    size_t room; /* a power of two, at most half full */
    wk_slot slot[];
} wk_table;

extern atomic_uint wk_registry_version; /* odd while the table changes */
extern _Atomic(wk_table *) wk_registry_known;

/* Acquired, so that the version is looked at after it. */
static inline const void *wk_object_at(wk_table *t, size_t at)
{
    return atomic_load_explicit(&t->slot[at].object, memory_order_acquire);
}

static inline wk_kind wk_kind_at(wk_table *t, size_t at)
{
    return (wk_kind)atomic_load_explicit(&t->slot[at].kind, memory_order_acquire);
}

static inline size_t wk_place_of(const wk_table *t, const void *object)
{
    return (size_t)(((uint64_t)(uintptr_t)object >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (t->room - 1);
}

/* Wherever the object stands. */
wk_kind wk_look_up(const void *object);

/* At its place, mostly, in a table that does not change. */
static inline wk_kind wk_kind_of(const void *object)
{
    const unsigned before = atomic_load_explicit(&wk_registry_version, memory_order_acquire);
    wk_table *t = atomic_load_explicit(&wk_registry_known, memory_order_acquire);
    if (object == NULL || t == NULL) return WK_FOREIGN;
    const size_t at = wk_place_of(t, object);
    const int there = wk_object_at(t, at) == object;
    const wk_kind kind = wk_kind_at(t, at);
    const int still = before % 2 == 0 && atomic_load_explicit(&wk_registry_version, memory_order_relaxed) == before;
    return there && still ? kind : wk_look_up(object);
}

#endif
