/* Whether lists of warps keep the order that their slots ask for, however fast each warp is. See by_batch.h.
 *
 * Every record has a clock: how many records of each warp are surely done before it, by what it and those before it
 * have waited for. A read comes after the slot's last write, a write after that and after all reads since. */
#include "by_batch.h"

#include <stdlib.h>
#include <string.h>

enum { WARPS = WLU_GROUP_LANES };

typedef struct clock_of {
    int32_t done[WARPS];
} clock_of;

typedef struct slot_of {
    int writer;          /* warp, or -1 */
    int32_t written;     /* records of it that are done once this is */
    int32_t read[WARPS]; /* the same of readers since */
} slot_of;

typedef struct order {
    const wlu_group_stream *s;
    clock_of *clock; /* after each record */
    slot_of *slot;
    int64_t slots;                /* places of the ring follow them */
    int32_t tile[WLU_GROUP_RING]; /* first entry of what is there */
    int32_t at[WARPS];
    const int32_t *pair[WARPS];
    int one_space; /* first operands and divisors are slots that records write */
} order;

static void join(clock_of *to, const clock_of *other)
{
    for (int w = 0; w < WARPS; w++)
        if (other->done[w] > to->done[w]) to->done[w] = other->done[w];
}

static int read_slot(order *o, int w, int32_t done, const clock_of *now, int32_t slot)
{
    slot_of *at = &o->slot[slot];
    at->read[w] = done;
    return at->writer < 0 || at->writer == w || now->done[at->writer] >= at->written;
}

/* The entry that a record starts from, in the ring. */
static int read_ring(order *o, int w, int32_t done, const clock_of *now, const wlu_group_record *r)
{
    int32_t place = r->ring / WLU_GROUP_TILE, at = o->tile[place] + r->ring % WLU_GROUP_TILE;
    return read_slot(o, w, done, now, (int32_t)o->slots + place) && o->slot[o->slots + place].writer >= 0 &&
           o->s->entry[at] == ~r->start;
}

/* The next record of a warp, all of whose needs are there. 0: what it needs may not be. */
static int check_record(order *o, int w)
{
    const wlu_group_record *r = &o->s->record[o->at[w]];
    int32_t own = o->at[w] - o->s->first[w];
    clock_of now = {{0}};
    if (own > 0) now = o->clock[o->at[w] - 1];
    for (int k = 0; r->need >= 0 && k < WARPS; k++) {
        int32_t need = o->s->need[(int64_t)WARPS * r->need + k];
        if (need > 0 && !o->s->record[o->s->first[k] + need - 1].tells) return 0;
        if (need > 0) join(&now, &o->clock[o->s->first[k] + need - 1]);
    }
    now.done[w] = own;
    int right = 1, loads = r->opcode == WLU_LOAD;
    if (r->start < 0 && o->s->entry != NULL && o->one_space) right &= read_ring(o, w, own + 1, &now, r);
    if (r->opcode != WLU_RCP && r->start >= 0 && !loads) right &= read_slot(o, w, own + 1, &now, r->start);
    if (r->divisor >= 0 && o->one_space) right &= read_slot(o, w, own + 1, &now, r->divisor);
    for (int32_t k = 0; k < r->terms; k++) {
        if (o->one_space) right &= read_slot(o, w, own + 1, &now, o->pair[w][2 * k]);
        right &= read_slot(o, w, own + 1, &now, o->pair[w][2 * k + 1]);
    }
    int64_t place = r->start / WLU_GROUP_TILE;
    slot_of *to = loads ? &o->slot[o->slots + place] : &o->slot[r->target];
    if (loads) o->tile[place] = r->target;
    right &= to->writer < 0 || to->writer == w || now.done[to->writer] >= to->written;
    for (int k = 0; k < WARPS; k++) right &= k == w || now.done[k] >= to->read[k];
    memset(to->read, 0, sizeof to->read);
    to->writer = w;
    to->written = now.done[w] = own + 1;
    o->clock[o->at[w]++] = now;
    o->pair[w] += 2 * r->terms;
    return right;
}

static int is_ready(const order *o, int w)
{
    if (o->at[w] == o->s->first[w + 1]) return 0;
    int32_t need = o->s->record[o->at[w]].need;
    for (int k = 0; need >= 0 && k < WARPS; k++)
        if (k < o->s->warps ? o->at[k] - o->s->first[k] < o->s->need[(int64_t)WARPS * need + k]
                            : o->s->need[(int64_t)WARPS * need + k] > 0)
            return 0;
    return 1;
}

int by_batch_in_order(const wlu_group_stream *s, int64_t slots, int one_space)
{
    int32_t left = s->first[s->warps];
    order o = {.s = s,
               .clock = calloc((size_t)left + 1, sizeof(clock_of)),
               .slot = calloc((size_t)slots + WLU_GROUP_RING, sizeof(slot_of)),
               .slots = slots,
               .one_space = one_space};
    int right = o.clock != NULL && o.slot != NULL;
    for (int64_t k = 0; k < slots + WLU_GROUP_RING && right; k++) o.slot[k].writer = -1;
    for (int w = 0; w < s->warps; w++) {
        o.at[w] = s->first[w];
        o.pair[w] = s->pair + 2 * s->first_pair[w];
    }
    for (int moved = 1; left > 0 && right && moved;) {
        moved = 0;
        for (int w = 0; w < s->warps && right; w++)
            for (; right && is_ready(&o, w); moved = 1, left--) right = check_record(&o, w);
    }
    free(o.clock);
    free(o.slot);
    return right && left == 0;
}
