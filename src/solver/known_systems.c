/* Systems with a known solution, or a known right-hand side, that factors have to solve: they show what factors are
 * worth before the caller's systems do.
 *
 * The last has a right-hand side of ones, the others a known solution without a pattern: one alone shows little of what
 * the other does (rajat19: errors of 1e-13, and of 2e-16). */
#include "solver/known_systems.h"

#include <math.h>

#include "solver/replay.h"

/* Numbers in (-2, -1] and [1, 2) without a pattern, others for each trial, the same every time. */
static double known_solution(uint32_t j, int trial)
{
    uint32_t h = (j + 1u) * 2654435761u + (uint32_t)trial * 2246822519u;
    double magnitude = 1.0 + (double)(h ^ h >> 15) / 4294967296.0;
    return h >> 13 & 1 ? -magnitude : magnitude;
}

/* A x = b, or A' x = b, in the solver's workspace. */
typedef struct known_system {
    int transposed;
    double *x, *b;
} known_system;

/* b += entry x, parts and all. */
static void add_product(int doubles, const double *entry, const double *x, double *b)
{
    b[0] += entry[0] * x[0];
    if (doubles == 1) return;
    b[0] -= entry[1] * x[1];
    b[1] += entry[0] * x[1] + entry[1] * x[0];
}

static void draw(const warplu_solver *s, int transposed, int trial, known_system *k)
{
    const wlu_pattern *a = s->analysis->a;
    const int64_t doubles = a->doubles;
    k->transposed = transposed;
    k->x = wlu_checks_vector(&s->checks, a, 0);
    k->b = wlu_checks_vector(&s->checks, a, 1);
    int ones = trial == WLU_KNOWN_SYSTEMS - 1;
    for (int64_t i = 0; i < wlu_vector_doubles(a); i++) {
        k->x[i] = known_solution((uint32_t)i, trial);
        k->b[i] = ones ? 1.0 : 0.0;
    }
    if (ones) return;
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int32_t row = transposed ? j : a->i[e], col = transposed ? a->i[e] : j;
            add_product(a->doubles, s->checks.entries + doubles * e, k->x + doubles * col, k->b + doubles * row);
        }
}

/* The backward error of what k->x holds, or a bound of it below `enough`. */
static double error_of(const warplu_solver *s, const known_system *k, double enough)
{
    wlu_checked checked = wlu_solver_checked(s);
    wlu_errors wanted = {enough, INFINITY};
    return wlu_backward_errors(&checked, k->transposed, k->b, k->x, wanted, s->checks.work).componentwise;
}

warplu_status wlu_solver_known_error(warplu_solver *s, double enough, double *error)
{
    known_system k;
    double largest;
    draw(s, 0, 0, &k);
    warplu_status status = wlu_solver_substitute(s, 0, k.b, k.x, &largest);
    if (status == WARPLU_SUCCESS) *error = error_of(s, &k, enough);
    return status;
}

/* What accurate solutions come to: a hub's sum is no more exact than its entries are few. Hubs of 2 000 and 16 000
 * entries (sp14_advice2806, sp14_sptrMondo_dc) come to a ninth and a twelfth of half a unit in the last place for each.
 */
static double bound_of(warplu_solver *s, int transposed)
{
    const wlu_thresholds t = wlu_thresholds_of(0);
    wlu_checked checked = wlu_solver_checked(s);
    return fmax(t.proven, wlu_longest_row(&checked, transposed, s->checks.work) * t.proven_entry);
}

static double error_by(warplu_solver *s, const wlu_pivots *pivots, wlu_factors *factors, int transposed, int trial,
                       double bound)
{
    known_system k;
    double largest;
    draw(s, transposed, trial, &k);
    if (factors != NULL)
        wlu_factors_solve(factors, pivots, transposed, k.b, k.x);
    else if (wlu_solver_substitute(s, transposed, k.b, k.x, &largest) < 0)
        return NAN;
    return error_of(s, &k, bound);
}

int wlu_solver_count_known_systems(warplu_solver *s, const wlu_pivots *pivots, wlu_factors *factors, int transposed,
                                   double *error)
{
    int solved = 0;
    double bound = bound_of(s, transposed);
    *error = 0.0;
    while (solved < WLU_KNOWN_SYSTEMS && (*error = error_by(s, pivots, factors, transposed, solved, bound)) <= bound)
        solved++;
    return solved;
}

int wlu_solver_solves_known_systems(warplu_solver *s, int transposed)
{
    double enough = wlu_solver_thresholds(s).refined, largest;
    for (int trial = 0; trial < WLU_KNOWN_SYSTEMS; trial++) {
        known_system k;
        draw(s, transposed, trial, &k);
        if (wlu_solver_substitute(s, transposed, k.b, k.x, &largest) < 0 || !(error_of(s, &k, enough) <= enough))
            return 0;
    }
    return 1;
}
