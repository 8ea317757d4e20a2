/* How lists are made. See column_lists.h. */
#include "pivot/column_lists.h"

#include "base/power.h"

int wlu_column_lists_fit(const wlu_pattern *a, const wlu_pivots *p)
{
    const int64_t most = UINT16_MAX;
    return wlu_listed_places(p).end <= most && a->nnz <= most && p->terms <= most;
}

static wlu_column_lists *allocate(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *p)
{
    const int64_t n = p->n;
    wlu_column_lists *t = WLU_CALLOC(ctx, 1, wlu_column_lists);
    if (t == NULL) return NULL;
    t->column = WLU_CALLOC(ctx, n, wlu_listed_column);
    t->row = WLU_CALLOC(ctx, n, wlu_listed_row);
    t->scale = WLU_ALLOC(ctx, a->nnz + n, double);
    t->load = WLU_ALLOC(ctx, 2 * (int64_t)a->nnz + 3 * p->terms + 3 * wlu_listed_places(p).end, uint16_t);
    if (t->column == NULL || t->row == NULL || t->scale == NULL || t->load == NULL) {
        wlu_column_lists_destroy(ctx, &t);
        return NULL;
    }
    t->term = t->load + 2 * (int64_t)a->nnz;
    t->solve = t->term + 3 * p->terms;
    t->zero = t->solve + 2 * wlu_listed_places(p).end;
    if (p->col_exponent != NULL) t->col_scale = t->scale + a->nnz;
    for (int32_t k = 0; k < p->n && t->col_scale != NULL; k++)
        t->col_scale[k] = wlu_power_of_two(p->col_exponent[p->col[k]]);
    return t;
}

void wlu_column_lists_destroy(wlu_context *ctx, wlu_column_lists **lists)
{
    if (*lists == NULL) return;
    wlu_free(ctx, (*lists)->column);
    wlu_free(ctx, (*lists)->row);
    wlu_free(ctx, (*lists)->scale);
    wlu_free(ctx, (*lists)->load);
    wlu_free(ctx, *lists);
    *lists = NULL;
}

/* Where the numbers of column j stand, by row; from what comes before it the other rows keep what they had. */
static void place_column(const wlu_pivots *p, const wlu_places *at, int32_t j, uint16_t *slot)
{
    slot[j] = (uint16_t)j;
    for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) slot[p->li[q]] = (uint16_t)(at->l + q);
    for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) slot[p->ui[q]] = (uint16_t)(at->u + q);
    for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) slot[p->fi[q]] = (uint16_t)(at->f + q);
}

/* The lists being written, and how much of each there is. */
typedef struct writing {
    wlu_column_lists *t;
    int64_t loads, terms;
    const uint16_t *slot; /* of the column at hand, by row */
    uint8_t *loaded;      /* by slot */
} writing;

/* Loads of column j within its block, which begins at `begin`, or those above it. Returns how many. */
static int32_t list_loads(writing *w, const wlu_pattern *a, const wlu_pivots *p, int32_t j, int32_t begin, int within)
{
    const int32_t col = p->col[j];
    int32_t count = 0;
    for (int32_t e = a->p[col]; e < a->p[col + 1]; e++) {
        const int32_t row = p->row_pos[a->i[e]];
        if ((row >= begin) != within) continue;
        w->t->scale[w->loads] =
            wlu_power_of_two(p->exponent[a->i[e]]) * wlu_power_of_two(wlu_pivots_col_exponent(p, col));
        w->t->load[2 * w->loads] = w->slot[row];
        w->t->load[2 * w->loads++ + 1] = (uint16_t)e;
        w->loaded[w->slot[row]] = 1;
        count++;
    }
    return count;
}

/* Terms of column j, in the order of its pivots. Returns how many. */
static int32_t list_terms(writing *w, const wlu_pivots *p, const wlu_places *at, int32_t j)
{
    const int64_t before = w->terms;
    for (int64_t q = p->up[j]; q < p->up[j + 1]; q++)
        for (int64_t k = p->ui[q], l = p->lp[k]; l < p->lp[k + 1]; l++) {
            uint16_t *term = w->t->term + 3 * w->terms++;
            term[0] = w->slot[p->li[l]];
            term[1] = (uint16_t)(at->l + l);
            term[2] = (uint16_t)(at->u + q);
        }
    return (int32_t)(w->terms - before);
}

