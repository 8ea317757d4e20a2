/* Copies for jobs of the host. See cuda_copies.h. Threads share members, or numbers where members are side by side. */
#include "exec/batch/cuda_copies.h"

#include <string.h>

/* A thread more for each so many numbers: less is done before the others are there. */
enum { NUMBERS_A_THREAD = 1 << 13 };

void wlu_batch_lay_out(wlu_batch_copies *c, int64_t by_member)
{
    const int64_t one = c->doubles;
    int side_by_side = by_member == one;
    c->room_by_member = side_by_side ? one : by_member == 0 ? 0 : one * c->numbers;
    c->room_by_number = side_by_side ? one * c->count : one;
}

/* Numbers of one member, one after the other in the room. */
static void copy_member(const wlu_batch_copies *c, int32_t i)
{
    int64_t there = c->member[i] * c->by_member, here = i * c->room_by_member;
    const double *from = c->from + (c->out ? here : there);
    double *to = c->to + (c->out ? there : here);
    int64_t one = c->doubles, step_from = c->out ? one : c->by_number, step_to = c->out ? c->by_number : one;
    if (c->by_number == one)
        memcpy(to, from, (size_t)(one * c->numbers) * sizeof *to);
    else
        wlu_copy_numbers(c->numbers, one, from, step_from, to, step_to);
}

/* One number of all members, side by side. */
static void copy_number(const wlu_batch_copies *c, int32_t k)
{
    int64_t there = k * c->by_number, here = k * c->room_by_number, one = c->doubles;
    for (int32_t i = 0; i < c->count; i++)
        for (int64_t q = 0; q < one; q++) {
            int64_t of_caller = there + one * c->member[i] + q, of_room = here + one * i + q;
            c->to[c->out ? of_caller : of_room] = c->from[c->out ? of_room : of_caller];
        }
}

/* Members that there are in the room. */
static int32_t members_of(const wlu_batch_copies *c)
{
    return c->room_by_member == 0 ? 1 : c->count;
}

static void copy_part(const wlu_batch_copies *c, int part, int parts)
{
    int side_by_side = c->room_by_number != c->doubles;
    int64_t units = side_by_side ? c->numbers : members_of(c);
    for (int64_t k = units * part / parts; k < units * (part + 1) / parts; k++) {
        if (side_by_side)
            copy_number(c, (int32_t)k);
        else
            copy_member(c, (int32_t)k);
    }
}

static void run_part(void *argument, wlu_member *me)
{
    copy_part(argument, me->index, me->members);
}

static void copy(wlu_team *team, wlu_batch_copies *c)
{
    int64_t wanted = (int64_t)c->count * c->numbers / NUMBERS_A_THREAD;
    int members =
        team == NULL || wanted < 2 ? 1 : wlu_team_gather(team, wanted < WLU_TEAM_MOST ? (int)wanted : WLU_TEAM_MOST);
    if (members > 1)
        wlu_team_run(team, members, run_part, c);
    else
        copy_part(c, 0, 1);
}

int64_t wlu_batch_bring(wlu_team *team, wlu_batch_copies *c, const wlu_member_view *view, int32_t column, double *room)
{
    wlu_batch_lay_out(c, view->by_member);
    c->from = view->at + column * view->by_column;
    c->to = room;
    c->by_member = view->by_member;
    c->by_number = view->by_number;
    c->out = 0;
    copy(team, c);
    return c->doubles * (int64_t)members_of(c) * c->numbers;
}

void wlu_batch_deliver(wlu_team *team, wlu_batch_copies *c, const wlu_member_output *view, int32_t column,
                       const double *room)
{
    wlu_batch_lay_out(c, view->by_member);
    c->from = room;
    c->to = view->at + column * view->by_column;
    c->by_member = view->by_member;
    c->by_number = view->by_number;
    c->out = 1;
    copy(team, c);
}
