/* A program packed for the emulated device, in whose image one thing is spoiled. In a header because check.h counts
 * failures per test file. */
#ifndef WLU_TEST_FAULT_H
#define WLU_TEST_FAULT_H

#include "equivalence/compare.h"

#include "emulator/emulate.h"
#include "support/options.h"

typedef struct fault {
    test_build b;
    test_replay device;
    test_matrix m;
    wlu_device_program *program; /* of the image, to be spoiled */
} fault;

/* A mesh, all DOT or all TILE or both. */
static inline void open_fault(fault *f, test_region region)
{
    uint64_t seed = 31337;
    const test_recipe recipe = {.shape = TEST_GRID, .n = 100};
    wlu_cost cost = test_region_cost(region);
    warplu_options o;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_AMD;
    test_matrix_random(&f->m, &seed, &recipe);
    CHECK(test_build_pivots(&f->b, &o, &f->m) == WARPLU_SUCCESS && test_build_program(&f->b, &cost) == WARPLU_SUCCESS);
    CHECK(test_replay_open(&f->device, &f->b, "emulate"));
    f->program = (wlu_device_program *)&wlu_emulate_image(f->device.image, WLU_STREAM_FACTOR)->program;
}

static inline void close_fault(fault *f)
{
    test_replay_close(&f->device, &f->b);
    test_build_free(&f->b);
    test_matrix_free(&f->m);
}

static inline warplu_status replay(fault *f, const wlu_emulate_mode *mode)
{
    CHECK(wlu_emulate_schedule(&f->b.ctx, f->device.state, mode) == WARPLU_SUCCESS);
    f->b.ctx.last_message[0] = '\0';
    return wlu_state_refactor(&f->b.ctx, f->device.state, f->m.x);
}

static inline void expect_sound(fault *f)
{
    const wlu_emulate_mode in_order = wlu_emulate_in_order();
    warplu_status status = replay(f, &in_order);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", f->b.ctx.last_message);
}

static inline warplu_status solve(fault *f)
{
    double x[100], largest;
    f->b.ctx.last_message[0] = '\0';
    return test_replay_solve(&f->device, WLU_STREAM_SOLVE, f->m.x, x, &largest);
}

/* One look that finds a slot missing takes it as it is, as if a poll were not there: of replays, or of solves, look
 * after look. All have to be reported. */
static inline void fault_look_away(int solves)
{
    int64_t tried = 0, reported = 0;
    for (int region = 0; region < TEST_REGIONS; region++) {
        fault f;
        open_fault(&f, (test_region)region);
        for (int64_t blind = 1; blind < 400; blind += 7) {
            wlu_emulate_mode mode = {
                .seed = 77, .blocks = 4, .residents = 4, .bundle_blocks = 4, .warps = 3, .delay = 30};
            CHECK(replay(&f, &mode) == WARPLU_SUCCESS && (!solves || solve(&f) == WARPLU_SUCCESS));
            if (wlu_emulate_looks_in_vain(f.device.state, solves ? WLU_STREAM_SOLVE : WLU_STREAM_FACTOR) < blind) break;
            mode.blind = blind;
            tried++;
            if (solves) CHECK(wlu_emulate_schedule(&f.b.ctx, f.device.state, &mode) == WARPLU_SUCCESS);
            warplu_status status = solves ? solve(&f) : replay(&f, &mode);
            int found = status == WARPLU_INTERNAL && strstr(f.b.ctx.last_message, "not there yet") != NULL;
            CHECK_SAY(found, "look %lld: %s", (long long)blind, f.b.ctx.last_message);
            reported += found;
        }
        close_fault(&f);
    }
    printf("# %lld of %lld were reported\n", (long long)reported, (long long)tried);
    CHECK(tried > 100);
}

#endif
