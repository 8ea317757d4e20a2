/* The kernels of batches' replays, on the host. See by_batch.h. Compiled for each precision. */
#include "by_batch.h"

#include <stdlib.h>
#include <string.h>

#include "by_emulator.h"
#include "check.h"
#include "exec/device/groups.h"

enum { LANES = WLU_GROUP_LANES, SIDES = WLU_GROUP_SIDES, WARPS = WLU_GROUP_WARPS };

static uint64_t seed = 77;

static wlu_group_stream stream_on_host(const wlu_group_stream *s)
{
    wlu_group_stream to = *s;
    by_emulator_bring(&to, 3);
    return to;
}

/* What the lanes of a group have. */
typedef struct lanes {
    const wlu_number *a[LANES];
    wlu_number *b[LANES];
    wlu_group_source from[LANES];
    double scale[LANES];
    wlu_maxima seen[LANES];
} lanes;

static void look(wlu_maxima *m, wlu_area area, uint16_t power, uint64_t bits)
{
    if (power != 0 && bits > m->of[area]) m->of[area] = bits;
}

/* What one side of a bundle leaves in lane k, from its start on. */
static wlu_number value_of(const wlu_group_bundle *b, int side, const lanes *l, int k, wlu_number x)
{
    const wlu_group_record *r = &b->record[side];
    wlu_number left[WLU_GROUP_TERMS], right[WLU_GROUP_TERMS], d = wlu_zero();
    if (r->divisor >= 0) d = l->a[k][(int64_t)r->divisor * LANES];
    wlu_group_operands(r->terms, b->pair[side], l->a[k], l->b[k], left, right);
    return wlu_group_end(r->opcode, r->terms, wlu_group_chain(r->sum, r->terms, left, right, x), d);
}

/* asked: by the bundle that asks for its entry. */
static wlu_number start_of(const wlu_group_record *r, const wlu_group_record *asked, const lanes *l, int k,
                           wlu_wide *entry)
{
    if (r->start >= 0) return l->b[k][(int64_t)r->start * LANES];
    *entry = wlu_group_read_source(&l->from[k], asked->ask);
    return wlu_group_entry(WLU_WIDE_SCALED(l->scale[k], *entry), r->power);
}

/* A bundle: all lanes read before one writes. */
static void run_bundle(const wlu_group_bundle *b, lanes *l)
{
    const wlu_group_record *r = b->record;
    wlu_number x[SIDES][LANES];
    wlu_wide entry[SIDES][LANES];
    memset(entry, 0, sizeof entry);
    for (int side = 0; side < SIDES; side++)
        for (int k = 0; k < LANES; k++) {
            x[side][k] = start_of(&r[side], &b[-WLU_GROUP_ASKED].record[side], l, k, &entry[side][k]);
            x[side][k] = value_of(b, side, l, k, x[side][k]);
        }
    for (int side = 0; side < SIDES; side++)
        for (int k = 0; k < LANES; k++) {
            l->b[k][(int64_t)r[side].target * LANES] = x[side][k];
            look(&l->seen[k], (wlu_area)r[side].area, r[side].area, wlu_lane_size(x[side][k]));
            look(&l->seen[k], WLU_AREA_INVERSE, r[side].column_power,
                 wlu_lane_inverse(entry[side][k], r[side].column_power));
            look(&l->seen[k], WLU_AREA_DRIFT, r[side].row_power, wlu_lane_drift(entry[side][k], r[side].row_power));
        }
}

/* The bundles of a warp until it waits for the others, or has none. */
static int run_warp(const wlu_group_stream *s, int w, int32_t *at, int32_t *waited, lanes *l)
{
    for (; *at < s->first[w + 1]; ++*at, *waited = 0) {
        const wlu_group_record *r = s->bundle[*at].record;
        if (*waited < r->barriers) break;
        for (int side = 1; side < SIDES; side++)
            if (r[side].terms != r->terms || r[side].sum != r->sum || r[side].barriers != r->barriers) return 0;
        run_bundle(&s->bundle[*at], l);
    }
    ++*waited;
    return 1;
}

