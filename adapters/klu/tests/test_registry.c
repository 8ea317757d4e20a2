/* The registry of objects, alone and by threads that register, ask and forget at once: those that nobody forgets are
 * found at every moment, those of others too, and each is forgotten once. */
#include "../registry.h"
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, EACH = 300, ROUNDS = 20 };

/* Addresses alone count, and those of a block have one place in the table: who stands in front is forgotten while the
 * threads ask, so that those behind move. */
typedef struct block {
    _Alignas(16) char front, shared, mine[THREADS], nobody;
} block;

static block object[EACH];

typedef struct worker {
    int number, failures;
} worker;

static wk_kind kind_for(int k)
{
    return k % 2 == 0 ? WK_SYMBOLIC_INT : WK_NUMERIC_LONG;
}

static void *work(void *user)
{
    worker *w = user;
    const int t = w->number;
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < EACH; k++) w->failures += !wk_register(&object[k].mine[t], kind_for(k));
        for (int k = 0; k < EACH; k++) {
            w->failures += wk_kind_of(&object[k].mine[t]) != kind_for(k);
            w->failures += wk_kind_of(&object[k].shared) != kind_for(k + 1);
            w->failures += wk_kind_of(&object[k].nobody) != WK_FOREIGN;
        }
        for (int k = 0; k < EACH; k++) w->failures += wk_forget(&object[k].mine[t]) != kind_for(k);
        for (int k = 0; k < EACH; k++) w->failures += wk_kind_of(&object[k].mine[t]) != WK_FOREIGN;
    }
    return NULL;
}

static void objects_come_and_go(void)
{
    CHECK(wk_kind_of(NULL) == WK_FOREIGN && wk_forget(NULL) == WK_FOREIGN && wk_kind_of(object) == WK_FOREIGN);
    CHECK(wk_register(&object[0].front, WK_NUMERIC_INT) && wk_kind_of(&object[0].front) == WK_NUMERIC_INT);
    CHECK(wk_forget(&object[0].front) == WK_NUMERIC_INT && wk_forget(&object[0].front) == WK_FOREIGN);
}

static void threads_find_what_is_there(void)
{
    pthread_t thread[THREADS];
    worker workers[THREADS] = {{0}};
    for (int k = 0; k < EACH; k++)
        CHECK(wk_register(&object[k].front, WK_SYMBOLIC_LONG) && wk_register(&object[k].shared, kind_for(k + 1)));
    for (int t = 0; t < THREADS; t++) {
        workers[t].number = t;
        CHECK(pthread_create(&thread[t], NULL, work, &workers[t]) == 0);
    }
    for (int k = 0; k < EACH; k++) CHECK(wk_forget(&object[k].front) == WK_SYMBOLIC_LONG);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        CHECK_SAY(workers[t].failures == 0, "thread %d: %d failures", t, workers[t].failures);
    }
    for (int k = 0; k < EACH; k++) CHECK(wk_forget(&object[k].shared) == kind_for(k + 1));
}

int main(void)
{
    RUN(objects_come_and_go);
    RUN(threads_find_what_is_there);
    return check_done();
}
