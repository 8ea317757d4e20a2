/* Nested dissection of the graph of B + B' (Karypis and Kumar, SIAM J. Sci. Comput. 20, 1998), by METIS_NodeND.
 *
 * The graph holds each edge from both ends, sorted, without the diagonal: the merge of B's columns with those of its
 * transpose. Work: 3 nnz + 4 n integers from the context; METIS takes its own from malloc. The seed is given,
 * everything else is METIS's default.
 *
 * METIS is not reentrant and touches state of the whole process, so calls run one at a time under a lock:
 *
 * - It draws from rand() after srand(). The generator is switched to a private state for the call and back afterwards
 *   (initstate, setstate).
 * - A C library whose rand() does not share random()'s state, as glibc's does, stays reseeded. A rand() in another
 *   thread during the call draws from the private state.
 * - It traps SIGABRT and SIGTERM and raises them for errors of its own. The caller's handlers are put back after the
 *   call. Either signal arriving from outside during the call ends the ordering as out of memory.
 *
 * METIS_ERROR_INPUT, which no graph from here gives, is the answer of functions that open METIS late where there is
 * none, as the adapter for KLU does. */
#include "build_features.h"

#if WLU_WITH_METIS
#define _XOPEN_SOURCE 700
#endif
#include "order/order.h"

#if WLU_WITH_METIS

#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of random()'s default generator in glibc: the stream METIS would see without the switch. */
enum { RANDOM_STATE_BYTES = 128 };

static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct metis_graph {
    idx_t n;
    idx_t *p, *i; /* n + 1; p[n] */
} metis_graph;

/* Column j of B + B' without its diagonal: the union of two ascending lists. Returns its length. */
static idx_t merge_lists(const int32_t *x, const int32_t *xend, const int32_t *y, const int32_t *yend, int32_t j,
                         idx_t *out)
{
    idx_t count = 0;
    while (x < xend || y < yend) {
        int32_t v = y >= yend || (x < xend && *x < *y) ? *x : *y;
        if (x < xend && *x == v) x++;
        if (y < yend && *y == v) y++;
        if (v != j) out[count++] = v;
    }
    return count;
}

/* graph->p and graph->i are allocated (n + 1, 2 nnz); tp: n + 1, ti: nnz. */
static void symmetrize(const wlu_diagonal_block *block, int32_t *tp, int32_t *ti, metis_graph *graph)
{
    int32_t n = block->n;
    const int32_t *p = block->p, *i = block->i;
    memset(tp, 0, ((size_t)n + 1) * sizeof *tp);
    for (int32_t q = 0; q < p[n]; q++) tp[i[q] + 1]++;
    for (int32_t r = 0; r < n; r++) tp[r + 1] += tp[r];
    for (int32_t j = 0; j < n; j++)
        for (int32_t q = p[j]; q < p[j + 1]; q++) ti[tp[i[q]]++] = j;
    memmove(tp + 1, tp, (size_t)n * sizeof *tp); /* row ends are the next row's beginnings */
    tp[0] = 0;
    graph->n = n;
    graph->p[0] = 0;
    for (int32_t j = 0; j < n; j++)
        graph->p[j + 1] =
            graph->p[j] + merge_lists(i + p[j], i + p[j + 1], ti + tp[j], ti + tp[j + 1], j, graph->i + graph->p[j]);
}

/* METIS_NodeND with the process's signal handlers and random state as before. */
static int dissect(metis_graph *graph, int seed, idx_t *perm, idx_t *inverse)
{
    static char state[RANDOM_STATE_BYTES]; /* guarded by the lock */
    idx_t options[METIS_NOPTIONS];
    struct sigaction on_abort, on_term;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = seed;
    pthread_mutex_lock(&metis_lock);
    sigaction(SIGABRT, NULL, &on_abort);
    sigaction(SIGTERM, NULL, &on_term);
    char *before = initstate((unsigned)seed, state, sizeof state);
    int status = METIS_NodeND(&graph->n, graph->p, graph->i, NULL, options, perm, inverse);
    if (before != NULL) setstate(before);
    sigaction(SIGABRT, &on_abort, NULL);
    sigaction(SIGTERM, &on_term, NULL);
    pthread_mutex_unlock(&metis_lock);
    return status;
}

warplu_status wlu_order_metis_drawn(wlu_context *ctx, const wlu_diagonal_block *block, int seed, int32_t *order)
{
    int32_t n = block->n;
    if (n <= 2) return wlu_order_natural(ctx, block, order);
    int64_t most = 2 * (int64_t)block->p[n];
    if (most > IDX_MAX)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "METIS: a block of %d entries is too large", (int)block->p[n]);
    warplu_status status = WARPLU_SUCCESS;
    metis_graph graph = {n, WLU_ALLOC(ctx, (int64_t)n + 1, idx_t), WLU_ALLOC(ctx, most, idx_t)};
    int32_t *tp = WLU_ALLOC(ctx, (int64_t)n + 1, int32_t);
    int32_t *ti = WLU_ALLOC(ctx, block->p[n], int32_t);
    idx_t *perm = WLU_ALLOC(ctx, n, idx_t);
    idx_t *inverse = WLU_ALLOC(ctx, n, idx_t);
    if (!WLU_ALL_THERE(graph.p, graph.i, tp, ti, perm, inverse)) {
        status = wlu_fail_memory(ctx, "METIS");
        goto done;
    }
    symmetrize(block, tp, ti, &graph);
    if (graph.p[n] == 0) { /* nothing to dissect, and METIS wants an edge */
        status = wlu_order_natural(ctx, block, order);
        goto done;
    }
    int answer = dissect(&graph, seed, perm, inverse);
    if (answer != METIS_OK) {
        status = answer == METIS_ERROR_INPUT ? wlu_fail(ctx, WARPLU_NOT_COMPILED, "there is no METIS here")
                                             : wlu_fail_memory(ctx, "METIS");
        goto done;
    }
    for (int32_t k = 0; k < n; k++) order[k] = (int32_t)perm[k];
done:
    wlu_free(ctx, graph.p);
    wlu_free(ctx, graph.i);
    wlu_free(ctx, tp);
    wlu_free(ctx, ti);
    wlu_free(ctx, perm);
    wlu_free(ctx, inverse);
    return status;
}

#else

warplu_status wlu_order_metis_drawn(wlu_context *ctx, const wlu_diagonal_block *block, int seed, int32_t *order)
{
    (void)block;
    (void)seed;
    (void)order;
    return wlu_fail(ctx, WARPLU_NOT_COMPILED, "this build has no METIS");
}

#endif

warplu_status wlu_order_metis(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order)
{
    return wlu_order_metis_drawn(ctx, block, WLU_METIS_SEED, order);
}
