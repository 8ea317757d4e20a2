/* What the factors at hand say of themselves and of A: growth, determinant, weak pivots, and the factors as
 * arrays.
 *
 * Each reads the factors through a view (exec/numeric.h), so that it does not matter what holds them.
 * O(n + nnz + |L| + |U| + |F|) time, memory of one gathered A and a few n. */
#include <warplu/inspect.h>

#include "api/inspect.h"

#include "api/entry.h"
#include "base/power.h"
#include "base/sized.h"
#include "base/sort.h"
#include "numerics/norm.h"

#include <math.h>
#include <string.h>

warplu_status wlu_inspect_factors(warplu_solver *s, wlu_numeric *out)
{
    *out = (wlu_numeric){0};
    if (s->current.state == NULL) {
        *out = wlu_numeric_of_factors(wlu_solver_pivots(s), s->current.factors);
        return WARPLU_SUCCESS;
    }
    wlu_slots slots;
    warplu_status status = wlu_state_fetch(&s->ctx, s->current.state, 0, &slots);
    if (status == WARPLU_SUCCESS) *out = wlu_numeric_of_slots(wlu_solver_pivots(s), wlu_solver_program(s), &slots);
    return status;
}

warplu_status wlu_inspect_values(warplu_solver *s, const double *values, double **entries)
{
    const wlu_pattern *a = s->analysis->a;
    *entries = WLU_ALLOC(&s->ctx, (int64_t)a->nnz * a->doubles, double);
    if (*entries == NULL) return wlu_fail_memory(&s->ctx, "entries of A");
    warplu_status status = wlu_gather_finite(&s->ctx, a, values, *entries);
    if (status == WARPLU_SUCCESS) return status;
    wlu_free(&s->ctx, *entries);
    *entries = NULL;
    return status;
}

/* ----------------------------------------------------------------- growth */

/* Largest modulus of column k (a position) of the scaled A within its block, which begins at position
 * begin. */
static double largest_of_a(const wlu_pattern *a, const wlu_pivots *p, const double *entries, int32_t k, int32_t begin)
{
    double largest = 0.0;
    int32_t j = p->col[k];
    for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
        if (p->row_pos[a->i[e]] < begin) continue;
        double x = wlu_modulus(entries, e, a->doubles) * wlu_power_of_two(wlu_pivots_exponent(p, a->i[e], j));
        if (x > largest) largest = x;
    }
    return largest;
}

/* Of column k of U with its pivot; NaN where a number is none, there or in L. */
static double largest_of_u(const wlu_numeric *f, int32_t k)
{
    const wlu_pivots *p = f->pivots;
    double largest = wlu_numbers_modulus(f->pivot, k), check = largest * 0.0;
    for (int64_t q = p->up[k]; q < p->up[k + 1]; q++) {
        double u = wlu_numbers_modulus(f->u, q);
        check += u * 0.0;
        if (u > largest) largest = u;
    }
    for (int64_t q = p->lp[k]; q < p->lp[k + 1]; q++) check += wlu_numbers_size(f->l, q) * 0.0;
    return check == 0.0 ? largest : NAN;
}

static double growth_of(const wlu_pattern *a, const wlu_numeric *f, const double *entries)
{
    const wlu_pivots *p = f->pivots;
    double growth = 1.0;
    for (int32_t b = 0; b < p->nblocks; b++)
        for (int32_t k = p->block[b]; k < p->block[b + 1]; k++) {
            double amax = largest_of_a(a, p, entries, k, p->block[b]), umax = largest_of_u(f, k);
            if (isnan(umax)) return 0.0;
            if (umax > amax && amax / umax < growth) growth = amax / umax;
        }
    return growth;
}

static warplu_status find_growth(warplu_solver *s, const double *values, double *growth)
{
    wlu_numeric f;
    double *entries = NULL;
    warplu_status status = wlu_inspect_factors(s, &f);
    if (status == WARPLU_SUCCESS) status = wlu_inspect_values(s, values, &entries);
    if (status == WARPLU_SUCCESS) *growth = growth_of(s->analysis->a, &f, entries);
    wlu_free(&s->ctx, entries);
    return status;
}

warplu_status warplu_compute_pivot_growth(warplu_solver *s, const double *values, double *growth)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_COMPUTE_PIVOT_GROWTH, values != NULL && growth != NULL))
        e.status = find_growth(s, values, growth);
    return wlu_entry_end(&e);
}

