/* A driver without a device. See fake_cuda.h. */
#include "fake_cuda.h"

#include "fake_graph.h"
#include "fake_property.h"
#include "fake_ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

enum { INVALID_VALUE = 1, INVALID_CONTEXT = 201, INVALID_TEXT = 218, ILLEGAL_ADDRESS = 700, NOT_WHILE_CAPTURING = 900 };

static fake_cuda fake = {.version = FAKE_CUDA_VERSION, .ptx = FAKE_CUDA_PTX};
static char context[FAKE_CUDA_DEVICES], module[FAKE_CUDA_DEVICES];

enum { UNASKED = 48 << 10 }; /* shared memory of a launch that needs not be given first */

static fake_graph *capturing; /* of this stream: */
static wlu_cu_handle captured;

/* What was enqueued last, and where. */
static const char *last = "";
static wlu_cu_handle last_stream;

EXPORT fake_cuda *fake_cuda_state(void);
#define WLU_CUDA_ENTRY(name, exported, parameters) EXPORT wlu_cu_result exported parameters;
WLU_CUDA_DRIVER(WLU_CUDA_ENTRY)
#undef WLU_CUDA_ENTRY

fake_cuda *fake_cuda_state(void)
{
    return &fake;
}

enum { NO_DEVICE = -1 };

/* Of the current context. */
static int current(void)
{
    return fake.depth > 0 && fake.depth <= FAKE_CUDA_DEEP ? fake.on[fake.depth - 1] : NO_DEVICE;
}

static wlu_cu_result answer_of(const char *entry, int device)
{
    if (fake.only > 0 && device != fake.only - 1) return 0;
    fake.calls++;
    if (fake.fail_at == 0 || fake.calls < fake.fail_at || (fake.calls > fake.fail_at && !fake.lasting)) return 0;
    if (fake.calls == fake.fail_at) fake.failed = entry;
    return fake.failure;
}

static wlu_cu_result answer(const char *entry)
{
    return answer_of(entry, current());
}

/* Of calls that need a current context. */
static wlu_cu_result answer_inside(const char *entry)
{
    if (fake.depth > 0) return answer(entry);
    fake.misuses++;
    return INVALID_CONTEXT;
}

static void check_property(const void *at)
{
    int device = fake_property_device(at);
    fake.misuses += device >= 0 && device != current();
}

/* Of the current context's device. NULL: no memory. */
static void *acquire(size_t bytes)
{
    void *at = fake_property_acquire(bytes, current());
    fake.alive += at != NULL;
    return at;
}

static void release(void *at)
{
    check_property(at);
    int released = fake_property_release(at);
    fake.alive -= released;
    fake.misuses += !released;
}

static void *host(wlu_cu_address address)
{
    if (address < FAKE_CUDA_APART) fake.misuses++;
    void *at = (void *)(uintptr_t)(address - FAKE_CUDA_APART);
    check_property(at);
    return at;
}

#define ANSWER(how) \
    do { \
        wlu_cu_result result = how(__func__); \
        if (result != 0) return result; \
    } while (0)

#define ANSWER_OF(device) \
    do { \
        wlu_cu_result result = answer_of(__func__, device); \
        if (result != 0) return result; \
    } while (0)

/* ------------------------------------------------------------ entry points */

wlu_cu_result cuInit(unsigned flags)
{
    (void)flags;
    return answer(__func__);
}

wlu_cu_result cuGetErrorName(wlu_cu_result result, const char **name)
{
    *name = result == WLU_CU_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
            : result == INVALID_TEXT       ? "CUDA_ERROR_INVALID_PTX"
                                           : "CUDA_ERROR_FAKE";
    return 0;
}

wlu_cu_result cuDeviceGetCount(int *count)
{
    ANSWER(answer);
    *count = FAKE_CUDA_DEVICES;
    return 0;
}

wlu_cu_result cuDeviceGet(wlu_cu_device *device, int ordinal)
{
    ANSWER(answer);
    *device = ordinal;
    return 0;
}

wlu_cu_result cuDriverGetVersion(int *version)
{
    ANSWER(answer);
    *version = fake.version;
    return 0;
}

wlu_cu_result cuDeviceGetName(char *name, int bytes, wlu_cu_device device)
{
    ANSWER_OF(device);
    if (bytes <= (int)sizeof FAKE_CUDA_NAME) return INVALID_VALUE;
    memcpy(name, FAKE_CUDA_NAME, sizeof FAKE_CUDA_NAME);
    return 0;
}

