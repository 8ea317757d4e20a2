/* Moves members between the host's lanes and a device's rows, and launches until each waits for the host. What happens
 * at a stop is done by the host's own code (lanes.h), so that there is one copy of it. Cost: copies of all rows at
 * each stop of the member with most of them. */
#include "model/step/on_device.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "model/step/lanes.h"

/* How many steps a launch tries, at first and at most. A launch that takes less or more ns than these changes it. */
enum { NOW_FIRST = 256, NOW_MOST = 1 << 24 };
static const int64_t LAUNCH_SHORT = 5000000, LAUNCH_LONG = 20000000;
/* The most iterations of a step: two stages of ten. */
enum { ITERATIONS_OF_STEP = 20 };

typedef struct on_device {
    const wlm_stepper *stepper;
    wlu_context *ctx;
    wlm_kernel_shape shape;
    int64_t members, live;
    int32_t kinds, times;   /* rows of learnt and pulse: kinds of edges, numbers of pulses and times of events */
    wlm_step_lanes *l;      /* lanes of the host */
    wlm_pace *pace;         /* for each member; its `member` is -1 once it is done */
    double *rows;           /* the device's */
    int32_t *record;        /* the device's */
    double *learnt, *pulse; /* rows of members, as those of lanes */
    wlm_recurrence *recurrence;
    wlm_device_lanes *device;
    double number[WLM_KERNEL_NUMBERS];
    uint32_t now;
} on_device;

/* Members that stand in the host's lanes. */
typedef struct group {
    int64_t first;
    int32_t count;
} group;

static double *number_of(const on_device *d, enum wlm_kernel_row row, int64_t member)
{
    return d->rows + ((int64_t)d->shape.n + d->shape.parameters + row) * d->members + member;
}

static int32_t *word_of(const on_device *d, enum wlm_kernel_record record, int64_t member)
{
    return d->record + record * d->members + member;
}

/* ------------------------------------------------- between rows and lanes */

typedef enum direction { INTO_LANES, OUT_OF_LANES } direction;

static void pass(const on_device *d, direction way, group g, double *rows, int64_t row, double *lanes)
{
    double *members = rows + row * d->members + g.first;
    size_t bytes = (size_t)g.count * sizeof(double);
    memcpy(way == INTO_LANES ? lanes : members, way == INTO_LANES ? members : lanes, bytes);
}

static void pass_rows(const on_device *d, direction way, group g, double *rows, int64_t first, int32_t count,
                      double *lanes)
{
    for (int32_t i = 0; i < count; i++) pass(d, way, g, rows, first + i, WLM_ROW(lanes, i));
}

/* Copies rows between lanes and device, but for what a wlm_pace has, and rates before a step, which the host
 * ignores. */
static void pass_group(const on_device *d, direction way, group g)
{
    wlm_step_lanes *l = d->l;
    int64_t own = (int64_t)d->shape.n + d->shape.parameters, behind = own + WLM_KERNEL_ROWS;
    int32_t n = d->shape.n, of_rule = wlm_implicit_looks_back(d->shape.implicit) ? n : 0;
    pass_rows(d, way, g, d->rows, 0, n, l->y);
    pass(d, way, g, d->rows, own + WLM_ROW_TIME, l->t);
    pass(d, way, g, d->rows, own + WLM_ROW_FIRST, l->first);
    pass(d, way, g, d->rows, own + WLM_ROW_LAST, l->last);
    pass(d, way, g, d->rows, own + WLM_ROW_BEFORE, l->h_before);
    pass_rows(d, way, g, d->rows, behind + of_rule, d->shape.events, l->before);
    pass_rows(d, way, g, d->rows, behind + of_rule + d->shape.events, d->shape.events, l->after);
    pass_rows(d, way, g, d->learnt, 0, d->kinds, l->learnt);
    pass_rows(d, way, g, d->pulse, 0, d->times, l->pulse);
    for (int32_t k = 0; k < d->stepper->equations->events; k++) {
        wlm_recurrence *member = d->recurrence + k * d->members + g.first, *lane = l->recurrence + k * WLM_LANES;
        memcpy(way == INTO_LANES ? lane : member, way == INTO_LANES ? member : lane, (size_t)g.count * sizeof *lane);
    }
}

