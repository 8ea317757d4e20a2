/* Times at which equations jump or bend, by both engines of libwarpmodel: steps end there however they are written,
 * rows there have one side, and what is too short for times is refused. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/api.h"
#include "support/check.h"

#define FOR_BOTH(lanes) for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++)

/* Methods that step any equations, and the lengths of fixed steps: 0 of controlled ones. */
static const struct {
    warplu_method method;
    double dt;
    int order;
} any[] = {{WARPLU_METHOD_RODAS4, 0.0, 4},         {WARPLU_METHOD_TR_BDF2, 0.0, 2},
           {WARPLU_METHOD_TRAPEZOIDAL, 0.7, 2},    {WARPLU_METHOD_BACKWARD_EULER, 0.7, 1},
           {WARPLU_METHOD_DORMAND_PRINCE, 0.0, 5}, {WARPLU_METHOD_BOGACKI_SHAMPINE, 0.0, 3},
           {WARPLU_METHOD_EULER, 0.7, 1},          {WARPLU_METHOD_RUSH_LARSEN, 0.7, 1}};
enum { ANY = sizeof any / sizeof *any, IMPLICIT = 4 };

static warplu_sim *opened(const char *text, int lanes, int k)
{
    warplu_model *model = parsed(text);
    warplu_sim_options options = defaults();
    options.lanes = (warplu_lanes)lanes, options.method = any[k].method, options.dt = any[k].dt;
    warplu_sim *sim = made(model, &options);
    warplu_model_destroy(&model);
    return sim;
}

