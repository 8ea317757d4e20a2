/* Runs members: drives those that have not failed to a time. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "model/api/members.h"
#include "model/method/allowance.h"
#include "model/method/pace.h"
#include "model/step/batch.h"
#include "model/step/on_device.h"

typedef struct run {
    warplu_sim *sim;
    wlm_members *own;
    const wlm_outputs *outputs;
    wlm_drive drive;
    int64_t live;    /* members that take part */
    int64_t *member; /* their numbers */
    double *start, *parameter, *output;
    pthread_mutex_t lock; /* held while the caller's function gets a row */
} run;

static void tell(void *user, int64_t member, int32_t output, double clock, double step, const double *y)
{
    run *r = user;
    warplu_sim *sim = r->sim;
    pthread_mutex_lock(&r->lock);
    if (!sim->stopped) {
        wlm_members_compute(sim, r->member[member], clock, step, y);
        wlm_row_tell(sim, r->member[member], r->output[output]);
    }
    pthread_mutex_unlock(&r->lock);
}

static warplu_status make_outputs(run *r)
{
    if (r->outputs->count == 0) return WARPLU_SUCCESS;
    r->output = WLU_ALLOC(&r->sim->ctx, r->outputs->count, double);
    if (r->output == NULL) return wlu_fail_memory(&r->sim->ctx, "watched values");
    for (int32_t k = 0; k < r->outputs->count; k++) r->output[k] = wlm_output_time(r->outputs, k);
    r->drive.outputs = r->outputs->count, r->drive.output = r->output;
    r->drive.row = tell, r->drive.user = r;
    return WARPLU_SUCCESS;
}

/* Copies parameters and states of members that have not failed side by side. */
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
        memcpy(r->start + r->live * n, r->own->state + m * n, (size_t)n * sizeof *r->start);
        memcpy(r->parameter + r->live * p, sim->parameter + m * p, (size_t)p * sizeof *r->parameter);
        r->member[r->live++] = m;
    }
    r->drive.settled = r->own->settled;
    r->drive.start = r->start, r->drive.parameter = r->parameter, r->drive.end = r->start;
    return WARPLU_SUCCESS;
}

static warplu_status drive(run *r)
{
    const wlm_members *m = r->own;
    if (r->live == 0) return WARPLU_SUCCESS;
    if (m->device != NULL) return wlm_drive_on_device(m->stepper, &r->drive, r->live, m->device);
    return wlm_drive_batch(m->stepper, &r->drive, r->live, r->sim->options.threads);
}

/* Returns what else may help. */
static const char *hint_of(const wlm_stepper *s)
{
    const wlm_implicit *m = s->facts->implicit;
    const int keeps = s->index_is_higher && m != NULL && !m->forgets && s->options.step == 0.0;
    return keeps ? "; unknowns follow the rates of others (index 2), whose errors this method keeps: take tr-bdf2" : "";
}

/* Says what is wrong with events, of as many members as one message has room for. */
static void say_events(run *r)
{
    const wlm_equations *e = r->own->equations;
    char text[WLU_MESSAGE_BYTES - 64] = "";
    warplu_status status = WARPLU_SUCCESS;
    for (int64_t k = 0; k < r->live; k++) {
        const wlm_fate *fate = &r->drive.fate[k];
        char what[256], member[32] = "";
        size_t length = strlen(text);
        if (fate->trouble.fault == WLM_EVENT_FINE) continue;
        if (status == WARPLU_SUCCESS) status = fate->status;
        wlm_event_say(fate->trouble.fault, e->event[fate->trouble.event].place, e->event[fate->trouble.other].place,
                      fate->unknown >= 0 ? e->name[fate->unknown] : "", what, sizeof what);
        if (r->sim->members > 1) snprintf(member, sizeof member, "member %lld, ", (long long)r->member[k]);
        snprintf(text + length, sizeof text - length, "%s%sat t = %g: %s", length > 0 ? "; " : "", member, fate->t,
                 what);
        if (strlen(text) == sizeof text - 1) break;
    }
    wlu_fail(&r->sim->ctx, status, "%s", text);
}

