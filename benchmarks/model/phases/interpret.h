/* The interpreter, after Okuyama, Okita, Abe, Asai, Nomura and Hagihara (2012): a thread interprets one bytecode,
 * with its stack in local memory. Plain C, for the reference executor, kernels and tests alike; phases/phases.cu has
 * the templates of their figure 6 from it, one for each assignment.
 *
 * A sum starts from its first operand, not from 0: the same bits but for the sign of a zero. One step size serves
 * all variables, where the paper has an array of them. */
#ifndef PHASES_INTERPRET_H
#define PHASES_INTERPRET_H

#include <string.h>

#include "base/warp.h"
#include "model/graph/operations.h"
#include "phases/memory.h"
#include "phases/opcodes.h"

/* Stack of the kernels, the paper's; of the reference executor, as much as the paper's models need without
 * splitting. */
enum { WLM_PHASES_STACK = 32, WLM_PHASES_STACK_MOST = 100 };

WLU_PORTABLE uint32_t wlm_phases_address(const wlm_phases_memory *m, uint32_t byte, int lane)
{
    uint32_t word;
    memcpy(&word, m->table + byte + 4 * (size_t)lane, sizeof word);
    return word;
}

WLU_PORTABLE double wlm_phases_table_number(const wlm_phases_memory *m, uint32_t byte, int lane)
{
    double number;
    memcpy(&number, m->table + byte + 8 * (size_t)lane, sizeof number);
    return number;
}

WLU_PORTABLE double wlm_phases_code_number(const uint32_t *code)
{
    uint64_t bits = code[0] | (uint64_t)code[1] << 32;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Threads that repeat others (Redundant) write what those write: nothing is read that the same launch writes but a
 * definition by the thread that made it. */
WLU_PORTABLE void wlm_phases_assign(const wlm_phases_memory *m, int assignment, uint32_t to, double value)
{
    switch (assignment) {
    case WLM_ASSIGN_DEFINITION: m->out[to] = value; break;
    case WLM_ASSIGN_EULER: m->out[to] = m->in[to] + m->step * value; break;
    case WLM_ASSIGN_RK4_FIRST:
        m->next_sum[to] = value;
        m->out[to] = m->base[to] + m->step * value;
        break;
    case WLM_ASSIGN_RK4_MIDDLE:
        m->next_sum[to] = m->sum[to] + 2.0 * value;
        m->out[to] = m->base[to] + m->step * value;
        break;
    default: m->out[to] = m->base[to] + m->step * (m->sum[to] + value); break;
    }
}

/* n numbers from the lowest one on. */
WLU_PORTABLE double wlm_phases_sum(const double *number, int n)
{
    double sum = number[0];
    for (int k = 1; k < n; k++) sum += number[k];
    return sum;
}

WLU_PORTABLE double wlm_phases_product(const double *number, int n)
{
    double product = number[0];
    for (int k = 1; k < n; k++) product *= number[k];
    return product;
}

#define WLM_CASE_0(name)
#define WLM_CASE_1(name) \
    case WLM_##name: \
        sp[-1] = wlm_operation(WLM_##name, sp[-1], 0.0, 0.0); \
        break;
#define WLM_CASE_2(name) \
    case WLM_##name: \
        sp -= 1; \
        sp[-1] = wlm_operation(WLM_##name, sp[-1], sp[0], 0.0); \
        break;
#define WLM_CASE_3(name) \
    case WLM_##name: \
        sp -= 2; \
        sp[-1] = wlm_operation(WLM_##name, sp[-1], sp[0], sp[1]); \
        break;

/* The bytecode at pc, by lane `lane` of its warp. stack: as deep as the program says; sp: its first free number. */
WLU_PORTABLE void wlm_phases_interpret(const wlm_phases_memory *m, int assignment, const uint32_t *pc, int lane,
                                       double *sp)
{
    for (;;) {
        uint32_t word = *pc++;
        int n = (int)(word >> 8);
        switch (word & 255) {
        case WLM_PHASES_END: return;
        case WLM_PHASES_CONSTANT:
            *sp++ = wlm_phases_code_number(pc);
            pc += 2;
            break;
        case WLM_PHASES_CONSTANT_IND: *sp++ = wlm_phases_table_number(m, *pc++, lane); break;
        case WLM_PHASES_VARIABLE: *sp++ = m->in[*pc++]; break;
        case WLM_PHASES_VARIABLE_IND: *sp++ = m->in[wlm_phases_address(m, *pc++, lane)]; break;
        case WLM_PHASES_ASSIGN: wlm_phases_assign(m, assignment, *pc++, *--sp); break;
        case WLM_PHASES_ASSIGN_IND: wlm_phases_assign(m, assignment, wlm_phases_address(m, *pc++, lane), *--sp); break;
        case WLM_PHASES_PLUS:
            sp -= n - 1;
            sp[-1] = wlm_phases_sum(sp - 1, n);
            break;
        case WLM_PHASES_TIMES:
            sp -= n - 1;
            sp[-1] = wlm_phases_product(sp - 1, n);
            break;
        case WLM_PHASES_JUMP: pc += n; break;
        case WLM_PHASES_JUMP_UNLESS: pc += *--sp == 0.0 ? n : 0; break;
#define WLM_OPCODE(name, operands, ...) WLM_CASE_##operands(name)
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
        default: return;
        }
    }
}

#undef WLM_CASE_0
#undef WLM_CASE_1
#undef WLM_CASE_2
#undef WLM_CASE_3

/* Thread `thread` of a launch, with its stack. */
WLU_PORTABLE void wlm_phases_thread(const wlm_phases_memory *m, int assignment, int32_t thread, double *stack)
{
    if (thread == 0 && assignment != WLM_ASSIGN_DEFINITION) m->out[0] = m->time;
    wlm_phases_interpret(m, assignment, m->code + m->index[thread], thread % WLU_WARP, stack);
}

#endif
