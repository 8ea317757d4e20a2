/* Matrix Market writers.
 *
 * The text goes through one buffer to a file that takes the target's place once all of it is written (base/replace.h),
 * or to standard output. Each time the buffer is emptied the caller may cancel.
 *
 * A number is printed with 15, 16, then 17 digits until it reads back to the same bits; %.15g drops trailing
 * zeros, so this finds the fewest. Done in the C locale, set for this thread alone.
 *
 * Cost: 1 us for a number of few digits, 2 us for one of 17. Memory: the buffer and what zlib takes. */
#include "io/matrix_market.h"

#include "base/replace.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
    BUFFER_BYTES = 1 << 16,
    LINE_BYTES = 64 /* two indices and a number take at most 11 + 11 + 25 */
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
    locale_t c_locale, callers;
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
        s->fd = dup(STDOUT_FILENO);
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
    s->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (s->buffer == NULL || s->c_locale == (locale_t)0) return s->status = wlu_fail_memory(ctx, "writing a matrix");
    s->callers = uselocale(s->c_locale);
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
    if (s->callers != (locale_t)0) uselocale(s->callers);
    if (s->c_locale != (locale_t)0) freelocale(s->c_locale);
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

static void put_header(sink *s, const wlu_mm_typecode *typecode, const char *comment)
{
    char code[64];
    wlu_mm_typecode_string(typecode, code);
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

static warplu_status fail_not_finite(sink *s, int32_t row, int32_t col, double v)
{
    s->status = wlu_fail(s->ctx, WARPLU_NOT_FINITE, "cannot write row %d, column %d: expected a finite value, found %g",
                         (int)row + 1, (int)col + 1, v);
    return s->status;
}

warplu_status wlu_mm_write_coordinate(wlu_context *ctx, const char *path, int32_t nrow, int32_t ncol,
                                      const int32_t *ptr, const int32_t *idx, const double *values, const char *comment)
{
    const wlu_mm_typecode typecode = {WLU_MM_COORDINATE, values != NULL ? WLU_MM_REAL : WLU_MM_PATTERN, WLU_MM_GENERAL};
    char sizes[LINE_BYTES];
    sink s;
    if (sink_open(&s, ctx, path) != WARPLU_SUCCESS) return sink_close(&s);
    put_header(&s, &typecode, comment);
    int length = snprintf(sizes, sizeof sizes, "%d %d %d\n", (int)nrow, (int)ncol, (int)ptr[ncol]);
    put_text(&s, sizes, (size_t)length);
    for (int32_t j = 0; j < ncol && s.status == WARPLU_SUCCESS; j++) {
        for (int32_t q = ptr[j]; q < ptr[j + 1] && s.status == WARPLU_SUCCESS; q++) {
            char *line = reserve_line(&s), *p = print_index(line, idx[q] + 1);
            *p++ = ' ';
            p = print_index(p, j + 1);
            if (values != NULL) {
                if (!isfinite(values[q])) fail_not_finite(&s, idx[q], j, values[q]);
                *p++ = ' ';
                p = print_value(p, values[q]);
            }
            *p++ = '\n';
            s.used += (size_t)(p - line);
        }
    }
    return sink_close(&s);
}

warplu_status wlu_mm_write_array(wlu_context *ctx, const char *path, int32_t nrow, int32_t ncol, const double *values,
                                 const char *comment)
{
    const wlu_mm_typecode typecode = {WLU_MM_ARRAY, WLU_MM_REAL, WLU_MM_GENERAL};
    char sizes[LINE_BYTES];
    sink s;
    if (sink_open(&s, ctx, path) != WARPLU_SUCCESS) return sink_close(&s);
    put_header(&s, &typecode, comment);
    int length = snprintf(sizes, sizeof sizes, "%d %d\n", (int)nrow, (int)ncol);
    put_text(&s, sizes, (size_t)length);
    for (int32_t j = 0; j < ncol; j++) {
        for (int32_t i = 0; i < nrow && s.status == WARPLU_SUCCESS; i++) {
            double v = values[(int64_t)j * nrow + i];
            if (!isfinite(v)) fail_not_finite(&s, i, j, v);
            char *line = reserve_line(&s), *p = print_value(line, v);
            *p++ = '\n';
            s.used += (size_t)(p - line);
        }
    }
    return sink_close(&s);
}
