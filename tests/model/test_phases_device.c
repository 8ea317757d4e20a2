/* `phases` on a device: the reference's bits. Twice: on a driver without a device, whose launches interpret here (with
 * FAKE_CUDA_PATH), with every call failing once; and on a device, skipped where there is none. */
#include "phases/device.h"

#include <math.h>
#include <stdlib.h>

#include "phases_networks.h"

#if defined(FAKE_CUDA_PATH)
#include <dlfcn.h>

#include "cuda/fake_cuda.h"

static int64_t wrong_launches;

static int assignment_of(const char *kernel)
{
    static const char *const names[WLM_ASSIGNMENTS] = {"wlm_phases_definitions", "wlm_phases_euler",
                                                       "wlm_phases_rk4_first", "wlm_phases_rk4_middle",
                                                       "wlm_phases_rk4_last"};
    for (int k = 0; k < WLM_ASSIGNMENTS; k++)
        if (strcmp(names[k], kernel) == 0) return k;
    return -1;
}

static void *host(const void *device)
{
    return device != NULL ? (void *)((uintptr_t)device - FAKE_CUDA_APART) : NULL;
}

/* Blocks from the last one to the first. */
static void interpret(const fake_cuda_launch *l, void *user)
{
    const wlm_phases_memory *given = l->parameters[0];
    int32_t threads = *(const int32_t *)l->parameters[1];
    int assignment = assignment_of(l->kernel);
    double stack[WLM_PHASES_STACK];
    (void)user;
    wrong_launches += assignment < 0 || l->grid != (unsigned)(threads + WLU_WARP - 1) / WLU_WARP;
    if (assignment < 0) return;
    wlm_phases_memory m = {host(given->index), host(given->code), host(given->table), host(given->in),
                           host(given->out),   host(given->base), host(given->sum),   host(given->next_sum),
                           given->step,        given->time};
    for (int32_t block = (int32_t)l->grid - 1; block >= 0; block--)
        for (int32_t k = 0; k < WLU_WARP && block * WLU_WARP + k < threads; k++)
            wlm_phases_thread(&m, assignment, block * WLU_WARP + k, stack);
}

static fake_cuda *fake(void)
{
    static fake_cuda *driver;
    if (driver != NULL) return driver;
    fake_cuda_state_fn *of;
    void *library = dlopen(FAKE_CUDA_PATH, RTLD_NOW), *symbol = dlsym(library, "fake_cuda_state");
    memcpy(&of, &symbol, sizeof of);
    if (symbol == NULL || setenv("WARPLU_LIBCUDA", FAKE_CUDA_PATH, 1) != 0) abort();
    driver = of();
    driver->launch = interpret;
    return driver;
}
#endif

static int differ(double a, double b)
{
    return memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b));
}

/* Steps of the network on the device, and of the reference; the device's status. */
static warplu_status compare(network *w, const wlm_phases *p, wlm_method method)
{
    wlm_phases_state s = {0}, fetched = {0};
    wlm_phases_device *d = NULL;
    CHECK(wlm_phases_state_create(&w->ctx, p, &w->eq, 0.5, NULL, NULL, &s) == WARPLU_SUCCESS);
    CHECK(wlm_phases_state_create(&w->ctx, p, &w->eq, 0.5, NULL, NULL, &fetched) == WARPLU_SUCCESS);
    warplu_status status = wlm_phases_device_create(&w->ctx, p, &s, &d);
    for (int k = 0; k < 2 && status == WARPLU_SUCCESS; k++) status = wlm_phases_device_run(d, method, 0.01, 20);
    if (status == WARPLU_SUCCESS) status = wlm_phases_device_define(d);
    if (status == WARPLU_SUCCESS) status = wlm_phases_device_fetch(d, &fetched);
    wlm_phases_device_destroy(&d);
    if (status == WARPLU_SUCCESS) {
        CHECK(wlm_phases_run(&w->ctx, p, &s, method, 0.01, 40) == WARPLU_SUCCESS);
        wlm_phases_define(p, &s);
        int wrong = 0;
        for (int32_t i = 0; i < p->variables; i++) wrong += differ(s.array[0][i], fetched.array[0][i]);
        CHECK_SAY(wrong == 0 && fetched.steps == 40, "%d of %d values", wrong, (int)p->variables);
    }
    wlm_phases_state_free(&w->ctx, &s);
    wlm_phases_state_free(&w->ctx, &fetched);
    return status;
}

