/* Eliminates the rows of a matrix to find those that depend on others. See rank.h. */
#include "model/method/rank.h"

#include <math.h>
#include <string.h>

/* What is left of an entry is nothing below this share of what rounding changes by its own share; exactly: nearly
 * rounding itself. */
static const double NOTHING = 1e-12, NOTHING_EXACTLY = 1e-14;
/* Multipliers that differ by less from a whole number are taken for it. */
static const double WHOLE = 1e-9;

/* Numbers with an index each, and the magnitude that rounding has changed them by a share of; they grow. */
typedef struct list {
    int32_t *idx;
    double *value, *size;
    int64_t count, room;
} list;

/* A heap of pivots, the smallest first; each stands in it once. */
typedef struct heap {
    int32_t *item, count;
    unsigned char *has;
} heap;

typedef struct elimination {
    wlu_context *ctx;
    const wlm_rows *m;
    double nothing;
    list upper, factor;   /* rows of pivots, the pivot first; what each row took of pivots before it */
    int32_t pivots, *row; /* of each pivot the row */
    int32_t *upper_at, *factor_at;
    int32_t *pivot;              /* of each column, or -1 */
    double *left, *size, *times; /* of columns: what is left of a row, and its largest term; of pivots: multipliers */
    int32_t *touched, touches;
    unsigned char *is_touched;
    heap next;
} elimination;

/* -------------------------------------------------------------------- lists */

static int append(wlu_context *ctx, list *l, int32_t idx, double value, double size)
{
    if (l->count == l->room) {
        const int64_t room = l->room > 0 ? 2 * l->room : 64;
        int32_t *more = (int32_t *)wlu_resize(ctx, l->idx, l->count, room, sizeof *more);
        if (more != NULL) l->idx = more;
        double *values = (double *)wlu_resize(ctx, l->value, l->count, room, sizeof *values);
        if (values != NULL) l->value = values;
        double *sizes = (double *)wlu_resize(ctx, l->size, l->count, room, sizeof *sizes);
        if (sizes != NULL) l->size = sizes;
        if (!WLU_ALL_THERE(more, values, sizes)) return 0;
        l->room = room;
    }
    l->idx[l->count] = idx;
    l->size[l->count] = size;
    l->value[l->count++] = value;
    return 1;
}

static void list_free(wlu_context *ctx, list *l)
{
    wlu_free(ctx, l->idx);
    wlu_free(ctx, l->value);
    wlu_free(ctx, l->size);
}

static void push(heap *h, int32_t item)
{
    int32_t at = h->count;
    if (h->has[item]) return;
    h->has[item] = 1;
    for (h->count++; at > 0 && h->item[(at - 1) / 2] > item; at = (at - 1) / 2) h->item[at] = h->item[(at - 1) / 2];
    h->item[at] = item;
}

static int32_t pop(heap *h)
{
    const int32_t top = h->item[0], last = h->item[--h->count];
    int32_t at = 0;
    for (int32_t child = 1; child < h->count; child = 2 * at + 1) {
        if (child + 1 < h->count && h->item[child + 1] < h->item[child]) child++;
        if (h->item[child] >= last) break;
        h->item[at] = h->item[child];
        at = child;
    }
    h->item[at] = last;
    h->has[top] = 0;
    return top;
}

/* -------------------------------------------------------------- elimination */

static void subtract(elimination *e, int32_t column, double term, double size)
{
    if (!e->is_touched[column]) {
        e->is_touched[column] = 1;
        e->touched[e->touches++] = column;
        if (e->pivot[column] >= 0) push(&e->next, e->pivot[column]);
    }
    e->left[column] -= term;
    e->size[column] = fmax(e->size[column], fmax(fabs(term), size));
}

static int is_nothing(const elimination *e, int32_t column)
{
    return !(fabs(e->left[column]) > e->nothing * e->size[column]);
}

/* Takes `by` times pivot p's row from what is left of another one, whose entry there has this size. */
static void eliminate_by(elimination *e, int32_t p, double by, double size)
{
    const int64_t first = e->upper_at[p];
    const double pivot = e->upper.value[first], doubt = (size + fabs(by) * e->upper.size[first]) / fabs(pivot);
    for (int64_t k = first; k < e->upper_at[p + 1]; k++) {
        const double u = e->upper.value[k];
        subtract(e, e->upper.idx[k], by * u, fmax(fabs(by) * e->upper.size[k], doubt * fabs(u)));
    }
    e->left[e->upper.idx[first]] = 0.0;
}

