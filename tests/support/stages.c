/* Stages ahead of their time. See stages.h. */
#include "stages.h"

#include "solver/parts.h"

void test_hasten_stage(warplu_solver *s)
{
    if (s->current.plan == NULL || s->options.ordering == WARPLU_ORDERING_GIVEN) return;
    if (s->current.state == NULL)
        s->current.service.compile_after = 0;
    else
        s->growth.race_after = s->growth.any_gain = 1;
}

void test_replay_first(warplu_solver *s)
{
    s->replays_first = 1;
}

void test_hasten_limits(warplu_solver *s)
{
    s->trust.limits_after = 0;
}

int test_is_limited(const warplu_solver *s)
{
    return s->trust.limited == WLU_BOUNDED;
}