wlu_cu_result cuDeviceTotalMem_v2(size_t *bytes, wlu_cu_device device)
{
    ANSWER_OF(device);
    *bytes = FAKE_CUDA_MEMORY;
    return 0;
}

wlu_cu_result cuMemGetInfo_v2(size_t *bytes, size_t *all)
{
    ANSWER(answer_inside);
    *bytes = *all = fake.memory > 0 ? fake.memory : FAKE_CUDA_MEMORY;
    return 0;
}

wlu_cu_result cuDeviceGetAttribute(int *value, int attribute, wlu_cu_device device)
{
    ANSWER_OF(device);
    switch (attribute) {
    case WLU_CU_MULTIPROCESSORS: *value = (device + 1) * FAKE_CUDA_MULTIPROCESSORS; return 0;
    case WLU_CU_SHARED_OPTIN: *value = FAKE_CUDA_SHARED; return 0;
    case WLU_CU_MAJOR: *value = FAKE_CUDA_MAJOR; return 0;
    case WLU_CU_MINOR: *value = FAKE_CUDA_MINOR; return 0;
    default: return INVALID_VALUE;
    }
}

wlu_cu_result cuDevicePrimaryCtxRetain(wlu_cu_handle *out, wlu_cu_device device)
{
    ANSWER_OF(device);
    fake.retained++;
    *out = &context[device];
    return 0;
}

wlu_cu_result cuDevicePrimaryCtxRelease_v2(wlu_cu_device device)
{
    fake.retained--;
    return answer_of(__func__, device);
}

wlu_cu_result cuCtxGetCurrent(wlu_cu_handle *out)
{
    ANSWER(answer);
    *out = current() >= 0 ? &context[current()] : NULL;
    return 0;
}

wlu_cu_result cuCtxGetDevice(wlu_cu_device *device)
{
    ANSWER(answer_inside);
    *device = current();
    return 0;
}

wlu_cu_result cuCtxPushCurrent_v2(wlu_cu_handle pushed)
{
    int device = 0;
    while (device < FAKE_CUDA_DEVICES && pushed != &context[device]) device++;
    fake.misuses += device == FAKE_CUDA_DEVICES || fake.depth >= FAKE_CUDA_DEEP;
    if (device == FAKE_CUDA_DEVICES || fake.depth >= FAKE_CUDA_DEEP) return INVALID_CONTEXT;
    wlu_cu_result result = answer_of(__func__, device);
    if (result != 0 && !fake.sure_contexts) return result;
    fake.on[fake.depth++] = device;
    return 0;
}

wlu_cu_result cuCtxPopCurrent_v2(wlu_cu_handle *out)
{
    int device = current();
    fake.misuses += device < 0;
    if (device < 0) return INVALID_CONTEXT;
    *out = &context[device];
    fake.depth--;
    return answer_of(__func__, device);
}

static wlu_cu_result load_text(wlu_cu_handle *out, const void *image, char why[PTX_WHY_BYTES])
{
    *out = fake_ptx_load(image, current(), why);
    fake.alive += *out != NULL;
    fake.texts += *out != NULL;
    return *out != NULL ? 0 : INVALID_TEXT;
}

/* Of the options, the two that ask for the compiler's words. */
wlu_cu_result cuModuleLoadDataEx(wlu_cu_handle *out, const void *image, unsigned count, int *options, void **values)
{
    ANSWER(answer_inside);
    char why[PTX_WHY_BYTES];
    int right = count == 2 && options[0] == WLU_CU_JIT_ERRORS && options[1] == WLU_CU_JIT_ERRORS_BYTES;
    fake.misuses += !right;
    if (!right) return INVALID_VALUE;
    if (!fake_ptx_is_text(image)) {
        fake.misuses += (uintptr_t)image % 16 != 0;
        *out = &module[current()];
        return 0;
    }
    snprintf(why, sizeof why, "%s", fake.refusal != NULL ? fake.refusal : "");
    wlu_cu_result result = fake.refusal != NULL ? INVALID_TEXT : load_text(out, image, why);
    if (result != 0) snprintf(values[0], (size_t)(uintptr_t)values[1], "%s", why);
    return result;
}

wlu_cu_result cuModuleUnload(wlu_cu_handle unloaded)
{
    int is_text = fake_ptx_unload(unloaded, current());
    fake.alive -= is_text;
    fake.misuses += current() >= 0 && !is_text && unloaded != &module[current()];
    return answer_inside(__func__);
}

