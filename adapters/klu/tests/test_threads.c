/* Threads with Numerics of their own, of one Symbolic and of their own, at once: each gets its own answers. */
#include "subject.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 12 };

typedef struct worker {
    wk_symbolic *shared;
    subject a;
    uint64_t seed;
    double worst;
    int failed;
} worker;

static void check_answer(worker *w, wk_symbolic *s, wk_numeric *f, wk_common *c)
{
    double b[MOST * DOUBLES], x[MOST * DOUBLES];
    for (int i = 0; i < MOST * DOUBLES; i++) b[i] = x[i] = uniform(&w->seed);
    if (!WK_NAME(solve)(s, f, w->a.n, 1, x, c) || !WK_NAME(rcond)(s, f, c)) w->failed++;
    w->worst = fmax(w->worst, residual(&w->a, 0, x, b));
}

static void live(worker *w, wk_symbolic *s, wk_common *c)
{
    wk_numeric *f = WK_NAME(factor)(w->a.Ap, w->a.Ai, w->a.Ax, s, c);
    if (f == NULL) {
        w->failed++;
        return;
    }
    for (int step = 0; step < 3; step++) {
        check_answer(w, s, f, c);
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

static void threads(void)
{
    static worker workers[THREADS];
    pthread_t thread[THREADS];
    uint64_t seed = 99;
    wk_common c;
    WK_SHARED(defaults)(&c);
    make(&workers[0].a, &seed, 30, 4, 1);
    wk_symbolic *s = WK_SHARED(analyze)(workers[0].a.n, workers[0].a.Ap, workers[0].a.Ai, &c);
    for (int k = 0; k < THREADS; k++) {
        workers[k].a = workers[0].a;
        workers[k].shared = s;
        workers[k].seed = (uint64_t)k;
    }
    for (int k = 0; k < THREADS; k++) CHECK(pthread_create(&thread[k], NULL, work, &workers[k]) == 0);
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        CHECK_SAY(workers[k].failed == 0 && workers[k].worst < 1e-11, "%d failed, residual %g", workers[k].failed,
                  workers[k].worst);
    }
    CHECK(WK_SHARED(free_symbolic)(&s, &c));
}

int main(void)
{
    RUN(threads);
    return check_done();
}
