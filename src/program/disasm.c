/* Disassembly. See disasm.h. O(program). */
#include "program/disasm.h"

#include <math.h>
#include <string.h>

typedef struct writer {
    const wlu_program *p;
    const wlu_slot_name *names;
    FILE *file;
} writer;

/* Partial sums are the program's own. */
static void name_sums(const wlu_program *p, wlu_slot_name *names)
{
    for (int64_t k = p->sums; k < p->y; k++) names[k] = (wlu_slot_name){'p', (int32_t)(k - p->sums), -1};
    for (int64_t k = p->solve_sums; k < p->nslots; k++)
        names[k] = (wlu_slot_name){'p', (int32_t)(k - p->solve_sums), -1};
}

static void put_slot(const writer *w, int64_t slot)
{
    const wlu_slot_name *s = &w->names[slot];
    if (slot == w->p->zero)
        fprintf(w->file, "0");
    else if (slot == w->p->minus_one)
        fprintf(w->file, "-1");
    else if (s->letter == 0)
        fprintf(w->file, "s(%lld)", (long long)slot);
    else if (s->j < 0)
        fprintf(w->file, "%c(%d)", s->letter, s->i);
    else
        fprintf(w->file, "%c(%d,%d)", s->letter, s->i, s->j);
}

static void put_load(const writer *w, int64_t slot, const char *source, int32_t k, double scale)
{
    fprintf(w->file, "  LOAD  ");
    put_slot(w, slot);
    if (k < 0)
        fprintf(w->file, " = 0\n");
    else if (scale == 1.0)
        fprintf(w->file, " = %s[%d]\n", source, k);
    else
        fprintf(w->file, " = 2^%d * %s[%d]\n", ilogb(scale), source, k);
}

static void put_loads(const writer *w, const wlu_loads *l, const char *source)
{
    for (int64_t k = 0; k < l->count; k++)
        if (w->names[l->first + k].letter != 0) put_load(w, l->first + k, source, l->source[k], l->scale[k]);
}

static void put_terms(const writer *w, const wlu_stream *s, int64_t r)
{
    for (int64_t q = 2 * s->begin[r]; q < 2 * s->begin[r + 1]; q += 2) {
        fprintf(w->file, " - ");
        put_slot(w, s->operand[q]);
        fprintf(w->file, " * ");
        put_slot(w, s->operand[q + 1]);
    }
}

/* The semantics of its opcode, slots and terms in their places. */
static void put_record(const writer *w, const wlu_stream *s, int64_t r)
{
    static const char terms[] = " - sum v[a] * v[b]";
    const wlu_opcode_info *info = &wlu_opcode_table[s->opcode[r]];
    fprintf(w->file, "  %-5s ", info->name);
    for (const char *at = info->semantics; *at != '\0';) {
        if (strncmp(at, terms, sizeof terms - 1) == 0) {
            put_terms(w, s, r);
            at += sizeof terms - 1;
        } else if (strncmp(at, "v[", 2) == 0) {
            put_slot(w, at[2] == 't' ? s->target[r] : at[2] == 's' ? s->start[r] : s->divisor[r]);
            at += sizeof "v[t]" - 1;
        } else {
            fputc(*at++, w->file);
        }
    }
    fprintf(w->file, "\n");
}

/* Vectors begin .. end - 1. */
static void put_vectors(const writer *w, const wlu_stream *s, int64_t begin, int64_t end)
{
    for (int64_t k = begin; k < end; k++) {
        const wlu_vector *v = &s->vector[k];
        fprintf(w->file, " vector %lld: level %d, %lld %s\n", (long long)k, v->level, (long long)v->count,
                v->opcode == WLU_OPCODES ? "mixed" : wlu_opcode_table[v->opcode].name);
        for (int64_t r = v->first; r < v->first + v->count; r++) put_record(w, s, r);
    }
}

static void put_stream(const writer *w, const char *stage, const wlu_stream *s)
{
    fprintf(w->file, "%s: DOT stream, %lld records, %lld terms, %d levels\n", stage, (long long)s->nrecords,
            (long long)s->nterms, s->nlevels);
}

static void put_program(const writer *w)
{
    const wlu_program *p = w->p;
    const char *scalar = p->doubles == 2 ? "complex fp64" : "fp64";
    const char *first = p->kind->stage[0], *second = p->kind->stage[1];
    fprintf(w->file, "program: n %d, %lld slots, %s, slot width 32\n", p->n, (long long)p->nslots, scalar);
    fprintf(w->file, "%s: loads\n", first);
    put_loads(w, &p->load, "A");
    for (int64_t k = 0; k < p->list.count; k++)
        put_load(w, p->list.target[k], "A", p->list.source[k], p->list.scale[k]);
    put_stream(w, first, &p->dot);
    put_vectors(w, &p->dot, 0, p->dot.nvectors);
    if (p->kind->disassemble != NULL) p->kind->disassemble(p, w->file);
    fprintf(w->file, "%s: loads\n", second);
    put_loads(w, &p->solve.load, "b");
    put_stream(w, second, &p->solve.stream);
    for (int32_t r = 0; r <= p->solve.regions; r++) {
        put_vectors(w, &p->solve.stream, p->solve.segment[r], p->solve.segment[r + 1]);
        if (r < p->solve.regions) p->kind->disassemble_region(&p->solve.region[r], w->file);
    }
}

warplu_status wlu_program_disassemble(wlu_context *ctx, const wlu_program *program, const void *naming, FILE *file)
{
    wlu_slot_name *names = WLU_CALLOC(ctx, program->nslots, wlu_slot_name);
    if (names == NULL) return wlu_fail_memory(ctx, "disassembly");
    if (program->kind->name_slots != NULL) program->kind->name_slots(program, naming, names);
    name_sums(program, names);
    writer w = {program, names, file};
    put_program(&w);
    wlu_free(ctx, names);
    if (ferror(file)) return wlu_fail(ctx, WARPLU_CANNOT_WRITE, "the disassembly cannot be written");
    return WARPLU_SUCCESS;
}
