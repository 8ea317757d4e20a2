/* Chains side by side that have most of their first, or of their second operands in common, which are then loaded once
 * for four. See lanes.h. */
#include "exec/batch/lanes_pack.h"

/* Four chains share operands where they have this many terms a step: a step is five loads, a term alone two. */
static const double SHARE_LEAST = 2.7;

/* Whether some chain comes to operand o later on. */
static int comes_later(const wlu_lanes_packer *p, const wlu_sort_entry *at, const int64_t *next, int32_t o)
{
    for (int q = 0; q < 4; q++) {
        const wlu_lanes_seat *of = &p->seat[4 * (int64_t)o + q];
        if (of->record == at[q].record && of->term > next[q]) return 1;
    }
    return 0;
}

static int all_at_one(const wlu_lanes_packer *p, const wlu_sort_entry *at, const int64_t *next, int side)
{
    for (int q = 0; q < 4; q++)
        if (next[q] == wlu_lanes_terms(p, at[q].record) ||
            wlu_lanes_operand(p, at[q].record, next[q], side) != wlu_lanes_operand(p, at[0].record, next[0], side))
            return 0;
    return 1;
}

/* Terms that the longest of what is left has. */
static int64_t longest_left(const wlu_lanes_packer *p, const wlu_sort_entry *at, const int64_t *next)
{
    int64_t longest = 0;
    for (int q = 0; q < 4; q++) {
        int64_t left = wlu_lanes_terms(p, at[q].record) - next[q];
        longest = left > longest ? left : longest;
    }
    return longest;
}

/* The chain whose operand is next: one that no other has further on, of these that which most have; or -1. */
static int lead_of(const wlu_lanes_packer *p, const wlu_sort_entry *at, const int64_t *next, int side)
{
    int lead = -1, most = 0;
    if (all_at_one(p, at, next, side)) return 0;
    for (int q = 0; q < 4; q++) {
        if (next[q] == wlu_lanes_terms(p, at[q].record)) continue;
        int32_t o = wlu_lanes_operand(p, at[q].record, next[q], side);
        int worth = comes_later(p, at, next, o) ? 1 : 5;
        for (int other = 0; other < 4; other++)
            worth += next[other] < wlu_lanes_terms(p, at[other].record) &&
                     wlu_lanes_operand(p, at[other].record, next[other], side) == o;
        if (worth <= most) continue;
        lead = q;
        most = worth;
    }
    return lead;
}

/* Merges the terms of four chains into steps, each of one operand on `side` and of those that go with it; a chain that
 * has no such term then has 0. Chains keep their order. Returns the steps, or -1 where there would be more than `most`:
 * step k is the terms merge[4 k ..] of the chains, or -1. */
static int64_t merge_terms(wlu_lanes_packer *p, const wlu_sort_entry *at, int side, int64_t most)
{
    int64_t next[4] = {0}, steps = 0;
    for (int q = 0; q < 4; q++)
        for (int64_t k = 0; k < wlu_lanes_terms(p, at[q].record); k++)
            p->seat[4 * (int64_t)wlu_lanes_operand(p, at[q].record, k, side) + q] = (wlu_lanes_seat){at[q].record, k};
    for (;; steps++) {
        int64_t *step = p->merge + 4 * steps;
        int64_t left = longest_left(p, at, next);
        if (left == 0) return steps;
        if (steps + left > most) return -1;
        int lead = lead_of(p, at, next, side);
        int32_t o = wlu_lanes_operand(p, at[lead].record, next[lead], side);
        for (int q = 0; q < 4; q++) {
            int has =
                next[q] < wlu_lanes_terms(p, at[q].record) && wlu_lanes_operand(p, at[q].record, next[q], side) == o;
            step[q] = has ? next[q]++ : -1;
        }
    }
}

/* In a solve they have to have all of them in common: an infinite right-hand side times 0 is NaN. */
int64_t wlu_lanes_share(wlu_lanes_packer *p, const wlu_sort_entry *at, int *side)
{
    int64_t terms = 0, longest = 0;
    for (int q = 0; q < 4; q++) {
        int64_t of = wlu_lanes_terms(p, at[q].record);
        terms += of;
        longest = of > longest ? of : longest;
    }
    int64_t most = p->own >= 0 ? (4 * longest == terms ? longest : -1) : (int64_t)((double)terms / SHARE_LEAST);
    if (most < longest) return -1;
    if (most > p->merge_room) most = p->merge_room;
    for (*side = 0; *side < 2; ++*side) {
        int64_t steps = merge_terms(p, at, *side, most);
        if (steps >= 0) return steps;
    }
    return -1;
}

int wlu_lanes_put_shared(wlu_lanes_packer *p, const wlu_sort_entry *at, int64_t steps, int side)
{
    if (!wlu_lanes_make_room(p, 3 + 4 * 3 + 5 * steps)) return 0;
    wlu_lanes_begin_run(p, at->record, side == 0 ? WLU_LANES_SHARED_A : WLU_LANES_SHARED_B, 1);
    wlu_lanes_word(p, (uint32_t)steps);
    for (int q = 0; q < 4; q++) wlu_lanes_put_head(p, at[q].record);
    for (int64_t k = 0; k < steps; k++) {
        const int64_t *step = p->merge + 4 * k;
        int lead = 0;
        while (step[lead] < 0) lead++;
        wlu_lanes_put_operand(p, at[lead].record, step[lead], side);
        for (int q = 0; q < 4; q++)
            wlu_lanes_put_operand(p, at[q].record, step[q] < 0 ? wlu_lanes_terms(p, at[q].record) : step[q], 1 - side);
    }
    return 1;
}
