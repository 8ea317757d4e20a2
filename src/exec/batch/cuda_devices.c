/* The batch executor `devices`: a state of the executor `cuda` on each device, with a share of the members.
 *
 * Members whose factors are kept belong to the device that has their place; others are divided by the multiprocessors
 * of the devices. Shares are whole groups and follow each other, so that a device has neighbours. The devices take
 * turns of a job (cuda_run.c), each with streams and rooms of its own: one thread hands work to all, and waits for
 * none as long as another has room. The batch's threads copy for all.
 *
 * Where the list allows it, a device that is absent or fails is left out from then on: the job is run again on the
 * rest, with the same bits. Kept factors are lost with it (`lost`). Its places are made on another device when they
 * are next wanted. Cost of a job beside the devices' own: O(members + devices) on the host. */
#include "exec/batch/cuda_state.h"

#include <string.h>

typedef struct share {
    int32_t number; /* of a device */
    int32_t weight; /* its multiprocessors */
    int gone;       /* the device is absent, or has failed */
    int32_t first, places;
    wlu_batch_state *state; /* NULL: not made yet */
    int32_t on;             /* the share whose device has the state */
    wlu_batch_job job;      /* count 0: no member of this share takes part */
    int64_t turns;
    warplu_status status;
} share;

typedef struct devices_state {
    wlu_batch_state base;
    wlu_target target;
    const wlu_flat *flat;
    wlu_team *team;
    int32_t count;
    int fewer;
    warplu_status status;         /* of the first that has failed: */
    int32_t failed;               /* its number, */
    char said[WLU_MESSAGE_BYTES]; /* and why */
    unsigned char *lost;          /* places; NULL: nobody is left out */
    int32_t *member, *place;      /* places each: of a job, share by share */
    share share[];
} devices_state;

/* ---------------------------------------------------------------- failures */

/* What devices say is for the state. */
static wlu_context quiet(const wlu_context *ctx)
{
    wlu_context own = *ctx;
    own.message = NULL;
    return own;
}

/* The first device that fails in an attempt is told of. own: what it has spoken in. */
static warplu_status note(const wlu_context *own, devices_state *s, int32_t device, warplu_status status)
{
    if (status < 0 && s->status == WARPLU_SUCCESS) {
        s->status = status;
        s->failed = s->share[device].number;
        memcpy(s->said, own->last_message, sizeof s->said);
    }
    return status;
}

static warplu_status conclude(wlu_context *ctx, const devices_state *s, warplu_status status)
{
    if (status < 0 && s->status < 0) wlu_fail(ctx, status, "device %d: %s", s->failed, s->said);
    return status;
}

static void drop_state(wlu_context *ctx, devices_state *s, share *of)
{
    if (of->state == NULL) return;
    s->base.bytes -= of->state->bytes;
    wlu_batch_cuda.destroy(ctx, &of->state);
}

/* Devices that have failed are left out, with the factors that they have. Returns how many these are. */
static int leave_out(wlu_context *ctx, devices_state *s)
{
    int32_t before = s->base.devices;
    for (int32_t k = 0; k < s->count; k++) {
        share *device = &s->share[s->share[k].on];
        if (s->share[k].status == WARPLU_SUCCESS || device->gone) continue;
        device->gone = 1;
        s->base.devices--;
    }
    for (int32_t k = 0; k < s->count; k++) {
        share *of = &s->share[k];
        of->status = WARPLU_SUCCESS;
        if (of->state == NULL || !s->share[of->on].gone) continue;
        drop_state(ctx, s, of);
        if (of->places > 0) memset(s->lost + of->first, 1, (size_t)of->places);
    }
    return before - s->base.devices;
}

/* After a failure: whether there is another attempt, without the devices that have failed. */
static int goes_on(wlu_context *ctx, wlu_context *own, devices_state *s)
{
    if (!s->fewer || leave_out(own, s) == 0) return 0;
    wlu_fail(ctx, s->status, "device %d is left out (%d of %d remain): %s", s->failed, s->base.devices, s->count,
             s->said);
    s->status = WARPLU_SUCCESS;
    return s->base.devices > 0;
}

/* ------------------------------------------------------------------ shares */

/* Where the share begins, of so many things in groups. */
static int32_t share_begin(const devices_state *s, int32_t k, int32_t things)
{
    int64_t groups = ((int64_t)things + WLU_GROUP_LANES - 1) / WLU_GROUP_LANES, before = 0, all = 0;
    for (int32_t i = 0; i < s->count; i++) {
        if (i < k && !s->share[i].gone) before += s->share[i].weight;
        if (!s->share[i].gone) all += s->share[i].weight;
    }
    int64_t begin = (groups * before + all - 1) / all * WLU_GROUP_LANES;
    return begin < things ? (int32_t)begin : things;
}

