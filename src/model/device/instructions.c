/* Writes one instruction of a program as lines of PTX, by the column `ptx` of graph/opcodes.def: one line, a
 * comparison and a choice, a function of this file, or an elementary function as model/elementary writes it. Constants
 * stand in lines by their bits, so that no decimal is rounded on the way. */
#include "model/device/instructions.h"

#include <inttypes.h>
#include <string.h>

#include "model/elementary/ptx.h"

enum { OPERAND_BYTES = 32 };

typedef struct operands {
    char text[3][OPERAND_BYTES]; /* names of registers, or the bits of constants */
    int32_t number[3];           /* numbers of registers; -1 of constants */
    const wlm_table *table;      /* NULL: the operation reads none */
    int64_t at;                  /* where it stands in the block of tables, whose address is in %rd<word> */
    int32_t word;
} operands;

int32_t wlm_ptx_real(wlm_ptx *writer)
{
    return writer->reals++;
}

static int32_t fresh_truth(wlm_ptx *writer)
{
    return writer->truths++;
}

static void name(char *text, int32_t number)
{
    snprintf(text, OPERAND_BYTES, "%%fd%" PRId32, number);
}

static void constant(char *text, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    snprintf(text, OPERAND_BYTES, "0d%016" PRIx64, bits);
}

static void operand(const wlm_program *p, const int32_t *registers, int32_t which, operands *o, int k)
{
    o->number[k] = which >= 0 ? registers[which] : -1;
    if (which >= 0) {
        name(o->text[k], registers[which]);
        return;
    }
    constant(o->text[k], p->constant[-1 - which]);
}

/* Writes the line "name to, a [, b [, c]]". Returns the register `to`. */
static int32_t plain(wlm_ptx *w, const char *name, const operands *o, int count)
{
    int32_t to = wlm_ptx_real(w);
    if (count == 1) wlm_ptx_line(w, "%s %%fd%d, %s;", name, (int)to, o->text[0]);
    if (count == 2) wlm_ptx_line(w, "%s %%fd%d, %s, %s;", name, (int)to, o->text[0], o->text[1]);
    if (count == 3) wlm_ptx_line(w, "%s %%fd%d, %s, %s, %s;", name, (int)to, o->text[0], o->text[1], o->text[2]);
    return to;
}

/* Compares. Returns the register of the truth; "neu" is true of NaN. */
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

/* Returns the chosen register; a where that is a NaN. */
static int32_t or_nan(wlm_ptx *w, int32_t chosen, const char *a)
{
    char text[OPERAND_BYTES];
    name(text, chosen);
    return choose(w, a, text, compare(w, "nan", a, a));
}

static int32_t lines_of_sign(wlm_ptx *w, const operands *o)
{
    char text[OPERAND_BYTES];
    const char *a = o->text[0];
    int32_t positive = choose(w, one, zero, compare(w, "gt", a, zero));
    name(text, positive);
    return or_nan(w, choose(w, minus_one, text, compare(w, "lt", a, zero)), a);
}

static int32_t lines_of_not(wlm_ptx *w, const operands *o)
{
    return choose(w, one, zero, compare(w, "eq", o->text[0], zero));
}

static int32_t extreme(wlm_ptx *w, const char *relation, const operands *o)
{
    return or_nan(w, choose(w, o->text[0], o->text[1], compare(w, relation, o->text[0], o->text[1])), o->text[0]);
}

static int32_t lines_of_fnma(wlm_ptx *w, const operands *o)
{
    operands other = *o;
    name(other.text[0], plain(w, "neg.f64", o, 1));
    return plain(w, "fma.rn.f64", &other, 3);
}

static int32_t lines_of_select(wlm_ptx *w, const operands *o)
{
    return choose(w, o->text[1], o->text[2], compare(w, "neu", o->text[0], zero));
}

/* ------------------------------------------------------------------- tables */

/* Adds bytes to an address. Returns the register of the sum. */
static int32_t address(wlm_ptx *w, int32_t from, int64_t bytes)
{
    int32_t to = w->words++;
    wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", (int)to, (int)from, bytes);
    return to;
}

/* Loads the number that stands `numbers` behind an address. */
static int32_t load(wlm_ptx *w, int32_t from, int64_t numbers)
{
    int32_t to = wlm_ptx_real(w), at = address(w, from, numbers * (int64_t)sizeof(double));
    wlm_ptx_line(w, "ld.global.f64 %%fd%d, [%%rd%d];", (int)to, (int)at);
    return to;
}

static int32_t no_number(wlm_ptx *w)
{
    static const operands nan = {.text = {"0d7ff8000000000000"}, .number = {-1}};
    return plain(w, "mov.f64", &nan, 1);
}

/* Adds `step` to what has been found, where the number at an address is not above x. Returns the truth of that. */
static int32_t step_on(wlm_ptx *w, int32_t knot, const char *x, double step, int32_t *found)
{
    operands sum = {.number = {-1}};
    char text[OPERAND_BYTES], by[OPERAND_BYTES];
    name(text, load(w, knot, 0));
    constant(by, step);
    int32_t is_below = compare(w, "le", text, x);
    name(sum.text[0], *found);
    name(sum.text[1], choose(w, by, zero, is_below));
    *found = plain(w, "add.rn.f64", &sum, 2);
    return is_below;
}

