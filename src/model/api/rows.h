/* Rows of a run: at which times they come, and how the caller gets them. */
#ifndef WLU_MODEL_API_ROWS_H
#define WLU_MODEL_API_ROWS_H

#include <math.h>

#include "model/api/parts.h"

/* The times of a run's rows: its beginning, and the multiples of an interval behind that. */
typedef struct wlm_outputs {
    double from, to, every;
    double first;  /* the number of the first multiple */
    int32_t count; /* 0: there are no rows */
} wlm_outputs;

/* Fills the times of a run from sim->time to `to`. WARPLU_OVERFLOW where there are too many to count. */
warplu_status wlm_outputs_make(warplu_sim *sim, double to, wlm_outputs *out);

static inline double wlm_output_time(const wlm_outputs *o, int32_t number)
{
    return number == 0 ? o->from : fmin((o->first + (number - 1)) * o->every, o->to);
}

/* Hands the caller's function a row, of the values in watched.values. */
void wlm_row_tell(warplu_sim *sim, int64_t member, double t);
/* Returns the status; WARPLU_CANCELLED where the caller's function has asked to end the run. */
warplu_status wlm_row_verdict(warplu_sim *sim, warplu_status status);

#endif
