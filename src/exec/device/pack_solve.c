/* Packing of a solve: bundles of its stream with the right-hand side's loads and the solution's stores, the regions'
 * tile paths (pack_tile_solve.h), and the queue of all their tasks (pack_narrow.h). O(program) time. */
#include "exec/device/pack_solve.h"

#include <stddef.h>

#include "base/power.h"
#include "exec/device/pack_guards.h"
#include "exec/device/pack_narrow.h"
#include "exec/device/pack_tile_solve.h"

typedef struct packing {
    wlu_context *ctx;
    const wlu_program *p;
    const wlu_triangular *t;
    wlu_device_packer packer;
    int64_t *segment; /* regions + 2: first record of each segment of the stream, then first bundle; and their number */
    wlu_task_list bundle_tasks;
    wlu_tile_solve tile_solve;
    wlu_solve_task *task; /* room */
    int64_t tasks;
} packing;

/* Slots there are: of the program, and behind them. */
static int64_t slots_of(const packing *k)
{
    return k->p->nslots + 2 * (int64_t)k->tile_solve.tiled + k->tile_solve.partial;
}

/* ---------------------------------------------------------------- streams */

/* Starts from the right-hand side where no record computes the start slot. */
static void settle_records(packing *k)
{
    const wlu_loads *load = &k->t->load;
    for (int64_t r = 0; r < k->packer.count; r++) {
        wlu_device_instruction *x = &k->packer.record[r].record;
        int64_t at = x->start - load->first;
        int in_place = (x->flags & WLU_RECORD_FROM_SLOT) == 0;
        if (at < 0 || at >= load->count || (!in_place && wlu_packer_at(&k->packer, x->start) >= 0)) {
            x->flags |= WLU_RECORD_FROM_SLOT;
            continue;
        }
        x->flags &= (uint8_t)~WLU_RECORD_FROM_SLOT;
        x->start = load->source[at];
        x->power = wlu_upper_of_power(load->scale[at]);
    }
}

/* Records stand segment by segment, and so do bundles; those of loads are of the first, those of stores of the last. */
static void find_bundles(packing *k)
{
    const wlu_stream_image *s = &k->packer.image;
    int64_t b = 0;
    for (int32_t r = 1; r <= k->t->regions; r++) {
        while (b < s->bundles && (s->bundle[b].shape == WLU_BUNDLE_LOADS ||
                                  (s->bundle[b].shape <= WLU_BUNDLE_WIDE && s->bundle[b].first < k->segment[r])))
            b++;
        k->segment[r] = b;
    }
    k->segment[k->t->regions + 1] = s->bundles;
}

static warplu_status pack_stream(packing *k)
{
    const wlu_program *p = k->p;
    const wlu_triangular *t = k->t;
    warplu_status status = wlu_packer_create(k->ctx, p, &t->stream, &t->load, p->y, &k->packer);
    k->segment = WLU_CALLOC(k->ctx, (int64_t)t->regions + 2, int64_t);
    if (status == WARPLU_SUCCESS && k->segment == NULL) status = wlu_fail_memory(k->ctx, "segments of the solve");
    if (status < 0) return status;
    for (int32_t r = 0; r <= t->regions; r++) {
        wlu_packer_add(&k->packer, &t->stream, wlu_segment_begin(t, r), wlu_segment_begin(t, r + 1));
        k->segment[r + 1] = k->packer.count;
    }
    settle_records(k);
    status = wlu_packer_bundle(&k->packer, WLU_BUNDLE_STORES, p->n);
    if (status < 0) return status;
    find_bundles(k);
    return wlu_narrow_cut(k->ctx, &k->packer.image, wlu_slot_bytes(p), k->segment, t->regions + 1, &k->bundle_tasks);
}

/* ------------------------------------------------------------------ tasks */

/* Tasks that come before task `end` of a list. */
static void append(packing *k, const wlu_solve_task *task, int64_t *next, int64_t end)
{
    while (*next < end) k->task[k->tasks++] = task[(*next)++];
}

