/* Elimination trees. See tree.h. */
#include "cost/tree.h"

#include <string.h>

int32_t wlu_tree_heights(int32_t n, const int32_t *parent, int32_t *height)
{
    int32_t most = 0;
    for (int32_t k = 0; k < n; k++) height[k] = 1;
    for (int32_t k = 0; k < n; k++) {
        int32_t up = parent[k];
        if (up >= 0 && height[up] <= height[k]) height[up] = height[k] + 1;
        if (height[k] > most) most = height[k];
    }
    return most;
}

void wlu_tree_heaviest_children(int32_t n, const int32_t *parent, const int32_t *l, const int32_t *u,
                                const int32_t *height, int32_t *heaviest)
{
    for (int32_t k = 0; k < n; k++) heaviest[k] = -1;
    for (int32_t k = 0; k < n; k++) {
        if (parent[k] < 0) continue;
        int32_t *best = &heaviest[parent[k]], rival = *best;
        if (rival < 0)
            *best = k;
        else if (height != NULL && height[k] != height[rival])
            *best = height[k] > height[rival] ? k : rival;
        else if (l[k] + u[k] >= l[rival] + u[rival])
            *best = k;
    }
}

/* A subtree takes the end of what its parent has left, the heaviest child's first. */
void wlu_tree_postorder(int32_t n, const int32_t *parent, const int32_t *heaviest, int32_t *size, int32_t *work,
                        int32_t *rank)
{
    int32_t *last = work, end = n - 1; /* the last place that a subtree has left */
    for (int32_t k = 0; k < n; k++) {
        size[k] = 1;
        rank[k] = -1;
    }
    for (int32_t k = 0; k < n; k++)
        if (parent[k] >= 0) size[parent[k]] += size[k];
    for (int32_t k = n - 1; k >= 0; k--) {
        int32_t up = parent[k], child = heaviest != NULL ? heaviest[k] : -1;
        if (rank[k] < 0) { /* nobody's heaviest child */
            int32_t *top = up >= 0 ? &last[up] : &end;
            rank[k] = *top;
            *top -= size[k];
        }
        last[k] = rank[k] - 1;
        if (child < 0) continue;
        rank[child] = last[k];
        last[k] -= size[child];
    }
}

/* Columns of each row of L: row_ptr (n + 1), row_col. */
static void transpose(const wlu_patterns *p, int64_t *row_ptr, int32_t *row_col)
{
    const int64_t *lp = p->lp;
    const int32_t *li = p->li;
    memset(row_ptr, 0, ((size_t)p->n + 1) * sizeof *row_ptr);
    for (int64_t q = 0, count = lp[p->n]; q < count; q++) row_ptr[li[q] + 1]++;
    for (int32_t k = 0; k < p->n; k++) row_ptr[k + 1] += row_ptr[k];
    for (int32_t j = p->n - 1; j >= 0; j--)
        for (int64_t q = lp[j], end = lp[j + 1]; q < end; q++) row_col[--row_ptr[li[q] + 1]] = j;
    /* row_ptr[i + 1] is now where row i begins */
    memmove(row_ptr, row_ptr + 1, (size_t)p->n * sizeof *row_ptr);
    row_ptr[p->n] = p->lp[p->n];
}

/* Makes j the root of the trees that hold the listed earlier pivots. */
static void climb(int32_t *parent, int32_t *ancestor, int32_t j, const int32_t *earlier, int64_t count)
{
    for (int64_t q = 0; q < count; q++) wlu_tree_climb(parent, ancestor, earlier[q], j);
}

static void find_parents(const wlu_patterns *p, const int64_t *row_ptr, const int32_t *row_col, int32_t *parent,
                         int32_t *ancestor)
{
    for (int32_t j = 0; j < p->n; j++) {
        parent[j] = ancestor[j] = -1;
        climb(parent, ancestor, j, p->ui + p->up[j], p->up[j + 1] - p->up[j]);
        climb(parent, ancestor, j, row_col + row_ptr[j], row_ptr[j + 1] - row_ptr[j]);
    }
}

