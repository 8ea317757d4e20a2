/* Verification of what a packed stream loads, of what the guards look at, and of the order of right-hand sides and
 * solutions. See verify.h. */
#include "exec/cpu/verify_state.h"

#include "base/power.h"

#include <string.h>

warplu_status wlu_image_check_map(wlu_image_verifier *v, int64_t first, int64_t count)
{
    const wlu_loads *l = v->loads;
    const int32_t *w = wlu_image_take(v, v->packed->unit ? UNIT_MAP_WORDS : MAP_WORDS);
    uint16_t upper[LANES] = {0};
    if (w == NULL) return wlu_image_broken(v, "load map beyond the stream", first);
    if (first < l->first || first + count > l->first + l->count) return wlu_image_broken(v, "load of no slot", first);
    if (!v->packed->unit) memcpy(upper, w + LANES, sizeof upper);
    for (int64_t k = 0; k < LANES; k++) {
        int64_t at = first - l->first + k;
        if (w[k] != (k < count ? l->source[at] : -1)) return wlu_image_broken(v, "source of a load", first + k);
        uint16_t scale = w[k] < 0 ? 0 : (uint16_t)(wlu_bits_of_double(l->scale[at]) >> 48);
        if (!v->packed->unit && upper[k] != scale) return wlu_image_broken(v, "scale of a load", first + k);
        if (k >= count) continue;
        if (v->mark[first + k] & LOADED) return wlu_image_broken(v, "slot loaded twice", first + k);
        v->mark[first + k] |= LOADED;
    }
    return WARPLU_SUCCESS;
}

/* The area of a slot whose magnitude the guards want. */
static wlu_area area_of(const wlu_image_verifier *v, int64_t slot)
{
    const wlu_program *p = v->p;
    const wlu_areas areas = wlu_areas_of(p);
    if (v->solve != NULL || slot < 0 || slot >= p->region_slots) return WLU_AREA_NONE;
    if (slot < areas.l) return WLU_AREA_U;
    if (slot < areas.f) return WLU_AREA_L;
    return slot < areas.reciprocal ? WLU_AREA_F : WLU_AREA_RECIPROCAL;
}

warplu_status wlu_image_judge(wlu_image_verifier *v, int64_t slot, int area)
{
    if (area == WLU_AREA_NONE) return WARPLU_SUCCESS;
    if (area != (int)area_of(v, slot)) return wlu_image_broken(v, "area of a judged slot", slot);
    if (v->mark[slot] & JUDGED) return wlu_image_broken(v, "slot judged twice", slot);
    v->mark[slot] |= JUDGED;
    return WARPLU_SUCCESS;
}

/* A range of the loads: slots of one kind, which count where they stay as they are loaded. */
static warplu_status check_range(wlu_image_verifier *v, const wlu_range *range)
{
    if (range->count < 1 || range->first < v->loads->first ||
        range->count > v->loads->first + v->loads->count - range->first)
        return wlu_image_broken(v, "range of loads", range->first);
    for (int64_t k = 0; k < range->count; k += LANES) {
        int64_t left = range->count - k;
        warplu_status status = wlu_image_check_map(v, range->first + k, left < LANES ? left : LANES);
        if (status < 0) return status;
    }
    for (int64_t slot = range->first; slot < range->first + range->count; slot++) {
        wlu_area area = v->record[slot] >= 0 ? WLU_AREA_NONE : area_of(v, slot);
        if (range->area != (int32_t)area) return wlu_image_broken(v, "area of a range of loads", slot);
        warplu_status status = wlu_image_judge(v, slot, range->area);
        if (status < 0) return status;
    }
    return WARPLU_SUCCESS;
}

static int same_place(wlu_place a, int64_t run, int64_t word)
{
    return a.run == run && a.word == word;
}

warplu_status wlu_image_check_loads(wlu_image_verifier *v)
{
    const wlu_packed *packed = v->packed;
    int32_t part = 0, parts = v->solve == NULL ? v->p->parts : 1;
    for (int64_t k = 0; k < v->loads->count; k++)
        if (packed->unit && v->loads->source[k] >= 0 && v->loads->scale[k] != 1.0)
            return wlu_image_broken(v, "scale of a load that is 1 in the image", v->loads->first + k);
    if (packed->share[0].run != 0) return wlu_image_broken(v, "share of the first part", packed->share[0].run);
    for (int64_t r = 0; r < packed->load.count; r++) {
        for (; part <= parts && packed->share[part].run == r; part++)
            if (packed->share[part].word != v->word) return wlu_image_broken(v, "share of a part", part);
        warplu_status status = check_range(v, &packed->load.range[r]);
        if (status < 0) return status;
    }
    for (; part <= parts; part++)
        if (!same_place(packed->share[part], packed->load.count, v->word))
            return wlu_image_broken(v, "share of a part", part);
    v->word = (v->word + WORD_ALIGN - 1) / WORD_ALIGN * WORD_ALIGN;
    return WARPLU_SUCCESS;
}

warplu_status wlu_image_check_judged(wlu_image_verifier *v)
{
    const wlu_program *p = v->p;
    const wlu_cpu_ranges *judged = &v->packed->judged;
    if (v->solve != NULL && judged->count != 0) return wlu_image_broken(v, "guards of a solve", judged->count);
    for (int64_t r = 0; r < judged->count; r++) {
        const wlu_range *range = &judged->range[r];
        if (range->count < 1 || range->first < 0 || range->count > p->region_slots - range->first)
            return wlu_image_broken(v, "range of the guards", range->first);
        for (int64_t slot = range->first; slot < range->first + range->count; slot++) {
            if (range->area == WLU_AREA_NONE) return wlu_image_broken(v, "range without an area", slot);
            warplu_status status = wlu_image_judge(v, slot, range->area);
            if (status < 0) return status;
        }
    }
    for (int64_t slot = v->loads->first; slot < v->loads->first + v->loads->count; slot++)
        if ((v->mark[slot] & LOADED) == 0) return wlu_image_broken(v, "slot that nobody loads", slot);
    for (int64_t slot = 0; v->solve == NULL && slot < p->region_slots; slot++)
        if ((v->mark[slot] & JUDGED) == 0) return wlu_image_broken(v, "slot that nobody judges", slot);
    return WARPLU_SUCCESS;
}

/* Number k of the program, in slot first + k, is the caller's index[k]. */
static warplu_status check_order(const wlu_image_verifier *v, const wlu_cpu_places *places, int64_t first,
                                 const int32_t *index, const double *scale, const char *what)
{
    if (places->n != v->p->n || (scale == NULL) != (places->scale == NULL)) return wlu_image_broken(v, what, first);
    for (int32_t k = 0; k < places->n; k++)
        if (places->place[index[k]] != first + k || (scale != NULL && places->scale[index[k]] != scale[k]))
            return wlu_image_broken(v, what, first + k);
    return WARPLU_SUCCESS;
}

warplu_status wlu_image_check_places(const wlu_image_verifier *v, const wlu_cpu_places *loads,
                                     const wlu_cpu_places *stores)
{
    const wlu_triangular *t = v->solve;
    warplu_status status = check_order(v, loads, t->load.first, t->load.source, v->packed->unit ? NULL : t->load.scale,
                                       "place of a right-hand side");
    return status < 0 ? status : check_order(v, stores, v->p->x, t->index, t->scale, "place of a solution");
}
