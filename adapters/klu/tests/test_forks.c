/* Children of a process whose other threads are within calls: each child uses what it has got, patterns that are known
 * and new ones, and has right answers. Functions of the caller's that a call asks may fork, too. Threads are few, or
 * more than have seats of their own; and the kernel may know no barriers for others, which a filter of calls feigns.
 *
 *   test_forks [N] [--without-barriers]     N children, 120 by default, fewer where like cases are left out */
#define _GNU_SOURCE
#include "subject.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

enum { FEW = 3, MANY = 80, PATTERNS = 4, ANSWER_S = 20 };

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

static void fork_beside(int threads, int children)
{
    pthread_t thread[MANY];
    static subject a;
    uint64_t seed = 7;
    wk_common c;
    WK_SHARED(defaults)(&c);
    atomic_store(&ended, 0);
    atomic_store(&lives, 0);
    for (int k = 0; k < PATTERNS; k++) make(&pattern[k], &seed, MOST - k, 4, 0);
    a = pattern[0];
    wk_symbolic *s = WK_SHARED(analyze)(a.n, a.Ap, a.Ai, &c);
    wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
    for (int t = 0; t < threads; t++) CHECK(pthread_create(&thread[t], NULL, work, (char *)NULL + t + 1) == 0);
    while (atomic_load(&lives) < FEW) usleep(100);
    int right = 1;
    for (int k = 0; k < children && right; k++) {
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
    for (int t = 0; t < threads; t++) {
        void *failed = NULL;
        CHECK(pthread_join(thread[t], &failed) == 0 && failed == NULL);
    }
    printf("# %ld lives of %d threads beside %d forks\n", atomic_load(&lives), threads, children);
    CHECK(WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c) && c.memusage == 0);
}

static void children_of_a_busy_process(void)
{
    fork_beside(FEW, forks);
}

/* Some are through with a life and others are not when the process forks; the seats of those that have ended serve. */
static void children_beside_many_threads(void)
{
    fork_beside(MANY, 3);
    fork_beside(MANY, 3);
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

static int skip(void)
{
    printf("1..0 # SKIP calls cannot be refused here\n");
    return 0;
}

#if defined(__linux__) && defined(SYS_membarrier) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
/* This program once more, in a process whose kernel has no such call. */
static int start_without_barriers(char **argv)
{
    struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return skip();
    argv[2] = "--filtered";
    execv("/proc/self/exe", argv);
    return 1;
}
#else
static int start_without_barriers(char **argv)
{
    (void)argv;
    return skip();
}
#endif

int main(int argc, char **argv)
{
    forks = argc > 1 ? atoi(argv[1]) : forks / check_every();
    if (argc > 2 && strcmp(argv[2], "--without-barriers") == 0) return start_without_barriers(argv);
    RUN(children_of_a_busy_process);
    RUN(children_beside_many_threads);
    RUN(children_of_a_call);
    return check_done();
}
