/* Numbers of members between callers and pinned memory, by as many threads as the batch has. */
#ifndef WLU_EXEC_BATCH_CUDA_COPIES_H
#define WLU_EXEC_BATCH_CUDA_COPIES_H

#include "exec/batch/batch.h"

/* The caller's numbers are of members member[0] .. member[count - 1]; in the room they lie one member after the other,
 * or where the caller has members side by side, number by number. */
typedef struct wlu_batch_copies {
    const int32_t *member;
    int32_t count, numbers, doubles; /* doubles: of a number; all strides are in these */
    int64_t room_by_member, room_by_number;
    /* The copy's own: */
    const double *from;
    double *to;
    int64_t by_member, by_number; /* the caller's */
    int out;                      /* from the room to the caller */
} wlu_batch_copies;

/* How they lie in the room: 0 of by_member is one for all. */
void wlu_batch_lay_out(wlu_batch_copies *c, int64_t by_member);
/* A column into the room. Returns how many doubles. team may be NULL. */
int64_t wlu_batch_bring(wlu_team *team, wlu_batch_copies *c, const wlu_member_view *view, int32_t column, double *room);
/* A column out of it. */
void wlu_batch_deliver(wlu_team *team, wlu_batch_copies *c, const wlu_member_output *view, int32_t column,
                       const double *room);

#endif
