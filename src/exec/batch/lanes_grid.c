/* Chains of a panel in grids, four rows by up to four columns: their terms by one pivot are the products of four l, one
 * a row, and four u, one a column, so that sixteen terms take eight loads. See lanes.h.
 *
 * A grid takes the terms at the beginning of its chains that need nothing of the window itself, which is rows of one
 * panel, and leaves the sums in the targets, where the records go on. Numbers that are not there are 0. */
#include "exec/batch/lanes_pack.h"

#include <string.h>

enum { G = WLU_LANES_GRID_ROWS, CHAINS = G * G, COLUMNS = WLU_TILE_WIDTH };

/* Cycles, about, where a load of a line that a step has anew takes one and so does an FMA: of a term alone, whose lines
 * come from the second cache; what a chain takes for the numbers between its grid and its record. Measured: with ALONE
 * at 2 replays of grids and structures take 5 to 9 % more, above 4 nothing changes. */
enum { ALONE = 4, BETWEEN = 3 };

typedef struct grid {
    int64_t record[CHAINS]; /* by rows; -1: none */
    int64_t prefix[CHAINS]; /* terms that need nothing of the window */
    int64_t next[CHAINS];   /* taken so far */
    int64_t steps, terms;
} grid;

/* The pivot by which a term of an l is: the reciprocal that l was multiplied with; or -1. */
static void map_pivots(wlu_lanes_packer *p)
{
    for (int64_t k = 0; k < p->flat->count; k++) {
        int64_t record = p->last[k];
        p->pivot[k] = record < 0 || p->s->opcode[record] != WLU_DOTS ? -1 : p->s->divisor[record];
    }
}

void wlu_lanes_map_cells(wlu_lanes_packer *p)
{
    const wlu_tiles *t = &wlu_lu_of(p->flat->program)->tiles;
    const int32_t *slot = p->flat->slot;
    if (p->own >= 0) return;
    map_pivots(p);
    for (int64_t k = 0; k < p->flat->count; k++) p->cell[k].tile = -1;
    for (int32_t k = 0; k < t->count; k++) {
        int64_t begin = t->panel[k], rows = (int64_t)t->above[k] + wlu_tile_width(t, k) + t->below[k];
        int32_t row = (int32_t)((begin - t->panel[0]) / WLU_TILE_WIDTH);
        for (int64_t q = 0; q < WLU_TILE_WIDTH * rows; q++)
            if (slot[begin + q] != p->flat->zero)
                p->cell[slot[begin + q]] =
                    (wlu_lanes_cell){k, row + (int32_t)(q / WLU_TILE_WIDTH), (int32_t)(q % WLU_TILE_WIDTH)};
        for (int32_t i = 0; i < wlu_tile_width(t, k); i++)
            p->cell[slot[wlu_lu_of(p->flat->program)->tile_reciprocal + t->first[k] + i]] =
                (wlu_lanes_cell){k, row + t->above[k] + i, WLU_TILE_WIDTH};
    }
}

/* Leading terms of a record that grids may take. */
static int64_t prefix_of(const wlu_lanes_packer *p, int64_t r, int64_t window)
{
    const wlu_flat_stream *s = p->s;
    int64_t k = s->begin[r];
    if (!wlu_opcode_is_chain(s->opcode[r]) || s->sum[r] != WLU_SUM_IN_ORDER) return 0;
    if (s->start[r] != s->target[r] && p->mine[s->start[r]] == window + 1) return 0;
    while (k < s->begin[r + 1] && p->mine[s->operand[2 * k]] != window + 1 &&
           p->mine[s->operand[2 * k + 1]] != window + 1 && p->pivot[s->operand[2 * k]] >= 0)
        k++;
    return k - s->begin[r];
}

/* The next term of a chain, or NULL. */
static const int32_t *next_term(const wlu_lanes_packer *p, const grid *g, int c)
{
    if (g->record[c] < 0 || g->next[c] == g->prefix[c]) return NULL;
    return p->s->operand + 2 * (p->s->begin[g->record[c]] + g->next[c]);
}

/* Operands of the next step, four of rows and four of columns, the constant 0 where there are none. 0: there is no
 * further step, or chains' terms are not the products of their row's and column's. */
