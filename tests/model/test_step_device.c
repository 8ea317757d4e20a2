/* Batches on a CUDA device against the CPU's: the same bits, steps, fates and outputs, by every method, with pulses,
 * events and members that fail. Twice: on a driver without a device, which runs the kernel's text on the host
 * (with FAKE_CUDA_PATH), with every call failing once; and on a device, skipped where there is none.
 *
 *     test_step_device [--time MODEL.wm LANES STEPS]    seconds of members, by steps of Euler's method, as JSON
 *     test_step_device --text NUMBER                    the kernel of a method; fails beyond the last one */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "device/driver.h"
#include "model/device/kernel.h"
#include "model/step/batch.h"
#include "model/step/on_device.h"
#include "model/text/read.h"
#include "support/check.h"

#if defined(FAKE_CUDA_PATH)
#include "cuda/fake_open.h"
#endif

static const char cell[] = "element cell()\n"
                           "  param g = 1\n"
                           "  param stim = 2\n"
                           "  state v = -1\n"
                           "  gate n = 0.1: 1/(1 + exp(-2*v)), 1 + 3*exp(-v*v)\n"
                           "  v' = g*(v - v^3/3) - n + stim*pulse(1, 0.5, 4) + 0.1*sin(t)*ln(2 + v^2)\n"
                           "end\n"
                           "use cell()\n";
/* Members with a large g leave the doubles. */
static const char burst[] = "element burst()\n"
                            "  param g = 1\n"
                            "  state x = 1\n"
                            "  x' = g*x^3\n"
                            "end\n"
                            "use burst()\n";
/* Members have stimuli of their own. */
/* Tables of every kind, looked up by the time, at rows of each member's own, by states, and beyond their ends. */
static const char looked_up[] = "table f = {0, 1; 0.3, 2; 1, -1; 1.7, 1} periodic\n"
                                "table g = {-2, 3; -0.5, 0.1; 0, 0; 1, -0.2; 2, -3} cubic beyond linear\n"
                                "table h = {0.1, 1; 2, 0; 3, 0.5} steps\n"
                                "table k = {-100, 1; 100, 2; 101, 3} beyond nan\n"
                                "element cell()\n"
                                "  param g = 1\n"
                                "  state v = 0\n"
                                "  state w = lookup(k, g)\n"
                                "  v' = lookup(f, t*g) + lookup(g, v) + lookup(h, t - g)\n"
                                "  w' = lookup(f, v - w) - w*lookup(k, t)\n"
                                "end\n"
                                "use cell()\n";
/* A source beside a capacitor, whose current passes 0 (index 2). */
static const char beside[] =
    "element source(a)\n  param e = 1\n  unknown i = 0\n  0 = a.v - e*sin(3*t)\n  a.v += i\nend\n"
    "element load(a)\n  a.v += a.v + ddt(a.v)\nend\n"
    "nodes n { balance v }\nuse source(n)\nuse load(n)\n";
static const char varied[] = "element cell()\n"
                             "  param g = 1\n"
                             "  state v = 0\n"
                             "  v' = -v + pulse(g, 0.5, 4) + (if abs(t - 2*g) < 0.05 then 1 else 0)\n"
                             "end\n"
                             "use cell()\n";

/* A ball that bounces, a part that is taken away at a time of its own and one that ends a stage, beside a pulse. */
static const char events[] = "element ball()\n"
                             "  param g = 1\n"
                             "  state x = 1\n"
                             "  state v = 0\n"
                             "  state c = 0\n"
                             "  x' = v\n"
                             "  v' = -9.81*g + pulse(0.3*g, 0.1, 1)\n"
                             "  c' = 1 - 0.1*c*c\n"
                             "  event -x: v = -0.8*v\n"
                             "  event t = 0.7*g: c = 0, x = x + 0.1\n"
                             "  event t = 0.7: c = c + 1\n"
                             "  event c - 0.9: c = 0.1*g\n"
                             "end\n"
                             "use ball()\n";
/* The same beside a row without a charge, which jumps. */
static const char jumps[] = "element jumps()\n"
                            "  param g = 1\n"
                            "  state x = 1\n"
                            "  unknown y = 0.3\n"
                            "  x' = -g*x + 0.2*y + 0.3*g*sin(3*t)\n"
                            "  0 = y^3 + y - x - pulse(0.4*g, 0.3, 1)\n"
                            "  event 0.4 - x: x = 1 + 0.1*y\n"
                            "  event t = 1: x = 2*x\n"
                            "end\n"
                            "use jumps()\n";
/* Steps that are halved on the way to an event come upon times at which nothing is a number, and of which steppers know
 * no edge. */
static const char hole[] = "element hole()\n"
                           "  param g = 1\n"
                           "  state x = 0\n"
                           "  x' = 1 + 0*sqrt(if (t - 0.4*g)^2 < 0.0025 then -1 else 1)\n"
                           "  event x - 0.777*g: x = 0\n"
                           "end\n"
                           "use hole()\n";
