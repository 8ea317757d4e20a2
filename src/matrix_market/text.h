/* Buffered text input, line by line, for the reader: plain or gzip, with line numbers and
 * messages that name file and line. */
#ifndef WLU_MATRIX_MARKET_TEXT_H
#define WLU_MATRIX_MARKET_TEXT_H

#include "base/context.h"
#include "base/decimal.h"

typedef struct wlu_mm_input {
    wlu_context *ctx;
    const char *name; /* for messages */
    void *gz;         /* zlib's gzFile */
    wlu_numbers *numbers;
    char *buffer;
    int64_t position, filled; /* the text not yet handed out: buffer[position .. filled) */
    int64_t text_bytes;       /* read so far, decompressed */
    int ended;                /* the stream gives no more */
    warplu_status broken;     /* what ended it, where it is not the end of the file */
    char reason[160];
    int64_t line_number;   /* of the current line, from 1 */
    int64_t failed_line;   /* that the last message names; 0: none */
    char *line, *line_end; /* the current line, line_end[0] == '\0'; line is NULL at the end of the file */
} wlu_mm_input;

/* path "-" is standard input. WARPLU_CANNOT_OPEN, WARPLU_OUT_OF_MEMORY; close it after a failure too. */
warplu_status wlu_mm_open(wlu_mm_input *in, wlu_context *ctx, const char *path);
void wlu_mm_close(wlu_mm_input *in);

/* Hands out the next line, without its end, in in->line; NULL at the end of the file. The text may be written
 * to and is valid until the next call. WARPLU_CANNOT_READ, WARPLU_BAD_FORMAT (a line of 256 KiB or more). */
warplu_status wlu_mm_next_line(wlu_mm_input *in);

/* Fails with "NAME:LINE: expected ..., found 'word'"; found points to the word in the current line, which may
 * be its end; at the end of the file it is NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
warplu_status
wlu_mm_unexpected(wlu_mm_input *in, warplu_status status, const char *found, const char *expected, ...);

/* Fails with "NAME:LINE: text". */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
warplu_status
wlu_mm_fail(wlu_mm_input *in, warplu_status status, const char *format, ...);

static inline char *wlu_skip_blanks(char *p)
{
    while (wlu_is_blank(*p)) p++;
    return p;
}

#endif
