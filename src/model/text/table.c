/* `table`: rows that the text has or a file, what lies between them and beyond the ends; what is wrong with them. */
#include "model/text/table.h"

#include <math.h>

#include "model/text/columns.h"
#include "model/text/lexer.h"
#include "model/text/statements.h"

enum { ROWS_MOST = 1 << 24 };

/* A table in the text: where each row stands, in the text or, with a path, in a file. */
typedef struct reader {
    wlm_reading *r;
    const char *path; /* NULL: the rows stand in the text */
    int32_t count;
    double *x, *y;
    int32_t *line;
    wlm_place *place;
    wlm_table_rows rows;
} reader;

/* Fails at a row. */
static void fail_at_row(const reader *t, int32_t row, const char *what, double number)
{
    wlm_reading *r = t->r;
    if (t->path == NULL)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, t->place[row], "expected %s, found %.17g", what, number);
    else if (r->status == WARPLU_SUCCESS)
        r->status = wlu_fail(r->ctx, WARPLU_BAD_FORMAT, "%.200s:%d: error: expected %s, found %.17g", t->path,
                             t->line[row], what, number);
}

/* --------------------------------------------------------------------- rows */

/* Reads { x, y; x, y; ... } from behind the first bracket. */
static void parse_rows(reader *t)
{
    wlm_reading *r = t->r;
    wlm_builder b = {.r = r, .where = "a table"};
    do {
        wlm_place place = r->token.place;
        if (t->count > 0 && wlm_takes(r, "}")) return; /* behind a last ';' */
        wlm_tree *x = wlm_parse_expression(r);
        if (x == NULL || !wlm_needs(r, ",", "',' and the value there")) return;
        wlm_tree *y = wlm_parse_expression(r);
        if (y == NULL || !wlm_more_for(r, &r->scratch, &t->x, t->count, sizeof *t->x) ||
            !wlm_more_for(r, &r->scratch, &t->y, t->count, sizeof *t->y) ||
            !wlm_more_for(r, &r->scratch, &t->place, t->count, sizeof *t->place))
            return;
        t->x[t->count] = wlm_number_of(&b, x, "a number of a table");
        t->y[t->count] = wlm_number_of(&b, y, "a number of a table");
        t->place[t->count++] = place;
        if (t->count > ROWS_MOST) wlm_fail_at(r, WARPLU_OVERFLOW, place, "a table of more than %d rows", ROWS_MOST);
        if (r->token.type != WLM_TOKEN_LINE) break;
        wlm_next(r);
    } while (r->status == WARPLU_SUCCESS);
    wlm_needs(r, "}", "';' or '}'");
}

/* Takes two columns of the file: those that are named, or the only ones. */
static void take_columns(reader *t, const wlm_csv *csv)
{
    wlm_reading *r = t->r;
    int32_t x = 0, y = 1;
    if (wlm_takes_name(r, "columns")) {
        x = wlm_parse_column(r, csv, t->path);
        y = x >= 0 && wlm_needs(r, ",", "',' and the column of values") ? wlm_parse_column(r, csv, t->path) : -1;
    } else if (csv->columns != 2) {
        wlm_fail_at(r, WARPLU_BAD_FORMAT, r->token.place,
                    "expected 'columns' and two names, for %.200s has %d column%s", t->path, csv->columns,
                    csv->columns == 1 ? "" : "s");
    }
    if (r->status != WARPLU_SUCCESS) return;
    t->x = wlm_take_for(r, &r->scratch, csv->rows, sizeof *t->x);
    t->y = wlm_take_for(r, &r->scratch, csv->rows, sizeof *t->y);
    if (t->x == NULL || t->y == NULL) return;
    for (t->count = 0; t->count < csv->rows; t->count++) {
        t->x[t->count] = csv->value[(int64_t)t->count * csv->columns + x];
        t->y[t->count] = csv->value[(int64_t)t->count * csv->columns + y];
    }
    t->line = csv->line;
}

