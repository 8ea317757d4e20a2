/* The race of orders. See race.h.
 *
 * The automatic race: AMD orders every form. The form whose AMD is predicted to be faster then gets COLAMD, and METIS
 * if a block is large enough to be dissected. Both take part only if their expected cost fits a budget of the expected
 * refactorizations; METIS has a larger budget where AMD leaves a long critical path. Both sides of that comparison are
 * counts, never clocks, so the same pattern and options give the same order on every machine.
 *
 * On a latency-bound target COLAMD has no part, and METIS dissects the top of AMD's order (order/dissect_top.h), with
 * several seeds if they fit the budget, and the best draw stays. AMD's order is replaced by an equivalent one of
 * smallest height (order/reduce_height.h) where that pays. Candidates are judged with a solve (order/candidate.h).
 * Where that takes long, the best form races with its blocks joined, and apart only if that does not lead.
 *
 * Cost: O(n + nnz) beside the orderings and a matching. Work beside the result, an ordering's own and a matching's: 13
 * n + 3 nnz int32 at most, with a second form 18 n + 4 nnz, with a joined one as much more again. */
#include "order/race.h"

#include "base/clock.h"
#include "cost/stages.h"
#include "order/candidate.h"
#include "order/dissect_top.h"
#include "order/order.h"

#include <string.h>

/* Refactorizations to come where nobody says how many. */
static const double REFACTORS_UNKNOWN = 1000.0;
/* The share of all expected refactorizations that METIS, or COLAMD, may cost. On those 56 blocks it is predicted to win
 * on 13. Where it costs less than 1 % of 1 000 refactors it wins on 8 of 13, saving up to 33 % (3 462 unknowns of a
 * codec chip). From there to 8 % it wins on none of 15, and beyond on paths, bands and ladders, which are cheap. */
static const double BUDGET_SHARE = 0.02;
/* What METIS may cost where AMD leaves a critical path that takes more than CHAIN_SHARE of the predicted time, because
 * METIS cuts such paths: a ring of 1 023 unknowns goes from 26 us to 10, a grid of 36 000 with a path of 12 008 from
 * 1.5 ms to 1.0; METIS takes a seventh of a thousand refactors there. No other of 45 matrices of circuits, networks,
 * meshes and structures is above 0.08. */
static const double CHAIN_BUDGET_SHARE = 0.25;
static const double CHAIN_SHARE = 0.15;

/* On a latency-bound target, blocks below this are left to AMD. */
enum { CORE_BLOCK_MIN = 64, DRAWS_MAX = 8 };
/* A top with more entries a row is not worth a draw. On six of 109 matrices, with 21 to 103 of them, memories and stiff
 * structures, no dissection came within 8 % of minimum degree; those that win have 17 at most. */
static const double CORE_ENTRIES_MAX = 20.0;
/* The cut is moved down where the top has fewer rows, because METIS stops dissecting near there. Four of 45 matrices
 * have so small a top, and all win, 2 to 5 % by prediction (adder_dcop_05, fpga_dcop_01, rajat19, ng_sram). */
static const double CORE_ROWS_MIN = 128.0;
/* What METIS takes on tops of 200 to 17 000 rows, by row and by edge, and a prediction by row. */
static const double CORE_NS_PER_ROW = 4000.0;
static const double CORE_NS_PER_ENTRY = 250.0;
static const double PREDICTION_NS_PER_ROW = 500.0;
/* What the first draw may cost, and all draws together, as shares of all expected refactorizations and solves. A draw
 * that is worth anything saves a fifth of the time or much more. Others follow only as long as a draw leads and each is
 * better than those before. Over 109 matrices the first draw and as large a share for the others lost 0.04 % of
 * predicted time in the mean, 3 % at worst, against a share of 0.4 and draws in any case, and took half of the time, by
 * cost constants fitted before. */
static const double FIRST_DRAW_SHARE = 0.24;
static const double DRAWS_SHARE = 0.12;

/* Blocks are joined where a solve is more than the first share of a refactorization and a solve. The joined form must
 * promise this much more, because symmetric counts of a triangle of blocks are poor. Of 45 matrices four are tried,
 * their solves being 38 to 63 %, and three gain 15 to 53 % as measured. The others are at 28 % at most, where joining
 * wins little or loses. Draws follow where AMD leads, or where a solve is more than the second share: METIS cuts
 * critical paths that AMD leaves. */
