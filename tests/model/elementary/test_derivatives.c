/* Derivatives of the operations that are elementary functions, by differences in 400 bits by MPFR. */
#include "check.h"

#include "exact.h"
#include "model/graph/derive.h"
#include "model/programs.h"

enum { BITS = 400, POINTS = 400 };

static const struct {
    wlm_opcode opcode;
    wlm_function f;
} functions[] = {
#define WLM_OPCODE(...)
#define WLM_ELEMENTARY(name, operands, text, written, cost, course, size, levels, function, ...) \
    {WLM_##name, WLM_FUNCTION_##function},
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
};

/* The derivative by x[which]; NaN where it is none. */
static double by_differences(wlm_function f, const double *x, int which)
{
    mpfr_t at[2], above, below, h;
    mpfr_inits2(BITS, at[0], at[1], above, below, h, (mpfr_ptr)NULL);
    for (int k = 0; k < 2; k++) mpfr_set_d(at[k], x[k], MPFR_RNDN);
    mpfr_mul_2si(h, at[which], -100, MPFR_RNDN);
    mpfr_add(at[which], at[which], h, MPFR_RNDN);
    exact_function(f, above, at[0], at[1]);
    mpfr_mul_2si(h, h, 1, MPFR_RNDN);
    mpfr_sub(at[which], at[which], h, MPFR_RNDN);
    exact_function(f, below, at[0], at[1]);
    mpfr_sub(above, above, below, MPFR_RNDN);
    mpfr_div(above, above, h, MPFR_RNDN);
    double result = mpfr_get_d(above, MPFR_RNDN);
    mpfr_clears(at[0], at[1], above, below, h, (mpfr_ptr)NULL);
    return result;
}

/* Numbers that models have: of some units, of small magnitude, and near 1. */
static double draw(uint64_t *seed)
{
    int32_t kind = check_below(seed, 3), few = check_below(seed, 40);
    double part = 2.0 * check_uniform(seed) - 1.0;
    return kind == 0 ? 5.0 * part : kind == 1 ? ldexp(part, -few) : 1.0 + ldexp(part, -few / 2);
}

/* Those of tanh are 1 - y^2, with the error of y. */
static double allowed(wlm_opcode opcode, double exact)
{
    return 1e-14 * fabs(exact) + (opcode == WLM_TANH ? 4e-16 : 0.0);
}

static void derivatives_are_those_of_differences(void)
{
    uint64_t seed = 31;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        wlu_context ctx;
        wlu_context_init(&ctx, NULL);
        wlm_graph *g = fresh_graph(&ctx);
        wlm_opcode opcode = functions[k].opcode;
        wlm_node node = wlm_make(g, opcode, wlm_input(g, 0), wlm_input(g, 1), WLM_NONE);
        wlm_jacobian j;
        int seen[2] = {0, 0};
        CHECK(wlm_derive(g, &node, 1, 0, 2, &j) == WARPLU_SUCCESS);
        for (int p = 0; p < POINTS; p++) {
            double x[2];
            for (int i = 0; i < 2; i++) x[i] = draw(&seed);
            double *v = graph_values(g, x);
            for (int which = 0; which < wlm_opcode_operands(opcode); which++) {
                double exact = by_differences(functions[k].f, x, which);
                double got = v[wlm_jacobian_at(&j, 0, which)];
                if (!isfinite(exact)) continue;
                seen[which]++;
                CHECK_SAY(fabs(got - exact) <= allowed(opcode, exact), "%s(%a, %a) by %d: %.17g, differences %.17g",
                          wlm_opcode_text(opcode), x[0], x[1], which, got, exact);
            }
            free(v);
        }
        CHECK(seen[0] > POINTS / 8 && (wlm_opcode_operands(opcode) == 1 || seen[1] > POINTS / 8));
        wlm_jacobian_free(&ctx, &j);
        wlm_graph_destroy(&g);
    }
}

int main(void)
{
    RUN(derivatives_are_those_of_differences);
    return check_done();
}