static void parse_file(reader *t)
{
    wlm_reading *r = t->r;
    wlm_csv csv;
    wlm_place place = r->token.place;
    t->path = wlm_parse_csv(r, &csv);
    if (t->path == NULL) return;
    if (csv.rows > ROWS_MOST) wlm_fail_at(r, WARPLU_OVERFLOW, place, "a table of more than %d rows", ROWS_MOST);
    take_columns(t, &csv);
}

/* ------------------------------------------------------------------ options */

/* Takes one of the words, which has the number of its place. Returns -1 where none is there. */
static int take_word(wlm_reading *r, const char *const *words, int count)
{
    for (int k = 0; k < count; k++)
        if (wlm_takes_name(r, words[k])) return k;
    return -1;
}

static void parse_options(reader *t)
{
    static const char *const shapes[] = {"linear", "cubic", "steps"}, *const beyonds[] = {"held", "linear", "nan"};
    wlm_reading *r = t->r;
    int shape = -1, beyond = -1;
    while (r->status == WARPLU_SUCCESS && r->token.type != WLM_TOKEN_LINE && r->token.type != WLM_TOKEN_END) {
        wlm_place place = r->token.place;
        if (shape < 0 && (shape = take_word(r, shapes, 3)) >= 0) continue;
        if (!t->rows.is_periodic && wlm_takes_name(r, "periodic")) {
            t->rows.is_periodic = 1;
        } else if (beyond < 0 && wlm_takes_name(r, "beyond")) {
            beyond = take_word(r, beyonds, 3);
            if (beyond < 0) wlm_expected(r, "'held', 'linear' or 'nan'");
        } else {
            wlm_expected(r, "'linear', 'cubic', 'steps', 'periodic', 'beyond', each once, or the end of the line");
        }
        if (t->rows.is_periodic && beyond >= 0)
            wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "a periodic table has nothing beyond its ends");
    }
    t->rows.shape = (wlm_shape)(shape > 0 ? shape : WLM_SHAPE_LINEAR);
    t->rows.beyond = (wlm_beyond)(beyond > 0 ? beyond : WLM_BEYOND_HELD);
}

/* -------------------------------------------------------------------- whole */

static void check_rows(const reader *t, wlm_place place)
{
    const double *x = t->x;
    int32_t last = t->count - 1;
    if (t->count < 2) wlm_fail_at(t->r, WARPLU_BAD_FORMAT, place, "expected at least 2 rows, found %d", t->count);
    for (int32_t k = 1; k < t->count; k++)
        if (!(x[k] > x[k - 1])) fail_at_row(t, k, "numbers that increase from row to row", x[k]);
    if (t->r->status != WARPLU_SUCCESS) return;
    if (!isfinite(x[last] - x[0])) fail_at_row(t, last, "rows that are less than 1.8e308 apart", x[last]);
    if (t->rows.is_periodic && t->y[last] != t->y[0])
        fail_at_row(t, last, "a last row with the value of the first one, of a table that is periodic", t->y[last]);
}

void wlm_parse_table(wlm_reading *r)
{
    reader t = {.r = r};
    int32_t trouble;
    wlm_place place = r->token.place;
    wlm_word name = wlm_needs_name(r, "the name of a table");
    if (wlm_takes_name(r, "from"))
        parse_file(&t);
    else if (wlm_needs(r, "=", "'=' or 'from'") && wlm_needs(r, "{", "'{'"))
        parse_rows(&t);
    parse_options(&t);
    if (r->status == WARPLU_SUCCESS) check_rows(&t, place);
    if (!wlm_add_global(r, name, (wlm_global){.type = WLM_GLOBAL_TABLE, .place = place})) return;
    int32_t number = r->names.count - 1;
    t.rows.count = t.count, t.rows.x = t.x, t.rows.y = t.y;
    r->global[number].table = wlm_table_make(r->kept, r->names.name[number], &t.rows, &trouble);
    if (r->global[number].table == NULL)
        wlm_fail_taking(r);
    else if (trouble >= 0)
        fail_at_row(&t, trouble + 1, "a row that is not too steep behind the one before", t.x[trouble + 1]);
}
