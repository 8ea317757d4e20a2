/* Matrix Market files: the whole exchange format (Boisvert, Pozo, Remington, NISTIR 5935, 1996), in the terms
 * of NIST's reader: banner, typecode, size line.
 *
 * Coordinate and array; real, integer, pattern, complex; general, symmetric, skew-symmetric, hermitian;
 * plain, gzip-compressed (by content, whatever the name), or standard input (path "-"). Symmetric storage is
 * expanded, duplicates are summed, explicit zeros keep their place, pattern files get no values.
 *
 * Layout: the banner's words in any case, further words behind it ignored; '%' lines between banner and size
 * line; blank lines anywhere; one entry a line; CR LF or LF, the last line with or without. A coordinate file
 * of symmetric kind may hold entries of either triangle, as NIST's reader takes them: each is mirrored, and
 * an entry given in both triangles is summed. Numbers are decimal, rounded correctly, an exponent's letter e,
 * E, d or D; those of an integer file are integers. Skew-symmetric files hold no non-zero diagonal entry,
 * hermitian ones no diagonal entry with an imaginary part. Skew-symmetric and hermitian patterns do not
 * exist. */
#ifndef WLU_IO_MATRIX_MARKET_H
#define WLU_IO_MATRIX_MARKET_H

#include "base/context.h"

typedef enum wlu_mm_format { WLU_MM_COORDINATE, WLU_MM_ARRAY } wlu_mm_format;
typedef enum wlu_mm_field { WLU_MM_REAL, WLU_MM_INTEGER, WLU_MM_PATTERN, WLU_MM_COMPLEX } wlu_mm_field;
typedef enum wlu_mm_symmetry {
    WLU_MM_GENERAL,
    WLU_MM_SYMMETRIC,
    WLU_MM_SKEW_SYMMETRIC,
    WLU_MM_HERMITIAN
} wlu_mm_symmetry;

typedef struct wlu_mm_typecode {
    wlu_mm_format format;
    wlu_mm_field field;
    wlu_mm_symmetry symmetry;
} wlu_mm_typecode;

/* A file's matrix as CSC, rows ascending in each column, no duplicates. Coordinate files give their pattern;
 * array files a full one (column j's rows are 0 .. nrow-1), so that a right-hand side is x itself. */
typedef struct wlu_mm_matrix {
    wlu_mm_typecode typecode;
    int32_t nrow, ncol;
    int64_t stored;     /* entries the file declares and holds */
    int64_t nnz;        /* after expansion and summing; ptr[ncol] */
    int64_t duplicates; /* entries summed into another, after expansion */
    int64_t zeros;      /* explicit zeros among nnz, after summing (0 for pattern files) */
    int32_t *ptr;       /* ncol + 1 */
    int32_t *idx;       /* nnz */
    double *values;     /* nnz; 2 nnz for complex, real and imaginary part in turn; NULL for pattern */
} wlu_mm_matrix;

/* What reading takes, whatever a size line declares: at most WLU_MM_BYTES_PER_BYTE bytes of memory for each byte of
 * text and WLU_MM_BYTES_FIXED more, and time in proportion to the text, times the logarithm of its entries where
 * they are out of order. Text is what zlib hands out: of a gzip file up to 1032 times its own length. To this end
 * columns may be no more than the text's bytes and WLU_MM_FREE_COLUMNS together; rows are free, as they take nothing.
 */
enum { WLU_MM_FREE_COLUMNS = 1 << 20, WLU_MM_BYTES_PER_BYTE = 16, WLU_MM_BYTES_FIXED = 5 << 20 };

/* Reads a file. Every error's message reads "FILE:LINE: expected ..., found ...", with "<stdin>" for standard
 * input; WARPLU_CANNOT_OPEN's "FILE: cannot open for reading: REASON". WARPLU_CANNOT_OPEN, WARPLU_CANNOT_READ (I/O
 * error, truncated or corrupt gzip stream), WARPLU_BAD_FORMAT (banner, typecode, size line, truncated file, fewer or
 * more entries than declared, an index out of range, a number that is none), WARPLU_NOT_FINITE (a value, or a sum of
 * duplicates), WARPLU_EMPTY (no rows or no columns), WARPLU_NOT_SQUARE (of symmetric kind, yet not square),
 * WARPLU_OVERFLOW (a dimension, count or expanded count over 2^31 - 1), WARPLU_OUT_OF_MEMORY; of a file in order with
 * more columns than the bound above WARPLU_STRUCTURALLY_SINGULAR where it is square, as most of them are empty, else
 * WARPLU_EMPTY_COLUMNS. On failure nothing is owned; typecode, nrow, ncol and stored are what was read by then. */
warplu_status wlu_mm_read(wlu_context *ctx, const char *path, wlu_mm_matrix *out);
void wlu_mm_free(wlu_context *ctx, wlu_mm_matrix *m);

/* Values for a pattern: reproducible from the seed, in (-1, 1), none zero, diagonal entries dominating their
 * column so that the matrix is well conditioned. Fills m->values of a pattern file and turns it real and
 * general. WARPLU_INVALID_ARGUMENT where m is no pattern, WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_mm_invent_values(wlu_context *ctx, wlu_mm_matrix *m, uint64_t seed);

/* Writers: the file appears under its name only when complete (base/replace.h), or goes to standard output for "-";
 * ".gz" names are compressed. Numbers are written with the fewest digits that read back to the same bits (17 at most).
 * An existing target that is no regular file is written to directly. WARPLU_CANNOT_OPEN, WARPLU_CANNOT_WRITE,
 * WARPLU_NOT_FINITE (a value no reader would take), WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED. comment: lines after the
 * banner without their '%', may be NULL. values NULL: a pattern. */
warplu_status wlu_mm_write_coordinate(wlu_context *ctx, const char *path, int32_t nrow, int32_t ncol,
                                      const int32_t *ptr, const int32_t *idx, const double *values,
                                      const char *comment);
/* nrow by ncol, column-major, leading dimension nrow. */
warplu_status wlu_mm_write_array(wlu_context *ctx, const char *path, int32_t nrow, int32_t ncol, const double *values,
                                 const char *comment);

/* "matrix coordinate real general": the banner without its "%%MatrixMarket ". out: 64 bytes. */
void wlu_mm_typecode_string(const wlu_mm_typecode *typecode, char *out);

#endif
