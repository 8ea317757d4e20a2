/* Reads kernels in PTX. See ptx.h. */
#include "ptx.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64, KINDS = 4, UNDEFINED = -1 };

static const char *const kind_name[KINDS] = {"fd", "rd", "r", "p"}, *const kind_type[KINDS] = {"f64", "b64", "b32",
                                                                                               "pred"};
static const char kind_letter[] = "dqwp";

typedef struct ptx_label {
    char name[WORD];
    int32_t line; /* of a label; or of a branch to it */
} ptx_label;

typedef struct ptx_parameter {
    char name[WORD], type[WORD];
} ptx_parameter;

typedef struct reader {
    ptx_module *module;
    const char *at;
    char word[WORD];   /* the next one, "" at the end */
    char shared[WORD]; /* the name of the array of shared memory, "" where there is none */
    char *why;
    int row, wrong;
    int32_t first[KINDS], count[KINDS]; /* registers' places */
    int32_t lines_room, places_room, labels, branches, labels_room, branches_room;
    ptx_label *label, *branch;
    ptx_parameter *parameter;
} reader;

static const struct {
    const char *text, *operands;
} operations[] = {
#define PTX(name, text, operands, result) {text, operands},
#include "operations.def"
#undef PTX
    {"bra", "l"},
    {"ret", ""},
    {"ld.global.f64", "dm"},
    {"ld.global.u32", "wm"},
    {"st.global.f64", "md"},
    {"st.global.u32", "mw"},
    {"ld.shared.f64", "dm"},
    {"st.shared.f64", "md"},
    {"ld.acquire.gpu.global.u32", "wm"},
    {"red.release.gpu.global.add.u32", "mw"},
    {"red.relaxed.gpu.global.or.b32", "mw"},
    {"red.relaxed.gpu.global.max.u64", "mq"},
    {"bar.sync", "w"},
    {"bar.red.or.pred", "pwp"},
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
fail(reader *r, const char *format, ...)
{
    va_list arguments;
    if (r->wrong) return;
    r->wrong = 1;
    int length = snprintf(r->why, PTX_WHY_BYTES, "line %d: ", r->row);
    va_start(arguments, format);
    vsnprintf(r->why + length, PTX_WHY_BYTES - (size_t)length, format, arguments);
    va_end(arguments);
}

/* Room for one more; what grew is zero. */
static void *grow(reader *r, void *array, int32_t count, int32_t *room, size_t size)
{
    if (count < *room) return array;
    int32_t more = 2 * count + 64;
    void *larger = realloc(array, (size_t)more * size);
    if (larger == NULL) {
        fail(r, "out of memory");
        return array;
    }
    memset((char *)larger + (size_t)*room * size, 0, (size_t)(more - *room) * size);
    *room = more;
    return larger;
}

static int of_word(char c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr("_.%$", c) != NULL);
}

static void next(reader *r)
{
    size_t length = 0;
    for (; *r->at != '\0' && isspace((unsigned char)*r->at); r->at++) r->row += *r->at == '\n';
    if (r->at[0] == '-') length = 1;
    while (of_word(r->at[length])) length++;
    if (length == 0 && *r->at != '\0') length = 1;
    if (length >= WORD) {
        fail(r, "a word of %d characters", (int)length);
        length = 0;
    }
    memcpy(r->word, r->at, length);
    r->word[length] = '\0';
    r->at += length;
}

static int is(const reader *r, const char *word)
{
    return !r->wrong && strcmp(r->word, word) == 0;
}

static int took(reader *r, const char *word)
{
    if (!is(r, word)) return 0;
    next(r);
    return 1;
}

static void expect(reader *r, const char *word)
{
    if (!took(r, word)) fail(r, "'%s' where '%s' is expected", r->word, word);
}

static void take(reader *r, char word[WORD])
{
    memcpy(word, r->word, WORD);
    next(r);
}

