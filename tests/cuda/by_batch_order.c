/* Whether lists of warps keep the order that their slots ask for. See by_batch.h.
 *
 * Records of one step need nothing of each other: what one reads was written in an earlier step, or not at all; what
 * one writes was written and read in earlier ones; but for the slot that lists' first bundles write, which nobody
 * reads. All warps count as many steps. */
#include "by_batch.h"

#include <stdlib.h>
#include <string.h>

enum { SIDES = WLU_GROUP_SIDES };

/* Steps in which a slot was last written, and read; -1: never. */
typedef struct slot_of {
    int64_t written, read;
} slot_of;

typedef struct order {
    const wlu_group_stream *s;
    slot_of *slot;
    int64_t step, spare;
    int32_t at[WLU_WARP];
    int64_t next[WLU_WARP]; /* step of the next bundle */
    int one_space;          /* first operands and divisors are slots that records write */
} order;

static int read_slot(order *o, int32_t slot)
{
    o->slot[slot].read = o->step;
    return o->slot[slot].written < o->step && slot != o->spare;
}

static int check_reads(order *o, const wlu_group_record *r, const int32_t *pair)
{
    int right = 1;
    if (r->opcode != WLU_RCP && r->start >= 0) right &= read_slot(o, r->start);
    if (r->divisor >= 0 && o->one_space) right &= read_slot(o, r->divisor);
    for (int32_t k = 0; k < r->terms; k++, pair += 2) {
        if (o->one_space) right &= read_slot(o, pair[0]);
        right &= read_slot(o, pair[1]);
    }
    return right;
}

/* Its own start may be its target. */
static int check_write(order *o, const wlu_group_record *r, int64_t read_before)
{
    slot_of *to = &o->slot[r->target];
    int right = to->written < o->step && (to->read < o->step || (r->start == r->target && read_before < o->step));
    if (r->target != o->spare) to->written = o->step;
    return right;
}

/* Reads of other sides come before a side's write, or its slot is theirs in one step. */
static int check_bundle(order *o, int w)
{
    int right = 1;
    for (int side = 0; side < SIDES; side++) {
        const wlu_group_bundle *b = &o->s->bundle[o->at[w]];
        const wlu_group_record *r = &b->record[side];
        int64_t read_before = o->slot[r->target].read;
        right &= check_reads(o, r, b->pair[side]) && check_write(o, r, read_before);
    }
    return right;
}

static void move_on(order *o, int w)
{
    o->at[w]++;
    if (o->at[w] < o->s->first[w + 1]) o->next[w] = o->step + o->s->bundle[o->at[w]].record->barriers;
}

int by_batch_in_order(const wlu_group_stream *s, int64_t slots, int one_space)
{
    order o = {.s = s,
               .slot = malloc(((size_t)slots + 1) * sizeof(slot_of)),
               .spare = s->bundle[0].record[0].target,
               .one_space = one_space};
    int right = o.slot != NULL;
    int64_t left = s->first[s->warps], steps = -1;
    for (int64_t k = 0; k < slots && right; k++) o.slot[k] = (slot_of){-1, -1};
    for (int w = 0; w < s->warps; w++) {
        o.at[w] = s->first[w];
        o.next[w] = s->first[w] < s->first[w + 1] ? s->bundle[s->first[w]].record->barriers : 0;
    }
    for (; left > 0 && right; o.step++)
        for (int w = 0; w < s->warps && right; w++)
            for (; right && o.at[w] < s->first[w + 1] && o.next[w] == o.step; left--) {
                right = check_bundle(&o, w);
                move_on(&o, w);
                if (o.at[w] == s->first[w + 1]) o.next[w] = o.step;
            }
    for (int w = 0; w < s->warps; w++) {
        if (steps < 0) steps = o.next[w] + s->last[w];
        right &= steps == o.next[w] + s->last[w];
    }
    free(o.slot);
    return right && left == 0;
}
