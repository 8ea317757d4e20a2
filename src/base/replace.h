/* Files that appear under their name only when complete. A failure leaves what stood there before. A target that exists
 * and is no regular file (a pipe, a terminal, /dev/null) is written to directly.
 *
 * Where the file system supports it, a file has no name until it is complete, so nothing is left of an incomplete one,
 * whatever ends the process. It is then linked to its name. If another file has that name, it is linked to a temporary
 * name that is renamed at once, with this thread's signals blocked. Elsewhere the file is written under the temporary
 * name, warplu-PID-K.tmp beside the target. A program that must leave nothing behind when a signal ends it turns the
 * signal into the answer of a cancel function. */
#ifndef WLU_BASE_REPLACE_H
#define WLU_BASE_REPLACE_H

#include "base/context.h"

typedef struct wlu_replacement {
    const char *path; /* borrowed */
    char *temporary;  /* room for that name; NULL where the target is written to directly */
    int nameless;     /* the file, held open until it has a name; -1 where it has the temporary one */
    int fd;           /* the caller's to write to and to close */
} wlu_replacement;

/* WARPLU_CANNOT_OPEN (errno says why, nothing is said), WARPLU_OUT_OF_MEMORY (said). On failure nothing is owned. */
warplu_status wlu_replace_begin(wlu_context *ctx, const char *path, wlu_replacement *out);
/* To be called once everything is written and fd is closed. Replaces the target if keep, else removes the file. Returns
 * 0, or -1 with errno. Frees what the replacement owns either way. */
int wlu_replace_end(wlu_context *ctx, wlu_replacement *r, int keep);

/* "PATH: cannot WHAT: REASON", long paths by their end. */
warplu_status wlu_file_fail(wlu_context *ctx, const char *path, warplu_status status, const char *what, int error);

/* Replaces the file by size bytes. They are on the disk before the old file goes. WARPLU_CANNOT_OPEN,
 * WARPLU_CANNOT_WRITE, WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED. */
warplu_status wlu_file_write(wlu_context *ctx, const char *path, const void *bytes, int64_t size);

/* Opens a regular file for reading. WARPLU_CANNOT_OPEN, WARPLU_CANNOT_READ (of another kind). */
warplu_status wlu_file_open(wlu_context *ctx, const char *path, int *fd, int64_t *size);
/* The next count bytes. WARPLU_CANNOT_READ (also where it ends before them). */
warplu_status wlu_file_read(wlu_context *ctx, const char *path, int fd, void *bytes, int64_t count);

#endif