static int32_t take_count(reader *r)
{
    char *end;
    long count = strtol(r->word, &end, 10);
    if (*end != '\0' || count < 1 || count > 10000000) fail(r, "'%s' where a count is expected", r->word);
    next(r);
    return (int32_t)count;
}

static int32_t new_place(reader *r, uint64_t holds)
{
    ptx_module *m = r->module;
    m->file = grow(r, m->file, m->places, &r->places_room, sizeof *m->file);
    if (r->wrong) return 0;
    m->file[m->places] = holds;
    return m->places++;
}

static void read_parameters(reader *r)
{
    ptx_module *m = r->module;
    int32_t room = 0, sizes = 0;
    expect(r, "(");
    while (!r->wrong && !took(r, ")")) {
        r->parameter = grow(r, r->parameter, m->parameters, &room, sizeof *r->parameter);
        m->bytes = grow(r, m->bytes, m->parameters, &sizes, sizeof *m->bytes);
        if (r->wrong) return;
        ptx_parameter *p = &r->parameter[m->parameters];
        expect(r, ".param");
        take(r, p->type);
        take(r, p->name);
        int narrow = strcmp(p->type, ".u32") == 0;
        if (!narrow && strcmp(p->type, ".u64") != 0 && strcmp(p->type, ".f64") != 0)
            fail(r, "a parameter '%s'", p->type);
        m->bytes[m->parameters++] = narrow ? 4 : 8;
        new_place(r, 0);
        if (!is(r, ")")) expect(r, ",");
    }
}

/* An array of shared memory, whose size the launch says; its address there is 0. */
static void read_shared(reader *r)
{
    static const char *const words[] = {".shared", ".align", "8", ".b8"};
    if (!took(r, ".extern")) return;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) expect(r, words[k]);
    take(r, r->shared);
    expect(r, "[");
    expect(r, "]");
    expect(r, ";");
}

static void read_head(reader *r)
{
    static const char *const directives[] = {".version", ".target", ".address_size"};
    char word[WORD];
    for (size_t k = 0; k < sizeof directives / sizeof *directives; k++) {
        expect(r, directives[k]);
        take(r, word);
    }
    read_shared(r);
    expect(r, ".visible");
    expect(r, ".entry");
    take(r, r->module->name);
    read_parameters(r);
    if (took(r, ".maxntid")) {
        r->module->threads_most = take_count(r);
        for (int k = 0; k < 2; k++) {
            expect(r, ",");
            expect(r, "1");
        }
    }
    if (took(r, ".minnctapersm")) take_count(r);
    expect(r, "{");
}

/* A thread that reads a register which it has not written must not find a zero. */
static void declare(reader *r)
{
    char type[WORD], name[WORD];
    int kind = 0;
    take(r, type);
    take(r, name);
    while (kind < KINDS && (strcmp(type + 1, kind_type[kind]) != 0 || strcmp(name + 1, kind_name[kind]) != 0)) kind++;
    if (kind == KINDS || r->count[kind] > 0) {
        fail(r, "registers '%s' of type '%s'", name, type);
        return;
    }
    expect(r, "<");
    r->first[kind] = r->module->places;
    r->count[kind] = take_count(r);
    for (int32_t k = 0; k < r->count[kind] && !r->wrong; k++)
        new_place(r, kind == 3 ? 1 : kind == 2 ? 0xa5a5a5a5 : UINT64_C(0xa5a5a5a5a5a5a5a5));
    expect(r, ">");
    expect(r, ";");
}

static int may_be(char expected, char letter)
{
    return letter == expected || (expected == 'e' && (letter == 'd' || letter == 'q')) ||
           (expected == 'x' && letter == 'w');
}

/* The place of a register of this kind; -1: there is none. */
static int32_t register_place(const reader *r, const char *word, char expected)
{
    int kind = 0;
    size_t length = strcspn(word, "0123456789");
    while (kind < KINDS &&
           (strlen(kind_name[kind]) + 1 != length || strncmp(word + 1, kind_name[kind], length - 1) != 0))
        kind++;
    if (kind == KINDS || !may_be(expected, kind_letter[kind])) return UNDEFINED;
    char *end;
    long number = strtol(word + length, &end, 10);
    return *end == '\0' && word[length] != '\0' && number < r->count[kind] ? r->first[kind] + (int32_t)number
                                                                           : UNDEFINED;
}

