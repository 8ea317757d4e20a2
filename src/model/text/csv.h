/* Tables of numbers: a line of names, then lines of as many numbers, with commas between them. Names may stand in
 * double quotes; empty lines are skipped. Files may begin with the mark of UTF-8. */
#ifndef WLU_MODEL_TEXT_CSV_H
#define WLU_MODEL_TEXT_CSV_H

#include "model/text/arena.h"

typedef struct wlm_csv {
    int32_t columns, rows;
    char **name;   /* columns */
    double *value; /* [row][column] */
    int32_t *line; /* rows: where each stands in the file */
} wlm_csv;

/* Reads a table into the arena. Messages begin with PATH:LINE:COLUMN. WARPLU_CANNOT_OPEN, CANNOT_READ, BAD_FORMAT,
 * OVERFLOW (2^31 - 1 rows or bytes), OUT_OF_MEMORY. */
warplu_status wlm_csv_read(wlu_context *ctx, wlm_arena *arena, const char *path, wlm_csv *out);

/* Returns the length of the mark that says that a text is UTF-8: 3 or 0 bytes. */
int32_t wlm_mark_length(const char *text, int64_t length);

/* Reads a whole file, or standard input for "-", with a zero behind it; the caller frees it by wlu_free. */
warplu_status wlm_file_read(wlu_context *ctx, const char *path, char **text, int64_t *length);

#endif