/* ------------------------------------------------------------ determinant */

/* 1 if the permutation that takes row[k] to col[k] is odd. seen: n zeros. */
static int is_odd(const wlu_pivots *p, char *seen)
{
    int odd = 0;
    for (int32_t k = 0; k < p->n; k++) {
        odd ^= !seen[k]; /* a cycle of length c is c - 1 exchanges: one less for each cycle */
        for (int32_t at = k; !seen[at]; at = p->row_pos[p->col[at]]) {
            seen[at] = 1;
            odd ^= 1;
        }
    }
    return odd;
}

/* A product of pivots: (mantissa[0] + i mantissa[1]) 2^power, whose larger part is in [0.5, 1). */
typedef struct product {
    double mantissa[2];
    int64_t power;
} product;

/* Brings the larger part back into its range. */
static void normalize(product *d)
{
    int exponent;
    frexp(fmax(fabs(d->mantissa[0]), fabs(d->mantissa[1])), &exponent);
    for (int k = 0; k < 2; k++) d->mantissa[k] = ldexp(d->mantissa[k], -exponent);
    d->power += exponent;
}

static void multiply(product *d, const product *by)
{
    const double *a = d->mantissa, *b = by->mantissa;
    double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    d->mantissa[0] = re;
    d->mantissa[1] = im;
    d->power += by->power;
    normalize(d);
}

static warplu_status product_of_pivots(warplu_solver *s, const wlu_numeric *f, product *all)
{
    const wlu_pivots *p = f->pivots;
    for (int32_t k = 0; k < p->n; k++) {
        product u = {{*wlu_numbers_real(f->pivot, k), wlu_numbers_imaginary(f->pivot, k)}, 0};
        if (!isfinite(u.mantissa[0]) || !isfinite(u.mantissa[1]))
            return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "the pivot of column %d is %g", p->col[k] + s->ctx.first_index,
                            wlu_numbers_modulus(f->pivot, k));
        normalize(&u);
        multiply(all, &u);
        all->power -= p->exponent[p->row[k]] + wlu_pivots_col_exponent(p, p->col[k]);
    }
    return WARPLU_SUCCESS;
}

static warplu_status find_determinant(warplu_solver *s, double *mantissa, int64_t *exponent)
{
    wlu_numeric f;
    product all = {{1.0, 0.0}, 0};
    warplu_status status = wlu_inspect_factors(s, &f);
    if (status < 0) return status;
    char *seen = WLU_CALLOC(&s->ctx, f.pivots->n, char);
    if (seen == NULL) return wlu_fail_memory(&s->ctx, "sign of the permutations");
    status = product_of_pivots(s, &f, &all);
    if (status == WARPLU_SUCCESS) {
        const int odd = is_odd(f.pivots, seen), zero = all.mantissa[0] == 0.0 && all.mantissa[1] == 0.0;
        for (int32_t k = 0; k < f.pivots->doubles; k++)
            mantissa[k] = all.mantissa[k] == 0.0 ? 0.0 : odd ? -all.mantissa[k] : all.mantissa[k];
        *exponent = zero ? 0 : all.power;
    }
    wlu_free(&s->ctx, seen);
    return status;
}

warplu_status warplu_compute_determinant(warplu_solver *s, double *mantissa, int64_t *exponent)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_COMPUTE_DETERMINANT, mantissa != NULL && exponent != NULL))
        e.status = find_determinant(s, mantissa, exponent);
    return wlu_entry_end(&e);
}

/* ------------------------------------------------------------ weak pivots */

/* Ascending with the ratio, which is not negative; what is no number comes first. */
static uint64_t key_of(double ratio)
{
    uint64_t bits;
    if (isnan(ratio)) return 0;
    memcpy(&bits, &ratio, sizeof bits);
    return bits + 1;
}

/* ratio[k] of every pivot; returns how many are at most threshold or no number. */
static int32_t find_ratios(const wlu_pattern *a, const wlu_numeric *f, const double *entries, double threshold,
                           double *ratio)
{
    const wlu_pivots *p = f->pivots;
    int32_t weak = 0;
    for (int32_t b = 0; b < p->nblocks; b++)
        for (int32_t k = p->block[b]; k < p->block[b + 1]; k++) {
            double u = wlu_numbers_modulus(f->pivot, k), amax = largest_of_a(a, p, entries, k, p->block[b]);
            ratio[k] = u == 0.0 ? 0.0 : u / amax;
            weak += !(ratio[k] > threshold);
        }
    return weak;
}