static void run_to(warplu_sim *sim, double t)
{
    CHECK_SAY(warplu_sim_run(sim, t) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
}

/* Integrates a stimulus to 1000 in one run, by both engines and all methods with an order from this on. The integral is
 * of such pieces that methods are exact but for rounding. */
static void expect_integral_from(int order, const char *stimulus, double exact)
{
    char text[1024];
    snprintf(text, sizeof text,
             "element e()\n  param a = 100\n  param w = 0.5\n  param p = 300\n  param k = 2\n  state y = 0\n"
             "  s = %s\n  y' = s\nend\nuse e()\n",
             stimulus);
    FOR_BOTH(lanes)
    for (int k = 0; k < ANY; k++) {
        if (any[k].order < order) continue;
        warplu_sim *sim = opened(text, lanes, k);
        run_to(sim, 1000.0);
        double y = value_of(sim, "e.y", 0);
        CHECK_SAY(fabs(y - exact) < 1e-9 * fmax(1.0, exact), "lanes %d, method %d: %s: %.12g", lanes,
                  (int)any[k].method, stimulus, y);
        warplu_sim_destroy(&sim);
    }
}

/* The same of a stimulus that is constant between its edges. */
static void expect_integral(const char *stimulus, double exact)
{
    expect_integral_from(1, stimulus, exact);
}

static void comparisons_are_met(void)
{
    expect_integral("if t > 50.3 and t < 50.6 then 1 else 0", 0.3);
    expect_integral("if t >= a and t < a + w then 1 else 0", 0.5);
    expect_integral("if a <= t and not (a + w < t) then 1 else 0", 0.5);
    expect_integral("if t - a > 0 and (t - a)/w < 1 then 1 else 0", 0.5);
    expect_integral("if k*t > 2*a and 5 - t/k >= 5 - (a + w)/k then 1 else 0", 0.5);
    expect_integral("if -t <= -a and -(t - a) > -w then 1 else 0", 0.5);
    expect_integral("(a <= t)*(t <= a + w)", 0.5);
    expect_integral("if t > 0 and t <= w then 1 else 0", 0.5); /* with an edge where the run begins */
    expect_integral("if t < a then 0 else if t < a + w then 1 else 0", 0.5);
    expect_integral("if t >= 20 and t < 77.5 then sign(t - 30) else 0", 37.5);
}

/* A stimulus far shorter than what steppers choose, beside a leak, and rows far apart. */
static void stimuli_are_not_missed(void)
{
    static const char text[] = "element e()\n  state x = 0\n"
                               "  x' = (if t >= 100 and t < 100.5 then 1 else 0) - 0.001*x\nend\nuse e()\n";
    double exact = 1000.0 * (exp(-0.8995) - exp(-0.9));
    FOR_BOTH(lanes)
    for (int k = 0; k < ANY; k++) {
        warplu_sim *sim = opened(text, lanes, k);
        run_to(sim, 1000.0);
        CHECK_SAY(fabs(value_of(sim, "e.x", 0) - exact) < 2e-4, "lanes %d, method %d: %.9g, not %.9g", lanes,
                  (int)any[k].method, value_of(sim, "e.x", 0), exact);
        warplu_sim_destroy(&sim);
    }
}

static void branches_are_met(void)
{
    expect_integral("if abs(t - 50.45) < 0.15 then 1 else 0", 0.3);
    expect_integral("if min(t - a, a + w - t) > 0 then 1 else 0", 0.5);
    expect_integral("if max(a - t, t - a - w) < 0 then 1 else 0", 0.5);
    expect_integral("if (if t < 500 then t else t - 500) < w then 1 else 0", 1.0);
    expect_integral("if abs(abs(t - 500) - a) <= w then 1 else 0", 2.0);
}

static void bends_are_met(void)
{
    expect_integral_from(2, "max(0, t - 999.3)", 0.245);
    expect_integral_from(2, "a - min(t, a)", 5000.0);
    expect_integral_from(2, "abs(t - 500.1) - (t - 500.1)", 250100.01);
}

/* At 100, 400 and 700; with ceil before 300, 600 and 900, else at multiples of p. */
static void periods_are_met(void)
{
    expect_integral("if t >= a and t <= 650 and t - a - floor((t - a)/p)*p <= w then 1 else 0", 1.0);
    expect_integral("if t - a - p*floor((t - a)/p) < w then 1 else 0", 1.5);
    expect_integral("if (t - a)/p - floor((t - a)/p) < w/p then 1 else 0", 1.5);
    expect_integral("if t - p*ceil(t/p) > -w then 1 else 0", 1.5);
    expect_integral("if t - p*(if t/p >= 0 then floor(t/p) else ceil(t/p)) < w then 1 else 0", 2.0);
    expect_integral("if floor(t/p) = 2 then 1 else 0", 300.0);
    expect_integral("if t - k*p*floor(t/(k*p)) < w then 1 else 0", 1.0);
}

static void remainders_are_met(void)
{
    expect_integral("if t mod p < w then 1 else 0", 2.0);
    expect_integral("if (t - a) mod p < w then 1 else 0", 1.5);
    expect_integral("if t mod p >= p - w then 1 else 0", 1.5);
    expect_integral("if -t mod p <= w then 1 else 0", 1.5);
    expect_integral("if t mod -p > -w then 1 else 0", 1.5);
    expect_integral("if t mod 7.3 < w then 1 else 0", 68.5);
    expect_integral("if t/p mod 1 < w/p then 1 else 0", 2.0);
    expect_integral("if (t div a) mod 2 = 1 then 1 else 0", 500.0);
    expect_integral_from(2, "t mod p", 140000.0);
}

/* Whatever else: no edge, or one where nothing jumps. */
static void others_are_left_alone(void)
{
    expect_integral("if t*t < -1 or sin(t) > 2 or 0*t > 1 or t - t > 0 then 1 else 0", 0.0);
    expect_integral("if t/0 < 0 or t - 3*floor(t/5) < -w then 1 else 0", 0.0);
    expect_integral("if t - a < 1/0 then 0 else 1", 0.0);
}

/* 0 = z - s closes z, so that s - z is 0 at all times; told of at each 0.5, or at each `every`. */
typedef struct residuals {
    int rows;
    double least, most; /* of s - z */
    double z[64], s[64];
} residuals;

static int take(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    residuals *r = user;
    (void)member, (void)t, (void)watched;
    r->least = fmin(r->least, values[2]), r->most = fmax(r->most, values[2]);
    r->z[r->rows] = values[0], r->s[r->rows++] = values[1];
    return 0;
}

static void watch_each(warplu_sim *sim, double every, residuals *r)
{
    const int64_t handles[] = {handle_of(sim, "e.z"), handle_of(sim, "e.s"), handle_of(sim, "e.d")};
    *r = (residuals){.rows = 0};
    CHECK(warplu_sim_watch(sim, handles, 3, every, take, r) == WARPLU_SUCCESS);
}

static void watch(warplu_sim *sim, residuals *r)
{
    watch_each(sim, 0.5, r);
}

static void expect_row(const residuals *r, int row, double s)
{
    CHECK_SAY(r->rows > row && fabs(r->z[row] - s) < 1e-9 && r->s[row] == s, "row %d: %g, %g, not %g", row, r->z[row],
              r->s[row], s);
}

static void rows_have_one_side(void)
{
    static const char *const stimuli[] = {"pulse(1, 1)", "if t > 1 and t <= 2 then 1 else 0",
                                          "if t < 1 or t >= 2 then 0 else 1"};
    char text[512];
    FOR_BOTH(lanes)
    for (int k = 0; k < IMPLICIT * 3; k++) {
        snprintf(text, sizeof text,
                 "element e()\n  unknown z = 0\n  state x = 0\n  s = %s\n  d = s - z\n"
                 "  0 = z - s\n  x' = z\nend\nuse e()\n",
                 stimuli[k / IMPLICIT]);
        warplu_sim *sim = opened(text, lanes, k % IMPLICIT);
        residuals r;
        watch(sim, &r);
        run_to(sim, 3.0);
        CHECK_SAY(fmax(r.most, -r.least) < 1e-9, "lanes %d, case %d: %g to %g", lanes, k, r.least, r.most);
        expect_row(&r, 2, 0.0); /* before the edge */
        expect_row(&r, 3, 1.0);
        expect_row(&r, 4, 1.0);
        expect_row(&r, 5, 0.0);
        warplu_sim_destroy(&sim);
    }
}

/* A source, 1 ohm to a node and 1 ohm to ground: the current is the node's voltage. */
static void rows_of_circuits_have_one_side(void)
{
    static const char text[] = "element e(n)\n  z = n.v\n  s = pulse(1, 1) - n.v\n  d = s - z\n  n.v += n.v - s\nend\n"
                               "nodes n { balance v }\nuse e(n)\n";
    FOR_BOTH(lanes)
    for (int k = 0; k < IMPLICIT; k++) {
        warplu_sim *sim = opened(text, lanes, k);
        residuals r;
        watch(sim, &r);
        run_to(sim, 3.0);
        CHECK_SAY(r.rows == 7 && fmax(r.most, -r.least) < 1e-9, "lanes %d, case %d: %g to %g", lanes, k, r.least,
                  r.most);
        CHECK(fabs(r.z[2]) < 1e-9 && fabs(r.z[4] - 0.5) < 1e-9);
        warplu_sim_destroy(&sim);
    }
}

/* The first row has the values of 0 itself, as the text says, and what jumps there has jumped behind it: the side of
 * other rows is the end's. Of x the rate is z. */
static void runs_begin_at_zero(void)
{
    static const struct {
        const char *s;
        double at, behind;
    } cases[] = {{"if t <= 0 then 0 else 1", 0.0, 1.0},
                 {"if t < 0 then 0 else 1", 1.0, 1.0},
                 {"if t > 0 then 1 else 0", 0.0, 1.0},
                 {"pulse(0, 10)", 1.0, 1.0},
                 {"sign(t)", 0.0, 1.0}};
    char text[512];
    FOR_BOTH(lanes)
    for (int k = 0; k < IMPLICIT * 5; k++) {
        snprintf(text, sizeof text,
                 "element e()\n  unknown z = 0\n  state x = 0\n  s = %s\n  d = s - z\n  0 = z - s\n  x' = z\n"
                 "  state n = 0\n  n' = 0\n  event z - 0.5: n = n + 1\nend\nuse e()\n",
                 cases[k / IMPLICIT].s);
        warplu_sim *sim = opened(text, lanes, k % IMPLICIT);
        residuals r;
        double at = cases[k / IMPLICIT].at, behind = cases[k / IMPLICIT].behind;
        CHECK(value_of(sim, "e.s", 0) == at);
        watch(sim, &r);
        run_to(sim, 1.0);
        CHECK_SAY(fmax(r.most, -r.least) < 1e-9, "lanes %d, case %d: %g to %g", lanes, k, r.least, r.most);
        expect_row(&r, 0, at);
        expect_row(&r, 1, behind);
        CHECK_SAY(fabs(value_of(sim, "e.x", 0) - 1.0) < 1e-9, "lanes %d, case %d: %.12g", lanes, k,
                  value_of(sim, "e.x", 0));
        CHECK(value_of(sim, "e.n", 0) == (at < behind)); /* as at any edge, an event rises by the jump */
        warplu_sim_destroy(&sim);
    }
}

/* The end of a run has the side behind an edge, and so has the row where the next one begins; also where rounding of
 * times sets the end and the edge apart. */
static void runs_end_behind(void)
{
    static const char text[] =
        "element e()\n  unknown z = 0\n  s = if t > 0.3 then 1 else 0\n  d = s - z\n  0 = z - s\n"
        "  state x = 0\n  x' = z\n  state n = 0\n  n' = 0\n  event t = 0.3: n = n + 1\nend\n"
        "use e()\n";
    static const double ends[] = {0.3 - DBL_EPSILON / 4.0, 0.3, 0.3 + DBL_EPSILON / 4.0};
    FOR_BOTH(lanes)
    for (int k = 0; k < IMPLICIT * 3; k++) {
        warplu_sim *sim = opened(text, lanes, k % IMPLICIT);
        residuals r;
        watch(sim, &r);
        run_to(sim, ends[k / IMPLICIT]);
        CHECK_SAY(fabs(value_of(sim, "e.z", 0) - 1.0) < 1e-9 && value_of(sim, "e.s", 0) == 1.0 &&
                      value_of(sim, "e.n", 0) == 1.0,
                  "lanes %d, case %d: %g, %g, %g", lanes, k, value_of(sim, "e.z", 0), value_of(sim, "e.s", 0),
                  value_of(sim, "e.n", 0));
        watch(sim, &r);
        run_to(sim, 1.3);
        expect_row(&r, 0, 1.0);
        CHECK(fabs(value_of(sim, "e.x", 0) - 1.0) < 1e-9 && r.most < 1e-9 && value_of(sim, "e.n", 0) == 1.0);
        warplu_sim_destroy(&sim);
    }
}

/* A row that rounding alone sets apart from an edge, as the third one of 0.1, is at it, and has what is before. */
static void rows_are_at_edges(void)
{
    static const char text[] =
        "element e()\n  unknown z = 0\n  s = if t > 0.3 then 1 else 0\n  d = s - z\n  0 = z - s\n"
        "  state x = 0\n  x' = z\nend\nuse e()\n";
    FOR_BOTH(lanes)
    for (int k = 0; k < IMPLICIT; k++) {
        warplu_sim *sim = opened(text, lanes, k);
        residuals r;
        watch_each(sim, 0.1, &r);
        run_to(sim, 0.5);
        CHECK_SAY(r.rows == 6 && fmax(r.most, -r.least) < 1e-9, "lanes %d, case %d: %g to %g", lanes, k, r.least,
                  r.most);
        expect_row(&r, 3, 0.0);
        expect_row(&r, 4, 1.0);
        warplu_sim_destroy(&sim);
    }
}

/* At rows that are at no edge the time is the row's. */
static void times_are_not_moved(void)
{
    static const char text[] = "element e()\n  state x = 0\n  x' = if t > 0.25 then 1 else 0\n"
                               "  z = t\n  s = if t > 0 then 1 else 0\n  d = 0\nend\nuse e()\n";
    FOR_BOTH(lanes)
    {
        warplu_sim *sim = opened(text, lanes, 0);
        residuals r;
        watch(sim, &r);
        run_to(sim, 1.0);
        CHECK(r.rows == 3 && r.z[1] == 0.5 && r.z[2] == 1.0);
        CHECK(r.z[0] == 0.0 && r.s[0] == 0.0);
        CHECK(value_of(sim, "e.z", 0) == 1.0);
        warplu_sim_destroy(&sim);
    }
}

/* Members and instances have edges of their own. */
static void edges_are_of_each(void)
{
    static const char text[] = "element e()\n  param a = 1\n  state x = 0\n  x' = if t >= a and t < 2*a then 1 else 0\n"
                               "end\nuse e() with a = 1 + 3*i over i in 0..4\n";
    static const char one[] = "element e()\n  param a = 1\n  state x = 0\n  x' = if t >= a and t < 2*a then 1 else 0\n"
                              "end\nuse e()\n";
    static const char *const varying[] = {"e.a"};
    FOR_BOTH(lanes)
    {
        warplu_sim *sim = opened(text, lanes, 0);
        run_to(sim, 1000.0);
        CHECK(fabs(value_of(sim, "e[0].x", 0) - 1.0) < 1e-9 && fabs(value_of(sim, "e[4].x", 0) - 13.0) < 1e-9);
        warplu_sim_destroy(&sim);
    }
    warplu_model *model = parsed(one);
    warplu_sim_options options = defaults();
    options.members = 70, options.varying = varying, options.varying_count = 1;
    warplu_sim *sim = made(model, &options);
    double a[70];
    for (int m = 0; m < 70; m++) a[m] = 0.1 + 3.7 * m;
    CHECK(warplu_sim_set(sim, handle_of(sim, "e.a"), 0, 70, a) == WARPLU_SUCCESS);
    run_to(sim, 1000.0);
    for (int m = 0; m < 70; m++)
        CHECK_SAY(fabs(value_of(sim, "e.x", m) - a[m]) < 1e-9, "%d: %.12g", m, value_of(sim, "e.x", m));
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

/* Areas of 1; a pulse that times cannot tell begins at the time that is said. */
static void short_pulses_stay_or_are_refused(void)
{
    static const struct {
        const char *pulse;
        int is_lost;
    } cases[] = {{"pulse(0, 1e-30)/1e-30", 0},        {"pulse(0, 1e-13, 1e9)/1e-13", 0},
                 {"pulse(100, 1e-9)/1e-9", 0},        {"pulse(100, 1e-13)/1e-13", 1},
                 {"pulse(100, 1e-15)/1e-15", 1},      {"pulse(100, 1) + pulse(100, 1e-15)/1e-15", 1},
                 {"pulse(0, 1e-15, 600)/1e-15", 1},   {"pulse(100, 1) + 0*pulse(2000, 1e-15)", 0},
                 {"pulse(100, 1) + pulse(100, 0)", 0}};
    char text[512];
    FOR_BOTH(lanes)
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int k = 0; k < ANY; k++) {
            snprintf(text, sizeof text, "element e()\n  state y = 0\n  y' = %s\nend\nuse e()\n", cases[c].pulse);
            warplu_sim *sim = opened(text, lanes, k);
            warplu_status status = warplu_sim_run(sim, 1000.0);
            const char *said = warplu_sim_get_message(sim);
            if (cases[c].is_lost)
                CHECK_SAY(status == WARPLU_STEP_TOO_SMALL && strstr(said, "shorter than times are told apart") != NULL,
                          "lanes %d, method %d: %s: %d, %s", lanes, (int)any[k].method, cases[c].pulse, status, said);
            else
                CHECK_SAY(status == WARPLU_SUCCESS && fabs(value_of(sim, "e.y", 0) - 1.0) < 1e-5,
                          "lanes %d, method %d: %s: %d, %s, %.9g", lanes, (int)any[k].method, cases[c].pulse, status,
                          said, value_of(sim, "e.y", 0));
            warplu_sim_destroy(&sim);
        }
}

int main(void)
{
    RUN(comparisons_are_met);
    RUN(stimuli_are_not_missed);
    RUN(branches_are_met);
    RUN(bends_are_met);
    RUN(periods_are_met);
    RUN(remainders_are_met);
    RUN(others_are_left_alone);
    RUN(rows_have_one_side);
    RUN(rows_of_circuits_have_one_side);
    RUN(runs_begin_at_zero);
    RUN(runs_end_behind);
    RUN(rows_are_at_edges);
    RUN(times_are_not_moved);
    RUN(edges_are_of_each);
    RUN(short_pulses_stay_or_are_refused);
    return check_done();
}
