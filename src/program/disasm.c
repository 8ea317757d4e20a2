/* Disassembly. See disasm.h. O(program). */
#include "program/disasm.h"

#include <math.h>

/* What each physical slot holds: kind and up to two indices. */
typedef struct name {
    char kind; /* 0: none */
    int32_t i, j;
} name;

typedef struct writer {
    const wlu_program *p;
    const name *names;
    FILE *file;
} writer;

static void name_column(name *names, const int32_t *slot, char kind, int64_t base, const int64_t *cp, const int32_t *ci,
                        int32_t j)
{
    for (int64_t q = cp[j]; q < cp[j + 1]; q++) names[slot[base + q]] = (name){kind, ci[q], j};
}

static void name_slots(const wlu_pivots *p, const wlu_program *program, name *names)
{
    wlu_layout o = wlu_layout_of(p, 0);
    const int32_t *slot = program->slot;
    for (int32_t j = 0; j < p->n; j++) {
        name_column(names, slot, 'l', o.l, p->lp, p->li, j);
        name_column(names, slot, 'u', o.u, p->up, p->ui, j);
        name_column(names, slot, 'f', o.f, p->fp, p->fi, j);
        names[slot[j]] = (name){'d', j, -1};
        names[slot[o.reciprocal + j]] = (name){'r', j, -1};
        names[program->y + j] = (name){'y', p->row_pos[program->solve.load.source[j]], -1};
        names[program->x + j] = (name){'x', p->col_pos[program->solve.index[j]], -1};
    }
    for (int64_t k = program->sums; k < program->y; k++) names[k] = (name){'p', (int32_t)(k - program->sums), -1};
    for (int64_t k = program->solve_sums; k < program->nslots; k++)
        names[k] = (name){'p', (int32_t)(k - program->solve_sums), -1};
}

static void put_slot(const writer *w, int64_t slot)
{
    const name *s = &w->names[slot];
    if (slot == w->p->zero)
        fprintf(w->file, "0");
    else if (slot == w->p->minus_one)
        fprintf(w->file, "-1");
    else if (s->kind == 0)
        fprintf(w->file, "s(%lld)", (long long)slot);
    else if (s->j < 0)
        fprintf(w->file, "%c(%d)", s->kind, s->i);
    else
        fprintf(w->file, "%c(%d,%d)", s->kind, s->i, s->j);
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
        if (w->names[l->first + k].kind != 0) put_load(w, l->first + k, source, l->source[k], l->scale[k]);
}

static void put_record(const writer *w, const wlu_stream *s, int64_t r)
{
    fprintf(w->file, "  %-5s ", wlu_opcode_table[s->opcode[r]].name);
    put_slot(w, s->target[r]);
    fprintf(w->file, " = ");
    if (s->opcode[r] == WLU_RCP) {
        fprintf(w->file, "1 / ");
        put_slot(w, s->divisor[r]);
    } else {
        if (s->opcode[r] == WLU_DOTS) fprintf(w->file, "(");
        put_slot(w, s->start[r]);
        for (int64_t q = 2 * s->begin[r]; q < 2 * s->begin[r + 1]; q += 2) {
            fprintf(w->file, " - ");
            put_slot(w, s->operand[q]);
            fprintf(w->file, " * ");
            put_slot(w, s->operand[q + 1]);
        }
        if (s->opcode[r] == WLU_DOTS) {
            fprintf(w->file, ") * ");
            put_slot(w, s->divisor[r]);
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

static void put_pivots(const writer *w, int32_t first, int32_t last)
{
    const wlu_tiles *t = &w->p->tiles;
    for (int32_t at = first; at <= last; at++) fprintf(w->file, " %d", t->position[at]);
}

/* A tile's pivots, its rows of L, and by which pivots of which tiles it is updated. */
static void put_tiles(const writer *w)
{
    const wlu_tiles *t = &w->p->tiles;
    for (int32_t k = 0; k < t->count; k++) {
        fprintf(w->file, "  TILE %d: pivots", k);
        put_pivots(w, t->first[k], t->first[k + 1] - 1);
        fprintf(w->file, ", rows");
        for (int64_t q = t->row_ptr[k] + t->above[k]; q < t->row_ptr[k + 1]; q++)
            fprintf(w->file, " %d", t->position[t->row[q]]);
        fprintf(w->file, "\n");
        for (int64_t g = t->source_ptr[k]; g < t->source_ptr[k + 1]; g++) {
            int32_t s = t->source[g].tile, end = t->first[s + 1];
            fprintf(w->file, "   after tile %d, pivots", s);
            put_pivots(w, end - t->source[g].pivots, end - 1);
            fprintf(w->file, "\n");
        }
    }
}

static void put_program(const writer *w)
{
    const wlu_program *p = w->p;
    fprintf(w->file, "program: n %d, %lld slots, fp64, slot width 32\n", p->n, (long long)p->nslots);
    fprintf(w->file, "factorization: loads\n");
    put_loads(w, &p->load, "A");
    for (int64_t k = 0; k < p->list.count; k++)
        put_load(w, p->list.target[k], "A", p->list.source[k], p->list.scale[k]);
    fprintf(w->file, "factorization: DOT stream, %lld records, %lld terms, %d levels\n", (long long)p->dot.nrecords,
            (long long)p->dot.nterms, p->dot.nlevels);
    put_vectors(w, &p->dot, 0, p->dot.nvectors);
    fprintf(w->file, "factorization: TILE region, %d tiles, %d pivots, %lld terms\n", p->tiles.count, p->tiles.m,
            (long long)p->tiles.terms);
    put_tiles(w);
    fprintf(w->file, "factorization: guards\n");
    for (int32_t k = 0; k < p->n; k++) fprintf(w->file, "  GUARD %d\n", k);
    fprintf(w->file, "solve: loads\n");
    put_loads(w, &p->solve.load, "b");
    fprintf(w->file, "solve: DOT stream, %lld records, %lld terms, %d levels\n", (long long)p->solve.stream.nrecords,
            (long long)p->solve.stream.nterms, p->solve.stream.nlevels);
    for (int32_t r = 0; r <= p->solve.regions; r++) {
        put_vectors(w, &p->solve.stream, p->solve.part[r], p->solve.part[r + 1]);
        if (r < p->solve.regions)
            fprintf(w->file, "solve: TILE region, tiles %d..%d, forward and back\n", p->solve.region[r].begin,
                    p->solve.region[r].end - 1);
    }
}

warplu_status wlu_program_disassemble(wlu_context *ctx, const wlu_pivots *pivots, const wlu_program *program,
                                      FILE *file)
{
    name *names = WLU_CALLOC(ctx, program->nslots, name);
    if (names == NULL) return wlu_fail_memory(ctx, "disassembly");
    name_slots(pivots, program, names);
    writer w = {program, names, file};
    put_program(&w);
    wlu_free(ctx, names);
    if (ferror(file)) return wlu_fail(ctx, WARPLU_CANNOT_WRITE, "the disassembly cannot be written");
    return WARPLU_SUCCESS;
}
