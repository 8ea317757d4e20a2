/* Compiles the values of operations once, for all who fold. */
#include "model/graph/operations.h"

double wlm_evaluate(wlm_opcode opcode, double a, double b, double c)
{
    return wlm_operation(opcode, a, b, c);
}
