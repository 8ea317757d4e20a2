/* See print_c.h. Slots become variables, each written once: a compiler sees values, not slots that are used again. */
#include "print_c.h"

#include <math.h>
#include <stdlib.h>

typedef struct printer {
    const wlm_program *p;
    int vectors;
    int32_t *version; /* of each slot: the number of the variable that it holds */
    FILE *out;
} printer;

static void put_operand(const printer *w, int32_t from)
{
    if (from >= 0)
        fprintf(w->out, "s%d_%d", from, w->version[from]);
    else
        fprintf(w->out, w->vectors ? "v_set(%a)" : "%a", w->p->constant[-1 - from]);
}

/* The text of an operation: % stands for the next operand. */
static const char *text_of(int32_t opcode, int vectors)
{
    switch (opcode) {
    case WLM_MOVE: return "%";
    case WLM_NEG: return vectors ? "wlm_turn(%, i_set(WLM_SIGN_BIT))" : "-%";
    case WLM_ADD: return vectors ? "v_add(%, %)" : "% + %";
    case WLM_SUB: return vectors ? "v_sub(%, %)" : "% - %";
    case WLM_MUL: return vectors ? "v_mul(%, %)" : "% * %";
    case WLM_DIV: return vectors ? "v_div(%, %)" : "% / %";
    case WLM_FMA: return vectors ? "v_fma(%, %, %)" : "fma(%, %, %)";
    case WLM_FNMA: return vectors ? "v_fnma(%, %, %)" : "fma(-%, %, %)";
    case WLM_EXP: return vectors ? "wlm_exp(%)" : "exp(%)";
    case WLM_LOG: return vectors ? "wlm_log(%)" : "log(%)";
    case WLM_LT: return vectors ? "v_select(v_less(%, %), v_set(1.0), v_set(0.0))" : "(double)(% < %)";
    case WLM_LE: return vectors ? "v_select(v_less_equal(%, %), v_set(1.0), v_set(0.0))" : "(double)(% <= %)";
    case WLM_SELECT: return vectors ? "v_otherwise(%, %, %)" : "% != 0.0 ? % : %";
    default: return NULL;
    }
}

static void put_instruction(printer *w, const wlm_instruction *i)
{
    const int32_t from[3] = {i->a, i->b, i->c};
    const char *text = text_of(i->opcode, w->vectors);
    int k = 0;
    if (text == NULL) {
        fprintf(stderr, "print_c: operation %d is not known here\n", i->opcode);
        exit(1);
    }
    fprintf(w->out, "        %s s%d_%d = ", w->vectors ? "V" : "double", i->to, w->version[i->to] + 1);
    for (; *text != '\0'; text++) {
        if (*text == '%')
            put_operand(w, from[k++]);
        else
            fputc(*text, w->out);
    }
    fprintf(w->out, ";\n");
    w->version[i->to]++;
}

void print_c(const wlm_program *p, const char *isa, const char *name, FILE *out)
{
    printer w = {p, isa != NULL, calloc((size_t)p->slots, sizeof(int32_t)), out};
    if (w.version == NULL) abort();
    if (isa != NULL)
        fprintf(out,
                "#include \"model/elementary/algebra_%s.h\"\n#include \"model/elementary/functions.h\"\n"
                "WLM_INLINE V v_otherwise(V a, V b, V c)\n{\n    return v_select(v_equal(a, v_set(0.0)), c, b);\n}\n",
                isa);
    fprintf(out, "#include <math.h>\nvoid %s(const double *in, double *out, long blocks);\n", name);
    fprintf(out, "void %s(const double *in, double *out, long blocks)\n{\n", name);
    fprintf(out, "    for (long k = 0; k < 64 * blocks; k += %s) {\n", w.vectors ? "WLM_WIDTH" : "1");
    fprintf(out, "        const double *x = in + k / 64 * %d + k %% 64;\n", 64 * p->inputs);
    fprintf(out, "        double *y = out + k / 64 * %d + k %% 64;\n", 64 * p->outputs);
    for (int32_t i = 0; i < p->inputs; i++)
        fprintf(out, w.vectors ? "        V s%d_0 = v_load(x + %d);\n" : "        double s%d_0 = x[%d];\n", i, 64 * i);
    for (int32_t i = 0; i < p->instructions; i++) put_instruction(&w, &p->instruction[i]);
    for (int32_t i = 0; i < p->outputs; i++)
        fprintf(out, w.vectors ? "        v_store(y + %d, s%d_%d);\n" : "        y[%d] = s%d_%d;\n", 64 * i,
                p->inputs + i, w.version[p->inputs + i]);
    fprintf(out, "    }\n}\n");
    free(w.version);
}
