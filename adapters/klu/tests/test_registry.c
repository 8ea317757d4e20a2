/* The registry of objects, alone and by threads that register, ask and forget at once: those that nobody forgets are
 * found at every moment, those of others too, and each is forgotten once; and what a thread has met. */
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

static void *change(void *user)
{
    (void)user;
    CHECK(wk_register(&object[1].front, WK_NUMERIC_INT));
    return NULL;
}

/* What a thread has met is as good as a look, until the table changes, by whomever. */
static void a_pair_is_met_until_something_changes(void)
{
    pthread_t other;
    const void *symbolic = &object[0].front, *numeric = &object[0].shared;
    CHECK(!wk_has_met(NULL, WK_NUMERIC_INT) && !wk_has_met(numeric, WK_NUMERIC_INT));
    CHECK(!wk_meet(symbolic, WK_SYMBOLIC_INT, numeric, WK_NUMERIC_INT) && !wk_has_met(numeric, WK_NUMERIC_INT));
    CHECK(wk_register(symbolic, WK_SYMBOLIC_INT) && wk_register(numeric, WK_NUMERIC_INT));
    CHECK(!wk_meet(symbolic, WK_SYMBOLIC_LONG, numeric, WK_NUMERIC_INT));
    CHECK(!wk_meet(symbolic, WK_SYMBOLIC_INT, numeric, WK_NUMERIC_INT_COMPLEX) && !wk_has_met(numeric, WK_NUMERIC_INT));
    CHECK(wk_meet(symbolic, WK_SYMBOLIC_INT, numeric, WK_NUMERIC_INT) && wk_last_met.symbolic == symbolic);
    CHECK(wk_has_met(numeric, WK_NUMERIC_INT) && !wk_has_met(numeric, WK_NUMERIC_INT_COMPLEX));
    CHECK(!wk_has_met(symbolic, WK_SYMBOLIC_INT) && !wk_has_met(NULL, WK_FOREIGN));
    CHECK(pthread_create(&other, NULL, change, NULL) == 0 && pthread_join(other, NULL) == 0);
    CHECK(!wk_has_met(numeric, WK_NUMERIC_INT) && wk_meet(symbolic, WK_SYMBOLIC_INT, numeric, WK_NUMERIC_INT));
    CHECK(wk_forget(numeric) == WK_NUMERIC_INT && !wk_has_met(numeric, WK_NUMERIC_INT));
    CHECK(!wk_meet(symbolic, WK_SYMBOLIC_INT, numeric, WK_NUMERIC_INT));
    CHECK(wk_forget(symbolic) == WK_SYMBOLIC_INT && wk_forget(&object[1].front) == WK_NUMERIC_INT);
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
    RUN(a_pair_is_met_until_something_changes);
    RUN(threads_find_what_is_there);
    return check_done();
}
