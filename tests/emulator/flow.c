/* Launches on the emulated device: blocks that come and go, tickets, and who runs next. See machine.h, cuda/flow.cu and
 * cuda/solve.cu: a factorization is bundles, which some blocks begin with, and tiles, a solve one queue of tasks.
 *
 * A task that looked in vain is not run again before something has become visible. Where nobody can run, time passes
 * until something does; where nothing is under way either, that is a deadlock. O(residents) for every step. */
#include "emulator/tasks.h"

#include <string.h>

enum { POISON_A_TICKET = 2048, CALM_MOST = 256 };

typedef struct launch {
    wlu_machine *m;
    const wlu_device_state *s;
    wlu_device_control *control;
    int32_t arrived;            /* blocks that were given a place */
    int32_t favourite, shunned; /* tasks that run whenever they can, and only if nobody else can; -1: there is none */
    int32_t calm;               /* steps until others are */
} launch;

/* ------------------------------------------------------------------ blocks */

static void reset_agent(wlu_machine *m, wlu_agent *a)
{
    a->id = m->agents++;
    a->task = WLU_NO_TASK;
    a->missing = 0;
    a->epoch = WLU_AWAKE;
    a->places = 0;
    a->largest = (wlu_maxima){{0}};
}

static wlu_emulated_warp *warps_of(wlu_machine *m, int32_t seat)
{
    return m->warp + (int64_t)m->mode.warps * seat;
}

static void seat_block(launch *l, int32_t seat)
{
    wlu_machine *m = l->m;
    wlu_emulated_block *b = &m->block[seat];
    b->phase = l->arrived < m->mode.blocks ? WLU_BLOCK_ARRIVE : WLU_BLOCK_ABSENT;
    b->panel = m->panels + wlu_machine_panel(m) * seat;
    b->agent.place = m->places + wlu_machine_places(m) * seat;
    l->arrived += b->phase == WLU_BLOCK_ARRIVE;
    reset_agent(m, &b->agent);
    for (int32_t w = 0; w < m->mode.warps; w++) warps_of(m, seat)[w].phase = WLU_WARP_GONE;
}

/* The block's warps take its bundles; it goes on when they have left. */
static void start_warps(wlu_machine *m, int32_t seat)
{
    const wlu_agent *a = &m->block[seat].agent;
    for (int32_t k = 0; k < m->mode.warps; k++) {
        wlu_emulated_warp *w = &warps_of(m, seat)[k];
        reset_agent(m, &w->agent);
        w->agent.place = a->place;
        w->agent.places = a->places;
        w->phase = WLU_WARP_FIRST;
    }
}

/* A factorization's first blocks begin with bundles; half of a solve's with poison. */
static void arrive(launch *l, int32_t seat)
{
    wlu_machine *m = l->m;
    wlu_emulated_block *b = &m->block[seat];
    uint32_t arrival = l->control->arrivals++;
    if (m->solve != NULL) {
        b->phase = arrival >= (uint32_t)m->mode.blocks / 2 ? WLU_BLOCK_POISON : WLU_BLOCK_TAKE;
        return;
    }
    if (arrival == 0) l->control->begun = l->control->generation + 1;
    b->phase = WLU_BLOCK_BUNDLES;
    b->bundles = (wlu_bundle_queue){.stream = m->stream, .count = m->stream->bundles, .tickets = &l->control->bundles};
    if (arrival < (uint32_t)m->mode.bundle_blocks) start_warps(m, seat);
}

static int has_warps(wlu_machine *m, int32_t seat)
{
    for (int32_t w = 0; w < m->mode.warps; w++)
        if (warps_of(m, seat)[w].phase != WLU_WARP_GONE) return 1;
    return 0;
}

/* A share of the other buffer; 0 where there is none left. */
static int poison_share(launch *l)
{
    void *other = l->s->v[(l->control->generation + 1) & 1];
    int64_t first = (int64_t)l->control->poison++ * POISON_A_TICKET;
    const wlu_lanes *lanes = l->m->lanes;
    for (int64_t k = first; k < l->s->slots && k < first + POISON_A_TICKET; k++)
        for (int part = 0; part < lanes->doubles && k != l->m->zero && k != l->m->minus_one; part++)
            wlu_emulated_put(other, lanes, lanes->doubles * k + part, WLU_POISON);
    return first < l->s->slots;
}

/* A solve's block may go to its tasks before all is poisoned: what is left waits for the end. */
static int has_enough(wlu_machine *m)
{
    return m->solve != NULL && m->mode.seed != 0 && wlu_machine_random(m) % 4 == 0;
}

