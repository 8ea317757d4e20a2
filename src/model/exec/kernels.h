/* Makes a kernel for each operation and form of its operands, over 64 lanes or the first ones; a constant operand is
 * one number. This is a template, included behind an algebra, elementary functions and model/exec/kernel.h:
 * WLM_TABLE names the table that it makes. All is made from opcodes.def.
 *
 * Cost of cheap operations: one store and as many loads as slots are read for each vector; a call for eight vectors. */

#include "model/exec/vectors.h"

#if defined(__GNUC__)
#define WLM_UNROLL _Pragma("GCC unroll 8")
#else
#define WLM_UNROLL
#endif

/* Operand k is a slot (S) or a constant (C): BEFORE prepares it in front of the loop, the other reads one vector. */
#define WLM_BEFORE_S(k) const double *const from##k = (const double *)(const void *)(file + i->from[k].distance);
#define WLM_BEFORE_C(k) const V from##k = v_set(i->from[k].constant);
#define WLM_TAKE_S(k) v_load(from##k + lane)
#define WLM_TAKE_C(k) from##k

#define WLM_KERNEL(name, form, before, value) \
    static void name##_##form(const wlm_packed *i, char *file, int lanes) \
    { \
        (void)lanes; \
        double *const to = (double *)(void *)(file + i->to); \
        before WLM_UNROLL for (int lane = 0; lane < WLM_LANES; lane += WLM_WIDTH) v_store(to + lane, value); \
    } \
    static void name##_##form##_first(const wlm_packed *i, char *file, int lanes) \
    { \
        double *const to = (double *)(void *)(file + i->to); \
        before for (int lane = 0; lane < lanes; lane += WLM_WIDTH) v_store(to + lane, value); \
    }