/* Takes a member from the device, with what it did there and what it waits for. */
static void take_lane(const on_device *d, int32_t lane, int64_t member)
{
    wlm_step_lanes *l = d->l;
    wlm_pace *a = &l->pace[lane];
    wlm_fate *fate = &l->drive->fate[member];
    int32_t status = *word_of(d, WLM_RECORD_STATUS, member);
    fate->steps = (uint32_t)*word_of(d, WLM_RECORD_STEPS, member);
    fate->rejected = (uint32_t)*word_of(d, WLM_RECORD_REJECTED, member);
    fate->iterations += (uint32_t)*word_of(d, WLM_RECORD_ITERATIONS, member);
    a->want = *number_of(d, WLM_ROW_WANT, member);
    a->rejected = *word_of(d, WLM_RECORD_REFUSED, member);
    if (a->behind >= 0 && *word_of(d, WLM_RECORD_BEHIND, member) == 0) {
        WLM_ROW(l->learnt, a->behind)[lane] = *number_of(d, WLM_ROW_LEARNT, member);
        a->behind = -1;
    }
    if (status < 0) {
        if (l->t[lane] >= a->stop) wlm_lane_report(l, lane); /* it failed behind the step that ended there */
        int32_t unknown = *word_of(d, WLM_RECORD_UNKNOWN, member);
        if (unknown >= d->shape.n)
            wlm_lane_fail_limit(l, lane, (warplu_status)status, unknown - d->shape.n);
        else
            wlm_lane_finish(l, lane, (warplu_status)status, unknown);
        return;
    }
    if (wlm_lane_leaves(l, lane, 1)) return;
    int arrives = l->t[lane] >= a->stop;
    l->strayed[lane] = *word_of(d, WLM_RECORD_FIRED, member) == WLM_KERNEL_STRAYED;
    if (l->crossing.part != NULL && !wlm_lane_end_step(l, lane, arrives && a->stop >= a->edge)) return;
    if (arrives) wlm_lane_arrive(l, lane);
}

/* Gives a member to the device; returns 1 where it is not done. */
static int give_lane(on_device *d, int32_t lane, int64_t member)
{
    const wlm_pace *a = &d->l->pace[lane];
    d->pace[member] = *a;
    *word_of(d, WLM_RECORD_STATUS, member) = a->member < 0 ? WLM_KERNEL_WAITS : 0;
    *word_of(d, WLM_RECORD_REFUSED, member) = a->rejected;
    *word_of(d, WLM_RECORD_BEHIND, member) = a->behind >= 0;
    *word_of(d, WLM_RECORD_ITERATIONS, member) = 0;
    *word_of(d, WLM_RECORD_FIRED, member) = 0;
    *number_of(d, WLM_ROW_WANT, member) = a->want;
    *number_of(d, WLM_ROW_STOP, member) = a->stop;
    *number_of(d, WLM_ROW_LEARNT, member) = INFINITY;
    return a->member >= 0;
}

static void give_group(on_device *d, group g)
{
    pass_group(d, OUT_OF_LANES, g);
    for (int32_t k = 0; k < g.count; k++) d->live += give_lane(d, k, g.first + k);
}

/* Returns the members from `first` on, as many as there are lanes. */
static group group_at(const on_device *d, int64_t first)
{
    return (group){first, d->members - first < WLM_LANES ? (int32_t)(d->members - first) : WLM_LANES};
}

/* --------------------------------------------------------------------- run */

/* Starts members in lanes of the host: consistent, with a first step. */
static void begin_all(on_device *d)
{
    wlm_step_lanes *l = d->l;
    int32_t p = d->shape.parameters;
    for (int64_t first = 0; first < d->members; first += WLM_LANES) {
        group g = group_at(d, first);
        for (int32_t k = 0; k < WLM_LANES; k++) l->pace[k].member = -1;
        l->live = l->used = 0;
        l->next = first, l->end = first + g.count;
        wlm_step_lanes_load(l);
        give_group(d, g);
        for (int64_t m = first; m < first + g.count; m++)
            for (int32_t i = 0; i < p; i++)
                d->rows[((int64_t)d->shape.n + i) * d->members + m] = l->drive->parameter[m * p + i];
    }
}

