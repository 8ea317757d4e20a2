/* The emulated device as the kernels. See by_emulator.h. */
#include "by_emulator.h"

#include "by_batch.h"
#include "by_levels.h"
#include "emulator/machine.h"
#include "exec/residual/refine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fake_cuda *by_emulator_open(void (*launch)(const fake_cuda_launch *launch, void *user), void *user)
{
    fake_cuda_state_fn *state;
    void *library = dlopen(FAKE_CUDA_PATH, RTLD_NOW),
         *symbol = library != NULL ? dlsym(library, "fake_cuda_state") : NULL;
    memcpy(&state, &symbol, sizeof state);
    if (symbol == NULL || setenv("WARPLU_LIBCUDA", FAKE_CUDA_PATH, 1) != 0) return NULL;
    state()->launch = launch;
    state()->user = user;
    return state();
}

double *by_emulator_on_device(const double *x)
{
    return (double *)((uintptr_t)x + FAKE_CUDA_APART);
}

void *by_emulator_on_host(const void *x)
{
    return (void *)((uintptr_t)x - FAKE_CUDA_APART);
}

/* Pointers of a struct become the host's. */
static void bring(void *pointers, int count)
{
    for (int k = 0; k < count; k++) {
        char *at = (char *)pointers + (size_t)k * sizeof(void *);
        void *device;
        memcpy(&device, at, sizeof device);
        if ((uintptr_t)device >= FAKE_CUDA_APART) device = by_emulator_on_host(device);
        memcpy(at, &device, sizeof device);
    }
}

void by_emulator_bring(void *pointers, int count)
{
    bring(pointers, count);
}

static void bring_stream(wlu_device_stream *d)
{
    bring(&d->bundle, 1);
    bring(&d->record, 1);
    bring(&d->operand, 1);
    bring(&d->load_source, 1);
    bring(&d->load_power, 1);
}

static void bring_program(wlu_device_program *p)
{
    bring_stream(&p->dot);
    bring(&p->tile, 1);
    bring(&p->load, 1);
    bring(&p->source, 1);
    bring(&p->target, 1);
    bring(&p->guards.a_source, 1);
    bring(&p->guards.a_scale, 1);
    bring(&p->guards.row_scale, 1);
    bring(&p->guards.u_column, 1);
    bring(&p->guards.tile_column, 1);
}

static void bring_solve(wlu_device_solve *d)
{
    bring_stream(&d->stream);
    bring(&d->task, 1);
    bring(&d->tile, 1);
    bring(&d->target, 1);
    bring(&d->pull, 1);
    bring(&d->forward, 1);
    bring(&d->back, 1);
    bring(&d->tile_y, 1);
    bring(&d->tile_x, 1);
    bring(&d->start, 1);
    bring(&d->index, 1);
    bring(&d->power, 1);
}

static void bring_state(wlu_device_state *s)
{
    bring(s->v, 2);
    bring(&s->umax, 1);
    bring(&s->source, 1);
    bring(&s->control, 1);
    bring(&s->health, 1);
    bring(s->refined, 2);
}

/* warps: of those blocks that work on bundles. */
static wlu_emulate_mode mode_of(by_emulator *e, unsigned grid, uint32_t bundle_blocks, uint32_t warps)
{
    return (wlu_emulate_mode){.seed = ++e->seed,
                              .blocks = (int32_t)grid,
                              .residents = (int32_t)(grid < 3 ? grid : 3),
                              .bundle_blocks = (int32_t)bundle_blocks,
                              .warps = (int32_t)warps,
                              .delay = 9};
}

static void judge(by_emulator *e, wlu_context *ctx, wlu_machine **machine, warplu_status status)
{
    if (status < 0) {
        printf("# emulated: %s\n", *machine != NULL ? (*machine)->message : "no machine");
        e->wrong++;
    }
    wlu_machine_free(ctx, machine);
}

