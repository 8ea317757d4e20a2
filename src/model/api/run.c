/* Runs: members that have not failed are driven to a time; what they were told to watch is told. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/environment.h"
#include "model/api/large.h"
#include "model/api/watch.h"
#include "model/step/batch.h"
#include "model/step/on_device.h"

typedef struct run {
    warplu_sim *sim;
    wlm_drive drive;
    int64_t live;    /* members that take part */
    int64_t *member; /* live: their numbers */
    double *start, *parameter, *output;
    pthread_mutex_t lock; /* of what the caller's function is told */
} run;

/* Output times from `from` to `to`: from itself, and multiples of the interval behind it. */
static warplu_status make_outputs(run *r, double from, double to)
{
    warplu_sim *sim = r->sim;
    double every = sim->watched.every;
    /* a quotient that rounding leaves just below a whole number is that number */
    double first = floor(from / every * (1.0 + 1e-15)) + 1.0, last = floor(to / every * (1.0 + 1e-15));
    double more = last >= first ? last - first + 1.0 : 0.0;
    if (more > INT32_MAX - 1)
        return wlu_fail(&sim->ctx, WARPLU_OVERFLOW, "%g output times from %g to %g", more, from, to);
    r->output = WLU_ALLOC(&sim->ctx, (int64_t)more + 1, double);
    if (r->output == NULL) return wlu_fail_memory(&sim->ctx, "watched values");
    r->output[0] = from;
    for (int32_t k = 0; k < (int32_t)more; k++) r->output[k + 1] = fmin((first + k) * every, to);
    r->drive.outputs = (int32_t)more + 1;
    r->drive.output = r->output;
    return WARPLU_SUCCESS;
}

static void tell(void *user, int64_t member, int32_t output, const double *y)
{
    run *r = user;
    warplu_sim *sim = r->sim;
    pthread_mutex_lock(&r->lock);
    if (!sim->stopped) {
        double t = r->output[output];
        wlm_watched_compute(sim, r->member[member], t, y);
        sim->stopped =
            sim->watched.fn(r->member[member], t, sim->watched.count, sim->watched.values, sim->watched.user) != 0;
    }
    pthread_mutex_unlock(&r->lock);
}

/* Members that have not failed, side by side. */
static warplu_status gather(run *r)
{
    warplu_sim *sim = r->sim;
    int64_t n = sim->n, p = sim->varying_count;
    r->member = WLU_ALLOC(&sim->ctx, sim->members, int64_t);
    r->start = WLU_ALLOC(&sim->ctx, sim->members * n, double);
    r->parameter = WLU_ALLOC(&sim->ctx, sim->members * p, double);
    r->drive.fate = WLU_CALLOC(&sim->ctx, sim->members, wlm_fate);
    if (r->member == NULL || r->start == NULL || r->parameter == NULL || r->drive.fate == NULL)
        return wlu_fail_memory(&sim->ctx, "simulation");
    for (int64_t m = 0; m < sim->members; m++) {
        if (sim->record[m].status < 0) continue;
        memcpy(r->start + r->live * n, sim->state + m * n, (size_t)n * sizeof *r->start);
        memcpy(r->parameter + r->live * p, sim->parameter + m * p, (size_t)p * sizeof *r->parameter);
        r->member[r->live++] = m;
    }
    r->drive.settled = sim->settled;
    r->drive.start = r->start, r->drive.parameter = r->parameter, r->drive.end = r->start;
    return WARPLU_SUCCESS;
}

static warplu_status drive(run *r)
{
    warplu_sim *sim = r->sim;
    if (sim->device != NULL) return wlm_drive_on_device(sim->stepper, &r->drive, r->live, sim->device);
    return wlm_drive_batch(sim->stepper, &r->drive, r->live, sim->options.threads);
}

/* What became of members, back to their places. */
static warplu_status scatter(run *r, double t)
{
    warplu_sim *sim = r->sim;
    warplu_status status = r->live < sim->members ? WARPLU_MEMBERS_FAILED : WARPLU_SUCCESS;
    for (int64_t k = 0; k < r->live; k++) {
        int64_t m = r->member[k];
        const wlm_fate *fate = &r->drive.fate[k];
        memcpy(sim->state + m * sim->n, r->start + k * sim->n, (size_t)sim->n * sizeof *r->start);
        sim->record[m].status = fate->status;
        sim->record[m].time = fate->status < 0 ? fate->t : t;
        sim->record[m].unknown = fate->status < 0 ? fate->unknown : -1;
        sim->steps += fate->steps, sim->rejected += fate->rejected, sim->iterations += fate->iterations;
        if (fate->status < 0) status = WARPLU_MEMBERS_FAILED;
    }
    sim->time = t;
    if (status == WARPLU_SUCCESS || sim->members > 1) return status;
    const warplu_sim_member *r0 = &sim->record[0];
    if (r0->unknown < 0)
        return wlu_fail(&sim->ctx, r0->status, "at t = %g: %s", r0->time, warplu_status_text(r0->status));
    return wlu_fail(&sim->ctx, r0->status, "at t = %g: %s; most at fault is %s (line %d)", r0->time,
                    warplu_status_text(r0->status), sim->equations->name[r0->unknown],
                    (int)sim->equations->place[r0->unknown].line);
}

static warplu_status go(run *r, double t)
{
    warplu_sim *sim = r->sim;
    if (sim->large != NULL) return sim->record[0].status < 0 ? sim->record[0].status : wlm_large_run(sim, t);
    r->drive.t0 = sim->time, r->drive.t1 = t;
    warplu_status status = gather(r);
    if (status == WARPLU_SUCCESS && sim->watched.fn != NULL) {
        status = make_outputs(r, sim->time, t);
        r->drive.row = tell, r->drive.user = r;
    }
    if (status < 0) return status;
    if (r->live > 0) status = drive(r);
    if (sim->stopped && status != WARPLU_CANCELLED)
        status = wlu_fail(&sim->ctx, WARPLU_CANCELLED, "cancelled by the caller");
    if (status < 0) return status;
    sim->begun = sim->settled = 1;
    return scatter(r, t);
}

warplu_status warplu_sim_run(warplu_sim *sim, double t)
{
    wlu_environment environment;
    if (sim == NULL) return WARPLU_INVALID_ARGUMENT;
    if (!(t > sim->time) || !isfinite(t))
        return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "run to t = %g: expected a time behind %g", t, sim->time);
    run r = {.sim = sim};
    if (pthread_mutex_init(&r.lock, NULL) != 0) return wlu_fail_memory(&sim->ctx, "simulation");
    int64_t begin = wlu_now_ns();
    wlu_environment_enter(&environment);
    sim->stopped = 0;
    warplu_status status = go(&r, t);
    wlu_environment_leave(&environment);
    sim->run_seconds += (double)(wlu_now_ns() - begin) * 1e-9;
    pthread_mutex_destroy(&r.lock);
    wlu_free(&sim->ctx, r.member);
    wlu_free(&sim->ctx, r.start);
    wlu_free(&sim->ctx, r.parameter);
    wlu_free(&sim->ctx, r.output);
    wlu_free(&sim->ctx, r.drive.fate);
    return status;
}