/* Warps between barriers as chance has it. 0: they wait for each other for ever. */
static int run_lists(const wlu_group_stream *s, lanes *l)
{
    int32_t at[WARPS], waited[WARPS] = {0};
    for (int w = 0; w < s->warps; w++) at[w] = s->first[w];
    for (int left = 1; left > 0;) {
        int w = (int)check_below(&seed, (uint64_t)s->warps);
        left = 0;
        for (int k = 0; k < s->warps; k++, w = (w + 1) % s->warps) {
            if (!run_warp(s, w, &at[w], &waited[w], l)) return 0;
            left += at[w] < s->first[w + 1] || waited[w] <= s->last[w];
        }
    }
    for (int w = 0; w < s->warps; w++)
        if (at[w] < s->first[w + 1] || waited[w] != s->last[w] + 1) return 0;
    return 1;
}

static void run_guards(const wlu_group_factor *f, wlu_maxima *m, const wlu_number *v, const wlu_group_source *from,
                       wlu_health *to)
{
    if (m->of[WLU_AREA_DRIFT] == 0) m->of[WLU_AREA_DRIFT] = wlu_bits_of_double(1.0);
    if (wlu_growth_is_open(m, &f->criteria)) m->of[WLU_AREA_RELATIVE] = wlu_bits_of_double(1.0);
    for (int32_t k = 0; k < f->us && m->of[WLU_AREA_RELATIVE] > 0; k++)
        look(m, WLU_AREA_RELATIVE, 1, wlu_group_relative(f, v, from, k));
    *to = wlu_health_conclude(m, &f->criteria, WLU_REAL_SINGLE);
}

static int refactor(const fake_cuda_launch *launch)
{
    wlu_group_factor f = *(const wlu_group_factor *)launch->parameters[0];
    wlu_group_work w = by_batch_work(launch->parameters[1]);
    lanes *l = calloc(1, sizeof *l);
    int right = l != NULL && launch->grid == (unsigned)((w.count + LANES - 1) / LANES) && launch->shared_bytes == 0;
    f.stream = stream_on_host(&f.stream);
    by_emulator_bring(&f.guards, 3);
    by_emulator_bring(&f.u, 2);
    right &= by_batch_in_order(&f.stream, w.slots, 1);
    for (unsigned group = 0; (int32_t)group * LANES < wlu_group_count(&w) && right; group++) {
        for (int k = 0; k < LANES; k++) {
            int32_t i = (int32_t)group * LANES + k;
            int64_t room = wlu_group_room(&w, i);
            l->b[k] = w.v + wlu_group_at(room, w.slots);
            l->a[k] = l->b[k];
            l->from[k] = wlu_group_source_of(&w, i, room);
            l->scale[k] = 1.0;
            l->b[k][(int64_t)f.zero * LANES] = wlu_zero();
            l->b[k][(int64_t)f.minus_one * LANES] = wlu_number_of(-1, 0);
            memset(&l->seen[k], 0, sizeof l->seen[k]);
        }
        right = run_lists(&f.stream, l);
        for (int k = 0; k < LANES; k++)
            run_guards(&f, &l->seen[k], l->a[k], &l->from[k],
                       &w.health[wlu_group_room(&w, (int32_t)group * LANES + k)]);
    }
    free(l);
    return right;
}

/* ------------------------------------------------------------------ solves */

static uint64_t largest_of(const wlu_wide *x, int32_t n)
{
    double largest = 0.0;
    for (int32_t k = 0; k < n; k++) largest = wlu_larger_bits(largest, WLU_WIDE_SIZE(x[(int64_t)k * LANES]));
    return wlu_bits_of_double(largest);
}

