#include "model/device/instructions.h"

#include <inttypes.h>
#include <string.h>

#include "model/elementary/ptx.h"

enum { OPERAND_BYTES = 32 };

typedef struct operands {
    char text[3][OPERAND_BYTES]; /* registers, or constants by their bits */
} operands;

int32_t wlm_ptx_real(wlm_ptx *writer)
{
    return writer->reals++;
}

static int32_t fresh_truth(wlm_ptx *writer)
{
    return writer->truths++;
}

static void operand(const wlm_program *p, const int32_t *registers, int32_t which, char *text)
{
    if (which >= 0) {
        snprintf(text, OPERAND_BYTES, "%%fd%" PRId32, registers[which]);
        return;
    }
    uint64_t bits;
    memcpy(&bits, &p->constant[-1 - which], sizeof bits);
    snprintf(text, OPERAND_BYTES, "0d%016" PRIx64, bits);
}

/* name to, a [, b [, c]]. */
static int32_t plain(wlm_ptx *w, const char *name, const operands *o, int count)
{
    int32_t to = wlm_ptx_real(w);
    if (count == 1) wlm_ptx_line(w, "%s %%fd%d, %s;", name, (int)to, o->text[0]);
    if (count == 2) wlm_ptx_line(w, "%s %%fd%d, %s, %s;", name, (int)to, o->text[0], o->text[1]);
    if (count == 3) wlm_ptx_line(w, "%s %%fd%d, %s, %s, %s;", name, (int)to, o->text[0], o->text[1], o->text[2]);
    return to;
}

/* A register with a comparison's truth; "neu" is true of NaN. */
static int32_t compare(wlm_ptx *w, const char *relation, const char *a, const char *b)
{
    int32_t truth = fresh_truth(w);
    wlm_ptx_line(w, "setp.%s.f64 %%p%d, %s, %s;", relation, (int)truth, a, b);
    return truth;
}

static int32_t choose(wlm_ptx *w, const char *yes, const char *no, int32_t truth)
{
    int32_t to = wlm_ptx_real(w);
    wlm_ptx_line(w, "selp.f64 %%fd%d, %s, %s, %%p%d;", (int)to, yes, no, (int)truth);
    return to;
}

static const char one[] = "0d3ff0000000000000", zero[] = "0d0000000000000000", minus_one[] = "0dbff0000000000000";

static int32_t truth_of(wlm_ptx *w, const char *relation, const operands *o)
{
    return choose(w, one, zero, compare(w, relation, o->text[0], o->text[1]));
}

static int32_t both_or_one(wlm_ptx *w, const char *how, const operands *o)
{
    int32_t a = compare(w, "neu", o->text[0], zero), truth = fresh_truth(w);
    wlm_ptx_line(w, "setp.neu.%s.f64 %%p%d, %s, %s, %%p%d;", how, (int)truth, o->text[1], zero, (int)a);
    return choose(w, one, zero, truth);
}

/* The chosen one of two; a NaN where a is one. */
static int32_t or_nan(wlm_ptx *w, int32_t chosen, const char *a)
{
    char text[OPERAND_BYTES];
    snprintf(text, sizeof text, "%%fd%" PRId32, chosen);
    return choose(w, a, text, compare(w, "nan", a, a));
}

static int32_t sign_of(wlm_ptx *w, const char *a)
{
    char text[OPERAND_BYTES];
    int32_t positive = choose(w, one, zero, compare(w, "gt", a, zero));
    snprintf(text, sizeof text, "%%fd%" PRId32, positive);
    return or_nan(w, choose(w, minus_one, text, compare(w, "lt", a, zero)), a);
}

static int32_t negated_product(wlm_ptx *w, const operands *o)
{
    operands other = *o;
    snprintf(other.text[0], OPERAND_BYTES, "%%fd%" PRId32, plain(w, "neg.f64", o, 1));
    return plain(w, "fma.rn.f64", &other, 3);
}

