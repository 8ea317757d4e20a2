/* Calls that one engine alone has: matrices and values of large systems, for a caller's own loops, and the program of a
 * step of members. */
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "model/api/engine.h"
#include "model/system/system.h"

/* Finds the system that is stamped. WARPLU_WRONG_PHASE where the simulation has none. */
static warplu_status find_system(warplu_sim *sim, struct wlm_system **out)
{
    *out = sim->engine->system != NULL ? sim->engine->system(sim) : NULL;
    if (*out != NULL) return WARPLU_SUCCESS;
    return wlu_fail(&sim->ctx, WARPLU_WRONG_PHASE,
                    "no matrix: expected lanes that are instances, and an implicit method");
}

warplu_status warplu_sim_get_pattern(warplu_sim *sim, int32_t *n, const int32_t **ptr, const int32_t **idx)
{
    struct wlm_system *system;
    if (sim == NULL || n == NULL || ptr == NULL || idx == NULL) return WARPLU_INVALID_ARGUMENT;
    warplu_status status = find_system(sim, &system);
    if (status < 0) return status;
    *n = system->pattern.n;
    *ptr = system->pattern.ptr;
    *idx = system->pattern.idx;
    return WARPLU_SUCCESS;
}

warplu_status warplu_sim_evaluate(warplu_sim *sim, double t, const double *y, double alpha, double beta, double *values,
                                  double *q, double *f)
{
    struct wlm_system *system;
    wlu_environment environment;
    if (sim == NULL || y == NULL) return WARPLU_INVALID_ARGUMENT;
    warplu_status status = find_system(sim, &system);
    if (status < 0) return status;
    double *room = f == NULL && values != NULL ? WLU_ALLOC(&sim->ctx, system->pattern.n, double) : NULL;
    if (f == NULL && values != NULL && room == NULL) return wlu_fail_memory(&sim->ctx, "evaluation");
    wlu_environment_enter(&environment);
    if (values != NULL)
        wlm_system_stamp(system, t, y, alpha, beta, f != NULL ? f : room, q, values); /* f needs room in any case */
    else
        wlm_system_evaluate(system, t, y, f, q);
    wlu_environment_leave(&environment);
    wlu_free(&sim->ctx, room);
    return WARPLU_SUCCESS;
}

/* Hands out a text line by line. */
static warplu_status hand_out(char *text, int (*write)(const char *line, void *user), void *user)
{
    for (char *line = text, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        if (end == NULL) end = line + strlen(line) - 1;
        *end = '\0';
        if (write(line, user) != 0) return WARPLU_CANNOT_WRITE;
    }
    return WARPLU_SUCCESS;
}

warplu_status warplu_sim_disassemble(warplu_sim *sim, int (*write)(const char *line, void *user), void *user)
{
    char *text = NULL;
    size_t bytes = 0;
    if (sim == NULL || write == NULL) return WARPLU_INVALID_ARGUMENT;
    if (sim->engine->disassemble == NULL)
        return wlu_fail(&sim->ctx, WARPLU_WRONG_PHASE, "no program of a step: expected lanes that are members");
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL) return wlu_fail_memory(&sim->ctx, "disassembly");
    sim->engine->disassemble(sim, out);
    warplu_status status = fclose(out) == 0 ? hand_out(text, write, user) : wlu_fail_memory(&sim->ctx, "disassembly");
    free(text);
    return status;
}
