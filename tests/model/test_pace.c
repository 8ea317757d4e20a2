/* Control of steps, call by call: numbers that its header states (src/model/method/pace.h). */
#include "model/method/pace.h"

#include "model/method/recurrence.h"
#include "support/check.h"

static wlm_pace lane(double want, double stop)
{
    return (wlm_pace){.want = want, .stop = stop, .edge = INFINITY, .behind = -1};
}

static void test_edges(void)
{
    wlm_pace a = lane(1.0, 10.0);
    CHECK(wlm_pace_last(&a) == DBL_MAX);
    wlm_pace_edge(&a, 2.0, 5.0, 7);
    CHECK(a.edge == 5.0 && a.kind == 7);
    wlm_pace_edge(&a, 2.0, 6.0, 8);
    wlm_pace_edge(&a, 2.0, 5.0, 9); /* the first one of a time stays */
    wlm_pace_edge(&a, 2.0, 1.0, 10);
    wlm_pace_edge(&a, 2.0, 2.0 + 4.0 * DBL_EPSILON, 11); /* within the slack: it is now */
    CHECK(a.edge == 5.0 && a.kind == 7);
    CHECK(wlm_pace_last(&a) < 5.0 && wlm_pace_last(&a) > 5.0 - 1e-13);
}

/* An edge that is now lies behind the first time of stages; where a run begins, at 0, it is still to come. */
static void test_edges_here(void)
{
    wlm_pace a = lane(1.0, 10.0);
    double first = 0.0;
    wlm_pace_clear(&a);
    wlm_pace_edge(&a, 2.0, 2.5, 1);
    CHECK(!wlm_pace_begin(&a, 2.0, &first) && first == 2.0);
    wlm_pace_edge(&a, 2.0, 2.0 - 4.0 * DBL_EPSILON, 2);
    CHECK(!wlm_pace_begin(&a, 2.0, &first) && first > 2.0 && first < 2.0 + 1e-14 && a.edge == 2.5 && a.kind == 1);
    wlm_pace_clear(&a);
    CHECK(isinf(a.edge) && !wlm_pace_begin(&a, 2.0, &first) && first == 2.0);
    wlm_pace_edge(&a, 0.0, 0.0, 0);
    wlm_pace_edge(&a, 0.0, 2.5, 1);
    CHECK(wlm_pace_begin(&a, 0.0, &first) && first == 0.0 && a.kind == 0);
    CHECK(wlm_behind(0.0) > 0.0 && wlm_behind(0.0) < 1e-300 && wlm_behind(2.0) > 2.0 && wlm_behind(2.0) < 2.0 + 1e-14);
}

/* A pulse is lost at its begin, if that is the next edge. */
static void test_lost_pulses(void)
{
    static const double slack = 5.0 * WLM_SLACK;
    wlm_pace a = lane(1.0, 10.0);
    wlm_pace_clear(&a);
    wlm_pace_pulse(&a, 0.0, 5.0, 2.0 * slack, 0.0, 0);
    CHECK(a.edge == 5.0 && !a.lost);
    wlm_pace_pulse(&a, 0.0, 5.0, 0.0, 0.0, 2);
    CHECK(!a.lost);
    wlm_pace_pulse(&a, 0.0, 5.0, 1.9 * slack, 0.0, 4);
    CHECK(a.edge == 5.0 && a.kind == 0 && a.lost);
    wlm_pace_edge(&a, 0.0, 4.0, 6);
    CHECK(a.edge == 4.0 && !a.lost);
    wlm_pace_clear(&a);
    wlm_pace_pulse(&a, 1.0, 0.0, 1e-15, 5.0, 0); /* at 0 it is not, later it is */
    CHECK(a.edge == 5.0 && a.lost);
    wlm_pace_clear(&a);
    CHECK(!a.lost);
}

/* Rises at 1, 4, 7, ..., falls half a unit later. */
static void test_pulses(void)
{
    for (double now = 0.0; now < 12.0; now += 0.25) {
        wlm_pace a = lane(1.0, 10.0);
        double expected = INFINITY;
        int32_t kind = 0;
        for (int k = 0; k < 10; k++)
            for (int32_t falls = 0; falls < 2; falls++) {
                const double t = 1.0 + 3.0 * k + 0.5 * falls;
                if (t > now && t < expected) expected = t, kind = 4 + falls;
            }
        wlm_pace_pulse(&a, now, 1.0, 0.5, 3.0, 4);
        CHECK_SAY(a.edge == expected && a.kind == kind, "at %g: %g, kind %d", now, a.edge, (int)a.kind);
    }
    wlm_pace once = lane(1.0, 10.0);
    wlm_pace_pulse(&once, 1.25, 1.0, 0.5, 0.0, 4);
    CHECK(once.edge == 1.5 && once.kind == 5);
    once.edge = INFINITY;
    wlm_pace_pulse(&once, 1.5, 1.0, 0.5, 0.0, 4);
    CHECK(isinf(once.edge));
}

