/* Verification of what a packed stream loads, of what the guards look at, and of the order of right-hand sides and
 * solutions. See verify.h. */
#include "exec/cpu/verify_state.h"

#include "base/power.h"

#include <string.h>

int wlu_image_check_map(wlu_image_verifier *v, int64_t first, int64_t count)
{
    const wlu_loads *l = v->loads;
    const int32_t *w = wlu_image_take(v, v->packed->unit ? UNIT_MAP_WORDS : MAP_WORDS);
    uint16_t upper[LANES] = {0};
    if (w == NULL ||
        !wlu_image_check(v, first >= l->first && first + count <= l->first + l->count, "load of no slot", first))
        return 0;
    if (!v->packed->unit) memcpy(upper, w + LANES, sizeof upper);
    for (int64_t k = 0; k < LANES; k++) {
        int64_t at = first - l->first + k;
        int32_t source = k < count ? l->source[at] : -1;
        uint16_t scale = source < 0 ? 0 : wlu_upper_of_power(l->scale[at]);
        if (!wlu_image_check(v, w[k] == source, "source of a load", first + k) ||
            !wlu_image_check(v, v->packed->unit || upper[k] == scale, "scale of a load", first + k))
            return 0;
        if (k >= count) continue;
        if (!wlu_image_check(v, (v->mark[first + k] & LOADED) == 0, "slot loaded twice", first + k)) return 0;
        v->mark[first + k] |= LOADED;
    }
    return 1;
}

/* The area of a slot whose magnitude the guards want. */
static wlu_area area_of(const wlu_image_verifier *v, int64_t slot)
{
    return v->solve != NULL ? WLU_AREA_NONE : wlu_area_of(v->p, slot);
}

int wlu_image_judge(wlu_image_verifier *v, int64_t slot, int area)
{
    if (area == WLU_AREA_NONE) return 1;
    if (!wlu_image_check(v, area == (int)area_of(v, slot), "area of a judged slot", slot) ||
        !wlu_image_check(v, (v->mark[slot] & JUDGED) == 0, "slot judged twice", slot))
        return 0;
    v->mark[slot] |= JUDGED;
    return 1;
}

/* Slots of a range are first .. end - 1 at most. */
static int check_bounds(wlu_image_verifier *v, const wlu_range *range, int64_t first, int64_t end)
{
    return wlu_image_check(v, range->count >= 1 && range->first >= first && range->count <= end - range->first,
                           "range of slots", range->first);
}

/* A range of the loads: slots of one kind, which count where they stay as they are loaded. */
static int check_range(wlu_image_verifier *v, const wlu_range *range)
{
    if (!check_bounds(v, range, v->loads->first, v->loads->first + v->loads->count)) return 0;
    for (int64_t k = 0; k < range->count; k += LANES) {
        int64_t left = range->count - k;
        if (!wlu_image_check_map(v, range->first + k, left < LANES ? left : LANES)) return 0;
    }
    for (int64_t slot = range->first; slot < range->first + range->count; slot++) {
        wlu_area area = v->record[slot] >= 0 ? WLU_AREA_NONE : area_of(v, slot);
        if (!wlu_image_check(v, range->area == (int32_t)area, "area of a range of loads", slot) ||
            !wlu_image_judge(v, slot, range->area))
            return 0;
    }
    return 1;
}

int wlu_image_check_loads(wlu_image_verifier *v)
{
    const wlu_packed *packed = v->packed;
    const wlu_place *share = packed->share;
    int32_t part = 0, parts = v->solve == NULL ? v->p->parts : 1;
    for (int64_t k = 0; k < v->loads->count && packed->unit; k++)
        if (!wlu_image_check(v, v->loads->source[k] < 0 || v->loads->scale[k] == 1.0,
                             "scale of a load that is 1 in the image", v->loads->first + k))
            return 0;
    if (!wlu_image_check(v, share[0].run == 0, "share of the first part", share[0].run)) return 0;
    for (int64_t r = 0; r <= packed->load.count; r++) {
        for (; part <= parts && share[part].run == r; part++)
            if (!wlu_image_check(v, share[part].word == v->word, "share of a part", part)) return 0;
        if (r < packed->load.count && !check_range(v, &packed->load.range[r])) return 0;
    }
    v->word = (v->word + WORD_ALIGN - 1) / WORD_ALIGN * WORD_ALIGN;
    return wlu_image_check(v, part == parts + 1, "share of a part", part);
}

int wlu_image_check_judged(wlu_image_verifier *v)
{
    const wlu_program *p = v->p;
    const wlu_cpu_ranges *judged = &v->packed->judged;
    const wlu_loads *l = v->loads;
    if (!wlu_image_check(v, v->solve == NULL || judged->count == 0, "guards of a solve", judged->count)) return 0;
    for (int64_t r = 0; r < judged->count; r++) {
        const wlu_range *range = &judged->range[r];
        if (!check_bounds(v, range, 0, p->region_slots)) return 0;
        for (int64_t slot = range->first; slot < range->first + range->count; slot++)
            if (!wlu_image_check(v, range->area != WLU_AREA_NONE, "range without an area", slot) ||
                !wlu_image_judge(v, slot, range->area))
                return 0;
    }
    for (int64_t slot = l->first; slot < l->first + l->count; slot++)
        if (!wlu_image_check(v, v->mark[slot] & LOADED, "slot that nobody loads", slot)) return 0;
    for (int64_t slot = 0; v->solve == NULL && slot < p->region_slots; slot++)
        if (!wlu_image_check(v, v->mark[slot] & JUDGED, "slot that nobody judges", slot)) return 0;
    return 1;
}

/* Number k of the program, in slot first + k, is the caller's index[k]. */
static int check_order(wlu_image_verifier *v, const wlu_cpu_places *places, int64_t first, const int32_t *index,
                       const double *scale, const char *what)
{
    if (!wlu_image_check(v, places->n == v->p->n && (scale == NULL) == (places->scale == NULL), what, first)) return 0;
    for (int32_t k = 0; k < places->n; k++)
        if (!wlu_image_check(
                v, places->place[index[k]] == first + k && (scale == NULL || places->scale[index[k]] == scale[k]), what,
                first + k))
            return 0;
    return 1;
}

int wlu_image_check_places(wlu_image_verifier *v, const wlu_cpu_solve *solve)
{
    const wlu_triangular *t = v->solve;
    return check_order(v, &solve->loads, t->load.first, t->load.source, v->packed->unit ? NULL : t->load.scale,
                       "place of a right-hand side") &&
           check_order(v, &solve->stores, v->p->x, t->index, t->scale, "place of a solution");
}