static void a_device_has_the_references_bits(void)
{
    for (int bits = 0; bits < 16; bits++) {
        network w;
        network_invent(&w, 300 + (uint64_t)bits, 30, 8, 1);
        wlm_phases *p = network_phases(&w, bits, 0);
        for (int method = WLM_EULER; method <= WLM_RK4; method++) {
            warplu_status status = compare(&w, p, (wlm_method)method);
            int absent = status == WARPLU_NO_DEVICE || status == WARPLU_NOT_COMPILED;
            if (absent) check_skip_reason = "no device";
            CHECK_SAY(status == WARPLU_SUCCESS || absent, "%s", w.ctx.last_message);
        }
        wlm_phases_destroy(&w.ctx, &p);
        network_end(&w);
    }
}

static void stacks_that_kernels_have_not_are_refused(void)
{
    network w;
    wlm_phases_device *d;
    wlm_phases_state s;
    network_begin(&w, 40, 1);
    wlm_node sum = unary(&w, WLM_SIN, state(&w, 0));
    for (int i = 1; i < 40; i++) sum = add(&w, sum, state(&w, i));
    for (int i = 0; i < 40; i++) w.eq.f[i] = sum;
    wlm_phases *p = network_phases(&w, 0, 100);
    CHECK(p->stack == 40);
    CHECK(wlm_phases_state_create(&w.ctx, p, &w.eq, 0.0, NULL, NULL, &s) == WARPLU_SUCCESS);
    warplu_status status = wlm_phases_device_create(&w.ctx, p, &s, &d);
    CHECK((status == WARPLU_INVALID_ARGUMENT || status == WARPLU_NOT_COMPILED) && d == NULL);
    wlm_phases_state_free(&w.ctx, &s);
    wlm_phases_destroy(&w.ctx, &p);
    network_end(&w);
}

#if defined(FAKE_CUDA_PATH)
static void every_call_may_fail(void)
{
    network w;
    network_invent(&w, 9, 3, 4, 1);
    wlm_phases *p = network_phases(&w, 15, 0);
    fake_cuda *driver = fake();
    int64_t k = 1;
    for (;; k += 1 + 40 * (k > 60)) {
        driver->calls = 0, driver->fail_at = k, driver->failure = 700;
        warplu_status status = compare(&w, p, WLM_EULER);
        int reached = driver->calls >= k;
        driver->fail_at = 0;
        if (!reached) break;
        CHECK_SAY(status == WARPLU_DEVICE_FAILED || status == WARPLU_NO_DEVICE, "call %d: status %d", (int)k,
                  (int)status);
    }
    CHECK(k > 60 && driver->alive == 0 && driver->retained == 0 && driver->depth == 0);
    wlm_phases_destroy(&w.ctx, &p);
    network_end(&w);
}

static void launches_are_as_kernels_expect(void)
{
    CHECK(wrong_launches == 0 && fake()->misuses == 0 && fake()->launches > 100);
}
#endif

int main(void)
{
#if defined(FAKE_CUDA_PATH)
    fake();
#endif
    RUN(a_device_has_the_references_bits);
    RUN(stacks_that_kernels_have_not_are_refused);
#if defined(FAKE_CUDA_PATH)
    RUN(every_call_may_fail);
    RUN(launches_are_as_kernels_expect);
#endif
    return check_done();
}
