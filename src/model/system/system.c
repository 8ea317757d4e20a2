/* Makes systems, and finds the structure of their matrices. */
#include "model/system/system.h"

#include <stdio.h>
#include <string.h>

#include <warplu/inspect.h>

/* So many refactorizations are announced where the matrix is constant: the solver makes its program at once. */
static const double MANY = 1000.0;

void wlm_system_options_init(wlm_system_options *options)
{
    memset(options, 0, sizeof *options);
    options->threads = 1;
    options->isa = WLM_ISA_BEST;
    options->check = WARPLU_CHECK_SUSPECT;
}

void wlm_system_describe(const wlm_system *system, int32_t unknown, char *text, size_t bytes)
{
    const wlm_block *b = wlm_layout_block(system->layout, WLM_MEMORY_UNKNOWNS, unknown);
    wlm_layout_name(system->layout, WLM_MEMORY_UNKNOWNS, unknown, text, bytes);
    size_t length = strlen(text);
    if (b->use >= 0)
        snprintf(text + length, bytes - length, " (line " WLM_LINE_FORMAT ", used in line " WLM_LINE_FORMAT ")",
                 WLM_LINE(b->place), WLM_LINE(system->model->use[b->use].place));
    else
        snprintf(text + length, bytes - length, " (line " WLM_LINE_FORMAT ")", WLM_LINE(b->place));
}

const wlm_kind *wlm_system_varies(const wlm_system *system)
{
    for (int32_t u = 0; u < system->matrix.uses; u++)
        if (system->matrix.bank[u].varies) return &system->model->kind[system->model->use[u].kind];
    return NULL;
}

int32_t wlm_system_changing(const wlm_system *system)
{
    int32_t first = INT32_MAX;
    for (int32_t u = 0; u < system->matrix.uses; u++) {
        const wlm_bank *bank = &system->matrix.bank[u];
        for (int32_t i = 0; bank->changes && i < bank->count; i++) {
            int32_t row = wlm_where_at(&bank->changing, i);
            if (row < first) first = row;
        }
    }
    return first < INT32_MAX ? first : -1;
}

/* ---------------------------------------------------------------- structure */

/* Marks rows whose q is not absent: states, stores, and nodes that charges are added to. */
static void find_dynamic(wlm_system *s)
{
    const wlm_layout *l = s->layout;
    for (int32_t i = 0; i < l->node_n; i++) s->dynamic[i] = s->values.q.ptr[i + 1] > s->values.q.ptr[i];
    for (const wlm_block *b = l->block; b < l->block + l->blocks; b++)
        if (b->state != NULL || (b->quantity != NULL && b->quantity->type == WLM_STORE))
            memset(s->dynamic + b->first, 1, (size_t)b->count);
}

/* Makes the pattern. Rows with q = y, and sums that are unknowns, have a diagonal without a contribution. */
static warplu_status make_pattern(wlm_system *s)
{
    const wlm_layout *l = s->layout;
    unsigned char *wanted = WLU_CALLOC(s->ctx, l->n, unsigned char);
    if (wanted == NULL) return wlu_fail_memory(s->ctx, "the matrix' pattern");
    for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++)
        if (b->quantity->type == WLM_STORE || b->quantity->type == WLM_SUM)
            memset(wanted + b->first, 1, (size_t)b->count);
    for (int32_t i = l->node_n; i < l->n; i++) wanted[i] = s->dynamic[i];
    if (s->options.node_diagonals) memset(wanted, 1, (size_t)l->node_n);
    const wlm_places none = {0};
    warplu_status status = wlm_pattern_create(s->layout, &s->matrix, wanted, &none, &s->pattern);
    if (status == WARPLU_SUCCESS && !s->options.constant) status = wlm_system_find_dependent(s, wanted);
    wlu_free(s->ctx, wanted);
    return status;
}

