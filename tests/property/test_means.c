/* Rows that are looked at by their own numbers (numerics/means.h): what holds keeps the promise by the definition, and
 * what does not is beyond it, or as near as rounded weights are. */
#include "drawn_factors.h"

#include "exec/exec.h"
#include "numerics/thresholds.h"

#include <stdio.h>

static uint64_t seed = 31;

static const wlu_context nobody; /* of allocations by malloc; see main */
static wlu_context ctx;

/* By position: |l_ik| with ones on the diagonal, |u_kj|; of A' they change places. */
typedef struct dense {
    double outer[N][N], inner[N][N];
} dense;

static int exponent(const drawn *d, int rows, int32_t k)
{
    return rows ? d->exponent[k] : d->p.col_exponent != NULL ? d->col_exponent[k] : 0;
}

static void spread(const drawn *d, int transposed, dense *to)
{
    memset(to, 0, sizeof *to);
    for (int32_t j = 0; j < N; j++) {
        to->outer[j][j] = transposed ? d->pivot[j] : 1.0;
        to->inner[j][j] = 1.0;
        for (int64_t q = d->lp[j]; q < d->lp[j + 1]; q++)
            *(transposed ? &to->inner[j][d->li[q]] : &to->outer[d->li[q]][j]) = transposed ? 1.0 : d->l[q];
        for (int64_t q = d->up[j]; q < d->up[j + 1]; q++)
            *(transposed ? &to->outer[j][d->ui[q]] : &to->inner[d->ui[q]][j]) = transposed ? d->u[q] : 1.0;
    }
}

/* The largest l, or of A the largest u, which stands for all numbers of the inner factor. */
static double largest_inner(const wlu_health *h, int transposed)
{
    return transposed ? h->largest_l : h->largest_u;
}

/* Of row i, 0 its factors' part of what they may take, 1 its loads', where not all that they may come to is left to
 * them. */
static void parts_of(const drawn *d, int transposed, const dense *m, const wlu_health *h, double magnitude, int32_t i,
                     double part[2])
{
    double sum = 0.0, loads = 0.0;
    for (int32_t k = 0; k < N; k++) {
        double weight = 0.0, crossed = 0.0;
        for (int32_t j = 0; j < N; j++) {
            double unit = m->inner[k][j] * ldexp(1.0, -exponent(d, transposed, j));
            weight += unit;
            crossed += unit * d->crossing[j];
        }
        sum += m->outer[i][k] * (fmin(d->outer[i] * weight, crossed) + (d->sums[0][i] + d->sums[1][k] + 4.0) * weight);
    }
    for (int32_t j = 0; j < N; j++)
        for (int64_t q = d->fp[j]; q < d->fp[j + 1]; q++)
            if ((transposed ? j : d->fi[q]) == i)
                loads += ldexp(d->f[q], -exponent(d, 1, d->fi[q]) - exponent(d, 0, j));
    sum *= ldexp(largest_inner(h, transposed), -exponent(d, !transposed, i));
    part[0] = 0x1p-53 * sum / magnitude / (1e-10 * share_of_factors(d, transposed));
    double by_count = loads_by_count(d, transposed, i);
    double by_sum = 0x1p-53 * (loads / magnitude * (d->sums[0][i] + 1.0) + d->entries[i] + 1.0) / 1e-10;
    part[1] = worst_loads(d, transposed) <= 0.5 ? 0.0 : (by_count <= 0.09 ? by_count : by_sum) / 0.09;
}

static wlu_health health_of(const drawn *d)
{
    wlu_health h = {.largest_l = 1.0, .growth = 1e-3, .drift = 1.0, .finite = 1};
    for (int64_t q = 0; q < d->lp[N]; q++) h.largest_l = fmax(h.largest_l, d->l[q]);
    for (int64_t q = 0; q < d->up[N]; q++) h.largest_u = fmax(h.largest_u, d->u[q]);
    for (int32_t k = 0; k < N; k++) h.largest_u = fmax(h.largest_u, d->pivot[k]);
    return h;
}

static wlu_mean_places places_of(const drawn *d, int transposed)
{
    return (wlu_mean_places){
        .numbers = (transposed ? d->up : d->lp)[N], .sum = wlu_summing_kernel(1), .list_left = wlu_listing_kernel(1)};
}

/* Magnitudes that leave rows near what is promised. */
static void draw_values(const drawn *d, int transposed, const dense *m, const wlu_health *h, double *values)
{
    double near = pow(2.0, 3.0 * check_uniform(&seed) - 1.0), part[2];
    for (int32_t i = 0; i < N; i++) {
        parts_of(d, transposed, m, h, 1.0, i, part);
        values[i] = (check_below(&seed, 2) ? 1.0 : -1.0) * part[0] * near * (1.0 + check_uniform(&seed));
    }
}

