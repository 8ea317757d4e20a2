/* Totals: the sums of a name over a range of nodes or instances, "sum cell[3..9].r", by handles of their own behind the
 * engine's. They are made when they are asked for, and added in the order of the range. Cost: a handle for each number
 * of the range, and reading all. */
#include "model/api/totals.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 200 };
static const char word[] = "sum ";

int wlm_names_total(const char *name)
{
    return strncmp(name, word, sizeof word - 1) == 0;
}

/* Splits "sum OWNER[FIRST..LAST].REST"; returns 0 where it is none. */
static int split(const char *name, int *owner, int64_t *first, int64_t *last, const char **rest)
{
    long long from, to;
    int open = 0, close = 0;
    const char *text = name + sizeof word - 1;
    if (sscanf(text, "%*[^][.]%n[%lld..%lld%n", &open, &from, &to, &close) != 2 || text[close] != ']') return 0;
    *owner = open, *first = from, *last = to, *rest = text + close + 1;
    return from >= 0 && from <= to && to - from < INT32_MAX;
}

/* Finds the handles of all parts; fails with the first name that is none. */
static warplu_status find_parts(warplu_sim *sim, const char *name, wlm_total *out)
{
    int owner;
    int64_t first, last;
    const char *rest;
    if (!split(name, &owner, &first, &last, &rest))
        return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "'%s': expected 'sum NAME[FIRST..LAST].QUANTITY'", name);
    out->count = last - first + 1;
    out->handle = wlm_take(&sim->kept, out->count, sizeof *out->handle);
    out->name = wlm_take_text(&sim->kept, name, (int64_t)strlen(name));
    if (out->handle == NULL || out->name == NULL) return wlu_fail_memory(&sim->ctx, "a sum");
    for (int64_t k = 0; k < out->count; k++) {
        wlm_suggestion suggestion;
        char part[NAME_BYTES];
        snprintf(part, sizeof part, "%.*s[%lld]%s", owner, name + sizeof word - 1, (long long)(first + k), rest);
        out->handle[k] = sim->engine->find(sim, part, &suggestion);
        if (out->handle[k] < 0)
            return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "'%s': there is no '%s'%s", name, part,
                            wlm_nearest_text(&suggestion.nearest));
    }
    return WARPLU_SUCCESS;
}

warplu_status wlm_total_find(warplu_sim *sim, const char *name, int64_t *handle)
{
    int32_t k = 0;
    while (k < sim->totals && strcmp(sim->total[k].name, name) != 0) k++;
    if (k == sim->totals) {
        wlm_total made;
        warplu_status status = find_parts(sim, name, &made);
        if (status != WARPLU_SUCCESS) return status;
        wlm_total *more = wlm_take_more(&sim->kept, sim->total, sim->totals, sizeof *sim->total);
        if (more == NULL) return wlu_fail_memory(&sim->ctx, "a sum");
        sim->total = more;
        sim->total[sim->totals++] = made;
    }
    *handle = sim->engine->handles_count(sim) + k;
    return WARPLU_SUCCESS;
}

const wlm_total *wlm_total_of(const warplu_sim *sim, int64_t handle)
{
    int64_t number = handle - sim->engine->handles_count(sim);
    return number >= 0 && number < sim->totals ? &sim->total[number] : NULL;
}

warplu_status wlm_total_get(warplu_sim *sim, const wlm_total *total, int64_t first, int64_t count, double *out)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int64_t m = 0; m < count; m++) out[m] = 0.0;
    for (int64_t k = 0; k < total->count; k++)
        for (int64_t m = 0; m < count && status == WARPLU_SUCCESS; m++) {
            double part;
            status = sim->engine->get(sim, total->handle[k], first + m, 1, &part);
            out[m] += part;
        }
    return status;
}
