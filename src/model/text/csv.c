/* Reads a file whole, counts its lines for the size of the table, then parses numbers in one pass. Each error has
 * path, line and column. Also reads the texts of models, which are files like others. */
#include "model/text/csv.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/system.h"
#include "model/text/names.h"

/* ------------------------------------------------------------------- files */

static warplu_status fail_system(wlu_context *ctx, warplu_status status, const char *path, int error)
{
    char reason[128];
    wlu_system_describe(error, reason, sizeof reason);
    return wlu_fail(ctx, status, "%.200s: %s", path, reason);
}

/* Reads all that the descriptor gives. */
static warplu_status read_all(wlu_context *ctx, int fd, const char *path, char **text, int64_t *length)
{
    enum { FIRST = 1 << 14 };
    int64_t room = FIRST;
    *length = 0;
    *text = wlu_alloc(ctx, room, 1);
    while (*text != NULL) {
        ssize_t got = read(fd, *text + *length, (size_t)(room - *length - 1));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_system(ctx, WARPLU_CANNOT_READ, path, errno);
        if (got == 0) break;
        if (memchr(*text + *length, '\0', (size_t)got) != NULL)
            return wlu_fail(ctx, WARPLU_BAD_FORMAT, "%.200s: expected text, found a byte 0", path);
        *length += got;
        if (*length < room - 1) continue;
        char *more = wlu_resize(ctx, *text, *length, 2 * room, 1);
        if (more == NULL) break;
        *text = more;
        room *= 2;
    }
    if (*text == NULL || *length >= room - 1) return wlu_fail_memory(ctx, path);
    (*text)[*length] = '\0';
    return WARPLU_SUCCESS;
}

warplu_status wlm_file_read(wlu_context *ctx, const char *path, char **text, int64_t *length)
{
    *text = NULL;
    int fd = strcmp(path, "-") == 0 ? wlu_system_duplicate(0) : wlu_system_open(path, WLU_OPEN_READ);
    if (fd < 0) return fail_system(ctx, WARPLU_CANNOT_OPEN, path, errno);
    warplu_status status = read_all(ctx, fd, path, text, length);
    close(fd);
    if (status != WARPLU_SUCCESS) {
        wlu_free(ctx, *text);
        *text = NULL;
    }
    return status;
}

