/* Kernels of the guards: drift and inverses of the entries that were largest when pivots were chosen, maxima of what is
 * left to judge, both bounds on growth. */
#include "machine.h"

#include "base/power.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 96, N = 80, COMPUTED = 128 };

/* Guards of n columns and rows, some of them shared, over a machine with tiles. */
typedef struct guarded {
    machine m;
    double values[ENTRIES], inverse[MACHINE_PIVOTS + N], want[MACHINE_PIVOTS + N];
    int32_t a_source[2 * N], u_column[COMPUTED], column[N];
    uint16_t a_scale[N], row_scale[N];
    wlu_range range[8];
} guarded;

static void draw(guarded *s, kernel_run *r)
{
    memset(s, 0, sizeof *s);
    machine_begin(&s->m, r, (int32_t)kernel_size(r, 0, 4, 4), COMPUTED);
    int32_t least = s->m.tiles->m, n = (int32_t)kernel_size(r, least > 0 ? least : 1, N, N);
    wlu_guards *g = s->m.guards;
    kernel_fill(r, s->values, ENTRIES);
    kernel_fill(r, s->inverse, n);
    memcpy(s->want, s->inverse, sizeof s->want);
    s->m.program.n = n;
    s->m.lu.areas.u = s->m.program.y;
    g->n = n;
    g->criteria.growth = kernel_below(r, 2) ? 1e-2 : 1e-300;
    g->shared = (int32_t)kernel_below(r, n + 1);
    g->entries = 2 * n - g->shared;
    g->count = kernel_size(r, 0, COMPUTED, COMPUTED);
    g->u_column = s->u_column;
    g->column = s->column;
    g->a_source = s->a_source;
    g->a_scale = s->a_scale;
    g->row_scale = s->row_scale;
    kernel_shuffle(r, s->column, n);
    for (int32_t k = 0; k < g->entries; k++) s->a_source[k] = (int32_t)kernel_below(r, ENTRIES);
    for (int32_t k = 0; k < n; k++) {
        s->a_scale[k] = wlu_upper_of_power(kernel_power(r));
        s->row_scale[k] = wlu_upper_of_power(kernel_power(r));
    }
    for (int64_t k = 0; k < COMPUTED; k++) s->u_column[k] = (int32_t)kernel_below(r, n);
    s->m.state.inverse = s->inverse;
    s->m.state.by_column = (int)kernel_below(r, 2);
    s->m.state.health = (wlu_health){.growth = 1.0, .smallest_pivot = INFINITY, .drift = 1.0, .finite = 1};
}

/* 2^-e of a magnitude in [2^e, 2^(e+1)): 2^1023 for what is below the least normal number, 0 for e = 1023, infinity for
 * infinity and NaN. */
static double inverse_of(double magnitude)
{
    if (!isfinite(magnitude)) return INFINITY;
    if (magnitude < DBL_MIN) return 0x1p1023;
    return magnitude >= 0x1p1023 ? 0.0 : ldexp(1.0, -ilogb(magnitude));
}

static double scaled(const guarded *s, uint16_t upper, int32_t place)
{
    return fabs(wlu_power_of_upper(upper) * s->values[s->a_source[place]]);
}

static void state_inverses(const guarded *s, double *inverse, double *largest)
{
    for (int32_t k = 0; k < s->m.program.n; k++) {
        inverse[k] = inverse_of(scaled(s, s->a_scale[k], k));
        *largest = kernel_larger(*largest, inverse[k]);
    }
}

static double state_drift(const guarded *s)
{
    const wlu_guards *g = s->m.guards;
    double drift = 1.0;
    for (int32_t k = 0; k < s->m.program.n; k++) {
        int32_t place = k < g->shared ? k : s->m.program.n + k - g->shared;
        double down = inverse_of(scaled(s, s->row_scale[k], place));
        drift = kernel_larger(kernel_larger(drift, down), inverse_of(down));
    }
    return drift;
}

static void check_entries(kernel_run *r, const void *variant)
{
    guarded *s = kernel_allocate(sizeof *s);
    double unused[N], largest = 0.0;
    (void)variant;
    draw(s, r);
    state_inverses(s, s->m.state.by_column ? s->want : unused, &largest);
    const double want[] = {largest, state_drift(s)};
    r->kernels->entries(&s->m.program, &s->m.state, s->values);
    const double got[] = {wlu_maximum(&s->m.state.largest, WLU_AREA_INVERSE),
                          wlu_maximum(&s->m.state.largest, WLU_AREA_DRIFT)};
    kernel_expect(r, "largest inverse, drift", got, want, 2);
    kernel_expect(r, "inverse", s->inverse, s->want, MACHINE_PIVOTS + N);
    KERNEL_TIME(r, s->m.guards->entries, r->kernels->entries(&s->m.program, &s->m.state, s->values));
    machine_end(&s->m);
    free(s);
}

