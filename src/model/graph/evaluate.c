/* The value of an operation, compiled once. */
#include "model/graph/operations.h"

double wlm_evaluate(wlm_opcode opcode, double a, double b, double c)
{
    return wlm_operation(opcode, a, b, c);
}
