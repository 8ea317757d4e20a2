#include "model/device/kernel.h"

#include "model/device/instructions.h"

/* Registers of the kernel's own, counted before those of the programs; of doubles, numbers of
 * wlm_kernel_number first. */
enum { T = WLM_KERNEL_NUMBERS, WANT, LEARNT, H, ROOM, SCRATCH, OTHER, REALS };
enum { LANE, LANES, ADDRESS, PITCH, WORDS };
enum { STATUS, STEPS, REJECTED, REFUSED, BEHIND, MOST, SUM, HALVES };
enum { DONE, ENDS, GOOD, TRUTH, TRUTHS };

/* What constants are as operands. */
#define ONE "0d3ff0000000000000"
#define ZERO "0d0000000000000000"
#define HALF "0d3fe0000000000000"
#define QUARTER "0d3fd0000000000000"
#define NINE_TENTHS "0d3feccccccccccccd"
#define INFINITE "0d7ff0000000000000"
#define MILLIONTH "0d3eb0c6f7a0b5ed8d"   /* 1e-6 */
#define ALMOST "0d3feffffde7210be9"      /* 0.999999 */
#define SIXTEEN_EPS "0d3cf0000000000000" /* 16 times 2^-52 */
#define EIGHT_EPS "0d3ce0000000000000"

static void head(wlm_ptx *w)
{
    wlm_ptx_line(w, ".version 7.0");
    wlm_ptx_line(w, ".target sm_80");
    wlm_ptx_line(w, ".address_size 64");
    wlm_ptx_line(w, ".visible .entry " WLM_KERNEL_NAME "(.param .u64 prows, .param .u64 precord, .param .u64 planes,");
    for (int k = 0; k < WLM_KERNEL_NUMBERS; k++) wlm_ptx_line(w, "    .param .f64 pnumber%d,", k);
    wlm_ptx_line(w, "    .param .u32 pmost)");
    wlm_ptx_line(w, ".maxntid 128, 1, 1");
    wlm_ptx_line(w, "{");
}

/* The lane of this thread; threads beyond the lanes end. */
static void find_lane(wlm_ptx *w)
{
    wlm_ptx_line(w, "mov.u32 %%r%d, %%ctaid.x;", STEPS);
    wlm_ptx_line(w, "mov.u32 %%r%d, %%ntid.x;", MOST);
    wlm_ptx_line(w, "mul.wide.u32 %%rd%d, %%r%d, %%r%d;", LANE, STEPS, MOST);
    wlm_ptx_line(w, "mov.u32 %%r%d, %%tid.x;", STEPS);
    wlm_ptx_line(w, "cvt.u64.u32 %%rd%d, %%r%d;", ADDRESS, STEPS);
    wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %%rd%d;", LANE, LANE, ADDRESS);
    wlm_ptx_line(w, "ld.param.u64 %%rd%d, [planes];", LANES);
    wlm_ptx_line(w, "setp.ge.u64 %%p%d, %%rd%d, %%rd%d;", DONE, LANE, LANES);
    wlm_ptx_line(w, "@%%p%d ret;", DONE);
}

/* ADDRESS: of this lane's number in the first row of an array; PITCH: bytes from row to row. */
static void point_at(wlm_ptx *w, const char *parameter, int bytes)
{
    wlm_ptx_line(w, "ld.param.u64 %%rd%d, [%s];", ADDRESS, parameter);
    wlm_ptx_line(w, "cvta.to.global.u64 %%rd%d, %%rd%d;", ADDRESS, ADDRESS);
    wlm_ptx_line(w, "mad.lo.u64 %%rd%d, %%rd%d, %d, %%rd%d;", ADDRESS, LANE, bytes, ADDRESS);
    wlm_ptx_line(w, "mul.lo.u64 %%rd%d, %%rd%d, %d;", PITCH, LANES, bytes);
}

