/* What is wrong with a solve's tasks is said too: a queue out of order, bundles and tiles in no task or in two, places,
 * targets and starts that are none. */
#include "fault.h"

static const wlu_device_solve *solve_of(fault *f)
{
    return &wlu_emulate_image(f->device.image, WLU_STREAM_SOLVE)->solve;
}

static wlu_solve_task *task(fault *f, int32_t q)
{
    return (wlu_solve_task *)&solve_of(f)->task[q];
}

/* The first task of a kind, or, if it is to have places, the first that has. */
static int32_t find_task(fault *f, wlu_solve_work kind, int places)
{
    int32_t q = 0;
    while (q + 1 < solve_of(f)->tasks && (task(f, q)->kind != (int32_t)kind || (places && task(f, q)->places == 0)))
        q++;
    CHECK(task(f, q)->kind == (int32_t)kind && (!places || task(f, q)->places > 0));
    return q;
}

/* A machine of its own looks at the image again: in order, and under another schedule, a solve answers in these words.
 */
static void expect_in_solve(fault *f, const char *words)
{
    const wlu_emulate_mode in_order = wlu_emulate_in_order(),
                           crowd = {
                               .seed = 5, .blocks = 7, .residents = 7, .bundle_blocks = 7, .warps = 2, .delay = 20};
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

/* A tile path's back substitution before any tile path's forward one: one block alone does not get there. */
static void a_queue_out_of_order(void)
{
    fault f;
    open_fault(&f, TEST_ALL_TILE);
    expect_sound_solve(&f);
    wlu_solve_task *forward = task(&f, find_task(&f, WLU_TASK_TILE_PATH_FORWARD, 0)),
                   *back = task(&f, find_task(&f, WLU_TASK_TILE_PATH_BACK, 0));
    wlu_solve_task kept = *forward;
    *forward = *back;
    *back = kept;
    expect_sound(&f);
    CHECK_SAY(solve(&f) == WARPLU_INTERNAL && strstr(f.b.ctx.last_message, "deadlock: task") != NULL, "%s",
              f.b.ctx.last_message);
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
    wlu_solve_task *last = task(&f, solve_of(&f)->tasks - 1),
                   *forward = task(&f, find_task(&f, WLU_TASK_TILE_PATH_FORWARD, 0));
    wlu_solve_task kept = *forward;
    ((wlu_device_solve *)solve_of(&f))->tasks--; /* nobody stores the unknowns */
    expect_in_solve(&f, "is in no task");
    ((wlu_device_solve *)solve_of(&f))->tasks++;
    last->count = 0;
    expect_in_solve(&f, "has 0 from bundle");
    last->count = solve_of(&f)->stream.bundles - last->first;
    last->kind = WLU_TASK_TILE_PATH_BACK + 1;
    expect_in_solve(&f, "of kind 5");
    last->kind = WLU_TASK_STREAM;
    *forward = *task(&f, find_task(&f, WLU_TASK_TILE_PATH_BACK, 0));
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
    const wlu_device_stream *d = &solve_of(f)->stream;
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
    wlu_solve_task *t = task(&f, find_task(&f, WLU_TASK_STREAM, 1));
    int32_t *operand = find_place(&f, t, &before), kept = operand != NULL ? *operand : 0, places = t->places;
    CHECK(operand != NULL);
    if (operand == NULL) return;
    *operand = ~before;
    expect_in_solve(&f, "reads place");
    *operand = INT32_MIN;
    expect_in_solve(&f, "reads place");
    *operand = kept;
    kept = operand[-1]; /* the factor beside it: in a narrow section it is read as one, whatever slot it is */
    operand[-1] = solve_of(&f)->split;
    expect_in_solve(&f, "takes a factor from");
    operand[-1] = kept;
    t->places = 0;
    expect_in_solve(&f, "reads place");
    t->places = places - 1;
    expect_in_solve(&f, "places for");
    t->places = places;
    expect_sound_solve(&f);
    close_fault(&f);
}

/* Rows of a tile that go to one of its own pivots, twice to one, to one behind the tile path. */
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

/* Where a tile path begins: a slot that nobody writes, and another pivot's. */
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

/* Pivots have a warp each. */
static void more_pulls_than_warps(void)
{
    fault f;
    open_fault(&f, TEST_ALL_TILE);
    task(&f, find_task(&f, WLU_TASK_PULLS_BACK, 0))->count = WLU_TILE_THREADS / WLU_WARP + 1;
    expect_in_solve(&f, "for fewer warps");
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

static void a_poll_is_missing(void)
{
    fault_look_away(1);
}

int main(void)
{
    RUN(a_queue_out_of_order);
    RUN(tasks_that_are_no_partition);
    RUN(a_wrong_place);
    RUN(a_wrong_target);
    RUN(a_wrong_start);
    RUN(more_pulls_than_warps);
    RUN(a_row_outside_of_the_factors);
    RUN(a_poll_is_missing);
    return check_done();
}
