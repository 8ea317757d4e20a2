/* Stiff standards by implicit methods, against SciPy's Radau: the error at the end, in tolerances, stays small and
 * falls with the tolerance. */
#include "model/step/drive.h"

#include <math.h>

#include "model/stiff.h"
#include "model/stiff_references.h"
#include "support/check.h"

enum { ALL = 4 };

typedef struct run {
    double error; /* largest over the unknowns, in relative + absolute size */
    wlm_fate fate;
} run;

static run integrate(const problem *p, wlm_method method, double tolerance, double floor, double t1, const double *want)
{
    wlm_stepper *s = NULL;
    double y[PROBLEM_MOST];
    run r = {.error = 0.0};
    wlm_step_options o = {.method = method, .relative = tolerance, .absolute = tolerance * floor};
    wlm_drive d = {.t0 = 0.0, .t1 = t1, .end = y, .fate = &r.fate};
    CHECK_SAY(wlm_stepper_create(&p->e, &o, &s) == WARPLU_SUCCESS, "%s", p->ctx.last_message);
    if (s == NULL) return r;
    wlm_drive_members(s, &d, 0, 1);
    CHECK_SAY(r.fate.status == WARPLU_SUCCESS, "status %d at %g", (int)r.fate.status, r.fate.t);
    for (int32_t i = 0; i < p->e.n; i++) r.error = fmax(r.error, fabs(y[i] - want[i]) / (fabs(want[i]) + floor));
    wlm_stepper_destroy(&s);
    return r;
}

/* most: of the error over the tolerance, at 1e-4 and, of Rosenbrock methods, at 1e-6. The second order of tr-bdf2 makes
 * its errors larger: they fall with the power 2/3 of the tolerance. */
static void check(const char *name, const problem *p, double floor, double t1, const double *want, double most,
                  int methods)
{
    static const struct {
        wlm_method method;
        double tolerance, more;
    } list[ALL] = {
        {WLM_RODAS4, 1e-4, 1.0}, {WLM_RODAS4, 1e-6, 1.0}, {WLM_RODAS3, 1e-4, 1.0}, {WLM_TR_BDF2, 1e-4, 20.0}};
    for (int k = 0; k < methods; k++) {
        const char *method = wlm_method_of(list[k].method)->name;
        run r = integrate(p, list[k].method, list[k].tolerance, floor, t1, want);
        printf("# %s %s at %.0e: error %.1e, steps %d + %d, iterations %d\n", name, method, list[k].tolerance, r.error,
               (int)r.fate.steps, (int)r.fate.rejected, (int)r.fate.iterations);
        CHECK_SAY(r.error <= most * list[k].more * list[k].tolerance, "%s by %s at %g: error %g", name, method,
                  list[k].tolerance, r.error);
    }
}

static void robertson_is_right(void)
{
    problem p;
    robertson(&p);
    check("robertson", &p, 1e-6, 40.0, reference_robertson, 20.0, ALL);
    check("robertson late", &p, 1e-10, 1e11, reference_robertson_late, 200.0, ALL);
    problem_end(&p);
}

static void robertson_with_an_algebraic_row_is_right(void)
{
    problem p;
    robertson_algebraic(&p);
    check("robertson algebraic", &p, 1e-6, 40.0, reference_robertson, 20.0, ALL);
    problem_end(&p);
}

static void hires_is_right(void)
{
    problem p;
    hires(&p);
    check("hires", &p, 1e-4, 321.8122, reference_hires, 100.0, ALL);
    problem_end(&p);
}

static void van_der_pol_is_right(void)
{
    problem p;
    van_der_pol(&p, 1e3);
    check("van der pol 1e3", &p, 1.0, 2.0, reference_van_der_pol_1e3, 100.0, ALL);
    problem_end(&p);
    van_der_pol(&p, 1e6);
    check("van der pol 1e6", &p, 1.0, 2.0, reference_van_der_pol_1e6, 100.0, ALL);
    problem_end(&p);
}

static void pollution_is_right(void)
{
    problem p;
    pollution(&p);
    check("pollution", &p, 1e-8, 60.0, reference_pollution, 100.0, ALL);
    problem_end(&p);
}

/* Its errors are of phase and grow from period to period: those of a method of order 2 are too large to tell. */
static void ring_modulator_is_right(void)
{
    problem p;
    ring_modulator(&p);
    check("ring modulator", &p, 0.1, 1e-4, reference_ring_modulator, 1000.0, ALL - 1);
    problem_end(&p);
}

int main(void)
{
    RUN(robertson_is_right);
    RUN(robertson_with_an_algebraic_row_is_right);
    RUN(hires_is_right);
    RUN(van_der_pol_is_right);
    RUN(pollution_is_right);
    RUN(ring_modulator_is_right);
    return check_done();
}
