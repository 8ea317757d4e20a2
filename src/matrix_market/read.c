/* Matrix Market reader: size line and entries. banner.c reads the first line, text.c hands out lines, decimal.c
 * converts numbers, assemble.c makes the CSC matrix.
 *
 * One entry stands on one line, blank lines are skipped anywhere, '%' lines only between banner and size
 * line. Every line is checked to its end, so that a value too few or too many is met where it stands.
 *
 * Cost: O(text) for the scan, O(columns + nnz) for the assembly, where columns are bounded by the text.
 *
 * Memory: at most WARPLU_MM_BYTES_PER_BYTE for a byte of text; pointers to columns are 4 of these. An entry takes, in
 * the fewest bytes of text it can have, once all are read (arrays have then the declared size) and expanded:
 *
 *                      text   as read   expanded   to sort a column   bytes per byte
 *     pattern             4         8          8                 16                8
 *     real                6        16         24                 24               11
 *     complex             8        24         40                 32               12
 *     array, real         2         8         24                  -               16, pointers included
 *     array, complex      4        16         40                  -               14
 *
 * While they are read, room for twice the entries and, when it grows, the old room beside it: less than this.
 *
 * Ownership: the reader's, released on every path; the matrix becomes the caller's on success alone. */
#include "matrix_market/read.h"

#include <string.h>

#include "matrix_market/banner.h"
#include "matrix_market/entries.h"
#include "matrix_market/text.h"

enum { FIRST_CAPACITY = 4096 };

typedef struct reader {
    wlu_context *ctx;
    wlu_mm_input in;
    wlu_mm_entries e;
    int64_t size_line; /* the line that declares the sizes */
} reader;

/* --------------------------------------------------------------- size line */

/* The next line that is not blank, NULL at the end of the file; comments are skipped where allowed. */
static warplu_status next_text(reader *r, int comments, char **text)
{
    wlu_mm_input *in = &r->in;
    for (;;) {
        warplu_status status = wlu_mm_next_line(in);
        if (status != WARPLU_SUCCESS) return status;
        *text = in->line == NULL ? NULL : wlu_skip_blanks(in->line);
        if (*text == NULL) return WARPLU_SUCCESS;
        if (*text < in->line_end && !(comments && **text == '%')) return WARPLU_SUCCESS;
    }
}

static warplu_status read_count(reader *r, char **text, const char *what, int64_t *out)
{
    char *word = wlu_skip_blanks(*text), *p = word;
    int64_t v = 0;
    for (; wlu_is_digit(*p); p++)
        if (v <= INT32_MAX) v = v * 10 + (*p - '0');
    if (p == word || (*p != '\0' && !wlu_is_blank(*p)))
        return wlu_mm_unexpected(&r->in, WARPLU_BAD_FORMAT, word, "the number of %s", what);
    if (v > INT32_MAX) return wlu_mm_unexpected(&r->in, WARPLU_OVERFLOW, word, "at most %d %s", INT32_MAX, what);
    *text = p;
    *out = v;
    return WARPLU_SUCCESS;
}

/* Entries an array file of this symmetry holds. */
static int64_t array_entries(const wlu_mm_entries *e)
{
    int64_t n = e->ncol;
    switch (e->typecode.symmetry) {
    case WARPLU_MM_SYMMETRY_GENERAL: return (int64_t)e->nrow * n;
    case WARPLU_MM_SYMMETRY_SKEW_SYMMETRIC: return n * (n - 1) / 2;
    case WARPLU_MM_SYMMETRY_SYMMETRIC:
    case WARPLU_MM_SYMMETRY_HERMITIAN: return n * (n + 1) / 2;
    }
    return 0;
}

