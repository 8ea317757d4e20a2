/* The batch executor `cuda`: 16 members in half the lanes of a warp, a thread block for each group of 16
 * (exec/device/groups.h, cuda/batch.cu).
 *
 * A state has one allocation on the device: the numbers of as many members as the device works on at once (`lanes`),
 * those of members whose factors are kept, a group for lanes that have no member, and what jobs of the host have on
 * their way. Slots of solves are apart, for a transposed solve may need more of them. Job by job nothing is allocated:
 * a job of more members than there are lanes is chunks of them. */
#include "exec/batch/cuda_state.h"

#include "exec/device/copies.h"
#include "exec/residual/rows_image.h"

#include <stddef.h>

enum { LANES = WLU_GROUP_LANES, WARPS = WLU_GROUP_WARPS };

/* Numbers on their way, of a room; what the device works on, at most: more gains nothing. */
#define TRANSIT_BYTES (INT64_C(64) << 20)
#define WORK_BYTES (INT64_C(16) << 30)

_Static_assert(sizeof(wlu_group_result) == sizeof(wlu_member_result) &&
                   offsetof(wlu_group_result, refined) == offsetof(wlu_member_result, refined) &&
                   offsetof(wlu_group_result, largest) == offsetof(wlu_member_result, largest) &&
                   offsetof(wlu_group_result, least) == offsetof(wlu_member_result, least),
               "what a device tells of a member is what the contract has");

/* ------------------------------------------------------------------ images */

static warplu_status upload(wlu_context *ctx, wlu_batch_device_state *s, int k, const wlu_upload *list, int count)
{
    warplu_status status = wlu_cuda_upload(ctx, list, count, &s->image[k]);
    if (status == WARPLU_SUCCESS) s->base.bytes += wlu_upload_bytes(list, count);
    return status;
}

/* A solve with the rows for its residuals. */
static warplu_status pack_solve(wlu_context *ctx, wlu_batch_device_state *s, int k, wlu_upload *solve, wlu_upload *rows)
{
    wlu_rows_image image = {0};
    solve->structure = &s->solve[k];
    rows->structure = &s->rows[k];
    warplu_status status = wlu_group_pack_solve(ctx, s->flat, &s->flat->solve[k], WARPS, &s->solve[k], &solve->block);
    if (status < 0) return status;
    status = wlu_rows_image_pack(ctx, s->base.program, k == 0 ? WLU_STREAM_SOLVE : WLU_STREAM_SOLVE_TRANSPOSED, &image);
    s->rows[k] = image.rows;
    rows->block = image.block;
    return status;
}

/* Of a number in doubles; of a slot. */
static int64_t wide_bytes(const wlu_batch_device_state *s)
{
    return 8 * (int64_t)s->base.program->doubles;
}

static int64_t slot_bytes(const wlu_batch_device_state *s)
{
    return s->single ? 4 : wide_bytes(s);
}

/* Slots of solves, where this one needs more than there are. */
static warplu_status make_own(wlu_context *ctx, wlu_batch_device_state *s, int k)
{
    int64_t slots = wlu_group_slots(&s->flat->solve[k].stream, s->flat->solve[k].own + 3),
            lane_bytes = s->lanes * slot_bytes(s);
    wlu_cu_address made = 0;
    if (slots <= s->work.own_slots) return WARPLU_SUCCESS;
    warplu_status status = WLU_CUDA(ctx, alloc, &made, (size_t)(slots * lane_bytes));
    if (status < 0) return status;
    if (s->own != 0) wlu_cuda.free(s->own);
    s->base.bytes += (slots - s->work.own_slots) * lane_bytes;
    s->own = made;
    s->work.own = wlu_cuda_pointer(made);
    s->work.own_slots = slots;
    return status;
}

enum { FACTOR, GATHER, SOLVE, ROWS, IMAGES };

/* The factorization and the solve. */
static warplu_status load(wlu_context *ctx, wlu_batch_device_state *s)
{
    wlu_upload list[IMAGES] = {{.structure = &s->factor}, {.structure = &s->gather}};
    warplu_status status = wlu_group_pack_factor(ctx, s->flat, WARPS, &s->factor, &list[FACTOR].block);
    if (status == WARPLU_SUCCESS) status = wlu_group_pack_gather(ctx, s->base.program, &s->gather, &list[GATHER].block);
    if (status == WARPLU_SUCCESS) status = pack_solve(ctx, s, 0, &list[SOLVE], &list[ROWS]);
    if (status == WARPLU_SUCCESS) status = upload(ctx, s, 0, list, IMAGES);
    for (int k = 0; k < IMAGES; k++) wlu_block_free(ctx, &list[k].block);
    return status;
}

static warplu_status load_transposed(wlu_context *ctx, wlu_batch_device_state *s)
{
    wlu_upload list[2] = {0};
    warplu_status status = pack_solve(ctx, s, 1, &list[0], &list[1]);
    if (status == WARPLU_SUCCESS) status = upload(ctx, s, 1, list, 2);
    for (int k = 0; k < 2; k++) wlu_block_free(ctx, &list[k].block);
    return status;
}