/* Whether U is L', entry by entry. next: n. */
static int is_symmetric(const wlu_patterns *p, int64_t *next)
{
    if (p->lp[p->n] != p->up[p->n]) return 0;
    memcpy(next, p->up, (size_t)p->n * sizeof *next);
    for (int32_t j = 0; j < p->n; j++)
        for (int64_t q = p->lp[j], end = p->lp[j + 1]; q < end; q++) {
            int32_t i = p->li[q];
            if (next[i] == p->up[i + 1] || p->ui[next[i]++] != j) return 0;
        }
    return 1;
}

/* Then the first row of a column of L is its parent: all others are above it. */
static void take_parents(const wlu_patterns *p, int32_t *parent)
{
    for (int32_t j = 0; j < p->n; j++) parent[j] = p->lp[j] < p->lp[j + 1] ? p->li[p->lp[j]] : -1;
}

static void count_entries(const wlu_patterns *p, int symmetric, int32_t *l, int32_t *u)
{
    for (int32_t k = 0; k < p->n; k++) {
        l[k] = (int32_t)(p->lp[k + 1] - p->lp[k]);
        u[k] = symmetric ? l[k] : 0;
    }
    if (symmetric) return;
    const int32_t *ui = p->ui;
    for (int64_t q = 0, count = p->up[p->n]; q < count; q++) u[ui[q]]++;
}

/* symmetric: whether U is L'. work: n. */
static warplu_status find_all_parents(wlu_context *ctx, const wlu_patterns *p, int32_t *parent, int *symmetric,
                                      int32_t *work)
{
    int64_t *row_ptr = WLU_ALLOC(ctx, (int64_t)p->n + 1, int64_t);
    *symmetric = row_ptr != NULL && is_symmetric(p, row_ptr);
    int32_t *row_col = *symmetric ? NULL : WLU_ALLOC(ctx, p->lp[p->n], int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (*symmetric) {
        take_parents(p, parent);
    } else if (row_ptr == NULL || row_col == NULL) {
        status = wlu_fail_memory(ctx, "elimination tree");
    } else {
        transpose(p, row_ptr, row_col);
        find_parents(p, row_ptr, row_col, parent, work);
    }
    wlu_free(ctx, row_ptr);
    wlu_free(ctx, row_col);
    return status;
}

warplu_status wlu_tree_find(wlu_context *ctx, const wlu_patterns *p, int paths, wlu_tree *out)
{
    int64_t n = p->n;
    int32_t *pool = out->parent = WLU_ALLOC(ctx, 6 * n, int32_t);
    int32_t *work = WLU_ALLOC(ctx, 3 * n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    int symmetric = 0;
    if (pool != NULL && work != NULL) status = find_all_parents(ctx, p, out->parent, &symmetric, work);
    if (!pool || !work || status < 0) {
        status = wlu_fail_memory(ctx, "elimination tree");
        wlu_tree_free(ctx, out);
    } else {
        int32_t *rank = work + 2 * n;
        out->height = pool + n;
        out->heaviest = pool + 2 * n;
        out->order = pool + 3 * n;
        out->l = pool + 4 * n;
        out->u = pool + 5 * n;
        count_entries(p, symmetric, out->l, out->u);
        wlu_tree_heights(p->n, out->parent, out->height);
        wlu_tree_heaviest_children(p->n, out->parent, out->l, out->u, paths ? out->height : NULL, out->heaviest);
        wlu_tree_postorder(p->n, out->parent, out->heaviest, work, work + n, rank);
        for (int32_t k = 0; k < p->n; k++) out->order[rank[k]] = k;
    }
    wlu_free(ctx, work);
    return status;
}

void wlu_tree_free(wlu_context *ctx, wlu_tree *t)
{
    wlu_free(ctx, t->parent); /* all others are in its pool */
    memset(t, 0, sizeof *t);
}
