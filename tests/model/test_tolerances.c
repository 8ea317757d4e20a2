/* What is asked for is what is had: errors of controlled methods, over relative |y| + absolute, on problems whose
 * solutions are known, by each engine. Medians and the largest of problems, tolerances and outputs are within what
 * docs/models.md says ("Tolerances").
 *
 *     test_model_tolerances docs/models.md [--table]     --table prints a row for each run
 *
 * A device has the bits of the small engine (test_step_device.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "model/method/methods.h"

enum { OUTPUTS = 20, MOST = 4, DECADES = 6 };

typedef struct problem {
    const char *name, *element; /* lines of the element */
    const char *watched[MOST];
    double to;
    int any;   /* 0: rates alone; 1: what implicit methods take */
    int stiff; /* explicit methods would take very many steps */
    void (*solution)(double t, double *y);
} problem;

static void decay(double t, double *y)
{
    y[0] = exp(-2.0 * t);
}

static void turn(double t, double *y)
{
    y[0] = cos(t), y[1] = -sin(t);
}

static void grow(double t, double *y)
{
    y[0] = 1.0 / (1.0 + 9.0 * exp(-t));
}

static void tangent(double t, double *y)
{
    y[0] = tan(t);
}

static void follow_cosine(double t, double *y)
{
    y[0] = cos(t);
}

static void two_rates(double t, double *y)
{
    const double slow = exp(-t), fast = exp(-1000.0 * t);
    y[0] = slow + fast, y[1] = slow - fast;
}

static void kaps(double t, double *y)
{
    y[0] = exp(-2.0 * t), y[1] = exp(-t);
}

static void of_an_index(double t, double *y)
{
    y[0] = exp(-t), y[1] = exp(-2.0 * t) + 1.0;
}

static void root_of_time(double t, double *y)
{
    y[0] = sqrt(1.0 + t);
}

static void low_pass(double t, double *y)
{
    const double w = 10.0;
    y[0] = (sin(w * t) - w * cos(w * t) + w * exp(-t)) / (1.0 + w * w);
}

static const problem problems[] = {
    {"decay", "  state x = 1\n  x' = -2*x\n", {"cell.x"}, 2.0, 0, 0, decay},
    {"oscillator", "  state x = 1\n  state y = 0\n  x' = y\n  y' = -x\n", {"cell.x", "cell.y"}, 10.0, 0, 0, turn},
    {"logistic", "  state x = 0.1\n  x' = x*(1 - x)\n", {"cell.x"}, 8.0, 0, 0, grow},
    {"tangent", "  state x = 0\n  x' = 1 + x^2\n", {"cell.x"}, 1.4, 0, 0, tangent},
    {"low pass", "  state x = 0\n  x' = sin(10*t) - x\n", {"cell.x"}, 4.0, 0, 0, low_pass},
    {"cosine", "  state x = 1\n  x' = -1000*(x - cos(t)) - sin(t)\n", {"cell.x"}, 4.0, 0, 1, follow_cosine},
    {"two rates",
     "  state x = 2\n  state y = 0\n  x' = -500.5*x + 499.5*y\n  y' = 499.5*x - 500.5*y\n",
     {"cell.x", "cell.y"},
     2.0,
     0,
     1,
     two_rates},
    {"Kaps",
     "  state x = 1\n  state y = 1\n  x' = -1002*x + 1000*y^2\n  y' = x - y*(1 + y)\n",
     {"cell.x", "cell.y"},
     2.0,
     0,
     1,
     kaps},
    {"index 1",
     "  state x = 1\n  unknown z = 2\n  x' = -x\n  0 = z - x^2 - 1\n",
     {"cell.x", "cell.z"},
     2.0,
     1,
     1,
     of_an_index},
    {"charge", "  n.v += ddt(n.v^2) - 1\n", {"n.v"}, 4.0, 2, 1, root_of_time},
};

/* Errors of the runs of a method by an engine. */
typedef struct errors {
    double ratio[DECADES * sizeof problems / sizeof *problems];
    int count;
} errors;

typedef struct asked {
    const problem *p;
    double relative, absolute, worst;
} asked;

static int compare_row(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    asked *a = user;
    double y[MOST];
    (void)member;
    a->p->solution(t, y);
    for (int32_t i = 0; i < watched; i++) {
        const double ratio = fabs(values[i] - y[i]) / (a->relative * fabs(y[i]) + a->absolute);
        if (!(ratio <= a->worst)) a->worst = ratio;
    }
    return 0;
}

static int32_t watch_all(warplu_sim *sim, const problem *p, int64_t *handles)
{
    int32_t count = 0;
    for (; count < MOST && p->watched[count] != NULL; count++) handles[count] = handle_of(sim, p->watched[count]);
    return count;
}

