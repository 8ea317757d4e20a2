/* Test support: TAP output for meson (protocol: 'tap'). A test file's main() runs cases with RUN(case) and ends
 * with `return check_done();`. CHECK(condition) notes file, line and text of a failed condition and goes on;
 * CHECK_SAY adds a formatted explanation. SKIP(reason) ends the running case as skipped. Counts are kept per source
 * file: helpers that CHECK stand in headers. Tests of very many like cases run each that is check_due(). */
#ifndef WLU_CHECK_H
#define WLU_CHECK_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int check_cases, check_failures, check_failed_cases;
static const char *check_skip_reason;

#define CHECK(condition) \
    do { \
        if (!(condition)) check_fail(__FILE__, __LINE__, #condition); \
    } while (0)

#define CHECK_SAY(condition, ...) \
    do { \
        if (!(condition)) { \
            check_fail(__FILE__, __LINE__, #condition); \
            printf("#   "); \
            printf(__VA_ARGS__); \
            printf("\n"); \
        } \
    } while (0)

#define SKIP(reason) \
    do { \
        check_skip_reason = (reason); \
        return; \
    } while (0)

#define RUN(function) check_run(#function, function)

static inline void check_fail(const char *file, int line, const char *condition)
{
    check_failures++;
    printf("# %s:%d: failed: %s\n", file, line, condition);
}

static inline void check_run(const char *name, void (*function)(void))
{
    int before = check_failures;
    check_skip_reason = NULL;
    function();
    check_cases++;
    int failed = check_failures > before;
    check_failed_cases += failed;
    printf("%s %d - %s", failed ? "not ok" : "ok", check_cases, name);
    if (!failed && check_skip_reason != NULL) printf(" # SKIP %s", check_skip_reason);
    printf("\n");
    fflush(stdout);
}

static inline int check_done(void)
{
    printf("1..%d\n", check_cases);
    return check_failed_cases > 0;
}

/* Of very many similar cases every k-th runs. k is WARPLU_EVERY of the environment, which tools/check sets; without it
 * all run. */
static inline int check_every(void)
{
    const char *text = getenv("WARPLU_EVERY");
    int every = text != NULL ? atoi(text) : 1;
    return every > 1 ? every : 1;
}

/* Whether the next of them runs. */
static inline int check_due(void)
{
    static int64_t cases;
    return cases++ % check_every() == 0;
}

/* xorshift64*: reproducible random numbers; seed must not be 0. */
static inline uint64_t check_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

/* Uniform in [0, 1). */
static inline double check_uniform(uint64_t *seed)
{
    return (double)(check_random(seed) >> 11) * 0x1p-53;
}

/* Uniform in [0, n). */
static inline int32_t check_below(uint64_t *seed, int32_t n)
{
    return (int32_t)(check_random(seed) % (uint64_t)n);
}

#endif