static const char *const kernels[BY_EMULATOR_KERNELS] = {"wlu_tile_flow",
                                                         "wlu_tile_flow_single",
                                                         "wlu_solve",
                                                         "wlu_solve_single",
                                                         "wlu_solve_early",
                                                         "wlu_solve_early_single",
                                                         "wlu_tile_flow_complex",
                                                         "wlu_solve_complex",
                                                         "wlu_solve_early_complex",
                                                         "wlu_refine_complex",
                                                         "wlu_refine_early_complex",
                                                         "wlu_refine_begin_complex",
                                                         "wlu_levels_load",
                                                         "wlu_levels_load_single",
                                                         "wlu_levels_vector",
                                                         "wlu_levels_vector_single",
                                                         "wlu_levels_guard",
                                                         "wlu_levels_guard_single",
                                                         "wlu_levels_store",
                                                         "wlu_levels_store_single",
                                                         "wlu_gather",
                                                         "wlu_refine",
                                                         "wlu_refine_early",
                                                         "wlu_refine_begin",
                                                         "wlu_refine_single",
                                                         "wlu_refine_early_single",
                                                         "wlu_refine_begin_single",
                                                         "wlu_batch_refactor",
                                                         "wlu_batch_refactor_single",
                                                         "wlu_batch_substitute",
                                                         "wlu_batch_substitute_single",
                                                         "wlu_batch_refactor_complex",
                                                         "wlu_batch_substitute_complex",
                                                         "wlu_batch_in_complex",
                                                         "wlu_batch_out_complex",
                                                         "wlu_batch_look_complex",
                                                         "wlu_batch_deliver_complex",
                                                         "wlu_batch_results_complex",
                                                         "wlu_batch_in",
                                                         "wlu_batch_out",
                                                         "wlu_batch_look",
                                                         "wlu_batch_deliver",
                                                         "wlu_batch_results",
                                                         "wlu_batch_pick",
                                                         "wlu_batch_vouch",
                                                         "wlu_batch_copy"};

static void count_launch(by_emulator *e, const char *kernel)
{
    for (int k = 0; k < BY_EMULATOR_KERNELS; k++) e->launches[k] += strcmp(kernels[k], kernel) == 0;
}

/* FP64, FP32, complex. */
enum { KINDS_OF_SLOTS = 3 };

static int kind_of_slots(const wlu_lanes *lanes)
{
    return lanes->doubles > 1 ? 2 : lanes->single;
}

static void count_tasks(by_emulator *e, const wlu_device_solve *solve, int early, const wlu_lanes *lanes)
{
    int64_t *tasks = e->tasks[early][kind_of_slots(lanes)];
    for (int32_t k = 0; k < solve->tasks; k++)
        tasks[solve->task[k].places > 0 ? BY_EMULATOR_RUNS : solve->task[k].kind]++;
}

static const char of_batches[] = "wlu_batch_";

/* Kernels of solvers, of batches, of complex ones, of batches' calls on device pointers, the last ones. */
enum { OF_SOLVERS, OF_BATCHES, OF_COMPLEX_BATCHES, OF_LEDGERS, LEDGER_KERNELS = 3 };

static int kind_of(int kernel)
{
    if (kernel >= BY_EMULATOR_KERNELS - LEDGER_KERNELS) return OF_LEDGERS;
    if (strncmp(kernels[kernel], of_batches, sizeof of_batches - 1) != 0) return OF_SOLVERS;
    return strstr(kernels[kernel], "_complex") != NULL ? OF_COMPLEX_BATCHES : OF_BATCHES;
}

/* Returns how many of these kernels there was no launch of. */
static int tell_kernels(const by_emulator *e, int kind, int64_t *all)
{
    int missed = 0;
    for (int k = 0; k < BY_EMULATOR_KERNELS; k++) {
        if (kind_of(k) != kind) continue;
        printf("# %6lld %s\n", (long long)e->launches[k], kernels[k]);
        missed += e->launches[k] == 0;
        *all += e->launches[k];
    }
    return missed;
}

int by_emulator_tell_batches(const by_emulator *e)
{
    int64_t all = 0;
    return tell_kernels(e, OF_BATCHES, &all);
}

int by_emulator_tell_complex_batches(const by_emulator *e)
{
    int64_t all = 0;
    return tell_kernels(e, OF_COMPLEX_BATCHES, &all);
}

int by_emulator_tell_ledgers(const by_emulator *e)
{
    int64_t all = 0;
    return tell_kernels(e, OF_LEDGERS, &all);
}

