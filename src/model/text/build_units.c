/* Walks expressions for their units, as build.c does for nodes: what each operation makes of units, and where these
 * have to agree. */
#include <stdio.h>

#include "model/text/build.h"
#include "model/text/units.h"

/* Returns the unit of what has to have one: the known one. */
static int32_t alike(const wlm_builder *b, const char *what, int32_t x, int32_t y)
{
    char one[WLM_UNIT_BYTES], other[WLM_UNIT_BYTES], both[2 * WLM_UNIT_BYTES + 8];
    if (x == WLM_UNIT_OPEN || y == WLM_UNIT_OPEN) return x == WLM_UNIT_OPEN ? y : x;
    if (wlm_unit_agree(b->r, x, y, b->place)) return x;
    snprintf(both, sizeof both, "%s and %s", wlm_unit_write(b->r, x, one), wlm_unit_write(b->r, y, other));
    wlm_unit_fail(b->r, b->place, b->call, what, both, x, y);
    return x;
}

/* Returns the unit of what has to be a number alone: that, or an open one. The time by itself may be taken for one, as
 * in sin(t). */
static int32_t pure(const wlm_builder *b, const char *name, int32_t unit)
{
    char what[WLM_UNIT_BYTES], found[WLM_UNIT_BYTES];
    if (unit == WLM_UNIT_OPEN) return unit;
    wlm_unit rest = b->r->unit[unit];
    const double times = rest.power[WLM_BASE_TIME];
    rest.power[WLM_BASE_TIME] = 0.0;
    if (!wlm_unit_is_nothing(times) && !wlm_unit_has_dimension(&rest) && wlm_unit_is_nothing(rest.size))
        return WLM_UNIT_OPEN;
    if (wlm_unit_agree(b->r, WLM_UNIT_ONE, unit, b->place)) return unit;
    snprintf(what, sizeof what, "a number without a unit in '%s'", name);
    wlm_unit_fail(b->r, b->place, b->call, what, wlm_unit_write(b->r, unit, found), WLM_UNIT_ONE, unit);
    return unit;
}

int32_t wlm_unit_operate(const wlm_builder *b, wlm_opcode opcode, int32_t x, int32_t y, int32_t z)
{
    wlm_reading *r = b->r;
    switch (opcode) {
    case WLM_NEG:
    case WLM_ABS: return x;
    case WLM_ADD:
    case WLM_SUB: return alike(b, "terms of one unit in a sum", x, y);
    case WLM_MIN:
    case WLM_MAX: return alike(b, "operands of one unit", x, y);
    case WLM_SELECT: return alike(b, "branches of 'if' of one unit", y, z);
    case WLM_ATAN2: return wlm_unit_product(r, x, alike(b, "operands of one unit", x, y), -1.0);
    case WLM_LT:
    case WLM_LE:
    case WLM_EQ:
    case WLM_NE: alike(b, "one unit on both sides of a comparison", x, y); return WLM_UNIT_OPEN;
    case WLM_MUL: return wlm_unit_product(r, x, y, 1.0);
    case WLM_DIV: return wlm_unit_product(r, x, y, -1.0);
    case WLM_SQRT: return x != WLM_UNIT_OPEN ? wlm_unit_product(r, WLM_UNIT_ONE, x, 0.5) : x;
    case WLM_RSQRT: return x != WLM_UNIT_OPEN ? wlm_unit_product(r, WLM_UNIT_ONE, x, -0.5) : x;
    case WLM_FLOOR:
    case WLM_CEIL:
    case WLM_EXP:
    case WLM_LOG:
    case WLM_LOG10:
    case WLM_SIN:
    case WLM_COS:
    case WLM_TAN:
    case WLM_ASIN:
    case WLM_ACOS:
    case WLM_ATAN:
    case WLM_TANH:
    case WLM_EXPM1:
    case WLM_LOG1P:
    case WLM_ERF:
    case WLM_ERFC: return pure(b, wlm_opcode_text(opcode), x);
    case WLM_CONSTANT:
    case WLM_INPUT:
    case WLM_SIGN:
    case WLM_NOT:
    case WLM_AND:
    case WLM_OR:
    case WLM_POW:  /* by wlm_unit_power, */
    case WLM_FMA:  /* of what others are made into, */
    case WLM_FNMA: /* and of tables, */
    case WLM_FIND: /* which have no units */
    case WLM_PIECE:
    case WLM_OPCODES: break;
    }
    return WLM_UNIT_OPEN;
}

int32_t wlm_unit_power(wlm_builder *b, int32_t base, const wlm_tree *exponent)
{
    int32_t unit = wlm_value_of(b, exponent).node;
    b->place = exponent->place;
    pure(b, "^", unit);
    if (base == WLM_UNIT_OPEN || b->r->status != WARPLU_SUCCESS) return WLM_UNIT_OPEN;
    if (!wlm_is_constant(b, exponent)) return wlm_unit_has_dimension(&b->r->unit[base]) ? WLM_UNIT_OPEN : base;
    return wlm_unit_product(b->r, WLM_UNIT_ONE, base, wlm_number_of(b, exponent, "an exponent"));
}

int32_t wlm_unit_of(wlm_builder *b, const wlm_tree *tree, int32_t wanted, const char *what, const char *name)
{
    wlm_reading *r = b->r;
    const wlm_building before = b->building;
    const int32_t units = r->units;
    if (units == 0 || r->status != WARPLU_SUCCESS) return WLM_UNIT_OPEN;
    b->building = WLM_TO_UNIT;
    int32_t found = wlm_value_of(b, tree).node;
    b->building = before;
    if (r->status == WARPLU_SUCCESS) found = wlm_unit_expect(r, tree->place, wanted, found, what, name);
    if (r->status != WARPLU_SUCCESS) return WLM_UNIT_OPEN;
    if (found >= units) r->unit[units] = r->unit[found]; /* the others were steps on the way to it */
    r->units = found >= units ? units + 1 : units;
    return found >= units ? units : found;
}
