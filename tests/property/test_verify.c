/* Verification catches deliberate damage: each kind of corruption is applied to a copy-on-restore program that
 * passes, and must be answered by WARPLU_INTERNAL with a message. */
#include "check.h"

#include "program/verify.h"
#include "support/build.h"
#include "support/options.h"

#include <string.h>

static uint64_t seed;
static test_build built;

/* A mesh: DOT pivots, a TILE region with sources, vectors of several records. Or an arrow: partial sums. */
static int build_shape(test_region region, test_shape shape)
{
    const test_recipe r = {.shape = shape, .n = 144};
    warplu_options o;
    test_matrix m;
    wlu_cost cost = test_region_cost(region);
    check_init_options(&o);
    seed = 20201;
    test_matrix_random(&m, &seed, &r);
    warplu_status status = test_build_pivots(&built, &o, &m);
    if (status == WARPLU_SUCCESS) status = test_build_program(&built, &cost);
    if (status == WARPLU_SUCCESS) status = wlu_program_verify(&built.ctx, built.program);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", built.ctx.last_message);
    test_matrix_free(&m);
    return status == WARPLU_SUCCESS;
}

static int build(test_region region)
{
    return build_shape(region, TEST_GRID);
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
    int32_t of_vector = s->vector[0].opcode;
    s->vector[0].opcode = WLU_OPCODES; /* mixed */
    s->opcode[0] = WLU_TILE;
    expect(1, "opcode that no stream has");
    s->opcode[0] = saved;
    s->vector[0].opcode = of_vector;
    expect(0, "opcode that no stream has");
}

/* What executors take for granted of several right-hand sides. */
static void damage_linear(wlu_stream *s)
{
    const wlu_program *p = built.program;
    int64_t r = s->nrecords - 1, scaled = 0;
    while (s->begin[r] == s->begin[r + 1]) r--;
    while (s->opcode[scaled] != WLU_DOTS) scaled++;
    int32_t *pair = &s->operand[2 * s->begin[r]];
    damage(&pair[0], pair[1], "product of two unknowns");
    damage(&pair[1], pair[0], "product of two factors");
    damage(&s->divisor[scaled], (int32_t)p->y, "divisor of the second stage");
    wlu_vector *vector = s->vector;
    while (vector->first + vector->count <= scaled) vector++;
    int32_t of_vector = vector->opcode;
    vector->opcode = WLU_OPCODES; /* mixed */
    s->opcode[scaled] = WLU_DOTR;
    expect(1, "opcode of the first stage");
    s->opcode[scaled] = WLU_DOTS;
    vector->opcode = of_vector;
    expect(0, "opcode of the first stage");
    damage(&s->start[r], (int32_t)wlu_areas_of(p).u, "start of the first stage");
}

static void dot_streams(void)
{
    if (!build(TEST_ALL_DOT)) return;
    damage_stream(&built.program->dot, "factorization");
    damage_vectors(&built.program->dot);
    damage_stream(&built.program->solve.stream, "solve");
    damage_vectors(&built.program->solve.stream);
    damage_linear(&built.program->solve.stream);
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
    CHECK(wlu_lu_of(p)->guard.count > 0);
    damage(&wlu_lu_of(p)->guard.a_source[0], p->nvalues, "guard source out of range");
    damage(&wlu_lu_of(p)->guard.u_column[0], p->n, "guard column out of range");
    test_build_free(&built);
}

/* A tile with two sources, and the place of the second. */
static int64_t second_source(const wlu_tiles *t, int32_t *tile)
{
    for (*tile = 0; *tile < t->count; ++*tile)
        if (t->source_ptr[*tile + 1] - t->source_ptr[*tile] >= 2) return t->source_ptr[*tile] + 1;
    return -1;
}

/* A source of which the one before it has a row of L, and is of the same tile. */
static int64_t updated_source(const wlu_tiles *t)
{
    for (int32_t k = 0; k < t->count; k++)
        for (int64_t g = t->source_ptr[k] + 1; g < t->source_ptr[k + 1]; g++) {
            int32_t before = t->source[g - 1].tile, row = t->row[t->row_ptr[before] + t->above[before]];
            if (row >= t->first[t->source[g].tile + 1] - t->source[g].pivots && row < t->first[t->source[g].tile + 1])
                return g;
        }
    return -1;
}

static void swap_sources(wlu_tiles *t)
{
    int64_t g = updated_source(t);
    CHECK(g > 0);
    if (g < 0) return;
    wlu_tile_source first = t->source[g - 1];
    t->source[g - 1] = t->source[g];
    t->source[g] = first;
    expect(1, "source behind what it updates");
    t->source[g] = t->source[g - 1];
    t->source[g - 1] = first;
    expect(0, "source behind what it updates");
}

static void damage_tile_solve(wlu_triangular *t)
{
    const wlu_program *p = built.program;
    damage_long(&t->segment[0], 1, "vectors before the first segment");
    damage_long(&t->segment[t->regions + 1], t->stream.nvectors - 1, "vectors behind the last segment");
    if (t->regions == 0) return; /* solved by the stream alone */
    damage_long(&t->segment[1], t->segment[2] + 1, "a segment that ends before it begins");
    damage(&t->region->end, wlu_lu_of(p)->tiles.count + 1, "tiles beyond the region");
    damage(&t->region->begin, -1, "tiles before the region");
    damage(&t->region->end, wlu_lu_of(p)->tiles.count - 1, "a tile left out");
    damage(&t->region->end, 0, "no tiles");
    damage(&t->tile_y[0], (int32_t)p->nslots, "right-hand side of a tile out of range");
    damage(&t->tile_y[0], (int32_t)p->trash, "right-hand side of a tile nobody writes");
    damage(&t->tile_x[0], (int32_t)p->nslots, "unknown of a tile out of range");
    damage(&t->tile_x[0], 0, "unknown of a tile among the factors");
    damage(&t->tile_x[0], t->tile_x[1], "two pivots of one unknown");
}

