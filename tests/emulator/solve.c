/* A solve's tasks on the emulated device. See tasks.h and cuda/solve.cu: bundles, which the block's warps take; what
 * pivots take from tiles of other tile paths, in their order, 32 rows at a time; tile paths in shared memory. Pivots
 * wait one after the other, where the kernel's warps wait side by side. */
#include "emulator/tasks.h"

enum { W = 8 };

static const wlu_solve_task *task_of(const wlu_machine *m, const wlu_emulated_block *b)
{
    return &m->solve->task[b->tile];
}

static int is_forward(const wlu_machine *m, const wlu_emulated_block *b)
{
    return task_of(m, b)->kind == WLU_TASK_PULLS_FORWARD || task_of(m, b)->kind == WLU_TASK_TILE_PATH_FORWARD;
}

/* First of the unknowns that the task's substitution computes. */
static int32_t unknowns(const wlu_machine *m, const wlu_emulated_block *b)
{
    return m->split + m->solve->z + (is_forward(m, b) ? 0 : m->solve->tiled);
}

/* Where a tile path begins for pivot `at`, and what its pulls, if there are any, leave. */
static int32_t start_of(const wlu_machine *m, const wlu_emulated_block *b, int32_t at)
{
    return m->split + m->solve->start[(is_forward(m, b) ? 0 : m->solve->tiled) + at];
}

static wlu_lane_number factor(wlu_machine *m, const wlu_emulated_block *b, int32_t slot)
{
    return wlu_lane_number_of(wlu_machine_peek(m, &b->agent, slot));
}

/* ------------------------------------------------------------------ bundles */

/* Places are poisoned before any warp starts. */
static void begin_bundles(const wlu_machine *m, wlu_emulated_block *b)
{
    const wlu_solve_task *t = task_of(m, b);
    b->phase = WLU_BLOCK_BUNDLES;
    b->tickets = 0;
    b->bundles = (wlu_bundle_queue){.stream = m->stream,
                                    .first = t->first,
                                    .count = t->count,
                                    .record = m->stream->bundle[t->first].first,
                                    .tickets = &b->tickets};
    b->agent.places = t->places;
    for (int32_t k = 0; k < t->places; k++) b->agent.place[k] = (wlu_lane_bits){WLU_POISON, WLU_POISON};
}

/* -------------------------------------------------------------------- pulls */

static const int32_t *ends_of(const wlu_machine *m, const wlu_emulated_block *b)
{
    return (is_forward(m, b) ? m->solve->forward : m->solve->back) + b->pivot;
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
            b->pulled[k][c] = c < x->width ? wlu_machine_peek(m, &b->agent, slot) : (wlu_lane_bits){0, 0};
            wlu_machine_want(m, &b->agent, slot, &b->pulled[k][c]);
        }
    }
}

/* The task's first pivot from `pivot` on that has pulls, if there is one. */
static void begin_pivot(wlu_machine *m, wlu_emulated_block *b, int32_t pivot)
{
    const wlu_solve_task *t = task_of(m, b);
    b->phase = WLU_BLOCK_TAKE;
    for (b->pivot = pivot; b->pivot < t->first + t->count; b->pivot++) {
        if (ends_of(m, b)[1] == ends_of(m, b)[0]) continue;
        int32_t slot = m->split + (is_forward(m, b) ? m->solve->tile_y[b->pivot] : m->solve->z + b->pivot);
        b->phase = WLU_BLOCK_PULLS;
        b->pull = ends_of(m, b)[0];
        b->start[0] = wlu_machine_peek(m, &b->agent, slot);
        wlu_machine_want(m, &b->agent, slot, &b->start[0]);
        ask_pulls(m, b);
        return;
    }
}

static void subtract_pulls(wlu_machine *m, wlu_emulated_block *b)
{
    int32_t count = pulls_of(m, b);
    if (b->pull == ends_of(m, b)[0]) b->rest = wlu_machine_number(m, &b->agent, b->start[0]);
    for (int32_t k = 0; k < count; k++) {
        wlu_lane_number row[W], x[W];
        for (int c = 0; c < W; c++) {
            row[c] = factor(m, b, m->solve->pull[b->pull + k].row + c);
            x[c] = wlu_machine_number(m, &b->agent, b->pulled[k][c]);
        }
        b->rest = m->lanes->subtract(b->rest, m->lanes->products(row, x));
    }
    b->pull += count;
    if (b->pull < ends_of(m, b)[1]) {
        ask_pulls(m, b);
    } else {
        wlu_machine_publish(m, &b->agent, start_of(m, b, b->pivot), b->rest);
        begin_pivot(m, b, b->pivot + 1);
    }
}

