/* Writes the kernel's head, what it loads and stores, and its parts in their order. */
#include "model/device/kernel.h"

#include <string.h>

#include "model/device/instructions.h"
#include "model/device/registers.h"

static void head(wlm_ptx *w)
{
    wlm_ptx_begin(w);
    wlm_ptx_line(w, ".visible .entry " WLM_KERNEL_NAME "(.param .u64 prows, .param .u64 precord, .param .u64 planes,");
    for (int k = 0; k < WLM_KERNEL_NUMBERS; k++) wlm_ptx_line(w, "    .param .f64 pnumber%d,", k);
    wlm_ptx_line(w, "    .param .u32 pmost, .param .u32 pnow, .param .u64 ptables)");
    wlm_ptx_line(w, ".maxntid 128, 1, 1");
    wlm_ptx_line(w, "{");
}

/* Writes: LANE is this thread's; threads beyond the lanes end. */
static void find_lane(wlm_ptx *w)
{
    wlm_ptx_line(w, "mov.u32 %%r%d, %%ctaid.x;", WLM_R_SUM);
    wlm_ptx_line(w, "mov.u32 %%r%d, %%ntid.x;", WLM_R_STAGE);
    wlm_ptx_line(w, "mul.wide.u32 %%rd%d, %%r%d, %%r%d;", WLM_RD_LANE, WLM_R_SUM, WLM_R_STAGE);
    wlm_ptx_line(w, "mov.u32 %%r%d, %%tid.x;", WLM_R_SUM);
    wlm_ptx_line(w, "cvt.u64.u32 %%rd%d, %%r%d;", WLM_RD_ADDRESS, WLM_R_SUM);
    wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %%rd%d;", WLM_RD_LANE, WLM_RD_LANE, WLM_RD_ADDRESS);
    wlm_ptx_line(w, "ld.param.u64 %%rd%d, [planes];", WLM_RD_LANES);
    wlm_ptx_line(w, "setp.ge.u64 %%p%d, %%rd%d, %%rd%d;", WLM_P_DONE, WLM_RD_LANE, WLM_RD_LANES);
    wlm_ptx_line(w, "@%%p%d ret;", WLM_P_DONE);
}

/* Writes: ADDRESS is that of this lane's number in the first row of an array, PITCH the bytes from row to row. */
static void point_at(wlm_ptx *w, const char *parameter, int bytes)
{
    wlm_ptx_line(w, "ld.param.u64 %%rd%d, [%s];", WLM_RD_ADDRESS, parameter);
    wlm_ptx_line(w, "cvta.to.global.u64 %%rd%d, %%rd%d;", WLM_RD_ADDRESS, WLM_RD_ADDRESS);
    wlm_ptx_line(w, "mad.lo.u64 %%rd%d, %%rd%d, %d, %%rd%d;", WLM_RD_ADDRESS, WLM_RD_LANE, bytes, WLM_RD_ADDRESS);
    wlm_ptx_line(w, "mul.lo.u64 %%rd%d, %%rd%d, %d;", WLM_RD_PITCH, WLM_RD_LANES, bytes);
}

typedef enum way { LOAD, STORE } way;

/* Loads or stores this lane's number of the next row. */
static void pass(wlm_ptx *w, way to, const char *type, const char *kind, int32_t number)
{
    if (to == LOAD)
        wlm_ptx_line(w, "ld.global.%s %%%s%d, [%%rd%d];", type, kind, (int)number, WLM_RD_ADDRESS);
    else
        wlm_ptx_line(w, "st.global.%s [%%rd%d], %%%s%d;", type, WLM_RD_ADDRESS, kind, (int)number);
    wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %%rd%d;", WLM_RD_ADDRESS, WLM_RD_ADDRESS, WLM_RD_PITCH);
}

static void pass_rows(wlm_ptx *w, way to, const int32_t *number, int32_t count)
{
    for (int32_t i = 0; i < count; i++) pass(w, to, "f64", "fd", number[i]);
}