/* Charges that are no linear functions. */
static const char junction[] = "element junction(p)\n"
                               "  param g = 1\n"
                               "  p.v += g*(p.v - sin(t)) + ddt(0.1*p.v + 0.05*p.v^3) + 0.01*(exp(2*p.v) - 1)\n"
                               "end\n"
                               "nodes n { balance v = 0.1 }\n"
                               "use junction(n)\n";

/* Index 2: y follows the rate of what x has to be, at the start and behind jumps. */
static const char follower[] = "element follower()\n"
                               "  param g = 1\n"
                               "  state x = 0\n"
                               "  state z = 0\n"
                               "  unknown y = 0.3\n"
                               "  x' = y\n"
                               "  z' = y - z + pulse(0.5*g, 0.2, 1)\n"
                               "  0 = x - sin(g*t)\n"
                               "  event t = 1: z = 0.1*g\n"
                               "  event z - 0.4: z = 0.2\n"
                               "end\n"
                               "use follower()\n";

/* A row without a charge, solved where a member begins. */
static const char divider[] = "element divider()\n"
                              "  param g = 1\n"
                              "  state x = 1\n"
                              "  unknown y = 0.3\n"
                              "  x' = -g*x + y\n"
                              "  0 = y^3 + y - x\n"
                              "end\n"
                              "use divider()\n";

/* A weak pivot: where x is below 0.5; where a step of RODAS4 of 0.5 is too long. */
static const char weak[] = "element weak()\n"
                           "  param g = 1\n"
                           "  state x = 1\n"
                           "  unknown y = 0.3\n"
                           "  unknown z = 0.3\n"
                           "  x' = -g\n"
                           "  0 = (if x > 0.5 then 1 else 1e-14)*y + (1 + 0.01*x)*z - x\n"
                           "  0 = (1 + 0.01*x)*y + (2 + 0.01*x)*z - x\n"
                           "end\n"
                           "use weak()\n";
static const char rising[] = "element rising()\n"
                             "  param g = 1\n"
                             "  state x = 1\n"
                             "  x' = 8*g*x\n"
                             "end\n"
                             "use rising()\n";
/* Pulses shorter than the step that would be taken behind their edges. */
static const char spikes[] = "element spikes()\n"
                             "  param g = 1\n"
                             "  state x = 1\n"
                             "  x' = -g*x + 10*pulse(0.5, 0.0004, 0.5)\n"
                             "end\n"
                             "use spikes()\n";

/* A rate that needs the length of the step. */
static const char by_step[] = "element cell()\n"
                              "  param g = 1\n"
                              "  state v = 1\n"
                              "  v' = -g*v*(1 - 0.5*step*g) + pulse(0.3*g, 0.2, 1)\n"
                              "end\n"
                              "use cell()\n";

/* Limits of each member's own; those of members with a large g become no numbers, or leave no step. */
static const char limited[] = "element cell()\n"
                              "  param g = 1\n"
                              "  state v = 1\n"
                              "  v' = -g*v + pulse(0.3*g, 0.2, 1)\n"
                              "  event v - 1.05: v = 0.5\n"
                              "  limit if g = 0.5 then 0.1 else 1/(10 + v^2 + 10*g)\n"
                              "  limit 0.3*(if g > 1.9 then sqrt(2.1 - t - g) else 1.9 - t - 0.5*g)\n"
                              "  limit 0.07\n"
                              "end\n"
                              "use cell()\n";

typedef struct row_told {
    int times;
    double sum; /* of the first number and the length of the step */
} row_told;

/* One run's results. */
typedef struct outcome {
    warplu_status status;
    double *end;
    wlm_fate *fate;
    row_told *told; /* [output][member] */
    int64_t members;
} outcome;

typedef struct batch {
    wlu_context ctx;
    wlm_model *model;
    wlm_equations *equations;
    int64_t members;
    int32_t n;
    double *parameter;
    outcome cpu, gpu;
} batch;

enum { OUTPUTS_MOST = 4 };

static void open_outcome(outcome *o, int64_t members, int32_t n)
{
    *o = (outcome){.members = members};
    o->end = malloc((size_t)(members * n) * sizeof(double));
    o->fate = calloc((size_t)members, sizeof(wlm_fate));
    o->told = calloc((size_t)members * OUTPUTS_MOST, sizeof(row_told));
}

static void close_outcome(outcome *o)
{
    free(o->end);
    free(o->fate);
    free(o->told);
}

static int open_batch(batch *b, const char *text, const char *parameter, int64_t members)
{
    wlu_context_init(&b->ctx, NULL);
    if (wlm_model_parse(&b->ctx, "text", text, (int64_t)strlen(text), 0, &b->model) != WARPLU_SUCCESS) return 0;
    if (wlm_equations_create(&b->ctx, b->model, &parameter, 1, &b->equations) != WARPLU_SUCCESS) return 0;
    b->n = b->equations->n;
    b->members = members;
    b->parameter = malloc((size_t)members * sizeof(double));
    open_outcome(&b->cpu, members, b->n);
    open_outcome(&b->gpu, members, b->n);
    for (int64_t m = 0; m < members; m++) b->parameter[m] = 0.5 + 1.5 * (double)m / (double)members;
    return 1;
}