static warplu_status check_sizes(reader *r)
{
    wlu_mm_entries *e = &r->e;
    long long nrow = e->nrow, ncol = e->ncol;
    if (nrow == 0 || ncol == 0)
        return wlu_mm_fail(&r->in, WARPLU_EMPTY, "expected at least one row and column, found %lld by %lld", nrow,
                           ncol);
    if (e->typecode.symmetry != WARPLU_MM_SYMMETRY_GENERAL && nrow != ncol)
        return wlu_mm_fail(&r->in, WARPLU_NOT_SQUARE, "expected a square matrix as it is %s, found %lld by %lld",
                           wlu_mm_symmetry_name(e->typecode.symmetry), nrow, ncol);
    if (e->typecode.format == WARPLU_MM_FORMAT_COORDINATE) return WARPLU_SUCCESS;
    if (nrow * ncol > INT32_MAX)
        return wlu_mm_fail(&r->in, WARPLU_OVERFLOW, "expected at most %d entries, found %lld by %lld", INT32_MAX, nrow,
                           ncol);
    e->declared = array_entries(e);
    e->expanded = nrow * ncol;
    return WARPLU_SUCCESS;
}

static warplu_status read_sizes(reader *r)
{
    wlu_mm_entries *e = &r->e;
    int64_t nrow, ncol;
    char *text;
    warplu_status status = next_text(r, 1, &text);
    if (status != WARPLU_SUCCESS) return status;
    if (text == NULL) return wlu_mm_unexpected(&r->in, WARPLU_BAD_FORMAT, NULL, "the size line");
    r->size_line = r->in.line_number;
    status = read_count(r, &text, "rows", &nrow);
    if (status == WARPLU_SUCCESS) status = read_count(r, &text, "columns", &ncol);
    if (status == WARPLU_SUCCESS && e->typecode.format == WARPLU_MM_FORMAT_COORDINATE)
        status = read_count(r, &text, "entries", &e->declared);
    if (status != WARPLU_SUCCESS) return status;
    text = wlu_skip_blanks(text);
    if (text < r->in.line_end) return wlu_mm_unexpected(&r->in, WARPLU_BAD_FORMAT, text, "the end of the size line");
    e->nrow = (int32_t)nrow;
    e->ncol = (int32_t)ncol;
    return check_sizes(r);
}

/* ----------------------------------------------------------------- entries */

/* Room for twice the entries, at most the declared ones. */
static warplu_status grow(reader *r)
{
    wlu_mm_entries *e = &r->e;
    int64_t old = e->capacity, wanted = old == 0 ? FIRST_CAPACITY : 2 * old;
    if (wanted > e->declared) wanted = e->declared;
    if (e->typecode.format == WARPLU_MM_FORMAT_COORDINATE) {
        int32_t *row = wlu_resize(r->ctx, e->row, old, wanted, sizeof *row);
        if (row != NULL) e->row = row;
        int32_t *col = row == NULL ? NULL : wlu_resize(r->ctx, e->col, old, wanted, sizeof *col);
        if (col == NULL) return wlu_fail_memory(r->ctx, "reading a matrix");
        e->col = col;
    }
    if (e->parts > 0) {
        double *values = wlu_resize(r->ctx, e->values, old, wanted, (size_t)e->parts * sizeof *values);
        if (values == NULL) return wlu_fail_memory(r->ctx, "reading a matrix");
        e->values = values;
    }
    e->capacity = wanted;
    return WARPLU_SUCCESS;
}

static warplu_status read_index(reader *r, char **text, const char *what, int32_t limit, int32_t *out)
{
    char *word = wlu_skip_blanks(*text), *p = word;
    int64_t v = 0;
    for (; wlu_is_digit(*p); p++)
        if (v <= INT32_MAX) v = v * 10 + (*p - '0');
    if (p == word || (*p != '\0' && !wlu_is_blank(*p)) || v < 1 || v > limit)
        return wlu_mm_unexpected(&r->in, WARPLU_BAD_FORMAT, word, "a %s index from 1 to %d", what, (int)limit);
    *text = p;
    *out = (int32_t)(v - 1);
    return WARPLU_SUCCESS;
}

static int is_integer(const char *p, int may_be_negative)
{
    if (*p == '+' || (*p == '-' && may_be_negative)) p++;
    if (!wlu_is_digit(*p)) return 0;
    while (wlu_is_digit(*p)) p++;
    return *p == '\0' || wlu_is_blank(*p);
}