static void test_stops(void)
{
    wlm_pace a = lane(0.7, 0.0);
    wlm_pace_stop(&a, 1.0, 3.0, 0.0);
    CHECK(a.stop == 3.0 && a.want == 0.7);
    a.edge = 2.5;
    wlm_pace_stop(&a, 1.0, 3.0, 0.4); /* 1.5 in four shares */
    CHECK(a.stop == 2.5 && a.want == 0.375);
    wlm_pace_stop(&a, 1.0, 3.0, 0.5 * (1.0 - 1e-8)); /* three and a rounding: three */
    CHECK(a.want == 0.5);
    wlm_pace_stop(&a, 1.0, 3.0, 9.0);
    CHECK(a.want == 1.5);
    for (int k = -1; k <= 1; k++) { /* an edge that is a rounding from the stop */
        a.edge = 3.0 + k * 4.0 * DBL_EPSILON;
        wlm_pace_stop(&a, 1.0, 3.0, 0.0);
        CHECK(a.stop == 3.0 && a.edge == 3.0);
    }
    a.edge = 3.0 - 64.0 * DBL_EPSILON;
    wlm_pace_stop(&a, 1.0, 3.0, 0.0);
    CHECK(a.stop == a.edge && a.edge < 3.0);
}

static void test_lengths(void)
{
    wlm_pace a = lane(1.0, 10.0);
    CHECK(wlm_pace_length(&a, 0.0, 0.0, 0.0) == 1.0 && !a.ends);
    CHECK(wlm_pace_length(&a, 0.0, 0.0, 0.25) == 0.25 && !a.ends);
    CHECK(wlm_pace_length(&a, 0.0, 1.0, 0.25) == 1.0); /* of fixed steps nothing else counts */
    CHECK(wlm_pace_length(&a, 8.5, 0.0, 0.0) == 0.75 && !a.ends);
    CHECK(wlm_pace_length(&a, 8.5, 1.0, 0.0) == 1.0 && !a.ends);
    CHECK(wlm_pace_length(&a, 8.0, 0.0, 0.0) == 1.0 && !a.ends);
    CHECK(wlm_pace_length(&a, 9.0, 0.0, 0.0) == 1.0 && a.ends);
    CHECK(wlm_pace_length(&a, 9.5, 1.0, 0.0) == 0.5 && a.ends);
    a.want = 0.9999995; /* a sliver is none */
    CHECK(wlm_pace_length(&a, 9.0, 0.0, 0.0) == 1.0 && a.ends);
    a.want = 0.99;
    CHECK(wlm_pace_length(&a, 9.0, 0.0, 0.0) == 0.5 && !a.ends);
}

/* By halves from the step that had the event, until both lengths are one. */
static void test_searches(void)
{
    const double event = 0.3;
    wlm_pace a = lane(1.0, 10.0);
    double h = wlm_pace_length(&a, 2.0, 0.0, 0.0);
    CHECK(h == 1.0 && !wlm_pace_searches(&a, 2.0, 0.2, 0) && a.high == 0.0);
    int tries = 0;
    while (wlm_pace_searches(&a, 2.0, h, h >= event)) {
        CHECK(a.low < event && a.high >= event);
        h = wlm_pace_length(&a, 2.0, 0.0, 0.0);
        if (tries == 0) CHECK(h == 0.5);
        if (tries == 1) CHECK(h == 0.25);
        if (tries == 2) CHECK(h == 0.375);
        if (++tries > 100) break;
    }
    CHECK_SAY(tries >= 30 && tries <= 40, "%d", tries);
    CHECK(h >= event && h - event <= 2e-10 && a.high == 0.0);
    h = wlm_pace_length(&a, 0.0, 0.0, 0.0);
    for (tries = 0; tries < 200 && wlm_pace_searches(&a, 0.0, h, 1); tries++) h = wlm_pace_length(&a, 0.0, 0.0, 0.0);
    CHECK_SAY(h > 0.0 && h < 1e-29 && tries < 200, "right behind 0: %g after %d", h, tries);
}

