/* The emulated device reports what a device would show as a hang, or as a wrong number now and then: programs are packed, one thing is
 * spoiled in the image, and the replay has to answer WARPLU_INTERNAL and say what it found. */
#include "equivalence/compare.h"

#include "exec/emulate/emulate.h"

typedef struct fault {
    test_build b;
    test_replay device;
    test_matrix m;
    wlu_device_program *program; /* of the image, to be spoiled */
} fault;

/* A mesh, all DOT or all TILE or both. */
static void open_fault(fault *f, test_region region)
{
    uint64_t seed = 31337;
    const test_recipe recipe = {.shape = TEST_GRID, .n = 100};
    wlu_cost cost = test_region_cost(region);
    warplu_options o;
    warplu_options_init(&o);
    o.ordering = WARPLU_ORDER_AMD;
    test_matrix_random(&f->m, &seed, &recipe);
    CHECK(test_build_pivots(&f->b, &o, &f->m) == WARPLU_SUCCESS && test_build_program(&f->b, &cost) == WARPLU_SUCCESS);
    CHECK(test_replay_open(&f->device, &f->b, "emulate"));
    f->program = (wlu_device_program *)&wlu_emulate_image(f->device.image)->program;
}

static void close_fault(fault *f)
{
    test_replay_close(&f->device, &f->b);
    test_build_free(&f->b);
    test_matrix_free(&f->m);
}

static warplu_status replay(fault *f, const wlu_emulate_mode *mode)
{
    CHECK(wlu_emulate_schedule(&f->b.ctx, f->device.image, f->device.state, mode) == WARPLU_SUCCESS);
    f->b.ctx.last_message[0] = '\0';
    return f->device.executor->refactor(&f->b.ctx, f->device.image, f->device.state, f->m.x);
}

/* In order, and under another schedule, it is found, in these words. */
static void expect(fault *f, const char *words)
{
    const wlu_emulate_mode in_order = wlu_emulate_in_order(),
                           crowd = {.seed = 5, .blocks = 7, .residents = 7, .bundle_blocks = 7, .warps = 2, .delay = 20};
    for (int way = 0; way < 2; way++) {
        warplu_status status = replay(f, way ? &crowd : &in_order);
        CHECK_SAY(status == WARPLU_INTERNAL && strstr(f->b.ctx.last_message, words) != NULL, "%s: %s, expected '%s'",
                  warplu_status_name(status), f->b.ctx.last_message, words);
    }
}

static void expect_sound(fault *f)
{
    const wlu_emulate_mode in_order = wlu_emulate_in_order();
    warplu_status status = replay(f, &in_order);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", f->b.ctx.last_message);
}

static wlu_bundle *bundle(fault *f, int32_t k)
{
    return (wlu_bundle *)&f->program->dot.bundle[k];
}

static wlu_device_record *record(fault *f, int32_t k)
{
    return (wlu_device_record *)&f->program->dot.record[k];
}

/* The last bundle with records, and the first. */
static int32_t find_records(fault *f, int last)
{
    int32_t k = last ? f->program->dot.bundles - 1 : 0;
    while (bundle(f, k)->shape > WLU_BUNDLE_LONG) k += last ? -1 : 1;
    return k;
}

/* ------------------------------------------------------------------ faults */

/* The first bundle with records behind the last one: whoever comes to a reader of it first waits for what nobody has taken. */
static void reversed_tickets_of_bundles(void)
{
    fault f;
    open_fault(&f, TEST_ALL_DOT);
    int32_t first = find_records(&f, 0), last = find_records(&f, 1);
    wlu_bundle kept = *bundle(&f, first);
    *bundle(&f, first) = *bundle(&f, last);
    *bundle(&f, last) = kept;
    const wlu_emulate_mode in_order = wlu_emulate_in_order();
    CHECK(replay(&f, &in_order) == WARPLU_INTERNAL && strstr(f.b.ctx.last_message, "deadlock: bundle") != NULL);
    printf("# %s\n", f.b.ctx.last_message);
    *bundle(&f, last) = *bundle(&f, first);
    *bundle(&f, first) = kept;
    expect_sound(&f); /* a replay that failed leaves the state fit for another */
    close_fault(&f);
}

