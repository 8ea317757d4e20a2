/* Files that appear under their name only when complete. What stood there before survives every failure. An existing
 * target that is no regular file (a pipe, a terminal, /dev/null) is written to directly.
 *
 * Where the file system can, a file has no name until it is complete, so that nothing is left of one that is not,
 * whatever ends the process. It is then linked to its name, or, where another file has that, to a temporary one that is
 * renamed at once, with this thread's signals blocked. Elsewhere it is written under the temporary name,
 * warplu-PID-K.tmp beside the target; a program that is to leave nothing behind when signals end it turns them into a
 * cancel function's answer. */
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
/* Once everything is written and fd is closed: takes the place of the target if keep, else removes what there is. 0, or
 * -1 with errno; frees what the replacement owns either way. */
int wlu_replace_end(wlu_context *ctx, wlu_replacement *r, int keep);

/* "PATH: cannot WHAT: REASON", long paths by their end. */
warplu_status wlu_file_fail(wlu_context *ctx, const char *path, warplu_status status, const char *what, int error);

/* Replaces the file by size bytes, which are on the disk before the old ones are gone. WARPLU_CANNOT_OPEN,
 * WARPLU_CANNOT_WRITE, WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED. */
warplu_status wlu_file_write(wlu_context *ctx, const char *path, const void *bytes, int64_t size);

/* Opens a regular file for reading. WARPLU_CANNOT_OPEN, WARPLU_CANNOT_READ (of another kind). */
warplu_status wlu_file_open(wlu_context *ctx, const char *path, int *fd, int64_t *size);
/* The next count bytes. WARPLU_CANNOT_READ (also where it ends before them). */
warplu_status wlu_file_read(wlu_context *ctx, const char *path, int fd, void *bytes, int64_t count);

#endif
