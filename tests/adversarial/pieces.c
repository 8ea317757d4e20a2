/* What cases are put together from. See pieces.h. */
#include "pieces.h"

#include <warplu/cache.h>

#include "draw.h"
#include "product.h"

#include <math.h>
#include <string.h>

int piece_transposes(const genome *g, int transposed)
{
    return transposed != (g->options.storage == WARPLU_STORAGE_CSR);
}

void piece_vary(const genome *g, uint64_t *seed, double spread, double *values)
{
    for (int32_t q = 0; q < g->m.nnz; q++) values[q] = g->m.x[q] * (1.0 + spread * draw_normal(seed));
}

void piece_multiply(const genome *g, int at, const double *x, double *b)
{
    step_kind kind = g->step[at].kind;
    int transposed = kind == STEP_SOLVE_TRANSPOSED || kind == STEP_MEASURE_TRANSPOSED;
    product(&g->m, g->step[genome_values_before(g, at)].numbers, piece_transposes(g, transposed), x, b);
}

static void draw_x(uint64_t *seed, rhs_form form, int32_t n, double *x)
{
    int range = 1 + check_below(seed, 60);
    for (int32_t i = 0; i < n; i++) {
        x[i] = form == RHS_FORM_RESTING ? 0.0 : draw_sign(seed);
        if (form == RHS_FORM_GRADED) x[i] = ldexp(x[i], -check_below(seed, range));
    }
    if (form != RHS_FORM_RESTING) return;
    for (int32_t k = 1 + check_below(seed, 3); k > 0; k--) x[check_below(seed, n)] = 1.0 + check_uniform(seed);
}

static void fill(genome *g, uint64_t *seed, int at, rhs_form form, double *b)
{
    int32_t n = g->m.n;
    if (form == RHS_FORM_PRODUCT || form == RHS_FORM_GRADED || form == RHS_FORM_RESTING) {
        double *x = malloc((size_t)n * sizeof *x);
        draw_x(seed, form, n, x);
        piece_multiply(g, at, x, b);
        free(x);
        return;
    }
    for (int32_t i = 0; i < n; i++)
        b[i] = form == RHS_FORM_ZERO || form == RHS_FORM_UNIT ? 0.0
               : form == RHS_FORM_UNIFORM                     ? check_uniform(seed) - 0.5
               : form == RHS_FORM_SIGNS                       ? draw_sign(seed)
                                                              : 1.0;
    if (form == RHS_FORM_UNIT) b[check_below(seed, n)] = 1.0;
}

void piece_fill(genome *g, uint64_t *seed, int at, rhs_form form)
{
    step *s = &g->step[at];
    s->aimed = form == RHS_FORM_AIMED;
    for (int32_t k = 0; k < s->columns; k++) fill(g, seed, at, form, s->numbers + (size_t)k * (size_t)g->m.n);
}

void piece_add_refactor(genome *g, uint64_t *seed, double spread)
{
    double *values = genome_add(g, STEP_REFACTOR, 0);
    if (values != NULL) piece_vary(g, seed, spread, values);
}

void piece_add_solve(genome *g, uint64_t *seed, int transposed, int32_t columns, rhs_form form)
{
    if (genome_add(g, transposed ? STEP_SOLVE_TRANSPOSED : STEP_SOLVE, columns) != NULL)
        piece_fill(g, seed, g->steps - 1, form);
}

void piece_draw_option(genome *g, uint64_t *seed)
{
    static const double tolerances[] = {0.001, 0.001, 0.01, 0.1, 1.0}, expected[] = {1, 4, 8, 1000, 100000};
    warplu_options *o = &g->options;
    switch (check_below(seed, 9)) {
    case 0: o->ordering = (warplu_ordering)check_below(seed, WARPLU_ORDERING_METIS); break;
    case 1: o->scaling = (warplu_scaling)check_below(seed, 3); break;
    case 2: o->matching = (warplu_matching)check_below(seed, 3); break;
    case 3: o->btf = !o->btf; break;
    case 4: o->storage = o->storage == WARPLU_STORAGE_CSC ? WARPLU_STORAGE_CSR : WARPLU_STORAGE_CSC; break;
    case 5: o->pivot_tolerance = tolerances[check_below(seed, 5)]; break;
    case 6: o->expected_refactors = expected[check_below(seed, 5)]; break;
    case 7: o->repeatable = check_below(seed, WARPLU_REPEATABLE_STRICTLY + 1); break;
    default: g->blind = !g->blind; break;
    }
}