static warplu_status read_value(reader *r, char **text, const char *what, double *out)
{
    char *word = wlu_skip_blanks(*text);
    wlu_number_result result = wlu_number_parse(r->in.numbers, word, r->in.line_end, text, out);
    if (result == WLU_NUMBER_OK &&
        (r->e.typecode.field != WARPLU_MM_FIELD_INTEGER || is_integer(word, !r->e.is_unsigned)))
        return WARPLU_SUCCESS;
    if (result == WLU_NUMBER_NOT_FINITE) return wlu_mm_unexpected(&r->in, WARPLU_NOT_FINITE, word, "a finite value");
    if (result == WLU_NUMBER_NO_MEMORY) return wlu_fail_memory(r->ctx, "reading a matrix");
    return wlu_mm_unexpected(&r->in, WARPLU_BAD_FORMAT, word, "%s", what);
}

/* An entry of the diagonal: what its symmetry demands of the values. */
static warplu_status check_diagonal(reader *r, const double *v)
{
    warplu_mm_symmetry symmetry = r->e.typecode.symmetry;
    if (symmetry == WARPLU_MM_SYMMETRY_SKEW_SYMMETRIC && (v[0] != 0.0 || (r->e.parts == 2 && v[1] != 0.0)))
        return wlu_mm_fail(&r->in, WARPLU_BAD_FORMAT,
                           "expected zero on the diagonal of a skew-symmetric matrix, found %g", v[0]);
    if (symmetry == WARPLU_MM_SYMMETRY_HERMITIAN && v[1] != 0.0)
        return wlu_mm_fail(&r->in, WARPLU_BAD_FORMAT,
                           "expected a real diagonal of a hermitian matrix, found imaginary part %g", v[1]);
    return WARPLU_SUCCESS;
}

/* The entry on the current line. */
static warplu_status read_entry(reader *r, char *text, int32_t i, int32_t j)
{
    wlu_mm_entries *e = &r->e;
    warplu_status status = WARPLU_SUCCESS;
    if (e->held == e->capacity && (status = grow(r)) != WARPLU_SUCCESS) return status;
    if (e->typecode.format == WARPLU_MM_FORMAT_COORDINATE) {
        status = read_index(r, &text, "row", e->nrow, &i);
        if (status == WARPLU_SUCCESS) status = read_index(r, &text, "column", e->ncol, &j);
        if (status != WARPLU_SUCCESS) return status;
        e->row[e->held] = i;
        e->col[e->held] = j;
        e->expanded += 1 + (e->typecode.symmetry != WARPLU_MM_SYMMETRY_GENERAL && i != j);
    }
    double *v = e->parts > 0 ? e->values + e->parts * e->held : NULL;
    const char *what = e->is_unsigned                                 ? "an integer of at least 0"
                       : e->typecode.field == WARPLU_MM_FIELD_INTEGER ? "an integer"
                                                                      : "a number";
    if (e->parts > 0) status = read_value(r, &text, what, v);
    if (e->parts > 1 && status == WARPLU_SUCCESS) status = read_value(r, &text, "an imaginary part", v + 1);
    if (status != WARPLU_SUCCESS) return status;
    text = wlu_skip_blanks(text);
    if (text != r->in.line_end)
        return wlu_mm_unexpected(&r->in, WARPLU_BAD_FORMAT, text, "the end of the line after an entry");
    if (e->expanded > INT32_MAX)
        return wlu_mm_fail(&r->in, WARPLU_OVERFLOW, "expected at most %d expanded entries, found more", INT32_MAX);
    e->held++;
    return i == j && v != NULL ? check_diagonal(r, v) : WARPLU_SUCCESS;
}

static warplu_status read_entries(reader *r)
{
    wlu_mm_entries *e = &r->e;
    int skew = e->typecode.symmetry == WARPLU_MM_SYMMETRY_SKEW_SYMMETRIC,
        lower = e->typecode.symmetry != WARPLU_MM_SYMMETRY_GENERAL;
    int32_t i = skew, j = 0; /* of the next entry in an array file */
    char *text;
    for (;;) {
        warplu_status status = next_text(r, 0, &text);
        if (status != WARPLU_SUCCESS) return status;
        if (text == NULL) break;
        if (e->held == e->declared)
            return wlu_mm_unexpected(&r->in, WARPLU_BAD_FORMAT, text,
                                     "the end of the file after the %lld entries of line %lld's sizes",
                                     (long long)e->declared, (long long)r->size_line);
        status = read_entry(r, text, i, j);
        if (status != WARPLU_SUCCESS) return status;
        if (e->typecode.format == WARPLU_MM_FORMAT_ARRAY && ++i == e->nrow) i = ++j * lower + skew;
    }
    if (e->held == e->declared) return WARPLU_SUCCESS;
    return wlu_mm_fail(&r->in, WARPLU_BAD_FORMAT,
                       "expected %lld entries by line %lld's sizes, found %lld and the end of the file",
                       (long long)e->declared, (long long)r->size_line, (long long)e->held);
}

