/* The load map and the guards of a program, from the pivots and the slots of their factors. O(entries of A and of the
 * factors and rows of panels). */
#include "lu/compile.h"

#include <string.h>

#include "base/power.h"
#include "numerics/verdict.h"

static inline void map_rows(const int64_t *cp, const int32_t *ci, const int32_t *slot, int32_t j, int32_t *where)
{
    for (int64_t q = cp[j], end = cp[j + 1]; q < end; q++) where[ci[q]] = slot[q];
}

/* Slots of column j by position. */
static inline void map_column(const wlu_compiler *c, int32_t j, int32_t *where)
{
    const wlu_pivots *p = c->p;
    const int32_t *slot = c->out->slot;
    where[j] = slot[c->layout.pivot + j];
    map_rows(p->lp, p->li, slot + c->layout.l, j, where);
    map_rows(p->up, p->ui, slot + c->layout.u, j, where);
    map_rows(p->fp, p->fi, slot + c->layout.f, j, where);
}

/* Dense loads of columns that have no panel; those of a region's columns come with their tiles. */
static void fill_dense(wlu_compiler *c, int32_t *where)
{
    const wlu_pivots *p = c->p;
    const wlu_pattern *a = c->a;
    const wlu_loads load = c->out->load;
    const int32_t *row_pos = p->row_pos, *map = c->out->gather != NULL ? NULL : a->map;
    const int16_t *exponent = p->exponent;
    for (int64_t k = 0; k < load.count; k++) load.source[k] = -1;
    for (int32_t j = 0; j < p->n; j++) {
        if (c->lu->tiled[j]) continue;
        int32_t col = p->col[j], power = wlu_pivots_col_exponent(p, col);
        map_column(c, j, where);
        for (int32_t e = a->p[col], end = a->p[col + 1]; e < end; e++) {
            int32_t i = a->i[e], t = where[row_pos[i]];
            load.source[t] = map != NULL ? map[e] : e;
            load.scale[t] = wlu_power_of_two(exponent[i] + power);
        }
    }
}

/* Listed loads in the making: of the tile at hand slots, sources and scales by column; by row of its panel, where the
 * next load goes. */
typedef struct lister {
    int32_t *slot, *source, *row;
    double *scale;
    int32_t *where;
} lister;

/* Loads of a tile's columns: dense ones, and those into its panel from number `begin` of the list on, in the order of
 * their slots: rows are counted, columns come in order. Returns the number behind them. */
static int64_t list_tile(wlu_compiler *c, int32_t k, const lister *w, int64_t begin)
{
    const wlu_pattern *a = c->a;
    const wlu_pivots *p = c->p;
    const wlu_tiles *tiles = &c->lu->tiles;
    const wlu_loads load = c->out->load;
    const int32_t *map = c->out->gather != NULL ? NULL : a->map;
    int32_t panel = (int32_t)tiles->panel[k], rows = (int32_t)((tiles->panel[k + 1] - panel) / WLU_TILE_WIDTH);
    int64_t count = 0, behind = begin;
    memset(w->row, 0, (size_t)rows * sizeof *w->row);
    for (int32_t at = tiles->first[k]; at < tiles->first[k + 1]; at++) {
        int32_t j = tiles->position[at], col = p->col[j], power = wlu_pivots_col_exponent(p, col);
        map_column(c, j, w->where);
        for (int32_t e = a->p[col], end = a->p[col + 1]; e < end; e++) {
            int32_t i = a->i[e], t = w->where[p->row_pos[i]], source = map != NULL ? map[e] : e;
            double scale = wlu_power_of_two(p->exponent[i] + power);
            if (t < load.count) {
                load.source[t] = source;
                load.scale[t] = scale;
                continue;
            }
            w->slot[count] = t;
            w->source[count] = source;
            w->scale[count++] = scale;
            w->row[(t - panel) / WLU_TILE_WIDTH]++;
        }
    }
    for (int32_t r = 0; r < rows; r++) {
        int32_t of_row = w->row[r];
        w->row[r] = (int32_t)behind;
        behind += of_row;
    }
    for (int64_t q = 0; q < count; q++) {
        int32_t to = w->row[(w->slot[q] - panel) / WLU_TILE_WIDTH]++;
        c->out->list.target[to] = w->slot[q];
        c->out->list.source[to] = w->source[q];
        c->out->list.scale[to] = w->scale[q];
    }
    return behind;
}

