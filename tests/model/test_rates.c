/* Rates of states that expressions read, x' and ddt(x): they are what their lines say, in any order, by both
 * engines. */
#include "text_check.h"

#include <stdio.h>

#include "model/engines.h"

static const char text[] = "function half(x) = x/2\n"
                           "element e(p)\n"
                           "  param a = 3\n"
                           "  follows = ddt(x) + 2*later\n"
                           "  later = y'\n"
                           "  state y = 1; y' = x'\n"
                           "  state x = 1; x' = -x\n"
                           "  gate m = 0: 1, 2\n"
                           "  state w = 0; w' = 4*half(m')\n"
                           "  state u[3] = 0\n"
                           "  for i in 0..2: u[i]' = if i = 2 then x' else 2*u[i + 1]'\n"
                           "  state r = r'; r' = 2*a\n"
                           "  state s = 0; s' = 0\n"
                           "  event x' + 0.5: s = t\n"
                           "  p.v += p.v - 3*x'\n"
                           "end\n"
                           "nodes n { balance v = 0 }\nuse e(n)\n"
                           "run rodas4 rtol 1e-9 atol 1e-9\n";

static void rates_are_what_their_lines_say(void)
{
    static const warplu_method methods[] = {WARPLU_METHOD_RODAS4, WARPLU_METHOD_TR_BDF2};
    const double x = exp(-1.0), m = 1.0 - exp(-0.5);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        double dt = methods[k] == WARPLU_METHOD_TR_BDF2 ? 1.0 / 2048 : 0.0, tolerance = 1e-6;
        expect_alike(text, methods[k], dt, "e.y", x, tolerance);
        expect_alike(text, methods[k], dt, "e.follows", -3 * x, tolerance);
        expect_alike(text, methods[k], dt, "e.w", 2 * m, tolerance);
        expect_alike(text, methods[k], dt, "e.u[0]", 4 * (x - 1), tolerance);
        expect_alike(text, methods[k], dt, "e.r", 12, tolerance);
        expect_alike(text, methods[k], dt, "e.s", log(2.0), tolerance);
        expect_alike(text, methods[k], dt, "n.v", -3 * x, tolerance);
    }
}

/* A chain that no recursion would survive. */
static void chains_may_be_long(void)
{
    enum { CHAIN = 20000, LINE = 64 };
    char *chain = malloc(CHAIN * LINE);
    int at = sprintf(chain, "element e()\n");
    for (int k = 0; k < CHAIN; k++) at += sprintf(chain + at, "state x%d = 0; x%d' = x%d' + 1\n", k, k, k + 1);
    sprintf(chain + at, "state x%d = 0; x%d' = 1\ny = x0'\nend\nuse e\n", CHAIN, CHAIN);
    wlm_model *m = text_read(chain);
    free(chain);
    if (m == NULL) return;
    CHECK(text_local(m, "y", &(text_inputs){.time = 0.0}) == CHAIN + 1.0);
    wlm_model_destroy(&m);
}

int main(void)
{
    RUN(rates_are_what_their_lines_say);
    RUN(chains_may_be_long);
    return check_done();
}
