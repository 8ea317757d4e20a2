/* Eliminates dq/dy to find rows whose charges depend on others', and lists what their sums need. See dependent.h. */
#include "model/system/system.h"

#include <math.h>
#include <string.h>

#include "model/method/pencil.h"

/* A matrix by rows: the value that each entry has in the pattern by columns. */
typedef struct by_rows {
    int32_t *ptr, *idx, *at;
    double *value;
} by_rows;

/* Lists the rows that are wanted. */
static warplu_status list_rows(wlu_context *ctx, const wlm_pattern *p, const unsigned char *wanted, by_rows *out)
{
    const int32_t entries = p->ptr[p->n];
    out->ptr = WLU_CALLOC(ctx, (int64_t)p->n + 2, int32_t);
    out->idx = WLU_ALLOC(ctx, entries, int32_t);
    out->at = WLU_ALLOC(ctx, entries, int32_t);
    out->value = WLU_ALLOC(ctx, entries, double);
    if (!WLU_ALL_THERE(out->ptr, out->idx, out->at, out->value)) return wlu_fail_memory(ctx, "the matrix' pattern");
    for (int32_t k = 0; k < entries; k++) out->ptr[p->idx[k] + 2] += wanted[p->idx[k]];
    for (int32_t i = 0; i < p->n; i++) out->ptr[i + 2] += out->ptr[i + 1];
    for (int32_t j = 0; j < p->n; j++)
        for (int32_t k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            if (!wanted[p->idx[k]]) continue;
            const int32_t to = out->ptr[p->idx[k] + 1]++;
            out->idx[to] = j, out->at[to] = k;
        }
    return WARPLU_SUCCESS;
}

static void free_rows(wlu_context *ctx, by_rows *rows)
{
    wlu_free(ctx, rows->ptr);
    wlu_free(ctx, rows->idx);
    wlu_free(ctx, rows->at);
    wlu_free(ctx, rows->value);
}

/* Work while dependences are found: states and what is evaluated there. */
typedef struct search {
    wlm_system *s;
    by_rows charge;
    double *block, *y, *f, *q; /* n each */
    double *values;
} search;

static void take_charges(search *w, double t)
{
    wlm_system_stamp(w->s, t, w->y, 1.0, 0.0, w->f, w->q, w->values);
    for (int32_t k = 0; k < w->charge.ptr[w->s->pattern.n]; k++) w->charge.value[k] = w->values[w->charge.at[k]];
}

static warplu_status go_to_state(search *w, int which)
{
    warplu_status status = wlm_system_initial(w->s, w->y);
    for (int32_t i = 0; i < w->s->pattern.n && status == WARPLU_SUCCESS; i++)
        w->y[i] = wlm_pencil_at_state(w->y[i], i, which);
    return status;
}

static warplu_status find(search *w, wlm_dependences *out)
{
    wlm_system *s = w->s;
    const int32_t n = s->pattern.n;
    w->block = WLU_ALLOC(s->ctx, 3 * (int64_t)n, double);
    w->values = WLU_ALLOC(s->ctx, s->pattern.ptr[n], double);
    if (w->block == NULL || w->values == NULL) return wlu_fail_memory(s->ctx, "the matrix' pattern");
    w->y = w->block, w->f = w->y + n, w->q = w->f + n;
    warplu_status status = list_rows(s->ctx, &s->pattern, s->dynamic, &w->charge);
    if (status == WARPLU_SUCCESS) status = go_to_state(w, 0);
    if (status != WARPLU_SUCCESS) return status;
    take_charges(w, 0.0);
    const wlm_rows m = {n, w->charge.ptr, w->charge.idx, w->charge.value};
    status = wlm_rank_find(s->ctx, &m, out, s->held);
    if (status != WARPLU_SUCCESS || out->count == 0) return status;
    for (int k = 1; k < WLM_PENCIL_STATES && status == WARPLU_SUCCESS && out->count > 0; k++) {
        status = go_to_state(w, k);
        if (status != WARPLU_SUCCESS) return status;
        take_charges(w, 0.37 * k);
        status = wlm_rank_keep(s->ctx, &m, out);
    }
    return status;
}

/* ------------------------------------------------------------------ pattern */

