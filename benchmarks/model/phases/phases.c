#include "phases/phases.h"

#include "phases/interpret.h"
#include "phases/pack.h"

static const int64_t words_most = UINT32_MAX, table_most = UINT32_MAX;

/* Counts of each phase: bytecodes, kinds, the longest. seen: of each kind, the last phase that had it. */
static void count_phases(const wlm_schedule *s, const wlm_bytecodes *b, const wlm_warps *w, int32_t *seen,
                         wlm_phases *out)
{
    for (int32_t k = 0; k < b->kinds; k++) seen[k] = -1;
    for (int32_t p = 0; p < s->phases; p++) {
        wlm_phase *phase = &out->phase[p];
        *phase =
            (wlm_phase){w->first[p], w->first[p + 1] - w->first[p], s->first_thread[p + 1] - s->first_thread[p], 0, 0};
        for (int32_t thread = s->first_thread[p]; thread < s->first_thread[p + 1]; thread++) {
            int32_t kind = b->kind[thread], length = b->length[kind] - 1; /* END is none */
            phase->kinds += seen[kind] != p;
            seen[kind] = p;
            if (length > phase->instructions) phase->instructions = length;
        }
    }
    out->threads = w->first[s->phases];
}

static void run_packer(wlm_packer *p, const wlm_schedule *s, const wlm_warps *w)
{
    p->words = p->table_bytes = 0;
    for (int32_t k = 0; k < s->threads; k++) p->written[k] = -1;
    for (int32_t k = 0; k < s->phases; k++)
        wlm_pack_phase(p, w->thread + w->first[k], w->first[k + 1] - w->first[k], w->first[k]);
}

static warplu_status pack(wlu_context *ctx, const wlm_schedule *s, const wlm_warps *w, wlm_packer *p, wlm_phases *out)
{
    int64_t longest = 0;
    for (int32_t k = 0; k < s->threads; k++)
        if (p->b->first[k + 1] - p->b->first[k] > longest) longest = p->b->first[k + 1] - p->b->first[k];
    p->written = WLU_ALLOC(ctx, s->threads, int64_t);
    p->moved = WLU_ALLOC(ctx, longest, int32_t);
    if (p->written == NULL || p->moved == NULL) return wlu_fail_memory(ctx, "phases");
    run_packer(p, s, w);
    if (p->words > words_most || p->table_bytes > table_most)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "phases: more than 2^32 words of code or bytes of the table");
    out->words = p->words;
    out->table_bytes = p->table_bytes;
    out->index = p->index = WLU_ALLOC(ctx, out->threads, uint32_t);
    out->code = p->code = WLU_ALLOC(ctx, out->words, uint32_t);
    out->table = p->table = WLU_CALLOC(ctx, out->table_bytes, unsigned char);
    if (out->index == NULL || out->code == NULL || out->table == NULL) return wlu_fail_memory(ctx, "phases");
    run_packer(p, s, w);
    return WARPLU_SUCCESS;
}

static warplu_status lay_out(wlu_context *ctx, const wlm_schedule *s, const wlm_bytecodes *b,
                             const wlm_phases_options *o, wlm_phases *out)
{
    wlm_warps warps;
    wlm_packer packer = {.b = b, .unify = o->unify};
    int32_t *seen = WLU_ALLOC(ctx, b->kinds, int32_t);
    warplu_status status = wlm_warps_create(ctx, s, b, o->reorder, o->redundant, &warps);
    out->phases = s->phases;
    out->phase = WLU_ALLOC(ctx, s->phases, wlm_phase);
    if (status == WARPLU_SUCCESS && (out->phase == NULL || seen == NULL)) status = wlu_fail_memory(ctx, "phases");
    if (status == WARPLU_SUCCESS) {
        count_phases(s, b, &warps, seen, out);
        status = pack(ctx, s, &warps, &packer, out);
    }
    wlu_free(ctx, packer.written);
    wlu_free(ctx, packer.moved);
    wlu_free(ctx, seen);
    wlm_warps_free(ctx, &warps);
    return status;
}

warplu_status wlm_phases_create(wlu_context *ctx, const wlm_equations *equations, const wlm_phases_options *options,
                                wlm_phases **out)
{
    wlm_formulas *f = NULL;
    wlm_schedule *s = NULL;
    wlm_bytecodes *b = NULL;
    *out = NULL;
    if (options->stack < 0 || options->stack > WLM_PHASES_STACK_MOST)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "phases: a stack of %d, 1 to %d can be had", (int)options->stack,
                        WLM_PHASES_STACK_MOST);
    wlm_phases *p = WLU_CALLOC(ctx, 1, wlm_phases);
    if (p == NULL) return wlu_fail_memory(ctx, "phases");
    warplu_status status =
        wlm_formulas_create(ctx, equations, options->stack > 0 ? options->stack : WLM_PHASES_STACK, &f);
    if (status == WARPLU_SUCCESS) status = wlm_schedule_create(ctx, f, options->merge, &s);
    if (status == WARPLU_SUCCESS) status = wlm_bytecodes_create(ctx, f, s, &b);
    if (status == WARPLU_SUCCESS) {
        p->states = f->states;
        p->parameters = f->parameters;
        p->definitions = f->definitions;
        p->variables = f->variables;
        p->stack = f->stack;
        p->variable = f->variable; /* it changes hands */
        f->variable = NULL;
        status = lay_out(ctx, s, b, options, p);
    }
    wlm_bytecodes_destroy(ctx, &b);
    wlm_schedule_destroy(ctx, &s);
    wlm_formulas_destroy(ctx, &f);
    if (status != WARPLU_SUCCESS) wlm_phases_destroy(ctx, &p);
    *out = p;
    return status;
}

void wlm_phases_destroy(wlu_context *ctx, wlm_phases **phases)
{
    wlm_phases *p = *phases;
    if (p == NULL) return;
    wlu_free(ctx, p->phase);
    wlu_free(ctx, p->index);
    wlu_free(ctx, p->code);
    wlu_free(ctx, p->table);
    wlu_free(ctx, p->variable);
    wlu_free(ctx, p);
    *phases = NULL;
}
