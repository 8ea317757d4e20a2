/* Judges the index by ranks: of charges beside equations without them, and where unknowns are left that these do not
 * tell, of what their rates add. Rows of charges that depend on each other at this state alone are counted apart. */
#include "model/method/pencil.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/method/rank.h"

/* Sums below this share of their terms are nothing. */
static const double NOTHING = 1e-12;

/* Returns a number between 0 and 1; numbers of successive i have no pattern. */
static double scattered(int32_t i)
{
    return fmod(0.6180339887498949 * (i + 1.0), 1.0);
}

double wlm_pencil_at_state(double y, int32_t i, int which)
{
    static const double far[WLM_PENCIL_STATES] = {1e-3, 1e-12, 1e-9, 1e-6, 1e-3, 4.0, 400.0};
    const double size = fabs(y) + (which > 0 || y == 0.0 ? 1.0 : 0.0);
    return isfinite(y) ? y + far[which] * size * (scattered(i + 7 * which) - 0.5) : 1.0;
}

/* --------------------------------------------------------------------- ranks */

typedef warplu_status find_fn(wlu_context *ctx, const wlm_rows *m, wlm_dependences *out, unsigned char *held);

/* Finds dependences between the vectors of a matrix. */
static warplu_status find_among(wlu_context *ctx, const wlm_rows *vectors, find_fn *how, wlm_dependences *out)
{
    unsigned char *held = WLU_ALLOC(ctx, vectors->n, unsigned char);
    if (held == NULL) return wlu_fail_memory(ctx, "step");
    warplu_status status = how(ctx, vectors, out, held);
    wlu_free(ctx, held);
    return status;
}

/* Work on one pencil. */
typedef struct judgement {
    wlu_context *ctx;
    const wlm_pencil *p;
    double *value;         /* of each place */
    wlm_dependences loose; /* between columns of charges, where rows have them, and of rates */
    int32_t *ptr, *idx;    /* vectors: what rates of rows with charges make of these, then those columns */
    double *product;
    double *sum, *size; /* n zeros each */
} judgement;

static warplu_status find_among_columns(const judgement *w, find_fn *how, wlm_dependences *out)
{
    const wlm_rows columns = {w->p->n, w->p->ptr, w->p->idx, w->value};
    return find_among(w->ctx, &columns, how, out);
}

/* Finds how many rows of charges are but sums of others. */
static warplu_status count_dependent(const judgement *w, int32_t *count)
{
    const wlm_pencil *p = w->p;
    wlm_dependences found = {0};
    for (int32_t k = 0; k < p->ptr[p->n]; k++) w->value[k] = p->dynamic[p->idx[k]] ? p->charge[k] : 0.0;
    warplu_status status = find_among_columns(w, wlm_rank_find, &found);
    *count = found.count - p->n;
    for (int32_t i = 0; i < p->n; i++) *count += p->dynamic[i];
    wlm_dependences_free(w->ctx, &found);
    return status;
}

/* Marks unknowns whose columns depend on each other, the first that do: no equation fixes them, whatever lambda is. It
 * is of the size at which charges and rates are alike. */
static warplu_status mark_loose(const judgement *w, unsigned char *power, int32_t *index)
{
    const wlm_pencil *p = w->p;
    double charge = 0.0, rate = 0.0;
    wlm_dependences found = {0};
    for (int32_t k = 0; k < p->ptr[p->n]; k++)
        charge = fmax(charge, fabs(p->charge[k])), rate = fmax(rate, fabs(p->rate[k]));
    const double lambda = charge > 0.0 && rate > 0.0 ? 1.37 * rate / charge : 1.0;
    for (int32_t k = 0; k < p->ptr[p->n]; k++) w->value[k] = lambda * p->charge[k] - p->rate[k];
    warplu_status status = find_among_columns(w, wlm_rank_find_exactly, &found);
    if (found.count > 0) *index = 0, power[found.row[0]] = 1;
    for (int32_t e = 0; found.count > 0 && e < found.ptr[1]; e++) power[found.of[e]] = 1;
    wlm_dependences_free(w->ctx, &found);
    return status;
}

/* ------------------------------------------------------------------ products */

/* Adds `by` times a column's rates in rows with charges. */
static void add_column(judgement *w, int32_t column, double by)
{
    const wlm_pencil *p = w->p;
    for (int32_t k = p->ptr[column]; k < p->ptr[column + 1]; k++) {
        if (!p->dynamic[p->idx[k]]) continue;
        w->sum[p->idx[k]] += by * p->rate[k];
        w->size[p->idx[k]] = fmax(w->size[p->idx[k]], fabs(by * p->rate[k]));
    }
}

/* Lists what is in the sum, in the rows of a column, and clears it; returns where the list ends. */
static int32_t take_column(judgement *w, int32_t column, int32_t at)
{
    const wlm_pencil *p = w->p;
    for (int32_t k = p->ptr[column]; k < p->ptr[column + 1]; k++) {
        const int32_t i = p->idx[k];
        if (fabs(w->sum[i]) > NOTHING * w->size[i]) w->idx[at] = i, w->product[at++] = w->sum[i];
        w->sum[i] = w->size[i] = 0.0;
    }
    return at;
}

