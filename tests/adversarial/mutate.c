/* Variations. See mutate.h. */
#include "mutate.h"

#include "draw.h"
#include "pieces.h"

#include <math.h>
#include <string.h>

enum { MOST_SPROUTS = 5 };

/* ------------------------------------------------------------------- places */

/* A step of that sort at random, the last in half of all draws; -1 where there is none. */
static int find_step(const genome *g, uint64_t *seed, int (*is)(const step *s))
{
    int found[MOST_STEPS], count = 0;
    for (int k = 0; k < g->steps; k++)
        if (is(&g->step[k])) found[count++] = k;
    return count == 0 ? -1 : found[check_below(seed, 2) ? count - 1 : check_below(seed, count)];
}

static double *find_values(genome *g, uint64_t *seed)
{
    int at = find_step(g, seed, genome_is_values);
    return at < 0 ? g->m.x : g->step[at].numbers;
}

static double draw_factor(uint64_t *seed)
{
    int range = check_below(seed, 3);
    if (range == 0) return draw_sign(seed) * ldexp(1.0, check_below(seed, 9) - 4);
    return 1.0 + ldexp(draw_normal(seed), range == 1 ? -2 : -check_below(seed, 50));
}

/* ------------------------------------------------------------------- values */

static void scale_entries(const genome *g, uint64_t *seed, double *values)
{
    for (int k = 1 + check_below(seed, 4); k > 0; k--) values[check_below(seed, g->m.nnz)] *= draw_factor(seed);
}

static void scale_row(const genome *g, uint64_t *seed, double *values)
{
    double factor = draw_factor(seed);
    int32_t row = check_below(seed, g->m.n);
    for (int32_t q = 0; q < g->m.nnz; q++)
        if (g->m.idx[q] == row) values[q] *= factor;
}

static void scale_column(const genome *g, uint64_t *seed, double *values)
{
    double factor = draw_factor(seed);
    int32_t j = check_below(seed, g->m.n);
    for (int32_t q = g->m.ptr[j]; q < g->m.ptr[j + 1]; q++) values[q] *= factor;
}

static void perturb(const genome *g, uint64_t *seed, double *values)
{
    double spread = ldexp(1.0, -1 - check_below(seed, 12));
    for (int32_t q = 0; q < g->m.nnz; q++) values[q] *= 1.0 + spread * draw_normal(seed);
}

/* An entry takes another's magnitude, in half of all draws of its own column: small pivots make |l| large. */
static void copy_magnitude(const genome *g, uint64_t *seed, double *values)
{
    int32_t j = check_below(seed, g->m.n), begin = g->m.ptr[j], count = g->m.ptr[j + 1] - begin;
    if (count == 0) return;
    int32_t to = begin + check_below(seed, count);
    int32_t from = check_below(seed, 2) ? begin + check_below(seed, count) : check_below(seed, g->m.nnz);
    values[to] = copysign(values[from], values[to]);
}

static void draw_entry(const genome *g, uint64_t *seed, double *values)
{
    values[check_below(seed, g->m.nnz)] = draw_normal(seed);
}

/* On by what they differ from the first ones, or half way back. */
static void move_on(const genome *g, uint64_t *seed, double *values)
{
    double by = check_below(seed, 2) ? 2.0 : 0.5;
    for (int32_t q = 0; q < g->m.nnz; q++) values[q] = g->m.x[q] + by * (values[q] - g->m.x[q]);
}

typedef void (*value_mutation)(const genome *g, uint64_t *seed, double *values);

static const value_mutation value_mutations[] = {
    scale_entries, scale_entries,  perturb,        perturb,    scale_row,
    scale_column,  copy_magnitude, copy_magnitude, draw_entry, move_on,
};

static void change_values_at(const genome *g, uint64_t *seed, double *values)
{
    value_mutations[check_below(seed, sizeof value_mutations / sizeof *value_mutations)](g, seed, values);
}

static void change_values(genome *g, uint64_t *seed)
{
    change_values_at(g, seed, find_values(g, seed));
}

/* The pivots are chosen for what is replayed later, or the replay comes back to what they were chosen for. */
static void copy_values(genome *g, uint64_t *seed)
{
    double *to = find_values(g, seed);
    const double *from = find_values(g, seed);
    if (to != from) memcpy(to, from, (size_t)g->m.nnz * sizeof *to);
}

/* -------------------------------------------------------------- the pattern */

static void add_entry(genome *g, uint64_t *seed)
{
    int32_t i = check_below(seed, g->m.n), j = check_below(seed, g->m.n);
    for (int32_t q = g->m.ptr[j]; q < g->m.ptr[j + 1]; q++)
        if (g->m.idx[q] == i) return;
    genome_insert_entry(g, i, j, draw_normal(seed));
}

static void remove_entry(genome *g, uint64_t *seed)
{
    if (g->m.nnz > g->m.n) genome_remove_entry(g, check_below(seed, g->m.nnz));
}

/* ---------------------------------------------------------- right-hand sides */

