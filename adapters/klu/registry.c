/* Open addressing in a table that doubles. Who registers or forgets takes the lock; who asks takes none, for programs
 * ask at each call, and their threads all at once: the version is odd while the table changes, and an answer counts if
 * the version was even and the same before and after (Lameter's sequence locks); else it is asked for again under the
 * lock. Tables that were outgrown stay, for somebody may still look into them: they are less than the one in use. See
 * registry.h. */
#include "registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { FIRST_ROOM = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
atomic_uint wk_registry_version;
_Thread_local wk_met wk_last_met WK_THREAD_OF_LOADING;

typedef struct slot {
    _Atomic(const void *) object; /* NULL: free */
    atomic_int kind;
} slot;

typedef struct table {
    struct table *outgrown;
    size_t room; /* a power of two, at most half full */
    slot slot[];
} table;

static _Atomic(table *) known;
static size_t count; /* under the lock */

/* Acquired, so that the version is looked at after it. */
static const void *object_at(table *t, size_t at)
{
    return atomic_load_explicit(&t->slot[at].object, memory_order_acquire);
}

static wk_kind kind_at(table *t, size_t at)
{
    return (wk_kind)atomic_load_explicit(&t->slot[at].kind, memory_order_acquire);
}

static size_t place_of(const table *t, const void *object)
{
    return (size_t)(((uint64_t)(uintptr_t)object >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (t->room - 1);
}

/* Released, so that the version is seen to be odd before it. */
static void put(table *t, size_t at, const void *object, wk_kind kind)
{
    atomic_store_explicit(&t->slot[at].kind, (int)kind, memory_order_release);
    atomic_store_explicit(&t->slot[at].object, object, memory_order_release);
}

/* The object's slot, or the free one where it would stand; while the table changes any slot. */
static size_t find(table *t, const void *object)
{
    size_t at = place_of(t, object);
    for (size_t looks = 0; looks < t->room; looks++, at = (at + 1) & (t->room - 1)) {
        const void *here = object_at(t, at);
        if (here == NULL || here == object) break;
    }
    return at;
}

static wk_kind look(table *t, const void *object)
{
    if (t == NULL) return WK_FOREIGN;
    size_t at = find(t, object);
    return object_at(t, at) == object ? kind_at(t, at) : WK_FOREIGN;
}

static void begin_change(void)
{
    pthread_mutex_lock(&lock);
    atomic_fetch_add_explicit(&wk_registry_version, 1, memory_order_relaxed);
}

static void end_change(void)
{
    atomic_fetch_add_explicit(&wk_registry_version, 1, memory_order_release);
    pthread_mutex_unlock(&lock);
}

static int grow(void)
{
    table *t = atomic_load_explicit(&known, memory_order_relaxed);
    size_t room = t != NULL ? 2 * t->room : FIRST_ROOM;
    table *wider = calloc(1, sizeof *wider + room * sizeof *wider->slot);
    if (wider == NULL) return 0;
    wider->outgrown = t;
    wider->room = room;
    for (size_t k = 0; t != NULL && k < t->room; k++)
        if (object_at(t, k) != NULL) put(wider, find(wider, object_at(t, k)), object_at(t, k), kind_at(t, k));
    atomic_store_explicit(&known, wider, memory_order_release);
    return 1;
}

int wk_register(const void *object, wk_kind kind)
{
    begin_change();
    table *t = atomic_load_explicit(&known, memory_order_relaxed);
    int fits = (t != NULL && 2 * (count + 1) <= t->room) || grow();
    if (fits) {
        t = atomic_load_explicit(&known, memory_order_relaxed);
        put(t, find(t, object), object, kind);
        count++;
    }
    end_change();
    return fits;
}

wk_kind wk_kind_of(const void *object)
{
    if (object == NULL) return WK_FOREIGN;
    unsigned before = atomic_load_explicit(&wk_registry_version, memory_order_acquire);
    wk_kind kind = look(atomic_load_explicit(&known, memory_order_acquire), object);
    if (before % 2 == 0 && atomic_load_explicit(&wk_registry_version, memory_order_relaxed) == before) return kind;
    pthread_mutex_lock(&lock);
    kind = look(atomic_load_explicit(&known, memory_order_relaxed), object);
    pthread_mutex_unlock(&lock);
    return kind;
}

int wk_meet(const void *symbolic, wk_kind symbolic_kind, const void *numeric, wk_kind numeric_kind)
{
    const unsigned version = atomic_load_explicit(&wk_registry_version, memory_order_acquire);
    if (wk_kind_of(symbolic) != symbolic_kind || wk_kind_of(numeric) != numeric_kind) return 0;
    if (version % 2 == 0) wk_last_met = (wk_met){symbolic, numeric, version, numeric_kind};
    return 1;
}

/* Frees a slot; those behind it that it kept from their places move up. */
static void release(table *t, size_t hole)
{
    put(t, hole, NULL, WK_FOREIGN);
    count--;
    for (size_t at = (hole + 1) & (t->room - 1); object_at(t, at) != NULL; at = (at + 1) & (t->room - 1)) {
        const void *moved = object_at(t, at);
        wk_kind kind = kind_at(t, at);
        put(t, at, NULL, WK_FOREIGN);
        put(t, find(t, moved), moved, kind);
    }
}

wk_kind wk_forget(const void *object)
{
    if (object == NULL) return WK_FOREIGN;
    begin_change();
    table *t = atomic_load_explicit(&known, memory_order_relaxed);
    wk_kind kind = look(t, object);
    if (kind != WK_FOREIGN) release(t, find(t, object));
    end_change();
    return kind;
}