static void list_all(writing *w, const wlu_pattern *a, const wlu_pivots *p, uint16_t *slot)
{
    const wlu_places at = wlu_listed_places(p);
    wlu_column_lists *t = w->t;
    for (int within = 1; within >= 0; within--)
        for (int32_t b = 0; b < p->nblocks; b++)
            for (int32_t j = p->block[b]; j < p->block[b + 1]; j++) {
                place_column(p, &at, j, slot);
                const int32_t loads = list_loads(w, a, p, j, p->block[b], within);
                if (!within) continue;
                t->column[j] = (wlu_listed_column){.loads = (uint16_t)loads,
                                                   .terms = list_terms(w, p, &at, j),
                                                   .upper = (uint16_t)(p->up[j + 1] - p->up[j]),
                                                   .lower = (uint16_t)(p->lp[j + 1] - p->lp[j])};
            }
    for (int64_t k = 0; k < at.end; k++)
        if (!w->loaded[k]) t->zero[t->zeros++] = (uint16_t)k;
}

/* ------------------------------------------------------------------ solve */

/* Rows whose lists are being written: where the next entry of each goes, forward and back. */
typedef struct row_places {
    int32_t *before, *behind;
} row_places;

static void count_rows(const wlu_pivots *p, wlu_listed_row *row)
{
    const int32_t n = p->n;
    for (int64_t q = 0; q < p->lp[n]; q++) row[p->li[q]].before++;
    for (int64_t q = 0; q < p->fp[n]; q++) row[p->fi[q]].before++;
    for (int64_t q = 0; q < p->up[n]; q++) row[p->ui[q]].behind++;
}

/* By blocks from the last to the first: forward, then back. */
static void place_rows(const wlu_pivots *p, const wlu_listed_row *row, const row_places *at)
{
    int32_t next = 0;
    for (int32_t b = p->nblocks - 1; b >= 0; b--) {
        for (int32_t i = p->block[b]; i < p->block[b + 1]; i++) {
            at->before[i] = next;
            next += row[i].before;
        }
        for (int32_t i = p->block[b + 1] - 1; i >= p->block[b]; i--) {
            at->behind[i] = next;
            next += row[i].behind;
        }
    }
}

/* Entries of column j of a factor, which begins at slot `first`. */
static void list_entries(const int64_t *p, const int32_t *i, int32_t j, int64_t first, int32_t *at, uint16_t *solve)
{
    for (int64_t q = p[j]; q < p[j + 1]; q++) {
        const int64_t k = 2 * (int64_t)at[i[q]]++;
        solve[k] = (uint16_t)(first + q);
        solve[k + 1] = (uint16_t)j;
    }
}

/* Of a row F comes first, later blocks before earlier ones, then L, then U from the last column on: as column after
 * column of columns.c comes to it. */
static void list_rows(wlu_column_lists *t, const wlu_pivots *p, int32_t *room)
{
    const wlu_places first = wlu_listed_places(p);
    const row_places at = {room, room + p->n};
    count_rows(p, t->row);
    place_rows(p, t->row, &at);
    for (int32_t b = p->nblocks - 1; b >= 0; b--)
        for (int32_t j = p->block[b]; j < p->block[b + 1]; j++)
            list_entries(p->fp, p->fi, j, first.f, at.before, t->solve);
    for (int32_t j = 0; j < p->n; j++) list_entries(p->lp, p->li, j, first.l, at.before, t->solve);
    for (int32_t j = p->n - 1; j >= 0; j--) list_entries(p->up, p->ui, j, first.u, at.behind, t->solve);
}

warplu_status wlu_column_lists_create(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *p,
                                      wlu_column_lists **out)
{
    uint16_t *slot = WLU_CALLOC(ctx, p->n, uint16_t);
    int32_t *room = WLU_ALLOC(ctx, 2 * (int64_t)p->n, int32_t);
    writing w = {.t = allocate(ctx, a, p), .slot = slot, .loaded = WLU_CALLOC(ctx, wlu_listed_places(p).end, uint8_t)};
    if (slot != NULL && room != NULL && w.t != NULL && w.loaded != NULL) {
        list_all(&w, a, p, slot);
        list_rows(w.t, p, room);
    } else {
        wlu_column_lists_destroy(ctx, &w.t);
    }
    wlu_free(ctx, slot);
    wlu_free(ctx, room);
    wlu_free(ctx, w.loaded);
    *out = w.t;
    return w.t != NULL ? WARPLU_SUCCESS : wlu_fail_memory(ctx, "lists of columns");
}
