/* Symmetric fill. See symmetric_fill.h.
 *
 * Row k of L is a subtree of the elimination tree: the nodes on the paths from the entries of A left of the diagonal up
 * to k (Liu, SIAM J. Matrix Anal. Appl. 11, 1990). Rows are walked twice, once to count the entries of each column and
 * once to write them, so that those of a column ascend. U is L', by a transposition. */
#include "pivot/symmetric_fill.h"

#include <string.h>

#include "cost/tree.h"

/* Rows between polls. */
enum { POLL_EVERY = 4096 };

typedef struct walker {
    wlu_context *ctx;
    const wlu_pattern *a;
    wlu_pivots *out;
    int32_t *left_p, *left_i; /* n + 1, nnz at most: entries of A left of the diagonal, by row */
    int32_t *parent, *mark;   /* n */
    int64_t *next;            /* n */
} walker;

/* The row of entry e, as a position. */
static inline int32_t row_of(const walker *w, int32_t e)
{
    return w->out->row_pos[w->a->i[e]];
}

/* Counts the entries of each row left of the diagonal; 0 where its column has not as many above it. above: n. */
static int count_left(walker *w, int32_t *above)
{
    int32_t n = w->a->n;
    memset(w->left_p, 0, ((size_t)n + 1) * sizeof *w->left_p);
    for (int32_t k = 0; k < n; k++) {
        int32_t j = w->out->col[k];
        above[k] = 0;
        for (int32_t e = w->a->p[j]; e < w->a->p[j + 1]; e++) {
            int32_t at = row_of(w, e);
            above[k] += at < k;
            w->left_p[at + 1] += at > k;
        }
    }
    for (int32_t k = 0; k < n; k++) {
        if (w->left_p[k + 1] != above[k]) return 0;
        w->left_p[k + 1] += w->left_p[k];
    }
    return 1;
}

/* Lists them, each row's ascending. next: n. */
static void list_left(walker *w, int32_t *next)
{
    int32_t n = w->a->n;
    memcpy(next, w->left_p, (size_t)n * sizeof *next);
    for (int32_t k = 0; k < n; k++) {
        int32_t j = w->out->col[k];
        for (int32_t e = w->a->p[j]; e < w->a->p[j + 1]; e++) {
            int32_t at = row_of(w, e);
            if (at > k) w->left_i[next[at]++] = k;
        }
    }
}

/* Whether each entry above the diagonal, of which there are as many, is one of those left of it. */
static int is_symmetric(const walker *w)
{
    int32_t n = w->a->n;
    for (int32_t k = 0; k < n; k++) w->mark[k] = -1;
    for (int32_t k = 0; k < n; k++) {
        int32_t j = w->out->col[k];
        for (int32_t q = w->left_p[k]; q < w->left_p[k + 1]; q++) w->mark[w->left_i[q]] = k;
        for (int32_t e = w->a->p[j]; e < w->a->p[j + 1]; e++) {
            int32_t at = row_of(w, e);
            if (at < k && w->mark[at] != k) return 0;
        }
    }
    return 1;
}

static void find_tree(walker *w)
{
    int32_t *ancestor = w->mark;
    for (int32_t k = 0; k < w->a->n; k++) {
        w->parent[k] = ancestor[k] = -1;
        for (int32_t q = w->left_p[k]; q < w->left_p[k + 1]; q++) wlu_tree_climb(w->parent, ancestor, w->left_i[q], k);
    }
}

/* Walks row k: next of each of its columns moves on, and where li is not NULL, k is written there. Returns how many
 * there are. */
static inline int32_t walk_row(const walker *w, int32_t k, int32_t *li)
{
    const int32_t *parent = w->parent;
    int32_t *mark = w->mark, count = 0;
    mark[k] = k;
    for (int32_t q = w->left_p[k]; q < w->left_p[k + 1]; q++)
        for (int32_t j = w->left_i[q]; mark[j] != k; j = parent[j]) {
            mark[j] = k;
            count++;
            if (li != NULL) li[w->next[j]] = k;
            w->next[j]++;
        }
    return count;
}