/* Handles the stops of a group's members; all are at one, or done. */
static void attend(on_device *d, group g)
{
    wlm_step_lanes *l = d->l;
    unsigned char live[WLM_LANES] = {0};
    int any = 0;
    l->used = g.count;
    pass_group(d, INTO_LANES, g);
    for (int32_t k = 0; k < g.count; k++) {
        l->pace[k] = d->pace[g.first + k];
        if (l->pace[k].member >= 0) take_lane(d, k, g.first + k);
        live[k] = l->pace[k].member >= 0;
        any |= l->jumped[k] && live[k];
    }
    if ((any || d->shape.strays) && (l->assign.part != NULL || d->shape.algebraic))
        wlm_step_lanes_write_parameters(l, live);
    wlm_step_lanes_jump(l);
    wlm_step_lanes_follow_strays(l);
    give_group(d, g);
}

/* Returns how many steps a kernel can count. */
static uint32_t countable(const wlm_stepper *stepper)
{
    return stepper->facts->implicit != NULL ? UINT32_MAX / ITERATIONS_OF_STEP : UINT32_MAX;
}

/* Launches until every lane waits or has failed. */
static warplu_status step_all(on_device *d)
{
    uint32_t most = countable(d->stepper);
    if (d->stepper->options.most < most) most = (uint32_t)d->stepper->options.most;
    for (;;) {
        int64_t under_way = 0, begin = wlu_now_ns();
        warplu_status status = wlm_device_advance(d->device, d->number, most, d->now);
        int64_t took = wlu_now_ns() - begin;
        if (status == WARPLU_SUCCESS) status = wlm_device_read_statuses(d->device, d->record);
        if (status == WARPLU_SUCCESS) status = wlu_poll_cancel(d->ctx);
        if (status != WARPLU_SUCCESS) return status;
        for (int64_t m = 0; m < d->members; m++) under_way += d->record[m] == 0;
        if (under_way == 0) return WARPLU_SUCCESS;
        if (took < LAUNCH_SHORT && d->now < NOW_MOST) d->now *= 2;
        if (took > LAUNCH_LONG && d->now > 1) d->now /= 2;
    }
}

static warplu_status run(on_device *d)
{
    warplu_status status = WARPLU_SUCCESS;
    begin_all(d);
    while (d->live > 0 && status == WARPLU_SUCCESS) {
        status = wlm_device_write(d->device, d->rows, d->record);
        if (status == WARPLU_SUCCESS) status = step_all(d);
        if (status == WARPLU_SUCCESS) status = wlm_device_read(d->device, d->rows, d->record);
        if (status != WARPLU_SUCCESS) break;
        d->live = 0;
        for (int64_t first = 0; first < d->members; first += WLM_LANES) attend(d, group_at(d, first));
    }
    for (int64_t m = 0; m < d->members && status == WARPLU_SUCCESS; m++)
        if (d->l->drive->fate[m].status != WARPLU_SUCCESS) status = WARPLU_MEMBERS_FAILED;
    return status;
}

/* ------------------------------------------------------------------- makers */

wlm_kernel_shape wlm_kernel_shape_of(const wlm_stepper *stepper)
{
    return (wlm_kernel_shape){.n = stepper->n,
                              .parameters = stepper->parameters,
                              .events = stepper->crossings > 0 ? stepper->equations->events : 0,
                              .limits = stepper->options.cfl > 0.0 ? stepper->equations->limits : 0,
                              .cfl = stepper->options.cfl,
                              .fixed = stepper->options.step > 0.0,
                              .implicit = stepper->facts->implicit,
                              .algebraic = stepper->algebraic > 0,
                              .strays = wlm_stepper_strays(stepper),
                              .asked = stepper->asked};
}

wlm_kernel_programs wlm_kernel_programs_of(const wlm_stepper *s)
{
    wlm_kernel_programs p = {.step = {s->step.once, s->step.body},
                             .estimate = {s->estimate.once, s->estimate.body},
                             .limit = {s->limit.once, s->limit.body},
                             .crossing = {s->crossing.once, s->crossing.body}};
    if (s->facts->implicit == NULL) return p; /* its iterations are for where members begin: the host's */
    p.newton = (wlm_kernel_program){s->newton.once, s->newton.body};
    p.charges = (wlm_kernel_program){s->charges.once, s->charges.body};
    return p;
}