/* Loads or stores the next row's number of this lane. */
static void move(wlm_ptx *w, const char *what, const char *kind, int32_t number)
{
    if (what[0] == 'l')
        wlm_ptx_line(w, "%s %%%s%d, [%%rd%d];", what, kind, (int)number, ADDRESS);
    else
        wlm_ptx_line(w, "%s [%%rd%d], %%%s%d;", what, ADDRESS, kind, (int)number);
    wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %%rd%d;", ADDRESS, ADDRESS, PITCH);
}

static const int32_t own_rows[WLM_KERNEL_ROWS] = {T, WANT, LEARNT};

static void load(wlm_ptx *w, const wlm_kernel_shape *s, int32_t *state, int32_t *parameter)
{
    point_at(w, "precord", 4);
    for (int k = 0; k < WLM_KERNEL_RECORDS; k++) move(w, "ld.global.u32", "r", k);
    wlm_ptx_line(w, "setp.ne.s32 %%p%d, %%r%d, 0;", DONE, STATUS);
    wlm_ptx_line(w, "@%%p%d ret;", DONE);
    point_at(w, "prows", 8);
    for (int32_t i = 0; i < s->n; i++) move(w, "ld.global.f64", "fd", state[i] = wlm_ptx_real(w));
    for (int32_t i = 0; i < s->parameters; i++) move(w, "ld.global.f64", "fd", parameter[i] = wlm_ptx_real(w));
    for (int k = 0; k < WLM_KERNEL_ROWS; k++) move(w, "ld.global.f64", "fd", own_rows[k]);
    for (int k = 0; k < WLM_KERNEL_NUMBERS; k++) wlm_ptx_line(w, "ld.param.f64 %%fd%d, [pnumber%d];", k, k);
    wlm_ptx_line(w, "ld.param.u32 %%r%d, [pmost];", MOST);
}

static void store(wlm_ptx *w, const wlm_kernel_shape *s, const int32_t *state)
{
    point_at(w, "precord", 4);
    for (int k = 0; k < WLM_KERNEL_RECORDS; k++) move(w, "st.global.u32", "r", k);
    point_at(w, "prows", 8);
    for (int32_t i = 0; i < s->n; i++) move(w, "st.global.f64", "fd", state[i]);
    wlm_ptx_line(w, "mad.lo.u64 %%rd%d, %%rd%d, %d, %%rd%d;", ADDRESS, PITCH, (int)s->parameters, ADDRESS);
    for (int k = 0; k < WLM_KERNEL_ROWS; k++) move(w, "st.global.f64", "fd", own_rows[k]);
}

/* fd<to> = operation(fd<a>, text). */
static void two(wlm_ptx *w, const char *operation, int to, int a, const char *b)
{
    wlm_ptx_line(w, "%s %%fd%d, %%fd%d, %s;", operation, to, a, b);
}

static void two_registers(wlm_ptx *w, const char *operation, int to, int a, int b)
{
    wlm_ptx_line(w, "%s %%fd%d, %%fd%d, %%fd%d;", operation, to, a, b);
}

/* wlm_pace_stop: fixed steps are even shares of the way to the stop. */
static void share_way(wlm_ptx *w)
{
    two_registers(w, "sub.rn.f64", ROOM, WLM_AT_STOP, T);
    two_registers(w, "div.rn.f64", SCRATCH, ROOM, WLM_AT_FIXED);
    two(w, "sub.rn.f64", SCRATCH, SCRATCH, MILLIONTH);
    wlm_ptx_line(w, "cvt.rpi.f64.f64 %%fd%d, %%fd%d;", SCRATCH, SCRATCH);
    two(w, "max.f64", SCRATCH, SCRATCH, ONE);
    two_registers(w, "div.rn.f64", WANT, ROOM, SCRATCH);
}

