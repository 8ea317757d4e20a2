/* METIS is opened by two threads whose analyses ask for it at once. The thread sanitizer, where the build has it, sees
 * no race. */
#include "mesh.h"

#include <pthread.h>

enum { THREADS = 2 };

static mesh subject[THREADS];
static int analyzed[THREADS];
static pthread_barrier_t start;

static void *analyze(void *user)
{
    const int *number = user;
    pthread_barrier_wait(&start);
    analyzed[*number] = is_analyzed(&subject[*number]);
    return NULL;
}

static void threads_open_metis(void)
{
    pthread_t thread[THREADS];
    int number[THREADS];
    pthread_barrier_init(&start, NULL, THREADS);
    for (int k = 0; k < THREADS; k++) {
        number[k] = k;
        make(&subject[k], EDGE);
        subject[k].Ap[N] -= k; /* another pattern, for the cache would analyze one of them alone */
        CHECK(pthread_create(&thread[k], NULL, analyze, &number[k]) == 0);
    }
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        CHECK(analyzed[k]);
    }
    pthread_barrier_destroy(&start);
    CHECK(is_loaded("libmetis"));
}

int main(void)
{
    RUN(threads_open_metis);
    return check_done();
}
