/* A reader of saved files: what is left of the bytes, what has been made of them, and checks that its parts share. See
 * saved.h. */
#ifndef WLU_PIVOT_SAVED_READER_H
#define WLU_PIVOT_SAVED_READER_H

#include "pivot/saved_format.h"

#include <math.h>

typedef struct wlu_reader {
    wlu_context *ctx;
    const char *name;
    const uint8_t *at; /* the next byte; the counts of the header say that all arrays fit */
    wlu_saved_header h;
    wlu_analysis *analysis;
    wlu_pivots *pivots;
    int32_t *row_block, *col_block; /* n: block of each row and column; all the first, once the pivots prove joined */
    int blocks_found;
    int32_t *seen; /* the larger of n and nvalues */
} wlu_reader;

/* Fails with a message that begins with the file's name. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
warplu_status
wlu_reader_refuse(wlu_context *ctx, const char *name, warplu_status status, const char *format, ...);

#define WLU_READER_BAD(r, ...) wlu_reader_refuse((r)->ctx, (r)->name, WARPLU_BAD_FORMAT, __VA_ARGS__)

/* The next count elements. */
void wlu_reader_take(wlu_reader *r, void *to, int64_t count, size_t size);
/* The same in memory of their own, or NULL. */
void *wlu_reader_take_array(wlu_reader *r, int64_t count, size_t size);

#define WLU_READER_TAKE(r, count, type) ((type *)wlu_reader_take_array((r), (count), sizeof(type)))

/* WARPLU_BAD_FORMAT unless order[0 .. count) holds each of 0 .. count-1 once. */
warplu_status wlu_reader_check_permutation(wlu_reader *r, const char *what, int32_t count, const int32_t *order);
/* WARPLU_BAD_FORMAT unless both are permutations that put into each block the rows and columns that the first candidate
 * put there; anywhere where blocks are joined. */
warplu_status wlu_reader_check_orders(wlu_reader *r, const char *what, int joined, const int32_t *row,
                                      const int32_t *col);

/* Whether x may be a number of terms, entries or nanoseconds. */
static inline int wlu_reader_is_count(double x)
{
    return isfinite(x) && x >= 0.0;
}

/* The pivots' section, once the analysis stands. Statuses as wlu_saved_decode. */
warplu_status wlu_reader_take_pivots(wlu_reader *r);

#endif
