/* What batches do on a device beside replays, on the host. See by_batch.h. Compiled for real and complex numbers. */
#include "by_batch.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = WLU_GROUP_LANES };

static wlu_group_move move_on_host(const wlu_group_move *m)
{
    wlu_group_move to = *m;
    by_emulator_bring(&to.at, 1);
    by_emulator_bring(&to.rows, 1);
    by_emulator_bring(&to.first, 2);
    return to;
}

static wlu_wide read_number(const wlu_group_move *m, int64_t member, int32_t number)
{
    const wlu_group_source from = {m->at + member * m->by_member, m->by_number};
    if (m->map == NULL) return wlu_group_read_source(&from, number);
    wlu_wide sum = wlu_group_read_source(&from, m->map[m->first[number]]);
    for (int32_t q = m->first[number] + 1; q < m->first[number + 1]; q++)
        sum = WLU_WIDE_ADD(sum, wlu_group_read_source(&from, m->map[q]));
    return sum;
}

static int run_move(const fake_cuda_launch *launch, int in)
{
    const wlu_group_move m = move_on_host(launch->parameters[0]);
    const wlu_group_work w = by_batch_work(launch->parameters[1]);
    for (int32_t i = 0; i < wlu_group_count(&w); i++) {
        int64_t member = wlu_group_member(&w, i);
        wlu_wide *row = m.rows + wlu_group_at(m.to_rooms ? wlu_group_room(&w, i) : w.work + (int64_t)i, m.numbers);
        for (int32_t k = 0; k < m.numbers; k++) {
            if (in)
                row[(int64_t)k * LANES] = read_number(&m, member, k);
            else
                wlu_wide_put(m.at + member * m.by_member + k * m.by_number, 0, row[(int64_t)k * LANES]);
        }
    }
    return launch->grid == (unsigned)((m.numbers + WLU_WARP - 1) / WLU_WARP) &&
           launch->grid_y == (unsigned)((w.count + LANES - 1) / LANES);
}

/* What a member's rows have come to. */
typedef struct looked {
    uint64_t error, size;
} looked;

/* Row k of member i. */
static void look_at(const wlu_refine_rows *rows, const wlu_group_work *w, const wlu_group_step *step, int32_t i,
                    int32_t k, looked *l)
{
    int64_t own = w->work + (int64_t)i, at = wlu_group_at(own, w->n);
    const wlu_group_side *side = &w->side[own];
    if (step->residual && side->control.ended) return;
    if (step->residual) {
        const wlu_wide *entries = w->entries + wlu_group_at(wlu_group_room(w, i), w->numbers);
        w->r[at + (int64_t)k * LANES] =
            wlu_group_residual(rows, entries, w->b + at, w->x[side->control.at ? 0 : 1] + at, k, side->control.unknown,
                               &l->error, &l->size);
    } else {
        uint64_t bits = wlu_refine_size(w->b[at + (int64_t)k * LANES], rows->power[k]);
        if (bits > l->size) l->size = bits;
    }
}

static void judge(const wlu_group_work *w, const wlu_group_step *step, int32_t i, const looked *l)
{
    wlu_group_side *side = &w->side[w->work + (int64_t)i];
    if (!step->residual) {
        *side = wlu_group_begin(w, i, l->size);
    } else if (!side->control.ended) {
        side->control.error = l->error;
        side->control.largest = l->size;
        wlu_refine_judge(&side->control, w->single, wlu_refine_enough_of_member(w->single));
    }
}

/* Row by row, as the numbers of a group lie: member by member each number would be another line of the cache. */
static void look_at_group(const wlu_refine_rows *rows, const wlu_group_work *w, const wlu_group_step *step,
                          int32_t first)
{
    looked l[LANES] = {{0, 0}};
    for (int32_t k = 0; k < rows->n; k++)
        for (int32_t i = 0; i < LANES && first + i < wlu_group_count(w); i++)
            look_at(rows, w, step, first + i, k, &l[i]);
    for (int32_t i = 0; i < LANES; i++) judge(w, step, first + i, &l[i]);
}

static int run_look(const fake_cuda_launch *launch)
{
    wlu_refine_rows rows = *(const wlu_refine_rows *)launch->parameters[0];
    const wlu_group_work w = by_batch_work(launch->parameters[1]);
    by_emulator_bring(&rows.begin, 3);
    by_emulator_bring(&rows.power, 1);
    for (int32_t first = 0; first < wlu_group_count(&w); first += LANES)
        look_at_group(&rows, &w, launch->parameters[2], first);
    return launch->grid == (unsigned)((w.count + LANES - 1) / LANES);
}

static int run_deliver(const fake_cuda_launch *launch)
{
    const wlu_group_work w = by_batch_work(launch->parameters[0]);
    const wlu_group_step *step = launch->parameters[1];
    for (int64_t own = w.work; (own - w.work) / LANES * LANES < wlu_group_count(&w); own++) {
        int64_t at = wlu_group_at(own, w.n);
        double largest = 0.0, of_b = 0.0;
        for (int64_t k = at; k < at + LANES * (int64_t)w.n; k += LANES) {
            w.r[k] = wlu_group_number(&w, &w.side[own], k);
            largest = wlu_larger_bits(largest, WLU_WIDE_SIZE(w.r[k]));
            of_b = wlu_larger_bits(of_b, WLU_WIDE_SIZE(w.b[k]));
        }
        if (step->first) w.outcome[own] = wlu_group_no_outcome();
        wlu_group_tell(&w.outcome[own], wlu_bits_of_double(largest), of_b == 0.0);
        if (!w.side[own].plain) wlu_refine_tell(&w.side[own].control, &w.outcome[own].refined);
    }
    return launch->grid == (unsigned)((w.count + LANES - 1) / LANES);
}

static int run_results(const fake_cuda_launch *launch)
{
    const wlu_group_work w = by_batch_work(launch->parameters[0]);
    wlu_group_result *result = by_emulator_on_host(*(wlu_group_result **)launch->parameters[1]);
    for (int32_t i = 0; i < wlu_group_count(&w); i++)
        result[wlu_group_member(&w, i)] = wlu_group_result_of(&w, i, *(const int *)launch->parameters[2]);
    return launch->grid == (unsigned)((w.count + WLU_GROUP_MOVERS - 1) / WLU_GROUP_MOVERS);
}

int WLU_NUMBER_NAME(by_batch_moves_launch)(const fake_cuda_launch *launch, size_t length)
{
    static const char *const names[] = {"wlu_batch_in", "wlu_batch_out", "wlu_batch_look", "wlu_batch_deliver",
                                        "wlu_batch_results"};
    int which = 0;
    while (which < 4 && (length != strlen(names[which]) || strncmp(launch->kernel, names[which], length) != 0)) which++;
    if (launch->shared_bytes != 0 || strncmp(launch->kernel, names[which], length) != 0) return 0;
    if (which < 2) return run_move(launch, which == 0);
    if (launch->grid_y != 1) return 0;
    return which == 2 ? run_look(launch) : which == 3 ? run_deliver(launch) : run_results(launch);
}