static void close_batch(batch *b)
{
    wlm_equations_destroy(&b->equations);
    wlm_model_destroy(&b->model);
    free(b->parameter);
    close_outcome(&b->cpu);
    close_outcome(&b->gpu);
}

static int same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void tell(void *user, int64_t member, int32_t output, double clock, double step, const double *y)
{
    (void)clock;
    outcome *o = user;
    row_told *told = &o->told[output * o->members + member];
    told->times++;
    told->sum += y[0] + step;
}

/* What is the same in all runs of a comparison. */
typedef struct task {
    wlm_step_options options;
    double t0, t1;
    int32_t outputs;
    double output[OUTPUTS_MOST];
} task;

static wlm_drive drive_of(batch *b, const task *t, outcome *o)
{
    memset(o->told, 0, (size_t)b->members * OUTPUTS_MOST * sizeof *o->told);
    return (wlm_drive){.t0 = t->t0,
                       .t1 = t->t1,
                       .outputs = t->outputs,
                       .output = t->output,
                       .parameter = b->parameter,
                       .row = tell,
                       .user = o,
                       .end = o->end,
                       .fate = o->fate};
}

static wlm_stepper *stepper_of(batch *b, const task *t)
{
    wlm_step_options o = t->options;
    wlm_stepper *s = NULL;
    if (o.relative == 0.0) o.relative = 1e-5, o.absolute = 1e-7;
    CHECK_SAY(wlm_stepper_create(b->equations, &o, &s) == WARPLU_SUCCESS, "%s", b->ctx.last_message);
    return s;
}

static void compare_member(batch *b, const wlm_stepper *s, int64_t m, int *wrong)
{
    const wlm_fate *x = &b->cpu.fate[m], *y = &b->gpu.fate[m];
    int alike = x->status == y->status && x->steps == y->steps && x->rejected == y->rejected &&
                x->iterations == y->iterations && x->events == y->events && x->unknown == y->unknown &&
                x->limit == y->limit && same(x->t, y->t);
    for (int32_t i = 0; i < b->n; i++) alike &= same(b->cpu.end[m * b->n + i], b->gpu.end[m * b->n + i]);
    for (int32_t k = 0; k < OUTPUTS_MOST; k++) {
        const row_told *c = &b->cpu.told[k * b->members + m], *g = &b->gpu.told[k * b->members + m];
        alike &= c->times == g->times && c->times <= 1 && same(c->sum, g->sum);
    }
    if (!alike && (*wrong)++ == 0)
        printf("# %s, member %d: status %d and %d, t %g and %g, steps %d and %d, rejected %d and %d, iterations %d and "
               "%d, events %d and %d, unknown %d and %d, y %a and %a\n",
               s->facts->name, (int)m, (int)x->status, (int)y->status, x->t, y->t, (int)x->steps, (int)y->steps,
               (int)x->rejected, (int)y->rejected, (int)x->iterations, (int)y->iterations, (int)x->events,
               (int)y->events, (int)x->unknown, (int)y->unknown, b->cpu.end[m * b->n], b->gpu.end[m * b->n]);
}

static void compare(batch *b, const task *t)
{
    wlm_device_lanes *device = NULL;
    wlm_stepper *s = stepper_of(b, t);
    int wrong = 0;
    if (s == NULL) return;
    wlm_drive on_cpu = drive_of(b, t, &b->cpu), on_gpu = drive_of(b, t, &b->gpu);
    b->cpu.status = wlm_drive_batch(s, &on_cpu, b->members, 1);
    b->gpu.status = wlm_device_of_stepper(s, 0, &device);
    if (device != NULL) b->gpu.status = wlm_drive_on_device(s, &on_gpu, b->members, device);
    CHECK_SAY(b->cpu.status == b->gpu.status, "%s: %d, on the device %d: %s", s->facts->name, (int)b->cpu.status,
              (int)b->gpu.status, b->ctx.last_message);
    for (int64_t m = 0; m < b->members && b->gpu.status >= WARPLU_SUCCESS; m++) compare_member(b, s, m, &wrong);
    CHECK_SAY(wrong == 0, "%s: %d of %d members differ", s->facts->name, wrong, (int)b->members);
    wlm_device_destroy(&device);
    wlm_stepper_destroy(&s);
}

static int device_missing(void)
{
    wlu_context ctx;
    int count;
    wlu_context_init(&ctx, NULL);
    return wlu_cuda_open(&ctx, &count) != WARPLU_SUCCESS;
}

