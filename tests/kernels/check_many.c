/* Solves for several right-hand sides: loads, records of every length, tiles and stores, against one right-hand side
 * after the other. */
#include "machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 256, RECORDS = 64, TERMS = 40, SEGMENTS = 3 };

/* A solve of n unknowns: y in the first slots, then x, then others. */
typedef struct many_solve {
    machine m;
    int32_t n, count;
    wlu_triangular t;
    wlu_vector vector[SEGMENTS];
    wlu_solve_region region[SEGMENTS];
    int64_t segment[SEGMENTS + 1], begin[RECORDS + 1];
    uint8_t opcode[RECORDS];
    int32_t target[RECORDS], start[RECORDS], divisor[RECORDS], operand[2 * RECORDS * TERMS];
    int32_t tile_y[MACHINE_PIVOTS], tile_x[MACHINE_PIVOTS];
    int32_t load_place[ROWS], store_place[ROWS];
    double load_scale[ROWS], store_scale[ROWS];
    wlu_cpu_solve solve;
} many_solve;

static int32_t factor_slot(many_solve *s)
{
    return (int32_t)kernel_below(s->m.r, s->m.program.y);
}

static int32_t row_slot(many_solve *s)
{
    return (int32_t)(s->m.program.y + kernel_below(s->m.r, ROWS));
}

static void draw_records(many_solve *s, int64_t records)
{
    kernel_run *r = s->m.r;
    int64_t length = 0;
    for (int64_t k = 0; k < records; k++) {
        if (kernel_below(r, 3) > 0 || r->bench) length = kernel_size(r, 0, kernel_below(r, 4) ? 6 : TERMS, 3);
        s->opcode[k] = kernel_below(r, 2) ? WLU_DOT : WLU_DOTS;
        s->target[k] = row_slot(s);
        s->start[k] = row_slot(s);
        s->divisor[k] = factor_slot(s);
        for (int64_t i = s->begin[k]; i < s->begin[k] + length; i++) {
            s->operand[2 * i] = factor_slot(s);
            s->operand[2 * i + 1] = row_slot(s);
        }
        s->begin[k + 1] = s->begin[k] + length;
    }
}

static void draw_segments(many_solve *s, int64_t records)
{
    kernel_run *r = s->m.r;
    int32_t regions = (int32_t)kernel_below(r, SEGMENTS), tile = 0;
    s->t.regions = regions;
    for (int32_t k = 0; k <= regions; k++) {
        int64_t first = records * k / (regions + 1);
        s->vector[k] = (wlu_vector){.first = first, .count = records * (k + 1) / (regions + 1) - first};
        s->segment[k] = k;
        if (k == regions) break;
        int32_t end = (k + 1) * s->m.tiles->count / regions;
        s->region[k] = (wlu_solve_region){.begin = tile, .end = end};
        tile = end;
    }
    s->segment[regions + 1] = s->t.stream.nvectors = regions + 1;
}

static void draw_places(many_solve *s, wlu_cpu_places *places, int32_t *place, double *scale, int32_t first)
{
    kernel_shuffle(s->m.r, place, s->n);
    for (int32_t k = 0; k < s->n; k++) {
        place[k] += (int32_t)s->m.program.y + first;
        scale[k] = kernel_power(s->m.r);
    }
    *places = (wlu_cpu_places){s->n, place, kernel_below(s->m.r, 2) ? scale : NULL};
}

static void draw(many_solve *s, kernel_run *r)
{
    int64_t records = kernel_size(r, 0, RECORDS, RECORDS);
    memset(s, 0, sizeof *s);
    machine_begin(&s->m, r, (int32_t)kernel_size(r, 2, 6, 4), ROWS);
    s->n = (int32_t)kernel_size(r, 1, ROWS / 2, ROWS / 2);
    s->count = (int32_t)kernel_size(r, 1, WLU_MANY, WLU_MANY);
    s->t.stream = (wlu_stream){.nrecords = records,
                               .vector = s->vector,
                               .opcode = s->opcode,
                               .target = s->target,
                               .start = s->start,
                               .divisor = s->divisor,
                               .begin = s->begin,
                               .operand = s->operand};
    s->solve.stage = &s->t;
    s->t.region = s->region;
    s->t.segment = s->segment;
    s->t.tile_y = s->tile_y;
    s->t.tile_x = s->tile_x;
    draw_records(s, records);
    draw_segments(s, records);
    for (int k = 0; k < MACHINE_PIVOTS; k++) {
        s->tile_y[k] = row_slot(s);
        s->tile_x[k] = row_slot(s);
    }
    draw_places(s, &s->solve.loads, s->load_place, s->load_scale, 0);
    draw_places(s, &s->solve.stores, s->store_place, s->store_scale, s->n);
}

static void state_records(const many_solve *s, int32_t segment, double *v)
{
    const wlu_vector *vector = &s->vector[segment];
    for (int64_t k = vector->first; k < vector->first + vector->count; k++) {
        double sum = kernel_chain(v, v[s->start[k]], s->operand + 2 * s->begin[k], s->begin[k + 1] - s->begin[k]);
        v[s->target[k]] = s->opcode[k] == WLU_DOTS ? sum * v[s->divisor[k]] : sum;
    }
}

static void state_region(const many_solve *s, const wlu_solve_region *r, double *v, double *x)
{
    const int32_t *first = s->m.first;
    for (int32_t at = first[r->begin]; at < first[r->end]; at++) x[at] = v[s->tile_y[at]];
    for (int32_t k = r->begin; k < r->end; k++) machine_state_solve(&s->m, k, 1, x);
    for (int32_t k = r->end - 1; k >= r->begin; k--) machine_state_solve(&s->m, k, 0, x);
    for (int32_t at = first[r->begin]; at < first[r->end]; at++) v[s->tile_x[at]] = x[at];
}

