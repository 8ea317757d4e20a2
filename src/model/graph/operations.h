/* Computes each operation on single numbers. This is the specification of all executors; folding uses it, and kernels
 * that interpret on a device are compiled from the same text. */
#ifndef WLU_MODEL_GRAPH_OPERATIONS_H
#define WLU_MODEL_GRAPH_OPERATIONS_H

#include <math.h>

#include "base/fused.h"
#include "base/portable.h"
#include "model/graph/graph.h"

/* The elementary functions of the executors, bit by bit. Kernels of a device include elementary/algebra_portable.h and
 * functions.h before; the host's half of what their compiler makes is never called. */
#if defined(__CUDA_ARCH__)
#define WLM_VALUE_1(name, a, b) wlm_##name(a)
#define WLM_VALUE_2(name, a, b) wlm_##name(a, b)
#elif defined(__CUDACC__)
#define WLM_VALUE_1(name, a, b) (a)
#define WLM_VALUE_2 WLM_VALUE_1
#else
#include "model/elementary/elementary.h"
#define WLM_VALUE_1(name, a, b) wlm_function_value(WLM_FUNCTION_##name, a, b)
#define WLM_VALUE_2 WLM_VALUE_1
#endif

WLU_PORTABLE double wlm_sign_of(double a)
{
    return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a == 0.0 ? 0.0 : a;
}

WLU_PORTABLE double wlm_smaller(double a, double b)
{
    return isnan(a) ? a : isnan(b) ? b : a < b ? a : b;
}

WLU_PORTABLE double wlm_larger(double a, double b)
{
    return isnan(a) ? a : isnan(b) ? b : a > b ? a : b;
}

WLU_PORTABLE double wlm_operation(wlm_opcode opcode, double a, double b, double c)
{
    switch (opcode) {
    case WLM_NEG: return -a;
    case WLM_ABS: return fabs(a);
    case WLM_SIGN: return wlm_sign_of(a);
    case WLM_FLOOR: return floor(a);
    case WLM_CEIL: return ceil(a);
    case WLM_SQRT: return sqrt(a);
    case WLM_NOT: return a == 0.0;
    case WLM_ADD: return a + b;
    case WLM_SUB: return a - b;
    case WLM_MUL: return a * b;
    case WLM_DIV: return a / b;
    case WLM_MIN: return wlm_smaller(a, b);
    case WLM_MAX: return wlm_larger(a, b);
    case WLM_LT: return a < b;
    case WLM_LE: return a <= b;
    case WLM_EQ: return a == b;
    case WLM_NE: return a != b;
    case WLM_AND: return a != 0.0 && b != 0.0;
    case WLM_OR: return a != 0.0 || b != 0.0;
    case WLM_FMA: return wlu_fused(a, b, c);
    case WLM_FNMA: return wlu_fused(-a, b, c);
    case WLM_SELECT: return a != 0.0 ? b : c;
#define WLM_OPCODE(...)
#define WLM_ELEMENTARY(name, operands, text, written, cost, course, size, levels, function, ...) \
    case WLM_##name: \
        return WLM_VALUE_##operands(function, a, b);
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
    case WLM_FIND: /* without a table, which table.h reads */
    case WLM_PIECE:
    case WLM_CONSTANT:
    case WLM_INPUT:
    case WLM_OPCODES: break;
    }
    return NAN;
}

#endif
