/* Reads a model from top to bottom: each statement goes to the function that its first word names, then what only the
 * whole text can tell is checked (statements.h). Owns the model's memory and frees it. */
#include "model/text/read.h"

#include <string.h>

#include "model/text/element.h"
#include "model/text/lexer.h"
#include "model/text/statements.h"

/* A model with the arena that holds it; graphs own their memory themselves. */
typedef struct owned {
    wlm_model model;
    wlm_arena arena;
} owned;

static void parse_statement(wlm_reading *r)
{
    static const struct {
        const char *word;
        void (*parse)(wlm_reading *r);
    } statements[] = {{"const", wlm_parse_constant},  {"function", wlm_parse_function}, {"element", wlm_parse_element},
                      {"include", wlm_parse_include}, {"nodes", wlm_parse_nodes},       {"table", wlm_parse_table},
                      {"use", wlm_parse_use},         {"run", wlm_parse_run},           {"watch", wlm_parse_watch},
                      {"batch", wlm_parse_batch}};
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, r->token.word);
    for (size_t k = 0; k < sizeof statements / sizeof *statements; k++) {
        if (wlm_takes_name(r, statements[k].word)) {
            statements[k].parse(r);
            wlm_needs_line_end(r);
            return;
        }
        if (r->token.type == WLM_TOKEN_NAME) wlm_nearest_try(&nearest, statements[k].word);
    }
    char what[160] = "'const', 'function', 'element', 'include', 'nodes', 'table', 'use', 'run', 'watch' or 'batch'";
    if (nearest.best[0] == '\0')
        wlm_expected(r, what);
    else
        wlm_fail_at(r, WARPLU_BAD_FORMAT, r->token.place, "expected %s, found '%.*s'%s", what, WLM_SHOWN(r->token.word),
                    wlm_nearest_text(&nearest));
}

void wlm_parse_statements(wlm_reading *r)
{
    while (r->status == WARPLU_SUCCESS && r->token.type != WLM_TOKEN_END) {
        if (r->token.type == WLM_TOKEN_LINE)
            wlm_next(r);
        else
            parse_statement(r);
    }
}

static void parse_text(wlm_reading *r)
{
    wlm_start(r);
    wlm_parse_statements(r);
    if (r->status == WARPLU_SUCCESS && r->model->uses == 0)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, r->token.place, "expected a 'use' of an element, found none");
    wlm_check_balances(r);
    wlm_check_sums(r);
    wlm_check_by_step(r);
    wlm_check_cfl(r);
    wlm_check_watches(r);
}

warplu_status wlm_model_parse(wlu_context *ctx, const char *name, const char *text, int64_t length, int literal,
                              wlm_model **out)
{
    *out = NULL;
    if (length > INT32_MAX - 1)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "%.200s: more than %d bytes", name, INT32_MAX - 1);
    owned *o = WLU_CALLOC(ctx, 1, owned);
    if (o == NULL) return wlu_fail_memory(ctx, "the text of a model");
    o->arena.ctx = ctx;
    o->model.literal = literal;
    wlm_reading r = {.ctx = ctx,
                     .name = name,
                     .length = (int32_t)length,
                     .scratch = {.ctx = ctx},
                     .kept = &o->arena,
                     .model = &o->model};
    r.text = wlm_take_text(&r.scratch, text, length);
    r.numbers = wlu_numbers_create(ctx);
    if (r.text == NULL || r.numbers == NULL)
        wlm_fail_taking(&r);
    else
        parse_text(&r);
    wlu_numbers_destroy(ctx, &r.numbers);
    wlm_arena_free(&r.scratch);
    *out = &o->model;
    if (r.status != WARPLU_SUCCESS) wlm_model_destroy(out);
    return r.status;
}

warplu_status wlm_model_read(wlu_context *ctx, const char *path, wlm_model **out)
{
    char *text;
    int64_t length;
    *out = NULL;
    warplu_status status = wlm_file_read(ctx, path, &text, &length);
    if (status != WARPLU_SUCCESS) return status;
    status = wlm_model_parse(ctx, strcmp(path, "-") == 0 ? "standard input" : path, text, length, 0, out);
    wlu_free(ctx, text);
    return status;
}

void wlm_model_destroy(wlm_model **model)
{
    owned *o = (owned *)(void *)*model;
    if (o == NULL) return;
    wlm_arena arena = o->arena;
    for (int32_t k = 0; k < o->model.kinds; k++) wlm_graph_destroy(&o->model.kind[k].graph);
    wlm_arena_free(&arena);
    wlu_free(arena.ctx, o);
    *model = NULL;
}