static int32_t value_at(const wlm_pattern *p, int32_t row, int32_t column)
{
    int32_t low = p->ptr[column], high = p->ptr[column + 1] - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (p->idx[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Entries that sums need, as rows and columns; counted where `extra` has no room. */
static int64_t list_extra(const wlm_dependences *d, const by_rows *all, wlm_places *extra)
{
    int64_t count = 0;
    for (int32_t k = 0; k < d->count; k++)
        for (int32_t e = d->ptr[k]; e < d->ptr[k + 1]; e++)
            for (int32_t q = all->ptr[d->of[e]]; q < all->ptr[d->of[e] + 1]; q++, count++)
                if (extra->row != NULL) extra->row[count] = d->row[k], extra->column[count] = all->idx[q];
    return count;
}

/* Lists values of the new pattern. */
static void list_places(const wlm_pattern *p, const by_rows *all, wlm_dependent *out)
{
    const wlm_dependences *d = &out->sum;
    for (int32_t k = 0; k < d->count; k++)
        for (int32_t e = d->ptr[k]; e < d->ptr[k + 1]; e++)
            for (int32_t q = all->ptr[d->of[e]]; q < all->ptr[d->of[e] + 1]; q++, out->places++) {
                out->to[out->places] = value_at(p, d->row[k], all->idx[q]);
                out->from[out->places] = value_at(p, d->of[e], all->idx[q]);
                out->by[out->places] = d->by[e];
            }
}

static void list_own(const wlm_pattern *p, const unsigned char *is_dependent, wlm_dependent *out)
{
    for (int32_t k = 0; k < p->ptr[p->n]; k++)
        if (is_dependent[p->idx[k]]) out->own[out->owns++] = k;
}

static warplu_status extend(wlm_system *s, const unsigned char *wanted, const by_rows *all, unsigned char *is_dependent)
{
    wlm_dependent *p = &s->dependent;
    wlm_places extra = {0};
    const int64_t count = list_extra(&p->sum, all, &extra);
    if (count > INT32_MAX) return wlu_fail(s->ctx, WARPLU_OVERFLOW, "the matrix: more than 2^31 - 1 contributions");
    extra = (wlm_places){(int32_t)count, WLU_ALLOC(s->ctx, count, int32_t), WLU_ALLOC(s->ctx, count, int32_t)};
    p->to = WLU_ALLOC(s->ctx, count, int32_t), p->from = WLU_ALLOC(s->ctx, count, int32_t);
    p->by = WLU_ALLOC(s->ctx, count, double);
    warplu_status status = WLU_ALL_THERE(extra.row, extra.column, p->to, p->from, p->by)
                               ? WARPLU_SUCCESS
                               : wlu_fail_memory(s->ctx, "the matrix' pattern");
    if (status == WARPLU_SUCCESS) {
        list_extra(&p->sum, all, &extra);
        wlm_pattern_free(s->ctx, &s->pattern);
        wlm_gather_free(s->ctx, &s->matrix.entry);
        status = wlm_pattern_create(s->layout, &s->matrix, wanted, &extra, &s->pattern);
    }
    wlu_free(s->ctx, extra.row);
    wlu_free(s->ctx, extra.column);
    if (status != WARPLU_SUCCESS) return status;
    p->own = WLU_ALLOC(s->ctx, s->pattern.ptr[s->pattern.n], int32_t);
    p->rate = WLU_ALLOC(s->ctx, s->pattern.ptr[s->pattern.n], double);
    if (p->own == NULL || p->rate == NULL) return wlu_fail_memory(s->ctx, "the matrix' pattern");
    list_places(&s->pattern, all, p);
    list_own(&s->pattern, is_dependent, p);
    return WARPLU_SUCCESS;
}

/* Makes what tells how time alone changes charges, where it does. */
static warplu_status make_rates(wlm_system *s)
{
    const wlm_system_options *o = &s->options;
    int any = 0;
    warplu_status status = wlm_pass_create(s->layout, WLM_WANT_Q_BY_TIME, 0, o->isa, o->threads, &s->q_by_time);
    for (int32_t u = 0; u < s->q_by_time.uses; u++) any |= s->q_by_time.bank[u].outputs > 0;
    if (!any) wlm_pass_free(&s->q_by_time);
    if (status != WARPLU_SUCCESS || !any) return status;
    s->charge_rates = WLU_ALLOC(s->ctx, s->pattern.n, double);
    return s->charge_rates != NULL ? WARPLU_SUCCESS : wlu_fail_memory(s->ctx, "the matrix' pattern");
}

static warplu_status make(wlm_system *s, const unsigned char *wanted, const wlm_dependences *found)
{
    by_rows all = {0};
    unsigned char *mark = WLU_ALLOC(s->ctx, s->pattern.n, unsigned char);
    s->dependent.sum = *found;
    warplu_status status = WARPLU_SUCCESS;
    if (mark == NULL) {
        status = wlu_fail_memory(s->ctx, "the matrix' pattern");
    } else {
        memset(mark, 1, (size_t)s->pattern.n);
        status = list_rows(s->ctx, &s->pattern, mark, &all);
        memset(mark, 0, (size_t)s->pattern.n);
        for (int32_t k = 0; k < found->count; k++) mark[found->row[k]] = 1, s->dynamic[found->row[k]] = 0;
        if (status == WARPLU_SUCCESS) status = extend(s, wanted, &all, mark);
        if (status == WARPLU_SUCCESS) status = make_rates(s);
    }
    free_rows(s->ctx, &all);
    wlu_free(s->ctx, mark);
    return status;
}

warplu_status wlm_system_find_dependent(wlm_system *s, const unsigned char *wanted)
{
    search w = {.s = s};
    wlm_dependences found = {0};
    warplu_status status = find(&w, &found);
    free_rows(s->ctx, &w.charge);
    wlu_free(s->ctx, w.block);
    wlu_free(s->ctx, w.values);
    if (status == WARPLU_SUCCESS && found.count > 0) return make(s, wanted, &found);
    wlm_dependences_free(s->ctx, &found);
    return status;
}
