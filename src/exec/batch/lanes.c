/* States of the CPU's batch executor, and how jobs are shared out. See lanes.h. */
#include "exec/batch/lanes.h"

#include <math.h>
#include <stdatomic.h>

#include "base/environment.h"
#include "exec/host.h"
#include "exec/state.h"
#include "build_features.h"

_Static_assert((int)WLU_LANES == (int)WLU_HOST_ALIGN, "a line of slots is a line of cache");
_Static_assert(sizeof(wlu_lanes_scratch) == 128, "a pair of cache lines");

/* Kernels of the fastest instruction set there is, or of that asked for (instruction_set.h), for this kind of numbers.
 */
static const wlu_lanes_kernels *best_kernels(int32_t doubles)
{
    static const wlu_lanes_kernels *const kernels[WLU_SIMD_SETS][2] = {
#if defined(WLU_WITH_X86_KERNELS)
        [WLU_SIMD_AVX512] = {&wlu_lanes_avx512, &wlu_lanes_avx512_complex},
        [WLU_SIMD_AVX512_LOADS] = {&wlu_lanes_avx512, &wlu_lanes_avx512_complex}, /* these gather nothing */
        [WLU_SIMD_AVX2] = {&wlu_lanes_avx2, &wlu_lanes_avx2_complex},
#endif
#if defined(WLU_WITH_NEON_KERNELS)
        [WLU_SIMD_NEON] = {&wlu_lanes_neon, &wlu_lanes_neon_complex},
#endif
        [WLU_SIMD_PORTABLE] = {&wlu_lanes_portable, &wlu_lanes_portable_complex},
    };
    return kernels[wlu_best_instruction_set()][doubles - 1];
}

static int64_t rounds(int64_t count, int64_t at_once)
{
    return (count + at_once - 1) / at_once;
}

static int32_t groups_of(int64_t members)
{
    return (int32_t)rounds(members, WLU_LANES);
}

/* One by one, a number of a panel is read once for eight terms, in lanes for four at best, and eight members' panels
 * leave the second cache: with t terms a number, a group of eight is 3 / (1 + t / 16) times as fast as its members
 * alone. Measured with AVX-512 on an EPYC 9004, refactorization and solve, 45 matrices:
 *     terms a number   0 to 4      4 to 8      8 to 16     16 to 24    24 to 30    33    35, 42    84, 103
 *     times as fast    1.4 to 5.0  1.7 to 2.5  1.2 to 1.9  1.1 to 1.9  1.0 to 1.8  1.2   1.0, 0.9  0.9, 0.7
 * Circuits are below 8, grids and structures above 16; those of the first column that gain less than 2 are large and
 * wait for memory either way. Groups of complex members pay where those of real ones do, for each way takes as many
 * times the operations: of 17 matrices they are 1.04 to 2.5 times as fast where groups are taken, and 0.73 times on
 * bcsstk13, where they are not. */
int wlu_lanes_pay(int64_t terms, int64_t numbers, int32_t members, int threads)
{
    double a_number = (double)terms / (double)(numbers > 0 ? numbers : 1);
    double alone = (double)rounds(members, threads), group = WLU_LANES * (1.0 + a_number / 16.0) / 3.0;
    return (double)rounds(rounds(members, WLU_LANES), threads) * group < alone;
}

/* ------------------------------------------------------------------ states */

static void destroy(wlu_context *ctx, wlu_batch_state **state)
{
    wlu_lanes_state *s = (wlu_lanes_state *)*state;
    if (s == NULL) return;
    void *owned[] = {s->block, s->own_block, s->home_block, s->health, s->order, s->begin, s->in_home, s->scratch};
    wlu_lanes_image_free(ctx, &s->image);
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    wlu_free(ctx, s);
    *state = NULL;
}

/* So many doubles, zeros, from *at on, which 64 divides. Returns what is to be freed. */
static void *make_lines(wlu_context *ctx, int64_t doubles, double **at)
{
    double *block = WLU_CALLOC(ctx, doubles + WLU_HOST_ALIGN, double);
    if (block != NULL) *at = wlu_host_aligned(block);
    return block;
}

/* A line of a real number. */
static void write_line(double *to, int64_t line, double number)
{
    for (int64_t q = 0; q < line; q++) to[q] = q < WLU_LANES ? number : 0.0;
}

