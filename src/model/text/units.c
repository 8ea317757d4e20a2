/* The algebra of units, and what is said where they differ. A difference in nothing but the unit of the time tells that
 * unit, once. */
#include "model/text/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/text/routine.h"

/* ------------------------------------------------------------------ algebra */

int32_t wlm_unit_add(wlm_reading *r, const wlm_unit *unit)
{
    static const wlm_unit first[WLM_UNITS_FIRST] = {
        [WLM_UNIT_ONE] = {.text = {"1", 1}},
        [WLM_UNIT_TIME] = {.power[WLM_BASE_TIME] = 1.0},
    };
    enum { ROOM_FIRST = 16 };
    if (r->units == r->unit_room) { /* no wlm_more_for: units that are done with give their room back */
        int32_t room = r->units > 0 ? 2 * r->units : ROOM_FIRST;
        wlm_unit *more = wlm_take_for(r, &r->scratch, room, sizeof *more);
        if (more == NULL) return WLM_UNIT_OPEN;
        memcpy(more, r->units > 0 ? r->unit : first,
               (size_t)(r->units > 0 ? r->units : WLM_UNITS_FIRST) * sizeof *more);
        if (r->units == 0) r->units = WLM_UNITS_FIRST;
        r->unit = more;
        r->unit_room = room;
    }
    r->unit[r->units] = *unit;
    return r->units++;
}

void wlm_unit_times(wlm_unit *to, const wlm_unit *by, double power)
{
    for (int k = 0; k < WLM_BASES; k++) to->power[k] += power * by->power[k];
    to->size += power * by->size;
    to->text.length = 0;
}

int32_t wlm_unit_product(wlm_reading *r, int32_t a, int32_t b, double power)
{
    if (a == WLM_UNIT_OPEN || b == WLM_UNIT_OPEN) return WLM_UNIT_OPEN;
    wlm_unit product = r->unit[a];
    wlm_unit_times(&product, &r->unit[b], power);
    return wlm_unit_add(r, &product);
}

int32_t wlm_unit_rate(wlm_reading *r, int32_t unit)
{
    return wlm_unit_product(r, unit, WLM_UNIT_TIME, -1.0);
}

/* The unit in seconds, where the time's unit is known. */
static wlm_unit in_seconds(const wlm_reading *r, wlm_unit unit)
{
    const double times = unit.power[WLM_BASE_TIME];
    if (!r->time.is_known) return unit;
    unit.power[WLM_BASE_TIME] = 0.0;
    unit.power[WLM_BASE_SECOND] += times;
    unit.size += times * r->time.size;
    return unit;
}

int wlm_unit_has_dimension(const wlm_unit *unit)
{
    for (int k = 0; k < WLM_BASES; k++)
        if (!wlm_unit_is_nothing(unit->power[k])) return 1;
    return 0;
}

int wlm_unit_agree(wlm_reading *r, int32_t a, int32_t b, wlm_place place)
{
    wlm_unit ratio = r->unit[a];
    wlm_unit_times(&ratio, &r->unit[b], -1.0);
    const double times = ratio.power[WLM_BASE_TIME];
    if (!r->time.is_known && !wlm_unit_is_nothing(times)) {
        wlm_unit rest = ratio;
        rest.power[WLM_BASE_SECOND] += times;
        rest.power[WLM_BASE_TIME] = 0.0;
        if (!wlm_unit_has_dimension(&rest)) r->time = (wlm_time_unit){1, -ratio.size / times, place};
    }
    ratio = in_seconds(r, ratio);
    return !wlm_unit_has_dimension(&ratio) && wlm_unit_is_nothing(ratio.size);
}

/* ------------------------------------------------------------------ messages */

const char *wlm_unit_write(const wlm_reading *r, int32_t number, char *text)
{
    static const char *const names[WLM_BASES] = {"m", "kg", "s", "A", "K", "mol", "cd", "time"};
    const wlm_unit unit = in_seconds(r, r->unit[number]);
    int at = 0;
    if (r->unit[number].text.length > 0) {
        snprintf(text, WLM_UNIT_BYTES, "[%.*s]", WLM_SHOWN(r->unit[number].text));
        return text;
    }
    if (!wlm_unit_is_nothing(unit.size)) at += snprintf(text, WLM_UNIT_BYTES, "[%.6g", pow(10.0, unit.size));
    for (int k = 0; k < WLM_BASES; k++) {
        if (wlm_unit_is_nothing(unit.power[k])) continue;
        at += snprintf(text + at, (size_t)(WLM_UNIT_BYTES - at), "%s%s", at > 0 ? " " : "[", names[k]);
        if (!wlm_unit_is_nothing(unit.power[k] - 1.0))
            at += snprintf(text + at, (size_t)(WLM_UNIT_BYTES - at), "^%.3g", unit.power[k]);
    }
    snprintf(text + at, (size_t)(WLM_UNIT_BYTES - at), "%s", at > 0 ? "]" : "[1]");
    return text;
}

/* Writes what the difference of two units is, where it is none of dimensions. */
static const char *write_difference(const wlm_reading *r, int32_t a, int32_t b, char *text)
{
    wlm_unit ratio = r->unit[a];
    wlm_unit_times(&ratio, &r->unit[b], -1.0);
    const int of_time = r->time.is_known && !wlm_unit_is_nothing(ratio.power[WLM_BASE_TIME]);
    ratio = in_seconds(r, ratio);
    if (wlm_unit_has_dimension(&ratio)) return "";
    int at = snprintf(text, WLM_UNIT_BYTES, ", which differ by a factor of %.6g", pow(10.0, fabs(ratio.size)));
    if (of_time)
        snprintf(text + at, (size_t)(WLM_UNIT_BYTES - at), "; by line " WLM_LINE_FORMAT " the time's unit is %.6g s",
                 WLM_LINE(r->time.place), pow(10.0, r->time.size));
    return text;
}

/* Writes which call of a function an expression is of; "" where it is of none. */
static const char *write_call(const wlm_tree *call, char *text)
{
    if (call == NULL) return "";
    snprintf(text, WLM_UNIT_BYTES, ", as '%.20s' is called at line " WLM_LINE_FORMAT, call->function->name,
             WLM_LINE(call->place));
    return text;
}

void wlm_unit_fail(wlm_reading *r, wlm_place place, const wlm_tree *call, const char *what, const char *found,
                   int32_t a, int32_t b)
{
    char difference[WLM_UNIT_BYTES], called[WLM_UNIT_BYTES];
    wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "expected %s, found %s%s%s", what, found,
                write_difference(r, a, b, difference), write_call(call, called));
}

int32_t wlm_unit_expect(wlm_reading *r, wlm_place place, int32_t wanted, int32_t found, const char *what,
                        const char *name)
{
    char in[WLM_UNIT_BYTES], other[WLM_UNIT_BYTES], whole[2 * WLM_UNIT_BYTES];
    if (wanted == WLM_UNIT_OPEN) return found;
    if (found == WLM_UNIT_OPEN || wlm_unit_agree(r, wanted, found, place)) return wanted;
    snprintf(whole, sizeof whole, "%s '%.40s' in %s", what, name, wlm_unit_write(r, wanted, in));
    wlm_unit_fail(r, place, NULL, whole, wlm_unit_write(r, found, other), wanted, found);
    return wanted;
}
