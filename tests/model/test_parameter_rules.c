/* Parameters that others say, `param b = 2*a`: whatever gives a its value, what needs b follows, unless b is given. By
 * both engines: values, initial values, edges of pulses and times of events. */
#include "text_check.h"

#include <stdio.h>
#include <unistd.h>

#include "model/engines.h"

#define ELEMENT \
    "element e()\n  c = b + d\n  d = a*a\n  param a = 2\n  param b = 0.1*a\n" \
    "  param w[3] = {a, 2*w[0], w[1] + d}\n  state x = b\n  x' = 0\n  state y = w[2]\n" \
    "  y' = -b*y\n  state z = 0\n  z' = pulse(b, a/10)\n  state s = 0\n  s' = 0\n" \
    "  event t = b + 0.01: s = s + a\nend\n"

/* What there is at t = 1 of an instance with these parameters. */
static void expect_instance(warplu_sim *sim, const char *owner, int64_t member, double a, double b)
{
    const struct {
        const char *name;
        double value, tolerance;
    } all[] = {{"c", b + a * a, 1e-15},
               {"x", b, 0.0},
               {"y", (2 * a + a * a) * exp(-b), 1e-8},
               {"z", fmin(fmax(1.0 - b, 0.0), a / 10), 1e-12},
               {"s", b + 0.01 < 1.0 ? a : 0.0, 0.0}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s", owner, all[k].name);
        double found = value_of(sim, name, member);
        CHECK_SAY(fabs(found - all[k].value) <= all[k].tolerance * fmax(1.0, fabs(all[k].value)),
                  "member %d: %s: %.17g, expected %.17g", (int)member, name, found, all[k].value);
    }
}

static warplu_sim_options options_of(int lanes)
{
    warplu_sim_options options = defaults();
    options.lanes = (warplu_lanes)lanes, options.method = WARPLU_METHOD_RODAS4;
    options.relative = 1e-10, options.absolute = 1e-10;
    return options;
}

static void run(warplu_sim *sim)
{
    CHECK_SAY(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
}

static void uses_give_values(void)
{
    warplu_model *model =
        parsed(ELEMENT "use e\nuse e with a = 3\nuse e with b = 0.25\nuse e with a = 4 + i, b = 0.3 over i in 0..1\n"
                       "use e with a = 1 + i over i in 0..1\n");
    static const double a[] = {2, 3, 2, 4, 5, 1, 2}, b[] = {0.1 * 2, 0.1 * 3, 0.25, 0.3, 0.3, 0.1, 0.2};
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim_options options = options_of(lanes);
        warplu_sim *sim = made(model, &options);
        if (sim != NULL) run(sim);
        for (int k = 0; sim != NULL && k < 7; k++) {
            char owner[16];
            snprintf(owner, sizeof owner, "e[%d]", k);
            expect_instance(sim, owner, 0, a[k], b[k]);
        }
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

static void options_give_values(void)
{
    static const char *const names[] = {"e.a", "e.b"};
    static const double values[] = {3.0, 0.7};
    warplu_model *model = parsed(ELEMENT "use e\n");
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++)
        for (int count = 0; count < 3; count++) {
            warplu_sim_options options = options_of(lanes);
            options.set = names, options.set_value = values, options.set_count = count;
            warplu_sim *sim = made(model, &options);
            if (sim != NULL) run(sim);
            if (sim != NULL)
                expect_instance(sim, "e", 0, count > 0 ? 3.0 : 2.0, count > 1 ? 0.7 : 0.1 * (count > 0 ? 3.0 : 2.0));
            warplu_sim_destroy(&sim);
        }
    warplu_model_destroy(&model);
}

static void members_give_values(void)
{
    static const char *const names[] = {"e.a", "e.b"};
    static const double a[] = {2, 3, 4}, b[] = {0.5, 0.6};
    warplu_model *model = parsed(ELEMENT "use e\n");
    warplu_sim_options options = options_of(WARPLU_LANES_MEMBERS);
    options.varying = names, options.varying_count = 2, options.members = 3;
    warplu_sim *sim = made(model, &options);
    if (sim != NULL) {
        CHECK(isnan(value_of(sim, "e.b", 0)) && value_of(sim, "e.x", 0) == 0.1 * 2);
        CHECK(warplu_sim_set(sim, handle_of(sim, "e.a"), 0, 3, a) == WARPLU_SUCCESS);
        CHECK(value_of(sim, "e.x", 1) == 0.1 * 3 && value_of(sim, "e.y", 2) == 2 * 4 + 4 * 4);
        CHECK(warplu_sim_set(sim, handle_of(sim, "e.b"), 1, 2, b) == WARPLU_SUCCESS);
        run(sim);
        expect_instance(sim, "e", 0, 2, 0.1 * 2);
        expect_instance(sim, "e", 1, 3, 0.5);
        expect_instance(sim, "e", 2, 4, 0.6);
    }
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

static void tables_give_values(void)
{
    char path[] = "/tmp/warplu_rules_XXXXXX", text[1024];
    int file = mkstemp(path);
    static const char table[] = "e.a\n3\n5\n";
    CHECK(file >= 0 && write(file, table, sizeof table - 1) == (ssize_t)sizeof table - 1);
    snprintf(text, sizeof text, ELEMENT "use e\nbatch 2 from \"%s\"\n", path);
    warplu_model *model = parsed(text);
    warplu_sim_options options = options_of(WARPLU_LANES_MEMBERS);
    warplu_sim *sim = made(model, &options);
    if (sim != NULL) run(sim);
    if (sim != NULL) expect_instance(sim, "e", 0, 3, 0.1 * 3);
    if (sim != NULL) expect_instance(sim, "e", 1, 5, 0.1 * 5);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
    close(file);
    unlink(path);
}

/* Where one instance has a value, and the other one the rule, there is none in common that members could begin by. */
static void rules_are_no_values(void)
{
    static const char *const names[] = {"e.b"};
    warplu_model *model = parsed(ELEMENT "use e\nuse e with b = 0.25\n");
    warplu_sim_options options = options_of(WARPLU_LANES_MEMBERS);
    options.varying = names, options.varying_count = 1, options.members = 2;
    warplu_sim *sim = NULL;
    CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_INVALID_ARGUMENT);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

/* A value that no parameter says is a number, as it was. */
static void numbers_stay_numbers(void)
{
    wlm_model *m =
        text_read("const c = 2\nelement e()\nparam a = c*sum(k in 1..3: k)\nparam b = if c = 2 then 1 else q\n"
                  "param r = a; y = 2*r\nend\nuse e\n");
    if (m == NULL) return;
    const wlm_parameter *p = m->kind[0].parameter;
    CHECK(p[0].value == 12.0 && p[1].value == 1.0 && isnan(p[2].value) && isnan(m->use[0].uniform[2]));
    CHECK(text_local(m, "y", &(text_inputs){.time = 0.0}) == 24.0);
    wlm_model_destroy(&m);
}

int main(void)
{
    RUN(uses_give_values);
    RUN(options_give_values);
    RUN(members_give_values);
    RUN(tables_give_values);
    RUN(rules_are_no_values);
    RUN(numbers_stay_numbers);
    return check_done();
}
