/* Keeps a large system on a device, and launches its kernel. See resident.h. */
#include "model/system/resident.h"

#include <string.h>

#include "base/clock.h"
#include "model/device/block.h"
#include "model/system/resident_parts.h"

/* Of a launch: steps, so that a run can be cancelled, and waits of all blocks, whose count has 31 bits. */
enum { STEPS_MOST = 1 << 14, WAITS_MOST = 1 << 30 };

struct wlm_resident {
    wlm_resident_plan plan;
    wlm_device_block *block;
    int64_t blocks; /* thread blocks that have something to do */
    int64_t steps;  /* the most of a launch */
    int turns;      /* states that have been exchanged, modulo 2 */
    int has_y;      /* 1: the device's y is the transient's */
};

/* Returns how many thread blocks have something to do. */
static int64_t blocks_of(const wlm_resident_plan *p)
{
    const int64_t most = wlm_tiles_items(&p->tiles);
    return p->shared ? p->tiles.tiles : (most + p->threads - 1) / p->threads;
}

/* Returns the most steps of a launch. A stage waits up to three times behind each pass, and once behind itself. */
static int64_t steps_of(const wlm_resident_plan *p, int64_t blocks)
{
    int64_t waits = blocks * (p->stages * (3 * (int64_t)p->tiles.passes + 1) + 2), steps = WAITS_MOST / waits;
    return steps < 1 ? 1 : steps < STEPS_MOST ? steps : STEPS_MOST;
}

/* Copies what the host has to the block. */
static warplu_status upload(wlm_resident *r)
{
    const wlm_resident_plan *p = &r->plan;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t i = 0; i < p->items && status == WARPLU_SUCCESS; i++)
        status = wlm_device_block_write(r->block, p->item[i].at, p->item[i].host, p->item[i].bytes);
    if (p->tables.numbers == 0 || status != WARPLU_SUCCESS) return status;
    double *table = WLU_ALLOC(p->ctx, p->tables.numbers, double);
    if (table == NULL) return wlu_fail_memory(p->ctx, "tables on a device");
    wlm_device_tables_fill(&p->tables, table);
    status = wlm_device_block_write(r->block, p->lookup, table, p->tables.numbers * (int64_t)sizeof *table);
    wlu_free(p->ctx, table);
    return status;
}

static warplu_status make(wlm_resident *r, const wlm_transient *s, int device)
{
    wlm_ptx text;
    warplu_status status = wlm_device_block_open(s->ctx, device, &r->block);
    if (status == WARPLU_SUCCESS) status = wlm_resident_plan_make(s, wlm_device_block_size(r->block), &r->plan);
    if (status != WARPLU_SUCCESS) return status;
    const wlm_resident_plan *p = &r->plan;
    wlm_ptx_init(&text, s->ctx);
    status = wlm_resident_write(p, &text);
    int32_t shared = p->shared ? p->tiles.numbers * (int32_t)sizeof(double) : 0;
    if (status == WARPLU_SUCCESS)
        status = wlm_device_block_compile(r->block, text.text, WLM_RESIDENT_NAME, p->threads, shared);
    wlm_ptx_free(&text);
    if (status == WARPLU_SUCCESS) status = wlm_device_block_alloc(r->block, p->bytes);
    r->blocks = blocks_of(p);
    r->steps = steps_of(p, r->blocks);
    return status == WARPLU_SUCCESS ? upload(r) : status;
}

warplu_status wlm_resident_create(const wlm_transient *s, int device, wlm_resident **out)
{
    *out = NULL;
    if (s->facts->family != WLM_FAMILY_EXPLICIT && s->facts->family != WLM_FAMILY_GATES)
        return wlu_fail(s->ctx, WARPLU_INVALID_ARGUMENT,
                        "%s with lanes that are instances: expected the executor cpu, or an explicit method",
                        s->facts->name);
    wlm_resident *r = WLU_CALLOC(s->ctx, 1, wlm_resident);
    if (r == NULL) return wlu_fail_memory(s->ctx, "a network on a device");
    r->plan.ctx = s->ctx;
    warplu_status status = make(r, s, device);
    if (status != WARPLU_SUCCESS) wlm_resident_destroy(&r);
    *out = r;
    return status;
}

void wlm_resident_destroy(wlm_resident **resident)
{
    wlm_resident *r = *resident;
    if (r == NULL) return;
    wlu_context *ctx = r->plan.ctx;
    wlm_device_block_destroy(&r->block);
    wlm_resident_plan_free(&r->plan);
    wlu_free(ctx, r);
    *resident = NULL;
}

int wlm_resident_loops(const wlm_resident *resident)
{
    return resident->plan.loops;
}

