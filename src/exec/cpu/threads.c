/* Replays on several threads: each member of a team does one part, as lu/partition.h has divided the work.
 *
 * All load their share; then each does its subtrees, which need nothing of each other: DOT pivots, then tiles. When all
 * have, member 0 does the top's DOT pivots, where there are any, and then the top's tiles follow, each as soon as the
 * tiles that it needs are done. The bits are those of one thread: who does a record changes nothing in it.
 *
 * Together is not always faster: other processes may want the cores, and a sleeping worker takes its time to wake. So
 * both ways are timed as they come, the faster one is taken, and now and then the other is tried again. */
#include "exec/cpu/image.h"

#include <stdatomic.h>

#include "base/clock.h"

/* The caller is polled each time about so many multiply-subtracts have been done in tiles, as in a search
 * (pivot/search.c): some milliseconds; no more often than once a tile. */
static const double POLL_EVERY = 1 << 22;

typedef struct replay {
    const wlu_cpu_image *image;
    wlu_cpu_state *state;
    const double *source;
    wlu_context *polled; /* NULL: nobody is */
    atomic_int cancelled;
} replay;

/* Member 0 asks, who is the caller's thread. */
static int is_cancelled(replay *r, const wlu_member *me)
{
    if (r->polled == NULL) return 0;
    int asks = me == NULL || me->index == 0;
    if (asks && wlu_poll_cancel(r->polled) < 0) atomic_store_explicit(&r->cancelled, 1, memory_order_relaxed);
    return atomic_load_explicit(&r->cancelled, memory_order_relaxed);
}

static warplu_status status_of(replay *r)
{
    return atomic_load_explicit(&r->cancelled, memory_order_relaxed) ? WARPLU_CANCELLED : WARPLU_SUCCESS;
}

/* What a tile takes: its sources' pivots by all of its panel, at most. */
static double tile_work(const wlu_tiles *t, int32_t tile)
{
    double sources = (double)(t->source_ptr[tile + 1] - t->source_ptr[tile] + 1);
    return sources * WLU_TILE_WIDTH * (double)(t->panel[tile + 1] - t->panel[tile]);
}

/* Tiles of the list, or all in a row, until the caller cancels: then 0. */
static int replay_tiles(replay *r, const int32_t *list, int32_t count, wlu_member *me, wlu_maxima *largest)
{
    const wlu_cpu_image *im = r->image;
    const wlu_tiles *t = &wlu_lu_of(im->base.program)->tiles;
    for (int32_t first = 0, end = 0; first < count; first = end) {
        double work = 0.0;
        if (is_cancelled(r, me)) return 0;
        for (end = r->polled != NULL ? first : count; end < count && work < POLL_EVERY; end++)
            work += tile_work(t, list != NULL ? list[end] : end);
        wlu_tile_job job = {list != NULL ? list + first : NULL, end - first, r->source, me, first};
        im->kernels->tiles(im->base.program, &im->dot, r->state, &job, largest);
    }
    return 1;
}

static void replay_alone(replay *r)
{
    const wlu_cpu_image *im = r->image;
    const wlu_program *p = im->base.program;
    wlu_cpu_state *s = r->state;
    im->kernels->entries(p, s, r->source);
    im->kernels->load(&im->dot, 0, p->parts, r->source, &s->slots, &s->largest);
    im->kernels->stream(&im->dot, 0, p->parts + 1, r->source, &s->slots, &s->largest);
    (void)replay_tiles(r, NULL, wlu_lu_of(p)->tiles.count, NULL, &s->largest);
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
    im->kernels->stream(&im->dot, parts, parts + 1, r->source, &r->state->slots, largest);
    wlu_team_publish(me, WLU_STEP_TOP);
}

/* A member that ends because of a cancellation keeps nobody waiting: it is done. */
static void replay_part(void *argument, wlu_member *me)
{
    replay *r = argument;
    const wlu_cpu_image *im = r->image;
    const wlu_program *p = im->base.program;
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    int32_t part = me->index;
    const int32_t *list = t->list_ptr + 2 * part;
    wlu_maxima largest = {{0}};
    if (part == p->parts - 1) {
        im->kernels->entries(p, r->state, r->source);
        largest = r->state->largest;
    }
    im->kernels->load(&im->dot, part, part + 1, r->source, &r->state->slots, &largest);
    wlu_team_publish(me, WLU_STEP_LOADED);
    await_all(me, WLU_STEP_LOADED);
    im->kernels->stream(&im->dot, part, part + 1, r->source, &r->state->slots, &largest);
    if (!replay_tiles(r, t->list + list[0], list[1] - list[0], me, &largest)) return;
    wlu_team_publish(me, WLU_STEP_SUBTREES);
    replay_top_stream(r, me, &largest);
    if (!replay_tiles(r, t->list + list[1], list[2] - list[1], me, &largest)) return;
    r->state->part[part].largest = largest;
}

static void replay_together(replay *r)
{
    int32_t parts = r->image->base.program->parts;
    wlu_team_run(r->state->team, parts, replay_part, r);
    if (status_of(r) < 0) return;
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

warplu_status wlu_cpu_replay(wlu_context *ctx, const wlu_cpu_image *image, wlu_cpu_state *state, const double *source)
{
    replay r = {.image = image, .state = state, .source = source, .polled = state->base.polls ? ctx : NULL};
    int parts = image->base.program->parts;
    if (parts == 1 || state->team == NULL) {
        replay_alone(&r);
        return status_of(&r);
    }
    int together = choose(&state->pace);
    int64_t begin = wlu_now_ns();
    if (together && wlu_team_gather(state->team, parts) == parts)
        replay_together(&r);
    else
        replay_alone(&r);
    note(&state->pace, together, wlu_now_ns() - begin);
    return status_of(&r);
}