static void write_constants(const wlu_flat *flat, double *v)
{
    const int64_t line = wlu_lanes_line(flat);
    write_line(v + line * flat->zero, line, 0.0);
    write_line(v + line * flat->minus_one, line, -1.0);
}

static warplu_status make_scratch(wlu_context *ctx, wlu_lanes_state *s)
{
    const int64_t line = wlu_lanes_line(s->flat), lines = s->flat->program->n, n = line * lines;
    const int64_t each = wlu_lanes_group_doubles(s) + WLU_LANES * lines + 4 * n + line * WLU_LANES_CHUNK;
    double *at;
    s->scratch = WLU_CALLOC(ctx, s->threads, wlu_lanes_scratch);
    s->block = make_lines(ctx, s->threads * each, &at);
    if (s->scratch == NULL || s->block == NULL) return wlu_fail_memory(ctx, "slots of a batch");
    for (int t = 0; t < s->threads; t++) {
        wlu_lanes_scratch *c = &s->scratch[t];
        c->v = at + t * each;
        c->entries = c->v + line * wlu_lanes_lines(s->flat);
        c->inverse = c->entries + line * s->image.loads.count;
        c->b = c->inverse + WLU_LANES * lines;
        c->r = c->b + n;
        c->best = c->r + n;
        c->trial = c->best + n;
        c->chunk = c->trial + n;
        write_constants(s->flat, c->v);
    }
    s->base.bytes += s->threads * each * (int64_t)sizeof(double);
    return WARPLU_SUCCESS;
}

/* Room for the slots of so large a solve. */
static warplu_status make_own(wlu_context *ctx, wlu_lanes_state *s, int64_t own)
{
    const int64_t line = wlu_lanes_line(s->flat);
    double *at;
    void *block = make_lines(ctx, s->threads * line * own, &at);
    if (block == NULL) return wlu_fail_memory(ctx, "slots of a batch's solves");
    wlu_free(ctx, s->own_block);
    s->own_block = block;
    s->base.bytes += s->threads * line * (own - s->own) * (int64_t)sizeof(double);
    s->own = own;
    for (int t = 0; t < s->threads; t++) s->scratch[t].own = at + t * line * own;
    return WARPLU_SUCCESS;
}

static warplu_status make_home(wlu_context *ctx, wlu_lanes_state *s)
{
    int64_t groups = groups_of(s->base.places), doubles = groups * wlu_lanes_group_doubles(s);
    s->home_block = make_lines(ctx, doubles, &s->home);
    s->health = WLU_CALLOC(ctx, s->base.places, wlu_health);
    s->order = WLU_ALLOC(ctx, s->base.places, int32_t);
    s->begin = WLU_ALLOC(ctx, s->base.places + 1, int32_t);
    s->in_home = WLU_ALLOC(ctx, 2 * groups, int32_t);
    if (!WLU_ALL_THERE(s->home_block, s->health, s->order, s->begin, s->in_home))
        return wlu_fail_memory(ctx, "factors of a batch");
    for (int64_t g = 0; g < groups; g++) write_constants(s->flat, s->home + g * wlu_lanes_group_doubles(s));
    s->base.bytes += doubles * (int64_t)sizeof(double) + s->base.places * (int64_t)sizeof *s->health +
                     (2 * s->base.places + 1 + 2 * groups) * (int64_t)sizeof *s->order;
    return WARPLU_SUCCESS;
}

/* Constants of a solve's own, behind its slots. */
static void own_constants(const wlu_lanes_state *s, const wlu_lanes_solve *solve)
{
    const int64_t line = wlu_lanes_line(s->flat);
    for (int t = 0; t < s->threads; t++) {
        write_line(s->scratch[t].own + line * (solve->own - 2), line, 0.0);
        write_line(s->scratch[t].own + line * (solve->own - 1), line, -1.0);
    }
}

static warplu_status add_transposed(wlu_context *ctx, wlu_batch_state *state)
{
    wlu_lanes_state *s = (wlu_lanes_state *)state;
    wlu_lanes_solve *solve = &s->image.solve[1];
    if (solve->store != NULL || !s->flat->program->has_transposed) return WARPLU_SUCCESS;
    int64_t before = wlu_lanes_image_bytes(&s->image);
    warplu_status status = wlu_lanes_solve_pack(ctx, s->flat, WLU_STREAM_SOLVE_TRANSPOSED, &s->image);
    if (status == WARPLU_SUCCESS && solve->own > s->own) status = make_own(ctx, s, solve->own);
    if (status == WARPLU_SUCCESS) s->base.bytes += wlu_lanes_image_bytes(&s->image) - before;
    if (status < 0) wlu_lanes_solve_free(ctx, solve);
    return status;
}

