/* Matrix Market files: a library of its own, libwarplu-mm (pkg-config: warplu-mm). It needs zlib, and not libwarplu.
 *
 *     warplu_mm_matrix a = {.size = sizeof a};
 *     warplu_mm_error error = {.size = sizeof error};
 *     if (warplu_mm_read("a.mtx.gz", NULL, &a, &error) < 0) fprintf(stderr, "%s\n", error.text);
 *     ...
 *     warplu_mm_free(&a);
 *
 * The words are those of the format (Boisvert, Pozo, Remington, NISTIR 5935, 1996) and of NIST's reader mmio: a file
 * is a banner with the typecode, comments, a size line, and entries.
 *
 * What is read: coordinate and array; real, integer, pattern and complex; general, symmetric, skew-symmetric and
 * hermitian; plain text, gzip (told by content, whatever the name), or standard input (path "-"). Pattern files of
 * the kinds array, skew-symmetric and hermitian do not exist.
 *
 * Layout of the text: the banner's words stand in upper or lower case; further words behind them are ignored. Comments
 * ('%') stand between banner and size line. Blank lines stand anywhere. One entry stands on one line of less than
 * 256 KiB. Lines end in LF or CR LF; the last may lack its end. A number is decimal with an exponent of e, E, d or D,
 * and is rounded correctly, whatever the caller's locale and rounding mode. Numbers of an integer file are integers.
 * The field unsigned-integer, which is no word of the format but which SciPy writes, is read as integer; its numbers
 * are not negative, and it is general or symmetric.
 * Entries of a symmetric kind may stand in either triangle; an entry given in both is summed. The diagonal of a
 * skew-symmetric file holds zeros alone, that of a hermitian file no imaginary part.
 *
 * Calls share nothing: any number of threads may read and write at the same time. */
#ifndef WARPLU_MATRIX_MARKET_H
#define WARPLU_MATRIX_MARKET_H

#include <stddef.h>
#include <stdint.h>

#include <warplu/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- typecode */

typedef enum warplu_mm_object { WARPLU_MM_OBJECT_MATRIX = 0 } warplu_mm_object;

typedef enum warplu_mm_format {
    WARPLU_MM_FORMAT_COORDINATE = 0, /* entries with row and column; the others are absent */
    WARPLU_MM_FORMAT_ARRAY = 1       /* all entries, column by column */
} warplu_mm_format;

typedef enum warplu_mm_field {
    WARPLU_MM_FIELD_REAL = 0,
    WARPLU_MM_FIELD_INTEGER = 1,
    WARPLU_MM_FIELD_PATTERN = 2, /* no values */
    WARPLU_MM_FIELD_COMPLEX = 3  /* two numbers an entry */
} warplu_mm_field;

/* A symmetry says which entries a file leaves out, because others imply them. */
typedef enum warplu_mm_symmetry {
    WARPLU_MM_SYMMETRY_GENERAL = 0,        /* none */
    WARPLU_MM_SYMMETRY_SYMMETRIC = 1,      /* a_ji = a_ij */
    WARPLU_MM_SYMMETRY_SKEW_SYMMETRIC = 2, /* a_ji = -a_ij */
    WARPLU_MM_SYMMETRY_HERMITIAN = 3       /* a_ji = conj(a_ij) */
} warplu_mm_symmetry;

typedef struct warplu_mm_typecode {
    warplu_mm_object object;
    warplu_mm_format format;
    warplu_mm_field field;
    warplu_mm_symmetry symmetry;
} warplu_mm_typecode;

/* Writes the banner's words, "matrix coordinate real general", into out: at most WARPLU_MM_TYPECODE_BYTES, the zero
 * at the end among them. A typecode that does not exist gives "". */
enum { WARPLU_MM_TYPECODE_BYTES = 64 };
WARPLU_API void warplu_mm_print_typecode(const warplu_mm_typecode *typecode, char *out);

/* ------------------------------------------------------------------ matrix */

/* A matrix by columns (CSC, zero-based): in each column rows ascend, and no row stands twice. Entries that the
 * symmetry implies are there, duplicates are summed in the file's order, explicit zeros keep their places. An array
 * file gives a full pattern, so that values is the matrix by columns with leading dimension nrow. */
typedef struct warplu_mm_matrix {
    size_t size;                 /* sizeof(warplu_mm_matrix), set by the caller */
    warplu_mm_typecode typecode; /* the file's */
    int32_t nrow, ncol;
    int64_t stored;     /* entries that the file holds */
    int64_t nnz;        /* entries of the matrix: ptr[ncol] */
    int64_t duplicates; /* entries that were added to another one */
    int64_t zeros;      /* of the nnz: explicit zeros; 0 for a pattern */
    int32_t *ptr;       /* ncol + 1 */
    int32_t *idx;       /* nnz: rows */
    double *values;     /* nnz; complex: 2 nnz, real and imaginary part in turn; pattern: NULL */
    void (*release)(void *pointer, void *user); /* the options' function that frees the arrays; NULL: free */
    void *allocator_user;                       /* its second argument */
} warplu_mm_matrix;

/* ------------------------------------------------------------ options, error */

typedef struct warplu_mm_options {
    size_t size;                                 /* sizeof(warplu_mm_options), set by warplu_mm_init_options */
    void *(*allocate)(size_t bytes, void *user); /* NULL: malloc. zlib allocates its own memory by malloc */
    void (*release)(void *pointer, void *user);  /* NULL: free; both are given or neither */
    void *allocator_user;
    int (*cancel)(void *user); /* asked each 64 KiB of text written; not 0: WARPLU_CANCELLED. NULL: never */
    void *cancel_user;
} warplu_mm_options;

