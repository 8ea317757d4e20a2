/* Tables of numbers that a text reads from files, and what their columns are to expressions. columns.c explains
 * them. */
#ifndef WLU_MODEL_TEXT_COLUMNS_H
#define WLU_MODEL_TEXT_COLUMNS_H

#include "model/text/build.h"
#include "model/text/csv.h"

/* Reads a file's name and the file. Returns its path; NULL after a failure. */
const char *wlm_parse_csv(wlm_reading *r, wlm_csv *csv);
/* Reads the name of a column, or a string that is one. Returns its number, or -1. */
int32_t wlm_parse_column(wlm_reading *r, const wlm_csv *csv, const char *path);
/* Reads what stands behind `from`: a file, and with `columns` those that are to be taken. NULL after a failure. */
wlm_csv *wlm_parse_from(wlm_reading *r);

/* Makes names of all columns within *scope, which becomes the innermost of them. NULL after a failure. */
wlm_scope *wlm_column_scopes(wlm_reading *r, const wlm_csv *csv, const wlm_scope **scope);
/* Gives these names the numbers of a row. */
void wlm_column_values(const wlm_csv *csv, wlm_scope *column, int64_t row);
/* Returns 1 where an expression has the name. */
int wlm_mentions(const wlm_tree *tree, wlm_word name);

#endif