/* Each segment's bundles, then the region behind it, or all regions that have none between them. */
static void put_tasks(packing *k)
{
    const wlu_task_list *bundles = &k->bundle_tasks;
    int64_t next = 0, next_of_tiles = 0;
    for (int32_t r = 0; r <= k->t->regions; r++) {
        int64_t end = next;
        while (end < bundles->count && bundles->task[end].first < k->segment[r + 1]) end++;
        append(k, bundles->task, &next, end);
        if (r < k->t->regions) append(k, k->tile_solve.task, &next_of_tiles, k->tile_solve.end[r]);
    }
}

/* ------------------------------------------------------------------ image */

/* The block, with what is somewhere else. */
static warplu_status assemble(packing *k, wlu_device_image *out)
{
    const wlu_program *p = k->p;
    const wlu_tile_solve *w = &k->tile_solve;
    int64_t n = p->n, m = w->tiled, ends = m > 0 ? m + 1 : 0;
#define PIECE(name, array, count) WLU_PIECE(wlu_device_solve, name, array, count)
#define ROOM(name, element, count) WLU_PIECE_ROOM(wlu_device_solve, name, element, count)
    const wlu_piece list[] = {
        WLU_PACKER_PIECES(wlu_device_solve, stream, &k->packer),
        PIECE(index, k->t->index, n),
        ROOM(power, uint16_t, n),
        ROOM(task, wlu_solve_task, k->bundle_tasks.count + w->tasks),
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
#undef ROOM
    warplu_status status = wlu_block_fill(k->ctx, list, (int)(sizeof list / sizeof *list), &out->block);
    if (status < 0) return status;
    out->solve = (wlu_device_solve){.stream.bundles = (int32_t)k->packer.image.bundles,
                                    .n = p->n,
                                    .tasks = (int32_t)(k->bundle_tasks.count + w->tasks),
                                    .tiles = (int32_t)w->tiles,
                                    .tiled = (int32_t)m,
                                    .split = (int32_t)p->y,
                                    .slots = (int32_t)(slots_of(k) - p->y),
                                    .x = (int32_t)(p->x - p->y),
                                    .z = (int32_t)(p->nslots - p->y),
                                    .zero = (int32_t)(p->zero - p->y),
                                    .minus_one = p->minus_one < 0 ? -1 : (int32_t)(p->minus_one - p->y)};
    wlu_block_place(&out->block, out->block.memory, &out->solve);
    return WARPLU_SUCCESS;
}

/* What is made here, into the block. */
static warplu_status write_pieces(packing *k, const wlu_block *block)
{
    const wlu_program *p = k->p;
    k->task = wlu_block_room(block, offsetof(wlu_device_solve, task));
    wlu_write_powers(k->t->scale, p->n, wlu_block_room(block, offsetof(wlu_device_solve, power)));
    put_tasks(k);
    wlu_packer_write(&k->packer, block, offsetof(wlu_device_solve, stream));
    return wlu_narrow_share(k->ctx, &k->packer.image, &k->bundle_tasks, p->y, slots_of(k) - p->y);
}

warplu_status wlu_device_pack_solve(wlu_context *ctx, const wlu_program *program, wlu_stream_kind kind,
                                    wlu_device_image *out)
{
    packing k = {.ctx = ctx, .p = program, .t = wlu_program_solve(program, kind), .packer = {.ctx = ctx}};
    warplu_status status = wlu_slots_check(ctx, program->y + wlu_device_solve_slots(program));
    if (status == WARPLU_SUCCESS) status = wlu_tile_solve_pack(ctx, program, k.t, &k.tile_solve);
    if (status == WARPLU_SUCCESS) status = pack_stream(&k);
    if (status == WARPLU_SUCCESS) status = assemble(&k, out);
    if (status == WARPLU_SUCCESS) status = write_pieces(&k, &out->block);
    wlu_tile_solve_free(ctx, &k.tile_solve);
    wlu_packer_free(&k.packer);
    wlu_task_list_free(ctx, &k.bundle_tasks);
    wlu_free(ctx, k.segment);
    return status;
}
