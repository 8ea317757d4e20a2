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

/* Terms of lines, n each: of pivots that are not tiled, of those that are. */
typedef struct lines {
    double *plain, *tiled;
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

/* Adds the entries of columns to those of their rows, or of their columns. */
static void count(int32_t n, const int64_t *p, const int32_t *i, const uint8_t *tiled, int by_rows, lines *to)
{
    for (int32_t j = 0; j < n; j++)
        for (int64_t q = p[j]; q < p[j + 1]; q++) {
            int32_t line = by_rows ? i[q] : j, other = by_rows ? j : i[q];
            (tiled != NULL && tiled[other] ? to->tiled : to->plain)[line]++;
        }
}

/* Of sums of the factorization: the pivots of an entry of L or U stand before both of its lines. */
static void find_factor(int32_t n, const int64_t *p, const int32_t *i, const wlu_sum_shapes *s, int by_rows,
                        lines *work, double *rounds)
{
    memset(work->plain, 0, 2 * (size_t)n * sizeof *work->plain);
    count(n, p, i, s->in_order ? NULL : s->tiled, by_rows, work);
    for (int32_t k = 0; k < n; k++) rounds[k] = of_chain(s, work->plain[k]) + work->tiled[k];
}

/* Of a substitution. tiles: of regions, or NULL. What they subtract is not taken out of the chain. */
static void find_solve(int32_t n, const wlu_sum_shapes *s, const int32_t *tiles, const lines *work, double *rounds)
{
    for (int32_t k = 0; k < n; k++) {
        rounds[k] = of_chain(s, work->plain[k]);
        if (tiles != NULL && tiles[k] >= 0) rounds[k] += tiles[k] + REGION;
    }
}

static void find(const wlu_bounded_factors *p, const wlu_sum_shapes *s, int transposed, lines *work, wlu_rounds *out)
{
    const int32_t n = p->a->n;
    const int regions = !transposed && !s->in_order;
    find_factor(n, p->lp, p->li, s, 1, work, transposed ? out->crossing : out->outer);
    find_factor(n, p->up, p->ui, s, 0, work, transposed ? out->outer : out->crossing);
    memset(work->plain, 0, (size_t)n * sizeof *work->plain);
    if (transposed)
        count(n, p->up, p->ui, NULL, 0, work);
    else
        count(n, p->lp, p->li, NULL, 1, work);
    count(n, p->fp, p->fi, NULL, !transposed, work);
    find_solve(n, s, regions ? s->y_tiles : NULL, work, out->first);
    memset(work->plain, 0, (size_t)n * sizeof *work->plain);
    if (transposed)
        count(n, p->lp, p->li, NULL, 0, work);
    else
        count(n, p->up, p->ui, NULL, 1, work);
    find_solve(n, s, regions ? s->x_tiles : NULL, work, out->second);
}

warplu_status wlu_rounds_find(wlu_context *ctx, const wlu_bounded_factors *p, const wlu_sum_shapes *shapes,
                              int transposed, wlu_rounds *out)
{
    const int64_t n = p->a->n;
    double *block = WLU_ALLOC(ctx, 4 * n, double), *room = WLU_ALLOC(ctx, 2 * n, double);
    lines work = {room, room + n};
    *out = (wlu_rounds){block, block + n, block + 2 * n, block + 3 * n};
    warplu_status status = WARPLU_SUCCESS;
    if (block != NULL && room != NULL)
        find(p, shapes, transposed, &work, out);
    else
        status = wlu_fail_memory(ctx, "a bound on rounding");
    wlu_free(ctx, room);
    if (status < 0) wlu_rounds_free(ctx, out);
    return status;
}

void wlu_rounds_free(wlu_context *ctx, wlu_rounds *rounds)
{
    wlu_free(ctx, rounds->outer);
    *rounds = (wlu_rounds){0};
}
