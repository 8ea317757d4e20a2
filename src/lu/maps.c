/* The load map and the guards of a program, from the pivots and the slots of their factors. O(entries of A and of the
 * factors), but for the sort of the listed loads by their slots. */
#include "lu/compile.h"

#include "base/power.h"
#include "base/sort.h"
#include "numerics/verdict.h"

static int32_t source_of(const wlu_program *program, const wlu_pattern *a, int32_t entry)
{
    return program->gather != NULL ? entry : a->map[entry];
}

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

/* Dense loads. Returns how many entries of A go into panels. */
static int64_t fill_dense(wlu_compiler *c, int32_t *where)
{
    const wlu_pivots *p = c->p;
    const wlu_pattern *a = c->a;
    const wlu_loads load = c->out->load;
    const int32_t *row_pos = p->row_pos, *map = c->out->gather != NULL ? NULL : a->map;
    const int16_t *exponent = p->exponent;
    int64_t listed = 0;
    for (int64_t k = 0; k < load.count; k++) load.source[k] = -1;
    for (int32_t j = 0; j < p->n; j++) {
        int32_t col = p->col[j], power = wlu_pivots_col_exponent(p, col);
        map_column(c, j, where);
        for (int32_t e = a->p[col], end = a->p[col + 1]; e < end; e++) {
            int32_t i = a->i[e], t = where[row_pos[i]];
            if (t < load.count) {
                load.source[t] = map != NULL ? map[e] : e;
                load.scale[t] = wlu_power_of_two(exponent[i] + power);
            } else {
                listed++;
            }
        }
    }
    return listed;
}

/* Entries of A that go into panels, and their slots. */
static void collect_listed(const wlu_compiler *c, int32_t *where, wlu_sort_entry *entries)
{
    const wlu_tiles *tiles = &c->lu->tiles;
    for (int32_t at = 0; at < tiles->m; at++) {
        int32_t j = tiles->position[at], col = c->p->col[j];
        map_column(c, j, where);
        for (int32_t e = c->a->p[col]; e < c->a->p[col + 1]; e++) {
            int32_t t = where[c->p->row_pos[c->a->i[e]]];
            if (t >= c->out->region_slots) *entries++ = (wlu_sort_entry){(uint64_t)t, e};
        }
    }
}

/* Listed loads in the order of their slots, and where each tile's begin. */
static void fill_list(wlu_compiler *c, const wlu_sort_entry *sorted)
{
    const wlu_pivots *p = c->p;
    wlu_load_list *list = &c->out->list;
    wlu_tiles *tiles = &c->lu->tiles;
    int32_t tile = 0;
    for (int64_t at = 0; at < list->count; at++) {
        int32_t t = (int32_t)sorted[at].key, e = (int32_t)sorted[at].record;
        while (tiles->panel[tile + 1] <= t) tiles->load[++tile] = at;
        int32_t j = tiles->position[tiles->first[tile] + (t - tiles->panel[tile]) % WLU_TILE_WIDTH];
        list->target[at] = t;
        list->source[at] = source_of(c->out, c->a, e);
        list->scale[at] = wlu_power_of_two(wlu_pivots_exponent(p, c->a->i[e], p->col[j]));
    }
    while (tile < tiles->count) tiles->load[++tile] = list->count;
}

static warplu_status make_list(wlu_compiler *c, int64_t count, int32_t *where)
{
    wlu_load_list *list = &c->out->list;
    list->count = count;
    list->target = WLU_ALLOC(c->ctx, count, int32_t);
    list->source = WLU_ALLOC(c->ctx, count, int32_t);
    list->scale = WLU_ALLOC(c->ctx, count, double);
    wlu_sort_entry *entries = WLU_ALLOC(c->ctx, 2 * count, wlu_sort_entry);
    int64_t *digits = WLU_ALLOC(c->ctx, WLU_SORT_DIGITS, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    if (!list->target || !list->source || !list->scale || !entries || !digits) {
        status = wlu_fail_memory(c->ctx, "load map of the program");
    } else {
        collect_listed(c, where, entries);
        fill_list(c, wlu_sort(entries, entries + count, count, digits));
    }
    wlu_free(c->ctx, entries);
    wlu_free(c->ctx, digits);
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
    if (!load->source || !load->scale || !where)
        status = wlu_fail_memory(c->ctx, "load map of the program");
    else
        status = make_list(c, fill_dense(c, where), where);
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
    for (int shared = 1; shared >= 0; shared--) {
        for (int32_t col = 0; col < p->n; col++) {
            int32_t j = p->col_pos[col], e = p->largest[j], k = row_led_by(c, e);
            if ((k >= 0) != shared) continue;
            if (shared) g->row_scale[rows++] = wlu_upper_of_power(p->row_unit[k]);
            g->a_source[place] = source_of(c->out, c->a, e);
            g->column[j] = place++;
        }
        if (shared) g->shared = place;
    }
    for (int32_t k = 0; k < p->n; k++) of_row[p->row_largest[k]] = 1;
    for (int32_t j = 0; j < p->n; j++) of_row[p->largest[j]] = 0;
    for (int32_t e = 0; e < c->a->nnz; e++) {
        if (!of_row[e]) continue;
        g->row_scale[rows++] = wlu_upper_of_power(p->row_unit[p->row_pos[c->a->i[e]]]);
        g->a_source[place++] = source_of(c->out, c->a, e);
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
    g->criteria = wlu_criteria_of(&p->quality, p->bound[0], c->options->pivot_absolute);
    list_largest(c, of_row);
    wlu_free(c->ctx, of_row);
    for (int32_t j = 0; j < p->n; j++) {
        int exponent = wlu_pivots_exponent(p, c->a->i[p->largest[j]], p->col[j]);
        g->a_scale[g->column[j]] = wlu_upper_of_power(wlu_power_of_two(exponent));
    }
    guard_slots(c);
    return WARPLU_SUCCESS;
}
