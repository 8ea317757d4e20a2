/* Matrix Market writer.
 *
 * The text goes through one buffer to a file that takes the target's place once all of it is written (base/replace.h),
 * or to standard output. Each time the buffer is emptied the caller may cancel.
 *
 * A number is printed with 15, 16, then 17 digits until it reads back to the same bits; %.15g drops trailing
 * zeros, so this finds the fewest. Done in the C locale, set for this thread alone.
 *
 * Cost: 1 us for a number of few digits, 2 us for one of 17. Memory: the buffer and what zlib takes. */
#include "matrix_market/write.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/replace.h"
#include "base/system.h"
#include "matrix_market/banner.h"

enum {
    BUFFER_BYTES = 1 << 16,
    LINE_BYTES = 700 /* two indices of 11 and two numbers: real ones of 25, integers of 311 */
};

typedef struct sink {
    wlu_context *ctx;
    const char *path;
    wlu_replacement target;
    int fd; /* -1: none, or owned by gz */
    gzFile gz;
    char *buffer;
    size_t used;
    warplu_status status; /* the first failure; later text is dropped */
    wlu_c_locale c_locale;
} sink;

static warplu_status sink_fail(sink *s, warplu_status status, const char *what, int error)
{
    if (s->status == WARPLU_SUCCESS) s->status = wlu_file_fail(s->ctx, s->path, status, what, error);
    return s->status;
}

/* ------------------------------------------------------------ opening, closing */

static warplu_status open_target(sink *s)
{
    if (strcmp(s->path, "-") != 0) {
        warplu_status status = wlu_replace_begin(s->ctx, s->path, &s->target);
        s->fd = s->target.fd;
        if (status == WARPLU_OUT_OF_MEMORY) return s->status = status;
    } else {
        s->fd = wlu_system_duplicate(STDOUT_FILENO);
    }
    return s->fd < 0 ? sink_fail(s, WARPLU_CANNOT_OPEN, "open for writing", errno) : WARPLU_SUCCESS;
}

static warplu_status sink_open(sink *s, wlu_context *ctx, const char *path)
{
    memset(s, 0, sizeof *s);
    s->ctx = ctx;
    s->path = path;
    s->fd = -1;
    s->buffer = WLU_ALLOC(ctx, BUFFER_BYTES, char);
    if (s->buffer == NULL || !wlu_c_locale_make(&s->c_locale))
        return s->status = wlu_fail_memory(ctx, "writing a matrix");
    wlu_c_locale_enter(&s->c_locale);
    if (open_target(s) < 0) return s->status;
    size_t length = strlen(path);
    if (length < 3 || strcmp(path + length - 3, ".gz") != 0) return WARPLU_SUCCESS;
    s->gz = gzdopen(s->fd, "wb");
    if (s->gz == NULL) return s->status = wlu_fail_memory(ctx, "writing a matrix");
    s->fd = -1;
    return WARPLU_SUCCESS;
}

static void flush(sink *s)
{
    const char *p = s->buffer;
    while (s->used > 0 && s->status == WARPLU_SUCCESS && (s->status = wlu_poll_cancel(s->ctx)) == WARPLU_SUCCESS) {
        ssize_t n = s->gz != NULL ? gzwrite(s->gz, p, (unsigned)s->used) : write(s->fd, p, s->used);
        if (n > 0) {
            p += n;
            s->used -= (size_t)n;
        } else if (n == 0 || s->gz != NULL || errno != EINTR) {
            sink_fail(s, WARPLU_CANNOT_WRITE, "write", errno);
        }
    }
    s->used = 0;
}

/* Flushes, closes, takes the target's place; leaves nothing after a failure. Returns the first failure. */
static warplu_status sink_close(sink *s)
{
    if (s->buffer != NULL) flush(s);
    if (s->gz != NULL && gzclose(s->gz) != Z_OK) sink_fail(s, WARPLU_CANNOT_WRITE, "write", errno);
    if (s->fd >= 0 && close(s->fd) != 0) sink_fail(s, WARPLU_CANNOT_WRITE, "write", errno);
    if (wlu_replace_end(s->ctx, &s->target, s->status == WARPLU_SUCCESS) != 0)
        sink_fail(s, WARPLU_CANNOT_WRITE, "take the place of the target", errno);
    wlu_c_locale_leave(&s->c_locale);
    wlu_c_locale_free(&s->c_locale);
    wlu_free(s->ctx, s->buffer);
    return s->status;
}

/* -------------------------------------------------------------------- text */

static void put_text(sink *s, const char *text, size_t length)
{
    while (length > 0 && s->status == WARPLU_SUCCESS) {
        size_t n = BUFFER_BYTES - s->used < length ? BUFFER_BYTES - s->used : length;
        memcpy(s->buffer + s->used, text, n);
        s->used += n;
        text += n;
        length -= n;
        if (s->used == BUFFER_BYTES) flush(s);
    }
}

/* Room for one more line. */
static char *reserve_line(sink *s)
{
    if (BUFFER_BYTES - s->used < LINE_BYTES) flush(s);
    return s->buffer + s->used;
}

