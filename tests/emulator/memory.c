/* Emulated memory: slots that become visible to others some time after they were written. See machine.h. O(1) for every
 * look and step, but for the slots that become visible in it. */
#include "emulator/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wlu_machine_fail(wlu_machine *m, const char *format, ...)
{
    va_list args;
    if (m->status < 0) return;
    m->status = WARPLU_INTERNAL;
    va_start(args, format);
    vsnprintf(m->message, sizeof m->message, format, args);
    va_end(args);
}

const char *wlu_task_name(const wlu_machine *m, int32_t task, char *to)
{
    static const char *const works[] = {"bundles", "pulls forward", "pulls back", "tile path forward",
                                        "tile path back"};
    int32_t bundles = m->stream->bundles, q = task - bundles;
    if (task < 0)
        snprintf(to, WLU_TASK_NAME, "nobody");
    else if (q < 0)
        snprintf(to, WLU_TASK_NAME, "bundle %d", task);
    else if (m->solve == NULL)
        snprintf(to, WLU_TASK_NAME, "tile %d", m->program->tile[q].tile);
    else if (m->solve->task[q].kind < 0 || m->solve->task[q].kind > WLU_TASK_TILE_PATH_BACK)
        snprintf(to, WLU_TASK_NAME, "task %d (of kind %d)", q, m->solve->task[q].kind);
    else
        snprintf(to, WLU_TASK_NAME, "task %d (%s)", q, works[m->solve->task[q].kind]);
    return to;
}

uint64_t wlu_machine_random(wlu_machine *m)
{
    m->random ^= m->random >> 12;
    m->random ^= m->random << 25;
    m->random ^= m->random >> 27;
    return m->random * UINT64_C(2685821657736338717);
}

uint64_t wlu_emulated_word(const void *v, const wlu_lanes *lanes, int64_t word)
{
    uint32_t half;
    float number;
    if (!lanes->single) return wlu_bits_of_double(((const double *)v)[word]);
    memcpy(&half, (const char *)v + sizeof half * (size_t)word, sizeof half);
    if (half == WLU_POISON_HALF) return WLU_POISON;
    memcpy(&number, &half, sizeof number);
    return wlu_bits_of_double((double)number);
}

void wlu_emulated_put(void *v, const wlu_lanes *lanes, int64_t word, uint64_t bits)
{
    uint32_t half = WLU_POISON_HALF;
    float number = (float)wlu_double_of_bits(bits);
    if (!lanes->single) {
        ((double *)v)[word] = wlu_double_of_bits(bits);
        return;
    }
    if (bits != WLU_POISON) memcpy(&half, &number, sizeof half);
    memcpy((char *)v + sizeof half * (size_t)word, &half, sizeof half);
}

wlu_lane_bits wlu_emulated_slot(const void *v, const wlu_lanes *lanes, int64_t slot)
{
    int64_t word = lanes->doubles * slot;
    return (wlu_lane_bits){wlu_emulated_word(v, lanes, word),
                           lanes->doubles > 1 ? wlu_emulated_word(v, lanes, word + 1) : 0};
}

/* What a word holds before a replay: poison, or a part of a constant. */
static uint64_t begin_with(const wlu_lanes *lanes, int64_t word, int64_t zero, int64_t minus_one)
{
    int64_t slot = word / lanes->doubles;
    if (slot == minus_one && word % lanes->doubles == 0) return wlu_bits_of_double(-1.0);
    return slot == zero || slot == minus_one ? 0 : WLU_POISON;
}

void wlu_machine_poison(void *v, const wlu_lanes *lanes, int64_t slots, int64_t zero, int64_t minus_one)
{
    for (int64_t k = 0; k < lanes->doubles * slots; k++)
        wlu_emulated_put(v, lanes, k, begin_with(lanes, k, zero, minus_one));
}

static void show(wlu_machine *m, int32_t word)
{
    wlu_emulated_put(m->v, m->lanes, word, m->written[word]);
    m->epoch++;
}

