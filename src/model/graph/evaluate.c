/* Compiles the values of operations once, for all who fold. */
#include "model/graph/operations.h"

double wlm_evaluate(wlm_opcode opcode, double a, double b, double c)
{
    return wlm_operation(opcode, a, b, c);
}

double wlm_evaluate_with(const wlm_table *table, wlm_opcode opcode, double a, double b, double c)
{
    return opcode == WLM_FIND    ? wlm_table_find(table, a)
           : opcode == WLM_PIECE ? wlm_table_value(table, a, b)
                                 : wlm_operation(opcode, a, b, c);
}
