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
    while (bundle(f, k)->shape > WLU_BUNDLE_WIDE) k += last ? -1 : 1;
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

/* ---------------------------------------------------------------- of solves */

static const wlu_device_solve *solve_of(fault *f)
{
    return &wlu_emulate_solve_image(f->device.image, WLU_STREAM_SOLVE)->solve;
}

static wlu_solve_task *task(fault *f, int32_t q)
{
    return (wlu_solve_task *)&solve_of(f)->task[q];
}

/* The first task of a kind, or, if it is to have places, the first that has. */
static int32_t find_task(fault *f, wlu_solve_work kind, int places)
{
    int32_t q = 0;
    while (q + 1 < solve_of(f)->tasks && (task(f, q)->kind != (int32_t)kind || (places && task(f, q)->places == 0))) q++;
    CHECK(task(f, q)->kind == (int32_t)kind && (!places || task(f, q)->places > 0));
    return q;
}

/* A machine of its own looks at the image again: in order, and under another schedule, a solve answers in these words. */
static void expect_in_solve(fault *f, const char *words)
{
    const wlu_emulate_mode in_order = wlu_emulate_in_order(),
                           crowd = {.seed = 5, .blocks = 7, .residents = 7, .bundle_blocks = 7, .warps = 2, .delay = 20};
    for (int way = 0; way < 2; way++) {
        CHECK_SAY(replay(f, way ? &crowd : &in_order) == WARPLU_SUCCESS, "%s", f->b.ctx.last_message);
        warplu_status status = solve(f);
        CHECK_SAY(status == WARPLU_INTERNAL && strstr(f->b.ctx.last_message, words) != NULL, "%s: %s, expected '%s'",
                  warplu_status_name(status), f->b.ctx.last_message, words);
    }
}

static void expect_sound_solve(fault *f)
{
    expect_sound(f);
    CHECK_SAY(solve(f) == WARPLU_SUCCESS, "%s", f->b.ctx.last_message);
}

/* A range's back substitution before any range's forward one: one block alone does not get there. */
static void a_queue_out_of_order(void)
{
    fault f;
    open_fault(&f, TEST_ALL_TILE);
    expect_sound_solve(&f);
    wlu_solve_task *forward = task(&f, find_task(&f, WLU_TASK_FORWARD, 0)), *back = task(&f, find_task(&f, WLU_TASK_BACK, 0));
    wlu_solve_task kept = *forward;
    *forward = *back;
    *back = kept;
    expect_sound(&f);
    CHECK_SAY(solve(&f) == WARPLU_INTERNAL && strstr(f.b.ctx.last_message, "deadlock: task") != NULL, "%s", f.b.ctx.last_message);
    printf("# %s\n", f.b.ctx.last_message);
    *back = *forward;
    *forward = kept;
    expect_sound_solve(&f);
    close_fault(&f);
}

static void tasks_that_are_no_partition(void)
{
    fault f;
    open_fault(&f, TEST_MIXED);
    expect_sound_solve(&f);
    wlu_solve_task *last = task(&f, solve_of(&f)->tasks - 1), *forward = task(&f, find_task(&f, WLU_TASK_FORWARD, 0)), kept = *forward;
    ((wlu_device_solve *)solve_of(&f))->tasks--; /* nobody stores the unknowns */
    expect_in_solve(&f, "is in no task");
    ((wlu_device_solve *)solve_of(&f))->tasks++;
    last->count = 0;
    expect_in_solve(&f, "has 0 from bundle behind");
    last->count = solve_of(&f)->after.bundles - last->first;
    last->kind = WLU_TASK_BACK + 1;
    expect_in_solve(&f, "of kind 6");
    last->kind = WLU_TASK_AFTER;
    *forward = *task(&f, find_task(&f, WLU_TASK_BACK, 0));
    expect_in_solve(&f, "is in tasks");
    *forward = kept;
    forward->count = solve_of(&f)->tiles + 1;
    expect_in_solve(&f, "tile forward");
    *forward = kept;
    expect_sound_solve(&f);
    close_fault(&f);
}

/* The first operand or start of bundles behind the task's first one that is a place. */
static int32_t *find_place(fault *f, const wlu_solve_task *t, int32_t *before)
{
    const wlu_device_stream *d = t->kind == WLU_TASK_AFTER ? &solve_of(f)->after : &solve_of(f)->before;
    for (int32_t k = t->first + 1; k < t->first + t->count; k++) {
        int32_t *pair = (int32_t *)d->operand + 2 * WLU_WARP * (int64_t)d->bundle[k].operand;
        *before = d->bundle[k].first - d->bundle[t->first].first;
        for (int64_t q = 0; q < 2 * WLU_WARP * (int64_t)d->bundle[k].steps; q++)
            if (pair[q] < 0) return &pair[q];
    }
    return NULL;
}

/* A place of the bundle that asks for it, which is as well as never there; and one of a task that has none. */
static void a_wrong_place(void)
{
    fault f;
    int32_t before = 0;
    open_fault(&f, TEST_ALL_DOT);
    wlu_solve_task *t = task(&f, find_task(&f, WLU_TASK_BEFORE, 1));
    int32_t *operand = find_place(&f, t, &before), kept = operand != NULL ? *operand : 0, places = t->places;
    CHECK(operand != NULL);
    if (operand == NULL) return;
    *operand = ~before;
    expect_in_solve(&f, "reads place");
    *operand = INT32_MIN;
    expect_in_solve(&f, "reads place");
    *operand = kept;
    t->places = 0;
    expect_in_solve(&f, "reads place");
    t->places = places - 1;
    expect_in_solve(&f, "places for");
    t->places = places;
    expect_sound_solve(&f);
    close_fault(&f);
}

