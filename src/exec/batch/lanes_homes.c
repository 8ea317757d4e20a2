/* Where a job's members are computed in lanes: in the group where their factors are kept, their home, or in a thread's
 * slots. See lanes.h.
 *
 * A member's lane at home is that of its place. Lanes of a home that has no part in the job are put aside before a
 * refactorization and put back after it; a home that lacks more than AWAY of its places in the job is none, and what is
 * there of the job is packed with others of its kind, whose lanes are all copied. Copying a lane takes about a tenth of
 * what replaying a group does (add20, AVX2), and packed members save groups. Homes and packed groups share no lane, so
 * that threads may take them in any order. Cost of grouping: O(count + places / 8). */
#include "exec/batch/lanes.h"

#include <string.h>

enum { AWAY = 2 };

int64_t wlu_lanes_group_doubles(const wlu_lanes_state *s)
{
    return wlu_lanes_line(s->flat) * (wlu_lanes_lines(s->flat) + s->image.loads.count);
}

static double *home_of(const wlu_lanes_state *s, int32_t home)
{
    return s->home + home * wlu_lanes_group_doubles(s);
}

/* Whether so many of a home's places stay there. */
static int stay(const wlu_lanes_state *s, int32_t home, int32_t count)
{
    int32_t left = s->base.places - WLU_LANES * home, places = left < WLU_LANES ? left : WLU_LANES;
    return count > 0 && count + AWAY >= places;
}

int32_t wlu_lanes_group_places(wlu_lanes_state *s, const wlu_batch_job *job)
{
    int32_t homes = (s->base.places + WLU_LANES - 1) / WLU_LANES, groups = 0, at = 0;
    int32_t *count = s->in_home, *next = s->in_home + homes;
    memset(count, 0, (size_t)homes * sizeof *count);
    for (int32_t k = 0; k < job->count; k++) count[job->place[k] / WLU_LANES]++;
    for (int32_t h = 0; h < homes; h++) {
        if (!stay(s, h, count[h])) continue;
        s->begin[groups++] = next[h] = at;
        at += count[h];
    }
    for (int32_t packed = at; packed < job->count; packed += WLU_LANES) s->begin[groups++] = packed;
    for (int32_t h = 0; h < homes; h++) {
        if (stay(s, h, count[h])) continue;
        next[h] = at;
        at += count[h];
    }
    s->begin[groups] = at;
    for (int32_t k = 0; k < job->count; k++) s->order[next[job->place[k] / WLU_LANES]++] = k;
    return groups;
}

/* Whether the group of the job's members from `first` on is a home. */
static int is_home(const wlu_lanes_state *s, const wlu_batch_job *job, int32_t first)
{
    int32_t home = job->place[s->order[first]] / WLU_LANES;
    return stay(s, home, s->in_home[home]);
}

void wlu_lanes_seat_members(wlu_lanes_group *g, int32_t number, wlu_lanes_homes *homes)
{
    const wlu_lanes_state *s = g->state;
    const wlu_batch_job *job = g->job;
    int places = job->place != NULL;
    int32_t first = places ? s->begin[number] : WLU_LANES * number, after = first + WLU_LANES;
    int32_t end = places ? s->begin[number + 1] : after < job->count ? after : job->count;
    homes->at_home = places && is_home(s, job, first);
    g->lanes = 0;
    for (int q = 0; q < WLU_LANES; q++) g->member[q] = job->member[places ? s->order[first] : first];
    for (int32_t k = first; k < end; k++) {
        int32_t seat = places ? s->order[k] : k, lane = homes->at_home ? job->place[seat] % WLU_LANES : k - first;
        g->member[lane] = job->member[seat];
        g->lanes |= 1u << lane;
        homes->place[lane] = places ? job->place[seat] : -1;
    }
    g->v = homes->at_home ? home_of(s, job->place[s->order[first]] / WLU_LANES) : g->scratch->v;
    g->entries = g->v + wlu_lanes_line(s->flat) * wlu_lanes_lines(s->flat);
}

/* Slots, and entries where they are wanted. */
static void copy_lane(const wlu_lanes_state *s, const double *from, int entries, double *to)
{
    int64_t lines = wlu_lanes_lines(s->flat) + (entries ? s->image.loads.count : 0);
    for (int64_t k = 0; k < wlu_lanes_line(s->flat) * lines; k += WLU_LANES) to[k] = from[k];
}

/* Lanes of a home that the job has no member for go aside, or come back. */
static void copy_others(const wlu_lanes_group *g, int comes_back)
{
    const wlu_lanes_state *s = g->state;
    for (int q = 0; q < WLU_LANES; q++) {
        double *here = g->v + q, *aside = g->scratch->v + q;
        if (!(g->lanes >> q & 1)) copy_lane(s, comes_back ? aside : here, 1, comes_back ? here : aside);
    }
}

void wlu_lanes_go_home(const wlu_lanes_group *g, const wlu_lanes_homes *homes)
{
    const wlu_lanes_state *s = g->state;
    if (g->job->place == NULL) return;
    if (homes->at_home && g->job->values != NULL) copy_others(g, 0);
    if (homes->at_home || g->job->values != NULL) return;
    for (int q = 0; q < WLU_LANES; q++) { /* packed: the first lane has a member */
        int32_t place = homes->place[g->lanes >> q & 1 ? q : 0];
        copy_lane(s, home_of(s, place / WLU_LANES) + place % WLU_LANES, g->job->check != WLU_BATCH_UNCHECKED, g->v + q);
    }
}

void wlu_lanes_leave_home(const wlu_lanes_group *g, const wlu_lanes_homes *homes)
{
    const wlu_lanes_state *s = g->state;
    if (g->job->place == NULL || g->job->values == NULL) return;
    if (homes->at_home) copy_others(g, 1);
    for (int q = 0; q < WLU_LANES && !homes->at_home; q++) {
        int32_t place = homes->place[q];
        if (g->lanes >> q & 1) copy_lane(s, g->v + q, 1, home_of(s, place / WLU_LANES) + place % WLU_LANES);
    }
}
