/* What the tests of warplu/model.h share: a model from a text, and a simulation with its message. */
#ifndef WLU_TEST_MODEL_API_H
#define WLU_TEST_MODEL_API_H

#include <string.h>
#include <warplu/model.h>

#include "support/check.h"

/* x = x0 exp(-g t). */
static const char decay_text[] = "element cell()\n"
                                 "  param g = 2\n"
                                 "  param x0 = 1\n"
                                 "  state x = x0\n"
                                 "  x' = -g*x\n"
                                 "  twice = 2*x\n"
                                 "end\n"
                                 "use cell()\n"
                                 "run rodas4 to 1 every 0.25\n"
                                 "watch cell.x, cell.twice\n";

/* x = 1/(1/x0 - g t), which ends at t = 1/(g x0). */
static const char blow_up_text[] = "element cell()\n"
                                   "  param g = 2\n"
                                   "  state x = 1\n"
                                   "  x' = g*x^2\n"
                                   "end\n"
                                   "use cell()\n";

static inline warplu_model *parsed(const char *text)
{
    warplu_model *model = NULL;
    warplu_status status = warplu_model_parse(&model, "test.wm", text, (int64_t)strlen(text), NULL);
    CHECK_SAY(status == WARPLU_SUCCESS && model != NULL, "%s", warplu_status_name(status));
    return model;
}

static inline int64_t handle_of(warplu_sim *sim, const char *name)
{
    int64_t handle = -1;
    CHECK_SAY(warplu_sim_find(sim, name, &handle) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
    return handle;
}

static inline double value_of(warplu_sim *sim, const char *name, int64_t member)
{
    double value = -1e300;
    CHECK_SAY(warplu_sim_get(sim, handle_of(sim, name), member, 1, &value) == WARPLU_SUCCESS, "%s",
              warplu_sim_get_message(sim));
    return value;
}

static inline warplu_sim_options defaults(void)
{
    warplu_sim_options options;
    warplu_sim_init_options(&options);
    return options;
}

static inline warplu_sim *made(const warplu_model *model, const warplu_sim_options *options)
{
    warplu_sim *sim = NULL;
    warplu_status status = warplu_sim_create(&sim, model, options);
    CHECK_SAY(status == WARPLU_SUCCESS && sim != NULL, "%s", warplu_status_name(status));
    return sim;
}

#endif