int by_emulator_tell(const by_emulator *e)
{
    static const char *const names[BY_EMULATOR_TASKS] = {
        "bundles", "pulls forward", "pulls back", "tile paths forward", "tile paths back", "narrow sections"};
    int64_t all = 0;
    int missed = tell_kernels(e, OF_SOLVERS, &all);
    printf("# %6lld launches; tasks:\n", (long long)all);
    static const char *const slots[KINDS_OF_SLOTS] = {"", ", FP32", ", complex"};
    for (int k = 0; k < 2 * KINDS_OF_SLOTS * BY_EMULATOR_TASKS; k++) {
        int early = k & 1, kind = k / 2 % KINDS_OF_SLOTS, task = k / (2 * KINDS_OF_SLOTS);
        int64_t tasks = e->tasks[early][kind][task];
        printf("# %6lld %s%s%s\n", (long long)tasks, names[task], slots[kind], early ? ", early" : "");
        missed += tasks == 0;
    }
    return missed;
}

static void run_flow(by_emulator *e)
{
    wlu_device_program program = e->program;
    wlu_device_state state = e->state;
    static const int taken[KINDS_OF_SLOTS] = {FAKE_CUDA_TAKEN, FAKE_CUDA_TAKEN_SINGLE, FAKE_CUDA_TAKEN_COMPLEX};
    size_t slot = (size_t)e->lanes->slot_bytes, ring = WLU_TILE_RING_BYTES(slot);
    size_t panel = WLU_PANEL_BYTES(slot, (size_t)program.panel_rows);
    int apart = ring + panel > (size_t)(FAKE_CUDA_SHARED - taken[kind_of_slots(e->lanes)]);
    size_t shared = program.tiles == 0 ? 0 : ring + (apart ? 0 : panel);
    e->wrong += apart != (state.panels != NULL) || e->shared_bytes < shared ||
                (!e->any_grid && e->grid % FAKE_CUDA_MULTIPROCESSORS != 0) ||
                state.bundle_blocks != FAKE_CUDA_MULTIPROCESSORS;
    if (apart) memset(by_emulator_on_host(state.panels), 0x5a, e->grid * panel);
    e->apart += apart;
    bring_program(&program);
    bring_state(&state);
    wlu_context ctx;
    wlu_machine *machine = NULL;
    wlu_emulate_mode mode = mode_of(e, e->grid, state.bundle_blocks, state.bundle_warps);
    wlu_context_init(&ctx, NULL);
    warplu_status status = wlu_machine_create(&ctx, &program, NULL, INT64_MAX, e->lanes, &mode, &machine);
    if (status == WARPLU_SUCCESS) status = wlu_machine_launch(machine, &state);
    judge(e, &ctx, &machine, status);
    for (int k = 0; k < 2 && state.refined[0] != NULL; k++) *state.refined[k] = wlu_refined_none();
    if (e->give_up) {
        state.health->failed = 1;
        state.control->verdict = WLU_DEVICE_VOID;
    }
    e->give_up = 0;
}

/* A launch of solves, as the emulator takes it: of the first right-hand side, then of the next. */
typedef struct solves {
    by_emulator *e;
    const wlu_lanes *lanes;
    int early;
    wlu_device_solve solve;
    wlu_device_state state;
    wlu_solve_of of;
    wlu_emulate_mode mode;
} solves;

static solves begin_solves(by_emulator *e, const fake_cuda_launch *l, int early, const wlu_lanes *lanes)
{
    solves s = {e,
                lanes,
                early,
                *(wlu_device_solve *)l->parameters[0],
                *(wlu_device_state *)l->parameters[1],
                *(wlu_solve_of *)l->parameters[2],
                mode_of(e, l->grid, l->grid, WLU_TILE_THREADS / WLU_WARP)};
    bring_solve(&s.solve);
    bring_state(&s.state);
    bring(s.of.v, 2);
    bring(&s.of.control, 1);
    bring(&s.of.x, 1);
    bring(&s.of.refine, 1);
    bring(s.of.trial, 2);
    e->wrong += (!e->any_grid && l->grid != FAKE_CUDA_MULTIPROCESSORS * FAKE_CUDA_BLOCKS) ||
                l->shared_bytes < (unsigned)WLU_SOLVE_ROOM(lanes->slot_bytes);
    e->wrong += s.solve.slots > s.state.slots;
    return s;
}