static int32_t special_place(const char *word, char expected)
{
    static const char *const names[PTX_SPECIALS] = {"%ctaid.x", "%ntid.x", "%tid.x"};
    for (int32_t k = 0; k < PTX_SPECIALS && expected == 'x'; k++)
        if (strcmp(word, names[k]) == 0) return k;
    return UNDEFINED;
}

static int32_t constant_place(reader *r, const char *word, char expected)
{
    int real = strncmp(word, "0d", 2) == 0, fits = real ? expected == 'd' && strlen(word) == 18 : expected != 'd';
    int negative = word[0] == '-', narrow = expected == 'w' || expected == 'x';
    const char *digits = word + negative;
    char *end;
    uint64_t value = strtoull(digits + (real ? 2 : 0), &end, real ? 16 : 0), most = INT32_MAX;
    if (!isdigit((unsigned char)*digits) || *end != '\0' || !fits || expected == 'p' || expected == 'e')
        return UNDEFINED;
    if (narrow && value > (negative ? most : UINT32_MAX)) return UNDEFINED;
    if (negative) value = narrow ? (uint32_t)-value : -value;
    return new_place(r, value);
}

static int32_t place_of(reader *r, char expected, int written)
{
    int32_t place = register_place(r, r->word, expected);
    if (expected == 's') place = r->shared[0] != '\0' && is(r, r->shared) ? new_place(r, 0) : UNDEFINED;
    if (place < 0 && !written) place = special_place(r->word, expected);
    if (place < 0 && !written) place = constant_place(r, r->word, expected);
    if (place < 0) fail(r, "operand '%s'", r->word);
    next(r);
    return place;
}

static int32_t address_place(reader *r)
{
    expect(r, "[");
    int32_t place = place_of(r, 'q', 1);
    expect(r, "]");
    return place;
}

static void name_branch(reader *r)
{
    r->branch = grow(r, r->branch, r->branches, &r->branches_room, sizeof *r->branch);
    if (r->wrong) return;
    r->branch[r->branches].line = r->module->lines;
    take(r, r->branch[r->branches++].name);
}

static void read_operands(reader *r, ptx_line *line, const char *operands)
{
    int count = 0, memory = UNDEFINED;
    for (; operands[count] != '\0' && !r->wrong; count++) {
        if (count > 0) expect(r, ",");
        if (operands[count] == 'l')
            name_branch(r);
        else if (operands[count] == 'm')
            line->operand[1] = address_place(r), memory = count;
        else
            line->operand[memory == 0 ? 0 : count] =
                place_of(r, operands[count], count == 0 && line->operation != PTX_barrier);
    }
    if (line->combined == 0) return;
    expect(r, ",");
    line->operand[count] = place_of(r, 'p', 0);
}

/* mov of a parameter: its place is in the file. */
static void read_parameter(reader *r, ptx_line *line, const char *type)
{
    static const char *const types[] = {".f64", ".u64", ".u32"};
    static const int operation[] = {PTX_mov_f64, PTX_mov_b64, PTX_mov_u32};
    size_t kind = 0;
    while (kind < 3 && strcmp(type, types[kind]) != 0) kind++;
    if (kind == 3) {
        fail(r, "a parameter of type '%s'", type);
        return;
    }
    line->operation = (uint16_t)operation[kind];
    line->operand[0] = place_of(r, kind_letter[kind], 1);
    expect(r, ",");
    expect(r, "[");
    int32_t k = 0;
    while (k < r->module->parameters && !is(r, r->parameter[k].name)) k++;
    if (k == r->module->parameters || strcmp(r->parameter[k].type, type) != 0)
        fail(r, "no parameter '%s' of type '%s'", r->word, type);
    line->operand[1] = PTX_SPECIALS + k;
    next(r);
    expect(r, "]");
}

