/* libwarplu-klu-time.so: KLU's calls, timed and passed on to the program's own KLU. It is preloaded in place of the
 * drop-in to tell what a run spends in KLU (warplu-klu-run --compare).
 *
 * The KLU behind it is that of the next object in the program's scope, or of any object that is loaded, whatever
 * scope it was opened in: wheels hold a KLU of their own and call it by the procedure linkage table, which
 * preloading reaches and RTLD_NEXT does not. Arguments and results are passed on as they are: all are integers or
 * pointers of one register or slot of the stack each, in both interfaces. What KLU calls within a call is passed on
 * untimed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define WK_API __attribute__((visibility("default")))

typedef intptr_t word;
typedef word (*function)(word, word, word, word, word, word, word, word, word, word, word, word, word, word, word, word,
                         word, word, word);

enum { OBJECTS_MOST = 1024 };

typedef struct objects {
    int count;
    char *name[OBJECTS_MOST];
} objects;

static int note_object(struct dl_phdr_info *info, size_t size, void *user)
{
    objects *all = user;
    (void)size;
    if (info->dlpi_name != NULL && info->dlpi_name[0] != '\0' && all->count < OBJECTS_MOST)
        all->name[all->count++] = strdup(info->dlpi_name);
    return 0;
}

static int is_own(void *address)
{
    Dl_info here, there;
    return address == NULL || dladdr(address, &there) == 0 || dladdr(&wk_stats_wanted, &here) == 0 ||
           here.dli_fbase == there.dli_fbase;
}

/* The function of this name in another object. */
static void *find(const char *name)
{
    static const char *const needed = "klu_defaults";
    objects all = {0};
    void *found = dlsym(RTLD_NEXT, name);
    if (!is_own(found)) return found;
    found = NULL;
    dl_iterate_phdr(note_object, &all); /* no object is opened while the list is locked */
    for (int k = 0; k < all.count; k++) {
        void *object = found == NULL && all.name[k] != NULL ? dlopen(all.name[k], RTLD_LAZY | RTLD_NOLOAD) : NULL;
        if (object != NULL) {
            void *candidate = dlsym(object, name), *defaults = dlsym(object, needed);
            if (!is_own(candidate) && !is_own(defaults)) found = candidate;
            dlclose(object);
        }
        free(all.name[k]);
    }
    return found;
}

static function resolve(const char *name)
{
    function to;
    void *found = find(name);
    if (found == NULL) {
        fprintf(stderr, "warplu-klu: no KLU behind %s\n", name);
        exit(1);
    }
    memcpy(&to, &found, sizeof to);
    return to;
}

static _Thread_local int within;

#define ARGUMENTS a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s
#define FORWARD(name, call) \
    WK_API word name(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l, \
                     word m, word n, word o, word p, word q, word r, word s); \
    word name(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l, word m, \
              word n, word o, word p, word q, word r, word s) \
    { \
        static _Atomic(function) to; \
        if (to == NULL) to = resolve(#name); \
        if (within) return to(ARGUMENTS); \
        within = 1; \
        const int64_t begin = wk_stats_begin(); \
        word result = to(ARGUMENTS); \
        wk_stats_end(call, begin); \
        within = 0; \
        return result; \
    }

#define FORWARD_NUMBERS(prefix) \
    FORWARD(prefix##factor, WK_CALL_FACTOR) \
    FORWARD(prefix##refactor, WK_CALL_REFACTOR) \
    FORWARD(prefix##solve, WK_CALL_SOLVE) \
    FORWARD(prefix##tsolve, WK_CALL_TSOLVE) \
    FORWARD(prefix##rcond, WK_CALL_RCOND) \
    FORWARD(prefix##rgrowth, WK_CALL_RGROWTH) \
    FORWARD(prefix##condest, WK_CALL_CONDEST) \
    FORWARD(prefix##extract, WK_CALL_EXTRACT) \
    FORWARD(prefix##free_numeric, WK_CALL_FREE)

#define FORWARD_INDICES(prefix) \
    FORWARD(prefix##analyze, WK_CALL_ANALYZE) \
    FORWARD(prefix##analyze_given, WK_CALL_ANALYZE)

FORWARD_INDICES(klu_)
FORWARD_INDICES(klu_l_)
FORWARD_NUMBERS(klu_)
FORWARD_NUMBERS(klu_z_)
FORWARD_NUMBERS(klu_l_)
FORWARD_NUMBERS(klu_zl_)