static void fill_list(const wlu_numeric *f, const double *ratio, const wlu_sort_entry *sorted, int32_t count,
                      warplu_pivot *list)
{
    const wlu_pivots *p = f->pivots;
    for (int32_t t = 0; t < count; t++) {
        int32_t k = (int32_t)sorted[t].record, low = 0, high = p->nblocks;
        while (high - low > 1) { /* block[low] <= k < block[high] */
            int32_t middle = low + (high - low) / 2;
            if (p->block[middle] <= k)
                low = middle;
            else
                high = middle;
        }
        list[t] = (warplu_pivot){
            p->row[k], p->col[k], k, low, *wlu_numbers_real(f->pivot, k), ratio[k], wlu_numbers_imaginary(f->pivot, k)};
    }
}

/* Sorts the weak ones and writes the first of them. */
static warplu_status list_weakest(warplu_solver *s, const wlu_numeric *f, const double *ratio, double threshold,
                                  int32_t weak, int32_t capacity, warplu_pivot *list)
{
    if (weak == 0 || capacity == 0) return WARPLU_SUCCESS;
    wlu_sort_entry *sort = WLU_ALLOC(&s->ctx, 2 * (int64_t)weak, wlu_sort_entry);
    int64_t *digits = WLU_ALLOC(&s->ctx, WLU_SORT_DIGITS, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    if (sort != NULL && digits != NULL) {
        int64_t at = 0;
        for (int32_t k = 0; k < f->pivots->n; k++)
            if (!(ratio[k] > threshold)) sort[at++] = (wlu_sort_entry){key_of(ratio[k]), k};
        fill_list(f, ratio, wlu_sort(sort, sort + weak, weak, digits), weak < capacity ? weak : capacity, list);
    } else {
        status = wlu_fail_memory(&s->ctx, "list of pivots");
    }
    wlu_free(&s->ctx, sort);
    wlu_free(&s->ctx, digits);
    return status;
}

static warplu_status list_pivots(warplu_solver *s, const double *values, double threshold, int32_t capacity,
                                 warplu_pivot *list, int32_t *count)
{
    wlu_numeric f;
    double *entries = NULL, *ratio = NULL;
    if (!isgreaterequal(threshold, 0.0) || capacity < 0 || (capacity > 0 && list == NULL))
        return wlu_fail(&s->ctx, WARPLU_INVALID_ARGUMENT, "threshold %g, capacity %d", threshold, capacity);
    warplu_status status = wlu_inspect_factors(s, &f);
    if (status == WARPLU_SUCCESS) status = wlu_inspect_values(s, values, &entries);
    if (status == WARPLU_SUCCESS) {
        ratio = WLU_ALLOC(&s->ctx, f.pivots->n, double);
        if (ratio == NULL) status = wlu_fail_memory(&s->ctx, "ratios of the pivots");
    }
    if (status == WARPLU_SUCCESS) {
        int32_t weak = find_ratios(s->analysis->a, &f, entries, threshold, ratio);
        status = list_weakest(s, &f, ratio, threshold, weak, capacity, list);
        if (status == WARPLU_SUCCESS) *count = weak;
    }
    wlu_free(&s->ctx, entries);
    wlu_free(&s->ctx, ratio);
    return status;
}

warplu_status warplu_list_pivots(warplu_solver *s, const double *values, double threshold, int32_t capacity,
                                 warplu_pivot *list, int32_t *count)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_LIST_PIVOTS, values != NULL && count != NULL))
        e.status = list_pivots(s, values, threshold, capacity, list, count);
    return wlu_entry_end(&e);
}

/* ------------------------------------------------------------- extraction */

warplu_status warplu_extract_diagonal(warplu_solver *s, double *diagonal, double *smallest, double *largest)
{
    wlu_entry e;
    wlu_numeric f;
    double extreme[2];
    if (wlu_entry_begin(&e, s, WLU_CALL_EXTRACT_DIAGONAL, diagonal != NULL || smallest != NULL || largest != NULL)) {
        e.status = wlu_inspect_factors(s, &f);
        if (e.status == WARPLU_SUCCESS) {
            if (diagonal != NULL) wlu_numeric_copy_pivots(&f, diagonal);
            if (smallest != NULL || largest != NULL) wlu_numeric_find_extremes(&f, extreme);
            if (smallest != NULL) *smallest = extreme[0];
            if (largest != NULL) *largest = extreme[1];
        }
    }
    return wlu_entry_end(&e);
}