/* What the last block to leave does; what others have written is there by now. */
static void conclude(launch *l)
{
    wlu_device_control *c = l->control;
    const wlu_machine *m = l->m;
    const wlu_device_state *s = l->s;
    if (m->solve != NULL) {
        s->health->largest_u = wlu_maximum(&c->largest, WLU_AREA_U);
        s->health->failed = c->failed;
        *c = wlu_control_next(c);
        s->health->generation = c->generation;
        return;
    }
    if (wlu_growth_is_open(&c->largest, &s->criteria))
        wlu_maxima_add(&c->largest, WLU_AREA_RELATIVE,
                       wlu_emulated_relative(m->program, s, s->v[c->generation & 1], m->lanes));
    *s->health = wlu_control_conclude(c, &s->criteria, m->lanes->single);
}

static void leave(launch *l, int32_t seat)
{
    wlu_emulated_block *b = &l->m->block[seat];
    wlu_maxima_join(&l->control->largest, &b->agent.largest);
    l->control->departures++;
    seat_block(l, seat);
}

/* The next tile or task. */
static void take(launch *l, int32_t seat)
{
    wlu_machine *m = l->m;
    wlu_emulated_block *b = &m->block[seat];
    uint32_t next = l->control->tiles++;
    if (next >= (uint32_t)m->queue) {
        b->phase = WLU_BLOCK_REST;
    } else if (m->solve != NULL) {
        wlu_solve_begin(m, b, (int32_t)next);
        if (b->phase == WLU_BLOCK_BUNDLES) start_warps(m, seat);
    } else {
        wlu_tile_begin(m, b, (int32_t)next);
    }
}

static wlu_step block_step(launch *l, int32_t seat)
{
    wlu_emulated_block *b = &l->m->block[seat];
    if (b->phase == WLU_BLOCK_ARRIVE) {
        arrive(l, seat);
    } else if (b->phase == WLU_BLOCK_BUNDLES) {
        b->phase = l->m->solve != NULL ? WLU_BLOCK_TAKE : WLU_BLOCK_POISON;
    } else if (b->phase == WLU_BLOCK_POISON) {
        if (has_enough(l->m) || !poison_share(l)) b->phase = WLU_BLOCK_TAKE;
    } else if (b->phase == WLU_BLOCK_TAKE) {
        take(l, seat);
    } else if (b->phase == WLU_BLOCK_REST) {
        if (!poison_share(l)) leave(l, seat);
    } else {
        return l->m->solve != NULL ? wlu_solve_step(l->m, b) : wlu_tile_step(l->m, b);
    }
    return WLU_STEP_MOVED;
}

/* --------------------------------------------------------------- schedule */

/* Tasks are numbered by seat: the block, then its warps. */
static wlu_agent *agent_of(wlu_machine *m, int32_t task)
{
    int32_t seat = task / (1 + m->mode.warps), w = task % (1 + m->mode.warps);
    return w == 0 ? &m->block[seat].agent : &warps_of(m, seat)[w - 1].agent;
}

/* It is there, and not waiting for its warps. */
static int is_busy(wlu_machine *m, int32_t task)
{
    int32_t seat = task / (1 + m->mode.warps), w = task % (1 + m->mode.warps);
    if (w > 0) return warps_of(m, seat)[w - 1].phase != WLU_WARP_GONE;
    wlu_block_phase phase = m->block[seat].phase;
    int waits = phase == WLU_BLOCK_BUNDLES && has_warps(m, seat);
    return phase != WLU_BLOCK_ABSENT && !waits;
}

static int can_run(wlu_machine *m, int32_t task)
{
    return is_busy(m, task) && agent_of(m, task)->epoch != m->epoch;
}

/* The next task to run, -1 if none can. */
static int32_t choose(launch *l)
{
    wlu_machine *m = l->m;
    int32_t count = m->mode.residents * (1 + m->mode.warps), from = 0;
    if (m->mode.seed != 0) {
        if (l->calm-- <= 0) {
            l->calm = (int32_t)(wlu_machine_random(m) % CALM_MOST);
            l->favourite = (int32_t)(wlu_machine_random(m) % (uint64_t)(2 * count));
            l->shunned = (int32_t)(wlu_machine_random(m) % (uint64_t)(2 * count));
        }
        if (l->favourite < count && can_run(m, l->favourite)) return l->favourite;
        from = (int32_t)(wlu_machine_random(m) % (uint64_t)count);
    }
    for (int32_t k = 0; k < count; k++) {
        int32_t task = (from + k) % count;
        if (task != l->shunned && can_run(m, task)) return task;
    }
    return l->shunned >= 0 && l->shunned < count && can_run(m, l->shunned) ? l->shunned : -1;
}