static warplu_status say_singular(const wlm_system *s)
{
    warplu_singularity why = {.size = sizeof why};
    char unknown[160] = "?", equation[160] = "?";
    if (warplu_get_singularity(s->solver, &why) == WARPLU_SUCCESS) {
        if (why.column >= 0) wlm_system_describe(s, why.column, unknown, sizeof unknown);
        if (why.row >= 0) wlm_system_describe(s, why.row, equation, sizeof equation);
    }
    return wlu_fail(s->ctx, WARPLU_MODEL_EQUATIONS, "no equation is left for %s; the equation of %s is one too many",
                    unknown, equation);
}

static warplu_status make_solver(wlm_system *s)
{
    warplu_options options;
    warplu_init_options(&options);
    options.threads = s->options.threads;
    options.check = s->options.check;
    options.expected_refactors = s->options.constant ? MANY : 0.0;
    options.allocate = s->ctx->allocate;
    options.release = s->ctx->release;
    options.allocator_user = s->ctx->allocator_user;
    options.cancel = s->ctx->cancel;
    options.cancel_user = s->ctx->cancel_user;
    warplu_status status = warplu_create(&s->solver, &options);
    if (status != WARPLU_SUCCESS) return wlu_fail(s->ctx, status, "no solver: status %d", (int)status);
    status = warplu_analyze(s->solver, s->pattern.n, s->pattern.ptr, s->pattern.idx, NULL);
    if (status == WARPLU_STRUCTURALLY_SINGULAR) return say_singular(s);
    if (status < 0) return wlu_fail(s->ctx, status, "%s", warplu_get_message(s->solver));
    return WARPLU_SUCCESS;
}

/* -------------------------------------------------------------------- whole */

static int has_events(const wlm_system *s)
{
    for (int32_t u = 0; u < s->model->uses; u++)
        if (s->layout->taken[u] && s->model->kind[s->model->use[u].kind].events > 0) return 1;
    return 0;
}

static warplu_status look_for_domains(wlm_system *s, const wlm_kind *kind)
{
    const int32_t nodes = wlm_node_count(kind->graph);
    unsigned char *facts = WLU_CALLOC(s->ctx, (int64_t)nodes + kind->leaves, unsigned char);
    if (facts == NULL) return wlu_fail_memory(s->ctx, "equations");
    unsigned char *moves = facts + nodes;
    for (int32_t k = 0; k < kind->leaves; k++) moves[k] = kind->leaf[k].type != WLM_LEAF_PARAMETER;
    wlm_graph_find_domains(kind->graph, moves, kind->leaves, facts);
    for (int32_t k = 0; k < nodes; k++) s->has_domains |= (facts[k] & WLM_MAY_BE_NONE) != 0;
    wlu_free(s->ctx, facts);
    return WARPLU_SUCCESS;
}

static warplu_status make_passes(wlm_system *s)
{
    const wlm_system_options *o = &s->options;
    warplu_status status = WARPLU_SUCCESS;
    s->level = WLU_CALLOC(s->ctx, s->layout->levels, wlm_pass);
    s->sums = WLU_CALLOC(s->ctx, s->layout->sums, double);
    if (s->level == NULL || s->sums == NULL) return wlu_fail_memory(s->ctx, "sums");
    for (int32_t k = 0; k < s->layout->levels && status == WARPLU_SUCCESS; k++)
        status = wlm_pass_create(s->layout, WLM_WANT_SUMS, k, o->isa, o->threads, &s->level[k]);
    const struct {
        int is_needed;
        wlm_want want;
        wlm_pass *pass;
    } passes[] = {{1, WLM_WANT_VALUES, &s->values},
                  {o->derivatives, WLM_WANT_MATRIX, &s->matrix},
                  {o->by_time, WLM_WANT_BY_TIME, &s->by_time},
                  {o->updates, WLM_WANT_UPDATE, &s->update},
                  {o->limits, WLM_WANT_LIMITS, &s->limits},
                  {has_events(s), WLM_WANT_CROSSINGS, &s->crossings},
                  {has_events(s), WLM_WANT_ASSIGNMENTS, &s->assignments}};
    for (size_t k = 0; k < sizeof passes / sizeof *passes && status == WARPLU_SUCCESS; k++)
        if (passes[k].is_needed)
            status = wlm_pass_create(s->layout, passes[k].want, 0, o->isa, o->threads, passes[k].pass);
    return status;
}