static int next_step(const wlu_lanes_packer *p, grid *g, int32_t *operand)
{
    const int32_t zero = p->flat->zero;
    const int32_t *term[CHAINS];
    int32_t pivot = INT32_MAX;
    for (int c = 0; c < CHAINS; c++) {
        term[c] = next_term(p, g, c);
        if (term[c] != NULL && p->pivot[term[c][0]] < pivot) pivot = p->pivot[term[c][0]];
    }
    if (pivot == INT32_MAX) return 0;
    for (int k = 0; k < 2 * G; k++) operand[k] = zero;
    for (int c = 0; c < CHAINS; c++) {
        if (term[c] != NULL && p->pivot[term[c][0]] != pivot) term[c] = NULL;
        if (term[c] == NULL) continue;
        operand[c / G] = term[c][0];
        operand[G + c % G] = term[c][1];
    }
    for (int c = 0; c < CHAINS; c++) {
        int32_t a = operand[c / G], b = operand[G + c % G];
        if (term[c] != NULL && (term[c][0] != a || term[c][1] != b)) return 0;
        if (term[c] == NULL && g->record[c] >= 0 && a != zero && b != zero) return 0;
    }
    for (int c = 0; c < CHAINS; c++) {
        g->next[c] += term[c] != NULL;
        g->terms += term[c] != NULL;
    }
    g->steps++;
    return 1;
}

static int pays(const grid *g, int columns)
{
    int64_t loads = G + columns, terms = (int64_t)G * columns, chains = 0;
    for (int c = 0; c < CHAINS; c++) chains += g->next[c] > 0;
    return g->steps * (loads > terms ? loads : terms) + BETWEEN * chains < ALONE * g->terms;
}

/* The first columns alone have chains. 0: no memory. */
static int put_grid(wlu_lanes_packer *p, grid *g, int columns)
{
    int32_t operand[2 * G];
    int64_t begin = p->to->count, most = 0;
    for (int c = 0; c < CHAINS; c++) most += g->prefix[c];
    if (!wlu_lanes_make_room(p, 3 + 2 * CHAINS + 2 * G * most)) return 0;
    p->to->count += 3 + 2 * CHAINS;
    while (next_step(p, g, operand)) {
        for (int k = 0; k < G; k++) wlu_lanes_put_factor(p, operand[k]);
        for (int k = G; k < 2 * G; k++) wlu_lanes_put_number(p, operand[k]);
    }
    int64_t end = p->to->count;
    p->to->count = begin;
    if (!pays(g, columns)) return 1;
    wlu_lanes_word(p, (uint32_t)(WLU_LANES_GRID_1 + columns - 1));
    wlu_lanes_word(p, 1);
    wlu_lanes_word(p, (uint32_t)g->steps);
    for (int c = 0; c < CHAINS; c++) {
        int64_t r = g->record[c];
        int takes = r >= 0 && g->next[c] > 0;
        wlu_lanes_put_number(p, takes ? p->s->target[r] : (int32_t)p->flat->count);
        wlu_lanes_put_number(p, takes ? p->s->start[r] : (int32_t)p->flat->count);
        if (takes) p->done[r] = g->next[c];
    }
    p->to->count = end;
    return 1;
}

/* Four rows: their columns, those left out in which no chain has terms for a grid, four at a time. 0: no memory. */
static int put_rows(wlu_lanes_packer *p, int64_t window, int64_t (*at)[COLUMNS])
{
    grid g;
    int columns = 0;
    for (int c = 0; c < COLUMNS; c++) {
        int64_t any = 0;
        if (columns == 0) memset(&g, 0, sizeof g);
        for (int k = 0; k < G; k++) {
            int64_t r = at[k][c] >= 0 ? at[k][c] : -1;
            g.record[G * k + columns] = r;
            g.prefix[G * k + columns] = r < 0 ? 0 : prefix_of(p, r, window);
            any += g.prefix[G * k + columns];
            for (int left = columns + 1; left < G; left++) g.record[G * k + left] = -1;
        }
        columns += any > 0;
        if (columns == 0 || (columns < G && c + 1 < COLUMNS)) continue;
        if (any == 0)
            for (int k = 0; k < G && columns < G; k++) g.record[G * k + columns] = -1;
        if (!put_grid(p, &g, columns)) return 0;
        columns = 0;
    }
    return 1;
}

int wlu_lanes_put_grids(wlu_lanes_packer *p, int64_t window, int64_t first, int64_t end)
{
    enum { ROWS = 2 * G };
    int64_t at[ROWS][COLUMNS];
    int32_t rows = -1, row = -1;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) at[r][c] = -1;
    for (int64_t r = first; r < end; r++) {
        const wlu_lanes_cell *cell = &p->cell[p->s->target[r]];
        p->mine[p->s->target[r]] = window + 1;
        if (cell->row != row) rows++;
        row = cell->row;
        if (cell->column < COLUMNS) at[rows][cell->column] = at[rows][cell->column] == -1 ? r : -2; /* -2: several */
    }
    for (int r = 0; r < ROWS; r += G)
        if (!put_rows(p, window, at + r)) return 0;
    return 1;
}