/* A whole file's columns against its length: pointers to columns take memory though these hold nothing. An array
 * has no more columns than bytes; an entry has 4 bytes at least and becomes two at most, so that columns beyond the
 * bound are empty for the most part. */
static warplu_status check_columns(reader *r)
{
    const wlu_mm_entries *e = &r->e;
    const int64_t most = WARPLU_MM_FREE_COLUMNS + r->in.text_bytes;
    if (e->ncol <= most) return WARPLU_SUCCESS;
    r->in.line_number = r->size_line;
    if (e->nrow == e->ncol)
        return wlu_mm_fail(
            &r->in, WARPLU_STRUCTURALLY_SINGULAR,
            "expected %d entries or more, one in each column, found %lld: the matrix is structurally singular",
            (int)e->ncol, (long long)e->expanded);
    return wlu_mm_fail(&r->in, WARPLU_EMPTY_COLUMNS, "expected at most %lld columns in a text of %lld bytes, found %d",
                       (long long)most, (long long)r->in.text_bytes, (int)e->ncol);
}

static warplu_status assemble(reader *r, warplu_mm_matrix *out)
{
    int32_t row, col;
    warplu_status status = wlu_mm_assemble(r->ctx, &r->e, out, &row, &col);
    if (status == WARPLU_OUT_OF_MEMORY) return wlu_fail_memory(r->ctx, "reading a matrix");
    if (status == WARPLU_NOT_FINITE)
        return wlu_mm_fail(&r->in, status,
                           "expected a finite sum of the duplicates of row %d, column %d, "
                           "found an infinite one",
                           (int)row + 1, (int)col + 1);
    return status;
}

static warplu_status read_whole(reader *r, warplu_mm_matrix *out)
{
    warplu_status status = read_entries(r);
    if (status == WARPLU_SUCCESS) status = check_columns(r);
    return status == WARPLU_SUCCESS ? assemble(r, out) : status;
}

/* What is known of a matrix that is not read, or not to its end. */
static void keep_sizes(const wlu_mm_entries *e, int64_t stored, warplu_mm_matrix *out)
{
    out->typecode = e->typecode;
    out->nrow = e->nrow;
    out->ncol = e->ncol;
    out->stored = stored;
}

warplu_status wlu_mm_read(wlu_context *ctx, const char *path, wlu_mm_extent extent, warplu_mm_matrix *out,
                          int64_t *line)
{
    reader r;
    memset(&r, 0, sizeof r);
    r.ctx = ctx;
    memset(out, 0, sizeof *out);
    warplu_status status = wlu_mm_open(&r.in, ctx, path);
    if (status == WARPLU_SUCCESS) status = wlu_mm_read_banner(&r.in, &r.e);
    if (status == WARPLU_SUCCESS) status = read_sizes(&r);
    if (status == WARPLU_SUCCESS && extent == WLU_MM_WHOLE_FILE) status = read_whole(&r, out);
    wlu_mm_close(&r.in);
    wlu_free(ctx, r.e.row);
    wlu_free(ctx, r.e.col);
    wlu_free(ctx, r.e.values);
    *line = r.in.failed_line;
    if (status == WARPLU_SUCCESS && extent == WLU_MM_SIZES_ALONE) keep_sizes(&r.e, r.e.declared, out);
    if (status == WARPLU_SUCCESS) return status;
    wlu_free(ctx, out->ptr);
    wlu_free(ctx, out->idx);
    wlu_free(ctx, out->values);
    memset(out, 0, sizeof *out);
    keep_sizes(&r.e, r.e.held, out);
    return status;
}