static warplu_status add_transposed_within(wlu_context *ctx, wlu_batch_device_state *s)
{
    warplu_status status = wlu_cuda_settle(ctx, s->elsewhere);
    if (status == WARPLU_SUCCESS) status = make_own(ctx, s, 1);
    return status == WARPLU_SUCCESS && s->image[1] == 0 ? load_transposed(ctx, s) : status;
}

static warplu_status add_transposed(wlu_context *ctx, wlu_batch_state *state)
{
    wlu_batch_device_state *s = (wlu_batch_device_state *)state;
    warplu_status status = wlu_cuda_enter(ctx, &s->device->on);
    return status < 0 ? status : wlu_cuda_leave(ctx, add_transposed_within(ctx, s));
}

/* ----------------------------------------------------------------- numbers */

static int64_t rounded(int64_t members)
{
    return (members + LANES - 1) / LANES * LANES;
}

/* Parts of the block from this address on; returns the address behind them. */
static wlu_cu_address place(wlu_batch_device_state *s, wlu_cu_address at)
{
    wlu_group_work *w = &s->work;
    int64_t rooms = s->lanes + rounded(s->base.places) + LANES, wide = wide_bytes(s);
    w->v = wlu_cuda_take(&at, rooms * w->slots * slot_bytes(s));
    w->entries = wlu_cuda_take(&at, rooms * w->numbers * wide);
    w->health = wlu_cuda_take(&at, rooms * (int64_t)sizeof *w->health);
    double **side[] = {&w->b, &w->x[0], &w->x[1], &w->r};
    for (size_t k = 0; k < sizeof side / sizeof *side; k++)
        *side[k] = wlu_cuda_take(&at, wide * s->lanes * (int64_t)w->n);
    w->outcome = wlu_cuda_take(&at, s->lanes * (int64_t)sizeof *w->outcome);
    w->side = wlu_cuda_take(&at, s->lanes * (int64_t)sizeof *w->side);
    return at;
}

/* The same of what is on its way in a room, on the device or pinned. */
static wlu_cu_address place_transit(const wlu_batch_device_state *s, wlu_batch_transit *t, wlu_cu_address at)
{
    int64_t wide = wide_bytes(s), numbers = wide * s->chunk * (int64_t)s->work.n;
    t->values = wlu_cuda_take(&at, wide * s->chunk * (int64_t)s->base.program->nvalues);
    t->b = wlu_cuda_take(&at, numbers);
    t->x = wlu_cuda_take(&at, numbers);
    t->place = wlu_cuda_take(&at, s->chunk * (int64_t)sizeof *t->place);
    t->result = wlu_cuda_take(&at, s->chunk * (int64_t)sizeof *t->result);
    return at;
}

/* Bytes of a lane; of a member on its way. */
static int64_t lane_bytes(const wlu_batch_device_state *s)
{
    int64_t slots = s->work.slots + s->flat->solve[0].own + s->flat->solve[1].own;
    return slots * slot_bytes(s) + wide_bytes(s) * (s->work.numbers + 4 * (int64_t)s->work.n) +
           (int64_t)(sizeof(wlu_health) + sizeof(wlu_group_outcome) + sizeof(wlu_group_side));
}

static int64_t transit_bytes(const wlu_batch_device_state *s)
{
    return wide_bytes(s) * ((int64_t)s->base.program->nvalues + 2 * (int64_t)s->work.n) +
           (int64_t)(sizeof(wlu_group_result) + sizeof(int32_t));
}

/* As many groups as multiprocessors hold, or what half of the free memory has room for beside the members that are
 * kept. */
static warplu_status count_lanes(wlu_context *ctx, wlu_batch_device_state *s)
{
    size_t bytes = 0, all = 0;
    warplu_status status = WLU_CUDA(ctx, memory_info, &bytes, &all);
    if (status < 0) return status;
    int64_t kept = (rounded(s->base.places) + LANES) * lane_bytes(s), left = (int64_t)bytes - kept;
    int64_t most = left / 2 < WORK_BYTES ? left / 2 : WORK_BYTES;
    int64_t lanes = most / lane_bytes(s) / LANES * LANES,
            wanted = (int64_t)LANES * WLU_GROUP_BLOCKS(s->base.program->doubles) * s->device->multiprocessors;
    if (lanes < LANES)
        return wlu_fail(ctx, WARPLU_OUT_OF_MEMORY, "the device has no memory for %lld bytes of batches",
                        (long long)(kept + LANES * lane_bytes(s)));
    s->lanes = (int32_t)(lanes < wanted ? lanes : wanted);
    s->rooms = s->lanes >= WLU_BATCH_ROOMS * LANES ? WLU_BATCH_ROOMS : 1;
    int64_t chunk = TRANSIT_BYTES / transit_bytes(s), fits = s->lanes / s->rooms / LANES * LANES;
    if (chunk > fits) chunk = fits;
    s->chunk = (int32_t)(chunk < LANES ? LANES : chunk / LANES * LANES);
    return status;
}

