#include "model/step/on_device.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/step/lanes.h"

enum { STATUS, STEPS, REJECTED, REFUSED, BEHIND };

typedef struct on_device {
    const wlm_stepper *stepper;
    const wlm_drive *drive;
    wlm_drive silent; /* the same, but that the host's lanes tell of no output */
    wlu_context *ctx;
    int64_t members;
    int32_t n, parameters, kinds;
    wlm_step_lanes *clock; /* lane 0 knows the edges, which all members share */
    double *rows;          /* the device's rows of doubles */
    double *learnt;        /* kinds rows of members */
    int32_t *record;       /* the device's records */
    double *row;           /* n: a member's y */
    wlm_device_lanes *lanes;
    double number[WLM_KERNEL_NUMBERS];
    int32_t output, behind; /* the next output; kind of the edge behind, or -1 */
} on_device;

static double *row_of(const on_device *d, int32_t row)
{
    return d->rows + (int64_t)row * d->members;
}

static int32_t time_row(const on_device *d)
{
    return d->n + d->parameters;
}

static warplu_status check(const wlm_stepper *s)
{
    const wlm_equations *e = s->equations;
    const char *why = s->facts->newton > 0                ? "methods with Newton's iterations"
                      : e->events > 0                     ? "events"
                      : e->pulses > 0 && s->algebraic > 0 ? "pulses beside algebraic equations"
                      : s->options.most > UINT32_MAX      ? "more than 4294967295 steps of a member"
                                                          : NULL;
    if (why == NULL) return WARPLU_SUCCESS;
    return wlu_fail(s->ctx, WARPLU_INVALID_ARGUMENT, "the executor CUDA has no %s: take the CPU's", why);
}

static warplu_status make_room(on_device *d)
{
    int64_t rows = (int64_t)d->n + d->parameters + WLM_KERNEL_ROWS;
    if (d->members > INT64_MAX / 8 / (rows + d->kinds + WLM_KERNEL_RECORDS))
        return wlu_fail(d->ctx, WARPLU_OVERFLOW, "%lld members", (long long)d->members);
    d->rows = WLU_ALLOC(d->ctx, rows * d->members, double);
    d->learnt = WLU_ALLOC(d->ctx, d->kinds * d->members, double);
    d->record = WLU_CALLOC(d->ctx, WLM_KERNEL_RECORDS * d->members, int32_t);
    d->row = WLU_ALLOC(d->ctx, d->n, double);
    d->clock = WLU_CALLOC(d->ctx, 1, wlm_step_lanes);
    int there = d->rows != NULL && d->learnt != NULL && d->record != NULL && d->row != NULL && d->clock != NULL;
    return there ? WARPLU_SUCCESS : wlu_fail_memory(d->ctx, "members on a device");
}

/* What the host's lanes have found out about a member goes into the device's rows. */
static void take_lane(on_device *d, const wlm_step_lanes *l, int32_t lane, int64_t member)
{
    int32_t at = time_row(d);
    for (int32_t i = 0; i < d->n; i++) row_of(d, i)[member] = WLM_ROW(l->y, i)[lane];
    for (int32_t i = 0; i < d->parameters; i++)
        row_of(d, d->n + i)[member] = d->drive->parameter[member * d->parameters + i];
    row_of(d, at)[member] = d->drive->t0;
    row_of(d, at + 1)[member] = l->lane[lane].want;
    row_of(d, at + 2)[member] = INFINITY;
    for (int32_t k = 0; k < d->kinds; k++) d->learnt[k * d->members + member] = WLM_ROW(l->learnt, k)[lane];
}

static warplu_status same_pulses(const on_device *d, const wlm_step_lanes *l, int32_t lane)
{
    for (int32_t k = 0; k < 3 * d->stepper->equations->pulses; k++)
        if (memcmp(&WLM_ROW(l->pulse, k)[lane], &WLM_ROW(d->clock->pulse, k)[0], sizeof(double)) != 0)
            return wlu_fail(d->ctx, WARPLU_INVALID_ARGUMENT,
                            "the executor CUDA has no pulses that differ between members: take the CPU's");
    return WARPLU_SUCCESS;
}

