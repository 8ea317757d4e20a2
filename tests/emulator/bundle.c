/* Bundles on the emulated device. See tasks.h and cuda/bundle.cuh, whose order of looks this follows. */
#include "emulator/tasks.h"

static int is_long(const wlu_emulated_warp *w)
{
    return w->bundle.shape != WLU_BUNDLE_SHORT;
}

/* Number of the sum that a lane's terms go to. */
static int sum_of(const wlu_emulated_warp *w, int lane)
{
    return w->bundle.shape == WLU_BUNDLE_WIDE ? lane % 8 : lane;
}

/* Sums of a record. */
static int sums_of(const wlu_emulated_warp *w)
{
    return is_long(w) ? 8 : 1;
}

static void begin_records(wlu_machine *m, wlu_emulated_warp *w, const wlu_device_stream *d)
{
    const wlu_bundle *b = &w->bundle;
    w->phase = WLU_WARP_START;
    for (int r = 0; r < b->records; r++) {
        const wlu_device_instruction *x = &d->record[b->first + r];
        w->record[r] = *x;
        w->begin[r] = wlu_lane_zero();
        if (x->flags & WLU_RECORD_CLOSED) w->divisor[r] = wlu_machine_peek(m, &w->agent, x->other);
        if (x->flags & WLU_RECORD_FROM_SLOT) {
            w->start[r] = wlu_machine_peek(m, &w->agent, x->start);
            wlu_machine_want(m, &w->agent, x->start, &w->start[r]);
        } else {
            w->begin[r] = wlu_machine_source(m, x->start, x->power);
        }
    }
}

static void begin_terms(wlu_machine *m, wlu_emulated_warp *w)
{
    for (int r = 0; r < w->bundle.records; r++)
        if (w->record[r].flags & WLU_RECORD_FROM_SLOT) w->begin[r] = wlu_machine_number(m, &w->agent, w->start[r]);
    for (int lane = 0; lane < WLU_WARP; lane++)
        w->sum[lane] = is_long(w) || lane >= w->bundle.records ? wlu_lane_zero() : w->begin[lane];
}

/* Asks for the operands of the next steps, those of lanes without a record too. */
static void ask_terms(wlu_machine *m, wlu_emulated_warp *w, const wlu_device_stream *d)
{
    const int32_t *pair = d->operand + 2 * WLU_WARP * ((int64_t)w->bundle.operand + w->k);
    w->phase = WLU_WARP_TERMS;
    for (int i = 0; i < WLU_EMULATE_AHEAD && w->k + i < w->bundle.steps; i++)
        for (int lane = 0; lane < WLU_WARP; lane++)
            for (int side = 0; side < 2; side++) {
                int32_t slot = pair[2 * (WLU_WARP * i + lane) + side];
                w->operand[i][lane][side] = wlu_machine_peek(m, &w->agent, slot);
                wlu_machine_want(m, &w->agent, slot, &w->operand[i][lane][side]);
            }
}

static void add_terms(wlu_machine *m, wlu_emulated_warp *w)
{
    for (int i = 0; i < WLU_EMULATE_AHEAD && w->k + i < w->bundle.steps; i++)
        for (int lane = 0; lane < WLU_WARP; lane++) {
            wlu_lane_number a = wlu_machine_number(m, &w->agent, w->operand[i][lane][0]);
            wlu_lane_number b = wlu_machine_number(m, &w->agent, w->operand[i][lane][1]);
            wlu_lane_number *sum = &w->sum[sum_of(w, lane)];
            *sum = m->lanes->term(is_long(w), *sum, a, b);
        }
    w->k += WLU_EMULATE_AHEAD;
}

static void add_lanes(const wlu_machine *m, wlu_emulated_warp *w)
{
    for (int apart = 4; apart > 0; apart /= 2) {
        wlu_lane_number sum[WLU_WARP];
        for (int lane = 0; lane < WLU_WARP; lane++) sum[lane] = m->lanes->pair(w->sum[lane], w->sum[lane ^ apart]);
        for (int lane = 0; lane < WLU_WARP; lane++) w->sum[lane] = sum[lane];
    }
}

static void want_divisors(wlu_machine *m, wlu_emulated_warp *w)
{
    w->phase = WLU_WARP_FINISH;
    for (int r = 0; r < w->bundle.records; r++)
        if (w->record[r].flags & WLU_RECORD_CLOSED) wlu_machine_want(m, &w->agent, w->record[r].other, &w->divisor[r]);
}

static void finish_records(wlu_machine *m, wlu_emulated_warp *w, const wlu_bundle_queue *q)
{
    wlu_agent *a = &w->agent;
    for (int r = 0; r < w->bundle.records; r++) {
        const wlu_device_instruction *x = &w->record[r];
        wlu_lane_number value = w->sum[sums_of(w) * r];
        if (!wlu_record_is_loaded(&w->bundle, x)) value = m->lanes->total(is_long(w), w->begin[r], value);
        if (x->flags & WLU_RECORD_CLOSED)
            value = m->lanes->end(x->flags / WLU_RECORD_OPCODE, value, wlu_machine_number(m, a, w->divisor[r]));
        if (x->flags & WLU_RECORD_RECIPROCAL) {
            wlu_lane_number reciprocal = m->lanes->invert(value);
            wlu_machine_publish(m, a, x->other, reciprocal);
            wlu_agent_look(a, WLU_AREA_RECIPROCAL, wlu_lane_size_of(reciprocal));
        }
        wlu_machine_publish(m, a, x->target, value);
        if (a->places > 0) wlu_machine_share(m, a, w->bundle.first + r - q->record, value);
        wlu_agent_look(a, x->area, wlu_lane_size_of(value));
    }
    w->phase = WLU_WARP_TAKE;
}

