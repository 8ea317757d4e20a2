/* What each operation computes, one number at a time: for folding, which is the specification, and for kernels that
 * interpret on a device, which are compiled from the same text. */
#ifndef WLU_MODEL_GRAPH_OPERATIONS_H
#define WLU_MODEL_GRAPH_OPERATIONS_H

#include <math.h>

#include "base/fused.h"
#include "base/portable.h"
#include "model/graph/graph.h"

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

WLU_PORTABLE double wlm_elementary(wlm_opcode opcode, double a, double b)
{
    switch (opcode) {
    case WLM_EXP: return exp(a);
    case WLM_LOG: return log(a);
    case WLM_LOG10: return log10(a);
    case WLM_SIN: return sin(a);
    case WLM_COS: return cos(a);
    case WLM_TAN: return tan(a);
    case WLM_ATAN: return atan(a);
    case WLM_TANH: return tanh(a);
    case WLM_POW: return pow(a, b);
    default: return NAN;
    }
}

WLU_PORTABLE double wlm_logical(wlm_opcode opcode, double a, double b)
{
    switch (opcode) {
    case WLM_NOT: return a == 0.0;
    case WLM_LT: return a < b;
    case WLM_LE: return a <= b;
    case WLM_EQ: return a == b;
    case WLM_NE: return a != b;
    case WLM_AND: return a != 0.0 && b != 0.0;
    case WLM_OR: return a != 0.0 || b != 0.0;
    default: return wlm_elementary(opcode, a, b);
    }
}

WLU_PORTABLE double wlm_operation(wlm_opcode opcode, double a, double b, double c)
{
    switch (opcode) {
    case WLM_NEG: return -a;
    case WLM_ABS: return fabs(a);
    case WLM_SIGN: return wlm_sign_of(a);
    case WLM_FLOOR: return floor(a);
    case WLM_SQRT: return sqrt(a);
    case WLM_ADD: return a + b;
    case WLM_SUB: return a - b;
    case WLM_MUL: return a * b;
    case WLM_DIV: return a / b;
    case WLM_MIN: return wlm_smaller(a, b);
    case WLM_MAX: return wlm_larger(a, b);
    case WLM_FMA: return wlu_fused(a, b, c);
    case WLM_FNMA: return wlu_fused(-a, b, c);
    case WLM_SELECT: return a != 0.0 ? b : c;
    default: return wlm_logical(opcode, a, b);
    }
}

#endif