static void put_header(sink *s, const warplu_mm_matrix *m, const char *comment)
{
    warplu_mm_typecode typecode = m->typecode;
    char code[WARPLU_MM_TYPECODE_BYTES], sizes[64];
    typecode.symmetry = WARPLU_MM_SYMMETRY_GENERAL;
    warplu_mm_print_typecode(&typecode, code);
    put_text(s, "%%MatrixMarket ", 15);
    put_text(s, code, strlen(code));
    put_text(s, "\n", 1);
    while (comment != NULL && *comment != '\0') {
        size_t length = strcspn(comment, "\n");
        put_text(s, "% ", 2);
        put_text(s, comment, length);
        put_text(s, "\n", 1);
        comment += length + (comment[length] == '\n');
    }
    int length = snprintf(sizes, sizeof sizes, "%d %d", (int)m->nrow, (int)m->ncol);
    if (typecode.format == WARPLU_MM_FORMAT_COORDINATE)
        length += snprintf(sizes + length, sizeof sizes - (size_t)length, " %d", (int)m->ptr[m->ncol]);
    put_text(s, sizes, (size_t)length);
    put_text(s, "\n", 1);
}

static char *print_index(char *p, int32_t v)
{
    char digits[12];
    int n = 0;
    do digits[n++] = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    while (n > 0) *p++ = digits[--n];
    return p;
}

static char *print_value(char *p, double v)
{
    char text[32];
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(text, sizeof text, "%.*g", digits, v);
        if (digits == 17 || strtod(text, NULL) == v) break;
    }
    memcpy(p, text, (size_t)length);
    return p + length;
}

/* The numbers of entry q, which stands in this row and column. */
static char *print_entry(sink *s, char *p, const warplu_mm_matrix *m, int64_t q, int32_t row, int32_t col)
{
    int parts = wlu_mm_parts(m->typecode.field);
    for (int k = 0; k < parts; k++) {
        double v = m->values[q * parts + k];
        int integer = m->typecode.field == WARPLU_MM_FIELD_INTEGER;
        if (!isfinite(v) || (integer && v != floor(v)))
            s->status = wlu_fail(s->ctx, isfinite(v) ? WARPLU_INVALID_ARGUMENT : WARPLU_NOT_FINITE,
                                 "cannot write row %d, column %d: expected %s, found %g", (int)row + 1, (int)col + 1,
                                 isfinite(v) ? "an integer" : "a finite value", v);
        if (k > 0) *p++ = ' ';
        p = integer ? p + sprintf(p, "%.0f", v) : print_value(p, v);
    }
    return p;
}

static void put_coordinates(sink *s, const warplu_mm_matrix *m)
{
    for (int32_t j = 0; j < m->ncol; j++) {
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1] && s->status == WARPLU_SUCCESS; q++) {
            char *line = reserve_line(s), *p = print_index(line, m->idx[q] + 1);
            *p++ = ' ';
            p = print_index(p, j + 1);
            if (m->typecode.field != WARPLU_MM_FIELD_PATTERN) *p++ = ' ';
            p = print_entry(s, p, m, q, m->idx[q], j);
            *p++ = '\n';
            s->used += (size_t)(p - line);
        }
    }
}

static void put_array(sink *s, const warplu_mm_matrix *m)
{
    for (int32_t j = 0; j < m->ncol; j++) {
        for (int32_t i = 0; i < m->nrow && s->status == WARPLU_SUCCESS; i++) {
            char *line = reserve_line(s), *p = print_entry(s, line, m, (int64_t)j * m->nrow + i, i, j);
            *p++ = '\n';
            s->used += (size_t)(p - line);
        }
    }
}

/* ------------------------------------------------------------------- matrix */

/* Whether ptr ascends from 0 and rows are in range. */
static int pattern_is_valid(const warplu_mm_matrix *m)
{
    if (m->ptr == NULL || m->idx == NULL || m->ptr[0] != 0) return 0;
    for (int32_t j = 0; j < m->ncol; j++)
        if (m->ptr[j + 1] < m->ptr[j]) return 0;
    for (int32_t q = 0; q < m->ptr[m->ncol]; q++)
        if (m->idx[q] < 0 || m->idx[q] >= m->nrow) return 0;
    return 1;
}

static warplu_status check_matrix(wlu_context *ctx, const char *path, const warplu_mm_matrix *m)
{
    warplu_mm_typecode typecode = m->typecode;
    typecode.symmetry = WARPLU_MM_SYMMETRY_GENERAL; /* as which it is written */
    const char *wrong = NULL;
    if (!wlu_mm_typecode_exists(&typecode))
        wrong = "the typecode does not exist";
    else if (m->nrow < 1 || m->ncol < 1)
        wrong = "no rows or no columns";
    else if (m->typecode.field != WARPLU_MM_FIELD_PATTERN && m->values == NULL)
        wrong = "no values";
    else if (m->typecode.format == WARPLU_MM_FORMAT_COORDINATE && !pattern_is_valid(m))
        wrong = "ptr does not ascend from 0, or a row is out of range";
    if (wrong != NULL) return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "%s: cannot write the matrix: %s", path, wrong);
    if (m->typecode.format == WARPLU_MM_FORMAT_ARRAY && (int64_t)m->nrow * m->ncol > INT32_MAX)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "%s: cannot write the matrix: more than %d entries", path, INT32_MAX);
    return WARPLU_SUCCESS;
}

warplu_status wlu_mm_write(wlu_context *ctx, const char *path, const warplu_mm_matrix *m, const char *comment)
{
    sink s;
    warplu_status status = check_matrix(ctx, path, m);
    if (status != WARPLU_SUCCESS) return status;
    if (sink_open(&s, ctx, path) != WARPLU_SUCCESS) return sink_close(&s);
    put_header(&s, m, comment);
    switch (m->typecode.format) {
    case WARPLU_MM_FORMAT_COORDINATE: put_coordinates(&s, m); break;
    case WARPLU_MM_FORMAT_ARRAY: put_array(&s, m); break;
    }
    return sink_close(&s);
}
