/* Units of parts of a text, and of what expressions make of them.
 *
 * A unit is a product of powers of base units, times a size. Each has a number in the reading; that of what has none is
 * WLM_UNIT_OPEN, which agrees with all, and whatever is made of it is open but a sum, which has the unit of its other
 * terms. Expressions are walked as when nodes are built (build_units.c), with numbers of units in place of nodes.
 *
 * The unit of the time is what equations make it: a base unit of its own in rates, until a comparison with a unit of
 * seconds says how long it is. Cost: a second walk of each expression, where a text has units; 80 bytes a unit. */
#ifndef WLU_MODEL_TEXT_UNITS_H
#define WLU_MODEL_TEXT_UNITS_H

#include <math.h>

#include "model/text/tree.h"

/* Base units; the last one is that of the time. */
enum {
    WLM_BASE_METRE,
    WLM_BASE_KILOGRAM,
    WLM_BASE_SECOND,
    WLM_BASE_AMPERE,
    WLM_BASE_KELVIN,
    WLM_BASE_MOLE,
    WLM_BASE_CANDELA,
    WLM_BASE_TIME,
    WLM_BASES
};

/* Numbers of units that every text has: none that is known, that of pure numbers, and that of the time. */
enum { WLM_UNIT_OPEN, WLM_UNIT_ONE, WLM_UNIT_TIME, WLM_UNITS_FIRST };
enum { WLM_UNIT_BYTES = 120 };

typedef struct wlm_unit {
    double power[WLM_BASES];
    double size;   /* its decimal logarithm, in base units */
    wlm_word text; /* as written; empty of what an expression has */
} wlm_unit;

/* unit_words.c: reads [unit] where a bracket stands. Returns its number; OPEN where there is none, or a note. */
int32_t wlm_parse_unit(wlm_reading *r);
/* Adds a unit; returns its number, or OPEN after a failure. */
int32_t wlm_unit_add(wlm_reading *r, const wlm_unit *unit);
/* Multiplies `to` by a power of another unit. */
void wlm_unit_times(wlm_unit *to, const wlm_unit *by, double power);

/* Return the number of a times a power of b, and of the rate of what has this unit. */
int32_t wlm_unit_product(wlm_reading *r, int32_t a, int32_t b, double power);
int32_t wlm_unit_rate(wlm_reading *r, int32_t unit);
int wlm_unit_has_dimension(const wlm_unit *unit);
/* Returns whether two known units are one; tells the unit of the time where that is all that may differ. */
int wlm_unit_agree(wlm_reading *r, int32_t a, int32_t b, wlm_place place);
/* Writes "[mV]", as written or by base units, into WLM_UNIT_BYTES. */
const char *wlm_unit_write(const wlm_reading *r, int32_t number, char *text);
/* Fails: "expected WHAT, found UNITS", and by what a and b differ. call: the APPLY whose expression it is, or NULL. */
void wlm_unit_fail(wlm_reading *r, wlm_place place, const wlm_tree *call, const char *what, const char *found,
                   int32_t a, int32_t b);
/* Fails where both are known and differ: "expected WHAT 'NAME' in [wanted], found [found]". Returns the known one. */
int32_t wlm_unit_expect(wlm_reading *r, wlm_place place, int32_t wanted, int32_t found, const char *what,
                        const char *name);

/* Powers and sizes are compared up to rounding, so that roots of units are units. */
static inline int wlm_unit_is_nothing(double x)
{
    return fabs(x) < 1e-9;
}

#endif