#define WLM_KERNEL_1(name, a) WLM_KERNEL(name, a, WLM_BEFORE_##a(0), of_##name(WLM_TAKE_##a(0)))
#define WLM_KERNEL_2(name, a, b) \
    WLM_KERNEL(name, a##b, WLM_BEFORE_##a(0) WLM_BEFORE_##b(1), of_##name(WLM_TAKE_##a(0), WLM_TAKE_##b(1)))
#define WLM_KERNEL_3(name, a, b, c) \
    WLM_KERNEL(name, a##b##c, WLM_BEFORE_##a(0) WLM_BEFORE_##b(1) WLM_BEFORE_##c(2), \
               of_##name(WLM_TAKE_##a(0), WLM_TAKE_##b(1), WLM_TAKE_##c(2)))

/* Kernels of all forms but the one of constants alone. */
#define WLM_KERNELS_0(name)
#define WLM_KERNELS_1(name) WLM_KERNEL_1(name, S)
#define WLM_KERNELS_2(name) WLM_KERNEL_2(name, S, S) WLM_KERNEL_2(name, C, S) WLM_KERNEL_2(name, S, C)
#define WLM_KERNELS_3(name) \
    WLM_KERNEL_3(name, S, S, S) \
    WLM_KERNEL_3(name, C, S, S) \
    WLM_KERNEL_3(name, S, C, S) \
    WLM_KERNEL_3(name, C, C, S) \
    WLM_KERNEL_3(name, S, S, C) WLM_KERNEL_3(name, C, S, C) WLM_KERNEL_3(name, S, C, C)
#define WLM_OPCODE(name, operands, ...) WLM_KERNELS_##operands(name)
#define WLM_TABLED(...)
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
WLM_KERNELS_1(MOVE)
WLM_KERNEL_1(MOVE, C)

/* Operations that read a table are computed number by number: FIND begins where the lane before ended. */
#define WLM_FROM_S(k) from##k[lane]
#define WLM_FROM_C(k) i->from[k].constant
#define WLM_POINT_S(k) const double *const from##k = (const double *)(const void *)(file + i->from[k].distance);
#define WLM_POINT_C(k)
#define WLM_TABLED_KERNEL(name, form, count, point, value) \
    static void name##_##form##_first(const wlm_packed *i, char *file, int lanes) \
    { \
        const wlm_table *const table = i->from[count].table; \
        double *const to = (double *)(void *)(file + i->to); \
        int32_t near = 0; \
        (void)near; \
        point for (int lane = 0; lane < lanes; lane++) to[lane] = value; \
    } \
    static void name##_##form(const wlm_packed *i, char *file, int lanes) \
    { \
        (void)lanes; \
        name##_##form##_first(i, file, WLM_LANES); \
    }
static double find_near(const wlm_table *table, double x, int32_t *near)
{
    if (table == NULL) return (double)NAN;
    *near = wlm_table_number_near(table, x, *near);
    return *near;
}
WLM_TABLED_KERNEL(FIND, S, 1, WLM_POINT_S(0), find_near(table, WLM_FROM_S(0), &near))
#define WLM_PIECE_KERNEL(a, b) \
    WLM_TABLED_KERNEL(PIECE, a##b, 2, WLM_POINT_##a(0) WLM_POINT_##b(1), \
                      wlm_table_value(table, WLM_FROM_##a(0), WLM_FROM_##b(1)))
WLM_PIECE_KERNEL(S, S)
WLM_PIECE_KERNEL(C, S)
WLM_PIECE_KERNEL(S, C)

/* The number of a form has bit k set where operand k is a constant. */
#define WLM_PAIR(name, form) \
    { \
        name##_##form, name##_##form##_first \
    }
#define WLM_FORMS_0(name)
#define WLM_FORMS_1(name) [WLM_##name] = {WLM_PAIR(name, S)},
#define WLM_FORMS_2(name) [WLM_##name] = {WLM_PAIR(name, SS), WLM_PAIR(name, CS), WLM_PAIR(name, SC)},
#define WLM_FORMS_3(name) \
    [WLM_##name] = {WLM_PAIR(name, SSS), WLM_PAIR(name, CSS), WLM_PAIR(name, SCS), WLM_PAIR(name, CCS), \
                    WLM_PAIR(name, SSC), WLM_PAIR(name, CSC), WLM_PAIR(name, SCC)},

#define WLM_X_ALONE WLM_TAKE_S(0)
#define WLM_X_SCALED v_mul(v_add(WLM_TAKE_S(0), from1), from2)
#define WLM_X_DIVIDED v_div(v_add(WLM_TAKE_S(0), from1), from2)
#define WLM_E_AS_IT_IS(e) e
#define WLM_E_LINEAR(e) v_fma(e, from3, from4)
#define WLM_E_BELOW_SLOT(e) v_div(WLM_TAKE_S(5), v_fma(e, from3, from4))
#define WLM_E_BELOW_CONSTANT(e) v_div(from5, v_fma(e, from3, from4))
#define WLM_CONSTANTS_ALONE
#define WLM_CONSTANTS_SCALED WLM_BEFORE_C(1) WLM_BEFORE_C(2)
#define WLM_CONSTANTS_DIVIDED WLM_CONSTANTS_SCALED
#define WLM_CONSTANTS_AS_IT_IS
#define WLM_CONSTANTS_LINEAR WLM_BEFORE_C(3) WLM_BEFORE_C(4)
#define WLM_CONSTANTS_BELOW_SLOT WLM_CONSTANTS_LINEAR WLM_BEFORE_S(5)
#define WLM_CONSTANTS_BELOW_CONSTANT WLM_CONSTANTS_LINEAR WLM_BEFORE_C(5)
#define WLM_EXP_KERNEL(before, behind) \
    WLM_KERNEL(EXP_##before, behind, WLM_BEFORE_S(0) WLM_CONSTANTS_##before WLM_CONSTANTS_##behind, \
               WLM_E_##behind(wlm_exp(WLM_X_##before)))
#define WLM_EXP_KERNELS(before) \
    WLM_EXP_KERNEL(before, AS_IT_IS) \
    WLM_EXP_KERNEL(before, LINEAR) WLM_EXP_KERNEL(before, BELOW_SLOT) WLM_EXP_KERNEL(before, BELOW_CONSTANT)
WLM_EXP_KERNELS(ALONE)
WLM_EXP_KERNELS(SCALED)
WLM_EXP_KERNELS(DIVIDED)
#define WLM_EXP_PAIRS(before) \
    [WLM_EXP_##before] = {[WLM_EXP_AS_IT_IS] = WLM_PAIR(EXP_##before, AS_IT_IS), \
                          [WLM_EXP_LINEAR] = WLM_PAIR(EXP_##before, LINEAR), \
                          [WLM_EXP_BELOW_SLOT] = WLM_PAIR(EXP_##before, BELOW_SLOT), \
                          [WLM_EXP_BELOW_CONSTANT] = WLM_PAIR(EXP_##before, BELOW_CONSTANT)},

#if WLM_WIDTH > 1
#define WLM_T_LINEAR v_fma(WLM_TAKE_S(0), from1, from2)
#define WLM_T_ADD v_add(WLM_TAKE_S(0), WLM_TAKE_S(1))
#define WLM_T_SUB v_sub(WLM_TAKE_S(0), WLM_TAKE_S(1))
#define WLM_T_MUL v_mul(WLM_TAKE_S(0), WLM_TAKE_S(1))
#define WLM_T_DIV v_div(WLM_TAKE_S(0), WLM_TAKE_S(1))
#define WLM_T_FMA v_fma(WLM_TAKE_S(0), WLM_TAKE_S(1), WLM_TAKE_S(2))
#define WLM_T_FNMA v_fnma(WLM_TAKE_S(0), WLM_TAKE_S(1), WLM_TAKE_S(2))
#define WLM_T_SELECT of_SELECT(WLM_TAKE_S(0), WLM_TAKE_S(1), WLM_TAKE_S(2))
#define WLM_OPERANDS_LINEAR WLM_BEFORE_C(1) WLM_BEFORE_C(2)
#define WLM_OPERANDS_ADD WLM_BEFORE_S(1)
#define WLM_OPERANDS_SUB WLM_BEFORE_S(1)
#define WLM_OPERANDS_MUL WLM_BEFORE_S(1)
#define WLM_OPERANDS_DIV WLM_BEFORE_S(1)
#define WLM_OPERANDS_FMA WLM_BEFORE_S(1) WLM_BEFORE_S(2)
#define WLM_OPERANDS_FNMA WLM_BEFORE_S(1) WLM_BEFORE_S(2)
#define WLM_OPERANDS_SELECT WLM_BEFORE_S(1) WLM_BEFORE_S(2)
#define WLM_R_LINEAR(t) v_fma(t, from3, from4)
#define WLM_R_ADD(t) v_add(t, WLM_TAKE_S(3))
#define WLM_R_SUB(t) v_sub(t, WLM_TAKE_S(3))
#define WLM_R_SUB_FROM(t) v_sub(WLM_TAKE_S(3), t)
#define WLM_R_MUL(t) v_mul(t, WLM_TAKE_S(3))
#define WLM_R_DIV(t) v_div(t, WLM_TAKE_S(3))
#define WLM_R_DIV_CONSTANT(t) v_div(t, from3)
#define WLM_R_BELOW(t) v_div(WLM_TAKE_S(3), t)
#define WLM_R_BELOW_CONSTANT(t) v_div(from3, t)
#define WLM_R_FMA(t) v_fma(t, WLM_TAKE_S(3), WLM_TAKE_S(4))
#define WLM_R_FNMA(t) v_fnma(t, WLM_TAKE_S(3), WLM_TAKE_S(4))
#define WLM_R_ADD_PRODUCT(t) v_fma(WLM_TAKE_S(3), WLM_TAKE_S(4), t)
#define WLM_R_SUB_PRODUCT(t) v_fnma(WLM_TAKE_S(3), WLM_TAKE_S(4), t)
#define WLM_R_ADD_MULTIPLE(t) v_fma(WLM_TAKE_S(3), from4, t)
#define WLM_R_MULTIPLE(t) v_fma(t, from3, WLM_TAKE_S(4))
#define WLM_R_SQRT(t) v_sqrt(t)
#define WLM_R_SELECT_THEN(t) of_SELECT(WLM_TAKE_S(3), t, WLM_TAKE_S(4))
#define WLM_R_SELECT_ELSE(t) of_SELECT(WLM_TAKE_S(3), WLM_TAKE_S(4), t)
#define WLM_REST_LINEAR WLM_BEFORE_C(3) WLM_BEFORE_C(4)
#define WLM_REST_ADD WLM_BEFORE_S(3)
#define WLM_REST_SUB WLM_BEFORE_S(3)
#define WLM_REST_SUB_FROM WLM_BEFORE_S(3)
#define WLM_REST_MUL WLM_BEFORE_S(3)
#define WLM_REST_DIV WLM_BEFORE_S(3)
#define WLM_REST_DIV_CONSTANT WLM_BEFORE_C(3)
#define WLM_REST_BELOW WLM_BEFORE_S(3)
#define WLM_REST_BELOW_CONSTANT WLM_BEFORE_C(3)
#define WLM_REST_FMA WLM_BEFORE_S(3) WLM_BEFORE_S(4)
#define WLM_REST_FNMA WLM_BEFORE_S(3) WLM_BEFORE_S(4)
#define WLM_REST_ADD_PRODUCT WLM_BEFORE_S(3) WLM_BEFORE_S(4)
#define WLM_REST_SUB_PRODUCT WLM_BEFORE_S(3) WLM_BEFORE_S(4)
#define WLM_REST_ADD_MULTIPLE WLM_BEFORE_S(3) WLM_BEFORE_C(4)
#define WLM_REST_MULTIPLE WLM_BEFORE_C(3) WLM_BEFORE_S(4)
#define WLM_REST_SQRT
#define WLM_REST_SELECT_THEN WLM_BEFORE_S(3) WLM_BEFORE_S(4)
#define WLM_REST_SELECT_ELSE WLM_BEFORE_S(3) WLM_BEFORE_S(4)
#define WLM_KERNEL_TWO(first, second) \
    WLM_KERNEL(TWO_##first, second, WLM_BEFORE_S(0) WLM_OPERANDS_##first WLM_REST_##second, \
               WLM_R_##second(WLM_T_##first))
#define WLM_KERNELS_TWO(first) WLM_SECOND_OF_TWO(WLM_KERNEL_TWO, first)
WLM_FIRST_OF_TWO(WLM_KERNELS_TWO)
#define WLM_PAIR_TWO(first, second) [WLM_SECOND_##second] = WLM_PAIR(TWO_##first, second),
#define WLM_PAIRS_TWO(first) [WLM_FIRST_##first] = {WLM_SECOND_OF_TWO(WLM_PAIR_TWO, first)},
#define WLM_TWO .two = {WLM_FIRST_OF_TWO(WLM_PAIRS_TWO)},
#else
#define WLM_TWO
#endif

#include "model/exec/array_kernels.h"
#define WLM_OTHERS .width = WLM_WIDTH, .sum = sum_arrays, .splice = splice_arrays,
#if WLM_WIDTH > 1
#include "model/exec/solo_kernels.h"
#define WLM_SOLO_TABLE .solo = &solo_kernels,
#else
#define WLM_SOLO_TABLE
#endif

const wlm_kernels WLM_TABLE = {WLM_OTHERS WLM_SOLO_TABLE.plain =
                                   {
#define WLM_OPCODE(name, operands, ...) WLM_FORMS_##operands(name)
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
                                       [WLM_MOVE] = {WLM_PAIR(MOVE, S), WLM_PAIR(MOVE, C)}},
                               .exp = {WLM_EXP_PAIRS(ALONE) WLM_EXP_PAIRS(SCALED) WLM_EXP_PAIRS(DIVIDED)}, WLM_TWO};
