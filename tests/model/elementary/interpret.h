/* Runs the lines of a kernel that elementary functions are made of, for one thread: what a GPU does with them, by
 * the definitions of the PTX ISA, "Instruction Set". Anything else is an error. */
#ifndef WLU_TEST_ELEMENTARY_INTERPRET_H
#define WLU_TEST_ELEMENTARY_INTERPRET_H

#include "points.h"
#include "base/fused.h"

#include <stdio.h>

enum { PTX_LINES = 1000, PTX_REGISTERS = 1000, PTX_OPERANDS = 5, PTX_WORD = 32 };

typedef struct ptx_line {
    char guard[PTX_WORD], operation[PTX_WORD], operand[PTX_OPERANDS][PTX_WORD];
    int operands;
} ptx_line;

typedef struct ptx_program {
    ptx_line line[PTX_LINES];
    int lines;
    uint64_t real[PTX_REGISTERS], word[PTX_REGISTERS], half[PTX_REGISTERS], truth[PTX_REGISTERS];
    const char *wrong; /* what is not understood, NULL without */
} ptx_program;

static inline void ptx_read_line(ptx_program *p, char *text)
{
    ptx_line *line = &p->line[p->lines++];
    memset(line, 0, sizeof *line);
    for (char *word = strtok(text, " ,;"); word != NULL; word = strtok(NULL, " ,;")) {
        char *to = line->operation;
        if (word[0] == '@')
            to = line->guard;
        else if (line->operation[0] != '\0')
            to = line->operands < PTX_OPERANDS ? line->operand[line->operands++] : line->guard;
        snprintf(to, PTX_WORD, "%s", word);
    }
}

static inline void ptx_read(ptx_program *p, const char *text)
{
    memset(p, 0, sizeof *p);
    while (*text != '\0' && p->lines < PTX_LINES) {
        char one[256];
        size_t length = strcspn(text, "\n");
        snprintf(one, sizeof one, "%.*s", (int)length, text);
        ptx_read_line(p, one);
        text += length + (text[length] == '\n');
    }
}

/* The place of a register, or of a constant's copy. */
static inline uint64_t *ptx_place(ptx_program *p, const char *name)
{
    static uint64_t constant[PTX_OPERANDS];
    static int next;
    int number;
    if (sscanf(name, "%%fd%d", &number) == 1 && number < PTX_REGISTERS) return &p->real[number];
    if (sscanf(name, "%%rd%d", &number) == 1 && number < PTX_REGISTERS) return &p->word[number];
    if (sscanf(name, "%%r%d", &number) == 1 && number < PTX_REGISTERS) return &p->half[number];
    if (sscanf(name, "%%p%d", &number) == 1 && number < PTX_REGISTERS) return &p->truth[number];
    uint64_t *at = &constant[next++ % PTX_OPERANDS];
    if (strncmp(name, "0d", 2) == 0)
        *at = strtoull(name + 2, NULL, 16);
    else
        *at = strtoull(name, NULL, 0);
    return at;
}

static inline uint64_t ptx_real(const char *operation, const double *x)
{
    if (strcmp(operation, "add.rn.f64") == 0) return bits_of_point(x[1] + x[2]);
    if (strcmp(operation, "sub.rn.f64") == 0) return bits_of_point(x[1] - x[2]);
    if (strcmp(operation, "mul.rn.f64") == 0) return bits_of_point(x[1] * x[2]);
    if (strcmp(operation, "div.rn.f64") == 0) return bits_of_point(x[1] / x[2]);
    if (strcmp(operation, "fma.rn.f64") == 0) return bits_of_point(wlu_fused(x[1], x[2], x[3]));
    if (strcmp(operation, "sqrt.rn.f64") == 0) return bits_of_point(sqrt(x[1]));
    if (strcmp(operation, "neg.f64") == 0) return bits_of_point(-x[1]);
    if (strcmp(operation, "setp.lt.f64") == 0) return x[1] < x[2];
    if (strcmp(operation, "setp.le.f64") == 0) return x[1] <= x[2];
    return x[1] == x[2]; /* setp.eq.f64 */
}

static inline uint64_t ptx_word(ptx_program *p, const char *operation, const uint64_t *x)
{
    if (strcmp(operation, "mov.b64") == 0 || strcmp(operation, "mov.f64") == 0) return x[1];
    if (strcmp(operation, "add.s64") == 0) return x[1] + x[2];
    if (strcmp(operation, "sub.s64") == 0) return x[1] - x[2];
    if (strcmp(operation, "and.b64") == 0 || strcmp(operation, "and.pred") == 0) return x[1] & x[2];
    if (strcmp(operation, "or.b64") == 0 || strcmp(operation, "or.pred") == 0) return x[1] | x[2];
    if (strcmp(operation, "xor.b64") == 0) return x[1] ^ x[2];
    if (strcmp(operation, "not.pred") == 0) return !x[1];
    if (strcmp(operation, "shl.b64") == 0) return x[2] < 64 ? x[1] << x[2] : 0;
    if (strcmp(operation, "shr.u64") == 0) return x[2] < 64 ? x[1] >> x[2] : 0;
    if (strcmp(operation, "cvt.u32.u64") == 0) return x[1] & 0xffffffff;
    if (strcmp(operation, "mul.wide.u32") == 0) return x[1] * x[2];
    if (strcmp(operation, "setp.eq.u64") == 0) return x[1] == x[2];
    if (strcmp(operation, "selp.b64") == 0 || strcmp(operation, "selp.f64") == 0) return x[3] ? x[1] : x[2];
    p->wrong = operation;
    return 0;
}

/* The number of the next line: a label's behind a branch that is taken. */
static inline int ptx_step(ptx_program *p, int at)
{
    const ptx_line *line = &p->line[at];
    if (line->operation[0] == 'L') return at + 1;
    if (line->guard[0] != '\0') {
        int negated = line->guard[1] == '!';
        if ((*ptx_place(p, line->guard + 1 + negated) != 0) == negated) return at + 1;
    }
    if (strcmp(line->operation, "bra") == 0) {
        char label[PTX_WORD + 1];
        snprintf(label, sizeof label, "%s:", line->operand[0]);
        while (++at < p->lines && strcmp(p->line[at].operation, label) != 0) continue;
        return at;
    }
    uint64_t x[PTX_OPERANDS] = {0};
    double numbers[PTX_OPERANDS];
    for (int k = 1; k < line->operands; k++) x[k] = *ptx_place(p, line->operand[k]);
    for (int k = 0; k < PTX_OPERANDS; k++) numbers[k] = point_of_bits(x[k]);
    const char *operation = line->operation;
    int of_reals = strstr(operation, ".rn.f64") != NULL || strcmp(operation, "neg.f64") == 0 ||
                   (strncmp(operation, "setp", 4) == 0 && strstr(operation, "f64") != NULL);
    *ptx_place(p, line->operand[0]) = of_reals ? ptx_real(operation, numbers) : ptx_word(p, operation, x);
    return at + 1;
}

/* What stands in register `result` once the lines have run with a and b in %fd0 and %fd1. */
static inline double ptx_run(ptx_program *p, double a, double b, int32_t result)
{
    p->real[0] = bits_of_point(a);
    p->real[1] = bits_of_point(b);
    for (int at = 0; at < p->lines && p->wrong == NULL;) at = ptx_step(p, at);
    return point_of_bits(p->real[result]);
}

#endif