int32_t wlm_mark_length(const char *text, int64_t length)
{
    return length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* ------------------------------------------------------------------ tables */

typedef struct table {
    wlu_context *ctx;
    wlm_arena *arena;
    const char *path;
    wlu_numbers *numbers;
    char *at, *line_at;
    int32_t line;
    wlm_csv *out;
    wlm_names names;
} table;

static warplu_status expected(table *t, const char *at, const char *what)
{
    enum { SHOWN = 40 };
    int column = (int)(at - t->line_at) + 1, length = (int)strcspn(at, ",\r\n");
    if (length > SHOWN) length = SHOWN;
    if (length > 0)
        return wlu_fail(t->ctx, WARPLU_BAD_FORMAT, "%.200s:%d:%d: error: expected %s, found '%.*s'", t->path, t->line,
                        column, what, length, at);
    return wlu_fail(t->ctx, WARPLU_BAD_FORMAT, "%.200s:%d:%d: error: expected %s, found %s", t->path, t->line, column,
                    what,
                    *at == ','    ? "','"
                    : *at == '\0' ? "the end of the file"
                                  : "the end of the line");
}

static void skip_blanks(table *t)
{
    while (*t->at == ' ' || *t->at == '\t' || *t->at == '\r') t->at++;
}

static void next_line(table *t)
{
    if (*t->at == '\n') t->at++, t->line++;
    t->line_at = t->at;
}

static void skip_empty_lines(table *t)
{
    for (skip_blanks(t); *t->at == '\n'; skip_blanks(t)) next_line(t);
}

static warplu_status read_name(table *t)
{
    skip_blanks(t);
    int quoted = *t->at == '"';
    char *begin = t->at + quoted;
    char *end = begin + strcspn(begin, quoted ? "\"\n" : ",\r\n \t");
    if (quoted && *end != '"') return expected(t, end, "'\"' behind a name");
    if (end == begin) return expected(t, t->at, "the name of a column");
    if (wlm_names_find(&t->names, begin, (int32_t)(end - begin)) >= 0)
        return expected(t, t->at, "another name for each column");
    char *name = wlm_take_text(t->arena, begin, end - begin);
    if (name == NULL || wlm_names_add(&t->names, t->arena, name) < 0) return wlu_fail_memory(t->ctx, t->path);
    t->at = end + quoted;
    skip_blanks(t);
    return WARPLU_SUCCESS;
}

static warplu_status read_names(table *t)
{
    skip_empty_lines(t);
    for (;;) {
        warplu_status status = read_name(t);
        if (status != WARPLU_SUCCESS) return status;
        if (*t->at != ',') break;
        t->at++;
    }
    if (*t->at != '\n' && *t->at != '\0') return expected(t, t->at, "',' or the end of the line");
    t->out->columns = t->names.count;
    t->out->name = t->names.name;
    return WARPLU_SUCCESS;
}

static warplu_status read_value(table *t, double *value)
{
    skip_blanks(t);
    char *begin = t->at, *end = begin + strcspn(begin, ", \t\r\n"), behind = *end;
    *end = '\0';
    wlu_number_result result =
        end > begin ? wlu_number_parse(t->numbers, begin, end, &t->at, value) : WLU_NUMBER_MALFORMED;
    *end = behind;
    if (result == WLU_NUMBER_NO_MEMORY) return wlu_fail_memory(t->ctx, t->path);
    if (result != WLU_NUMBER_OK) return expected(t, begin, "a number");
    skip_blanks(t);
    return WARPLU_SUCCESS;
}

static warplu_status read_row(table *t, double *values)
{
    for (int32_t k = 0; k < t->out->columns; k++) {
        if (k > 0) {
            if (*t->at != ',') return expected(t, t->at, "',' and another number");
            t->at++;
        }
        warplu_status status = read_value(t, &values[k]);
        if (status != WARPLU_SUCCESS) return status;
    }
    return *t->at == '\n' || *t->at == '\0' ? WARPLU_SUCCESS : expected(t, t->at, "the end of the line");
}

/* Counts the lines from here on; there are at least as many as rows. */
static int64_t count_lines(const char *text)
{
    int64_t lines = 1;
    for (; (text = strchr(text, '\n')) != NULL; text++) lines++;
    return lines;
}

static warplu_status read_table(table *t)
{
    wlm_csv *csv = t->out;
    warplu_status status = read_names(t);
    if (status != WARPLU_SUCCESS) return status;
    csv->value = wlm_take(t->arena, count_lines(t->at), (size_t)csv->columns * sizeof *csv->value);
    csv->line = wlm_take(t->arena, count_lines(t->at), sizeof *csv->line);
    if (csv->value == NULL || csv->line == NULL) return wlu_fail_memory(t->ctx, t->path);
    for (skip_empty_lines(t); *t->at != '\0' && status == WARPLU_SUCCESS; skip_empty_lines(t)) {
        csv->line[csv->rows] = t->line;
        status = read_row(t, csv->value + (int64_t)csv->rows++ * csv->columns);
    }
    return status;
}

warplu_status wlm_csv_read(wlu_context *ctx, wlm_arena *arena, const char *path, wlm_csv *out)
{
    char *text;
    int64_t length;
    *out = (wlm_csv){0};
    warplu_status status = wlm_file_read(ctx, path, &text, &length);
    if (status != WARPLU_SUCCESS) return status;
    table t = {.ctx = ctx, .arena = arena, .path = path, .numbers = wlu_numbers_create(ctx), .line = 1, .out = out};
    t.at = t.line_at = text + wlm_mark_length(text, length);
    if (t.numbers == NULL)
        status = wlu_fail_memory(ctx, path);
    else if (length > INT32_MAX)
        status = wlu_fail(ctx, WARPLU_OVERFLOW, "%.200s: more than %d bytes", path, INT32_MAX);
    else
        status = read_table(&t);
    wlu_numbers_destroy(ctx, &t.numbers);
    wlu_free(ctx, text);
    return status;
}
