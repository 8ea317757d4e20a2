/* A model as a large system against the same one flattened into one graph: values, steps, names. */
#include "model/step/drive.h"
#include "model/system/transient.h"
#include "model/text/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "networks.h"
#include "support/check.h"

/* By the small systems' stepper: n numbers at t, in the order of its equations. */
static double *flat(wlu_context *ctx, const wlm_equations *e, wlm_method method, double step, double t)
{
    wlm_step_options o = {.method = method, .step = step, .relative = 1e-10, .absolute = 1e-12};
    wlm_stepper *stepper = NULL;
    warplu_status status = wlm_stepper_create(e, &o, &stepper);
    CHECK_SAY(status == WARPLU_SUCCESS, "%d: %s", (int)status, ctx->last_message);
    if (stepper == NULL) abort();
    double *end = calloc((size_t)e->n, sizeof *end);
    wlm_fate fate;
    wlm_drive drive = {.t0 = 0.0, .t1 = t, .end = end, .fate = &fate};
    status = wlm_drive_members(stepper, &drive, 0, 1);
    CHECK_SAY(status == WARPLU_SUCCESS && fate.status == WARPLU_SUCCESS, "%d, %d", (int)status, (int)fate.status);
    wlm_stepper_destroy(&stepper);
    return end;
}

static wlm_transient *large(wlu_context *ctx, const wlm_model *model, wlm_method method, double step, double t)
{
    wlm_transient_options o;
    wlm_transient_options_init(&o);
    o.method = method;
    o.step = step;
    o.relative = 1e-10;
    o.absolute = 1e-12;
    wlm_transient *s = NULL;
    warplu_status status = wlm_transient_create(ctx, model, &o, &s);
    if (status == WARPLU_SUCCESS) status = wlm_transient_run(s, t);
    CHECK_SAY(status == WARPLU_SUCCESS, "%d: %s", (int)status, ctx->last_message);
    if (s == NULL) abort();
    return s;
}

static void compare(const wlm_model *model, wlm_method method, double step, double t, double tolerance)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlm_equations *e = NULL;
    if (wlm_equations_create(&ctx, model, NULL, 0, &e) != WARPLU_SUCCESS) abort();
    double *end = flat(&ctx, e, method, step, t), worst = 0.0, moved = 0.0;
    wlm_transient *s = large(&ctx, model, method, step, t);
    CHECK(wlm_transient_layout(s)->n == e->n);
    for (int32_t i = 0; i < e->n; i++) {
        wlm_memory memory;
        int32_t at = wlm_layout_find(wlm_transient_layout(s), e->name[i], &memory);
        CHECK_SAY(at >= 0 && memory == WLM_MEMORY_UNKNOWNS, "%s", e->name[i]);
        if (at < 0) continue;
        double difference = fabs(end[i] - network_value(s, at)) / (1.0 + fabs(end[i]));
        if (!(difference <= worst)) worst = difference;
        moved += fabs(end[i]);
    }
    CHECK_SAY(worst <= tolerance && moved > 0.0, "method %d: %g", (int)method, worst);
    wlm_transient_destroy(&s);
    wlm_equations_destroy(&e);
    free(end);
}

static void test_cable(void)
{
    hand h;
    hand_begin(&h);
    network_cable(&h, 200, 2.0);
    double *g = hand_values(&h, &h.model.use[0], "g");
    for (int32_t i = 0; i < 200; i++) g[i] = 3.0 + 0.01 * i;
    compare(&h.model, WLM_EULER, 0.01, 1.0, 1e-12);
    hand_end(&h);
    hand_begin(&h);
    network_cable(&h, 40, 2.0);
    compare(&h.model, WLM_RK4, 0.01, 1.0, 1e-12);
    compare(&h.model, WLM_RUSH_LARSEN, 0.01, 1.0, 1e-12);
    compare(&h.model, WLM_DORMAND_PRINCE, 0.01, 1.0, 1e-12);
    compare(&h.model, WLM_RODAS3, 0.01, 0.1, 1e-12);
    compare(&h.model, WLM_RODAS4, 0.01, 0.1, 1e-12);
    compare(&h.model, WLM_BACKWARD_EULER, 0.01, 0.1, 1e-8);
    compare(&h.model, WLM_TRAPEZOIDAL, 0.01, 0.1, 1e-8);
    compare(&h.model, WLM_TR_BDF2, 0.01, 0.1, 1e-8);
    hand_end(&h);
}