void wlu_machine_tick(wlu_machine *m)
{
    m->step++;
    if (m->under_way == 0) return;
    int32_t *list = &m->due[m->step % (uint64_t)(m->mode.delay + 1)];
    for (int32_t at = *list; at != WLU_NO_TASK; at = m->next[at]) {
        show(m, at);
        m->under_way--;
    }
    *list = WLU_NO_TASK;
}

void wlu_machine_begin(wlu_machine *m, void *v)
{
    m->v = v;
    m->under_way = 0;
    m->in_vain = 0;
    for (int32_t k = 0; k <= m->mode.delay; k++) m->due[k] = WLU_NO_TASK;
    for (int32_t k = 0; k < m->lanes->doubles * m->slots; k++) {
        uint64_t bits = wlu_emulated_word(v, m->lanes, k);
        if (bits != begin_with(m->lanes, k, m->zero, m->minus_one))
            wlu_machine_fail(m, "slot %d holds %016llx before the replay", m->split + k / m->lanes->doubles,
                             (unsigned long long)bits);
        m->writer[k] = WLU_NO_TASK;
    }
}

void wlu_machine_end(wlu_machine *m)
{
    char name[WLU_TASK_NAME];
    while (m->under_way > 0) wlu_machine_tick(m);
    for (int32_t k = 0; k < m->slots && m->status == WARPLU_SUCCESS; k++)
        if (m->owner[k] != WLU_NO_TASK && m->writer[m->lanes->doubles * k] == WLU_NO_TASK)
            wlu_machine_fail(m, "%s did not write slot %d", wlu_task_name(m, m->owner[k], name), m->split + k);
}

/* In place of what cannot be read. */
static wlu_lane_bits nothing(void)
{
    return (wlu_lane_bits){WLU_CANONICAL_NAN, 0};
}

/* A slot of the factorization, for solves. */
static wlu_lane_bits peek_factors(wlu_machine *m, const wlu_agent *a, int32_t slot)
{
    char name[WLU_TASK_NAME];
    wlu_lane_bits bits = wlu_emulated_slot(m->factors, m->lanes, slot);
    if (!wlu_is_missing(bits)) return bits;
    wlu_machine_fail(m, "%s reads slot %d, which the factorization has not written", wlu_task_name(m, a->task, name),
                     slot);
    return nothing();
}

/* A result in shared memory. */
static wlu_lane_bits peek_place(wlu_machine *m, const wlu_agent *a, int32_t place)
{
    char name[WLU_TASK_NAME];
    if (place < a->places) return a->place[place];
    wlu_machine_fail(m, "%s reads place %d of %d", wlu_task_name(m, a->task, name), place, a->places);
    return nothing();
}

/* One of a slot's words. */
static uint64_t peek_word(wlu_machine *m, const wlu_agent *a, int32_t at, int32_t word)
{
    char name[WLU_TASK_NAME];
    uint64_t bits = wlu_emulated_word(m->v, m->lanes, word);
    if (bits == WLU_POISON) return m->writer[word] == a->id ? m->written[word] : bits;
    if (m->writer[word] == WLU_NO_TASK && at != m->zero && at != m->minus_one)
        wlu_machine_fail(m, "%s reads slot %d, which nobody has written in this replay",
                         wlu_task_name(m, a->task, name), m->split + at);
    return bits;
}

wlu_lane_bits wlu_machine_peek(wlu_machine *m, const wlu_agent *a, int32_t slot)
{
    char name[WLU_TASK_NAME];
    if (slot < 0) return peek_place(m, a, ~slot);
    int32_t at = slot - m->split, doubles = m->lanes->doubles;
    if (at >= m->slots) {
        wlu_machine_fail(m, "%s reads slot %d of %d", wlu_task_name(m, a->task, name), slot, m->split + m->slots);
        return nothing();
    }
    if (at < 0) return peek_factors(m, a, slot);
    wlu_lane_bits x = {peek_word(m, a, at, doubles * at), 0};
    if (doubles > 1) x.im = peek_word(m, a, at, doubles * at + 1);
    return x;
}

