/* What warplu info --executor cuda tells of a device's program, and of the device if there is one. See info.h.
 *
 * Programs are compiled for the device's target and packed as they would be uploaded; nothing here needs a device. */
#include "exec/device/memory.h"
#include "exec/device/pack.h"
#include "solver/solver.h"
#include "info.h"

#include <stdio.h>

warplu_status info_plan_device(const load_setup *setup, warplu_solver **solver)
{
    warplu_options here = setup->options;
    here.executor = WARPLU_EXECUTOR_AUTO;
    here.precision = WARPLU_PRECISION_DOUBLE; /* the program is the same */
    warplu_status status = load_create(setup, &here, solver);
    if (status == WARPLU_SUCCESS) (*solver)->cost = &wlu_cost_cuda; /* replayed here all the same: the bits are equal */
    return status;
}

/* --------------------------------------------------------------- program */

/* Tiles on the longest path of tiles that update each other. */
static warplu_status find_height(wlu_context *ctx, const wlu_tiles *t, int32_t *out)
{
    int32_t *height = WLU_CALLOC(ctx, t->count, int32_t);
    if (height == NULL) return wlu_fail_memory(ctx, "height of the tiles");
    *out = wlu_tiles_heights(t, height);
    wlu_free(ctx, height);
    return WARPLU_SUCCESS;
}

static void report_bundles(facts *f, const wlu_device_stream *s)
{
    static const char *const names[] = {[WLU_BUNDLE_SHORT] = "short",
                                        [WLU_BUNDLE_LONG] = "long",
                                        [WLU_BUNDLE_WIDE] = "wide",
                                        [WLU_BUNDLE_LOADS] = "loads",
                                        [WLU_BUNDLE_GUARDS] = "guards"};
    enum { SHAPES = sizeof names / sizeof names[0] };
    int64_t count[SHAPES] = {0};
    for (int32_t k = 0; k < s->bundles; k++) count[s->bundle[k].shape]++;
    facts_section(f, "bundles");
    for (int k = 0; k < SHAPES; k++) facts_int(f, names[k], count[k]);
    facts_section_end(f);
}

/* A part of a whole; 1 where there is none. */
static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 1.0;
}

static void report_image(facts *f, const warplu_statistics *t, const wlu_device_image *im, int64_t solve_bytes)
{
    const wlu_device_program *p = &im->program;
    facts_int(f, "bundled_records", im->records);
    facts_real(f, "filled_lanes", share(im->records, im->lanes));
    facts_int(f, "bundled_terms", im->terms);
    facts_real(f, "filled_pairs", share(im->terms, im->padded_terms));
    facts_int(f, "tiles", p->tiles);
    facts_int(f, "largest_panel_bytes", WLU_PANEL_BYTES((int64_t)sizeof(double), p->panel_rows));
    facts_int(f, "slots", p->slots);
    facts_int(f, "image_bytes", im->block.bytes);
    facts_real(f, "bytes_per_term", t->terms > 0 ? (double)im->block.bytes / (double)t->terms : 0.0);
    facts_int(f, "solve_image_bytes", solve_bytes);
}

warplu_status info_device_program(facts *f, wlu_context *ctx, const warplu_solver *solver)
{
    const wlu_program *p = wlu_solver_program(solver);
    wlu_device_image im = {0};
    wlu_device_image solve = {0};
    int32_t height = 0;
    warplu_statistics t = {.size = sizeof t};
    warplu_get_statistics(solver, &t);
    warplu_status status = wlu_device_pack(ctx, p, WLU_STREAM_FACTOR, &im);
    if (status == WARPLU_SUCCESS) status = wlu_device_pack(ctx, p, WLU_STREAM_SOLVE, &solve);
    if (status == WARPLU_SUCCESS) status = find_height(ctx, &wlu_lu_of(p)->tiles, &height);
    facts_section(f, "device_program");
    if (status < 0) facts_text(f, "skipped", ctx->last_message);
    if (status == WARPLU_SUCCESS) {
        facts_int(f, "levels", p->dot.nlevels);
        facts_int(f, "tile_height", height);
        report_image(f, &t, &im, solve.block.bytes);
        facts_real(f, "predicted_refactor_ms", t.predicted_refactor_ns / 1e6);
        facts_real(f, "path_ms", p->path_ns / 1e6);
        report_bundles(f, &im.program.dot);
    }
    facts_section_end(f);
    wlu_device_image_free(ctx, &im);
    wlu_device_image_free(ctx, &solve);
    return status;
}

/* ---------------------------------------------------------------- device */

static void report_device(facts *f, const wlu_device_facts *d)
{
    char text[32];
    facts_text(f, "name", d->name);
    snprintf(text, sizeof text, "%d.%d", d->major, d->minor);
    facts_text(f, "compute_capability", text);
    facts_int(f, "multiprocessors", d->multiprocessors);
    facts_int(f, "memory_bytes", d->memory_bytes);
    snprintf(text, sizeof text, "%d.%d", d->driver / 1000, d->driver % 1000 / 10);
    facts_text(f, "driver_for_cuda", text);
}

void info_device(facts *f)
{
    const wlu_device_memory *memory = &wlu_device_memory_cuda;
    const void *device;
    wlu_device_facts found;
    wlu_context quiet; /* a machine without a device is no failure */
    wlu_context_init(&quiet, NULL);
    warplu_status status = memory->open(&quiet, 0, &device);
    if (status == WARPLU_SUCCESS) status = memory->describe(&quiet, device, &found);
    facts_section(f, "device");
    facts_text(f, "status", warplu_status_name(status));
    if (status < 0)
        facts_text(f, "message", quiet.last_message);
    else
        report_device(f, &found);
    facts_section_end(f);
}
