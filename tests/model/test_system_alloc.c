/* Large systems with the k-th allocation failing, for each k: "out of memory" or the same answer, and nothing left. */
#include "model/system/transient.h"

#include <math.h>

#include "networks.h"
#include "support/build.h"
#include "support/check.h"

/* The first value at t; *status what stopped it. */
static double attempt(const hand *h, wlm_method method, double step, int64_t fail_at, test_allocator *c,
                      warplu_status *status)
{
    warplu_options options;
    warplu_init_options(&options);
    test_use_allocator(&options, c);
    c->fail_at = fail_at;
    wlu_context ctx;
    wlu_context_init(&ctx, &options);
    wlm_transient_options o;
    wlm_transient_options_init(&o);
    o.method = method;
    o.step = step;
    o.threads = 2;
    wlm_transient *s = NULL;
    double value = NAN;
    *status = wlm_transient_create(&ctx, &h->model, &o, &s);
    CHECK((*status == WARPLU_SUCCESS) == (s != NULL));
    if (s != NULL) *status = wlm_transient_run(s, 0.1);
    if (*status == WARPLU_SUCCESS) value = network_value(s, 0);
    CHECK(*status == WARPLU_SUCCESS || ctx.last_message[0] != '\0');
    wlm_transient_destroy(&s);
    return value;
}

static void fail_each(hand *h, wlm_method method, double step)
{
    test_allocator c = {0};
    warplu_status status;
    double expected = attempt(h, method, step, 0, &c, &status);
    int64_t all = c.calls, refused = 0;
    CHECK(status == WARPLU_SUCCESS && c.alive == 0 && all > 50);
    for (int64_t k = 1; k <= all; k++) {
        if (!check_due()) continue;
        double value = attempt(h, method, step, k, &c, &status);
        CHECK_SAY(status == WARPLU_OUT_OF_MEMORY || (status == WARPLU_SUCCESS && value == expected), "call %d: %d",
                  (int)k, (int)status);
        CHECK_SAY(c.alive == 0, "call %d: %d left", (int)k, (int)c.alive);
        refused += status == WARPLU_OUT_OF_MEMORY;
    }
    CHECK(refused > 0);
}

static void test_split(void)
{
    hand h;
    hand_begin(&h);
    network_cable(&h, 5, 0.5);
    fail_each(&h, WLM_SPLIT, 0.05);
    hand_end(&h);
}

static void test_implicit(void)
{
    hand h;
    hand_begin(&h);
    network_ladder(&h, 4, 1.0, 1.0);
    wlm_kind *source = network_source(&h, 1.0, 1);
    source->pulses = 1;
    source->pulse = hand_room(&h, sizeof *source->pulse);
    *source->pulse = (wlm_pulse){hand_number(source, 0.02), hand_number(source, 0.03), WLM_NONE, NULL};
    wlm_use *use = hand_use(&h, source, 1);
    hand_bind(&h, use, 0, 0, 0, 0);
    hand_bind(&h, use, 1, 1, 0, 0);
    hand_finish_use(&h, use);
    fail_each(&h, WLM_TR_BDF2, 0.05);
    hand_end(&h);
}

static void test_sums(void)
{
    hand h;
    hand_begin(&h);
    int32_t set = hand_set(&h, "n", 3);
    hand_quantity(&h, set, WLM_STORE, "x", 1.0);
    hand_quantity(&h, set, WLM_SUM, "s", 0.0);
    wlm_kind *k = hand_kind(&h, "link", 1);
    hand_add(&h, k, 0, "s", hand_port(&h, k, 0, "x"), WLM_NONE);
    hand_add(&h, k, 0, "x", wlm_unary(k->graph, WLM_NEG, hand_port(&h, k, 0, "s")), WLM_NONE);
    wlm_use *use = hand_use(&h, k, 3);
    hand_bind(&h, use, 0, set, 0, 1);
    hand_finish_use(&h, use);
    fail_each(&h, WLM_RK4, 0.05);
    hand_end(&h);
}

/* An event in time and one by sign of each instance. */
static void test_events(void)
{
    hand h;
    hand_begin(&h);
    wlm_kind *k = hand_kind(&h, "e", 0);
    wlm_node at = hand_parameter(&h, k, "at", 0.02), x = hand_state(&h, k, "x", 0.0);
    hand_rate(k, hand_number(k, 1.0));
    k->events = 2;
    k->event = hand_room(&h, 2 * sizeof *k->event);
    for (int i = 0; i < 2; i++) {
        k->event[i] = (wlm_event){.crossing = WLM_NONE, .at = at, .assignments = 1};
        k->event[i].state = hand_room(&h, sizeof(int32_t));
        k->event[i].value = hand_room(&h, sizeof(wlm_node));
        k->event[i].value[0] = hand_number(k, 0.5 + i);
    }
    k->event[1].at = WLM_NONE, k->event[1].crossing = hand_op(k, WLM_SUB, x, hand_number(k, 0.53));
    hand_finish_use(&h, hand_use(&h, k, 3));
    fail_each(&h, WLM_RK4, 0.05);
    hand_end(&h);
}

int main(void)
{
    RUN(test_split);
    RUN(test_implicit);
    RUN(test_sums);
    RUN(test_events);
    return check_done();
}