/* One of L, U and F: its own entries in columns p, and a diagonal before (-1) or after (1) them, or none (0).
 */
typedef struct part {
    const int64_t *p;
    const int32_t *i;
    wlu_numbers x;
    int diagonal;
    const wlu_numbers *pivot; /* NULL: ones */
} part;

/* Pointers, indices and values, each where it is asked for. */
static void extract_part(int32_t n, const part *t, int64_t *ptr, int32_t *idx, double *x)
{
    int64_t at = 0;
    for (int32_t j = 0; ptr != NULL && j <= n; j++) ptr[j] = t->p[j] + (t->diagonal != 0 ? j : 0);
    if (idx == NULL && x == NULL) return;
    for (int32_t j = 0; j < n; j++) {
        for (int64_t q = t->p[j] - (t->diagonal < 0); q < t->p[j + 1] + (t->diagonal > 0); q++, at++) {
            int own = q >= t->p[j] && q < t->p[j + 1];
            if (idx != NULL) idx[at] = own ? t->i[q] : j;
            if (x == NULL) continue;
            const int64_t doubles = t->x.doubles;
            const wlu_numbers *from = own ? &t->x : t->pivot;
            const int64_t k = own ? q : j;
            x[doubles * at] = from != NULL ? *wlu_numbers_real(*from, k) : 1.0;
            if (doubles == 2) x[2 * at + 1] = from != NULL ? wlu_numbers_imaginary(*from, k) : 0.0;
        }
    }
}

static void extract_orders(const wlu_pivots *p, const warplu_factors_view *v)
{
    size_t n = (size_t)p->n;
    if (v->P != NULL) memcpy(v->P, p->row, n * sizeof *v->P);
    if (v->Q != NULL) memcpy(v->Q, p->col, n * sizeof *v->Q);
    if (v->block != NULL) memcpy(v->block, p->block, ((size_t)p->nblocks + 1) * sizeof *v->block);
    for (int32_t i = 0; i < p->n; i++) {
        if (v->R != NULL) v->R[i] = wlu_power_of_two(p->exponent[i]);
        if (v->C != NULL) v->C[i] = wlu_power_of_two(wlu_pivots_col_exponent(p, i));
    }
}

static warplu_status extract_factors(warplu_solver *s, warplu_factors_view *view)
{
    warplu_factors_view all = {0};
    wlu_numeric f;
    warplu_status status = wlu_inspect_factors(s, &f);
    if (status < 0) return status;
    const wlu_pivots *p = f.pivots;
    memcpy(&all, view, view->size < sizeof all ? view->size : sizeof all);
    all.n = p->n;
    all.blocks = p->nblocks;
    all.l_nnz = p->lp[p->n] + p->n;
    all.u_nnz = p->up[p->n] + p->n;
    all.f_nnz = p->fp[p->n];
    extract_part(p->n, &(part){p->lp, p->li, f.l, -1, NULL}, all.Lp, all.Li, all.Lx);
    extract_part(p->n, &(part){p->up, p->ui, f.u, 1, &f.pivot}, all.Up, all.Ui, all.Ux);
    extract_part(p->n, &(part){p->fp, p->fi, f.f, 0, NULL}, all.Fp, all.Fi, all.Fx);
    extract_orders(p, &all);
    wlu_sized_give(view, &all, sizeof all);
    return WARPLU_SUCCESS;
}

warplu_status warplu_extract_factors(warplu_solver *s, warplu_factors_view *view)
{
    wlu_entry e;
    wlu_entry_begin(&e, s, WLU_CALL_EXTRACT_FACTORS, view != NULL);
    if (e.allowed && !wlu_sized_is_set(view)) wlu_entry_refuse(&e, WARPLU_INVALID_ARGUMENT, "the view has no size");
    if (e.allowed) e.status = extract_factors(s, view);
    return wlu_entry_end(&e);
}

warplu_status warplu_get_pivots_number(const warplu_solver *s, int64_t *number)
{
    wlu_entry e;
    if (wlu_entry_begin_const(&e, s, WLU_CALL_GET_PIVOTS_NUMBER, number != NULL))
        *number = wlu_solver_pivots(s)->number;
    return wlu_entry_end(&e);
}
