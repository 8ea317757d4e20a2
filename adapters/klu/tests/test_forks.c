/* Children of a process whose other threads are within calls: each child uses what it has got, patterns that are known
 * and new ones, and has right answers. Functions of the caller's that a call asks may fork, too.
 *
 *   test_forks [N]     N children, 120 by default */
#define _DEFAULT_SOURCE
#include "subject.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, PATTERNS = 4, ANSWER_S = 20 };

static int forks = 120;

static subject pattern[PATTERNS];
static atomic_int ended;
static atomic_long lives;

static int answers(const subject *a, wk_symbolic *s, wk_numeric *f, wk_common *c, uint64_t *seed)
{
    double b[MOST * DOUBLES], x[MOST * DOUBLES];
    for (int i = 0; i < MOST * DOUBLES; i++) b[i] = x[i] = uniform(seed);
    return WK_NAME(solve)(s, f, a->n, 1, x, c) && c->status == WK_OK && residual(a, 0, x, b) < 1e-10;
}

/* 1: everything was right. */
static int live(subject *a, uint64_t *seed)
{
    wk_common c;
    WK_SHARED(defaults)(&c);
    wk_symbolic *s = WK_SHARED(analyze)(a->n, a->Ap, a->Ai, &c);
    wk_numeric *f = WK_NAME(factor)(a->Ap, a->Ai, a->Ax, s, &c);
    int right = f != NULL && answers(a, s, f, &c, seed);
    for (int step = 0; step < 4 && right; step++) {
        fill(a, seed, 8.0);
        right = WK_NAME(refactor)(a->Ap, a->Ai, a->Ax, s, f, &c) && answers(a, s, f, &c, seed);
    }
    WK_NAME(free_numeric)(&f, &c);
    WK_SHARED(free_symbolic)(&s, &c);
    return right && c.memusage == 0;
}

/* Of a pattern that all threads know, and of one that is new. */
static int live_twice(uint64_t *seed)
{
    subject known = pattern[(int)((uniform(seed) + 0.5) * PATTERNS)], other;
    fill(&known, seed, 8.0);
    make(&other, seed, MOST, 4, 0);
    return live(&known, seed) && live(&other, seed);
}

static void *work(void *user)
{
    uint64_t seed = (uint64_t)(uintptr_t)user + 1;
    int right = 1;
    while (!atomic_load(&ended)) {
        right &= live_twice(&seed);
        atomic_fetch_add(&lives, 1);
    }
    return right ? NULL : user;
}

static int wait_for(pid_t child)
{
    int code = -1;
    return child > 0 && waitpid(child, &code, 0) == child && code == 0;
}

static void children_of_a_busy_process(void)
{
    pthread_t thread[THREADS];
    static subject a;
    uint64_t seed = 7;
    wk_common c;
    WK_SHARED(defaults)(&c);
    for (int k = 0; k < PATTERNS; k++) make(&pattern[k], &seed, MOST - k, 4, 0);
    a = pattern[0];
    wk_symbolic *s = WK_SHARED(analyze)(a.n, a.Ap, a.Ai, &c);
    wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
    for (int t = 0; t < THREADS; t++) CHECK(pthread_create(&thread[t], NULL, work, (char *)NULL + t + 1) == 0);
    while (atomic_load(&lives) < THREADS) usleep(100);
    int right = 1;
    for (int k = 0; k < forks && right; k++) {
        fflush(stdout);
        seed += 17;
        pid_t child = fork();
        if (child == 0) {
            alarm(ANSWER_S);
            /* what the parent has made, then what it may have been about to make */
            _exit(!answers(&a, s, f, &c, &seed) || !live_twice(&seed));
        }
        right = wait_for(child) && answers(&a, s, f, &c, &seed);
        CHECK_SAY(right, "fork %d", k);
        usleep(500);
    }
    atomic_store(&ended, 1);
    for (int t = 0; t < THREADS; t++) {
        void *failed = NULL;
        CHECK(pthread_join(thread[t], &failed) == 0 && failed == NULL);
    }
    printf("# %ld lives beside %d forks\n", atomic_load(&lives), forks);
    CHECK(WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c) && c.memusage == 0);
}

static wk_int fork_and_order(wk_int n, wk_int *Ap, wk_int *Ai, wk_int *P, wk_common *c)
{
    uint64_t seed = 3;
    (void)Ap;
    (void)Ai;
    for (wk_int k = 0; k < n; k++) P[k] = k;
    fflush(stdout);
    alarm(ANSWER_S);
    pid_t child = fork();
    if (child == 0) {
        alarm(ANSWER_S);
        _exit(!live_twice(&seed));
    }
    *(int *)c->user_data &= wait_for(child);
    return n;
}

static void children_of_a_call(void)
{
    wk_common c;
    int right = 1;
    uint64_t seed = 11;
    subject a;
    WK_SHARED(defaults)(&c);
    c.btf = 0;
    c.ordering = WK_ORDER_USER;
    c.user_order = fork_and_order;
    c.user_data = &right;
    make(&a, &seed, 20, 4, 0);
    wk_symbolic *s = WK_SHARED(analyze)(a.n, a.Ap, a.Ai, &c);
    CHECK(s != NULL && right && WK_SHARED(free_symbolic)(&s, &c));
    alarm(0);
}

int main(int argc, char **argv)
{
    if (argc > 1) forks = atoi(argv[1]);
    RUN(children_of_a_busy_process);
    RUN(children_of_a_call);
    return check_done();
}