static wlm_function function_of(wlm_opcode opcode)
{
    switch (opcode) {
    case WLM_EXP: return WLM_FUNCTION_exp;
    case WLM_LOG: return WLM_FUNCTION_log;
    case WLM_LOG10: return WLM_FUNCTION_log10;
    case WLM_SIN: return WLM_FUNCTION_sin;
    case WLM_COS: return WLM_FUNCTION_cos;
    case WLM_TAN: return WLM_FUNCTION_tan;
    case WLM_ATAN: return WLM_FUNCTION_atan;
    case WLM_TANH: return WLM_FUNCTION_tanh;
    default: return WLM_FUNCTION_pow;
    }
}

static int32_t register_of(wlm_ptx *w, const wlm_program *p, const int32_t *registers, int32_t which)
{
    operands o;
    if (which >= 0) return registers[which];
    operand(p, registers, which, o.text[0]);
    return plain(w, "mov.f64", &o, 1);
}

static int32_t logical(wlm_ptx *w, wlm_opcode opcode, const operands *o)
{
    switch (opcode) {
    case WLM_NOT: return choose(w, one, zero, compare(w, "eq", o->text[0], zero));
    case WLM_LT: return truth_of(w, "lt", o);
    case WLM_LE: return truth_of(w, "le", o);
    case WLM_EQ: return truth_of(w, "eq", o);
    case WLM_NE: return truth_of(w, "neu", o);
    case WLM_AND: return both_or_one(w, "and", o);
    case WLM_OR: return both_or_one(w, "or", o);
    case WLM_SELECT: return choose(w, o->text[1], o->text[2], compare(w, "neu", o->text[0], zero));
    default: return -1;
    }
}

static int32_t arithmetic(wlm_ptx *w, int32_t opcode, const operands *o)
{
    switch (opcode) {
    case WLM_MOVE: return plain(w, "mov.f64", o, 1);
    case WLM_NEG: return plain(w, "neg.f64", o, 1);
    case WLM_ABS: return plain(w, "abs.f64", o, 1);
    case WLM_SIGN: return sign_of(w, o->text[0]);
    case WLM_FLOOR: return plain(w, "cvt.rmi.f64.f64", o, 1);
    case WLM_SQRT: return plain(w, "sqrt.rn.f64", o, 1);
    case WLM_ADD: return plain(w, "add.rn.f64", o, 2);
    case WLM_SUB: return plain(w, "sub.rn.f64", o, 2);
    case WLM_MUL: return plain(w, "mul.rn.f64", o, 2);
    case WLM_DIV: return plain(w, "div.rn.f64", o, 2);
    case WLM_FMA: return plain(w, "fma.rn.f64", o, 3);
    case WLM_FNMA: return negated_product(w, o);
    case WLM_MIN:
        return or_nan(w, choose(w, o->text[0], o->text[1], compare(w, "lt", o->text[0], o->text[1])), o->text[0]);
    case WLM_MAX:
        return or_nan(w, choose(w, o->text[0], o->text[1], compare(w, "gt", o->text[0], o->text[1])), o->text[0]);
    default: return logical(w, (wlm_opcode)opcode, o);
    }
}

void wlm_ptx_program(wlm_ptx *writer, const wlm_program *program, int32_t *registers)
{
    for (int32_t k = 0; k < program->instructions; k++) {
        const wlm_instruction *i = &program->instruction[k];
        operands o;
        operand(program, registers, i->a, o.text[0]);
        operand(program, registers, i->b, o.text[1]);
        operand(program, registers, i->c, o.text[2]);
        int32_t to = arithmetic(writer, i->opcode, &o);
        if (to < 0) {
            int32_t a = register_of(writer, program, registers, i->a);
            int32_t b = i->opcode == WLM_POW ? register_of(writer, program, registers, i->b) : a;
            to = wlm_ptx_function(writer, function_of((wlm_opcode)i->opcode), a, b);
        }
        registers[i->to] = to;
    }
}
