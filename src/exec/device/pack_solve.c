/* Packing of a solve: bundles of its streams with the right-hand side's loads and the solution's stores, the region's ranges
 * (pack_sweep.h), and the queue of all their tasks (pack_runs.h). O(program) time. */
#include "exec/device/pack.h"

#include <stddef.h>

#include "base/power.h"
#include "exec/device/pack_guards.h"
#include "exec/device/pack_runs.h"
#include "exec/device/pack_sweep.h"

enum { SLOTS_A_BUNDLE = 256 };

typedef struct packing {
    wlu_context *ctx;
    const wlu_program *p;
    const wlu_triangular *t;
    wlu_packer before, after;
    wlu_stream_image first, last;
    uint16_t *load_power, *power;
    wlu_sweep sweep;
    wlu_solve_task *task;
    int64_t tasks;
    int32_t staging; /* slots apart */
} packing;

/* Slots there are: of the program, and behind them. */
static int64_t slots_of(const packing *k)
{
    return k->p->nslots + 2 * (int64_t)k->sweep.tiled + k->sweep.partial + k->staging;
}

/* ---------------------------------------------------------------- streams */

static int is_computed(const packing *k, int32_t slot)
{
    return k->before.at[slot] >= 0 || k->after.at[slot] >= 0;
}

/* A record of the second stream that goes on where one of the first stopped: the first leaves its result in a slot apart, for
 * a slot is written once. */
static int32_t stage(packing *k, int32_t slot)
{
    int32_t apart = (int32_t)slots_of(k);
    k->staging++;
    k->before.record[k->before.at[slot]].record.target = apart;
    return apart;
}

/* Starts from the right-hand side where no record computes the start slot. */
static void settle_records(packing *k, wlu_packer *packer)
{
    const wlu_loads *load = &k->t->load;
    for (int64_t r = 0; r < packer->count; r++) {
        wlu_device_record *x = &packer->record[r].record;
        int64_t at = x->start - load->first;
        int in_place = (x->flags & WLU_RECORD_FROM_SLOT) == 0, goes_on = in_place && packer == &k->after && k->before.at[x->start] >= 0;
        if (goes_on) x->start = stage(k, x->start);
        if (goes_on || at < 0 || at >= load->count || (!in_place && is_computed(k, x->start))) {
            x->flags |= WLU_RECORD_FROM_SLOT;
            continue;
        }
        x->flags &= (uint8_t)~WLU_RECORD_FROM_SLOT;
        x->start = load->source[at];
        x->power = wlu_upper_of_power(load->scale[at]);
    }
}

/* Unknowns of y that are only loaded; with bundle NULL counted. */
static int64_t cut_loads(const packing *k, wlu_bundle *bundle)
{
    const wlu_loads *load = &k->t->load;
    int64_t bundles = 0;
    for (int64_t s = 0; s < load->count;) {
        int64_t begin = s;
        while (s < load->count && s - begin < SLOTS_A_BUNDLE && !is_computed(k, (int32_t)(load->first + s))) s++;
        if (s == begin) {
            s++;
            continue;
        }
        if (bundle != NULL)
            bundle[bundles] = (wlu_bundle){.operand = (int32_t)begin,
                                           .first = (int32_t)(load->first + begin),
                                           .steps = (int32_t)(s - begin),
                                           .shape = WLU_BUNDLE_LOADS};
        bundles++;
    }
    return bundles;
}

static void cut_stores(const packing *k, wlu_bundle *bundle, int64_t bundles)
{
    for (int64_t b = 0; b < bundles; b++) {
        int64_t first = b * SLOTS_A_BUNDLE, rest = k->p->n - first;
        bundle[b] = (wlu_bundle){.first = (int32_t)first,
                                 .steps = (int32_t)(rest < SLOTS_A_BUNDLE ? rest : SLOTS_A_BUNDLE),
                                 .shape = WLU_BUNDLE_STORES};
    }
}

static warplu_status pack_maps(packing *k)
{
    const wlu_loads *load = &k->t->load;
    k->load_power = wlu_powers(k->ctx, load->scale, load->count);
    k->power = wlu_powers(k->ctx, k->t->scale, k->p->n);
    if (k->load_power == NULL || k->power == NULL) return wlu_fail_memory(k->ctx, "maps of the solve for the device");
    return WARPLU_SUCCESS;
}

static warplu_status pack_streams(packing *k)
{
    const wlu_program *p = k->p;
    warplu_status status = wlu_packer_create(k->ctx, p->nslots, k->t->stream.nrecords, &k->before);
    if (status == WARPLU_SUCCESS) status = wlu_packer_create(k->ctx, p->nslots, k->t->after.nrecords, &k->after);
    if (status == WARPLU_SUCCESS) status = wlu_packer_add(&k->before, &k->t->stream);
    if (status == WARPLU_SUCCESS) status = wlu_packer_add(&k->after, &k->t->after);
    if (status < 0) return status;
    settle_records(k, &k->before);
    settle_records(k, &k->after);
    int64_t loads = cut_loads(k, NULL), stores = ((int64_t)p->n + SLOTS_A_BUNDLE - 1) / SLOTS_A_BUNDLE;
    status = wlu_packer_bundle(&k->before, loads, 0, (int32_t)p->zero, &k->first);
    if (status == WARPLU_SUCCESS) status = wlu_packer_bundle(&k->after, 0, stores, (int32_t)p->zero, &k->last);
    if (status < 0) return status;
    cut_loads(k, k->first.bundle);
    cut_stores(k, k->last.bundle + k->last.bundles - stores, stores);
    return pack_maps(k);
}

/* ------------------------------------------------------------------ tasks */

