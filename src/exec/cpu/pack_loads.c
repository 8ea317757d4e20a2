/* What of a stream's slots is loaded and judged beside its runs: areas, marks, load maps, ranges. See image.h for the
 * form. O(slots). */
#include "exec/cpu/pack.h"

#include "base/power.h"

#include <string.h>

enum { SHARED_SLOTS = 1024 }; /* loads are shared between threads by so many */

void wlu_pack_find_areas(wlu_cpu_packer *p)
{
    const wlu_areas areas = wlu_areas_of(p->program);
    if (p->solve != NULL) return;
    p->area_end[WLU_AREA_U] = areas.l;
    p->area_end[WLU_AREA_L] = areas.f;
    p->area_end[WLU_AREA_F] = areas.reciprocal;
    p->area_end[WLU_AREA_RECIPROCAL] = p->program->region_slots;
}

static void mark(wlu_cpu_packer *p, int64_t first, uint8_t what)
{
    uint8_t *at = p->mark + first;
    for (int k = 0; k < LANES; k++) at[k] |= what;
}

wlu_area wlu_pack_area(wlu_cpu_packer *p, int64_t first)
{
    int area = WLU_AREA_U;
    while (area < WLU_SLOT_AREAS && first >= p->area_end[area]) area++;
    if (area == WLU_SLOT_AREAS || first + LANES > p->area_end[area]) return WLU_AREA_NONE;
    mark(p, first, JUDGED);
    return (wlu_area)area;
}

int wlu_pack_fuse(wlu_cpu_packer *p, int64_t first)
{
    if (first < p->loads->first || first + LANES > p->loads->first + p->loads->count) return 0;
    mark(p, first, LOADED);
    return 1;
}

void wlu_pack_map(wlu_cpu_packer *p, int64_t first, int64_t count)
{
    const wlu_loads *l = p->loads;
    int32_t *w = wlu_pack_take(p, p->unit ? UNIT_MAP_WORDS : MAP_WORDS);
    int64_t at = first - l->first;
    uint16_t upper[LANES] = {0};
    if (w == NULL) return;
    if (count >= LANES)
        memcpy(w, l->source + at, LANES * sizeof *w);
    else
        for (int k = 0; k < LANES; k++) w[k] = k < count ? l->source[at + k] : -1;
    if (p->unit) return;
    for (int k = 0; k < LANES; k++)
        if (w[k] >= 0) upper[k] = wlu_upper_of_power(l->scale[at + k]);
    memcpy(w + LANES, upper, sizeof upper);
}

int wlu_pack_is_unit(const wlu_loads *l)
{
    for (int64_t k = 0; k < l->count; k++)
        if (l->source[k] >= 0 && l->scale[k] != 1.0) return 0;
    return 1;
}

/* The first slot from k on whose mark differs from that of k, but for bits that are not asked for. */
static int64_t alike_end(const uint8_t *slot_mark, int64_t k, int64_t end, uint8_t asked)
{
    const uint64_t each = UINT64_C(0x0101010101010101), same = each * (slot_mark[k] & asked);
    for (uint64_t eight; k + 8 <= end; k += 8) {
        memcpy(&eight, slot_mark + k, sizeof eight);
        if ((eight & each * asked) != same) break;
    }
    while (k < end && (slot_mark[k] & asked) == (same & 0xff)) k++;
    return k;
}

/* Ranges in the making. range: NULL while they are only counted; open: the last one, of no slot if there is none. */
typedef struct maker {
    wlu_range *range;
    int64_t count, most;
    wlu_range open;
} maker;

static void close_range(maker *m)
{
    if (m->open.count == 0) return;
    if (m->range != NULL) m->range[m->count] = m->open;
    m->count++;
    m->open.count = 0;
}

/* Slots first .. end - 1 of one area, behind all before. */
static void add_slots(maker *m, int64_t first, int64_t end, wlu_area area)
{
    while (first < end) {
        wlu_range *open = &m->open;
        if (open->count == 0 || open->count == m->most || open->area != (int32_t)area ||
            open->first + open->count != first) {
            close_range(m);
            *open = (wlu_range){first, 0, (int32_t)area};
        }
        int64_t room = m->most - open->count, take = end - first < room ? end - first : room;
        open->count += take;
        first += take;
    }
}

/* Slots first .. end - 1 of one area that have no such mark. What a record computes counts for no area if apart is
 * TARGET; it is 0 where that makes no difference. */