/* Ranges of the slots that hold numbers, for any area. */
static void draw_ranges(guarded *s, kernel_run *r, wlu_packed *packed, wlu_maxima *largest)
{
    packed->judged.range = s->range;
    packed->judged.count = kernel_size(r, 0, 8, 4);
    for (int64_t k = 0; k < packed->judged.count; k++) {
        int64_t first = s->m.program.y + kernel_below(r, COMPUTED / 2), count = kernel_size(r, 1, COMPUTED / 2, 32);
        wlu_area area = (wlu_area)(1 + kernel_below(r, WLU_SLOT_AREAS - 1));
        s->range[k] = (wlu_range){first, count, (int32_t)area};
        for (int64_t q = first; q < first + count; q++) kernel_raise(largest, area, s->m.v[q]);
    }
}

/* The largest computed |u| relative to the entry of its column; at least 1. */
static double state_relative(guarded *s)
{
    const wlu_guards *g = s->m.guards;
    double worst = 1.0, unused = 0.0;
    if (!s->m.state.by_column) state_inverses(s, s->want, &unused);
    for (int64_t k = 0; k < g->count; k++)
        worst = kernel_larger(worst, fabs(s->m.v[s->m.lu.areas.u + k]) * s->want[s->u_column[k]]);
    for (int32_t t = 0; t < s->m.tiles->count; t++)
        for (int32_t at = s->m.first[t]; at < s->m.first[t + 1]; at++)
            worst = kernel_larger(worst, s->m.umax[WLU_TILE_WIDTH * t + at - s->m.first[t]] *
                                             s->want[s->column[s->m.position[at]]]);
    return worst;
}

static double growth_of(double worst)
{
    return worst >= 1.0 ? 1.0 / worst : worst < 1.0 ? 1.0 : 0.0;
}

static void check_guards(kernel_run *r, const void *variant)
{
    guarded *s = kernel_allocate(sizeof *s);
    wlu_packed packed = {0};
    wlu_maxima most = {{0}};
    wlu_maxima_add(&most, WLU_AREA_INVERSE, fabs(kernel_number(r)));
    (void)variant;
    draw(s, r);
    for (int k = 0; k < MACHINE_PIVOTS; k++) s->m.umax[k] = fabs(s->m.umax[k]);
    for (int k = 0; k < N; k++) s->inverse[k] = s->want[k] = fabs(s->inverse[k]);
    s->m.state.largest = most;
    draw_ranges(s, r, &packed, &most);
    double l = wlu_maximum(&most, WLU_AREA_L), u = wlu_maximum(&most, WLU_AREA_U);
    double reciprocal = wlu_maximum(&most, WLU_AREA_RECIPROCAL);
    double growth = growth_of(u * wlu_maximum(&most, WLU_AREA_INVERSE));
    int by_column = !(growth >= s->m.guards->criteria.growth);
    if (by_column) growth = growth_of(state_relative(s));
    int finite = isfinite(u) && isfinite(l) && isfinite(wlu_maximum(&most, WLU_AREA_F)) && isfinite(reciprocal);
    const double want[] = {l, u, 1.0 / reciprocal, growth, finite, by_column};
    r->kernels->guards(&packed, &s->m.program, &s->m.state, s->values);
    const wlu_health *h = &s->m.state.health;
    const double got[] = {h->largest_l, h->largest_u, h->smallest_pivot, h->growth, h->finite, s->m.state.by_column};
    kernel_expect(r, "health", got, want, 6);
    if (by_column) kernel_expect(r, "inverse", s->inverse, s->want, s->m.program.n);
    KERNEL_TIME(r, s->m.guards->count, r->kernels->guards(&packed, &s->m.program, &s->m.state, s->values));
    machine_end(&s->m);
    free(s);
}

kernel_cases kernel_guard_cases(void)
{
    static const kernel_case cases[] = {{"entries", check_entries, NULL}, {"guards", check_guards, NULL}};
    return KERNEL_CASES(cases);
}
