/* Counts the rows of a run, and hands each to the caller's function. See rows.h. */
#include "model/api/rows.h"

/* Counts whole intervals up to t; a quotient that rounding leaves just below a whole number counts as that number. */
static double multiples(double t, double every)
{
    const double ROUNDING = 1e-15;
    return floor(t / every * (1.0 + ROUNDING));
}

warplu_status wlm_outputs_make(warplu_sim *sim, double to, wlm_outputs *out)
{
    double from = sim->time, every = sim->watched.every;
    *out = (wlm_outputs){.from = from, .to = to, .every = every};
    if (sim->watched.fn == NULL) return WARPLU_SUCCESS;
    out->first = multiples(from, every) + 1.0;
    double more = multiples(to, every) - out->first + 1.0;
    if (!(more < INT32_MAX)) /* also refuses the NaN of two infinities */
        return wlu_fail(&sim->ctx, WARPLU_OVERFLOW, "%g output times from %g to %g", more, from, to);
    out->count = (more > 0.0 ? (int32_t)more : 0) + 1;
    return WARPLU_SUCCESS;
}

void wlm_row_tell(warplu_sim *sim, int64_t member, double t)
{
    const wlm_watched *w = &sim->watched;
    const double *value = w->values;
    for (int32_t i = 0; i < w->columns; i++) {
        double sum = *value++;
        for (int32_t k = 1; k < w->parts[i]; k++) sum += *value++;
        w->row[i] = sum;
    }
    sim->stopped = w->fn(member, t, w->columns, w->row, w->user) != 0;
}

warplu_status wlm_row_verdict(warplu_sim *sim, warplu_status status)
{
    return sim->stopped && status != WARPLU_CANCELLED ? wlu_poll_cancel(&sim->ctx) : status;
}