static void add_unmarked(const wlu_cpu_packer *p, maker *m, int64_t first, int64_t end, wlu_area area, uint8_t marked,
                         uint8_t apart)
{
    for (int64_t k = first, next; k < end; k = next) {
        next = alike_end(p->mark, k, end, marked | apart);
        if ((p->mark[k] & marked) == 0) add_slots(m, k, next, p->mark[k] & apart ? WLU_AREA_NONE : area);
    }
}

/* The ranges of slots first .. end - 1; counted only where range is NULL. */
static int64_t find_ranges(const wlu_cpu_packer *p, int64_t first, int64_t end, uint8_t marked, uint8_t apart,
                           wlu_range *range)
{
    maker m = {.range = range, .most = p->solve == NULL && p->program->parts > 1 ? SHARED_SLOTS : INT64_MAX};
    for (int area = WLU_AREA_U; area < WLU_SLOT_AREAS; area++) {
        int64_t stop = p->area_end[area] < end ? p->area_end[area] : end;
        add_unmarked(p, &m, first, stop, (wlu_area)area, marked, apart);
        if (stop > first) first = stop;
    }
    add_unmarked(p, &m, first, end, WLU_AREA_NONE, marked, apart);
    close_range(&m);
    return m.count;
}

static warplu_status make_ranges(const wlu_cpu_packer *p, wlu_context *ctx, int64_t first, int64_t end, uint8_t marked,
                                 uint8_t apart, wlu_cpu_ranges *out)
{
    out->count = find_ranges(p, first, end, marked, apart, NULL);
    out->range = WLU_ALLOC(ctx, out->count, wlu_range);
    if (out->range == NULL) return wlu_fail_memory(ctx, "packed program");
    find_ranges(p, first, end, marked, apart, out->range);
    return WARPLU_SUCCESS;
}

/* Where each part's loads begin, word by word as they are put; the guards' entries are the last part's first. */
static void share_loads(const wlu_cpu_packer *p, const wlu_cpu_ranges *load, wlu_place *share)
{
    int64_t total = p->solve == NULL ? wlu_lu_of(p->program)->guard.entries : 0, before = 0, word = 0;
    int32_t part = 0, parts = p->solve == NULL ? p->program->parts : 1;
    for (int64_t r = 0; r < load->count; r++) total += load->range[r].count;
    for (int64_t r = 0; r < load->count; r++) {
        while (part < parts && before * parts >= total * part) share[part++] = (wlu_place){r, word};
        before += load->range[r].count;
        word += (load->range[r].count + LANES - 1) / LANES * (p->unit ? UNIT_MAP_WORDS : MAP_WORDS);
    }
    while (part <= parts) share[part++] = (wlu_place){load->count, word};
}

void wlu_pack_mark_targets(wlu_cpu_packer *p)
{
    const int32_t *target = p->s->target;
    uint8_t *slot_mark = p->mark;
    for (int64_t r = 0, count = p->s->nrecords; r < count; r++) slot_mark[target[r]] = TARGET; /* the first mark */
}

/* Marks slots that keep what is loaded: no record writes them, so the load itself looks at their magnitudes. */
static void mark_loads(wlu_cpu_packer *p)
{
    uint8_t *slot_mark = p->mark + p->loads->first;
    for (int64_t k = 0, count = p->loads->count; k < count; k++) slot_mark[k] |= slot_mark[k] & TARGET ? 0 : JUDGED;
}

warplu_status wlu_pack_find_ranges(wlu_cpu_packer *p, wlu_context *ctx, wlu_packed *out)
{
    const wlu_program *q = p->program;
    const wlu_loads *l = p->loads;
    if (p->solve == NULL) mark_loads(p);
    warplu_status status = make_ranges(p, ctx, l->first, l->first + l->count, LOADED, TARGET, &out->load);
    if (status == WARPLU_SUCCESS && p->solve == NULL)
        status = make_ranges(p, ctx, 0, q->region_slots, JUDGED, 0, &out->judged);
    if (status < 0) return status;
    out->share = WLU_ALLOC(ctx, (p->solve == NULL ? (int64_t)q->parts : 1) + 1, wlu_place);
    if (out->share == NULL) return wlu_fail_memory(ctx, "packed program");
    share_loads(p, &out->load, out->share);
    return WARPLU_SUCCESS;
}

void wlu_pack_put_ranges(wlu_cpu_packer *p, const wlu_cpu_ranges *load)
{
    p->nwords = 0;
    for (int64_t r = 0; r < load->count; r++)
        for (int64_t k = 0; k < load->range[r].count; k += LANES)
            wlu_pack_map(p, load->range[r].first + k, load->range[r].count - k);
    p->nwords = (p->nwords + WORD_ALIGN - 1) / WORD_ALIGN * WORD_ALIGN;
}
