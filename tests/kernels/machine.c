/* Random tiles, and the state that kernels work on. See machine.h. */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

int64_t machine_row(const machine *m, int32_t tile, int64_t row)
{
    return m->panel[tile] + WLU_TILE_WIDTH * row;
}

static int32_t width_of(const machine *m, int32_t tile)
{
    return m->first[tile + 1] - m->first[tile];
}

/* Rows above: the last pivots of some tiles before this one, which are its sources. */
static void draw_sources(machine *m, int32_t tile)
{
    wlu_tiles *t = m->tiles;
    int32_t *row = m->row + m->row_ptr[tile], rows = 0;
    int64_t g = m->source_ptr[tile];
    for (int32_t s = 0; s < tile; s++) {
        int32_t pivots = (int32_t)kernel_size(m->r, 1, width_of(m, s), WLU_TILE_WIDTH);
        if (!m->r->bench && kernel_below(m->r, 3) == 0) continue;
        m->source[g++] = (wlu_tile_source){s, rows, pivots, 0};
        for (int32_t k = m->first[s + 1] - pivots; k < m->first[s + 1]; k++) row[rows++] = k;
    }
    m->above[tile] = rows;
    m->source_ptr[tile + 1] = g;
    t->ntargets = 0;
}

/* Rows below: later pivots, some of them neighbours. */
static void draw_below(machine *m, int32_t tile)
{
    int32_t *row = m->row + m->row_ptr[tile] + m->above[tile], rows = 0, dense = (int32_t)kernel_below(m->r, 4);
    for (int32_t k = m->first[tile + 1]; k < m->tiles->m; k++)
        if (m->r->bench || kernel_below(m->r, 4) < dense) row[rows++] = k;
    m->below[tile] = rows;
    m->row_ptr[tile + 1] = m->row_ptr[tile] + m->above[tile] + rows;
}

/* The place of a pivot among the panel's rows; the spare row where it has none. */
static int32_t place_of(const machine *m, int32_t tile, int32_t pivot)
{
    const int32_t *row = m->row + m->row_ptr[tile];
    int32_t above = m->above[tile], width = width_of(m, tile), rows = above + m->below[tile];
    if (pivot >= m->first[tile] && pivot < m->first[tile + 1]) return above + pivot - m->first[tile];
    for (int32_t q = 0; q < rows; q++)
        if (row[q] == pivot) return q < above ? q : q + width;
    return rows + width;
}

static void find_targets(machine *m, int32_t tile)
{
    for (int64_t g = m->source_ptr[tile]; g < m->source_ptr[tile + 1]; g++) {
        wlu_tile_source *s = &m->source[g];
        const int32_t *row = m->row + m->row_ptr[s->tile] + m->above[s->tile];
        s->to = m->tiles->ntargets;
        for (int32_t q = 0; q < m->below[s->tile]; q++) m->target[m->tiles->ntargets++] = place_of(m, tile, row[q]);
    }
}

/* Listed loads into some entries of the panel, of those that the tile has columns for. */
static void draw_loads(machine *m, int32_t tile)
{
    int64_t count = kernel_size(m->r, 0, MACHINE_LOADS, 64), at = m->load[tile];
    int32_t rows = m->above[tile] + width_of(m, tile) + m->below[tile];
    for (int64_t k = 0; k < count; k++, at++) {
        int64_t slot = machine_row(m, tile, kernel_below(m->r, rows)) + kernel_below(m->r, width_of(m, tile));
        m->load_target[at] = (int32_t)slot;
        m->load_source[at] = (int32_t)kernel_below(m->r, MACHINE_VALUES);
        m->load_scale[at] = kernel_power(m->r);
    }
    m->load[tile + 1] = at;
}

static void draw_tiles(machine *m, int32_t count)
{
    wlu_tiles *t = m->tiles;
    for (int32_t k = 0; k < count; k++) m->first[k + 1] = m->first[k] + (int32_t)kernel_size(m->r, 1, 8, 8);
    t->m = m->first[count];
    m->panel[0] = (t->m + 7) / 8 * 8;
    for (int32_t k = 0; k < count; k++) {
        draw_sources(m, k);
        draw_below(m, k);
        m->panel[k + 1] = m->panel[k] + WLU_TILE_WIDTH * (int64_t)(m->above[k] + width_of(m, k) + m->below[k] + 1);
    }
    for (int32_t k = 0; k < count; k++) {
        find_targets(m, k);
        draw_loads(m, k);
    }
    kernel_shuffle(m->r, m->position, t->m);
}

static void connect(machine *m, int32_t count)
{
    wlu_tiles *t = m->tiles;
    t->count = count;
    t->first = m->first;
    t->above = m->above;
    t->below = m->below;
    t->turn = m->turn;
    t->position = m->position;
    t->row_ptr = m->row_ptr;
    t->row = m->row;
    t->panel = m->panel;
    t->load = m->load;
    t->source_ptr = m->source_ptr;
    t->source = m->source;
    t->target = m->target;
    m->program.list = (wlu_load_list){0, m->load_target, m->load_source, m->load_scale};
}

/* Numbers in all columns that tiles have. */
static void fill_panels(machine *m)
{
    for (int32_t k = 0; k < m->tiles->count; k++)
        for (int64_t slot = m->panel[k]; slot < m->panel[k + 1]; slot++)
            m->v[slot] = (slot - m->panel[k]) % WLU_TILE_WIDTH < width_of(m, k) ? kernel_number(m->r) : 0.0;
}

void machine_begin(machine *m, kernel_run *r, int32_t tiles, int64_t others)
{
    memset(m, 0, sizeof *m);
    m->r = r;
    m->program.kind = &wlu_lu_kind;
    m->program.own = &m->lu;
    m->tiles = &m->lu.tiles;
    m->guards = &m->lu.guard;
    connect(m, tiles);
    draw_tiles(m, tiles);
    m->program.parts = 1;
    m->program.region_slots = m->panel[0];
    m->program.y = m->panel[tiles];
    m->slots = m->program.y + others;
    m->v = kernel_doubles(m->slots);
    m->x = kernel_doubles(MACHINE_PIVOTS);
    m->umax = kernel_doubles(MACHINE_PIVOTS);
    m->many_v = kernel_doubles(WLU_MANY * others);
    m->many_x = kernel_doubles(WLU_MANY * MACHINE_PIVOTS);
    kernel_fill(r, m->v, m->slots);
    kernel_fill(r, m->x, MACHINE_PIVOTS);
    kernel_fill(r, m->umax, MACHINE_PIVOTS);
    kernel_fill(r, m->many_v, WLU_MANY * others);
    kernel_fill(r, m->many_x, WLU_MANY * MACHINE_PIVOTS);
    fill_panels(m);
    m->state.slots.v = m->v;
    m->state.slots.x = m->x;
    m->state.slots.umax = m->umax;
    m->state.many.v = m->many_v;
    m->state.many.x = m->many_x;
}

void machine_end(machine *m)
{
    free(m->v);
    free(m->x);
    free(m->umax);
    free(m->many_v);
    free(m->many_x);
}
