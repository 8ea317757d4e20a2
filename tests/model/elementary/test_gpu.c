/* Elementary functions on a device: the bits of the CPU, over as many points as asked for.
 *
 *     test_gpu [POINTS]      of each function, 10^6 without; prints a hash of each one's results */
#include "check.h"

#include "hashed.h"
#include "kernel.h"

#include "device/context.h"
#include "device/kernels.h"

static int64_t points = 1000000;
static wlu_context ctx;

typedef struct device {
    wlu_cuda_context on;
    wlu_cu_handle stream;
    wlu_cu_address out, a, b;
} device;

static int device_open(device *d)
{
    size_t bytes = (size_t)points * sizeof(double);
    return wlu_cuda_context_open(&ctx, 0, &d->on) == WARPLU_SUCCESS && wlu_cuda_enter(&ctx, &d->on) == WARPLU_SUCCESS &&
           WLU_CUDA(&ctx, stream_create, &d->stream, WLU_CU_STREAM_NON_BLOCKING) == WARPLU_SUCCESS &&
           WLU_CUDA(&ctx, alloc, &d->out, bytes) == WARPLU_SUCCESS &&
           WLU_CUDA(&ctx, alloc, &d->a, bytes) == WARPLU_SUCCESS &&
           WLU_CUDA(&ctx, alloc, &d->b, bytes) == WARPLU_SUCCESS;
}

static void device_close(device *d)
{
    CHECK(WLU_CUDA(&ctx, free, d->out) == WARPLU_SUCCESS && WLU_CUDA(&ctx, free, d->a) == WARPLU_SUCCESS);
    CHECK(WLU_CUDA(&ctx, free, d->b) == WARPLU_SUCCESS && WLU_CUDA(&ctx, stream_destroy, d->stream) == WARPLU_SUCCESS);
    CHECK(wlu_cuda_leave(&ctx, WARPLU_SUCCESS) == WARPLU_SUCCESS);
    wlu_cuda_context_close(&d->on);
}

static void run(device *d, wlm_function f, double *out, const double *a, const double *b)
{
    wlm_ptx text;
    wlu_cu_handle module, kernel;
    size_t bytes = (size_t)points * sizeof(double);
    uint32_t count = (uint32_t)points;
    void *parameters[] = {&d->out, &d->a, &d->b, &count};
    wlm_ptx_init(&text, &ctx);
    CHECK(kernel_text(&text, f) == WARPLU_SUCCESS);
    CHECK(wlu_cuda_load(&ctx, text.text, &module) == WARPLU_SUCCESS);
    CHECK(WLU_CUDA(&ctx, module_function, &kernel, module, "f") == WARPLU_SUCCESS);
    CHECK(WLU_CUDA(&ctx, to_device, d->a, a, bytes, d->stream) == WARPLU_SUCCESS);
    CHECK(WLU_CUDA(&ctx, to_device, d->b, b, bytes, d->stream) == WARPLU_SUCCESS);
    CHECK(wlu_cuda_launch(&ctx, kernel, points, 256, parameters, d->stream) == WARPLU_SUCCESS);
    CHECK(WLU_CUDA(&ctx, to_host, out, d->out, bytes, d->stream) == WARPLU_SUCCESS);
    CHECK_SAY(WLU_CUDA(&ctx, stream_wait, d->stream) == WARPLU_SUCCESS, "%s", ctx.last_message);
    CHECK(WLU_CUDA(&ctx, module_unload, module) == WARPLU_SUCCESS);
    wlm_ptx_free(&text);
}

static void compare(wlm_function f, const double *a, const double *b, const double *out)
{
    uint64_t hash = 1;
    int64_t wrong = 0;
    for (int64_t p = 0; p < points; p += POINTS_AT_A_TIME) {
        double y[POINTS_AT_A_TIME];
        wlm_elementary_table(0)->function[f](y, a + p, b + p, POINTS_AT_A_TIME);
        for (int k = 0; k < POINTS_AT_A_TIME; k++) {
            hash = hashed_number(hash, out[p + k]);
            if (points_agree(y[k], out[p + k])) continue;
            if (wrong++ == 0) printf("# (%a, %a): %a, on the device %a\n", a[p + k], b[p + k], y[k], out[p + k]);
        }
    }
    printf("# %s: %016" PRIx64 ", %lld of %lld differ\n", function_name(f), hash, (long long)wrong, (long long)points);
    CHECK_SAY(wrong == 0, "%s", function_name(f));
}

static void device_gives_the_bits_of_the_cpu(void)
{
    device d = {0};
    if (!device_open(&d)) SKIP(ctx.last_message);
    double *out = malloc((size_t)points * sizeof *out), *a = malloc((size_t)points * sizeof *a);
    double *b = malloc((size_t)points * sizeof *b);
    for (int f = 0; f < WLM_ELEMENTARY_FUNCTIONS; f++) {
        uint64_t seed = 77;
        for (int64_t p = 0; p < points; p += POINTS_AT_A_TIME) points_draw((wlm_function)f, &seed, a + p, b + p);
        run(&d, (wlm_function)f, out, a, b);
        compare((wlm_function)f, a, b, out);
    }
    device_close(&d);
    free(out);
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    if (argc > 1) points = atoll(argv[1]);
    points -= points % POINTS_AT_A_TIME;
    wlu_context_init(&ctx, NULL);
    RUN(device_gives_the_bits_of_the_cpu);
    return check_done();
}
