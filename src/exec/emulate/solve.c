/* Tiles of solves on the emulated device. See tasks.h and cuda/solve.cu: what each pivot takes from other tiles, in its order, 32 rows
 * at a time; then the tile's own triangle. Pivots wait one after the other, where the kernel's warps wait side by side. */
#include "exec/emulate/tasks.h"

enum { W = 8 };

static int is_forward(const wlu_machine *m, const wlu_emulated_block *b)
{
    return b->tile < m->solve->tiles;
}

static const wlu_solve_tile *tile_of(const wlu_machine *m, const wlu_emulated_block *b)
{
    return &m->solve->tile[is_forward(m, b) ? b->tile : 2 * m->solve->tiles - 1 - b->tile];
}

/* First of the unknowns that the tile's stage computes. */
static int32_t unknowns(const wlu_machine *m, const wlu_emulated_block *b)
{
    return m->split + m->solve->z + (is_forward(m, b) ? 0 : m->solve->tiled);
}

static const int32_t *ends_of(const wlu_machine *m, const wlu_emulated_block *b)
{
    return (is_forward(m, b) ? m->solve->forward : m->solve->back) + tile_of(m, b)->first + b->pivot;
}

/* Rows from b->pull on that are asked for together. */
static int32_t pulls_of(const wlu_machine *m, const wlu_emulated_block *b)
{
    int32_t rest = ends_of(m, b)[1] - b->pull;
    return rest < WLU_WARP ? rest : WLU_WARP;
}

static void ask_pulls(wlu_machine *m, wlu_emulated_block *b)
{
    for (int32_t k = 0; k < pulls_of(m, b); k++) {
        const wlu_solve_pull *x = &m->solve->pull[b->pull + k];
        for (int c = 0; c < W; c++) {
            int32_t slot = unknowns(m, b) + x->first + c;
            b->pulled[k][c] = c < x->width ? wlu_machine_peek(m, &b->agent, slot) : 0;
            wlu_machine_want(m, &b->agent, slot, &b->pulled[k][c]);
        }
    }
}

static void begin_pivot(wlu_machine *m, wlu_emulated_block *b, int32_t pivot)
{
    int32_t at = tile_of(m, b)->first + pivot, slot = m->split + (is_forward(m, b) ? m->solve->tile_y[at] : m->solve->z + at);
    b->pivot = pivot;
    b->pull = ends_of(m, b)[0];
    b->start = wlu_machine_peek(m, &b->agent, slot);
    wlu_machine_want(m, &b->agent, slot, &b->start);
    ask_pulls(m, b);
}

static void subtract_pulls(wlu_machine *m, wlu_emulated_block *b)
{
    double *y = &b->y[b->pivot];
    int32_t count = pulls_of(m, b);
    if (b->pull == ends_of(m, b)[0]) *y = wlu_machine_number(m, &b->agent, b->start);
    for (int32_t k = 0; k < count; k++) {
        double row[W], x[W];
        for (int c = 0; c < W; c++) {
            row[c] = wlu_double_of_bits(wlu_machine_peek(m, &b->agent, m->solve->pull[b->pull + k].row + c));
            x[c] = wlu_machine_number(m, &b->agent, b->pulled[k][c]);
        }
        *y = wlu_lane_subtract(*y, wlu_lane_products(row, x));
    }
    b->pull += count;
}

static double factor(wlu_machine *m, const wlu_emulated_block *b, int32_t slot)
{
    return wlu_double_of_bits(wlu_machine_peek(m, &b->agent, slot));
}

static void run_triangle(wlu_machine *m, wlu_emulated_block *b)
{
    const wlu_solve_tile *t = tile_of(m, b);
    int forward = is_forward(m, b);
    for (int32_t k = 0; k < t->width; k++) {
        int32_t j = forward ? k : t->width - 1 - k;
        if (!forward) b->y[j] = wlu_lane_scale(b->y[j], factor(m, b, t->reciprocal + j));
        for (int32_t i = forward ? j + 1 : 0; i < (forward ? t->width : j); i++)
            b->y[i] = wlu_lane_triangle(factor(m, b, t->diagonal + W * i + j), b->y[j], b->y[i]);
    }
    for (int32_t j = 0; j < t->width; j++) {
        wlu_machine_publish(m, &b->agent, unknowns(m, b) + t->first + j, b->y[j]);
        if (!forward) wlu_machine_publish(m, &b->agent, m->split + m->solve->tile_x[t->first + j], b->y[j]);
    }
    b->phase = WLU_BLOCK_TAKE;
}

void wlu_solve_begin(wlu_machine *m, wlu_emulated_block *b, int32_t tile)
{
    b->tile = tile;
    b->agent.task = m->stream[0]->bundles + tile;
    b->phase = WLU_BLOCK_PULLS;
    begin_pivot(m, b, 0);
}

wlu_step wlu_solve_step(wlu_machine *m, wlu_emulated_block *b)
{
    if (!wlu_machine_poll(m, &b->agent)) return WLU_STEP_WAITING;
    if (b->phase == WLU_BLOCK_TRIANGLE) {
        run_triangle(m, b);
        return WLU_STEP_MOVED;
    }
    subtract_pulls(m, b);
    if (b->pull < ends_of(m, b)[1])
        ask_pulls(m, b);
    else if (b->pivot + 1 < tile_of(m, b)->width)
        begin_pivot(m, b, b->pivot + 1);
    else
        b->phase = WLU_BLOCK_TRIANGLE;
    return WLU_STEP_MOVED;
}
