/* Which analysis of the pattern a solver has, and when it is made again. */
#ifndef WLU_SOLVER_SETTLE_H
#define WLU_SOLVER_SETTLE_H

#include "solver/parts.h"

/* Of a new analysis. */
wlu_settling wlu_settling_of(const wlu_analysis *analysis);
/* How far the first analysis goes: a device races at once, and so does a solver that expects many replays. A given
 * order has no rivals, and is read once: its analysis is never made again. */
wlu_depth wlu_solver_depth(const warplu_solver *s);
/* Another analysis of the pattern, from the solver's entries. Statuses as warplu_analyze. */
warplu_status wlu_solver_analyze_again(wlu_context *ctx, const warplu_solver *s, wlu_depth depth, wlu_analysis **out);
/* Replaces the analysis by one in which orders have raced, for the solver's entries. Statuses as warplu_analyze. */
warplu_status wlu_solver_race(warplu_solver *s);
/* Before pivots are chosen for the solver's entries: makes the analysis again where it is not settled and these values
 * ask for it. Pivots at hand keep the one they were chosen with. Statuses as warplu_analyze. */
warplu_status wlu_solver_settle_analysis(warplu_solver *s);
/* After they have been chosen: what pivoting came to settles the analysis, or leaves it to the next values. */
void wlu_solver_note_pivoting(warplu_solver *s, warplu_status status);
/* After pivoting again: whether the pivots just chosen show that the analysis was made for values too unlike these.
 * Once in an analysis' life. */
int wlu_solver_reconsiders_analysis(warplu_solver *s);

#endif
