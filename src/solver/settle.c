/* The analysis of the pattern: made from the pattern alone, it is made again with the first values if its diagonal is
 * weak for them; made from values that turned out singular, with the next that come; and once, where pivoting again
 * shows that the first values were a poor sample. */
#include "solver/settle.h"

#include <math.h>

/* Refactorizations that have to be expected for a race before the first answer. */
static const double RACE_AT_ONCE = 100.0;
/* Terms over their prediction, and pivots off the order's diagonal, above which it is called unfit. */
static const double UNFIT_TERMS = 1.3, UNFIT_EXCHANGES = 0.05;

wlu_settling wlu_settling_of(const wlu_analysis *analysis)
{
    return (wlu_settling){analysis->provisional ? WLU_FROM_PATTERN : WLU_SETTLED, 0};
}

wlu_depth wlu_solver_depth(const warplu_solver *s)
{
    int at_once = s->target.executor->device != NULL || s->options.expected_refactors >= RACE_AT_ONCE;
    int alone = s->options.ordering == WARPLU_ORDERING_GIVEN;
    return at_once || alone ? WLU_DEPTH_RACED : WLU_DEPTH_FIRST;
}

warplu_status wlu_solver_analyze_again(wlu_context *ctx, const warplu_solver *s, wlu_depth depth, wlu_analysis **out)
{
    wlu_pattern *a = NULL;
    *out = NULL;
    warplu_options options = s->options;
    if (options.ordering == WARPLU_ORDERING_GIVEN) options.ordering = WARPLU_ORDERING_AUTO; /* its arrays may be gone */
    if (options.expected_refactors > 0.0) /* as many more as there have been */
        options.expected_refactors = fmax(options.expected_refactors, (double)s->counted.refactors);
    warplu_status status = wlu_pattern_clone(ctx, s->analysis->a, &a);
    if (status == WARPLU_SUCCESS)
        status = wlu_analysis_create(ctx, &options, s->cost, &a, s->checks.entries, depth, out);
    if (*out != NULL) (*out)->analyze_ns += s->analysis->analyze_ns;
    return status;
}

/* Pivots at hand keep the analysis they were chosen with. */
static warplu_status replace_analysis(warplu_solver *s, wlu_depth depth)
{
    wlu_analysis *other;
    warplu_status status = wlu_solver_analyze_again(&s->ctx, s, depth, &other);
    if (status < 0) return status;
    wlu_analysis_destroy(&s->ctx, &s->analysis);
    s->analysis = other;
    return status;
}

warplu_status wlu_solver_race(warplu_solver *s)
{
    return replace_analysis(s, WLU_DEPTH_RACED);
}

/* By the caller, of this solver or of the one that saved the analysis: then no other is sought. */
static int order_is_given(const warplu_solver *s)
{
    return s->options.ordering == WARPLU_ORDERING_GIVEN || s->analysis->candidate[0].ordering == WARPLU_ORDERING_GIVEN;
}

/* Whether values do not suit the analysis. Statuses as wlu_analysis_judge. */
static warplu_status ask_for_another(warplu_solver *s, int *another)
{
    *another = s->settling.unsettled == WLU_FROM_SINGULAR;
    if (s->settling.unsettled != WLU_FROM_PATTERN) return WARPLU_SUCCESS;
    return wlu_analysis_judge(&s->ctx, &s->options, s->analysis, s->checks.entries, another);
}

warplu_status wlu_solver_settle_analysis(warplu_solver *s)
{
    int another = 0;
    if (order_is_given(s)) return WARPLU_SUCCESS;
    warplu_status status = ask_for_another(s, &another);
    return status < 0 || !another ? status : replace_analysis(s, s->analysis->depth);
}

void wlu_solver_note_pivoting(warplu_solver *s, warplu_status status)
{
    if (status == WARPLU_SINGULAR)
        s->settling.unsettled = WLU_FROM_SINGULAR;
    else if (status == WARPLU_SUCCESS || wlu_plan_is_refusal(status))
        s->settling.unsettled = WLU_SETTLED;
}

/* Whether the order in use was made for values too unlike these. */
static int order_is_unfit(const warplu_solver *s)
{
    const wlu_pivots *p = s->current.plan->pivots;
    return (double)p->terms > UNFIT_TERMS * p->predicted_terms ||
           wlu_pivots_count_off_diagonal(p, s->analysis) > UNFIT_EXCHANGES * p->n;
}

int wlu_solver_reconsiders_analysis(warplu_solver *s)
{
    if (s->settling.reconsidered || order_is_given(s) || !order_is_unfit(s)) return 0;
    s->settling.reconsidered = 1;
    return 1;
}
