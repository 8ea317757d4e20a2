/* See print_c.h. Slots become variables, each written once: a compiler sees values, not slots that are used again. */
#include "print_c.h"

#include <stdlib.h>

/* Operations of one number, as the C library has them. */
static const char *const scalar_text[] = {
    "#include <math.h>",
    "#define rsqrt(a) (1.0 / sqrt(a))",
    "#define ONE(name, value) static inline double of_##name(double a) { return value; }",
    "#define TWO(name, value) static inline double of_##name(double a, double b) { return value; }",
    "#define THREE(name, value) static inline double of_##name(double a, double b, double c) { return value; }",
    "ONE(MOVE, a) ONE(NEG, -a) ONE(ABS, fabs(a)) ONE(SIGN, a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a == 0.0 ? 0.0 : a)",
    "ONE(FLOOR, floor(a)) ONE(CEIL, ceil(a)) ONE(SQRT, sqrt(a)) ONE(NOT, a == 0.0)",
    "TWO(ADD, a + b) TWO(SUB, a - b) TWO(MUL, a * b) TWO(DIV, a / b)",
    "TWO(MIN, a != a ? a : b != b ? b : a < b ? a : b) TWO(MAX, a != a ? a : b != b ? b : a > b ? a : b)",
    "TWO(LT, a < b) TWO(LE, a <= b) TWO(EQ, a == b) TWO(NE, a != b)",
    "TWO(AND, a != 0.0 && b != 0.0) TWO(OR, a != 0.0 || b != 0.0)",
    "THREE(FMA, fma(a, b, c)) THREE(FNMA, fma(-a, b, c)) THREE(SELECT, a != 0.0 ? b : c)",
#define FUNCTION_1(name, function) "ONE(" name ", " function "(a))",
#define FUNCTION_2(name, function) "TWO(" name ", " function "(a, b))",
#define WLM_OPCODE(...)
#define WLM_ELEMENTARY(name, operands, text, written, cost, course, size, levels, function, ...) \
    FUNCTION_##operands(#name, #function)
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
};

typedef struct printer {
    const wlm_program *p;
    int vectors;
    int32_t *version; /* of each slot: the number of the variable that it holds */
    FILE *out;
} printer;

static const char *name_of(int32_t opcode)
{
    static const char *const names[] = {
#define WLM_OPCODE(name, ...) #name,
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
        "MOVE"};
    return names[opcode];
}

static void put_operand(const printer *w, int32_t from)
{
    if (from >= 0)
        fprintf(w->out, "s%d_%d", from, w->version[from]);
    else
        fprintf(w->out, w->vectors ? "v_set(%a)" : "%a", w->p->constant[-1 - from]);
}

static void put_instruction(printer *w, const wlm_instruction *i)
{
    const int32_t from[3] = {i->a, i->b, i->c};
    int operands = wlm_operand_count(i->opcode);
    fprintf(w->out, "        const %s s%d_%d = of_%s(", w->vectors ? "V" : "double", i->to, w->version[i->to] + 1,
            name_of(i->opcode));
    for (int k = 0; k < operands; k++) {
        if (k > 0) fprintf(w->out, ", ");
        put_operand(w, from[k]);
    }
    fprintf(w->out, ");\n");
    w->version[i->to]++;
}

static void put_head(const printer *w, const char *isa)
{
    if (isa != NULL)
        fprintf(w->out,
                "#include \"model/elementary/algebra_%s.h\"\n#include \"model/elementary/functions.h\"\n"
                "#include \"model/exec/vectors.h\"\n",
                isa);
    else
        for (size_t k = 0; k < sizeof scalar_text / sizeof *scalar_text; k++) fprintf(w->out, "%s\n", scalar_text[k]);
}

void print_c(const wlm_program *p, const char *isa, const char *name, FILE *out)
{
    printer w = {p, isa != NULL, calloc((size_t)p->slots + 1, sizeof(int32_t)), out};
    if (w.version == NULL) abort();
    put_head(&w, isa);
    fprintf(out, "void %s(const double *in, double *out, long blocks);\n", name);
    fprintf(out, "void %s(const double *in, double *out, long blocks)\n{\n", name);
    fprintf(out, "    for (long k = 0; k < 64 * blocks; k += %s) {\n", w.vectors ? "WLM_WIDTH" : "1");
    fprintf(out, "        const double *x = in + k / 64 * %d + k %% 64;\n", 64 * p->inputs);
    fprintf(out, "        double *y = out + k / 64 * %d + k %% 64;\n", 64 * p->outputs);
    for (int32_t i = 0; i < p->inputs; i++)
        fprintf(out, w.vectors ? "        const V s%d_0 = v_load(x + %d);\n" : "        const double s%d_0 = x[%d];\n",
                i, 64 * i);
    for (int32_t i = 0; i < p->instructions; i++) put_instruction(&w, &p->instruction[i]);
    for (int32_t i = 0; i < p->outputs; i++)
        fprintf(out, w.vectors ? "        v_store(y + %d, s%d_%d);\n" : "        y[%d] = s%d_%d;\n", 64 * i,
                p->inputs + i, w.version[p->inputs + i]);
    fprintf(out, "    }\n}\n");
    free(w.version);
}
