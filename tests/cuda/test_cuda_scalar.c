/* Scalar programs of the benchmark `levels`: their vectors against the definition's counts, a vector's records in any
 * order against the order of emission, and the benchmark's replays on the fake driver. */
#include "check.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "fake_cuda.h"
#include "replay.h"
#include "support/build.h"
#include "support/options.h"

enum { NMAX = 30, TRIES = 100 };

static fake_cuda *fake;
static uint64_t seed = 4711;
static int mixed;

static void *on_host(const void *x)
{
    return (void *)((uintptr_t)x - FAKE_CUDA_APART);
}

/* Record `at` of a vector, in double or single precision. */
static void run_record(const scalar_records *r, const scalar_vector *x, int64_t at, double *v, float *f)
{
    int opcode = x->opcode != WLU_OPCODES ? x->opcode : r->opcode[at];
    int32_t t = r->t[at], a = r->a[at], b = r->b[at];
    if (opcode == WLU_MSUB && v != NULL) v[t] = fma(-v[a], v[b], v[t]);
    if (opcode == WLU_MSUB && f != NULL) f[t] = fmaf(-f[a], f[b], f[t]);
    if (opcode == WLU_DIV && v != NULL) v[t] /= v[a];
    if (opcode == WLU_DIV && f != NULL) f[t] /= f[a];
}

/* The kernels: a vector's threads, the last one first. */
static void kernel(const fake_cuda_launch *launch, void *user)
{
    const scalar_records *on_device = launch->parameters[0];
    const scalar_vector *x = launch->parameters[1];
    scalar_records r = {on_host(on_device->t), on_host(on_device->a), on_host(on_device->b),
                        on_host(on_device->opcode)};
    void *v = on_host(*(void **)launch->parameters[2]);
    int *wrong = user, single = strcmp(launch->kernel, "scalar_float") == 0;
    *wrong += (int64_t)launch->grid * SCALAR_THREADS < x->count;
    mixed += x->opcode == WLU_OPCODES;
    for (int64_t k = x->first + x->count - 1; k >= x->first; k--)
        run_record(&r, x, k, single ? NULL : v, single ? v : NULL);
}

static void replay_all(test_build *b, const replay_kernels *kernels)
{
    wlu_levels levels;
    CHECK(wlu_levels_find(&b->ctx, b->analysis->a, b->pivots, 1, &levels) == WARPLU_SUCCESS);
    for (int split = 0; split <= 1; split++) {
        scalar_program p;
        CHECK(scalar_create(&b->ctx, b->analysis->a, b->pivots, b->entries, split, &p) == WARPLU_SUCCESS);
        CHECK(p.nrecords == levels.records && p.nvectors == (split ? levels.vectors : levels.levels) &&
              p.longest == (split ? levels.longest_vector : levels.longest_level));
        for (int form = 0; form < 4; form++) {
            replay_times t = {.same_bits = 0};
            CHECK(replay_time(&b->ctx, kernels, &p, form / 2, form % 2, 2, &t) == WARPLU_SUCCESS);
            CHECK_SAY(t.same_bits && t.least_ms <= t.median_ms && t.median_ms <= t.most_ms, "split %d, form %d", split,
                      form);
        }
        scalar_free(&p);
    }
}

static void vectors_are_the_stream(void)
{
    replay_kernels kernels;
    wlu_context ctx;
    int wrong = 0;
    wlu_context_init(&ctx, NULL);
    fake->launch = kernel;
    fake->user = &wrong;
    CHECK(replay_open(&ctx, &kernels) == WARPLU_SUCCESS);
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        warplu_options o;
        test_matrix m;
        test_build b;
        check_init_options(&o);
        test_matrix_random(&m, &seed, &r);
        if (test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS) {
            replay_all(&b, &kernels);
            test_build_free(&b);
        }
        test_matrix_free(&m);
    }
    replay_close(&kernels);
    CHECK(wrong == 0 && mixed > 0 && fake->alive == 0 && fake->misuses == 0 && fake->graphs > 0);
    printf("# %lld launches, %d of mixed vectors\n", (long long)fake->launches, mixed);
}

int main(void)
{
    fake_cuda_state_fn *state;
    void *library = dlopen(FAKE_CUDA_PATH, RTLD_NOW),
         *symbol = library != NULL ? dlsym(library, "fake_cuda_state") : NULL;
    memcpy(&state, &symbol, sizeof state);
    if (symbol == NULL || setenv("WARPLU_LIBCUDA", FAKE_CUDA_PATH, 1) != 0) return 1;
    fake = state();
    RUN(vectors_are_the_stream);
    return check_done();
}
