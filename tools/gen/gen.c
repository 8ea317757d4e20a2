/* The table of kinds, and the way from parameters to a matrix. */
#include "gen/gen.h"

#include <string.h>

const gen_kind gen_kinds[] = {
#define GEN_KIND(name, smallest, takes, help) {#name, help, smallest, takes, gen_emit_##name},
#include "gen/kinds.def"
#undef GEN_KIND
};
const int gen_kind_count = sizeof gen_kinds / sizeof gen_kinds[0];

const gen_kind *gen_kind_find(const char *name)
{
    for (int k = 0; k < gen_kind_count; k++)
        if (strcmp(gen_kinds[k].name, name) == 0) return &gen_kinds[k];
    return NULL;
}

void gen_params_init(gen_params *params)
{
    memset(params, 0, sizeof *params);
    params->size = 1000;
    params->seed = 1;
    params->layers = 4;
    params->density = 1.0;
}

static warplu_status check(wlu_context *ctx, const gen_kind *kind, const gen_params *p)
{
    if (p->size < kind->smallest)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "%s: size is %lld, expected %lld or more", kind->name,
                        (long long)p->size, (long long)kind->smallest);
    if (p->size > INT32_MAX)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "%s: size is %lld, indices end at 2147483647", kind->name,
                        (long long)p->size);
    if (p->step < 0)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "step is %lld, expected 0 or more", (long long)p->step);
    if (p->layers < 2 || p->layers > 12)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "%d layers, expected 2 to 12", p->layers);
    /* Up to half of a row random rows are found quickly; a density of 1 suits any size. */
    double densest = p->size > 3 ? 0.5 * (double)(p->size - 1) : 1.0;
    if ((kind->takes & GEN_DENSITY) && !(p->density >= 0 && p->density <= densest))
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "density is %g, expected 0 to %g", p->density, densest);
    return WARPLU_SUCCESS;
}

warplu_status gen_build(wlu_context *ctx, const gen_kind *kind, const gen_params *params, gen_matrix *out)
{
    stamp s;
    memset(out, 0, sizeof *out);
    warplu_status status = check(ctx, kind, params);
    if (status < 0) return status;
    stamp_init(&s, ctx);
    kind->emit(&s, params);
    return stamp_assemble(&s, out);
}
