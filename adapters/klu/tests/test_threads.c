/* Threads with Numerics of their own, of one Symbolic and of their own, at once; and threads that take turns with each
 * other's Numerics of several patterns, which outlive their Symbolics: each gets its own answers. The thread sanitizer,
 * where the build has it, sees no race. */
#include "subject.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 12, PATTERNS = 3, KEPT = 6 };

/* A Numeric, what it was made of, and its values; NULL: none. */
typedef struct product {
    wk_symbolic *symbolic;
    wk_numeric *numeric;
    subject a;
} product;

typedef struct worker {
    wk_symbolic *shared;
    subject a;
    uint64_t seed;
    double worst;
    int failed;
} worker;

static subject pattern[PATTERNS];
static product kept[KEPT]; /* under the lock; a thread takes one out to use it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void check_answer(worker *w, const subject *a, wk_symbolic *s, wk_numeric *f, wk_common *c)
{
    double b[MOST * DOUBLES], x[MOST * DOUBLES];
    for (int i = 0; i < MOST * DOUBLES; i++) b[i] = x[i] = uniform(&w->seed);
    if (!WK_NAME(solve)(s, f, a->n, 1, x, c) || !WK_NAME(rcond)(s, f, c)) w->failed++;
    w->worst = fmax(w->worst, residual(a, 0, x, b));
}

static void live(worker *w, wk_symbolic *s, wk_common *c)
{
    wk_numeric *f = WK_NAME(factor)(w->a.Ap, w->a.Ai, w->a.Ax, s, c);
    if (f == NULL) {
        w->failed++;
        return;
    }
    for (int step = 0; step < 3; step++) {
        check_answer(w, &w->a, s, f, c);
        fill(&w->a, &w->seed, 8.0);
        if (!WK_NAME(refactor)(w->a.Ap, w->a.Ai, w->a.Ax, s, f, c)) w->failed++;
    }
    if (!WK_NAME(free_numeric)(&f, c)) w->failed++;
}

static void *work(void *user)
{
    worker *w = user;
    wk_common c;
    WK_SHARED(defaults)(&c);
    for (int round = 0; round < ROUNDS; round++) {
        live(w, w->shared, &c);
        wk_symbolic *own = WK_SHARED(analyze)(w->a.n, w->a.Ap, w->a.Ai, &c);
        live(w, own, &c);
        if (!WK_SHARED(free_symbolic)(&own, &c)) w->failed++;
    }
    w->failed += c.memusage != 0;
    return NULL;
}

/* Exchanges a product for another one, or for none. */
static void exchange(product *p, int at)
{
    pthread_mutex_lock(&lock);
    product other = kept[at];
    kept[at] = *p;
    *p = other;
    pthread_mutex_unlock(&lock);
}

/* A Symbolic and a Numeric of one of the patterns, with values of their own. */
static void produce(worker *w, product *p, wk_common *c)
{
    p->a = pattern[(int)((uniform(&w->seed) + 0.5) * PATTERNS)];
    fill(&p->a, &w->seed, 8.0);
    p->symbolic = WK_SHARED(analyze)(p->a.n, p->a.Ap, p->a.Ai, c);
    p->numeric = WK_NAME(factor)(p->a.Ap, p->a.Ai, p->a.Ax, p->symbolic, c);
    if (p->numeric == NULL) w->failed++;
}

static void consume(worker *w, product *p, wk_common *c)
{
    if (p->numeric == NULL) return;
    check_answer(w, &p->a, p->symbolic, p->numeric, c);
    if (uniform(&w->seed) > 0.0) {
        fill(&p->a, &w->seed, 8.0);
        if (!WK_NAME(refactor)(p->a.Ap, p->a.Ai, p->a.Ax, p->symbolic, p->numeric, c)) w->failed++;
        check_answer(w, &p->a, p->symbolic, p->numeric, c);
    }
    const int symbolic_first = uniform(&w->seed) > 0.0;
    if (symbolic_first && !WK_SHARED(free_symbolic)(&p->symbolic, c)) w->failed++;
    if (!WK_NAME(free_numeric)(&p->numeric, c)) w->failed++;
    if (!symbolic_first && !WK_SHARED(free_symbolic)(&p->symbolic, c)) w->failed++;
}

static void *trade(void *user)
{
    worker *w = user;
    wk_common c;
    WK_SHARED(defaults)(&c);
    for (int round = 0; round < 3 * ROUNDS; round++) {
        product p;
        produce(w, &p, &c);
        exchange(&p, round % KEPT);
        consume(w, &p, &c);
    }
    return NULL;
}

static void run_on_all(void *(*function)(void *), wk_symbolic *shared)
{
    static worker workers[THREADS];
    pthread_t thread[THREADS];
    for (int k = 0; k < THREADS; k++) {
        workers[k] = (worker){.shared = shared, .a = pattern[0], .seed = (uint64_t)k};
        CHECK(pthread_create(&thread[k], NULL, function, &workers[k]) == 0);
    }
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        CHECK_SAY(workers[k].failed == 0 && workers[k].worst < 1e-11, "%d failed, residual %g", workers[k].failed,
                  workers[k].worst);
    }
}

static void numerics_of_one_symbolic(void)
{
    wk_common c;
    WK_SHARED(defaults)(&c);
    wk_symbolic *s = WK_SHARED(analyze)(pattern[0].n, pattern[0].Ap, pattern[0].Ai, &c);
    run_on_all(work, s);
    CHECK(WK_SHARED(free_symbolic)(&s, &c));
}

static void numerics_of_others(void)
{
    worker last = {.seed = 5};
    wk_common c;
    WK_SHARED(defaults)(&c);
    run_on_all(trade, NULL);
    for (int k = 0; k < KEPT; k++) consume(&last, &kept[k], &c);
    CHECK(last.failed == 0 && last.worst < 1e-11);
}

int main(void)
{
    uint64_t seed = 99;
    for (int k = 0; k < PATTERNS; k++) make(&pattern[k], &seed, 30 - 7 * k, 4, 1);
    RUN(numerics_of_one_symbolic);
    RUN(numerics_of_others);
    return check_done();
}