/* "setp.le.or.f64" is "setp.le.f64", combined. */
static void part(ptx_line *line, char name[WORD])
{
    static const char *const ways[] = {".and.", ".or."};
    for (size_t k = 0; k < 2 && strncmp(name, "setp.", 5) == 0; k++) {
        char *way = strstr(name, ways[k]);
        if (way == NULL) continue;
        line->combined = k == 0 ? '&' : '|';
        memmove(way, way + strlen(ways[k]) - 1, strlen(way + strlen(ways[k]) - 1) + 1);
    }
}

static void read_operation(reader *r, ptx_line *line, char name[WORD])
{
    uint16_t k = 0;
    if (strncmp(name, "ld.param.", 9) == 0) {
        read_parameter(r, line, name + 8);
        return;
    }
    part(line, name);
    while (k < PTX_OPERATIONS && strcmp(operations[k].text, name) != 0) k++;
    if (k == PTX_OPERATIONS) {
        fail(r, "operation '%s'", name);
        return;
    }
    line->operation = k;
    r->module->waits |= k == PTX_barrier || k == PTX_barrier_or;
    read_operands(r, line, operations[k].operands);
}

static void add_label(reader *r, const char *name)
{
    r->label = grow(r, r->label, r->labels, &r->labels_room, sizeof *r->label);
    for (int32_t k = 0; k < r->labels && !r->wrong; k++)
        if (strcmp(r->label[k].name, name) == 0) fail(r, "label '%s' again", name);
    if (r->wrong) return;
    r->label[r->labels].line = r->module->lines;
    snprintf(r->label[r->labels++].name, WORD, "%s", name);
}

static void read_statement(reader *r)
{
    ptx_module *m = r->module;
    ptx_line line = {.guard = UNDEFINED};
    char name[WORD];
    if (took(r, ".reg")) {
        declare(r);
        return;
    }
    if (took(r, "@")) {
        line.negated = (char)took(r, "!");
        line.guard = place_of(r, 'p', 1);
    }
    take(r, name);
    if (line.guard < 0 && took(r, ":")) {
        add_label(r, name);
        return;
    }
    m->line = grow(r, m->line, m->lines, &r->lines_room, sizeof *m->line);
    read_operation(r, &line, name);
    expect(r, ";");
    if (!r->wrong) m->line[m->lines++] = line;
}

static void find_labels(reader *r)
{
    for (int32_t b = 0; b < r->branches && !r->wrong; b++) {
        int32_t k = 0;
        while (k < r->labels && strcmp(r->label[k].name, r->branch[b].name) != 0) k++;
        if (k == r->labels)
            fail(r, "no label '%s'", r->branch[b].name);
        else
            r->module->line[r->branch[b].line].operand[0] = r->label[k].line;
    }
}

ptx_module *ptx_read(const char *text, char why[PTX_WHY_BYTES])
{
    reader r = {.module = calloc(1, sizeof *r.module), .at = text, .why = why, .row = 1};
    if (r.module == NULL) {
        fail(&r, "out of memory");
        return NULL;
    }
    for (int k = 0; k < PTX_SPECIALS; k++) new_place(&r, 0);
    next(&r);
    read_head(&r);
    while (!r.wrong && !is(&r, "}") && r.word[0] != '\0') read_statement(&r);
    expect(&r, "}");
    if (!r.wrong && r.word[0] != '\0') fail(&r, "'%s' behind the kernel", r.word);
    find_labels(&r);
    free(r.label);
    free(r.branch);
    free(r.parameter);
    if (!r.wrong) return r.module;
    ptx_free(r.module);
    return NULL;
}

void ptx_free(ptx_module *module)
{
    if (module == NULL) return;
    free(module->line);
    free(module->file);
    free(module->bytes);
    free(module);
}