wlu_cu_result cuModuleGetFunction(wlu_cu_handle *function, wlu_cu_handle from, const char *name)
{
    ANSWER(answer_inside);
    *function = fake_ptx_find(from, current(), name);
    if (*function != NULL) return 0;
    fake.misuses += from != &module[current()];
    *function = fake_kernel_find(name, current());
    return *function != NULL ? 0 : INVALID_VALUE;
}

wlu_cu_result cuFuncGetAttribute(int *value, int attribute, wlu_cu_handle function)
{
    ANSWER(answer_inside);
    const fake_kernel *kernel = fake_kernel_of(function, current());
    *value = kernel == NULL ? 0 : attribute == WLU_CU_FUNCTION_PTX ? fake.ptx : kernel->taken;
    return kernel != NULL && (attribute == WLU_CU_FUNCTION_SHARED || attribute == WLU_CU_FUNCTION_PTX) ? 0
                                                                                                       : INVALID_VALUE;
}

wlu_cu_result cuFuncSetAttribute(wlu_cu_handle function, int attribute, int value)
{
    ANSWER(answer_inside);
    fake_kernel *kernel = fake_kernel_of(function, current());
    if (attribute == WLU_CU_FUNCTION_CARVEOUT)
        return kernel != NULL && value >= 0 && value <= WLU_CU_CARVEOUT_MOST ? 0 : INVALID_VALUE;
    int fits = kernel != NULL && value <= FAKE_CUDA_SHARED - kernel->taken;
    if (fits) kernel->given[current()] = value;
    return fits && attribute == WLU_CU_FUNCTION_DYNAMIC_SHARED ? 0 : INVALID_VALUE;
}

wlu_cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, wlu_cu_handle function, int threads,
                                                          size_t shared_bytes)
{
    ANSWER(answer_inside);
    const fake_kernel *kernel = fake_kernel_of(function, current());
    const int is_text = fake_ptx_of(function, current()) != NULL;
    fake.misuses += (kernel == NULL && !is_text) || threads < 1;
    if (is_text) {
        *blocks = 1;
        return 0;
    }
    *blocks = kernel == NULL || shared_bytes > (size_t)(FAKE_CUDA_SHARED - kernel->taken) ? 0 : FAKE_CUDA_BLOCKS;
    return 0;
}

static void launch_now(const fake_cuda_launch *launch)
{
    fake.launches++;
    fake.behind += launch->behind;
    if (fake.launch != NULL) fake.launch(launch, fake.user);
}

static int is_captured(wlu_cu_handle stream)
{
    return capturing != NULL && stream == captured;
}

/* Of calls that a capture of this thread forbids. */
static wlu_cu_result answer_outside(const char *entry)
{
    fake.misuses += capturing != NULL;
    return capturing != NULL ? NOT_WHILE_CAPTURING : answer_inside(entry);
}

static wlu_cu_result copy(void *to, const void *from, size_t bytes, wlu_cu_handle stream)
{
    last = "";
    check_property(stream);
    if (is_captured(stream)) return fake_graph_copies(capturing, to, from, bytes) ? 0 : WLU_CU_OUT_OF_MEMORY;
    memcpy(to, from, bytes);
    return 0;
}

/* Where threads of a text's kernel may read and write. */
static void *block_of(void *user, uint64_t address, size_t bytes)
{
    const char *at = (const char *)(uintptr_t)(address - FAKE_CUDA_APART);
    int device = current();
    (void)user;
    int owned = address >= FAKE_CUDA_APART && fake_property_device(at) == device &&
                fake_property_device(at + bytes - 1) == device;
    return owned ? (void *)(uintptr_t)at : NULL;
}

static wlu_cu_result launch_text(const ptx_module *kernel, const wlu_cu_launch *how, void **parameters)
{
    int fits = how->shared_bytes <= FAKE_CUDA_SHARED && how->gx > 0 && how->gy == 1 && how->gz == 1 && how->bx > 0 &&
               how->by == 1 && how->bz == 1 && !is_captured(how->stream);
    if (!fits || (kernel->threads_most > 0 && how->bx > (unsigned)kernel->threads_most)) return INVALID_VALUE;
    check_property(how->stream);
    fake.launches++;
    last = kernel->name;
    last_stream = how->stream;
    return ptx_run(kernel, how->gx, how->bx, how->shared_bytes, parameters, block_of, NULL) ? 0 : ILLEGAL_ADDRESS;
}

