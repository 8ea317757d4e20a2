/* What of a stream's slots is loaded and judged beside its runs: areas, marks, load maps, ranges. See image.h for the
 * form. O(slots). */
#include "exec/cpu/pack.h"

#include "base/power.h"

#include <string.h>

enum { SHARED_SLOTS = 1024 }; /* loads are shared between threads by so many */

/* The area of a slot whose magnitude the guards want. */
static wlu_area area_of(const wlu_cpu_packer *p, int64_t slot)
{
    return p->solve != NULL ? WLU_AREA_NONE : wlu_area_of(p->program, slot);
}

static void mark(wlu_cpu_packer *p, int64_t first, uint8_t what)
{
    for (int k = 0; k < LANES; k++) p->mark[first + k] |= what;
}

wlu_area wlu_pack_area(wlu_cpu_packer *p, int64_t first)
{
    wlu_area area = area_of(p, first);
    if (area == WLU_AREA_NONE || area != area_of(p, first + LANES - 1)) return WLU_AREA_NONE;
    mark(p, first, JUDGED);
    return area;
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
    uint16_t upper[LANES] = {0};
    if (w == NULL) return;
    for (int64_t k = 0; k < LANES; k++) {
        int64_t at = first - l->first + k;
        w[k] = k < count ? l->source[at] : -1;
        if (w[k] >= 0) upper[k] = wlu_upper_of_power(l->scale[at]);
    }
    if (!p->unit) memcpy(w + LANES, upper, sizeof upper);
}

int wlu_pack_is_unit(const wlu_loads *l)
{
    for (int64_t k = 0; k < l->count; k++)
        if (l->source[k] >= 0 && l->scale[k] != 1.0) return 0;
    return 1;
}

/* Whether a range has to load slot k, and the area it counts for if it stays as it is. */
static int wanted_load(const wlu_cpu_packer *p, int64_t k, wlu_area *area)
{
    *area = p->mark[k] & TARGET ? WLU_AREA_NONE : area_of(p, k);
    return (p->mark[k] & LOADED) == 0;
}

static int wanted_judgement(const wlu_cpu_packer *p, int64_t k, wlu_area *area)
{
    *area = area_of(p, k);
    return *area != WLU_AREA_NONE && (p->mark[k] & JUDGED) == 0;
}

/* The ranges of slots first .. end - 1 that are wanted; counted only where range is NULL. */
static int64_t find_ranges(const wlu_cpu_packer *p, int64_t first, int64_t end,
                           int (*wanted)(const wlu_cpu_packer *, int64_t, wlu_area *), wlu_range *range)
{
    int64_t count = 0, most = p->solve == NULL && p->program->parts > 1 ? SHARED_SLOTS : INT64_MAX;
    for (int64_t k = first; k < end;) {
        wlu_area area, next;
        if (!wanted(p, k, &area)) {
            k++;
            continue;
        }
        int64_t begin = k++;
        while (k < end && k - begin < most && wanted(p, k, &next) && next == area) k++;
        if (range != NULL) range[count] = (wlu_range){begin, k - begin, (int32_t)area};
        count++;
    }
    return count;
}

static warplu_status make_ranges(const wlu_cpu_packer *p, wlu_context *ctx, int64_t first, int64_t end,
                                 int (*wanted)(const wlu_cpu_packer *, int64_t, wlu_area *), wlu_cpu_ranges *out)
{
    out->count = find_ranges(p, first, end, wanted, NULL);
    out->range = WLU_ALLOC(ctx, out->count, wlu_range);
    if (out->range == NULL) return wlu_fail_memory(ctx, "packed program");
    find_ranges(p, first, end, wanted, out->range);
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
    for (int64_t r = 0; r < p->s->nrecords; r++) p->mark[p->s->target[r]] |= TARGET;
}

/* What is loaded, stays and counts is judged by its load. */
static void mark_loads(wlu_cpu_packer *p)
{
    const wlu_loads *l = p->loads;
    for (int64_t k = l->first; k < l->first + l->count; k++)
        if ((p->mark[k] & TARGET) == 0) p->mark[k] |= JUDGED;
}

warplu_status wlu_pack_find_ranges(wlu_cpu_packer *p, wlu_context *ctx, wlu_packed *out)
{
    const wlu_program *q = p->program;
    const wlu_loads *l = p->loads;
    if (p->solve == NULL) mark_loads(p);
    warplu_status status = make_ranges(p, ctx, l->first, l->first + l->count, wanted_load, &out->load);
    if (status == WARPLU_SUCCESS && p->solve == NULL)
        status = make_ranges(p, ctx, 0, q->region_slots, wanted_judgement, &out->judged);
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
