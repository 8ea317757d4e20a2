#include "phases/warps.h"

#include <string.h>

typedef struct work {
    const wlm_bytecodes *b;
    int32_t *order; /* of threads: each phase's in the order of its lanes */
    int32_t *kinds; /* of a phase, in their order */
    int32_t *count; /* of each kind: threads in the phase, then where the next one goes; 0 between phases */
    int32_t *room;  /* for merging: as many as threads */
} work;

/* Sorts by length, the longest first; stable. Bottom-up merging (Knuth, volume 3, 5.2.4). */
static void sort_by_length(const work *w, int32_t kinds)
{
    const int32_t *length = w->b->length;
    for (int64_t width = 1; width < kinds; width *= 2) {
        for (int64_t left = 0; left < kinds; left += 2 * width) {
            int64_t middle = left + width < kinds ? left + width : kinds;
            int64_t end = middle + width < kinds ? middle + width : kinds, a = left, b = middle;
            for (int64_t k = left; k < end; k++) {
                int takes_a = a < middle && (b >= end || length[w->kinds[a]] >= length[w->kinds[b]]);
                w->room[k] = w->kinds[takes_a ? a++ : b++];
            }
        }
        memcpy(w->kinds, w->room, (size_t)kinds * sizeof *w->kinds);
    }
}

/* Puts kinds of one length in the order of nearest neighbours, from the first one on. */
static void chain_neighbours(const wlm_bytecodes *b, int32_t *kinds, int32_t count)
{
    for (int32_t at = 1; at < count; at++) {
        int32_t nearest = at, least = INT32_MAX;
        for (int32_t k = at; k < count; k++) {
            int32_t differences = wlm_bytecodes_differences(b, kinds[at - 1], kinds[k]);
            if (differences >= least) continue;
            least = differences;
            nearest = k;
        }
        int32_t moved = kinds[nearest];
        memmove(kinds + at + 1, kinds + at, (size_t)(nearest - at) * sizeof *kinds);
        kinds[at] = moved;
    }
}

static void order_kinds(const work *w, int32_t kinds)
{
    sort_by_length(w, kinds);
    for (int32_t first = 0, end; first < kinds; first = end) {
        for (end = first + 1; end < kinds; end++)
            if (w->b->length[w->kinds[end]] != w->b->length[w->kinds[first]]) break;
        chain_neighbours(w->b, w->kinds + first, end - first);
    }
}

static void reorder_phase(const work *w, int32_t begin, int32_t end)
{
    int32_t kinds = 0, at = begin;
    for (int32_t thread = begin; thread < end; thread++)
        if (w->count[w->b->kind[thread]]++ == 0) w->kinds[kinds++] = w->b->kind[thread];
    order_kinds(w, kinds);
    for (int32_t k = 0; k < kinds; k++) {
        int32_t count = w->count[w->kinds[k]];
        w->count[w->kinds[k]] = at;
        at += count;
    }
    for (int32_t thread = begin; thread < end; thread++) w->order[w->count[w->b->kind[thread]]++] = thread;
    for (int32_t k = 0; k < kinds; k++) w->count[w->kinds[k]] = 0;
}

/* The lanes of a phase, written where there is an array for them; answers the first one behind. */
static int64_t place(const work *w, int32_t begin, int32_t end, int redundant, int64_t at, int32_t *lanes)
{
    int64_t first = at;
    for (int32_t k = begin; k < end; k++) {
        int last = k + 1 == end || w->b->kind[w->order[k + 1]] != w->b->kind[w->order[k]];
        do {
            if (lanes != NULL) lanes[at] = w->order[k];
            at++;
        } while (redundant && last && (at - first) % WLU_WARP != 0);
    }
    return at;
}

static warplu_status build(wlu_context *ctx, const wlm_schedule *s, work *w, int reorder, int redundant, wlm_warps *out)
{
    int64_t lanes = 0;
    for (int32_t thread = 0; thread < s->threads; thread++) w->order[thread] = thread;
    for (int32_t p = 0; p < s->phases; p++) {
        if (reorder) reorder_phase(w, s->first_thread[p], s->first_thread[p + 1]);
        lanes = place(w, s->first_thread[p], s->first_thread[p + 1], redundant, lanes, NULL);
    }
    if (lanes > INT32_MAX - WLU_WARP) return wlu_fail(ctx, WARPLU_OVERFLOW, "phases: more than 2^31 threads");
    out->thread = WLU_ALLOC(ctx, lanes, int32_t);
    if (out->thread == NULL) return wlu_fail_memory(ctx, "phases");
    lanes = 0;
    for (int32_t p = 0; p < s->phases; p++) {
        out->first[p] = (int32_t)lanes;
        lanes = place(w, s->first_thread[p], s->first_thread[p + 1], redundant, lanes, out->thread);
    }
    out->first[s->phases] = (int32_t)lanes;
    return WARPLU_SUCCESS;
}

warplu_status wlm_warps_create(wlu_context *ctx, const wlm_schedule *schedule, const wlm_bytecodes *bytecodes,
                               int reorder, int redundant, wlm_warps *out)
{
    int64_t n = schedule->threads;
    int32_t *room = WLU_CALLOC(ctx, 4 * n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    *out = (wlm_warps){WLU_ALLOC(ctx, schedule->phases + (int64_t)1, int32_t), NULL};
    if (room == NULL || out->first == NULL) status = wlu_fail_memory(ctx, "phases");
    if (status == WARPLU_SUCCESS) {
        work w = {bytecodes, room, room + n, room + 2 * n, room + 3 * n};
        status = build(ctx, schedule, &w, reorder, redundant, out);
    }
    wlu_free(ctx, room);
    return status;
}

void wlm_warps_free(wlu_context *ctx, wlm_warps *warps)
{
    wlu_free(ctx, warps->first);
    wlu_free(ctx, warps->thread);
}
