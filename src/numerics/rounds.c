/* Counts of roundings. See rounds.h.
 *
 * A chain of m terms in accumulators: a term is in as many roundings as its accumulator has terms, in those of the tree
 * and in the one of its end. One that is cut goes through two of these. Lines tell how many terms a chain has at most,
 * and a shorter one may be summed in order: counts never fall as lines grow. */
#include "numerics/rounds.h"

#include "numerics/sums.h"

#include <math.h>
#include <string.h>

/* A tree of accumulators, the padding of the last round, and the end. */
static const double TREE = 3.0, ROUND = 1.0, END = 1.0;
/* Of a tile in a region: a product, the tree, and up to seven terms within the own tile. */
static const double REGION = 1.0 + 3.0 + (WLU_DOT_LANES - 1);

/* Terms of lines, n each: of all pivots, of those that are tiled. */
typedef struct lines {
    int32_t *all, *tiled;
} lines;

/* A record of so many terms, or fewer. */
static double of_record(double terms)
{
    double lanes = terms / WLU_DOT_LANES + ROUND + TREE + END;
    if (terms <= WLU_DOT_IN_ORDER_MAX) return terms;
    return lanes > WLU_DOT_IN_ORDER_MAX ? lanes : WLU_DOT_IN_ORDER_MAX;
}

/* A piece has at most so many terms, and the last record one and a half times as many, and the pieces
 * (wlu_cost_partial_sums). */
static double of_cut(double terms, double piece)
{
    double each = sqrt(terms) + piece;
    return of_record(each) + of_record(1.5 * each + terms / piece);
}

static double of_chain(const wlu_sum_shapes *s, double terms)
{
    if (s->in_order) return terms;
    double whole = s->whole > 0.0 ? fmin(terms, s->whole) : terms;
    return terms > whole ? fmax(of_record(whole), of_cut(terms, s->piece)) : of_record(whole);
}

/* Entries of each row of a factor that is given by columns, added to what is there. */
static void count_rows(int32_t n, const int64_t *p, const int32_t *i, int32_t *count)
{
    for (int64_t q = 0; q < p[n]; q++) count[i[q]]++;
}

static void count_columns(int32_t n, const int64_t *p, int32_t *count)
{
    for (int32_t j = 0; j < n; j++) count[j] += (int32_t)(p[j + 1] - p[j]);
}

/* Rows of L, in the columns of tiled pivots; columns of U, in the rows of these. */
static void count_tiled_rows(int32_t n, const int64_t *p, const int32_t *i, const uint8_t *tiled, int32_t *count)
{
    for (int32_t j = 0; j < n; j++)
        for (int64_t q = tiled[j] ? p[j] : p[j + 1]; q < p[j + 1]; q++) count[i[q]]++;
}

static void count_tiled_columns(int32_t n, const int64_t *p, const int32_t *i, const uint8_t *tiled, int32_t *count)
{
    for (int32_t j = 0; j < n; j++)
        for (int64_t q = p[j]; q < p[j + 1]; q++) count[j] += tiled[i[q]];
}

static void clear(int32_t n, const lines *s)
{
    memset(s->all, 0, 2 * (size_t)n * sizeof *s->all);
}

/* Of sums of the factorization: what is tiled is subtracted in order. */
static void find_factor(int32_t n, const wlu_sum_shapes *s, const lines *l, double *rounds)
{
    for (int32_t k = 0; k < n; k++) rounds[k] = of_chain(s, (double)(l->all[k] - l->tiled[k])) + l->tiled[k];
}

/* Of a substitution. tiles: of regions, or NULL. What they subtract is not taken out of the chain. */
static void find_solve(int32_t n, const wlu_sum_shapes *s, const int32_t *tiles, const int32_t *terms, double *rounds)
{
    for (int32_t k = 0; k < n; k++) {
        rounds[k] = of_chain(s, (double)terms[k]);
        if (tiles != NULL && tiles[k] >= 0) rounds[k] += tiles[k] + REGION;
    }
}

