/* See foreign.h. The objects that have called stand in a list that grows; who asks reads it without a lock. An object
 * that is loaded where another one was is taken for that. */
#define _GNU_SOURCE
#include "foreign.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "forks.h"
#include "stats.h"

enum { MOST = 256, NAME_BYTES = 1024, GENERATED = 1 << 16 };

typedef struct caller {
    uintptr_t begin, end;
    void *handle;   /* where its KLU is sought behind the next one; NULL: nowhere */
    int foreign[2]; /* of calls with indices of either size */
} caller;

/* An object while it is looked for by an address in it. */
typedef struct sought {
    uintptr_t address, begin, end;
    char name[NAME_BYTES];
} sought;

static caller callers[MOST];
static char left[MOST][NAME_BYTES];
static atomic_int known, left_known;
wk_usual_caller wk_usual;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
    sought *s = user;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    (void)size;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const uintptr_t at = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
        if (info->dlpi_phdr[k].p_type != PT_LOAD) continue;
        if (at < begin) begin = at;
        if (at + info->dlpi_phdr[k].p_memsz > end) end = at + info->dlpi_phdr[k].p_memsz;
    }
    if (s->address < begin || s->address >= end) return 0;
    s->begin = begin;
    s->end = end;
    snprintf(s->name, sizeof s->name, "%s", info->dlpi_name != NULL ? info->dlpi_name : "");
    return 1;
}

static int is_within(const caller *c, const void *address)
{
    return (uintptr_t)address >= c->begin && (uintptr_t)address < c->end;
}

static int is_ours(void *address)
{
    Dl_info here, there;
    return dladdr(address, &there) == 0 || dladdr(callers, &here) == 0 || here.dli_fbase == there.dli_fbase;
}

/* In the caller's KLU, as it would be found without us; NULL: there is none. */
static void *find(const caller *c, const char *name)
{
    void *own = c->handle != NULL ? dlsym(c->handle, name) : NULL, *next;
    if (own != NULL && is_within(c, own)) return own;
    next = dlsym(RTLD_NEXT, name);
    if (next != NULL && !is_ours(next)) return next;
    return own != NULL && !is_ours(own) ? own : NULL;
}

static void judge(caller *c)
{
    void *of_int = find(c, "klu_defaults"), *of_long = find(c, "klu_l_defaults");
    c->foreign[0] = of_int != NULL && !wk_layout_fits_of_int(of_int);
    c->foreign[1] = of_long != NULL && !wk_layout_fits_of_long(of_long);
}

/* Under the lock. Addresses of no object, of code that was generated, are served. */
static void get_to_know(const void *address, int at)
{
    sought s = {.address = (uintptr_t)address};
    caller c = {0};
    if (dl_iterate_phdr(look_at, &s) == 0) {
        c.begin = s.address & ~(uintptr_t)(GENERATED - 1);
        c.end = c.begin + GENERATED;
    } else {
        c.begin = s.begin;
        c.end = s.end;
        c.handle = s.name[0] != '\0' ? dlopen(s.name, RTLD_LAZY | RTLD_NOLOAD) : NULL; /* kept, or it might go */
        if (!is_within(&c, (const void *)callers)) judge(&c);
    }
    callers[at] = c;
    if (at == 0 && !c.foreign[0] && !c.foreign[1]) {
        atomic_store_explicit(&wk_usual.begin, c.begin, memory_order_relaxed);
        atomic_store_explicit(&wk_usual.bytes, c.end - c.begin, memory_order_release);
    }
    atomic_store_explicit(&known, at + 1, memory_order_release);
}

static const caller *look_up(const void *address, int *count)
{
    *count = atomic_load_explicit(&known, memory_order_acquire);
    for (int k = 0; k < *count; k++)
        if (is_within(&callers[k], address)) return &callers[k];
    return NULL;
}

static const caller *meet(const void *address)
{
    int count;
    wk_forks_hold();
    pthread_mutex_lock(&lock);
    const caller *c = look_up(address, &count);
    if (c == NULL && count < MOST) {
        get_to_know(address, count);
        c = look_up(address, &count);
    }
    pthread_mutex_unlock(&lock);
    wk_forks_release();
    return c;
}

static const char *left_object(int number)
{
    return number < atomic_load(&left_known) ? left[number] : NULL;
}

/* For the statistics. */
static void note(const void *address)
{
    Dl_info there;
    if (!wk_stats_wanted || dladdr(address, &there) == 0 || there.dli_fname == NULL) return;
    pthread_mutex_lock(&lock);
    wk_stats_left = left_object;
    const int count = atomic_load(&left_known);
    int noted = 0;
    for (int k = 0; k < count; k++) noted |= strncmp(left[k], there.dli_fname, NAME_BYTES - 1) == 0;
    if (!noted && count < MOST) {
        snprintf(left[count], NAME_BYTES, "%s", there.dli_fname);
        atomic_store(&left_known, count + 1);
    }
    pthread_mutex_unlock(&lock);
}

void *wk_foreign(const void *address, int of_long, const char *name)
{
    int count;
    const caller *c = look_up(address, &count);
    if (c == NULL && count < MOST) c = meet(address);
    if (c == NULL || !c->foreign[of_long]) return NULL;
    wk_forks_hold();
    note(address);
    void *theirs = find(c, name);
    wk_forks_release();
    return theirs;
}