/* Loads or stores all rows in their order; parameters are only loaded. */
static void pass_all(const wlm_lane_kernel *k, way to)
{
    const wlm_kernel_shape *s = k->shape;
    wlm_ptx *w = k->w;
    point_at(w, "precord", 4);
    for (int r = 0; r < WLM_KERNEL_RECORDS; r++) pass(w, to, "u32", "r", r);
    if (to == LOAD) {
        wlm_ptx_line(w, "setp.ne.s32 %%p%d, %%r%d, 0;", WLM_P_DONE, WLM_RECORD_STATUS);
        wlm_ptx_line(w, "@%%p%d ret;", WLM_P_DONE);
    }
    point_at(w, "prows", 8);
    pass_rows(w, to, k->state, s->n);
    if (to == LOAD)
        pass_rows(w, to, k->parameter, s->parameters);
    else
        wlm_ptx_line(w, "mad.lo.u64 %%rd%d, %%rd%d, %d, %%rd%d;", WLM_RD_ADDRESS, WLM_RD_PITCH, (int)s->parameters,
                     WLM_RD_ADDRESS);
    for (int r = 0; r < WLM_KERNEL_ROWS; r++) pass(w, to, "f64", "fd", WLM_FD_ROW + r);
    if (wlm_implicit_looks_back(s->implicit)) pass_rows(w, to, k->f_before, s->n);
    pass_rows(w, to, k->before, s->events);
    pass_rows(w, to, k->after, s->events);
}

static void load(const wlm_lane_kernel *k)
{
    wlm_ptx *w = k->w;
    pass_all(k, LOAD);
    for (int i = 0; i < WLM_KERNEL_NUMBERS; i++) wlm_ptx_line(w, "ld.param.f64 %%fd%d, [pnumber%d];", i, i);
    wlm_ptx_line(w, "ld.param.u64 %%rd%d, [ptables];", WLM_RD_TABLES);
    if (k->tables->numbers > 0) wlm_ptx_line(w, "cvta.to.global.u64 %%rd%d, %%rd%d;", WLM_RD_TABLES, WLM_RD_TABLES);
    wlm_ptx_line(w, "ld.param.u32 %%r%d, [pmost];", WLM_R_MOST);
    wlm_ptx_line(w, "ld.param.u32 %%r%d, [pnow];", WLM_R_NOW);
    wlm_let(k, WLM_FD_LOW, v_set(0.0));
    wlm_let(k, WLM_FD_HIGH, v_set(0.0));
    /* a step without an estimate has these */
    wlm_let(k, WLM_FD_NORM, v_set(0.0));
    wlm_let(k, WLM_FD_FACTOR, v_set(1.0));
    wlm_let(k, WLM_FD_HEALTH, v_set(1.0));
}

typedef struct placed_all {
    wlm_placed step, newton, charges, estimate, limit, crossing;
} placed_all;

/* Places all programs. Behind the parameters stand, for steps, h and the times that stages may have; for an iteration,
 * the share of the step and what is solved for; for an estimate, the share, a length, errors and where the step
 * began. */
static warplu_status place_all(const wlm_lane_kernel *k, const wlm_kernel_programs *p, placed_all *a)
{
    static const int32_t of_step[] = {WLM_FD_H, WLM_FD_LAST, WLM_FD_FIRST};
    int32_t n = k->shape->n;
    int32_t *more = WLU_ALLOC(k->w->ctx, 2 + 2 * (int64_t)n, int32_t);
    if (more == NULL) return wlu_fail_memory(k->w->ctx, "a kernel");
    size_t bytes = (size_t)n * sizeof *more;
    warplu_status status = wlm_kernel_place(k, &p->step, WLM_FD_T, k->state, of_step, 3, &a->step);
    more[0] = WLM_FD_DH;
    memcpy(more + 1, k->charge, bytes);
    if (status == WARPLU_SUCCESS)
        status = wlm_kernel_place(k, &p->newton, WLM_FD_TIME, k->next, more, 1 + n, &a->newton);
    if (status == WARPLU_SUCCESS) status = wlm_kernel_place(k, &p->charges, WLM_FD_TIME, k->next, NULL, 0, &a->charges);
    more[1] = WLM_FD_BLUR;
    memcpy(more + 2, k->error, bytes);
    memcpy(more + 2 + n, k->state, bytes);
    if (status == WARPLU_SUCCESS)
        status = wlm_kernel_place(k, &p->estimate, WLM_FD_TIME, k->next, more, 2 + 2 * n, &a->estimate);
    if (status == WARPLU_SUCCESS) status = wlm_kernel_place(k, &p->limit, WLM_FD_TIME, k->state, NULL, 0, &a->limit);
    if (status == WARPLU_SUCCESS)
        status = wlm_kernel_place(k, &p->crossing, WLM_FD_TIME, k->next, NULL, 0, &a->crossing);
    wlu_free(k->w->ctx, more);
    return status;
}

/* Writes a step that is one run of one program. */
static void attempt(const wlm_lane_kernel *k, const wlm_placed *step)
{
    wlm_ptx_program(k->w, step->body, k->tables, step->slot);
    const int32_t *out = wlm_placed_outputs(step);
    for (int32_t i = 0; i < k->shape->n; i++) wlm_kernel_move(k->w, k->next[i], out[i]);
    for (int32_t i = 0; i < 3; i++) wlm_kernel_move(k->w, WLM_FD_NORM + i, out[k->shape->n + i]);
}

