/* Levels and vectors of scalar streams. See scalar_levels.h. */
#include "scalar_levels.h"

#include <string.h>

/* What is counted by level: its MSUBs and DIVs; passes of its warps, unsplit, and the lanes of these that are not past
 * its end; the opcodes of the warp that fills, a bit each. */
enum { MSUBS, DIVS, PASSES, LANES, OPEN, COUNTS };

typedef struct tally {
    wlu_context *ctx;
    int64_t *count[COUNTS]; /* by level */
    int64_t levels, capacity;
} tally;

typedef struct scan {
    wlu_context *ctx;
    int32_t *written; /* by slot: level of the last writer, 0 for loads */
    int32_t *read;    /* by slot: highest level among the readers since */
    int64_t taken;
    wlu_level_visit *visit;
    void *user;
} scan;

/* So many records, and the caller is asked whether to go on. */
enum { POLL_RECORDS = 4096 };

static warplu_status reserve_level(tally *s, int64_t level)
{
    if (level < s->capacity) return WARPLU_SUCCESS;
    int64_t capacity = 2 * level + 1024;
    for (int k = 0; k < COUNTS; k++) {
        int64_t *p = wlu_resize(s->ctx, s->count[k], s->capacity, capacity, sizeof *p);
        if (p == NULL) return wlu_fail_memory(s->ctx, "levels");
        memset(p + s->capacity, 0, (size_t)(capacity - s->capacity) * sizeof *p);
        s->count[k] = p;
    }
    s->capacity = capacity;
    return WARPLU_SUCCESS;
}

static inline void raise(int32_t *level, int32_t to)
{
    if (to > *level) *level = to;
}

/* Gives a record the next lane of its level. */
static void count_record(tally *s, int64_t level, int division)
{
    int64_t lane = (s->count[MSUBS][level] + s->count[DIVS][level]) % WLU_WARP, opcode = division ? 2 : 1;
    int64_t *open = &s->count[OPEN][level];
    if (lane == 0) *open = 0;
    if ((*open & opcode) == 0) { /* another pass, in which the lanes before this one idle */
        *open |= opcode;
        s->count[PASSES][level]++;
        s->count[LANES][level] += lane;
    }
    s->count[LANES][level] += *open == 3 ? 2 : 1;
    s->count[division ? DIVS : MSUBS][level]++;
}

static warplu_status count_at(void *user, const wlu_record *r, int32_t level)
{
    tally *s = user;
    if (level == 0) return WARPLU_SUCCESS;
    warplu_status status = reserve_level(s, level);
    if (status < 0) return status;
    if (level > s->levels) s->levels = level;
    count_record(s, level, r->opcode == WLU_DIV);
    return WARPLU_SUCCESS;
}

static warplu_status take(void *user, const wlu_record *r)
{
    scan *s = user;
    warplu_status status = ++s->taken % POLL_RECORDS == 0 ? wlu_poll_cancel(s->ctx) : WARPLU_SUCCESS;
    if (status < 0) return status;
    if (r->opcode != WLU_MSUB && r->opcode != WLU_DIV) return s->visit(s->user, r, 0);
    int32_t level = s->written[r->t];
    raise(&level, s->read[r->t]);
    raise(&level, s->written[r->a]);
    if (r->opcode == WLU_MSUB) raise(&level, s->written[r->b]);
    level++;
    s->written[r->t] = level;
    s->read[r->t] = 0;
    raise(&s->read[r->a], level);
    if (r->opcode == WLU_MSUB) raise(&s->read[r->b], level);
    return s->visit(s->user, r, level);
}

static void take_share(double share, double *least, double *sum, double *best)
{
    if (*best == 0 || share < *least) *least = share; /* shares are above 0 */
    if (share > *best) *best = share;
    *sum += share;
}

/* The means hold sums until all vectors are in. */
static void add_vector(wlu_warps *w, int64_t records, int64_t passes, int64_t lanes)
{
    double filling = (double)records / (double)(WLU_WARP * passes), agreement = (double)records / (double)lanes;
    w->passes += passes;
    if (passes > w->most_passes) w->most_passes = passes;
    take_share(filling, &w->least_filling, &w->mean_filling, &w->best_filling);
    take_share(agreement, &w->least_agreement, &w->mean_agreement, &w->best_agreement);
}

static void end_means(wlu_warps *w, int64_t vectors)
{
    if (vectors == 0) return;
    w->mean_filling /= (double)vectors;
    w->mean_agreement /= (double)vectors;
}

static void summarize(const tally *s, wlu_levels *out)
{
    memset(out, 0, sizeof *out);
    out->levels = s->levels;
    for (int64_t level = 1; level <= s->levels; level++) {
        int64_t both = s->count[MSUBS][level] + s->count[DIVS][level];
        out->multiply_subtracts += s->count[MSUBS][level];
        out->divisions += s->count[DIVS][level];
        if (both > out->longest_level) out->longest_level = both;
        add_vector(&out->unsplit, both, s->count[PASSES][level], s->count[LANES][level]);
        for (int k = MSUBS; k <= DIVS; k++) {
            int64_t width = s->count[k][level];
            if (width == 0) continue;
            int bin = 0;
            while (width >> (bin + 1) != 0 && bin + 1 < WLU_WIDTH_CLASSES) bin++;
            out->width[bin]++;
            out->vectors++;
            if (width > out->longest_vector) out->longest_vector = width;
            add_vector(&out->split, width, (width + WLU_WARP - 1) / WLU_WARP, width);
        }
    }
    end_means(&out->unsplit, out->levels);
    end_means(&out->split, out->vectors);
    out->records = out->multiply_subtracts + out->divisions;
}

warplu_status wlu_levels_walk(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots, int solve,
                              wlu_level_visit *visit, void *user)
{
    int64_t slots = wlu_layout_of(pivots, 1).count;
    scan s = {.ctx = ctx, .visit = visit, .user = user};
    wlu_scalar_options factor = {.kind = WLU_STREAM_FACTOR, .in_place = 1};
    wlu_scalar_options substitution = {.kind = WLU_STREAM_SOLVE, .in_place = 1};
    s.written = WLU_CALLOC(ctx, slots, int32_t);
    s.read = WLU_CALLOC(ctx, slots, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (s.written == NULL || s.read == NULL) status = wlu_fail_memory(ctx, "levels");
    if (status == WARPLU_SUCCESS) status = wlu_scalar_stream(ctx, a, pivots, &factor, take, &s);
    if (status == WARPLU_SUCCESS && solve) status = wlu_scalar_stream(ctx, a, pivots, &substitution, take, &s);
    wlu_free(ctx, s.written);
    wlu_free(ctx, s.read);
    return status;
}

warplu_status wlu_levels_find(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots, int solve,
                              wlu_levels *out)
{
    tally t = {.ctx = ctx};
    warplu_status status = wlu_levels_walk(ctx, a, pivots, solve, count_at, &t);
    if (status == WARPLU_SUCCESS) summarize(&t, out);
    for (int k = 0; k < COUNTS; k++) wlu_free(ctx, t.count[k]);
    return status;
}
