/* The device and its memory as the command line uses them (exec/device/memory.h), on the driver without a device:
 * numbers come back as they went, the facts are the driver's, modules are loaded once, and whatever call to it fails,
 * there is a status and nothing is left. */
#include "check.h"

#include "exec/device/device.h"
#include "exec/device/memory.h"
#include "fake_cuda.h"

#include <dlfcn.h>
#include <string.h>

enum { N = 5, CALLS_MOST = 200 };

static const wlu_device_memory *const memory = &wlu_device_memory_cuda;
static fake_cuda *fake;

static int open_fake(void)
{
    fake_cuda_state_fn *state;
    void *library = dlopen(FAKE_CUDA_PATH, RTLD_NOW),
         *symbol = library != NULL ? dlsym(library, "fake_cuda_state") : NULL;
    memcpy(&state, &symbol, sizeof state);
    if (symbol != NULL) fake = state();
    return symbol != NULL && setenv("WARPLU_LIBCUDA", FAKE_CUDA_PATH, 1) == 0;
}

/* There and back; the memory is the caller's to free. */
static warplu_status round_trip(wlu_context *ctx, const void *device, void **block, double *back)
{
    static const double numbers[N] = {1.0, -2.5, 0.0, 1e300, 5e-324};
    warplu_status status = memory->alloc(ctx, device, (int64_t)sizeof numbers, block);
    if (status >= 0) status = memory->to_device(ctx, device, *block, numbers, (int64_t)sizeof numbers);
    if (status >= 0) status = memory->to_host(ctx, device, back, *block, (int64_t)sizeof numbers);
    if (status >= 0) status = memory->wait(ctx, device, NULL);
    if (status >= 0) CHECK(memcmp(back, numbers, sizeof numbers) == 0);
    return status;
}

static void numbers_come_back(void)
{
    wlu_context ctx;
    const void *device;
    void *block = NULL;
    double back[N];
    wlu_context_init(&ctx, NULL);
    CHECK(memory->open(&ctx, 0, &device) == WARPLU_SUCCESS && device != NULL);
    CHECK(round_trip(&ctx, device, &block, back) == WARPLU_SUCCESS && fake->alive == 1);
    memory->free(device, block);
    CHECK(memory->alloc(&ctx, device, 0, &block) == WARPLU_SUCCESS && block != NULL);
    memory->free(device, block);
    memory->free(device, NULL);
    CHECK(fake->alive == 0 && fake->depth == 0 && fake->misuses == 0);
}

static void facts_are_the_driver_s(void)
{
    wlu_context ctx;
    const void *device;
    wlu_device_facts facts;
    wlu_context_init(&ctx, NULL);
    CHECK(memory->open(&ctx, 0, &device) == WARPLU_SUCCESS);
    CHECK(memory->describe(&ctx, device, &facts) == WARPLU_SUCCESS && strcmp(facts.name, FAKE_CUDA_NAME) == 0);
    CHECK(facts.major == FAKE_CUDA_MAJOR && facts.minor == FAKE_CUDA_MINOR && facts.driver == FAKE_CUDA_VERSION);
    CHECK(facts.multiprocessors == FAKE_CUDA_MULTIPROCESSORS && facts.memory_bytes == FAKE_CUDA_MEMORY);
}

/* All of it, with call number k failing; 0 once there are fewer calls. */
static int with_failure(int64_t k)
{
    wlu_context ctx;
    const void *device;
    wlu_device_facts facts;
    void *block = NULL;
    double back[N];
    wlu_context_init(&ctx, NULL);
    fake->calls = 0;
    fake->fail_at = k;
    fake->failure = WLU_CU_OUT_OF_MEMORY;
    warplu_status status = memory->open(&ctx, 0, &device);
    if (status >= 0) status = memory->describe(&ctx, device, &facts);
    if (status >= 0) status = round_trip(&ctx, device, &block, back);
    int reached = fake->calls >= k;
    fake->fail_at = 0;
    CHECK_SAY((status < 0) == reached && fake->depth == 0 && fake->misuses == 0, "call %lld, %s: %s, depth %lld",
              (long long)k, fake->failed, warplu_status_name(status), (long long)fake->depth);
    if (status < 0) CHECK(ctx.last_message[0] != '\0');
    if (block != NULL) memory->free(device, block);
    CHECK(fake->alive == 0);
    return reached;
}

static void every_call_fails(void)
{
    int64_t k = 1;
    while (with_failure(k) && k < CALLS_MOST) k++;
    CHECK(k > 10 && k < CALLS_MOST);
}

enum { ALL_MODULES = (1 << WLU_CUDA_MODULES) - 1 };

/* All modules into a device of its own, with call number k failing; then those that are missing. 0 once there are fewer
 * calls. */
static int load_with_failure(int64_t k)
{
    wlu_context ctx;
    wlu_cuda_device own;
    wlu_context_init(&ctx, NULL);
    fake->calls = 0;
    fake->fail_at = k;
    fake->failure = WLU_CU_OUT_OF_MEMORY;
    warplu_status status = wlu_cuda_device_prepare(&ctx, 0, wlu_cuda_fatbin, &own);
    if (status >= 0) status = wlu_cuda_device_load(&ctx, ALL_MODULES, &own);
    int reached = fake->calls >= k, ready = own.on.handle != NULL;
    fake->fail_at = 0;
    CHECK_SAY((status < 0) == reached && fake->depth == 0 && fake->misuses == 0, "call %lld, %s: %s, depth %lld",
              (long long)k, fake->failed, warplu_status_name(status), (long long)fake->depth);
    CHECK(!ready || wlu_cuda_device_load(&ctx, ALL_MODULES, &own) == WARPLU_SUCCESS);
    for (int m = 0; ready && m < WLU_CUDA_MODULES; m++) CHECK((own.module[m] != NULL) == (wlu_cuda_fatbin[m] != NULL));
    CHECK(!ready || (own.of[0].early_blocks > 0 && own.of[1].solve_bytes > 0 && own.of[0].refine_blocks > 0 &&
                     own.of[1].refine_early_blocks > 0 && own.of[2].refine_begin != NULL));
    int64_t calls = fake->calls;
    CHECK(!ready || (wlu_cuda_device_load(&ctx, ALL_MODULES, &own) == WARPLU_SUCCESS && fake->calls == calls));
    if (ready) wlu_cuda_context_close(&own.on);
    return reached;
}

static void modules_are_loaded_once_whatever_fails(void)
{
    int64_t k = 1;
    while (load_with_failure(k) && k < CALLS_MOST) k++;
    CHECK(k > 40 && k < CALLS_MOST && fake->retained <= 1);
}

int main(void)
{
    if (!open_fake()) return 1;
    RUN(every_call_fails);
    RUN(numbers_come_back);
    RUN(modules_are_loaded_once_whatever_fails);
    RUN(facts_are_the_driver_s);
    return check_done();
}