static void reversed_tickets_of_tiles(void)
{
    fault f;
    open_fault(&f, TEST_ALL_TILE);
    wlu_device_tile *tile = (wlu_device_tile *)f.program->tile;
    int32_t last = f.program->tiles - 1;
    CHECK(last > 0 && tile[last].sources > 0);
    wlu_device_tile kept = tile[0];
    tile[0] = tile[last];
    tile[last] = kept;
    const wlu_emulate_mode in_order = wlu_emulate_in_order();
    CHECK(replay(&f, &in_order) == WARPLU_INTERNAL && strstr(f.b.ctx.last_message, "deadlock: tile") != NULL);
    printf("# %s\n", f.b.ctx.last_message);
    close_fault(&f);
}

static void a_record_is_missing(void)
{
    fault f;
    open_fault(&f, TEST_ALL_DOT);
    bundle(&f, find_records(&f, 0))->records--;
    expect(&f, "which is nobody's");
    close_fault(&f);
}

static void nobody_waits_for_what_is_missing(void)
{
    fault f;
    open_fault(&f, TEST_ALL_DOT);
    bundle(&f, f.program->dot.bundles - 1)->shape = WLU_BUNDLE_SHORT;
    bundle(&f, f.program->dot.bundles - 1)->records = 0;
    bundle(&f, f.program->dot.bundles - 1)->steps = 0;
    expect_sound(&f); /* guards publish nothing */
    close_fault(&f);
}

static void a_slot_is_written_twice(void)
{
    fault f;
    open_fault(&f, TEST_MIXED);
    int32_t k = bundle(&f, find_records(&f, 1))->first;
    record(&f, k)->target = record(&f, bundle(&f, find_records(&f, 0))->first)->target;
    expect(&f, "is written twice");
    close_fault(&f);
}

static void a_slot_outside(void)
{
    fault f;
    open_fault(&f, TEST_ALL_DOT);
    int32_t *operand = (int32_t *)f.program->dot.operand, kept, at = 2 * WLU_WARP * bundle(&f, find_records(&f, 1))->operand;
    kept = operand[at];
    operand[at] = f.program->slots;
    expect(&f, "reads slot");
    operand[at] = kept;
    record(&f, bundle(&f, find_records(&f, 1))->first)->target = f.program->zero;
    expect(&f, "writes slot");
    close_fault(&f);
}

static void padding_that_waits(void)
{
    fault f;
    open_fault(&f, TEST_ALL_DOT);
    f.program->zero++; /* what padding points to is a slot that nobody writes */
    const wlu_emulate_mode in_order = wlu_emulate_in_order();
    CHECK(replay(&f, &in_order) == WARPLU_INTERNAL && strstr(f.b.ctx.last_message, "before the replay") != NULL);
    expect(&f, "which is nobody's"); /* slots are now as they should be */
    close_fault(&f);
}

static void operands_outside(void)
{
    fault f;
    open_fault(&f, TEST_ALL_DOT);
    bundle(&f, find_records(&f, 1))->steps += 1000000;
    expect(&f, "takes");
    close_fault(&f);
}

static void a_value_outside(void)
{
    fault f;
    open_fault(&f, TEST_ALL_TILE);
    wlu_tile_load *load = (wlu_tile_load *)f.program->load;
    load[0].from = f.m.nnz;
    expect(&f, "reads value");
    close_fault(&f);
}

static void a_source_that_does_not_fit(void)
{
    fault f;
    open_fault(&f, TEST_ALL_TILE);
    const wlu_device_tile *tile = &f.program->tile[f.program->tiles - 1];
    ((wlu_device_source *)f.program->source)[tile->source + tile->sources - 1].at++;
    expect(&f, "has a source of");
    close_fault(&f);
}