static const double JOINING_SHARE = 0.33;
static const double JOINING_DOUBT = 1.05;
static const double JOINING_DRAW_SHARE = 0.5;
static const double JOINING_BUDGET_SHARE = 0.25; /* of solves */
/* What METIS may cost, before the first answer, of what the factors of AMD's order are predicted to take. It saves a
 * quarter of the terms of a square mesh, three fifths of a cube's, nine tenths of a power grid's. */
static const double FIRST_DISSECTION_SHARE = 0.1;

typedef struct builder {
    wlu_context *ctx;
    const warplu_options *options;
    const wlu_cost *cost;
    const wlu_pattern *a;
    wlu_depth depth;
    wlu_candidate *candidate;
    int32_t count;         /* of candidates */
    wlu_transversal *form; /* those at hand; a joined one may follow */
    int nforms;
    int32_t *order; /* n: block-local orders, one after the other */
    int32_t
        *amd[WLU_FORMS_MAX]; /* 2 n: AMD's of a form, where paths count and orderings race; and its trees by place */
    wlu_top *top;            /* of the best form's blocks, where there are any; NULL until they are drawn from */
} builder;

/* ------------------------------------------------------------- candidates */

/* What an ordering takes. One that orders every block is charged for all entries of A, those outside of blocks too: its
 * cost was fitted to whole matrices. */
static double ordering_ns(const wlu_pattern *a, const wlu_blocks *blocks, const wlu_ordering *o)
{
    double ns = 0.0;
    if (o->block_min == 0) return a->n * o->ns_per_row + a->nnz * o->ns_per_entry;
    for (int32_t b = 0; b < blocks->nblocks; b++) {
        wlu_diagonal_block block = wlu_blocks_get(blocks, b);
        if (block.n >= o->block_min) ns += block.n * o->ns_per_row + block.p[block.n] * o->ns_per_entry;
    }
    return ns;
}

/* Orders all blocks, in block-local numbers. racing: small ones are left to AMD, all if the ordering is not there. */
static warplu_status order_blocks(builder *w, const wlu_blocks *blocks, warplu_ordering ordering, int racing)
{
    const wlu_ordering *o = wlu_ordering_get(ordering == WARPLU_ORDERING_GIVEN ? WARPLU_ORDERING_NATURAL : ordering);
    for (int32_t b = 0; b < blocks->nblocks; b++) {
        wlu_diagonal_block block = wlu_blocks_get(blocks, b);
        int32_t *out = w->order + blocks->block[b], least = racing ? o->block_min : 0;
        warplu_status status = block.n < least ? WARPLU_NOT_COMPILED : o->function(w->ctx, &block, out);
        if (status == WARPLU_NOT_COMPILED && racing) status = wlu_order_amd(w->ctx, &block, out);
        if (status < 0) return status;
    }
    return WARPLU_SUCCESS;
}

/* One draw: the tops dissected, small blocks as AMD has them. */
static warplu_status draw_blocks(builder *w, const wlu_transversal *form, int seed)
{
    const wlu_blocks *blocks = &form->blocks;
    const int32_t *amd = w->amd[form - w->form];
    for (int32_t b = 0; b < blocks->nblocks; b++) {
        int32_t s = blocks->block[b], n = blocks->block[b + 1] - s;
        if (w->top[b].order == NULL) {
            memcpy(w->order + s, amd + s, (size_t)n * sizeof *w->order);
            continue;
        }
        warplu_status status = wlu_top_dissect(w->ctx, &w->top[b], seed, w->order + s);
        if (status < 0) return status;
    }
    return WARPLU_SUCCESS;
}

/* Appends a candidate, a draw where seed is not 0; what a failure leaves is freed with the analysis. */
static warplu_status add_candidate(builder *w, const wlu_transversal *form, warplu_ordering ordering, int racing,
                                   int seed)
{
    warplu_status status = wlu_poll_cancel(w->ctx);
    if (status < 0) return status;
    wlu_candidate *c = &w->candidate[w->count++];
    c->ordering = ordering;
    c->matched = form->matched;
    c->joined = form->joined;
    int64_t start = wlu_now_ns();
    status = seed != 0 ? draw_blocks(w, form, seed) : order_blocks(w, &form->blocks, ordering, racing);
    c->order_ns = wlu_now_ns() - start;
    if (status < 0) return status;
    int32_t n = w->a->n, *amd = NULL;
    if (wlu_target_is_latency_bound(w->cost) && racing &&
        ordering == WARPLU_ORDERING_AMD) { /* as it is now, tops are found by it */
        amd = w->amd[form - w->form] = WLU_ALLOC(w->ctx, 2 * (int64_t)n, int32_t);
        if (amd == NULL) return wlu_fail_memory(w->ctx, "candidate orders");
        memcpy(amd, w->order, (size_t)n * sizeof *amd);
    }
    int lowers = seed == 0 && ordering != WARPLU_ORDERING_NATURAL && ordering != WARPLU_ORDERING_GIVEN;
    return wlu_candidate_predict(w->ctx, w->cost, w->a, form, lowers, w->order, amd != NULL ? amd + n : NULL, c);
}