/* behind: allowed right behind a factorization alone, and where kernels can wait for its end. */
static wlu_cu_result launch(const wlu_cu_launch *how, int behind, wlu_cu_handle function, void **parameters,
                            void **extra)
{
    const fake_kernel *kernel = fake_kernel_of(function, current());
    int given = kernel != NULL ? kernel->given[current()] : 0;
    int fits = kernel != NULL && how->shared_bytes <= (unsigned)(given > UNASKED ? given : UNASKED) && extra == NULL;
    if (!fits || how->gx == 0 || how->gy == 0 || how->gz != 1 || how->bx == 0 || how->by != 1 || how->bz != 1)
        return INVALID_VALUE;
    if (how->gy > 1 && !kernel->sides) return INVALID_VALUE;
    fake_cuda_launch now = {kernel->name, how->gx, how->gy, how->shared_bytes, behind, current(), parameters};
    check_property(how->stream);
    fake.misuses += behind && (strncmp(last, "wlu_tile_flow", strlen("wlu_tile_flow")) != 0 ||
                               how->stream != last_stream || fake.ptx < FAKE_CUDA_PTX);
    last = kernel->name;
    last_stream = how->stream;
    if (is_captured(how->stream)) return fake_graph_launches(capturing, kernel, &now) ? 0 : WLU_CU_OUT_OF_MEMORY;
    launch_now(&now);
    return 0;
}

wlu_cu_result cuLaunchKernel(wlu_cu_handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                             unsigned bz, unsigned shared_bytes, wlu_cu_handle stream, void **parameters, void **extra)
{
    ANSWER(answer_inside);
    wlu_cu_launch how = {gx, gy, gz, bx, by, bz, shared_bytes, stream, NULL, 0};
    const ptx_module *text = fake_ptx_of(function, current());
    if (text != NULL) return extra == NULL ? launch_text(text, &how, parameters) : INVALID_VALUE;
    return launch(&how, 0, function, parameters, extra);
}

wlu_cu_result cuLaunchKernelEx(const wlu_cu_launch *how, wlu_cu_handle function, void **parameters, void **extra)
{
    ANSWER(answer_inside);
    const wlu_cu_launch_attribute *only = how->attributes;
    const ptx_module *text = fake_ptx_of(function, current());
    if (text != NULL && how->count == 1 && only->id == WLU_CU_LAUNCH_TOGETHER && only->of.value == 1)
        return extra == NULL ? launch_text(text, how, parameters) : INVALID_VALUE;
    if (how->count != 1 || only->id != WLU_CU_LAUNCH_BEHIND || only->of.value != 1) return INVALID_VALUE;
    return launch(how, 1, function, parameters, extra);
}

wlu_cu_result cuMemAlloc_v2(wlu_cu_address *address, size_t bytes)
{
    ANSWER(answer_outside);
    if (bytes == 0) return INVALID_VALUE;
    void *block = acquire(bytes);
    if (block == NULL) return WLU_CU_OUT_OF_MEMORY;
    memset(block, 0xa5, bytes);
    *address = (uintptr_t)block + FAKE_CUDA_APART;
    return 0;
}

wlu_cu_result cuMemFree_v2(wlu_cu_address address)
{
    release(host(address));
    return answer_inside(__func__);
}

wlu_cu_result cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    ANSWER(answer_outside);
    fake.misuses += (flags & WLU_CU_HOST_MAPPED) == 0;
    *pointer = malloc(bytes);
    if (*pointer == NULL) return WLU_CU_OUT_OF_MEMORY;
    fake.alive++;
    return 0;
}

wlu_cu_result cuMemFreeHost(void *pointer)
{
    free(pointer);
    fake.alive--;
    return answer_inside(__func__);
}

wlu_cu_result cuMemHostGetDevicePointer_v2(wlu_cu_address *address, void *pointer, unsigned flags)
{
    ANSWER(answer_inside);
    fake.misuses += flags != 0;
    *address = (uintptr_t)pointer + FAKE_CUDA_APART;
    return 0;
}

wlu_cu_result cuMemcpyHtoDAsync_v2(wlu_cu_address to, const void *from, size_t bytes, wlu_cu_handle stream)
{
    ANSWER(answer_inside);
    return copy(host(to), from, bytes, stream);
}

wlu_cu_result cuMemcpyDtoHAsync_v2(void *to, wlu_cu_address from, size_t bytes, wlu_cu_handle stream)
{
    ANSWER(answer_inside);
    return copy(to, host(from), bytes, stream);
}

wlu_cu_result cuMemcpyDtoDAsync_v2(wlu_cu_address to, wlu_cu_address from, size_t bytes, wlu_cu_handle stream)
{
    ANSWER(answer_inside);
    return copy(host(to), host(from), bytes, stream);
}