void wlu_machine_want(wlu_machine *m, wlu_agent *a, int32_t slot, wlu_lane_bits *to)
{
    if (!wlu_is_missing(*to)) return;
    if (a->missing == WLU_WANTED_MOST) {
        wlu_machine_fail(m, "a task wants more than %d slots at once", WLU_WANTED_MOST);
        return;
    }
    a->wanted[a->missing++] = (wlu_wanted){slot, to};
}

int wlu_machine_poll(wlu_machine *m, wlu_agent *a)
{
    int32_t missing = 0;
    for (int32_t k = 0; k < a->missing; k++) {
        wlu_wanted w = a->wanted[k];
        *w.to = wlu_machine_peek(m, a, w.slot);
        if (wlu_is_missing(*w.to) && ++m->in_vain != m->mode.blind) a->wanted[missing++] = w;
    }
    a->missing = missing;
    a->epoch = missing > 0 ? m->epoch : WLU_AWAKE;
    return missing == 0;
}

wlu_lane_number wlu_machine_number(wlu_machine *m, const wlu_agent *a, wlu_lane_bits bits)
{
    char name[WLU_TASK_NAME];
    if (wlu_is_missing(bits))
        wlu_machine_fail(m, "%s computes with a slot that is not there yet", wlu_task_name(m, a->task, name));
    return wlu_lane_number_of(bits);
}

int32_t wlu_machine_owner(const wlu_machine *m, int32_t slot)
{
    int32_t at = slot - m->split;
    return at < 0 || at >= m->slots ? WLU_NO_TASK : m->owner[at];
}

/* Others see a word now, or some steps later. */
static void publish_word(wlu_machine *m, const wlu_agent *a, int32_t word, double x)
{
    m->writer[word] = a->id;
    m->written[word] = wlu_bits_of_double(wlu_lane_publishable(x));
    uint64_t delay = m->mode.delay > 0 ? wlu_machine_random(m) % (uint64_t)(m->mode.delay + 1) : 0;
    if (delay == 0) {
        show(m, word);
        return;
    }
    int32_t *list = &m->due[(m->step + delay) % (uint64_t)(m->mode.delay + 1)];
    m->next[word] = *list;
    *list = word;
    m->under_way++;
}

void wlu_machine_publish(wlu_machine *m, const wlu_agent *a, int32_t slot, wlu_lane_number x)
{
    char name[WLU_TASK_NAME], owner[WLU_TASK_NAME];
    int32_t at = slot - m->split, task = wlu_machine_owner(m, slot), doubles = m->lanes->doubles;
    if (task != a->task) {
        wlu_machine_fail(m, "%s writes slot %d, which is %s's", wlu_task_name(m, a->task, name), slot,
                         wlu_task_name(m, task, owner));
        return;
    }
    if (m->writer[doubles * at] != WLU_NO_TASK) {
        wlu_machine_fail(m, "%s writes slot %d twice", wlu_task_name(m, a->task, name), slot);
        return;
    }
    publish_word(m, a, doubles * at, x.re);
    if (doubles > 1) publish_word(m, a, doubles * at + 1, x.im);
}

void wlu_machine_share(wlu_machine *m, const wlu_agent *a, int32_t place, wlu_lane_number x)
{
    char name[WLU_TASK_NAME];
    if (place < 0 || place >= a->places || !wlu_is_missing(a->place[place])) {
        wlu_machine_fail(m, "%s writes place %d of %d%s", wlu_task_name(m, a->task, name), place, a->places,
                         place >= 0 && place < a->places ? " twice" : "");
        return;
    }
    a->place[place] =
        (wlu_lane_bits){wlu_bits_of_double(wlu_lane_publishable(x.re)), wlu_bits_of_double(wlu_lane_publishable(x.im))};
    m->epoch++;
}

wlu_lane_number wlu_machine_source(const wlu_machine *m, int32_t at, uint16_t power)
{
    const wlu_lanes *lanes = m->lanes;
    if (at < 0) return wlu_lane_zero();
    const double *from = m->state->source + lanes->doubles * (int64_t)at;
    wlu_lane_number x = {from[0], lanes->doubles > 1 ? from[1] : 0.0};
    if (lanes->single) x.re *= m->state->scale;
    return lanes->load(x, power);
}