static void body(const wlm_lane_kernel *k, const placed_all *a)
{
    wlm_ptx *w = k->w;
    wlm_ptx_line(w, "loop: setp.ge.f64 %%p%d, %%fd%d, %%fd%d;", WLM_P_DONE, WLM_FD_T, WLM_FD_STOP);
    wlm_ptx_line(w, "@%%p%d bra arrive;", WLM_P_DONE);
    if (k->shape->limits > 0) wlm_kernel_limit(k, &a->limit);
    wlm_kernel_choose(k);
    if (k->shape->implicit == NULL)
        attempt(k, &a->step);
    else
        wlm_kernel_attempt_newton(k, &a->newton, &a->charges, &a->estimate);
    wlm_kernel_judge(k);
    if (k->shape->events > 0) wlm_kernel_search(k, &a->crossing);
    wlm_kernel_accept(k);
    wlm_kernel_count(k);
    wlm_ptx_line(w, "arrive: mov.u32 %%r%d, %d;", WLM_RECORD_STATUS, WLM_KERNEL_WAITS);
    wlm_ptx_line(w, "bra finish;");
    wlm_kernel_blame(k);
    wlm_ptx_line(w, "finish:");
    pass_all(k, STORE);
    wlm_ptx_line(w, "ret;");
}

/* Gives registers to the kernel's own rows. */
static warplu_status open(wlm_lane_kernel *k, wlm_ptx *w, const wlm_kernel_shape *s, const wlm_device_tables *tables)
{
    *k = (wlm_lane_kernel){.w = w, .shape = s, .tables = tables};
    int32_t **row[] = {&k->state, &k->next,  &k->q,        &k->f,      &k->charge, &k->f_stage,
                       &k->f_end, &k->error, &k->f_before, &k->before, &k->after,  &k->parameter};
    int64_t count = 9 * (int64_t)s->n + 2 * (int64_t)s->events + s->parameters, at = 0;
    k->block = WLU_ALLOC(w->ctx, count, int32_t);
    if (k->block == NULL) return wlu_fail_memory(w->ctx, "a kernel");
    w->reals = WLM_FD_COUNT, w->words = WLM_RD_COUNT, w->halves = WLM_R_COUNT, w->truths = WLM_P_COUNT;
    for (int64_t i = 0; i < count; i++) k->block[i] = wlm_ptx_real(w);
    for (int r = 0; r < 12; r++) {
        *row[r] = k->block + at;
        at += r < 9 ? s->n : s->events;
    }
    return WARPLU_SUCCESS;
}

warplu_status wlm_kernel_list_tables(wlu_context *ctx, const wlm_kernel_programs *programs, wlm_device_tables *out)
{
    const wlm_kernel_programs *p = programs;
    const wlm_program *const program[] = {p->step.once,    p->step.body,    p->newton.once,   p->newton.body,
                                          p->charges.once, p->charges.body, p->estimate.once, p->estimate.body,
                                          p->limit.once,   p->limit.body,   p->crossing.once, p->crossing.body};
    warplu_status status = wlm_device_tables_create(ctx, program, sizeof program / sizeof *program, out);
    out->word = WLM_RD_TABLES;
    return status;
}

warplu_status wlm_kernel_write(wlm_ptx *out, const wlm_kernel_programs *programs, const wlm_device_tables *tables,
                               const wlm_kernel_shape *shape)
{
    wlu_context *ctx = out->ctx;
    wlm_ptx lines;
    wlm_lane_kernel k;
    placed_all a;
    memset(&a, 0, sizeof a);
    wlm_ptx_init(&lines, ctx);
    warplu_status status = open(&k, &lines, shape, tables);
    if (status == WARPLU_SUCCESS) {
        find_lane(&lines);
        load(&k);
        status = place_all(&k, programs, &a);
    }
    if (status == WARPLU_SUCCESS) {
        body(&k, &a);
        head(out);
        wlm_ptx_declare(out, &lines);
        wlm_ptx_append(out, &lines);
        wlm_ptx_line(out, "}");
        status = wlm_ptx_status(out);
    }
    int32_t *slots[] = {a.step.slot, a.newton.slot, a.charges.slot, a.estimate.slot, a.limit.slot, a.crossing.slot};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) wlu_free(ctx, slots[i]);
    wlu_free(ctx, k.block);
    wlm_ptx_free(&lines);
    return status;
}