/* Fills in the defaults: malloc, free, no cancel function. */
WARPLU_API void warplu_mm_init_options(warplu_mm_options *options);

/* An error says what went wrong in a call: text is English, one line without its end. After a success status is
 * WARPLU_SUCCESS and text is "". An error of a file's contents reads "FILE:LINE: expected ..., found ...", any other
 * "FILE: cannot ...: REASON". FILE is "<stdin>" for standard input; long paths are shown by their last 256 bytes. */
typedef struct warplu_mm_error {
    size_t size; /* sizeof(warplu_mm_error), set by the caller */
    warplu_status status;
    int64_t line; /* of the text, from 1; 0 where no line is at fault */
    char text[512];
} warplu_mm_error;

/* ----------------------------------------------------------------- reading */

/* Limits of what reading takes, whatever a size line declares: WARPLU_MM_BYTES_PER_BYTE bytes of memory for each byte
 * of text, and WARPLU_MM_BYTES_FIXED more. Time is in proportion to the text, times the logarithm of a column's entries
 * where they are out of order. Text is counted decompressed: a gzip file holds up to 1032 times its own length. To this
 * end a file may declare at most WARPLU_MM_FREE_COLUMNS columns more than it has bytes of text. Rows take nothing and
 * may be as many as an int32_t counts. */
enum { WARPLU_MM_FREE_COLUMNS = 1 << 20, WARPLU_MM_BYTES_PER_BYTE = 16, WARPLU_MM_BYTES_FIXED = 5 << 20 };

/* Reads a file into *matrix, which owns arrays after a success; warplu_mm_free releases them. What *matrix held before
 * is overwritten, not released. After an error it owns nothing; typecode, nrow, ncol and stored are what was read until
 * then. options may be NULL (the defaults), error may be NULL.
 *
 *   WARPLU_SUCCESS                  the matrix is read
 *   WARPLU_INVALID_ARGUMENT         path or matrix is NULL, a size is not set, one allocator function without the other
 *   WARPLU_CANNOT_OPEN              the file does not open
 *   WARPLU_CANNOT_READ              an I/O error; a gzip stream that is truncated or corrupt
 *   WARPLU_BAD_FORMAT               the text breaks the format: banner, size line, an index, a number, too few or too
 *                                   many entries
 *   WARPLU_NOT_FINITE               a value, or a sum of duplicates, is infinite or not a number
 *   WARPLU_EMPTY                    no rows or no columns
 *   WARPLU_NOT_SQUARE               of a symmetric kind, and not square
 *   WARPLU_OVERFLOW                 a size, or the number of entries, is above 2^31 - 1
 *   WARPLU_STRUCTURALLY_SINGULAR    a square file in order, with more columns than the bound above
 *   WARPLU_EMPTY_COLUMNS            the same of a file that is not square
 *   WARPLU_OUT_OF_MEMORY            memory ran out */
WARPLU_API warplu_status warplu_mm_read(const char *path, const warplu_mm_options *options, warplu_mm_matrix *matrix,
                                        warplu_mm_error *error);

/* Reads banner and size line alone: typecode, nrow, ncol, and stored as the size line declares it. *matrix owns
 * nothing. Takes the time and memory of a file of a few lines.
 *
 *   as warplu_mm_read, for what these lines say */
WARPLU_API warplu_status warplu_mm_read_sizes(const char *path, const warplu_mm_options *options,
                                              warplu_mm_matrix *matrix, warplu_mm_error *error);

/* Releases the arrays and sets all members but size to 0. Takes NULL, and a matrix that owns nothing. */
WARPLU_API void warplu_mm_free(warplu_mm_matrix *matrix);

/* ----------------------------------------------------------------- writing */

/* Writes a matrix. Read are typecode.format, typecode.field, nrow, ncol, values, and for a coordinate file ptr and
 * idx; rows of a column may stand in any order. The file's symmetry is general: every entry is written, whatever the
 * typecode says. Numbers are written with the fewest of 15, 16 or 17 digits that read back to the same bits.
 *
 * A path that ends in ".gz" is compressed; "-" is standard output. The file appears under its name only when it is
 * complete; after an error what stood there before stays. A target that is no regular file (a pipe, a terminal) is
 * written to directly. comment: lines between banner and size line, without their '%', or NULL. options and error may
 * be NULL. Memory: 64 KiB, and what zlib takes.
 *
 *   WARPLU_SUCCESS                  the file is written
 *   WARPLU_INVALID_ARGUMENT         path or matrix is NULL, a size is not set; nrow or ncol below 1; ptr not ascending
 *                                   from 0; a row out of range; values missing where the field has some; a pattern as
 *                                   array; an integer field and a value that is no integer
 *   WARPLU_OVERFLOW                 an array of more than 2^31 - 1 entries
 *   WARPLU_NOT_FINITE               a value is infinite or not a number: no reader would take it
 *   WARPLU_CANNOT_OPEN              the file cannot be made
 *   WARPLU_CANNOT_WRITE             it cannot be written to its end
 *   WARPLU_OUT_OF_MEMORY            memory ran out
 *   WARPLU_CANCELLED                the options' cancel function asked to stop */
WARPLU_API warplu_status warplu_mm_write(const char *path, const warplu_mm_matrix *matrix, const char *comment,
                                         const warplu_mm_options *options, warplu_mm_error *error);

#ifdef __cplusplus
}
#endif
#endif