static const struct {
    wlm_method method;
    double step, relative;
} methods[] = {{WLM_EULER, 0.01, 0.0},           {WLM_RK4, 0.05, 0.0},
               {WLM_SSP_RK2, 0.05, 0.0},         {WLM_SSP_RK3, 0.05, 0.0},
               {WLM_RUSH_LARSEN, 0.02, 0.0},     {WLM_DORMAND_PRINCE, 0.0, 0.0},
               {WLM_BOGACKI_SHAMPINE, 0.0, 0.0}, {WLM_RODAS3, 0.0, 0.0},
               {WLM_RODAS4, 0.0, 0.0},           {WLM_RODAS4, 0.1, 0.0},
               {WLM_BACKWARD_EULER, 0.0, 0.05},  {WLM_TRAPEZOIDAL, 0.0, 1e-2},
               {WLM_TR_BDF2, 0.0, 1e-2},         {WLM_BACKWARD_EULER, 0.1, 0.0},
               {WLM_TRAPEZOIDAL, 0.1, 0.0},      {WLM_TR_BDF2, 0.1, 0.0}};
enum { METHODS = sizeof methods / sizeof *methods };

static task task_of(int k)
{
    double relative = methods[k].relative;
    return (task){.options = {.method = methods[k].method,
                              .step = methods[k].step,
                              .relative = relative,
                              .absolute = 0.01 * relative},
                  .t1 = 13.0,
                  .outputs = 4,
                  .output = {0.0, 0.7, 1.5, 13.0}};
}

static const wlm_method_facts *facts_of(int k)
{
    return wlm_method_of(methods[k].method);
}

/* The first task of a method. */
static int first_of(wlm_method method)
{
    int k = 0;
    while (k < METHODS && methods[k].method != method) k++;
    return k;
}

static void every_method_has_a_task(void)
{
    for (wlm_method m = WLM_METHOD_NONE + 1; m < WLM_METHODS; m++)
        CHECK_SAY(wlm_method_supports(m, WLM_SMALL_ON_DEVICE, 1.0) == (first_of(m) < METHODS), "%s",
                  wlm_method_of(m)->name);
}

/* More than a block, and not a multiple of its threads. */
static void methods_have_the_bits_of_the_cpu(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    CHECK(open_batch(&b, cell, "cell.g", 140));
    for (int k = 0; k < METHODS; k++) {
        task t = task_of(k);
        if (check_due()) compare(&b, &t);
    }
    close_batch(&b);
}

/* Every method that has them, with steps of both kinds. */
static void compare_all(batch *b, double t1)
{
    for (int k = 0; k < METHODS; k++) {
        task t = task_of(k);
        t.t1 = t1, t.outputs = 2, t.output[1] = 0.5 * t1;
        if (check_due() || k == METHODS - 1) compare(b, &t);
    }
}

/* Each member stops at edges of its own. */
static void pulses_of_members(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    CHECK(open_batch(&b, varied, "cell.g", 66));
    compare_all(&b, 5.5);
    close_batch(&b);
}

static void rates_need_the_step(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    CHECK(open_batch(&b, by_step, "cell.g", 66));
    task t = task_of(first_of(WLM_EULER));
    t.t1 = 2.5, t.outputs = 3;
    compare(&b, &t);
    CHECK(b.gpu.told[2 * b.members].sum > 0.0);
    close_batch(&b);
}

static void steps_are_by_limits(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    CHECK(open_batch(&b, limited, "cell.g", 66));
    for (int k = 0; k < METHODS; k++) {
        task t = task_of(k);
        if (methods[k].step == 0.0) continue;
        t.options.step = 0.0, t.options.cfl = 0.8;
        t.t1 = 1.0, t.outputs = 2;
        compare(&b, &t);
        CHECK(b.gpu.fate[0].status == WARPLU_SUCCESS && b.gpu.fate[0].limit == 0);
        CHECK(b.gpu.fate[60].status == WARPLU_STEP_TOO_SMALL && b.gpu.fate[60].limit == 2);
        CHECK(b.gpu.fate[65].status == WARPLU_NOT_FINITE && b.gpu.fate[65].limit == 2);
    }
    close_batch(&b);
}

static void tables_of_members(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    CHECK(open_batch(&b, looked_up, "cell.g", 66));
    compare_all(&b, 4.5);
    close_batch(&b);
}

