/* Finds maximum transversals by augmenting paths (Duff, On algorithms for obtaining a maximum transversal, 1981). In
 * the first pass rows with strong entries may use these alone; in the second all entries may be used. Cost: O(n
 * entries). */
#include <string.h>

#include "model/method/transversal.h"

typedef struct search {
    const wlm_jacobian *matrix, *strong;
    int any;              /* 1 in the second pass */
    int32_t *match, *row; /* the column of each row, the row of each column; -1: none */
    int32_t *seen, stamp; /* for each column: the stamp when it was seen last */
    int32_t *stack, *at;  /* rows of the path, and the entry that each looks at */
} search;

static const wlm_jacobian *entries_of(const search *s, int32_t row)
{
    return !s->any && s->strong->ptr[row + 1] > s->strong->ptr[row] ? s->strong : s->matrix;
}

/* Returns the next column that the row on top of the path may take, or -1. */
static int32_t advance(search *s, int32_t depth)
{
    const wlm_jacobian *m = entries_of(s, s->stack[depth]);
    while (s->at[depth] < m->ptr[s->stack[depth] + 1]) {
        int32_t column = m->idx[s->at[depth]++];
        if (s->seen[column] == s->stamp) continue;
        s->seen[column] = s->stamp;
        return column;
    }
    return -1;
}

static void push(search *s, int32_t depth, int32_t row)
{
    s->stack[depth] = row;
    s->at[depth] = entries_of(s, row)->ptr[row];
}

/* Gives the row a column, and other rows other ones, where that is possible. */
static void augment(search *s, int32_t row)
{
    int32_t depth = 0;
    s->stamp++;
    push(s, 0, row);
    while (depth >= 0) {
        int32_t column = advance(s, depth);
        if (column < 0) {
            depth--;
            continue;
        }
        if (s->row[column] >= 0) {
            push(s, ++depth, s->row[column]);
            continue;
        }
        for (; depth >= 0; depth--) { /* each row of the path takes the column that it last looked at */
            int32_t taker = s->stack[depth], free_column = column;
            column = s->match[taker];
            s->match[taker] = free_column;
            s->row[free_column] = taker;
        }
        return;
    }
}

/* Takes diagonal entries first, for users mostly write the equation of an unknown at its place. */
static void take_diagonal(search *s, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const wlm_jacobian *m = entries_of(s, i);
        for (int32_t k = m->ptr[i]; k < m->ptr[i + 1]; k++)
            if (m->idx[k] == i) s->match[i] = i, s->row[i] = i;
    }
}

int32_t wlm_transversal(wlu_context *ctx, const wlm_jacobian *matrix, const wlm_jacobian *strong, int32_t *match,
                        int32_t *open)
{
    int32_t n = matrix->rows, matched = 0;
    int32_t *work = WLU_CALLOC(ctx, 4 * (int64_t)n, int32_t);
    if (work == NULL) return -1;
    search s = {matrix, strong, 0, match, work, work + n, 0, work + 2 * (int64_t)n, work + 3 * (int64_t)n};
    for (int32_t i = 0; i < n; i++) match[i] = s.row[i] = -1;
    take_diagonal(&s, n);
    for (s.any = 0; s.any <= 1; s.any++)
        for (int32_t i = 0; i < n; i++)
            if (match[i] < 0) augment(&s, i);
    for (int32_t i = 0; i < n; i++) {
        matched += match[i] >= 0;
        if (match[i] < 0) *open = i;
    }
    wlu_free(ctx, work);
    return matched;
}