/* Starts members first to first + count - 1 in lanes of the host: consistent, with a first step. */
static warplu_status begin(on_device *d, wlm_step_lanes *l, int64_t first, int64_t count)
{
    warplu_status status = wlm_step_lanes_open(l, d->stepper, &d->silent);
    if (status != WARPLU_SUCCESS) return status;
    l->next = first, l->end = first + count;
    wlm_step_lanes_load(l);
    for (int32_t k = 0; k < count && status == WARPLU_SUCCESS; k++) {
        int64_t member = first + k;
        status = same_pulses(d, l, k);
        take_lane(d, l, k, member);
        d->record[STATUS * d->members + member] = l->lane[k].member < 0 ? (int32_t)d->drive->fate[member].status : 0;
    }
    return status;
}

static warplu_status begin_all(on_device *d)
{
    warplu_status status = begin(d, d->clock, 0, d->members < WLM_LANES ? d->members : WLM_LANES);
    wlm_step_lanes *l = WLU_CALLOC(d->ctx, 1, wlm_step_lanes);
    if (l == NULL) return wlu_fail_memory(d->ctx, "members on a device");
    for (int64_t first = WLM_LANES; first < d->members && status == WARPLU_SUCCESS; first += WLM_LANES) {
        int64_t count = d->members - first < WLM_LANES ? d->members - first : WLM_LANES;
        status = begin(d, l, first, count);
        wlm_step_lanes_close(l);
    }
    wlu_free(d->ctx, l);
    if (status == WARPLU_SUCCESS)
        status = wlm_device_write(d->lanes, 0, d->n + d->parameters + WLM_KERNEL_ROWS, d->rows);
    return status == WARPLU_SUCCESS ? wlm_device_write_records(d->lanes, 0, WLM_KERNEL_RECORDS, d->record) : status;
}

/* Tells of outputs at the stop; on the host's way there, y is read. */
static warplu_status report(on_device *d, double t)
{
    const wlm_drive *drive = d->drive;
    if (d->output >= drive->outputs || drive->output[d->output] > t) return WARPLU_SUCCESS;
    warplu_status status = wlm_device_read(d->lanes, 0, d->n, d->rows);
    if (status == WARPLU_SUCCESS) status = wlm_device_read_records(d->lanes, STATUS, 1, d->record);
    for (; status == WARPLU_SUCCESS && d->output < drive->outputs && drive->output[d->output] <= t; d->output++) {
        for (int64_t m = 0; m < d->members && drive->row != NULL; m++) {
            if (d->record[m] != 0) continue;
            for (int32_t i = 0; i < d->n; i++) d->row[i] = row_of(d, i)[m];
            drive->row(drive->user, m, d->output, d->row);
        }
    }
    return status;
}

/* Behind a jump every lane begins again: wlm_lane_restart, on the host. */
static warplu_status restart(on_device *d, int32_t kind)
{
    int32_t at = time_row(d);
    double *want = row_of(d, at + 1), *learnt = row_of(d, at + 2), *of_kind = d->learnt + kind * d->members;
    warplu_status status = wlm_device_read(d->lanes, at, WLM_KERNEL_ROWS, row_of(d, at));
    if (status != WARPLU_SUCCESS) return status;
    if (d->behind >= 0) memcpy(d->learnt + d->behind * d->members, learnt, (size_t)d->members * sizeof *learnt);
    for (int64_t m = 0; m < d->members; m++) {
        if (of_kind[m] < want[m]) want[m] = of_kind[m];
        learnt[m] = of_kind[m];
        d->record[REFUSED * d->members + m] = 0;
        d->record[BEHIND * d->members + m] = 1;
    }
    d->behind = kind;
    status = wlm_device_write(d->lanes, at, WLM_KERNEL_ROWS, row_of(d, at));
    if (status != WARPLU_SUCCESS) return status;
    return wlm_device_write_records(d->lanes, REFUSED, 2, d->record + REFUSED * d->members);
}