/* wlm_pace_length: H, and ENDS. */
static void choose(wlm_ptx *w, const wlm_kernel_shape *s)
{
    two_registers(w, "sub.rn.f64", ROOM, WLM_AT_STOP, T);
    wlm_ptx_line(w, "mov.f64 %%fd%d, %%fd%d;", H, WANT);
    if (!s->fixed) { /* a NaN stays one */
        wlm_ptx_line(w, "setp.gt.f64 %%p%d, %%fd%d, %%fd%d;", TRUTH, H, WLM_AT_LONGEST);
        wlm_ptx_line(w, "@%%p%d mov.f64 %%fd%d, %%fd%d;", TRUTH, H, WLM_AT_LONGEST);
    }
    two(w, "mul.rn.f64", SCRATCH, ROOM, ALMOST);
    wlm_ptx_line(w, "setp.ge.f64 %%p%d, %%fd%d, %%fd%d;", ENDS, H, SCRATCH);
    if (!s->fixed) {
        two_registers(w, "add.rn.f64", SCRATCH, H, H);
        wlm_ptx_line(w, "setp.gt.f64 %%p%d, %%fd%d, %%fd%d;", TRUTH, SCRATCH, ROOM);
        two(w, "mul.rn.f64", SCRATCH, ROOM, HALF);
        wlm_ptx_line(w, "selp.f64 %%fd%d, %%fd%d, %%fd%d, %%p%d;", H, SCRATCH, H, TRUTH);
    }
    wlm_ptx_line(w, "selp.f64 %%fd%d, %%fd%d, %%fd%d, %%p%d;", H, ROOM, H, ENDS);
}

/* GOOD: nothing of the new state, the norm and the health is NaN or infinite; STATUS of a step that has to be
 * refused. */
static void find_trouble(wlm_ptx *w, const wlm_kernel_shape *s, const int32_t *fresh)
{
    int32_t n = s->n, weak = s->algebraic ? WARPLU_SINGULAR : WARPLU_STEP_TOO_SMALL;
    wlm_ptx_line(w, "mov.f64 %%fd%d, " ZERO ";", SCRATCH);
    for (int32_t i = 0; i < n; i++)
        wlm_ptx_line(w, "fma.rn.f64 %%fd%d, %%fd%d, " ZERO ", %%fd%d;", SCRATCH, (int)fresh[i], SCRATCH);
    wlm_ptx_line(w, "setp.eq.f64 %%p%d, %%fd%d, " ZERO ";", GOOD, SCRATCH);
    wlm_ptx_line(w, "setp.num.and.f64 %%p%d, %%fd%d, %%fd%d, %%p%d;", GOOD, (int)fresh[n], (int)fresh[n + 2], GOOD);
    wlm_ptx_line(w, "selp.b32 %%r%d, 0, %d, %%p%d;", STATUS, (int)WARPLU_NOT_FINITE, GOOD);
    /* Health that is a number and not positive is a weak pivot, whatever the state is. */
    wlm_ptx_line(w, "setp.le.f64 %%p%d, %%fd%d, " ZERO ";", TRUTH, (int)fresh[n + 2]);
    wlm_ptx_line(w, "setp.num.and.f64 %%p%d, %%fd%d, %%fd%d, %%p%d;", TRUTH, (int)fresh[n], (int)fresh[n], TRUTH);
    wlm_ptx_line(w, "@%%p%d mov.u32 %%r%d, %d;", TRUTH, STATUS, (int)weak);
    wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, 0;", GOOD, STATUS);
    wlm_ptx_line(w, "mov.f64 %%fd%d, " QUARTER ";", OTHER);
}

/* Of controlled steps: a good step whose error is too large is refused as well. */
static void find_error(wlm_ptx *w, const int32_t *fresh, int32_t n)
{
    wlm_ptx_line(w, "setp.gtu.f64 %%p%d, %%fd%d, " ONE ";", TRUTH, (int)fresh[n]);
    wlm_ptx_line(w, "and.pred %%p%d, %%p%d, %%p%d;", TRUTH, TRUTH, GOOD);
    wlm_ptx_line(w, "@%%p%d mov.u32 %%r%d, %d;", TRUTH, STATUS, (int)WARPLU_STEP_TOO_SMALL);
    wlm_ptx_line(w, "min.f64 %%fd%d, %%fd%d, " NINE_TENTHS ";", SCRATCH, (int)fresh[n + 1]);
    wlm_ptx_line(w, "@%%p%d mov.f64 %%fd%d, %%fd%d;", TRUTH, OTHER, SCRATCH);
    wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, 0;", GOOD, STATUS);
}