wlu_cu_result cuMemsetD8Async(wlu_cu_address to, unsigned char value, size_t count, wlu_cu_handle stream)
{
    ANSWER(answer_inside);
    last = "";
    if (is_captured(stream)) return INVALID_VALUE; /* nobody does */
    memset(host(to), value, count);
    return 0;
}

wlu_cu_result cuMemsetD32Async(wlu_cu_address to, unsigned value, size_t count, wlu_cu_handle stream)
{
    ANSWER(answer_inside);
    last = "";
    if (is_captured(stream)) return INVALID_VALUE; /* nobody does */
    if (to % sizeof value != 0) return INVALID_VALUE;
    for (unsigned *at = host(to), *end = at + count; at < end; at++) *at = value;
    return 0;
}

wlu_cu_result cuMemsetD2D32Async(wlu_cu_address to, size_t pitch, unsigned value, size_t width, size_t rows,
                                 wlu_cu_handle stream)
{
    ANSWER(answer_inside);
    last = "";
    if (is_captured(stream)) return INVALID_VALUE; /* nobody does */
    if (to % sizeof value != 0 || pitch % sizeof value != 0 || width * sizeof value > pitch) return INVALID_VALUE;
    for (size_t row = 0; row < rows; row++)
        for (size_t k = 0; k < width; k++) ((unsigned *)host(to + row * pitch))[k] = value;
    return 0;
}

wlu_cu_result cuStreamCreate(wlu_cu_handle *stream, unsigned flags)
{
    ANSWER(answer_inside);
    fake.misuses += flags != WLU_CU_STREAM_NON_BLOCKING;
    *stream = acquire(1);
    return *stream != NULL ? 0 : WLU_CU_OUT_OF_MEMORY;
}

wlu_cu_result cuStreamDestroy_v2(wlu_cu_handle stream)
{
    release(stream);
    return answer_inside(__func__);
}

wlu_cu_result cuCtxSynchronize(void)
{
    return answer_outside(__func__);
}

wlu_cu_result cuStreamSynchronize(wlu_cu_handle stream)
{
    check_property(stream);
    return is_captured(stream) ? answer_outside(__func__) : answer_inside(__func__);
}

wlu_cu_result cuStreamIsCapturing(wlu_cu_handle stream, int *captures)
{
    ANSWER(answer_inside);
    *captures = is_captured(stream);
    return 0;
}

wlu_cu_result cuStreamBeginCapture_v2(wlu_cu_handle stream, int mode)
{
    ANSWER(answer_inside);
    fake.misuses += mode != WLU_CU_CAPTURE_OF_THREAD || capturing != NULL;
    capturing = fake_graph_create();
    if (capturing == NULL) return WLU_CU_OUT_OF_MEMORY;
    fake.alive++;
    captured = stream;
    return 0;
}

/* The capture ends whatever is answered, and one that failed has no graph. */
wlu_cu_result cuStreamEndCapture(wlu_cu_handle stream, wlu_cu_handle *graph)
{
    wlu_cu_handle ended = capturing;
    fake.misuses += stream != captured || capturing == NULL;
    capturing = NULL;
    wlu_cu_result result = answer_inside(__func__);
    if (result == 0) *graph = ended;
    if (result != 0) {
        fake_graph_free(ended);
        fake.alive--;
    }
    return result;
}

wlu_cu_result cuGraphInstantiateWithFlags(wlu_cu_handle *made, wlu_cu_handle graph, unsigned long long flags)
{
    ANSWER(answer_inside);
    fake.misuses += flags != 0;
    fake_graph *to = fake_graph_create();
    if (to == NULL || !fake_graph_join(to, graph)) {
        fake_graph_free(to);
        return WLU_CU_OUT_OF_MEMORY;
    }
    fake.alive++;
    *made = to;
    return 0;
}

wlu_cu_result cuGraphLaunch(wlu_cu_handle made, wlu_cu_handle stream)
{
    ANSWER(answer_inside);
    fake.misuses += is_captured(stream);
    if (is_captured(stream)) return NOT_WHILE_CAPTURING;
    fake.graphs++;
    fake_graph_run(made, launch_now);
    return 0;
}

static wlu_cu_result destroy_graph(fake_graph *g, const char *entry)
{
    fake_graph_free(g);
    fake.alive--;
    return answer_inside(entry);
}

wlu_cu_result cuGraphDestroy(wlu_cu_handle graph)
{
    return destroy_graph(graph, __func__);
}

wlu_cu_result cuGraphExecDestroy(wlu_cu_handle made)
{
    return destroy_graph(made, __func__);
}
