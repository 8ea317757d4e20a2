/* Calls on device pointers. */
#include <warplu/device.h>

#include "api/entry.h"
#include "base/sized.h"
#include "solver/device.h"

static wlu_async_solve make_solve(int transposed, int32_t nrhs, const double *b, int32_t ldb, double *x, int32_t ldx)
{
    return (wlu_async_solve){.kind = transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE,
                             .nrhs = nrhs,
                             .b = b,
                             .ldb = ldb,
                             .x = x,
                             .ldx = ldx};
}

static int check_solve(wlu_entry *e, const warplu_solver *s, const wlu_async_solve *a)
{
    if (!wlu_entry_check_output(e, s, a->nrhs, a->b, (int32_t)a->ldb, a->x, (int32_t)a->ldx)) return 0;
    if (a->kind == WLU_STREAM_SOLVE || s->current.transposed_loaded) return 1;
    return wlu_entry_refuse(e, WARPLU_WRONG_PHASE, "warplu_solve_transposed makes the program that this needs");
}

warplu_status warplu_refactor_device(warplu_solver *s, const double *device_values, void *stream)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_REFACTOR_DEVICE, device_values != NULL))
        e.status = wlu_solver_refactor_device(s, device_values, stream);
    return wlu_entry_end(&e);
}

warplu_status warplu_solve_device(warplu_solver *s, int transposed, int32_t nrhs, const double *device_b, int32_t ldb,
                                  double *device_x, int32_t ldx, void *stream)
{
    wlu_entry e;
    wlu_async_solve solve = make_solve(transposed, nrhs, device_b, ldb, device_x, ldx);
    wlu_entry_begin(&e, s, WLU_CALL_SOLVE_DEVICE, 1);
    if (check_solve(&e, s, &solve)) e.status = wlu_solver_solve_device(s, &solve, stream);
    return wlu_entry_end(&e);
}

warplu_status warplu_refactor_solve_device(warplu_solver *s, const double *device_values, int transposed, int32_t nrhs,
                                           const double *device_b, int32_t ldb, double *device_x, int32_t ldx,
                                           void *stream)
{
    wlu_entry e;
    wlu_async_solve solve = make_solve(transposed, nrhs, device_b, ldb, device_x, ldx);
    wlu_entry_begin(&e, s, WLU_CALL_REFACTOR_SOLVE_DEVICE, device_values != NULL);
    if (check_solve(&e, s, &solve)) e.status = wlu_solver_refactor_solve_device(s, device_values, &solve, stream);
    return wlu_entry_end(&e);
}

warplu_status warplu_finish_device(warplu_solver *s, const double *values, void *stream)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_FINISH_DEVICE, 1)) e.status = wlu_solver_finish_device(s, values, stream);
    return wlu_entry_end(&e);
}

warplu_status warplu_get_device_health(const warplu_solver *s, warplu_device_health *health)
{
    wlu_entry e;
    if (wlu_entry_begin_const(&e, s, WLU_CALL_GET_DEVICE_HEALTH, wlu_sized_is_set(health))) {
        warplu_device_health all = s->target.executor->device->health(s->current.state);
        wlu_sized_give(health, &all, sizeof all);
    }
    return wlu_entry_end(&e);
}

warplu_status warplu_get_device_verdict(const warplu_solver *s, const warplu_device_verdict **verdict)
{
    wlu_entry e;
    if (verdict != NULL) *verdict = NULL;
    if (wlu_entry_begin_const(&e, s, WLU_CALL_GET_DEVICE_VERDICT, verdict != NULL))
        *verdict = s->target.executor->device->verdict(s->current.state);
    return wlu_entry_end(&e);
}