static void check_drawn(drawn *d, int transposed, int counts[2])
{
    static dense m;
    static double line[N], values[N];
    const wlu_rounds rounds = rounds_of(d, transposed);
    const wlu_mean_places places = places_of(d, transposed);
    const wlu_health h = health_of(d);
    wlu_bound bound;
    wlu_means *means;
    double part[2], worst[2] = {0.0, 0.0};
    spread(d, transposed, &m);
    draw_values(d, transposed, &m, &h, values);
    CHECK(wlu_bound_find(&ctx, &d->p, &rounds, transposed, &bound, line) == WARPLU_SUCCESS);
    double loads = 0x1p-53 * bound.of_loads / 1e-10, worst_by_count = worst_loads(d, transposed);
    CHECK_SAY(fabs(loads - worst_by_count) <= 1e-12 * loads, "loads %g, not %g", loads, worst_by_count);
    double open = wlu_means_open_key(&h, transposed, share_of_factors(d, transposed));
    double reach = check_below(&seed, 2) ? 0.0 : 0.9 * open;
    CHECK(wlu_means_create(&ctx, &d->p, &rounds, transposed, line, reach, &places, &means) == WARPLU_SUCCESS);
    const wlu_mean_look look = {
        .outer = transposed ? d->u : d->l, .f = d->f, .pivot = d->pivot, .values = values, .health = &h};
    int holds = wlu_means_hold(means, &d->a, &look, 0);
    for (int32_t k = 0; k < means->count; k++) {
        int32_t i = means->row[k].position;
        if (!(means->key[k] > open)) continue;
        parts_of(d, transposed, &m, &h, fabs(values[i]), i, part);
        for (int w = 0; w < 2; w++) worst[w] = fmax(worst[w], part[w]);
    }
    double most = fmax(worst[0], worst[1]);
    CHECK_SAY(holds ? most <= 1.0 + 1e-9 : most > 0.9, "holds %d, factors %g, loads %g", holds, worst[0], worst[1]);
    counts[holds]++;
    wlu_means_destroy(&ctx, &means);
}

static void rows_hold_by_the_definition(void)
{
    static drawn d;
    int counts[2] = {0, 0}, loads[3] = {0, 0, 0};
    for (int trial = 0; trial < 4000; trial++) {
        draw_factors(&d, &seed);
        if (!check_due()) continue;
        check_drawn(&d, trial % 2, counts);
        double worst = worst_loads(&d, trial % 2);
        loads[(worst > 0.09) + (worst > 0.5)]++;
    }
    const int few = 400 / check_every(), fewer = 200 / check_every();
    CHECK_SAY(counts[0] > few && counts[1] > few, "%d do not hold, %d do", counts[0], counts[1]);
    CHECK_SAY(loads[0] > fewer && loads[1] > fewer && loads[2] > fewer, "loads: %d little, %d half, %d more", loads[0],
              loads[1], loads[2]);
}

/* NaN anywhere holds nowhere. */
static void what_is_no_number_does_not_hold(void)
{
    static drawn d;
    for (int where = 0; where < 4; where++) {
        double line[N], values[N];
        wlu_bound bound;
        wlu_means *means;
        do draw_factors(&d, &seed);
        while (d.lp[N] == 0 || d.up[N] == 0);
        const wlu_rounds rounds = rounds_of(&d, 0);
        const wlu_mean_places places = places_of(&d, 0);
        wlu_health h = health_of(&d);
        for (int32_t i = 0; i < N; i++) values[i] = 1e6;
        CHECK(wlu_bound_find(&ctx, &d.p, &rounds, 0, &bound, line) == WARPLU_SUCCESS);
        CHECK(wlu_means_create(&ctx, &d.p, &rounds, 0, line, 0.0, &places, &means) == WARPLU_SUCCESS);
        wlu_mean_look look = {.outer = d.l, .f = d.f, .pivot = d.pivot, .values = values, .health = &h};
        h.largest_l = 1e30;
        CHECK(wlu_means_hold(means, &d.a, &look, 0) == 1);
        *(where == 0 ? &d.l[0] : where == 1 ? &values[d.li[0]] : where == 2 ? &h.largest_u : &h.drift) = NAN;
        CHECK_SAY(!wlu_means_hold(means, &d.a, &look, 0), "%d", where);
        wlu_means_destroy(&ctx, &means);
    }
}

int main(void)
{
    warplu_options o;
    warplu_init_options(&o);
    ctx = nobody;
    wlu_context_init(&ctx, &o);
    RUN(rows_hold_by_the_definition);
    RUN(what_is_no_number_does_not_hold);
    return check_done();
}
