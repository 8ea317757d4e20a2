/* Verification catches deliberate damage: each kind of corruption is applied to a copy-on-restore program that
 * passes, and must be answered by WARPLU_INTERNAL with a message. */
#include "check.h"

#include "program/verify.h"
#include "support/build.h"

#include <string.h>

static uint64_t seed;
static test_build built;

/* A mesh: DOT pivots, a COLUMN region with segments, vectors of several records. */
static int build(test_region region)
{
    const test_recipe r = {.shape = TEST_GRID, .n = 49};
    warplu_options o;
    test_matrix m;
    wlu_cost cost = test_region_cost(region);
    warplu_options_init(&o);
    seed = 20201;
    test_matrix_random(&m, &seed, &r);
    warplu_status status = test_build_pivots(&built, &o, &m);
    if (status == WARPLU_SUCCESS) status = test_build_program(&built, &cost);
    if (status == WARPLU_SUCCESS) status = wlu_program_verify(&built.ctx, built.program);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", built.ctx.last_message);
    test_matrix_free(&m);
    return status == WARPLU_SUCCESS;
}

static void expect(int caught, const char *what)
{
    built.ctx.last_message[0] = '\0';
    warplu_status status = wlu_program_verify(&built.ctx, built.program);
    CHECK_SAY((status == WARPLU_INTERNAL) == caught, "%s: status %d", what, status);
    CHECK(!caught || strncmp(built.ctx.last_message, "program verification", 20) == 0);
}

/* Damages one int32, expects the verifier to see it, and mends it. */
static void damage(int32_t *at, int32_t value, const char *what)
{
    int32_t saved = *at;
    *at = value;
    expect(1, what);
    *at = saved;
    expect(0, what);
}

static void damage_long(int64_t *at, int64_t value, const char *what)
{
    int64_t saved = *at;
    *at = value;
    expect(1, what);
    *at = saved;
    expect(0, what);
}

/* The first vector of the opcode with at least two records, in a level that is not the first. */
static const wlu_vector *wide_vector(const wlu_stream *s, wlu_opcode opcode)
{
    for (int64_t k = 0; k < s->nvectors; k++)
        if (s->vector[k].opcode == (int32_t)opcode && s->vector[k].count >= 2 && s->vector[k].level > 1)
            return &s->vector[k];
    return NULL;
}

static void damage_stream(wlu_stream *s, const char *name)
{
    const wlu_program *p = built.program;
    const wlu_vector *v = wide_vector(s, WLU_DOTS);
    printf("# %s: %lld records\n", name, (long long)s->nrecords);
    CHECK(v != NULL && s->nterms > 0);
    if (v == NULL) return;
    int64_t r = v->first, last = s->nrecords - 1;
    damage(&s->target[r], (int32_t)p->nslots, "target out of range");
    damage(&s->target[r], -1, "negative target");
    damage(&s->target[r + 1], s->target[r], "duplicated target in a vector");
    damage(&s->divisor[r], (int32_t)p->nslots, "divisor out of range");
    damage(&s->divisor[r], -1, "no divisor");
    damage(&s->divisor[r], s->target[r + 1], "divisor beside its writer");
    damage(&s->operand[0], (int32_t)p->nslots + 7, "operand out of range");
    damage(&s->operand[2 * s->nterms - 1], -2, "negative operand");
    damage(&s->operand[2 * s->begin[last + 1] - 1], s->target[last], "reader of its own target");
    int64_t term = r; /* a record of the vector with a term */
    while (term < v->first + v->count && s->begin[term] == s->begin[term + 1]) term++;
    if (term < v->first + v->count) {
        int64_t other = term == v->first ? term + 1 : term - 1;
        damage(&s->operand[2 * s->begin[term]], s->target[other], "reader beside its writer");
        damage(&s->operand[2 * s->begin[term]], (int32_t)p->trash, "read of what nobody writes");
    }
    int64_t first = s->vector[0].first; /* of the first level: reads what the last record writes */
    while (first < s->nrecords && s->begin[first] == s->begin[first + 1]) first++;
    if (first < last) damage(&s->operand[2 * s->begin[first]], s->target[last], "read before the write");
}

static void damage_vectors(wlu_stream *s)
{
    damage_long(&s->vector[0].count, s->vector[0].count + 1, "overlapping vectors");
    damage_long(&s->vector[0].count, s->vector[0].count - 1, "a gap between vectors");
    damage_long(&s->vector[s->nvectors - 1].count, s->vector[s->nvectors - 1].count - 1, "records left over");
    damage_long(&s->nvectors, s->nvectors - 1, "a vector missing");
    damage(&s->vector[s->nvectors - 1].level, 0, "falling levels");
    uint8_t saved = s->opcode[0];
    s->opcode[0] = saved == WLU_DOT ? WLU_DOTS : WLU_DOT;
    expect(1, "opcode beside its vector's");
    s->opcode[0] = saved;
    expect(0, "opcode beside its vector's");
}