/* ------------------------------------------------------------------- tile paths */

/* The tile path's first pivot, and how many it has. */
static int32_t pivots_of(const wlu_machine *m, const wlu_emulated_block *b, int32_t *first)
{
    const wlu_solve_task *t = task_of(m, b);
    const wlu_solve_tile *last = &m->solve->tile[t->first + t->count - 1];
    *first = m->solve->tile[t->first].first;
    return last->first + last->width - *first;
}

static void ask_starts(wlu_machine *m, wlu_emulated_block *b)
{
    int32_t first, pivots = pivots_of(m, b, &first);
    b->phase = WLU_BLOCK_STARTS;
    b->done = 0;
    for (int32_t k = 0; k < pivots; k++) {
        int32_t slot = start_of(m, b, first + k);
        b->start[k] = wlu_machine_peek(m, &b->agent, slot);
        wlu_machine_want(m, &b->agent, slot, &b->start[k]);
    }
}

static void take_starts(wlu_machine *m, wlu_emulated_block *b)
{
    int32_t first, pivots = pivots_of(m, b, &first);
    for (int32_t k = 0; k < pivots; k++) b->acc[k] = wlu_machine_number(m, &b->agent, b->start[k]);
    b->phase = WLU_BLOCK_TILE_PATH;
}

/* y: the tile's pivots. */
static void run_triangle(wlu_machine *m, const wlu_emulated_block *b, const wlu_solve_tile *t, wlu_lane_number *y)
{
    int forward = is_forward(m, b);
    for (int32_t k = 0; k < t->width; k++) {
        int32_t j = forward ? k : t->width - 1 - k;
        if (!forward) y[j] = m->lanes->scale(y[j], factor(m, b, t->reciprocal + j));
        for (int32_t i = forward ? j + 1 : 0; i < (forward ? t->width : j); i++)
            y[i] = m->lanes->triangle(factor(m, b, t->diagonal + W * i + j), y[j], y[i]);
    }
    for (int32_t j = 0; j < t->width; j++) {
        wlu_machine_publish(m, &b->agent, unknowns(m, b) + t->first + j, y[j]);
        if (!forward) wlu_machine_publish(m, &b->agent, m->split + m->solve->tile_x[t->first + j], y[j]);
    }
}

/* The tile path's next tile, and what its rows take from others of it. acc: of the tile path's first pivot on. */
static void run_tile(wlu_machine *m, wlu_emulated_block *b)
{
    const wlu_solve_task *task = task_of(m, b);
    int forward = is_forward(m, b);
    const wlu_solve_tile *t = &m->solve->tile[task->first + (forward ? b->done : task->count - 1 - b->done)];
    const int32_t *target = m->solve->target + (forward ? t->lower_target : t->upper_target);
    int32_t first = m->solve->tile[task->first].first, slot = forward ? t->lower : t->upper;
    wlu_lane_number *y = b->acc + (t->first - first);
    run_triangle(m, b, t, y);
    for (int32_t r = 0; r < (forward ? t->lowers : t->uppers); r++) {
        wlu_lane_number row[W], x[W], *acc = &b->acc[target[r] - first];
        for (int c = 0; c < W; c++) {
            row[c] = factor(m, b, slot + W * r + c);
            x[c] = c < t->width ? y[c] : wlu_lane_zero();
        }
        *acc = m->lanes->subtract(*acc, m->lanes->products(row, x));
    }
    if (++b->done == task->count) b->phase = WLU_BLOCK_TAKE;
}

/* --------------------------------------------------------------------- both */

/* Another agent: what the block wrote in its last task others of its threads see no sooner than other blocks. */
void wlu_solve_begin(wlu_machine *m, wlu_emulated_block *b, int32_t task)
{
    b->tile = task;
    b->agent.id = m->agents++;
    b->agent.task = m->stream->bundles + task;
    switch (task_of(m, b)->kind) {
    case WLU_TASK_STREAM: begin_bundles(m, b); break;
    case WLU_TASK_PULLS_FORWARD:
    case WLU_TASK_PULLS_BACK: begin_pivot(m, b, task_of(m, b)->first); break;
    default: ask_starts(m, b);
    }
}

wlu_step wlu_solve_step(wlu_machine *m, wlu_emulated_block *b)
{
    if (!wlu_machine_poll(m, &b->agent)) return WLU_STEP_WAITING;
    if (b->phase == WLU_BLOCK_PULLS)
        subtract_pulls(m, b);
    else if (b->phase == WLU_BLOCK_STARTS)
        take_starts(m, b);
    else
        run_tile(m, b);
    return WLU_STEP_MOVED;
}