static warplu_status advance(on_device *d)
{
    wlm_step_lanes *l = d->clock;
    wlm_lane *lane = &l->lane[0];
    warplu_status status = report(d, d->drive->t0);
    l->t[0] = d->drive->t0;
    while (status == WARPLU_SUCCESS && l->t[0] < d->drive->t1) {
        lane->output = d->output;
        wlm_lane_find_edge(l, 0);
        wlm_lane_find_stop(l, 0);
        d->number[WLM_AT_STOP] = lane->stop, d->number[WLM_AT_FIRST] = l->first[0], d->number[WLM_AT_LAST] = l->last[0];
        status = wlm_device_advance(d->lanes, d->number, (uint32_t)d->stepper->options.most);
        l->t[0] = lane->stop;
        if (status == WARPLU_SUCCESS) status = report(d, lane->stop);
        if (status == WARPLU_SUCCESS && lane->stop >= lane->edge && lane->stop < d->drive->t1) {
            status = restart(d, lane->kind);
            wlm_lane_restart(l, 0, lane->kind);
        }
        if (status == WARPLU_SUCCESS) status = wlu_poll_cancel(d->ctx);
    }
    return status;
}

static warplu_status finish(on_device *d)
{
    warplu_status status = wlm_device_read(d->lanes, 0, d->n + d->parameters + WLM_KERNEL_ROWS, d->rows);
    if (status == WARPLU_SUCCESS) status = wlm_device_read_records(d->lanes, 0, WLM_KERNEL_RECORDS, d->record);
    for (int64_t m = 0; m < d->members && status >= 0; m++) {
        wlm_fate *fate = &d->drive->fate[m];
        fate->status = (warplu_status)d->record[m];
        fate->t = row_of(d, time_row(d))[m];
        fate->steps = (uint32_t)d->record[STEPS * d->members + m];
        fate->rejected = (uint32_t)d->record[REJECTED * d->members + m];
        int failed = fate->status != WARPLU_SUCCESS;
        for (int32_t i = 0; i < d->n && d->drive->end != NULL; i++)
            d->drive->end[m * d->n + i] = failed ? (double)NAN : row_of(d, i)[m];
        if (failed) status = WARPLU_MEMBERS_FAILED;
    }
    return status;
}

wlm_kernel_shape wlm_kernel_shape_of(const wlm_stepper *stepper)
{
    return (wlm_kernel_shape){.n = stepper->n,
                              .parameters = stepper->parameters,
                              .fixed = stepper->options.step > 0.0,
                              .algebraic = stepper->algebraic > 0};
}

warplu_status wlm_device_of_stepper(const wlm_stepper *stepper, int number, wlm_device_lanes **out)
{
    *out = NULL;
    warplu_status status = check(stepper);
    wlm_kernel_shape shape = wlm_kernel_shape_of(stepper);
    if (status != WARPLU_SUCCESS) return status;
    return wlm_device_create(stepper->ctx, number, stepper->step.once, stepper->step.body, &shape, out);
}

static void set_numbers(on_device *d)
{
    const wlm_step_options *o = &d->stepper->options;
    d->number[WLM_AT_FIXED] = o->step;
    d->number[WLM_AT_LONGEST] = o->longest > 0.0 ? o->longest : INFINITY;
    d->number[WLM_AT_SHORTEST] = fmax(o->shortest, 1e-20 * (d->drive->t1 - d->drive->t0));
    d->number[WLM_AT_WHOLE] = d->drive->t1;
}

warplu_status wlm_drive_on_device(const wlm_stepper *stepper, const wlm_drive *drive, int64_t members,
                                  wlm_device_lanes *device)
{
    warplu_status status = wlm_drive_check(stepper, drive);
    if (status != WARPLU_SUCCESS || members == 0) return status;
    on_device d = {.stepper = stepper,
                   .drive = drive,
                   .silent = *drive,
                   .ctx = stepper->ctx,
                   .members = members,
                   .n = stepper->n,
                   .parameters = stepper->parameters,
                   .kinds = 2 * stepper->equations->pulses,
                   .lanes = device,
                   .behind = -1};
    d.silent.row = NULL;
    set_numbers(&d);
    status = make_room(&d);
    if (status == WARPLU_SUCCESS) status = wlm_device_set_lanes(device, members);
    if (status == WARPLU_SUCCESS) status = begin_all(&d);
    if (status == WARPLU_SUCCESS) status = advance(&d);
    if (status == WARPLU_SUCCESS) status = finish(&d);
    if (d.clock != NULL) wlm_step_lanes_close(d.clock);
    wlu_free(d.ctx, d.clock);
    wlu_free(d.ctx, d.rows);
    wlu_free(d.ctx, d.learnt);
    wlu_free(d.ctx, d.record);
    wlu_free(d.ctx, d.row);
    return status;
}
