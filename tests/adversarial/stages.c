/* Stages at drawn steps. See stages.h. */
#include "stages.h"

#include "draw.h"
#include "solver/parts.h"

uint32_t stages_draw(uint64_t *seed, int halvings)
{
    uint32_t stages = UINT32_MAX;
    for (int k = 0; k < halvings; k++) stages &= (uint32_t)(check_random(seed) >> 32);
    return stages;
}

void stages_hasten(warplu_solver *s)
{
    if (s->current.plan == NULL || s->options.ordering == WARPLU_ORDERING_GIVEN) return;
    if (s->current.state == NULL)
        s->current.service.compile_after = 0;
    else
        s->growth.race_after = s->growth.any_gain = 1;
}