static warplu_status solve(fault *f)
{
    double x[100], largest;
    f->b.ctx.last_message[0] = '\0';
    return f->device.executor->solve(&f->b.ctx, f->device.image, f->device.state, WLU_STREAM_SOLVE, f->m.x, x, &largest);
}

static void reversed_tickets_of_a_solve(void)
{
    fault f;
    open_fault(&f, TEST_ALL_TILE);
    expect_sound(&f);
    CHECK(solve(&f) == WARPLU_SUCCESS);
    const wlu_device_solve *d = &wlu_emulate_solve_image(f.device.image, WLU_STREAM_SOLVE)->solve;
    wlu_solve_tile *tile = (wlu_solve_tile *)d->tile, kept = tile[0];
    tile[0] = tile[d->tiles - 1];
    tile[d->tiles - 1] = kept;
    expect_sound(&f); /* a machine of its own looks at the image again */
    CHECK_SAY(solve(&f) == WARPLU_INTERNAL && strstr(f.b.ctx.last_message, "deadlock: tile") != NULL, "%s", f.b.ctx.last_message);
    close_fault(&f);
}

static void a_row_outside_of_the_factors(void)
{
    fault f;
    open_fault(&f, TEST_ALL_TILE);
    const wlu_device_solve *d = &wlu_emulate_solve_image(f.device.image, WLU_STREAM_SOLVE)->solve;
    ((wlu_solve_pull *)d->pull)[0].row = d->split - 7;
    expect_sound(&f);
    CHECK_SAY(solve(&f) == WARPLU_INTERNAL && strstr(f.b.ctx.last_message, "takes a row from") != NULL, "%s", f.b.ctx.last_message);
    close_fault(&f);
}

/* One look that finds a slot missing takes it as it is: as if a poll were not there. */
static void a_poll_is_missing(void)
{
    int64_t tried = 0, reported = 0;
    for (int region = 0; region < TEST_REGIONS; region++) {
        fault f;
        open_fault(&f, (test_region)region);
        for (int64_t blind = 1; blind < 400; blind += 7) {
            wlu_emulate_mode mode = {
                .seed = 77, .blocks = 4, .residents = 4, .bundle_blocks = 4, .warps = 3, .delay = 30};
            CHECK(replay(&f, &mode) == WARPLU_SUCCESS);
            if (wlu_emulate_looks_in_vain(f.device.state) < blind) break;
            mode.blind = blind;
            tried++;
            warplu_status status = replay(&f, &mode);
            int found = status == WARPLU_INTERNAL && strstr(f.b.ctx.last_message, "not there yet") != NULL;
            CHECK_SAY(found, "look %lld: %s", (long long)blind, f.b.ctx.last_message);
            reported += found;
        }
        close_fault(&f);
    }
    printf("# %lld of %lld were reported\n", (long long)reported, (long long)tried);
    CHECK(tried > 100);
}

/* What a replay before this one left behind is not taken for this one's. */
static void leftovers_of_another_replay(void)
{
    fault f;
    open_fault(&f, TEST_ALL_DOT);
    expect_sound(&f);
    double *other = wlu_emulate_slots(f.device.state, 1);
    int32_t slot = record(&f, bundle(&f, find_records(&f, 0))->first)->target;
    other[slot] = 1.0;
    const wlu_emulate_mode in_order = wlu_emulate_in_order();
    CHECK(replay(&f, &in_order) == WARPLU_INTERNAL && strstr(f.b.ctx.last_message, "before the replay") != NULL);
    close_fault(&f);
}

int main(void)
{
    RUN(reversed_tickets_of_bundles);
    RUN(reversed_tickets_of_tiles);
    RUN(a_record_is_missing);
    RUN(nobody_waits_for_what_is_missing);
    RUN(a_slot_is_written_twice);
    RUN(a_slot_outside);
    RUN(padding_that_waits);
    RUN(operands_outside);
    RUN(a_value_outside);
    RUN(a_source_that_does_not_fit);
    RUN(reversed_tickets_of_a_solve);
    RUN(a_row_outside_of_the_factors);
    RUN(a_poll_is_missing);
    RUN(leftovers_of_another_replay);
    return check_done();
}