/* Right-hand side q of those that the kernel takes; b NULL: one that is not there, zeros. many_v and many_x: what stood
 * in the rows; what stands afterwards. */
static double state_solve(const many_solve *s, int q, const double *b, double *many_v, double *many_x, double *solution)
{
    int64_t y = s->m.program.y;
    double *v = kernel_doubles(s->m.slots), x[MACHINE_PIVOTS], largest = 0.0;
    memcpy(v, s->m.v, (size_t)s->m.slots * sizeof *v);
    for (int k = 0; k < ROWS; k++) v[y + k] = many_v[WLU_MANY * k + q];
    for (int k = 0; k < MACHINE_PIVOTS; k++) x[k] = many_x[WLU_MANY * k + q];
    for (int32_t k = 0; k < s->n; k++) {
        double bk = b != NULL ? b[k] : 0.0;
        v[s->load_place[k]] = s->solve.loads.scale != NULL ? s->solve.loads.scale[k] * bk : bk;
    }
    for (int32_t segment = 0; segment <= s->t.regions; segment++) {
        state_records(s, segment, v);
        if (segment < s->t.regions) state_region(s, &s->region[segment], v, x);
    }
    for (int32_t k = 0; k < s->n; k++) {
        double xk = v[s->store_place[k]];
        solution[k] = s->solve.stores.scale != NULL ? s->solve.stores.scale[k] * xk : xk;
        largest = kernel_larger(largest, solution[k]);
    }
    for (int k = 0; k < ROWS; k++) many_v[WLU_MANY * k + q] = v[y + k];
    for (int k = 0; k < MACHINE_PIVOTS; k++) many_x[WLU_MANY * k + q] = x[k];
    free(v);
    return largest;
}

static void make_negative(double *x, int64_t count, int negative)
{
    for (int64_t k = 0; k < count; k++) x[k] = negative ? -fabs(x[k]) : fabs(x[k]);
}

/* Factors above zero, rows below: accumulators of chains that vanish end at -0, which the padding makes +0. */
static void choose_signs(many_solve *s, double *b, int64_t size)
{
    make_negative(s->m.v, s->m.slots, 0);
    make_negative(s->m.many_v, WLU_MANY * ROWS, 1);
    make_negative(b, size, 1);
}

static void check_many(kernel_run *r, const void *variant)
{
    many_solve *s = kernel_allocate(sizeof *s);
    double largest[WLU_MANY] = {0}, want_largest[WLU_MANY] = {0};
    (void)variant;
    draw(s, r);
    int64_t ld = s->n + kernel_below(r, 4), size = WLU_MANY * ld;
    double *b = kernel_doubles(size), *x = kernel_doubles(size), *want = kernel_doubles(size);
    double *many_v = kernel_doubles(WLU_MANY * ROWS), *many_x = kernel_doubles(WLU_MANY * MACHINE_PIVOTS);
    kernel_fill(r, b, size);
    kernel_fill(r, x, size);
    if (r->numbers == KERNEL_VANISH) choose_signs(s, b, size);
    memcpy(want, x, (size_t)size * sizeof *x);
    memcpy(many_v, s->m.many_v, WLU_MANY * ROWS * sizeof *many_v);
    memcpy(many_x, s->m.many_x, WLU_MANY * MACHINE_PIVOTS * sizeof *many_x);
    for (int q = 0; q < WLU_MANY; q++) {
        double unused[ROWS];
        int there = q < s->count;
        double most = state_solve(s, q, there ? b + q * ld : NULL, many_v, many_x, there ? want + q * ld : unused);
        if (there) want_largest[q] = most;
    }
    const wlu_columns columns = {s->count, b, ld, x, ld, largest};
    r->kernels->solve_many(&s->m.program, &s->m.state, &s->solve, &columns);
    kernel_expect(r, "number of a row", s->m.many_v, many_v, WLU_MANY * ROWS);
    kernel_expect(r, "unknown of tiles", s->m.many_x, many_x, WLU_MANY * MACHINE_PIVOTS);
    kernel_expect(r, "solution", x, want, size);
    kernel_expect(r, "largest of solution", largest, want_largest, WLU_MANY);
    KERNEL_TIME(r, WLU_MANY * s->begin[s->t.stream.nrecords],
                r->kernels->solve_many(&s->m.program, &s->m.state, &s->solve, &columns));
    machine_end(&s->m);
    free(s);
    free(b);
    free(x);
    free(want);
    free(many_v);
    free(many_x);
}

/* A record that no solve has makes its target no number. */
static void check_unknown(kernel_run *r, const void *variant)
{
    many_solve *s = kernel_allocate(sizeof *s);
    double b[ROWS], x[ROWS], largest;
    (void)variant;
    draw(s, r);
    draw_records(s, 1);
    s->t.stream.nrecords = s->vector[0].count = 1;
    s->vector[0].first = 0;
    s->t.regions = 0;
    s->t.stream.nvectors = s->segment[1] = 1;
    s->opcode[0] = WLU_RCP;
    kernel_fill(r, b, ROWS);
    const wlu_columns columns = {1, b, s->n, x, s->n, &largest};
    r->kernels->solve_many(&s->m.program, &s->m.state, &s->solve, &columns);
    const double want[WLU_MANY] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    kernel_expect(r, "number", s->m.many_v + WLU_MANY * (s->target[0] - s->m.program.y), want, WLU_MANY);
    machine_end(&s->m);
    free(s);
}

kernel_cases kernel_many_cases(void)
{
    static const kernel_case cases[] = {{"solve_many", check_many, NULL}, {"unknown_record", check_unknown, NULL}};
    return KERNEL_CASES(cases);
}
