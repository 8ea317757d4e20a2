/* The load map and the guards of a program, from the LOAD records and the pivots. O(nnz(A) + n), but for the sort of
 * the listed loads by their slots. */
#include "lu/compile.h"

#include <math.h>

#include "base/power.h"
#include "base/sort.h"
#include "numerics/thresholds.h"

static int32_t source_of(const wlu_program *program, const wlu_pattern *a, int32_t entry)
{
    return program->gather != NULL ? entry : a->map[entry];
}

/* Listed loads in the order of their slots, and where each tile's begin. */
static warplu_status fill_list(wlu_compiler *c)
{
    wlu_program *out = c->out;
    wlu_load_list *list = &out->list;
    int64_t count = 0;
    for (int32_t k = 0; k < c->a->nnz; k++) count += out->slot[c->loads[k].t] >= out->region_slots;
    list->target = WLU_ALLOC(c->ctx, count, int32_t);
    list->source = WLU_ALLOC(c->ctx, count, int32_t);
    list->scale = WLU_ALLOC(c->ctx, count, double);
    wlu_sort_entry *entries = WLU_ALLOC(c->ctx, 2 * count, wlu_sort_entry);
    int64_t *digits = WLU_ALLOC(c->ctx, WLU_SORT_DIGITS, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    if (!list->target || !list->source || !list->scale || !entries || !digits) {
        status = wlu_fail_memory(c->ctx, "load map of the program");
    } else {
        for (int32_t k = 0; k < c->a->nnz; k++)
            if (out->slot[c->loads[k].t] >= out->region_slots)
                entries[list->count++] = (wlu_sort_entry){(uint64_t)out->slot[c->loads[k].t], k};
        const wlu_sort_entry *sorted = wlu_sort(entries, entries + count, count, digits);
        int32_t tile = 0;
        for (int64_t at = 0; at < count; at++) {
            const wlu_record *load = &c->loads[sorted[at].record];
            list->target[at] = out->slot[load->t];
            list->source[at] = source_of(out, c->a, load->a);
            list->scale[at] = wlu_power_of_two(load->b);
            while (c->lu->tiles.panel[tile + 1] <= list->target[at]) c->lu->tiles.load[++tile] = at;
        }
        while (tile < c->lu->tiles.count) c->lu->tiles.load[++tile] = count;
    }
    wlu_free(c->ctx, entries);
    wlu_free(c->ctx, digits);
    return status;
}

warplu_status wlu_fill_loads(wlu_compiler *c)
{
    wlu_program *out = c->out;
    out->load.count = c->lu->areas.reciprocal;
    out->load.source = WLU_ALLOC(c->ctx, out->load.count, int32_t);
    out->load.scale = WLU_CALLOC(c->ctx, out->load.count, double);
    if (!out->load.source || !out->load.scale) return wlu_fail_memory(c->ctx, "load map of the program");
    for (int64_t k = 0; k < out->load.count; k++) out->load.source[k] = -1;
    for (int32_t k = 0; k < c->a->nnz; k++) {
        int32_t t = out->slot[c->loads[k].t];
        if (t >= out->load.count) continue;
        out->load.source[t] = source_of(out, c->a, c->loads[k].a);
        out->load.scale[t] = wlu_power_of_two(c->loads[k].b);
    }
    return fill_list(c);
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

/* Notes the column of a logical slot if it is guarded. */
static void guard_slot(wlu_compiler *c, int64_t logical, int32_t column)
{
    wlu_guards *g = &c->lu->guard;
    int64_t at = c->out->slot[logical] - c->lu->areas.u;
    if (at >= 0 && at < g->count) g->u_column[at] = g->column[column];
}

/* Position of the row whose largest entry e is; -1 if it is none. */
static int32_t row_led_by(const wlu_compiler *c, int32_t e)
{
    int32_t k = c->p->row_pos[c->a->i[e]];
    return c->p->row_largest[k] == e ? k : -1;
}

/* The largest entries of columns and rows, in the order of A in each kind. */
static void list_largest(wlu_compiler *c)
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
    for (int32_t col = 0; col < p->n; col++)
        for (int32_t e = c->a->p[col]; e < c->a->p[col + 1]; e++) {
            int32_t k = row_led_by(c, e);
            if (k < 0 || p->largest[p->col_pos[col]] == e) continue;
            g->row_scale[rows++] = wlu_upper_of_power(p->row_unit[k]);
            g->a_source[place++] = source_of(c->out, c->a, e);
        }
    g->entries = place;
}

warplu_status wlu_fill_guards(wlu_compiler *c)
{
    wlu_guards *g = &c->lu->guard;
    const wlu_pivots *p = c->p;
    warplu_status status = allocate_guards(c);
    if (status < 0) return status;
    const wlu_thresholds t = wlu_thresholds_of(0);
    g->n = p->n;
    g->criteria = (wlu_criteria){.quality = p->quality,
                                 .bound = p->bound[0],
                                 .growth = fmin(t.growth_closed, t.growth_share * p->quality.growth),
                                 .pivot_absolute = c->options->pivot_absolute};
    list_largest(c);
    int64_t load = 0; /* loads stand column by column */
    for (int32_t j = 0; j < p->n; j++) {
        int32_t col = p->col[j];
        int64_t largest = load + p->largest[j] - c->a->p[col];
        g->a_scale[g->column[j]] = wlu_upper_of_power(wlu_power_of_two(c->loads[largest].b));
        load += c->a->p[col + 1] - c->a->p[col];
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) guard_slot(c, c->layout.u + q, j);
        guard_slot(c, c->layout.pivot + j, j);
    }
    return WARPLU_SUCCESS;
}