static void fill_list(wlu_compiler *c, const lister *w)
{
    wlu_tiles *tiles = &c->lu->tiles;
    int64_t at = 0;
    for (int32_t k = 0; k < tiles->count; k++) {
        tiles->load[k] = at;
        at = list_tile(c, k, w, at);
    }
    tiles->load[tiles->count] = c->out->list.count = at;
}

/* Most entries of A in the columns of a tile, and most rows of a panel. Returns the entries of all tiles. */
static int64_t find_largest_tile(const wlu_compiler *c, int64_t *entries, int64_t *rows)
{
    const wlu_tiles *tiles = &c->lu->tiles;
    int64_t all = 0;
    *entries = *rows = 0;
    for (int32_t k = 0; k < tiles->count; k++) {
        int64_t count = 0, height = (tiles->panel[k + 1] - tiles->panel[k]) / WLU_TILE_WIDTH;
        for (int32_t at = tiles->first[k]; at < tiles->first[k + 1]; at++) {
            int32_t col = c->p->col[tiles->position[at]];
            count += c->a->p[col + 1] - c->a->p[col];
        }
        *entries = count > *entries ? count : *entries;
        *rows = height > *rows ? height : *rows;
        all += count;
    }
    return all;
}

/* Makes the list, with room for what is loaded densely. */
static warplu_status fill_tiles(wlu_compiler *c, int32_t *where)
{
    wlu_load_list *list = &c->out->list;
    int64_t entries, rows, most = find_largest_tile(c, &entries, &rows);
    list->target = WLU_ALLOC(c->ctx, most, int32_t);
    list->source = WLU_ALLOC(c->ctx, most, int32_t);
    list->scale = WLU_ALLOC(c->ctx, most, double);
    lister w = {.slot = WLU_ALLOC(c->ctx, entries, int32_t),
                .source = WLU_ALLOC(c->ctx, entries, int32_t),
                .row = WLU_ALLOC(c->ctx, rows, int32_t),
                .scale = WLU_ALLOC(c->ctx, entries, double),
                .where = where};
    warplu_status status = WARPLU_SUCCESS;
    if (!list->target || !list->source || !list->scale || !w.slot || !w.source || !w.row || !w.scale)
        status = wlu_fail_memory(c->ctx, "load map of the program");
    else
        fill_list(c, &w);
    wlu_free(c->ctx, w.slot);
    wlu_free(c->ctx, w.source);
    wlu_free(c->ctx, w.row);
    wlu_free(c->ctx, w.scale);
    return status;
}