static void events_happen_alike(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0}, c = {0}, h = {0};
    CHECK(open_batch(&b, events, "ball.g", 66) && open_batch(&c, jumps, "jumps.g", 66));
    CHECK(open_batch(&h, hole, "hole.g", 20));
    for (int k = METHODS - 1; k >= 0; k--) {
        task t = task_of(k);
        if (!wlm_method_supports(methods[k].method, WLM_SMALL_ON_DEVICE, 0.0)) continue;
        t.t1 = 4.0, t.outputs = 0;
        compare(&h, &t);
    }
    CHECK(h.gpu.fate[14].events > 0 && h.gpu.fate[14].rejected > 0); /* others fail */
    compare_all(&b, 2.0);
    CHECK_SAY(b.gpu.fate[0].events >= 4, "%d events", (int)b.gpu.fate[0].events);
    b.parameter[1] = NAN;
    task t = task_of(first_of(WLM_DORMAND_PRINCE));
    compare(&b, &t);
    t.options.relative = 0.3, t.options.absolute = 0.3, t.options.most = 7;
    compare(&b, &t);
    for (int k = 0; k < METHODS; k++) { /* others have no algebraic rows */
        if (facts_of(k)->implicit == NULL && facts_of(k)->rosenbrock == NULL) continue;
        t = task_of(k);
        t.t1 = 3.0, t.outputs = 3;
        compare(&c, &t);
        CHECK(c.gpu.fate[65].events > 1 && c.gpu.fate[65].iterations > 0);
    }
    close_batch(&b);
    close_batch(&c);
    close_batch(&h);
}

static void newton_iterates_alike(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0}, c = {0}, d = {0}, e = {0};
    CHECK(open_batch(&e, follower, "follower.g", 70));
    CHECK(open_batch(&b, junction, "junction.g", 20) && open_batch(&c, divider, "divider.g", 20));
    CHECK(open_batch(&d, burst, "burst.g", 70));
    for (int k = first_of(WLM_BACKWARD_EULER); k < METHODS; k++) {
        task t = task_of(k);
        t.t1 = 7.0, t.outputs = 3;
        compare(&b, &t);
        t.t1 = 2.0, t.outputs = 3;
        compare(&c, &t);
        compare(&e, &t);
        CHECK(e.gpu.fate[69].events > 1);
        t.t1 = 0.5, t.outputs = 1; /* some leave the doubles */
        compare(&d, &t);
        CHECK(d.gpu.status == WARPLU_MEMBERS_FAILED && d.gpu.fate[69].unknown == 0);
    }
    close_batch(&b);
    close_batch(&c);
    close_batch(&d);
    close_batch(&e);
}

/* Names of what is at fault: what is not finite, what changes most, nothing. */
static void what_is_at_fault(void)
{
    static const char pair[] = "element pair()\n"
                               "  param g = 1\n"
                               "  state a = 1\n"
                               "  state b = 1\n"
                               "  state c = 1\n"
                               "  a' = -a\n"
                               "  b' = g*b^2\n"
                               "  c' = 0.01*c*b\n"
                               "end\n"
                               "use pair()\n";
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    task t = {.options = {.method = WLM_RODAS4}, .t1 = 3.0};
    CHECK(open_batch(&b, pair, "pair.g", 40));
    compare(&b, &t);
    CHECK(b.gpu.fate[39].unknown == 1 && b.gpu.fate[39].status < 0);
    t.options = (wlm_step_options){.method = WLM_EULER, .step = 0.05};
    compare(&b, &t);
    CHECK(b.gpu.fate[39].unknown == 1 && b.gpu.fate[39].status == WARPLU_NOT_FINITE);
    t.options = (wlm_step_options){.method = WLM_RODAS4, .most = 5};
    compare(&b, &t);
    CHECK(b.gpu.fate[0].unknown == -1 && b.gpu.fate[0].status == WARPLU_TOO_MANY_STEPS);
    close_batch(&b);
}

static void any_number_of_members(void)
{
    static const int64_t members[] = {0, 1, 64, 65, 128, 129, 300};
    if (device_missing()) SKIP("no CUDA device");
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        batch b = {0};
        task t = task_of(first_of(WLM_DORMAND_PRINCE));
        t.t1 = 2.0, t.outputs = 3;
        CHECK(open_batch(&b, cell, "cell.g", members[k]));
        compare(&b, &t);
        close_batch(&b);
    }
}

static void members_fail_alike(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    task t = {.options = {.method = WLM_DORMAND_PRINCE}, .t1 = 0.5, .outputs = 3, .output = {0.0, 0.3, 0.4}};
    CHECK(open_batch(&b, burst, "burst.g", 200));
    compare(&b, &t);
    CHECK(b.gpu.status == WARPLU_MEMBERS_FAILED);
    t.options = (wlm_step_options){.method = WLM_EULER, .step = 0.01};
    t.t1 = 2.0;
    compare(&b, &t);
    CHECK(b.gpu.status == WARPLU_MEMBERS_FAILED);
    b.parameter[70] = NAN; /* fails where it begins */
    compare(&b, &t);
    close_batch(&b);
}

static void algebraic_rows_begin_alike(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    task t = {.options = {.method = WLM_RODAS4}, .t1 = 2.0, .outputs = 2, .output = {0.0, 1.0}};
    CHECK(open_batch(&b, divider, "divider.g", 70));
    compare(&b, &t);
    CHECK(b.gpu.fate[69].iterations > 0);
    close_batch(&b);
}

