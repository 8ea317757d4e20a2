/* Deals runs of 64 members to the threads of a team, evenly, and takes the worst of their statuses. Runs stay whole,
 * for a run is what fills the lanes of one thread. */
#include "model/step/batch.h"

#include <string.h>

#include "base/team.h"

typedef struct batch {
    const wlm_stepper *stepper;
    const wlm_drive *drive;
    int64_t members;
    warplu_status *status; /* for each thread */
    wlu_context *ctx;      /* for each thread: its messages are written there */
} batch;

/* Returns the first member of a thread: threads get whole runs of 64, as evenly as can be. */
static int64_t begin_of(int64_t members, int index, int threads)
{
    int64_t runs = (members + WLM_LANES - 1) / WLM_LANES, first = runs / threads * index;
    first += runs % threads < index ? runs % threads : index;
    return first * WLM_LANES < members ? first * WLM_LANES : members;
}

static void drive_part(void *argument, wlu_member *me)
{
    batch *b = argument;
    int64_t first = begin_of(b->members, me->index, me->members);
    int64_t end = begin_of(b->members, me->index + 1, me->members);
    wlm_stepper mine = *b->stepper;
    b->ctx[me->index] = *mine.ctx;
    mine.ctx = &b->ctx[me->index];
    b->status[me->index] = wlm_drive_members(&mine, b->drive, first, end - first);
}

/* Returns the worst status: an error before failed members, these before success. */
static warplu_status gather(const batch *b, int count)
{
    int worst = 0;
    for (int k = 1; k < count; k++)
        if (b->status[k] < WARPLU_SUCCESS || b->status[worst] == WARPLU_SUCCESS) worst = k;
    memcpy(b->stepper->ctx->last_message, b->ctx[worst].last_message, sizeof b->ctx->last_message);
    return b->status[worst];
}

warplu_status wlm_drive_batch(const wlm_stepper *stepper, const wlm_drive *drive, int64_t members, int threads)
{
    wlu_context *ctx = stepper->ctx;
    int64_t runs = (members + WLM_LANES - 1) / WLM_LANES;
    wlu_team *team = NULL;
    int most = threads > 0 ? threads : wlu_team_processors();
    if (most > WLU_TEAM_MOST) most = WLU_TEAM_MOST;
    if (runs < most) most = runs > 1 ? (int)runs : 1;
    if (most == 1) return wlm_drive_members(stepper, drive, 0, members);
    batch b = {stepper, drive, members, WLU_ALLOC(ctx, most, warplu_status), WLU_ALLOC(ctx, most, wlu_context)};
    int room = b.status != NULL && b.ctx != NULL;
    warplu_status status = room ? wlu_team_create(ctx, most, &team) : wlu_fail_memory(ctx, "step");
    if (status == WARPLU_SUCCESS) {
        int count = wlu_team_gather(team, most);
        wlu_team_run(team, count, drive_part, &b);
        status = gather(&b, count);
    }
    wlu_team_destroy(ctx, &team);
    wlu_free(ctx, b.status);
    wlu_free(ctx, b.ctx);
    return status;
}
