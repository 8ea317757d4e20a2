/* An equivalent order of smallest height. See reduce_height.h. */
#include "order/reduce_height.h"

#include <string.h>

typedef struct builder {
    int32_t n, cliques;
    /* pivots, by position */
    int32_t *up_p, *up_i;  /* later neighbours */
    int32_t *count;        /* entries of L below the diagonal */
    const int32_t *parent; /* in the elimination tree */
    int32_t *child, *sibling, *mark;
    int32_t *clique;           /* the one of the pivot and its entries */
    int32_t *holders, *holder; /* cliques that hold it: how many, and their numbers' exclusive or */
    int32_t *next;             /* in its clique's list of those that can go; itself once it is gone */
    /* cliques */
    int64_t *first; /* cliques + 1: in member */
    int32_t *member;
    int32_t *size, *shared;       /* members left; shared with the clique above */
    int32_t *above;               /* resolved by find_clique; -1 at roots */
    int32_t *into;                /* the clique that it is part of by now, itself while it lives */
    int32_t *head, *tail, *after; /* those below it: lists, with some that have left it, */
    int32_t *most;                /* none of which shares more members with it */
    int32_t *ready;               /* members that can go */
    int32_t *active, *queued;     /* cliques of the next step; whether it is one */
    int32_t nactive;
} builder;

/* ----------------------------------------------------------------- cliques */

static void add_member(builder *b, int32_t j, int32_t i, int64_t *at)
{
    if (i <= j || b->mark[i] == j) return;
    b->mark[i] = j;
    b->member[(*at)++] = i;
}

/* Each pivot's entries of L; a clique where no child has them all. */
static void find_cliques(builder *b)
{
    int64_t end = 0;
    for (int32_t j = 0; j < b->n; j++) b->child[j] = b->mark[j] = -1;
    for (int32_t j = 0; j < b->n; j++) {
        int64_t at = end;
        int32_t same = -1;
        b->member[at++] = j;
        for (int32_t q = b->up_p[j]; q < b->up_p[j + 1]; q++) add_member(b, j, b->up_i[q], &at);
        for (int32_t c = b->child[j]; c >= 0; c = b->sibling[c])
            for (int64_t q = b->first[b->clique[c]]; q < b->first[b->clique[c] + 1]; q++)
                add_member(b, j, b->member[q], &at);
        b->count[j] = (int32_t)(at - end) - 1;
        for (int32_t c = b->child[j]; c >= 0; c = b->sibling[c])
            if (b->count[c] == b->count[j] + 1) same = b->clique[c];
        if (same < 0) {
            same = b->cliques++;
            b->first[same] = end;
            b->first[same + 1] = end = at;
        }
        b->clique[j] = same;
        b->above[same] = b->parent[j]; /* of its last pivot, as a pivot for now */
        b->shared[same] = b->count[j];
        if (b->parent[j] < 0) continue;
        b->sibling[j] = b->child[b->parent[j]];
        b->child[b->parent[j]] = j;
    }
}

static void make_ready(builder *b, int32_t v)
{
    int32_t q = b->holder[v];
    b->next[v] = b->ready[q];
    b->ready[q] = v;
    if (b->queued[q]) return;
    b->queued[q] = 1;
    b->active[b->nactive++] = q;
}

/* most: what they share at most. */
static void append_below(builder *b, int32_t q, int32_t head, int32_t tail, int32_t most)
{
    if (head < 0) return;
    if (b->most[q] < most) b->most[q] = most;
    if (b->head[q] < 0)
        b->head[q] = head;
    else
        b->after[b->tail[q]] = head;
    b->tail[q] = tail;
}

static void build_tree(builder *b)
{
    for (int32_t v = 0; v < b->n; v++) {
        b->holders[v] = b->holder[v] = 0;
        b->next[v] = -1;
    }
    for (int32_t q = 0; q < b->cliques; q++) {
        b->size[q] = (int32_t)(b->first[q + 1] - b->first[q]);
        b->into[q] = q;
        b->head[q] = b->tail[q] = b->after[q] = b->ready[q] = -1;
        b->queued[q] = b->most[q] = 0;
        for (int64_t m = b->first[q]; m < b->first[q + 1]; m++) {
            b->holders[b->member[m]]++;
            b->holder[b->member[m]] ^= q;
        }
    }
    for (int32_t q = 0; q < b->cliques; q++) {
        if (b->above[q] < 0) continue;
        b->above[q] = b->clique[b->above[q]];
        append_below(b, b->above[q], q, q, b->shared[q]);
    }
    b->nactive = 0;
    for (int32_t v = 0; v < b->n; v++)
        if (b->holders[v] == 1) make_ready(b, v);
}

/* ------------------------------------------------------------- elimination */

static int32_t find_clique(builder *b, int32_t q)
{
    while (q >= 0 && b->into[q] != q) {
        int32_t up = b->into[q];
        b->into[q] = b->into[up];
        q = up;
    }
    return q;
}

