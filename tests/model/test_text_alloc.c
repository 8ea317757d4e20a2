/* Reading a model with an allocator that fails at its k-th call, for every k: a status that says so, and nothing is
 * lost or freed twice. */
#include "model/text/read.h"

#include <string.h>

#include "support/build.h"
#include "support/check.h"

static const char *const text = "const n = 3\n"
                                "element half(p)\n  param r = 2; state x = r; x' = -x; p.v += r*x\nend\n"
                                "function mean(u, v)\n  s = u + v\n  mean = s/2\nend\n"
                                "table rows = {0, 1; 1, n; 3, 1} cubic periodic; table r = {0, 1; 2, 4} beyond nan\n"
                                "element e(a, b[2])\n"
                                "  param g[2] = {1, 2} [mS]; param d = 3 [s]; power = sum(l in 0..20: g[0]*g[1])/d\n"
                                "  state x = d in 0..9; x' = a.v - x\n"
                                "  gate m = 0.5: 1/(1 + exp(-a.v)), d\n"
                                "  unknown i = 1; 0 = i - b[0].v*pulse(1, d, 10)\n"
                                "  for k in 0..1\n    for j in 0..1: f[k,j] = sum(l in 0..n: g[k]*l) + j\n  end\n"
                                "  use sub = half(a) with r = d; of = sub.x + x'\n"
                                "  late = later; later = mean(f[1,1], 1)*t*lookup(rows, t + d)*lookup(r, t)\n"
                                "  on = if 2*t - 1 < d*abs(t) or t - d*floor(t/d) > 1 then 1 else 0\n"
                                "  event t = d: x = 1, m = later\n"
                                "  a.v += i + late + d*ddt(a.v); b[0].v += -i; b[1].s += x*step\n"
                                "  limit 1/(1 + x^2)\n"
                                "end\n"
                                "nodes cell[4] { balance v = i; store w = 1; sum s; positive w; fixed r = 2*i }\n"
                                "use e(cell[i], cell[(i + 1) mod 4], cell[0]) with d = i + 1, g[1] = 4 over i in 0..3\n"
                                "use e(cell[i], cell[j], cell[i]) over pairs(cell)\n"
                                "run tr-bdf2 cfl 0.1 to 10 rtol 1e-6\n"
                                "watch cell[2].v, e[5].late, cell[1..3].w\n"
                                "batch 3 from \"members.csv\"\n";

static warplu_status read_failing_at(int64_t call, int lasting, test_allocator *allocator, char *said)
{
    warplu_options options;
    wlu_context ctx;
    wlm_model *model;
    warplu_init_options(&options);
    test_use_allocator(&options, allocator);
    *allocator = (test_allocator){.fail_at = call, .lasting = lasting};
    wlu_context_init(&ctx, &options);
    warplu_status status = wlm_model_parse(&ctx, "alloc.wm", text, (int64_t)strlen(text), 0, &model);
    CHECK((model == NULL) == (status != WARPLU_SUCCESS));
    wlm_model_destroy(&model);
    strcpy(said, ctx.last_message);
    return status;
}

static void each_call_may_fail(void)
{
    test_allocator allocator;
    char said[WLU_MESSAGE_BYTES];
    CHECK_SAY(read_failing_at(0, 0, &allocator, said) == WARPLU_SUCCESS, "%s", said);
    int64_t calls = allocator.calls;
    CHECK(calls > 10 && allocator.alive == 0);
    for (int64_t k = 1; k <= calls; k++)
        for (int lasting = 0; lasting < 2; lasting++) {
            warplu_status status = read_failing_at(k, lasting, &allocator, said);
            CHECK_SAY(status == WARPLU_OUT_OF_MEMORY && strstr(said, "out of memory") != NULL, "call %lld: %d %s",
                      (long long)k, (int)status, said);
            CHECK_SAY(allocator.alive == 0, "call %lld: %lld blocks are left", (long long)k,
                      (long long)allocator.alive);
        }
    printf("# %lld calls\n", (long long)calls);
}

int main(void)
{
    RUN(each_call_may_fail);
    return check_done();
}