static warplu_status create(wlu_context *ctx, const wlu_target *target, const wlu_program *program,
                            const wlu_flat *flat, int32_t places, wlu_team *team, wlu_batch_state **out)
{
    *out = NULL;
    if (wlu_precision_is_single(target->precision))
        return wlu_fail(ctx, WARPLU_PRECISION_UNSUPPORTED, "lanes do not compute in single or mixed precision");
    wlu_lanes_state *s = WLU_CALLOC(ctx, 1, wlu_lanes_state);
    if (s == NULL) return wlu_fail_memory(ctx, "state of a batch");
    s->base = (wlu_batch_state){.executor = &wlu_batch_lanes, .program = program, .places = places};
    s->flat = flat;
    s->kernels = best_kernels(program->doubles);
    s->team = team;
    s->threads = team != NULL ? wlu_team_most(team) : 1;
    *out = &s->base;
    warplu_status status = wlu_lanes_image_pack(ctx, flat, &s->image);
    if (status == WARPLU_SUCCESS) s->base.bytes = wlu_lanes_image_bytes(&s->image);
    if (status == WARPLU_SUCCESS) status = make_scratch(ctx, s);
    if (status == WARPLU_SUCCESS) status = make_own(ctx, s, s->image.solve[0].own);
    if (status == WARPLU_SUCCESS && places > 0) status = make_home(ctx, s);
    if (status == WARPLU_SUCCESS) status = add_transposed(ctx, *out);
    if (status < 0) destroy(ctx, out);
    return status;
}

/* -------------------------------------------------------------------- jobs */

/* Groups are taken one by one. */
typedef struct shared_job {
    wlu_lanes_state *state;
    const wlu_batch_job *job;
    int32_t groups;
    atomic_int next;
} shared_job;

static void run_group(const shared_job *shared, wlu_lanes_scratch *scratch, int32_t number)
{
    const wlu_lanes_state *s = shared->state;
    const wlu_batch_job *job = shared->job;
    wlu_lanes_group g = {.state = s, .job = job, .scratch = scratch};
    wlu_lanes_homes homes;
    wlu_lanes_seat_members(&g, number, &homes);
    wlu_lanes_go_home(&g, &homes);
    if (job->values != NULL) wlu_lanes_replay(&g, job->place != NULL || job->check != WLU_BATCH_UNCHECKED);
    wlu_lanes_leave_home(&g, &homes);
    for (int q = 0; q < WLU_LANES; q++) {
        if (!(g.lanes >> q & 1)) continue;
        if (job->place != NULL && job->values != NULL) s->health[homes.place[q]] = g.health[q];
        if (job->values == NULL) g.health[q] = s->health[homes.place[q]];
        job->result[g.member[q]] = (wlu_member_result){g.health[q], wlu_refined_none(), 0.0, INFINITY};
    }
    wlu_lanes_solve_columns(&g);
}

static void take_groups(void *argument, wlu_member *me)
{
    shared_job *shared = argument;
    int32_t number;
    while ((number = atomic_fetch_add_explicit(&shared->next, 1, memory_order_relaxed)) < shared->groups)
        run_group(shared, &shared->state->scratch[me->index], number);
}

static warplu_status run(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job)
{
    wlu_lanes_state *s = (wlu_lanes_state *)state;
    shared_job shared = {.state = s, .job = job};
    shared.groups = job->place != NULL ? wlu_lanes_group_places(s, job) : groups_of(job->count);
    int members = shared.groups < s->threads ? shared.groups : s->threads;
    wlu_member alone = {.members = 1};
    wlu_environment env;
    (void)ctx;
    wlu_environment_enter(&env);
    if (job->nrhs > 0) own_constants(s, &s->image.solve[job->kind == WLU_STREAM_SOLVE_TRANSPOSED]);
    if (members > 1) members = wlu_team_gather(s->team, members);
    if (members > 1)
        wlu_team_run(s->team, members, take_groups, &shared);
    else
        take_groups(&shared, &alone);
    wlu_environment_leave(&env);
    return WARPLU_SUCCESS;
}

const wlu_batch_executor wlu_batch_lanes = {
    .name = "lanes",
    .flat = 1,
    .create = create,
    .destroy = destroy,
    .add_transposed = add_transposed,
    .run = run,
};