/* Before entries of F are counted with the others, and after: what they add, and what there is. */
static void note_loads(int32_t n, const int32_t *count, double sign, wlu_rounds *out)
{
    for (int32_t k = 0; k < n; k++) {
        out->loads[k] = sign < 0.0 ? -count[k] : out->loads[k] + count[k];
        out->entries[k] = count[k] + 1.0;
    }
}

/* Rows of L: sums of the factorization, and of the substitution that they are in. */
static void find_rows_of_l(const wlu_bounded_factors *p, const wlu_sum_shapes *s, int transposed, const lines *l,
                           wlu_rounds *out)
{
    const int32_t n = p->a->n;
    const uint8_t *tiled = s->in_order ? NULL : s->tiled;
    clear(n, l);
    count_rows(n, p->lp, p->li, l->all);
    if (tiled != NULL) count_tiled_rows(n, p->lp, p->li, tiled, l->tiled);
    find_factor(n, s, l, transposed ? out->crossing : out->outer);
    if (transposed) return;
    note_loads(n, l->all, -1.0, out);
    count_rows(n, p->fp, p->fi, l->all);
    note_loads(n, l->all, 1.0, out);
    find_solve(n, s, s->in_order ? NULL : s->y_tiles, l->all, out->first);
}

/* Columns of U, the same. */
static void find_columns_of_u(const wlu_bounded_factors *p, const wlu_sum_shapes *s, int transposed, const lines *l,
                              wlu_rounds *out)
{
    const int32_t n = p->a->n;
    const uint8_t *tiled = s->in_order ? NULL : s->tiled;
    clear(n, l);
    count_columns(n, p->up, l->all);
    if (tiled != NULL) count_tiled_columns(n, p->up, p->ui, tiled, l->tiled);
    find_factor(n, s, l, transposed ? out->outer : out->crossing);
    if (!transposed) return;
    note_loads(n, l->all, -1.0, out);
    count_columns(n, p->fp, l->all);
    note_loads(n, l->all, 1.0, out);
    find_solve(n, s, NULL, l->all, out->first);
}

/* Rows of U, columns of L: of the second substitution. */
static void find_second(const wlu_bounded_factors *p, const wlu_sum_shapes *s, int transposed, const lines *l,
                        wlu_rounds *out)
{
    const int32_t n = p->a->n;
    clear(n, l);
    if (transposed)
        count_columns(n, p->lp, l->all);
    else
        count_rows(n, p->up, p->ui, l->all);
    for (int32_t k = 0; k < n; k++) out->entries[k] += l->all[k];
    find_solve(n, s, transposed || s->in_order ? NULL : s->x_tiles, l->all, out->second);
}

warplu_status wlu_rounds_find(wlu_context *ctx, const wlu_bounded_factors *p, const wlu_sum_shapes *shapes,
                              int transposed, wlu_rounds *out)
{
    const int64_t n = p->a->n;
    double *block = WLU_ALLOC(ctx, 6 * n, double);
    int32_t *room = WLU_ALLOC(ctx, 2 * n, int32_t);
    const lines work = {room, room + n};
    *out = (wlu_rounds){block, block + n, block + 2 * n, block + 3 * n, block + 4 * n, block + 5 * n};
    warplu_status status = WARPLU_SUCCESS;
    if (block != NULL && room != NULL) {
        find_rows_of_l(p, shapes, transposed, &work, out);
        find_columns_of_u(p, shapes, transposed, &work, out);
        find_second(p, shapes, transposed, &work, out);
    } else {
        status = wlu_fail_memory(ctx, "a bound on rounding");
    }
    wlu_free(ctx, room);
    if (status < 0) wlu_rounds_free(ctx, out);
    return status;
}

void wlu_rounds_free(wlu_context *ctx, wlu_rounds *rounds)
{
    wlu_free(ctx, rounds->outer);
    *rounds = (wlu_rounds){0};
}
