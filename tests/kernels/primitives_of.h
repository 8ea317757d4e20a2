/* The table of one instruction set's primitives: the including file defines v8 and its functions (simd_*.h) and
 * PRIMITIVES_OF, the name of the table. */
#include "primitives.h"

#define STORE(name, expression) \
    static void name(const primitive_operands *o, double *out) \
    { \
        (void)o; \
        v8_store(out, expression); \
    }

STORE(do_zero, v8_zero())
STORE(do_set, v8_set(o->a[0]))
STORE(do_load, v8_load(o->memory + 1))
STORE(do_add, v8_add(v8_load(o->a), v8_load(o->b)))
STORE(do_mul, v8_mul(v8_load(o->a), v8_load(o->b)))
STORE(do_div, v8_div(v8_load(o->a), v8_load(o->b)))
STORE(do_fma, v8_fma(v8_load(o->a), v8_load(o->b), v8_load(o->c)))
STORE(do_fnma, v8_fnma(v8_load(o->a), v8_load(o->b), v8_load(o->c)))
STORE(do_abs, v8_abs(v8_load(o->a)))
STORE(do_gather, v8_gather(o->memory, o->index))
STORE(do_gather_or_zero, v8_gather_or_zero(o->memory, o->maybe))
STORE(do_load_powers, v8_load_powers(o->upper))
STORE(do_inverse_power, v8_inverse_power(v8_load(o->magnitude[0])))
STORE(do_max_bits, v8_max_bits(v8_load(o->magnitude[0]), v8_load(o->magnitude[1])))
STORE(do_greater_of, v8_greater_of(v8_load(o->a), v8_load(o->b)))
STORE(do_select, v8_select(v8_load(o->a), v8_load(o->b), v8_load(o->c)))
STORE(do_lane, v8_lane(v8_load(o->a), o->lane))
STORE(do_from, v8_from(v8_load(o->a), o->lane))
STORE(do_eliminate, v8_put(v8_fnma_above(v8_load(o->b), v8_load(o->c), v8_load(o->a), o->lane), v8_load(o->b), o->lane))

static void do_scatter(const primitive_operands *o, double *out)
{
    v8_scatter(out, o->index, v8_load(o->a));
}

static void do_first(const primitive_operands *o, double *out)
{
    out[0] = v8_first(v8_load(o->a));
}

static void do_all_greater(const primitive_operands *o, double *out)
{
    out[0] = v8_all_greater(v8_load(o->magnitude[0]), v8_set(o->magnitude[1][o->lane]));
}

static void do_tree(const primitive_operands *o, double *out)
{
    out[0] = v8_tree(v8_load(o->a));
}

static void do_trees(const primitive_operands *o, double *out)
{
    v8 row[8];
    for (int k = 0; k < 8; k++) row[k] = v8_load(o->rows[k]);
    v8_store(out, v8_trees(row));
}

static void do_transpose(const primitive_operands *o, double *out)
{
    v8 row[8];
    for (int k = 0; k < 8; k++) row[k] = v8_load(o->rows[k]);
    v8_transpose(row);
    for (int k = 0; k < 8; k++) v8_store(out + 8 * k, row[k]);
}

primitive *const PRIMITIVES_OF[PRIMITIVE_COUNT] = {
#define X(name) [PRIMITIVE_##name] = do_##name,
    PRIMITIVES(X)
#undef X
};
