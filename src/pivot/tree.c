/* Elimination tree and postorder of the pivots. See tree.h. */
#include "pivot/tree.h"

#include <string.h>

/* Columns of each row of L: row_ptr (n + 1), row_col. */
static void transpose(const wlu_pivots *p, int64_t *row_ptr, int32_t *row_col)
{
    memset(row_ptr, 0, ((size_t)p->n + 1) * sizeof *row_ptr);
    for (int64_t q = 0; q < p->lp[p->n]; q++) row_ptr[p->li[q] + 1]++;
    for (int32_t k = 0; k < p->n; k++) row_ptr[k + 1] += row_ptr[k];
    for (int32_t j = p->n - 1; j >= 0; j--)
        for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) row_col[--row_ptr[p->li[q] + 1]] = j;
    /* row_ptr[i + 1] is now where row i begins */
    memmove(row_ptr, row_ptr + 1, (size_t)p->n * sizeof *row_ptr);
    row_ptr[p->n] = p->lp[p->n];
}

/* Makes j the root of the trees that hold the listed earlier pivots. */
static void climb(int32_t *parent, int32_t *ancestor, int32_t j, const int32_t *earlier, int64_t count)
{
    for (int64_t q = 0; q < count; q++) wlu_tree_climb(parent, ancestor, earlier[q], j);
}

/* Whether child k is to come after its sibling: it has as many entries, or where paths count, is higher. */
static int comes_later(const wlu_pivots *p, const int32_t *u_row, const wlu_tree *t, int paths, int32_t k,
                       int32_t sibling)
{
    if (paths && t->height[k] != t->height[sibling]) return t->height[k] > t->height[sibling];
    return p->lp[k + 1] - p->lp[k] + u_row[k] >= p->lp[sibling + 1] - p->lp[sibling] + u_row[sibling];
}

/* The postorder: a subtree takes the end of what its parent has left, the heaviest child's first. size, last: n. */
static void number(const wlu_pivots *p, const int32_t *u_row, int paths, wlu_tree *t, int32_t *size, int32_t *last)
{
    int32_t n = p->n, *heaviest = last, end = n - 1;
    for (int32_t k = 0; k < n; k++) {
        size[k] = 1;
        t->height[k] = 1;
        heaviest[k] = -1;
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t up = t->parent[k], best = up >= 0 ? heaviest[up] : -1;
        if (up < 0) continue;
        size[up] += size[k];
        if (t->height[up] <= t->height[k]) t->height[up] = t->height[k] + 1;
        if (best < 0 || comes_later(p, u_row, t, paths, k, best)) heaviest[up] = k;
    }
    /* order[] holds ranks for now; the end of what a node has left takes heaviest's place once that is placed */
    for (int32_t k = n - 1; k >= 0; k--) {
        int32_t up = t->parent[k], child = heaviest[k];
        if (up < 0) {
            t->order[k] = end;
            end -= size[k];
        } else if (t->order[k] < 0) {
            t->order[k] = last[up];
            last[up] -= size[k];
        }
        last[k] = t->order[k] - 1;
        if (child < 0) continue;
        t->order[child] = last[k];
        last[k] -= size[child];
    }
    for (int32_t k = 0; k < n; k++) size[t->order[k]] = k;
    memcpy(t->order, size, (size_t)n * sizeof *size);
}

warplu_status wlu_tree_find(wlu_context *ctx, const wlu_pivots *p, const int32_t *u_row, int paths, wlu_tree *out)
{
    int32_t n = p->n;
    out->parent = WLU_ALLOC(ctx, n, int32_t);
    out->height = WLU_ALLOC(ctx, n, int32_t);
    out->order = WLU_ALLOC(ctx, n, int32_t);
    int32_t *work = WLU_ALLOC(ctx, 2 * (int64_t)n, int32_t);
    int64_t *row_ptr = WLU_ALLOC(ctx, (int64_t)n + 1, int64_t);
    int32_t *row_col = WLU_ALLOC(ctx, p->lp[n], int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (!out->parent || !out->height || !out->order || !work || !row_ptr || !row_col) {
        status = wlu_fail_memory(ctx, "elimination tree");
        wlu_tree_free(ctx, out);
    } else {
        transpose(p, row_ptr, row_col);
        for (int32_t j = 0; j < n; j++) {
            out->parent[j] = work[j] = out->order[j] = -1;
            climb(out->parent, work, j, p->ui + p->up[j], p->up[j + 1] - p->up[j]);
            climb(out->parent, work, j, row_col + row_ptr[j], row_ptr[j + 1] - row_ptr[j]);
        }
        number(p, u_row, paths, out, work, work + n);
    }
    wlu_free(ctx, work);
    wlu_free(ctx, row_ptr);
    wlu_free(ctx, row_col);
    return status;
}

void wlu_tree_free(wlu_context *ctx, wlu_tree *t)
{
    wlu_free(ctx, t->parent);
    wlu_free(ctx, t->height);
    wlu_free(ctx, t->order);
    memset(t, 0, sizeof *t);
}