static double expected_refactors(const warplu_options *options)
{
    return options->expected_refactors > 0.0 ? options->expected_refactors : REFACTORS_UNKNOWN;
}

double wlu_race_replays(const warplu_options *options)
{
    return BUDGET_SHARE * expected_refactors(options);
}

/* Whether an ordering that takes this long is within this share of all refactors and solves. AMD's best candidate is
 * the first. */
static int fits_budget(const builder *w, double ns, double share)
{
    return ns > 0.0 && ns <= share * expected_refactors(w->options) * wlu_candidate_ns(&w->candidate[0]);
}

/* Whether an ordering takes part behind the first one, on form; not on a latency-bound target. */
static int takes_part(const builder *w, const wlu_transversal *form, const wlu_ordering *o)
{
    const wlu_candidate *first = &w->candidate[0];
    int dissects = o->race == WLU_RACE_DISSECTION;
    int chain = dissects && first->height * w->cost->ns_per_level > CHAIN_SHARE * first->predicted_ns;
    if (!o->compiled || (o->race != WLU_RACE_IN_BUDGET && !dissects)) return 0;
    return fits_budget(w, ordering_ns(w->a, &form->blocks, o), chain ? CHAIN_BUDGET_SHARE : BUDGET_SHARE);
}

static double rank_ns(const wlu_candidate *c)
{
    return wlu_candidate_ns(c) * (c->joined ? JOINING_DOUBT : 1.0);
}

static void sort_candidates(builder *w)
{
    for (int32_t k = 1; k < w->count; k++) {
        wlu_candidate c = w->candidate[k];
        int32_t at = k;
        for (; at > 0 && rank_ns(&w->candidate[at - 1]) > rank_ns(&c); at--) w->candidate[at] = w->candidate[at - 1];
        w->candidate[at] = c;
    }
}

/* Drops the worse of the draw before and the one just added. Returns whether that was the one before. */
static int drop_worse_draw(builder *w)
{
    wlu_candidate *last = &w->candidate[w->count - 1], *before = w->candidate;
    while (before->ordering != WARPLU_ORDERING_METIS || before->joined != last->joined) before++;
    int better_now = wlu_candidate_ns(last) < wlu_candidate_ns(before);
    if (better_now) {
        wlu_candidate better = *last;
        *last = *before;
        *before = better;
    }
    wlu_free(w->ctx, last->row);
    wlu_free(w->ctx, last->col);
    *last = (wlu_candidate){0};
    w->count--;
    return better_now;
}

/* The form of the best candidate. */
static const wlu_transversal *best_form(const builder *w)
{
    const wlu_transversal *form = w->form;
    while (form->matched != w->candidate[0].matched) form++;
    return form;
}

static void free_tops(builder *w, const wlu_transversal *form)
{
    for (int32_t b = 0; w->top != NULL && b < form->blocks.nblocks; b++) wlu_top_free(w->ctx, &w->top[b]);
    wlu_free(w->ctx, w->top);
    w->top = NULL;
}

/* Finds the tops of blocks that may be dissected, above subtrees of this height; counts their rows and entries. */
static warplu_status cut_tops(builder *w, const wlu_transversal *form, int32_t highest, double *rows, double *entries)
{
    const wlu_blocks *blocks = &form->blocks;
    const int32_t *amd = w->amd[form - w->form];
    *rows = *entries = 0.0;
    w->top = WLU_CALLOC(w->ctx, blocks->nblocks, wlu_top);
    if (w->top == NULL) return wlu_fail_memory(w->ctx, "tops of blocks");
    for (int32_t b = 0; b < blocks->nblocks; b++) {
        wlu_diagonal_block block = wlu_blocks_get(blocks, b);
        if (block.n < CORE_BLOCK_MIN) continue;
        const int32_t *order = amd + blocks->block[b], *parent = order + w->a->n;
        warplu_status status = wlu_top_find(w->ctx, &block, order, parent, highest, &w->top[b]);
        if (status < 0) return status;
        const wlu_diagonal_block *top = &w->top[b].block;
        *rows += top->n;
        *entries += top->p[top->n];
    }
    return WARPLU_SUCCESS;
}