static void divide(devices_state *s, const wlu_batch_job *job)
{
    for (int32_t k = 0; k < s->count; k++) {
        int32_t begin = share_begin(s, k, job->count);
        s->share[k].job = *job;
        s->share[k].job.member += begin;
        s->share[k].job.count = share_begin(s, k + 1, job->count) - begin;
    }
}

/* To each share the members whose places it has. */
static void divide_by_place(devices_state *s, const wlu_batch_job *job)
{
    share *of = s->share;
    for (int32_t k = 0; k < s->count; k++) {
        of[k].job = *job;
        of[k].job.member = s->member + of[k].first;
        of[k].job.place = s->place + of[k].first;
        of[k].job.count = 0;
    }
    for (int32_t i = 0; i < job->count; i++) {
        int32_t place = job->place[i];
        while (place < of->first) of--;
        while (place >= of->first + of->places) of++;
        s->member[of->first + of->job.count] = job->member[i];
        s->place[of->first + of->job.count++] = place - of->first;
    }
}

/* The share's own device, or the one that has the fewest states. */
static int32_t device_for(const devices_state *s, int32_t k)
{
    int32_t best = -1, fewest = 0;
    if (!s->share[k].gone) return k;
    for (int32_t d = 0; d < s->count; d++) {
        int32_t states = 0;
        for (int32_t i = 0; i < s->count; i++) states += s->share[i].state != NULL && s->share[i].on == d;
        if (s->share[d].gone || (best >= 0 && states >= fewest)) continue;
        best = d;
        fewest = states;
    }
    return best;
}

static warplu_status make_state(wlu_context *ctx, devices_state *s, int32_t k)
{
    share *of = &s->share[k];
    wlu_target target = s->target;
    of->on = device_for(s, k);
    target.device = s->share[of->on].number;
    warplu_status status =
        wlu_batch_cuda.create(ctx, &target, s->base.program, s->flat, of->places, s->team, &of->state);
    if (status < 0) return note(ctx, s, of->on, status);
    s->base.bytes += of->state->bytes;
    return status;
}

/* Those that places of a device that has gone want. One that has no room for them has not failed. */
static warplu_status make_missing(wlu_context *ctx, devices_state *s)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < s->count && status == WARPLU_SUCCESS; k++) {
        if (s->share[k].job.count == 0 || s->share[k].state != NULL) continue;
        status = make_state(ctx, s, k);
        if (status != WARPLU_OUT_OF_MEMORY) s->share[k].status = status;
    }
    return status;
}

/* -------------------------------------------------------------------- jobs */

/* All devices are at work before one is waited for. */
static warplu_status take_turns(wlu_context *ctx, devices_state *s)
{
    int64_t most = 0;
    for (int32_t k = 0; k < s->count; k++) {
        share *of = &s->share[k];
        of->turns = of->job.count > 0 ? wlu_batch_cuda_turns(of->state, &of->job) : 0;
        if (of->turns > most) most = of->turns;
    }
    for (int64_t turn = 0; turn < most; turn++)
        for (int32_t k = 0; k < s->count; k++) {
            share *of = &s->share[k];
            if (turn >= of->turns || of->status < 0) continue;
            of->status = note(ctx, s, of->on, wlu_batch_cuda_turn(ctx, of->state, &of->job, turn));
        }
    for (int32_t k = 0; k < s->count; k++) {
        share *of = &s->share[k];
        if (of->turns > 0) of->status = note(ctx, s, of->on, wlu_batch_cuda_end(ctx, of->state, &of->job, of->status));
    }
    return s->status;
}

static warplu_status run_once(wlu_context *own, devices_state *s, const wlu_batch_job *job)
{
    s->status = WARPLU_SUCCESS;
    if (job->place != NULL)
        divide_by_place(s, job);
    else
        divide(s, job);
    for (int32_t k = 0; k < s->count; k++) s->share[k].status = WARPLU_SUCCESS;
    warplu_status status = make_missing(own, s);
    return status < 0 ? status : take_turns(own, s);
}