warplu_status wlu_fill_loads(wlu_compiler *c)
{
    wlu_loads *load = &c->out->load;
    int32_t *where = WLU_ALLOC(c->ctx, c->p->n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    load->count = c->lu->areas.reciprocal;
    load->source = WLU_ALLOC(c->ctx, load->count, int32_t);
    load->scale = WLU_CALLOC(c->ctx, load->count, double);
    if (!load->source || !load->scale || !where) status = wlu_fail_memory(c->ctx, "load map of the program");
    if (status == WARPLU_SUCCESS) fill_dense(c, where);
    if (status == WARPLU_SUCCESS) status = fill_tiles(c, where);
    wlu_free(c->ctx, where);
    return status;
}

static warplu_status allocate_guards(wlu_compiler *c)
{
    wlu_guards *g = &c->lu->guard;
    int64_t n = c->p->n;
    g->u_column = WLU_ALLOC(c->ctx, g->count, int32_t);
    g->column = WLU_ALLOC(c->ctx, n, int32_t);
    g->a_source = WLU_ALLOC(c->ctx, 2 * n, int32_t);
    g->a_scale = WLU_ALLOC(c->ctx, n, uint16_t);
    g->row_scale = WLU_ALLOC(c->ctx, n, uint16_t);
    if (!g->u_column || !g->column || !g->a_source || !g->a_scale || !g->row_scale)
        return wlu_fail_memory(c->ctx, "guards");
    return WARPLU_SUCCESS;
}

/* Columns of the computed u. */
static void guard_slots(wlu_compiler *c)
{
    const wlu_pivots *p = c->p;
    const int32_t *pivot = c->out->slot + c->layout.pivot, *u = c->out->slot + c->layout.u;
    int32_t *u_column = c->lu->guard.u_column;
    int64_t first = c->lu->areas.u, count = c->lu->guard.count;
    for (int32_t j = 0; j < p->n; j++) {
        int32_t column = c->lu->guard.column[j];
        if ((uint64_t)(pivot[j] - first) < (uint64_t)count) u_column[pivot[j] - first] = column;
        for (int64_t q = p->up[j], end = p->up[j + 1]; q < end; q++)
            if ((uint64_t)(u[q] - first) < (uint64_t)count) u_column[u[q] - first] = column;
    }
}

static inline int32_t source_of(const wlu_compiler *c, int32_t entry)
{
    return c->out->gather != NULL ? entry : wlu_pattern_source(c->a, entry);
}

/* Position of the row whose largest entry e is; -1 if it is none. */
static int32_t row_led_by(const wlu_compiler *c, int32_t e)
{
    int32_t k = c->p->row_pos[c->a->i[e]];
    return c->p->row_largest[k] == e ? k : -1;
}

/* The largest entries of columns and rows, in the order of A in each kind. of_row: by entry of A, zeros. */
static void list_largest(wlu_compiler *c, uint8_t *of_row)
{
    const wlu_pivots *p = c->p;
    wlu_guards *g = &c->lu->guard;
    int32_t place = 0, rows = 0;
    for (int32_t col = 0; col < p->n; col++) { /* of a row, too */
        int32_t j = p->col_pos[col], e = p->largest[j], k = row_led_by(c, e);
        g->column[j] = k >= 0 ? place : -1;
        if (k < 0) continue;
        g->row_scale[rows++] = wlu_upper_of_power(p->row_unit[k]);
        g->a_source[place++] = source_of(c, e);
    }
    g->shared = place;
    for (int32_t col = 0; col < p->n; col++) { /* of a column alone */
        int32_t j = p->col_pos[col];
        if (g->column[j] >= 0) continue;
        g->a_source[place] = source_of(c, p->largest[j]);
        g->column[j] = place++;
    }
    for (int32_t k = 0; k < p->n; k++) of_row[p->row_largest[k]] = 1;
    for (int32_t j = 0; j < p->n; j++) of_row[p->largest[j]] = 0;
    for (int32_t e = 0; e < c->a->nnz; e++) {
        if (!of_row[e]) continue;
        g->row_scale[rows++] = wlu_upper_of_power(p->row_unit[p->row_pos[c->a->i[e]]]);
        g->a_source[place++] = source_of(c, e);
    }
    g->entries = place;
}

warplu_status wlu_fill_guards(wlu_compiler *c)
{
    wlu_guards *g = &c->lu->guard;
    const wlu_pivots *p = c->p;
    uint8_t *of_row = WLU_CALLOC(c->ctx, c->a->nnz, uint8_t);
    warplu_status status = of_row != NULL ? allocate_guards(c) : wlu_fail_memory(c->ctx, "guards");
    if (status < 0) {
        wlu_free(c->ctx, of_row);
        return status;
    }
    g->n = p->n;
    g->criteria = wlu_criteria_of(&p->quality, wlu_bound_unknown(), c->options->pivot_absolute);
    list_largest(c, of_row);
    wlu_free(c->ctx, of_row);
    for (int32_t j = 0; j < p->n; j++) {
        int exponent = wlu_pivots_exponent(p, c->a->i[p->largest[j]], p->col[j]);
        g->a_scale[g->column[j]] = wlu_upper_of_power(wlu_power_of_two(exponent));
    }
    guard_slots(c);
    return WARPLU_SUCCESS;
}
