/* What tests of both engines of libwarpmodel share, lanes that are members and lanes that are instances: runs by
 * each. */
#ifndef WLU_TEST_MODEL_ENGINES_H
#define WLU_TEST_MODEL_ENGINES_H

#include <math.h>

#include "model/api.h"

/* Where messages go. */
static char *last;

static inline void take_message(warplu_status status, const char *text, void *user)
{
    (void)status, (void)user;
    if (last != NULL) snprintf(last, 512, "%s", text);
}

static inline warplu_model *parsed_with(const char *text)
{
    warplu_model *model = NULL;
    warplu_model_options options;
    warplu_model_init_options(&options);
    options.message = take_message;
    CHECK(warplu_model_parse(&model, "test.wm", text, (int64_t)strlen(text), &options) == WARPLU_SUCCESS);
    return model;
}

static inline warplu_status attempt(const warplu_model *model, warplu_lanes lanes, warplu_method method, double dt,
                                    double t, warplu_sim **sim, char *said)
{
    warplu_sim_options options = defaults();
    options.lanes = lanes, options.method = method, options.dt = dt;
    said[0] = '\0';
    warplu_status status = warplu_sim_create(sim, model, &options);
    if (status == WARPLU_SUCCESS) status = warplu_sim_run(*sim, t);
    if (*sim != NULL) strcpy(said, warplu_sim_get_message(*sim));
    return status;
}

/* Runs to 1 by both engines, and compares a value. */
static inline void expect_alike(const char *text, warplu_method method, double dt, const char *name, double exact,
                                double tolerance)
{
    warplu_model *model = parsed(text);
    char said[512];
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim *sim = NULL;
        warplu_status status = attempt(model, (warplu_lanes)lanes, method, dt, 1.0, &sim, said);
        CHECK_SAY(status == WARPLU_SUCCESS, "lanes %d, method %d: %d, %s", lanes, (int)method, (int)status, said);
        if (status == WARPLU_SUCCESS) {
            double found = value_of(sim, name, 0);
            CHECK_SAY(fabs(found - exact) <= tolerance, "lanes %d, method %d: %.12g", lanes, (int)method, found);
        }
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

#endif