/* The largest error of a run over what was asked for; -1: it could not be made. */
static double worst_of(const problem *p, wlm_method method, warplu_lanes lanes, double relative, int64_t *steps)
{
    char text[1024];
    int64_t handles[MOST];
    asked a = {p, relative, relative, 0.0};
    warplu_sim_options o = defaults();
    warplu_sim_statistics t = {.size = sizeof t};
    snprintf(text, sizeof text, "nodes n { balance v = 1 }\nelement cell(n)\n%send\nuse cell(n)\n", p->element);
    if (p->any < 2) snprintf(text, sizeof text, "element cell()\n%send\nuse cell()\n", p->element);
    o.method = (warplu_method)method, o.lanes = lanes, o.relative = relative, o.absolute = a.absolute;
    warplu_model *model = parsed(text);
    warplu_sim *sim = NULL;
    warplu_status status = warplu_sim_create(&sim, model, &o);
    warplu_model_destroy(&model);
    if (status < 0) return -1.0;
    CHECK(warplu_sim_watch(sim, handles, watch_all(sim, p, handles), p->to / OUTPUTS, compare_row, &a) ==
          WARPLU_SUCCESS);
    status = warplu_sim_run(sim, p->to);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s: %s", p->name, warplu_sim_get_message(sim));
    CHECK(warplu_sim_get_statistics(sim, &t) == WARPLU_SUCCESS);
    *steps = t.steps;
    warplu_sim_destroy(&sim);
    return a.worst;
}

static int takes(const wlm_method_facts *f, const problem *p)
{
    if (f->family == WLM_FAMILY_EXPLICIT) return p->any == 0 && !p->stiff;
    return p->any < 2 || f->family == WLM_FAMILY_IMPLICIT;
}

/* Steps of the first order are as many as the inverse of the tolerance; small tolerances are for the build that runs
 * all cases. */
static int decades_of(const wlm_method_facts *f)
{
    if (check_every() > 1) return 1;
    return f->order > 1 ? DECADES : 3;
}

static int table;

static void collect(wlm_method method, const wlm_method_facts *f, warplu_lanes lanes, errors *e)
{
    int64_t steps = 0;
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        double relative = 1e-3;
        if (!takes(f, &problems[k])) continue;
        for (int decade = 0; decade < decades_of(f); decade++, relative *= 0.1) {
            const double worst = worst_of(&problems[k], method, lanes, relative, &steps);
            CHECK_SAY(worst >= 0.0, "%s: %s", f->name, problems[k].name);
            e->ratio[e->count++] = worst;
            if (table)
                printf("# %-16s %s %-12s %.0e %10.3g %8lld steps\n", f->name,
                       lanes == WARPLU_LANES_MEMBERS ? "small" : "large", problems[k].name, relative, worst,
                       (long long)steps);
        }
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const char *document;

/* The limits in the table of docs/models.md; 0: there are none. */
static int read_limits(const char *name, double *median, double *largest)
{
    char line[512], start[64], *end;
    int length = snprintf(start, sizeof start, "| `%s` | ", name), found = 0, within = 0;
    FILE *file = fopen(document, "r");
    CHECK_SAY(file != NULL, "%s", document);
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        within |= strcmp(line, "## Tolerances\n") == 0;
        if (!within || strncmp(line, start, (size_t)length) != 0) continue;
        *median = strtod(line + length, &end);
        found = sscanf(end, " | %lf |", largest) == 1;
    }
    if (file != NULL) fclose(file);
    return found;
}

static void judge(const wlm_method_facts *f, const char *engine, errors *e)
{
    double median_most, largest_most;
    if (e->count == 0) return;
    qsort(e->ratio, (size_t)e->count, sizeof *e->ratio, ascending);
    const double median = e->ratio[e->count / 2], largest = e->ratio[e->count - 1];
    printf("# %-16s %s: errors over what was asked for: median %.3g, largest %.3g, of %d\n", f->name, engine, median,
           largest, e->count);
    const int known = read_limits(f->name, &median_most, &largest_most);
    CHECK_SAY(known && median <= median_most && largest <= largest_most, "%s, %s", f->name, engine);
    if (check_every() == 1)
        CHECK_SAY(known && median > 0.3 * median_most, "%s, %s: the document says too much", f->name, engine);
}

static void errors_are_what_was_asked_for(void)
{
    for (int m = 1; m < WLM_METHODS; m++) {
        const wlm_method_facts *f = wlm_method_of((wlm_method)m);
        errors small = {.count = 0}, large = {.count = 0};
        if (f->estimate[WLM_SMALL] > 0) collect((wlm_method)m, f, WARPLU_LANES_MEMBERS, &small);
        if (f->estimate[WLM_LARGE] > 0) collect((wlm_method)m, f, WARPLU_LANES_INSTANCES, &large);
        judge(f, "small", &small);
        judge(f, "large", &large);
    }
}

int main(int argc, char **argv)
{
    document = argc > 1 ? argv[1] : "docs/models.md";
    table = argc > 2 && strcmp(argv[2], "--table") == 0;
    RUN(errors_are_what_was_asked_for);
    return check_done();
}