/* Clique q has become part of its neighbour `to`. */
static void merge(builder *b, int32_t q, int32_t to)
{
    b->into[q] = to;
    append_below(b, to, b->head[q], b->tail[q], b->most[q]);
    for (int64_t m = b->first[q]; m < b->first[q + 1]; m++) {
        int32_t v = b->member[m];
        if (b->next[v] == v) continue;
        b->holder[v] ^= q;
        if (--b->holders[v] == 1) make_ready(b, v);
    }
}

/* Takes from q's list a clique below q that holds all of it; -1: there is none. Cliques before it that have left the
 * list are dropped. A hub has thousands below it, so the list is walked only if one of them may be found. */
static int32_t take_holder(builder *b, int32_t q)
{
    int32_t k = b->head[q], end = b->tail[q], most = b->most[q];
    if (most < b->size[q]) return -1;
    b->head[q] = b->tail[q] = -1;
    b->most[q] = 0;
    for (int32_t then; k >= 0; k = then) {
        then = b->after[k];
        b->after[k] = -1;
        if (b->into[k] != k || find_clique(b, b->above[k]) != q) continue;
        if (b->shared[k] == b->size[q]) {
            append_below(b, q, then, end, most);
            return k;
        }
        append_below(b, q, k, k, b->shared[k]);
    }
    return -1;
}

/* Merges clique q, none of whose members can go, if a neighbour holds all that is left of it; merges that neighbour too
 * if the two are equal. */
static void settle(builder *b, int32_t q)
{
    while (b->ready[q] < 0 && b->size[q] > 0) {
        int32_t above = find_clique(b, b->above[q]), to = above;
        if (above < 0 || b->size[q] != b->shared[q]) {
            to = take_holder(b, q);
            if (to < 0) return;
            b->above[to] = above;
            b->shared[to] = b->shared[q];
            if (above >= 0) append_below(b, above, to, to, b->shared[to]);
        }
        merge(b, q, to);
        q = to;
    }
}

/* Steps: of each active clique one vertex goes. Returns how many steps, which is the height; 0 if they are more than
 * `highest`. order: positions; step: cliques. */
static int32_t eliminate(builder *b, int32_t highest, int32_t *step, int32_t *order)
{
    int32_t at = 0, height = 0;
    while (b->nactive > 0) {
        int32_t nstep = b->nactive;
        if (height++ == highest) return 0;
        memcpy(step, b->active, (size_t)nstep * sizeof *step);
        b->nactive = 0;
        for (int32_t k = 0; k < nstep; k++) {
            int32_t q = step[k], v = b->ready[q];
            b->queued[q] = 0;
            if (v < 0) continue;
            b->ready[q] = b->next[v];
            b->next[v] = v;
            b->size[q]--;
            order[at++] = v;
        }
        for (int32_t k = 0; k < nstep; k++) {
            int32_t q = step[k];
            if (b->into[q] == q) settle(b, q);
            if (b->into[q] != q || b->ready[q] < 0 || b->queued[q]) continue;
            b->queued[q] = 1;
            b->active[b->nactive++] = q;
        }
    }
    return height;
}

warplu_status wlu_order_reduce_height(wlu_context *ctx, const wlu_diagonal_block *block, const int32_t *order,
                                      const int32_t *parent, int64_t entries, int32_t highest, int32_t *lower,
                                      int32_t *height)
{
    int64_t n = block->n, nnz = block->p[n];
    int32_t *pool = WLU_ALLOC(ctx, 21 * n + 1 + nnz, int32_t);
    int64_t *first = WLU_ALLOC(ctx, n + 1, int64_t);
    int32_t *member = WLU_ALLOC(ctx, entries, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (pool == NULL || first == NULL || member == NULL) {
        status = wlu_fail_memory(ctx, "order of smallest height");
    } else {
        builder b = {.n = block->n, .parent = parent, .first = first, .member = member};
        int32_t **arrays[] = {&b.count, &b.child, &b.sibling, &b.mark,   &b.clique, &b.holders, &b.holder,
                              &b.next,  &b.size,  &b.shared,  &b.above,  &b.into,   &b.head,    &b.tail,
                              &b.after, &b.most,  &b.ready,   &b.active, &b.queued};
        int32_t *at = pool, *position = pool + 19 * n;
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++, at += n) *arrays[k] = at;
        b.up_p = pool + 20 * n;
        b.up_i = b.up_p + n + 1;
        for (int32_t k = 0; k < b.n; k++) position[order[k]] = k;
        wlu_block_later(block, position, b.up_p, b.up_i, b.mark);
        first[0] = 0;
        find_cliques(&b);
        build_tree(&b);
        *height = eliminate(&b, highest, b.mark, position);
        for (int32_t k = 0; k<b.n && * height> 0; k++) lower[k] = order[position[k]];
    }
    wlu_free(ctx, pool);
    wlu_free(ctx, first);
    wlu_free(ctx, member);
    return status;
}
