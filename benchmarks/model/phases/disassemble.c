/* The bytecode of `phases` as text: see phases.h. */
#include <string.h>

#include "base/warp.h"
#include "phases/opcodes.h"
#include "phases/phases.h"

static const char *name_of(uint32_t word)
{
    switch (word & 255) {
    case WLM_PHASES_VARIABLE: return "VARIABLE";
#define WLM_PHASES_OPCODE(name, words, meaning) \
    case WLM_PHASES_##name: \
        return #name;
#include "phases/opcodes.def"
#undef WLM_PHASES_OPCODE
    default: break;
    }
    static const char *const names[] = {
#define WLM_OPCODE(name, ...) #name,
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
    };
    return (word & 255) < WLM_OPCODES ? names[word & 255] : "?";
}

static double number_at(const void *bytes)
{
    double number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* What the lanes of a warp find in the table, repetitions counted. */
static void print_table(FILE *out, const unsigned char *at, int32_t lanes, size_t bytes)
{
    for (int32_t k = 0, end; k < lanes; k = end) {
        uint32_t number;
        for (end = k + 1; end < lanes; end++)
            if (memcmp(at + (size_t)k * bytes, at + (size_t)end * bytes, bytes) != 0) break;
        memcpy(&number, at + (size_t)k * bytes, sizeof number);
        if (bytes == sizeof(double))
            fprintf(out, " %.17g", number_at(at + (size_t)k * bytes));
        else
            fprintf(out, " %u", (unsigned)number);
        if (end > k + 1) fprintf(out, " x%d", (int)(end - k));
    }
}

static void print_operands(const wlm_phases *p, FILE *out, const uint32_t *at, int32_t lanes)
{
    switch (*at & 255) {
    case WLM_PHASES_CONSTANT: fprintf(out, " %.17g", number_at(at + 1)); break;
    case WLM_PHASES_VARIABLE:
    case WLM_PHASES_ASSIGN: fprintf(out, " %u", (unsigned)at[1]); break;
    case WLM_PHASES_CONSTANT_IND: print_table(out, p->table + at[1], lanes, sizeof(double)); break;
    case WLM_PHASES_VARIABLE_IND:
    case WLM_PHASES_ASSIGN_IND: print_table(out, p->table + at[1], lanes, sizeof(uint32_t)); break;
    default:
        if (*at >> 8 != 0) fprintf(out, " %u", (unsigned)(*at >> 8));
        break;
    }
    fprintf(out, "\n");
}

static void print_bytecode(const wlm_phases *p, FILE *out, int32_t first, int32_t lanes)
{
    if (lanes == 1)
        fprintf(out, "  thread %d\n", (int)first);
    else
        fprintf(out, "  threads %d to %d\n", (int)first, (int)(first + lanes - 1));
    for (const uint32_t *at = p->code + p->index[first];; at += 1 + wlm_phases_inline(*at)) {
        if ((*at & 255) == WLM_PHASES_END) return;
        fprintf(out, "    %s", name_of(*at));
        print_operands(p, out, at, lanes);
    }
}

void wlm_phases_disassemble(const wlm_phases *phases, FILE *out)
{
    for (int32_t k = 0; k < phases->phases; k++) {
        const wlm_phase *phase = &phases->phase[k];
        int32_t end = phase->first + phase->threads;
        fprintf(out, "phase %d: bytecodes %d, kinds %d, threads %d\n", (int)k + 1, (int)phase->bytecodes,
                (int)phase->kinds, (int)phase->threads);
        for (int32_t first = phase->first, next; first < end; first = next) {
            for (next = first + 1; next < end; next++)
                if (phases->index[next] != phases->index[first] || (next - phase->first) % WLU_WARP == 0) break;
            print_bytecode(phases, out, first, next - first);
        }
    }
}