/* Takes from a row what pivots before it have. */
static int reduce(elimination *e, int32_t row)
{
    for (int32_t k = e->m->ptr[row]; k < e->m->ptr[row + 1]; k++) subtract(e, e->m->idx[k], -e->m->value[k], 0.0);
    while (e->next.count > 0) {
        const int32_t p = pop(&e->next), column = e->upper.idx[e->upper_at[p]];
        if (is_nothing(e, column)) continue;
        const double by = e->left[column] / e->upper.value[e->upper_at[p]];
        if (!append(e->ctx, &e->factor, p, by, 0.0)) return 0;
        eliminate_by(e, p, by, e->size[column]);
    }
    return 1;
}

/* Makes what is left of a row a pivot's; *found: 0 where nothing is left. */
static int take_pivot(elimination *e, int32_t row, int *found)
{
    int32_t best = -1;
    int fine = 1;
    for (int32_t k = 0; k < e->touches; k++) {
        const int32_t column = e->touched[k];
        if (e->pivot[column] >= 0 || is_nothing(e, column)) e->left[column] = 0.0;
        if (e->left[column] != 0.0 && (best < 0 || fabs(e->left[column]) > fabs(e->left[best]))) best = column;
    }
    *found = best >= 0;
    if (best >= 0) {
        fine = append(e->ctx, &e->upper, best, e->left[best], e->size[best]);
        for (int32_t k = 0; k < e->touches && fine; k++)
            if (e->touched[k] != best && e->left[e->touched[k]] != 0.0)
                fine = append(e->ctx, &e->upper, e->touched[k], e->left[e->touched[k]], e->size[e->touched[k]]);
        e->pivot[best] = e->pivots;
        e->row[e->pivots++] = row;
        e->upper_at[e->pivots] = (int32_t)e->upper.count;
        e->factor_at[e->pivots] = (int32_t)e->factor.count;
    }
    return fine && e->upper.count < INT32_MAX && e->factor.count < INT32_MAX;
}

static void forget(elimination *e)
{
    for (int32_t k = 0; k < e->touches; k++) {
        const int32_t column = e->touched[k];
        e->left[column] = e->size[column] = 0.0;
        e->is_touched[column] = 0;
    }
    e->touches = 0;
}

/* -------------------------------------------------------------- dependences */

/* Adds `by` times a pivot's row to the multipliers; the heap has negative numbers: the last pivot comes first. */
static void add_times(elimination *e, int32_t p, double by)
{
    e->times[p] += by;
    push(&e->next, e->m->n - 1 - p);
}

/* Writes the multipliers of a row whose factors end the list, and forgets these. */
static int say(elimination *e, int32_t row, list *terms, wlm_dependences *out)
{
    for (int64_t k = e->factor_at[e->pivots]; k < e->factor.count; k++)
        add_times(e, e->factor.idx[k], e->factor.value[k]);
    e->factor.count = e->factor_at[e->pivots];
    out->row[out->count] = row;
    while (e->next.count > 0) {
        const int32_t p = e->m->n - 1 - pop(&e->next);
        const double by = fabs(e->times[p] - nearbyint(e->times[p])) < WHOLE ? nearbyint(e->times[p]) : e->times[p];
        for (int32_t k = e->factor_at[p]; k < e->factor_at[p + 1]; k++)
            add_times(e, e->factor.idx[k], -e->factor.value[k] * e->times[p]);
        e->times[p] = 0.0;
        if (by != 0.0 && !append(e->ctx, terms, e->row[p], by, 0.0)) return 0;
    }
    out->ptr[++out->count] = (int32_t)terms->count;
    return terms->count < INT32_MAX;
}

static int eliminate(elimination *e, list *terms, wlm_dependences *out)
{
    int fine = 1;
    for (int32_t i = e->m->n - 1; i >= 0 && fine; i--) {
        int found = 1;
        if (e->m->ptr[i + 1] == e->m->ptr[i]) continue;
        fine = reduce(e, i) && take_pivot(e, i, &found);
        forget(e);
        if (fine && !found) fine = say(e, i, terms, out);
    }
    out->of = terms->idx, out->by = terms->value;
    return fine;
}

static int open(elimination *e)
{
    wlu_context *ctx = e->ctx;
    const int64_t n = e->m->n;
    e->row = WLU_ALLOC(ctx, 6 * n + 2, int32_t);
    e->left = WLU_CALLOC(ctx, 3 * n, double);
    e->is_touched = WLU_CALLOC(ctx, 2 * n, unsigned char);
    if (!WLU_ALL_THERE(e->row, e->left, e->is_touched)) return 0;
    e->pivot = e->row + n, e->touched = e->pivot + n, e->next.item = e->touched + n;
    e->upper_at = e->next.item + n, e->factor_at = e->upper_at + n + 1;
    e->size = e->left + n, e->times = e->size + n;
    e->next.has = e->is_touched + n;
    for (int64_t j = 0; j < n; j++) e->pivot[j] = -1;
    e->upper_at[0] = e->factor_at[0] = 0;
    return 1;
}

