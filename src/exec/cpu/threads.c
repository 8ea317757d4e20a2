/* Replays on several threads: each member of a team does one part, as lu/partition.h has divided the work.
 *
 * All load their share; then each does its subtrees, which need nothing of each other: DOT pivots, then tiles. When all
 * have, member 0 does the top's DOT pivots, where there are any, and then the top's tiles follow, each as soon as the
 * tiles that it needs are done. The bits are those of one thread: who does a record changes nothing in it.
 *
 * Together is not always faster: other processes may want the cores, and a sleeping worker takes its time to wake. So
 * both ways are timed as they come, the faster one is taken, and now and then the other is tried again. */
#include "exec/cpu/image.h"

#include "base/clock.h"

typedef struct replay {
    const wlu_cpu_image *image;
    wlu_cpu_state *state;
    const double *source;
} replay;

static void replay_alone(const replay *r)
{
    const wlu_cpu_image *im = r->image;
    const wlu_program *p = im->base.program;
    wlu_cpu_state *s = r->state;
    wlu_tile_job job = {.count = wlu_lu_of(p)->tiles.count, .source = r->source};
    im->kernels->entries(p, s, r->source);
    im->kernels->load(&im->dot, 0, p->parts, r->source, s->slots.v, &s->largest);
    im->kernels->stream(&im->dot, 0, p->parts + 1, r->source, s->slots.v, &s->largest);
    if (job.count > 0) im->kernels->tiles(p, &im->dot, s, &job, &s->largest);
}

static void await_all(wlu_member *me, uint32_t step)
{
    for (int k = 0; k < me->members; k++)
        if (k != me->index) wlu_team_wait(me, k, step);
}

/* The top's DOT pivots, by one member; the others wait for it. */
static void replay_top_stream(const replay *r, wlu_member *me, wlu_maxima *largest)
{
    const wlu_cpu_image *im = r->image;
    int32_t parts = im->base.program->parts;
    await_all(me, WLU_STEP_SUBTREES);
    if (im->dot.place[parts].run == im->dot.place[parts + 1].run) return;
    if (me->index > 0) {
        wlu_team_wait(me, 0, WLU_STEP_TOP);
        return;
    }
    im->kernels->stream(&im->dot, parts, parts + 1, r->source, r->state->slots.v, largest);
    wlu_team_publish(me, WLU_STEP_TOP);
}

static void replay_tiles(const replay *r, int32_t first, int32_t end, wlu_member *me, wlu_maxima *largest)
{
    const wlu_cpu_image *im = r->image;
    wlu_tile_job job = {wlu_lu_of(im->base.program)->tiles.list + first, end - first, r->source, me};
    if (job.count > 0) im->kernels->tiles(im->base.program, &im->dot, r->state, &job, largest);
}

static void replay_part(void *argument, wlu_member *me)
{
    const replay *r = argument;
    const wlu_cpu_image *im = r->image;
    const wlu_program *p = im->base.program;
    int32_t part = me->index;
    const int32_t *list = wlu_lu_of(p)->tiles.list_ptr + 2 * part;
    wlu_maxima largest = {{0}};
    if (part == p->parts - 1) {
        im->kernels->entries(p, r->state, r->source);
        largest = r->state->largest;
    }
    im->kernels->load(&im->dot, part, part + 1, r->source, r->state->slots.v, &largest);
    wlu_team_publish(me, WLU_STEP_LOADED);
    await_all(me, WLU_STEP_LOADED);
    im->kernels->stream(&im->dot, part, part + 1, r->source, r->state->slots.v, &largest);
    replay_tiles(r, list[0], list[1], me, &largest);
    wlu_team_publish(me, WLU_STEP_SUBTREES);
    replay_top_stream(r, me, &largest);
    replay_tiles(r, list[1], list[2], me, &largest);
    r->state->part[part].largest = largest;
}

static void replay_together(replay *r)
{
    int32_t parts = r->image->base.program->parts;
    wlu_team_run(r->state->team, parts, replay_part, r);
    for (int32_t k = 0; k + 1 < parts; k++)
        wlu_maxima_join(&r->state->part[parts - 1].largest, &r->state->part[k].largest);
    r->state->largest = r->state->part[parts - 1].largest;
}

/* Replays between two trials of both ways: at first, and at most. A trial is TRIALS replays together and as many alone,
 * each in a row: caches that have served the other way make the first of them slow. */
enum { GAP_FIRST = 16, GAP_LAST = 4096, TRIALS = 3 };

/* Whether the next replay is to be together. */
static int choose(wlu_pace *pace)
{
    if (pace->trials == 0 && --pace->left <= 0) pace->trials = 2 * TRIALS;
    if (pace->trials == 0) return pace->together;
    if (pace->trials == 2 * TRIALS) pace->ns[0] = pace->ns[1] = INT64_MAX;
    return pace->trials > TRIALS;
}

/* Takes the time of a replay; after the trials of both ways, the faster one is chosen. */
static void note(wlu_pace *pace, int together, int64_t ns)
{
    if (pace->trials == 0) return;
    if (ns < pace->ns[together]) pace->ns[together] = ns;
    if (--pace->trials > 0) return;
    int faster = pace->ns[1] < pace->ns[0];
    pace->gap = faster != pace->together || pace->gap == 0 ? GAP_FIRST : 2 * pace->gap;
    if (pace->gap > GAP_LAST) pace->gap = GAP_LAST;
    pace->left = pace->gap;
    pace->together = faster;
}

void wlu_cpu_replay(const wlu_cpu_image *image, wlu_cpu_state *state, const double *source)
{
    replay r = {image, state, source};
    int parts = image->base.program->parts;
    if (parts == 1 || state->team == NULL) {
        replay_alone(&r);
        return;
    }
    int together = choose(&state->pace);
    int64_t begin = wlu_now_ns();
    if (together && wlu_team_gather(state->team, parts) == parts)
        replay_together(&r);
    else
        replay_alone(&r);
    note(&state->pace, together, wlu_now_ns() - begin);
}