/* What is so near before a stop that searches and rounding alone tell it apart is at the stop, in short steps, too. */
static void test_searches_at_stops(void)
{
    static const double ahead[] = {1e-11, 1e-9};
    for (int k = 0; k < 2; k++) {
        wlm_pace a = lane(0.01, 4.0);
        double h = wlm_pace_length(&a, 3.99, 0.01, 0.0), room = h;
        for (int tries = 0; wlm_pace_searches(&a, 3.99, h, 3.99 + h >= 4.0 - ahead[k]) && tries < 100; tries++)
            h = wlm_pace_length(&a, 3.99, 0.01, 0.0);
        CHECK_SAY((h == room && a.ends) == (k == 0), "%g: %.17g", ahead[k], h);
    }
    CHECK(wlm_event_is_ahead(-1.0, -1e-10, 1e-3, 1.0) && !wlm_event_is_ahead(-1.0, -3e-10, 1e-3, 1.0));
    CHECK(wlm_event_is_ahead(-1.0, -1e-9, 1.0, 0.01) && !wlm_event_is_ahead(-1.0, -2e-9, 1.0, 0.01));
    CHECK(!wlm_event_is_ahead(-1.0, -0.01, 1.0, 1e-12) && !wlm_event_is_ahead(-1e-10, -1.0, 1.0, 1.0));
}

/* Whether a step of h from `now` arrives; ends at `end`. */
static int arrives(wlm_pace *a, double now, double h, double factor, double fixed, double end)
{
    int found = wlm_pace_accept(a, &now, h, factor, fixed);
    CHECK_SAY(now == end, "it ends at %.17g", now);
    return found;
}

static void test_acceptance(void)
{
    wlm_pace a = lane(1.0, 10.0);
    a.behind = 3;
    CHECK(!arrives(&a, 0.0, 1.0, 3.0, 0.0, 1.0) && a.want == 3.0 && a.behind == -1);
    wlm_pace_reject(&a, 3.0, WARPLU_SUCCESS, 0.5);
    CHECK(a.want == 1.5 && a.rejected && a.high == 0.0);
    CHECK(!arrives(&a, 1.0, 1.5, 3.0, 0.0, 2.5) && a.want == 1.5 && !a.rejected); /* it does not grow at once */
    CHECK(!arrives(&a, 2.5, 1.5, 0.5, 0.0, 4.0) && a.want == 0.75);
    CHECK(!arrives(&a, 4.0, 0.125, 2.0, 0.0, 4.125) && a.want == 0.75); /* cut by a stop: what was wanted stays */
    CHECK(!arrives(&a, 4.0, 0.5, 4.0, 0.0, 4.5) && a.want == 2.0);
    CHECK(!arrives(&a, 4.0, 0.5, 4.0, 0.5, 4.5) && a.want == 2.0);
    CHECK(arrives(&a, 8.0, 2.0 - 1e-15, 1.0, 0.5, 10.0) && arrives(&a, 8.0, 2.0, 1.0, 0.5, 10.0));
    CHECK(!arrives(&a, 8.0, 2.0 - 1e-12, 1.0, 0.5, 10.0 - 1e-12));
    a.ends = 1;
    CHECK(arrives(&a, 8.0, 1.0, 1.0, 0.5, 10.0));
}

static void test_rejections(void)
{
    wlm_pace a = lane(1.0, 10.0);
    a.high = 0.5;
    wlm_pace_reject(&a, 1.0, WARPLU_SUCCESS, 2.0); /* shorter in any case */
    CHECK(a.want == 0.9 && a.rejected && a.high == 0.0);
    wlm_pace_reject(&a, 1.0, WARPLU_SINGULAR, 0.5);
    CHECK(a.want == 0.25);
    wlm_pace_reject(&a, 1.0, WARPLU_NOT_FINITE, (double)NAN);
    CHECK(a.want == 0.25);
}