warplu_status wlm_device_of_stepper(const wlm_stepper *stepper, int number, wlm_device_lanes **out)
{
    uint32_t most = countable(stepper);
    wlm_kernel_shape shape = wlm_kernel_shape_of(stepper);
    wlm_kernel_programs programs = wlm_kernel_programs_of(stepper);
    *out = NULL;
    warplu_status status =
        wlm_method_check(stepper->ctx, stepper->options.method, WLM_SMALL_ON_DEVICE, stepper->options.step);
    if (status != WARPLU_SUCCESS) return status;
    if (stepper->options.most > most && stepper->options.most < INT64_MAX) /* which is that nobody says */
        return wlu_fail(stepper->ctx, WARPLU_INVALID_ARGUMENT,
                        "the executor CUDA has no more than %u steps of a member: take the CPU's", (unsigned)most);
    return wlm_device_create(stepper->ctx, number, &programs, &shape, out);
}

static warplu_status make_room(on_device *d, const wlm_drive *drive)
{
    int64_t rows = wlm_device_rows(&d->shape),
            of_events = (int64_t)sizeof(wlm_recurrence) * d->stepper->equations->events,
            all = rows + d->kinds + d->times + of_events + WLM_KERNEL_RECORDS + (int64_t)sizeof *d->pace;
    if (d->members > INT64_MAX / 8 / all)
        return wlu_fail(d->ctx, WARPLU_OVERFLOW, "%lld members", (long long)d->members);
    d->rows = WLU_CALLOC(d->ctx, rows * d->members, double);
    d->record = WLU_CALLOC(d->ctx, WLM_KERNEL_RECORDS * d->members, int32_t);
    d->learnt = WLU_ALLOC(d->ctx, d->kinds * d->members, double);
    d->pulse = WLU_ALLOC(d->ctx, d->times * d->members, double);
    d->recurrence = WLU_ALLOC(d->ctx, d->stepper->equations->events * d->members, wlm_recurrence);
    d->pace = WLU_ALLOC(d->ctx, d->members, wlm_pace);
    d->l = WLU_CALLOC(d->ctx, 1, wlm_step_lanes);
    int there = WLU_ALL_THERE(d->rows, d->record, d->learnt, d->pulse, d->recurrence, d->pace, d->l);
    return there ? wlm_step_lanes_open(d->l, d->stepper, drive) : wlu_fail_memory(d->ctx, "members on a device");
}

warplu_status wlm_drive_on_device(const wlm_stepper *stepper, const wlm_drive *drive, int64_t members,
                                  wlm_device_lanes *device)
{
    const wlm_step_options *o = &stepper->options;
    const wlm_equations *e = stepper->equations;
    warplu_status status = wlm_drive_check(stepper, drive);
    if (status != WARPLU_SUCCESS || members == 0) return status;
    on_device d = {.stepper = stepper,
                   .ctx = stepper->ctx,
                   .shape = wlm_kernel_shape_of(stepper),
                   .members = members,
                   .kinds = 2 * e->pulses + e->events,
                   .times = 3 * e->pulses + e->events,
                   .device = device,
                   .now = NOW_FIRST};
    d.number[WLM_AT_LONGEST] = o->longest > 0.0 ? o->longest : INFINITY;
    d.number[WLM_AT_SHORTEST] = wlm_pace_shortest(o->shortest, 0.0, drive->t1 - drive->t0);
    d.number[WLM_AT_WHOLE] = drive->t1;
    status = make_room(&d, drive);
    if (status == WARPLU_SUCCESS) status = wlm_device_set_lanes(device, members);
    if (status == WARPLU_SUCCESS) status = run(&d);
    if (d.l != NULL) wlm_step_lanes_close(d.l);
    wlu_free(d.ctx, d.l);
    wlu_free(d.ctx, d.rows);
    wlu_free(d.ctx, d.record);
    wlu_free(d.ctx, d.learnt);
    wlu_free(d.ctx, d.pulse);
    wlu_free(d.ctx, d.recurrence);
    wlu_free(d.ctx, d.pace);
    return status;
}
