/* `run`, `watch` and `batch`. */
#include <string.h>

#include "model/text/lexer.h"
#include "model/text/statements.h"

/* Returns the token with the words that hyphens tie to it. */
static wlm_word parse_method_name(wlm_reading *r)
{
    wlm_word word = r->token.word;
    wlm_next(r);
    while (wlm_sees(r, "-") && r->token.tight) {
        wlm_next(r);
        if (r->token.type != WLM_TOKEN_NAME || !r->token.tight) {
            wlm_expected(r, "the rest of a method's name");
            return word;
        }
        word.length = (int32_t)(r->token.word.text + r->token.word.length - word.text);
        wlm_next(r);
    }
    return word;
}

static wlm_method parse_method(wlm_reading *r)
{
    wlm_place place = r->token.place;
    if (r->token.type != WLM_TOKEN_NAME) {
        wlm_expected(r, "a method");
        return WLM_METHOD_NONE;
    }
    wlm_word word = parse_method_name(r);
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, word);
    for (wlm_method m = WLM_METHOD_NONE + 1; m < WLM_METHODS; m++) {
        if (wlm_word_is(word, wlm_method_of(m)->name)) return m;
        wlm_nearest_try(&nearest, wlm_method_of(m)->name);
    }
    wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "'%.*s' is no method%s", WLM_SHOWN(word), wlm_nearest_text(&nearest));
    return WLM_METHOD_NONE;
}

/* Reads an option, a word and a number above 0. Returns 1 where there was one. */
static int parse_option(wlm_reading *r, wlm_run_statement *run)
{
    const struct {
        const char *word;
        double *value;
    } options[] = {{"dt", &run->dt},       {"cfl", &run->cfl},       {"to", &run->to},
                   {"every", &run->every}, {"rtol", &run->relative}, {"atol", &run->absolute}};
    wlm_builder b = {.r = r, .where = "an option of 'run'"};
    wlm_place place = r->token.place;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        if (!wlm_takes_name(r, options[k].word)) continue;
        if (*options[k].value != 0.0)
            wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "'%s' is there already", options[k].word);
        wlm_place number = r->token.place;
        wlm_tree *tree = wlm_parse_expression(r);
        if (tree == NULL) return 0;
        *options[k].value = wlm_number_of(&b, tree, "an option of 'run'");
        if (*options[k].value <= 0.0)
            wlm_fail_at(r, WARPLU_BAD_FORMAT, number, "expected a number above 0 for '%s', found %.9g", options[k].word,
                        *options[k].value);
        return 1;
    }
    return 0;
}

void wlm_parse_run(wlm_reading *r)
{
    wlm_run_statement *run = &r->model->run;
    if (run->place.line > 0)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, r->token.place, "there is a 'run' already, at line " WLM_LINE_FORMAT "",
                    WLM_LINE(run->place));
    run->place = r->token.place;
    run->method = parse_method(r);
    while (r->status == WARPLU_SUCCESS && parse_option(r, run)) {
    }
    if (r->status == WARPLU_SUCCESS && r->token.type != WLM_TOKEN_LINE && r->token.type != WLM_TOKEN_END)
        wlm_expected(r, "'dt', 'cfl', 'to', 'every', 'rtol', 'atol' or the end of the line");
    if (run->dt > 0.0 && run->cfl > 0.0)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, run->place, "expected 'dt' or 'cfl', found both");
}

/* Reads name, name[number] or name[first..last] into a PORT. */
static wlm_tree *parse_owner(wlm_reading *r, const wlm_tree **last)
{
    wlm_tree *tree = wlm_take_for(r, &r->scratch, 1, sizeof *tree);
    if (tree == NULL) return NULL;
    *tree = (wlm_tree){.type = WLM_TREE_PORT, .place = r->token.place};
    tree->name = wlm_needs_name(r, "a name");
    if (!wlm_sees(r, "[") || !r->token.tight) return r->status == WARPLU_SUCCESS ? tree : NULL;
    wlm_next(r);
    tree->index = wlm_parse_expression(r);
    if (tree->index != NULL && wlm_takes(r, "..")) *last = wlm_parse_expression(r);
    if (r->status == WARPLU_SUCCESS) wlm_needs(r, "]", *last == NULL ? "'..' or ']'" : "']'");
    return r->status == WARPLU_SUCCESS ? tree : NULL;
}

void wlm_parse_watch(wlm_reading *r)
{
    do {
        wlm_asked_for asked = {.is_sum = wlm_takes_name(r, "sum"), .place = r->token.place};
        if (r->token.type != WLM_TOKEN_NAME || wlm_reserved(r->token.word)) {
            wlm_expected(r, "what to watch, as 'element.name' or 'nodes[0].name'");
            return;
        }
        wlm_tree *tree = parse_owner(r, &asked.last);
        if (tree == NULL || !wlm_needs(r, ".", "'.' and what to watch")) return;
        tree->quantity = wlm_parse_dotted(r, "what to watch");
        if (tree->quantity == NULL || !wlm_more_for(r, &r->scratch, &r->watched, r->watches, sizeof *r->watched))
            return;
        asked.tree = tree;
        r->watched[r->watches++] = asked;
    } while (wlm_takes(r, ","));
}

void wlm_parse_batch(wlm_reading *r)
{
    wlm_builder b = {.r = r, .where = "the number of members"};
    wlm_model *model = r->model;
    if (model->batch > 0) wlm_fail_at(r, WARPLU_BAD_FORMAT, r->token.place, "there is a 'batch' already");
    wlm_tree *tree = wlm_parse_expression(r);
    if (tree == NULL) return;
    model->batch = wlm_whole_of(&b, tree, "the number of members", 1, INT32_MAX);
    if (!wlm_takes_name(r, "from")) return;
    if (r->token.type == WLM_TOKEN_STRING) {
        model->batch_file = wlm_path_of(r, r->token.word);
        wlm_next(r);
    } else {
        wlm_expected(r, "the name of a file in double quotes");
    }
}
