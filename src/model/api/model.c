/* Models: the functions warplu_model_* of warplu/model.h. */
#include <string.h>

#include "base/environment.h"
#include "base/sized.h"
#include "model/api/parts.h"
#include "model/text/read.h"

void warplu_model_init_options(warplu_model_options *options)
{
    if (options == NULL) return;
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
}

void wlm_context_of(wlu_context *ctx, const warplu_model *model)
{
    *ctx = model->ctx;
    ctx->last_message[0] = '\0';
}

static int prepare(wlu_context *ctx, const warplu_model_options *options)
{
    warplu_options same;
    warplu_model_options o;
    wlu_context_init(ctx, NULL);
    if (options == NULL) return 1;
    warplu_model_init_options(&o);
    if (!wlu_sized_take(&o, sizeof o, options) || (o.allocate == NULL) != (o.release == NULL)) return 0;
    warplu_init_options(&same);
    same.allocate = o.allocate, same.release = o.release;
    same.allocator_user = o.allocator_user;
    same.message = o.message, same.message_user = o.message_user;
    wlu_context_init(ctx, &same);
    return 1;
}

static warplu_status begin(warplu_model **out, const warplu_model_options *options, warplu_model **made)
{
    wlu_context ctx;
    *made = NULL;
    if (out == NULL) return WARPLU_INVALID_ARGUMENT;
    *out = NULL;
    if (!prepare(&ctx, options)) return WARPLU_INVALID_ARGUMENT;
    warplu_model *m = WLU_CALLOC(&ctx, 1, warplu_model);
    if (m == NULL) return wlu_fail_memory(&ctx, "model");
    m->ctx = ctx;
    *made = m;
    return WARPLU_SUCCESS;
}

static warplu_status end(warplu_model **out, warplu_model *made, warplu_status status)
{
    if (status < 0)
        wlm_model_release(&made);
    else
        *out = made;
    return status;
}

warplu_status warplu_model_read(warplu_model **out, const char *path, const warplu_model_options *options)
{
    warplu_model *m;
    wlu_environment environment;
    if (out != NULL) *out = NULL;
    warplu_status status = path == NULL ? WARPLU_INVALID_ARGUMENT : begin(out, options, &m);
    if (status < 0) return status;
    wlu_environment_enter(&environment);
    status = wlm_model_read(&m->ctx, path, &m->text);
    wlu_environment_leave(&environment);
    return end(out, m, status);
}

warplu_status warplu_model_parse(warplu_model **out, const char *name, const char *text, int64_t length,
                                 const warplu_model_options *options)
{
    warplu_model *m;
    wlu_environment environment;
    int given = name != NULL && text != NULL && length >= 0;
    if (out != NULL) *out = NULL;
    warplu_status status = given ? begin(out, options, &m) : WARPLU_INVALID_ARGUMENT;
    if (status < 0) return status;
    wlu_environment_enter(&environment);
    status = wlm_model_parse(&m->ctx, name, text, length, 0, &m->text);
    wlu_environment_leave(&environment);
    return end(out, m, status);
}

void wlm_model_release(warplu_model **model)
{
    warplu_model *m = *model;
    *model = NULL;
    if (m == NULL || !wlu_count_drop(&m->count)) return;
    wlm_model_destroy(&m->text);
    wlu_context ctx = m->ctx;
    wlu_free(&ctx, m);
}

void warplu_model_destroy(warplu_model **model)
{
    if (model != NULL) wlm_model_release(model);
}

static void count_use(const wlm_model *m, const wlm_use *use, warplu_model_counts *c)
{
    const wlm_kind *kind = &m->kind[use->kind];
    c->instances += use->count;
    c->definitions += (int64_t)use->count * kind->locals;
    c->equations += (int64_t)use->count * ((int64_t)kind->states + kind->closings);
    c->unknowns += (int64_t)use->count * ((int64_t)kind->states + kind->unknowns);
}

static void count_set(const wlm_set *set, warplu_model_counts *c)
{
    c->nodes += set->count;
    for (int32_t q = 0; q < set->quantities; q++) {
        wlm_quantity_type type = set->quantity[q].type;
        if (type == WLM_BALANCE) c->balances += set->count;
        if (type == WLM_STORE) c->stores += set->count;
        if (type == WLM_SUM) c->sums += set->count;
        if (wlm_quantity_is_unknown(type)) c->unknowns += set->count;
    }
}

warplu_model_counts wlm_model_count(const wlm_model *m)
{
    warplu_model_counts c = {.kinds = m->kinds, .sets = m->sets, .uses = m->uses};
    c.watches = m->watches;
    for (int32_t i = 0; i < m->sets; i++) count_set(&m->set[i], &c);
    for (int32_t i = 0; i < m->uses; i++) count_use(m, &m->use[i], &c);
    return c;
}

warplu_status warplu_model_get_counts(const warplu_model *model, warplu_model_counts *counts)
{
    if (model == NULL || !wlu_sized_is_set(counts)) return WARPLU_INVALID_ARGUMENT;
    warplu_model_counts c = wlm_model_count(model->text);
    wlu_sized_give(counts, &c, sizeof c);
    return WARPLU_SUCCESS;
}

const char *warplu_model_get_watch(const warplu_model *model, int64_t number)
{
    int there = model != NULL && number >= 0 && number < model->text->watches;
    return there ? model->text->watch[number].name : NULL;
}

void warplu_model_get_times(const warplu_model *model, double *to, double *every)
{
    if (model == NULL) return;
    if (to != NULL) *to = model->text->run.to;
    if (every != NULL) *every = model->text->run.every;
}