/* Refuses a step, by OTHER, with STATUS where it is the last. */
static void refuse(wlm_ptx *w, const wlm_kernel_shape *s)
{
    wlm_ptx_line(w, "@%%p%d bra accept;", GOOD);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, 1;", REJECTED, REJECTED);
    two_registers(w, "mul.rn.f64", WANT, H, OTHER);
    wlm_ptx_line(w, "mov.u32 %%r%d, 1;", REFUSED);
    if (s->fixed) {
        wlm_ptx_line(w, "bra finish;");
        return;
    }
    wlm_ptx_line(w, "abs.f64 %%fd%d, %%fd%d;", SCRATCH, T);
    two(w, "mul.rn.f64", SCRATCH, SCRATCH, SIXTEEN_EPS);
    two_registers(w, "max.f64", SCRATCH, SCRATCH, WLM_AT_SHORTEST);
    wlm_ptx_line(w, "setp.lt.f64 %%p%d, %%fd%d, %%fd%d;", TRUTH, WANT, SCRATCH);
    wlm_ptx_line(w, "@%%p%d bra finish;", TRUTH);
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", STATUS);
    wlm_ptx_line(w, "bra count;");
}

/* What a step that is taken leaves: its factor is `factor`. */
static void accept(wlm_ptx *w, const wlm_kernel_shape *s, const int32_t *state, const int32_t *fresh)
{
    wlm_ptx_line(w, "accept:");
    for (int32_t i = 0; i < s->n; i++) wlm_ptx_line(w, "mov.f64 %%fd%d, %%fd%d;", (int)state[i], (int)fresh[i]);
    wlm_ptx_line(w, "setp.ne.u32 %%p%d, %%r%d, 0;", TRUTH, BEHIND);
    wlm_ptx_line(w, "@%%p%d mov.f64 %%fd%d, %%fd%d;", TRUTH, LEARNT, H);
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", BEHIND);
    if (!s->fixed) {
        wlm_ptx_line(w, "setp.ne.u32 %%p%d, %%r%d, 0;", TRUTH, REFUSED);
        wlm_ptx_line(w, "mov.f64 %%fd%d, %%fd%d;", OTHER, (int)fresh[s->n + 1]);
        wlm_ptx_line(w, "@%%p%d min.f64 %%fd%d, %%fd%d, " ONE ";", TRUTH, OTHER, OTHER);
        two_registers(w, "mul.rn.f64", OTHER, H, OTHER);
        wlm_ptx_line(w, "setp.lt.f64 %%p%d, %%fd%d, %%fd%d;", TRUTH, H, WANT);
        two_registers(w, "max.f64", SCRATCH, OTHER, WANT);
        wlm_ptx_line(w, "selp.f64 %%fd%d, %%fd%d, %%fd%d, %%p%d;", WANT, SCRATCH, OTHER, TRUTH);
    }
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", REFUSED);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, 1;", STEPS, STEPS);
    two_registers(w, "add.rn.f64", T, T, H);
    /* At the stop, or within rounding of it. */
    two_registers(w, "sub.rn.f64", SCRATCH, WLM_AT_STOP, T);
    wlm_ptx_line(w, "abs.f64 %%fd%d, %%fd%d;", OTHER, WLM_AT_STOP);
    two(w, "mul.rn.f64", OTHER, OTHER, EIGHT_EPS);
    wlm_ptx_line(w, "setp.le.or.f64 %%p%d, %%fd%d, %%fd%d, %%p%d;", DONE, SCRATCH, OTHER, ENDS);
    wlm_ptx_line(w, "@%%p%d mov.f64 %%fd%d, %%fd%d;", DONE, T, WLM_AT_STOP);
    wlm_ptx_line(w, "setp.ge.f64 %%p%d, %%fd%d, %%fd%d;", TRUTH, T, WLM_AT_WHOLE);
    wlm_ptx_line(w, "@%%p%d bra finish;", TRUTH);
}