static void next_solve(solves *s)
{
    for (int side = 0; side < 2; side++)
        s->state.v[side] = (void *)((char *)s->state.v[side] + (size_t)s->lanes->slot_bytes * (size_t)s->state.slots);
    s->state.source += s->of.ldb;
    s->state.control++;
    s->state.health++;
    s->of.x += s->of.ldx;
    if (s->of.refine == NULL) return;
    for (int turn = 0; turn < 2; turn++) s->of.trial[turn] += s->lanes->doubles * (int64_t)s->solve.n;
    s->of.refine++;
}

/* For the right-hand side at `source`. */
static void solve_one(solves *s, const double *source)
{
    wlu_context ctx;
    wlu_machine *machine = NULL;
    wlu_device_state state = s->state;
    wlu_context_init(&ctx, NULL);
    state.source = source;
    if (s->of.refine != NULL) state.scale = s->of.refine->down;
    warplu_status status = wlu_machine_create_solve(&ctx, &s->solve, NULL, s->lanes, &s->mode, &machine);
    if (status == WARPLU_SUCCESS) status = wlu_machine_solve(machine, &state, &s->of);
    judge(s->e, &ctx, &machine, status);
    s->e->solves++;
    count_tasks(s->e, &s->solve, s->early, s->lanes);
}

static void run_solve(by_emulator *e, const fake_cuda_launch *l, int early, const wlu_lanes *lanes)
{
    solves s = begin_solves(e, l, early, lanes);
    e->wrong += s.of.refine != NULL;
    for (unsigned k = 0; k < l->grid_y; k++) {
        solve_one(&s, s.state.source);
        next_solve(&s);
    }
}

static void bring_refine(wlu_device_refine *f)
{
    bring(&f->entries, 1);
    bring(&f->kept, 1);
    bring(&f->b, 1);
    bring(&f->out, 1);
    bring(f->x, 2);
    bring(&f->r, 1);
    bring(&f->control, 1);
    bring(&f->factors, 1);
    bring(&f->total, 1);
    bring(&f->told, 1);
    bring(&f->each, 1);
}

static wlu_refine_rows bring_rows(const void *parameter)
{
    wlu_refine_rows rows = *(const wlu_refine_rows *)parameter;
    bring(&rows.begin, 1);
    bring(&rows.column, 1);
    bring(&rows.source, 1);
    bring(&rows.power, 1);
    return rows;
}

static void run_begin(by_emulator *e, const fake_cuda_launch *l)
{
    wlu_refine_rows rows = bring_rows(l->parameters[0]);
    wlu_device_refine f = *(wlu_device_refine *)l->parameters[1];
    bring_refine(&f);
    for (unsigned k = 0; k < l->grid_y; k++) {
        double *r = f.r + rows.doubles * (int64_t)rows.n * k;
        wlu_refine_look(&rows, f.entries, f.b + f.ldb * k, NULL, r, f.single, f.enough, &f.control[k]);
        e->looks++;
    }
}

/* What one right-hand side comes to. */
static void refine_one(solves *s, const wlu_refine_rows *rows, const wlu_device_refine *f, unsigned k)
{
    wlu_refine_control *c = &f->control[k];
    int64_t own = rows->doubles * (int64_t)rows->n * k;
    for (int round = 0; round < f->rounds && !c->ended; round++) {
        solve_one(s, round == 0 ? s->state.source : f->r + own);
        wlu_refine_look(rows, f->entries, f->b + f->ldb * k, f->x[1 - c->at] + own, f->r + own, f->single, f->enough,
                        c);
        s->e->looks++;
    }
}

static void deliver_one(const wlu_device_refine *f, int64_t n, unsigned k)
{
    wlu_refine_control *c = &f->control[k];
    double *const best[2] = {f->x[0] + n * k, f->x[1] + n * k};
    wlu_refine_deliver(c, n, best, f->factors->verdict >= f->withheld || !(c->best <= f->worst), f->out + f->ldx * k);
    f->each[k] = wlu_refined_none();
    wlu_refine_tell(c, &f->each[k]);
    wlu_refine_tell(c, f->total);
    *c = wlu_refine_fresh();
}