/* Rows of a tile that go to one of its own pivots, twice to one, to one behind the range. */
static void a_wrong_target(void)
{
    fault f;
    open_fault(&f, TEST_ALL_TILE);
    const wlu_device_solve *d = solve_of(&f);
    int32_t q = 0;
    while (q + 1 < d->tiles && d->tile[q].lowers < 2) q++;
    int32_t *target = (int32_t *)d->target + d->tile[q].lower_target, kept = target[0], last = d->tile[q].lowers - 1;
    CHECK(last >= 1);
    target[0] = d->tile[q].first;
    expect_in_solve(&f, "has a row for pivot");
    target[0] = target[1];
    expect_in_solve(&f, "has a row for pivot");
    target[0] = kept;
    kept = target[last];
    target[last] = d->tiled;
    expect_in_solve(&f, "has a row for pivot");
    target[last] = kept;
    expect_sound_solve(&f);
    close_fault(&f);
}

/* Where a range begins: a slot that nobody writes, and another pivot's. */
static void a_wrong_start(void)
{
    fault f;
    open_fault(&f, TEST_ALL_TILE);
    const wlu_device_solve *d = solve_of(&f);
    int32_t *start = (int32_t *)d->start, at = 0;
    while (at + 1 < d->tiled && d->forward[at + 1] == d->forward[at]) at++;
    CHECK(d->forward[at + 1] > d->forward[at]);
    int32_t kept = start[at];
    start[at] = d->z;
    expect_in_solve(&f, "is written twice");
    start[at] = d->slots;
    expect_in_solve(&f, "writes slot");
    start[at] = kept;
    for (at = 0; at + 1 < d->tiled && d->forward[at + 1] > d->forward[at]; at++) continue;
    start[at] = d->zero + 1; /* the trash slot */
    expect_in_solve(&f, "which is nobody's");
    close_fault(&f);
}

static void a_row_outside_of_the_factors(void)
{
    fault f;
    open_fault(&f, TEST_ALL_TILE);
    const wlu_device_solve *d = solve_of(&f);
    ((wlu_solve_pull *)d->pull)[0].row = d->split - 7;
    expect_in_solve(&f, "takes a row from");
    close_fault(&f);
    open_fault(&f, TEST_ALL_TILE);
    d = solve_of(&f);
    ((wlu_solve_tile *)d->tile)[d->tiles - 1].upper = d->split - 7;
    expect_in_solve(&f, "takes");
    close_fault(&f);
}

/* -------------------------------------------------------------- missing polls */

/* One look that finds a slot missing takes it as it is: as if a poll were not there. Of a replay, or of a solve. */
static warplu_status look_away(fault *f, int solves, wlu_emulate_mode *mode, int64_t *looks)
{
    int64_t blind = mode->blind;
    mode->blind = 0;
    CHECK(replay(f, mode) == WARPLU_SUCCESS);
    if (solves) CHECK(solve(f) == WARPLU_SUCCESS);
    *looks = solves ? wlu_emulate_looks_of_solve(f->device.state) : wlu_emulate_looks_in_vain(f->device.state);
    mode->blind = blind;
    if (*looks < blind) return WARPLU_SUCCESS;
    if (!solves) return replay(f, mode);
    CHECK(wlu_emulate_schedule(&f->b.ctx, f->device.image, f->device.state, mode) == WARPLU_SUCCESS);
    return solve(f);
}

static void a_poll_is_missing(void)
{
    int64_t tried[2] = {0}, reported[2] = {0};
    for (int way = 0; way < 2 * TEST_REGIONS; way++) {
        fault f;
        int64_t looks = INT64_MAX;
        int solves = way % 2;
        open_fault(&f, (test_region)(way / 2));
        for (int64_t blind = 1; blind < 400; blind += 7) {
            wlu_emulate_mode mode = {
                .seed = 77, .blocks = 4, .residents = 4, .bundle_blocks = 4, .warps = 3, .delay = 30, .blind = blind};
            warplu_status status = look_away(&f, solves, &mode, &looks);
            if (looks < blind) break;
            tried[solves]++;
            int found = status == WARPLU_INTERNAL && strstr(f.b.ctx.last_message, "not there yet") != NULL;
            CHECK_SAY(found, "look %lld: %s", (long long)blind, f.b.ctx.last_message);
            reported[solves] += found;
        }
        close_fault(&f);
    }
    for (int solves = 0; solves < 2; solves++)
        printf("# %lld of %lld were reported\n", (long long)reported[solves], (long long)tried[solves]);
    CHECK(tried[0] > 100 && tried[1] > 100);
}

/* ------------------------------------------------------------------ leftovers */

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
    RUN(a_queue_out_of_order);
    RUN(tasks_that_are_no_partition);
    RUN(a_wrong_place);
    RUN(a_wrong_target);
    RUN(a_wrong_start);
    RUN(a_row_outside_of_the_factors);
    RUN(a_poll_is_missing);
    RUN(leftovers_of_another_replay);
    return check_done();
}