static int reads_sums(const wlm_pass *pass)
{
    for (int32_t u = 0; u < pass->uses; u++)
        for (int32_t k = 0; k < pass->bank[u].inputs; k++) {
            const wlm_bank_input *in = &pass->bank[u].input[k];
            if (in->source == WLM_SOURCE_MEMORY && in->memory == WLM_MEMORY_SUMS) return 1;
        }
    return 0;
}

static warplu_status make(wlm_system *s)
{
    wlm_layout_choice choice = {
        .taken = s->options.taken, .number_all = s->options.number_all, .sums_are_unknowns = s->options.derivatives};
    warplu_status status = wlm_layout_create(s->ctx, s->model, &choice, &s->layout);
    if (status == WARPLU_SUCCESS) status = wlu_team_create(s->ctx, s->options.threads, &s->team);
    if (status == WARPLU_SUCCESS) status = make_passes(s);
    for (int32_t k = 0; k < s->model->kinds && status == WARPLU_SUCCESS; k++)
        status = look_for_domains(s, &s->model->kind[k]);
    if (status != WARPLU_SUCCESS) return status;
    s->options.taken = NULL; /* the layout has a copy */
    s->limits_read_sums = reads_sums(&s->limits);
    s->dynamic = WLU_CALLOC(s->ctx, s->layout->n, unsigned char);
    s->held = WLU_CALLOC(s->ctx, s->layout->n, unsigned char);
    if (s->dynamic == NULL || s->held == NULL) return wlu_fail_memory(s->ctx, "equations");
    find_dynamic(s);
    if (!s->options.derivatives) return WARPLU_SUCCESS;
    status = make_pattern(s);
    return status == WARPLU_SUCCESS ? make_solver(s) : status;
}

warplu_status wlm_system_create(wlu_context *ctx, const wlm_model *model, const wlm_system_options *options,
                                wlm_system **out)
{
    *out = NULL;
    if (options->threads < 1 || options->threads > WLM_THREADS_MOST)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "threads: 1 to %d, not %d", (int)WLM_THREADS_MOST,
                        options->threads);
    if (options->derivatives && options->updates)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "a system has derivatives or updates");
    wlm_system *s = WLU_CALLOC(ctx, 1, wlm_system);
    if (s == NULL) return wlu_fail_memory(ctx, "a system");
    s->ctx = ctx;
    s->model = model;
    s->options = *options;
    warplu_status status = make(s);
    if (status != WARPLU_SUCCESS) wlm_system_destroy(&s);
    *out = s;
    return status;
}

void wlm_system_destroy(wlm_system **system)
{
    wlm_system *s = *system;
    if (s == NULL) return;
    for (int32_t k = 0; s->level != NULL && k < s->layout->levels; k++) wlm_pass_free(&s->level[k]);
    wlm_pass_free(&s->values);
    wlm_pass_free(&s->matrix);
    wlm_pass_free(&s->by_time);
    wlm_pass_free(&s->q_by_time);
    wlm_pass_free(&s->update);
    wlm_pass_free(&s->limits);
    wlm_pass_free(&s->crossings);
    wlm_pass_free(&s->assignments);
    wlm_pattern_free(s->ctx, &s->pattern);
    warplu_destroy(&s->solver);
    wlu_team_destroy(s->ctx, &s->team);
    wlm_layout_destroy(&s->layout);
    wlu_free(s->ctx, s->level);
    wlu_free(s->ctx, s->sums);
    wlu_free(s->ctx, s->dynamic);
    wlu_free(s->ctx, s->held);
    wlu_free(s->ctx, s->charge_rates);
    wlm_dependent_free(s->ctx, &s->dependent);
    wlu_free(s->ctx, s);
    *system = NULL;
}
