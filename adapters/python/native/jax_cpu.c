/* warplu.jax on CPUs. A solver comes from the process' cache. Values that members next to each other share are factored
 * once, and solved with for all of these at once. */
#include "jax.h"

#include <math.h>

/* How many members from this one on share its values, with right-hand sides one after the other. */
static int64_t together(const wpy_jax_call *c, int64_t member)
{
    const double *values = wpy_jax_values(c, member), *rhs = wpy_jax_rhs(c, member);
    int64_t count = 1, row = c->n * c->doubles;
    while (member + count < c->members && count < INT32_MAX && wpy_jax_values(c, member + count) == values &&
           wpy_jax_rhs(c, member + count) == rhs + count * row)
        count++;
    return count;
}

static warplu_status solve_members(const wpy_jax_call *c, warplu_solver *s)
{
    int64_t row = c->n * c->doubles;
    for (int64_t m = 0, count; m < c->members; m += count) {
        double *x = wpy_jax_x(c, m);
        count = together(c, m);
        warplu_status status =
            wpy_refactor_solve(s, wpy_jax_values(c, m), c->trans, (int32_t)count, wpy_jax_rhs(c, m), x, (int32_t)c->n);
        if (wpy_jax_serves(status)) continue;
        if (!c->nan) return status;
        for (int64_t i = 0; i < count * row; i++) x[i] = NAN;
    }
    return WARPLU_SUCCESS;
}

warplu_status wpy_jax_on_cpu(const wpy_jax_call *c)
{
    warplu_options options;
    warplu_solver *s;
    wpy_jax_options(c, &options);
    warplu_status status =
        wpy_jax_open(c, &options, c->a[WPY_PTR]->data, c->a[WPY_IDX]->data, c->nan ? NULL : c->a[WPY_VALUES]->data, &s);
    if (status >= 0) status = solve_members(c, s);
    warplu_close_solver(&s);
    return status;
}
