/* Packing of a solve: bundles of its stream with the right-hand side's loads and the solution's stores, the regions'
 * tile paths (pack_tile_solve.h), and the queue of all their tasks (pack_narrow.h). O(program) time. */
#include "exec/device/pack.h"

#include <stddef.h>

#include "base/power.h"
#include "exec/device/pack_guards.h"
#include "exec/device/pack_narrow.h"
#include "exec/device/pack_tile_solve.h"

enum { SLOTS_A_BUNDLE = 256 };

typedef struct packing {
    wlu_context *ctx;
    const wlu_program *p;
    const wlu_triangular *t;
    wlu_device_packer packer;
    wlu_stream_image stream;
    int64_t *segment; /* regions + 2: first record of each segment of the stream, then first bundle; and their number */
    wlu_task_list bundle_tasks;
    wlu_tile_solve sweep;
    wlu_solve_task *task; /* room */
    int64_t tasks;
} packing;

/* Slots there are: of the program, and behind them. */
static int64_t slots_of(const packing *k)
{
    return k->p->nslots + 2 * (int64_t)k->sweep.tiled + k->sweep.partial;
}

/* ---------------------------------------------------------------- streams */

static int is_computed(const packing *k, int32_t slot)
{
    return wlu_packer_at(&k->packer, slot) >= 0;
}

/* Starts from the right-hand side where no record computes the start slot. */
static void settle_records(packing *k)
{
    const wlu_loads *load = &k->t->load;
    for (int64_t r = 0; r < k->packer.count; r++) {
        wlu_device_instruction *x = &k->packer.record[r].record;
        int64_t at = x->start - load->first;
        int in_place = (x->flags & WLU_RECORD_FROM_SLOT) == 0;
        if (at < 0 || at >= load->count || (!in_place && is_computed(k, x->start))) {
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

/* Records stand segment by segment, and so do bundles; those of loads are of the first, those of stores of the last. */
static void find_bundles(packing *k)
{
    const wlu_stream_image *s = &k->stream;
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
    warplu_status status = wlu_packer_create(k->ctx, p, &t->stream, p->y, &k->packer);
    k->segment = WLU_CALLOC(k->ctx, (int64_t)t->regions + 2, int64_t);
    if (status == WARPLU_SUCCESS && k->segment == NULL) status = wlu_fail_memory(k->ctx, "segments of the solve");
    if (status < 0) return status;
    for (int32_t r = 0; r <= t->regions; r++) {
        wlu_packer_add(&k->packer, &t->stream, wlu_segment_begin(t, r), wlu_segment_begin(t, r + 1));
        k->segment[r + 1] = k->packer.count;
    }
    settle_records(k);
    int64_t loads = cut_loads(k, NULL), stores = ((int64_t)p->n + SLOTS_A_BUNDLE - 1) / SLOTS_A_BUNDLE;
    status = wlu_packer_bundle(&k->packer, loads, stores, &k->stream);
    if (status < 0) return status;
    cut_loads(k, k->stream.bundle);
    cut_stores(k, k->stream.bundle + k->stream.bundles - stores, stores);
    find_bundles(k);
    return wlu_narrow_cut(k->ctx, &k->stream, k->segment, t->regions + 1, &k->bundle_tasks);
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
    int64_t next = 0, swept = 0;
    for (int32_t r = 0; r <= k->t->regions; r++) {
        int64_t end = next;
        while (end < bundles->count && bundles->task[end].first < k->segment[r + 1]) end++;
        append(k, bundles->task, &next, end);
        if (r < k->t->regions) append(k, k->sweep.task, &swept, k->sweep.end[r]);
    }
}

/* ------------------------------------------------------------------ image */

/* The block, with what is somewhere else. */
static warplu_status assemble(packing *k, wlu_solve_image *out)
{
    const wlu_program *p = k->p;
    const wlu_tile_solve *w = &k->sweep;
    int64_t n = p->n, m = w->tiled, ends = m > 0 ? m + 1 : 0;
#define PIECE(name, array, count) WLU_PIECE(wlu_device_solve, name, array, count)
#define ROOM(name, element, count) WLU_PIECE_ROOM(wlu_device_solve, name, element, count)
    const wlu_piece list[] = {
        PIECE(stream.bundle, k->stream.bundle, k->stream.bundles),
        ROOM(stream.record, wlu_device_instruction, k->stream.records),
        ROOM(stream.operand, int32_t, 2 * WLU_WARP * k->stream.rows),
        PIECE(stream.load_source, k->t->load.source, n),
        ROOM(stream.load_power, uint16_t, n),
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
    out->solve = (wlu_device_solve){.stream.bundles = (int32_t)k->stream.bundles,
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
#define ROOM(name) wlu_block_room(block, offsetof(wlu_device_solve, name))
    k->stream.record = ROOM(stream.record);
    k->stream.operand = ROOM(stream.operand);
    k->task = ROOM(task);
    wlu_write_powers(k->t->load.scale, k->t->load.count, ROOM(stream.load_power));
    wlu_write_powers(k->t->scale, p->n, ROOM(power));
#undef ROOM
    put_tasks(k);
    wlu_packer_write(&k->packer, &k->stream);
    return wlu_narrow_share(k->ctx, &k->stream, &k->bundle_tasks, p->y, slots_of(k) - p->y);
}

static void free_packing(packing *k)
{
    wlu_tile_solve_free(k->ctx, &k->sweep);
    wlu_packer_free(&k->packer);
    wlu_task_list_free(k->ctx, &k->bundle_tasks);
    wlu_free(k->ctx, k->stream.bundle);
    wlu_free(k->ctx, k->segment);
}

warplu_status wlu_device_pack_solve(wlu_context *ctx, const wlu_program *program, wlu_stream_kind kind,
                                    wlu_solve_image *out)
{
    packing k = {.ctx = ctx, .p = program, .t = wlu_program_solve(program, kind), .packer = {.ctx = ctx}};
    *out = (wlu_solve_image){0};
    int64_t most =
        program->nslots + 4 * (int64_t)wlu_lu_of(program)->tiles.m; /* both kinds of unknowns, partial results */
    if (most > INT32_MAX)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "%lld slots exceed the 32-bit slot width", (long long)most);
    warplu_status status = wlu_tile_solve_pack(ctx, program, k.t, &k.sweep);
    if (status == WARPLU_SUCCESS) status = pack_stream(&k);
    if (status == WARPLU_SUCCESS) status = assemble(&k, out);
    if (status == WARPLU_SUCCESS) status = write_pieces(&k, &out->block);
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
