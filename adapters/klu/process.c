/* See process.h. */
#include "process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static warplu_cache *cache;
static warplu_options defaults;
static atomic_int complex_expected;

static void read_check(const char *word)
{
    static const char *const words[] = {"off", "replays", "suspect", "always"};
    static const warplu_check checks[] = {WARPLU_CHECK_OFF, WARPLU_CHECK_REPLAYS, WARPLU_CHECK_SUSPECT,
                                          WARPLU_CHECK_ALWAYS};
    for (int k = 0; k < 4; k++)
        if (strcmp(word, words[k]) == 0) {
            defaults.check = checks[k];
            return;
        }
    fprintf(stderr, "warplu-klu: WARPLU_KLU_CHECK is \"%s\", not suspect, replays, always or off: left out\n", word);
}

static void read_threads(const char *word)
{
    char *end;
    long threads = strtol(word, &end, 10);
    if (*word != '\0' && *end == '\0' && threads >= 0 && threads <= 1024)
        defaults.threads = (int)threads;
    else
        fprintf(stderr, "warplu-klu: WARPLU_KLU_THREADS is \"%s\", not a number from 0 to 1024: left out\n", word);
}

static void read_repeat(const char *word)
{
    if (strcmp(word, "analysis") == 0)
        defaults.repeatable = WARPLU_REPEATABLE_FROM_OPEN;
    else if (strcmp(word, "all") == 0)
        defaults.repeatable = WARPLU_REPEATABLE_STRICTLY;
    else if (strcmp(word, "small") != 0)
        fprintf(stderr, "warplu-klu: WARPLU_KLU_REPEAT is \"%s\", not small, analysis or all: left out\n", word);
}

static void begin(void)
{
    const char *check = getenv("WARPLU_KLU_CHECK"), *threads = getenv("WARPLU_KLU_THREADS");
    const char *repeat = getenv("WARPLU_KLU_REPEAT");
    warplu_init_options(&defaults);
    defaults.repeatable = WARPLU_REPEATABLE_SMALL;
    if (check != NULL) read_check(check);
    if (threads != NULL) read_threads(threads);
    if (repeat != NULL) read_repeat(repeat);
    (void)warplu_cache_create(&cache, NULL);
}

warplu_cache *wk_cache(void)
{
    pthread_once(&once, begin);
    return cache;
}

void wk_default_options(warplu_options *options)
{
    pthread_once(&once, begin);
    *options = defaults;
}

int wk_expects_complex(void)
{
    return atomic_load_explicit(&complex_expected, memory_order_relaxed);
}

void wk_expect_complex(int complex)
{
    atomic_store_explicit(&complex_expected, complex, memory_order_relaxed);
}