/* Finds the tops, with a lower cut where they are too small to be worth a draw. *ns: what a draw of all takes; 0 where
 * there are none, or where they are too full. */
static warplu_status find_tops(builder *w, const wlu_transversal *form, double *ns)
{
    double rows, entries;
    *ns = 0.0;
    warplu_status status = cut_tops(w, form, WLU_TOP_HEIGHT, &rows, &entries);
    if (status == WARPLU_SUCCESS && rows < CORE_ROWS_MIN) {
        free_tops(w, form);
        status = cut_tops(w, form, WLU_TOP_LOW_HEIGHT, &rows, &entries);
    }
    if (status == WARPLU_SUCCESS && rows > 0.0 && entries <= CORE_ENTRIES_MAX * rows)
        *ns = rows * CORE_NS_PER_ROW + entries * CORE_NS_PER_ENTRY + w->a->n * PREDICTION_NS_PER_ROW;
    return status;
}

/* Draws while all draws fit the budget, by the time of the best candidate so far, and while each becomes that
 * candidate. first_share: the budget of the first draw. */
static warplu_status draw_candidates(builder *w, const wlu_transversal *form, double first_share)
{
    double ns;
    if (!fits_budget(w, w->a->n * PREDICTION_NS_PER_ROW, first_share)) return WARPLU_SUCCESS;
    warplu_status status = find_tops(w, form, &ns);
    for (int draw = 1; status == WARPLU_SUCCESS && draw <= DRAWS_MAX; draw++) {
        if (!fits_budget(w, draw * ns, draw == 1 ? first_share : DRAWS_SHARE)) break;
        status = add_candidate(w, form, WARPLU_ORDERING_METIS, 1, WLU_METIS_SEED + draw - 1);
        if (status < 0) break;
        int better = draw == 1 || drop_worse_draw(w);
        sort_candidates(w);
        if (!better) break;
        if (w->candidate[0].ordering != WARPLU_ORDERING_METIS || w->candidate[0].joined != form->joined) break;
    }
    free_tops(w, form);
    return status;
}

/* Adds the best form with its blocks joined, by AMD and by draws, where solves take so long that it may be worth it.
 * AMD and the first draw may take a share of the solves. */
static warplu_status race_joined(builder *w)
{
    const wlu_candidate *best = &w->candidate[0];
    double share = best->solve_ns / wlu_candidate_ns(best), first_share = JOINING_BUDGET_SHARE * share;
    if (share < JOINING_SHARE) return WARPLU_SUCCESS;
    if (!fits_budget(w,
                     ordering_ns(w->a, NULL, wlu_ordering_get(WARPLU_ORDERING_AMD)) + w->a->n * PREDICTION_NS_PER_ROW,
                     first_share))
        return WARPLU_SUCCESS;
    wlu_transversal *joined = &w->form[w->nforms];
    warplu_status status = wlu_transversal_join(w->ctx, w->a, best_form(w), joined);
    if (status < 0) return status;
    w->nforms++;
    status = add_candidate(w, joined, WARPLU_ORDERING_AMD, 1, 0);
    if (status < 0) return status;
    sort_candidates(w);
    int draws = wlu_ordering_compiled(WARPLU_ORDERING_METIS) && (share > JOINING_DRAW_SHARE || w->candidate[0].joined);
    return draws ? draw_candidates(w, joined, first_share) : WARPLU_SUCCESS;
}

/* All that take part behind AMD on the best form. On a latency-bound target these are draws alone: COLAMD, whose cost
 * fitted the budget on seven of 45 matrices, was predicted to take 1.3 to 40 times what the best order took. */