static warplu_status run(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job)
{
    devices_state *s = (devices_state *)state;
    wlu_context own = quiet(ctx);
    warplu_status status;
    if (s->base.devices == 0) return wlu_fail(ctx, WARPLU_NO_DEVICE, "all devices of the batch have failed");
    do {
        status = run_once(&own, s, job);
    } while (status < 0 && goes_on(ctx, &own, s) && job->values != NULL);
    for (int32_t i = 0; i < job->count && status == WARPLU_SUCCESS && job->place != NULL && s->lost != NULL; i++)
        s->lost[job->place[i]] = 0;
    return conclude(ctx, s, status);
}

static warplu_status add_transposed(wlu_context *ctx, wlu_batch_state *state)
{
    devices_state *s = (devices_state *)state;
    wlu_context own = quiet(ctx);
    s->status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < s->count; k++) {
        share *of = &s->share[k];
        if (of->state == NULL) continue;
        s->base.bytes -= of->state->bytes;
        of->status = note(&own, s, of->on, wlu_batch_cuda.add_transposed(&own, of->state));
        s->base.bytes += of->state->bytes;
    }
    warplu_status status = s->status;
    return status < 0 && goes_on(ctx, &own, s) ? WARPLU_SUCCESS : conclude(ctx, s, status);
}

/* -------------------------------------------------------- create, destroy */

static void destroy(wlu_context *ctx, wlu_batch_state **state)
{
    devices_state *s = (devices_state *)*state;
    *state = NULL;
    if (s == NULL) return;
    for (int32_t k = 0; k < s->count; k++) drop_state(ctx, s, &s->share[k]);
    wlu_free(ctx, s->lost);
    wlu_free(ctx, s->member);
    wlu_free(ctx, s);
}

static warplu_status find_devices(wlu_context *ctx, devices_state *s)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < s->count; k++) {
        const wlu_cuda_device *device = NULL;
        share *of = &s->share[k];
        *of = (share){.number = s->target.several->number[k], .on = k};
        of->status = note(ctx, s, k, wlu_cuda_device_find(ctx, of->number, &device));
        if (of->status < 0) status = of->status;
        if (device != NULL) of->weight = device->multiprocessors;
    }
    return status;
}

/* A state on each device that is there, with its share of the places. */
static warplu_status make_states(wlu_context *ctx, devices_state *s)
{
    for (int32_t k = 0; k < s->count; k++) {
        share *of = &s->share[k];
        of->first = share_begin(s, k, s->base.places);
        of->places = share_begin(s, k + 1, s->base.places) - of->first;
        if (!of->gone) of->status = make_state(ctx, s, k);
        if (of->status < 0) return of->status;
    }
    return WARPLU_SUCCESS;
}

/* Devices that cannot be used are left out before the others get their shares. */
static warplu_status attach(wlu_context *ctx, devices_state *s)
{
    wlu_context own = quiet(ctx);
    warplu_status status = find_devices(&own, s);
    if (status < 0 && !goes_on(ctx, &own, s)) return conclude(ctx, s, status);
    do {
        for (int32_t k = 0; k < s->count; k++) drop_state(&own, s, &s->share[k]);
        status = make_states(&own, s);
    } while (status < 0 && goes_on(ctx, &own, s));
    return conclude(ctx, s, status);
}

static warplu_status create(wlu_context *ctx, const wlu_target *target, const wlu_program *program,
                            const wlu_flat *flat, int32_t places, wlu_team *team, wlu_batch_state **out)
{
    int32_t count = target->several->count;
    devices_state *s = wlu_calloc(ctx, 1, sizeof *s + (size_t)count * sizeof *s->share);
    *out = NULL;
    if (s == NULL) return wlu_fail_memory(ctx, "batch on several devices");
    *out = &s->base;
    s->base = (wlu_batch_state){.executor = &wlu_batch_devices, .program = program, .places = places, .devices = count};
    s->target = *target;
    s->flat = flat;
    s->team = team;
    s->count = count;
    s->fewer = target->several->fewer;
    s->base.bytes = (int64_t)places * (2 * (int64_t)sizeof *s->member + s->fewer);
    s->member = WLU_ALLOC(ctx, 2 * (int64_t)places, int32_t);
    if (s->fewer) s->lost = WLU_CALLOC(ctx, places, unsigned char);
    s->base.lost = s->lost;
    int complete = s->member != NULL && (s->lost != NULL || !s->fewer);
    if (complete) s->place = s->member + places;
    warplu_status status = complete ? attach(ctx, s) : wlu_fail_memory(ctx, "batch on several devices");
    if (status < 0) destroy(ctx, out);
    return status;
}

const wlu_batch_executor wlu_batch_devices = {
    .name = "cuda", .flat = 1, .create = create, .destroy = destroy, .add_transposed = add_transposed, .run = run};