/* What follows rates passes 0, where steps become so short that the host finds it anew. */
static void strays_are_found_alike(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    task t = {.options = {.method = WLM_TRAPEZOIDAL, .relative = 1e-6, .absolute = 1e-9}, .t1 = 1.0};
    CHECK(open_batch(&b, beside, "source.e", 6));
    compare(&b, &t);
    for (int k = 0; k < 6; k++) CHECK_SAY(b.gpu.fate[k].status == WARPLU_SUCCESS, "%d", (int)b.gpu.fate[k].status);
    close_batch(&b);
}

static void weak_pivots_are_told_alike(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0}, c = {0};
    task t = {.options = {.method = WLM_RODAS4, .step = 0.5}, .t1 = 2.0};
    CHECK(open_batch(&b, weak, "weak.g", 6) && open_batch(&c, rising, "rising.g", 6));
    compare(&b, &t);
    CHECK_SAY(b.gpu.fate[5].status == WARPLU_SINGULAR, "%d", (int)b.gpu.fate[5].status);
    compare(&c, &t);
    CHECK(c.gpu.fate[0].status == WARPLU_SUCCESS && c.gpu.fate[5].status == WARPLU_STEP_TOO_SMALL);
    for (int k = first_of(WLM_BACKWARD_EULER); k < METHODS;
         k++) { /* found by an iteration, where steps are fixed and where not */
        task u = task_of(k);
        u.t1 = 2.0, u.outputs = 0;
        compare(&b, &u);
        CHECK_SAY(b.gpu.fate[5].status == WARPLU_SINGULAR, "%d: %d", k, (int)b.gpu.fate[5].status);
        compare(&c, &u);
    }
    close_batch(&b);
    close_batch(&c);
}

/* Lanes learn steps behind edges, and stop at times that no sum of steps may hit. */
static void stops_are_those_of_the_cpu(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    task t = {.options = {.method = WLM_DORMAND_PRINCE, .relative = 0.05, .absolute = 0.05}, .t1 = 6.0};
    CHECK(open_batch(&b, spikes, "spikes.g", 70));
    compare(&b, &t);
    t.options = (wlm_step_options){.method = WLM_EULER, .step = 1.0};
    t.t0 = 0.1, t.t1 = 0.42;
    compare(&b, &t);
    CHECK(0.1 + (0.42 - 0.1) != 0.42 && b.gpu.fate[0].steps == 1 && b.gpu.fate[0].t == 0.42);
    close_batch(&b);
}

/* Bounds of steps and of their number, another start, outputs at one time and none at all. */
static void options_are_those_of_the_cpu(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    task t = task_of(first_of(WLM_DORMAND_PRINCE)), u;
    t.t1 = 6.0, t.outputs = 0;
    CHECK(open_batch(&b, cell, "cell.g", 70));
    u = t, u.options.longest = 0.05;
    compare(&b, &u);
    CHECK(b.gpu.fate[0].steps >= 120);
    u = t, u.options.shortest = 0.5;
    compare(&b, &u);
    CHECK(b.gpu.status == WARPLU_MEMBERS_FAILED);
    u = t, u.options.most = 10;
    compare(&b, &u);
    CHECK(b.gpu.fate[0].status == WARPLU_TOO_MANY_STEPS && b.gpu.fate[0].steps + b.gpu.fate[0].rejected == 10);
    u = t, u.options.most = UINT32_MAX;
    compare(&b, &u);
    /* an output is told though the step that came there was the last */
    u = task_of(first_of(WLM_RK4)), u.t1 = 6.0, u.outputs = 2, u.output[1] = 0.5;
    u.options.most = 10;
    compare(&b, &u);
    CHECK(b.gpu.fate[0].t == 0.5 && b.gpu.told[b.members].times == 1);
    u = t, u.t0 = 1.25, u.outputs = 3, u.output[0] = 1.25, u.output[1] = u.output[2] = 6.0;
    compare(&b, &u);
    u = t, u.t0 = 1.0; /* a pulse begins there */
    compare(&b, &u);
    close_batch(&b);
}

static void expect_refusal(batch *b, const task *t, const char *words)
{
    wlm_device_lanes *device = NULL;
    wlm_stepper *s = stepper_of(b, t);
    if (s == NULL) return;
    wlm_drive drive = drive_of(b, t, &b->gpu);
    warplu_status status = wlm_device_of_stepper(s, 0, &device);
    if (device != NULL) status = wlm_drive_on_device(s, &drive, b->members, device);
    CHECK_SAY(status == WARPLU_INVALID_ARGUMENT && strstr(b->ctx.last_message, words) != NULL, "%d: %s", (int)status,
              b->ctx.last_message);
    wlm_device_destroy(&device);
    wlm_stepper_destroy(&s);
}