static void run_loads(wlu_machine *m, wlu_emulated_warp *w, const wlu_device_stream *d)
{
    const wlu_bundle *b = &w->bundle;
    for (int k = 0; k < b->steps; k++) {
        wlu_lane_number x = wlu_machine_source(m, d->load_source[b->operand + k], d->load_power[b->operand + k]);
        wlu_machine_publish(m, &w->agent, b->first + k, x);
        wlu_agent_look(&w->agent, b->records, wlu_lane_size_of(x));
    }
}

static void run_guards(wlu_machine *m, wlu_emulated_warp *w)
{
    const wlu_device_guards *g = &m->program->guards;
    const double *source = m->state->source;
    int doubles = m->lanes->doubles;
    for (int32_t k = w->bundle.first; k < w->bundle.first + w->bundle.steps; k++) {
        int32_t row = k < g->shared ? k : g->n + (k - g->shared);
        wlu_agent_look(&w->agent, WLU_AREA_INVERSE,
                       wlu_lane_inverse(wlu_size_at(source, g->a_source[k], doubles), g->a_scale[k]));
        wlu_agent_look(&w->agent, WLU_AREA_DRIFT,
                       wlu_lane_drift(wlu_size_at(source, g->a_source[row], doubles), g->row_scale[k]));
    }
}

/* Unknowns to the caller, one a lane at a time. */
static void ask_stores(wlu_machine *m, wlu_emulated_warp *w)
{
    w->phase = WLU_WARP_STORE;
    for (int32_t lane = 0; lane < WLU_WARP && w->k + lane < w->bundle.steps; lane++) {
        int32_t slot = m->split + m->solve->x + w->bundle.first + w->k + lane;
        w->start[lane] = wlu_machine_peek(m, &w->agent, slot);
        wlu_machine_want(m, &w->agent, slot, &w->start[lane]);
    }
}

/* A part of unknown `at`, as the caller gets it. */
static void store_part(wlu_machine *m, wlu_emulated_warp *w, int32_t at, int part, double x)
{
    const wlu_refine_control *c = m->of->refine;
    double *to = c != NULL ? m->of->trial[1 - c->at] : m->of->x;
    int64_t place = m->lanes->doubles * (int64_t)m->solve->index[at] + part;
    x = wlu_lane_store(x, m->solve->power[at]);
    if (c != NULL) x = wlu_refine_trial(c, m->of->trial[c->at][place], x);
    if (m->of->control->verdict >= m->of->withheld) x = wlu_double_of_bits(WLU_CANONICAL_NAN);
    to[place] = x;
    wlu_agent_look(&w->agent, WLU_AREA_U, wlu_magnitude_bits(x));
}

static void run_stores(wlu_machine *m, wlu_emulated_warp *w)
{
    for (int32_t lane = 0; lane < WLU_WARP && w->k + lane < w->bundle.steps; lane++) {
        int32_t at = w->bundle.first + w->k + lane;
        wlu_lane_number x = wlu_machine_number(m, &w->agent, w->start[lane]);
        store_part(m, w, at, 0, x.re);
        if (m->lanes->doubles > 1) store_part(m, w, at, 1, x.im);
    }
    w->k += WLU_WARP;
    w->phase = WLU_WARP_TAKE;
    if (w->k < w->bundle.steps) ask_stores(m, w);
}

static wlu_step take(wlu_machine *m, wlu_emulated_warp *w, const wlu_bundle_queue *q)
{
    const wlu_device_stream *d = q->stream;
    uint32_t now = w->phase == WLU_WARP_FIRST ? (*q->tickets)++ : w->next;
    w->next = (*q->tickets)++;
    if (now >= (uint32_t)q->count) {
        w->phase = WLU_WARP_GONE;
        return WLU_STEP_LEFT;
    }
    w->phase = WLU_WARP_TAKE;
    w->bundle = d->bundle[q->first + (int32_t)now];
    w->k = 0;
    w->agent.task = q->first + (int32_t)now;
    if (w->bundle.shape <= WLU_BUNDLE_WIDE)
        begin_records(m, w, d);
    else if (w->bundle.shape == WLU_BUNDLE_LOADS)
        run_loads(m, w, d);
    else if (w->bundle.shape == WLU_BUNDLE_GUARDS)
        run_guards(m, w);
    else
        ask_stores(m, w);
    return WLU_STEP_MOVED;
}

wlu_step wlu_warp_step(wlu_machine *m, wlu_emulated_warp *w, const wlu_bundle_queue *q)
{
    if (w->phase <= WLU_WARP_TAKE) return take(m, w, q);
    if (!wlu_machine_poll(m, &w->agent)) return WLU_STEP_WAITING;
    if (w->phase >= WLU_WARP_FINISH) {
        if (w->phase == WLU_WARP_FINISH)
            finish_records(m, w, q);
        else
            run_stores(m, w);
        return WLU_STEP_MOVED;
    }
    if (w->phase == WLU_WARP_START)
        begin_terms(m, w);
    else
        add_terms(m, w);
    if (w->k < w->bundle.steps) {
        ask_terms(m, w, q->stream);
    } else {
        if (is_long(w)) add_lanes(m, w);
        want_divisors(m, w);
    }
    return WLU_STEP_MOVED;
}