static void test_verdicts(void)
{
    const warplu_status weak = WARPLU_SINGULAR;
    const double nan = (double)NAN;
    CHECK(wlm_pace_verdict(0.5, 1.0, 0.0, weak) == WARPLU_SUCCESS);
    CHECK(wlm_pace_verdict(0.5, 0x1p-1074, -0.0, weak) == WARPLU_SUCCESS);
    CHECK(wlm_pace_verdict(0.5, 1.0, nan, weak) == WARPLU_NOT_FINITE);
    CHECK(wlm_pace_verdict(nan, -1.0, 0.0, weak) == WARPLU_NOT_FINITE);
    CHECK(wlm_pace_verdict(0.5, nan, 0.0, weak) == WARPLU_NOT_FINITE);
    CHECK(wlm_pace_verdict(0.5, 0.0, 0.0, weak) == weak && wlm_pace_verdict(0.5, -1.0, nan, weak) == weak);
    CHECK(wlm_pace_judge(WARPLU_SUCCESS, 1.0, 0.0) == WARPLU_SUCCESS);
    CHECK(wlm_pace_judge(WARPLU_SUCCESS, nextafter(1.0, 2.0), 0.0) == WARPLU_STEP_TOO_SMALL);
    CHECK(wlm_pace_judge(WARPLU_SUCCESS, 2.0, 0.1) == WARPLU_SUCCESS); /* of fixed steps no error counts */
    CHECK(wlm_pace_judge(weak, 0.5, 0.0) == weak && wlm_pace_judge(weak, 2.0, 0.1) == weak);
}

/* Edges of tables that are near now: of one that falls with time, of periods, and of both. */
static void test_tables(void)
{
    static const double edge[] = {-1.0, 0.0, 2.0, 5.0};
    const wlm_table table = {.knots = 1, .edges = 4, .edge = edge};
    static const struct {
        double now, delay, width, period, next;
        int here;
    } cases[] = {
        {0.0, 3.0, 2.0, 0.0, 1.0, 0},       {1.0, 3.0, 2.0, 0.0, 3.0, 1},      {12.9, 3.0, 2.0, 0.0, 13.0, 0},
        {13.0, 3.0, 2.0, 0.0, INFINITY, 1}, {0.0, 3.0, -1.0, 0.0, 1.0, 0},     {3.5, 3.0, -1.0, 0.0, 4.0, 0},
        {4.0, 3.0, -1.0, 0.0, INFINITY, 1}, {100.5, 0.0, 1.0, 6.0, 101.0, 0},  {101.0, 0.0, 1.0, 6.0, 102.0, 1},
        {102.0, 0.0, 1.0, 6.0, 104.0, 1},   {104.5, 0.0, -1.0, 6.0, 106.0, 0}, {-7.5, 0.0, 1.0, 6.0, -7.0, 0},
        {0.0, NAN, 1.0, 0.0, INFINITY, 0},  {0.0, 0.0, 0.0, 0.0, INFINITY, 0}, {0.0, 0.0, INFINITY, 0.0, INFINITY, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        wlm_pace a = {0};
        wlm_pace_clear(&a);
        wlm_pace_times(&a, cases[k].now, &table, cases[k].delay, cases[k].width, cases[k].period, 4);
        CHECK_SAY(a.edge == cases[k].next && a.here == (cases[k].here ? 4 : -1), "case %d: %g, here %d", (int)k, a.edge,
                  a.here);
    }
}

static void test_restarts(void)
{
    wlm_pace a = lane(1.0, 10.0);
    a.rejected = 1;
    wlm_pace_restart(&a, 2.0, 5, 2.0, NULL);
    CHECK(a.want == 1.0 && a.behind == 5 && !a.rejected);
    wlm_pace_restart(&a, 2.0, 5, 0.25, NULL);
    CHECK(a.want == 0.25);
    wlm_pace_restart(&a, -2.0, 5, 1e-12, NULL); /* not below 2^-24 |t| */
    CHECK(a.want == 0x1p-23);
    a.want = 1e-9;
    wlm_pace_restart(&a, 2.0, 5, 1e-12, NULL); /* nor longer than it was */
    CHECK(a.want == 1e-9);
    const wlm_table bends = {.jumps = 0}, jumps = {.jumps = 1};
    a.want = 1.0;
    wlm_pace_restart(&a, 2.0, 5, 0.25, &bends);
    CHECK(a.want == 1.0);
    wlm_pace_restart(&a, 2.0, 5, 0.25, &jumps);
    CHECK(a.want == 0.25);
    CHECK(wlm_pace_shortest(0.0, -2.0, 1.0) == 32.0 * DBL_EPSILON);
    CHECK(wlm_pace_shortest(0.0, 0.0, 5.0) == 1e-20 * 5.0);
    CHECK(wlm_pace_shortest(0.5, 2.0, 5.0) == 0.5);
}

int main(void)
{
    RUN(test_edges);
    RUN(test_edges_here);
    RUN(test_lost_pulses);
    RUN(test_pulses);
    RUN(test_stops);
    RUN(test_lengths);
    RUN(test_searches);
    RUN(test_searches_at_stops);
    RUN(test_acceptance);
    RUN(test_rejections);
    RUN(test_verdicts);
    RUN(test_tables);
    RUN(test_restarts);
    return check_done();
}