/* Sums of sums, and a source with a zero diagonal. */
static void test_others(void)
{
    hand h;
    hand_begin(&h);
    network_sums(&h, 0);
    compare(&h.model, WLM_RK4, 0.01, 0.5, 1e-12);
    hand_end(&h);
    hand_begin(&h);
    network_ladder(&h, 5, 1.0, 1.0);
    int32_t in = hand_set(&h, "in", 1);
    hand_quantity(&h, in, WLM_BALANCE, "v", 0.0);
    wlm_use *use = hand_use(&h, network_source(&h, 1.0, 1), 1);
    hand_bind(&h, use, 0, in, 0, 0);
    hand_bind(&h, use, 1, 1, 0, 0);
    hand_finish_use(&h, use);
    use = hand_use(&h, &h.model.kind[0], 1);
    hand_bind(&h, use, 0, in, 0, 0);
    hand_bind(&h, use, 1, 0, 0, 0);
    hand_finish_use(&h, use);
    compare(&h.model, WLM_BACKWARD_EULER, 0.01, 0.5, 1e-8);
    compare(&h.model, WLM_TR_BDF2, 0.01, 0.5, 1e-8);
    compare(&h.model, WLM_RODAS4, 0.01, 0.5, 1e-10);
    hand_end(&h);
}

/* Texts cannot say it; nor does a model that is made otherwise get through. */
static void test_circle(void)
{
    wlu_context ctx;
    wlm_equations *e = NULL;
    hand h;
    wlu_context_init(&ctx, NULL);
    hand_begin(&h);
    network_sums(&h, 1);
    CHECK(wlm_equations_create(&ctx, &h.model, NULL, 0, &e) == WARPLU_BAD_FORMAT && e == NULL);
    hand_end(&h);
}

/* Models of texts, a few steps of each. */
static const char *folder;

static void test_texts(void)
{
    static const struct {
        const char *name;
        wlm_method method;
        double step, t, tolerance;
    } cases[] = {
        {"ring", WLM_RUSH_LARSEN, 0.01, 0.5, 1e-11},         {"wang_buzsaki", WLM_RK4, 0.01, 0.1, 1e-11},
        {"beeler_reuter_1977", WLM_EULER, 0.01, 1.0, 1e-11}, {"hodgkin_huxley", WLM_RUSH_LARSEN, 0.01, 1.0, 1e-11},
        {"noble_1962", WLM_TR_BDF2, 0.05, 1.0, 1e-8},        {"noble_1962", WLM_RODAS4, 0.05, 1.0, 1e-10},
        {"robertson", WLM_TR_BDF2, 0.01, 0.1, 1e-8},         {"pollution", WLM_BACKWARD_EULER, 0.01, 0.1, 1e-8},
        {"pollution", WLM_RODAS3, 0.01, 0.1, 1e-10},         {"hires", WLM_TRAPEZOIDAL, 0.01, 0.1, 1e-8},
        {"rc_ladder", WLM_TR_BDF2, 1e-8, 2e-6, 1e-8},        {"rc_ladder", WLM_RODAS4, 1e-8, 2e-6, 1e-8},
        {"inverter_ring", WLM_TR_BDF2, 1e-12, 2e-11, 1e-8},  {"inverter_ring", WLM_RODAS4, 1e-12, 2e-11, 1e-8}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char path[1024];
        wlu_context ctx;
        wlm_model *model = NULL;
        wlu_context_init(&ctx, NULL);
        snprintf(path, sizeof path, "%s/%s.wm", folder, cases[k].name);
        warplu_status status = wlm_model_read(&ctx, path, &model);
        CHECK_SAY(status == WARPLU_SUCCESS, "%s", ctx.last_message);
        int before = check_failures;
        if (model != NULL) compare(model, cases[k].method, cases[k].step, cases[k].t, cases[k].tolerance);
        CHECK_SAY(check_failures == before, "%s", cases[k].name);
        wlm_model_destroy(&model);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    folder = argv[1];
    RUN(test_cable);
    RUN(test_others);
    RUN(test_circle);
    RUN(test_texts);
    return check_done();
}