static warplu_status race_others(builder *w, const wlu_transversal *form)
{
    warplu_status status = WARPLU_SUCCESS;
    if (wlu_target_is_latency_bound(w->cost))
        return wlu_ordering_compiled(WARPLU_ORDERING_METIS) ? draw_candidates(w, form, FIRST_DRAW_SHARE) : status;
    for (int k = 0; k < wlu_orderings && status >= 0; k++)
        if (takes_part(w, form, wlu_ordering_get((warplu_ordering)k)))
            status = add_candidate(w, form, (warplu_ordering)k, 1, 0);
    return status;
}

/* Whether METIS orders the one form too: it is predicted to take little of what AMD's factors take. */
static int dissects_first(const builder *w, const wlu_amd_counts *amd)
{
    const wlu_ordering *metis = wlu_ordering_get(WARPLU_ORDERING_METIS);
    const wlu_extent x = {w->a->n, w->a->nnz, 2.0 * amd->l_nnz + w->a->n, amd->terms};
    double ns = ordering_ns(w->a, &w->form->blocks, metis);
    return metis->compiled && amd->dense == 0.0 && ns > 0.0 && ns <= FIRST_DISSECTION_SHARE * wlu_stage_factors_ns(&x);
}

/* AMD, of the one form; METIS beside it where factors take long. */
static warplu_status add_first(builder *w)
{
    const wlu_blocks *blocks = &w->form->blocks;
    wlu_amd_counts all = {0.0, 0.0, 0.0, 1}, of_block;
    wlu_candidate *c = &w->candidate[w->count++];
    warplu_status status = wlu_poll_cancel(w->ctx);
    c->ordering = WARPLU_ORDERING_AMD;
    c->matched = w->form->matched;
    int64_t start = wlu_now_ns();
    for (int32_t b = 0; b < blocks->nblocks && status == WARPLU_SUCCESS; b++) {
        wlu_diagonal_block block = wlu_blocks_get(blocks, b);
        status = wlu_order_amd_counted(w->ctx, &block, w->order + blocks->block[b], &of_block);
        all.l_nnz += of_block.l_nnz;
        all.terms += of_block.terms;
        all.dense += of_block.dense;
        all.symmetric &= of_block.symmetric;
    }
    c->order_ns = wlu_now_ns() - start;
    if (status < 0) return status;
    int dissects = dissects_first(w, &all);
    status = dissects ? wlu_candidate_predict(w->ctx, w->cost, w->a, w->form, 0, w->order, NULL, c)
                      : wlu_candidate_estimate(w->ctx, w->cost, w->a, w->form, &all, w->order, c);
    if (status == WARPLU_SUCCESS && dissects) status = add_candidate(w, w->form, WARPLU_ORDERING_METIS, 1, 0);
    sort_candidates(w);
    return status;
}

static warplu_status find_candidates(builder *w)
{
    warplu_ordering ordering = w->options->ordering;
    warplu_status status = WARPLU_SUCCESS;
    int racing = ordering == WARPLU_ORDERING_AUTO;
    if (racing && w->depth == WLU_DEPTH_FIRST) return add_first(w);
    for (int f = 0; f < w->nforms && status == WARPLU_SUCCESS; f++)
        status = add_candidate(w, &w->form[f], racing ? WARPLU_ORDERING_AMD : ordering, racing, 0);
    if (status < 0) return status;
    sort_candidates(w);
    if (!racing) return status;
    if (wlu_target_is_latency_bound(w->cost) && w->form[0].btf.nblocks > 1) status = race_joined(w);
    if (status >= 0 && w->form[0].btf.largest_block > 2 &&
        !w->candidate[0].joined) { /* else there is nothing to choose */
        status = race_others(w, best_form(w));
        if (status >= 0) sort_candidates(w);
    }
    return status;
}

warplu_status wlu_candidates_find(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                  const wlu_pattern *a, wlu_depth depth, wlu_transversal form[WLU_FORMS_MAX],
                                  int nforms, wlu_candidate candidate[WLU_CANDIDATES_MAX], int32_t *count)
{
    builder w = {.ctx = ctx,
                 .options = options,
                 .cost = cost,
                 .a = a,
                 .depth = depth,
                 .candidate = candidate,
                 .form = form,
                 .nforms = nforms};
    w.order = WLU_ALLOC(ctx, a->n, int32_t);
    warplu_status status = w.order != NULL ? find_candidates(&w) : wlu_fail_memory(ctx, "candidate orders");
    wlu_free(ctx, w.order);
    for (int f = 0; f < WLU_FORMS_MAX; f++) wlu_free(ctx, w.amd[f]);
    *count = w.count;
    return status;
}