static void what_does_not_fit_is_refused(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    task t = task_of(first_of(WLM_DORMAND_PRINCE)), u;
    CHECK(open_batch(&b, cell, "cell.g", 3));
    u = t, u.options.most = (int64_t)UINT32_MAX + 1;
    expect_refusal(&b, &u, "4294967295");
    u.options.method = WLM_TR_BDF2, u.options.most = UINT32_MAX / 20 + 1;
    expect_refusal(&b, &u, "214748364");
    u = t, u.t1 = 0.0;
    expect_refusal(&b, &u, "times");
    u = t, u.output[1] = 2.0;
    expect_refusal(&b, &u, "output time");
    close_batch(&b);
}

#if defined(FAKE_CUDA_PATH)
enum { CALLS_MOST = 400 };

/* A run with call number k failing; 0 once there are fewer calls. */
static int run_with_failure(batch *b, const wlm_stepper *s, const task *t, int64_t k, wlu_cu_result failure)
{
    fake_cuda *fake = fake_open();
    wlm_device_lanes *device = NULL;
    int wrong = 0;
    wlm_drive drive = drive_of(b, t, &b->gpu);
    b->ctx.last_message[0] = '\0';
    fake->calls = 0, fake->fail_at = k, fake->failure = failure;
    warplu_status status = wlm_device_of_stepper(s, 0, &device);
    if (device != NULL) status = wlm_drive_on_device(s, &drive, b->members, device);
    int reached = fake->calls >= k;
    fake->fail_at = 0;
    warplu_status expected = failure == WLU_CU_OUT_OF_MEMORY ? WARPLU_OUT_OF_MEMORY : WARPLU_DEVICE_FAILED;
    int right = !reached ? status == WARPLU_SUCCESS : status == expected || (status == WARPLU_NO_DEVICE && k <= 2);
    CHECK_SAY(right && (!reached || b->ctx.last_message[0] != '\0'), "call %d, %s: status %d, %s", (int)k, fake->failed,
              (int)status, b->ctx.last_message);
    for (int64_t m = 0; m < b->members && status == WARPLU_SUCCESS; m++) compare_member(b, s, m, &wrong);
    if (device != NULL && reached) { /* the device is as good as before */
        drive = drive_of(b, t, &b->gpu);
        CHECK(wlm_drive_on_device(s, &drive, b->members, device) == WARPLU_SUCCESS);
        for (int64_t m = 0; m < b->members; m++) compare_member(b, s, m, &wrong);
    }
    wlm_device_destroy(&device);
    CHECK_SAY(wrong == 0 && fake->alive == 0 && fake->depth == 0 && fake->retained == 0 && fake->misuses == 0,
              "call %d, %s: %d wrong, %d alive, %d deep, %d retained, %d misuses", (int)k, fake->failed, wrong,
              (int)fake->alive, (int)fake->depth, (int)fake->retained, (int)fake->misuses);
    return reached;
}

static void every_call_fails(void)
{
    batch b = {0};
    task t = {.options = {.method = WLM_RK4, .step = 0.25}, .t1 = 3.0, .outputs = 3, .output = {0.0, 1.25, 3.0}};
    CHECK(open_batch(&b, looked_up, "cell.g", 3));
    wlm_stepper *s = stepper_of(&b, &t);
    wlm_drive on_cpu = drive_of(&b, &t, &b.cpu);
    CHECK(wlm_drive_batch(s, &on_cpu, b.members, 1) == WARPLU_SUCCESS);
    int64_t k = 1;
    while (run_with_failure(&b, s, &t, k, k % 2 == 0 ? WLU_CU_OUT_OF_MEMORY : 999) && k < CALLS_MOST) k++;
    CHECK_SAY(k > 60 && k < CALLS_MOST, "%d calls", (int)k);
    wlm_stepper_destroy(&s);
    close_batch(&b);
}

static void the_compiler_is_quoted(void)
{
    fake_cuda *fake = fake_open();
    wlm_device_lanes *device = NULL;
    batch b = {0};
    task t = task_of(0);
    CHECK(open_batch(&b, cell, "cell.g", 1));
    wlm_stepper *s = stepper_of(&b, &t);
    fake->refusal = "line 7; error: an operation\nfatal: aborted";
    CHECK(wlm_device_of_stepper(s, 0, &device) == WARPLU_DEVICE_FAILED && device == NULL);
    CHECK_SAY(strstr(b.ctx.last_message, "line 7; error: an operation fatal: aborted") != NULL, "%s",
              b.ctx.last_message);
    fake->refusal = NULL;
    CHECK(fake->alive == 0 && fake->retained == 0 && fake->depth == 0);
    wlm_stepper_destroy(&s);
    close_batch(&b);
}
#endif