static void fill_vectors(judgement *w)
{
    const wlm_pencil *p = w->p;
    const wlm_dependences *d = &w->loose;
    int32_t at = 0;
    for (int32_t k = 0; k < d->count; k++) {
        w->ptr[k] = at;
        add_column(w, d->row[k], 1.0);
        for (int32_t e = d->ptr[k]; e < d->ptr[k + 1]; e++) add_column(w, d->of[e], -d->by[e]);
        at = take_column(w, d->row[k], at);
        for (int32_t e = d->ptr[k]; e < d->ptr[k + 1]; e++) at = take_column(w, d->of[e], at);
        if (at > w->ptr[k]) continue;
        w->idx[at] = p->idx[p->ptr[d->row[k]]]; /* a vector without an entry would be passed over */
        w->product[at++] = 0.0;
    }
    for (int32_t j = 0; j < p->n; j++) w->ptr[d->count + j] = at + p->ptr[j];
    w->ptr[d->count + p->n] = at + p->ptr[p->n];
    memcpy(w->idx + at, p->idx, (size_t)p->ptr[p->n] * sizeof *w->idx);
    memcpy(w->product + at, w->value, (size_t)p->ptr[p->n] * sizeof *w->product);
}

static warplu_status make_vectors(judgement *w)
{
    const wlm_pencil *p = w->p;
    const wlm_dependences *d = &w->loose;
    int64_t room = p->ptr[p->n];
    for (int32_t k = 0; k < d->count; k++) room += p->ptr[d->row[k] + 1] - p->ptr[d->row[k]];
    for (int32_t e = 0; e < d->ptr[d->count]; e++) room += p->ptr[d->of[e] + 1] - p->ptr[d->of[e]];
    if (room > INT32_MAX) return wlu_fail(w->ctx, WARPLU_OVERFLOW, "step: more than 2^31 - 1 products of rates");
    w->ptr = WLU_ALLOC(w->ctx, (int64_t)d->count + p->n + 1, int32_t);
    w->idx = WLU_ALLOC(w->ctx, room, int32_t);
    w->product = WLU_ALLOC(w->ctx, room, double);
    w->sum = WLU_CALLOC(w->ctx, 2 * (int64_t)p->n, double);
    if (!WLU_ALL_THERE(w->ptr, w->idx, w->product, w->sum)) return wlu_fail_memory(w->ctx, "step");
    w->size = w->sum + p->n;
    fill_vectors(w);
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------ verdicts */

/* Marks the unknowns of a vector that no charge and no equation without charges tells. */
static void mark(const judgement *w, int32_t vector, unsigned char as, unsigned char *power)
{
    const wlm_dependences *d = &w->loose;
    power[d->row[vector]] = as;
    for (int32_t e = d->ptr[vector]; e < d->ptr[vector + 1]; e++) power[d->of[e]] = as;
}

/* Marks what is in these equations, which are too many for it. */
static void mark_bound(const judgement *w, const wlm_rows *equations, const wlm_dependences *d, unsigned char *power)
{
    for (int32_t k = 0; k < d->count; k++)
        for (int32_t e = d->ptr[k] - 1; e < d->ptr[k + 1]; e++) {
            const int32_t i = e < d->ptr[k] ? d->row[k] : d->of[e];
            for (int32_t q = equations->ptr[i]; q < equations->ptr[i + 1]; q++)
                if (equations->idx[q] >= w->loose.count && equations->value[q] != 0.0)
                    power[equations->idx[q] - w->loose.count] = 1;
        }
}

/* Turns the vectors into equations, and finds which of these depend on each other: the minimally singular subsets, by
 * numbers. */
static warplu_status find_bound(const judgement *w, unsigned char *power)
{
    const int32_t all = w->loose.count + w->p->n, entries = w->ptr[all];
    wlm_dependences found = {0};
    int32_t *ptr = WLU_CALLOC(w->ctx, (int64_t)all + 2, int32_t), *idx = WLU_ALLOC(w->ctx, entries, int32_t);
    double *value = WLU_ALLOC(w->ctx, entries, double);
    warplu_status status = WARPLU_SUCCESS;
    if (WLU_ALL_THERE(ptr, idx, value)) {
        for (int32_t k = 0; k < entries; k++) ptr[w->idx[k] + 2]++;
        for (int32_t i = 0; i < all; i++) ptr[i + 2] += ptr[i + 1];
        for (int32_t j = 0; j < all; j++)
            for (int32_t k = w->ptr[j]; k < w->ptr[j + 1]; k++) {
                const int32_t to = ptr[w->idx[k] + 1]++;
                idx[to] = j, value[to] = w->product[k];
            }
        const wlm_rows equations = {all, ptr, idx, value};
        status = find_among(w->ctx, &equations, wlm_rank_find, &found);
        if (status == WARPLU_SUCCESS) mark_bound(w, &equations, &found, power);
        wlm_dependences_free(w->ctx, &found);
    } else {
        status = wlu_fail_memory(w->ctx, "step");
    }
    wlu_free(w->ctx, ptr);
    wlu_free(w->ctx, idx);
    wlu_free(w->ctx, value);
    return status;
}

/* Judges unknowns that are loose, by what dependences of the vectors say. */
static warplu_status judge_loose(judgement *w, const wlm_dependences *found, unsigned char *power, int32_t *index)
{
    const int32_t loose = w->loose.count;
    int32_t dependent = 0, deep = 0;
    for (int32_t k = 0; k < found->count; k++) deep += found->row[k] < loose;
    warplu_status status = deep > 0 ? mark_loose(w, power, index) : WARPLU_SUCCESS;
    if (status != WARPLU_SUCCESS || *index == 0) return status;
    status = count_dependent(w, &dependent);
    if (status != WARPLU_SUCCESS || (deep == 0 && dependent == loose)) return status;
    *index = deep > 0 && dependent == 0 ? 3 : 2;
    if (*index == 3) status = find_bound(w, power);
    for (int32_t k = 0; k < loose && *index == 2; k++) mark(w, k, 1, power);
    for (int32_t k = 0; k < found->count && *index == 3; k++) {
        if (found->row[k] >= loose) continue;
        mark(w, found->row[k], 2, power);
        for (int32_t e = found->ptr[k]; e < found->ptr[k + 1]; e++)
            if (found->of[e] < loose) mark(w, found->of[e], 2, power);
    }
    return status;
}

static warplu_status judge(judgement *w, unsigned char *power, int32_t *index)
{
    const wlm_pencil *p = w->p;
    wlm_dependences found = {0};
    for (int32_t j = 0; j < p->n; j++)
        if (p->ptr[j + 1] == p->ptr[j]) *index = 0, power[j] = 1;
    if (*index == 0) return WARPLU_SUCCESS;
    w->value = WLU_ALLOC(w->ctx, p->ptr[p->n], double);
    if (w->value == NULL) return wlu_fail_memory(w->ctx, "step");
    for (int32_t k = 0; k < p->ptr[p->n]; k++) w->value[k] = p->dynamic[p->idx[k]] ? p->charge[k] : p->rate[k];
    warplu_status status = find_among_columns(w, wlm_rank_find, &w->loose);
    if (status != WARPLU_SUCCESS || w->loose.count == 0) return status;
    status = make_vectors(w);
    const wlm_rows vectors = {w->loose.count + p->n, w->ptr, w->idx, w->product};
    if (status == WARPLU_SUCCESS) status = find_among(w->ctx, &vectors, wlm_rank_find, &found);
    if (status == WARPLU_SUCCESS) status = judge_loose(w, &found, power, index);
    wlm_dependences_free(w->ctx, &found);
    return status;
}

warplu_status wlm_pencil_judge(wlu_context *ctx, const wlm_pencil *p, unsigned char *power, int32_t *index)
{
    judgement w = {.ctx = ctx, .p = p};
    memset(power, 0, (size_t)p->n);
    *index = 1;
    warplu_status status = judge(&w, power, index);
    wlm_dependences_free(ctx, &w.loose);
    wlu_free(ctx, w.value);
    wlu_free(ctx, w.ptr);
    wlu_free(ctx, w.idx);
    wlu_free(ctx, w.product);
    wlu_free(ctx, w.sum);
    return status;
}

/* -------------------------------------------------------------------- names */

/* Writes the names of unknowns with this power, as many as there is room for, and returns how many have it. */
static int32_t list_names(const wlm_pencil_names *names, const unsigned char *power, int which, char *text,
                          size_t bytes)
{
    enum { LISTED = 6 };
    int32_t count = 0, left = 0;
    size_t length = 0;
    for (int32_t i = 0; i < names->n; i++) count += power[i] == which;
    left = count;
    text[0] = '\0';
    for (int32_t i = 0, k = 0; i < names->n && k < LISTED; i++) {
        char name[200];
        if (power[i] != which) continue;
        names->name(names->engine, i, name, sizeof name);
        if (k > 0 && length + strlen(name) + 32 > bytes) break;
        left--, k++;
        length += (size_t)snprintf(text + length, bytes - length, "%s%s",
                                   k == 1     ? ""
                                   : left > 0 ? ", "
                                              : " and ",
                                   name);
    }
    if (left > 0) snprintf(text + length, bytes - length, " and %d more", (int)left);
    return count;
}

warplu_status wlm_pencil_check(wlu_context *ctx, wlm_method method, int32_t index, const unsigned char *power,
                               const wlm_pencil_names *names)
{
    const int which = index > 0 ? index - 1 : 1;
    char blamed[400], followed[400];
    wlm_method_index what = {.index = index, .names = blamed, .followed = followed};
    for (int32_t i = 0; i < names->n; i++) {
        const wlm_place here = names->place(names->engine, i);
        if (power[i] == which && (what.place.line == 0 || here.line < what.place.line)) what.place = here;
    }
    what.count = list_names(names, power, which, blamed, sizeof blamed);
    list_names(names, power, 1, followed, sizeof followed);
    return wlm_method_takes_index(ctx, method, &what);
}