static void change_rhs(genome *g, uint64_t *seed)
{
    int at = find_step(g, seed, genome_is_solve);
    if (at >= 0) piece_fill(g, seed, at, (rhs_form)check_below(seed, RHS_FORMS));
}

static void perturb_rhs(genome *g, uint64_t *seed)
{
    int at = find_step(g, seed, genome_is_solve);
    if (at < 0) return;
    step *s = &g->step[at];
    s->aimed = 0;
    for (int64_t k = 0; k < genome_numbers(g, s); k++) s->numbers[k] *= 1.0 + 0.25 * draw_normal(seed);
}

/* ------------------------------------------------------------ order of calls */

/* Between the first step and the last. */
static int draw_place(const genome *g, uint64_t *seed)
{
    return g->steps > 1 ? 1 + check_below(seed, g->steps - 1) : 1;
}

static void insert_step(genome *g, uint64_t *seed, int transposed)
{
    int place = draw_place(g, seed), dice = check_below(seed, 32), last = g->steps;
    if (last == MOST_STEPS) return;
    if (dice < 12)
        piece_add_solve(g, seed, dice < 2 ? !transposed : transposed, dice == 2 ? 5 : 1,
                        (rhs_form)check_below(seed, RHS_FORMS));
    else if (dice < 20)
        piece_add_refactor(g, seed, ldexp(1.0, -check_below(seed, 8)));
    else if (dice < 26)
        memcpy(genome_add(g, STEP_REFACTOR, 0), find_values(g, seed), (size_t)g->m.nnz * sizeof(double));
    else if (dice < 29)
        memcpy(genome_add(g, STEP_FACTOR, 0), find_values(g, seed), (size_t)g->m.nnz * sizeof(double));
    else
        genome_add(g, dice < 31 ? STEP_CLONE : STEP_RESTORE, 0);
    genome_move(g, last, place);
}

static void drop_step(genome *g, uint64_t *seed)
{
    if (g->steps > 3) genome_drop(g, draw_place(g, seed));
}

static void move_step(genome *g, uint64_t *seed)
{
    genome_move(g, draw_place(g, seed), draw_place(g, seed));
}

static void change_stages(genome *g, uint64_t *seed)
{
    g->stages = draw_one_in(seed, 4) ? draw_stages(seed, 3) : 0;
}

/* -------------------------------------------------------------------- all */

typedef void (*mutation)(genome *g, uint64_t *seed);

static const mutation mutations[] = {
    change_values, change_values,     change_values, change_values, change_values,
    change_values, copy_values,       add_entry,     remove_entry,  change_rhs,
    perturb_rhs,   piece_draw_option, drop_step,     move_step,     change_stages,
};

void mutate(genome *g, uint64_t *seed, int transposed)
{
    enum { COUNT = sizeof mutations / sizeof *mutations };
    for (int k = 1 + check_below(seed, 3); k > 0; k--) {
        int dice = check_below(seed, COUNT + 2);
        if (dice < COUNT)
            mutations[dice](g, seed);
        else
            insert_step(g, seed, transposed);
    }
}

void mutate_sprout(genome *g, uint64_t *seed, int transposed)
{
    while (g->steps > MOST_STEPS - 2 * MOST_SPROUTS) drop_step(g, seed);
    const double *from = g->step[genome_values_before(g, g->steps - 1)].numbers;
    for (int k = 0; k < MOST_SPROUTS; k++) {
        double *values = genome_add(g, STEP_REFACTOR, 0);
        memcpy(values, from, (size_t)g->m.nnz * sizeof *values);
        for (int changes = 1 + check_below(seed, 2); changes > 0; changes--) change_values_at(g, seed, values);
        piece_add_solve(g, seed, transposed, 1,
                        check_below(seed, 8) ? RHS_FORM_AIMED : (rhs_form)check_below(seed, RHS_FORMS));
    }
}

static int is_alike(const genome *a, const genome *b)
{
    if (a->m.n != b->m.n || a->m.nnz != b->m.nnz || a->steps != b->steps) return 0;
    for (int k = 0; k < a->steps; k++)
        if (genome_is_values(&a->step[k]) != genome_is_values(&b->step[k])) return 0;
    return memcmp(a->m.ptr, b->m.ptr, ((size_t)a->m.n + 1) * sizeof *a->m.ptr) == 0 &&
           memcmp(a->m.idx, b->m.idx, (size_t)a->m.nnz * sizeof *a->m.idx) == 0;
}

int mutate_cross(genome *g, const genome *other, uint64_t *seed)
{
    if (!is_alike(g, other)) return 0;
    for (int k = 0; k < g->steps; k++) {
        if (!genome_is_values(&g->step[k]) || check_below(seed, 2)) continue;
        for (int32_t j = 0; j < g->m.n; j++)
            for (int32_t q = g->m.ptr[j], take = check_below(seed, 2); q < g->m.ptr[j + 1] && take; q++)
                g->step[k].numbers[q] = other->step[k].numbers[q];
    }
    return 1;
}
