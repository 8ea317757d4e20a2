/* Eliminates on a full square of nodes, for n is small. */
#include "model/step/lu.h"

static wlm_node *at(const wlm_lu *lu, int32_t row, int32_t column)
{
    return &lu->a[(int64_t)row * lu->n + column];
}

/* The pivot beside the largest of its row: what is left of |pivot| - 1e-12 |largest|. */
static wlm_node weigh(const wlm_lu *lu, int32_t row, int32_t column)
{
    wlm_graph *g = lu->graph;
    wlm_node pivot = wlm_unary(g, WLM_ABS, *at(lu, row, column)), most = WLM_NONE;
    for (int32_t j = 0; j < lu->n; j++) {
        if (*at(lu, row, j) == WLM_NONE || lu->gone[j] || j == column) continue;
        wlm_node size = wlm_unary(g, WLM_ABS, *at(lu, row, j));
        most = most == WLM_NONE ? size : wlm_binary(g, WLM_MAX, most, size);
    }
    return most == WLM_NONE ? pivot : wlm_ternary(g, WLM_FNMA, wlm_constant(g, 1e-12), most, pivot);
}

static void subtract(wlm_lu *lu, int32_t from, int32_t row, int32_t pivot_column)
{
    wlm_graph *g = lu->graph;
    wlm_node multiplier = *at(lu, row, pivot_column);
    for (int32_t j = 0; j < lu->n; j++) {
        wlm_node factor = *at(lu, from, j), *to = at(lu, row, j);
        if (factor == WLM_NONE || lu->gone[j]) continue;
        *to = *to == WLM_NONE ? wlm_unary(g, WLM_NEG, wlm_binary(g, WLM_MUL, multiplier, factor))
                              : wlm_ternary(g, WLM_FNMA, multiplier, factor, *to);
    }
}

static void eliminate(wlm_lu *lu, int32_t k)
{
    const int32_t row = lu->row[k], column = lu->column[k];
    wlm_graph *g = lu->graph;
    wlm_node weight = weigh(lu, row, column);
    lu->health = lu->health == WLM_NONE ? weight : wlm_binary(g, WLM_MIN, lu->health, weight);
    lu->sign = wlm_binary(g, WLM_MUL, lu->sign, wlm_unary(g, WLM_SIGN, *at(lu, row, column)));
    lu->inverse[k] = wlm_binary(g, WLM_DIV, wlm_constant(g, 1.0), *at(lu, row, column));
    lu->done[row] = k, lu->gone[column] = 1;
    for (int32_t i = 0; i < lu->n; i++) {
        wlm_node *entry = at(lu, i, column);
        if (*entry == WLM_NONE || lu->done[i] < lu->n) continue;
        *entry = wlm_binary(g, WLM_MUL, *entry, lu->inverse[k]);
        subtract(lu, row, i, column);
    }
}

static warplu_status factor(wlm_lu *lu, const wlm_jacobian *matrix)
{
    for (int32_t i = 0; i < lu->n; i++)
        for (int32_t k = matrix->ptr[i]; k < matrix->ptr[i + 1]; k++) *at(lu, i, matrix->idx[k]) = matrix->node[k];
    for (int32_t k = 0; k < lu->n; k++) eliminate(lu, k);
    if (lu->n == 0) lu->health = lu->sign; /* 1 */
    return wlm_graph_status(lu->graph);
}

static warplu_status make_room(wlm_lu *lu)
{
    const int64_t n = lu->n, square = n * n;
    lu->done = WLU_ALLOC(lu->ctx, 2 * n, int32_t);
    lu->a = WLU_ALLOC(lu->ctx, square + n, wlm_node);
    if (lu->done == NULL || lu->a == NULL) return wlu_fail_memory(lu->ctx, "step");
    lu->gone = lu->done + n, lu->inverse = lu->a + square;
    for (int64_t i = 0; i < square; i++) lu->a[i] = WLM_NONE;
    for (int32_t i = 0; i < lu->n; i++) lu->done[i] = lu->n, lu->gone[i] = 0;
    return WARPLU_SUCCESS;
}

warplu_status wlm_lu_create(wlm_graph *graph, const wlm_jacobian *matrix, const int32_t *row, const int32_t *column,
                            wlm_lu **out)
{
    wlu_context *ctx = wlm_graph_context(graph);
    *out = NULL;
    wlm_lu *lu = WLU_ALLOC(ctx, 1, wlm_lu);
    if (lu == NULL) return wlu_fail_memory(ctx, "step");
    *lu = (wlm_lu){.ctx = ctx, .graph = graph, .n = matrix->rows, .row = row, .column = column};
    lu->health = WLM_NONE, lu->sign = wlm_constant(graph, 1.0);
    warplu_status status = make_room(lu);
    if (status == WARPLU_SUCCESS) status = factor(lu, matrix);
    if (status != WARPLU_SUCCESS) wlm_lu_destroy(&lu);
    *out = lu;
    return status;
}

void wlm_lu_destroy(wlm_lu **lu)
{
    if (*lu == NULL) return;
    wlu_context *ctx = (*lu)->ctx;
    wlu_free(ctx, (*lu)->done);
    wlu_free(ctx, (*lu)->a);
    wlu_free(ctx, *lu);
    *lu = NULL;
}

/* Returns to - l from, where any of them may be zero. */
static wlm_node reduce(wlm_graph *g, wlm_node to, wlm_node l, wlm_node from)
{
    if (l == WLM_NONE || from == WLM_NONE) return to;
    if (to == WLM_NONE) return wlm_unary(g, WLM_NEG, wlm_binary(g, WLM_MUL, l, from));
    return wlm_ternary(g, WLM_FNMA, l, from, to);
}

warplu_status wlm_lu_solve(const wlm_lu *lu, const wlm_node *b, wlm_node *x)
{
    wlm_graph *g = lu->graph;
    int32_t n = lu->n;
    wlm_node *w = WLU_ALLOC(lu->ctx, n, wlm_node); /* one for each pivot */
    if (w == NULL) return wlu_fail_memory(lu->ctx, "step");
    for (int32_t k = 0; k < n; k++) {
        w[k] = b[lu->row[k]];
        for (int32_t j = 0; j < k; j++) w[k] = reduce(g, w[k], *at(lu, lu->row[k], lu->column[j]), w[j]);
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        for (int32_t j = n - 1; j > k; j--) w[k] = reduce(g, w[k], *at(lu, lu->row[k], lu->column[j]), w[j]);
        if (w[k] != WLM_NONE) w[k] = wlm_binary(g, WLM_MUL, w[k], lu->inverse[k]);
    }
    for (int32_t k = 0; k < n; k++) x[lu->column[k]] = w[k] == WLM_NONE ? wlm_constant(g, 0.0) : w[k];
    wlu_free(lu->ctx, w);
    return wlm_graph_status(g);
}
