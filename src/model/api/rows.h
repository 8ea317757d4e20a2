/* Rows of a run: when they are told, and how. */
#ifndef WLU_MODEL_API_ROWS_H
#define WLU_MODEL_API_ROWS_H

#include <math.h>

#include "model/api/parts.h"

/* Times of a run's rows: where it begins, and the multiples of an interval behind that. */
typedef struct wlm_outputs {
    double from, to, every;
    double first;  /* number of the first multiple */
    int32_t count; /* 0: nothing is told */
} wlm_outputs;

/* Of a run from sim->time to `to`. WARPLU_OVERFLOW where there are too many to count. */
warplu_status wlm_outputs_make(warplu_sim *sim, double to, wlm_outputs *out);

static inline double wlm_output_time(const wlm_outputs *o, int32_t number)
{
    return number == 0 ? o->from : fmin((o->first + (number - 1)) * o->every, o->to);
}

/* Tells the caller's function of a row, whose values stand in watched.values. */
void wlm_row_tell(warplu_sim *sim, int64_t member, double t);
/* The status; WARPLU_CANCELLED where the caller's function has asked for an end. */
warplu_status wlm_row_verdict(warplu_sim *sim, warplu_status status);

#endif