/* Where columns of L and U begin, and terms. */
static warplu_status count_entries(walker *w)
{
    wlu_pivots *out = w->out;
    warplu_status status = WARPLU_SUCCESS;
    memset(w->next, 0, (size_t)out->n * sizeof *w->next);
    for (int32_t k = 0; k < out->n; k++) w->mark[k] = -1;
    out->lp[0] = out->up[0] = 0;
    memset(out->fp, 0, ((size_t)out->n + 1) * sizeof *out->fp);
    for (int32_t k = 0; k < out->n && status == WARPLU_SUCCESS; k++) {
        out->up[k + 1] = out->up[k] + walk_row(w, k, NULL);
        if (k % POLL_EVERY == 0) status = wlu_poll_cancel(w->ctx);
    }
    for (int32_t k = 0; k < out->n; k++) {
        out->lp[k + 1] = out->lp[k] + w->next[k];
        out->terms += w->next[k] * w->next[k];
    }
    return status;
}

static warplu_status write_entries(walker *w)
{
    wlu_pivots *out = w->out;
    warplu_status status = WARPLU_SUCCESS;
    memcpy(w->next, out->lp, (size_t)out->n * sizeof *w->next);
    for (int32_t k = 0; k < out->n; k++) w->mark[k] = -1;
    for (int32_t k = 0; k < out->n && status == WARPLU_SUCCESS; k++) {
        walk_row(w, k, out->li);
        if (k % POLL_EVERY == 0) status = wlu_poll_cancel(w->ctx);
    }
    if (status == WARPLU_SUCCESS) status = wlu_poll_cancel(w->ctx);
    memcpy(w->next, out->up, (size_t)out->n * sizeof *w->next);
    for (int32_t j = 0; j < out->n && status == WARPLU_SUCCESS; j++)
        for (int64_t q = out->lp[j]; q < out->lp[j + 1]; q++) out->ui[w->next[out->li[q]]++] = j;
    return status;
}

static warplu_status find_patterns(walker *w)
{
    wlu_pivots *out = w->out;
    find_tree(w);
    out->height = wlu_tree_heights(out->n, w->parent, w->mark);
    warplu_status status = count_entries(w);
    if (status < 0) return status;
    out->li = WLU_ALLOC(w->ctx, out->lp[out->n], int32_t);
    out->ui = WLU_ALLOC(w->ctx, out->lp[out->n], int32_t);
    out->fi = WLU_ALLOC(w->ctx, 0, int32_t);
    if (out->li == NULL || out->ui == NULL || out->fi == NULL)
        return wlu_fail_memory(w->ctx, "patterns of the factors");
    return write_entries(w);
}

warplu_status wlu_pivots_find_symmetric_patterns(wlu_context *ctx, const wlu_pattern *a, wlu_pivots *pivots,
                                                 int *symmetric)
{
    int64_t n = a->n;
    walker w = {.ctx = ctx, .a = a, .out = pivots};
    w.left_p = WLU_ALLOC(ctx, n + 1, int32_t);
    w.left_i = WLU_ALLOC(ctx, a->nnz, int32_t);
    w.parent = WLU_ALLOC(ctx, n, int32_t);
    w.mark = WLU_ALLOC(ctx, n, int32_t);
    w.next = WLU_ALLOC(ctx, n, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    *symmetric = 0;
    if (!w.left_p || !w.left_i || !w.parent || !w.mark || !w.next) {
        status = wlu_fail_memory(ctx, "symmetric fill");
    } else if (count_left(&w, w.mark)) {
        list_left(&w, w.parent);
        *symmetric = is_symmetric(&w);
        if (*symmetric) status = find_patterns(&w);
    }
    void *owned[] = {w.left_p, w.left_i, w.parent, w.mark, w.next};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    return status;
}
