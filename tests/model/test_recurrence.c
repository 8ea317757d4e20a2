/* How events happen again, call by call: numbers that its header states (src/model/method/recurrence.h). */
#include "model/method/recurrence.h"

#include <math.h>

#include "support/check.h"

static wlm_recurrence left(double t, double at, double behind)
{
    wlm_recurrence r;
    wlm_recurrence_begin(&r);
    CHECK(wlm_recurrence_fire(&r, t, at) == WLM_EVENT_FINE);
    wlm_recurrence_leave(&r, t, &behind);
    return r;
}

static double probe_of(const wlm_recurrence *r)
{
    double probe = 0.0;
    wlm_recurrence_ahead(r, &probe);
    return probe;
}

/* A probe is a step of 2^-24 t, on either side of 0; before it, of what is 0 behind the jump, one of 2^-34 t. */
static void test_ahead(void)
{
    wlm_recurrence above = left(1024.0, 1.0, 1.0), set = left(1024.0, 1.0, 0.0), start = left(0.0, 1.0, 1.0);
    CHECK(probe_of(&above) == 1024.0 + 0x1p-14 && probe_of(&set) == 1024.0 + 0x1p-24 && probe_of(&start) == 0.0);
    double least = 1024.0 + 0x1p-20;
    wlm_recurrence_ahead(&above, &least);
    CHECK(least == 1024.0 + 0x1p-20);
    above = left(-1024.0, 1.0, 1.0);
    CHECK(probe_of(&above) == -1024.0 + 0x1p-14);
    wlm_recurrence back = set;
    CHECK(wlm_recurrence_probe(&set, 1024.0, -1.0) == WLM_EVENT_FINE &&
          probe_of(&set) == 1024.0 + 0x1p-24); /* too soon */
    CHECK(wlm_recurrence_probe(&set, 1024.0 + 0x1p-24, 1.0) == WLM_EVENT_FINE);
    CHECK(probe_of(&set) == 1024.0 + 0x1p-24 + 0x1p-24 * (1024.0 + 0x1p-24));
    CHECK(wlm_recurrence_probe(&back, 1024.0 + 0x1p-24, -1.0) == WLM_EVENT_FINE && probe_of(&back) == 0.0);
}

/* Behind a jump an event that has risen is probed unless it is below 0. One that has joined, at -1e-12, is about to
 * rise still unless the jump has moved it further down. */
static void test_leaving(void)
{
    static const struct {
        double at, behind, goes_on;
        int is_due;
    } cases[] = {{0.5, 0.25, 0.25, 1},     {0.5, 0.0, 0.0, 1},      {0.5, -0.25, -0.25, 0}, {-1e-12, -1e-12, 0.0, 1},
                 {-1e-12, -5e-13, 0.0, 1}, {-1e-12, -0.5, -0.5, 0}, {-1e-12, 0.5, 0.5, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        wlm_recurrence r;
        double crossing = cases[k].behind;
        wlm_recurrence_begin(&r);
        CHECK(wlm_recurrence_fire(&r, 2.0, cases[k].at) == WLM_EVENT_FINE);
        wlm_recurrence_leave(&r, 2.0, &crossing);
        CHECK_SAY((probe_of(&r) > 2.0) == cases[k].is_due, "case %d", (int)k);
        CHECK_SAY(crossing == cases[k].goes_on, "case %d: %g", (int)k, crossing);
        double probe = probe_of(&r);
        wlm_recurrence_leave(&r, 2.0 + 0x1p-40, &crossing); /* another event's jump changes nothing */
        CHECK(probe_of(&r) == probe);
    }
}

/* The 102nd time in succession at distances of at most 2^-36 t is too many; a longer one begins the count anew. */
static void test_quick_ones(void)
{
    wlm_recurrence r;
    wlm_recurrence_begin(&r);
    double t = 1024.0;
    CHECK(wlm_recurrence_fire(&r, t, 0.0) == WLM_EVENT_FINE);
    for (int k = 0; k < 100; k++) CHECK(wlm_recurrence_fire(&r, t += 0x1p-27, 0.0) == WLM_EVENT_FINE);
    CHECK(wlm_recurrence_fire(&r, t, 0.0) == WLM_EVENT_FINE); /* a round of the same time does not count */
    wlm_recurrence again = r;
    CHECK(wlm_recurrence_fire(&r, t + 0x1p-27, 0.0) == WLM_EVENT_CLOSER);
    CHECK(wlm_recurrence_fire(&again, t += 0x1p-25, 0.0) == WLM_EVENT_FINE);
    CHECK(wlm_recurrence_fire(&again, t + 0x1p-27, 0.0) == WLM_EVENT_FINE);
}

/* Happens at t with a probe that finds `crossing`. */
static wlm_event_fault probed(wlm_recurrence *r, double t, double crossing)
{
    double behind = 0.5;
    CHECK(wlm_recurrence_fire(r, t, 0.5) == WLM_EVENT_FINE);
    wlm_recurrence_leave(r, t, &behind);
    wlm_event_fault fault = wlm_recurrence_probe(r, probe_of(r), crossing);
    CHECK(probe_of(r) == 0.0 && wlm_recurrence_probe(r, 2.0 * t, crossing) == WLM_EVENT_FINE); /* once is enough */
    return fault;
}

/* Gaps that halve, until the next one would be within four probes: 2^-22 t. */
static void test_ever_closer(void)
{
    double t = 1024.0, gap = 0x1p-9;
    wlm_recurrence r;
    wlm_recurrence_begin(&r);
    CHECK(probed(&r, t, -1.0) == WLM_EVENT_FINE);
    CHECK(probed(&r, t += gap, -1.0) == WLM_EVENT_FINE);
    wlm_recurrence other = r;
    CHECK(probed(&other, t + 2.0 * gap, 1.0) == WLM_EVENT_FINE); /* farther, though the event stays */
    other = r;
    CHECK(probed(&other, t + 0.75 * gap, 1.0) == WLM_EVENT_FINE); /* the next would be at 0.5625 2^-9 */
    CHECK(probed(&r, t += gap / 2.0, -1.0) == WLM_EVENT_FINE);
    other = r;
    CHECK(probed(&other, t + gap / 4.0, 1.0) == WLM_EVENT_CLOSER); /* the next would be at 2^-12 */
}

int main(void)
{
    RUN(test_ahead);
    RUN(test_leaving);
    RUN(test_quick_ones);
    RUN(test_ever_closer);
    return check_done();
}
