/* The emulated device reports what a device would show as a hang, or as a wrong number now and then: programs are
 * packed, one thing is spoiled in the image, and the replay has to answer WARPLU_INTERNAL and say what it found. */
#include "fault.h"

/* In order, and under another schedule, it is found, in these words. */
static void expect(fault *f, const char *words)
{
    const wlu_emulate_mode in_order = wlu_emulate_in_order(),
                           crowd = {
                               .seed = 5, .blocks = 7, .residents = 7, .bundle_blocks = 7, .warps = 2, .delay = 20};
    for (int way = 0; way < 2; way++) {
        warplu_status status = replay(f, way ? &crowd : &in_order);
        CHECK_SAY(status == WARPLU_INTERNAL && strstr(f->b.ctx.last_message, words) != NULL, "%s: %s, expected '%s'",
                  warplu_status_name(status), f->b.ctx.last_message, words);
    }
}

static wlu_bundle *bundle(fault *f, int32_t k)
{
    return (wlu_bundle *)&f->program->dot.bundle[k];
}

static wlu_device_instruction *record(fault *f, int32_t k)
{
    return (wlu_device_instruction *)&f->program->dot.record[k];
}

/* The last bundle with records, and the first. */
static int32_t find_records(fault *f, int last)
{
    int32_t k = last ? f->program->dot.bundles - 1 : 0;
    while (bundle(f, k)->shape > WLU_BUNDLE_WIDE) k += last ? -1 : 1;
    return k;
}

/* ------------------------------------------------------------------ faults */

/* The first bundle with records behind the last one: whoever comes to a reader of it first waits for what nobody has
 * taken. */
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
    int32_t *operand = (int32_t *)f.program->dot.operand, kept,
            at = 2 * WLU_WARP * bundle(&f, find_records(&f, 1))->operand;
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

static void chunks_that_are_miscounted(void)
{
    fault f;
    open_fault(&f, TEST_ALL_TILE);
    ((wlu_device_tile *)f.program->tile)[f.program->tiles - 1].chunks--;
    expect(&f, "chunks; its sources");
    close_fault(&f);
}

static void a_poll_is_missing(void)
{
    fault_look_away(0);
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
    RUN(chunks_that_are_miscounted);
    RUN(a_poll_is_missing);
    RUN(leftovers_of_another_replay);
    return check_done();
}