/* Says of the only member that a limit leaves no step. */
static warplu_status say_limit(run *r, int32_t limit)
{
    const warplu_sim_member *member = &r->sim->record[0];
    const wlm_equations *e = r->own->equations;
    return wlu_fail(&r->sim->ctx, member->status, WLM_LIMITED, member->time, e->limit_name[limit],
                    WLM_LINE(e->limit[limit].place), wlm_pace_why_limited(member->status));
}

/* Says why the only member has failed. */
static warplu_status say_why(run *r)
{
    const warplu_sim_member *member = &r->sim->record[0];
    const char *why = warplu_status_text(member->status);
    if (member->status == WARPLU_TOO_MANY_STEPS)
        return wlu_fail(&r->sim->ctx, member->status, WLM_STEPS_SPENT, member->time, why,
                        (long long)r->own->stepper->options.most);
    if (r->drive.fate[0].limit > 0) return say_limit(r, r->drive.fate[0].limit - 1);
    if (r->drive.fate[0].is_lost) why = wlm_pace_why_lost;
    if (member->unknown < 0) return wlu_fail(&r->sim->ctx, member->status, "at t = %g: %s", member->time, why);
    return wlu_fail(&r->sim->ctx, member->status, "at t = %g: %s; most at fault is %s (line " WLM_LINE_FORMAT ")%s",
                    member->time, why, r->own->equations->name[member->unknown],
                    WLM_LINE(r->own->equations->place[member->unknown]), hint_of(r->own->stepper));
}

/* Copies outcomes of members back to their places. */
static warplu_status scatter(run *r, double t)
{
    warplu_sim *sim = r->sim;
    wlm_members *own = r->own;
    warplu_status status = r->live < sim->members ? WARPLU_MEMBERS_FAILED : WARPLU_SUCCESS;
    int has_trouble = 0; /* 1: events have ended a member */
    for (int64_t k = 0; k < r->live; k++) {
        int64_t m = r->member[k];
        const wlm_fate *fate = &r->drive.fate[k];
        memcpy(own->state + m * sim->n, r->start + k * sim->n, (size_t)sim->n * sizeof *r->start);
        sim->record[m].status = fate->status;
        sim->record[m].time = fate->status < 0 ? fate->t : t;
        own->clock[m] = fate->clock, own->step[m] = fate->step;
        sim->record[m].unknown = fate->status < 0 ? fate->unknown : -1;
        own->steps += fate->steps, own->rejected += fate->rejected, own->iterations += fate->iterations;
        if (fate->status < 0) status = WARPLU_MEMBERS_FAILED;
        has_trouble |= fate->trouble.fault != WLM_EVENT_FINE;
    }
    sim->time = t;
    own->begun = own->settled = 1;
    if (has_trouble) say_events(r);
    if (status == WARPLU_SUCCESS || sim->members > 1) return status;
    return has_trouble ? r->drive.fate[0].status : say_why(r);
}

warplu_status wlm_members_run(warplu_sim *sim, double t, const wlm_outputs *outputs)
{
    run r = {.sim = sim, .own = sim->own, .outputs = outputs, .drive = {.t0 = sim->time, .t1 = t}};
    if (pthread_mutex_init(&r.lock, NULL) != 0) return wlu_fail_memory(&sim->ctx, "simulation");
    warplu_status status = gather(&r);
    if (status == WARPLU_SUCCESS) status = make_outputs(&r);
    if (status == WARPLU_SUCCESS) status = wlm_row_verdict(sim, drive(&r));
    if (status >= 0) status = scatter(&r, t);
    pthread_mutex_destroy(&r.lock);
    wlu_free(&sim->ctx, r.member);
    wlu_free(&sim->ctx, r.start);
    wlu_free(&sim->ctx, r.parameter);
    wlu_free(&sim->ctx, r.output);
    wlu_free(&sim->ctx, r.drive.fate);
    return status;
}