/* FP32 is scaled by what the solution is divided by. */
static wlu_wide unscaled(wlu_wide x, double scale)
{
#ifdef WLU_COMPLEX
    (void)scale; /* 1 */
    return x;
#else
    return x / scale;
#endif
}

/* What becomes of a lane's solution. */
static void store(const wlu_group_solve *s, const wlu_group_work *w, const wlu_group_step *step, int64_t own,
                  const wlu_number *v, double scale)
{
    wlu_refine_control c = wlu_refine_fresh();
    int what = wlu_group_purpose(w, step, own, &c);
    int64_t at = wlu_group_at(own, w->n);
    const wlu_wide *before = w->x[c.at ? 1 : 0] + at;
    wlu_wide *to = w->x[wlu_group_buffer(what, &c)] + at;
    if (what == WLU_GROUP_NOTHING) return;
    for (int32_t k = 0; k < s->n; k++) {
        wlu_wide x = wlu_lane_store(v[(int64_t)s->store[k] * LANES], s->power[k]);
        to[(int64_t)k * LANES] =
            what == WLU_GROUP_TRIAL ? wlu_refine_trial(&c, before[(int64_t)k * LANES], x) : unscaled(x, scale);
    }
    uint64_t largest = largest_of(to, s->n);
    if (what == WLU_GROUP_TRIAL) w->side[own].control.unknown = wlu_double_of_bits(largest);
    if (step->refines) return;
    if (step->first) w->outcome[own] = wlu_group_no_outcome();
    wlu_group_tell(&w->outcome[own], largest, largest_of(w->b + at, s->n) == 0);
}

static int substitute(const fake_cuda_launch *launch)
{
    wlu_group_solve s = *(const wlu_group_solve *)launch->parameters[0];
    wlu_group_work w = by_batch_work(launch->parameters[1]);
    const wlu_group_step step = *(const wlu_group_step *)launch->parameters[2];
    lanes *l = calloc(1, sizeof *l);
    int right = l != NULL && launch->grid == (unsigned)((w.count + LANES - 1) / LANES);
    s.stream = stream_on_host(&s.stream);
    by_emulator_bring(&s.store, 2);
    right &= by_batch_in_order(&s.stream, w.own_slots, 0);
    for (unsigned group = 0; (int32_t)group * LANES < wlu_group_count(&w) && right; group++) {
        int64_t first = w.work + (int64_t)group * LANES;
        for (int k = 0; k < LANES; k++) {
            wlu_refine_control c = wlu_refine_fresh();
            int what = wlu_group_purpose(&w, &step, first + k, &c);
            int64_t at = wlu_group_at(first + k, w.n), room = wlu_group_room(&w, (int32_t)group * LANES + k);
            l->a[k] = w.v + wlu_group_at(room, w.slots);
            l->b[k] = w.own + wlu_group_at(first + k, w.own_slots);
            l->from[k] = wlu_group_row_source((step.residual ? w.r : w.b) + at);
            l->scale[k] = wlu_group_scale(what, &c, largest_of(w.b + at, s.n));
            l->b[k][(int64_t)s.zero * LANES] = wlu_zero();
            l->b[k][(int64_t)s.minus_one * LANES] = wlu_number_of(-1, 0);
        }
        right = run_lists(&s.stream, l);
        for (int k = 0; k < LANES; k++) store(&s, &w, &step, first + k, l->b[k], l->scale[k]);
    }
    free(l);
    return right;
}

int WLU_NUMBER_NAME(by_batch_launch)(const fake_cuda_launch *launch, size_t length)
{
    int one_row = launch->grid_y == 1;
    if (length == strlen("wlu_batch_refactor") && strncmp(launch->kernel, "wlu_batch_refactor", length) == 0)
        return one_row && refactor(launch);
    if (length == strlen("wlu_batch_substitute") && strncmp(launch->kernel, "wlu_batch_substitute", length) == 0)
        return one_row && substitute(launch);
    return 0;
}