static void run_refine(by_emulator *e, const fake_cuda_launch *l, int early, const wlu_lanes *lanes)
{
    solves s = begin_solves(e, l, early, lanes);
    wlu_refine_rows rows = bring_rows(l->parameters[3]);
    wlu_device_refine f = *(wlu_device_refine *)l->parameters[4];
    bring_refine(&f);
    for (int64_t k = 0; f.kept != NULL && k < f.keeps; k++) f.kept[k] = f.entries[k];
    for (unsigned k = 0; k < l->grid_y; k++) {
        refine_one(&s, &rows, &f, k);
        next_solve(&s);
    }
    for (unsigned k = 0; k < l->grid_y; k++) deliver_one(&f, rows.doubles * (int64_t)rows.n, k);
    *f.told = *f.total;
}

static void run_gather(by_emulator *e, const fake_cuda_launch *l)
{
    wlu_device_gather g = *(wlu_device_gather *)l->parameters[0];
    const double *values = by_emulator_on_host(*(const double **)l->parameters[1]);
    double *entries = by_emulator_on_host(*(double **)l->parameters[2]);
    bring(&g.first, 1);
    bring(&g.map, 1);
    for (int64_t k = 0; k < g.doubles * (int64_t)g.entries; k++) {
        const int32_t *first = g.first + k / g.doubles;
        const double *part = values + k % g.doubles;
        entries[k] = part[g.doubles * (int64_t)g.map[*first]];
        for (int32_t q = first[0] + 1; q < first[1]; q++) entries[k] += part[g.doubles * (int64_t)g.map[q]];
    }
    e->gathers++;
}

static int is(const char *kernel, size_t length, const char *name)
{
    return length == strlen(name) && strncmp(kernel, name, length) == 0;
}

/* The name ends so: *length is that of what comes before. */
static int ends_with(const char *kernel, const char *suffix, size_t *length)
{
    size_t end = strlen(suffix), all = strlen(kernel);
    int ends = all > end && strcmp(kernel + all - end, suffix) == 0;
    if (ends) *length = all - end;
    return ends;
}

void by_emulator_launch(const fake_cuda_launch *l, void *user)
{
    by_emulator *e = user;
    size_t length = strlen(l->kernel);
    int single = ends_with(l->kernel, "_single", &length), complex = ends_with(l->kernel, "_complex", &length);
    const wlu_lanes *lanes = wlu_lanes_of(single, 1 + complex);
    count_launch(e, l->kernel);
    if (strncmp(l->kernel, "wlu_levels_", strlen("wlu_levels_")) == 0) {
        e->wrong += !(single ? by_levels_launch_single(l, length) : by_levels_launch(l, length));
        return;
    }
    if (strncmp(l->kernel, of_batches, sizeof of_batches - 1) == 0) {
        int ledger = is(l->kernel, length, "wlu_batch_pick") || is(l->kernel, length, "wlu_batch_vouch") ||
                     is(l->kernel, length, "wlu_batch_copy");
        int replays = strstr(l->kernel, "_refactor") != NULL || strstr(l->kernel, "_substitute") != NULL;
        e->wrong += !(ledger                ? by_batch_ledger_launch(l)
                      : !replays && complex ? by_batch_moves_launch_complex(l, length)
                      : !replays            ? by_batch_moves_launch(l, length)
                      : complex             ? by_batch_launch_complex(l, length)
                      : single              ? by_batch_launch_single(l, length)
                                            : by_batch_launch(l, length));
        return;
    }
    int refines_early = is(l->kernel, length, "wlu_refine_early"),
        early = refines_early || is(l->kernel, length, "wlu_solve_early");
    e->wrong += early != l->behind;
    if (refines_early || is(l->kernel, length, "wlu_refine")) {
        run_refine(e, l, early, lanes);
        return;
    }
    if (early || is(l->kernel, length, "wlu_solve")) {
        run_solve(e, l, early, lanes);
        return;
    }
    if (is(l->kernel, length, "wlu_gather")) {
        run_gather(e, l);
        return;
    }
    if (is(l->kernel, length, "wlu_refine_begin")) {
        run_begin(e, l);
        return;
    }
    e->wrong += !is(l->kernel, length, "wlu_tile_flow") || l->grid_y != 1;
    e->program = *(wlu_device_program *)l->parameters[0];
    e->state = *(wlu_device_state *)l->parameters[1];
    e->grid = l->grid;
    e->shared_bytes = l->shared_bytes;
    e->lanes = lanes;
    run_flow(e);
}

void by_emulator_again(by_emulator *e)
{
    run_flow(e);
}