void wlm_resident_move_on(wlm_resident *resident)
{
    resident->turns ^= 1;
}

void wlm_resident_forget(wlm_resident *resident)
{
    if (resident != NULL) resident->has_y = 0;
}

/* Words of the record, as the kernel leaves them. */
typedef struct record {
    double t, h;
    uint64_t steps, norm, count;
} record;

static int is_bad(const record *found)
{
    return (found->count >> 31 & 1) != 0;
}

static warplu_status send_state(wlm_resident *r, const wlm_transient *s)
{
    if (r->has_y) return WARPLU_SUCCESS;
    return wlm_device_block_write(r->block, r->plan.y[r->turns], s->y, (int64_t)s->n * (int64_t)sizeof(double));
}

/* Says that nothing which the device has is relied on. */
static void lose(wlm_transient *s)
{
    s->resident->has_y = 0;
    s->fresh = 1;
}

/* Launches the kernel for steps of `want`, `most` at most. */
static warplu_status launch(wlm_resident *r, wlm_transient *s, double want, uint32_t most, record *found)
{
    const wlm_resident_plan *p = &r->plan;
    uint64_t at = wlm_device_block_address(r->block), pitch = (uint64_t)s->n * sizeof(double);
    uint64_t y = at + (uint64_t)p->y[r->turns], next = at + (uint64_t)p->y[1 - r->turns];
    uint64_t ends[2] = {at + (uint64_t)p->rates, at + (uint64_t)p->rates + pitch * (uint64_t)(p->stages - 1)};
    uint64_t *first = &ends[p->stages > 1 ? r->turns : 0], *last = &ends[p->stages > 1 ? 1 - r->turns : 0];
    double t = s->t, stop = s->pace.stop, from = s->clock_least, to = s->clock_most;
    uint32_t blocks, known = (uint32_t)!s->fresh;
    void *parameters[] = {&at, &y, &next, first, last, &t, &stop, &want, &from, &to, &most, &blocks, &known};
    *found = (record){0};
    warplu_status status = send_state(r, s);
    if (status == WARPLU_SUCCESS) status = wlm_device_block_write(r->block, p->record, found, sizeof *found);
    if (status == WARPLU_SUCCESS) status = wlm_device_block_launch(r->block, r->blocks, parameters, &blocks);
    if (status == WARPLU_SUCCESS) status = wlm_device_block_read(r->block, p->record, found, sizeof *found);
    r->has_y = 1;
    if (status != WARPLU_SUCCESS) lose(s);
    return status;
}

static warplu_status fetch(const wlm_resident *r, int which, const wlm_transient *s, double *to)
{
    return wlm_device_block_read(r->block, r->plan.y[which], to, (int64_t)s->n * (int64_t)sizeof *to);
}

/* Makes a state of the device the transient's. It is read beside that, which stays where reading fails. */
static warplu_status take(wlm_transient *s, int which)
{
    wlm_resident *r = s->resident;
    double *kept = s->y;
    warplu_status status = fetch(r, which, s, s->next);
    if (status != WARPLU_SUCCESS) {
        lose(s);
        return status;
    }
    r->turns = which;
    s->y = s->next, s->next = kept;
    return WARPLU_SUCCESS;
}

warplu_status wlm_resident_advance(wlm_transient *s, int64_t most, wlm_resident_steps *steps)
{
    wlm_resident *r = s->resident;
    record found;
    int64_t begin = wlu_now_ns();
    warplu_status status = launch(r, s, s->pace.want, (uint32_t)(most < r->steps ? most : r->steps), &found);
    s->statistics.evaluate_ns += (double)(wlu_now_ns() - begin);
    if (status != WARPLU_SUCCESS) return status;
    status = take(s, r->turns ^ (int)(found.steps & 1));
    if (status != WARPLU_SUCCESS) return status;
    *steps = (wlm_resident_steps){(int64_t)found.steps, found.t, found.h};
    s->fresh = s->fresh && found.steps == 0;
    if (is_bad(&found)) status = fetch(r, 1 - r->turns, s, s->next);
    return status == WARPLU_SUCCESS && is_bad(&found) ? WARPLU_NOT_FINITE : status;
}

warplu_status wlm_step_resident(wlm_transient *s, double h, double *norm)
{
    wlm_resident *r = s->resident;
    record found;
    *norm = 0.0;
    s->system->step = h;
    warplu_status status = launch(r, s, h, 1, &found);
    if (status == WARPLU_SUCCESS) status = fetch(r, 1 - r->turns, s, s->next);
    if (status != WARPLU_SUCCESS) return status;
    memcpy(norm, &found.norm, sizeof *norm);
    return wlm_transient_judge(s, 0);
}