/* LR91 and the like: a population, by steps of 0.01. */
static int time_it(const char *path, int64_t lanes, int64_t steps)
{
    batch b = {0};
    wlm_stepper *s = NULL;
    wlm_device_lanes *device = NULL;
    wlm_step_options o = {.method = WLM_EULER, .step = 0.01};
    wlu_context_init(&b.ctx, NULL);
    if (wlm_model_read(&b.ctx, path, &b.model) < 0) return 1;
    if (wlm_equations_create(&b.ctx, b.model, NULL, 0, &b.equations) < 0) return 1;
    if (wlm_stepper_create(b.equations, &o, &s) < 0) return 1;
    b.n = b.equations->n;
    open_outcome(&b.gpu, lanes, b.n);
    open_outcome(&b.cpu, 64, b.n);
    wlm_drive d = {.t1 = 0.01 * (double)steps, .end = b.gpu.end, .fate = b.gpu.fate};
    for (int run = 0; run < 3; run++) {
        int64_t begin = wlu_now_ns();
        warplu_status status = wlm_device_of_stepper(s, 0, &device);
        if (status == WARPLU_SUCCESS) status = wlm_drive_on_device(s, &d, lanes, device);
        wlm_device_times times = device != NULL ? wlm_device_times_of(device) : (wlm_device_times){0};
        wlm_device_destroy(&device);
        double seconds = (double)(wlu_now_ns() - begin) * 1e-9;
        printf("{\"lanes\": %lld, \"steps\": %lld, \"status\": %d, \"compile_s\": %.4f, \"whole_s\": %.4f, "
               "\"kernel_s\": %.6f, "
               "\"cell_steps_per_s\": %.4g}\n",
               (long long)lanes, (long long)steps, (int)status, times.compile_seconds, seconds, times.run_seconds,
               (double)lanes * (double)steps / times.run_seconds);
    }
    d.end = b.cpu.end, d.fate = b.cpu.fate;
    int wrong = 0;
    wlm_drive_batch(s, &d, 64, 1);
    for (int64_t k = 0; k < 64 * b.n && k < lanes * b.n; k++) wrong += !same(b.cpu.end[k], b.gpu.end[k]);
    printf("{\"numbers\": %d, \"that_differ_from_the_cpu\": %d}\n", 64 * (int)b.n, wrong);
    return wrong != 0;
}

/* The kernel of a method, for an assembler: of each without events, then of some with them, one that reads
 * tables, and one whose steps are by limits. */
static int write_text(int number)
{
    batch b = {0};
    wlm_ptx text;
    static const wlm_method with_events[] = {WLM_RK4, WLM_RODAS4, WLM_TRAPEZOIDAL};
    enum { WITH_EVENTS = sizeof with_events / sizeof *with_events };
    enum { WITH_TABLES = WITH_EVENTS, WITH_LIMITS };
    int plain = number < METHODS, more = number - METHODS, has_events = !plain && more < WITH_EVENTS;
    if (number < 0 || more > WITH_LIMITS) return 1;
    const char *model = plain ? cell : has_events ? events : more == WITH_TABLES ? looked_up : limited;
    if (!open_batch(&b, model, has_events ? "ball.g" : "cell.g", 1)) return 1;
    task t = task_of(plain ? number : first_of(has_events ? with_events[more] : WLM_RODAS4));
    if (more == WITH_LIMITS) t.options.step = 0.0, t.options.cfl = 0.5;
    wlm_stepper *s = stepper_of(&b, &t);
    wlm_kernel_shape shape = wlm_kernel_shape_of(s);
    wlm_kernel_programs programs = wlm_kernel_programs_of(s);
    wlm_ptx_init(&text, &b.ctx);
    wlm_device_tables tables;
    warplu_status status = wlm_kernel_list_tables(s->ctx, &programs, &tables);
    if (status == WARPLU_SUCCESS) status = wlm_kernel_write(&text, &programs, &tables, &shape);
    wlm_device_tables_free(s->ctx, &tables);
    if (status == WARPLU_SUCCESS) fputs(text.text, stdout);
    wlm_ptx_free(&text);
    wlm_stepper_destroy(&s);
    close_batch(&b);
    return status != WARPLU_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "--time") == 0) return time_it(argv[2], atoll(argv[3]), atoll(argv[4]));
    if (argc == 3 && strcmp(argv[1], "--text") == 0) return write_text(atoi(argv[2]));
#if defined(FAKE_CUDA_PATH)
    fake_open();
    RUN(every_call_fails);
    RUN(the_compiler_is_quoted);
#endif
    RUN(every_method_has_a_task);
    RUN(methods_have_the_bits_of_the_cpu);
    RUN(pulses_of_members);
    RUN(rates_need_the_step);
    RUN(steps_are_by_limits);
    RUN(tables_of_members);
    RUN(events_happen_alike);
    RUN(newton_iterates_alike);
    RUN(what_is_at_fault);
    RUN(any_number_of_members);
    RUN(members_fail_alike);
    RUN(algebraic_rows_begin_alike);
    RUN(strays_are_found_alike);
    RUN(weak_pivots_are_told_alike);
    RUN(stops_are_those_of_the_cpu);
    RUN(options_are_those_of_the_cpu);
    RUN(what_does_not_fit_is_refused);
    return check_done();
}