static void count_steps(wlm_ptx *w)
{
    wlm_ptx_line(w, "count: add.u32 %%r%d, %%r%d, %%r%d;", SUM, STEPS, REJECTED);
    wlm_ptx_line(w, "setp.ge.u32 %%p%d, %%r%d, %%r%d;", TRUTH, SUM, MOST);
    wlm_ptx_line(w, "@%%p%d mov.u32 %%r%d, %d;", TRUTH, STATUS, (int)WARPLU_STEP_TOO_SMALL);
    wlm_ptx_line(w, "@%%p%d bra finish;", TRUTH);
    wlm_ptx_line(w, "bra loop;");
}

/* Registers of the step's inputs: state, parameters and what `once` makes of them. */
static void place_inputs(wlm_ptx *w, const wlm_program *once, const wlm_program *step, const wlm_kernel_shape *s,
                         const int32_t *state, int32_t *prologue, int32_t *registers)
{
    int32_t first = 1 + s->n, behind = first + s->parameters;
    wlm_ptx_program(w, once, prologue);
    registers[0] = T;
    for (int32_t i = 0; i < s->n; i++) registers[1 + i] = state[i];
    for (int32_t i = 0; i < s->parameters; i++) registers[first + i] = prologue[first + i];
    registers[behind] = H, registers[behind + 1] = WLM_AT_LAST, registers[behind + 2] = WLM_AT_FIRST;
    for (int32_t i = 0; i < once->outputs; i++)
        registers[step->inputs - once->outputs + i] = prologue[once->inputs + i];
}

static void body(wlm_ptx *w, const wlm_program *once, const wlm_program *step, const wlm_kernel_shape *s,
                 int32_t *state, int32_t *prologue, int32_t *registers)
{
    const int32_t *fresh = registers + step->inputs;
    w->reals = REALS, w->words = WORDS, w->halves = HALVES, w->truths = TRUTHS;
    find_lane(w);
    load(w, s, state, prologue + 1 + s->n);
    place_inputs(w, once, step, s, state, prologue, registers);
    if (s->fixed) share_way(w);
    wlm_ptx_line(w, "loop: setp.ge.f64 %%p%d, %%fd%d, %%fd%d;", DONE, T, WLM_AT_STOP);
    wlm_ptx_line(w, "@%%p%d bra finish;", DONE);
    choose(w, s);
    wlm_ptx_program(w, step, registers);
    find_trouble(w, s, fresh);
    if (!s->fixed) find_error(w, fresh, s->n);
    refuse(w, s);
    accept(w, s, state, fresh);
    count_steps(w);
    wlm_ptx_line(w, "finish:");
    store(w, s, state);
    wlm_ptx_line(w, "ret;");
}

warplu_status wlm_kernel_write(wlm_ptx *out, const wlm_program *once, const wlm_program *step,
                               const wlm_kernel_shape *shape)
{
    wlu_context *ctx = out->ctx;
    wlm_ptx lines;
    wlm_ptx_init(&lines, ctx);
    int32_t *registers = WLU_ALLOC(ctx, step->slots, int32_t), *prologue = WLU_ALLOC(ctx, once->slots, int32_t);
    int32_t *state = WLU_ALLOC(ctx, shape->n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (registers == NULL || prologue == NULL || state == NULL) status = wlu_fail_memory(ctx, "the text of a kernel");
    if (status == WARPLU_SUCCESS) {
        body(&lines, once, step, shape, state, prologue, registers);
        head(out);
        wlm_ptx_declare(out, &lines);
        wlm_ptx_append(out, &lines);
        wlm_ptx_line(out, "}");
        status = wlm_ptx_status(out);
    }
    wlm_ptx_free(&lines);
    wlu_free(ctx, registers);
    wlu_free(ctx, prologue);
    wlu_free(ctx, state);
    return status;
}
