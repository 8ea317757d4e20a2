/* Around the work of a call. See entry.h. */
#include "api/entry.h"

#include "base/overlap.h"

int wlu_entry_refuse(wlu_entry *e, warplu_status status, const char *why)
{
    e->allowed = 0;
    e->status = status;
    if (e->solver != NULL) wlu_fail(&e->solver->ctx, status, "%s: %s", wlu_call_name(e->call), why);
    return 0;
}

/* A program on an executor that takes device pointers. */
static int check_program(wlu_entry *e, const warplu_solver *s)
{
    if (s->current.state != NULL) return 1;
    return wlu_entry_refuse(e, WARPLU_WRONG_PHASE,
                            "no program yet: warplu_factor makes it where expected_refactors is 0 or from 8 on");
}

/* 0: this thread is in a call of the solver. */
static int take_turn(wlu_entry *e, const warplu_solver *s)
{
    wlu_turn *turn = &((warplu_solver *)s)->turn;
    if (wlu_turn_take(turn)) {
        e->turn = turn;
        return 1;
    }
    e->solver = NULL;
    return wlu_entry_refuse(e, WARPLU_WRONG_PHASE, "");
}

static int begin(wlu_entry *e, const warplu_solver *s, int given)
{
    wlu_environment_enter(&e->environment);
    if (s != NULL && !take_turn(e, s)) return 0;
    if (s == NULL || !given) return wlu_entry_refuse(e, WARPLU_INVALID_ARGUMENT, "an argument is NULL");
    int needs_program = wlu_call_needs_program(e->call);
    if (needs_program && s->target.executor->device == NULL)
        return wlu_entry_refuse(e, WARPLU_NOT_COMPILED, "the executor takes no device pointers");
    if (!wlu_phase_allows(s->phase, e->call)) return wlu_entry_refuse(e, WARPLU_WRONG_PHASE, wlu_phase_text(s->phase));
    return needs_program ? check_program(e, s) : 1;
}

int wlu_entry_begin(wlu_entry *e, warplu_solver *s, wlu_call call, int given)
{
    *e = (wlu_entry){.solver = s, .call = call, .allowed = 1};
    return begin(e, s, given);
}

int wlu_entry_begin_const(wlu_entry *e, const warplu_solver *s, wlu_call call, int given)
{
    *e = (wlu_entry){.call = call, .allowed = 1};
    return begin(e, s, given);
}

int wlu_entry_check_sides(wlu_entry *e, const warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb,
                          const double *x, int32_t ldx)
{
    if (!e->allowed) return 0;
    int32_t n = s->analysis->n;
    if (nrhs >= 0 && ldb >= n && ldx >= n && (nrhs == 0 || (b != NULL && x != NULL))) return 1;
    e->allowed = 0;
    e->status = WARPLU_INVALID_ARGUMENT;
    if (e->solver != NULL)
        wlu_fail(&e->solver->ctx, WARPLU_INVALID_ARGUMENT, "%s: nrhs %d, ldb %d, ldx %d for n = %d%s",
                 wlu_call_name(e->call), nrhs, ldb, ldx, n, b == NULL || x == NULL ? ", b or x NULL" : "");
    return 0;
}

int wlu_entry_check_output(wlu_entry *e, const warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb,
                           const double *x, int32_t ldx)
{
    if (!wlu_entry_check_sides(e, s, nrhs, b, ldb, x, ldx)) return 0;
    if (b == x && ldb == ldx) return 1;
    if (b == x) return wlu_entry_refuse(e, WARPLU_INVALID_ARGUMENT, "x may be b only with one leading dimension");
    const int64_t doubles = s->target.doubles, n = doubles * s->analysis->n;
    const wlu_columns_at from = {b, n, doubles * ldb, nrhs}, to = {x, n, doubles * ldx, nrhs};
    if (!wlu_columns_overlap(&from, &to)) return 1;
    return wlu_entry_refuse(e, WARPLU_INVALID_ARGUMENT, "x overlaps b: it may take its place, or lie apart");
}

warplu_status wlu_entry_end(wlu_entry *e)
{
    warplu_solver *s = e->solver;
    if (s != NULL && e->allowed) s->phase = wlu_phase_after(e->call, e->status < 0, s->phase, s->current.plan != NULL);
    if (e->turn != NULL) wlu_turn_give(e->turn);
    wlu_environment_leave(&e->environment);
    return e->status;
}