static void append(packing *k, const wlu_solve_task *task, int64_t count)
{
    for (int64_t q = 0; q < count; q++) k->task[k->tasks++] = task[q];
}

/* Bundles before the region, the region, bundles behind it. */
static warplu_status pack_tasks(packing *k)
{
    wlu_task_list before = {0}, after = {0};
    warplu_status status = wlu_runs_cut(k->ctx, &k->first, WLU_TASK_BEFORE, slots_of(k), &before);
    if (status == WARPLU_SUCCESS) status = wlu_runs_cut(k->ctx, &k->last, WLU_TASK_AFTER, slots_of(k), &after);
    if (status == WARPLU_SUCCESS) {
        k->task = WLU_ALLOC(k->ctx, before.count + k->sweep.tasks + after.count, wlu_solve_task);
        if (k->task == NULL) status = wlu_fail_memory(k->ctx, "tasks of the solve for the device");
    }
    if (status == WARPLU_SUCCESS) {
        append(k, before.task, before.count);
        append(k, k->sweep.task, k->sweep.tasks);
        append(k, after.task, after.count);
    }
    wlu_task_list_free(k->ctx, &before);
    wlu_task_list_free(k->ctx, &after);
    return status;
}

/* ------------------------------------------------------------------ image */

static warplu_status assemble(packing *k, wlu_solve_image *out)
{
    const wlu_program *p = k->p;
    const wlu_sweep *w = &k->sweep;
    int64_t n = p->n, m = w->tiled, ends = m > 0 ? m + 1 : 0;
#define PIECE(name, array, count) {offsetof(wlu_device_solve, name), array, (count) * (int64_t)sizeof *(array)}
    wlu_piece list[] = {
        PIECE(before.bundle, k->first.bundle, k->first.bundles),
        PIECE(before.record, k->first.record, k->first.records),
        PIECE(before.operand, k->first.operand, 2 * WLU_WARP * k->first.rows),
        PIECE(before.load_source, k->t->load.source, n),
        PIECE(before.load_power, k->load_power, n),
        PIECE(after.bundle, k->last.bundle, k->last.bundles),
        PIECE(after.record, k->last.record, k->last.records),
        PIECE(after.operand, k->last.operand, 2 * WLU_WARP * k->last.rows),
        PIECE(index, k->t->index, n),
        PIECE(power, k->power, n),
        PIECE(task, k->task, k->tasks),
        PIECE(tile, w->tile, w->tiles),
        PIECE(target, w->target, w->targets),
        PIECE(pull, w->pull, w->pulls),
        PIECE(forward, w->forward, ends),
        PIECE(back, w->back, ends),
        PIECE(tile_y, w->tile_y, m),
        PIECE(tile_x, w->tile_x, m),
        PIECE(start, w->start, 2 * m),
    };
#undef PIECE
    warplu_status status = wlu_block_fill(k->ctx, list, (int)(sizeof list / sizeof *list), &out->block);
    if (status < 0) return status;
    out->solve = (wlu_device_solve){.before.bundles = (int32_t)k->first.bundles,
                                    .after.bundles = (int32_t)k->last.bundles,
                                    .n = p->n,
                                    .tasks = (int32_t)k->tasks,
                                    .tiles = (int32_t)w->tiles,
                                    .tiled = (int32_t)m,
                                    .split = (int32_t)p->y,
                                    .slots = (int32_t)(slots_of(k) - p->y),
                                    .x = (int32_t)(p->x - p->y),
                                    .z = (int32_t)(p->nslots - p->y),
                                    .zero = (int32_t)(p->zero - p->y)};
    wlu_block_place(&out->block, out->block.memory, &out->solve);
    return WARPLU_SUCCESS;
}

static void free_packing(packing *k)
{
    void *owned[] = {k->load_power, k->power, k->task};
    wlu_sweep_free(k->ctx, &k->sweep);
    wlu_packer_free(&k->before);
    wlu_packer_free(&k->after);
    wlu_stream_image_free(k->ctx, &k->first);
    wlu_stream_image_free(k->ctx, &k->last);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) wlu_free(k->ctx, owned[i]);
}

warplu_status wlu_device_pack_solve(wlu_context *ctx, const wlu_program *program, wlu_stream_kind kind, wlu_solve_image *out)
{
    packing k = {.ctx = ctx,
                 .p = program,
                 .t = kind == WLU_STREAM_SOLVE ? &program->solve : &program->transposed,
                 .before = {.ctx = ctx},
                 .after = {.ctx = ctx}};
    *out = (wlu_solve_image){0};
    int64_t most = program->nslots + 4 * (int64_t)program->tiles.m + program->n; /* both kinds of unknowns, partial results, slots apart */
    if (most > INT32_MAX)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "%lld slots exceed the 32-bit slot width", (long long)most);
    warplu_status status = wlu_sweep_pack(ctx, program, k.t, &k.sweep);
    if (status == WARPLU_SUCCESS) status = pack_streams(&k);
    if (status == WARPLU_SUCCESS) status = pack_tasks(&k);
    if (status == WARPLU_SUCCESS) status = assemble(&k, out);
    free_packing(&k);
    if (status < 0) wlu_solve_image_free(ctx, out);
    return status;
}

void wlu_solve_image_free(wlu_context *ctx, wlu_solve_image *image)
{
    wlu_block_free(ctx, &image->block);
    *image = (wlu_solve_image){0};
}

wlu_device_solve wlu_device_place_solve(const wlu_solve_image *image, const void *base)
{
    wlu_device_solve placed = image->solve;
    wlu_block_place(&image->block, base, &placed);
    return placed;
}