/* Halves as wlm_table_number does. */
static int32_t lines_of_find(wlm_ptx *w, const operands *o)
{
    static const operands none = {.text = {"0d0000000000000000"}, .number = {-1}};
    if (o->table == NULL) return no_number(w);
    int32_t from = address(w, o->word, o->at * (int64_t)sizeof(double)), found = plain(w, "mov.f64", &none, 1);
    for (int32_t left = o->table->knots; left > 1;) {
        int32_t half = left / 2, middle = address(w, from, (half - 1) * (int64_t)sizeof(double));
        int32_t truth = step_on(w, middle, o->text[0], half, &found), by = w->words++, to = w->words++;
        wlm_ptx_line(w, "selp.b64 %%rd%d, %d, 0, %%p%d;", (int)by, (int)(half * (int32_t)sizeof(double)), (int)truth);
        wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %%rd%d;", (int)to, (int)from, (int)by);
        from = to;
        left -= half;
    }
    step_on(w, from, o->text[0], 1.0, &found);
    return found;
}

static int32_t lines_of_piece(wlm_ptx *w, const operands *o)
{
    operands p = {.number = {-1}};
    char last[OPERAND_BYTES], text[OPERAND_BYTES];
    const wlm_table *t = o->table;
    if (t == NULL) return no_number(w);
    constant(last, t->knots);
    name(text, choose(w, o->text[1], zero, compare(w, "gt", o->text[1], zero)));
    int32_t within = choose(w, text, last, compare(w, "lt", text, last)), number = w->words++, piece = w->words++;
    int32_t pieces = address(w, o->word, (o->at + t->knots) * (int64_t)sizeof(double));
    wlm_ptx_line(w, "cvt.rzi.u64.f64 %%rd%d, %%fd%d;", (int)number, (int)within);
    wlm_ptx_line(w, "mad.lo.u64 %%rd%d, %%rd%d, %d, %%rd%d;", (int)piece, (int)number,
                 (1 + (int)t->terms) * (int)sizeof(double), (int)pieces);
    int32_t value = load(w, piece, t->terms);
    memcpy(p.text[0], o->text[0], OPERAND_BYTES);
    name(p.text[1], load(w, piece, 0));
    name(p.text[1], plain(w, "sub.rn.f64", &p, 2));
    for (int32_t k = t->terms - 1; k > 0; k--) {
        name(p.text[0], value);
        name(p.text[2], load(w, piece, k));
        value = plain(w, "fma.rn.f64", &p, 3);
    }
    return value;
}

/* Writes an elementary function; constants are moved into registers first. */
static int32_t function(wlm_ptx *w, wlm_function f, const operands *o)
{
    int32_t number[2];
    for (int k = 0; k < wlm_function_arguments(f); k++) {
        operands one_of_them = {.number = {-1}};
        memcpy(one_of_them.text[0], o->text[k], OPERAND_BYTES);
        number[k] = o->number[k] >= 0 ? o->number[k] : plain(w, "mov.f64", &one_of_them, 1);
    }
    return wlm_ptx_function(w, f, number[0], number[wlm_function_arguments(f) - 1]);
}

#define PTX_NONE -1
#define PTX_PLAIN(name) plain(w, name, o, wlm_opcode_operands(opcode))
#define PTX_COMPARE(relation) truth_of(w, relation, o)
#define PTX_LOGICAL(how) both_or_one(w, how, o)
#define PTX_EXTREME(relation) extreme(w, relation, o)
#define PTX_LINES(name) lines_of_##name(w, o)
#define PTX_FUNCTION(name) function(w, WLM_FUNCTION_##name, o)

/* Writes an operation. Returns the register of its result; -1 where it has none. */
static int32_t lines_of(wlm_ptx *w, wlm_opcode opcode, const operands *o)
{
    switch (opcode) {
#define WLM_OPCODE(name, operands, text, written, cost, course, size, levels, ptx, ...) \
    case WLM_##name: \
        return PTX_##ptx;
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
    case WLM_OPCODES: break;
    }
    return -1;
}

void wlm_ptx_program(wlm_ptx *writer, const wlm_program *program, const wlm_device_tables *tables, int32_t *registers)
{
    for (int32_t k = 0; k < program->instructions; k++) {
        const wlm_instruction *i = &program->instruction[k];
        operands o = {.table = wlm_program_table(program, i)};
        operand(program, registers, i->a, &o, 0);
        operand(program, registers, i->b, &o, 1);
        if (wlm_operand_count(i->opcode) > 2) operand(program, registers, i->c, &o, 2);
        if (o.table != NULL) o.at = wlm_device_table_at(tables, o.table), o.word = tables->word;
        registers[i->to] =
            i->opcode == WLM_MOVE ? plain(writer, "mov.f64", &o, 1) : lines_of(writer, (wlm_opcode)i->opcode, &o);
    }
}
