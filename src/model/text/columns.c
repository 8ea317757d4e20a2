/* `from "FILE.csv" columns a, b`: reads a table of numbers, and takes the columns that the text names. Columns of uses
 * and nodes are names of numbers that differ from row to row; those that nothing uses are errors, unless others are
 * named. Cost: the file, and a copy of the columns that are named. */
#include <string.h>

#include "model/text/columns.h"
#include "model/text/lexer.h"
#include "model/text/statements.h"

const char *wlm_parse_csv(wlm_reading *r, wlm_csv *csv)
{
    if (r->token.type != WLM_TOKEN_STRING) {
        wlm_expected(r, "the name of a file in double quotes");
        return NULL;
    }
    const char *path = wlm_path_of(r, r->token.word);
    if (path == NULL) return NULL;
    wlm_next(r);
    if (r->status == WARPLU_SUCCESS) r->status = wlm_csv_read(r->ctx, &r->scratch, path, csv);
    return r->status == WARPLU_SUCCESS ? path : NULL;
}

int32_t wlm_parse_column(wlm_reading *r, const wlm_csv *csv, const char *path)
{
    wlm_place place = r->token.place;
    wlm_word word = r->token.word;
    if (r->token.type != WLM_TOKEN_NAME && r->token.type != WLM_TOKEN_STRING)
        return wlm_expected(r, "the name of a column"), -1;
    wlm_next(r);
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, word);
    for (int32_t k = 0; k < csv->columns; k++) {
        if (wlm_word_is(word, csv->name[k])) return k;
        wlm_nearest_try(&nearest, csv->name[k]);
    }
    wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "'%.*s' is no column of %.200s%s", WLM_SHOWN(word), path,
                wlm_nearest_text(&nearest));
    return -1;
}

/* Leaves the columns of these numbers alone, in their order. */
static void keep(wlm_reading *r, wlm_csv *csv, const int32_t *column, int32_t columns)
{
    char **name = wlm_take_for(r, &r->scratch, columns, sizeof *name);
    double *value = wlm_take_for(r, &r->scratch, (int64_t)csv->rows * columns, sizeof *value);
    if (r->status != WARPLU_SUCCESS) return;
    for (int32_t k = 0; k < columns; k++) {
        name[k] = csv->name[column[k]];
        for (int64_t row = 0; row < csv->rows; row++)
            value[row * columns + k] = csv->value[row * csv->columns + column[k]];
    }
    csv->name = name, csv->value = value, csv->columns = columns;
}

static void choose(wlm_reading *r, wlm_csv *csv, const char *path)
{
    int32_t *column = NULL, columns = 0;
    do {
        wlm_place place = r->token.place;
        int32_t k = wlm_parse_column(r, csv, path);
        for (int32_t before = 0; before < columns; before++)
            if (column[before] == k && k >= 0)
                wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "column '%.40s' is there already", csv->name[k]);
        if (k < 0 || !wlm_more_for(r, &r->scratch, &column, columns, sizeof *column)) return;
        column[columns++] = k;
    } while (r->status == WARPLU_SUCCESS && wlm_takes(r, ","));
    if (r->status == WARPLU_SUCCESS) keep(r, csv, column, columns);
}

wlm_csv *wlm_parse_from(wlm_reading *r)
{
    wlm_csv *csv = wlm_take_for(r, &r->scratch, 1, sizeof *csv);
    const char *path = csv != NULL ? wlm_parse_csv(r, csv) : NULL;
    if (path != NULL && wlm_takes_name(r, "columns")) choose(r, csv, path);
    return r->status == WARPLU_SUCCESS ? csv : NULL;
}

wlm_scope *wlm_column_scopes(wlm_reading *r, const wlm_csv *csv, const wlm_scope **scope)
{
    wlm_scope *column = wlm_take_for(r, &r->scratch, csv->columns, sizeof *column);
    for (int32_t k = 0; column != NULL && k < csv->columns; k++) {
        column[k] = (wlm_scope){.name = wlm_word_of(csv->name[k]), .outer = *scope};
        *scope = &column[k];
    }
    return column;
}

void wlm_column_values(const wlm_csv *csv, wlm_scope *column, int64_t row)
{
    for (int32_t k = 0; k < csv->columns; k++) column[k].value = csv->value[row * csv->columns + k];
}

int wlm_mentions(const wlm_tree *tree, wlm_word name)
{
    if (tree->type == WLM_TREE_NAME && wlm_words_equal(tree->name, name)) return 1;
    const wlm_tree *lists[] = {tree->first, tree->index};
    for (int l = 0; l < 2; l++)
        for (const wlm_tree *operand = lists[l]; operand != NULL; operand = operand->next)
            if (wlm_mentions(operand, name)) return 1;
    return 0;
}