static void tile_region(void)
{
    if (!build(TEST_ALL_TILE)) return;
    wlu_program *p = built.program;
    wlu_tiles *t = &wlu_lu_edit(p)->tiles;
    int32_t k;
    int64_t g = second_source(t, &k);
    CHECK(g > 0 && t->count > 2 && t->below[0] > 0 && t->row_ptr[t->count] > 1);
    if (g > 0) {
        wlu_tile_source *source = &t->source[g];
        damage(&source->tile, t->count, "source that is no tile");
        damage(&source->tile, -1, "source before all tiles");
        damage(&source->tile, k, "tile that is its own source");
        damage(&source->tile, source[-1].tile, "sources out of order");
        damage(&source->at, source->at + 1, "rows of another source");
        damage(&source->pivots, source->pivots - 1, "a pivot left out");
        damage(&source->pivots, 0, "source without pivots");
        damage(&source->at, t->above[k], "source beyond the rows above");
        damage_long(&source->to, t->ntargets, "targets beyond the list");
        damage_long(&source->to, -1, "targets before the list");
        damage(&t->target[source->to], t->above[k] + t->below[k] + 2 * WLU_TILE_WIDTH, "target outside the panel");
        damage(&t->target[source->to], -1, "target before the panel");
        damage(&t->target[source->to], t->target[source->to] == 0, "target in another row");
    }
    swap_sources(t);
    damage_long(&t->panel[0], p->region_slots - WLU_TILE_WIDTH, "panel below the panels");
    damage_long(&t->panel[0], t->panel[0] + 1, "panel that is not aligned");
    damage_long(&t->panel[t->count - 1], p->y / WLU_TILE_WIDTH * WLU_TILE_WIDTH, "panel beyond the panels");
    int32_t *row = &t->row[t->row_ptr[0] + t->above[0]];
    damage(row, t->m, "row out of range");
    damage(row, 0, "row inside its tile");
    damage(&t->above[0], 1, "rows without a source");
    damage(&t->first[1], 0, "empty tile");
    CHECK(p->solve.regions == 1 && p->solve.region->begin == 0 && p->solve.region->end == t->count);
    damage_tile_solve(&p->solve);
    damage_tile_solve(&p->transposed);
    test_build_free(&built);
}

/* The first record that is a partial sum, and the last that has some. */
static int64_t find_sum(const wlu_stream *s, int32_t zero)
{
    int64_t r = 0;
    while (r + 1 < s->nrecords && s->start[r] != zero) r++;
    return r;
}

static int64_t find_reader(const wlu_stream *s, int32_t minus_one)
{
    int64_t r = s->nrecords - 1;
    while (r > 0 && (s->begin[r + 1] == s->begin[r] || s->operand[2 * s->begin[r + 1] - 2] != minus_one)) r--;
    return r;
}

/* The last record that goes on in the slot that it starts from, so that another target leaves no slot unwritten. */
static int64_t find_chain(const wlu_stream *s)
{
    int64_t r = s->nrecords - 1;
    while (r > 0 && s->start[r] != s->target[r]) r--;
    return r;
}

/* Products with -1, as many as there are partial sums, at the end of the reader. */
static void damage_sums(wlu_stream *s, int32_t first_sum)
{
    const wlu_program *p = built.program;
    int32_t zero = (int32_t)p->zero, minus_one = (int32_t)p->minus_one;
    int64_t sum = find_sum(s, zero), reader = find_reader(s, minus_one);
    int32_t *last = &s->operand[2 * s->begin[reader + 1] - 2], *term = &s->operand[2 * s->begin[sum]];
    CHECK(s->start[sum] == zero && s->target[sum] == first_sum && last[0] == minus_one && last[-2] == minus_one);
    damage(&s->start[sum], s->target[sum], "a partial sum that starts from itself");
    damage(&s->start[sum], (int32_t)wlu_areas_of(p).u, "a partial sum that starts from a factor");
    damage(&s->target[sum], zero, "zero written");
    damage(&s->target[sum], minus_one, "-1 written");
    const int64_t chain = find_chain(s);
    CHECK(s->start[chain] == s->target[chain]);
    damage(&s->target[chain], zero, "zero written in place of a slot that has a number");
    damage(&s->target[sum + 1], first_sum, "two partial sums in one slot");
    damage(&s->start[reader], first_sum, "a chain that starts from a partial sum");
    damage(&last[1], last[-1], "a partial sum read twice");
    damage(&last[0], zero, "a partial sum times 0");
    damage(&last[1], term[0], "-1 times a factor");
    damage(&last[1], minus_one, "-1 squared");
    damage(&term[0], minus_one, "-1 times an operand");
    const int32_t product[] = {last[0], last[1]};
    last[0] = last[1] = zero;
    expect(1, "a partial sum that nobody reads");
    memcpy(last, product, sizeof product);
    expect(0, "a partial sum that nobody reads");
}

static void partial_sums(void)
{
    if (!build_shape(TEST_DEVICE, TEST_ARROW)) return;
    wlu_program *p = built.program;
    CHECK(p->y > p->sums && p->nslots > p->solve_sums);
    damage_sums(&p->dot, (int32_t)p->sums);
    damage_sums(&p->solve.stream, (int32_t)p->solve_sums);
    damage_sums(&p->transposed.stream, (int32_t)p->solve_sums);
    test_build_free(&built);
}

int main(void)
{
    RUN(partial_sums);
    RUN(dot_streams);
    RUN(loads);
    RUN(tile_region);
    return check_done();
}