/* Pinned memory and the device's. */
static warplu_status allocate(wlu_context *ctx, wlu_batch_device_state *s)
{
    wlu_cu_address end = place(s, 0);
    for (int k = 0; k < s->rooms; k++) end = place_transit(s, &s->room[k].device, end);
    warplu_status status = WLU_CUDA(ctx, alloc, &s->block, (size_t)end);
    if (status < 0) return status;
    s->base.bytes += (int64_t)end;
    wlu_cu_address at = place(s, s->block);
    for (int k = 0; k < s->rooms; k++) at = place_transit(s, &s->room[k].device, at);
    wlu_batch_transit none;
    void *on_device;
    size_t bytes = (size_t)place_transit(s, &none, 0);
    status = wlu_cuda_pin(ctx, bytes * (size_t)s->rooms, &s->pinned, &on_device);
    if (s->pinned == NULL) return status;
    at = wlu_cuda_address(s->pinned);
    for (int k = 0; k < s->rooms; k++) at = place_transit(s, &s->room[k].host, at);
    return status;
}

static warplu_status attach(wlu_context *ctx, wlu_batch_device_state *s)
{
    warplu_status status = count_lanes(ctx, s);
    if (status == WARPLU_SUCCESS) status = load(ctx, s);
    for (int k = 0; k < s->rooms && status == WARPLU_SUCCESS; k++)
        status = WLU_CUDA(ctx, stream_create, &s->room[k].stream, WLU_CU_STREAM_NON_BLOCKING);
    if (status == WARPLU_SUCCESS) status = allocate(ctx, s);
    if (status == WARPLU_SUCCESS) status = make_own(ctx, s, 0);
    if (status < 0 || !s->base.program->has_transposed) return status;
    return add_transposed_within(ctx, s);
}

/* -------------------------------------------------------- create, destroy */

static void release(wlu_batch_device_state *s)
{
    wlu_cuda_settle(NULL, s->elsewhere);
    for (int k = 0; k < WLU_BATCH_ROOMS; k++)
        if (s->room[k].stream != NULL) wlu_cuda.stream_destroy(s->room[k].stream);
    wlu_cu_address owned[] = {s->block, s->own, s->image[0], s->image[1]};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        if (owned[k] != 0) wlu_cuda.free(owned[k]);
    if (s->pinned != NULL) wlu_cuda.host_free(s->pinned);
}

static void destroy(wlu_context *ctx, wlu_batch_state **state)
{
    wlu_batch_device_state *s = (wlu_batch_device_state *)*state;
    *state = NULL;
    if (s == NULL) return;
    if (s->device != NULL && wlu_cuda_enter(NULL, &s->device->on) == WARPLU_SUCCESS) {
        release(s);
        wlu_cuda_leave(NULL, WARPLU_SUCCESS);
    }
    wlu_free(ctx, s);
}

/* What all launches have alike. */
static void describe(wlu_batch_device_state *s)
{
    const wlu_program *p = s->base.program;
    s->work = (wlu_group_work){.single = s->single,
                               .n = p->n,
                               .slots = wlu_group_slots(&s->flat->factor, s->flat->count + 1),
                               /* one that nobody reads */ .numbers = s->flat->load.count};
}

static warplu_status create(wlu_context *ctx, const wlu_target *target, const wlu_program *program,
                            const wlu_flat *flat, int32_t places, wlu_team *team, wlu_batch_state **out)
{
    wlu_batch_device_state *s = WLU_CALLOC(ctx, 1, wlu_batch_device_state);
    *out = NULL;
    if (s == NULL) return wlu_fail_memory(ctx, "batch on the device");
    *out = &s->base;
    s->base = (wlu_batch_state){.executor = &wlu_batch_cuda, .program = program, .places = places};
    s->flat = flat;
    s->team = team;
    s->single = wlu_precision_is_single(target->precision);
    describe(s);
    warplu_status status = wlu_cuda_device_find(ctx, target->device, &s->device);
    int numbers = program->doubles > 1 ? WLU_CUDA_COMPLEX : s->single ? WLU_CUDA_SINGLE : WLU_CUDA_DOUBLE;
    unsigned modules = 1u << (WLU_CUDA_BATCH + numbers * WLU_CUDA_OF_NUMBERS);
    modules |= wlu_cuda_wide_module(WLU_CUDA_BATCH_MOVES, program->doubles);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_device_need(ctx, s->device, modules);
    if (status == WARPLU_SUCCESS) {
        s->kernels = &s->device->of[numbers];
        s->movers = wlu_cuda_of_wide(s->device, program->doubles);
        status = wlu_cuda_enter(ctx, &s->device->on);
        if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, attach(ctx, s));
    }
    if (status == WARPLU_SUCCESS) {
        s->work.kept = s->lanes;
        s->work.spare = (int32_t)(s->lanes + rounded(places));
    }
    if (status < 0) destroy(ctx, out);
    return status;
}

const wlu_batch_executor wlu_batch_cuda = {.name = "cuda",
                                           .flat = 1,
                                           .create = create,
                                           .destroy = destroy,
                                           .add_transposed = add_transposed,
                                           .run = wlu_batch_cuda_run,
                                           .device = &wlu_batch_cuda_on_device};
