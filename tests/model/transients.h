/* Transients of models by hand, for tests. */
#ifndef WLU_TEST_TRANSIENTS_H
#define WLU_TEST_TRANSIENTS_H

#include <stdlib.h>

#include "model/system/transient.h"
#include "networks.h"
#include "support/check.h"

static wlu_context ctx;

static inline wlm_transient *begin_with(hand *h, const wlm_transient_options *o)
{
    wlm_transient *s = NULL;
    wlu_context_init(&ctx, NULL);
    warplu_status status = wlm_transient_create(&ctx, &h->model, o, &s);
    CHECK_SAY(status == WARPLU_SUCCESS, "%d: %s", (int)status, ctx.last_message);
    if (s == NULL) abort();
    return s;
}

static inline wlm_transient *begin(hand *h, wlm_method method, double step)
{
    wlm_transient_options o;
    wlm_transient_options_init(&o);
    o.method = method;
    o.step = step;
    return begin_with(h, &o);
}

static inline void run(wlm_transient *s, double t)
{
    warplu_status status = wlm_transient_run(s, t);
    CHECK_SAY(status == WARPLU_SUCCESS, "%d: %s", (int)status, ctx.last_message);
}

#endif