/* A pivot's unknown is held where all others of its row are. */
static void find_held(const elimination *e, unsigned char *held)
{
    for (int32_t j = 0; j < e->m->n; j++) held[j] = 0;
    for (int32_t p = e->pivots - 1; p >= 0; p--) {
        int all = 1;
        for (int32_t k = e->upper_at[p] + 1; k < e->upper_at[p + 1]; k++) all &= held[e->upper.idx[k]];
        held[e->upper.idx[e->upper_at[p]]] = (unsigned char)all;
    }
}

static warplu_status find(wlu_context *ctx, const wlm_rows *m, double nothing, wlm_dependences *out,
                          unsigned char *held)
{
    elimination e = {.ctx = ctx, .m = m, .nothing = nothing};
    list terms = {0};
    *out = (wlm_dependences){.row = WLU_ALLOC(ctx, m->n, int32_t), .ptr = WLU_CALLOC(ctx, (int64_t)m->n + 1, int32_t)};
    const int fine = WLU_ALL_THERE(out->row, out->ptr) && open(&e) && eliminate(&e, &terms, out);
    if (fine) find_held(&e, held);
    wlu_free(ctx, terms.size);
    wlu_free(ctx, e.row);
    wlu_free(ctx, e.left);
    wlu_free(ctx, e.is_touched);
    list_free(ctx, &e.upper);
    list_free(ctx, &e.factor);
    if (fine) return WARPLU_SUCCESS;
    out->of = terms.idx, out->by = terms.value;
    wlm_dependences_free(ctx, out);
    return wlu_fail_memory(ctx, "the rank of charges");
}

warplu_status wlm_rank_find(wlu_context *ctx, const wlm_rows *m, wlm_dependences *out, unsigned char *held)
{
    return find(ctx, m, NOTHING, out, held);
}

warplu_status wlm_rank_find_exactly(wlu_context *ctx, const wlm_rows *m, wlm_dependences *out, unsigned char *held)
{
    return find(ctx, m, NOTHING_EXACTLY, out, held);
}

void wlm_dependences_free(wlu_context *ctx, wlm_dependences *dependences)
{
    wlu_free(ctx, dependences->row);
    wlu_free(ctx, dependences->ptr);
    wlu_free(ctx, dependences->of);
    wlu_free(ctx, dependences->by);
    *dependences = (wlm_dependences){0};
}

/* Adds `by` times a row to work; *most: the largest term so far. */
static void add_row(const wlm_rows *m, int32_t row, double by, double *work, double *most)
{
    for (int32_t k = m->ptr[row]; k < m->ptr[row + 1]; k++) {
        work[m->idx[k]] += by * m->value[k];
        *most = fmax(*most, fabs(by * m->value[k]));
    }
}

int wlm_rank_holds(const wlm_rows *m, const wlm_dependences *d, int32_t k, double *work)
{
    double most = 0.0;
    int holds = 1;
    add_row(m, d->row[k], -1.0, work, &most);
    for (int32_t e = d->ptr[k]; e < d->ptr[k + 1]; e++) add_row(m, d->of[e], d->by[e], work, &most);
    for (int32_t e = d->ptr[k] - 1; e < d->ptr[k + 1]; e++) {
        const int32_t row = e < d->ptr[k] ? d->row[k] : d->of[e];
        for (int32_t q = m->ptr[row]; q < m->ptr[row + 1]; q++) {
            holds &= !(fabs(work[m->idx[q]]) > WHOLE * most);
            work[m->idx[q]] = 0.0;
        }
    }
    return holds;
}

warplu_status wlm_rank_keep(wlu_context *ctx, const wlm_rows *m, wlm_dependences *d)
{
    double *work = WLU_CALLOC(ctx, m->n, double);
    int32_t kept = 0, terms = 0;
    if (work == NULL) return wlu_fail_memory(ctx, "the rank of charges");
    for (int32_t k = 0; k < d->count; k++) {
        const int32_t first = d->ptr[k], count = d->ptr[k + 1] - first;
        if (!wlm_rank_holds(m, d, k, work)) continue;
        if (count > 0) { /* of a row of zeros there is none, and perhaps no room */
            memmove(d->of + terms, d->of + first, (size_t)count * sizeof *d->of);
            memmove(d->by + terms, d->by + first, (size_t)count * sizeof *d->by);
        }
        d->row[kept] = d->row[k], d->ptr[kept++] = terms;
        terms += count;
    }
    d->ptr[kept] = terms;
    d->count = kept;
    wlu_free(ctx, work);
    return WARPLU_SUCCESS;
}