static void step(launch *l, int32_t task)
{
    wlu_machine *m = l->m;
    int32_t seat = task / (1 + m->mode.warps), w = task % (1 + m->mode.warps);
    if (w == 0) {
        block_step(l, seat);
    } else {
        wlu_emulated_warp *warp = &warps_of(m, seat)[w - 1];
        if (wlu_warp_step(m, warp, &m->block[seat].bundles) == WLU_STEP_LEFT)
            wlu_maxima_join(&l->control->largest, &warp->agent.largest);
    }
    wlu_machine_tick(m);
}

/* Whether some resident has the task at hand. */
static int is_at_hand(wlu_machine *m, int32_t task)
{
    for (int32_t k = 0; k < m->mode.residents * (1 + m->mode.warps); k++)
        if (is_busy(m, k) && agent_of(m, k)->task == task) return 1;
    return 0;
}

/* How much a missing slot explains: nobody writes it; its task is not at hand; its task waits as well, as those that
 * places are waited for do. */
static int blame(wlu_machine *m, int32_t slot)
{
    if (slot < 0) return 1;
    int32_t owner = wlu_machine_owner(m, slot);
    return owner == WLU_NO_TASK ? 3 : is_at_hand(m, owner) ? 1 : 2;
}

/* Nobody can run and nothing is under way. */
static void report_deadlock(launch *l)
{
    wlu_machine *m = l->m;
    char name[WLU_TASK_NAME], owner[WLU_TASK_NAME];
    int32_t slot = 0, waiting = WLU_NO_TASK;
    int most = 0;
    for (int32_t k = 0; k < m->mode.residents * (1 + m->mode.warps); k++) {
        const wlu_agent *a = agent_of(m, k);
        for (int32_t w = 0; w < a->missing && is_busy(m, k); w++)
            if (blame(m, a->wanted[w].slot) > most) {
                slot = a->wanted[w].slot;
                most = blame(m, slot);
                waiting = a->task;
            }
    }
    if (most == 0)
        wlu_machine_fail(m, "nobody can run, and %u blocks have not left",
                         (unsigned)m->mode.blocks - l->control->departures);
    else if (slot < 0)
        wlu_machine_fail(m, "deadlock: %s waits for place %d", wlu_task_name(m, waiting, name), ~slot);
    else
        wlu_machine_fail(m, "deadlock: %s waits for slot %d, which is %s's", wlu_task_name(m, waiting, name), slot,
                         wlu_task_name(m, wlu_machine_owner(m, slot), owner));
}

static int is_over(const wlu_machine *m)
{
    for (int32_t k = 0; k < m->mode.residents; k++)
        if (m->block[k].phase != WLU_BLOCK_ABSENT) return 0;
    return 1;
}

static void run(launch *l)
{
    wlu_machine *m = l->m;
    for (int32_t k = 0; k < m->mode.residents; k++) seat_block(l, k);
    while (m->status == WARPLU_SUCCESS) {
        int32_t task = choose(l);
        if (task >= 0)
            step(l, task);
        else if (m->under_way > 0)
            wlu_machine_tick(m);
        else if (is_over(m))
            return;
        else
            report_deadlock(l);
    }
}

warplu_status wlu_machine_launch(wlu_machine *m, const wlu_device_state *state)
{
    if (m->broken < 0) return m->broken;
    launch l = {.m = m, .s = state, .control = state->control, .favourite = -1, .shunned = -1};
    m->state = state;
    m->status = WARPLU_SUCCESS;
    wlu_machine_begin(m, state->v[l.control->generation & 1]);
    if (m->status == WARPLU_SUCCESS) run(&l);
    if (m->status == WARPLU_SUCCESS) wlu_machine_end(m);
    if (m->status == WARPLU_SUCCESS) {
        conclude(&l);
        return m->status;
    }
    for (int k = 0; k < 2; k++) wlu_machine_poison(state->v[k], m->lanes, state->slots, m->zero, m->minus_one);
    *l.control = (wlu_device_control){.generation = l.control->generation, .begun = l.control->generation};
    return m->status;
}

warplu_status wlu_machine_solve(wlu_machine *m, const wlu_device_state *state, const wlu_solve_of *of)
{
    m->of = of;
    m->factors = of->v[(of->control->begun + 1) & 1];
    if (of->refine != NULL && of->refine->ended) return WARPLU_SUCCESS;
    warplu_status status = wlu_machine_launch(m, state);
    if (of->refine != NULL) of->refine->unknown = state->health->largest_u;
    return status;
}
