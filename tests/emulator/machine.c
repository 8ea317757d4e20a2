/* Emulated devices made and freed. See machine.h. O(slots + residents' panels). */
#include "emulator/tasks.h"

/* as: what is set is what it replays. */
static warplu_status create(wlu_context *ctx, const wlu_machine *as, const wlu_block *block, wlu_machine **out)
{
    wlu_machine *m = *out = WLU_ALLOC(ctx, 1, wlu_machine);
    if (m == NULL) return wlu_fail_memory(ctx, "emulated device");
    *m = *as;
    int64_t slots = m->slots, words = slots * m->lanes->doubles, residents = m->mode.residents,
            takings = m->solve != NULL ? wlu_machine_takings(m->solve) : 0;
    m->random = m->mode.seed;
    m->owner = WLU_ALLOC(ctx, slots, int32_t);
    m->taken = WLU_ALLOC(ctx, takings, int32_t);
    m->writer = WLU_ALLOC(ctx, words, int32_t);
    m->written = WLU_ALLOC(ctx, words, uint64_t);
    m->next = WLU_ALLOC(ctx, words, int32_t);
    m->due = WLU_ALLOC(ctx, m->mode.delay + 1, int32_t);
    m->block = WLU_CALLOC(ctx, residents, wlu_emulated_block);
    m->warp = WLU_CALLOC(ctx, residents * m->mode.warps, wlu_emulated_warp);
    m->panels = WLU_ALLOC(ctx, residents * wlu_machine_panel(m), wlu_lane_number);
    m->places = WLU_ALLOC(ctx, residents * wlu_machine_places(m), wlu_lane_bits);
    if (!m->owner || !m->taken || !m->writer || !m->written || !m->next || !m->due || !m->block || !m->warp ||
        !m->panels || !m->places) {
        wlu_machine_free(ctx, out);
        return wlu_fail_memory(ctx, "emulated device");
    }
    wlu_machine_survey(m, block);
    m->broken = m->status;
    return WARPLU_SUCCESS;
}

warplu_status wlu_machine_create(wlu_context *ctx, const wlu_device_program *p, const wlu_block *block, int64_t values,
                                 const wlu_lanes *lanes, const wlu_emulate_mode *mode, wlu_machine **out)
{
    const wlu_machine as = {.program = p,
                            .stream = &p->dot,
                            .queue = p->tiles,
                            .slots = p->slots,
                            .zero = p->zero,
                            .minus_one = p->minus_one,
                            .mode = *mode,
                            .lanes = lanes,
                            .values = values};
    return create(ctx, &as, block, out);
}

warplu_status wlu_machine_create_solve(wlu_context *ctx, const wlu_device_solve *d, const wlu_block *block,
                                       const wlu_lanes *lanes, const wlu_emulate_mode *mode, wlu_machine **out)
{
    const wlu_machine as = {.solve = d,
                            .stream = &d->stream,
                            .queue = d->tasks,
                            .slots = d->slots,
                            .zero = d->zero,
                            .minus_one = d->minus_one,
                            .split = d->split,
                            .mode = *mode,
                            .lanes = lanes,
                            .values = lanes->doubles * (int64_t)d->n};
    return create(ctx, &as, block, out);
}

void wlu_machine_free(wlu_context *ctx, wlu_machine **out)
{
    wlu_machine *m = *out;
    *out = NULL;
    if (m == NULL) return;
    void *owned[] = {m->owner, m->taken, m->writer, m->written, m->next, m->due,
                     m->block, m->warp,  m->panels, m->places,  m};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
}
