/* Machines without a device and builds without the executor: each case in a process of its own, for a driver is opened
 * once. */
#include "check.h"

#include "fake_cuda.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char said[512];

static void hear(warplu_status status, const char *text, void *user)
{
    (void)status;
    (void)user;
    snprintf(said, sizeof said, "%s", text);
}

static fake_cuda *fake_of(const char *path)
{
    fake_cuda_state_fn *state;
    void *library = dlopen(path, RTLD_NOW), *symbol = library != NULL ? dlsym(library, "fake_cuda_state") : NULL;
    memcpy(&state, &symbol, sizeof state);
    return symbol != NULL ? state() : NULL;
}

/* The status of creating a solver on a device whose driver is this file; its call number fail_at fails. */
static warplu_status create(const char *driver, int64_t fail_at)
{
    warplu_solver *s = NULL;
    warplu_options o;
    warplu_init_options(&o);
    o.executor = WARPLU_EXECUTOR_CUDA;
    o.message = hear;
    setenv("WARPLU_LIBCUDA", driver, 1);
    if (fail_at > 0) {
        fake_cuda *fake = fake_of(driver);
        if (fake == NULL) return WARPLU_INTERNAL;
        fake->fail_at = fail_at;
        fake->failure = WLU_CU_NO_DEVICE;
    }
    warplu_status status = warplu_create(&s, &o);
    if (status < 0 && s != NULL) status = WARPLU_INTERNAL;
    warplu_destroy(&s);
    return status;
}

/* Notes a failure unless a process of its own is answered so, for a reason that has these words. */
static void expect(const char *driver, int64_t fail_at, warplu_status expected, const char *words)
{
    int ended = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        warplu_status status = create(driver, fail_at);
        int right = status == expected && strstr(said, words) != NULL;
        if (!right) printf("# %s: %s, '%s'\n", driver, warplu_status_name(status), said);
        fflush(stdout);
        _exit(!right);
    }
    CHECK(child > 0 && waitpid(child, &ended, 0) == child);
    CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}

static void no_driver(void)
{
    expect("/no/such/libcuda.so.1", 0, WARPLU_NO_DEVICE, "/no/such/libcuda.so.1");
}

static void not_a_driver(void)
{
    expect("libm.so.6", 0, WARPLU_NO_DEVICE, "cuInit");
}

static void no_device(void)
{
    expect(FAKE_CUDA_PATH, 1, WARPLU_NO_DEVICE, "no device");
    expect(FAKE_CUDA_PATH, 2, WARPLU_NO_DEVICE, "no device");
}

static void a_device(void)
{
    expect(FAKE_CUDA_PATH, 0, WARPLU_SUCCESS, "");
}

static void not_compiled(void)
{
    expect(FAKE_CUDA_PATH, 0, WARPLU_NOT_COMPILED, "CUDA");
}

/* AUTO asks no driver. */
static void nobody_asks(void)
{
    warplu_solver *s = NULL;
    fake_cuda *fake = fake_of(FAKE_CUDA_PATH);
    setenv("WARPLU_LIBCUDA", FAKE_CUDA_PATH, 1);
    CHECK(fake != NULL && warplu_create(&s, NULL) == WARPLU_SUCCESS);
    CHECK(fake != NULL && fake->calls == 0);
    warplu_destroy(&s);
}

static void one_thread(void)
{
    warplu_solver *s = NULL;
    warplu_options o;
    warplu_init_options(&o);
    o.executor = WARPLU_EXECUTOR_CUDA;
    o.threads = 2;
    CHECK(warplu_create(&s, &o) == WARPLU_THREADS_UNSUPPORTED && s == NULL);
}

int main(void)
{
    RUN(nobody_asks);
    RUN(one_thread);
    if (WLU_TEST_CUDA) {
        RUN(no_driver);
        RUN(not_a_driver);
        RUN(no_device);
        RUN(a_device);
    } else {
        RUN(not_compiled);
    }
    return check_done();
}