static void dot_streams(void)
{
    if (!build(TEST_ALL_DOT)) return;
    damage_stream(&built.program->dot, "factorization");
    damage_vectors(&built.program->dot);
    damage_stream(&built.program->solve.stream, "solve");
    damage_vectors(&built.program->solve.stream);
    damage_stream(&built.program->transposed.stream, "transposed solve");
    damage_vectors(&built.program->transposed.stream);
    test_build_free(&built);
}

static void loads(void)
{
    if (!build(TEST_MIXED)) return;
    wlu_program *p = built.program;
    damage(&p->load.source[0], p->nvalues, "load source out of range");
    damage(&p->load.source[0], -2, "negative load source");
    damage_long(&p->load.first, -1, "load area below the slots");
    damage_long(&p->load.count, p->nslots + 1, "load area beyond the slots");
    CHECK(p->list.count > 0);
    damage(&p->list.target[0], (int32_t)p->trash, "listed load into the trash");
    damage(&p->list.target[0], 0, "listed load into a DOT pivot");
    damage(&p->list.source[0], p->nvalues, "listed source out of range");
    damage(&p->list.source[0], -1, "listed load without a source");
    damage(&p->solve.load.source[0], p->n, "right-hand side out of range");
    damage(&p->solve.index[0], p->n, "unknown out of range");
    damage(&p->transposed.index[0], -1, "negative unknown");
    CHECK(p->guard.count > 0);
    damage(&p->guard.a_source[0], p->nvalues, "guard source out of range");
    damage(&p->guard.u_column[0], p->n, "guard column out of range");
    test_build_free(&built);
}

/* A column with two segments, and the place of the second. */
static int64_t second_segment(const wlu_columns *c)
{
    for (int32_t at = 0; at < c->m; at++)
        if (c->seg_ptr[at + 1] - c->seg_ptr[at] >= 2) return c->seg_ptr[at] + 1;
    return -1;
}

static void damage_column_solve(wlu_triangular *t)
{
    const wlu_program *p = built.program;
    if (t->super_end == 0) { /* solved by the streams alone */
        damage(&t->super_end, 1, "supernodes without unknowns");
        return;
    }
    damage(&t->super_end, p->columns.nsuper + 1, "supernodes beyond the region");
    damage(&t->super_begin, -1, "supernodes before the region");
    damage(&t->super_end, p->columns.nsuper - 1, "a supernode left out");
    damage(&t->column_y[0], (int32_t)p->nslots, "right-hand side of a column out of range");
    damage(&t->column_y[0], (int32_t)p->trash, "right-hand side of a column nobody writes");
    damage(&t->column_x[0], (int32_t)p->nslots, "unknown of a column out of range");
    damage(&t->column_x[0], 0, "unknown of a column among the factors");
    damage(&t->column_x[0], t->column_x[1], "two columns of one unknown");
}

static void column_region(void)
{
    if (!build(TEST_ALL_COLUMN)) return;
    wlu_program *p = built.program;
    wlu_columns *c = &p->columns;
    int64_t g = second_segment(c);
    CHECK(g > 0 && c->nsuper > 2 && c->rows_ptr[c->nsuper] > 1);
    if (g > 0) {
        int32_t s = c->seg_super[g];
        damage(&c->seg_super[g], c->nsuper, "segment of no supernode");
        damage(&c->seg_super[g], -1, "segment of a negative supernode");
        damage(&c->seg_super[g], c->seg_super[g - 1], "segments out of order");
        damage(&c->seg_first[g], c->first[s + 1], "segment beyond its supernode");
        damage(&c->seg_first[g], c->first[s] - 1, "segment before its supernode");
    }
    damage_long(&c->panel[0], p->segments - 1, "panel below the panels");
    damage_long(&c->panel[c->nsuper - 1], p->y, "panel beyond the panels");
    damage_long(&c->ubase[c->m - 1], p->panels + 1, "segment slots in the panels");
    damage_long(&c->ubase[0], 0, "segment slots among the pivots");
    damage(&c->own_first[c->m - 1], c->m, "own supernode beyond the column");
    damage(&c->rows[0], c->m, "supernode row out of range");
    damage(&c->rows[0], 0, "supernode row inside the supernode");
    damage(&c->first[1], 0, "empty supernode");
    CHECK(p->solve.super_begin == 0 && p->solve.super_end == c->nsuper);
    damage_column_solve(&p->solve);
    damage_column_solve(&p->transposed);
    test_build_free(&built);
}

int main(void)
{
    RUN(dot_streams);
    RUN(loads);
    RUN(column_region);
    return check_done();
}
