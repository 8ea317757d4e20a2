/* Open addressing in tables that double, one for each of 64 locks, so that threads that solve at once seldom meet. See
 * registry.h. */
#include "registry.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { SHARDS = 64, FIRST_ROOM = 16 };

typedef struct slot {
    const void *object; /* NULL: free */
    wk_kind kind;
} slot;

typedef struct shard {
    pthread_mutex_t lock;
    slot *slots;
    size_t room, count; /* room is 0 or a power of two, at most half full */
} shard;

static shard shards[SHARDS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locks(void)
{
    for (int s = 0; s < SHARDS; s++) pthread_mutex_init(&shards[s].lock, NULL);
}

static uint64_t hash_of(const void *object)
{
    return ((uint64_t)(uintptr_t)object >> 4) * UINT64_C(0x9e3779b97f4a7c15);
}

static shard *lock_shard(const void *object)
{
    pthread_once(&once, make_locks);
    shard *s = &shards[hash_of(object) >> 58];
    pthread_mutex_lock(&s->lock);
    return s;
}

/* The object's slot, or the free one where it would stand. */
static size_t find(const shard *s, const void *object)
{
    size_t at = (size_t)(hash_of(object) >> 24) & (s->room - 1);
    while (s->slots[at].object != NULL && s->slots[at].object != object) at = (at + 1) & (s->room - 1);
    return at;
}

static int grow(shard *s)
{
    shard wider = {.room = s->room > 0 ? 2 * s->room : FIRST_ROOM, .count = s->count};
    wider.slots = calloc(wider.room, sizeof *wider.slots);
    if (wider.slots == NULL) return 0;
    for (size_t k = 0; k < s->room; k++)
        if (s->slots[k].object != NULL) wider.slots[find(&wider, s->slots[k].object)] = s->slots[k];
    free(s->slots);
    s->slots = wider.slots;
    s->room = wider.room;
    return 1;
}

int wk_register(const void *object, wk_kind kind)
{
    shard *s = lock_shard(object);
    int fits = 2 * (s->count + 1) <= s->room || grow(s);
    if (fits) {
        s->slots[find(s, object)] = (slot){object, kind};
        s->count++;
    }
    pthread_mutex_unlock(&s->lock);
    return fits;
}

wk_kind wk_kind_of(const void *object)
{
    if (object == NULL) return WK_FOREIGN;
    shard *s = lock_shard(object);
    wk_kind kind = s->room > 0 ? s->slots[find(s, object)].kind : WK_FOREIGN;
    pthread_mutex_unlock(&s->lock);
    return kind;
}

/* Frees a slot; those behind it that it kept from their places move up. */
static void release(shard *s, size_t hole)
{
    s->slots[hole] = (slot){NULL, WK_FOREIGN};
    s->count--;
    for (size_t at = (hole + 1) & (s->room - 1); s->slots[at].object != NULL; at = (at + 1) & (s->room - 1)) {
        slot moved = s->slots[at];
        s->slots[at] = (slot){NULL, WK_FOREIGN};
        s->slots[find(s, moved.object)] = moved;
    }
}

wk_kind wk_forget(const void *object)
{
    wk_kind kind = WK_FOREIGN;
    if (object == NULL) return kind;
    shard *s = lock_shard(object);
    size_t at = s->room > 0 ? find(s, object) : 0;
    if (s->room > 0 && s->slots[at].object != NULL) {
        kind = s->slots[at].kind;
        release(s, at);
    }
    pthread_mutex_unlock(&s->lock);
    return kind;
}
